/* idx.c -- IDX files, as MNIST has them.
 *
 *   0 0 type rank  a length of 4 bytes for each axis, big endian  data
 *
 * Type 8 are unsigned bytes, which images and labels are; Y. LeCun, C. Cortes, C. J. C. Burges, the
 * MNIST database. Nothing is allocated before the lengths and the size of the file agree.
 */
#include "io/idx.h"

#include "base/status.h"

#define BYTES 8 /* the type */

enum trop_status trop_idx_parse(struct trop_array *out, const unsigned char *bytes, int64_t size,
                                const char *name)
{
    struct trop_array array = { 0 };

    if (size < 4 || bytes[0] || bytes[1]) {
        return trop_fail(TROP_ERR_IO, "%s: not an IDX file: it must begin with two zero bytes",
                         name);
    }
    if (bytes[2] != BYTES || bytes[3] < 1 || bytes[3] > TROP_ARRAY_RANK) {
        return trop_fail(
            TROP_ERR_UNSUPPORTED,
            "%s: IDX of type 0x%02x with %d axes: must be unsigned bytes (0x08) with 1 "
            "to %d",
            name, bytes[2], bytes[3], TROP_ARRAY_RANK);
    }
    array.rank = bytes[3];
    if (size < 4 + 4 * array.rank) {
        return trop_fail(TROP_ERR_IO, "%s: ends inside its header", name);
    }
    for (int64_t k = 0; k < array.rank; k++) {
        const unsigned char *length = bytes + 4 + 4 * k;
        array.shape[k] = (int64_t)length[0] << 24 | length[1] << 16 | length[2] << 8 | length[3];
    }
    const int64_t count = trop_array_count(array.rank, array.shape);
    const unsigned char *data = bytes + 4 + 4 * array.rank;
    if (count != size - 4 - 4 * array.rank) {
        return trop_fail(TROP_ERR_IO, "%s: its shape needs %lld bytes of data, the file has %lld",
                         name, (long long)count, (long long)(size - 4 - 4 * array.rank));
    }
    array.data = trop_alloc(count, sizeof *array.data);
    if (!array.data) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for %lld numbers", name, (long long)count);
    }
    for (int64_t k = 0; k < count; k++) {
        array.data[k] = data[k];
    }
    *out = array;
    return TROP_OK;
}
