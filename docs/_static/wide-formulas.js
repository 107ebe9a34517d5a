// On a narrow screen, as of a telephone: a formula within a line that is wider than the page gets a
// line of its own, which scrolls (a table scrolls as a whole); and a picture that would be shrunk to less than half scrolls too.
function markWideFormulas() {
  for (const formula of document.querySelectorAll("article mjx-container:not([display])")) {
    formula.classList.remove("wide");
    if (formula.closest("td")) continue;
    const block = formula.closest("p, li, dd, dt");
    const width = formula.firstElementChild.getBoundingClientRect().width;
    if (block && width > block.clientWidth) formula.classList.add("wide");
  }
}
function markWidePictures() {
  for (const picture of document.querySelectorAll("article p > img:only-child")) {
    const place = picture.parentElement;
    place.classList.toggle("wide", picture.naturalWidth > 2 * place.clientWidth);
  }
}
// A full stop or comma after a formula stays on its line.
function keepPunctuation() {
  for (const formula of document.querySelectorAll("article span.math")) {
    const after = formula.nextSibling;
    const marks = after && after.nodeType === Node.TEXT_NODE && after.data.match(/^[.,;:?!)\u2019\u201d]+/);
    if (!marks) continue;
    after.splitText(marks[0].length);
    const together = document.createElement("span");
    together.style.whiteSpace = "nowrap";
    formula.before(together);
    together.append(formula, after);
  }
}
window.addEventListener("load", () => {
  keepPunctuation();
  markWidePictures();
  window.addEventListener("resize", markWidePictures);
  const typeset = window.MathJax && MathJax.startup && MathJax.startup.promise;
  if (!typeset) return;
  typeset.then(markWideFormulas);
  window.addEventListener("resize", markWideFormulas);
});
