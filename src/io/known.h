/* known.h -- names that a file may use, and what is said of others. */
#ifndef TROP_IO_KNOWN_H
#define TROP_IO_KNOWN_H

#include "tropism.h"

/* The known name that was probably meant, or NULL: equal but for capitals, or within one typing
 * error for every three letters. known is NULL-ended. */
const char *trop_known_nearest(const char *name, const char *const *known);
/* Refuses a name that is not known, with the nearest one or all of them; kind says what names are
 * called there, such as "key". */
enum trop_status trop_known_check(const char *file, const char *kind, const char *name,
                                  const char *const *known);

#endif
