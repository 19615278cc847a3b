/* model.h -- max-margin problems from training data: which constraint each model asks for. */
#ifndef TROP_MARGIN_MODEL_H
#define TROP_MARGIN_MODEL_H

#include "tropism.h"

/* What is selected of the data. */
struct trop_model_choice {
    int64_t model;          /* enum trop_model */
    int64_t mask;           /* enum trop_mask; sequence only */
    int64_t row;            /* self: which token is the query */
    const int64_t *select;  /* (n), or (n, T) of sequence: the token that is to win */
    const int64_t *relaxed; /* (n) 1: right sides 0; NULL: none */
    const double *weights;  /* (n, T) selected tokens > 0, masked tokens 0 (Gen-SVM); NULL: none */
    int whole;              /* 1: the data are known to be whole, as a trop_data_copy is */
};

/* A problem with the memory it points to, but for the points of attention models, which stay those
 * of the data: free after use, and before the data. */
struct trop_model_problem {
    struct trop_problem problem;
    void *memory[10];
};

/* The constraints of a model for data and a choice of tokens. */
enum trop_status trop_model_build(struct trop_model_problem *out, const struct trop_data *data,
                                  const struct trop_model_choice *choice);
/* Gen-SVM's finite part: (x_t - x_anchor)' W z = log(s_t / s_anchor) over the selected tokens. */
enum trop_status trop_model_finite(struct trop_model_problem *out, const struct trop_data *data,
                                   const struct trop_model_choice *choice);
/* A copy that owns everything; the caller's problem is checked first. Exported for
 * libtropism-lab, as trop_model_free. */
TROP_API enum trop_status trop_model_copy(struct trop_model_problem *out,
                                          const struct trop_problem *problem);
TROP_API void trop_model_free(struct trop_model_problem *problem);

/* Names of enum trop_model, NULL-ended. */
extern const char *const trop_model_names[];
/* Refuses data that a model cannot use, with the reason. */
enum trop_status trop_model_check(const struct trop_data *data, int64_t model);
/* The same of data that are known to be whole, as a trop_data_copy is. */
enum trop_status trop_model_check_needs(const struct trop_data *data, int64_t model);
/* Scores y_i <v, x_it>: (n, T), or (n, labels, T). */
void trop_model_scores(double *out, const struct trop_data *data);
/* Which tokens have the largest score of their input: numbers (n, T) whose largest, ties included,
 * are those of the scores. Of data with a decoder and at most one label for an input. about: (n, T)
 * scratch; largest: max |x|. */
void trop_model_scores_best(double *out, double *about, const struct trop_data *data,
                            double largest);

#endif
