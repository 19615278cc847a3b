/* mm_rows.c -- the rows k_alpha - k_t of a max-margin problem in general position. */
#include "claim/mm/mm.h"

#include "claim/pivots.h"

#include <math.h>

#define MOST_ROWS 16 /* of which all choices are tried */
#define MOST_SIZE 12

/* |det| of these rows k_alpha - k_t, each followed by a 1 if there are d + 1. */
static double determinant(const struct trop_mm *m, const int64_t *rows, int64_t size)
{
    double a[MOST_SIZE * MOST_SIZE];

    for (int64_t r = 0; r < size; r++) {
        const int64_t i = rows[r] / m->T, top = i * m->T + (int64_t)m->alpha[i];
        for (int64_t k = 0; k < size; k++) {
            a[r * size + k] =
                k == m->dk ? 1 : m->key[top * m->dk + k] - m->key[rows[r] * m->dk + k];
        }
    }
    return trop_pivots_eliminate(a, size, size).product;
}

/* Subsets are the bits of a number. */
double trop_mm_least_determinant(const struct trop_mm *m, int with_ones)
{
    const int64_t wanted = m->dk + with_ones;
    int64_t rows[MOST_ROWS], chosen[MOST_ROWS], count = 0;
    double least = INFINITY;

    if (m->n * (m->T - 1) > MOST_ROWS || wanted > MOST_SIZE) {
        return NAN;
    }
    for (int64_t at = 0; at < m->n * m->T; at++) {
        if (at % m->T != (int64_t)m->alpha[at / m->T]) {
            rows[count++] = at;
        }
    }
    for (int64_t set = 0; set < (int64_t)1 << count; set++) {
        int64_t size = 0;
        for (int64_t j = 0; j < count; j++) {
            if (set >> j & 1) {
                chosen[size++] = rows[j];
            }
        }
        least = size == wanted ? fmin(least, determinant(m, chosen, size)) : least;
    }
    return least;
}
