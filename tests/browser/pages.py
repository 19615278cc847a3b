#!/usr/bin/python3
"""pages.py PROGRAM MODEL [NAME...] -- opens pages that the program writes in a browser, uses them, and looks at them.

Every page of the list PAGES, at each width: nothing in the console, no request, nothing wider than the screen, no text on
another, and a picture. Then what is true of this page; for inspect that is in inspected.py. A page of another kind is one
more row, with checks of its own. MODEL: stories260K.bin. NAME: those pages alone. Where TROP_BROWSER_SHOTS names a
folder, what the browser showed is kept there.
"""
import collections
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "model"))
import inputs
import inspected as i
from driver import Browser

WIDE, NARROW = 1280, 390

# ---- what is true of every page --------------------------------------------------------------------------------


def it_has_a_title_and_is_complete(page, about):
    assert page.script("return document.readyState === 'complete' && document.title.length > 4")


def it_is_a_picture(page, about):
    colours, commonest = page.colours()
    assert colours > 20 and commonest < 0.985, f"{colours} colours, {commonest:.1%} of one"


def the_chosen_head_is_a_picture(page, about):
    page.script("document.getElementById('chosen').scrollIntoView()")
    it_is_a_picture(page, about)


def nothing_is_wider_than_the_screen(page, about):
    found = page.overflow()
    assert not found, found


def no_text_lies_on_another(page, about):
    found = page.overlaps()
    assert not found, found


def opened_details_fit_too(page, about):
    page.script("document.querySelectorAll('details').forEach(e => e.open = true)")
    nothing_is_wider_than_the_screen(page, about)
    no_text_lies_on_another(page, about)


def a_window_of_another_width_is_filled_too(page, about):
    page.resize(700)
    i.arcs_lead_to_what_rows_select(page, about)
    nothing_is_wider_than_the_screen(page, about)
    no_text_lies_on_another(page, about)
    width = page.script("return document.querySelector('#graph svg').getBoundingClientRect().width")
    page.resize(page.width)
    wider = page.script("return document.querySelector('#graph svg').getBoundingClientRect().width")
    assert wider > width or (wider == width and len(about.rows["heads"][0]["argmax"]) < 14), f"{width}, then {wider}"


def it_asks_for_no_other_file(page, about):
    found = page.requests()
    assert not found, found


def the_console_tells_of_no_error(page, about):
    found = page.errors()
    assert not found, found


LOOKED_AT = [it_is_a_picture, nothing_is_wider_than_the_screen, no_text_lies_on_another, opened_details_fit_too]
LAST = [it_has_a_title_and_is_complete, it_asks_for_no_other_file, the_console_tells_of_no_error]

# ---- the pages -------------------------------------------------------------------------------------------------

MAPS = [i.maps_tell_the_numbers, i.cells_are_as_dark_as_the_scale_says, i.numbers_of_the_chosen_head_are_those_of_the_json,
        i.the_table_has_all_numbers]
GRAPH = [i.arcs_lead_to_what_rows_select, i.words_under_the_arcs_are_the_tokens,
         i.rows_stand_in_the_order_of_their_flip_radius, i.sinks_are_the_tokens_that_most_rows_select,
         i.words_that_heads_select_are_those_of_the_json]
DEPTH = [i.depth_tells_the_layers]
TOLD = [i.every_number_has_its_definition_a_click_away, i.headings_lead_to_definitions]
USED = [i.pointing_at_a_cell_tells_its_number, i.a_click_on_a_map_or_on_words_chooses_the_head]
MARKED = [i.pointing_at_a_token_marks_its_arcs, the_chosen_head_is_a_picture]
RESIZED = [a_window_of_another_width_is_filled_too]
SAVED = [i.pictures_are_saved_as_svg]

# What it is called, its command, what is asked of it at the first width, the widths, and whether it is looked at.
Row = collections.namedtuple("Row", "name command checks widths look", defaults=((WIDE, NARROW), True))
MEASURES = "leaders temperature flip hardmax keys patch depth reach margin hypothetical".split()
ONCE = "--text 'Once upon a time, there was a little girl.'"
LONG = "--layers 1,4 --measure leaders,temperature,flip,hardmax,keys,depth --rows"
PAGES = [
    Row("short", f"inspect {{model}} {ONCE} --report {{page}}", TOLD[:1] + MAPS + GRAPH + DEPTH + USED + MARKED + RESIZED +
        SAVED + TOLD[1:]),
    Row("long", f"inspect {{model}} --file long.txt {LONG} --report {{page}}",
        [i.it_answers_a_click] + MAPS + GRAPH + DEPTH + MARKED + SAVED),
    Row("turned", "inspect {model} --file turned.txt --layers 1,3 --measure leaders,flip --report {page}",
        MAPS + GRAPH + MARKED + [i.turned_words_do_not_touch]),
    Row("bert", "inspect words --text 'Once upon a times.' --measure all --report {page}", TOLD[:1] + MAPS + GRAPH + DEPTH),
    Row("numbers", "inspect numbers --ids 2,7,4,10,9,3 --report {page}", MAPS + GRAPH + DEPTH, (WIDE,)),
    Row("arrays", "inspect --q few-q.npy --k few-k.npy --v few-v.npy --report {page}", MAPS + GRAPH + USED),
    Row("ahead", "inspect --q many-q.npy --k many-k.npy --v many-v.npy --report {page}", MAPS + GRAPH + MARKED + RESIZED),
    Row("texts", "inspect {model} --file mr --texts 4 --report {page}", MAPS + DEPTH + USED + TOLD[1:]),
    Row("hostile", "inspect {model} --file hostile.txt --tokenizer hostile.bin --layers 0,4 --report {page}",
        [i.tokens_stay_text, i.letters_from_right_to_left_turn_nothing_else] + MAPS + GRAPH + MARKED + SAVED +
        [i.tokens_stay_text]),
    *(Row(f"only-{measure}", f"inspect words --text 'once upon a time' --measure {measure} --report {{page}}",
          MAPS + GRAPH, (WIDE,), False) for measure in MEASURES),
    *(Row(f"report-{line.split()[0]}", f"{line} --report {{page}}", []) for line in (
        "flow --n 12 --d 2 --rule localmax --epsilon .5 --gamma .1 --steps 30", "cells --n 8 --d 2 --eta .3", "threshold --n 6 --d 2",
        "escape --init polygon --n 3 --beta 2:3 --runs 20", "margin --data attsvm", "train --data attsvm --steps 200",
        "path --data attsvm --radius 5,10", "check fw-thm-3.1 --trials 5 --counterexample none")),
    Row("report-copies", "flow --n 6 --copies 9 --betas 1:3 --steps 20 --report {page}", []),
    Row("train", "train --data films.tsv --epochs 3 --embed 4 --show 4 --out {page}", []),
]


def run(program, folder, words):
    done = subprocess.run([program, *words], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, f"{shlex.join(words)}: {done.stderr}"
    return done.stdout


def written(program, model, folder, row):
    """The page, and of inspect what it is compared with."""
    path = folder / f"{row.name}.html"
    words = shlex.split(row.command.format(model=shlex.quote(model), page=path.name))
    if words[0] != "inspect":
        run(program, folder, words)
        return path, None
    means = json.loads(run(program, folder, [*words, "--json"]))
    if "--rows" in words or means["texts"] > 1:
        return path, i.Inspected(means, means if "--rows" in words else None)
    return path, i.Inspected(means, json.loads(run(program, folder, [*words[:words.index("--report")], "--json", "--rows"])))


def use(browser, path, about, row):
    """How many checks were made, and the failures."""
    count, failures = 0, []
    for width in row.widths:
        page = browser.open(path, width)
        checks = LOOKED_AT[:3] * row.look + row.checks * (width == row.widths[0]) + LOOKED_AT[3:] * row.look + LAST
        for check in checks:
            count += 1
            try:
                check(page, about)
            except Exception as error:  # a browser fails in many ways, and the rest of the page is still looked at
                lines = str(error).strip().splitlines() or [traceback.extract_tb(error.__traceback__)[-1].line]
                failures.append(f"{row.name}, {width} wide: {check.__name__}: {lines[0][:600]}")
    return count, failures


def main(program, model, *names):
    program, model = (str(pathlib.Path(path).resolve()) for path in (program, model))
    total, failures = 0, []
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as downloads, Browser(downloads) as browser:
        inputs.write(folder)
        for row in PAGES:
            if names and row.name not in names:
                continue
            begin = time.monotonic()
            count, found = use(browser, *written(program, model, pathlib.Path(folder), row), row)
            print(f"{row.name:18} {count:3} checks, {time.monotonic() - begin:4.1f} s", flush=True)
            total += count
            failures += found
    for failure in failures:
        print(f"browser: {failure}")
    assert total > 0, "no page has this name"
    print(f"browser: {total} checks, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
