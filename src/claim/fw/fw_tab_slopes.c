/* fw_tab_slopes.c -- first exits of the chain from a regular polygon: their exponent in beta.
 *
 * One token at each vertex of the regular kappa-gon of radius 1, gamma = .1; a token that picks
 * another leaves its vertex by gamma times a chord, more than the radius .05. So the exit of one
 * token is geometric with
 *
 *   p = s/(1 + s),  s = sum_{j >= 1} e^{-beta (1 - cos(2 pi j/kappa))},
 *
 * and that of any of them with 1 - (1-p)^kappa; the medians are ceil(log .5/log(1-p)) and likewise
 * (fw-tab-exit). They grow like e^{c_0 beta}, c_0 = 1 - cos(2 pi/kappa), twice the exponent that
 * theorem 5.4 guarantees.
 *
 * The median of N runs of a geometric law has a relative error of 1/(log 2 sqrt(N)); the slope of a
 * line through their logarithms at beta = 2, ..., 60 that over sqrt(59 (59^2 - 1)/12), and four of
 * these are allowed.
 */
#include "claim/fw/fw_figures.h"

#include "base/math/cos.h"
#include "base/math/log.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <math.h>
#include <stdio.h>

#define PI 3.14159265358979323846
#define LOG10 2.30258509299404568402
/* Runs escape on the polygon; out is owned by the caller. */
static enum trop_status run_polygon(struct trop_escape **out, const struct trop_case *c,
                                    int64_t kappa, const char *beta, int64_t runs, int64_t dynamics)
{
    struct trop_escape_options o = trop_escape_options_default();

    o.cloud.n = kappa;
    o.cloud.d = 2;
    o.cloud.init = TROP_INIT_POLYGON;
    o.beta = beta;
    o.gamma = .1;
    o.radius = .05;
    o.runs = runs;
    o.dynamics = dynamics;
    o.cloud.seed = trop_sample_seed(c, kappa, dynamics);
    o.threads = c->threads;
    enum trop_status status = trop_escape_create(out, &o);
    return status == TROP_OK ? trop_escape_run(*out, NULL, NULL) : status;
}

/* Natural logarithms of a column at each beta: out (count). */
static enum trop_status take_logs(double *out, const struct trop_escape *escape, const char *name,
                                  int64_t count)
{
    enum trop_status status = TROP_OK;

    for (int64_t k = 0; k < count && status == TROP_OK; k++) {
        status = trop_fw_figures_exit(out + k, escape, name, k);
        out[k] *= LOG10;
    }
    return status;
}

/* ---- exponents ---- */

#define KAPPAS 4
#define ALL 60    /* beta = 1 .. 60 */
#define FITTED 59 /* beta = 2 .. 60, the published range */
#define SHORT 40  /* beta = 1 .. 40 */
#define CURVES 4  /* betas of the survival curves: 10, 20, 40, 60 */
#define POINTS 40

static const double curve_betas[CURVES] = { 10, 20, 40, 60 };

static const struct {
    double fit;               /* of log median of a token, range of beta not said */
    double chain, chain_unit; /* of c_0, beta = 2 .. 60 */
    double flow;              /* of c_0, the deterministic flow */
} slopes[KAPPAS] = { { 1.498, .9998, 1e-4, .977 },
                     { .994, .9994, 1e-4, .971 },
                     { .686, .998, 1e-3, .965 },
                     { .490, .995, 1e-3, .959 } };

static enum trop_status draw_slopes(struct trop_case *c)
{
    enum trop_status status =
        trop_tokens_count(c, "runs", (double)trop_sample_effort(c, 50, 500, 5000), 1, 1e6);

    /* Tests use the triangle only. */
    const double kappas = c->effort == TROP_CASE_TINY ? 1 : KAPPAS;
    return status == TROP_OK ? trop_tokens_count(c, "kappas", kappas, 1, KAPPAS) : status;
}

/* An evenly spaced selection of the known points of a survival curve: out (POINTS, 2), the decimal
 * logarithm of a step and the share inside; NaN after the last. */
static enum trop_status take_curve(double *out, const struct trop_escape *escape, int64_t row)
{
    const struct trop_field *table = trop_escape_field_table();
    struct trop_value steps = { 0 }, shares = { 0 };
    enum trop_status status =
        trop_field_cell(&steps, table, escape, "betas", "survival_log10_steps", row);

    if (status == TROP_OK) {
        status = trop_field_cell(&shares, table, escape, "betas", "survival", row);
    }
    if (status != TROP_OK) {
        return status;
    }
    const int64_t count = steps.kind == TROP_KIND_NUMBERS ? steps.shape[0] : 0;
    for (int64_t k = 0; k < POINTS; k++) {
        const int64_t at = count <= POINTS ? k : k * (count - 1) / (POINTS - 1);
        out[2 * k] = at < count ? steps.numbers[at] : NAN;
        out[2 * k + 1] = at < count ? shares.numbers[2 * at + 1] : NAN;
    }
    return TROP_OK;
}

/* Entries "token", "exact", "median" and "flow" (kappas, ALL): logarithms; and of the triangle
 * "survival" (CURVES, POINTS, 2). */
static enum trop_status work_kappa(struct trop_case *c, int64_t k)
{
    struct trop_escape *chain = NULL, *flow = NULL;
    enum trop_status status =
        run_polygon(&chain, c, k + 3, "1:60", trop_case_integer(c, "runs"), TROP_ESCAPE_CHAIN);

    static const char *const entries[] = { "token", "exact", "median" };
    static const char *const columns[] = { "bound.log10_exact_token", "bound.log10_exact",
                                           "log10_median" };
    for (int64_t e = 0; e < 3 && status == TROP_OK; e++) {
        status = take_logs(trop_case_array(c, entries[e]) + k * ALL, chain, columns[e], ALL);
    }
    for (int64_t curve = 0; k == 0 && curve < CURVES && status == TROP_OK; curve++) {
        status = take_curve(trop_case_array(c, "survival") + curve * POINTS * 2, chain,
                            (int64_t)curve_betas[curve] - 1);
    }
    if (status == TROP_OK) {
        status = run_polygon(&flow, c, k + 3, "1:60", 1, TROP_ESCAPE_FLOW);
    }
    if (status == TROP_OK) {
        status = take_logs(trop_case_array(c, "flow") + k * ALL, flow, "log10_median", ALL);
    }
    trop_escape_free(flow);
    trop_escape_free(chain);
    return status;
}

static enum trop_status work_slopes(struct trop_case *c)
{
    static const char *const names[] = { "token", "exact", "median", "flow" };
    double *unused = NULL;
    enum trop_status status = trop_case_make(&unused, c, "survival", CURVES, POINTS, 2);

    for (int64_t k = 0; k < 4 && status == TROP_OK; k++) {
        status = trop_case_make(&unused, c, names[k], trop_case_integer(c, "kappas"), ALL, 0);
    }
    for (int64_t k = 0; k < trop_case_integer(c, "kappas") && status == TROP_OK; k++) {
        status = work_kappa(c, k);
    }
    return status;
}

static void conclude_kappa(struct trop_judge *judge, const struct trop_case *c, int64_t k)
{
    const double *token = trop_case_array(c, "token") + k * ALL;
    const double *median = trop_case_array(c, "median") + k * ALL;
    const double *exact = trop_case_array(c, "exact") + k * ALL;
    const double *flow = trop_case_array(c, "flow") + k * ALL;
    const double c0 = 1 - trop_cos(2 * PI / (double)(k + 3));
    const double runs = trop_case_number(c, "runs");
    const double all = trop_fw_figures_slope(flow + 1, FITTED) / c0;
    const double late = trop_fw_figures_slope(flow + 3, FITTED - 2) / c0;
    const double first = trop_fw_figures_slope(token, SHORT);
    char line[64];

    snprintf(line, sizeof line, "kappa %lld: slope, beta to 40", (long long)k + 3);
    trop_judge_near(judge, line, -1, first, slopes[k].fit,
                    fabs(first - trop_fw_figures_slope(token + 3, SHORT - 3)) + 5e-4);
    snprintf(line, sizeof line, "kappa %lld: chain, slope/c0", (long long)k + 3);
    trop_judge_near(judge, line, -1, trop_fw_figures_slope(token + 1, FITTED) / c0, slopes[k].chain,
                    slopes[k].chain_unit / 2);
    /* Medians err by 1/(log 2 sqrt(N)), so the slope by that over sqrt(59 (59^2 - 1)/12). */
    snprintf(line, sizeof line, "kappa %lld: runs, slope against the law", (long long)k + 3);
    trop_judge_near(judge, line, -1, trop_fw_figures_slope(median + 1, FITTED),
                    trop_fw_figures_slope(exact + 1, FITTED), 4 / (.6931 * sqrt(runs * 17110)));
    snprintf(line, sizeof line, "kappa %lld: flow, slope/c0", (long long)k + 3);
    trop_judge_near(judge, line, -1, all, slopes[k].flow, fabs(all - late) + 5e-4);
}

static enum trop_status conclude_slopes(struct trop_judge *judge, const struct trop_case *c)
{
    for (int64_t k = 0; k < KAPPAS && k < trop_case_size(c, "token", 0); k++) {
        conclude_kappa(judge, c, k);
    }
    return TROP_OK;
}

/* ---- the picture: survival curves, and medians against beta ---- */

static void draw_survival(struct trop_panel *panel, const struct trop_case *c)
{
    const double *survival = trop_case_array(c, "survival");
    double x[POINTS], y[POINTS];
    char legend[32];

    trop_panel_title(panel, "triangle");
    trop_panel_x(panel, "log₁₀ of the step", TROP_SCALE_LINEAR);
    trop_panel_y(panel, "share of runs inside", TROP_SCALE_LINEAR);
    trop_panel_range_y(panel, 0, 1.02);
    for (int64_t k = 0; k < CURVES; k++) {
        for (int64_t p = 0; p < POINTS; p++) {
            x[p] = survival[(k * POINTS + p) * 2];
            y[p] = survival[(k * POINTS + p) * 2 + 1];
        }
        snprintf(legend, sizeof legend, "β = %.0f", curve_betas[k]);
        trop_panel_stairs(panel, x, y, POINTS, trop_figure_pen(k), legend);
    }
}

static void draw_medians(struct trop_panel *panel, const struct trop_case *c)
{
    double beta[ALL], chain[ALL], law[ALL];
    char legend[32];

    trop_panel_title(panel, "median exit: runs, and the law (lines)");
    trop_panel_x(panel, "β", TROP_SCALE_LINEAR);
    trop_panel_y(panel, "log₁₀ of the step", TROP_SCALE_LINEAR);
    for (int64_t k = 0; k < trop_case_size(c, "median", 0); k++) {
        struct trop_dot dot = trop_figure_dot(k);
        for (int64_t b = 0; b < ALL; b++) {
            beta[b] = (double)b + 1;
            chain[b] = trop_case_array(c, "median")[k * ALL + b] / LOG10;
            law[b] = trop_case_array(c, "exact")[k * ALL + b] / LOG10;
        }
        snprintf(legend, sizeof legend, "κ = %lld", (long long)k + 3);
        dot.size = 3;
        trop_panel_line(panel, beta, law, ALL, trop_figure_pen(k), NULL);
        trop_panel_dots(panel, beta, chain, ALL, dot, legend);
    }
}

static enum trop_status picture_slopes(struct trop_figure *figure, const struct trop_case *c)
{
    trop_figure_grid(figure, 1, 2);
    draw_survival(trop_figure_panel(figure, 0, 0), c);
    draw_medians(trop_figure_panel(figure, 0, 1), c);
    return TROP_OK;
}

/* ---- hypotheses, and ways to be wrong ---- */

/* The law is known where every group is a point and one crossing is an exit. */
static enum trop_status geometric(struct trop_judge *judge, const struct trop_case *c)
{
    const double *exact = trop_case_array(c, "exact");
    const int64_t count = trop_case_size(c, "exact", 0) * ALL;
    int all = 1;

    for (int64_t k = 0; k < count; k++) {
        all = all && isfinite(exact[k]);
    }
    trop_judge_truth(judge, "the law of the exit is known", -1, all);
    return TROP_OK;
}

static enum trop_status unknown_law(struct trop_case *c)
{
    trop_case_array(c, "exact")[0] = NAN;
    return TROP_OK;
}

/* Every median of the runs of the triangle is e^(beta/50) too large, and so is the flow's: 3% in
 * the slope. */
static enum trop_status steeper(struct trop_case *c)
{
    double *median = trop_case_array(c, "median");

    for (int64_t k = 0; k < ALL; k++) {
        median[k] += .02 * (double)k;
    }
    return TROP_OK;
}

static enum trop_status another_polygon(struct trop_case *c)
{
    double *token = trop_case_array(c, "token");

    for (int64_t k = 0; k < ALL; k++) {
        token[k] = trop_fw_figures_log_median(trop_fw_figures_crossing(4, (double)k + 1), 1);
    }
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "enough-runs", "at least 20 runs of the chain", trop_sample_enough, 0 },
    { "geometric", "groups are points and one crossing is an exit", geometric, 1 },
    { 0 },
};

static const struct trop_spoil slope_spoils[] = {
    { "medians of the runs are e^(beta/50) too large", NULL, steeper },
    { "the law of the square stands for that of the triangle", NULL, another_polygon },
    { "5 runs", "enough-runs", trop_sample_too_few },
    { "the law of one beta is not known", "geometric", unknown_law },
    { 0 },
};

static const struct trop_input slope_inputs[] = {
    { "runs", "", "of the chain at each beta" },
    { "kappas", "", "polygons from the triangle on, at most 4" },
    { 0 },
};

const struct trop_claim trop_fw_tab_slopes = {
    .id = "fw-tab-slopes",
    .title = "exits take e^(c0 beta) steps",
    .statement = "The logarithm of the median exit time from a regular polygon grows with beta at "
                 "the rate 1 - cos(2 pi/kappa), kappa = 3 to 6, twice what theorem 5.4 guarantees.",
    .status = TROP_CLAIM_MEASURED,
    .remark = "The range of beta of the first fit and of the flow's is not said: what leaving out "
              "the smallest betas changes is allowed. The flow's are lower by its factor 1/beta.",
    .old_inputs = slope_inputs,
    .hypotheses = hypotheses,
    .old_draw = draw_slopes,
    .old_work = work_slopes,
    .old_conclude = conclude_slopes,
    .old_picture = picture_slopes,
    .spoils = slope_spoils,
    .trials = 1,
    .width = 520,
    .height = 240,
};
