// Small helpers for SVG, and lines of equal value on a grid.

const SVG = "http://www.w3.org/2000/svg";

export function make(name, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

export function el(name, properties = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes("-")) node.setAttribute(key, value);
    else node[key] = value;
  }
  node.append(...children);
  return node;
}

// Numbers of a grid that the server sends: rows from below, as float32 in base 64.
export function decodeGrid(region) {
  if (!region.decoded) {
    const bytes = Uint8Array.from(atob(region.values), (c) => c.charCodeAt(0));
    region.decoded = new Float32Array(bytes.buffer);
  }
  return region.decoded;
}

// The path along which the values of a grid are a level, cell by cell; place(column, row) says where.
export function levelPath(values, n, level, place) {
  const parts = [];
  const cross = (a, b) => (level - a) / (b - a);
  const at = (x, y) => place(x, y).map((v) => v.toFixed(1)).join(" ");
  for (let j = 0; j + 1 < n; j++) {
    for (let i = 0; i + 1 < n; i++) {
      const a = values[j * n + i], b = values[j * n + i + 1];
      const d = values[(j + 1) * n + i], c = values[(j + 1) * n + i + 1];
      const kind = (a > level) | ((b > level) << 1) | ((c > level) << 2) | ((d > level) << 3);
      if (kind === 0 || kind === 15) continue;
      const bottom = () => at(i + cross(a, b), j), right = () => at(i + 1, j + cross(b, c));
      const top = () => at(i + cross(d, c), j + 1), left = () => at(i, j + cross(a, d));
      const put = (from, to) => parts.push(`M${from}L${to}`);
      const saddle = (a + b + c + d) / 4 > level;
      if (kind === 1 || kind === 14) put(left(), bottom());
      else if (kind === 2 || kind === 13) put(bottom(), right());
      else if (kind === 4 || kind === 11) put(right(), top());
      else if (kind === 8 || kind === 7) put(left(), top());
      else if (kind === 3 || kind === 12) put(left(), right());
      else if (kind === 6 || kind === 9) put(bottom(), top());
      else if ((kind === 5) === saddle) { put(left(), top()); put(bottom(), right()); }
      else { put(left(), bottom()); put(right(), top()); }
    }
  }
  return parts.join("");
}

// Paint the sides of a grid on a canvas, stronger where values are further from 0.
export function paintRegion(canvas, region, soft) {
  const values = decodeGrid(region), n = region.n, size = 2 * n;
  if (canvas.width !== size) canvas.width = canvas.height = size;
  const style = getComputedStyle(document.documentElement);
  const [positive, negative] = ["--positive-rgb", "--negative-rgb"].map((name) =>
    style.getPropertyValue(name).split(",").map(Number));
  const context = canvas.getContext("2d"), image = context.createImageData(size, size);
  const step = (n - 1) / (size - 1);
  for (let y = 0; y < size; y++) {
    const v = (size - 1 - y) * step, j = Math.min(n - 2, v | 0), q = v - j;
    for (let x = 0; x < size; x++) {
      const u = x * step, i = Math.min(n - 2, u | 0), p = u - i, k = j * n + i;
      const below = values[k] * (1 - p) + values[k + 1] * p;
      const above = values[k + n] * (1 - p) + values[k + n + 1] * p;
      const value = below * (1 - q) + above * q;
      const colour = value >= 0 ? positive : negative;
      const size_ = Math.abs(value);
      const strength = soft ? 0.04 + 0.3 * Math.tanh(size_ / 3) : 0.1 + 0.16 * Math.min(1, size_);
      const place = 4 * (y * size + x);
      image.data[place] = colour[0];
      image.data[place + 1] = colour[1];
      image.data[place + 2] = colour[2];
      image.data[place + 3] = 255 * strength;
    }
  }
  context.putImageData(image, 0, 0);
}
