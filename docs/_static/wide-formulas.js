// A formula within a line that is wider than the page, as on a telephone, gets a line of its own,
// which scrolls.
function markWideFormulas() {
  for (const formula of document.querySelectorAll("article mjx-container:not([display])")) {
    formula.classList.remove("wide");
    const block = formula.closest("p, li, dd, dt");
    const width = formula.firstElementChild.getBoundingClientRect().width;
    if (block && width > block.clientWidth) formula.classList.add("wide");
  }
}
window.addEventListener("load", () => {
  const typeset = window.MathJax && MathJax.startup && MathJax.startup.promise;
  if (!typeset) return;
  typeset.then(markWideFormulas);
  window.addEventListener("resize", markWideFormulas);
});
