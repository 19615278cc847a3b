/* test_fit_memory.c -- training on sequences without memory, at every request in turn. */
#include "fit_support.h"

#include "alloc_failing.c"

static enum trop_status fit_runs(const char *const *pairs, int vectors)
{
    static struct items items;
    struct trop_fit *fit = NULL;
    double scores[ITEMS * 4];

    items_make(&items, 2 + 2 * vectors, vectors, 3);
    items.sequences.lexicon = vectors ? NULL : items.lexicon;
    enum trop_status status = trop_fit_create_from(&fit, &items.sequences, pairs);
    if (status == TROP_OK) {
        status = trop_fit_run(fit, NULL, NULL);
    }
    if (status == TROP_OK) {
        status = trop_fit_predict(scores, NULL, fit, &items.sequences);
    }
    trop_fit_free(fit);
    return status;
}

static enum trop_status words(void)
{
    const char *pairs[] = { "embed",     "4",   "epochs", "2",    "query", "each",
                            "heads",     "2",   "batch",  "5",    "show",  "3",
                            "positions", "yes", "each",   "v=gd", NULL };
    return fit_runs(pairs, 0);
}

static enum trop_status vectors(void)
{
    const char *pairs[] = { "embed", "4", "epochs", "1",    "model",     "kq",   "width", "2",
                            "folds", "2", "decay",  "0.01", "optimizer", "muon", NULL };
    return fit_runs(pairs, 1);
}

static enum trop_status theory(void)
{
    const char *pairs[] = { "embed", "6", "epochs", "3", "trained", "W", "theory", "2", NULL };
    return fit_runs(pairs, 0);
}

#define SUBJECT(name) \
    static void name##_survive_every_refusal(void **state) \
    { \
        (void)state; \
        alloc_refuse_each(name); \
    }
SUBJECT(words)
SUBJECT(vectors)

/* A solver without memory is no failure of the run that asks: only leaks are. */
static void theory_leaks_nothing(void **state)
{
    (void)state;
    for (int64_t k = 0; k < 400; k += 7) {
        alloc_refused = k;
        const enum trop_status status = theory();
        alloc_refused = -1;
        assert_true(status == TROP_OK || status == TROP_ERR_MEMORY);
        assert_int_equal(alloc_live, 0);
    }
}

/* Everything that epochs need is taken in create; what is told of the end is not. */
static void epochs_ask_for_no_memory(void **state)
{
    struct items items;
    const char *pairs[] = { "embed", "4", "epochs", "9", NULL };
    int done = 0;

    (void)state;
    items_make(&items, 2, 0, 3);
    struct trop_fit *fit = fit_of(&items, pairs);
    alloc_refused = 0;
    assert_ok(trop_fit_step(&done, fit, 9, NULL, NULL));
    assert_int_equal(alloc_refused, 0);
    alloc_refused = -1;
    trop_fit_free(fit);
    assert_int_equal(alloc_live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_survive_every_refusal),
        cmocka_unit_test(vectors_survive_every_refusal),
        cmocka_unit_test(theory_leaks_nothing),
        cmocka_unit_test(epochs_ask_for_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
