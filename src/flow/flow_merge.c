/* flow_merge.c -- tokens at one place become one token with their mass.
 *
 * Tokens within options.merge of each other (chained) are replaced by one at their
 * mass-weighted mean, which is taken from the first of them, so that equal tokens
 * give their own place. The largest distance a token is moved adds to merge_bound:
 * it is zero for bitwise equal tokens, and under hardmax nothing else changes then,
 * since that rule counts equal points together before it sums (rule_hardmax.c).
 */
#include "flow/flow.h"

#include "shape/cloud.h"

#include <math.h>
#include <string.h>

void trop_flow_merge(struct trop_flow *f, double gamma)
{
    double distance =
        f->options.merge == TROP_MERGE_AUTO ? 8 * 0x1p-52 * f->radius0 / gamma : f->options.merge;
    int64_t count = trop_cloud_clusters(f->verdict.labels, f->state.x, f->state.live, f->d,
                                        distance, f->engines.order, f->engines.parent);
    double moved = 0;

    if (count == f->state.live) {
        return;
    }
    /* Every label becomes a live token: far holds their masses, displacement first the sums of
     * mass (x - x_first), then the means. */
    int64_t d = f->d;
    memset(f->seen.displacement, 0, (size_t)(count * d) * sizeof *f->seen.displacement);
    for (int64_t g = 0; g < count; g++) {
        f->engines.far[g] = 0;
        f->engines.order[g] = 0;   /* crowd */
        f->engines.parent[g] = -1; /* first member */
    }
    for (int64_t i = 0; i < f->state.live; i++) {
        int64_t g = f->verdict.labels[i];
        f->engines.parent[g] = f->engines.parent[g] < 0 ? i : f->engines.parent[g];
        f->engines.far[g] += f->state.mass[i];
        f->engines.order[g] += f->state.crowd[i];
        /* g counts first members, so size[g] has been read. */
        double size = f->state.size[i];
        f->state.size[g] =
            f->engines.parent[g] == i || size > f->state.size[g] ? size : f->state.size[g];
        for (int64_t c = 0; c < d; c++) {
            f->seen.displacement[g * d + c] = fma(
                f->state.mass[i], f->state.x[i * d + c] - f->state.x[f->engines.parent[g] * d + c],
                f->seen.displacement[g * d + c]);
        }
    }
    for (int64_t g = 0; g < count; g++) {
        for (int64_t c = 0; c < d; c++) {
            f->seen.displacement[g * d + c] = f->state.x[f->engines.parent[g] * d + c] +
                                              f->seen.displacement[g * d + c] / f->engines.far[g];
        }
    }
    for (int64_t i = 0; i < f->state.live; i++) {
        moved = fmax(moved,
                     trop_cloud_distance(f->state.x + i * f->d,
                                         f->seen.displacement + f->verdict.labels[i] * f->d, f->d));
    }
    for (int64_t j = 0; j < f->n; j++) {
        f->state.owner[j] = f->verdict.labels[f->state.owner[j]];
    }
    for (int64_t g = 0; g < count; g++) {
        /* Labels count in the order of first members, so head[parent] is still there. */
        f->state.head[g] = f->state.head[f->engines.parent[g]];
        f->state.mass[g] = f->engines.far[g];
        f->state.crowd[g] = f->engines.order[g];
    }
    memcpy(f->state.x, f->seen.displacement, (size_t)(count * f->d) * sizeof *f->state.x);
    f->state.merges += f->state.live - count;
    f->state.live = count;
    f->state.merge_bound += moved;
    if (f->dynamics->sphere) {
        trop_flow_project(f, f->state.x);
    }
}
