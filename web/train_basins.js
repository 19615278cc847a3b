/* train_basins.js -- where descent ends, by where it starts: a grid of starts over the plane of the weights, computed in the
 * Worker some milliseconds at a time. */
import { engine } from './engine.js';

const SIDE = 34, EDGE = 30;

/* Cells of the disc, [x, y] of their middles in the unit disc, such that every prefix is spread over it. */
function places() {
  const all = [], turn = k => { let v = 0, b = 0.5; for (; k > 0; k >>= 1, b /= 2) { v += (k & 1) * b; } return v; };
  for (let a = 0; a < SIDE; a++) {
    for (let b = 0; b < SIDE; b++) {
      const x = (2 * a + 1) / SIDE - 1, y = (2 * b + 1) / SIDE - 1;
      if (Math.hypot(x, y) < 1 + 1.4 / SIDE) { all.push([x, y, (turn(a) + turn(b) * 7.13) % 1]); }
    }
  }
  return all.sort((p, q) => p[2] - q[2]);
}

export class Basins {
  constructor() { this.cells = places(); this.clear(); }

  clear() { this.ends = []; this.kinds = new Map(); this.mark = {}; this.key = ''; }

  get done() { return this.ends.length >= this.cells.length; }

  /* The u of a place of the unit disc. */
  static u([x, y]) {
    const r = Math.hypot(x, y), size = r > 0 ? Math.expm1(Math.min(1, r) * Math.log1p(EDGE)) / r : 0;
    return [size * x, size * y];
  }

  /* What the four corners of a cell are in the plane. */
  corners([x, y]) {
    const h = 1.06 / SIDE; /* a little over, so that no paper shows between them */
    return [[x - h, y - h], [x + h, y - h], [x + h, y + h], [x - h, y + h]].map(Basins.u);
  }

  /* weights(u): numbers of the start. tick(): to be called when there is more to see. Does nothing when it has these. */
  async run(key, { options, arrays, size, weights, tick, refused }) {
    if (key === this.key) { return; }
    this.clear();
    this.key = key;
    const mark = this.mark, starts = new Float64Array(this.cells.length * size);
    this.cells.forEach((c, k) => starts.set(weights(Basins.u(c)), k * size));
    try {
      while (!this.done) {
        const { ends } = await engine.call('trainBasins', { options, arrays, starts, size, first: this.ends.length });
        if (mark !== this.mark) { return; }
        ends.forEach(e => { if (e !== '' && !this.kinds.has(e)) { this.kinds.set(e, this.kinds.size); } });
        this.ends.push(...ends);
        tick();
      }
    } catch (e) {
      if (mark === this.mark) { refused(e); }
    }
  }
}
