// "Prove it" and "Break it": claims, what the checker said of them, and numbers to change.

import { el } from "./draw.js";
import { current, has, t } from "./words.js";

export class ProofBox {
  constructor(wire, state) {
    Object.assign(this, { wire, state });
    this.box = document.getElementById("proof");
    this.claims = document.getElementById("proof-claims");
    this.verdict = document.getElementById("proof-verdict");
  }

  async open(breaking) {
    this.breaking = breaking;
    this.asked = structuredClone(this.state());
    this.claims.replaceChildren();
    document.getElementById("proof-title").textContent = t(breaking ? "ui.break" : "proof.title");
    this.box.showModal();
    await this.check(null);
    if (!breaking) return;
    for (const one of this.claims.querySelectorAll(".breaking > details")) one.open = true;
    this.claims.querySelector(".tempt")?.focus();
  }

  async check(edit) {
    this.say(t("proof.checking"), "");
    let answer;
    try { answer = await this.wire.ask("prove", { state: this.asked, edit }); } catch { return this.say(t("ui.lost"), "bad"); }
    if (answer.cancelled) return;
    if (answer.refused) return this.say(answer.key ? t(answer.key, answer.args) : answer.refused, "bad");
    this.show(answer.proof, edit);
  }

  say(text, tone) {
    this.verdict.textContent = text;
    this.verdict.className = tone;
  }

  show(proof, edit) {
    document.getElementById("proof-command").textContent = proof.command ?? "";
    const refusals = proof.not_claimed.map((text) => el("p", { className: "small", lang: "en" }, text));
    if (!proof.claims.length) {
      this.say(t("proof.nothing"), "bad");
      this.claims.replaceChildren(...refusals);
      return;
    }
    this.say(t(proof.holds ? "proof.all" : "proof.not_all", { seconds: proof.seconds }), proof.holds ? "good" : "bad");
    const opened = [...this.claims.querySelectorAll(".breaking > details")].map((d) => d.open);
    this.claims.replaceChildren(...proof.claims.map((claim, place) => this.claim(claim, place, proof, edit, opened[place])));
    if (proof.not_claimed.length) {
      this.claims.append(el("details", {}, el("summary", {}, t("proof.not_claimed")), ...refusals));
    }
    if (edit) this.claims.querySelectorAll(".claim")[edit.claim]?.scrollIntoView({ block: "nearest" });
  }

  claim(claim, place, proof, edit, wasOpen) {
    const checked = proof.checked[place], mine = edit?.claim === place;
    const holds = checked.holds && !(mine && proof.about_model?.length), unread = checked.holds === null;
    const tone = unread ? "unread" : holds ? "good" : "bad";
    const key = `claim.${claim.kind}`, own = current() !== "en" && has(key);
    const box = el("section", { className: `claim ${tone}` });
    const stamp = el("span", { className: `stamp ${tone}` }, t(unread ? "proof.unread" : holds ? "proof.holds" : "proof.fails"));
    box.append(el("header", {}, el("h3", {}, claim.kind), stamp));
    const now = checked.claim ? checked : claim; // Changed by hand, it says something else.
    box.append(el("p", {}, own ? t(key, now.numbers) : now.claim));
    if (!own) box.append(el("p", { className: "small" }, `${t("proof.plain")}: ${now.plain}`));
    if (claim.assumes.length && !own) box.append(el("p", { className: "small" }, `${t("proof.assumes")} ${claim.assumes.join("; ")}.`));
    const why = [checked.why, ...(mine ? proof.about_model ?? [] : [])].join(" ");
    if (why) box.append(el("p", { className: "why" }, `${t("proof.why")}: `, el("span", { lang: "en" }, why)));
    if (/\bexample \d/.test(why)) box.append(el("p", { className: "small" }, t("proof.counted")));
    if (own) box.append(el("details", {}, el("summary", {}, t("proof.english")), el("p", { lang: "en" }, now.claim), el("p", { className: "small", lang: "en" }, now.plain)));
    box.append(this.breakable(claim, place, mine ? edit : null, wasOpen));
    return box;
  }

  breakable(claim, place, edit, wasOpen) {
    const same = (path) => JSON.stringify(path), mine = new Map((edit?.changes ?? []).map((c) => [same(c.path), c.value]));
    const field = ({ path, value }) => {
      const input = el("input", { value: mine.get(same(path)) ?? value, spellcheck: false, autocomplete: "off" });
      const mark = () => input.classList.toggle("changed", input.value !== value);
      mark();
      input.addEventListener("input", mark);
      input.addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); send(); } });
      input.dataset.path = same(path);
      return el("label", {}, path.map((p, k) => (k ? `[${p}]` : p)).join(""), input);
    };
    const send = () => {
      const changes = [...details.querySelectorAll("input.changed")].map((input) => ({ path: JSON.parse(input.dataset.path), value: input.value }));
      this.check(changes.length ? { claim: place, changes } : null);
    };
    const button = (key, act, name = "") => {
      const node = el("button", { type: "button", className: name }, t(key));
      node.addEventListener("click", act);
      return node;
    };
    const details = el("details", { open: wasOpen ?? false }, el("summary", {}, t("proof.break")), el("p", { className: "small" }, t("proof.break.about")));
    const tempting = claim.temptation.length ? [button("proof.tempt", () => this.check({ claim: place, changes: claim.temptation }), "tempt")] : [];
    details.append(el("div", { className: "row" }, ...tempting, button("proof.check", send), button("proof.restore", () => this.check(null))));
    const said = claim.fields.filter((f) => f.said), rest = claim.fields.filter((f) => !f.said);
    const open = !said.length || rest.some((f) => mine.has(same(f.path)));
    if (said.length) details.append(el("p", { className: "small" }, t("proof.numbers")), el("div", { className: "numbers" }, ...said.map(field)));
    if (rest.length) details.append(el("details", { open }, el("summary", {}, t("proof.witness")), el("div", { className: "numbers" }, ...rest.map(field))));
    return el("div", { className: "breaking" }, details);
  }
}
