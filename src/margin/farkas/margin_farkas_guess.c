/* margin_farkas_guess.c -- which constraints contradict each other: a guess in plain double.
 *
 * Lawson and Hanson's non-negative least squares, min |B mu - t| over mu >= 0, with the columns
 * of B the unit rows of a set. What it returns has linearly independent columns, so that
 *
 *   circuit  B = rows with the right sides as a last coordinate, t = (0, .., 0, 1): when the
 *            residual vanishes, A'lambda = 0 and r'lambda = 1, and the rows in use are dependent
 *            in one way only (Caratheodory's theorem);
 *   inside   t = - the sum of all rows: lambda = 1 + mu on all rows, none of which is small.
 *
 * The columns in use are kept orthogonal by Gram-Schmidt, done twice. Nothing here proves anything:
 * thresholds decide only what is tried.
 */
#include "margin/farkas/margin_farkas_internal.h"

#include "base/alloc.h"
#include "base/linalg.h"
#include "base/status.h"

#include <string.h>

#define DEPENDENT 1e-14 /* what is left of a unit column that counts as dependent */
#define NEAR 1e-3       /* residual, relative to the target, that is worth a proof */
#define ROUNDS 3        /* times the number of rows: iterations at most */
#define STALLS 8        /* iterations that do not seem to help */
#define WORK 4e8        /* multiplications of a guess, about a second */
#define WORK_LARGE 2e8  /* the same of a set too large for a solve, where only few rows help */

struct least {
    int64_t n, length;        /* columns, and their length */
    double *b;                /* (n, length) columns */
    double *t;                /* (length) target */
    double *rest;             /* (length) t - B mu */
    double *mu;               /* (n) */
    double *q;                /* (room, length) orthonormal, of the columns in use */
    double *r;                /* (room, room) upper triangular: column i is r[., i] */
    double *y;                /* (room) solution */
    int64_t *use;             /* (room) columns in use, in the order of q */
    int *barred;              /* (n) 1: not to be taken now */
    int64_t room, used, made; /* made: how many of q are up to date */
    double work;              /* multiplications so far */
};

static void least_free(struct least *least)
{
    TROP_FREE(least->b, least->t, least->rest, least->mu, least->q, least->r, least->y, least->use,
              least->barred);
}

static enum trop_status least_make(struct least *least, int64_t n, int64_t length)
{
    const int64_t most = TROP_MARGIN_FARKAS_LARGEST + 1, least_size = n < length ? n : length;
    const int64_t room = (least_size < most ? least_size : most) + 1;

    *least = (struct least){ .n = n, .length = length, .room = room };
    if (!TROP_ALLOC(TROP_PART(least->b, trop_alloc_product(n, length)), TROP_PART(least->t, length),
                    TROP_PART(least->rest, length), TROP_PART(least->mu, n),
                    TROP_PART(least->q, trop_alloc_product(room, length)),
                    TROP_PART(least->r, room * room), TROP_PART(least->y, room),
                    TROP_PART(least->use, room), TROP_PART(least->barred, n))) {
        least_free(least);
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld constraints", (long long)n);
    }
    return TROP_OK;
}

/* q[i] from column use[i]; returns what is left of its length. */
static double orthogonalise(struct least *least, int64_t i)
{
    const int64_t length = least->length;
    double *q = least->q + i * length;

    memcpy(q, least->b + least->use[i] * length, (size_t)length * sizeof *q);
    for (int64_t l = 0; l < i; l++) {
        least->r[l * least->room + i] = 0.0;
    }
    for (int turn = 0; turn < 2; turn++) {
        for (int64_t l = 0; l < i; l++) {
            const double *other = least->q + l * length;
            const double along = trop_linalg_dot(other, q, length);
            least->r[l * least->room + i] += along;
            for (int64_t c = 0; c < length; c++) {
                q[c] = fma(-along, other[c], q[c]);
            }
        }
    }
    least->work += 4.0 * (double)i * (double)length;
    const double left = trop_linalg_norm(q, length);
    least->r[i * least->room + i] = left;
    for (int64_t c = 0; c < length && left > 0.0; c++) {
        q[c] /= left;
    }
    return left;
}

/* The least squares solution y on the columns in use. */
static void solve_used(struct least *least)
{
    for (; least->made < least->used; least->made++) {
        (void)orthogonalise(least, least->made);
    }
    for (int64_t i = least->used - 1; i >= 0; i--) {
        double y = trop_linalg_dot(least->q + i * least->length, least->t, least->length);
        for (int64_t l = i + 1; l < least->used; l++) {
            y = fma(-least->r[i * least->room + l], least->y[l], y);
        }
        least->y[i] = y / least->r[i * least->room + i];
    }
}

/* Moves mu towards y as far as it stays non-negative; columns whose mu reaches 0 leave. Returns 0
 * when none did. */
static int step(struct least *least)
{
    double far = 1.0;
    int64_t first = -1, kept = 0;

    for (int64_t i = 0; i < least->used; i++) {
        const double mu = least->mu[least->use[i]];
        if (least->y[i] <= 0.0 && mu / (mu - least->y[i]) < far) {
            far = mu / (mu - least->y[i]);
            first = i;
        }
    }
    for (int64_t i = 0; i < least->used; i++) {
        double *mu = &least->mu[least->use[i]];
        *mu = i == first ? 0.0 : fma(far, least->y[i] - *mu, *mu);
    }
    if (first < 0) {
        return 0;
    }
    for (int64_t i = 0; i < least->used; i++) {
        const int64_t j = least->use[i];
        if (least->mu[j] > 0.0) {
            least->use[kept++] = j;
        } else {
            least->mu[j] = 0.0;
            least->made = kept < least->made ? kept : least->made;
        }
    }
    least->used = kept;
    return 1;
}

/* rest = t - B mu; returns its length. */
static double rest_of(struct least *least)
{
    memcpy(least->rest, least->t, (size_t)least->length * sizeof *least->rest);
    for (int64_t i = 0; i < least->used; i++) {
        const int64_t j = least->use[i];
        for (int64_t c = 0; c < least->length; c++) {
            least->rest[c] = fma(-least->mu[j], least->b[j * least->length + c], least->rest[c]);
        }
    }
    return trop_linalg_norm(least->rest, least->length);
}

/* The unused column of steepest descent; -1: none. Those in use have mu > 0. */
static int64_t steepest(const struct least *least, double floor)
{
    double best = floor;
    int64_t at = -1;

    for (int64_t j = 0; j < least->n; j++) {
        if (least->mu[j] > 0.0 || least->barred[j]) {
            continue;
        }
        const double slope =
            trop_linalg_dot(least->b + j * least->length, least->rest, least->length);
        if (slope > best) {
            best = slope;
            at = j;
        }
    }
    return at;
}

/* Brings column j into use; 0: it is dependent, or its multiplier would be negative. */
static int take(struct least *least, int64_t j)
{
    least->use[least->used] = j;
    if (orthogonalise(least, least->used) < DEPENDENT) {
        return 0;
    }
    least->used++;
    least->made = least->used;
    solve_used(least);
    if (least->y[least->used - 1] <= 0.0) {
        least->used--;
        least->made = least->used;
        return 0;
    }
    return 1;
}

/* Returns |t - B mu| / |t|. */
static double least_run(struct least *least)
{
    const double whole = trop_linalg_norm(least->t, least->length);
    const double most = least->length > TROP_MARGIN_FARKAS_LARGEST + 1 ? WORK_LARGE : WORK;
    double left = rest_of(least);
    int64_t stalls = 0;

    for (int64_t round = 0; round < ROUNDS * least->n + 10 && left > 1e-15 * whole; round++) {
        if (least->work > most) {
            break;
        }
        least->work += (double)least->n * (double)least->length;
        const int64_t j = least->used < least->room ? steepest(least, 1e-14 * left) : -1;
        if (j < 0) {
            break;
        }
        if (!take(least, j)) {
            least->barred[j] = 1;
            continue;
        }
        while (step(least)) {
            solve_used(least);
        }
        memset(least->barred, 0, (size_t)least->n * sizeof *least->barred);
        const double now = rest_of(least);
        stalls += !(now < left); /* columns that nearly cancel take several steps to show */
        if (!(now <= left * (1.0 + 1e-12)) || stalls > STALLS) {
            break;
        }
        left = now;
    }
    return whole > 0.0 ? left / whole : 0.0;
}

/* ---- the two guesses ---------------------------------------------------------------------- */

enum trop_status trop_margin_farkas_circuit(struct trop_margin_farkas_guess *out,
                                            const struct trop_margin_farkas_set *set)
{
    const int64_t n = set->count, k = set->k;
    struct least least;

    out->count = out->free = 0;
    enum trop_status status = least_make(&least, n, k + 1);
    if (status != TROP_OK) {
        return status;
    }
    double top = 0.0; /* the last coordinate is r_j of a unit row with its sign, the largest 1 */
    for (int64_t i = 0; i < n; i++) {
        least.mu[i] = set->size[i] > 0.0
                          ? set->sign[i] * set->data->problem->right[set->row[i]] / set->size[i]
                          : 0.0;
        top = fabs(least.mu[i]) > top ? fabs(least.mu[i]) : top;
    }
    for (int64_t i = 0; i < n; i++) {
        memcpy(least.b + i * (k + 1), set->column + i * k, (size_t)k * sizeof *least.b);
        least.b[i * (k + 1) + k] = top > 0.0 ? least.mu[i] / top : least.mu[i];
        least.mu[i] = 0.0;
    }
    least.t[k] = 1.0;
    if (least_run(&least) < NEAR) {
        for (int64_t i = 0; i < n; i++) {
            if (least.mu[i] > 0.0) {
                out->place[out->count] = i;
                out->weight[out->count++] = least.mu[i] / set->size[i];
            }
        }
    }
    least_free(&least);
    return TROP_OK;
}

enum trop_status trop_margin_farkas_inside(struct trop_margin_farkas_guess *out,
                                           const struct trop_margin_farkas_set *set)
{
    const int64_t n = set->count, k = set->k;
    struct least least;

    out->count = out->free = 0;
    if (n <= k || k > TROP_MARGIN_FARKAS_LARGEST) {
        return TROP_OK;
    }
    enum trop_status status = least_make(&least, n, k);
    if (status != TROP_OK) {
        return status;
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t c = 0; c < k; c++) {
            least.b[i * k + c] = set->column[i * k + c];
            least.t[c] -= set->column[i * k + c];
        }
    }
    const int is_near = least_run(&least) < NEAR;
    for (int64_t j = 0; is_near && j < n && least.used < k; j++) { /* further independent columns */
        if (!(least.mu[j] > 0.0)) {
            least.use[least.used] = j;
            least.used += orthogonalise(&least, least.used) > 1e-6;
        }
    }
    if (least.used == k && k > 0) {
        for (int64_t i = 0; i < k; i++) {
            const int64_t j = least.use[i];
            out->place[i] = j;
            out->weight[i] = (1.0 + least.mu[j]) / set->size[j];
            least.barred[j] = 2;
        }
        out->count = out->free = k;
        for (int64_t i = 0; i < n; i++) {
            if (least.barred[i] != 2 && set->size[i] > 0.0) {
                out->place[out->count] = i;
                out->weight[out->count++] = 1.0 / set->size[i];
            }
        }
    }
    least_free(&least);
    return TROP_OK;
}
