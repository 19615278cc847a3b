/* flow_export.js -- what leaves the page: the command line and the Python that give the same numbers, JSON, CSV, pictures. */
import { tokensText } from './flow_state.js';

const quoted = text => (/^[A-Za-z0-9_.,:+@%/=-]+$/.test(text) ? text : `'${text.replace(/'/g, `'\\''`)}'`);
const isRows = text => /[,;]/.test(text) && /^[-+0-9eE.,; ]+$/.test(text);
const MATRICES = ['key_query', 'value'];

/* The options of a run that ends where the picture is. */
function ending(state, frame, leaps) {
  const options = { ...state.options };
  if (leaps) { options.steps = state.options.steps ?? 'inf'; } else { options.steps = String(frame.moves); }
  return options;
}

/* A shell script: files that it needs, then the command. */
export function commandLine(state, frame, leaps) {
  const options = ending(state, frame, leaps), files = [], words = ['tropism flow'];
  const file = (name, rows) => files.push(`cat > ${name} <<'END'\n${rows}\nEND`);
  if (state.x) {
    file('tokens.csv', tokensText(state.x, ',', '\n'));
    words.push('--tokens tokens.csv');
  }
  for (const [name, text] of Object.entries(options)) {
    const option = '--' + name.replace(/_/g, '-');
    if (MATRICES.includes(name) && isRows(text)) {
      file(`${name}.csv`, text.replace(/\s*;\s*/g, '\n'));
      words.push(`${option} ${name}.csv`);
    } else if (name === 'leap') {
      if (/^(1|yes|on|true)$/.test(text)) { words.push(option); }
    } else {
      words.push(`${option} ${quoted(text)}`);
    }
  }
  words.push('--json');
  return [...files, words.join(' ')].join('\n') + '\n';
}

function value(name, text) {
  if (MATRICES.includes(name) && isRows(text)) { return '[' + text.split(';').map(r => `[${r.trim().replace(/[\s,]+/g, ', ')}]`).join(', ') + ']'; }
  if (name === 'leap') { return /^(1|yes|on|true)$/.test(text) ? 'True' : 'False'; }
  return /^[-+]?[0-9]+$/.test(text) && text.length < 16 ? text : text.trim() !== '' && Number.isFinite(Number(text)) ? text : JSON.stringify(text);
}

export function python(state, frame, leaps) {
  const { n, d, init, seed, ...rest } = ending(state, frame, leaps);
  const drawn = Object.entries({ n, d, init, seed }).filter(([, v]) => v !== undefined);
  const tokens = state.x
    ? '[\n' + tokensText(state.x, ', ', '\n').split('\n').map(r => `    [${r}],`).join('\n') + '\n]'
    : null;
  const given = [...(state.x ? [] : drawn.filter(([k]) => k !== 'seed')), ...Object.entries(rest), ...(seed !== undefined ? [['seed', seed]] : [])];
  const list = given.map(([k, v]) => `${k}=${value(k, v)}`);
  return 'import tropism as tr\n\n' + (tokens ? `tokens = ${tokens}\n` : '') +
    `run = tr.flow(${[...(tokens ? ['tokens'] : []), ...list].join(', ')}).run()\nprint(run.tokens)\nprint(run.certificate.kind, run.residual)\n`;
}

/* The fields as the program nests them; members of objects that have no value are left out. */
export function nested(fields) {
  const out = {};
  for (const [name, v] of Object.entries(fields)) {
    const [head, member] = name.split('.');
    if (!member) { out[head] = v; } else if (v !== null) { (out[head] ||= {})[member] = v; }
  }
  return out;
}

export function resultJson(state, frame, fields, engine) {
  const { n, d, init, seed, ...rest } = ending(state, frame, false);
  const cloud = state.x ? {} : Object.fromEntries(Object.entries({ n, d, init, seed }).filter(([, v]) => v !== undefined));
  return JSON.stringify({
    ...nested(fields), options: { ...cloud, ...rest }, version: engine.tables.version,
    ...(state.x ? { start: Array.from({ length: state.x.n }, (_, i) => Array.from(state.x.values.subarray(i * state.x.d, (i + 1) * state.x.d))) } : {}),
    made_by: `the explorer, ${engine.module} module`,
  }, null, 1) + '\n';
}

export const tokensCsv = (values, n, d) => tokensText({ values, n, d }, ',', '\n') + '\n';
