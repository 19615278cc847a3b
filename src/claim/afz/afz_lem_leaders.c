/* afz_lem_leaders.c -- leaders: a leader stays one (absorbing), and there is one at layer 0.
 *
 * Absorbing. Let lead_i = <A z_i, z_i> - max_{j != i} <A z_i, z_j> > 0. Then z_i does not move, and
 * every other token keeps the part 1 - gamma of its place, gamma = alpha/(1 + alpha), while what it
 * is drawn to scores at most <A z_i, z_i>:
 *
 *   <A z_i, z_i - z_j'> >= (1 - gamma) <A z_i, z_i - z_j>,   so   lead_i' >= (1 - gamma) lead_i.
 *
 * That inequality is the conclusion, with the leader in its place: it says when the lead can be
 * seen at all. Both sides round as scores do, and a token by 4 u R in a step.
 *
 * Existence. For the token of largest A-norm, <A z_i, z_j> <= |z_i| |z_j| <= |z_i|^2, with equality
 * for z_j = z_i alone. The set of leaders is read from the library, which decides it exactly, and
 * compared token by token with leads in double.
 */
#include "claim/afz/afz.h"

#include "claim/tokens.h"

#include <float.h>
#include <math.h>

#define STEPS 12

/* ---- absorbing ---- */

static enum trop_status draw_path(struct trop_case *c)
{
    enum trop_status status = trop_afz_draw(c);

    return status == TROP_OK ? trop_tokens_count(c, "steps", STEPS, 1, 1e6) : status;
}

static enum trop_status work_path(struct trop_case *c)
{
    const struct trop_flow_options o = trop_afz_options(c);

    return trop_tokens_flow(c, &o, trop_case_integer(c, "steps"));
}

static void conclude_layer(struct trop_judge *judge, const double *a, const double *before,
                           const double *after, const int64_t size[3], double gamma)
{
    const int64_t t = size[0], n = size[1], d = size[2];
    const double radius = trop_tokens_radius(before, n, d);
    /* A token that moved by 4 u R scores differently by 4 u R |A| R at most. */
    const double error = 6 * trop_afz_rounding(a, before, n, d);

    for (int64_t i = 0; i < n; i++) {
        const double lead = trop_afz_lead(a, before, i, n, d);
        double moved = 0;
        if (lead <= error) {
            continue;
        }
        for (int64_t p = 0; p < d; p++) {
            moved = fmax(moved, fabs(after[i * d + p] - before[i * d + p]));
        }
        trop_judge_at_most(judge, "what a leader moves by", t, moved, 0, 4 * DBL_EPSILON * radius);
        trop_judge_at_least(judge, "lead after the layer", t, trop_afz_lead(a, after, i, n, d),
                            (1 - gamma) * lead, error);
    }
}

static enum trop_status conclude_path(struct trop_judge *judge, const struct trop_case *c)
{
    const double *path = trop_case_array(c, "path"), *a = trop_case_array(c, "A");
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const double alpha = trop_case_number(c, "alpha");

    for (int64_t t = 0; t < steps; t++) {
        const int64_t size[] = { t + 1, n, d };
        conclude_layer(judge, a, path + t * n * d, path + (t + 1) * n * d, size,
                       alpha / (1 + alpha));
    }
    return TROP_OK;
}

/* The token of largest A-norm leads from layer 0 on. */
static enum trop_status move_leader(struct trop_case *c)
{
    double *path = trop_case_array(c, "path");
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const int64_t i = trop_afz_longest(trop_case_array(c, "A"), path, n, d);

    path[(steps * n + i) * d] += 1e-6;
    return TROP_OK;
}

static enum trop_status faster(struct trop_case *c)
{
    const double alpha = trop_case_number(c, "alpha");
    enum trop_status status = trop_case_put(c, "alpha", alpha + 1e-6);

    if (status == TROP_OK) {
        status = work_path(c);
    }
    return status == TROP_OK ? trop_case_put(c, "alpha", alpha) : status;
}

static const struct trop_hypothesis hypotheses[] = { TROP_AFZ_HYPOTHESES, { 0 } };

static const struct trop_spoil path_spoils[] = {
    { "a leader of the last layer is moved by 1e-6", NULL, move_leader },
    { "the layers are run with alpha larger by 1e-6", NULL, faster },
    TROP_AFZ_SPOILS,
    { 0 },
};

const struct trop_claim trop_afz_lem_leaders = {
    .id = "afz-lem-leaders",
    .title = "leaders are absorbing",
    .statement = "A token that scores strictly highest with itself stays where it is and scores "
                 "strictly highest with itself for ever, its lead falling by at most the factor "
                 "1/(1 + alpha) in a layer.",
    .status = TROP_CLAIM_PROVED,
    .remark = "The factor is our quantitative form of strictness, which a finite run can show.",
    .inputs = trop_afz_inputs,
    .hypotheses = hypotheses,
    .draw = draw_path,
    .work = work_path,
    .conclude = conclude_path,
    .spoils = path_spoils,
    .trials = 100,
};

/* ---- existence ---- */

static enum trop_status work_leaders(struct trop_case *c)
{
    struct trop_flow_options o = trop_afz_options(c);
    struct trop_flow *flow = NULL;
    struct trop_value leaders = { 0 };
    double *flags = NULL;

    o.cloud.n = trop_case_size(c, "tokens", 0);
    o.cloud.d = trop_case_size(c, "tokens", 1);
    o.cloud.tokens = trop_case_array(c, "tokens");
    o.threads = 1;
    enum trop_status status = trop_flow_create(&flow, &o);
    if (status == TROP_OK) {
        status = trop_flow_look(flow);
    }
    if (status == TROP_OK) {
        status = trop_flow_value(&leaders, flow, "leaders");
    }
    if (status == TROP_OK) {
        status = trop_case_make(&flags, c, "leaders", o.cloud.n, 0, 0);
    }
    for (int64_t k = 0; status == TROP_OK && k < leaders.shape[0]; k++) {
        flags[leaders.integers[k]] = 1;
    }
    trop_flow_free(flow);
    return status;
}

static enum trop_status conclude_leaders(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens"), *a = trop_case_array(c, "A");
    const double *leaders = trop_case_array(c, "leaders");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double error = trop_afz_rounding(a, x, n, d);
    const int64_t longest = trop_afz_longest(a, x, n, d);

    trop_judge_truth(judge, "the token of largest A-norm leads", -1, leaders[longest] == 1);
    trop_judge_at_least(judge, "its lead", -1, trop_afz_lead(a, x, longest, n, d), 0, error);
    for (int64_t i = 0; i < n; i++) {
        const double lead = trop_afz_lead(a, x, i, n, d);
        if (fabs(lead) > error) {
            trop_judge_truth(judge, "a token leads exactly when its lead is positive", -1,
                             leaders[i] == (lead > 0));
        }
    }
    return TROP_OK;
}

static enum trop_status forget_leader(struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);

    trop_case_array(
        c,
        "leaders")[trop_afz_longest(trop_case_array(c, "A"), trop_case_array(c, "tokens"), n, d)] =
        0;
    return TROP_OK;
}

static const struct trop_spoil leader_spoils[] = {
    { "the leader of largest A-norm is left out", NULL, forget_leader },
    TROP_AFZ_SPOILS,
    { 0 },
};

const struct trop_claim trop_afz_lem_exists = {
    .id = "afz-lem-exists",
    .title = "there is a leader at layer 0",
    .statement = "Of distinct tokens the one of largest A-norm is a leader at layer 0, so that the "
                 "set of leaders is not empty.",
    .status = TROP_CLAIM_PROVED,
    .remark = "",
    .inputs = trop_afz_inputs,
    .hypotheses = hypotheses,
    .draw = trop_afz_draw,
    .work = work_leaders,
    .conclude = conclude_leaders,
    .spoils = leader_spoils,
    .trials = 200,
};
