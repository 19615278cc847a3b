/* margin_farkas_prime.h -- arithmetic modulo primes between 2^30 and 2^31. */
#ifndef TROP_MARGIN_FARKAS_PRIME_H
#define TROP_MARGIN_FARKAS_PRIME_H

#include "tropism.h"

/* Exponents of 2 in finite doubles: m 2^e with whole m has -1127 < e < 1024. */
#define TROP_MARGIN_FARKAS_PRIME_POWERS 2160

struct trop_margin_farkas_prime {
    uint32_t p;
    uint32_t inverse; /* -1/p modulo 2^32 */
    uint32_t power[TROP_MARGIN_FARKAS_PRIME_POWERS];
};

/* The arithmetic of the largest prime below `under`, which is at most 2^31 and above 2^30. */
void trop_margin_farkas_prime_below(struct trop_margin_farkas_prime *out, uint32_t under);
/* 2^1127 x modulo p, for a finite x. */
uint32_t trop_margin_farkas_prime_residue(const struct trop_margin_farkas_prime *prime, double x);
uint32_t trop_margin_farkas_prime_times(const struct trop_margin_farkas_prime *prime, uint32_t a,
                                        uint32_t b);
/* a - b */
uint32_t trop_margin_farkas_prime_less(const struct trop_margin_farkas_prime *prime, uint32_t a,
                                       uint32_t b);
/* 1 / a, a not 0. */
uint32_t trop_margin_farkas_prime_over(const struct trop_margin_farkas_prime *prime, uint32_t a);
/* row -= factor other, n numbers. */
void trop_margin_farkas_prime_eliminate(const struct trop_margin_farkas_prime *prime, uint32_t *row,
                                        const uint32_t *other, uint32_t factor, int64_t n);

#endif
