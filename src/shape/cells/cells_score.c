/* cells_score.c -- one point against every vertex: its cell, margin, walls, gap, cones.
 *
 * The scores of a point x are T_p = <B x, v_p - v_0> over the vertices, from v_0 so that a
 * small cloud far from the origin keeps its digits. In double, y = B x is d chains of d
 * products, w_p = v_p - v_0 is rounded once, and t_p = sum_c y_c w_pc is plain: with u = 2^-53,
 *
 *   |t_p - T_p| <= (2 d + 2) u sum_c (|B| |x|)_c |w_pc|   plus (d + 2) 2^-1074 (1 + sum |w_pc|),
 *
 * and `bound` is this with reach_c = max_p |w_pc| for |w_pc|, (2 d + 8) for (2 d + 2) and
 * 1.01 for what is of second order. Only vertices within 3 bounds of the largest t can attain
 * the maximum: among those trop_decide_bilinear decides for the real numbers. A bound that is
 * not finite lets all of them in. The scan costs k d operations for k vertices, and on generic
 * data no exact sum at all.
 *
 * Differences T_best - T_p are read off t while they exceed 64 bounds and are exact sums
 * otherwise, so each has its true sign, an error of at most 2 bounds, and a relative error of
 * at most 1/32. What leaves double is infinite or the least number there is.
 *
 * The wall between best and p is the hyperplane <B ., v_best - v_p> = 0, at the distance
 * (T_best - T_p)/|B'(v_best - v_p)|; the cell being the intersection of these half-spaces
 * (with K), the nearest wall is the nearest of the hyperplanes. |B'(...)| <= span, and the images
 * B'(v_p - v_0) in double, spare all but a few of the norms. Where B'(v_best - v_p) = 0 there is no
 * wall (`twin`). Of tokens of 1e300 or 1e-300 a distance is a double though lead and normal are
 * not; it is taken from exact sums then (cells_scaled.c), and so are energies and erosions.
 */
#include "shape/cells/cells_internal.h"

#include "attend/decide.h"
#include "attend/exact.h"
#include "base/alloc.h"

#include <float.h>
#include <math.h>

#define LANES TROP_CELLS_LANES
#define UNIT 0x1p-53
#define SLACK 1.01
#define TINY 0x1p-1073
#define BAND 3.0   /* bounds: what may attain the maximum; 2, and the rounding of t - 2 bound */
#define CLEAR 64.0 /* bounds: above this a difference of two t is good */
#define LEAST 0x1p-1074
#define LOW 0x1p-900 /* LOW to HIGH: double has all its digits, and room for a few terms */
#define HIGH 0x1p1000

/* ---- the scene ----------------------------------------------------------------------------- */

static int64_t padded(const struct trop_cells_scene *s)
{
    return (s->count + LANES - 1) / LANES * LANES;
}

int64_t trop_cells_scene_scratch(const struct trop_cells_scene *scene)
{
    return padded(scene) + 4 * scene->d;
}

void trop_cells_scene_free(struct trop_cells_scene *scene)
{
    TROP_FREE(scene->lanes, scene->reach, scene->height, scene->twin, scene->image);
}

/* y = B x and bulk = |B| |x|. */
static void image(double *y, double *bulk, const struct trop_cells_scene *s, const double *x)
{
    for (int64_t a = 0; a < s->d; a++) {
        if (!s->b.values) {
            y[a] = s->b.scale * x[a];
            bulk[a] = fabs(y[a]);
            continue;
        }
        const double *row = s->b.values + a * s->d;
        y[a] = bulk[a] = 0;
        for (int64_t c = 0; c < s->d; c++) {
            y[a] += row[c] * x[c];
            bulk[a] += fabs(row[c] * x[c]);
        }
    }
}

/* One term's worth of rounding, as the file comment has it. */
static double rounding(const struct trop_cells_scene *s, double size, double reach)
{
    return SLACK * UNIT * (double)(2 * s->d + 8) * size + TINY * (double)(s->d + 2) * (1 + reach);
}

/* height_p = <B w_p, w_p>/2 and the largest error of one: w is off by u in both places. */
static void measure_heights(struct trop_cells_scene *s, double *scratch)
{
    double *w = scratch, *y = w + s->d, *bulk = y + s->d;

    for (int64_t p = 0; p < s->count; p++) {
        double sum = 0, size = 0, reach = 0;
        for (int64_t c = 0; c < s->d; c++) {
            w[c] = trop_cells_corner(s, p)[c] - trop_cells_corner(s, 0)[c];
        }
        image(y, bulk, s, w);
        for (int64_t c = 0; c < s->d; c++) {
            sum += y[c] * w[c];
            size += bulk[c] * fabs(w[c]);
            reach += fabs(w[c]);
        }
        double error = rounding(s, size, reach);
        s->height[p] = 0.5 * sum;
        s->tall = !(error <= s->tall) ? error : s->tall; /* NaN stays */
    }
}

int trop_cells_scene_make(struct trop_cells_scene *s)
{
    int64_t d = s->d;

    double *scratch;
    if (!TROP_ALLOC(TROP_PART(s->lanes, trop_alloc_product(padded(s), d)), TROP_PART(s->reach, d),
                    TROP_PART(s->height, s->count), TROP_PART(s->twin, s->count),
                    TROP_PART(s->image, trop_alloc_product(s->count, d)),
                    TROP_PART(scratch, 3 * d))) {
        return 0; /* what there is goes with the scene; scratch, the last, was refused or not tried
                   */
    }
    for (int64_t p = 0; p < s->count; p++) {
        for (int64_t c = 0; c < d; c++) {
            double w = trop_cells_corner(s, p)[c] - trop_cells_corner(s, 0)[c];
            s->lanes[(p / LANES * d + c) * LANES + p % LANES] = w;
            s->reach[c] = fmax(s->reach[c], fabs(w));
        }
    }
    measure_heights(s, scratch);
    trop_alloc_free(scratch);
    return 1;
}

/* ---- scores -------------------------------------------------------------------------------- */

double trop_cells_scores(double *out, const struct trop_cells_scene *s, const double *x,
                         double *scratch)
{
    double *y = scratch, *bulk = y + s->d, size = 0, reach = 0;

    image(y, bulk, s, x);
    for (int64_t p = 0; p < s->count; p += LANES) {
        const double *w = s->lanes + p * s->d;
        double t[LANES] = { 0 };
        for (int64_t c = 0; c < s->d; c++, w += LANES) {
            for (int l = 0; l < LANES; l++) {
                t[l] += y[c] * w[l];
            }
        }
        for (int l = 0; l < LANES; l++) {
            out[p + l] = t[l];
        }
    }
    for (int64_t c = 0; c < s->d; c++) {
        size += bulk[c] * s->reach[c];
        reach += s->reach[c];
    }
    return rounding(s, size, reach);
}

static void exact_lead(struct trop_exact *sum, const struct trop_cells_scene *s, const double *x,
                       const double *v, const double *w)
{
    trop_exact_clear(sum);
    for (int64_t a = 0; a < s->d; a++) {
        const double *row = s->b.values ? s->b.values + a * s->d : NULL;
        for (int64_t c = row ? 0 : a; c < (row ? s->d : a + 1) && v[a] != w[a]; c++) {
            double b = row ? row[c] : s->b.scale;
            trop_exact_add(sum, b, x[c], v[a]);
            trop_exact_subtract(sum, b, x[c], w[a]);
        }
    }
}

/* <B x, v - w> within an ulp and of its true sign. */
static double lead_of(const struct trop_cells_scene *scene, const double *x, const double *v,
                      const double *w)
{
    struct trop_exact sum;

    exact_lead(&sum, scene, x, v, w);
    double value = trop_exact_value(&sum);
    return value == 0 ? trop_exact_sign(&sum) * LEAST : value;
}

struct trop_cells_scaled trop_cells_lead_scaled(const struct trop_cells_scene *scene,
                                                const double *x, const double *v, const double *w)
{
    struct trop_exact sum;

    exact_lead(&sum, scene, x, v, w);
    return trop_cells_scaled_sum(&sum);
}

struct trop_cells_scaled trop_cells_form(const struct trop_cells_scene *s, const double *x,
                                         int sizes)
{
    struct trop_exact sum;

    trop_exact_clear(&sum);
    for (int64_t a = 0; a < s->d; a++) {
        const double *row = s->b.values ? s->b.values + a * s->d : NULL;
        for (int64_t c = row ? 0 : a; c < (row ? s->d : a + 1); c++) {
            double b = row ? row[c] : s->b.scale;
            trop_exact_add(&sum, sizes ? fabs(b) : b, sizes ? fabs(x[a]) : x[a],
                           sizes ? fabs(x[c]) : x[c]);
        }
    }
    return trop_cells_scaled_sum(&sum);
}

/* ---- one point ----------------------------------------------------------------------------- */

struct view {
    const struct trop_cells_scene *s;
    const double *x;
    double *t;        /* (count) scores from v_0 */
    double *y, *bulk; /* (d) */
    double bound;
    int sure; /* the bound is finite: t means something */
};

/* T_best - T_p, by its sign right and to 1/32. */
static double lead(const struct view *v, int64_t best, int64_t p)
{
    double m = v->t[best] - v->t[p];

    return v->sure && m > CLEAR * v->bound
               ? m
               : lead_of(v->s, v->x, trop_cells_corner(v->s, best), trop_cells_corner(v->s, p));
}

/* The two largest scores, when they are clear of each other: then all is said. Returns 0 when
 * they are not, and the exact way has to be taken. */
static int find_clear(struct trop_cells_mark *out, const struct view *v)
{
    double top = v->t[0], second = -INFINITY;
    int64_t best = 0, next = -1;

    for (int64_t p = 1; p < v->s->count && v->sure; p++) {
        if (v->t[p] > top) {
            second = top;
            next = best;
            top = v->t[p];
            best = p;
        } else if (v->t[p] > second) {
            second = v->t[p];
            next = p;
        }
    }
    if (!v->sure || !(top - second > CLEAR * v->bound)) {
        return 0;
    }
    out->best = best;
    out->next = next;
    out->unique = 1;
    out->margin = top - second;
    return 1;
}

/* The vertices that attain the maximum, for the real numbers, and then the best of the others and
 * what it lacks. */
static void find_exactly(struct trop_cells_mark *out, const struct view *v)
{
    double top = -INFINITY;

    for (int64_t p = 0; p < v->s->count; p++) {
        top = v->t[p] > top ? v->t[p] : top;
    }
    double floor = v->sure ? top - BAND * v->bound : -INFINITY;
    out->best = out->next = -1;
    for (int64_t p = 0; p < v->s->count; p++) {
        if (v->t[p] < floor) {
            continue;
        }
        int sign = out->best < 0
                       ? 1
                       : trop_decide_bilinear(&v->s->b, v->x, trop_cells_corner(v->s, p),
                                              trop_cells_corner(v->s, out->best), v->s->d);
        if (sign > 0) {
            out->best = p;
            out->unique = 1;
        } else if (sign == 0) {
            out->next = out->unique ? p : out->next; /* the lowest one tied with best */
            out->unique = 0;
        }
    }
    out->margin = out->unique ? INFINITY : 0;
    if (!out->unique) {
        return;
    }
    double second = -INFINITY;
    for (int64_t p = 0; p < v->s->count; p++) {
        second = p != out->best && v->t[p] > second ? v->t[p] : second;
    }
    floor = v->sure ? second - BAND * v->bound : -INFINITY;
    for (int64_t p = 0; p < v->s->count; p++) {
        double m = p == out->best || v->t[p] < floor ? INFINITY : lead(v, out->best, p);
        if (m < out->margin) {
            out->margin = m;
            out->next = p;
        }
    }
    out->margin = out->margin > 0 ? out->margin : LEAST; /* it is not on a wall */
}

static int is_plain(double size)
{
    return size > LOW && size < HIGH;
}

/* 1: by the images of the vertices, rounded as they are, the wall with p is farther than known. */
static int is_farther(const struct view *v, int64_t best, int64_t p, double known)
{
    const double *g = v->s->image + best * v->s->d, *h = v->s->image + p * v->s->d;
    double square = 0;

    for (int64_t c = 0; c < v->s->d; c++) {
        square += (g[c] - h[c]) * (g[c] - h[c]);
    }
    return square > LOW && square < HIGH &&
           v->t[best] - v->t[p] - BAND * v->bound > 1.001 * known * (sqrt(square) + v->s->blur);
}

/* The distance to the wall with p, when it is below what is known. */
static double nearer_wall(const struct view *v, int64_t best, int64_t p, double known)
{
    if (p == best || v->s->twin[p] == v->s->twin[best] || is_farther(v, best, p, known)) {
        return known;
    }
    double m = lead(v, best, p), length = trop_cells_normal_length(v->s, best, p);
    double distance = m == 0 ? 0 : m / length;
    if (m != 0 && !(is_plain(m) && is_plain(length))) {
        distance = trop_cells_scaled_ratio(trop_cells_lead_scaled(v->s, v->x,
                                                                  trop_cells_corner(v->s, best),
                                                                  trop_cells_corner(v->s, p)),
                                           trop_cells_normal_scaled(v->s, best, p));
    }
    return distance < known ? distance : known;
}

/* Below the floor a score is too far from the best for its wall to be nearer than known. */
static double wall_floor(const struct view *v, int64_t best, double known)
{
    return v->sure ? v->t[best] - BAND * v->bound - 1.001 * known * v->s->span : -INFINITY;
}

static void find_wall(struct trop_cells_mark *out, const struct view *v)
{
    out->wall = out->next >= 0 ? nearer_wall(v, out->best, out->next, INFINITY) : INFINITY;
    double floor = wall_floor(v, out->best, out->wall);
    for (int64_t p = 0; p < v->s->count; p++) {
        if (v->t[p] < floor) {
            continue;
        }
        double known = nearer_wall(v, out->best, p, out->wall);
        if (known < out->wall) {
            out->wall = known;
            floor = wall_floor(v, out->best, known);
        }
    }
}

static void find_gap(struct trop_cells_mark *out, const struct view *v)
{
    const double *first = trop_cells_corner(v->s, 0), *top = trop_cells_corner(v->s, out->best);
    double own = 0, size = 0, reach = 0, energy = 0;

    for (int64_t c = 0; c < v->s->d; c++) {
        double w = v->x[c] - first[c];
        own += v->y[c] * w;
        size += v->bulk[c] * fabs(w);
        reach += fabs(w);
        energy += v->y[c] * v->x[c];
    }
    double gap = v->t[out->best] - own, bound = v->bound + rounding(v->s, size, reach);
    out->energy = 0.5 * energy;
    if (!is_plain(fabs(energy))) {
        struct trop_cells_scaled form = trop_cells_form(v->s, v->x, 0);
        form.power--;
        out->energy = trop_cells_scaled_double(form);
    }
    if (trop_decide_equal(v->x, top, v->s->d)) {
        gap = 0;
    } else if (!(gap > CLEAR * bound && bound <= DBL_MAX)) {
        gap = lead_of(v->s, v->x, top, v->x);
    }
    out->gap = gap > 0 ? gap : 0;
}

/* 1: T_best - T_p >= eta. */
static int leads_by_eta(const struct view *v, int64_t best, int64_t p)
{
    double m = v->t[best] - v->t[p], eta = v->s->eta;
    double doubt = BAND * v->bound + 4 * UNIT * eta;
    struct trop_exact sum;

    if (v->sure && fabs(m - eta) > doubt) {
        return m > eta;
    }
    exact_lead(&sum, v->s, v->x, trop_cells_corner(v->s, best), trop_cells_corner(v->s, p));
    trop_exact_subtract(&sum, eta, 1, 1);
    return trop_exact_sign(&sum) >= 0;
}

/* 1: (T_best - T_p - eta)/|B'(v_best - v_p)| >= erode, a distance, from numbers that are none. */
static int leads_far(const struct view *v, int64_t best, int64_t p)
{
    struct trop_exact sum;

    exact_lead(&sum, v->s, v->x, trop_cells_corner(v->s, best), trop_cells_corner(v->s, p));
    trop_exact_subtract(&sum, v->s->eta, 1, 1);
    struct trop_cells_scaled rest = trop_cells_scaled_sum(&sum);
    if (v->s->twin[p] == v->s->twin[best]) {
        return rest.value >= 0;
    }
    struct trop_cells_scaled length = trop_cells_normal_scaled(v->s, best, p);
    return trop_cells_scaled_ratio(rest, length) >= v->s->erode;
}

/* 1: T_best - T_p >= eta + erode |B'(v_best - v_p)|, in double. */
static int leads_deeply(const struct view *v, int64_t best, int64_t p)
{
    double m = v->t[best] - v->t[p], eta = v->s->eta, erode = v->s->erode;

    if (v->sure && m - BAND * v->bound > 1.001 * (eta + erode * v->s->span)) {
        return 1;
    }
    m = lead(v, best, p);
    double length = trop_cells_normal_length(v->s, best, p), least = eta + erode * length;
    return is_plain(m) && is_plain(length) && is_plain(least) ? m >= least : leads_far(v, best, p);
}

static void find_cones(struct trop_cells_mark *out, const struct view *v)
{
    out->dominant = v->s->eta >= 0;
    for (int64_t p = 0; p < v->s->count && out->dominant; p++) {
        out->dominant = p == out->best || leads_by_eta(v, out->best, p);
    }
    out->deep = out->dominant && v->s->erode >= 0;
    for (int64_t p = 0; p < v->s->count && out->deep && v->s->erode > 0; p++) {
        out->deep = p == out->best || leads_deeply(v, out->best, p);
    }
}

void trop_cells_scan(struct trop_cells_mark *out, const struct trop_cells_scene *scene,
                     const double *x, int inside, double *scratch)
{
    struct view v = { .s = scene, .x = x, .t = scratch, .y = scratch + padded(scene) };

    v.bulk = v.y + scene->d;
    v.bound = trop_cells_scores(v.t, scene, x, v.y);
    v.sure = v.bound <= DBL_MAX;
    *out = (struct trop_cells_mark){ 0 };
    if (!find_clear(out, &v)) {
        find_exactly(out, &v);
    }
    find_wall(out, &v);
    if (inside) {
        find_gap(out, &v);
        find_cones(out, &v);
    }
}
