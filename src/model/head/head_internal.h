/* head_internal.h -- what the measurements of a head share; each has its file head_NAME.c. */
#ifndef TROP_MODEL_HEAD_INTERNAL_H
#define TROP_MODEL_HEAD_INTERNAL_H

#include "kernel/kernel.h"
#include "kernel/kernel_judge.h"
#include "kernel/kernel_linear.h"
#include "model/head/game.h"
#include "model/head/head.h"

#define TROP_HEAD_UNIT 0x1p-53
/* Products below it may have lost bits to underflow: no relative error is claimed. */
#define TROP_HEAD_SMALL 0x1p-900

/* A row, made by trop_head_row. It sees the keys first, ..., first + count - 1; arrays have an
 * entry for each of these, and room up to a multiple of TROP_LANES. */
struct trop_head_row {
    int64_t i, first, count;
    int64_t best;    /* a_i, counted from first */
    const double *q; /* (d) */
    double *high;    /* <q, k_t> as a pair, */
    double *low;     /* within 4 (d + 8) u^2 size */
    double *size;    /* sum_c |q_c k_tc|, rounded */
    double *lead;    /* <q, k_a - k_t>, relative error at most 4 u; 0: a tie */
    double *drop;    /* scale lead, relative error at most 5 u */
    double *weight;  /* e^-drop */
    double rest;     /* sum of the weights but a's */
    double total;    /* 1 + rest */
    double top;      /* the largest score */
};

struct trop_head_scratch {
    const struct trop_kernel *kernel;
    struct trop_head_row row;
    double *reach;  /* (d) max_t |k_tc| */
    double *dots;   /* (n) */
    double *column; /* (n) padded */
    double *part;   /* (d) twice */
    double *wide;   /* (width or d) */
    /* FLIP */
    double *gram;       /* (d, d) wq wq' */
    double frobenius;   /* |wq|_F, rounded up */
    double *turn;       /* (d) cosines, then sines of a row */
    double *rounded[2]; /* (n, d) keys in each format */
    double *ceiling[2]; /* (d) max_t of their moduli */
    int64_t *beyond[2]; /* (n + 1) how many of the keys before t have an infinite number */
    double *moduli;     /* (n) sum_c |k_tc| */
    /* HARDMAX */
    double *out, *value; /* (n, d) o_i - v_a; (n, width or d) values in the residual stream */
    double *value_size;  /* (n) |v_t| */
    /* KEYS */
    double *seen; /* (n) rows that see each key */
    double square;
    /* Sorting and graphs */
    int64_t *order, *mark; /* (n) */
    /* QUIET */
    double *drops;                /* (n, n) best score less each; infinite: not seen */
    int64_t *stack, *next, *done; /* (n) */
    /* REACH */
    struct trop_game *game;
    double *query; /* (n, d) turned to one position */
    double *size;  /* (n) */
};

/* A sum of moduli or squares, rounded up: what m more roundings may have taken is added. */
static inline double trop_head_up(double x, int64_t m)
{
    return x * (1 + 2 * TROP_HEAD_UNIT * (double)(m + 4));
}

/* The keys that row i sees. */
void trop_head_sees(int64_t *first, int64_t *count, const struct trop_head_input *input, int64_t i);

/* The token with the largest <q, k_t> among the rows of keys (count, d), the lowest of several,
 * without error. reach (d) bounds |k_tc|; dots (count) is scratch. -1: a score is not finite. */
int64_t trop_head_argmax(const struct trop_kernel *kernel, double *dots, const double *q,
                         const double *keys, int64_t count, int64_t d, const double *reach);

/* Makes scratch->row of row i. */
enum trop_status trop_head_row(struct trop_head_scratch *scratch,
                               const struct trop_head_input *input, int64_t i);

/* x (d) turned by the angles of position i, or back where sign is -1. cosines, sines: (d / 2). */
void trop_head_angles(double *cosines, double *sines, const struct trop_head_input *input,
                      int64_t i);
void trop_head_turn(double *x, const double *cosines, const double *sines, double sign, int64_t d,
                    int64_t halves);

/* A measurement: what precedes the rows, the row in scratch, what follows all rows; NULL: nothing.
 */
typedef void trop_head_act(struct trop_head_result *head, const struct trop_head_input *input);
struct trop_head_measurement {
    int64_t which;
    trop_head_act *start, *row, *end;
};
extern const struct trop_head_measurement trop_head_flip, trop_head_round, trop_head_kappa,
    trop_head_hardmax, trop_head_leaders, trop_head_heat, trop_head_keys, trop_head_reach,
    trop_head_quiet;

#endif
