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
 * Where the best tokens are heavy, t^(1-a) < 1/2, the brackets are small, and it is their level L =
 * 1 - delta that is found, between M^(1-a) and t^(1-a).
 *
 * The level is known to a few u, and with it the bracket of a token. That is too little for a token
 * r whose bracket is nearly 0 and whose mass is large. Then the level is found once more from
 * there: with h_j the bracket of j less that of r, a difference of two (a-1) beta (max s - s), the
 * bracket of r is the b with sum_j m_j [b + h_j]_+^(1/(a-1)) = 1, which has all its digits.
 */
#include "attend/rule.h"
#include "base/math/exp.h"
#include "base/math/log.h"
#include "base/math/pow.h"

#include <float.h>
#include <math.h>

#define ENOUGH 0x1p-50 /* an error of the sum that renormalising forgives */
#define FINE 0x1p-8    /* of the level; a bracket below this is found from itself */

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

/* ---- the level from a token that has nearly none, or of heavy tokens ------------------------- */

static double bracket_power(double b, double a)
{
    return !(b > 0) ? 0 : a == 2 ? b : trop_exp(trop_log(b) / (a - 1));
}

/* The sum with brackets b + (from - weight_j), and its derivative. */
static double sum_from(const struct trop_row *row, double from, double b, double *slope)
{
    double sum = 0, a = row->scene->numbers.a;

    *slope = 0;
    for (int64_t k = 0; k < row->count; k++) {
        int64_t j = row->support[k];
        double here = b + (from - row->weight[j]);
        double p = trop_row_mass(row, j) * bracket_power(here, a);
        sum += p;
        *slope += p > 0 ? p / ((a - 1) * here) : 0;
    }
    return sum;
}

/* b between low and high, begun at b. */
static double solve_from(const struct trop_row *row, double from, double b, double low, double high)
{
    for (int k = 0; k < 1100; k++) {
        double slope, excess = sum_from(row, from, b, &slope) - 1;
        if (fabs(excess) <= ENOUGH) {
            break;
        }
        low = excess > 0 ? low : b;
        high = excess > 0 ? b : high;
        b -= excess / slope;
        if (!(b > low && b < high)) {
            b = low + (high - low) / 2;
        }
        if (!(b > low && b < high)) {
            break;
        }
    }
    return b;
}

/* ---- weights --------------------------------------------------------------------------------- */

/* How high the tokens stand: brackets are level - weight_j, or 1 - (weight_j + delta). */
struct stand {
    int heavy;
    double level; /* of heavy ones; else 1 */
    double delta; /* of the others */
};

static double bracket(const struct stand *stand, double weight)
{
    return stand->heavy ? stand->level - weight : 1 - (weight + stand->delta);
}

/* weight_j <- (a-1) beta (max s - s_j), support <- what can have weight, and the stand. */
static struct stand find_stand(struct trop_row *row)
{
    double a = row->scene->numbers.a, mass = 0, most = 0;
    struct stand stand = { .level = 1 };
    int coarse = trop_row_coarse(row);

    for (int64_t j = 0; j < row->n; j++) {
        double m = trop_row_mass(row, j);
        row->weight[j] = -(a - 1) * trop_row_logit(row, coarse, j);
        most = row->weight[j] == 0 && m > most ? m : most;
    }
    double highest = most == 1 ? 1 : trop_pow(most, 1 - a);
    stand.heavy = highest < 0.5;
    row->count = 0;
    for (int64_t j = 0; j < row->n; j++) {
        if (stand.heavy ? row->weight[j] < highest : row->weight[j] + (1 - highest) < 1) {
            mass += trop_row_mass(row, j);
            row->support[row->count++] = j;
        }
    }
    double lowest = trop_pow(mass, 1 - a);
    if (stand.heavy) {
        stand.level = solve_from(row, 0, highest, lowest, highest);
    } else {
        double low = 1 - highest, high = 1 - lowest, delta = low;
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
        stand.delta = delta;
    }
    return stand;
}

/* The place in the support of the bracket nearest to 0. */
static int64_t least(const struct trop_row *row, const struct stand *stand)
{
    int64_t found = 0;

    for (int64_t k = 1; k < row->count; k++) {
        if (fabs(bracket(stand, row->weight[row->support[k]])) <
            fabs(bracket(stand, row->weight[row->support[found]]))) {
            found = k;
        }
    }
    return found;
}

static void weigh(struct trop_row *row)
{
    double a = row->scene->numbers.a;
    int64_t kept = 0;

    if (a == 1) {
        trop_rule_softmax.weigh(row);
        return;
    }
    struct stand stand = find_stand(row);
    double from = row->weight[row->support[least(row, &stand)]], b = bracket(&stand, from);
    int fine = fabs(b) < FINE * (stand.level + from); /* of what it is the difference of */
    double wide = 16 * DBL_EPSILON * (stand.level + from);

    b = fine ? solve_from(row, from, b, b - wide, b + wide) : b;
    for (int64_t k = 0; k < row->count; k++) {
        int64_t j = row->support[k];
        double g = row->weight[j];
        double p = fine          ? bracket_power(b + (from - g), a)
                   : stand.heavy ? bracket_power(stand.level - g, a)
                                 : power(g + stand.delta, a);
        if (p > 0) {
            row->weight[j] = trop_row_mass(row, j) * p;
            row->support[kept++] = j;
        }
    }
    row->count = kept;
    row->total = trop_row_total(row);
}

/* Nothing goes to a score that is m^(1-a)/((a-1) beta) below the best, m the mass of that. */
double trop_rule_entmax_lead(double mass, double beta, double a)
{
    return a > 1 && beta > 0 ? trop_pow(mass, 1 - a) / ((a - 1) * beta) : INFINITY;
}

const struct trop_rule trop_rule_entmax = {
    .name = "entmax",
    .meaning = "a-entmax of beta s: a = 1 is softmax, a = 2 sparsemax",
    .uses = TROP_RULE_USES_BETA | TROP_RULE_USES_A,
    .continuous = 1,
    .weigh = weigh,
    .lead = trop_rule_entmax_lead,
};
