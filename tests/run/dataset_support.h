/* dataset_support.h -- makes training data for the tests of datasets. */
#ifndef TROP_TESTS_DATASET_SUPPORT_H
#define TROP_TESTS_DATASET_SUPPORT_H

#include "support.h"

#include "tropism_lab.h"

static inline struct trop_dataset *made(const char *name)
{
    struct trop_dataset *dataset = NULL;

    assert_ok(trop_dataset_create(&dataset, name, 0, 0, 0, TROP_DATASET_SEED));
    return dataset;
}

static inline struct trop_dataset *drawn(const char *name, int64_t n, int64_t T, int64_t d,
                                         uint64_t seed)
{
    struct trop_dataset *dataset = NULL;

    assert_ok(trop_dataset_create(&dataset, name, n, T, d, seed));
    return dataset;
}

#endif
