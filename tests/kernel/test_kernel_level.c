/* test_kernel_level.c -- sets of scores near the largest on tiles: members, sums and averages have
 * the bits of their formula in every dimension and on every instruction set, where sets are hard.
 */
#include "support.h"

#include "kernel/kernel_tile.h"

#include <stdlib.h>

#define MOST 1100
#define ROWS 7
#define WIDE 4 /* dimensions, at most */

enum cloud { DRAWN, EQUAL, ASCENDING, FEW, CLOUDS };

static double xt[WIDE * MOST], packed[WIDE * MOST], mass[MOST];
static uint64_t tags[MOST];

static void draw(enum cloud cloud, int64_t n, int64_t d)
{
    for (int64_t c = 0; c < d; c++) {
        for (int64_t j = 0; j < n; j++) {
            const double x = normal(3 + (uint64_t)c, (uint64_t)j);
            xt[c * MOST + j] = cloud == EQUAL       ? 0.7 + (double)c
                               : cloud == ASCENDING ? (double)(j + 1) / (double)n + 1e-3 * x
                               : cloud == FEW       ? (j % 97 == 13 ? 3 : 0.1 * x)
                                                    : x;
        }
    }
    for (int64_t j = 0; j < MOST; j++) {
        mass[j] = j < n ? 1 + (double)(j % 3) / 7 : 0;
        tags[j] = 0x9e3779b97f4a7c15U * (uint64_t)(j + 1);
    }
}

/* Of the columns between low and high. */
static int every_third(void *context, int64_t row, int64_t column)
{
    (void)context;
    return (row + column) % 3 == 0;
}

struct want {
    double total, out[WIDE];
    int64_t members, lowest;
    uint64_t set;
};

static double tree(const double *s)
{
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

/* Column j to lane j mod 8, lanes added pairwise, blocks of 256 columns in order. */
static struct want formula(const struct trop_tile *tile, int64_t r)
{
    struct want want = { 0 };
    const int64_t d = tile->d;

    for (int64_t first = 0; first < tile->visible[r]; first += TROP_BLOCK) {
        double total[8] = { 0 }, sum[WIDE][8] = { { 0 } };
        for (int64_t j = first; j < first + TROP_BLOCK && j < tile->visible[r]; j++) {
            double score = tile->y[r * d] * xt[j];
            for (int64_t c = 1; c < d; c++) {
                score = fma(tile->y[r * d + c], xt[c * MOST + j], score);
            }
            if (score >= tile->high[r] || (score >= tile->low[r] && every_third(NULL, r, j))) {
                const double w = tile->mass ? tile->mass[j] : 1;
                total[j % 8] += w;
                for (int64_t c = 0; c < d; c++) {
                    const double t = xt[c * MOST + j] - tile->anchor[r * d + c];
                    sum[c][j % 8] = fma(w, t, sum[c][j % 8]);
                }
                want.lowest = want.members++ == 0 ? j : want.lowest;
                want.set += tags[j];
            }
        }
        want.total += tree(total);
        for (int64_t c = 0; c < d; c++) {
            want.out[c] += tree(sum[c]);
        }
    }
    return want;
}

static void check(const struct trop_kernel_tile *kernel, enum cloud cloud, int64_t n, int64_t d,
                  int hard)
{
    double y[ROWS * WIDE], anchor[ROWS * WIDE], out[ROWS * WIDE], top[ROWS * 8];
    static double score[TROP_TILE_CHUNK * TROP_BLOCK];
    struct trop_tile tile = { .d = d,
                              .keys = packed,
                              .values = packed,
                              .tag = tags,
                              .mass = hard & 1 ? mass : NULL,
                              .rows = ROWS,
                              .y = y,
                              .anchor = anchor,
                              .decide = every_third,
                              .span = TROP_BLOCK,
                              .spans = 8,
                              .top = top,
                              .out = out,
                              .score = score };

    draw(cloud, n, d);
    kernel->pack(packed, xt, MOST, 0, n, d);
    for (int64_t r = 0; r < ROWS; r++) {
        for (int64_t c = 0; c < d; c++) {
            y[r * d + c] = cloud == ASCENDING ? 1 : normal(20 + (uint64_t)r, (uint64_t)c);
            anchor[r * d + c] = normal(40 + (uint64_t)r, (uint64_t)c);
        }
        tile.visible[r] = hard & 2 ? (n * (r + 1) + ROWS - 1) / ROWS : n;
        tile.least[r] = -INFINITY;
    }
    kernel->tops(&tile);
    for (int64_t r = 0; r < ROWS; r++) {
        double most = -INFINITY;
        for (int64_t k = 0; k <= (tile.visible[r] - 1) / TROP_BLOCK; k++) {
            most = fmax(most, top[r * 8 + k]);
        }
        /* All, a part of them with a wide doubt, the largest alone. */
        tile.high[r] = most - (r % 3 == 0 ? 1e3 : r % 3 == 1 ? 0.3 : 0);
        tile.low[r] = tile.high[r] - (hard & 4 ? 0.4 : 0);
        tile.least[r] = tile.low[r];
    }
    kernel->level(&tile);
    for (int64_t r = 0; r < ROWS; r++) {
        const struct want want = formula(&tile, r);
        assert_true(want.members > 0);
        assert_int_equal(tile.members[r], want.members);
        assert_int_equal(tile.lowest[r], want.lowest);
        assert_true(tile.set[r] == want.set);
        assert_memory_equal(&tile.total[r], &want.total, sizeof want.total);
        assert_memory_equal(out + r * d, want.out, (size_t)d * sizeof *out);
    }
}

static void sets_have_the_bits_of_their_formula(void **state)
{
    static const int64_t sizes[] = { 1, 7, 31, 32, 33, 64, 255, 256, 257, 288, 511, 513, 1000 };

    (void)state;
    for (const struct trop_kernel *const *k = trop_kernel_list; *k; k++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes && (*k)->available(); s++) {
            for (int cloud = 0; cloud < CLOUDS; cloud++) {
                for (int hard = 0; hard < 8; hard++) {
                    for (int64_t d = 2; d <= WIDE; d++) {
                        check((*k)->tile, (enum cloud)cloud, sizes[s], d, hard);
                    }
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_have_the_bits_of_their_formula),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
