/* test_inspect_html.c -- the page of an inspection and the pictures of its heads say what its JSON
 * says, whatever the tokens are called. The model is stories260K; TROP_BUILD is the folder of the
 * program, TROP_SOURCE that of the source. */
#include "support.h"

#include "base/alloc.h"
#include "html_support.h"
#include "io/h5/h5.h"
#include "io/npy.h"
#include "program.h"

#define TEXT "Once upon a time, there was a little girl named Lily."
#define HOSTILE "</script><b>&\"'"
#define HEADS 40 /* 5 layers of 8 */
#define WORDS 512

static char model[600], page[4000000];
static json_t *result; /* of the same run with --rows */

static void run(const char *format, ...)
{
    char line[1500];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (tropism(line) != 0) {
        fail_msg("%s: %s", line, answer.err);
    }
}

static const char *read_page(const char *name)
{
    read_text(page, sizeof page, scratch(name));
    assert_true(strlen(page) > 1000);
    return page;
}

/* ---- a tokenizer of llama2.c whose tokens are whatever one likes ---- */

static void put_token(FILE *file, float score, const char *text)
{
    const int32_t size = (int32_t)strlen(text);

    fwrite(&score, 4, 1, file);
    fwrite(&size, 4, 1, file);
    fwrite(text, 1, (size_t)size, file);
}

/* The letters of the hostile text are tokens, and its beginnings, so that all of it becomes one. */
static void make_tokenizer(void)
{
    static const char *const first[] = { "<unk>", "<s>", "</s>" };
    FILE *file = fopen(scratch("tok.bin"), "wb");
    const int32_t longest = 64;
    char text[64], seen[32] = " ";
    int count = 3 + 256 + 1;

    assert_non_null(file);
    fwrite(&longest, 4, 1, file);
    for (int k = 0; k < 3; k++) {
        put_token(file, 0, first[k]);
    }
    for (int k = 0; k < 256; k++) {
        snprintf(text, sizeof text, "<0x%02X>", (unsigned)k);
        put_token(file, 0, text);
    }
    put_token(file, 0, " ");
    for (size_t k = 0; k < strlen(HOSTILE); k++) {
        snprintf(text, sizeof text, "%c", HOSTILE[k]);
        if (!strchr(seen, HOSTILE[k])) {
            strcat(seen, text);
            put_token(file, 0, text);
            count++;
        }
    }
    for (size_t k = 2; k <= strlen(HOSTILE); k++, count++) {
        snprintf(text, sizeof text, "%.*s", (int)k, HOSTILE);
        put_token(file, 1, text);
    }
    for (; count < WORDS; count++) {
        snprintf(text, sizeof text, "~%d", count);
        put_token(file, -1, text);
    }
    fclose(file);
}

static int make_files(void **state)
{
    double q[2 * 3 * 9 * 4];
    const int64_t shape[] = { 2, 3, 9, 4 };
    json_error_t error;

    (void)state;
    snprintf(model, sizeof model, "%s/tests/data/stories260K.bin", getenv("TROP_SOURCE"));
    make_tokenizer();
    put("text.txt", TEXT);
    put("hostile.txt", HOSTILE HOSTILE);
    put("texts.tsv", "label\ttext\ngood\tA girl went home.\nbad\tThe dog was sad and big.\n");
    run("inspect %s --file text.txt --rows --json", model);
    result = json_loads(answer.out, 0, &error);
    assert_non_null(result);
    /* The queries of the second head of the first layer are 0: its keys tie. */
    for (int64_t k = 0; k < 216; k++) {
        q[k] = k / 36 == 1 ? 0 : (double)(k * k % 17) / 9 - 1;
    }
    assert_int_equal(trop_npy_write(scratch("q.npy"), q, 4, shape), TROP_OK);
    for (int64_t k = 0; k < 216; k++) {
        q[k] = (double)(k * k * k % 23) / 9 - 1;
    }
    assert_int_equal(trop_npy_write(scratch("k.npy"), q, 4, shape), TROP_OK);
    return 0;
}

static int drop_files(void **state)
{
    json_decref(result);
    return remove_files(state);
}

/* A number of a head of the JSON, by its name with dots; NULL when it has none. */
static const json_t *member(const json_t *head, const char *name)
{
    char words[64];

    snprintf(words, sizeof words, "%s", name);
    for (char *word = strtok(words, "."); word && head; word = strtok(NULL, ".")) {
        head = json_object_get(head, word);
    }
    return head;
}

/* ---- the page ---- */

static void the_page_is_whole_and_needs_no_other(void **state)
{
    static const char *const absent[] = { "http://", "https://", "<link",
                                          "@import", "src=\"/",  "innerHTML" };
    static const char *const present[] = { "<title>What heads select in ",
                                           "5 layers of 8 heads",
                                           "One head",
                                           "Through depth",
                                           "What each head selects",
                                           "save as SVG",
                                           "<code>file</code></dt><dd>text.txt" };

    (void)state;
    run("inspect %s --file text.txt --report page.html", model);
    assert_non_null(strstr(answer.out, "written to   page.html"));
    assert_html(read_page("page.html"));
    for (size_t k = 0; k < sizeof absent / sizeof *absent; k++) {
        if (strstr(page, absent[k])) {
            fail_msg("the page has %s", absent[k]);
        }
    }
    for (size_t k = 0; k < sizeof present / sizeof *present; k++) {
        if (!strstr(page, present[k])) {
            fail_msg("%s is missing", present[k]);
        }
    }
}

/* Every cell of a map has its number of the JSON, to five digits, and a definition below. */
static void check_map(const char *name, const json_t *heads)
{
    char words[80];

    snprintf(words, sizeof words, "<figure id=\"n-%s\">", name);
    const char *at = strstr(page, words);
    if (!at) {
        fail_msg("there is no map of %s", name);
    }
    const char *end = strstr(at, "</figure>");
    for (size_t h = 0; h < HEADS; h++) {
        const json_t *number = member(json_array_get(heads, h), name);
        snprintf(words, sizeof words, "<title>layer %zu, head %zu: ", h / 8, h % 8);
        at = strstr(at, words);
        assert_true(at && at < end);
        const double said = strtod(at + strlen(words), NULL), value = json_number_value(number);
        if (!(fabs(said - value) <= 1e-4 * fabs(value))) { /* half of the fifth digit */
            fail_msg("%s, head %zu: %g, must be %g", name, h, said, value);
        }
    }
    at = strstr(at, "<summary>what it is</summary>");
    assert_true(at && at < end);
}

static void there_is_a_map_for_every_number(void **state)
{
    static const char *const names[] = {
        "selected",
        "flip",
        "flip_relative",
        "gap",
        "top_weight",
        "perplexity",
        "max_logit",
        "score_deviation",
        "key_only",
        "key_only_rows",
        "kappa",
        "hard_rows",
        "hardmax_distance",
        "bfloat16.safe",
        "bfloat16.open",
        "bfloat16.flipped",
        "float16.safe",
        "float16.open",
        "float16.flipped",
        "sinks.share",
        "sinks.first",
        "sinks.separator",
        "patch.cosine",
        "patch.kl",
    };
    json_t *means = NULL;
    size_t maps = 0;

    (void)state;
    run("inspect %s --file text.txt --report page.html --json", model);
    means = json_loads(answer.out, 0, NULL);
    assert_non_null(means);
    read_page("page.html");
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        check_map(names[k], json_object_get(means, "heads"));
    }
    for (const char *at = page; (at = strstr(at, "<svg class=\"map\"")); at++) {
        maps++;
    }
    assert_int_equal(maps, sizeof names / sizeof *names);
    json_decref(means);
}

static json_t *embedded(void)
{
    static const char begin[] = "<script type=\"application/json\" id=\"data\">";
    const char *at = strstr(page, begin), *end = at ? strstr(at, "</script>") : NULL;
    json_error_t error;

    assert_non_null(end);
    /* Infinity is told as 1e999, which jansson does not take. */
    char *text = malloc((size_t)(end - at) + 1);
    assert_non_null(text);
    snprintf(text, (size_t)(end - at) - strlen(begin) + 1, "%s", at + strlen(begin));
    for (char *huge; (huge = strstr(text, "1e999"));) {
        memcpy(huge, "1e300", 5);
    }
    json_t *data = json_loads(text, 0, &error);
    free(text);
    if (!data) {
        fail_msg("line %d: %s", error.line, error.text);
    }
    return data;
}

static void what_the_script_reads_is_what_rows_tell(void **state)
{
    (void)state;
    run("inspect %s --file text.txt --report page.html", model);
    read_page("page.html");
    json_t *data = embedded();
    assert_true(json_equal(json_object_get(data, "tokens"), json_object_get(result, "tokens")));
    for (size_t h = 0; h < HEADS; h++) {
        const json_t *told = json_array_get(json_object_get(data, "heads"), h);
        const json_t *head = json_array_get(json_object_get(result, "heads"), h);
        const json_t *flips = json_object_get(head, "flip_relative");
        assert_true(json_equal(json_object_get(told, "a"), json_object_get(head, "argmax")));
        for (size_t t = 1; t < json_array_size(flips); t++) { /* row 0 sees itself alone */
            const double value = json_number_value(json_array_get(flips, t));
            const double said = json_number_value(json_array_get(json_object_get(told, "f"), t));
            assert_true(said == value); /* all digits: the page sorts them */
        }
    }
    json_decref(data);
}

static void a_report_changes_no_other_answer(void **state)
{
    (void)state;
    run("inspect %s --file text.txt --json", model);
    json_t *alone = json_loads(answer.out, 0, NULL);
    run("inspect %s --file text.txt --json --report page.html --out both.h5", model);
    json_t *beside = json_loads(answer.out, 0, NULL);
    json_object_del(alone, "seconds");
    json_object_del(beside, "seconds");
    assert_true(json_equal(alone, beside));
    json_decref(alone);
    json_decref(beside);
}

static void hostile_tokens_stay_text(void **state)
{
    int64_t ends = 0;

    (void)state;
    run("inspect %s --file hostile.txt --tokenizer tok.bin --report page.html", model);
    assert_html(read_page("page.html"));
    for (const char *at = page; (at = strstr(at, "</script")); at++) {
        ends++;
    }
    assert_int_equal(ends, 2);
    assert_null(strstr(page, "<b>&\""));
    assert_non_null(strstr(page, "&lt;/script&gt;&lt;b&gt;&amp;&quot;'</span>"));
    json_t *data = embedded();
    const json_t *tokens = json_object_get(data, "tokens");
    assert_string_equal(json_string_value(json_array_get(tokens, 0)), "<s>");
    assert_string_equal(json_string_value(json_array_get(tokens, 2)), HOSTILE);
    json_decref(data);
}

static void several_texts_have_means_and_no_rows(void **state)
{
    (void)state;
    run("inspect %s --file texts.tsv --report page.html --out several.h5", model);
    assert_html(read_page("page.html"));
    assert_non_null(strstr(page, ", deviation over texts "));
    assert_non_null(strstr(page, "on 2 texts"));
    assert_null(strstr(page, "id=\"sentence\""));
    assert_null(strstr(page, "What each head selects"));
    json_t *data = embedded();
    assert_null(json_object_get(json_array_get(json_object_get(data, "heads"), 0), "a"));
    json_decref(data);
}

static void arrays_alone_have_numbers_for_words(void **state)
{
    (void)state;
    run("inspect --q q.npy --k k.npy --v k.npy --report page.html");
    assert_html(read_page("page.html"));
    assert_null(strstr(page, "Through depth"));
    assert_null(strstr(page, "n-sinks.separator"));
    assert_non_null(strstr(page, "id=\"sentence\""));
    /* The head without queries has no share of keys alone. */
    assert_non_null(strstr(page, "<title>layer 0, head 1: none</title>"));
    assert_non_null(strstr(page, "Hatched: there is none."));
}

/* ---- pictures ---- */

static void heads_are_drawn_by_number(void **state)
{
    static const char *const plots[] = {
        "one.h5",
        "one.h5 --kind heads --of flip",
        "one.h5 --kind heads --of sinks.share",
        "two.h5 --of kappa",
        "arrays.h5",
        "arrays.h5 --of key_only",
        "arrays.h5 --of kappa",
    };
    static char picture[1000000];

    (void)state;
    run("inspect %s --file text.txt --out one.h5", model);
    run("inspect %s --file texts.tsv --layers 1:2 --heads 0,3:4 --out two.h5", model);
    run("inspect --q q.npy --k k.npy --v k.npy --out arrays.h5");
    for (size_t k = 0; k < sizeof plots / sizeof *plots; k++) {
        run("plot %s --out heads.svg", plots[k]);
        read_text(picture, sizeof picture, scratch("heads.svg"));
        assert_non_null(strstr(picture, "width=\"330pt\" height=\"220pt\""));
    }
    run("plot one.h5 --out a.svg");
    run("plot one.h5 --kind heads --of flip_relative --out b.svg");
    read_text(picture, sizeof picture, scratch("a.svg"));
    read_text(page, sizeof page, scratch("b.svg"));
    assert_string_equal(picture, page);
    run("plot one.h5 --of flip --out b.svg");
    read_text(page, sizeof page, scratch("b.svg"));
    assert_string_not_equal(picture, page);
}

static void the_file_has_the_tokens(void **state)
{
    const json_t *tokens = json_object_get(result, "tokens");
    struct trop_h5 *h5 = NULL;
    int64_t rows = 0, width = 0;
    char *texts = NULL;

    (void)state;
    run("inspect %s --file text.txt --out one.h5", model);
    assert_int_equal(trop_h5_open(&h5, scratch("one.h5")), TROP_OK);
    assert_int_equal(trop_h5_texts(&texts, &rows, &width, h5, "/result/tokens"), TROP_OK);
    assert_int_equal(rows, json_array_size(tokens));
    for (int64_t k = 0; k < rows; k++) {
        assert_string_equal(texts + k * width,
                            json_string_value(json_array_get(tokens, (size_t)k)));
    }
    trop_alloc_free(texts);
    trop_h5_abandon(h5);
}

static void what_cannot_be_is_refused(void **state)
{
    static const struct wrong wrong[] = {
        { "inspect --q q.npy --k k.npy --v k.npy --report x.pdf", 2,
          "report = x.pdf: must end in" },
        { "inspect --q q.npy --k k.npy --v k.npy --report none/x.html", 1, "none" },
        { "plot arrays.h5 --of nothing --out x.png", 2, "of = nothing" },
        { "plot arrays.h5 --of flip_relative --out x.png", 2, "of = flip_relative" },
        { "plot arrays.h5 --of sinks.token --out x.png", 2, "more than one for each head" },
        { "plot rows.h5 --of flip --out x.png", 2, "--rows" },
        { "plot arrays.h5 --kind words --out x.png", 2, "is one of inspect" },
    };

    (void)state;
    run("inspect --q q.npy --k k.npy --v k.npy --out arrays.h5");
    run("inspect --q q.npy --k k.npy --v k.npy --rows --out rows.h5");
    assert_refused(wrong, sizeof wrong / sizeof wrong[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_is_whole_and_needs_no_other),
        cmocka_unit_test(there_is_a_map_for_every_number),
        cmocka_unit_test(what_the_script_reads_is_what_rows_tell),
        cmocka_unit_test(a_report_changes_no_other_answer),
        cmocka_unit_test(hostile_tokens_stay_text),
        cmocka_unit_test(several_texts_have_means_and_no_rows),
        cmocka_unit_test(arrays_alone_have_numbers_for_words),
        cmocka_unit_test(heads_are_drawn_by_number),
        cmocka_unit_test(the_file_has_the_tokens),
        cmocka_unit_test(what_cannot_be_is_refused),
    };

    return cmocka_run_group_tests(tests, make_files, drop_files);
}
