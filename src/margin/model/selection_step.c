/* selection_step.c -- whether the first step of gradient descent from W = 0 separates (P2,
 * assumption C).
 *
 * At W = 0 attention is uniform: s_t = 1/m over the m tokens that are seen, the output of input i
 * is the mean of its scores, and S'(0) gamma = (gamma - mean) / m. So
 *
 *   grad L(0) = (1/n) sum_i l'(mean_i) g_i z_i',    g_i = sum_t (gamma_it - mean_i) / m x_it,
 *
 * and the question is the sign of (x_it - x_i,opt)' grad L(0) z_i. Everything is computed twice:
 * as it is, and with the sizes of all terms added up. With u = 2^-53, scores within an ulp (2 u)
 * and a slope within 4 ulp, whose argument is off by (m + 4) u mean|gamma|, the errors relative
 * to these sizes are at most
 *
 *   gamma - mean  (m + 6) u,   g  (m + 2) u more,   slope  (m + 12) u of |l'| (1 + mean|gamma|),
 *   gradient  (inputs + 4) u more,   bilinear form  (rows + columns + 8) u more,
 *
 * in all (3 m + inputs + rows + columns + 36) u, to which terms of second order add little. A
 * number within its bound is ambiguous.
 */
#include "margin/model/selection.h"

#include "kernel/kernel_judge.h"
#include "kernel/kernel_linear.h"
#include "base/alloc.h"
#include "base/math/exp.h"
#include "base/status.h"

#include <math.h>

#define UNIT 0x1p-53
#define SLACK 1.01

static double logistic(double u)
{
    return -1 / (1 + trop_exp(u));
}

/* The gradient and the sizes of its terms, both (rows, columns), with scratch. */
struct gradient {
    double *value, *size; /* (rows, columns) */
    double *g, *reach;    /* (rows) g_i, then grad z_i; and its size */
    double *z, *moduli;   /* (columns) a query, and the moduli of its entries */
    double *weight;       /* (2 T) of the tokens of an input, in g_i and in its size */
    const struct trop_kernel *kernel;
};

static void gradient_close(struct gradient *gradient)
{
    TROP_FREE(gradient->value, gradient->size, gradient->g, gradient->reach, gradient->z,
              gradient->moduli, gradient->weight);
}

static enum trop_status gradient_open(struct gradient *gradient,
                                      const struct trop_selection_view *view)
{
    const int64_t cells = trop_alloc_product(view->rows, view->columns);

    gradient->kernel = trop_kernel_choose(0);
    if (!TROP_ALLOC(TROP_PART(gradient->value, cells), TROP_PART(gradient->size, cells),
                    TROP_PART(gradient->g, view->rows), TROP_PART(gradient->reach, view->rows),
                    TROP_PART(gradient->z, view->columns),
                    TROP_PART(gradient->moduli, view->columns),
                    TROP_PART(gradient->weight, trop_alloc_product(2, view->T)))) {
        gradient_close(gradient);
        return trop_fail(TROP_ERR_MEMORY, "no memory for a gradient of %lld x %lld numbers",
                         (long long)view->rows, (long long)view->columns);
    }
    return TROP_OK;
}

static const double *key_of(const struct trop_selection_view *view, int64_t i, int64_t t)
{
    return view->key + (i / view->places * view->T + t) * view->rows;
}

/* z_i and the moduli of its entries. */
static void query_take(struct gradient *gradient, const struct trop_selection_view *view, int64_t i)
{
    for (int64_t b = 0; b < view->columns; b++) {
        gradient->z[b] = view->query ? view->query[i * view->step + b] : 1.0;
        gradient->moduli[b] = fabs(gradient->z[b]);
    }
}

/* Adds the term of input i. */
static void add_input(struct gradient *gradient, const struct trop_selection_view *view,
                      const double *scores, int64_t i, double (*slope)(double u))
{
    const int64_t tokens = trop_selection_seen(view, i);
    const double n = (double)(view->inputs / view->places), m = (double)tokens;
    const double *score = scores + i * view->T, *key = key_of(view, i, 0);
    double *share = gradient->weight, *moduli = share + view->T, mean = 0, size = 0;

    for (int64_t t = 0; t < tokens; t++) {
        mean += score[t] / m;
        size += fabs(score[t]) / m;
    }
    for (int64_t t = 0; t < tokens; t++) {
        share[t] = (score[t] - mean) / m;
        moduli[t] = (fabs(score[t]) + size) / m;
    }
    gradient->kernel->linear->gather(gradient->g, share, key, view->rows, tokens, view->rows);
    gradient->kernel->linear->gather_size(gradient->reach, moduli, key, view->rows, tokens,
                                          view->rows);
    const double weight = slope(mean) / n, reach = fabs(weight) * (1 + size);
    query_take(gradient, view, i);
    if (view->columns == 1) { /* the same products, all at once */
        gradient->kernel->linear->grow(gradient->value, weight * gradient->z[0], gradient->g,
                                       view->rows);
        gradient->kernel->linear->grow(gradient->size, reach * gradient->moduli[0], gradient->reach,
                                       view->rows);
        return;
    }
    for (int64_t a = 0; a < view->rows; a++) {
        const int64_t from = a * view->columns;
        gradient->kernel->linear->grow(gradient->value + from, weight * gradient->g[a], gradient->z,
                                       view->columns);
        gradient->kernel->linear->grow(gradient->size + from, reach * gradient->reach[a],
                                       gradient->moduli, view->columns);
    }
}

/* How the gradient parts some tokens of input i, up to 8 from t on, from the optimal one. */
static void part_some(struct trop_selection_step *out, const struct gradient *gradient,
                      const struct trop_selection_view *view, int64_t i, int64_t t, int64_t some,
                      int64_t opt)
{
    const double *key[TROP_LANES] = { 0 }, *best[TROP_LANES] = { 0 };
    const double terms = (double)(3 * view->T + view->inputs + view->rows + view->columns + 36);
    double sum[TROP_LANES], size[TROP_LANES];

    for (int64_t k = 0; k < some; k++) {
        key[k] = key_of(view, i, t + k);
        best[k] = key_of(view, i, opt);
    }
    gradient->kernel->judge->dots_of_differences(sum, size, key, best, some, gradient->g,
                                                 gradient->reach, view->rows);
    for (int64_t k = 0; k < some; k++) {
        int64_t answer = TROP_SELECTION_AMBIGUOUS;
        if (t + k == opt) {
            continue;
        }
        if (fabs(sum[k]) > SLACK * UNIT * terms * size[k] || size[k] == 0) {
            answer = sum[k] > 0 ? TROP_SELECTION_YES : TROP_SELECTION_NO;
        }
        out->answer = trop_selection_both(out->answer, answer);
        if (sum[k] < out->least) {
            out->least = sum[k];
            out->input = i;
            out->token = t + k;
        }
    }
}

enum trop_status trop_selection_step(struct trop_selection_step *out,
                                     const struct trop_selection_view *view, const double *scores,
                                     const int64_t *opt, double (*slope)(double u))
{
    struct trop_selection_step made = { TROP_SELECTION_YES, INFINITY, -1, -1 };
    struct gradient gradient;
    enum trop_status status = gradient_open(&gradient, view);

    if (status != TROP_OK) {
        return status;
    }
    for (int64_t i = 0; i < view->inputs; i++) {
        add_input(&gradient, view, scores, i, slope ? slope : logistic);
    }
    for (int64_t i = 0; i < view->inputs; i++) {
        const int64_t tokens = trop_selection_seen(view, i);
        if (i == 0 || view->query) { /* without queries it is the same for all */
            const struct trop_kernel_linear *linear = gradient.kernel->linear;
            query_take(&gradient, view, i); /* grad z_i and its size */
            linear->dots(gradient.g, gradient.value, view->columns, view->rows, gradient.z,
                         view->columns);
            linear->dots(gradient.reach, gradient.size, view->columns, view->rows, gradient.moduli,
                         view->columns);
        }
        for (int64_t t = 0; t < tokens; t += TROP_LANES) {
            const int64_t some = tokens - t < TROP_LANES ? tokens - t : TROP_LANES;
            part_some(&made, &gradient, view, i, t, some, opt[i]);
        }
    }
    gradient_close(&gradient);
    *out = made;
    return TROP_OK;
}
