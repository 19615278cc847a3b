"""The encoder of the mirror-descent paper on packed reviews.

Post-LayerNorm blocks without biases, dropout on the attention map and on what attention and MLP add,
learned positions, embeddings N(0, 1), PyTorch's own initialisation elsewhere, and a linear head on
the first token of the last block.

A batch is one row of tokens, review after review, with ``cu`` where each begins; no padding exists.
The last block computes what the head reads, the first tokens, and nothing else. Both leave the
function and its gradients as they are: padding never reached a real token, and nobody reads the other
outputs of the last block. They save two thirds of the arithmetic.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def unpack(x: Tensor, cu: Tensor) -> tuple[Tensor, Tensor]:
    """Packed rows as (reviews, longest, ...) with zeros behind, and the mask of what is real."""
    lengths = cu.diff()
    real = torch.arange(int(lengths.max()), device=x.device) < lengths[:, None]
    padded = x.new_zeros(*real.shape, *x.shape[1:])
    padded[real] = x
    return padded, real


def plain_weights(q: Tensor, k: Tensor, cu_q: Tensor, cu_k: Tensor) -> tuple[Tensor, Tensor]:
    """Softmax weights (reviews, heads, queries, keys), and the mask of real queries."""
    queries, asked = unpack(q, cu_q)
    keys, seen = unpack(k, cu_k)
    scores = torch.einsum("bqhd,bkhd->bhqk", queries, keys) * q.shape[-1] ** -0.5
    return scores.masked_fill(~seen[:, None, None], -torch.inf).softmax(-1), asked


def attend_plain(
    q: Tensor, k: Tensor, v: Tensor, cu_q: Tensor, cu_k: Tensor, most: tuple, dropout: float
) -> Tensor:
    """Attention inside each review, in plain operations: the reference, and what CPUs run."""
    weights, asked = plain_weights(q, k, cu_q, cu_k)
    values, _ = unpack(v, cu_k)
    return torch.einsum("bhqk,bkhd->bqhd", F.dropout(weights, dropout), values)[asked]


def attend_flash(
    q: Tensor, k: Tensor, v: Tensor, cu_q: Tensor, cu_k: Tensor, most: tuple, dropout: float
) -> Tensor:
    """The same by the kernel that torch runs for jagged tensors; its public form for packed tokens
    has no dropout. ``most``: no review has more queries or keys.
    """
    return torch.ops.aten._flash_attention_forward(
        q, k, v, cu_q, cu_k, *most, dropout, False, False
    )[0]


class Block(nn.Module):
    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.up = nn.Linear(width, 4 * width, bias=False)
        self.down = nn.Linear(4 * width, width, bias=False)
        self.norm1 = nn.LayerNorm(width, bias=False)
        self.norm2 = nn.LayerNorm(width, bias=False)

    def split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.heads, -1))

    def forward(self, x: Tensor, cu: Tensor, longest: int, only: Tensor | None = None) -> Tensor:
        """The output at every token, or at the first ones alone, to which ``only`` points."""
        y, cu_q, most = x, cu, (longest, longest)
        if only is not None:
            y, most = x[only], (1, longest)
            cu_q = torch.arange(cu.shape[0], dtype=cu.dtype, device=cu.device)
        rate = self.dropout if self.training else 0.0
        q, k, v = self.split(self.query(y)), self.split(self.key(x)), self.split(self.value(x))
        attend = attend_flash if q.is_cuda and q.dtype == torch.bfloat16 else attend_plain
        mixed = self.out(attend(q, k, v, cu_q, cu, most, rate).flatten(-2))
        y = self.norm1(y + F.dropout(mixed, rate))
        return self.norm2(y + F.dropout(self.down(F.gelu(self.up(y))), rate))


class Encoder(nn.Module):
    def __init__(
        self,
        vocabulary: int,
        length: int = 512,
        width: int = 384,
        heads: int = 3,
        blocks: int = 3,
        dropout: float = 0.2,
    ) -> None:
        super().__init__()
        self.length = length
        self.words = nn.Embedding(vocabulary, width)
        self.places = nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, heads, dropout) for _ in range(blocks))
        self.head = nn.Linear(width, 1, bias=False)

    def before_last(self, ids: Tensor, places: Tensor, cu: Tensor) -> Tensor:
        x = self.words(ids) + self.places(places)
        for block in self.blocks[:-1]:
            x = block(x, cu, self.length)
        return x

    def forward(self, ids: Tensor, places: Tensor, cu: Tensor) -> Tensor:
        """The logit of every review."""
        x = self.before_last(ids, places, cu)
        return self.head(self.blocks[-1](x, cu, self.length, only=cu[:-1])).squeeze(-1)

    @torch.no_grad()
    def look(self, ids: Tensor, places: Tensor, cu: Tensor) -> dict[str, Tensor]:
        """What decides, for every token: the attention of the first token in the last block, averaged
        over heads; how far the token's value moves the first token along the head's weights; and the
        same of its bare embedding. (reviews, longest) each; call it in evaluation mode.
        """
        x = self.before_last(ids, places, cu)
        last = self.blocks[-1]
        one = torch.arange(cu.shape[0], dtype=cu.dtype, device=cu.device)
        q, k = last.split(last.query(x[cu[:-1]])), last.split(last.key(x))
        weights, _ = plain_weights(q, k, one, cu)
        direction = self.head.weight[0]
        value = (last.out(last.value(x)) @ direction).abs()
        word = (self.words(ids) @ direction).abs()
        return {
            "attention": weights[:, :, 0].mean(1),
            "value": unpack(value, cu)[0],
            "word": unpack(word, cu)[0],
        }


def pack(
    tokens: Tensor, starts: Tensor, which: Tensor, total: int
) -> tuple[Tensor, Tensor, Tensor]:
    """The reviews ``which`` as one row: tokens, their places in the review, and where each begins.
    ``total`` is the number of their tokens; to ask the device for it would be to wait for it.
    """
    lengths = starts[which + 1] - starts[which]
    cu = F.pad(lengths.cumsum(0), (1, 0))
    review = torch.repeat_interleave(
        torch.arange(len(which), device=which.device), lengths, output_size=total
    )
    places = torch.arange(total, device=which.device) - cu[review]
    ids = tokens[starts[which][review] + places]
    return ids.long(), places, cu.int()
