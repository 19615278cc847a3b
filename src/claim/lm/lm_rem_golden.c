/* lm_rem_golden.c -- five runs of localmax with A = I whose numbers are known.
 *
 *   G1  (1, .5), eps = .3: by hand, x(3) = (.9296875, .7890625), and both tend to .859375
 *   G2  (1, -1, .05), eps = .2: the third is .05 (2/3)^t, so the limit 0 is no vertex (hardmax: 1)
 *   G3  eight tokens of the plane with an emerging leader (hardmax paper, figure 2): token 1 leads
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

#include <math.h>

#define STEPS 600
#define ROUNDING 1e-11
#define PRINTED 5.1e-9

static const double plane[] = { 1,   1. / 3, -1. / 12, 1. / 12, -1, -1, 0,  .25,
                                -.3, -.7,    -.6,      -.9,     .8, .1, .6, .15 };
static const double square[] = { 1, 1, 1, -1, -1, -1, -1, 1, -.5, 0, .5, 0 };
static const double line_1[] = { 1, .5 }, line_2[] = { 1, -1, .05 }, line_5[] = { 1, .9 };

/* The runs; the path of each is "name" (STEPS + 1, n, d). */
static const struct run {
    const char *name;
    const double *x;
    int64_t n, d;
    const char *options;
} runs[] = {
    { "g1", line_1, 2, 1, "rule=localmax epsilon=.3" },
    { "g1_hard", line_1, 2, 1, "rule=hardmax" },
    { "g2", line_2, 3, 1, "rule=localmax epsilon=.2" },
    { "g2_hard", line_2, 3, 1, "rule=hardmax" },
    { "g3_hard", plane, 8, 2, "rule=hardmax" },
    { "g3", plane, 8, 2, "rule=localmax epsilon=.1" },
    { "g4_hard", square, 6, 2, "rule=hardmax" },
    { "g4_a", square, 6, 2, "rule=localmax epsilon=.5" },
    { "g4_b", square, 6, 2, "rule=localmax epsilon=1" },
    { "g4_c", square, 6, 2, "rule=localmax epsilon=1.5" },
    { "g4_d", square, 6, 2, "rule=localmax epsilon=2" },
    { "g4_e", square, 6, 2, "rule=localmax epsilon=2.1" },
    { "g5_a", line_5, 2, 1, "rule=localmax epsilon=geometric:.2,.5" },
    { "g5_b", line_5, 2, 1, "rule=localmax epsilon=geometric:.2,.45" },
    { "g5_c", line_5, 2, 1, "rule=localmax epsilon=geometric:.2,.3" },
};

/* What is known of them: where tokens are after a step, -1 for the last one. */
static const struct place {
    const char *line, *run;
    int64_t step;
    const char *tokens; /* a digit each */
    double x[2], allowance;
} places_1[] = {
    { "G1: second token after one step", "g1", 1, "1", { .625 }, 1e-15 },
    { "G1: second token after two steps", "g1", 2, "1", { .71875 }, 1e-15 },
    { "G1: first token after three steps", "g1", 3, "0", { .9296875 }, 1e-15 },
    { "G1: second token after three steps", "g1", 3, "1", { .7890625 }, 1e-15 },
    { "G1: limit", "g1", -1, "01", { .859375 }, ROUNDING },
    { "G1: limit of hardmax", "g1_hard", -1, "01", { 1 }, ROUNDING },
    { 0 },
}, places_2[] = {
    { "G2: limit of the first token", "g2", -1, "0", { 1 }, 0 },
    { "G2: limit of the second token", "g2", -1, "1", { -1 }, 0 },
    { "G2: limit of the third token", "g2", -1, "2", { 0 }, ROUNDING },
    { "G2: limit of the third token, hardmax", "g2_hard", -1, "2", { 1 }, ROUNDING },
    { "G5: limit, ratio .5", "g5_a", -1, "0", { .95 }, PRINTED },
    { "G5: limit, ratio .45", "g5_b", -1, "0", { .95019531 }, PRINTED },
    { "G5: limit, ratio .3", "g5_c", -1, "0", { .9625 }, PRINTED },
    { 0 },
}, places_3[] = {
    { "G3: token 1, hardmax", "g3_hard", -1, "1", { -.05555556, .13888889 }, PRINTED },
    { "G3: first group, eps = .1", "g3", -1, "0367", { .93043337, .28901082 }, PRINTED },
    { "G3: second group, eps = .1", "g3", -1, "1245", { -.93443797, -.97247332 }, PRINTED },
    { "G3: tokens 0, 3, 6, 7, hardmax", "g3_hard", -1, "0367", { 1, 1. / 3 }, ROUNDING },
    { "G3: token 4, hardmax", "g3_hard", -1, "4", { -1, -1 }, ROUNDING },
    { "G3: token 5, hardmax", "g3_hard", -1, "5", { -1, -1 }, ROUNDING },
    { "G4: left token, hardmax", "g4_hard", -1, "4", { -1, 0 }, ROUNDING },
    { "G4: right token, hardmax", "g4_hard", -1, "5", { 1, 0 }, ROUNDING },
    { "G4: left token, eps = .5", "g4_a", -1, "4", { -1, 0 }, ROUNDING },
    { "G4: right token, eps = .5", "g4_a", -1, "5", { 1, 0 }, ROUNDING },
    { "G4: corners fixed, others at 0, eps = 1", "g4_b", -1, "0", { 1, 1 }, ROUNDING },
    { "G4: corners fixed, others at 0, eps = 1", "g4_b", -1, "1", { 1, -1 }, ROUNDING },
    { "G4: corners fixed, others at 0, eps = 1", "g4_b", -1, "2", { -1, -1 }, ROUNDING },
    { "G4: corners fixed, others at 0, eps = 1", "g4_b", -1, "3", { -1, 1 }, ROUNDING },
    { "G4: corners fixed, others at 0, eps = 1", "g4_b", -1, "45", { 0, 0 }, ROUNDING },
    { "G4: everything at 0, eps = 1.5", "g4_c", -1, "012345", { 0, 0 }, ROUNDING },
    { "G4: everything at 0, eps = 2", "g4_d", -1, "012345", { 0, 0 }, ROUNDING },
    { "G4: everything at 0, eps = 2.1", "g4_e", -1, "012345", { 0, 0 }, ROUNDING },
    { 0 },
};

static void draw(struct trop_case *c)
{
    trop_case_default(c, "alpha_line", 1);
    trop_case_default(c, "alpha_plane", .5);
}

static void work(struct trop_case *c)
{
    struct trop_case *aside = trop_case_aside(c);

    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
        const struct run *run = runs + k;
        trop_case_copy_in(aside, "tokens", run->x, run->n, run->d, 0);
        trop_case_path(aside, "path", STEPS, "%s alpha=%s", run->options,
                       run->d == 1 ? "@alpha_line" : "@alpha_plane");
        trop_case_copy_in(c, run->name, trop_case_array(aside, "path"), STEPS + 1, run->n, run->d);
    }
}

/* ---- the conclusion ---- */

static void compare(struct trop_judge *judge, const struct trop_case *c, const struct place *place)
{
    for (; place->line; place++) {
        const struct trop_view path = trop_case_view(c, place->run);
        for (const char *digit = place->tokens; *digit; digit++) {
            for (int64_t a = 0; a < path.depth; a++) {
                trop_judge_near(judge, place->line, -1,
                                trop_lm_token(path, place->step, *digit - '0')[a], place->x[a],
                                place->allowance);
            }
        }
    }
}

/* Whether token i scores itself highest, and no one else as high, at step t of G3. */
static int is_leader(const struct trop_case *c, int64_t t, int64_t i)
{
    const struct trop_view path = trop_case_view(c, "g3_hard");
    const double *x = trop_lm_token(path, t, i), own = trop_lm_form(NULL, x, x, 2);
    int leads = 1;

    for (int64_t j = 0; j < path.columns; j++) {
        leads = leads && (j == i || own > trop_lm_form(NULL, x, trop_lm_token(path, t, j), 2));
    }
    return leads;
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view g2 = trop_case_view(c, "g2");
    double third = .05;

    compare(judge, c, places_1);
    for (int64_t t = 0; t <= 20; t++, third *= 2. / 3) {
        trop_judge_near(judge, "G2: third token against .05 (2/3)^t", -1, *trop_lm_token(g2, t, 2),
                        third, ROUNDING);
    }
    compare(judge, c, places_2);
    for (int64_t i = 0; i < 8; i++) {
        trop_judge_truth(judge, "G3: tokens 0 and 2 lead at step 0", 0,
                         is_leader(c, 0, i) == (i == 0 || i == 2));
        trop_judge_truth(judge, "G3: tokens 0, 1 and 2 lead at step 1", 1,
                         is_leader(c, 1, i) == (i <= 2));
    }
    compare(judge, c, places_3);
}

const struct trop_claim trop_lm_rem_golden = {
    .id = "lm-rem-golden",
    .title = "golden runs",
    .statement = "Five small runs of localmax and hardmax have the limits, first steps and leaders "
                 "that are known for them.",
    .status = TROP_CLAIM_MEASURED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "Numbers by hand where they are short (G1, G2, G4), else as published with 8 digits. "
              "Every draw is the same.",
    .inputs = "alpha_line alpha_plane",
    .hypotheses =
        TROP_HYPOTHESES({ "settings", "alpha is 1 for tokens on the line and 1/2 in the plane",
                          .holds = "alpha is 1 on the line: alpha_line == 1; alpha is 1/2 in the "
                                   "plane: alpha_plane == .5",
                          .broken = "alpha = 1 in the plane", .edit = "alpha_plane = 1" }),
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS(
        { "runs on the line with alpha = 1 + 1e-6", NULL, .edit = "work with alpha_line += 1e-6" },
        { "runs in the plane with alpha = .5 + 1e-6", NULL,
          .edit = "work with alpha_plane += 1e-6" }),
    .trials = 1,
};
