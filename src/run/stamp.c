/* stamp.c -- what every result carries beside its numbers: version, seed, seconds. */
#include "run/stamp.h"

#include "base/field.h"
#include "run/proof/proof.h"

#include <stdio.h>
#include <time.h>

void trop_stamp_open(struct trop_stamp *stamp, uint64_t seed)
{
    stamp->version = trop_version();
    stamp->seed = seed;
    snprintf(stamp->seed_text, sizeof stamp->seed_text, "%llu", (unsigned long long)seed);
}

double trop_stamp_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* As a number where int64_t holds it; the few beyond are text. */
static void seed(struct trop_value *out, const void *member)
{
    const struct trop_stamp *stamp = member;

    if (stamp->seed <= INT64_MAX) {
        trop_field_integer(out, (int64_t)stamp->seed);
    } else {
        trop_field_text(out, stamp->seed_text);
    }
}

#define AT(member) TROP_FIELD_AT(struct trop_stamp, member)
static const struct trop_field fields[] = {
    { "version", "version of tropism", .kind = TROP_KIND_TEXT, AT(version) },
    { "seed", "seed of the run; text beyond 9223372036854775807", .form = seed },
    { "standing",
      "proved: --proof writes what certifies the result for a checker; asserted: what certifies it "
      "is the word of the program; null: nothing is certified",
      .read = trop_proof_standing },
    { "seconds", "elapsed seconds; not part of the result", .kind = TROP_KIND_NUMBER, AT(seconds) },
    { 0 },
};
#undef AT

const struct trop_field *trop_stamp_field_table(void)
{
    return fields;
}
