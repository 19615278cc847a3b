/* test_report.c -- the page of a result says what its JSON says, and how to come to it again.
 * TROP_BUILD is the folder of the program. */
#include "support.h"

#include "html_support.h"
#include "program.h"

#include <tropism_lab.h>

static char page[8000000], first[1000000];

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

static void read_page(void)
{
    read_text(page, sizeof page, scratch("x.html"));
    assert_true(strlen(page) > 1000);
    assert_html(page);
}

/* What the page has inside of the first <pre> behind a text, its entities as letters. */
static void code_behind(char *out, size_t size, const char *text)
{
    static const char *const entities[][2] = {
        { "&lt;", "<" }, { "&gt;", ">" }, { "&amp;", "&" }, { "&quot;", "\"" }
    };
    const char *at = strstr(page, text);
    size_t used = 0;

    assert_non_null(at);
    at = strstr(at, "<pre><code>");
    assert_non_null(at);
    for (at += 11; *at != '<' && used + 1 < size; used++) {
        size_t length = 1;
        out[used] = *at;
        for (size_t k = 0; k < 4; k++) {
            if (strncmp(at, entities[k][0], strlen(entities[k][0])) == 0) {
                out[used] = entities[k][1][0];
                length = strlen(entities[k][0]);
            }
        }
        at += length;
    }
    out[used] = '\0';
}

/* JSON without the clock, and without what a report alone records: the tokens. */
static json_t *numbers_of(const char *text)
{
    static const char *const recorded[] = { "record", "every", "confidence" };
    json_t *object = json_loads(text, 0, NULL);

    assert_non_null(object);
    json_object_del(object, "seconds");
    json_object_del(object, "record");
    for (size_t k = 0; k < 3; k++) {
        json_object_del(json_object_get(object, "options"), recorded[k]);
    }
    return object;
}

static const struct {
    const char *line, *shows; /* what the page must say of the answer or its pictures */
} rows[] = {
    { "flow --n 9 --d 2 --rule localmax --epsilon .5 --gamma .1 --steps 20", "<code>paths</code>" },
    { "flow --n 4 --init polygon --rule hardmax --key-query -1 --until converged",
      "<code>graph</code>" },
    { "flow --n 5 --init sphere --dynamics sa --integrator euler --dt .1 --time 3 --beta 2",
      "<code>paths</code>" },
    { "flow --n 6 --d 1 --rule softmax --copies 5 --betas 1:3 --steps 8",
      "<code>beta</code>: how many clusters are left, against this option" },
    { "cells --n 8 --d 2 --seed 3 --eta .3", "<code>cells</code>" },
    { "threshold --n 6 --d 2", "the cloud comes to consensus, by proof" },
    { "escape --init polygon --n 3 --beta 2:3 --runs 20", "<code>survival</code>" },
    { "margin --data attsvm", "<code>heat</code>" },
    { "margin --data mm-fig-1c", "There is no picture of this result" },
    { "train --data attsvm --steps 100 --optimizer nmirror --p 3", "<code>training</code>" },
    { "train --data attsvm --steps 700 --optimizer nmirror --p 3",
      "solution in the lp norm, p = <strong>3</strong>, is <strong>" },
    { "train --data attsvm --steps 700 --optimizer sign",
      "The optimiser is <strong>sign</strong>; it maximises the margin in the "
      "<strong>linf</strong> norm." },
    { "train --data attsvm --steps 30", "tensor after tensor; null when they are too many to keep "
                                        "(100 in a row: not shown)</dd>" },
    { "path --data attsvm --radius 5,10", "<code>bregman</code>" },
    { "check fw-thm-3.1 --trials 3 --counterexample none", "<strong>violated</strong>" },
};
#define ROWS (sizeof rows / sizeof rows[0])

/* Every verb: the page is HTML, and its command line gives the numbers that it tells. */
static void the_command_of_a_report_gives_its_numbers(void **state)
{
    char command[1500], line[1600];

    (void)state;
    for (size_t k = 0; k < ROWS; k++) {
        run("%s --json --report x.html", rows[k].line);
        memcpy(first, answer.out, sizeof first);
        read_page();
        if (!strstr(page, rows[k].shows)) {
            fail_msg("%s: the page has no '%s'", rows[k].line, rows[k].shows);
        }
        code_behind(command, sizeof command, "from the command line");
        assert_int_equal(strncmp(command, "tropism ", 8), 0);
        assert_null(strstr(command, "report"));
        snprintf(line, sizeof line, "%s --json", command + 8);
        run("%s", line);
        json_t *told = numbers_of(first), *again = numbers_of(answer.out);
        if (!json_equal(told, again)) {
            fail_msg("%s: '%s' gives other numbers", rows[k].line, command);
        }
        json_decref(told);
        json_decref(again);
    }
}

/* Each number of the JSON object is on the page, by its name; what is absent is not. */
static void a_report_explains_every_number(void **state)
{
    const char *name;
    json_t *value;
    char wanted[100];

    (void)state;
    run("margin --data attsvm --json --report x.html");
    read_page();
    json_t *object = numbers_of(answer.out);
    json_object_foreach(object, name, value)
    {
        snprintf(wanted, sizeof wanted, json_is_object(value) ? "<code>%s." : "<code>%s</code>",
                 name);
        const int is_stamp = strcmp(name, "version") == 0 || strcmp(name, "seed") == 0 ||
                             strcmp(name, "options") == 0;
        if (!is_stamp && (strstr(page, wanted) != NULL) == json_is_null(value) &&
            !json_is_object(value)) {
            fail_msg("%s: %s", name, json_is_null(value) ? "is told" : "is not told");
        }
    }
    assert_non_null(strstr(page, "what it is</th>"));
    assert_non_null(strstr(page, "1 / norm</td>")); /* the meaning of margin */
    assert_non_null(strstr(page, "prefers-color-scheme:dark"));
    json_decref(object);
}

static void python_says_the_same(void **state)
{
    char code[1500];

    (void)state;
    run("flow --n 4 --init polygon --key-query -1 --leap=no --merge off --steps 3 --report x.html");
    read_page();
    code_behind(code, sizeof code, "in Python");
    assert_string_equal(code, "import tropism as tr\n\n"
                              "result = tr.flow(n=4, init=\"polygon\", key_query=-1, steps=3, "
                              "merge=\"off\", leap=False).run()");
}

/* A file may be called what it likes. */
static void texts_stay_texts(void **state)
{
    char command[1500];
    FILE *file = fopen(scratch("<b>&'x\".csv"), "w");

    (void)state;
    assert_non_null(file);
    fprintf(file, "0,0\n1,0\n0,1\n");
    fclose(file);
    run("cells --tokens <b>&'x\".csv --report x.html");
    read_page();
    assert_null(strstr(page, "<b>"));
    code_behind(command, sizeof command, "from the command line");
    assert_string_equal(command, "tropism cells --tokens '<b>&'\\''x\".csv'");
}

/* A run that goes on has a report too, whose command names its arrays in the file. */
static void a_resumed_run_has_a_report(void **state)
{
    char command[1500], line[1600];

    (void)state;
    put("x.csv", "0,0\n1,.2\n.3,1\n2,1.5\n");
    assert_int_equal(tropism("flow --tokens x.csv --rule softmax --steps 4000000 --checkpoint 1000 "
                             "--closed-form never --tolerance 0 --time-limit .2 --out part.h5"),
                     1);
    if (tropism("flow --resume part.h5 --time-limit .1 --report x.html") != 1) {
        fail_with_answer("resume", "must stop again");
    }
    read_page();
    code_behind(command, sizeof command, "from the command line");
    assert_non_null(strstr(command, "--tokens part.h5:/input/tokens"));
    assert_non_null(strstr(command, "--steps 4000000"));
    run("flow --tokens x.csv --rule softmax --steps 50 --out whole.h5");
    run("flow --from whole.h5 --report x.html --json");
    memcpy(first, answer.out, sizeof first);
    read_page();
    code_behind(command, sizeof command, "from the command line");
    snprintf(line, sizeof line, "%s --json", command + 8);
    run("%s", line);
    json_t *told = numbers_of(first), *again = numbers_of(answer.out);
    assert_true(json_equal(told, again));
    json_decref(told);
    json_decref(again);
}

static void wrong_reports_are_refused_before_anything_is_computed(void **state)
{
    static const struct wrong wrong[] = {
        { "flow --n 4 --report x.pdf", 2, "report = x.pdf: must end in .html" },
        { "flow --n 4 --report none/x.html", 1, "none" },
        { "train --data mr --epochs 1 --out y.html --report y.html", 2,
          "out and report: y.html is one file, must be two" },
        { "margin --data attsvm --report", 2, "report" },
    };

    (void)state;
    assert_refused(wrong, sizeof wrong / sizeof wrong[0]);
}

static void a_program_has_pages_and_dots_of_its_own(void **state)
{
    const char *const labels[] = { "slack <of> it", "instance", "slack", "first", "second", NULL };
    const double x[] = { 0, 1, 2 }, y[] = { 1, -1, NAN };
    const int64_t series[] = { 0, 1, 1 };

    (void)state;
    assert_int_equal(trop_report_page(scratch("x.pdf"), "a", "b"), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "must end in .html"));
    assert_int_equal(trop_report_page(scratch("x.html"), "1 < 2", "<h1>as <b>it</b> is</h1>\n"),
                     TROP_OK);
    read_page();
    assert_non_null(strstr(page, "<title>1 &lt; 2</title>"));
    assert_non_null(strstr(page, "<body>\n<h1>as <b>it</b> is</h1>\n</body>"));
    assert_non_null(strstr(page, ".fields td"));

    assert_int_equal(trop_plot_dots(scratch("x.svg"), labels, x, y, series, 3), TROP_OK);
    read_text(page, sizeof page, scratch("x.svg"));
    assert_non_null(strstr(page, "<svg"));
    assert_int_equal(trop_plot_dots(scratch("x.txt"), labels, x, y, series, 3), TROP_ERR_ARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_command_of_a_report_gives_its_numbers),
        cmocka_unit_test(a_report_explains_every_number),
        cmocka_unit_test(python_says_the_same),
        cmocka_unit_test(texts_stay_texts),
        cmocka_unit_test(a_resumed_run_has_a_report),
        cmocka_unit_test(wrong_reports_are_refused_before_anything_is_computed),
        cmocka_unit_test(a_program_has_pages_and_dots_of_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, remove_files);
}
