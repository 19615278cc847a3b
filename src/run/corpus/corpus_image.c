/* corpus_image.c -- images: their rows, or square patches, are tokens.
 *
 * Patches are taken row by row, and so are the pixels in them. Pixels are divided by 255 in IDX
 * files, and in tables of numbers by the largest one (16 of digits), so that they go from 0 to 1.
 */
#include "run/corpus/corpus.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "io/csv.h"
#include "io/idx.h"

/* n images of rows x columns, one behind the other at distance stride. */
struct images {
    const double *pixel;
    int64_t n, rows, columns, stride;
    double scale;
};

static enum trop_status refuse_patch(const struct trop_corpus *corpus, const struct images *images)
{
    return trop_fail(TROP_ERR_ARG,
                     "patch = %lld: must divide both sides of the images of %s, %lld x %lld",
                     (long long)corpus->options.patch, corpus->name, (long long)images->rows,
                     (long long)images->columns);
}

/* Pixel (r, c) of an image stands in token and coordinate of it. */
static int64_t place_of(const struct images *images, int64_t patch, int64_t r, int64_t c)
{
    if (patch == 0) {
        return r * images->columns + c;
    }
    const int64_t token = r / patch * (images->columns / patch) + c / patch;
    return token * patch * patch + r % patch * patch + c % patch;
}

static void fill_image(double *out, const struct images *images, int64_t patch, int64_t i)
{
    const double *pixel = images->pixel + i * images->stride;

    for (int64_t r = 0; r < images->rows; r++) {
        for (int64_t c = 0; c < images->columns; c++) {
            out[place_of(images, patch, r, c)] = pixel[r * images->columns + c] / images->scale;
        }
    }
}

/* Tokens of a kind: with max_length the first of each image. */
static enum trop_status cut_images(struct trop_corpus *corpus, const struct images *images)
{
    const int64_t patch = corpus->options.patch, most = corpus->options.max_length;
    const int64_t size = images->rows * images->columns;
    const int64_t width = patch ? patch * patch : images->columns;
    const int64_t tokens = most > 0 && most < size / width ? most : size / width;
    double *image = trop_alloc(size, sizeof *image);

    corpus->n = images->n;
    corpus->vectors = trop_alloc(trop_alloc_product(images->n, tokens * width), sizeof(double));
    corpus->offsets = trop_alloc(images->n + 1, sizeof *corpus->offsets);
    if (!image || !corpus->vectors || !corpus->offsets) {
        trop_alloc_free(image);
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for %lld images", corpus->name,
                         (long long)images->n);
    }
    for (int64_t i = 0; i < images->n; i++) {
        fill_image(image, images, patch, i);
        memcpy(corpus->vectors + i * tokens * width, image,
               (size_t)(tokens * width) * sizeof *image);
        corpus->offsets[i + 1] = (i + 1) * tokens;
    }
    trop_alloc_free(image);
    corpus->sequences.width = width;
    return TROP_OK;
}

static enum trop_status take_images(struct trop_corpus *corpus, const struct images *images)
{
    const int64_t patch = corpus->options.patch;

    if (images->n < 1 || images->rows < 1 || images->columns < 1) {
        return trop_fail(TROP_ERR_IO, "%s: has no image", corpus->name);
    }
    if (patch > 0 && (images->rows % patch || images->columns % patch)) {
        return refuse_patch(corpus, images);
    }
    return cut_images(corpus, images);
}

/* ---- tables of numbers -------------------------------------------------------------------------
 */

static enum trop_status check_pixels(double *largest, const struct trop_corpus *corpus,
                                     const struct trop_array *table)
{
    const int64_t columns = table->shape[1];

    *largest = 0.0;
    for (int64_t k = 0; k < table->shape[0] * columns; k++) {
        const double value = table->data[k];
        if (k % columns == columns - 1) {
            continue; /* the class */
        }
        if (!(value >= 0.0 && value <= 1e300)) {
            return trop_fail(
                TROP_ERR_IO,
                "%s: row %lld, column %lld (from 0) is %g: a pixel must not be negative",
                corpus->name, (long long)(k / columns), (long long)(k % columns), value);
        }
        *largest = value > *largest ? value : *largest;
    }
    return *largest > 0.0 ? TROP_OK : trop_fail(TROP_ERR_IO, "%s: all pixels are 0", corpus->name);
}

static enum trop_status take_numbers(struct trop_corpus *corpus, const struct trop_array *table)
{
    const int64_t pixels = table->shape[1] - 1;
    const int64_t side = (int64_t)floor(sqrt((double)pixels) + .5);
    double largest;

    if (side * side != pixels) {
        return trop_fail(TROP_ERR_IO,
                         "%s: %lld columns: must be the pixels of a square image, and the class",
                         corpus->name, (long long)pixels + 1);
    }
    enum trop_status status = check_pixels(&largest, corpus, table);
    if (status != TROP_OK) {
        return status;
    }
    const struct images images = { table->data, table->shape[0], side, side, pixels + 1, largest };
    status = take_images(corpus, &images);
    double *labels = status == TROP_OK ? trop_alloc(corpus->n, sizeof *labels) : NULL;
    if (status != TROP_OK || !labels) {
        return status == TROP_OK ? trop_fail(TROP_ERR_MEMORY, "%s: no memory", corpus->name)
                                 : status;
    }
    for (int64_t i = 0; i < corpus->n; i++) {
        labels[i] = table->data[i * (pixels + 1) + pixels];
    }
    status = trop_corpus_classify_numbers(corpus, labels, "the class");
    trop_alloc_free(labels);
    return status;
}

enum trop_status trop_corpus_read_numbers(struct trop_corpus *corpus,
                                          const struct trop_archive_member *member)
{
    struct trop_array table;
    enum trop_status status = trop_csv_parse(&table, member->bytes, member->size, corpus->name);

    if (status == TROP_OK) {
        status = take_numbers(corpus, &table);
        trop_array_free(&table);
    }
    return status;
}

/* ---- IDX ---------------------------------------------------------------------------------------
 */

/* The file of the labels: images becomes labels, and idx3 idx1. */
static char *labels_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const char *images = strstr(base, "images");
    char *out = images ? trop_alloc((int64_t)strlen(path) + 1, 1) : NULL;

    if (out) {
        strcpy(out, path);
        memcpy(out + (images - path), "labels", 6);
        char *rank = strstr(out + (images - path), "idx3");
        if (rank) {
            rank[3] = '1';
        }
    }
    return out;
}

static enum trop_status read_labels(struct trop_corpus *corpus)
{
    struct trop_archive *archive;
    struct trop_array labels = { 0 };
    char *path = labels_name(corpus->name);

    if (!path) {
        return strstr(corpus->name, "images")
                   ? trop_fail(TROP_ERR_MEMORY, "%s: no memory for its name", corpus->name)
                   : trop_fail(TROP_ERR_ARG,
                               "%s: must have images in its name: its labels are looked for under "
                               "labels in its place",
                               corpus->name);
    }
    enum trop_status status = trop_archive_read(&archive, path);
    if (status == TROP_OK) {
        status = trop_idx_parse(&labels, archive->member->bytes, archive->member->size, path);
        trop_archive_free(archive);
    }
    if (status == TROP_OK && (labels.rank != 1 || labels.shape[0] != corpus->n)) {
        char shape[96];
        trop_array_words(shape, &labels);
        status = trop_fail(TROP_ERR_IO, "%s: labels are %s: must be %lld, one an image", path,
                           shape, (long long)corpus->n);
    }
    if (status == TROP_OK) {
        status = trop_corpus_classify_numbers(corpus, labels.data, "the label");
    }
    trop_array_free(&labels);
    trop_alloc_free(path);
    return status;
}

enum trop_status trop_corpus_read_idx(struct trop_corpus *corpus)
{
    const struct trop_archive_member *member = corpus->archive->member;
    struct trop_array array;
    enum trop_status status = trop_idx_parse(&array, member->bytes, member->size, corpus->name);

    if (status != TROP_OK) {
        return status;
    }
    if (array.rank == 3) {
        const struct images images = { array.data,
                                       array.shape[0],
                                       array.shape[1],
                                       array.shape[2],
                                       array.shape[1] * array.shape[2],
                                       255.0 };
        status = take_images(corpus, &images);
    } else {
        status = trop_fail(TROP_ERR_IO, "%s: has %lld axes: images have three", corpus->name,
                           (long long)array.rank);
    }
    trop_array_free(&array);
    return status == TROP_OK ? read_labels(corpus) : status;
}
