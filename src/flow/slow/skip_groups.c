/* skip_groups.c -- places, groups, and freezing.
 *
 * A place is a point with all tokens that stand on it (equal coordinates); a group is a
 * component of the places under links of length delta. A group of diameter at most delta is
 * frozen: its tokens are set to their mean. Inside so small a group picks are uniform up to
 * factors e^(+-beta |B x| delta), so that the mean is a martingale of the true chain up to that,
 * and the point on which the group would agree has the mean for its expectation: the rule adds
 * no bias of first order, where the majority's place would pull every late-comer home.
 *
 * Groups are linked by chains, so that one may be wider than delta; it waits, and its places
 * move on as any others. Means may come nearer to each other than the places were, hence the
 * repetition; every round has fewer places.
 *
 * A token that goes to a point p by x + gamma (p - x) stops short of it where gamma |p - x| is
 * lost in the rounding of x, at |p - x| <= u |x| / gamma. delta is therefore at least four times
 * that, or such tokens would pick each other forever without moving.
 */
#include "flow/slow/skip_internal.h"

#include "shape/cloud.h"

#include <math.h>
#include <string.h>

/* The same point; 0 and -0 are. */
static int equal(const double *a, const double *b, int64_t d)
{
    for (int64_t c = 0; c < d; c++) {
        if (a[c] != b[c]) {
            return 0;
        }
    }
    return 1;
}

/* The place of point, appended when it is new. */
static int64_t place_of(struct trop_skip *skip, const double *point, int64_t token)
{
    int64_t d = skip->model.d, a = 0;

    while (a < skip->places && !equal(skip->at + a * d, point, d)) {
        a++;
    }
    if (a == skip->places) {
        memcpy(skip->at + a * d, point, (size_t)d * sizeof *point);
        skip->first[a] = token;
        skip->mass[a] = 0;
        skip->places++;
    }
    return a;
}

/* Tokens that did not move stay together: only the first of a place, and every one that moved,
 * is compared with the other places. */
static void find_places(struct trop_skip *skip)
{
    int64_t n = skip->model.n, d = skip->model.d;
    int64_t *renamed = skip->order;

    for (int64_t a = 0; a < n; a++) {
        renamed[a] = -1;
    }
    skip->places = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t old = skip->place[i], a = skip->moved[i] ? -1 : renamed[old];
        if (a < 0) {
            a = place_of(skip, skip->x + i * d, i);
        }
        if (!skip->moved[i]) {
            renamed[old] = a;
        }
        skip->mass[a] += 1;
        skip->place[i] = a;
        skip->moved[i] = 0;
    }
}

/* Groups, and which of them are wider than delta; returns how many are. */
static int64_t find_groups(struct trop_skip *skip)
{
    int64_t d = skip->model.d, count = 0;

    skip->groups = trop_cloud_clusters(skip->label, skip->at, skip->places, d, skip->delta,
                                       skip->order, skip->parent);
    memset(skip->wide, 0, (size_t)skip->groups * sizeof *skip->wide);
    for (int64_t a = 0; skip->groups < skip->places && a < skip->places; a++) {
        int64_t group = skip->label[a];
        for (int64_t b = 0; b < a && !skip->wide[group]; b++) {
            skip->wide[group] =
                skip->label[b] == group &&
                !(trop_cloud_distance(skip->at + a * d, skip->at + b * d, d) <= skip->delta);
            count += skip->wide[group];
        }
    }
    return count;
}

/* Puts the tokens of a group, from its first place on, to their mean; returns how far one of
 * them had to go at most. */
static double freeze(struct trop_skip *skip, int64_t from)
{
    int64_t d = skip->model.d, group = skip->label[from];
    double mass = 0, shift = 0, *mean = skip->mean;

    /* Relative to the first place: far from the origin too nothing is lost. */
    memset(mean, 0, (size_t)d * sizeof *mean);
    for (int64_t a = from; a < skip->places; a++) {
        for (int64_t c = 0; skip->label[a] == group && c < d; c++) {
            mean[c] = fma(skip->mass[a], skip->at[a * d + c] - skip->at[from * d + c], mean[c]);
        }
        mass += skip->label[a] == group ? skip->mass[a] : 0;
    }
    for (int64_t c = 0; c < d; c++) {
        mean[c] = skip->at[from * d + c] + mean[c] / mass;
    }
    for (int64_t i = 0; i < skip->model.n; i++) {
        if (skip->label[skip->place[i]] == group) {
            shift = fmax(shift, trop_cloud_distance(skip->x + i * d, mean, d));
            memcpy(skip->x + i * d, mean, (size_t)d * sizeof *mean);
            skip->moved[i] = 1;
        }
    }
    return shift;
}

/* Freezes every group that is narrow enough; returns how many had more than one place. */
static int64_t freeze_narrow(struct trop_skip *skip)
{
    int64_t count = 0, *from = skip->parent;
    double shift = 0;

    for (int64_t a = skip->places - 1; a >= 0; a--) {
        from[skip->label[a]] = a;
    }
    /* A group is frozen when its second place is met. */
    for (int64_t a = 0; a < skip->places; a++) {
        int64_t group = skip->label[a];
        if (from[group] >= 0 && from[group] < a && !skip->wide[group]) {
            shift = fmax(shift, freeze(skip, from[group]));
            from[group] = -1;
            count++;
        }
    }
    /* Every token was moved once at most. */
    skip->drift += shift;
    return count;
}

void trop_skip_settle(struct trop_skip *skip)
{
    int64_t wide;

    do {
        find_places(skip);
        wide = find_groups(skip);
    } while (skip->groups < skip->places && freeze_narrow(skip) > 0);
    skip->frozen = wide == 0;
    for (int64_t i = 0; i < skip->model.n; i++) {
        skip->group[i] = skip->label[skip->place[i]];
    }
}
