// Conveniences on top of pages that already work without them: copy buttons, times that stay
// true, keys for the review page, downloads that say how far they are, and a word when the server
// cannot be reached.
"use strict";

const each = (root, selector, act) => root.querySelectorAll(selector).forEach(act);

// --- times: the same steps as console/times.py ---------------------------------------------

const STEPS = [
  [60, 1, "s"],
  [3600, 60, "min"],
  [86400, 3600, "h"],
  [2592000, 86400, "d"],
];

function relativeTime(moment, now) {
  const seconds = Math.round((now - moment) / 1000);
  const distance = Math.abs(seconds);
  if (distance < 10) return "just now";
  for (const [below, unit, name] of STEPS) {
    if (distance < below) {
      const amount = `${Math.floor(distance / unit)} ${name}`;
      return seconds > 0 ? `${amount} ago` : `in ${amount}`;
    }
  }
  return null; // older ones show their date, which does not change
}

function refreshTimes() {
  const now = Date.now();
  each(document, "time[data-relative]", (element) => {
    const text = relativeTime(Date.parse(element.dateTime), now);
    if (text !== null && element.textContent !== text) element.textContent = text;
  });
}

setInterval(refreshTimes, 30_000);

// --- copy ----------------------------------------------------------------------------------

async function copyFrom(button) {
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
  } catch {
    return; // not permitted here; the full text is in the title and can be selected
  }
  button.dataset.copied = "";
  setTimeout(() => delete button.dataset.copied, 1500);
}

// --- tabs ----------------------------------------------------------------------------------

// Where tabs do not fit, the one that is open comes into view, without moving the page.
each(document, ".tabs [aria-current]", (tab) => {
  const strip = tab.closest(".tabs");
  strip.scrollLeft = tab.offsetLeft - (strip.clientWidth - tab.offsetWidth) / 2;
});

// --- clicks and submits --------------------------------------------------------------------

document.addEventListener("click", (event) => {
  const copy = event.target.closest("[data-copy]");
  if (copy) copyFrom(copy);
  const opener = event.target.closest("[data-opens]");
  if (opener) openPart(opener.dataset.opens);
  each(document, "details.menu[open]", (menu) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
});

function openPart(id) {
  const part = document.getElementById(id);
  if (part instanceof HTMLDialogElement) part.showModal();
  else if (part instanceof HTMLDetailsElement) {
    part.open = true;
    part.querySelector("textarea, input:not([type=hidden])")?.focus();
  }
}

// A link of the queue's leads to a form that is folded away.
if (["#approve", "#reject"].includes(location.hash)) openPart(location.hash.slice(1));

// --- keys ----------------------------------------------------------------------------------

const visible = (element) => element.getClientRects().length > 0;

function step(selector, direction) {
  const items = [...document.querySelectorAll(selector)].filter(visible);
  if (items.length === 0) return;
  const at = items.findIndex((item) => item.classList.contains("at"));
  const next = at < 0 ? (direction > 0 ? 0 : items.length - 1) : at + direction;
  const item = items[Math.min(Math.max(next, 0), items.length - 1)];
  items.forEach((other) => other.classList.toggle("at", other === item));
  markInTree(item);
  const offset = item.getBoundingClientRect().top - innerHeight * 0.2;
  scrollBy({ top: offset });
}

function markInTree(item) {
  const file = item.closest("[data-file]");
  if (!file) return;
  each(document, ".tree a", (link) => {
    link.classList.toggle("at", link.hash === `#${file.id}`);
  });
}

// The file that the keys are at, or the first that is not viewed yet.
function toggleViewed() {
  const boxes = [...document.querySelectorAll("[data-viewed-box]")];
  const box =
    document.querySelector("[data-file].at [data-viewed-box]") ??
    boxes.find((each) => each.ariaPressed === "false");
  if (!box) return;
  const file = box.closest("[data-file]");
  each(document, "[data-file].at", (other) => other.classList.remove("at"));
  file.classList.add("at");
  box.click();
  if (box.ariaPressed === "false") step("[data-file]", 1);
}

const KEYS = {
  j: () => step("[data-file]", 1),
  k: () => step("[data-file]", -1),
  n: () => step("[data-change-start]", 1),
  p: () => step("[data-change-start]", -1),
  v: toggleViewed,
  u: () => document.querySelector("[data-key-layout]")?.click(),
  a: () => openPart("approve"),
  r: () => openPart("reject"),
  "/": () => {
    const field = document.querySelector("[data-key-search]");
    if (field) field.focus();
    else document.querySelector("[data-key-find]")?.click();
  },
  "?": () => openPart("key-help"),
};

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    each(document, "details.menu[open]", (menu) => (menu.open = false));
    return;
  }
  // A sheet that was just closed keeps the focus until the next frame; keys are the page's again.
  const typing = event.target.closest?.("input, textarea, select, [contenteditable], dialog[open]");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const act = KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

// --- comments: the form that a line's link leads to opens beneath the line ------------------

function rowOfForm(line) {
  const row = document.createElement("tr");
  row.className = "talk-row";
  const cell = row.insertCell();
  cell.colSpan = line.closest("table").querySelectorAll("col").length;
  line.closest("tr").after(row);
  return cell;
}

function closeForm(form) {
  const row = form.closest(".talk-row");
  form.closest("[data-talk]").remove();
  if (row && !row.querySelector("[data-talk]")) row.remove();
}

document.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  const line = event.target.closest("a[data-comment]");
  if (line) {
    event.preventDefault();
    const open = document.querySelector(`[data-for="${CSS.escape(line.href)}"] textarea`);
    if (open) return open.focus();
    const cell = rowOfForm(line);
    cell.dataset.for = line.href;
    htmx.ajax("GET", line.href, { target: cell, swap: "innerHTML" });
  }
  const cancel = event.target.closest("[data-closes-comment]");
  if (cancel) {
    event.preventDefault();
    closeForm(cancel);
  }
});

// --- exports: what the plain link downloads, with how far it is ------------------------------

async function countItems(stream, seen) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let last = null;
  let items = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return last !== null && last.next_page === null;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      last = JSON.parse(line);
      items += last.items.length;
      seen(items);
    }
  }
}

function saveFile(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

async function downloadPages(link) {
  const box = link.closest("[data-export]");
  const [state, words, stop] = ["state", "words", "stop"].map((part) =>
    box.querySelector(`[data-export-${part}]`),
  );
  const bar = state.querySelector("progress");
  const number = new Intl.NumberFormat("en");
  const aborter = new AbortController();
  let items = 0;
  stop.onclick = () => aborter.abort();
  state.hidden = stop.hidden = false;
  link.setAttribute("aria-disabled", "true");
  try {
    const response = await fetch(link.href, { signal: aborter.signal });
    if (!response.ok) return location.assign(link.href); // the page that says why
    bar.max = Number(response.headers.get("Checkfu-Export-Items"));
    const told = number.format(bar.max);
    const [forCounting, forFile] = response.body.tee();
    const [isWhole, blob] = await Promise.all([
      countItems(forCounting, (count) => {
        bar.value = items = count;
        words.textContent = `${number.format(count)} of ${told} items`;
      }),
      new Response(forFile).blob(),
    ]);
    if (isWhole) {
      saveFile(blob, link.download);
      words.textContent = `All ${told} items, saved as ${link.download}.`;
    } else {
      words.textContent = `The store changed after ${number.format(items)} of ${told} items. Nothing was saved; begin again.`;
    }
  } catch (error) {
    const why = error.name === "AbortError" ? "Stopped" : "The connection was lost";
    words.textContent = `${why} after ${number.format(items)} items. Nothing was saved.`;
  } finally {
    stop.hidden = true;
    link.removeAttribute("aria-disabled");
  }
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-export-start]");
  if (!link || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  if (!link.hasAttribute("aria-disabled")) downloadPages(link);
});

// --- htmx ----------------------------------------------------------------------------------

function notice(text) {
  const place = document.getElementById("notices");
  if (!place) return;
  const banner = document.createElement("div");
  banner.className = "banner";
  banner.dataset.tone = "bad";
  const words = document.createElement("div");
  words.textContent = text;
  banner.append(words);
  place.replaceChildren(banner);
}

document.addEventListener("htmx:sendError", () => {
  notice("The server could not be reached. Nothing was changed; try again.");
});
document.addEventListener("htmx:responseError", (event) => {
  if (!event.detail.shouldSwap) notice("The server answered with an error. Reload and try again.");
});
document.addEventListener("htmx:afterSwap", refreshTimes);
