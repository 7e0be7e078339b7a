// Choose the rows of a list: one box for all of the page, and how many are chosen. The form works without this file.
"use strict";

(() => {
  const boxes = () => [...document.querySelectorAll("[data-pick]")];

  const update = () => {
    const form = document.querySelector("[data-bulk]");
    if (!form) return;
    const every = boxes();
    const count = every.filter((box) => box.checked).length;
    for (const whole of document.querySelectorAll("[data-whole]")) {
      whole.checked = count > 0 && count === every.length;
      whole.indeterminate = count > 0 && count < every.length;
    }
    const isAll = form.elements.scope?.checked ?? false;
    const text = isAll ? form.dataset.all : form.dataset.text.replace("{n}", count);
    form.querySelector("[data-count]").textContent = text;
    const isSome = isAll || count > 0;
    form.toggleAttribute("data-some", isSome);
    for (const button of form.querySelectorAll("button")) button.hidden = !isSome;
  };

  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-whole]")) {
      for (const box of boxes()) box.checked = event.target.checked;
    }
    if (event.target.form?.matches("[data-bulk]")) update();
  });
  document.addEventListener("htmx:afterSettle", update);
  window.addEventListener("pageshow", update); // the browser may have kept the boxes
  update();
})();
