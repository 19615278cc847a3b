/* tf_fig_7.c -- correlations with max-margin solutions along training (figure 7).
 *
 * n = 6, T = 8, d = 10, 100 runs of W and of K, Q: (a) mean largest attention, (b) cosine
 * with the Frobenius, (c) with the nuclear solution of what is selected in the end. Printed values
 * at the end of the axis, step 600: .990 and .860 (b), .847 and .996 (c). The authors' notebook has
 * 2000 steps, and its stored figure these values near 1000: they are compared with ours at 1000.
 *
 * The last one differs: plain steps reach .975. The authors trained K, Q with a regulariser
 * of 2.2e-16
 * (|K|^2 + |Q|^2), which training here does not have; that this is the cause is presumed, not
 * shown.
 *
 * Allowance: four standard errors of the difference of two means, theirs of 100 runs with our
 * variance, and half a unit of the last digit.
 */
#include "claim/tf/tf_figures.h"

#include "base/alloc.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MARKS 9
#define COLUMNS 3 /* Frobenius, nuclear, saturation */
#define THEIRS 100

static const int64_t marks[MARKS] = { 25, 50, 100, 200, 300, 400, 600, 800, 1000 };

/* Published correlations of W, and of K and Q: with the Frobenius and with the nuclear solution. */
static const double published[2][2] = { { .990, .847 }, { .860, .996 } };

static enum trop_status draw(struct trop_case *c)
{
    static const double runs[3] = { 6, 24, 100 }, dims[3] = { 1, 1, 1 };

    return trop_tf_figures_sizes(c, runs, dims);
}

/* "W" and "KQ" (runs, MARKS, COLUMNS). */
static enum trop_status work_model(struct trop_case *c, int64_t kq)
{
    const int64_t runs = trop_case_integer(c, "runs");
    struct trop_tf_runs kind = { .n = 6,
                                 .T = 8,
                                 .d = 10,
                                 .kq = kq,
                                 .steps = marks[MARKS - 1],
                                 .first = 0,
                                 .correlated = 1,
                                 .marks = MARKS };
    struct trop_tf_runs_result *results = trop_alloc(runs, sizeof *results);
    double *out = NULL;
    enum trop_status status = trop_case_make(&out, c, kq ? "KQ" : "W", runs, MARKS, COLUMNS);

    if (!results) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld runs", (long long)runs);
    }
    memcpy(kind.mark, marks, sizeof marks);
    if (status == TROP_OK) {
        trop_tf_runs(results, &kind, runs, c->threads);
        status = trop_tf_figures_status(results, runs);
    }
    for (int64_t k = 0; status == TROP_OK && k < runs * MARKS; k++) {
        const struct trop_tf_runs_result *r = results + k / MARKS;
        out[k * COLUMNS] = r->frobenius[k % MARKS];
        out[k * COLUMNS + 1] = r->nuclear[k % MARKS];
        out[k * COLUMNS + 2] = r->most[k % MARKS];
    }
    trop_alloc_free(results);
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    enum trop_status status = work_model(c, 0);

    return status == TROP_OK ? work_model(c, 1) : status;
}

static struct trop_tf_runs_mean mean_of(const struct trop_case *c, const char *model, int64_t mark,
                                        int64_t k)
{
    return trop_tf_runs_mean(trop_case_array(c, model) + mark * COLUMNS + k,
                             trop_case_size(c, model, 0), MARKS * COLUMNS);
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    static const char *const names[2] = { "W", "KQ" };
    char name[64];

    for (int64_t kq = 0; kq < 2; kq++) {
        for (int64_t k = 0; k < 2; k++) {
            const struct trop_tf_runs_mean ours = mean_of(c, names[kq], MARKS - 1, k);
            const double n = (double)ours.count;
            snprintf(name, sizeof name, "%s: cosine with the %s solution", names[kq],
                     k ? "nuclear" : "Frobenius");
            /* Few runs tend to underestimate the variance. */
            trop_judge_near(judge, name, marks[MARKS - 1], ours.mean, published[kq][k],
                            4 * ours.error * sqrt(1 + n / THEIRS) * (1 + 5 / n) + 5e-4);
        }
        trop_judge_at_least(judge, "mean largest attention at the end", marks[MARKS - 1],
                            mean_of(c, names[kq], MARKS - 1, 2).mean, .99, 0);
    }
    trop_judge_at_least(judge, "nuclear solution: K, Q less W", marks[MARKS - 1],
                        mean_of(c, "KQ", MARKS - 1, 1).mean - mean_of(c, "W", MARKS - 1, 1).mean, 0,
                        0);
    trop_judge_at_least(judge, "Frobenius solution: W less K, Q", marks[MARKS - 1],
                        mean_of(c, "W", MARKS - 1, 0).mean - mean_of(c, "KQ", MARKS - 1, 0).mean, 0,
                        0);
    return TROP_OK;
}

/* ---- picture ---- */

static enum trop_status picture(struct trop_figure *figure, const struct trop_case *c)
{
    static const char *const titles[3] = { "(a) largest attention", "(b) Frobenius solution",
                                           "(c) nuclear solution" };
    static const char *const names[2] = { "W", "KQ" }, *const legends[2] = { "W", "K, Q" };
    double x[MARKS], y[MARKS];

    trop_figure_grid(figure, 1, 3);
    for (int64_t k = 0; k < 3; k++) {
        struct trop_panel *panel = trop_figure_panel(figure, 0, k);
        trop_panel_title(panel, titles[k]);
        trop_panel_x(panel, "steps", TROP_SCALE_LINEAR);
        trop_panel_y(panel, k == 0 ? "mean over inputs and runs" : "mean cosine",
                     TROP_SCALE_LINEAR);
        for (int64_t kq = 0; kq < 2; kq++) {
            for (int64_t mark = 0; mark < MARKS; mark++) {
                x[mark] = (double)marks[mark];
                y[mark] = mean_of(c, names[kq], mark, k == 0 ? 2 : k - 1).mean;
            }
            trop_panel_line(panel, x, y, MARKS,
                            (struct trop_pen){ .colour = kq, .width = 1.5, .dash = kq },
                            legends[kq]);
            if (k > 0) {
                trop_panel_level(panel, published[kq][k - 1],
                                 (struct trop_pen){ .colour = kq, .dash = 2 },
                                 kq == 0 ? "printed" : NULL);
            }
        }
    }
    return TROP_OK;
}

/* ---- ways to be wrong ---- */

/* Exchanges the results of W with those of K, Q. */
static enum trop_status exchange(struct trop_case *c)
{
    const int64_t count = trop_case_size(c, "W", 0) * MARKS * COLUMNS;

    for (int64_t k = 0; k < count; k++) {
        double *w = trop_case_array(c, "W") + k, *kq = trop_case_array(c, "KQ") + k;
        const double kept = *w;
        *w = *kq;
        *kq = kept;
    }
    return TROP_OK;
}

/* W is less aligned by .05 at the end. */
static enum trop_status less_aligned(struct trop_case *c)
{
    for (int64_t run = 0; run < trop_case_size(c, "W", 0); run++) {
        trop_case_array(c, "W")[(run * MARKS + MARKS - 1) * COLUMNS] -= .05;
    }
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "cosines of W with the Frobenius solution are less by .05", NULL, less_aligned },
    { "W and K, Q are exchanged", NULL, exchange },
    { "a single run", "enough-runs", trop_tf_figures_few },
    { 0 },
};

static const struct trop_hypothesis hypotheses[] = {
    { "enough-runs", "at least five runs", trop_tf_figures_enough, 0 },
    { 0 },
};

const struct trop_claim trop_tf_fig_7 = {
    .id = "tf-fig-7",
    .title = "correlation with the two solutions along training",
    .statement =
        "As training saturates, W aligns with the Frobenius max-margin solution of the tokens "
        "that it selects, and K Q' with the nuclear one.",
    .status = TROP_CLAIM_MEASURED,
    .remark =
        "Printed values at step 600 are compared with ours at 1000, where the authors' notebook "
        "has them. The printed .996 of K, Q with the nuclear solution differs: ours is .975. "
        "Their training of K, Q had a regulariser of 2.2e-16, ours has none; whether that is the "
        "cause was not tested.",
    .old_inputs = trop_tf_figures_inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .old_picture = picture,
    .spoils = spoils,
    .trials = 1,
    .width = 780,
    .height = 250,
};
