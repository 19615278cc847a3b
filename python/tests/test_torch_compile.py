"""torch.compile of training steps and attention: what is compiled anew, and that nothing moves."""

from __future__ import annotations

import warnings

import pytest

torch = pytest.importorskip("torch")
torch.set_num_threads(1)  # small tensors: threads would wait for each other

import torch._dynamo as dynamo  # noqa: E402
from torch._dynamo.utils import get_compilation_metrics  # noqa: E402

import tropism.torch as tt  # noqa: E402

F64 = torch.float64
STEPS = 100

KINDS = [
    (tt.MirrorDescent, {"p": 1.1, "momentum": 0.5}),
    (tt.NormalizedMirrorDescent, {"p": 3.0, "scope": "group"}),
    (tt.SquaredMirrorDescent, {"p": 1.25}),
    (tt.Hypentropy, {"width": 0.5}),
    (tt.CoshDescent, {}),
    (tt.SteepestDescent, {"p": 3.0}),
    (tt.SignDescent, {}),
    (tt.GreedyDescent, {}),
    (tt.Muon, {"polynomial": True}),
    (tt.Polyak, {}),
]
NAMES = [kind.__name__ for kind, _ in KINDS]


def again():
    """How many frames were compiled for a second, third, .. time since dynamo was reset; and their
    number.
    """
    metrics = get_compilation_metrics()
    return sum(not str(m.compile_id).endswith("/0") for m in metrics), len(metrics)


@pytest.fixture(autouse=True)
def fresh():
    dynamo.reset()
    torch._dynamo.utils.clear_compilation_metrics()
    with warnings.catch_warnings(), dynamo.config.patch(fail_on_recompile_limit_hit=True):
        warnings.simplefilter("ignore")  # of the compiler, about itself
        yield
    dynamo.reset()


def trained(kind, options, changing, compiled):
    """100 steps with a compiled loss and update, or without."""
    draw = torch.Generator().manual_seed(1)
    w = [torch.randn(s, generator=draw, dtype=F64).requires_grad_() for s in [(4, 6), (6,), (6, 1)]]
    optimizer = kind(w, lr=0.01, **options)

    def step(x):
        def closure():
            optimizer.zero_grad()
            loss = (torch.tanh(x @ w[0] + w[1]) @ w[2]).square().mean()
            loss.backward()
            return loss

        if kind is tt.Polyak:
            return optimizer.step(closure)
        loss = closure()
        optimizer.step()
        return loss

    run = torch.compile(step, backend="eager") if compiled else step
    for k in range(STEPS):
        if changing:
            optimizer.param_groups[0]["lr"] = 0.01 / (1 + k)
        run(torch.randn(5, 4, generator=torch.Generator().manual_seed(k), dtype=F64))
    return [p.detach() for p in w]


@pytest.mark.parametrize(
    "kind, options, changing",
    [(*k, True) for k in KINDS] + [(*k, False) for k in KINDS[:2]],
    ids=[*NAMES, *(name + "-constant" for name in NAMES[:2])],
)
def test_a_training_step_is_compiled_once(kind, options, changing):
    plain = trained(kind, options, changing, False)
    assert again() == (0, 0)
    found = trained(kind, options, changing, True)
    more, frames = again()
    assert frames > 0 and more == 0
    assert all(torch.equal(x, y) for x, y in zip(found, plain))


def drawn(*shape, seed):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=F64)


@pytest.mark.parametrize("scaled", [False, True], ids=["plain", "scaled"])
def test_the_loss_of_attention_is_compiled_once(scaled):
    """At scores from 1 to 100, with a token that wins, another that wins, and a mask."""
    key, value, decoder = drawn(2, 5, 4, seed=1), drawn(2, 5, 3, seed=2), drawn(3, seed=3)
    mask = drawn(2, 1, 5, seed=4) > -1

    def told(query):
        if scaled:
            return tt.scaled_attention_loss(query, key, value, decoder, mask=mask).loss
        return tt.attention_loss(query, key, value, decoder, mask=mask)

    run = torch.compile(told, backend="eager", fullgraph=not scaled)
    for k in range(0, STEPS, 2):
        query = (k * drawn(2, 1, 4, seed=k)).requires_grad_()
        found, plain = run(query), told(query)
        assert torch.equal(found, plain)
        (one,), (other,) = torch.autograd.grad(found, query), torch.autograd.grad(plain, query)
        assert torch.allclose(one, other, rtol=1e-13, atol=0)
    assert again()[0] == 0


@pytest.mark.parametrize("rule", ["softmax", "hardmax", "localmax", "minp", "topk", "sparsemax"])
def test_programs_of_a_rule_are_made_twice_when_its_temperature_changes(rule):
    """A Python number is a constant of the first program and a variable of the second. entmax is left
    out of programs: one before it and one after.
    """

    its = {"topk": {"k": 2}, "localmax": {"epsilon": 0.5}, "minp": {"epsilon": 0.5}}.get(rule, {})

    def told(scores, beta):
        return tt.attention_rule(scores, rule, beta=beta, **its)

    run = torch.compile(told, backend="eager")
    for k in range(STEPS):
        scores = drawn(3, 7, seed=k)
        assert torch.equal(run(scores, 0.5 + k), told(scores, 0.5 + k))
    assert again()[0] <= (2 if rule == "sparsemax" else 1)
