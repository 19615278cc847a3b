/* setup_options.c -- the structs of a setup: the options of its verb, by what they are for. */
#include "run/setup/setup.h"

#include "run/dataset/dataset.h"
#include "run/verb.h"

const struct trop_option *trop_setup_table(const char *verb, int64_t part)
{
    const struct trop_verb *found = trop_verb_find(verb);

    for (int64_t k = 0; found && found->kinds[k]; k++) {
        if (k == part) {
            return found->kinds[k]->table();
        }
    }
    return NULL;
}

static void *options_of(struct trop_setup *setup, const struct trop_option *table)
{
    for (int64_t k = 0; k < setup->count; k++) {
        if (setup->parts[k].table == table) {
            return setup->parts[k].options;
        }
    }
    return NULL;
}

#define OPTIONS(noun) \
    struct trop_##noun##_options *trop_setup_##noun(struct trop_setup *setup) \
    { \
        return options_of(setup, trop_##noun##_option_table()); \
    }

OPTIONS(flow)
OPTIONS(cells)
OPTIONS(threshold)
OPTIONS(escape)
OPTIONS(margin)
OPTIONS(train)
OPTIONS(fit)
OPTIONS(corpus)
OPTIONS(path)
OPTIONS(inspect)
OPTIONS(plot)
OPTIONS(claims)
OPTIONS(check)
OPTIONS(reproduction)
OPTIONS(study)
#undef OPTIONS

struct trop_job_options *trop_setup_job(struct trop_setup *setup)
{
    const struct trop_option *table = trop_job_option_table(setup->verb->name);

    return table ? options_of(setup, table) : NULL;
}

struct trop_cloud_options *trop_setup_cloud(struct trop_setup *setup)
{
    struct trop_flow_options *flow = trop_setup_flow(setup);
    struct trop_cells_options *cells = trop_setup_cells(setup);
    struct trop_threshold_options *threshold = trop_setup_threshold(setup);
    struct trop_escape_options *escape = trop_setup_escape(setup);

    return flow        ? &flow->cloud
           : cells     ? &cells->cloud
           : threshold ? &threshold->cloud
           : escape    ? &escape->cloud
                       : NULL;
}

uint64_t trop_setup_seed(struct trop_setup *setup)
{
    const struct trop_job_options *files = trop_setup_job(setup);
    struct trop_setup_place place;

    if (!trop_setup_find(&place, setup, "seed")) {
        return 0;
    }
    const uint64_t seed = *(const uint64_t *)place.member;
    const int of_data_alone = files && place.member == (const void *)&files->seed;
    return of_data_alone && files->data && !trop_setup_given(setup, "seed")
               ? trop_dataset_own_seed(files->data, seed)
               : seed;
}
