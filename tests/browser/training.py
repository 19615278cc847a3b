#!/usr/bin/python3
"""training.py FOLDER [NAME...] -- the Training view of FOLDER/tropism.html, used in a browser and compared with FOLDER/tropism.

Every function below is a test; NAME: those alone. What the page exports as command line is run by the program, and every
field of the two results has to be the same to the last bit. Solutions, paths and basins are compared with margin, path and
train of the program.
"""
import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import explorer
from explorer import NARROW, WIDE, bits

OWN = "X=1,0;0,1;-0.5,0.25|0.5,-1;1,1;0,0.75&y=1,-1&v=0.5,1"

# What the page does with these, the program has to do as well.
SAME = [
    "data=mm-fig-1a&t=0",
    "data=mm-fig-1b&t=137",
    "data=mm-fig-1c&optimizer=nmirror&p=1.5&t=64",
    "data=mm-fig-3a&model=joint&t=90",
    "data=mm-fig-3b&model=joint&head=quadratic&lambda=0.5&t=50",
    "data=mm-fig-5&optimizer=gd&backtrack=yes&t=77",
    "data=mm-fig-8&w=0,-2&loss=exponential&t=200",
    "data=tf-fig-1&optimizer=adam&eta=0.05&t=1000",
    "data=tf-fig-1b&w=0.5,-1,0.25,3&optimizer=muon&polynomial=yes&t=30",
    "data=tf-fig-1b&model=kq&start=normal&width=1&seed=3&t=100",
    "data=mm-fig-1c&batch=2&seed=4&eta_schedule=power:1,0.5&t=55",
    f"{OWN}&t=41",
    f"{OWN}&model=sequence&mask=causal&optimizer=sign&t=20",
    f"{OWN}&model=self&row=1&gradient=naive&records=3&t=500",
    "X=0.1,-0,1;2,1,0.5|0,0,0.25;1,-1,2&y=1,1&v=0,0,1&K=place&optimizer=hypentropy&bend=0.1&t=33",
]


def compare(page, program):
    """As the Flow view's; the share of the best margin is told after all steps, to which the page's run need not have come."""
    for told in page, program:
        told.get("own", {}).pop("ratio", None)
    explorer.compare(page, program)


class Training(explorer.Explorer):
    def exported(self):
        name, data = self.saved(lambda: self.press("JSON"))
        assert name == "train.json", name
        return json.loads(data)

    def known(self):
        return self.script("return window.trainKnown()")

    def rest(self):
        self.until("const k = window.trainKnown(); return k.resting && k.judged", "it never rests")
        return self

    last = None

    def at(self, state, width=WIDE, height=860):
        """Opens the page, or, when it is open in this size, another state of it."""
        address, place = "train" + (f"&{state}" if state else ""), (self.path, width, height)
        if self.last != place or self.hash() == "#" + address:
            self.last = place
            return self.open(address, width, height).rest()
        before = self.known()["opened"]
        self.script("location.hash = arguments[0]", address)
        self.until("return window.trainKnown().opened > arguments[0]", "it does not open", before)
        return self.rest()

    def place(self, i, t):
        return self.script("""const box = document.querySelector('.train .scene').getBoundingClientRect(), p = window.trainPlaces(...arguments);
            return [box.left + p[0], box.top + p[1]];""", i, t)

    def run(self, *words, **files):
        """What the program says, with files of these names and contents beside it."""
        with tempfile.TemporaryDirectory() as scratch:
            for name, text in files.items():
                pathlib.Path(scratch, name + ".json").write_text(text)
            done = subprocess.run([str(self.folder / "tropism"), *words, "--json"], capture_output=True, text=True, cwd=scratch, timeout=60)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


# ---- tests -----------------------------------------------------------------------------------------------------


def every_width_shows_all(page):
    for width, height in ((WIDE, 860), (NARROW, 844), (320, 700)):
        page.at("data=tf-fig-1b&t=200&lp=8&hide=none", width, height)
        page.until("return window.trainKnown().ends > 40", "no basins")
        colours, commonest = page.colours()
        assert colours > 60 and commonest < 0.97, f"{colours} colours, {commonest:.1%} of one"
        page.script("document.querySelectorAll('details').forEach(e => e.open = true)")
        page.shell()
        assert not page.overflow(), (width, page.overflow())
        assert not page.overlaps(), (width, page.overlaps())
        page.clean()


def every_example_opens(page):
    page.at("")
    count = page.script("return document.querySelectorAll('.presets option').length")
    assert count > 10, count
    for k in range(count - 1):
        page.script("const s = document.querySelector('.presets select'); s.value = arguments[0]; s.dispatchEvent(new Event('change'))", str(k))
        page.rest()
        assert page.notice() == "", f"example {k}: {page.notice()}"
        assert page.script("return document.querySelector('.story').textContent") != "", k
        assert page.known()["steps"] > 0, k
    page.clean()


def numbers_are_the_programs_to_the_last_bit(page):
    for state in SAME:
        page.at(state)
        assert page.notice() == "", f"{state}: {page.notice()}"
        try:
            compare(page.exported(), page.computed())
        except AssertionError as e:
            raise AssertionError(f"{state}: {e}") from e
    page.clean()


def sets_are_the_programs(page):
    """By their bits: runs on the numbers that the page has, and the problems that they make."""
    page.at("")
    text = (pathlib.Path(__file__).resolve().parent.parent.parent / "web/train_sets.js").read_text()
    names = [line.split("'")[1] for line in text.splitlines() if line.startswith("  '")]
    assert len(names) == 9, names
    for name in names:
        page.at(f"data={name}&t=3" + ("&model=joint" if "fig-3" in name else ""))
        data = json.dumps(page.exported()["data"])
        ours = page.run("train", "--data", "own.json", "--steps", "3", own=data)
        theirs = page.run("train", "--data", name, "--steps", "3")
        assert bits(ours["weights"]) == bits(theirs["weights"]) and bits(ours["loss"]) == bits(theirs["loss"]), name
        chosen = ",".join("0" for _ in page.exported()["data"]["X"])
        with tempfile.TemporaryDirectory() as scratch:  # the points of the problems: tokens or keys, and queries
            dumps = [str(pathlib.Path(scratch, f"{k}.json")) for k in range(2)]
            page.run("margin", "--data", "own.json", "--select", chosen, "--dump", dumps[0], own=data)
            page.run("margin", "--data", name, "--select", chosen, "--dump", dumps[1])
            assert pathlib.Path(dumps[0]).read_text() == pathlib.Path(dumps[1]).read_text(), name


def tokens_and_queries_are_dragged(page):
    for state, what in ((f"{OWN}&t=60", (1, 0)), ("data=tf-fig-1&t=60", (0, 2)), ("data=mm-fig-1c&t=60", (2, 4))):
        before = page.at(state).known()["judged"]["loss"]
        x, y = page.place(*what)
        page.drag((x, y), (x + 50, y - 36))
        page.rest()
        at = page.place(*what)
        assert abs(at[0] - x - 50) < 2 and abs(at[1] - y + 36) < 2, (state, at, x, y)
        assert page.state()["t"] == "60" and "X" in page.state() and "data" not in page.state(), page.hash()
        assert page.known()["judged"]["loss"] != before, state
        compare(page.exported(), page.computed())
    page.clean()


def fingers_drag_tokens(page):
    page.at(f"{OWN}&t=20", NARROW, 844)
    x, y = page.place(0, 1)
    cdp = page.driver.execute_cdp_cmd
    cdp("Emulation.setTouchEmulationEnabled", {"enabled": True})
    cdp("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x + 8, "y": y + 6}]})
    for k in range(1, 6):
        cdp("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x + 8 * k, "y": y + 6 * k}]})
    cdp("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.rest()
    cdp("Emulation.setTouchEmulationEnabled", {"enabled": False})
    at = page.place(0, 1)
    assert abs(at[0] - x - 40) < 2 and abs(at[1] - y - 30) < 2, (at, x, y)
    page.clean()


def a_click_sets_the_start(page):
    """From the other side of the wall another token wins."""
    page.at("data=mm-fig-1b&t=300")
    assert page.known()["judged"]["alpha"] == [0]
    box = page.script("const b = document.querySelectorAll('.train .scene')[1].getBoundingClientRect(); return [b.left, b.top, b.width, b.height]")
    page.drag((box[0] + 0.75 * box[2], box[1] + 0.72 * box[3]), (box[0] + 0.76 * box[2], box[1] + 0.73 * box[3]), 2)
    page.rest()
    w = [float(c) for c in page.state()["w"].split(",")]
    assert len(w) == 3 and w[0] > 0 > w[1], w
    assert page.known()["judged"]["alpha"] == [1], page.known()["judged"]["alpha"]
    compare(page.exported(), page.computed())
    page.clean()


def links_restore_the_state(page):
    page.at(f"{OWN}&optimizer=nmirror&p=1.7&lp=5&t=88&hide=fan,path")
    page.script("location.hash = location.hash")
    first, state = page.exported(), page.hash()
    second = page.open(state[1:]).rest().exported()
    assert page.hash() == state, (page.hash(), state)
    assert {k: bits(v) for k, v in first.items()} == {k: bits(v) for k, v in second.items()}
    page.clean()


def playing_and_scrubbing_give_the_same(page):
    page.at("data=mm-fig-1c")
    page.click(".train .round.main")
    page.until("return window.trainKnown().steps > 60", "it does not play")
    page.click(".train .round.main")
    page.rest()
    compare(page.exported(), page.computed())
    page.key("Home")
    page.rest()
    assert page.known()["steps"] == 0, page.known()["steps"]
    page.key(".")
    page.key(".")
    page.key(",")
    page.rest()
    assert page.known()["steps"] == 1
    compare(page.exported(), page.computed())
    page.clean()


def keys_move_tokens(page):
    page.at(f"{OWN}&t=10")
    page.script("document.querySelector('.train .scene').focus()")
    for key in ("]", "]", "ArrowRight"):
        page.key(key)
    page.rest()
    rows = page.state()["X"].split("|")[0].split(";")
    assert rows[0] == "1,0" and float(rows[1].split(",")[0]) > 0 and rows[1].endswith(",1"), rows
    page.clean()


def solutions_are_the_programs(page):
    for state, data in (("data=mm-fig-1c&t=100", "mm-fig-1c"), ("data=tf-fig-1b&t=200", "tf-fig-1b")):
        for exponent in ("1.05", "1.5", "7", "64"):
            page.at(f"{state}&lp={exponent}")
            page.until("const k = window.trainKnown(); return k.found && k.found.own && k.found.l2", "nothing is solved")
            found, alpha = page.known()["found"], ",".join(map(str, page.known()["judged"]["alpha"]))
            l2 = page.run("margin", "--data", data, "--select", alpha)
            lp = page.run("margin", "--data", data, "--select", alpha, "--norm", "lp", "--p", exponent)
            for ours, theirs in ((found["l2"], l2), (found["own"], lp)):
                assert ours["outcome"] == theirs["outcome"] == "solved"
                assert bits(ours["weights.W"] or ours["weights.p"]) == bits(theirs["weights"].get("W") or theirs["weights"]["p"]), (state, exponent)
                assert bits(ours["margin"]) == bits(theirs["margin"])
    page.clean()


def paths_are_the_programs(page):
    for state, words in (("data=mm-fig-1a&t=20&hide=none", ()), ("data=tf-fig-1&t=20&lp=3&hide=none&loss=exponential", ("--p", "3", "--loss", "exponential"))):
        page.at(state)
        page.until("return window.trainKnown().path", "there is no path")
        theirs = page.run("path", "--data", state.split("&")[0][5:], "--radius", "1,2,5,10,20,50,100,200,500", *words)["radii"]
        ours = [{k: v for k, v in r.items() if k != "asks"} for r in page.known()["path"]]
        assert len(ours) == 9 and bits(ours) == bits(theirs), state
        assert len(page.script("return [...document.querySelectorAll('.radii tr')].map(r => r.textContent)")) == 10
    page.at("data=tf-fig-1&model=kq&start=normal&t=5&hide=none")
    assert "kq" in page.script("return document.querySelector('.side').textContent").split("No path: ")[1][:120]
    page.clean()


def basins_are_where_the_program_ends(page):
    for data, size in (("mm-fig-1b", 3), ("tf-fig-1b", 4)):
        page.at(f"data={data}")
        page.until("return window.trainKnown().basins", "the basins are never done")
        kinds, ends = page.known()["kinds"], page.known()["ends"]
        assert len(kinds) > 1 and ends > 700, (kinds, ends)
        for k in (3, 170, 333, 601):
            cell = page.script("return window.trainBasin(arguments[0])", k)
            assert len(cell["w"]) == size
            start = {"p": cell["w"]} if size == 3 else {"W": [cell["w"][:2], cell["w"][2:]]}
            for steps in ("400", "800", "1600", "3200"):
                end = page.run("train", "--data", data, "--start", "s.json", "--steps", steps, s=json.dumps(start))
                if end["undecided"] == 0:
                    break
            assert cell["end"] == ("" if end["undecided"] else ",".join(map(str, end["alpha"]))), (data, k, cell, end["alpha"])
    page.clean()


def the_page_does_not_stall_while_basins_are_computed(page):
    """Frames are asked for, and come, before the basins are done."""
    page.at("data=tf-fig-1b")
    page.script("location.hash = '#train&data=tf-fig-1b&eta=0.05'")
    page.until("return location.hash.includes('eta=0.05') && window.trainKnown().ends < 900 && window.trainKnown().ends > 4", "they are done at once")
    page.key(".")
    known = page.known()
    assert known["steps"] == 1 and not known["basins"], known["ends"]
    page.clean()


def controls_set_options(page):
    page.at("data=tf-fig-1b&t=30")
    choose = "const e = document.querySelector(`[data-option=${arguments[0]}] select`); e.value = arguments[1]; e.dispatchEvent(new Event('change'))"
    page.script(choose, "optimizer", "adam")
    page.rest()
    assert page.state()["optimizer"] == "adam" and page.script("return !!document.querySelector('[data-option=beta2]')"), page.hash()
    page.script(choose, "model", "kq")
    page.rest()
    assert page.state()["model"] == "kq" and page.state()["start"] == "normal" and page.notice() == "", (page.hash(), page.notice())
    compare(page.exported(), page.computed())
    page.script("const e = document.querySelector('[data-option=eta] .field'); e.value = '-1'; e.dispatchEvent(new Event('change'))")
    page.settle()
    assert "eta = -1" in page.notice(), page.notice()
    page.at("data=tf-fig-1&optimizer=nmirror&p=1.5&t=9")
    page.script(choose, "optimizer", "adam")  # which has no p: an option that does not apply would be refused
    page.rest()
    assert page.notice() == "" and "p" not in page.state(), (page.notice(), page.hash())
    page.at(f"{OWN}&t=5")
    for words in ("add an input", "add a token", "one fewer", "add a token"):
        page.press(words)
        page.rest()
    rows = [x.split(";") for x in page.state()["X"].split("|")]
    assert len(rows) == 3 and all(len(r) == 4 for r in rows) and page.notice() == "", page.hash()
    compare(page.exported(), page.computed())
    page.errors()


def every_option_has_its_help(page):
    page.at("data=tf-fig-1b")
    table = {o["name"]: o for o in page.script("return window.trainOptions()")}
    told = page.script("return document.querySelector('.train .options').textContent")
    for name in ("optimizer", "eta", "eta_schedule", "batch", "model", "head", "loss", "gradient", "decay", "records", "compare"):
        assert table[name]["meaning"].split(":")[0] in told, name
    page.clean()


def garbage_gets_a_sentence(page):
    for state, words in (("data=nothing", "mm-fig-1a"), ("X=1,2;3", "row 1"), ("X=1,zwei", "zwei"), ("X=1,2;3,4&y=2", "-1 or 1"), ("X=1,2,3;4,5,6&y=1&v=1,0,0", "plane"),
                         ("X=1,2;3,4&y=1,1", "y"), ("data=mm-fig-1a&w=1", "w: has 1"), ("data=mm-fig-1a&lp=1", "1.05"), ("data=mm-fig-1a&t=-3", "t = -3"),
                         ("data=mm-fig-1a&optimiser=gd", "optimiser"), ("data=mm-fig-1a&eta=0", "eta"), ("X=1,2;3,4&y=1", "decoder"), ("data=tf-fig-1&model=kq", "never move"),
                         ("data=mm-fig-1a&hide=all", "hide"), ("y=1", "X")):
        page.at(state)
        assert words in page.notice() and len(page.notice()) > 12, (state, page.notice())
        assert page.script("return document.querySelector('.train') !== null && window.trainKnown().judged !== undefined"), state
        page.clean()
    page.at(f"{OWN}&t=4")
    before = page.hash()
    for name, text, words in (("a.json", '{"X": [[1, 2]]}', "row 0"), ("b.json", '{"X": [[[1, 2, 3]]]}', "plane"), ("c.json", '{"X": 3}', "inputs of tokens"),
                              ("d.json", '{"weights": {"p": [1]}, "history": [], "options": {"n": 9, "T": 9, "d": 9}}', "drop the data"),
                              ("e.json", '{"X": [[[1, null]]]}', "no number"), ("f.json", "null", "null"), ("g.json", '{"X": [[[1, 2]]], "E": [[1]]}', "next-token")):
        page.drop(name, text)
        assert words in page.notice(), (name, page.notice())
        assert page.hash() == before, (name, page.hash())
    page.clean()


def results_of_the_program_open(page):
    page.at("")
    data = '{"X": [[[1, 0], [0, 1], [0.5, 0.5]], [[0, -1], [1, 1], [-1, 0.25]]], "y": [1, 1], "v": [1, 0.5]}'
    page.drop("data.json", data)
    page.rest()
    assert page.state()["X"] == "1,0;0,1;0.5,0.5|0,-1;1,1;-1,0.25", page.hash()
    result = page.run("train", "--data", "own.json", "--optimizer", "nmirror", "--p", "3", "--steps", "120", own=data)
    page.drop("run.json", json.dumps(result))
    page.rest()
    assert "the same weights" in page.notice(), page.notice()
    compare(page.exported(), result)
    own = json.dumps(page.at("data=mm-fig-8&w=0,-2&t=30").exported())
    page.at("")
    page.drop("train.json", own)
    page.rest()
    assert "the same weights" in page.notice() and page.state()["t"] == "30", (page.notice(), page.hash())
    page.clean()


def pictures_and_numbers_are_saved(page):
    page.at("data=tf-fig-1&t=50")
    name, svg = page.saved(lambda: page.press("SVG"))
    assert name == "train.svg" and svg.startswith(b"<svg") and svg.count(b"<path") > 10
    name, png = page.saved(lambda: page.press("PNG"))
    assert name == "train.png" and png.startswith(b"\x89PNG") and len(png) > 20000
    name, csv = page.saved(lambda: page.press("CSV"))
    rows = csv.decode().splitlines()
    history = page.computed()["history"]
    assert name == "train.csv" and len(rows) == len(history) + 1 and float(rows[-1].split(",")[1]) == history[-1]["loss"]
    page.clean()


def python_says_the_same(page):
    """Where the package's library is built (cmake -DTROPISM_PYTHON=ON)."""
    for state in SAME:
        text = page.at(state).shell("Python")
        compile(text, "page", "exec")
        if os.environ.get("TROPISM_LIBRARY"):
            root = pathlib.Path(__file__).resolve().parent.parent.parent
            text += "import json\nprint(json.dumps([run.loss, run.saturation, [h for h in run.history['loss']]]))\n"
            done = subprocess.run(["/usr/bin/python3", "-B", "-c", text], capture_output=True, text=True,
                                  env={**os.environ, "PYTHONPATH": str(root / "python")})
            assert done.returncode == 0, (state, done.stderr)
            ours = page.exported()
            assert bits(json.loads(done.stdout.splitlines()[-1])) == bits([ours["loss"], ours["saturation"], [h["loss"] for h in ours["history"]]]), state
    page.clean()


def the_exact_module_says_the_same(page):
    text, other = page.path.read_text(), page.folder / "exact.html"
    start = text.index('id="relaxed">') + len('id="relaxed">')
    other.write_text(text[:start] + text[text.index("</script>", start):])
    page.path = other
    for state in SAME[1], SAME[7], SAME[9]:
        page.at(state)
        compare(page.exported(), page.computed())
    page.clean()


def claims_open(page):
    """Every link of docs/claims.md into the explorer opens, and shows what the program computes."""
    text = (pathlib.Path(__file__).resolve().parent.parent.parent / "docs/claims.md").read_text()
    links = [part.split(")")[0] for part in text.split("](tropism.html#")[1:]]
    assert len(links) > 20 and len(links) == len(set(links)) + 1, links  # two claims have the same counterexample
    page.at("")
    for link in sorted(set(links)):
        view, trained = explorer.Explorer, link.startswith("train")
        if trained:
            page.at(link[6:])
            view = Training
        else:
            page.script("location.hash = arguments[0]", link)
            page.settle()
        assert page.notice() == "", (link, page.notice())
        if "panes=three" not in link:
            compare(view.exported(page), page.computed())
    page.clean()


def the_hull_loses_the_origin(page):
    """fw-thm-3.1, on a line and in the plane: inside until the step of the link, then outside."""
    for state, step in (("x=3;-1&rule=hardmax&key_query=-1&gamma=fw", 2), ("n=16&d=2&rule=hardmax&key_query=-1&gamma=fw&seed=3", 2)):
        for t in (0, step - 1, step):
            page.open(f"flow&{state}&t={t}")
            words = "outside the hull" in page.verdict()[1]
            tokens = json.dumps(explorer.Explorer.exported(page)["tokens"])
            with tempfile.TemporaryDirectory() as scratch:
                table = pathlib.Path(scratch, "tokens.csv")
                table.write_text("\n".join(",".join(map(repr, row)) for row in json.loads(tokens)) + "\n")
                inside = page.run("cells", "--tokens", str(table))["contains_origin"]
            assert words == (t == step) and inside == (t != step), (state, t, page.verdict(), inside)
    page.clean()


def nothing_moves_unasked(page):
    page.at("data=mm-fig-1c&t=30&hide=basins,path")
    first = page.screenshot()
    page.settle()
    assert page.known()["steps"] == 30 and page.screenshot() == first


def picture(page):
    """training.png, for docs/explorer.md."""
    page.at("data=tf-fig-1b&t=200&lp=8", 1200, 760)
    page.until("return window.trainKnown().basins", "the basins are never done")
    page.settle()
    (page.folder / "training.png").write_bytes(base64.b64decode(page.screenshot()))


if __name__ == "__main__":
    sys.exit(explorer.main(*sys.argv[1:], tests=globals(), kind=Training, measures={"picture": picture}))
