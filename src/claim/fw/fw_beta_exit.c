/* fw_beta_exit.c -- first exits of a case's tokens, by trop_escape.
 *
 * The curve of N independent runs is within sqrt(log(2/p)/(2 N)) of the law's survival function, at
 * all steps at once, with probability 1 - p (Dvoretzky, Kiefer, Wolfowitz, Massart): p = 1e-6.
 */
#include "claim/fw/fw_beta.h"

#include "base/field.h"
#include "base/math/log.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define USE_RUNS 9

double trop_fw_beta_band(int64_t runs)
{
    return sqrt(trop_log(2e6) / (2 * (double)runs));
}

/* Reads the results for the only beta. */
static enum trop_status read_exit(struct trop_fw_beta_exit *out, const struct trop_escape *escape)
{
    const struct trop_field *table = trop_escape_field_table();
    struct trop_fw_beta_exit exit = { 0 };
    const struct {
        double *out;
        const char *column;
    } numbers[] = {
        { &exit.open, "open" },
        { &exit.log10_median, "log10_median" },
        { &exit.log10_exact, "bound.log10_exact" },
        { &exit.log10_token, "bound.log10_exact_token" },
    };
    struct trop_value curve = { 0 };
    enum trop_status status = trop_field_cell(&curve, table, escape, "betas", "survival", 0);

    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0] && status == TROP_OK; k++) {
        status =
            trop_field_cell_number(numbers[k].out, table, escape, "betas", numbers[k].column, 0);
    }
    if (status == TROP_OK && curve.kind == TROP_KIND_NUMBERS &&
        curve.shape[0] <= TROP_FW_BETA_POINTS) {
        exit.points = curve.shape[0];
        memcpy(exit.survival, curve.numbers, (size_t)(2 * exit.points) * sizeof *exit.survival);
    }
    *out = exit;
    return status;
}

enum trop_status trop_fw_beta_escape(struct trop_fw_beta_exit *out, const struct trop_case *c,
                                     const struct trop_fw_beta_escape *how)
{
    struct trop_escape_options o = trop_escape_options_default();
    struct trop_escape *escape = NULL;
    char beta[40];

    snprintf(beta, sizeof beta, "%.17g", how->beta);
    o.cloud.n = trop_case_size(c, "tokens", 0);
    o.cloud.d = trop_case_size(c, "tokens", 1);
    o.cloud.tokens = trop_case_array(c, "tokens");
    o.beta = beta;
    o.gamma = how->gamma;
    o.radius = how->radius;
    o.runs = how->runs;
    o.dynamics = how->dynamics;
    o.cloud.seed = how->seed;
    o.threads = c->threads;
    enum trop_status status = trop_escape_create(&escape, &o);
    if (status == TROP_OK) {
        status = trop_escape_run(escape, NULL, NULL);
    }
    if (status == TROP_OK) {
        status = read_exit(out, escape);
    }
    trop_escape_free(escape);
    return status;
}

void trop_fw_beta_survive(struct trop_case *c)
{
    const struct trop_field *table = trop_escape_field_table();
    const struct trop_escape *escape =
        trop_case_escape(c, "beta=@beta gamma=@gamma radius=@radius runs=@runs seed=%llu",
                         (unsigned long long)trop_fw_beta_seed(c, USE_RUNS, 0));
    struct trop_value curve = { 0 };

    trop_case_try(c, trop_field_cell(&curve, table, escape, "betas", "survival", 0));
    const int is_curve = curve.kind == TROP_KIND_NUMBERS && curve.shape[0] > 0 &&
                         curve.shape[0] <= TROP_FW_BETA_POINTS;
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

enum trop_status trop_fw_beta_survival(struct trop_case *c, double beta)
{
    const double kept = trop_case_number(c, "beta");

    trop_case_put(c, "beta", beta);
    trop_fw_beta_survive(c);
    return trop_case_put(c, "beta", kept);
}
