/* probe.c -- probe [KERNEL|- [fields]]: runs everything that the minimal build offers and prints a
 * line for each run: a hash of all bits of all its fields, and what was run. Every machine and
 * every kernel prints the same lines; tests/portable.sh compares them.
 *
 * KERNEL: the only one beside the baseline; -: the fastest. fields: all fields of every run. */
#include "probe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *chosen = "-";

/* The linker puts these in the place of the kernels' own (--wrap); KERNELS is made by the build. */
#define WRAPPED(name) \
    int __real_trop_kernel_available_##name(void); \
    int __wrap_trop_kernel_available_##name(void); \
    int __wrap_trop_kernel_available_##name(void) \
    { \
        return (chosen[0] == '-' || strcmp(chosen, #name) == 0) && \
               __real_trop_kernel_available_##name(); \
    }
KERNELS

int main(int argc, char **argv)
{
    const int fields = argc > 2 && strcmp(argv[2], "fields") == 0;
    int failed = 0;

    chosen = argc > 1 ? argv[1] : chosen;
    if (strcmp(chosen, "-") != 0 && strcmp(chosen, trop_kernel_in_use()) != 0) {
        printf("%s: does not run on this machine, which has %s\n", chosen, trop_kernel_in_use());
        return 2;
    }
    fprintf(stderr, "kernel %s\n", trop_kernel_in_use());
    printf("%016" PRIx64 " fma\n", probe_fma());
    for (int i = 0; probe_list[i]; i++) {
        uint64_t hash = PROBE_START;
        if (probe_run(&hash, probe_list[i], fields) != TROP_OK) {
            printf("%s: %s\n", probe_list[i], trop_error());
            failed = 1;
        } else {
            printf("%016" PRIx64 " %s\n", hash, probe_list[i]);
        }
        fflush(stdout);
    }
    return failed;
}
