/* test_layout.c -- results that were damaged are refused by name, with the rule, before anything of
 * them is drawn or gone on with; whole ones are not. */
#include "support.h"

#include "base/alloc.h"
#include "io/h5/h5.h"
#include "program.h"
#include "run/layout.h"

#include <hdf5.h>

static const char *const files[] = {
    "flow --n 12 --rule localmax --epsilon .3 --gamma .3 --steps 9 --record tokens --out flow.h5",
    "flow --copies 3 --n 5 --d 2 --steps 3 --print-tokens --out copies.h5",
    "flow --n 6 --d 3 --rule softmax --beta 9 --gamma .1 --leap --steps inf --out leap.h5",
    "cells --n 9 --d 2 --eta .05 --erode .03 --out cells.h5",
    "cells --n 9 --d 2 --out plain.h5",
    "cells --n 9 --d 3 --out space.h5",
    "threshold --n 6 --d 2 --out threshold.h5",
    "escape --init polygon --n 3 --beta 2,3 --runs 40 --gamma .1 --radius .05 --out escape.h5",
    "escape --n 1 --d 2 --beta 2,3 --out never.h5",
    "margin --data attsvm --n 3 --T 4 --d 3 --out margin.h5 --dump problem.h5",
    "train --data attsvm --n 3 --T 4 --d 3 --steps 50 --out train.h5",
    "path --data mm-fig-1a --radius 3,9 --out path.h5",
    "train --data mr --max-length 8 --embed 2 --epochs 1 --show 3 --out fit.h5",
    "train --data digits --epochs 1 --out mute.h5",
    ("inspect --q cells.h5:/input/tokens --k cells.h5:/input/tokens --v cells.h5:/input/tokens "
     "--rows --out heads.h5"),
};

static const char *const names[] = { "flow.h5",   "copies.h5",  "leap.h5",   "cells.h5",
                                     "plain.h5",  "space.h5",   "escape.h5", "threshold.h5",
                                     "margin.h5", "problem.h5", "train.h5",  "path.h5",
                                     "fit.h5",    "mute.h5",    "heads.h5",  "never.h5" };

static int make_files(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
        if (tropism(files[k]) != 0) {
            fail_msg("%s: %s", files[k], answer.err);
        }
    }
    return 0;
}

static enum trop_status check(const char *name)
{
    struct trop_h5 *h5 = NULL;

    assert_int_equal(trop_h5_open(&h5, scratch(name)), TROP_OK);
    enum trop_status status = trop_layout_check(h5, name);
    trop_h5_abandon(h5);
    return status;
}

static void whole_files_pass(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        if (check(names[k]) != TROP_OK) {
            fail_msg("%s", trop_error());
        }
    }
}

/* ---- damage ---- */

/* A dataset of that shape in the place of the old one; without axes in the place of nothing. */
static void reshape(hid_t file, const char *name, int rank, const hsize_t *shape)
{
    hid_t space = H5Screate_simple(rank, shape, NULL);

    H5Ldelete(file, name, H5P_DEFAULT);
    H5Dclose(H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
}

static void set_entry(hid_t file, const char *name, hsize_t place, int64_t value)
{
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT), all = H5Dget_space(dataset);
    hid_t one = H5Screate(H5S_SCALAR);

    assert_true(H5Sselect_elements(all, H5S_SELECT_SET, 1, &place) >= 0);
    assert_true(H5Dwrite(dataset, H5T_NATIVE_INT64, one, all, H5P_DEFAULT, &value) >= 0);
    H5Sclose(one);
    H5Sclose(all);
    H5Dclose(dataset);
}

static void set_text(hid_t file, const char *object, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    hid_t owner = H5Oopen(file, object, H5P_DEFAULT);

    H5Tset_size(type, strlen(text) + 1);
    H5Adelete(owner, name);
    hid_t attribute = H5Acreate2(owner, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(attribute, type, text) >= 0);
    H5Aclose(attribute);
    H5Oclose(owner);
    H5Sclose(space);
    H5Tclose(type);
}

/* What is done to a copy of a file, and what is to be said of it. */
static const struct damage {
    const char *file, *name;
    int64_t rank; /* -1: entry `place` becomes value; -2: the attribute of name becomes text */
    hsize_t shape[3];
    int64_t value;
    const char *text, *words;
} damages[] = {
    { "cells.h5", "/result/cells/polygon_offsets", -1, { 1 }, 1000000, NULL, "not fall" },
    { "heads.h5", "/result/heads/head", 1, { 3 }, 0, NULL, "has 3 heads: must have 1" },
    { "heads.h5", "/result/heads/flip", 2, { 2, 9 }, 0, NULL, "2 heads" },
    { "heads.h5", "/result/heads/argmax_offsets", -1, { 1 }, 99, NULL, "not fall" },
    { "cells.h5", "/result/cells/polygon_offsets", -1, { 0 }, 1, NULL, "begin at 0" },
    { "cells.h5", "/result/cells/polygon_offsets", -1, { 2 }, -5, NULL, "not fall" },
    { "cells.h5", "/result/cells/polygon_offsets", 1, { 6 }, 0, NULL, "must be integers" },
    { "cells.h5", "/result/cells/polygon", 2, { 0, 2 }, 0, NULL, "polygon_offsets" },
    { "cells.h5", "/result/cells/polygon", 2, { 20, 3 }, 0, NULL, "polygon" },
    { "cells.h5", "/result/cells/dominance", 2, { 3, 2 }, 0, NULL, "dominance" },
    { "cells.h5", "/result/vertices", -1, { 0 }, (int64_t)1 << 40, NULL, "from 0 to 8" },
    { "cells.h5", "/result/vertices", -1, { 1 }, -1, NULL, "entry 1" },
    { "cells.h5", "/input/tokens", 2, { 9, 1 }, 0, NULL, "/options d" },
    { "cells.h5", "/input/tokens", 2, { 4, 2 }, 0, NULL, "has 4 n: must have 9" },
    { "cells.h5", "/input/tokens", 1, { 18 }, 0, NULL, "has 1 axes: must have 2" },
    { "cells.h5", "/options", -2, { 0 }, 0, "n", "must be a whole number" },
    { "cells.h5", "/", -2, { 0 }, 0, "format", "is not a result" },
    { "flow.h5", "/record/tokens", 3, { 10, 12, 3 }, 0, NULL, "/record/tokens" },
    { "flow.h5", "/record/step", 1, { 9 }, 0, NULL, "records" },
    { "flow.h5", "/result/cluster_list/members", -1, { 3 }, 12, NULL, "from 0 to 11" },
    { "leap.h5", "/result/merge_list/clusters", 1, { 1 }, 0, NULL, "merges" },
    { "escape.h5", "/result/betas/survival_offsets", -1, { 1 }, 1 << 20, NULL, "not fall" },
    { "escape.h5",
      "/result/betas/survival_log10_steps",
      1,
      { 2 },
      0,
      NULL,
      "survival_log10_steps" },
    { "train.h5", "/result/history/weights", 2, { 3, 9 }, 0, NULL, "history" },
    { "train.h5", "/result/weights/W", 2, { 3, 0 }, 0, NULL, "without entries" },
    { "path.h5", "/result/radii/bregman", 1, { 1 }, 0, NULL, "radii" },
    { "fit.h5", "/result/splits/loss", 2, { 3, 1 }, 0, NULL, "epochs" },
    { "fit.h5", "/result/splits/accuracy", 1, { 3 }, 0, NULL, "accuracy" },
    { "fit.h5", "/result/words/value", 1, { 1 }, 0, NULL, "words" },
    { "fit.h5", "/result/shown/label", -1, { 1 }, 2, NULL, "from 0 to 1" },
    { "fit.h5", "/result/shown/predicted", -1, { 0 }, -1, NULL, "from 0 to 1" },
    { "fit.h5", "/result/shown/attention", 3, { 3, 2, 2 }, 0, NULL, "attention" },
    { "problem.h5", "/plus", -1, { 0 }, 12, NULL, "from -1 to 11" },
    { "problem.h5", "/rows", -1, { 0 }, 0, NULL, "at least 1" },
};

static void spoil(const struct damage *d)
{
    char command[300];

    snprintf(command, sizeof command, "cp %s %s", scratch(d->file), scratch("bad.h5"));
    assert_int_equal(system(command), 0);
    hid_t file = H5Fopen(scratch("bad.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    if (d->rank == -2) {
        set_text(file, d->name, d->text, "nonsense");
    } else if (d->rank == -1 && strcmp(d->name, "/rows") == 0) {
        hid_t dataset = H5Dopen2(file, d->name, H5P_DEFAULT);
        assert_true(H5Dwrite(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &d->value) >=
                    0);
        H5Dclose(dataset);
    } else if (d->rank == -1) {
        set_entry(file, d->name, d->shape[0], d->value);
    } else {
        reshape(file, d->name, (int)d->rank, d->shape);
    }
    H5Fclose(file);
}

static void damage_is_named(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof damages / sizeof damages[0]; k++) {
        spoil(damages + k);
        const enum trop_status status = check("bad.h5");
        if (status != TROP_ERR_IO || !strstr(trop_error(), damages[k].words) ||
            !strstr(trop_error(), "bad.h5: ")) {
            fail_msg("%s of %s: status %d, \"%s\" should say %s", damages[k].name, damages[k].file,
                     (int)status, status == TROP_OK ? "" : trop_error(), damages[k].words);
        }
        unlink(scratch("bad.h5"));
    }
}

/* Those that read results ask before they believe: no signal, exit 1, a sentence. */
static void readers_refuse_what_is_damaged(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof damages / sizeof damages[0]; k++) {
        const int is_problem = strcmp(damages[k].file, "problem.h5") == 0;
        spoil(damages + k);
        const int code =
            tropism(is_problem ? "margin --problem bad.h5" : "plot bad.h5 --out bad.svg");
        if (code != 1 || !strstr(answer.err, "bad.h5: ")) {
            fail_msg("%s of %s: exit %d, \"%s\"", damages[k].name, damages[k].file, code,
                     answer.err);
        }
        unlink(scratch("bad.h5"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_files_pass),
        cmocka_unit_test(damage_is_named),
        cmocka_unit_test(readers_refuse_what_is_damaged),
    };

    return cmocka_run_group_tests(tests, make_files, remove_files);
}
