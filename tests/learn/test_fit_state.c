/* test_fit_state.c -- trainings on sequences whose state is taken by another run. */
#include "fit_support.h"
#include "train_same.h"

#include "base/field.h"

enum { EPOCHS = 3, STOPS = 2 * (EPOCHS + 1) }; /* two folds, the start of each counted */
enum { LARGEST = 8192 };                       /* array of a state */

/* ---- runs of every kind ---------------------------------------------------------------------- */

static const char *const rows[][10] = {
    { "query", "prompt", "batch", "4", "validation", "0.3" },
    { "query", "first", "batch", "5", "heads", "2", "patience", "1" },
    { "query", "each", "batch", "0", "eta_schedule", "power:1,0.5" },
    { "model", "kq", "width", "3", "batch", "4", "validation", "0.3" },
};

enum { ROWS = sizeof rows / sizeof rows[0] };

static int has_exponent(const char *name)
{
    return !strcmp(name, "mirror") || !strcmp(name, "nmirror") || !strcmp(name, "square") ||
           !strcmp(name, "steepest");
}

/* Row m with optimiser k; odd rows are of vectors and three classes. */
static void kind_make(struct items *items, const char *pairs[32], int64_t m, int64_t k)
{
    const char *name = trop_optimizer_names[k];
    const char *own[] = { "embed", "4",     "epochs", "3",         "eta",
                          "0.02",  "folds", "2",      "optimizer", name };
    int at = 0;

    items_make(items, m % 2 ? 3 : 2, m == 1, (uint64_t)(3 + m));
    /* A word that one item has alone: of one of the folds it is not learnt. */
    for (int64_t t = 0; t < TOKENS; t++) {
        items->ids[t] = items->ids[t] < WORDS - 1 ? items->ids[t] : 0;
    }
    items->ids[items->offsets[3]] = WORDS - 1;
    for (size_t i = m == 1 ? 2 : 0; i < sizeof own / sizeof own[0]; i++) {
        pairs[at++] = own[i];
    }
    for (int i = 0; i < 10 && rows[m][i]; i++) {
        pairs[at++] = rows[m][i];
    }
    if (has_exponent(name)) {
        pairs[at++] = "p", pairs[at++] = "1.5";
    }
    if (!strcmp(name, "gd") || !strcmp(name, "adam") || !strcmp(name, "mirror")) {
        pairs[at++] = "decay", pairs[at++] = "0.1";
    }
    pairs[at] = NULL;
}

/* ---- states ---------------------------------------------------------------------------------- */

struct store {
    double numbers[96][LARGEST];
    int64_t integers[96][8], counts[96];
    char names[96][32];
    int64_t count, get, left_out; /* left_out: the array that is not taken; -1: none */
};

static enum trop_status visit(void *context, const char *name, double *numbers, int64_t *integers,
                              int64_t count)
{
    struct store *s = context;
    const int64_t k = s->count++;
    void *mine = numbers ? (void *)s->numbers[k] : (void *)s->integers[k];
    void *own = numbers ? (void *)numbers : (void *)integers;

    assert_true(k < 96 && count <= (numbers ? LARGEST : 8));
    if (!s->get) {
        snprintf(s->names[k], sizeof s->names[k], "%s", name);
        s->counts[k] = count;
        memcpy(mine, own, (size_t)count * 8);
    } else if (k != s->left_out) {
        assert_string_equal(s->names[k], name);
        assert_int_equal(s->counts[k], count);
        memcpy(own, mine, (size_t)count * 8);
    }
    return TROP_OK;
}

static void save(struct store *store, struct trop_fit *fit)
{
    store->count = store->get = 0;
    assert_ok(trop_fit_walk(fit, visit, store));
}

static enum trop_status load(struct trop_fit *fit, struct store *store, int64_t left_out)
{
    const int64_t count = store->count;

    store->count = 0;
    store->get = 1;
    store->left_out = left_out;
    assert_ok(trop_fit_walk(fit, visit, store));
    assert_int_equal(store->count, count);
    return trop_fit_resume(fit);
}

/* The first field that differs; NULL: none. */
static const char *difference(const struct trop_fit *a, const struct trop_fit *b)
{
    const struct trop_field *table = trop_fit_field_table();

    for (const struct trop_field *f = table; f->name; f++) {
        struct trop_value x = { 0 }, y = { 0 };
        assert_ok(trop_fit_value(&x, a, f->name));
        assert_ok(trop_fit_value(&y, b, f->name));
        if (!is_same_value(&x, &y)) {
            return f->name;
        }
        for (const struct trop_field *c = f->columns; c && c->name; c++) {
            for (int64_t row = 0; row < x.shape[0]; row++) {
                struct trop_value at = { 0 }, bt = { 0 };
                assert_ok(trop_field_cell(&at, table, a, f->name, c->name, row));
                assert_ok(trop_field_cell(&bt, table, b, f->name, c->name, row));
                if (!is_same_value(&at, &bt)) {
                    return c->name;
                }
            }
        }
    }
    return NULL;
}

/* Stopped after every epoch of every fold; what is left is done by another run, or a third. */
static void every_training_goes_on_from_every_epoch(void **state)
{
    static struct store store;
    int64_t ran = 0;

    (void)state;
    for (int64_t m = 0; m < ROWS; m++) {
        for (int64_t k = 0; trop_optimizer_names[k]; k++) {
            struct items items;
            const char *pairs[32];
            kind_make(&items, pairs, m, k);
            struct trop_fit *whole = fit_of(&items, pairs), *first = fit_of(&items, pairs);
            if (trop_fit_run(whole, NULL, NULL) == TROP_ERR_NUMERIC) { /* steps of polyak */
                trop_fit_free(whole);
                trop_fit_free(first);
                continue;
            }
            int done = 0;
            for (int64_t stop = 0; stop <= STOPS && !done; stop++) {
                struct trop_fit *second = fit_of(&items, pairs);
                save(&store, first);
                assert_ok(load(second, &store, -1));
                if (stop % 2) {
                    int ended = 0;
                    assert_ok(trop_fit_step(&ended, second, 2, NULL, NULL));
                    if (!ended) {
                        save(&store, second);
                        trop_fit_free(second);
                        second = fit_of(&items, pairs);
                        assert_ok(load(second, &store, -1));
                    }
                }
                assert_ok(trop_fit_run(second, NULL, NULL));
                assert_null(difference(whole, second));
                trop_fit_free(second);
                assert_ok(trop_fit_step(&done, first, 1, NULL, NULL));
                ran++;
            }
            assert_int_equal(done, 1);
            assert_null(difference(whole, first));
            trop_fit_free(whole);
            trop_fit_free(first);
        }
    }
    print_message("%d states were taken\n", (int)ran);
    assert_true(ran > 450);
}

/* "W.state0" is a state0, "train.loss" a loss, "fold1" a fold, "W" weights. */
static const char *kind_of(const char *name)
{
    const char *dot = strchr(name, '.');

    return dot                             ? dot + 1
           : strncmp(name, "fold", 4) == 0 ? "fold"
           : !strcmp(name, "counts")       ? "counts"
           : !strcmp(name, "best")         ? "best of validation"
                                           : "weights";
}

static void every_array_is_needed(void **state)
{
    static struct store store;
    struct {
        char name[32];
        int64_t times;
    } kinds[24] = { 0 };
    int64_t count = 0;

    (void)state;
    for (int64_t m = 0; m < ROWS; m++) {
        for (int64_t k = 0; trop_optimizer_names[k]; k++) {
            struct items items;
            const char *pairs[32];
            int done = 0;
            kind_make(&items, pairs, m, k);
            struct trop_fit *whole = fit_of(&items, pairs), *first = fit_of(&items, pairs);
            if (trop_fit_run(whole, NULL, NULL) == TROP_ERR_NUMERIC) { /* steps of polyak */
                trop_fit_free(whole);
                trop_fit_free(first);
                continue;
            }
            assert_ok(trop_fit_step(&done, first, EPOCHS + 3, NULL, NULL));
            for (int64_t p = 0; !done && (p == 0 || p < store.count); p++) {
                struct trop_fit *second = fit_of(&items, pairs);
                save(&store, first);
                const char *name = kind_of(store.names[p]);
                const int missed = load(second, &store, p) != TROP_OK ||
                                   trop_fit_run(second, NULL, NULL) != TROP_OK ||
                                   difference(whole, second) != NULL;
                int64_t at = 0;
                while (at < count && strcmp(kinds[at].name, name) != 0) {
                    at++;
                }
                assert_true(at < 24);
                count += at == count;
                snprintf(kinds[at].name, sizeof kinds[at].name, "%s", name);
                kinds[at].times += missed;
                trop_fit_free(second);
            }
            trop_fit_free(whole);
            trop_fit_free(first);
        }
    }
    for (int64_t k = 0; k < count; k++) {
        print_message("%-18s is missed by %d runs\n", kinds[k].name, (int)kinds[k].times);
        assert_true(kinds[k].times > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_training_goes_on_from_every_epoch),
        cmocka_unit_test(every_array_is_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
