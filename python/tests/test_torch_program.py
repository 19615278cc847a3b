"""The optimisers against the C program: the same data, the same start, the same number of steps."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess

import pytest

torch = pytest.importorskip("torch")
torch.set_num_threads(1)  # small tensors: threads would wait for each other

import tropism.torch as tt  # noqa: E402

F64 = torch.float64
ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("TROPISM_PROGRAM", ROOT / "build" / "tropism"))

pytestmark = pytest.mark.skipif(
    not PROGRAM.exists(), reason="the program is not built; TROPISM_PROGRAM names another"
)


def drawn(*shape, seed):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=F64)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Unit tokens and queries, four inputs of five tokens in six dimensions."""
    x, z, v = drawn(4, 5, 6, seed=1), drawn(4, 6, seed=2), drawn(6, seed=3)
    x, z, v = x / x.norm(dim=-1, keepdim=True), z / z.norm(dim=-1, keepdim=True), v / v.norm()
    y = torch.tensor([1.0, -1.0, 1.0, -1.0], dtype=F64)
    w = 0.5 * drawn(6, 6, seed=4)
    folder = tmp_path_factory.mktemp("data")
    (folder / "data.json").write_text(
        json.dumps({"X": x.tolist(), "z": z.tolist(), "v": v.tolist(), "y": y.tolist()})
    )
    (folder / "start.json").write_text(json.dumps({"W": w.tolist()}))
    return folder, x, z, v, y, w


def loss_of(w, x, z, v, y):
    """Mean of log(1 + e^(-y f)), f = v'X's, s = softmax(X W z)."""
    attention = torch.softmax(torch.einsum("ntd,de,ne->nt", x, w, z), -1)
    output = torch.einsum("nt,ntd,d->n", attention, x, v)
    return torch.nn.functional.softplus(-y * output).mean()


def program_weights(folder, *words):
    """Final weights; numbers are printed with all their digits."""
    command = [
        PROGRAM,
        "train",
        "--data",
        folder / "data.json",
        "--start",
        folder / "start.json",
        "--model",
        "cross",
        "--compare",
        "none",
        "--threads",
        "1",
        "--json",
    ]
    done = subprocess.run([*map(str, command), *words], capture_output=True, text=True, check=True)
    return torch.tensor(json.loads(done.stdout)["weights"]["W"], dtype=F64)


# name, options of the program, options here
CASES = [
    ("gd", [], {}),
    ("ngd", [], {}),
    ("mirror", ["--p", "1.1"], {"p": 1.1}),
    ("mirror", ["--p", "1.75"], {"p": 1.75}),
    ("mirror", ["--p", "3"], {"p": 3.0}),
    ("nmirror", ["--p", "1.1"], {"p": 1.1}),
    ("nmirror", ["--p", "1.75"], {"p": 1.75}),
    ("nmirror", ["--p", "3"], {"p": 3.0}),
    ("square", ["--p", "1.5"], {"p": 1.5}),
    ("square", ["--p", "inf"], {"p": float("inf")}),
    ("steepest", ["--p", "3"], {"p": 3.0}),
    ("sign", [], {}),
    ("signum", ["--momentum", "0.8"], {"momentum": 0.8}),
    ("greedy", [], {}),
    ("spectral", [], {}),
    ("muon", ["--momentum", "0.8"], {"momentum": 0.8}),
    ("muon", ["--momentum", "0.95", "--polynomial"], {"momentum": 0.95, "polynomial": True}),
    ("adam", [], {"eps": 0.0}),
    ("eg", ["--bend", "0.5"], {"width": 0.5}),
    ("hypentropy", ["--bend", "0.5"], {"width": 0.5}),
    ("cosh", [], {}),
]


@pytest.mark.parametrize(
    "name, words, options", CASES, ids=[" ".join([c[0], *c[1]]) for c in CASES]
)
def test_a_hundred_steps_are_the_programs(data, name, words, options):
    """The gradients of the two differ by roundings, some 1e-15 of their size for sums of 4 * 5 * 6
    terms: over a path of length 1 that is 1e-15 in the dual. 100 sums round the dual by 1e-14, and
    1/(p - 1) = 10 amplifies both for p = 1.1. Rules that jump (sign, greedy) see the same jumps
    while no entry is at one, and over a path of length 1 nothing grows exponentially. Hence 1e-13
    of the largest weight; the worst was measured to be 5.3e-15, by Muon's polynomial.
    """
    folder, x, z, v, y, start = data
    expected = program_weights(
        folder, "--optimizer", name, "--eta", "0.01", "--steps", "100", *words
    )
    w = start.clone().requires_grad_()
    optimizer = tt.optimizer(name, [w], lr=0.01, **options)
    for _ in range(100):
        optimizer.zero_grad()
        loss_of(w, x, z, v, y).backward()
        optimizer.step()
    assert (w.detach() - start).abs().max().item() > 1e-3
    assert (w.detach() - expected).abs().max().item() <= 1e-13 * expected.abs().max().item()


def test_polyak_is_the_programs(data):
    """The infimum is the loss of the best token of each input."""
    folder, x, z, v, y, start = data
    expected = program_weights(folder, "--optimizer", "polyak", "--eta", "0.5", "--steps", "20")
    best = (y[:, None] * (x @ v)).amax(1)
    w = start.clone().requires_grad_()
    optimizer = tt.Polyak([w], lr=0.5, infimum=torch.nn.functional.softplus(-best).mean().item())

    def closure():
        optimizer.zero_grad()
        loss = loss_of(w, x, z, v, y)
        loss.backward()
        return loss

    for _ in range(20):
        optimizer.step(closure)
    # L - L* loses digits to the loss, 1e-16 / (L - L*) of a step.
    assert (w.detach() - expected).abs().max().item() <= 1e-11 * expected.abs().max().item()


def test_the_names_are_the_programs():
    text = subprocess.run(
        [str(PROGRAM), "train", "--help"], capture_output=True, text=True, check=True
    ).stdout
    words = " ".join(text.split())
    names = words.split("optimiser that moves the weights [")[1].split("]")[0].split(" | ")
    assert list(tt.OPTIMIZERS) == names
