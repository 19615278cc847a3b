/* md_rem_alignment.c -- stationarity on the sphere (mirror-descent paper, regularisation paths).
 *
 * On |W|_p = R a minimum of L over the ball satisfies <-G, W> = |G|_q |W|_p, the equality of
 * Hoelder's inequality, with G the gradient of L: the ratio
 *
 *   alignment = <-G, W> / (|G|_q |W|_p) <= 1
 *
 * is 1 at the points of a regularisation path and below 1 at other points. The points come from
 * trop_path, the gradient from the definition (md.c). A path point is asked for 1 - alignment <=
 * 1e-10, and where the path tells that its search ended before that, there is no minimum to judge:
 * with logits in the hundreds the gradient has one token that counts. G is right to 1e-13 of itself
 * at logits of up to 40 (their error 40 u goes through the exponential), which moves the alignment
 * of a stationary point by the square of it and the rounding of its own sums by (N + 8) u.
 */
#include "claim/md/md.h"

#include "claim/tokens.h"

#include <float.h>
#include <math.h>

#define TOLERANCE 1e-10 /* asked of the path */
#define ROUNDING 1e-13

static void draw(struct trop_case *c)
{
    trop_md_draw(c, 2, 3, 3);
}

static void work(struct trop_case *c)
{
    trop_md_radii(c, "p=@p radius=4,20 tolerance=%g", TOLERANCE);
}

static void is_on_sphere(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");
    const double *radius = trop_case_array(c, "radius"), p = trop_case_number(c, "p");

    for (int64_t row = 0; row < path.rows; row++) {
        const double norm = trop_md_norm(trop_case_view_row(path, row), path.columns, p);
        trop_judge_at_least(judge, "|W|_p over R", -1, norm / radius[row], 1 - 1e-9, 0);
    }
}

static void is_found(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view off = trop_case_view(c, "path_off");

    for (int64_t row = 0; row < off.rows; row++) {
        trop_judge_at_most(judge, "misalignment that the path tells", row, off.at[row], TOLERANCE,
                           0);
    }
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");
    const double *radius = trop_case_array(c, "radius"), p = trop_case_number(c, "p");
    const int64_t n = path.columns;
    double *g = trop_case_scratch(c, n);

    for (int64_t row = 0; row < path.rows; row++) {
        const double *w = trop_case_view_row(path, row);
        trop_md_gradient(g, c, w);
        const double alignment =
            -trop_tokens_dot(g, w, n) / trop_md_norm(g, n, trop_md_dual(p)) / trop_md_norm(w, n, p);
        const int64_t R = (int64_t)radius[row];
        /* Of subnormal numbers the last digits are missing: e^-700 and less decides nothing. */
        const double rounding = trop_tokens_norm(g, n) > 1e-280 ? ROUNDING : INFINITY;
        trop_judge_at_least(judge, "alignment at radius", R, alignment, 1, TOLERANCE + rounding);
        trop_judge_at_most(judge, "alignment, by Hoelder", R, alignment, 1, rounding);
        trop_judge_at_most(judge, "|W|_p at radius", R, trop_md_norm(w, n, p), radius[row],
                           1e-12 * radius[row]);
    }
}

const struct trop_claim trop_md_rem_alignment = {
    .id = "md-rem-alignment",
    .title = "points of a regularisation path are aligned with their gradient",
    .statement = "At a minimum of the loss over the ball |W|_p <= R that lies on its sphere, "
                 "<-G, W> = |G|_q |W|_p, and at no point is it more.",
    .status = TROP_CLAIM_PROVED,
    .inputs = "X y v z p",
    .hypotheses = TROP_HYPOTHESES(
        TROP_MD_EXPONENT, TROP_MD_UNIQUE,
        { "on-sphere", "the minimum is not inside the ball", .judge = is_on_sphere, .late = 1,
          .broken = "the first point drawn inwards by a tenth", .edit = "path[0] *= .9" },
        { "found", "the search for each minimum came to its end", .judge = is_found, .late = 1,
          .broken = "the path tells a misalignment of 1e-6", .edit = "path_off[0] = 1e-6" }),
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS({ "the first point of the path turned by 1e-3", NULL },
                          { "the path of p + 1/2 in the place of that of p", NULL }),
    .trials = 20,
};
