// The numbers of letters, by channel and by language, follow the names that are ticked. The form works without this file.
"use strict";

(() => {
  const update = () => {
    for (const number of document.querySelectorAll("[data-left]")) {
      const boxes = document.querySelectorAll(`[data-letter~="${number.dataset.left}"]`);
      const change = [...boxes].reduce((sum, box) => sum + box.checked - box.dataset.was, 0);
      const left = Number(number.dataset.total) + change;
      number.textContent = left.toLocaleString(document.documentElement.lang);
    }
    for (const each of document.querySelectorAll("[data-with-script]")) each.hidden = false;
  };

  document.addEventListener("change", update);
  document.addEventListener("click", (event) => {
    const all = event.target.closest("[data-tick]")?.dataset.tick;
    if (!all) return;
    for (const box of document.querySelectorAll("[data-letter]")) box.checked = all === "all";
    update();
  });
  window.addEventListener("pageshow", update); // the browser may have kept the boxes
  update();
})();
