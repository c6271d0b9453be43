// Lines of a document: a click on a number picks the line, with Shift all lines up to there. The
// address says which, and so do the links that the page offers to copy.
"use strict";

const LINES = /^#L([1-9][0-9]{0,6})(?:-L([1-9][0-9]{0,6}))?$/;

function pickedLines() {
  const found = LINES.exec(location.hash);
  if (!found) return null;
  const ends = [Number(found[1]), Number(found[2] ?? found[1])];
  return [Math.min(...ends), Math.max(...ends)];
}

function spelled([first, last]) {
  return first === last ? `#L${first}` : `#L${first}-L${last}`;
}

function* rowsOf([first, last]) {
  for (let number = first; number <= last; number++) {
    const row = document.getElementById(`L${number}`);
    if (!row) return;
    yield row;
  }
}

function showLines() {
  each(document, "tr.picked", (row) => row.classList.remove("picked"));
  const range = pickedLines();
  const hash = range ? spelled(range) : "";
  each(document, "[data-lines-link]", (link) => {
    const url = link.dataset.linesLink + hash;
    if (link.matches("a")) link.href = url;
    else link.dataset.copy = url;
  });
  const rows = range ? [...rowsOf(range)] : [];
  rows.forEach((row) => row.classList.add("picked"));
  const box = document.querySelector("[data-lines-picked]");
  if (box) {
    box.hidden = rows.length === 0;
    const [first, last] = range ?? [];
    const words = first === last ? `Line ${first}` : `Lines ${first} to ${last}`;
    box.querySelector("[data-lines-words]").textContent = words;
  }
  return rows;
}

document.addEventListener("click", (event) => {
  const link = event.target.closest(".source td.ln a");
  if (!link || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  const number = Number(link.hash.slice(2));
  const from = event.shiftKey ? (pickedLines()?.[0] ?? number) : number;
  const range = [Math.min(from, number), Math.max(from, number)];
  history.replaceState(history.state, "", spelled(range));
  showLines();
});

function followAddress() {
  // The rendered document has no lines; its source has.
  const source = document.querySelector("a[data-lines-source]");
  if (source && pickedLines()) return location.replace(source.href + location.hash);
  showLines()[0]?.scrollIntoView({ block: "center" });
}

addEventListener("hashchange", followAddress);
followAddress();
