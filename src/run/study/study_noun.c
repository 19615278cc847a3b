/* study_noun.c -- the verb study: a study run, counted, merged, asked, or made a job script. */
#include "run/study/catalogue/study_catalogue.h"
#include "run/study/study_work.h"

#include "base/alloc.h"
#include "base/field.h"
#include "base/status.h"
#include "io/csv.h"
#include "io/file.h"
#include "io/folder.h"
#include "run/job.h"
#include "run/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDERS_MAX 4096

struct study {
    struct trop_study_options options; /* texts are copies */
    struct trop_study_run_options how;
    struct trop_study *study; /* of run and slurm, of status when points failed */
    struct trop_study_counts counts;
    struct trop_study_table *table;
    char *script;
    char *text;                       /* that file was, cut into folders */
    const char *folders[FOLDERS_MAX]; /* NULL-ended */
    const char **columns, **lines;    /* of the table, for people */
    int64_t columns_count, lines_count;
    int64_t rank;
    char *room; /* of columns and lines */
    char command[1200], notice[4096];
    const char *version;
    const char *failed; /* owned by study */
    double seconds;
};

static void release(void *numbers)
{
    struct study *s = numbers;

    trop_study_free(s->study);
    trop_study_table_free(s->table);
    trop_study_text_free(s->script);
    TROP_FREE(s->text, (void *)s->columns, (void *)s->lines, s->room, (void *)s->options.file,
              (void *)s->options.out, (void *)s->options.by, (void *)s->options.mean,
              (void *)s->options.where, (void *)s->options.time, s);
}

/* ---- making ---------------------------------------------------------------------------------- */

static enum trop_status copy_options(struct study *s, const struct trop_study_options *o)
{
    const char **texts[] = { &s->options.file, &s->options.out,   &s->options.by,
                             &s->options.mean, &s->options.where, &s->options.time };
    const char *const given[] = { o->file, o->out, o->by, o->mean, o->where, o->time };

    s->options = *o;
    for (int k = 0; k < 6; k++) {
        *texts[k] = NULL;
    }
    for (int k = 0; k < 6; k++) {
        char *copy = NULL;
        enum trop_status status = trop_out_copy(&copy, given[k]);
        if (status != TROP_OK) {
            return status;
        }
        *texts[k] = copy;
    }
    s->options.report = NULL; /* the job's */
    s->options.shard = NULL;  /* read while the caller's is there */
    return TROP_OK;
}

static enum trop_status refuse_words(const char *what, const char *example)
{
    return trop_fail(TROP_ERR_ARG, "file: which %s? tropism study %s", what, example);
}

/* The folders of file, separated by commas. */
static enum trop_status split_folders(struct study *s)
{
    int64_t count = 0;
    enum trop_status status = trop_out_copy(&s->text, s->options.file);

    /* A folder may have commas in its name. */
    const int is_one =
        status == TROP_OK && s->options.action != TROP_STUDY_MERGE && trop_folder_is(s->text);
    for (char *at = s->text; at && status == TROP_OK;) {
        const char *parts = is_one ? NULL : trop_file_comma(at);
        char *comma = parts ? at + (parts - at) : NULL;
        if (comma) {
            *comma++ = '\0';
        }
        if (count == FOLDERS_MAX - 1) {
            return trop_fail(TROP_ERR_ARG, "file: more than %d folders", FOLDERS_MAX - 1);
        }
        s->folders[count++] = at;
        at = comma;
    }
    if (status == TROP_OK && count > 1 && s->options.action != TROP_STUDY_MERGE) {
        return trop_fail(TROP_ERR_ARG, "%s: one folder at a time, merge takes several",
                         s->folders[1]);
    }
    return status;
}

static enum trop_status create_run(struct study *s, const char *shard)
{
    struct trop_study_run_options *how = &s->how;
    char words[400] = "";
    int64_t ranks = 1;
    enum trop_status status = TROP_OK;

    /* Who speaks, and whether ranks share blocks, has to be known from here on. */
    trop_study_ranks_begin(&s->rank, &ranks);
    trop_study_ranks_end();
    if (!s->options.out) {
        return refuse_words("folder", "run FILE.yaml --out DIR");
    }
    status =
        shard ? trop_study_shard_read(&how->shard, &how->shards, shard)
              : trop_study_shard_guess(&how->shard, &how->shards, words, sizeof words, ranks == 1);
    if (status == TROP_OK) {
        status = trop_study_read(&s->study, s->options.file);
    }
    if (status == TROP_OK && s->options.proof) {
        status = trop_study_proof_check(&s->study->spec);
    }
    if (status != TROP_OK) {
        return status;
    }
    how->point_limit = s->options.point_limit;
    how->time_limit = s->options.time_limit;
    how->extend = s->options.extend;
    how->threads = s->options.threads;
    how->command = s->command;
    how->proof = s->options.proof;
    snprintf(s->command, sizeof s->command, "tropism study run %.500s --out %.500s%s",
             s->options.file, s->options.out, how->proof ? " --proof" : "");
    if (s->rank == 0) {
        const char *lanes = how->proof && trop_study_lanes_take(&s->study->spec)
                                ? "points are computed one by one, not in lanes: proof is of each"
                                : trop_study_notice(s->study);
        const char *refused = trop_study_refused(s->study);
        const char *const all[] = { words, lanes, refused, trop_study_seedless(s->study) };
        for (size_t k = 0, used = 0; k < sizeof all / sizeof all[0];
             k++, used = strlen(s->notice)) {
            snprintf(s->notice + used, sizeof s->notice - used, "%s%s",
                     used > 0 && all[k][0] ? "; " : "", all[k]);
        }
    }
    return TROP_OK;
}

static enum trop_status create_slurm(struct study *s)
{
    if (!s->options.out) {
        return refuse_words("folder", "slurm FILE.yaml --out DIR");
    }
    return trop_study_read(&s->study, s->options.file);
}

/* A table is written by its ending. */
static enum trop_status create_table(struct study *s)
{
    static const char *const endings[] = { ".csv", ".json", NULL };

    enum trop_status status = trop_out_check(s->options.out, endings);
    if (status == TROP_OK && s->options.out && trop_out_is_h5(s->options.out)) {
        status = trop_fail(TROP_ERR_ARG, "out = %s: must end in .csv or .json", s->options.out);
    }
    return status == TROP_OK && s->options.out ? trop_file_check(s->options.out) : status;
}

static enum trop_status create_action(struct study *s, const char *shard)
{
    static const char *const examples[] = {
        "run FILE.yaml --out DIR",
        "status DIR",
        "merge DIR...",
        "table DIR --by NAMES",
        "slurm FILE.yaml --out DIR --tasks N",
    };
    const int64_t action = s->options.action;

    if (!s->options.file) {
        return refuse_words(action == TROP_STUDY_RUN || action == TROP_STUDY_SLURM ? "study"
                                                                                   : "folder",
                            examples[action]);
    }
    switch ((enum trop_study_action)action) {
    case TROP_STUDY_RUN:
        return create_run(s, shard);
    case TROP_STUDY_SLURM:
        return create_slurm(s);
    case TROP_STUDY_TABLE: {
        enum trop_status status = create_table(s);
        return status == TROP_OK ? split_folders(s) : status;
    }
    case TROP_STUDY_STATUS:
    case TROP_STUDY_MERGE:
        break;
    }
    return split_folders(s);
}

static enum trop_status create(void **out, struct trop_setup *setup, struct trop_job *job)
{
    const struct trop_study_options *o = trop_setup_study(setup);
    struct study *s = trop_alloc(1, sizeof *s);

    (void)job;
    if (!s) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a study");
    }
    s->version = trop_version();
    enum trop_status status = copy_options(s, o);
    if (status == TROP_OK) {
        status = create_action(s, o->shard);
    }
    if (status != TROP_OK) {
        release(s);
        return status;
    }
    *out = s;
    return TROP_OK;
}

/* ---- a table in words ------------------------------------------------------------------------ */

static enum trop_status print_table(struct study *s)
{
    const enum trop_status status =
        trop_study_lines_create(&s->lines, &s->room, s->table, s->columns_count);

    s->lines_count = status == TROP_OK ? trop_study_table_rows(s->table) + 1 : 0;
    return status;
}

/* Of a table that stands in a file: how long it is, and where. */
static enum trop_status print_written(struct study *s)
{
    const size_t size = strlen(s->options.out) + 64;
    char *room = trop_alloc(2, size);

    s->room = room;
    s->lines = trop_alloc(2, sizeof *s->lines);
    if (!s->lines || !s->room) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a table");
    }
    snprintf(s->room, size, "%-13s%lld", "rows", (long long)trop_study_table_rows(s->table));
    snprintf(room + size, size, "%-13s%s", "written to", s->options.out);
    s->lines[s->lines_count++] = s->room;
    s->lines[s->lines_count++] = room + size;
    return TROP_OK;
}

/* ---- files ----------------------------------------------------------------------------------- */

static void put_json(struct trop_json *json, const struct study *s)
{
    trop_json_open(json, "rows", '[');
    for (int64_t row = 0; row < trop_study_table_rows(s->table); row++) {
        trop_json_open(json, NULL, '[');
        for (int64_t k = 0; k < s->columns_count; k++) {
            struct trop_value value = { 0 };
            if (trop_study_table_cell(&value, s->table, row, k) != TROP_OK) {
                value = (struct trop_value){ 0 };
            }
            trop_json_value(json, NULL, &value);
        }
        trop_json_close(json, ']');
    }
    trop_json_close(json, ']');
}

static void json(struct trop_json *out, const void *numbers, int64_t limit)
{
    const struct study *s = numbers;

    (void)limit;
    if (s->table) {
        put_json(out, s);
    }
}

static enum trop_status write_csv(const struct study *s)
{
    struct trop_csv csv;
    enum trop_status status = trop_csv_open(&csv);

    for (int64_t row = -1; row < trop_study_table_rows(s->table) && status == TROP_OK; row++) {
        for (int64_t k = 0; k < s->columns_count && status == TROP_OK; k++) {
            struct trop_value value = { .kind = TROP_KIND_TEXT, .text = s->columns[k] };
            if (row >= 0) {
                status = trop_study_table_cell(&value, s->table, row, k);
            }
            trop_csv_cell(&csv, &value);
        }
        trop_csv_row(&csv);
    }
    return trop_csv_close(&csv, s->options.out, status);
}

static enum trop_status write_table(const struct study *s)
{
    struct trop_json out = { 0 };
    const struct trop_value columns = {
        .kind = TROP_KIND_TEXTS, .texts = s->columns, .rank = 1, .shape = { s->columns_count }
    };

    if (trop_setup_ends(s->options.out, ".csv")) {
        return write_csv(s);
    }
    trop_json_open(&out, NULL, '{');
    trop_json_value(&out, "columns", &columns);
    put_json(&out, s);
    return trop_out_object(s->options.out, &out);
}

/* ---- computing ------------------------------------------------------------------------------- */

static enum trop_status ask(struct study *s)
{
    const struct trop_study_table_options options = {
        .by = s->options.by,
        .mean = s->options.mean,
        .deviation = s->options.deviation,
        .where = s->options.where,
    };
    enum trop_status status = trop_study_table_create(&s->table, s->folders[0], &options);

    while (status == TROP_OK && trop_study_table_column(s->table, s->columns_count)) {
        s->columns_count++;
    }
    s->columns = status == TROP_OK ? trop_alloc(s->columns_count, sizeof *s->columns) : NULL;
    if (status == TROP_OK && !s->columns) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a table");
    }
    for (int64_t k = 0; k < s->columns_count; k++) {
        s->columns[k] = trop_study_table_column(s->table, k);
    }
    if (status == TROP_OK) {
        status = s->options.out ? write_table(s) : print_table(s);
    }
    return status == TROP_OK && s->options.out ? print_written(s) : status;
}

/* A run of which nothing came is no success; a part of one may be just those points. */
static enum trop_status compute(struct study *s, trop_progress *progress, void *context)
{
    enum trop_status status =
        trop_study_run(&s->counts, s->study, s->options.out, &s->how, progress, context);

    if (s->rank > 0 || s->counts.failed == 0 || (status != TROP_OK && status != TROP_ERR_STOPPED)) {
        return status;
    }
    char stop[512];
    snprintf(stop, sizeof stop, "%s", trop_error());
    s->failed = trop_study_failed(s->study, s->options.out);
    if (status == TROP_ERR_STOPPED) {
        return trop_fail(status, "%s", stop);
    }
    return s->counts.done == 0 && s->how.shards <= 1
               ? trop_fail(TROP_ERR_IO, "no point has a result")
               : TROP_OK;
}

static enum trop_status count(struct study *s)
{
    enum trop_status status = trop_study_count(&s->counts, s->folders[0]);

    if (status == TROP_OK && s->counts.failed > 0) {
        status = trop_study_read(&s->study, s->folders[0]);
        s->failed = status == TROP_OK ? trop_study_failed(s->study, s->folders[0]) : NULL;
    }
    return status;
}

static enum trop_status run(void *numbers, trop_progress *progress, void *context)
{
    struct study *s = numbers;
    const double start = trop_stamp_now();
    enum trop_status status = TROP_OK;

    switch ((enum trop_study_action)s->options.action) {
    case TROP_STUDY_RUN:
        status = compute(s, progress, context);
        break;
    case TROP_STUDY_STATUS:
        return count(s); /* with its seconds */
    case TROP_STUDY_MERGE:
        status = trop_study_merge(s->folders[0], s->folders + 1, progress, context);
        if (status == TROP_OK) {
            status = trop_study_catalogue_count(&s->counts, s->folders[0]);
            s->counts.proofs = -1;
        }
        break;
    case TROP_STUDY_TABLE:
        status = ask(s);
        break;
    case TROP_STUDY_SLURM:
        status = trop_study_slurm(&s->script, s->study, &s->options);
        break;
    }
    s->seconds = s->counts.seconds = trop_stamp_now() - start;
    return status;
}

/* ---- what it tells --------------------------------------------------------------------------- */

TROP_FIELD_READ(read_columns)
{
    const struct study *s = handle;

    (void)row;
    *out = (struct trop_value){
        .kind = TROP_KIND_TEXTS, .texts = s->columns, .rank = 1, .shape = { s->columns_count }
    };
    return TROP_OK;
}

TROP_FIELD_READ(read_proofs)
{
    const struct study *s = handle;

    (void)row;
    if (s->counts.proofs >= 0) {
        trop_field_integer(out, s->counts.proofs);
    }
    return TROP_OK;
}

TROP_FIELD_READ(read_lines)
{
    const struct study *s = handle;

    (void)row;
    *out = (struct trop_value){
        .kind = TROP_KIND_TEXTS, .texts = s->lines, .rank = 1, .shape = { s->lines_count }
    };
    return TROP_OK;
}

#define AT(member) TROP_FIELD_AT(struct study, member)
#define COUNT(member) .kind = TROP_KIND_INTEGER, AT(member)
#define STAMP \
    { "seconds", "elapsed seconds", .kind = TROP_KIND_NUMBER, AT(seconds) }, \
        { "version", "version of tropism", .kind = TROP_KIND_TEXT, AT(version) }, \
    { \
        0 \
    }
#define RANK \
    { \
        "rank", "rank in one mpirun, of which only rank 0 prints; not in JSON", COUNT(rank) \
    }

static const struct trop_field count_fields[] = {
    { "points", "points of the study, of a run those of its part", COUNT(counts.points) },
    { "done", "number of points that have a result", COUNT(counts.done) },
    { "failed", "number of points whose row says why there is not a result", COUNT(counts.failed) },
    { "late", "number of failed points that exceeded the point limit", COUNT(counts.late) },
    { "left", "number of points that have no row yet", COUNT(counts.left) },
    { "failure", "how many points failed, and why the first did; null when none has, and of merge",
      .kind = TROP_KIND_TEXT, AT(failed) },
    { "proofs", "number of points whose proof is in the folder; null of merge",
      .read = read_proofs },
    { "seconds", "elapsed seconds: of this run, or for status of all runs together",
      .kind = TROP_KIND_NUMBER, AT(counts.seconds) },
    { "version", "version of tropism", .kind = TROP_KIND_TEXT, AT(version) },
    RANK,
    { 0 },
};
static const struct trop_field table_fields[] = {
    { "columns", "names of the columns", .read = read_columns },
    { "rows", "an array for each row, with an entry for each column", AT(version),
      .kind = TROP_KIND_NULL },
    { "lines", "the table in words; in no JSON", .read = read_lines },
    STAMP,
};
static const struct trop_field script_fields[] = {
    { "script", "the job script", .kind = TROP_KIND_TEXT, AT(script) },
    STAMP,
};

const struct trop_field *trop_study_field_table(void)
{
    return count_fields;
}

const struct trop_field *trop_study_answer_table(void)
{
    return table_fields;
}

const struct trop_field *trop_study_script_table(void)
{
    return script_fields;
}

static const struct trop_field *chosen(const void *numbers)
{
    const struct study *s = numbers;

    return s->options.action == TROP_STUDY_TABLE   ? table_fields
           : s->options.action == TROP_STUDY_SLURM ? script_fields
                                                   : count_fields;
}

/* How the numbers come about again; in both languages a study is its file. */
static void put_call(struct trop_html *call, const struct study *s)
{
    const struct trop_study_options *o = &s->options;
    const char *names[] = { "by", "mean", "where" };
    const char *const texts[] = { o->by, o->mean, o->where };
    const int is_run = o->action == TROP_STUDY_RUN;

    trop_html_put(call,
                  "<p>The same numbers, from the command line:</p>\n<pre><code>tropism study ");
    trop_html_put(call, is_run ? "run " : "table ");
    trop_report_shell(call, o->file);
    if (is_run) {
        trop_html_put(call, " --out ");
        trop_report_shell(call, o->out);
    }
    for (int k = 0; k < 3; k++) {
        if (texts[k]) {
            trop_html_putf(call, " --%s ", names[k]);
            trop_report_shell(call, texts[k]);
        }
    }
    trop_html_put(call, o->deviation ? " --deviation" : o->proof ? " --proof" : "");
    trop_html_put(call, "</code></pre>\n<p>From Python:</p>\n<pre><code>import tropism as tr\n\n"
                        "study = tr.study(");
    trop_report_quoted(call, o->file);
    trop_html_put(call, is_run ? ").run(out=" : ")\ntable = study.table(");
    if (is_run) {
        trop_report_quoted(call, o->out);
        trop_html_put(call, o->proof ? ", proof=True" : "");
    }
    int given = 0;
    for (int k = 0; k < 3; k++) {
        if (texts[k]) {
            trop_html_putf(call, "%s%s=", given++ ? ", " : "", names[k]);
            trop_report_quoted(call, texts[k]);
        }
    }
    trop_html_put(call, !o->deviation ? "" : given ? ", deviation=True" : "deviation=True");
    trop_html_put(call, ")</code></pre>\n");
}

static enum trop_status html(const struct trop_job *job, const char *path)
{
    const struct study *s = job->numbers;
    const int is_run = s->options.action == TROP_STUDY_RUN;
    const struct trop_study_table_options question = { .by = s->options.by,
                                                       .mean = s->options.mean,
                                                       .deviation = s->options.deviation,
                                                       .where = s->options.where };
    struct trop_html call = { 0 };

    if (s->rank > 0) { /* rank 0 speaks */
        return TROP_OK;
    }
    put_call(&call, s);
    const enum trop_status status =
        call.failed ? trop_fail(TROP_ERR_MEMORY, "no memory for a page")
                    : trop_report_study(path, is_run ? s->options.out : s->folders[0], call.text,
                                        &question);
    trop_alloc_free(call.text);
    return status;
}

static int shows(const void *numbers, const struct trop_field *field, int64_t limit)
{
    (void)numbers;
    (void)limit;
    return strcmp(field->name, "lines") != 0 && strcmp(field->name, "rank") != 0 &&
           strcmp(field->name, "rows") != 0;
}

static const char *notice(const void *numbers)
{
    return ((const struct study *)numbers)->notice;
}

const struct trop_noun trop_study_noun = {
    .create = create,
    .free = release,
    .run = run,
    .fields = trop_study_field_table,
    .chosen = chosen,
    .shows = shows,
    .bare = 1,
    .json = json,
    .html = html,
    .notice = notice,
};
