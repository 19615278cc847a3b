/* test_real.c -- the protocol on real texts: its runs, its choices, and what it makes of them. */
#include "claim/edit.h"
#include "claim/md/md_real.h"
#include "claim/md/md_tables.h"
#include "claim/sequences.h"
#include "support.h"

/* ---- a corpus that can be learnt ------------------------------------------------------------- */

/* Class 1 has word 1 and class 0 word 2, both marked, among words 3 to 9 of no meaning. */
static struct trop_case *made_up(int64_t n, int64_t threads)
{
    struct trop_case *c = NULL;
    double *offsets, *labels, *ids, *lexicon;

    assert_ok(trop_case_create(&c, 3, 0, TROP_CASE_TINY, threads));
    assert_ok(trop_case_make(&offsets, c, "offsets", n + 1, 0, 0));
    assert_ok(trop_case_make(&labels, c, "labels", n, 0, 0));
    assert_ok(trop_case_make(&ids, c, "ids", 5 * n, 0, 0));
    assert_ok(trop_case_make(&lexicon, c, "lexicon", 10, 0, 0));
    lexicon[1] = lexicon[2] = 1;
    for (int64_t i = 0; i < n; i++) {
        labels[i] = (double)(i % 2);
        offsets[i + 1] = (double)(5 * (i + 1));
        for (int64_t t = 0; t < 5; t++) {
            ids[5 * i + t] = (double)(3 + whole((uint64_t)i, (uint64_t)t, 7));
        }
        ids[5 * i + whole((uint64_t)i, 9, 5)] = labels[i] == 1 ? 1 : 2;
    }
    return c;
}

static void put(struct trop_case *c, const char *name, double value)
{
    assert_ok(trop_case_put(c, name, value));
}

/* ---- parts of a case ------------------------------------------------------------------------- */

static enum trop_status drawn(struct trop_case *c)
{
    return trop_claim_draw(&trop_md_tab_imdb, c);
}

static enum trop_status worked(struct trop_case *c)
{
    return trop_claim_work(&trop_md_tab_imdb, c);
}

static void answer(void *answers, struct trop_case *c)
{
    *(struct trop_md_real_answers *)answers = trop_md_real_answer(c);
}

/* ---- sequences in a case --------------------------------------------------------------------- */

/* Items of the list, as a part gives them. */
struct wanted {
    const int64_t *list;
    int64_t n, length;
    void (*see)(const struct trop_sequences *items);
};

static void make_items(void *context, struct trop_case *c)
{
    const struct wanted *w = context;
    const struct trop_sequences items = trop_sequences_items(c, w->list, w->n, w->length);

    w->see(&items);
}

static void see_words(const struct trop_sequences *items)
{
    assert_true(items->n == 2 && items->words == 5 && items->classes == 2);
    assert_memory_equal(items->offsets, ((int64_t[]){ 0, 3, 5 }), 24);
    assert_memory_equal(items->ids, ((int32_t[]){ 0, 3, 3, 4, 1 }), 20);
    assert_memory_equal(items->labels, ((int64_t[]){ 1, 1 }), 16);
    assert_memory_equal(items->lexicon, ((int64_t[]){ 0, 1, 0, 0, 1 }), 40);
    assert_null(items->vectors);
}

static void see_first_words(const struct trop_sequences *items)
{
    assert_memory_equal(items->offsets, ((int64_t[]){ 0, 2, 4 }), 24);
    assert_memory_equal(items->ids, ((int32_t[]){ 0, 3, 4, 1 }), 16);
}

static void see_vectors(const struct trop_sequences *items)
{
    assert_true(items->n == 1 && items->width == 2 && !items->ids);
    assert_memory_equal(items->vectors, ((double[]){ 0, 1, 2, 3 }), 32);
}

static void items_come_out_of_a_case_as_they_went_in(void **state)
{
    static const int64_t offsets[] = { 0, 2, 3, 6 }, labels[] = { 1, 0, 1 };
    static const int64_t lexicon[] = { 0, 1, 0, 0, 1 }, list[] = { 2, 0 };
    static const int32_t ids[] = { 4, 1, 2, 0, 3, 3 };
    static const double vectors[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
    struct trop_sequences from = { .n = 3,
                                   .offsets = offsets,
                                   .ids = ids,
                                   .words = 5,
                                   .labels = labels,
                                   .classes = 2,
                                   .lexicon = lexicon };
    struct trop_case *c = NULL;

    (void)state;
    assert_ok(trop_case_create(&c, 1, 0, TROP_CASE_TINY, 1));
    trop_sequences_take(c, &from, NULL, 3);
    assert_ok(trop_sequences_check(c));
    assert_ok(trop_case_part(c, make_items, &(struct wanted){ list, 2, 0, see_words }));
    assert_ok(trop_case_part(c, make_items, &(struct wanted){ list, 2, 2, see_first_words }));

    trop_case_array(c, "ids")[3] = 5;
    assert_int_equal(trop_sequences_check(c), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "5"));
    trop_case_array(c, "ids")[3] = .5;
    assert_int_equal(trop_sequences_check(c), TROP_ERR_ARG);
    trop_case_array(c, "ids")[3] = 0;
    trop_case_array(c, "offsets")[1] = 0; /* item 0 is empty */
    assert_int_equal(trop_sequences_check(c), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "item 0"));
    trop_case_free(c);

    from.ids = NULL;
    from.lexicon = NULL;
    from.vectors = vectors;
    from.width = 2;
    assert_ok(trop_case_create(&c, 1, 0, TROP_CASE_TINY, 1));
    trop_sequences_take(c, &from, list, 2);
    assert_ok(trop_sequences_check(c));
    assert_ok(
        trop_case_part(c, make_items, &(struct wanted){ (int64_t[]){ 1 }, 1, 0, see_vectors }));
    trop_case_free(c);
}

static void a_shuffle_is_an_order_of_its_own_for_every_use(void **state)
{
    int64_t a[200], b[200];
    int seen[200] = { 0 };
    struct trop_case *c = NULL;

    (void)state;
    assert_ok(trop_case_create(&c, 1, 0, TROP_CASE_TINY, 1));
    trop_sequences_shuffle(a, 200, c, 1);
    trop_sequences_shuffle(b, 200, c, 2);
    assert_memory_not_equal(a, b, sizeof a);
    for (int64_t k = 0; k < 200; k++) {
        assert_true(a[k] >= 0 && a[k] < 200 && !seen[a[k]]++);
    }
    trop_sequences_shuffle(b, 200, c, 1);
    assert_memory_equal(a, b, sizeof a);
    trop_case_free(c);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static const char *const results[] = { "tuning_tau", "tuning_accuracy", "tuning_loss", "runs",
                                       "history",    "right",           "auc",         "uniform" };

static int64_t size_of(const struct trop_case *c, const char *name)
{
    int64_t size = 1;

    for (int64_t axis = 0; axis < 3 && trop_case_size(c, name, axis) > 0; axis++) {
        size *= trop_case_size(c, name, axis);
    }
    return size;
}

static void results_do_not_depend_on_threads(void **state)
{
    struct trop_case *cases_of[2];

    (void)state;
    for (int k = 0; k < 2; k++) {
        cases_of[k] = made_up(120, k ? 3 : 1);
        assert_ok(drawn(cases_of[k]));
        assert_ok(worked(cases_of[k]));
    }
    for (size_t e = 0; e < sizeof results / sizeof results[0]; e++) {
        assert_int_equal(size_of(cases_of[0], results[e]), size_of(cases_of[1], results[e]));
        assert_memory_equal(trop_case_array(cases_of[0], results[e]),
                            trop_case_array(cases_of[1], results[e]),
                            (size_t)size_of(cases_of[0], results[e]) * sizeof(double));
    }
    trop_case_free(cases_of[0]);
    trop_case_free(cases_of[1]);
}

/* Every item of the second stage is tested once for each seed: the shares of right items of a fold
 * are the accuracies that the fit tells of its test, and the mean AUC likewise. What can be learnt
 * is learnt. */
static void every_item_is_tested_once_for_each_seed(void **state)
{
    struct trop_case *c = made_up(240, 2);

    (void)state;
    put(c, "folds", 3);
    put(c, "seeds", 2);
    put(c, "epochs", 40);
    put(c, "coarse", 3);
    put(c, "batch", 8);
    assert_ok(drawn(c));
    assert_ok(worked(c));
    const int64_t n = trop_case_size(c, "right", 1);
    assert_int_equal(n, 180); /* items: 200 of the tiny effort, less a tenth */
    for (int64_t row = 0; row < TROP_MD_REAL_ROWS; row++) {
        for (int64_t run = 0; run < 6; run++) {
            const double *told =
                trop_case_array(c, "runs") + (row * 6 + run) * TROP_MD_REAL_COLUMNS;
            double right = 0, auc = 0, items = 0;
            for (int64_t i = run / 2; i < n; i += 3) {
                const double *at = trop_case_array(c, "right") + (row * n + i) * 2 + run % 2;
                assert_true(*at == 0 || *at == 1);
                right += *at;
                auc += trop_case_array(c, "auc")[(row * n + i) * 2 + run % 2];
                items++;
            }
            assert_near(right / items, told[TROP_MD_REAL_TEST], 1e-12);
            assert_near(auc / items, told[TROP_MD_REAL_AUC], 1e-12);
        }
    }
    const double learnt = trop_md_real_mean(NULL, c, trop_md_real_row(c, 1), TROP_MD_REAL_TEST);
    assert_true(learnt > .95);
    trop_case_free(c);
}

static int stop_at_three(void *context, int64_t done, int64_t total)
{
    int64_t *most = context;

    assert_true(done >= 0 && done < total);
    *most = done > *most ? done : *most;
    return done >= 3;
}

static void long_work_stops_when_it_is_asked_to(void **state)
{
    (void)state;
    for (int64_t threads = 1; threads <= 3; threads++) {
        struct trop_case *c = made_up(120, threads);
        int64_t most = 0;
        c->progress = stop_at_three;
        c->context = &most;
        assert_ok(drawn(c));
        assert_int_equal(worked(c), TROP_ERR_STOPPED);
        assert_true(threads == 1 ? most == 3 : most >= 3); /* others may be ahead of who is asked */
        assert_non_null(strstr(trop_error(), "runs"));
        trop_case_free(c);
    }
}

/* A run that leaves what double can carry is no failure: its epochs before count. */
static void diverge(void *context, struct trop_case *c)
{
    struct trop_md_real_run run = { 0 };
    struct trop_fit_options o = trop_fit_options_default();
    int64_t order[120];

    (void)context;
    trop_sequences_shuffle(order, 120, c, 1);
    const struct trop_sequences items = trop_sequences_items(c, order, 120, 0);
    o.sequences = &items;
    o.embed = 4;
    o.epochs = 30;
    o.train.optimizer = TROP_OPTIMIZER_MIRROR;
    o.train.p = 1.1;
    o.train.eta = trop_md_real_eta(8, 1.1, .1);
    o.train.threads = 1;
    assert_ok(trop_md_real_train(&run, &o));
    assert_int_equal(run.diverged, 1);
    assert_true(run.fit->epoch < 30 && run.fit->ended);
    assert_true(isfinite(run.fit->split[TROP_SPLIT_TEST].chosen_accuracy));
    trop_fit_free(run.fit);

    run = (struct trop_md_real_run){ 0 };
    o.train.eta = trop_md_real_eta(.1, 1.1, .1);
    assert_ok(trop_md_real_train(&run, &o));
    assert_true(run.diverged == 0 && run.fit->epoch == 30);
    trop_fit_free(run.fit);
}

static void a_run_that_diverges_ends_where_it_does(void **state)
{
    struct trop_case *c = made_up(120, 1);

    (void)state;
    assert_ok(trop_case_part(c, diverge, NULL));
    trop_case_free(c);
}

/* eta = tau (p - 1) sigma^(p - 2): a first step in the dual moves w = sigma by tau g to first
 * order, whatever p is. */
static void steps_are_alike_for_every_p(void **state)
{
    (void)state;
    for (int k = 0; k < TROP_MD_REAL_EXPONENTS; k++) {
        const double p = trop_md_real_exponents[k], sigma = .1, tau = 1e-7, g = .3;
        const double dual = pow(sigma, p - 1) - trop_md_real_eta(tau, p, sigma) * g;
        assert_near((sigma - pow(dual, 1 / (p - 1))) / (tau * g), 1, 1e-5);
    }
}

/* ---- what is made of them -------------------------------------------------------------------- */

static struct trop_case *supposed(void)
{
    struct trop_case *c = made_up(120, 1);

    assert_ok(drawn(c));
    assert_ok(trop_claim_suppose(&trop_md_tab_imdb, c));
    return c;
}

static void truths(int64_t out[3], struct trop_case *c)
{
    struct trop_md_real_answers answers;

    assert_ok(trop_case_part(c, answer, &answers));
    for (int k = 0; k < 3; k++) {
        out[k] = answers.of[k].truth;
    }
}

static void expect(struct trop_case *c, int64_t better, int64_t sparser, int64_t nearer)
{
    int64_t truth[3];

    truths(truth, c);
    assert_int_equal(truth[TROP_MD_REAL_BETTER], better);
    assert_int_equal(truth[TROP_MD_REAL_SPARSER], sparser);
    assert_int_equal(truth[TROP_MD_REAL_NEARER], nearer);
}

/* Makes the results of a row those of another. */
static void copy_row(struct trop_case *c, const char *name, int64_t to, int64_t from)
{
    const int64_t size = size_of(c, name) / TROP_MD_REAL_ROWS;
    double *values = trop_case_array(c, name);

    memcpy(values + to * size, values + from * size, (size_t)size * sizeof *values);
}

static void answers_are_what_was_put_in(void **state)
{
    struct trop_case *c = supposed();

    (void)state;
    expect(c, 1, 1, 1);
    assert_ok(trop_edit(c, &trop_md_tab_imdb, TROP_MD_REAL_EXCHANGE));
    expect(c, 0, 0, 0);
    trop_case_free(c);

    c = supposed(); /* no difference: undecided */
    for (int64_t s = 0; s < TROP_MD_REAL_SCALES; s++) {
        copy_row(c, "right", s, TROP_MD_REAL_SCALES + s);
        copy_row(c, "history", s, TROP_MD_REAL_SCALES + s);
        copy_row(c, "auc", s, TROP_MD_REAL_SCALES + s);
    }
    expect(c, -1, -1, -1);
    trop_case_free(c);
}

/* Nothing is decided by a part of the protocol, at the end of a grid, or when the sign depends on
 * the start. */
static void what_the_protocol_does_not_cover_is_open(void **state)
{
    static const char *const parts[] = { "coarse", "fine", "tuning", "folds", "seeds" };

    (void)state;
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
        struct trop_case *c = supposed();
        if (strcmp(parts[k], "folds") != 0 && strcmp(parts[k], "seeds") != 0) {
            put(c, parts[k], trop_case_number(c, parts[k]) - 1);
            expect(c, -1, -1, -1);
        }
        trop_case_free(c);
    }
    for (int64_t row = 0; row < 4; row++) { /* the best step of a chosen row is the largest */
        struct trop_case *c = supposed();
        double *accuracy = trop_case_array(c, "tuning_accuracy") + row * 12 * 2;
        accuracy[2 * 11] = accuracy[2 * 11 + 1] = .9;
        expect(c, -1, -1, -1);
        trop_case_free(c);
    }
    struct trop_case *c = supposed(); /* that of p = 3 is not asked about */
    trop_case_array(c, "tuning_accuracy")[4 * 12 * 2] = 3;
    expect(c, 1, 1, 1);
    for (int64_t run = 0; run < 12; run++) { /* runs that are best at their end: not half of them */
        trop_case_array(c, "runs")[run * TROP_MD_REAL_COLUMNS + TROP_MD_REAL_CHOSEN] = 6;
    }
    expect(c, 1, 1, 1);
    trop_case_array(c, "runs")[12 * TROP_MD_REAL_COLUMNS + TROP_MD_REAL_CHOSEN] = 6;
    expect(c, -1, -1, -1);
    trop_case_array(c, "runs")[12 * TROP_MD_REAL_COLUMNS + TROP_MD_REAL_DIVERGED] = 1;
    expect(c, 1, 1, 1); /* it ended there for another reason */
    trop_case_free(c);

    c = supposed(); /* rows 1 and 3, the start that is not chosen: p = 2 is far better */
    copy_row(c, "right", 1, 4);
    copy_row(c, "right", 3, 0);
    expect(c, -1, 1, 1);
    trop_case_free(c);
}

static void a_choice_is_by_accuracy_then_loss_then_the_smaller_step(void **state)
{
    struct trop_case *c = supposed();
    double *accuracy = trop_case_array(c, "tuning_accuracy"), *loss;
    struct trop_md_real_choice best = trop_md_real_choose(c, 0);

    (void)state;
    assert_true(best.at == 5 && best.tau == 1 && best.edge == 0);
    assert_near(best.accuracy, .7, 1e-12);
    assert_int_equal(trop_md_real_row(c, 1), 2); /* of equal ones the first */
    accuracy[3 * 24 + 10] += .01;
    assert_int_equal(trop_md_real_row(c, 1), 3);
    accuracy[3 * 24 + 10] -= .01;
    loss = trop_case_array(c, "tuning_loss");
    loss[3 * 24 + 10] -= .01;
    assert_int_equal(trop_md_real_row(c, 1), 3);
    for (int64_t at = 0; at < 24; at++) {
        accuracy[at] = .5;
        loss[at] = .5;
    }
    best = trop_md_real_choose(c, 0);
    assert_true(best.at == 0 && best.edge == 1);
    trop_case_array(c, "tuning_tau")[0] = NAN; /* not tried */
    best = trop_md_real_choose(c, 0);
    assert_true(best.at == 1 && best.edge == 1);
    trop_case_free(c);
}

/* Losses .7, .5, .3 with sparsity .2, .3, .6: at .4 half way between the last two, .45 - .2. */
static void sparsity_is_taken_where_the_loss_is_equal(void **state)
{
    struct trop_case *c = supposed();
    double *history = trop_case_array(c, "history");
    const double loss[] = { .7, .5, .3 }, sparsity[] = { .2, .3, .6 };

    (void)state;
    for (int64_t e = 0; e < 6; e++) {
        history[e * TROP_MD_REAL_RECORDS + TROP_MD_REAL_TRAIN] = e < 3 ? loss[e] : NAN;
        history[e * TROP_MD_REAL_RECORDS + TROP_MD_REAL_HOYER] = e < 3 ? sparsity[e] : NAN;
    }
    assert_near(trop_md_real_at(c, 0, 0, TROP_MD_REAL_HOYER, .4), .25, 1e-12);
    assert_near(trop_md_real_at(c, 0, 0, TROP_MD_REAL_HOYER, .3), .4, 1e-12);
    assert_near(trop_md_real_at(c, 0, 0, TROP_MD_REAL_HOYER, .8), 0, 1e-12);
    assert_true(isnan(trop_md_real_at(c, 0, 0, TROP_MD_REAL_HOYER, .2)));
    /* All other runs reach .1; this one .3. */
    assert_near(trop_md_real_level(c, 0, 2, 0), .3, 1e-12);
    assert_near(trop_md_real_level(c, 2, 0, 0), .3, 1e-12);
    assert_near(trop_md_real_level(c, 0, 2, 1), .1, 1e-12);
    trop_case_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_come_out_of_a_case_as_they_went_in),
        cmocka_unit_test(a_shuffle_is_an_order_of_its_own_for_every_use),
        cmocka_unit_test(results_do_not_depend_on_threads),
        cmocka_unit_test(every_item_is_tested_once_for_each_seed),
        cmocka_unit_test(long_work_stops_when_it_is_asked_to),
        cmocka_unit_test(a_run_that_diverges_ends_where_it_does),
        cmocka_unit_test(steps_are_alike_for_every_p),
        cmocka_unit_test(answers_are_what_was_put_in),
        cmocka_unit_test(what_the_protocol_does_not_cover_is_open),
        cmocka_unit_test(a_choice_is_by_accuracy_then_loss_then_the_smaller_step),
        cmocka_unit_test(sparsity_is_taken_where_the_loss_is_equal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
