/* tf_fig_9.c -- how many tokens a concave head keeps (figures 9 and 12).
 *
 * One input of T = d = 10 orthonormal tokens, h(o) = v'o - lambda |o|^2. Figure 9: v uniform on the
 * sphere, 100 runs of 5000 steps for each lambda; tokens above 1e-3 are kept, those below 1e-8
 * masked, and runs with others left out. With exact gradients hardly a run that keeps several
 * tokens would be left: normalised steps of .1 go to and fro around the finite part of W, and what
 * is left over masks the other tokens slowly, to 1e-5 in 5000 steps. So no run is left out here,
 * and tokens above 1e-3 are counted, beside those of the exact projection; the printed correlations
 * are of runs that we cannot make, and differ. Training is equivariant under rotations, so the
 * tokens are the unit vectors here.
 *
 * Leaving runs out is also the likely reason why the printed numbers are too large from lambda = 1
 * on. A run that keeps all ten tokens has none to mask and is never left out. The mean of the exact
 * projection over the law of v is 6.725, 7.343, 7.866, 8.305, 8.674, 8.975, 9.225 for lambda =
 * 1, 1.2,
 * .., 2.2; printed are 7.08, 8.0, 8.41, 9.01, 9.51, 9.84, 9.95, by 4 to 14 standard errors of 100
 * runs more.
 *
 * Figure 12: lambda drawn such that g_1 < lambda < tau g_tau / 2 (lemma 6). The law of v and lambda
 * is not printed; normal v and lambda uniform on its interval give the printed mean .378 of lambda
 * at tau = 2, but neither this law nor three others that were tried (unit v; lambda uniform on
 * (0, 2) and refused outside) give the other means, which are compared and differ. What the lemma
 * forces is judged of every run: between 2 and tau tokens.
 *
 * Allowance: four standard errors of the difference of two means with our variance, theirs of 100
 * runs, and half a unit of the last printed digit.
 */
#include "claim/tf/tf_figures.h"

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/status.h"
#include "claim/tf/tf.h"

#include <math.h>
#include <stdio.h>

#define T 10
#define LAMBDAS 13
#define COLUMNS 6 /* kept by training, by the exact projection, 1 - correlations, lambda, clean */
#define THEIRS 100
#define TAUS 8

static const double lambdas[LAMBDAS] = { .4, 2, 0, .2, .6, .8, 1, 1.2, 1.4, 1.6, 1.8, 2.2, .1 };
static const double kept[LAMBDAS] = { 4.04, 9.84, 1.0,  2.69, 5.15, 6.19, 7.08,
                                      8.0,  8.41, 9.01, 9.51, 9.95, NAN };
/* Means over the law of v, by 20000 projections of an independent program: errors below .008. */
static const double lawful[LAMBDAS] = { 4.010, 8.975, 1,     2.685, 5.090, 5.982, 6.725,
                                        7.343, 7.866, 8.305, 8.674, 9.225, NAN };
/* 1 - correlation with W_fin + R W_mm and with W_mm. */
static const double bends[LAMBDAS][2] = {
    [3] = { .0163, .0200 }, [6] = { .0232, .0583 }, [12] = { .0090, .0101 }
};
static const double chosen[TAUS] = { .378, .425, .476, .518, .569, .637, .737, .905 };
static const double few[TAUS] = { 2.0, 2.93, 3.75, 4.26, 4.78, 5.19, 5.61, 6.07 };

struct shared {
    double *out; /* (sizes, runs, COLUMNS) */
    int64_t runs, by_tau;
    uint64_t seed;
    int64_t *status;
};

/* lambda of figure 12, for scores that leave room for it. */
static double draw_lambda(double *v, const struct shared *s, int64_t k, int64_t tau)
{
    double sorted[T];

    for (int64_t again = 0;; again++) {
        for (int64_t a = 0; a < T; a++) {
            v[a] = trop_rng_normal(s->seed, TROP_RNG_CLAIMS, (uint64_t)(1000000 + k),
                                   (uint64_t)(again * (T + 1) + a));
        }
        trop_tf_project_sort(sorted, v, T);
        const double low = sorted[0] - sorted[1];
        const double high = (double)tau * (sorted[tau - 1] - sorted[tau]) / 2;
        if (high > low) {
            return low + (high - low) * trop_rng_uniform(s->seed, TROP_RNG_CLAIMS,
                                                         (uint64_t)(1000000 + k),
                                                         (uint64_t)(again * (T + 1) + T));
        }
    }
}

static enum trop_status one_run(double *out, const struct shared *s, int64_t k)
{
    const int64_t at = k / s->runs;
    double x[T * T] = { 0 }, v[T], z[T] = { 1 }, attention[T], exact[T];
    double lambda = s->by_tau ? 0 : lambdas[at];
    struct trop_tf_project_end end = { NAN, NAN };
    int64_t count = 0, between = 0;

    for (int64_t a = 0; a < T; a++) {
        x[a * T + a] = 1;
    }
    if (s->by_tau) {
        lambda = draw_lambda(v, s, k, at + 2);
    } else {
        trop_rng_sphere(v, T, s->seed, TROP_RNG_CLAIMS, (uint64_t)(2000000 + k));
    }
    enum trop_status status = trop_tf_project_train(&end, attention, x, v, z, T, T, lambda, 5000);
    for (int64_t t = 0; t < T; t++) {
        count += attention[t] > 1e-3;
        between += attention[t] <= 1e-3 && attention[t] >= 1e-8;
    }
    out[0] = (double)count;
    out[1] = (double)trop_tf_project(exact, v, T, lambda);
    out[2] = 1 - end.both;
    out[3] = 1 - end.direction;
    out[4] = lambda;
    out[5] = between == 0;
    return status;
}

static void work_range(void *context, int64_t first, int64_t last, int64_t worker)
{
    const struct shared *s = context;

    (void)worker;
    for (int64_t k = first; k < last; k++) {
        s->status[k] = one_run(s->out + k * COLUMNS, s, k);
    }
}

static enum trop_status work_all(struct trop_case *c, int64_t by_tau)
{
    struct shared s = { .runs = trop_case_integer(c, "runs"), .by_tau = by_tau, .seed = c->seed };
    const int64_t sizes = trop_case_integer(c, "dims"), count = sizes * s.runs;
    enum trop_status status = trop_case_make(&s.out, c, "end", sizes, s.runs, COLUMNS);

    s.status = trop_alloc(count, sizeof *s.status);
    if (!s.status) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld runs", (long long)count);
    }
    if (status == TROP_OK) {
        trop_parallel(c->threads, count, work_range, &s);
    }
    for (int64_t k = 0; k < count && status == TROP_OK; k++) {
        status = (enum trop_status)s.status[k];
    }
    trop_alloc_free(s.status);
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    return work_all(c, 0);
}

static enum trop_status work_tau(struct trop_case *c)
{
    return work_all(c, 1);
}

static enum trop_status draw(struct trop_case *c)
{
    static const double runs[3] = { 10, 20, 100 }, dims[3] = { 2, LAMBDAS, LAMBDAS };

    return trop_tf_figures_sizes(c, runs, dims);
}

static enum trop_status draw_tau(struct trop_case *c)
{
    static const double runs[3] = { 10, 24, 100 }, dims[3] = { 1, TAUS, TAUS };

    return trop_tf_figures_sizes(c, runs, dims);
}

/* ---- conclusions ---- */

static struct trop_tf_runs_mean mean_of(const struct trop_case *c, int64_t at, int64_t k)
{
    const int64_t runs = trop_case_size(c, "end", 1);

    return trop_tf_runs_mean(trop_case_array(c, "end") + at * runs * COLUMNS + k, runs, COLUMNS);
}

/* Few runs tend to underestimate a variance. */
static double error_of(struct trop_tf_runs_mean mean, double digit)
{
    const double n = (double)mean.count;

    return 4 * mean.error * sqrt(1 + n / THEIRS) * (1 + 5 / n) + digit;
}

/* Ours beside a table of means; theirs: how many runs these have. */
static void conclude_means(struct trop_judge *judge, const struct trop_case *c, const double *means,
                           double digit)
{
    static const char *const what[2] = { "tokens kept", "exact projection" };
    char name[64];

    for (int64_t k = 0; k < 2 * trop_case_size(c, "end", 0); k++) {
        const struct trop_tf_runs_mean ours = mean_of(c, k / 2, k % 2);
        snprintf(name, sizeof name, "%s, lambda = %g", what[k % 2], lambdas[k / 2]);
        if (!isnan(means[k / 2])) {
            /* A token whose attention is near 1e-3 may be counted or not, which allows a tenth of a
             * token. */
            trop_judge_near(judge, name, -1, ours.mean, means[k / 2],
                            error_of(ours, digit) + (k % 2 == 0 ? .1 : 0));
        }
    }
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    char name[64];

    conclude_means(judge, c, kept, .005);
    for (int64_t k = 0; k < 2 * trop_case_size(c, "end", 0); k++) {
        snprintf(name, sizeof name, "1 - corr, %s, lambda = %g", k % 2 ? "W_mm" : "W_fin + R W_mm",
                 lambdas[k / 2]);
        if (bends[k / 2][0] > 0) {
            const struct trop_tf_runs_mean ours = mean_of(c, k / 2, 2 + k % 2);
            trop_judge_near(judge, name, -1, ours.mean, bends[k / 2][k % 2], error_of(ours, 5e-5));
        }
    }
    return TROP_OK;
}

static enum trop_status conclude_lawful(struct trop_judge *judge, const struct trop_case *c)
{
    char name[64];

    conclude_means(judge, c, lawful, .03); /* four standard errors of 20000 draws */
    for (int64_t at = 0; at < trop_case_size(c, "end", 0); at++) {
        snprintf(name, sizeof name, "1 - corr: W_fin + R W_mm and W_mm, lambda = %g", lambdas[at]);
        trop_judge_at_most(judge, name, -1, mean_of(c, at, 2).mean, mean_of(c, at, 3).mean, 1e-9);
    }
    return TROP_OK;
}

/* lambda = .4 and 2, with runs enough to tell the means apart. */
static enum trop_status exhibit(struct trop_case *c, int64_t k)
{
    enum trop_status status = trop_case_put(c, "runs", 60);

    (void)k;
    return status == TROP_OK ? trop_case_put(c, "dims", 2) : status;
}

static enum trop_status conclude_tau(struct trop_judge *judge, const struct trop_case *c)
{
    char name[64];

    for (int64_t at = 0; at < trop_case_size(c, "end", 0); at++) {
        const double *end = trop_case_array(c, "end") + at * trop_case_size(c, "end", 1) * COLUMNS;
        snprintf(name, sizeof name, "tokens kept, tau = %lld", (long long)at + 2);
        for (int64_t run = 0; run < trop_case_size(c, "end", 1); run++) {
            for (int64_t k = 0; k < 2; k++) {
                trop_judge_at_most(judge, name, run, end[run * COLUMNS + k], (double)at + 2, 0);
                trop_judge_at_least(judge, name, run, end[run * COLUMNS + k], 2, 0);
            }
        }
    }
    for (int64_t at = 0; at < trop_case_size(c, "end", 0); at++) {
        const struct trop_tf_runs_mean count = mean_of(c, at, 0), lambda = mean_of(c, at, 4);
        snprintf(name, sizeof name, "mean tokens kept, tau = %lld", (long long)at + 2);
        trop_judge_near(judge, name, -1, count.mean, few[at], error_of(count, .05));
        snprintf(name, sizeof name, "mean lambda, tau = %lld", (long long)at + 2);
        trop_judge_near(judge, name, -1, lambda.mean, chosen[at], error_of(lambda, 5e-4));
    }
    return TROP_OK;
}

/* ---- pictures ---- */

static enum trop_status picture(struct trop_figure *figure, const struct trop_case *c)
{
    double x[LAMBDAS], y[3][LAMBDAS];
    int64_t count = 0;

    trop_figure_grid(figure, 1, 2);
    /* Sizes in the order of lambda. */
    for (double last = -1;; last = x[count - 1]) {
        int64_t next = -1;
        for (int64_t at = 0; at < trop_case_size(c, "end", 0); at++) {
            next = lambdas[at] > last && (next < 0 || lambdas[at] < lambdas[next]) ? at : next;
        }
        if (next < 0) {
            break;
        }
        x[count] = lambdas[next];
        for (int64_t k = 0; k < 3; k++) {
            y[k][count] = mean_of(c, next, k == 0 ? 1 : k + 1).mean;
        }
        count++;
    }
    struct trop_panel *left = trop_figure_panel(figure, 0, 0),
                      *right = trop_figure_panel(figure, 0, 1);
    trop_panel_x(left, "\u03bb", TROP_SCALE_LINEAR);
    trop_panel_y(left, "tokens kept, mean", TROP_SCALE_LINEAR);
    trop_panel_line(left, x, y[0], count, (struct trop_pen){ .width = 1.5 }, "exact projection");
    for (int64_t at = 0; at < trop_case_size(c, "end", 0); at++) {
        const double found = mean_of(c, at, 0).mean;
        trop_panel_dots(left, lambdas + at, &found, 1, (struct trop_dot){ .colour = 1 },
                        at == 0 ? "training" : NULL);
    }
    trop_panel_dots(left, lambdas, kept, LAMBDAS,
                    (struct trop_dot){ .colour = TROP_COLOUR_BLACK, .mark = TROP_MARK_CROSS },
                    "printed");
    trop_panel_x(right, "\u03bb", TROP_SCALE_LINEAR);
    trop_panel_y(right, "1 \u2212 correlation, mean", TROP_SCALE_LINEAR);
    trop_panel_line(right, x, y[1], count, (struct trop_pen){ .width = 1.5 }, "W_fin + R W_mm");
    trop_panel_line(right, x, y[2], count,
                    (struct trop_pen){ .colour = 1, .width = 1.5, .dash = 1 }, "W_mm");
    for (int64_t at = 0; at < LAMBDAS; at++) {
        if (bends[at][0] > 0) {
            for (int64_t k = 0; k < 2; k++) {
                trop_panel_dots(
                    right, lambdas + at, bends[at] + k, 1,
                    (struct trop_dot){ .colour = TROP_COLOUR_BLACK, .mark = TROP_MARK_CROSS },
                    at == 0 && k == 0 ? "printed" : NULL);
            }
        }
    }
    return TROP_OK;
}

static enum trop_status picture_tau(struct trop_figure *figure, const struct trop_case *c)
{
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    double x[TAUS], y[TAUS];

    for (int64_t at = 0; at < TAUS; at++) {
        x[at] = (double)at + 2;
        y[at] = at < trop_case_size(c, "end", 0) ? mean_of(c, at, 0).mean : NAN;
    }
    trop_panel_x(panel, "\u03c4", TROP_SCALE_LINEAR);
    trop_panel_y(panel, "tokens kept, mean", TROP_SCALE_LINEAR);
    trop_panel_line(panel, x, x, TAUS, (struct trop_pen){ .colour = TROP_COLOUR_GREY, .dash = 1 },
                    "bound \u03c4");
    trop_panel_line(panel, x, y, TAUS, (struct trop_pen){ .width = 1.5 }, "\u03bb uniform");
    trop_panel_dots(panel, x, few, TAUS,
                    (struct trop_dot){ .colour = TROP_COLOUR_BLACK, .mark = TROP_MARK_CROSS },
                    "printed");
    return TROP_OK;
}

/* ---- ways to be wrong ---- */

/* The runs of the second size stand for those of the first. */
static enum trop_status shift(struct trop_case *c)
{
    const int64_t size = trop_case_size(c, "end", 1) * COLUMNS;
    double *end = trop_case_array(c, "end");

    for (int64_t k = 0; k < size; k++) {
        end[k] = end[size + k];
    }
    return TROP_OK;
}

/* Every run of the first size keeps a token more. */
static enum trop_status one_more(struct trop_case *c)
{
    for (int64_t run = 0; run < trop_case_size(c, "end", 1); run++) {
        trop_case_array(c, "end")[run * COLUMNS] += 1;
        trop_case_array(c, "end")[run * COLUMNS + 1] += 1;
    }
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "the runs of lambda = 2 for those of lambda = .4", NULL, shift },
    { "a single run", "enough-runs", trop_tf_figures_few },
    { 0 },
};

static const struct trop_spoil tau_spoils[] = {
    { "runs of tau = 2 keep a token more", NULL, one_more },
    { "a single run", "enough-runs", trop_tf_figures_few },
    { 0 },
};

static const struct trop_hypothesis hypotheses[] = {
    { "enough-runs", "at least five runs", trop_tf_figures_enough, 0 },
    { 0 },
};

const struct trop_claim trop_tf_fig_9 = {
    .id = "tf-fig-9",
    .title = "tokens kept by a concave head, as printed",
    .statement =
        "With ten orthonormal tokens and the head v'o - lambda |o|^2, training keeps 2.69 tokens "
        "at lambda = .2, 7.08 at 1, 9.51 at 1.8 and 9.95 at 2.2 in the mean.",
    .status = TROP_CLAIM_ARTIFACT,
    .remark =
        "From lambda = 1 on the printed means are above those of the exact projection by 4 to 14 "
        "standard errors, 9.51 against 8.67 at 1.8. They leave out runs with attention between "
        "1e-8 "
        "and 1e-3; runs that keep all tokens never are, which is the likely cause. The printed "
        "correlations are of runs that passed, which exact gradients hardly make, and differ too.",
    .repaired = "tf-fig-9-repaired",
    .old_inputs = trop_tf_figures_inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .old_picture = picture,
    .old_exhibit = exhibit,
    .exhibits = 1,
    .spoils = spoils,
    .trials = 1,
    .width = 660,
    .height = 270,
};

const struct trop_claim trop_tf_fig_9_repaired = {
    .id = "tf-fig-9-repaired",
    .title = "tokens kept by a concave head, all runs",
    .statement =
        "With ten orthonormal tokens and the head v'o - lambda |o|^2, training keeps as many "
        "tokens as the exact simplex projection, 2.69 in the mean at lambda = .2 and 9.23 at "
        "2.2, and W_fin + R W_mm describes the weights better than W_mm.",
    .status = TROP_CLAIM_MEASURED,
    .remark = "No run is left out; tokens above 1e-3 count.",
    .old_inputs = trop_tf_figures_inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude_lawful,
    .old_picture = picture,
    .spoils = spoils,
    .trials = 1,
    .width = 660,
    .height = 270,
};

const struct trop_claim trop_tf_fig_12 = {
    .id = "tf-fig-12",
    .title = "tokens kept under the condition of lemma 6",
    .statement =
        "With lambda drawn between g_1 and tau g_tau / 2, training keeps between 2 and tau "
        "tokens, exactly 2 for tau = 2.",
    .status = TROP_CLAIM_MEASURED,
    .remark = "Every run obeys the lemma, but means for tau > 2 differ. They depend on the law of "
              "lambda, "
              "which is not printed: ours, uniform between its bounds with normal v, is of four "
              "laws that "
              "were tried the one that meets the printed mean of lambda at tau = 2.",
    .old_inputs = trop_tf_figures_inputs,
    .hypotheses = hypotheses,
    .old_draw = draw_tau,
    .old_work = work_tau,
    .old_conclude = conclude_tau,
    .old_picture = picture_tau,
    .spoils = tau_spoils,
    .trials = 1,
};
