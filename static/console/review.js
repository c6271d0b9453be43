// The review page, and diffs wherever they stand: keys, steps into unchanged lines, the filter of
// files, comments beneath a line, drafts. All of it works without this file, only slower.
"use strict";

const visible = (element) => element.getClientRects().length > 0;
const one = (selector) => document.querySelector(selector);

// --- forms and the sheet of keys -------------------------------------------------------------

// Where the focus was before a dialog took it: closing puts it back, or on the page at least, so
// that the keys are heard again.
function openDialog(dialog) {
  const before = document.activeElement;
  dialog.addEventListener(
    "close",
    () => {
      const known = before !== document.body && before?.isConnected;
      const place = known ? before : document.getElementById("main");
      place.focus({ preventScroll: true });
    },
    { once: true },
  );
  dialog.showModal();
}

function openPart(id) {
  const part = document.getElementById(id);
  if (part instanceof HTMLDialogElement) openDialog(part);
  else if (part instanceof HTMLDetailsElement) {
    part.open = true;
    part.querySelector("textarea, input:not([type=hidden])")?.focus();
  }
}

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-opens]");
  if (opener) openPart(opener.dataset.opens);
});

// --- keys ------------------------------------------------------------------------------------

function step(selector, direction) {
  const items = [...document.querySelectorAll(selector)].filter(visible);
  if (items.length === 0) return;
  const at = items.findIndex((item) => item.classList.contains("at"));
  const next = at < 0 ? (direction > 0 ? 0 : items.length - 1) : at + direction;
  const item = items[Math.min(Math.max(next, 0), items.length - 1)];
  items.forEach((other) => other.classList.toggle("at", other === item));
  markInTree(item);
  scrollBy({ top: item.getBoundingClientRect().top - innerHeight * 0.2 });
}

function markInTree(item) {
  const file = item.closest("[data-file]");
  if (!file) return;
  document.querySelectorAll(".tree a").forEach((link) => {
    link.classList.toggle("at", link.hash === `#${file.id}`);
  });
}

function goTo(file) {
  document.querySelectorAll("[data-file].at").forEach((other) => other.classList.remove("at"));
  file.classList.add("at");
}

// The file that the keys are at, or the first that is not viewed yet.
function toggleViewed() {
  const boxes = [...document.querySelectorAll("[data-viewed-box]")];
  const box =
    one("[data-file].at [data-viewed-box]") ?? boxes.find((each) => each.ariaPressed === "false");
  if (!box) return;
  goTo(box.closest("[data-file]"));
  box.click();
  if (box.ariaPressed === "false") step("[data-file]", 1);
}

// The first gap of the file that the keys are at, or of the first file that has one.
function expand() {
  const gap = one("[data-file].at [data-gap]") ?? one("[data-file] [data-gap]");
  if (!gap) return;
  goTo(gap.closest("[data-file]"));
  gap.click();
}

const follow = (key) => one(`[data-key="${key}"]`)?.click();

const KEYS = {
  j: () => step("[data-file]", 1),
  k: () => step("[data-file]", -1),
  n: () => step("[data-change-start]", 1),
  p: () => step("[data-change-start]", -1),
  v: toggleViewed,
  e: expand,
  w: () => follow("w"),
  u: () => follow("u"),
  a: () => openPart("approve"),
  r: () => openPart("reject"),
  "/": () => {
    const field = [...document.querySelectorAll("[data-key-search]")].find(visible);
    if (field) field.focus();
    else one("[data-key-find]")?.click();
  },
  "?": () => openPart("key-help"),
};

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, textarea, select, [contenteditable], dialog[open]");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const act = KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

// A link from elsewhere may lead to a form that is folded away.
if (["#approve", "#reject"].includes(location.hash)) openPart(location.hash.slice(1));

// --- files: steps into a gap, the filter, what was loaded -------------------------------------

document.addEventListener("click", async (event) => {
  const gap = event.target.closest("a[data-gap]");
  if (!gap || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const { id } = gap.closest("[data-file]");
  const wasAt = gap.closest("[data-file]").classList.contains("at");
  const place = gapsOf(id).indexOf(gap);
  await htmx.ajax("GET", gap.href, { target: `#${id}`, swap: "outerHTML" });
  const file = document.getElementById(id);
  if (wasAt) goTo(file);
  // Where the link was: the next one, so that the keyboard goes on from there.
  const next = gapsOf(id)[place] ?? gapsOf(id).at(-1);
  (next ?? file.querySelector("a, button"))?.focus({ preventScroll: true });
});

const gapsOf = (id) => [...document.querySelectorAll(`#${id} a[data-gap]`)];

document.addEventListener("input", (event) => {
  if (!event.target.matches("[data-filters]")) return;
  const words = event.target.value.trim().toLowerCase();
  document.querySelectorAll(`#${event.target.dataset.filters} [data-path]`).forEach((entry) => {
    const hidden = !entry.dataset.path.toLowerCase().includes(words);
    entry.hidden = hidden;
    const file = document.getElementById(entry.querySelector("a").hash.slice(1));
    if (file) file.hidden = hidden;
  });
});

// Once everything is loaded there is nothing to tick; the server counts for itself.
function dropTick() {
  if (!one("[data-withheld]")) one("[data-unshown-tick]")?.remove();
}

// --- comments: the form that a line's link leads to opens beneath the line --------------------

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
    const open = one(`[data-for="${CSS.escape(line.href)}"] textarea`);
    if (open) return open.focus();
    const cell = rowOfForm(line);
    cell.dataset.for = line.href;
    htmx.ajax("GET", line.href, { target: cell, swap: "innerHTML" });
  }
  const cancel = event.target.closest("[data-closes-comment]");
  if (cancel) {
    event.preventDefault();
    forget(cancel.closest("form"));
    closeForm(cancel);
  }
});

// --- drafts: what was typed and not sent outlives a reload of this tab, and nothing else -------

const DRAFT = "draft ";

document.addEventListener("input", (event) => {
  const key = event.target.dataset?.draft;
  if (!key) return;
  if (event.target.value) sessionStorage.setItem(DRAFT + key, event.target.value);
  else sessionStorage.removeItem(DRAFT + key);
});

// What the server put into an empty field is what was sent, or was refused: nothing is left to
// recall. A field that edits what was said begins with that.
function recall() {
  document.querySelectorAll("[data-draft]").forEach((field) => {
    const key = DRAFT + field.dataset.draft;
    const begins = "edits" in field.dataset ? field.defaultValue : "";
    if (field.defaultValue !== begins) return sessionStorage.removeItem(key);
    const kept = sessionStorage.getItem(key);
    if (kept === null || field.value !== begins) return;
    field.value = kept;
    const reply = field.closest("details:not(.menu)");
    if (reply) reply.open = true;
  });
}

function forget(form) {
  form?.querySelectorAll("[data-draft]").forEach((field) => {
    sessionStorage.removeItem(DRAFT + field.dataset.draft);
  });
}

document.addEventListener("htmx:beforeOnLoad", (event) => {
  const { elt, xhr } = event.detail;
  if (xhr.status < 300) forget(elt.closest("form"));
});

function refresh() {
  recall();
  dropTick();
}

if (one("[data-signs-in]")) sessionStorage.clear();
document.addEventListener("htmx:afterSettle", refresh);
refresh();
