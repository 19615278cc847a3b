"""The code blocks of docs/python-torch.md run in order and print what the page shows."""

from __future__ import annotations

import contextlib
import io
import pathlib
import re

import pytest

pytest.importorskip("torch")

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python-torch.md"


@pytest.mark.skipif(not PAGE.exists(), reason="the manual is not here")
def test_the_page_prints_what_it_shows():
    blocks = re.findall(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", PAGE.read_text(), re.S | re.M)
    assert len(blocks) >= 4
    names: dict = {}
    for code, expected in blocks:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(code, str(PAGE), "exec"), names)
        assert out.getvalue() == expected
