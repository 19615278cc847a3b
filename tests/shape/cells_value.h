/* cells_value.h -- reads fields of the cells. */
#ifndef TROP_TESTS_CELLS_VALUE_H
#define TROP_TESTS_CELLS_VALUE_H

#include "support.h"

static inline struct trop_value value_of(const struct trop_cells *cells, const char *name)
{
    struct trop_value value;

    assert_ok(trop_cells_value(&value, cells, name));
    return value;
}

static inline double amount(const struct trop_cells *cells, const char *name)
{
    double value = NAN;

    assert_ok(trop_cells_number(&value, cells, name));
    return value;
}

#endif
