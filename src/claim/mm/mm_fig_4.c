/* mm_fig_4.c -- normalised against plain gradient descent (max-margin paper, figure 4), and what
 * float32 does to it.
 *
 * The data of figure 1(c), from p = 0: normalised steps of .1 and plain ones with eta = 1. Mean
 * attention of the selected tokens and |p|, measured by an independent program; half a unit of the
 * last digit is allowed.
 *
 * The printed curve of |p| for normalised steps has a kink near iteration 147 and reads 19.45 at
 * the end, where exact steps give 19.89. The kink is rounding: training was in float32, and s_t
 * (g_t - sum s g) loses its digits when 1 - s is near 6e-8. The same formula in float32 here
 * (softmax, its backward rule, the norm, each operation rounded) bends at the same place and stalls
 * at |p| = 25 or so, while the exact run goes on to 99. Which rounding errors it meets depends on
 * the order of sums, so the printed end is compared to within .1; the exact curve is farther away
 * than that.
 */
#include "claim/mm/mm_figures.h"

#include "base/math/exp.h"
#include "claim/tokens.h"
#include "tropism_lab.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TOKENS 64

static enum trop_status draw(struct trop_case *c)
{
    enum trop_status status = trop_examples_named(c, "mm-fig-1c", 0, 0, 0, TROP_DATASET_SEED);

    return status == TROP_OK ? trop_tokens_count(c, "steps", 1000, 1, 1e9) : status;
}

/* ---- float32 ---- */

/* softmax of K_i p, as a framework computes it: maximum, exponentials, sum, quotients. */
static void softmax(float *s, const struct trop_mm *m, int64_t i, const float *p)
{
    float top = -INFINITY, sum = 0;

    for (int64_t t = 0; t < m->T; t++) {
        s[t] = 0;
        for (int64_t k = 0; k < m->dk; k++) {
            s[t] += (float)m->key[(i * m->T + t) * m->dk + k] * p[k];
        }
        top = s[t] > top ? s[t] : top;
    }
    for (int64_t t = 0; t < m->T; t++) {
        s[t] = (float)trop_exp((double)(s[t] - top));
        sum += s[t];
    }
    for (int64_t t = 0; t < m->T; t++) {
        s[t] /= sum;
    }
}

/* Adds the gradient of input i: of the loss by f, of f by s, of s by the logits, of these by p. */
static void add_gradient(float *gradient, const struct trop_mm *m, int64_t i, const float *p)
{
    float s[TOKENS], by_weight[TOKENS], f = 0, mean = 0;

    softmax(s, m, i, p);
    for (int64_t t = 0; t < m->T; t++) {
        by_weight[t] = (float)trop_mm_score(m, i, t);
        f += s[t] * by_weight[t];
    }
    const float slope = -1 / (1 + (float)trop_exp((double)f)) / (float)m->n;
    for (int64_t t = 0; t < m->T; t++) {
        by_weight[t] *= slope;
        mean += s[t] * by_weight[t];
    }
    for (int64_t t = 0; t < m->T; t++) {
        const float by_logit = s[t] * (by_weight[t] - mean);
        for (int64_t k = 0; k < m->dk; k++) {
            gradient[k] += by_logit * (float)m->key[(i * m->T + t) * m->dk + k];
        }
    }
}

/* "float" (steps + 1): |p| of normalised steps of .1 in float32, with 1e-12 added to the norm. */
static enum trop_status work_float(struct trop_case *c)
{
    const int64_t steps = trop_case_integer(c, "steps");
    struct trop_mm m;
    float p[3] = { 0 };
    double *norms = NULL;

    trop_mm_open(&m, c);
    enum trop_status status = trop_case_make(&norms, c, "float", steps + 1, 0, 0);
    for (int64_t step = 1; step <= steps && status == TROP_OK; step++) {
        float gradient[3] = { 0 }, squares = 0;
        for (int64_t i = 0; i < m.n; i++) {
            add_gradient(gradient, &m, i, p);
        }
        for (int k = 0; k < 3; k++) {
            squares += gradient[k] * gradient[k];
        }
        const float size = (float)sqrt((double)squares) + 1e-12f;
        for (int k = 0; k < 3; k++) {
            p[k] -= .1f * (gradient[k] / size);
        }
        norms[step] = sqrt((double)p[0] * (double)p[0] + (double)p[1] * (double)p[1] +
                           (double)p[2] * (double)p[2]);
    }
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    struct trop_train_options o;
    enum trop_status status = trop_mm_options(&o, "ngd", .1, trop_case_integer(c, "steps"));

    o.records = 1000;
    status = status == TROP_OK ? trop_mm_train(c, &o, "run0") : status;
    status =
        status == TROP_OK ? trop_mm_options(&o, "gd", 1, trop_case_integer(c, "steps")) : status;
    o.records = 1000;
    status = status == TROP_OK ? trop_mm_train(c, &o, "run1") : status;
    return status == TROP_OK ? work_float(c) : status;
}

/* ---- hypotheses ---- */

static enum trop_status same_data(struct trop_judge *judge, const struct trop_case *c)
{
    trop_mm_figures_same_data(judge, c, "mm-fig-1c");
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "same-data", "the tokens are those of figure 1(c)", same_data, 0 },
    { "same-steps", "1000 steps", trop_mm_figures_steps, 0 },
    { 0 },
};

/* ---- the conclusion ---- */

/* Mean attention of the best tokens. */
static double attention(const struct trop_case *c, const double *p)
{
    struct trop_mm m;
    double sum = 0;

    trop_mm_open(&m, c);
    for (int64_t i = 0; i < m.n; i++) {
        sum += 1 - trop_mm_rest(&m, i, trop_mm_optimal(&m, i), p);
    }
    return sum / (double)m.n;
}

/* The first step from which the float32 norm gains less than .09 for five steps. */
static int64_t kink(const double *norms, int64_t steps)
{
    for (int64_t t = 50; t + 5 <= steps; t++) {
        if (norms[t + 5] - norms[t] < .45) {
            return t;
        }
    }
    return -1;
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    static const int64_t steps[] = { 50, 100, 200 };
    static const double normalised[] = { .9931, 1.0000, 1.0000 }, plain[] = { .8177, .9338, .9720 };
    const double *norms = trop_case_array(c, "float");
    char name[64];

    for (int k = 0; k < 3; k++) {
        snprintf(name, sizeof name, "step %lld: attention, normalised", (long long)steps[k]);
        trop_judge_near(judge, name, steps[k], attention(c, trop_mm_figures_at(c, 0, steps[k])),
                        normalised[k], 5e-5);
        snprintf(name, sizeof name, "step %lld: attention, plain", (long long)steps[k]);
        trop_judge_near(judge, name, steps[k], attention(c, trop_mm_figures_at(c, 1, steps[k])),
                        plain[k], 5e-5);
    }
    trop_judge_near(judge, "step 200: |p|, normalised", 200,
                    trop_tokens_norm(trop_mm_figures_at(c, 0, 200), 3), 19.89, 5e-3);
    trop_judge_near(judge, "step 200: |p|, plain", 200,
                    trop_tokens_norm(trop_mm_figures_at(c, 1, 200), 3), 3.85, 5e-3);
    trop_judge_near(judge, "last step printed (199): |p|, float32", 199, norms[199], 19.45, .1);
    trop_judge_near(judge, "kink of the float32 curve", -1, (double)kink(norms, 300), 147, 10);
    return TROP_OK;
}

/* ---- the picture ---- */

static void draw_norms(struct trop_panel *panel, const struct trop_case *c)
{
    double step[301], exact[301], plain[301];

    for (int64_t t = 0; t <= 300; t++) {
        step[t] = (double)t;
        exact[t] = trop_tokens_norm(trop_mm_figures_at(c, 0, t), 3);
        plain[t] = trop_tokens_norm(trop_mm_figures_at(c, 1, t), 3);
    }
    struct trop_pen pens[3] = { trop_figure_pen(0), trop_figure_pen(1), trop_figure_pen(2) };
    for (int k = 0; k < 3; k++) {
        pens[k].width = 1.6;
    }
    trop_panel_x(panel, "iteration", TROP_SCALE_LINEAR);
    trop_panel_y(panel, "|p|", TROP_SCALE_LINEAR);
    trop_panel_line(panel, step, exact, 301, pens[0], "normalised");
    trop_panel_line(panel, step, plain, 301, pens[1], "plain");
    trop_panel_line(panel, step, trop_case_array(c, "float"), 301, pens[2], "normalised, float32");
}

static enum trop_status picture(struct trop_figure *figure, const struct trop_case *c)
{
    double step[201], first[201], second[201];

    trop_figure_grid(figure, 1, 2);
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    for (int64_t t = 0; t <= 200; t++) {
        step[t] = (double)t;
        first[t] = attention(c, trop_mm_figures_at(c, 0, t));
        second[t] = attention(c, trop_mm_figures_at(c, 1, t));
    }
    struct trop_pen pens[2] = { trop_figure_pen(0), trop_figure_pen(1) };
    pens[0].width = pens[1].width = 1.6;
    trop_panel_x(panel, "iteration", TROP_SCALE_LINEAR);
    trop_panel_y(panel, "attention of the best tokens", TROP_SCALE_LINEAR);
    trop_panel_line(panel, step, first, 201, pens[0], "normalised");
    trop_panel_line(panel, step, second, 201, pens[1], "plain");
    draw_norms(trop_figure_panel(figure, 0, 1), c);
    return TROP_OK;
}

/* ---- spoils ---- */

/* The float32 curve is the exact one: no kink, and not the printed end. */
static enum trop_status exact_floats(struct trop_case *c)
{
    double *norms = trop_case_array(c, "float");

    for (int64_t t = 0; t <= 300; t++) {
        norms[t] = trop_tokens_norm(trop_mm_figures_at(c, 0, t), 3);
    }
    return TROP_OK;
}

static enum trop_status late(struct trop_case *c)
{
    double *run = trop_case_array(c, "run1");

    memmove(run + 3, run, 300 * 3 * sizeof(double));
    return TROP_OK;
}

static enum trop_status move_token(struct trop_case *c)
{
    trop_case_array(c, "X")[0] += 1e-6;
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "the float32 curve is computed in double", NULL, exact_floats },
    { "plain gradient descent is one iteration late", NULL, late },
    { "a token moved by 1e-6", "same-data", move_token },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "X", "(3, 7, 3)", "tokens; the figure's when absent" },
    { 0 },
};

const struct trop_claim trop_mm_fig_4 = {
    .id = "mm-fig-4",
    .title = "normalised and plain gradient descent",
    .statement =
        "Normalised gradient descent saturates attention within 100 iterations where plain "
        "gradient descent has reached .934, and its norm grows in proportion to the "
        "iterations.",
    .status = TROP_CLAIM_MEASURED,
    .remark =
        "The printed norm has a kink near iteration 147 and ends at 19.45 instead of 19.89: "
        "rounding of float32 gradients in saturated attention, which the third curve repeats.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .old_picture = picture,
    .spoils = spoils,
    .trials = 1,
    .width = 560,
    .height = 250,
};
