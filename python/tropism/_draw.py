"""Results on the axes of matplotlib: the arrays, drawn plainly, for pictures of one's own.

The library's own pictures (`plot()` without `ax`) are the complete ones.
"""

import numpy as np

from ._library import Error


def _plane(ax):
    ax.set_aspect("equal")
    ax.set_xlabel("first coordinate")
    ax.set_ylabel("second coordinate")


def _flow(flow, ax, **style):
    """Paths of the tokens where they were recorded, and where they are."""
    x = flow.tokens
    if x.shape[1] < 2:
        raise Error("plot: tokens on a line have no picture")
    record = flow.record
    if "tokens" in record:
        for way in np.swapaxes(record["tokens"], 0, 1):
            ax.plot(way[:, 0], way[:, 1], color="0.7", linewidth=0.6, zorder=1)
    labels = flow.labels
    ax.scatter(x[:, 0], x[:, 1], c=labels, cmap="tab10", zorder=2, **{"s": 16, **style})
    _plane(ax)


def _cells(cells, ax, **style):
    x = cells.tokens
    if cells.cells is None:
        raise Error("plot: cells have a picture in two dimensions")
    for k, cell in enumerate(cells.cells):
        corners = cell.polygon
        if corners is not None and len(corners):
            ax.fill(corners[:, 0], corners[:, 1], color=f"C{k % 10}", alpha=0.3, linewidth=0)
    ax.scatter(x[:, 0], x[:, 1], color="k", **{"s": 8, **style})
    _plane(ax)


def _curves(table, ax, x, names, **style):
    for name in names:
        values = table[name] if name in table.keys() else None
        if not (isinstance(values, np.ndarray) and np.isfinite(values).any()):
            raise Error(f"kind = {name}: has no numbers here; columns are {', '.join(table.keys())}")
        ax.plot(table[x], values, label=name, **style)
    ax.set_xlabel(x)
    ax.set_ylabel(names[0])


def _copies(copies, ax, **style):
    means = copies.means
    ax.errorbar(means["beta"], means["clusters"], yerr=means["clusters_error"], **style)
    ax.set_xlabel("beta")
    ax.set_ylabel("mean number of clusters")


def _escape(escape, ax, **style):
    ax.plot(escape.betas["beta"], escape.betas["log10_median"], **{"marker": "o", **style})
    ax.set_xlabel("beta")
    ax.set_ylabel("log10 of the median exit")


def _threshold(threshold, ax, **style):
    low = threshold.low if threshold.low is not None else 0.0
    ax.axvspan(low, threshold.high, **{"alpha": 0.4, **style})
    ax.set_xlabel("epsilon")


def _margin(margin, ax, **style):
    weights = next(w for w in (margin.weights[k] for k in margin.weights) if w is not None)
    picture = ax.imshow(np.atleast_2d(weights), **{"cmap": "RdBu_r", **style})
    ax.figure.colorbar(picture, ax=ax)


def _train(train, ax, kind, **style):
    table = train.history
    _curves(table, ax, "step", [kind or "bregman"], **style)
    ax.set_xscale("symlog")
    if kind in (None, "bregman", "loss"):
        ax.set_yscale("log")


def _path(path, ax, kind, **style):
    _curves(path.radii, ax, "radius", [kind or "bregman"], **style)
    ax.set_yscale("log")


def draw(result, ax, kind=None, **style):
    """Draws on ax and returns it. kind: of train and path, which column of the list."""
    if "title" in style:
        ax.set_title(style.pop("title"))
    verb = type(result).__name__
    one = {"Flow": _flow, "Cells": _cells, "Copies": _copies, "Escape": _escape,
           "Threshold": _threshold, "Margin": _margin}
    two = {"Train": _train, "Path": _path}
    if verb in two:
        two[verb](result, ax, kind, **style)
    elif verb in one:
        if kind is not None:
            raise Error(f"kind = {kind}: the axes of matplotlib have one picture of {result._verb}")
        one[verb](result, ax, **style)
    else:
        raise Error(f"plot: there is no picture of {result._verb}")
    return ax
