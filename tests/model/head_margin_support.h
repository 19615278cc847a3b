/* head_margin_support.h -- random heads for the tests of what is measured of them. */
#ifndef TROP_TESTS_HEAD_MARGIN_SUPPORT_H
#define TROP_TESTS_HEAD_MARGIN_SUPPORT_H

#include "support.h"

#include "model/head/head.h"

#define HEAD_TOKENS 24
#define HEAD_WIDTH 30

/* A head with its numbers. */
struct head {
    double hat[HEAD_TOKENS * HEAD_WIDTH];
    double wq[HEAD_WIDTH * HEAD_WIDTH], bq[HEAD_WIDTH], wk[HEAD_WIDTH * HEAD_WIDTH];
    struct trop_head_input input;
};

/* Its arrays hold zeros. */
static inline void head_blank(struct head *head, int64_t n, int64_t width, int64_t d)
{
    memset(head, 0, sizeof *head);
    head->input = (struct trop_head_input){
        .n = n,
        .d = d,
        .scale = 1,
        .width = width,
        .hat = head->hat,
        .wq = head->wq,
        .bq = head->bq,
        .wk = head->wk,
    };
}

/* Normal tokens, matrices and bias; the matrices depend on the seed of the head alone. */
static inline void head_draw(struct head *head, int64_t n, int64_t width, int64_t d, uint64_t seed,
                             uint64_t text)
{
    head_blank(head, n, width, d);
    normals(head->hat, n * width, 1000 * seed + 10 * text + 1);
    normals(head->wq, d * width, 1000 * seed + 2);
    normals(head->wk, d * width, 1000 * seed + 3);
    normals(head->bq, d, 1000 * seed + 4);
    head->input.scale = 0.3;
}

#endif
