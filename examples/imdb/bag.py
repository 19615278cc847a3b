"""The referee's baseline: logistic regression on a bag of the same tokens.

    python bag.py --data imdb.npz --out runs/bag.json

Features are tf-idf: 1 + log of the count of a token in the review, times the log of how rare its
reviews are, scaled to length 1. Validation, the half of the test reviews that also chooses epochs,
chooses the weight of the l2 penalty.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from train import Data, bits, commit

PENALTIES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)


def features(data: Data) -> Tensor:
    """One sparse row a review; rareness is counted over the training reviews."""
    tokens = data.tokens.numpy()
    count, vocabulary = len(data.lengths), data.vocabulary
    review = np.repeat(np.arange(count), data.lengths)
    pairs, times = np.unique(review * vocabulary + tokens, return_counts=True)
    rows, columns = np.divmod(pairs, vocabulary)
    seen = np.bincount(columns[rows < len(data.train)], minlength=vocabulary)
    values = (1 + np.log(times)) * np.log((1 + len(data.train)) / (1 + seen[columns]))
    norms = np.sqrt(np.bincount(rows, values**2, minlength=count))
    values /= np.maximum(norms[rows], 1e-12)
    pointers = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=count))])
    return torch.sparse_csr_tensor(
        torch.from_numpy(pointers),
        torch.from_numpy(columns),
        torch.from_numpy(values.astype(np.float32)),
        (count, vocabulary),
    )


def fit(x: Tensor, y: Tensor, penalty: float, w: Tensor) -> Tensor:
    """Weights, and the bias last, that minimise the summed loss + penalty |w|^2 / 2, from w on."""
    w = w.clone().requires_grad_()
    optimizer = torch.optim.LBFGS([w], max_iter=200, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        optimizer.zero_grad()
        logits = (x @ w[:-1, None]).squeeze(1) + w[-1]
        loss = F.binary_cross_entropy_with_logits(logits, y, reduction="sum")
        loss = loss + 0.5 * penalty * w[:-1].square().sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return w.detach()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", required=True, help="imdb.npz, of prepare.py")
    parser.add_argument("--out", required=True, type=Path, help="file of the record")
    options = parser.parse_args()
    data = Data(options.data, torch.device("cpu"), 0, 512)
    x = features(data)
    train = len(data.train)
    # The training rows come first: the same arrays, fewer of them.
    ends = x.crow_indices()[: train + 1]
    last = int(ends[-1])
    x_train = torch.sparse_csr_tensor(
        ends, x.col_indices()[:last], x.values()[:last], (train, x.shape[1])
    )
    w = torch.zeros(data.vocabulary + 1)
    tried = []
    for penalty in sorted(PENALTIES, reverse=True):
        w = fit(x_train, data.labels[:train], penalty, w)
        right = ((x @ w[:-1, None]).squeeze(1) + w[-1] > 0) == (data.labels > 0.5)
        tried.append((float(right[data.validation].float().mean()), penalty, right))
        print(f"penalty {penalty:g}: validation {tried[-1][0]:.5f}", flush=True)
    best = max(tried, key=lambda t: t[0])
    record = {
        "model": "logistic regression, tf-idf of the tokens",
        "penalty": best[1],
        "at the edge": best[1] in (min(PENALTIES), max(PENALTIES)),
        "train_accuracy": round(float(best[2][:train].float().mean()), 6),
        "validation": {f"{penalty:g}": round(value, 6) for value, penalty, _ in tried},
        "test": round(float(best[2][data.test].float().mean()), 6),
        "test_right": bits(best[2][data.test]),
        "commit": commit(),
    }
    options.out.write_text(json.dumps(record) + "\n")
    print(f"test {record['test']:.5f} at penalty {best[1]:g}")


if __name__ == "__main__":
    main()
