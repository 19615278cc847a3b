/* device_wrong.c -- libraries that call themselves libtropism-cuda, for tests: of another version,
 * of another build of this one, or something else altogether. */
#include "kernel/device.h"

#ifdef WRONG_entry
#define ENTRY trop_device_something_else
#else
#define ENTRY trop_device_entry
#endif
#ifdef WRONG_size
#define VERSION TROP_VERSION
#else
#define VERSION "0.0.1"
#endif

static const struct trop_device device = { .version = VERSION, .size = 8, .name = "cuda" };

__attribute__((visibility("default"))) const struct trop_device *ENTRY(void);

const struct trop_device *ENTRY(void)
{
    return &device;
}
