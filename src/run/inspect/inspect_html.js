(function () {
'use strict';
const find = id => document.getElementById(id), any = document.querySelector('svg.map');
if (!any) { return; }
const data = JSON.parse(find('data').textContent), n = data.n;
let chosen = data.first;

/* An element with text, never with markup. */
function add(parent, name, text, attributes, space) {
    const e = space ? document.createElementNS(space, name) : document.createElement(name);
    for (const key in attributes) { e.setAttribute(key, attributes[key]); }
    if (text !== undefined) { e.textContent = text; }
    parent.appendChild(e);
    return e;
}
function draw(parent, name, attributes, title) {
    const e = add(parent, name, undefined, attributes, any.namespaceURI);
    if (title) { add(e, 'title', title, {}, any.namespaceURI); }
    return e;
}
function word(t) {
    const w = data.tokens ? data.tokens[t] : String(t);
    if (w.trim() !== '') { return w.trim(); }
    return w.indexOf(String.fromCharCode(10)) < 0 ? '␣' : '⏎';
}
function pick(t) {
    return data.tokens ? word(t) + ' (' + t + ')' : String(t);
}
function tell(x) {
    if (x === null || x === undefined) { return 'none'; }
    return x === Infinity ? 'inf' : x === -Infinity ? '-inf' : String(+x.toPrecision(4));
}
function flip(x) {
    return data.relative && isFinite(x) && x !== null ? tell(100 * x) + '%' : tell(x);
}
function degrees(head) {
    const d = new Array(n).fill(0);
    head.a.forEach(a => d[a]++);
    return d;
}
function shade(share) {
    return share > 0 ? 'rgba(49,130,189,' + (.1 + .65 * Math.sqrt(share)).toFixed(3) + ')' : 'none';
}
function about(head, d, t) {
    let text = 'token ' + t + ', ' + word(t) + ': selects ' + pick(head.a[t]);
    if (head.f) { text += ', flip radius ' + flip(head.f[t]); }
    if (head.w) { text += ', weight ' + tell(head.w[t]); }
    return text + '; selected by ' + d[t] + (d[t] === 1 ? ' row' : ' rows');
}
/* Where words stand: side by side, or turned where that is too wide. */
function place(room) {
    const pen = document.createElement('canvas').getContext('2d'), at = { x: [], width: [] };
    pen.font = '13px system-ui, sans-serif';
    let total = 0, widest = 0;
    for (let t = 0; t < n; t++) {
        at.width.push(pen.measureText(word(t)).width);
        total += at.width[t];
        widest = Math.max(widest, at.width[t]);
    }
    at.turned = total + 12 * n + 16 > room;
    const gap = Math.min(Math.max((room - 16 - total) / n, 12), 30);
    const left = at.turned ? .64 * widest + 6 : 8, step = Math.max((room - left - 12) / n, 15);
    let x = left;
    for (let t = 0; t < n; t++) {
        const own = at.turned ? step : at.width[t] + gap;
        at.x.push(x + own / 2);
        x += own;
    }
    at.total = x + 8;
    at.below = at.turned ? .77 * widest + 20 : 28;
    return at;
}
function arc(svg, from, to, base, style, title) {
    const high = Math.min(20 + .55 * Math.abs(to - from), 230), path = from === to
        ? 'M' + (from - 3) + ' ' + base + 'c-16 -30 22 -30 6 0'
        : 'M' + from + ' ' + base + 'C' + from + ' ' + (base - high) + ' ' + to + ' ' + (base - high) +
          ' ' + to + ' ' + base;
    draw(svg, 'path', Object.assign({ d: path, fill: 'none' }, style), title);
    draw(svg, 'path', { d: 'M' + (to - 3.5) + ' ' + (base - 7) + 'h7l-3.5 7z', fill: style.stroke });
}
function sentence(head, d) {
    const box = find('sentence'), at = place(Math.max(box.clientWidth - 4, 500));
    const most = d.indexOf(Math.max.apply(null, d));
    let far = 0;
    head.a.forEach((a, t) => { far = Math.max(far, Math.abs(at.x[a] - at.x[t])); });
    const base = Math.max(.75 * Math.min(20 + .55 * far, 230), 24) + 8, height = base + at.below;
    const svg = draw(box, 'svg', { width: at.total, height: height, role: 'img', viewBox: '0 0 ' + at.total +
        ' ' + height, 'aria-label': 'arcs from each token to the one its row selects; the tables below have ' +
        'them too', 'font-family': 'system-ui, sans-serif', 'font-size': 13, fill: '#222' });
    svg.style.maxWidth = 'none';
    for (let t = 0; t < n; t++) {
        const turned = at.turned ? { transform: 'rotate(-50 ' + at.x[t] + ' ' + (base + 8) + ')' } : {};
        const w = at.width[t] + 6, corner = at.turned ? at.x[t] - w + 3 : at.x[t] - w / 2;
        const g = draw(svg, 'g', turned, about(head, d, t));
        draw(g, 'rect', { x: corner, y: base + 4, width: w, height: 19, rx: 3, fill: shade(d[t] / n) });
        add(g, 'text', word(t), { x: at.x[t], y: base + 18, 'text-anchor': at.turned ? 'end' : 'middle' },
            any.namespaceURI);
    }
    [true, false].forEach(common => head.a.forEach((a, t) => {
        if ((a === most) === common) {
            arc(svg, at.x[t], at.x[a], base, { stroke: common ? '#7b8794' : '#c2410c', 'stroke-width':
                (.8 + 2.2 * (head.w ? head.w[t] : .3)).toFixed(2), 'stroke-opacity': .8 }, about(head, d, t));
        }
    }));
    find('legend').textContent = 'An arc leads from each token to the one that its row selects, thicker where ' +
        'that has more of the weight; grey: to the token that most rows select. Words are shaded by the share ' +
        'of rows that select them.';
}
/* Of many tokens: no arcs; pointing at one marks the rows that select it and what it selects. */
function lines(head, d) {
    const box = find('sentence'), spans = [];
    const glued = data.tokens && data.tokens.some(w => w.startsWith(' '));
    for (let t = 0; t < n; t++) {
        const raw = data.tokens ? data.tokens[t] : '';
        if (t > 0 && !raw.startsWith('##') && (!glued || raw.startsWith(' '))) {
            box.appendChild(document.createTextNode(' '));
        }
        const e = add(box, 'span', word(t), { title: about(head, d, t) });
        e.style.background = shade(d[t] / n);
        spans.push(e);
        e.addEventListener('mouseenter', () => spans.forEach((s, k) => {
            s.classList.toggle('from', head.a[k] === t);
            s.classList.toggle('to', head.a[t] === k);
        }));
    }
    find('legend').textContent = 'Words are shaded by the share of rows that select them. Pointing at one ' +
        'underlines the rows that select it, and frames the one that it selects.';
}
function table(box, titles, rows) {
    const t = add(box, 'table'), line = add(add(t, 'thead'), 'tr'), body = add(t, 'tbody');
    titles.forEach(title => {
        const cell = add(line, 'th', title[1] ? undefined : title[0], title[2] ? { class: 'left' } : {});
        if (title[1]) { add(cell, 'a', title[0], { href: '#n-' + title[1] }); }
    });
    rows.forEach(row => {
        const tr = add(body, 'tr');
        row.forEach((text, k) => add(tr, 'td', text, titles[k][2] ? { class: 'left' } : {}));
    });
}
function sinks(head, d) {
    const kinds = { f: 'first', s: 'separator', o: 'ordinary' };
    const order = d.map((x, t) => t).filter(t => d[t] > 0).sort((a, b) => d[b] - d[a] || a - b);
    const titles = [['token', '', 1], ['place'], ['rows'], ['share']];
    if (data.kinds) { titles.push(['kind', '', 1]); }
    table(find('sinks'), titles, order.slice(0, 10).map(t => {
        const cells = [word(t), t, d[t], tell(d[t] / n)];
        if (data.kinds) { cells.push(kinds[data.kinds[t]]); }
        return cells;
    }));
    if (order.length > 10) {
        add(find('sinks'), 'p', 'and ' + (order.length - 10) + ' more tokens', { class: 'remark' });
    }
}
function rows(head) {
    const order = head.a.map((x, t) => t), f = head.f;
    if (f) { order.sort((a, b) => f[a] === f[b] ? a - b : f[a] - f[b]); }
    const titles = [['row'], ['token', '', 1], ['selects', '', 1]];
    if (f) { titles.push(['flip radius', data.relative ? 'flip_relative' : 'flip']); }
    if (head.w) { titles.push(['weight', 'top_weight']); }
    if (head.k) { titles.push(['kappa', 'kappa']); }
    table(find('rows'), titles, order.slice(0, 100).map(t => {
        const cells = [t, word(t), pick(head.a[t])];
        if (f) { cells.push(flip(f[t])); }
        if (head.w) { cells.push(tell(head.w[t])); }
        if (head.k) { cells.push(tell(head.k[t])); }
        return cells;
    }));
    if (n > 100) { add(find('rows'), 'p', '100 of ' + n + ' rows', { class: 'remark' }); }
}
function choose(h) {
    const head = data.heads[h];
    chosen = h;
    find('head').value = h;
    document.querySelectorAll('.chosen').forEach(e => e.classList.remove('chosen'));
    document.querySelectorAll('[data-h="' + h + '"]').forEach(e => {
        e.classList.add('chosen');
        if (e.nodeName === 'rect') { e.parentNode.appendChild(e); }
    });
    const values = find('values');
    values.textContent = '';
    data.numbers.forEach((number, k) => {
        if (number[1]) {
            const e = add(values, 'div');
            add(e, 'a', number[1], { href: '#n-' + number[0] });
            add(e, 'b', tell(head.v[k]) + (head.d ? ' ± ' + tell(head.d[k]) : ''));
        }
    });
    if (!head.a || !find('sentence')) { return; }
    const d = degrees(head), few = n <= 56;
    ['sentence', 'sinks', 'rows'].forEach(id => { find(id).textContent = ''; });
    (few ? sentence : lines)(head, d);
    find('leaders').querySelector('button').hidden = !few;
    sinks(head, d);
    rows(head);
}
function save(figure) {
    const svg = figure.querySelector('svg'), link = document.createElement('a');
    if (svg) {
        const text = new XMLSerializer().serializeToString(svg);
        link.href = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
    } else {
        link.href = figure.querySelector('img').src;
    }
    link.download = figure.id.replace('n-', '') + '.svg';
    link.click();
}
document.querySelectorAll('button.save').forEach(button => {
    button.hidden = false;
    button.addEventListener('click', () => save(button.parentNode));
});
document.querySelectorAll('svg.map').forEach(map => map.addEventListener('click', event => {
    const cell = event.target.closest('[data-h]');
    if (cell) { choose(+cell.dataset.h); }
}));
find('head').addEventListener('change', event => choose(+event.target.value));
window.addEventListener('resize', () => choose(chosen));
choose(chosen);
})();
