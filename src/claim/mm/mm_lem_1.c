/* mm_lem_1.c -- a prompt and a weight matrix train in lockstep (max-margin paper, lemma 1).
 *
 *   logits X p  with step eta     and     logits X W u  with step eta / |u|^2,
 *   W(0) = p(0) u'/|u|^2
 *
 * have W(t) = p(t) u'/|u|^2 at every step, since the gradient of W is that of p times u'.
 *
 * Two runs of the library round differently: each step moves p by a few u |p|, and a step of size
 * eta stretches what was there by 1 + eta L at most, L the Lipschitz constant of the gradient.
 * After t steps: 64 u t (1 + eta L)^t times the largest |p|, which is the allowance.
 */
#include "claim/mm/mm.h"

#include <float.h>
#include <math.h>

#define STEPS 40
#define RUN "optimizer=gd records=1000 steps=@steps "

static void draw(struct trop_case *c)
{
    trop_examples_sphere(c, 2 + trop_case_pick(c, 16, 0, 3), 3, 2 + trop_case_pick(c, 16, 1, 3), 0);
    const struct trop_mm m = trop_mm_of(c);
    trop_mm_normals(c, "u", 17, 1.5, m.d, 0, 0);
    trop_mm_normals(c, "p0", 18, 1, m.d, 0, 0);
    trop_case_default(c, "eta", .2 / trop_mm_smoothness(&m, .25, 1));
    trop_tokens_count(c, "steps", STEPS, 1, 1e9);
}

/* In the matrix model every input has the query u, which leaves the case again. */
static void work(struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    const double *u = trop_case_array(c, "u"), *p = trop_case_array(c, "p0");
    const double squares = trop_tokens_dot(u, u, m.d);

    trop_case_records(c, trop_case_train(c, RUN "model=prompt eta=@eta start_weights=@p0"),
                      "weights=p step=p_step");
    double *z = trop_case_zeros(c, "z", m.n, m.d, 0), *w = trop_case_zeros(c, "W0", m.d, m.d, 0);
    for (int64_t k = 0; k < m.n * m.d; k++) {
        z[k] = u[k % m.d];
    }
    for (int64_t k = 0; k < m.d * m.d; k++) {
        w[k] = p[k / m.d] * u[k % m.d] / squares;
    }
    trop_case_records(c,
                      trop_case_train(c, RUN "model=cross eta=%.17g start_weights=@W0",
                                      trop_case_number(c, "eta") / squares),
                      "weights=W");
    trop_case_drop(c, "z");
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    const struct trop_view p = trop_case_view(c, "p"), w = trop_case_view(c, "W");
    const double *u = trop_case_array(c, "u"), *step = trop_case_array(c, "p_step");
    const double stretch = 1 + trop_case_number(c, "eta") * trop_mm_smoothness(&m, .25, 1);
    const double size = trop_tokens_norm(u, m.d);
    double largest = 0, growth = 1;

    for (int64_t row = 0; row < p.rows; row++) {
        const double *now = trop_case_view_row(p, row);
        double most = 0;
        largest = fmax(largest, trop_tokens_norm(now, m.d));
        growth = row > 0 ? growth * stretch : 1;
        for (int64_t k = 0; k < m.d * m.d; k++) {
            const double expected = now[k / m.d] * u[k % m.d] / (size * size);
            most = fmax(most, fabs(trop_case_view_row(w, row)[k] - expected));
        }
        trop_judge_at_most(judge, "largest entry of W - p u'/|u|^2", (int64_t)step[row], most, 0,
                           64 * DBL_EPSILON * (step[row] + 1) * growth * largest / size);
    }
}

const struct trop_claim trop_mm_lem_1 = {
    .id = "mm-lem-1",
    .title = "a prompt and a matrix train in lockstep",
    .statement =
        "Gradient descent on the prompt p with step eta, and on the matrix W with step "
        "eta/|u|^2 from W = p u'/|u|^2, where W u takes the place of p, keep W = p u'/|u|^2 "
        "at every step.",
    .status = TROP_CLAIM_PROVED,
    .remark = "The paper's W is the transpose of this one. Two runs are compared step by step; the "
              "allowance is their rounding, stretched as far as the Lipschitz constant of the "
              "gradient permits.",
    .inputs = "X y v u p0 eta steps",
    .hypotheses =
        TROP_HYPOTHESES({ "query", "the query u is not 0", .holds = "u has a length: norm(u) > 0",
                          .broken = "u = 0", .edit = "u = 0" }),
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS(
        { "an entry of W at the last step moved by 1e-6", NULL, .edit = "W[-1,-1] += 1e-6" },
        { "W is trained with a step that is larger by 0.1%", NULL,
          .edit = "work W with eta *= 1.001" }),
    .trials = 100,
};
