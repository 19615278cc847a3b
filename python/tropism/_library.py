"""The C library: where it is, what its functions take, and how its failures become errors.

Only numbers, texts and arrays cross the border. A handle and every pointer to a C struct is a
plain address here: no struct is mirrored, so a new member of one changes nothing.
"""

import ctypes as c
import importlib.util
import operator
import os
import pathlib
import threading


class Error(ValueError):
    """What the library refused, or could not do, in its own sentence. Also a ValueError.

    `status` says which kind: "arg" (a wrong option), "memory", "io" (a file, or the contents of an
    array), "unsupported", "numeric" or "stopped".
    """

    def __init__(self, sentence, status="arg"):
        super().__init__(sentence)
        self.status = status

    def __reduce__(self):
        return Error, (self.args[0], self.status)


class Stopped(UserWarning):
    """A computation ended before its end, by its time limit or because a solver came to none; what
    there is was returned."""


class ConvergenceWarning(UserWarning):
    """A flow that was asked to converge came to its last step first."""


STATUS = ("ok", "arg", "memory", "io", "unsupported", "numeric", "stopped")
OK, STOPPED = 0, 6

NONE, INT, REAL, TEXT = None, c.c_int64, c.c_double, c.c_char_p
CODE = c.c_int  # enum trop_status, and truths
HANDLE = c.c_void_p  # a handle, a table, an entry, an option struct: an address
OUT = c.POINTER(c.c_void_p)  # where an address is written
WORDS, NUMBERS = c.POINTER(c.c_int64), c.POINTER(c.c_double)
BUFFER = c.c_char_p  # memory of ours that a text is written to
PROGRESS = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_int64, c.c_int64)


def _noun(name, table="field_table", value=True):
    """What nouns have in common: trop_NAME_free, their fields, their values."""
    functions = {f"trop_{name}_free": (NONE, [HANDLE]), f"trop_{name}_{table}": (HANDLE, [])}
    if value:
        functions[f"trop_{name}_value"] = (CODE, [HANDLE, HANDLE, TEXT])
    return functions


PROTOTYPES = {
    # tropism.h: status, options, results
    "trop_error": (TEXT, []),
    "trop_version": (TEXT, []),
    "trop_option_find": (HANDLE, [HANDLE, TEXT]),
    "trop_option_nearest": (TEXT, [HANDLE, TEXT]),
    "trop_option_set": (CODE, [HANDLE, HANDLE, TEXT, TEXT]),
    "trop_option_check": (CODE, [HANDLE, HANDLE]),
    "trop_option_text": (INT, [BUFFER, INT, HANDLE, HANDLE]),
    "trop_option_range": (INT, [BUFFER, INT, HANDLE]),
    "trop_option_when": (INT, [BUFFER, INT, HANDLE]),
    "trop_option_at": (HANDLE, [HANDLE, INT]),
    "trop_option_name": (TEXT, [HANDLE]),
    "trop_option_type": (INT, [HANDLE]),
    "trop_option_meaning": (TEXT, [HANDLE]),
    "trop_option_choice": (TEXT, [HANDLE, INT]),
    "trop_schedule_at": (REAL, [HANDLE, REAL]),
    "trop_field_value": (CODE, [HANDLE, HANDLE, HANDLE, TEXT]),
    "trop_field_as_number": (CODE, [NUMBERS, HANDLE, HANDLE, TEXT]),
    "trop_field_cell": (CODE, [HANDLE, HANDLE, HANDLE, TEXT, TEXT, INT]),
    "trop_field_at": (HANDLE, [HANDLE, INT]),
    "trop_field_name": (TEXT, [HANDLE]),
    "trop_field_meaning": (TEXT, [HANDLE]),
    "trop_field_columns": (HANDLE, [HANDLE]),
    "trop_field_read": (CODE, [HANDLE, HANDLE, HANDLE, INT]),
    "trop_value_size": (INT, []),
    "trop_value_kind": (INT, [HANDLE]),
    "trop_value_number": (REAL, [HANDLE]),
    "trop_value_integer": (INT, [HANDLE]),
    "trop_value_text": (TEXT, [HANDLE, INT]),
    "trop_value_numbers": (HANDLE, [HANDLE]),
    "trop_value_integers": (HANDLE, [HANDLE]),
    "trop_value_rank": (INT, [HANDLE]),
    "trop_value_shape": (INT, [HANDLE, INT]),
    "trop_value_axis": (TEXT, [HANDLE, INT]),
    # flow
    **_noun("flow"),
    "trop_flow_option_table": (HANDLE, []),
    "trop_flow_create": (CODE, [OUT, HANDLE]),
    "trop_flow_create_from": (CODE, [OUT, c.POINTER(TEXT)]),
    "trop_flow_step": (CODE, [HANDLE, INT]),
    "trop_flow_run": (CODE, [HANDLE, PROGRESS, HANDLE]),
    "trop_flow_done": (CODE, [HANDLE]),
    "trop_flow_extend": (CODE, [HANDLE, TEXT, TEXT]),
    "trop_flow_moves": (INT, [HANDLE]),
    "trop_flow_stride": (INT, [HANDLE]),
    "trop_flow_listen": (NONE, [HANDLE, PROGRESS, HANDLE]),
    "trop_flow_look": (CODE, [HANDLE]),
    "trop_flow_judge": (CODE, [HANDLE]),
    "trop_flow_describe": (CODE, [HANDLE]),
    "trop_flow_tokens": (HANDLE, [HANDLE]),
    "trop_flow_weights": (CODE, [NUMBERS, HANDLE, INT]),
    "trop_flow_number": (CODE, [NUMBERS, HANDLE, TEXT]),
    "trop_flow_watch_table": (HANDLE, []),
    "trop_flow_watch": (CODE, [HANDLE, TEXT]),
    "trop_flow_state_size": (INT, [HANDLE]),
    "trop_flow_state_save": (NONE, [WORDS, HANDLE]),
    "trop_flow_state_load": (CODE, [HANDLE, WORDS, INT]),
    # copies
    **_noun("copies"),
    "trop_copies_option_table": (HANDLE, []),
    "trop_copies_create_from": (CODE, [OUT, c.POINTER(TEXT)]),
    "trop_copies_alone": (TEXT, [HANDLE]),
    "trop_copies_run": (CODE, [HANDLE, PROGRESS, HANDLE]),
    "trop_copies_done": (INT, [HANDLE]),
    "trop_copies_tokens": (HANDLE, [HANDLE]),
    "trop_copies_number": (CODE, [NUMBERS, HANDLE, TEXT]),
    # threshold
    **_noun("threshold"),
    "trop_threshold_option_table": (HANDLE, []),
    "trop_threshold_create": (CODE, [OUT, HANDLE]),
    "trop_threshold_create_from": (CODE, [OUT, c.POINTER(TEXT)]),
    "trop_threshold_run": (CODE, [HANDLE, PROGRESS, HANDLE]),
    "trop_threshold_tokens": (HANDLE, [HANDLE]),
    "trop_threshold_number": (CODE, [NUMBERS, HANDLE, TEXT]),
    # hull
    **_noun("hull"),
    "trop_hull_create": (CODE, [OUT, HANDLE, INT, INT, INT]),
    "trop_hull_dimension": (INT, [HANDLE]),
    "trop_hull_vertices": (INT, [OUT, HANDLE]),
    "trop_hull_outline": (INT, [OUT, HANDLE]),
    "trop_hull_candidates": (CODE, [OUT, WORDS, HANDLE]),
    "trop_hull_edges": (CODE, [OUT, WORDS, HANDLE]),
    "trop_hull_measure": (CODE, [HANDLE, HANDLE]),
    "trop_hull_support": (REAL, [WORDS, HANDLE, HANDLE]),
    "trop_hull_place": (CODE, [HANDLE, HANDLE, HANDLE, HANDLE, HANDLE, HANDLE]),
    "trop_hull_number": (CODE, [NUMBERS, HANDLE, TEXT]),
    "trop_hull_position_table": (HANDLE, []),
    "trop_hull_position_size": (INT, []),
    # cells
    **_noun("cells"),
    "trop_cells_option_table": (HANDLE, []),
    "trop_cells_create": (CODE, [OUT, HANDLE]),
    "trop_cells_create_from": (CODE, [OUT, c.POINTER(TEXT)]),
    "trop_cells_hull": (HANDLE, [HANDLE]),
    "trop_cells_tokens": (HANDLE, [HANDLE]),
    "trop_cells_number": (CODE, [NUMBERS, HANDLE, TEXT]),
    # escape
    **_noun("escape"),
    "trop_escape_option_table": (HANDLE, []),
    "trop_escape_create": (CODE, [OUT, HANDLE]),
    "trop_escape_create_from": (CODE, [OUT, c.POINTER(TEXT)]),
    "trop_escape_run": (CODE, [HANDLE, PROGRESS, HANDLE]),
    "trop_escape_tokens": (HANDLE, [HANDLE]),
    "trop_escape_number": (CODE, [NUMBERS, HANDLE, TEXT]),
    # what this build has
    "trop_rule_names": (c.POINTER(TEXT), []),
    "trop_integrator_names": (c.POINTER(TEXT), []),
    "trop_kernel_names": (c.POINTER(TEXT), []),
    "trop_device_names": (c.POINTER(TEXT), []),
    "trop_kernel_in_use": (TEXT, []),
    "trop_lapack_core": (TEXT, []),
    "trop_parallel_cores": (INT, []),
    # mirror descent on weights of others
    "trop_mirror_norm": (REAL, [HANDLE, INT, REAL, INT]),
    "trop_mirror_step": (
        INT,
        [HANDLE, HANDLE, HANDLE, INT, HANDLE, INT, NUMBERS, INT, INT],
    ),
    "trop_mirror_map": (NONE, [HANDLE, HANDLE, INT, INT, REAL]),
    # margin
    **_noun("margin"),
    "trop_margin_auto": (INT, [HANDLE]),
    "trop_margin_option_table": (HANDLE, []),
    "trop_margin_create": (CODE, [OUT, HANDLE]),
    "trop_margin_create_from": (CODE, [OUT, HANDLE, c.POINTER(TEXT)]),
    "trop_margin_run": (CODE, [HANDLE, PROGRESS, HANDLE]),
    "trop_margin_problem": (HANDLE, [HANDLE]),
    "trop_margin_weights": (HANDLE, [HANDLE]),
    "trop_margin_number": (CODE, [NUMBERS, HANDLE, TEXT]),
    # train
    **_noun("train"),
    "trop_train_auto": (INT, [HANDLE]),
    "trop_train_option_table": (HANDLE, []),
    "trop_train_create": (CODE, [OUT, HANDLE]),
    "trop_train_create_from": (CODE, [OUT, HANDLE, c.POINTER(TEXT)]),
    "trop_train_run": (CODE, [HANDLE, PROGRESS, HANDLE]),
    "trop_train_step": (CODE, [HANDLE, INT, PROGRESS, HANDLE]),
    "trop_train_steps": (INT, [HANDLE]),
    "trop_train_tensor": (TEXT, [OUT, NUMBERS, WORDS, HANDLE, INT]),
    "trop_train_number": (CODE, [NUMBERS, HANDLE, TEXT]),
    "trop_train_state_size": (INT, [HANDLE]),
    "trop_train_state_save": (NONE, [WORDS, HANDLE]),
    "trop_train_state_load": (CODE, [HANDLE, WORDS, INT]),
    # real sequences
    **_noun("fit"),
    "trop_fit_option_table": (HANDLE, []),
    "trop_fit_create": (CODE, [OUT, HANDLE]),
    "trop_fit_create_from": (CODE, [OUT, HANDLE, c.POINTER(TEXT)]),
    "trop_fit_run": (CODE, [HANDLE, PROGRESS, HANDLE]),
    "trop_fit_number": (CODE, [NUMBERS, HANDLE, TEXT]),
    "trop_fit_tensor": (TEXT, [OUT, WORDS, HANDLE, INT]),
    "trop_fit_predict": (CODE, [NUMBERS, NUMBERS, HANDLE, HANDLE]),
    # path
    **_noun("path"),
    "trop_path_option_table": (HANDLE, []),
    "trop_path_create": (CODE, [OUT, HANDLE]),
    "trop_path_create_from": (CODE, [OUT, HANDLE, c.POINTER(TEXT)]),
    "trop_path_run": (CODE, [HANDLE, PROGRESS, HANDLE]),
    "trop_path_number": (CODE, [NUMBERS, HANDLE, TEXT]),
    # tropism_lab.h: setup
    "trop_job_option_table": (HANDLE, [TEXT]),
    "trop_verb_name": (TEXT, [INT]),
    "trop_verb_meaning": (TEXT, [TEXT]),
    "trop_verb_subject": (TEXT, [TEXT]),
    "trop_verb_object": (TEXT, [TEXT]),
    "trop_verb_field_table": (HANDLE, [TEXT]),
    "trop_setup_create": (CODE, [OUT, TEXT]),
    "trop_setup_free": (NONE, [HANDLE]),
    "trop_setup_table": (HANDLE, [TEXT, INT]),
    "trop_setup_set": (CODE, [HANDLE, TEXT, TEXT]),
    "trop_setup_read": (CODE, [HANDLE, TEXT]),
    "trop_setup_array": (CODE, [HANDLE, TEXT, HANDLE, INT, WORDS]),
    "trop_setup_data": (CODE, [HANDLE, HANDLE]),
    "trop_setup_sequences": (CODE, [HANDLE, HANDLE]),
    "trop_setup_texts": (CODE, [HANDLE, TEXT, c.POINTER(TEXT), c.c_int64]),
    "trop_setup_schedule": (HANDLE, [HANDLE, TEXT]),
    "trop_setup_text": (INT, [BUFFER, INT, HANDLE, TEXT]),
    **{
        f"trop_setup_{kind}": (HANDLE, [HANDLE])
        for kind in (
            "flow cells threshold escape margin train fit corpus path inspect job plot claims "
            "check reproduction study"
        ).split()
    },
    # job
    "trop_job_create": (CODE, [OUT, HANDLE]),
    "trop_job_create_from": (CODE, [OUT, TEXT, c.POINTER(TEXT)]),
    "trop_job_free": (NONE, [HANDLE]),
    "trop_job_run": (CODE, [HANDLE, PROGRESS, HANDLE]),
    "trop_job_step": (CODE, [HANDLE, INT, PROGRESS, HANDLE]),
    "trop_job_extend": (CODE, [HANDLE, TEXT, TEXT]),
    "trop_job_save": (CODE, [HANDLE, TEXT]),
    "trop_job_field_table": (HANDLE, [HANDLE]),
    "trop_job_result": (HANDLE, [HANDLE]),
    "trop_job_value": (CODE, [HANDLE, HANDLE, TEXT]),
    "trop_job_number": (CODE, [NUMBERS, HANDLE, TEXT]),
    "trop_job_cell": (CODE, [HANDLE, HANDLE, TEXT, TEXT, INT]),
    "trop_job_option": (TEXT, [c.POINTER(TEXT), HANDLE, INT]),
    "trop_job_given": (CODE, [HANDLE, INT]),
    "trop_job_stamp_table": (HANDLE, []),
    "trop_job_json": (CODE, [c.POINTER(TEXT), HANDLE]),
    "trop_job_prove": (CODE, [WORDS, HANDLE, TEXT]),
    "trop_job_tokens": (HANDLE, [WORDS, HANDLE]),
    "trop_job_record": (TEXT, [HANDLE, HANDLE, INT]),
    "trop_job_notice": (TEXT, [HANDLE]),
    "trop_job_resumable": (CODE, [HANDLE]),
    "trop_job_out": (TEXT, [HANDLE]),
    "trop_job_report": (TEXT, [HANDLE]),
    "trop_job_proof": (TEXT, [HANDLE]),
    # result
    "trop_result_open": (CODE, [OUT, TEXT]),
    "trop_result_free": (NONE, [HANDLE]),
    "trop_result_format": (TEXT, [HANDLE]),
    "trop_result_name": (TEXT, [HANDLE, INT]),
    "trop_result_value": (CODE, [HANDLE, HANDLE, TEXT]),
    "trop_result_option": (TEXT, [c.POINTER(TEXT), HANDLE, INT]),
    "trop_result_text": (TEXT, [HANDLE, TEXT, TEXT]),
    # what verbs of the lab tell, dataset
    **{
        f"trop_{noun}_table": (HANDLE, [])
        for noun in (
            "inspect_field doctor_field plot_field claims_field check_field reproduction_field "
            "reproduction_all inspect_option plot_option claims_option check_option "
            "reproduction_option"
        ).split()
    },
    **_noun("dataset"),
    "trop_dataset_create": (CODE, [OUT, TEXT, INT, INT, INT, c.c_uint64]),
    "trop_dataset_create_arrays": (
        CODE,
        [OUT, c.POINTER(TEXT), c.POINTER(HANDLE), WORDS, WORDS],
    ),
    "trop_dataset_keys": (c.POINTER(TEXT), []),
    "trop_dataset_data": (HANDLE, [HANDLE]),
    "trop_dataset_names": (c.POINTER(TEXT), []),
    "trop_dataset_meaning": (TEXT, [TEXT]),
    "trop_dataset_write": (CODE, [HANDLE, TEXT]),
    # study
    "trop_study_create": (CODE, [OUT, TEXT, TEXT]),
    "trop_study_read": (CODE, [OUT, TEXT]),
    "trop_study_free": (NONE, [HANDLE]),
    "trop_study_text": (TEXT, [HANDLE]),
    "trop_study_verb": (TEXT, [HANDLE]),
    "trop_study_keep": (TEXT, [HANDLE, INT]),
    "trop_study_fixed": (TEXT, [c.POINTER(TEXT), HANDLE, INT]),
    "trop_study_points": (INT, [HANDLE]),
    "trop_study_axis": (INT, [HANDLE, INT]),
    "trop_study_axis_name": (TEXT, [HANDLE, INT, INT]),
    "trop_study_axis_numeric": (CODE, [HANDLE, INT, INT]),
    "trop_study_axis_text": (INT, [BUFFER, INT, HANDLE, INT, INT, INT]),
    "trop_study_place": (INT, [HANDLE, INT, INT]),
    "trop_study_run_from": (CODE, [NUMBERS, HANDLE, TEXT, c.POINTER(TEXT), PROGRESS, HANDLE]),
    "trop_study_notice": (TEXT, [HANDLE]),
    "trop_study_refused": (TEXT, [HANDLE]),
    "trop_study_seedless": (TEXT, [HANDLE]),
    "trop_study_failed": (TEXT, [HANDLE, TEXT]),
    "trop_study_count_numbers": (CODE, [NUMBERS, TEXT]),
    "trop_study_block_create_from": (CODE, [OUT, HANDLE, c.POINTER(TEXT), PROGRESS, HANDLE]),
    "trop_study_block_read": (CODE, [OUT, HANDLE, TEXT, INT, INT]),
    "trop_study_block_free": (NONE, [HANDLE]),
    "trop_study_block_rows": (INT, [HANDLE]),
    "trop_study_block_point": (INT, [HANDLE, INT]),
    "trop_study_block_state": (INT, [HANDLE, INT]),
    "trop_study_block_sentence": (TEXT, [HANDLE, INT]),
    "trop_study_block_value": (CODE, [HANDLE, HANDLE, INT, INT]),
    "trop_study_merge": (CODE, [TEXT, c.POINTER(TEXT), PROGRESS, HANDLE]),
    "trop_study_table_create_from": (CODE, [OUT, TEXT, c.POINTER(TEXT)]),
    "trop_study_table_free": (NONE, [HANDLE]),
    "trop_study_table_rows": (INT, [HANDLE]),
    "trop_study_table_column": (TEXT, [HANDLE, INT]),
    "trop_study_table_cell": (CODE, [HANDLE, HANDLE, INT, INT]),
    **{f"trop_study_{what}_table": (HANDLE, []) for what in ("option", "field", "answer", "script")},
    "trop_study_text_free": (NONE, [TEXT]),
    # pages and pictures of what a program has itself
    "trop_report_page": (CODE, [TEXT, TEXT, TEXT]),
    "trop_plot_dots": (CODE, [TEXT, c.POINTER(TEXT), NUMBERS, NUMBERS, WORDS, INT]),
    # corpus, reading
    **_noun("corpus"),
    "trop_corpus_option_table": (HANDLE, []),
    "trop_corpus_takes": (CODE, [TEXT]),
    "trop_corpus_create": (CODE, [OUT, TEXT, HANDLE]),
    "trop_corpus_create_from": (CODE, [OUT, TEXT, c.POINTER(TEXT)]),
    "trop_corpus_create_texts": (CODE, [OUT, c.POINTER(TEXT), WORDS, WORDS, INT, HANDLE]),
    "trop_corpus_create_texts_from": (
        CODE,
        [OUT, c.POINTER(TEXT), WORDS, WORDS, INT, c.POINTER(TEXT)],
    ),
    "trop_corpus_create_labelled_from": (
        CODE,
        [OUT, c.POINTER(TEXT), c.POINTER(TEXT), WORDS, INT, c.POINTER(TEXT)],
    ),
    "trop_corpus_create_arrays_from": (
        CODE,
        [OUT, c.POINTER(TEXT), c.POINTER(HANDLE), WORDS, WORDS, c.POINTER(TEXT)],
    ),
    "trop_corpus_sequences": (HANDLE, [HANDLE]),
    "trop_corpus_name": (TEXT, [HANDLE]),
    "trop_corpus_class": (TEXT, [HANDLE, INT]),
    "trop_corpus_text": (TEXT, [HANDLE, INT]),
    "trop_corpus_ids": (HANDLE, [WORDS, HANDLE]),
    "trop_corpus_encode": (CODE, [OUT, c.POINTER(c.POINTER(TEXT)), WORDS, HANDLE, TEXT]),
    "trop_corpus_words": (CODE, [c.POINTER(c.POINTER(TEXT)), WORDS, HANDLE, INT]),
    **_noun("reading"),
    "trop_reading_create_texts": (CODE, [OUT, HANDLE, c.POINTER(TEXT), INT]),
    "trop_reading_create": (CODE, [OUT, HANDLE, HANDLE]),
}

# Functions that return a struct, or take one that no function makes, and what is used instead.
STRUCTS = {
    **{
        f"trop_{noun}_options_default": "trop_setup_create"
        for noun in (
            "cloud flow copies threshold cells escape margin train fit corpus path inspect job plot "
            "claims check reproduction"
        ).split()
    },
    "trop_copies_create": "trop_job_create",
    "trop_study_run": "trop_study_run_from",
    "trop_study_run_options_default": "trop_study_run_from",
    "trop_study_count": "trop_study_count_numbers",
    "trop_study_block_create": "trop_study_block_create_from",
    "trop_study_table_create": "trop_study_table_create_from",
    "trop_study_table_options_default": "trop_study_table_create_from",
    "trop_study_options_default": "trop_study_option_table",
    "trop_study_slurm": "trop_study_option_table",
}


def _load():
    """The file beside this one, or the one that TROPISM_LIBRARY names. After pip install -e the
    package is where its sources are, and the library where packages are installed."""
    path = os.environ.get("TROPISM_LIBRARY") or pathlib.Path(__file__).with_name("_tropism.so")
    if not os.path.exists(path) and not os.environ.get("TROPISM_LIBRARY"):
        found = importlib.util.find_spec(f"{__package__}._tropism")
        path = found.origin if found and found.origin else path
    try:
        loaded = c.CDLL(str(path))
    except OSError as error:
        raise ImportError(f"tropism: its library cannot be loaded ({error}); pip install . builds it")
    for name, (result, arguments) in PROTOTYPES.items():
        function = getattr(loaded, name)
        function.restype, function.argtypes = result, arguments
    return loaded


library = _load()


def text(value):
    """A C text as str; None for NULL."""
    return None if value is None else value.decode(errors="backslashreplace")


def as_text(value, name):
    """A text or path of Python's for the library: bytes that end where the text does."""
    if hasattr(value, "__fspath__"):
        value = os.fspath(value)
    if not isinstance(value, (str, bytes)):
        raise Error(f"{name}: {type(value).__name__}: must be a text")
    try:
        words = os.fsencode(value)
    except UnicodeEncodeError:
        raise Error(f"{name} = {value!r}: is not text that can be encoded") from None
    if b"\0" in words:
        raise Error(f"{name}: a text must not hold the character 0")
    return words


def as_whole(value, name, least=-(2**63), most=2**63 - 1):
    """A whole number that the library's integers can hold: ctypes would take any modulo 2^64."""
    try:
        number = operator.index(value)
    except TypeError:
        raise Error(f"{name} = {value!r}: not a whole number") from None
    if not least <= number <= most:
        raise Error(f"{name}: must be from {least} to {most}")
    return number


def names(array):
    """The texts of a NULL-ended list."""
    found = []
    while array and array[len(found)]:
        found.append(array[len(found)].decode())
    return found


def failure(status):
    """The error of the last call of this thread that failed."""
    return Error(text(library.trop_error()), STATUS[status])


def check(status):
    if status != OK:
        raise failure(status)


def asked_text(function, *arguments):
    """A text that the library writes into memory of ours: asked twice, first for its size."""
    size = function(None, 0, *arguments) + 1
    buffer = c.create_string_buffer(size)
    function(buffer, size, *arguments)
    return buffer.value.decode(errors="backslashreplace")


class Lock:
    """A lock that one thread may take several times, and give to another."""

    __slots__ = ("_change", "_owner", "_depth")

    def __init__(self):
        self._change, self._owner, self._depth = threading.Condition(threading.Lock()), None, 0

    def __enter__(self):
        me = threading.get_ident()
        with self._change:
            while self._owner not in (None, me):
                self._change.wait()
            self._owner = me
            self._depth += 1

    def __exit__(self, *error):
        with self._change:
            if self._owner == threading.get_ident():  # it was not given away meanwhile
                self._depth -= 1
                if self._depth == 0:
                    self._owner = None
                    self._change.notify_all()

    def give(self, thread):
        """To the thread of this identity, which calls leave."""
        with self._change:
            self._owner, self._depth = thread, 1

    def leave(self):
        self.__exit__()


class Handle:
    """An address that the library made and is to free: once, when nobody holds it any more.

    A handle is for one thread at a time; the lock makes others wait. `busy`: it computes, and the
    thread that holds the lock is in its progress function."""

    __slots__ = ("address", "lock", "busy", "kept", "_free", "__weakref__")

    def __init__(self, create, free, *arguments):
        out = c.c_void_p()
        self.address = None
        self._free = free
        self.lock = Lock()
        self.busy = False
        self.kept = ()  # what the library reads as long as the handle lives
        check(create(c.byref(out), *arguments))
        self.address = out.value

    def __del__(self):
        if getattr(self, "address", None) is not None:
            self._free(self.address)
            self.address = None
