// Keys of the review queue, and of the page that decides on several Proposals. They choose and
// open; what is sent is sent by a button. KEYS and step are console.js's.
"use strict";

const at = (selector) => document.querySelector(`${selector}.at`);

function moveTo(selector, direction) {
  step(selector, direction);
  at(selector)?.querySelector("td.main a, h2 a")?.focus({ preventScroll: true });
}

function tellPicked(form) {
  const count = form.querySelectorAll("[data-pick]:checked").length;
  const words = form.querySelector("[data-picked]");
  words.dataset.idle ??= words.textContent;
  words.textContent = count === 0 ? words.dataset.idle : `${count} chosen`;
}

function pick() {
  at("[data-row]")?.querySelector("[data-pick]")?.click();
}

function openWith(form) {
  const link = at("[data-row]")?.querySelector("td.main a");
  if (link) location.assign(`${link.href}#${form}`);
}

function choose(verdict) {
  const radio = at("[data-item]")?.querySelector(`[data-verdict="${verdict}"]`);
  if (radio) radio.checked = true;
}

const several = document.querySelector("[data-item]") !== null;
const rows = several ? "[data-item]" : "[data-row]";
KEYS.j = () => moveTo(rows, 1);
KEYS.k = () => moveTo(rows, -1);
KEYS.a = () => (several ? choose("a") : openWith("approve"));
KEYS.r = () => (several ? choose("r") : openWith("reject"));
if (several) KEYS.l = () => choose("l");
else {
  KEYS.x = pick;
  KEYS.b = () => document.querySelector("[data-triage]")?.requestSubmit();
}

document.addEventListener("change", (event) => {
  const form = event.target.closest("[data-triage]");
  if (form) tellPicked(form);
});
// The browser keeps ticks when one comes back; the words follow them.
addEventListener("pageshow", () => each(document, "[data-triage]", tellPicked));
