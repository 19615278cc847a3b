/* least_walk.c -- the dual active set of Goldfarb and Idnani (1983), in double-double.
 *
 * At all times lambda >= 0 on inequalities and W = sum_S lambda_j a_j is the shortest W with
 * <a_j, W> = b_j on the set S, whose a_j are linearly independent. A step takes the constraint p
 * that W violates most. With g = (<a_j, a_p>)_S, G = (<a_j, a_k>)_S,
 *
 *   r = G^-1 g,   h = <a_p, a_p> - g' r  (the squared distance of a_p from the span of S),
 *
 * raising lambda_p by t and lowering lambda_S by t r keeps W stationary on S and lowers what p
 * lacks by t h. Either p comes to equality first (it joins S) or some lambda_j comes to 0 (j
 * leaves S, and p goes on). |W| grows with every p that joins, so that no set comes back.
 *
 * When h = 0 and no r_j > 0 on inequalities, a_p - sum r_j a_j = 0 with nonnegative multipliers
 * while b_p - sum r_j b_j > 0: a proof that no W satisfies these constraints. In floating point
 * h is 0 below DEPENDENT <a_p, a_p>, a distance of 2e-13: a factor 1e4 above the rounding of the
 * rows, 1e17 above that of h in double-double as long as the factor's condition allows. A
 * contradiction within the rounding of the rows, left_j being x_plus - x_minus rounded, is none:
 * that p is ignored.
 */
#include "margin/least/least.h"

#include "base/alloc.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

#define UNIT 0x1p-53
#define DEPENDENT 0x1p-84
#define COARSE 1024.0
/* Relative to the greatest r_j: a smaller one is 0. A step that serves to settle the rounding of
 * rows must not be led by it. */
#define NOTHING 0x1p-60
#define NOTHING_ROUNDED 0x1p-30
/* Corrections at the end, at most CORRECTED, until one moves W by less than STILL |W|. */
#define CORRECTED 8
#define STILL 0x1p-56

struct walk {
    struct trop_least *least;
    struct trop_least_factor factor;
    struct trop_dd *g, *r; /* (count) by place in the set */
    struct trop_dd pivot;  /* h */
};

static int is_free(const struct walk *walk, int64_t place)
{
    return walk->least->task->problem->equal[walk->least->set[place]] != 0;
}

/* The constraint that is violated most, an equality if there is one, turned so that it lacks
 * something; -1: none. */
static int64_t worst(struct trop_least *least)
{
    const int64_t *equal = least->task->problem->equal;
    int64_t found = -1;

    for (int64_t j = 0; j < least->count; j++) {
        if (trop_least_violated(least, j) &&
            (found < 0 || (equal[j] && !equal[found]) ||
             (!equal[j] == !equal[found] && fabs(least->lack[j]) > fabs(least->lack[found])))) {
            found = j;
        }
    }
    if (found >= 0 && least->lack[found] < 0) {
        least->lack[found] = -least->lack[found];
        least->scale[found] = -least->scale[found];
        least->bound[found] = -least->bound[found];
    }
    return found;
}

/* g, y = L^-1 g, h, r = L'^-1 y; y stays in g for a new row of the factor. Returns what p
 * lacks. */
static struct trop_dd look(struct walk *walk, int64_t p)
{
    struct trop_least *least = walk->least;
    const struct trop_dd own = trop_least_product(least, p, p);
    struct trop_dd lack =
        trop_dd_less(trop_dd_of(least->bound[p]), trop_dd_times(own, least->lambda[p]));

    for (int64_t k = 0; k < least->size; k++) {
        const int64_t j = least->set[k];
        walk->g[k] = trop_least_product(least, j, p);
        lack = trop_dd_fma(trop_dd_minus(walk->g[k]), least->lambda[j], lack);
    }
    trop_least_factor_forward(&walk->factor, walk->g);
    walk->pivot = own;
    for (int64_t k = 0; k < least->size; k++) {
        walk->pivot = trop_dd_fma(trop_dd_minus(walk->g[k]), walk->g[k], walk->pivot);
        walk->r[k] = walk->g[k];
    }
    trop_least_factor_back(&walk->factor, walk->r);
    if (walk->pivot.high <= DEPENDENT * own.high) {
        walk->pivot = trop_dd_of(0);
    }
    return lack;
}

/* The place whose multiplier comes to 0 first, and when; -1: none does. An r_j below nothing times
 * the greatest is 0. */
static int64_t blocking(const struct walk *walk, double nothing, struct trop_dd *when)
{
    const struct trop_least *least = walk->least;
    double most = 0;
    int64_t found = -1;

    for (int64_t k = 0; k < least->size; k++) {
        most = fmax(most, fabs(walk->r[k].high));
    }
    for (int64_t k = 0; k < least->size; k++) {
        if (!is_free(walk, k) && walk->r[k].high > nothing * most) {
            const struct trop_dd t = trop_dd_over(least->lambda[least->set[k]], walk->r[k]);
            if (found < 0 || trop_dd_less(t, *when).high < 0) {
                found = k;
                *when = t;
            }
        }
    }
    return found;
}

static void step(struct walk *walk, int64_t p, struct trop_dd t)
{
    struct trop_least *least = walk->least;
    const struct trop_dd minus = trop_dd_minus(t);

    for (int64_t k = 0; k < least->size; k++) {
        const int64_t j = least->set[k];
        least->lambda[j] = trop_dd_fma(minus, walk->r[k], least->lambda[j]);
    }
    least->lambda[p] = trop_dd_add(least->lambda[p], t);
}

static void leave(struct walk *walk, int64_t place)
{
    struct trop_least *least = walk->least;
    const int64_t j = least->set[place];

    least->lambda[j] = trop_dd_of(0);
    least->member[j] = 0;
    least->size--;
    memmove(least->set + place, least->set + place + 1,
            (size_t)(least->size - place) * sizeof *least->set);
    trop_least_factor_remove(&walk->factor, place);
}

static void take(struct trop_least *least, int64_t p)
{
    least->set[least->size++] = p;
    least->member[p] = 1;
}

static void join(struct walk *walk, int64_t p)
{
    trop_least_factor_append(&walk->factor, walk->g, trop_dd_root(walk->pivot));
    take(walk->least, p);
}

/* The proof: lambda_p = 1, lambda_S = -r. */
static void contradict(struct walk *walk, int64_t p)
{
    struct trop_least *least = walk->least;
    double most = 1;

    for (int64_t k = 0; k < least->size; k++) {
        most = fmax(most, fabs(walk->r[k].high));
    }
    for (int64_t k = 0; k < least->size; k++) {
        const struct trop_dd r = trop_dd_minus(walk->r[k]);
        const int keep = fabs(r.high) > NOTHING * most && (r.high > 0 || is_free(walk, k));
        least->lambda[least->set[k]] = keep ? r : trop_dd_of(0);
    }
    least->lambda[p] = trop_dd_of(1);
    take(least, p);
    least->end = TROP_NORM_INFEASIBLE;
}

/* One correction with what the members lack, rho: lambda_S += delta = G^-1 rho. Returns by how
 * much it moves W, (delta' rho)^1/2. */
static double correct(struct walk *walk)
{
    struct trop_least *least = walk->least;
    double square = 0;

    trop_least_combine(least);
    trop_least_lacks(least, TROP_LEAST_ALL);
    for (int64_t k = 0; k < least->size; k++) {
        walk->r[k] = trop_dd_of(least->lack[least->set[k]]);
    }
    trop_least_factor_forward(&walk->factor, walk->r);
    trop_least_factor_back(&walk->factor, walk->r);
    for (int64_t k = 0; k < least->size; k++) {
        const int64_t j = least->set[k];
        least->lambda[j] = trop_dd_add(least->lambda[j], walk->r[k]);
        square = fma(walk->r[k].high, least->lack[j], square);
    }
    trop_least_combine(least);
    return sqrt(fmax(square, 0));
}

/* The factor and the multipliers of the set at hand, less what is dependent in it and what has
 * a negative multiplier. */
static enum trop_status settle(struct walk *walk)
{
    struct trop_least *least = walk->least;
    const int64_t size = least->size;

    walk->factor.size = 0;
    least->size = 0;
    for (int64_t j = 0; j < least->count; j++) {
        least->lambda[j] = trop_dd_of(0);
    }
    for (int64_t k = 0; k < size; k++) {
        const int64_t p = least->set[k];
        const enum trop_status status = trop_least_factor_reserve(&walk->factor);
        if (status != TROP_OK) {
            return status;
        }
        look(walk, p);
        least->member[p] = 0;
        if (walk->pivot.high != 0) {
            join(walk, p);
        }
    }
    for (int64_t place = 0; place >= 0 && least->size > 0;) {
        double most = 0;
        correct(walk);
        place = -1;
        for (int64_t k = 0; k < least->size; k++) { /* the most negative */
            const double value = least->lambda[least->set[k]].high;
            if (!is_free(walk, k) && value < most) {
                most = value;
                place = k;
            }
        }
        if (place >= 0) {
            leave(walk, place);
        }
    }
    return TROP_OK;
}

/* Brings p into the set; more is 0 when the walk is over. */
static enum trop_status add(struct walk *walk, int64_t p, int *more)
{
    struct trop_least *least = walk->least;

    for (*more = 1;;) {
        const struct trop_dd lack = look(walk, p);
        const int dependent = walk->pivot.high == 0;
        double sum = 1;
        for (int64_t k = 0; k < least->size; k++) {
            sum += fabs(walk->r[k].high);
        }
        /* The contradiction of p with the set is within the rounding of their rows, each within
         * u |a_j| of its own. Multipliers beyond COARSE are those of rows that are nearly
         * dependent: they would explain anything. */
        const int tiny = dependent && sum <= COARSE && lack.high <= 4 * UNIT * sum * least->length;
        struct trop_dd when = trop_dd_of(0), t = trop_dd_of(0);
        const int64_t place = blocking(walk, tiny ? NOTHING_ROUNDED : NOTHING, &when);
        if (!isfinite(lack.high + walk->pivot.high)) { /* entries beyond 1e150 */
            least->end = TROP_NORM_STALLED;
            *more = 0;
            return TROP_OK;
        }
        if (tiny && place < 0) { /* p contradicts the set by rounding alone: leave it out */
            const int untouched = least->lambda[p].high == 0;
            least->ignored[p] = 1;
            least->lambda[p] = trop_dd_of(0);
            return untouched ? TROP_OK : settle(walk);
        }
        if (dependent && place < 0) {
            contradict(walk, p);
            *more = 0;
            return TROP_OK;
        }
        if (!dependent && lack.high > 0) {
            t = trop_dd_over(lack, walk->pivot);
        }
        if (!dependent && (place < 0 || trop_dd_less(t, when).high <= 0)) {
            step(walk, p, t);
            join(walk, p);
            return TROP_OK;
        }
        step(walk, p, when);
        leave(walk, place);
        if (!trop_least_goes_on(least)) {
            take(least, p);
            least->end = TROP_NORM_LIMIT;
            *more = 0;
            return TROP_OK;
        }
    }
}

static enum trop_status run(struct walk *walk)
{
    struct trop_least *least = walk->least;
    enum trop_status status = settle(walk);

    while (status == TROP_OK) {
        trop_least_combine(least);
        trop_least_lacks(least, TROP_LEAST_OTHERS);
        const int64_t p = worst(least);
        if (trop_least_over(least, p)) {
            break;
        }
        status = trop_least_factor_reserve(&walk->factor);
        int more = 0;
        if (status == TROP_OK) {
            status = add(walk, p, &more);
        }
        if (!more) {
            break;
        }
    }
    for (int k = 0; k < CORRECTED && status == TROP_OK && least->end == TROP_NORM_DONE; k++) {
        if (correct(walk) <= STILL * least->length) {
            break;
        }
    }
    return status;
}

enum trop_status trop_least_walk(struct trop_least *least)
{
    struct walk walk = { .least = least };

    memset(least->ignored, 0, (size_t)least->count * sizeof *least->ignored);
    enum trop_status status = TROP_OK;
    if (!TROP_ALLOC(TROP_PART(walk.g, least->count), TROP_PART(walk.r, least->count))) {
        status =
            trop_fail(TROP_ERR_MEMORY, "no memory for %lld multipliers", (long long)least->count);
    }
    if (status == TROP_OK) {
        status = run(&walk);
    }
    TROP_FREE(walk.g, walk.r);
    trop_least_factor_free(&walk.factor);
    return status;
}
