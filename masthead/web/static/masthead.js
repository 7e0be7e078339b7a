// Improvements for browsers with JavaScript; every page works without it.
"use strict";

const isTyping = (target) => target.closest("input, textarea, select, [contenteditable]") !== null;

// Keyboard shortcuts, if the user has not turned them off
document.addEventListener("keydown", (event) => {
  const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
  if (!("shortcuts" in document.body.dataset) || !plain) return;
  if (isTyping(event.target)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (event.key === "/") {
    event.preventDefault();
    (document.querySelector("main [data-find]") || document.querySelector("[data-find]"))?.focus();
  } else if (event.key === "?") {
    event.preventDefault();
    showHelp();
  } else if (event.key === "n" && document.body.dataset.order) {
    window.location.assign(document.body.dataset.order);
  }
});

// Links that look like buttons also react to the space bar
document.addEventListener("keydown", (event) => {
  if (event.key === " " && event.target.matches("a[role=button]")) {
    event.preventDefault();
    event.target.click();
  }
});

// A file that takes seconds to write: its link says so until it is here, and leaving would lose it,
// as buttons beside it would
document.addEventListener("click", async (event) => {
  const link = event.target.closest("a[data-prepares]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (link.ariaBusy === "true") return;
  const label = [...link.childNodes];
  link.ariaBusy = "true";
  link.textContent = link.dataset.prepares;
  const buttons = [...(link.closest(".actions") ?? link).querySelectorAll("button:enabled")];
  for (const each of buttons) each.disabled = true;
  const saved = document.createElement("a");
  try {
    const response = await fetch(link.href);
    const name = /filename(\*=UTF-8''|="?)([^";]+)/.exec(response.headers.get("Content-Disposition") ?? "");
    if (response.ok && name) {
      saved.href = URL.createObjectURL(await response.blob());
      saved.download = name[1].startsWith("*") ? decodeURIComponent(name[2]) : name[2];
    }
  } finally {
    link.ariaBusy = "false";
    link.replaceChildren(...label);
    for (const each of buttons) each.disabled = false;
  }
  if (!saved.href) return window.location.assign(link.href); // a page says why
  saved.click();
  window.setTimeout(() => URL.revokeObjectURL(saved.href), 60000);
});
window.addEventListener("beforeunload", (event) => {
  if (document.querySelector('a[data-prepares][aria-busy="true"]')) event.preventDefault();
});

const showHelp = () => {
  const dialog = document.getElementById("shortcuts");
  if (dialog && !dialog.open) dialog.showModal();
  return dialog !== null;
};

document.addEventListener("click", async (event) => {
  const help = event.target.closest("[data-help]");
  if (help && showHelp()) {
    event.preventDefault();
    help.closest("details")?.removeAttribute("open");
  }
  const copier = event.target.closest("[data-copy]");
  if (copier) {
    const text = document.getElementById(copier.dataset.copy).textContent;
    await copy(text);
    copier.textContent = document.body.dataset.copied;
    window.setTimeout(() => { copier.textContent = copier.dataset.label; }, 2000);
  }
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.removeAttribute("open");
  }
});

// A menu closes when Escape is pressed in it, or when the focus leaves it
document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && event.target.closest("details.menu[open]");
  if (!menu) return;
  menu.removeAttribute("open");
  menu.querySelector("summary").focus();
});
document.addEventListener("focusout", (event) => {
  const menu = event.target.closest("details.menu[open]");
  if (menu && event.relatedTarget && !menu.contains(event.relatedTarget)) menu.removeAttribute("open");
});

// A button that is of use only once its form has changed
document.addEventListener("input", (event) => {
  for (const each of event.target.form?.querySelectorAll("[data-when-changed]") ?? []) each.hidden = false;
});

// A list beside a radio button: choosing from it also chooses the button
document.addEventListener("change", (event) => {
  const radio = event.target.dataset.checks;
  if (radio) document.getElementById(radio).checked = true;
});

const copy = async (text) => {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea"); // the clipboard needs https
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
};

// Disable the button of a form that is being sent, so that it is not sent twice
let sentForm = null;
document.addEventListener("submit", (event) => {
  if (event.target.method !== "post" || event.defaultPrevented) return;
  sentForm = event.target;
  const button = event.submitter;
  window.setTimeout(() => {
    if (button) { button.setAttribute("aria-busy", "true"); button.disabled = true; }
  }, 0);
});
// A form that is being sent loads nothing more: the next page would interrupt it
document.addEventListener("htmx:beforeRequest", (event) => {
  if (sentForm !== null && event.target.closest("form") === sentForm) event.preventDefault();
});
// A response does not replace a field that the user has changed since the request: it is sent again
const changedAt = new WeakMap();
const requestedAt = new WeakMap();
const outdated = new WeakSet();
document.addEventListener("input", (event) => changedAt.set(event.target, performance.now()));
document.addEventListener("htmx:beforeSend", (event) => requestedAt.set(event.detail.xhr, performance.now()));
document.addEventListener("htmx:beforeSwap", (event) => {
  const since = requestedAt.get(event.detail.xhr) ?? Infinity;
  const fields = event.detail.target.querySelectorAll("input, select, textarea");
  if (![...fields].some((field) => changedAt.get(field) > since)) return;
  event.detail.shouldSwap = false;
  outdated.add(event.detail.xhr);
});
document.addEventListener("htmx:afterRequest", (event) => {
  const { verb, path } = event.detail.requestConfig;
  if (outdated.has(event.detail.xhr) && sentForm === null) window.htmx.ajax(verb, path, { source: event.detail.elt });
});

// What is replaced keeps what is open, and the focus. A button that is gone names what gets the focus
let before = null;
const likeness = (it) => [it.tagName, it.name, it.value, it.href, it.tagName === "SUMMARY" && it.textContent].join(" ");
const sameIn = (target, it) => [...target.querySelectorAll("a, button, input, select, textarea, summary")].find((each) => likeness(each) === likeness(it));
document.addEventListener("htmx:beforeSwap", (event) => {
  const { target, shouldSwap, requestConfig } = event.detail;
  const open = [...target.querySelectorAll("details[open] > summary")].map(likeness);
  const focus = target.contains(document.activeElement) ? document.activeElement : null;
  const pressed = target.contains(requestConfig.triggeringEvent?.target) ? requestConfig.triggeringEvent.target : focus;
  before = shouldSwap ? { open, focus, pressed, top: pressed?.getBoundingClientRect().top } : null;
});
document.addEventListener("htmx:afterSwap", (event) => {
  const { target } = event.detail;
  for (const each of target.querySelectorAll("details > summary")) {
    if (before?.open.includes(likeness(each))) each.parentElement.open = true;
  }
  const lost = before?.focus;
  if (!lost || lost.isConnected || target.contains(document.activeElement)) return;
  const next = sameIn(target, lost) || (lost.dataset.then && document.querySelector(lost.dataset.then));
  if (next?.checkVisibility()) return next.focus();
  target.tabIndex = -1;
  target.focus();
});

window.addEventListener("pageshow", () => {
  sentForm = null;
  for (const button of document.querySelectorAll("button[aria-busy]")) {
    button.removeAttribute("aria-busy");
    button.disabled = false;
  }
});

const hideWhatScriptsReplace = () => {
  for (const each of document.querySelectorAll("[data-without-script]")) each.hidden = true;
};
document.addEventListener("htmx:afterSettle", hideWhatScriptsReplace);
// What was pressed stays where it is on the screen: htmx inserts the new content above the old one, which browsers follow down
document.addEventListener("htmx:afterSettle", ({ detail: { target } }) => {
  const same = before?.pressed && sameIn(target, before.pressed);
  if (same?.checkVisibility()) window.scrollBy(0, same.getBoundingClientRect().top - before.top);
});

// A right that opens nothing without one of others can be ticked only with it
const untickUseless = () => {
  for (const box of document.querySelectorAll("[data-needs]")) {
    const needed = box.dataset.needs.split(" ");
    box.disabled = !needed.some((id) => document.getElementById(id).checked);
    if (box.disabled) box.checked = false;
  }
};
document.addEventListener("change", untickUseless);

// A file that this user has asked for, which is named by the fragment: it is downloaded when it is ready
const asked = location.hash;
const takeWhatWasAsked = () => {
  for (const each of document.querySelectorAll("[data-asked]")) each.hidden = each.dataset.asked !== asked;
  const file = document.getElementById(location.hash.slice(1));
  if (file?.matches("a[download]")) { // once, not again when the page is loaded again
    history.replaceState(null, "", location.pathname + location.search);
    file.click();
  }
};
document.addEventListener("htmx:afterSettle", takeWhatWasAsked);

const ready = () => {
  for (const copier of document.querySelectorAll("[data-copy]")) {
    copier.hidden = false;
    copier.dataset.label = copier.textContent;
  }
  hideWhatScriptsReplace();
  for (const each of document.querySelectorAll("[data-when-changed]")) each.hidden = true;
  untickUseless();
  document.querySelector("[data-focus]")?.focus();
  takeWhatWasAsked();
};
ready();
