/* fw_beta_judge.c -- hypotheses that several claims at finite beta have, and ways to break them.
 *
 * Products of coordinates of points of norm R are known to (d + 2) u R^2 each: blur is the
 * allowance of differences of a few of them, for vertices that were placed with rounding.
 */
#include "claim/fw/fw_beta.h"

#include "base/math/cos.h"
#include "claim/case_work.h"
#include "claim/tokens.h"

#include <float.h>
#include <math.h>

#define TURN 0x1.921fb54442d18p+2 /* 2 pi */

static double blur(const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double radius = trop_tokens_radius(trop_case_array(c, "tokens"), n, d);

    return 8 * (double)(d + 2) * DBL_EPSILON * radius * radius;
}

/* ---- numbers ---- */

void trop_fw_beta_assume_step_size(struct trop_judge *judge, const struct trop_case *c)
{
    const double gamma = trop_case_number(c, "gamma");

    trop_judge_truth(judge, "gamma > 0", -1, gamma > 0);
    trop_judge_at_most(judge, "gamma", -1, gamma, 1, 0);
}

void trop_fw_beta_assume_positive(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "beta > 0", -1, trop_case_number(c, "beta") > 0);
}

void trop_fw_beta_assume_not_negative(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "beta", -1, trop_case_number(c, "beta"), 0, 0);
}

void trop_fw_beta_assume_complete(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_most(judge, "runs without exit", -1, trop_case_number(c, "open"), 0, 0);
}

/* ---- vertices ---- */

void trop_fw_beta_assume_acute(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens");
    const int64_t d = trop_case_size(c, "tokens", 1), kappa = trop_case_integer(c, "kappa");

    for (int64_t i = 0; i < kappa; i++) {
        for (int64_t j = 0; j < kappa; j++) {
            for (int64_t k = 0; k <= j; k++) {
                double product = 0;
                for (int64_t a = 0; a < d; a++) {
                    product += (x[j * d + a] - x[i * d + a]) * (x[k * d + a] - x[i * d + a]);
                }
                if (j != i && k != i) {
                    trop_judge_at_least(judge, "<v_j - v_i, v_k - v_i>", -1, product, 0, blur(c));
                }
            }
        }
    }
}

void trop_fw_beta_assume_equal_norms(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens");
    const int64_t d = trop_case_size(c, "tokens", 1), kappa = trop_case_integer(c, "kappa");

    for (int64_t i = 0; i < kappa; i++) {
        trop_judge_near(judge, "square of the norm of a vertex", -1,
                        trop_tokens_dot(x + i * d, x + i * d, d), trop_tokens_dot(x, x, d),
                        blur(c));
    }
}

void trop_fw_beta_assume_gap(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "c0", -1, trop_fw_beta_constants(c).c0, DBL_MIN, blur(c));
}

enum trop_status trop_fw_beta_in_hull(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);

    return trop_fw_beta_inside(judge, "distance of a token from the hull of the vertices", -1, x,
                               trop_case_integer(c, "kappa"), x, n, d, 0, 0);
}

/* <x_i, x_j> = r^2 cos(2 pi (i - j)/kappa), in the order of the tokens. */
void trop_fw_beta_assume_polygon(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double square = trop_tokens_dot(x, x, d);

    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j <= i; j++) {
            const double angle = TURN * (double)(i - j) / (double)n;
            trop_judge_near(judge, "<x_i, x_j> of a regular polygon", -1,
                            trop_tokens_dot(x + i * d, x + j * d, d), square * trop_cos(angle),
                            blur(c));
        }
    }
}

void trop_fw_beta_assume_one_crossing(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const double square = trop_tokens_dot(x.at, x.at, x.columns);
    const double gap = square * (1 - trop_cos(TURN / (double)x.rows));
    const double way = trop_case_number(c, "gamma") * sqrt(2 * gap);

    trop_judge_truth(judge, "eps > 0", -1, trop_case_number(c, "radius") > 0);
    trop_judge_at_most(judge, "eps", -1, trop_case_number(c, "radius"), way,
                       64 * DBL_EPSILON * way);
}

/* ---- distances from hulls ---- */

void trop_fw_beta_judge_inside(struct trop_judge *judge, const struct trop_case *c,
                               const char *name, int64_t step, struct trop_view cloud,
                               struct trop_view points, double reach, double allowance)
{
    void *mark = trop_case_mark(c);
    struct trop_hull *hull = trop_case_hull(c, cloud.at, cloud.rows, cloud.columns);

    for (int64_t i = 0; i < points.rows; i++) {
        trop_judge_at_most(judge, name, step,
                           trop_case_place(c, hull, trop_case_view_row(points, i)).lower, reach,
                           allowance);
    }
    trop_case_release(c, mark);
}

/* ---- the same for claims that return a status ---- */

enum trop_status trop_fw_beta_step_size(struct trop_judge *judge, const struct trop_case *c)
{
    trop_fw_beta_assume_step_size(judge, c);
    return TROP_OK;
}

enum trop_status trop_fw_beta_positive(struct trop_judge *judge, const struct trop_case *c)
{
    trop_fw_beta_assume_positive(judge, c);
    return TROP_OK;
}

enum trop_status trop_fw_beta_not_negative(struct trop_judge *judge, const struct trop_case *c)
{
    trop_fw_beta_assume_not_negative(judge, c);
    return TROP_OK;
}

enum trop_status trop_fw_beta_complete(struct trop_judge *judge, const struct trop_case *c)
{
    trop_fw_beta_assume_complete(judge, c);
    return TROP_OK;
}

enum trop_status trop_fw_beta_acute(struct trop_judge *judge, const struct trop_case *c)
{
    trop_fw_beta_assume_acute(judge, c);
    return TROP_OK;
}

enum trop_status trop_fw_beta_equal_norms(struct trop_judge *judge, const struct trop_case *c)
{
    trop_fw_beta_assume_equal_norms(judge, c);
    return TROP_OK;
}

enum trop_status trop_fw_beta_gap(struct trop_judge *judge, const struct trop_case *c)
{
    trop_fw_beta_assume_gap(judge, c);
    return TROP_OK;
}

enum trop_status trop_fw_beta_is_polygon(struct trop_judge *judge, const struct trop_case *c)
{
    trop_fw_beta_assume_polygon(judge, c);
    return TROP_OK;
}

enum trop_status trop_fw_beta_inside(struct trop_judge *judge, const char *name, int64_t step,
                                     const double *x, int64_t n, const double *y, int64_t count,
                                     int64_t d, double reach, double allowance)
{
    struct trop_hull *hull = NULL;
    struct trop_hull_position place;
    enum trop_status status = trop_hull_create(&hull, x, n, d, 1);

    for (int64_t i = 0; i < count && status == TROP_OK; i++) {
        status = trop_hull_place(&place, NULL, NULL, NULL, hull, y + i * d);
        if (status == TROP_OK) {
            trop_judge_at_most(judge, name, step, place.lower, reach, allowance);
        }
    }
    trop_hull_free(hull);
    return status;
}

/* ---- ways to be wrong ---- */

enum trop_status trop_fw_beta_spoil_gamma(struct trop_case *c)
{
    return trop_case_put(c, "gamma", 1.5);
}

enum trop_status trop_fw_beta_spoil_beta(struct trop_case *c)
{
    return trop_case_put(c, "beta", -trop_case_number(c, "beta"));
}

enum trop_status trop_fw_beta_spoil_outside(struct trop_case *c)
{
    double *path = trop_case_array(c, "path");
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    double *before = path + (steps - 1) * n * d, *after = path + steps * n * d;
    int64_t far = 0;

    for (int64_t i = 1; i < n; i++) {
        if (trop_tokens_radius(before + i * d, 1, d) > trop_tokens_radius(before + far * d, 1, d)) {
            far = i;
        }
    }
    for (int64_t a = 0; a < d; a++) {
        after[a] = before[far * d + a] * (1 + 1e-6);
    }
    return TROP_OK;
}

enum trop_status trop_fw_beta_spoil_nudge(struct trop_case *c)
{
    double *path = trop_case_array(c, "path");
    const int64_t steps = trop_case_size(c, "path", 0) - 1;

    path[steps * trop_case_size(c, "path", 1) * trop_case_size(c, "path", 2)] += 1e-6;
    return TROP_OK;
}

enum trop_status trop_fw_beta_spoil_corner(struct trop_case *c)
{
    double *x = trop_case_array(c, "tokens");

    for (int64_t a = 0; a < trop_case_size(c, "tokens", 1); a++) {
        x[a] *= 1.01;
    }
    return TROP_OK;
}
