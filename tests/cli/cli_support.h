/* cli_support.h -- what the tests of the command line share: reading and comparing answers, the
 * help of a verb, Ctrl-C. */
#ifndef TROP_TESTS_CLI_SUPPORT_H
#define TROP_TESTS_CLI_SUPPORT_H

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <cmocka.h>

#include "program.h"
#include "tropism_lab.h"

/* ---- reading an answer --------------------------------------------------------------------- */

static inline double number_of(const json_t *object, const char *name)
{
    const json_t *member = json_object_get(object, name);

    if (!json_is_number(member)) {
        fail_msg("%s is not a number", name);
    }
    return json_number_value(member);
}

static inline const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    if (!text) {
        fail_msg("%s is not a text", name);
    }
    return text;
}

/* What --json prints, up to the seconds. */
static inline void print_result(char *out, size_t size, const char *line)
{
    if (tropism(line) != 0) {
        fail_with_answer(line, "must work");
    }
    size_t length = (size_t)(strstr(answer.out, "\"seconds\"") - answer.out);
    assert_true(length < size);
    memcpy(out, answer.out, length);
    out[length] = '\0';
}

/* Two lines print the same but for the clock and the named members; but: NULL-ended, or NULL. */
static inline void assert_same(const char *one, const char *two, const char *const *but)
{
    json_t *a = object_of(one, 0), *b = object_of(two, 0);

    json_object_del(a, "seconds");
    json_object_del(b, "seconds");
    for (; but && *but; but++) {
        json_object_del(a, *but);
        json_object_del(b, *but);
    }
    if (!json_equal(a, b)) {
        fail_msg("%s and %s differ", one, two);
    }
    json_decref(a);
    json_decref(b);
}

/* ---- help ---------------------------------------------------------------------------------- */

/* Every option of the table is in the help of the verb. */
static inline void assert_help_lists(const char *verb, const struct trop_option *table)
{
    char line[64], name[64];

    snprintf(line, sizeof line, "help %s", verb);
    assert_int_equal(tropism(line), 0);
    for (const struct trop_option *option = table; option->name; option++) {
        snprintf(name, sizeof name, "--%s", option->name);
        for (char *c = name; *c; c++) {
            *c = *c == '_' ? '-' : *c;
        }
        if (option->type != TROP_TYPE_ARRAY && !strstr(answer.out, name)) {
            fail_with_answer(line, name);
        }
    }
}

static inline void assert_help_lists_options(const char *verb)
{
    assert_non_null(trop_setup_table(verb, 0));
    for (int64_t part = 0; trop_setup_table(verb, part); part++) {
        assert_help_lists(verb, trop_setup_table(verb, part));
    }
}

/* Sets of training data that have a name; of the help that was printed last. */
static inline void assert_help_lists_sets(void)
{
    for (const char *const *name = trop_dataset_names(); *name; name++) {
        if (!strstr(answer.out, *name)) {
            fail_msg("help does not list %s", *name);
        }
    }
}

/* ---- Ctrl-C -------------------------------------------------------------------------------- */

/* 1 when the process handles Ctrl-C by now: bit 1 of SigCgt in its status. */
static inline int catches_ctrl_c(pid_t child)
{
    char path[64], text[4000];
    unsigned long long caught = 0;

    snprintf(path, sizeof path, "/proc/%d/status", (int)child);
    read_text(text, sizeof text, path);
    const char *line = strstr(text, "SigCgt:");
    return line && sscanf(line, "SigCgt: %llx", &caught) == 1 && (caught & 2);
}

/* Starts a long run, interrupts it that many milliseconds after it began to handle Ctrl-C, and
 * returns the object that it prints all the same. */
static inline json_t *interrupted(const char *line, long milliseconds)
{
    pid_t child = start(line, 0);

    for (int k = 0; k < 2000 && !catches_ctrl_c(child); k++) {
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
    }
    nanosleep(&(struct timespec){ .tv_nsec = milliseconds * 1000000 }, NULL);
    kill(child, SIGINT);
    finish(child);
    assert_int_equal(answer.code, 1);
    assert_non_null(strstr(answer.err, "a request"));
    json_t *object = json_loads(answer.out, 0, NULL);
    assert_non_null(object);
    return object;
}

#endif
