// Forms that one fills in during a call: searches for people in them, and the Enter key.
"use strict";

// Enter goes to the next field; of several radio buttons, only to the one that Tab would reach
const isStop = (it, from) => {
  if (!it.checkVisibility()) return false;
  if (it.type !== "radio") return true;
  const group = [...document.querySelectorAll("[type=radio]")].filter((each) => each.name === it.name && each.form === it.form);
  return from.name !== it.name && it === (group.find((each) => each.checked) ?? group[0]);
};

// Enter in a search inside a form goes to what is found, or else to the next field: it does not send the form
const leaveSearch = (search) => {
  const fields = [...document.querySelectorAll("main :is(input, select, textarea)")].filter((it) => isStop(it, search));
  fields.find((it) => search.compareDocumentPosition(it) & Node.DOCUMENT_POSITION_FOLLOWING)?.focus();
};
document.addEventListener("keydown", (event) => {
  const search = event.target;
  if (event.key !== "Enter" || event.isComposing || !search.matches("[data-searches]")) return;
  event.preventDefault();
  if (search.value.trim()) window.htmx.trigger(search.closest("[hx-trigger]"), "go"); // what is shown may be of fewer letters
  else leaveSearch(search);
});
document.addEventListener("htmx:afterRequest", (event) => {
  const search = document.activeElement;
  if (event.detail.requestConfig.triggeringEvent?.type !== "go" || !search.matches("[data-searches]")) return;
  const found = event.detail.target.querySelector("button, a");
  if (found) found.focus();
  else leaveSearch(search);
});

// Who is not chosen from a search is new: the empty fields take over what was typed to find them
const taken = new Map(); // by the id of what a search found
const own = new Set(); // the ids of fields whose text the user typed
const unread = new WeakSet(); // fields with a text that the user has not seen yet: typing replaces it
const byId = (name) => document.getElementById(name);
const prefixOf = (id) => ({ givers: "gifter_", payers: "payer_" })[id] ?? "";
const takeOver = () => {
  const here = document.activeElement;
  if (!here.matches("[data-steps] :is(input, select, textarea):not([data-searches])")) return;
  for (const each of document.querySelectorAll("[data-typed]")) {
    const { id } = each.parentElement;
    const [before, typed] = [taken.get(id) ?? {}, JSON.parse(each.dataset.typed)];
    if (!each.parentElement.checkVisibility() || JSON.stringify(before) === each.dataset.typed) continue;
    const isOwn = (name) => !["", before[name]].includes(byId(name)?.value);
    const isName = (name) => /(first_name|last_name|company)$/.test(name);
    const names = Object.keys({ ...before, ...typed });
    const isNamed = ["first_name", "last_name", "company"].some((name) => isOwn(prefixOf(id) + name));
    const hadName = names.some((name) => isName(name) && before[name] && byId(name)?.value === before[name]);
    for (const name of names) {
      const field = byId(name);
      if (field?.value && field.value === typed[name]) unread.add(field); // filled in by the page
      if (!field || isOwn(name) || (isName(name) && isNamed && !hadName)) continue;
      fill(field, typed[name] ?? "");
      own.delete(name);
      unread.add(field);
      if (field === here) field.select();
    }
    taken.set(id, typed);
    if (names.length) byId(names[0])?.dispatchEvent(new Event("change", { bubbles: true }));
  }
  sayTaken();
};
const fill = (field, text) => {
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
};
// A line beside the fields says what they have from a search
const sayTaken = () => {
  for (const line of document.querySelectorAll("[data-taken]")) {
    const searches = [...taken].filter(([id]) => prefixOf(id) === line.dataset.taken).map(([, typed]) => typed);
    if (!searches.length) continue; // what the page says of an earlier search
    const typed = Object.entries(Object.assign({}, ...searches));
    const texts = typed.filter(([name, text]) => !own.has(name) && byId(name)?.value === text).map(([, text]) => text);
    line.hidden = !texts.length;
    line.querySelector("bdi").textContent = texts.join(" ");
  }
};
document.addEventListener("focusin", takeOver);
for (const react of [takeOver, sayTaken]) document.addEventListener("htmx:afterSettle", react);
document.addEventListener("input", ({ isTrusted, target }) => {
  if (isTrusted) own.add(target.id);
  sayTaken();
});
for (const type of ["focusin", "click"]) { // a click moves the cursor after the focus came
  document.addEventListener(type, ({ target }) => { if (unread.has(target)) target.select(); });
}
for (const type of ["input", "click", "focusout"]) {
  document.addEventListener(type, ({ target }) => unread.delete(target));
}
// A name from a search that turns out to be a company is no person: see `drop_name_in_company`
const words = (text) => ` ${text.trim().toLowerCase().split(/\s+/).join(" ")} `;
document.addEventListener("change", ({ target }) => {
  if (!target.id.endsWith("company") || !target.value.trim()) return;
  for (const [id, typed] of taken) {
    const names = ["first_name", "last_name"].map((name) => prefixOf(id) + name).filter((name) => typed[name]);
    if (prefixOf(id) + "company" !== target.id || !names.length || names.some((name) => byId(name)?.value !== typed[name])) continue;
    const [name, company] = [words(names.map((each) => typed[each]).join(" ")), words(target.value)];
    if (company.includes(name) || name.startsWith(company)) names.forEach((each) => fill(byId(each), ""));
  }
});

// A refused form begins with what is to be corrected or answered first
const toCorrect = document.querySelector("[data-steps] .refused a[href^='#']");
if (toCorrect) {
  const place = byId(toCorrect.hash.slice(1));
  (place?.matches("input, select, textarea") ? place : place?.querySelector("input, select, textarea, button"))?.focus();
}

// Enter goes to the next field, and chooses a radio button first; Ctrl or ⌘ and Enter send the form
document.addEventListener("keydown", (event) => {
  const form = event.target.closest("form");
  if (event.key !== "Enter" || event.isComposing || event.defaultPrevented || !form?.matches("[data-steps]")) return;
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault();
    form.requestSubmit(form.querySelector(".actions button:last-of-type"));
  } else if (event.target.matches("input, select")) {
    event.preventDefault();
    if (event.target.type === "radio" && !event.target.checked) return event.target.click();
    const fields = [...form.elements].filter((it) => it.matches("input, select, textarea, button") && (it === event.target || isStop(it, event.target)));
    fields[fields.indexOf(event.target) + 1]?.focus();
  }
});
