/* rule_hardmax.c -- all weight on the exact maximisers of the score.
 *
 * Ties: `points` is the mean over the distinct points that attain the maximum
 * (equation hardmax.dynamics.V of the Frank-Wolfe paper), `indices` the mean over
 * tokens by mass (the limit of softmax), `first` the lowest index.
 *
 * The tied points are put in trop_row_before order and equal ones are counted
 * together before anything is summed, so that the average depends on the set of
 * points and their masses alone: merging equal tokens, or renumbering, changes no
 * bit.
 */
#include "attend/attend_internal.h"
#include "attend/decide.h"
#include "attend/rule.h"
#include "base/sort.h"
#include "kernel/kernel_copies.h"

/* support <- one token per distinct tied point, weight <- 1 or the mass there. */
static void gather(struct trop_row *row)
{
    const struct trop_scene *scene = row->scene;
    int by_mass = scene->numbers.ties == TROP_TIES_INDICES;

    for (int64_t t = 0; t < row->ties; t++) {
        row->support[t] = row->tied[t];
    }
    if (!row->distinct) {
        trop_sort(row->support, row->ties, trop_row_before, scene);
    }
    row->count = 0;
    row->total = 0;
    for (int64_t t = 0; t < row->ties; t++) {
        int64_t j = row->support[t];
        int64_t last = row->count ? row->support[row->count - 1] : -1;
        double mass = by_mass ? trop_row_mass(row, j) : 1.0;
        if (last >= 0 &&
            trop_decide_equal(scene->x + j * scene->d, scene->x + last * scene->d, scene->d)) {
            row->weight[last] += by_mass ? mass : 0.0;
        } else {
            row->weight[j] = mass;
            row->support[row->count++] = j;
        }
    }
    for (int64_t k = 0; k < row->count; k++) {
        row->total += row->weight[row->support[k]];
    }
    row->in_order = 1;
}

static void weigh(struct trop_row *row)
{
    if (row->scene->numbers.ties != TROP_TIES_FIRST) {
        gather(row);
        return;
    }
    row->support[0] = row->best;
    row->weight[row->best] = 1;
    row->count = 1;
    row->total = 1;
}

static int64_t neighbours(const int64_t **set, struct trop_row *row)
{
    *set = row->tied;
    return row->scene->numbers.ties == TROP_TIES_FIRST ? 1 : row->ties;
}

static void lanes(const struct trop_kernel_copies *kernel, struct trop_kernel_group *group)
{
    kernel->hardmax(group);
}

const struct trop_rule trop_rule_hardmax = {
    .name = "hardmax",
    .meaning = "all weight on the tokens of largest score",
    .uses = TROP_RULE_USES_TIES,
    .set = 1,
    .weigh = weigh,
    .best_only = 1,
    .neighbours = neighbours,
    .tile = trop_attend_tile_hardmax,
    .device = TROP_DEVICE_HARDMAX,
    .lanes = lanes,
};
