// Conveniences on top of pages that already work without them: copy buttons, times that stay
// true, downloads that say how far they are, and a word when the server cannot be reached.
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
  each(document, "details.menu[open]", (menu) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  each(document, "details.menu[open]", (menu) => {
    const hadFocus = menu.contains(document.activeElement);
    menu.open = false;
    if (hadFocus) menu.querySelector("summary").focus();
  });
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
