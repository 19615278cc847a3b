/* test_claims.c -- every claim of the registry, by its own table.
 *
 *   - what it draws satisfies its hypotheses, and a claim that is not known to be false holds
 * there;
 *   - every known counterexample of a claim that is false violates it, with the hypotheses true;
 *   - each way to be wrong that its file names is seen: the conclusion is violated, or exactly the
 *     hypothesis that was broken fails;
 *   - a case that was written and read again has the same verdict.
 */
#include "claim/claim.h"
#include "claim/edit.h"
#include "spoils.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Ways to be wrong that take a function, of each paper. */
static const struct spoiler *const spoilers[] = {
    spoils_fw, spoils_fw_beta,    spoils_fw_figures, spoils_lm,         spoils_afz,
    spoils_mm, spoils_mm_figures, spoils_tf,         spoils_tf_figures, spoils_md,
};

static int only(const struct trop_claim *claim)
{
    const char *wanted = getenv("TROP_CLAIM");

    return (!trop_claim_needs_data(claim) || trop_claim_has_work(claim)) &&
           (!wanted || strstr(claim->id, wanted));
}

static struct trop_case *drawn(const struct trop_claim *claim, int64_t trial)
{
    struct trop_case *c = NULL;

    assert_ok(trop_case_create(&c, 1, trial, TROP_CASE_TINY, 1));
    assert_ok(trop_claim_draw(claim, c));
    return c;
}

static void tell(const struct trop_claim *claim, int64_t trial, const char *what,
                 const struct trop_trial *t)
{
    print_message("%s, trial %lld: %s: verdict %lld, hypothesis %s, line \"%s\" at %lld: %.17g "
                  "against %.17g, allowed %.3g\n",
                  claim->id, (long long)trial, what, (long long)t->verdict,
                  t->hypothesis ? t->hypothesis->name : "-",
                  t->hypothesis ? t->reason.name : t->judge.first.name,
                  (long long)(t->hypothesis ? t->reason.step : t->judge.first.step),
                  t->hypothesis ? t->reason.measured : t->judge.first.measured,
                  t->hypothesis ? t->reason.bound : t->judge.first.bound,
                  t->hypothesis ? t->reason.allowance : t->judge.first.allowance);
}

static int is_false(const struct trop_claim *claim)
{
    return claim->status == TROP_CLAIM_FALSE || claim->status == TROP_CLAIM_REFUTED;
}

/* Every input is a word of its paper. */
static void see_inputs(const struct trop_claim *claim)
{
    struct trop_input in;
    int64_t count = 0;

    for (; trop_claim_input(&in, claim, count); count++) {
        if (strcmp(in.meaning, "?") == 0) {
            fail_msg("%s: %s is no word of its paper", claim->id, in.name);
        }
    }
    assert_true(count > 0);
}

static void test_claims_have_all_they_need(void **state)
{
    const struct trop_claim *claim = NULL;

    (void)state;
    for (int64_t k = 0; (claim = trop_claim_at(k)) != NULL; k++) {
        const int needs = claim->status == TROP_CLAIM_NEEDS_DATA;
        assert_ptr_equal(trop_claim_find(claim->id), claim);
        assert_string_not_equal(trop_claim_kind(claim), "claim");
        assert_true(strlen(claim->statement) > 40 && strlen(claim->title) > 3);
        if (needs) {
            assert_true(claim->published && claim->published->name && !claim->spoils);
            continue;
        }
        assert_true(claim->table || (claim->run.draw && claim->run.work && claim->run.conclude));
        assert_true(claim->hypotheses && claim->hypotheses->name);
        see_inputs(claim);
        assert_true(!is_false(claim) || claim->exhibits > 0);
        assert_true((claim->status == TROP_CLAIM_REFUTED) <= (claim->source == TROP_CLAIM_DERIVED));
        assert_true(!claim->repaired || trop_claim_find(claim->repaired));
    }
}

/* ---- what is drawn ---- */

/* Judges wanted instances and keeps the first on which the claim holds, worked out. */
static struct trop_case *draw_some(const struct trop_claim *claim, int64_t wanted, int64_t *trial)
{
    struct trop_case *fine = NULL;
    int64_t applicable = 0;

    for (int64_t k = 0; k < wanted || (!fine && k < 50); k++) {
        struct trop_trial t = { 0 };
        struct trop_case *c = drawn(claim, k);
        assert_ok(trop_trial_run(&t, claim, c, 0));
        const int holds = t.verdict == TROP_VERDICT_HOLDS;
        const int is_expected =
            holds || t.hypothesis || is_false(claim) || claim->status == TROP_CLAIM_ARTIFACT;
        if (!is_expected || (k == 49 && !holds && !fine)) {
            tell(claim, k, "does not hold", &t);
        }
        assert_true(is_expected);
        applicable += k < wanted && !t.hypothesis;
        trop_trial_free(&t);
        if (holds && !fine) {
            fine = c;
            *trial = k;
        } else {
            trop_case_free(c);
        }
    }
    if (!fine || 2 * applicable < wanted) {
        fail_msg("%s: %lld of %lld cases drawn satisfy its hypotheses, and %s holds", claim->id,
                 (long long)applicable, (long long)wanted, fine ? "one" : "none");
    }
    return fine;
}

/* A question that experiments decide: what tests draw is worked out and leaves it open, and the
 * claim holds on results that were put in its place. */
static struct trop_case *suppose(const struct trop_claim *claim)
{
    struct trop_trial t = { .judge.keep = 1 };
    struct trop_case *c = drawn(claim, 0);

    assert_ok(trop_trial_run(&t, claim, c, 0));
    if (t.verdict != TROP_VERDICT_OPEN || t.hypothesis) {
        tell(claim, 0, "is not left open", &t);
    }
    assert_true(t.verdict == TROP_VERDICT_OPEN && !t.hypothesis);
    trop_trial_free(&t);
    trop_case_free(c);

    t = (struct trop_trial){ 0 };
    c = drawn(claim, 0);
    assert_ok(trop_claim_suppose(claim, c));
    assert_ok(trop_trial_run(&t, claim, c, 1));
    if (t.verdict != TROP_VERDICT_HOLDS) {
        tell(claim, 0, "does not hold on what is supposed", &t);
    }
    assert_int_equal(t.verdict, TROP_VERDICT_HOLDS);
    trop_trial_free(&t);
    return c;
}

/* Numbers of a smaller scale beside those that need outside data: there are some, none is judged.
 */
static void see_reading(const struct trop_claim *claim)
{
    struct trop_judge judge = { .side = TROP_JUDGE_CONCLUSION };
    struct trop_case *c = drawn(claim, 0);

    assert_ok(trop_claim_work(claim, c));
    assert_ok(trop_claim_conclude(claim, &judge, c));
    assert_true(judge.count > 0 && judge.beside == judge.count);
    trop_case_free(c);
}

static void see_counterexamples(const struct trop_claim *claim)
{
    for (int64_t e = 0; e < claim->exhibits; e++) {
        struct trop_trial t = { 0 };
        struct trop_case *c = NULL;
        assert_ok(trop_case_create(&c, 1, 0, TROP_CASE_TINY, 1));
        assert_ok(trop_claim_exhibit(claim, c, e));
        assert_ok(trop_claim_draw(claim, c));
        assert_ok(trop_trial_run(&t, claim, c, 0));
        if (t.verdict != TROP_VERDICT_VIOLATED) {
            tell(claim, e, "a counterexample is not seen", &t);
        }
        assert_int_equal(t.verdict, TROP_VERDICT_VIOLATED);
        trop_trial_free(&t);
        trop_case_free(c);
    }
}

/* ---- ways to be wrong, each on a copy of a case that was fine ---- */

static void spoil_part(void *context, struct trop_case *c)
{
    ((const struct spoiler *)context)->spoil(c);
}

/* By the edit of the spoil, or by the function of this claim and meaning. */
static void spoil_case(const struct trop_claim *claim, const struct trop_spoil *spoil,
                       struct trop_case *c)
{
    if (spoil->edit) {
        assert_ok(trop_edit(c, claim, spoil->edit));
        return;
    }
    for (size_t list = 0; list < sizeof spoilers / sizeof spoilers[0]; list++) {
        for (const struct spoiler *s = spoilers[list]; s->id; s++) {
            if (strncmp(s->id, claim->id, strlen(s->id)) == 0 &&
                strcmp(s->meaning, spoil->meaning) == 0) {
                assert_ok(trop_case_part(c, spoil_part, (void *)s));
                return;
            }
        }
    }
    fail_msg("%s: nothing does \"%s\"", claim->id, spoil->meaning);
}

static void see_wrong_conclusion(const struct trop_claim *claim, const struct trop_spoil *spoil,
                                 const struct trop_case *fine)
{
    struct trop_trial t = { 0 };
    struct trop_case *c = NULL;

    assert_ok(trop_case_copy(&c, fine));
    spoil_case(claim, spoil, c);
    assert_ok(trop_trial_run(&t, claim, c, 1));
    if (t.verdict != TROP_VERDICT_VIOLATED) {
        tell(claim, fine->trial, spoil->meaning, &t);
    }
    assert_int_equal(t.verdict, TROP_VERDICT_VIOLATED);
    trop_trial_free(&t);
    trop_case_free(c);
}

static int is_late(const struct trop_claim *claim, const char *name)
{
    for (const struct trop_hypothesis *h = claim->hypotheses; h->name; h++) {
        if (strcmp(h->name, name) == 0) {
            return (int)h->late;
        }
    }
    fail_msg("%s has no hypothesis %s", claim->id, name);
    return 0;
}

/* A remark that prints the cone of its hypothesis prints the one that the check asks for. */
static void see_cone(const struct trop_claim *claim, const struct trop_trial *t)
{
    static const char words[] = "The cone is D <= ";
    const char *at = claim->remark ? strstr(claim->remark, words) : NULL;

    if (at && strcmp(t->reason.name, "D of the first weights") == 0) {
        assert_true(strtod(at + strlen(words), NULL) == t->reason.bound);
    }
}

static void see_failing_hypothesis(const struct trop_claim *claim, const struct trop_spoil *spoil,
                                   const struct trop_case *fine)
{
    const int late = is_late(claim, spoil->hypothesis);
    struct trop_trial t = { 0 };
    struct trop_case *c = NULL;

    if (late) {
        assert_ok(trop_case_copy(&c, fine));
    } else {
        c = drawn(claim, fine->trial);
    }
    spoil_case(claim, spoil, c);
    assert_ok(trop_trial_run(&t, claim, c, late));
    const int seen = t.verdict == TROP_VERDICT_HYPOTHESIS && t.hypotheses_failing == 1 &&
                     strcmp(t.hypothesis->name, spoil->hypothesis) == 0;
    if (!seen) {
        tell(claim, fine->trial, spoil->meaning, &t);
    }
    assert_true(seen);
    see_cone(claim, &t);
    trop_trial_free(&t);
    trop_case_free(c);
}

static void see_spoils(const struct trop_claim *claim, const struct trop_case *fine)
{
    int conclusions = 0, hypotheses = 0;

    struct trop_spoil s;
    for (int64_t k = 0; trop_claim_spoil(&s, claim, k); k++) {
        if (s.hypothesis) {
            see_failing_hypothesis(claim, &s, fine);
        } else {
            see_wrong_conclusion(claim, &s, fine);
        }
        conclusions += !s.hypothesis;
        hypotheses += s.hypothesis != NULL;
    }
    if (!conclusions || !hypotheses) {
        fail_msg("%s: %d ways to violate it, %d to leave its hypotheses", claim->id, conclusions,
                 hypotheses);
    }
}

static void see_file(const struct trop_claim *claim, const struct trop_case *fine, const char *path)
{
    struct trop_trial t = { 0 };
    struct trop_case *again = NULL;

    assert_ok(trop_case_write(fine, path, claim->id));
    assert_ok(trop_case_create(&again, 1, fine->trial, TROP_CASE_TINY, 1));
    assert_ok(trop_case_read(again, path, claim->id));
    assert_ok(trop_trial_run(&t, claim, again, 1));
    assert_int_equal(t.verdict, TROP_VERDICT_HOLDS);
    trop_trial_free(&t);
    trop_case_free(again);
}

static void test_every_claim_is_judged_rightly(void **state)
{
    const struct trop_claim *claim = NULL;
    char path[] = "/tmp/trop_case_XXXXXX";
    const int handle = mkstemp(path);
    int64_t judged = 0;

    (void)state;
    assert_true(handle >= 0);
    close(handle);
    for (int64_t k = 0; (claim = trop_claim_at(k)) != NULL; k++) {
        int64_t trial = 0;
        if (!only(claim)) {
            continue;
        }
        judged++;
        if (trop_claim_needs_data(claim)) {
            see_reading(claim);
            continue;
        }
        const int64_t wanted = trop_claim_is_shown(claim) ? 1 : cases(4, 40);
        struct trop_case *fine =
            trop_claim_is_asked(claim) ? suppose(claim) : draw_some(claim, wanted, &trial);
        fine->trial = trial;
        see_counterexamples(claim);
        see_spoils(claim, fine);
        see_file(claim, fine, path);
        trop_case_free(fine);
    }
    unlink(path);
    assert_true(judged > 0); /* no claim's id contains TROP_CLAIM */
}

/* Instances whose parts do not fit together: (entry, shape) beside what is drawn. */
static void test_instances_that_do_not_fit_are_refused(void **state)
{
    static const struct {
        const char *id, *entry;
        int64_t a, b, k;
    } wrong[] = {
        { "tf-thm-6", "W0", 2, 2, 0 },      { "tf-thm-3", "W", 2, 3, 4 },
        { "tf-lem-2", "y", 9, 0, 0 },       { "tf-lem-2", "z", 2, 9, 0 },
        { "tf-lem-2", "X", 2, 65, 3 },      { "tf-thm-7", "alpha", 9, 0, 0 },
        { "tf-rem-ntp", "kind", 2, 2, 0 },  { "tf-lem-6", "X", 1, 3, 3 },
        { "tf-rem-graph", "ids", 3, 4, 0 },
    };

    (void)state;
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        const struct trop_claim *claim = trop_claim_find(wrong[k].id);
        struct trop_case *c = NULL;
        double *values = NULL;
        assert_ok(trop_case_create(&c, 1, 0, TROP_CASE_TINY, 1));
        assert_ok(trop_case_make(&values, c, wrong[k].entry, wrong[k].a, wrong[k].b, wrong[k].k));
        enum trop_status status = trop_claim_draw(claim, c);
        status = status == TROP_OK ? trop_claim_work(claim, c) : status;
        assert_int_equal(status, TROP_ERR_ARG);
        trop_case_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claims_have_all_they_need),
        cmocka_unit_test(test_every_claim_is_judged_rightly),
        cmocka_unit_test(test_instances_that_do_not_fit_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
