/* kernel_tile_sweep.h -- the rows of a tile, a chunk at a time, on all blocks of columns; part of
 * kernel_tile_body.c and of kernel_single_body.c, after scores and averages.
 *
 * TILE is the type of a tile. What is its own is said by three functions, which are declared here
 * and written where this is included. Columns that a row does not see have score -INFINITY, and
 * must get weight 0.
 */
#ifndef TROP_KERNEL_KERNEL_TILE_SWEEP_H
#define TROP_KERNEL_KERNEL_TILE_SWEEP_H

enum work { TOPS, SOFTEN, LEVEL };

/* 1 when row r is to see the block of columns from first on. */
static int wanted(const TILE *tile, int64_t r, int64_t first);
/* Scores of row r on that block become weights, whose sum is added to the row's. */
static void weigh(TILE *tile, int64_t r, REAL *score, int64_t first, int64_t strips,
                  enum work work);
/* Nothing is summed yet. */
static void clear(TILE *tile);

/* Some rows of a tile on one block. */
struct chunk {
    int rows;
    int64_t row[CHUNK];
    const REAL *y[CHUNK], *anchor[CHUNK];
    double *out[CHUNK];
    REAL *top[CHUNK];
};

/* The next rows, from r on, that want the block; returns where the rest begins. */
static int64_t choose(struct chunk *chunk, const TILE *tile, int64_t first, int64_t r)
{
    int64_t d = tile->d, span = first / tile->span;

    chunk->rows = 0;
    for (; r < tile->rows && chunk->rows < CHUNK; r++) {
        if (!wanted(tile, r, first)) {
            continue;
        }
        chunk->row[chunk->rows] = r;
        chunk->y[chunk->rows] = tile->y + r * d;
        chunk->anchor[chunk->rows] = tile->anchor + r * d;
        chunk->top[chunk->rows] = tile->top + r * tile->spans + span;
        chunk->out[chunk->rows++] = tile->out + r * d;
    }
    return r;
}

static void chunk_work(TILE *tile, const struct chunk *chunk, int64_t first, int64_t strips,
                       enum work work)
{
    const REAL *keys = tile->keys + first * tile->d;
    int whole = 1, fine = tile->span == STRIP;

    for (int k = 0; k < chunk->rows; k++) {
        whole &= tile->visible[chunk->row[k]] - first >= strips * STRIP;
    }
    if (work == TOPS && whole) {
        score_passed(chunk->top, chunk->y, keys, strips, tile->d, fine, chunk->rows);
        return;
    }
    score_stored(tile->score, chunk->top, chunk->y, keys, strips, tile->d, fine, chunk->rows);
    for (int k = 0; k < chunk->rows; k++) {
        int64_t r = chunk->row[k];
        REAL *score = tile->score + k * TROP_BLOCK;
        if (!whole) {
            blind(score, chunk->top[k], tile->visible[r] - first, strips, fine);
        }
        if (work != TOPS) {
            weigh(tile, r, score, first, strips, work);
        }
    }
    if (work != TOPS) {
        average_chunk(chunk->out, chunk->anchor, tile->score, tile->values + first * tile->d,
                      strips, tile->d, chunk->rows);
    }
}

static void sweep(TILE *tile, enum work work)
{
    int64_t n = 0;

    for (int64_t r = 0; r < tile->rows; r++) {
        n = tile->visible[r] > n ? tile->visible[r] : n;
    }
    clear(tile);
    for (int64_t first = 0; first < n; first += TROP_BLOCK) {
        int64_t width = n - first < TROP_BLOCK ? n - first : TROP_BLOCK;
        struct chunk chunk;
        int64_t r = choose(&chunk, tile, first, 0);
        while (chunk.rows > 0) {
            chunk_work(tile, &chunk, first, (width + STRIP - 1) / STRIP, work);
            r = choose(&chunk, tile, first, r);
        }
    }
}

static void tops(TILE *tile)
{
    sweep(tile, TOPS);
}

static void soften(TILE *tile)
{
    sweep(tile, SOFTEN);
}

#endif
