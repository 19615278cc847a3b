/* test_qhull.c -- the seam to Qhull: facets, rounds, and failures that stay silent. */
#include "support.h"

#include <unistd.h>

#include "alloc_failing.c"
#include "scratch.h"
#include "shape/hull/qhull.h"

#define MOST 20000

static double x[MOST];

static struct trop_qhull *facets_of(int64_t n, int64_t d, int64_t limit)
{
    struct trop_qhull *made = NULL;
    enum trop_status status = trop_qhull_create(&made, x, n, d, limit);

    if (status == TROP_ERR_UNSUPPORTED && strstr(trop_error(), "no Qhull")) {
        skip();
    }
    assert_int_equal(status, TROP_OK);
    return made;
}

static void cube(int64_t d)
{
    for (int64_t i = 0; i < d << d; i++) {
        x[i] = (double)(i / d >> i % d & 1);
    }
}

static void facets_of_a_cube_are_its_faces(void **state)
{
    (void)state;
    for (int64_t d = 2; d <= 6; d++) {
        cube(d);
        struct trop_qhull *made = facets_of((int64_t)1 << d, d, 1000);
        assert_int_equal(made->facets, 2 * d);
        assert_int_equal(made->start[made->facets], d << d);
        /* Sums of a few hundred terms at most. */
        assert_near(made->volume, 1, 1e-14);
        assert_true(made->thickness >= 0 && made->thickness < 1e-13);
        for (int64_t f = 0; f < made->facets; f++) {
            double largest = 0;
            for (int64_t c = 0; c < d; c++) {
                largest = fmax(largest, fabs(made->normals[f * d + c]));
            }
            assert_near(largest, 1, 1e-15);
            for (int64_t l = made->start[f]; l < made->start[f + 1]; l++) {
                double height = made->offsets[f];
                for (int64_t c = 0; c < d; c++) {
                    height += made->normals[f * d + c] * x[made->corners[l] * d + c];
                }
                assert_near(height, 0, 1e-14);
                assert_true(l == made->start[f] || made->corners[l] > made->corners[l - 1]);
            }
        }
        trop_qhull_free(made);
    }
}

/* The first line of `qconvex i` is the number of facets. */
static int64_t qconvex_facets(int64_t n, int64_t d)
{
    char command[512];
    FILE *file = fopen(scratch("points"), "w");
    long long count = -1;

    fprintf(file, "%lld\n%lld\n", (long long)d, (long long)n);
    for (int64_t k = 0; k < n * d; k++) {
        fprintf(file, "%.17g%c", x[k], k % d == d - 1 ? '\n' : ' ');
    }
    fclose(file);
    snprintf(command, sizeof command, "qconvex i < %s 2> /dev/null", scratch("points"));
    FILE *pipe = popen(command, "r");
    if (fscanf(pipe, "%lld", &count) != 1) {
        count = -1;
    }
    while (fgetc(pipe) != EOF) {
        /* read on, so that it does not end by a broken pipe */
    }
    pclose(pipe);
    remove(scratch("points"));
    return count;
}

/* With a limit just above the number of facets the vertices come in several rounds. */
static void rounds_end_with_all_facets(void **state)
{
    (void)state;
    for (int64_t d = 3; d <= 6; d++) {
        int64_t n = d <= 4 ? 1500 : d == 5 ? 400 : 150;
        for (int64_t i = 0; i < n; i++) {
            trop_rng_sphere(x + i * d, d, (uint64_t)d, TROP_RNG_TEST, (uint64_t)i);
        }
        int64_t truth = qconvex_facets(n, d);
        if (truth < 0) {
            skip();
        }
        struct trop_qhull *made = facets_of(n, d, truth);
        assert_int_equal(made->facets, truth);
        trop_qhull_free(made);
        made = NULL;
        assert_int_equal(trop_qhull_create(&made, x, n, d, truth - 1), TROP_ERR_UNSUPPORTED);
        assert_non_null(strstr(trop_error(), "facets"));
        assert_null(made);
    }
}

/* Counts of points around that of the first round, all of them vertices: from none to several are
 * left over when it stops. */
static void no_point_is_left_over_by_a_round(void **state)
{
    (void)state;
    const int64_t limits[] = { 2500, 2500, 10000 }, rounds[] = { 66, 66, 26 };

    for (int64_t d = 4; d <= 6; d++) {
        for (int64_t n = rounds[d - 4]; n <= rounds[d - 4] + d + 4; n++) {
            for (int64_t i = 0; i < n; i++) {
                trop_rng_sphere(x + i * d, d, (uint64_t)d, TROP_RNG_TEST, (uint64_t)i);
            }
            int64_t truth = qconvex_facets(n, d);
            if (truth < 0) {
                skip();
            }
            struct trop_qhull *made = facets_of(n, d, limits[d - 4]);
            assert_int_equal(made->facets, truth);
            trop_qhull_free(made);
        }
    }
}

/* On a grid most facets have many points: they come from merging, which a round leaves out. */
static void a_grid_of_several_rounds_has_the_facets_of_a_cube(void **state)
{
    (void)state;
    for (int64_t i = 0; i < 625; i++) {
        for (int64_t c = 0, rest = i; c < 4; c++, rest /= 5) {
            x[4 * i + c] = (double)(rest % 5);
        }
    }
    struct trop_qhull *made = facets_of(625, 4, 100);
    assert_int_equal(made->facets, 8);
    assert_near(made->volume, 256, 1e-11); /* a thousand terms of about 1 */
    trop_qhull_free(made);
}

/* What fails prints nothing, neither on standard output nor on standard error. */
static void failures_are_sentences_not_prints(void **state)
{
    (void)state;
    struct trop_qhull *made = NULL;
    FILE *heard = tmpfile();
    fflush(stdout);
    fflush(stderr);
    int out = dup(1), err = dup(2);
    normals(x, 300, 1);
    for (int64_t i = 0; i < 100; i++) {
        x[3 * i + 2] = x[3 * i] + x[3 * i + 1];
    }
    dup2(fileno(heard), 1);
    dup2(fileno(heard), 2);
    enum trop_status flat = trop_qhull_create(&made, x, 100, 3, 1000);
    enum trop_status few = trop_qhull_create(&made, x, 3, 3, 1000);
    fflush(stdout);
    fflush(stderr);
    dup2(out, 1);
    dup2(err, 2);
    close(out);
    close(err);
    assert_true(lseek(fileno(heard), 0, SEEK_END) == 0);
    fclose(heard);
    if (few == TROP_ERR_UNSUPPORTED) {
        skip();
    }
    assert_int_equal(flat, TROP_ERR_NUMERIC);
    assert_int_equal(few, TROP_ERR_NUMERIC);
    assert_non_null(strstr(trop_error(), "not enough points"));
    assert_null(made);
}

static enum trop_status make(void)
{
    struct trop_qhull *made = NULL;
    enum trop_status status = trop_qhull_create(&made, x, 16, 4, 1000);
    trop_qhull_free(made);
    return status;
}

static void every_refused_allocation_is_an_error(void **state)
{
    (void)state;
    cube(4);
    trop_qhull_free(facets_of(16, 4, 1000));
    alloc_refuse_each(make);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facets_of_a_cube_are_its_faces),
        cmocka_unit_test(rounds_end_with_all_facets),
        cmocka_unit_test(no_point_is_left_over_by_a_round),
        cmocka_unit_test(a_grid_of_several_rounds_has_the_facets_of_a_cube),
        cmocka_unit_test(failures_are_sentences_not_prints),
        cmocka_unit_test(every_refused_allocation_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
