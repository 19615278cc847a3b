/* stamp.c -- what every result carries beside its numbers: version, seed, seconds. */
#include "run/stamp.h"

#include <stdio.h>
#include <time.h>

void trop_stamp_seed(struct trop_stamp *stamp, uint64_t seed)
{
    stamp->seed = seed;
    snprintf(stamp->seed_text, sizeof stamp->seed_text, "%llu", (unsigned long long)seed);
}

double trop_stamp_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void read_version(struct trop_value *out, const void *stamp, int64_t row)
{
    (void)stamp;
    (void)row;
    out->kind = TROP_KIND_TEXT;
    out->text = trop_version();
}

/* As a number where int64_t holds it; the few beyond are text. */
static void read_seed(struct trop_value *out, const void *handle, int64_t row)
{
    const struct trop_stamp *stamp = handle;

    (void)row;
    out->kind = stamp->seed <= INT64_MAX ? TROP_KIND_INTEGER : TROP_KIND_TEXT;
    out->integer = (int64_t)stamp->seed;
    out->text = stamp->seed_text;
}

static void read_seconds(struct trop_value *out, const void *stamp, int64_t row)
{
    (void)row;
    out->kind = TROP_KIND_NUMBER;
    out->number = ((const struct trop_stamp *)stamp)->seconds;
}

static const struct trop_field fields[] = {
    { "version", "of tropism", read_version, NULL },
    { "seed", "of the run; text beyond 9223372036854775807", read_seed, NULL },
    { "seconds", "of the clock; no part of the result", read_seconds, NULL },
    { 0 },
};

const struct trop_field *trop_stamp_field_table(void)
{
    return fields;
}
