/* test_fit.c -- training on sequences: steps against their formulas, splits, choice. */
#include "fit_support.h"

#include "base/field.h"

/* "p" where the optimiser has an exponent; NULL ends pairs elsewhere. */
static const char *p_of(const char *optimizer)
{
    return strstr("mirror nmirror square steepest", optimizer) ? "p" : NULL;
}

/* ---- closed forms -----------------------------------------------------------------------------
 */

/* Two items of one word each, no attention: f = v e, and a step of gd of both from one gradient. */
static void a_step_of_gd_is_the_formula(void **state)
{
    const int64_t offsets[] = { 0, 1, 2 }, labels[] = { 1, 0 }, splits[] = { 0, 0 };
    const int32_t ids[] = { 0, 1 };
    const struct trop_sequences two = { .n = 2,
                                        .offsets = offsets,
                                        .ids = ids,
                                        .words = 2,
                                        .labels = labels,
                                        .classes = 2,
                                        .splits = splits };
    const char *pairs[] = { "embed", "1", "heads",  "0", "optimizer",  "gd", "eta", "0.5",
                            "batch", "0", "epochs", "1", "validation", "0",  NULL };
    struct trop_fit *fit = NULL;

    (void)state;
    assert_ok(trop_fit_create_from(&fit, &two, pairs));
    double *e = fit->tensor[TROP_FIT_LETTER_E].values, *v = fit->tensor[TROP_FIT_LETTER_V].values;
    const double e0 = e[0], e1 = e[1], v0 = *v;
    assert_ok(trop_fit_run(fit, NULL, NULL));
    /* L = (l(v e0) + l(-v e1)) / 2, l' = -1/(1 + e^f). */
    const double g0 = -0.5 / (1 + exp(v0 * e0)), g1 = 0.5 / (1 + exp(-v0 * e1));
    assert_near(e[0], e0 - 0.5 * g0 * v0, 1e-16);
    assert_near(e[1], e1 - 0.5 * g1 * v0, 1e-16);
    assert_near(*v, v0 - 0.5 * (g0 * e0 + g1 * e1), 1e-16);
    const double loss = (log1p(exp(-v0 * e0)) + log1p(exp(v0 * e1))) / 2;
    assert_near(fit->split[0].loss[0], loss, 1e-15);
    trop_fit_free(fit);
}

/* ---- some rows are all rows -------------------------------------------------------------------
 */

/* Moves all of E by the dense gradient, beside a fit that moves the rows of its batches.
 * tolerance: of an entry, or of_steps of all that it has moved. */
static void check_dense(const char *optimizer, const char *p, double tolerance, int of_steps)
{
    struct items items;
    const char *pairs[] = { "embed", "4", "optimizer",     optimizer, "eta", "0.05",
                            "batch", "2", p_of(optimizer), p,         NULL };

    items_make(&items, 2, 0, 3);
    struct trop_fit *fit = fit_of(&items, pairs);
    struct trop_fit_tensor *t = fit->tensor + TROP_FIT_LETTER_E;
    double w[WORDS * 4], gradient[WORDS * 4], states[2][WORDS * 4];
    double before[WORDS * 4], moved[WORDS * 4] = { 0 };
    struct trop_tensor weight = { "E", WORDS, 4, w, 0 }, slope = { "E", WORDS, 4, gradient, 0 };
    struct trop_optimizer_step step = {
        .settings = &t->settings, .weight = &weight, .gradient = &slope, .eta = 0.05
    };
    memcpy(w, t->values, sizeof w);
    memset(states, 0, sizeof states);
    for (int k = 0; k < 2; k++) {
        step.state[k] = states[k];
    }
    double scratch[4096];
    step.scratch = scratch;
    if (t->optimizer->start) {
        t->optimizer->start(&step);
    }
    for (int64_t k = 0; k < 12; k++) {
        const int64_t list[] = { k, k + 12 };
        trop_fit_network_index(fit->network, fit->sequences, list, 2);
        trop_fit_network_set(fit->network, fit->value);
        const double loss = trop_fit_network_learn(fit->network, fit->sequences, list, 2);
        const struct trop_fit_rows *rows = &fit->network->words;
        assert_true(rows->count < WORDS || k > 0);
        memset(gradient, 0, sizeof gradient);
        for (int64_t r = 0; r < rows->count; r++) {
            memcpy(gradient + rows->row[r] * 4, fit->network->gradient[TROP_FIT_LETTER_E] + r * 4,
                   4 * sizeof *gradient);
        }
        const struct trop_fit_move move = { .k = k, .eta = 0.05, .log_gap = log(loss) };
        step.k = k;
        step.log_gap = log(loss);
        memcpy(before, w, sizeof w);
        assert_ok(t->optimizer->step(&step));
        assert_ok(
            trop_fit_tensor_move(t, fit->network->gradient[TROP_FIT_LETTER_E], NULL, rows, &move));
        for (int64_t e = 0; e < WORDS * 4; e++) {
            moved[e] += of_steps ? fabs(w[e] - before[e]) : 0;
            assert_near(t->values[e], w[e], tolerance * (fabs(w[e]) + moved[e]));
        }
    }
    trop_fit_free(fit);
}

static void steps_of_rows_are_steps_of_the_whole(void **state)
{
    (void)state;
    /* Entry by entry: the same bits. */
    check_dense("gd", "2", 0, 0);
    check_dense("sign", "2", 0, 0);
    check_dense("greedy", "2", 0, 0);
    /* The whole makes weights from duals in rows that did not move, too: there and back is some
     * eps / (2 (p - 1)) off, 12 of them at most one after the other. */
    check_dense("mirror", "1.1", 1e-14, 0);
    check_dense("mirror", "3", 1e-14, 0);
    check_dense("hypentropy", "2", 1e-14, 0);
    check_dense("eg", "2", 1e-14, 0);
    check_dense("cosh", "2", 1e-13, 0);
    check_dense("square", "1.5", 0, 0);
    /* Divided by a norm whose sum has another order: 36 terms of it, 12 steps. What is off is a
     * share of each step, however small the entry has become by it. */
    check_dense("ngd", "2", 1e-13, 1);
    check_dense("polyak", "2", 1e-13, 1);
    check_dense("nmirror", "1.5", 1e-12, 0);
    check_dense("steepest", "1.5", 1e-12, 0);
    check_dense("spectral", "2", 1e-11, 0);
}

/* All words are in every batch: then means fade everywhere, and signum and adam are the whole's. */
static void every_optimiser_lowers_the_loss(void **state)
{
    (void)state;
    for (int64_t o = 0; trop_optimizer_names[o]; o++) {
        struct items items;
        const char *pairs[] = { "embed",  "8",    "optimizer",   trop_optimizer_names[o],
                                "eta",    "0.01", "batch",       "8",
                                "epochs", "12",   "validation",  "0",
                                "test",   "0",    "start_scale", "0.3",
                                NULL };
        items_make(&items, 2, 0, 5);
        struct trop_fit *fit = fit_of(&items, pairs);
        assert_ok(trop_fit_run(fit, NULL, NULL));
        const double *loss = fit->split[TROP_SPLIT_TRAIN].loss;
        if (!(loss[12] < loss[0])) {
            fail_msg("%s: %g, then %g", trop_optimizer_names[o], loss[0], loss[12]);
        }
        trop_fit_free(fit);
    }
}

/* A row whose gradient is so small that its means are kept in other units (optimizer.c) leaves
 * those of the other rows as they are: Adam's steps of row 0 are the formula's. */
static void rows_keep_their_units(void **state)
{
    struct items items;
    const char *pairs[] = { "embed", "1", "eta", "0.5", "adam_epsilon", "0", NULL };
    int64_t row[] = { 0 }, first[] = { 0, 0 };
    struct trop_fit_rows rows = { 1, row, first, NULL };
    double one[] = { 1 }, small[] = { 1e-40 };

    (void)state;
    items_make(&items, 2, 0, 3);
    struct trop_fit *fit = fit_of(&items, pairs);
    struct trop_fit_tensor *t = fit->tensor + TROP_FIT_LETTER_E;
    const double start = t->values[0];
    for (int64_t k = 0; k < 3; k++) {
        const struct trop_fit_move move = { .k = k, .eta = 0.5 };
        row[0] = k == 1;
        assert_ok(trop_fit_tensor_move(t, k == 1 ? small : one, NULL, &rows, &move));
    }
    /* m = 0.1, then 0.19; v = 0.001, then 0.001999; corrected by the steps that were made. */
    const double after =
        start - 0.5 * (0.19 / (1 - pow(0.9, 3))) / sqrt(0.001999 / (1 - pow(0.999, 3))) - 0.5;
    assert_near(t->values[0], after, 1e-14);
    trop_fit_free(fit);
}

/* ---- decay ------------------------------------------------------------------------------------
 */

/* Without a gradient a row shrinks by (1 - eta decay)^k, met or not, and the dual of mirror too. */
static void rows_shrink_whether_they_are_met_or_not(void **state)
{
    static const char *const optimizers[] = { "gd", "mirror" };

    (void)state;
    for (int o = 0; o < 2; o++) {
        struct items items;
        const char *pairs[] = { "embed", "4",   "optimizer",         optimizers[o], "eta", "0.1",
                                "decay", "0.2", p_of(optimizers[o]), "1.5",         NULL };
        items_make(&items, 2, 0, 3);
        struct trop_fit *fit = fit_of(&items, pairs);
        struct trop_fit_tensor *t = fit->tensor + TROP_FIT_LETTER_E;
        double start[WORDS * 4], zero[WORDS * 4] = { 0 };
        int64_t row[] = { 2 }, first[] = { 0, 0 };
        struct trop_fit_rows rows = { 1, row, first, NULL };

        memcpy(start, t->values, sizeof start);
        for (int64_t k = 0; k < 40; k++) {
            row[0] = k % 7; /* 7 and 8 are never met */
            trop_fit_tensor_fresh(t, &rows);
            const struct trop_fit_move move = { .k = k, .eta = 0.1, .decay = 0.2 };
            assert_ok(trop_fit_tensor_move(t, zero, NULL, &rows, &move));
        }
        trop_fit_tensor_fresh(t, NULL);
        /* u shrinks by 0.98 a step, w = u^(1/(p-1)) = u^2 of mirror. */
        const double left = pow(0.98, o == 1 ? 80 : 40);
        for (int64_t e = 0; e < WORDS * 4; e++) {
            assert_near(t->values[e], left * start[e], 1e-13 * fabs(start[e]));
        }
        trop_fit_free(fit);
    }
}

/* ---- splits and choice ------------------------------------------------------------------------
 */

static void folds_test_every_item_once(void **state)
{
    struct items items;
    const char *pairs[] = { "embed", "3", "folds", "4", "epochs", "1", "validation", "0.25", NULL };
    int64_t tested[ITEMS] = { 0 };

    (void)state;
    items_make(&items, 2, 0, 3);
    struct trop_fit *fit = fit_of(&items, pairs);
    for (int64_t fold = 0; fold < 4; fold++) {
        int64_t ones = 0;
        fit->fold = fold;
        trop_fit_split_draw(fit);
        assert_int_equal(fit->split[TROP_SPLIT_TEST].items, ITEMS / 4);
        /* A quarter of what is left of each class: floor(9 / 4). */
        assert_int_equal(fit->split[TROP_SPLIT_VALIDATION].items, 4);
        assert_int_equal(fit->split[TROP_SPLIT_TRAIN].items, ITEMS - ITEMS / 4 - 4);
        for (int64_t j = 0; j < ITEMS / 4; j++) {
            const int64_t i = fit->split[TROP_SPLIT_TEST].list[j];
            tested[i]++;
            ones += items.labels[i];
        }
        assert_int_equal(ones, ITEMS / 8);
    }
    for (int64_t i = 0; i < ITEMS; i++) {
        assert_int_equal(tested[i], 1);
    }
    fit->fold = 0;
    assert_ok(trop_fit_begin(fit));
    assert_ok(trop_fit_run(fit, NULL, NULL));
    double mean = 0, told;
    for (int64_t k = 0; k < 4; k++) {
        struct trop_value test;
        assert_ok(trop_field_cell(&test, trop_fit_field_table(), fit, "folds", "test", k));
        mean += test.number / 4;
    }
    assert_ok(trop_fit_number(&told, fit, "test_mean"));
    assert_near(told, mean, 1e-15);
    trop_fit_free(fit);
}

/* The weights at the end are those of the epoch with the best validation, of equal ones with the
 * least loss. */
static void validation_chooses_the_epoch(void **state)
{
    static const char *const seeds[] = { "1", "2", "3", "4", "5", "6" };
    int64_t ties = 0;

    (void)state;
    for (int k = 0; k < 6; k++) {
        struct items items;
        const char *pairs[] = { "embed", "6",          "epochs", "25",     "eta",
                                "0.2",   "validation", "0.4",    "test",   "0.2",
                                "batch", "4",          "seed",   seeds[k], NULL };
        items_make(&items, 2, 0, 11);
        struct trop_fit *fit = fit_of(&items, pairs);
        assert_ok(trop_fit_run(fit, NULL, NULL));
        const struct trop_fit_split *v = fit->split + TROP_SPLIT_VALIDATION;
        for (int64_t e = 0; e <= 25; e++) {
            const double a = v->accuracy[e], best = v->accuracy[fit->chosen];
            assert_true(a < best || (a == best && v->loss[e] >= v->loss[fit->chosen]));
            ties += a == best && e > fit->chosen;
        }
        double f[ITEMS], loss = 0;
        trop_fit_network_read(f, NULL, fit->network, fit->sequences, v->list, v->items);
        for (int64_t j = 0; j < v->items; j++) {
            loss += log1p(exp(items.labels[v->list[j]] ? -f[j] : f[j])) / (double)v->items;
        }
        assert_near(loss, v->loss[fit->chosen], 1e-14);
        trop_fit_free(fit);
    }
    assert_true(ties > 0); /* or the rule for equal ones was not asked */
}

static void patience_ends_a_run(void **state)
{
    struct items items;
    const char *pairs[] = { "embed", "6",        "epochs", "400",   "eta", "0.2", "validation",
                            "0.4",   "patience", "5",      "batch", "4",   NULL };

    (void)state;
    items_make(&items, 2, 0, 11);
    struct trop_fit *fit = fit_of(&items, pairs);
    assert_ok(trop_fit_run(fit, NULL, NULL));
    assert_int_equal(fit->epoch, fit->chosen + 5);
    assert_true(fit->epoch < 400);
    trop_fit_free(fit);
}

static void splits_of_the_data_are_kept(void **state)
{
    struct items items;
    int64_t splits[ITEMS];
    const char *pairs[] = { "embed", "3", "epochs", "1", NULL };

    (void)state;
    items_make(&items, 2, 0, 3);
    for (int64_t i = 0; i < ITEMS; i++) {
        splits[i] = i < 8 ? TROP_SPLIT_TEST : i < 12 ? TROP_SPLIT_VALIDATION : TROP_SPLIT_TRAIN;
    }
    items.sequences.splits = splits;
    struct trop_fit *fit = fit_of(&items, pairs);
    assert_int_equal(fit->split[TROP_SPLIT_TEST].items, 8);
    assert_int_equal(fit->split[TROP_SPLIT_VALIDATION].items, 4);
    assert_int_equal(fit->split[TROP_SPLIT_TEST].list[7], 7);
    trop_fit_free(fit);
}

/* ---- what moves -------------------------------------------------------------------------------
 */

static void only_trained_tensors_move_and_each_has_its_optimiser(void **state)
{
    struct items items;
    const char *pairs[] = { "embed",      "5",   "epochs", "2",
                            "trained",    "W,v", "each",   "v=sign:0.125",
                            "validation", "0",   "batch",  "0",
                            NULL };

    (void)state;
    items_make(&items, 2, 0, 3);
    struct trop_fit *fit = fit_of(&items, pairs);
    assert_ok(trop_fit_run(fit, NULL, NULL));
    for (int k = 0; k < TROP_FIT_LETTERS; k++) {
        const struct trop_fit_tensor *t = fit->tensor + k;
        const int moved = t->name && memcmp(t->values, t->start, (size_t)size_of(t) * 8) != 0;
        assert_int_equal(moved, k == TROP_FIT_LETTER_W || k == TROP_FIT_LETTER_V);
    }
    for (int64_t e = 0; e < 5; e++) {
        const struct trop_fit_tensor *v = fit->tensor + TROP_FIT_LETTER_V;
        const double moved = fabs(v->values[e] - v->start[e]);
        assert_true(moved < 1e-15 || fabs(moved - 0.25) < 1e-15); /* two steps of 1/8 */
    }
    trop_fit_free(fit);
}

/* ---- words ------------------------------------------------------------------------------------
 */

/* Uniform attention: every word has 1, AUC 1/2, mass that of the tokens. */
static void uniform_attention_prefers_nothing(void **state)
{
    struct items items;
    const char *pairs[] = { "embed", "4", "heads", "0", "epochs", "1", "show", "3", NULL };
    double auc, mass, uniform;
    struct trop_value value;

    (void)state;
    items_make(&items, 2, 0, 3);
    items.sequences.lexicon = items.lexicon;
    struct trop_fit *fit = fit_of(&items, pairs);
    assert_ok(trop_fit_run(fit, NULL, NULL));
    assert_ok(trop_fit_number(&auc, fit, "lexicon.auc"));
    assert_ok(trop_fit_number(&mass, fit, "lexicon.mass"));
    assert_ok(trop_fit_number(&uniform, fit, "lexicon.uniform"));
    assert_true(auc == 0.5);
    assert_near(mass, uniform, 1e-14);
    assert_true(fit->word_count > 0);
    for (int64_t k = 0; k < fit->word_count; k++) {
        assert_near(fit->words[k].attention, 1, 1e-14);
    }
    assert_ok(trop_field_cell(&value, trop_fit_field_table(), fit, "shown", "attention", 0));
    assert_near(value.numbers[0], 1 / (double)value.shape[0], 1e-15);
    trop_fit_free(fit);
}

/* The label is whether word 0 is there: attention and its values must find it. */
static void the_word_that_decides_gets_the_attention(void **state)
{
    struct items items;
    const char *pairs[] = { "embed", "8", "epochs",     "60", "eta",  "0.02", "test", "0",
                            "batch", "4", "validation", "0",  "seed", "2",    NULL };
    double auc, value;

    (void)state;
    items_make(&items, 2, 0, 3);
    for (int64_t i = 0; i < ITEMS; i++) {
        items.labels[i] = 0;
        for (int64_t t = items.offsets[i]; t < items.offsets[i + 1]; t++) {
            items.labels[i] |= items.ids[t] == 0;
        }
    }
    for (int64_t w = 0; w < WORDS; w++) {
        items.lexicon[w] = w == 0;
    }
    items.sequences.lexicon = items.lexicon;
    struct trop_fit *fit = fit_of(&items, pairs);
    assert_ok(trop_fit_run(fit, NULL, NULL));
    assert_ok(trop_fit_number(&auc, fit, "lexicon.auc"));
    assert_ok(trop_fit_number(&value, fit, "lexicon.value"));
    assert_true(auc > 0.9 && value > 0.9);
    assert_int_equal(fit->words[0].id, 0);
    assert_true(fit->split[0].accuracy[60] == 1);
    /* The same of the items by themselves, and of one that was not there. */
    double scores[ITEMS], one[1], weights[2];
    const int64_t offsets[] = { 0, 2 };
    const int32_t ids[] = { 3, 0 };
    const struct trop_sequences item = { .n = 1, .offsets = offsets, .ids = ids, .words = WORDS };
    assert_ok(trop_fit_predict(scores, NULL, fit, &items.sequences));
    for (int64_t i = 0; i < ITEMS; i++) {
        assert_int_equal(scores[i] > 0, items.labels[i]);
    }
    assert_ok(trop_fit_predict(one, weights, fit, &item));
    assert_true(one[0] > 0 && weights[1] > 0.5);
    trop_fit_free(fit);
}

/* ---- refusals ---------------------------------------------------------------------------------
 */

static void refuse(const struct trop_sequences *s, const char *name, const char *value,
                   const char *words)
{
    const char *pairs[] = { name, value, NULL };
    struct trop_fit *fit = NULL;

    assert_int_equal(trop_fit_create_from(&fit, s, name ? pairs : pairs + 2), TROP_ERR_ARG);
    assert_null(fit);
    if (!strstr(trop_error(), words)) {
        fail_msg("%s: has no \"%s\"", trop_error(), words);
    }
}

static void what_cannot_be_learnt_from_is_refused(void **state)
{
    struct items items;

    (void)state;
    items_make(&items, 2, 0, 3);
    refuse(&items.sequences, "embed", "0", "embed = 0");
    refuse(&items.sequences, "heads", "-1", "heads");
    refuse(&items.sequences, "trained", "E,x", "trained: x");
    refuse(&items.sequences, "trained", "K", "trained: K");
    refuse(&items.sequences, "each", "E=foo", "foo is not an optimiser");
    refuse(&items.sequences, "each", "E=gd:0", "step size");
    refuse(&items.sequences, "each", "E", "E=adam:0.001");
    refuse(&items.sequences, "folds", "1", "folds = 1");
    refuse(&items.sequences, "model", "prompt", "model");
    refuse(&items.sequences, "start", "zeros", "start");
    refuse(&items.sequences, "loss", "log", "loss");
    refuse(&items.sequences, "validation", "0.9", "leave nothing");
    refuse(&items.sequences, "nosuch", "1", "nosuch");
    items.labels[3] = 2;
    refuse(&items.sequences, NULL, NULL, "item 3: class 2");
    items.labels[3] = 1;
    items.ids[items.offsets[4]] = WORDS;
    refuse(&items.sequences, NULL, NULL, "item 4: word 9");
    items.ids[items.offsets[4]] = 0;
    items.offsets[5] = items.offsets[4];
    refuse(&items.sequences, NULL, NULL, "item 4: has no tokens");
    items_make(&items, 2, 1, 3);
    items.vectors[0] = NAN;
    refuse(&items.sequences, NULL, NULL, "item 0: a coordinate is nan");
    items_make(&items, 2, 0, 3);
    memset(items.labels, 0, sizeof items.labels);
    refuse(&items.sequences, NULL, NULL, "of one class");
}

static void a_run_that_leaves_double_says_so(void **state)
{
    struct items items;
    const char *pairs[] = { "embed", "4", "optimizer", "mirror", "p", "1.1", "eta", "1e3", NULL };

    (void)state;
    items_make(&items, 2, 0, 3);
    struct trop_fit *fit = fit_of(&items, pairs);
    assert_int_equal(trop_fit_run(fit, NULL, NULL), TROP_ERR_NUMERIC);
    assert_non_null(strstr(trop_error(), "smaller eta"));
    trop_fit_free(fit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_of_gd_is_the_formula),
        cmocka_unit_test(steps_of_rows_are_steps_of_the_whole),
        cmocka_unit_test(every_optimiser_lowers_the_loss),
        cmocka_unit_test(rows_keep_their_units),
        cmocka_unit_test(rows_shrink_whether_they_are_met_or_not),
        cmocka_unit_test(folds_test_every_item_once),
        cmocka_unit_test(validation_chooses_the_epoch),
        cmocka_unit_test(patience_ends_a_run),
        cmocka_unit_test(splits_of_the_data_are_kept),
        cmocka_unit_test(only_trained_tensors_move_and_each_has_its_optimiser),
        cmocka_unit_test(uniform_attention_prefers_nothing),
        cmocka_unit_test(the_word_that_decides_gets_the_attention),
        cmocka_unit_test(what_cannot_be_learnt_from_is_refused),
        cmocka_unit_test(a_run_that_leaves_double_says_so),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
