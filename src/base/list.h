/* list.h -- lists of numbers as text: "2,4,6", "2:60", "2:60:2", and lists of these. */
#ifndef TROP_BASE_LIST_H
#define TROP_BASE_LIST_H

#include "tropism.h"

/* At most room numbers go to out, (room); *count is how many there are, at most 100000. name: of
 * the option, for the sentence of a refusal. */
TROP_API enum trop_status trop_list_read(double *out, int64_t *count, int64_t room,
                                         const char *name, const char *text);

#endif
