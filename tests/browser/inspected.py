"""inspected.py -- the page of `tropism inspect --report`, used and compared with the JSON of the same command.

Each check is a sentence that is true when it passes. `Inspected` has what it is compared with: `means`, the JSON of the
command, and `rows`, that with --rows, which there is not of several texts.
"""
import collections
import math
import statistics
import xml.etree.ElementTree as xml

SVG = "{http://www.w3.org/2000/svg}"
SIGNS = {k: chr(0x2400 + k) for k in range(32)}
SIGNS.update((k, "\ufffd") for k in (*range(0x7F, 0xA0), 0x200B, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2060, 0x2070)))

Inspected = collections.namedtuple("Inspected", "means rows")

# ---- what is told ----------------------------------------------------------------------------------------------


def is_told(text, value):
    """Five digits of value, "inf" or "none"."""
    if value is None or isinstance(value, float) and math.isnan(value):
        return text == "none"
    value = float(value)
    if math.isinf(value):
        return text == ("inf" if value > 0 else "-inf")
    if not text[-1:].isdigit():
        return False
    half = 0.5 * 10 ** (math.floor(math.log10(abs(value))) - 4) if value else 0
    return abs(float(text) - value) <= half * (1 + 1e-6)


def same(text, value, what):
    assert is_told(text, value), f"{what}: {text}, must be {value}"


def member(tree, name):
    """A number by its name with dots; of several texts (mean, deviation). None: there is none."""
    for part in name.split("."):
        tree = tree.get(part) if isinstance(tree, dict) else None
    if isinstance(tree, dict):
        return tree["mean"], tree["deviation"]
    return float(tree) if isinstance(tree, str) else tree


def word(token):
    """A token as it is seen."""
    seen = token.strip(" \t\r\n").translate(SIGNS)
    return seen or ("⏎" if "\n" in token else "␣")


def plain(text):
    """Without the signs that keep letters from right to left to themselves."""
    return text.replace("\u2068", "").replace("\u2069", "")


def words_of(found):
    """What stands for each token."""
    if "tokens" in found:
        return [word(token) for token in found["tokens"]]
    if "ids" in found:
        return [str(token) for token in found["ids"]]
    return [str(t) for t in range(len(found["heads"][0]["argmax"]))]


def flips(head):
    """Of the rows, as the page sorts them."""
    return [float(x) for x in head.get("flip_relative", head.get("flip", []))]


CHOOSE = """
const select = document.getElementById('head');
select.value = arguments[0];
select.dispatchEvent(new Event('change'));
"""


def of_head(page, h, script, *arguments):
    """What the script gives when this head is chosen; its own arguments begin with the second."""
    return page.script(CHOOSE + script, str(h), *arguments)


# ---- maps and numbers ------------------------------------------------------------------------------------------

MAPS = """
return [...document.querySelectorAll('svg.map')].map(map => [map.dataset.name,
    [...map.querySelectorAll('.cells rect')].sort((a, b) => a.dataset.h - b.dataset.h).map(e => e.textContent)]);
"""
NUMBERS = ("selected reachable flip flip_relative gap top_weight perplexity score_deviation max_logit key_only "
           "key_only_rows kappa hard_rows hardmax_distance bfloat16.safe bfloat16.flipped bfloat16.open float16.safe "
           "float16.flipped float16.open sinks.share sinks.first sinks.separator patch.cosine patch.kl "
           "hypothetical.sets hypothetical.epsilon hypothetical.clusters hypothetical.log10_steps "
           "margin.share margin.cosine margin.null_mean margin.null_cosine").split()  # a new one is a word here


def number(head, name):
    """Of a head of the JSON; of its rows by the definition of the number."""
    value = member(head, name)
    if not isinstance(value, list):
        return value
    rows = [float(x) for x in value]
    if name == "kappa":
        return statistics.median(rows)
    finite = [x for x in rows if math.isfinite(x)]
    return statistics.fmean(finite) if finite else None


def maps_tell_the_numbers(page, about):
    """There is one for each number that the JSON has, and every cell tells that number."""
    found = about.means
    maps = dict(page.script(MAPS))
    there = [name for name in NUMBERS if any(number(head, name) is not None for head in found["heads"])]
    assert sorted(maps) == sorted(there), f"maps {sorted(maps)}, must be {sorted(there)}"
    for name, cells in maps.items():
        assert len(cells) == len(found["heads"]), f"{name}: {len(cells)} cells"
        for head, text in zip(found["heads"], cells):
            place, told = text.split(": ")
            assert place == f"layer {head['layer']}, head {head['head']}", place
            value = number(head, name)
            if isinstance(value, tuple):
                told, deviation = told.split(", deviation over texts ")
                same(deviation, value[1], f"deviation of {name}, {place}")
                value = value[0]
            same(told, value, f"{name}, {place}")


COLOURS = """
const light = text => { const c = text.match(/[0-9a-f]{2}/gi).map(x => parseInt(x, 16)); return .3 * c[0] + .59 * c[1] + .11 * c[2]; };
return [...document.querySelectorAll('svg.map')].map(map => [map.dataset.name,
    [...map.querySelectorAll('.cells rect')].filter(e => e.getAttribute('fill')[0] === '#').map(e => [+e.dataset.h, light(e.getAttribute('fill'))]),
    [...map.querySelectorAll('stop')].map(e => light(e.getAttribute('stop-color'))),
    [...map.querySelectorAll('text')].slice(-2).map(e => +e.textContent)]);
"""


def cells_are_as_dark_as_the_scale_says(page, about):
    """Where a number stands between the ends of the scale is where its colour stands between their colours."""
    for name, cells, stops, (low, high) in page.script(COLOURS):
        assert len(stops) == 13 and low <= high, f"{name}: {low} to {high}"
        for h, light in cells:
            value = number(about.means["heads"][h], name)
            value = value[0] if isinstance(value, tuple) else value
            if not math.isfinite(value) or high == low:
                continue
            at = min(max((value - low) / (high - low), 0), 1) * 12
            k = min(int(at), 11)
            must = stops[k] + (at - k) * (stops[k + 1] - stops[k])
            assert abs(light - must) < 2, f"{name} of head {h}, {value}: {light}, must be {must}"  # of 255: each is rounded


def pointing_at_a_cell_tells_its_number(page, about):
    found = about.means
    for name, h in (("selected", 0), ("selected", len(found["heads"]) - 1), (page.script(MAPS)[-1][0], 1)):
        h = min(h, len(found["heads"]) - 1)
        page.point(f"svg.map[data-name='{name}'] rect[data-h='{h}']")
        told, title = page.script("return ['told', 'n-' + arguments[0]].map(id => document.getElementById(id))"
                                  ".map(e => (e.querySelector('h3') || e).textContent)", name)
        head = found["heads"][h]
        start = f"{title}, layer {head['layer']}, head {head['head']}: "
        assert told.startswith(start), f"{told}, must begin with {start}"
        value = number(head, name)
        told = told[len(start):].split(", deviation")[0]
        same(told, value[0] if isinstance(value, tuple) else value, start)


def numbers_of_the_chosen_head_are_those_of_the_json(page, about):
    found = about.means
    for h in heads_to_try(found):
        shown = dict(of_head(page, h, "return [...document.querySelectorAll('#values details')].map(e => "
                                      "[e.dataset.name, e.querySelector('b').textContent])"))
        assert shown, "there are no numbers"
        for name, text in shown.items():
            value = number(found["heads"][h], name)
            parts = text.split(" ± ")
            for told, one in zip(parts, value if isinstance(value, tuple) else [value], strict=True):
                same(told, one, f"{name} of head {h}")


def the_table_has_all_numbers(page, about):
    found = about.means
    names = page.script("return [...document.querySelectorAll('#table th a')].map(a => a.getAttribute('href').slice(3))")
    lines = page.script("return [...document.querySelectorAll('#table tbody tr')].map(tr => "
                        "[...tr.children].map(td => td.textContent))")
    assert len(lines) == len(found["heads"]), f"{len(lines)} lines"
    for head, line in zip(found["heads"], lines):
        assert line[:2] == [str(head["layer"]), str(head["head"])], line[:2]
        for name, text in zip(names, line[2:], strict=True):
            value = number(head, name)
            same(text.split(" ± ")[0], value[0] if isinstance(value, tuple) else value, f"{name} in {line[:2]}")


def stand_under_arcs(page, words):
    """Whether the tokens are few enough; of more, places on a line."""
    return len(words) <= page.script("return JSON.parse(document.getElementById('data').textContent).few")


def heads_to_try(found):
    """One between, and the last."""
    count = len(found["heads"])
    return sorted({count // 3, count - 1})


# ---- one head --------------------------------------------------------------------------------------------------

# Where each arc begins and ends, and where the tokens stand: along the line, left to right, in tokens.
ARCS = """
const at = [...document.querySelectorAll('#graph g.token')].map(e => {
    const text = e.querySelector('text'), bar = e.querySelector('rect');
    return text ? +text.getAttribute('x') : +bar.getAttribute('x') + bar.getAttribute('width') / 2;
});
const near = x => {
    const k = at.reduce((k, y, t) => Math.abs(y - x) < Math.abs(at[k] - x) ? t : k, 0);
    return Math.abs(at[k] - x) < .3 ? k : -1;
};
return [at.length, at.every((x, t) => t === 0 || x > at[t - 1]), [...document.querySelectorAll('#graph g.arc')].map(e => {
    const path = e.querySelector('path'), end = path.getTotalLength();
    const [first, middle, last] = [0, end / 2, end].map(length => path.getPointAtLength(length));
    return [near(first.x), near(last.x), middle.y, first.y];
})];
"""


def arcs_lead_to_what_rows_select(page, about):
    """In each chosen head, and nothing else is drawn; choosing another head changes them."""
    seen = []
    for h in heads_to_try(about.rows):
        argmax = about.rows["heads"][h]["argmax"]
        count, ordered, arcs = of_head(page, h, ARCS)
        assert count == len(argmax) and ordered, f"{count} tokens stand at the line of {len(argmax)}"
        drawn = sorted((start, end) for start, end, _, _ in arcs)
        must = sorted(enumerate(argmax))
        wrong = [f"{a} is drawn, {b} must be" for a, b in zip(drawn, map(tuple, must)) if a != b]
        assert len(drawn) == len(must) and not wrong, f"head {h}: {len(drawn)} arcs of {len(must)}; {wrong[:3]}"
        if not stand_under_arcs(page, argmax):  # what looks ahead hangs below the line
            turned = [start for start, end, middle, base in arcs if (middle > base) != (end > start)]
            assert not turned, f"head {h}: arcs on the wrong side: {turned[:5]}"
        seen.append(drawn)
    assert all(a != b or about.rows["heads"][h]["argmax"] == about.rows["heads"][k]["argmax"]
               for h, a in zip(heads_to_try(about.rows), seen) for k, b in zip(heads_to_try(about.rows), seen))


def words_under_the_arcs_are_the_tokens(page, about):
    """As they are in the text above; long ones are cut there."""
    words = words_of(about.rows)
    few = stand_under_arcs(page, words)
    shown = page.script("return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)",
                        "#graph g.token text" if few else "#sentence span")
    must = [w if len(w) <= 18 or not few else w[:17] + "…" for w in words]
    assert shown == must, f"{shown[:20]}, must be {must[:20]}"
    above = page.script("return [...document.querySelectorAll('p.text span')].map(e => e.textContent)")
    named = "tokens" in about.rows or "ids" in about.rows
    assert above == (words if named else []), f"{above[:20]}, must be {words[:20]}"


def a_click_on_a_map_or_on_words_chooses_the_head(page, about):
    found = about.means
    last = len(found["heads"]) - 1
    ways = [(f"svg.map[data-name='selected'] rect[data-h='{last}']", last), ("svg.map rect[data-h='0']", 0)]
    if about.rows:
        ways.append((f"table.words tr[data-h='{last}'] td", last))
    for where, h in ways:
        page.click(where)
        title, value, marked, maps = page.script("""
            return [document.getElementById('which').textContent, +document.getElementById('head').value,
                [...document.querySelectorAll('.cells rect.chosen')].map(e => +e.dataset.h),
                document.querySelectorAll('svg.map').length];
        """)
        head = found["heads"][h]
        assert title == f"layer {head['layer']}, head {head['head']}" and value == h, title
        assert marked == [h] * maps, f"marked in {maps} maps: {marked}"


def pointing_at_a_token_marks_its_arcs(page, about):
    head = about.rows["heads"][0]
    n = len(head["argmax"])
    t = n // 2
    where = "#graph g.token" if stand_under_arcs(page, head["argmax"]) else "#sentence span"
    of_head(page, 0, "")
    page.point(where, t)
    lit = page.script("return document.querySelectorAll('#graph g.arc.lit').length")
    must = sum(1 for k, a in enumerate(head["argmax"]) if a == t or k == t)
    assert lit == must, f"{lit} arcs are lit, {must} must be"
    told = plain(page.script("return document.getElementById('told').textContent"))
    assert told.startswith(f"token {t}") and told.endswith(f"selected by {head['argmax'].count(t)} row" +
                                                          ("" if head["argmax"].count(t) == 1 else "s")), told
    page.point("h1")
    assert page.script("return document.querySelectorAll('#graph.dim, #graph .lit').length") == 0


# All rows of a table: some are there after a click alone.
TABLE = """
const box = document.getElementById(arguments[1]), more = box.querySelector('button.more');
if (more) { more.click(); }
return [...box.querySelectorAll('tbody tr')].map(tr => [...tr.children].map(td => td.textContent));
"""


def rows_stand_in_the_order_of_their_flip_radius(page, about):
    words = words_of(about.rows)
    named = "tokens" in about.rows or "ids" in about.rows
    for h in heads_to_try(about.rows):
        head = about.rows["heads"][h]
        argmax, radius = head["argmax"], flips(head)
        shown = of_head(page, h, TABLE, "rows")
        order = sorted(range(len(argmax)), key=(lambda t: (radius[t], t)) if radius else (lambda t: t))
        assert [int(line[0]) for line in shown] == order, f"head {h}: {[line[0] for line in shown][:10]}, must be {order[:10]}"
        for line, t in zip(shown, order):
            line = [plain(cell) for cell in line]
            selects = f"{words[argmax[t]]} ({argmax[t]})" if named else str(argmax[t])
            assert line[1:3] == [words[t], selects], f"{line}, must tell {words[t]}, {selects}"
            cells = line[3:]
            if radius:
                told = cells.pop(0)
                part = "flip_relative" in head and told != "inf"
                assert told.endswith("%") == part, told
                same(told.rstrip("%"), radius[t] * (100 if part else 1), f"flip radius of row {t}")
            for name in ("top_weight", "kappa"):
                if name in head:
                    same(cells.pop(0), float(head[name][t]), f"{name} of row {t}")
            assert not cells, cells


def sinks_are_the_tokens_that_most_rows_select(page, about):
    words = words_of(about.rows)
    for h in heads_to_try(about.rows):
        head = about.rows["heads"][h]
        degree = collections.Counter(head["argmax"])
        shown = of_head(page, h, TABLE, "sinks")
        order = sorted(degree, key=lambda t: (-degree[t], t))
        told = [[plain(line[0]), int(line[1]), int(line[2])] for line in shown]
        assert told == [[words[t], t, degree[t]] for t in order], shown
        for line in shown:
            same(line[3], int(line[2]) / len(head["argmax"]), "share of a sink")
        if "sinks" in head:
            count = len(head["sinks"]["token"])
            assert [int(line[1]) for line in shown[:count]] == head["sinks"]["token"], head["sinks"]
            assert [int(line[2]) for line in shown[:count]] == head["sinks"]["rows"], head["sinks"]
            assert "tokens" not in about.rows or shown[0][4] == head["sinks"]["kind"], shown[0]
        if "rho" in head:
            for line in shown:
                same(line[-1], head["rho"][int(line[1])], "reach of a sink")


def words_that_heads_select_are_those_of_the_json(page, about):
    """Eight of each head, the commonest first, with their rows."""
    tokens = about.rows.get("tokens") or [str(k) for k in about.rows.get("ids", range(len(about.rows["heads"][0]["argmax"])))]
    shown = page.script("return [...document.querySelectorAll('table.words tbody tr, table.words > tr')].map(tr => "
                        "[+tr.dataset.h, [...tr.querySelectorAll('.word')].map(e => [e.querySelector('b').textContent,"
                        " +e.lastChild.data]), tr.lastChild.textContent])")
    assert len(shown) == len(about.rows["heads"]), f"{len(shown)} lines"
    for h, words, whole in shown:
        count = collections.Counter(tokens[a] for a in about.rows["heads"][h]["argmax"])  # in the order of the rows
        must = [[word(w), k] for w, k in sorted(count.items(), key=lambda item: -item[1])]
        assert words == must[:8], f"head {h}: {words}, must be {must[:8]}"
        assert ("more" in whole) == (len(must) > 8) and (len(must) <= 8 or f"and {len(must) - 8} more" in whole), whole


# ---- depth -----------------------------------------------------------------------------------------------------


def depth_tells_the_layers(page, about):
    layers = (about.means)["layers"]
    names = page.script("return [...document.querySelectorAll('#layers th a')].map(a => a.getAttribute('href').slice(3))")
    lines = page.script("return [...document.querySelectorAll('#layers tbody tr, #layers table > tr')].map(tr => "
                        "[...tr.children].map(td => td.textContent))")
    assert sorted(names) == sorted(set(layers[0]) - {"layer"}), names
    assert [int(line[0]) for line in lines] == [layer["layer"] for layer in layers], lines
    for layer, line in zip(layers, lines):
        for name, text in zip(names, line[1:], strict=True):
            value = member(layer, name)
            parts = text.split(" ± ")
            for told, one in zip(parts, value if isinstance(value, tuple) else [value], strict=True):
                same(told, one, f"{name} of layer {layer['layer']}")
    assert page.script("const i = document.querySelector('#depth img'); return i.complete && i.naturalWidth > 0")


# ---- definitions and pictures ----------------------------------------------------------------------------------


# Of each [where to click, what is told]: the texts in sight before and after the click.
OPENED = """
const shown = what => [...document.querySelectorAll(what)].filter(e => e.checkVisibility()).map(e => e.textContent);
return arguments[0].map(([where, what]) => {
    const before = shown(what);
    document.querySelector(where).click();
    return [before, shown(what)];
});
"""


def every_number_has_its_definition_a_click_away(page, about):
    """Under its map and where it stands for the chosen head: out of sight before, and then what it is and what is proved."""
    names = page.script("return [...document.querySelectorAll('svg.map')].map(map => map.dataset.name)")
    ways = [(f"[id='n-{name}'] summary", f"[id='n-{name}'] details p") for name in names]
    ways += [(f"#values [data-name='{name}'] summary", f"#values [data-name='{name}'] p") for name in names]
    for name, (before, after) in zip(names + names, page.script(OPENED, ways), strict=True):
        assert not before, f"{name}: shown before the click"
        assert len(after) == 2 and after[0].startswith(name + ". ") and len(after[0]) > len(name) + 12 and \
            len(after[1]) > 20, f"{name}: {after}"


def headings_lead_to_definitions(page, about):
    """Of the columns of rows, sinks and layers, by the mouse."""
    links = page.script("return ['#rows th a', '#sinks th a', '#layers th:last-child a']"
                        ".map(what => document.querySelector(what)).filter(a => a).map(a => a.getAttribute('href'))")
    assert links, "there is none"
    for link in links:
        page.script("document.querySelectorAll('details').forEach(e => e.open = e.id === 'layers')")
        what = f"[id='{link[1:]}'] details p" if link.startswith("#n-") else f"[id='{link[1:]}'] + dd > span"
        before = page.script(OPENED, [("body", what)])[0][1]
        page.click(f":is(#rows, #sinks, #layers) th a[href='{link}']")
        page.wait()
        after = page.script(OPENED, [("body", what)])[0][1]
        assert not before and len(after) == 2 and min(map(len, after)) > 24, f"{link}: {before}, {after}"


def pictures_are_saved_as_svg(page, about):
    """Valid XML with a mark for every token, arc and head."""
    found = about.means
    name, data = page.saved(lambda: page.click("[id='n-selected'] button.save"))
    root = xml.fromstring(data)
    assert name == "selected.svg" and root.tag == SVG + "svg", name
    cells = [e for e in root.iter(SVG + "rect") if "data-h" in e.attrib]
    assert sorted(int(e.get("data-h")) for e in cells) == list(range(len(found["heads"]))), f"{len(cells)} cells"
    assert all(e.get("fill") and e.find(SVG + "title") is not None for e in cells)
    if about.rows:
        of_head(page, heads_to_try(found)[-1], "")
        name, data = page.saved(lambda: page.click("#leaders button.save"))
        root = xml.fromstring(data)
        argmax = about.rows["heads"][heads_to_try(found)[-1]]["argmax"]
        marks = collections.Counter(e.get("class") for e in root.iter(SVG + "g"))
        assert name == "leaders.svg" and marks["arc"] == marks["token"] == len(argmax), f"{name}: {marks}"
        texts = [e.text for e in root.iter(SVG + "text")]
        assert not stand_under_arcs(page, argmax) or len(texts) == len(argmax) and texts[0] == words_of(about.rows)[0], texts
    if page.script("return document.querySelectorAll('#depth').length"):
        name, data = page.saved(lambda: page.click("#depth button.save"))
        root = xml.fromstring(data)
        assert name == "depth.svg" and root.tag == SVG + "svg" and len(list(root.iter(SVG + "path"))) > 10, name


# ---- hostile tokens, many tokens -------------------------------------------------------------------------------


def tokens_stay_text(page, about):
    """None became an element, ran, or cut the page short."""
    assert page.script("return window.hostile") is None
    made = page.script("return ['script', 'img', 'b b', '.text *:not(span)', '#graph foreignObject, #graph a', 'iframe']"
                       ".map(name => document.querySelectorAll(name).length)")
    assert made == [2, 1, 0, 0, 0, 0], made
    assert page.script("return document.body.lastElementChild.nodeName") == "SCRIPT"
    assert page.script("return [...document.querySelectorAll('h2')].map(e => e.textContent).pop()") == "How it was made"


def letters_from_right_to_left_turn_nothing_else(page, about):
    """Behind a word stands its place, at the right of it, and words of a line stand in their order."""
    turned = of_head(page, 0, """
        const box = (node, from, to) => {
            const range = document.createRange();
            range.setStart(node, from);
            range.setEnd(node, to);
            return range.getBoundingClientRect();
        };
        const cells = [...document.querySelectorAll('#rows td:nth-child(3)')].map(td => td.firstChild);
        const spans = [...document.querySelectorAll('p.text span')].map(e => [e.textContent, e.getBoundingClientRect()]);
        return cells.filter(node => {
            const at = node.data.lastIndexOf('('), word = box(node, 0, at - 1), place = box(node, at, node.length);
            return word.height < 30 && Math.abs(place.top - word.top) < 4 && place.left < word.right - 1;
        }).map(node => node.data).concat(spans.slice(1).filter((span, k) => span[1].height < 40 && spans[k][1].height < 40 &&
            Math.abs(span[1].top - spans[k][1].top) < 4 && span[1].left < spans[k][1].right - 1).map(span => span[0]));
    """)
    assert not turned, turned
    told = of_head(page, 0, "return [...document.querySelectorAll('#graph g.token title')].map(e => e.textContent)")
    for word, text in zip(words_of(about.rows), told, strict=True):
        assert ("\u0590" < word[0] < "\u08ff") == (f"\u2068{word}\u2069: selects" in text), text


def it_answers_a_click(page, about):
    """Within a time that only what hangs does not keep."""
    paint = page.script("return performance.getEntriesByType('paint').map(e => e.startTime)")
    assert paint and min(paint) < 30000, paint
    took = page.driver.execute_async_script("""
        const done = arguments[0], begin = performance.now(), cell = document.querySelector('svg.map [data-h="7"]');
        cell.dispatchEvent(new MouseEvent('click', { bubbles: true }));
        requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - begin)));
    """)
    assert took < 10000, f"{took} ms"


def turned_words_do_not_touch(page, about):
    """Lines of turned words are as far apart as they are high."""
    found = page.script("""
        return [...document.querySelectorAll('#graph g.token[transform]')].map(e => {
            const m = e.getCTM(), text = e.querySelector('text');
            return [+text.getAttribute('x'), Math.sin(Math.abs(Math.atan2(m.b, m.a))),
                    parseFloat(getComputedStyle(text).fontSize)];
        });
    """)
    assert len(found) == len(words_of(about.rows)), f"{len(found)} turned words"
    for (x, sine, size), (y, _, _) in zip(found, found[1:]):
        assert (y - x) * sine >= 0.95 * size, f"{y - x} apart, {size} high"
