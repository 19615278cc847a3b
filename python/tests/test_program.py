"""The package and the command line program are one library: the same options, the same bits.

The program's numbers read back to the bits that it had, so `==` on what JSON holds is equality of
bits (but for the sign of zero and the payload of NaN). TROPISM_PROGRAM names the program; without
it these tests are skipped.
"""

import json
import os
import re
import subprocess

import numpy as np
import pytest

import tropism as tr

PROGRAM = os.environ.get("TROPISM_PROGRAM")
pytestmark = pytest.mark.skipif(
    not PROGRAM, reason="TROPISM_PROGRAM does not name the command line program"
)

rng = np.random.default_rng(9)
CLOUD = rng.normal(size=(20, 3))
MASSES = rng.uniform(0.5, 2.0, size=20)
MATRIX = np.eye(3) + 0.1 * rng.normal(size=(3, 3))


def told(verb, options, *flags, codes=(0,)):
    """What the program says with --json."""
    words = [verb, *flags, "--json"]
    for name, value in options.items():
        name = "--" + name.rstrip("_").replace("_", "-")
        words += [name] if value is True else [name, str(value)]
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False)
    assert done.returncode in codes, done.stderr
    return done.stdout


def less_seconds(text):
    """JSON without the clock: also that of runs inside a result."""
    return re.sub(r'"seconds": [^,}\]]*', '"seconds": 0', text.strip())


def number(value):
    if isinstance(value, float) and not np.isfinite(value):
        return {np.inf: "inf", -np.inf: "-inf"}.get(value, "nan")
    return value


def same(said, value, where):
    """A JSON value and a Python value of the package are one."""
    if where.endswith("steps") and said is None:
        assert value > 2**53, where  # which JSON leaves to log10_steps
    elif isinstance(said, dict):
        for key, inner in said.items():
            same(inner, value[key], f"{where}.{key}")
    elif isinstance(value, tr.Table):
        assert len(said) == len(value), where
        for k, row in enumerate(said):
            same(row, value[k], f"{where}[{k}]")
    elif isinstance(value, np.ndarray):
        assert value.ndim <= 1 or value.size == 0 or np.array(said).shape == value.shape, where
        wanted = [number(v) for v in value.ravel().tolist()]
        assert np.array(said, dtype=object).ravel().tolist() == wanted, where
    else:
        assert said == number(value), where
        assert isinstance(said, bool) == isinstance(value, bool), where


def agree(verb, options, result, said):
    """Every value of the JSON, read from the object; and the object's own JSON."""
    values = json.loads(said)
    assert len(values) >= 5
    for key, inner in values.items():
        if key == "seconds":
            continue
        if key == "record":
            for name, column in inner.items():
                same(column, result.record[name], f"record.{name}")
        else:
            same(inner, getattr(result, key), key)
    assert less_seconds(result.to_json()) == less_seconds(said)


FLOWS = [
    dict(n=16, d=2, steps=30),
    dict(n=16, d=3, rule="hardmax", gamma="fw", steps=40),
    dict(n=20, rule="localmax", epsilon=0.1, alpha=1.0, until="converged"),
    dict(n=20, rule="localmax", epsilon="geometric:1,0.5", form="relative", steps=20),
    dict(n=12, rule="topk", k=3, steps=9, mask="causal"),
    dict(n=12, rule="sparsemax", steps=7, beta="linear:1,0.25"),
    dict(n=12, rule="entmax", a=1.25, steps=7),
    dict(n=12, rule="minp", epsilon=0.3, steps=7),
    dict(n=12, rule="uniform", steps=3, init="uniform"),
    dict(n=12, rule="confidence", confidence=0.8, steps=12),
    dict(n=10, d=3, init="sphere", dynamics="sa", time=2, beta=4, value=-1),
    dict(n=10, d=2, init="sphere", dynamics="usa", time=1, integrator="rk4"),
    dict(n=10, dynamics="ode", time=1, integrator="rk4"),
    dict(n=10, dynamics="chain", steps=25, seed=7, gamma=0.1),
    dict(n=8, dynamics="residual", steps=3, value=0.1, key_query=-1),
    dict(n=5, init="polygon", rule="hardmax", ties="indices", steps=2),
    dict(n=30, beta=50.0, steps="1e18", leap=True, init="uniform"),
    dict(n=9, steps=11, record="tokens,residual,energy", every=3),
    dict(n=64, precision="single", steps=5),
    dict(n=40, method="tree", steps=4),
]


@pytest.mark.parametrize("options", FLOWS, ids=lambda o: "-".join(map(str, o.values())))
def test_flows_have_the_bits_of_the_program(options):
    said = told("flow", options)
    agree("flow", options, tr.flow(**options).run(), said)


STUDIES = [
    ("flow", dict(n=6, copies=9, steps=20, rule="localmax", epsilon=0.2)),
    ("flow", dict(n=4, d=3, init="sphere", dynamics="sa", copies=5, betas="1:3", time=1, integrator="rk4")),
    ("cells", dict(n=20, seed=4)),
    ("cells", dict(n=12, d=3, key_query=-1, eta=0.1)),
    ("threshold", dict(n=12, init="uniform")),
    ("threshold", dict(n=8, d=3, gamma=0.5, width=1e-3)),
    ("escape", dict(n=3, init="polygon", beta="2:4", runs=50)),
    ("escape", dict(n=3, init="polygon", beta="2,3", dynamics="flow")),
    *(("margin", dict(data="attsvm", norm=norm, d=6, T=4)) for norm in ("l2", "l1", "linf", "spectral", "nuclear")),
    ("margin", dict(data="attsvm", norm="lp", p=1.75, enumerate=True, n=3, T=3, d=5)),
    ("margin", dict(data="mm-fig-1b", select="1")),
    ("margin", dict(data="mm-fig-3a", model="label")),
    ("margin", dict(data="ntp")),
    *(
        ("train", dict(data="attsvm", optimizer=optimizer, steps=60, **(dict(p=1.75) if "mirror" in optimizer else {})))
        for optimizer in ("gd", "ngd", "mirror", "nmirror", "sign", "muon", "adam", "eg")
    ),
    ("train", dict(data="mm-fig-3a", model="joint", steps=50, eta=1.0)),
    ("train", dict(data="mm-fig-1a", head="quadratic", lambda_=2.0, steps=20, start="normal", seed=3)),
    ("path", dict(data="mm-fig-1a", radius="1,10")),
    ("path", dict(data="attsvm", n=3, T=3, d=4, p=1.75, radius="5,20")),
    ("check", dict(claim="fw-thm-4.2", trials=3, counterexample="none")),
    ("check", dict(claim="lm-thm-t5", trials=2, counterexample="none")),
]


@pytest.mark.parametrize("verb,options", STUDIES, ids=lambda v: v if isinstance(v, str) else "-".join(map(str, v.values())))
def test_studies_have_the_bits_of_the_program(verb, options):
    words = dict(options)
    first = [words.pop("claim")] if "claim" in words else []
    said = told(verb, words, *first)
    result = getattr(tr, verb)(**options)
    if isinstance(result, (tr.Flow, tr.Copies)):
        result.run()
    agree(verb, options, result, said)


def test_a_stopped_study_is_the_same(recwarn):
    options = dict(data="attsvm", norm="nuclear", d=6, T=4, iterations=3)
    said = told("margin", options, codes=(1,))
    result = tr.margin(**options)
    assert result.stopped and result.outcome == "iteration-limit"
    agree("margin", options, result, said)


def test_claims_and_reproductions_and_the_doctor_agree(tmp_path):
    assert less_seconds(tr.claims().to_json()) == less_seconds(told("claims", {}))
    options = dict(paper="fw", status="false-as-printed")
    agree_lists = tr.claims(**options)
    said = told("claims", options)
    same(json.loads(said)["claims"], agree_lists.claims, "claims")
    assert agree_lists.to_json().strip() == said.strip()

    said = told("reproduce", dict(quick=True, out=tmp_path / "one"), "mm-fig-1a")
    made = tr.reproduce("mm-fig-1a", quick=True, out=tmp_path / "two")
    for key, inner in json.loads(said).items():
        if key not in ("seconds", "version", "seed") and "one" not in str(inner):
            same(inner, getattr(made, key), key)
    pictures = sorted(p.name for p in (tmp_path / "one").iterdir())
    assert pictures and pictures == sorted(p.name for p in (tmp_path / "two").iterdir())

    said, doctor = json.loads(told("doctor", {})), tr.doctor()
    for key in ("version", "kernel", "kernels", "blas", "cores", "healthy"):
        same(said[key], doctor[key], key)
    assert [t["name"] for t in said["tests"]] == [t.name for t in doctor.tests]


# ---- arrays in the place of files ----------------------------------------------------------------


@pytest.fixture
def files(tmp_path):
    found = {}
    for name, array in dict(tokens=CLOUD, masses=MASSES, key_query=MATRIX, query=CLOUD[:4] / 2).items():
        np.save(tmp_path / f"{name}.npy", array)
        found[name] = (tmp_path / f"{name}.npy", array)
    return found


def by_file_and_by_array(files, verb, names, **options):
    said = told(verb, {**options, **{name: files[name][0] for name in names}})
    results = [
        getattr(tr, verb)(**options, **{name: files[name][which] for name in names})
        for which in (0, 1)
    ]
    for result in results:
        if isinstance(result, tr.Flow):
            result.run()
        agree(verb, options, result, said)


def test_tokens_by_file_and_by_array_are_the_same(files):
    by_file_and_by_array(files, "flow", ("tokens", "masses", "key_query"), steps=20)
    by_file_and_by_array(files, "flow", ("tokens", "key_query"), steps=20, rule="hardmax")
    by_file_and_by_array(files, "cells", ("tokens", "query", "key_query"))
    by_file_and_by_array(files, "threshold", ("tokens", "masses"))
    by_file_and_by_array(files, "escape", ("tokens",), beta="2", runs=20)


def test_data_by_file_and_by_array_are_the_same(tmp_path):
    data = tr.data.attsvm(n=4, T=5, d=6, seed=3)
    data.save(tmp_path / "data.json")
    arrays = {key: np.array(array) for key, array in data.arrays().items()}
    for verb, options in (("margin", {}), ("train", dict(steps=30)), ("path", dict(radius="10"))):
        said = told(verb, dict(data=tmp_path / "data.json", **options))
        agree(verb, options, getattr(tr, verb)(tmp_path / "data.json", **options), said)
        said = said.replace(str(tmp_path / "data.json"), "array")  # all that differs
        for given in (data, arrays, tr.data.load(tmp_path / "data.json")):
            agree(verb, options, getattr(tr, verb)(given, **options), said)


def test_start_by_file_and_by_array_are_the_same(tmp_path):
    start = rng.normal(size=(10, 10))
    (tmp_path / "start.json").write_text(json.dumps({"W": start.tolist()}))
    said = told("train", dict(data="attsvm", steps=10, start=tmp_path / "start.json"))
    agree("train", {}, tr.train("attsvm", steps=10, start=tmp_path / "start.json"), said)
    said = said.replace(str(tmp_path / "start.json"), "array")  # all that differs
    for given in (start, {"W": start}, start.tolist()):
        agree("train", {}, tr.train("attsvm", steps=10, start=given), said)


def test_schedules_by_file_and_by_array_are_the_same(tmp_path):
    gamma = rng.uniform(0.1, 0.9, size=12)
    np.savetxt(tmp_path / "gamma.csv", gamma, fmt="%.17g")
    said = told("flow", dict(n=8, steps=20, gamma=f"@{tmp_path}/gamma.csv"))
    agree("flow", {}, tr.flow(n=8, steps=20, gamma=gamma).run(), said)
    agree("flow", {}, tr.flow(n=8, steps=20, gamma=f"@{tmp_path}/gamma.csv").run(), said)


# ---- files of results ----------------------------------------------------------------------------


def differing(one, two):
    a, b = one.read_bytes(), two.read_bytes()
    assert len(a) == len(b) > 1000
    return [k for k, (x, y) in enumerate(zip(a, b)) if x != y]


@pytest.mark.parametrize(
    "verb,options",
    [
        ("flow", dict(n=16, steps=12, record="tokens,energy")),
        ("flow", dict(n=16, steps=50, rule="localmax", until="converged")),
        ("flow", dict(n=5, copies=4, steps=12)),
        ("cells", dict(n=12)),
        ("threshold", dict(n=8)),
        ("escape", dict(n=3, init="polygon", beta="2", runs=20)),
        ("margin", dict(data="attsvm", norm="lp", p=1.5)),
        ("train", dict(data="attsvm", steps=20)),
        ("path", dict(data="mm-fig-1a", radius="2,5")),
    ],
    ids=lambda v: v if isinstance(v, str) else "-".join(map(str, v.values())),
)
def test_files_are_those_of_the_program_but_for_the_seconds(verb, options, tmp_path):
    told(verb, {**options, "out": tmp_path / "a.h5"})
    saved = getattr(tr, verb)(**options)
    written = getattr(tr, verb)(**options, out=tmp_path / "c.h5")
    if verb == "flow":
        saved.run()
        written.run()
    saved.save(tmp_path / "b.h5")
    # The eight bytes of /clock/seconds stand together.
    for name in ("b.h5", "c.h5"):
        places = differing(tmp_path / "a.h5", tmp_path / name)
        assert not places or places[-1] - places[0] < 8


def test_the_tokens_of_a_flow_as_npy(tmp_path):
    told("flow", dict(n=7, steps=4, out=tmp_path / "a.npy"))
    run = tr.flow(n=7, steps=4).run()
    run.save(tmp_path / "b.npy")
    assert (tmp_path / "a.npy").read_bytes() == (tmp_path / "b.npy").read_bytes()
    assert np.array_equal(np.load(tmp_path / "b.npy"), run.tokens)
