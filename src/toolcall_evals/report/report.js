"use strict";
const root = document.documentElement;
document.getElementById("theme").addEventListener("click", () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
});
const cards = [...document.querySelectorAll("#runs .run")];
const texts = cards.map((card) => card.textContent.toLowerCase());
const search = document.getElementById("search");
const selects = [...document.querySelectorAll("#filters select")];
const told = document.getElementById("told");
function filter() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  cards.forEach((card, index) => {
    const fits = words.every((word) => texts[index].includes(word)) && selects.every((select) =>
      select.value === "" || JSON.parse(card.dataset[select.name]).includes(select.value));
    card.hidden = !fits;
    shown += fits;
  });
  told.textContent = `${shown} of ${cards.length} runs shown`;
}
search.addEventListener("input", filter);
selects.forEach((select) => select.addEventListener("change", filter));
document.getElementById("clear").addEventListener("click", () => {
  search.value = "";
  selects.forEach((select) => { select.value = ""; });
  filter();
  search.focus();
});
filter();
