/* study_lanes.c -- points of a study side by side, in the lanes of trop_copies. */
#include "run/study/study_work.h"

int trop_study_lanes_take(char *why, int64_t size, const struct trop_study_spec *spec)
{
    (void)size;
    (void)spec;
    why[0] = '\0';
    return 0;
}

void trop_study_lanes_run(struct trop_study_worker *worker)
{
    (void)worker;
}
