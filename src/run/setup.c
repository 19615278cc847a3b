/* setup.c -- the options of a run, gathered from texts and from a YAML file.
 *
 * Two tables: of the run (files, records) and of its flow. Every option remembers
 * where it came from, so that the command line wins over a file also where two
 * options exclude each other.
 */
#include "run/setup.h"

#include "base/alloc.h"
#include "base/option.h"
#include "base/status.h"
#include "io/yaml.h"

#include <string.h>

enum trop_status trop_setup_create(struct trop_setup **out)
{
    struct trop_setup *setup = trop_alloc(1, sizeof *setup);

    if (!setup) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for the options of a run");
    }
    setup->run = trop_run_options_default();
    setup->flow = trop_flow_options_default();
    *out = setup;
    return TROP_OK;
}

void trop_setup_free(struct trop_setup *setup)
{
    if (!setup) {
        return;
    }
    for (int k = 0; k < TROP_SETUP_MAX; k++) {
        trop_alloc_free(setup->texts[0][k]);
        trop_alloc_free(setup->texts[1][k]);
        trop_alloc_free(setup->arrays[k]);
    }
    trop_alloc_free(setup->tokens);
    trop_alloc_free(setup->masses);
    trop_alloc_free(setup);
}

struct trop_flow_options *trop_setup_flow(struct trop_setup *setup)
{
    return &setup->flow;
}

struct trop_run_options *trop_setup_run(struct trop_setup *setup)
{
    return &setup->run;
}

/* ---- one option -------------------------------------------------------------------- */

/* Where a name stands: in the table of the run or of the flow. */
struct place {
    const struct trop_option *table, *option;
    void *options;
    int which; /* 0: run, 1: flow */
    int64_t index;
};

static int find(struct place *out, struct trop_setup *setup, const char *name)
{
    const struct trop_option *tables[] = { trop_run_option_table(), trop_flow_option_table() };
    void *options[] = { &setup->run, &setup->flow };

    for (int which = 0; which < 2; which++) {
        const struct trop_option *option = trop_option_find(tables[which], name);
        if (option && option->type != TROP_TYPE_ARRAY) {
            *out = (struct place){ tables[which], option, options[which], which,
                                   option - tables[which] };
            return out->index < TROP_SETUP_MAX;
        }
    }
    return 0;
}

int trop_setup_given(const struct trop_setup *setup, const char *name)
{
    struct place place;

    /* find only hands the pointer on. */
    return find(&place, (struct trop_setup *)setup, name) ? setup->sources[place.which][place.index]
                                                          : TROP_SETUP_DEFAULT;
}

static enum trop_status refuse_name(const char *name)
{
    const char *run = trop_option_nearest(trop_run_option_table(), name);
    const char *flow = trop_option_nearest(trop_flow_option_table(), name);
    const char *nearest = run ? run : flow;

    if (run && flow && trop_option_distance(name, flow) < trop_option_distance(name, run)) {
        nearest = flow;
    }
    return trop_fail(TROP_ERR_ARG, "%s: unknown option%s%s%s", name,
                     nearest ? ", did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

static size_t type_size(int64_t type)
{
    switch ((enum trop_type)type) {
    case TROP_TYPE_SCHEDULE:
        return sizeof(struct trop_schedule);
    case TROP_TYPE_MATRIX:
        return sizeof(struct trop_matrix);
    case TROP_TYPE_COUNT:
        return sizeof(struct trop_count);
    case TROP_TYPE_INT64:
    case TROP_TYPE_SEED:
    case TROP_TYPE_DOUBLE:
    case TROP_TYPE_CHOICE:
    case TROP_TYPE_FLAG:
        return sizeof(int64_t);
    case TROP_TYPE_TEXT:
    case TROP_TYPE_ARRAY:
        break;
    }
    return sizeof(void *);
}

static void reset(struct trop_setup *setup, const char *name)
{
    struct place place;
    struct trop_run_options run = trop_run_options_default();
    struct trop_flow_options flow = trop_flow_options_default();

    if (!find(&place, setup, name)) {
        return;
    }
    const char *defaults = place.which ? (const char *)&flow : (const char *)&run;
    memcpy((char *)place.options + place.option->offset, defaults + place.option->offset,
           type_size(place.option->type));
    setup->sources[place.which][place.index] = TROP_SETUP_DEFAULT;
    trop_alloc_free(setup->texts[place.which][place.index]);
    setup->texts[place.which][place.index] = NULL;
}

/* What is set later by text drops what a file said of its rivals. */
static void drop_rivals(struct trop_setup *setup, const char *name)
{
    static const char *const rivals[][2] = {
        { "tokens", "init" }, { "tokens", "n" },    { "tokens", "d" },
        { "init", "tokens" }, { "gamma", "alpha" }, { "alpha", "gamma" },
    };

    for (size_t k = 0; k < sizeof rivals / sizeof rivals[0]; k++) {
        if (strcmp(rivals[k][0], name) == 0 &&
            trop_setup_given(setup, rivals[k][1]) == TROP_SETUP_FILE) {
            reset(setup, rivals[k][1]);
        }
    }
}

int trop_setup_ends(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);

    return length > tail && strcmp(text + length - tail, ending) == 0;
}

/* 1 when the text is a file that is read later, and not a value. */
static int names_file(const struct trop_option *option, const char *text)
{
    if (option->type == TROP_TYPE_SCHEDULE) {
        return text[0] == '@' && text[1];
    }
    return option->type == TROP_TYPE_MATRIX &&
           (trop_setup_ends(text, ".npy") || trop_setup_ends(text, ".csv") ||
            trop_setup_ends(text, ".txt") || trop_setup_ends(text, ".h5") ||
            trop_setup_ends(text, ".hdf5") || strstr(text, ".h5:/") || strstr(text, ".hdf5:/"));
}

enum trop_status trop_setup_set(struct trop_setup *setup, const char *name, const char *text)
{
    struct place place;

    if (!find(&place, setup, name)) {
        return refuse_name(name);
    }
    char *copy = trop_alloc((int64_t)strlen(text) + 1, 1);
    if (!copy) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for its text", name);
    }
    strcpy(copy, text);
    if (place.option->type == TROP_TYPE_TEXT && !*text) {
        trop_alloc_free(copy);
        return trop_fail(TROP_ERR_ARG, "%s: must not be empty", place.option->name);
    }
    if (!names_file(place.option, text)) {
        enum trop_status status = trop_option_set(place.options, place.table, name, copy);
        if (status != TROP_OK) {
            trop_alloc_free(copy);
            return status;
        }
        if (place.option->type != TROP_TYPE_TEXT) {
            trop_alloc_free(copy);
            copy = NULL;
        }
    }
    trop_alloc_free(setup->texts[place.which][place.index]);
    setup->texts[place.which][place.index] = copy;
    setup->sources[place.which][place.index] = setup->reading ? TROP_SETUP_FILE : TROP_SETUP_TEXT;
    if (!setup->reading) {
        drop_rivals(setup, place.option->name);
    }
    return TROP_OK;
}

/* ---- a file of options --------------------------------------------------------------- */

static enum trop_status take(void *context, const char *name, const char *text)
{
    return trop_setup_set(context, name, text);
}

enum trop_status trop_setup_read(struct trop_setup *setup, const char *path)
{
    setup->reading = 1;
    enum trop_status status = trop_yaml_read(path, take, setup);
    setup->reading = 0;
    return status;
}
