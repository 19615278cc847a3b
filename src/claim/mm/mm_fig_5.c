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
 * high score, the logistic one towards the low one. Published, to three digits: C = 2, 5, 10, 100.
 *
 * Rounding of p_2, a few hundred steps after it came to rest: 1e-10.
 */
#include "claim/mm/mm_figures.h"

#include "base/math/exp.h"
#include "base/math/log.h"
#include "claim/tokens.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TOPS 11
#define LAST 30 /* records of the last half of the steps: log 2 / log 10 of 100 */

static const double tops[TOPS] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 100 };
static const char *const losses[] = { "correlation", "logistic" };

static enum trop_status draw(struct trop_case *c)
{
    return trop_tokens_count(c, "steps", 3000, 1, 1e9);
}

/* The data with top score C. */
static enum trop_status set_data(struct trop_case *c, double top)
{
    const double x[12] = { 0, 0, 0, 1, 1, top, 0, 0, 0, 1, -1, 1 };
    const double key[8] = { 0, 0, 1, 1, 0, 0, 1, -1 }, v[3] = { 0, 0, 1 }, y[2] = { 1, 1 };
    const struct trop_data data = {
        .n = 2, .T = 2, .d = 3, .x = x, .y = y, .labels = 1, .v = v, .k = key, .dk = 2
    };

    return trop_examples_take(c, &data);
}

/* "paths" (2 TOPS, rows, 2): runs from 0, losses one after the other; the data leave the case. */
static enum trop_status work(struct trop_case *c)
{
    struct trop_train_options o;
    double *paths = NULL;
    enum trop_status status = trop_mm_options(&o, "ngd", .1, trop_case_integer(c, "steps"));

    o.records = 100;
    for (int64_t k = 0; k < 2 * TOPS && status == TROP_OK; k++) {
        status = set_data(c, tops[k % TOPS]);
        status = status == TROP_OK
                     ? trop_option_set(&o, trop_train_option_table(), "loss", losses[k / TOPS])
                     : status;
        status = status == TROP_OK ? trop_mm_train(c, &o, "run") : status;
        const int64_t rows = trop_case_size(c, "run", 0);
        if (status == TROP_OK && k == 0) {
            status = trop_case_make(&paths, c, "paths", 2 * TOPS, rows, 2);
        }
        if (status == TROP_OK) {
            memcpy(paths + k * rows * 2, trop_case_array(c, "run"),
                   (size_t)(rows * 2) * sizeof *paths);
        }
    }
    return status;
}

static enum trop_status steps(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "steps", -1, trop_case_number(c, "steps"), 3000, 0);
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "enough-steps", "3000 or more", steps, 0 },
    { 0 },
};

/* ---- conclusions ---- */

static const double *end_of(const struct trop_case *c, int64_t k)
{
    const int64_t rows = trop_case_size(c, "paths", 1);

    return trop_case_array(c, "paths") + (k * rows + rows - 1) * 2;
}

static double offset(double top, int64_t loss)
{
    const double slopes = loss == 0 ? 1 : trop_mm_slope(top) / trop_mm_slope(1);

    return trop_log(slopes * top) / 2;
}

static enum trop_status conclude_figure(struct trop_judge *judge, const struct trop_case *c)
{
    static const double published[TOPS] = { 0,   .347, NAN, NAN,   .805, NAN,
                                            NAN, NAN,  NAN, 1.151, 2.303 };
    char name[64];

    for (int64_t k = 0; k < TOPS; k++) {
        const double *p = end_of(c, k);
        if (!isnan(published[k])) {
            snprintf(name, sizeof name, "correlation loss, C = %g: p_2", tops[k]);
            trop_judge_near(judge, name, k, p[1], published[k], 5e-4);
        }
    }
    /* The direction tends to (1, 0): across it p rests over the last half, along it p grows. */
    double rest = 0, gain = INFINITY;
    for (int64_t k = 0; k < 2 * TOPS; k++) {
        const double *end = end_of(c, k), *half = end - 2 * LAST;
        rest = fmax(rest, fabs(end[1] - half[1]));
        gain = fmin(gain, end[0] - half[0]);
    }
    trop_judge_at_most(judge, "all C: largest move of p_2 at the end", -1, rest, 1e-6, 0);
    trop_judge_at_least(judge, "all C: least move of p_1 at the end", -1, gain, 100, 0);
    return TROP_OK;
}

static enum trop_status conclude_table(struct trop_judge *judge, const struct trop_case *c)
{
    char name[64];

    for (int64_t k = 0; k < 2 * TOPS; k++) {
        snprintf(name, sizeof name, "%s, C = %g: p_2", losses[k / TOPS], tops[k % TOPS]);
        trop_judge_near(judge, name, k, end_of(c, k)[1], offset(tops[k % TOPS], k / TOPS), 1e-10);
    }
    return TROP_OK;
}

/* ---- pictures ---- */

static enum trop_status picture_paths(struct trop_figure *figure, const struct trop_case *c)
{
    static const int64_t shown[] = { 0, 1, 4, 9, 10 };
    const int64_t rows = trop_case_size(c, "paths", 1);
    const double *paths = trop_case_array(c, "paths");
    double x[512], y[512];

    trop_figure_grid(figure, 1, 2);
    for (int64_t loss = 0; loss < 2; loss++) {
        struct trop_panel *panel = trop_figure_panel(figure, 0, loss);
        trop_panel_title(panel, loss ? "logistic loss" : "loss −u");
        trop_panel_x(panel, "p₁", TROP_SCALE_LINEAR);
        trop_panel_y(panel, "p₂", TROP_SCALE_LINEAR);
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
    return TROP_OK;
}

/* C = 100 is left out of the picture: its logistic offset is -47. */
static enum trop_status picture_table(struct trop_figure *figure, const struct trop_case *c)
{
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    double y[TOPS], x[91], line[91];

    trop_panel_x(panel, "score C of the first input", TROP_SCALE_LINEAR);
    trop_panel_y(panel, "limit of p₂", TROP_SCALE_LINEAR);
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
    return TROP_OK;
}

/* ---- spoils ---- */

static enum trop_status move_end(struct trop_case *c)
{
    const int64_t rows = trop_case_size(c, "paths", 1);

    trop_case_array(c, "paths")[(1 * rows + rows - 1) * 2 + 1] += 1e-3;
    return TROP_OK;
}

static enum trop_status few(struct trop_case *c)
{
    return trop_case_put(c, "steps", 10);
}

static const struct trop_spoil spoils[] = {
    { "p_2 of C = 2 moved by 1e-3", NULL, move_end },
    { "10 steps", "enough-steps", few },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "steps", "", "of normalised gradient descent" },
    { 0 },
};

const struct trop_claim trop_mm_fig_5 = {
    .id = "mm-fig-5",
    .title = "losses and transients",
    .statement =
        "With scores C and 1 in two inputs training goes to the direction (1, 0) for every "
        "C and both losses, while the offset across it depends on them.",
    .status = TROP_CLAIM_MEASURED,
    .remark =
        "The offsets of the correlation loss are log(C)/2. That the direction tends to (1, 0) "
        "is read as p_2 at rest over the last half of the steps, where p_1 gains 100.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude_figure,
    .old_picture = picture_paths,
    .spoils = spoils,
    .trials = 1,
    .width = 560,
    .height = 260,
};

const struct trop_claim trop_mm_tab_loss = {
    .id = "mm-tab-loss",
    .title = "offsets in closed form",
    .statement = "The offset of figure 5 tends to log(|l'(C)| C / |l'(1)|) / 2 for the correlation "
                 "and the logistic loss.",
    .status = TROP_CLAIM_MEASURED,
    .remark = "The formula is ours, from the balance of the two pulls.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude_table,
    .old_picture = picture_table,
    .spoils = spoils,
    .trials = 1,
};
