/* rule.h -- from scores to weights: a file rule_NAME.c and a line of the list below per rule.
 *
 * Definitions: the table in docs/rules.md;
 * m is the exact maximum of the visible scores.
 *
 * No other file asks which rule it has before it: it asks what the rule can do.
 */
#ifndef TROP_ATTEND_RULE_H
#define TROP_ATTEND_RULE_H

#include "attend/row.h"

/* Every rule, as its enumerator and its name are spelled: TROP_RULE_SOFTMAX of tropism.h is the
 * trop_rule_softmax of rule_softmax.c. */
#define TROP_RULES(RULE) \
    RULE(SOFTMAX, softmax) \
    RULE(HARDMAX, hardmax) \
    RULE(LOCALMAX, localmax) \
    RULE(MINP, minp) \
    RULE(TOPK, topk) \
    RULE(SPARSEMAX, sparsemax) \
    RULE(ENTMAX, entmax) \
    RULE(UNIFORM, uniform) \
    RULE(CONFIDENCE, confidence)

/* Who uses an option, and who has an engine, as the conditions of options (flow_options.c) spell
 * it; tests/flow/test_rules.c compares that with the rules. */
#define TROP_RULE_IF_BETA "softmax|minp|topk|sparsemax|entmax"
#define TROP_RULE_IF_EPSILON "localmax|minp"
#define TROP_RULE_IF_TILE "softmax|hardmax|localmax"
#define TROP_RULE_IF_TREE "softmax|localmax"
#define TROP_RULE_IF_DEVICE "softmax|hardmax|localmax"

enum trop_rule_uses {
    TROP_RULE_USES_BETA = 1,
    TROP_RULE_USES_EPSILON = 2,
    TROP_RULE_USES_K = 4,
    TROP_RULE_USES_A = 8,
    TROP_RULE_USES_CONFIDENCE = 16,
    TROP_RULE_USES_TIES = 32
};

struct trop_attend;
struct trop_attend_note;
struct trop_attend_sweep;
struct trop_kernel_copies;
struct trop_kernel_group;

/* A step of the rule through a tree of boxes, mask = full and d <= 6, with a proved bound of the
 * error of every average. */
struct trop_rule_tree {
    /* Memory for n tokens of dimension d and that many workers; free releases *out. */
    enum trop_status (*create)(void **out, int64_t n, int64_t d, int64_t workers,
                               const struct trop_kernel *kernel);
    void (*free)(void *tree);
    /* displacement (n, d) of the loaded tokens, off by at most bounds_i max_j |x_j - x_i| in the
     * 2-norm; notes (n) or NULL, as trop_attend_rows has them but for margins; bounds (n) or NULL.
     * Refused when a bound is above accuracy. */
    enum trop_status (*rows)(double *displacement, struct trop_attend_note *notes, double *bounds,
                             void *tree, struct trop_attend *attend, double accuracy);
    /* *cost = about what rows would cost, in pairs of tokens of trop_attend_rows, n^2 of which are
     * a step: counted on a sample of the rows. A function of the data alone. */
    enum trop_status (*cost)(double *cost, void *tree, struct trop_attend *attend, double accuracy);
};

struct trop_rule {
    const char *name;
    const char *meaning;
    int uses;       /* enum trop_rule_uses, or-ed */
    int set;        /* 1: exact comparisons leave some visible tokens without a weight; a token that
                       hears itself alone, a leader, is then read off the support */
    int continuous; /* 1: weights are continuous in the scores, so an ODE is well posed */
    void (*weigh)(struct trop_row *row);

    /* The members above make a rule. Those below say what more is known of it, and may be left
     * out: the rule is then computed one row at a time. */

    /* 1: weights are mass_j exp(beta s_j) on every visible token. dynamics = usa, leaps and sums by
     * pairs of tokens are about these. */
    int exponential;
    /* 1: all weight is on the tokens of largest score, shared as option ties says. The vertices of
     * the hull are then enough, the ODE is followed exactly from piece to piece, and a step of the
     * layer is one of Frank and Wolfe's. */
    int best_only;
    /* Equal weights on a set: *set is its tokens, in the row's scratch; how many. 0 and
     * row->trouble: the set is empty. With it go the graph of sets, proofs that sets last, and the
     * closed form. */
    int64_t (*neighbours)(const int64_t **set, struct trop_row *row);
    /* A token whose score on itself exceeds its score on every other point by more than this puts
     * all of its weight on itself. NULL, and no beta: a flow that does not move has come to rest.
     */
    double (*lead)(double mass, double beta, double a);
    /* Rows by tiles (attend_tile.c): first .. last-1 of a sweep. Rules that have it take precision
     * = single. */
    void (*tile)(const struct trop_attend_sweep *sweep, int64_t first, int64_t last,
                 int64_t worker);
    /* Rows through a tree (attend/tree), or NULL. */
    const struct trop_rule_tree *tree;
    /* Rows on a device: enum trop_device_rule. */
    int device;
    /* Small copies of a flow side by side, one in each lane of the group. */
    void (*lanes)(const struct trop_kernel_copies *kernel, struct trop_kernel_group *group);
};

#define TROP_RULE_DECLARED(upper, lower) extern const struct trop_rule trop_rule_##lower;
TROP_RULES(TROP_RULE_DECLARED)
#undef TROP_RULE_DECLARED

/* What is wrong with a row whose set is empty. */
extern const char trop_rule_localmax_empty[];

/* support <- localmax's set, which min-p shares. */
void trop_rule_localmax_set(struct trop_row *row);
/* That set is s_j - m + shift + delta m >= 0. */
static inline void trop_rule_localmax_numbers(double *shift, double *delta,
                                              const struct trop_rule_numbers *numbers)
{
    const int relative = numbers->form == TROP_FORM_RELATIVE;

    *shift = relative ? 0 : numbers->epsilon;
    *delta = relative ? numbers->epsilon : 0;
}
/* The lead of entmax, and with a = 2 of sparsemax. */
double trop_rule_entmax_lead(double mass, double beta, double a);

extern const char *const trop_rule_name[]; /* NULL-ended */

/* The rule at an index of trop_rule_names(). */
const struct trop_rule *trop_rule_at(int64_t index);

/* 1 when the threshold of the rule, where it has one, is the same distance below the largest
 * score in every row: not so in the relative and cosine forms. */
static inline int trop_rule_shifts(const struct trop_rule *rule, int64_t form)
{
    return !(rule->uses & TROP_RULE_USES_EPSILON) || form == TROP_FORM_ADDITIVE ||
           form == TROP_FORM_PROBABILITY;
}

#endif
