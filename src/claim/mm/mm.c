/* mm.c -- scores, attention, loss and gradient of the prompt model, by their formulas.
 *
 * What is small in saturated attention is never a difference of what is not: with a the token that
 * is looked at and e_t = exp(<k_it - k_ia, p>),
 *
 *   1 - s_a = sum_(t != a) e_t / sum_t e_t,   g_a - f = sum_(t != a) e_t (g_a - g_t) / sum_t e_t,
 *   l(b - x) - l(b) = log(1 + sigma(-b) (e^x - 1))   (logistic),
 *
 * each with a relative error of a few u times the number of terms and of |p| |k|.
 */
#include "claim/mm/mm.h"

#include "base/math/exp.h"
#include "base/math/log.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct trop_mm trop_mm_of(const struct trop_case *c)
{
    const char *const key = trop_case_has(c, "K") ? "K" : "X";

    return (struct trop_mm){
        .n = trop_case_size(c, "X", 0),
        .T = trop_case_size(c, "X", 1),
        .d = trop_case_size(c, "X", 2),
        .dk = trop_case_size(c, key, 2),
        .x = trop_case_array(c, "X"),
        .y = trop_case_array(c, "y"),
        .v = trop_case_array(c, "v"),
        .key = trop_case_array(c, key),
        .alpha = trop_case_array(c, "alpha"),
        .p_mm = trop_case_array(c, "p_mm"),
    };
}

/* ---- vectors ---- */

double trop_mm_turn(const double *a, const double *b, int64_t d)
{
    const double of_a = trop_tokens_norm(a, d), of_b = trop_tokens_norm(b, d);
    double sum = 0;

    for (int64_t k = 0; k < d; k++) {
        const double difference = a[k] / of_a - b[k] / of_b;
        sum = fma(difference, difference, sum);
    }
    return sum / 2;
}

/* ---- scores and logits ---- */

static const double *key_of(const struct trop_mm *m, int64_t i, int64_t t)
{
    return m->key + (i * m->T + t) * m->dk;
}

double trop_mm_score(const struct trop_mm *m, int64_t i, int64_t t)
{
    const double label = m->y ? m->y[i] : 1;

    return label * trop_tokens_dot(m->v, m->x + (i * m->T + t) * m->d, m->d);
}

double trop_mm_lead(const struct trop_mm *m, int64_t i, int64_t a, int64_t t, const double *p)
{
    const double *of_a = key_of(m, i, a), *of_t = key_of(m, i, t);
    double sum = 0;

    for (int64_t k = 0; k < m->dk; k++) {
        sum = fma(of_a[k] - of_t[k], p[k], sum);
    }
    return sum;
}

int64_t trop_mm_optimal(const struct trop_mm *m, int64_t i)
{
    int64_t best = 0;

    for (int64_t t = 1; t < m->T; t++) {
        best = trop_mm_score(m, i, t) > trop_mm_score(m, i, best) ? t : best;
    }
    return best;
}

int64_t trop_mm_selected(const struct trop_mm *m, int64_t i, const double *p)
{
    int64_t best = 0;

    for (int64_t t = 1; t < m->T; t++) {
        best = trop_mm_lead(m, i, t, best, p) > 0 ? t : best;
    }
    return best;
}

double trop_mm_margin(const struct trop_mm *m, const double *p)
{
    double least = INFINITY;

    for (int64_t at = 0; at < m->n * m->T; at++) {
        const int64_t i = at / m->T, a = (int64_t)m->alpha[i], t = at % m->T;
        least = t == a ? least : fmin(least, trop_mm_lead(m, i, a, t, p));
    }
    return least;
}

/* ---- attention ---- */

/* sum_t e_t over e of the selected token. */
static double total(const struct trop_mm *m, int64_t i, int64_t top, const double *p)
{
    double sum = 0;

    for (int64_t t = 0; t < m->T; t++) {
        sum += trop_exp(-trop_mm_lead(m, i, top, t, p));
    }
    return sum;
}

double trop_mm_rest(const struct trop_mm *m, int64_t i, int64_t a, const double *p)
{
    const int64_t top = trop_mm_selected(m, i, p);
    double sum = 0;

    for (int64_t t = 0; t < m->T; t++) {
        sum += t == a ? 0 : trop_exp(-trop_mm_lead(m, i, top, t, p));
    }
    return sum / total(m, i, top, p);
}

double trop_mm_deficit(const struct trop_mm *m, int64_t i, int64_t a, const double *p)
{
    const int64_t top = trop_mm_selected(m, i, p);
    const double best = trop_mm_score(m, i, a);
    double sum = 0;

    for (int64_t t = 0; t < m->T; t++) {
        sum += trop_exp(-trop_mm_lead(m, i, top, t, p)) * (best - trop_mm_score(m, i, t));
    }
    return sum / total(m, i, top, p);
}

/* ---- loss ---- */

double trop_mm_slope(double u)
{
    return u > 0 ? trop_exp(-u) / (1 + trop_exp(-u)) : 1 / (1 + trop_exp(u));
}

double trop_mm_excess(const struct trop_mm *m, const double *p)
{
    double sum = 0;

    for (int64_t i = 0; i < m->n; i++) {
        const int64_t a = (int64_t)m->alpha[i];
        const double x = trop_mm_deficit(m, i, a, p);
        sum += trop_log1p(trop_mm_slope(trop_mm_score(m, i, a)) * trop_expm1(x));
    }
    return sum / (double)m->n;
}

/* log of the deficit, which is positive at the best token. */
static double log_deficit(const struct trop_mm *m, int64_t i, const double *p)
{
    const int64_t a = trop_mm_optimal(m, i), top = trop_mm_selected(m, i, p);
    double sum = -INFINITY;

    for (int64_t t = 0; t < m->T; t++) {
        const double gap = trop_mm_score(m, i, a) - trop_mm_score(m, i, t);
        sum = gap > 0 ? trop_log_add(sum, trop_log(gap) - trop_mm_lead(m, i, top, t, p)) : sum;
    }
    return sum - trop_log(total(m, i, top, p));
}

double trop_mm_log_gap(const struct trop_mm *m, const double *p)
{
    double sum = -INFINITY;

    for (int64_t i = 0; i < m->n; i++) {
        const double x = log_deficit(m, i, p);
        const double slope = trop_mm_slope(trop_mm_score(m, i, trop_mm_optimal(m, i)));
        /* Below e^-40 the loss is linear to all digits. */
        const double one =
            x < -40 ? trop_log(slope) + x : trop_log(trop_log1p(slope * trop_expm1(trop_exp(x))));
        sum = trop_log_add(sum, one);
    }
    return sum - trop_log((double)m->n);
}

double trop_mm_loss(const struct trop_mm *m, const double *p)
{
    double sum = 0;

    for (int64_t i = 0; i < m->n; i++) {
        const int64_t a = trop_mm_selected(m, i, p);
        const double f = trop_mm_score(m, i, a) - trop_mm_deficit(m, i, a, p);
        sum += f > 0 ? trop_log1p(trop_exp(-f)) : trop_log1p(trop_exp(f)) - f;
    }
    return sum / (double)m->n;
}

void trop_mm_gradient(double *out, const struct trop_mm *m, const double *p)
{
    memset(out, 0, (size_t)m->dk * sizeof *out);
    for (int64_t i = 0; i < m->n; i++) {
        const int64_t top = trop_mm_selected(m, i, p);
        const double sum = total(m, i, top, p), deficit = trop_mm_deficit(m, i, top, p);
        const double slope = trop_mm_slope(trop_mm_score(m, i, top) - deficit) / (double)m->n;
        for (int64_t t = 0; t < m->T; t++) {
            const double s = trop_exp(-trop_mm_lead(m, i, top, t, p)) / sum;
            const double above =
                trop_mm_score(m, i, t) - trop_mm_score(m, i, top) + deficit; /* g_t - f */
            for (int64_t k = 0; t != top && k < m->dk; k++) {
                out[k] -= slope * s * above * (key_of(m, i, t)[k] - key_of(m, i, top)[k]);
            }
        }
    }
}

/* ---- constants ---- */

/* Largest singular value of the keys of input i, rounded up: power method on K'K. After k steps the
 * quotient is below the largest eigenvalue by a share of at most about log(dk / w^2) / (2 k), w the
 * share of the start in its eigenspace: 2% are added to it after 400 steps. The Frobenius norm is
 * an upper bound in any case. */
static double spectral(const struct trop_mm *m, int64_t i)
{
    double largest = 0, frobenius = 0, before[64] = { 0 }, after[64];

    for (int64_t k = 0; k < m->dk && k < 64; k++) {
        before[k] = 1 + .1 * (double)k;
    }
    for (int64_t t = 0; t < m->T; t++) {
        frobenius += trop_tokens_dot(key_of(m, i, t), key_of(m, i, t), m->dk);
    }
    for (int step = 0; step < 400 && m->dk <= 64; step++) {
        memset(after, 0, sizeof after);
        for (int64_t t = 0; t < m->T; t++) {
            const double along = trop_tokens_dot(key_of(m, i, t), before, m->dk);
            for (int64_t k = 0; k < m->dk; k++) {
                after[k] += along * key_of(m, i, t)[k];
            }
        }
        largest = trop_tokens_norm(after, m->dk) / trop_tokens_norm(before, m->dk);
        memcpy(before, after, sizeof before);
        const double size = trop_tokens_norm(before, m->dk);
        for (int64_t k = 0; k < m->dk && size > 0; k++) {
            before[k] /= size;
        }
    }
    return m->dk <= 64 ? fmin(sqrt(1.02 * largest), sqrt(frobenius)) : sqrt(frobenius);
}

double trop_mm_smoothness(const struct trop_mm *m, double M0, double M1)
{
    double sum = 0;

    for (int64_t i = 0; i < m->n; i++) {
        const double keys = spectral(m, i);
        double squares = 0;
        for (int64_t t = 0; t < m->T; t++) {
            squares += trop_mm_score(m, i, t) * trop_mm_score(m, i, t);
        }
        sum += (M0 * squares + 3 * M1 * sqrt(squares)) * keys * keys;
    }
    return sum / (double)m->n;
}

double trop_mm_spread(const struct trop_mm *m)
{
    double most = 0;

    for (int64_t i = 0; i < m->n; i++) {
        for (int64_t pair = 0; pair < m->T * m->T; pair++) {
            most = fmax(most, trop_mm_score(m, i, pair / m->T) - trop_mm_score(m, i, pair % m->T));
        }
    }
    return most;
}

double trop_mm_reach(const struct trop_mm *m)
{
    double most = 0;

    for (int64_t i = 0; i < m->n; i++) {
        for (int64_t pair = 0; pair < m->T * m->T; pair++) {
            const double *a = key_of(m, i, pair / m->T), *b = key_of(m, i, pair % m->T);
            double squares = 0;
            for (int64_t k = 0; k < m->dk; k++) {
                squares = fma(a[k] - b[k], a[k] - b[k], squares);
            }
            most = fmax(most, squares);
        }
    }
    return sqrt(most);
}
