/* pages.h -- large arrays on large pages. */
#ifndef TROP_BASE_PAGES_H
#define TROP_BASE_PAGES_H

#include <stdint.h>

/* Asks the system to keep (count) doubles on its large pages. A hint: nothing fails, no value
 * changes, and arrays of less than a few such pages are left alone. */
void trop_pages_large(const double *array, int64_t count);

#endif
