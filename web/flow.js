/* flow.js -- the Flow view: tokens that attend to each other, touched.
 *
 * The library's flows live in the Worker, one a pane. The view keeps what is given (FlowState), asks for frames, and draws
 * the last one; nothing is computed here but places on the screen.
 */
import { CanvasPen, SvgPen, colours, number, power } from './draw.js';
import { engine } from './engine.js';
import { Series, clockAt, drawCurves, placeOf } from './flow_axis.js';
import { commandLine, python, resultJson, tokensCsv } from './flow_export.js';
import { Options } from './flow_options.js';
import { drawScene, renumber } from './flow_scene.js';
import { FlowState, PARTS, PRESETS, THREE, fromRows, readTokens } from './flow_state.js';
import { copy, field, make, save, segments, select, toggle } from './parts.js';
import { View } from './view.js';

const SPHERE = new Set(['sa', 'usa', 'sa-step']);
const TIMED = new Set(['ode', 'sa', 'usa', 'sa-step']);
const ARROWS = 48;  /* tokens, up to which every arrow is drawn */
const TRAILS = 80;  /* tokens with trails, */
const PAST = 160;   /* and frames in them */
const SOLID = 3000; /* tokens with hulls and cells */
const MOST = 16;    /* clusters that are told apart by colours */

/* What certificates say: a headline, and what is known beside it. */
const steps = c => (c === null ? 'from here on' : c === 0 ? 'from the start on' : `from step ${power(Math.log10(c))} on`);
const SAYS = {
  none: () => ['Nothing is proved yet', ''],
  metastable: j => ['It seems to rest, and nothing proves that it does',
    `Metastable: ${number(j['certificate.rate'], 3)} diameters per step`],
  consensus: j => ['Proved: all tokens meet', `Consensus; the diameter is ${number(j['certificate.diameter'], 3)}`],
  'theorem-4.2': j => ['Proved: every token follows its leader forever',
    `Theorem 4.2, ${steps(j['certificate.step'])}; ${many(j['certificate.groups'], 'leader')}`],
  quiescence: j => ['Proved: no token will follow others any more',
    `Quiescence, ${steps(j['certificate.step'])}; ${many(j['certificate.groups'], 'group')}`],
  'fixed-point': () => ['Proved: every token rests, or its limit is known', 'A fixed point'],
  sliding: j => ['A token slides along a wall', `Token ${j['certificate.token']}, between ${(j['certificate.wall'] ?? []).join(' and ')}: the flow is not defined beyond`],
};
const PROVED = new Set(['consensus', 'theorem-4.2', 'quiescence', 'fixed-point']);
const many = (k, noun) => `${k} ${noun}${k === 1 ? '' : 's'}`;

class Flow extends View {
  name = 'flow';
  title = 'Flow';

  mount(host) {
    super.mount(host);
    this.panes = [];
    this.chosen = -1;
    this.tool = 'move';
    this.build();
  }

  /* ---- the page ---- */

  build() {
    this.stage = make('div', { class: 'stage' });
    const transport = this.transport('residual, energy and clusters over time', 'to the end, or as far as the axis goes (End)');
    this.options = new Options(engine.tables.nouns.flow.options, (name, text) => this.setOption(name, text));
    this.tokensBox = make('div', { class: 'tokens' });
    const side = make('aside', { class: 'side', 'aria-label': 'what is run' }, this.presetBox(PRESETS), this.tokensBox, this.options.box, this.exportBox());
    this.root = make('section', { class: 'flow', 'aria-label': 'Flow' }, make('div', { class: 'left' }, this.stage, transport), side);
    this.watcher = new ResizeObserver(() => this.draw());
    this.watcher.observe(this.stage);
    this.watcher.observe(this.curves);
  }

  showTokens() {
    const s = this.state, first = this.panes[0], table = engine.tables.nouns.flow.options;
    const about = n => { const o = table.find(x => x.name === n); return `${o.meaning} (${o.range || 'any'})`; };
    const cell = n => make('label', { class: 'cell', title: about(n) }, make('span', {}, n),
      field({ label: about(n), value: s.options[n] ?? table.find(o => o.name === n).default, change: t => this.setOption(n, t || null) }));
    const drawn = !s.x;
    this.tokensBox.replaceChildren(
      make('h2', {}, 'Tokens', make('small', {}, first ? `${first.n} in ${many(first.d, 'dimension')}${first.d > 3 ? ', three of them in sight' : ''}` : '')),
      drawn ? make('div', { class: 'cells' }, cell('n'), cell('d'), cell('seed'),
        select({ label: about('init'), choices: table.find(o => o.name === 'init').names.map(n => [n, n]), value: s.options.init ?? 'gaussian',
          change: v => this.setOption('init', v) }))
        : make('p', { class: 'help' }, 'Placed by hand. ', make('button', { class: 'text', type: 'button', onclick: () => this.redraw() }, 'Draw them anew')),
      make('div', { class: 'tools' },
        segments({ label: 'what the pointer does', choices: [['move', 'drag'], ['add', 'draw'], ['remove', 'remove']], value: this.tool,
          change: v => { this.tool = v; this.stage.dataset.tool = v; } }),
        make('button', { class: 'text', type: 'button', onclick: () => this.clear() }, 'clear')),
      make('div', { class: 'look' },
        segments({ label: 'rules', choices: [['one', 'one rule'], ['three', 'three side by side']], value: s.panes,
          change: v => { s.panes = v; s.moves = 0; this.restart(); } }),
        segments({ label: 'colours', choices: [['end', 'where they end'], ['now', 'clusters now'], ['none', 'plain']], value: s.colour,
          change: v => { s.colour = v; this.address(); this.ends(); this.draw(); } }),
        make('div', { class: 'parts' }, PARTS.map(([key, words]) => toggle({ label: words, value: !s.hide.has(key),
          change: on => { s.hide[on ? 'delete' : 'add'](key); this.address(); this.extras(); this.draw(); } })))));
  }

  exportBox() {
    const out = make('pre', { class: 'code', tabindex: '0' });
    this.code = out;
    const tell = text => { out.textContent = text; out.parentElement.hidden = false; };
    const item = (words, act) => make('button', { class: 'pill', type: 'button', onclick: () => act().catch?.(e => this.host.notice(e.message)) }, words);
    const box = make('div', { class: 'shell', hidden: true }, out, make('button', { class: 'text', type: 'button',
      onclick: () => copy(out.textContent).then(() => this.host.notice('Copied.', 'fine')) }, 'copy'));
    return make('div', { class: 'export' }, make('h2', {}, 'Take it with you'),
      make('div', { class: 'pills' },
        item('Command line', async () => tell(this.panes.map(p => commandLine(this.told(p), p.frame, this.leaps())).join(''))),
        item('Python', async () => tell(this.panes.map(p => python(this.told(p), p.frame, this.leaps())).join('\n'))),
        item('JSON', () => this.saveJson()), item('CSV', async () => this.saveCsv()),
        item('SVG', async () => this.saveSvg()), item('PNG', async () => this.savePng()),
        item('Link', async () => { this.address(); await copy(location.href); this.host.notice('The link is in the clipboard.', 'fine'); })),
      box, make('p', { class: 'help' }, 'Drop a result of the program (JSON) or tokens (CSV) anywhere on the page to open it.'),
      make('p', { class: 'help module' }, `tropism ${engine.tables.version}, in your browser: the ${engine.module} module` +
        (engine.module === 'relaxed' ? ', a fused multiply-add in one instruction.' : `, slower, because ${engine.why || 'it was asked for'}.`) + ' The same bits as the program.'));
  }

  /* ---- opening, changing ---- */

  async open(pairs) {
    this.play(false);
    this.chosen = -1;
    if (!pairs.length) { pairs = [...new URLSearchParams(PRESETS[0][1])]; }
    this.state = FlowState.read(pairs);
    this.eye.turn = [...this.state.turn];
    this.preset.firstChild.value = String(PRESETS.findIndex(p => this.isPreset(p[1])));
    const k = Number(this.preset.firstChild.value || -1);
    this.story.textContent = k >= 0 ? PRESETS[k][2] : '';
    if (k < 0) { this.preset.firstChild.value = ''; }
    await this.restart({ quiet: true });
  }

  isPreset(text) {
    const mine = JSON.stringify([...this.state.pairs()].filter(p => !['t', 'at'].includes(p[0])).sort());
    return mine === JSON.stringify(FlowState.read([...new URLSearchParams(text)]).pairs().sort());
  }

  close() { this.play(false); }

  leaps() { return /^(1|yes|on|true)$/.test(this.state.options.leap ?? ''); }
  timed() { return TIMED.has(this.state.options.dynamics ?? 'layer'); }
  byClock() { return this.leaps() || this.timed(); }

  /* What a pane runs: only options that have a part under its rule, when there are three. */
  async given(rule) {
    const options = { ...this.state.options }, arrays = {};
    for (const name of ['key_query', 'value']) {
      if (options[name] && /[,;]/.test(options[name])) {
        const m = readTokens(options[name], name), d = this.state.x?.d ?? Number(options.d ?? 2);
        if (m.n !== d || m.d !== d) { throw new Error(`${name}: is ${m.n} x ${m.d}, must be ${d} x ${d}`); }
        arrays[name] = { values: m.values, shape: [d, d] };
        delete options[name];
      }
    }
    if (this.state.x) { arrays.tokens = { values: this.state.x.values, shape: [this.state.x.n, this.state.x.d] }; }
    const told = { ...this.state.options };
    if (rule) {
      options.rule = told.rule = rule;
      const { options: on } = await engine.call('applies', { noun: 'flow', options: told });
      for (const name of Object.keys(told)) { if (!(name in on)) { delete told[name]; delete options[name]; delete arrays[name]; } }
    }
    if (!('steps' in options)) {
      if (this.leaps()) { if (!SPHERE.has(options.dynamics)) { options.steps = 'inf'; } else { options.time ??= '1e300'; } }
      else if (!SPHERE.has(options.dynamics) || !this.timed()) { options.steps = '9e18'; }
    }
    return { options, arrays, told };
  }

  /* What a pane runs, for those who leave with it. */
  told(p) { return { x: this.state.x, options: p.told }; }

  async restart({ keepEye = false, quiet = false } = {}) {
    const turn = ++this.turnstile;
    try {
      const rules = this.state.panes === 'three' ? THREE : [null];
      const given = await Promise.all(rules.map(r => this.given(r)));
      const made = await Promise.all(given.map(({ options, arrays }) => engine.call('flowNew', { options, arrays })));
      if (turn !== this.turnstile) { made.forEach(m => engine.call('flowFree', { handle: m.handle })); return; }
      this.panes.forEach(p => engine.call('flowFree', { handle: p.handle }));
      const old = this.panes;
      this.panes = made.map((m, k) => ({ ...m, ...given[k], rule: rules[k], series: new Series(), judged: m.frame.judged, trails: [], end: old[k]?.end }));
      this.layOut();
      const first = this.panes[0];
      if (!keepEye) { this.eye.fit(first.frame.tokens, first.n, first.d, this.sphere()); }
      this.proved = null;
      this.axis.extent = 3;
      this.axis.known = 0;
      const { options: on } = await engine.call('applies', { noun: 'flow', options: this.panes[0].options });
      if (turn !== this.turnstile) { return; }
      this.options.show(this.state.options, on);
      this.showTokens();
      this.take(made.map(m => m.frame));
      this.ends();
      const { clock, moves } = this.state;
      if (clock !== null) { await this.toClock(clock); } else if (moves > 0) { await this.toMoves(moves); } else if (!quiet) { this.address(); }
      return true;
    } catch (e) {
      if (turn === this.turnstile) { this.refuse(e); }
      return false;
    }
  }

  /* The sentence of what was wrong, beside its option when it names one; the picture stays what it was. */
  refuse(e) {
    const name = /^([a-z_]+)( = |: )/.exec(e.message)?.[1];
    this.host.notice(e.message);
    if (!this.panes.length) { this.host.go('flow&' + PRESETS[0][1], true); return; }
    const on = Object.fromEntries(this.options.table.map(o => [o.name, o.default]));
    if (name && this.options.table.some(o => o.name === name)) { this.options.show(this.state.options, { ...on }, { [name]: e.message }); }
  }

  setOption(name, text) {
    const before = { ...this.state.options };
    if (text === null || text === undefined) { delete this.state.options[name]; } else { this.state.options[name] = text; }
    this.state.moves = 0;
    this.state.clock = null;
    this.preset.firstChild.value = '';
    this.story.textContent = '';
    const fits = ['n', 'd', 'init', 'seed', 'dynamics'].includes(name);
    clearTimeout(this.soon);
    this.soon = setTimeout(() => this.prune(name, before).then(() => this.restart({ keepEye: !fits })), 0);
  }

  /* Options that have no part any more after this choice are dropped, as the program would refuse them. */
  async prune(name) {
    if (!['rule', 'dynamics', 'leap', 'form', 'integrator', 'method', 'value', 'key_query', 'draw_value'].includes(name)) { return; }
    const { options: on } = await engine.call('applies', { noun: 'flow', options: this.state.options });
    for (const other of Object.keys(this.state.options)) {
      if (other !== name && !(other in on) && engine.option('flow', other)) { delete this.state.options[other]; }
    }
  }

  sphere() { return SPHERE.has(this.state.options.dynamics) || this.state.options.init === 'sphere'; }

  /* ---- tokens by hand ---- */

  /* The tokens in sight become the start; what drew them is forgotten. */
  byHand() {
    const p = this.panes[0];
    if (!this.state.x || this.state.moves || this.state.clock !== null || this.frameMoves()) {
      this.state.x = { values: p.frame.tokens.slice(), n: p.n, d: p.d };
      ['n', 'd', 'init', 'seed'].forEach(k => delete this.state.options[k]);
    }
    this.state.moves = 0;
    this.state.clock = null;
    this.preset.firstChild.value = '';
    this.story.textContent = '';
  }

  frameMoves() { return this.panes[0].frame.moves; }

  /* One restart at a time while tokens are dragged; the last place wins. */
  async changed() {
    if (this.busy) { this.again = true; return; }
    this.busy = true;
    do { this.again = false; await this.restart({ keepEye: true }); } while (this.again);
    this.busy = false;
  }

  moveToken(i, place) {
    this.byHand();
    const { values, d } = this.state.x;
    for (let c = 0; c < Math.min(2, d); c++) { values[i * d + c] = Number(place[c].toFixed(4)); }
    if (this.panes[0].d === d) { this.panes[0].frame.tokens.set(values); }
    this.changed();
  }

  addToken(place) {
    this.byHand();
    const { values, n, d } = this.state.x, more = new Float64Array((n + 1) * d);
    more.set(values);
    for (let c = 0; c < Math.min(2, d); c++) { more[n * d + c] = Number(place[c].toFixed(4)); }
    this.state.x = { values: more, n: n + 1, d };
    this.changed();
  }

  removeToken(i) {
    if (this.panes[0].n < 2) { this.host.notice('The last token stays.'); return; }
    this.byHand();
    const { values, n, d } = this.state.x, less = new Float64Array((n - 1) * d);
    less.set(values.subarray(0, i * d));
    less.set(values.subarray((i + 1) * d), i * d);
    this.state.x = { values: less, n: n - 1, d };
    this.chosen = -1;
    this.changed();
  }

  clear() {
    this.byHand();
    const p = this.panes[0], d = p.d;
    this.state.x = { values: this.state.x.values.slice(0, d).fill(0), n: 1, d };
    this.tool = 'add';
    this.chosen = -1;
    this.stage.dataset.tool = 'add';
    this.changed();
  }

  redraw() {
    this.state.x = null;
    this.state.moves = 0;
    this.state.options.seed = String(1 + Math.floor(Math.random() * 99));
    this.restart();
  }

  nearest(canvas, event) {
    const box = canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    const p = this.panes[Number(canvas.dataset.pane)], reach = event.pointerType === 'touch' ? 26 : 13;
    let best = -1, least = reach * reach;
    this.look(canvas);
    for (let i = 0; i < p.n; i++) {
      const [a, b] = this.eye.token(p.frame.tokens, i), far = (a - x) ** 2 + (b - y) ** 2;
      if (far < least) { least = far; best = i; }
    }
    return { i: best, x, y };
  }

  pointers(canvas) {
    const held = new Map();
    let drag = null;
    canvas.onpointerdown = e => {
      canvas.focus({ preventScroll: true });
      canvas.setPointerCapture(e.pointerId);
      held.set(e.pointerId, [e.clientX, e.clientY]);
      const { i, x, y } = this.nearest(canvas, e), plane = this.eye.d <= 2;
      this.chosen = i;
      drag = { x, y, i, turn: [...this.eye.turn], shift: [...this.eye.shift] };
      if (this.tool === 'remove' && i >= 0) { this.removeToken(i); drag = null; }
      else if (this.tool === 'add' && plane) { this.play(false); drag.last = [x, y]; this.addToken(this.eye.point(x, y)); }
      else if (i >= 0 && plane) { this.play(false); drag.moves = true; }
      this.draw();
    };
    canvas.onpointermove = e => {
      if (!held.has(e.pointerId)) {
        const { i } = this.nearest(canvas, e);
        canvas.style.cursor = i >= 0 ? 'grab' : this.tool === 'add' ? 'crosshair' : 'default';
        return;
      }
      const before = [...held.values()];
      held.set(e.pointerId, [e.clientX, e.clientY]);
      if (held.size === 2) {
        const span = p => Math.hypot(p[0][0] - p[1][0], p[0][1] - p[1][1]);
        this.eye.zoom *= span([...held.values()]) / Math.max(1, span(before));
        drag = null;
        this.draw();
        return;
      }
      if (!drag) { return; }
      const box = canvas.getBoundingClientRect(), x = e.clientX - box.left, y = e.clientY - box.top;
      this.look(canvas);
      if (drag.moves) { this.moveToken(drag.i, this.eye.point(x, y)); }
      else if (drag.last && Math.hypot(x - drag.last[0], y - drag.last[1]) > 24) { drag.last = [x, y]; this.addToken(this.eye.point(x, y)); }
      else if (!drag.last && this.eye.d >= 3) {
        this.eye.turn = [drag.turn[0] + (x - drag.x) / 160, Math.max(-1.5, Math.min(1.5, drag.turn[1] + (y - drag.y) / 160))];
        this.state.turn = [...this.eye.turn];
      } else if (!drag.last) { this.eye.shift = [drag.shift[0] + x - drag.x, drag.shift[1] + y - drag.y]; }
      this.draw();
    };
    canvas.onpointerup = canvas.onpointercancel = e => { held.delete(e.pointerId); drag = null; this.extras(); this.address(); };
    canvas.ondblclick = () => { const p = this.panes[0]; this.eye.fit(p.frame.tokens, p.n, p.d, this.sphere()); this.draw(); };
    canvas.addEventListener('wheel', e => { this.eye.zoom = Math.max(0.05, Math.min(1e6, this.eye.zoom * Math.exp(-e.deltaY / 500))); this.draw(); e.preventDefault(); },
      { passive: false });
  }

  /* ---- time ---- */

  /* A frame each time the screen asks for one and the last has come; steps are asked for while the frame before is drawn. */
  async run() {
    this.running = true;
    let last = performance.now(), target = this.frameMoves(), began = last;
    const turn = () => new Promise(requestAnimationFrame);
    let judgedAt = 0;
    while (this.playing) {
      const tick = turn(), mark = this.turnstile;
      const now = performance.now(), spent = Math.min(0.1, (now - last) / 1000), moves = this.frameMoves();
      last = now;
      if (target < moves || target > moves + 2 + moves) { target = moves; }
      const rate = this.pace === 'slow' ? 4 : this.pace === 'steady' ? Infinity : Math.max(16, 1.1 * moves, (now - began) / 40);
      target = rate === Infinity ? moves + 1 : target + rate * spent;
      const judge = now - judgedAt > 120;
      if (judge) { judgedAt = now; }
      if (this.panes.length > 1 && this.byClock()) {
        const u = placeOf(this.panes[0].frame.clock) + 0.01;
        await this.toClock(clockAt(Math.max(0.02, u)) - (this.timedAxis() ? 2 : 0), false);
      } else if (Math.floor(target) > moves) {
        const answer = await this.ask('flowAt', { moves: Math.min(9e18, Math.floor(target)), judge });
        if (answer && mark === this.turnstile) { this.take(answer.frames); }
      }
      if (this.panes.every(p => p.frame.over) || this.frameMoves() >= 9e18 || (this.panes[0].frame.closed && this.axis.at >= 18)) { this.play(false); }
      await tick;
    }
    this.running = false;
    const answer = await this.ask('flowAt', { moves: this.frameMoves(), judge: true });
    if (answer) { this.take(answer.frames); }
    this.extras();
    this.address();
  }

  ask(call, more) { return this.answer(call, { handles: this.panes.map(p => p.handle), ...more }); }

  nudge(by) {
    this.play(false);
    this.toMoves(Math.max(0, this.frameMoves() + by));
  }

  seek(u) {
    this.play(false);
    if (u <= 0) { this.toMoves(0); }
    else if (this.byClock()) { this.toClock(clockAt(u) - (this.timedAxis() ? 2 : 0)); }
    else { this.toMoves(u < 12 ? Math.round(10 ** u - 1) : Math.min(9e18, Number(BigInt(Math.round(10 ** (u - Math.floor(u)) * 1e6)) * 10n ** BigInt(Math.floor(u) - 6)))); }
  }

  timedAxis() { return this.timed() && !this.leaps(); }

  /* On to a place of the axis; what was sought before is given up when another is sought. */
  async toMoves(moves) { await this.travel(() => this.ask('flowAt', { moves, judge: true, budget: 30 })); }
  async toClock(log10, whole = true) {
    const once = () => this.ask('flowClock', { log10, judge: whole });
    if (whole) { await this.travel(once); } else { const a = await once(); if (a) { this.take(a.frames); } }
  }

  async travel(once) {
    const mine = this.journey = {};
    if (this.travelling) { this.wish = once; return; }
    this.travelling = true;
    this.wish = once;
    while (this.wish) {
      const step = this.wish, wish = this.wish;
      this.wish = null;
      const answer = await step();
      if (!answer) { continue; }
      this.take(answer.frames);
      if (!answer.there && !this.wish && !this.playing) { this.wish = wish; }
    }
    this.travelling = false;
    if (mine) { this.extras(); this.address(); }
  }

  take(frames) {
    this.frames++;
    frames.forEach((frame, k) => {
      const p = this.panes[k], back = frame.moves < p.frame.moves;
      p.frame = frame;
      if (frame.judged) { p.judged = frame.judged; }
      if (this.timedAxis()) { frame.clock += 2; } /* the axis of time is linear below 0.01 */
      p.series.add(frame);
      frame.trace?.forEach(([clock, residual, energy, clusters]) =>
        p.series.add({ clock: clock + (this.timedAxis() ? 2 : 0), residual, energy, clusters }));
      if (p.n <= TRAILS && p.d <= 8) {
        if (back || frame.moves === 0) { p.trails = []; }
        if (!back) { p.trails.push(...(frame.trace ?? []).map(r => r[4]).filter(x => x)); }
        p.trails.push(frame.tokens);
        while (p.trails.length > PAST) { p.trails = p.trails.filter((x, i) => i % 2 === 0); }
      }
    });
    this.stretch();
    this.draw();
    const now = performance.now();
    if (!this.playing || now - (this.added ?? 0) > (this.panes[0].n <= 64 ? 30 : 200)) { this.added = now; this.extras(); }
  }

  /* How far the axis goes: to the closed form, to the leaps, else a little beyond what is known. */
  stretch() {
    const p = this.panes[0], at = placeOf(p.frame.clock), closed = this.panes.some(q => q.frame.closed);
    this.axis.known = Math.max(this.axis.known, ...this.panes.map(q => q.series.end()));
    const proof = this.panes.map(q => q.judged?.['certificate.step']).find(x => x !== null && x !== undefined);
    this.proved = closed && !this.byClock() ? placeOf(Math.log10(Math.max(1, proof ?? 1))) : this.leaps() ? 0 : null;
    let extent = this.leaps() ? Math.max(this.axis.extent, 20) : this.proved !== null ? 18 : Math.max(3, this.axis.extent);
    if (this.timedAxis()) { extent = Math.max(extent, placeOf(2 + Math.log10(Number(this.panes[0].options.time ?? 10)))); extent = Math.min(extent, 12); }
    while (Math.max(this.axis.known, Number.isFinite(at) ? at : 0) > extent - 1e-9 && extent < 330) { extent += this.leaps() ? 20 : 1; }
    this.axis.extent = extent;
    this.axis.at = Number.isFinite(at) ? Math.max(0, at) : at > 0 ? extent : 0;
  }

  /* ---- what is drawn beside tokens: cells, arrows, ends ---- */

  async extras() {
    if (this.adding) { this.addAgain = true; return; }
    this.adding = true;
    do {
      this.addAgain = false;
      for (const p of this.panes) {
        const { frame, n, d } = p, mark = this.turnstile;
        try {
          const solid = (!this.state.hide.has('hull') || !this.state.hide.has('cells')) && n <= SOLID && d <= 3;
          if (solid) {
            const options = this.state.options.key_query && !p.arrays.key_query ? { key_query: this.state.options.key_query } : {};
            const arrays = p.arrays.key_query ? { key_query: p.arrays.key_query } : {};
            const { cells } = await engine.call('cells', { options, arrays, tokens: frame.tokens, n, d });
            if (mark !== this.turnstile) { break; }
            p.cells = cells;
            p.cellsOf = frame;
          } else { p.cells = null; }
          const rule = p.options.rule ?? 'softmax';
          if (!this.state.hide.has('arrows') && n <= ARROWS && rule !== 'hardmax') {
            const { weights } = await engine.call('flowWeights', { handle: p.handle, n });
            if (mark !== this.turnstile) { break; }
            p.weights = weights;
          } else { p.weights = null; }
        } catch (e) {
          p.cells = p.weights = null;
        }
      }
      this.draw();
    } while (this.addAgain);
    this.adding = false;
  }

  /* Colours by where tokens end: another run of the same, in the Worker's spare time. */
  async ends() {
    if (this.state.colour !== 'end' || this.panes[0].n > 600 || this.leaps()) { this.panes.forEach(p => { p.end = null; }); return; }
    const mark = this.turnstile;
    for (const p of this.panes) {
      try {
        const { end } = await engine.call('flowEnd', { options: { ...p.options, cluster: p.options.cluster ?? '0.01' }, arrays: p.arrays });
        if (mark !== this.turnstile) { return; }
        p.end = { ...end, labels: renumber(end.labels, (p.end ?? this.panes[0].end)?.labels) };
      } catch (e) { p.end = null; }
    }
    this.draw();
  }

  labels(p) {
    if (this.state.colour === 'none') { return null; }
    const late = this.state.colour === 'end' && !this.leaps();
    const labels = late ? p.end?.labels : p.judged?.labels;
    return labels && labels.length === p.n && (!late || p.end.clusters <= MOST) ? labels : null;
  }

  /* ---- drawing ---- */

  look(canvas) { this.eye.size(canvas.clientWidth, canvas.clientHeight, this.panes.length > 1 ? 84 : 56); }

  layOut() {
    if (this.stage.childElementCount === this.panes.length && this.stage.firstChild?.classList.contains('pane')) { return; }
    this.stage.className = 'stage of' + this.panes.length;
    this.stage.dataset.tool = this.tool;
    this.stage.replaceChildren(...this.panes.map((p, k) => {
      const canvas = make('canvas', { tabindex: '0', 'data-pane': String(k), class: 'scene', 'aria-label': 'tokens; arrow keys move the chosen one, [ and ] choose' });
      this.pointers(canvas);
      canvas.onkeydown = e => this.canvasKey(e);
      return make('div', { class: 'pane' }, canvas, make('div', { class: 'verdict' },
        make('b', {}), make('strong', { 'aria-live': 'polite' }), make('span', {})));
    }));
  }

  scene(p, tone) {
    const rule = p.options.rule ?? 'softmax', set = rule === 'hardmax';
    return { eye: this.eye, tone, tokens: p.frame.tokens, n: p.n, labels: this.labels(p), leaders: set ? p.judged?.leaders : null,
      target: set ? p.judged?.target : null, weights: p.weights && p.weights.length === p.n * p.n ? p.weights : null,
      cells: p.cells && p.cellsOf?.tokens.length === p.frame.tokens.length ? p.cells : null, trails: p.trails, chosen: this.chosen, sphere: this.sphere(),
      show: { hull: !this.state.hide.has('hull'), cells: !this.state.hide.has('cells') && set, arrows: !this.state.hide.has('arrows'), trails: !this.state.hide.has('trails') } };
  }

  draw() {
    if (this.drawn || !this.panes.length) { return; }
    this.drawn = true;
    requestAnimationFrame(() => { this.drawn = false; this.paint(); });
  }

  /* Tokens at every frame; words and curves, which nobody reads sixty times a second, at every fifth or so. */
  paint() {
    const at = performance.now(), calm = !this.playing || at - (this.worded ?? 0) > 80;
    const tone = calm ? this.tone = colours() : this.tone;
    [...this.stage.children].forEach((box, k) => {
      const p = this.panes[k], canvas = box.firstChild;
      if (!p || !canvas.clientWidth) { return; }
      this.look(canvas);
      drawScene(new CanvasPen(canvas, canvas.clientWidth, canvas.clientHeight), this.scene(p, tone));
      if (calm) { this.verdict(box, p); }
    });
    this.host.painted();
    if (!calm) { return; }
    this.worded = at;
    const p = this.panes[0], clock = this.words(p);
    if (this.now.textContent !== clock) { this.now.textContent = clock; }
    this.axis.draw(tone, { proved: this.proved, words: clock, timed: this.timedAxis(), beyond: this.leaps() ? 'leaps' : 'closed form' });
    const width = this.curves.clientWidth, height = this.curves.clientHeight;
    if (width) {
      drawCurves(new CanvasPen(this.curves, width, height), tone, this.axis,
        this.panes.map((q, k) => ({ series: q.series, colour: this.panes.length === 1 ? tone.ink : tone.group(k) })), width, height);
    }
  }

  words(p) {
    const f = p.frame;
    if (this.leaps()) {
      const clock = f.log10_time === f.log10_time ? f.log10_time : f.log10_step;
      return clock === -Infinity ? 'the start' : clock === Infinity ? 'forever' : (this.timed() ? 'time ' : 'step ') + power(clock);
    }
    if (this.timed() && f.time === f.time) { return `time ${number(f.time, 4)}`; }
    return `step ${power(f.moves > 0 ? Math.log10(f.moves) : -Infinity)}`;
  }

  verdict(box, p) {
    const j = p.judged;
    if (!j) { return; }
    const kind = j['certificate.kind'], [head, more] = (SAYS[kind] ?? (() => [kind, '']))(j);
    const on = box.lastChild, [rule, strong, span] = on.children;
    /* What B < 0 is about (fw-thm-3.1): tokens flee from each other, and the least energy is at the origin while the hull has it. */
    const lost = /^-/.test(p.options.key_query ?? '') && p.cells?.contains_origin === false ? `the origin is outside the hull, by ${number(p.cells['origin.distance'], 3)}` : '';
    const tail = [lost, more, j.clusters < p.n ? many(j.clusters, 'cluster') : '', `residual ${number(p.frame.residual, 3)}`].filter(x => x).join(' · ');
    const set = (e, t) => { if (e.textContent !== t) { e.textContent = t; } };
    on.classList.toggle('proved', PROVED.has(kind));
    on.dataset.kind = kind;
    set(rule, p.rule ?? '');
    set(strong, head);
    set(span, tail);
  }

  /* ---- keys ---- */

  canvasKey(e) {
    const p = this.panes[0], step = (e.shiftKey ? 10 : 1) * 2 / this.eye.scale;
    const by = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] }[e.key];
    if (by && this.eye.d >= 3) {
      this.eye.turn = [this.eye.turn[0] + Math.sign(by[0]) * 0.08, Math.max(-1.5, Math.min(1.5, this.eye.turn[1] - Math.sign(by[1]) * 0.08))];
      this.state.turn = [...this.eye.turn];
      this.draw();
    } else if (by && this.chosen >= 0) {
      const at = p.frame.tokens.subarray(this.chosen * p.d, this.chosen * p.d + 2);
      this.moveToken(this.chosen, [at[0] + by[0], (at[1] ?? 0) + by[1]]);
    } else if (e.key === '[' || e.key === ']') {
      this.chosen = (this.chosen + (e.key === ']' ? 1 : -1) + p.n) % p.n;
      this.draw();
    } else if (e.key === 'Delete' || e.key === 'Backspace') {
      if (this.chosen >= 0) { this.removeToken(this.chosen); }
    } else { return; }
    e.preventDefault();
    e.stopPropagation();
  }

  /* ---- out and in ---- */

  address() {
    if (!this.panes.length) { return; }
    const p = this.panes[0];
    this.state.moves = this.byClock() ? 0 : p.frame.moves;
    if (this.byClock() && p.frame.moves > 0) {
      const clock = p.frame.clock - (this.timedAxis() ? 2 : 0);
      this.state.clock = Number.isFinite(clock) ? clock : 999;
    } else { this.state.clock = null; }
    this.host.address(this.state.pairs());
  }

  async saveJson() {
    const p = this.panes[0], whole = this.leaps() ? { options: p.options, arrays: p.arrays } : null;
    const { fields } = await engine.call('flowResult', { handle: p.handle, whole });
    save('flow.json', resultJson(this.told(p), p.frame, fields, engine), 'application/json');
  }

  saveCsv() {
    const p = this.panes[0];
    save('tokens.csv', tokensCsv(p.frame.tokens, p.n, p.d), 'text/csv');
  }

  svg(width, height) {
    const tone = colours(), p = this.panes[0], pen = new SvgPen(width, height, tone.paper);
    this.eye.size(width, height);
    drawScene(pen, { ...this.scene(p, tone), chosen: -1 });
    return pen.done();
  }

  saveSvg() {
    const canvas = this.stage.querySelector('canvas');
    save('flow.svg', this.svg(canvas.clientWidth, canvas.clientHeight), 'image/svg+xml');
  }

  savePng() {
    const { clientWidth: width, clientHeight: height } = this.stage.querySelector('canvas');
    this.eye.size(width, height);
    this.png('flow.png', width, height, pen => drawScene(pen, { ...this.scene(this.panes[0], colours()), chosen: -1 }));
  }

  /* A result of the program, or tokens. Returns false when it is none of this view's. */
  async drop(name, text) {
    if (!/^\s*[{[]/.test(text)) {
      const rows = text.split('\n').filter(r => r.trim());
      if (rows.length > 1 && /[a-df-z]/i.test(rows[0])) { rows.shift(); }
      this.state = new FlowState();
      this.state.x = readTokens(rows.join('\n'), name);
      this.preset.firstChild.value = '';
      await this.restart();
      return true;
    }
    let json;
    try { json = JSON.parse(text); } catch (e) { throw new Error(`${name}: is not JSON: ${e.message}`); }
    if (Array.isArray(json)) { json = { tokens: json }; }
    if (!Array.isArray(json.tokens)) { return false; }
    const o = typeof json.options === 'object' && json.options ? json.options : {}, given = {};
    const table = engine.tables.nouns.flow.options;
    for (const [k, v] of Object.entries(o)) {
      const option = table.find(x => x.name === k);
      if (option && option.type !== 'array' && (typeof v === 'number' || typeof v === 'string' || typeof v === 'boolean') && !['threads', 'kernel'].includes(k)) {
        const t = typeof v === 'boolean' ? (v ? 'yes' : 'no') : String(v);
        if (t !== option.default && !(typeof v === 'number' && v === Number(option.default))) { given[k] = t; }
      }
    }
    const steps = typeof json.steps === 'number' ? json.steps : 0, drawn = !json.start && 'n' in o && 'd' in o && !('tokens' in o);
    const final = fromRows(json.tokens, name), next = new FlowState();
    delete given.steps;
    delete given.until;
    next.options = given;
    if (drawn) {
      if (json.seed !== undefined && json.seed !== 1) { next.options.seed = String(json.seed); }
    } else {
      next.x = json.start ? fromRows(json.start, name) : final;
      ['n', 'd', 'init', 'seed'].forEach(k => delete next.options[k]);
    }
    const again = drawn || json.start;
    next.moves = again ? steps : 0;
    this.play(false);
    this.state = next;
    this.preset.firstChild.value = '';
    this.story.textContent = '';
    if (!await this.restart()) { return true; }
    const same = final.values.every((v, i) => Object.is(v, this.panes[0].frame.tokens[i]));
    this.host.notice(!again ? `${name}: its final tokens are the start here, since a result does not hold the first ones.`
      : same ? `${name}: run again here, the same tokens to the last bit.` : `${name}: run again here; the tokens differ from the file's.`, same || !again ? 'fine' : '');
    return true;
  }
}

export const flow = new Flow();

/* For tests: where a token of the first pane is, which options there are, how many frames came, the module's memory. */
window.flowPlaces = i => {
  flow.look(flow.stage.querySelector('canvas'));
  return flow.eye.token(flow.panes[0].frame.tokens, i);
};
window.flowOptions = () => flow.options.table.map(o => o.name);
window.flowFrames = () => flow.frames;
window.flowMemory = async () => (await engine.call('memory')).bytes;
