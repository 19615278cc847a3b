/* shortlist_sieve.c -- tokens proved to be strictly inside the hull, by one look at each.
 *
 * The polytope of a few tokens w lies in the hull of all. Being inside does not depend on the
 * coordinates, which are local ones,
 *
 *   z = A p,   p = s (x - c),   c the mean of the w, s the power of two that brings
 *                               max |w - c|_inf near 1,
 *
 * A lower triangular and such that a sample of the tokens has about the unit matrix as its
 * covariance: a long thin cloud is as good as a round one. The facets <q_f, z> = h_f have
 * h_f > 0, c being inside, and the facet that a ray from c meets is the one with the largest
 * <q_f / h_f, z>: the maximum of a linear functional over the points q_f / h_f of the polar
 * polytope. So the fan (fan.h) of the polar points names the one to three facets that matter
 * for a token, and the token is strictly inside when <q_f, z> < h_f (1 - M) for them.
 *
 * In the plane the facets are those of the exact chain of the z_w; from 3 to 6 dimensions they
 * are Qhull's, with its thickness.
 *
 * The w: a coarse fan of the tokens given, and from each of its cells the point on top in the
 * middle. Any tokens are right; bad ones prove little.
 *
 * Rounding. p is off by 2 u |p| in every coordinate, and A p by (d + 3) u |A| |p| in all; with
 * |p| <= |A^-1| |z| this is e |z|_inf, e = (d + 3) u C, C the largest row sum of |A| |A^-1|. C
 * is kept below 2^14 (shortlist_map.c), so that e < 2^-32 as the fan asks for.
 *
 * The margin M, with k = max_f |q_f|_1 / h_f times R, R the largest |z_wc|:
 *   - the z of the w and of the token move a facet by e |q_f|_1 R each, for tokens not farther
 *     than the w;
 *   - <q_f, z> has an error of (d + 1) u |q_f|_1 R, h_f likewise;
 *   - q_f / h_f is off by 2 u in every coordinate, so that a facet that the fan left out may
 *     be above the one that decided by 4 u k, in units of h_f;
 *   - the polytope of Qhull's facets may stand out over that of the z_w by two thicknesses,
 *     each at most k / R in units of h_f.
 * Together less than 32 (d + 4) u C k + 4 thickness k / R, to which 2^-44 is added for the
 * rounding of the limits. Where M comes above 1/4 the polytope is too flat to prove anything.
 * A token outside, at t > 1 times the way from c to the boundary, has <q_f, z> = t h_f,
 * computed with an error of at most M t h_f: it is not taken for an inner one either.
 */
#include "shape/shortlist_internal.h"

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/status.h"
#include "shape/hull/hull_internal.h"

#include <string.h>

#define SAMPLE 16384      /* tokens that the corners are taken from, at most */
#define MOST_FACETS 16384 /* above this, nothing is proved */
#define FLATTEST 0.25     /* largest margin */

struct trop_shortlist_sieve {
    int64_t d, workers;
    int ready; /* 1: there are facets */
    struct trop_fan *outer, *polar;
    int64_t *sample; /* (SAMPLE) tokens */
    double *at;      /* (SAMPLE, d) where they are */
    int64_t *corner; /* (SAMPLE + 1) the tokens w */
    int64_t corners; /* how many */
    double *place;   /* (SAMPLE, d) where they are */
    double *local;   /* (SAMPLE, d) the same as z */
    int64_t *order;  /* (SAMPLE) scratch */
    int64_t *chain;  /* (SAMPLE + 1) scratch */
    double *normal;  /* (MOST_FACETS, d) q */
    double *limit;   /* (MOST_FACETS) h, then h (1 - M) */
    double *dual;    /* (MOST_FACETS, d) q / h */
    int64_t facets;
    int64_t *first, *found; /* (workers) of a run: a worker's first token, its survivors */
    double centre[TROP_FAN_DIMENSIONS], scale;
    double map[TROP_FAN_DIMENSIONS][TROP_FAN_DIMENSIONS]; /* A */
    double spread, reach;                                 /* C, R */
};

void trop_shortlist_sieve_free(struct trop_shortlist_sieve *s)
{
    if (s) {
        trop_fan_free(s->outer);
        trop_fan_free(s->polar);
        TROP_FREE(s->sample, s->at, s->corner, s->place, s->local, s->order, s->chain, s->normal,
                  s->limit, s->dual, s->first, s->found, s);
    }
}

/* Cells along an axis, for the corners (at most 512 cells) and for the facets. */
static const int64_t outer_grid[TROP_FAN_DIMENSIONS + 1] = { 0, 1, 32, 8, 4, 2, 2 };
static const int64_t polar_grid[TROP_FAN_DIMENSIONS + 1] = { 0, 1, 256, 32, 16, 8, 4 };

enum trop_status trop_shortlist_sieve_create(struct trop_shortlist_sieve **out, int64_t d,
                                             int64_t workers)
{
    struct trop_shortlist_sieve *s = trop_alloc(1, sizeof *s);
    if (!s) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a sieve of tokens");
    }
    s->d = d;
    s->workers = workers;
    if (!TROP_ALLOC(TROP_PART(s->sample, SAMPLE), TROP_PART(s->at, SAMPLE * d),
                    TROP_PART(s->corner, SAMPLE + 1), TROP_PART(s->place, SAMPLE * d),
                    TROP_PART(s->local, SAMPLE * d), TROP_PART(s->order, SAMPLE),
                    TROP_PART(s->chain, SAMPLE + 1), TROP_PART(s->normal, MOST_FACETS * d),
                    TROP_PART(s->limit, MOST_FACETS), TROP_PART(s->dual, MOST_FACETS * d),
                    TROP_PART(s->first, workers), TROP_PART(s->found, workers)) ||
        trop_fan_create(&s->outer, SAMPLE, d, outer_grid[d], workers) != TROP_OK ||
        trop_fan_create(&s->polar, MOST_FACETS, d, polar_grid[d], workers) != TROP_OK) {
        trop_shortlist_sieve_free(s);
        return trop_fail(TROP_ERR_MEMORY, "no memory for a sieve of tokens");
    }
    *out = s;
    return TROP_OK;
}

/* ---- corners --------------------------------------------------------------------------------- */

static inline void local_of(double *z, const struct trop_shortlist_sieve *s, const double *x,
                            int64_t d)
{
    double p[TROP_FAN_DIMENSIONS] = { 0 };

    for (int64_t c = 0; c < d; c++) {
        p[c] = (x[c] - s->centre[c]) * s->scale;
        z[c] = 0;
        for (int64_t k = 0; k <= c; k++) {
            z[c] += s->map[c][k] * p[k];
        }
    }
}

/* Centre and scale of the points at (m, d); 0 where they have no scale. */
static int take_centre(struct trop_shortlist_sieve *s, const double *at, int64_t m)
{
    int64_t d = s->d;
    double reach = 0;
    int exponent = 0;

    for (int64_t c = 0; c < d; c++) {
        double sum = 0;
        for (int64_t k = 0; k < m; k++) {
            sum += (at[k * d + c] - at[c]) / (double)m;
        }
        s->centre[c] = at[c] + sum;
        for (int64_t k = 0; k < m; k++) {
            reach = fmax(reach, fabs(at[k * d + c] - s->centre[c]));
        }
    }
    if (!(reach > 0 && reach <= DBL_MAX)) {
        return 0;
    }
    frexp(reach, &exponent);
    s->scale = ldexp(1, exponent < -1000 ? 1000 : -exponent);
    return s->scale * reach >= 0.5;
}

/* corner <- the sampled tokens on top in the middle of the cells of a coarse fan in z. */
static void find_corners(struct trop_shortlist_sieve *s, int64_t m)
{
    int64_t d = s->d, found = 0;
    const struct trop_fan *fan = s->outer;

    for (int64_t k = 0; k < m; k++) {
        local_of(s->local + k * d, s, s->at + k * d, d);
    }
    trop_fan_build(s->outer, s->local, m, outer_grid[d], m, INT64_MAX);
    memset(s->order, 0, (size_t)m * sizeof *s->order);
    for (int64_t k = 0; k < fan->faces * fan->cells; k++) {
        if (fan->cell[k].count > 0) {
            s->order[fan->pool[k / fan->cells * fan->room + fan->cell[k].start]] = 1;
        }
    }
    for (int64_t k = 0; k < m; k++) {
        if (s->order[k]) {
            s->corner[found] = s->sample[k];
            memcpy(s->place + found++ * d, s->at + k * d, (size_t)d * sizeof *s->at);
        }
    }
    s->corners = found;
}

/* The corners in their own local coordinates; 0 where they have no scale. */
static int place_corners(struct trop_shortlist_sieve *s)
{
    if (!take_centre(s, s->place, s->corners)) {
        return 0;
    }
    s->reach = 0;
    for (int64_t k = 0; k < s->corners; k++) {
        local_of(s->local + k * s->d, s, s->place + k * s->d, s->d);
        for (int64_t c = 0; c < s->d; c++) {
            s->reach = fmax(s->reach, fabs(s->local[k * s->d + c]));
        }
    }
    return s->reach <= DBL_MAX;
}

/* ---- facets ---------------------------------------------------------------------------------- */

static void facets_of_line(struct trop_shortlist_sieve *s)
{
    s->facets = 2;
    s->normal[0] = 1;
    s->normal[1] = -1;
    s->limit[0] = s->local[0];
    s->limit[1] = -s->local[0];
    for (int64_t k = 1; k < s->corners; k++) {
        s->limit[0] = fmax(s->limit[0], s->local[k]);
        s->limit[1] = fmax(s->limit[1], -s->local[k]);
    }
}

/* Sides of the chain, which goes counterclockwise. */
static void facets_of_plane(struct trop_shortlist_sieve *s)
{
    for (int64_t k = 0; k < s->corners; k++) {
        s->order[k] = k;
    }
    int64_t sides = trop_hull_chain(s->chain, s->order, s->local, s->corners);
    s->facets = sides >= 3 ? sides : 0;
    for (int64_t f = 0; f < s->facets; f++) {
        const double *a = s->local + 2 * s->chain[f], *b = s->local + 2 * s->chain[(f + 1) % sides];
        double *q = s->normal + 2 * f;
        q[0] = b[1] - a[1];
        q[1] = a[0] - b[0];
        s->limit[f] = q[0] * a[0] + q[1] * a[1];
    }
}

/* What Qhull cannot make leaves no facets; only memory is an error. */
static enum trop_status facets_of_space(struct trop_shortlist_sieve *s, double *thickness)
{
    struct trop_qhull *made = NULL;
    enum trop_status status = trop_qhull_create(&made, s->local, s->corners, s->d, MOST_FACETS);

    s->facets = 0;
    if (status != TROP_OK) {
        return status == TROP_ERR_MEMORY ? status : TROP_OK;
    }
    if (made->facets <= MOST_FACETS) {
        s->facets = made->facets;
        memcpy(s->normal, made->normals, (size_t)(s->facets * s->d) * sizeof *s->normal);
        for (int64_t f = 0; f < s->facets; f++) {
            s->limit[f] = -made->offsets[f];
        }
        *thickness = made->thickness;
    }
    trop_qhull_free(made);
    return TROP_OK;
}

/* Limits with their margin and the fan of the polar points; 0 where nothing can be proved. */
static int finish_facets(struct trop_shortlist_sieve *s, double thickness)
{
    int64_t d = s->d;
    double longest = 0;

    for (int64_t f = 0; f < s->facets; f++) {
        double size = 0;
        for (int64_t c = 0; c < d; c++) {
            s->dual[f * d + c] = s->normal[f * d + c] / s->limit[f];
            size += fabs(s->dual[f * d + c]);
        }
        if (!(s->limit[f] > 0 && size <= DBL_MAX)) {
            return 0;
        }
        longest = fmax(longest, size);
    }
    double rounding = 32 * (double)(d + 4) * TROP_HULL_UNIT * s->spread * s->reach;
    double margin = 0x1p-44 + longest * (rounding + 4 * thickness);
    if (s->facets == 0 || !(margin <= FLATTEST)) {
        return 0;
    }
    for (int64_t f = 0; f < s->facets; f++) {
        s->limit[f] *= 1 - margin;
    }
    trop_fan_build(s->polar, s->dual, s->facets,
                   trop_fan_grid(d, polar_grid[d], 4 * d * s->facets + 64 * d), s->facets,
                   INT64_MAX);
    return 1;
}

enum trop_status trop_shortlist_sieve_make(struct trop_shortlist_sieve *s, const double *x,
                                           const int64_t *list, int64_t count)
{
    enum trop_status status = TROP_OK;
    double thickness = 0;
    int64_t d = s->d, stride = (count + SAMPLE - 1) / SAMPLE, m = 0;

    s->ready = 0;
    for (int64_t k = 0; k < count; k += stride, m++) { /* up to SAMPLE of the tokens */
        s->sample[m] = list ? list[k] : k;
        memcpy(s->at + m * d, x + s->sample[m] * d, (size_t)d * sizeof *x);
    }
    if (!take_centre(s, s->at, m)) {
        return TROP_OK;
    }
    s->spread = trop_shortlist_map(s->map, s->at, m, d, s->centre, s->scale);
    find_corners(s, m);
    if (s->corners <= d || !place_corners(s)) {
        return TROP_OK;
    }
    if (d == 1) {
        facets_of_line(s);
    } else if (d == 2) {
        facets_of_plane(s);
    } else {
        status = facets_of_space(s, &thickness);
    }
    s->ready = status == TROP_OK && finish_facets(s, thickness);
    return status;
}

int trop_shortlist_sieve_holds(const struct trop_shortlist_sieve *s, const double *x, int64_t n)
{
    for (int64_t k = 0; s->ready && k < s->corners; k++) {
        if (s->corner[k] >= n ||
            memcmp(s->place + k * s->d, x + s->corner[k] * s->d, (size_t)s->d * sizeof *x) != 0) {
            return 0;
        }
    }
    return s->ready;
}

/* ---- the look at every token ----------------------------------------------------------------- */

static inline int inside(const struct trop_shortlist_sieve *s, const double *x, int64_t d)
{
    double z[TROP_FAN_DIMENSIONS] = { 0 };
    const int32_t *facet;

    local_of(z, s, x, d);
    int64_t count = trop_fan_find(&facet, s->polar, z, d);
    for (int64_t k = 0; k < count; k++) {
        const double *q = s->normal + facet[k] * d;
        double height = 0;
        for (int64_t c = 0; c < d; c++) {
            height += q[c] * z[c];
        }
        if (!(height < s->limit[facet[k]])) {
            return 0;
        }
    }
    return count > 0;
}

struct run {
    const struct trop_shortlist_sieve *sieve;
    const double *x;
    const int64_t *list;
    int64_t *out;
};

static inline int64_t run_some(const struct run *run, int64_t first, int64_t last, int64_t d)
{
    int64_t left = first;

    for (int64_t k = first; k < last; k++) {
        int64_t i = run->list ? run->list[k] : k;
        if (!inside(run->sieve, run->x + i * d, d)) {
            run->out[left++] = i;
        }
    }
    return left - first;
}

static void run_range(void *context, int64_t first, int64_t last, int64_t worker)
{
    const struct run *run = context;
    int64_t d = run->sieve->d;

    run->sieve->first[worker] = first;
    run->sieve->found[worker] = d == 2   ? run_some(run, first, last, 2)
                                : d == 3 ? run_some(run, first, last, 3)
                                         : run_some(run, first, last, d);
}

int64_t trop_shortlist_sieve_run(int64_t *out, const struct trop_shortlist_sieve *s,
                                 const double *x, const int64_t *list, int64_t count)
{
    struct run run = { .sieve = s, .x = x, .list = list, .out = out };
    int64_t workers = count < 4096 ? 1 : s->workers, left = 0;

    if (!s->ready) {
        for (int64_t k = 0; k < count; k++) {
            out[k] = list ? list[k] : k;
        }
        return count;
    }
    trop_parallel(workers, count, run_range, &run);
    for (int64_t w = 0; w < workers; w++) {
        memmove(out + left, out + s->first[w], (size_t)s->found[w] * sizeof *out);
        left += s->found[w];
    }
    return left;
}
