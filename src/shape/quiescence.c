/* quiescence.c -- a proof that the present neighbour sets will never change.
 *
 * The certificate of claim lm-thm-t5, theorem 4.2 of the Frank-Wolfe paper and the non-vertex
 * limits of claim lm-thm-t9 are one argument. Let C_i be the present sets, and group
 * the tokens by them:
 *
 *   closed group G: C_i = G for all i in G. Its mean mu stays, x_i -> mu.
 *   open group H:   C_i = N for all i in H, where N is a union of whole closed groups,
 *                   with or without H itself. Its limit z is the mean of those groups.
 *
 * While the sets are as they are, a token of a closed group moves inside the hull of
 * the group, and one of an open group inside the hull of { x_i, mean of H, z }; for
 * a token outside its own set the path is the segment from x_i to z. Membership is
 * a matter of signs of <Bp, q - r> +- epsilon, linear in each of p, q, r, so it holds
 * forever if it holds where p, q, r are present tokens, or z of an open group:
 *
 *   Q1  max_{q in N} <Bp,q> - min_{q in N} <Bp,q> <= epsilon_low,
 *   Q2  min_{q in N} <Bp,q> - <Bp,r>               > epsilon_high,  r outside N,
 *
 * for p in the group (and its z). At epsilon = 0 (hardmax) an r that moves to a limit
 * in N itself only has to satisfy Q2 with >= at that limit: before it, its weight on
 * its present place keeps the sign strict.
 *
 * For epsilon that falls no faster than (1 - gamma)^t, Q1 of closed groups needs the
 * present epsilon only (claim lm-thm-t8): their spread falls as fast.
 *
 * Nothing here needs the steps to go all the way: with a finite sum of gamma the sets stay
 * as well, and tokens come only so near to their limits as the closed form says.
 *
 * Closed form. A token whose average a_i is constant moves as
 *
 *   x_i(t) = a_i + prod (1 - gamma) (x_i(t0) - a_i),
 *
 * the plain product. Means are by mass, or by distinct points for hardmax that counts
 * points; either way a closed group keeps its mean, since all of it moves by one factor
 * towards that mean, and distinct points stay distinct until gamma = 1. So the form holds
 * for closed groups, for their followers, and for open tokens that do not hear their own
 * group. It fails for an open group with a share w of its own, whose mean contracts by
 * 1 - gamma (1 - w), unless that mean is at the limit already.
 *
 * Under a causal mask the set of token i is the part of its group that it sees. A
 * closed group of localmax is then triangular: its first token stays, the others come to
 * it, slower than the plain product and than lm-thm-t8 asks for, and all move inside the hull of
 * what they see, so that Q1 and Q2 serve as they are. Its groups go by their first token,
 * which hears itself alone, so an open group of its own does not exist there. A causal
 * closed group of hardmax is one token, since the first of a group sees no other.
 *
 * A step of gamma = 1 takes open tokens to their limits. Where hardmax follows a single
 * point, they join it there and nothing changes: a point counts once, and any mean over
 * tokens at one point is that point. Elsewhere at epsilon = 0 the limit is on the edge of a
 * set, and arrival would make one point of a group whose points are counted: no answer is
 * given. Nor where the sets do not tell the averages: several tied points of which hardmax
 * takes the first.
 *
 * All signs are decided exactly, for the tokens as they are and z as rounded.
 *
 * Where hardmax sends every token to one point whose tokens follow themselves, the notes say all of
 * it: the point of a set is the only maximiser, by an exact decision, for every token and for the
 * token at the limit, over all tokens, limits among them. So Q1 and Q2 hold, and only their slacks
 * would need the pairs. A causal mask shows the limit's token less than its followers see.
 */
#include "shape/quiescence_internal.h"

#include "attend/decide.h"
#include "attend/exact.h"
#include "base/alloc.h"
#include "base/status.h"
#include "shape/cloud.h"

#include <float.h>
#include <math.h>
#include <string.h>

void trop_quiescence_free(struct trop_quiescence_scratch *s)
{
    if (!s) {
        return;
    }
    TROP_FREE(s->order, s->class, s->first, s->size, s->core, s->in, s->inner, s->closed, s->open,
              s->share, s->mean, s->weight, s->limit, s->query, s);
}

enum trop_status trop_quiescence_create(struct trop_quiescence_scratch **out, int64_t n, int64_t d)
{
    struct trop_quiescence_scratch *s = trop_alloc(1, sizeof *s);
    if (!s) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a certificate");
    }
    s->n = n;
    s->d = d;
    if (!TROP_ALLOC(TROP_PART(s->order, n), TROP_PART(s->class, n), TROP_PART(s->first, n),
                    TROP_PART(s->size, n), TROP_PART(s->core, n), TROP_PART(s->in, n),
                    TROP_PART(s->inner, n), TROP_PART(s->closed, n), TROP_PART(s->open, n),
                    TROP_PART(s->share, n), TROP_PART(s->mean, trop_alloc_product(n, d)),
                    TROP_PART(s->weight, n), TROP_PART(s->limit, trop_alloc_product(n, d)),
                    TROP_PART(s->query, d))) {
        trop_quiescence_free(s);
        return trop_fail(TROP_ERR_MEMORY, "no memory for a certificate of %lld tokens",
                         (long long)n);
    }
    *out = s;
    return TROP_OK;
}

/* ---- the inequalities ---------------------------------------------------------------- */

/* The visible token of least exact score inside the marked set, or of largest outside it;
 * -1 when there is none. */
static int64_t extreme(const struct trop_quiescence_scratch *s, const struct trop_row *row,
                       int64_t k, int inside)
{
    const double *keys = row->scene->keys;
    int sign = inside ? -1 : 1;
    int64_t at = -1;

    for (int64_t j = 0; j < row->n; j++) {
        if ((s->in[j] == k + 1) != inside) {
            continue;
        }
        double ahead = at < 0 ? INFINITY : sign * (row->weight[j] - row->weight[at]);
        if (ahead > 2 * row->bound ||
            (ahead >= -2 * row->bound &&
             sign * trop_decide_score(row->y, keys + j * s->d, keys + at * s->d, s->d, 0, 0) > 0)) {
            at = j;
        }
    }
    return at;
}

/* <y, a - b> + shift to a relative error of a few ulp, as trop_decide_difference has it. */
static double slack(const struct trop_row *row, const double *a, const double *b, double shift)
{
    int64_t d = row->scene->d;
    double value = shift, size = fabs(shift);
    struct trop_exact sum;

    for (int64_t c = 0; c < d; c++) {
        double t = a[c] - b[c];
        value = fma(row->y[c], t, value);
        size += fabs(row->y[c] * t);
    }
    if (size <= DBL_MAX && fabs(value) > (double)(d + 4) * 0x1p-13 * size &&
        fabs(value) > 0x1p-1000) {
        return value;
    }
    trop_exact_clear(&sum);
    trop_exact_add(&sum, shift, 1.0, 1.0);
    for (int64_t c = 0; c < d; c++) {
        trop_exact_add(&sum, row->y[c], a[c], 1.0);
        trop_exact_subtract(&sum, row->y[c], b[c], 1.0);
    }
    return trop_exact_value(&sum);
}

/* Q1: the best score less the one of low is at most epsilon. A best token outside the set
 * fails Q2. */
static int is_narrow(struct trop_quiescence_scratch *s, const struct trop_row *row, int64_t k,
                     const double *low, const struct trop_quiescence_future *future)
{
    const double *best = row->scene->keys + row->best * s->d;
    int slow = s->closed[k] && future->decays_slowly && !trop_quiescence_causal(row->scene);
    double bound = slow ? future->epsilon_now : future->epsilon_low;

    if (trop_decide_score(row->y, low, best, s->d, bound, 0) < 0) {
        return 0;
    }
    s->q1 = fmin(s->q1, slack(row, low, best, future->epsilon_low));
    s->q1_slow = fmin(s->q1_slow, slack(row, low, best, bound));
    return 1;
}

/* Q2 against one point r: <y, r> - <y, low> + epsilon < 0, or <= 0 for a limit that
 * hardmax may reach, which then is no measure of the slack. */
static int is_below(struct trop_quiescence_scratch *s, const struct trop_row *row, const double *r,
                    const double *low, double epsilon, int may_touch)
{
    if (!isfinite(epsilon)) {
        return 0;
    }
    int sign = trop_decide_score(row->y, r, low, s->d, epsilon, 0);
    if (!may_touch) {
        s->q2 = fmin(s->q2, slack(row, low, r, -epsilon));
    }
    return may_touch ? sign <= 0 : sign < 0;
}

/* The token outside the marked set that Q2 is about; -1 when there is none, or when all are
 * so low by their computed scores that Q2 holds with more slack than has been seen. */
static int64_t rival(const struct trop_quiescence_scratch *s, const struct trop_row *row, int64_t k,
                     int64_t lowest, double epsilon)
{
    int scale = row->scene->scale_k + row->scene->scale_y;
    double needed = ldexp(epsilon + s->q2, -scale) * (1 + 0x1p-40);
    double cut = row->weight[lowest] - 4 * row->bound - needed;

    for (int64_t j = 0; j < row->n; j++) {
        if (!(row->weight[j] < cut) && s->in[j] != k + 1) {
            return extreme(s, row, k, 0);
        }
    }
    return -1;
}

/* Q1 and Q2 for a query y of class k, whose set is marked. */
static int holds(struct trop_quiescence_scratch *s, struct trop_attend *attend, const double *y,
                 int64_t visible, int64_t k, int64_t classes,
                 const struct trop_quiescence_future *future)
{
    struct trop_row *row = trop_attend_look(attend, y, visible);
    const double *keys = row->scene->keys;
    int hard = trop_quiescence_hardmax(row->scene);
    int may_touch = future->epsilon_high == 0 && future->gamma_high < 1;
    int64_t lowest = extreme(s, row, k, 1);

    if (lowest < 0 || !is_narrow(s, row, k, keys + lowest * s->d, future)) {
        return 0;
    }
    const double *low = keys + lowest * s->d;
    int64_t highest = rival(s, row, k, lowest, future->epsilon_high);
    if (highest >= 0 && !is_below(s, row, keys + highest * s->d, low, future->epsilon_high, 0)) {
        return 0;
    }
    for (int64_t g = 0; g < classes; g++) {
        /* Visible tokens outside this set that go to limit_g. */
        const double *limit = s->limit + g * s->d;
        int own = g == k && s->core[g] == s->size[g];
        int touches = may_touch || (hard && trop_decide_equal(limit, low, s->d));
        if (s->open[g] < visible && !own &&
            !is_below(s, row, limit, low, future->epsilon_high, touches)) {
            return 0;
        }
    }
    return 1;
}

static int holds_for_class(struct trop_quiescence_scratch *s, struct trop_attend *attend, int64_t k,
                           int64_t classes, const struct trop_matrix *key_query,
                           const struct trop_quiescence_future *future)
{
    const struct trop_scene *scene = trop_attend_scene(attend);
    int causal = trop_quiescence_causal(scene);
    int64_t widest = 0;

    trop_quiescence_mark(s, attend, k);
    for (int64_t m = s->first[k]; m < s->first[k] + s->size[k]; m++) {
        int64_t i = s->order[m];
        int64_t visible = causal ? i + 1 : scene->n;
        widest = visible > widest ? visible : widest;
        if (!holds(s, attend, scene->y + i * s->d, visible, k, classes, future)) {
            return 0;
        }
    }
    trop_attend_query(s->query, s->limit + k * s->d, s->d, key_query);
    return holds(s, attend, s->query, widest, k, classes, future);
}

/* 1 when the notes alone prove Q1 and Q2, given that groups are found. With single points every
 * group is closed: the limit of an open one would be a closed group inside its point, which is that
 * point, and so the same class. A token that follows one which moves leaves no groups either; told
 * here it costs a glance for each token, there a look for each class. */
static int is_noted(const struct trop_scene *scene, const struct trop_attend_note *notes)
{
    if (!trop_quiescence_hardmax(scene) || trop_quiescence_causal(scene)) {
        return 0;
    }
    for (int64_t i = 0; i < scene->n; i++) {
        const struct trop_attend_note *followed = notes + notes[i].best;
        if (!notes[i].unique || followed->set != notes[i].set) {
            return 0;
        }
    }
    return 1;
}

/* ---- the answer ------------------------------------------------------------------------ */

/* The slowest factor 1 - gamma (1 - own/all) of a class, own being what stays its own in
 * the average: an open group's share, or under a causal mask a token's among those before
 * it in its closed group. */
static double slowest(const struct trop_quiescence_scratch *s, const struct trop_scene *scene,
                      int64_t k, double gamma)
{
    double own = 0, all = 0, rate = 1 - gamma;
    int one_by_one = trop_quiescence_causal(scene) && s->closed[k];

    for (int64_t j = 0; j < scene->n; j++) {
        double share = s->in[j] == k + 1 ? s->share[j] : 0;
        own = one_by_one ? share : own + (s->class[j] == k ? share : 0);
        if (one_by_one && share > 0 && all > 0) {
            rate = fmax(rate, 1 - gamma * (1 - own / (all + share)));
        }
        all += share;
    }
    return one_by_one || all == 0 ? rate : fmax(rate, 1 - gamma * (1 - own / all));
}

/* 1 when what may move in the average of class k does not: an open group about its limit, a
 * triangular group at it. */
static int rests(const struct trop_quiescence_scratch *s, const struct trop_scene *scene, int64_t k)
{
    const double *limit = s->limit + k * s->d;

    if (!s->closed[k]) {
        return trop_decide_equal(s->mean + k * s->d, limit, s->d);
    }
    for (int64_t m = s->first[k]; m < s->first[k] + s->size[k]; m++) {
        int64_t j = s->order[m];
        if (s->inner[j] && !trop_decide_equal(scene->x + j * s->d, limit, s->d)) {
            return 0;
        }
    }
    return 1;
}

void trop_quiescence_check(struct trop_quiescence *out, double *limits,
                           struct trop_quiescence_scratch *s, struct trop_attend *attend,
                           const struct trop_attend_note *notes,
                           const struct trop_matrix *key_query,
                           const struct trop_quiescence_future *future, int measure)
{
    *out = (struct trop_quiescence){ .kind = TROP_QUIESCENCE_NONE };
    s->q1 = s->q1_slow = s->q2 = INFINITY;
    const struct trop_scene *scene = trop_attend_scene(attend);
    if (!measure && !is_noted(scene, notes)) {
        return;
    }
    int64_t classes = trop_quiescence_groups(s, attend, notes, future);
    if (classes == 0) {
        return;
    }
    for (int64_t k = 0; measure && k < classes; k++) {
        if (!holds_for_class(s, attend, k, classes, key_query, future)) {
            return;
        }
    }
    if (!measure) {
        s->q1 = 0;
        s->q2 = NAN;
    }
    int hardmax = trop_quiescence_hardmax(scene), open = 0, split = 0;
    int triangular = trop_quiescence_causal(scene) && !hardmax;
    *out = (struct trop_quiescence){ .rate = 1 - future->gamma_low, .plain = 1, .q2 = s->q2 };
    out->decays = s->q1 < 0;
    out->q1 = out->decays ? s->q1_slow : s->q1;
    for (int64_t k = 0; k < classes; k++) {
        out->groups += s->closed[k];
        open |= s->open[k] < s->n;
        split |= !notes[s->order[s->first[k]]].unique;
        /* A part of the average may move: an open group's own, or a triangular group's tokens. */
        if (s->closed[k] ? triangular : s->core[k] > 0) {
            trop_quiescence_mark(s, attend, k);
            out->rate = fmax(out->rate, slowest(s, scene, k, future->gamma_low));
            out->plain &= rests(s, scene, k);
        }
    }
    for (int64_t i = 0; i < scene->n; i++) {
        const double *limit = s->limit + s->class[i] * s->d;
        memcpy(limits + i * s->d, limit, (size_t)s->d * sizeof *limit);
        out->distance = fmax(out->distance, trop_cloud_distance(limit, scene->x + i * s->d, s->d));
    }
    out->kind = hardmax && !split ? TROP_QUIESCENCE_THEOREM_4_2
                : open || hardmax ? TROP_QUIESCENCE_FIXED
                                  : TROP_QUIESCENCE_T5;
}
