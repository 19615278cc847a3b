"""The report and the picture of a check; the library draws, and has the style of the page."""

import base64
import ctypes as c
import html
import io
import os
import pathlib
import tempfile

import numpy as np

from .._library import Error, as_text, check, library
from .._result import Picture
from .._values import short
from . import find
from .claim import call

SHOWN = 400  # characters of an array on a page


def version():
    return library.trop_version().decode()


# ---- pictures --------------------------------------------------------------------------------------


def plot(result, kind, ax, out):
    if kind not in (None, "slack"):
        raise Error(f"kind = {kind}: must be slack, or left out")
    if ax is not None:
        return on_axes(result, ax)
    picture = None if kind else of_claim(result)
    picture = picture or slack(result)
    if out is not None:
        picture.save(out)
    return picture


def of_claim(result):
    """The picture that the author of the claim draws; None: there is none."""
    claim = result._claim
    if claim is None or claim._picture is None:
        return None
    case = result._case
    if case is None:
        if result.tightest is None:
            return None
        case = claim.worked(claim.instance(result.tightest.trial, result.seed))
    found = call(claim._picture, case, "picture")
    if hasattr(found, "_repr_svg_"):
        return found
    if hasattr(found, "savefig"):
        buffer = io.StringIO()
        found.savefig(buffer, format="svg")
        return Picture(buffer.getvalue(), found.savefig)
    if isinstance(found, str) and "<svg" in found:
        return Picture(found, lambda path: write_svg(path, found))
    raise Error(f"picture: returned {type(found).__name__}, must be a picture, a figure, or SVG as text")


def write_svg(path, svg):
    if not path.endswith(".svg"):
        raise Error(f"{path}: must end in .svg")
    pathlib.Path(path).write_text(svg)


def points(result):
    """Of every name: numbers of instances, and how far its line holds on them."""
    found = result._points
    if found is None:
        raise Error("plot: a result that was pickled has no picture")
    known = {name: [(x, y) for x, y in pairs if y == y] for name, pairs in found.items()}
    known = {name: np.array(pairs).T for name, pairs in known.items() if pairs}
    if not known:
        raise Error("plot: there is no line to draw")
    return known


AXES = ("instance", "relative slack")


def slack(result):
    """Dots of the slack over |measured| + |bound|: below 0 a line fails."""
    known = points(result)

    def draw(path):
        labels = [f"{result.id}: {result.verdict}", *AXES, *known]
        words = (c.c_char_p * (len(labels) + 1))(*(as_text(label, "name") for label in labels))
        x, y = (np.concatenate([pair[k] for pair in known.values()]) for k in (0, 1))
        series = np.repeat(np.arange(len(known)), [pair.shape[1] for pair in known.values()]).astype(np.int64)
        check(library.trop_plot_dots(
            as_text(os.fspath(path), "path"), words, *(a.ctypes.data_as(c.POINTER(c.c_double)) for a in (x, y)),
            series.ctypes.data_as(c.POINTER(c.c_int64)), len(x)))

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "picture.svg")
        draw(path)
        return Picture(pathlib.Path(path).read_text(), draw)


def on_axes(result, ax):
    for name, (x, y) in points(result).items():
        ax.plot(x, y, ".", label=name)
    ax.axhline(0, color="0.7", linewidth=0.6)
    ax.set_xlabel(AXES[0])
    ax.set_ylabel(AXES[1])
    return ax


# ---- the page --------------------------------------------------------------------------------------


def words(text):
    return html.escape(str(text))


def table(head, rows, kind="fields"):
    def row(cells, tag):
        first = f'<th scope="row">{cells[0]}</th>' if tag == "td" else f"<th>{cells[0]}</th>"
        return "<tr>" + first + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells[1:]) + "</tr>\n"

    if not rows:
        return ""
    return f'<table class="{kind}">\n{row(head, "th")}{"".join(row(cells, "td") for cells in rows)}</table>\n'


def number(value):
    return "" if value is None else words(f"{value:.8g}" if isinstance(value, float) else value)


def picture(found, says):
    svg = base64.b64encode(found._repr_svg_().encode()).decode()
    return (f'<figure>\n<img alt="{words(says)}" src="data:image/svg+xml;base64,{svg}">\n'
            f"<figcaption>{words(says)}</figcaption>\n</figure>\n")


def answer(result):
    said = [f"Verdict of {result.id}: {result.verdict}{', untested' if result.untested else ''}.",
            result.statement.rstrip(".") + ".",
            f"All hypotheses were true and the conclusion decided on {result.applicable} of {result.attempted} "
            f"instances that were judged; {result.violations} of them violate the claim." if result.trials else
            f"{result.attempted} instances were judged in a search."]
    if result.tightest:
        said.append(f"Tightest: {result.tightest.name}.")
    if result.untested:
        said.append("No spoil of the conclusion was caught, so the check might say this of anything.")
    return "<h2>The answer</h2>\n<p class=\"answer\">" + "\n".join(map(words, said)) + "</p>\n"


def numbers_of(value):
    if isinstance(value, np.ndarray):
        shape = " × ".join(map(str, value.shape))
        told = np.array2string(value, precision=6, separator=", ", threshold=60)
        told = told if len(told) <= SHOWN else told[:SHOWN] + " …"
        return f"{words(shape)}<br><code>{words(told)}</code>"
    return words(short(value))


def content(result):
    """Everything below the title, as HTML."""
    claim = result._claim
    parts = [f"<h1>{words(result.id)}</h1>\n<p>Tests a claim on instances. tropism {result.version}"
             + ("" if result.seed is None else f", seed {result.seed}") + ".</p>\n", answer(result)]
    drawn = of_claim(result)
    if drawn is not None:
        which = "the counterexample" if result.violations else "the tightest instance"
        parts.append(picture(drawn, f"{which}, as the claim draws it" if result.seed is not None else "the instance"))
    try:
        parts.append(picture(slack(result), "how far every line holds: slack over |measured| + |bound|, below 0 it fails"))
    except Error:
        pass  # there is no line
    if result.hypothesis:
        h = result.hypothesis
        parts.append(f"<p class=\"remark\">Hypothesis {words(h.name)} ({words(h.meaning)}): {words(h.line)} is "
                     f"{number(h.measured)}, should be {number(h.bound)}.</p>\n")
    rows = [(words(e.name), number(e.measured), e.relation, number(e.bound), f"{e.allowance:.2g}",
             {True: "holds", False: "fails", None: "open"}[e.holds], number(e.step), number(e.trial))
            for e in result.evidence]
    parts += ["<h2>Tightest lines</h2>\n" if rows else "",
              table("name,measured,,bound,allowed,,step,instance".split(","), rows)]
    rows = [(words(h.name), words(h.meaning), h.failed, h.open) for h in result.hypotheses]
    parts += ["<h2>Hypotheses</h2>\n" if rows else "",
              table(("name", "what it says", "instances it excludes", "instances it is open on"), rows)]
    rows = [(words(s.meaning), words(s.breaks or "the conclusion"), "caught" if s.caught else "not caught",
             number(s.trial), words(s.reason or "")) for s in result.spoils]
    parts += ["<h2>Spoils</h2>\n" if rows else "",
              table(("what is changed", "should break", "", "instance", ""), rows)]
    if result._case is not None:
        meanings = claim.inputs if claim else {}
        rows = [(f"<code>{words(name)}</code>", numbers_of(value), words(meanings.get(name, "")))
                for name, value in result._case.items()]
        kind = "The counterexample" if result.violations else "The instance"
        parts += [f"<h2>{kind}</h2>\n", table(("name", "value", "what it is"), rows)]
    parts.append(what_was_run(result, claim))
    return "".join(parts)


def what_was_run(result, claim):
    place = find.source(claim) if claim else {"module": None, "source": None}
    name = getattr(claim, "__name__", "")
    name = name if name.isidentifier() else "NAME"  # of a lambda
    lines = [f"{name}.check(trials={result.trials}, seed={result.seed})"] if result.untested is not None else []
    if result.counterexample:
        lines.append(f"python -m tropism check {result.counterexample}")
    said = f"<p>Defined in <code>{words(place['source'] or place['module'] or 'a notebook')}</code>.</p>\n"
    return f"<h2>What was run</h2>\n{said}" + (f"<pre>{words(chr(10).join(lines))}</pre>\n" if lines else "")


def report(result, path):
    path = os.fspath(path)
    if not os.fsdecode(path).endswith(".html"):
        raise Error(f"report = {os.fsdecode(path)}: must end in .html")
    if result._points is None:
        raise Error("report: a result that was pickled has its numbers without the claim that the page is of")
    check(library.trop_report_page(as_text(path, "path"), as_text(f"{result.id}: {result.verdict}", "title"),
                                   as_text(content(result), "content")))
