/* parts.js -- elements of the page: made by one function, and the controls that options need. */

/* make('button', { class: 'quiet', onclick: f }, 'words', child, ...) */
export function make(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) { e.addEventListener(name.slice(2), value); }
    else if (value === true) { e.setAttribute(name, ''); }
    else if (value !== false && value !== null && value !== undefined) { e.setAttribute(name, value); }
  }
  e.append(...children.flat(Infinity).filter(c => c !== null && c !== undefined && c !== false));
  return e;
}

/* Small drawings, 16 by 16, in the colour of the text. */
const ICONS = {
  play: 'M4.5 2.5v11l9-5.5z', pause: 'M4 3h2.8v10H4zM9.2 3H12v10H9.2z', step: 'M3 3l6.5 5L3 13zM11 3h2v10h-2z',
  back: 'M13 3L6.5 8l6.5 5zM3 3h2v10H3z', start: 'M13.5 3.2L8 8l5.5 4.8zM7.5 3.2L2 8l5.5 4.8z',
  end: 'M2.5 3.2L8 8l-5.5 4.8zM8.5 3.2L14 8l-5.5 4.8z',
  down: 'M3.5 6l4.5 4.5L12.5 6l-.9-.9L8 8.7 4.4 5.1z', close: 'M4 4.9L7.1 8 4 11.1l.9.9L8 8.9l3.1 3.1.9-.9L8.9 8 12 4.9 11.1 4 8 7.1 4.9 4z',
  sun: 'M8 5a3 3 0 100 6 3 3 0 000-6zM7.4 1h1.2v2.2H7.4zM7.4 12.8h1.2V15H7.4zM1 7.4h2.2v1.2H1zM12.8 7.4H15v1.2h-2.2zM2.6 3.5l.9-.9 1.5 1.6-.8.8zM11 11.9l.9-.9 1.5 1.6-.8.8zM11 4.2l1.6-1.6.8.9L11.9 5zM2.6 12.6L4.2 11l.8.9-1.5 1.5z',
  share: 'M8 1.5l3.6 3.6-.9.9-2.1-2.1V10H7.4V3.9L5.3 6l-.9-.9zM3 8h1.2v5h7.6V8H13v6.2H3z',
  save: 'M7.4 2h1.2v6.1l2.1-2.1.9.9L8 10.5 4.4 6.9l.9-.9 2.1 2.1zM3 11h1.2v2h7.6v-2H13v3.2H3z',
};
export function icon(name) {
  const e = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  e.setAttribute('viewBox', '0 0 16 16');
  e.setAttribute('class', 'icon');
  e.setAttribute('aria-hidden', 'true');
  e.innerHTML = `<path d="${ICONS[name]}"/>`;
  return e;
}

/* A few choices side by side: radio buttons to keyboards and readers. */
let groups = 0;
export function segments({ label, choices, value, change, wrap = false }) {
  const name = 'segments' + ++groups;
  const box = make('div', { class: wrap ? 'segments wrap' : 'segments', role: 'radiogroup', 'aria-label': label });
  for (const [key, words] of choices) {
    const input = make('input', { type: 'radio', name, value: key, onchange: () => change(key) });
    input.checked = key === value;
    box.append(make('label', {}, input, make('span', {}, words)));
  }
  return box;
}

export function select({ label, choices, value, change }) {
  const e = make('select', { 'aria-label': label, onchange: () => change(e.value) },
    choices.map(([key, words]) => make('option', { value: key }, words)));
  e.value = value;
  return make('span', { class: 'select' }, e, icon('down'));
}

export function toggle({ label, value, change }) {
  const input = make('input', { type: 'checkbox', role: 'switch', onchange: () => change(input.checked) });
  input.checked = value;
  return make('label', { class: 'switch' }, input, make('i', {}), make('span', {}, label));
}

/* A text that is taken at Enter and when the field is left. */
export function field({ label, value, change, placeholder = '' }) {
  const e = make('input', { type: 'text', class: 'field', 'aria-label': label, placeholder, spellcheck: 'false', autocomplete: 'off',
    onchange: () => change(e.value.trim()),
    onkeydown: event => { if (event.key === 'Enter') { e.blur(); } event.stopPropagation(); } });
  e.value = value;
  return e;
}

/* A slider from low to high on a logarithmic (or plain) scale, beside a field for any text. */
export function slider({ label, value, low, high, log = true, change, whole = false }) {
  const to = x => (log ? Math.log(x / low) / Math.log(high / low) : (x - low) / (high - low));
  const from = p => {
    const x = log ? low * (high / low) ** p : low + p * (high - low);
    return whole ? String(Math.round(x)) : String(Number(x.toPrecision(3)));
  };
  const place = text => Math.min(1, Math.max(0, to(Number(text))));
  const bar = make('input', { type: 'range', min: '0', max: '1', step: whole && !log ? String(1 / (high - low)) : '0.002',
    'aria-label': label, oninput: () => { text.value = from(Number(bar.value)); paint(); change(text.value); } });
  const text = field({ label: label + ', as text', value, change: t => { bar.value = place(t) || 0; paint(); change(t); } });
  const paint = () => bar.style.setProperty('--at', 100 * Number(bar.value) + '%');
  bar.value = Number.isNaN(place(value)) ? 0 : place(value);
  paint();
  return make('div', { class: 'slider' }, bar, text);
}

/* A file for the reader to keep. */
export function save(name, content, type) {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const address = URL.createObjectURL(blob);
  const link = make('a', { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch (e) {
    const area = make('textarea', { class: 'away' });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
}
