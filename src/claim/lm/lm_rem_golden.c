/* lm_rem_golden.c -- five runs of localmax with A = I whose numbers are known.
 *
 *   G1  (1, .5), eps = .3: by hand, x(3) = (.9296875, .7890625), and both tend to .859375
 *   G2  (1, -1, .05), eps = .2: the third is .05 (2/3)^t, so the limit 0 is no vertex; hardmax has
 * 1 G3  eight tokens of the plane with an emerging leader (hardmax paper, figure 2): token 1 leads
 *       from step 1 on and stops at (-1/18, 5/36); with eps = .1 there are two groups of four
 *   G4  a square with two tokens inside: they tend to the middles of two edges (hardmax, eps up to
 *       .5), to the centre (eps = 1, which is an exact tie), and all to the centre (eps >= 1.5)
 *   G5  (1, .9), eps = .2 ratio^t: .95 for ratio .5, .95019531 for .45, .9625 for .3
 *
 * alpha = gamma/(1-gamma) is 1 on the line and 1/2 in the plane. Each run takes 600 steps, which is
 * more than rounding notices: contraction is 7/9 a step or faster. 600 steps round by 600 * 2 (n+4)
 * u R sqrt(d) < 1e-11 in all; where a number was printed with 8 digits the allowance is half a
 * digit.
 */
#include "claim/lm/lm.h"

#include "claim/tokens.h"

#include <math.h>
#include <string.h>

#define STEPS 600
#define ROUNDING 1e-11
#define PRINTED 5.1e-9

static const double plane[] = { 1,   1. / 3, -1. / 12, 1. / 12, -1, -1, 0,  .25,
                                -.3, -.7,    -.6,      -.9,     .8, .1, .6, .15 };
static const double square[] = { 1, 1, 1, -1, -1, -1, -1, 1, -.5, 0, .5, 0 };
static const double line_1[] = { 1, .5 }, line_2[] = { 1, -1, .05 }, line_5[] = { 1, .9 };

/* One run: what stays of it is "name" (steps kept + 1, n, d), and its end "name_end" (n, d). */
struct run {
    const char *name, *end;
    const double *x;
    int64_t n, d, kept;
    int64_t is_hardmax;
    double epsilon, ratio;
};

static const struct run runs[] = {
    { "g1", "g1_end", line_1, 2, 1, 3, 0, .3, 1 },
    { "g1_hard", "g1_hard_end", line_1, 2, 1, 1, 1, 0, 1 },
    { "g2", "g2_end", line_2, 3, 1, 20, 0, .2, 1 },
    { "g2_hard", "g2_hard_end", line_2, 3, 1, 1, 1, 0, 1 },
    { "g3_hard", "g3_hard_end", plane, 8, 2, 2, 1, 0, 1 },
    { "g3", "g3_end", plane, 8, 2, 1, 0, .1, 1 },
    { "g4_hard", "g4_hard_end", square, 6, 2, 1, 1, 0, 1 },
    { "g4_a", "g4_a_end", square, 6, 2, 1, 0, .5, 1 },
    { "g4_b", "g4_b_end", square, 6, 2, 1, 0, 1, 1 },
    { "g4_c", "g4_c_end", square, 6, 2, 1, 0, 1.5, 1 },
    { "g4_d", "g4_d_end", square, 6, 2, 1, 0, 2, 1 },
    { "g4_e", "g4_e_end", square, 6, 2, 1, 0, 2.1, 1 },
    { "g5_a", "g5_a_end", line_5, 2, 1, 1, 0, .2, .5 },
    { "g5_b", "g5_b_end", line_5, 2, 1, 1, 0, .2, .45 },
    { "g5_c", "g5_c_end", line_5, 2, 1, 1, 0, .2, .3 },
};

/* ---- work ---- */

static enum trop_status draw(struct trop_case *c)
{
    enum trop_status status = trop_case_default(c, "alpha_line", 1);

    return status == TROP_OK ? trop_case_default(c, "alpha_plane", .5) : status;
}

static struct trop_flow_options options_of(const struct run *run, const struct trop_case *c)
{
    struct trop_flow_options o = trop_flow_options_default();

    o.cloud.n = run->n;
    o.cloud.d = run->d;
    o.cloud.tokens = run->x;
    o.alpha = trop_case_number(c, run->d == 1 ? "alpha_line" : "alpha_plane");
    o.rule = run->is_hardmax ? TROP_RULE_HARDMAX : TROP_RULE_LOCALMAX;
    o.epsilon = (struct trop_schedule){ .kind = TROP_SCHEDULE_GEOMETRIC,
                                        .a = run->epsilon,
                                        .b = run->ratio };
    o.closed_form = TROP_CLOSED_FORM_NEVER;
    o.threads = c->threads;
    return o;
}

static enum trop_status make(struct trop_case *c, const struct run *run)
{
    const struct trop_flow_options o = options_of(run, c);
    const size_t bytes = (size_t)(run->n * run->d) * sizeof(double);
    struct trop_flow *flow = NULL;
    double *path = NULL, *end = NULL;
    enum trop_status status = trop_flow_create(&flow, &o);

    if (status == TROP_OK) {
        status = trop_case_make(&path, c, run->name, run->kept + 1, run->n, run->d);
    }
    for (int64_t t = 0; t <= run->kept && status == TROP_OK; t++) {
        memcpy(path + t * run->n * run->d, trop_flow_tokens(flow), bytes);
        status = trop_flow_step(flow, t < run->kept ? 1 : STEPS - run->kept);
    }
    if (status == TROP_OK) {
        status = trop_case_make(&end, c, run->end, run->n, run->d, 0);
    }
    if (status == TROP_OK) {
        memcpy(end, trop_flow_tokens(flow), bytes);
    }
    trop_flow_free(flow);
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    enum trop_status status = TROP_OK;

    for (size_t k = 0; k < sizeof runs / sizeof *runs && status == TROP_OK; k++) {
        status = make(c, runs + k);
    }
    return status;
}

static enum trop_status settings(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "alpha is 1 on the line", -1, trop_case_number(c, "alpha_line") == 1);
    trop_judge_truth(judge, "alpha is 1/2 in the plane", -1,
                     trop_case_number(c, "alpha_plane") == .5);
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "settings", "alpha is 1 for tokens on the line and 1/2 in the plane", settings, 0 },
    { 0 },
};

/* ---- the conclusion ---- */

static void near_number(struct trop_judge *judge, const struct trop_case *c, const char *line,
                        const char *name, int64_t at, double expected, double allowance)
{
    const double *x = trop_case_array(c, name);

    trop_judge_near(judge, line, -1, x ? x[at] : (double)NAN, expected, allowance);
}

/* Token i of the plane. */
static void near_point(struct trop_judge *judge, const struct trop_case *c, const char *line,
                       const char *name, int64_t i, double x, double y, double allowance)
{
    near_number(judge, c, line, name, 2 * i, x, allowance);
    near_number(judge, c, line, name, 2 * i + 1, y, allowance);
}

static void judge_line(struct trop_judge *judge, const struct trop_case *c)
{
    double third = .05;

    near_number(judge, c, "G1: second token after one step", "g1", 3, .625, 1e-15);
    near_number(judge, c, "G1: second token after two steps", "g1", 5, .71875, 1e-15);
    near_number(judge, c, "G1: first token after three steps", "g1", 6, .9296875, 1e-15);
    near_number(judge, c, "G1: second token after three steps", "g1", 7, .7890625, 1e-15);
    for (int64_t i = 0; i < 2; i++) {
        near_number(judge, c, "G1: limit", "g1_end", i, .859375, ROUNDING);
        near_number(judge, c, "G1: limit of hardmax", "g1_hard_end", i, 1, ROUNDING);
    }
    for (int64_t t = 0; t <= 20; t++, third *= 2. / 3) {
        near_number(judge, c, "G2: third token against .05 (2/3)^t", "g2", 3 * t + 2, third,
                    ROUNDING);
    }
    near_number(judge, c, "G2: limit of the first token", "g2_end", 0, 1, 0);
    near_number(judge, c, "G2: limit of the second token", "g2_end", 1, -1, 0);
    near_number(judge, c, "G2: limit of the third token", "g2_end", 2, 0, ROUNDING);
    near_number(judge, c, "G2: limit of the third token, hardmax", "g2_hard_end", 2, 1, ROUNDING);
    near_number(judge, c, "G5: limit, ratio .5", "g5_a_end", 0, .95, PRINTED);
    near_number(judge, c, "G5: limit, ratio .45", "g5_b_end", 0, .95019531, PRINTED);
    near_number(judge, c, "G5: limit, ratio .3", "g5_c_end", 0, .9625, PRINTED);
}

/* Whether token i scores itself highest, and no one else as high, at step t of G3. */
static int is_leader(const struct trop_case *c, int64_t t, int64_t i)
{
    const double *x = trop_case_array(c, "g3_hard") + t * 16;
    int leads = 1;

    for (int64_t j = 0; j < 8; j++) {
        leads = leads && (j == i || trop_lm_form(NULL, x + 2 * i, x + 2 * i, 2) >
                                        trop_lm_form(NULL, x + 2 * i, x + 2 * j, 2));
    }
    return leads;
}

static void judge_emerging(struct trop_judge *judge, const struct trop_case *c)
{
    static const int64_t first[] = { 0, 3, 6, 7 }, second[] = { 1, 2, 4, 5 };

    for (int64_t i = 0; i < 8; i++) {
        trop_judge_truth(judge, "G3: tokens 0 and 2 lead at step 0", 0,
                         is_leader(c, 0, i) == (i == 0 || i == 2));
        trop_judge_truth(judge, "G3: tokens 0, 1 and 2 lead at step 1", 1,
                         is_leader(c, 1, i) == (i <= 2));
    }
    near_point(judge, c, "G3: token 1, hardmax", "g3_hard_end", 1, -.05555556, .13888889, PRINTED);
    for (int64_t k = 0; k < 4; k++) {
        near_point(judge, c, "G3: first group, eps = .1", "g3_end", first[k], .93043337, .28901082,
                   PRINTED);
        near_point(judge, c, "G3: second group, eps = .1", "g3_end", second[k], -.93443797,
                   -.97247332, PRINTED);
        near_point(judge, c, "G3: tokens 0, 3, 6, 7, hardmax", "g3_hard_end", first[k], 1, 1. / 3,
                   ROUNDING);
    }
    near_point(judge, c, "G3: token 4, hardmax", "g3_hard_end", 4, -1, -1, ROUNDING);
    near_point(judge, c, "G3: token 5, hardmax", "g3_hard_end", 5, -1, -1, ROUNDING);
}

static void judge_square(struct trop_judge *judge, const struct trop_case *c)
{
    near_point(judge, c, "G4: left token, hardmax", "g4_hard_end", 4, -1, 0, ROUNDING);
    near_point(judge, c, "G4: right token, hardmax", "g4_hard_end", 5, 1, 0, ROUNDING);
    near_point(judge, c, "G4: left token, eps = .5", "g4_a_end", 4, -1, 0, ROUNDING);
    near_point(judge, c, "G4: right token, eps = .5", "g4_a_end", 5, 1, 0, ROUNDING);
    for (int64_t i = 0; i < 6; i++) {
        const double x = i < 4 ? square[2 * i] : 0, y = i < 4 ? square[2 * i + 1] : 0;
        near_point(judge, c, "G4: corners fixed, others at 0, eps = 1", "g4_b_end", i, x, y,
                   ROUNDING);
        near_point(judge, c, "G4: everything at 0, eps = 1.5", "g4_c_end", i, 0, 0, ROUNDING);
        near_point(judge, c, "G4: everything at 0, eps = 2", "g4_d_end", i, 0, 0, ROUNDING);
        near_point(judge, c, "G4: everything at 0, eps = 2.1", "g4_e_end", i, 0, 0, ROUNDING);
    }
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    judge_line(judge, c);
    judge_emerging(judge, c);
    judge_square(judge, c);
    return TROP_OK;
}

/* ---- ways to be wrong ---- */

/* The path is run with alpha off by 1e-6, while the case says 1. */
static enum trop_status other_alpha(struct trop_case *c)
{
    enum trop_status status = trop_case_put(c, "alpha_line", 1 + 1e-6);

    if (status == TROP_OK) {
        status = work(c);
    }
    return status == TROP_OK ? trop_case_put(c, "alpha_line", 1) : status;
}

static enum trop_status other_plane(struct trop_case *c)
{
    enum trop_status status = trop_case_put(c, "alpha_plane", .5 + 1e-6);

    if (status == TROP_OK) {
        status = work(c);
    }
    return status == TROP_OK ? trop_case_put(c, "alpha_plane", .5) : status;
}

static enum trop_status other_settings(struct trop_case *c)
{
    return trop_case_put(c, "alpha_plane", 1);
}

static const struct trop_spoil spoils[] = {
    { "runs on the line with alpha = 1 + 1e-6", NULL, other_alpha },
    { "runs in the plane with alpha = .5 + 1e-6", NULL, other_plane },
    { "alpha = 1 in the plane", "settings", other_settings },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "alpha_line", "", "of G1, G2 and G5" },
    { "alpha_plane", "", "of G3 and G4" },
    { 0 },
};

const struct trop_claim trop_lm_rem_golden = {
    .id = "lm-rem-golden",
    .title = "golden runs",
    .statement = "Five small runs of localmax and hardmax have the limits, first steps and leaders "
                 "that are known for them.",
    .status = TROP_CLAIM_MEASURED,
    .remark = "Numbers by hand where they are short (G1, G2, G4), else as published with 8 digits. "
              "Every draw is the same.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 1,
};
