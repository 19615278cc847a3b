/* rule_softmax.c -- p_j = m_j exp(beta s_j) / sum_l m_l exp(beta s_l).
 *
 * The true maximum is subtracted, so one term is exp(0) = 1 and the sum neither
 * overflows nor vanishes at any temperature. A computed score is off by up to
 * row->bound, and beta times that is an error of the logit. Where it is not
 * negligible (beta = 1e12, say) the columns that still have weight are taken again
 * as differences from an exact maximiser, so that ties stay ties and the limit
 * beta -> infinity is hardmax with ties by indices.
 */
#include "attend/attend_internal.h"
#include "attend/decide.h"
#include "attend/rule.h"
#include "attend/tree/tree_softmax.h"
#include "kernel/kernel_copies.h"

#include <math.h>

#define FLOOR 746.0 /* exp(-746) is 0 */

static void weigh(struct trop_row *row)
{
    const struct trop_scene *scene = row->scene;
    double beta = trop_row_beta(row), top = row->top;

    if (trop_row_coarse(row)) {
        const double *best = scene->keys + row->best * scene->d;
        double cut = row->top - FLOOR / trop_row_beta(row) - 4 * row->bound;
        for (int64_t j = 0; j < row->n; j++) {
            row->weight[j] =
                row->weight[j] >= cut
                    ? trop_decide_difference(scene->kernel, row->y, scene->keys + j * scene->d,
                                             best, scene->d)
                    : -INFINITY;
        }
        beta = scene->numbers.beta;
        top = 0;
    }
    row->count = -1;
    row->total = scene->kernel->exponentials(row->weight, scene->mass, row->n, top, beta);
}

static void lanes(const struct trop_kernel_copies *kernel, struct trop_kernel_group *group)
{
    kernel->softmax(group);
}

const struct trop_rule trop_rule_softmax = {
    .name = "softmax",
    .meaning = "weights proportional to exp(beta s)",
    .uses = TROP_RULE_USES_BETA,
    .continuous = 1,
    .weigh = weigh,
    .exponential = 1,
    .tile = trop_attend_tile_softmax,
    .tree = &trop_tree_softmax_engine,
    .device = TROP_DEVICE_SOFTMAX,
    .lanes = lanes,
};
