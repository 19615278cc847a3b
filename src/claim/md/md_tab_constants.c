/* md_tab_constants.c -- the constants of lemma 13 (mirror-descent paper).
 *
 * c_p = inf over y of f(y) = |y + 1|^p/p - |y|^p/p - sgn(y) |y|^(p-1), by golden section. Beside
 * the published digits stand facts that need no table: c_2 = 1/2, since f is 1/2 everywhere, c_4 =
 * 1/12, c_p >= 1/(p 2^p), and no grid of points finds a smaller value.
 */
#include "claim/md/md_tables.h"

#include "base/math/pow.h"

#include <math.h>

#define COUNT 7
#define GRID 4000

static const double exponents[COUNT] = { 2, 2.5, 3, 4, 6, 8, 10 };
static const double published[COUNT] = { .5, .3072, .1953, .08333, .01688, .003655, .000819 };
static const double halves[COUNT] = { 5e-2, 5e-5, 5e-5, 5e-6, 5e-6, 5e-7, 5e-7 };

static enum trop_status draw(struct trop_case *c)
{
    double *p = NULL;

    if (trop_case_has(c, "exponents")) {
        return TROP_OK;
    }
    const enum trop_status status = trop_case_make(&p, c, "exponents", COUNT, 0, 0);
    for (int64_t k = 0; status == TROP_OK && k < COUNT; k++) {
        p[k] = exponents[k];
    }
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    const int64_t count = trop_case_size(c, "exponents", 0);
    double *constants = NULL;
    const enum trop_status status = trop_case_make(&constants, c, "constants", count, 0, 0);

    for (int64_t k = 0; status == TROP_OK && k < count; k++) {
        constants[k] = trop_md_constant(trop_case_array(c, "exponents")[k]);
    }
    return status;
}

static enum trop_status is_large(struct trop_judge *judge, const struct trop_case *c)
{
    for (int64_t k = 0; k < trop_case_size(c, "exponents", 0); k++) {
        trop_judge_at_least(judge, "an exponent", -1, trop_case_array(c, "exponents")[k], 2, 0);
    }
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "p-from-2", "every exponent is at least 2", is_large, 0 },
    { 0 },
};

/* Least value of f on a grid over [-3, 3]. */
static double grid_least(double p)
{
    double least = INFINITY;

    for (int64_t k = 0; k <= GRID; k++) {
        const double y = -3 + 6 * (double)k / GRID;
        const double a = y + 1;
        const double f = (a == 0 ? 0 : trop_pow(fabs(a), p) / p) -
                         (y == 0 ? 0 : trop_pow(fabs(y), p) / p) - trop_md_signed(y, p - 1);
        least = fmin(least, f);
    }
    return least;
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *p = trop_case_array(c, "exponents"), *got = trop_case_array(c, "constants");
    char name[64];

    for (int64_t k = 0; k < trop_case_size(c, "exponents", 0); k++) {
        trop_md_table_name(name, p[k], "constant");
        for (int64_t row = 0; row < COUNT; row++) {
            if (p[k] == exponents[row]) {
                trop_judge_near(judge, name, -1, got[k], published[row], 1.02 * halves[row]);
            }
        }
        trop_judge_at_most(judge, "constant against a grid", -1, got[k], grid_least(p[k]), 1e-12);
        trop_judge_at_least(judge, "constant against 1/(p 2^p)", -1, got[k],
                            trop_pow(2, -p[k]) / p[k], 0);
        if (p[k] == 2 || p[k] == 4) {
            trop_judge_near(judge, "constant in closed form", -1, got[k], p[k] == 2 ? .5 : 1. / 12,
                            1e-14);
        }
    }
    return TROP_OK;
}

static enum trop_status larger(struct trop_case *c)
{
    trop_case_array(c, "constants")[2] *= 1 + 1e-5;
    return TROP_OK;
}

static enum trop_status small_exponent(struct trop_case *c)
{
    trop_case_array(c, "exponents")[0] = 1.5;
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "c_3 larger by 1e-5 of it", NULL, larger },
    { "an exponent 1.5", "p-from-2", small_exponent },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "exponents", "(count)", "p, each at least 2" },
    { 0 },
};

static enum trop_status picture(struct trop_figure *figure, const struct trop_case *c)
{
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    const double *p = trop_case_array(c, "exponents");
    const int64_t count = trop_case_size(c, "exponents", 0);
    double x[64], bound[64];

    for (int64_t k = 0; k < 64; k++) {
        x[k] = 2 + 8 * (double)k / 63;
        bound[k] = trop_pow(2, -x[k]) / x[k];
    }
    trop_panel_x(panel, "p", TROP_SCALE_LINEAR);
    trop_panel_y(panel, "constant", TROP_SCALE_LOG);
    trop_panel_line(panel, x, bound, 64, trop_figure_pen(1), "1/(p 2ᵖ)");
    trop_panel_dots(
        panel, exponents, published, COUNT,
        (struct trop_dot){ .colour = TROP_COLOUR_BLACK, .mark = TROP_MARK_CIRCLE, .size = 9 },
        "published");
    trop_panel_dots(panel, p, trop_case_array(c, "constants"), count, trop_figure_dot(0), "cₚ");
    return TROP_OK;
}

const struct trop_claim trop_md_tab_constants = {
    .id = "md-tab-constants",
    .title = "constants of lemma 13",
    .statement = "The largest c with D_psi(A, B) >= c |A - B|_p^p for all A and B has these "
                 "values for p = 2 to 10, and is at least 1/(p 2^p).",
    .status = TROP_CLAIM_MEASURED,
    .remark = "Numbers of an independent program.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .old_picture = picture,
    .spoils = spoils,
    .trials = 1,
};
