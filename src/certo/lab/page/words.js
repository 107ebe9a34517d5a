// Words of the page, in two languages: facts come from the server with keys, never with sentences.

let texts = {}, language = "en";

export async function load() {
  texts = await (await fetch("words.json")).json();
}

export const current = () => language;

export function use(name) {
  language = texts[name] ? name : "en";
  document.documentElement.lang = language;
  for (const node of document.querySelectorAll("[data-t]")) node.textContent = t(node.dataset.t);
  for (const node of document.querySelectorAll("[data-t-aria]")) node.setAttribute("aria-label", t(node.dataset.tAria));
  for (const node of document.querySelectorAll("[data-t-label]")) { // It is also shown under the mouse.
    node.setAttribute("aria-label", t(node.dataset.tLabel));
    node.title = t(node.dataset.tLabel);
  }
}

export const has = (key) => key in (texts[language] ?? {});

// A number as it is read in this language. It comes from the server as "2,000", "0.05" or "1e-16".
export function number(text) {
  const found = /^[-−]?(\d[\d,]*(?:\.\d+)?)(?:e([+-]?\d+))?$/.exec(text);
  if (!found) return String(text);
  const [, size, power] = found, sign = /^\d/.test(text) ? "" : "−";
  const digits = language === "it" ? size.replace(/[.,]/g, (mark) => (mark === "." ? "," : ".")) : size;
  return sign + digits + (power === undefined ? "" : `·10${raised(Number(power))}`);
}

export const raised = (power) => [...String(power)].map((c) => "⁰¹²³⁴⁵⁶⁷⁸⁹"["0123456789".indexOf(c)] ?? "⁻").join("");

// A text with its {names} filled in; the key itself where there is none, so that a hole is seen.
// {name|one|many} is `one` where the number of this name is 1, else `many`.
export function t(key, args = {}) {
  const text = texts[language]?.[key] ?? texts.en?.[key] ?? key;
  return text.replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (whole, name, one, many) =>
    many === undefined ? (name in args ? number(args[name]) : whole) : String(args[name]) === "1" ? one : many);
}

// The Italian term of the notes, beside English words.
export const term = (key) => (language === "en" ? texts.en?.[`${key}.term`] ?? "" : "");
