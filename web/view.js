/* view.js -- what every view has: a stage, a time axis with its buttons, examples, and answers of the Worker. */
import { CanvasPen, colours } from './draw.js';
import { engine } from './engine.js';
import { Axis } from './flow_axis.js';
import { Eye } from './flow_scene.js';
import { icon, make, save, select } from './parts.js';

const PACES = [['growing', 'ever faster'], ['slow', '4 steps a second'], ['steady', 'a step a frame']];

/* A view has name, title, root, run(), seek(u), nudge(by), draw() and address() of its own. */
export class View {
  mount(host) {
    this.host = host;
    this.eye = new Eye();
    this.playing = false;
    this.frames = 0;
    this.turnstile = 0; /* what was asked before the last change is not drawn */
    this.pace = 'growing';
  }

  button(name, words, act, kind = '') {
    return make('button', { class: 'round ' + kind, type: 'button', title: words, 'aria-label': words, onclick: act }, icon(name));
  }

  /* curves: what the curves are of; end: what the last button does. */
  transport(curves, end) {
    this.axis = new Axis(u => this.seek(u));
    this.curves = make('canvas', { class: 'curves', role: 'img', 'aria-label': curves });
    this.playButton = this.button('play', 'play or pause (space)', () => this.play(!this.playing), 'main');
    this.now = make('output', { class: 'now' });
    return make('div', { class: 'transport' },
      make('div', { class: 'buttons' }, this.button('start', 'to the start (Home)', () => this.seek(0)),
        this.button('back', 'one step back (,)', () => this.nudge(-1)), this.playButton,
        this.button('step', 'one step (.)', () => this.nudge(1)), this.button('end', end, () => this.seek(this.axis.extent)), this.now,
        select({ label: 'pace', choices: PACES, value: this.pace, change: v => { this.pace = v; } })),
      this.axis.canvas, this.curves);
  }

  presetBox(presets) {
    this.preset = select({ label: 'examples', choices: [['', 'Choose an example'], ...presets.map(([name], k) => [String(k), name])], value: '',
      change: k => { if (k !== '') { this.host.go(`${this.name}&${presets[k][1]}`); } } });
    this.story = make('p', { class: 'story' });
    return make('div', { class: 'presets' }, this.preset, this.story);
  }

  play(on) {
    this.playing = on;
    this.playButton.replaceChildren(icon(on ? 'pause' : 'play'));
    this.playButton.setAttribute('aria-pressed', String(on));
    if (on && !this.running) { this.run(); }
    if (!on) { this.address(); }
  }

  /* What the Worker says; null when something was changed meanwhile, or when it fails. */
  async answer(call, what) {
    const mark = this.turnstile;
    try {
      const answer = await engine.call(call, what);
      return mark === this.turnstile ? answer : null;
    } catch (e) {
      if (mark === this.turnstile) { this.play(false); this.host.notice(e.message); }
      return null;
    }
  }

  key(e) {
    const act = { ' ': () => this.play(!this.playing), '.': () => this.nudge(1), ',': () => this.nudge(-1), Home: () => this.seek(0),
      End: () => this.seek(this.axis.extent) }[e.key];
    if (act) { act(); e.preventDefault(); }
  }

  /* paint(pen) on a picture of twice the size, which is saved. */
  png(name, width, height, paint) {
    const canvas = make('canvas', { width: 2 * width, height: 2 * height }), c = canvas.getContext('2d');
    const pen = Object.assign(Object.create(CanvasPen.prototype), { c });
    c.scale(2, 2);
    c.fillStyle = colours().paper;
    c.fillRect(0, 0, width, height);
    c.lineJoin = c.lineCap = 'round';
    paint(pen);
    canvas.toBlob(blob => save(name, blob));
  }
}
