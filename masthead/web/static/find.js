// Subscribers appear below the search of each page while the user types, as a combobox with a list.
// Without this file, the search opens the list of subscribers.
"use strict";

(() => {
  const PAUSE = 200; // milliseconds without a key, before a request
  const form = document.querySelector("[data-suggestions]");
  if (!form) return;
  const input = form.querySelector("[type=search]");
  const list = form.querySelector("[role=listbox]");
  let timer = 0;
  let request = null;
  let active = -1;

  const options = () => [...list.querySelectorAll("[data-address]")];

  const mark = (index) => {
    active = index;
    options().forEach((option, each) => option.setAttribute("aria-selected", String(each === index)));
    const option = options()[index];
    if (option) {
      input.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({ block: "nearest" });
    } else input.removeAttribute("aria-activedescendant");
  };

  const show = (isOpen) => {
    list.hidden = !isOpen;
    input.setAttribute("aria-expanded", String(isOpen));
    mark(-1);
  };

  const stop = () => {
    window.clearTimeout(timer);
    request?.abort();
    request = null;
  };

  const load = async () => {
    const search = input.value.trim();
    if (!search) return;
    const own = request = new AbortController();
    const address = `${form.dataset.suggestions}?${new URLSearchParams({ search })}`;
    try {
      const response = await fetch(address, { signal: own.signal });
      if (!response.ok || response.redirected) return; // such as after the session
      const html = await response.text();
      if (own !== request) return;
      list.innerHTML = html;
      show(document.activeElement === input);
    } catch (error) {
      if (error.name !== "AbortError") show(false); // no connection: the search still opens the list
    }
  };

  const move = (step) => {
    const count = options().length;
    if (!count) return;
    if (list.hidden) show(true);
    mark(active < 0 && step < 0 ? count - 1 : (active + step + count) % count);
  };

  input.setAttribute("role", "combobox");
  input.setAttribute("aria-autocomplete", "list");
  input.setAttribute("aria-controls", list.id);
  input.setAttribute("aria-expanded", "false");

  input.addEventListener("input", () => {
    stop();
    if (!input.value.trim()) { list.replaceChildren(); show(false); return; }
    timer = window.setTimeout(load, PAUSE);
  });
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (event.key === "Enter" && !list.hidden && active >= 0) window.location.assign(options()[active].dataset.address);
    else if (event.key === "Escape" && list.hidden) input.blur(); // else only the list closes
    else if (event.key === "Escape") { stop(); show(false); }
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  input.addEventListener("blur", () => { stop(); show(false); });
  form.addEventListener("submit", stop);
  list.addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps the focus
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[data-address]");
    if (option) window.location.assign(option.dataset.address);
  });
  document.addEventListener("keydown", (event) => {
    const isK = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    if (!isK || !("shortcuts" in document.body.dataset) || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
})();
