/* study_ranks_none.c -- the build without MPI: one process. */
#include "run/study/study.h"

#include <stdatomic.h>

static _Atomic int64_t next;

void trop_study_ranks_begin(int64_t *rank, int64_t *count)
{
    atomic_store(&next, 0);
    *rank = 0;
    *count = 1;
}

int64_t trop_study_ranks_next(void)
{
    return atomic_fetch_add(&next, 1);
}

void trop_study_ranks_end(void)
{
}
