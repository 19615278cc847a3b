/* train_state.js -- what the Training view shows, and how it stands in the address.
 *
 *   #train&data=mm-fig-1a&optimizer=nmirror&p=1.2&t=400      a set by its name, options by theirs, the step
 *   #train&X=1,0;0,1|0,0;1,1&y=1,-1&v=0,1                    inputs: rows end with ;  inputs with |
 *
 *   X, y, v, z, K  the data; K=place: tokens without their last number, the score      w  weights at the start, by rows
 *   t  steps taken      lp  exponent of the solution that is drawn beside      hide  parts of the picture
 */
import { SETS } from './train_sets.js';

export const PARTS = [['attention', 'attention'], ['margins', 'margins'], ['fan', 'all lₚ solutions'], ['basins', 'where starts end'],
  ['path', 'regularisation path']];
const MOST = { inputs: 12, tokens: 24 };

/* Name, address, and one sentence. */
export const PRESETS = [
  ['Two tokens that can win', 'data=mm-fig-1b&t=40', 'Ataee Tarzanagh and others (2023), figure 1b: which of two locally optimal tokens wins is up to the start. Click into the right picture to move it.'],
  ['One token wins from everywhere', 'data=mm-fig-1a&t=60', 'Figure 1a: the same input with another score. Gradient descent finds token 0 from any start.'],
  ['Three inputs of seven tokens', 'data=mm-fig-1c&t=200', 'Figure 1c: one direction has to separate the best token of each of three inputs.'],
  ['Sign descent and the largest entry', 'data=mm-fig-1c&optimizer=sign&lp=64&eta=0.05&t=200', 'The optimiser chooses the norm: sign descent goes to the solution of the largest entry, near the one of exponent 64.'],
  ['Mirror descent, p = 1.5', 'data=mm-fig-1c&optimizer=nmirror&p=1.5&lp=1.5&t=300', 'Julistiono and others (2024): mirror descent with the potential of an lₚ norm goes to its margin.'],
  ['Scores 10 and 1', 'data=mm-fig-5&t=300', 'Figure 5: how much an input counts changes the way, not the direction.'],
  ['The global direction is missed', 'data=mm-fig-8&w=0,-2&t=300', 'Figure 8, with our numbers: from this start descent ends at tokens that are only locally optimal.'],
  ['Attention and decoder at once', 'data=mm-fig-3a&model=joint&t=500', 'Figure 3a: p and the decoder v are trained together; every input supports the problem of the labels.'],
  ['A label that is not at the margin', 'data=mm-fig-3b&model=joint&t=500', 'Figure 3b: the third input does not support it, and its margin is relaxed.'],
  ['A matrix W', 'data=tf-fig-1&t=200', 'Transformers as support vector machines (2023), figure 1: what W makes of the two queries.'],
  ['A matrix W, five tokens', 'data=tf-fig-1b&t=200', 'The second picture of that kind.'],
  ['Keys and queries, W = K Qᵀ', 'data=tf-fig-1b&model=kq&start=normal&width=1&t=400', 'Two factors of rank one; the limit has a small nuclear norm.'],
  ['Adam', 'data=tf-fig-1b&optimizer=adam&eta=0.05&t=300', 'Adam on the same data, beside the l2 solution.'],
  ['Rounding decides', 'data=mm-fig-1a&gradient=naive&optimizer=ngd&t=3000', 'A plain gradient, once attention is saturated, follows rounding errors.'],
];

const numberOf = (name, text) => {
  const x = String(text).trim() === '' ? NaN : Number(text);
  if (!Number.isFinite(x)) { throw new Error(`${name}: "${String(text).slice(0, 40)}" is not a number`); }
  return x;
};
const rowsOf = (name, text) => text.split(';').filter(r => r.trim()).map(r => r.split(',').map(c => numberOf(name, c)));
const textOf = x => (Object.is(x, -0) ? '-0' : String(x));
const rowsText = rows => rows.map(r => r.map(textOf).join(',')).join(';');

/* A list of lists of numbers, n rows of d (either 0: any). */
function table(name, rows, n, d) {
  const width = d || (Array.isArray(rows?.[0]) ? rows[0].length : 0);
  if (!Array.isArray(rows) || !rows.length || (n && rows.length !== n)) { throw new Error(`${name}: has ${rows?.length ?? 'no'} rows, must have ${n || 'some'}`); }
  rows.forEach((row, i) => {
    if (!Array.isArray(row) || row.length !== width || !width) { throw new Error(`${name}: row ${i} has ${row?.length ?? 'no'} numbers, must have ${width || 'some'}`); }
    row.forEach(c => { if (typeof c !== 'number' || !Number.isFinite(c)) { throw new Error(`${name}: row ${i} has something that is no number`); } });
  });
  return rows.map(r => [...r]);
}

/* Data as the program's JSON has them: X (n, T, d), y, v, z, K as lists. Refuses what is no data, or not of the plane. */
export function readData(json, name) {
  const X = json.X;
  if (!Array.isArray(X) || !X.length || !Array.isArray(X[0])) { throw new Error(`${name}: X must be inputs of tokens, such as X=1,0;0,1|0,0;1,1`); }
  if (json.E || json.ids) { throw new Error(`${name}: next-token data are for the program; the page trains on tokens of the plane`); }
  const n = X.length, T = X[0].length, d = X[0][0]?.length ?? 0;
  if (n > MOST.inputs || T > MOST.tokens) { throw new Error(`${name}: ${n} inputs of ${T} tokens are too many for a picture, at most ${MOST.inputs} of ${MOST.tokens}`); }
  const data = { X: X.map((x, i) => table(`X, input ${i}`, x, T, d)), y: json.y ?? X.map(() => 1) };
  data.y = table('y', [data.y], 1, n)[0];
  if (data.y.some(y => y !== 1 && y !== -1)) { throw new Error('y: each label must be -1 or 1'); }
  if (json.v) { data.v = table('v', Array.isArray(json.v[0]) ? json.v : [json.v], 1, d)[0]; }
  if (json.z) { data.z = table('z', json.z, n, d); }
  if (json.K) { data.K = json.K.map((k, i) => table(`K, input ${i}`, k, T, 0)); }
  const flat = data.K && data.K.length === n && data.K.every(k => k.every(r => r.length === data.K[0][0].length && r.slice(2).every(c => c === 0)));
  if (data.K ? !flat || data.K[0][0].length < 2 : d !== 2) {
    throw new Error(`${name}: ${data.K ? 'keys' : `tokens of dimension ${d}`} that are not in the plane; the page draws training in the plane`);
  }
  return data;
}

export const isPlace = data => Boolean(data.K) && data.X.every((x, i) => x.every((t, k) => data.K[i][k].length === t.length &&
  t.every((c, a) => Object.is(data.K[i][k][a], a === t.length - 1 ? 0 : c))));

function fromPairs(pairs) {
  const get = Object.fromEntries(pairs), json = {};
  if (get.X !== undefined) { json.X = get.X.split('|').map((x, i) => rowsOf(`X, input ${i}`, x)); }
  if (get.y !== undefined) { json.y = get.y.split(',').map(c => numberOf('y', c)); }
  if (get.v !== undefined) { json.v = rowsOf('v', get.v)[0]; }
  if (get.z !== undefined) { json.z = rowsOf('z', get.z); }
  if (get.K === 'place') { json.K = json.X.map(x => x.map(t => t.map((c, a) => (a === t.length - 1 ? 0 : c)))); }
  else if (get.K !== undefined) { json.K = get.K.split('|').map((x, i) => rowsOf(`K, input ${i}`, x)); }
  return readData(json, 'data');
}

const DATA = ['X', 'y', 'v', 'z', 'K'];
const MATRIX = new Set(['cross', 'self', 'sequence']);

export class TrainState {
  constructor() { this.options = {}; this.name = null; this.data = null; this.w = null; this.steps = 0; this.lp = 2; this.hide = new Set(['path']); }

  static named(name) {
    if (!Object.hasOwn(SETS, name)) { throw new Error(`data = ${name.slice(0, 40)}: the page has ${Object.keys(SETS).join(', ')}`); }
    return fromPairs([...new URLSearchParams(SETS[name])]);
  }

  static read(pairs) {
    const s = new TrainState(), own = pairs.filter(p => DATA.includes(p[0]));
    for (const [name, text] of pairs.filter(p => !DATA.includes(p[0]))) {
      if (name === 'data') { s.name = text; s.data = TrainState.named(text); }
      else if (name === 't') { s.steps = whole(text); }
      else if (name === 'lp') { s.lp = exponent(text); }
      else if (name === 'w') { s.w = text.split(/[,;]/).map(c => numberOf('w', c)); }
      else if (name === 'hide') { s.hide = new Set(text.split(',').filter(p => p !== 'none').map(part)); }
      else if (name === 'steps') { s.steps = whole(text); }
      else { s.options[name.replace(/-/g, '_')] = text; }
    }
    if (own.length) { s.data = fromPairs(own); s.name = null; }
    if (!s.data) { s.name = 'mm-fig-1b'; s.data = TrainState.named(s.name); }
    if (s.w) { delete s.options.start; s.checkStart(); }
    return s;
  }

  pairs() {
    const out = this.name ? [['data', this.name]] : [['X', this.data.X.map(rowsText).join('|')], ['y', this.data.y.join(',')]];
    if (!this.name) {
      if (this.data.v) { out.push(['v', rowsText([this.data.v])]); }
      if (this.data.z) { out.push(['z', rowsText(this.data.z)]); }
      if (this.data.K) { out.push(['K', isPlace(this.data) ? 'place' : this.data.K.map(rowsText).join('|')]); }
    }
    out.push(...Object.entries(this.options));
    if (this.w) { out.push(['w', this.w.map(textOf).join(',')]); }
    if (this.lp !== 2) { out.push(['lp', textOf(this.lp)]); }
    if (this.steps) { out.push(['t', String(this.steps)]); }
    const hidden = [...this.hide].sort().join(',');
    if (hidden !== 'path') { out.push(['hide', hidden || 'none']); }
    return out;
  }

  /* ---- sizes ---- */

  get n() { return this.data.X.length; }
  get T() { return this.data.X[0].length; }
  get d() { return this.data.X[0][0].length; }
  get model() {
    const m = this.options.model ?? 'auto';
    return m === 'auto' ? (this.data.z ? 'cross' : 'prompt') : m;
  }
  get matrix() { return MATRIX.has(this.model) || (this.model === 'joint' && Boolean(this.data.z)) || this.model === 'kq'; }
  /* Numbers of the weights at the start, where the page can give them; else 0. */
  get size() {
    return this.model === 'prompt' ? (this.data.K ? this.data.K[0][0].length : this.d) : MATRIX.has(this.model) ? this.d * this.d : 0;
  }
  checkStart() {
    if (this.w && this.w.length !== this.size) {
      throw new Error(`w: has ${this.w.length} numbers, ` + (this.size ? `must have ${this.size}` : `the model ${this.model} draws its own start (start=normal)`));
    }
  }

  key(i, t) { return (this.data.K ?? this.data.X)[i][t]; }
  score(i, t) { return this.data.v ? this.data.y[i] * this.data.X[i][t].reduce((s, c, a) => s + c * this.data.v[a], 0) : NaN; }
  /* The number of a token that is its score and no place. */
  get scored() { return isPlace(this.data) && this.d === 3 && this.data.v?.[2] === 1 && !this.data.v[0] && !this.data.v[1] ? 2 : -1; }

  /* Queries that the weights are seen by: { input, token, z }; z is null for a prompt. */
  queries() {
    const { X, z } = this.data, row = Number(this.options.row ?? 0) || 0;
    if (!this.matrix) { return [{ input: -1, z: null }]; }
    if (this.model === 'sequence') { return X.flatMap((x, input) => x.map((t, token) => ({ input, token, z: z?.[input] ?? t }))); }
    return X.map((x, input) => ({ input, z: (this.model === 'self' || !z ? null : z[input]) ?? x[Math.min(row, x.length - 1)] }));
  }

  arrays() {
    const { X, y, z, v, K } = this.data, flat = rows => Float64Array.from(rows.flat(2)), out = { x: { values: flat(X), shape: [this.n, this.T, this.d] },
      y: { values: Float64Array.from(y), shape: [this.n] } };
    if (z) { out.z = { values: flat(z), shape: [this.n, 1, this.d] }; }
    if (v) { out.v = { values: Float64Array.from(v), shape: [1, this.d] }; }
    if (K) { out.k = { values: flat(K), shape: [this.n, this.T, K[0][0].length] }; }
    if (this.w) { out.start = { values: Float64Array.from(this.w), shape: [this.w.length] }; }
    return out;
  }
}

function whole(text) {
  const x = numberOf('t', text);
  if (x < 0 || !Number.isInteger(x) || x > 1e9) { throw new Error(`t = ${text}: must be a whole number from 0 to 1e9`); }
  return x;
}
export function exponent(text) {
  const x = numberOf('lp', text);
  if (!(x >= 1.05 && x <= 64)) { throw new Error(`lp = ${text}: must be from 1.05 to 64`); }
  return x;
}
function part(text) {
  if (!PARTS.some(p => p[0] === text)) { throw new Error(`hide = ${text.slice(0, 40)}: must be of ${PARTS.map(p => p[0]).join(', ')}, or none`); }
  return text;
}
