/* device.c -- the devices by name, and whether the library of one is ours. */
#include "kernel/device.h"

#include "base/status.h"

#include <string.h>

const char *const trop_device_name[] = {
    [TROP_DEVICE_CPU] = "cpu",
    [TROP_DEVICE_CUDA] = "cuda",
    [TROP_DEVICE_CUDA_0] = "cuda:0",
    [TROP_DEVICE_CUDA_0 + 1] = "cuda:1",
    [TROP_DEVICE_CUDA_0 + 2] = "cuda:2",
    [TROP_DEVICE_CUDA_0 + 3] = "cuda:3",
    [TROP_DEVICE_CUDA_0 + 4] = "cuda:4",
    [TROP_DEVICE_CUDA_0 + 5] = "cuda:5",
    [TROP_DEVICE_CUDA_0 + 6] = "cuda:6",
    [TROP_DEVICE_CUDA_0 + 7] = "cuda:7",
    NULL,
};

const char *const *trop_device_names(void)
{
    return trop_device_name;
}

/* The version stands first in the row of any version, its size second. */
static enum trop_status check(const struct trop_device *device)
{
    if (strcmp(device->version, TROP_VERSION) != 0 || device->size != (int64_t)sizeof *device) {
        return trop_fail(TROP_ERR_UNSUPPORTED,
                         "device = cuda: the libtropism-cuda that is found is of version %s, and "
                         "this is %s%s",
                         device->version, TROP_VERSION,
                         strcmp(device->version, TROP_VERSION) ? "" : ", of another build");
    }
    return TROP_OK;
}

enum trop_status trop_device_choose(const struct trop_device **out, int64_t *number, int64_t index)
{
    const struct trop_device *device = NULL;
    enum trop_status status = trop_device_load(&device);

    if (status == TROP_OK) {
        status = check(device);
    }
    if (status == TROP_OK) {
        *number = index < TROP_DEVICE_CUDA_0 ? 0 : index - TROP_DEVICE_CUDA_0;
        *out = device;
    }
    return status;
}
