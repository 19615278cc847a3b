/* standin.h -- a device for tests where there is none: the kernels of cuda/ on the host.
 *
 * TROP_TEST_DEVICE names a libtropism-cuda.so to take in its place: tests/gpu.sh runs the same
 * tests on a GPU so.
 */
#ifndef TROP_TESTS_STANDIN_H
#define TROP_TESTS_STANDIN_H

#define DEVICE_GRID "grid_host.h"
#include "../../cuda/device_body.c"

#include <dlfcn.h>

/* In place of src/kernel/device_load.c. */
enum trop_status trop_device_load(const struct trop_device **out)
{
    const char *path = getenv("TROP_TEST_DEVICE");
    trop_device_entry_function *entry = trop_device_entry;

    if (path) {
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        void *symbol = library ? dlsym(library, TROP_DEVICE_ENTRY) : NULL;
        if (!symbol) {
            fprintf(stderr, "TROP_TEST_DEVICE: %s\n", dlerror());
            exit(1);
        }
        memcpy(&entry, &symbol, sizeof entry);
    }
    *out = entry();
    return TROP_OK;
}

#endif
