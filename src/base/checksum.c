/* checksum.c -- a sum that finds damage, not malice. Of every word w
 *
 *   s <- (s xor w) * 0x100000001b3 mod 2^64,   s <- s xor (s >> 32),
 *
 * both of which can be undone: sums of equal lengths that differ in one word differ. Words are
 * taken as the machine has them.
 */
#include "base/checksum.h"

#include <string.h>

uint64_t trop_checksum_words(uint64_t sum, const void *words, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        uint64_t word;
        memcpy(&word, (const char *)words + 8 * k, 8);
        sum = (sum ^ word) * UINT64_C(0x100000001b3);
        sum ^= sum >> 32;
    }
    return sum;
}

uint64_t trop_checksum_bytes(uint64_t sum, const void *bytes, int64_t size)
{
    uint64_t last = 0;

    sum = trop_checksum_words(sum, &size, 1);
    sum = trop_checksum_words(sum, bytes, size / 8);
    if (size % 8 > 0) {
        memcpy(&last, (const char *)bytes + size - size % 8, (size_t)(size % 8));
        sum = trop_checksum_words(sum, &last, 1);
    }
    return sum;
}
