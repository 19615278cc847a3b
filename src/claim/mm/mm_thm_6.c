/* mm_thm_6.c -- the joint path where inputs do not support the label problem (max-margin paper,
 * theorem 6), and how r and R have to grow.
 *
 * The theorem: where the selected tokens get all attention, p tends to p_relax, in whose problem
 * inputs that do not support v_mm have to lead by 0 only. It does not say how r and R grow, and
 * that decides. With the label slack sigma_i of an input, let w be the shortest vector with leads
 * of at least
 *
 *   max(0, 1 - sigma_i |w| r/R)   over the other tokens of input i.
 *
 * Then p follows w, with the bound of mm_joint.c. With r/R -> 0, as r = sqrt(R), that is p_mm in
 * the end; where r sigma_i >= R/|p_relax| for all slacks, as when r goes to infinity first, or r =
 * R^2 or e^R, it is p_relax; with r = R it is neither, in general.
 */
#include "claim/mm/mm.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

static void draw_repaired(struct trop_case *c)
{
    trop_mm_joint_draw(c, 1);
}

/* Without r = e^R, whose R is too small for the reading of what is printed. */
static void draw_printed(struct trop_case *c)
{
    static const double exponents[] = { 2, 1, .5 };

    trop_case_default(c, "exponent", exponents[c->trial % 3]);
    trop_mm_joint_draw(c, 1);
}

/* ---- where p is said to go ---- */

/* The shortest vector whose leads are 1 - sigma_i size kappa or more, at least 0, as "w": inputs
 * have to lead by 1 with keys that much longer. Returns its norm. */
static double solve_short(struct trop_case *own, const struct trop_mm *m, double kappa, double size)
{
    double *key = trop_case_array(own, "K");
    char relaxed[256] = "relaxed=";
    int64_t used = 8;

    for (int64_t i = 0; i < m->n; i++) {
        const double asked =
            1 - kappa * size * (trop_mm_joint_length(m, i) - trop_mm_joint_least(m));
        for (int64_t k = i * m->T * m->dk; k < (i + 1) * m->T * m->dk; k++) {
            key[k] = m->key[k] / (asked > 1e-9 ? asked : 1);
        }
        if (asked <= 1e-9) {
            used += snprintf(relaxed + used, sizeof relaxed - (size_t)used, "%s%lld",
                             used > 8 ? "," : "", (long long)i);
        }
    }
    void *mark = trop_case_mark(own);
    trop_case_solve(own, "w", "upper", "model=prompt select=@alpha %s", used > 8 ? relaxed : "");
    trop_case_release(own, mark);
    return trop_case_number(own, "w_upper");
}

/* The norm that is asked for is that of the solution: it falls in the former, and lies between
 * those of p_relax and p_mm. */
static void predict(double *w, const struct trop_case *c, double kappa)
{
    struct trop_case *own = trop_case_aside(c);
    const struct trop_mm m = trop_mm_of(c);

    if (m.n > 60) {
        trop_case_refuse(c, "more than 60 inputs");
    }
    double low = trop_case_number(c, "p_relax_upper"), high = trop_case_number(c, "p_mm_upper");

    trop_case_copy_in(own, "K", m.key, m.n, m.T, m.dk);
    for (int step = 0; step < 40; step++) {
        const double middle = (low + high) / 2;
        const int is_low = solve_short(own, &m, kappa, middle) > middle;
        low = is_low ? middle : low;
        high = is_low ? high : middle;
    }
    solve_short(own, &m, kappa, high);
    for (int64_t k = 0; k < m.dk; k++) {
        w[k] = trop_case_array(own, "w")[k];
    }
}

static void work(struct trop_case *c)
{
    trop_mm_solve(c);
    if (trop_case_number(c, "p_mm_outcome") != TROP_OUTCOME_SOLVED) {
        return;
    }
    trop_case_solve(c, "p_relax", "upper", "model=prompt select=@alpha relaxed=auto");
    trop_mm_joint_radii(c);
    const struct trop_view R = trop_case_view(c, "radius"), r = trop_case_view(c, "decoder_radius");
    const int64_t dk = trop_case_size(c, "p_mm", 0);
    double *w = trop_case_zeros(c, "w", R.rows, dk, 0);
    for (int64_t row = 0; row < R.rows; row++) {
        predict(w + row * dk, c, r.at[row] / R.at[row]);
    }
    trop_mm_joint_run(c);
}

/* ---- hypotheses of what is printed ---- */

/* Without a solution there are neither p_relax nor a path, and another hypothesis says so. */
static int is_open(struct trop_judge *judge, const struct trop_case *c)
{
    const int is_there = trop_case_has(c, "path");

    if (!is_there) {
        trop_judge_truth(judge, "p_mm and p_relax are there", -1, -1);
    }
    return !is_there;
}

static void matters(struct trop_judge *judge, const struct trop_case *c)
{
    if (is_open(judge, c)) {
        return;
    }
    const struct trop_mm m = trop_mm_of(c);

    trop_judge_at_least(judge, "1 - cos between p_relax and p_mm", -1,
                        trop_mm_turn(trop_case_array(c, "p_relax"), m.p_mm, m.dk), .002, 0);
}

static void selected(struct trop_judge *judge, const struct trop_case *c)
{
    if (is_open(judge, c)) {
        return;
    }
    const struct trop_mm m = trop_mm_of(c);
    const double *p = trop_case_view_row(trop_case_view(c, "path"), -1);

    for (int64_t i = 0; i < m.n; i++) {
        trop_judge_at_most(judge, "attention that is not selected at the last R", i,
                           trop_mm_rest(&m, i, (int64_t)m.alpha[i], p), 1e-2, 0);
    }
}

/* ---- the conclusion of what is printed ---- */

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_joint_of(c);
    const struct trop_view path = trop_case_view(c, "path");
    const double *relaxed = trop_case_array(c, "p_relax"), *last = trop_case_view_row(path, -1);
    const double end = trop_mm_turn(last, relaxed, m.dk);

    trop_judge_at_most(judge, "1 - cos to p_relax at the last R, against the first", -1, end,
                       trop_mm_turn(path.at, relaxed, m.dk) / 16, 64 * DBL_EPSILON);
    trop_judge_at_most(judge, "1 - cos to p_relax, against that of p_mm", -1, end,
                       trop_mm_turn(m.p_mm, relaxed, m.dk) / 20, 64 * DBL_EPSILON);
    trop_judge_at_most(judge, "1 - cos of v to v_mm", -1, trop_mm_turn(last + m.dk, m.v, m.d), 1e-6,
                       0);
}

/* Input 0 supports, (1, 0) against (0, .3); input 1 is (1.5, 0) against (0, .3). p_mm = (1, .7),
 * p_relax = (1, 0). */
#define EXHIBIT \
    "X = zeros(2, 2, 2); X[0,0,0] = 1; X[1,0,0] = 1.5; X[*,1,1] = .3; y = {1 1}; v = {1 0}; " \
    "K = zeros(2, 2, 2); K[*,0,0] = 1; K[1,0,0] = .3; K[1,0,1] = 1; ratio = 1; "

static const char *const exhibited[] = { EXHIBIT "exponent = 1", EXHIBIT "exponent = .5" };

const struct trop_claim trop_mm_thm_6 = {
    .id = "mm-thm-6",
    .title = "inputs that do not support the label problem relax",
    .statement =
        "Where the selected tokens get all attention, minimisers over |v| <= r, |p| <= R tend in "
        "direction to v_mm and p_relax as r and R grow; in the problem of p_relax inputs that do "
        "not support the label problem need a lead of 0 instead of 1.",
    .status = TROP_CLAIM_FALSE,
    .remark =
        "It does not say how r and R grow. It holds where r goes to infinity first, and where r "
        "sigma >= R/|p_relax| for every label slack sigma, as r = R^2. With (1, 0) against (0, .3) "
        "and (1.5, 0) against (0, .3), of which the second has slack 1/2, r = R ends at neither "
        "p_relax nor p_mm, and r = sqrt(R) goes to p_mm. Read for R/|p_mm| from 10 to 160: 1 - cos "
        "to p_relax falls by a factor of 16 at least and ends below a twentieth of that between "
        "p_relax and p_mm.",
    .repaired = "mm-thm-6-repaired",
    .inputs = "X y K exponent ratio",
    .hypotheses = TROP_HYPOTHESES(
        TROP_MM_ALIGNED, TROP_MM_SEPARABLE("the selection has a max-margin solution"),
        { "matters", "p_relax and p_mm differ", .judge = matters, .late = 1,
          .broken = "p_relax is p_mm", .edit = "p_relax = p_mm" },
        { "selected", "the selected tokens have the attention at the last R", .judge = selected,
          .late = 1, .broken = "p is a hundredth as long", .edit = "path[-1] *= .01" }),
    .run = { draw_printed, work, conclude },
    .exhibited = exhibited,
    .exhibits = 2,
    /* As if every input supported the label problem. */
    .spoils = TROP_SPOILS({ "the path ends along p_mm", NULL }),
    .trials = 10,
};

const struct trop_claim trop_mm_thm_6_repaired = {
    .id = "mm-thm-6-repaired",
    .title = "how far inputs relax depends on r and R",
    .statement =
        "Where selected tokens are multiples of y v and others are shorter, p follows the shortest "
        "w in whose problem an input with label slack sigma needs a lead of 1 - sigma |w| r/R, at "
        "least 0: p_relax where r sigma >= R/|p_relax| for every slack, p_mm in the limit where "
        "r/R tends to 0; and v tends to v_mm.",
    .status = TROP_CLAIM_PROVED,
    .remark =
        "Drawn with r = ratio R^q, q = 2, 1, 1/2 and r = ratio e^(R/|p_mm|) in turn. Read with a "
        "bound of ours on the attention that is not selected, and what follows: 1 - cos(p, w) <= B "
        "|p_mm|/R, B of order log r. Points that are not stationary are no instances.",
    .inputs = "X y K exponent ratio",
    .hypotheses = TROP_HYPOTHESES(TROP_MM_ALIGNED,
                                  TROP_MM_SEPARABLE("the selection has a max-margin solution"),
                                  TROP_MM_MINIMISER),
    .run = { draw_repaired, work, trop_mm_joint_conclude },
    .spoils = TROP_SPOILS(
        { "the path ends along p_mm", NULL }, { "p of the last radius is shorter by 5%", NULL },
        { "v of the last radius is turned", NULL, .edit = "path[-1,-1] += 1; path[-1,-2] -= 1" }),
    .trials = 30,
};
