/* spoils_fw_beta.c -- claims of the Frank-Wolfe paper at finite beta made wrong by functions. */
#include "claim/fw/fw_beta.h"
#include "claim/tokens.h"
#include "spoils.h"

#include <math.h>

/* A token of the last step goes to the farthest point of the step before, and beyond. */
static void leave_hull(struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");
    const struct trop_view before = trop_case_view_part(path, path.rows - 2);
    const double *far = before.at;

    for (int64_t i = 1; i < before.rows; i++) {
        const double *x = trop_case_view_row(before, i);
        if (trop_tokens_norm(x, path.depth) > trop_tokens_norm(far, path.depth)) {
            far = x;
        }
    }
    for (int64_t a = 0; a < path.depth; a++) {
        trop_case_view_row(path, -1)[a] = far[a] * (1 + 1e-6);
    }
}

/* ---- tokens around vertices ---- */

/* The first weight of another group is twice its bound; groups go round by tokens. */
static void large_weight(struct trop_case *c)
{
    const struct trop_view v = trop_case_view(c, "vertices");
    const double r = trop_case_number(c, "r"), R = trop_tokens_radius_of(v);
    const double gap = trop_fw_beta_c0(v) - 4 * R * r - r * r;

    trop_case_array(c, "weights")[1] = 2 * exp(-trop_case_number(c, "beta") * gap);
}

/* The root of 4 R r + 2 r^2 = c0/2, and one per cent. */
static void large_radius(struct trop_case *c)
{
    const struct trop_view v = trop_case_view(c, "vertices");
    const double R = trop_tokens_radius_of(v);

    trop_case_put(c, "r", 1.01 * (sqrt(R * R + trop_fw_beta_c0(v) / 4) - R));
}

/* ---- collapse ---- */

static void leave_ball(struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");

    trop_case_view_row(path, -1)[0] =
        trop_tokens_radius(path.at, path.columns, path.depth) * (1 + 1e-6);
}

static void move_all(struct trop_case *c)
{
    const struct trop_view last = trop_case_view_part(trop_case_view(c, "path"), -1);
    const double shift = 1e-6 + 2 * trop_tokens_radius_of(last);

    for (int64_t i = 0; i < last.rows; i++) {
        trop_case_view_row(last, i)[0] += shift;
    }
}

#define BEYOND "a token of the last step is 1e-6 beyond the farthest token before it"

const struct spoiler spoils_fw_beta[] = {
    { "fw-lem-hull", BEYOND, leave_hull },
    { "fw-lem-hull-repaired", BEYOND, leave_hull },
    { "fw-rem-chain-hull", "a token of the last step is 1e-6 beyond the farthest before it",
      leave_hull },
    { "fw-lem-group", "a weight is twice its bound", large_weight },
    { "fw-lem-group", "r is one per cent too large", large_radius },
    { "fw-prop-origin", "a token of the last step is 1e-6 beyond the initial ball", leave_ball },
    { "fw-prop-collapse-origin", "the last step is moved by 1e-6 and twice its radius", move_all },
    { 0 },
};
