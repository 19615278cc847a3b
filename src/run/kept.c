/* kept.c -- the options and arrays of a setup, kept so that a result's file alone can
 * repeat it.
 *
 * Threads and kernel never change a result and are kept apart: runs that differ in
 * them alone have equal options.
 */
#include "run/kept.h"

#include "base/alloc.h"
#include "base/status.h"
#include "io/array.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum trop_status no_memory(const char *name)
{
    return trop_fail(TROP_ERR_MEMORY, "%s: no memory to keep it", name);
}

/* ---- texts ---------------------------------------------------------------------------- */

/* The value of an option of this part as text; of one that files decide (model auto, the sizes
 * of a data set) the value that it stands for. Where both parts of a setup have an option of
 * that name, such as start, the other one is not looked at. */
static int64_t text_of(char *out, int64_t size, const struct trop_setup *setup,
                       const struct trop_setup_part *part, const struct trop_option *option)
{
    struct trop_setup_place place;

    return trop_setup_find(&place, setup, option->name) && place.option == option
               ? trop_setup_resolved(out, size, setup, option->name)
               : trop_option_text(out, size, part->options, option);
}

static enum trop_status keep_text(struct trop_kept_text *out, const struct trop_setup *setup,
                                  const struct trop_setup_part *part,
                                  const struct trop_option *option)
{
    const int64_t size = text_of(NULL, 0, setup, part, option) + 1;

    out->name = option->name;
    out->option = option;
    /* Sequences in memory were read elsewhere, in a way of their own. */
    const int elsewhere = setup->given_corpus && part->table == trop_corpus_option_table();
    out->applies = !elsewhere && trop_setup_applies(setup, option);
    out->given = trop_setup_given(setup, option->name) != TROP_SETUP_DEFAULT;
    out->text = trop_alloc(size, 1);
    if (!out->text) {
        return no_memory(option->name);
    }
    text_of(out->text, size, setup, part, option);
    return TROP_OK;
}

static int is_among(const char *name, const char *const *names)
{
    for (; *names; names++) {
        if (strcmp(*names, name) == 0) {
            return 1;
        }
    }
    return 0;
}

static int is_machine(const char *name)
{
    static const char *const names[] = { "threads", "kernel", "checkpoint", "print_tokens", NULL };

    return is_among(name, names);
}

/* Whether an option is kept. Of the options of numbers these are all but those that only say
 * where results go or when to stop; of those of files, which come first, only those that change the
 * result. */
static int is_kept(const struct trop_option *option, int of_numbers)
{
    static const char *const names[] = { "record", "every",  "data",   "n",     "T",
                                         "d",      "seed",   "copies", "betas", "epsilons",
                                         "alphas", "gammas", NULL };
    static const char *const orders[] = { "out",        "report",         "proof",
                                          "time_limit", "counterexample", NULL };

    return of_numbers ? option->type != TROP_TYPE_ARRAY && !is_among(option->name, orders)
                      : is_machine(option->name) || is_among(option->name, names);
}

/* The options of copies mean nothing for a single flow. */
static int is_idle(const struct trop_setup *setup, const struct trop_option *option)
{
    static const char *const names[] = { "copies", "betas", "epsilons", "alphas", "gammas", NULL };
    char copies[32];

    trop_setup_text(copies, sizeof copies, setup, "copies");
    return is_among(option->name, names) && (!copies[0] || strcmp(copies, "0") == 0);
}

/* ---- arrays --------------------------------------------------------------------------- */

/* A copy of the values of input; nothing when it has none. */
static enum trop_status keep_array(struct trop_kept *kept, struct trop_kept_input input,
                                   const double *values)
{
    const int64_t count = trop_array_count(input.rank, input.shape);
    int64_t at = 0;

    if (!values) {
        return TROP_OK;
    }
    while (kept->input[at].name) {
        at++;
    }
    input.values = trop_alloc(count, sizeof(double));
    if (!input.values) {
        return no_memory(input.name);
    }
    memcpy(input.values, values, (size_t)count * sizeof(double));
    kept->input[at] = input;
    return TROP_OK;
}

static enum trop_status keep_cloud(struct trop_kept *kept, struct trop_setup *setup,
                                   const double *tokens)
{
    const struct trop_cloud_options *cloud = trop_setup_cloud(setup);
    const struct trop_cells_options *cells = trop_setup_cells(setup);
    const int64_t starts = trop_setup_job(setup) ? trop_setup_job(setup)->starts : 0;
    struct trop_kept_input input = {
        .name = "tokens",
        .rank = 2,
        .shape = { cloud->n, cloud->d },
        .axes = { "token", "coordinate" },
    };
    enum trop_status status = keep_array(kept, input, tokens);

    kept->drawn = cloud->tokens == NULL;
    if (status == TROP_OK && starts > 0) {
        const struct trop_kept_input all = {
            .name = "starts",
            .rank = 3,
            .shape = { starts, cloud->n, cloud->d },
            .axes = { "copy", "token", "coordinate" },
        };
        status = keep_array(kept, all, cloud->tokens);
    }
    if (status == TROP_OK) {
        input.name = "masses";
        input.rank = 1;
        status = keep_array(kept, input, cloud->masses);
    }
    if (status == TROP_OK && cells) {
        input = (struct trop_kept_input){
            .name = "query",
            .rank = 2,
            .shape = { cells->queries, cells->cloud.d },
            .axes = { "point", "coordinate" },
        };
        status = keep_array(kept, input, cells->query);
    }
    return status;
}

/* Matrices and schedules that were files. */
static enum trop_status keep_option(struct trop_kept *kept, const struct trop_option *option,
                                    const void *member, int64_t d)
{
    if (option->type == TROP_TYPE_MATRIX) {
        struct trop_kept_input input = {
            .name = option->name,
            .rank = 2,
            .shape = { d, d },
            .axes = { "row", "column" },
        };
        return keep_array(kept, input, ((const struct trop_matrix *)member)->values);
    }
    if (option->type == TROP_TYPE_SCHEDULE) {
        const struct trop_schedule *schedule = member;
        struct trop_kept_input input = {
            .name = option->name,
            .rank = 1,
            .shape = { schedule->count },
            .axes = { "step" },
        };
        return keep_array(kept, input, schedule->values);
    }
    return TROP_OK;
}

enum trop_status trop_kept_open(struct trop_kept *kept, struct trop_setup *setup,
                                const double *tokens)
{
    const struct trop_cloud_options *cloud = trop_setup_cloud(setup);
    /* The options of the noun come first. */
    int64_t options = 0, machine = 0;
    enum trop_status status = TROP_OK;
    for (int64_t p = setup->count - 1; p >= 0; p--) {
        const struct trop_setup_part *part = setup->parts + p;
        for (const struct trop_option *o = part->table; o->name && status == TROP_OK; o++) {
            if (!is_kept(o, p > 0 || setup->count == 1) || is_idle(setup, o)) {
                continue;
            }
            struct trop_kept_text *place =
                is_machine(o->name) ? kept->machine + machine++ : kept->options + options++;
            status = keep_text(place, setup, part, o);
        }
    }

    if (status == TROP_OK && tokens) {
        status = keep_cloud(kept, setup, tokens);
    }
    if (setup->count == 0) { /* a verb without options */
        return status;
    }
    const struct trop_setup_part *numbers = setup->parts + setup->count - 1;
    for (const struct trop_option *o = numbers->table; o->name && status == TROP_OK; o++) {
        status =
            keep_option(kept, o, (const char *)numbers->options + o->offset, cloud ? cloud->d : 0);
    }
    return status;
}

void trop_kept_replace(struct trop_kept *kept, const char *name, char *text)
{
    struct trop_kept_text *at = kept->options;

    while (at->name && strcmp(at->name, name) != 0) {
        at++;
    }
    trop_alloc_free(at->name ? at->text : text);
    if (at->name) {
        at->text = text;
        at->given = 1;
    }
}

void trop_kept_close(struct trop_kept *kept)
{
    for (size_t k = 0; k < sizeof kept->options / sizeof kept->options[0]; k++) {
        trop_alloc_free(kept->options[k].text);
    }
    for (int k = 0; k < TROP_KEPT_MACHINE; k++) {
        trop_alloc_free(kept->machine[k].text);
    }
    for (int k = 0; k < TROP_KEPT_INPUTS; k++) {
        trop_alloc_free(kept->input[k].values);
    }
    *kept = (struct trop_kept){ 0 };
}

/* ---- options that apply ------------------------------------------------------------------ */

/* Whether JSON lists the option. A number that was left at 0, or a choice at none, stands for a
 * choice that is told elsewhere, or for nothing; where data come from is no part of a result; the
 * seed has a field of its own. */
static int is_told(const struct trop_kept_text *kept)
{
    return kept->applies && kept->text[0] && strcmp(kept->text, "nan") != 0 &&
           strcmp(kept->name, "data") != 0 && strcmp(kept->name, "seed") != 0 &&
           (kept->given || (strcmp(kept->text, "0") != 0 && strcmp(kept->text, "none") != 0));
}

const struct trop_kept_text *trop_kept_at(const struct trop_kept *kept, int64_t k)
{
    for (const struct trop_kept_text *at = kept->options; at->name; at++) {
        if (is_told(at) && k-- == 0) {
            return at;
        }
    }
    return NULL;
}

/* The text of an option, as a number or a truth value where it is one. */
static struct trop_value value_of(const struct trop_kept_text *kept)
{
    const int64_t type = kept->option->type;
    char *end = NULL;
    struct trop_value value = { .kind = TROP_KIND_TEXT, .text = kept->text };

    if (type == TROP_TYPE_FLAG) {
        return (struct trop_value){ .kind = TROP_KIND_BOOLEAN,
                                    .integer = strcmp(kept->text, "yes") == 0 };
    }
    if (type == TROP_TYPE_TEXT || type == TROP_TYPE_CHOICE) {
        return value;
    }
    const double number = strtod(kept->text, &end);
    if (*end || !isfinite(number)) {
        return value;
    }
    if (strspn(kept->text, "-0123456789") < strlen(kept->text)) {
        return (struct trop_value){ .kind = TROP_KIND_NUMBER, .number = number };
    }
    return fabs(number) < 9e18
               ? (struct trop_value){ .kind = TROP_KIND_INTEGER, .integer = atoll(kept->text) }
               : value;
}

void trop_kept_json(const struct trop_kept *kept, struct trop_json *json)
{
    trop_json_open(json, "options", '{');
    for (int64_t k = 0; trop_kept_at(kept, k); k++) {
        const struct trop_value value = value_of(trop_kept_at(kept, k));
        trop_json_value(json, trop_kept_at(kept, k)->name, &value);
    }
    trop_json_close(json, '}');
}

/* ---- HDF5 ------------------------------------------------------------------------------ */

static enum trop_status put_texts(struct trop_h5 *h5, const char *group,
                                  const struct trop_kept_text *texts, size_t count)
{
    enum trop_status status = trop_h5_group(h5, group);

    for (size_t k = 0; k < count && texts[k].name && status == TROP_OK; k++) {
        struct trop_value value = { .kind = TROP_KIND_TEXT, .text = texts[k].text };
        status = trop_h5_attribute(h5, group, texts[k].name, &value);
    }
    return status;
}

enum trop_status trop_kept_put(const struct trop_kept *kept, struct trop_h5 *h5)
{
    enum trop_status status =
        put_texts(h5, "/options", kept->options, sizeof kept->options / sizeof kept->options[0]);

    if (status == TROP_OK) {
        status = put_texts(h5, "/machine", kept->machine, TROP_KEPT_MACHINE);
    }
    if (status != TROP_OK) {
        return status;
    }
    struct trop_value source = { .kind = TROP_KIND_TEXT, .text = kept->drawn ? "drawn" : "given" };
    for (int k = 0; k < TROP_KEPT_INPUTS && kept->input[k].name && status == TROP_OK; k++) {
        const struct trop_kept_input *input = kept->input + k;
        struct trop_value value = {
            .kind = TROP_KIND_NUMBERS,
            .numbers = input->values,
            .rank = input->rank,
            .shape = { input->shape[0], input->shape[1], input->shape[2] },
            .axes = { input->axes[0], input->axes[1], input->axes[2] },
        };
        char name[64];
        snprintf(name, sizeof name, "/input/%s", input->name);
        status = trop_h5_put(h5, name, &value);
    }
    /* A matrix or a schedule may have been a file where there are no tokens. */
    return status == TROP_OK && trop_h5_exists(h5, "/input/tokens")
               ? trop_h5_attribute(h5, "/input/tokens", "source", &source)
               : status;
}
