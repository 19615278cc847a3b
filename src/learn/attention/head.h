/* head.h -- heads h(o): what is read off the attended token. One file head_NAME.c and one line in
 * head.c each. */
#ifndef TROP_LEARN_HEAD_H
#define TROP_LEARN_HEAD_H

#include "tropism.h"

/* What a head is made of. */
struct trop_head_parts {
    const double *v; /* (heads, d) decoder */
    int64_t heads, d;
    double lambda; /* of the quadratic head */
};

struct trop_head {
    const char *name, *meaning;
    double (*value)(const double *o, const struct trop_head_parts *parts);
    /* The gradient of h at o, (d). */
    void (*slope)(double *out, const double *o, const struct trop_head_parts *parts);
    /* The gradient of h in v at o, (heads, d). */
    void (*decoder)(double *out, const double *o, const struct trop_head_parts *parts);
    int64_t many;   /* 1: takes a decoder of several rows */
    int64_t linear; /* 1: h(o) = v'o, so that scores decide and L* is known */
};

extern const struct trop_head trop_head_linear, trop_head_relu, trop_head_quadratic;

const struct trop_head *trop_head_of(int64_t head);
extern const char *const trop_head_names[]; /* NULL-ended */

#endif
