/* kernel_tile_sweep.h -- the rows of a tile, a chunk at a time, on all blocks of columns; part of
 * kernel_tile_body.c, after its scores, weights and averages.
 */
#ifndef TROP_ATTEND_KERNEL_TILE_SWEEP_H
#define TROP_ATTEND_KERNEL_TILE_SWEEP_H

enum work { TOPS, SOFTEN, LEVEL };

/* Some rows of a tile on one block. */
struct chunk {
    int rows;
    int64_t row[CHUNK];
    const double *y[CHUNK], *anchor[CHUNK];
    double *out[CHUNK], *top[CHUNK];
};

/* The largest score of a row in a block whose maxima are known. */
static double reach(const struct trop_tile *tile, int64_t b, int64_t r)
{
    int64_t spans = TROP_BLOCK / tile->span, last = (tile->visible[r] - 1) / tile->span;
    double top = -INFINITY;

    for (int64_t k = b * spans; k < (b + 1) * spans && k <= last; k++) {
        double t = tile->top[r * tile->spans + k];
        top = t > top ? t : top;
    }
    return top;
}

/* The next rows, from r on, that want block b; returns where the rest begins. */
static int64_t choose(struct chunk *chunk, const struct trop_tile *tile, int64_t b, int64_t r)
{
    int64_t d = tile->d, first = b * TROP_BLOCK, span = first / tile->span;

    chunk->rows = 0;
    for (; r < tile->rows && chunk->rows < CHUNK; r++) {
        if (tile->visible[r] <= first ||
            (tile->least[r] > -INFINITY && reach(tile, b, r) < tile->least[r])) {
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

static void chunk_work(struct trop_tile *tile, const struct chunk *chunk, int64_t first,
                       int64_t strips, enum work work)
{
    const double *mass = tile->mass ? tile->mass + first : NULL;
    const double *keys = tile->keys + first * tile->d;
    int whole = 1, fine = tile->span == TROP_STRIP;

    for (int k = 0; k < chunk->rows; k++) {
        whole &= tile->visible[chunk->row[k]] - first >= strips * TROP_STRIP;
    }
    if (work == TOPS && whole) {
        score_passed(chunk->top, chunk->y, keys, strips, tile->d, fine, chunk->rows);
    } else {
        score_stored(tile->score, chunk->top, chunk->y, keys, strips, tile->d, fine, chunk->rows);
    }
    for (int k = 0; k < chunk->rows; k++) {
        int64_t r = chunk->row[k];
        double *score = tile->score + k * TROP_BLOCK;
        if (!whole) {
            blind(score, chunk->top[k], tile->visible[r] - first, strips, fine);
        }
        if (work == SOFTEN) {
            tile->total[r] += soften_row(score, mass, strips, tile->beta, tile->shift[r]);
        } else if (work == LEVEL) {
            tile->total[r] += level_row(tile, r, score, mass, first, strips);
        }
    }
    if (work != TOPS) {
        average_chunk(chunk->out, chunk->anchor, tile->score, tile->values + first * tile->d,
                      strips, tile->d, chunk->rows);
    }
}

static void clear(struct trop_tile *tile)
{
    memset(tile->out, 0, (size_t)(tile->rows * tile->d) * sizeof *tile->out);
    for (int64_t r = 0; r < tile->rows; r++) {
        tile->total[r] = 0;
        tile->members[r] = 0;
        tile->lowest[r] = 0;
        tile->set[r] = 0;
    }
}

static void sweep(struct trop_tile *tile, enum work work)
{
    int64_t n = 0;

    for (int64_t r = 0; r < tile->rows; r++) {
        n = tile->visible[r] > n ? tile->visible[r] : n;
    }
    clear(tile);
    for (int64_t b = 0; b * TROP_BLOCK < n; b++) {
        int64_t first = b * TROP_BLOCK, strips = strips_of(least_of(n - first, TROP_BLOCK));
        struct chunk chunk;
        int64_t r = choose(&chunk, tile, b, 0);
        while (chunk.rows > 0) {
            chunk_work(tile, &chunk, first, strips, work);
            r = choose(&chunk, tile, b, r);
        }
    }
}

#endif
