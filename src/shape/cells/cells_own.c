/* cells_own.c -- which vertices own their cells, and the hypotheses of theorem 4.2.
 *
 * v_p owns its cell when <B v_p, v_p - v_q> > 0 for every other vertex q: it is in its cell and in
 * no other. That is what the scan of v_p said: its label is itself.
 *
 * Voronoi (proposition 4.5): B symmetric and J equal on the vertices. Vertices that were placed on
 * a level set of J have it up to their rounding, so J counts as equal when its values differ by at
 * most 8 (d + 2) u max_p sum_ac |v_pa B_ac v_pc|/2. The cells are the Voronoi cells then up to a
 * like rounding. Where those sums leave double, exact ones are compared, by the power of two of the
 * largest.
 */
#include "shape/cells/cells_internal.h"

#include <math.h>
#include <stdio.h>

#define UNIT 0x1p-53
#define LOW 0x1p-900 /* LOW to HIGH: double has all its digits, and room for a few terms */
#define HIGH 0x1p1000

/* Why theorem 4.2 does not apply: the first vertex without its cell, or else the first token on
 * a wall. */
static void explain(struct trop_cells *c)
{
    struct trop_cells_mark mark;

    for (int64_t p = 0; p < c->vertices; p++) {
        if (!c->owns[p]) {
            trop_cells_scan(&mark, &c->scene, trop_cells_corner(&c->scene, p), 1, c->scores);
            int64_t other = mark.best != p ? mark.best : mark.next;
            snprintf(c->obstacle, sizeof c->obstacle,
                     "vertex %lld does not own its cell: <B x, x_%lld> is not smaller",
                     (long long)c->vertex[p], (long long)c->vertex[other]);
            return;
        }
    }
    for (int64_t i = 0; i < c->n; i++) {
        if (c->labels[i] < 0) {
            trop_cells_scan(&mark, &c->scene, c->x + i * c->d, 1, c->scores);
            snprintf(c->obstacle, sizeof c->obstacle,
                     "token %lld is on a wall between vertices %lld and %lld", (long long)i,
                     (long long)c->vertex[mark.best], (long long)c->vertex[mark.next]);
            return;
        }
    }
}

int trop_cells_symmetric(const struct trop_cells *c)
{
    const double *b = c->scene.b.values;

    for (int64_t a = 0; b && a < c->d; a++) {
        for (int64_t k = 0; k < a; k++) {
            if (b[a * c->d + k] != b[k * c->d + a]) {
                return 0;
            }
        }
    }
    return 1;
}

/* 1: the spread of energies up to their largest size is that of rounding. */
static int is_rounding(double spread, double size, int64_t d)
{
    return spread <= 8 * (double)(d + 2) * UNIT * size;
}

/* The same for 2 J by exact sums, of any size. */
static int equal_forms(const struct trop_cells *c)
{
    double low = INFINITY, high = -INFINITY, size = 0;
    int64_t power = 0;

    for (int64_t p = 0, found = 0; p < c->vertices; p++) {
        struct trop_cells_scaled bulk =
            trop_cells_form(&c->scene, trop_cells_corner(&c->scene, p), 1);
        power = bulk.value != 0 && (!found || bulk.power > power) ? bulk.power : power;
        found |= bulk.value != 0;
    }
    for (int64_t p = 0; p < c->vertices; p++) {
        struct trop_cells_scaled form =
            trop_cells_form(&c->scene, trop_cells_corner(&c->scene, p), 0);
        struct trop_cells_scaled bulk =
            trop_cells_form(&c->scene, trop_cells_corner(&c->scene, p), 1);
        double value = ldexp(form.value, (int)(form.power - power));
        low = fmin(low, value);
        high = fmax(high, value);
        size = fmax(size, ldexp(bulk.value, (int)(bulk.power - power)));
    }
    return is_rounding(high - low, size, c->d);
}

static int equal_energies(const struct trop_cells *c)
{
    const struct trop_cells_scene *s = &c->scene;
    double low = INFINITY, high = -INFINITY, size = 0;

    for (int64_t p = 0; p < c->vertices; p++) {
        double energy = c->energies[c->vertex[p]];
        low = fmin(low, energy);
        high = fmax(high, energy);
        const double *v = trop_cells_corner(s, p);
        double sum = 0; /* sum_ak |v_a B_ak v_k| */
        for (int64_t a = 0; a < s->d; a++) {
            const double *row = s->b.values ? s->b.values + a * s->d : NULL;
            for (int64_t k = row ? 0 : a; k < (row ? s->d : a + 1); k++) {
                sum += fabs((row ? row[k] : s->b.scale) * v[a] * v[k]);
            }
        }
        size = fmax(size, 0.5 * sum);
    }
    return size > LOW && size < HIGH ? is_rounding(high - low, size, c->d) : equal_forms(c);
}

void trop_cells_judge(struct trop_cells *c)
{
    c->generic = 1;
    c->c0 = INFINITY;
    for (int64_t p = 0; p < c->vertices; p++) {
        /* min_q <B v_p, v_p - v_q>: the margin where v_p leads, and less its gap where not. */
        int64_t i = c->vertex[p];
        c->owns[p] = c->labels[i] == i;
        c->c0 = fmin(c->c0, c->owns[p] ? c->margins[i] : -c->gaps[i]);
        c->generic &= c->owns[p] != 0;
    }
    for (int64_t i = 0; i < c->n; i++) {
        c->gap_max = fmax(c->gap_max, c->gaps[i]);
        c->generic &= c->labels[i] >= 0;
    }
    c->c0 = c->c0 == 0 ? 0 : c->c0; /* no -0 */
    c->voronoi = c->symmetric && equal_energies(c);
    if (!c->generic) {
        explain(c);
    }
}
