"""What is measured of a trained encoder: sparsity of its weights, and the words that it attends to."""

from __future__ import annotations

import torch
from torch import Tensor

from model import Encoder, pack, unpack
from flags import FAKE, LEXICON, WORD

KINDS = ("query", "key", "value")


def hoyer(w: Tensor) -> float:
    """(sqrt n - l1/l2) / (sqrt n - 1): 0 when all entries have one size, 1 when one alone is not 0.
    Free of scale.
    """
    w = w.detach().double().flatten()
    root = w.numel() ** 0.5
    return float((root - w.norm(1) / w.norm(2)) / (root - 1))


def share_of_90(w: Tensor) -> float:
    """The share of the entries, the largest first, that carries 90% of the l1 norm. Free of scale."""
    sizes = w.detach().double().abs().flatten().sort(descending=True).values
    carried = sizes.cumsum(0)
    return float((carried < 0.9 * carried[-1]).sum() + 1) / sizes.numel()


def sparsity(model: Encoder) -> dict[str, list[float]]:
    """Of W_Q, W_K and W_V: mean over the blocks of Hoyer's measure and of the share that carries 90%,
    the paper's share of entries above .06, and the largest entry.
    """
    result = {}
    for kind in KINDS:
        ws = [getattr(block, kind).weight.detach() for block in model.blocks]
        above = sum(int((w.abs() > 0.06).sum()) for w in ws) / sum(w.numel() for w in ws)
        numbers = [
            sum(map(hoyer, ws)) / len(ws),
            sum(map(share_of_90, ws)) / len(ws),
            above,
            max(float(w.abs().max()) for w in ws),
        ]
        result[kind] = [round(x, 6) for x in numbers]
    return result


def keep_largest(model: Encoder, share: float) -> None:
    """Sets all but the largest entries of W_Q, W_K and W_V to 0, matrix by matrix."""
    for block in model.blocks:
        for kind in KINDS:
            w = getattr(block, kind).weight.data
            count = max(1, round(share * w.numel()))
            edge = w.abs().flatten().kthvalue(w.numel() - count + 1).values
            w[w.abs() < edge] = 0


def auc(scores: Tensor, positive: Tensor, real: Tensor) -> Tensor:
    """Within each row, the chance that a positive token has the larger score than another one, ties
    counting half; NaN where a row has one kind only.
    """
    negative = real & ~positive
    positive = real & positive
    more = scores[:, :, None] - scores[:, None, :]
    wins = (more > 0).float() + 0.5 * (more == 0).float()
    pairs = positive[:, :, None] & negative[:, None, :]
    return (wins * pairs).sum((1, 2)) / pairs.sum((1, 2))


@torch.no_grad()
def pivots(model: Encoder, tokens: Tensor, flags: Tensor, starts: Tensor, which: Tensor) -> dict:
    """Within-review AUC of three scores against the lexicon and the fake lexicon, review by review;
    and the attention on words of each lexicon over what uniform attention would give them.
    """
    out: dict[str, list[Tensor]] = {}
    for part in which.split(25):
        total = int((starts[part + 1] - starts[part]).sum())
        ids, places, cu = pack(tokens, starts, part, total)
        marks, _ = unpack(pack(flags, starts, part, total)[0], cu)
        real = (marks & WORD) != 0
        seen = model.look(ids, places, cu)
        for lexicon, bit in (("lexicon", LEXICON), ("fake", FAKE)):
            inside = (marks & bit) != 0
            for name, scores in seen.items():
                out.setdefault(f"{name} {lexicon}", []).append(auc(scores, inside, real))
            weights = seen["attention"] * real
            mass = (weights * inside).sum(1) / weights.sum(1)
            even = inside.sum(1) / real.sum(1)
            out.setdefault(f"lift {lexicon}", []).append(mass / even)
    return {name: [round(x, 3) for x in torch.cat(parts).tolist()] for name, parts in out.items()}


@torch.no_grad()
def short_sentences(model: Encoder, words: Tensor, carriers: Tensor) -> float:
    """The paper's score on our own sentences: the attention of the first token in the last block,
    moved and scaled so that its least value in the sentence ([CLS] and [SEP] among them) is 0 and its
    largest 1; the value at the decisive word, averaged.
    """
    values = []
    for carrier in carriers:
        sentence = carrier[carrier != -2]
        ids = sentence.repeat(len(words), 1)
        at = int((sentence == -1).nonzero()[0])
        ids[:, at] = words
        count, length = ids.shape
        cu = torch.arange(0, (count + 1) * length, length, dtype=torch.int32, device=ids.device)
        places = torch.arange(length, device=ids.device).repeat(count)
        seen = model.look(ids.flatten(), places, cu)["attention"]
        low, high = seen.amin(1), seen.amax(1)
        values.append((seen[:, at] - low) / (high - low))
    return float(torch.cat(values).mean())
