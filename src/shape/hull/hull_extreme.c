/* hull_extreme.c -- extreme points, at a cost that grows with their number (Clarkson 1994).
 *
 * V is a set of known vertices. For a token not yet decided, the point of conv(V) nearest to
 * it is found, with a proof (nearest.h). Either the token is inside, and is no vertex; or a
 * direction w separates it from V, and then the token that goes farthest in w, of all, is not
 * in V yet. Among those that tie in w, exactly, the lexicographically largest is a vertex: it
 * is alone on top in the direction w + (e, e^2, e^3, ...) for small e. It joins V, and the
 * token is tried again. So V holds nothing but vertices of the real numbers that the tokens
 * stand for, and at the end every token outside of V is inside conv(V), or touches it so
 * closely that neither could be proved and no direction found brought a new vertex.
 *
 * Depth without facets. With a ball of radius r around c in the hull, a token y whose
 * pushed-out image y + t (y - c) is in conv(V) has a ball of radius t r / (1 + t) around it
 * in the hull. With t = 2 b / r, where b is the bound of hull_height.c, and t <= 1/2, that is
 * at least 4/3 b, and rounding of the image (a few u of the reach, where b has 2 (d + 4)) is
 * covered by the third. Such a token is no vertex and no candidate, so the image is tried
 * first. Where its side cannot be proved, as it happens where the symmetry of a lattice leaves
 * few atoms, one pushed by 1/16 is (c is no centre of symmetry). The token itself is tried when
 * no new vertex lies in the direction that separates its image.
 *
 * Tokens are tried in batches of fixed size, V unchanged within a batch, new vertices added
 * in the order of the tokens: the same sets for any number of workers. A token costs about
 * |V| k per step of the nearest point, a direction n k.
 */
#include "shape/hull/hull_internal.h"

#include "attend/decide.h"
#include "kernel/kernel.h"
#include "base/alloc.h"
#include "base/linalg.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

#define BATCH 256
#define FAR 0.0625 /* the push of a far image */
#define RADIAL 8   /* see radial_first */

enum stage {
    PUSHED, /* the image is tried */
    AFAR,   /* a far image is tried */
    PLAIN,  /* the token is tried */
    VERTEX,
    DEEP, /* inside, farther from the boundary than the bound */
    NEAR  /* inside or touching */
};

/* What a worker needs of its own. */
struct hand {
    struct trop_nearest *nearest;
    double *row;  /* (stride) scores */
    int64_t *set; /* (stride) those on top */
    double *q;    /* (k) the point that is tried */
};

struct search {
    struct trop_hull *hull;
    const struct trop_kernel *kernel;
    const int64_t *list; /* (m) tokens; equal ones ascending */
    int64_t m, stride;
    double *zt;     /* (k, stride) their local coordinates */
    double *reach;  /* (k) largest |z_c| */
    double *centre; /* (k) in y */
    double *mean;   /* (k) of the list, in z */
    double push;    /* t; 0: not known how deep anything is */
    int64_t *stage; /* (m) enum stage */
    int64_t *known; /* (m) V, as tokens */
    int64_t knowns;
    int64_t *batch;    /* (BATCH) places in the list */
    int64_t *side;     /* (BATCH) enum trop_side */
    int64_t *winner;   /* (BATCH) place in the list of the token found, -1: none */
    struct hand *hand; /* (workers) */
};

/* ---- memory ---------------------------------------------------------------------------------- */

static enum trop_status no_memory(const struct search *s)
{
    return trop_fail(TROP_ERR_MEMORY, "no memory for the vertices of %lld points", (long long)s->m);
}

static enum trop_status search_make(struct search *s)
{
    int64_t k = s->hull->k;

    s->kernel = trop_kernel_choose(0);
    s->stride = (s->m + TROP_LANES - 1) / TROP_LANES * TROP_LANES;
    if (!TROP_ALLOC(TROP_PART(s->zt, trop_alloc_product(k, s->stride)), TROP_PART(s->reach, k),
                    TROP_PART(s->centre, k), TROP_PART(s->mean, k), TROP_PART(s->stage, s->m),
                    TROP_PART(s->known, s->m), TROP_PART(s->batch, BATCH),
                    TROP_PART(s->side, BATCH), TROP_PART(s->winner, BATCH))) {
        return no_memory(s);
    }
    for (int64_t i = 0; i < s->m; i++) {
        for (int64_t c = 0; c < k; c++) {
            double t = s->hull->z[s->list[i] * k + c];
            s->zt[c * s->stride + i] = t;
            s->reach[c] = fmax(s->reach[c], fabs(t));
            s->mean[c] += t / (double)s->m;
        }
    }
    s->hand = trop_alloc(s->hull->workers, sizeof *s->hand);
    for (int64_t w = 0; s->hand && w < s->hull->workers; w++) {
        struct hand *hand = s->hand + w;
        if (!TROP_ALLOC(TROP_PART(hand->row, s->stride), TROP_PART(hand->set, s->stride),
                        TROP_PART(hand->q, s->hull->k))) {
            return no_memory(s);
        }
        enum trop_status status = trop_nearest_create(&hand->nearest, s->hull->k);
        if (status != TROP_OK) {
            return status;
        }
    }
    return s->hand ? TROP_OK : no_memory(s);
}

/* ---- the token on top ------------------------------------------------------------------------ */

/* 1 when token a goes farther in w than token b, or as far and lexicographically larger. */
static int above(const struct trop_hull *hull, const double *w, int64_t a, int64_t b)
{
    int64_t k = hull->k;
    const double *ya = hull->flat->y + a * k, *yb = hull->flat->y + b * k;
    int sign = trop_decide_score(w, ya, yb, k, 0, 0);

    for (int64_t c = 0; sign == 0 && c < k; c++) {
        sign = (ya[c] > yb[c]) - (ya[c] < yb[c]);
    }
    return sign > 0;
}

/* The place in the list of the vertex on top in direction w; of equal tokens the first. The
 * scores are those of z, which differs from scale (y - y_o) by u |z_c|: one more term beside
 * the bound of a chain. */
static int64_t top_of(const struct search *s, struct hand *hand, const double *w)
{
    int64_t k = s->hull->k;
    double top = s->kernel->scores(hand->row, w, s->zt, s->stride, s->m, k);
    double doubt = 4 * trop_decide_bound(w, s->reach, k);
    int64_t count = s->kernel->collect(hand->set, hand->row, s->m, top - doubt);
    int64_t best = hand->set[0];

    for (int64_t i = 1; i < count; i++) {
        if (above(s->hull, w, s->list[hand->set[i]], s->list[best])) {
            best = hand->set[i];
        }
    }
    return best;
}

static void add_vertex(struct search *s, int64_t place)
{
    if (s->stage[place] != VERTEX) {
        s->stage[place] = VERTEX;
        s->known[s->knowns++] = s->list[place];
    }
}

/* ---- a batch --------------------------------------------------------------------------------- */

/* The token itself against the direction from the mean to it: worth a look when V is so large
 * that a nearest point costs more, as in clouds where nearly all tokens are vertices. */
static int radial_first(const struct search *s, struct hand *hand, int64_t place)
{
    int64_t k = s->hull->k;

    if (s->knowns * RADIAL < s->m) {
        return 0;
    }
    for (int64_t c = 0; c < k; c++) {
        hand->q[c] = s->hull->z[s->list[place] * k + c] - s->mean[c];
    }
    return top_of(s, hand, hand->q) == place;
}

static void try_batch(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct search *s = context;
    struct hand *hand = s->hand + worker;

    for (int64_t b = first; b < last; b++) {
        int64_t place = s->batch[b], top = place;
        struct trop_nearest_answer answer = { .side = TROP_SIDE_OUTSIDE };
        if (!radial_first(s, hand, place)) {
            const double *y = s->hull->flat->y + s->list[place] * s->hull->k;
            double push = s->stage[place] == AFAR ? fmax(FAR, s->push) : s->push;
            for (int64_t c = 0; c < s->hull->k; c++) { /* the token itself, or its image */
                hand->q[c] = s->stage[place] == PLAIN ? y[c] : y[c] + push * (y[c] - s->centre[c]);
            }
            trop_nearest_find(&answer, hand->nearest, s->hull->flat->y, s->known, s->knowns,
                              hand->q, 1);
            const double *w = trop_nearest_direction(hand->nearest);
            /* A direction without proof is worth a try too: whoever is on top is a vertex. */
            int lost = answer.side == TROP_SIDE_INSIDE || trop_linalg_norm(w, s->hull->k) == 0;
            top = lost ? -1 : top_of(s, hand, w);
        }
        s->side[b] = answer.side;
        s->winner[b] = top >= 0 && s->stage[top] != VERTEX ? top : -1;
    }
}

/* ---- the start --------------------------------------------------------------------------- */

/* Vertices on top along the axes, and of directions from the mean to tokens spread over the
 * list: V must not be empty, and cheap vertices are good ones. */
static void seed(struct search *s)
{
    int64_t k = s->hull->k;
    struct hand *hand = s->hand;

    for (int64_t l = 0; l < 2 * k; l++) {
        memset(hand->q, 0, (size_t)k * sizeof *hand->q);
        hand->q[l / 2] = l % 2 == 0 ? 1 : -1;
        add_vertex(s, top_of(s, hand, hand->q));
    }
    for (int64_t l = 0; l < 2 * k; l++) {
        int64_t place = l * (s->m / (2 * k));
        for (int64_t c = 0; place < s->m && c < k; c++) {
            hand->q[c] = s->zt[c * s->stride + place] - s->mean[c];
        }
        add_vertex(s, top_of(s, hand, hand->q));
    }
}

/* 1 and the fraction of a multiple of the golden ratio: no two alike. */
static double weight_of(int64_t j)
{
    double t = (double)(j + 1) * 0.6180339887498949;
    return 1 + (t - floor(t));
}

/* centre and push; push 0 when the bound is not small against the ball. The weights of the
 * frame's tokens in the centre are between 1 and 2 parts, so that the ball around it has at
 * least half the radius of that around the centroid. */
static enum trop_status find_push(struct search *s)
{
    struct trop_hull *hull = s->hull;
    int64_t k = hull->k;
    struct trop_hull_simplex *frame = NULL;
    enum trop_status status = trop_hull_frame(&frame, hull);
    double push = 4 * trop_hull_rounding(hull) / hull->inner, total = 0;

    trop_hull_simplex_free(frame);
    s->push = push <= 0.5 ? push : 0;
    for (int64_t j = 0; j <= k; j++) {
        total += weight_of(j);
    }
    for (int64_t j = 0; j <= k; j++) {
        for (int64_t c = 0; c < k; c++) {
            s->centre[c] += hull->flat->y[hull->flat->frame[j] * k + c] * (weight_of(j) / total);
        }
    }
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

enum trop_status trop_hull_extreme(struct trop_hull *hull, const int64_t *list, int64_t m,
                                   const int64_t *known, int64_t knowns)
{
    struct search s = { .hull = hull, .list = list, .m = m };
    enum trop_status status = search_make(&s);
    int64_t from = 0, count = 1;

    if (status == TROP_OK && hull->deep) {
        status = find_push(&s);
    }
    if (status != TROP_OK) {
        goto done;
    }
    for (int64_t i = 0; i < m; i++) {
        s.stage[i] = s.push > 0 ? PUSHED : PLAIN;
    }
    for (int64_t v = 0; v < knowns; v++) {
        add_vertex(&s, known[v]);
    }
    seed(&s);
    while (count > 0) { /* batches of the first tokens that are not settled */
        while (from < m && s.stage[from] > PLAIN) {
            from++;
        }
        count = 0;
        for (int64_t i = from; i < m && count < BATCH; i++) {
            if (s.stage[i] <= PLAIN) {
                s.batch[count++] = i;
            }
        }
        trop_parallel(trop_hull_workers(hull, count, 32), count, try_batch, &s);
        /* New vertices join V; a token is settled, tried anew, or tried as it is. */
        for (int64_t b = 0; b < count; b++) {
            int64_t *stage = s.stage + s.batch[b];
            if (s.winner[b] >= 0) {
                add_vertex(&s, s.winner[b]);
            } else if (*stage == VERTEX) {
                continue;
            } else if (*stage == PLAIN) {
                *stage = NEAR;
            } else if (s.side[b] == TROP_SIDE_INSIDE) {
                *stage = DEEP;
            } else {
                *stage = *stage == PUSHED && s.side[b] == TROP_SIDE_TOUCHING ? AFAR : PLAIN;
            }
        }
    }
    hull->vertex = trop_alloc(s.knowns, sizeof *hull->vertex);
    if (!hull->vertex) {
        status = no_memory(&s);
        goto done;
    }
    memcpy(hull->vertex, s.known, (size_t)s.knowns * sizeof *s.known);
    hull->vertices = s.knowns;
    trop_sort_ascending(hull->vertex, s.knowns);
    for (int64_t i = 0; hull->deep && i < m; i++) {
        hull->deep[list[i]] = s.stage[i] == DEEP;
    }
done:
    for (int64_t w = 0; s.hand && w < hull->workers; w++) {
        trop_nearest_free(s.hand[w].nearest);
        TROP_FREE(s.hand[w].row, s.hand[w].set, s.hand[w].q);
    }
    TROP_FREE(s.hand, s.zt, s.reach, s.centre, s.mean, s.stage, s.known, s.batch, s.side, s.winner);
    return status;
}
