/* flow_options.js -- the controls of a noun's options, from its table: every option has its help text and range, and those
 * that have no part under the others are put away, with what would make them apply. */
import { field, make, segments, select, slider, toggle } from './parts.js';

/* Where options stand; those of the table that are named nowhere come last. */
export const GROUPS = [
  ['Rule', ['rule', 'beta', 'epsilon', 'form', 'k', 'a', 'confidence', 'ties', 'mask']],
  ['Step', ['dynamics', 'gamma', 'alpha', 'value', 'integrator', 'dt', 'time', 'leap', 'usa', 'clock', 'accuracy']],
  ['Scores', ['key_query', 'draw_key_query', 'draw_value']],
  ['Engine', ['merge', 'cluster', 'closed_form', 'leap_tolerance', 'steps', 'tolerance', 'until', 'method', 'precision']],
];
const OPEN = 2; /* of them are open at first */
/* Nothing to choose in a page: tokens come by hand, and it has one thread and one kernel. */
const AWAY = new Set(['tokens', 'masses', 'n', 'd', 'init', 'seed', 'threads', 'kernel']);
/* How far sliders go; the field beside each takes whatever the option takes. */
const SLIDERS = {
  beta: [0.1, 1000], epsilon: [0.001, 10], gamma: [0.01, 1], alpha: [0.01, 10], dt: [0.001, 1], time: [1, 1e6], k: [1, 64, true],
  a: [1, 8], confidence: [0.01, 10], eta: [0.001, 10], p: [1.05, 64], bend: [0.01, 100], start_scale: [0.01, 100],
};
const UNSET = { gamma: '0.5', steps: 'as many as asked for' };

export class Options {
  /* change(name, text): text is null when the option goes back to its default. */
  constructor(table, change, groups = GROUPS, away = AWAY) {
    this.table = table.filter(o => o.type !== 'array');
    this.change = change;
    this.box = make('div', { class: 'options' });
    this.open = new Set(groups.slice(0, OPEN).map(g => g[0]));
    const named = new Set(groups.flatMap(g => g[1]));
    const rest = this.table.map(o => o.name).filter(n => !named.has(n) && !away.has(n));
    this.groups = rest.length ? [...groups, ['More', rest]] : groups;
  }

  /* given: texts by name; applies: those that have a part, with their values. */
  show(given, applies, wrong = {}) {
    const focus = document.activeElement?.closest?.('[data-option]')?.dataset.option;
    this.box.replaceChildren(...this.groups.map(([name, list]) => this.group(name, list, given, applies, wrong)));
    if (focus) { this.box.querySelector(`[data-option="${focus}"] input:checked, [data-option="${focus}"] input, [data-option="${focus}"] select`)?.focus(); }
  }

  group(name, list, given, applies, wrong) {
    const here = list.map(n => this.table.find(o => o.name === n)).filter(o => o);
    const on = here.filter(o => o.name in applies || o.name in given), off = here.filter(o => !on.includes(o));
    if (!on.length) { return ''; }
    const box = make('details', { class: 'group', ontoggle: () => (box.open ? this.open.add(name) : this.open.delete(name)) },
      make('summary', {}, name, make('small', {}, this.open.has(name) ? '' : this.told(on, given))),
      on.map(o => this.row(o, given, applies, wrong[o.name])),
      off.length ? make('p', { class: 'off' }, 'With other choices: ', off.map((o, k) => [k ? ', ' : '',
        make('span', { title: `${o.meaning}; ${o.when}` }, o.name.replace(/_/g, ' '))])) : null);
    box.open = this.open.has(name);
    return box;
  }

  told(on, given) {
    return on.filter(o => o.name in given).map(o => `${o.name.replace(/_/g, '-')} ${given[o.name]}`).join(', ');
  }

  row(o, given, applies, wrong) {
    const set = o.name in given, value = given[o.name] ?? (UNSET[o.name] || applies[o.name] || o.default);
    const words = o.name.replace(/_/g, ' '), change = t => this.change(o.name, t === '' ? null : t);
    return make('div', { class: set ? 'option set' : 'option', 'data-option': o.name },
      make('div', { class: 'head' }, make('span', { class: 'name' }, words),
        set ? make('button', { class: 'unset', type: 'button', title: 'back to ' + (UNSET[o.name] || o.default || 'its default'),
          onclick: () => this.change(o.name, null) }, 'default') : null),
      this.control(o, value, change, words),
      make('p', { class: 'help' }, o.meaning, make('span', { class: 'range' }, this.range(o))),
      wrong ? make('p', { class: 'wrong' }, wrong) : null);
  }

  range(o) {
    /* A page has no files to read numbers from; a matrix is written as rows. */
    const words = o.type === 'matrix' ? 'identity, a number times it, or rows: 1,0;0,2' : o.range.replace(/,? or @FILE/, '');
    return o.type === 'choice' || o.type === 'flag' || !words ? '' : ' · ' + words;
  }

  control(o, value, change, words) {
    if (o.type === 'flag') {
      return toggle({ label: /^(1|yes|on|true)$/.test(value) ? 'on' : 'off', value: /^(1|yes|on|true)$/.test(value), change: v => change(v ? 'yes' : '') });
    }
    if (o.type === 'choice') {
      const choices = o.names.map(n => [n, n]);
      const common = o.name === 'rule' ? o.names.slice(0, 3) : null;
      if (common) {
        const others = o.names.slice(3), other = others.includes(value);
        return make('div', { class: 'pair' },
          segments({ label: words, choices: common.map(n => [n, n]), value, change }),
          select({ label: 'other rules', choices: [['', 'another rule'], ...others.map(n => [n, n])], value: other ? value : '', change }));
      }
      return o.names.length <= 4 && o.names.join('').length < 34 ? segments({ label: words, choices, value, change })
        : select({ label: words, choices, value, change });
    }
    if (SLIDERS[o.name]) {
      const [low, high, whole = false] = SLIDERS[o.name];
      return slider({ label: words, value, low, high, whole, change });
    }
    return field({ label: words, value, change, placeholder: o.default || '' });
  }
}
