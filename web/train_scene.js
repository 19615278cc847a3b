/* train_scene.js -- two pictures of a training: the plane of the tokens, and the plane in which weights move. Any pen draws.
 *
 * Weights are seen by what they ask for: u = p of a prompt, u = W z of each query. A token's logit is <key, u>, so tokens and
 * u share a plane. In the second picture distances from the middle are logarithmic, since u grows forever; directions are
 * what they are.
 */
import { arrow, number } from './draw.js';

/* u of every query: { input, u: [a, b], log }, the true vector being e^log u. */
export function asked(queries, tensors, K) {
  const of = name => tensors.find(t => t.name === name), p = of('p'), w = of('W'), k = of('K'), q = of('Q');
  return queries.map(({ input, token, z }) => {
    let u = [0, 0], log = 0;
    if (p) { u = [p.values[0], p.values[1]]; log = p.log; }
    else if (w) { u = [0, 1].map(r => z.reduce((s, c, a) => s + w.values[r * w.columns + a] * c, 0)); log = w.log; }
    else if (k && q) {
      const inner = Array.from({ length: q.columns }, (_, m) => z.reduce((s, c, a) => s + q.values[a * q.columns + m] * c, 0));
      u = [0, 1].map(r => inner.reduce((s, c, m) => s + k.values[r * k.columns + m] * c, 0));
      log = k.log + q.log;
    }
    return { input, token, u, log };
  });
}

/* A solution's weights, lists as the library tells them, as tensors. */
export function asTensors(weights, matrix) {
  if (!weights) { return null; }
  const rows = weights, flat = rows.flat(2);
  return flat.length ? [{ name: matrix ? 'W' : 'p', log: 0, rows: rows.length, columns: matrix ? flat.length / rows.length : 1, values: flat }] : null;
}

const lengthOf = v => Math.hypot(v[0], v[1]);
export const logOf = a => (lengthOf(a.u) > 0 ? Math.log(lengthOf(a.u)) + a.log : -Infinity);
export const unit = a => { const l = lengthOf(a.u) || 1; return [a.u[0] / l, a.u[1] / l]; };

/* Attention of every token of an input under a: softmax of the logits, for the eye. */
export function attention(state, i, a) {
  const [x, y] = unit(a), log = logOf(a), scale = log > 600 ? 1e260 : Math.exp(log);
  const logits = Array.from({ length: state.T }, (_, t) => { const k = state.key(i, t); return scale * (k[0] * x + k[1] * y); });
  const top = Math.max(...logits), e = logits.map(l => Math.exp(l - top)), sum = e.reduce((s, v) => s + v, 0);
  return e.map(v => v / sum);
}

/* ---- the plane of the tokens ---- */

const forInput = (asks, i) => asks.find(a => a.input === i) ?? asks[0];

/* A token: a disc for the label 1, a diamond for -1; its area is the attention that it gets. */
function mark(pen, x, y, r, diamond, style) {
  if (!diamond) { pen.disc(x, y, r, style); return; }
  const k = r * 1.2;
  pen.path([[x, y - k], [x + k, y], [x, y + k], [x - k, y]], { close: true, ...style });
}

/* Where <x, u> is what the solution asks of the tokens that are not selected: a line for each input, through its half way. */
function margins(pen, s) {
  const { state, eye, tone, alpha } = s, reach = 0.55 * eye.reach;
  for (let i = 0; i < state.n; i++) {
    const a = alpha?.[i], solution = forInput(s.solution ?? [], i);
    if (!(a >= 0) || !solution || lengthOf(solution.u) === 0) { continue; }
    const u = solution.u.map(c => c * Math.exp(solution.log)), size = u[0] ** 2 + u[1] ** 2, k = state.key(i, a);
    const across = [-u[1], u[0]].map(c => c / Math.sqrt(size));
    const line = [-1, 1].map(side => eye.see(k[0] - u[0] / size + side * reach * across[0], k[1] - u[1] / size + side * reach * across[1], 0));
    const home = [-1, 1].map(side => eye.see(k[0] + side * reach * across[0], k[1] + side * reach * across[1], 0));
    pen.path([...line, ...home.reverse()], { close: true, fill: tone.group(i), alpha: 0.08 });
    pen.path(line, { stroke: tone.group(i), width: 1, alpha: 0.8, dash: [4, 4] });
  }
}

/* From the origin, as far as the picture goes below its words. */
function ray(pen, s, a, style) {
  const [x, y] = unit(a), { eye } = s, o = eye.see(0, 0, 0), within = (room, step) => (step === 0 ? Infinity : room / step);
  const far = Math.min(x > 0 ? within(eye.width - 12 - o[0], x) : within(12 - o[0], x), y > 0 ? within(o[1] - eye.above - 4, y) : within(o[1] - eye.height + 12, y));
  if (far > 0) { pen.path([o, [o[0] + far * x, o[1] - far * y]], style); }
}

export function drawTokens(pen, s) {
  const { state, eye, tone } = s, o = eye.see(0, 0, 0);
  pen.path([[o[0] - 5, o[1]], [o[0] + 5, o[1]]], { stroke: tone.faint, width: 1 });
  pen.path([[o[0], o[1] - 5], [o[0], o[1] + 5]], { stroke: tone.faint, width: 1 });
  if (s.show.margins && state.model !== 'sequence') { margins(pen, s); }
  for (const a of s.solution ?? []) {
    ray(pen, s, a, { stroke: a.input < 0 ? tone.soft : tone.group(a.input), width: 1.2, dash: [1, 4], alpha: state.model === 'sequence' ? 0.3 : 0.9 });
  }
  if (s.decoder && lengthOf(s.decoder) > 0) {
    const l = lengthOf(s.decoder), tip = eye.see(0.5 * eye.reach * s.decoder[0] / l, 0.5 * eye.reach * s.decoder[1] / l, 0);
    arrow(pen, o, tip, { stroke: tone.soft, width: 1.5, head: 7 });
    pen.text(tip[0] + 7, tip[1] - 5, 'v', { size: 14, fill: tone.soft, serif: true, italic: true, halo: tone.paper });
  }
  for (const a of s.asks) {
    if (!Number.isFinite(logOf(a))) { continue; }
    const [x, y] = unit(a), grown = 1 - 1 / (1 + Math.log1p(Math.exp(Math.min(600, logOf(a))))), length = eye.reach * (0.12 + 0.8 * grown);
    const tip = eye.see(x * length, y * length, 0), stroke = a.input < 0 ? tone.accent : tone.group(a.input);
    arrow(pen, o, tip, { stroke, width: a.input < 0 ? 3 : 2.2, head: 11, alpha: state.model === 'sequence' ? 0.5 : 1 });
    if (a.input < 0) { pen.text(tip[0] + 9, tip[1] - 6, 'p', { size: 16, fill: stroke, serif: true, italic: true, halo: tone.paper }); }
    else if (a.token === undefined) { pen.text(tip[0] + 8, tip[1] - 6, state.n > 1 ? `Wz${a.input}` : 'Wz', { size: 14, fill: stroke, serif: true, italic: true, halo: tone.paper }); }
  }
  tokens(pen, s);
}

function tokens(pen, s) {
  const { state, eye, tone, alpha } = s, many = state.n * state.T > 60, r = many ? 6 : 8;
  for (let i = 0; i < state.n; i++) {
    const fill = tone.group(i), weights = s.asks.length ? attention(state, i, forInput(s.asks, i)) : null, diamond = state.data.y[i] < 0;
    for (let t = 0; t < state.T; t++) {
      const k = state.key(i, t), [x, y] = eye.see(k[0], k[1], 0), share = s.show.attention && s.selects && weights ? weights[t] : 1;
      mark(pen, x, y, r, diamond, { fill: tone.paper, stroke: fill, width: 1.4 });
      mark(pen, x, y, r * Math.sqrt(share), diamond, { fill });
      if (s.selects && alpha?.[i] === t) { mark(pen, x, y, r + 4, diamond, { stroke: fill, width: 1.6 }); }
      if (s.chosen?.[0] === i && s.chosen[1] === t) { pen.disc(x, y, r + 8, { stroke: tone.accent, width: 2 }); }
      if (!many || s.chosen?.[0] === i) {
        pen.text(x + r + 6, y + 4, `${state.n > 8 ? i + '·' : ''}${t}`, { size: 11, fill: tone.soft, halo: tone.paper });
      }
    }
    if (state.data.z && state.matrix) {
      const z = state.data.z[i], [x, y] = eye.see(z[0], z[1], 0), a = 5;
      [[a, a], [a, -a]].forEach(([c, e]) => pen.path([[x - c, y - e], [x + c, y + e]], { stroke: fill, width: 2.2 }));
      if (s.chosen?.[0] === i && s.chosen[1] === 'z') { pen.disc(x, y, 12, { stroke: tone.accent, width: 2 }); }
      pen.text(x + 9, y + 4, `z${state.n > 1 ? i : ''}`, { size: 12, fill, serif: true, italic: true, halo: tone.paper });
    }
  }
  if (s.chosen && s.chosen[1] !== 'z') {
    const [i, t] = s.chosen, k = state.key(i, t), [x, y] = eye.see(k[0], k[1], 0), score = state.score(i, t), right = x < eye.width - 210;
    pen.text(x + (right ? 16 : -16), y - 13, `(${number(k[0], 3)}, ${number(k[1], 3)})` + (Number.isNaN(score) ? '' : `  score ${number(score, 3)}`),
      { size: 12, fill: tone.ink, anchor: right ? 'start' : 'end', halo: tone.paper });
  }
}

/* ---- the plane of the weights ---- */

/* A disc whose radius is log(1 + |u|), up to |u| = e^most. */
export class Disc {
  size(width, height, above, most) {
    Object.assign(this, { width, height, most });
    this.centre = [width / 2, above + (height - above) / 2];
    this.radius = Math.max(20, Math.min(width / 2 - 26, (height - above) / 2 - 26));
    this.whole = most > 30 ? most : Math.log1p(Math.exp(most));
  }
  rho(log) { return log > 30 ? log : Math.log1p(Math.exp(log)); }
  see(a) {
    const l = logOf(a), [x, y] = unit(a), r = l === -Infinity ? 0 : this.radius * Math.min(1, this.rho(l) / this.whole);
    return [this.centre[0] + r * x, this.centre[1] - r * y];
  }
  rim(a, more = 0) {
    const [x, y] = unit(a);
    return [this.centre[0] + (this.radius + more) * x, this.centre[1] - (this.radius + more) * y];
  }
  /* u under a place of the screen. */
  point(px, py) {
    const x = px - this.centre[0], y = this.centre[1] - py, r = Math.hypot(x, y);
    if (r < 2) { return [0, 0]; }
    const size = Math.expm1(Math.min(1, r / this.radius) * this.whole);
    return [size * x / r, size * y / r];
  }
}

/* A colour on paper, as it would look with that opacity: cells that touch show no seams. */
function mixed(paper, ink, share) {
  const part = (c, k) => parseInt(c.slice(1 + 2 * k, 3 + 2 * k), 16);
  return '#' + [0, 1, 2].map(k => Math.round((1 - share) * part(paper, k) + share * part(ink, k)).toString(16).padStart(2, '0')).join('');
}

function basins(pen, s) {
  const { disc, tone, basins: b } = s;
  b.ends.forEach((end, k) => {
    const corners = b.corners(b.cells[k]).map(u => disc.see({ u, log: 0 }));
    pen.path(corners, { close: true, fill: mixed(tone.paper, end === '' ? tone.line : s.inks(b.kinds.get(end)), end === '' ? 0.6 : 0.34) });
  });
}

export function drawDisc(pen, s) {
  const { disc, tone, state } = s, [cx, cy] = disc.centre;
  if (s.show.basins && s.basins) { basins(pen, s); }
  pen.disc(cx, cy, disc.radius, { stroke: tone.line, width: 1 });
  for (let e = Math.ceil(disc.most / Math.LN10) - 1; e >= 0; e--) {
    const r = disc.radius * disc.rho(e * Math.LN10) / disc.whole;
    if (r < disc.radius - 10 && r > 12 && (disc.most < 16 || e % Math.ceil(disc.most / 16) === 0)) {
      pen.disc(cx, cy, r, { stroke: tone.line, width: 0.75, alpha: 0.8 });
      pen.text(cx, cy + r - 3, e < 4 ? String(10 ** e) : `1e${e}`, { size: 10, fill: tone.faint, anchor: 'middle', halo: s.basins && s.show.basins ? null : tone.paper });
    }
  }
  const colour = a => (a.input < 0 ? tone.accent : tone.group(a.input));
  for (const fan of s.show.fan ? s.fan : []) {
    for (const a of fan.asks) { pen.disc(...disc.rim(a), 2.4, { fill: a.input < 0 ? tone.ink : colour(a), alpha: 0.75 }); }
  }
  for (const a of s.solution ?? []) {
    pen.path([[cx, cy], disc.rim(a)], { stroke: a.input < 0 ? tone.ink : colour(a), width: 1.2, dash: [1, 4] });
    if (a.token === undefined) { pen.text(...spot(disc.rim(a, 13)), 'l₂', { size: 12, fill: tone.ink, anchor: 'middle', serif: true, italic: true, halo: tone.paper }); }
  }
  for (const a of s.own ?? []) {
    pen.path([[cx, cy], disc.rim(a)], { stroke: a.input < 0 ? tone.ink : colour(a), width: 1.4, dash: [7, 4] });
    const words = `p = ${number(state.lp, 3)}`;
    if (a.token === undefined) { pen.text(...spot(disc.rim(a, -30)), words, { size: 12, fill: tone.ink, anchor: 'middle', serif: true, italic: true, halo: tone.paper }); }
  }
  s.trails.forEach(trail => {
    const points = trail.map(a => disc.see(a));
    pen.path(points, { stroke: tone.paper, width: 4, alpha: 0.7 });
    pen.path(points, { stroke: colour(trail[0]), width: 2 });
    pen.disc(...points[0], 4, { fill: tone.paper, stroke: colour(trail[0]), width: 1.8 });
  });
  for (const point of s.show.path ? s.path ?? [] : []) {
    for (const a of point.asks.filter(b => logOf(b) <= disc.most)) { const [x, y] = disc.see(a); pen.path([[x - 4, y + 3.5], [x, y - 4], [x + 4, y + 3.5]], { close: true, fill: tone.paper, stroke: tone.ink, width: 1.3 }); }
  }
  for (const a of s.asks) { pen.disc(...disc.see(a), 5.5, { fill: colour(a), stroke: tone.paper, width: 1.6 }); }
}

const spot = ([x, y]) => [x, y + 4];
