/* flow_axis.js -- time on a logarithmic scale, from step 0 through the closed form (10^18) to the leaps (10^300), and the
 * curves that stand over it: residual, energy, clusters. */
import { CanvasPen, number, power, raised } from './draw.js';

const LEFT = 14, RIGHT = 18;

/* u, the place of a clock whose log10 is l: near 0 it is linear. */
export const placeOf = l => (l < 12 ? Math.log10(1 + 10 ** l) : l);
export const clockAt = u => (u <= 0 ? -Infinity : u < 12 ? Math.log10(10 ** u - 1) : u);

/* What was seen of a run: rows of [u, residual, energy, clusters], ascending in u, and half of them forgotten when there are
 * too many, so that memory stays what it is. */
export class Series {
  constructor(limit = 1200) { this.limit = limit; this.rows = []; this.gap = 0; }

  add(frame) {
    const u = placeOf(frame.clock), rows = this.rows;
    if (!Number.isFinite(u)) { return; }
    let k = rows.length;
    while (k > 0 && rows[k - 1][0] > u) { k--; }
    if (k > 0 && u - rows[k - 1][0] <= this.gap) { return; }
    if (k < rows.length && rows[k][0] - u <= this.gap) { return; }
    rows.splice(k, 0, [u, frame.residual, frame.energy, frame.clusters]);
    if (rows.length > this.limit) {
      this.gap = Math.max(2 * this.gap, (rows[rows.length - 1][0] - rows[0][0]) / this.limit);
      this.rows = rows.filter((r, i) => i === 0 || i % 2 === 0 || i === rows.length - 1);
    }
  }

  end() { return this.rows.length ? this.rows[this.rows.length - 1][0] : 0; }
}

/* The time axis: a slider to keyboards and readers. seek(u) is called as it is dragged. */
export class Axis {
  constructor(seek) {
    this.canvas = document.createElement('canvas');
    this.canvas.className = 'axis';
    Object.entries({ role: 'slider', tabindex: '0', 'aria-label': 'time, on a logarithmic scale', 'aria-valuemin': '0' })
      .forEach(([k, v]) => this.canvas.setAttribute(k, v));
    this.extent = 3;
    this.at = 0;
    this.known = 0;
    const to = e => seek(Math.max(0, Math.min(this.extent, this.u(e.clientX - this.canvas.getBoundingClientRect().left))));
    this.canvas.onpointerdown = e => { this.canvas.setPointerCapture(e.pointerId); this.held = true; to(e); };
    this.canvas.onpointermove = e => { if (this.held) { to(e); } };
    this.canvas.onpointerup = this.canvas.onpointercancel = () => { this.held = false; };
    this.canvas.onkeydown = e => {
      const by = { ArrowRight: 0.05, ArrowUp: 0.05, ArrowLeft: -0.05, ArrowDown: -0.05, PageUp: 1, PageDown: -1 }[e.key];
      const u = e.key === 'Home' ? 0 : e.key === 'End' ? this.extent : by && this.at + by * Math.max(1, this.extent / 18);
      if (u !== undefined) { seek(Math.max(0, Math.min(this.extent, u))); e.preventDefault(); e.stopPropagation(); }
    };
  }

  x(u) { return LEFT + (this.width - LEFT - RIGHT) * u / this.extent; }
  u(x) { return (x - LEFT) / (this.width - LEFT - RIGHT) * this.extent; }

  /* s: { at, known, proved (u or null), beyond: words of what comes after, timed } */
  draw(tone, s) {
    Object.assign(this, s);
    this.width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    if (!this.width) { return; }
    this.canvas.setAttribute('aria-valuemax', String(this.extent));
    this.canvas.setAttribute('aria-valuenow', String(Math.round(100 * this.at) / 100));
    this.canvas.setAttribute('aria-valuetext', s.words);
    this.paint(new CanvasPen(this.canvas, this.width, height), tone);
  }

  paint(pen, tone) {
    const y = 24, x0 = this.x(0), x1 = this.x(this.extent);
    pen.path([[x0, y], [x1, y]], { stroke: tone.line, width: 3 });
    pen.path([[x0, y], [this.x(Math.min(this.known, this.extent)), y]], { stroke: tone.faint, width: 3 });
    if (this.proved !== null) {
      pen.path([[this.x(Math.min(this.proved, this.extent)), y], [x1, y]], { stroke: tone.accent, width: 3, alpha: 0.85 });
    }
    const every = [1, 2, 3, 5, 10, 20, 50, 100, 200].find(k => (x1 - x0) / (this.extent / k) > 44) ?? 500;
    const shift = this.timed ? -2 : 0;
    for (let k = 0; k <= this.extent + 1e-9; k += every) {
      const e = k + shift, x = k === 0 ? x0 : this.x(Math.min(this.extent, placeOf(k)));
      if (k > 0) { pen.path([[x, y - 3], [x, y + 3]], { stroke: tone.paper, width: 1.5 }); }
      const words = k === 0 ? '0' : e === 0 ? '1' : e === 1 ? '10' : '10' + raised(e);
      pen.text(x, y + 20, words, { size: 11, fill: tone.soft, anchor: k === 0 ? 'start' : 'middle' });
    }
    if (this.beyond && this.proved !== null && this.x(this.proved) < x1 - 130) {
      pen.text(x1, y - 11, this.beyond, { size: 12, fill: tone.accent, anchor: 'end', serif: true, italic: true });
    }
    const x = this.x(Math.min(this.extent, this.at));
    pen.disc(x, y, 7, { fill: tone.accent, stroke: tone.paper, width: 2 });
  }
}

const CURVES = [
  { name: 'residual', column: 1, log: true }, { name: 'energy', column: 2 }, { name: 'clusters', column: 3, steps: true },
];

/* Three small pictures over one axis. panes: [{ series, colour }]; a line each. */
export function drawCurves(pen, tone, axis, panes, width, height) {
  const room = 8, each = (height - room * (CURVES.length - 1)) / CURVES.length;
  CURVES.forEach((curve, k) => {
    const top = k * (each + room), bottom = top + each;
    const value = r => (curve.log ? (r[curve.column] > 0 ? Math.log10(r[curve.column]) : NaN) : r[curve.column]);
    const all = panes.flatMap(p => p.series.rows.map(value)).filter(Number.isFinite);
    let low = Math.min(...all), high = Math.max(...all);
    pen.path([[axis.x(0), bottom], [axis.x(axis.extent), bottom]], { stroke: tone.line, width: 1 });
    if (all.length) {
      if (high - low < 1e-12 * Math.max(1, Math.abs(high))) { low -= 1; high += 1; }
      const y = v => bottom - 4 - (each - 18) * (v - low) / (high - low);
      for (const { series, colour } of panes) {
        const points = [];
        for (const r of series.rows) {
          const v = value(r), x = axis.x(Math.min(r[0], axis.extent));
          if (!Number.isFinite(v)) { continue; }
          if (curve.steps && points.length) { points.push([x, points[points.length - 1][1]]); }
          points.push([x, y(v)]);
        }
        pen.path(points, { stroke: colour, width: 1.6 });
        const now = [...series.rows].reverse().find(r => r[0] <= axis.at + 1e-9);
        if (now && Number.isFinite(value(now))) { pen.disc(axis.x(Math.min(axis.at, axis.extent)), y(value(now)), 3, { fill: colour }); }
      }
    }
    const now = panes.map(p => [...p.series.rows].reverse().find(r => r[0] <= axis.at + 1e-9)).filter(r => r);
    pen.text(axis.x(0), top + 10, curve.name, { size: 11, fill: tone.soft, halo: tone.paper });
    pen.text(axis.x(axis.extent), top + 10, now.map(r => number(r[curve.column], 3)).join('   '),
      { size: 11, fill: tone.ink, anchor: 'end', halo: tone.paper });
  });
  pen.path([[axis.x(Math.min(axis.at, axis.extent)), 0], [axis.x(Math.min(axis.at, axis.extent)), height]],
    { stroke: tone.accent, width: 1, alpha: 0.35 });
}

export { power };
