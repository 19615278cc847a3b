/* option_when.c -- when an option applies: a condition on others, judged and put into words.
 *
 *   condition    alternative ; alternative ; ...          one of them holds
 *   alternative  term & term & ...                        all of them hold
 *   term         name           the option is on: given, and not no, 0, off or none
 *                !name          it is not
 *                name=a|b|*.gif its value is one of these; *.gif is any that ends so
 *                name!=a|b      it is none of these
 *                name>=10       it is a number of at least 10
 *
 * A name that nobody knows, because the table at hand is not the one that has it, decides nothing:
 * its term holds.
 */
#include "base/option.h"

#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT 256

/* ---- reading --------------------------------------------------------------------------------- */

struct term {
    char name[64];
    char relation;      /* '=', '#' for !=, '>' for >=, '+' for on, '-' for off */
    const char *values; /* behind the relation */
    size_t length;      /* of the values */
};

/* The next piece of at up to one of " & " and " ; "; *behind: what follows, NULL at the end. */
static struct term read_term(const char *at, const char **behind, char *parted)
{
    struct term term = { .relation = '+' };
    const char *end = at + strlen(at);

    *parted = '\0';
    for (const char *p = at; *p; p++) {
        if (p[0] == ' ' && (p[1] == '&' || p[1] == ';') && p[2] == ' ') {
            end = p;
            *parted = p[1];
            break;
        }
    }
    *behind = *parted ? end + 3 : NULL;
    if (*at == '!') {
        term.relation = '-';
        at++;
    }
    const size_t name = strcspn(at, "=!> ");
    snprintf(term.name, sizeof term.name, "%.*s", (int)name, at);
    if (at[name] == '=') {
        term.relation = '=';
    } else if (at[name] == '!' || at[name] == '>') {
        term.relation = at[name] == '!' ? '#' : '>';
    }
    if (term.relation != '+' && term.relation != '-') {
        term.values = at + name + (term.relation == '=' ? 1 : 2);
        term.length = (size_t)(end - term.values);
    }
    return term;
}

/* ---- judging --------------------------------------------------------------------------------- */

static int says_off(const char *text)
{
    static const char *const words[] = { "", "no", "0", "off", "none", "never", "nan" };

    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        if (strcmp(words[k], text) == 0) {
            return 1;
        }
    }
    return 0;
}

int trop_option_is_off(const struct trop_option *option, const char *text)
{
    return says_off(text) &&
           (text[0] != '0' || (option->type == TROP_TYPE_INT64 && option->min == 0));
}

/* One of "a|b|*.gif" is the text. */
static int is_among(const struct term *term, const char *text)
{
    const char *at = term->values;
    const size_t size = strlen(text);

    for (size_t left = term->length; left > 0;) {
        const size_t length = strcspn(at, "|") < left ? strcspn(at, "|") : left;
        const size_t tail = length - 1;
        if (*at == '*' ? size >= tail && strncmp(text + size - tail, at + 1, tail) == 0
                       : size == length && strncmp(text, at, length) == 0) {
            return 1;
        }
        left -= length + (left > length);
        at += length + 1;
    }
    return 0;
}

static int holds(const struct term *term, trop_option_lookup *lookup, const void *context)
{
    char text[TEXT];

    if (!lookup(text, sizeof text, context, term->name)) {
        return 1;
    }
    switch (term->relation) {
    case '=':
        return is_among(term, text);
    case '#':
        return !is_among(term, text);
    case '>':
        return strtod(text, NULL) >= strtod(term->values, NULL);
    default:
        return says_off(text) == (term->relation == '-');
    }
}

int trop_option_applies(const struct trop_option *option, trop_option_lookup *lookup,
                        const void *context)
{
    int all = 1; /* of the alternative so far */

    for (const char *at = option->when; at;) {
        char parted;
        const struct term term = read_term(at, &at, &parted);
        all = all && holds(&term, lookup, context);
        if (parted != '&') {
            if (all) {
                return 1;
            }
            all = 1;
        }
    }
    return !option->when;
}

int trop_option_asks(const struct trop_option *option, const char *name)
{
    for (const char *at = option->when; at;) {
        char parted;
        const struct term term = read_term(at, &at, &parted);
        if (strcmp(term.name, name) == 0) {
            return 1;
        }
    }
    return 0;
}

/* ---- words ----------------------------------------------------------------------------------- */

struct words {
    char *out;
    int64_t size, at;
};

static void put(struct words *words, const char *text, size_t length)
{
    for (size_t k = 0; k < length; k++, words->at++) {
        if (words->at + 1 < words->size) {
            words->out[words->at] = text[k];
            words->out[words->at + 1] = '\0';
        }
    }
}

static void put_text(struct words *words, const char *text)
{
    put(words, text, strlen(text));
}

/* "a, b or c". */
static void put_values(struct words *words, const struct term *term)
{
    const char *at = term->values;

    for (size_t left = term->length; left > 0;) {
        const size_t length = strcspn(at, "|") < left ? strcspn(at, "|") : left;
        const size_t rest = left - length;
        put(words, at, length);
        put_text(words, rest == 0 ? "" : strcspn(at + length + 1, "|") < rest - 1 ? ", " : " or ");
        left -= length + (rest > 0);
        at += length + 1;
    }
}

int64_t trop_option_when(char *out, int64_t size, const struct trop_option *option)
{
    struct words words = { out, size, 0 };

    if (size > 0) {
        out[0] = '\0';
    }
    for (const char *at = option->when; at;) {
        char parted;
        const struct term term = read_term(at, &at, &parted);
        put_text(&words, term.relation == '-' ? "without " : "with ");
        put_text(&words, term.name);
        put_text(&words, term.relation == '#'   ? " other than "
                         : term.relation == '>' ? " at least "
                         : term.relation == '=' ? " "
                                                : "");
        if (term.values) {
            put_values(&words, &term);
        }
        put_text(&words, parted == '&' ? " and " : parted == ';' ? "; or " : "");
    }
    return words.at;
}

enum trop_status trop_option_refuse(const struct trop_option *option, trop_option_lookup *lookup,
                                    const void *context)
{
    char when[512] = "", present[512] = "";
    struct words words = { present, sizeof present, 0 };

    trop_option_when(when, sizeof when, option);
    /* "rule is softmax, form is additive": what the condition asks for, as it is. */
    char seen[TEXT] = " ", text[TEXT], name[66];
    for (const char *at = option->when; at;) {
        char parted;
        const struct term term = read_term(at, &at, &parted);
        snprintf(name, sizeof name, " %.60s ", term.name);
        if (strstr(seen, name) || !term.values || !lookup(text, sizeof text, context, term.name)) {
            continue;
        }
        put_text(&words, seen[1] ? ", " : "; here ");
        put_text(&words, term.name);
        put_text(&words, " is ");
        put_text(&words, text[0] ? text : "not given");
        snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%s", name + 1);
    }
    return trop_fail(TROP_ERR_ARG, "%s: applies %s%s", option->name, when, present);
}
