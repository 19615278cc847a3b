"""The border: every function that the public headers declare can be called from Python.

The headers are read as text, so that neither side is the other's copy: names, the number of
arguments, and for each of them whether it is a number, a text, an address or a function.
"""

import ctypes as c
import pathlib
import re

import pytest

from tropism._library import PROGRESS, PROTOTYPES, STATUS, STRUCTS, library

INCLUDE = pathlib.Path(__file__).parents[2] / "include"

TEXTS, ADDRESSES = c.POINTER(c.c_char_p), c.POINTER(c.c_void_p)


def declarations():
    """Functions marked TROP_API: name -> (type of the result, types of the arguments), as C text."""
    found = {}
    for header in ("tropism.h", "tropism_lab.h"):
        words = (INCLUDE / header).read_text()
        words = re.sub(r"/\*.*?\*/", " ", words, flags=re.S)
        words = re.sub(r"^\s*#(?:\\\n|.)*$", "", words, flags=re.M)
        pattern = r"TROP_API\s+([^;()]*?)\b(trop_\w+)\s*\(([^;]*)\)\s*;"
        for result, name, arguments in re.findall(pattern, words):
            arguments = [" ".join(word.split()) for word in arguments.split(",")]
            found[name] = (" ".join(result.split()), [] if arguments == ["void"] else arguments)
    return found


@pytest.fixture(scope="module")
def declared():
    if not INCLUDE.is_dir():
        pytest.skip("the headers are not beside the tests")
    return declarations()


def stars(words):
    return words.count("*") + words.count("[")


def allowed(words, of_result=False):
    """The ctypes types that may stand for a C type; an array may always be a plain address."""
    base = words.replace("const ", "").replace("*", " * ").split()
    base = " ".join(word for word in base[:2] if word != "*")
    depth = stars(words)
    if "trop_progress" in words:
        return {PROGRESS}
    if depth == 0:
        if base.startswith("void"):
            return {None}
        for start, kind in (
            ("int64_t", c.c_int64),
            ("uint64_t", c.c_uint64),
            ("double", c.c_double),
            ("int", c.c_int),
            ("enum trop_status", c.c_int),
        ):
            if re.match(start + r"\b", base):
                return {kind}
    if base.startswith("char"):
        return {c.c_char_p} if depth == 1 else {TEXTS} if depth == 2 else {c.POINTER(TEXTS)}
    if depth == 2:
        return {ADDRESSES}
    numbers = {"int64_t": c.POINTER(c.c_int64), "double": c.POINTER(c.c_double)}
    return {c.c_void_p, numbers.get(base.split()[0], c.c_void_p)}


def test_every_public_function_is_reachable_and_no_other_is_named(declared):
    assert len(declared) > 150
    assert set(declared) == set(PROTOTYPES) | set(STRUCTS)
    assert not set(PROTOTYPES) & set(STRUCTS)


def test_what_takes_or_returns_a_struct_has_a_substitute(declared):
    for name, instead in STRUCTS.items():
        result, arguments = declared[name]
        taken = any("_options *" in words or "_counts *" in words for words in arguments)
        assert (result.startswith("struct") and "*" not in result) or taken
        assert instead in PROTOTYPES


@pytest.mark.parametrize("name", sorted(PROTOTYPES))
def test_prototypes_agree_with_the_headers(declared, name):
    result, arguments = declared[name]
    assert PROTOTYPES[name][0] in allowed(result, of_result=True), result
    assert len(PROTOTYPES[name][1]) == len(arguments)
    for given, wanted in zip(PROTOTYPES[name][1], arguments):
        assert given in allowed(wanted), wanted
    function = getattr(library, name)
    assert function.restype is PROTOTYPES[name][0] and function.argtypes == PROTOTYPES[name][1]


def test_the_statuses_are_those_of_the_header(declared):
    words = re.search(r"enum trop_status \{(.*?)\};", (INCLUDE / "tropism.h").read_text(), re.S)[1]
    found = re.findall(r"TROP_(?:ERR_)?(\w+)", words)
    assert [name.lower() for name in found] == list(STATUS)
