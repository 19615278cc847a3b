/* rule_localmax.c -- equal weights on C = { j : s_j >= m - epsilon }.
 *
 * The set is decided exactly and without rounding m or m - epsilon: the sign of
 * s_j - s_l + epsilon with l a maximiser. Forms: additive; relative, the sign of
 * s_j - m + epsilon m, for m >= 0; cosine, additive on unit vectors (which are the
 * scene's keys then); probability, additive with -log(epsilon) / beta, resolved
 * before the step.
 */
#include "attend/attend_internal.h"
#include "attend/rule.h"
#include "attend/tree/tree_localmax.h"
#include "kernel/kernel_copies.h"

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

static int64_t neighbours(const int64_t **set, struct trop_row *row)
{
    trop_rule_localmax_set(row);
    *set = row->support;
    return row->count;
}

static void lanes(const struct trop_kernel_copies *kernel, struct trop_kernel_group *group)
{
    kernel->localmax(group);
}

const struct trop_rule trop_rule_localmax = {
    .name = "localmax",
    .meaning = "equal weights on the tokens within epsilon of the largest score",
    .uses = TROP_RULE_USES_EPSILON,
    .set = 1,
    .weigh = weigh,
    .neighbours = neighbours,
    .tile = trop_attend_tile_localmax,
    .tree = &trop_tree_localmax_engine,
    .device = TROP_DEVICE_LOCALMAX,
    .lanes = lanes,
};
