/* md.c -- potentials, divergences, margins and gradients from their definitions.
 *
 * D_psi(a, b) = sum of d(a_k, b_k),  d(a, b) = |a|^p/p - |b|^p/p - sgn(b) |b|^(p-1) (a - b) >= 0,
 *
 * with an error of 4 u (|a|^p + |b|^p) a term. At unit norms D is 1 - sum sgn(b) |b|^(p-1) a, which
 * is the sum of sgn(b) |b|^(p-1) (b - a), each term of the size of the difference: near the limit D
 * is then right to u times the largest difference, not to u.
 *
 * Gradient: with s the attention, gamma the scores of one input and m its largest logit,
 *
 *   G = (1/n) sum_i l'(f_i) [sum_{t != m} s_t dev_t (x_t - x_m)] z_i',  dev_t = sum_u s_u (gamma_t
 * - gamma_u),
 *
 * because sum_t s_t dev_t = 0. Nothing of the size of 1 cancels, so that G is right relative to
 * its own size however small the attention to other tokens has become, down to e^-700.
 */
#include "claim/md/md.h"

#include "claim/tokens.h"

#include "base/math/exp.h"
#include "base/math/pow.h"

#include <math.h>
#include <string.h>

double trop_md_signed(double x, double e)
{
    return x == 0 ? 0 : copysign(trop_pow(fabs(x), e), x);
}

double trop_md_norm(const double *x, int64_t n, double p)
{
    double most = 0, sum = 0;

    for (int64_t k = 0; k < n; k++) {
        most = fmax(most, fabs(x[k]));
    }
    for (int64_t k = 0; most > 0 && k < n; k++) {
        sum += x[k] == 0 ? 0 : trop_pow(fabs(x[k]) / most, p);
    }
    return most > 0 ? most * trop_pow(sum, 1 / p) : 0;
}

double trop_md_dual(double p)
{
    return p / (p - 1);
}

double trop_md_divergence(const double *a, const double *b, int64_t n, double p)
{
    double sum = 0;

    for (int64_t k = 0; k < n; k++) {
        const double of_a = a[k] == 0 ? 0 : trop_pow(fabs(a[k]), p) / p;
        const double of_b = b[k] == 0 ? 0 : trop_pow(fabs(b[k]), p) / p;
        sum += of_a - of_b - trop_md_signed(b[k], p - 1) * (a[k] - b[k]);
    }
    return sum;
}

double trop_md_direction(const double *a, const double *b, int64_t n, double p)
{
    const double size_a = trop_md_norm(a, n, p), size_b = trop_md_norm(b, n, p);
    double sum = 0;

    for (int64_t k = 0; k < n; k++) {
        const double at = b[k] / size_b;
        sum += trop_md_signed(at, p - 1) * (at - a[k] / size_a);
    }
    return sum;
}

/* f(t) = (1 - t)^p/p - t^p/p + t^(p-1), y = -t. Outside 0 <= t <= 1 it only grows. */
static double deficit(double t, double p)
{
    const double rest = t < 1 ? trop_pow(1 - t, p) / p : 0;

    return t > 0 ? rest - trop_pow(t, p) / p + trop_pow(t, p - 1) : rest;
}

/* f'(t) = -(1 - t)^(p-1) - t^(p-1) + (p - 1) t^(p-2) is -1 at 0, and p - 2 at 1; it changes sign
 * once, since f is a decreasing convex part and an increasing one: golden section, to a width of
 * 1e-9, where f is flat to 1e-18. */
double trop_md_constant(double p)
{
    const double golden = .6180339887498949;
    double low = 0, high = 1;

    while (high - low > 1e-9) {
        const double left = high - golden * (high - low), right = low + golden * (high - low);
        if (deficit(left, p) < deficit(right, p)) {
            high = right;
        } else {
            low = left;
        }
    }
    return deficit((low + high) / 2, p);
}

/* ---- attention ---- */

double trop_md_score(const struct trop_case *c, int64_t i, int64_t t)
{
    const struct trop_view x = trop_case_view(c, "X");

    return trop_case_array(c, "y")[i] *
           trop_tokens_dot(trop_case_array(c, "v"), x.at + (i * x.columns + t) * x.depth, x.depth);
}

double trop_md_logit(const struct trop_case *c, const double *w, int64_t i, int64_t t)
{
    const struct trop_view x = trop_case_view(c, "X");
    const double *at = x.at + (i * x.columns + t) * x.depth;
    const double *z = trop_case_array(c, "z") + i * x.depth;
    double sum = 0;

    for (int64_t a = 0; a < x.depth; a++) {
        sum += at[a] * trop_tokens_dot(w + a * x.depth, z, x.depth);
    }
    return sum;
}

double trop_md_size(const struct trop_case *c, const double *w)
{
    const struct trop_view x = trop_case_view(c, "X");
    double most = 0;

    for (int64_t i = 0; i < x.rows; i++) {
        const struct trop_view of = trop_case_view_part(x, i);
        const double query = trop_tokens_norm(trop_case_array(c, "z") + i * x.depth, x.depth);
        for (int64_t t = 0; t < x.columns; t++) {
            most = fmax(most, query * trop_tokens_norm(trop_case_view_row(of, t), x.depth));
        }
    }
    return most * trop_tokens_norm(w, x.depth * x.depth);
}

double trop_md_least(const struct trop_case *c, const double *w, const double *alpha)
{
    const struct trop_view x = trop_case_view(c, "X");
    double least = INFINITY;

    for (int64_t i = 0; i < x.rows; i++) {
        if (!(alpha[i] >= 0 && alpha[i] < (double)x.columns)) {
            return NAN;
        }
        const double top = trop_md_logit(c, w, i, (int64_t)alpha[i]);
        for (int64_t t = 0; t < x.columns; t++) {
            if (t != (int64_t)alpha[i]) {
                least = fmin(least, top - trop_md_logit(c, w, i, t));
            }
        }
    }
    return least;
}

/* out += factor (x_it - x_im) z_i' */
static void add_outer(double *out, const struct trop_case *c, int64_t i, int64_t t, int64_t m,
                      double factor)
{
    const struct trop_view x = trop_case_view_part(trop_case_view(c, "X"), i);
    const int64_t d = x.columns;
    const double *z = trop_case_array(c, "z") + i * d;

    for (int64_t a = 0; a < d; a++) {
        const double along = factor * (x.at[t * d + a] - x.at[m * d + a]);
        for (int64_t b = 0; b < d; b++) {
            out[a * d + b] += along * z[b];
        }
    }
}

void trop_md_pull(double *out, const struct trop_case *c, const double *alpha, const double *lambda)
{
    const struct trop_view x = trop_case_view(c, "X");

    memset(out, 0, (size_t)(x.depth * x.depth) * sizeof *out);
    for (int64_t i = 0; i < x.rows; i++) {
        for (int64_t t = 0; t < x.columns; t++) {
            if (t != (int64_t)alpha[i]) {
                add_outer(out, c, i, (int64_t)alpha[i], t, *lambda++);
            }
        }
    }
}

/* Attention of input i, in s (T); the token of the largest logit. */
static int64_t attend(double *s, const struct trop_case *c, const double *w, int64_t i)
{
    const int64_t T = trop_case_size(c, "X", 1);
    int64_t m = 0;
    double sum = 0;

    for (int64_t t = 0; t < T; t++) {
        s[t] = trop_md_logit(c, w, i, t);
        m = s[t] > s[m] ? t : m;
    }
    const double most = s[m];
    for (int64_t t = 0; t < T; t++) {
        s[t] = trop_exp(s[t] - most);
        sum += s[t];
    }
    for (int64_t t = 0; t < T; t++) {
        s[t] /= sum;
    }
    return m;
}

void trop_md_gradient(double *out, const struct trop_case *c, const double *w)
{
    const struct trop_view x = trop_case_view(c, "X");
    const int64_t n = x.rows, T = x.columns;
    double *s = trop_case_scratch(c, T);

    memset(out, 0, (size_t)(x.depth * x.depth) * sizeof *out);
    for (int64_t i = 0; i < n; i++) {
        const int64_t m = attend(s, c, w, i);
        double f = 0;
        for (int64_t t = 0; t < T; t++) {
            f += s[t] * trop_md_score(c, i, t);
        }
        const double slope = -1 / (1 + trop_exp(f)) / (double)n; /* l'(f) / n */
        for (int64_t t = 0; t < T; t++) {
            double deviation = 0;
            for (int64_t u = 0; u < T; u++) {
                deviation += s[u] * (trop_md_score(c, i, t) - trop_md_score(c, i, u));
            }
            add_outer(out, c, i, t, m, slope * s[t] * deviation);
        }
    }
}
