/* mutate_h5.h -- an HDF5 file with a few things in it changed: values, shapes and types of datasets
 * and attributes, members more or less. The file stays one that HDF5 reads. */
#ifndef TROP_FUZZ_MUTATE_H5_H
#define TROP_FUZZ_MUTATE_H5_H

#include <hdf5.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- random numbers: splitmix64 ---- */

static uint64_t mutate_state;

static inline uint64_t mutate_bits(void)
{
    uint64_t z = mutate_state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* 0 .. count - 1. */
static inline int64_t mutate_pick(int64_t count)
{
    return (int64_t)(mutate_bits() % (uint64_t)count);
}

/* ---- what there is ---- */

#define MUTATE_MEMBERS 256

struct mutate_list {
    char names[MUTATE_MEMBERS][128];
    int64_t count;
};

static inline void mutate_add(struct mutate_list *list, const char *name)
{
    if (list->count < MUTATE_MEMBERS && strlen(name) < sizeof list->names[0]) {
        strcpy(list->names[list->count++], name);
    }
}

static inline herr_t mutate_visit(hid_t group, const char *name, const H5L_info_t *info, void *list)
{
    (void)group, (void)info;
    mutate_add(list, name);
    return 0;
}

static inline herr_t mutate_visit_attribute(hid_t object, const char *name, const H5A_info_t *info,
                                            void *list)
{
    (void)object, (void)info;
    mutate_add(list, name);
    return 0;
}

/* ---- datasets ---- */

static const double mutate_numbers[] = { 0,     -1,     1,      2,   3,    .5,       1e6,
                                         1e300, -1e300, 1e-300, NAN, 1e18, INFINITY, -INFINITY };
static const int64_t mutate_integers[] = {
    0, -1, 1, 2, 7, 1000000, (int64_t)1 << 40, INT64_MAX, INT64_MIN, (int64_t)1 << 53
};

/* A new value of 8 bytes: a special one, or another bit. */
static inline void mutate_word(void *word, int is_integer)
{
    uint64_t bits;

    memcpy(&bits, word, 8);
    bits ^= (uint64_t)1 << mutate_pick(64);
    if (mutate_pick(3) > 0 && is_integer) {
        bits = (uint64_t)
            mutate_integers[mutate_pick(sizeof mutate_integers / sizeof mutate_integers[0])];
    } else if (mutate_pick(3) > 0) {
        memcpy(&bits,
               mutate_numbers + mutate_pick(sizeof mutate_numbers / sizeof mutate_numbers[0]), 8);
    }
    memcpy(word, &bits, 8);
}

static inline int mutate_is_number(hid_t dataset, int *is_integer)
{
    hid_t type = H5Dget_type(dataset);
    H5T_class_t class = H5Tget_class(type);

    H5Tclose(type);
    *is_integer = class == H5T_INTEGER;
    return class == H5T_INTEGER || class == H5T_FLOAT;
}

/* All values as words of 8 bytes; count is 0 when there are none. Released by the caller. */
static inline int64_t *mutate_read(int64_t *count, hid_t dataset, int is_integer)
{
    hid_t space = H5Dget_space(dataset);
    hssize_t points = H5Sget_simple_extent_npoints(space);
    int64_t *words = calloc(points > 0 ? (size_t)points : 1, 8);

    H5Sclose(space);
    *count = points > 0 ? (int64_t)points : 0;
    if (points > 0) {
        H5Dread(dataset, is_integer ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL,
                H5P_DEFAULT, words);
    }
    return words;
}

static inline void mutate_values(hid_t file, const char *name)
{
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    int is_integer = 0;
    int64_t count = 0;

    if (mutate_is_number(dataset, &is_integer)) {
        int64_t *words = mutate_read(&count, dataset, is_integer);
        for (int64_t k = 0; count > 0 && k <= mutate_pick(3); k++) {
            mutate_word(words + mutate_pick(count), is_integer);
        }
        if (count > 0) {
            H5Dwrite(dataset, is_integer ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL,
                     H5P_DEFAULT, words);
        }
        free(words);
    }
    H5Dclose(dataset);
}

/* Another shape, from lengths and rank. */
static inline hid_t mutate_space(int rank, hsize_t lengths[8])
{
    static const hsize_t special[] = { 0, 1, 2, 3, 5, 13 };

    switch (mutate_pick(7)) {
    case 0:
        return H5Screate(H5S_NULL);
    case 1:
        return H5Screate(H5S_SCALAR);
    case 2: /* an axis less */
        rank = rank > 1 ? rank - 1 : 1;
        break;
    case 3: /* an axis more */
        lengths[rank] = special[mutate_pick(6)];
        rank++;
        break;
    case 4: /* a little longer or shorter */
        lengths[mutate_pick(rank)] += mutate_pick(2) ? 1 : (hsize_t) - (lengths[0] > 0);
        break;
    case 5: {
        hsize_t first = lengths[0];
        lengths[0] = lengths[rank - 1];
        lengths[rank - 1] = first;
        break;
    }
    default:
        lengths[mutate_pick(rank)] = special[mutate_pick(6)];
    }
    for (int k = 0; k < rank; k++) {
        lengths[k] = lengths[k] > 4096 ? 4096 : lengths[k];
    }
    return H5Screate_simple(rank, lengths, NULL);
}

static inline hid_t mutate_type(hid_t before)
{
    hid_t text;

    switch (mutate_pick(8)) {
    case 0:
        return H5Tcopy(H5T_STD_I64LE);
    case 1:
        return H5Tcopy(H5T_IEEE_F64LE);
    case 2:
        return H5Tcopy(H5T_STD_I8LE);
    case 3:
        return H5Tcopy(H5T_STD_U64BE);
    case 4:
        return H5Tcopy(H5T_IEEE_F32BE);
    case 5:
        text = H5Tcopy(H5T_C_S1);
        H5Tset_size(text, mutate_pick(2) ? 5 : H5T_VARIABLE);
        return text;
    case 6:
        text = H5Tcreate(H5T_COMPOUND, 8);
        H5Tinsert(text, "a", 0, H5T_NATIVE_DOUBLE);
        return text;
    default:
        return H5Tcopy(before);
    }
}

/* Replaces the dataset by one of another shape, type or both, with its values as far as they
 * fit. */
static inline void mutate_form(hid_t file, const char *name)
{
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(dataset);
    hid_t type = H5Dget_type(dataset);
    hsize_t lengths[H5S_MAX_RANK] = { 1 };
    int rank = H5Sget_simple_extent_dims(space, lengths, NULL), is_integer = 0;
    int64_t count = 0, *words = NULL;

    if (mutate_is_number(dataset, &is_integer)) {
        words = mutate_read(&count, dataset, is_integer);
    }
    hid_t shape = mutate_pick(3) ? mutate_space(rank > 0 ? rank : 1, lengths) : H5Scopy(space);
    hid_t other = mutate_pick(3) ? H5Tcopy(type) : mutate_type(type);
    H5Dclose(dataset);
    H5Ldelete(file, name, H5P_DEFAULT);
    dataset = H5Dcreate2(file, name, other, shape, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hssize_t points = H5Sget_simple_extent_npoints(shape);
    if (mutate_is_number(dataset, &is_integer) && points > 0) {
        int64_t *all = calloc((size_t)points, 8);
        for (hssize_t k = 0; count > 0 && k < points; k++) {
            all[k] = words[k % count];
        }
        H5Dwrite(dataset, is_integer ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL,
                 H5P_DEFAULT, all);
        free(all);
    }
    free(words);
    H5Dclose(dataset);
    H5Sclose(space);
    H5Sclose(shape);
    H5Tclose(type);
    H5Tclose(other);
}

/* ---- attributes ---- */

static inline void mutate_text(char out[64])
{
    static const char *const texts[] = {
        "",       "0",       "-1",  "1",        "2",       "3",     "1e999",   "nan",
        "matrix", "@values", "yes", "identity", "softmax", "chain", "1e18",    "0.5",
        "x.npy",  "tokens",  "inf", "harmonic", "auto",    "12",    "tropism", "tropism flow run"
    };

    snprintf(out, 64, "%s", texts[mutate_pick(sizeof texts / sizeof texts[0])]);
}

/* Replaces the text of an attribute: by one of ours, or by itself with one letter changed. */
static inline void mutate_attribute(hid_t object, const char *name)
{
    char text[64] = "", old[256] = "";
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), type = H5Aget_type(attribute);
    hid_t one = H5Screate(H5S_SCALAR), other;

    if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
        H5Tget_size(type) < sizeof old) {
        H5Aread(attribute, type, old);
    }
    snprintf(text, sizeof text, "%.60s", old);
    if (mutate_pick(3) > 0 || !*text) {
        mutate_text(text);
    } else {
        text[mutate_pick((int64_t)strlen(text))] ^= (char)(1 << mutate_pick(7));
    }
    H5Aclose(attribute);
    H5Adelete(object, name);
    const int64_t how = mutate_pick(12);
    if (how == 0) {
        other = H5Tcopy(H5T_STD_I64LE);
    } else {
        other = H5Tcopy(H5T_C_S1);
        H5Tset_size(other, strlen(text) + 1);
    }
    if (how == 1) {
        hsize_t two = 2;
        H5Sclose(one);
        one = H5Screate_simple(1, &two, NULL);
    }
    if (how != 2) {
        char room[160] = "";
        memcpy(room, text, sizeof text);
        attribute = H5Acreate2(object, name, other, one, H5P_DEFAULT, H5P_DEFAULT);
        H5Awrite(attribute, other, room);
        H5Aclose(attribute);
    }
    H5Tclose(other);
    H5Tclose(type);
    H5Sclose(one);
}

static inline void mutate_attributes(hid_t file, const char *name)
{
    struct mutate_list *all = calloc(1, sizeof *all);
    hid_t object = H5Oopen(file, name, H5P_DEFAULT);

    H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, NULL, mutate_visit_attribute, all);
    if (all->count > 0) {
        mutate_attribute(object, all->names[mutate_pick(all->count)]);
    }
    H5Oclose(object);
    free(all);
}

/* ---- members ---- */

/* Puts something else under the name, or removes it. */
static inline void mutate_member(hid_t file, const char *name, const char *another)
{
    const int64_t how = mutate_pick(6);
    char fresh[200];

    if (how != 5) {
        H5Ldelete(file, name, H5P_DEFAULT);
    }
    if (how == 0) {
        H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    } else if (how == 1) {
        H5Lcreate_soft(another, file, name, H5P_DEFAULT, H5P_DEFAULT);
    } else if (how == 2) {
        H5Ocopy(file, another, file, name, H5P_DEFAULT, H5P_DEFAULT);
    } else if (how == 3) {
        H5Lcreate_hard(file, "/", file, name, H5P_DEFAULT, H5P_DEFAULT);
    } else if (how == 5) {
        snprintf(fresh, sizeof fresh, "%s%s", name, mutate_pick(2) ? "_offsets" : "x");
        H5Ocopy(file, another, file, fresh, H5P_DEFAULT, H5P_DEFAULT);
    }
}

/* Most of a result is never read again; names with these words are. */
static inline int mutate_is_read(const char *name)
{
    static const char *const words[] = { "input",        "record",   "checkpoint", "offsets",
                                         "polygon",      "domin",    "eroded",     "vertices",
                                         "merge",        "survival", "weights",    "alpha",
                                         "radius",       "bregman",  "options",    "tokens",
                                         "history/step", "log_gap",  "beta" };

    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        if (strstr(name, words[k])) {
            return 1;
        }
    }
    return 0;
}

/* Any member, mostly one that is read; "/" for the file itself. */
static inline const char *mutate_choose(const struct mutate_list *all)
{
    int64_t k = mutate_pick(all->count + 1);

    for (int tries = 0;
         tries < 20 && k < all->count && !mutate_is_read(all->names[k]) && mutate_pick(4) > 0;
         tries++) {
        k = mutate_pick(all->count + 1);
    }
    return k < all->count ? all->names[k] : "/";
}

static inline void mutate_once(hid_t file)
{
    struct mutate_list *all = calloc(1, sizeof *all);
    H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, mutate_visit, all);
    const char *name = mutate_choose(all);
    hid_t object = H5Oopen(file, name, H5P_DEFAULT);
    const int is_dataset = H5Iget_type(object) == H5I_DATASET;
    const int64_t how = mutate_pick(8);

    H5Oclose(object);
    if (is_dataset && how < 3) {
        mutate_values(file, name);
    } else if (is_dataset && how < 6) {
        mutate_form(file, name);
    } else if (strcmp(name, "/") == 0 || how < 7) {
        mutate_attributes(file, mutate_pick(2) ? name : mutate_pick(3) ? "/options" : "/");
    } else {
        mutate_member(file, name, all->names[mutate_pick(all->count)]);
    }
    free(all);
}

/* One to three changes; the file is open for writing. */
static inline void mutate_h5(hid_t file)
{
    for (int64_t k = mutate_pick(3); k >= 0; k--) {
        mutate_once(file);
    }
}

#endif
