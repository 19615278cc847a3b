/* study_lanes.c -- points of a study side by side, in the lanes of trop_copies.
 *
 * Lanes carry flows that differ in their seed, beta, epsilon, alpha and gamma. The points of a
 * block that agree in everything else are a group; what lanes do not finish, because it failed or
 * takes too long, is computed as a job of its own, which says why.
 */
#include "run/study/study_work.h"

#include "base/option.h"
#include "base/status.h"
#include "flow/flow.h"
#include "run/job.h"
#include "run/study/spec/study_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEED TROP_STUDY_LANES
#define FIELDS_SIZE 8192

enum state { LEFT, OVER, TRIED }; /* of a point in hand */

static const char *const lane_names[] = { "beta", "epsilon", "alpha", "gamma", "seed" };

/* Which of the names it is; -1: none. */
static int lane_of(const char *name)
{
    for (int k = 0; k <= SEED; k++) {
        if (strcmp(lane_names[k], name) == 0) {
            return k;
        }
    }
    return -1;
}

/* 1 when all that the axis varies is a number of its own in each lane. */
static int is_lane(const struct trop_study_axis *axis)
{
    int all = 1;

    for (int64_t k = 0; k < axis->width; k++) {
        all = all && axis->numeric[k] && lane_of(axis->names[k]) >= 0;
    }
    return all;
}

static int has_lanes(const struct trop_study_spec *spec)
{
    int found = 0;

    for (int64_t a = 0; a < spec->axes_count; a++) {
        found = found || (is_lane(spec->axes + a) && spec->axes[a].count > 1);
    }
    return found;
}

/* The fields of the result without records, separated by commas; 0: they are too many. */
static int list_fields(char *out, const struct trop_study_spec *spec)
{
    size_t used = 0;

    for (int64_t k = 0; k < spec->keep_count; k++) {
        const char *name = spec->keep[k], *slash = strchr(name, '/');
        const size_t length = slash ? (size_t)(slash - name) : strlen(name);
        if (strncmp(name, "record.", 7) == 0) {
            continue;
        }
        if (used + length + 2 > FIELDS_SIZE) {
            return 0;
        }
        memcpy(out + used, name, length);
        used += length;
        out[used++] = ',';
    }
    out[used > 0 ? used - 1 : 0] = '\0';
    return 1;
}

/* 1 when what jobs alone know is kept: whether others can check what certifies the result. */
static int keeps_standing(const struct trop_study_spec *spec)
{
    int found = 0;

    for (int64_t k = 0; k < spec->keep_count; k++) {
        found |= strcmp(spec->keep[k], "standing") == 0;
    }
    return found;
}

int trop_study_lanes_take(const struct trop_study_spec *spec)
{
    char fields[FIELDS_SIZE];

    return strcmp(spec->verb, "flow") == 0 && has_lanes(spec) && list_fields(fields, spec) &&
           !keeps_standing(spec);
}

/* ---- groups -----------------------------------------------------------------------------------
 */

static int is_off(const struct trop_study_spec *spec, int64_t axis, int64_t k, int64_t point)
{
    char room[TROP_STUDY_NUMBER];
    const struct trop_option *option =
        trop_option_find(trop_flow_option_table(), spec->axes[axis].names[k]);

    return option && trop_option_is_off(
                         option, trop_study_spec_value(room, spec->axes + axis, k,
                                                       trop_study_spec_place(spec, axis, point)));
}

/* 1 when the two differ in nothing but numbers of lanes, and these are off in both or in none:
 * where an option is refused, an off one is not. */
static int are_alike(const struct trop_study_spec *spec, int64_t a, int64_t b)
{
    int alike = 1;

    for (int64_t x = 0; x < spec->axes_count && alike; x++) {
        const struct trop_study_axis *axis = spec->axes + x;
        const int same = trop_study_spec_place(spec, x, a) == trop_study_spec_place(spec, x, b);
        alike = same || is_lane(axis);
        for (int64_t k = 0; k < axis->width && alike && !same; k++) {
            alike = is_off(spec, x, k, a) == is_off(spec, x, k, b);
        }
    }
    return alike;
}

/* The numbers of copy `copy`, which is a point. */
static void put_numbers(struct trop_study_worker *worker, int64_t copy, int64_t point)
{
    const struct trop_study_spec *spec = worker->work->spec;
    char room[TROP_STUDY_NUMBER];

    for (int64_t a = 0; a < spec->axes_count; a++) {
        for (int64_t k = 0; k < spec->axes[a].width && is_lane(spec->axes + a); k++) {
            const int lane = lane_of(spec->axes[a].names[k]);
            const char *text = trop_study_spec_value(room, spec->axes + a, k,
                                                     trop_study_spec_place(spec, a, point));
            if (lane == SEED) {
                worker->seeds[copy] = strtoull(text, NULL, 10);
            } else {
                worker->numbers[lane * worker->work->block + copy] = strtod(text, NULL);
            }
        }
    }
}

/* Which numbers vary, as bits. */
static unsigned varied(const struct trop_study_spec *spec)
{
    unsigned bits = 0;

    for (int64_t a = 0; a < spec->axes_count; a++) {
        for (int64_t k = 0; k < spec->axes[a].width && is_lane(spec->axes + a); k++) {
            bits |= 1U << lane_of(spec->axes[a].names[k]);
        }
    }
    return bits;
}

/* ---- lanes ------------------------------------------------------------------------------------
 */

static enum trop_status end(void *context, int64_t copy, enum trop_status status,
                            struct trop_flow *flow)
{
    struct trop_study_worker *worker = context;
    const int64_t k = worker->member[copy];

    if (atomic_load(&worker->work->stop)) {
        return trop_fail(TROP_ERR_STOPPED, "stopped");
    }
    if (status != TROP_OK || worker->over[k] == OVER) {
        return TROP_OK;
    }
    worker->copy = copy;
    if (trop_study_point_values(worker, trop_flow_field_table(), flow, NULL) == TROP_OK) {
        const struct trop_study_record record = { .point = worker->points[k],
                                                  .state = TROP_STUDY_DONE,
                                                  .sentence = "",
                                                  .values = worker->values };
        trop_study_work_take(worker, &record);
        worker->over[k] = OVER;
    }
    if (worker->record) {
        trop_copies_record_drop(worker->record, copy);
    }
    return TROP_OK;
}

static enum trop_status look(void *context, int64_t copy, struct trop_flow *flow)
{
    const struct trop_study_worker *worker = context;

    return trop_copies_record_take(worker->record, copy, flow);
}

/* What the visitor sees of the steps, where something is recorded. */
static enum trop_status open_record(struct trop_copies_visitor *visitor,
                                    struct trop_copies_record *record,
                                    struct trop_study_worker *worker, struct trop_setup *setup,
                                    int64_t copies)
{
    const struct trop_job_options *o = trop_setup_job(setup);
    struct trop_flow *first = NULL;

    if (!o->record) {
        return TROP_OK;
    }
    visitor->look = look;
    visitor->watch = o->record;
    visitor->every = o->every;
    worker->record = record;
    enum trop_status status = trop_flow_create(&first, trop_setup_flow(setup));
    if (status == TROP_OK) {
        status = trop_copies_record_open(record, first, o->record, copies);
    }
    trop_flow_free(first);
    return status;
}

static int watch(void *context, int64_t done, int64_t total)
{
    struct trop_study_worker *worker = context;

    (void)done;
    (void)total;
    return trop_study_work_stopped(worker) || trop_stamp_now() >= worker->limit_at;
}

static enum trop_status make(struct trop_copies **out, struct trop_copies_record *record,
                             struct trop_study_worker *worker, int64_t copies, const char *fields)
{
    const struct trop_study_work *work = worker->work;
    struct trop_copies_visitor visitor = { .context = worker, .end = end, .fields = fields };
    const unsigned bits = varied(work->spec);
    struct trop_copies_options o = trop_copies_options_default();
    const double **numbers[] = { &o.beta, &o.epsilon, &o.alpha, &o.gamma };
    struct trop_setup *setup = NULL;

    enum trop_status status =
        trop_study_point_setup(&setup, work->spec, worker->points[worker->member[0]], 1);
    if (status == TROP_OK) {
        status = trop_job_read(setup);
    }
    if (status == TROP_OK) {
        status = open_record(&visitor, record, worker, setup, copies);
    }
    if (status == TROP_OK) {
        o.flow = *trop_setup_flow(setup);
        o.copies = copies;
        o.visitor = &visitor;
        o.seed = worker->seeds;
        for (int k = 0; k < SEED; k++) {
            *numbers[k] = bits >> k & 1 ? worker->numbers + k * work->block : NULL;
        }
        /* Without an axis of seeds every copy has the one that was given. */
        for (int64_t c = 0; !(bits >> SEED & 1) && c < copies; c++) {
            worker->seeds[c] = o.flow.cloud.seed;
        }
        status = trop_copies_create(out, &o);
    }
    trop_setup_free(setup);
    return status;
}

static void run_group(struct trop_study_worker *worker, int64_t copies, const char *fields)
{
    struct trop_study_work *work = worker->work;
    struct trop_copies *made = NULL;
    struct trop_copies_record record = { 0 };

    for (int64_t c = 0; c < copies; c++) {
        put_numbers(worker, c, worker->points[worker->member[c]]);
    }
    worker->limit_at =
        work->point_limit > 0 ? trop_stamp_now() + work->point_limit : (double)INFINITY;
    if (work->reads_h5) {
        pthread_mutex_lock(&work->h5);
    }
    const enum trop_status status = make(&made, &record, worker, copies, fields);
    if (work->reads_h5) {
        pthread_mutex_unlock(&work->h5);
    }
    if (status == TROP_OK && !*trop_copies_alone(made)) {
        trop_copies_run(made, watch, worker); /* what it did not do is done one by one */
    }
    trop_copies_free(made);
    trop_copies_record_free(&record);
    worker->record = NULL;
}

void trop_study_lanes_run(struct trop_study_worker *worker)
{
    const struct trop_study_spec *spec = worker->work->spec;
    char fields[FIELDS_SIZE];

    if (!list_fields(fields, spec)) {
        return;
    }
    for (int64_t k = 0; k < worker->count && !trop_study_work_stopped(worker); k++) {
        int64_t copies = 0;
        if (worker->over[k] != LEFT || trop_study_refused_point(spec, worker->points[k])) {
            continue;
        }
        for (int64_t l = k; l < worker->count; l++) {
            if (worker->over[l] == LEFT && !trop_study_refused_point(spec, worker->points[l]) &&
                are_alike(spec, worker->points[k], worker->points[l])) {
                worker->over[l] = TRIED;
                worker->member[copies++] = l;
            }
        }
        if (copies > 1) {
            run_group(worker, copies, fields);
        }
    }
    for (int64_t k = 0; k < worker->count; k++) {
        worker->over[k] = worker->over[k] == OVER;
    }
}

/* ---- why not ----------------------------------------------------------------------------------
 */

static enum trop_status see_nothing(void *context, int64_t copy, enum trop_status status,
                                    struct trop_flow *flow)
{
    (void)context;
    (void)copy;
    (void)status;
    (void)flow;
    return TROP_OK;
}

/* The reason of the first point that is not refused stands for all. */
void trop_study_lanes_why(char *out, int64_t size, const struct trop_study_spec *spec)
{
    char fields[FIELDS_SIZE];
    const struct trop_copies_visitor visitor = { .end = see_nothing, .fields = fields };
    struct trop_copies_options o = trop_copies_options_default();
    struct trop_setup *setup = NULL;
    struct trop_copies *made = NULL;

    out[0] = '\0';
    if (strcmp(spec->verb, "flow") != 0 || spec->count < 2) {
        return;
    }
    if (!trop_study_lanes_take(spec) || !list_fields(fields, spec)) {
        snprintf(out, (size_t)size, "points are computed one by one, not in lanes: %s",
                 keeps_standing(spec) ? "standing is kept"
                 : has_lanes(spec)    ? "too many fields are kept"
                                   : "seed, beta, epsilon, alpha or gamma must vary, by numbers");
        return;
    }
    if (trop_study_point_setup(&setup, spec, trop_study_refused_none(spec), 1) == TROP_OK &&
        trop_job_read(setup) == TROP_OK) {
        o.flow = *trop_setup_flow(setup);
        o.copies = 1;
        o.visitor = &visitor;
        if (trop_copies_create(&made, &o) == TROP_OK && *trop_copies_alone(made)) {
            snprintf(out, (size_t)size, "points are computed one by one, not in lanes: %s",
                     trop_copies_alone(made));
        }
    }
    trop_copies_free(made);
    trop_setup_free(setup);
}
