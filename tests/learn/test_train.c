/* test_train.c -- training: options, lockstep, batches, backtracking, several tokens. */
#include "tropism_lab.h"

#include "train_sample.h"

/* ---- refusals ---------------------------------------------------------------------------- */

static void refuse(const struct trop_train_options *options, const char *part)
{
    struct trop_train *train = NULL;
    assert_int_equal(trop_train_create(&train, options), TROP_ERR_ARG);
    assert_null(train);
    if (!strstr(trop_error(), part)) {
        fail_msg("\"%s\" does not say \"%s\"", trop_error(), part);
    }
}

static void wrong_options_are_refused(void **state)
{
    struct sample s;
    sample_make(&s, 1);
    const struct trop_train_options good = training(&s.data, "ngd", 0.1, 10);
    struct trop_train_options o = good;

    (void)state;
    o.data = NULL;
    refuse(&o, "data");
    o = good, o.model = TROP_TRAIN_KQ;
    refuse(&o, "K and Q that are both zero never move");
    o = good, o.batch = N + 1;
    refuse(&o, "batch = 5");
    o = good, o.batch = 2, o.backtrack = 1;
    refuse(&o, "backtrack");
    o = good, o.optimizer = optimizer_of("polyak"), o.model = TROP_TRAIN_JOINT;
    refuse(&o, "infimum of the loss is not known");
    o = good, o.optimizer = optimizer_of("polyak"), o.head = place_in(trop_head_names, "quadratic");
    refuse(&o, "infimum of the loss is not known");
    static const char *const exponents[] = { "mirror", "nmirror", "steepest" };
    for (int k = 0; k < 3; k++) {
        o = good, o.optimizer = optimizer_of(exponents[k]), o.p = 1;
        refuse(&o, "p = 1");
        o.p = INFINITY;
        refuse(&o, "p = inf");
        o.p = 1001;
        refuse(&o, "p = 1001");
        o.p = NAN;
        refuse(&o, "p");
    }
    o = good, o.optimizer = TROP_OPTIMIZER_COSH + 1;
    refuse(&o, "optimizer");
    o = good, o.eta = 0;
    refuse(&o, "eta");
    o = good, o.eta = -1;
    refuse(&o, "eta");
    o = good, o.steps = -1;
    refuse(&o, "steps");
    o = good, o.records = 0;
    refuse(&o, "records");
    o = good, o.momentum = 1;
    refuse(&o, "momentum");
    o = good, o.bend = 0;
    refuse(&o, "bend");
    o = good, o.start = TROP_TRAIN_GIVEN;
    refuse(&o, "start");
    double w[D * D] = { 0 };
    w[7] = NAN;
    o.start_weights = w;
    refuse(&o, "entry 7");
    o = good, o.model = TROP_TRAIN_SELF, o.row = T;
    s.data.z = NULL, s.data.queries = 0;
    refuse(&o, "row");
}

/* Weights whose duals leave double, and weights near that border. */
static void starts_whose_duals_leave_double_are_refused(void **state)
{
    struct sample s;
    sample_make(&s, 1);
    struct trop_train_options o = training(&s.data, "mirror", 0.1, 10);
    double w[D * D] = { 0 };

    (void)state;
    w[5] = 1e10;
    o.start = TROP_TRAIN_GIVEN;
    o.start_weights = w;
    o.p = 64; /* 1e630 */
    refuse(&o, "entry 5 of W (from 0) is 1e+10, whose dual in mirror leaves the range of double");
    o.p = 16; /* 1e150 */
    trop_train_free(trained(&o));
    o.optimizer = optimizer_of("cosh");
    refuse(&o, "cosh");
    w[5] = 700;
    trop_train_free(trained(&o));
}

/* ---- lockstep ---------------------------------------------------------------------------- */

/* P1 Lemma 1: with one query u for all inputs W(k) = p(k) u' / |u|^2 when its steps are those of p
 * over |u|^2; logits x' W u here, so that W is the transpose of the paper's. */
static void weights_and_prompt_go_in_lockstep(void **state)
{
    struct sample s;
    double u[D], size = 0, w[D * D], start[D];

    (void)state;
    sample_make(&s, 3);
    normals(u, D, 77);
    normals(start, D, 78);
    for (int64_t c = 0; c < D; c++) {
        size += u[c] * u[c];
    }
    for (int64_t i = 0; i < N * D; i++) {
        s.z[i] = u[i % D];
    }
    for (int64_t k = 0; k < D * D; k++) {
        w[k] = start[k / D] * u[k % D] / size;
    }
    struct trop_train_options o = training(&s.data, "gd", 0.5, 1000);
    o.start = TROP_TRAIN_GIVEN;
    o.compare = TROP_TRAIN_COMPARE_NONE;
    o.model = TROP_TRAIN_PROMPT;
    o.start_weights = start;
    struct trop_data prompt = s.data;
    prompt.z = NULL, prompt.queries = 0;
    o.data = &prompt;
    struct trop_train *a = trained(&o);
    o.data = &s.data;
    o.model = TROP_TRAIN_CROSS;
    o.eta = 0.5 / size;
    o.start_weights = w;
    struct trop_train *b = trained(&o);
    const int64_t rows = value_of(a, "history").shape[0];
    for (int64_t row = 0; row < rows; row++) {
        const double *p = record_of(a, row, "weights").numbers;
        const double *W = record_of(b, row, "weights").numbers;
        const double steps = (double)record_of(a, row, "step").integer;
        for (int64_t k = 0; k < D * D; k++) { /* a few roundings a step, of numbers up to 10 */
            assert_near(W[k], p[k / D] * u[k % D] / size, (steps + 4) * 0x1p-53 * 40);
        }
    }
    assert_true(lp_norm(value_of(a, "weights.p").numbers, D, 2) > 1.5 * lp_norm(start, D, 2));
    trop_train_free(a);
    trop_train_free(b);
}

/* Mirror descent with p = 2 is gradient descent, bit for bit, and to rounding when normalised. */
static void mirror_descent_with_exponent_two(void **state)
{
    static const char *const pairs[][2] = { { "mirror", "gd" }, { "nmirror", "ngd" } };
    struct sample s;

    (void)state;
    sample_make(&s, 4);
    for (int k = 0; k < 2; k++) {
        struct trop_train_options o = training(&s.data, pairs[k][0], 0.1, 2000);
        struct trop_train *a = trained(&o);
        o.optimizer = optimizer_of(pairs[k][1]);
        struct trop_train *b = trained(&o);
        const double *x = value_of(a, "weights.W").numbers, *y = value_of(b, "weights.W").numbers;
        for (int64_t e = 0; e < D * D; e++) {
            assert_near(x[e], y[e], k == 0 ? 0 : 1e-10 * result_of(b, "norm"));
        }
        trop_train_free(a);
        trop_train_free(b);
    }
}

/* ---- batches ----------------------------------------------------------------------------- */

/* Input i has keys e_i with score 1 and 0 with score 0: its gradient is coordinate i alone,
 * l'(s) s (1 - s) over the size of the batch. */
static void an_epoch_takes_every_input_once(void **state)
{
    enum { INPUTS = 7, BATCH = 3, EPOCHS = 20 };
    double x[INPUTS * 2] = { 0 }, key[INPUTS * 2 * INPUTS] = { 0 }, v[1] = { 1 }, y[INPUTS];
    int64_t changes[INPUTS] = { 0 }, different = 0;
    const struct trop_data data = {
        .n = INPUTS, .T = 2, .d = 1, .x = x, .y = y, .labels = 1, .v = v, .k = key, .dk = INPUTS
    };

    (void)state;
    for (int64_t i = 0; i < INPUTS; i++) {
        x[2 * i] = 1;
        y[i] = 1;
        key[2 * i * INPUTS + i] = 1;
    }
    struct trop_train_options o = training(&data, "gd", 1, 3 * EPOCHS);
    o.batch = BATCH;
    o.records = 1000;
    o.compare = TROP_TRAIN_COMPARE_NONE;
    struct trop_train *train = trained(&o);
    int64_t first[EPOCHS];
    for (int64_t k = 0; k < o.steps; k++) {
        const double *before = weights_at(train, k), *after = weights_at(train, k + 1);
        const int64_t count = k % 3 == 2 ? INPUTS - 2 * BATCH : BATCH;
        int64_t moved = 0, mark = 0;
        for (int64_t i = 0; i < INPUTS; i++) {
            if (after[i] != before[i]) {
                const double s = 1 / (1 + exp(-before[i]));
                assert_near(after[i] - before[i], s * (1 - s) / (1 + exp(s)) / (double)count,
                            1e-15);
                moved++;
                changes[i]++;
                mark = 10 * mark + i;
            }
        }
        assert_int_equal(moved, count);
        if (k % 3 == 0) {
            first[k / 3] = mark;
            different += k > 0 && mark != first[0];
        }
        for (int64_t i = 0; k % 3 == 2 && i < INPUTS; i++) {
            assert_int_equal(changes[i], k / 3 + 1);
        }
    }
    assert_true(different > EPOCHS / 2); /* orders are drawn anew */
    trop_train_free(train);
    /* A batch of all is no batch, and another seed is another order. */
    o.batch = INPUTS;
    struct trop_train *all = trained(&o);
    o.batch = 0;
    struct trop_train *plain = trained(&o);
    assert_memory_equal(value_of(all, "weights.p").numbers, value_of(plain, "weights.p").numbers,
                        INPUTS * sizeof(double));
    trop_train_free(all);
    trop_train_free(plain);
}

/* ---- backtracking ------------------------------------------------------------------------ */

/* From steps that are far too long: log(L - L*), or the loss where L* is not known, never rises,
 * and falls at every step along a gradient. */
static void backtracking_makes_the_loss_fall(void **state)
{
    struct sample s;
    struct trop_dataset *set = dataset_of("attsvm", TROP_DATASET_SEED);
    int64_t strict = 0;

    (void)state;
    sample_make(&s, 5);
    for (int64_t k = 0; trop_optimizer_names[k]; k++) {
        for (int variant = 0; variant < 3; variant++) {
            const struct trop_data *data = variant == 0 ? trop_dataset_data(set) : &s.data;
            struct trop_train_options o = training(data, trop_optimizer_names[k], 1e3, 70);
            o.model = variant == 1 ? TROP_TRAIN_JOINT : TROP_TRAIN_CROSS;
            o.head = variant == 2 ? place_in(trop_head_names, "quadratic") : 0;
            if (variant > 0 && o.optimizer == optimizer_of("polyak")) {
                continue;
            }
            o.p = 1.75;
            o.backtrack = 1;
            o.records = 1000;
            o.start = variant == 0 ? TROP_TRAIN_ZEROS : TROP_TRAIN_NORMAL;
            o.compare = TROP_TRAIN_COMPARE_NONE;
            struct trop_train *train = trained(&o);
            const char *column = variant == 0 ? "log_gap" : "loss";
            double last = INFINITY;
            for (int64_t step = 0; step <= o.steps; step++) {
                const double now = number_at(train, step, column);
                assert_true(now <= last);
                /* gd, ngd, polyak, mirror, nmirror, on the way to the infimum: not when a local
                 * limit was reached to rounding. */
                if (variant == 0 && k < 5 && result_of(train, "log_gap") < -5) {
                    assert_true(now < last);
                    strict++;
                }
                last = now;
            }
            trop_train_free(train);
        }
    }
    assert_true(strict > 200);
    trop_dataset_free(set);
}

/* The weights after count steps, the step size being multiplied by factors. */
static struct trop_train *scheduled(const struct trop_train_options *options, const double *factors,
                                    int64_t count)
{
    struct trop_train_options o = *options;
    o.backtrack = 0;
    o.steps = count;
    o.eta_schedule =
        (struct trop_schedule){ .kind = TROP_SCHEDULE_VALUES, .values = factors, .count = count };
    return trained(&o);
}

/* A step that was halved is the step of a smaller eta: what the tries before it left in states and
 * scales is gone. The optimum of a quadratic head is finite, and gradients grow and fall. */
static void a_halved_step_leaves_no_trace(void **state)
{
    static const char *const names[] = { "adam", "signum", "muon", "nmirror", "hypentropy" };
    enum { STEPS = 12 };
    struct sample s;
    int64_t halved = 0;

    (void)state;
    sample_make(&s, 12);
    for (int k = 0; k < 5; k++) {
        double factors[STEPS];
        struct trop_train_options o = training(&s.data, names[k], 8, STEPS);
        o.p = 1.75;
        o.backtrack = 1;
        o.records = 1000;
        o.start = TROP_TRAIN_NORMAL;
        o.start_scale = 3;
        o.head = place_in(trop_head_names, "quadratic");
        o.compare = TROP_TRAIN_COMPARE_NONE;
        struct trop_train *train = trained(&o);
        for (int64_t step = 0; step < STEPS; step++) {
            const double *now = weights_at(train, step), *next = weights_at(train, step + 1);
            int found = 0;
            if (memcmp(now, next, D * D * sizeof *now) == 0) {
                break; /* no step made the loss smaller */
            }
            for (int j = 0; j <= 60 && !found; j++) {
                factors[step] = ldexp(1, -j);
                struct trop_train *tried = scheduled(&o, factors, step + 1);
                found =
                    memcmp(value_of(tried, "weights.W").numbers, next, D * D * sizeof *next) == 0;
                halved += found && j > 0;
                trop_train_free(tried);
            }
            assert_true(found);
        }
        trop_train_free(train);
    }
    assert_true(halved > 12);
}

/* ---- several tokens ---------------------------------------------------------------------- */

/* Projection of g / (2 lambda) on the simplex: s_t = max(0, (g_t - theta) / (2 lambda)). */
static void simplex(double *s, const double *g, int64_t n, double lambda)
{
    double low = -10, high = 10;
    for (int round = 0; round < 200; round++) {
        const double theta = 0.5 * (low + high);
        double sum = 0;
        for (int64_t t = 0; t < n; t++) {
            s[t] = fmax(0, (g[t] - theta) / (2 * lambda));
            sum += s[t];
        }
        low = sum > 1 ? theta : low;
        high = sum > 1 ? high : theta;
    }
}

/* P2 Lemma 6: one input of orthonormal tokens, h(o) = v'o - lambda |o|^2 and the correlation loss:
 * attention becomes the projection, on several tokens, and W = W_fin + R W_mm is nearer than W_mm
 * alone. */
static void quadratic_heads_select_several_tokens(void **state)
{
    enum { SIDE = 10 };
    double x[SIDE * SIDE] = { 0 }, z[SIDE], v[SIDE], y[1] = { 1 }, s[SIDE];
    const struct trop_data data = { .n = 1,
                                    .T = SIDE,
                                    .d = SIDE,
                                    .x = x,
                                    .y = y,
                                    .labels = 1,
                                    .z = z,
                                    .queries = 1,
                                    .v = v,
                                    .heads = 1 };
    double without = 0, with = 0;
    int64_t taken = 0, nearer = 0;

    (void)state;
    for (int64_t k = 0; k < SIDE; k++) {
        x[k * SIDE + k] = 1;
    }
    for (int64_t seed = 0; seed < cases(8, 100); seed++) {
        normals(v, SIDE, (uint64_t)seed + 50);
        normals(z, SIDE, (uint64_t)seed + 950);
        const double length = lp_norm(v, SIDE, 2), query = lp_norm(z, SIDE, 2);
        for (int64_t k = 0; k < SIDE; k++) {
            v[k] /= length;
            z[k] /= query;
        }
        struct trop_train_options o = training(&data, "ngd", 0.1, 5000);
        o.head = place_in(trop_head_names, "quadratic");
        o.loss = place_in(trop_loss_names, "correlation");
        o.lambda = 0.4;
        o.start = TROP_TRAIN_UNIFORM;
        o.start_scale = 1 / sqrt(SIDE);
        o.seed = (uint64_t)seed + 1;
        o.compare = TROP_TRAIN_COMPARE_FINAL;
        struct trop_train *train = trained(&o);
        simplex(s, v, SIDE, o.lambda);
        /* The output is the attention itself. */
        const double *w = value_of(train, "weights.W").numbers;
        double logit[SIDE] = { 0 }, top = -INFINITY, sum = 0;
        for (int64_t t = 0; t < SIDE; t++) {
            for (int64_t c = 0; c < SIDE; c++) {
                logit[t] += w[t * SIDE + c] * z[c];
            }
            top = fmax(top, logit[t]);
        }
        for (int64_t t = 0; t < SIDE; t++) {
            sum += exp(logit[t] - top);
        }
        for (int64_t t = 0; t < SIDE; t++) {
            /* Steps have the length .1: the optimum is met to about that in a logit, and what is
             * masked goes down as 1/k, since |G| stays that of the going to and fro. */
            assert_near(exp(logit[t] - top) / sum, s[t], 0.06);
        }
        if (value_of(train, "several.both").kind == TROP_KIND_NUMBER) {
            taken++;
            with += 1 - result_of(train, "several.both");
            without += 1 - result_of(train, "several.direction");
            nearer += result_of(train, "several.both") > result_of(train, "several.direction");
            assert_true(result_of(train, "several.radius") > 1);
        }
        trop_train_free(train);
    }
    print_message("quadratic: 1 - correlation %.4f (W_fin + R W_mm), %.4f (W_mm), %d runs\n",
                  with / (double)taken, without / (double)taken, (int)taken);
    assert_true(taken >= 6);
    assert_true(with < without);
    assert_true(nearer * 4 >= taken * 3);
}

/* P2 figure 8: h(o) = sum_k max(0, <v_k, o>), some label -1. Runs in which all tokens stay have no
 * W_mm; the figure's also leave no weight between 1e-6 and 1e-3, of which there are hardly any
 * here, steps of .1 going to and fro about the finite part. */
static void relu_heads_select_several_tokens(void **state)
{
    enum { INPUTS = 3, TOKENS = 4, SIDE = 8 };
    double x[INPUTS * TOKENS * SIDE], z[INPUTS * SIDE], v[SIDE * SIDE], y[INPUTS];
    const struct trop_data data = { .n = INPUTS,
                                    .T = TOKENS,
                                    .d = SIDE,
                                    .x = x,
                                    .y = y,
                                    .labels = 1,
                                    .z = z,
                                    .queries = 1,
                                    .v = v,
                                    .heads = SIDE };
    double without = 0, with = 0;
    int64_t taken = 0, clear = 0;

    (void)state;
    for (int64_t seed = 0; seed < cases(16, 400); seed++) {
        normals(x, INPUTS * TOKENS * SIDE, (uint64_t)seed + 1);
        normals(z, INPUTS * SIDE, (uint64_t)seed + 10001);
        normals(v, SIDE * SIDE, (uint64_t)seed + 20001);
        for (int64_t i = 0; i < INPUTS * TOKENS; i++) {
            const double length = lp_norm(x + i * SIDE, SIDE, 2);
            for (int64_t c = 0; c < SIDE; c++) {
                x[i * SIDE + c] /= length;
            }
        }
        for (int64_t i = 0; i < INPUTS; i++) {
            const double length = lp_norm(z + i * SIDE, SIDE, 2);
            for (int64_t c = 0; c < SIDE; c++) {
                z[i * SIDE + c] /= length;
            }
            y[i] = i == 0 || normal((uint64_t)seed + 30001, (uint64_t)i) < 0 ? -1 : 1;
        }
        const double length = lp_norm(v, SIDE * SIDE, 2);
        for (int64_t k = 0; k < SIDE * SIDE; k++) {
            v[k] /= length;
        }
        struct trop_train_options o = training(&data, "ngd", 0.1, 2000);
        o.head = place_in(trop_head_names, "relu");
        o.start = TROP_TRAIN_UNIFORM;
        o.start_scale = 1 / sqrt(SIDE);
        o.seed = (uint64_t)seed + 1;
        o.compare = TROP_TRAIN_COMPARE_FINAL;
        struct trop_train *train = trained(&o);
        if (value_of(train, "several.both").kind == TROP_KIND_NUMBER &&
            value_of(train, "several.direction").kind == TROP_KIND_NUMBER) {
            taken++;
            clear += value_of(train, "several.undecided").integer == 0;
            with += 1 - result_of(train, "several.both");
            without += 1 - result_of(train, "several.direction");
        }
        trop_train_free(train);
    }
    print_message("relu, d = 8: 1 - correlation %.4f (W_fin + R W_mm; published .0074), %.4f (W_mm;"
                  " .0199), %d runs, %d of them clear\n",
                  with / (double)taken, without / (double)taken, (int)taken, (int)clear);
    assert_true(taken >= 10);
    assert_true(with < 0.2 * without);
}

/* Sequences of one token have one place, whose query is that token, whatever row says. */
static void a_row_is_not_read_where_every_token_asks(void **state)
{
    const double x[] = { 1, 0, 0, 2 }, y[] = { 1, -1 }, v[] = { 1, 1 };
    const struct trop_data data = { .n = 2, .T = 1, .d = 2, .x = x, .y = y, .labels = 1, .v = v };
    struct trop_train_options options = trop_train_options_default();
    double loss[2];

    (void)state;
    options.data = &data;
    options.model = TROP_TRAIN_SEQUENCE;
    options.steps = 3;
    for (int k = 0; k < 2; k++) {
        struct trop_train *train = NULL;
        options.row = k * 100000000;
        assert_ok(trop_train_create(&train, &options));
        assert_ok(trop_train_run(train, NULL, NULL));
        assert_ok(trop_train_number(loss + k, train, "loss"));
        trop_train_free(train);
    }
    assert_memory_equal(loss, loss + 1, sizeof *loss);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_is_not_read_where_every_token_asks),
        cmocka_unit_test(wrong_options_are_refused),
        cmocka_unit_test(starts_whose_duals_leave_double_are_refused),
        cmocka_unit_test(weights_and_prompt_go_in_lockstep),
        cmocka_unit_test(mirror_descent_with_exponent_two),
        cmocka_unit_test(an_epoch_takes_every_input_once),
        cmocka_unit_test(backtracking_makes_the_loss_fall),
        cmocka_unit_test(a_halved_step_leaves_no_trace),
        cmocka_unit_test(quadratic_heads_select_several_tokens),
        cmocka_unit_test(relu_heads_select_several_tokens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
