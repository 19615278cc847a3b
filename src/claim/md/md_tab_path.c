/* md_tab_path.c -- divergences along the lp regularisation path (mirror-descent paper, data of seed
 * 1, p = 1.75 and 2, R = 10 to 1000).
 *
 * To half a unit of the last published digit, and 2% of that. One number differs: for p = 2 and R =
 * 1000 it is 1.86e-5, and ours is 1.8546e-5, which rounds to 1.85e-5. Ours is right: the minimum of
 * the saturated loss, a convex problem, has the same direction to 2e-6 (tests/learn/test_path.c),
 * and D is then known to 4 digits. That is what is compared; 1.86e-5 stands beside.
 */
#include "claim/md/md_tables.h"

#include "claim/tokens.h"

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

static void draw(struct trop_case *c)
{
    trop_md_table_draw(c);
    trop_tokens_count(c, "count", c->effort == TROP_CASE_TINY ? 3 : 7, 1, RADII);
}

/* The paths "path0" and "path1" (count, 100), and the tokens that they select. */
static void follow(struct trop_case *c, int64_t k)
{
    const int is_whole = trop_case_integer(c, "count") == RADII;
    const char *radius = is_whole ? "10,20,50,100,200,500,1000" : "10,20,50";

    trop_case_radii(c, k ? "weights=path1 alpha=path1_alpha" : "weights=path0 alpha=path0_alpha",
                    "p=%g radius=%s", exponents[k], radius);
}

static void work(struct trop_case *c)
{
    trop_case_side_by_side(c, PATHS, follow);
    trop_md_table_solutions(c, exponents, PATHS);
}

static void has_radii(struct trop_judge *judge, const struct trop_case *c)
{
    const double count = trop_case_number(c, "count");

    trop_judge_truth(judge, "three radii or all seven", -1, count == 3 || count == RADII);
}

static void is_best(struct trop_judge *judge, const struct trop_case *c)
{
    trop_md_is_selected(judge, c, "path0_alpha");
    trop_md_is_selected(judge, c, "path1_alpha");
}

static double divergence_at(const struct trop_case *c, int64_t k, int64_t row)
{
    const struct trop_view path = trop_md_table_view(c, "path%d", k);

    return trop_md_direction(trop_md_table_view(c, "mm%d", k).at, trop_case_view_row(path, row),
                             100, exponents[k]);
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    for (int64_t k = 0; k < PATHS; k++) {
        for (int64_t row = 0; row < trop_case_integer(c, "count"); row++) {
            const char *line =
                trop_judge_name(judge, "p = %g, R = %g: divergence", exponents[k], radii[row]);
            const double found = divergence_at(c, k, row);
            if (k == 1 && row == RADII - 1) {
                trop_judge_beside(judge, line, found, published[k][row]);
                trop_judge_near(judge, "p = 2, R = 1000: divergence, corrected", 1000, found,
                                1.8546e-5, 5.1e-10);
            } else {
                trop_judge_near(judge, line, (int64_t)radii[row], found, published[k][row],
                                .51 * units[k][row]);
            }
        }
    }
}

static void picture(struct trop_figure *figure, const struct trop_case *c)
{
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    const int64_t count = trop_case_integer(c, "count"), half = count / 2;
    double y[RADII], slope[RADII];

    trop_panel_x(panel, "radius R", TROP_SCALE_LOG);
    trop_panel_y(panel, "divergence D", TROP_SCALE_LOG);
    for (int64_t k = 0; k < PATHS; k++) {
        for (int64_t row = 0; row < count; row++) {
            y[row] = divergence_at(c, k, row);
        }
        trop_panel_line(panel, radii, y, count, trop_figure_pen(k), k ? "p = 2" : "p = 1.75");
        trop_panel_dots(panel, radii, published[k], count, trop_md_table_published(7),
                        k ? "published" : NULL);
    }
    for (int64_t row = 0; row < count; row++) {
        slope[row] =
            4 * y[count - 1] * radii[count - 1] * radii[count - 1] / (radii[row] * radii[row]);
    }
    trop_panel_line(panel, radii + half, slope + half, count - half,
                    (struct trop_pen){ .colour = TROP_COLOUR_GREY, .dash = 2 }, "slope -2");
}

const struct trop_claim trop_md_tab_path = {
    .id = "md-tab-path",
    .title = "divergences along the regularisation path",
    .statement = "On the paper's data with seed 1 the lp regularisation paths of p = 1.75 and 2 "
                 "have these divergences from the max-margin solution at R = 10 to 1000.",
    .status = TROP_CLAIM_MEASURED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "Numbers of an independent program, all but one to half a unit of the last digit: "
              "for p = 2 and R = 1000 its 1.86e-5 should be 1.8546e-5, by an independent convex "
              "problem, with which ours is compared.",
    .inputs = "X y v z count",
    .hypotheses = TROP_HYPOTHESES(
        TROP_MD_TABLE_PUBLISHED,
        { "radii", "three radii, or all of the table", .judge = has_radii, .broken = "four radii",
          .edit = "count = 4" },
        { "best-selected", "the path selects the best tokens", .judge = is_best, .late = 1,
          .broken = "another token of input 0 is selected", .edit = "path1_alpha[-1,0] = 0" }),
    .run = { draw, work, conclude, picture },
    .spoils = TROP_SPOILS({ "the path of p = 1.76 for that of 1.75", NULL }),
};
