/* judge.h -- inequalities with their slack.
 *
 * A line says: measured should be at most (at least, near) bound, and rounding or sampling may have
 * moved the two by allowance, which the claim derives. What a line is worth depends on where it
 * stands. A conclusion is violated when it fails by more than the allowance. A hypothesis is true
 * only when it holds by at least the allowance, false when it fails by more, and open in between:
 * an instance with an open hypothesis proves nothing. NaN is always open, and so is a line with an
 * infinite allowance.
 */
#ifndef TROP_CLAIM_JUDGE_H
#define TROP_CLAIM_JUDGE_H

#include "tropism.h"

enum trop_judge_side { TROP_JUDGE_HYPOTHESIS, TROP_JUDGE_CONCLUSION };

enum trop_judge_verdict { TROP_JUDGE_TRUE, TROP_JUDGE_FALSE, TROP_JUDGE_OPEN };

enum trop_judge_relation {
    TROP_JUDGE_AT_MOST,
    TROP_JUDGE_AT_LEAST,
    TROP_JUDGE_NEAR,
    TROP_JUDGE_ABOVE, /* an estimate that a test decides */
    TROP_JUDGE_BESIDE /* shown, and not compared */
};

extern const char *const trop_judge_relations[]; /* "at most", ... */

struct trop_line {
    char name[64];
    int64_t step; /* -1: the line is about no step */
    double measured, bound, allowance;
    int64_t relation; /* enum trop_judge_relation */
    int64_t verdict;  /* enum trop_judge_verdict */
    double slack;     /* how far the line holds, below 0 how far it fails; of near: allowance less
                         the difference */
    double tightness; /* slack over |measured| + |bound|, or over allowance of near */
};

/* Zero-initialised by the caller but for side and keep. */
struct trop_judge {
    int64_t side; /* enum trop_judge_side */
    int64_t keep; /* 1: every line is kept in list, else the two below */
    int64_t count;
    int64_t failures, open;    /* how many lines are false and open */
    int64_t beside;            /* and how many are only shown */
    struct trop_line tightest; /* least tightness */
    struct trop_line first;    /* the first one that is false, or the first that is open */
    struct trop_line *list;    /* (count) when kept */
    int64_t capacity;
    int64_t failed; /* no memory for a line */
    char name[64];  /* of trop_judge_name */
};

void trop_judge_free(struct trop_judge *judge);
/* OPEN when there is no line that decides. */
int64_t trop_judge_verdict(const struct trop_judge *judge);

/* A name as printf writes it, for the next line. */
const char *trop_judge_name(struct trop_judge *judge, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* step -1: about no step. allowance >= 0. */
void trop_judge_at_most(struct trop_judge *judge, const char *name, int64_t step, double measured,
                        double bound, double allowance);
void trop_judge_at_least(struct trop_judge *judge, const char *name, int64_t step, double measured,
                         double bound, double allowance);
/* |measured - bound| <= allowance: our number beside a published one. */
void trop_judge_near(struct trop_judge *judge, const char *name, int64_t step, double measured,
                     double bound, double allowance);
/* The same about no step, under a name as printf writes it. */
void trop_judge_compare(struct trop_judge *judge, double measured, double bound, double allowance,
                        const char *format, ...) __attribute__((format(printf, 5, 6)));
/* What was estimated should lie above bound: truth is what a test of it says, 1, 0, or -1 for
 * undecided, on either side; half the width of its interval is the allowance. */
void trop_judge_above(struct trop_judge *judge, const char *name, double measured, double bound,
                      double allowance, int64_t truth);
/* A number that decides nothing, beside a published one or NaN: always true, and never tightest. */
void trop_judge_beside(struct trop_judge *judge, const char *name, double measured,
                       double published);
/* A form of fields: whether the verdict of a line is true; null: it is open. */
void trop_judge_told(struct trop_value *out, const void *verdict);
/* 1 for our number beside a published one with an allowance larger than that number: agreement then
 * says nothing. */
int trop_judge_is_weak(const struct trop_line *line);
/* truth: 1, 0, or -1 for one that could not be decided. */
void trop_judge_truth(struct trop_judge *judge, const char *name, int64_t step, int64_t truth);

#endif
