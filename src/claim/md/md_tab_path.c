/* md_tab_path.c -- divergences along the lp regularisation path (mirror-descent paper, data of seed
 * 1, p = 1.75 and 2, R = 10 to 1000).
 *
 * To half a unit of the last published digit, and 2% of that. One number differs: for p = 2 and R =
 * 1000 it is 1.86e-5, and ours is 1.8546e-5, which rounds to 1.85e-5. Ours is right: the minimum of
 * the saturated loss, a convex problem, has the same direction to 2e-6 (tests/learn/test_path.c),
 * and D is then known to 4 digits. A line of its own compares with that.
 */
#include "claim/md/md_tables.h"

#include "claim/tokens.h"

#include <math.h>
#include <stdio.h>

#define RADII 7
#define PATHS 2

static const double radii[RADII] = { 10, 20, 50, 100, 200, 500, 1000 };
static const double exponents[PATHS] = { 1.75, 2 };
static const double published[PATHS][RADII] = {
    { .126, .0479, .0105, 2.57e-3, 5.68e-4, 8.76e-5, 2.26e-5 },
    { .0836, .0309, 6.54e-3, 1.74e-3, 4.56e-4, 7.41e-5, 1.86e-5 },
};
static const double units[PATHS][RADII] = {
    { 1e-3, 1e-4, 1e-4, 1e-5, 1e-6, 1e-7, 1e-7 },
    { 1e-4, 1e-4, 1e-5, 1e-5, 1e-6, 1e-7, 1e-7 },
};

static enum trop_status draw(struct trop_case *c)
{
    const enum trop_status status = trop_md_table_data(c);

    return status == TROP_OK
               ? trop_tokens_count(c, "count", c->effort == TROP_CASE_TINY ? 3 : 7, 1, RADII)
               : status;
}

/* The path of exponents[k] with loss, "path0" and "path1" (count, 100). */
static enum trop_status follow(struct trop_case *c, int64_t k, double p)
{
    struct trop_path_options o = trop_path_options_default();
    const int64_t count = trop_case_integer(c, "count");
    char name[16];
    double *kept = NULL;

    o.p = p;
    o.radius = count < RADII ? "10,20,50" : "10,20,50,100,200,500,1000";
    enum trop_status status = trop_md_path(c, &o);
    snprintf(name, sizeof name, "path%d", (int)k);
    if (status == TROP_OK) {
        status = trop_case_make(&kept, c, name, count, 100, 0);
    }
    for (int64_t e = 0; status == TROP_OK && e < count * 100; e++) {
        kept[e] = trop_case_array(c, "path")[e];
    }
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    enum trop_status status = TROP_OK;

    for (int64_t k = 0; k < PATHS && status == TROP_OK; k++) {
        status = follow(c, k, exponents[k]);
    }
    return status == TROP_OK ? trop_md_table_solve(c, exponents, PATHS) : status;
}

static enum trop_status has_radii(struct trop_judge *judge, const struct trop_case *c)
{
    const double count = trop_case_number(c, "count");

    trop_judge_truth(judge, "three radii or all seven", -1, count == 3 || count == RADII);
    return TROP_OK;
}

static enum trop_status is_best(struct trop_judge *judge, const struct trop_case *c)
{
    const double *alpha = trop_case_array(c, "path_alpha"), *best = trop_case_array(c, "alpha");

    for (int64_t i = 0; i < trop_case_size(c, "path_alpha", 0); i++) {
        trop_judge_truth(judge, "the best token is selected", -1, alpha[i] == best[i]);
    }
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    TROP_MD_TABLE_PUBLISHED,
    { "radii", "three radii, or all of the table", has_radii, 0 },
    { "best-selected", "the path selects the best tokens", is_best, 1 },
    { 0 },
};

static double divergence_at(const struct trop_case *c, int64_t k, int64_t row)
{
    char path[16], solution[16];

    snprintf(path, sizeof path, "path%d", (int)k);
    snprintf(solution, sizeof solution, "mm%d", (int)k);
    return trop_md_direction(trop_case_array(c, solution), trop_case_array(c, path) + row * 100,
                             100, exponents[k]);
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t count = trop_case_integer(c, "count");
    char name[64];

    for (int64_t k = 0; k < PATHS; k++) {
        for (int64_t row = 0; row < count; row++) {
            snprintf(name, sizeof name, "p = %g, R = %g: divergence", exponents[k], radii[row]);
            trop_judge_near(judge, name, (int64_t)radii[row], divergence_at(c, k, row),
                            published[k][row], .51 * units[k][row]);
        }
    }
    if (count == RADII) {
        trop_judge_near(judge, "p = 2, R = 1000: divergence, corrected", 1000,
                        divergence_at(c, 1, RADII - 1), 1.8546e-5, 5.1e-10);
    }
    return TROP_OK;
}

static enum trop_status other_path(struct trop_case *c)
{
    return follow(c, 0, 1.76);
}

static enum trop_status other_radii(struct trop_case *c)
{
    return trop_case_put(c, "count", 4);
}

static enum trop_status other_token(struct trop_case *c)
{
    trop_case_array(c, "path_alpha")[0] = 0;
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "the path of p = 1.76 for that of 1.75", NULL, other_path },
    { "the last input left out", "published-data", trop_md_table_spoil_data },
    { "four radii", "radii", other_radii },
    { "another token of input 0 is selected", "best-selected", other_token },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "X", "(n, T, d)", "tokens" },
    { "y", "(n)", "labels" },
    { "v", "(d)", "decoder" },
    { "z", "(n, d)", "queries" },
    { "count", "", "of radii: 3, or 7 for all" },
    { 0 },
};

static enum trop_status picture(struct trop_figure *figure, const struct trop_case *c)
{
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    const int64_t count = trop_case_integer(c, "count");
    double slope[RADII];

    trop_panel_x(panel, "radius R", TROP_SCALE_LOG);
    trop_panel_y(panel, "divergence D", TROP_SCALE_LOG);
    for (int64_t k = 0; k < PATHS; k++) {
        double y[RADII];
        for (int64_t row = 0; row < count; row++) {
            y[row] = divergence_at(c, k, row);
            slope[row] =
                4 * y[count - 1] * radii[count - 1] * radii[count - 1] / (radii[row] * radii[row]);
        }
        trop_panel_line(panel, radii, y, count, trop_figure_pen(k), k ? "p = 2" : "p = 1.75");
        trop_panel_dots(
            panel, radii, published[k], count,
            (struct trop_dot){ .colour = TROP_COLOUR_BLACK, .mark = TROP_MARK_CIRCLE, .size = 7 },
            k ? "published" : NULL);
    }
    trop_panel_line(panel, radii + count / 2, slope + count / 2, count - count / 2,
                    (struct trop_pen){ .colour = TROP_COLOUR_GREY, .dash = 2 }, "slope -2");
    return TROP_OK;
}

const struct trop_claim trop_md_tab_path = {
    .id = "md-tab-path",
    .title = "divergences along the regularisation path",
    .statement = "On the paper's data with seed 1 the lp regularisation paths of p = 1.75 and 2 "
                 "have these divergences from the max-margin solution at R = 10 to 1000.",
    .status = TROP_CLAIM_ARTIFACT,
    .remark = "Numbers of an independent program, all but one to half a unit of the last digit: "
              "for p = 2 and R = 1000 its "
              "1.86e-5 should be 1.8546e-5, by an independent convex problem.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .old_picture = picture,
    .spoils = spoils,
    .trials = 1,
};
