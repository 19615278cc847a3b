/* h5_version.c -- which libhdf5 is in use. */
#include "io/h5.h"

#include <hdf5.h>
#include <stdio.h>

void trop_h5_version(char out[32])
{
    unsigned major = 0, minor = 0, release = 0;

    H5get_libversion(&major, &minor, &release);
    snprintf(out, 32, "%u.%u.%u", major, minor, release);
}
