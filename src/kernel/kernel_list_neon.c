/* kernel_list_neon.c -- the builds for 64-bit ARM, slowest first. */
#include "kernel/kernel.h"

int trop_kernel_available_baseline(void);
int trop_kernel_available_neon(void);
extern const struct trop_kernel trop_kernel_baseline, trop_kernel_neon;

int trop_kernel_available_baseline(void)
{
    return 1;
}

int trop_kernel_available_neon(void)
{
    return 1;
}

const struct trop_kernel *const trop_kernel_list[] = { &trop_kernel_baseline, &trop_kernel_neon,
                                                       NULL };
