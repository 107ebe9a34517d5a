// Points of a space of three dimensions, and a plane among them, seen from any side.

import { el, make } from "./draw.js";
import { t } from "./words.js";

const SIZE = 340;

export class Solid {
  constructor() {
    this.turn = 0.6;
    this.tilt = 0.32;
    this.svg = make("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, role: "img" });
    this.figure = el("figure", { id: "solid" }, el("figcaption"), this.svg);
    this.svg.style.touchAction = "none";
    this.svg.style.cursor = "grab";
    this.svg.addEventListener("pointerdown", (event) => {
      this.from = [event.clientX, event.clientY];
      this.svg.setPointerCapture(event.pointerId);
    });
    this.svg.addEventListener("pointerup", () => (this.from = null));
    this.svg.addEventListener("pointermove", (event) => {
      if (!this.from) return;
      this.turn += (event.clientX - this.from[0]) * 0.01;
      this.tilt = Math.min(1.5, Math.max(-1.5, this.tilt + (event.clientY - this.from[1]) * 0.01));
      this.from = [event.clientX, event.clientY];
      this.render();
    });
  }

  draw(solid, points, marks) {
    Object.assign(this, { solid, points, marks });
    this.figure.querySelector("figcaption").replaceChildren(t("ui.space"), el("span", {}, t("ui.space.hint")));
    this.svg.setAttribute("aria-label", t("ui.space"));
    this.render();
  }

  // Axes: across x₁², up √2x₁x₂, deep x₂²; the middle of all points is in the middle.
  render() {
    const { points: at, plane } = this.solid;
    if (!at.length) return this.svg.replaceChildren();
    const low = [0, 1, 2].map((j) => Math.min(0, ...at.map((p) => p[j]))), high = [0, 1, 2].map((j) => Math.max(0, ...at.map((p) => p[j])));
    const middle = low.map((v, j) => (v + high[j]) / 2), wide = Math.max(...high.map((v, j) => v - low[j]), 1e-9);
    const [ct, st, cp, sp] = [Math.cos(this.turn), Math.sin(this.turn), Math.cos(this.tilt), Math.sin(this.tilt)];
    const place = (p) => {
      const [x, z, y] = p.map((v, j) => (v - middle[j]) / wide);
      const u = ct * x + st * y, depth = -st * x + ct * y;
      return [SIZE / 2 + u * SIZE * 0.72, SIZE / 2 - (cp * z + sp * depth) * SIZE * 0.72, cp * depth - sp * z];
    };
    const pieces = [];
    const origin = place([0, 0, 0]);
    ["x₁²", "√2 x₁x₂", "x₂²"].forEach((name, j) => {
      const end = [0, 0, 0];
      end[j] = Math.max(high[j], wide * 0.3);
      const [x, y] = place(end);
      pieces.push([-9, make("line", { class: "axis", x1: origin[0], y1: origin[1], x2: x, y2: y })]);
      pieces.push([9, make("text", { class: "line-name", x: x + 4, y: y - 4 }, name)]);
    });
    if (plane) {
      const corners = this.section(plane, low.map((v) => v - 0.06 * wide), high.map((v) => v + 0.06 * wide)).map(place);
      if (corners.length > 2) pieces.push([-1, make("path", { class: "band", d: `M${corners.map((c) => `${c[0].toFixed(1)} ${c[1].toFixed(1)}`).join("L")}Z`, stroke: "currentColor", "stroke-opacity": ".35" })]);
    }
    const wrong = new Set(this.marks.wrong);
    at.forEach((p, k) => {
      if (!this.points[k]) return; // It was taken away, and the next answer is on its way.
      const [x, y, depth] = place(p), positive = this.points[k][2] > 0, r = 4.6 - 1.4 * depth;
      const kind = `point ${positive ? "positive" : "negative"}`;
      pieces.push([-depth, positive ? make("circle", { class: kind, cx: x, cy: y, r }) : make("rect", { class: kind, x: x - r * 0.9, y: y - r * 0.9, width: r * 1.8, height: r * 1.8 })]);
      if (wrong.has(k)) pieces.push([-depth + 0.01, make("path", { class: "wrong", d: `M${x - 3} ${y - 3}l6 6m0-6l-6 6` })]);
    });
    pieces.sort((a, b) => a[0] - b[0]);
    this.svg.replaceChildren(...pieces.map(([, node]) => node));
  }

  // The polygon in which a plane w·z + b = 0 cuts a box: where it crosses edges, in order.
  section({ w, b }, low, high) {
    const corner = (k) => [0, 1, 2].map((j) => ((k >> j) & 1 ? high[j] : low[j]));
    const value = (p) => w[0] * p[0] + w[1] * p[1] + w[2] * p[2] + b, found = [];
    for (let k = 0; k < 8; k++) for (let j = 0; j < 3; j++) {
      if ((k >> j) & 1) continue;
      const p = corner(k), q = corner(k | (1 << j)), [u, v] = [value(p), value(q)];
      if (u * v < 0) found.push(p.map((x, i) => x + (u / (u - v)) * (q[i] - x)));
    }
    if (found.length < 3) return [];
    const centre = [0, 1, 2].map((j) => found.reduce((sum, p) => sum + p[j], 0) / found.length);
    const norm = Math.hypot(...w), n = w.map((v) => v / norm);
    const first = found[0].map((v, j) => v - centre[j]);
    const cross = (p, q) => [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]];
    const second = cross(n, first), dot = (p, q) => p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
    const angle = (p) => { const d = p.map((v, j) => v - centre[j]); return Math.atan2(dot(d, second), dot(d, first)); };
    return found.sort((p, q) => angle(p) - angle(q));
  }
}
