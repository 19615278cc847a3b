/* shrink_internal.h -- what the files of shrinking share. */
#ifndef TROP_CLAIM_SHRINK_INTERNAL_H
#define TROP_CLAIM_SHRINK_INTERNAL_H

#include "claim/search/shrink.h"

/* In the order in which instances are compared. */
struct trop_shrink_size {
    int64_t numbers, digits;
    double counts, magnitude;
    int64_t minus;
};

struct trop_shrink {
    const struct trop_claim *claim;
    const struct trop_shrink_limits *limits;
    struct trop_case *best;   /* the least instance so far: what is given of it */
    struct trop_case *judged; /* the same, worked out */
    struct trop_shrink_size size;
    double needed; /* allowances by which it has to fail */
    double *apart; /* (2, hypotheses, 2) how far from its equality each one is, and the share of
                      its allowance: of the best, and of what is judged */
    int64_t hypotheses;
    char firm[TROP_CASE_ENTRIES][32]; /* arrays in which it is firm */
    int64_t firm_count;
    uint64_t *seen; /* checksums of what was judged, by open addressing; 0: free */
    int64_t room, evaluations;
    double excess;
    struct trop_line line; /* the first of the conclusion that fails */
    int64_t stopped;
    enum trop_status status; /* of memory */
};

/* ---- shrink.c ---- */

/* A copy of the best to change; NULL when there is no memory, or the end. */
struct trop_case *trop_shrink_copy(struct trop_shrink *s);
/* Judges a changed copy, which it takes; 1 when it is the best now. */
int trop_shrink_try(struct trop_shrink *s, struct trop_case *candidate);
int trop_shrink_is_over(const struct trop_shrink *s);

/* ---- shrink_size.c ---- */

struct trop_shrink_size trop_shrink_measure(const struct trop_case *c);
/* 1 when a is smaller. */
int trop_shrink_is_smaller(const struct trop_shrink_size *a, const struct trop_shrink_size *b);
/* 1 for a number that counts, such as steps. */
int trop_shrink_is_count(const struct trop_case_entry *entry);
/* 1 for an array of indices, whose values stay. */
int trop_shrink_is_index(const struct trop_case_entry *entry);
int64_t trop_shrink_elements(const struct trop_case_entry *entry);
/* The name of an axis of an input, and 1; 0: the claim gives it none. */
int trop_shrink_axis(char out[16], const struct trop_claim *claim,
                     const struct trop_case_entry *entry, int64_t axis);
struct trop_case_entry *trop_shrink_entry(const struct trop_case *c, const char *name);

/* ---- shrink_axes.c, shrink_values.c, shrink_jump.c: passes; 1 when something stayed ---- */

/* Leaves out count places of an axis in every entry that has it, in a copy; 0: that cannot be. */
int trop_shrink_leave_out(struct trop_case *c, const struct trop_claim *claim, const char *axis,
                          int64_t first, int64_t count);
/* The length of an axis in all entries that have it; 0: there is none, or they differ. */
int64_t trop_shrink_length(const struct trop_case *c, const struct trop_claim *claim,
                           const char *axis);
/* The name of axis k = 0, 1, ... of the inputs; 0 when there are no more. */
int trop_shrink_axis_at(char out[16], const struct trop_claim *claim, int64_t k);
int trop_shrink_axes(struct trop_shrink *s);
int trop_shrink_counts(struct trop_shrink *s);
int trop_shrink_values(struct trop_shrink *s);
int trop_shrink_jump(struct trop_shrink *s);

#endif
