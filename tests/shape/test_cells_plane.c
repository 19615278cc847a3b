/* test_cells_plane.c -- the polygons of the cells, of dominance cones and of their erosions
 * against labels of a grid. */
#include "attend/decide.h"

#include "cells_plane_support.h"

static const double *at(const struct scene *s, int64_t p)
{
    return s->x + 2 * s->vertex[p];
}

/* ---- the truth, point by point ------------------------------------------------------------- */

static long double score(const struct scene *s, const double *x, const double *v)
{
    long double y0 = (long double)s->b[0] * x[0] + (long double)s->b[1] * x[1];
    long double y1 = (long double)s->b[2] * x[0] + (long double)s->b[3] * x[1];

    return y0 * v[0] + y1 * v[1];
}

/* x in K: left of every side. Long double; a point on the boundary is in the band of a side. */
static int in_hull(const struct scene *s, const double *x)
{
    if (s->k < 3) {
        return 0;
    }
    for (int64_t m = 0; m < s->k; m++) {
        const double *v = s->x + 2 * s->outline[m];
        const double *w = s->x + 2 * s->outline[(m + 1) % s->k];
        long double turn = ((long double)w[0] - v[0]) * ((long double)x[1] - v[1]) -
                           ((long double)w[1] - v[1]) * ((long double)x[0] - v[0]);
        if (turn < 0) {
            return 0;
        }
    }
    return 1;
}

/* member (k): vertices that attain max <B x, v>. Long double, and the exact decision (which
 * test_cells.c holds against rationals) where that is within its rounding. */
static void members(char *member, const struct scene *s, const double *x)
{
    long double t[MOST], top = -INFINITY, size = 0;
    struct trop_matrix b = { .values = s->b };
    int64_t best = -1;

    for (int64_t p = 0; p < s->k; p++) {
        t[p] = score(s, x, at(s, p));
        top = t[p] > top ? t[p] : top;
    }
    for (int c = 0; c < 2; c++) {
        size +=
            (fabsl((long double)s->b[2 * c] * x[0]) + fabsl((long double)s->b[2 * c + 1] * x[1])) *
            s->radius;
    }
    for (int64_t p = 0; p < s->k; p++) {
        member[p] = t[p] >= top - 0x1p-58L * size;
        best = member[p] && best < 0 ? p : best;
        if (member[p] && trop_decide_bilinear(&b, x, at(s, p), at(s, best), 2) > 0) {
            best = p;
        }
    }
    for (int64_t p = 0; p < s->k; p++) {
        member[p] = member[p] && trop_decide_bilinear(&b, x, at(s, p), at(s, best), 2) == 0;
    }
}

/* ---- polygons, plainly --------------------------------------------------------------------- */

/* Crossings of the ray to the right. */
static int in_polygon(const double *q, int64_t count, const double *x)
{
    int inside = 0;

    for (int64_t k = 0; k < count; k++) {
        const double *v = q + 2 * k, *w = q + 2 * ((k + 1) % count);
        if ((v[1] <= x[1]) != (w[1] <= x[1])) {
            long double turn = ((long double)w[0] - v[0]) * ((long double)x[1] - v[1]) -
                               ((long double)w[1] - v[1]) * ((long double)x[0] - v[0]);
            inside ^= (turn > 0) == (w[1] > v[1]);
        }
    }
    return inside;
}

/* From x to the sides of the polygon. */
static double distance_to(const double *q, int64_t count, const double *x)
{
    long double least = INFINITY;

    for (int64_t k = 0; k < count; k++) {
        const double *v = q + 2 * k, *w = q + 2 * ((k + 1) % count);
        long double e0 = (long double)w[0] - v[0], e1 = (long double)w[1] - v[1];
        long double f0 = (long double)x[0] - v[0], f1 = (long double)x[1] - v[1];
        long double along = e0 * e0 + e1 * e1 > 0 ? (e0 * f0 + e1 * f1) / (e0 * e0 + e1 * e1) : 0;
        along = along < 0 ? 0 : along > 1 ? 1 : along;
        f0 -= along * e0;
        f1 -= along * e1;
        long double r = sqrtl(f0 * f0 + f1 * f1);
        least = r < least ? r : least;
    }
    return (double)least;
}

struct tally {
    int64_t points, in_band, mismatches;
    double widest; /* mismatch, in bands */
};

/* One point against every polygon; member says where it belongs. */
static void compare(struct tally *tally, const struct scene *s, const double *x, const char *member,
                    double band)
{
    int counted = 0;

    tally->points++;
    for (int64_t p = 0; p < s->k; p++) {
        int inside = in_polygon(s->polygon[p], s->corners[p], x);
        if (inside == member[p]) {
            continue;
        }
        double r = distance_to(s->polygon[p], s->corners[p], x);
        tally->mismatches++;
        tally->widest = fmax(tally->widest, r / band);
        counted = 1;
        if (!(r <= band * (1 + 0x1p-8) + 0x1p-60 * s->radius)) {
            fail_msg("point %a, %a: %s polygon %lld and should not be; off by %g, band %g", x[0],
                     x[1], inside ? "in" : "not in", (long long)p, r, band);
        }
    }
    for (int64_t p = 0; p < s->k && !counted; p++) {
        if (s->corners[p] > 1 && member[p] &&
            distance_to(s->polygon[p], s->corners[p], x) <= band) {
            counted = 1;
        }
    }
    tally->in_band += counted;
}

typedef void membership(char *member, const struct scene *s, const double *x);

static void in_cells(char *member, const struct scene *s, const double *x)
{
    if (in_hull(s, x)) {
        members(member, s, x);
    } else {
        memset(member, 0, (size_t)s->k);
    }
}

/* side x side points over the bounding box, and points near every side of every polygon: up to
 * 4 bands on either side of it. */
static void scan(struct tally *tally, const struct scene *s, int64_t side, double band,
                 membership *of)
{
    double low[] = { INFINITY, INFINITY }, high[] = { -INFINITY, -INFINITY };
    char member[MOST];

    for (int64_t p = 0; p < s->k; p++) {
        for (int c = 0; c < 2; c++) {
            low[c] = fmin(low[c], at(s, p)[c]);
            high[c] = fmax(high[c], at(s, p)[c]);
        }
    }
    for (int64_t k = 0; k < side * side; k++) {
        double x[2];
        int64_t place[] = { k % side, k / side };
        for (int c = 0; c < 2; c++) {
            x[c] = low[c] + (high[c] - low[c]) * ((double)place[c] / (double)(side - 1));
        }
        of(member, s, x);
        compare(tally, s, x, member, band);
    }
    for (int64_t p = 0; p < s->k; p++) {
        for (int64_t m = 0; m < s->corners[p]; m++) {
            const double *v = s->polygon[p] + 2 * m;
            const double *w = s->polygon[p] + 2 * ((m + 1) % s->corners[p]);
            double length = hypot(w[0] - v[0], w[1] - v[1]);
            for (int k = 0; k < 40 && length > 0; k++) {
                double along = uniform(8, (uint64_t)k),
                       off = (k % 2 ? 8 : 1.5) * (uniform(9, (uint64_t)k) - 0.5);
                along = k < 10 ? ldexp(along, -5 * k) : along; /* near the first corner, too */
                double x[2] = { v[0] + along * (w[0] - v[0]), v[1] + along * (w[1] - v[1]) };
                x[0] += off * band * (v[1] - w[1]) / length;
                x[1] += off * band * (w[0] - v[0]) / length;
                of(member, s, x);
                compare(tally, s, x, member, band);
            }
        }
    }
}

/* ---- clouds and matrices ------------------------------------------------------------------- */

static void polygons_agree_with_the_labels_of_a_grid(void **state)
{
    (void)state;
    struct tally all = { 0 };
    int64_t polygons = cases(10, 100), side = cases(316, 1000), empty = 0, degenerate = 0;

    for (int64_t trial = 0; trial < polygons; trial++) {
        struct scene s = { .eta = -1, .erode = -1 };
        struct tally tally = { 0 };
        int kind = (int)(trial % KINDS);
        s.n = 3 + whole(5, (uint64_t)trial, 38);
        fill_tokens(&s, (int)(trial % 5), (uint64_t)trial);
        fill_matrix(s.b, kind, (uint64_t)trial);
        make(&s);
        scan(&tally, &s, side, s.band, in_cells);
        check_areas(&s);
        for (int64_t p = 0; p < s.k; p++) {
            empty += s.corners[p] == 0;
            degenerate += s.corners[p] == 1 || s.corners[p] == 2;
        }
        if (getenv("TROP_TEST_FULL")) {
            print_message("%s, %lld tokens, %lld vertices: %lld points, %lld in the band of %.2g, "
                          "%lld mismatches, widest %.2f bands\n",
                          kind_names[kind], (long long)s.n, (long long)s.k, (long long)tally.points,
                          (long long)tally.in_band, s.band, (long long)tally.mismatches,
                          tally.widest);
        }
        all.points += tally.points;
        all.in_band += tally.in_band;
        all.mismatches += tally.mismatches;
        all.widest = fmax(all.widest, tally.widest);
        trop_cells_free(s.cells);
    }
    print_message(
        "%lld points, %lld in the band, %lld mismatches, widest %.2f bands; %lld empty and "
        "%lld degenerate cells\n",
        (long long)all.points, (long long)all.in_band, (long long)all.mismatches, all.widest,
        (long long)empty, (long long)degenerate);
    assert_true(all.in_band > 100 && all.mismatches > 10 && empty > 0);
}

/* Many small clouds, whose tokens and matrices tie in every way, with few points each. */
static void polygons_of_lattice_clouds_agree_with_labels(void **state)
{
    (void)state;
    struct tally all = { 0 };

    for (int64_t trial = 0; trial < cases(400, 20000); trial++) {
        struct scene s = { .eta = -1, .erode = -1 };
        uint64_t at_ = (uint64_t)trial * 64;
        s.n = 1 + whole(6, at_, 9);
        for (int64_t k = 0; k < 2 * s.n; k++) {
            s.x[k] = (double)(whole(6, at_ + 1 + (uint64_t)k, 5) - 2) / (trial % 2 ? 1 : 3);
        }
        for (int64_t k = 0; k < 4; k++) {
            s.b[k] = (double)(whole(6, at_ + 40 + (uint64_t)k, 3) - 1);
        }
        make(&s);
        scan(&all, &s, 21, s.band > 0 ? s.band : 1, in_cells);
        check_areas(&s);
        trop_cells_free(s.cells);
    }
    print_message("%lld points, %lld mismatches, widest %.2f bands\n", (long long)all.points,
                  (long long)all.mismatches, all.widest);
}

/* ---- dominance cones and erosion ------------------------------------------------- */

/* |B'(v - w)| in long double. */
static long double normal_length(const struct scene *s, const double *v, const double *w)
{
    long double t0 = (long double)v[0] - w[0], t1 = (long double)v[1] - w[1];
    long double h0 = s->b[0] * t0 + s->b[2] * t1, h1 = s->b[1] * t0 + s->b[3] * t1;

    return sqrtl(h0 * h0 + h1 * h1);
}

/* By the definitions, over all pairs. */
static void in_cones(char *member, const struct scene *s, const double *x)
{
    int inside = in_hull(s, x);

    for (int64_t p = 0; p < s->k; p++) {
        member[p] = (char)inside;
        for (int64_t q = 0; q < s->k && member[p]; q++) {
            member[p] = q == p || score(s, x, at(s, p)) - score(s, x, at(s, q)) >= s->eta;
        }
    }
}

static void in_cores(char *member, const struct scene *s, const double *x)
{
    long double depth = in_hull(s, x) ? INFINITY : -1;

    for (int64_t m = 0; m < s->k; m++) {
        const double *v = s->x + 2 * s->outline[m];
        const double *w = s->x + 2 * s->outline[(m + 1) % s->k];
        long double e0 = (long double)w[0] - v[0], e1 = (long double)w[1] - v[1];
        long double turn = e0 * ((long double)x[1] - v[1]) - e1 * ((long double)x[0] - v[0]);
        turn /= sqrtl(e0 * e0 + e1 * e1);
        depth = turn < depth ? turn : depth;
    }
    for (int64_t p = 0; p < s->k; p++) {
        member[p] = depth >= s->erode;
        for (int64_t q = 0; q < s->k && member[p]; q++) {
            member[p] = q == p || score(s, x, at(s, p)) - score(s, x, at(s, q)) >=
                                      s->eta + s->erode * normal_length(s, at(s, p), at(s, q));
        }
    }
}

/* The fields `dominance` and `eroded` of the tokens, outside the rounding of their decisions. */
static void check_tokens(const struct scene *s, const char *name, membership *of)
{
    const int64_t *field = value_of(s->cells, name).integers;

    for (int64_t i = 0; i < s->n; i++) {
        char member[MOST];
        int64_t truth = -1;
        of(member, s, s->x + 2 * i);
        for (int64_t p = s->k - 1; p >= 0; p--) {
            truth = member[p] ? s->vertex[p] : truth;
        }
        assert_int_equal(field[i], truth);
    }
}

/* The figures' set-up: k = 7 on the unit circle, eta = .05, erosion .03; then others. */
static void cones_and_their_erosions_agree_with_their_definitions(void **state)
{
    (void)state;
    struct tally cones = { 0 }, cores = { 0 };
    int64_t kept[2] = { 0 };

    for (int64_t trial = 0; trial < cases(8, 80); trial++) {
        struct scene s = { .n = trial == 0 ? 7 : 5 + trial % 20, .eta = 0.05, .erode = 0.03 };
        fill_tokens(&s, trial == 0 ? 1 : (int)(trial % 4), 42 + (uint64_t)trial);
        fill_matrix(s.b, trial == 0 ? 0 : (int)(trial % KINDS), (uint64_t)trial);
        for (int64_t i = s.n / 2; i < s.n && trial > 3; i++) { /* tokens inside */
            s.x[2 * i] *= 0.5;
            s.x[2 * i + 1] *= 0.5;
        }
        make(&s);
        double band = amount(s.cells, "inset_band");
        take_polygons(&s, "dominance");
        scan(&cones, &s, cases(150, 500), band, in_cones);
        check_tokens(&s, "dominance", in_cones);
        for (int64_t p = 0; p < s.k; p++) {
            kept[0] += s.corners[p] > 2;
            assert_true(s.area[p] <= cell_value(s.cells, "area", p).number * (1 + 1e-12));
        }
        take_polygons(&s, "eroded");
        scan(&cores, &s, cases(150, 500), band, in_cores);
        check_tokens(&s, "eroded", in_cores);
        for (int64_t p = 0; p < s.k; p++) {
            kept[1] += s.corners[p] > 2;
            /* The definition: the disc around a corner of the erosion is in the cone, less a band.
             */
            for (int64_t m = 0; m < s.corners[p]; m++) {
                for (int k = 0; k < 32; k++) {
                    double turn = 6.283185307179586 * k / 32, r = s.erode - 4 * band;
                    double x[] = { s.polygon[p][2 * m] + r * cos(turn),
                                   s.polygon[p][2 * m + 1] + r * sin(turn) };
                    char member[MOST];
                    in_cones(member, &s, x);
                    assert_true(member[p]);
                }
            }
        }
        trop_cells_free(s.cells);
    }
    print_message(
        "cones: %lld points, %lld mismatches, widest %.2f bands; eroded: %lld, %lld, %.2f\n",
        (long long)cones.points, (long long)cones.mismatches, cones.widest, (long long)cores.points,
        (long long)cores.mismatches, cores.widest);
    assert_true(kept[0] > 10 && kept[1] > 10 && kept[1] < kept[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polygons_agree_with_the_labels_of_a_grid),
        cmocka_unit_test(polygons_of_lattice_clouds_agree_with_labels),
        cmocka_unit_test(cones_and_their_erosions_agree_with_their_definitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
