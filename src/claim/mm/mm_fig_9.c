/* mm_fig_9.c -- which selections random data train (max-margin paper, figures 9 and 10), and how
 * much of it is the gradient's arithmetic.
 *
 * n = 4 inputs of T = 6 tokens, tokens and decoder uniform on the unit sphere of R^d, labels 1 or
 * -1; 1000 normalised steps of length 1 from N(0, .01^2). A run is saturated when the mean of the
 * largest attention is at least 1 - 1e-5. Of those: does alpha consist of the best tokens (global),
 * is it locally optimal, what is the cosine of p with its max-margin solution, and what the least
 * lead of a selected score over its neighbours?
 *
 * Printed: a mean cosine of .997, a share below 1% of saturated runs whose least lead is negative,
 * and bars without numbers. The shares beside ours are of an independent program with 1000 runs for
 * each d. Allowed for a share q of N runs beside one of 1000: four standard deviations, sqrt(q (1 -
 * q) (1/N + 1/1000)), q taken half a run away from 0 and 1, and the last digit.
 *
 * The cosine of .997 is that of a plain gradient with 2.2e-16 added to its norm, which freezes the
 * run when attention saturates: .9974 here. Without it the run follows rounding errors (.44 at d =
 * 100), and with the exact gradient it is .99998. The table has all three.
 */
#include "claim/mm/mm_figures.h"

#include "tropism_lab.h"

#include <math.h>
#include <stdio.h>

#define DIMENSIONS 6

enum { SATURATED, GLOBAL, LOCAL, COSINE, LEAD, FACTS };

static const double dimensions[DIMENSIONS] = { 2, 5, 10, 100, 300, 500 };

/* ---- one run ---- */

/* 1 when no token of an input scores more than the one that is selected, entry alpha. */
static int is_global(const struct trop_case *own)
{
    const struct trop_mm m = trop_mm_of(own);
    int global = 1;

    for (int64_t i = 0; i < m.n; i++) {
        const double *x = m.x + i * m.T * m.d, *selected = x + (int64_t)m.alpha[i] * m.d;
        for (int64_t t = 0; t < m.T; t++) {
            const double lead =
                trop_tokens_dot(m.v, selected, m.d) - trop_tokens_dot(m.v, x + t * m.d, m.d);
            global = global && !(m.y[i] * lead < 0);
        }
    }
    return global;
}

/* The cosine of p with a solution, as 1 - |a - b|^2 / 2 of unit vectors, which cancels nothing. */
static double cosine_of(const struct trop_train *train, const double *solution)
{
    const double *p = NULL;
    double log_scale = 0, sum = 0;
    int64_t shape[2] = { 0, 0 };

    trop_train_tensor(&p, &log_scale, shape, train, 0);
    const double one = sqrt(trop_tokens_dot(p, p, shape[0]));
    const double two = sqrt(trop_tokens_dot(solution, solution, shape[0]));
    for (int64_t k = 0; k < shape[0]; k++) {
        const double off = p[k] / one - solution[k] / two;
        sum += off * off;
    }
    return 1 - sum / 2;
}

/* One max-margin problem tells the direction, local optimality and the least lead, which runs that
 * are not saturated do not have. */
static void measure(double *out, const struct trop_case *c, double d, int64_t run, const char *more)
{
    const struct trop_field *fields = trop_train_field_table(), *solved = trop_margin_field_table();
    const uint64_t seed = c->seed * 100000 + (uint64_t)run;
    struct trop_case *own = trop_case_apart(c);

    trop_case_try(c, trop_examples_named(own, "mm-fig-9", 0, 0, (int64_t)d, seed));
    const struct trop_train *train = trop_case_train(
        own,
        "model=prompt optimizer=ngd eta=1 steps=1000 start=normal start_scale=.01 seed=%llu "
        "records=1 %s",
        (unsigned long long)seed, more);
    out[SATURATED] = trop_case_told(own, fields, train, "saturation") >= 1 - 1e-5;
    out[COSINE] = out[LEAD] = NAN;
    if (out[SATURATED] == 1) {
        trop_case_take(own, "alpha", fields, train, "alpha");
        const struct trop_margin *margin = trop_case_solve(own, "p_mm", "", "select=@alpha");
        const double lead = trop_case_told(own, solved, margin, "score_gap");
        out[GLOBAL] = is_global(own);
        out[LOCAL] = trop_case_told(own, solved, margin, "locally_optimal") == 1;
        out[COSINE] = cosine_of(train, trop_margin_weights(margin));
        out[LEAD] = isfinite(lead) ? lead : NAN;
    }
}

static void one(double *out, const struct trop_case *c, int64_t row, int64_t run)
{
    measure(out, c, dimensions[row], run, "");
}

static void one_gradient(double *out, const struct trop_case *c, int64_t row, int64_t run)
{
    static const char *const gradients[] = {
        "gradient=stable", "gradient=naive gradient_epsilon=2.220446049250313e-16", "gradient=naive"
    };

    measure(out, c, 100, run, gradients[row]);
}

/* ---- conclusions ---- */

/* Four standard deviations of the difference between a share published from 1000 runs and ours, and
 * half a unit of its last digit. */
static double allowance(double published, double runs)
{
    const double q = fmin(fmax(published, .5 / 1000), 1 - .5 / 1000);
    const double inside = fmin(fmax(q, .25 / runs), 1 - .25 / runs);

    return 4 * sqrt(inside * (1 - inside) * (1 / runs + 1. / 1000)) + .0005;
}

static void judge_share(struct trop_judge *judge, const char *line, const struct trop_case *c,
                        const char *name, int64_t row, int64_t column,
                        struct trop_sample_published published)
{
    (void)name;
    trop_judge_near(judge, line, (int64_t)dimensions[row],
                    100 * trop_sample_of(c, "facts", row, column).mean, 100 * published.value,
                    100 * allowance(published.value, trop_case_number(c, "runs")));
}

static void judge_cosine(struct trop_judge *judge, const char *line, const struct trop_case *c,
                         const char *name, int64_t row, int64_t column,
                         struct trop_sample_published published)
{
    const struct trop_sample_summary s = trop_sample_of(c, "facts", row, column);

    (void)name;
    (void)published;
    if (s.runs > 0) {
        trop_judge_at_least(judge, line, (int64_t)dimensions[row], s.mean, .997, 0);
    }
}

static const double saturated[] = { .276, .947, 1, 1, 1, 1 };
static const double local[] = { .259, .942, .998, 1, 1, 1 };
static const double global[] = { .081, .191, .365, .937, .997, .999 };

static const struct trop_table_column shown[] = {
    { "d = %g: saturated, percent", saturated, .judge = judge_share, .column = SATURATED },
    { "d = %g: locally optimal, percent", local, .judge = judge_share, .column = LOCAL },
    { "d = %g: global, percent", global, .judge = judge_share, .column = GLOBAL },
    { "d = %g: mean cosine, at least", .judge = judge_cosine, .column = COSINE },
    { 0 },
};

static const struct trop_table table = {
    .entry = "facts",
    .one = one,
    .columns = FACTS,
    .runs = { 5, 60, 1000 },
    .rows_entry = "dimensions",
    .rows = { 4, DIMENSIONS, DIMENSIONS },
    .x = dimensions,
    .shown = shown,
};

static const struct trop_table table_gradient = {
    .entry = "facts",
    .one = one_gradient,
    .columns = FACTS,
    .runs = { 6, 40, 200 },
    .rows = { 3, 3, 3 },
};

/* Fewer than 1% of saturated runs; a run of ours more than the four deviations of 1% is too many.
 */
static void conclude_gaps(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view facts = trop_case_view(c, "facts");
    double all = 0, all_negative = 0;

    for (int64_t row = 0; row < facts.rows; row++) {
        double count = 0, negative = 0;
        for (int64_t run = 0; run < facts.columns; run++) {
            const double *of = trop_case_view_row(trop_case_view_part(facts, row), run);
            count += of[SATURATED];
            negative += of[LEAD] < 0;
        }
        negative /= fmax(1, count);
        if (count > 0) {
            /* At d = 2 neighbours are few, and 6% of the runs show a negative lead. */
            const int is_plane = dimensions[row] == 2;
            trop_judge_at_most(
                judge,
                trop_judge_name(judge, "d = %g: least lead < 0, percent, at most", dimensions[row]),
                (int64_t)dimensions[row], 100 * negative, is_plane ? 6.2 : 1,
                400 * sqrt((is_plane ? .062 : .01) / count));
        }
        all += count;
        all_negative += negative * count;
    }
    trop_judge_at_most(judge, "all d: least lead < 0, percent, at most", -1,
                       100 * all_negative / fmax(1, all), 1, 400 * sqrt(.01 / fmax(1, all)));
}

static void conclude_gradients(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_sample_summary exact = trop_sample_of(c, "facts", 0, COSINE),
                                     frozen = trop_sample_of(c, "facts", 1, COSINE),
                                     plain = trop_sample_of(c, "facts", 2, COSINE);

    trop_judge_at_least(judge, "exact gradient: mean cosine, at least", -1, exact.mean, .9999, 0);
    /* A run has a standard deviation of .00136 and .0883 (1000 runs); the other means have 1000
     * runs too, and the digits that are printed. */
    trop_judge_near(judge, "plain, 2.2e-16 in its norm: mean cosine", -1, frozen.mean, .997,
                    5e-4 + 4 * .00136 * sqrt(1 / (double)frozen.runs + 1. / 1000));
    trop_judge_near(judge, "plain: mean cosine", -1, plain.mean, .44,
                    5e-3 + 4 * .0883 * sqrt(1 / (double)plain.runs + 1. / 1000));
}

/* ---- pictures ---- */

static void picture(struct trop_figure *figure, const struct trop_case *c)
{
    static const char *const names[] = { "2", "5", "10", "100", "300", "500" };
    static const char *const legends[] = { "not saturated", "locally optimal", "global" };
    const int64_t rows = trop_case_size(c, "facts", 0);
    struct trop_panel *panel = trop_figure_axes(figure, 0, 0, NULL, "dimension d", "runs, percent");
    double bars[DIMENSIONS * 3];

    for (int64_t k = 0; k < rows; k++) {
        bars[3 * k] = 100 * (1 - trop_sample_of(c, "facts", k, SATURATED).mean);
        bars[3 * k + 1] = 100 * trop_sample_of(c, "facts", k, LOCAL).mean;
        bars[3 * k + 2] = 100 * trop_sample_of(c, "facts", k, GLOBAL).mean;
    }
    trop_panel_names_x(panel, names, rows);
    trop_panel_bars(panel, bars, rows, 3, legends);
}

static void picture_gaps(struct trop_figure *figure, const struct trop_case *c)
{
    const struct trop_view facts = trop_case_view(c, "facts");
    struct trop_panel *panel =
        trop_figure_axes(figure, 0, 0, NULL, "least lead of a score over its neighbours",
                         "share of saturated runs below");
    double *x = trop_case_scratch(c, facts.columns), *y = trop_case_scratch(c, facts.columns);

    for (int64_t k = 0; k < facts.rows; k++) {
        const int64_t count = trop_sample_sorted(x, c, "facts", k, LEAD);
        char legend[32];
        for (int64_t j = 0; j < count; j++) {
            y[j] = (double)(j + 1) / (double)count;
        }
        snprintf(legend, sizeof legend, "d = %g", dimensions[k]);
        trop_panel_stairs(panel, x, y, count, trop_figure_pen(k), legend);
    }
    trop_panel_upright(panel, 0, (struct trop_pen){ .colour = TROP_COLOUR_GREY }, NULL);
}

static void picture_gradients(struct trop_figure *figure, const struct trop_case *c)
{
    static const char *const names[] = { "exact", "plain, 2.2e-16", "plain" };
    const struct trop_view facts = trop_case_view(c, "facts");
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);

    trop_panel_x(panel, "gradient", TROP_SCALE_LINEAR);
    trop_panel_y(panel, "1 − cos of p to its max-margin solution", TROP_SCALE_LOG);
    trop_panel_names_x(panel, names, 3);
    for (int64_t k = 0; k < 3; k++) {
        struct trop_dot dot = trop_figure_dot(k);
        dot.size = 4;
        for (int64_t j = 0; j < facts.columns; j++) {
            const double x = (double)k + .5 * ((double)j + .5) / (double)facts.columns - .25;
            const double y = 1 - trop_case_view_row(trop_case_view_part(facts, k), j)[COSINE];
            if (!isnan(y)) {
                trop_panel_dots(panel, &x, &y, 1, dot, NULL);
            }
        }
    }
}

/* ---- the claims ---- */

static const struct trop_hypothesis hypotheses[] = { TROP_SAMPLE_FIVE("five for each bar, or more"),
                                                     { 0 } };

/* d = 100 is the fourth dimension. */
static const struct trop_spoil spoils[] = {
    { "no run at d = 100 counts as global", .edit = "facts[3,*,1] = 0" },
    { 0 },
};
static const struct trop_spoil gap_spoils[] = {
    { "leads at d = 100 with the other sign", .edit = "facts[3,*,4] *= -1" },
    { 0 },
};
static const struct trop_spoil gradient_spoils[] = {
    { "runs of the exact gradient in place of the plain one", .edit = "facts[2] = facts[0]" },
    { 0 },
};

const struct trop_claim trop_mm_fig_9 = {
    .id = "mm-fig-9",
    .title = "what random data select",
    .statement =
        "On random data runs saturate nearly always from d = 5 on, saturated runs are along "
        "the max-margin solutions of locally optimal selections, and the share of global "
        "ones grows with d.",
    .status = TROP_CLAIM_MEASURED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "Printed are a mean cosine of .997 and bars without numbers; the shares are of an "
              "independent program with 1000 runs for each d. With exact gradients the cosine is "
              ".9998 or more: .997 is what a plain gradient leaves (mm-tab-gradient).",
    .inputs = "runs dimensions",
    .hypotheses = hypotheses,
    .table = &table,
    .run.picture = picture,
    .spoils = spoils,
    .trials = 1,
    .size = { 420, 270 },
};

const struct trop_claim trop_mm_fig_10 = {
    .id = "mm-fig-10",
    .title = "leads of selected scores",
    .statement =
        "In fewer than 1% of the saturated runs on random data a neighbour scores more than "
        "the token that is selected.",
    .status = TROP_CLAIM_MEASURED,
    .remark = "",
    .inputs = "runs dimensions",
    .hypotheses = hypotheses,
    .table = &table,
    .run = { .conclude = conclude_gaps, .picture = picture_gaps },
    .spoils = gap_spoils,
    .trials = 1,
    .size = { 420, 270 },
};

const struct trop_claim trop_mm_tab_gradient = {
    .id = "mm-tab-gradient",
    .title = "exact and plain gradients",
    .statement =
        "With d = 100 the mean cosine of saturated runs to their max-margin solutions is "
        "above .9999 with the exact gradient, .997 with the plain one and 2.2e-16 added to "
        "its norm, and .44 with the plain one alone.",
    .status = TROP_CLAIM_MEASURED,
    .source = TROP_CLAIM_DERIVED,
    .remark = ".997 is the paper's mean cosine, .44 that of an independent program. Which rounding "
              "errors a plain gradient follows depends on the order of its sums.",
    .inputs = "runs",
    .hypotheses = hypotheses,
    .table = &table_gradient,
    .run = { .conclude = conclude_gradients, .picture = picture_gradients },
    .spoils = gradient_spoils,
    .trials = 1,
};
