/* stamp.h -- what every result carries beside its numbers: version, seed, seconds. */
#ifndef TROP_RUN_STAMP_H
#define TROP_RUN_STAMP_H

#include "tropism.h"

/* The first member of what has a stamp, so that its handle serves the table too. */
struct trop_stamp {
    const char *version;
    uint64_t seed;
    char seed_text[24];
    double seconds; /* of the clock; no part of the result */
};

/* Of a run with this seed, before its first second. */
void trop_stamp_open(struct trop_stamp *stamp, uint64_t seed);
/* Seconds of a clock that only goes forward. */
double trop_stamp_now(void);
/* Its handle is a struct trop_stamp. */
const struct trop_field *trop_stamp_field_table(void);

#endif
