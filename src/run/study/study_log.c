/* study_log.c -- the logs of a study, read. */
#include "run/study/study_log.h"

#include "base/alloc.h"
#include "base/status.h"
#include "io/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENDING ".log"
#define BUFFER ((int64_t)1 << 20)
#define GENERATIONS 1000

/* ---- names ----------------------------------------------------------------------------------- */

struct names {
    char **name;
    int64_t count, room;
};

static void names_free(struct names *names)
{
    for (int64_t k = 0; k < names->count; k++) {
        trop_alloc_free(names->name[k]);
    }
    trop_alloc_free(names->name);
}

static int names_add(struct names *names, const char *name, size_t length)
{
    if (names->count == names->room) {
        char **larger = trop_alloc(2 * names->room + 64, sizeof *larger);
        if (!larger) {
            return 0;
        }
        if (names->count > 0) {
            memcpy(larger, names->name, (size_t)names->count * sizeof *larger);
        }
        trop_alloc_free(names->name);
        names->name = larger;
        names->room = 2 * names->room + 64;
    }
    char *copy = trop_alloc((int64_t)length + 1, 1);
    if (copy) {
        memcpy(copy, name, length);
        names->name[names->count++] = copy;
    }
    return copy != NULL;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names of the logs without their ending, in order; a folder without logs has none. */
static enum trop_status names_read(struct names *out, const char *folder)
{
    DIR *open = opendir(folder);
    enum trop_status status = TROP_OK;

    if (!open) {
        return errno == ENOENT ? TROP_OK
                               : trop_fail(TROP_ERR_IO, "%s: %s", folder, strerror(errno));
    }
    for (struct dirent *entry; status == TROP_OK && (entry = readdir(open));) {
        const size_t length = strlen(entry->d_name), tail = strlen(ENDING);
        if (length > tail && strcmp(entry->d_name + length - tail, ENDING) == 0 &&
            !names_add(out, entry->d_name, length - tail)) {
            status = trop_fail(TROP_ERR_MEMORY, "%s: no memory for its names", folder);
        }
    }
    closedir(open);
    if (out->count > 1) {
        qsort(out->name, (size_t)out->count, sizeof *out->name, by_bytes);
    }
    return status;
}

/* ---- one file -------------------------------------------------------------------------------- */

struct scan {
    const char *dir;
    const struct trop_study_spec *spec;
    int values; /* 1: they are read */
    trop_study_visit *visit;
    void *context;

    /* the file in hand */
    int file;
    int64_t left; /* bytes that the buffer has not seen */
    unsigned char *bytes;
    int64_t at, end, room;
    struct trop_study_source source;
    char *head; /* its texts */
    double clock;
    uint64_t id;
    const struct trop_study_map *map; /* NULL: points are the spec's */
    int64_t folder, folders;          /* of its proofs; of those of the present study */

    struct trop_value *value; /* (keep_count) */
    unsigned char *store;     /* what they point to */
    int64_t stored;

    struct {
        uint64_t id;
        struct trop_study_map *map;
        int64_t folder;
    } maps[16];
    int64_t maps_count;
};

/* Makes so many bytes from at on available: 1, or 0 where the file ends before, or -1. */
static int need(struct scan *s, int64_t size)
{
    if (s->end - s->at >= size) {
        return 1;
    }
    if (s->end - s->at + s->left < size) {
        return 0;
    }
    memmove(s->bytes, s->bytes + s->at, (size_t)(s->end - s->at));
    s->end -= s->at;
    s->at = 0;
    if (size > s->room) {
        unsigned char *larger = trop_alloc(2 * size, 1);
        if (!larger) {
            return -1;
        }
        memcpy(larger, s->bytes, (size_t)s->end);
        trop_alloc_free(s->bytes);
        s->bytes = larger;
        s->room = 2 * size;
    }
    while (s->end < size) {
        const ssize_t got = read(s->file, s->bytes + s->end, (size_t)(s->room - s->end));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return 0; /* what cannot be read is as lost as what is torn */
        }
        s->end += got;
        s->left -= got;
    }
    return 1;
}

/* The next whole frame: 1, or 0 where the file ends or is torn, or -1. */
static int next_frame(struct scan *s, uint32_t *kind, unsigned char **payload, int64_t *size)
{
    uint32_t length;
    uint64_t sum;
    int there = need(s, TROP_STUDY_FRAME);

    if (there <= 0) {
        return there;
    }
    memcpy(&length, s->bytes + s->at, 4);
    memcpy(kind, s->bytes + s->at + 4, 4);
    there = need(s, TROP_STUDY_FRAME + (int64_t)length);
    if (there <= 0) {
        return there;
    }
    *payload = s->bytes + s->at + 8;
    *size = length;
    memcpy(&sum, *payload + length, 8);
    if (sum != trop_study_write_sum(*kind, *payload, length)) {
        return 0;
    }
    s->at += TROP_STUDY_FRAME + (int64_t)length;
    return 1;
}

/* The zero-ended text at *at, which moves behind it; NULL: there is none. */
static const char *take_text(const unsigned char **at, const unsigned char *end)
{
    const unsigned char *zero = *at < end ? memchr(*at, 0, (size_t)(end - *at)) : NULL;
    const char *text = (const char *)*at;

    *at = zero ? zero + 1 : *at;
    return zero ? text : NULL;
}

static int take(void *out, const unsigned char **at, const unsigned char *end, int64_t size)
{
    if (end - *at < size) {
        return 0;
    }
    memcpy(out, *at, (size_t)size);
    *at += size;
    return 1;
}

/* ---- values ---------------------------------------------------------------------------------- */

static int take_array(struct trop_value *value, struct scan *s, const unsigned char **at,
                      const unsigned char *end)
{
    uint8_t rank;
    int64_t count = 1;

    if (!take(&rank, at, end, 1) || rank > 3 || !take(value->shape, at, end, 8 * (int64_t)rank)) {
        return 0;
    }
    for (int k = 0; k < rank; k++) {
        count = trop_alloc_product(count, value->shape[k]);
    }
    if (count < 0 || count > (end - *at) / 8) {
        return 0;
    }
    void *room = s->store + s->stored;
    s->stored += 8 * count;
    value->rank = rank;
    value->numbers = value->kind == TROP_KIND_NUMBERS ? room : NULL;
    value->integers = value->kind == TROP_KIND_NUMBERS ? NULL : room;
    return take(room, at, end, 8 * count);
}

static int take_texts(struct trop_value *value, struct scan *s, const unsigned char **at,
                      const unsigned char *end)
{
    const char **texts = (const char **)(void *)(s->store + s->stored);

    if (!take(value->shape, at, end, 8) || value->shape[0] < 0 || value->shape[0] > end - *at) {
        return 0;
    }
    s->stored += 8 * value->shape[0];
    value->rank = 1;
    value->texts = texts;
    for (int64_t k = 0; k < value->shape[0]; k++) {
        texts[k] = take_text(at, end);
        if (!texts[k]) {
            return 0;
        }
    }
    return 1;
}

static int take_value(struct trop_value *value, struct scan *s, const unsigned char **at,
                      const unsigned char *end)
{
    uint8_t kind;

    *value = (struct trop_value){ 0 };
    if (!take(&kind, at, end, 1)) {
        return 0;
    }
    value->kind = kind;
    switch ((enum trop_kind)kind) {
    case TROP_KIND_NUMBER:
        return take(&value->number, at, end, 8);
    case TROP_KIND_INTEGER:
    case TROP_KIND_BOOLEAN:
        return take(&value->integer, at, end, 8);
    case TROP_KIND_TEXT:
        value->text = take_text(at, end);
        return value->text != NULL;
    case TROP_KIND_NUMBERS:
    case TROP_KIND_INTEGERS:
    case TROP_KIND_BOOLEANS:
        return take_array(value, s, at, end);
    case TROP_KIND_TEXTS:
        return take_texts(value, s, at, end);
    case TROP_KIND_LIST:
    case TROP_KIND_NULL:
        return kind == TROP_KIND_NULL;
    }
    return 0;
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* The map of points of a study with this id, one of the folder's. */
static enum trop_status find_map(struct scan *s)
{
    s->map = NULL;
    s->folder = s->folders;
    if (s->id == s->spec->id) {
        return TROP_OK;
    }
    for (int64_t k = 0; k < s->maps_count; k++) {
        if (s->maps[k].id == s->id) {
            s->map = s->maps[k].map;
            s->folder = s->maps[k].folder;
            return TROP_OK;
        }
    }
    for (int64_t g = 0; g < GENERATIONS && s->maps_count < 16; g++) {
        struct trop_study_spec old = { 0 };
        enum trop_status status = trop_study_spec_open(&old, s->dir, g);
        if (status != TROP_OK) {
            break;
        }
        struct trop_study_map *map = NULL;
        const int is_it = old.id == s->id;
        status = is_it ? trop_study_map_create(&map, &old, s->spec, 1) : TROP_OK;
        trop_study_spec_free(&old);
        if (is_it) {
            s->folder = g > 0 ? g - 1 : s->folders;
            s->maps[s->maps_count].id = s->id;
            s->maps[s->maps_count].folder = s->folder;
            s->maps[s->maps_count++].map = map;
            s->map = map;
            return status;
        }
    }
    return trop_fail(TROP_ERR_IO, "%s/log/%s.log: is of another study than the folder's", s->dir,
                     s->source.name);
}

/* 1, or 0 where it is no head that we know; -1: no memory. */
static int take_head(struct scan *s, const unsigned char *payload, int64_t size)
{
    const unsigned char *at, *end = payload + size;
    int64_t keep_count;

    trop_alloc_free(s->head);
    s->head = trop_alloc(size + 1, 1);
    if (!s->head) {
        return -1;
    }
    memcpy(s->head, payload, (size_t)size);
    at = (const unsigned char *)s->head;
    end = at + size;
    if (!take(&s->id, &at, end, 8) || !take(&s->source.started, &at, end, 8) ||
        !take(&keep_count, &at, end, 8)) {
        return 0;
    }
    s->source.version = take_text(&at, end);
    s->source.command = take_text(&at, end);
    s->source.machine = take_text(&at, end);
    s->source.shard = take_text(&at, end);
    return s->source.shard != NULL && keep_count == s->spec->keep_count;
}

static enum trop_status damaged(const struct scan *s)
{
    return trop_fail(TROP_ERR_IO, "%s/log/%s.log: is not a log of this version", s->dir,
                     s->source.name);
}

static enum trop_status take_record(struct scan *s, const unsigned char *payload, int64_t size)
{
    const unsigned char *at = payload, *end = payload + size;
    struct trop_study_fixed fixed;

    if (!take(&fixed, &at, end, sizeof fixed) || fixed.sentence < 1 || end - at < fixed.sentence) {
        return damaged(s);
    }
    const int64_t point = s->map ? trop_study_map_point(s->map, fixed.point) : fixed.point;
    if (point < 0 || point >= s->spec->count) {
        return TROP_OK;
    }
    struct trop_study_record record = {
        .point = point,
        .state = fixed.state,
        .status = fixed.status,
        .limit = fixed.limit,
        .sentence = (const char *)at,
        .proof = fixed.proof,
        .proof_folder = s->folder,
        .proof_point = fixed.point,
    };
    at += fixed.sentence;
    s->stored = 0;
    for (int64_t k = 0; s->values && fixed.has_values && k < s->spec->keep_count; k++) {
        if (!take_value(s->value + k, s, &at, end)) {
            return damaged(s);
        }
        record.values = s->value;
    }
    return s->visit(s->context, &s->source, &record);
}

/* What values point to takes no more than 8 times the bytes that they are stored in. */
static int make_store(struct scan *s, int64_t *room, int64_t size)
{
    if (!s->values || 8 * size <= *room) {
        return 1;
    }
    trop_alloc_free(s->store);
    *room = 16 * size;
    s->store = trop_alloc(*room, 1);
    return s->store != NULL;
}

static enum trop_status read_frames(struct scan *s, int64_t *room)
{
    unsigned char *payload;
    int64_t size;
    uint32_t kind;
    int there;

    while ((there = next_frame(s, &kind, &payload, &size)) > 0) {
        enum trop_status status = TROP_OK;
        if (kind == TROP_STUDY_RECORD) {
            status = make_store(s, room, size)
                         ? take_record(s, payload, size)
                         : trop_fail(TROP_ERR_MEMORY, "no memory for a record");
        } else if (kind == TROP_STUDY_CLOCK && size == 8) {
            memcpy(&s->clock, payload, 8);
        }
        if (status != TROP_OK) {
            return status;
        }
    }
    return there < 0 ? trop_fail(TROP_ERR_MEMORY, "no memory for a record") : TROP_OK;
}

static enum trop_status read_file(struct scan *s, const char *folder, int64_t *room)
{
    char path[4352];
    struct stat about;
    unsigned char *payload;
    int64_t size;
    uint32_t kind;
    enum trop_status status = TROP_OK;

    snprintf(path, sizeof path, "%.4000s/%.255s" ENDING, folder, s->source.name);
    s->file = open(path, O_RDONLY | O_CLOEXEC);
    if (s->file < 0 || fstat(s->file, &about) != 0) {
        status = trop_fail(TROP_ERR_IO, "%s: %s", path, strerror(errno));
        goto done;
    }
    s->at = s->end = 0;
    s->left = about.st_size;
    s->clock = 0;
    if (need(s, TROP_STUDY_MAGIC_SIZE) <= 0) {
        goto done; /* begun, and nothing more */
    }
    if (memcmp(s->bytes, TROP_STUDY_MAGIC, TROP_STUDY_MAGIC_SIZE) != 0) {
        status = damaged(s);
        goto done;
    }
    s->at += TROP_STUDY_MAGIC_SIZE;
    const int there = next_frame(s, &kind, &payload, &size);
    if (there <= 0) {
        status = there < 0 ? trop_fail(TROP_ERR_MEMORY, "no memory for a log") : TROP_OK;
        goto done;
    }
    const int known = kind == TROP_STUDY_HEAD ? take_head(s, payload, size) : 0;
    status = known > 0    ? find_map(s)
             : known == 0 ? damaged(s)
                          : trop_fail(TROP_ERR_MEMORY, "no memory for a log");
    if (status == TROP_OK) {
        status = read_frames(s, room);
    }
done:
    if (s->file >= 0) {
        close(s->file);
    }
    return status;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Names are RUN-W: of each run the latest clock counts. */
static void add_clock(double *seconds, double *run, const char *before, const char *name,
                      double clock)
{
    const char *dash = strrchr(name, '-');
    const size_t length = dash ? (size_t)(dash - name) : strlen(name);
    const int is_same = before && strncmp(before, name, length) == 0 && before[length] == '-' &&
                        !strchr(before + length + 1, '-');

    if (!is_same) {
        *seconds += *run;
        *run = 0;
    }
    *run = clock > *run ? clock : *run;
}

enum trop_status trop_study_log_scan(double *seconds, const char *dir,
                                     const struct trop_study_spec *spec, int values,
                                     trop_study_visit *visit, void *context)
{
    struct scan *s = trop_alloc(1, sizeof *s);
    struct names names = { 0 };
    char *folder = trop_folder_path(dir, "log");
    int64_t room = 0;
    double all = 0, run = 0;
    enum trop_status status = TROP_ERR_MEMORY;

    if (s) {
        *s = (struct scan){ .dir = dir,
                            .spec = spec,
                            .values = values,
                            .visit = visit,
                            .context = context,
                            .room = BUFFER,
                            .folders = trop_study_proof_folder(dir) };
    }
    if (!s || !folder ||
        !TROP_ALLOC(TROP_PART(s->bytes, BUFFER), TROP_PART(s->value, spec->keep_count))) {
        status = trop_fail(TROP_ERR_MEMORY, "no memory for the logs of a study");
        goto done;
    }
    status = names_read(&names, folder);
    for (int64_t k = 0; k < names.count && status == TROP_OK; k++) {
        s->source = (struct trop_study_source){ .name = names.name[k] };
        status = read_file(s, folder, &room);
        add_clock(&all, &run, k > 0 ? names.name[k - 1] : NULL, names.name[k], s->clock);
    }
    if (seconds) {
        *seconds = all + run;
    }
done:
    names_free(&names);
    trop_alloc_free(folder);
    if (s) {
        for (int64_t k = 0; k < s->maps_count; k++) {
            trop_study_map_free(s->maps[k].map);
        }
        TROP_FREE(s->bytes, s->head, s->value, s->store, s);
    }
    return status;
}

enum trop_status trop_study_log_each(const char *dir, const struct trop_study_spec *spec,
                                     int values, trop_study_visit *visit, void *context)
{
    return trop_study_log_scan(NULL, dir, spec, values, visit, context);
}
