/* skip_rates.c -- how likely a token is to pick another place, at any beta.
 *
 * A token of place a picks place b with probability w_ab / (m_a + sum_{b != a} w_ab), where
 *
 *   w_ab = m_b exp(beta <B x_a, x_b - x_a>),
 *
 * m the number of tokens at a place: the scores are taken relative to the token's own. With
 * l_a = log sum_{b != a} w_ab - log m_a, the log odds of leaving,
 *
 *   -log(1 - p_a) = softplus(l_a) =: h_a,     -log p_a = softplus(-l_a),
 *
 * softplus(l) = log(1 + e^l), so that neither p nor 1 - p is ever formed. A change comes with
 * probability P = 1 - e^-H in a step, H = sum_i h_i over the tokens. Where all rates
 * are below e^-600, log h = l stands for h.
 *
 * Rounding: the scores have an error of about (d + 3) u |beta| |B x_a| |x_b - x_a|, which is
 * the relative error of w_ab; 1e-12 at beta = 1e4 in a cloud of size 1. All else is u times a
 * few, and u |log H| where H itself has left double.
 */
#include "flow/slow/skip_internal.h"

#include "attend/attend.h"
#include "base/math/exp.h"
#include "base/math/log.h"

#include <math.h>

/* Below this e^l is less than u/2 relative to 1. */
#define TINY (-37.0)
/* Below this rates are taken by their logarithms. A rate that underflows beside one above it is
 * less than e^-100 of that. */
#define RARE (-600.0)

static double softplus(double l)
{
    return l > 0 ? l + trop_log1p(trop_exp(-l)) : trop_log1p(trop_exp(l));
}

/* Scores and weights of place a on the others, the weights relative to the largest score but for
 * the masses, into skip->row. Returns that score less a's own, NaN when a score is not finite. */
static double load_row(struct trop_skip *skip, int64_t a)
{
    int64_t d = skip->model.d, places = skip->places;
    double top = -INFINITY, own, *row = skip->row;
    int finite = 1;

    skip->row_of = a;
    trop_attend_query(skip->query, skip->at + a * d, d, &skip->key_query);
    /* beta goes first: x of 1e155 at beta = 1e-300 is a fair state. */
    for (int64_t c = 0; c < d; c++) {
        skip->query[c] *= skip->model.beta;
    }
    skip->kernel->scores(row, skip->query, skip->from, skip->stride, places, d);
    own = row[a];
    for (int64_t b = 0; b < places; b++) {
        finite = finite && isfinite(row[b]);
        top = b != a && row[b] > top ? row[b] : top;
    }
    if (!finite) {
        return NAN;
    }
    row[a] = -INFINITY;
    skip->row_sum = skip->kernel->exponentials(row, skip->mass, places, top, 1);
    return top - own;
}

/* Log odds of leaving place a. */
static double leave(struct trop_skip *skip, int64_t a)
{
    if (skip->places == 1) {
        return -INFINITY;
    }
    double top = load_row(skip, a);
    if (!isfinite(top)) {
        skip->overflow = 1;
        return -INFINITY;
    }
    return top + trop_log(skip->row_sum / skip->mass[a]);
}

void trop_skip_rates(struct trop_skip *skip)
{
    double top = -INFINITY;

    skip->overflow = 0;
    skip->total = 0;
    /* The places by coordinate, from the first of them: far from the origin too, scores have errors
     * of the cloud's own size. */
    int64_t d = skip->model.d;
    for (int64_t a = 0; a < skip->places; a++) {
        for (int64_t c = 0; c < d; c++) {
            skip->from[c * skip->stride + a] = skip->at[a * d + c] - skip->at[c];
        }
    }
    for (int64_t a = 0; a < skip->places; a++) {
        skip->odds[a] = leave(skip, a);
        skip->rate[a] = softplus(skip->odds[a]);
        skip->total = fma(skip->mass[a], skip->rate[a], skip->total);
        top = fmax(top, skip->odds[a]);
    }
    skip->overflow = skip->overflow || !isfinite(skip->total);
    if (top == -INFINITY) {
        skip->log_total = -INFINITY;
    } else if (top < RARE) {
        /* Shares of rare changes, where h = e^l to 2^-53: the largest is factored out. */
        double sum = 0;
        for (int64_t a = 0; a < skip->places; a++) {
            skip->share[a] = trop_exp(skip->odds[a] - top);
            sum = fma(skip->mass[a], skip->share[a], sum);
        }
        for (int64_t a = 0; a < skip->places; a++) {
            skip->share[a] /= sum;
        }
        skip->log_total = top + trop_log(sum);
    } else {
        for (int64_t a = 0; a < skip->places; a++) {
            skip->share[a] = skip->rate[a] / skip->total;
        }
        skip->log_total = trop_log(skip->total);
    }
}

double trop_skip_log_change(const struct trop_skip *skip)
{
    return skip->log_total < TINY ? skip->log_total : trop_log(-trop_expm1(-skip->total));
}

double trop_skip_crowd(const struct trop_skip *skip)
{
    double sum = 0;

    /* P = H = sum p to 2^-53. */
    if (skip->log_total < TINY) {
        return 1;
    }
    for (int64_t a = 0; a < skip->places; a++) {
        sum = fma(skip->mass[a], trop_exp(-softplus(-skip->odds[a])), sum);
    }
    return sum / -trop_expm1(-skip->total);
}

double trop_skip_log_hazard(double *log_token, const struct trop_skip *skip)
{
    for (int64_t i = 0; log_token && i < skip->model.n; i++) {
        log_token[i] = -softplus(-skip->odds[skip->place[i]]);
    }
    return trop_skip_log_change(skip);
}

int64_t trop_skip_pick(struct trop_skip *skip, int64_t a, double uniform)
{
    double passed = 0;
    int64_t picked = a;

    /* Tokens of one place often follow each other. */
    if (skip->row_of != a) {
        load_row(skip, a);
    }
    for (int64_t b = 0; b < skip->places; b++) {
        passed += skip->row[b];
        if (skip->row[b] > 0) {
            picked = b;
            if (passed >= uniform * skip->row_sum) {
                break;
            }
        }
    }
    return picked;
}
