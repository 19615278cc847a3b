"""From reviews to one file of word numbers, which is all that training reads.

    python prepare.py --reviews imdb.tsv.xz --words imdb.vocab.xz --ratings imdbEr.txt.xz --out afz.npz

The reviews are lines of split, label, id, rating and text, separated by tabs. Words are runs of letters
in lower case; tags of HTML and the words of the list STOP are left out; a review keeps its first
--length words. As in the paper, all 50,000 reviews are shuffled together and the first 70% train.
The paper also reduces words to their lemmas; this does not.

imdb.vocab.xz and imdbEr.txt.xz come with the reviews: words, and for each its expected rating, which
tells how much more often it stands in good reviews than in bad ones.
"""

from __future__ import annotations

import argparse
import lzma
import re
from collections import Counter

import numpy as np

SHUFFLE_SEED = 0
PADDING, UNKNOWN = 0, 1

# Words of grammar. Negations stay: they decide.
STOP = set(
    """a about above after again all am an and any are as at be because been before being below
    between both but by can could d did do does doing down during each few for from further had has
    have having he her here hers herself him himself his how i if in into is it its itself just ll m
    me more most my myself now o of off on once only or other our ours ourselves out over own re s
    same she should so some such t than that the their theirs them themselves then there these they
    this those through to too under until up ve very was we were what when where which while who
    whom why will with would y you your yours yourself yourselves br""".split()
)


def read(path: str) -> list[tuple[int, list[str]]]:
    """Label and words of every review."""
    reviews = []
    with lzma.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        for number, line in enumerate(lines, 1):
            fields = line.rstrip("\n").split("\t")
            if len(fields) != 5 or fields[1] not in "01":
                raise SystemExit(f"{path}, line {number}: expected split, label, id, rating, text")
            text = re.sub(r"<[^>]*>", " ", fields[4].lower())
            words = [w for w in re.findall(r"[a-z]+", text) if w not in STOP]
            reviews.append((int(fields[1]), words))
    return reviews


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--reviews", required=True, help="imdb.tsv.xz")
    parser.add_argument("--words", required=True, help="imdb.vocab.xz")
    parser.add_argument("--ratings", required=True, help="imdbEr.txt.xz")
    parser.add_argument("--length", type=int, default=128, help="words that are kept of a review")
    parser.add_argument("--out", required=True, help="afz.npz")
    options = parser.parse_args()

    reviews = read(options.reviews)
    order = np.random.default_rng(SHUFFLE_SEED).permutation(len(reviews))
    reviews = [reviews[i] for i in order]
    train = int(0.7 * len(reviews))
    counts = Counter(w for _, words in reviews[:train] for w in words[: options.length])
    names = ["<padding>", "<unknown>", *sorted(counts, key=lambda w: (-counts[w], w))]
    number = {w: i for i, w in enumerate(names)}
    ids = np.full((len(reviews), options.length), PADDING, dtype=np.uint32)
    for row, (_, words) in zip(ids, reviews):
        kept = [number.get(w, UNKNOWN) for w in words[: options.length]]
        row[: len(kept)] = kept
    with (
        lzma.open(options.words, "rt", encoding="utf-8") as words,
        lzma.open(options.ratings, "rt") as ratings,
    ):
        expected = {w.strip(): float(r) for w, r in zip(words, ratings)}
    np.savez_compressed(
        options.out,
        ids=ids,
        labels=np.array([label for label, _ in reviews], dtype=np.uint8),
        train=np.array(train),
        counts=np.array([counts.get(w, 0) for w in names]),
        words=np.array("\n".join(names).encode()),
        rating=np.array([expected.get(w, np.nan) for w in names], dtype=np.float32),
    )
    full = (ids != PADDING).mean()
    print(f"{len(reviews)} reviews, {len(names)} words, {full:.3f} of the places are words")


if __name__ == "__main__":
    main()
