"use strict";
const root = document.documentElement;
const theme = document.getElementById("theme");
const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
const tellTheme = () => theme.setAttribute("aria-pressed", String(isDark()));
theme.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  tellTheme();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tellTheme);
tellTheme();

const more = document.getElementById("more-tools");
if (more) {
  const rows = [...document.querySelectorAll("#all-tools tbody tr")].slice(10);
  const words = more.textContent;
  const show = (all) => {
    rows.forEach((row) => row.classList.toggle("folded", !all));
    more.setAttribute("aria-expanded", String(all));
    more.textContent = all ? "Show fewer" : words;
  };
  more.hidden = false;
  more.addEventListener("click", () => show(more.getAttribute("aria-expanded") === "false"));
  show(false);
}

const form = document.getElementById("filters");
if (form) {
  const cards = [...document.querySelectorAll("#cards .run")];
  const texts = cards.map((card) => card.textContent.toLowerCase());
  const search = document.getElementById("search");
  const selects = [...form.querySelectorAll("select")];
  const told = document.getElementById("told");
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    cards.forEach((card, index) => {
      const fits = words.every((word) => texts[index].includes(word))
        && selects.every((select) => select.value === "" || card.dataset[select.name].split(" ").includes(select.value));
      card.hidden = !fits;
      shown += fits;
    });
    told.textContent = shown ? `${shown} of ${cards.length} runs shown` : "No run fits; clear the filters to see all";
  };
  const clear = () => {
    search.value = "";
    selects.forEach((select) => { select.value = ""; });
    filter();
  };
  const go = () => {
    const card = cards.find((each) => `#${each.id}` === location.hash);
    if (card) {
      if (card.hidden) clear();
      card.open = true;
      card.scrollIntoView();
      card.querySelector("summary").focus({ preventScroll: true });
    }
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  search.addEventListener("input", filter);
  selects.forEach((select) => select.addEventListener("change", filter));
  document.getElementById("clear").addEventListener("click", () => { clear(); search.focus(); });
  for (const name of ["open", "close"]) {
    document.getElementById(name).addEventListener("click", () => {
      cards.filter((card) => !card.hidden).forEach((card) => { card.open = name === "open"; });
    });
  }
  document.querySelectorAll(".jump").forEach((button) => button.addEventListener("click", () => {
    clear();
    form.elements.key.value = button.dataset.choice;
    filter();
    const heading = document.getElementById("runs");
    heading.scrollIntoView();
    heading.focus({ preventScroll: true });
  }));
  addEventListener("hashchange", go);
  filter();
  go();
}
