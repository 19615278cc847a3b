/* flow_state.js -- what the Flow view shows, and how it stands in the address.
 *
 *   #flow&rule=hardmax&gamma=0.1&n=24&seed=1          options by their names, as on the command line
 *   #flow&x=1,0;-1,0;0,0.5&rule=localmax&t=12          tokens given, at step 12
 *
 *   x      tokens, a row each          t       moves taken           at      of leaps and of time: log10 of it
 *   panes  three: rules side by side   colour  end, now, none        hide    parts of the picture
 *   turn   yaw,pitch of three dimensions
 */
export const VIEW = ['x', 't', 'at', 'panes', 'colour', 'hide', 'turn'];
export const PARTS = [['hull', 'hull'], ['cells', 'cells'], ['arrows', 'arrows'], ['trails', 'trails']];
export const THREE = ['hardmax', 'localmax', 'softmax'];

const EMERGING = '1,0.3333333333333333;-0.08333333333333333,0.08333333333333333;-1,-1;0,0.25;-0.3,-0.7;-0.6,-0.9;0.8,0.1;0.6,0.15';
const SQUARE = '1,1;1,-1;-1,-1;-1,1;-0.5,0;0.5,0;0.1,0.3;-0.3,-0.2;0.4,-0.4;-0.1,0.45';

/* Name, address, and one sentence. */
export const PRESETS = [
  ['Four leaders', 'rule=hardmax&gamma=0.1&n=24&seed=1', 'Every token walks to the vertex of the cell that it stands in.'],
  ['An emerging leader', `x=${EMERGING}&rule=hardmax&alpha=0.5`, 'Alcalde, Fantuzzi and Zuazua (2024), figure 2: after one step token 1 leads.'],
  ['A square and a pair', `x=${SQUARE}&rule=hardmax&alpha=0.5`, 'The same figure: four corners lead, and two tokens inside.'],
  ['Groups that listen to themselves', 'rule=localmax&epsilon=0.4&gamma=0.3&n=32&seed=1', 'Localmax: groups form, and a proof that they stay.'],
  ['Three rules at once', 'rule=hardmax&beta=4&epsilon=0.4&gamma=0.1&n=24&seed=1&panes=three', 'The same tokens under hardmax, localmax and softmax.'],
  ['A triangle that seems to rest', 'init=polygon&n=3&rule=softmax&beta=8&gamma=0.1', 'Metastable: it meets in the middle, after 25,000 steps.'],
  ['The same, leapt', 'init=polygon&n=3&rule=softmax&beta=100&gamma=0.1&leap=yes', 'At inverse temperature 100 that takes 10 to the power of 63.'],
  ['A staircase of 10³⁵⁰ steps', 'n=60&d=3&rule=softmax&beta=60&gamma=0.1&leap=yes', 'Sixty tokens meet one by one, each wait longer than all before it.'],
  ['On the sphere', 'init=sphere&n=96&d=3&dynamics=sa&beta=9&integrator=rk4&dt=0.1&time=1000', 'Self-attention on the unit sphere of space.'],
  ['On the circle', 'init=sphere&n=48&d=2&seed=3&dynamics=usa&beta=16&usa=shifted&integrator=rk4&dt=0.1&time=1e5', 'Clusters that last, on the circle.'],
  ['A token slides along a wall', 'n=12&d=2&dynamics=ode&rule=hardmax&key_query=-1&time=5', 'The hardmax flow in continuous time, piece by piece.'],
  ['The hull loses the origin', 'x=3,0;-1,0.4;-1,-0.4;0.2,1&rule=hardmax&key_query=-1&gamma=fw', 'Key-query −I and steps 2/(t+2): the origin, the small cross, is left outside.'],
  ['A pentagon', 'init=polygon&n=5&rule=softmax&beta=3&gamma=0.2', 'Regular polygons stay regular as they shrink.'],
  ['Two thousand tokens', 'n=2048&rule=softmax&beta=4&gamma=0.1', 'Softmax of every pair, at every frame.'],
];

export class FlowState {
  constructor() {
    this.options = {};
    this.x = null; /* { values: Float64Array, n, d } */
    this.moves = 0;
    this.clock = null;
    this.panes = 'one';
    this.colour = 'end';
    this.hide = new Set();
    this.turn = [0.6, 0.35];
  }

  static read(pairs) {
    const s = new FlowState();
    for (const [name, text] of pairs) {
      if (name === 'x') { s.x = readTokens(text, 'x'); }
      else if (name === 't') { s.moves = count(text); }
      else if (name === 'at') { s.clock = numberOf('at', text); }
      else if (name === 'panes') { s.panes = among('panes', text, ['one', 'three']); }
      else if (name === 'colour') { s.colour = among('colour', text, ['end', 'now', 'none']); }
      else if (name === 'hide') { s.hide = new Set(text.split(',').map(p => among('hide', p, PARTS.map(q => q[0])))); }
      else if (name === 'turn') { s.turn = text.split(',').map(t => numberOf('turn', t)).slice(0, 2); }
      else { s.options[name.replace(/-/g, '_')] = text; }
    }
    if (s.turn.length !== 2) { throw new Error('turn: must be two numbers, yaw and pitch'); }
    if (s.x) { ['n', 'd', 'init'].forEach(k => delete s.options[k]); }
    return s;
  }

  pairs() {
    const out = [];
    if (this.x) { out.push(['x', tokensText(this.x, ',', ';')]); }
    out.push(...Object.entries(this.options));
    if (this.clock !== null) { out.push(['at', String(this.clock)]); } else if (this.moves) { out.push(['t', String(this.moves)]); }
    if (this.panes !== 'one') { out.push(['panes', this.panes]); }
    if (this.colour !== 'end') { out.push(['colour', this.colour]); }
    if (this.hide.size) { out.push(['hide', [...this.hide].join(',')]); }
    if (this.turn[0] !== 0.6 || this.turn[1] !== 0.35) { out.push(['turn', this.turn.map(a => a.toFixed(2)).join(',')]); }
    return out;
  }
}

/* Numbers as the page reads and writes them: a double has one shortest text. */
function numberOf(name, text) {
  const x = text.trim() === '' ? NaN : Number(text);
  if (!Number.isFinite(x)) { throw new Error(`${name}: "${text.slice(0, 40)}" is not a number`); }
  return x;
}

function count(text) {
  const x = numberOf('t', text);
  if (x < 0 || !Number.isInteger(x) || x > 9e18) { throw new Error(`t = ${text}: must be a whole number from 0 to 9e18`); }
  return x;
}

function among(name, text, names) {
  if (!names.includes(text)) { throw new Error(`${name} = ${text.slice(0, 40)}: must be one of ${names.join(', ')}`); }
  return text;
}

export function readTokens(text, name) {
  const rows = text.trim().split(/[;\n]+/).map(r => r.trim()).filter(r => r);
  return fromRows(rows.map(row => row.split(/[,\s]+/).filter(c => c).map(c => numberOf(name, c))), name);
}

export function fromRows(rows, name) {
  const n = rows.length, d = Array.isArray(rows[0]) ? rows[0].length : n;
  if (!n || !d) { throw new Error(`${name}: there are no tokens`); }
  if (n * d > 1e6) { throw new Error(`${name}: ${n} tokens of dimension ${d} are too many for a page`); }
  const values = new Float64Array(n * d);
  rows.forEach((row, i) => {
    if (!Array.isArray(row) || row.length !== d) { throw new Error(`${name}: row ${i} has ${row?.length ?? 'no'} numbers, row 0 has ${d}`); }
    row.forEach((c, a) => {
      if (typeof c !== 'number' || !Number.isFinite(c)) { throw new Error(`${name}: row ${i} has something that is no number`); }
      values[i * d + a] = c;
    });
  });
  return { values, n, d };
}

export function tokensText({ values, n, d }, between, end) {
  const rows = [];
  for (let i = 0; i < n; i++) { rows.push(Array.from(values.subarray(i * d, i * d + d), numberText).join(between)); }
  return rows.join(end);
}

const numberText = x => (Object.is(x, -0) ? '-0' : String(x));
