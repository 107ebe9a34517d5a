// The page: a state, what the server says of it, and controls that change it.

import { drawChart } from "./chart.js";
import { decodeGrid, el, levelPath, make, paintRegion } from "./draw.js";
import { MAX_POINTS, Plane, UNITS } from "./plane.js";
import { ProofBox } from "./proof.js";
import { Solid } from "./solid.js";
import { Lost, Wire } from "./wire.js";
import * as words from "./words.js";

const { t } = words;
const $ = (id) => document.getElementById(id);
const SPEEDS = [1, 2, 4, 8, 16, 30, 60]; // Frames a second.
const IDLE = 260; // Milliseconds without a change after which slow things are asked for.

let experiments = {}, state = null, facts = null, wire = null;
let undone = [], done = []; // Earlier states of the points, and later ones.
let charts = {}, running = null, idle = null, remembered = {};
const solid = new Solid();
const latencies = [];
// For those who look into the page: tests, and whoever is curious.
window.lab = {
  latencies, get state() { return state; }, get facts() { return facts; },
  get waiting() { return wire.waiting.size; }, get latest() { return wire.latest; },
  close: () => wire.socket.close(),
};

// --- looking ----------------------------------------------------------------------------------

// Ask for the picture of the state now. `since` is when the hand moved, for the latency shown.
async function look(since = performance.now()) {
  if (!state) return;
  clearTimeout(idle);
  delete document.body.dataset.settled;
  const asked = structuredClone(state);
  const answer = await wire.look({ state: asked, have: charts.fit });
  if (!answer) return;
  if (!wire.looking) waited();
  if (answer.cancelled) {
    if (!wire.looking) refuse({ key: "ui.cancelled" }); // By hand: nothing newer comes.
    return;
  }
  if (answer.refused) {
    refuse(answer);
    document.body.dataset.shown = latencies.push(0);
    return;
  }
  if (asked.experiment !== state.experiment) return;
  facts = answer.facts;
  if (facts.run_charts) charts = { fit: facts.fit, run: facts.run_charts, more: charts.key === asked.experiment ? charts.more : null, key: asked.experiment };
  show();
  const took = performance.now() - since;
  latencies.push(took);
  window.lab.server = answer.took;
  document.body.dataset.shown = latencies.length;
  $("latency").textContent = t("ui.answered", { ms: Math.max(1, Math.round(took)) });
  if (!wire.looking) idle = setTimeout(settle, IDLE);
}

// Nothing has changed for a while: what takes longer, and the address.
async function settle() {
  await rest();
  if (!wire.looking) document.body.dataset.settled = facts?.fit ?? "";
}

async function rest() {
  const asked = structuredClone(state);
  try {
    const { link } = await wire.ask("link", { state: asked });
    if (link && link.length < 7900) history.replaceState(null, "", `#${link}`);
    if (charts.settled === facts.fit) return;
    const answer = await wire.ask("more", { state: asked });
    if (!answer.more || answer.fit !== facts.fit) return;
    charts.settled = answer.fit;
    charts.more = answer.more.charts ?? [];
    showCharts();
  } catch { /* The connection is gone, which is told elsewhere. */ }
}

// A picture that is on its way for long: what is still shown is not of these points, and stands back.
function wait(text, progress) {
  $("wait").hidden = false;
  $("wait-text").textContent = text;
  const bar = $("wait-bar");
  if (progress.of) { bar.max = progress.of; bar.value = progress.done; } else bar.removeAttribute("value");
  document.body.dataset.waiting = "";
}

function waited() {
  $("wait").hidden = true;
  delete document.body.dataset.waiting;
}

function refuse(answer) {
  facts = { scene: { lines: [], marks: {} }, strip: [], first: 0, steps: 0, step: 0, reach: facts?.reach ?? 4, cursors: {}, charts: [] };
  charts = {};
  stop();
  show();
  const text = answer.key ? t(answer.key, answer.args) : `${t("ui.refused")} ${answer.refused}`;
  tell(text, answer.key ? "plain" : "bad");
}

function tell(text, tone) {
  $("verdict").dataset.tone = tone;
  $("verdict").firstElementChild.textContent = text;
}

function show() {
  plane.draw(state, facts);
  if (facts.verdict) tell(t(`verdict.${facts.verdict.key}`, facts.verdict.args), facts.verdict.tone);
  showStrip();
  showCharts();
  showTransport();
}

function showStrip() {
  const strip = $("strip"), items = facts.strip;
  if (strip.children.length !== items.length || strip.dataset.keys !== items.map((n) => n.key).join()) {
    strip.replaceChildren(...items.map((item) => el("div", { id: `number-${item.key}` }, el("dt"), el("dd", { className: "value" }))));
    strip.dataset.keys = items.map((n) => n.key).join();
  }
  items.forEach((item, k) => {
    const [name, value] = strip.children[k].children, term = words.term(`number.${item.key}`);
    name.replaceChildren(t(`number.${item.key}`), ...(term ? [" ", el("i", { lang: "it" }, `(${term})`)] : []));
    value.textContent = item.of ? t("ui.violated", item) : words.number(item.text);
    value.title = item.of ? "" : words.number(item.value);
    value.dataset.value = item.value;
    let bound = strip.children[k].querySelector(".bound"), meter = strip.children[k].querySelector(".meter");
    if (!item.bound && !item.now) { bound?.remove(); meter?.remove(); return; }
    if (!bound) strip.children[k].append(bound = el("dd", { className: "bound" }));
    if (!meter) bound.before(meter = el("div", { className: "meter", "aria-hidden": "true" }, el("span")));
    if (item.now) {
      bound.textContent = t("ui.bound_now", item);
      bound.dataset.value = item.now_value;
      measure(meter, item.part);
      return;
    }
    bound.textContent = t(item.bound.of_run ? "ui.theorem_run" : "ui.theorem_most", { bound: item.bound.text });
    bound.dataset.value = item.bound.value;
    measure(meter, item.bound.value > 0 ? item.value / item.bound.value : 0);
  });
}

function measure(meter, share) {
  meter.className = share > 1 ? "meter over" : "meter";
  meter.firstElementChild.style.width = `${Math.min(100, Math.max(0, 100 * share)).toFixed(1)}%`;
}

function showCharts() {
  const box = $("pictures"), wanted = [...(facts.charts ?? []), ...(charts.run ?? []), ...(charts.more ?? [])];
  const column = parseFloat(getComputedStyle(box).gridTemplateColumns); // In pixels; without its padding:
  const wide = (column || 420) - 26;
  const figures = wanted.map((chart) => {
    const figure = box.querySelector(`[data-chart="${chart.key}"]`) ?? el("figure");
    figure.dataset.chart = chart.key;
    const sweep = { fitting_variance: "variance", fitting_degree: "degree" }[chart.key];
    figure.classList.toggle("stale", charts.settled !== facts.fit && (charts.more ?? []).includes(chart) && !sweep);
    drawChart(figure, chart, sweep ? state.settings[sweep] : facts.cursors?.[chart.key], wide);
    return figure;
  });
  if (facts.scene?.beside) figures.push(beside(facts.scene.beside));
  if (facts.scene?.solid) {
    solid.draw(facts.scene.solid, state.points, facts.scene.marks);
    figures.unshift(solid.figure);
  }
  if (figures.some((f, k) => box.children[k] !== f) || box.children.length !== figures.length) box.replaceChildren(...figures);
}

// The rule of the nearest neighbours, in a picture of its own.
const besideBox = el("figure", {}, el("figcaption"), el("div", { className: "beside" }));
function beside({ region, k }) {
  besideBox.firstElementChild.textContent = t("ui.neighbours", { k });
  const canvas = besideBox.querySelector("canvas") ?? el("canvas", { "aria-hidden": "true" });
  paintRegion(canvas, region);
  const n = region.n, size = 300, place = (i, j) => [(i / (n - 1)) * size, (1 - j / (n - 1)) * size];
  const svg = make("svg", { viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": t("ui.neighbours", { k }) });
  svg.append(make("path", { class: "line boundary", d: levelPath(decodeGrid(region), n, 0, place) }));
  for (const [x, y, sign] of state.points) {
    const [u, v] = [(x / UNITS / region.reach + 1) / 2 * size, (1 - y / UNITS / region.reach) / 2 * size];
    svg.append(sign > 0 ? make("circle", { class: "point positive", cx: u, cy: v, r: 3.2 }) : make("rect", { class: "point negative", x: u - 2.8, y: v - 2.8, width: 5.6, height: 5.6 }));
  }
  besideBox.lastElementChild.replaceChildren(canvas, svg);
  return besideBox;
}

// --- transport --------------------------------------------------------------------------------

function sweepOf() {
  if (!facts?.sweeps) return null;
  const setting = experiments[state.experiment].settings.find((s) => s.name === facts.sweeps);
  if (!setting) return null; // What is shown is still another experiment.
  const value = state.settings[setting.name];
  let at = 0;
  setting.values.forEach((v, k) => { if (Math.abs(v - value) < Math.abs(setting.values[at] - value)) at = k; });
  return { setting, at, last: setting.values.length - 1 };
}

// The first and the last frame, or value of the slider that is moved instead, and the one shown.
function range() {
  const sweep = sweepOf();
  return sweep ? { sweep, first: 0, last: sweep.last, step: sweep.at } : { first: facts.first, last: facts.steps, step: facts.step };
}

function showTransport() {
  const { sweep, first, last, step } = range();
  $("frame").min = first;
  $("frame").max = last;
  $("frame").value = step;
  $("frame-text").textContent = sweep
    ? t("ui.sweep", { name: t(`setting.${sweep.setting.name}`), value: valueText(sweep.setting, state.settings[sweep.setting.name], sweep.at) })
    : t("ui.frame", { step, steps: last });
  $("frame").setAttribute("aria-valuetext", $("frame-text").textContent);
  for (const [id, off] of [["first", step <= first], ["back", step <= first], ["step", step >= last], ["last", step >= last], ["run", last <= first], ["frame", last <= first]]) $(id).disabled = off && !(id === "run" && running);
  if (running && step >= last) stop();
}

function go(to) {
  const { sweep, first, last } = range(), step = Math.max(first, Math.min(last, to));
  if (sweep) {
    state.settings[sweep.setting.name] = sweep.setting.values[step];
    showSettings();
  } else state.step = step;
  return look();
}

const at = () => range().step;

function stop() {
  clearTimeout(running);
  running = null;
  $("verdict").setAttribute("aria-live", "polite");
  $("run").classList.remove("running");
  $("run-text").textContent = t("ui.run");
}

async function run() {
  if (running) return stop();
  running = -1;
  $("verdict").setAttribute("aria-live", "off"); // Nobody can listen as fast as it runs.
  $("run").classList.add("running");
  $("run-text").textContent = t("ui.pause");
  if (at() >= range().last) await go(0);
  const tick = async () => {
    if (!running) return;
    const began = performance.now();
    await go(at() + 1);
    if (running) running = setTimeout(tick, Math.max(0, 1000 / SPEEDS[$("speed").value] - (performance.now() - began)));
  };
  running = setTimeout(tick, 1000 / SPEEDS[$("speed").value]);
}

// --- points -----------------------------------------------------------------------------------

const copyOfPoints = () => ({ points: state.points.map((p) => [...p]), source: state.source, world: state.world });

function remember() {
  undone.push(copyOfPoints());
  if (undone.length > 200) undone.shift();
  done = [];
  showUndo();
}

function showUndo() {
  $("undo").disabled = !undone.length;
  $("redo").disabled = !done.length;
}

function restore(from, to) {
  if (!from.length || experiments[state.experiment].draws) return;
  to.push(copyOfPoints());
  Object.assign(state, from.pop(), { step: null });
  plane.selected = -1;
  changed();
}

// The points have changed: they are no preset any more.
function changed(since) {
  if (!experiments[state.experiment].draws && !running) state.step = facts?.scene && !followsStep() ? null : state.step;
  showUndo();
  showPreset();
  plane.drawPointsOnly(state);
  look(since);
}

// Whether the frame that is shown stays while points are dragged: only where it was chosen.
const followsStep = () => state.step !== null && facts && state.step < facts.steps;

const plane = new Plane($("plane"), $("shade"), {
  begin: remember,
  add(x, y, sign) {
    if (state.points.length >= MAX_POINTS) return toast(t("plane.full", { count: MAX_POINTS }), true);
    own();
    state.points.push([x, y, sign]);
    spoken(t("plane.added", { label: t(sign > 0 ? "ui.positive" : "ui.negative"), x: (x / UNITS).toFixed(2), y: (y / UNITS).toFixed(2) }));
    changed();
  },
  move(k, x, y, since) {
    if (!state.points[k] || state.points[k][0] === x && state.points[k][1] === y) return;
    own();
    state.points[k] = [x, y, state.points[k][2]];
    changed(since);
  },
  remove(k) {
    if (!state.points[k]) return;
    remember();
    own();
    state.points.splice(k, 1);
    plane.selected = -1;
    spoken(t("plane.deleted", { k: k + 1 }));
    changed();
  },
  relabel(k) {
    if (!state.points[k]) return;
    remember();
    own();
    const [x, y, sign] = state.points[k];
    state.points[k] = [x, y, -sign];
    spoken(t("plane.relabelled", { k: k + 1, label: t(sign < 0 ? "ui.positive" : "ui.negative") }));
    changed();
  },
  spoken,
  menu(place) {
    const menu = $("point-menu");
    menu.hidden = !place;
    if (!place) return;
    menu.style.left = `${Math.max(4, Math.min(plane.size - menu.offsetWidth - 4, place[0] - menu.offsetWidth / 2))}px`;
    menu.style.top = `${place[1] > 80 ? place[1] - 56 : place[1] + 24}px`;
  },
});

function own() {
  state.source = {};
}

function spoken(text) {
  $("spoken").textContent = text;
}

async function takePreset(name, m, seed, sliding = false) {
  if (!sliding) remember();
  const answer = await wire.ask("preset", { preset: name, m, seed });
  if (answer.cancelled) return; // A newer one was asked for.
  if (answer.refused) return toast(answer.refused, true);
  Object.assign(state, { points: answer.points, source: answer.source, world: answer.world, step: null });
  plane.selected = -1;
  changed();
}

function showPreset() {
  const draws = experiments[state.experiment].draws, select = $("preset");
  select.value = draws ? "drawn" : state.source.preset ?? "own";
  for (const id of ["upload", "clear", "draw-positive", "draw-negative"]) $(id).disabled = draws;
  for (const id of ["undo", "redo", "clear"]) $(id).hidden = draws;
  $("again").disabled = draws || !state.source.preset;
  $("points-box").hidden = draws;
  document.querySelector(".labels").hidden = draws || !experiments[state.experiment].labels;
  $("m").disabled = draws || !state.source.preset;
  $("m").value = state.points.length;
  $("m-text").textContent = draws ? "" : state.points.length;
  $("plane").classList.toggle("drawn", draws);
  $("hint").textContent = t(draws ? "plane.hint.drawn" : matchMedia("(pointer: coarse)").matches ? "plane.hint.touch" : "plane.hint");
}

// --- settings and experiments -----------------------------------------------------------------

function showSettings() {
  const list = $("settings-list"), { settings } = experiments[state.experiment];
  if (list.dataset.of !== `${state.experiment}/${words.current()}`) {
    list.replaceChildren(...settings.map(control));
    list.dataset.of = `${state.experiment}/${words.current()}`;
  }
  for (const setting of settings) {
    const value = state.settings[setting.name], input = $(`setting-${setting.name}`);
    if (setting.kind === "flag") input.checked = value;
    else if (setting.kind === "choice") input.value = value;
    else {
      let near = 0;
      setting.values.forEach((v, k) => { if (Math.abs(v - value) < Math.abs(setting.values[near] - value)) near = k; });
      input.value = near;
      const text = valueText(setting, value, near);
      input.previousElementSibling.textContent = text;
      input.setAttribute("aria-valuetext", text);
    }
    input.closest("label").hidden = isIdle(setting.name);
  }
}

// A value as it is written; that of a link may be between those of the slider, `near` the nearest.
function valueText(setting, value, near) {
  return words.number(setting.values[near] === value ? setting.texts[near] : value);
}

// Settings that another one makes meaningless.
function isIdle(name) {
  const s = state.settings;
  if (state.experiment === "kernels") {
    return { variance: s.kernel !== "gaussian", degree: s.kernel !== "polynomial", C: s.machine !== "svm", epochs: s.machine !== "perceptron", neighbours: !s.beside }[name] ?? false;
  }
  if (state.experiment === "margin") return name === "C" && s.machine === "hard";
  if (state.experiment === "descent") return (name === "T" || name === "seed") && s.algorithm === "ogd";
  if (state.experiment === "perceptron") return name === "seed" && s.order === "cyclic" && s.start === "zeros";
  return false;
}

function control(setting) {
  const id = `setting-${setting.name}`, name = el("span", {}, t(`setting.${setting.name}`));
  const set = (value) => {
    state.settings[setting.name] = value;
    if (!sweepOf() || facts.sweeps !== setting.name) state.step = null;
    showSettings();
    look();
  };
  if (setting.kind === "flag") {
    const input = el("input", { id, type: "checkbox" });
    input.addEventListener("change", () => set(input.checked));
    return el("label", { className: "flag" }, input, name);
  }
  if (setting.kind === "choice") {
    const options = setting.options.map((option) => el("option", { value: option }, t(`setting.${setting.name}.${option}`)));
    const input = el("select", { id }, ...options);
    input.addEventListener("change", () => set(input.value));
    return el("label", {}, name, input);
  }
  const input = el("input", { id, type: "range", min: 0, max: setting.values.length - 1, step: 1 });
  input.addEventListener("input", () => set(setting.values[input.value]));
  return el("label", { htmlFor: id }, name, el("output"), input); // An output would take the label.
}

async function choose(name) {
  if (!experiments[name] || name === state?.experiment) return;
  stop();
  remembered[state.experiment] = state.settings;
  // Points that were put by hand, or chosen, come along; a preset that belongs to an experiment does not.
  const keep = !experiments[state.experiment].draws && state.source.preset !== experiments[state.experiment].preset;
  const answer = await wire.ask("open", { link: name });
  if (answer.cancelled) return; // Another one was chosen by now.
  const settings = { ...answer.state.settings, ...remembered[name] };
  const points = keep && !experiments[name].draws ? copyOfPoints() : {};
  if (!keep && !experiments[name].draws) remember();
  state = { ...answer.state, settings, ...points };
  arrive();
}

function arrive() {
  stop();
  charts = {};
  plane.selected = -1;
  showName();
  showPreset();
  showUndo();
  showSettings();
  look();
}

function showName() {
  const key = `experiment.${state.experiment}`, term = words.term(key);
  document.title = `${t(`${key}.name`)} · certo lab`;
  $("name").replaceChildren(t(`${key}.name`), ...(term ? [" ", el("small", { lang: "it", title: t("ui.in_the_notes") }, term)] : []));
  $("intro").textContent = t(`${key}.intro`);
  const tries = [1, 2, 3].map((k) => `${key}.try.${k}`).filter(words.has);
  $("try-list").replaceChildren(...tries.map((k) => el("li", {}, t(k))));
  for (const link of $("experiments").children) {
    if (link.dataset.name === state.experiment) {
      link.setAttribute("aria-current", "page");
      link.scrollIntoView({ block: "nearest", inline: "nearest" });
    } else link.removeAttribute("aria-current");
  }
  $("experiment-select").value = state.experiment;
}

function build() {
  const names = Object.keys(experiments);
  $("experiments").replaceChildren(...names.map((name) => {
    const link = el("a", { href: `#${name}` }, t(`experiment.${name}.name`));
    link.dataset.name = name;
    link.addEventListener("click", (event) => { event.preventDefault(); choose(name); });
    return link;
  }));
  $("experiment-select").replaceChildren(...names.map((name) => el("option", { value: name }, t(`experiment.${name}.name`))));
  $("preset").replaceChildren(
    el("option", { value: "own", disabled: true, hidden: true }, t("ui.preset.own")),
    el("option", { value: "drawn", disabled: true, hidden: true }, t("ui.preset.drawn")),
    ...presets.map((name) => el("option", { value: name }, t(`preset.${name}`))));
}

// --- sharing, downloads, tables -----------------------------------------------------------------

async function share() {
  const { link, refused } = await wire.ask("link", { state });
  if (refused) return toast(refused, true);
  const address = `${location.origin}/#${link}`; // Without the token, which is nobody else's.
  history.replaceState(null, "", `#${link}`);
  try {
    await navigator.clipboard.writeText(address);
    toast(t("ui.copied"));
  } catch {
    toast(`${t("ui.copy.by_hand")} ${address}`);
  }
}

function save(name, content, type) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
  $("download").open = false;
}

// The bench as it is seen: shades, and shapes with their styles written into them.
async function picture() {
  const size = 1200, canvas = el("canvas", { width: size, height: size }), context = canvas.getContext("2d");
  context.fillStyle = getComputedStyle($("stage")).backgroundColor;
  context.fillRect(0, 0, size, size);
  if (!$("shade").hidden) context.drawImage($("shade"), 0, 0, size, size);
  const copy = $("plane").cloneNode(true), originals = [...$("plane").querySelectorAll("*")];
  const looks = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "stroke-linecap", "opacity", "font", "text-anchor", "paint-order"];
  copy.querySelectorAll("*").forEach((node, k) => {
    const style = getComputedStyle(originals[k]);
    for (const name of looks) node.setAttribute(name, style.getPropertyValue(name));
    const font = ["font-family", "font-size", "font-style", "font-weight"];
    if (node.tagName === "text") for (const name of font) node.setAttribute(name, style.getPropertyValue(name));
    node.removeAttribute("class");
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", size);
  copy.setAttribute("height", size);
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" }));
  await image.decode();
  context.drawImage(image, 0, 0, size, size);
  URL.revokeObjectURL(image.src);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

async function download(kind) {
  const name = `certo-lab-${state.experiment}`;
  if (kind === "png") return save(`${name}.png`, await picture());
  const answer = await wire.ask(kind, { state });
  if (answer.refused) return toast(answer.refused, true);
  save(kind === "csv" ? `${name}.csv` : `${name.replaceAll("-", "_")}.py`, answer[kind], "text/plain");
}

async function uploadTable(file) {
  const answer = await (await fetch("table", { method: "POST", body: file, headers: { "x-tab": wire.tab, "x-name": encodeURIComponent(file.name) } })).json().catch(() => ({ refused: t("ui.lost") }));
  if (answer.refused) return toast(`${t("ui.refused")} ${answer.refused}`, true);
  const { table } = answer;
  $("table-about").textContent = [t("table.about", { rows: table.rows }), ...table.notes].join(" ");
  const fill = (id, names, chosen) => { $(id).replaceChildren(...names.map((n) => el("option", { value: n }, n))); $(id).value = chosen ?? names[0]; };
  const labels = Object.keys(table.labels), label = labels.find((n) => !table.numbers.includes(n)) ?? labels.at(-1);
  const numbers = table.numbers.filter((n) => n !== label);
  fill("table-first", table.numbers, numbers[0] ?? table.numbers[0]);
  fill("table-second", table.numbers, numbers[1] ?? table.numbers[1]);
  fill("table-label", labels, label);
  const values = () => fill("table-positive", table.labels[$("table-label").value], table.labels[$("table-label").value].at(-1));
  values();
  $("table-label").onchange = values;
  $("table-wrong").textContent = "";
  $("table").showModal();
}

async function useTable() {
  const [first, second, label, positive] = ["first", "second", "label", "positive"].map((n) => $(`table-${n}`).value);
  const answer = await wire.ask("columns", { first, second, label, positive });
  $("table-wrong").textContent = answer.refused ? `${t("ui.refused")} ${answer.refused}` : ""; // A toast is behind.
  if (answer.refused || answer.cancelled) return;
  remember();
  Object.assign(state, { points: answer.points, source: {}, world: "", step: null });
  $("table").close();
  changed();
}

let fading = null;
function toast(text, bad = false) {
  clearTimeout(fading);
  $("toast").textContent = text;
  $("toast").className = bad ? "bad" : "";
  $("toast").hidden = false;
  fading = setTimeout(() => ($("toast").hidden = true), bad ? 9000 : 3500);
}

// --- appearance ---------------------------------------------------------------------------------

function kept(name, value) {
  try {
    if (value === undefined) return localStorage.getItem(name);
    localStorage.setItem(name, value);
  } catch { return null; }
}

function useTheme(theme) {
  document.documentElement.dataset.theme = theme;
  if (facts) show();
}

function useProjector(on) {
  document.documentElement.toggleAttribute("data-projector", on);
  $("projector").setAttribute("aria-pressed", on);
  if (facts) show();
}

function useLanguage(name) {
  words.use(name);
  if (!state) return;
  build();
  showName();
  showPreset();
  showSettings();
  if (running) $("run-text").textContent = t("ui.pause");
  if (facts) show();
}

// --- beginning ----------------------------------------------------------------------------------

let presets = [];

async function opened() {
  try {
    const [hello, start] = await Promise.all([wire.ask("hello"), wire.ask("open", { link: location.hash.slice(1) })]);
    experiments = Object.fromEntries(hello.experiments.map((e) => [e.name, e]));
    presets = hello.presets;
    if (state) return look(); // The connection was lost, and is there again.
    let found = start.state;
    if (start.refused) {
      toast(`${t("ui.refused")} ${start.refused}`, true);
      found = (await wire.ask("open", { link: "" })).state;
    }
    state = found;
    build();
    arrive();
  } catch { /* The connection is gone again. */ }
}

function listen() {
  for (const [id, act] of Object.entries({
    first: () => { stop(); go(0); }, back: () => { stop(); go(at() - 1); }, step: () => { stop(); go(at() + 1); },
    last: () => { stop(); go(Infinity); }, run, undo: () => restore(undone, done), redo: () => restore(done, undone),
    clear: () => { remember(); own(); state.world = ""; state.points = []; plane.selected = -1; changed(); },
    share, png: () => download("png"), csv: () => download("csv"), python: () => download("python"),
    upload: () => $("file").click(), cancel: () => wire.ask("cancel").catch(() => {}), "table-use": useTable,
    again: () => takePreset(state.source.preset, state.points.length, 1 + (state.source.seed ?? 0)),
    relabel: () => plane.hooks.relabel(plane.selected), delete: () => plane.hooks.remove(plane.selected),
    help: () => $("help-box").showModal(), prove: () => proofs.open(false), break: () => proofs.open(true),
    language: () => { const next = words.current() === "en" ? "it" : "en"; kept("language", next); useLanguage(next); },
    theme: () => { const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark"; kept("theme", next); useTheme(next); },
    projector: () => useProjector(!document.documentElement.hasAttribute("data-projector")),
  })) $(id).addEventListener("click", act);
  for (const [id, sign] of [["draw-positive", 1], ["draw-negative", -1]]) {
    $(id).addEventListener("click", () => {
      plane.sign = sign;
      for (const [other, one] of [["draw-positive", 1], ["draw-negative", -1]]) { // One stop for Tab.
        $(other).setAttribute("aria-checked", one === sign);
        $(other).tabIndex = one === sign ? 0 : -1;
      }
    });
    $(id).addEventListener("keydown", (event) => { // As radio buttons do.
      if (!event.key.startsWith("Arrow")) return;
      event.preventDefault();
      const other = $(sign > 0 ? "draw-negative" : "draw-positive");
      other.focus();
      other.click();
    });
  }
  $("frame").addEventListener("input", () => { stop(); go(Number($("frame").value)); });
  $("preset").addEventListener("change", () => takePreset($("preset").value, null, 0));
  const menu = $("download"); // Escape closes it, and so does a click beside it.
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.firstElementChild.focus();
  });
  addEventListener("pointerdown", (event) => { if (!menu.contains(event.target)) menu.open = false; });
  let sliding = false; // A slide is undone as a whole.
  $("m").addEventListener("input", () => {
    takePreset(state.source.preset, Number($("m").value), state.source.seed ?? 0, sliding);
    sliding = true;
  });
  $("m").addEventListener("change", () => (sliding = false));
  $("experiment-select").addEventListener("change", () => choose($("experiment-select").value));
  $("file").addEventListener("change", () => { if ($("file").files[0]) uploadTable($("file").files[0]); $("file").value = ""; });
  $("settings").addEventListener("submit", (event) => event.preventDefault());
  $("stage").addEventListener("dragover", (event) => event.preventDefault());
  $("stage").addEventListener("drop", (event) => { event.preventDefault(); if (event.dataTransfer.files[0]) uploadTable(event.dataTransfer.files[0]); });
  addEventListener("hashchange", async () => {
    const answer = await wire.ask("open", { link: location.hash.slice(1) });
    if (answer.cancelled) return;
    if (answer.refused) return toast(`${t("ui.refused")} ${answer.refused}`, true);
    remember();
    state = answer.state;
    arrive();
  });
  addEventListener("keydown", (event) => {
    const field = event.target.closest?.("input, select, textarea, dialog, summary, [role=radio]");
    if ((event.ctrlKey || event.metaKey) && !field && /^[zy]$/i.test(event.key)) {
      event.preventDefault();
      const again = event.key.toLowerCase() === "y" || event.shiftKey;
      return again ? restore(done, undone) : restore(undone, done);
    }
    if (event.ctrlKey || event.metaKey || event.altKey || field || !facts) return;
    const act = { ArrowRight: () => { stop(); go(at() + 1); }, ArrowLeft: () => { stop(); go(at() - 1); }, r: run, g: () => $("projector").click(), i: () => $("language").click(), t: () => $("theme").click(), "?": () => $("help").click() }[event.key];
    if (act) { event.preventDefault(); act(); }
  });
}

let proofs = null;

async function begin() {
  addEventListener("unhandledrejection", (event) => { // What was asked when nobody answers.
    if (!(event.reason instanceof Lost)) return;
    event.preventDefault();
    toast(t("ui.lost"), true);
  });
  kept("token", location.pathname.split("/")[1]);
  const dark = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  useTheme(kept("theme") ?? dark);
  await words.load();
  words.use(kept("language") ?? (navigator.language.startsWith("it") ? "it" : "en"));
  wire = new Wire({
    opened,
    lost(why) {
      waited();
      tell(why ? `${t("ui.refused")} ${why}` : t("ui.lost"), "bad");
      // One that was started anew has another token, and refuses what has the old one.
      if (!why) fetch("icon.svg").then((answer) => answer.status === 403 && tell(t("ui.restarted"), "bad"), () => {});
    },
    progress(ask, progress) {
      if (ask !== "look") return;
      const usual = facts || progress.seconds < 2 ? "ui.working" : "ui.working.first";
      const kind = progress.of ? "ui.working.of" : progress.upper !== undefined ? "ui.working.bounds" : usual;
      wait(t(kind, { ...progress, seconds: progress.seconds.toFixed(1) }), progress);
    },
  });
  proofs = new ProofBox(wire, () => state);
  listen();
}

begin();
