/* train_data.js -- changes of the data by hand: places of tokens and queries, labels, scores, more and fewer of them. */
const short = x => Number(x.toFixed(4));
const turned = ([x, y, ...rest], angle) => [short(x * Math.cos(angle) - y * Math.sin(angle)), short(x * Math.sin(angle) + y * Math.cos(angle)), ...rest];

/* Whether the first two numbers of a token are its place and nothing else: then the decoder does not read them. */
const plain = data => !data.K || (data.X[0][0].length > 2 && data.v && data.v[0] === 0 && data.v[1] === 0);

/* what: [i, t], or [i, 'z']. */
export function move(data, [i, t], [x, y]) {
  const place = row => { row[0] = short(x); row[1] = short(y); };
  if (t === 'z') { place(data.z[i]); return; }
  if (data.K) { place(data.K[i][t]); }
  if (plain(data)) { place(data.X[i][t]); }
}

export function addInput(data) {
  const last = data.X.length - 1, angle = 0.7;
  data.X.push(data.X[last].map(t => turned(t, angle)));
  data.y.push(data.y[last]);
  if (data.K) { data.K.push(data.K[last].map(t => turned(t, angle))); }
  if (data.z) { data.z.push(turned(data.z[last], angle)); }
}

export function removeInput(data, i) {
  for (const key of ['X', 'y', 'z', 'K']) { data[key]?.splice(i, 1); }
}

/* A token more in every input, or one fewer. */
export function resize(data, more) {
  for (const key of ['X', 'K']) {
    data[key]?.forEach(rows => { if (more) { rows.push(turned(rows[rows.length - 1], 0.9).map((c, a) => (a < 2 && Math.hypot(...rows[rows.length - 1].slice(0, 2)) === 0 ? 0.5 : c))); } else { rows.pop(); } });
  }
}

export const scoresText = (data, i, a) => data.X[i].map(t => String(t[a])).join(', ');
export function setScores(data, i, a, text) {
  const list = text.split(/[,\s]+/).filter(c => c).map(Number);
  if (list.length !== data.X[i].length || !list.every(Number.isFinite)) { throw new Error(`scores of input ${i}: must be ${data.X[i].length} numbers`); }
  list.forEach((s, t) => { data.X[i][t][a] = s; });
}

export function setVector(data, text) {
  const list = text.split(/[,\s]+/).filter(c => c).map(Number);
  if (list.length !== data.X[0][0].length || !list.every(Number.isFinite)) { throw new Error(`v: must be ${data.X[0][0].length} numbers`); }
  data.v = list;
}
