// One explanation is open at a time, and its operators are marked in the drawing. Without this script all are open.
for (const root of document.querySelectorAll(".sparkwhy:not([data-ready])")) {
  root.dataset.ready = "yes";
  const articles = [...root.querySelectorAll("article")];
  const button = (article) => article.querySelector("button");

  const select = (chosen) => {
    for (const article of articles) {
      const open = article === chosen;
      article.classList.toggle("selected", open);
      article.querySelector(".body").hidden = !open;
      button(article).setAttribute("aria-expanded", String(open));
    }
    const steps = new Set(chosen ? chosen.dataset.steps.split(" ") : []);
    for (const box of root.querySelectorAll("svg .step")) box.classList.toggle("on", steps.has(box.dataset.step));
  };

  articles.forEach((article, index) => {
    button(article).addEventListener("click", () => select(article.classList.contains("selected") ? null : article));
    button(article).addEventListener("keydown", (event) => {
      const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      const next = move && articles[index + move];
      if (!next) return;
      event.preventDefault();
      const folded = next.closest("details");
      if (folded) folded.open = true;
      button(next).focus();
    });
  });
  if (articles.length) select(articles[0]);
}
