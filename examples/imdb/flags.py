"""Bits that stand beside a token: in the lexicon, in the fake lexicon, neither [CLS] nor [SEP]."""

LEXICON, FAKE, WORD = 1, 2, 4
