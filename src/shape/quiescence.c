/* quiescence.c -- a proof that the present neighbour sets will never change.
 *
 * Theorem T5 of the localmax digest, theorem 4.2 of the Frank-Wolfe paper and the
 * non-vertex limits of T9 are one argument. Let C_i be the present sets, and group
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
 * for ever if it holds where p, q, r are present tokens, or z of an open group:
 *
 *   Q1  max_{q in N} <Bp,q> - min_{q in N} <Bp,q> <= epsilon_low,
 *   Q2  min_{q in N} <Bp,q> - <Bp,r>               > epsilon_high,  r outside N,
 *
 * for p in the group (and its z). At epsilon = 0 (hardmax) an r that moves to a limit
 * in N itself only has to satisfy Q2 with >= at that limit: before it, its weight on
 * its present place keeps the sign strict.
 *
 * For epsilon that falls no faster than (1 - gamma)^t, Q1 of closed groups needs the
 * present epsilon only (T8): their spread falls as fast.
 *
 * Under a causal mask the set of token i is the part of its group that it sees. A
 * closed group is then triangular: its first token stays, the others come to it, and
 * all move inside the hull of what they see, so that Q1 and Q2 serve as they are.
 *
 * All signs are decided exactly, for the tokens as they are and z as rounded.
 */
#include "shape/quiescence.h"

#include "attend/decide.h"
#include "base/alloc.h"
#include "base/sort.h"
#include "base/status.h"
#include "shape/cloud.h"

#include <math.h>
#include <string.h>

struct trop_quiescence_scratch {
    int64_t n, d;
    int64_t *order;  /* (n) tokens by the fingerprint of their set */
    int64_t *class;  /* (n) which set a token has */
    int64_t *first;  /* (n) of a class: its first place in order */
    int64_t *size;   /* (n) of a class: its tokens */
    int64_t *core;   /* (n) of a class: its tokens inside their own set */
    int64_t *in;     /* (n) 1 + class of the set last marked, for each token */
    int64_t *closed; /* (n) of a class: 1 when its core is a closed group */
    int64_t *open;   /* (n) of a class: its first token outside a closed group, or n */
    double *mean;    /* (n, d) of a class: mean of its core, weighted by mass */
    double *weight;  /* (n) of a class: mass of its core */
    double *limit;   /* (n, d) of a class: where its other tokens go */
    double *query;   /* (d) */
};

void trop_quiescence_free(struct trop_quiescence_scratch *s)
{
    if (!s) {
        return;
    }
    trop_alloc_free(s->order);
    trop_alloc_free(s->class);
    trop_alloc_free(s->first);
    trop_alloc_free(s->size);
    trop_alloc_free(s->core);
    trop_alloc_free(s->in);
    trop_alloc_free(s->closed);
    trop_alloc_free(s->open);
    trop_alloc_free(s->mean);
    trop_alloc_free(s->weight);
    trop_alloc_free(s->limit);
    trop_alloc_free(s->query);
    trop_alloc_free(s);
}

enum trop_status trop_quiescence_create(struct trop_quiescence_scratch **out, int64_t n, int64_t d)
{
    struct trop_quiescence_scratch *s = trop_alloc(1, sizeof *s);
    if (!s) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a certificate");
    }
    s->n = n;
    s->d = d;
    s->order = trop_alloc(n, sizeof *s->order);
    s->class = trop_alloc(n, sizeof *s->class);
    s->first = trop_alloc(n, sizeof *s->first);
    s->size = trop_alloc(n, sizeof *s->size);
    s->core = trop_alloc(n, sizeof *s->core);
    s->in = trop_alloc(n, sizeof *s->in);
    s->closed = trop_alloc(n, sizeof *s->closed);
    s->open = trop_alloc(n, sizeof *s->open);
    s->mean = trop_alloc(trop_alloc_product(n, d), sizeof *s->mean);
    s->weight = trop_alloc(n, sizeof *s->weight);
    s->limit = trop_alloc(trop_alloc_product(n, d), sizeof *s->limit);
    s->query = trop_alloc(d, sizeof *s->query);
    if (!s->order || !s->class || !s->first || !s->size || !s->core || !s->in || !s->closed ||
        !s->open || !s->mean || !s->weight || !s->limit || !s->query) {
        trop_quiescence_free(s);
        return trop_fail(TROP_ERR_MEMORY, "no memory for a certificate of %lld tokens",
                         (long long)n);
    }
    *out = s;
    return TROP_OK;
}

/* ---- groups ------------------------------------------------------------------------ */

static int by_set(const void *context, int64_t a, int64_t b)
{
    const struct trop_attend_note *notes = context;
    return notes[a].set != notes[b].set ? notes[a].set < notes[b].set : a < b;
}

/* Classes of equal sets, numbered along order; returns how many. */
static int64_t classify(struct trop_quiescence_scratch *s, const struct trop_attend_note *notes,
                        int64_t n)
{
    int64_t classes = 0;

    for (int64_t i = 0; i < n; i++) {
        s->order[i] = i;
        s->in[i] = 0;
    }
    trop_sort(s->order, n, by_set, notes);
    for (int64_t k = 0; k < n; k++) {
        if (k == 0 || notes[s->order[k]].set != notes[s->order[k - 1]].set) {
            s->first[classes] = k;
            s->size[classes++] = 0;
        }
        s->class[s->order[k]] = classes - 1;
        s->size[classes - 1]++;
    }
    return classes;
}

static int is_causal(const struct trop_scene *scene)
{
    return scene->numbers.mask == TROP_MASK_CAUSAL;
}

/* Marks in[j] for the set of class k, taken anew from its last token (which sees most),
 * and returns its size; the row stays in the attention handle's scratch. */
static int64_t mark(struct trop_quiescence_scratch *s, struct trop_attend *attend, int64_t k)
{
    const struct trop_scene *scene = trop_attend_scene(attend);
    int64_t i = s->order[s->first[k] + s->size[k] - 1];
    int64_t visible = is_causal(scene) ? i + 1 : scene->n;
    struct trop_row *row = trop_attend_look(attend, scene->y + i * scene->d, visible);
    const int64_t *set = row->tied;
    int64_t count = row->ties;

    if (scene->numbers.rule != &trop_rule_hardmax) {
        trop_row_neighbours(row, scene->numbers.epsilon, 0);
        set = row->support;
        count = row->count;
    }
    for (int64_t m = 0; m < count; m++) {
        s->in[set[m]] = k + 1;
    }
    return count;
}

static double mass_of(const struct trop_scene *scene, int64_t j)
{
    return scene->mass ? scene->mass[j] : 1.0;
}

/* The core of class k (its tokens inside their own set): closed when it is the whole
 * set. Its mean is taken from its first token, so that equal tokens give their place;
 * under a causal mask that token is the limit itself. */
static void find_core(struct trop_quiescence_scratch *s, struct trop_attend *attend, int64_t k)
{
    const struct trop_scene *scene = trop_attend_scene(attend);
    int64_t d = s->d, members = mark(s, attend, k), anchor = -1;
    double *mean = s->mean + k * d;

    s->core[k] = 0;
    s->weight[k] = 0;
    memset(mean, 0, (size_t)d * sizeof *mean);
    for (int64_t m = s->first[k]; m < s->first[k] + s->size[k]; m++) {
        int64_t j = s->order[m];
        if (s->in[j] != k + 1) {
            continue;
        }
        anchor = anchor < 0 ? j : anchor;
        s->core[k]++;
        s->weight[k] += mass_of(scene, j);
        for (int64_t c = 0; c < d; c++) {
            mean[c] =
                fma(mass_of(scene, j), scene->x[j * d + c] - scene->x[anchor * d + c], mean[c]);
        }
    }
    for (int64_t c = 0; anchor >= 0 && c < d; c++) {
        double shift = is_causal(scene) ? 0 : mean[c] / s->weight[k];
        mean[c] = scene->x[anchor * d + c] + shift;
    }
    s->closed[k] = s->core[k] > 0 && s->core[k] == members;
    s->open[k] = s->n;
    for (int64_t m = s->first[k]; m < s->first[k] + s->size[k]; m++) {
        int64_t j = s->order[m];
        if ((s->in[j] != k + 1 || !s->closed[k]) && j < s->open[k]) {
            s->open[k] = j;
        }
    }
}

/* The limit of the open tokens of class k: the mean of the closed groups in its set,
 * by mass, or by points for hardmax that counts points. 0 when the set is not a union
 * of whole closed groups and (all of) the class itself. */
static int find_limit(struct trop_quiescence_scratch *s, struct trop_attend *attend, int64_t k,
                      int64_t classes)
{
    const struct trop_scene *scene = trop_attend_scene(attend);
    int by_point =
        scene->numbers.rule == &trop_rule_hardmax && scene->numbers.ties != TROP_TIES_INDICES;
    int64_t d = s->d, members = mark(s, attend, k), anchor = -1, covered = 0;
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
            inside += s->in[s->order[m]] == k + 1;
        }
        if (inside == 0) {
            continue;
        }
        if (inside != s->core[g]) {
            return 0;
        }
        double weight = by_point ? 1.0 : s->weight[g];
        anchor = anchor < 0 ? g : anchor;
        covered += inside;
        total += weight;
        for (int64_t c = 0; c < d; c++) {
            limit[c] = fma(weight, s->mean[g * d + c] - s->mean[anchor * d + c], limit[c]);
        }
    }
    for (int64_t c = 0; anchor >= 0 && c < d; c++) {
        limit[c] = s->mean[anchor * d + c] + limit[c] / total;
    }
    return anchor >= 0 && covered == members;
}

/* ---- the inequalities ---------------------------------------------------------------- */

/* The token of least exact score in the marked set. */
static int64_t lowest(const struct trop_quiescence_scratch *s, const struct trop_row *row,
                      int64_t k)
{
    const double *keys = row->scene->keys;
    int64_t low = -1;

    for (int64_t j = 0; j < row->n; j++) {
        if (s->in[j] != k + 1) {
            continue;
        }
        if (low < 0 || row->weight[j] < row->weight[low] - 2 * row->bound ||
            (row->weight[j] <= row->weight[low] + 2 * row->bound &&
             trop_decide_score(row->y, keys + j * s->d, keys + low * s->d, s->d, 0, 0) < 0)) {
            low = j;
        }
    }
    return low;
}

/* Q2 against one point r: <y, r> - <y, low> + epsilon < 0, or <= 0 for a limit that
 * hardmax may reach. */
static int below(const struct trop_row *row, const double *r, const double *low, double epsilon,
                 int may_touch)
{
    int sign = trop_decide_score(row->y, r, low, row->scene->d, epsilon, 0);
    return may_touch ? sign <= 0 : sign < 0;
}

/* Q1 and Q2 for a query y of class k, whose set is marked. */
static int holds(struct trop_quiescence_scratch *s, struct trop_attend *attend, const double *y,
                 int64_t visible, int64_t k, int64_t classes,
                 const struct trop_quiescence_future *future)
{
    struct trop_row *row = trop_attend_look(attend, y, visible);
    const double *keys = row->scene->keys;
    int hard = future->epsilon_high == 0;
    double narrow =
        s->closed[k] && future->decays_slowly ? future->epsilon_now : future->epsilon_low;
    int64_t low = lowest(s, row, k);

    /* A best token outside the set fails Q2 below. */
    if (low < 0 ||
        trop_decide_score(y, keys + low * s->d, keys + row->best * s->d, s->d, narrow, 0) < 0) {
        return 0;
    }
    double cut =
        row->weight[low] - 4 * row->bound -
        ldexp(future->epsilon_high, -(row->scene->scale_k + row->scene->scale_y)) * (1 + 0x1p-40);
    for (int64_t j = 0; j < visible; j++) {
        if (s->in[j] != k + 1 && !(row->weight[j] < cut) &&
            !below(row, keys + j * s->d, keys + low * s->d, future->epsilon_high, 0)) {
            return 0;
        }
    }
    for (int64_t g = 0; g < classes; g++) {
        /* Visible tokens outside this set that go to limit_g. */
        int own = g == k && s->core[g] == s->size[g];
        if (s->open[g] < visible && !own &&
            !below(row, s->limit + g * s->d, keys + low * s->d, future->epsilon_high,
                   hard && future->gamma_high < 1)) {
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
    int causal = is_causal(scene);
    int64_t widest = 0;

    mark(s, attend, k);
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

/* ---- the answer ------------------------------------------------------------------------ */

/* The slowest factor 1 - gamma (1 - own/all) of a class, own being what stays its own in
 * the average: an open group's mass, or under a causal mask a token's among those before
 * it in its closed group. */
static double slowest(const struct trop_quiescence_scratch *s, const struct trop_scene *scene,
                      int64_t k, double gamma)
{
    double own = 0, all = 0, rate = 1 - gamma;
    int one_by_one = is_causal(scene) && s->closed[k];

    for (int64_t j = 0; j < scene->n; j++) {
        double mass = s->in[j] == k + 1 ? mass_of(scene, j) : 0;
        own = one_by_one ? mass : own + (s->class[j] == k ? mass : 0);
        if (one_by_one && mass > 0 && all > 0) {
            rate = fmax(rate, 1 - gamma * (1 - own / (all + mass)));
        }
        all += mass;
    }
    return one_by_one || all == 0 ? rate : fmax(rate, 1 - gamma * (1 - own / all));
}

static void conclude(struct trop_quiescence *out, double *limits, struct trop_quiescence_scratch *s,
                     struct trop_attend *attend, const struct trop_attend_note *notes,
                     int64_t classes, const struct trop_quiescence_future *future)
{
    const struct trop_scene *scene = trop_attend_scene(attend);
    int hardmax = scene->numbers.rule == &trop_rule_hardmax, open = 0, split = 0;

    *out = (struct trop_quiescence){ .rate = 1 - future->gamma_low };
    for (int64_t k = 0; k < classes; k++) {
        out->groups += s->closed[k];
        open |= s->open[k] < s->n;
        split |= !notes[s->order[s->first[k]]].unique;
        if ((!hardmax && is_causal(scene)) || (!s->closed[k] && s->core[k] > 0)) {
            mark(s, attend, k);
            out->rate = fmax(out->rate, slowest(s, scene, k, future->gamma_low));
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

void trop_quiescence_check(struct trop_quiescence *out, double *limits,
                           struct trop_quiescence_scratch *s, struct trop_attend *attend,
                           const struct trop_attend_note *notes,
                           const struct trop_matrix *key_query,
                           const struct trop_quiescence_future *future)
{
    const struct trop_scene *scene = trop_attend_scene(attend);
    int64_t classes = classify(s, notes, scene->n);

    *out = (struct trop_quiescence){ .kind = TROP_QUIESCENCE_NONE };
    for (int64_t k = 0; k < classes; k++) {
        find_core(s, attend, k);
    }
    for (int64_t k = 0; k < classes; k++) {
        if (!find_limit(s, attend, k, classes)) {
            return;
        }
    }
    for (int64_t k = 0; k < classes; k++) {
        if (!holds_for_class(s, attend, k, classes, key_query, future)) {
            return;
        }
    }
    conclude(out, limits, s, attend, notes, classes, future);
}
