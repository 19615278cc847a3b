/* md_tab_imdb.c -- does p = 1.1 generalise better? (Mirror-descent paper, film reviews.)
 *
 * Published are encoders of 3, 4 and 6 blocks on IMDb: means of ten repeats from one start (nine of
 * 3 blocks at p = 3), the best epoch chosen on the test set itself. The protocol of md_real.h
 * decides the question for one attention layer on sentences; both rules of choice are told, and the
 * published numbers of 3 blocks stand beside ours, which are of other data and another model.
 */
#include "claim/md/md_real.h"
#include "claim/md/md_tables.h"
#include "claim/sequences.h"

#include <math.h>

/* Of 3 blocks, in percent. */
static const struct {
    double best, last;
} three[TROP_MD_REAL_EXPONENTS] = { { 83.47, 82.57 }, { 81.66, 80.61 }, { 82.57, 81.33 } };

static const struct trop_published others[] = {
    { "4 blocks, p = 1.1: best accuracy, percent", 83.36 },
    { "4 blocks, p = 2: best accuracy, percent", 81.05 },
    { "4 blocks, p = 3: best accuracy, percent", 82.40 },
    { "6 blocks, p = 1.1: best accuracy, percent", 83.65 },
    { "6 blocks, p = 2: best accuracy, percent", 82.23 },
    { "6 blocks, p = 3: best accuracy, percent", 81.97 },
    { "4 blocks, p = 1.1: last accuracy, percent", 82.93 },
    { "4 blocks, p = 2: last accuracy, percent", 79.97 },
    { "4 blocks, p = 3: last accuracy, percent", 80.91 },
    { "6 blocks, p = 1.1: last accuracy, percent", 82.63 },
    { "6 blocks, p = 2: last accuracy, percent", 81.15 },
    { "6 blocks, p = 3: last accuracy, percent", 80.41 },
    { "3 blocks, p = 1.1: epochs", 72.1 },
    { "3 blocks, p = 2: epochs", 79.9 },
    { "3 blocks, p = 3: epochs", 161.7 },
    { "4 blocks, p = 1.1: epochs", 87.3 },
    { "4 blocks, p = 2: epochs", 88.0 },
    { "4 blocks, p = 3: epochs", 134.6 },
    { "6 blocks, p = 1.1: epochs", 65.3 },
    { "6 blocks, p = 2: epochs", 54.0 },
    { "6 blocks, p = 3: epochs", 131.9 },
    { 0 },
};

/* ---- the numbers ----------------------------------------------------------------------------- */

static double mean_of(const struct trop_case *c, int64_t k, int64_t column)
{
    return trop_md_real_mean(NULL, c, trop_md_real_row(c, k), column);
}

static void conclude_exponent(struct trop_judge *judge, const struct trop_case *c, int64_t k)
{
    const double runs = (double)trop_case_size(c, "runs", 1);

    trop_md_real_beside(judge, k, "tested, epoch by validation, percent",
                        100 * mean_of(c, k, TROP_MD_REAL_TEST), NAN);
    trop_md_real_beside(judge, k, "best on the test set, percent",
                        100 * mean_of(c, k, TROP_MD_REAL_BEST), three[k].best);
    trop_md_real_beside(judge, k, "last epoch, percent", 100 * mean_of(c, k, TROP_MD_REAL_LAST),
                        three[k].last);
    trop_md_real_beside(judge, k, "chosen epoch", mean_of(c, k, TROP_MD_REAL_CHOSEN), NAN);
    trop_md_real_beside(judge, k, "runs that diverge", runs * mean_of(c, k, TROP_MD_REAL_DIVERGED),
                        NAN);
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    trop_md_real_conclude(judge, c, TROP_MD_REAL_BETTER, "points of accuracy", 100);
    trop_judge_beside(judge, "by the paper's rule, 1.1 less 2, points",
                      100 * (mean_of(c, 0, TROP_MD_REAL_BEST) - mean_of(c, 1, TROP_MD_REAL_BEST)),
                      three[0].best - three[1].best);
    trop_judge_beside(judge, "1.1 less 3, points",
                      100 * (mean_of(c, 0, TROP_MD_REAL_TEST) - mean_of(c, 2, TROP_MD_REAL_TEST)),
                      NAN);
    for (int64_t k = 0; k < TROP_MD_REAL_EXPONENTS; k++) {
        conclude_exponent(judge, c, k);
    }
    for (int64_t k = 0; k < 2; k++) {
        trop_md_real_beside(judge, k, "without attention, percent",
                            100 * trop_md_real_uniform(c, k, TROP_MD_REAL_TEST), NAN);
    }
    trop_md_real_published(judge, others);
}

/* ---- the picture: accuracies by p, and how the steps were found ------------------------------ */

static void draw_accuracies(struct trop_panel *panel, const struct trop_case *c)
{
    double x[2][3], y[2][3], error[2][3], published[3], at[3];

    for (int64_t k = 0; k < TROP_MD_REAL_EXPONENTS; k++) {
        const int64_t row = trop_md_real_row(c, k);
        y[0][k] = 100 * trop_md_real_mean(error[0] + k, c, row, TROP_MD_REAL_TEST);
        y[1][k] = 100 * trop_md_real_mean(error[1] + k, c, row, TROP_MD_REAL_BEST);
        error[0][k] *= 100;
        error[1][k] *= 100;
        x[0][k] = (double)k - .1;
        x[1][k] = (double)k;
        at[k] = (double)k + .1;
        published[k] = three[k].best;
    }
    trop_panel_names_x(panel, trop_md_real_names, 3);
    trop_panel_y(panel, "test accuracy, percent", TROP_SCALE_LINEAR);
    for (int64_t rule = 0; rule < 2; rule++) {
        trop_panel_dots(panel, x[rule], y[rule], 3, trop_figure_dot(rule),
                        rule ? "epoch best on test" : "epoch by validation");
        trop_panel_errors(panel, x[rule], y[rule], error[rule], 3, trop_figure_pen(rule));
    }
    trop_panel_dots(panel, at, published, 3, trop_figure_dot(2), "published (IMDb, best on test)");
}

static void draw_tuning(struct trop_panel *panel, const struct trop_case *c)
{
    const struct trop_view taus = trop_case_view(c, "tuning_tau"),
                           accuracy = trop_case_view(c, "tuning_accuracy");
    const int64_t count = taus.columns < 32 ? taus.columns : 32, folds = accuracy.depth;

    trop_panel_x(panel, "step size τ", TROP_SCALE_LOG);
    trop_panel_y(panel, "validation accuracy, percent", TROP_SCALE_LINEAR);
    for (int64_t p = 0; p < TROP_MD_REAL_EXPONENTS; p++) {
        const int64_t row = trop_md_real_row(c, p);
        double y[32] = { 0 };
        for (int64_t k = 0; k < count * folds; k++) {
            y[k / folds] += 100 * trop_case_view_row(accuracy, row)[k] / (double)folds;
        }
        trop_panel_dots(panel, trop_case_view_row(taus, row), y, count, trop_figure_dot(p),
                        trop_md_real_names[p]);
    }
}

static void picture(struct trop_figure *figure, const struct trop_case *c)
{
    trop_figure_grid(figure, 1, 2);
    draw_accuracies(trop_figure_panel(figure, 0, 0), c);
    draw_tuning(trop_figure_panel(figure, 0, 1), c);
}

/* ---- the claim ------------------------------------------------------------------------------- */

const struct trop_claim trop_md_tab_imdb = {
    .id = "md-tab-imdb",
    .title = "sentiment of film reviews",
    .statement = "Trained by mirror descent with the potential of p = 1.1, attention classifies "
                 "film reviews better than with p = 2 (in the paper an encoder on IMDb).",
    .status = TROP_CLAIM_CONJECTURED,
    .remark =
        "Published: one split, one start, the epoch that is best on the test set. The 6-block "
        "numbers are those of the head on the first token; stored cells of the newer notebooks "
        "print an older model (82.57, 81.03, 80.65). Judged by validated choices, at this scale "
        "(one attention layer, MR sentences) it is violated: -2.5 points, 95% from -3.2 to -1.8.",
    .hypotheses = TROP_HYPOTHESES(TROP_SEQUENCES_TWO_CLASSES),
    TROP_MD_REAL_PARTS,
    .size = { 640, 280 },
};
