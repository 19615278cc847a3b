/* test_fit_show.c -- what training on texts shows: pictures, the page, the terminal.
 *
 * One small corpus, with words that HTML gives a meaning, wide ones and marks; its weights as JSON
 * tells them are what pictures and page must say. TROP_BUILD is the folder of the program.
 */
#define _XOPEN_SOURCE 700 /* pseudo-terminals */
#include "cli_support.h"
#include "html_support.h"

#include <sys/ioctl.h>
#include <termios.h>

#define TRAIN "train --data texts.tsv --epochs 6 --embed 4 --eta 0.3 --show 4 --batch 8 "
#define SHOWN 4

static void make_texts(void)
{
    static char text[40000] = "label\ttext\n";
    static const char *const ends[] = { "café", "映画", "<b>", "& so", "\"on\"" };

    for (int k = 0; k < 60; k++) {
        const int good = k % 2 == 0;
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "%s\tthe 映画 is %s , and that %s is %s of the café\n", good ? "good" : "bad",
                 good ? "wonderful" : "awful", ends[k % 5], good ? "all" : "none");
    }
    put("texts.tsv", text);
}

static json_t *result;

static int make_files(void **state)
{
    (void)state;
    make_texts();
    result = object_of(TRAIN "--json", 0);
    assert_int_equal(tropism(TRAIN "--out fit.h5"), 0);
    assert_int_equal(tropism(TRAIN "--out page.html"), 0);
    assert_int_equal(tropism(TRAIN "--optimizer gd --out other.h5"), 0);
    assert_int_equal(tropism("train --data texts.tsv --epochs 1 --embed 2 --out mute.h5"), 0);
    assert_int_equal(tropism(TRAIN "--folds 3 --validation 0.1 --out folds.h5"), 0);
    assert_int_equal(tropism("train --data digits --epochs 1 --show 2 --out digits.h5"), 0);
    assert_int_equal(tropism("train --data attsvm --steps 20 --out train.h5"), 0);
    return 0;
}

static int drop_files(void **state)
{
    json_decref(result);
    return remove_files(state);
}

static const json_t *shown(int row)
{
    return json_array_get(json_object_get(result, "shown"), (size_t)row);
}

static char file[2000000];

static const char *read_file(const char *name)
{
    read_text(file, sizeof file, scratch(name));
    assert_true(strlen(file) > 100);
    return file;
}

static void draw(const char *words)
{
    if (tropism(words) != 0) {
        fail_msg("%s: %s", words, answer.err);
    }
}

/* ---- the result ---- */

static void classes_have_names_and_are_shown_in_turn(void **state)
{
    const json_t *classes = json_object_get(result, "classes");

    (void)state;
    assert_int_equal(json_array_size(classes), 2);
    for (size_t k = 0; k < 2; k++) {
        const json_t *class = json_array_get(classes, k);
        assert_string_equal(json_string_value(json_object_get(class, "name")),
                            k == 0 ? "bad" : "good");
        assert_int_equal(json_integer_value(json_object_get(class, "items")), 30);
    }
    for (int k = 0; k < SHOWN; k++) {
        assert_int_equal(json_integer_value(json_object_get(shown(k), "label")), k % 2);
    }
}

/* ---- pictures ---- */

static void every_kind_draws_a_fit(void **state)
{
    static const char *const plots[][2] = {
        { "fit.h5", "learning" },
        { "fit.h5 other.h5", "learning" },
        { "folds.h5", "learning" },
        { "digits.h5", "learning" },
        { "mute.h5", "learning" },
        { "fit.h5", "sentences" },
        { "fit.h5", "words" },
        { "fit.h5", "sparsity" },
        { "fit.h5 other.h5", "sparsity" },
        { "digits.h5", "sparsity" },
    };
    static const char *const endings[] = { "svg", "pdf", "png" };
    static const char *const heads[] = { "<", "%PDF", "\x89PNG" };

    (void)state;
    for (size_t k = 0; k < sizeof plots / sizeof *plots; k++) {
        for (int e = 0; e < 3; e++) {
            char words[256], name[16];
            snprintf(name, sizeof name, "out.%s", endings[e]);
            snprintf(words, sizeof words, "plot %s --kind %s --out %s", plots[k][0], plots[k][1],
                     name);
            draw(words);
            read_text(file, sizeof file, scratch(name));
            assert_memory_equal(file, heads[e], strlen(heads[e]));
        }
    }
}

static void auto_is_learning(void **state)
{
    static char first[400000];

    (void)state;
    draw("plot fit.h5 --out a.svg");
    snprintf(first, sizeof first, "%s", read_file("a.svg"));
    draw("plot fit.h5 --kind learning --out b.svg");
    assert_string_equal(first, read_file("b.svg"));
    /* Sizes of its own, unless one is said. */
    assert_non_null(strstr(first, "width=\"460pt\""));
    draw("plot fit.h5 --width 300 --height 200 --out b.svg");
    assert_non_null(strstr(read_file("b.svg"), "width=\"300pt\" height=\"200pt\""));
}

/* Every word of every sentence in its place, with its weight of the JSON. */
static void sentences_tell_the_weights_of_the_result(void **state)
{
    (void)state;
    draw("plot fit.h5 --kind sentences --width 2000 --out s.svg");
    const char *at = read_file("s.svg");
    for (int k = 0; k < SHOWN; k++) {
        const char *text = json_string_value(json_object_get(shown(k), "text"));
        const json_t *weights = json_object_get(shown(k), "attention");
        const double count = (double)json_array_size(weights);
        for (size_t t = 0; t < json_array_size(weights); t++) {
            const double weight = json_number_value(json_array_get(weights, t));
            char expected[200], word[64];
            snprintf(word, sizeof word, "%.*s", (int)strcspn(text, " "), text);
            text += strlen(word) + (text[strlen(word)] == ' ');
            const char *escaped = strcmp(word, "<") == 0   ? "&lt;"
                                  : strcmp(word, ">") == 0 ? "&gt;"
                                  : strcmp(word, "&") == 0 ? "&amp;"
                                                           : word;
            snprintf(expected, sizeof expected,
                     "<title>%.3g, %.3g of an equal share</title>%s</text>", weight, weight * count,
                     escaped);
            at = strstr(at, expected);
            if (!at) {
                fail_msg("item %d, word %zu: %s", k, t, expected);
            }
        }
    }
    assert_non_null(strstr(file, ">good</text>"));
    assert_non_null(strstr(file, "predicted "));
    assert_non_null(strstr(file, ">8 or more</text>"));
}

static void what_a_fit_has_not_is_refused(void **state)
{
    static const struct wrong wrong[] = {
        { "plot mute.h5 --kind sentences --out x.png", 1, "--show" },
        { "plot digits.h5 --kind sentences --out x.png", 1, "texts" },
        { "plot digits.h5 --kind words --out x.png", 1, "only texts have words" },
        { "plot fit.h5 --kind bregman --out x.png", 2, "is one of train on sequences" },
        { "plot train.h5 --kind words --out x.png", 2, "draws results of train on sequences" },
        { "plot fit.h5 other.h5 --kind sentences --out x.png", 2, "one file" },
        { "plot fit.h5 --out x.gif", 2, "cannot be a film" },
        { "train --data attsvm --out x.html", 2, "x.html" },
    };

    (void)state;
    assert_refused(wrong, sizeof wrong / sizeof wrong[0]);
}

/* ---- the page ---- */

static void the_page_is_whole_and_needs_no_other(void **state)
{
    static const char *const absent[] = { "<script", "http://", "https://",
                                          "<link",   "@import", "url(" };
    static const char *const present[] = {
        "<title>What attention learnt from texts.tsv</title>",
        "How it went",
        "validation",
        "src=\"data:image/svg+xml;base64,",
        "wonderful",
        "Sentences",
        "predicted",
        "<code>optimizer</code></dt><dd>adam</dd>",
        "<code>data</code></dt><dd>texts.tsv</dd>",
    };

    (void)state;
    assert_html(read_file("page.html"));
    for (size_t k = 0; k < sizeof absent / sizeof *absent; k++) {
        assert_null(strstr(file, absent[k]));
    }
    for (size_t k = 0; k < sizeof present / sizeof *present; k++) {
        if (!strstr(file, present[k])) {
            fail_msg("%s is missing", present[k]);
        }
    }
    assert_non_null(strstr(file, trop_version()));
}

static void the_page_tells_the_weights_of_the_result(void **state)
{
    (void)state;
    const char *at = read_file("page.html");
    for (int k = 0; k < SHOWN; k++) {
        const json_t *weights = json_object_get(shown(k), "attention");
        for (size_t t = 0; t < json_array_size(weights); t++) {
            const double weight = json_number_value(json_array_get(weights, t));
            char expected[80];
            snprintf(expected, sizeof expected, "<span title=\"%.4f, %.2f of an equal share\"",
                     weight, weight * (double)json_array_size(weights));
            at = strstr(at, expected);
            if (!at) {
                fail_msg("item %d, word %zu: %s", k, t, expected);
            }
        }
    }
    /* Commas stand at their words, other words apart. */
    at = strstr(strstr(file, "Sentences"), ">,</span>");
    assert_non_null(at);
    while (strncmp(at, "<span", 5) != 0) {
        at--;
    }
    assert_memory_equal(at - 7, "</span>", 7);
    assert_non_null(strstr(at, "</span>\n<span"));
}

static void a_page_of_images_has_neither_words_nor_sentences(void **state)
{
    (void)state;
    draw("train --data digits --epochs 1 --show 2 --out digits.html");
    assert_html(read_file("digits.html"));
    assert_null(strstr(file, "Sentences"));
}

/* ---- the terminal ---- */

/* The answer on a terminal of so many columns; setting: NAME=VALUE of the environment, or NULL. */
static const char *on_terminal(const char *line, int columns, const char *setting)
{
    static char text[100000];
    char program[512], words[512], *argv[40] = { program };
    const struct winsize size = { .ws_row = 24, .ws_col = (unsigned short)columns };
    int count = 1, status = 0;
    size_t got = 0;
    const int master = posix_openpt(O_RDWR | O_NOCTTY);

    assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    assert_int_equal(ioctl(master, TIOCSWINSZ, &size), 0);
    snprintf(program, sizeof program, "%s/tropism", getenv("TROP_BUILD"));
    snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
        argv[count++] = word;
    }
    const int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    const pid_t child = fork();
    if (child == 0) {
        unsetenv("NO_COLOR");
        setenv("TERM", "xterm-256color", 1);
        if (setting) {
            putenv((char *)setting);
        }
        dup2(slave, 1);
        close(master);
        if (chdir(scratch_folder) == 0) {
            execv(program, argv);
        }
        _exit(99);
    }
    close(slave);
    for (ssize_t more;
         got < sizeof text - 1 && (more = read(master, text + got, sizeof text - 1 - got)) > 0;) {
        got += (size_t)more;
    }
    close(master);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    text[got] = '\0';
    return text;
}

static void colours_are_for_terminals_that_want_them(void **state)
{
    static const char *const refusals[] = { "NO_COLOR=1", "TERM=dumb" };

    (void)state;
    const char *text = on_terminal(TRAIN, 80, NULL);
    assert_non_null(strstr(text, "\033[48;5;231;38;5;16m"));
    assert_non_null(strstr(text, "8 or more"));
    assert_non_null(strstr(text, ": bad, "));
    for (int k = 0; k < 2; k++) {
        text = on_terminal(TRAIN, 80, refusals[k]);
        assert_null(strchr(text, '\033'));
        assert_non_null(strstr(text, "in brackets"));
    }
    assert_non_null(strchr(on_terminal(TRAIN, 80, "NO_COLOR="), '\033')); /* empty: not said */
    draw(TRAIN);
    assert_null(strchr(answer.out, '\033'));
}

/* Every line of paper is as wide as the terminal, where 映 takes two columns and é one. */
static void lines_of_paper_are_as_wide_as_the_terminal(void **state)
{
    int64_t lines = 0;

    (void)state;
    for (int columns = 40; columns <= 60; columns += 4) {
        const char *text = strstr(on_terminal(TRAIN, columns, NULL), "item ");
        assert_non_null(text);
        for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
            int64_t width = 0;
            if (*text != '\033') {
                continue;
            }
            for (const char *at = text; at < end && *at != '\r'; at++) {
                const unsigned char c = (unsigned char)*at;
                if (c == '\033') {
                    at = strchr(at, 'm');
                } else {
                    width += (c & 0xc0) == 0x80 ? 0 : c >= 0xe0 ? 2 : 1;
                }
            }
            assert_int_equal(width, columns);
            lines++;
        }
    }
    assert_true(lines > 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_have_names_and_are_shown_in_turn),
        cmocka_unit_test(every_kind_draws_a_fit),
        cmocka_unit_test(auto_is_learning),
        cmocka_unit_test(sentences_tell_the_weights_of_the_result),
        cmocka_unit_test(what_a_fit_has_not_is_refused),
        cmocka_unit_test(the_page_is_whole_and_needs_no_other),
        cmocka_unit_test(the_page_tells_the_weights_of_the_result),
        cmocka_unit_test(a_page_of_images_has_neither_words_nor_sentences),
        cmocka_unit_test(colours_are_for_terminals_that_want_them),
        cmocka_unit_test(lines_of_paper_are_as_wide_as_the_terminal),
    };

    return cmocka_run_group_tests(tests, make_files, drop_files);
}
