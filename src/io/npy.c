/* npy.c -- NumPy's .npy files, format versions 1, 2 and 3.
 *
 *   \x93NUMPY  major minor  header length (2 bytes in version 1, else 4, little
 *   endian)  header: a Python dict literal with exactly the keys descr,
 *   fortran_order and shape, padded with spaces  data
 *
 * NumPy Enhancement Proposal 1. The file is hostile: nothing is allocated before
 * the shape, the type and the real size of the file agree to the byte.
 */
#include "io/npy.h"

#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "io/file.h"
#include "io/number.h"

#define MAGIC "\x93NUMPY"
#define MAGIC_SIZE 6
#define HEADER_MOST ((int64_t)1 << 20) /* bytes; four lengths take less than 200 */

/* What the header says. */
struct layout {
    char kind;     /* 'f', 'i' or 'u' */
    int big;       /* big endian */
    int64_t width; /* bytes of an element */
    int fortran;
    int64_t rank;
    int64_t shape[TROP_ARRAY_RANK];
    int seen[3]; /* descr, fortran_order, shape */
};

/* The header as far as it is read. */
struct scan {
    const char *at, *end;
    const char *name; /* of the file */
};

static enum trop_status malformed(const struct scan *scan, const char *what)
{
    return trop_fail(TROP_ERR_IO, "%s: not an npy file: %s", scan->name, what);
}

static void skip_blanks(struct scan *scan)
{
    while (scan->at < scan->end && strchr(" \t\r\n", *scan->at) && *scan->at) {
        scan->at++;
    }
}

/* Takes c, after blanks, if it is next. */
static int take(struct scan *scan, char c)
{
    skip_blanks(scan);
    if (scan->at < scan->end && *scan->at == c) {
        scan->at++;
        return 1;
    }
    return 0;
}

static int take_word(struct scan *scan, const char *word)
{
    size_t length = strlen(word);

    skip_blanks(scan);
    if ((size_t)(scan->end - scan->at) < length || memcmp(scan->at, word, length) != 0) {
        return 0;
    }
    scan->at += length;
    return 1;
}

/* A quoted text without escapes, into out; cut texts cannot equal a known one. */
static int take_text(struct scan *scan, char *out, int64_t size)
{
    char quote = take(scan, '\'') ? '\'' : take(scan, '"') ? '"' : 0;
    if (!quote) {
        return 0;
    }
    int64_t length = 0;
    for (; scan->at < scan->end && *scan->at != quote; scan->at++) {
        if (*scan->at < ' ' || *scan->at > '~' || *scan->at == '\\') {
            return 0;
        }
        if (length + 1 < size) {
            out[length++] = *scan->at;
        }
    }
    out[length] = 0;
    return scan->at < scan->end && *scan->at++ == quote;
}

static enum trop_status read_descr(struct layout *layout, struct scan *scan)
{
    char text[32];
    if (take(scan, '[')) {
        return trop_fail(TROP_ERR_UNSUPPORTED, "%s: a structured dtype: must be one number type",
                         scan->name);
    }
    if (!take_text(scan, text, sizeof text)) {
        return malformed(scan, "descr is not a text");
    }
    layout->big = text[0] == '>';
    layout->kind = text[0] ? text[1] : 0;
    layout->width = text[0] && text[1] && strlen(text) == 3 ? text[2] - '0' : 0;
    int64_t w = layout->width;
    int floating = layout->kind == 'f' && (w == 2 || w == 4 || w == 8);
    int whole = (layout->kind == 'i' || layout->kind == 'u') && w >= 1 && w <= 8;
    int ordered = text[0] == '<' || text[0] == '>' || (text[0] == '|' && w == 1);
    if (!ordered || (!floating && !whole)) {
        return trop_fail(TROP_ERR_UNSUPPORTED,
                         "%s: dtype '%s': must be f2, f4, f8 or an integer of 1 to 8 bytes",
                         scan->name, text);
    }
    return TROP_OK;
}

static enum trop_status read_order(struct layout *layout, struct scan *scan)
{
    layout->fortran = take_word(scan, "True");
    if (!layout->fortran && !take_word(scan, "False")) {
        return malformed(scan, "fortran_order is neither True nor False");
    }
    return TROP_OK;
}

static enum trop_status read_length(int64_t *out, struct scan *scan)
{
    if (take(scan, '-')) {
        return malformed(scan, "a negative length in its shape");
    }
    skip_blanks(scan);
    const char *first = scan->at;
    int64_t value = 0;
    for (; scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9'; scan->at++) {
        int digit = *scan->at - '0';
        if (value > (INT64_MAX - digit) / 10) {
            return malformed(scan, "a length in its shape exceeds 64 bits");
        }
        value = value * 10 + digit;
    }
    if (scan->at == first) {
        return malformed(scan, "shape is not a tuple of integers");
    }
    take(scan, 'L'); /* Python 2 wrote 3L */
    *out = value;
    return TROP_OK;
}

/* (), (3,) or (3, 4): as in Python, (3) is not a tuple. */
static enum trop_status read_shape(struct layout *layout, struct scan *scan)
{
    if (!take(scan, '(')) {
        return malformed(scan, "shape is not a tuple of integers");
    }
    int comma = 1;
    layout->rank = 0;
    while (!take(scan, ')')) {
        int64_t length = 0;
        if (!comma) {
            return malformed(scan, "shape is not a tuple of integers");
        }
        enum trop_status status = read_length(&length, scan);
        if (status != TROP_OK) {
            return status;
        }
        if (layout->rank == TROP_ARRAY_RANK) {
            return trop_fail(TROP_ERR_UNSUPPORTED, "%s: more than %d axes", scan->name,
                             TROP_ARRAY_RANK);
        }
        layout->shape[layout->rank++] = length;
        comma = take(scan, ',');
    }
    return layout->rank == 1 && !comma ? malformed(scan, "shape is not a tuple of integers")
                                       : TROP_OK;
}

static const struct {
    const char *key;
    enum trop_status (*read)(struct layout *layout, struct scan *scan);
} members[] = {
    { "descr", read_descr },
    { "fortran_order", read_order },
    { "shape", read_shape },
};

static enum trop_status read_member(struct layout *layout, struct scan *scan)
{
    char key[32];
    if (!take_text(scan, key, sizeof key) || !take(scan, ':')) {
        return malformed(scan, "its header is not a dict literal");
    }
    for (size_t k = 0; k < sizeof members / sizeof *members; k++) {
        if (strcmp(key, members[k].key) == 0) {
            if (layout->seen[k]++) {
                return malformed(scan, "its header says something twice");
            }
            return members[k].read(layout, scan);
        }
    }
    return malformed(scan, "its header has an unknown key");
}

static enum trop_status read_header(struct layout *layout, struct scan *scan)
{
    if (!take(scan, '{')) {
        return malformed(scan, "its header is not a dict literal");
    }
    int comma = 1;
    while (!take(scan, '}')) {
        if (!comma) {
            return malformed(scan, "its header is not a dict literal");
        }
        enum trop_status status = read_member(layout, scan);
        if (status != TROP_OK) {
            return status;
        }
        comma = take(scan, ',');
    }
    skip_blanks(scan);
    if (scan->at != scan->end) {
        return malformed(scan, "something follows the dict in its header");
    }
    if (!layout->seen[0] || !layout->seen[1] || !layout->seen[2]) {
        return malformed(scan, "its header needs descr, fortran_order and shape");
    }
    return TROP_OK;
}

/* Finds the header between *first and *last, which may be behind the end; the data begin at *last.
 */
static enum trop_status find_header(int64_t *first, int64_t *last, const unsigned char *bytes,
                                    int64_t size, const struct scan *scan)
{
    if (size < MAGIC_SIZE + 2 || memcmp(bytes, MAGIC, MAGIC_SIZE) != 0) {
        return malformed(scan, "it does not begin with \\x93NUMPY");
    }
    int major = bytes[MAGIC_SIZE];
    if (major < 1 || major > 3) {
        return trop_fail(TROP_ERR_UNSUPPORTED, "%s: npy version %d: must be 1, 2 or 3", scan->name,
                         major);
    }
    int64_t field = major == 1 ? 2 : 4;
    *first = MAGIC_SIZE + 2 + field;
    *last = *first;
    if (size < *first) {
        return TROP_OK;
    }
    int64_t length = 0;
    for (int64_t k = field - 1; k >= 0; k--) {
        length = length * 256 + bytes[MAGIC_SIZE + 2 + k];
    }
    if (length > HEADER_MOST) {
        return malformed(scan, "its header is longer than a megabyte");
    }
    *last = *first + length;
    return TROP_OK;
}

/* 1 when a whole number of this size has more than 53 bits between its first and last one. */
static int is_rounded(uint64_t size)
{
    for (; size > (uint64_t)1 << 53 && size % 2 == 0; size /= 2) {
    }
    return size > (uint64_t)1 << 53;
}

/* One element as double; *rounded is set to 1 when it is a whole number that no double is. */
static double element(int *rounded, const unsigned char *bytes, const struct layout *layout)
{
    uint64_t bits = 0;
    for (int64_t k = 0; k < layout->width; k++) {
        int64_t from_top = layout->big ? k : layout->width - 1 - k;
        bits = bits << 8 | bytes[from_top];
    }
    if (layout->kind == 'f' && layout->width == 8) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    if (layout->kind == 'f' && layout->width == 2) {
        const unsigned char little[2] = { (unsigned char)bits, (unsigned char)(bits >> 8) };
        double value;
        trop_number_copy(&value, little, TROP_NUMBER_F16, 1);
        return value;
    }
    if (layout->kind == 'f') {
        uint32_t half = (uint32_t)bits;
        float value;
        memcpy(&value, &half, sizeof value);
        return (double)value;
    }
    if (layout->kind == 'u') {
        *rounded |= is_rounded(bits);
        return (double)bits;
    }
    /* Sign extension without a shift of a negative number: flip the sign bit of
     * the narrow number, then subtract its weight. */
    uint64_t sign = (uint64_t)1 << (8 * layout->width - 1);
    uint64_t wide = (bits ^ sign) - sign;
    int64_t value;
    memcpy(&value, &wide, sizeof value);
    *rounded |= is_rounded(value < 0 ? 0 - wide : wide);
    return (double)value;
}

/* Where the row-major element i stands in the file. */
static int64_t position(int64_t i, const struct layout *layout)
{
    if (!layout->fortran) {
        return i;
    }
    int64_t index[TROP_ARRAY_RANK];
    for (int64_t k = layout->rank - 1; k >= 0; k--) {
        index[k] = i % layout->shape[k];
        i /= layout->shape[k];
    }
    int64_t flat = 0;
    for (int64_t k = layout->rank - 1; k >= 0; k--) {
        flat = flat * layout->shape[k] + index[k];
    }
    return flat;
}

/* A whole number at i, row-major, that double would change. */
static enum trop_status refuse_rounded(const struct layout *layout, int64_t i, const char *name)
{
    char where[128];
    int64_t index[TROP_ARRAY_RANK] = { 0 };
    int used = snprintf(where, sizeof where, "index ");

    for (int64_t k = layout->rank - 1; k >= 0; k--) {
        index[k] = i % layout->shape[k];
        i /= layout->shape[k];
    }
    for (int64_t k = 0; k < layout->rank; k++) {
        used += snprintf(where + used, sizeof where - (size_t)used, "[%lld]", (long long)index[k]);
    }
    if (layout->rank <= 2) { /* as trop_array_finite says it */
        snprintf(where, sizeof where, "row %lld, column %lld (from 0)", (long long)index[0],
                 (long long)index[1]);
    }
    return trop_fail(TROP_ERR_IO, "%s: %s: a whole number beyond 2^53 that double would round",
                     name, where);
}

/* The header, once it is whole: *last is where the data begin. */
static enum trop_status read_layout(struct layout *layout, int64_t *last, int64_t *need,
                                    const unsigned char *bytes, int64_t size, struct scan *scan)
{
    int64_t first = 0;
    enum trop_status status = find_header(&first, last, bytes, size, scan);
    if (status != TROP_OK) {
        return status;
    }
    if (size < *last || size < first) {
        *need = -1;
        return TROP_OK;
    }
    scan->at = (const char *)bytes + first;
    scan->end = (const char *)bytes + *last;
    status = read_header(layout, scan);
    if (status != TROP_OK) {
        return status;
    }
    int64_t count = trop_array_count(layout->rank, layout->shape);
    *need = count < 0 ? -1 : trop_alloc_product(count, layout->width);
    return *need < 0 ? malformed(scan, "its shape exceeds 64 bits") : TROP_OK;
}

static enum trop_status refuse_size(const char *name, int64_t need, int64_t has)
{
    return trop_fail(TROP_ERR_IO, "%s: its shape needs %lld bytes of data, the file has %lld", name,
                     (long long)need, (long long)has);
}

enum trop_status trop_npy_parse(struct trop_array *out, const unsigned char *bytes, int64_t size,
                                const char *name)
{
    struct scan scan = { .name = name };
    struct layout layout = { 0 };
    int64_t last = 0, need = 0;
    enum trop_status status = read_layout(&layout, &last, &need, bytes, size, &scan);
    if (status != TROP_OK) {
        return status;
    }
    if (need < 0) {
        return malformed(&scan, "it ends inside its header");
    }
    if (need != size - last) {
        return refuse_size(name, need, size - last);
    }
    int64_t count = need / layout.width;
    double *data = trop_alloc(count, sizeof *data);
    if (!data) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for %lld numbers", name, (long long)count);
    }
    for (int64_t i = 0; i < count; i++) {
        int rounded = 0;
        data[i] = element(&rounded, bytes + last + position(i, &layout) * layout.width, &layout);
        if (rounded) {
            trop_alloc_free(data);
            return refuse_rounded(&layout, i, name);
        }
    }
    *out = (struct trop_array){ .data = data, .rank = layout.rank };
    memcpy(out->shape, layout.shape, sizeof out->shape);
    return TROP_OK;
}

/* The magic, then the header, then that there are as many bytes as it says and no more. */
static enum trop_status judge(const unsigned char *bytes, int64_t size, int64_t seen, int64_t total,
                              const char *path)
{
    struct scan scan = { .name = path };
    struct layout layout = { 0 };
    int64_t last = 0, need = 0;

    (void)seen;
    if (memcmp(bytes, MAGIC, (size_t)(size < MAGIC_SIZE ? size : MAGIC_SIZE)) != 0) {
        return malformed(&scan, "it does not begin with \\x93NUMPY");
    }
    if (size < MAGIC_SIZE + 2) {
        return TROP_OK;
    }
    enum trop_status status = read_layout(&layout, &last, &need, bytes, size, &scan);
    if (status != TROP_OK || need < 0) {
        return status;
    }
    const int64_t has = (total < 0 ? size : total) - last;
    return has > need || (total >= 0 && has < need) ? refuse_size(path, need, has) : TROP_OK;
}

enum trop_status trop_npy_read(struct trop_array *out, const char *path)
{
    unsigned char *bytes;
    int64_t size;
    enum trop_status status = trop_file_read_judged(&bytes, &size, path, TROP_FILE_LIMIT, judge);
    if (status != TROP_OK) {
        return status;
    }
    status = trop_npy_parse(out, bytes, size, path);
    trop_alloc_free(bytes);
    return status;
}

/* ---- writing ----------------------------------------------------------------- */

#define HEADER_SIZE 192 /* 4 lengths of 19 digits fit; data begin at a multiple of 64 */

enum trop_status trop_npy_write(const char *path, const double *data, int64_t rank,
                                const int64_t *shape)
{
    if (rank < 0 || rank > TROP_ARRAY_RANK) {
        return trop_fail(TROP_ERR_ARG, "%s: rank = %lld: must be from 0 to %d", path,
                         (long long)rank, TROP_ARRAY_RANK);
    }
    int64_t count = trop_array_count(rank, shape);
    if (count < 0 || count > (INT64_MAX - HEADER_SIZE) / 8) {
        return trop_fail(TROP_ERR_ARG, "%s: its shape is negative or exceeds 64 bits", path);
    }
    unsigned char *bytes = trop_alloc(HEADER_SIZE + count * 8, 1);
    if (!bytes) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for %lld numbers", path, (long long)count);
    }
    char text[HEADER_SIZE + 1];
    int used = snprintf(text, sizeof text, "{'descr': '<f8', 'fortran_order': False, 'shape': (");
    for (int64_t k = 0; k < rank; k++) {
        used += snprintf(text + used, sizeof text - (size_t)used, k + 1 < rank ? "%lld, " : "%lld",
                         (long long)shape[k]);
    }
    used += snprintf(text + used, sizeof text - (size_t)used, rank == 1 ? ",), }" : "), }");
    /* The magic, the version and the length take 10 bytes; a newline closes. */
    int64_t size = (10 + used + 1 + 63) / 64 * 64;
    memset(bytes, ' ', (size_t)size);
    memcpy(bytes, MAGIC "\x01\x00", MAGIC_SIZE + 2);
    bytes[8] = (unsigned char)((size - 10) % 256);
    bytes[9] = (unsigned char)((size - 10) / 256);
    memcpy(bytes + 10, text, (size_t)used);
    bytes[size - 1] = '\n';
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &data[i], sizeof bits);
        for (int k = 0; k < 8; k++) {
            bytes[size++] = (unsigned char)(bits >> (8 * k));
        }
    }
    enum trop_status status = trop_file_write(path, bytes, size);
    trop_alloc_free(bytes);
    return status;
}
