/* checksum.h -- a sum that finds damage, not malice. */
#ifndef TROP_BASE_CHECKSUM_H
#define TROP_BASE_CHECKSUM_H

#include "tropism.h"

/* Folds count words of 8 bytes into sum: FNV-1a on words, with the high half folded in.
 * Both are exported for libtropism-lab. */
TROP_API uint64_t trop_checksum_words(uint64_t sum, const void *words, int64_t count);
/* The same for any bytes, after how many they are; the last word is filled up with zeros. */
TROP_API uint64_t trop_checksum_bytes(uint64_t sum, const void *bytes, int64_t size);

#endif
