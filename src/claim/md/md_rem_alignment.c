/* md_rem_alignment.c -- stationarity on the sphere (mirror-descent paper, regularisation paths).
 *
 * On |W|_p = R a minimum of L over the ball satisfies <-G, W> = |G|_q |W|_p, the equality of
 * Hoelder's inequality, with G the gradient of L: the ratio
 *
 *   alignment = <-G, W> / (|G|_q |W|_p) <= 1
 *
 * is 1 at the points of a regularisation path and below 1 at other points. The points come from
 * trop_path, the gradient from the definition (md.c). A path point is asked for 1 - alignment <=
 * 1e-10; G is right to 1e-13 of itself at logits of up to 40 (their error 40 u goes through the
 * exponential), which moves the alignment of a stationary point by the square of it and the
 * rounding of its own sums by (N + 8) u.
 */
#include "claim/md/md.h"

#include "claim/tokens.h"

#include "base/alloc.h"

#include <float.h>
#include <math.h>

#define TOLERANCE 1e-10 /* asked of the path */
#define ROUNDING 1e-13

static enum trop_status draw(struct trop_case *c)
{
    return trop_md_draw(c, 2, 3, 3);
}

static enum trop_status work(struct trop_case *c)
{
    struct trop_path_options o = trop_path_options_default();

    o.p = trop_case_number(c, "p");
    o.radius = "4,20";
    o.tolerance = TOLERANCE;
    return trop_md_path(c, &o);
}

static enum trop_status is_on_sphere(struct trop_judge *judge, const struct trop_case *c)
{
    const double *radius = trop_case_array(c, "radius"), *path = trop_case_array(c, "path");
    const int64_t n = trop_case_size(c, "path", 1);

    for (int64_t row = 0; row < trop_case_size(c, "path", 0); row++) {
        const double norm = trop_md_norm(path + row * n, n, trop_case_number(c, "p"));
        trop_judge_at_least(judge, "|W|_p over R", -1, norm / radius[row], 1 - 1e-9, 0);
    }
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    TROP_MD_EXPONENT,
    TROP_MD_UNIQUE,
    { "on-sphere", "the minimum is not inside the ball", is_on_sphere, 1 },
    { 0 },
};

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *radius = trop_case_array(c, "radius"), *path = trop_case_array(c, "path");
    const double p = trop_case_number(c, "p");
    const int64_t n = trop_case_size(c, "path", 1);
    double *g = trop_alloc(n, sizeof *g);
    enum trop_status status = g ? TROP_OK : TROP_ERR_MEMORY;

    for (int64_t row = 0; status == TROP_OK && row < trop_case_size(c, "path", 0); row++) {
        const double *w = path + row * n;
        status = trop_md_gradient(g, c, w);
        const double alignment =
            -trop_tokens_dot(g, w, n) / trop_md_norm(g, n, trop_md_dual(p)) / trop_md_norm(w, n, p);
        const int64_t R = (int64_t)radius[row];
        trop_judge_at_least(judge, "alignment at radius", R, alignment, 1, TOLERANCE + ROUNDING);
        trop_judge_at_most(judge, "alignment, by Hoelder", R, alignment, 1, ROUNDING);
        trop_judge_at_most(judge, "|W|_p at radius", R, trop_md_norm(w, n, p), radius[row],
                           1e-12 * radius[row]);
    }
    trop_alloc_free(g);
    return status;
}

/* A rotation by 1e-3 in the plane of two entries keeps p = 2 norms, and turns the direction. */
static enum trop_status turn(struct trop_case *c)
{
    double *w = trop_case_array(c, "path");
    const int64_t n = trop_case_size(c, "path", 1);
    const double p = trop_case_number(c, "p"), before = trop_md_norm(w, n, p);

    for (int64_t k = 0; k < n; k++) {
        w[k] += 1e-3 * before * (k % 2 ? 1 : -1);
    }
    const double after = trop_md_norm(w, n, p);
    for (int64_t k = 0; k < n; k++) {
        w[k] *= before / after;
    }
    return TROP_OK;
}

/* The path of another p, at the same norm of this one. */
static enum trop_status other_path(struct trop_case *c)
{
    const double p = trop_case_number(c, "p");
    const int64_t n = trop_case_size(c, "path", 1), rows = trop_case_size(c, "path", 0);
    enum trop_status status = trop_case_put(c, "p", p + .5);

    if (status == TROP_OK) {
        status = work(c);
    }
    double *w = trop_case_array(c, "path");
    for (int64_t row = 0; status == TROP_OK && row < rows; row++) {
        const double factor = trop_case_array(c, "radius")[row] / trop_md_norm(w + row * n, n, p);
        for (int64_t k = 0; k < n; k++) {
            w[row * n + k] *= factor;
        }
    }
    return status == TROP_OK ? trop_case_put(c, "p", p) : status;
}

static enum trop_status shrink(struct trop_case *c)
{
    double *w = trop_case_array(c, "path");

    for (int64_t k = 0; k < trop_case_size(c, "path", 1); k++) {
        w[k] *= .9;
    }
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "the first point of the path turned by 1e-3", NULL, turn },
    { "the path of p + 1/2 in the place of that of p", NULL, other_path },
    { "p = 1", "exponent", trop_md_spoil_exponent },
    { "all scores equal", "unique-best", trop_md_spoil_scores },
    { "the first point drawn inwards by a tenth", "on-sphere", shrink },
    { 0 },
};

static const struct trop_input inputs[] = { TROP_MD_INPUTS, { 0 } };

const struct trop_claim trop_md_rem_alignment = {
    .id = "md-rem-alignment",
    .title = "points of a regularisation path are aligned with their gradient",
    .statement = "At a minimum of the loss over the ball |W|_p <= R that lies on its sphere, "
                 "<-G, W> = |G|_q |W|_p, and at no point is it more.",
    .status = TROP_CLAIM_PROVED,
    .remark = "",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 20,
};
