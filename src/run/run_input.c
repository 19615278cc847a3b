/* run_input.c -- the options and arrays of a run, kept so that its file alone can
 * repeat it.
 *
 * Threads and kernel never change a result and are kept apart: runs that differ in
 * them alone have equal options.
 */
#include "run/run.h"

#include "base/alloc.h"
#include "base/status.h"

#include <stdio.h>
#include <string.h>

static enum trop_status no_memory(const char *name)
{
    return trop_fail(TROP_ERR_MEMORY, "%s: no memory to keep it", name);
}

/* ---- texts ---------------------------------------------------------------------------- */

static enum trop_status keep_text(struct trop_run_text *out, const void *options,
                                  const struct trop_option *option)
{
    int64_t size = trop_option_text(NULL, 0, options, option) + 1;

    out->name = option->name;
    out->text = trop_alloc(size, 1);
    if (!out->text) {
        return no_memory(option->name);
    }
    trop_option_text(out->text, size, options, option);
    return TROP_OK;
}

static int is_machine(const char *name)
{
    static const char *const names[] = { "threads", "kernel", "checkpoint", "print_tokens" };

    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        if (strcmp(names[k], name) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Those options of a run that are not names of files or orders to the program. */
static int is_kept(const struct trop_option *option, int of_run)
{
    if (!of_run) {
        return option->type != TROP_TYPE_ARRAY;
    }
    return is_machine(option->name) || strcmp(option->name, "record") == 0 ||
           strcmp(option->name, "every") == 0;
}

static enum trop_status keep_texts(struct trop_run *run, const struct trop_setup *setup)
{
    const struct trop_option *tables[] = { trop_flow_option_table(), trop_run_option_table() };
    const void *options[] = { &setup->flow, &setup->run };
    int64_t kept = 0, machine = 0;
    enum trop_status status = TROP_OK;

    for (int of_run = 0; of_run < 2; of_run++) {
        for (const struct trop_option *o = tables[of_run]; o->name && status == TROP_OK; o++) {
            if (!is_kept(o, of_run)) {
                continue;
            }
            struct trop_run_text *place =
                is_machine(o->name) ? run->machine + machine++ : run->options + kept++;
            status = keep_text(place, options[of_run], o);
        }
    }
    return status;
}

/* ---- arrays --------------------------------------------------------------------------- */

static enum trop_status keep_array(struct trop_run *run, const char *name, const double *values,
                                   int64_t rank, int64_t rows, int64_t columns)
{
    int64_t at = 0, count = rank == 2 ? rows * columns : rows;

    if (!values) {
        return TROP_OK;
    }
    while (run->input[at].name) {
        at++;
    }
    run->input[at] = (struct trop_run_input){
        .name = name,
        .values = trop_alloc(count, sizeof(double)),
        .rank = rank,
        .shape = { rows, columns },
    };
    if (!run->input[at].values) {
        return no_memory(name);
    }
    memcpy(run->input[at].values, values, (size_t)count * sizeof(double));
    return TROP_OK;
}

static enum trop_status keep_arrays(struct trop_run *run, const struct trop_setup *setup)
{
    const struct trop_flow_options *o = &setup->flow;
    const double *tokens = o->tokens ? o->tokens : trop_flow_tokens(run->flow);
    enum trop_status status = keep_array(run, "tokens", tokens, 2, run->n, run->d);

    run->drawn = o->tokens == NULL;
    if (status == TROP_OK) {
        status = keep_array(run, "masses", o->masses, 1, run->n, 0);
    }
    for (const struct trop_option *option = trop_flow_option_table();
         option->name && status == TROP_OK; option++) {
        const void *member = (const char *)o + option->offset;
        if (option->type == TROP_TYPE_MATRIX) {
            const struct trop_matrix *matrix = member;
            status = keep_array(run, option->name, matrix->values, 2, run->d, run->d);
        } else if (option->type == TROP_TYPE_SCHEDULE) {
            const struct trop_schedule *schedule = member;
            status = keep_array(run, option->name, schedule->values, 1, schedule->count, 0);
        }
    }
    return status;
}

enum trop_status trop_run_keep(struct trop_run *run, const struct trop_setup *setup)
{
    enum trop_status status = keep_texts(run, setup);

    return status == TROP_OK ? keep_arrays(run, setup) : status;
}

void trop_run_forget(struct trop_run *run)
{
    for (int k = 0; k < TROP_SETUP_MAX; k++) {
        trop_alloc_free(run->options[k].text);
    }
    for (size_t k = 0; k < sizeof run->machine / sizeof run->machine[0]; k++) {
        trop_alloc_free(run->machine[k].text);
    }
    for (int k = 0; k < TROP_RUN_INPUTS; k++) {
        trop_alloc_free(run->input[k].values);
    }
}

struct trop_value trop_run_value(const struct trop_run_input *input)
{
    int table = input->rank == 2;
    int tokens = strcmp(input->name, "tokens") == 0;

    return (struct trop_value){
        .kind = TROP_KIND_NUMBERS,
        .numbers = input->values,
        .rank = input->rank,
        .shape = { input->shape[0], input->shape[1] },
        .axes = { table && !tokens                               ? "row"
                  : tokens || strcmp(input->name, "masses") == 0 ? "token"
                                                                 : "step",
                  table ? tokens ? "coordinate" : "column" : NULL },
    };
}
