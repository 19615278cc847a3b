/* fuzz_json_read.c -- any bytes as a JSON file, of which every member is asked for in every way. */
#include "io/json/json_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const keys[] = { "X", "y", "sets", "norm", NULL };
    struct trop_json_read *doc;

    if (trop_json_read_parse(&doc, bytes, (int64_t)size, "fuzz.json") != TROP_OK) {
        return 0;
    }
    trop_json_read_keys(doc, keys);
    for (int k = 0; keys[k]; k++) {
        struct trop_array array = { 0 }, shape;
        struct trop_json_read_lists lists = { 0 };
        int64_t *integers = NULL;
        const char *text;
        trop_json_read_numbers(&array, doc, keys[k]);
        trop_json_read_integers(&integers, &shape, doc, keys[k]);
        trop_json_read_lists(&lists, doc, keys[k]);
        trop_json_read_text(&text, doc, keys[k]);
        trop_alloc_free(array.data);
        trop_alloc_free(integers);
        trop_json_read_lists_free(&lists);
    }
    trop_json_read_close(doc);
    return 0;
}
