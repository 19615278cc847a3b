"""What a type checker must accept, and with `type: ignore` what it must refuse: an ignore that is
not needed is an error of its own."""

import numpy as np
from numpy.typing import NDArray

import tropism as tr

x = tr.tokens.gaussian(n=64, d=2, seed=1)
run = tr.flow(x, rule="localmax", epsilon=0.1, alpha=1.0).until_converged()
cloud: NDArray[np.float64] = run.tokens
clusters: int = run.clusters
kind: str = run.certificate.kind
data = tr.data.attsvm(n=6, T=8, d=10, seed=1)
fit = tr.train(data, optimizer="nmirror", p=1.75, eta=0.1, steps=1500)
svm = tr.margin(data, select=fit.alpha, norm="lp", p=1.75)
gap: float = svm.gap
weights: NDArray[np.float64] = svm.weights.W
tr.cells(x).plot().save("cells.svg")

tr.flow(x, rule="softma")  # type: ignore[arg-type]
tr.flow(x, rul="softmax")  # type: ignore[call-arg]
tr.margin(data).gapp  # type: ignore[attr-defined]

corpus = tr.data.text(["a fine film", "a dull film"], ["pos", "neg"], vocabulary=10)
learnt = tr.train(corpus, embed=8)
shown: tr.Table = learnt.shown
accuracy: tr.Table = learnt.splits
classes: list[str] = corpus.classes
heads: tr.Table = tr.inspect(x, x, x, mask="causal", rows=True).heads
numbers = tr.inspect("model", text="a dull film", layers=[0, 3], measure="flip").array("flip")
words: list[str] | None = tr.inspect("model", text="a dull film").tokens
tr.inspect("model", txt="a dull film")  # type: ignore[call-overload]
tr.train(data).shown  # type: ignore[attr-defined]
tr.data.text(["a", "b"], [0, 1], vocabulari=3)  # type: ignore[call-arg]
study = tr.study(verb="flow", epsilon=[0.1, 0.2], seed=range(1, 5), n=12, keep=["clusters"])
left: int = study.run("folder").status().left
points: tr.Rows = study.run(study.blocks(2)[0])
tr.study("study.yaml", n=3)  # type: ignore[call-overload]
tr.margin(corpus)  # type: ignore[arg-type]


@tr.claim("squares", "Squares are not negative.", inputs={"x": "a number"})
def squares(x: float) -> object:
    return tr.at_least(x * x, 0, 0, name="square", step=1)


@squares.draw
def drawn(rng: np.random.Generator) -> dict[str, float]:
    return {"x": rng.normal()}


@squares.spoil("x is no number", breaks="real")
def spoiled(x: float) -> dict[str, float]:
    return {"x": x}


again: dict[str, float] = drawn(np.random.default_rng(1))
checked: tr.ClaimCheck = squares.check(10, seed=1, threads=2, counterexample="none")
missed: bool | None = checked.untested
spoils: tr.Table = checked.spoils
squares.judge({"x": 1.0}).case
squares.check(trails=3)  # type: ignore[call-arg]
tr.at_most(1, 2)  # type: ignore[call-arg]
