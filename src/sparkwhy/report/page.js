// One explanation is open at a time, and its operators are marked in the drawing. Without this script all are open.
for (const root of document.querySelectorAll(".sparkwhy:not([data-ready])")) {
  root.dataset.ready = "yes";
  const articles = [...root.querySelectorAll("article")];
  const button = (article) => article.querySelector("button");

  const mark = (steps) => {
    for (const box of root.querySelectorAll("svg .step")) {
      const on = steps.has(box.dataset.step);
      box.classList.toggle("on", on);
      if (on) box.setAttribute("aria-current", "true");
      else box.removeAttribute("aria-current");
    }
  };

  // Only the drawing is scrolled, never the page.
  const showMarked = () => {
    for (const drawing of root.querySelectorAll(".drawing")) {
      const box = drawing.querySelector(".step.on");
      if (!box) continue;
      const [inner, outer] = [box.getBoundingClientRect(), drawing.getBoundingClientRect()];
      const outside = (from, to, start, end) => (from < start ? from - start - 8 : to > end ? to - end + 8 : 0);
      drawing.scrollBy(
        outside(inner.left, inner.right, outer.left, outer.right),
        outside(inner.top, inner.bottom, outer.top, outer.bottom),
      );
    }
  };

  const select = (chosen) => {
    for (const article of articles) {
      const open = article === chosen;
      article.classList.toggle("selected", open);
      article.querySelector(".body").hidden = !open;
      button(article).setAttribute("aria-expanded", String(open));
    }
    mark(new Set(chosen ? chosen.dataset.steps.split(" ") : []));
    showMarked();
  };

  const reach = (article) => {
    const folded = article.closest("details");
    if (folded) folded.open = true;
    button(article).focus();
  };

  articles.forEach((article, index) => {
    button(article).addEventListener("click", () => select(article.classList.contains("selected") ? null : article));
    button(article).addEventListener("keydown", (event) => {
      const last = articles.length - 1;
      const next = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: last }[event.key];
      if (next === undefined || !articles[next]) return;
      event.preventDefault();
      reach(articles[next]);
    });
  });
  if (articles.length) select(articles[0]);
}
