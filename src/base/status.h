/* status.h -- a code for the program, a sentence for the person. */
#ifndef TROP_BASE_STATUS_H
#define TROP_BASE_STATUS_H

#include "tropism.h"

#if defined(__GNUC__)
#define TROP_PRINTF(at, first) __attribute__((format(printf, at, first)))
#else
#define TROP_PRINTF(at, first)
#endif

/* Sets the sentence of this thread and returns code. Exported for libtropism-lab,
 * not part of the public interface. */
TROP_API enum trop_status trop_fail(enum trop_status code, const char *format, ...)
    TROP_PRINTF(2, 3);

#endif
