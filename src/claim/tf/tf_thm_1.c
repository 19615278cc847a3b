/* tf_thm_1.c -- enough dimensions separate every selection (theorem 1).
 *
 * With d >= max(T - 1, n), the T - 1 differences x_alpha - x_t of an input and the n queries are
 * linearly independent for almost all data: some u_i has <x_alpha - x_t, u_i> = 1 for all t, and
 * some W has W z_i = u_i. So every one of the T^n selections has a solution.
 *
 * Conclusion: for every selection the case holds a W, and its leads, evaluated from the data, are
 * at least 1 up to the rounding of these sums.
 */
#include "claim/tf/tf.h"

#include "base/alloc.h"
#include "claim/examples.h"

#include <math.h>
#include <string.h>

/* Vectors are in general position when each has this share outside the span of those before it. */
#define LEAST 1e-4

static enum trop_status draw(struct trop_case *c)
{
    const int64_t n = 2 + trop_case_pick(c, 41, 0, 2), T = 2 + trop_case_pick(c, 41, 1, 2);
    enum trop_status status =
        trop_tf_draw(c, n, T, (n > T - 1 ? n : T - 1) + trop_case_pick(c, 41, 2, 2));

    /* Half of the draws are self-attention: the query is the first token. */
    if (status == TROP_OK && c->trial % 2 == 1) {
        const struct trop_data data = { .T = trop_case_size(c, "X", 1),
                                        .d = trop_case_size(c, "X", 2) };
        for (int64_t k = 0; k < trop_case_size(c, "z", 0) * data.d; k++) {
            trop_case_array(c, "z")[k] =
                trop_case_array(c, "X")[k / data.d * data.T * data.d + k % data.d];
        }
    }
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    struct trop_data data;
    double *all = NULL;
    int64_t alpha[64];

    trop_examples_data(&data, c);
    const int64_t count = trop_tf_count(data.n, data.T), size = data.d * data.d;
    enum trop_status status = trop_case_make(&all, c, "W", count, data.d, data.d);
    for (int64_t k = 0; status == TROP_OK && k < count; k++) {
        trop_tf_digits(alpha, k, data.n, data.T);
        status = trop_tf_solve(c, alpha, TROP_MARGIN_L2, "W_mm");
        if (status == TROP_OK) {
            memcpy(trop_case_array(c, "W") + k * size, trop_case_array(c, "W_mm"),
                   (size_t)size * sizeof *all);
        }
    }
    return status;
}

/* ---- hypotheses ---- */

static enum trop_status dimension(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_data data;

    trop_examples_data(&data, c);
    trop_judge_at_least(judge, "d against T - 1", -1, (double)data.d, (double)data.T - 1, 0);
    trop_judge_at_least(judge, "d against n", -1, (double)data.d, (double)data.n, 0);
    return TROP_OK;
}

static double independence(double *vectors, const double *from, int64_t count, int64_t d)
{
    count = count < d ? count : d;
    memcpy(vectors, from, (size_t)(count * d) * sizeof *vectors);
    return trop_tf_basis(vectors, count, d);
}

static enum trop_status position(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_data data;

    trop_examples_data(&data, c);
    const int64_t d = data.d, T = data.T, most = T > data.n ? T : data.n;
    double *room = trop_alloc(2 * most * d, sizeof *room);
    if (!room) {
        return TROP_ERR_MEMORY;
    }
    trop_judge_at_least(judge, "independence of the queries", -1,
                        independence(room, data.z, data.n, d), LEAST, 0);
    for (int64_t i = 0; i < data.n; i++) {
        for (int64_t k = 0; k < (T - 1) * d; k++) {
            room[most * d + k] = data.x[(i * T + 1) * d + k] - data.x[i * T * d + k % d];
        }
        trop_judge_at_least(judge, "independence of the differences of an input", i,
                            independence(room, room + most * d, T - 1, d), LEAST, 0);
    }
    trop_alloc_free(room);
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "dimension", "d >= max(T - 1, n)", dimension, 0 },
    { "general-position", "queries, and differences of tokens of an input, are independent",
      position, 0 },
    { 0 },
};

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_data data;
    int64_t alpha[64];

    trop_examples_data(&data, c);
    for (int64_t k = 0; k < trop_case_size(c, "W", 0); k++) {
        const double *w = trop_case_array(c, "W") + k * data.d * data.d;
        trop_tf_digits(alpha, k, data.n, data.T);
        trop_judge_at_least(judge, "least lead of the selected tokens", k,
                            trop_tf_margin(&data, w, alpha), 1, trop_tf_rounding(&data, w));
    }
    return TROP_OK;
}

/* ---- ways to be wrong ---- */

static enum trop_status shrink(struct trop_case *c)
{
    for (int64_t k = 0; k < trop_case_size(c, "W", 1) * trop_case_size(c, "W", 2); k++) {
        trop_case_array(c, "W")[k] *= 1 - 1e-6;
    }
    return TROP_OK;
}

static enum trop_status exchange(struct trop_case *c)
{
    const int64_t size = trop_case_size(c, "W", 1) * trop_case_size(c, "W", 2);
    double *w = trop_case_array(c, "W");

    memcpy(w, w + size, (size_t)size * sizeof *w);
    return TROP_OK;
}

/* Keeps the first d coordinates. */
static enum trop_status crop(struct trop_case *c, const char *name, int64_t d)
{
    const int64_t rank = trop_case_size(c, name, 2) > 0 ? 3 : 2, a = trop_case_size(c, name, 0);
    const int64_t b = rank == 3 ? trop_case_size(c, name, 1) : 1;
    const int64_t before = trop_case_size(c, name, rank - 1);
    double *out = NULL;
    double *copy = trop_alloc(a * b * before, sizeof *copy);

    if (!copy) {
        return TROP_ERR_MEMORY;
    }
    memcpy(copy, trop_case_array(c, name), (size_t)(a * b * before) * sizeof *copy);
    enum trop_status status =
        trop_case_make(&out, c, name, a, rank == 3 ? b : d, rank == 3 ? d : 0);
    for (int64_t k = 0; status == TROP_OK && k < a * b * d; k++) {
        out[k] = copy[k / d * before + k % d];
    }
    trop_alloc_free(copy);
    return status;
}

static enum trop_status too_flat(struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "X", 0), T = trop_case_size(c, "X", 1);
    const int64_t d = (n > T - 1 ? n : T - 1) - 1;
    double *v = NULL;
    enum trop_status status = crop(c, "X", d);

    if (status == TROP_OK) {
        status = crop(c, "z", d);
    }
    if (status == TROP_OK) {
        status = trop_case_make(&v, c, "v", d, 0, 0);
    }
    return status;
}

static enum trop_status equal_queries(struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "z", 1);
    double *z = trop_case_array(c, "z");

    memcpy(z + d, z, (size_t)d * sizeof *z);
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "the first solution is shorter by 1e-6", NULL, shrink },
    { "the first selection has the solution of the second", NULL, exchange },
    { "one coordinate too few is kept", "dimension", too_flat },
    { "two queries are equal", "general-position", equal_queries },
    { 0 },
};

const struct trop_claim trop_tf_thm_1 = {
    .id = "tf-thm-1",
    .title = "enough dimensions separate every selection",
    .statement =
        "If d >= max(T - 1, n), then for almost all tokens and queries, the query being a "
        "token of the input or not, the max-margin problem is feasible for every choice of "
        "one token per input.",
    .status = TROP_CLAIM_PROVED,
    .remark =
        "Every one of the T^n selections is solved, and its solution evaluated from the data. "
        "Almost all is read as general position by a margin of 1e-4.",
    .old_inputs = trop_tf_inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 50,
};
