/* h5_list.c -- the names in an HDF5 file, so that unknown ones can be refused. */
#include "io/h5/h5.h"

#include "base/status.h"
#include "io/h5/h5_internal.h"

struct walk {
    trop_h5_list_take *take;
    void *context;
    enum trop_status status;
};

/* A result above 0 ends H5Literate without an error of HDF5's. */
static herr_t visit(hid_t group, const char *name, const H5L_info_t *info, void *context)
{
    struct walk *walk = context;

    (void)group, (void)info;
    walk->status = walk->take(walk->context, name);
    return walk->status == TROP_OK ? 0 : 1;
}

enum trop_status trop_h5_list(struct trop_h5 *h5, trop_h5_list_take *take, void *context)
{
    struct trop_h5_quiet quiet = trop_h5_quiet_begin();
    struct walk walk = { .take = take, .context = context };
    herr_t done = H5Literate(h5->file, H5_INDEX_NAME, H5_ITER_INC, NULL, visit, &walk);

    if (done < 0) {
        walk.status = trop_h5_refuse(h5->path, "/");
    }
    trop_h5_quiet_end(quiet);
    return walk.status;
}

static herr_t visit_dataset(hid_t group, const char *name, const H5L_info_t *info, void *context)
{
    const hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    const int dataset = H5Iget_type(object) == H5I_DATASET;

    H5Oclose(object);
    return dataset ? visit(group, name, info, context) : 0;
}

enum trop_status trop_h5_list_datasets(struct trop_h5 *h5, const char *group,
                                       trop_h5_list_take *take, void *context)
{
    struct trop_h5_quiet quiet = trop_h5_quiet_begin();
    struct walk walk = { .take = take, .context = context };
    const hid_t below = H5Gopen2(h5->file, group, H5P_DEFAULT);

    if (below < 0 || H5Lvisit(below, H5_INDEX_NAME, H5_ITER_INC, visit_dataset, &walk) < 0) {
        walk.status = trop_h5_refuse(h5->path, group);
    }
    H5Gclose(below);
    trop_h5_quiet_end(quiet);
    return walk.status;
}
