/* mm_lem_10.c -- a direction has at most d neighbours (max-margin paper, lemma 10).
 *
 * The neighbours of q are the rows k_alpha - k_t whose product with q is the margin G > 0. If d + 1
 * of them had it, the vector of ones would be in the range of these rows. Keys in general position
 * forbid that: no determinant of d + 1 rows, each followed by a 1, is 0.
 *
 * The direction with the most neighbours is a max-margin solution, so that is what is counted:
 * tokens whose lead is within 1e-7 of the least (a solution is good to 1e-10).
 */
#include "claim/mm/mm.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MOST 8 /* d + 1 at most */
#define ROWS 16

static enum trop_status draw(struct trop_case *c)
{
    const int64_t dk = 2 + trop_case_pick(c, 16, 0, 2), n = 1 + trop_case_pick(c, 16, 1, 2);
    struct trop_mm m;
    double *alpha = NULL, q[MOST];
    enum trop_status status = trop_mm_draw(c, n, n == 1 ? 6 : 4, dk, 0);

    trop_mm_open(&m, c);
    if (status != TROP_OK || trop_case_has(c, "alpha")) {
        return status;
    }
    /* alpha is what a random direction selects, so that it has a solution. */
    status = trop_case_make(&alpha, c, "alpha", m.n, 0, 0);
    if (m.dk < MOST) {
        trop_mm_unit(q, c, 0, m.dk);
    }
    for (int64_t i = 0; i < m.n && status == TROP_OK; i++) {
        alpha[i] = m.dk < MOST ? (double)trop_mm_selected(&m, i, q) : 0;
    }
    return status;
}

/* "neighbours" (count, 2): input and token of every row within tolerance of the least lead. */
static enum trop_status list(struct trop_case *c, double tolerance)
{
    struct trop_mm m;
    const double *alpha = trop_case_array(c, "alpha"), *p = trop_case_array(c, "p_mm");
    double found[2 * ROWS], *out = NULL;
    int64_t count = 0;

    trop_mm_open(&m, c);
    const double least = trop_mm_margin(&m, alpha, p);
    for (int64_t at = 0; at < m.n * m.T && count < ROWS; at++) {
        const int64_t i = at / m.T, a = (int64_t)alpha[i];
        if (at % m.T != a && trop_mm_lead(&m, i, a, at % m.T, p) <= least + tolerance) {
            found[2 * count] = (double)i;
            found[2 * count + 1] = (double)(at % m.T);
            count++;
        }
    }
    enum trop_status status = trop_case_make(&out, c, "neighbours", count, 2, 0);
    if (status == TROP_OK) {
        memcpy(out, found, (size_t)(2 * count) * sizeof *out);
    }
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    enum trop_status status = trop_mm_solve(c, "alpha", "p_mm");

    return status == TROP_OK && trop_case_number(c, "p_mm_solved") == 1 ? list(c, 1e-7) : status;
}

/* ---- hypotheses ---- */

/* |det| of a size x size matrix, by elimination with row pivots. */
static double determinant(double a[MOST][MOST], int64_t size)
{
    double product = 1;

    for (int64_t k = 0; k < size; k++) {
        int64_t best = k;
        for (int64_t r = k + 1; r < size; r++) {
            best = fabs(a[r][k]) > fabs(a[best][k]) ? r : best;
        }
        for (int64_t q = 0; q < size; q++) {
            const double kept = a[k][q];
            a[k][q] = a[best][q];
            a[best][q] = kept;
        }
        product *= fabs(a[k][k]);
        for (int64_t r = k + 1; r < size && a[k][k] != 0; r++) {
            const double ratio = a[r][k] / a[k][k];
            for (int64_t q = k; q < size; q++) {
                a[r][q] -= ratio * a[k][q];
            }
        }
    }
    return product;
}

/* The least determinant over all choices of d + 1 rows: subsets as bits. */
static double least_determinant(const struct trop_mm *m, const double *alpha)
{
    int64_t rows[ROWS], count = 0;
    double least = INFINITY;

    for (int64_t at = 0; at < m->n * m->T && count < ROWS; at++) {
        if (at % m->T != (int64_t)alpha[at / m->T]) {
            rows[count++] = at;
        }
    }
    for (int64_t set = 0; set < (int64_t)1 << count; set++) {
        double a[MOST][MOST];
        int64_t used = 0, size = 0;
        for (int64_t j = 0; j < count; j++) {
            size += set >> j & 1;
        }
        for (int64_t j = 0; j < count && size == m->dk + 1; j++) {
            if (set >> j & 1) {
                const int64_t i = rows[j] / m->T, top = i * m->T + (int64_t)alpha[i];
                for (int64_t k = 0; k < m->dk; k++) {
                    a[used][k] = m->key[top * m->dk + k] - m->key[rows[j] * m->dk + k];
                }
                a[used++][m->dk] = 1;
            }
        }
        if (size == m->dk + 1) {
            least = fmin(least, determinant(a, used));
        }
    }
    return least;
}

static enum trop_status general_position(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_mm m;

    trop_mm_open(&m, c);
    if (m.dk >= MOST || m.n * (m.T - 1) > ROWS) {
        trop_judge_truth(judge, "few enough rows to try all determinants", -1, -1);
        return TROP_OK;
    }
    trop_judge_at_least(judge, "least determinant of d + 1 rows with a 1", -1,
                        least_determinant(&m, trop_case_array(c, "alpha")), 1e-5, 1e-9);
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "general-position", "no d + 1 rows have the ones in their range", general_position, 0 },
    { "separable", "the selection has a max-margin solution", trop_mm_old_separable, 1 },
    { 0 },
};

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_mm m;
    const double *pairs = trop_case_array(c, "neighbours");
    const double *alpha = trop_case_array(c, "alpha"), *p = trop_case_array(c, "p_mm");
    const int64_t count = trop_case_size(c, "neighbours", 0);

    trop_mm_open(&m, c);
    trop_judge_at_least(judge, "neighbours", -1, (double)count, 1, 0);
    trop_judge_at_most(judge, "neighbours against d", -1, (double)count, (double)m.dk, 0);
    for (int64_t j = 0; j < count && count <= m.dk; j++) {
        const int64_t i = (int64_t)pairs[2 * j], t = (int64_t)pairs[2 * j + 1];
        trop_judge_at_most(judge, "lead of a neighbour", j,
                           trop_mm_lead(&m, i, (int64_t)alpha[i], t, p), 1, 1e-7);
    }
    return TROP_OK;
}

static enum trop_status blunt(struct trop_case *c)
{
    return list(c, 1e3);
}

/* Puts the last row on the line (or plane) of the first d rows: at their mean. */
static enum trop_status align(struct trop_case *c)
{
    struct trop_mm m;
    double *key = trop_case_array(c, trop_case_has(c, "K") ? "K" : "X"), sum[MOST] = { 0 };
    const int64_t a = (int64_t)trop_case_array(c, "alpha")[0];
    int64_t used = 0, last = 0;

    trop_mm_open(&m, c);
    for (int64_t t = 0; t < m.T; t++) {
        if (t != a && used < m.dk) {
            for (int64_t k = 0; k < m.dk; k++) {
                sum[k] += key[t * m.dk + k] / (double)m.dk;
            }
            used++;
        } else if (t != a) {
            last = t;
        }
    }
    /* When input 0 has too few tokens for that, two of its rows are made equal. */
    last = used < m.dk || last == 0 ? (a == m.T - 1 ? m.T - 2 : m.T - 1) : last;
    const int64_t first = a == 0 ? 1 : 0;
    for (int64_t k = 0; k < m.dk; k++) {
        key[last * m.dk + k] = used < m.dk || m.T <= m.dk + 1 ? key[first * m.dk + k] : sum[k];
    }
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "tokens count as neighbours within 1000 of the margin", NULL, blunt },
    { "a row is the mean of d others", "general-position", align },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "X", "(n, T, d)", "tokens" },
    { "K", "(n, T, dk)", "keys; the tokens when absent" },
    { "alpha", "(n)", "the selected token of each input" },
    { 0 },
};

const struct trop_claim trop_mm_lem_10 = {
    .id = "mm-lem-10",
    .title = "at most d neighbours",
    .statement = "With keys in general position a direction with a positive margin has at most d "
                 "neighbours, tokens that attain it.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Counted for max-margin solutions, which have the most.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 100,
};
