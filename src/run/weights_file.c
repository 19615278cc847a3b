/* weights_file.c -- weights of a model in files, with shapes and values checked. */
#include "run/weights_file.h"

#include "base/alloc.h"
#include "base/status.h"
#include "io/h5/h5.h"
#include "io/json/json_read.h"
#include "run/out.h"
#include "run/setup/setup.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const keys[TROP_WEIGHTS_PARTS + 1] = {
    [TROP_WEIGHTS_P] = "p", [TROP_WEIGHTS_W] = "W", [TROP_WEIGHTS_V] = "v",
    [TROP_WEIGHTS_K] = "K", [TROP_WEIGHTS_Q] = "Q",
};

int64_t trop_weights_file_part(const char *key)
{
    for (int64_t part = 0; part < TROP_WEIGHTS_PARTS; part++) {
        if (strcmp(keys[part], key) == 0) {
            return part;
        }
    }
    return -1;
}

const char *trop_weights_file_key(int64_t part)
{
    return keys[part];
}

/* The array of a key, finite; file and key are named in front of the sentence. */
static enum trop_status read_finite(struct trop_array *out, const struct trop_json_read *doc,
                                    const char *path, const char *key)
{
    struct trop_array array = { 0 };
    enum trop_status status = trop_json_read_numbers(&array, doc, key);
    int64_t count = status == TROP_OK ? trop_array_count(array.rank, array.shape) : 0;

    for (int64_t k = 0; k < count && status == TROP_OK; k++) {
        if (!isfinite(array.data[k])) {
            status = trop_fail(TROP_ERR_IO, "%s: %s: number %lld of it (from 0) is not finite",
                               path, key, (long long)k);
        }
    }
    if (status != TROP_OK) {
        trop_array_free(&array);
        return status;
    }
    *out = array;
    return TROP_OK;
}

/* What an array holds is a fault of the file. */
static enum trop_status check_finite(const struct trop_array *array, const char *path)
{
    return trop_array_finite(array, path) == TROP_OK ? TROP_OK
                                                     : trop_fail(TROP_ERR_IO, "%s", trop_error());
}

/* One number, when it is one. */
static void take_number(double *out, struct trop_array *array)
{
    *out = array->data && array->rank == 0 ? array->data[0] : *out;
    trop_array_free(array);
}

/* The members themselves, or those of "weights" in a result. */
static enum trop_status read_json(struct trop_weights_file *file, const char *path)
{
    struct trop_json_read *doc, *inside = NULL;
    struct trop_array number = { 0 };
    enum trop_status status = trop_json_read_open(&doc, path);

    if (status != TROP_OK) {
        return status;
    }
    if (trop_json_read_has(doc, "weights")) {
        status = trop_json_read_inside(&inside, doc, "weights");
        if (status == TROP_OK && trop_json_read_has(doc, "log_norm")) {
            status = trop_json_read_numbers(&number, doc, "log_norm");
            take_number(&file->log_norm, &number);
        }
    }
    const struct trop_json_read *from = inside ? inside : doc;
    status = status == TROP_OK ? trop_json_read_keys(from, keys) : status;
    for (int64_t part = 0; part < TROP_WEIGHTS_PARTS && status == TROP_OK; part++) {
        if (trop_json_read_has(from, keys[part])) {
            status = read_finite(file->part + part, from, path, keys[part]);
        }
    }
    trop_json_read_close(inside);
    trop_json_read_close(doc);
    return status;
}

/* The same of HDF5, at the root or in /result/weights. */
static enum trop_status read_h5(struct trop_weights_file *file, const char *path)
{
    struct trop_h5 *h5 = NULL;
    enum trop_status status = trop_h5_open(&h5, path);
    int64_t found = 0;

    if (status != TROP_OK) {
        return status;
    }
    struct trop_array number = { 0 };
    if (trop_h5_exists(h5, "/result/log_norm") && !trop_h5_empty(h5, "/result/log_norm")) {
        status = trop_h5_numbers(&number, h5, "/result/log_norm");
        take_number(&file->log_norm, &number);
    }
    const char *folder = trop_h5_exists(h5, "/result/weights") ? "/result/weights/" : "/";
    for (int64_t part = 0; part < TROP_WEIGHTS_PARTS && status == TROP_OK; part++) {
        char name[32];
        snprintf(name, sizeof name, "%s%s", folder, keys[part]);
        if (trop_h5_exists(h5, name) && !trop_h5_empty(h5, name)) {
            status = trop_h5_numbers(file->part + part, h5, name);
            status = status == TROP_OK ? check_finite(file->part + part, path) : status;
            found++;
        }
    }
    if (status == TROP_OK && found == 0) {
        status = trop_fail(TROP_ERR_IO,
                           "%s: has no weights: p, W, v, K or Q at the root or in /result/weights; "
                           "another dataset is FILE.h5:/path",
                           path);
    }
    trop_h5_abandon(h5);
    return status;
}

/* What is read as an array; the rest is JSON, pipes among it. */
static int is_array(const char *path)
{
    static const char *const endings[] = { ".npy", ".csv", ".tsv", ".txt", ".npz", ".safetensors" };
    static const char *const marks[] = { ".h5:/", ".hdf5:/", ".npz:", ".safetensors:" };
    int found = 0;

    for (size_t k = 0; k < sizeof endings / sizeof endings[0]; k++) {
        found |= trop_setup_ends(path, endings[k]);
    }
    for (size_t k = 0; k < sizeof marks / sizeof marks[0]; k++) {
        found |= strstr(path, marks[k]) != NULL;
    }
    return found && !trop_setup_ends(path, ".json");
}

enum trop_status trop_weights_file_read(struct trop_weights_file *out, const char *path)
{
    struct trop_weights_file file = { 0 };
    enum trop_status status = TROP_OK;

    if (trop_out_is_h5(path)) {
        status = read_h5(&file, path);
    } else if (!is_array(path)) {
        status = read_json(&file, path);
    } else {
        status = trop_array_read(&file.bare, path);
        status = status == TROP_OK ? check_finite(&file.bare, path) : status;
    }
    if (status != TROP_OK) {
        trop_weights_file_free(&file);
        return status;
    }
    *out = file;
    return TROP_OK;
}

void trop_weights_file_name(struct trop_weights_file *file, int64_t part)
{
    if (file->bare.data) {
        file->part[part] = file->bare;
        file->bare.data = NULL;
    }
}

void trop_weights_file_free(struct trop_weights_file *file)
{
    for (int64_t part = 0; part < TROP_WEIGHTS_PARTS; part++) {
        trop_array_free(file->part + part);
    }
    trop_array_free(&file->bare);
}

enum trop_status trop_weights_file_shape(const struct trop_weights_file *file, int64_t part,
                                         const char *path, int64_t rows, int64_t columns)
{
    const struct trop_array *array = file->part + part;
    char found[96];

    if (!array->data) {
        return trop_fail(TROP_ERR_IO, "%s: %s: is missing", path, keys[part]);
    }
    int vector = array->rank == 1 && array->shape[0] == rows && columns == 1;
    vector |= array->rank == 2 && array->shape[0] == 1 && array->shape[1] == rows && columns == 1;
    int matrix = array->rank == 2 && array->shape[0] == rows && array->shape[1] == columns;
    if (vector || matrix) {
        return TROP_OK;
    }
    trop_array_words(found, array);
    if (columns == 1) {
        return trop_fail(TROP_ERR_IO, "%s: %s is %s: must be %lld numbers", path, keys[part], found,
                         (long long)rows);
    }
    return trop_fail(TROP_ERR_IO, "%s: %s is %s: must be %lld x %lld", path, keys[part], found,
                     (long long)rows, (long long)columns);
}

/* ---- a direction ---- */

/* K and Q of any width m: (rows, m) and (columns, m). */
static enum trop_status check_factors(const struct trop_weights_file *file, const char *path,
                                      int64_t rows, int64_t columns)
{
    const struct trop_array *k = file->part + TROP_WEIGHTS_K;
    int64_t m = k->data && k->rank == 2 ? k->shape[1] : 1;
    enum trop_status status = trop_weights_file_shape(file, TROP_WEIGHTS_K, path, rows, m);

    return status == TROP_OK ? trop_weights_file_shape(file, TROP_WEIGHTS_Q, path, columns, m)
                             : status;
}

/* The part itself, moved out of the file, or the product in its place. */
enum trop_status trop_weights_file_take(double **out, struct trop_weights_file *file,
                                        const char *path, int64_t part, int64_t rows,
                                        int64_t columns)
{
    int factors = part == TROP_WEIGHTS_W && !file->part[part].data &&
                  (file->part[TROP_WEIGHTS_K].data || file->part[TROP_WEIGHTS_Q].data);
    enum trop_status status = factors ? check_factors(file, path, rows, columns)
                                      : trop_weights_file_shape(file, part, path, rows, columns);

    if (status != TROP_OK) {
        return status;
    }
    if (!factors) {
        *out = file->part[part].data;
        file->part[part].data = NULL;
        return TROP_OK;
    }
    double *w = trop_alloc(trop_alloc_product(rows, columns), sizeof *w);
    if (!w) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for %lld x %lld numbers", path,
                         (long long)rows, (long long)columns);
    }
    /* W_ab = sum_m K_am Q_bm, a chain of multiply-adds in the order of m. */
    const struct trop_array *k = file->part + TROP_WEIGHTS_K, *q = file->part + TROP_WEIGHTS_Q;
    int64_t m = k->rank == 2 ? k->shape[1] : 1;
    for (int64_t a = 0; a < rows; a++) {
        for (int64_t b = 0; b < columns; b++) {
            double sum = 0.0;
            for (int64_t c = 0; c < m; c++) {
                sum = fma(k->data[a * m + c], q->data[b * m + c], sum);
            }
            w[a * columns + b] = sum;
        }
    }
    *out = w;
    return TROP_OK;
}

/* ---- selected tokens ---- */

static enum trop_status fill_sets(double *out, const struct trop_json_read_lists *sets,
                                  const char *path, int64_t T)
{
    for (int64_t i = 0; i < sets->count; i++) {
        int64_t first = sets->first[i], size = sets->first[i + 1] - first;
        if (size == 0) {
            return trop_fail(TROP_ERR_IO, "%s: sets[%lld]: selects no token", path, (long long)i);
        }
        for (int64_t k = 0; k < size; k++) {
            int64_t t = sets->values[first + k];
            if (t < 0 || t >= T) {
                return trop_fail(TROP_ERR_IO,
                                 "%s: sets[%lld][%lld] is %lld: must be from 0 to %lld", path,
                                 (long long)i, (long long)k, (long long)t, (long long)T - 1);
            }
            if (out[i * T + t] > 0.0) {
                return trop_fail(TROP_ERR_IO, "%s: sets[%lld]: has token %lld twice", path,
                                 (long long)i, (long long)t);
            }
            out[i * T + t] = 1.0 / (double)size;
        }
    }
    return TROP_OK;
}

static enum trop_status read_sets(double **out, const struct trop_json_read *doc, const char *path,
                                  int64_t n, int64_t T)
{
    struct trop_json_read_lists sets = { 0 };
    double *weights = NULL;
    enum trop_status status = trop_json_read_lists(&sets, doc, "sets");

    if (status == TROP_OK && sets.count != n) {
        status = trop_fail(TROP_ERR_IO, "%s: sets: %lld lists: must be %lld, one for each input",
                           path, (long long)sets.count, (long long)n);
    }
    if (status == TROP_OK) {
        weights = trop_alloc(trop_alloc_product(n, T), sizeof *weights);
        status = weights ? fill_sets(weights, &sets, path, T)
                         : trop_fail(TROP_ERR_MEMORY, "%s: no memory for its weights", path);
    }
    trop_json_read_lists_free(&sets);
    if (status != TROP_OK) {
        trop_alloc_free(weights);
        return status;
    }
    *out = weights;
    return TROP_OK;
}

enum trop_status trop_weights_file_check(const struct trop_array *array, const char *path,
                                         int64_t n, int64_t T)
{
    if (array->rank != 2 || array->shape[0] != n || array->shape[1] != T) {
        return trop_fail(TROP_ERR_IO, "%s: weights: must be %lld x %lld, inputs and tokens", path,
                         (long long)n, (long long)T);
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t selected = 0;
        for (int64_t t = 0; t < T; t++) {
            double weight = array->data[i * T + t];
            if (weight < 0.0) {
                return trop_fail(TROP_ERR_IO, "%s: weights[%lld][%lld] is %g: must not be negative",
                                 path, (long long)i, (long long)t, weight);
            }
            selected += weight > 0.0;
        }
        if (selected == 0) {
            return trop_fail(TROP_ERR_IO, "%s: weights[%lld]: selects no token", path,
                             (long long)i);
        }
    }
    return TROP_OK;
}

static enum trop_status read_weights(double **out, const struct trop_json_read *doc,
                                     const char *path, int64_t n, int64_t T)
{
    struct trop_array array = { 0 };
    enum trop_status status = read_finite(&array, doc, path, "weights");

    if (status == TROP_OK) {
        status = trop_weights_file_check(&array, path, n, T);
    }
    if (status != TROP_OK) {
        trop_array_free(&array);
        return status;
    }
    *out = array.data;
    return TROP_OK;
}

enum trop_status trop_weights_file_equal(double **out, const char *path, int64_t n, int64_t T)
{
    static const char *const known[] = { "sets", "weights", NULL };
    struct trop_json_read *doc;
    enum trop_status status = trop_json_read_open(&doc, path);

    if (status != TROP_OK) {
        return status;
    }
    int sets = trop_json_read_has(doc, "sets"), weights = trop_json_read_has(doc, "weights");
    status = trop_json_read_keys(doc, known);
    if (status == TROP_OK && sets + weights != 1) {
        status = trop_fail(TROP_ERR_IO, "%s: must have one of sets and weights", path);
    }
    if (status == TROP_OK) {
        status = sets ? read_sets(out, doc, path, n, T) : read_weights(out, doc, path, n, T);
    }
    trop_json_read_close(doc);
    return status;
}
