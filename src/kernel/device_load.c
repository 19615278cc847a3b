/* device_load.c -- libtropism-cuda, loaded when it is asked for.
 *
 * It is looked for beside the library or program that this code is in, in the folder of libraries
 * of an installed program, and then where the system looks for libraries. It stays for the rest of
 * the process: it holds what the driver has made.
 */
#define _GNU_SOURCE /* dladdr */
#include "kernel/device.h"

#include "base/status.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FILE_NAME "libtropism-cuda.so"

/* Where this code is: a library, or the program, which may have been found on the PATH. Returns the
 * length of the folder's name, 0: not known. */
static int folder(char *out, size_t size)
{
    Dl_info info;
    const char *slash = NULL;

    if (dladdr((const void *)trop_device_name, &info) && info.dli_fname) {
        snprintf(out, size, "%s", info.dli_fname);
        slash = strrchr(out, '/');
    }
    if (!slash) {
        const ssize_t length = readlink("/proc/self/exe", out, size - 1);
        out[length > 0 ? length : 0] = '\0';
        slash = strrchr(out, '/');
    }
    return slash ? (int)(slash - out) : 0;
}

/* The first place that has the file; or its name, for the system to look for. */
static void find(char *out, size_t size)
{
    static const char *const places[] = { "", "../" TROP_DEVICE_LIBRARIES "/" };
    char here[4096];
    const int length = folder(here, sizeof here);

    for (size_t k = 0; length > 0 && k < sizeof places / sizeof places[0]; k++) {
        snprintf(out, size, "%.*s/%s" FILE_NAME, length, here, places[k]);
        if (access(out, R_OK) == 0) {
            return;
        }
    }
    snprintf(out, size, "%s", FILE_NAME);
}

enum trop_status trop_device_load(const struct trop_device **out)
{
    char path[4400];
    trop_device_entry_function *entry;

    find(path, sizeof path);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *reason = dlerror();
        return trop_fail(TROP_ERR_UNSUPPORTED,
                         "device = cuda: needs " FILE_NAME ", which a build makes where nvcc is "
                         "installed: %.200s",
                         reason ? reason : "it cannot be loaded");
    }
    void *symbol = dlsym(library, TROP_DEVICE_ENTRY);
    if (!symbol) {
        return trop_fail(TROP_ERR_UNSUPPORTED,
                         "device = cuda: %.200s has no " TROP_DEVICE_ENTRY ", so it is not of this "
                         "version",
                         path);
    }
    memcpy(&entry, &symbol, sizeof entry); /* as POSIX has it: ISO C knows no such conversion */
    *out = entry();
    return TROP_OK;
}
