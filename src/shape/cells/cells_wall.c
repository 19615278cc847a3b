/* cells_wall.c -- the normals B'(v_p - v_q) of the walls: their lengths, and which vanish.
 *
 * The interiors of the cells are disjoint when no B'(v_p - v_q) is zero. For a multiple of the
 * identity that is so unless it is 0, vertices being distinct. For a matrix, g_p = B'(v_p - v_0)
 * in double is off by at most e_c = (d + 2) u max_p sum_a |B_ac| |v_pa - v_0a| in its entry c;
 * pairs that differ by more than 2 e_c in some entry are told apart by that, the others by exact
 * sums. Vertices are sorted by the entry whose spread is the most of its error, and compared with
 * those before them in that entry's window: k log k on generic data, and k^2 at worst.
 */
#include "shape/cells/cells_internal.h"

#include "attend/exact.h"
#include "base/alloc.h"
#include "base/sort.h"

#include <float.h>
#include <math.h>

#define UNIT 0x1p-53
#define SLACK 1.01
#define TINY 0x1p-1073
#define GOOD 0x1p26 /* errors: a length above this many is taken as it is */
#define SHORT 8 /* powers of two by which a normal is below 1: room for distances near overflow */
#define LOWEST (-10000) /* less than the power of any sum */

/* Entry c of B'(v_p - v_q): exactly. */
static void exact_entry(struct trop_exact *sum, const struct trop_cells_scene *s, int64_t p,
                        int64_t q, int64_t c)
{
    const double *v = trop_cells_corner(s, p), *w = trop_cells_corner(s, q);

    trop_exact_clear(sum);
    for (int64_t a = s->b.values ? 0 : c; a < (s->b.values ? s->d : c + 1); a++) {
        double b = s->b.values ? s->b.values[a * s->d + c] : s->b.scale;
        trop_exact_add(sum, b, v[a], 1);
        trop_exact_subtract(sum, b, w[a], 1);
    }
}

/* Entry c, and the larger of its power and the one so far; a power of no number is LOWEST. */
static struct trop_cells_scaled scaled_entry(int64_t *power, const struct trop_cells_scene *s,
                                             int64_t p, int64_t q, int64_t c)
{
    struct trop_exact sum;

    exact_entry(&sum, s, p, q, c);
    struct trop_cells_scaled h = trop_cells_scaled_sum(&sum);
    *power = h.value != 0 && h.power > *power ? h.power : *power;
    return h;
}

int64_t trop_cells_normal(double *out, const struct trop_cells_scene *s, int64_t p, int64_t q)
{
    int64_t power = LOWEST;

    for (int64_t c = 0; c < s->d; c++) {
        scaled_entry(&power, s, p, q, c);
    }
    for (int64_t c = 0; c < s->d; c++) {
        struct trop_cells_scaled h = scaled_entry(&power, s, p, q, c);
        out[c] = ldexp(h.value, (int)(h.power - power - SHORT));
    }
    return power + SHORT;
}

/* Entry c of B' (v - w) in double, and a bound of its error. */
static double entry(double *error, const struct trop_cells_scene *s, const double *v,
                    const double *w, int64_t c)
{
    double sum = 0, size = 0;

    for (int64_t a = s->b.values ? 0 : c; a < (s->b.values ? s->d : c + 1); a++) {
        double term = (s->b.values ? s->b.values[a * s->d + c] : s->b.scale) * (v[a] - w[a]);
        sum += term;
        size += fabs(term);
    }
    *error = SLACK * UNIT * (double)(s->d + 4) * size + TINY * (double)(s->d + 2);
    return sum;
}

/* sqrt(sum h^2) without overflow, one entry at a time. */
static double longer(double length, double h)
{
    double big = fmax(length, fabs(h)), small = fmin(length, fabs(h));

    return big > 0 && big <= DBL_MAX ? big * sqrt(1 + small / big * (small / big)) : big;
}

double trop_cells_normal_length(const struct trop_cells_scene *s, int64_t p, int64_t q)
{
    double length = 0, doubt = 0, error;
    struct trop_exact sum;

    for (int64_t c = 0; c < s->d; c++) {
        length =
            longer(length, entry(&error, s, trop_cells_corner(s, p), trop_cells_corner(s, q), c));
        doubt = longer(doubt, error);
    }
    if (length > GOOD * doubt) {
        return length;
    }
    length = 0;
    for (int64_t c = 0; c < s->d; c++) {
        exact_entry(&sum, s, p, q, c);
        length = longer(length, trop_exact_value(&sum));
    }
    return length;
}

struct trop_cells_scaled trop_cells_normal_scaled(const struct trop_cells_scene *s, int64_t p,
                                                  int64_t q)
{
    int64_t power = LOWEST, highest;
    double length = 0;

    for (int64_t c = 0; c < s->d; c++) {
        highest = power;
        struct trop_cells_scaled h = scaled_entry(&power, s, p, q, c);
        length =
            longer(ldexp(length, (int)(highest - power)), ldexp(h.value, (int)(h.power - power)));
    }
    return (struct trop_cells_scaled){ length, power };
}

/* ---- twins --------------------------------------------------------------------------------- */

struct images {
    const struct trop_cells_scene *s;
    double *g;      /* (count, d) the scene's images */
    double *error;  /* (d) */
    int64_t *order; /* (count) */
    int64_t *heads; /* (count) vertices that are no one's twin, in that order */
    int64_t sorted; /* the entry by which order goes */
};

static int before(const void *context, int64_t p, int64_t q)
{
    const struct images *m = context;
    double a = m->g[p * m->s->d + m->sorted], b = m->g[q * m->s->d + m->sorted];

    return a < b || (a == b && p < q);
}

/* 1: B'(v_p - v_q) = 0. */
static int coincide(const struct images *m, int64_t p, int64_t q)
{
    int64_t d = m->s->d;
    struct trop_exact sum;

    for (int64_t c = 0; c < d; c++) {
        if (fabs(m->g[p * d + c] - m->g[q * d + c]) > 2.5 * m->error[c]) {
            return 0;
        }
    }
    for (int64_t c = 0; c < d; c++) {
        exact_entry(&sum, m->s, p, q, c);
        if (trop_exact_sign(&sum) != 0) {
            return 0;
        }
    }
    return 1;
}

/* g, the errors, the span, and the entry to sort by. */
static void measure(struct images *m, struct trop_cells_scene *s)
{
    int64_t d = s->d;
    double most = -1, longest = 0, blur = 0;

    for (int64_t p = 0; p < s->count; p++) {
        double length = 0, doubt = 0;
        for (int64_t c = 0; c < d; c++) {
            double error;
            m->g[p * d + c] = entry(&error, s, trop_cells_corner(s, p), trop_cells_corner(s, 0), c);
            m->error[c] = fmax(m->error[c], error);
            length = longer(length, m->g[p * d + c]);
            doubt += error;
        }
        longest = fmax(longest, length + doubt);
    }
    s->span = 2.001 * longest; /* |g_p - g_q| <= |g_p| + |g_q| */
    for (int64_t c = 0; c < d; c++) {
        blur = longer(blur, m->error[c]);
    }
    s->blur = 2.001 * blur;
    for (int64_t c = 0; c < d; c++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t p = 0; p < s->count; p++) {
            low = fmin(low, m->g[p * d + c]);
            high = fmax(high, m->g[p * d + c]);
        }
        if ((high - low) / m->error[c] > most) {
            most = (high - low) / m->error[c];
            m->sorted = c;
        }
    }
}

/* twin for every vertex, from the heads in its window; returns how many heads there are. */
static int64_t find_twins(struct images *m, int64_t *twin)
{
    int64_t d = m->s->d, heads = 0;
    double window = 2.5 * m->error[m->sorted];

    for (int64_t k = 0; k < m->s->count; k++) {
        int64_t p = m->order[k];
        double at = m->g[p * d + m->sorted];
        twin[p] = p;
        for (int64_t h = heads - 1; h >= 0 && twin[p] == p; h--) {
            int64_t q = m->heads[h];
            if (at - m->g[q * d + m->sorted] > window) {
                break;
            }
            twin[p] = coincide(m, p, q) ? q : p;
        }
        if (twin[p] == p) {
            m->heads[heads++] = p;
        }
    }
    return heads;
}

int trop_cells_twins(struct trop_cells_scene *s)
{
    int64_t count = s->count, heads = -1;
    struct images m = { .s = s, .g = s->image };

    if (TROP_ALLOC(TROP_PART(m.error, s->d), TROP_PART(m.order, count),
                   TROP_PART(m.heads, count))) {
        measure(&m, s);
        for (int64_t p = 0; p < count; p++) {
            m.order[p] = p;
        }
        trop_sort(m.order, count, before, &m);
        heads = find_twins(&m, s->twin);
        /* Every class is known by its lowest rank. */
        int64_t *lowest = m.order;
        for (int64_t p = count - 1; p >= 0; p--) {
            lowest[s->twin[p]] = p;
        }
        for (int64_t p = 0; p < count; p++) {
            s->twin[p] = lowest[s->twin[p]];
        }
    }
    TROP_FREE(m.error, m.order, m.heads);
    return heads < 0 ? -1 : heads == count;
}
