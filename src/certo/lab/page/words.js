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
  for (const node of document.querySelectorAll("[data-t-label]")) {
    node.setAttribute("aria-label", t(node.dataset.tLabel));
    node.title = t(node.dataset.tLabel);
  }
}

export const has = (key) => key in (texts[language] ?? {});

// A text with its {names} filled in; the key itself where there is none, so that a hole is seen.
// {name|one|many} is `one` where the number of this name is 1, else `many`.
export function t(key, args = {}) {
  const text = texts[language]?.[key] ?? texts.en?.[key] ?? key;
  return text.replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (whole, name, one, many) =>
    many === undefined ? args[name] ?? whole : String(args[name]) === "1" ? one : many);
}

// The Italian term of the notes, beside English words.
export const term = (key) => (language === "en" ? texts.en?.[`${key}.term`] ?? "" : "");
