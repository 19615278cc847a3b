/* attend_note.c -- what a row tells about itself, beside its average. */
#include "attend/attend_internal.h"

#include "attend/decide.h"
#include "base/math/log.h"

#include <math.h>

/* The best score of another point than the best one. Exact ties of distinct points
 * have margin 0; tokens at the best point are left out. */
static double margin(const struct trop_row *row)
{
    const struct trop_scene *s = row->scene;
    double second = -INFINITY;
    int64_t at = -1, t = 0;

    if (!row->distinct) {
        return 0;
    }
    for (int64_t j = 0; j < row->n; j++) {
        if (t < row->ties && row->tied[t] == j) {
            t++;
        } else if (row->weight[j] > second) {
            second = row->weight[j];
            at = j;
        }
    }
    return at < 0 ? INFINITY
                  : trop_decide_difference(s->kernel, row->y, s->keys + row->best * s->d,
                                           s->keys + at * s->d, s->d);
}

void trop_attend_note_take(struct trop_attend_note *note, const struct trop_row *row, int margins)
{
    const struct trop_scene *s = row->scene;
    const double *yi = row->y, *xi = s->keys + row->i * s->d;

    note->best = row->best;
    note->unique = row->distinct;
    note->alone = row->ties == 1 && row->best == row->i;
    note->energy = 0.5 * s->kernel->score(yi, xi, s->d);
    note->gap = row->best == row->i
                    ? 0
                    : trop_decide_difference(s->kernel, yi, s->keys + row->best * s->d, xi, s->d);
    note->margin = margins ? margin(row) : 0;
    note->scale = NAN;
}

/* Equal sets have equal fingerprints; what is built on them is verified again. */
static uint64_t fingerprint(const int64_t *set, int64_t count)
{
    uint64_t sum = (uint64_t)count;
    for (int64_t k = 0; k < count; k++) {
        sum += trop_kernel_tag(set[k]);
    }
    return sum;
}

/* What tells sets apart. Under a causal mask a set grows with what its token sees, so
 * the first member names it; hardmax's ties are the whole of their set. */
static uint64_t set_name(const struct trop_row *row)
{
    if (row->in_order) {
        return fingerprint(row->tied, row->ties);
    }
    if (row->count <= 0) {
        return 0;
    }
    return row->scene->numbers.mask == TROP_MASK_CAUSAL ? (uint64_t)row->support[0]
                                                        : fingerprint(row->support, row->count);
}

/* Hardmax spreads its weight over tokens at one point, where the maximiser is unique; another set
 * of one is its one member, which need not be the maximiser (bounded confidence). */
static int64_t only(const struct trop_row *row)
{
    if (row->n == 1 || (row->distinct && row->scene->numbers.rule->best_only)) {
        return row->best;
    }
    return row->count == 1 ? row->support[0] : -1;
}

void trop_attend_note_weigh(struct trop_row *row, struct trop_attend_note *note)
{
    const struct trop_rule *rule = row->scene->numbers.rule;

    rule->weigh(row);
    if (!note) {
        return;
    }
    note->only = only(row);
    if (rule->set && !row->in_order) {
        note->alone = note->only == row->i;
    }
    note->set = set_name(row);
    if (rule->exponential) {
        const struct trop_scene *s = row->scene;
        double top = ldexp(row->top, s->scale_k + s->scale_y);
        note->scale = fma(s->numbers.beta, top, trop_log(row->total));
    }
}
