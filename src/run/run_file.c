/* run_file.c -- the checkpoints of a run, which are parts of its result.
 *
 * docs/files.md describes them. What decides the result (/options, /input) and the
 * result itself (/result, /record) are apart from what does not (/machine, /clock),
 * so that equal runs have equal contents there.
 */
#include "run/run.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/status.h"
#include "io/h5/h5_seal.h"

static struct trop_value integer_value(int64_t integer)
{
    return (struct trop_value){ .kind = TROP_KIND_INTEGER, .integer = integer };
}

/* The state of the flow, and a sum over it and the records. */
static enum trop_status put_state(struct trop_h5 *h5, const struct trop_run *run)
{
    int64_t count = trop_flow_state_size(run->flow);
    int64_t *words = trop_alloc(count, sizeof *words);
    if (!words) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a checkpoint of %lld words",
                         (long long)count);
    }
    trop_flow_state_save(words, run->flow);
    uint64_t sum = trop_record_sum(&run->record, trop_checksum_words(0, words, count));
    struct trop_value state = {
        .kind = TROP_KIND_INTEGERS,
        .integers = words,
        .rank = 1,
        .shape = { count },
        .axes = { "word" },
    };
    struct trop_value checksum = integer_value((int64_t)sum);
    struct trop_value recorded = integer_value(run->recorded);
    enum trop_status status = trop_h5_put(h5, "/checkpoint/state", &state);
    if (status == TROP_OK) {
        status = trop_h5_put(h5, "/checkpoint/recorded", &recorded);
    }
    if (status == TROP_OK) {
        status = trop_h5_put(h5, "/checkpoint/checksum", &checksum);
    }
    trop_alloc_free(words);
    return status;
}

enum trop_status trop_run_write_part(struct trop_run *run)
{
    char *path = trop_parts_path(run->job->out, run->parts.last + 1);
    struct trop_h5 *h5 = NULL;
    enum trop_status status = path ? trop_out_open(&h5, path, "tropism flow checkpoint")
                                   : trop_fail(TROP_ERR_MEMORY, "no memory for a checkpoint");

    if (status == TROP_OK) {
        status = trop_job_put(h5, run->job);
        if (status == TROP_OK) {
            status = put_state(h5, run);
        }
        if (status == TROP_OK) {
            status = trop_h5_seal(h5);
        }
        status = trop_out_close(h5, status);
    }
    trop_alloc_free(path);
    if (status == TROP_OK) {
        run->parts.last++;
        trop_record_clear(&run->record);
    }
    return status;
}

/* The records of all parts, in order. */
enum trop_status trop_run_join(struct trop_run *run)
{
    enum trop_status status = TROP_OK;

    trop_record_clear(&run->record);
    for (int64_t part = 1; part <= run->parts.last && status == TROP_OK; part++) {
        char *path = trop_parts_path(run->job->out, part);
        struct trop_h5 *h5 = NULL;
        status = path ? trop_h5_open(&h5, path)
                      : trop_fail(TROP_ERR_MEMORY, "no memory to join the checkpoints");
        if (status == TROP_OK) {
            status = trop_record_get(&run->record, h5);
            trop_h5_abandon(h5);
        }
        trop_alloc_free(path);
    }
    run->joined = 1;
    return status;
}
