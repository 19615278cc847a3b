/* reproduction.c -- figures and tables, our numbers beside the published ones. */
#include "claim/reproduction.h"

#include "base/alloc.h"
#include "base/status.h"
#include "claim/check.h"
#include "claim/sequences.h"
#include "run/out.h"
#include "run/verb.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define WIDTH 360 /* of a picture that does not say its size, in points */
#define HEIGHT 270

static void release(void *numbers)
{
    struct trop_reproduction *r = numbers;

    for (int64_t k = 0; r && k < r->count; k++) {
        trop_alloc_free(r->items[k].rows);
        trop_alloc_free(r->items[k].svg);
    }
    if (r) {
        trop_outside_close(r->outside);
        trop_case_free(r->given);
        trop_case_free(r->kept);
        trop_alloc_free(r->items);
        trop_alloc_free(r->out);
        trop_alloc_free(r);
    }
}

const char *const trop_reproduction_verdicts[] = {
    [TROP_REPRODUCTION_WAITING] = "waiting",         [TROP_REPRODUCTION_AGREES] = "reproduced",
    [TROP_REPRODUCTION_INDEPENDENT] = "independent", [TROP_REPRODUCTION_DIFFERS] = "differs",
    [TROP_REPRODUCTION_OPEN] = "not-decidable",      [TROP_REPRODUCTION_NEEDS_DATA] = "needs-data",
};

/* ---- making ---- */

static enum trop_status choose_all(struct trop_reproduction *r)
{
    const int64_t claims = trop_claim_count();

    r->items = trop_alloc(claims, sizeof *r->items);
    if (!r->items) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for reproductions");
    }
    for (int64_t k = 0; k < claims; k++) {
        if (trop_claim_is_shown(trop_claim_at(k))) {
            r->items[r->count++].claim = trop_claim_at(k);
        }
    }
    return TROP_OK;
}

static enum trop_status choose_one(struct trop_reproduction *r, const char *id)
{
    const struct trop_claim *claim = NULL;
    enum trop_status status = trop_check_claim(&claim, &r->outside, id);

    if (status == TROP_OK && !trop_claim_is_shown(claim)) {
        return trop_fail(TROP_ERR_ARG,
                         "claim = %s: is not a figure or table; 'tropism check %s' decides it", id,
                         id);
    }
    if (status != TROP_OK) {
        return status;
    }
    r->items = trop_alloc(1, sizeof *r->items);
    if (!r->items) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a reproduction");
    }
    r->items[r->count++].claim = claim;
    return TROP_OK;
}

/* Makes the folder and those above it before anything is computed, so that a long run does not fail
 * at the end for want of a folder. */
static enum trop_status make_folder(const char *path)
{
    char part[512];

    if (strlen(path) >= sizeof part - 64) {
        return trop_fail(TROP_ERR_ARG, "out: the name of the folder is too long");
    }
    for (size_t k = 1; k <= strlen(path); k++) {
        if (path[k] != '/' && path[k]) {
            continue;
        }
        snprintf(part, sizeof part, "%.*s", (int)k, path);
        if (mkdir(part, 0777) != 0 && errno != EEXIST) {
            return trop_fail(TROP_ERR_IO, "%s: cannot be computed: %s", part, strerror(errno));
        }
    }
    return TROP_OK;
}

/* What was given is read before anything is computed. */
static enum trop_status give_data(struct trop_reproduction *r,
                                  const struct trop_reproduction_options *o)
{
    int64_t takes = 0;

    for (int64_t k = 0; k < r->count; k++) {
        takes += trop_check_takes(r->items[k].claim, "ids");
    }
    if (!o->data) {
        return TROP_OK;
    }
    if (!takes) {
        return trop_fail(TROP_ERR_ARG, "data: is not an input of %s", r->items->claim->id);
    }
    enum trop_status status = trop_case_create(&r->given, r->seed, 0, r->effort, r->threads);
    return status == TROP_OK ? trop_sequences_read(r->given, o->data, 0) : status;
}

static enum trop_status fill(struct trop_reproduction *r, const struct trop_reproduction_options *o)
{
    r->seed = o->seed;
    r->all = o->claim && strcmp(o->claim, "all") == 0;
    r->effort = o->quick ? TROP_CASE_QUICK : TROP_CASE_FULL;
    r->threads = o->threads > 0 ? o->threads : trop_parallel_cores();
    enum trop_status status = r->all ? choose_all(r) : choose_one(r, o->claim);
    if (status == TROP_OK) {
        r->claim = r->items->claim;
        status = trop_out_copy(&r->out, o->out);
    }
    if (status == TROP_OK) {
        status = give_data(r, o);
    }
    return status == TROP_OK ? make_folder(r->out) : status;
}

static enum trop_status create(void **out, struct trop_setup *setup, struct trop_job *job)
{
    struct trop_reproduction *r = trop_alloc(1, sizeof *r);
    enum trop_status status = r ? fill(r, trop_setup_reproduction(setup))
                                : trop_fail(TROP_ERR_MEMORY, "no memory for a reproduction");

    (void)job;
    if (status != TROP_OK) {
        release(r);
        return status;
    }
    *out = r;
    return TROP_OK;
}

/* ---- one figure or table ---- */

static enum trop_status write_pictures(struct trop_reproduction *r,
                                       struct trop_reproduction_item *item,
                                       struct trop_figure *figure)
{
    static const char *const endings[] = { "pdf", "png", "svg" };
    enum trop_status status = TROP_OK;

    for (size_t k = 0; k < sizeof endings / sizeof endings[0] && status == TROP_OK; k++) {
        snprintf(item->figure, sizeof item->figure, "%.400s/%.64s.%s", r->out, item->claim->id,
                 endings[k]);
        status = trop_figure_write(figure, item->figure);
    }
    if (status == TROP_OK && r->all) {
        status = trop_figure_svg(&item->svg, &item->svg_size, figure);
    }
    return status;
}

static enum trop_status draw(struct trop_reproduction *r, struct trop_reproduction_item *item,
                             struct trop_case *c)
{
    const struct trop_claim *claim = item->claim;
    struct trop_figure *figure = NULL;

    if (!trop_claim_has_picture(claim)) {
        return TROP_OK;
    }
    enum trop_status status =
        trop_figure_create(&figure, claim->size[0] > 0 ? claim->size[0] : WIDTH,
                           claim->size[1] > 0 ? claim->size[1] : HEIGHT);
    if (status == TROP_OK) {
        status = trop_claim_picture(claim, figure, c);
    }
    if (status == TROP_OK) {
        status = write_pictures(r, item, figure);
    }
    trop_figure_free(figure);
    return status;
}

/* Lines of one name are one row, the tightest of them: a figure may say the same of many runs. */
static void join_rows(struct trop_reproduction_item *item, struct trop_judge *judge)
{
    int64_t count = 0;

    for (int64_t k = 0; judge->list && k < judge->count; k++) {
        int64_t at = 0;
        while (at < count && strcmp(judge->list[at].name, judge->list[k].name) != 0) {
            at++;
        }
        if (at == count || !(judge->list[at].tightness <= judge->list[k].tightness)) {
            judge->list[at] = judge->list[k];
        }
        count += at == count;
    }
    item->rows = judge->list;
    item->count = count;
}

/* Agreement counts when at least half of the rows could have failed. */
static int is_decided(const struct trop_reproduction_item *item)
{
    int64_t weak = 0;

    for (int64_t k = 0; k < item->count; k++) {
        weak += trop_judge_is_weak(item->rows + k);
    }
    return 2 * weak <= item->count;
}

/* The numbers are shown whatever the hypotheses say of them; the verdict asks for both. */
static enum trop_status judge(struct trop_reproduction_item *item, struct trop_case *c, int *worked)
{
    struct trop_trial trial = { .judge.keep = 1 };
    enum trop_status status = trop_trial_run(&trial, item->claim, c, *worked);

    *worked = status == TROP_OK && (!trial.hypothesis || trial.hypothesis->late);
    if (*worked && trial.hypothesis) {
        trial.judge.side = TROP_JUDGE_CONCLUSION;
        status = trop_claim_conclude(item->claim, &trial.judge, c);
    }
    join_rows(item, &trial.judge);
    const int64_t agrees = item->claim->source == TROP_CLAIM_PAPER ? TROP_REPRODUCTION_AGREES
                                                                   : TROP_REPRODUCTION_INDEPENDENT;
    item->verdict = trial.verdict == TROP_VERDICT_VIOLATED ? TROP_REPRODUCTION_DIFFERS
                    : trial.verdict == TROP_VERDICT_HOLDS && is_decided(item)
                        ? agrees
                        : TROP_REPRODUCTION_OPEN;
    return status;
}

/* The published numbers of an experiment that needs outside data, and ours at a smaller scale. */
static enum trop_status show_published(struct trop_reproduction_item *item, struct trop_case *c,
                                       int *worked)
{
    const struct trop_claim *claim = item->claim;
    struct trop_judge lines = { .side = TROP_JUDGE_CONCLUSION, .keep = 1 };
    enum trop_status status = TROP_OK;

    for (const struct trop_published *p = claim->published; p && p->name; p++) {
        trop_judge_beside(&lines, p->name, NAN, p->value);
    }
    if (trop_claim_has_work(claim) && !*worked) {
        status = trop_claim_work(claim, c);
        *worked = status == TROP_OK;
    }
    if (status == TROP_OK && trop_claim_has_work(claim)) {
        status = trop_claim_conclude(claim, &lines, c);
    }
    item->verdict = TROP_REPRODUCTION_NEEDS_DATA;
    join_rows(item, &lines);
    return status == TROP_OK && lines.failed
               ? trop_fail(TROP_ERR_MEMORY, "no memory for published numbers")
               : status;
}

/* Of a single figure its own count is told, of all how many are made. */
static int ask(void *context, int64_t done, int64_t total)
{
    const struct trop_reproduction *r = context;

    return r->progress &&
           r->progress(r->context, r->count > 1 ? r->at : done, r->count > 1 ? r->count : total);
}

static enum trop_status draw_case(struct trop_case **out, struct trop_reproduction *r,
                                  const struct trop_claim *claim)
{
    struct trop_case *c = NULL;
    const int is_given = r->given && trop_check_takes(claim, "ids");
    enum trop_status status = is_given ? trop_case_copy(&c, r->given)
                                       : trop_case_create(&c, r->seed, 0, r->effort, r->threads);

    if (status == TROP_OK) {
        c->progress = ask;
        c->context = r;
        status = trop_claim_has_work(claim) ? trop_claim_draw(claim, c) : TROP_OK;
    }
    if (status != TROP_OK) {
        trop_case_free(c);
        return status;
    }
    *out = c;
    return TROP_OK;
}

/* A case that another claim has worked out serves where both begin alike. */
static int is_kept(const struct trop_reproduction *r, const struct trop_claim *claim)
{
    return r->kept && trop_claim_begins_as(r->kept_of, claim);
}

static enum trop_status make_item(struct trop_reproduction *r, struct trop_reproduction_item *item)
{
    const double start = trop_stamp_now();
    int worked = is_kept(r, item->claim);
    struct trop_case *c = worked ? r->kept : NULL;
    enum trop_status status = worked ? TROP_OK : draw_case(&c, r, item->claim);

    if (status == TROP_OK) {
        status = trop_claim_needs_data(item->claim) ? show_published(item, c, &worked)
                                                    : judge(item, c, &worked);
    }
    if (status == TROP_OK) {
        status = draw(r, item, c);
    }
    if (c != r->kept) {
        trop_case_free(worked ? r->kept : c);
    }
    if (worked) {
        r->kept = c;
        r->kept_of = item->claim;
    }
    item->seconds = trop_stamp_now() - start;
    return status;
}

static enum trop_status run(void *numbers, trop_progress *progress, void *context)
{
    struct trop_reproduction *r = numbers;
    enum trop_status status = TROP_OK;

    r->start = trop_stamp_now();
    r->progress = progress;
    r->context = context;
    for (int64_t k = 0; k < r->count && status == TROP_OK; k++) {
        if (progress && progress(context, k, r->count)) {
            status = trop_fail(TROP_ERR_STOPPED, "stopped after %lld of %lld", (long long)k,
                               (long long)r->count);
            break;
        }
        r->at = k;
        status = make_item(r, r->items + k);
        r->rows = r->items->rows;
    }
    if (r->all && (status == TROP_OK || status == TROP_ERR_STOPPED)) {
        char sentence[256];
        snprintf(sentence, sizeof sentence, "%s", trop_error());
        snprintf(r->report, sizeof r->report, "%.400s/report.html", r->out);
        const enum trop_status written = trop_reproduction_html(r, r->report);
        status = status == TROP_OK ? written : trop_fail(status, "%s", sentence);
    }
    return status;
}

static const struct trop_field *chosen(const void *numbers)
{
    const struct trop_reproduction *r = numbers;

    return r->all ? trop_reproduction_all_table() : trop_reproduction_field_table();
}

static const char *notice(const void *numbers)
{
    return trop_outside_notice(((const struct trop_reproduction *)numbers)->outside);
}

/* out is a folder: the result itself has no file. */
const struct trop_noun trop_reproduction_noun = {
    .create = create,
    .free = release,
    .run = run,
    .notice = notice,
    .fields = trop_reproduction_field_table,
    .chosen = chosen,
};
