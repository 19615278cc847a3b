/* test_attend.c -- kernels by themselves, and whole steps. */
#include "support.h"

#include "attend/attend.h"
#include "flow/flow.h"

/* ---- kernels ------------------------------------------------------------------------------ */

#define MOST 1100

static double xt[8 * MOST], row_a[MOST], row_b[MOST], mass[MOST];
static int64_t set_a[MOST], set_b[MOST];

static void every_instruction_set_gives_the_same_bits(void **state)
{
    (void)state;
    int64_t sizes[] = { 1, 2, 7, 8, 9, 255, 256, 257, 511, 1024, 1037 };
    const struct trop_kernel *first = trop_kernel_list[0];
    int compared = 0;

    for (int k = 1; trop_kernel_list[k]; k++) {
        const struct trop_kernel *other = trop_kernel_list[k];
        if (!other->available()) {
            continue;
        }
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            int64_t n = sizes[s], stride = (n + 7) / 8 * 8;
            size_t bytes = (size_t)stride * sizeof(double);
            for (int64_t d = 1; d <= 8; d++) {
                double y[8], anchor[8], out_a[8], out_b[8];
                normals(xt, d * stride, (uint64_t)(n * 9 + d));
                normals(y, d, 1);
                normals(anchor, d, 2);
                for (int64_t j = 0; j < stride; j++) {
                    mass[j] = j < n ? fabs(normal(3, (uint64_t)j)) : 0;
                }
                double top_a = first->scores(row_a, y, xt, stride, n, d);
                double top_b = other->scores(row_b, y, xt, stride, n, d);
                assert_memory_equal(row_a, row_b, bytes);
                assert_memory_equal(&top_a, &top_b, sizeof top_a);
                assert_int_equal(first->collect(set_a, row_a, n, top_a - 0.5),
                                 other->collect(set_b, row_b, n, top_b - 0.5));
                assert_memory_equal(set_a, set_b, sizeof set_a);
                double z_a = first->exponentials(row_a, d % 2 ? mass : NULL, n, top_a, 3.7);
                double z_b = other->exponentials(row_b, d % 2 ? mass : NULL, n, top_b, 3.7);
                assert_memory_equal(row_a, row_b, bytes);
                assert_memory_equal(&z_a, &z_b, sizeof z_a);
                first->average(out_a, row_a, xt, stride, anchor, n, d);
                other->average(out_b, row_b, xt, stride, anchor, n, d);
                assert_memory_equal(out_a, out_b, (size_t)d * sizeof *out_a);
                compared++;
            }
        }
    }
    if (compared == 0) {
        skip(); /* a machine with the baseline alone */
    }
}

static void softmax_survives_any_logits(void **state)
{
    (void)state;
    for (int k = 0; trop_kernel_list[k]; k++) {
        const struct trop_kernel *kernel = trop_kernel_list[k];
        if (!kernel->available()) {
            continue;
        }
        double huge[8] = { 1e300, -1e300, 1e300, 0, -1e300, 1, -1, 1e300 };
        assert_true(kernel->exponentials(huge, NULL, 8, 1e300, 1) == 3);
        assert_true(huge[0] == 1 && huge[1] == 0 && huge[3] == 0 && huge[7] == 1);
        double low[8] = { -1e6, -1e6, -1e6, -1e6, -1e6, -1e6, -1e6, -1e6 };
        assert_true(kernel->exponentials(low, NULL, 8, -1e6, 1) == 8);
        double masked[8] = { 2, -INFINITY, 1, -INFINITY, -INFINITY, -INFINITY, 0, -INFINITY };
        assert_near(kernel->exponentials(masked, NULL, 7, 2, 1), 1 + exp(-1) + exp(-2), 1e-15);
        assert_true(masked[1] == 0 && masked[3] == 0);
        double flat[8] = { 5, -3, 2, -INFINITY, 0, 0, 0, 0 };
        assert_true(kernel->exponentials(flat, NULL, 3, 5, 0) == 3); /* beta = 0 */
        double one[8] = { -7e299 };
        assert_true(kernel->exponentials(one, NULL, 1, -7e299, 1e300) == 1);
    }
}

/* ---- whole steps ---------------------------------------------------------------------------- */

static void threads_and_instruction_sets_change_no_bit_of_any_flow(void **state)
{
    (void)state;
    enum { N = 300, D = 3 };
    static double x[N * D], first[N * D], other[N * D];
    int64_t threads[] = { 1, 2, 3, 7 };

    normals(x, N * D, 11);
    for (int64_t rule = 0; trop_rule_names()[rule]; rule++) {
        for (int mask = 0; mask < 2; mask++) {
            struct trop_flow_options o = options_of(x, N, D, trop_rule_names()[rule]);
            o.mask = mask;
            o.k = 4;
            o.beta = constant(2.5);
            o.steps = (struct trop_count){ 6, 0.78 };
            run_to(first, &o);
            for (int t = 0; t < 4; t++) {
                for (int64_t kernel = 0; trop_kernel_names()[kernel]; kernel++) {
                    struct trop_flow *probe = NULL;
                    o.threads = threads[t];
                    o.kernel = kernel;
                    if (trop_flow_create(&probe, &o) != TROP_OK) {
                        continue; /* not on this machine */
                    }
                    trop_flow_free(probe);
                    if (t > 1 && kernel == 1) {
                        continue; /* the baseline is slow: one and two threads */
                    }
                    run_to(other, &o);
                    assert_memory_equal(first, other, sizeof first);
                }
            }
        }
    }
}

static void sums_over_a_set_have_the_kernels_order(void **state)
{
    (void)state;
    /* The same average by the kernel over all columns, zeros outside the set, and by the
     * sparse sum over the set alone: not a bit apart. Masses make every order different. */
    enum { COUNT = 700, WIDTH = 704, DIM = 3 };
    static double x[COUNT * DIM], masses[COUNT], dense[WIDTH];
    double sparse[DIM], kernel[DIM];
    struct trop_attend *attend;
    struct trop_matrix identity = { .scale = 1 };
    struct trop_rule_numbers numbers = { .rule = &trop_rule_localmax };

    normals(x, COUNT * DIM, 17);
    for (int64_t j = 0; j < COUNT; j++) {
        masses[j] = uniform(18, (uint64_t)j);
    }
    assert_ok(trop_attend_create(&attend, COUNT, DIM, 1, trop_kernel_choose(0), 0));
    assert_ok(trop_attend_load(attend, x, masses, COUNT, &identity, &numbers));
    for (int64_t i = 0; i < 40; i++) {
        struct trop_row *row = trop_attend_look(attend, x + i * DIM, COUNT);
        row->i = i;
        trop_row_neighbours(row, 1.0, 0);
        trop_row_level(row);
        if (row->count * 8 >= COUNT) {
            continue;
        }
        memset(dense, 0, sizeof dense);
        double total = 0, lanes[8];
        for (int64_t block = 0; block < WIDTH; block += TROP_BLOCK) {
            memset(lanes, 0, sizeof lanes);
            for (int64_t k = 0; k < row->count; k++) {
                int64_t j = row->support[k];
                dense[j] = masses[j];
                lanes[j % 8] += j / TROP_BLOCK == block / TROP_BLOCK ? masses[j] : 0;
            }
            total += ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
                     ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
        }
        assert_true(row->total == total);
        trop_row_displace(sparse, row);
        row->scene->kernel->average(kernel, dense, row->scene->xt, row->scene->stride, x + i * DIM,
                                    COUNT, DIM);
        for (int c = 0; c < DIM; c++) {
            assert_true(sparse[c] == kernel[c] / total);
        }
    }
    trop_attend_free(attend);
}

/* Out of a copy of x, by each instruction set and one to three workers. */
static void check_apply(const double *chain, const double *matrix, const double *x, int64_t n,
                        int64_t d)
{
    static double out[129 * 100];

    for (int k = 0; trop_kernel_list[k]; k++) {
        for (int64_t workers = 1; workers <= 3 && trop_kernel_list[k]->available(); workers++) {
            struct trop_attend *attend = NULL;
            memcpy(out, x, (size_t)(n * d) * sizeof *out);
            assert_ok(trop_attend_create(&attend, n, d, workers, trop_kernel_list[k], 0));
            trop_attend_apply(out, attend, matrix, out, n);
            assert_memory_equal(out, chain, (size_t)(n * d) * sizeof *out);
            trop_attend_free(attend);
        }
    }
}

/* One chain of fma from 0 a number: counts about a group of lanes and about a block of tokens, and
 * a size that is worth a second worker. */
static void a_matrix_times_tokens_is_a_chain_for_each_number(void **state)
{
    static const int64_t sizes[][2] = { { 1, 1 },  { 1, 5 },   { 7, 3 },   { 8, 8 },    { 9, 13 },
                                        { 63, 4 }, { 64, 17 }, { 65, 31 }, { 129, 100 } };
    static double matrix[100 * 100], x[129 * 100], chain[129 * 100];

    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int64_t n = sizes[s][0], d = sizes[s][1];
        normals(matrix, d * d, 1);
        normals(x, n * d, 2);
        for (int64_t k = 0; k < n * d; k++) {
            x[k] = k % 5 == 0 ? -0.0 : x[k]; /* a chain from 0 has no -0 */
        }
        for (int64_t k = 0; k < n * d; k++) {
            chain[k] = 0;
            for (int64_t c = 0; c < d; c++) {
                chain[k] = fma(matrix[k % d * d + c], x[k / d * d + c], chain[k]);
            }
        }
        check_apply(chain, matrix, x, n, d);
    }
}

static void a_token_alone_stays_where_it_is(void **state)
{
    (void)state;
    double points[] = { 0, -2.5, 1e300, 1e-300 };

    for (int64_t rule = 0; trop_rule_names()[rule]; rule++) {
        for (int k = 0; k < 4; k++) {
            double x[1] = { points[k] }, out[1];
            struct trop_flow_options o = options_of(x, 1, 1, trop_rule_names()[rule]);
            o.steps = (struct trop_count){ 5, 0.7 };
            run_to(out, &o);
            assert_memory_equal(x, out, sizeof x);
        }
    }
}

static void equal_tokens_do_not_move_by_a_bit(void **state)
{
    (void)state;
    double x[3 * 37], out[3 * 37];

    for (int64_t i = 0; i < 37; i++) {
        for (int64_t c = 0; c < 3; c++) {
            x[3 * i + c] = normal(12, (uint64_t)c);
        }
    }
    for (int64_t rule = 0; trop_rule_names()[rule]; rule++) {
        struct trop_flow_options o = options_of(x, 37, 3, trop_rule_names()[rule]);
        o.gamma = constant(0.3);
        o.steps = (struct trop_count){ 5, 0.7 };
        run_to(out, &o);
        assert_memory_equal(x, out, sizeof x);
    }
}

static void huge_and_tiny_clouds_flow_like_ordinary_ones(void **state)
{
    (void)state;
    /* x 2^e, beta 2^-2e, epsilon 2^2e: not a bit of difference, though the scores of the
     * scaled cloud leave double. Past |e| = 480 beta and epsilon would leave it as well, so
     * there they are 0. */
    enum { N = 20, D = 2 };
    double x[N * D], scaled[N * D], out[N * D], big[N * D];
    int exponents[] = { 900, -900, 450, -450, 300, -300 };

    normals(x, N * D, 13);
    for (int64_t rule = 0; trop_rule_names()[rule]; rule++) {
        for (int k = 0; k < 6; k++) {
            int e = exponents[k];
            struct trop_flow_options o = options_of(x, N, D, trop_rule_names()[rule]);
            o.steps = (struct trop_count){ 8, 0.9 };
            o.k = 3;
            o.beta = constant(k < 2 ? 0 : 1.5);
            o.epsilon = constant(k < 2 ? 0 : 0.2);
            run_to(out, &o);
            for (int64_t m = 0; m < N * D; m++) {
                scaled[m] = ldexp(x[m], e);
            }
            o.cloud.tokens = scaled;
            o.beta.a = ldexp(o.beta.a, k < 2 ? 0 : -2 * e);
            o.epsilon.a = ldexp(o.epsilon.a, k < 2 ? 0 : 2 * e);
            o.confidence = ldexp(o.confidence, e);
            run_to(big, &o);
            for (int64_t m = 0; m < N * D; m++) {
                big[m] = ldexp(big[m], -e);
            }
            assert_memory_equal(out, big, sizeof out);
        }
    }
}

static void memory_grows_with_tokens_and_not_with_pairs(void **state)
{
    (void)state;
    static double weights[200000];
    struct trop_flow_options o = trop_flow_options_default();
    o.cloud.n = 200000;
    o.cloud.d = 3;
    o.rule = rule_index("hardmax");
    struct trop_flow *flow = flow_of(&o);
    assert_ok(trop_flow_weights(weights, flow, 17));
    if (getenv("TROP_TEST_FULL") && !getenv("TROP_TEST_SLOW")) {
        assert_ok(trop_flow_step(flow, 1)); /* 4e10 pairs */
    }
    /* Resident memory of this process at its highest, in kB. */
    FILE *file = fopen("/proc/self/status", "r");
    long peak = -1;
    char line[200];
    while (file && fgets(line, sizeof line, file)) {
        sscanf(line, "VmHWM: %ld", &peak);
    }
    if (file) {
        fclose(file);
    }
    trop_flow_free(flow);
    if (peak < 0 || getenv("TROP_TEST_SLOW")) {
        skip(); /* no such file here, or a sanitizer whose own memory counts too */
    }
    assert_true(peak < 200 * 1024);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_grows_with_tokens_and_not_with_pairs),
        cmocka_unit_test(every_instruction_set_gives_the_same_bits),
        cmocka_unit_test(softmax_survives_any_logits),
        cmocka_unit_test(threads_and_instruction_sets_change_no_bit_of_any_flow),
        cmocka_unit_test(sums_over_a_set_have_the_kernels_order),
        cmocka_unit_test(a_matrix_times_tokens_is_a_chain_for_each_number),
        cmocka_unit_test(a_token_alone_stays_where_it_is),
        cmocka_unit_test(equal_tokens_do_not_move_by_a_bit),
        cmocka_unit_test(huge_and_tiny_clouds_flow_like_ordinary_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
