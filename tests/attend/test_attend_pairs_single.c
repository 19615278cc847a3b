/* test_attend_pairs_single.c -- softmax in single precision by pairs of tokens: within the error
 * that it says of a sum in extended precision, the same bits for every number of workers and every
 * instruction set, and the notes of double precision. */
#include "support.h"

#include "attend/attend_internal.h"

#define MOST 2000
#define WIDEST 40

static double x[MOST * WIDEST], one[MOST * WIDEST], two[MOST * WIDEST];
static struct trop_attend_note note_one[MOST], note_two[MOST];

struct problem {
    int64_t n, d;
    double beta, scale; /* B = scale I */
};

/* Loaded and swept; what is said of the error is still there. */
static struct trop_attend *swept(double *out, struct trop_attend_note *notes,
                                 const struct problem *p, int64_t workers,
                                 const struct trop_kernel *kernel, int single)
{
    struct trop_attend *attend;
    struct trop_matrix matrix = { .scale = p->scale };
    struct trop_rule_numbers numbers = { .rule = &trop_rule_softmax, .beta = p->beta };

    memset(notes, 0, (size_t)p->n * sizeof *notes);
    assert_ok(trop_attend_create(&attend, p->n, p->d, workers, kernel, 0));
    assert_ok(trop_attend_load(attend, x, NULL, p->n, &matrix, &numbers));
    trop_attend_precision(attend, single);
    assert_ok(trop_attend_rows(out, notes, attend, 0));
    return attend;
}

enum cloud { GAUSS, SPHERE, FAR, CLUSTERS, TWICE, EQUAL, CLOUDS };

static void fill(enum cloud cloud, int64_t n, int64_t d)
{
    normals(x, n * d, 31 + (uint64_t)cloud);
    for (int64_t i = 0; i < n; i++) {
        double *xi = x + i * d, square = 0;
        for (int64_t c = 0; c < d; c++) {
            square += xi[c] * xi[c];
        }
        for (int64_t c = 0; c < d; c++) {
            xi[c] = cloud == SPHERE     ? xi[c] / sqrt(square)
                    : cloud == FAR      ? xi[c] + 30
                    : cloud == CLUSTERS ? normal(5, (uint64_t)(i % 7 * d + c)) + 1e-7 * xi[c]
                    : cloud == TWICE    ? (i >= n / 2 ? x[(i - n / 2) * d + c] : xi[c])
                    : cloud == EQUAL    ? 0.75 + (i == 5)
                                        : xi[c];
        }
    }
}

/* Row i in long double; returns max |x_j - x_i|. */
static double definition(long double *out, const struct problem *p, int64_t i)
{
    static long double s[MOST];
    long double top = -INFINITY, total = 0, far = 0;

    for (int64_t j = 0; j < p->n; j++) {
        s[j] = 0;
        for (int64_t c = 0; c < p->d; c++) { /* less the row's own score, without cancellation */
            s[j] += (long double)x[i * p->d + c] * ((long double)x[j * p->d + c] - x[i * p->d + c]);
        }
        s[j] *= (long double)p->beta * p->scale;
        top = s[j] > top ? s[j] : top;
    }
    memset(out, 0, (size_t)p->d * sizeof *out);
    for (int64_t j = 0; j < p->n; j++) {
        long double w = expl(s[j] - top), square = 0;
        total += w;
        for (int64_t c = 0; c < p->d; c++) {
            long double v = (long double)x[j * p->d + c] - x[i * p->d + c];
            out[c] += w * v;
            square += v * v;
        }
        far = square > far ? square : far;
    }
    for (int64_t c = 0; c < p->d; c++) {
        out[c] /= total;
    }
    return (double)sqrtl(far);
}

/* Every third row; returns the largest of what they are off by, over D_i. */
static double check(const struct problem *p, const char *what)
{
    struct trop_attend *attend = swept(one, note_one, p, 1, trop_kernel_choose(0), 1);
    double most = 0;

    assert_true(attend->paired);
    for (int64_t i = 0; i < p->n; i += 1 + i % 5) {
        long double exact[WIDEST], square = 0;
        double far = definition(exact, p, i);
        for (int64_t c = 0; c < p->d; c++) {
            square += (exact[c] - one[i * p->d + c]) * (exact[c] - one[i * p->d + c]);
        }
        double off = (double)sqrtl(square);
        if (!(off <= attend->error[i] * far)) {
            fail_msg("%s, n %d, d %d: row %d is off by %g, more than %g", what, (int)p->n,
                     (int)p->d, (int)i, off / far, attend->error[i]);
        }
        most = fmax(most, off / far);
    }
    assert_true(trop_attend_error(attend) > 1e-6 && trop_attend_error(attend) < 0.02);
    trop_attend_free(attend);
    return most;
}

static void every_row_is_within_its_error_of_a_sum_in_extended_precision(void **state)
{
    static const int64_t counts[] = { 1025, 1100, 1985 }, dimensions[] = { 1, 2, 3, 17, 40 };
    (void)state;

    for (int k = 0; k < CLOUDS * 5; k++) {
        struct problem p = { counts[k % 3], dimensions[k / CLOUDS], 1, k % 2 ? 0.3 : 1 };
        enum cloud cloud = (enum cloud)(k % CLOUDS);
        char what[40];
        snprintf(what, sizeof what, "cloud %d", (int)cloud);
        p.beta = cloud == SPHERE ? 12 : cloud == FAR ? 0.02 : p.d > 3 ? 0.1 : 0.5;
        fill(cloud, p.n, p.d);
        check(&p, what);
    }
}

/* The weight of others is e^-30 or less: errors are of their sum alone. */
static void tokens_that_hear_little_hardly_move(void **state)
{
    struct problem p = { 1100, 40, 150, 1 };
    (void)state;

    fill(SPHERE, p.n, p.d);
    assert_true(check(&p, "sphere") < 1e-12);
}

static void workers_and_kernels_change_no_bit(void **state)
{
    (void)state;
    for (int64_t d = 1; d <= 19; d += 9) {
        struct problem p = { 1500 + d, d, 0.3, 1 };
        fill(GAUSS, p.n, p.d);
        struct trop_attend *attend = swept(one, note_one, &p, 1, trop_kernel_list[0], 1);
        assert_true(attend->paired);
        trop_attend_free(attend);
        for (int k = 0; trop_kernel_list[k]; k++) {
            for (int64_t workers = 1; workers <= 5 && trop_kernel_list[k]->available();
                 workers += 2) {
                trop_attend_free(swept(two, note_two, &p, workers, trop_kernel_list[k], 1));
                assert_memory_equal(one, two, (size_t)(p.n * p.d) * sizeof *one);
                for (int64_t i = 0; i < p.n; i++) {
                    assert_int_equal(note_one[i].best, note_two[i].best);
                    assert_true(note_one[i].scale == note_two[i].scale);
                }
            }
        }
    }
}

static void notes_are_those_of_double_precision(void **state)
{
    (void)state;
    for (int cloud = 0; cloud < CLOUDS; cloud++) {
        struct problem p = { 1300, 3, cloud == FAR ? 0.02 : 0.5, cloud % 2 ? 0.3 : 1 };
        fill((enum cloud)cloud, p.n, p.d);
        trop_attend_free(swept(one, note_one, &p, 2, trop_kernel_choose(0), 0));
        struct trop_attend *attend = swept(two, note_two, &p, 2, trop_kernel_choose(0), 1);
        assert_true(attend->paired);
        for (int64_t i = 0; i < p.n; i++) {
            assert_int_equal(note_one[i].best, note_two[i].best);
            assert_int_equal(note_one[i].unique, note_two[i].unique);
            assert_int_equal(note_one[i].alone, note_two[i].alone);
            assert_true(note_one[i].gap == note_two[i].gap);
            assert_true(note_one[i].energy == note_two[i].energy);
            assert_near(note_one[i].scale, note_two[i].scale,
                        1e-12 * fabs(note_one[i].scale) + 2 * attend->error[i]);
        }
        trop_attend_free(attend);
    }
}

/* Where float cannot hold the weights, or the exponents, rows are done as without pairs. */
static void what_single_precision_cannot_hold_is_done_by_rows(void **state)
{
    static const double betas[] = { 1e5, 30, 0, 1e-30 };
    (void)state;

    fill(GAUSS, 1100, 3);
    for (int64_t c = 0; c < 3; c++) {
        x[c] *= 4; /* lengths far apart: masses, at beta = 30 */
    }
    for (int k = 0; k < 4; k++) {
        struct problem p = { 1100, 3, betas[k], 1 };
        struct trop_attend *attend = swept(one, note_one, &p, 2, trop_kernel_choose(0), 1);
        assert_false(attend->paired);
        trop_attend_alone(attend, 1);
        assert_ok(trop_attend_rows(two, note_two, attend, 0));
        assert_memory_equal(one, two, (size_t)(p.n * p.d) * sizeof *one);
        trop_attend_free(attend);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_within_its_error_of_a_sum_in_extended_precision),
        cmocka_unit_test(tokens_that_hear_little_hardly_move),
        cmocka_unit_test(workers_and_kernels_change_no_bit),
        cmocka_unit_test(notes_are_those_of_double_precision),
        cmocka_unit_test(what_single_precision_cannot_hold_is_done_by_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
