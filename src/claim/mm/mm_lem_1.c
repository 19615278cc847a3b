/* mm_lem_1.c -- a prompt and a weight matrix train in lockstep (max-margin paper, lemma 1).
 *
 *   logits X p  with step eta     and     logits X W u  with step eta / |u|^2,   W(0) = p(0)
 * u'/|u|^2
 *
 * have W(t) = p(t) u'/|u|^2 at every step, since the gradient of W is that of p times u'.
 *
 * Two runs of the library round differently: each step moves p by a few u |p|, and a step of size
 * eta stretches what was there by 1 + eta L at most, L the Lipschitz constant of the gradient.
 * After t steps: 64 u t (1 + eta L)^t times the largest |p|, which is the allowance.
 */
#include "claim/mm/mm.h"

#include "claim/tokens.h"

#include <float.h>
#include <math.h>

#define STEPS 40

static enum trop_status draw(struct trop_case *c)
{
    struct trop_mm m;
    double *u = NULL, *p = NULL;
    enum trop_status status = trop_examples_sphere(c, 2 + trop_case_pick(c, 16, 0, 3), 3,
                                                   2 + trop_case_pick(c, 16, 1, 3), 0);

    trop_mm_open(&m, c);
    if (status == TROP_OK && !trop_case_has(c, "u")) {
        status = trop_case_make(&u, c, "u", m.d, 0, 0);
        for (int64_t k = 0; status == TROP_OK && k < m.d; k++) {
            u[k] = 1.5 * trop_case_normal(c, 17, k);
        }
    }
    if (status == TROP_OK && !trop_case_has(c, "p0")) {
        status = trop_case_make(&p, c, "p0", m.d, 0, 0);
        for (int64_t k = 0; status == TROP_OK && k < m.d; k++) {
            p[k] = trop_case_normal(c, 18, k);
        }
    }
    if (status == TROP_OK) {
        status = trop_case_default(c, "eta", .2 / trop_mm_smoothness(&m, .25, 1));
    }
    return status == TROP_OK ? trop_tokens_count(c, "steps", STEPS, 1, 1e9) : status;
}

/* The matrix model: every input has the query u, which leaves the case again. */
static enum trop_status train_matrix(struct trop_case *c, double eta)
{
    struct trop_train_options o;
    struct trop_mm m;
    const double *u = trop_case_array(c, "u"), *p = trop_case_array(c, "p0");
    double *z = NULL, *start = NULL;

    trop_mm_open(&m, c);
    enum trop_status status = trop_case_make(&z, c, "z", m.n, m.d, 0);
    status = status == TROP_OK ? trop_case_make(&start, c, "W0", m.d, m.d, 0) : status;
    status =
        status == TROP_OK ? trop_mm_options(&o, "gd", eta, trop_case_integer(c, "steps")) : status;
    for (int64_t k = 0; status == TROP_OK && k < m.n * m.d; k++) {
        z[k] = u[k % m.d];
    }
    for (int64_t k = 0; status == TROP_OK && k < m.d * m.d; k++) {
        start[k] = p[k / m.d] * u[k % m.d] / trop_tokens_dot(u, u, m.d);
    }
    if (status == TROP_OK) {
        o.model = TROP_TRAIN_CROSS;
        o.start = TROP_TRAIN_GIVEN;
        o.start_weights = start;
        o.records = 1000;
        status = trop_mm_train(c, &o, "W");
    }
    trop_case_drop(c, "z");
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    const double *u = trop_case_array(c, "u");
    const double eta = trop_case_number(c, "eta");
    struct trop_train_options o;
    enum trop_status status = trop_mm_options(&o, "gd", eta, trop_case_integer(c, "steps"));

    if (status == TROP_OK) {
        o.start = TROP_TRAIN_GIVEN;
        o.start_weights = trop_case_array(c, "p0");
        o.records = 1000;
        status = trop_mm_train(c, &o, "p");
    }
    const double squares = trop_tokens_dot(u, u, trop_case_size(c, "u", 0));
    return status == TROP_OK ? train_matrix(c, eta / squares) : status;
}

static enum trop_status query(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "u has a length", -1,
                     trop_tokens_norm(trop_case_array(c, "u"), trop_case_size(c, "u", 0)) > 0);
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "query", "the query u is not 0", query, 0 },
    { 0 },
};

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_mm m;
    const double *p = trop_case_array(c, "p"), *w = trop_case_array(c, "W");
    const double *u = trop_case_array(c, "u"), *step = trop_case_array(c, "p_step");
    const double size = trop_tokens_norm(u, trop_case_size(c, "u", 0));
    double largest = 0, growth = 1;

    trop_mm_open(&m, c);
    const double stretch = 1 + trop_case_number(c, "eta") * trop_mm_smoothness(&m, .25, 1);
    for (int64_t row = 0; row < trop_case_size(c, "p", 0); row++) {
        double most = 0;
        largest = fmax(largest, trop_tokens_norm(p + row * m.d, m.d));
        growth = row > 0 ? growth * stretch : 1;
        for (int64_t k = 0; k < m.d * m.d; k++) {
            const double expected = p[row * m.d + k / m.d] * u[k % m.d] / (size * size);
            most = fmax(most, fabs(w[row * m.d * m.d + k] - expected));
        }
        trop_judge_at_most(judge, "largest entry of W - p u'/|u|^2", (int64_t)step[row], most, 0,
                           64 * DBL_EPSILON * (step[row] + 1) * growth * largest / size);
    }
    return TROP_OK;
}

static enum trop_status move_entry(struct trop_case *c)
{
    const int64_t rows = trop_case_size(c, "W", 0), size = trop_case_size(c, "W", 1);

    trop_case_array(c, "W")[rows * size - 1] += 1e-6;
    return TROP_OK;
}

static enum trop_status whole_step(struct trop_case *c)
{
    const double *u = trop_case_array(c, "u");
    const double squares = trop_tokens_dot(u, u, trop_case_size(c, "u", 0));

    /* 1.001 times the right step, so that nothing else changes. */
    return train_matrix(c, 1.001 * trop_case_number(c, "eta") / squares);
}

static enum trop_status no_query(struct trop_case *c)
{
    for (int64_t k = 0; k < trop_case_size(c, "u", 0); k++) {
        trop_case_array(c, "u")[k] = 0;
    }
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "an entry of W at the last step moved by 1e-6", NULL, move_entry },
    { "W is trained with a step that is larger by 0.1%", NULL, whole_step },
    { "u = 0", "query", no_query },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "X", "(n, T, d)", "tokens" },
    { "y", "(n)", "labels, -1 or 1" },
    { "v", "(d)", "decoder" },
    { "u", "(d)", "the query that W is applied to" },
    { "p0", "(d)", "start" },
    { "eta", "", "step size of p" },
    { "steps", "", "of gradient descent" },
    { 0 },
};

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
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 100,
};
