/* run_resume.c -- goes on with a run from its newest good part.
 *
 * Every part holds all options and input, the state, and the records since the part
 * before. The run is made again as it was made at first, and then takes the state;
 * from there on it cannot tell that it was away.
 */
#include "run/run.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/status.h"
#include "run/resume.h"

#include <stdio.h>
#include <string.h>

/* ---- a part back into a setup --------------------------------------------------------- */

static enum trop_status read_option(struct trop_setup *setup, struct trop_h5 *h5, const char *group,
                                    const char *name)
{
    char now[256];
    char *text = NULL;

    if (trop_h5_lacks(h5, group, name)) {
        return TROP_OK; /* the version that wrote it had no such option: the default */
    }
    enum trop_status status = trop_h5_text(&text, h5, group, name);
    if (status != TROP_OK) {
        return status;
    }
    trop_setup_text(now, sizeof now, setup, name);
    if (strcmp(text, "matrix") == 0 || strcmp(text, "@values") == 0) {
        status = trop_resume_input(setup, h5, name);
    } else if (*text && strcmp(now, text) != 0) { /* a default was not given: it is told as such */
        status = trop_setup_set(setup, name, text);
    }
    trop_alloc_free(text);
    return status;
}

static int is_machine(const char *name)
{
    return strcmp(name, "threads") == 0 || strcmp(name, "kernel") == 0;
}

enum trop_status trop_run_setup(struct trop_setup *setup, struct trop_h5 *h5)
{
    static const char *const own[][2] = { { "/options", "record" },
                                          { "/options", "every" },
                                          { "/machine", "checkpoint" },
                                          { "/machine", "print_tokens" } };
    const struct trop_option *table = trop_flow_option_table();
    enum trop_status status = TROP_OK;
    for (int64_t k = 0; table[k].name && status == TROP_OK; k++) {
        if (table[k].type != TROP_TYPE_ARRAY) {
            const char *group = is_machine(table[k].name) ? "/machine" : "/options";
            status = read_option(setup, h5, group, table[k].name);
        }
    }
    for (size_t k = 0; k < sizeof own / sizeof own[0] && status == TROP_OK; k++) {
        status = read_option(setup, h5, own[k][0], own[k][1]);
    }

    if (status == TROP_OK) {
        /* Tokens as they were given. Drawn ones are drawn again, unless this machine's C
         * library draws them differently: the caller compares. */
        status = trop_resume_input(setup, h5, "tokens");
        if (status == TROP_OK && trop_h5_exists(h5, "/input/masses")) {
            status = trop_resume_input(setup, h5, "masses");
        }
    }
    /* A wrong argument there is a wrong file here. */
    return status == TROP_ERR_ARG ? trop_fail(TROP_ERR_IO, "%s", trop_error()) : status;
}

/* ---- which part ------------------------------------------------------------------------ */

/* Whether part can be believed. Its records are read, and forgotten again. */
static enum trop_status try_part(struct trop_run *run, int *sealed, int64_t part)
{
    struct trop_h5 *h5 = NULL;
    int64_t *words = NULL, count = 0;
    enum trop_status status = trop_resume_open(&h5, sealed, run->job->out, part);

    if (status == TROP_OK) {
        trop_record_clear(&run->record);
        status = trop_record_get(&run->record, h5);
    }
    if (status == TROP_OK) {
        /* Reads the state and compares the sum over it and the records. */
        int64_t *sum = NULL, one = 0;
        status = trop_h5_integers(&words, &count, h5, "/checkpoint/state");
        if (status == TROP_OK) {
            status = trop_h5_integers(&sum, &one, h5, "/checkpoint/checksum");
        }
        if (status == TROP_OK &&
            (one != 1 || (uint64_t)*sum !=
                             trop_record_sum(&run->record, trop_checksum_words(0, words, count)))) {
            status = trop_fail(TROP_ERR_IO, "its checksum is wrong");
        }
        trop_alloc_free(sum);
    }
    trop_record_clear(&run->record);
    trop_alloc_free(words);
    trop_h5_abandon(h5);
    return status;
}

/* Sentences that are longer are cut: a notice is for the eye. */
static void add_notice(struct trop_run *run, const char *sentence)
{
    const size_t used = strlen(run->notice);

    snprintf(run->notice + used, sizeof run->notice - used, "%s%s", used ? "; " : "", sentence);
}

/* How many parts from the first on are good. A bad one is a matter for a notice; no
 * memory says nothing of a part. */
static enum trop_status count_good(int64_t *good, struct trop_run *run, int64_t parts)
{
    enum trop_status status = TROP_OK;
    int is_open = 0;

    for (*good = 0; *good < parts; ++*good) {
        int sealed = 1;
        status = try_part(run, &sealed, *good + 1);
        if (status != TROP_OK) {
            break;
        }
        is_open |= !sealed;
    }
    if (status == TROP_ERR_MEMORY) {
        return status;
    }
    if (*good == 0) {
        /* With the reason that the last one gave. */
        return trop_fail(
            TROP_ERR_IO,
            "%s.parts: no checkpoint can be used; remove the folder and start again (%.300s)",
            run->job->out, trop_error());
    }
    char sentence[420];
    if (status != TROP_OK) {
        snprintf(sentence, sizeof sentence,
                 "checkpoint %lld cannot be used, going on from the one before (%.300s)",
                 (long long)(*good + 1), trop_error());
        add_notice(run, sentence);
    }
    if (is_open) {
        add_notice(run, "the checkpoints have no seal, as early ones of 0.1: their state and "
                        "records were checked, their options and input were not");
    }
    return TROP_OK;
}

/* The state of the newest part before the first bad one. */
enum trop_status trop_run_load(struct trop_run *run)
{
    int64_t parts = 0, good = 0, *words = NULL, *recorded = NULL, count = 0, one = 0;
    enum trop_status status = trop_parts_open(&run->parts, run->job->out);

    if (status == TROP_OK) {
        status = trop_parts_count(&parts, run->job->out);
    }
    if (status == TROP_OK) {
        status = count_good(&good, run, parts);
    }
    if (status != TROP_OK) {
        return status;
    }
    struct trop_h5 *h5 = NULL;
    int sealed = 0;
    status = trop_resume_open(&h5, &sealed, run->job->out, good);
    if (status == TROP_OK) {
        status = trop_h5_integers(&words, &count, h5, "/checkpoint/state");
    }
    if (status == TROP_OK) {
        status = trop_flow_state_load(run->flow, words, count);
    }
    if (status == TROP_OK) {
        status = trop_h5_integers(&recorded, &one, h5, "/checkpoint/recorded");
    }
    struct trop_array seconds = { 0 };
    if (status == TROP_OK) {
        status = trop_h5_numbers(&seconds, h5, "/clock/seconds");
    }
    if (status == TROP_OK) {
        run->recorded = one == 1 ? *recorded : -1;
        run->saved = trop_flow_moves(run->flow);
        run->job->stamp.seconds = seconds.data[0];
        run->parts.last = good;
        trop_parts_trim(&run->parts);
    }
    trop_array_free(&seconds);
    TROP_FREE(words, recorded);
    trop_h5_abandon(h5);
    return status;
}

/* ---- the run again ----------------------------------------------------------------------- */

/* The first part that can be opened and has everything a run is made of; all parts
 * hold the same. */
static enum trop_status read_setup(struct trop_setup *setup, const char *out, int64_t parts)
{
    enum trop_status status = TROP_ERR_IO;

    for (int64_t part = 1; part <= parts; part++) {
        struct trop_h5 *h5 = NULL;
        char *source = NULL;
        int sealed = 0;
        status = trop_resume_open(&h5, &sealed, out, part);
        if (status == TROP_OK) {
            status = trop_resume_version(h5);
        }
        if (status == TROP_OK) {
            status = trop_run_setup(setup, h5);
        }
        if (status == TROP_OK) {
            status = trop_h5_text(&source, h5, "/input/tokens", "source");
        }
        setup->drawn = source && strcmp(source, "drawn") == 0;
        trop_alloc_free(source);
        trop_h5_abandon(h5);
        if (status == TROP_OK || status == TROP_ERR_UNSUPPORTED || status == TROP_ERR_MEMORY) {
            return status;
        }
    }
    return status;
}

/* Drawn tokens are drawn again; where that gives other bits, the stored ones count. */
enum trop_status trop_run_draw(struct trop_flow **out, struct trop_setup *setup)
{
    struct trop_flow_options *flow = trop_setup_flow(setup);
    const double *stored = flow->cloud.tokens;
    struct trop_flow *made = NULL;

    flow->cloud.tokens = setup->drawn ? NULL : stored;
    enum trop_status status = trop_flow_create(&made, flow);
    if (status == TROP_OK && setup->drawn &&
        memcmp(trop_flow_tokens(made), stored, (size_t)(flow->cloud.n * flow->cloud.d) * 8) != 0) {
        trop_flow_free(made);
        flow->cloud.tokens = stored;
        status = trop_flow_create(&made, flow);
    }
    if (status == TROP_OK) {
        *out = made;
    }
    return status;
}

enum trop_status trop_run_again(struct trop_setup **out, struct trop_setup *setup)
{
    const char *path = trop_setup_job(setup)->resume;
    struct trop_setup *again = NULL;
    int64_t parts = 0;

    if (!path) {
        return TROP_OK;
    }
    enum trop_status status =
        trop_resume_alone(setup, NULL, "threads, kernel, print-tokens, report and time-limit");
    if (status == TROP_OK) {
        status = trop_parts_count(&parts, path);
    }
    if (status == TROP_OK && parts == 0) {
        status = trop_resume_missing(path);
    }
    if (status == TROP_OK) {
        status = trop_setup_create(&again, "flow");
    }
    if (status != TROP_OK) {
        return status;
    }
    status = read_setup(again, path, parts);
    if (status != TROP_OK) {
        trop_setup_free(again);
        return status == TROP_ERR_ARG ? trop_fail(TROP_ERR_IO, "%s", trop_error()) : status;
    }
    /* What the caller gave beside resume wins over the part. */
    const struct trop_job_options *files = trop_setup_job(setup);
    const struct trop_flow_options *flow = trop_setup_flow(setup);
    trop_setup_job(again)->out = trop_setup_job(again)->resume = files->resume;
    trop_setup_job(again)->time_limit = files->time_limit;
    trop_setup_job(again)->report = files->report;
    if (trop_setup_given(setup, "print_tokens")) {
        trop_setup_job(again)->print_tokens = files->print_tokens;
    }
    if (trop_setup_given(setup, "threads")) {
        trop_setup_flow(again)->threads = flow->threads;
    }
    if (trop_setup_given(setup, "kernel")) {
        trop_setup_flow(again)->kernel = flow->kernel;
    }
    *out = again;
    return TROP_OK;
}
