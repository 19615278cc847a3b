/* sha256.h -- SHA-256 (FIPS 180-4), by which a proof names a file that anyone can hash. */
#ifndef TROP_IO_SHA256_H
#define TROP_IO_SHA256_H

#include "tropism.h"

#define TROP_SHA256_TEXT 65 /* 64 hexadecimal digits and the zero */

/* Of count bytes in memory; of a whole file. */
void trop_sha256_text(char out[TROP_SHA256_TEXT], const void *bytes, int64_t size);
enum trop_status trop_sha256_file(char out[TROP_SHA256_TEXT], const char *path);

#endif
