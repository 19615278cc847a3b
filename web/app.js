/* app.js -- the page: views, the address, the theme, keys, what is dropped. A view is
 *
 *   { name, title, mount(host), root, open(pairs), close(), key(event), drop(name, text) }
 *
 * and stands in `views`. Its address is #name&key=value&...; host.address(pairs) writes it, host.go(text) goes to one,
 * host.notice(sentence) says what was wrong, host.painted() tells that a first picture is there.
 */
import { engine } from './engine.js';
import { flow } from './flow.js';
import { icon, make } from './parts.js';
import { train } from './train.js';

const views = [flow, train];
let view = null;

const host = {
  address(pairs) {
    const text = '#' + [view.name, ...pairs.map(([k, v]) => `${k}=${encodeURIComponent(v).replace(/%2C/g, ',').replace(/%3B/g, ';').replace(/%3A/g, ':').replace(/%7C/g, '|')}`)].join('&');
    if (location.hash !== text) { history.replaceState(null, '', text); }
  },
  go(text, quiet = false) {
    history.replaceState(null, '', '#' + text);
    openAddress(quiet);
  },
  notice(words, kind = 'wrong') {
    const box = document.getElementById('notice');
    box.replaceChildren(make('span', {}, words), make('button', { type: 'button', 'aria-label': 'close', onclick: () => box.replaceChildren() }, icon('close')));
    box.className = kind;
    clearTimeout(this.timer);
    if (kind === 'fine') { this.timer = setTimeout(() => box.replaceChildren(), 5000); }
  },
  painted() {
    if (!document.documentElement.dataset.painted) { document.documentElement.dataset.painted = String(Math.round(performance.now())); }
  },
};

/* "#name&key=value&...": the view, and pairs of texts. */
function parse(hash) {
  const words = hash.replace(/^#/, '').split('&').filter(w => w);
  const name = words[0]?.includes('=') ? 'flow' : words.shift() ?? 'flow';
  const text = t => {
    try { return decodeURIComponent(t.replace(/\+/g, ' ')); } catch (e) { throw new Error(`the address has "${t.slice(0, 40)}", which is no text`); }
  };
  return [name, words.map(w => {
    const at = w.indexOf('=');
    if (at < 1) { throw new Error(`the address has "${w.slice(0, 40)}" where name=value is expected`); }
    return [text(w.slice(0, at)), text(w.slice(at + 1))];
  })];
}

async function openAddress(quiet = false) {
  try {
    if (!quiet) { document.getElementById('notice').replaceChildren(); }
    const [name, pairs] = parse(location.hash), next = views.find(v => v.name === name);
    if (!next) { throw new Error(`there is no view "${name.slice(0, 40)}"; there are ${views.map(v => v.name).join(', ')}`); }
    show(next);
    await next.open(pairs);
  } catch (e) {
    host.notice(e.message);
    show(view ?? views[0]);
    if (location.hash.length > 1) {
      history.replaceState(null, '', '#' + view.name);
      await view.open([]);
      host.notice(e.message);
    }
  }
}

function show(next) {
  if (view === next) { return; }
  view?.close();
  view = next;
  document.getElementById('view').replaceChildren(view.root);
  document.querySelectorAll('nav a').forEach(a => (a.dataset.view === view.name ? a.setAttribute('aria-current', 'page') : a.removeAttribute('aria-current')));
}

/* ---- theme: what the system says, until the reader says otherwise ---- */

function theme(next) {
  document.documentElement.dataset.theme = next;
  try { localStorage.setItem('tropism-theme', next); } catch (e) { /* a page from disk may have no storage */ }
  view?.draw?.();
}
function isDark() {
  const set = document.documentElement.dataset.theme;
  return set ? set === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

/* ---- events ---- */

function listen() {
  addEventListener('hashchange', () => openAddress());
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => view?.draw?.());
  addEventListener('keydown', e => {
    if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.nodeName) && e.target.type !== 'radio' && e.target.type !== 'checkbox') { return; }
    if (e.target.nodeName === 'BUTTON' && (e.key === ' ' || e.key === 'Enter')) { return; }
    view?.key?.(e);
  });
  addEventListener('dragover', e => { e.preventDefault(); document.body.classList.add('drop'); });
  addEventListener('dragleave', e => { if (!e.relatedTarget) { document.body.classList.remove('drop'); } });
  addEventListener('drop', async e => {
    e.preventDefault();
    document.body.classList.remove('drop');
    if (e.dataTransfer.files[0]) { take(e.dataTransfer.files[0]); }
  });
  document.getElementById('file').onchange = e => { if (e.target.files[0]) { take(e.target.files[0]); e.target.value = ''; } };
}

async function take(file) {
  try {
    if (file.size > 64e6) { throw new Error(`${file.name}: is larger than 64 MB`); }
    const text = await file.text();
    for (const v of [view, ...views.filter(x => x !== view)]) {
      const before = view;
      show(v);
      if (await v.drop(file.name, text)) { return; }
      show(before);
    }
    throw new Error(`${file.name}: is no result that this page knows: it has no tokens`);
  } catch (e) {
    host.notice(e.message);
  }
}

async function start() {
  try {
    const kept = localStorage.getItem('tropism-theme');
    if (kept === 'dark' || kept === 'light') { document.documentElement.dataset.theme = kept; }
  } catch (e) { /* as above */ }
  try {
    await engine.start();
  } catch (e) {
    host.notice(`The library does not start in this browser: ${e.message}. It needs WebAssembly with SIMD and DecompressionStream, which browsers have since 2023.`);
    return;
  }
  document.querySelector('nav').replaceChildren(...views.map(v => make('a', { href: '#' + v.name, 'data-view': v.name }, v.title)));
  document.getElementById('theme').append(icon('sun'));
  document.getElementById('theme').onclick = () => theme(isDark() ? 'light' : 'dark');
  views.forEach(v => v.mount(host));
  listen();
  await openAddress();
  document.documentElement.dataset.ready = 'yes';
}

start();
