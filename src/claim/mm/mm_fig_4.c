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

#include <math.h>
#include <string.h>

#define TOKENS 64

static void draw(struct trop_case *c)
{
    trop_mm_figures_draw(c, "mm-fig-1c", NULL, 0, 0);
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
static void work_float(struct trop_case *c)
{
    const int64_t steps = trop_case_integer(c, "steps");
    const struct trop_mm m = trop_mm_of(c);
    double *norms = trop_case_zeros(c, "float", steps + 1, 0, 0);
    float p[3] = { 0 };

    for (int64_t step = 1; step <= steps; step++) {
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
}

/* "ngd" and "gd" (records, 3), and "float". */
static void work(struct trop_case *c)
{
    trop_case_records(
        c, trop_case_train(c, "model=prompt optimizer=ngd eta=.1 steps=@steps records=1000"),
        "weights=ngd step");
    trop_case_records(
        c, trop_case_train(c, "model=prompt optimizer=gd eta=1 steps=@steps records=1000"),
        "weights=gd");
    work_float(c);
}

static const struct trop_hypothesis hypotheses[] = {
    TROP_MM_FIGURES_DATA("the tokens are those of figure 1(c)"),
    TROP_MM_FIGURES_STEPS,
    { 0 },
};

/* ---- the conclusion ---- */

/* The first 434 records are of the steps 0, 1, ... */
static const double *at(const struct trop_case *c, const char *run, int64_t step)
{
    return trop_case_view_row(trop_case_view(c, run), step);
}

/* Mean attention of the best tokens. */
static double attention(const struct trop_case *c, const char *run, int64_t step)
{
    const struct trop_mm m = trop_mm_of(c);
    double sum = 0;

    for (int64_t i = 0; i < m.n; i++) {
        sum += 1 - trop_mm_rest(&m, i, trop_mm_optimal(&m, i), at(c, run, step));
    }
    return sum / (double)m.n;
}

static double norm(const struct trop_case *c, const char *run, int64_t step)
{
    return trop_tokens_norm(at(c, run, step), 3);
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

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    static const struct {
        int64_t step;
        double normalised, plain;
    } published[] = { { 50, .9931, .8177 }, { 100, 1, .9338 }, { 200, 1, .9720 } };
    const double *norms = trop_case_array(c, "float");

    for (int k = 0; k < 3; k++) {
        const int64_t step = published[k].step;
        trop_judge_near(judge,
                        trop_judge_name(judge, "step %lld: attention, normalised", (long long)step),
                        step, attention(c, "ngd", step), published[k].normalised, 5e-5);
        trop_judge_near(judge,
                        trop_judge_name(judge, "step %lld: attention, plain", (long long)step),
                        step, attention(c, "gd", step), published[k].plain, 5e-5);
    }
    trop_judge_near(judge, "step 200: |p|, normalised", 200, norm(c, "ngd", 200), 19.89, 5e-3);
    trop_judge_near(judge, "step 200: |p|, plain", 200, norm(c, "gd", 200), 3.85, 5e-3);
    trop_judge_near(judge, "last step printed (199): |p|, float32", 199, norms[199], 19.45, .1);
    trop_judge_near(judge, "kink of the float32 curve", -1, (double)kink(norms, 300), 147, 10);
}

/* ---- the picture ---- */

static void picture(struct trop_figure *figure, const struct trop_case *c)
{
    double step[301], first[201], second[201], exact[301], plain[301];
    struct trop_pen pens[3] = { trop_figure_pen(0), trop_figure_pen(1), trop_figure_pen(2) };

    for (int64_t t = 0; t <= 300; t++) {
        step[t] = (double)t;
        exact[t] = norm(c, "ngd", t);
        plain[t] = norm(c, "gd", t);
        if (t <= 200) {
            first[t] = attention(c, "ngd", t);
            second[t] = attention(c, "gd", t);
        }
    }
    pens[0].width = pens[1].width = pens[2].width = 1.6;
    trop_figure_grid(figure, 1, 2);
    struct trop_panel *left =
        trop_figure_axes(figure, 0, 0, NULL, "iteration", "attention of the best tokens");
    struct trop_panel *right = trop_figure_axes(figure, 0, 1, NULL, "iteration", "|p|");
    trop_panel_line(left, step, first, 201, pens[0], "normalised");
    trop_panel_line(left, step, second, 201, pens[1], "plain");
    trop_panel_line(right, step, exact, 301, pens[0], "normalised");
    trop_panel_line(right, step, plain, 301, pens[1], "plain");
    trop_panel_line(right, step, trop_case_array(c, "float"), 301, pens[2], "normalised, float32");
}

/* The float32 curve would have no kink, and not the printed end. */
static const struct trop_spoil spoils[] = {
    { "the float32 curve is computed in double", NULL },
    { "plain gradient descent is one iteration late", .edit = "gd[1:301] = gd[0:300]" },
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
    .inputs = "X",
    .hypotheses = hypotheses,
    .run = { draw, work, conclude, picture },
    .spoils = spoils,
    .trials = 1,
    .size = { 560, 250 },
};
