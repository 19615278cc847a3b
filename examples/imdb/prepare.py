"""From reviews to one file of token numbers, which is all that training reads.

    python prepare.py --reviews imdb.tsv.xz --vocabulary vocab.txt --lexicon opinion_lexicon.zip \
        --out imdb.npz

The reviews are lines of split, label, id, rating and text, separated by tabs. Tokens are WordPiece, as
BERT's uncased tokenizer makes them: [CLS], the pieces, [SEP], cut after --length tokens, so that a
long review has no [SEP]. That is what the authors of the paper did.

Beside every token stands whether it belongs to a word of the opinion lexicon, and whether to a word
of a fake lexicon: for every word of the real one, a word outside it that is as frequent in the
training reviews. A measure that sees no opinions cannot tell the two apart.
"""

from __future__ import annotations

import argparse
import bisect
import lzma
import zipfile
from collections import Counter

import numpy as np
from tokenizers import BertWordPieceTokenizer

from flags import FAKE, LEXICON, WORD


def read_reviews(path: str) -> list[tuple[str, int, str]]:
    """Split, label and text of every review, training reviews first."""
    reviews = []
    with lzma.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        for number, line in enumerate(lines, 1):
            fields = line.rstrip("\n").split("\t")
            if len(fields) != 5 or fields[0] not in ("train", "test") or fields[1] not in "01":
                raise SystemExit(f"{path}, line {number}: expected split, label, id, rating, text")
            reviews.append((fields[0], int(fields[1]), fields[4]))
    return sorted(reviews, key=lambda review: review[0] != "train")


def read_lexicon(path: str) -> set[str]:
    """The words of the two lists of the archive; lines that start with ';' are comments."""
    words: set[str] = set()
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.endswith("-words.txt"):
                text = archive.read(name).decode("latin-1")
                lines = (line.strip() for line in text.splitlines())
                words.update(line for line in lines if line and not line.startswith(";"))
    return words


def words_of(pieces: list[str]) -> list[str]:
    """For every piece the whole word that it belongs to."""
    words: list[str] = []
    first = 0
    for i, piece in enumerate(pieces):
        if not piece.startswith("##"):
            first = i
        joined = "".join(p.removeprefix("##") for p in pieces[first : i + 1])
        words[first:] = [joined] * (i + 1 - first)
    return words


def fake_lexicon(lexicon: set[str], counts: Counter[str], seed: int = 1) -> set[str]:
    """A word outside the lexicon, used once, of nearly the same count for each word inside it."""
    rng = np.random.default_rng(seed)
    others = [w for w in sorted(counts) if w not in lexicon and w.isalpha()]
    others.sort(key=lambda w: (counts[w], rng.random()))
    keys = [counts[w] for w in others]
    chosen: set[str] = set()
    for word in sorted(w for w in lexicon if w in counts):
        at = bisect.bisect_left(keys, counts[word])
        ends = bisect.bisect_right(keys, counts[word])
        at = int(rng.integers(at, ends)) if ends > at else min(at, len(others) - 1)
        # From there to the nearest word that is still free.
        for step in range(len(others)):
            free = [i for i in (at - step, at + step) if 0 <= i < len(others)]
            free = [i for i in free if others[i] not in chosen]
            if free:
                best = min(free, key=lambda i: abs(keys[i] - counts[word]))
                chosen.add(others[best])
                break
    return chosen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--reviews", required=True, help="imdb.tsv.xz")
    parser.add_argument("--vocabulary", required=True, help="BERT's vocab.txt (uncased)")
    parser.add_argument("--lexicon", required=True, help="opinion_lexicon.zip")
    parser.add_argument("--length", type=int, default=512, help="tokens that are kept of a review")
    parser.add_argument("--out", required=True, help="imdb.npz")
    options = parser.parse_args()

    reviews = read_reviews(options.reviews)
    lexicon = read_lexicon(options.lexicon)
    tokenizer = BertWordPieceTokenizer(options.vocabulary, lowercase=True)
    ids: list[np.ndarray] = []
    words: list[list[str]] = []
    counts: Counter[str] = Counter()
    for split, _, text in reviews:
        encoded = tokenizer.encode(text)
        kept = encoded.ids[: options.length]
        ids.append(np.array(kept, dtype=np.uint16))
        words.append(words_of(encoded.tokens[: options.length]))
        if split == "train":
            starts = (not t.startswith("##") for t in encoded.tokens[: options.length])
            counts.update(w for w, new in zip(words[-1], starts) if new)
    fake = fake_lexicon(lexicon, counts)

    def flag(word: str) -> int:
        if word in ("[CLS]", "[SEP]"):
            return 0
        return WORD + LEXICON * (word in lexicon) + FAKE * (word in fake)

    flags = [np.array([flag(w) for w in review], dtype=np.uint8) for review in words]
    lengths = np.array([len(x) for x in ids], dtype=np.int64)
    np.savez_compressed(
        options.out,
        ids=np.concatenate(ids),
        flags=np.concatenate(flags),
        starts=np.concatenate([[0], np.cumsum(lengths)]),
        labels=np.array([label for _, label, _ in reviews], dtype=np.uint8),
        train=np.array(sum(split == "train" for split, _, _ in reviews)),
        vocabulary=np.array(tokenizer.get_vocab_size()),
        length=np.array(options.length),
        pivots=np.array([tokenizer.token_to_id(t) for t in PIVOT_WORDS], dtype=np.int64),
        carriers=np.array([carrier_ids(tokenizer, c) for c in CARRIERS], dtype=np.int64),
    )
    print(
        f"{len(reviews)} reviews, {lengths.mean():.1f} tokens each; "
        f"{np.mean([np.mean(f & LEXICON != 0) for f in flags]):.4f} of the tokens are in the "
        f"lexicon, {np.mean([np.mean(f & FAKE != 0) for f in flags]):.4f} in the fake one"
    )


# The paper scores short sentences with one decisive word. Its sentences are not ours to copy: these
# are our own, every word in every sentence. -1 stands for the word; all sentences are padded on the
# right to one length.
PIVOT_WORDS = (
    "great excellent wonderful brilliant amazing beautiful perfect fantastic superb enjoyable "
    "terrible awful boring horrible bad poor stupid dull disappointing ridiculous"
).split()
CARRIERS = (
    "the movie was *",
    "a * film",
    "the acting was *",
    "what a * story",
    "i found it *",
)


def carrier_ids(tokenizer: BertWordPieceTokenizer, sentence: str) -> list[int]:
    ids = [tokenizer.token_to_id("[CLS]")]
    for word in sentence.split():
        ids.append(-1 if word == "*" else tokenizer.token_to_id(word))
    ids.append(tokenizer.token_to_id("[SEP]"))
    longest = max(len(c.split()) for c in CARRIERS) + 2
    return ids + [-2] * (longest - len(ids))


if __name__ == "__main__":
    main()
