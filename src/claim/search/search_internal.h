/* search_internal.h -- what the files of a search share. */
#ifndef TROP_CLAIM_SEARCH_INTERNAL_H
#define TROP_CLAIM_SEARCH_INTERNAL_H

#include "claim/search/latent.h"
#include "claim/search/search.h"

/* ---- random numbers of a restart ---- */

struct trop_search_dice {
    uint64_t seed;
    int64_t restart, next;
};

double trop_search_uniform(struct trop_search_dice *dice);
double trop_search_normal(struct trop_search_dice *dice);
int64_t trop_search_pick(struct trop_search_dice *dice, int64_t count);

/* ---- search_score.c: what an instance is worth ---- */

/* Below every score of an instance that can be judged. */
#define TROP_SEARCH_WORTHLESS (-1e6)

struct trop_search_score {
    double value;    /* -1 .. 0: the conclusion holds, by less and less; above it is violated; below
                        -1 a hypothesis is not true, a later one the nearer it is to -1 */
    int64_t decided; /* 1: every hypothesis is true and the conclusion decided */
    int64_t violated;             /* 1: by more than its allowance */
    int64_t strained;             /* 1: an equality that is assumed holds by its tolerance alone */
    struct trop_search_line best; /* of all lines of the conclusion */
};

/* Evidence that grows by the lines of instances. */
struct trop_search_evidence {
    struct trop_search_line *list;
    int64_t count, capacity;
};

/* Judges a drawn case, and works it out; target: the name of the line that counts, NULL: all. */
enum trop_status trop_search_judge(struct trop_search_score *score,
                                   struct trop_search_evidence *evidence,
                                   const struct trop_claim *claim, struct trop_case *c,
                                   const char *target);
enum trop_status trop_search_add(struct trop_search_evidence *evidence,
                                 const struct trop_search_line *line);
/* Violation over the allowance, or over rounding of the two numbers where that is larger; of a line
 * that holds the share of its sizes by which it does, from -1 to 0. */
double trop_search_ratio(const struct trop_line *line);
/* 1 for an allowance that is no rounding: of samples, or of how a limit is read. */
int trop_search_is_wide(const struct trop_line *line);

/* ---- search_vary.c: what is varied ---- */

/* An instance, as a function of what is given of it and of the numbers of its draw. */
struct trop_search_point {
    struct trop_case *given; /* entries; its trial is that of the draw */
    struct trop_latents latents;
    struct trop_search_score score;
};

enum trop_search_kind {
    TROP_SEARCH_REAL,  /* any number, in parts of a scale */
    TROP_SEARCH_LARGE, /* a number by its logarithm */
    TROP_SEARCH_SHARE, /* of (0, 1), by its logit */
    TROP_SEARCH_WHOLE, /* an entry of an array of whole numbers */
    TROP_SEARCH_COUNT, /* a whole number from 1 to most */
    TROP_SEARCH_CHOICE /* one of 0 .. most - 1 */
};

struct trop_search_variable {
    double *at;
    int64_t kind;
    double scale, most;
    int64_t group; /* the array that it is of, or the use of a draw; -1: none */
};

/* All of a point; they point into it. */
struct trop_search_space {
    struct trop_search_variable *list;
    int64_t count, capacity;
    int64_t smooth; /* the first so many are REAL, LARGE or SHARE */
};

enum trop_status trop_search_point_copy(struct trop_search_point *out,
                                        const struct trop_search_point *from);
void trop_search_point_free(struct trop_search_point *point);
/* The variables of a point, whose entries of base stay, and whose counts are four times those of
 * first at most. */
enum trop_status trop_search_space_of(struct trop_search_space *space,
                                      const struct trop_claim *claim,
                                      struct trop_search_point *point, const struct trop_case *base,
                                      const struct trop_case *first);
void trop_search_space_free(struct trop_search_space *space);
/* A smooth one as a coordinate in which a step of 1 is large, and back. */
double trop_search_encode(const struct trop_search_variable *variable);
void trop_search_decode(const struct trop_search_variable *variable, double coordinate);
/* Another value for one that is not smooth. */
void trop_search_jump(const struct trop_search_space *space, int64_t k,
                      struct trop_search_dice *dice);
/* A smooth one becomes 0, a whole number, or plus or minus another one of its group. */
void trop_search_snap(const struct trop_search_space *space, int64_t k,
                      struct trop_search_dice *dice);
/* All of its group times a factor. */
void trop_search_scale(const struct trop_search_space *space, int64_t k,
                       struct trop_search_dice *dice);

/* ---- search_family.c: instances to begin with ---- */

enum trop_search_family {
    TROP_SEARCH_DRAWN,   /* an instance of the draw */
    TROP_SEARCH_NUMBERS, /* the same, with its numbers (steps, beta, ...) free */
    TROP_SEARCH_FREE,    /* the same, with all of its inputs free */
    TROP_SEARCH_WHOLES,  /* whole numbers up to 9, some rows several times */
    TROP_SEARCH_FEW,     /* two tokens, one dimension, one input, two tokens an input */
    TROP_SEARCH_TIES,    /* equal and opposite entries, points on a line, a shared query */
    TROP_SEARCH_FAMILIES
};

/* Makes inputs of the drawn case c entries of the point's given: numbers alone, or all. */
enum trop_status trop_search_pin(struct trop_search_point *point, const struct trop_claim *claim,
                                 const struct trop_case *c, int numbers_alone);
/* Changes entries of given into those of a family. */
enum trop_status trop_search_shape(struct trop_case *given, const struct trop_claim *claim,
                                   const struct trop_case *base, int64_t family,
                                   struct trop_search_dice *dice);
/* One place of a random axis less or twice, in all entries that have the axis; 0: none can. */
int trop_search_resize(struct trop_case *given, const struct trop_claim *claim,
                       const struct trop_case *base, struct trop_search_dice *dice);

/* ---- search_climb.c: one restart ---- */

struct trop_search_restart {
    const struct trop_search *search;
    struct trop_search_dice dice;
    struct trop_case *base; /* what stays: given, with C where the claim has one */
    int (*is_over)(void *context);
    trop_progress *progress;
    void *context; /* of both */

    struct trop_search_evidence evidence;
    int64_t evaluations, applicable, refuted;
    double refuted_at; /* of the clock */
    struct trop_search_line best;
    struct trop_case *nearest;
    enum trop_status status;
    char error[256];
};

void trop_search_climb(struct trop_search_restart *restart);

#endif
