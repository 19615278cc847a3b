/* spoils_afz.c -- claims of the hardmax paper made wrong by functions. */
#include "claim/afz/afz.h"
#include "spoils.h"

/* The token of largest A-norm leads from layer 0 on. */
static void move_leader(struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");
    const int64_t d = path.depth;

    trop_case_view_row(
        path, -1)[trop_afz_longest(trop_case_array(c, "A"), path.at, path.columns, d) * d] += 1e-6;
}

/* The limit of a token that is no leader moves towards the origin: it stays in a polytope that
 * contains 0, but scores less with itself. */
static void move_limit(struct trop_case *c)
{
    const struct trop_view s = trop_case_view(c, "limits");
    const double *leaders = trop_case_array(c, "leaders");
    int64_t i = 0;

    while (i < s.rows - 1 && leaders[i] == 1) {
        i++;
    }
    for (int64_t p = 0; p < s.columns; p++) {
        trop_case_view_row(s, i)[p] *= 1 - 1e-6;
    }
}

const struct spoiler spoils_afz[] = {
    { "afz-lem-leaders", "a leader of the last layer is moved by 1e-6", move_leader },
    { "afz-thm-limit", "a limit that is no leader's is moved inwards by 1e-6", move_limit },
    { 0 },
};
