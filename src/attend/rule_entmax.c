/* rule_entmax.c -- alpha-entmax (Peters, Niculae, Martins), its parameter called a.
 *
 *   p_j = m_j [ 1 - q_j ]_+^(1/(a-1)),   q_j = (a-1) beta (max s - s_j) + delta,
 *
 * with delta such that sum_j p_j = 1; a = 2 is sparsemax, a -> 1 softmax. (tau of
 * the papers is (a-1) beta max s - 1 + delta.) Written with q, a power near 1 is
 * exp(log1p(-q)/(a-1)), which keeps its precision as a -> 1.
 *
 * The sum falls in delta. With mass M in all and mass t on one token of largest
 * score, it is at least 1 at delta = 1 - t^(1-a) (that token alone) and at most 1
 * at 1 - M^(1-a) (all at the top). Newton's method runs between these bounds, which
 * it moves; a step that leaves them is a bisection. For a <= 2 the sum is convex, so
 * Newton from the left never leaves. The weights are renormalised by their sum.
 *
 * delta is known to a few u, and with it the bracket 1 - q_j. That is too little for a token r
 * whose bracket is nearly 0 and whose mass is large. Then the level is found once more from there:
 * with h_j = (1 - q_j) - (1 - q_r), a difference of two (a-1) beta (max s - s), the bracket of r is
 * the t with sum_j m_j [t + h_j]_+^(1/(a-1)) = 1, which has all its digits.
 */
#include "attend/rule.h"
#include "base/exp.h"
#include "base/log.h"
#include "base/pow.h"

#include <float.h>
#include <math.h>

#define ENOUGH 0x1p-50 /* an error of the sum that renormalising forgives */
#define FINE 0x1p-8    /* a bracket below this is found from itself */

static double power(double q, double a)
{
    if (q >= 1) {
        return 0;
    }
    return a == 2 ? 1 - q : trop_exp(trop_log1p(-q) / (a - 1));
}

/* The sum at delta, and minus its derivative: d p / d delta = -p / ((a-1)(1-q)). */
static double sum_at(const struct trop_row *row, double delta, double *slope)
{
    double sum = 0, a = row->scene->numbers.a;

    *slope = 0;
    for (int64_t k = 0; k < row->count; k++) {
        int64_t j = row->support[k];
        double q = row->weight[j] + delta;
        double p = trop_row_mass(row, j) * power(q, a);
        sum += p;
        *slope += p > 0 ? p / ((a - 1) * (1 - q)) : 0;
    }
    return sum;
}

static double solve(const struct trop_row *row, double low, double high)
{
    double delta = low;

    for (int k = 0; k < 1100; k++) { /* doubles halve an interval at most that often */
        double slope, excess = sum_at(row, delta, &slope) - 1;
        if (fabs(excess) <= ENOUGH) {
            break;
        }
        low = excess > 0 ? delta : low;
        high = excess > 0 ? high : delta;
        delta += excess / slope;
        if (!(delta > low && delta < high)) {
            delta = low + (high - low) / 2;
        }
        if (!(delta > low && delta < high)) {
            break;
        }
    }
    return delta;
}

/* weight_j <- (a-1) beta (max s - s_j), support <- what can have weight when delta is
 * at least low. */
static void reduce(struct trop_row *row, double *low, double *high)
{
    double a = row->scene->numbers.a, beta = trop_row_beta(row), mass = 0, most = 0;

    for (int64_t j = 0; j < row->n; j++) {
        double m = trop_row_mass(row, j);
        row->weight[j] = (a - 1) * (beta * (row->top - row->weight[j]));
        most = row->weight[j] == 0 && m > most ? m : most;
    }
    *low = most == 1 ? 0 : 1 - trop_pow(most, 1 - a);
    row->count = 0;
    for (int64_t j = 0; j < row->n; j++) {
        if (row->weight[j] + *low < 1) {
            mass += trop_row_mass(row, j);
            row->support[row->count++] = j;
        }
    }
    *high = 1 - trop_pow(mass, 1 - a);
}

/* ---- the level from a token that has nearly none ----------------------------------------------
 */

static double bracket_power(double b, double a)
{
    return !(b > 0) ? 0 : a == 2 ? b : trop_exp(trop_log(b) / (a - 1));
}

/* The token of the support whose bracket is nearest to 0; *t: the bracket. */
static int64_t lowest(double *t, const struct trop_row *row, double delta)
{
    int64_t found = row->support[0];

    *t = 1 - (row->weight[found] + delta);
    for (int64_t k = 1; k < row->count; k++) {
        double b = 1 - (row->weight[row->support[k]] + delta);
        if (fabs(b) < fabs(*t)) {
            *t = b;
            found = row->support[k];
        }
    }
    return found;
}

/* The sum at t, and its derivative, with brackets t + (from - weight_j). */
static double sum_from(const struct trop_row *row, double from, double t, double *slope)
{
    double sum = 0, a = row->scene->numbers.a;

    *slope = 0;
    for (int64_t k = 0; k < row->count; k++) {
        int64_t j = row->support[k];
        double b = t + (from - row->weight[j]), p = trop_row_mass(row, j) * bracket_power(b, a);
        sum += p;
        *slope += p > 0 ? p / ((a - 1) * b) : 0;
    }
    return sum;
}

static double refine(const struct trop_row *row, double from, double t)
{
    double wide = 16 * DBL_EPSILON * (1 + from), low = t - wide, high = t + wide;

    for (int k = 0; k < 1100; k++) {
        double slope, excess = sum_from(row, from, t, &slope) - 1;
        if (fabs(excess) <= ENOUGH) {
            break;
        }
        low = excess > 0 ? low : t;
        high = excess > 0 ? t : high;
        t -= excess / slope;
        if (!(t > low && t < high)) {
            t = low + (high - low) / 2;
        }
        if (!(t > low && t < high)) {
            break;
        }
    }
    return t;
}

/* ---- weights ----------------------------------------------------------------------------------
 */

/* weight_j <- m_j power(bracket), support <- those with one. */
static void take(struct trop_row *row, double delta)
{
    double t, a = row->scene->numbers.a, from = row->weight[lowest(&t, row, delta)];
    int fine = fabs(t) < FINE;
    int64_t kept = 0;

    t = fine ? refine(row, from, t) : t;
    for (int64_t k = 0; k < row->count; k++) {
        int64_t j = row->support[k];
        double g = row->weight[j],
               p = fine ? bracket_power(t + (from - g), a) : power(g + delta, a);
        if (p > 0) {
            row->weight[j] = trop_row_mass(row, j) * p;
            row->support[kept++] = j;
        }
    }
    row->count = kept;
    row->total = trop_row_total(row);
}

static void weigh(struct trop_row *row)
{
    double low, high;

    if (row->scene->numbers.a == 1) {
        trop_rule_softmax.weigh(row);
        return;
    }
    reduce(row, &low, &high);
    take(row, solve(row, low, high));
}

const struct trop_rule trop_rule_entmax = {
    .name = "entmax",
    .meaning = "a-entmax of beta s: a = 1 is softmax, a = 2 sparsemax",
    .uses = TROP_RULE_USES_BETA | TROP_RULE_USES_A,
    .continuous = 1,
    .weigh = weigh,
};
