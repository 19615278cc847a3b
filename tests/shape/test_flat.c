/* test_flat.c -- effective dimension and coordinates of flat clouds, planted and rotated. */
#include "support.h"

#include "alloc_failing.c"
#include "shape/cloud.h"
#include "shape/flat.h"
#include "shape/nearest/nearest.h"

#define MOST 60
#define WIDE 10
#define UNIT 0x1p-53

static double x[MOST * WIDE], axes[WIDE * WIDE];

static double diameter_of(int64_t n, int64_t d)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < i; j++) {
            most = fmax(most, trop_cloud_distance(x + i * d, x + j * d, d));
        }
    }
    return most;
}

static struct trop_flat *flat_of(int64_t n, int64_t d)
{
    struct trop_flat *flat = NULL;
    assert_ok(trop_flat_create(&flat, x, n, d, diameter_of(n, d)));
    assert_true(flat->n == n && flat->d == d && flat->k >= 0 && flat->k <= d);
    return flat;
}

/* Random orthonormal axes (d, d), by Gram and Schmidt in long double. */
static void rotate(int64_t d, uint64_t seed)
{
    normals(axes, d * d, seed);
    for (int64_t k = 0; k < d; k++) {
        long double square = 0;
        for (int pass = 0; pass < 2; pass++) {
            for (int64_t l = 0; l < k; l++) {
                long double t = 0;
                for (int64_t c = 0; c < d; c++) {
                    t += (long double)axes[k * d + c] * axes[l * d + c];
                }
                for (int64_t c = 0; c < d; c++) {
                    axes[k * d + c] -= (double)(t * axes[l * d + c]);
                }
            }
        }
        for (int64_t c = 0; c < d; c++) {
            square += (long double)axes[k * d + c] * axes[k * d + c];
        }
        for (int64_t c = 0; c < d; c++) {
            axes[k * d + c] = (double)(axes[k * d + c] / sqrtl(square));
        }
    }
}

/* n Gaussian tokens in a k-plane of R^d, and as much noise in the other directions. */
static void plant(int64_t n, int64_t d, int64_t k, double noise, uint64_t seed)
{
    rotate(d, seed);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t c = 0; c < d; c++) {
            x[i * d + c] = 0;
        }
        for (int64_t l = 0; l < d; l++) {
            double t = normal(seed + 1, (uint64_t)(i * d + l)) * (l < k ? 1 : noise);
            for (int64_t c = 0; c < d; c++) {
                x[i * d + c] += t * axes[l * d + c];
            }
        }
    }
}

/* The point of R^d that has the coordinates y in the flat; y itself when they are the cloud's. */
static void lift(double *out, const struct trop_flat *flat, const double *y)
{
    for (int64_t c = 0; c < flat->d; c++) {
        double t = 0;
        for (int64_t l = 0; l < flat->k; l++) {
            t += y[l] * flat->basis[l * flat->d + c];
        }
        out[c] = flat->k == flat->d ? y[c] : flat->origin[c] + t;
    }
}

/* Orthonormal rows, coordinates that keep distances and lead back, and a frame of tokens. Each
 * coordinate is a sum of d terms, so off by d u of the diameter D; so is a row by its own. */
static void judge(const struct trop_flat *flat)
{
    int64_t n = flat->n, d = flat->d, k = flat->k;
    double size = diameter_of(n, d), off = (double)(4 * d) * UNIT, back[WIDE], y[WIDE + 1];

    for (int64_t a = 0; a < k; a++) {
        for (int64_t b = 0; b < k; b++) {
            double sum = 0;
            for (int64_t c = 0; c < d; c++) {
                sum += flat->basis[a * d + c] * flat->basis[b * d + c];
            }
            assert_near(sum, a == b, off);
        }
        assert_true(flat->frame[a] != flat->frame[a + 1]);
    }
    for (int64_t i = 0; i < n; i++) {
        double far = trop_flat_project(y, flat, x + i * d);
        assert_memory_equal(y, flat->y + i * k, (size_t)k * sizeof *y);
        /* thickness is taken from residuals, far from coordinates. */
        assert_true(far <= flat->thickness + off * size);
        lift(back, flat, y);
        /* What is not kept, what rounds, and the rounding of the tokens themselves. */
        assert_true(trop_cloud_distance(back, x + i * d, d) <=
                    flat->thickness + off * (size + trop_cloud_radius(x, n, d)));
        for (int64_t j = 0; j < i && k > 0; j++) {
            assert_near(trop_cloud_distance(flat->y + i * k, flat->y + j * k, k),
                        trop_cloud_distance(x + i * d, x + j * d, d),
                        2 * flat->thickness + off * size);
        }
    }
}

static void planes_have_their_dimension_however_they_lie(void **state)
{
    (void)state;
    for (int64_t trial = 0; trial < cases(200, 5000); trial++) {
        int64_t d = 3 + trial % 8, k = trial / 8 % d, n = 2 + d + whole(1, (uint64_t)trial, 40);
        for (int noisy = 0; noisy < 3; noisy++) {
            /* Noise 1e-14 reaches 4 * 1e-14 in a direction; the diameter is above 1. */
            plant(n, d, k, noisy == 0 ? 0 : noisy == 1 ? 1e-14 : 1e-11, (uint64_t)trial);
            if (k == 0) {
                continue;
            }
            struct trop_flat *flat = flat_of(n, d);
            assert_int_equal(flat->k, noisy == 2 ? d : k);
            assert_true(flat->thickness <=
                        (noisy == 1 ? 5e-14 * sqrt((double)d) : (double)(8 * d) * UNIT) *
                            diameter_of(n, d));
            judge(flat);
            trop_flat_free(flat);
        }
    }
}

/* A triangle of height h over a side of length 1, and one as high on the other side: what counts
 * is the width. */
static void the_width_decides_not_the_distance(void **state)
{
    (void)state;
    double heights[][2] = {
        { 1.01e-13, 0 }, { 0.99e-13, 0 }, { 0.51e-13, -0.51e-13 }, { 0.49e-13, -0.49e-13 }
    };
    for (int k = 0; k < 4; k++) {
        double tokens[] = { 0, 0, 1, 0, 0.5, heights[k][0], 0.5, heights[k][1] };
        memcpy(x, tokens, sizeof tokens);
        struct trop_flat *flat = flat_of(4, 2);
        assert_int_equal(flat->k, k % 2 ? 1 : 2);
        assert_near(flat->thickness, k % 2 ? heights[k][0] : 0, 1e-28);
        trop_flat_free(flat);
    }
}

static void a_cloud_of_full_dimension_keeps_its_bits(void **state)
{
    (void)state;
    for (int64_t d = 1; d <= WIDE; d++) {
        normals(x, 30 * d, (uint64_t)d);
        struct trop_flat *flat = flat_of(30, d);
        assert_int_equal(flat->k, d);
        assert_memory_equal(flat->y, x, (size_t)(30 * d) * sizeof *x);
        for (int64_t c = 0; c < d; c++) {
            assert_true(flat->origin[c] == 0);
            for (int64_t l = 0; l < d; l++) {
                assert_true(flat->basis[l * d + c] == (l == c));
            }
        }
        double y[WIDE], back[WIDE];
        assert_true(trop_flat_project(y, flat, x) == 0 && flat->thickness == 0);
        lift(back, flat, y);
        assert_memory_equal(back, x, (size_t)d * sizeof *x);
        trop_flat_free(flat);
    }
}

static void few_equal_and_repeated_tokens(void **state)
{
    (void)state;
    for (int64_t d = 1; d <= WIDE; d++) {
        for (int64_t n = 1; n <= d; n++) { /* n tokens in general position span n - 1 */
            normals(x, n * d, (uint64_t)(d + 100 * n));
            struct trop_flat *flat = flat_of(n, d);
            assert_int_equal(flat->k, n - 1);
            judge(flat);
            trop_flat_free(flat);
        }
        for (int64_t i = 0; i < 7 * d; i++) { /* one place, seven times */
            x[i] = 0.1 * (double)(i % d);
        }
        struct trop_flat *flat = flat_of(7, d);
        double y[1];
        assert_int_equal(flat->k, 0);
        assert_true(flat->thickness == 0);
        assert_memory_equal(flat->origin, x, (size_t)d * sizeof *x);
        x[0] += 3;
        assert_near(trop_flat_project(y, flat, x), 3, 4 * UNIT);
        lift(x + d, flat, y);
        assert_memory_equal(flat->origin, x + d, (size_t)d * sizeof *x);
        trop_flat_free(flat);
    }
    for (int64_t i = 0; i < 20; i++) { /* a lattice line, every token twice */
        for (int64_t c = 0; c < 3; c++) {
            x[3 * i + c] = (double)(i / 2 * (c + 1)) + 5;
        }
    }
    struct trop_flat *flat = flat_of(20, 3);
    assert_int_equal(flat->k, 1);
    judge(flat);
    trop_flat_free(flat);
}

/* 2^e x has the same frame, the same bits in its basis and 2^e y; moved by a power of two, where
 * differences are exact, the same basis and y. */
static void coordinates_scale_and_do_not_care_for_the_origin(void **state)
{
    (void)state;
    int exponents[] = { 0, 500, -660, 900, -1000 };
    double basis[3 * 5], y[20 * 3], tokens[20 * 5];

    for (int64_t i = 0; i < 20; i++) {
        for (int64_t c = 0; c < 5; c++) {
            double t = (double)whole(3, (uint64_t)(3 * i + c % 3), 100);
            tokens[5 * i + c] = c < 3 ? t : 2 * t + tokens[5 * i];
        }
    }
    for (int k = 0; k < 6; k++) {
        for (int64_t i = 0; i < 100; i++) {
            x[i] = k < 5 ? ldexp(tokens[i], exponents[k]) : tokens[i] + 0x1p40;
        }
        struct trop_flat *flat = flat_of(20, 5);
        assert_int_equal(flat->k, 3);
        if (k == 0) {
            memcpy(basis, flat->basis, sizeof basis);
            memcpy(y, flat->y, sizeof y);
        }
        assert_memory_equal(flat->basis, basis, sizeof basis);
        for (int64_t i = 0; i < 60; i++) {
            assert_true(flat->y[i] == ldexp(y[i], k < 5 ? exponents[k] : 0));
        }
        trop_flat_free(flat);
    }
    double huge[] = { 1e308, 0, -1e308, 1e308, 0, 0.5e308 }; /* a line; differences overflow */
    struct trop_flat *flat = NULL;
    memcpy(x, huge, sizeof huge);
    assert_ok(trop_flat_create(&flat, x, 3, 2, 1.7e308));
    assert_int_equal(flat->k, 1);
    trop_flat_free(flat);
    double tiny[] = { 1e10, 0, 1e10, 1e-300, 1e10, 3e-300 }; /* scaled first, it would overflow */
    memcpy(x, tiny, sizeof tiny);
    flat = flat_of(3, 2);
    assert_int_equal(flat->k, 1);
    assert_true(flat->thickness == 0);
    trop_flat_free(flat);
}

/* Of a point over the plane: its height, and coordinates of its foot. */
static void points_beside_the_plane_are_projected(void **state)
{
    (void)state;
    for (int64_t trial = 0; trial < 50; trial++) {
        int64_t d = 3 + trial % 8, k = 1 + trial % (d - 1);
        double point[WIDE], foot[WIDE], y[WIDE], z[WIDE];
        plant(30, d, k, 0, (uint64_t)trial);
        struct trop_flat *flat = flat_of(30, d);
        double height = trial % 2 ? 1e-3 : 1e3;
        for (int64_t c = 0; c < d; c++) {
            foot[c] = 0.5 * (x[c] + x[d + c]);
            point[c] = foot[c] + height * axes[k * d + c];
        }
        double limit = (double)(8 * d) * UNIT * (height + diameter_of(30, d));
        assert_near(trop_flat_project(y, flat, point), height, limit);
        trop_flat_project(z, flat, foot);
        assert_true(trop_cloud_distance(y, z, k) <= limit);
        trop_flat_free(flat);
    }
}

static void frame_tokens_are_vertices(void **state)
{
    (void)state;
    for (int64_t trial = 0; trial < 40; trial++) {
        int64_t d = 1 + trial % 6, n = 40, list[MOST];
        struct trop_nearest *nearest = NULL;
        struct trop_nearest_answer answer;
        normals(x, n * d, (uint64_t)trial);
        struct trop_flat *flat = flat_of(n, d);
        assert_ok(trop_nearest_create(&nearest, d));
        for (int64_t k = 0; k <= d; k++) {
            for (int64_t j = 0; j < n - 1; j++) {
                list[j] = j + (j >= flat->frame[k]);
            }
            trop_nearest_find(&answer, nearest, x, list, n - 1, x + flat->frame[k] * d, 1);
            assert_int_equal(answer.side, TROP_SIDE_OUTSIDE);
        }
        trop_nearest_free(nearest);
        trop_flat_free(flat);
    }
}

static enum trop_status make_and_free(void)
{
    struct trop_flat *flat = NULL;
    enum trop_status status = trop_flat_create(&flat, x, 10, 3, 5);
    trop_flat_free(flat);
    return status;
}

static void a_refused_allocation_is_reported(void **state)
{
    (void)state;
    normals(x, 30, 1);
    alloc_refuse_each(make_and_free);
    trop_flat_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planes_have_their_dimension_however_they_lie),
        cmocka_unit_test(the_width_decides_not_the_distance),
        cmocka_unit_test(a_cloud_of_full_dimension_keeps_its_bits),
        cmocka_unit_test(few_equal_and_repeated_tokens),
        cmocka_unit_test(coordinates_scale_and_do_not_care_for_the_origin),
        cmocka_unit_test(points_beside_the_plane_are_projected),
        cmocka_unit_test(frame_tokens_are_vertices),
        cmocka_unit_test(a_refused_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
