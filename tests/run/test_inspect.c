/* test_inspect.c -- the verb inspect: heads from arrays and from a real model, one text and
 * several. What is measured of a head has its own tests (tests/model). */
#include "scratch.h"
#include "support.h"
#include "tropism_lab.h"

#include <stdlib.h>
#include <string.h>

static const char *data(const char *name)
{
    static char path[2][512];
    static int turn;
    char *out = path[turn = !turn];

    snprintf(out, sizeof path[0], "%s/tests/data/%s", getenv("TROP_SOURCE"), name);
    return out;
}

/* Two layers of one head, three tokens in the plane: keys e1, e2 and -e1 - e2 (twice as long in the
 * second layer), values the keys, queries 3 e1, 3 e2, e1. */
static const double q_of[] = { 3, 0, 0, 3, 1, 0, 3, 0, 0, 3, 1, 0 };
static const double k_of[] = { 1, 0, 0, 1, -1, -1, 2, 0, 0, 2, -2, -2 };

static enum trop_status arrays(struct trop_job **out, const char *const *pairs)
{
    const int64_t shape[] = { 2, 1, 3, 2 };
    struct trop_setup *setup = NULL;
    enum trop_status status = trop_setup_create(&setup, "inspect");

    for (int k = 0; k < 3 && status == TROP_OK; k++) {
        static const char *const names[] = { "q", "k", "v" };
        status = trop_setup_array(setup, names[k], k == 0 ? q_of : k_of, 4, shape);
    }
    for (; status == TROP_OK && pairs && pairs[0]; pairs += 2) {
        status = trop_setup_set(setup, pairs[0], pairs[1]);
    }
    status = status == TROP_OK ? trop_job_create(out, setup) : status;
    trop_setup_free(setup);
    return status == TROP_OK ? trop_job_run(*out, NULL, NULL) : status;
}

static double number(const struct trop_job *job, const char *list, const char *column, int64_t row)
{
    struct trop_value value = { 0 };

    assert_ok(trop_job_cell(&value, job, list, column, row));
    assert_true(value.kind == TROP_KIND_NUMBER || value.kind == TROP_KIND_INTEGER);
    return value.kind == TROP_KIND_NUMBER ? value.number : (double)value.integer;
}

static int has(const struct trop_job *job, const char *list, const char *column)
{
    struct trop_value value = { 0 };

    return trop_job_cell(&value, job, list, column, 0) == TROP_OK;
}

static void heads_of_arrays_are_those_of_the_formulas(void **state)
{
    const char *pairs[] = { "scale", "1", "rows", "yes", NULL };
    struct trop_job *job = NULL;
    struct trop_value value = { 0 };

    (void)state;
    assert_ok(arrays(&job, pairs));
    for (int64_t layer = 0; layer < 2; layer++) {
        const double t = (double)layer + 1; /* scores of row 0: 3t, 0, -3t; of row 2: t, 0, -t */
        const double top[] = { 1 / (1 + exp(-3 * t) + exp(-6 * t)), 0,
                               1 / (1 + exp(-t) + exp(-2 * t)) };
        assert_true(number(job, "heads", "layer", layer) == (double)layer);
        assert_true(number(job, "heads", "selected", layer) == 2);
        assert_ok(trop_job_cell(&value, job, "heads", "argmax", layer));
        assert_memory_equal(value.integers, ((int64_t[]){ 0, 1, 0 }), 24);
        assert_ok(trop_job_cell(&value, job, "heads", "top_weight", layer));
        assert_near(value.numbers[0], top[0], 1e-15);
        assert_near(value.numbers[2], top[2], 1e-15);
        /* Row 2 leaves key 0 for key 1 at distance (s_0 - s_1) / |k_0 - k_1| = 1 / sqrt 2. */
        assert_ok(trop_job_cell(&value, job, "heads", "flip", layer));
        assert_near(value.numbers[2], 1 / sqrt(2), 1e-14);
        assert_near(number(job, "heads", "max_logit", layer), 3 * t, 1e-15);
        assert_ok(trop_job_cell(&value, job, "heads", "sinks.token", layer));
        assert_true(value.shape[0] == 2 && value.integers[0] == 0 && value.integers[1] == 1);
        assert_near(number(job, "heads", "sinks.share", layer), 2. / 3, 1e-15);
        assert_near(number(job, "heads", "sinks.first", layer), 2. / 3, 1e-15);
    }
    /* There is no model behind it. */
    assert_true(!has(job, "heads", "flip_relative") && !has(job, "heads", "patch.cosine") &&
                !has(job, "heads", "margin.share"));
    assert_int_not_equal(trop_job_value(&value, job, "layers"), TROP_OK);
    trop_job_free(job);
}

static void masks_lists_and_measures_are_obeyed(void **state)
{
    const char *pairs[] = { "mask", "causal", "layers", "1", "measure", "flip,keys", NULL };
    struct trop_job *job = NULL;
    struct trop_value value = { 0 };

    (void)state;
    assert_ok(arrays(&job, pairs));
    assert_ok(trop_job_value(&value, job, "heads"));
    assert_true(value.shape[0] == 1);
    assert_true(number(job, "heads", "layer", 0) == 1);
    assert_true(has(job, "heads", "flip") && has(job, "heads", "key_only"));
    assert_true(!has(job, "heads", "gap") && !has(job, "heads", "kappa"));
    trop_job_free(job);
}

/* ---- a real model -----------------------------------------------------------------------------
 */

static struct trop_job *stories(const char *const *more)
{
    const char *pairs[24] = { "model", data("stories260K.bin"), "tokenizer",
                              data("stories260K.tok512.bin") };
    struct trop_job *job = NULL;
    int at = 4;

    for (; *more; more++) {
        pairs[at++] = *more;
    }
    assert_ok(trop_job_create_from(&job, "inspect", pairs));
    assert_ok(trop_job_run(job, NULL, NULL));
    return job;
}

static void a_model_reads_a_text(void **state)
{
    const char *pairs[] = { "text", "Once upon a time", NULL };
    struct trop_job *job = stories(pairs);
    struct trop_value value = { 0 };

    (void)state;
    assert_ok(trop_job_value(&value, job, "tokens"));
    assert_true(value.shape[0] == 5);
    assert_string_equal(value.texts[4], " time");
    assert_ok(trop_job_value(&value, job, "heads"));
    assert_true(value.shape[0] == 40);
    assert_ok(trop_job_value(&value, job, "layers"));
    assert_true(value.shape[0] == 6); /* what enters each of five, and what leaves the last */
    for (int64_t h = 0; h < 40; h++) {
        assert_true(number(job, "heads", "layer", h) == (double)(h / 8));
        assert_true(number(job, "heads", "head", h) == (double)(h % 8));
        assert_true(number(job, "heads", "patch.kl", h) >= -1e-12);
        assert_true(fabs(number(job, "heads", "patch.cosine", h)) <= 1 + 1e-12);
        /* The first row sees itself alone. */
        assert_true(number(job, "heads", "hard_rows", h) >= .2);
    }
    trop_job_free(job);
}

static void threads_change_no_number(void **state)
{
    char *first = NULL;

    (void)state;
    for (int threads = 1; threads <= 3; threads += 2) {
        const char *pairs[] = { "text", "A cat sat.", "threads", threads == 1 ? "1" : "3",
                                "rows", "yes",        NULL };
        struct trop_job *job = stories(pairs);
        const char *json = NULL;
        assert_ok(trop_job_json(&json, job));
        const size_t size = (size_t)(strstr(json, "\"options\"") - json);
        if (!first) {
            first = strdup(json);
        } else {
            assert_memory_equal(first, json, size);
        }
        trop_job_free(job);
    }
    free(first);
}

static void several_texts_are_means_of_single_ones(void **state)
{
    static const char *const texts[] = { "The cat sat on the mat.", "Lily was happy, and sad." };
    static const char *const names[] = { "flip", "gap", "key_only", "patch.kl", "sinks.share" };
    const char *path = scratch("texts.tsv");
    FILE *file = fopen(path, "w");
    struct trop_job *job[3];

    (void)state;
    fprintf(file, "label\ttext\na\t%s\nb\t%s\n", texts[0], texts[1]);
    fclose(file);
    for (int k = 0; k < 2; k++) {
        job[k] = stories((const char *[]){ "text", texts[k], NULL });
    }
    job[2] = stories((const char *[]){ "file", path, NULL });
    for (int64_t h = 0; h < 40; h += 7) {
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
            const double a = number(job[0], "heads", names[k], h);
            const double b = number(job[1], "heads", names[k], h);
            char name[64];
            snprintf(name, sizeof name, "%s.mean", names[k]);
            assert_near(number(job[2], "heads", name, h), (a + b) / 2, 1e-14 * (1 + fabs(a)));
            snprintf(name, sizeof name, "%s.deviation", names[k]);
            assert_near(number(job[2], "heads", name, h), fabs(a - b) / sqrt(2),
                        1e-13 * (1 + fabs(a)));
        }
    }
    for (int64_t l = 0; l < 6; l++) {
        const double a = number(job[0], "layers", "cosine", l);
        const double b = number(job[1], "layers", "cosine", l);
        assert_near(number(job[2], "layers", "cosine.mean", l), (a + b) / 2, 1e-14);
        assert_near(number(job[2], "layers", "cosine.deviation", l), fabs(a - b) / sqrt(2), 1e-14);
    }
    for (int k = 0; k < 3; k++) {
        trop_job_free(job[k]);
    }
    unlink(path);
}

/* Texts in memory are those of a file; a text that is set later takes their place. */
static void texts_in_memory_are_those_of_a_file(void **state)
{
    static const char *const texts[] = { "The cat sat on the mat.", "Lily was happy, and sad." };
    const char *path = scratch("texts.tsv");
    FILE *file = fopen(path, "w");
    struct trop_setup *setup = NULL;
    struct trop_job *job[3] = { 0 };

    (void)state;
    fprintf(file, "label\ttext\na\t%s\nb\t%s\n", texts[0], texts[1]);
    fclose(file);
    assert_ok(trop_setup_create(&setup, "inspect"));
    assert_ok(trop_setup_set(setup, "model", data("stories260K.bin")));
    assert_ok(trop_setup_set(setup, "tokenizer", data("stories260K.tok512.bin")));
    assert_ok(trop_setup_texts(setup, "text", (const char *[]){ "b", "c" }, 2));
    assert_ok(trop_setup_texts(setup, "text", texts, 2));
    assert_ok(trop_job_create(&job[0], setup));
    assert_ok(trop_setup_set(setup, "text", texts[1]));
    assert_ok(trop_job_create(&job[1], setup));
    job[2] = stories((const char *[]){ "file", path, NULL });
    for (int k = 0; k < 2; k++) {
        assert_ok(trop_job_run(job[k], NULL, NULL));
    }
    for (int64_t h = 0; h < 40; h += 3) {
        assert_true(number(job[0], "heads", "gap.mean", h) ==
                    number(job[2], "heads", "gap.mean", h));
        assert_true(number(job[1], "heads", "gap", h) > 0);
    }
    for (int k = 0; k < 3; k++) {
        trop_job_free(job[k]);
    }
    assert_int_equal(trop_setup_texts(setup, "text", texts, 0), TROP_ERR_ARG);
    assert_int_equal(trop_setup_texts(setup, "text", (const char *[]){ "a", "" }, 2), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "text 1"));
    assert_int_equal(trop_setup_texts(setup, "file", texts, 2), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "file"));
    assert_int_equal(trop_setup_texts(setup, "words", texts, 2), TROP_ERR_ARG);
    trop_setup_free(setup);
    unlink(path);
}

/* ---- refusals ---------------------------------------------------------------------------------
 */

static void what_does_not_fit_is_refused_by_name(void **state)
{
    const char *model = data("stories260K.bin"), *words = data("stories260K.tok512.bin");
    const struct {
        const char *pairs[10], *word;
    } cases[] = {
        { { NULL }, "model" },
        { { "model", model, NULL }, "text" },
        { { "model", model, "text", "a", "ids", "1", NULL }, "text" },
        { { "model", model, "ids", "1,512", NULL }, "512" },
        { { "model", model, "ids", "1,x", NULL }, "ids" },
        { { "model", model, "ids", "", NULL }, "ids" },
        { { "model", model, "ids", "1", "layers", "5", NULL }, "layers" },
        { { "model", model, "ids", "1", "layers", "2:1", NULL }, "reversed" },
        { { "model", model, "tokenizer", words, "file", "/dev/null", NULL }, "is empty" },
        { { "model", model, "ids", "1", "heads", "0,", NULL }, "heads" },
        { { "model", model, "ids", "1", "measure", "flip,nosuch", NULL }, "nosuch" },
        { { "model", model, "ids", "1", "mask", "causal", NULL }, "mask" },
        { { "model", model, "file", "mr", "texts", "2", "inputs", "yes", NULL }, "inputs" },
        { { "q", "x.npy", "inputs", "yes", NULL }, "inputs" },
        { { "model", model, "tokenizer", words, "file", "/nowhere.txt", NULL }, "nowhere" },
        { { "model", "/nowhere", "text", "a", NULL }, "nowhere" },
        { { "q", "/nowhere.npy", NULL }, "q" },
    };

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct trop_job *job = NULL;
        enum trop_status status = trop_job_create_from(&job, "inspect", cases[k].pairs);
        if (status == TROP_OK) {
            status = trop_job_run(job, NULL, NULL);
            trop_job_free(job);
        }
        if (status == TROP_OK || !strstr(trop_error(), cases[k].word)) {
            fail_msg("case %d: %s", (int)k, trop_error());
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads_of_arrays_are_those_of_the_formulas),
        cmocka_unit_test(masks_lists_and_measures_are_obeyed),
        cmocka_unit_test(a_model_reads_a_text),
        cmocka_unit_test(threads_change_no_number),
        cmocka_unit_test(several_texts_are_means_of_single_ones),
        cmocka_unit_test(texts_in_memory_are_those_of_a_file),
        cmocka_unit_test(what_does_not_fit_is_refused_by_name),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
