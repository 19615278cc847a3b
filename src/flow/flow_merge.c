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

/* Every label becomes a live token: masses, crowds and displacements of their sums.
 * far holds the masses, displacement the sums of mass (x - x_first). */
static void gather(struct trop_flow *f, int64_t count)
{
    int64_t d = f->d;

    memset(f->displacement, 0, (size_t)(count * d) * sizeof *f->displacement);
    for (int64_t g = 0; g < count; g++) {
        f->far[g] = 0;
        f->order[g] = 0;   /* crowd */
        f->parent[g] = -1; /* first member */
    }
    for (int64_t i = 0; i < f->live; i++) {
        int64_t g = f->labels[i];
        f->parent[g] = f->parent[g] < 0 ? i : f->parent[g];
        f->far[g] += f->mass[i];
        f->order[g] += f->crowd[i];
        for (int64_t c = 0; c < d; c++) {
            f->displacement[g * d + c] =
                fma(f->mass[i], f->x[i * d + c] - f->x[f->parent[g] * d + c],
                    f->displacement[g * d + c]);
        }
    }
    for (int64_t g = 0; g < count; g++) {
        for (int64_t c = 0; c < d; c++) {
            f->displacement[g * d + c] =
                f->x[f->parent[g] * d + c] + f->displacement[g * d + c] / f->far[g];
        }
    }
}

void trop_flow_merge(struct trop_flow *f, double gamma)
{
    double distance =
        f->options.merge == TROP_MERGE_AUTO ? 8 * 0x1p-52 * f->radius0 / gamma : f->options.merge;
    int64_t count =
        trop_cloud_clusters(f->labels, f->x, f->live, f->d, distance, f->order, f->parent);
    double moved = 0;

    if (count == f->live) {
        return;
    }
    gather(f, count);
    for (int64_t i = 0; i < f->live; i++) {
        moved = fmax(moved, trop_cloud_distance(f->x + i * f->d,
                                                f->displacement + f->labels[i] * f->d, f->d));
    }
    for (int64_t j = 0; j < f->n; j++) {
        f->owner[j] = f->labels[f->owner[j]];
    }
    for (int64_t g = 0; g < count; g++) {
        /* Labels count in the order of first members, so head[parent] is still there. */
        f->head[g] = f->head[f->parent[g]];
        f->mass[g] = f->far[g];
        f->crowd[g] = f->order[g];
    }
    memcpy(f->x, f->displacement, (size_t)(count * f->d) * sizeof *f->x);
    f->merges += f->live - count;
    f->live = count;
    f->merge_bound += moved;
    if (f->dynamics->sphere) {
        trop_flow_project(f, f->x);
    }
}
