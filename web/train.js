/* train.js -- the Training view: attention that learns which token to select, touched.
 *
 * The run lives in the Worker. The view keeps what is given (TrainState), asks for frames, and draws the last one; what it
 * computes itself are places on the screen and the attention that discs are filled by.
 */
import { CanvasPen, SvgPen, colours, number, power } from './draw.js';
import { engine } from './engine.js';
import { clockAt, placeOf } from './flow_axis.js';
import { Options } from './flow_options.js';
import { copy, field, make, save, segments, select, slider, toggle } from './parts.js';
import { Basins } from './train_basins.js';
import { drawCurves } from './train_curves.js';
import { addInput, move, removeInput, resize, scoresText, setScores, setVector } from './train_data.js';
import { commandLine, historyCsv, python, resultJson } from './train_export.js';
import { Disc, asTensors, asked, drawDisc, drawTokens, logOf } from './train_scene.js';
import { PARTS, PRESETS, TrainState, exponent, readData } from './train_state.js';
import { View } from './view.js';

const GROUPS = [
  ['Optimiser', ['optimizer', 'p', 'eta', 'eta_schedule', 'backtrack', 'momentum', 'beta1', 'beta2', 'adam_epsilon', 'bend', 'polynomial', 'batch']],
  ['Model', ['model', 'head', 'lambda', 'loss', 'width', 'row', 'mask']],
  ['Start', ['start', 'start_scale', 'seed']],
  ['Gradient', ['gradient', 'gradient_epsilon', 'decoder_epsilon', 'decay']],
  ['Record', ['records', 'compare']],
];
const AWAY = new Set(['steps', 'threads']);
const FAN = [1.05, 1.1, 1.2, 1.35, 1.5, 1.75, 2, 2.5, 3, 4, 6, 10, 20, 64];
const RADII = '1,2,5,10,20,50,100,200,500';
const CHOICES = new Set(['model', 'optimizer', 'head', 'loss', 'start', 'gradient', 'batch', 'backtrack']);
const LAST = 1e9;

class Train extends View {
  name = 'train';
  title = 'Training';

  mount(host) {
    super.mount(host);
    this.disc = new Disc();
    this.basins = new Basins();
    this.chosen = null;
    this.opened = this.making = 0;
    this.wish = null;
    this.build();
  }

  /* ---- the page ---- */

  build() {
    this.scene = make('canvas', { tabindex: '0', class: 'scene', 'aria-label': 'tokens of the inputs; [ and ] choose one, arrow keys move it' });
    this.plane = make('canvas', { tabindex: '0', class: 'scene', 'aria-label': 'weights; a click sets where they start, arrow keys move it' });
    this.head = make('div', { class: 'verdict', 'aria-live': 'polite' }, make('strong', {}), make('span', {}));
    this.legend = make('div', { class: 'verdict legend' });
    this.stage = make('div', { class: 'stage duo' }, make('div', { class: 'pane' }, this.scene, this.head), make('div', { class: 'pane' }, this.plane, this.legend));
    const transport = this.transport('loss, correlation, divergence and attention over the steps', 'to the end of the axis, which then grows (End)');
    this.options = new Options(engine.tables.nouns.train.options.map(o => (o.name === 'start' ? { ...o, names: o.names.filter(n => n !== 'given') } : o)), (n, t) => this.setOption(n, t), GROUPS, AWAY);
    this.dataBox = make('div', { class: 'tokens' });
    this.solutionBox = make('div', { class: 'tokens' });
    const side = make('aside', { class: 'side', 'aria-label': 'what is trained' }, this.presetBox(PRESETS), this.dataBox, this.solutionBox, this.options.box, this.exportBox());
    this.root = make('section', { class: 'flow train', 'aria-label': 'Training' }, make('div', { class: 'left' }, this.stage, transport), side);
    this.watcher = new ResizeObserver(() => this.draw());
    [this.stage, this.curves].forEach(e => this.watcher.observe(e));
    this.scenePointers();
    this.planePointers();
    this.scene.onkeydown = e => this.sceneKey(e);
    this.plane.onkeydown = e => this.planeKey(e);
  }

  showData() {
    const s = this.state, tone = colours(), scored = s.scored;
    const change = act => { try { act(s.data); this.edited(); this.showData(); } catch (e) { this.host.notice(e.message); } };
    const text = (words, act, off = false) => make('button', { class: 'text', type: 'button', disabled: off, onclick: () => change(act) }, words);
    const row = i => make('div', { class: 'input' }, make('i', { class: 'swatch', style: `background:${tone.group(i)}` }), make('span', { class: 'name' }, String(i)),
      segments({ label: `label of input ${i}`, choices: [['1', '+1'], ['-1', '−1']], value: String(s.data.y[i]), change: v => change(d => { d.y[i] = Number(v); }) }),
      scored >= 0 ? field({ label: `scores of the tokens of input ${i}`, value: scoresText(s.data, i, scored), change: t => change(d => setScores(d, i, scored, t)) })
        : make('span', { class: 'help' }, s.data.v ? Array.from({ length: s.T }, (_, t) => number(s.score(i, t), 2)).join(', ') : ''),
      make('button', { class: 'unset', type: 'button', 'aria-label': `remove input ${i}`, title: 'remove', disabled: s.n < 2, onclick: () => change(d => removeInput(d, i)) }, '×'));
    this.dataBox.replaceChildren(...[
      make('h2', {}, 'Inputs', make('small', {}, `${s.n} of ${s.T} tokens` + (s.name ? `, ${s.name}` : ''))),
      make('p', { class: 'help' }, scored >= 0 ? 'Label, and the scores of the tokens: their places are keys. Drag them in the picture.'
        : 'Label, and scores y⟨v, x⟩. Drag tokens' + (s.data.z ? ' and queries' : '') + ' in the picture.'),
      make('div', { class: 'inputs' }, s.data.X.map((x, i) => row(i))),
      scored < 0 && s.data.v ? make('label', { class: 'cell' }, make('span', {}, 'v, the decoder'),
        field({ label: 'v, the decoder', value: s.data.v.join(', '), change: t => change(d => setVector(d, t)) })) : null,
      make('div', { class: 'tools' }, text('add an input', addInput, s.n >= 12), text('add a token', d => resize(d, true), s.T >= 24), text('one fewer', d => resize(d, false), s.T <= 2)),
      make('div', { class: 'parts' }, PARTS.map(([key, words]) => toggle({ label: words, value: !s.hide.has(key),
        change: on => { s.hide[on ? 'delete' : 'add'](key); this.address(); this.solve(true); this.beside(); this.draw(); } })))].filter(e => e));
  }

  showSolutions() {
    const s = this.state, own = this.found?.own, l2 = this.found?.l2, list = [];
    const say = (words, f) => {
      const value = !f ? '–' : f.error ? f.error : f.outcome === 'infeasible' ? 'there is none' : `margin ${number(f.margin, 6)}`;
      list.push(make('div', { class: 'fact' }, make('span', {}, words), make('b', {}, value)));
    };
    if (!this.exponent) {
      this.exponent = slider({ label: 'exponent p of the norm', value: String(s.lp), low: 1.05, high: 64, change: t => {
        try { this.state.lp = exponent(t); this.address(); this.solve(true); } catch (e) { this.host.notice(e.message); } } });
    } else if (this.shown !== s.lp) {
      const [bar, words] = this.exponent.children;
      if (document.activeElement !== bar) { words.value = String(s.lp); bar.value = Math.log(s.lp / 1.05) / Math.log(64 / 1.05); bar.style.setProperty('--at', 100 * bar.value + '%'); }
    }
    this.shown = s.lp;
    say(s.model === 'joint' ? 'l₂, relaxed' : 'l₂', l2);
    if (s.lp !== 2) { say(`lₚ, p = ${number(s.lp, 3)}`, own); }
    const path = !s.hide.has('path') && this.path;
    this.solutionList ??= make('div', {});
    this.solutionList.replaceChildren(...list, path ? make('table', { class: 'radii' },
      make('caption', {}, `Smallest loss in balls of the lₚ norm, p = ${number(s.lp, 3)}`),
      make('tr', {}, ['radius', 'loss', 'correlation', 'divergence'].map(h => make('th', {}, h))),
      path.map(r => make('tr', {}, [r.radius, r.loss, r.correlation, r.bregman].map(v => make('td', {}, v === null ? '–' : number(v, 4)))))) : '',
    this.pathRefused && !s.hide.has('path') ? make('p', { class: 'help' }, `No path: ${this.pathRefused}`) : '');
    if (!this.solutionBox.childElementCount) {
      this.solutionBox.append(make('h2', {}, 'Max-margin solutions'),
        make('p', { class: 'help' }, 'The direction that separates the selected tokens from all others: dotted in the l₂ norm, dashed in the lₚ norm of this exponent.'),
        this.exponent, this.solutionList);
    }
  }

  exportBox() {
    const out = make('pre', { class: 'code', tabindex: '0' }), tell = text => { out.textContent = text; out.parentElement.hidden = false; };
    const item = (words, act) => make('button', { class: 'pill', type: 'button', onclick: () => Promise.resolve().then(act).catch(e => this.host.notice(e.message)) }, words);
    const box = make('div', { class: 'shell', hidden: true }, out, make('button', { class: 'text', type: 'button',
      onclick: () => copy(out.textContent).then(() => this.host.notice('Copied.', 'fine')) }, 'copy'));
    return make('div', { class: 'export' }, make('h2', {}, 'Take it with you'), make('div', { class: 'pills' },
      item('Command line', () => tell(commandLine(this.state, this.steps()))), item('Python', () => tell(python(this.state, this.steps()))),
      item('JSON', async () => {
        const { fields } = await engine.call('trainResult', { handle: this.handle });
        save('train.json', resultJson(this.state, this.steps(), fields, engine), 'application/json');
      }),
      item('CSV', () => save('train.csv', historyCsv(this.judged.history), 'text/csv')),
      item('SVG', () => save('train.svg', this.svg(), 'image/svg+xml')), item('PNG', () => this.savePng()),
      item('Link', async () => { this.address(); await copy(location.href); this.host.notice('The link is in the clipboard.', 'fine'); })), box,
    make('p', { class: 'help' }, 'Drop data (JSON with X and y), or a result of tropism train, anywhere on the page to open it.'));
  }

  /* ---- opening, changing ---- */

  async open(pairs) {
    this.play(false);
    this.chosen = null;
    if (!pairs.length) { pairs = [...new URLSearchParams(PRESETS[0][1])]; }
    await this.enter(TrainState.read(pairs));
  }

  async enter(state) {
    const before = this.state;
    this.state = state;
    const mine = JSON.stringify(state.pairs()), k = PRESETS.findIndex(p => JSON.stringify(TrainState.read([...new URLSearchParams(p[1])]).pairs()) === mine);
    this.preset.firstChild.value = k < 0 ? '' : String(k);
    this.story.textContent = k < 0 ? '' : PRESETS[k][2];
    try { await this.restart({ fit: true }); } catch (e) {
      if (before) { this.state = before; } else { this.state = null; }
      throw e;
    } finally { this.opened++; }
  }

  close() { this.play(false); }

  steps() { return this.frame?.k ?? 0; }

  given() { return { options: this.state.options, arrays: this.state.arrays() }; }

  /* A new run of what is given, at the step where the old one was. */
  async restart(more) {
    this.making++;
    try { await this.remake(more); } finally { this.making--; }
  }

  async remake({ fit = false } = {}) {
    const turn = ++this.turnstile, target = this.state.steps;
    this.state.checkStart();
    const made = await engine.call('trainNew', this.given());
    if (turn !== this.turnstile) { engine.call('trainFree', { handle: made.handle }); return; }
    if (this.handle) { engine.call('trainFree', { handle: this.handle }); }
    this.handle = made.handle;
    this.trace = [];
    this.alphaKey = null;
    if (fit) { this.fit(); this.axis.extent = 3; this.axis.known = 0; this.path = null; this.found = null; this.most = Math.log(30); }
    if (target === 0 || fit) { this.take(made.frame); } else { this.trace.push(...made.frame.trace); }
    this.state.steps = target;
    const { options: on } = await engine.call('applies', { noun: 'train', options: this.given().options });
    if (turn !== this.turnstile) { return; }
    if (this.state.w) { delete on.start; delete on.start_scale; }
    this.options.show(this.state.options, on);
    if (fit || !this.dragging) { this.showData(); }
    if (target > 0) { await this.toSteps(target); } else { this.address(); }
    this.beside();
  }

  fit() {
    const s = this.state, points = [0, 0];
    for (let i = 0; i < s.n; i++) {
      for (let t = 0; t < s.T; t++) { points.push(...s.key(i, t).slice(0, 2)); }
      if (s.data.z && s.matrix) { points.push(...s.data.z[i].slice(0, 2)); }
    }
    this.eye.fit(Float64Array.from(points), points.length / 2, 2, false);
  }

  /* A change of the run: refused ones are told, beside the option when it is named; the picture stays. */
  async again(more) {
    try { await this.restart(more); return true; } catch (e) {
      this.host.notice(e.message);
      const name = /^([a-z_0-9]+)( = |: )/.exec(e.message)?.[1];
      if (name && this.options.table.some(o => o.name === name)) {
        this.options.show(this.state.options, Object.fromEntries(this.options.table.map(o => [o.name, o.default])), { [name]: e.message });
      }
      return false;
    }
  }

  own() {
    this.preset.firstChild.value = '';
    this.story.textContent = '';
  }

  async setOption(name, text) {
    const o = this.state.options;
    if (text === null || text === undefined) { delete o[name]; } else { o[name] = text; }
    this.own();
    if (name === 'start') { this.state.w = null; }
    if (this.state.w && this.state.w.length !== this.state.size) { this.state.w = null; }
    this.making++;
    if (CHOICES.has(name)) {
      if (name === 'model' && text === 'kq' && !o.start) { o.start = 'normal'; } /* zeros never move */
      const { options: on } = await engine.call('applies', { noun: 'train', options: o });
      for (const other of Object.keys(o)) { if (other !== name && !(other in on) && engine.option('train', other)) { delete o[other]; } }
    }
    await this.again();
    this.making--;
  }

  /* Data were changed by hand. One restart at a time while they are dragged; the last change wins. */
  async edited() {
    this.state.name = null;
    this.own();
    if (this.state.w && this.state.w.length !== this.state.size) { this.state.w = null; }
    if (this.busy) { this.more = true; return; }
    this.busy = true;
    do { this.more = false; await this.again(); } while (this.more);
    this.busy = false;
  }

  /* ---- time ---- */

  async run() {
    this.running = true;
    let last = performance.now(), target = this.steps(), judgedAt = 0;
    while (this.playing) {
      const tick = new Promise(requestAnimationFrame), now = performance.now(), spent = Math.min(0.1, (now - last) / 1000), k = this.steps();
      last = now;
      if (target < k || target > 2 * k + 2) { target = k; }
      target = this.pace === 'steady' ? k + 1 : target + spent * (this.pace === 'slow' ? 4 : Math.max(12, 0.7 * k));
      if (Math.floor(target) > k) {
        const judge = now - judgedAt > 90, answer = await this.ask(Math.min(LAST, Math.floor(target)), judge, 12);
        if (judge) { judgedAt = now; }
        if (answer) { this.take(answer.frame); }
      }
      if (this.steps() >= LAST) { this.play(false); }
      await tick;
    }
    this.running = false;
    const answer = await this.ask(this.steps(), true, 1);
    if (answer) { this.take(answer.frame); }
    this.address();
  }

  ask(steps, judge, budget) { return this.answer('trainAt', { handle: this.handle, steps, judge, budget }); }

  /* To a step, a piece at a time; what was sought before is given up when another is sought. */
  async toSteps(steps) {
    this.wish = steps;
    if (this.travelling) { return; }
    this.travelling = true;
    while (this.wish !== null) {
      const to = this.wish, mark = this.turnstile, answer = await this.ask(to, true, 30);
      if (!answer) { if (mark === this.turnstile) { this.wish = null; } continue; }
      this.take(answer.frame);
      if (answer.there && this.wish === to) { this.wish = null; }
    }
    this.travelling = false;
    this.address();
  }

  nudge(by) { this.play(false); this.toSteps(Math.max(0, Math.min(LAST, this.steps() + by))); }

  seek(u) {
    this.play(false);
    this.toSteps(u <= 0 ? 0 : Math.min(LAST, Math.round(10 ** clockAt(u))));
  }

  /* What a frame is of: while another run is made the old picture stays. */
  what() { return this.state && [this.state, this.state.model, this.state.n, this.state.T]; }
  fits() { return this.what()?.every((v, k) => v === this.of[k]); }

  take(frame) {
    this.frames++;
    this.frame = frame;
    this.of = this.what();
    this.trace.push(...frame.trace);
    const u = frame.k > 0 ? placeOf(Math.log10(frame.k)) : 0;
    this.axis.known = Math.max(this.axis.known, this.trace.length ? placeOf(Math.log10(Math.max(1, this.trace[this.trace.length - 1].k))) : 0, u);
    while (this.axis.known > this.axis.extent - 1e-9 && this.axis.extent < 9) { this.axis.extent++; }
    this.axis.at = u;
    this.state.steps = this.wish ?? frame.k; /* where it is going, when it is on its way */
    if (frame.judged) {
      this.judged = frame.judged;
      if (frame.judged.history.length >= (this.history?.length ?? 0) || this.historyOf !== this.handle) { this.history = frame.judged.history; this.historyOf = this.handle; }
      this.solve();
    }
    this.draw();
  }

  /* ---- what is drawn beside: solutions, basins, the path ---- */

  solvable() { return ['prompt', 'cross', 'self', 'joint', 'kq'].includes(this.state.model); }

  async solve(anew = false) {
    const s = this.state, j = this.judged, decided = j && j.undecided === 0 && j.alpha?.length === s.n;
    const key = !decided || !this.solvable() ? '' : this.turnstile + ':' + j.alpha.join(',');
    if (!anew && key === this.alphaKey) { return; }
    this.alphaKey = key;
    if (!key) {
      const w = asTensors(j?.['solution.weights'], s.matrix);
      this.found = w ? { asksL2: asked(s.queries(), w) } : null;
      this.showSolutions();
      return;
    }
    const model = s.model === 'joint' || s.model === 'kq' ? (s.matrix ? (s.data.z ? 'cross' : 'self') : 'prompt') : s.model;
    const options = { model, select: j.alpha.join(','), ...(model === 'self' && s.options.row ? { row: s.options.row } : {}), ...(s.model === 'joint' ? { relaxed: 'auto' } : {}) };
    const { start, ...rest } = s.arrays(), fan = s.hide.has('fan') ? [] : FAN;
    const norms = [{ norm: 'l2' }, { norm: 'lp', p: String(s.lp) }, ...fan.map(p => ({ norm: 'lp', p: String(p) }))];
    if (this.solving) { this.alphaKey = null; this.solveAgain = anew; return; }
    this.solving = true;
    const mark = this.turnstile;
    const { solutions } = await engine.call('trainSolve', { options, arrays: rest, norms });
    this.solving = false;
    if (mark === this.turnstile) {
      const of = f => (f && !f.error && f.outcome !== 'infeasible' ? asked(s.queries(), asTensors(f['weights.W'] ?? f['weights.p'], s.matrix)) : null);
      const [l2, own, ...others] = solutions;
      this.found = { l2, own, asksL2: of(l2), asksOwn: s.lp === 2 ? null : of(own), fan: others.map(of).filter(a => a).map(asks => ({ asks })) };
    }
    this.showSolutions();
    this.draw();
    if (this.alphaKey === null) { this.solve(this.solveAgain); }
    if (anew) { this.beside(); }
  }

  /* A start whose u, or that of the first query, is this. */
  startOf(u) {
    const s = this.state;
    if (s.model === 'prompt') { return [...u, ...Array(s.size - 2).fill(0)]; }
    const z = s.queries()[0].z, size = z.reduce((t, c) => t + c * c, 0) || 1;
    return u.concat(Array(Math.max(0, s.d - 2)).fill(0)).flatMap(a => z.map(c => a * c / size));
  }

  async beside() {
    const s = this.state, { options, arrays } = this.given();
    if (!s.hide.has('basins') && s.size && !this.dragging) {
      const { start, ...data } = arrays, { start: drawn, start_scale: scale, records, compare, ...rest } = options;
      const key = JSON.stringify([s.data, rest]);
      this.basins.run(key, { options: rest, arrays: data, size: s.size, weights: u => this.startOf(u), tick: () => this.draw(), refused: () => this.draw() });
    } else if (!s.size) { this.basins.clear(); }
    this.pathRefused = '';
    if (s.hide.has('path') || this.dragging) { this.path = null; this.showSolutions(); return; }
    const mark = this.turnstile, model = s.options.model ? { model: s.options.model } : {}, { start, ...data } = arrays;
    const loss = s.options.loss ? { loss: s.options.loss } : {}, row = s.options.row ? { row: s.options.row } : {}, mask = s.options.mask ? { mask: s.options.mask } : {};
    try {
      const { path } = await engine.call('trainPath', { options: { ...model, ...loss, ...row, ...mask, p: String(s.lp), radius: RADII }, arrays: data });
      if (mark !== this.turnstile) { return; }
      this.path = path.radii.map(r => ({ ...r, asks: asked(s.queries(), this.pathTensors(r.weights)) }));
    } catch (e) {
      this.path = null;
      this.pathRefused = e.message;
    }
    this.showSolutions();
    this.draw();
  }

  /* The first tensor of a radius: p, or W by rows. */
  pathTensors(weights) {
    const s = this.state, flat = weights.flat(2), matrix = s.matrix, rows = matrix ? s.d : s.data.K ? s.data.K[0][0].length : s.d;
    return [{ name: matrix ? 'W' : 'p', log: 0, rows, columns: matrix ? s.d : 1, values: flat }];
  }

  /* ---- drawing ---- */

  draw() {
    if (this.drawn || !this.frame || !this.root.isConnected) { return; }
    this.drawn = true;
    requestAnimationFrame(() => { this.drawn = false; this.paint(); });
  }

  look() { this.eye.size(this.scene.clientWidth, this.scene.clientHeight, Math.max(70, this.head.offsetHeight + 24)); }

  lookDisc(width = this.plane.clientWidth, height = this.plane.clientHeight) {
    const far = Math.max(...this.asks.map(logOf), ...(this.trails?.flatMap(t => [logOf(t[t.length - 1]), logOf(t[0])]) ?? []));
    this.most = Math.max(Math.log(30), Number.isFinite(far) ? far + 0.25 : 0);
    this.disc.size(width, height, 58, this.most);
  }

  parts(tone) {
    const s = this.state, queries = s.queries();
    this.asks = asked(queries, this.frame.tensors);
    const past = this.trace.filter(f => f.k <= this.frame.k).map(f => asked(queries, f.tensors));
    this.trails = s.model === 'sequence' && queries.length > 12 ? [] : this.asks.map((a, q) => [...past.map(p => p[q]), a]);
    const v = this.frame.tensors.find(t => t.name === 'v'), show = Object.fromEntries(PARTS.map(([k]) => [k, !s.hide.has(k)]));
    return { state: s, eye: this.eye, disc: this.disc, tone, show, asks: this.asks, trails: this.trails, chosen: this.chosen, alpha: this.judged?.alpha,
      selects: s.model !== 'sequence', /* there every token has a selection of its own */
      solution: this.found?.asksL2, own: this.found?.asksOwn, fan: this.found?.fan ?? [], path: this.path, decoder: v ? v.values : s.scored >= 0 || !s.data.v ? null : s.data.v.slice(0, 2),
      basins: s.size ? this.basins : null, inks: k => tone.group(s.n + k) };
  }

  paint() {
    if (!this.scene.clientWidth || !this.fits()) { return; }
    const tone = colours(), parts = this.parts(tone);
    if (this.paper !== tone.paper) { this.paper = tone.paper; this.showData(); }
    this.verdict();
    this.look();
    drawTokens(new CanvasPen(this.scene, this.scene.clientWidth, this.scene.clientHeight), parts);
    this.lookDisc();
    drawDisc(new CanvasPen(this.plane, this.plane.clientWidth, this.plane.clientHeight), parts);
    this.showLegend(tone);
    const words = this.frame.k === 0 ? 'the start' : `step ${power(Math.log10(this.frame.k))}`;
    if (this.now.textContent !== words) { this.now.textContent = words; }
    this.axis.draw(tone, { proved: null, words, timed: false, beyond: '' });
    const width = this.curves.clientWidth, height = this.curves.clientHeight;
    if (width) { drawCurves(new CanvasPen(this.curves, width, height), tone, this.axis, this.history ?? [], width, height); }
    this.host.painted();
  }

  verdict() {
    const j = this.judged, s = this.state, between = (a, b) => Math.abs(Math.atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1])) * 180 / Math.PI;
    if (!j) { return; }
    const relaxed = s.model === 'joint' && !s.matrix && this.found?.asksL2 ? between(this.asks[0].u, this.found.asksL2[0].u) : NaN;
    const angle = Number.isFinite(relaxed) ? relaxed : typeof j.correlation === 'number' ? Math.acos(Math.min(1, j.correlation)) * 180 / Math.PI : NaN, weights = s.matrix ? 'W' : 'p';
    let head = 'Every input has selected a token', kind = 'decided';
    if (j.undecided > 0) { head = j.undecided === 1 && s.n === 1 ? 'No token is selected yet' : `${j.undecided} of ${j.alpha.length} inputs have no token yet that outweighs the others`; kind = 'undecided'; }
    else if (j.locally_optimal === false) { head = 'It selects tokens that are not locally optimal'; kind = 'wrong'; }
    else if (Number.isFinite(angle)) { head = `${weights} is ${angle < 0.0095 ? 'within 0.01°' : number(angle, angle < 1 ? 2 : 3) + '° away'} ${angle < 0.0095 ? 'of' : 'from'} the max-margin direction`; kind = angle < 1 ? 'near' : 'turning'; }
    const tail = [j.undecided === 0 && j.alpha.length <= 12 ? `selects ${j.alpha.join(', ')}` : '', j.locally_optimal === true ? 'locally optimal' : '',
      `loss ${number(j.loss, 5)}`, `norm ${number(j.norm, 4)}`, typeof j.correlation === 'number' ? `correlation ${number(j.correlation, 6)}` : ''].filter(x => x).join(' · ');
    this.head.dataset.kind = kind;
    this.head.classList.toggle('proved', kind === 'near');
    const [strong, span] = this.head.children, set = (e, t) => { if (e.textContent !== t) { e.textContent = t; } };
    set(strong, head);
    set(span, tail);
  }

  showLegend(tone) {
    const s = this.state, b = this.basins, on = s.size && !s.hide.has('basins');
    const key = JSON.stringify([on, [...b.kinds.keys()], b.done, s.matrix, tone.paper, s.n, s.size]);
    if (key === this.legendKey) { return; }
    this.legendKey = key;
    const name = e => { const l = e.split(','); return l.length === 1 ? `token ${e}` : l.length <= 6 ? l.join(', ') : l.slice(0, 5).join(', ') + ', …'; };
    const ends = [...b.kinds].slice(0, 8);
    this.legend.replaceChildren(make('span', {}, s.matrix ? 'The weights, as W z' : 'The weights p', s.size ? '; click to start elsewhere' : ''),
      on ? make('ul', {}, make('li', {}, b.done ? 'starts end at' : 'computing where starts end:'), ends.map(([e, k]) =>
        make('li', {}, make('i', { class: 'swatch', style: `background:${tone.group(s.n + k)}` }), name(e))), b.kinds.size > 8 ? make('li', {}, `and ${b.kinds.size - 8} more`) : '') : '');
  }

  /* ---- pointers ---- */

  nearest(event) {
    const box = this.scene.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top, s = this.state;
    let best = null, least = (event.pointerType === 'touch' ? 28 : 15) ** 2;
    this.look();
    const test = (what, place) => {
      const [a, b] = this.eye.see(place[0], place[1], 0), far = (a - x) ** 2 + (b - y) ** 2;
      if (far < least) { least = far; best = what; }
    };
    for (let i = 0; i < s.n; i++) {
      for (let t = 0; t < s.T; t++) { test([i, t], s.key(i, t)); }
      if (s.data.z && s.matrix) { test([i, 'z'], s.data.z[i]); }
    }
    return { best, x, y };
  }

  scenePointers() {
    const canvas = this.scene, held = new Map();
    let drag = null;
    canvas.onpointerdown = e => {
      canvas.focus({ preventScroll: true });
      canvas.setPointerCapture(e.pointerId);
      held.set(e.pointerId, [e.clientX, e.clientY]);
      const { best, x, y } = this.nearest(e);
      this.chosen = best;
      drag = { x, y, best, shift: [...this.eye.shift] };
      if (best) { this.play(false); this.dragging = true; }
      this.draw();
    };
    canvas.onpointermove = e => {
      if (!held.has(e.pointerId)) { canvas.style.cursor = this.nearest(e).best ? 'grab' : 'default'; return; }
      const before = [...held.values()];
      held.set(e.pointerId, [e.clientX, e.clientY]);
      if (held.size === 2) {
        const span = p => Math.hypot(p[0][0] - p[1][0], p[0][1] - p[1][1]);
        this.eye.zoom *= span([...held.values()]) / Math.max(1, span(before));
        drag = null;
        this.dragging = false;
      } else if (drag) {
        const box = canvas.getBoundingClientRect(), x = e.clientX - box.left, y = e.clientY - box.top;
        this.look();
        if (drag.best) { move(this.state.data, drag.best, this.eye.point(x, y)); this.edited(); }
        else { this.eye.shift = [drag.shift[0] + x - drag.x, drag.shift[1] + y - drag.y]; }
      }
      this.draw();
    };
    canvas.onpointerup = canvas.onpointercancel = e => {
      held.delete(e.pointerId);
      const was = this.dragging;
      drag = null;
      this.dragging = false;
      if (was) { this.showData(); this.address(); this.beside(); }
    };
    canvas.ondblclick = () => { this.fit(); this.draw(); };
    canvas.addEventListener('wheel', e => { this.eye.zoom = Math.max(0.05, Math.min(1e4, this.eye.zoom * Math.exp(-e.deltaY / 500))); this.draw(); e.preventDefault(); },
      { passive: false });
  }

  /* Where the weights start is set by the pointer, where the model has a plane of them. */
  planePointers() {
    const canvas = this.plane;
    let held = false;
    const to = e => {
      const box = canvas.getBoundingClientRect();
      if (!this.fits()) { return; }
      this.lookDisc();
      this.setStart(this.disc.point(e.clientX - box.left, e.clientY - box.top));
    };
    canvas.onpointerdown = e => { if (this.state.size) { canvas.focus({ preventScroll: true }); canvas.setPointerCapture(e.pointerId); this.play(false); held = this.dragging = true; to(e); } };
    canvas.onpointermove = e => { canvas.style.cursor = this.state?.size ? 'crosshair' : 'default'; if (held) { to(e); } };
    canvas.onpointerup = canvas.onpointercancel = () => { if (held) { held = this.dragging = false; this.address(); this.beside(); } };
  }

  setStart(u) {
    this.state.w = this.startOf(u.map(c => Number(c.toPrecision(4))));
    delete this.state.options.start;
    delete this.state.options.start_scale;
    this.own();
    if (this.busy) { this.more = true; return; }
    this.busy = true;
    (async () => { do { this.more = false; await this.again(); } while (this.more); this.busy = false; })();
  }

  /* ---- keys ---- */

  sceneKey(e) {
    const s = this.state, step = (e.shiftKey ? 10 : 1) * 2 / this.eye.scale, by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key];
    if (e.key === '[' || e.key === ']') {
      const all = s.data.X.flatMap((x, i) => [...x.map((_, t) => [i, t]), ...(s.data.z && s.matrix ? [[i, 'z']] : [])]);
      const at = all.findIndex(c => c[0] === this.chosen?.[0] && c[1] === this.chosen?.[1]);
      this.chosen = all[(at + (e.key === ']' ? 1 : -1) + all.length) % all.length];
      this.draw();
    } else if (by && this.chosen) {
      const at = this.chosen[1] === 'z' ? s.data.z[this.chosen[0]] : s.key(...this.chosen);
      move(s.data, this.chosen, [at[0] + step * by[0], at[1] + step * by[1]]);
      this.edited();
    } else { return; }
    e.preventDefault();
    e.stopPropagation();
  }

  planeKey(e) {
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key];
    if (!by || !this.state.size) { return; }
    const first = this.trace[0] ? asked(this.state.queries(), this.trace[0].tensors)[0] : { u: [0, 0], log: 0 }, f = Math.exp(first.log), step = e.shiftKey ? 1 : 0.1;
    this.setStart([first.u[0] * f + step * by[0], first.u[1] * f + step * by[1]]);
    e.preventDefault();
    e.stopPropagation();
  }

  /* ---- out and in ---- */

  address() { if (this.root.isConnected && this.frame && this.state) { this.host.address(this.state.pairs()); } }

  picture(pen, width, height) {
    const tone = colours(), parts = { ...this.parts(tone), chosen: null }, left = Math.round(width * 0.56);
    this.eye.size(left, height);
    drawTokens(pen, parts);
    this.lookDisc(width - left, height);
    this.disc.centre[0] += left;
    this.disc.centre[1] = height / 2;
    drawDisc(pen, parts);
  }

  svg() {
    const width = this.stage.clientWidth, height = this.scene.clientHeight, pen = new SvgPen(width, height, colours().paper);
    this.picture(pen, width, height);
    return pen.done();
  }

  savePng() {
    const width = this.stage.clientWidth, height = this.scene.clientHeight;
    this.png('train.png', width, height, pen => this.picture(pen, width, height));
  }

  /* Data, or a result of training. Returns false when it is none of this view's. */
  async drop(name, text) {
    let json;
    try { json = JSON.parse(text); } catch (e) { return false; }
    const result = json && typeof json.weights === 'object' && Array.isArray(json.history), data = json?.data ?? (json?.X ? json : null);
    if (!result && !data) { return false; }
    const next = new TrainState(), o = result && typeof json.options === 'object' && json.options ? json.options : {};
    if (data) { next.data = readData(data, name); } else if (this.state && o.n === this.state.n && o.T === this.state.T && o.d === this.state.d) {
      next.data = this.state.data;
      next.name = this.state.name;
    } else { throw new Error(`${name}: a result does not hold its data; drop the data first, ${o.n} inputs of ${o.T} tokens of dimension ${o.d}`); }
    for (const option of engine.tables.nouns.train.options) {
      const v = o[option.name], t = typeof v === 'boolean' ? (v ? 'yes' : 'no') : String(v);
      if (v !== undefined && v !== null && option.type !== 'array' && !['steps', 'threads'].includes(option.name) && t !== option.default && !(typeof v === 'number' && v === Number(option.default))) {
        next.options[option.name] = t;
      }
    }
    if (result && json.seed !== undefined && json.seed !== 1 && (next.options.start || next.options.batch)) { next.options.seed = String(json.seed); }
    const given = json.start && (json.start.p ?? json.start.W);
    if (given) { next.w = given.flat(); delete next.options.start; }
    else if (next.options.start === 'given') { throw new Error(`${name}: the run began at weights of its own, which a result does not hold`); }
    next.steps = result ? Number(json.steps) || 0 : 0;
    this.play(false);
    await this.enter(next);
    this.own();
    if (result) {
      const mine = this.frame.tensors, same = mine.every(t => {
        const theirs = json.weights[t.name]?.flat?.(), f = Math.exp(t.log);
        return theirs && theirs.length === t.values.length && (t.log !== 0 ? t.values.every((v, k) => Math.abs(v * f - theirs[k]) <= 1e-9 * Math.abs(theirs[k])) : t.values.every((v, k) => Object.is(v, theirs[k])));
      });
      this.host.notice(same ? `${name}: run again here, the same weights.` : `${name}: run again here on ${data ? 'its' : 'the present'} data; the weights differ from the file's.`, same ? 'fine' : '');
    }
    return true;
  }
}

export const train = new Train();

/* For tests: where a token is on the screen of its picture, where the weights are in theirs, and what is known. */
window.trainPlaces = (i, t) => { train.look(); const k = train.state.key(i, t); return train.eye.see(k[0], k[1], 0); };
window.trainOptions = () => train.options.table;
window.trainBasin = k => ({ w: Array.from(train.startOf(Basins.u(train.basins.cells[k]))), end: train.basins.ends[k] });
window.trainKnown = () => ({ steps: train.steps(), judged: train.judged, basins: train.basins.done, ends: train.basins.ends.length, kinds: [...train.basins.kinds.keys()],
  found: train.found, path: train.path, resting: !train.making && !train.travelling && !train.busy && !train.running && !train.solving, frames: train.frames, opened: train.opened });
