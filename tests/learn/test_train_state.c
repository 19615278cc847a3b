/* test_train_state.c -- training runs that are saved as words and gone on with. */
#include "tropism_lab.h"

#include "base/checksum.h"
#include "learn/train.h"
#include "train_same.h"
#include "train_sample.h"

#include "alloc_failing.c"

enum { STEPS = 12 };

/* ---- runs of every kind ---------------------------------------------------------------------- */

/* What can be trained: each row with every optimiser. */
static const struct row {
    int64_t model, mask, queries, head, gradient, batch, backtrack;
    double decay;
} rows[] = {
    { TROP_TRAIN_PROMPT, 0, 0, TROP_HEAD_LINEAR, TROP_TRAIN_STABLE, 0, 0, 0 },
    { TROP_TRAIN_PROMPT, 0, 0, TROP_HEAD_QUADRATIC, TROP_TRAIN_STABLE, 3, 0, 0.1 },
    { TROP_TRAIN_CROSS, 0, 1, TROP_HEAD_LINEAR, TROP_TRAIN_NAIVE, 0, 1, 0 },
    { TROP_TRAIN_CROSS, 0, 1, TROP_HEAD_RELU, TROP_TRAIN_STABLE, 3, 0, 0 },
    { TROP_TRAIN_SELF, 0, 0, TROP_HEAD_RELU, TROP_TRAIN_STABLE, 0, 1, 0 },
    { TROP_TRAIN_SEQUENCE, TROP_MASK_FULL, 0, TROP_HEAD_LINEAR, TROP_TRAIN_STABLE, 0, 1, 0 },
    { TROP_TRAIN_SEQUENCE, TROP_MASK_CAUSAL, 0, TROP_HEAD_LINEAR, TROP_TRAIN_STABLE, 3, 0, 0 },
    { TROP_TRAIN_KQ, 0, 1, TROP_HEAD_LINEAR, TROP_TRAIN_STABLE, 3, 0, 0 },
    { TROP_TRAIN_KQ, 0, 0, TROP_HEAD_QUADRATIC, TROP_TRAIN_NAIVE_REVERSED, 0, 1, 0 },
    { TROP_TRAIN_JOINT, 0, 1, TROP_HEAD_LINEAR, TROP_TRAIN_STABLE, 0, 0, 0 },
    { TROP_TRAIN_JOINT, 0, 0, TROP_HEAD_QUADRATIC, TROP_TRAIN_STABLE, 3, 0, 0 },
};

enum { ROWS = sizeof rows / sizeof rows[0] };

struct kind {
    struct sample sample;
    double labels[N * T];
    double factors[3];
    struct trop_train_options options;
};

/* Options of row m with optimiser k: schedules, starts and comparisons change from one to the next.
 */
static void kind_make(struct kind *kind, int64_t m, int64_t k)
{
    const struct row *row = rows + m;
    struct sample *s = &kind->sample;

    sample_make(s, (uint64_t)(20 + m));
    for (int64_t i = 0; i < N * T; i++) {
        kind->labels[i] = i % 3 ? 1 : -1;
    }
    s->data.heads = row->head == TROP_HEAD_RELU ? 4 : 1;
    if (!row->queries) {
        s->data.z = NULL, s->data.queries = 0;
    }
    if (row->model == TROP_TRAIN_SEQUENCE) {
        s->data.y = kind->labels, s->data.labels = T;
    }
    struct trop_train_options o = training(&s->data, trop_optimizer_names[k], 0.3, STEPS);
    o.model = row->model;
    o.mask = row->mask;
    o.head = row->head;
    o.gradient = row->gradient;
    o.batch = row->batch;
    o.backtrack = row->backtrack;
    o.decay = row->backtrack || k == optimizer_of("polyak") ? 0 : row->decay;
    o.row = 2;
    o.width = 3;
    o.p = 1.75;
    o.polynomial = m % 2;
    o.start = TROP_TRAIN_NORMAL;
    o.start_scale = k % 2 ? 2 : 0.1;
    o.compare = (m + k) % 3;
    o.records = 2 + (m + k) % 9;
    kind->factors[0] = 1, kind->factors[1] = 0.5, kind->factors[2] = 0.75;
    if ((m + k) % 2) {
        o.eta_schedule = (struct trop_schedule){ .kind = TROP_SCHEDULE_VALUES,
                                                 .values = kind->factors,
                                                 .count = 3 };
    }
    kind->options = o;
}

static int64_t *words_of(int64_t *count, const struct trop_train *train)
{
    *count = trop_train_state_size(train);
    int64_t *words = malloc((size_t)*count * sizeof *words);
    assert_non_null(words);
    trop_train_state_save(words, train);
    return words;
}

/* Another run in the state of this one. */
static struct trop_train *copy_of(const struct trop_train *train,
                                  const struct trop_train_options *options)
{
    struct trop_train *copy = NULL;
    int64_t count, *words = words_of(&count, train);

    assert_ok(trop_train_create(&copy, options));
    assert_ok(trop_train_state_load(copy, words, count));
    free(words);
    return copy;
}

static struct trop_train *created(const struct trop_train_options *options)
{
    struct trop_train *train = NULL;
    assert_ok(trop_train_create(&train, options));
    return train;
}

/* ---- going on -------------------------------------------------------------------------------- */

/* Straight on against: saved after each of its steps, loaded, run; or saved and loaded twice. */
static void goes_on_from_every_step(const struct trop_train_options *o,
                                    const struct trop_train *whole)
{
    struct trop_train *train = created(o);

    for (int64_t k = -1; k <= STEPS; k++) {
        if (k >= 0) { /* -1: before its first record */
            assert_ok(trop_train_step(train, k > 0, NULL, NULL));
            assert_int_equal(trop_train_steps(train), k);
        }
        struct trop_train *copy = copy_of(train, o);
        same_results(train, copy);
        if (k % 2) {
            assert_ok(trop_train_step(copy, (STEPS - k) / 2, NULL, NULL));
            struct trop_train *third = copy_of(copy, o);
            trop_train_free(copy);
            copy = third;
        }
        assert_ok(trop_train_run(copy, NULL, NULL));
        same_results(whole, copy);
        trop_train_free(copy);
    }
    same_results(whole, train);
    trop_train_free(train);
}

static void every_run_goes_on_from_every_step(void **state)
{
    int64_t ran = 0;

    (void)state;
    for (int64_t m = 0; m < ROWS; m++) {
        for (int64_t k = 0; trop_optimizer_names[k]; k++) {
            struct kind kind;
            struct trop_train *whole = NULL;
            kind_make(&kind, m, k);
            if (trop_train_create(&whole, &kind.options) != TROP_OK) {
                continue; /* all_that_can_be_chosen_runs tells them */
            }
            if (trop_train_run(whole, NULL, NULL) == TROP_OK) {
                goes_on_from_every_step(&kind.options, whole);
                ran++;
            }
            trop_train_free(whole);
        }
    }
    print_message("%d kinds of runs\n", (int)ran);
    assert_true(ran >= 160);
}

/* As if all steps had been asked for from the start: the record of the last one goes. */
static void a_run_takes_more_steps_than_it_had(void **state)
{
    (void)state;
    for (int64_t compare = 0; compare < 3; compare++) {
        for (int64_t first = 0; first < STEPS; first++) {
            struct kind kind;
            kind_make(&kind, 2, optimizer_of("adam"));
            kind.options.compare = compare;
            struct trop_train *whole = trained(&kind.options);
            kind.options.steps = first;
            struct trop_train *done = trained(&kind.options);
            kind.options.steps = STEPS;
            struct trop_train *copy = copy_of(done, &kind.options);
            assert_ok(trop_train_run(copy, NULL, NULL));
            same_results(whole, copy);
            trop_train_free(copy);
            trop_train_free(done);
            trop_train_free(whole);
        }
    }
}

static int stop_at(void *context, int64_t done, int64_t total)
{
    (void)total;
    return done == *(const int64_t *)context;
}

/* What is told of a stop is saved with it, and goes when the run goes on. */
static void a_stopped_run_goes_on_elsewhere(void **state)
{
    (void)state;
    for (int64_t compare = 0; compare < 3; compare++) {
        for (int64_t at = 0; at < 192; at += 64) {
            struct kind kind;
            kind_make(&kind, 3, optimizer_of("muon"));
            kind.options.steps = 150;
            kind.options.compare = compare;
            struct trop_train *whole = trained(&kind.options), *stopped = created(&kind.options);
            assert_int_equal(trop_train_run(stopped, stop_at, &at),
                             at < 150 ? TROP_ERR_STOPPED : TROP_OK);
            struct trop_train *copy = copy_of(stopped, &kind.options);
            same_results(stopped, copy);
            assert_ok(trop_train_run(copy, NULL, NULL));
            same_results(whole, copy);
            trop_train_free(copy);
            trop_train_free(stopped);
            trop_train_free(whole);
        }
    }
}

/* A stop while a solver compares: what it would have found is found when the run goes on. */
static void a_run_that_is_stopped_in_a_comparison_goes_on(void **state)
{
    struct trop_dataset *set = dataset_of("attsvm", TROP_DATASET_SEED);
    struct trop_train_options o = training(trop_dataset_data(set), "nmirror", 1, 100);
    int64_t cuts = 0;

    (void)state;
    o.p = 3;
    struct trop_train *whole = trained(&o);
    for (int64_t row = 0; row < value_of(whole, "history").shape[0]; row++) {
        int64_t at = record_of(whole, row, "step").integer;
        struct trop_train *stopped = created(&o);
        const enum trop_status status = trop_train_run(stopped, stop_at, &at);
        assert_true(status == TROP_OK || status == TROP_ERR_STOPPED);
        if (status == TROP_ERR_STOPPED) {
            assert_int_equal(trop_train_steps(stopped), at);
            const int64_t count = value_of(stopped, "history").shape[0];
            assert_int_equal(record_of(stopped, count - 1, "step").integer, at);
            struct trop_train *copy = copy_of(stopped, &o);
            assert_ok(trop_train_run(copy, NULL, NULL));
            assert_ok(trop_train_run(stopped, NULL, NULL));
            same_results(whole, copy);
            trop_train_free(copy);
            cuts += at % 64 != 0; /* there steps are not asked */
        }
        same_results(whole, stopped);
        trop_train_free(stopped);
    }
    print_message("%d runs were stopped in a solver\n", (int)cuts);
    assert_true(cuts > 0);
    trop_train_free(whole);
    trop_dataset_free(set);
}

/* ---- every piece is needed --------------------------------------------------------------- */

enum { NAMES = 16 };

struct noticed {
    const char *name[NAMES];
    int64_t count, times[NAMES];
};

static void notice(struct noticed *noticed, const char *name, int64_t times)
{
    int64_t k = 0;
    while (k < noticed->count && strcmp(noticed->name[k], name) != 0) {
        k++;
    }
    assert_true(k < NAMES);
    noticed->count += k == noticed->count;
    noticed->name[k] = name;
    noticed->times[k] += times;
}

/* 1 when a run that was given all of the state but one piece tells something else: now, or at its
 * end. */
static int is_missed(const struct trop_train_options *o, const struct trop_train *train,
                     const struct trop_train *whole, int64_t p)
{
    struct trop_train *copy = created(o);
    struct trop_train_pieces list;
    int64_t count, *words = words_of(&count, train);

    /* What the piece has in a run that has not begun. */
    trop_train_state_list(&list, (struct trop_train *)train);
    const int64_t size = list.piece[p].count;
    int64_t *fresh = calloc((size_t)size + 1, sizeof *fresh);
    struct trop_train_pieces own;
    trop_train_state_list(&own, copy);
    memcpy(fresh, own.piece[p].at, (size_t)size * sizeof *fresh);
    assert_ok(trop_train_state_load(copy, words, count));
    trop_train_state_list(&own, copy);
    memcpy(own.piece[p].at, fresh, (size_t)size * sizeof *fresh);
    int missed = difference_of(train, copy) != NULL;
    if (!missed) {
        missed = trop_train_run(copy, NULL, NULL) != TROP_OK || difference_of(whole, copy);
    }
    free(fresh);
    free(words);
    trop_train_free(copy);
    return missed;
}

static void every_piece_is_needed(void **state)
{
    /* Weights of 1.001 leave double. */
    static const struct {
        const char *name;
        double p;
    } optimizers[] = { { "adam", 2 }, { "nmirror", 1.75 }, { "muon", 2 }, { "nmirror", 1.001 } };
    struct noticed noticed = { 0 };

    (void)state;
    for (int64_t m = 0; m < ROWS; m++) {
        for (int64_t k = 0; k < 4; k++) {
            struct kind kind;
            struct trop_train_pieces list;
            int64_t at = 64;
            kind_make(&kind, m, optimizer_of(optimizers[k].name));
            kind.options.p = optimizers[k].p;
            kind.options.steps = 70;
            kind.options.eta = 1;
            kind.options.start_scale = 3; /* some attention is below 1e-6 */
            struct trop_train *train = created(&kind.options), *whole = NULL;
            const enum trop_status done = trop_train_run(train, stop_at, &at);
            if (done != TROP_ERR_STOPPED) {
                trop_train_free(train);
                continue;
            }
            whole = trained(&kind.options);
            trop_train_state_list(&list, train);
            for (int64_t p = 0; p < list.count; p++) {
                notice(&noticed, list.piece[p].name, is_missed(&kind.options, train, whole, p));
            }
            trop_train_free(whole);
            trop_train_free(train);
        }
    }
    for (int64_t k = 0; k < noticed.count; k++) {
        print_message("%-10s is missed by %d runs\n", noticed.name[k], (int)noticed.times[k]);
        assert_true(noticed.times[k] > 0);
    }
    assert_int_equal(noticed.count, 14);
}

/* ---- refusals ------------------------------------------------------------------------------ */

static void refuse(const struct trop_train_options *o, const int64_t *words, int64_t count,
                   const char *part)
{
    struct trop_train *train = created(o), *fresh = created(o);

    assert_ok(trop_train_step(train, 3, NULL, NULL));
    assert_ok(trop_train_step(fresh, 3, NULL, NULL));
    assert_int_equal(trop_train_state_load(train, words, count), TROP_ERR_ARG);
    if (!strstr(trop_error(), part)) {
        print_message("%s\n", trop_error());
    }
    assert_non_null(strstr(trop_error(), part));
    same_results(fresh, train); /* nothing has changed */
    assert_ok(trop_train_run(train, NULL, NULL));
    assert_ok(trop_train_run(fresh, NULL, NULL));
    same_results(fresh, train);
    trop_train_free(fresh);
    trop_train_free(train);
}

/* A run, seven of its steps, as words. */
static int64_t *begun(struct kind *kind, struct trop_train **train, int64_t *count)
{
    kind_make(kind, 2, optimizer_of("nmirror"));
    kind->options.eta_schedule =
        (struct trop_schedule){ .kind = TROP_SCHEDULE_VALUES, .values = kind->factors, .count = 2 };
    *train = created(&kind->options);
    assert_ok(trop_train_step(*train, 7, NULL, NULL));
    return words_of(count, *train);
}

static void a_state_of_other_data_is_refused(void **state)
{
    struct kind kind;
    struct trop_train *train = NULL;
    int64_t count;

    (void)state;
    int64_t *words = begun(&kind, &train, &count);
    const struct trop_train_options o = kind.options;
    struct trop_data *data = &kind.sample.data;
    double *const arrays[] = { kind.sample.x, kind.sample.y, kind.sample.z, kind.sample.v };
    const int64_t last[] = { N * T * D - 1, N - 1, N * D - 1, D - 1 };

    for (int k = 0; k < 4; k++) {
        double *entry = arrays[k] + last[k];
        const double was = *entry;
        *entry = k == 1 ? -was : nextafter(was, 9);
        refuse(&o, words, count, "on other data");
        *entry = was;
    }
    data->n--;
    refuse(&o, words, count, "on other data");
    data->n++;
    trop_train_free(train);
    free(words);
}

static void a_state_of_other_options_is_refused(void **state)
{
    struct kind kind;
    struct trop_train *train = NULL;
    int64_t count;

    (void)state;
    int64_t *words = begun(&kind, &train, &count);
    const struct trop_train_options o = kind.options;
    struct trop_train_options other = o;
#define OTHER(member, value) \
    other = o, other.member = value, refuse(&other, words, count, "with other options")
    OTHER(model, TROP_TRAIN_SELF);
    OTHER(head, TROP_HEAD_QUADRATIC);
    OTHER(lambda, 2);
    OTHER(loss, 1);
    OTHER(optimizer, optimizer_of("mirror"));
    OTHER(p, 1.75 + 0x1p-50);
    OTHER(eta, 0.31);
    OTHER(eta_schedule.values, kind.factors + 1);
    OTHER(backtrack, 0);
    OTHER(gradient, TROP_TRAIN_STABLE);
    OTHER(gradient_epsilon, 1e-3);
    OTHER(decay, 1e-3);
    OTHER(seed, 2);
    OTHER(start_scale, 0.2);
    OTHER(records, 9);
    OTHER(compare, (o.compare + 1) % 3);
#undef OTHER
    trop_train_free(train);
    free(words);
}

static void a_state_from_other_weights_is_refused(void **state)
{
    struct kind kind;
    struct trop_train *train = NULL;
    int64_t count;

    (void)state;
    int64_t *words = begun(&kind, &train, &count);
    struct trop_train_options other = kind.options;
    double *weights = calloc(D * D, sizeof *weights);
    other.start = TROP_TRAIN_GIVEN;
    other.start_weights = weights;
    struct trop_train *given = created(&other);
    weights[0] = 1;
    free(words);
    words = words_of(&count, given);
    refuse(&other, words, count, "from other weights");
    trop_train_free(given);
    free(weights);
    trop_train_free(train);
    free(words);
}

static void steps_may_not_be_fewer_and_threads_change_nothing(void **state)
{
    struct kind kind;
    struct trop_train *train = NULL;
    int64_t count;

    (void)state;
    int64_t *words = begun(&kind, &train, &count);
    const struct trop_train_options o = kind.options;
    struct trop_train_options other = o;
    other.steps = 6;
    refuse(&other, words, count,
           "steps = 6: the state is of a run of 12, must be at least as many");
    other = o;
    other.threads = 2;
    struct trop_train *copy = copy_of(train, &other), *whole = trained(&o);
    assert_ok(trop_train_run(copy, NULL, NULL));
    same_results(whole, copy);
    trop_train_free(whole);
    trop_train_free(copy);
    trop_train_free(train);
    free(words);
}

static void resum(int64_t *words, int64_t count)
{
    const uint64_t sum = trop_checksum_words(0, words, count - 1);
    memcpy(words + count - 1, &sum, sizeof sum);
}

static void damaged_words_are_refused(void **state)
{
    struct kind kind;
    int64_t count;

    (void)state;
    kind_make(&kind, 9, optimizer_of("nmirror"));
    struct trop_train *train = created(&kind.options);
    struct trop_train *target = created(&kind.options), *fresh = created(&kind.options);
    assert_ok(trop_train_step(train, 7, NULL, NULL));
    int64_t *words = words_of(&count, train), *bad = malloc((size_t)count * sizeof *bad);
    for (int64_t k = 0; k < count; k++) { /* torn at every word, and a bit of every word */
        assert_int_equal(trop_train_state_load(target, words, k), TROP_ERR_ARG);
        memcpy(bad, words, (size_t)count * sizeof *bad);
        bad[k] ^= INT64_C(1) << (k * 7 % 63);
        assert_int_equal(trop_train_state_load(target, bad, count), TROP_ERR_ARG);
        same_results(fresh, target);
    }
    /* A sum that is right makes no state of what cannot be one. */
    static const int64_t odd[] = { -5, INT64_MAX, INT64_MIN, 0x7ff8000000000001, 1 << 20 };
    int64_t refused = 0;
    for (int64_t k = 0; k < count - 1; k++) {
        for (int j = 0; j < 5; j++) {
            struct trop_train *other = created(&kind.options);
            memcpy(bad, words, (size_t)count * sizeof *bad);
            bad[k] = odd[j];
            resum(bad, count);
            if (trop_train_state_load(other, bad, count) == TROP_OK) {
                trop_train_run(other, NULL, NULL); /* ends, whatever it tells */
            } else {
                assert_true(strlen(trop_error()) > 20);
                refused++;
            }
            trop_train_free(other);
        }
    }
    print_message("%d of %d words with a right sum were refused\n", (int)refused, 5 * (int)count);
    assert_true(refused > 300);
    assert_ok(trop_train_state_load(target, words, count));
    same_results(train, target);
    trop_train_free(fresh);
    trop_train_free(target);
    trop_train_free(train);
    free(words);
    free(bad);
}

/* Solutions are solved again, which takes memory; without it the call can be made again. */
static void a_state_is_loaded_when_there_is_memory(void **state)
{
    struct trop_dataset *set = dataset_of("tf-fig-1b", TROP_DATASET_SEED);
    struct trop_train_options o = training(trop_dataset_data(set), "nmirror", 2, 20);
    enum trop_status status = TROP_ERR_MEMORY;
    int64_t count, refusals = 0;

    (void)state;
    o.p = 3;
    struct trop_train *whole = trained(&o);
    assert_int_equal(value_of(whole, "solution.weights").kind, TROP_KIND_NUMBERS);
    int64_t *words = words_of(&count, whole);
    for (int64_t k = 0; status == TROP_ERR_MEMORY; k++) {
        struct trop_train *train = created(&o);
        alloc_refused = k;
        status = trop_train_state_load(train, words, count);
        alloc_refused = -1;
        refusals += status == TROP_ERR_MEMORY;
        assert_true(status == TROP_OK || status == TROP_ERR_MEMORY);
        assert_ok(trop_train_state_load(train, words, count));
        same_results(whole, train);
        trop_train_free(train);
    }
    assert_true(refusals > 3);
    trop_train_free(whole);
    trop_dataset_free(set);
    free(words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_run_goes_on_from_every_step),
        cmocka_unit_test(a_run_takes_more_steps_than_it_had),
        cmocka_unit_test(a_stopped_run_goes_on_elsewhere),
        cmocka_unit_test(a_run_that_is_stopped_in_a_comparison_goes_on),
        cmocka_unit_test(every_piece_is_needed),
        cmocka_unit_test(a_state_of_other_data_is_refused),
        cmocka_unit_test(a_state_of_other_options_is_refused),
        cmocka_unit_test(a_state_from_other_weights_is_refused),
        cmocka_unit_test(steps_may_not_be_fewer_and_threads_change_nothing),
        cmocka_unit_test(damaged_words_are_refused),
        cmocka_unit_test(a_state_is_loaded_when_there_is_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
