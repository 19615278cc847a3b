"""Every block of the manual's pages on Python is run, and prints what the page shows.

The blocks of a page (```py) run one after the other in one namespace; a ```text right behind one is
what it prints. A page that needs PyTorch is left out where that is not installed."""

import contextlib
import io
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def pages():
    return [page for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
            if "```py\n" in page.read_text()]


def test_there_are_pages():
    assert {"README.md", "python.md"} <= {page.name for page in pages()}


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_blocks(page, tmp_path, monkeypatch):
    words = page.read_text()
    for module in ("torch", "joblib", "xarray", "pandas"):
        if f"import {module}" in words or f"from {module}" in words or f".to_{module}(" in words:
            pytest.importorskip(module)
    monkeypatch.chdir(tmp_path)
    space, printed, end = {"__name__": "page"}, None, 0
    for match in BLOCK.finditer(words):
        language, block = match.groups()
        if language == "py":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(block, f"{page.name}, line {words[: match.start()].count(chr(10)) + 1}", "exec"), space)
            printed = out.getvalue()
        elif language == "text" and printed is not None and not words[end : match.start()].strip():
            assert printed == block
        if language != "py":
            printed = None
        end = match.end()
