// A chart of a few lines, small enough to be drawn anew for every frame.

import { el, make } from "./draw.js";
import { number, raised, t } from "./words.js";

const RIGHT = 10, TOP = 8;

function ticks(low, high, log, most) {
  if (log) {
    const first = Math.ceil(Math.log10(low) - 1e-9), last = Math.floor(Math.log10(high) + 1e-9);
    const step = Math.max(1, Math.ceil((last - first + 1) / most));
    const found = [];
    for (let e = first; e <= last; e += step) found.push(10 ** e);
    return found.length > 1 ? found : [low, high];
  }
  const raw = (high - low) / most || 1, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= raw);
  const found = [];
  for (let v = Math.ceil(low / step) * step; v <= high + step * 1e-9; v += step) found.push(Math.abs(v) < step * 1e-9 ? 0 : v);
  return found;
}

function written(v) {
  if (v === 0) return "0";
  const size = Math.abs(v);
  if (size >= 1e4 || size < 1e-3) {
    const e = Math.floor(Math.log10(size) + 1e-9), lead = +(v / 10 ** e).toPrecision(2);
    const power = `10${raised(e)}`;
    return lead === 1 ? power : lead === -1 ? `−${power}` : `${number(lead)}·${power}`;
  }
  return number(+v.toPrecision(3));
}

// `wide` is how many pixels it has across: texts are as large as those of the page.
export function drawChart(figure, chart, cursor, wide) {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const WIDE = wide, HIGH = Math.min(22 * rem, Math.max(11 * rem, 0.42 * wide)), LEFT = 3.1 * rem, BOTTOM = 2.1 * rem;
  const { key, series, log_x: logX, log_y: logY } = chart;
  const xs = series.flatMap((s) => s.x), ys = series.flatMap((s) => s.y).filter((v) => !logY || v > 0);
  if (!xs.length || !ys.length) return figure.replaceChildren();
  let [x0, x1] = [Math.min(...xs), Math.max(...xs)], [y0, y1] = [Math.min(...ys), Math.max(...ys)];
  if (logX) x0 = Math.max(x0, 1e-300);
  if (chart.top) y1 = chart.top;
  if (!logY) y0 = Math.min(0, y0);
  // A theorem far above what happened must not make it flat: what happened keeps a third.
  const happened = series.filter((s) => !s.kind.startsWith("upper") || s.kind === "upper-step").flatMap((s) => s.y);
  if (!logY && !chart.top && happened.length) y1 = Math.min(y1, Math.max(...happened) * 3 || y1);
  if (x1 === x0) { x0 -= logX ? 0 : 0.5; x1 = logX ? x1 * 2 : x1 + 0.5; }
  if (y1 === y0) y1 = logY ? y0 * 10 : y0 + 1;
  if (!logY) y1 += 0.04 * (y1 - y0);
  const scale = (v, low, high, log) => log ? Math.log(Math.max(v, 1e-300) / low) / Math.log(high / low) : (v - low) / (high - low);
  const px = (v) => LEFT + (WIDE - LEFT - RIGHT) * scale(v, x0, x1, logX);
  const py = (v) => HIGH - BOTTOM - (HIGH - TOP - BOTTOM) * scale(v, y0, y1, logY);
  const svg = make("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": described(chart) });
  const inner = make("g", { "clip-path": `url(#clip-${key})` });
  svg.append(make("defs", {}, make("clipPath", { id: `clip-${key}` }, make("rect", { x: LEFT - 1, y: TOP - 4, width: WIDE - LEFT - RIGHT + 2, height: HIGH - TOP - BOTTOM + 6 }))));
  for (const v of ticks(y0, y1, logY, 4)) {
    svg.append(make("line", { class: "c-axis", x1: LEFT, x2: WIDE - RIGHT, y1: py(v), y2: py(v) }));
    svg.append(make("text", { class: "c-text c-end", x: LEFT - 6, y: py(v) + 4 }, written(v)));
  }
  for (const v of ticks(x0, x1, logX, 5)) {
    if (!logX && chart.key !== "response" && chart.key !== "bounds" && !Number.isInteger(v)) continue;
    svg.append(make("text", { class: "c-text c-mid", x: px(v), y: HIGH - BOTTOM + 0.95 * rem }, written(v)));
  }
  svg.append(make("text", { class: "c-text c-end", x: WIDE - RIGHT, y: HIGH - 2 }, t(`chart.${key}.x`)));
  const upper = series.find((s) => s.kind === "upper"), lower = series.find((s) => s.kind === "lower" && s.x.length > 2);
  if (upper && lower) {
    const up = upper.x.map((x, k) => `${px(x).toFixed(1)} ${py(upper.y[k]).toFixed(1)}`);
    const down = lower.x.map((x, k) => `${px(x).toFixed(1)} ${py(lower.y[k]).toFixed(1)}`).reverse();
    inner.append(make("path", { class: "between", d: `M${[...up, ...down].join("L")}Z` }));
  }
  series.forEach((s, place) => inner.append(drawn(s, px, py, place)));
  svg.append(inner);
  if (cursor !== undefined && cursor >= x0 && cursor <= x1) {
    svg.append(make("line", { class: "c-cursor", x1: px(cursor), x2: px(cursor), y1: TOP, y2: HIGH - BOTTOM }));
    const main = series[0], at = main.x.reduce((best, x, k) => (x <= cursor ? k : best), 0);
    if (main.kind !== "dots" && main.y[at] <= y1) svg.append(make("circle", { class: "c-at", cx: px(cursor), cy: py(main.y[at]), r: 3.6 }));
  }
  const legend = el("div", { className: "key" });
  series.forEach((s, place) => {
    if (s.kind === "dots") return;
    const swatch = make("svg", { viewBox: "0 0 24 10", "aria-hidden": "true" }, make("path", { class: `s ${look(s, place)}`, d: "M1 5H23" }));
    legend.append(el("span", {}, swatch, t(`series.${s.key}`)));
  });
  figure.replaceChildren(el("figcaption", {}, t(`chart.${key}`)), svg, legend);
}

const look = (s, place) => (s.kind === "line" && place > 0 ? "line second" : s.kind);

function drawn(s, px, py, place) {
  if (s.kind === "dots") {
    const group = make("g");
    s.x.forEach((x, k) => group.append(make("circle", { class: `c-dot ${s.sign > 0 ? "positive" : "negative"}`,
      cx: px(x).toFixed(1), cy: py(s.y[k]).toFixed(1), r: (1.2 + 3.6 * Math.sqrt(s.size?.[k] ?? 1)).toFixed(1) })));
    return group;
  }
  const steps = s.kind.includes("step");
  const points = s.x.flatMap((x, k) => {
    const at = `${px(x).toFixed(1)} ${py(s.y[k]).toFixed(1)}`;
    return steps && k ? [`${px(x).toFixed(1)} ${py(s.y[k - 1]).toFixed(1)}`, at] : [at];
  });
  // One value alone is a dash as wide as it can be seen.
  const path = points.length > 1 ? `M${points.join("L")}` : `M${points[0]}m-14 0h28`;
  return make("path", { class: `s ${look(s, place)}`, d: path });
}

// What a screen reader says of it.
function described({ key, series }) {
  const parts = series.filter((s) => s.y.length).map((s) => `${t(`series.${s.key}`)}: ${written(s.y[0])} → ${written(s.y.at(-1))}`);
  return `${t(`chart.${key}`)}. ${parts.join("; ")}`;
}
