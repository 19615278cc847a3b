/* shortlist.h -- the tokens that can be maximal in some direction, for every step of a flow. */
#ifndef TROP_SHAPE_SHORTLIST_H
#define TROP_SHAPE_SHORTLIST_H

#include "attend/attend.h"

struct trop_shortlist;

/* What the last update did. */
struct trop_shortlist_notes {
    int64_t survivors; /* tokens not proved to be inside */
    int64_t points;    /* listed */
    int64_t kept;      /* 1: the list of the update before, which still holds */
    double rivals;     /* points of a cell, mean over the cells; n / 64 for one not known */
};

/* Memory for n tokens of dimension d and that many workers. always: lists are made whether or
 * not they pay, up to TROP_FAN_DIMENSIONS. */
enum trop_status trop_shortlist_create(struct trop_shortlist **out, int64_t n, int64_t d,
                                       int64_t workers, int always);
void trop_shortlist_free(struct trop_shortlist *shortlist);

/* The list of n tokens x (n, d), n at most that of create: owned by shortlist, valid until
 * the next update. Its count is -1 where it does not pay, or cannot be made. */
enum trop_status trop_shortlist_update(const struct trop_attend_list **out,
                                       struct trop_shortlist *shortlist, const double *x,
                                       int64_t n);
/* The notes of the last update. */
struct trop_shortlist_notes trop_shortlist_notes(const struct trop_shortlist *shortlist);

/* 1 when rows by a list whose cells have `rivals` points cost less than rows by all tokens;
 * rivals 0: when it is worth trying to make one. */
int trop_shortlist_pays(int64_t n, int64_t d, double rivals);

#endif
