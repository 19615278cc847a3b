/* parallel.h -- rows shared among workers, behind one function. */
#ifndef TROP_BASE_PARALLEL_H
#define TROP_BASE_PARALLEL_H

#include "tropism.h"

/* Splits [0, n) into one contiguous range per worker and runs them all, that of worker 0 in the
 * calling thread, the others anywhere and perhaps one after the other. What work writes must not
 * depend on where the ranges fall. */
TROP_API void trop_parallel(int64_t workers, int64_t n,
                            void (*work)(void *context, int64_t first, int64_t last,
                                         int64_t worker),
                            void *context);

#endif
