/* margin_farkas_rank.c -- coordinates that suffice for a set of rows: its rank, without rounding.
 *
 * B holds the rows of a set, as they were given: differences of points, queries, or products of
 * both. When its rank is r and the r columns P are independent, these span its columns, B = B_P C.
 * Therefore
 *
 *   lambda'B = (lambda'B_P) C = 0 as soon as lambda'B_P = 0.
 *
 * For the points and the queries apart, left = C'left_P and z = D'z_Q in every row, and
 * sum lambda_j left_j z_j' = C' (sum lambda_j left_jP z_jQ') D: coordinates P x Q suffice.
 * So data that lie in a subspace, whatever its slope, are looked at in as many coordinates as the
 * subspace has, where a verified solve has full rank.
 *
 * The rank. Elimination modulo a prime finds r rows and r columns whose minor is not 0 modulo it,
 * and so is not 0: the rank is at least r. It is r when every minor of order r + 1 that borders
 * this one vanishes (Kronecker). Row j is a multiple of a power of two, of numbers below 2^w_j;
 * without these powers, which change no zero, such a minor is a whole number of modulus at most
 * (Hadamard)
 *
 *   prod over r + 1 rows of sqrt(r + 1) 2^w_j  <=  2^((r + 1) (w + l / 2)),  w >= w_j, 2^l >= r
 * + 1.
 *
 * It is 0 when it is 0 modulo primes whose product is larger. Modulo a prime of which the minor of
 * order r is no multiple, what elimination by its rows leaves of another row are the quotients of
 * the bordering minors by it: they must be 0. Other primes are passed over. No step rounds.
 *
 * Elimination goes along in double too, so that among columns that are independent modulo the
 * prime well-conditioned ones are taken; that decides nothing else.
 */
#include "margin/farkas/margin_farkas_internal.h"
#include "margin/farkas/margin_farkas_prime.h"

#include "base/alloc.h"
#include "base/linalg.h"
#include "base/status.h"

#define BUDGET 2e8    /* multiplications of one rank: about a quarter of a second */
#define CLEAR 1e-6    /* of a unit row: rows of which more is left are taken first */
#define PRIME_BITS 30 /* a prime is above 2^30 */
#define FIRST 0x7fffffffU

/* Rows whose entries are left_a z_b, left_a alone (down NULL) or z_b alone (across NULL). */
struct matrix {
    const struct trop_margin_farkas_set *set;
    int64_t rows, columns;
    const int64_t *place; /* (rows) of the set */
    const int64_t *across, *down;
};

struct elimination {
    const struct matrix *of;
    struct trop_margin_farkas_prime *prime;
    int64_t rank, most;
    int64_t *pivot_row, *pivot; /* (most) */
    int *used;                  /* (rows) 1: a row of the minor */
    uint32_t *done;             /* (most, columns) rows of the minor, eliminated, 1 at the pivot */
    double *near;               /* (most, columns) the same in double */
    uint32_t *row;              /* (columns) */
    double *now;                /* (columns) */
    double spent;
};

static void elimination_free(struct elimination *it)
{
    TROP_FREE(it->prime, it->pivot_row, it->pivot, it->used, it->done, it->near, it->row, it->now);
}

static enum trop_status elimination_make(struct elimination *it, const struct matrix *of)
{
    const int64_t most = of->rows < of->columns ? of->rows : of->columns;
    const int64_t numbers = trop_alloc_product(most, of->columns);

    *it = (struct elimination){ .of = of, .most = most };
    if (!TROP_ALLOC(TROP_PART(it->prime, 1), TROP_PART(it->pivot_row, most),
                    TROP_PART(it->pivot, most), TROP_PART(it->used, of->rows),
                    TROP_PART(it->done, numbers), TROP_PART(it->near, numbers),
                    TROP_PART(it->row, of->columns), TROP_PART(it->now, of->columns))) {
        elimination_free(it);
        return trop_fail(TROP_ERR_MEMORY, "no memory for the rank of %lld rows",
                         (long long)of->rows);
    }
    return TROP_OK;
}

/* ---- numbers of the matrix ------------------------------------------------------------------- */

/* The three numbers of entry c of row i, (from - less) z, of raw data. */
static void factors(double *from, double *less, double *z, const struct matrix *of, int64_t i,
                    int64_t c)
{
    const struct trop_problem *problem = of->set->data->problem;
    const int64_t j = of->set->row[of->place[i]];
    const int64_t plus = problem->plus[j], minus = problem->minus[j];

    *from = of->across ? 0.0 : 1.0;
    *less = 0.0;
    *z = 1.0;
    if (of->across && plus >= 0) {
        *from = problem->point[plus * problem->rows + of->across[c]];
    }
    if (of->across && minus >= 0) {
        *less = problem->point[minus * problem->rows + of->across[c]];
    }
    if (of->down) {
        *z = problem->query[problem->asked[j] * problem->columns + of->down[c]];
    }
}

/* Row i modulo the prime, times a power of two. */
static void residues(uint32_t *row, const struct matrix *of,
                     const struct trop_margin_farkas_prime *prime, int64_t i)
{
    for (int64_t c = 0; c < of->columns; c++) {
        double from, less, z;
        factors(&from, &less, &z, of, i, c);
        row[c] = trop_margin_farkas_prime_less(prime, trop_margin_farkas_prime_residue(prime, from),
                                               trop_margin_farkas_prime_residue(prime, less));
        if (of->down) {
            const uint32_t other = trop_margin_farkas_prime_residue(prime, z);
            row[c] = trop_margin_farkas_prime_times(prime, row[c], other);
        }
    }
}

/* |x| < 2^top, and x is a multiple of 2^low; both are widened. */
static void widen(int64_t *top, int64_t *low, double x)
{
    int e;
    int64_t whole = (int64_t)ldexp(frexp(fabs(x), &e), 53), last = e - 53;

    if (whole == 0) {
        return;
    }
    for (; whole % 2 == 0; whole /= 2) {
        last++;
    }
    *top = e > *top ? e : *top;
    *low = last < *low ? last : *low;
}

/* w: entries of every row are whole numbers below 2^w, but for a power of two of the row. */
static int64_t width(const struct matrix *of)
{
    int64_t widest = 0;

    for (int64_t i = 0; i < of->rows; i++) {
        int64_t left_top = -2000, left_low = 2000, top = -2000, low = 2000;
        for (int64_t c = 0; c < of->columns; c++) {
            double from, less, z;
            factors(&from, &less, &z, of, i, c);
            widen(&left_top, &left_low, from);
            widen(&left_top, &left_low, less);
            widen(&top, &low, z);
        }
        if (left_top > left_low && top > low) { /* 1: of the difference */
            const int64_t own = left_top - left_low + 1 + (top - low);
            widest = own > widest ? own : widest;
        }
    }
    return widest;
}

/* ---- elimination ----------------------------------------------------------------------------- */

/* Eliminates the first `count` rows of the minor from it->row. */
static void eliminate(struct elimination *it, int64_t count)
{
    const int64_t n = it->of->columns;

    for (int64_t l = 0; l < count; l++) {
        const uint32_t factor = it->row[it->pivot[l]];
        if (factor != 0) {
            trop_margin_farkas_prime_eliminate(it->prime, it->row, it->done + l * n, factor, n);
        }
    }
    it->spent += (double)count * (double)n;
}

/* Row i in double, of length 1, to it->now, and the rows of the minor eliminated from it; returns
 * the length that is left. */
static double eliminate_near(struct elimination *it, int64_t i)
{
    const struct trop_margin_check_data *data = it->of->set->data;
    const int64_t n = it->of->columns;

    for (int64_t c = 0; c < n; c++) {
        double from, less, z;
        factors(&from, &less, &z, it->of, i, c);
        it->now[c] = ldexp(from, -(int)data->point.shift) - ldexp(less, -(int)data->point.shift);
        it->now[c] *= ldexp(z, -(int)data->query.shift);
    }
    const double size = trop_linalg_norm(it->now, n);
    for (int64_t c = 0; c < n && size > 0.0; c++) {
        it->now[c] /= size;
    }
    for (int64_t l = 0; l < it->rank; l++) {
        const double factor = it->now[it->pivot[l]];
        for (int64_t c = 0; c < n; c++) {
            it->now[c] = fma(-factor, it->near[l * n + c], it->now[c]);
        }
        it->now[it->pivot[l]] = 0.0;
    }
    return trop_linalg_norm(it->now, n);
}

/* The rows in it->row and it->now, divided by their entry at the pivot, become row l of the minor.
 */
static void keep(struct elimination *it, int64_t l)
{
    const int64_t n = it->of->columns, at = it->pivot[l];
    const uint32_t over = trop_margin_farkas_prime_over(it->prime, it->row[at]);

    for (int64_t c = 0; c < n; c++) {
        it->done[l * n + c] = trop_margin_farkas_prime_times(it->prime, it->row[c], over);
        it->near[l * n + c] = it->now[at] != 0.0 ? it->now[c] / it->now[at] : 0.0;
    }
}

/* Row i joins the minor if it is independent of its rows. */
static void take(struct elimination *it, int64_t i)
{
    const int64_t n = it->of->columns;
    int64_t best = -1;

    residues(it->row, it->of, it->prime, i);
    eliminate(it, it->rank);
    for (int64_t c = 0; c < n; c++) {
        if (it->row[c] != 0 && (best < 0 || fabs(it->now[c]) > fabs(it->now[best]))) {
            best = c;
        }
    }
    if (best >= 0) {
        it->pivot[it->rank] = best;
        it->pivot_row[it->rank] = i;
        it->used[i] = 1;
        keep(it, it->rank++);
    }
}

/* Finds the largest minor that is not 0 modulo the first prime. Returns 0 when that takes too long.
 */
static int find_minor(struct elimination *it)
{
    for (int turn = 0; turn < 2; turn++) { /* rows that clearly are independent first */
        for (int64_t i = 0; i < it->of->rows && it->rank < it->most; i++) {
            if (!it->used[i] && it->spent < BUDGET) {
                const double left = eliminate_near(it, i);
                if (turn == 1 || left > CLEAR) {
                    take(it, i);
                }
                it->spent += (double)it->rank * (double)it->of->columns;
            }
        }
    }
    return it->spent < BUDGET;
}

/* Do all minors that border the minor vanish modulo this prime? -1: nothing can be said. */
static int borders_vanish(struct elimination *it)
{
    const int64_t n = it->of->columns;

    for (int64_t l = 0; l < it->rank; l++) {
        residues(it->row, it->of, it->prime, it->pivot_row[l]);
        eliminate(it, l);
        if (it->row[it->pivot[l]] == 0) {
            return -1;
        }
        keep(it, l);
    }
    for (int64_t i = 0; i < it->of->rows; i++) {
        if (!it->used[i]) {
            residues(it->row, it->of, it->prime, i);
            eliminate(it, it->rank);
            for (int64_t c = 0; c < n; c++) {
                if (it->row[c] != 0) {
                    return 0;
                }
            }
        }
    }
    return 1;
}

/* Is the rank that of the minor? */
static int is_rank(struct elimination *it)
{
    const int64_t rank = it->rank;
    int64_t l = 0, have = 0;

    if (rank == it->most) {
        return 1;
    }
    while (((int64_t)1 << l) < rank + 1) {
        l++;
    }
    const int64_t bits = (rank + 1) * width(it->of) + ((rank + 1) * l + 1) / 2;
    const double once = (double)it->of->rows * (double)it->of->columns * (double)(rank + 1);
    if ((double)(bits / PRIME_BITS + 1) * once > BUDGET) {
        return 0;
    }
    while (have * PRIME_BITS < bits) {
        trop_margin_farkas_prime_below(it->prime, it->prime->p);
        const int vanish = borders_vanish(it);
        if (vanish == 0) {
            return 0;
        }
        have += vanish > 0;
    }
    return 1;
}

/* Columns that span all columns, ascending, into chosen (room: columns): all of them when no fewer
 * are proved to. *independent: 1 when the rows are proved to be. */
static enum trop_status span(int64_t *chosen, int64_t *count, int *independent,
                             const struct matrix *of)
{
    const double most = (double)(of->rows < of->columns ? of->rows : of->columns);
    struct elimination it;

    *count = of->columns;
    *independent = 0;
    for (int64_t c = 0; c < of->columns; c++) {
        chosen[c] = c;
    }
    if (most == 0.0 || most * most * (double)of->columns > 2.0 * BUDGET) {
        return TROP_OK;
    }
    enum trop_status status = elimination_make(&it, of);
    if (status != TROP_OK) {
        return status;
    }
    trop_margin_farkas_prime_below(it.prime, FIRST);
    if (find_minor(&it)) {
        *independent = it.rank == of->rows;
        if (it.rank < of->columns && is_rank(&it)) {
            *count = 0;
            for (int64_t c = 0; c < of->columns; c++) {
                for (int64_t l = 0; l < it.rank; l++) {
                    if (it.pivot[l] == c) {
                        chosen[(*count)++] = c;
                    }
                }
            }
        }
    }
    elimination_free(&it);
    return TROP_OK;
}

/* ---- of sets --------------------------------------------------------------------------------- */

/* Rows 0, 1, .. of a set; with queries, one row of each run that asks the same. */
static int64_t places(int64_t *out, const struct trop_margin_farkas_set *set, int runs)
{
    const int64_t *asked = set->data->problem->asked;
    int64_t count = 0;

    for (int64_t i = 0; i < set->count; i++) {
        if (!runs || i == 0 || asked[set->row[i]] != asked[set->row[i - 1]]) {
            out[count++] = i;
        }
    }
    return count;
}

enum trop_status trop_margin_farkas_rank_side(int64_t *list, int64_t *count, int *independent,
                                              const struct trop_margin_farkas_set *set, int queries)
{
    int64_t *place, *chosen, kept;
    enum trop_status status = TROP_ERR_MEMORY;

    if (TROP_ALLOC(TROP_PART(place, set->count), TROP_PART(chosen, *count))) {
        const struct matrix of = { .set = set,
                                   .columns = *count,
                                   .across = queries ? NULL : list,
                                   .down = queries ? list : NULL,
                                   .rows = places(place, set, queries),
                                   .place = place };
        status = span(chosen, &kept, independent, &of);
    } else {
        (void)trop_fail(status, "no memory for the rank of %lld rows", (long long)set->count);
    }
    if (status == TROP_OK) {
        for (int64_t c = 0; c < kept; c++) {
            list[c] = list[chosen[c]]; /* ascending: chosen[c] >= c */
        }
        *count = kept;
    }
    TROP_FREE(place, chosen);
    return status;
}

enum trop_status trop_margin_farkas_rank_rows(struct trop_margin_farkas_set *set, int *independent,
                                              const struct trop_margin_farkas_guess *guess)
{
    int64_t *place, *chosen, kept;
    enum trop_status status = TROP_ERR_MEMORY;

    if (TROP_ALLOC(TROP_PART(place, set->count), TROP_PART(chosen, set->k))) {
        const struct matrix of = { .set = set,
                                   .columns = set->k,
                                   .across = set->across,
                                   .down = set->alone ? NULL : set->down,
                                   .rows = guess ? guess->count : places(place, set, 0),
                                   .place = guess ? guess->place : place };
        status = span(chosen, &kept, independent, &of);
    } else {
        (void)trop_fail(status, "no memory for the rank of %lld rows", (long long)set->count);
    }
    if (status == TROP_OK) {
        for (int64_t c = 0; c < kept; c++) {
            set->across[c] = set->across[chosen[c]];
            set->down[c] = set->down[chosen[c]];
        }
        set->k = kept;
    }
    TROP_FREE(place, chosen);
    return status;
}
