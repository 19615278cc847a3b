#!/usr/bin/python3
"""explorer.py FOLDER [NAME...] -- opens FOLDER/tropism.html in a browser, uses it, and compares it with FOLDER/tropism.

Every function below is a test; NAME: those alone. What the page exports as command line is run by the program, and every
field of the two results has to be the same to the last bit. No tests are `speed` and `memory`, which print what they measure,
and `picture`, which writes FOLDER/explorer.png.
"""
import base64
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from driver import PATIENCE, Browser, Page

WIDE, NARROW = 1280, 390
FOUR = "x=2,0;1,0;-2,0;-1,0.5&rule=hardmax&gamma=0.5"
LEADERS = "n=24&seed=1&rule=hardmax&gamma=0.1"

# What the page does with these, the program has to do as well.
SAME = [
    f"{LEADERS}&t=0",
    f"{LEADERS}&t=37",
    f"{LEADERS}&t=1000000000000000000",
    f"{FOUR}&t=3",
    "n=32&rule=localmax&epsilon=0.4&gamma=0.3&t=25",
    "n=40&d=3&rule=softmax&beta=4&gamma=0.1&t=12",
    "n=16&rule=softmax&beta=2&gamma=fw&key_query=1,0.5;0,2&t=7",
    "n=1100&rule=softmax&beta=4&gamma=0.1&t=2",
    "n=20&rule=sparsemax&beta=2&gamma=0.2&t=9",
    "n=20&rule=entmax&a=1.25&gamma=0.2&t=5",
    "n=20&dynamics=chain&rule=softmax&beta=3&gamma=0.5&t=40",
    "init=sphere&n=24&d=3&dynamics=sa&beta=9&integrator=rk4&dt=0.1&time=50&at=0.5",
    "n=12&d=2&dynamics=ode&rule=hardmax&key_query=-1&time=5&at=0.1",
    "init=polygon&n=3&rule=softmax&beta=100&gamma=0.1&leap=yes&at=999",
]


class Explorer(Page):
    """The page that is open, and the files beside it."""
    count = 0  # of openings: another address each time, so that it is read again

    def __init__(self, browser, folder, width):
        super().__init__(browser, folder / "tropism.html", width)
        self.folder = folder

    def open(self, state="", width=WIDE, height=860):
        self.width = width
        self.browser.resize(width, height)
        Explorer.count += 1
        self.driver.get(f"{self.path.as_uri()}?{Explorer.count}" + (f"#{state}" if state else ""))
        self.until("return document.documentElement.dataset.ready === 'yes'", "the page is not ready")
        self.settle()
        return self

    def until(self, script, what, *arguments):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self.script(script, *arguments):
                return
            time.sleep(0.02)
        raise AssertionError(f"{what}: {self.notice() or self.verdict()}")

    def settle(self):
        """Until the address and the clock have stood still for a while."""
        last, since = None, time.monotonic()
        end = since + PATIENCE
        while time.monotonic() < end:
            now = self.script("return location.hash + document.querySelector('.now')?.textContent + "
                              "document.querySelector('.verdict')?.textContent")
            if now != last:
                last, since = now, time.monotonic()
            if time.monotonic() - since > 0.25:
                return self
            time.sleep(0.03)
        raise AssertionError("it never comes to rest")

    def notice(self):
        return self.script("return document.getElementById('notice').textContent")

    def verdict(self, pane=0):
        return self.script("const v = document.querySelectorAll('.verdict')[arguments[0]]; return v ? [v.dataset.kind, v.textContent] : null", pane)

    def hash(self):
        return self.script("return location.hash")

    def state(self):
        return dict(urllib.parse.parse_qsl(self.hash().split("&", 1)[1] if "&" in self.hash() else ""))

    def press(self, words):
        """The button that says so."""
        k = self.script("return [...document.querySelectorAll('button')].findIndex(b => b.textContent === arguments[0])", words)
        assert k >= 0, f"there is no button {words}"
        self.click("button", k)

    def key(self, key, code=None):
        for kind in ("keyDown", "keyUp"):
            more = {"text": key} if len(key) == 1 and kind == "keyDown" else {}
            self.driver.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": kind, "key": key, "code": code or key, **more})
        self.settle()

    def exported(self):
        """The page's own JSON."""
        name, data = self.saved(lambda: self.press("JSON"))
        assert name == "flow.json", name
        return json.loads(data)

    def shell(self, words="Command line"):
        self.press(words)
        return self.script("return document.querySelector('.code').textContent")

    def computed(self, panes=1):
        """What the program says when the exported command is run; a list when there are more."""
        with tempfile.TemporaryDirectory() as scratch:
            done = subprocess.run(["bash", "-e"], input=self.shell(), text=True, capture_output=True, cwd=scratch, timeout=PATIENCE,
                                  env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"})
        assert done.returncode == 0, done.stderr
        results = [json.loads(line) for line in done.stdout.splitlines()]
        assert len(results) == panes, len(results)
        return results if panes > 1 else results[0]

    def token(self, index):
        """Where a token of the first pane is on the screen, in an open page of the plane: by the address it has."""
        return self.script("""
            const canvas = document.querySelector('.scene'), box = canvas.getBoundingClientRect();
            const p = window.flowPlaces(arguments[0]);
            return [box.left + p[0], box.top + p[1]];""", index)

    def drag(self, start, end, moves=8):
        self.mouse("mouseMoved", *start)
        self.mouse("mousePressed", *start, button="left", clickCount=1)
        for k in range(1, moves + 1):
            at = [a + (b - a) * k / moves for a, b in zip(start, end)]
            self.mouse("mouseMoved", *at, button="left", buttons=1)
        self.mouse("mouseReleased", *end, button="left", clickCount=1)
        self.settle()

    def drop(self, name, text):
        """A file dropped onto the page."""
        self.script("""
            const files = new DataTransfer();
            files.items.add(new File([arguments[1]], arguments[0]));
            for (const kind of ['dragover', 'drop']) {
                document.body.dispatchEvent(new DragEvent(kind, { dataTransfer: files, bubbles: true, cancelable: true }));
            }""", name, text)
        self.settle()

    def clean(self):
        errors, asked = self.errors(), self.requests()
        assert not errors, errors
        assert not asked, asked


def bits(value):
    """Numbers as their bits, so that -0 and 0 differ."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        return struct.pack("<d", float(value)).hex()
    if isinstance(value, list):
        return [bits(v) for v in value]
    return {k: bits(v) for k, v in value.items()}


def compare(page, program):
    """Every field that the program has, but for what tells of the run itself, and of proof files, which the page has none of."""
    for name in program:
        if name in ("seconds", "options", "version", "seed", "outcome", "standing"):
            continue
        assert name in page, f"{name} is not in the page's JSON"
        assert bits(page[name]) == bits(program[name]), f"{name}: {str(page[name])[:200]} in the page, {str(program[name])[:200]} in the program"


# ---- tests -----------------------------------------------------------------------------------------------------


def it_opens_from_disk_with_a_picture(page):
    for width, height in ((WIDE, 860), (NARROW, 844)):
        page.open("", width, height)
        colours, commonest = page.colours()
        assert colours > 60 and commonest < 0.97, f"{colours} colours, {commonest:.1%} of one"
        assert not page.overflow(), page.overflow()
        assert not page.overlaps(), page.overlaps()
        assert page.script("return document.title.length > 4")
        page.clean()


def odd_clouds_open(page):
    for state in ("n=1&d=1", "n=1&d=2&rule=hardmax", "n=2&init=polygon", "n=5&d=1&rule=hardmax&gamma=0.1", "n=9&d=5&rule=localmax", "x=0,0;0,0;0,0", "x=1e300,0;-1e300,1",
                  "x=1e-300,0;0,1e-300&rule=hardmax", "n=8&beta=1e300&gamma=0.5", "n=700&rule=hardmax&gamma=1", "x=1,0;1,0;2,0&rule=hardmax", "n=4&d=3&rule=hardmax",
                  "x=0,0,0;1,0,0;0,1,0;1,1,0&rule=localmax", "n=6&mask=causal&rule=hardmax", "n=6&merge=auto", "n=6&dynamics=residual&value=-0.5"):
        page.open("flow&" + state)
        assert page.verdict() is not None and page.verdict()[1] != "", state
        place = page.script("return window.flowPlaces(0)")
        assert all(isinstance(c, (int, float)) and -1 <= c <= 1300 for c in place[:2]), (state, place)
        page.key(".")
        page.key("End")
        assert page.notice() == "" or "=" in page.notice() or ":" in page.notice(), (state, page.notice())
    page.clean()


def every_certificate_has_words(page):
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    table = (root / "src/flow/flow_report.c").read_text().split("certificates[] = {")[1].split("}")[0]
    said = (root / "web/flow.js").read_text().split("const SAYS = {")[1].split("\n};")[0]
    kinds = [word for word in table.replace('"', " ").replace(",", " ").split()]
    assert len(kinds) == 7, kinds
    for kind in kinds:
        assert f"  {kind}:" in said or f"  '{kind}':" in said, kind


def every_width_shows_all(page):
    for state in (f"flow&{LEADERS}&panes=three&beta=4&epsilon=0.4&t=20", "flow&n=30&d=3&rule=softmax&beta=60&gamma=0.1&leap=yes&at=60"):
        for width in (320, NARROW, 820, WIDE, 1920):
            page.open(state, width)
            page.script("document.querySelectorAll('details').forEach(e => e.open = true)")
            page.shell()
            page.settle()
            assert not page.overflow(), (width, page.overflow())
            assert not page.overlaps(), (width, page.overlaps())
            assert width < 900 or page.script("return document.documentElement.scrollHeight <= innerHeight"), f"the page of {width} scrolls"
            page.script("scrollTo(0, 0)")
            page.colours()
    page.clean()


def the_module_is_told(page):
    text = page.open().script("return document.querySelector('.module').textContent")
    fused = " fma " in pathlib.Path("/proc/cpuinfo").read_text()
    assert ("the relaxed module" if fused else "the exact module") in text, text


def every_example_opens(page):
    page.open()
    count = page.script("return document.querySelectorAll('.presets option').length")
    assert count > 10, count
    for k in range(count - 1):
        page.script("const s = document.querySelector('.presets select'); s.value = arguments[0]; s.dispatchEvent(new Event('change'))", str(k))
        page.settle()
        assert page.notice() == "", f"example {k}: {page.notice()}"
        assert page.script("return document.querySelector('.story').textContent") != "", k
        page.key(".")
        assert page.script("return document.querySelector('.now').textContent") != "step 0", k
    page.clean()


def numbers_are_the_programs_to_the_last_bit(page):
    for state in SAME:
        page.open("flow&" + state)
        assert page.notice() == "", f"{state}: {page.notice()}"
        try:
            compare(page.exported(), page.computed())
        except AssertionError as e:
            raise AssertionError(f"{state}: {e}") from e
    page.clean()


def the_exact_module_says_the_same(page):
    """The page without the other one."""
    text, other = page.path.read_text(), page.folder / "exact.html"
    start = text.index('id="relaxed">') + len('id="relaxed">')
    other.write_text(text[:start] + text[text.index("</script>", start):])
    page.path = other
    for state in SAME[1], SAME[5], SAME[-1]:
        page.open("flow&" + state)
        assert "the exact module" in page.script("return document.querySelector('.module').textContent")
        compare(page.exported(), page.computed())
    page.clean()


def certificates_are_the_programs(page):
    seen = []
    for steps in (0, 1, 4, 40):
        page.open(f"flow&{LEADERS}&t={steps}")
        kind = page.computed()["certificate"]["kind"]
        assert page.verdict()[0] == kind, (steps, page.verdict(), kind)
        seen.append(kind)
        assert ("Proved" in page.verdict()[1]) == (kind == "theorem-4.2"), page.verdict()
    assert "theorem-4.2" in seen and "none" in seen, seen
    page.open("flow&init=polygon&n=3&rule=softmax&beta=30&gamma=0.1&t=10")
    assert page.verdict()[0] == page.computed()["certificate"]["kind"] == "metastable"
    page.clean()


def playing_goes_from_nothing_proved_to_a_proof(page):
    page.open(f"flow&{LEADERS}")
    assert page.verdict()[0] == "none", page.verdict()
    page.click(".round.main")
    page.until("return document.querySelector('.verdict').dataset.kind === 'theorem-4.2'", "no proof while it plays")
    page.click(".round.main")
    page.settle()
    steps = int(page.state()["t"])
    assert steps > 0, page.hash()
    compare(page.exported(), page.computed())
    page.clean()


def tokens_are_dragged(page):
    page.open("flow&" + FOUR)
    before = page.state()["x"].split(";")
    x, y = page.token(3)
    page.drag((x, y), (x + 60, y - 40))
    after = page.state()["x"].split(";")
    assert before[:3] == after[:3] and before[3] != after[3], (before, after)
    moved = [float(c) for c in after[3].split(",")]
    at = page.token(3)
    assert abs(at[0] - x - 60) < 2 and abs(at[1] - y + 40) < 2, (at, x, y)
    assert moved[0] > -1 and moved[1] > 0.5, moved
    compare(page.exported(), page.computed())
    page.clean()


def a_dragged_token_changes_the_certificate(page):
    """Of two tokens behind a leader, one is drawn to the other side: it then follows nobody's leader but itself."""
    page.open("flow&x=2,0;1,0;-2,0;-1,0.5&rule=hardmax&gamma=0.5&t=0")
    first = page.exported()
    x, y = page.token(1)
    left, _ = page.token(2)
    page.drag((x, y), (left - 40, y))
    second = page.exported()
    compare(second, page.computed())
    assert first["target"] != second["target"], (first["target"], second["target"])
    page.clean()


def fingers_drag_tokens(page):
    page.open("flow&" + FOUR, NARROW, 844)
    before = page.script("return location.hash")
    x, y = page.token(3)
    cdp = page.driver.execute_cdp_cmd
    cdp("Emulation.setTouchEmulationEnabled", {"enabled": True})
    cdp("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x + 8, "y": y + 6}]})
    for k in range(1, 6):
        cdp("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x + 8 * k, "y": y - 6 * k}]})
    cdp("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.settle()
    cdp("Emulation.setTouchEmulationEnabled", {"enabled": False})
    assert page.hash() != before and page.state()["x"].startswith("2,0;1,0;-2,0;"), page.hash()
    at = page.token(3)
    assert abs(at[0] - x - 40) < 2 and abs(at[1] - y + 30) < 2, (at, x, y)
    page.clean()


def tokens_are_drawn_and_removed(page):
    page.open("flow&" + FOUR)
    page.script("document.querySelector('.tools input[value=add]').click()")
    x, y = page.token(0)
    page.drag((x - 200, y - 120), (x - 190, y - 118), 2)
    assert len(page.state()["x"].split(";")) == 5, page.state()
    page.script("document.querySelector('.tools input[value=remove]').click()")
    x, y = page.token(0)
    page.drag((x, y), (x, y), 1)
    assert len(page.state()["x"].split(";")) == 4, page.state()
    assert not page.state()["x"].startswith("2,0;"), page.state()
    page.clean()


def keys_do_what_pointers_do(page):
    page.open("flow&" + FOUR)
    page.key(".")
    page.key(".")
    assert page.state()["t"] == "2", page.hash()
    page.key(",")
    assert page.state()["t"] == "1", page.hash()
    page.key("Home")
    assert "t" not in page.state(), page.hash()
    page.script("document.querySelector('.scene').focus()")
    page.key("]")
    before = page.state()["x"]
    page.key("ArrowUp")
    assert page.state()["x"] != before, "the arrow moved nothing"
    page.script("document.querySelector('.axis').focus()")
    page.key("End")
    assert int(page.state()["t"]) > 100, page.hash()
    page.clean()


def links_restore_the_state(page):
    page.open(f"flow&{LEADERS}&panes=three&beta=4&epsilon=0.4&colour=now&hide=cells,trails&t=9")
    shown = page.hash(), [page.verdict(k) for k in range(3)]
    data = page.exported()
    page.open("flow&" + FOUR)
    page.open(shown[0][1:])
    assert (page.hash(), [page.verdict(k) for k in range(3)]) == shown, (page.hash(), shown)
    three = page.computed(3)
    assert [r["certificate"]["kind"] for r in three] == [v[0] for v in shown[1]], shown
    assert [r["options"]["rule"] for r in three] == ["hardmax", "localmax", "softmax"]
    assert bits(page.exported()) == bits(data)
    page.clean()


def the_axis_reaches_the_closed_form(page):
    page.open(f"flow&{LEADERS}&t=40")
    x, y = page.point(".axis")
    box = page.script("const b = document.querySelector('.axis').getBoundingClientRect(); return [b.left, b.width, b.top]")
    page.drag((x, box[2] + 12), (box[0] + box[1] - 18, box[2] + 12), 6)
    steps = int(page.state()["t"])
    assert steps > 1e16, page.hash()
    data = page.exported()
    assert data["method"] == "closed-form" and data["converged"], data["method"]
    compare(data, page.computed())
    page.clean()


def leaps_are_the_programs(page):
    page.open("flow&init=polygon&n=3&rule=softmax&beta=100&gamma=0.1&leap=yes&at=999")
    data = page.exported()
    assert len(data["merge_list"]) > 0 and 63 < data["merge_list"][-1]["log10_time"] < 64, data["merge_list"]
    page.clean()


def three_dimensions_turn(page):
    page.open("flow&n=20&d=3&rule=hardmax&gamma=0.1")
    before = page.screenshot()
    box = page.script("const b = document.querySelector('.scene').getBoundingClientRect(); return [b.left + 30, b.bottom - 30]")
    page.drag(box, (box[0] + 160, box[1] - 60))
    assert "turn" in page.state(), page.hash()
    assert page.screenshot() != before
    page.clean()


def every_option_has_its_help_and_range(page):
    page.open("flow&rule=localmax")
    page.script("document.querySelectorAll('.group').forEach(g => g.open = true)")
    help_text = page.script("return Object.fromEntries([...document.querySelectorAll('.option')].map(o => [o.dataset.option, o.querySelector('.help').textContent]))")
    told = subprocess.run([str(page.folder / "tropism"), "help", "--generate", "options"], capture_output=True, text=True, check=True).stdout
    section = told.split("## tropism flow\n")[1].split("\n## ")[0]
    rows = {}
    for line in section.splitlines():
        if line.startswith("| `--"):
            cells = [c.strip() for c in line.replace("\\|", "\x00").strip("| ").split(" | ")]
            rows[cells[0].strip("`").split()[0][2:].replace("-", "_")] = cells[1].replace("\x00", "|").replace("\\", "")
    assert {"rule", "epsilon", "gamma", "merge", "tolerance"} <= set(help_text), sorted(help_text)
    for name, words in help_text.items():
        assert name in rows and rows[name] in words.replace("\\", ""), (name, words, rows.get(name))
    off = page.script("return [...document.querySelectorAll('.off span')].map(s => s.textContent.replace(/ /g, '_'))")
    listed = set(help_text) | set(off) | {"n", "d", "init", "seed"}
    table = set(page.script("return window.flowOptions()"))
    assert table - listed <= {"threads", "kernel"}, table - listed
    page.clean()


def names_in_the_address_are_no_options(page):
    table = set(page.open().script("return window.flowOptions()"))
    text = (pathlib.Path(__file__).resolve().parent.parent.parent / "web/flow_state.js").read_text()
    own = set(json.loads(text.split("export const VIEW = ")[1].split(";")[0].replace("'", '"')))
    assert len(own) >= 7 and not own & table, own & table
    page.open("flow&n=8&dynamics=sa&init=sphere&clock=gradient&dt=0.1&time=5&at=0.1")
    assert page.notice() == "" and page.state()["clock"] == "gradient", page.notice()
    compare(page.exported(), page.computed())
    page.clean()


def controls_set_options(page):
    page.open("flow&n=16")
    page.script("document.querySelector('[data-option=rule] input[value=hardmax]').click()")
    page.settle()
    assert page.state()["rule"] == "hardmax", page.hash()
    page.script("""const e = document.querySelector('[data-option=gamma] .field'); e.value = '2'; e.dispatchEvent(new Event('change'))""")
    page.settle()
    assert "gamma = 2" in page.notice(), page.notice()
    page.script("""const e = document.querySelector('[data-option=gamma] .field'); e.value = '0.25'; e.dispatchEvent(new Event('change'))""")
    page.settle()
    assert page.state()["gamma"] == "0.25", page.hash()
    page.errors()


def garbage_in_the_address_gets_a_sentence(page):
    for state, words in (("flow&betta=3", "betta"), ("flow&rule=loudmax", "loudmax"), ("flow&x=1,2;3", "row 1"), ("flow&x=1,zwei", "zwei"),
                         ("flow&x=", "no tokens"), ("flow&t=-1", "t = -1"), ("flow&gamma=0", "gamma"), ("flow&n=1e99", "n"), ("nowhere&a=1", "nowhere"),
                         ("flow&%E0%A4%A", "address"), ("flow&rule=hardmax&beta=2", "beta"), ("flow&turn=1", "turn"), ("flow&n=999999999&d=99999", ""),
                         ("flow&key_query=1,2;3", "key_query"), ("flow&key_query=1,2,3", "key_query"), ("&&&===", "address")):
        page.open(state)
        assert words in page.notice() and len(page.notice()) > 12, (state, page.notice())
        assert page.verdict() is not None, state
        page.clean()


def garbage_in_a_file_gets_a_sentence(page):
    page.open("flow&" + FOUR)
    before = page.hash()
    for name, text, words in (("a.json", "{", "JSON"), ("b.json", "{}", "no tokens"), ("c.json", '{"tokens": [[1, 2], [3]]}', "row 1"),
                              ("d.json", '{"tokens": [[1, "x"]]}', "row 0"), ("e.csv", "one,two\nthree", "not a number"), ("f.csv", "", "no tokens"),
                              ("g.json", '{"tokens": [[null]]}', "row 0"), ("h.json", "[1, 2]", "row 0"), ("i.bin", "\x00\x01", "not a number"),
                              ("j.json", '{"tokens": [[1, 2]], "options": {"rule": "loudmax"}}', "loudmax")):
        page.drop(name, text)
        assert words in page.notice(), (name, page.notice())
        if name != "j.json":
            assert page.hash() == before, name
    page.clean()


def results_of_the_program_open(page):
    page.open()
    command = [str(page.folder / "tropism"), "flow", "--n", "20", "--d", "2", "--seed", "5", "--rule", "localmax", "--epsilon", "0.3", "--gamma", "0.2",
               "--steps", "15", "--json"]
    result = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    page.drop("run.json", result)
    assert "to the last bit" in page.notice(), page.notice()
    compare(page.exported(), json.loads(result))
    own = json.dumps(page.open("flow&" + FOUR + "&t=2").exported())
    page.open()
    page.drop("flow.json", own)
    assert "to the last bit" in page.notice() and page.state()["t"] == "2", (page.notice(), page.hash())
    page.drop("tokens.csv", "x,y\n1,2\n-3,4\n0,0.5\n")
    assert page.state()["x"] == "1,2;-3,4;0,0.5", page.hash()
    page.clean()


def pictures_and_tokens_are_saved(page):
    page.open("flow&" + FOUR + "&t=1")
    name, svg = page.saved(lambda: page.press("SVG"))
    assert name == "flow.svg" and svg.startswith(b"<svg") and svg.count(b"<circle") >= 4
    name, png = page.saved(lambda: page.press("PNG"))
    assert name == "flow.png" and png.startswith(b"\x89PNG")
    name, csv = page.saved(lambda: page.press("CSV"))
    rows = [[float(c) for c in row.split(",")] for row in csv.decode().split()]
    assert name == "tokens.csv" and bits(rows) == bits(page.computed()["tokens"])
    page.clean()


def python_says_the_same(page):
    """Where the package's library is built (cmake -DTROPISM_PYTHON=ON)."""
    library = os.environ.get("TROPISM_LIBRARY")
    page.open(f"flow&{LEADERS}&t=9")
    text = page.shell("Python")
    compile(text, "page", "exec")
    if library:
        root = pathlib.Path(__file__).resolve().parent.parent.parent
        for state in SAME[:8]:
            text = page.open("flow&" + state).shell("Python") + "import json\nprint(json.dumps(run.tokens.tolist()))\n"
            done = subprocess.run(["/usr/bin/python3", "-B", "-c", text], capture_output=True, text=True,
                                  env={**os.environ, "PYTHONPATH": str(root / "python")})
            assert done.returncode == 0, done.stderr
            assert bits(json.loads(done.stdout.splitlines()[-1])) == bits(page.exported()["tokens"]), state
    page.clean()


def nothing_moves_unasked(page):
    page.open(f"flow&{LEADERS}")
    first = page.screenshot()
    time.sleep(0.4)
    assert page.screenshot() == first
    assert page.script("return document.querySelector('.now').textContent") == "step 0"
    page.clean()


def the_dark_page_is_dark(page):
    page.open(f"flow&{LEADERS}")
    light = page.script("return getComputedStyle(document.body).backgroundColor")
    page.click("#theme")
    dark = page.script("return getComputedStyle(document.body).backgroundColor")
    page.colours()
    assert light != dark, light
    page.click("#theme")
    page.clean()


# ---- no test -----------------------------------------------------------------------------------------------------


def speed(page):
    for n in (256, 2048):
        page.open(f"flow&n={n}&rule=softmax&beta=4&gamma=0.001")
        page.script("const s = document.querySelector('.buttons select'); s.value = 'steady'; s.dispatchEvent(new Event('change'))")
        page.click(".round.main")
        time.sleep(1)
        start, first = time.monotonic(), page.script("return window.flowFrames()")
        time.sleep(6)
        print(f"n = {n}: {(page.script('return window.flowFrames()') - first) / (time.monotonic() - start):.1f} steps drawn a second")
        if n == 256:
            print("first picture, ms after opening:", page.script("return document.documentElement.dataset.painted"), page.script("return document.querySelector('.module').textContent"))
        page.click(".round.main")


def memory(page):
    page.open("flow&n=256&rule=softmax&beta=4&gamma=0.001")
    page.script("const s = document.querySelector('.buttons select'); s.value = 'steady'; s.dispatchEvent(new Event('change'))")

    def processes():
        """Resident MB of what draws pages, Workers included."""
        pages = 0
        for status in pathlib.Path("/proc").glob("[0-9]*/status"):
            try:
                if b"--type=renderer" in (status.parent / "cmdline").read_bytes():
                    pages = max(pages, int(status.read_text().split("VmRSS:")[1].split()[0]))
            except OSError:
                pass
        return pages / 1000

    def used():
        page.driver.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
        heap = page.driver.execute_cdp_cmd("Runtime.getHeapUsage", {})["usedSize"]
        module = page.driver.execute_async_script("window.flowMemory().then(arguments[0])")
        return f"process {processes():.1f} MB, heap {heap / 1e6:.2f} MB, module {module / 1e6:.2f} MB"
    page.click(".round.main")
    for frames in (2000, 4000, 8000, 20000):
        while page.script("return window.flowFrames()") < frames:
            time.sleep(5)
        print(f"after {page.script('return window.flowFrames()')} frames: {used()}", flush=True)


def picture(page):
    """explorer.png, for README."""
    page.open(f"flow&{LEADERS}&t=19", 1200, 760)
    (page.folder / "explorer.png").write_bytes(base64.b64decode(page.screenshot()))


MEASURES = {"speed": speed, "memory": memory, "picture": picture}


def main(folder, *names, tests=globals(), kind=Explorer, measures=None):
    tests = {name: f for name, f in tests.items() if callable(f) and f.__module__ == "__main__" and "_" in name and f.__code__.co_argcount == 1}
    folder, failed = pathlib.Path(folder).resolve(), 0
    chosen = {n: {**tests, **(measures or MEASURES)}[n] for n in names} if names else tests
    with tempfile.TemporaryDirectory() as downloads, Browser(downloads) as browser:
        for name, test in chosen.items():
            page = kind(browser, folder, WIDE)
            begin = time.monotonic()
            try:
                page.errors()
                page.driver.get_log("performance")
                test(page)
                print(f"ok   {name} ({time.monotonic() - begin:.1f} s)", flush=True)
            except Exception:
                failed += 1
                print(f"FAIL {name}\n{traceback.format_exc()}", flush=True)
    print(f"{pathlib.Path(sys.argv[0]).stem}: {len(chosen)} tests, {failed} failed")
    return failed != 0 or not chosen


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
