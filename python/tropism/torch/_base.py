"""What the optimisers share: a step in the dual variable, which is the state that is kept.

    u = map(w) at the first step,   u <- u - lr d,   w = inverse map(u)

d is the gradient, with weight decay and momentum as torch.optim.SGD has them, both applied in the
dual:

    g <- g + weight_decay u                 the gradient of weight_decay times the potential
    b <- momentum b + (1 - dampening) g     d = b, or g + momentum b (nesterov)

With decoupled_weight_decay the first line is u <- (1 - lr weight_decay) u instead, which momentum
and normalisation do not see. With the identity map all this is SGD, operation by operation.

The weights are derived from u after each step and never read back, so that a weight that has
underflowed is not lost and one in bfloat16 does not stall. What others do to a parameter between
steps (load_state_dict of a module, pruning, clamping, ``.data``, vector_to_parameters) is taken
over: the weights that a step wrote are kept, and entries that no longer are what was written are
taken from the parameter. The values are compared, since torch counts no change through ``.data``.
The copy is not part of state_dict: where it is missing, u gives what was written.

torch.compile leaves a step as it is: a state that is compared with the weights to the last bit must
not come from two programs, and the comparison would be compiled anew in every step.

Where the map is the identity and the parameter is at least float32, the parameter itself is u and
nothing is stored.
"""

from __future__ import annotations

import math
from typing import Any, Optional, Union
from collections.abc import Callable, Iterable

import torch
from torch import Tensor
from torch._compile import _disable_dynamo
from torch.optim import Optimizer

from ._each import Each, Foreach, Loop, Tensors, cast
from ._shard import agreed, check, local, sharded, spread_as

Params = Union[Iterable[Tensor], Iterable[dict[str, Any]], Iterable[tuple[str, Tensor]]]
Closure = Optional[Callable[[], Any]]
Group = dict[str, Any]

MASTERS = ("dual", "momentum_buffer")  # state that load_state_dict leaves in its own dtype


def require(good: bool, name: str, value: object, rule: str) -> None:
    """ValueError with the culprit and the rule, unless good."""
    if not good:
        raise ValueError(f"{name} = {value}: must be {rule}")


class DualOptimizer(Optimizer):
    """Base class of the optimisers of this package; not for use by itself.

    A subclass gives the map, its inverse and the direction of a step, each on a list of tensors.
    """

    _separable = True  # the map acts on each entry by itself

    def __init__(self, params: Params, defaults: dict[str, Any]) -> None:
        self._written: dict[Tensor, Tensor] = {}  # weights of the last step; none of loaded duals
        super().__init__(params, defaults)

    # ---- what a subclass may say -----------------------------------------------------------

    def _check(self, group: Group) -> None:
        """Refuses options out of range."""

    def _shape(self, group: Group) -> float:
        """A number that says which map it is: duals are rebuilt when it changes."""
        return 0.0

    def _identity(self, group: Group) -> bool:
        return True

    def _master(self, group: Group, dtype: torch.dtype) -> torch.dtype:
        return torch.float64 if dtype == torch.float64 else torch.float32

    def _dual_of(self, group: Group, ws: Tensors, each: Each) -> Tensors:
        return each.clone(ws)

    def _weights_of(self, group: Group, us: Tensors, each: Each) -> Tensors:
        return us

    def _direction(self, group: Group, gs: Tensors, us: Tensors, each: Each) -> Tensors:
        """What u moves along, times -lr, from the gradients gs."""
        return gs

    def _whole(self, group: Group) -> bool:
        """The direction of a tensor depends on the others of its group."""
        return False

    # ---- torch's interface -----------------------------------------------------------------

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds a group of parameters with its own options, as in torch.optim."""
        super().add_param_group(param_group)
        try:
            group = self.param_groups[-1]
            self._check_common(group)
            self._check(group)
            for p in group["params"]:
                if not p.is_floating_point():
                    raise TypeError(
                        f"{type(self).__name__}: a parameter is {p.dtype}: "
                        "must be real floating point"
                    )
        except (TypeError, ValueError):
            self.param_groups.pop()
            raise

    @_disable_dynamo
    @torch.no_grad()
    def step(self, closure: Closure = None) -> Any:
        """One step. closure, if given, computes the loss and the gradients again; its value is
        returned.
        """
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            self._step_group(group)
        return loss

    @torch.no_grad()
    def sync_dual(self) -> None:
        """Takes the dual variables from the parameters as they are now, also those of entries that
        did not change.
        """
        for group in self.param_groups:
            for p in group["params"]:
                if self.state[p].get("dual") is not None:
                    self._make_dual(group, p)

    def dual(self, p: Tensor) -> Tensor | None:
        """The dual variable of parameter p: the state itself, not a copy. None before the first
        step; p itself where the map is the identity.
        """
        if p not in self.state or not self.state[p]:
            return None
        return self._dual(p)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Loads what state_dict returned, bit for bit: dual variables keep their dtype, which
        torch's own loader would change to the parameter's.
        """
        super().load_state_dict(state_dict)
        saved = [k for group in state_dict["param_groups"] for k in group["params"]]
        params = [p for group in self.param_groups for p in group["params"]]
        for k, p in zip(saved, params):
            for name in MASTERS:
                value = state_dict["state"].get(k, {}).get(name)
                if value is not None:
                    value = spread_as(value.detach(), p)
                    self.state[p][name] = value.to(device=p.device, copy=True)
        self._written = {}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._written = {}
        for group in self.param_groups:
            for name, value in self.defaults.items():
                group.setdefault(name, value)

    # ---- a step ----------------------------------------------------------------------------

    def _check_common(self, group: Group) -> None:
        lr = group["lr"]
        require(math.isfinite(float(lr)) and float(lr) >= 0, "lr", lr, "at least 0")
        momentum = group.get("momentum", 0.0)
        require(0 <= momentum < math.inf, "momentum", momentum, "at least 0")
        decay = group.get("weight_decay", 0.0)
        require(0 <= decay < math.inf, "weight_decay", decay, "at least 0")
        nesterov = group.get("nesterov", False)
        require(
            not nesterov or (momentum > 0 and group.get("dampening", 0.0) == 0),
            "nesterov",
            nesterov,
            "False, or with momentum and no dampening",
        )
        master = group.get("master_dtype")
        require(
            master in (None, torch.float32, torch.float64),
            "master_dtype",
            master,
            "torch.float32, torch.float64 or None",
        )

    def _step_group(self, group: Group) -> None:
        params = [p for p in group["params"] if p.grad is not None]
        for p in params:
            if p.grad.is_sparse:
                raise RuntimeError(
                    f"{type(self).__name__}: a gradient is sparse: only dense gradients are "
                    "supported; use sparse=False in the embedding"
                )
            check(p, p.grad, type(self).__name__)
        foreach = group.get("foreach")
        if foreach is None:
            foreach = bool(params) and all(p.device.type in ("cuda", "xpu") for p in params)
        if any(sharded(p) is not None for p in params):
            foreach = False  # PyTorch 2.11 has not all of its operations for DTensors
        each: Each = Foreach if foreach else Loop
        for p in params:
            if self.state[p].get("map") != self._shape(group):
                self._make_dual(group, p)
        for batch in self._batches(group, params, foreach):
            self._step_batch(group, batch, each)

    def _batches(self, group: Group, params: Tensors, foreach: bool) -> list[Tensors]:
        """Lists that are stepped together: a tensor at a time stays in the cache of a CPU; foreach
        kernels want one dtype and device.
        """
        if not params:
            return []
        if self._whole(group):
            return [params]
        if not foreach:
            return [[p] for p in params]
        kinds: dict[tuple[torch.device, torch.dtype, torch.dtype], Tensors] = {}
        for p in params:
            kinds.setdefault((p.device, p.dtype, self._dual(p).dtype), []).append(p)
        return list(kinds.values())

    def _dual(self, p: Tensor) -> Tensor:
        kept: Tensor = self.state[p].get("dual", p)
        return kept

    def _step_batch(self, group: Group, params: Tensors, each: Each) -> None:
        self._take_over(group, params, each)
        lr = float(group["lr"])
        us = [self._dual(p) for p in params]
        ds = self._moving(group, params, us, each)
        ds = self._direction(group, ds, us, each)
        decay = group.get("weight_decay", 0.0)
        if decay != 0 and group.get("decoupled_weight_decay", False):
            each.scale_(us, 1 - lr * decay)
        each.plus_(us, ds, -lr)
        derived = [(p, u) for p, u in zip(params, us) if u is not p]
        if derived and lr != 0:  # at lr = 0, u has not moved, and weights keep their bits
            ws = self._weights_of(group, [u for _, u in derived], each)
            kept = [self._written[p] for p, _ in derived]
            each.copy_(kept, ws)
            each.copy_([p for p, _ in derived], kept)

    def _moving(self, group: Group, params: Tensors, us: Tensors, each: Each) -> Tensors:
        """The gradients, with the sign of maximize, weight decay and momentum."""
        gs: Tensors = [p.grad for p in params if p.grad is not None]
        if group.get("maximize", False):
            gs = each.negative(gs)
        decay = group.get("weight_decay", 0.0)
        if decay != 0 and not group.get("decoupled_weight_decay", False):
            gs = each.plus([g.to(u.dtype) for g, u in zip(gs, us)], us, decay)
        return self._average(group, params, gs, each) if group.get("momentum", 0.0) != 0 else gs

    def _average(self, group: Group, params: Tensors, gs: Tensors, each: Each) -> Tensors:
        """SGD's momentum: the buffer starts as the first gradient. It has the dtype of the
        parameter, and at least float32.
        """
        momentum = group["momentum"]
        old = [(p, g) for p, g in zip(params, gs) if "momentum_buffer" in self.state[p]]
        for p, g in zip(params, gs):
            if "momentum_buffer" not in self.state[p]:
                wide = torch.float64 if p.dtype == torch.float64 else torch.float32
                self.state[p]["momentum_buffer"] = g.detach().to(wide, copy=True)
        if old:
            kept = [self.state[p]["momentum_buffer"] for p, _ in old]
            each.scale_(kept, momentum)
            each.plus_(kept, [g for _, g in old], 1 - group.get("dampening", 0.0))
        buffers = [self.state[p]["momentum_buffer"] for p in params]
        if group.get("nesterov", False):
            wide_gs = [g.to(torch.promote_types(g.dtype, b.dtype)) for g, b in zip(gs, buffers)]
            return each.plus(wide_gs, buffers, momentum)
        return buffers

    # ---- the dual variable -----------------------------------------------------------------

    def _take_over(self, group: Group, params: Tensors, each: Each) -> None:
        """The duals of params agree with them."""
        known = [p for p in params if "dual" in self.state[p]]
        kept = [self._kept(group, p, each) for p in known]
        same = each.equal(known, kept)
        if not (same if self._separable else agreed(same, known)):
            for p, w in zip(known, kept):
                self._adopt(group, p, p == w, each)
                self._written[p] = torch.empty_like(p)  # for the step; p may have another dtype

    def _kept(self, group: Group, p: Tensor, each: Each) -> Tensor:
        """What the last step wrote to p; without a copy of it what the dual gives by the operations
        of a step, which is equal to the last bit.
        """
        if p not in self._written:
            self._written[p] = self._weights_of(group, [self._dual(p)], each)[0].to(p.dtype)
        return self._written[p]

    def _make_dual(self, group: Group, p: Tensor) -> None:
        state = self.state[p]
        state["map"] = self._shape(group)
        state.pop("dual", None)
        dtype = group.get("master_dtype") or self._master(group, p.dtype)
        if p.device.type == "mps":
            dtype = torch.float32  # it has no float64
        if not self._identity(group) or (
            dtype != p.dtype and torch.finfo(dtype).eps < torch.finfo(p.dtype).eps
        ):
            state["dual"] = self._dual_of(group, cast([p.detach()], dtype), Loop)[0]
            if state["dual"].data_ptr() == p.data_ptr():
                state["dual"] = state["dual"].clone()
            self._written[p] = p.detach().clone()

    def _adopt(self, group: Group, p: Tensor, same: Tensor, each: Each) -> None:
        """Takes from p the entries that are not the same."""
        u = self.state[p]["dual"]
        fresh = self._dual_of(group, cast([p.detach()], u.dtype), each)[0]
        if self._separable:
            fresh = torch.where(same, u, fresh)
        all_same = bool(local(same).all())
        if not (all_same if self._separable else agreed(all_same, [p])):
            self.state[p]["dual"] = fresh
