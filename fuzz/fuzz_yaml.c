/* fuzz_yaml.c -- any bytes as a file of options. */
#include <string.h>

#include "base/status.h"
#include "io/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Refuses names that begin with '!', so that the path of a refusal is exercised too. */
static enum trop_status take(void *context, const char *name, const char *text)
{
    size_t *total = context;

    *total += strlen(name) + strlen(text);
    return *name == '!' ? trop_fail(TROP_ERR_ARG, "%s: unknown", name) : TROP_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    size_t total = 0;

    trop_yaml_parse(bytes, (int64_t)size, "fuzz.yaml", take, &total);
    return 0;
}
