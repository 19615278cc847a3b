/* mm_fig_5.c -- what the loss does to the transient (max-margin paper, figure 5).
 *
 * Two inputs of two tokens: (0, 0) with score 0 in both, (1, 1) with score C and (1, -1) with
 * score 1. The max-margin direction is (1, 0) whatever C is. Attention on the first is e^(p1 + p2),
 * on the second e^(p1 - p2) times the rest; their pulls are in balance when |l'(C)| C e^(-p2) =
 * |l'(1)| e^(p2), so that
 *
 *   p_2 -> log(|l'(C)| C / |l'(1)|) / 2,
 *
 * which is met to e^-p1, nothing in double when p1 is 300. The correlation loss leans towards the
 * high score, the logistic one towards the low one. Curves are printed, and no number; those of C =
 * 2, 5, 10, 100 are log(C)/2 to three digits.
 *
 * Rounding of p_2, a few hundred steps after it came to rest: 1e-10.
 */
#include "claim/mm/mm_figures.h"

#include "base/math/log.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TOPS 11
#define LAST 30 /* records of the last half of the steps: log 2 / log 10 of 100 */

static const double tops[TOPS] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 100 };
static const char *const losses[] = { "correlation", "logistic" };

static void draw(struct trop_case *c)
{
    trop_tokens_count(c, "steps", 3000, 1, 1e9);
}

/* The data with top score C, in a case of their own. */
static struct trop_case *data_of(const struct trop_case *c, double top)
{
    const double x[12] = { 0, 0, 0, 1, 1, top, 0, 0, 0, 1, -1, 1 };
    const double key[8] = { 0, 0, 1, 1, 0, 0, 1, -1 }, v[3] = { 0, 0, 1 }, y[2] = { 1, 1 };
    struct trop_case *own = trop_case_apart(c);

    trop_case_copy_in(own, "X", x, 2, 2, 3);
    trop_case_copy_in(own, "K", key, 2, 2, 2);
    trop_case_copy_in(own, "v", v, 3, 0, 0);
    trop_case_copy_in(own, "y", y, 2, 0, 0);
    return own;
}

/* "paths" (2 TOPS, rows, 2): runs from 0, losses one after the other. */
static void work(struct trop_case *c)
{
    double *paths = NULL;

    for (int64_t k = 0; k < 2 * TOPS; k++) {
        struct trop_case *own = data_of(c, tops[k % TOPS]);
        trop_case_records(
            own,
            trop_case_train(own, "model=prompt optimizer=ngd eta=.1 steps=%lld records=100 loss=%s",
                            (long long)trop_case_integer(c, "steps"), losses[k / TOPS]),
            "weights=run");
        const struct trop_view run = trop_case_view(own, "run");
        paths = k == 0 ? trop_case_zeros(c, "paths", 2 * TOPS, run.rows, 2) : paths;
        memcpy(paths + k * run.rows * 2, run.at, (size_t)(run.rows * 2) * sizeof *paths);
    }
}

static void has_steps(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "steps", -1, trop_case_number(c, "steps"), 3000, 0);
}

static const struct trop_hypothesis hypotheses[] = {
    { "enough-steps", "3000 or more", .judge = has_steps, .broken = "10 steps",
      .edit = "steps = 10" },
    { 0 },
};

/* ---- conclusions ---- */

static const double *end_of(const struct trop_case *c, int64_t k)
{
    return trop_case_view_row(trop_case_view_part(trop_case_view(c, "paths"), k), -1);
}

static double offset(double top, int64_t loss)
{
    const double slopes = loss == 0 ? 1 : trop_mm_slope(top) / trop_mm_slope(1);

    return trop_log(slopes * top) / 2;
}

static void conclude_figure(struct trop_judge *judge, const struct trop_case *c)
{
    static const double published[TOPS] = { 0,   .347, NAN, NAN,   .805, NAN,
                                            NAN, NAN,  NAN, 1.151, 2.303 };
    double rest = 0, gain = INFINITY;

    for (int64_t k = 0; k < TOPS; k++) {
        if (!isnan(published[k])) {
            trop_judge_near(judge, trop_judge_name(judge, "correlation loss, C = %g: p_2", tops[k]),
                            k, end_of(c, k)[1], published[k], 5e-4);
        }
    }
    /* The direction tends to (1, 0): across it p rests over the last half, along it p grows. */
    for (int64_t k = 0; k < 2 * TOPS; k++) {
        const double *end = end_of(c, k), *half = end - 2 * LAST;
        rest = fmax(rest, fabs(end[1] - half[1]));
        gain = fmin(gain, end[0] - half[0]);
    }
    trop_judge_at_most(judge, "all C: largest move of p_2 at the end", -1, rest, 1e-6, 0);
    trop_judge_at_least(judge, "all C: least move of p_1 at the end", -1, gain, 100, 0);
}

static void conclude_table(struct trop_judge *judge, const struct trop_case *c)
{
    for (int64_t k = 0; k < 2 * TOPS; k++) {
        trop_judge_near(judge,
                        trop_judge_name(judge, "%s, C = %g: p_2", losses[k / TOPS], tops[k % TOPS]),
                        k, end_of(c, k)[1], offset(tops[k % TOPS], k / TOPS), 1e-10);
    }
}

/* ---- pictures ---- */

static void picture_paths(struct trop_figure *figure, const struct trop_case *c)
{
    static const int64_t shown[] = { 0, 1, 4, 9, 10 };
    const int64_t rows = trop_case_size(c, "paths", 1);
    const double *paths = trop_case_array(c, "paths");
    double x[512], y[512];

    trop_figure_grid(figure, 1, 2);
    for (int64_t loss = 0; loss < 2; loss++) {
        struct trop_panel *panel =
            trop_figure_axes(figure, 0, loss, loss ? "logistic loss" : "loss −u", "p₁", "p₂");
        trop_panel_range_x(panel, 0, 12);
        if (loss) {
            trop_panel_range_y(panel, -5, .5); /* C = 100 goes to -47 */
        }
        for (int64_t j = 0; j < 5; j++) {
            const double *path = paths + (loss * TOPS + shown[j]) * rows * 2;
            char legend[32];
            int64_t count = 0;
            while (count < rows && count < 512 && path[2 * count] <= 12) {
                x[count] = path[2 * count];
                y[count] = path[2 * count + 1];
                count++;
            }
            struct trop_pen pen = trop_figure_pen(j);
            pen.width = 1.6;
            snprintf(legend, sizeof legend, "C = %g", tops[shown[j]]);
            trop_panel_line(panel, x, y, count, pen, loss ? legend : NULL);
        }
    }
}

/* C = 100 is left out of the picture: its logistic offset is -47. */
static void picture_table(struct trop_figure *figure, const struct trop_case *c)
{
    struct trop_panel *panel =
        trop_figure_axes(figure, 0, 0, NULL, "score C of the first input", "limit of p₂");
    double y[TOPS], x[91], line[91];

    for (int64_t loss = 0; loss < 2; loss++) {
        for (int64_t k = 0; k < TOPS - 1; k++) {
            y[k] = end_of(c, loss * TOPS + k)[1];
        }
        for (int64_t k = 0; k <= 90; k++) {
            x[k] = 1 + .1 * (double)k;
            line[k] = offset(x[k], loss);
        }
        trop_panel_line(panel, x, line, 91, trop_figure_pen(loss),
                        loss ? "formula, logistic" : "formula, −u");
        trop_panel_dots(panel, tops, y, TOPS - 1, trop_figure_dot(loss),
                        loss ? "trained, logistic" : "trained, −u");
    }
}

/* ---- the claims ---- */

static const struct trop_spoil spoils[] = {
    { "p_2 of C = 2 moved by 1e-3", .edit = "paths[1,-1,1] += 1e-3" },
    { 0 },
};

const struct trop_claim trop_mm_fig_5 = {
    .id = "mm-fig-5",
    .title = "losses and transients",
    .statement =
        "With scores C and 1 in two inputs training goes to the direction (1, 0) for every "
        "C and both losses, while the offset across it depends on them.",
    .status = TROP_CLAIM_MEASURED,
    .source = TROP_CLAIM_DERIVED,
    .remark =
        "The offsets of the correlation loss are log(C)/2. That the direction tends to (1, 0) "
        "is read as p_2 at rest over the last half of the steps, where p_1 gains 100.",
    .inputs = "steps",
    .hypotheses = hypotheses,
    .run = { draw, work, conclude_figure, picture_paths },
    .spoils = spoils,
    .trials = 1,
    .size = { 560, 260 },
};

const struct trop_claim trop_mm_tab_loss = {
    .id = "mm-tab-loss",
    .title = "offsets in closed form",
    .statement = "The offset of figure 5 tends to log(|l'(C)| C / |l'(1)|) / 2 for the correlation "
                 "and the logistic loss.",
    .status = TROP_CLAIM_MEASURED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "The formula is ours, from the balance of the two pulls.",
    .inputs = "steps",
    .hypotheses = hypotheses,
    .run = { draw, work, conclude_table, picture_table },
    .spoils = spoils,
    .trials = 1,
};
