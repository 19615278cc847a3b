/* test_attend.c -- kernels by themselves, and every rule against its definition. */
#include "support.h"

#include <mpfr.h>

#include "attend/attend.h"
#include "attend/decide.h"
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

/* ---- rules against their definitions ------------------------------------------------------- */

#define N 23

static void cloud(double x[N * 2], uint64_t seed)
{
    normals(x, N * 2, seed);
}

static double score(const double *x, int64_t i, int64_t j)
{
    return x[2 * i] * x[2 * j] + x[2 * i + 1] * x[2 * j + 1];
}

static void weights_of(double out[N], const struct trop_flow_options *o, int64_t i)
{
    struct trop_flow *flow = flow_of(o);
    assert_ok(trop_flow_weights(out, flow, i));
    trop_flow_free(flow);
}

static void softmax_equals_its_definition_in_high_precision(void **state)
{
    (void)state;
    double betas[] = { -40, -1, 0, 0.5, 10, 1000 }, x[N * 2], w[N];
    mpfr_t sum, term;

    cloud(x, 21);
    mpfr_inits2(200, sum, term, NULL);
    for (int b = 0; b < 6; b++) {
        struct trop_flow_options o = options_of(x, N, 2, "softmax");
        o.beta = constant(betas[b]);
        for (int64_t i = 0; i < N; i++) {
            weights_of(w, &o, i);
            mpfr_set_d(sum, 0, MPFR_RNDN);
            double exact[N];
            for (int pass = 0; pass < 2; pass++) {
                for (int64_t j = 0; j < N; j++) {
                    mpfr_set_d(term, 0, MPFR_RNDN);
                    for (int c = 0; c < 2; c++) {
                        mpfr_t p;
                        mpfr_init2(p, 200);
                        mpfr_set_d(p, x[2 * i + c], MPFR_RNDN);
                        mpfr_mul_d(p, p, x[2 * j + c], MPFR_RNDN);
                        mpfr_add(term, term, p, MPFR_RNDN);
                        mpfr_clear(p);
                    }
                    mpfr_mul_d(term, term, betas[b], MPFR_RNDN);
                    mpfr_exp(term, term, MPFR_RNDN);
                    if (pass == 0) {
                        mpfr_add(sum, sum, term, MPFR_RNDN);
                    } else {
                        mpfr_div(term, term, sum, MPFR_RNDN);
                        exact[j] = mpfr_get_d(term, MPFR_RNDN);
                    }
                }
            }
            /* A logit of size |beta| 10 is off by d u of that; its exponential, relatively. */
            double tolerance = 8 * 0x1p-53 * (4 + 10 * fabs(betas[b]));
            for (int64_t j = 0; j < N; j++) {
                assert_near(w[j], exact[j], tolerance * exact[j] + 1e-300);
            }
        }
    }
    mpfr_clears(sum, term, NULL);
}

static void sparsemax_satisfies_its_optimality_conditions(void **state)
{
    (void)state;
    double x[N * 2], w[N];

    for (uint64_t seed = 30; seed < 50; seed++) {
        cloud(x, seed);
        struct trop_flow_options o = options_of(x, N, 2, "sparsemax");
        o.beta = constant(0.3 + 0.1 * (double)(seed - 30));
        for (int64_t i = 0; i < N; i++) {
            double tau = NAN, sum = 0, least = INFINITY;
            weights_of(w, &o, i);
            /* p_j = z_j - tau on the support, z_j <= tau off it, sum 1. */
            for (int64_t j = 0; j < N; j++) {
                sum += w[j];
                if (w[j] > 0) {
                    double t = o.beta.a * score(x, i, j) - w[j];
                    assert_true(isnan(tau) || fabs(t - tau) < 1e-14 * (1 + fabs(tau)));
                    tau = t;
                }
            }
            for (int64_t j = 0; j < N; j++) {
                least = w[j] == 0 ? fmin(least, tau - o.beta.a * score(x, i, j)) : least;
            }
            assert_near(sum, 1, 1e-14);
            assert_true(least >= -1e-14 * (1 + fabs(tau)));
        }
    }
}

/* 1.5-entmax by sorting (Peters, Niculae and Martins): z = s/2 less its maximum; over the
 * longest prefix k, tau = M_k - sqrt((1 - ss_k)/k); p = (z - tau)_+^2. */
static void entmax15(double p[N], const double *s)
{
    double z[N], sorted[N], top = -INFINITY, mean = 0, square = 0, tau = 0;

    for (int64_t j = 0; j < N; j++) {
        top = fmax(top, s[j]);
    }
    for (int64_t j = 0; j < N; j++) {
        z[j] = (s[j] - top) / 2;
        int64_t k = j;
        for (; k > 0 && sorted[k - 1] < z[j]; k--) {
            sorted[k] = sorted[k - 1];
        }
        sorted[k] = z[j];
    }
    for (int64_t k = 1; k <= N; k++) {
        mean += sorted[k - 1];
        square += sorted[k - 1] * sorted[k - 1];
        double m = mean / (double)k, ss = square - mean * m;
        double t = m - sqrt(fmax(0, (1 - ss) / (double)k));
        if (t <= sorted[k - 1]) {
            tau = t;
        }
    }
    for (int64_t j = 0; j < N; j++) {
        p[j] = z[j] > tau ? (z[j] - tau) * (z[j] - tau) : 0;
    }
}

static void entmax_meets_its_closed_forms(void **state)
{
    (void)state;
    double x[N * 2], w[N], v[N], s[N], p[N];

    for (uint64_t seed = 60; seed < 70; seed++) {
        cloud(x, seed);
        struct trop_flow_options o = options_of(x, N, 2, "entmax"), other = o;
        for (int64_t i = 0; i < N; i++) {
            for (int64_t j = 0; j < N; j++) {
                s[j] = score(x, i, j);
            }
            o.a = 1.5;
            weights_of(w, &o, i);
            entmax15(p, s);
            for (int64_t j = 0; j < N; j++) {
                assert_near(w[j], p[j], 1e-13);
            }
            o.a = 2; /* sparsemax */
            other.rule = rule_index("sparsemax");
            weights_of(w, &o, i);
            weights_of(v, &other, i);
            for (int64_t j = 0; j < N; j++) {
                assert_near(w[j], v[j], 1e-13);
            }
            o.a = 1 + 1e-9; /* softmax, as a goes to 1: an error of O(a - 1) */
            other.rule = rule_index("softmax");
            weights_of(w, &o, i);
            weights_of(v, &other, i);
            for (int64_t j = 0; j < N; j++) {
                assert_near(w[j], v[j], 1e-7);
            }
        }
    }
}

static void rules_are_related_as_they_should_be(void **state)
{
    (void)state;
    double x[N * 2], a[N], b[N];

    for (uint64_t seed = 80; seed < 100; seed++) {
        cloud(x, seed);
        struct trop_flow_options local = options_of(x, N, 2, "localmax"), other = local;
        for (int64_t i = 0; i < N; i++) {
            /* localmax at epsilon 0 is hardmax by indices */
            local.epsilon = constant(0);
            other.rule = rule_index("hardmax");
            other.ties = TROP_TIES_INDICES;
            weights_of(a, &local, i);
            weights_of(b, &other, i);
            assert_memory_equal(a, b, sizeof a);
            /* min-p lives on localmax's set; so does localmax in probabilities */
            local.epsilon = constant(0.4);
            other = local;
            other.rule = rule_index("minp");
            weights_of(a, &local, i);
            weights_of(b, &other, i);
            for (int64_t j = 0; j < N; j++) {
                assert_int_equal(a[j] > 0, b[j] > 0);
            }
            other.rule = local.rule;
            other.form = TROP_FORM_PROBABILITY;
            other.beta = constant(3);
            other.epsilon = constant(exp(-3 * 0.4));
            weights_of(b, &other, i);
            assert_memory_equal(a, b, sizeof a);
            other.form = TROP_FORM_ADDITIVE;
            /* supports: sparsemax within 1, a-entmax within 1/(a-1) */
            local.epsilon = constant(1);
            other.rule = rule_index("sparsemax");
            other.beta = constant(1);
            weights_of(a, &local, i);
            weights_of(b, &other, i);
            for (int64_t j = 0; j < N; j++) {
                assert_true(b[j] == 0 || a[j] > 0);
            }
            local.epsilon = constant(2);
            other.rule = rule_index("entmax");
            weights_of(a, &local, i);
            weights_of(b, &other, i);
            for (int64_t j = 0; j < N; j++) {
                assert_true(b[j] == 0 || a[j] > 0);
            }
        }
    }
}

static void probabilities_become_tolerances_with_one_rounding(void **state)
{
    (void)state;
    double x[N * 2];
    mpfr_t value;

    cloud(x, 101);
    mpfr_init2(value, 200);
    for (uint64_t k = 0; k < 2000; k++) {
        struct trop_flow_options o = options_of(x, N, 2, "localmax");
        struct trop_rule_numbers numbers;
        o.form = TROP_FORM_PROBABILITY;
        o.epsilon = constant(uniform(102, k));
        o.beta = constant(0.1 + 50 * uniform(103, k));
        struct trop_flow *flow = flow_of(&o);
        assert_ok(trop_flow_numbers(&numbers, flow, 0));
        trop_flow_free(flow);
        mpfr_set_d(value, o.epsilon.a, MPFR_RNDN);
        mpfr_log(value, value, MPFR_RNDN);
        mpfr_div_d(value, value, -o.beta.a, MPFR_RNDN);
        assert_true(numbers.epsilon == mpfr_get_d(value, MPFR_RNDN));
    }
    mpfr_clear(value);
}

static void confidence_is_localmax_on_the_sphere(void **state)
{
    (void)state;
    /* lm-thm-t10: equal norms make localmax the ball of radius sqrt(2 epsilon). */
    double x[N * 2], a[N], b[N];

    for (uint64_t seed = 120; seed < 140; seed++) {
        for (int64_t i = 0; i < N; i++) {
            trop_rng_sphere(x + 2 * i, 2, seed, TROP_RNG_TEST, (uint64_t)i);
        }
        struct trop_flow_options local = options_of(x, N, 2, "localmax");
        struct trop_flow_options ball = options_of(x, N, 2, "confidence");
        local.epsilon = constant(0.1);
        ball.confidence = sqrt(0.2);
        for (int64_t i = 0; i < N; i++) {
            weights_of(a, &local, i);
            weights_of(b, &ball, i);
            assert_memory_equal(a, b, sizeof a);
        }
    }
}

static void a_mass_counts_as_that_many_tokens(void **state)
{
    (void)state;
    /* Token 0 of mass 3 against three tokens at its place. */
    double x[N * 2], copies[(N + 2) * 2], masses[N], a[N], b[N + 2];

    cloud(x, 150);
    memcpy(copies, x, sizeof x);
    for (int k = 0; k < 2; k++) {
        memcpy(copies + 2 * (N + k), x, 2 * sizeof *x);
    }
    for (int64_t j = 0; j < N; j++) {
        masses[j] = j == 0 ? 3 : 1;
    }
    for (int64_t rule = 0; trop_rule_names()[rule]; rule++) {
        const char *name = trop_rule_names()[rule];
        if (strcmp(name, "topk") == 0) {
            continue; /* k counts tokens */
        }
        struct trop_flow_options o = options_of(x, N, 2, name);
        struct trop_flow_options many = options_of(copies, N + 2, 2, name);
        o.cloud.masses = masses;
        o.epsilon = many.epsilon = constant(0.7);
        for (int ties = 0; ties < 2; ties++) {
            o.ties = many.ties = ties;
            for (int64_t i = 0; i < N; i++) {
                struct trop_flow *flow = flow_of(&many);
                assert_ok(trop_flow_weights(b, flow, i));
                trop_flow_free(flow);
                weights_of(a, &o, i);
                assert_near(a[0], b[0] + b[N] + b[N + 1], 1e-14);
                for (int64_t j = 1; j < N; j++) {
                    assert_near(a[j], b[j], 1e-14);
                }
            }
        }
    }
}

static void the_relative_form_refuses_negative_maxima(void **state)
{
    (void)state;
    double x[] = { 1, 0, 2, 0 }, minus[] = { -1, 0, 0, -1 }, w[2];
    struct trop_flow_options o = options_of(x, 2, 2, "localmax");
    o.form = TROP_FORM_RELATIVE;
    o.cloud.key_query.values = minus;
    struct trop_flow *flow = flow_of(&o);
    assert_int_equal(trop_flow_weights(w, flow, 0), TROP_ERR_NUMERIC);
    assert_non_null(strstr(trop_error(), "relative"));
    trop_flow_free(flow);
}

static void the_cosine_form_forgets_lengths(void **state)
{
    (void)state;
    double x[N * 2], unit[N * 2], a[N], b[N];

    cloud(x, 160);
    for (int64_t i = 0; i < N; i++) {
        double norm = hypot(x[2 * i], x[2 * i + 1]);
        unit[2 * i] = x[2 * i] / norm;
        unit[2 * i + 1] = x[2 * i + 1] / norm;
    }
    struct trop_flow_options o = options_of(x, N, 2, "localmax"), plain;
    o.form = TROP_FORM_COSINE;
    plain = options_of(unit, N, 2, "localmax");
    for (int64_t i = 0; i < N; i++) {
        weights_of(a, &o, i);
        weights_of(b, &plain, i);
        assert_memory_equal(a, b, sizeof a);
    }
}

static void causal_rows_see_the_past_alone(void **state)
{
    (void)state;
    double x[N * 2], a[N], b[N];

    cloud(x, 170);
    for (int64_t rule = 0; trop_rule_names()[rule]; rule++) {
        struct trop_flow_options o = options_of(x, N, 2, trop_rule_names()[rule]);
        o.mask = TROP_MASK_CAUSAL;
        for (int64_t i = 0; i < N; i++) {
            struct trop_flow_options prefix = options_of(x, i + 1, 2, trop_rule_names()[rule]);
            weights_of(a, &o, i);
            struct trop_flow *flow = flow_of(&prefix);
            assert_ok(trop_flow_weights(b, flow, i));
            trop_flow_free(flow);
            for (int64_t j = 0; j < N; j++) {
                assert_true(a[j] == (j <= i ? b[j] : 0));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_grows_with_tokens_and_not_with_pairs),
        cmocka_unit_test(every_instruction_set_gives_the_same_bits),
        cmocka_unit_test(softmax_survives_any_logits),
        cmocka_unit_test(threads_and_instruction_sets_change_no_bit_of_any_flow),
        cmocka_unit_test(sums_over_a_set_have_the_kernels_order),
        cmocka_unit_test(a_token_alone_stays_where_it_is),
        cmocka_unit_test(equal_tokens_do_not_move_by_a_bit),
        cmocka_unit_test(huge_and_tiny_clouds_flow_like_ordinary_ones),
        cmocka_unit_test(softmax_equals_its_definition_in_high_precision),
        cmocka_unit_test(sparsemax_satisfies_its_optimality_conditions),
        cmocka_unit_test(entmax_meets_its_closed_forms),
        cmocka_unit_test(rules_are_related_as_they_should_be),
        cmocka_unit_test(probabilities_become_tolerances_with_one_rounding),
        cmocka_unit_test(confidence_is_localmax_on_the_sphere),
        cmocka_unit_test(a_mass_counts_as_that_many_tokens),
        cmocka_unit_test(the_relative_form_refuses_negative_maxima),
        cmocka_unit_test(the_cosine_form_forgets_lengths),
        cmocka_unit_test(causal_rows_see_the_past_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
