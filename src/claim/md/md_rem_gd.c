/* md_rem_gd.c -- with p = 2 mirror descent is gradient descent (mirror-descent paper, lp-AttGD).
 *
 * The mirror map of p = 2 is the identity, so U = W and both methods compute W - eta G in the same
 * order: the weights of the two runs are equal bit for bit, at every record. The normalised methods
 * compute |G|_2 in two ways, as a q-norm and as a Euclidean one, which differ by (N + 8) u of it at
 * most, and so does the first step; later steps are taken at weights that differ, and are not
 * compared.
 */
#include "claim/md/md.h"

#include <float.h>
#include <math.h>

#define STEPS 200
#define ETA .3

static enum trop_status draw(struct trop_case *c)
{
    enum trop_status status = trop_case_default(c, "p", 2);

    return status == TROP_OK ? trop_md_draw(c, 3, 4, 4) : status;
}

static enum trop_status train(struct trop_case *c, const char *optimizer)
{
    struct trop_train_options o = trop_md_options(trop_case_number(c, "p"), optimizer, ETA, STEPS);

    o.start = TROP_TRAIN_NORMAL;
    o.seed = (uint64_t)c->trial + 1;
    return trop_md_train(c, &o, optimizer);
}

static enum trop_status work(struct trop_case *c)
{
    static const char *const optimizers[] = { "mirror", "gd", "nmirror", "ngd" };
    enum trop_status status = TROP_OK;

    for (int64_t k = 0; k < 4 && status == TROP_OK; k++) {
        status = train(c, optimizers[k]);
    }
    return status;
}

static enum trop_status is_two(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "p is 2", -1, trop_case_number(c, "p") == 2);
    return TROP_OK;
}

static enum trop_status is_moving(struct trop_judge *judge, const struct trop_case *c)
{
    const double *w = trop_case_array(c, "mirror_weights");
    const int64_t rows = trop_case_size(c, "mirror_weights", 0);
    const int64_t n = trop_case_size(c, "mirror_weights", 1);

    trop_judge_truth(judge, "the weights of the last record differ from those of the first", -1,
                     w[0] != w[(rows - 1) * n]);
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "p-is-2", "p = 2", is_two, 0 },
    { "moving", "the run moves the weights", is_moving, 1 },
    { 0 },
};

/* Bit for bit, at every record. */
static void conclude_plain(struct trop_judge *judge, const struct trop_case *c)
{
    const double *u = trop_case_array(c, "mirror_weights"), *v = trop_case_array(c, "gd_weights");
    const double *steps = trop_case_array(c, "mirror_step");
    const int64_t rows = trop_case_size(c, "gd_weights", 0);
    const int64_t n = trop_case_size(c, "gd_weights", 1);

    for (int64_t row = 0; row < rows; row++) {
        double different = 0;
        for (int64_t k = 0; k < n; k++) {
            different += !(u[row * n + k] == v[row * n + k]);
        }
        trop_judge_at_most(judge, "entries that differ from gradient descent", (int64_t)steps[row],
                           different, 0, 0);
    }
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "ngd_weights", 1), row = trop_md_row(c, "ngd", 1);
    const double *u = trop_case_array(c, "nmirror_weights") + row * n;
    const double *v = trop_case_array(c, "ngd_weights") + row * n;

    conclude_plain(judge, c);
    for (int64_t k = 0; row >= 0 && k < n; k++) {
        trop_judge_near(judge, "a weight after a normalised step", 1, u[k], v[k],
                        DBL_EPSILON * ((double)(n + 8) * ETA + fabs(v[k])));
    }
    return TROP_OK;
}

static enum trop_status one_bit(struct trop_case *c)
{
    const int64_t rows = trop_case_size(c, "gd_weights", 0);
    const int64_t n = trop_case_size(c, "gd_weights", 1);

    trop_case_array(c, "gd_weights")[rows * n - 1] *= 1 + 0x1p-52;
    return TROP_OK;
}

/* The same run with another step size, normalised. */
static enum trop_status other_steps(struct trop_case *c)
{
    struct trop_train_options o = trop_md_options(2, "ngd", ETA * (1 + 1e-7), STEPS);

    o.start = TROP_TRAIN_NORMAL;
    o.seed = (uint64_t)c->trial + 1;
    return trop_md_train(c, &o, "ngd");
}

static enum trop_status other_exponent(struct trop_case *c)
{
    return trop_case_put(c, "p", 2.5);
}

static enum trop_status stand(struct trop_case *c)
{
    double *w = trop_case_array(c, "mirror_weights");
    const int64_t rows = trop_case_size(c, "mirror_weights", 0);
    const int64_t n = trop_case_size(c, "mirror_weights", 1);

    w[(rows - 1) * n] = w[0];
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "one weight of gradient descent another in its last bit", NULL, one_bit },
    { "normalised gradient descent with steps longer by 1e-7", NULL, other_steps },
    { "p = 2.5", "p-is-2", other_exponent },
    { "an entry of the weights stands still", "moving", stand },
    { 0 },
};

static const struct trop_input inputs[] = { TROP_MD_INPUTS, { 0 } };

const struct trop_claim trop_md_rem_gd = {
    .id = "md-rem-gd",
    .title = "with p = 2 mirror descent is gradient descent",
    .statement = "With p = 2 the steps of lp mirror descent are those of gradient descent, and "
                 "its normalised steps those of normalised gradient descent.",
    .status = TROP_CLAIM_PROVED,
    .remark =
        "Gradient descent is judged bit for bit; of the normalised methods the first step, whose "
        "norms are computed in two ways, to rounding.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 20,
};
