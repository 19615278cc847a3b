/* tf_model.c -- small linear algebra, and attention with a linear head evaluated from the data.
 *
 * Plain sums, which share no code with the solvers and gradients that claims judge. Singular values
 * are found by one-sided Jacobi rotations, accurate to a few u relative to the largest. Scores lost
 * are sums over tokens of softmax times a gap, relative to the selected token, so that they keep
 * their digits when attention is saturated.
 */
#include "claim/tf/tf.h"

#include "claim/tokens.h"

#include "base/math/exp.h"
#include "base/math/log.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- vectors and matrices ---- */

double trop_tf_bend(const double *a, const double *b, int64_t n)
{
    const double long_a = trop_tokens_norm(a, n), long_b = trop_tokens_norm(b, n);
    double sum = 0;

    for (int64_t k = 0; k < n; k++) {
        const double part = a[k] / long_a - b[k] / long_b;
        sum += part * part;
    }
    return sum / 2;
}

double trop_tf_basis(double *vectors, int64_t count, int64_t d)
{
    double least = 1;

    for (int64_t i = 0; i < count; i++) {
        double *u = vectors + i * d;
        const double before = trop_tokens_norm(u, d);
        for (int64_t twice = 0; twice < 2;
             twice++) { /* the second pass removes what rounding left */
            for (int64_t j = 0; j < i; j++) {
                const double along = trop_tokens_dot(vectors + j * d, u, d);
                for (int64_t k = 0; k < d; k++) {
                    u[k] -= along * vectors[j * d + k];
                }
            }
        }
        const double left = trop_tokens_norm(u, d);
        const int is_new = left > 1e-12 * before;
        least = fmin(least, before > 0 ? left / before : 0);
        for (int64_t k = 0; k < d; k++) {
            u[k] = is_new ? u[k] / left : 0;
        }
    }
    return least;
}

double trop_tf_independence(const struct trop_case *c, const double *vectors, int64_t count,
                            int64_t d)
{
    double *copy = trop_case_scratch(c, count * d);

    memcpy(copy, vectors, (size_t)(count * d) * sizeof *copy);
    return trop_tf_basis(copy, count, d);
}

/* Turns columns p and q of a so that they become orthogonal; returns the cosine before. */
static double rotate(double *a, int64_t rows, int64_t columns, int64_t p, int64_t q)
{
    double pp = 0, qq = 0, pq = 0;

    for (int64_t r = 0; r < rows; r++) {
        const double x = a[r * columns + p], y = a[r * columns + q];
        pp += x * x;
        qq += y * y;
        pq += x * y;
    }
    if (pq == 0 || pp == 0 || qq == 0) {
        return 0;
    }
    const double zeta = (qq - pp) / (2 * pq);
    const double tangent = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    const double cosine = 1 / sqrt(1 + tangent * tangent), sine = cosine * tangent;
    for (int64_t r = 0; r < rows; r++) {
        const double x = a[r * columns + p], y = a[r * columns + q];
        a[r * columns + p] = cosine * x - sine * y;
        a[r * columns + q] = sine * x + cosine * y;
    }
    return fabs(pq) / sqrt(pp * qq);
}

void trop_tf_singular(double *values, double *a, int64_t rows, int64_t columns)
{
    double worst = 1;

    for (int64_t sweep = 0; sweep < 60 && worst > 4 * DBL_EPSILON; sweep++) {
        worst = 0;
        for (int64_t p = 0; p < columns; p++) {
            for (int64_t q = p + 1; q < columns; q++) {
                worst = fmax(worst, rotate(a, rows, columns, p, q));
            }
        }
    }
    for (int64_t p = 0; p < columns; p++) {
        double squares = 0;
        for (int64_t r = 0; r < rows; r++) {
            squares += a[r * columns + p] * a[r * columns + p];
        }
        int64_t at = p; /* insertion, descending */
        for (; at > 0 && values[at - 1] < sqrt(squares); at--) {
            values[at] = values[at - 1];
        }
        values[at] = sqrt(squares);
    }
}

double trop_tf_nuclear(const struct trop_case *c, const double *a, int64_t rows, int64_t columns)
{
    double *values = trop_case_scratch(c, columns), *copy = trop_case_scratch(c, rows * columns);
    double sum = 0;

    memcpy(copy, a, (size_t)(rows * columns) * sizeof *copy);
    trop_tf_singular(values, copy, rows, columns);
    for (int64_t k = 0; k < columns; k++) {
        sum += values[k];
    }
    return sum;
}

/* ---- the model ---- */

double trop_tf_score(const struct trop_data *data, int64_t i, int64_t t)
{
    return data->y[i] * trop_tokens_dot(data->v, data->x + (i * data->T + t) * data->d, data->d);
}

double trop_tf_lead(const struct trop_data *data, const double *w, int64_t i, int64_t a, int64_t b)
{
    const int64_t d = data->d;
    const double *xa = data->x + (i * data->T + a) * d, *xb = data->x + (i * data->T + b) * d;
    double sum = 0;

    for (int64_t k = 0; k < d; k++) {
        sum += (xa[k] - xb[k]) * trop_tokens_dot(w + k * d, data->z + i * d, d);
    }
    return sum;
}

double trop_tf_lead_over(const struct trop_tf *m, const double *w, int64_t i, int64_t t)
{
    return trop_tf_lead(&m->data, w, i, m->alpha[i], t);
}

double trop_tf_margin(const struct trop_tf *m, const double *w)
{
    double least = INFINITY;

    for (int64_t k = 0; k < m->n * m->T; k++) {
        const int64_t i = k / m->T, t = k % m->T;
        least = t == m->alpha[i] ? least : fmin(least, trop_tf_lead_over(m, w, i, t));
    }
    return least;
}

double trop_tf_rounding(const struct trop_tf *m, const double *w)
{
    const double x = trop_tokens_radius(m->data.x, m->n * m->T, m->d);
    const double z = trop_tokens_radius(m->data.z, m->n, m->d);

    return 8 * (double)m->d * DBL_EPSILON * 2 * x * z * trop_tokens_norm(w, m->size);
}

void trop_tf_across(double *out, const double *w, const struct trop_case *c)
{
    const struct trop_view z = trop_case_view(c, "z");
    const int64_t n = z.rows, d = z.columns;
    double *basis = trop_case_scratch(c, n * d);

    memcpy(out, w, (size_t)(d * d) * sizeof *out);
    memcpy(basis, z.at, (size_t)(n * d) * sizeof *basis);
    trop_tf_basis(basis, n, d);
    for (int64_t k = 0; k < n * d; k++) {
        const double *u = basis + k / d * d;
        double *row = out + k % d * d;
        const double along = trop_tokens_dot(row, u, d);
        for (int64_t a = 0; a < d; a++) {
            row[a] -= along * u[a];
        }
    }
}

void trop_tf_softmax(double *s, const struct trop_data *data, const double *w, int64_t i)
{
    double sum = 0, most = -INFINITY;

    for (int64_t t = 0; t < data->T; t++) {
        s[t] = trop_tf_lead(data, w, i, t, 0);
        most = fmax(most, s[t]);
    }
    for (int64_t t = 0; t < data->T; t++) {
        s[t] = trop_exp(s[t] - most);
        sum += s[t];
    }
    for (int64_t t = 0; t < data->T; t++) {
        s[t] /= sum;
    }
}

double trop_tf_loss_of_score(const struct trop_tf *m, const double *w, int64_t i)
{
    const double own = trop_tf_score(&m->data, i, m->alpha[i]);
    double sum = 0, parts = 0;

    /* Relative to the token alpha, so that the weights of the others keep their digits. */
    for (int64_t t = 0; t < m->T; t++) {
        const double s = trop_exp(-trop_tf_lead_over(m, w, i, t));
        sum += s;
        parts += s * (own - trop_tf_score(&m->data, i, t));
    }
    return parts / sum;
}

double trop_tf_slope(double u)
{
    return 1 / (1 + trop_exp(u));
}

double trop_tf_gap(const struct trop_tf *m, const double *w)
{
    double sum = 0;

    /* l(g - e) - l(g) = log(1 + (e^e - 1) / (1 + e^g)). */
    for (int64_t i = 0; i < m->n; i++) {
        sum += trop_log1p(trop_tf_slope(trop_tf_score(&m->data, i, m->alpha[i])) *
                          trop_expm1(trop_tf_loss_of_score(m, w, i)));
    }
    return sum / (double)m->n;
}

double trop_tf_score_gap(const struct trop_data *data, int64_t i, int64_t alpha)
{
    double least = INFINITY;

    for (int64_t t = 0; t < data->T; t++) {
        if (t != alpha) {
            least = fmin(least, trop_tf_score(data, i, alpha) - trop_tf_score(data, i, t));
        }
    }
    return least;
}

double trop_tf_spread(const struct trop_tf *m, int64_t i)
{
    double low = INFINITY, high = -INFINITY;

    for (int64_t t = 0; t < m->T; t++) {
        const double score = trop_tf_score(&m->data, i, t);
        low = t == m->best[i] ? low : fmin(low, score);
        high = t == m->best[i] ? high : fmax(high, score);
    }
    return high - low;
}

double trop_tf_score_rounding(const struct trop_tf *m)
{
    return 16 * (double)m->d * DBL_EPSILON * trop_tokens_norm(m->data.v, m->d) *
           trop_tokens_radius(m->data.x, m->n * m->T, m->d);
}

int trop_tf_is_level(const struct trop_tf *m, int64_t i)
{
    return trop_tf_spread(m, i) <= trop_tf_score_rounding(m);
}

double trop_tf_log_constant(const struct trop_tf *m, int64_t count)
{
    double least = INFINITY, spread = 0, slope = 1;

    for (int64_t i = 0; i < m->n; i++) {
        const double own = trop_tf_score(&m->data, i, m->alpha[i]);
        for (int64_t t = 0; t < m->T; t++) {
            const double gap = own - trop_tf_score(&m->data, i, t);
            least = gap > 0 ? fmin(least, gap) : least;
            spread = fmax(spread, fabs(gap));
            slope = fmin(slope, trop_tf_slope(fmax(own, own - gap)));
        }
    }
    return trop_log((double)count * spread / (least * slope));
}

const double *trop_tf_scaled(const struct trop_case *c, const double *w, int64_t size,
                             double length)
{
    const double before = trop_tokens_norm(w, size);
    double *out = trop_case_scratch(c, size);

    for (int64_t k = 0; k < size; k++) {
        out[k] = w[k] * length / before;
    }
    return out;
}
