"""sizes.py -- counts at which the program changes what it does, and their neighbours.

Lanes of 8, strips of 32, tiles of 6 and 48 rows, leaves of 32 tokens, single precision in strips of 64,
groups of 128 rows, wide nodes of 160, blocks of 256 columns, 1024 rows that one worker takes alone;
dimensions in which trees have grids (3), hulls have facets and trees exist (6), and dense algebra
of fixed order ends (64); the rounds in which facets are found in 4, 5 and 6 dimensions.
"""

EDGES = (6, 8, 32, 48, 64, 128, 160, 256)
FAR_EDGES = (512, 1024)
TOKENS = tuple(sorted({1, 2, 3, 5} | {edge + step for edge in EDGES for step in (-1, 0, 1)}))
MANY_TOKENS = tuple(edge + step for edge in FAR_EDGES for step in (-1, 0, 1))
DIMENSIONS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17)
