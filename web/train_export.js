/* train_export.js -- the command line and the Python that give the weights that the page shows; results and data as JSON. */
import { nested } from './flow_export.js';
import { SETS } from './train_sets.js';

const quoted = text => (/^[A-Za-z0-9_.,:+@%/=-]+$/.test(text) ? text : `'${text.replace(/'/g, `'\\''`)}'`);
const number = x => (Object.is(x, -0) ? '-0.0' : String(x));
const list = x => (Array.isArray(x) ? `[${x.map(list).join(', ')}]` : number(x));
const isOn = text => /^(1|yes|on|true)$/.test(text);
const FLAGS = ['backtrack', 'polynomial'];

/* The data as the program reads them. */
export const dataJson = data => '{' + Object.entries(data).map(([k, v]) => `"${k}": ${list(v)}`).join(', ') + '}';

function startJson(state) {
  const w = state.w, d = state.d;
  return state.model === 'prompt' ? `{"p": ${list(w)}}` : `{"W": ${list(Array.from({ length: d }, (_, r) => w.slice(r * d, r * d + d)))}}`;
}

/* The name of the set, where it says all: a seed would draw another one. */
const named = state => (state.name && SETS[state.name] && !('seed' in state.options) ? state.name : null);

export function commandLine(state, steps) {
  const files = [], words = ['tropism train'], file = (name, text) => files.push(`cat > ${name} <<'END'\n${text}\nEND`);
  if (named(state)) { words.push(`--data ${state.name}`); } else { file('data.json', dataJson(state.data)); words.push('--data data.json'); }
  for (const [name, text] of Object.entries(state.options)) {
    const option = '--' + name.replace(/_/g, '-');
    if (!FLAGS.includes(name)) { words.push(`${option} ${quoted(text)}`); } else if (isOn(text)) { words.push(option); }
  }
  if (state.w) { file('start.json', startJson(state)); words.push('--start start.json'); }
  words.push(`--steps ${steps}`, '--json');
  return [...files, words.join(' ')].join('\n') + '\n';
}

export function python(state, steps) {
  const value = (name, text) => (FLAGS.includes(name) ? (isOn(text) ? 'True' : 'False')
    : text.trim() !== '' && Number.isFinite(Number(text)) && text.length < 40 ? text : JSON.stringify(text));
  const given = Object.entries(state.options).map(([k, v]) => `${k === 'lambda' ? 'lambda_' : k}=${value(k, v)}`);
  if (state.w) { given.push(`start=${startJson(state)}`); }
  const data = '{\n' + Object.entries(state.data).map(([k, v]) => `    "${k}": ${list(v)},\n`).join('') + '}';
  return 'import tropism as tr\n\n' + (named(state) ? '' : `data = ${data}\n`) +
    `run = tr.train(${[named(state) ? JSON.stringify(state.name) : 'data', ...given, `steps=${steps}`].join(', ')}).run()\n` +
    'print(run.weights)\nprint(run.loss, run.alpha, run.correlation)\n';
}

export function resultJson(state, steps, fields, engine) {
  return JSON.stringify({ ...nested(fields), options: { ...state.options, steps, n: state.n, T: state.T, d: state.d }, data: state.data,
    ...(state.w ? { start: JSON.parse(startJson(state)) } : {}), version: engine.tables.version, made_by: `the explorer, ${engine.module} module` }, null, 1) + '\n';
}

/* The history, a row a record. */
export function historyCsv(history) {
  const columns = ['step', 'loss', 'log_gap', 'norm', 'saturation', 'correlation', 'bregman'];
  return [columns.join(','), ...history.map(r => columns.map(c => r[c] ?? '').join(','))].join('\n') + '\n';
}
