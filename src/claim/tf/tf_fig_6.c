/* tf_fig_6.c -- how often training selects the best tokens, for n, T and d (figure 6).
 *
 * (a) T = 5, n = 5, 10, 20; (b) n = 5, T = 5, 10, 20; d = 5 .. 30; 500 instances each, whose best
 * tokens lead by a score of .1. Curves: n = 5, n = 10, n = 20, T = 10, T = 20. Runs of 1000 steps,
 * of which the selection counts, as it does not change later. Allowance: four standard deviations
 * of the difference of two shares, theirs of 500.
 */
#include "claim/tf/tf_figures.h"

#include "base/alloc.h"
#include "base/status.h"

#include <stdio.h>

#define SIZES 6
#define CURVES 5
#define THEIRS 500

static const double sizes[SIZES] = { 5, 10, 15, 20, 25, 30 };
static const struct {
    int64_t n, T;
    const char *name;
    double w[SIZES], kq[SIZES];
} curves[CURVES] = {
    { 5, 5, "n = 5, T = 5", { .784, .966, 1, .998, 1, 1 }, { .786, .960, .980, .994, 1, 1 } },
    { 10,
      5,
      "n = 10, T = 5",
      { .288, .800, .958, .994, 1, 1 },
      { .274, .772, .908, .978, .994, .998 } },
    { 20,
      5,
      "n = 20, T = 5",
      { .004, .254, .680, .936, .984, .996 },
      { .008, .190, .574, .794, .908, .962 } },
    { 5,
      10,
      "n = 5, T = 10",
      { .596, .836, .938, .982, .986, .998 },
      { .732, .884, .946, .974, .984, .990 } },
    { 5,
      20,
      "n = 5, T = 20",
      { .606, .719, .854, .898, .948, .976 },
      { .794, .902, .944, .952, .980, .984 } },
};

static enum trop_status draw(struct trop_case *c)
{
    static const double runs[3] = { 6, 16, 200 }, dims[3] = { 1, 3, 6 };

    return trop_tf_figures_sizes(c, runs, dims);
}

/* "W" and "KQ" (curves, dims): shares. */
static enum trop_status work_model(struct trop_case *c, int64_t kq)
{
    const int64_t runs = trop_case_integer(c, "runs");
    /* Runs of K and Q take longer: at small effort up to d = 10 only. */
    const int64_t wanted = trop_case_integer(c, "dims");
    const int64_t dims = kq && c->effort != TROP_CASE_FULL && wanted > 2 ? 2 : wanted;
    struct trop_tf_runs_result *results = trop_alloc(runs, sizeof *results);
    double *out = NULL;
    enum trop_status status = trop_case_make(&out, c, kq ? "KQ" : "W", CURVES, dims, 0);

    if (!results) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld runs", (long long)runs);
    }
    for (int64_t k = 0; status == TROP_OK && k < CURVES * dims; k++) {
        const struct trop_tf_runs kind = { .n = curves[k / dims].n,
                                           .T = curves[k / dims].T,
                                           .d = (int64_t)sizes[k % dims],
                                           .kq = kq,
                                           .steps = c->effort == TROP_CASE_TINY ? 500 : 1000,
                                           .first = 1,
                                           .least_gap = .1,
                                           .selection_only = 1 };
        trop_tf_runs(results, &kind, runs, c->threads);
        status = trop_tf_figures_status(results, runs);
        for (int64_t run = 0; run < runs; run++) {
            out[k] += (double)results[run].best / (double)runs;
        }
    }
    trop_alloc_free(results);
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    enum trop_status status = work_model(c, 0);

    return status == TROP_OK ? work_model(c, 1) : status;
}

static void conclude_model(struct trop_judge *judge, const struct trop_case *c, int64_t kq)
{
    const int64_t dims = trop_case_size(c, kq ? "KQ" : "W", 1);
    char name[64];

    for (int64_t k = 0; k < CURVES * dims; k++) {
        const double theirs = kq ? curves[k / dims].kq[k % dims] : curves[k / dims].w[k % dims];
        snprintf(name, sizeof name, "%s, %s, d = %g: share of best", kq ? "K, Q" : "W",
                 curves[k / dims].name, sizes[k % dims]);
        trop_judge_near(judge, name, -1, trop_case_array(c, kq ? "KQ" : "W")[k], theirs,
                        trop_tf_runs_share_error(theirs, trop_case_number(c, "runs"), THEIRS));
    }
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    conclude_model(judge, c, 0);
    conclude_model(judge, c, 1);
    return TROP_OK;
}

/* ---- picture: our curves, their numbers as dots ---- */

static void draw_curve(struct trop_panel *panel, const struct trop_case *c, int64_t kq,
                       int64_t curve, int64_t colour)
{
    const int64_t dims = trop_case_size(c, kq ? "KQ" : "W", 1);

    trop_panel_line(panel, sizes, trop_case_array(c, kq ? "KQ" : "W") + curve * dims, dims,
                    (struct trop_pen){ .colour = colour, .width = 1.5, .dash = colour },
                    curves[curve].name);
    trop_panel_dots(panel, sizes, kq ? curves[curve].kq : curves[curve].w, SIZES,
                    (struct trop_dot){ .colour = colour, .mark = colour },
                    colour == 0 ? "published" : NULL);
}

static enum trop_status picture(struct trop_figure *figure, const struct trop_case *c)
{
    static const int64_t shown[2][3] = { { 0, 1, 2 }, { 0, 3, 4 } };
    static const char *const titles[4] = { "(a) W", "(a) K, Q", "(b) W", "(b) K, Q" };

    trop_figure_grid(figure, 2, 2);
    for (int64_t k = 0; k < 4; k++) {
        struct trop_panel *panel = trop_figure_panel(figure, k / 2, k % 2);
        trop_panel_title(panel, titles[k]);
        trop_panel_x(panel, "dimension d", TROP_SCALE_LINEAR);
        trop_panel_y(panel, "share of best selections", TROP_SCALE_LINEAR);
        trop_panel_range_y(panel, -.03, 1.05);
        for (int64_t curve = 0; curve < 3; curve++) {
            draw_curve(panel, c, k % 2, shown[k / 2][curve], curve);
        }
    }
    return TROP_OK;
}

static enum trop_status shift(struct trop_case *c)
{
    trop_case_array(c, "W")[2 * trop_case_size(c, "W", 1)] = 1;
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "every run of n = 20, T = d = 5 selects the best", NULL, shift },
    { "a single run", "enough-runs", trop_tf_figures_few },
    { 0 },
};

static const struct trop_hypothesis hypotheses[] = {
    { "enough-runs", "at least five runs", trop_tf_figures_enough, 0 },
    { 0 },
};

const struct trop_claim trop_tf_fig_6 = {
    .id = "tf-fig-6",
    .title = "shares of global limits for n, T and d",
    .statement =
        "The share of runs that select the best token of every input grows with the dimension "
        "d and falls with the number of inputs n and of tokens T, for W as for K and Q.",
    .status = TROP_CLAIM_MEASURED,
    .remark = "Runs of 1000 steps, a number that is not printed; selections hardly change later.",
    .old_inputs = trop_tf_figures_inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .old_picture = picture,
    .spoils = spoils,
    .trials = 1,
    .width = 640,
    .height = 480,
};
