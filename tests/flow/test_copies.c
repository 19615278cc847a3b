/* test_copies.c -- many copies at once are the flows they stand for, bit for bit.
 *
 * The expected values are single flows (trop_flow), whose own values are tested against closed
 * forms and published numbers elsewhere: other code, other loops, one copy at a time. Every word
 * of every copy is compared.
 */
#include "copies_support.h"

static struct trop_copies_options kept_copies_of(int64_t n, int64_t d, int64_t copies,
                                                 const char *text)
{
    struct trop_copies_options o = copies_of(n, d, copies, "seed=77");

    o.keep = 1;
    set_all(&o.flow, text);
    return o;
}

static struct trop_copies *run_copies(const struct trop_copies_options *o)
{
    struct trop_copies *copies = NULL;

    assert_ok(trop_copies_create(&copies, o));
    assert_ok(trop_copies_run(copies, NULL, NULL));
    assert_int_equal(trop_copies_done(copies), o->copies);
    return copies;
}

/* The flow that copy k stands for. */
static struct trop_flow *single(const struct trop_copies_options *o, int64_t k)
{
    struct trop_flow_options one = o->flow;

    one.cloud.seed += (uint64_t)(k % o->copies);
    one.threads = 1;
    one.cloud.tokens =
        o->tokens ? o->tokens + k % o->copies * one.cloud.n * one.cloud.d : o->flow.cloud.tokens;
    if (o->beta) {
        one.beta = constant(o->beta[k]);
    }
    struct trop_flow *flow = flow_of(&one);
    assert_ok(trop_flow_run(flow, NULL, NULL));
    return flow;
}

static void assert_same(double a, double b, const char *what, int64_t k)
{
    if (memcmp(&a, &b, sizeof a) != 0) {
        fail_msg("copy %lld: %s is %a, alone it is %a", (long long)k, what, a, b);
    }
}

static void compare(const struct trop_copies *c, const struct trop_copies_options *o, int64_t k)
{
    struct trop_flow *flow = single(o, k);
    int64_t size = o->flow.cloud.n * o->flow.cloud.d;
    const double *x = trop_copies_tokens(c) + k * size, *y = trop_flow_tokens(flow);

    for (int64_t m = 0; m < size; m++) {
        assert_same(x[m], y[m], "a token", k);
    }
    assert_same((double)c->steps[k], number_of(flow, "steps"), "steps", k);
    assert_same(c->residual[k], number_of(flow, "residual"), "residual", k);
    assert_same(c->diameter[k], number_of(flow, "diameter"), "diameter", k);
    assert_same((double)c->clusters[k], number_of(flow, "clusters"), "clusters", k);
    assert_same((double)c->converged[k], number_of(flow, "converged"), "converged", k);
    trop_flow_free(flow);
}

/* Runs them and compares all; the fraction of steps that a flow took for the lanes is at most
 * share, so that it is the lanes which are tested. */
static void expect_flows(const struct trop_copies_options *o, double share)
{
    struct trop_copies *c = run_copies(o);
    int64_t alone = 0, steps = 0;

    for (int64_t k = 0; k < o->copies; k++) {
        compare(c, o, k);
        steps += c->steps[k];
    }
    for (int64_t w = 0; w < c->workers; w++) {
        alone += c->crew[w].alone;
    }
    if (c->in_lanes && (double)alone > share * (double)(steps + o->copies)) {
        fail_msg("%lld of %lld steps were taken alone", (long long)alone, (long long)steps);
    }
    assert_true(c->in_lanes || share == 1);
    trop_copies_free(c);
}

/* ---- every combination that the lanes have --------------------------------------------------- */

static void each_copy_is_the_flow_of_its_seed(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double share; /* of steps taken alone, at most */
    } rows[] = {
        { "rule=softmax steps=12 beta=3", 0 },
        { "rule=softmax steps=12 gamma=fw beta=linear:0.5,0.25", 0 },
        { "rule=softmax steps=8 beta=-2 gamma=1", 0 },
        { "rule=softmax steps=8 key_query=-0.5 alpha=2", 0 },
        { "rule=softmax steps=6 beta=200 value=0.5", 0 },
        { "rule=softmax steps=40 until=converged tolerance=1e-3", 1 },
        { "dynamics=sa integrator=euler dt=0.1 time=1.25 beta=4 init=sphere", 0 },
        { "dynamics=sa integrator=rk4 dt=0.1 time=0.35 beta=linear:1,2 value=-1", 0 },
        { "dynamics=usa integrator=euler dt=0.05 time=0.5 beta=2", 0 },
        { "dynamics=sa-step dt=0.3 time=2 beta=linear:1,2 value=-.5", 0 },
        { "dynamics=usa integrator=rk4 dt=0.05 time=0.2 usa=shifted beta=-1", 0 },
        { "dynamics=ode integrator=euler dt=0.1 time=1 beta=2", 0 },
        { "dynamics=ode integrator=rk4 dt=0.1 time=0.5 beta=2", 0 },
        { "rule=hardmax steps=12 closed_form=never", 0 },
        { "rule=hardmax steps=12 gamma=1 closed_form=never", 0 },
        { "rule=hardmax steps=200 ties=first", 1 },
        { "rule=hardmax steps=300 until=converged gamma=0.3", 1 },
        { "rule=localmax steps=12 epsilon=0.5 closed_form=never", 0.2 },
        { "rule=localmax steps=12 epsilon=geometric:0.5,0.9 gamma=1 closed_form=never", 1 },
        { "rule=localmax steps=60 epsilon=0.2 gamma=0.25", 1 },
        { "rule=localmax steps=200 form=probability epsilon=0.01 beta=2 until=converged", 1 },
    };
    static const int64_t ns[] = { 1, 2, 7, 8, 9, 33 }, ds[] = { 1, 2, 3, 5 };

    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        for (int a = 0; a < 6; a++) {
            for (int b = 0; b < 4; b++) {
                struct trop_copies_options o = kept_copies_of(ns[a], ds[b], 11, rows[r].text);
                /* One token, or a line, is soon at rest: the flow is asked more often. */
                int small = ns[a] < 7 || ds[b] < 2;
                expect_flows(&o, small ? 1 : rows[r].share);
            }
        }
    }
}

static void a_matrix_for_the_scores(void **state)
{
    (void)state;
    double b[9];

    for (int64_t d = 2; d <= 3; d++) {
        normals(b, d * d, 5);
        struct trop_copies_options o = kept_copies_of(9, d, 9, "steps=9 beta=1.5");
        o.flow.cloud.key_query = (struct trop_matrix){ .values = b };
        expect_flows(&o, 0);
        o.flow.rule = rule_index("hardmax");
        expect_flows(&o, 1);
    }
}

static void more_columns_than_a_block_of_sums(void **state)
{
    (void)state;
    struct trop_copies_options o = kept_copies_of(259, 2, 3, "steps=3 beta=2");

    expect_flows(&o, 0);
    o = kept_copies_of(513, 1, 2, "rule=localmax steps=2 epsilon=0.1 closed_form=never");
    expect_flows(&o, 0);
    o = kept_copies_of(20, 17, 9, "steps=4 beta=0.5");
    expect_flows(&o, 0);
}

/* 1 when the weights of pairs have ever served two rows. */
static int has_paired(const struct trop_copies *c)
{
    const struct trop_kernel_group *g = &c->crew[0].group;

    return g->pairs && g->pairs[0] > 0;
}

/* On the circle all rows have one shift, until beta is too large for the plain exponential; a copy
 * that does not has its lanes' neighbours take every weight twice, with the same bits: copies 3 and
 * 8 begin with one token far out. More tokens than a cache holds pairs of are weighed twice too. */
static void weights_serve_two_rows_where_lengths_are_alike(void **state)
{
    (void)state;
    enum { N = 97, D = 4, COPIES = 10 };
    static const char *const rows[] = {
        "dynamics=sa integrator=euler dt=0.1 time=0.5 beta=9 init=sphere",
        "dynamics=sa integrator=euler dt=0.1 time=0.5 beta=400 init=sphere",
        "dynamics=usa integrator=euler dt=0.1 time=0.3 beta=0 init=sphere",
        "steps=4 beta=2",
        "steps=4 beta=2 key_query=0.5",
        "steps=4 beta=-2",
    };
    static const int64_t ns[] = { 1, 2, 5, 32, 33, 96, N };
    double x[COPIES * N * D];

    for (int r = 0; r < 6; r++) {
        for (int a = 0; a < 7; a++) {
            struct trop_copies_options o =
                kept_copies_of(ns[a], 1 + r % 3 + (r < 3), COPIES, rows[r]);
            int64_t size = o.flow.cloud.n * o.flow.cloud.d, far = r == 3 && ns[a] > 1;
            for (int64_t k = 0; k < COPIES * size; k++) {
                x[k] = 0.5 * uniform(8, (uint64_t)k);
                int out = k % size == 0 && (k / size == 3 || k / size == 8);
                x[k] = far && out ? 6 : x[k];
            }
            o.tokens = r < 3 ? NULL : x;
            expect_flows(&o, 1);
            struct trop_copies *c = run_copies(&o);
            int alike = r == 0 || r == 2 || r == 3;
            assert_true(far || has_paired(c) == (alike && ns[a] < N));
            trop_copies_free(c);
        }
    }
}

/* ---- what the lanes leave to the flow -------------------------------------------------------- */

static void what_the_lanes_do_not_know_runs_alone(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "rule=topk k=3 steps=9",
        "rule=localmax form=cosine epsilon=0.1 steps=9",
        "rule=localmax form=relative epsilon=0.9 steps=3 key_query=1",
        "mask=causal steps=9",
        "merge=auto steps=40 rule=hardmax",
        "dynamics=chain steps=9 beta=2",
        "dynamics=ode rule=hardmax time=1",
        "dynamics=sa time=0.5",
        "dynamics=residual steps=2",
        "leap=yes steps=1e6 beta=4 gamma=0.5",
    };

    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct trop_copies_options o = kept_copies_of(9, 2, 3, rows[r]);
        o.flow.threads = 2;
        expect_flows(&o, 1);
    }
}

/* Tokens on a lattice tie exactly; tokens 1e-9 apart make every rounding of a score count at beta
 * = 1e9; an epsilon just below 1 leaves out what 1 takes in; squares of 2^600 and 2^-600 leave
 * double; tokens equal to the last bit. */
static void doubts_are_settled_as_the_flow_settles_them(void **state)
{
    (void)state;
    enum { N = 9, D = 2, COPIES = 12 };
    static const char *const rules[] = {
        "rule=softmax steps=5 beta=3",
        "rule=hardmax steps=5",
        "rule=hardmax steps=5 ties=indices closed_form=never",
        "rule=localmax steps=5 epsilon=1 closed_form=never",
        "rule=softmax steps=4 beta=1e9",
        "rule=localmax steps=5 epsilon=0.99999999999999989 closed_form=never"
    };
    double x[COPIES * N * D];

    for (int64_t m = 0; m < COPIES * N * D; m++) {
        int64_t k = m / (N * D);
        double lattice = (double)whole(9, (uint64_t)m, 3) - 1;
        x[m] = k % 2 ? lattice : normal(9, (uint64_t)m);
        x[m] = k == 2 ? ldexp(x[m], 600) : k == 4 ? ldexp(x[m], -600) : k == 5 ? 0.0 : x[m];
        x[m] = k == 6 || k == 8 ? 3 + ldexp(normal(9, (uint64_t)m), -30) : x[m];
    }
    for (size_t r = 0; r < sizeof rules / sizeof rules[0]; r++) {
        struct trop_copies_options o = kept_copies_of(N, D, COPIES, rules[r]);
        o.tokens = x;
        expect_flows(&o, 1);
    }
}

static void copies_of_different_length_share_lanes(void **state)
{
    (void)state;
    struct trop_copies_options o =
        kept_copies_of(6, 2, 50, "steps=400 beta=4 until=converged tolerance=1e-9 gamma=0.3");
    double beta[50];

    for (int k = 0; k < 50; k++) {
        beta[k] = 0.05 * k - 0.5;
    }
    o.beta = beta;
    expect_flows(&o, 1);
    o.flow.threads = 3;
    expect_flows(&o, 1);
}

/* Every beta has the seeds of all copies, or all the tokens that are given. */
static void a_list_of_betas_repeats_the_copies(void **state)
{
    (void)state;
    double x[5 * 6];
    struct trop_copies_options o = kept_copies_of(3, 2, 5, "steps=7");

    o.betas = "0.5:1.5:0.5,-3";
    for (int given = 0; given < 3; given++) {
        normals(x, 30, 3);
        o.tokens = given == 1 ? x : NULL;
        o.flow.cloud.tokens = given == 2 ? x : NULL;
        struct trop_copies *c = NULL;
        static const double list[] = { 0.5, 1, 1.5, -3 };
        assert_ok(trop_copies_create(&c, &o));
        assert_ok(trop_copies_run(c, NULL, NULL));
        assert_int_equal(trop_copies_done(c), 20);
        assert_int_equal(c->groups, 4);
        for (int64_t k = 0; k < 20; k++) {
            struct trop_copies_options one = o;
            one.flow.beta = constant(list[k / 5]);
            compare(c, &one, k);
        }
        trop_copies_free(c);
    }
}

static void steps_without_end_are_known_in_closed_form(void **state)
{
    (void)state;
    struct trop_copies_options o = kept_copies_of(8, 2, 20, "rule=hardmax steps=1000000000000000");

    expect_flows(&o, 1);
}

/* ---- what changes no bit --------------------------------------------------------------------- */

static void threads_and_instruction_sets_change_no_bit(void **state)
{
    (void)state;
    static const char *const rows[] = { "steps=9 beta=30",
                                        "dynamics=usa integrator=euler dt=0.1 time=0.9 beta=3",
                                        "rule=hardmax steps=30",
                                        "rule=localmax steps=9 epsilon=0.3" };

    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct trop_copies_options o = kept_copies_of(13, 3, 21, rows[r]);
        struct trop_copies *first = run_copies(&o);
        size_t size = (size_t)(13 * 3 * 21) * sizeof(double);
        for (o.flow.kernel = 0; trop_kernel_names()[o.flow.kernel]; o.flow.kernel++) {
            struct trop_copies *other = NULL;
            o.flow.threads = 1 + o.flow.kernel;
            if (trop_copies_create(&other, &o) == TROP_ERR_UNSUPPORTED) {
                continue;
            }
            assert_ok(trop_copies_run(other, NULL, NULL));
            assert_memory_equal(trop_copies_tokens(first), trop_copies_tokens(other), size);
            trop_copies_free(other);
        }
        trop_copies_free(first);
    }
}

/* Asks to stop after a number of questions. */
static int stop_after(void *context, int64_t done, int64_t total)
{
    int64_t *left = context;
    (void)done;
    (void)total;
    return (*left)-- <= 0;
}

/* Many blocks, and a run that is stopped and called again until it is done. */
static void blocks_and_stops_change_no_bit(void **state)
{
    (void)state;
    struct trop_copies_options o = kept_copies_of(33, 2, 60, "steps=20000 beta=0.01 gamma=0.01");
    struct trop_copies *c = NULL;
    int64_t stops = 0;

    set_all(&o.flow, getenv("TROP_TEST_FULL") ? "steps=20000" : "steps=3000");
    assert_ok(trop_copies_create(&c, &o));
    for (int64_t questions = 2;; questions *= 2) {
        int64_t left = questions;
        enum trop_status status = trop_copies_run(c, stop_after, &left);
        assert_true(trop_copies_done(c) == o.copies || trop_copies_done(c) % TROP_LANES == 0);
        if (status == TROP_OK) {
            break;
        }
        assert_int_equal(status, TROP_ERR_STOPPED);
        assert_non_null(strstr(trop_error(), "of 60 copies"));
        stops++;
    }
    assert_true(stops > 0);
    for (int64_t k = 0; k < o.copies; k += 29) {
        compare(c, &o, k);
    }
    trop_copies_free(c);
}

/* ---- what is reported ------------------------------------------------------------------------ */

static double value_at(const struct trop_copies *c, const char *name, int64_t k)
{
    struct trop_value value = { 0 };
    assert_ok(trop_copies_value(&value, c, name));
    return value.kind == TROP_KIND_NUMBERS ? value.numbers[k] : (double)value.integers[k];
}

/* Three tokens of each copy at chosen angles: 0 steps leave them where they are. */
static void aligned_pairs_are_counted_exactly(void **state)
{
    (void)state;
    /* cos 0.04 = 0.99920, cos 0.05 = 0.99875; (0.8, 0.6) is of length 1 to the last bit, and its
     * product with itself is 1. */
    double x[] = { 1, 0, cos(0.04), sin(0.04), cos(0.05), sin(0.05), 0.8, 0.6, 0.8, 0.6, 1, 0 };
    struct trop_copies_options o =
        kept_copies_of(3, 2, 2, "dynamics=sa integrator=euler dt=0.1 time=0");
    o.tokens = x;
    struct trop_copies *c = run_copies(&o);

    assert_true(value_at(c, "aligned_pairs", 0) == 2); /* 0 with 1, 1 with 2 */
    assert_true(value_at(c, "aligned_pairs", 1) == 1);
    assert_near(value_at(c, "aligned", 0), 2.0 / 3, 1e-16);
    trop_copies_free(c);
    /* "Above" is for the real numbers: 0.8^2 + 0.6^2 is 1 + 4.4e-17 for these doubles, and
     * (8/17)^2 + (15/17)^2 is 1 - 5.2e-17; both are 1 when they are rounded. */
    double y[] = { 0.8, 0.6, 0.8, 0.6, 8.0 / 17, 15.0 / 17, 8.0 / 17, 15.0 / 17 };
    o = kept_copies_of(2, 2, 2, "dynamics=sa integrator=euler dt=0.1 time=0");
    o.tokens = y;
    o.align = 1;
    c = run_copies(&o);
    assert_true(value_at(c, "aligned_pairs", 0) == 1);
    assert_true(value_at(c, "aligned_pairs", 1) == 0);
    trop_copies_free(c);
}

static void means_and_standard_errors(void **state)
{
    (void)state;
    struct trop_copies_options o = kept_copies_of(6, 2, 30, "rule=hardmax steps=50");
    double beta[30], sum = 0, square = 0;

    for (int k = 0; k < 30; k++) {
        beta[k] = k < 10 ? 1 : 2;
    }
    o.beta = beta;
    struct trop_copies *c = run_copies(&o);
    assert_int_equal(c->groups, 2);
    assert_int_equal(c->means[0].count, 10);
    assert_int_equal(c->means[1].count, 20);
    for (int k = 10; k < 30; k++) {
        sum += (double)c->clusters[k];
        square += (double)(c->clusters[k] * c->clusters[k]);
    }
    /* The variance by the other formula, mean of squares less square of the mean. */
    double mean = sum / 20, variance = (square - 20 * mean * mean) / 19;
    assert_near(c->means[1].clusters, mean, 1e-14);
    assert_near(c->means[1].clusters_error, sqrt(variance / 20), 1e-13);
    double counted = 0;
    for (int64_t m = 0; m <= 6; m++) {
        counted += (double)c->histogram[m] * (double)m;
    }
    for (int k = 0; k < 10; k++) {
        sum += (double)c->clusters[k];
    }
    assert_true(counted == sum);
    trop_copies_free(c);
}

/* ---- refusals and failures ------------------------------------------------------------------- */

static void refuse(const struct trop_copies_options *o, const char *words)
{
    struct trop_copies *c = NULL;

    assert_int_equal(trop_copies_create(&c, o), TROP_ERR_ARG);
    assert_null(c);
    if (!strstr(trop_error(), words)) {
        fail_msg("'%s' does not say '%s'", trop_error(), words);
    }
}

static void wrong_options_are_refused(void **state)
{
    (void)state;
    double x[12] = { 0 }, beta[2] = { 1, NAN };
    struct trop_copies_options o = kept_copies_of(3, 2, 2, "");

    o.copies = 0;
    refuse(&o, "copies = 0: must be from 1");
    o.copies = 2;
    o.align = 1.5;
    refuse(&o, "align = 1.5: must be from -1 to 1");
    o.align = 0.5;
    o.beta = beta;
    refuse(&o, "beta: entry 1 (from 0) is nan");
    o.beta = NULL;
    o.betas = "1:0:1";
    refuse(&o, "betas");
    o.beta = x;
    refuse(&o, "beta and betas: give one of them");
    o.beta = NULL;
    o.betas = NULL;
    o.tokens = x;
    x[11] = INFINITY;
    refuse(&o, "tokens: copy 1, row 2, column 1 (from 0) is inf, must be finite");
    o.tokens = NULL;
    o.flow.tolerance = 2;
    refuse(&o, "tolerance = 2");
}

/* A step of h/(1+h) with h = -1.0000001 grows by 1e7: the third copy leaves double first. */
static void a_copy_that_fails_is_named(void **state)
{
    (void)state;
    double x[3 * 2] = { 0, 0, 0, 0, 1, -1 };
    struct trop_copies_options o = kept_copies_of(2, 1, 3, "steps=100 value=-1.0000001 beta=0");
    struct trop_copies *c = NULL;

    o.tokens = x;
    assert_ok(trop_copies_create(&c, &o));
    assert_int_equal(trop_copies_run(c, NULL, NULL), TROP_ERR_NUMERIC);
    assert_non_null(strstr(trop_error(), "copy 2: token 0 left the range of double at step "));
    assert_int_equal(trop_copies_done(c), 0);
    /* At the step at which it fails alone. */
    char sentence[200];
    snprintf(sentence, sizeof sentence, "%s", strstr(trop_error(), "token"));
    struct trop_flow_options one = o.flow;
    one.cloud.tokens = x + 4;
    struct trop_flow *flow = flow_of(&one);
    assert_int_equal(trop_flow_run(flow, NULL, NULL), TROP_ERR_NUMERIC);
    assert_string_equal(trop_error(), sentence);
    trop_flow_free(flow);
    trop_copies_free(c);
}

/* Initial and final diameters are the flow's where the lanes find them and where squares of
 * distances vanish: tokens of 1e-170, tokens at one place, a copy of each beside plain ones. With
 * no step to take the two are one. */
static void diameters_are_those_of_the_flow(void **state)
{
    (void)state;
    enum { N = 40, D = 3, COPIES = 9 };
    static const char *const rows[] = { "steps=0", "steps=3 beta=2", "steps=3 tolerance=0.9",
                                        "dynamics=sa integrator=euler dt=0.1 time=0.3" };
    static const int64_t ns[] = { 2, 7, 32, 33, 34, N };
    double x[COPIES * N * D];

    for (int r = 0; r < 4; r++) {
        for (int a = 0; a < 6; a++) {
            struct trop_copies_options o = kept_copies_of(ns[a], 2 + a % 2, COPIES, rows[r]);
            int64_t size = o.flow.cloud.n * o.flow.cloud.d;
            for (int64_t k = 0; k < COPIES * size; k++) {
                int64_t copy = k / size;
                double place = uniform(9, (uint64_t)(copy == 5 ? k % o.flow.cloud.d : k)) - 0.5;
                x[k] = copy == 2 ? 1e-170 * place : place;
            }
            o.tokens = x;
            expect_flows(&o, 1);
        }
    }
}

static void distances_that_overflow_are_refused(void **state)
{
    (void)state;
    double x[2 * 2] = { 1, 2, 1.5e308, -1.5e308 };
    struct trop_copies_options o = kept_copies_of(2, 1, 2, "steps=1");
    struct trop_copies *c = NULL;

    o.tokens = x;
    assert_ok(trop_copies_create(&c, &o));
    assert_int_equal(trop_copies_run(c, NULL, NULL), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "copy 1: tokens: their distances overflow"));
    trop_copies_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_copy_is_the_flow_of_its_seed),
        cmocka_unit_test(diameters_are_those_of_the_flow),
        cmocka_unit_test(distances_that_overflow_are_refused),
        cmocka_unit_test(a_matrix_for_the_scores),
        cmocka_unit_test(more_columns_than_a_block_of_sums),
        cmocka_unit_test(weights_serve_two_rows_where_lengths_are_alike),
        cmocka_unit_test(what_the_lanes_do_not_know_runs_alone),
        cmocka_unit_test(doubts_are_settled_as_the_flow_settles_them),
        cmocka_unit_test(copies_of_different_length_share_lanes),
        cmocka_unit_test(a_list_of_betas_repeats_the_copies),
        cmocka_unit_test(steps_without_end_are_known_in_closed_form),
        cmocka_unit_test(threads_and_instruction_sets_change_no_bit),
        cmocka_unit_test(blocks_and_stops_change_no_bit),
        cmocka_unit_test(aligned_pairs_are_counted_exactly),
        cmocka_unit_test(means_and_standard_errors),
        cmocka_unit_test(wrong_options_are_refused),
        cmocka_unit_test(a_copy_that_fails_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
