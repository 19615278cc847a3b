/* report_call.c -- how to come to the same numbers again: a command line, and Python.
 *
 * Both name the options that were given, by the command line, by a file of options or by Python,
 * and that have a part in the numbers. An array in memory has no name: it stands there as a file,
 * or a variable, that is called as the option is.
 */
#include "run/report/report.h"

#include "base/alloc.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- which options ---- */

/* Where results go, when to stop, and what changes no number. */
static int is_aside(const char *name)
{
    static const char *const aside[] = { "out",    "report",      "proof", "time_limit",
                                         "resume", "checkpoint",  "dump",  "threads",
                                         "kernel", "print_tokens" };

    for (size_t k = 0; k < sizeof aside / sizeof aside[0]; k++) {
        if (strcmp(aside[k], name) == 0) {
            return 1;
        }
    }
    return 0;
}

/* What an option was set to; owned by the caller, NULL: it was left alone, or there is no memory
 * (*failed). */
static char *text_of(int *failed, const struct trop_setup *setup,
                     const struct trop_setup_part *part, int64_t k)
{
    const struct trop_option *option = part->table + k;
    const struct trop_job_options *files = trop_setup_job((struct trop_setup *)setup);
    const char *resume = files ? files->resume : NULL;
    /* Of a run that was resumed arrays are in the file that it was resumed from. */
    const int stored = resume && part->arrays[k] && !part->texts[k] &&
                       !(setup->drawn && strcmp(option->name, "tokens") == 0);

    if (option->type == TROP_TYPE_ARRAY || is_aside(option->name) ||
        (part->sources[k] == TROP_SETUP_DEFAULT && !stored)) {
        return NULL;
    }
    const int64_t size = stored           ? (int64_t)(strlen(resume) + strlen(option->name) + 10)
                         : part->texts[k] ? (int64_t)strlen(part->texts[k]) + 1
                                          : trop_option_text(NULL, 0, part->options, option) + 1;
    char *text = trop_alloc(size, 1);
    *failed |= !text;
    if (text && stored) {
        stpcpy(stpcpy(stpcpy(text, resume), ":/input/"), option->name);
    } else if (text && part->texts[k]) {
        strcpy(text, part->texts[k]);
    } else if (text) {
        trop_option_text(text, size, part->options, option);
    }
    return text;
}

/* ---- the two languages ---- */

void trop_report_shell(struct trop_html *out, const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_@%+=:,./-";

    if (*text && !text[strspn(text, plain)]) {
        trop_html_words(out, text);
        return;
    }
    trop_html_put(out, "'");
    for (const char *at = text; *at; at++) {
        if (*at == '\'') {
            trop_html_put(out, "'\\''");
        } else {
            const size_t length = strcspn(at, "'");
            trop_html_word(out, at, (int64_t)length);
            at += length - 1;
        }
    }
    trop_html_put(out, "'");
}

static void put_dashed(struct trop_html *out, const char *name)
{
    trop_html_put(out, " --");
    for (; *name; name++) {
        trop_html_word(out, *name == '_' ? "-" : name, 1);
    }
}

void trop_report_quoted(struct trop_html *out, const char *text)
{
    trop_html_put(out, "&quot;");
    for (const char *at = text; *at; at++) {
        if (strchr("\"\\", *at)) {
            trop_html_put(out, "\\");
        }
        const size_t length = 1 + strcspn(at + 1, "\"\\");
        trop_html_word(out, at, (int64_t)length);
        at += length - 1;
    }
    trop_html_put(out, "&quot;");
}

/* A value of Python: a number, a truth, or a text. */
static void put_python(struct trop_html *out, const struct trop_option *option, const char *text)
{
    const int64_t type = option->type;
    char *end = NULL;
    const double number = strtod(text, &end);
    const int is_number = *text && !*end && isfinite(number) && strspn(text, "0123456789+-.eE");

    if (type == TROP_TYPE_FLAG) {
        trop_html_put(out, strcmp(text, "yes") == 0 || strcmp(text, "1") == 0 ? "True" : "False");
    } else if (is_number && type != TROP_TYPE_TEXT && type != TROP_TYPE_CHOICE) {
        trop_html_words(out, text);
    } else {
        trop_report_quoted(out, text);
    }
}

static void put_argument(struct trop_html *command, struct trop_html *python,
                         const struct trop_option *option, const char *text)
{
    const int is_memory = strcmp(text, TROP_SETUP_MEMORY) == 0;

    put_dashed(command, option->name);
    if (option->type == TROP_TYPE_FLAG) {
        trop_html_put(command, strcmp(text, "yes") == 0 || strcmp(text, "1") == 0 ? "" : "=no");
    } else if (is_memory) {
        trop_html_putf(command, " %s%s.npy", option->type == TROP_TYPE_SCHEDULE ? "@" : "",
                       option->name);
    } else {
        trop_html_put(command, " ");
        trop_report_shell(command, text);
    }
    trop_html_putf(python, "%s%s=", python->length > 0 ? ", " : "", option->name);
    if (strcmp(option->name, "lambda") == 0) { /* a word of Python */
        python->length--;
        trop_html_put(python, "_=");
    }
    if (is_memory) {
        trop_html_put(python, option->name);
    } else {
        put_python(python, option, text);
    }
}

/* ---- all of it ---- */

static void put_arrays(struct trop_html *out, const char *arrays)
{
    if (arrays && *arrays) {
        trop_html_put(out,
                      "<p class=\"remark\">In memory, and therefore without a name of a file: ");
        trop_html_words(out, arrays);
        trop_html_put(out, ". Their numbers are under Inputs, and in the result's own file "
                           "(.h5).</p>\n");
    }
}

enum trop_status trop_report_call(struct trop_html *out, const struct trop_setup *setup)
{
    struct trop_html command = { 0 }, python = { 0 }, arrays = { 0 };
    int failed = 0;

    for (int64_t p = 0; p < setup->count; p++) {
        const struct trop_setup_part *part = setup->parts + p;
        for (int64_t k = 0; part->table[k].name; k++) {
            char *text = text_of(&failed, setup, part, k);
            if (text) {
                put_argument(&command, &python, part->table + k, text);
            }
            if (text && strcmp(text, TROP_SETUP_MEMORY) == 0) {
                trop_html_putf(&arrays, "%s%s", arrays.length > 0 ? ", " : "", part->table[k].name);
            }
            trop_alloc_free(text);
        }
    }
    const char *verb = setup->verb->name;
    trop_html_putf(out, "<p>The same numbers, from the command line:</p>\n<pre><code>tropism %s",
                   verb);
    trop_html_put(out, command.length > 0 ? command.text : "");
    trop_html_putf(out,
                   "</code></pre>\n<p>and in Python:</p>\n<pre><code>import tropism as tr\n\n"
                   "result = tr.%s(",
                   verb);
    trop_html_put(out, python.length > 0 ? python.text : "");
    trop_html_putf(out, ")%s</code></pre>\n", strcmp(verb, "flow") == 0 ? ".run()" : "");
    put_arrays(out, arrays.length > 0 ? arrays.text : NULL);
    failed |= command.failed | python.failed | arrays.failed | out->failed;
    TROP_FREE(command.text, python.text, arrays.text);
    return failed ? trop_fail(TROP_ERR_MEMORY, "no memory for the command line of the report")
                  : TROP_OK;
}
