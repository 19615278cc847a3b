/* margin_farkas_whole.c -- an exact combination that vanishes, in whole numbers.
 *
 * Data on a lattice (or tokens that repeat, or lie opposite each other) contradict themselves in
 * fewer coordinates than they have, where no verified solve can help: the equations are more than
 * the unknowns, and only exact arithmetic shows that they agree. Their multipliers are ratios of
 * determinants of whole numbers. So for a circuit of n + 1 rows:
 *
 *   1. n coordinates are chosen by elimination, and the multipliers solved for there, refined with
 *      residuals in double-double to about 30 digits;
 *   2. each, relative to the last, becomes a fraction by its continued fraction, at some
 *      tolerances, and all are brought to a common denominator, below 2^53;
 *   3. A'lambda = 0 is tested for the raw numbers with exact.h, whose sums have no error.
 *
 * Steps 1 and 2 may be as wrong as they like.
 */
#include "margin/farkas/margin_farkas_internal.h"

#include "attend/exact.h"
#include "base/alloc.h"
#include "base/linalg.h"
#include "base/status.h"

#include <string.h>

#define WHOLE 0x1p53
#define REFINED 5
#define QUOTIENTS 60

/* ---- the exact test ------------------------------------------------------------------------- */

enum trop_status trop_margin_farkas_vanishes(int *proved,
                                             const struct trop_margin_farkas_guess *guess,
                                             const struct trop_margin_farkas_set *set)
{
    const struct trop_problem *problem = set->data->problem;
    const int64_t d = problem->rows, columns = set->alone ? 1 : problem->columns;
    struct trop_exact *sum = trop_alloc(1, sizeof *sum);

    if (!sum) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for an exact sum");
    }
    *proved = guess->count > 0;
    trop_exact_clear(sum);
    for (int64_t i = 0; *proved && i < guess->count; i++) {
        const int64_t place = guess->place[i], j = set->row[place];
        *proved = fabs(guess->weight[i]) < (double)INFINITY &&
                  (problem->equal[j] || !(guess->weight[i] < 0.0));
        if (*proved) {
            trop_exact_add(sum, set->sign[place] * guess->weight[i], problem->right[j], 1.0);
        }
    }
    *proved = *proved && trop_exact_sign(sum) > 0;
    for (int64_t c = 0; *proved && c < d * columns; c++) {
        /* One coordinate of A'lambda is 0; without the query when all ask the same. */
        const int64_t a = c / columns, b = c % columns;
        trop_exact_clear(sum);
        for (int64_t i = 0; i < guess->count; i++) {
            const int64_t place = guess->place[i], j = set->row[place];
            const double lambda = set->sign[place] * guess->weight[i];
            const double z =
                set->alone ? 1.0 : problem->query[problem->asked[j] * problem->columns + b];
            if (problem->plus[j] >= 0) {
                trop_exact_add(sum, lambda, problem->point[problem->plus[j] * d + a], z);
            }
            if (problem->minus[j] >= 0) {
                trop_exact_subtract(sum, lambda, problem->point[problem->minus[j] * d + a], z);
            }
        }
        *proved = trop_exact_sign(sum) == 0;
    }
    trop_alloc_free(sum);
    return TROP_OK;
}

/* ---- the multipliers ------------------------------------------------------------------------ */

struct whole {
    int64_t n, k;
    double *work;      /* (n, k) rows to eliminate */
    int64_t *chosen;   /* (n) coordinates */
    int64_t *pivot;    /* (n) */
    struct trop_dd *m; /* (n, n) */
    double *copy, *r;  /* (n, n) */
    struct trop_dd *x; /* (n) multipliers relative to the last */
    double *rest;      /* (n) */
    double *tried;     /* (n + 1) whole multipliers */
    double *below;     /* (n) denominators */
};

static void whole_free(struct whole *w)
{
    TROP_FREE(w->work, w->chosen, w->pivot, w->m, w->copy, w->r, w->x, w->rest, w->tried, w->below);
}

static enum trop_status whole_make(struct whole *w, int64_t n, int64_t k)
{
    *w = (struct whole){ .n = n, .k = k };
    if (!TROP_ALLOC(TROP_PART(w->work, trop_alloc_product(n, k)), TROP_PART(w->chosen, n),
                    TROP_PART(w->pivot, n), TROP_PART(w->m, n * n), TROP_PART(w->copy, n * n),
                    TROP_PART(w->r, n * n), TROP_PART(w->x, n), TROP_PART(w->rest, n),
                    TROP_PART(w->tried, n + 1), TROP_PART(w->below, n))) {
        whole_free(w);
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld equations", (long long)n);
    }
    return TROP_OK;
}

/* n coordinates in which the first n rows are independent; 0: there are none. */
static int choose(struct whole *w, const struct trop_margin_farkas_guess *guess,
                  const struct trop_margin_farkas_set *set)
{
    for (int64_t i = 0; i < w->n; i++) {
        double *row = w->work + i * w->k;
        memcpy(row, set->column + guess->place[i] * w->k, (size_t)w->k * sizeof *row);
        for (int64_t l = 0; l < i; l++) {
            const double *other = w->work + l * w->k;
            const double factor = row[w->chosen[l]] / other[w->chosen[l]];
            for (int64_t c = 0; c < w->k; c++) {
                row[c] = fma(-factor, other[c], row[c]);
            }
            row[w->chosen[l]] = 0.0;
        }
        int64_t best = 0;
        for (int64_t c = 1; c < w->k; c++) {
            best = fabs(row[c]) > fabs(row[best]) ? c : best;
        }
        if (!(fabs(row[best]) > 1e-12)) {
            return 0;
        }
        w->chosen[i] = best;
    }
    return 1;
}

/* Multipliers x of the first n rows with the last one's being 1, in the chosen coordinates. */
static int multipliers(struct whole *w, const struct trop_margin_farkas_guess *guess,
                       const struct trop_margin_farkas_set *set)
{
    const int64_t n = w->n;

    for (int64_t e = 0; e < n; e++) {
        for (int64_t i = 0; i < n; i++) {
            w->m[e * n + i] = trop_margin_farkas_entry(set, guess->place[i], w->chosen[e]);
            w->copy[e * n + i] = w->m[e * n + i].high;
            w->r[e * n + i] = e == i ? 1.0 : 0.0;
        }
    }
    if (!trop_linalg_lu(w->copy, w->pivot, n)) {
        return 0;
    }
    trop_linalg_lu_solve(w->r, w->copy, w->pivot, n, n);
    for (int64_t turn = 0; turn < REFINED; turn++) {
        for (int64_t e = 0; e < n; e++) {
            struct trop_dd sum =
                trop_dd_minus(trop_margin_farkas_entry(set, guess->place[n], w->chosen[e]));
            for (int64_t i = 0; i < n; i++) {
                sum = trop_dd_fma(trop_dd_minus(w->x[i]), w->m[e * n + i], sum);
            }
            w->rest[e] = sum.high;
        }
        for (int64_t i = 0; i < n; i++) {
            const double step = trop_linalg_dot(w->r + i * n, w->rest, n);
            w->x[i] = trop_dd_add(w->x[i], trop_dd_of(step));
        }
    }
    return 1;
}

/* ---- fractions ------------------------------------------------------------------------------ */

/* The first convergent above / below of x > 0 within tolerance x. 0: it is too long. */
static int fraction(double *above, double *below, struct trop_dd x, double tolerance)
{
    double p0 = 0.0, q0 = 1.0, p1 = 1.0, q1 = 0.0;
    struct trop_dd rest = x;

    for (int64_t k = 0; k < QUOTIENTS; k++) {
        double a = floor(rest.high);
        a = a == rest.high && rest.low < 0.0 ? a - 1.0 : a;
        const double p = a * p1 + p0, q = a * q1 + q0;
        if (!(p < WHOLE && q < WHOLE)) {
            return 0;
        }
        p0 = p1;
        q0 = q1;
        p1 = p;
        q1 = q;
        const struct trop_dd off = trop_dd_less(trop_dd_times(x, trop_dd_of(q1)), trop_dd_of(p1));
        if (fabs(off.high) <= tolerance * x.high * q1) {
            *above = p1;
            *below = q1;
            return p1 > 0.0;
        }
        rest = trop_dd_over(trop_dd_of(1.0), trop_dd_less(rest, trop_dd_of(a)));
    }
    return 0;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Whole numbers in the ratios of x and 1; 0: none below 2^53. */
static int whole_numbers(struct whole *w, double tolerance)
{
    const int64_t n = w->n;
    double common = 1.0;

    for (int64_t i = 0; i < n; i++) {
        const int negative = w->x[i].high < 0.0;
        const struct trop_dd size = negative ? trop_dd_minus(w->x[i]) : w->x[i];
        if (!(size.high > 0.0) || !fraction(&w->tried[i], &w->below[i], size, tolerance)) {
            return 0;
        }
        common *= w->below[i] / (double)common_divisor((int64_t)common, (int64_t)w->below[i]);
        if (!(common < WHOLE)) {
            return 0;
        }
        w->tried[i] = negative ? -w->tried[i] : w->tried[i];
    }
    for (int64_t i = 0; i < n; i++) {
        w->tried[i] *= common / w->below[i];
        if (!(fabs(w->tried[i]) < WHOLE)) {
            return 0;
        }
    }
    w->tried[n] = common;
    return 1;
}

/* ---- the call ------------------------------------------------------------------------------- */

enum trop_status trop_margin_farkas_whole(int *proved, struct trop_margin_farkas_guess *guess,
                                          const struct trop_margin_farkas_set *set)
{
    const double tolerances[] = { 0x1p-90, 0x1p-70, 0x1p-50, 0x1p-36 };
    struct whole w;

    *proved = 0;
    if (guess->count < 2 || guess->count > TROP_MARGIN_FARKAS_LARGEST ||
        guess->count > set->k + 1) {
        return TROP_OK;
    }
    enum trop_status status = whole_make(&w, guess->count - 1, set->k);
    if (status != TROP_OK) {
        return status;
    }
    const struct trop_margin_farkas_guess tried = { guess->count, 0, guess->place, w.tried };
    if (choose(&w, guess, set) && multipliers(&w, guess, set)) {
        for (int t = 0; t < 4 && !*proved && status == TROP_OK; t++) {
            if (whole_numbers(&w, tolerances[t])) {
                status = trop_margin_farkas_vanishes(proved, &tried, set);
            }
        }
        if (status == TROP_OK && *proved) {
            memcpy(guess->weight, w.tried, (size_t)guess->count * sizeof *w.tried);
        }
    }
    whole_free(&w);
    return status;
}
