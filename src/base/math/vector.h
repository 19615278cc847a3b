/* vector.h -- vectors of 16 bytes, in the form that gcc and clang share. */
#ifndef TROP_BASE_VECTOR_H
#define TROP_BASE_VECTOR_H

#include <stdint.h>

typedef double lanes_two __attribute__((vector_size(16)));
typedef uint64_t lanes_two_bits __attribute__((vector_size(16)));
typedef float lanes_four __attribute__((vector_size(16)));
typedef uint32_t lanes_four_bits __attribute__((vector_size(16)));

/* All bits but the sign's. */
#define LANES_TWO_SIZE ((lanes_two_bits){ INT64_MAX, INT64_MAX })

#endif
