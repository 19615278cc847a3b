/* test_depth.c -- the residual stream at one depth. */
#include "support.h"

#include "alloc_failing.c"
#include "model/head/depth.h"

static struct trop_depth *of(const double *x, int64_t n, int64_t width, double tolerance)
{
    struct trop_depth *depth = NULL;
    assert_ok(trop_depth_create(&depth, n, width));
    assert_ok(trop_depth_measure(depth, x, tolerance));
    return depth;
}

/* The mean over pairs by the definition. */
static long double pairs(const double *x, int64_t n, int64_t width, int centred, double longest)
{
    long double mean[64] = { 0 }, sum = 0, kept = 0, count = 0;
    int64_t in[64];

    for (int64_t i = 0; i < n; i++) {
        long double square = 0;
        for (int64_t c = 0; c < width; c++) {
            square += (long double)x[i * width + c] * x[i * width + c];
        }
        in[i] = sqrtl(square) <= longest;
        kept += in[i];
    }
    for (int64_t i = 0; i < n && centred; i++) {
        for (int64_t c = 0; c < width && in[i]; c++) {
            mean[c] += x[i * width + c] / kept;
        }
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < i; j++) {
            long double ab = 0, aa = 0, bb = 0;
            for (int64_t c = 0; c < width; c++) {
                const long double a = x[i * width + c] - mean[c], b = x[j * width + c] - mean[c];
                ab += a * b;
                aa += a * a;
                bb += b * b;
            }
            if (in[i] && in[j]) {
                sum += ab / sqrtl(aa * bb);
                count++;
            }
        }
    }
    return sum / count;
}

static void cosines_are_means_over_pairs(void **state)
{
    double x[20 * 6];

    (void)state;
    normals(x, 120, 3);
    for (int64_t i = 0; i < 20; i++) {
        x[i * 6] += 2; /* a common direction */
    }
    for (int64_t c = 0; c < 6; c++) {
        x[4 * 6 + c] *= 100; /* a massive token */
    }
    struct trop_depth *depth = of(x, 20, 6, 0);
    assert_int_equal(depth->massive, 1);
    assert_near(depth->cosine, (double)pairs(x, 20, 6, 0, INFINITY), 1e-14);
    assert_near(depth->cosine_centred, (double)pairs(x, 20, 6, 1, INFINITY), 1e-14);
    assert_near(depth->cosine_ordinary, (double)pairs(x, 20, 6, 0, 50), 1e-14);
    assert_near(depth->cosine_ordinary_centred, (double)pairs(x, 20, 6, 1, 50), 1e-14);
    trop_depth_free(depth);
}

/* Orthogonal rows of lengths a: sigma = a, and p = a^2 / sum a^2. */
static void the_effective_rank_of_orthogonal_rows_is_known(void **state)
{
    const double a[] = { 3, 2, 2, 1 };
    double x[4 * 9] = { 0 }, h = 0;

    (void)state;
    for (int64_t i = 0; i < 4; i++) {
        x[i * 9 + 2 * i] = a[i];
        h -= a[i] * a[i] / 18 * log(a[i] * a[i] / 18);
    }
    struct trop_depth *depth = of(x, 4, 9, 0.1);
    assert_near(depth->effective_rank, exp(h), 1e-13);
    assert_near(depth->cosine, 0, 1e-16);
    assert_near(depth->median, 2, 0);
    assert_int_equal(depth->clusters, 4);
    trop_depth_free(depth);
    for (int64_t i = 0; i < 36; i++) { /* one direction, whatever its size */
        x[i] = (double)(i % 9 - 4) * (i / 9 == 1 ? -1e200 : 1e200);
    }
    depth = of(x, 4, 9, 0.1);
    assert_near(depth->effective_rank, 1, 1e-13);
    assert_near(depth->cosine, 0, 1e-14); /* three of six pairs agree, three are opposite */
    assert_int_equal(depth->clusters, 2);
    trop_depth_free(depth);
}

/* Points 1, 1.1 and 3 on a line: their median is 1.1, so a tolerance of .1 reaches .11. */
static void the_tolerance_is_in_median_lengths(void **state)
{
    const double x[] = { 1, 1.1, 3 };

    (void)state;
    struct trop_depth *depth = of(x, 3, 1, 0.1);
    assert_int_equal(depth->clusters, 2);
    assert_int_equal(depth->label[1], 0);
    assert_int_equal(depth->label[2], 1);
    trop_depth_free(depth);
    depth = of(x, 3, 1, 0.08);
    assert_int_equal(depth->clusters, 3);
    trop_depth_free(depth);
}

static void the_edges_have_no_value_or_a_sentence(void **state)
{
    double x[] = { 0, 0, 0, 0 };
    struct trop_depth *depth = of(x, 1, 2, 0.5);

    (void)state;
    assert_true(isnan(depth->cosine) && isnan(depth->effective_rank));
    assert_int_equal(depth->clusters, 1);
    trop_depth_free(depth);
    x[2] = 1;
    depth = of(x, 2, 2, 0.5);
    assert_true(isnan(depth->cosine)); /* one token is 0 */
    assert_near(depth->effective_rank, 1, 0);
    x[3] = NAN;
    assert_int_equal(trop_depth_measure(depth, x, 0.5), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "token 1, coordinate 1"));
    assert_int_equal(trop_depth_measure(depth, x, -1), TROP_ERR_ARG);
    trop_depth_free(depth);
    assert_int_equal(trop_depth_create(&depth, 0, 2), TROP_ERR_ARG);
}

static enum trop_status depth_runs(void)
{
    const double x[] = { 1, 2, 3, 4, 5, 6 };
    struct trop_depth *depth = NULL;
    enum trop_status status = trop_depth_create(&depth, 3, 2);
    if (status == TROP_OK) {
        status = trop_depth_measure(depth, x, 0.1);
        trop_depth_free(depth);
    }
    return status;
}

static void every_refusal_of_memory_is_survived(void **state)
{
    (void)state;
    alloc_refuse_each(depth_runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cosines_are_means_over_pairs),
        cmocka_unit_test(the_effective_rank_of_orthogonal_rows_is_known),
        cmocka_unit_test(the_tolerance_is_in_median_lengths),
        cmocka_unit_test(the_edges_have_no_value_or_a_sentence),
        cmocka_unit_test(every_refusal_of_memory_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
