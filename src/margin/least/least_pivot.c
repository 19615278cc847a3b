/* least_pivot.c -- block principal pivoting (Judice and Pires 1994) on the Gram matrix.
 *
 * With G_jk = <a_j, a_k> the multipliers solve a linear complementarity problem:
 *
 *   lambda >= 0,   G lambda - b >= 0,   lambda' (G lambda - b) = 0      (equalities: = 0, free).
 *
 * For a guess F of the support, lambda_F = G_FF^-1 b_F by Cholesky, and all of the j in F with
 * lambda_j < 0 and of the j outside with <a_j, W> < b_j change sides at once. When their number
 * has not fallen in 3 tries, only the one of greatest index does, which ends for every positive
 * definite G; as this can take long, 100 such steps are the end here.
 *
 * The factor is in double, and so is the first lambda. When it looks right, it is refined with
 * what constraints lack in double-double: each step shrinks that by about u cond(G_FF). If it
 * does not, the set is too nearly dependent for this file, and the caller takes least_walk.c. A row
 * that depends on those before it, such as a repeated one, is left out of F; if it stays violated,
 * that is a case for the caller, too.
 *
 * Each round costs |F|^2 rows + |F|^3 / 3 and one (|F|, |F|) array. Up to order 512, and where
 * there is no LAPACK, by our own kernels; above that BLAS, by blocks that do not depend on threads.
 */
#include "margin/least/least.h"

#include "base/alloc.h"
#include "base/lapack.h"
#include "base/parallel.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

#define UNIT 0x1p-53
#define ROUNDS 3    /* rounds without fewer wrong constraints, before single changes begin */
#define SINGLES 100 /* single changes, at most */
#define REFINED 20  /* refinements, at most */
#define SMALL 512   /* orders above this go to LAPACK, if there is one */
/* Relative to |W|: what counts as wrong before the refinement, */
#define LOOSE 0x1p-40
/* a multiplier that is negative after it: 0 in its place moves W by this much, */
#define NEGATIVE 0x1p-50
/* and a correction of W that is the last: it shrinks what is left by u cond(G_FF) once more. */
#define STILL 0x1p-54
#define FIRST 0x1p-36
/* A pivot of the factor is nothing below this times |a_j|^2: a distance of 2e-7. */
#define DEPENDENT 0x1p-44
/* Relative to |W|: a contradiction that the rounding of rows explains, u |a_j||W| each. Of an
 * equality it is that of a few rows; of an inequality it costs margin, and has to be small. */
#define FORGIVEN_EQUAL 0x1p-49
#define FORGIVEN 0x1p-52

struct pivot {
    struct trop_least *least;
    double *gram;     /* (size, size) of the set, then its factor; small: (size, stride), upper */
    int64_t room;     /* numbers there is memory for */
    double *x;        /* (size, rows) scale_j left_j of the set; small: (rows, stride) */
    double *cross;    /* (queries, queries) z_q . z_r */
    double *y;        /* (count) right side, then solution */
    double *floor;    /* (count) pivots that are nothing */
    int64_t *skipped; /* (count) by place in the set: it depends on those before it */
    int64_t skips;    /* how many do */
};

/* ---- the factor ------------------------------------------------------------------------------ */

static int uses_lapack(int64_t n)
{
    return n > SMALL && strcmp(trop_lapack_core(), "none") != 0;
}

static int64_t stride_of(int64_t n)
{
    return uses_lapack(n) ? n : trop_kernel_linear_stride(n);
}

/* Places from .. to - 1: their rows of the triangle, lower for LAPACK, <x_s, x_t> times z_q . z_r.
 */
static void rows_weigh(void *context, int64_t from, int64_t to, int64_t worker)
{
    const struct pivot *pivot = context;
    const struct trop_least *least = pivot->least;
    const int64_t *asked = least->task->problem->asked, n = least->size, stride = stride_of(n);
    const int is_lower = uses_lapack(n);

    (void)worker;
    for (int64_t s = from; s < to; s++) {
        const double *cross = pivot->cross + asked[least->set[s]] * least->queries;
        for (int64_t t = is_lower ? 0 : s; t < (is_lower ? s + 1 : n); t++) {
            pivot->gram[s * stride + t] *= cross[asked[least->set[t]]];
        }
    }
}

static enum trop_status room_make(struct pivot *pivot)
{
    const int64_t n = pivot->least->size, size = trop_alloc_product(n, stride_of(n));
    const int64_t rows = trop_alloc_product(stride_of(n), pivot->least->rows);

    if (size <= pivot->room) {
        return TROP_OK;
    }
    TROP_FREE(pivot->gram, pivot->x);
    pivot->room = 0;
    if (!TROP_ALLOC(TROP_PART(pivot->gram, size), TROP_PART(pivot->x, rows))) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a Gram matrix of order %lld",
                         (long long)n);
    }
    pivot->room = size;
    return TROP_OK;
}

/* Gathers the rows of the set, and the bound below which a pivot counts as 0: where a row a_j =
 * sum_k c_k a_k depends on those before it, rounding makes about n u (1 + sum |c_k|)^2 |a_j|^2 of 0
 * (Higham, lemma 10.10).
 */
static void rows_gather(struct pivot *pivot)
{
    const struct trop_least *least = pivot->least;
    const int64_t n = least->size, d = least->rows;
    const int small = !uses_lapack(n);
    const int64_t step = small ? stride_of(n) : 1;

    for (int64_t s = 0; s < n; s++) {
        const int64_t j = least->set[s];
        const double *left = trop_rows_left(least->task->rows, j);
        const double size = least->scale[j] * least->task->rows->size[j];
        double *x = pivot->x + (small ? s : s * d);
        for (int64_t a = 0; a < d; a++) {
            x[a * step] = least->scale[j] * left[a];
        }
        pivot->floor[s] = fmax(DEPENDENT, (double)n * 8 * UNIT) * size * size;
    }
}

/* The factor of the set; done is 0 when there is none. */
static enum trop_status factor(struct pivot *pivot, int *done)
{
    struct trop_least *least = pivot->least;
    const int64_t n = least->size, threads = least->threads;
    enum trop_status status = room_make(pivot);

    *done = 0;
    if (status != TROP_OK) {
        return status;
    }
    rows_gather(pivot);
    if (!uses_lapack(n)) {
        least->linear->gram(pivot->gram, pivot->x, stride_of(n), n, least->rows);
        rows_weigh(pivot, 0, n, 0);
        *done = least->linear->factor(pivot->gram, stride_of(n), n, pivot->floor, pivot->skipped);
    } else {
        status = trop_lapack_gram(pivot->gram, pivot->x, n, least->rows, threads);
        if (status == TROP_OK) {
            trop_parallel(threads, n, rows_weigh, pivot);
            status = trop_lapack_factor(pivot->gram, n, pivot->floor, pivot->skipped, threads);
        }
        *done = status == TROP_OK;
    }
    /* What was skipped is no member until it turns out to be violated. */
    pivot->skips = 0;
    for (int64_t s = 0; *done && s < n; s++) {
        if (pivot->skipped[s]) {
            least->member[least->set[s]] = 0;
            least->lambda[least->set[s]] = trop_dd_of(0);
            pivot->skips++;
        }
    }
    return status == TROP_ERR_NUMERIC ? TROP_OK : status;
}

static void solve(struct pivot *pivot)
{
    const int64_t n = pivot->least->size;

    if (uses_lapack(n)) {
        trop_lapack_factor_solve(pivot->y, pivot->gram, n);
    } else {
        pivot->least->linear->factor_solve(pivot->y, pivot->gram, stride_of(n), n);
    }
}

/* ---- multipliers ---------------------------------------------------------------------------- */

static void guess(struct pivot *pivot)
{
    struct trop_least *least = pivot->least;

    for (int64_t s = 0; s < least->size; s++) {
        pivot->y[s] = pivot->skipped[s] ? 0 : least->bound[least->set[s]];
    }
    solve(pivot);
    for (int64_t s = 0; s < least->size; s++) {
        least->lambda[least->set[s]] = trop_dd_of(pivot->skipped[s] ? 0 : pivot->y[s]);
    }
    trop_least_combine(least);
}

/* One correction with what the members lack, rho: lambda_F += delta = G_FF^-1 rho. Returns by how
 * much it moves W, (delta' rho)^1/2. */
static double correct(struct pivot *pivot)
{
    struct trop_least *least = pivot->least;
    double square = 0;

    trop_least_lacks(least, TROP_LEAST_MEMBERS);
    for (int64_t s = 0; s < least->size; s++) {
        pivot->y[s] = pivot->skipped[s] ? 0 : least->lack[least->set[s]];
    }
    solve(pivot);
    for (int64_t s = 0; s < least->size; s++) {
        struct trop_dd *lambda = least->lambda + least->set[s];
        if (pivot->skipped[s]) {
            continue;
        }
        *lambda = trop_dd_add(*lambda, trop_dd_of(pivot->y[s]));
        square = fma(pivot->y[s], least->lack[least->set[s]], square);
    }
    trop_least_combine(least);
    return sqrt(fmax(square, 0));
}

/* 1 when the corrections come to nothing. The first one shows how far off the factor is, e = u
 * cond(G_FF) times |W|; it leaves e^2 of it, which is nothing if e is small enough. */
static int refine(struct pivot *pivot)
{
    double before = INFINITY;

    for (int64_t k = 0; k < REFINED; k++) {
        const double moved = correct(pivot);
        if (moved <= (k == 0 ? FIRST : STILL) * pivot->least->length) {
            return 1;
        }
        if (!(moved <= before / 4)) {
            return 0;
        }
        before = moved;
    }
    return 0;
}

/* ---- the set -------------------------------------------------------------------------------- */

static int is_wrong(const struct trop_least *least, int64_t j, int loose)
{
    if (least->member[j]) {
        return !least->task->problem->equal[j] &&
               least->lambda[j].high < -(loose ? LOOSE : NEGATIVE) * least->length;
    }
    return (least->lack[j] > 0 || least->task->problem->equal[j]) &&
           trop_least_violated(least, j) &&
           (!loose || fabs(least->lack[j]) > LOOSE * least->length);
}

static int64_t wrong_count(const struct trop_least *least, int loose)
{
    int64_t wrong = 0;

    for (int64_t j = 0; j < least->count; j++) {
        wrong += is_wrong(least, j, loose);
    }
    return wrong;
}

/* Lists the members in set, and clears the multipliers of the others. */
static void list(struct trop_least *least)
{
    least->size = 0;
    for (int64_t j = 0; j < least->count; j++) {
        if (least->member[j]) {
            least->set[least->size++] = j;
        } else {
            least->lambda[j] = trop_dd_of(0);
        }
    }
}

/* Moves every wrong constraint, or only the last one, into or out of the set. */
static void change(struct trop_least *least, int loose, int single)
{
    int changed = 0;

    for (int64_t j = least->count - 1; j >= 0; j--) {
        if (is_wrong(least, j, loose) && !(single && changed)) {
            least->member[j] = !least->member[j];
            changed = 1;
        }
    }
    list(least);
}

/* One round from the set at hand; more is 1 when another is to follow. */
static enum trop_status round_of(struct pivot *pivot, int64_t *fewest, int64_t *patience, int *more)
{
    struct trop_least *least = pivot->least;
    int done, loose = 1;
    const enum trop_status status = factor(pivot, &done);

    *more = 0;
    least->end = TROP_NORM_STALLED;
    if (status != TROP_OK || !done) {
        return status;
    }
    guess(pivot);
    if (!least->settled) { /* else this set, with these multipliers, has just been looked at */
        trop_least_lacks(least, TROP_LEAST_OTHERS);
    }
    least->settled = 0;
    int64_t wrong = wrong_count(least, loose);
    if (wrong == 0) {
        if (!refine(pivot)) {
            return TROP_OK;
        }
        loose = 0;
        trop_least_lacks(least, TROP_LEAST_OTHERS);
        /* A skipped row that contradicts those before it by roundings is left out for good. */
        for (int64_t s = 0; s < least->size; s++) {
            const int64_t j = least->set[s];
            const double most = least->task->problem->equal[j] ? FORGIVEN_EQUAL : FORGIVEN;
            if (pivot->skipped[s] && fabs(least->lack[j]) <= most * least->length) {
                least->ignored[j] = 1;
            }
        }
        wrong = wrong_count(least, loose);
    }
    if (wrong == 0) {
        least->end = TROP_NORM_DONE;
        list(least);
        return TROP_OK;
    }
    *patience = wrong < *fewest ? ROUNDS : *patience - 1;
    *fewest = wrong < *fewest ? wrong : *fewest;
    change(least, loose, *patience < 0);
    *more = *patience >= (pivot->skips > 0 ? 0 : -SINGLES);
    return TROP_OK;
}

enum trop_status trop_least_pivot(struct trop_least *least)
{
    const struct trop_problem *problem = least->task->problem;
    const int64_t queries = least->queries, columns = least->columns;
    struct pivot pivot = { .least = least };
    int64_t fewest = INT64_MAX, patience = ROUNDS;
    enum trop_status status = TROP_OK;

    memset(least->ignored, 0, (size_t)least->count * sizeof *least->ignored);
    if (!TROP_ALLOC(TROP_PART(pivot.cross, trop_alloc_product(queries, queries)),
                    TROP_PART(pivot.y, least->count), TROP_PART(pivot.floor, least->count),
                    TROP_PART(pivot.skipped, least->count))) {
        status = trop_fail(TROP_ERR_MEMORY, "no memory to pivot %lld constraints",
                           (long long)least->count);
    }
    for (int64_t q = 0; status == TROP_OK && q < queries; q++) {
        least->linear->dots(pivot.cross + q * queries, problem->query, columns, queries,
                            problem->query + q * columns, columns);
    }
    for (int more = 1; status == TROP_OK && more;) {
        if (!trop_least_goes_on(least)) {
            least->end = TROP_NORM_LIMIT;
            trop_least_combine(least);
            break;
        }
        status = round_of(&pivot, &fewest, &patience, &more);
    }
    TROP_FREE(pivot.gram, pivot.x, pivot.cross, pivot.y, pivot.floor, pivot.skipped);
    return status;
}
