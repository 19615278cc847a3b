/* spoils_fw_beta.c -- claims of the Frank-Wolfe paper at finite beta made wrong by functions. */
#include "claim/tokens.h"
#include "spoils.h"

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

#define BEYOND "a token of the last step is 1e-6 beyond the farthest token before it"

const struct spoiler spoils_fw_beta[] = {
    { "fw-lem-hull", BEYOND, leave_hull },
    { "fw-lem-hull-repaired", BEYOND, leave_hull },
    { "fw-rem-chain-hull", "a token of the last step is 1e-6 beyond the farthest before it",
      leave_hull },
    { 0 },
};
