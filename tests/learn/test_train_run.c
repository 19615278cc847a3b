/* test_train_run.c -- training runs: stops, records, threads, ranges, memory. */
#include "tropism_lab.h"

#include "train_same.h"
#include "train_sample.h"

#include "alloc_failing.c"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
