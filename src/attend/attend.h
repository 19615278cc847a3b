/* attend.h -- attention of every token on every token: scores, weights, averages.
 *
 * No n x n matrix is ever stored: each worker holds one row of scores.
 */
#ifndef TROP_ATTEND_ATTEND_H
#define TROP_ATTEND_ATTEND_H

#include "attend/rule.h"

struct trop_attend;

/* What a row tells about itself, beside its average. */
struct trop_attend_note {
    int64_t best;   /* the lowest exact maximiser */
    int64_t unique; /* 1: all maximisers are the point of best */
    int64_t alone;  /* 1: the token is the only one in its own set */
    int64_t only;  /* a token at whose place the average is, since all the weight is there; or -1 */
    double gap;    /* <y_i, x_best - x_i>, the Frank-Wolfe gap */
    double energy; /* <y_i, x_i> / 2, J for symmetric B */
    double margin; /* best score less the best of another point; 0 on ties, infinity for one */
    uint64_t set;  /* equal for equal sets of tokens with a weight (set rules) */
    double scale;  /* log of the sum of exp(beta s), as softmax has it; NaN otherwise */
};

/* Memory for n tokens of dimension d and that many workers. unit: room for the
 * unit vectors of the cosine form. */
enum trop_status trop_attend_create(struct trop_attend **out, int64_t n, int64_t d, int64_t workers,
                                    const struct trop_kernel *kernel, int unit);
void trop_attend_free(struct trop_attend *attend);

/* From now on trop_attend_rows goes by the device at an index of trop_device_names(), with the bits
 * of rows by themselves. When it fails the handle is to be freed. */
enum trop_status trop_attend_device(struct trop_attend *attend, int64_t index);
/* Rows of the last sweep that the device left to the processor. */
int64_t trop_attend_device_open(const struct trop_attend *attend);

/* Steps of the layer with the tokens on the device: what it has of a flow beside them. */
struct trop_attend_walk {
    int64_t *target, *led; /* (n) */
    int64_t switches, last_switch;
};

/* stays: 1 when the loaded tokens stay on the device, 0 when that is not for them (no device, a
 * mask, a matrix B, scores that must be scaled). */
enum trop_status trop_attend_device_stay(int64_t *stays, struct trop_attend *attend,
                                         const struct trop_matrix *key_query,
                                         const struct trop_attend_walk *walk);
/* Their rows; square: the largest |avg - x|^2; sure: 1 when a move may follow, 0 when this step is
 * for trop_attend_rows. */
enum trop_status trop_attend_device_look(int64_t *sure, double *square, struct trop_attend *attend,
                                         const struct trop_matrix *key_query,
                                         const struct trop_rule_numbers *numbers);
/* x + gamma (avg - x); proved: targets and leaders stay. */
enum trop_status trop_attend_device_move(struct trop_attend *attend, double gamma, int64_t step,
                                         int64_t proved);
/* The tokens x (n, d), and what has become of the walk. What was loaded must be loaded again. */
enum trop_status trop_attend_device_leave(double *x, struct trop_attend_walk *walk,
                                          struct trop_attend *attend);

/* Takes in n tokens x (n, d), n at most that of create, with masses (n) or NULL.
 * numbers->beta may be negative here. x stays the caller's, unchanged until the rows
 * are done. */
enum trop_status trop_attend_load(struct trop_attend *attend, const double *x, const double *mass,
                                  int64_t n, const struct trop_matrix *key_query,
                                  const struct trop_rule_numbers *numbers);

/* displacement (n, d): average minus token, for every token; notes (n) or NULL;
 * margins: notes have margins. */
enum trop_status trop_attend_rows(double *displacement, struct trop_attend_note *notes,
                                  struct trop_attend *attend, int margins);

/* About what trop_attend_rows costs with what is loaded, in pairs of tokens looked at one by one:
 * n^2, and half of it where a pair serves two rows. */
double trop_attend_cost(const struct trop_attend *attend);

/* A token drawn by each row's weights: picks (n), from uniform numbers (n) in (0, 1). */
enum trop_status trop_attend_draw(int64_t *picks, struct trop_attend_note *notes,
                                  struct trop_attend *attend, const double *uniform);

/* One row's weights, sum 1: out (n). */
enum trop_status trop_attend_weights(double *out, struct trop_attend *attend, int64_t i);

/* max |x_i - x_j| over n tokens x (n, d), by n^2 scores, to a relative error of a few
 * d u; far (n) is scratch. What was loaded must be loaded again. */
double trop_attend_diameter(struct trop_attend *attend, const double *x, int64_t n, double *far);

/* single: rows of softmax in single precision where their error is small enough, and the
 * maxima of hardmax and localmax sieved in it, which changes no bit of theirs. Other rules
 * do not change. */
void trop_attend_precision(struct trop_attend *attend, int single);

/* alone: every row by itself at any n, no softmax by pairs (attend_pairs.c). */
void trop_attend_alone(struct trop_attend *attend, int alone);

/* Row i of the last sweep is off by at most error times max_j |x_j - x_i| over what it sees,
 * beside the rounding of double: the largest of those errors, 0 in double. */
double trop_attend_error(const struct trop_attend *attend);

/* The loaded scene, for decisions of other layers. */
const struct trop_scene *trop_attend_scene(const struct trop_attend *attend);

/* out (d) = B point, in the order in which queries are computed. */
void trop_attend_query(double *out, const double *point, int64_t d,
                       const struct trop_matrix *key_query);

/* out_i = A x_i for n tokens x (n, d), n at most that of create: as trop_attend_query computes it,
 * all at once. out may be x. */
void trop_attend_apply(double *out, struct trop_attend *attend, const double *matrix,
                       const double *x, int64_t n);

/* The row of query y (as it stands after loading) on the first `visible` tokens, with
 * its exact maximisers, in the first worker's scratch: valid until the next call. */
struct trop_row *trop_attend_look(struct trop_attend *attend, const double *y, int64_t visible);

struct trop_fan;
struct trop_tree_top;

/* Points among which every query's exact maximisers are, with all tokens at each (shape's
 * shortlist.h makes it). */
struct trop_attend_list {
    int64_t count;              /* tokens at the points; -1: no list, every token is looked at */
    int64_t points;             /* distinct */
    const int64_t *start;       /* (points + 1) first place of a point in token */
    const int64_t *token;       /* (count) ascending for each point */
    const double *at;           /* (points, d) where they are */
    const struct trop_fan *fan; /* of the points, by their numbers; NULL: they are too many */
    struct trop_tree_top *top;  /* room for a search among the points, or NULL */
    int always;                 /* the search need not pay */
    uint64_t *set;              /* (points) scratch */
    double *total;              /* (points) scratch */
    int64_t *late;              /* (n) scratch */
    int32_t *found;             /* (n) scratch */
};

/* trop_attend_rows of hardmax without a mask, by the list, which is that of the loaded tokens:
 * the same bits but for margins, which notes do not have (0). Without a list, and for what
 * has another rule or a mask, it is trop_attend_rows. */
enum trop_status trop_attend_rows_listed(double *displacement, struct trop_attend_note *notes,
                                         struct trop_attend *attend,
                                         const struct trop_attend_list *list);

#endif
