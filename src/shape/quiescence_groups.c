/* quiescence_groups.c -- tokens grouped by their neighbour sets, and where each group goes.
 *
 * A class is all tokens with one set N; its core those of them in N. The core is a closed
 * group when it is the whole of N. The other tokens of the class go to the mean of the
 * closed groups in N, if N is made of whole ones and (all of) the class itself.
 *
 * Means are sums of share (x - anchor) from a token of the group: equal tokens give their
 * own place exactly, and the error is a few u times the width of the group and half an ulp
 * of the mean.
 */
#include "shape/quiescence_internal.h"

#include "attend/decide.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

/* ---- shares ------------------------------------------------------------------------ */

/* A token's mass; or, where points are counted, 1 for the first token at its point, which
 * is seen whenever another one there is, and 0 for the others. */
static void find_shares(struct trop_quiescence_scratch *s, const struct trop_scene *scene)
{
    int64_t d = scene->d;

    for (int64_t i = 0; i < scene->n; i++) {
        s->order[i] = i;
        s->share[i] = scene->mass ? scene->mass[i] : 1.0;
    }
    if (!trop_quiescence_hardmax(scene) || scene->numbers.ties == TROP_TIES_INDICES) {
        return;
    }
    trop_sort(s->order, scene->n, trop_row_before, scene);
    for (int64_t k = 0; k < scene->n; k++) {
        int again = k > 0 && trop_decide_equal(scene->x + s->order[k] * d,
                                               scene->x + s->order[k - 1] * d, d);
        s->share[s->order[k]] = again ? 0.0 : 1.0;
    }
}

/* ---- groups ------------------------------------------------------------------------ */

static int by_set(const void *context, int64_t a, int64_t b)
{
    const struct trop_attend_note *notes = context;
    return notes[a].set != notes[b].set ? notes[a].set < notes[b].set : a < b;
}

int64_t trop_quiescence_mark(struct trop_quiescence_scratch *s, struct trop_attend *attend,
                             int64_t k)
{
    const struct trop_scene *scene = trop_attend_scene(attend);
    int64_t i = s->order[s->first[k] + s->size[k] - 1];
    int64_t visible = trop_quiescence_causal(scene) ? i + 1 : scene->n;
    struct trop_row *row = trop_attend_look(attend, scene->y + i * scene->d, visible);
    const int64_t *set = row->tied;
    int64_t count = row->ties;

    if (!trop_quiescence_hardmax(scene)) {
        trop_row_neighbours(row, scene->numbers.epsilon, 0);
        set = row->support;
        count = row->count;
    }
    for (int64_t m = 0; m < count; m++) {
        s->in[set[m]] = k + 1;
    }
    return count;
}

/* The core of class k (its tokens inside their own set): closed when it is the whole
 * set. Its mean is taken from its first token, so that equal tokens give their place;
 * under a causal mask that token is the limit itself. */
static void find_core(struct trop_quiescence_scratch *s, struct trop_attend *attend, int64_t k)
{
    const struct trop_scene *scene = trop_attend_scene(attend);
    int64_t d = s->d, members = trop_quiescence_mark(s, attend, k), anchor = -1;
    double *mean = s->mean + k * d;

    s->core[k] = 0;
    s->weight[k] = 0;
    memset(mean, 0, (size_t)d * sizeof *mean);
    for (int64_t m = s->first[k]; m < s->first[k] + s->size[k]; m++) {
        int64_t j = s->order[m];
        s->inner[j] = s->in[j] == k + 1;
        if (!s->inner[j]) {
            continue;
        }
        anchor = anchor < 0 ? j : anchor;
        s->core[k]++;
        s->weight[k] += s->share[j];
        for (int64_t c = 0; c < d; c++) {
            mean[c] = fma(s->share[j], scene->x[j * d + c] - scene->x[anchor * d + c], mean[c]);
        }
    }
    for (int64_t c = 0; anchor >= 0 && c < d; c++) {
        double shift = trop_quiescence_causal(scene) ? 0 : mean[c] / s->weight[k];
        mean[c] = scene->x[anchor * d + c] + shift;
    }
    s->closed[k] = s->core[k] > 0 && s->core[k] == members;
    s->open[k] = s->n;
    for (int64_t m = s->first[k]; m < s->first[k] + s->size[k]; m++) {
        int64_t j = s->order[m];
        if ((!s->inner[j] || !s->closed[k]) && j < s->open[k]) {
            s->open[k] = j;
        }
    }
}

/* 1 when the averages of class k are not told by its set (quiescence.c). A class of
 * ties = first has one first point, but its tokens may tie with different others. */
static int escapes(const struct trop_quiescence_scratch *s, const struct trop_scene *scene,
                   const struct trop_attend_note *notes, int64_t k,
                   const struct trop_quiescence_future *future)
{
    int first = trop_quiescence_hardmax(scene) && scene->numbers.ties == TROP_TIES_FIRST;
    int joins = s->open[k] < s->n && future->epsilon_high == 0 && !(future->gamma_high < 1);

    for (int64_t m = s->first[k]; (first || joins) && m < s->first[k] + s->size[k]; m++) {
        if (!notes[s->order[m]].unique) {
            return 1;
        }
    }
    return (joins && !trop_quiescence_hardmax(scene)) ||
           (!trop_quiescence_hardmax(scene) && trop_quiescence_causal(scene) && !s->closed[k]);
}

/* The limit of the open tokens of class k: the mean of the closed groups in its set, by
 * shares. 0 when the set is not a union of whole closed groups and (all of) the class
 * itself. */
static int find_limit(struct trop_quiescence_scratch *s, struct trop_attend *attend, int64_t k,
                      int64_t classes)
{
    int64_t d = s->d, members = trop_quiescence_mark(s, attend, k), anchor = -1, covered = 0;
    double *limit = s->limit + k * d, total = 0;

    if (s->closed[k]) {
        memcpy(limit, s->mean + k * d, (size_t)d * sizeof *limit);
        return 1;
    }
    if (s->core[k] != 0 && s->core[k] != s->size[k]) {
        return 0;
    }
    covered = s->core[k];
    memset(limit, 0, (size_t)d * sizeof *limit);
    for (int64_t g = 0; g < classes; g++) {
        if (!s->closed[g]) {
            continue;
        }
        int64_t inside = 0;
        for (int64_t m = s->first[g]; m < s->first[g] + s->size[g]; m++) {
            /* Followers of a group are none of it. */
            inside += s->inner[s->order[m]] && s->in[s->order[m]] == k + 1;
        }
        if (inside == 0) {
            continue;
        }
        if (inside != s->core[g]) {
            return 0;
        }
        anchor = anchor < 0 ? g : anchor;
        covered += inside;
        total += s->weight[g];
        for (int64_t c = 0; c < d; c++) {
            limit[c] = fma(s->weight[g], s->mean[g * d + c] - s->mean[anchor * d + c], limit[c]);
        }
    }
    for (int64_t c = 0; anchor >= 0 && c < d; c++) {
        limit[c] = s->mean[anchor * d + c] + limit[c] / total;
    }
    return anchor >= 0 && covered == members;
}

int64_t trop_quiescence_groups(struct trop_quiescence_scratch *s, struct trop_attend *attend,
                               const struct trop_attend_note *notes,
                               const struct trop_quiescence_future *future)
{
    const struct trop_scene *scene = trop_attend_scene(attend);

    find_shares(s, scene);
    /* Classes of equal sets, numbered along order. */
    int64_t classes = 0;
    for (int64_t i = 0; i < scene->n; i++) {
        s->order[i] = i;
        s->in[i] = 0;
    }
    trop_sort(s->order, scene->n, by_set, notes);
    for (int64_t k = 0; k < scene->n; k++) {
        if (k == 0 || notes[s->order[k]].set != notes[s->order[k - 1]].set) {
            s->first[classes] = k;
            s->size[classes++] = 0;
        }
        s->class[s->order[k]] = classes - 1;
        s->size[classes - 1]++;
    }
    for (int64_t k = 0; k < classes; k++) {
        find_core(s, attend, k);
    }
    for (int64_t k = 0; k < classes; k++) {
        if (escapes(s, scene, notes, k, future) || !find_limit(s, attend, k, classes)) {
            return 0;
        }
    }
    return classes;
}
