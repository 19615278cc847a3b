/* test_cloud.c -- diameter and clusters against brute force. */
#include "support.h"

#include "base/alloc.h"
#include "shape/cloud.h"

#define MOST 300

static double x[MOST * 8], far[MOST];
static int64_t order[MOST], parent[MOST], labels[MOST];

static double plain_diameter(int64_t n, int64_t d)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < i; j++) {
            long double sum = 0;
            for (int64_t c = 0; c < d; c++) {
                long double t = (long double)x[i * d + c] - x[j * d + c];
                sum += t * t;
            }
            most = fmax(most, (double)sqrtl(sum));
        }
    }
    return most;
}

/* 0: Gaussian, 1: on a sphere (every pair may attain it), 2: on a lattice with duplicates,
 * 3: a tiny cloud far away, 4: one point. */
static void fill(int kind, int64_t n, int64_t d, uint64_t seed)
{
    normals(x, n * d, seed);
    for (int64_t k = 0; k < n * d; k++) {
        x[k] = kind == 2 ? floor(x[k] * 2) : kind == 3 ? 1 + 1e-12 * x[k] : kind == 4 ? 0.1 : x[k];
    }
    for (int64_t i = 0; kind == 1 && i < n; i++) {
        trop_rng_sphere(x + i * d, d, seed, TROP_RNG_TEST, (uint64_t)i);
    }
}

static void diameters_are_those_of_brute_force(void **state)
{
    (void)state;
    for (int kind = 0; kind < 5; kind++) {
        for (int64_t d = 1; d <= 8; d += 3) {
            for (int64_t n = 1; n <= MOST; n = 3 * n + 2) {
                struct trop_attend *attend;
                assert_ok(trop_attend_create(&attend, n, d, 2, trop_kernel_choose(0), 0));
                fill(kind, n, d, (uint64_t)(n * 10 + d));
                double truth = plain_diameter(n, d);
                double tolerance = 0x1p-53 * 8 * (double)(d + 4) * truth;
                assert_near(trop_cloud_diameter(x, n, d, order, far, attend), truth, tolerance);
                assert_near(trop_attend_diameter(attend, x, n, far), truth, tolerance);
                trop_attend_free(attend);
            }
        }
    }
}

static void distances_neither_overflow_nor_vanish(void **state)
{
    (void)state;
    double a[] = { 3e300, 0 }, b[] = { 0, -4e300 }, c[] = { 3e-300, 0 }, e[] = { 0, -4e-300 };
    assert_near(trop_cloud_distance(a, b, 2) / 5e300, 1, 1e-15);
    assert_near(trop_cloud_distance(c, e, 2) / 5e-300, 1, 1e-15);
    assert_true(trop_cloud_distance(a, a, 2) == 0);
}

/* Single linkage by brute force: repeat until no label changes. */
static int64_t plain_clusters(int64_t *out, int64_t n, int64_t d, double distance)
{
    for (int64_t i = 0; i < n; i++) {
        out[i] = i;
    }
    for (int changed = 1; changed;) {
        changed = 0;
        for (int64_t i = 0; i < n; i++) {
            for (int64_t j = 0; j < n; j++) {
                if (out[j] < out[i] && trop_cloud_distance(x + i * d, x + j * d, d) <= distance) {
                    out[i] = out[j];
                    changed = 1;
                }
            }
        }
    }
    int64_t count = 0, renamed[MOST];
    for (int64_t i = 0; i < n; i++) {
        renamed[i] = out[i] == i ? count++ : renamed[out[i]];
    }
    memcpy(out, renamed, (size_t)n * sizeof *out);
    return count;
}

static void clusters_are_those_of_brute_force(void **state)
{
    (void)state;
    int64_t truth[MOST];
    for (int kind = 0; kind < 5; kind++) {
        for (int64_t d = 1; d <= 4; d++) {
            for (double distance = 0; distance < 1; distance = 2 * distance + 0.05) {
                int64_t n = 120;
                fill(kind, n, d, (uint64_t)d);
                double linked = kind == 3 ? distance * 1e-12 : distance;
                assert_int_equal(trop_cloud_clusters(labels, x, n, d, linked, order, parent),
                                 plain_clusters(truth, n, d, linked));
                assert_memory_equal(labels, truth, (size_t)n * sizeof *labels);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(diameters_are_those_of_brute_force),
        cmocka_unit_test(distances_neither_overflow_nor_vanish),
        cmocka_unit_test(clusters_are_those_of_brute_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
