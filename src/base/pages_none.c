/* pages_none.c -- large arrays on the pages that the system chooses. */
#include "base/pages.h"

void trop_pages_large(const double *array, int64_t count)
{
    (void)array;
    (void)count;
}
