/* train_curves.js -- loss, correlation, divergence and attention over the steps, from the records of a run. */
import { number, raised } from './draw.js';
import { placeOf } from './flow_axis.js';

const log10 = x => (typeof x === 'number' && x > 0 ? Math.log10(x) : NaN);
const ROWS = [
  { name: 'loss above its infimum', lines: [{ of: r => (typeof r.log_gap === 'number' ? r.log_gap / Math.LN10 : NaN) }], log: true,
    or: { name: 'loss', lines: [{ of: r => log10(r.loss) }], log: true } },
  { name: '1 − correlation', more: 'divergence', log: true,
    lines: [{ of: r => (typeof r.correlation === 'number' ? log10(1 - r.correlation) : NaN) }, { of: r => log10(r.bregman), second: true }] },
  { name: 'attention of the largest', lines: [{ of: r => r.saturation }], low: 0, high: 1 },
];

const told = (v, log) => (!Number.isFinite(v) ? '–' : !log ? number(v, 3) : v > -4 ? number(10 ** v, 3) : v < -1e4 ? `10^(${number(v, 3)})` : `10${raised(Math.round(v))}`);

export function drawCurves(pen, tone, axis, history, width, height) {
  const room = 8, each = (height - room * (ROWS.length - 1)) / ROWS.length, u = r => (r.step > 0 ? placeOf(Math.log10(r.step)) : 0);
  /* Without an infimum there is the loss itself. */
  ROWS.map(row => (row.or && !history.some(r => Number.isFinite(row.lines[0].of(r))) ? row.or : row)).forEach((row, k) => {
    const top = k * (each + room), bottom = top + each, all = history.flatMap(r => row.lines.map(l => l.of(r))).filter(Number.isFinite);
    let low = row.low ?? Math.min(...all), high = row.high ?? Math.max(...all);
    pen.path([[axis.x(0), bottom], [axis.x(axis.extent), bottom]], { stroke: tone.line, width: 1 });
    const said = [];
    if (all.length) {
      if (high - low < 1e-9) { low -= 1; high += 1; }
      const y = v => bottom - 4 - (each - 18) * (v - low) / (high - low);
      row.lines.forEach(line => {
        const style = { stroke: line.second ? tone.accent : tone.ink, width: 1.6, dash: line.second ? [4, 3] : [] };
        let points = [];
        for (const r of history) {
          const v = line.of(r);
          if (Number.isFinite(v)) { points.push([axis.x(Math.min(u(r), axis.extent)), y(v)]); } else { pen.path(points, style); points = []; }
        }
        pen.path(points, style);
        const now = [...history].reverse().find(r => u(r) <= axis.at + 1e-9);
        if (now) {
          said.push(told(line.of(now), row.log));
          if (Number.isFinite(line.of(now))) { pen.disc(axis.x(Math.min(axis.at, axis.extent)), y(line.of(now)), 3, { fill: style.stroke }); }
        }
      });
    }
    pen.text(axis.x(0), top + 10, row.name + (row.more ? `,  ${row.more} (dashed)` : ''), { size: 11, fill: tone.soft, halo: tone.paper });
    pen.text(axis.x(axis.extent), top + 10, said.join('   '), { size: 11, fill: tone.ink, anchor: 'end', halo: tone.paper });
  });
  pen.path([[axis.x(Math.min(axis.at, axis.extent)), 0], [axis.x(Math.min(axis.at, axis.extent)), height]], { stroke: tone.accent, width: 1, alpha: 0.35 });
}
