/* fw_beta_exit.c -- first exits of a case's tokens, by trop_escape.
 *
 * The curve of N independent runs is within sqrt(log(2/p)/(2 N)) of the law's survival function, at
 * all steps at once, with probability 1 - p (Dvoretzky, Kiefer, Wolfowitz, Massart): p = 1e-6.
 */
#include "claim/fw/fw_beta.h"

#include "base/math/log.h"

#include <math.h>

#define USE_RUNS 9
#define POINTS 64 /* of a curve, at most */

double trop_fw_beta_band(int64_t runs)
{
    return sqrt(trop_log(2e6) / (2 * (double)runs));
}

void trop_fw_beta_survive(struct trop_case *c)
{
    const struct trop_field *table = trop_escape_field_table();
    const struct trop_escape *escape =
        trop_case_escape(c, "beta=@beta gamma=@gamma radius=@radius runs=@runs seed=%llu",
                         (unsigned long long)trop_fw_beta_seed(c, USE_RUNS, 0));
    struct trop_value curve = { 0 };

    trop_case_try(c, trop_field_cell(&curve, table, escape, "betas", "survival", 0));
    const int is_curve =
        curve.kind == TROP_KIND_NUMBERS && curve.shape[0] > 0 && curve.shape[0] <= POINTS;
    trop_case_drop(c, "survival");
    if (is_curve) {
        trop_case_copy_in(c, "survival", curve.numbers, curve.shape[0], 2, 0);
    }
    /* When there is no curve, no run has left: all of them are open. */
    trop_case_put(c, "open",
                  is_curve ? trop_case_told_cell(c, table, escape, "betas", "open", 0)
                           : trop_case_number(c, "runs"));
    trop_case_put(c, "log10_exact",
                  trop_case_told_cell(c, table, escape, "betas", "bound.log10_exact", 0));
    trop_case_put(c, "log10_token",
                  trop_case_told_cell(c, table, escape, "betas", "bound.log10_exact_token", 0));
}
