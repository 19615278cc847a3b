/* draw.js -- two pens that draw the same: on a canvas, and as SVG. Sizes are in CSS pixels.
 *
 *   pen.path([[x, y], ...], { close, fill, stroke, width, alpha, dash })
 *   pen.disc(x, y, r, style)   pen.text(x, y, words, { size, fill, anchor, serif, weight, halo })
 */
const SANS = 'Inter, "Helvetica Neue", "Segoe UI", Roboto, system-ui, "DejaVu Sans", sans-serif';
const SERIF = '"Iowan Old Style", "Palatino Linotype", Palatino, "Book Antiqua", Georgia, "DejaVu Serif", serif';

export class CanvasPen {
  constructor(canvas, width, height) {
    const ratio = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    this.c = canvas.getContext('2d');
    this.c.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.c.clearRect(0, 0, width, height);
    this.c.lineJoin = this.c.lineCap = 'round';
  }

  finish({ fill, stroke, width = 1, alpha = 1, dash = [] }) {
    const c = this.c;
    c.globalAlpha = alpha;
    if (fill) { c.fillStyle = fill; c.fill(); }
    if (stroke) { c.strokeStyle = stroke; c.lineWidth = width; c.setLineDash(dash); c.stroke(); }
    c.globalAlpha = 1;
  }

  path(points, style) {
    if (!points.length) { return; }
    this.c.beginPath();
    points.forEach(([x, y], k) => (k ? this.c.lineTo(x, y) : this.c.moveTo(x, y)));
    if (style.close) { this.c.closePath(); }
    this.finish(style);
  }

  disc(x, y, r, style) {
    this.c.beginPath();
    this.c.arc(x, y, r, 0, 2 * Math.PI);
    this.finish(style);
  }

  text(x, y, words, { size = 12, fill, anchor = 'start', serif = false, weight = 400, halo, italic = false }) {
    const c = this.c;
    c.font = `${italic ? 'italic ' : ''}${weight} ${size}px ${serif ? SERIF : SANS}`;
    c.textAlign = { start: 'left', middle: 'center', end: 'right' }[anchor];
    c.textBaseline = 'alphabetic';
    if (halo) { c.strokeStyle = halo; c.lineWidth = 3; c.setLineDash([]); c.strokeText(words, x, y); }
    c.fillStyle = fill;
    c.fillText(words, x, y);
  }
}

const escaped = words => String(words).replace(/[&<>"]/g, c => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }[c]));
const short = x => String(Math.round(x * 100) / 100);

export class SvgPen {
  constructor(width, height, paper) {
    this.width = width;
    this.height = height;
    this.parts = paper ? [`<rect width="${width}" height="${height}" fill="${paper}"/>`] : [];
  }

  style({ fill, stroke, width = 1, alpha = 1, dash = [] }) {
    return `fill="${fill || 'none'}"` + (stroke ? ` stroke="${stroke}" stroke-width="${width}"` : '') +
      (alpha < 1 ? ` opacity="${short(alpha)}"` : '') + (dash.length ? ` stroke-dasharray="${dash.join(' ')}"` : '');
  }

  path(points, style) {
    if (!points.length) { return; }
    const d = points.map(([x, y], k) => (k ? 'L' : 'M') + short(x) + ' ' + short(y)).join('') + (style.close ? 'Z' : '');
    this.parts.push(`<path d="${d}" ${this.style(style)}/>`);
  }

  disc(x, y, r, style) {
    this.parts.push(`<circle cx="${short(x)}" cy="${short(y)}" r="${short(r)}" ${this.style(style)}/>`);
  }

  text(x, y, words, { size = 12, fill, anchor = 'start', serif = false, weight = 400, italic = false }) {
    this.parts.push(`<text x="${short(x)}" y="${short(y)}" font-family="${escaped(serif ? SERIF : SANS)}" font-size="${size}" ` +
      `font-weight="${weight}" ${italic ? 'font-style="italic" ' : ''}text-anchor="${anchor}" fill="${fill}">${escaped(words)}</text>`);
  }

  done() {
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height}" ` +
      `viewBox="0 0 ${this.width} ${this.height}" stroke-linejoin="round" stroke-linecap="round">\n${this.parts.join('\n')}\n</svg>\n`;
  }
}

/* What the page's colours are at the moment, from its style; groups are those of src/draw/palette.c on paper, and lighter in
 * the dark. */
export function colours() {
  const style = getComputedStyle(document.documentElement), of = name => style.getPropertyValue('--' + name).trim();
  const groups = of('groups').split(/\s+/);
  return { paper: of('paper'), ink: of('ink'), soft: of('soft'), faint: of('faint'), line: of('line'), accent: of('accent'),
    group: k => (k < 0 ? of('soft') : groups[k % groups.length]) };
}

/* An arrow along a line, its head at the end. */
export function arrow(pen, from, to, { head = 6, gap = 0, ...style }) {
  const dx = to[0] - from[0], dy = to[1] - from[1], length = Math.hypot(dx, dy);
  if (length < gap + head + 2) { return; }
  const ux = dx / length, uy = dy / length, end = [to[0] - ux * gap, to[1] - uy * gap];
  pen.path([from, [end[0] - ux * head * 0.8, end[1] - uy * head * 0.8]], style);
  pen.path([end, [end[0] - ux * head - uy * head * 0.42, end[1] - uy * head + ux * head * 0.42],
    [end[0] - ux * head + uy * head * 0.42, end[1] - uy * head - ux * head * 0.42]],
  { close: true, fill: style.stroke, alpha: style.alpha });
}

/* 10^x, for people: 1,234 or 1.5·10^18. */
const raised = n => String(n).replace(/[-0-9]/g, c => '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'['-0123456789'.indexOf(c)]);
export function power(log10) {
  if (log10 === Infinity) { return 'forever'; }
  if (log10 < 6) { return Math.round(10 ** log10).toLocaleString('en'); }
  const whole = Math.floor(log10 + 1e-9), rest = 10 ** (log10 - whole);
  return (rest < 1.005 ? '' : rest.toFixed(2) + '·') + '10' + raised(whole);
}
export function number(x, digits = 4) {
  if (typeof x !== 'number' || Number.isNaN(x)) { return typeof x === 'string' ? x : '–'; }
  const size = Math.abs(x);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) {
    const [m, e] = x.toExponential(Math.max(0, digits - 2)).split('e');
    return m + '·10' + raised(Number(e));
  }
  return String(Number(x.toPrecision(digits)));
}
export { raised };
