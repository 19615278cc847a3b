/* setup_verbs.c -- which options a verb has.
 *
 * A new verb is one line of the table below; the command line, its help and its pages
 * follow from it.
 */
#include "run/setup.h"

#include <stdio.h>
#include <string.h>

#define FILL(noun) \
    static void noun##_fill(void *options) \
    { \
        *(struct trop_##noun##_options *)options = trop_##noun##_options_default(); \
    }
#define KIND(name, noun, function) \
    static const struct trop_setup_kind name##_kind = { \
        .table = function, \
        .fill = noun##_fill, \
        .size = sizeof(struct trop_##noun##_options), \
    }

FILL(run)
FILL(flow)
FILL(study)
FILL(cells)
FILL(consensus)
FILL(escape)
FILL(margin)
FILL(train)
FILL(path)
FILL(plot)
FILL(check)
FILL(reproduction)

/* Studies share a struct, and each takes its part of it. */
static const struct trop_option *cells_files(void)
{
    return trop_study_option_table("cells");
}

static const struct trop_option *threshold_files(void)
{
    return trop_study_option_table("threshold");
}

static const struct trop_option *escape_files(void)
{
    return trop_study_option_table("escape");
}

static const struct trop_option *margin_files(void)
{
    return trop_study_option_table("margin");
}

static const struct trop_option *train_files(void)
{
    return trop_study_option_table("train");
}

static const struct trop_option *path_files(void)
{
    return trop_study_option_table("path");
}

KIND(run, run, trop_run_option_table);
KIND(flow, flow, trop_flow_option_table);
KIND(cells_files, study, cells_files);
KIND(cells, cells, trop_cells_option_table);
KIND(threshold_files, study, threshold_files);
KIND(consensus, consensus, trop_consensus_option_table);
KIND(escape_files, study, escape_files);
KIND(escape, escape, trop_escape_option_table);
KIND(margin_files, study, margin_files);
KIND(margin, margin, trop_margin_option_table);
KIND(train_files, study, train_files);
KIND(train, train, trop_train_option_table);
KIND(path_files, study, path_files);
KIND(path, path, trop_path_option_table);
KIND(plot, plot, trop_plot_option_table);
KIND(check, check, trop_check_option_table);
KIND(reproduction, reproduction, trop_reproduction_option_table);
#undef FILL
#undef KIND

static const struct trop_setup_verb verbs[] = {
    { "flow", { &run_kind, &flow_kind } },
    { "cells", { &cells_files_kind, &cells_kind } },
    { "threshold", { &threshold_files_kind, &consensus_kind } },
    { "escape", { &escape_files_kind, &escape_kind } },
    { "margin", { &margin_files_kind, &margin_kind } },
    { "train", { &train_files_kind, &train_kind } },
    { "path", { &path_files_kind, &path_kind } },
    { "plot", { &plot_kind } },
    { "check", { &check_kind } },
    { "reproduce", { &reproduction_kind } },
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
    return options_of(setup, trop_study_option_table(setup->verb->name));
}

struct trop_consensus_options *trop_setup_consensus(struct trop_setup *setup)
{
    return options_of(setup, trop_consensus_option_table());
}

struct trop_escape_options *trop_setup_escape(struct trop_setup *setup)
{
    return options_of(setup, trop_escape_option_table());
}

struct trop_margin_options *trop_setup_margin(struct trop_setup *setup)
{
    return options_of(setup, trop_margin_option_table());
}

struct trop_train_options *trop_setup_train(struct trop_setup *setup)
{
    return options_of(setup, trop_train_option_table());
}

struct trop_path_options *trop_setup_path(struct trop_setup *setup)
{
    return options_of(setup, trop_path_option_table());
}

struct trop_plot_options *trop_setup_plot(struct trop_setup *setup)
{
    return options_of(setup, trop_plot_option_table());
}

struct trop_check_options *trop_setup_check(struct trop_setup *setup)
{
    return options_of(setup, trop_check_option_table());
}

struct trop_reproduction_options *trop_setup_reproduction(struct trop_setup *setup)
{
    return options_of(setup, trop_reproduction_option_table());
}

struct trop_cells_options *trop_setup_cells(struct trop_setup *setup)
{
    return options_of(setup, trop_cells_option_table());
}

struct trop_cloud_options *trop_setup_cloud(struct trop_setup *setup)
{
    struct trop_flow_options *flow = trop_setup_flow(setup);
    struct trop_cells_options *cells = trop_setup_cells(setup);
    struct trop_consensus_options *consensus = trop_setup_consensus(setup);
    struct trop_escape_options *escape = trop_setup_escape(setup);

    return flow        ? &flow->cloud
           : cells     ? &cells->cloud
           : consensus ? &consensus->cloud
           : escape    ? &escape->cloud
                       : NULL;
}
