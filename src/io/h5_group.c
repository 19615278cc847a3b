/* h5_group.c -- groups without datasets, which carry attributes. */
#include "io/h5_internal.h"

#include "base/status.h"

enum trop_status trop_h5_group(struct trop_h5 *h5, const char *name)
{
    struct trop_h5_quiet quiet = trop_h5_quiet_begin();
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    hid_t creation = H5Pcreate(H5P_GROUP_CREATE);
    hid_t group = H5I_INVALID_HID;

    if (H5Pset_create_intermediate_group(links, 1) >= 0 &&
        H5Pset_obj_track_times(creation, 0) >= 0) {
        group = H5Gcreate2(h5->file, name, links, creation, H5P_DEFAULT);
    }
    enum trop_status status = group < 0 ? trop_h5_refuse(h5->path, name) : TROP_OK;
    H5Gclose(group);
    H5Pclose(links);
    H5Pclose(creation);
    trop_h5_quiet_end(quiet);
    return status;
}
