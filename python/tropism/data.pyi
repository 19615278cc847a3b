"""Training data. Written by tropism._stubs from the library's own tables."""

from collections.abc import Iterable
from os import PathLike
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

class Dataset:
    """Training data: X (n, T, d) tokens, y labels, z queries, v decoder, K keys; or E, ids and next
    of next-token data. What is absent is None."""

    def __init__(self, **arrays: ArrayLike | None) -> None: ...
    @property
    def X(self) -> NDArray[np.float64] | None:
        """tokens (n, T, d)"""
    @property
    def y(self) -> NDArray[np.float64] | None:
        """labels, each -1 or 1: (n), or (n, T) of sequences"""
    @property
    def z(self) -> NDArray[np.float64] | None:
        """queries: (n, d), or (n, T, d) of sequences"""
    @property
    def v(self) -> NDArray[np.float64] | None:
        """decoder (d), or (heads, d)"""
    @property
    def K(self) -> NDArray[np.float64] | None:
        """keys apart from the tokens (n, T, dk)"""
    @property
    def E(self) -> NDArray[np.float64] | None:
        """embeddings of a vocabulary (words, d)"""
    @property
    def ids(self) -> NDArray[np.int64] | None:
        """which word stands at each place (n, T)"""
    @property
    def next(self) -> NDArray[np.int64] | None:
        """which word follows (n)"""
    @staticmethod
    def keys() -> list[str]: ...
    def arrays(self) -> dict[str, NDArray[np.float64] | NDArray[np.int64]]: ...
    def save(self, path: str | PathLike[str]) -> None: ...

class Corpus:
    """Items of different lengths with their classes, to learn from: texts, images or vectors.
    
    `len(corpus)` items with `labels`, numbers of `classes`; their tokens are `ids`, numbers of
    `words`, or `vectors`, those of item i from `offsets[i]` to `offsets[i + 1] - 1`."""

    @property
    def name(self) -> str:
        """Where it came from: a name, a file, or "texts"."""
    @property
    def classes(self) -> list[str]:
        """The names of the classes."""
    @property
    def words(self) -> list[str] | None:
        """The vocabulary: the word of each id; None when tokens have no names."""
    @property
    def texts(self) -> list[str] | None:
        """The text of every item; None when they are no texts."""
    @property
    def ids(self) -> NDArray[np.int32] | None:
        """The words of all items one behind the other, numbers into `words`; None: `vectors`."""
    @property
    def vectors(self) -> NDArray[np.float64] | None:
        """The tokens of all items one behind the other, (tokens, width); None: `ids`."""
    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where the tokens of each item begin, and behind the last where they end, (items + 1)."""
    @property
    def labels(self) -> NDArray[np.int64]:
        """The class of each item, a number into `classes`."""
    @property
    def splits(self) -> NDArray[np.int64] | None:
        """0 train, 1 validation, 2 test of each item; None: train() draws them."""
    @property
    def lexicon(self) -> NDArray[np.int64] | None:
        """Of each word: 1 when it is in the lexicon that was named; None: there is none."""
    def __len__(self) -> int: ...
    def encode(self, sentence: str) -> NDArray[np.int32]:
        """The tokens of any text, as numbers into `words`; 0 stands for a word that is unknown."""
    def split(self, sentence: str) -> list[str]:
        """The same tokens as texts, unknown ones as they are written in the text."""

def text(
    texts: str | PathLike[str] | Iterable[str],
    labels: Iterable[str | int] | None = None,
    splits: Iterable[str | int] | None = None,
    *,
    tokenizer: Literal['words', 'wordpiece'] | None = None,
    wordpiece: str | PathLike[str] | None = None,
    vocabulary: int | None = None,
    min_count: int | None = None,
    max_length: int | None = None,
    patch: int | None = None,
    lexicon: str | PathLike[str] | None = None,
    columns: str | PathLike[str] | None = None,
) -> Corpus:
    """Texts to learn from: a list with a label for each (texts or whole numbers) and, if need be,
    its split ("train", "validation" or "test"); or a file or name, as `sequences` reads it.
    
    Options are those of train() that are about reading: vocabulary, min_count, max_length,
    tokenizer, wordpiece, lexicon, columns."""

def sequences(
    source: str | PathLike[str] | Iterable[ArrayLike],
    labels: Iterable[int] | None = None,
    splits: Iterable[str | int] | None = None,
    *,
    words: int | None = None,
    tokenizer: Literal['words', 'wordpiece'] | None = None,
    wordpiece: str | PathLike[str] | None = None,
    vocabulary: int | None = None,
    min_count: int | None = None,
    max_length: int | None = None,
    patch: int | None = None,
    lexicon: str | PathLike[str] | None = None,
    columns: str | PathLike[str] | None = None,
) -> Corpus:
    """Sequences of a file or by name: "mr" (film reviews), "digits" (small images), tables of texts
    .tsv and .csv, .zip, images ...-ubyte, ragged arrays .npz and FILE.h5:/group (docs/data.md).
    
    Or a list of arrays, with a label (a whole number) for each and if need be its split: vectors
    (T, width), or words (T) below `words`; T may differ from one to the next.
    
    Options are those of train() that are about reading: vocabulary, min_count, max_length,
    tokenizer, wordpiece, patch, lexicon, columns."""

def load(path: str | PathLike[str]) -> Dataset:
    """Data of a file .json or .h5, a folder of .npy, or the file of a result."""

def sets() -> dict[str, str]:
    """The papers' sets: their names and what they are."""

def named(name: str, n: int = 0, T: int = 0, d: int = 0, seed: int | None = None) -> Dataset:
    """A set of the papers by name; sizes (0: its own) and seed (None: the published one) are for
    those that are drawn."""

def mm_fig_1a(n: int = 0, T: int = 0, d: int = 0, seed: int | None = None) -> Dataset:
    """P1 figure 1(a): one input whose best token wins from everywhere"""

def mm_fig_1b(n: int = 0, T: int = 0, d: int = 0, seed: int | None = None) -> Dataset:
    """P1 figure 1(b): one input with two locally optimal tokens"""

def mm_fig_1c(n: int = 0, T: int = 0, d: int = 0, seed: int | None = None) -> Dataset:
    """P1 figures 1(c) and 4: three inputs of seven tokens, drawn by PyTorch"""

def mm_fig_1c_tokens(n: int = 0, T: int = 0, d: int = 0, seed: int | None = None) -> Dataset:
    """mm-fig-1c with the tokens as keys, score and all, as the authors' SVM"""

def mm_fig_3a(n: int = 0, T: int = 0, d: int = 0, seed: int | None = None) -> Dataset:
    """P1 figure 3(a): joint training, every input supports the label problem"""

def mm_fig_3b(n: int = 0, T: int = 0, d: int = 0, seed: int | None = None) -> Dataset:
    """P1 figure 3(b): joint training, the third input does not support it"""

def mm_fig_5(n: int = 0, T: int = 0, d: int = 0, seed: int | None = None) -> Dataset:
    """P1 figure 5: two inputs with the scores 10 and 1"""

def mm_fig_8(n: int = 0, T: int = 0, d: int = 0, seed: int | None = None) -> Dataset:
    """P1 figure 8: gradient descent that misses the global direction; our numbers"""

def mm_fig_9(n: int = 0, T: int = 0, d: int = 0, seed: int | None = None) -> Dataset:
    """P1 figures 9 and 10: tokens and decoder uniform on the sphere; our draws"""

def tf_fig_1(n: int = 0, T: int = 0, d: int = 0, seed: int | None = None) -> Dataset:
    """P2 figure 1: two inputs in the plane, drawn by PyTorch"""

def tf_fig_1b(n: int = 0, T: int = 0, d: int = 0, seed: int | None = None) -> Dataset:
    """P2's second picture like figure 1: five tokens, drawn by PyTorch"""

def attsvm(n: int = 0, T: int = 0, d: int = 0, seed: int | None = None) -> Dataset:
    """P2 figures 4 to 7 and MD: unit tokens and queries, drawn by PyTorch"""

def md_joint(n: int = 0, T: int = 0, d: int = 0, seed: int | None = None) -> Dataset:
    """MD's joint experiment: two inputs in the plane, the query their first token"""

def ntp(n: int = 0, T: int = 0, d: int = 0, seed: int | None = None) -> Dataset:
    """next tokens of a vocabulary of 6 words (Li et al. 2024); our draws"""

def benign(n: int = 0, T: int = 0, d: int = 0, seed: int | None = None) -> Dataset:
    """signal in one token, weak in two, labels with noise (Sakamoto, Sato 2025)"""

def benign2(n: int = 0, T: int = 0, d: int = 0, seed: int | None = None) -> Dataset:
    """a token of signal and one of noise, labels with noise (Magen et al. 2025)"""
