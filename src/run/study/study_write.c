/* study_write.c -- the log of one worker: records are appended, and nothing is ever changed.
 *
 * What was flushed is the system's and outlives the process. A file that ends inside a frame was
 * torn there, by a kill, a full disk or a power cut; readers take what is before.
 */
#include "run/study/study_log.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/status.h"
#include "io/array.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FLUSHED (1 << 16) /* bytes that are written at once when nobody asks before */

struct trop_study_writer {
    char path[4096];
    int file;
    int64_t keep_count;
    unsigned char *bytes;
    int64_t used, room;
    enum trop_status status; /* of the first write that failed: nothing follows it */
    char sentence[512];
};

uint64_t trop_study_write_sum(uint32_t kind, const void *payload, int64_t size)
{
    return trop_checksum_bytes(0x5eed + kind, payload, size);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static int make_room(struct trop_study_writer *w, int64_t size)
{
    if (w->used + size <= w->room) {
        return 1;
    }
    const int64_t room = 2 * (w->used + size);
    unsigned char *larger = trop_alloc(room, 1);
    if (!larger) {
        return 0;
    }
    if (w->used > 0) {
        memcpy(larger, w->bytes, (size_t)w->used);
    }
    trop_alloc_free(w->bytes);
    w->bytes = larger;
    w->room = room;
    return 1;
}

static void put(struct trop_study_writer *w, const void *bytes, int64_t size)
{
    if (size > 0) {
        memcpy(w->bytes + w->used, bytes, (size_t)size);
        w->used += size;
    }
}

static int64_t frame_open(struct trop_study_writer *w, uint32_t kind)
{
    const int64_t at = w->used;
    const uint32_t size = 0;

    put(w, &size, 4);
    put(w, &kind, 4);
    return at;
}

static void frame_close(struct trop_study_writer *w, int64_t at)
{
    const uint32_t size = (uint32_t)(w->used - at - 8);
    uint32_t kind;

    memcpy(&kind, w->bytes + at + 4, 4);
    memcpy(w->bytes + at, &size, 4);
    const uint64_t sum = trop_study_write_sum(kind, w->bytes + at + 8, size);
    put(w, &sum, 8);
}

/* ---- values ---------------------------------------------------------------------------------- */

static int is_array(int64_t kind)
{
    return kind == TROP_KIND_NUMBERS || kind == TROP_KIND_INTEGERS || kind == TROP_KIND_BOOLEANS;
}

/* Bytes that a value takes at most. */
static int64_t size_of(const struct trop_value *value)
{
    int64_t size = 64;

    size += value->kind == TROP_KIND_TEXT ? (int64_t)strlen(value->text) + 1 : 0;
    size += is_array(value->kind) ? 8 * trop_array_count(value->rank, value->shape) : 0;
    for (int64_t k = 0; value->kind == TROP_KIND_TEXTS && k < value->shape[0]; k++) {
        size += (int64_t)strlen(value->texts[k]) + 1;
    }
    return size;
}

static void put_array(struct trop_study_writer *w, const struct trop_value *value)
{
    const uint8_t rank = (uint8_t)value->rank;

    put(w, &rank, 1);
    put(w, value->shape, 8 * value->rank);
    put(w,
        value->kind == TROP_KIND_NUMBERS ? (const void *)value->numbers
                                         : (const void *)value->integers,
        8 * trop_array_count(value->rank, value->shape));
}

static void put_value(struct trop_study_writer *w, const struct trop_value *value)
{
    const uint8_t kind = (uint8_t)value->kind;

    put(w, &kind, 1);
    switch ((enum trop_kind)value->kind) {
    case TROP_KIND_NUMBER:
        put(w, &value->number, 8);
        break;
    case TROP_KIND_INTEGER:
    case TROP_KIND_BOOLEAN:
        put(w, &value->integer, 8);
        break;
    case TROP_KIND_TEXT:
        put(w, value->text, (int64_t)strlen(value->text) + 1);
        break;
    case TROP_KIND_NUMBERS:
    case TROP_KIND_INTEGERS:
    case TROP_KIND_BOOLEANS:
        put_array(w, value);
        break;
    case TROP_KIND_TEXTS:
        put(w, &value->shape[0], 8);
        for (int64_t k = 0; k < value->shape[0]; k++) {
            put(w, value->texts[k], (int64_t)strlen(value->texts[k]) + 1);
        }
        break;
    case TROP_KIND_LIST: /* none is kept */
    case TROP_KIND_NULL:
        break;
    }
}

/* ---- the file -------------------------------------------------------------------------------- */

static enum trop_status fail_for(struct trop_study_writer *w, const char *why)
{
    snprintf(w->sentence, sizeof w->sentence, "%.400s: %s", w->path, why);
    w->status = TROP_ERR_IO;
    return trop_fail(TROP_ERR_IO, "%s", w->sentence);
}

static enum trop_status fail(struct trop_study_writer *w)
{
    return fail_for(w, strerror(errno));
}

static enum trop_status spill(struct trop_study_writer *w)
{
    if (w->status != TROP_OK) {
        return trop_fail(w->status, "%s", w->sentence);
    }
    for (int64_t done = 0; done < w->used;) {
        const ssize_t wrote = write(w->file, w->bytes + done, (size_t)(w->used - done));
        if (wrote < 0 && errno != EINTR) {
            return fail(w);
        }
        done += wrote > 0 ? wrote : 0;
    }
    w->used = 0;
    /* Without a name the file takes all that is written, and is gone with this process. */
    struct stat about;
    return fstat(w->file, &about) == 0 && about.st_nlink == 0
               ? fail_for(w, "was removed while the study ran")
               : TROP_OK;
}

static enum trop_status put_head(struct trop_study_writer *w, const struct trop_study_spec *spec,
                                 const struct trop_study_source *source)
{
    const char *texts[] = { source->version, source->command, source->machine, source->shard };
    int64_t size = 256;

    for (int k = 0; k < 4; k++) {
        texts[k] = texts[k] ? texts[k] : "";
        size += (int64_t)strlen(texts[k]) + 1;
    }
    if (!make_room(w, size)) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a log");
    }
    put(w, TROP_STUDY_MAGIC, TROP_STUDY_MAGIC_SIZE);
    const int64_t at = frame_open(w, TROP_STUDY_HEAD);
    put(w, &spec->id, 8);
    put(w, &source->started, 8);
    put(w, &spec->keep_count, 8);
    for (int k = 0; k < 4; k++) {
        put(w, texts[k], (int64_t)strlen(texts[k]) + 1);
    }
    frame_close(w, at);
    return spill(w);
}

enum trop_status trop_study_write_create(struct trop_study_writer **out, const char *dir,
                                         const struct trop_study_spec *spec,
                                         const struct trop_study_source *source, int64_t worker)
{
    struct trop_study_writer *w = trop_alloc(1, sizeof *w);

    if (!w) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a log");
    }
    w->keep_count = spec->keep_count;
    snprintf(w->path, sizeof w->path, "%.3900s/log/%.100s-%lld.log", dir, source->name,
             (long long)worker);
    w->file = open(w->path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    enum trop_status status = w->file < 0 ? fail(w) : put_head(w, spec, source);
    if (status != TROP_OK) {
        if (w->file >= 0) {
            close(w->file);
        }
        TROP_FREE(w->bytes, w);
        return status;
    }
    *out = w;
    return TROP_OK;
}

enum trop_status trop_study_write_put(struct trop_study_writer *w,
                                      const struct trop_study_record *record)
{
    const struct trop_study_fixed fixed = {
        .point = record->point,
        .state = (uint8_t)record->state,
        .status = (uint8_t)record->status,
        .has_values = record->values != NULL,
        .proof = (uint8_t)record->proof,
        .sentence = (uint32_t)strlen(record->sentence) + 1,
        .limit = record->limit,
    };
    int64_t size = 64 + fixed.sentence;

    for (int64_t k = 0; record->values && k < w->keep_count; k++) {
        size += size_of(record->values + k);
    }
    if (size > INT32_MAX) {
        return trop_fail(TROP_ERR_ARG, "keep: what point %lld keeps is more than 2 GiB",
                         (long long)record->point);
    }
    if (!make_room(w, size)) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for the results of a point");
    }
    const int64_t at = frame_open(w, TROP_STUDY_RECORD);
    put(w, &fixed, sizeof fixed);
    put(w, record->sentence, fixed.sentence);
    for (int64_t k = 0; record->values && k < w->keep_count; k++) {
        put_value(w, record->values + k);
    }
    frame_close(w, at);
    return w->used >= FLUSHED ? spill(w) : TROP_OK;
}

enum trop_status trop_study_write_flush(struct trop_study_writer *w, double seconds)
{
    if (w->used == 0) {
        return w->status == TROP_OK ? TROP_OK : trop_fail(w->status, "%s", w->sentence);
    }
    if (!make_room(w, 64)) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a log");
    }
    const int64_t at = frame_open(w, TROP_STUDY_CLOCK);
    put(w, &seconds, 8);
    frame_close(w, at);
    return spill(w);
}

enum trop_status trop_study_write_close(struct trop_study_writer *w, double seconds)
{
    if (!w) {
        return TROP_OK;
    }
    enum trop_status status = trop_study_write_flush(w, seconds);
    /* EINVAL: of what cannot be synced, such as a pipe. */
    if (status == TROP_OK && fsync(w->file) != 0 && errno != EINVAL && errno != EROFS) {
        status = fail(w);
    }
    if (close(w->file) != 0 && status == TROP_OK) {
        status = fail(w);
    }
    TROP_FREE(w->bytes, w);
    return status;
}
