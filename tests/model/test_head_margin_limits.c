/* test_head_margin_limits.c -- the margin of a head: proofs that are broken, nothing to measure,
 * other texts, refusals, and no memory. */
#include "head_margin_support.h"

#include "alloc_failing.c"
#include "model/head/head_margin_internal.h"

static struct trop_head_margin measured(const struct head *head)
{
    struct trop_head_margin_options options = trop_head_margin_options_default();
    struct trop_head_margin out;

    options.nulls = 2;
    options.threads = 1; /* allocations are counted by one thread */
    assert_ok(trop_head_margin(&out, NULL, &head->input, &options));
    return out;
}

/* ---- the certificate ------------------------------------------------------------------------- */

static void a_broken_certificate_proves_nothing(void **state)
{
    struct head head;
    struct trop_head_margin_task task = { 0 };
    struct trop_head_margin_pair pair = { 0 };
    struct trop_margin_proof good, broken;
    double w[8 * 9], lambda[100];
    struct trop_margin_claim claim = {
        .norm = TROP_MARGIN_CHECK_LP, .p = 2, .w = w, .lambda = lambda
    };

    (void)state;
    head_draw(&head, 7, 8, 3, 2, 0);
    assert_ok(trop_head_margin_pair_open(&pair, &head.input));
    assert_ok(trop_head_margin_task_open(&task, &head.input, 1, &pair));
    assert_ok(trop_head_margin_solve(lambda, &task));
    assert_ok(trop_head_margin_combine(w, lambda, &task));
    assert_ok(trop_margin_check(&good, &task.told, &claim));
    assert_true(good.gap < 1e-9);
    int64_t j = 0;
    while (!(lambda[j] > 0)) {
        j++;
    }
    const double kept = lambda[j];
    lambda[j] = 2 * kept;
    assert_ok(trop_margin_check(&broken, &task.told, &claim));
    assert_true(broken.lower < good.lower * (1 - 1e-6));
    lambda[j] = -kept; /* counts as 0 */
    assert_ok(trop_margin_check(&broken, &task.told, &claim));
    assert_true(broken.lower < good.lower * (1 - 1e-6));
    lambda[j] = kept;
    for (int64_t k = 0; k < 72; k++) {
        w[k] = -w[k];
    }
    assert_ok(trop_margin_check(&broken, &task.told, &claim));
    assert_true(isinf(broken.upper));
    trop_head_margin_task_close(&task);
    trop_head_margin_pair_close(&pair);
}

/* ---- nothing to measure ---------------------------------------------------------------------- */

static void expect_absent(const struct trop_head_margin *out)
{
    assert_int_equal(out->constraints, 0);
    assert_int_equal(out->rows, 0);
    assert_int_equal(out->outcome, TROP_OUTCOME_NONE);
    assert_int_equal(out->nulls, 0);
    assert_true(isnan(out->lower) && isnan(out->upper) && isnan(out->length));
    assert_true(isnan(out->share) && isnan(out->share_upper) && isnan(out->cosine));
    assert_true(isnan(out->quantiles[0]) && isnan(out->quantiles[4]));
}

static void one_token_has_no_margin(void **state)
{
    struct head head;
    double agreement, w[4 * 5];
    struct trop_head_margin_bounds bounds;

    (void)state;
    head_draw(&head, 1, 4, 2, 1, 0);
    struct trop_head_margin out = measured(&head);
    expect_absent(&out);
    assert_ok(trop_head_margin_fit(w, &bounds, &head.input, 1));
    assert_true(isnan(bounds.lower) && w[0] == 0);
    assert_ok(trop_head_margin_agreement(&agreement, &head.input, w));
    assert_true(isnan(agreement));
    head_draw(&head, 3, 4, 2, 1, 0);
    memcpy(head.hat + 4, head.hat, 4 * sizeof(double));
    memcpy(head.hat + 8, head.hat, 4 * sizeof(double));
    out = measured(&head);
    expect_absent(&out);
}

/* Under a causal mask row 0 sees itself alone, row 1 two tokens that are equal. */
static void rows_that_see_one_token_are_absent(void **state)
{
    struct head head;
    struct trop_head_margin out;
    struct trop_head_margin_options options = trop_head_margin_options_default();
    double each[5];

    (void)state;
    options.nulls = 0;
    head_draw(&head, 5, 6, 2, 1, 0);
    memcpy(head.hat + 6, head.hat, 6 * sizeof(double));
    head.input.causal = 1;
    assert_ok(trop_head_margin(&out, each, &head.input, &options));
    assert_int_equal(out.rows, 3);
    assert_true(isnan(each[0]) && isnan(each[1]));
    assert_true(each[2] >= out.share && each[3] >= out.share && each[4] >= out.share);
    assert_near(fmin(each[2], fmin(each[3], each[4])), out.share, 0);
    assert_near(fmax(each[2], fmax(each[3], each[4])), out.quantiles[4], 0);
}

/* W = 0 selects the first token, 0 of -1, 0, 1, which no W can: the solver ends without a W. */
static void a_tie_that_nothing_parts_ends(void **state)
{
    struct head head;

    (void)state;
    head_blank(&head, 3, 1, 1);
    head.hat[1] = -1;
    head.hat[2] = 1;
    const struct trop_head_margin out = measured(&head);
    assert_int_equal(out.constraints, 6);
    assert_true(out.outcome != TROP_OUTCOME_SOLVED);
    assert_true(isinf(out.upper) && out.length == 0 && isnan(out.share));
}

/* ---- other texts ----------------------------------------------------------------------------- */

static void a_fit_agrees_with_its_own_texts(void **state)
{
    static struct head heads[3];
    struct trop_head_input inputs[3];
    struct trop_head_margin_bounds bounds;
    double w[9 * 10], agreement;
    int64_t agreed = 0;

    (void)state;
    for (uint64_t b = 0; b < 3; b++) {
        head_draw(heads + b, 8 + (int64_t)b, 9, 2, 4, b);
        inputs[b] = heads[b].input;
    }
    assert_ok(trop_head_margin_fit(w, &bounds, inputs, 2));
    assert_true(bounds.lower > 0 && bounds.upper <= bounds.lower * (1 + 1e-9));
    for (int64_t b = 0; b < 2; b++) {
        assert_ok(trop_head_margin_agreement(&agreement, inputs + b, w));
        assert_near(agreement, 1, 0);
    }
    assert_ok(trop_head_margin_agreement(&agreement, inputs + 2, w));
    for (int64_t i = 0; i < 10; i++) { /* by the scores of both, one by one */
        int64_t best[2] = { 0, 0 };
        double most[2] = { -INFINITY, -INFINITY };
        for (int64_t t = 0; t < 10; t++) {
            const double *x = heads[2].hat + t * 9, *z = heads[2].hat + i * 9;
            double score[2] = { 0, 0 };
            for (int64_t a = 0; a < 2; a++) {
                double q = heads[2].bq[a], k = 0;
                for (int64_t c = 0; c < 9; c++) {
                    q += heads[2].wq[a * 9 + c] * z[c];
                    k += heads[2].wk[a * 9 + c] * x[c];
                }
                score[0] += q * k;
            }
            for (int64_t e = 0; e < 90; e++) {
                score[1] += x[e / 10] * w[e] * (e % 10 < 9 ? z[e % 10] : 1);
            }
            for (int64_t s = 0; s < 2; s++) {
                best[s] = score[s] > most[s] ? t : best[s];
                most[s] = fmax(most[s], score[s]);
            }
        }
        agreed += best[0] == best[1];
    }
    assert_near(agreement, (double)agreed / 10, 1e-15);
    assert_true(agreed < 10);
    /* A head is not what it is against: the opposite W agrees nowhere on its own text. */
    for (int64_t e = 0; e < 90; e++) {
        w[e] = -w[e];
    }
    assert_ok(trop_head_margin_agreement(&agreement, inputs, w));
    assert_near(agreement, 0, 0);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void expect_refusal(const struct head *head, enum trop_status code, const char *sentence,
                           int64_t norm, int64_t nulls)
{
    struct trop_head_margin_options options = trop_head_margin_options_default();
    struct trop_head_margin out;

    options.norm = norm;
    options.nulls = nulls;
    assert_int_equal(trop_head_margin(&out, NULL, &head->input, &options), code);
    if (!strstr(trop_error(), sentence)) {
        fail_msg("\"%s\" is not in \"%s\"", sentence, trop_error());
    }
    assert_int_equal(alloc_live, 0);
}

static void what_has_no_margin_is_refused(void **state)
{
    struct head head, other;
    struct trop_head_input inputs[2];
    struct trop_head_margin_bounds bounds;
    double w[4 * 5];
    const double angle = 1;

    (void)state;
    head_draw(&head, 3, 4, 2, 1, 0);
    other = head;
    head_draw(&other, 3, 4, 2, 1, 0);
    other.input.angle = &angle;
    expect_refusal(&other, TROP_ERR_UNSUPPORTED, "rotates", TROP_MARGIN_L2, 0);
    other.input.angle = NULL;
    other.input.hat = NULL;
    expect_refusal(&other, TROP_ERR_UNSUPPORTED, "arrays of queries", TROP_MARGIN_L2, 0);
    other.input.hat = other.hat;
    other.input.window = 2;
    expect_refusal(&other, TROP_ERR_UNSUPPORTED, "a window of 2 hides", TROP_MARGIN_L2, 0);
    other.input.window = 0;
    other.input.causal = 1;
    expect_refusal(&other, TROP_ERR_UNSUPPORTED, "without a mask", TROP_MARGIN_NUCLEAR, 0);
    other.input.causal = 0;
    expect_refusal(&other, TROP_ERR_ARG, "l2 or nuclear", TROP_MARGIN_L1, 0);
    expect_refusal(&other, TROP_ERR_ARG, "nulls = -1", TROP_MARGIN_L2, -1);
    expect_refusal(&other, TROP_ERR_ARG, "nulls = 101", TROP_MARGIN_L2, 101);
    other.input.scale = 0;
    expect_refusal(&other, TROP_ERR_ARG, "scale = 0", TROP_MARGIN_L2, 0);
    other.input.scale = 1;
    other.input.n = 100000;
    expect_refusal(&other, TROP_ERR_ARG, "more than 4096 tokens", TROP_MARGIN_L2, 0);
    other.input.n = 3;
    other.hat[5] = NAN;
    expect_refusal(&other, TROP_ERR_NUMERIC, "not finite", TROP_MARGIN_L2, 0);
    inputs[0] = inputs[1] = head.input;
    inputs[0].hat = inputs[1].hat = head.hat;
    inputs[1].width = 3;
    assert_int_equal(trop_head_margin_fit(w, &bounds, inputs, 2), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "same head"));
    assert_int_equal(trop_head_margin_fit(w, &bounds, inputs, 0), TROP_ERR_ARG);
    assert_int_equal(alloc_live, 0);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static enum trop_status everything(void)
{
    static struct head head;
    struct trop_head_margin_options options = trop_head_margin_options_default();
    struct trop_head_margin out;
    struct trop_head_margin_bounds bounds;
    double w[7 * 8], agreement;

    head_draw(&head, 5, 7, 2, 1, 0);
    options.nulls = 1;
    options.threads = 1;
    enum trop_status status = trop_head_margin(&out, NULL, &head.input, &options);
    if (status == TROP_OK) {
        status = trop_head_margin_fit(w, &bounds, &head.input, 1);
    }
    if (status == TROP_OK) {
        status = trop_head_margin_agreement(&agreement, &head.input, w);
    }
    return status;
}

static void every_refusal_of_memory_is_survived(void **state)
{
    (void)state;
    alloc_refuse_each(everything);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_broken_certificate_proves_nothing),
        cmocka_unit_test(one_token_has_no_margin),
        cmocka_unit_test(rows_that_see_one_token_are_absent),
        cmocka_unit_test(a_tie_that_nothing_parts_ends),
        cmocka_unit_test(a_fit_agrees_with_its_own_texts),
        cmocka_unit_test(what_has_no_margin_is_refused),
        cmocka_unit_test(every_refusal_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
