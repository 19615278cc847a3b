/* setup_apply.c -- options that were given where they do not apply are refused.
 *
 * What a row of an option table says of when it applies (option_when.c) is judged of every option
 * that was given by text or file, unless its value turns it off. Conditions on what files decide (a
 * model that is auto until the data are read, the number of tokens in a file) are judged when they
 * are read, all others before.
 */
#include "run/setup/setup.h"

#include "base/option.h"
#include "base/status.h"
#include "flow/flow.h"
#include "run/verb.h"

#include <stdio.h>
#include <string.h>

/* Options that files decide. */
static const char *const late[] = { "model", "norm", "start", "n" };

static int is_late(const struct trop_option *option)
{
    for (size_t k = 0; k < sizeof late / sizeof late[0]; k++) {
        if (trop_option_asks(option, late[k])) {
            return 1;
        }
    }
    return 0;
}

int64_t trop_setup_resolved(char *out, int64_t size, const struct trop_setup *setup,
                            const char *name)
{
    char text[64];

    trop_setup_text(text, sizeof text, setup, name);
    if (strlen(name) == 1 && strchr("nTd", name[0]) && strcmp(text, "0") == 0 && setup->dataset) {
        const struct trop_data *data = trop_dataset_data(setup->dataset);
        const int64_t own = name[0] == 'n' ? data->n : name[0] == 'T' ? data->T : data->d;
        return snprintf(out, (size_t)size, "%lld", (long long)own);
    }
    if (strcmp(name, "model") == 0 && strcmp(text, "auto") == 0) {
        const char *model = trop_setup_model(setup);
        return snprintf(out, (size_t)size, "%s", model ? model : text);
    }
    return trop_setup_text(out, size, setup, name);
}

int trop_setup_is_corpus(const struct trop_setup *setup)
{
    struct trop_setup_place place;

    if (setup->given_corpus || setup->corpus) {
        return 1;
    }
    /* A verb that has options of corpora, and data of that kind. */
    if (!trop_setup_find(&place, setup, "embed") || !trop_setup_find(&place, setup, "data")) {
        return 0;
    }
    const char *data = *(const char *const *)place.member;
    return data && trop_corpus_takes(data);
}

static int look_up(char *out, int64_t size, const void *context, const char *name)
{
    const struct trop_setup *setup = context;
    struct trop_setup_place place;

    if (strcmp(name, "data") == 0 && trop_setup_is_corpus(setup)) { /* what they are */
        snprintf(out, (size_t)size, "sequences");
        return 1;
    }
    if (!trop_setup_find(&place, setup, name)) {
        return 0;
    }
    trop_setup_resolved(out, size, setup, name);
    if (strcmp(name, "record") == 0 && !place.part->sources[place.index]) {
        out[0] = '\0'; /* what a report records asks for nothing */
    }
    if (place.part->texts[place.index] && !out[0]) {
        snprintf(out, (size_t)size, "%s", place.part->texts[place.index]); /* a file to be read */
    }
    return 1;
}

/* Steps that are given without a time are all taken; those of a result were taken as it says. */
static void settle_time(struct trop_setup *setup, struct trop_flow_options *flow)
{
    const int steps = trop_setup_given(setup, "steps");
    const int is_asked = steps == TROP_SETUP_TEXT || (steps == TROP_SETUP_FILE && !setup->again);

    if (is_asked && !trop_setup_given(setup, "time") && !flow->leap &&
        trop_dynamics_at(flow->dynamics)->continuous) {
        flow->time = 1e300; /* the largest */
    }
}

/* The step size of a flow that nobody gave, so that results have it. */
static void settle_gamma(struct trop_setup *setup, struct trop_flow_options *flow)
{
    static const char *const rivals[] = { "gamma", "alpha", "gammas", "alphas", "value" };
    int is_set = flow->draw_value != TROP_DRAW_VALUE_NONE ||
                 flow->gamma.kind != TROP_SCHEDULE_UNSET || flow->alpha > 0;

    for (size_t k = 0; k < sizeof rivals / sizeof rivals[0]; k++) {
        is_set |= trop_setup_given(setup, rivals[k]) != TROP_SETUP_DEFAULT;
    }
    if (!is_set && trop_dynamics_at(flow->dynamics)->gamma) {
        flow->gamma = trop_flow_pace(flow);
    }
}

void trop_setup_settle(struct trop_setup *setup)
{
    struct trop_flow_options *flow = trop_setup_flow(setup);

    if (flow) {
        settle_time(setup, flow);
        settle_gamma(setup, flow);
    }
}

int trop_setup_applies(const struct trop_setup *setup, const struct trop_option *option)
{
    return trop_option_applies(option, look_up, setup);
}

enum trop_status trop_setup_apply(const struct trop_setup *setup, int is_read)
{
    char text[256];

    for (int64_t p = 0; p < setup->count; p++) {
        const struct trop_setup_part *part = setup->parts + p;
        for (int64_t k = 0; part->table[k].name; k++) {
            const struct trop_option *option = part->table + k;
            if (!option->when || !part->sources[k] || is_late(option) != is_read) {
                continue;
            }
            trop_option_text(text, sizeof text, part->options, option);
            const int is_file = part->texts[k] != NULL || part->given[k].data != NULL;
            if ((is_file || !trop_option_is_off(option, text)) &&
                !trop_setup_applies(setup, option)) {
                return trop_option_refuse(option, look_up, setup);
            }
        }
    }
    return TROP_OK;
}
