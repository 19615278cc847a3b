/* flow_scene.js -- the picture of a flow: tokens, hull, cells, arrows, trails. One function draws it with any pen. */
import { arrow, number } from './draw.js';

/* Where tokens are on the screen. The plane is fitted once for a cloud; space is turned by yaw and pitch, and what is
 * beyond three dimensions is left out. */
export class Eye {
  constructor() { this.centre = [0, 0, 0]; this.reach = 1; this.zoom = 1; this.shift = [0, 0]; this.turn = [0.6, 0.35]; }

  /* above: pixels that words take at the top. */
  fit(values, n, d, sphere) {
    const low = [0, 0, 0], high = [0, 0, 0];
    for (let c = 0; c < Math.min(3, d); c++) {
      low[c] = Infinity; high[c] = -Infinity;
      for (let i = 0; i < n; i++) { low[c] = Math.min(low[c], values[i * d + c]); high[c] = Math.max(high[c], values[i * d + c]); }
      if (sphere) { low[c] = -1; high[c] = 1; }
    }
    this.d = d;
    this.centre = low.map((l, c) => (l + high[c]) / 2);
    this.half = low.map((l, c) => (high[c] - l) / 2);
    let reach = 0;
    for (let i = 0; i < n && d > 2; i++) {
      reach = Math.max(reach, Math.hypot(values[i * d] - this.centre[0], values[i * d + 1] - this.centre[1], values[i * d + 2] - this.centre[2]));
    }
    this.reach = (sphere ? 1.12 : 1.05 * reach) || 1;
    this.zoom = 1;
    this.shift = [0, 0];
  }

  size(width, height, above = 0) {
    this.width = width;
    this.height = height;
    this.above = above;
    const w = width / 2 - 34, h = (height - above) / 2 - 26;
    this.scale = this.zoom * (this.d >= 3 ? Math.min(w, h) / (0.86 * this.reach)
      : Math.min(w / (this.half[0] || 1e-300), h / (this.half[1] || 1e-300), this.d === 1 ? w / (this.half[0] || 1) : Infinity));
    if (!Number.isFinite(this.scale) || this.scale <= 0) { this.scale = Math.min(w, h); }
    [this.cy, this.sy] = [Math.cos(this.turn[0]), Math.sin(this.turn[0])];
    [this.cp, this.sp] = [Math.cos(this.turn[1]), Math.sin(this.turn[1])];
  }

  /* x, y on the screen, and how near (1) or far (-1). */
  see(x, y, z) {
    x -= this.centre[0]; y -= this.centre[1]; z -= this.centre[2];
    let depth = 0;
    if (this.d >= 3) {
      const u = this.cy * x - this.sy * y, v = this.sy * x + this.cy * y;
      [x, y, depth] = [u, this.cp * z + this.sp * v, (this.cp * v - this.sp * z) / -this.reach];
    }
    return [this.width / 2 + this.shift[0] + x * this.scale, (this.height + this.above) / 2 + this.shift[1] - y * this.scale, depth];
  }

  token(values, i) {
    const d = this.d, at = i * d;
    return this.see(values[at], d > 1 ? values[at + 1] : 0, d > 2 ? values[at + 2] : 0);
  }

  /* The point of the plane under a place of the screen. */
  point(px, py) {
    return [(px - this.width / 2 - this.shift[0]) / this.scale + this.centre[0], -(py - (this.height + this.above) / 2 - this.shift[1]) / this.scale + this.centre[1]];
  }
}

/* Labels with the numbers of a reference where they mean the same: each cluster takes the number that most of its tokens had,
 * if no larger one has it, so that colours stay while tokens are dragged, and agree between pictures. */
export function renumber(labels, reference) {
  if (!reference || reference.length !== labels.length) { return labels; }
  const size = Math.max(...labels, ...reference) + 1, common = new Map();
  labels.forEach((l, i) => { const key = l * size + reference[i]; common.set(key, (common.get(key) ?? 0) + 1); });
  const name = new Map(), used = new Set();
  for (const [key] of [...common].sort((a, b) => b[1] - a[1])) {
    const l = Math.floor(key / size), r = key % size;
    if (!name.has(l) && !used.has(r)) { name.set(l, r); used.add(r); }
  }
  let free = 0;
  return labels.map(l => {
    if (!name.has(l)) {
      while (used.has(free)) { free++; }
      name.set(l, free);
      used.add(free);
    }
    return name.get(l);
  });
}

/* Shadows of what is solid: the outline of points on the screen. */
function outline(points) {
  const p = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]), turn = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  const half = list => {
    const out = [];
    for (const q of list) {
      while (out.length > 1 && turn(out[out.length - 2], out[out.length - 1], q) <= 0) { out.pop(); }
      out.push(q);
    }
    return out.slice(0, -1);
  };
  return p.length < 3 ? p : [...half(p), ...half(p.reverse())];
}

function ground(pen, s) {
  const { eye, tone } = s;
  if (s.sphere && eye.d === 2) {
    const ring = [];
    for (let k = 0; k <= 96; k++) { ring.push(eye.see(Math.cos(k * Math.PI / 48), Math.sin(k * Math.PI / 48), 0)); }
    pen.path(ring, { stroke: tone.line, width: 1 });
  } else if (s.sphere && eye.d >= 3) {
    const [x, y] = eye.see(0, 0, 0);
    pen.disc(x, y, eye.scale, { stroke: tone.line, width: 1 });
    for (const [a, b] of [[0, 1], [1, 2], [0, 2]]) {
      const ring = [];
      for (let k = 0; k <= 72; k++) {
        const p = [0, 0, 0];
        p[a] = Math.cos(k * Math.PI / 36);
        p[b] = Math.sin(k * Math.PI / 36);
        ring.push(eye.see(...p));
      }
      pen.path(ring, { stroke: tone.line, width: 0.75, alpha: 0.6 });
    }
  }
  const [x, y] = eye.see(0, 0, 0);
  pen.path([[x - 5, y], [x + 5, y]], { stroke: tone.faint, width: 1 });
  pen.path([[x, y - 5], [x, y + 5]], { stroke: tone.faint, width: 1 });
}

function solids(pen, s) {
  const { eye, tone, cells, tokens } = s;
  if (!cells) { return; }
  const label = v => (s.labels ? s.labels[v] : -1);
  if (s.show.cells && cells.cells) {
    for (const { vertex, polygon } of cells.cells) {
      if (polygon && polygon.length > 2) {
        pen.path(polygon.map(([x, y]) => eye.see(x, y, 0)),
          { close: true, fill: s.tone.group(s.labels ? label(vertex) : vertex), alpha: 0.13 });
        pen.path(polygon.map(([x, y]) => eye.see(x, y, 0)), { close: true, stroke: tone.paper, width: 1.5 });
      }
    }
  }
  if (!s.show.hull) { return; }
  const corner = cells.vertices.map(v => eye.token(tokens, v));
  if (eye.d >= 3 && corner.length > 2) { pen.path(outline(corner), { close: true, fill: tone.soft, alpha: 0.06 }); }
  const edges = cells.edges;
  if (edges && edges.length < 4000) {
    for (const [a, b] of edges) {
      const p = eye.token(tokens, a), q = eye.token(tokens, b);
      const near = eye.d >= 3 ? 0.5 + 0.5 * Math.max(-1, Math.min(1, p[2] + q[2])) : 1;
      pen.path([p, q], { stroke: tone.soft, width: 1, alpha: 0.2 + 0.5 * near });
    }
  } else {
    pen.path(outline(corner), { close: true, stroke: tone.soft, width: 1, alpha: 0.6 });
  }
}

function follow(pen, s) {
  const { eye, tone, tokens, n } = s;
  const ends = k => [eye.token(tokens, k[0]), eye.token(tokens, k[1])];
  if (s.weights) {
    for (let i = 0; i < n; i++) {
      const strong = s.chosen < 0 ? 0.55 : s.chosen === i ? 1 : 0.08;
      for (let j = 0; j < n; j++) {
        const w = s.weights[i * n + j];
        if (i !== j && w > 0.02) {
          const [p, q] = ends([i, j]);
          arrow(pen, p, q, { stroke: tone.ink, width: 0.6 + 1.2 * w, alpha: strong * Math.min(1, 0.1 + w), head: 5, gap: 6 });
        }
      }
    }
  } else if (s.target) {
    for (let i = 0; i < n; i++) {
      if (s.target[i] >= 0 && s.target[i] !== i) {
        const [p, q] = ends([i, s.target[i]]);
        arrow(pen, p, q, { stroke: tone.ink, width: 0.9, alpha: s.chosen < 0 || s.chosen === i ? 0.34 : 0.07, head: 6, gap: 7 });
      }
    }
  }
}

const CROWD = 150; /* tokens, from which on they have no rim */

function marks(pen, s) {
  const { eye, tone, tokens, n } = s;
  const r = n <= 64 ? 5 : n <= 300 ? 3.4 : n <= 1000 ? 2.4 : 1.7;
  const order = [];
  for (let i = 0; i < n; i++) { order.push([i, ...eye.token(tokens, i)]); }
  if (eye.d >= 3) { order.sort((a, b) => a[3] - b[3]); }
  const leads = new Set(s.leaders ?? []);
  for (const [i, x, y, depth] of order) {
    const size = eye.d >= 3 ? r * (1 + 0.3 * Math.max(-1, Math.min(1, depth))) : r;
    const fill = s.labels ? tone.group(s.labels[i]) : tone.ink;
    if (n > CROWD) {
      pen.disc(x, y, size, { fill, alpha: eye.d >= 3 ? 0.6 + 0.35 * depth : 0.85 });
    } else {
      pen.disc(x, y, size, { fill, stroke: tone.paper, width: 1.4 });
    }
    if (leads.has(i) && n <= 600) { pen.disc(x, y, size + 3.6, { stroke: fill, width: 1.5 }); }
  }
  if (s.chosen >= 0 && s.chosen < n) {
    const [x, y] = eye.token(tokens, s.chosen);
    pen.disc(x, y, r + 7, { stroke: tone.accent, width: 2 });
    const at = Array.from(tokens.subarray(s.chosen * eye.d, s.chosen * eye.d + Math.min(4, eye.d)), v => number(v, 3)).join(', ');
    const right = x < eye.width - 150;
    pen.text(x + (right ? 14 : -14), y - 10, `${s.chosen}  (${at}${eye.d > 4 ? ', …' : ''})`,
      { size: 12, fill: tone.ink, anchor: right ? 'start' : 'end', halo: tone.paper });
  }
}

/* s: { eye, tone, tokens, n, labels, leaders, target, weights, cells, trails, start, chosen, sphere, show } */
export function drawScene(pen, s) {
  ground(pen, s);
  solids(pen, s);
  if (s.show.trails && s.trails) {
    for (let i = 0; i < s.n; i++) {
      const points = s.trails.map(x => s.eye.token(x, i));
      pen.path(points, { stroke: s.labels ? s.tone.group(s.labels[i]) : s.tone.soft, width: 1.1, alpha: 0.45 });
      if (points.length > 1) { pen.disc(points[0][0], points[0][1], 2, { stroke: s.tone.soft, width: 1, alpha: 0.8 }); }
    }
  }
  if (s.show.arrows) { follow(pen, s); }
  marks(pen, s);
}
