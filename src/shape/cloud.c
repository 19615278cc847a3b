/* cloud.c -- plain measures of a token cloud: diameter, radius, clusters.
 *
 * Diameter: with r_i the distance of token i from some centre, |x_i - x_j| is at
 * most r_i + r_j. The centre is halfway between two far tokens; tokens are taken from
 * the farthest inwards, and a pair whose bound is below the best so far ends the
 * search: exact, and nearly linear for clouds with few extreme tokens.
 *
 * Clusters: tokens are sorted lexicographically from the widest coordinate on, so
 * that equal tokens stand together and joined ones lie in a window of that
 * coordinate; a disjoint-set forest joins them.
 */
#include "shape/cloud.h"

#include "base/linalg.h"
#include "base/sort.h"
#include "shape/boxes.h"

#include <math.h>

#define PAIRS 16  /* looked at per token, before scores are cheaper */
#define MANY 4096 /* tokens, from which on boxes are cheaper than scores */

/* |a - (b + c)/2|: plain squares where they are safe, scaled ones elsewhere. */
static double from_middle(const double *a, const double *b, const double *c, int64_t d)
{
    double sum = 0, size = 0;

    for (int64_t k = 0; k < d; k++) {
        double t = a[k] - (0.5 * b[k] + 0.5 * c[k]);
        sum = fma(t, t, sum);
    }
    if (sum > 0x1p-900 && sum < 0x1p900) {
        return sqrt(sum);
    }
    for (int64_t k = 0; k < d; k++) {
        size = fmax(size, fabs(a[k] - (0.5 * b[k] + 0.5 * c[k])));
    }
    if (size == 0 || !isfinite(size)) {
        return size;
    }
    sum = 0;
    for (int64_t k = 0; k < d; k++) {
        double t = (a[k] - (0.5 * b[k] + 0.5 * c[k])) / size;
        sum = fma(t, t, sum);
    }
    return size * sqrt(sum);
}

double trop_cloud_distance(const double *a, const double *b, int64_t d)
{
    return from_middle(a, b, b, d);
}

/* Sums in four lanes, without fma: a call of the C library where the compiler may not assume the
 * instruction. The pad of 2^-40 covers the rounding of d squares. */
int trop_cloud_beyond(const double *a, const double *b, int64_t d, double limit)
{
    const double square = fmax(limit * limit * (1 + 0x1p-40), 0x1p-900);
    double sum[4] = { 0 };
    int64_t k = 0;

    while (k + 8 <= d) {
        for (int64_t end = k + 8; k < end; k += 4) {
            for (int lane = 0; lane < 4; lane++) {
                double t = a[k + lane] - b[k + lane];
                sum[lane] += t * t;
            }
        }
        if ((sum[0] + sum[1]) + (sum[2] + sum[3]) > square) {
            return 1;
        }
    }
    for (; k < d; k++) {
        double t = a[k] - b[k];
        sum[0] += t * t;
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]) > square;
}

double trop_cloud_radius(const double *x, int64_t n, int64_t d)
{
    double radius = 0;
    for (int64_t i = 0; i < n; i++) {
        double r = trop_linalg_norm(x + i * d, d);
        radius = r > radius ? r : radius;
    }
    return radius;
}

static int farther(const void *context, int64_t a, int64_t b)
{
    const double *far = context;
    return far[a] != far[b] ? far[a] > far[b] : a < b;
}

/* The token farthest from token i. */
static int64_t farthest(const double *x, int64_t n, int64_t d, int64_t i)
{
    int64_t end = i;
    double reach = 0;

    for (int64_t j = 0; j < n; j++) {
        double r = trop_cloud_distance(x + i * d, x + j * d, d);
        if (r > reach) {
            reach = r;
            end = j;
        }
    }
    return end;
}

double trop_cloud_diameter(const double *x, int64_t n, int64_t d, int64_t *order, double *far,
                           struct trop_attend *attend)
{
    int64_t a = farthest(x, n, d, n / 2), pairs = 0;
    int64_t b = farthest(x, n, d, a);
    double diameter = trop_cloud_distance(x + a * d, x + b * d, d);

    for (int64_t i = 0; i < n; i++) {
        order[i] = i;
        /* Rounded up: the bound must hold for the computed distances. */
        far[i] = from_middle(x + i * d, x + a * d, x + b * d, d) * (1 + 0x1p-40);
    }
    trop_sort(order, n, farther, far);
    for (int64_t i = 1; i < n && far[order[i]] + far[order[0]] >= diameter; i++) {
        for (int64_t j = 0; j < i && far[order[i]] + far[order[j]] >= diameter; j++) {
            double r = trop_cloud_distance(x + order[i] * d, x + order[j] * d, d);
            diameter = r > diameter ? r : diameter;
            if (++pairs <= PAIRS * n) {
                continue;
            }
            /* Many pairs are nearly as far apart: boxes in low dimension, scores in high. */
            double known = diameter;
            return n >= MANY && d <= 6 && trop_boxes_diameter(&diameter, x, n, d, known) == TROP_OK
                       ? diameter
                       : fmax(known, trop_attend_diameter(attend, x, n, far));
        }
    }
    return diameter;
}

struct sweep {
    const double *x;
    int64_t d, widest;
};

static int along(const void *context, int64_t a, int64_t b)
{
    const struct sweep *s = context;
    for (int64_t k = 0; k < s->d; k++) {
        int64_t c = (s->widest + k) % s->d;
        double xa = s->x[a * s->d + c], xb = s->x[b * s->d + c];
        if (xa != xb) {
            return xa < xb;
        }
    }
    return a < b;
}

static int64_t root(int64_t *parent, int64_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/* The lower index becomes the root, so that a cluster is named by its first token. */
static void join(int64_t *parent, int64_t a, int64_t b)
{
    a = root(parent, a);
    b = root(parent, b);
    if (a < b) {
        parent[b] = a;
    } else {
        parent[a] = b;
    }
}

int64_t trop_cloud_clusters(int64_t *labels, const double *x, int64_t n, int64_t d, double distance,
                            int64_t *order, int64_t *parent)
{
    struct sweep sweep = { x, d, 0 };
    int64_t places = 0, count = 0;
    double width = -1;

    for (int64_t c = 0; c < d; c++) {
        double low = x[c], high = x[c];
        for (int64_t i = 1; i < n; i++) {
            low = fmin(low, x[i * d + c]);
            high = fmax(high, x[i * d + c]);
        }
        sweep.widest = high - low > width ? c : sweep.widest;
        width = fmax(width, high - low);
    }
    for (int64_t i = 0; i < n; i++) {
        order[i] = i;
        parent[i] = i;
    }
    trop_sort(order, n, along, &sweep);
    /* Equal tokens join at once and only their first stays in the list. */
    for (int64_t k = 0; k < n; k++) {
        if (places > 0 &&
            trop_cloud_distance(x + order[places - 1] * d, x + order[k] * d, d) == 0) {
            join(parent, order[places - 1], order[k]);
        } else {
            order[places++] = order[k];
        }
    }
    for (int64_t k = 1; k < places; k++) {
        const double *xk = x + order[k] * d;
        for (int64_t m = k - 1; m >= 0; m--) {
            const double *xm = x + order[m] * d;
            if (xk[sweep.widest] - xm[sweep.widest] > distance) {
                break;
            }
            if (root(parent, order[k]) != root(parent, order[m]) &&
                trop_cloud_distance(xk, xm, d) <= distance) {
                join(parent, order[k], order[m]);
            }
        }
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t first = root(parent, i);
        labels[i] = first == i ? count++ : labels[first];
    }
    return count;
}
