/* inspect_html.js -- what the page of an inspection does: it shows the head that is chosen, which
 * are its numbers, the leader graph with an arc from each token to the one its row selects, sinks,
 * and rows by their flip radius; it marks a token that is pointed at, and saves pictures. It reads
 * the JSON of the page, and puts tokens into the page as text alone.
 */
(function () {
'use strict';
const find = id => document.getElementById(id), any = document.querySelector('svg.map');
if (!any) { return; }
const data = JSON.parse(find('data').textContent), n = data.n, few = n <= data.few;
const GREY = '#7b8794', RED = '#c2410c', FONT = { 'font-family': 'system-ui, sans-serif' };
let chosen = data.first; /* head */
let shown = null;        /* { head, degree, graph, arcs, words } of the chosen head */
let held = null;         /* token that stays marked until another click */

/* ---- elements ---- */

/* An element with text, never with markup. */
function add(parent, name, text, attributes, space) {
    const e = space ? document.createElementNS(space, name) : document.createElement(name);
    for (const key in attributes) { e.setAttribute(key, attributes[key]); }
    if (text !== undefined) { e.textContent = text; }
    parent.appendChild(e);
    return e;
}
function draw(parent, name, attributes, title, text) {
    const e = add(parent, name, text, attributes, any.namespaceURI);
    if (title) { add(e, 'title', title, {}, any.namespaceURI); }
    return e;
}
function picture(box, width, height, what) {
    const svg = draw(box, 'svg', Object.assign({ width: width, height: height, role: 'img',
        viewBox: '0 0 ' + width + ' ' + height, 'aria-label': what + '; the tables below have it too',
        'font-size': 13, fill: '#222' }, FONT));
    svg.style.maxWidth = 'none';
    return svg;
}

/* ---- words ---- */

/* As the text above has them, where what cannot be seen has a sign; without one, their places. */
const spans = [...document.querySelectorAll('.text span')].map(e => e.textContent.trim());
function word(t) { return spans.length > 0 ? spans[t] : String(t); }
/* In a picture; what is cut off stands in its title. */
function short(t) {
    const letters = Array.from(word(t));
    return letters.length > 18 ? letters.slice(0, 17).join('') + '…' : word(t);
}
/* The same inside a sentence: letters that run from right to left turn nothing but themselves. */
function inside(t) {
    const w = word(t);
    return /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]|[\ud802-\ud803\ud83a-\ud83b]/.test(w)
        ? '\u2068' + w + '\u2069' : w;
}
function pick(t) { return spans.length > 0 ? inside(t) + ' (' + t + ')' : String(t); }
function tell(x) {
    if (x === null || x === undefined) { return 'none'; }
    return x === Infinity ? 'inf' : x === -Infinity ? '-inf' : String(+x.toPrecision(5));
}
function flip(x) {
    return data.relative && isFinite(x) && x !== null ? tell(100 * x) + '%' : tell(x);
}
function name(h) { return 'layer ' + data.heads[h].l + ', head ' + data.heads[h].h; }
function about(head, degree, t) {
    let text = 'token ' + (word(t) === String(t) ? t : t + ', ' + inside(t)) + ': selects ' + pick(head.a[t]);
    if (head.f) { text += ', flip radius ' + flip(head.f[t]); }
    if (head.w) { text += ', weight ' + tell(head.w[t]); }
    if (head.r) { text += ', reach ' + tell(head.r[t]) + ' logits'; }
    return text + '; selected by ' + degree[t] + (degree[t] === 1 ? ' row' : ' rows');
}
/* Of rows on a token, beside the token that most rows select. */
function shade(share) {
    return share > 0 ? 'rgba(49,130,189,' + (.12 + .58 * share).toFixed(3) + ')' : 'none';
}
function say(text) { find('told').textContent = text; }

/* ---- the token that is pointed at ---- */

function mark(t) {
    const a = shown.head.a;
    shown.graph.classList.toggle('dim', t !== null);
    shown.arcs.forEach((e, k) => e.classList.toggle('lit', t !== null && (k === t || a[k] === t)));
    shown.words.forEach((e, k) => {
        e.classList.toggle('from', t !== null && a[k] === t);
        e.classList.toggle('to', t !== null && a[t] === k);
    });
    say(t === null ? '' : about(shown.head, shown.degree, t));
}
/* Pointing marks, a click holds. */
function marks(e, t) {
    e.addEventListener('mouseenter', () => mark(t));
    e.addEventListener('mouseleave', () => mark(held));
    e.addEventListener('click', () => { held = held === t ? null : t; mark(held === null ? t : held); });
}

/* ---- the leader graph ---- */

/* From and to are on the line y = base; up is 1 above it and -1 below. */
function arc(svg, from, to, base, high, up, head, style, title) {
    const g = draw(svg, 'g', { 'class': 'arc' }, title), y = base - up * high, loop = head > 0 ? 26 : 8;
    const path = from === to
        ? 'M' + from + ' ' + base + 'c' + -loop + ' ' + -loop + ' ' + loop + ' ' + -loop + ' 0 0'
        : 'M' + from + ' ' + base + 'C' + from + ' ' + y + ' ' + to + ' ' + y + ' ' + to + ' ' + base;
    draw(g, 'path', Object.assign({ d: path, fill: 'none' }, style));
    if (head > 0) {
        draw(g, 'path', { 'class': 'tip', d: 'M' + (to - head) + ' ' + (base - 2 * head) + 'h' + 2 * head + 'L' +
            to + ' ' + base + 'z', fill: style.stroke });
    }
    return g;
}
/* Those to the token that most rows select are grey, and lie behind. */
function arcs(svg, head, degree, make) {
    const most = degree.indexOf(Math.max.apply(null, degree)), made = new Array(n);
    [true, false].forEach(common => head.a.forEach((a, t) => {
        if ((a === most) === common) {
            made[t] = make(t, a, common ? GREY : RED, head.w ? head.w[t] : .5);
        }
    }));
    return made;
}
const pen = document.createElement('canvas').getContext('2d');
function width(text, size) {
    pen.font = size + 'px system-ui, sans-serif';
    return pen.measureText(text).width;
}

/* A few words stand side by side, or turned where that is too wide. */
function place(room) {
    const at = { x: [], width: [] };
    for (let t = 0; t < n; t++) { at.width.push(width(short(t), 13)); }
    const total = at.width.reduce((a, b) => a + b, 0), widest = Math.max.apply(null, at.width);
    at.turned = total + 12 * n + 16 > room;
    const gap = Math.min(Math.max((room - 16 - total) / n, 12), 44);
    /* Turned by 50 degrees, a word reaches .64 of its width to the left. */
    const left = at.turned ? Math.max.apply(null, at.width.map((w, t) => .64 * w + 2 - 17 * t).concat(10)) : 8;
    const step = Math.max((room - left - 16) / n, 17);
    let x = left;
    for (let t = 0; t < n; t++) {
        const own = at.turned ? step : at.width[t] + gap;
        at.x.push(x + own / 2);
        x += own;
    }
    at.total = x + 8;
    at.below = at.turned ? .77 * widest + 28 : 28;
    return at;
}
function sentence(head, degree) {
    const box = find('graph'), at = place(Math.max(box.clientWidth - 4, 320)), most = Math.max.apply(null, degree);
    const far = Math.max.apply(null, head.a.map((a, t) => Math.abs(at.x[a] - at.x[t])));
    const high = x => 20 + Math.min(.55, 210 / far) * x, base = Math.max(.75 * high(far), 24) + 8;
    const svg = picture(box, at.total, base + at.below, 'arcs from each token to the one its row selects');
    const words = at.x.map((x, t) => {
        const turned = at.turned ? { transform: 'rotate(-50 ' + x + ' ' + (base + 10) + ')' } : {};
        const w = at.width[t] + 8, corner = at.turned ? x - w + 4 : x - w / 2;
        const g = draw(svg, 'g', Object.assign({ 'class': 'token' }, turned), about(head, degree, t));
        draw(g, 'rect', { x: corner, y: base + 4, width: w, height: 19, rx: 3, fill: shade(degree[t] / most) });
        draw(g, 'text', { x: x, y: base + 18, 'text-anchor': at.turned ? 'end' : 'middle' }, undefined, short(t));
        return g;
    });
    const made = arcs(svg, head, degree, (t, a, colour, weight) =>
        arc(svg, at.x[t], at.x[a], base, high(Math.abs(at.x[a] - at.x[t])), 1, 3.5,
            { stroke: colour, 'stroke-width': (.8 + 2.2 * weight).toFixed(2), 'stroke-opacity': .8 },
            about(head, degree, t)));
    find('legend').textContent = 'An arc leads from each token to the one that its row selects, thicker where ' +
        'that has more of the weight; grey: to the token that most rows select. Words are darker the more rows ' +
        'select them. Pointing at a word shows its arcs alone, a click keeps them.';
    return { graph: svg, arcs: made, words: words };
}

/* Many tokens are places on a line: what looks back is above it, what looks ahead below; bars hang
 * from it, as long as many rows select the token, and the longest have their words. */
function strip(head, degree) {
    const box = find('graph'), total = Math.max(box.clientWidth - 4, 320, 1.2 * n), step = (total - 20) / n;
    const x = t => 10 + (t + .5) * step, most = Math.max.apply(null, degree), bar = 44;
    const far = (up) => head.a.reduce((far, a, t) => Math.max(far, up * (t - a)), 0);
    const back = far(1), ahead = far(-1), high = d => d > 0 ? 200 * Math.pow(d / Math.max(back, ahead), .7) : 0;
    const base = Math.max(.75 * high(back), 20) + 6, foot = base + bar + 34;
    const svg = picture(box, total, foot + .75 * high(ahead) + 6, 'arcs from each token to the one its row selects');
    [base].concat(ahead > 0 ? foot : []).forEach(y =>
        draw(svg, 'path', { d: 'M10 ' + y + 'H' + (total - 10), stroke: '#999', 'stroke-width': .5 }));
    const thick = Math.max(.7, Math.min(1.5, 100 / n)), largest = head.w ? Math.max.apply(null, head.w) : 1;
    const made = arcs(svg, head, degree, (t, a, colour, weight) =>
        arc(svg, x(t), x(a), a > t ? foot : base, high(Math.abs(a - t)), a > t ? -1 : 1, 0,
            { stroke: colour, 'stroke-width': thick, 'stroke-opacity': (.2 + .6 * weight / largest).toFixed(2) },
            about(head, degree, t)));
    degree.forEach((d, t) => {
        const g = draw(svg, 'g', { 'class': 'token' }, about(head, degree, t));
        draw(g, 'rect', { x: x(t) - step / 2, y: base, width: step, height: bar, fill: '#fff', 'fill-opacity': 0 });
        draw(g, 'rect', { 'class': 'bar', x: x(t) - .45 * step, y: base, width: .9 * step, height: bar * d / most,
            fill: '#3182bd' });
        marks(g, t);
    });
    labels(svg, degree, x, base + bar + 12, total);
    const every = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find(k => k * step > 36) || 2000;
    for (let t = 0; t < n && x(t) < total - 20; t += every) {
        draw(svg, 'text', { x: x(t), y: base + bar + 28, 'text-anchor': 'middle', 'font-size': 10, fill: '#666' },
            undefined, String(t));
    }
    return { graph: svg, arcs: made };
}
/* The words of the longest bars, as many as have room. */
function labels(svg, degree, x, y, total) {
    const taken = [];
    degree.map((d, t) => t).filter(t => degree[t] > 1).sort((a, b) => degree[b] - degree[a] || a - b)
        .slice(0, 40).forEach(t => {
            const half = width(short(t), 11) / 2 + 3, at = Math.min(Math.max(x(t), half), total - half);
            if (half < 80 && taken.every(k => at + half < k[0] || at - half > k[1])) {
                taken.push([at - half, at + half]);
                draw(svg, 'text', { x: at, y: y, 'text-anchor': 'middle', 'font-size': 11 }, undefined, short(t));
            }
        });
}
/* And their text, in lines. */
function lines(head, degree) {
    const box = find('sentence'), most = Math.max.apply(null, degree), words = [];
    const glued = data.tokens && data.tokens.some(w => w.startsWith(' '));
    for (let t = 0; t < n; t++) {
        const raw = data.tokens ? data.tokens[t] : '';
        if (t > 0 && !raw.startsWith('##') && (!glued || raw.startsWith(' '))) {
            box.appendChild(document.createTextNode(' '));
        }
        const e = add(box, 'span', word(t), { title: about(head, degree, t) });
        e.style.background = shade(degree[t] / most);
        marks(e, t);
        words.push(e);
    }
    find('legend').textContent = 'Each token is a place on the line, and an arc leads from it to the one that its ' +
        'row selects: above the line to one before it, below to one behind it; darker where that has more of the ' +
        'weight, grey to the token that most rows select. Bars and shades tell how many rows select a token. ' +
        'Pointing at a word shows its arcs, underlines the rows that select it and frames the one that it selects; ' +
        'a click keeps that.';
    return words;
}
function graph() {
    const head = data.heads[chosen], degree = new Array(n).fill(0);
    head.a.forEach(a => degree[a]++);
    find('graph').textContent = find('sentence').textContent = '';
    shown = Object.assign({ head: head, degree: degree }, (few ? sentence : strip)(head, degree));
    if (few) {
        shown.words.forEach(marks);
    } else {
        shown.words = lines(head, degree);
    }
    mark(held);
}

/* ---- tables ---- */

/* titles: of columns, [text, name of its number, its class]; rows: cells, and the token
 * that the row is about in front. Those behind the first `most` are there after a click. */
function table(box, titles, rows, most) {
    const t = add(add(box, 'div', undefined, { 'class': 'wide' }), 'table');
    const line = add(add(t, 'thead'), 'tr'), body = add(t, 'tbody');
    titles.forEach(title => {
        const link = title[1] && find('n-' + title[1]);
        const cell = add(line, 'th', link ? undefined : title[0], title[2] ? { 'class': title[2] } : {});
        if (link) { add(cell, 'a', title[0], { href: '#n-' + title[1] }); }
    });
    function put(row) {
        const tr = add(body, 'tr');
        row.slice(1).forEach((text, k) => add(tr, 'td', text, titles[k][2] ? { 'class': titles[k][2] } : {}));
        marks(tr, row[0]);
    }
    rows.slice(0, most).forEach(put);
    if (rows.length > most) {
        const more = add(box, 'button', 'show all ' + rows.length, { type: 'button', 'class': 'more' });
        more.addEventListener('click', () => { more.remove(); rows.slice(most).forEach(put); });
    }
}
function sinks(head, degree) {
    const kinds = { f: 'first', s: 'separator', o: 'ordinary' };
    const order = degree.map((d, t) => t).filter(t => degree[t] > 0).sort((a, b) => degree[b] - degree[a] || a - b);
    const titles = [['token', '', 'left long'], ['place'], ['rows'], ['share', 'sinks.share']];
    if (data.kinds) { titles.push(['kind', '', 'left']); }
    if (head.r) { titles.push(['reach', 'reachable']); }
    table(find('sinks'), titles, order.map(t => {
        const cells = [t, word(t), t, degree[t], tell(degree[t] / n)];
        if (data.kinds) { cells.push(kinds[data.kinds[t]]); }
        if (head.r) { cells.push(tell(head.r[t])); }
        return cells;
    }), 12);
}
function rows(head) {
    const order = head.a.map((a, t) => t), f = head.f;
    if (f) { order.sort((a, b) => f[a] === f[b] ? a - b : f[a] - f[b]); }
    const titles = [['row'], ['token', '', 'left long'], ['selects', '', 'left long']];
    if (f) { titles.push(['flip radius', data.relative ? 'flip_relative' : 'flip']); }
    if (head.w) { titles.push(['weight', 'top_weight']); }
    if (head.k) { titles.push(['kappa', 'kappa']); }
    table(find('rows'), titles, order.map(t => {
        const cells = [t, t, word(t), pick(head.a[t])];
        if (f) { cells.push(flip(f[t])); }
        if (head.w) { cells.push(tell(head.w[t])); }
        if (head.k) { cells.push(tell(head.k[t])); }
        return cells;
    }), few ? n : 24);
}

/* ---- numbers ---- */

/* Each opens on its definition and certificate, which are those of its map. */
const values = data.numbers.map(number => {
    if (!number[1]) { return null; }
    const e = add(find('values'), 'details', undefined, { 'data-name': number[0] }), line = add(e, 'summary');
    add(line, 'span', number[1]);
    find('n-' + number[0]).querySelectorAll('details p').forEach(p => e.appendChild(p.cloneNode(true)));
    return add(line, 'b');
});
/* What a link leads to is opened. */
function open() {
    const to = location.hash.length > 1 && find(decodeURIComponent(location.hash.slice(1)));
    const details = to && (to.closest('details') || to.querySelector('details'));
    if (details) { details.open = true; }
}

/* ---- choosing and saving ---- */

function choose(h) {
    const head = data.heads[h];
    chosen = h;
    held = null;
    find('head').value = h;
    find('which').textContent = name(h);
    document.querySelectorAll('.chosen').forEach(e => e.classList.remove('chosen'));
    document.querySelectorAll('[data-h="' + h + '"]').forEach(e => {
        e.classList.add('chosen');
        if (e.nodeName === 'rect') { e.parentNode.appendChild(e); }
    });
    values.forEach((e, k) => {
        if (e) { e.textContent = tell(head.v[k]) + (head.d ? ' ± ' + tell(head.d[k]) : ''); }
    });
    if (head.a && find('graph')) {
        find('sinks').textContent = find('rows').textContent = '';
        graph();
        sinks(head, shown.degree);
        rows(head);
    }
}
function save(figure) {
    const svg = figure.querySelector('svg'), link = document.createElement('a');
    link.href = svg ? URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(svg)],
        { type: 'image/svg+xml' })) : figure.querySelector('img').src;
    link.download = figure.id.replace('n-', '') + '.svg';
    link.click();
}
document.querySelectorAll('button.save').forEach(button => {
    button.hidden = false;
    button.addEventListener('click', () => save(button.closest('figure')));
});
document.querySelectorAll('svg.map').forEach(map => {
    const title = map.closest('figure').querySelector('h3').textContent;
    map.addEventListener('click', event => {
        const cell = event.target.closest('[data-h]');
        if (cell) { choose(+cell.dataset.h); }
    });
    map.addEventListener('mouseover', event => {
        const cell = event.target.closest('[data-h]');
        say(cell ? title + ', ' + cell.textContent.trim() : '');
    });
    map.addEventListener('mouseleave', () => say(''));
});
document.querySelectorAll('tr[data-h]').forEach(tr => tr.addEventListener('click', () => choose(+tr.dataset.h)));
find('head').addEventListener('change', event => choose(+event.target.value));
find('choice').hidden = false;
window.addEventListener('hashchange', open);
document.addEventListener('click', event => {
    const link = event.target.closest('a[href^="#"]');
    if (link && link.hash === location.hash) { open(); } /* the place does not change */
});
let room = find('graph') ? find('graph').clientWidth : 0;
window.addEventListener('resize', () => {
    if (shown && find('graph').clientWidth !== room) { /* telephones tell of every scroll */
        room = find('graph').clientWidth;
        graph();
    }
});
choose(chosen);
open();
})();
