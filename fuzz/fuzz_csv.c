/* fuzz_csv.c -- any bytes as a .csv file. An array that is accepted has all its rows. */
#include <stdlib.h>

#include "io/csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct trop_array array;

    if (trop_csv_parse(&array, bytes, (int64_t)size, "fuzz.csv") == TROP_OK) {
        double sum = 0.0;
        for (int64_t i = 0; i < array.shape[0] * array.shape[1]; i++) {
            sum += array.data[i] == 1.0; /* reads every element, so that a missing one is found */
        }
        if (array.shape[0] < 1 || array.shape[1] < 1 || sum < 0.0) {
            abort();
        }
        trop_alloc_free(array.data);
    }
    return 0;
}
