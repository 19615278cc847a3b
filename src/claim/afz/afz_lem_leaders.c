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

#include <float.h>
#include <math.h>

/* ---- absorbing ---- */

static void draw_path(struct trop_case *c)
{
    trop_afz_draw(c);
    trop_tokens_count(c, "steps", 12, 1, 1e6);
}

static void work_path(struct trop_case *c)
{
    trop_case_path(c, "path", trop_case_integer(c, "steps"), TROP_AFZ_FLOW);
}

/* Layer t of the path, and its leaders in the next one. */
static void conclude_layer(struct trop_judge *judge, const struct trop_case *c, int64_t t)
{
    const struct trop_view path = trop_case_view(c, "path");
    const int64_t n = path.columns, d = path.depth;
    const double *before = trop_case_view_row(path, t), *after = trop_case_view_row(path, t + 1);
    const double *a = trop_case_array(c, "A"), alpha = trop_case_number(c, "alpha");
    const double gamma = alpha / (1 + alpha), radius = trop_tokens_radius(before, n, d);
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
        trop_judge_at_most(judge, "what a leader moves by", t + 1, moved, 0,
                           4 * DBL_EPSILON * radius);
        trop_judge_at_least(judge, "lead after the layer", t + 1, trop_afz_lead(a, after, i, n, d),
                            (1 - gamma) * lead, error);
    }
}

static void conclude_path(struct trop_judge *judge, const struct trop_case *c)
{
    for (int64_t t = 0; t + 1 < trop_case_size(c, "path", 0); t++) {
        conclude_layer(judge, c, t);
    }
}

static const struct trop_hypothesis hypotheses[] = { TROP_AFZ_HYPOTHESES, { 0 } };

static const struct trop_spoil path_spoils[] = {
    { "a leader of the last layer is moved by 1e-6", NULL },
    { "the layers are run with alpha larger by 1e-6", NULL, .edit = "work with alpha += 1e-6" },
    { 0 },
};

const struct trop_claim trop_afz_lem_leaders = {
    .id = "afz-lem-leaders",
    .title = "leaders are absorbing",
    .statement = "A token that scores strictly highest with itself stays where it is and scores "
                 "strictly highest with itself forever, its lead falling by at most the factor "
                 "1/(1 + alpha) in a layer.",
    .status = TROP_CLAIM_PROVED,
    .remark = "The factor is our quantitative form of strictness, which a finite run can show.",
    .inputs = "tokens A alpha",
    .hypotheses = hypotheses,
    .run = { draw_path, work_path, conclude_path },
    .spoils = path_spoils,
    .trials = 100,
};

/* ---- existence ---- */

static void work_leaders(struct trop_case *c)
{
    struct trop_flow *flow = trop_case_flow(c, TROP_AFZ_FLOW);

    trop_case_try(c, trop_flow_look(flow));
    trop_afz_take_leaders(c, flow);
}

static void conclude_leaders(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const int64_t n = x.rows, d = x.columns;
    const double *a = trop_case_array(c, "A"), *leaders = trop_case_array(c, "leaders");
    const double error = trop_afz_rounding(a, x.at, n, d);
    const int64_t longest = trop_afz_longest(a, x.at, n, d);

    trop_judge_truth(judge, "the token of largest A-norm leads", -1, leaders[longest] == 1);
    trop_judge_at_least(judge, "its lead", -1, trop_afz_lead(a, x.at, longest, n, d), 0, error);
    for (int64_t i = 0; i < n; i++) {
        const double lead = trop_afz_lead(a, x.at, i, n, d);
        if (fabs(lead) > error) {
            trop_judge_truth(judge, "a token leads exactly when its lead is positive", -1,
                             leaders[i] == (lead > 0));
        }
    }
}

static const struct trop_spoil leader_spoils[] = {
    { "no token leads", NULL, .edit = "leaders = 0" },
    { 0 },
};

const struct trop_claim trop_afz_lem_exists = {
    .id = "afz-lem-exists",
    .title = "there is a leader at layer 0",
    .statement = "Of distinct tokens the one of largest A-norm is a leader at layer 0, so that the "
                 "set of leaders is not empty.",
    .status = TROP_CLAIM_PROVED,
    .inputs = "tokens A alpha",
    .hypotheses = hypotheses,
    .run = { trop_afz_draw, work_leaders, conclude_leaders },
    .spoils = leader_spoils,
    .trials = 200,
};
