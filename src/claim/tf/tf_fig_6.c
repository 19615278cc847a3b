/* tf_fig_6.c -- how often training selects the best tokens, for n, T and d (figure 6).
 *
 * (a) T = 5, n = 5, 10, 20; (b) n = 5, T = 5, 10, 20; d = 5 .. 30; 500 instances each, whose best
 * tokens lead by a score of .1. Curves: n = 5, n = 10, n = 20, T = 10, T = 20. Runs of 1000 steps,
 * of which the selection counts, as it does not change later; K and Q with the authors' weight
 * decay (tf-fig-7). Allowance: four standard deviations of the difference of two shares, theirs of
 * 500.
 */
#include "claim/tf/tf_figures.h"

#define SIZES 6
#define CURVES 5

static const double sizes[SIZES] = { 5, 10, 15, 20, 25, 30 };
static const struct {
    int64_t n, T;
    const char *name;
    double published[2][SIZES]; /* of W, of K and Q */
} curves[CURVES] = {
    { 5, 5, "n = 5, T = 5", { { .784, .966, 1, .998, 1, 1 }, { .786, .960, .980, .994, 1, 1 } } },
    { 10,
      5,
      "n = 10, T = 5",
      { { .288, .800, .958, .994, 1, 1 }, { .274, .772, .908, .978, .994, .998 } } },
    { 20,
      5,
      "n = 20, T = 5",
      { { .004, .254, .680, .936, .984, .996 }, { .008, .190, .574, .794, .908, .962 } } },
    { 5,
      10,
      "n = 5, T = 10",
      { { .596, .836, .938, .982, .986, .998 }, { .732, .884, .946, .974, .984, .990 } } },
    { 5,
      20,
      "n = 5, T = 20",
      { { .606, .719, .854, .898, .948, .976 }, { .794, .902, .944, .952, .980, .984 } } },
};
static const char *const entries[] = { "W", "KQ" }, *const models[] = { "W", "K, Q" };

/* ---- work: "W" and "KQ" (dims CURVES, runs, 1), 1 where the best tokens are selected ---- */

static void measure(double *out, const struct trop_case *c, int64_t row, int64_t run,
                    const char *more)
{
    struct trop_case *own = trop_tf_runs_data(c, curves[row % CURVES].n, curves[row % CURVES].T,
                                              (int64_t)sizes[row / CURVES], 1 + run, .1);
    const struct trop_train *train =
        trop_tf_runs_train(own, c->effort == TROP_CASE_TINY ? 500 : 1000, more);

    out[0] = trop_tf_runs_end(own, train).best;
}

static void one_w(double *out, const struct trop_case *c, int64_t row, int64_t run)
{
    measure(out, c, row, run, "model=cross");
}

static void one_kq(double *out, const struct trop_case *c, int64_t row, int64_t run)
{
    measure(out, c, row, run, "model=kq" TROP_TF_RUNS_DECAY);
}

static void work(struct trop_case *c)
{
    const int64_t runs = trop_case_integer(c, "runs"), dims = trop_case_integer(c, "dims");

    trop_sample_runs(c, "W", CURVES * dims, runs, 1, one_w);
    /* Runs of K and Q take longer: at small effort up to d = 10 only. */
    trop_sample_runs(c, "KQ", CURVES * (c->effort != TROP_CASE_FULL && dims > 2 ? 2 : dims), runs,
                     1, one_kq);
}

static const struct trop_table table = { .runs = { 6, 16, 200 },
                                         .rows_entry = "dims",
                                         .rows = { 1, 3, SIZES } };

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    for (int64_t kq = 0; kq < 2; kq++) {
        const int64_t dims = trop_case_size(c, entries[kq], 0) / CURVES;
        for (int64_t k = 0; k < CURVES * dims; k++) {
            const int64_t curve = k / dims, at = k % dims;
            trop_tf_runs_share(
                judge,
                trop_judge_name(judge, "%s, %s, d = %g: share of best", models[kq],
                                curves[curve].name, sizes[at]),
                c, entries[kq], at * CURVES + curve, 0,
                (struct trop_sample_published){ curves[curve].published[kq][at], 500, 1, 0 });
        }
    }
}

/* ---- picture: our curves, their numbers as dots ---- */

static void draw_curve(struct trop_panel *panel, const struct trop_case *c, int64_t kq,
                       int64_t curve, int64_t colour)
{
    const int64_t dims = trop_case_size(c, entries[kq], 0) / CURVES;
    double y[SIZES];

    for (int64_t at = 0; at < dims; at++) {
        y[at] = trop_tf_runs_share_of(c, entries[kq], at * CURVES + curve, 0, 1);
    }
    trop_panel_line(panel, sizes, y, dims,
                    (struct trop_pen){ .colour = colour, .width = 1.5, .dash = colour },
                    curves[curve].name);
    trop_panel_dots(panel, sizes, curves[curve].published[kq], SIZES,
                    (struct trop_dot){ .colour = colour, .mark = colour },
                    colour == 0 ? "published" : NULL);
}

static void picture(struct trop_figure *figure, const struct trop_case *c)
{
    static const int64_t shown[2][3] = { { 0, 1, 2 }, { 0, 3, 4 } };
    static const char *const titles[4] = { "(a) W", "(a) K, Q", "(b) W", "(b) K, Q" };

    trop_figure_grid(figure, 2, 2);
    for (int64_t k = 0; k < 4; k++) {
        struct trop_panel *panel = trop_figure_axes(figure, k / 2, k % 2, titles[k], "dimension d",
                                                    "share of best selections");
        trop_panel_range_y(panel, -.03, 1.05);
        for (int64_t curve = 0; curve < 3; curve++) {
            draw_curve(panel, c, k % 2, shown[k / 2][curve], curve);
        }
    }
}

static const struct trop_hypothesis hypotheses[] = { TROP_SAMPLE_FIVE("at least five runs"),
                                                     { 0 } };

static const struct trop_spoil spoils[] = {
    { "every run of n = 20, T = d = 5 selects the best", .edit = "W[2] = 1" },
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
    .inputs = "runs dims",
    .hypotheses = hypotheses,
    .table = &table,
    .run = { .work = work, .conclude = conclude, .picture = picture },
    .spoils = spoils,
    .trials = 1,
    .size = { 640, 480 },
};
