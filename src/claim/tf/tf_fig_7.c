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

#include <math.h>

#define MARKS 9

enum { FROBENIUS, NUCLEAR, SATURATION, COLUMNS };

static const double marks[MARKS] = { 25, 50, 100, 200, 300, 400, 600, 800, 1000 };
static const char *const models[] = { "W", "KQ" };

/* Published correlations of W, and of K and Q: with the Frobenius and with the nuclear solution. */
static const double published[2][2] = { { .990, .847 }, { .860, .996 } };

/* Rows W and KQ; COLUMNS numbers of each mark. A run is the same up to its end, so that each mark
 * has a run of its own. */
static void one(double *out, const struct trop_case *c, int64_t row, int64_t run)
{
    const char *model = row == 0 ? "model=cross" : "model=kq";
    struct trop_case *own = trop_tf_runs_data(c, 6, 8, 10, run, 0);
    const struct trop_train *last = trop_tf_runs_train(own, (int64_t)marks[MARKS - 1], model);
    const int decided = trop_tf_runs_end(own, last).decided;

    for (int64_t k = 0; k < MARKS * COLUMNS; k++) {
        out[k] = NAN;
    }
    if (!decided) {
        return;
    }
    const struct trop_margin *l2 = trop_tf_runs_solve(own, "@alpha", "l2"),
                             *nuclear = trop_tf_runs_solve(own, "@alpha", "nuclear");
    for (int64_t k = 0; k < MARKS; k++) {
        const struct trop_train *train = trop_tf_runs_train(own, (int64_t)marks[k], model);
        out[k * COLUMNS + FROBENIUS] = trop_tf_runs_cosine(own, train, l2);
        out[k * COLUMNS + NUCLEAR] = trop_tf_runs_cosine(own, train, nuclear);
        out[k * COLUMNS + SATURATION] =
            isnan(out[k * COLUMNS])
                ? NAN
                : trop_case_told(own, trop_train_field_table(), train, "saturation");
    }
}

static const struct trop_table table = {
    .entry = "end",
    .one = one,
    .columns = MARKS * COLUMNS,
    .runs = { 6, 24, 100 },
    .rows = { 2, 2, 2 },
};

static double mean_of(const struct trop_case *c, int64_t kq, int64_t mark, int64_t k)
{
    struct trop_sample_summary s;

    trop_sample_summary(&s, c, "end", kq, mark * COLUMNS + k);
    return s.mean;
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    enum { END = MARKS - 1 };
    const int64_t step = (int64_t)marks[END];
    struct trop_sample_summary s;

    for (int64_t kq = 0; kq < 2; kq++) {
        for (int64_t k = 0; k < 2; k++) {
            trop_sample_summary(&s, c, "end", kq, END * COLUMNS + k);
            const double n = (double)s.runs;
            /* Few runs tend to underestimate the variance. */
            trop_judge_near(judge,
                            trop_judge_name(judge, "%s: cosine with the %s solution", models[kq],
                                            k ? "nuclear" : "Frobenius"),
                            step, s.mean, published[kq][k],
                            4 * s.error * sqrt(1 + n / 100) * (1 + 5 / n) + 5e-4);
        }
        trop_judge_at_least(judge, "mean largest attention at the end", step,
                            mean_of(c, kq, END, SATURATION), .99, 0);
    }
    trop_judge_at_least(judge, "nuclear solution: K, Q less W", step,
                        mean_of(c, 1, END, NUCLEAR) - mean_of(c, 0, END, NUCLEAR), 0, 0);
    trop_judge_at_least(judge, "Frobenius solution: W less K, Q", step,
                        mean_of(c, 0, END, FROBENIUS) - mean_of(c, 1, END, FROBENIUS), 0, 0);
}

static void picture(struct trop_figure *figure, const struct trop_case *c)
{
    static const struct {
        const char *title, *y;
        int64_t column;
    } panels[] = { { "(a) largest attention", "mean over inputs and runs", SATURATION },
                   { "(b) Frobenius solution", "mean cosine", FROBENIUS },
                   { "(c) nuclear solution", "mean cosine", NUCLEAR } };
    double y[MARKS];

    trop_figure_grid(figure, 1, 3);
    for (int64_t k = 0; k < 3; k++) {
        struct trop_panel *panel = trop_figure_panel(figure, 0, k);
        trop_panel_title(panel, panels[k].title);
        trop_panel_x(panel, "steps", TROP_SCALE_LINEAR);
        trop_panel_y(panel, panels[k].y, TROP_SCALE_LINEAR);
        for (int64_t kq = 0; kq < 2; kq++) {
            for (int64_t mark = 0; mark < MARKS; mark++) {
                y[mark] = mean_of(c, kq, mark, panels[k].column);
            }
            trop_panel_line(panel, marks, y, MARKS,
                            (struct trop_pen){ .colour = kq, .width = 1.5, .dash = kq },
                            kq ? "K, Q" : "W");
            if (k > 0) {
                trop_panel_level(panel, published[kq][k - 1],
                                 (struct trop_pen){ .colour = kq, .dash = 2 },
                                 kq == 0 ? "printed" : NULL);
            }
        }
    }
}

static const struct trop_hypothesis hypotheses[] = { TROP_SAMPLE_FIVE("at least five runs"),
                                                     { 0 } };

/* The last mark has columns 24 to 26. */
static const struct trop_spoil spoils[] = {
    { "cosines of W with the Frobenius solution are less by .05", .edit = "end[0,*,24] -= .05" },
    { "W and K, Q are exchanged", .edit = "swap end[0] end[1]" },
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
    .inputs = "runs",
    .hypotheses = hypotheses,
    .table = &table,
    .conclude = conclude,
    .picture = picture,
    .spoils = spoils,
    .trials = 1,
    .width = 780,
    .height = 250,
};
