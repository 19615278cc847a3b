/* layout.c -- what a valid file of tropism is, in one table.
 *
 * A size has a name. The first rule that meets it learns it from the file, and every later one asks
 * for the same; so rules stand in the order in which sizes are told. A shape is its axes, separated
 * by blanks:
 *
 *   n    the size n, at least 1        n?   the size n, which may be 0
 *   2    this number                   *    any length, at least 1
 *   #n   alone: any axes, with n elements in all
 *
 * "" is one value, and a bar parts shapes that are both right. A list is a group of columns
 * (io/h5/h5_fields.h): a column has an entry for each row, or NAME_offsets says where in NAME the
 * entries of each row begin.
 */
#include "run/layout.h"

#include "base/alloc.h"
#include "base/status.h"
#include "io/h5/h5.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum what {
    ARRAY,  /* of numbers */
    INDEX,  /* of integers from least on, below a size */
    SIZE,   /* one integer, which is a size */
    OPTION, /* an attribute of /options, likewise */
    LIST    /* a group of columns with as many rows as shape says */
};

struct rule {
    const char *formats; /* of files that it judges, each followed by a bar */
    const char *name;
    int64_t what; /* enum what */
    const char *shape;
    const char *below; /* of INDEX: the size */
    int64_t least;     /* of INDEX */
};

#define RUN "flow run|"
#define PART "flow checkpoint|"
#define COPIES "flow copies|"
#define CLOUDS RUN PART COPIES "cells|threshold|escape|"
#define DATA "margin|train|train checkpoint|path|"
#define FIT "fit|fit checkpoint|"
#define WITHOUT_RULES "data|case|" /* judged by run/dataset/dataset.c and claim/case_file.c */

static const struct rule rules[] = {
    { CLOUDS DATA "inspect|", "/clock/seconds", ARRAY, "", NULL, 0 },
    { CLOUDS, "n", OPTION, NULL, NULL, 0 },
    { CLOUDS, "d", OPTION, NULL, NULL, 0 },
    { CLOUDS, "/input/tokens", ARRAY, "n d", NULL, 0 },
    { CLOUDS, "/input/masses", ARRAY, "n", NULL, 0 },
    { CLOUDS, "/input/query", ARRAY, "* d", NULL, 0 },
    { CLOUDS, "/input/key_query", ARRAY, "d d", NULL, 0 },
    { CLOUDS, "/input/value", ARRAY, "d d", NULL, 0 },
    { CLOUDS, "/input/beta", ARRAY, "*", NULL, 0 },
    { CLOUDS, "/input/epsilon", ARRAY, "*", NULL, 0 },
    { CLOUDS, "/input/gamma", ARRAY, "*", NULL, 0 },

    { RUN PART, "/record/step", ARRAY, "records?", NULL, 0 },
    { RUN PART, "/record", LIST, "records?", NULL, 0 },
    { RUN PART, "/record/tokens", ARRAY, "records? n d", NULL, 0 },
    { PART, "/checkpoint/state", INDEX, "*", NULL, 0 },
    { PART, "/checkpoint/recorded", INDEX, "", NULL, 0 },
    { PART, "/checkpoint/checksum", INDEX, "", NULL, 0 },

    { RUN, "/result/tokens", ARRAY, "n d", NULL, 0 },
    { RUN, "/result/steps", ARRAY, "", NULL, 0 },
    { RUN, "/result/log10_steps", ARRAY, "", NULL, 0 },
    { RUN, "/result/clusters", ARRAY, "", NULL, 0 },
    { RUN, "/result/hull_vertices", INDEX, "*", "n", 0 },
    { RUN, "/result/leaders", INDEX, "leaders?", "n", 0 },
    { RUN, "/result/cluster_list", LIST, "clusters", NULL, 0 },
    { RUN, "/result/cluster_list/members", INDEX, "n", "n", 0 },
    { RUN, "/result/graph/classes", LIST, "classes?", NULL, 0 },
    { RUN, "/result/graph/classes/members", INDEX, "follows?", "n", 0 },
    { RUN, "/result/merge_list", LIST, "merges?", NULL, 0 },
    { RUN, "/result/plateaus", LIST, "plateaus?", NULL, 0 },

    { COPIES, "/input/starts", ARRAY, "starts? n d", NULL, 0 },
    { COPIES, "/record/step", ARRAY, "copies? records?", NULL, 0 },
    { COPIES, "/result/steps", ARRAY, "copies?", NULL, 0 },
    { COPIES, "/result/clusters", ARRAY, "copies?", NULL, 0 },
    { COPIES, "/result/tokens", ARRAY, "copies? n d", NULL, 0 },
    { COPIES, "/result/means", LIST, "betas?", NULL, 0 },

    { "cells|", "/result/vertices", INDEX, "vertices", "n", 0 },
    { "cells|", "/result/cells", LIST, "vertices", NULL, 0 },
    { "cells|", "/result/cells/vertex", INDEX, "vertices", "n", 0 },
    { "cells|", "/result/cells/polygon", ARRAY, "corners? 2|vertices", NULL, 0 },
    { "cells|", "/result/cells/dominance", ARRAY, "cone? 2|vertices", NULL, 0 },
    { "cells|", "/result/cells/eroded", ARRAY, "inner? 2|vertices", NULL, 0 },

    { "escape|", "/result/betas", LIST, "betas?", NULL, 0 },
    { "escape|", "/result/betas/beta", ARRAY, "betas?", NULL, 0 },
    { "escape|", "/result/betas/survival", ARRAY, "points? 2|betas?", NULL, 0 },
    { "escape|", "/result/betas/survival_log10_steps", ARRAY, "#points|betas?", NULL, 0 },

    { "train|", "/result/history", LIST, "history?", NULL, 0 },
    { "train|", "/result/history/step", ARRAY, "history?", NULL, 0 },
    { "train|", "/result/history/weights", ARRAY, "history? entries|history?", NULL, 0 },
    { "train|train checkpoint|", "/checkpoint/state", INDEX, "*", NULL, 0 },
    { "train|train checkpoint|", "/checkpoint/step", INDEX, "", NULL, 0 },
    { FIT, "/clock/seconds", ARRAY, "", NULL, 0 },
    { FIT, "/checkpoint/counts", INDEX, "7", NULL, 0 },
    { "fit|", "/result/chosen_epoch", INDEX, "", NULL, 0 },
    { "fit|", "/result/classes", LIST, "classes", NULL, 0 },
    { "fit|", "/result/splits", LIST, "splits", NULL, 0 },
    { "fit|", "/result/splits/loss", ARRAY, "splits epochs", NULL, 0 },
    { "fit|", "/result/splits/accuracy", ARRAY, "splits epochs", NULL, 0 },
    { "fit|", "/result/folds", LIST, "folds?", NULL, 0 },
    { "fit|", "/result/sparsity", LIST, "tensors?", NULL, 0 },
    { "fit|", "/result/pruned", LIST, "pruned?", NULL, 0 },
    { "fit|", "/result/words", LIST, "words?", NULL, 0 },
    { "fit|", "/result/words/attention", ARRAY, "words?", NULL, 0 },
    { "fit|", "/result/words/value", ARRAY, "words?", NULL, 0 },
    { "fit|", "/result/shown", LIST, "shown?", NULL, 0 },
    { "fit|", "/result/shown/item", INDEX, "shown?", NULL, 0 },
    { "fit|", "/result/shown/label", INDEX, "shown?", "classes", 0 },
    { "fit|", "/result/shown/predicted", INDEX, "shown?", "classes", 0 },
    { "fit|", "/result/shown/attention", ARRAY, "tokens?|shown? tokens?", NULL, 0 },
    { "inspect|", "/result/heads", LIST, "heads", NULL, 0 },
    { "inspect|", "/result/heads/layer", INDEX, "heads", NULL, 0 },
    { "inspect|", "/result/heads/head", INDEX, "heads", NULL, 0 },
    { "inspect|", "/result/ids", INDEX, "tokens", NULL, 0 },
    { "inspect|", "/result/layers", LIST, "streams", NULL, 0 },
    { "inspect|", "/result/layers/layer", INDEX, "streams", NULL, 0 },
    { "path|", "/result/radii", LIST, "radii?", NULL, 0 },
    { "path|", "/result/radii/radius", ARRAY, "radii?", NULL, 0 },
    { "margin|train|", "/result/weights/W", ARRAY, "rows columns", NULL, 0 },
    { "margin|train|", "/result/weights/p", ARRAY, "*", NULL, 0 },

    { "problem|", "/rows", SIZE, NULL, NULL, 0 },
    { "problem|", "/columns", SIZE, NULL, NULL, 0 },
    { "problem|", "/p", ARRAY, "", NULL, 0 },
    { "problem|", "/point", ARRAY, "points? rows", NULL, 0 },
    { "problem|", "/query", ARRAY, "queries? columns", NULL, 0 },
    { "problem|", "/right", ARRAY, "constraints?", NULL, 0 },
    { "problem|", "/plus", INDEX, "constraints?", "points", -1 },
    { "problem|", "/minus", INDEX, "constraints?", "points", -1 },
    { "problem|", "/asked", INDEX, "constraints?", "queries", 0 },
    { "problem|", "/equal", INDEX, "constraints?", NULL, 0 },
    { "problem|", "/input", INDEX, "constraints?", NULL, 0 },
    { "problem|", "/token", INDEX, "constraints?", NULL, 0 },
};

/* ---- sizes ----------------------------------------------------------------------------- */

#define SIZES 16

struct size {
    char name[16];
    char source[64]; /* what told it */
    int64_t value;
};

struct check {
    struct trop_h5 *h5;
    const char *path; /* of the file */
    const struct rule *rule;
    char name[128]; /* of what is judged */
    struct size sizes[SIZES];
    int64_t count; /* of them */
};

/* The length of a word of a shape without what marks it. */
static size_t letters(const char *word)
{
    return strcspn(word, "? |");
}

static const struct size *find_size(const struct check *c, const char *word)
{
    const size_t length = letters(word);

    for (int64_t k = 0; k < c->count; k++) {
        if (strlen(c->sizes[k].name) == length && memcmp(c->sizes[k].name, word, length) == 0) {
            return c->sizes + k;
        }
    }
    return NULL;
}

static void learn(struct check *c, const char *word, int64_t value)
{
    if (c->count < SIZES) {
        struct size *size = c->sizes + c->count++;
        snprintf(size->name, sizeof size->name, "%.*s", (int)letters(word), word);
        snprintf(size->source, sizeof size->source, "%.63s", c->name);
        size->value = value;
    }
}

/* Whether found is what the word asks for; a size that is not known yet is learnt from it. */
static enum trop_status check_length(struct check *c, const char *word, int64_t found)
{
    const struct size *size = find_size(c, word);
    const int is_number = word[0] >= '0' && word[0] <= '9';
    const int may_be_none = word[letters(word)] == '?';

    if (found < 1 && !may_be_none) {
        return trop_fail(TROP_ERR_IO, "%s: %s: has an axis without entries", c->path, c->name);
    }
    if (is_number && found != strtoll(word, NULL, 10)) {
        return trop_fail(TROP_ERR_IO, "%s: %s: has an axis of %lld: must be %.*s", c->path, c->name,
                         (long long)found, (int)letters(word), word);
    }
    if (size && found != size->value) {
        return trop_fail(TROP_ERR_IO, "%s: %s: has %lld %s: must have %lld, as %s says", c->path,
                         c->name, (long long)found, size->name, (long long)size->value,
                         size->source);
    }
    if (!is_number && !size && word[0] != '*') {
        learn(c, word, found);
    }
    return TROP_OK;
}

/* ---- shapes ---------------------------------------------------------------------------- */

/* How many axes the shape at text has. */
static int64_t axes_of(const char *text)
{
    int64_t axes = *text && *text != '|';

    for (; *text && *text != '|'; text++) {
        axes += *text == ' ';
    }
    return axes;
}

static enum trop_status check_array(struct check *c, int64_t kind)
{
    struct trop_array array = { 0 };
    enum trop_status status = trop_h5_shape(&array, c->h5, c->name, kind);

    if (status != TROP_OK) {
        return status;
    }
    /* The first shape of the rule that has as many axes as the array. */
    const char *shape = c->rule->shape;
    if (shape[0] == '#') {
        char word[24];
        snprintf(word, sizeof word, "%.*s?", (int)letters(shape + 1), shape + 1);
        return check_length(c, word, trop_array_count(array.rank, array.shape));
    }
    while (axes_of(shape) != array.rank) {
        shape += strcspn(shape, "|");
        if (!*shape++) {
            return trop_fail(TROP_ERR_IO, "%s: %s: has %lld axes: must have %lld", c->path, c->name,
                             (long long)array.rank, (long long)axes_of(c->rule->shape));
        }
    }
    for (int64_t k = 0; k < array.rank && status == TROP_OK; k++) {
        status = check_length(c, shape, array.shape[k]);
        shape += strcspn(shape, " |");
        shape += *shape == ' ';
    }
    return status;
}

/* ---- values ---------------------------------------------------------------------------- */

static enum trop_status check_index(struct check *c)
{
    const struct size *size = c->rule->below ? find_size(c, c->rule->below) : NULL;
    int64_t *values = NULL, count = 0;
    struct trop_array shape = { 0 };
    enum trop_status status = trop_h5_shape(&shape, c->h5, c->name, TROP_KIND_NULL);
    /* A column of no rows has no kind. */
    const int none = status == TROP_OK && trop_array_count(shape.rank, shape.shape) == 0;

    if (status == TROP_OK) {
        status = check_array(c, none ? TROP_KIND_NULL : TROP_KIND_INTEGERS);
    }
    if (status != TROP_OK || !c->rule->below || none) {
        return status;
    }
    status = trop_h5_integers(&values, &count, c->h5, c->name);
    for (int64_t k = 0; k < count && status == TROP_OK; k++) {
        const int64_t most = size ? size->value - 1 : -1;
        if (values[k] < c->rule->least || values[k] > most) {
            status = trop_fail(TROP_ERR_IO,
                               "%s: %s: entry %lld (from 0) is %lld: must be from %lld to %lld",
                               c->path, c->name, (long long)k, (long long)values[k],
                               (long long)c->rule->least, (long long)most);
        }
    }
    trop_alloc_free(values);
    return status;
}

static enum trop_status learn_size(struct check *c, int64_t value)
{
    if (value < 1) {
        return trop_fail(TROP_ERR_IO, "%s: %s: is %lld: must be at least 1", c->path, c->name,
                         (long long)value);
    }
    learn(c, c->rule->name + (c->rule->name[0] == '/'), value);
    return TROP_OK;
}

static enum trop_status check_size(struct check *c)
{
    int64_t *value = NULL, count = 0;
    enum trop_status status = trop_h5_integers(&value, &count, c->h5, c->name);

    if (status == TROP_OK) {
        status = count == 1 ? learn_size(c, *value)
                            : trop_fail(TROP_ERR_IO, "%s: %s: has %lld numbers: must be one",
                                        c->path, c->name, (long long)count);
    }
    trop_alloc_free(value);
    return status;
}

/* ---- lists ----------------------------------------------------------------------------- */

#define OFFSETS "_offsets"

/* Offsets begin at 0, do not fall, and end at the length of the joined column. */
static enum trop_status check_offsets(struct check *c, const char *joined)
{
    struct trop_array column = { 0 };
    int64_t *offsets = NULL, count = 0;
    enum trop_status status = trop_h5_shape(&column, c->h5, joined, TROP_KIND_NULL);

    if (status == TROP_OK) {
        status = trop_h5_integers(&offsets, &count, c->h5, c->name);
    }
    int good = status == TROP_OK && column.rank > 0 && count > 0 && offsets[0] == 0 &&
               offsets[count - 1] == column.shape[0];
    for (int64_t k = 0; good && k + 1 < count; k++) {
        good = offsets[k] <= offsets[k + 1];
    }
    if (status == TROP_OK && !good) {
        status = trop_fail(
            TROP_ERR_IO, "%s: %s: must begin at 0, not fall, and end at the %lld rows of %s",
            c->path, c->name, (long long)(column.rank > 0 ? column.shape[0] : 0), joined);
    }
    trop_alloc_free(offsets);
    return status == TROP_OK ? check_length(c, c->rule->shape, count - 1) : status;
}

/* The name without _offsets behind it, when that is a column too. */
static int is_offsets(char joined[128], const struct check *c)
{
    const size_t length = strlen(c->name), tail = strlen(OFFSETS);

    if (length <= tail || strcmp(c->name + length - tail, OFFSETS) != 0) {
        return 0;
    }
    snprintf(joined, 128, "%.*s", (int)(length - tail), c->name);
    return trop_h5_exists(c->h5, joined);
}

static enum trop_status check_column(void *context, const char *name)
{
    struct check *c = context;
    struct trop_array array = { 0 };
    char other[140];

    if (snprintf(c->name, sizeof c->name, "%s/%s", c->rule->name, name) >= (int)sizeof c->name) {
        return trop_fail(TROP_ERR_IO, "%s: %s: has a column with a name of %lld letters", c->path,
                         c->rule->name, (long long)strlen(name));
    }
    if (is_offsets(other, c)) {
        return check_offsets(c, other);
    }
    snprintf(other, sizeof other, "%s" OFFSETS, c->name);
    if (trop_h5_exists(c->h5, other)) {
        return TROP_OK; /* judged with its offsets */
    }
    enum trop_status status = trop_h5_shape(&array, c->h5, c->name, TROP_KIND_NULL);
    return status == TROP_OK ? check_length(c, c->rule->shape, array.rank > 0 ? array.shape[0] : 0)
                             : status;
}

/* ---- files ----------------------------------------------------------------------------- */

static enum trop_status check_rule(struct check *c)
{
    if (c->rule->what == OPTION) {
        char *text = NULL, *end = NULL;
        enum trop_status status = trop_h5_text(&text, c->h5, "/options", c->rule->name);
        snprintf(c->name, sizeof c->name, "/options %s", c->rule->name);
        if (status == TROP_OK) {
            const int64_t value = strtoll(text, &end, 10);
            status = end > text && !*end
                         ? learn_size(c, value)
                         : trop_fail(TROP_ERR_IO, "%s: %s: is \"%.32s\": must be a whole number",
                                     c->path, c->name, text);
        }
        trop_alloc_free(text);
        return status;
    }
    snprintf(c->name, sizeof c->name, "%s", c->rule->name);
    if (!trop_h5_exists(c->h5, c->name) || trop_h5_empty(c->h5, c->name)) {
        return TROP_OK;
    }
    switch ((enum what)c->rule->what) {
    case ARRAY:
        return check_array(c, TROP_KIND_NUMBERS);
    case INDEX:
        return check_index(c);
    case SIZE:
        return check_size(c);
    case LIST:
        return trop_h5_list_datasets(c->h5, c->name, check_column, c);
    case OPTION:
        break;
    }
    return TROP_OK;
}

/* 1 when the format is among formats, each of which has a bar behind it. */
static int is_among(const char *formats, const char *format)
{
    const size_t length = strlen(format);

    for (const char *at = formats; *at; at += strcspn(at, "|") + 1) {
        if (strcspn(at, "|") == length && memcmp(at, format, length) == 0) {
            return 1;
        }
    }
    return 0;
}

static enum trop_status check_rules(struct check *c, const char *format)
{
    enum trop_status status = TROP_OK;
    int known = is_among(WITHOUT_RULES, format);

    for (size_t k = 0; k < sizeof rules / sizeof rules[0] && status == TROP_OK; k++) {
        c->rule = rules + k;
        if (is_among(c->rule->formats, format)) {
            known = 1;
            status = check_rule(c);
        }
    }
    return known ? status
                 : trop_fail(TROP_ERR_IO, "%s: format is \"tropism %.32s\": is not known", c->path,
                             format);
}

enum trop_status trop_layout_check(struct trop_h5 *h5, const char *path)
{
    static const char ours[] = "tropism ";
    struct check c = { .h5 = h5, .path = path };
    char *format = NULL;
    enum trop_status status = trop_h5_text(&format, h5, "/", "format");

    if (status != TROP_ERR_MEMORY && (!format || strncmp(format, ours, strlen(ours)) != 0)) {
        status = trop_fail(TROP_ERR_IO, "%s: is not a result of tropism", path);
    }
    if (status == TROP_OK) {
        status = check_rules(&c, format + strlen(ours));
    }
    trop_alloc_free(format);
    return status;
}
