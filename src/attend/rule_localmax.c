/* rule_localmax.c -- equal weights on C = { j : s_j >= m - epsilon }.
 *
 * The set is decided exactly and without rounding m or m - epsilon: the sign of
 * s_j - s_l + epsilon with l a maximiser. Forms: additive; relative, the sign of
 * s_j - m + epsilon m, for m >= 0; cosine, additive on unit vectors (which are the
 * scene's keys then); probability, additive with -log(epsilon) / beta, resolved
 * before the step.
 */
#include "attend/rule.h"

const char trop_rule_localmax_empty[] =
    "form = relative: needs a largest score that is not negative";

void trop_rule_localmax_set(struct trop_row *row)
{
    const struct trop_rule_numbers *numbers = &row->scene->numbers;

    if (numbers->form != TROP_FORM_RELATIVE) {
        trop_row_neighbours(row, numbers->epsilon, 0);
        return;
    }
    trop_row_neighbours(row, 0, numbers->epsilon);
    if (row->count == 0) {
        row->trouble = trop_rule_localmax_empty;
    }
}

static void weigh(struct trop_row *row)
{
    trop_rule_localmax_set(row);
    trop_row_level(row);
}

const struct trop_rule trop_rule_localmax = {
    .name = "localmax",
    .meaning = "equal weights on the tokens within epsilon of the largest score",
    .uses = TROP_RULE_USES_EPSILON,
    .set = 1,
    .weigh = weigh,
};
