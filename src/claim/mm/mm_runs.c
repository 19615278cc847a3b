/* mm_runs.c -- many runs on the random data of figure 9 of the max-margin paper. */
#include "claim/mm/mm_figures.h"

#include "claim/sample.h"

#include <math.h>

const int64_t trop_mm_runs_dimensions[TROP_MM_RUNS_DIMENSIONS] = { 2, 5, 10, 100, 300, 500 };

/* The cosine as 1 - |a - b|^2 / 2 of unit vectors, which cancels nothing. */
static double cosine(const double *a, const double *b, int64_t d)
{
    const double of_a = sqrt(trop_tokens_dot(a, a, d)), of_b = sqrt(trop_tokens_dot(b, b, d));
    double sum = 0;

    for (int64_t k = 0; k < d; k++) {
        const double off = a[k] / of_a - b[k] / of_b;
        sum += off * off;
    }
    return 1 - sum / 2;
}

/* No token of an input scores more than the one that is selected. */
static int is_global(const struct trop_mm *m)
{
    for (int64_t at = 0; at < m->n * m->T; at++) {
        const int64_t i = at / m->T, a = (int64_t)m->alpha[i];
        const double *x = m->x + i * m->T * m->d;
        const double lead = trop_tokens_dot(m->v, x + a * m->d, m->d) -
                            trop_tokens_dot(m->v, x + at % m->T * m->d, m->d);
        if (m->y[i] * lead < 0) {
            return 0;
        }
    }
    return 1;
}

/* Data of d dimensions, a run, and what it says. One max-margin problem tells the direction, local
 * optimality and the least lead. */
static void run_one(double *out, const struct trop_case *c, int64_t d, int64_t run,
                    const char *gradient)
{
    struct trop_case *own = trop_case_apart(c);
    const uint64_t seed = c->seed * 100000 + (uint64_t)run;

    trop_case_try(c, trop_examples_named(own, "mm-fig-9", 0, 0, d, seed));
    struct trop_train *train =
        trop_case_train(own,
                        "model=prompt optimizer=ngd eta=1 steps=1000 start=normal start_scale=.01 "
                        "seed=%llu records=1 %s",
                        (unsigned long long)seed, gradient);
    out[0] = trop_case_told(own, trop_train_field_table(), train, "saturation") >= 1 - 1e-5;
    if (out[0] == 0) {
        return;
    }
    trop_case_take(own, "alpha", trop_train_field_table(), train, "alpha");
    trop_case_solve(own, "p_mm", "local=locally_optimal gap=score_gap", "select=@alpha");
    const struct trop_mm m = trop_mm_of(own);
    const double local = trop_case_number(own, "p_mm_local"), *p = NULL;
    double log_scale = 0;
    int64_t shape[2] = { 0, 0 };
    trop_train_tensor(&p, &log_scale, shape, train, 0);
    out[1] = is_global(&m);
    out[2] = isnan(local) ? -1 : local;
    out[3] = cosine(p, m.p_mm, d);
    out[4] = trop_case_number(own, "p_mm_gap");
}

void trop_mm_runs_of_dimension(double *out, const struct trop_case *c, int64_t row, int64_t run)
{
    run_one(out, c, trop_mm_runs_dimensions[row], run, "");
}

void trop_mm_runs_of_gradient(double *out, const struct trop_case *c, int64_t row, int64_t run)
{
    static const char *const gradients[] = { "gradient=stable",
                                             "gradient=naive gradient_epsilon=0x1p-52",
                                             "gradient=naive" };

    run_one(out, c, 100, run, gradients[row]);
}

enum trop_status trop_mm_runs_all(struct trop_case *c, int64_t groups, int by_arithmetic)
{
    trop_sample_runs(c, "runs", groups, trop_case_integer(c, "runs_each"), TROP_MM_RUNS_FACTS,
                     by_arithmetic ? trop_mm_runs_of_gradient : trop_mm_runs_of_dimension);
    return TROP_OK;
}

/* ---- statistics ---- */

struct trop_mm_runs_shares trop_mm_runs_measure(const struct trop_case *c, int64_t group)
{
    const int64_t trials = trop_case_size(c, "runs", 1);
    const double *run = trop_case_array(c, "runs") + group * trials * TROP_MM_RUNS_FACTS;
    struct trop_mm_runs_shares out = { 0 };

    for (int64_t k = 0; k < trials; k++, run += TROP_MM_RUNS_FACTS) {
        out.count += run[0];
        out.global += run[0] * run[1];
        out.local += run[0] * (run[2] == 1);
        out.cosine += run[0] * run[3];
        out.negative += run[0] * (run[4] < 0);
    }
    const double all = (double)trials, some = fmax(1, out.count);
    out.saturated = out.count / all;
    out.global /= all;
    out.local /= all;
    out.cosine /= some;
    out.negative /= some;
    return out;
}
