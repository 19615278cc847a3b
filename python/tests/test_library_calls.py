"""The border: every function of the library is called once from Python, as C would call it."""

import ctypes as c

import numpy as np

from tropism._library import PROGRESS, PROTOTYPES, STATUS, library, names
from tropism._study import COUNTS


class Counted:
    """The library, which remembers what was called."""

    def __init__(self):
        self.called = set()

    def __getattr__(self, name):
        self.called.add(name)
        return getattr(library, name)


class Low:
    """A few lines of C, in Python."""

    def __init__(self):
        self.lib = Counted()
        self.progress = PROGRESS(lambda context, done, total: 0)

    def ok(self, status):
        assert status == 0, self.lib.trop_error()

    def is_there(self, status):
        """Whether the build has it: what another library does may be absent."""
        return status != STATUS.index("unsupported") and self.ok(status) is None

    def made(self, create, *arguments):
        out = c.c_void_p()
        self.ok(create(c.byref(out), *arguments))
        assert out.value
        return out.value

    def setup(self, verb, **options):
        setup = self.made(self.lib.trop_setup_create, verb)
        for name, value in options.items():
            self.ok(self.lib.trop_setup_set(setup, name.encode(), value))
        return setup

    def words(self, *words):
        return (c.c_char_p * (len(words) + 1))(*words)

    def number(self, function, *arguments):
        out = c.c_double()
        self.ok(function(c.byref(out), *arguments))
        return out.value

    def value(self):
        return c.create_string_buffer(self.lib.trop_value_size())

    def json(self, function, handle):
        out = c.c_char_p()
        self.ok(function(c.byref(out), handle))
        assert out.value.startswith(b"{")

    def doubles(self, address, count):
        return np.ctypeslib.as_array((c.c_double * count).from_address(address)).copy()


SQUARE = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])


def tables(low):
    lib = low.lib
    table = lib.trop_flow_option_table()
    entry = lib.trop_option_find(table, b"rule")
    assert lib.trop_option_name(entry) == b"rule" and lib.trop_option_at(table, 10**6) is None
    assert lib.trop_option_nearest(table, b"rul") == b"rule"
    assert lib.trop_option_type(entry) == 3 and lib.trop_option_meaning(entry)
    assert lib.trop_option_choice(entry, 1) == b"hardmax" and lib.trop_option_choice(entry, 99) is None
    buffer = c.create_string_buffer(200)
    assert lib.trop_option_range(buffer, 200, entry) == len(buffer.value) > 0
    setup = low.setup(b"flow")
    options = lib.trop_setup_flow(setup)
    low.ok(lib.trop_option_set(options, table, b"rule", b"localmax"))
    assert lib.trop_option_text(buffer, 200, options, entry) == 8 and buffer.value == b"localmax"
    assert lib.trop_option_set(options, table, b"rule", b"no") == 1 and b"rule = no" in lib.trop_error()
    low.ok(lib.trop_option_check(options, table))
    low.ok(lib.trop_setup_set(setup, b"gamma", b"fw"))
    gamma = lib.trop_setup_schedule(setup, b"gamma")
    assert lib.trop_schedule_at(gamma, 2.0) == 0.5  # 2 / (t + 2)
    assert lib.trop_setup_text(buffer, 200, setup, b"gamma") == 2 and buffer.value == b"fw"
    lib.trop_setup_free(setup)
    assert lib.trop_option_when(buffer, 200, lib.trop_option_find(table, b"k")) == 14
    assert buffer.value == b"with rule topk" and lib.trop_option_when(buffer, 200, entry) == 0
    noun_tables = "copies threshold cells escape margin train path inspect plot claims check reproduction"
    for noun in noun_tables.split():
        assert lib.trop_option_at(getattr(lib, f"trop_{noun}_option_table")(), 0)
    assert lib.trop_job_option_table(b"cells") and lib.trop_job_option_table(b"no") is None
    verbs = []
    while verb := lib.trop_verb_name(len(verbs)):
        verbs.append(verb)
        assert lib.trop_verb_meaning(verb) and lib.trop_setup_table(verb, 0) or verb == b"doctor"
    assert b"flow" in verbs and lib.trop_verb_subject(b"check") == b"claim"
    assert lib.trop_verb_subject(b"flow") is None and lib.trop_verb_meaning(b"no") is None
    assert lib.trop_verb_field_table(b"flow") == lib.trop_flow_field_table()
    assert lib.trop_verb_field_table(b"inspect") == lib.trop_inspect_field_table()
    assert lib.trop_verb_field_table(b"no") is None
    assert lib.trop_setup_table(b"flow", 0) and lib.trop_setup_table(b"flow", 99) is None


def setups(low, folder):
    lib = low.lib
    (folder / "run.yaml").write_text("n: 3\nrule: hardmax\n")
    setup = low.setup(b"flow")
    low.ok(lib.trop_setup_read(setup, str(folder / "run.yaml").encode()))
    assert lib.trop_setup_read(setup, b"/no/file") == 3
    buffer = c.create_string_buffer(9)
    assert lib.trop_setup_text(buffer, 9, setup, b"n") == 1 and buffer.value == b"3"
    lib.trop_setup_free(setup)
    parts = dict(flow="flow job", cells="cells job", threshold="threshold job", path="path job")
    parts |= dict(escape="escape job", margin="margin job", train="train job", inspect="inspect job", plot="plot")
    parts |= dict(check="check", reproduce="reproduction", claims="claims")
    for verb, kinds in parts.items():
        setup = low.setup(verb.encode())
        for kind in kinds.split():
            assert getattr(lib, f"trop_setup_{kind}")(setup)
        assert (lib.trop_setup_flow(setup) is None) == (verb != "flow")
        lib.trop_setup_free(setup)
    lib.trop_setup_free(None)


def values(low):
    lib, value = low.lib, low.value()
    job = low.made(lib.trop_job_create_from, b"doctor", low.words())
    low.ok(lib.trop_job_run(job, low.progress, None))
    table, doctor = lib.trop_doctor_field_table(), lib.trop_job_result(job)
    assert lib.trop_job_field_table(job) == table
    first = lib.trop_field_at(table, 0)
    assert lib.trop_field_name(first) and lib.trop_field_meaning(first)
    assert lib.trop_field_columns(first) is None and lib.trop_field_at(table, 999) is None
    low.ok(lib.trop_job_value(value, job, b"version"))
    assert lib.trop_value_kind(value) == 4 and lib.trop_value_text(value, 0) == lib.trop_version()
    low.json(lib.trop_job_json, job)
    low.ok(lib.trop_field_read(value, first, doctor, 0))
    low.ok(lib.trop_field_value(value, table, doctor, b"version"))
    assert lib.trop_field_value(value, table, doctor, b"no") == 1
    assert low.number(lib.trop_field_as_number, table, doctor, b"cores") >= 1
    assert lib.trop_field_as_number(c.byref(c.c_double()), table, doctor, b"version") == 1
    low.ok(lib.trop_field_cell(value, table, doctor, b"tests", b"name", 0))
    assert lib.trop_value_kind(value) == 4
    assert lib.trop_field_cell(value, table, doctor, b"tests", b"name", 10**6) == 1
    assert lib.trop_field_cell(value, table, doctor, b"tests", b"no", 0) == 1
    assert low.number(lib.trop_job_number, job, b"cores") >= 1
    low.ok(lib.trop_job_cell(value, job, b"tests", b"name", 0))
    lib.trop_job_free(job)


def flow(low):
    lib, value = low.lib, low.value()
    handle = low.made(
        lib.trop_flow_create_from,
        low.words(b"init", b"polygon", b"n", b"4", b"rule", b"uniform", b"gamma", b"0.5", b"steps", b"3"),
    )
    size = lib.trop_flow_state_size(handle)
    words = (c.c_int64 * size)()
    lib.trop_flow_state_save(words, handle)
    low.ok(lib.trop_flow_watch(handle, b"step,residual"))
    assert lib.trop_field_at(lib.trop_flow_watch_table(), 0)
    low.ok(lib.trop_flow_look(handle))
    weights = (c.c_double * 4)()
    low.ok(lib.trop_flow_weights(weights, handle, 2))
    assert list(weights) == [0.25] * 4
    lib.trop_flow_listen(handle, low.progress, None)
    low.ok(lib.trop_flow_step(handle, 1))
    lib.trop_flow_listen(handle, PROGRESS(), None)
    assert lib.trop_flow_moves(handle) == 1 and not lib.trop_flow_done(handle)
    # The mean of a square is 0: uniform attention halves it, to the rounding of its mean.
    found = low.doubles(lib.trop_flow_tokens(handle), 8)
    assert np.allclose(found, [0.5, 0, 0, 0.5, -0.5, 0, 0, -0.5], atol=1e-15)
    low.ok(lib.trop_flow_run(handle, low.progress, None))
    assert lib.trop_flow_done(handle) and lib.trop_flow_stride(handle) > 0
    low.ok(lib.trop_flow_judge(handle))
    low.ok(lib.trop_flow_describe(handle))
    assert low.number(lib.trop_flow_number, handle, b"steps") == 3
    low.ok(lib.trop_flow_value(value, handle, b"steps"))
    assert lib.trop_value_kind(value) == 2 and lib.trop_value_integer(value) == 3
    low.ok(lib.trop_flow_value(value, handle, b"tokens"))
    assert lib.trop_value_rank(value) == 2 and lib.trop_value_shape(value, 0) == 4
    assert lib.trop_value_axis(value, 0) and lib.trop_value_numbers(value)
    low.ok(lib.trop_flow_value(value, handle, b"diameter"))
    assert lib.trop_value_kind(value) == 1 and abs(lib.trop_value_number(value) - 0.25) < 1e-15
    low.ok(lib.trop_flow_value(value, handle, b"labels"))
    assert lib.trop_value_integers(value)
    assert lib.trop_field_at(lib.trop_flow_field_table(), 0)
    low.ok(lib.trop_flow_state_load(handle, words, size))
    assert lib.trop_flow_moves(handle) == 0
    assert lib.trop_flow_state_load(handle, words, size - 1) != 0
    lib.trop_flow_free(handle)
    setup = low.setup(b"flow", n=b"3")
    lib.trop_flow_free(low.made(lib.trop_flow_create, lib.trop_setup_flow(setup)))
    lib.trop_setup_free(setup)


def runs(low, folder):
    lib, value = low.lib, low.value()
    out = str(folder / "run.h5").encode()
    setup = low.setup(b"flow", steps=b"4", record=b"residual,tokens", out=out)
    shape = (c.c_int64 * 2)(4, 2)
    low.ok(lib.trop_setup_array(setup, b"tokens", SQUARE.ctypes.data, 2, shape))
    run = low.made(lib.trop_job_create, setup)
    low.ok(lib.trop_job_step(run, 1, low.progress, None))
    low.ok(lib.trop_job_run(run, low.progress, None))
    assert low.number(lib.trop_flow_number, lib.trop_job_result(run), b"steps") == 4
    assert lib.trop_job_record(value, run, 0) and lib.trop_job_record(value, run, 99) is None
    assert lib.trop_job_notice(run) == b"" and lib.trop_job_out(run) == out
    assert lib.trop_job_resumable(run) in (0, 1) and lib.trop_job_stamp_table()
    told, words = {}, c.c_char_p()
    while name := lib.trop_job_option(c.byref(words), run, len(told)):
        told[name] = (words.value, lib.trop_job_given(run, len(told)))
    assert words.value is None and told[b"steps"] == (b"4", 1) and told[b"n"][0] == b"4"
    assert told[b"rule"] == (b"softmax", 1) and told[b"tolerance"][1] == 0 and b"epsilon" not in told
    low.json(lib.trop_job_json, run)
    low.ok(lib.trop_job_save(run, str(folder / "again.json").encode()))
    low.ok(lib.trop_job_extend(run, b"steps", b"6"))
    low.ok(lib.trop_flow_extend(lib.trop_job_result(run), b"steps", b"7"))
    lib.trop_job_free(run)
    lib.trop_setup_free(setup)
    found = low.made(lib.trop_result_open, out)
    assert lib.trop_result_format(found) == b"tropism flow run" and lib.trop_result_name(found, 0)
    assert lib.trop_result_name(found, 10**6) is None
    low.ok(lib.trop_result_value(value, found, b"result/tokens"))
    assert lib.trop_value_rank(value) == 2 and lib.trop_value_shape(value, 0) == 4
    assert lib.trop_result_text(found, b"/options", b"steps") == b"4"
    assert lib.trop_result_text(found, b"/options", b"nosuch") is None
    told, k = {}, 0
    while name := lib.trop_result_option(c.byref(words), found, k):
        told[name], k = words.value, k + 1
    assert told[b"n"] == b"4" and told[b"rule"] == b"softmax" and b"epsilon" not in told
    assert lib.trop_result_option(c.byref(words), found, 10**6) is None
    lib.trop_result_free(found)

    batch = low.made(lib.trop_job_create_from, b"flow", low.words(b"copies", b"3", b"n", b"4", b"steps", b"2"))
    low.ok(lib.trop_job_run(batch, low.progress, None))
    copies = lib.trop_job_result(batch)
    assert lib.trop_copies_done(copies) == 3 and lib.trop_job_out(batch) is None
    assert lib.trop_job_step(batch, 1, low.progress, None) == 1  # copies take no steps one by one
    low.ok(lib.trop_copies_run(copies, low.progress, None))  # nothing is left to do
    assert lib.trop_copies_alone(copies) == b""
    lib.trop_copies_tokens(copies)
    assert lib.trop_field_at(lib.trop_copies_field_table(), 0)
    low.ok(lib.trop_copies_value(value, copies, lib.trop_field_name(
        lib.trop_field_at(lib.trop_copies_field_table(), 0))))
    low.json(lib.trop_job_json, batch)
    low.ok(lib.trop_job_save(batch, str(folder / "copies.h5").encode()))
    lib.trop_job_free(batch)
    copies = low.made(lib.trop_copies_create_from, low.words(b"copies", b"3", b"n", b"4", b"steps", b"2"))
    low.ok(lib.trop_copies_run(copies, low.progress, None))
    assert low.number(lib.trop_copies_number, copies, b"copies") == 3
    lib.trop_copies_free(copies)


def studies(low, folder):
    lib, value = low.lib, low.value()
    verbs = dict(cells="cells", threshold="threshold", escape="escape", margin="margin")
    verbs |= dict(train="train", path="path")
    for verb, noun in verbs.items():
        setup = low.setup(verb.encode())
        small = dict(escape=("runs", b"5"), train=("steps", b"3"), path=("radius", b"2")).get(verb)
        if small:
            low.ok(lib.trop_setup_set(setup, small[0].encode(), small[1]))
        data = verb in ("margin", "train", "path")
        low.ok(lib.trop_setup_set(setup, *((b"data", b"mm-fig-1a") if data else (b"n", b"5"))))
        study = low.made(lib.trop_job_create, setup)
        low.ok(lib.trop_job_run(study, low.progress, None))
        table = getattr(lib, f"trop_{noun}_field_table")()
        assert lib.trop_job_out(study) is None and lib.trop_job_report(study) is None and lib.trop_job_field_table(study) == table
        low.ok(lib.trop_job_save(study, str(folder / f"{verb}.json").encode()))
        low.json(lib.trop_job_json, study)
        if verb == "cells":
            claims, proof = c.c_int64(0), folder / "cells.proof.json"
            low.ok(lib.trop_job_prove(c.byref(claims), study, str(proof).encode()))
            assert claims.value > 0 and proof.exists() and lib.trop_job_proof(study) is None  # no option asked
        shape = (c.c_int64 * 2)()
        cloud = lib.trop_job_tokens(shape, study)
        assert (cloud is None) == data and (data or list(shape) == [5, 2])
        first = lib.trop_field_name(lib.trop_field_at(table, 0))
        low.ok(getattr(lib, f"trop_{noun}_value")(value, lib.trop_job_result(study), first))
        lib.trop_job_free(study)
        lib.trop_setup_free(setup)


def pages(low, folder):
    lib, page, dots = low.lib, folder / "page.html", folder / "dots.svg"
    low.ok(lib.trop_report_page(str(page).encode(), b"a title", b"<p>a paragraph</p>"))
    assert "<p>a paragraph</p>" in page.read_text()
    places, series = (c.c_double * 2)(1, 2), (c.c_int64 * 2)(0, 1)
    low.ok(lib.trop_plot_dots(str(dots).encode(), low.words(b"", b"x", b"y", b"one", b"two"), places, places, series, 2))
    assert dots.read_text().startswith("<?xml")


def mirror(low):
    """A step from 0 with e = 2: u = -lr g, w = sgn(u) u^2."""
    lib, g = low.lib, np.array([3.0, -4.0], np.float32)
    assert lib.trop_mirror_norm(g.ctypes.data, 2, 2.0, 1) == 5
    w, kept, u, again = (np.zeros(2, np.float32) for _ in range(4))
    law = (c.c_double * 3)(2.0, 0.5, 0.0)
    assert lib.trop_mirror_step(w.ctypes.data, kept.ctypes.data, u.ctypes.data, 0, g.ctypes.data, 2, law, 0, 1) == 0
    assert u.tolist() == [-1.5, 2] and w.tolist() == kept.tolist() == [-2.25, 4]
    lib.trop_mirror_map(again.ctypes.data, u.ctypes.data, 0, 2, 2.0)
    assert again.tolist() == w.tolist()


def sweeps(low, folder):
    lib, value, words = low.lib, low.value(), c.c_char_p()
    asked = b"verb: flow\nn: [3, 4]\nseed: 1..2\nsteps: 2\nkeep: [clusters]\n"
    study = low.made(lib.trop_study_create, asked, b"asked")
    assert lib.trop_study_text(study) == asked and lib.trop_study_verb(study) == b"flow"
    assert lib.trop_study_keep(study, 0) == b"clusters" and lib.trop_study_keep(study, 1) is None
    assert lib.trop_study_fixed(c.byref(words), study, 0) == b"steps" and words.value == b"2"
    assert lib.trop_study_points(study) == 4 and lib.trop_study_axis(study, 1) == 2
    assert lib.trop_study_axis_name(study, 0, 0) == b"n" and lib.trop_study_axis_numeric(study, 0, 0) == 1
    assert lib.trop_study_axis_text(words := c.create_string_buffer(9), 9, study, 0, 0, 1) == 1 and words.value == b"4"
    assert lib.trop_study_place(study, 0, 3) == 1 and lib.trop_study_notice(study) is not None
    assert lib.trop_study_refused(study) == b""
    assert lib.trop_study_seedless(study) == b""
    assert lib.trop_study_failed(study, b"nowhere") == b""
    path, counts = str(folder / "study").encode(), (c.c_double * len(COUNTS))()
    low.ok(lib.trop_study_run_from(counts, study, path, low.words(b"first", b"1"), low.progress, None))
    assert list(counts[:5]) == [3, 3, 0, 0, 0]
    low.ok(lib.trop_study_count_numbers(counts, path))
    assert list(counts[:5]) == [4, 3, 0, 0, 1]
    lib.trop_study_free(low.made(lib.trop_study_read, path))
    for block in (low.made(lib.trop_study_block_create_from, study, low.words(b"first", b"1"), low.progress, None),
                  low.made(lib.trop_study_block_read, study, path, 0, 0)):
        assert lib.trop_study_block_rows(block) == 3 and lib.trop_study_block_point(block, 0) == 1
        assert lib.trop_study_block_state(block, 0) == 0 and lib.trop_study_block_sentence(block, 0) == b""
        low.ok(lib.trop_study_block_value(value, block, 0, 0))
        assert lib.trop_value_integer(value) == 3
        lib.trop_study_block_free(block)
    rows, column, cell = lib.trop_study_table_rows, lib.trop_study_table_column, lib.trop_study_table_cell
    if low.is_there(lib.trop_study_merge(path, low.words(), low.progress, None)):
        table = low.made(lib.trop_study_table_create_from, path, low.words(b"by", b"n", b"mean", b"clusters"))
        assert rows(table) == 2 and column(table, 0) == b"n"
        low.ok(cell(value, table, 1, 0))
        lib.trop_study_table_free(table)
    made = c.c_void_p()
    assert lib.trop_study_table_create_from(c.byref(made), path, low.words(b"nobody", b"n")) == 1
    lib.trop_study_table_free(None)
    for what in ("option", "field", "answer", "script"):
        assert getattr(lib, f"trop_study_{what}_table")()
    setup = low.made(lib.trop_setup_create, b"study")
    assert lib.trop_setup_study(setup) and lib.trop_verb_object(b"study")
    lib.trop_setup_free(setup)
    lib.trop_study_text_free(None)
    lib.trop_study_free(study)


def clouds(low):
    lib = low.lib
    for noun, verb in dict(threshold=b"threshold", cells=b"cells", escape=b"escape").items():
        made = low.made(getattr(lib, f"trop_{noun}_create_from"), low.words(b"n", b"6", b"seed", b"2"))
        setup = low.setup(verb, n=b"6", seed=b"2")
        again = low.made(getattr(lib, f"trop_{noun}_create"), getattr(lib, f"trop_setup_{noun}")(setup))
        tokens = getattr(lib, f"trop_{noun}_tokens")
        assert np.array_equal(low.doubles(tokens(made), 12), low.doubles(tokens(again), 12))
        name = dict(threshold=b"diameter", cells=b"dimension", escape=b"constants.diameter")[noun]
        status = getattr(lib, f"trop_{noun}_number")(c.byref(c.c_double()), made, name)
        assert status == 0 or b"must be" in lib.trop_error() or b"no" in lib.trop_error()
        getattr(lib, f"trop_{noun}_free")(again)
        lib.trop_setup_free(setup)
        if noun == "threshold":
            low.ok(lib.trop_threshold_run(made, low.progress, None))
        elif noun == "escape":
            stop = PROGRESS(lambda context, done, total: 1)
            assert lib.trop_escape_run(made, stop, None) in (0, 6)
        else:
            assert lib.trop_hull_dimension(lib.trop_cells_hull(made)) == 2
        getattr(lib, f"trop_{noun}_free")(made)


def hulls(low):
    lib, value = low.lib, low.value()
    points = np.vstack([SQUARE, [[0.0, 0.0]]])
    hull = low.made(lib.trop_hull_create, points.ctypes.data, 5, 2, 1)
    found, count = c.c_void_p(), c.c_int64()
    assert lib.trop_hull_dimension(hull) == 2
    for function in (lib.trop_hull_vertices, lib.trop_hull_outline):
        assert function(c.byref(found), hull) == 4
        assert list((c.c_int64 * 4).from_address(found.value)) == [0, 1, 2, 3]
    low.ok(lib.trop_hull_candidates(c.byref(found), c.byref(count), hull))
    assert count.value == 4
    low.ok(lib.trop_hull_edges(c.byref(found), c.byref(count), hull))
    assert list((c.c_int64 * 8).from_address(found.value)) == [0, 1, 0, 3, 1, 2, 2, 3]
    measures = (c.c_double * 4)()
    low.ok(lib.trop_hull_measure(measures, hull))
    assert np.allclose(measures, [8**0.5, 2, 2, 4], rtol=1e-15)  # diameter, width twice, area
    vertex, direction = c.c_int64(), np.array([1.0, 2.0])
    assert lib.trop_hull_support(c.byref(vertex), hull, direction.ctypes.data) == 3
    assert vertex.value == 0
    place = c.create_string_buffer(lib.trop_hull_position_size())
    query = np.array([3.0, 0.0])
    low.ok(lib.trop_hull_place(place, None, None, None, hull, query.ctypes.data))
    low.ok(lib.trop_field_value(value, lib.trop_hull_position_table(), place, b"distance"))
    assert lib.trop_value_number(value) == 2
    low.ok(lib.trop_hull_value(value, hull, b"volume"))
    assert lib.trop_value_number(value) == 4 and lib.trop_hull_field_table()
    assert low.number(lib.trop_hull_number, hull, b"volume") == 4
    lib.trop_hull_free(hull)


def saved(low, train, again):
    """A state is gone on from by another run, which says what it cannot take."""
    lib = low.lib
    low.ok(lib.trop_train_step(again, 2, low.progress, None))
    assert lib.trop_train_steps(again) == 2
    size = lib.trop_train_state_size(again)
    words = (c.c_int64 * size)()
    lib.trop_train_state_save(words, again)
    low.ok(lib.trop_train_state_load(train, words, size))
    assert lib.trop_train_steps(train) == 2
    assert lib.trop_train_state_load(train, words, size - 1) == 1
    assert b"state: its words are damaged" in lib.trop_error()
    low.ok(lib.trop_train_run(train, low.progress, None))


def fits(low):
    """margin, train and path by their own nouns. Data is the first member of their options, which
    is all that is known of them here."""
    lib, value = low.lib, low.value()
    data = low.made(lib.trop_dataset_create, b"mm-fig-1a", 0, 0, 0, 2**64 - 1)
    assert lib.trop_margin_auto(lib.trop_dataset_data(data)) == 1  # prompt
    assert lib.trop_train_auto(lib.trop_dataset_data(data)) == 1
    for noun in ("margin", "train", "path"):
        setup = low.setup(noun.encode())
        short = dict(margin=[], train=[b"steps", b"3"], path=[b"radius", b"2"])[noun]
        if short:
            low.ok(lib.trop_setup_set(setup, *short))
        options = getattr(lib, f"trop_setup_{noun}")(setup)
        c.c_void_p.from_address(options).value = lib.trop_dataset_data(data)
        made = low.made(getattr(lib, f"trop_{noun}_create"), options)
        low.ok(getattr(lib, f"trop_{noun}_run")(made, low.progress, None))
        if noun == "margin":
            assert lib.trop_margin_problem(made) and lib.trop_margin_weights(made)
            assert low.number(lib.trop_margin_number, made, b"gap") < 1e-8
        if noun == "train":
            assert lib.trop_train_steps(made) == 3
            assert low.number(lib.trop_train_number, made, b"steps") == 3
            tensor, log, shape = c.c_void_p(), c.c_double(), (c.c_int64 * 2)()
            assert lib.trop_train_tensor(c.byref(tensor), c.byref(log), shape, made, 0) == b"p"
            assert lib.trop_train_tensor(c.byref(tensor), c.byref(log), shape, made, 1) is None
        again = low.made(
            getattr(lib, f"trop_{noun}_create_from"), lib.trop_dataset_data(data), low.words(*short)
        )
        if noun == "train":
            saved(low, made, again)
        low.ok(getattr(lib, f"trop_{noun}_run")(again, low.progress, None))
        name = dict(margin=b"norm", train=b"loss", path=b"solution.norm")[noun]
        number = getattr(lib, f"trop_{noun}_number")
        assert low.number(number, made, name) == low.number(number, again, name)
        getattr(lib, f"trop_{noun}_free")(again)
        getattr(lib, f"trop_{noun}_free")(made)
        low.ok(lib.trop_setup_data(setup, data))
        lib.trop_setup_free(setup)
    low.ok(lib.trop_dataset_value(value, data, b"X"))
    assert lib.trop_value_rank(value) == 3 and lib.trop_dataset_field_table()
    lib.trop_dataset_free(data)


def datasets(low, folder):
    lib = low.lib
    x, y = np.arange(12.0), np.array([1.0, -1.0])
    made = low.made(
        lib.trop_dataset_create_arrays,
        low.words(b"X", b"y"),
        (c.c_void_p * 2)(x.ctypes.data, y.ctypes.data),
        (c.c_int64 * 2)(3, 1),
        (c.c_int64 * 8)(2, 3, 2, 0, 2, 0, 0, 0),
    )
    low.ok(lib.trop_dataset_write(made, str(folder / "data.json").encode()))
    lib.trop_dataset_free(made)
    assert "X" in names(lib.trop_dataset_keys())
    sets = names(lib.trop_dataset_names())
    assert all(lib.trop_dataset_meaning(name.encode()) for name in sets)
    assert lib.trop_dataset_meaning(b"no such set") is None


def corpora(low, folder):
    lib = low.lib
    assert lib.trop_corpus_option_table() and lib.trop_corpus_takes(b"mr") == 1
    (folder / "two.tsv").write_text("neg\tbad film\npos\tGood film\n")
    for create, end in (
        (lib.trop_corpus_create, None),
        (lib.trop_corpus_create_from, low.words(b"vocabulary", b"0")),
    ):
        made = low.made(create, str(folder / "two.tsv").encode(), end)
        assert lib.trop_corpus_class(made, 1) == b"pos" and lib.trop_corpus_class(made, 2) is None
        assert lib.trop_corpus_name(made).endswith(b"two.tsv")
        lib.trop_corpus_free(made)
    texts, labels, splits = low.words(b"bad film", b"Good film"), (c.c_int64 * 2)(3, 4), (c.c_int64 * 2)()
    lib.trop_corpus_free(low.made(lib.trop_corpus_create_texts, texts, labels, None, 2, None))
    made = low.made(lib.trop_corpus_create_texts_from, texts, labels, splits, 2, low.words())
    assert lib.trop_corpus_sequences(made) and lib.trop_corpus_text(made, 1) == b"Good film"
    ids, words, count = c.c_void_p(), c.POINTER(c.c_char_p)(), c.c_int64()
    low.ok(lib.trop_corpus_encode(c.byref(ids), c.byref(words), c.byref(count), made, b"Zzz film"))
    assert words[: count.value] == [b"Zzz", b"film"]
    low.ok(lib.trop_corpus_words(c.byref(words), c.byref(count), made, 0))
    assert words[: count.value] == [b"bad", b"film"]
    assert lib.trop_corpus_ids(c.byref(count), made) and count.value == 4
    lib.trop_corpus_free(made)
    arrays = [np.array(a, dtype=float) for a in ([0, 1, 1], [0, 1, 3], [5, 7])]
    made = low.made(
        lib.trop_corpus_create_arrays_from,
        low.words(b"ids", b"offsets", b"labels"),
        (c.c_void_p * 3)(*(a.ctypes.data for a in arrays)),
        (c.c_int64 * 3)(1, 1, 1),
        (c.c_int64 * 12)(3, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0),
        low.words(),
    )
    assert lib.trop_corpus_class(made, 1) == b"7"
    lib.trop_corpus_free(made)
    value, named = low.value(), low.words(b"bad", b"good")
    made = low.made(lib.trop_corpus_create_labelled_from, texts, named, None, 2, low.words())
    assert lib.trop_corpus_field_table() and lib.trop_corpus_class(made, 1) == b"good"
    low.ok(lib.trop_corpus_value(value, made, b"items"))
    assert lib.trop_value_integer(value) == 2
    sequences(low, made)
    lib.trop_corpus_free(made)


def sequences(low, corpus):
    """Fits by themselves, and as jobs that read further items."""
    lib, value, number = low.lib, low.value(), c.c_double()
    assert lib.trop_fit_option_table() and lib.trop_fit_field_table() and lib.trop_reading_field_table()
    items = lib.trop_corpus_sequences(corpus)
    words = low.words(b"epochs", b"2", b"embed", b"3", b"validation", b"0", b"test", b"0")
    made = low.made(lib.trop_fit_create_from, items, words)
    low.ok(lib.trop_fit_run(made, low.progress, None))
    low.ok(lib.trop_fit_value(value, made, b"epochs"))
    low.ok(lib.trop_fit_number(c.byref(number), made, b"epochs"))
    assert number.value == lib.trop_value_integer(value) == 2
    values, shape, scores = c.c_void_p(), (c.c_int64 * 2)(), (c.c_double * 2)()
    assert lib.trop_fit_tensor(c.byref(values), shape, made, 0) == b"E" and shape[1] == 3
    low.ok(lib.trop_fit_predict(scores, None, made, items))
    lib.trop_fit_free(made)
    setup = low.setup(b"inspect")
    low.ok(lib.trop_setup_texts(setup, b"text", low.words(b"a film", b"a bore"), 2))
    setup = low.setup(b"train", epochs=b"2", embed=b"3", validation=b"0", test=b"0")
    assert lib.trop_setup_fit(setup) and lib.trop_setup_corpus(setup)
    out = c.c_void_p()  # options that have no items
    assert STATUS[lib.trop_fit_create(c.byref(out), lib.trop_setup_fit(setup))] == "arg"
    low.ok(lib.trop_setup_sequences(setup, corpus))
    job = low.made(lib.trop_job_create, setup)
    low.ok(lib.trop_job_run(job, low.progress, None))
    for create, arguments in (
        (lib.trop_reading_create, (corpus,)),
        (lib.trop_reading_create_texts, (low.words(b"bad film", b"Good film"), 2)),
    ):
        made = low.made(create, job, *arguments)
        low.ok(lib.trop_reading_value(value, made, b"scores"))
        found = c.cast(lib.trop_value_numbers(value), c.POINTER(c.c_double))
        assert found[:2] == scores[:]
        lib.trop_reading_free(made)
    lib.trop_job_free(job)
    lib.trop_setup_free(setup)


def claims(low, folder):
    lib, value = low.lib, low.value()
    made = low.made(lib.trop_job_create_from, b"claims", low.words(b"claim", b"fw-thm-3.1"))
    low.ok(lib.trop_job_value(value, made, b"claims"))
    assert lib.trop_value_kind(value) == 7 and lib.trop_claims_field_table()
    low.json(lib.trop_job_json, made)
    lib.trop_job_free(made)
    for noun, verb, options in (
        ("check", b"check", dict(claim=b"lm-thm-t5", trials=b"1", counterexample=b"none")),
        ("reproduction", b"reproduce", dict(claim=b"mm-fig-1a", quick=b"1", out=str(folder).encode())),
    ):
        setup = low.setup(verb, **options)
        made = low.made(lib.trop_job_create, setup)
        low.ok(lib.trop_job_run(made, low.progress, None))
        low.ok(lib.trop_job_value(value, made, b"verdict"))
        assert lib.trop_job_field_table(made) == getattr(lib, f"trop_{noun}_field_table")()
        low.json(lib.trop_job_json, made)
        lib.trop_job_free(made)
        lib.trop_setup_free(setup)
    assert lib.trop_reproduction_all_table()
    words = [b"file", str(folder / "run.h5").encode(), b"out", str(folder / "run.svg").encode()]
    made = low.made(lib.trop_job_create_from, b"plot", low.words(*words))
    assert lib.trop_job_field_table(made) == lib.trop_plot_field_table()
    low.ok(lib.trop_job_value(value, made, b"kind"))
    assert lib.trop_value_text(value, 0) == b"paths" and (folder / "run.svg").exists()
    lib.trop_job_free(made)


def build(low):
    lib = low.lib
    assert "softmax" in names(lib.trop_rule_names())
    assert lib.trop_integrator_names()[0] and lib.trop_kernel_names()[0] == b"auto" and lib.trop_device_names()[0] == b"cpu"
    assert lib.trop_kernel_in_use() and lib.trop_lapack_core() and lib.trop_parallel_cores() >= 1


def test_every_function_works_when_it_is_called(tmp_path):
    low = Low()
    tables(low)
    setups(low, tmp_path)
    values(low)
    flow(low)
    runs(low, tmp_path)
    studies(low, tmp_path)
    sweeps(low, tmp_path)
    pages(low, tmp_path)
    mirror(low)
    clouds(low)
    hulls(low)
    fits(low)
    datasets(low, tmp_path)
    corpora(low, tmp_path)
    claims(low, tmp_path)
    build(low)
    for noun in "flow hull cells escape threshold margin train path job dataset corpus copies fit reading".split():
        getattr(low.lib, f"trop_{noun}_free")(None)
    assert low.lib.called == set(PROTOTYPES)
