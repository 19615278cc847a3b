/* option.h -- what the layers above share of option tables. */
#ifndef TROP_BASE_OPTION_H
#define TROP_BASE_OPTION_H

#include "tropism.h"

/* Typing errors (insert, delete, replace, swap) between two names. Exported for
 * the suggestions of the lab and the program. */
TROP_API int64_t trop_option_distance(const char *a, const char *b);

#endif
