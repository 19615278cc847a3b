/* kernel_list_plain.c -- one build, with what the compiler's target has. */
#include "kernel/kernel.h"

int trop_kernel_available_baseline(void);
extern const struct trop_kernel trop_kernel_baseline;

int trop_kernel_available_baseline(void)
{
    return 1;
}

const struct trop_kernel *const trop_kernel_list[] = { &trop_kernel_baseline, NULL };
