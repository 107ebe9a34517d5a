// The bench: draws points and what was learned from them, and lets points be put, moved and taken.

import { decodeGrid, levelPath, make, paintRegion } from "./draw.js";
import { t } from "./words.js";

export const UNITS = 1024; // As on the server: places are whole numbers of 1/1024.
const SNAP = 32; // Points put by hand are at multiples of 1/32, so that fractions stay short.
export const MAX_POINTS = 500;
const HIT = 16; // Pixels around a point that still mean it; more for a finger.
const SPRAY = 26; // Pixels between points that are drawn in one stroke.
const TURNS = [0, 0.5, -0.5, 1, -1, 1.6, -1.6, 2.3, -2.3, Math.PI]; // Where a fraction may stand, in radians.
const LAYERS = ["ground", "axes", "hulls", "lines", "under", "points", "over", "vectors", "tags", "hand"];

const snapped = (value) => Math.round(value * SNAP) * (UNITS / SNAP);

// The part of a convex polygon on which w·x + b ≥ 0.
function clip(polygon, [a, b], c) {
  const value = ([x, y]) => a * x + b * y + c, kept = [];
  polygon.forEach((p, k) => {
    const q = polygon[(k + 1) % polygon.length], u = value(p), v = value(q);
    if (u >= 0) kept.push(p);
    if (u * v < 0) kept.push([p[0] + (u / (u - v)) * (q[0] - p[0]), p[1] + (u / (u - v)) * (q[1] - p[1])]);
  });
  return kept;
}

// The convex hull of a few points, in order.
function hull(points) {
  const sorted = [...points].sort((p, q) => p[0] - q[0] || p[1] - q[1]);
  const turn = (o, p, q) => (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0]);
  const half = (list) => {
    const chain = [];
    for (const p of list) {
      while (chain.length > 1 && turn(chain.at(-2), chain.at(-1), p) <= 0) chain.pop();
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  return sorted.length < 3 ? sorted : [...half(sorted), ...half(sorted.reverse())];
}

export class Plane {
  constructor(svg, canvas, hooks) {
    Object.assign(this, { svg, canvas, hooks, reach: 4, selected: -1, sign: 1, cursor: null });
    for (const name of LAYERS) this.svg.append((this[name] = make("g")));
    this.nodes = [];
    new ResizeObserver(() => this.resized()).observe(svg);
    this.listen();
  }

  resized() {
    const box = this.svg.getBoundingClientRect();
    if (!box.width) return;
    this.size = box.width;
    this.svg.setAttribute("viewBox", `0 0 ${this.size} ${this.size}`);
    if (this.state) this.draw(this.state, this.facts);
  }

  px = ([x, y]) => [((x / this.reach + 1) / 2) * this.size, ((1 - y / this.reach) / 2) * this.size];
  fromPx = (x, y) => [(2 * x / this.size - 1) * this.reach, (1 - 2 * y / this.size) * this.reach];
  apart = (p, q) => (Math.hypot(p[0] - q[0], p[1] - q[1]) / this.reach / 2) * this.size;
  path = (points) => "M" + points.map((p) => this.px(p).map((v) => v.toFixed(1)).join(" ")).join("L") + "Z";
  get square() { const r = this.reach; return [[-r, -r], [r, -r], [r, r], [-r, r]]; }

  // --- drawing --------------------------------------------------------------------------------

  draw(state, facts) {
    this.state = state;
    this.facts = facts;
    if (!this.size) return;
    const scene = facts?.scene ?? { lines: [], marks: {} };
    this.reach = facts?.reach ?? this.reach;
    const style = getComputedStyle(this.svg);
    this.radius = parseFloat(style.getPropertyValue("--point")) || 6;
    this.points_ = scene.points ?? state.points.map(([x, y, s]) => [x / UNITS, y / UNITS, s]);
    for (const name of LAYERS) if (name !== "points") this[name].replaceChildren();
    this.drawGround(scene);
    this.drawAxes();
    this.drawLines(scene);
    this.drawPoints(scene);
    this.drawVectors(scene.vectors ?? []);
    this.drawTags(scene);
    this.drawHand();
    this.name();
  }

  // A point moves under the hand at once; what is learned from it follows.
  drawPointsOnly(state) {
    this.state = state;
    this.points_ = state.points.map(([x, y, s]) => [x / UNITS, y / UNITS, s]);
    for (const name of ["under", "over", "hand"]) this[name].replaceChildren();
    this.drawPoints(this.facts?.scene && this.facts.scene.points === undefined
      && this.points_.length === this.drawnCount ? this.facts.scene : { marks: {} });
    this.drawHand();
  }

  drawGround(scene) {
    const region = scene.region;
    this.canvas.hidden = !region;
    if (region) {
      paintRegion(this.canvas, region, region.soft);
      const values = decodeGrid(region), n = region.n;
      const place = (i, j) => this.px([(2 * i / (n - 1) - 1) * region.reach, (2 * j / (n - 1) - 1) * region.reach]);
      for (const level of region.levels) {
        const kind = level === 0 ? "line boundary" : "line level";
        this.lines.append(make("path", { class: kind, d: levelPath(values, n, level, place) }));
      }
    }
    if (scene.half && (scene.half.w[0] || scene.half.w[1])) {
      const { w, b } = scene.half;
      for (const [side, kind] of [[1, "positive"], [-1, "negative"]]) {
        const part = clip(this.square, w.map((v) => side * v), side * b);
        if (part.length) this.ground.append(make("path", { class: `half-${kind}`, d: this.path(part) }));
      }
    }
    if (scene.band) {
      const { w, b } = scene.band;
      const band = clip(clip(this.square, w, b + 1), w.map((v) => -v), 1 - b);
      if (band.length) this.ground.append(make("path", { class: "band", d: this.path(band) }));
      for (const side of [-1, 1]) this.drawLine({ kind: "band-edge", w, b: b - side });
    }
    if (scene.bayes) {
      const values = decodeGrid(scene.bayes), n = scene.bayes.n, r = scene.bayes.reach;
      const place = (i, j) => this.px([(2 * i / (n - 1) - 1) * r, (2 * j / (n - 1) - 1) * r]);
      const path = levelPath(values, n, 0, place);
      if (!path) return; // Of points that occur again and again there is no boundary between.
      this.lines.append(make("path", { class: "line bayes", d: path }));
      const x = this.size - 12, y = this.size - 12; // Its name, which stands where no other does.
      const name = make("text", { class: "line-name bayes", x, y, "text-anchor": "end" }, t("line.bayes"));
      this.vectors.append(name);
      const left = x - name.getComputedTextLength() - 8;
      this.vectors.append(make("line", { class: "line bayes", x1: left - 26, y1: y - 4, x2: left, y2: y - 4 }));
    }
  }

  drawAxes() {
    const r = this.reach, step = r > 8 ? 4 : r > 4 ? 2 : 1;
    for (const ends of [[[-r, 0], [r, 0]], [[0, -r], [0, r]]]) {
      const [[x1, y1], [x2, y2]] = ends.map(this.px);
      this.axes.append(make("line", { class: "axis", x1, y1, x2, y2 }));
    }
    for (let v = -r + step; v < r; v += step) {
      if (!v) continue;
      const [x, y] = this.px([v, 0]), [u, z] = this.px([0, v]);
      this.axes.append(make("text", { class: "tick", x, y: y + 14, "text-anchor": "middle" }, String(v).replace("-", "−")));
      this.axes.append(make("text", { class: "tick", x: u - 6, y: z + 4, "text-anchor": "end" }, String(v).replace("-", "−")));
    }
  }

  // The ends of w·x + b = 0 within the square; nothing if it is outside, or no line.
  ends({ w, b }) {
    const side = clip(this.square, w, b);
    const on = side.filter(([x, y]) => Math.abs(w[0] * x + w[1] * y + b) <= 1e-9 * (Math.abs(w[0]) + Math.abs(w[1])) * this.reach);
    return on.length >= 2 ? [on[0], on.at(-1)].map(this.px) : null;
  }

  drawLine(line) {
    const ends = this.ends(line);
    if (!ends) return;
    const [[x1, y1], [x2, y2]] = ends;
    const kind = line.kind === "band-edge" ? "band-edge" : `line ${line.kind}`;
    const node = make("line", { class: kind, x1, y1, x2, y2 });
    if (line.age) node.setAttribute("opacity", Math.max(0.08, 0.6 - 0.042 * line.age).toFixed(2));
    this.lines.append(node);
    if (line.name) {
      const [near, far] = y1 < y2 ? [ends[0], ends[1]] : [ends[1], ends[0]];
      const length = Math.hypot(far[0] - near[0], far[1] - near[1]) || 1, part = Math.min(0.4, (40 + 34 * this.tags.childElementCount) / length);
      let x = near[0] + part * (far[0] - near[0]) + 8, y = near[1] + part * (far[1] - near[1]) + 4;
      const end = x > this.size - 110;
      const theory = line.kind === "separator" ? "theory" : "";
      this.tags.append(make("text", { class: `line-name ${theory}`, x: end ? x - 16 : x, y: Math.max(14, y),
        "text-anchor": end ? "end" : "start" }, t(line.name)));
    }
  }

  drawLines(scene) {
    for (const { sign, at } of scene.hulls ?? []) {
      const kind = sign > 0 ? "positive" : "negative";
      this.hulls.append(make("path", { class: `hull ${kind}`, d: this.path(hull(at)) }));
    }
    for (const line of scene.lines) this.drawLine(line);
    for (const { kind, from, to } of scene.segments ?? []) {
      const [[x1, y1], [x2, y2]] = [from, to].map(this.px);
      this.lines.append(make("line", { class: `segment ${kind}`, x1, y1, x2, y2 }));
    }
  }

  drawPoints(scene) {
    const marks = scene.marks ?? {}, r = this.radius, points = this.points_;
    this.drawnCount = points.length;
    const faded = new Set(marks.faded), removed = new Set(marks.removed);
    while (this.nodes.length > points.length) this.nodes.pop().remove();
    points.forEach(([x, y, sign], k) => {
      const shape = sign > 0 || scene.unlabelled ? "circle" : "rect";
      if (this.nodes[k]?.tagName !== shape) {
        const node = make(shape);
        if (this.nodes[k]) this.nodes[k].replaceWith(node);
        else this.points.append(node);
        this.nodes[k] = node;
      }
      const [u, v] = this.px([x, y]), node = this.nodes[k];
      const size = marks.weight ? r * (0.42 + 0.95 * Math.sqrt(marks.weight[k] ?? 0)) : r;
      if (shape === "circle") for (const [name, value] of [["cx", u], ["cy", v], ["r", size]]) node.setAttribute(name, value.toFixed(1));
      else for (const [name, value] of [["x", u - size * 0.9], ["y", v - size * 0.9], ["width", size * 1.8], ["height", size * 1.8]]) node.setAttribute(name, value.toFixed(1));
      const kind = scene.unlabelled ? "plain" : sign > 0 ? "positive" : "negative";
      node.setAttribute("class", `point ${kind}${faded.has(k) ? " faded" : ""}${removed.has(k) ? " removed" : ""}`);
      if (shape === "rect") node.setAttribute("rx", 1.5);
      if (node.dataset.name !== `${k}`) {
        node.dataset.name = k;
        node.replaceChildren(make("title", {}, String(k + 1)));
      }
    });
    const place = (k) => this.px(points[k]);
    (marks.support ?? []).forEach((k, i) => {
      if (!points[k]) return;
      const [cx, cy] = place(k), share = marks.size?.[i] ?? 1;
      this.under.append(make("circle", { class: "support", cx, cy, r: r + 2.5 + r * share, "stroke-opacity": 0.4 + 0.6 * share }));
    });
    for (const k of marks.hull ?? []) {
      if (!points[k]) continue;
      const [cx, cy] = place(k);
      this.under.append(make("circle", { class: "support", cx, cy, r: r + 4 }));
    }
    for (const k of marks.wrong ?? []) {
      if (!points[k] || faded.has(k)) continue;
      const [x, y] = place(k), d = r * 0.62;
      this.over.append(make("path", { class: "wrong", d: `M${x - d} ${y - d}L${x + d} ${y + d}M${x + d} ${y - d}L${x - d} ${y + d}` }));
    }
    for (const k of marks.current ?? []) {
      if (!points[k]) continue;
      const [cx, cy] = place(k);
      this.over.append(make("circle", { class: "current", cx, cy, r: r + 7 }));
    }
  }

  drawVectors(vectors) {
    const longest = Math.max(0, ...vectors.map(({ tip }) => Math.hypot(...tip)));
    const scale = longest > 0.82 * this.reach ? (0.82 * this.reach) / longest : 1;
    const short = vectors.some(({ kind, tip, tail }) => kind === "update" && this.apart(tip, tail) * scale < 70);
    for (const { kind, tip, tail = [0, 0] } of vectors) {
      const [a, b] = [tail, tip].map(([x, y]) => this.px([x * scale, y * scale]));
      const [dx, dy] = [b[0] - a[0], b[1] - a[1]], length = Math.hypot(dx, dy);
      if (length < 3) continue;
      const [ux, uy] = [dx / length, dy / length], head = Math.min(11, length * 0.5);
      const base = [b[0] - ux * head, b[1] - uy * head];
      this.vectors.append(make("line", { class: `vector ${kind}`, x1: a[0], y1: a[1], x2: base[0], y2: base[1] }));
      this.vectors.append(make("path", { class: `vector ${kind}`, "stroke-dasharray": "none",
        d: `M${b}L${base[0] - uy * head * 0.42} ${base[1] + ux * head * 0.42}L${base[0] + uy * head * 0.42} ${base[1] - ux * head * 0.42}Z` }));
      // The name of an update stands beside its middle, away from the origin; others at the tip.
      const middle = kind === "update" ? 0.5 : 1, [ox, oy] = this.px([0, 0]);
      const mid = [a[0] + dx * middle, a[1] + dy * middle];
      const side = -uy * (mid[0] - ox) + ux * (mid[1] - oy) < 0 ? -24 : 24;
      const [x, y] = kind === "update" ? [mid[0] - uy * side, mid[1] + ux * side + 5] : [mid[0] + ux * 10, mid[1] + uy * 10 + 5];
      if (short && kind === "old") continue; // Its name would stand on that of the update.
      const anchor = kind === "update" ? "middle" : ux < 0 ? "end" : "start";
      this.vectors.append(make("text", { class: "vector-name", x, y, "text-anchor": anchor, fill: "currentColor" }, t(`vector.${kind}`)));
    }
    if (scale < 1) this.vectors.append(make("text", { class: "line-name", x: 10, y: this.size - 12 }, t("vector.scale", { scale: scale.toPrecision(2) })));
  }

  // Each fraction stands beside its point, away from where the hulls meet, unless something is there.
  drawTags(scene) {
    if (!scene.meeting) return;
    const [mx, my] = this.px(scene.meeting), taken = [];
    for (const { at, text, sign } of scene.tags) {
      const [x, y] = this.px(at), node = make("text", { class: "tag", "text-anchor": "middle" }, text);
      this.tags.append(node);
      const wide = node.getComputedTextLength() / 2 + 3, high = 11, way = Math.atan2(y - my, x - mx);
      const places = TURNS.map((turn) => {
        const u = x + Math.cos(way + turn) * (wide + 14), v = y + Math.sin(way + turn) * (high + 14);
        const hits = ([p, q], more = 0, up = 0) => Math.abs(p - u) < wide + more && Math.abs(q - v) < high + up;
        const points = this.points_.filter((point) => hits(this.px(point), this.radius, this.radius)).length;
        const tags = taken.filter((one) => hits(one.at, one.wide, high)).length;
        const outside = u < wide || u > this.size - wide || v < high || v > this.size - high;
        return { at: [u, v], wide, cost: Math.abs(turn) / 4 + points + 3 * tags + 9 * outside };
      });
      const best = places.reduce((one, other) => (other.cost < one.cost ? other : one));
      taken.push(best);
      node.setAttribute("x", best.at[0].toFixed(1));
      node.setAttribute("y", (best.at[1] + 5).toFixed(1));
      this.over.append(make("line", { class: "axis", x1: x, y1: y, x2: mx, y2: my }));
      const r = this.radius * 0.9; // Where a negative point is counted, if it is mirrored at the origin.
      if (scene.mirrored && sign < 0) this.over.append(make("rect", { class: "mirrored", x: x - r, y: y - r, width: 2 * r, height: 2 * r }));
    }
    // A point that is itself in the other hull is seen around the white dot.
    const covers = scene.tags.some(({ at }) => this.apart(at, scene.meeting) < this.radius);
    this.tags.append(make("circle", { class: "meeting", cx: mx, cy: my, r: covers ? 3 : 6 }));
  }

  drawHand() {
    const point = this.points_[this.selected];
    if (point && !this.facts?.scene?.points) {
      const [cx, cy] = this.px(point);
      this.hand.append(make("circle", { class: "selected", cx, cy, r: this.radius + 5 }));
    } else if (this.cursor) {
      const [x, y] = this.px(this.cursor);
      this.hand.append(make("path", { class: "cursor", d: `M${x - 11} ${y}H${x - 4}M${x + 4} ${y}H${x + 11}M${x} ${y - 11}V${y - 4}M${x} ${y + 4}V${y + 11}` }));
    }
    this.hooks.menu(point && this.menuFor === this.selected ? this.px(point) : null);
  }

  name() {
    const signs = this.points_.map((p) => p[2]), positive = signs.filter((s) => s > 0).length;
    this.svg.setAttribute("aria-label", t("plane.name", { count: signs.length, positive, negative: signs.length - positive }));
  }

  // --- hands ----------------------------------------------------------------------------------

  get isFixed() { return Boolean(this.facts?.scene?.points); }

  nearest(x, y, within) {
    let best = -1, least = within * within;
    this.points_.forEach((point, k) => {
      const [u, v] = this.px(point), d = (u - x) ** 2 + (v - y) ** 2;
      if (d <= least) [best, least] = [k, d];
    });
    return best;
  }

  at(event) {
    const box = this.svg.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  inside(x, y) {
    const limit = this.reach;
    return this.fromPx(x, y).map((v) => snapped(Math.min(limit, Math.max(-limit, v))));
  }

  listen() {
    const svg = this.svg;
    svg.addEventListener("pointerdown", (event) => this.down(event));
    svg.addEventListener("pointermove", (event) => this.moved(event));
    svg.addEventListener("pointerup", (event) => this.up(event));
    svg.addEventListener("pointercancel", () => (this.held = null));
    svg.addEventListener("dblclick", (event) => {
      const k = this.nearest(...this.at(event), HIT);
      if (k >= 0 && !this.isFixed) this.hooks.relabel(k);
    });
    svg.addEventListener("contextmenu", (event) => {
      event.preventDefault();
      const k = this.nearest(...this.at(event), HIT);
      if (k >= 0 && !this.isFixed) this.hooks.remove(k);
    });
    svg.addEventListener("keydown", (event) => this.key(event));
    svg.addEventListener("blur", () => { this.cursor = null; this.redrawHand(); });
  }

  redrawHand() {
    this.hand.replaceChildren();
    if (this.points_) this.drawHand();
  }

  down(event) {
    if (event.button !== 0 || this.isFixed) return;
    const [x, y] = this.at(event), touch = event.pointerType === "touch";
    const k = this.nearest(x, y, touch ? 1.7 * HIT : HIT);
    this.svg.setPointerCapture(event.pointerId);
    this.held = { k, x, y, moved: false, touch, flip: event.shiftKey, last: [x, y] };
    if (k >= 0) {
      this.selected = k;
      this.menuFor = -1;
      this.redrawHand();
    }
  }

  moved(event) {
    const held = this.held;
    if (!held) return;
    const [x, y] = this.at(event);
    if (!held.moved && Math.hypot(x - held.x, y - held.y) < (held.touch ? 7 : 3)) return;
    if (!held.moved) {
      held.moved = true;
      this.hooks.begin();
      if (held.k < 0) this.put(held.x, held.y, held.flip);
    }
    if (held.k >= 0) this.hooks.move(held.k, ...this.inside(x, y), event.timeStamp);
    else if (Math.hypot(x - held.last[0], y - held.last[1]) >= SPRAY) {
      held.last = [x, y];
      this.put(x, y, held.flip);
    }
  }

  up(event) {
    const held = this.held;
    this.held = null;
    if (!held || held.moved) return;
    if (held.k >= 0) {
      if (held.touch) this.menuFor = held.k;
      this.hooks.spoken(this.told(held.k));
      this.redrawHand();
      return;
    }
    if (this.selected >= 0 && held.touch && this.menuFor >= 0) { // A tap beside it lets a point go.
      this.menuFor = this.selected = -1;
      this.redrawHand();
      return;
    }
    this.hooks.begin();
    this.put(held.x, held.y, held.flip);
  }

  put(x, y, flip) {
    this.selected = this.menuFor = -1;
    this.hooks.add(...this.inside(x, y), flip ? -this.sign : this.sign);
  }

  told(k) {
    const [x, y, sign] = this.points_[k];
    return t("plane.point", { k: k + 1, count: this.points_.length, x: x.toFixed(2), y: y.toFixed(2), label: t(sign > 0 ? "ui.positive" : "ui.negative") });
  }

  key(event) {
    if (this.isFixed || event.ctrlKey || event.metaKey || event.altKey) return;
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const count = this.points_.length, k = this.selected, step = event.shiftKey ? 8 : 1;
    if (event.key in arrows) {
      const [dx, dy] = arrows[event.key].map((v) => (v * step * 4) / SNAP);
      if (k >= 0) {
        const [x, y] = this.points_[k];
        if (!event.repeat) this.hooks.begin();
        this.hooks.move(k, ...this.inside(...this.px([x + dx, y + dy])), event.timeStamp);
        this.hooks.spoken(this.told(k));
      } else {
        const [x, y] = this.cursor ?? [0, 0], limit = this.reach;
        this.cursor = [x + dx, y + dy].map((v) => Math.min(limit, Math.max(-limit, v)));
        this.hooks.spoken(t("plane.cursor", { x: this.cursor[0].toFixed(2), y: this.cursor[1].toFixed(2) }));
        this.redrawHand();
      }
    } else if (/^[np]$/i.test(event.key) && count) {
      const way = event.key.toLowerCase() === "n" ? 1 : -1;
      this.selected = k < 0 ? (way > 0 ? 0 : count - 1) : (k + way + count) % count;
      this.hooks.spoken(this.told(this.selected));
      this.redrawHand();
    } else if (event.key === "Escape" && k >= 0) {
      this.selected = -1;
      this.redrawHand();
    } else if ((event.key === "Delete" || event.key === "Backspace") && k >= 0) {
      this.selected = -1;
      this.hooks.remove(k);
    } else if (/^l$/i.test(event.key) && k >= 0) {
      this.hooks.relabel(k);
    } else if (event.key === "Enter" && k < 0) {
      this.cursor ??= [0, 0];
      this.hooks.begin();
      this.hooks.add(...this.cursor.map(snapped), this.sign);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
