/* kernel_list_x86.c -- the builds for x86-64, slowest first. */
#include "kernel/kernel.h"

int trop_kernel_available_baseline(void);
int trop_kernel_available_avx2(void);
int trop_kernel_available_avx512(void);
extern const struct trop_kernel trop_kernel_baseline, trop_kernel_avx2, trop_kernel_avx512;

int trop_kernel_available_baseline(void)
{
    return 1;
}

int trop_kernel_available_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

int trop_kernel_available_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("fma");
}

const struct trop_kernel *const trop_kernel_list[] = { &trop_kernel_baseline, &trop_kernel_avx2,
                                                       &trop_kernel_avx512, NULL };
