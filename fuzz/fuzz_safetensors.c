/* fuzz_safetensors.c -- any bytes as a safetensors file, of which every tensor is copied. */
#include "io/safetensors.h"

#include "base/alloc.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct trop_safetensors *set;

    if (trop_safetensors_parse(&set, bytes, (int64_t)size, "fuzz.safetensors") != TROP_OK) {
        return 0;
    }
    for (int64_t k = 0; k < trop_safetensors_count(set); k++) {
        const struct trop_safetensors_entry *entry = trop_safetensors_entry(set, k);
        double *values = trop_alloc(entry->count, sizeof *values);
        if (trop_safetensors_find(set, entry->name) != entry || !values) {
            abort();
        }
        trop_safetensors_copy(values, entry, 0, entry->count);
        trop_alloc_free(values);
    }
    trop_safetensors_close(set);
    return 0;
}
