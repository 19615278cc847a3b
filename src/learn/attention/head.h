/* head.h -- heads h(o): what is read off the attended token. One file head_NAME.c, one line of
 * the table below and one enumerator of enum trop_train_head each. */
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

/* The table, in the order of the enumerators TROP_HEAD_NAME. */
/* clang-format off */
#define TROP_HEAD_LIST(X) \
    X(LINEAR, linear), \
    X(RELU, relu), \
    X(QUADRATIC, quadratic)
/* clang-format on */
#define TROP_HEAD_DECLARED(NAME, name) trop_head_##name
extern const struct trop_head TROP_HEAD_LIST(TROP_HEAD_DECLARED);

const struct trop_head *trop_head_of(int64_t head);
extern const char *const trop_head_names[]; /* NULL-ended */

#endif
