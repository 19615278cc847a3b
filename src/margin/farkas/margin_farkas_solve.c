/* margin_farkas_solve.c -- a verified solve: an exact combination near a guess that vanishes.
 *
 * k rows of a set in k coordinates are free, the others have multipliers that stand. With c_i
 * powers of two that make the rows c_i A_i about as long as each other and as the largest term,
 * nu_i = weight_i / c_i are at most about 1 and
 *
 *   M nu = b,   M = (c_i A_i) for the free rows,   b = - sum over the others of weight_j A_j.
 *
 * R is an approximate inverse of M. When |I - R M|_inf <= alpha < 1, M is regular and the one
 * solution is, for any n, within |R (b - M n)|_inf / (1 - alpha) of n (Krawczyk). n is a
 * double-double, so that multipliers far below the rounding of the others are told from 0. When
 * that leaves every inequality a positive multiplier, and r'lambda > 0, then lambda exists exactly,
 * for the numbers as they were given, and the constraints contradict each other: 0 = <A'lambda, W>
 * >= r'lambda > 0.
 *
 * Errors, with u = 2^-53. Entries of M and of the rows in b are double-doubles within 5 u^2 of the
 * raw data, products within 5 u^2, sums of n terms within 3 n u^2 of the sum of moduli:
 * (3 n + 16) u^2 times that, the moduli counted in double with a factor 1 + 2^-10. Scaled data in
 * which an entry other than 0 is below 2^-200 are refused, so that nothing underflows that counts:
 * entries are multiples of 2^-504, and of 2^-756 after a multiplication by weights above 2^-200;
 * products with R lose at most 2^-1074 each, which TINY = 2^-900 covers while R is below 2^100.
 * Larger R and smaller weights are refused.
 */
#include "margin/farkas/margin_farkas_internal.h"

#include "base/alloc.h"
#include "base/linalg.h"
#include "base/status.h"

#include <string.h>

#define UNIT TROP_MARGIN_CHECK_UNIT
#define SLACK TROP_MARGIN_CHECK_SLACK
#define TINY 0x1p-900
#define REFINED 3

struct system {
    int64_t k;
    struct trop_dd *m;  /* (k, k) row: coordinate, column: unknown */
    struct trop_dd *b;  /* (k) */
    double *b_moduli;   /* (k) sums of the moduli of its terms */
    double *copy, *r;   /* (k, k) */
    int64_t *pivot;     /* (k) */
    double *c;          /* (k) */
    struct trop_dd *nu; /* (k) */
    double *rest;       /* (k) b - M nu, rounded */
    double *rest_most;  /* (k) its modulus, rounded up */
    int64_t terms;      /* of an entry of b */
};

static void system_free(struct system *s)
{
    TROP_FREE(s->m, s->b, s->b_moduli, s->copy, s->r, s->pivot, s->c, s->nu, s->rest, s->rest_most);
}

static enum trop_status system_make(struct system *s, int64_t k)
{
    *s = (struct system){ .k = k };
    if (!TROP_ALLOC(TROP_PART(s->m, k * k), TROP_PART(s->b, k), TROP_PART(s->b_moduli, k),
                    TROP_PART(s->copy, k * k), TROP_PART(s->r, k * k), TROP_PART(s->pivot, k),
                    TROP_PART(s->c, k), TROP_PART(s->nu, k), TROP_PART(s->rest, k),
                    TROP_PART(s->rest_most, k))) {
        system_free(s);
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld equations", (long long)k);
    }
    return TROP_OK;
}

/* M and b from the raw data. */
static void system_fill(struct system *s, const struct trop_margin_farkas_guess *guess,
                        const struct trop_margin_farkas_set *set)
{
    const int64_t k = s->k;
    double largest = 0.0;

    for (int64_t i = 0; i < guess->count; i++) {
        const double term = guess->weight[i] * set->size[guess->place[i]];
        largest = term > largest ? term : largest;
    }
    for (int64_t i = 0; i < k; i++) {
        int power;
        (void)frexp(largest / set->size[guess->place[i]], &power);
        s->c[i] = ldexp(1.0, power);
        for (int64_t e = 0; e < k; e++) {
            const struct trop_dd x = trop_margin_farkas_entry(set, guess->place[i], e);
            s->m[e * k + i] = (struct trop_dd){ s->c[i] * x.high, s->c[i] * x.low };
            s->copy[e * k + i] = s->m[e * k + i].high;
        }
    }
    s->terms = guess->count - k;
    for (int64_t e = 0; e < k; e++) {
        struct trop_dd sum = trop_dd_of(0.0);
        double moduli = 0.0;
        for (int64_t i = k; i < guess->count; i++) {
            const struct trop_dd x = trop_margin_farkas_entry(set, guess->place[i], e);
            sum = trop_dd_fma(trop_dd_of(-guess->weight[i]), x, sum);
            moduli = fma(guess->weight[i], fabs(x.high), moduli);
        }
        s->b[e] = sum;
        s->b_moduli[e] = moduli;
    }
}

/* |I - R M|_inf, rounded up. */
static double contraction(const struct system *s)
{
    const int64_t k = s->k;
    const double unit = (3.0 * (double)k + 16.0) * UNIT * UNIT;
    double top = 0.0;

    for (int64_t i = 0; i < k; i++) {
        double row = 0.0;
        for (int64_t j = 0; j < k; j++) {
            struct trop_dd sum = trop_dd_of(i == j ? 1.0 : 0.0);
            double moduli = 1.0;
            for (int64_t e = 0; e < k; e++) {
                const double r = s->r[i * k + e];
                sum = trop_dd_fma(trop_dd_of(-r), s->m[e * k + j], sum);
                moduli = fma(fabs(r), fabs(s->m[e * k + j].high), moduli);
            }
            row += fabs(sum.high) + (fabs(sum.low) + (moduli * unit * SLACK + TINY));
        }
        row *= SLACK;
        top = row > top || row != row ? row : top;
    }
    return top;
}

/* rest = b - M nu, and its largest possible moduli. */
static void rest_of(struct system *s)
{
    const int64_t k = s->k;
    const double unit = (3.0 * (double)(k + s->terms) + 24.0) * UNIT * UNIT;

    for (int64_t e = 0; e < k; e++) {
        struct trop_dd sum = s->b[e];
        double moduli = s->b_moduli[e];
        for (int64_t i = 0; i < k; i++) {
            sum = trop_dd_fma(trop_dd_minus(s->nu[i]), s->m[e * k + i], sum);
            moduli = fma(fabs(s->nu[i].high), fabs(s->m[e * k + i].high), moduli);
        }
        s->rest[e] = sum.high;
        s->rest_most[e] = (fabs(sum.high) + fabs(sum.low)) * SLACK + moduli * unit * SLACK + TINY;
    }
}

/* nu, refined, and a bound of |nu - solution|_inf; infinity when nothing is proved. */
static double enclose(struct system *s)
{
    const int64_t k = s->k;
    double top = 0.0;

    for (int64_t e = 0; e < k * k; e++) { /* R, by LU */
        s->r[e] = e % (k + 1) == 0 ? 1.0 : 0.0;
    }
    if (!trop_linalg_lu(s->copy, s->pivot, k)) {
        return (double)INFINITY;
    }
    trop_linalg_lu_solve(s->r, s->copy, s->pivot, k, k);
    for (int64_t e = 0; e < k * k; e++) {
        if (!(fabs(s->r[e]) < 0x1p100)) {
            return (double)INFINITY;
        }
    }
    const double alpha = contraction(s);
    if (!(alpha < 0.5)) {
        return (double)INFINITY;
    }
    for (int64_t turn = 0; turn < REFINED; turn++) {
        rest_of(s);
        for (int64_t i = 0; i < k; i++) {
            const double change = trop_linalg_dot(s->r + i * k, s->rest, k);
            s->nu[i] = trop_dd_add(s->nu[i], trop_dd_of(change));
        }
    }
    rest_of(s);
    for (int64_t i = 0; i < k; i++) {
        double row = 0.0;
        for (int64_t e = 0; e < k; e++) {
            row = fma(fabs(s->r[i * k + e]), s->rest_most[e], row);
        }
        top = row > top || row != row ? row : top;
    }
    return top * SLACK / (1.0 - alpha) * SLACK;
}

/* Positive where they must be, and r'lambda > 0, for every nu within error. */
static int signs_hold(const struct system *s, const struct trop_margin_farkas_guess *guess,
                      const struct trop_margin_farkas_set *set, double error)
{
    const struct trop_problem *problem = set->data->problem;
    double paid = 0.0, moduli = 0.0, lost = 0.0;

    for (int64_t i = 0; i < guess->count; i++) {
        const int64_t j = set->row[guess->place[i]];
        const double nu = i < s->k ? s->nu[i].high * s->c[i] : guess->weight[i];
        const double r = set->sign[guess->place[i]] * problem->right[j];
        if (i < s->k && !problem->equal[j] && !(s->nu[i].high > error * SLACK)) {
            return 0;
        }
        paid = fma(r, nu, paid);
        moduli = fma(fabs(r), fabs(nu), moduli);
        lost = fma(fabs(r) * error, i < s->k ? s->c[i] : 0.0, lost);
    }
    return paid > (lost + (double)(guess->count + 8) * UNIT * moduli) * SLACK + 0x1p-1000;
}

/* Puts the row with the largest term last; the multipliers of the others are solved for. */
static void choose_free(struct trop_margin_farkas_guess *guess,
                        const struct trop_margin_farkas_set *set)
{
    int64_t at = 0;

    for (int64_t i = 1; i < guess->count; i++) {
        if (guess->weight[i] * set->size[guess->place[i]] >
            guess->weight[at] * set->size[guess->place[at]]) {
            at = i;
        }
    }
    const int64_t last = guess->count - 1, place = guess->place[at];
    const double weight = guess->weight[at];
    guess->place[at] = guess->place[last];
    guess->weight[at] = guess->weight[last];
    guess->place[last] = place;
    guess->weight[last] = weight;
    guess->free = last;
}

enum trop_status trop_margin_farkas_solve(int *proved, struct trop_margin_farkas_guess *guess,
                                          const struct trop_margin_farkas_set *set)
{
    const int64_t k = set->k;
    struct system s;

    *proved = 0;
    if (guess->count <= k || k > TROP_MARGIN_FARKAS_LARGEST || set->data->point.deep ||
        set->data->query.deep) {
        return TROP_OK;
    }
    if (guess->free == 0) {
        if (guess->count != k + 1) {
            return TROP_OK;
        }
        choose_free(guess, set);
    }
    /* Multipliers and lengths may be far apart, but not so far that products with them leave the
     * range of double. */
    for (int64_t i = 0; i < guess->count; i++) {
        const double size = set->size[guess->place[i]];
        if (!(guess->weight[i] > 0x1p-200 && guess->weight[i] < 0x1p200 && size > 0x1p-200)) {
            return TROP_OK;
        }
    }
    enum trop_status status = system_make(&s, k);
    if (status != TROP_OK) {
        return status;
    }
    system_fill(&s, guess, set);
    for (int64_t i = 0; i < k; i++) {
        s.nu[i] = trop_dd_of(guess->weight[i] / s.c[i]);
    }
    const double error = enclose(&s);
    if (error < (double)INFINITY && signs_hold(&s, guess, set, error)) {
        *proved = 1;
        for (int64_t i = 0; i < k; i++) {
            guess->weight[i] = s.nu[i].high * s.c[i];
        }
    }
    system_free(&s);
    return TROP_OK;
}
