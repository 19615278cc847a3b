/* fuzz_npy.c -- any bytes as an .npy file. */
#include "io/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct trop_array array;

    if (trop_npy_parse(&array, bytes, (int64_t)size, "fuzz.npy") == TROP_OK) {
        trop_alloc_free(array.data);
    }
    return 0;
}
