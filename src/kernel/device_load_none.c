/* device_load_none.c -- no libraries are loaded by this build. */
#include "kernel/device.h"

#include "base/status.h"

enum trop_status trop_device_load(const struct trop_device **out)
{
    (void)out;
    return trop_fail(TROP_ERR_UNSUPPORTED,
                     "device = cuda: this is the minimal build, which loads no libraries");
}
