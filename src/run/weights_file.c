/* weights_file.c -- weights of a model in JSON files, with shapes and values checked. */
#include "run/weights_file.h"

#include "base/alloc.h"
#include "base/status.h"
#include "io/json/json_read.h"

#include <math.h>
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

enum trop_status trop_weights_file_read(struct trop_weights_file *out, const char *path)
{
    struct trop_weights_file file = { 0 };
    struct trop_json_read *doc;
    enum trop_status status = trop_json_read_open(&doc, path);

    if (status != TROP_OK) {
        return status;
    }
    status = trop_json_read_keys(doc, keys);
    for (int64_t part = 0; part < TROP_WEIGHTS_PARTS && status == TROP_OK; part++) {
        if (trop_json_read_has(doc, keys[part])) {
            status = read_finite(file.part + part, doc, path, keys[part]);
        }
    }
    trop_json_read_close(doc);
    if (status != TROP_OK) {
        trop_weights_file_free(&file);
        return status;
    }
    *out = file;
    return TROP_OK;
}

void trop_weights_file_free(struct trop_weights_file *file)
{
    for (int64_t part = 0; part < TROP_WEIGHTS_PARTS; part++) {
        trop_array_free(file->part + part);
    }
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

enum trop_status trop_weights_file_direction(double **out, const char *path, int64_t part,
                                             int64_t rows, int64_t columns)
{
    struct trop_weights_file file;
    enum trop_status status = trop_weights_file_read(&file, path);

    if (status == TROP_OK) {
        status = trop_weights_file_take(out, &file, path, part, rows, columns);
        trop_weights_file_free(&file);
    }
    return status;
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
