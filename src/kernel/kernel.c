/* kernel.c -- which build of the kernels runs. */
#include "kernel/kernel.h"

#include "base/status.h"

#include <string.h>

const char *const trop_kernel_name[] = {
    [TROP_KERNEL_AUTO] = "auto",
    [TROP_KERNEL_BASELINE] = "baseline",
    [TROP_KERNEL_AVX2] = "avx2",
    [TROP_KERNEL_AVX512] = "avx512",
    [TROP_KERNEL_NEON] = "neon",
    [TROP_KERNEL_RELAXED] = "relaxed",
    NULL,
};

const char *const *trop_kernel_names(void)
{
    return trop_kernel_name;
}

static const struct trop_kernel *fastest(void)
{
    const struct trop_kernel *best = trop_kernel_list[0];
    for (int i = 0; trop_kernel_list[i]; i++) {
        best = trop_kernel_list[i]->available() ? trop_kernel_list[i] : best;
    }
    return best;
}

const char *trop_kernel_in_use(void)
{
    return fastest()->name;
}

const struct trop_kernel *trop_kernel_choose(int64_t index)
{
    if (index == 0) {
        return fastest();
    }
    const char *name = trop_kernel_names()[index];
    for (int i = 0; trop_kernel_list[i]; i++) {
        if (strcmp(trop_kernel_list[i]->name, name) == 0 && trop_kernel_list[i]->available()) {
            return trop_kernel_list[i];
        }
    }
    trop_fail(TROP_ERR_UNSUPPORTED, "kernel = %s: does not run on this machine", name);
    return NULL;
}
