/* test_attend_pairs.c -- softmax by pairs of tokens: within its bound of a sum in extended
 * precision, the same bits for every number of workers and every instruction set, and the notes of
 * rows by themselves. */
#include "support.h"

#include "alloc_failing.c"
#include "attend/attend_internal.h"
#include "kernel/kernel_pairs.h"

#define MOST 2000
#define WIDEST 40
#define UNIT 0x1p-53

static double x[MOST * WIDEST], one[MOST * WIDEST], two[MOST * WIDEST];
static struct trop_attend_note note_one[MOST], note_two[MOST];

struct problem {
    int64_t n, d;
    double beta, scale; /* B = scale I */
};

static struct trop_attend *loaded(const struct problem *p, int64_t workers,
                                  const struct trop_kernel *kernel)
{
    struct trop_attend *attend;
    struct trop_matrix matrix = { .scale = p->scale };
    struct trop_rule_numbers numbers = { .rule = &trop_rule_softmax, .beta = p->beta };

    assert_ok(trop_attend_create(&attend, p->n, p->d, workers, kernel, 0));
    assert_ok(trop_attend_load(attend, x, NULL, p->n, &matrix, &numbers));
    return attend;
}

/* All rows and their notes; returns whether they were done by pairs, and *shift their c. */
static int sweep(double *out, struct trop_attend_note *notes, double *shift,
                 const struct problem *p, int64_t workers, const struct trop_kernel *kernel)
{
    struct trop_attend *attend = loaded(p, workers, kernel);

    memset(notes, 0, (size_t)p->n * sizeof *notes);
    assert_ok(trop_attend_rows(out, notes, attend, 0));
    int paired = attend->paired;
    if (shift) {
        *shift = attend->pairs_shift;
    }
    trop_attend_free(attend);
    return paired;
}

/* ---- exponentials -------------------------------------------------------------------------- */

static void exponentials_are_off_by_less_than_two_units(void **state)
{
    (void)state;
    for (int64_t k = 0; k < cases(3000, 1000000); k++) {
        double a[TROP_STRIP], b[TROP_STRIP], at[TROP_STRIP];
        double range = k % 3 == 0 ? 1400 : k % 3 == 1 ? 2 : 0.1;
        for (int l = 0; l < TROP_STRIP; l++) {
            at[l] = range * (uniform(9, (uint64_t)(TROP_STRIP * k + l)) - 0.5);
            a[l] = at[l];
        }
        at[0] = a[0] = k % 2 ? 700 : -700;
        at[1] = a[1] = 0;
        trop_kernel_choose(0)->pairs->exponential(a);
        for (int l = 0; l < TROP_STRIP; l++) {
            long double exact = expl((long double)at[l]);
            assert_true(fabsl(a[l] - exact) <= 2 * UNIT * exact);
        }
        assert_true(a[1] == 1);
        for (int m = 0; k < 300 && trop_kernel_list[m]; m++) {
            if (trop_kernel_list[m]->available()) {
                memcpy(b, at, sizeof b);
                trop_kernel_list[m]->pairs->exponential(b);
                assert_memory_equal(a, b, sizeof a);
            }
        }
    }
}

/* ---- clouds -------------------------------------------------------------------------------- */

enum cloud { GAUSS, SPHERE, CLUSTERS, TWICE, ZEROS, LATTICE, COLLAPSED, TINY, CLOUDS };

static void fill(enum cloud cloud, int64_t n, int64_t d)
{
    normals(x, n * d, 17 + (uint64_t)cloud);
    for (int64_t i = 0; i < n; i++) {
        double *xi = x + i * d, square = 0;
        for (int64_t c = 0; c < d; c++) {
            square += xi[c] * xi[c];
        }
        for (int64_t c = 0; c < d; c++) {
            switch (cloud) {
            case SPHERE:
                xi[c] /= sqrt(square);
                break;
            case CLUSTERS: /* tight ones, far apart: small displacements among large tokens */
                xi[c] = normal(5, (uint64_t)(i % 7 * d + c)) + 1e-9 * xi[c];
                break;
            case TWICE:
                xi[c] = i >= n / 2 ? x[(i - n / 2) * d + c] : xi[c];
                break;
            case ZEROS:
                xi[c] = i % 3 == 1 ? 0 : xi[c];
                break;
            case LATTICE:
                xi[c] = floor(xi[c]);
                break;
            case COLLAPSED:
                xi[c] = 0.75 + 0x1p-52 * floor(xi[c]);
                break;
            case TINY: /* some with few bits, whose products with 0.3 point elsewhere */
                xi[c] *= i % 5 == 2 ? 0x1p-1072 : 0x1p20;
                break;
            default:
                break;
            }
        }
    }
}

static double longest(int64_t n, int64_t d)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++) {
        double square = 0;
        for (int64_t c = 0; c < d; c++) {
            square += x[i * d + c] * x[i * d + c];
        }
        most = fmax(most, square);
    }
    return most;
}

/* ---- the truth ----------------------------------------------------------------------------- */

/* Row i in long double, whose own errors are 2^-11 of a bound. */
static void check_row(const struct problem *p, int64_t i, double shift)
{
    static long double weight[MOST];
    int64_t n = p->n, d = p->d;
    long double top = -INFINITY, total = 0;
    double size = 0, u = UNIT;

    for (int64_t j = 0; j < n; j++) {
        long double s = 0;
        double reach = 0;
        for (int64_t c = 0; c < d; c++) {
            s += (long double)(p->scale * x[i * d + c]) * x[j * d + c];
            reach += fabs(p->scale * x[i * d + c] * x[j * d + c]);
        }
        weight[j] = p->beta * s;
        top = weight[j] > top ? weight[j] : top;
        size = fmax(size, p->beta * reach);
    }
    for (int64_t j = 0; j < n; j++) {
        weight[j] = expl(weight[j] - top);
        total += weight[j];
    }
    /* The errors of attend_pairs.c: of a logit and its exponential, and of a term of a sum. */
    double logit = ((double)(d + 3) * size + (shift > 0 ? size + shift : 0) + 2) * u;
    double roundings = 44 + ceil((double)n / 128);
    double relative = 1.01 * (2 * logit + (2 * roundings + 4) * u);
    for (int64_t c = 0; c < d; c++) {
        long double sum = 0, spread = 0;
        for (int64_t j = 0; j < n; j++) {
            long double t = (long double)x[j * d + c] - x[i * d + c];
            sum += weight[j] * t;
            spread += weight[j] * fabsl(t);
        }
        assert_near(one[i * d + c], (double)(sum / total),
                    relative * (double)(spread / total) + 0x1p-1060);
    }
    double scale = (double)(top + logl(total));
    assert_near(note_one[i].scale, scale, relative + 2 * u * (fabs(scale) + 1));
}

/* paired: what is expected. */
static void check(const struct problem *p, int paired)
{
    double shift;
    assert_int_equal(sweep(one, note_one, &shift, p, 1, trop_kernel_choose(0)), paired);
    int64_t step = cases(31, 1);
    for (int64_t i = 0; i < p->n - 1; i += step) {
        check_row(p, i, shift);
    }
    check_row(p, p->n - 1, shift); /* one of those that no whole chunk holds */
}

static void every_row_is_within_its_bound_of_a_sum_in_extended_precision(void **state)
{
    (void)state;
    static const int64_t dims[] = { 1, 2, 3, 7, 16, 33 };
    /* beta times the square of the longest token. */
    static const double reach[] = { 1e-3, 1, 40, 499 };
    int64_t k = 0;

    for (int cloud = 0; cloud < CLOUDS; cloud++) {
        for (int b = 0; b < 4; b++, k++) {
            int64_t n = cases(1025 + 37 * (k % 5), MOST), d = dims[k % 6];
            fill((enum cloud)cloud, n, d);
            check(&(struct problem){ n, d, reach[b] / longest(n, d), 1 }, 1);
        }
    }
    fill(GAUSS, 1100, 3);
    check(&(struct problem){ 1100, 3, 0, 1 }, 1);
}

static void any_positive_multiple_of_the_identity_will_do(void **state)
{
    (void)state;
    static const double scale[] = { 0.3, 2, 7.1 };

    for (int k = 0; k < 3; k++) {
        int64_t n = cases(1057, MOST), d = 2 + 3 * k;
        fill(CLUSTERS, n, d);
        check(&(struct problem){ n, d, 20 / longest(n, d), scale[k] }, 1);
    }
}

/* On the sphere there is one c for all, however large beta. */
static void beyond_the_range_lengths_must_be_alike(void **state)
{
    (void)state;
    int64_t n = cases(1030, MOST), d = 4;
    double shift;

    fill(SPHERE, n, d);
    check(&(struct problem){ n, d, 2e4, 1 }, 1);
    sweep(one, note_one, &shift, &(struct problem){ n, d, 2e4, 1 }, 1, trop_kernel_choose(0));
    assert_true(shift > 2e4);
    fill(GAUSS, n, d);
    double far = longest(n, d);
    check(&(struct problem){ n, d, 499.9 / far, 1 }, 1);
    check(&(struct problem){ n, d, 500.1 / far, 1 }, 0);
    check(&(struct problem){ n, d, 1, -1 }, 0);
    check(&(struct problem){ n - 10, d, 1, 1 }, n > 1050);
}

/* ---- equalities ---------------------------------------------------------------------------- */

static void assert_same(int64_t n, int64_t d)
{
    assert_memory_equal(one, two, (size_t)(n * d) * sizeof *one);
    for (int64_t i = 0; i < n; i++) {
        assert_int_equal(note_one[i].best, note_two[i].best);
        assert_int_equal(note_one[i].unique, note_two[i].unique);
        assert_memory_equal(&note_one[i].scale, &note_two[i].scale, sizeof(double));
    }
}

static void workers_and_kernels_change_no_bit(void **state)
{
    (void)state;
    static const int64_t dims[] = { 1, 2, 3, 5, 16, 33 };

    for (int k = 0; k < 6; k++) {
        struct problem p = { .n = 1025 + 31 * k, .d = dims[k], .scale = 1, .beta = 1 };
        int alike = k % 2;
        fill(alike ? SPHERE : GAUSS, p.n, p.d);
        p.beta = alike ? 900 : 50 / longest(p.n, p.d);
        assert_int_equal(sweep(one, note_one, NULL, &p, 1, trop_kernel_choose(0)), 1);
        for (int64_t workers = 2; workers <= 5; workers++) {
            sweep(two, note_two, NULL, &p, workers, trop_kernel_choose(0));
            assert_same(p.n, p.d);
        }
        for (int m = 0; trop_kernel_list[m]; m++) {
            if (trop_kernel_list[m]->available()) {
                sweep(two, note_two, NULL, &p, 1, trop_kernel_list[m]);
                assert_same(p.n, p.d);
            }
        }
    }
}

/* Room for more tokens than there are is used again and again. */
static void no_bit_depends_on_the_room_or_on_what_was_there_before(void **state)
{
    (void)state;
    struct problem p = { .n = 1300, .d = 3, .scale = 1, .beta = 1 };
    struct trop_attend *attend;
    struct trop_matrix matrix = { .scale = 1 };
    struct trop_rule_numbers numbers = { .rule = &trop_rule_softmax, .beta = 1 };

    assert_ok(trop_attend_create(&attend, MOST, 3, 1, trop_kernel_choose(0), 0));
    for (int64_t n = 1900; n >= 1300; n -= 150) {
        fill(n == 1300 ? ZEROS : GAUSS, n, 3);
        assert_ok(trop_attend_load(attend, x, NULL, n, &matrix, &numbers));
        assert_ok(trop_attend_rows(two, note_two, attend, 0));
        assert_true(attend->paired);
    }
    sweep(one, note_one, NULL, &p, 1, trop_kernel_choose(0));
    assert_same(p.n, p.d);
    trop_attend_free(attend);
}

/* Exact decisions do not depend on how they are reached. */
static void notes_are_those_of_rows_by_themselves(void **state)
{
    (void)state;
    static const double scale[] = { 1, 0.3, 4 };

    for (int cloud = 0; cloud < CLOUDS; cloud++) {
        struct problem p = { .n = 1040 + 64 * (cloud % 3), .d = 1 + cloud, .beta = 0.5 };
        p.d = cloud == COLLAPSED ? 17 : cloud == TINY ? 2 : p.d;
        p.beta = cloud == TINY ? 1e-13 : p.beta;
        p.scale = scale[cloud % 3];
        fill((enum cloud)cloud, p.n, p.d);
        assert_int_equal(sweep(one, note_one, NULL, &p, 1, trop_kernel_choose(0)), 1);
        struct trop_attend *attend = loaded(&p, 1, trop_kernel_choose(0));
        struct trop_attend_sweep alone = { .attend = attend,
                                           .displacement = two,
                                           .notes = note_two };
        for (int64_t i = 2; i < p.n; i += cases(cloud == TINY ? 5 : 23, 1)) {
            trop_attend_row_alone(&alone, i, 0);
            assert_int_equal(note_one[i].best, note_two[i].best);
            assert_int_equal(note_one[i].unique, note_two[i].unique);
            assert_int_equal(note_one[i].alone, note_two[i].alone);
            assert_int_equal(note_one[i].only, note_two[i].only);
            assert_true(note_one[i].set == note_two[i].set);
            assert_memory_equal(&note_one[i].gap, &note_two[i].gap, sizeof(double));
            assert_memory_equal(&note_one[i].energy, &note_two[i].energy, sizeof(double));
        }
        trop_attend_free(attend);
    }
}

static void tokens_at_one_place_stay_there(void **state)
{
    (void)state;
    struct problem p = { .n = 1500, .d = 5, .scale = 1, .beta = 3 };

    for (int64_t k = 0; k < p.n * p.d; k++) {
        x[k] = 0.1 * (double)(k % p.d);
    }
    assert_int_equal(sweep(one, note_one, NULL, &p, 1, trop_kernel_choose(0)), 1);
    for (int64_t k = 0; k < p.n * p.d; k++) {
        assert_true(one[k] == 0);
    }
}

/* Copy k is the flow of its seed, below the number from which flows go by pairs and above it. */
static void copies_are_flows_at_any_number_of_tokens(void **state)
{
    (void)state;
    for (int64_t n = TROP_KERNEL_ALONE; n <= TROP_KERNEL_ALONE + 1; n++) {
        struct trop_copies_options o = trop_copies_options_default();
        struct trop_copies *copies = NULL;
        o.flow.cloud.n = n;
        o.flow.cloud.d = 2;
        o.flow.rule = rule_index("softmax");
        o.flow.steps = (struct trop_count){ .value = 2 };
        o.flow.cloud.seed = 3;
        o.flow.threads = 1;
        o.copies = 2;
        o.keep = 1;
        assert_ok(trop_copies_create(&copies, &o));
        assert_ok(trop_copies_run(copies, NULL, NULL));
        for (int64_t k = 0; k < o.copies; k++) {
            struct trop_flow_options single = o.flow;
            single.cloud.seed += (uint64_t)k;
            run_to(one, &single);
            assert_memory_equal(one, trop_copies_tokens(copies) + k * n * 2,
                                (size_t)(n * 2) * sizeof *one);
        }
        trop_copies_free(copies);
    }
}

static enum trop_status made(void)
{
    struct trop_attend *attend = NULL;
    enum trop_status status =
        trop_attend_create(&attend, TROP_KERNEL_ALONE + 1, 2, 2, trop_kernel_choose(0), 0);

    trop_attend_free(attend);
    return status;
}

static void every_request_for_memory_can_be_refused(void **state)
{
    (void)state;
    alloc_refuse_each(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exponentials_are_off_by_less_than_two_units),
        cmocka_unit_test(every_row_is_within_its_bound_of_a_sum_in_extended_precision),
        cmocka_unit_test(any_positive_multiple_of_the_identity_will_do),
        cmocka_unit_test(beyond_the_range_lengths_must_be_alike),
        cmocka_unit_test(workers_and_kernels_change_no_bit),
        cmocka_unit_test(no_bit_depends_on_the_room_or_on_what_was_there_before),
        cmocka_unit_test(notes_are_those_of_rows_by_themselves),
        cmocka_unit_test(tokens_at_one_place_stay_there),
        cmocka_unit_test(every_request_for_memory_can_be_refused),
        cmocka_unit_test(copies_are_flows_at_any_number_of_tokens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
