"""The optimisers as torch.optim.Optimizers: groups, states, refusals, foreach, schedulers, and the
other methods by their formulas.
"""

from __future__ import annotations

import copy
import io
import math
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")
torch.set_num_threads(1)  # small tensors: threads would wait for each other

import tropism.torch as tt  # noqa: E402

F32, F64, BF16 = torch.float32, torch.float64, torch.bfloat16

KINDS = [
    (tt.MirrorDescent, {"p": 1.1}),
    (tt.MirrorDescent, {"p": 3.0}),
    (tt.NormalizedMirrorDescent, {"p": 1.75}),
    (tt.NormalizedMirrorDescent, {"p": 3.0, "scope": "group"}),
    (tt.SquaredMirrorDescent, {"p": 1.25}),
    (tt.Hypentropy, {"width": 0.5}),
    (tt.ExponentiatedGradient, {}),
    (tt.CoshDescent, {}),
    (tt.SteepestDescent, {"p": 3.0}),
    (tt.SignDescent, {}),
    (tt.GreedyDescent, {}),
    (tt.SpectralDescent, {}),
    (tt.Muon, {"polynomial": True}),
]
NAMES = [f"{k.__name__}-{'-'.join(str(v) for v in o.values())}" for k, o in KINDS]
every = pytest.mark.parametrize("kind, options", KINDS, ids=NAMES)


def drawn(*shape, seed=0, dtype=F64):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=F64).to(dtype)


def some(dtype=F32):
    return [
        drawn(*s, seed=i, dtype=dtype).requires_grad_()
        for i, s in enumerate([(6, 4), (5,), (2, 3, 3)])
    ]


def feed(params, k):
    for i, p in enumerate(params):
        p.grad = drawn(*p.shape, seed=97 * k + i, dtype=p.dtype)


def run(optimizer, params, steps):
    for k in steps:
        feed(params, k)
        optimizer.step()


def bits(params):
    return [p.detach().clone() for p in params]


# ---- torch's interface ----------------------------------------------------------------------


@every
@pytest.mark.parametrize("dtype", [F32, BF16])
def test_a_saved_run_goes_on_bit_for_bit(kind, options, dtype):
    """Saved to bytes, loaded into a fresh optimiser on fresh parameters, in either order."""
    options = {**options, "momentum": 0.9, "weight_decay": 0.01}
    params = some(dtype)
    optimizer = kind(params, lr=0.01, **options)
    run(optimizer, params, range(5))
    file = io.BytesIO()
    torch.save({"optimizer": optimizer.state_dict(), "weights": bits(params)}, file)
    run(optimizer, params, range(5, 9))
    for weights_first in (True, False):
        file.seek(0)
        saved = torch.load(file, weights_only=False)
        others = [torch.zeros_like(p).requires_grad_() for p in params]
        fresh = kind(others, lr=0.5)
        for what in (0, 1) if weights_first else (1, 0):
            if what == 0:
                with torch.no_grad():
                    for p, w in zip(others, saved["weights"]):
                        p.copy_(w)
            else:
                fresh.load_state_dict(saved["optimizer"])
        run(fresh, others, range(5, 9))
        assert all(torch.equal(a, b) for a, b in zip(params, others))


@every
def test_foreach_and_single_agree_bit_for_bit(kind, options):
    for dtype in (F32, F64, BF16):
        results = []
        for foreach in (False, True):
            params = some(dtype)
            optimizer = kind(
                params, lr=0.05, foreach=foreach, momentum=0.5, weight_decay=0.01, **options
            )
            run(optimizer, params, range(6))
            results.append(bits(params))
        assert all(torch.equal(a, b) for a, b in zip(*results))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
@every
def test_a_gpu_gives_what_the_cpu_does(kind, options):
    """Powers differ in the last bits between the two, sums in their order: 64 roundings of float64
    a step, amplified by at most 10.
    """
    results = []
    for device, foreach in (("cpu", False), ("cuda", False), ("cuda", True), ("cuda", None)):
        params = [p.detach().to(device).requires_grad_() for p in some(F64)]
        optimizer = kind(
            params, lr=0.05, foreach=foreach, momentum=0.5, weight_decay=0.01, **options
        )
        for k in range(6):
            for i, p in enumerate(params):
                p.grad = drawn(*p.shape, seed=97 * k + i).to(device)
            optimizer.step()
        results.append([p.detach().cpu() for p in params])
    for other in results[1:]:
        for a, b in zip(results[0], other):
            torch.testing.assert_close(a, b, rtol=6 * 640 * 2.0**-53, atol=6 * 640 * 2.0**-53)


@every
def test_a_copy_goes_on_by_itself(kind, options):
    params = some()
    optimizer = kind(params, lr=0.01, **options)
    run(optimizer, params, range(3))
    twin_params, twin = copy.deepcopy((params, optimizer))
    run(optimizer, params, range(3, 6))
    run(twin, twin_params, range(3, 6))
    assert all(torch.equal(a, b) for a, b in zip(params, twin_params))


def test_groups_have_their_own_options():
    a, b = some()[:2]
    c, d = some()[:2]
    both = tt.MirrorDescent([{"params": [a], "p": 1.1, "lr": 0.3}, {"params": [b]}], lr=0.1, p=3.0)
    one, two = tt.MirrorDescent([c], lr=0.3, p=1.1), tt.MirrorDescent([d], lr=0.1, p=3.0)
    for k in range(4):
        feed([a, b], k)
        feed([c, d], k)
        for optimizer in (both, one, two):
            optimizer.step()
    assert torch.equal(a, c) and torch.equal(b, d)


def test_no_gradient_no_step_and_no_state():
    a, b = some()[:2]
    start = b.detach().clone()
    optimizer = tt.NormalizedMirrorDescent([a, b], lr=0.1, p=3.0)
    a.grad = torch.ones_like(a)
    optimizer.step()
    assert torch.equal(b, start) and optimizer.dual(b) is None and optimizer.dual(a) is not None


def test_maximize_is_descent_of_the_negative():
    results = []
    for sign in (1, -1):
        params = some()
        optimizer = tt.MirrorDescent(params, lr=0.1, p=1.75, momentum=0.5, maximize=sign < 0)
        for k in range(4):
            feed(params, k)
            for p in params:
                p.grad *= sign
            optimizer.step()
        results.append(bits(params))
    assert all(torch.equal(a, b) for a, b in zip(*results))


def test_a_closure_is_called_with_gradients_enabled():
    w = torch.ones(3, requires_grad=True)
    optimizer = tt.MirrorDescent([w], lr=0.1, p=3.0)

    def closure():
        optimizer.zero_grad()
        loss = (w**2).sum()
        loss.backward()
        return loss

    assert optimizer.step(closure).item() == 3.0
    # U = 1 - 0.1 * 2, W = sqrt(0.8).
    torch.testing.assert_close(w.detach(), torch.full((3,), math.sqrt(0.8)))


def test_schedulers_work():
    w = torch.ones(2, requires_grad=True)
    optimizer = tt.MirrorDescent([w], lr=1.0, p=1.5)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    for _ in range(2):
        w.grad = torch.full((2,), 0.25)
        optimizer.step()
        scheduler.step()
    assert w.tolist() == [0.625**2] * 2  # U = 1 - 1/4 - 1/8


def test_a_change_of_the_parameter_is_noticed():
    w = torch.tensor([4.0, 9.0], requires_grad=True)
    optimizer = tt.MirrorDescent([w], lr=1.0, p=1.5)
    w.grad = torch.ones(2)
    optimizer.step()
    with torch.no_grad():
        w[1] = 16.0
    w.grad = torch.ones(2)
    optimizer.step()
    assert w.tolist() == [0.0, 9.0]  # U = (2, 3) - 1, then (1, 4) - 1
    w.data[0] = 25.0
    w.grad = torch.ones(2)
    optimizer.step()
    assert w.tolist() == [16.0, 4.0]


def by_data(module):
    for p in module.parameters():
        p.data.mul_(0.75)


def by_new_data(module):
    for p in module.parameters():
        p.data = p.data * 0.75


def by_vector(module):
    flat = torch.nn.utils.parameters_to_vector(module.parameters()).detach()
    torch.nn.utils.vector_to_parameters(flat * 0.75, module.parameters())


def by_loading(module):
    module.load_state_dict({k: v * 0.75 for k, v in module.state_dict().items()})


@torch.no_grad()
def by_clamping(module):
    for p in module.parameters():
        p.clamp_(-0.01, 0.01)


def by_numpy(module):
    for p in module.parameters():
        if p.dtype != BF16:
            p.detach().numpy()[...] *= 0.75
        else:
            p.data *= 0.75


@every
@pytest.mark.parametrize("dtype", [F32, F64, BF16])
@pytest.mark.parametrize("foreach", [False, True])
@pytest.mark.parametrize(
    "change", [by_data, by_new_data, by_vector, by_loading, by_clamping, by_numpy]
)
def test_what_others_write_is_taken_over(kind, options, dtype, foreach, change):
    """After a change of every weight a step is that of an optimiser that starts there."""
    module = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Linear(3, 2)).to(dtype)
    own = {**options, "lr": 0.125, "foreach": foreach, "momentum": 0.0, "nesterov": False}
    optimizer = kind(module.parameters(), **own)
    params = list(module.parameters())
    with torch.no_grad():
        for i, p in enumerate(params):
            x = drawn(*p.shape, seed=i, dtype=dtype)
            p.copy_(x + x.sign())  # beyond what by_clamping allows
    run(optimizer, params, range(3))
    change(module)
    fresh = [p.detach().clone().requires_grad_() for p in params]
    run(optimizer, params, [3])
    run(kind(fresh, **own), fresh, [3])
    assert all(torch.equal(a, b) for a, b in zip(params, fresh))


@every
def test_weights_that_come_back_change_nothing(kind, options):
    """Averages that stand in for the weights while a model is judged."""
    one, two = some(), some()
    first, second = (kind(w, lr=0.05, momentum=0.5, **options) for w in (one, two))
    for k in range(4):
        run(first, one, [k])
        run(second, two, [k])
        kept = [w.detach().clone() for w in two]
        for w, x in zip(two, kept):
            w.data.zero_()
            w.data = x
    assert all(torch.equal(a, b) for a, b in zip(one, two))


def test_a_module_may_change_its_dtype():
    module = torch.nn.Linear(3, 2)
    optimizer = tt.MirrorDescent(module.parameters(), lr=0.1, p=1.5)
    run(optimizer, list(module.parameters()), [0])
    module.to(BF16)
    before = [p.detach().clone() for p in module.parameters()]
    for p in module.parameters():
        p.grad = torch.zeros_like(p)
    optimizer.step()
    assert all(torch.equal(a, b) for a, b in zip(before, module.parameters()))


NANS = KINDS + [
    (tt.SquaredMirrorDescent, {"p": 1.0}),
    (tt.SquaredMirrorDescent, {"p": math.inf}),
    (tt.MirrorDescent, {"p": 2.0}),
    (tt.Hypentropy, {"normalize": False}),
    (tt.CoshDescent, {"normalize": False}),
    (tt.Muon, {}),
    (tt.MirrorDescent, {"p": 1.5, "momentum": 0.9, "weight_decay": 0.1}),
]


@pytest.mark.parametrize("kind, options", NANS)
@pytest.mark.parametrize("foreach", [False, True])
@pytest.mark.parametrize("size", [0.0, 1.0])
def test_a_gradient_that_is_no_number_is_not_swallowed(kind, options, foreach, size):
    a, b = drawn(3, 2, seed=1).requires_grad_(), drawn(2, seed=2).requires_grad_()
    optimizer = kind([a, b], lr=0.1, foreach=foreach, **options)
    for p in (a, b):
        p.grad = drawn(*p.shape, seed=3)
    optimizer.step()
    a.grad, b.grad = torch.full((3, 2), size, dtype=F64), torch.full((2,), size, dtype=F64)
    b.grad[1] = math.nan
    optimizer.step()
    assert b[1].isnan()
    assert options.get("scope") == "group" or a.isfinite().all()
    optimizer.step()
    assert b[1].isnan()


@pytest.mark.parametrize("sizes", [(0.0, math.nan), (math.nan, 0.0), (1.0, math.nan)])
def test_polyak_passes_on_what_is_no_number(sizes):
    params = [torch.ones(2, requires_grad=True) for _ in sizes]
    optimizer = tt.Polyak(params, lr=1.0)

    def closure():
        for p, size in zip(params, sizes):
            p.grad = torch.full((2,), size)
        return torch.tensor(1.0)

    optimizer.step(closure)
    assert all(p.isnan().all() for p in params)
    params[0].data.fill_(1.0)
    params[1].data.fill_(1.0)
    sizes = (1.0, 1.0)
    tt.Polyak(params).step(lambda: closure() * math.nan)
    assert all(p.isnan().all() for p in params)


@pytest.mark.parametrize("dtype", [F32, BF16])
def test_a_change_by_one_unit_in_the_last_place_is_noticed(dtype):
    w = torch.ones(2, dtype=dtype, requires_grad=True)
    optimizer = tt.MirrorDescent([w], lr=1.0, p=1.5, master_dtype=F64)
    for k in range(2):
        w.grad = torch.zeros_like(w)
        optimizer.step()
        with torch.no_grad():
            w[1] = 1 + torch.finfo(dtype).eps
    w.grad = torch.zeros_like(w)
    optimizer.step()
    assert w.tolist() == [1.0, 1 + torch.finfo(dtype).eps]


@every
def test_layouts_do_not_matter(kind, options):
    """Parameters and gradients that are transposed or strided move as contiguous ones do; sums of
    their entries are taken in another order.
    """
    plain = drawn(6, 4, seed=1).requires_grad_()
    turned = drawn(6, 4, seed=1).T.contiguous().T.requires_grad_()
    one, two = (kind([w], lr=0.05, momentum=0.5, **options) for w in (plain, turned))
    for k in range(4):
        g = drawn(6, 8, seed=20 + k)
        plain.grad, turned.grad = g[:, ::2].contiguous(), g[:, ::2].T.contiguous().T
        one.step()
        two.step()
    assert turned.stride() == (1, 6)
    torch.testing.assert_close(plain.detach(), turned.detach(), rtol=1e-13, atol=1e-14)


def test_a_change_of_one_weight_leaves_the_dual_of_the_others():
    """At p = 1.1 the dual 2^-20 is the weight 2^-200, 0 in float32: it is not taken from there."""
    w = torch.tensor([0.0, 1.0], requires_grad=True)
    optimizer = tt.MirrorDescent([w], lr=2.0**-20, p=1.1)
    w.grad = torch.tensor([-1.0, 0.0])
    optimizer.step()
    with torch.no_grad():
        w[1] = 1024.0
    w.grad = torch.zeros(2)
    optimizer.step()
    assert optimizer.dual(w).tolist() == [2.0**-20, 2.0]


def test_a_change_of_p_starts_from_the_weights():
    w = torch.tensor([9.0], requires_grad=True)
    optimizer = tt.MirrorDescent([w], lr=1.0, p=1.5)
    w.grad = torch.ones(1)
    optimizer.step()
    assert w.item() == 4.0  # U = 3 - 1
    optimizer.param_groups[0]["p"] = 3.0
    w.grad = torch.full((1,), 7.0)
    optimizer.step()
    assert w.item() == 3.0  # U = 16 - 7, W = sqrt U


def test_empty_and_scalar_parameters():
    for kind, options in KINDS:
        a = torch.ones(0, 3, requires_grad=True)
        b = torch.tensor(1.0, requires_grad=True)
        for foreach in (False, True):
            optimizer = kind([a, b], lr=0.25, foreach=foreach, **options)
            a.grad, b.grad = torch.ones_like(a), torch.ones_like(b)
            optimizer.step()
            assert a.shape == (0, 3) and b.isfinite()


# ---- refusals -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind, options, words",
    [
        (tt.MirrorDescent, {"p": 1.0}, "p = 1.0: must be above 1"),
        (tt.MirrorDescent, {"p": math.nan}, "p = nan"),
        (tt.MirrorDescent, {"p": math.inf}, "p = inf"),
        (tt.MirrorDescent, {"lr": -1.0}, "lr = -1.0: must be at least 0"),
        (tt.MirrorDescent, {"lr": math.nan}, "lr = nan"),
        (tt.MirrorDescent, {"momentum": -0.1}, "momentum = -0.1"),
        (tt.MirrorDescent, {"weight_decay": -1.0}, "weight_decay = -1.0"),
        (tt.MirrorDescent, {"nesterov": True}, "nesterov = True"),
        (tt.MirrorDescent, {"master_dtype": BF16}, "master_dtype = torch.bfloat16"),
        (tt.NormalizedMirrorDescent, {"scope": "model"}, "scope = model"),
        (tt.NormalizedMirrorDescent, {"epsilon": -1.0}, "epsilon = -1.0"),
        (tt.NormalizedMirrorDescent, {"p": 1.0}, "p = 1.0"),
        (tt.SquaredMirrorDescent, {"p": 0.5}, "p = 0.5"),
        (tt.SteepestDescent, {"p": 1.0}, "p = 1.0"),
        (tt.Hypentropy, {"width": 0.0}, "width = 0.0"),
        (tt.Polyak, {"infimum": math.inf}, "infimum = inf"),
    ],
)
def test_options_out_of_range_are_refused_by_name(kind, options, words):
    with pytest.raises(ValueError, match=words):
        kind([torch.ones(2, requires_grad=True)], **options)


def test_a_refused_group_is_not_added():
    a, b = some()[:2]
    optimizer = tt.MirrorDescent([a], p=3.0)
    with pytest.raises(ValueError, match="p = 0.5"):
        optimizer.add_param_group({"params": [b], "p": 0.5})
    assert len(optimizer.param_groups) == 1


def test_sparse_and_complex_are_refused_with_a_sentence():
    w = torch.ones(3, 2, requires_grad=True)
    optimizer = tt.MirrorDescent([w], p=3.0)
    w.grad = torch.ones(3, 2).to_sparse()
    with pytest.raises(
        RuntimeError, match="a gradient is sparse: only dense gradients are supported"
    ):
        optimizer.step()
    with pytest.raises(TypeError, match="complex64: must be real floating point"):
        tt.MirrorDescent([torch.ones(2, dtype=torch.complex64, requires_grad=True)])
    with pytest.raises(ValueError, match="optimizer = lion: must be one of gd, ngd"):
        tt.optimizer("lion", [w])


def test_without_torch_there_is_a_sentence():
    code = "import sys; sys.modules['torch'] = None; import tropism.torch"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode != 0 and "tropism.torch needs PyTorch" in done.stderr


# ---- the other methods, by their formulas ---------------------------------------------------


def moved(kind, g, w=None, lr=0.25, **options):
    w = (torch.zeros_like(g) if w is None else w.clone()).requires_grad_()
    optimizer = kind([w], lr=lr, **options)
    w.grad = g.clone()
    optimizer.step()
    return w.detach()


def test_steepest_descent_has_lp_length_lr_and_the_most_descent():
    """Hoelder with equality: <G, step> = -lr |G|_q."""
    g = drawn(40, seed=1)
    for p in (1.25, 2.0, 4.0):
        step = moved(tt.SteepestDescent, g, p=p)
        assert torch.linalg.vector_norm(step, p).item() == pytest.approx(0.25, rel=1e-13)
        assert (g @ step).item() == pytest.approx(
            -0.25 * torch.linalg.vector_norm(g, p / (p - 1)).item(), rel=1e-13
        )


def test_sign_and_greedy():
    g = torch.tensor([[3.0, -4.0], [4.0, 0.0]])
    assert moved(tt.SignDescent, g).tolist() == [[-0.25, 0.25], [-0.25, 0.0]]
    assert moved(tt.GreedyDescent, g).tolist() == [[0.0, 0.25], [0.0, 0.0]]
    g[0, 0] = math.nan
    assert moved(tt.SignDescent, g).isnan().tolist() == [[True, False], [False, False]]


def test_signum_follows_the_mean():
    """M = .9 M + .1 G: after G = 1 and -5 the mean is negative only when 5 > 0.9."""
    w = torch.zeros(2, requires_grad=True)
    optimizer = tt.optimizer("signum", [w], lr=1.0)
    for g in ([1.0, 1.0], [-5.0, -0.5]):
        w.grad = torch.tensor(g)
        optimizer.step()
    assert w.tolist() == [0.0, -2.0]


@pytest.mark.parametrize("shape", [(4, 4), (7, 3), (3, 8)])
def test_spectral_steps_are_polar_factors(shape):
    """P'P is a projection of the gradient's rank, and <G, P> is the nuclear norm."""
    g = drawn(*shape, seed=2)
    p = -moved(tt.SpectralDescent, g, lr=1.0)
    values = torch.linalg.svdvals(p)
    assert (values - 1).abs().max().item() < 1e-14
    assert (g * p).sum().item() == pytest.approx(
        torch.linalg.matrix_norm(g, "nuc").item(), rel=1e-13
    )
    flat = torch.outer(drawn(5, seed=3), drawn(6, seed=4))  # rank 1
    assert torch.linalg.svdvals(moved(tt.SpectralDescent, flat, lr=1.0))[1] < 1e-13


def test_muon_as_shipped_has_singular_values_near_1():
    """The polynomial leaves them between 0.5 and 1.5 or so; a rank-one matrix has the value of five
    scalar iterations from 1.
    """
    x = 1.0
    for _ in range(5):
        x = 3.4445 * x - 4.7750 * x**3 + 2.0315 * x**5
    flat = torch.outer(drawn(8, seed=3), drawn(2, seed=4))
    step = moved(tt.Muon, flat, lr=1.0, polynomial=True)
    assert torch.linalg.svdvals(step)[0].item() == pytest.approx(2 * abs(x), rel=1e-12)  # sqrt(8/2)


def test_hypentropy_and_eg_by_their_formulas():
    g, w = drawn(20, seed=5), drawn(20, seed=6)
    y = g / g.abs().max()
    close = dict(rtol=1e-13, atol=1e-14)
    torch.testing.assert_close(
        moved(tt.Hypentropy, g, w, width=0.5),
        0.5 * torch.sinh(torch.asinh(w / 0.5) - 0.25 * y),
        **close,
    )
    root = torch.sqrt((w / 2) ** 2 + 1)  # w+ w- = width^2 = 1
    plus, minus = root + w / 2, root - w / 2
    torch.testing.assert_close(
        moved(tt.ExponentiatedGradient, g, w),
        plus * torch.exp(-0.25 * y) - minus * torch.exp(0.25 * y),
        **close,
    )
    torch.testing.assert_close(
        moved(tt.CoshDescent, g, w), torch.asinh(torch.sinh(w) - 0.25 * g / g.abs().sum()), **close
    )
    torch.testing.assert_close(
        moved(tt.CoshDescent, g, w, normalize=False), torch.asinh(torch.sinh(w) - 0.25 * g), **close
    )


def test_polyak_lands_on_the_minimum_of_a_norm():
    """L = |w| has L / |G|^2 = |w|: one step ends at 0."""
    w = drawn(7, seed=7).requires_grad_()
    optimizer = tt.Polyak([w])

    def closure():
        optimizer.zero_grad()
        loss = torch.linalg.vector_norm(w)
        loss.backward()
        return loss

    optimizer.step(closure)
    assert w.abs().max().item() < 1e-15
    with pytest.raises(ValueError, match="needs a closure"):
        optimizer.step()


@pytest.mark.parametrize(
    "name, options, message",
    [
        ("sign", {"p": 3.0}, "SignDescent has no option p"),
        ("muon", {"p": 3.0}, "Muon has no option p"),
        ("nmirror", {"eta": 0.1}, "the step size is lr"),
        ("greedy", {"epsilon": 0.1}, "GreedyDescent has no option epsilon"),
    ],
)
def test_options_that_an_optimiser_has_not_are_refused(
    name: str, options: dict[str, float], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        tt.optimizer(name, [torch.zeros(2, 2, requires_grad=True)], **options)
    with pytest.raises(TypeError, match="the step size is lr"):
        tt.SignDescent([torch.zeros(2, 2, requires_grad=True)], eta=0.1)
