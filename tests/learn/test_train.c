/* test_train.c -- training runs: options, batches, backtracking, stops, records, memory, ranges. */
#include "train_support.h"

#include "alloc_failing.c"
#include "tropism_lab.h"

/* ---- data -------------------------------------------------------------------------------- */

enum { N = 4, T = 5, D = 6 };

struct sample {
    double x[N * T * D], y[N], z[N * D], v[4 * D];
    struct trop_data data;
};

/* Normal tokens, queries and decoders; labels of both signs. */
static void sample_make(struct sample *s, uint64_t seed)
{
    normals(s->x, N * T * D, seed);
    normals(s->z, N * D, seed + 1000);
    normals(s->v, 4 * D, seed + 2000);
    for (int64_t i = 0; i < N; i++) {
        s->y[i] = i % 2 ? 1 : -1;
    }
    s->data = (struct trop_data){ .n = N,
                                  .T = T,
                                  .d = D,
                                  .x = s->x,
                                  .y = s->y,
                                  .labels = 1,
                                  .z = s->z,
                                  .queries = 1,
                                  .v = s->v,
                                  .heads = 1 };
}

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

static int64_t optimizer_of(const char *name)
{
    return place_in(trop_optimizer_names, name);
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
    refuse(&o, "entry 5 of W is 1e+10, whose dual in mirror leaves double");
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

/* ---- stops ------------------------------------------------------------------------------- */

static int stop_at(void *context, int64_t done, int64_t total)
{
    int64_t *at = context;
    (void)total;
    if (done >= *at) {
        *at += 130;
        return 1;
    }
    return 0;
}

static void same_value(const struct trop_value *a, const struct trop_value *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_memory_equal(&a->number, &b->number, sizeof a->number);
    assert_int_equal(a->integer, b->integer);
    assert_int_equal(a->shape[0], b->shape[0]);
    if (a->kind == TROP_KIND_NUMBERS) {
        assert_memory_equal(a->numbers, b->numbers,
                            (size_t)(a->shape[0] * (a->rank > 1 ? a->shape[1] : 1)) *
                                sizeof(double));
    }
}

/* Every result of the two runs, history included. */
static void same_results(const struct trop_train *a, const struct trop_train *b)
{
    for (const struct trop_field *f = trop_train_field_table(); f->name; f++) {
        struct trop_value x = value_of(a, f->name), y = value_of(b, f->name);
        same_value(&x, &y);
        for (const struct trop_field *c = f->columns; c && c->name; c++) {
            for (int64_t row = 0; row < x.shape[0]; row++) {
                struct trop_value at = record_of(a, row, c->name), bt = record_of(b, row, c->name);
                same_value(&at, &bt);
            }
        }
    }
}

static void a_run_that_was_stopped_goes_on(void **state)
{
    static const char *const names[] = { "nmirror", "adam", "muon", "hypentropy", "signum" };
    struct sample s;

    (void)state;
    sample_make(&s, 6);
    for (int k = 0; k < 5; k++) {
        for (int64_t compare = 0; compare < 3; compare++) {
            struct trop_train_options o = training(&s.data, names[k], 0.1, 700);
            struct trop_train *stopped = NULL;
            o.p = 1.75;
            o.compare = compare;
            o.backtrack = k == 1;
            o.batch = k == 2 ? 3 : 0;
            o.records = k == 3 ? 1000 : 10; /* stops at steps that are recorded, and others */
            struct trop_train *whole = trained(&o);
            assert_ok(trop_train_create(&stopped, &o));
            int64_t at = 0, stops = 0;
            enum trop_status status = TROP_ERR_STOPPED;
            while (status == TROP_ERR_STOPPED) {
                status = trop_train_run(stopped, stop_at, &at);
                stops += status == TROP_ERR_STOPPED;
                if (status == TROP_ERR_STOPPED) { /* what it has is that of its last step */
                    const int64_t rows = value_of(stopped, "history").shape[0];
                    assert_int_equal(record_of(stopped, rows - 1, "step").integer,
                                     trop_train_steps(stopped));
                    assert_int_equal(value_of(stopped, "steps").integer, trop_train_steps(stopped));
                    assert_non_null(strstr(trop_error(), "stopped after"));
                }
            }
            assert_ok(status);
            assert_true(stops >= 4);
            same_results(whole, stopped);
            assert_ok(trop_train_run(stopped, NULL, NULL)); /* nothing is left to do */
            same_results(whole, stopped);
            trop_train_free(whole);
            trop_train_free(stopped);
        }
    }
}

/* ---- records ----------------------------------------------------------------------------- */

/* ceil(10^(j / records)), each once, and the last step. */
static void records_are_at_log_spaced_steps(void **state)
{
    static const int64_t densities[] = { 1, 3, 10, 1000 };
    struct sample s;

    (void)state;
    sample_make(&s, 7);
    for (int k = 0; k < 4; k++) {
        struct trop_train_options o = training(&s.data, "ngd", 0.1, 1234);
        o.records = densities[k];
        o.compare = TROP_TRAIN_COMPARE_NONE;
        struct trop_train *train = trained(&o);
        const int64_t rows = value_of(train, "history").shape[0];
        int64_t row = 1, last = 0;
        assert_int_equal(record_of(train, 0, "step").integer, 0);
        for (int64_t j = 0; last < o.steps; j++) {
            const double exact = pow(10, (double)j / (double)densities[k]);
            int64_t step = (int64_t)ceil(exact - 1e-9);
            step = step < o.steps ? step : o.steps;
            if (step > last) {
                assert_int_equal(record_of(train, row++, "step").integer, step);
                last = step;
            }
        }
        assert_int_equal(row, rows);
        trop_train_free(train);
    }
    /* Far out too: powers of ten are met. */
    struct trop_train_options o = training(&s.data, "ngd", 0.1, 1);
    o.steps = 1000000000000000;
    o.records = 1;
    struct trop_train *train = NULL;
    assert_ok(trop_train_create(&train, &o)); /* makes room for its records */
    trop_train_free(train);
}

/* Nothing is known before the run; after no steps the start is. */
static void a_run_of_no_steps_shows_its_start(void **state)
{
    struct sample s;
    struct trop_train *train = NULL;

    (void)state;
    sample_make(&s, 8);
    struct trop_train_options o = training(&s.data, "nmirror", 0.1, 0);
    o.start = TROP_TRAIN_UNIFORM;
    o.start_scale = 3;
    assert_ok(trop_train_create(&train, &o));
    static const char *const absent[] = { "loss", "alpha", "weights.W", "loss_infimum", "norm" };
    for (int k = 0; k < 5; k++) {
        assert_int_equal(value_of(train, absent[k]).kind, TROP_KIND_NULL);
    }
    assert_ok(trop_train_run(train, NULL, NULL));
    assert_int_equal(value_of(train, "history").shape[0], 1);
    assert_int_equal(value_of(train, "steps").integer, 0);
    const double *w = value_of(train, "weights.W").numbers;
    double most = 0;
    for (int64_t k = 0; k < D * D; k++) {
        most = fmax(most, fabs(w[k]));
    }
    assert_true(most > 2.5 && most <= 3);
    assert_near(lp_norm(w, D * D, 2), result_of(train, "norm"), 1e-14);
    const double *values = NULL;
    double log_scale = 1;
    int64_t shape[2];
    assert_string_equal(trop_train_tensor(&values, &log_scale, shape, train, 0), "W");
    assert_memory_equal(values, w, D * D * sizeof *w);
    assert_true(log_scale == 0 && shape[0] == D && shape[1] == D);
    assert_null(trop_train_tensor(&values, &log_scale, shape, train, 1));
    assert_null(trop_train_tensor(&values, &log_scale, shape, train, -1));
    trop_train_free(train);
}

/* Data, starting weights and a schedule may go after the call that makes a run. */
static void options_are_copied(void **state)
{
    struct sample s;
    double w[D * D], factors[3] = { 1, 0.5, 0.25 };
    struct trop_train *train = NULL;

    (void)state;
    sample_make(&s, 13);
    normals(w, D * D, 14);
    struct trop_train_options o = training(&s.data, "nmirror", 0.1, 40);
    o.p = 1.75;
    o.start = TROP_TRAIN_GIVEN;
    o.start_weights = w;
    o.eta_schedule =
        (struct trop_schedule){ .kind = TROP_SCHEDULE_VALUES, .values = factors, .count = 3 };
    struct trop_train *kept = trained(&o);
    assert_ok(trop_train_create(&train, &o));
    memset(&s, 0, sizeof s);
    memset(w, 0, sizeof w);
    memset(factors, 0, sizeof factors);
    memset(&o, 0, sizeof o);
    assert_ok(trop_train_run(train, NULL, NULL));
    same_results(kept, train);
    trop_train_free(kept);
    trop_train_free(train);
}

/* Every model with every optimiser, head and gradient runs, compares itself, and tells numbers;
 * what cannot be is refused with a sentence. */
static void all_that_can_be_chosen_runs(void **state)
{
    static const struct {
        int64_t model, mask, queries;
    } models[] = { { TROP_TRAIN_PROMPT, 0, 0 },
                   { TROP_TRAIN_CROSS, 0, 1 },
                   { TROP_TRAIN_SELF, 0, 0 },
                   { TROP_TRAIN_SEQUENCE, TROP_MASK_FULL, 0 },
                   { TROP_TRAIN_SEQUENCE, TROP_MASK_CAUSAL, 0 },
                   { TROP_TRAIN_KQ, 0, 1 },
                   { TROP_TRAIN_KQ, 0, 0 },
                   { TROP_TRAIN_JOINT, 0, 1 },
                   { TROP_TRAIN_JOINT, 0, 0 } };
    double labels[N * T];
    int64_t ran = 0, refused = 0;

    (void)state;
    for (int64_t k = 0; k < N * T; k++) {
        labels[k] = k % 3 ? 1 : -1;
    }
    for (size_t m = 0; m < sizeof models / sizeof models[0]; m++) {
        for (int64_t k = 0; trop_optimizer_names[k]; k++) {
            for (int64_t head = 0; trop_head_names[head]; head++) {
                struct sample s;
                struct trop_train *train = NULL;
                sample_make(&s, 20 + m);
                s.data.heads = strcmp(trop_head_names[head], "relu") == 0 ? 4 : 1;
                if (!models[m].queries) {
                    s.data.z = NULL, s.data.queries = 0;
                }
                if (models[m].model == TROP_TRAIN_SEQUENCE) {
                    s.data.y = labels, s.data.labels = T;
                }
                struct trop_train_options o = training(&s.data, trop_optimizer_names[k], 0.3, 24);
                o.model = models[m].model;
                o.mask = models[m].mask;
                o.head = head;
                o.row = 2;
                o.width = 3;
                o.p = 1.75;
                o.start = TROP_TRAIN_NORMAL;
                o.gradient = (k + head) % 3;
                o.compare = k % 4 == 0 ? TROP_TRAIN_COMPARE_ALL : TROP_TRAIN_COMPARE_NONE;
                o.records = 2;
                const enum trop_status status = trop_train_create(&train, &o);
                if (status != TROP_OK) {
                    assert_int_equal(status, TROP_ERR_ARG);
                    assert_true(strlen(trop_error()) > 20);
                    refused++;
                    continue;
                }
                /* Polyak's step has no bound where the limit is local, not L*. */
                const enum trop_status done = trop_train_run(train, NULL, NULL);
                if (done == TROP_ERR_NUMERIC && k == optimizer_of("polyak")) {
                    trop_train_free(train);
                    continue;
                }
                assert_ok(done);
                ran++;
                assert_true(isfinite(result_of(train, "loss")));
                assert_true(result_of(train, "norm") > 0);
                assert_true(result_of(train, "saturation") > 1.0 / T);
                trop_train_free(train);
            }
        }
    }
    print_message("%d combinations ran, %d were refused\n", (int)ran, (int)refused);
    assert_true(ran > 300);
}

/* Weights of 9e4 entries at 9001 records are not kept. */
static void a_history_that_is_too_large_is_not_kept(void **state)
{
    enum { LARGE = 300 };
    double *x = malloc(2 * LARGE * sizeof *x), *z = malloc(LARGE * sizeof *z), y[1] = { 1 };
    const struct trop_data data = { .n = 1,
                                    .T = 2,
                                    .d = LARGE,
                                    .x = x,
                                    .y = y,
                                    .labels = 1,
                                    .z = z,
                                    .queries = 1,
                                    .v = z,
                                    .heads = 1 };

    (void)state;
    normals(x, 2 * LARGE, 1);
    normals(z, LARGE, 2);
    struct trop_train_options o = training(&data, "gd", 0.1, 2);
    o.compare = TROP_TRAIN_COMPARE_NONE;
    struct trop_train *train = trained(&o);
    assert_int_equal(record_of(train, 1, "weights").kind, TROP_KIND_NUMBERS);
    trop_train_free(train);
    o.steps = 1000000000; /* 9001 records */
    o.records = 1000;
    assert_ok(trop_train_create(&train, &o));
    int64_t at = 0;
    assert_int_equal(trop_train_run(train, stop_at, &at), TROP_ERR_STOPPED);
    assert_int_equal(record_of(train, 0, "weights").kind, TROP_KIND_NULL);
    assert_int_equal(value_of(train, "weights.W").kind, TROP_KIND_NUMBERS);
    trop_train_free(train);
    free(x);
    free(z);
}

static void threads_change_no_bit(void **state)
{
    struct sample s;

    (void)state;
    sample_make(&s, 9);
    struct trop_train_options o = training(&s.data, "nmirror", 0.1, 300);
    o.p = 1.75;
    struct trop_train *one = trained(&o);
    o.threads = 5;
    struct trop_train *five = trained(&o);
    same_results(one, five);
    trop_train_free(one);
    trop_train_free(five);
}

/* ---- ranges ------------------------------------------------------------------------------ */

/* Steps of 1e300: either the run goes on with finite weights, or it says that it cannot. */
static void huge_steps_give_numbers_or_an_error(void **state)
{
    struct sample s;
    static const int64_t models[] = { TROP_TRAIN_CROSS, TROP_TRAIN_KQ, TROP_TRAIN_JOINT };
    int64_t went = 0;

    (void)state;
    sample_make(&s, 10);
    for (int64_t k = 0; trop_optimizer_names[k]; k++) {
        for (int m = 0; m < 3; m++) {
            for (int huge = 0; huge < 2; huge++) {
                struct trop_train_options o =
                    training(&s.data, trop_optimizer_names[k], huge ? 1e300 : 0.1, 40);
                struct trop_train *train = NULL;
                if (k == optimizer_of("polyak") && models[m] == TROP_TRAIN_JOINT) {
                    continue;
                }
                o.model = models[m];
                o.start = TROP_TRAIN_NORMAL;
                o.start_scale = huge ? 1 : 1e300;
                o.p = 1.5;
                enum trop_status status = trop_train_create(&train, &o);
                if (status != TROP_OK) { /* duals of 1e300 */
                    assert_int_equal(status, TROP_ERR_ARG);
                    continue;
                }
                status = trop_train_run(train, NULL, NULL);
                assert_true(status == TROP_OK || status == TROP_ERR_NUMERIC);
                const double *values = NULL;
                double log_scale = 0;
                int64_t shape[2];
                for (int64_t e = 0;
                     status == TROP_OK && trop_train_tensor(&values, &log_scale, shape, train, e);
                     e++) {
                    for (int64_t c = 0; c < shape[0] * shape[1]; c++) {
                        assert_true(isfinite(values[c]));
                    }
                    assert_true(isfinite(log_scale));
                }
                went += status == TROP_OK;
                trop_train_free(train);
            }
        }
    }
    assert_true(went > 20);
}

/* K and Q are in range, their product is not. */
static void logits_beyond_double_are_an_error(void **state)
{
    struct sample s;
    struct trop_train *train = NULL;

    (void)state;
    sample_make(&s, 11);
    struct trop_train_options o = training(&s.data, "ngd", 0.1, 0);
    o.model = TROP_TRAIN_KQ;
    o.start = TROP_TRAIN_NORMAL;
    o.start_scale = 1e300;
    assert_ok(trop_train_create(&train, &o));
    assert_int_equal(trop_train_run(train, NULL, NULL), TROP_ERR_NUMERIC);
    assert_non_null(strstr(trop_error(), "logits"));
    assert_int_equal(value_of(train, "history").shape[0], 0);
    assert_int_equal(value_of(train, "loss").kind, TROP_KIND_NULL);
    trop_train_free(train);
}

/* p = 1.01: |W| <= (eta k)^100 leaves double; training goes on, and its direction settles. At such
 * norms the constraint that is behind takes the whole gradient, and steps agree only on average:
 * |U| is about a fifth of eta k. */
static void norms_beyond_double(void **state)
{
    struct trop_dataset *set = dataset_of("attsvm", TROP_DATASET_SEED);
    struct trop_train_options o = training(trop_dataset_data(set), "nmirror", 10, 3000);

    (void)state;
    o.p = 1.01;
    o.compare = TROP_TRAIN_COMPARE_NONE;
    struct trop_train *train = trained(&o);
    const double log_norm = result_of(train, "log_norm");
    assert_true(log_norm <= 100 * log(30000.0));
    assert_true(log_norm > 800);
    assert_true(isinf(result_of(train, "norm")) || isnan(result_of(train, "norm")));
    const double *w = value_of(train, "weights.W").numbers;
    assert_near(lp_norm(w, 100, 2), 1, 1e-12); /* shown as a direction */
    assert_int_equal(value_of(train, "undecided").integer, 0);
    /* The margin is that of the l1.01 problem but for what is left of the way. */
    char text[64];
    selection_of(text, sizeof text, train);
    struct trop_margin *margin = solution_of(o.data, TROP_MODEL_CROSS, text, 1.01);
    struct trop_value norm = { 0 };
    assert_ok(trop_margin_value(&norm, margin, "norm"));
    print_message("p = 1.01: margin %.6g of %.6g at log|W| = %g\n", result_of(train, "margins.lp"),
                  1 / norm.number, log_norm);
    assert_true(result_of(train, "margins.lp") > 0.9 / norm.number);
    assert_true(result_of(train, "margins.lp") <= (1 + 1e-9) / norm.number);
    trop_margin_free(margin);
    trop_train_free(train);
    trop_dataset_free(set);
}

/* ---- memory ------------------------------------------------------------------------------ */

static const struct trop_train_options *attempted;

static enum trop_status attempt(void)
{
    struct trop_train *train = NULL;
    enum trop_status status = trop_train_create(&train, attempted);

    if (status == TROP_OK) {
        status = trop_train_run(train, NULL, NULL);
    }
    trop_train_free(train);
    return status;
}

/* A run that had no memory at some record is called again: it makes that record, and all others. */
static void a_run_without_memory_goes_on(void **state)
{
    struct trop_dataset *set = dataset_of("tf-fig-1b", TROP_DATASET_SEED);
    struct trop_train_options o = training(trop_dataset_data(set), "nmirror", 2, 20);
    enum trop_status status = TROP_ERR_MEMORY;

    (void)state;
    o.p = 3;
    o.records = 3;
    struct trop_train *whole = trained(&o);
    for (int64_t k = 0; status == TROP_ERR_MEMORY; k++) {
        struct trop_train *train = NULL;
        assert_ok(trop_train_create(&train, &o));
        alloc_refused = k;
        status = trop_train_run(train, NULL, NULL);
        alloc_refused = -1;
        if (status == TROP_ERR_MEMORY) {
            assert_ok(trop_train_run(train, NULL, NULL));
        }
        assert_ok(status == TROP_ERR_MEMORY ? TROP_OK : status);
        same_results(whole, train);
        trop_train_free(train);
    }
    trop_train_free(whole);
    trop_dataset_free(set);
}

static void every_request_may_be_refused(void **state)
{
    struct trop_dataset *set = dataset_of("tf-fig-1b", TROP_DATASET_SEED);
    struct trop_train_options o = training(trop_dataset_data(set), "nmirror", 2, 12);

    (void)state;
    const double factors[2] = { 1, 0.9 };
    o.eta_schedule =
        (struct trop_schedule){ .kind = TROP_SCHEDULE_VALUES, .values = factors, .count = 2 };
    o.compare = TROP_TRAIN_COMPARE_FINAL;
    o.p = 3;
    attempted = &o;
    alloc_refuse_each(attempt);
    o.model = TROP_TRAIN_KQ;
    o.start = TROP_TRAIN_NORMAL;
    o.optimizer = optimizer_of("muon");
    o.batch = 1;
    alloc_refuse_each(attempt);
    o.model = TROP_TRAIN_JOINT;
    o.batch = 0;
    o.backtrack = 1;
    o.head = place_in(trop_head_names, "quadratic");
    alloc_refuse_each(attempt);
    trop_dataset_free(set);
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
        cmocka_unit_test(a_run_that_was_stopped_goes_on),
        cmocka_unit_test(records_are_at_log_spaced_steps),
        cmocka_unit_test(a_run_of_no_steps_shows_its_start),
        cmocka_unit_test(options_are_copied),
        cmocka_unit_test(all_that_can_be_chosen_runs),
        cmocka_unit_test(a_history_that_is_too_large_is_not_kept),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(huge_steps_give_numbers_or_an_error),
        cmocka_unit_test(logits_beyond_double_are_an_error),
        cmocka_unit_test(norms_beyond_double),
        cmocka_unit_test(a_run_without_memory_goes_on),
        cmocka_unit_test(every_request_may_be_refused),
        cmocka_unit_test(quadratic_heads_select_several_tokens),
        cmocka_unit_test(relu_heads_select_several_tokens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
