/* spoils_tf.c -- claims of "Transformers as Support Vector Machines" made wrong by functions. */
#include "claim/tf/tf.h"
#include "claim/tokens.h"
#include "spoils.h"

#include <string.h>

/* The second token of input 0 becomes its best one, so that both score the same. */
static void double_best(struct trop_case *c)
{
    const struct trop_tf m = trop_tf_of(c);
    double *x = trop_case_array(c, "X");

    memcpy(x + (m.best[0] == 0 ? 1 : 0) * m.d, x + m.best[0] * m.d, (size_t)m.d * sizeof *x);
}

/* ---- tf-lem-1 ---- */

/* Adds 1e-3 |W| in a direction that no query sees. */
static void leave(struct trop_case *c, const char *name)
{
    const struct trop_view w = trop_case_view(c, name);
    const int64_t size = w.rows * w.columns;
    double *random = trop_case_scratch(c, size), *across = trop_case_scratch(c, size);

    for (int64_t k = 0; k < size; k++) {
        random[k] = trop_case_normal(c, 42, k);
    }
    trop_tf_across(across, random, c);
    const double by = 1e-3 * trop_tokens_norm(w.at, size) / trop_tokens_norm(across, size);
    for (int64_t k = 0; k < size; k++) {
        w.at[k] += by * across[k];
    }
}

static void leave_frobenius(struct trop_case *c)
{
    leave(c, "W_mm");
}

static void leave_nuclear(struct trop_case *c)
{
    leave(c, "W_nuc");
}

static void double_best_and_work(struct trop_case *c)
{
    double_best(c);
    trop_case_try(c, trop_claim_work(&trop_tf_lem_1, c));
}

const struct spoiler spoils_tf[] = {
    { "tf-", "two tokens of an input are equal and best", double_best },
    { "tf-lem-1", "1e-3 of the norm is added to the Frobenius solution across the queries",
      leave_frobenius },
    { "tf-lem-1", "1e-3 of the norm is added to the nuclear solution across the queries",
      leave_nuclear },
    { "tf-lem-1", "a token equals the best one of its input", double_best_and_work },
    { 0 },
};
