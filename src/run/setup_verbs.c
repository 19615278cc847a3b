/* setup_verbs.c -- which options a verb has.
 *
 * A new verb is one line of the table below; the command line, its help and its pages
 * follow from it.
 */
#include "run/setup.h"

#include <stdio.h>
#include <string.h>

#define KIND(noun) \
    static void noun##_fill(void *options) \
    { \
        *(struct trop_##noun##_options *)options = trop_##noun##_options_default(); \
    } \
    static const struct trop_setup_kind noun##_kind = { \
        .table = trop_##noun##_option_table, \
        .fill = noun##_fill, \
        .size = sizeof(struct trop_##noun##_options), \
    }

KIND(run);
KIND(flow);
KIND(study);
KIND(cells);
#undef KIND

static const struct trop_setup_verb verbs[] = {
    { "flow", { &run_kind, &flow_kind } },
    { "cells", { &study_kind, &cells_kind } },
};

#define VERBS (sizeof verbs / sizeof verbs[0])

const struct trop_setup_verb *trop_setup_verb(const char *name)
{
    for (size_t k = 0; k < VERBS; k++) {
        if (strcmp(verbs[k].name, name) == 0) {
            return verbs + k;
        }
    }
    return NULL;
}

void trop_setup_verbs(char *out, size_t size)
{
    size_t used = 0;

    out[0] = '\0';
    for (size_t k = 0; k < VERBS && used < size; k++) {
        used += (size_t)snprintf(out + used, size - used, "%s%s", k ? ", " : "", verbs[k].name);
    }
}

const struct trop_option *trop_setup_table(const char *verb, int64_t part)
{
    const struct trop_setup_verb *found = trop_setup_verb(verb);

    for (int64_t k = 0; found && found->kinds[k]; k++) {
        if (k == part) {
            return found->kinds[k]->table();
        }
    }
    return NULL;
}

/* ---- the structs themselves ------------------------------------------------------------ */

static void *options_of(struct trop_setup *setup, const struct trop_option *table)
{
    for (int64_t k = 0; k < setup->count; k++) {
        if (setup->parts[k].table == table) {
            return setup->parts[k].options;
        }
    }
    return NULL;
}

struct trop_run_options *trop_setup_run(struct trop_setup *setup)
{
    return options_of(setup, trop_run_option_table());
}

struct trop_flow_options *trop_setup_flow(struct trop_setup *setup)
{
    return options_of(setup, trop_flow_option_table());
}

struct trop_study_options *trop_setup_study(struct trop_setup *setup)
{
    return options_of(setup, trop_study_option_table());
}

struct trop_cells_options *trop_setup_cells(struct trop_setup *setup)
{
    return options_of(setup, trop_cells_option_table());
}

struct trop_setup_cloud trop_setup_cloud(struct trop_setup *setup)
{
    struct trop_flow_options *flow = trop_setup_flow(setup);
    struct trop_cells_options *cells = trop_setup_cells(setup);

    if (flow) {
        return (struct trop_setup_cloud){
            .n = &flow->n,
            .d = &flow->d,
            .tokens = &flow->tokens,
            .masses = &flow->masses,
        };
    }
    if (cells) {
        return (struct trop_setup_cloud){
            .n = &cells->n,
            .d = &cells->d,
            .tokens = &cells->tokens,
            .query = &cells->query,
            .queries = &cells->queries,
        };
    }
    return (struct trop_setup_cloud){ 0 };
}
