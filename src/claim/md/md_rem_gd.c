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

static void draw(struct trop_case *c)
{
    trop_case_default(c, "p", 2);
    trop_md_draw(c, 3, 4, 4);
}

static void work(struct trop_case *c)
{
    static const char *const optimizers[] = { "mirror", "gd", "nmirror", "ngd" };

    for (int64_t k = 0; k < 4; k++) {
        trop_md_run(c, optimizers[k], "optimizer=%s p=@p eta=.3 steps=200 start=normal seed=%lld",
                    optimizers[k], (long long)c->trial + 1);
    }
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view w = trop_case_view(c, "gd_weights");
    const double *mirror = trop_case_array(c, "mirror_weights");
    const double *steps = trop_case_array(c, "mirror_step");

    /* Bit for bit, at every record. */
    for (int64_t row = 0; row < w.rows; row++) {
        double different = 0;
        for (int64_t k = row * w.columns; k < (row + 1) * w.columns; k++) {
            different += !(mirror[k] == w.at[k]);
        }
        trop_judge_at_most(judge, "entries that differ from gradient descent", (int64_t)steps[row],
                           different, 0, 0);
    }
    const int64_t row = trop_case_row(c, "ngd_step", 1);
    const double *u = trop_case_array(c, "nmirror_weights") + row * w.columns;
    const double *v = trop_case_array(c, "ngd_weights") + row * w.columns;
    for (int64_t k = 0; row >= 0 && k < w.columns; k++) {
        trop_judge_near(judge, "a weight after a normalised step", 1, u[k], v[k],
                        DBL_EPSILON * ((double)(w.columns + 8) * .3 + fabs(v[k])));
    }
}

const struct trop_claim trop_md_rem_gd = {
    .id = "md-rem-gd",
    .title = "with p = 2 mirror descent is gradient descent",
    .statement = "With p = 2 the steps of lp mirror descent are those of gradient descent, and "
                 "its normalised steps those of normalised gradient descent.",
    .status = TROP_CLAIM_PROVED,
    .remark =
        "Gradient descent is judged bit for bit; of the normalised methods the first step, whose "
        "norms are computed in two ways, to rounding.",
    .inputs = "X y v z p",
    .hypotheses = TROP_HYPOTHESES(
        { "p-is-2", "p = 2", .holds = "p is 2: p == 2", .broken = "p = 2.5", .edit = "p = 2.5" },
        { "moving", "the run moves the weights",
          .holds = "weights move: abs(mirror_weights[-1,0] - mirror_weights[0,0]) > 0", .late = 1,
          .broken = "an entry of the weights stands still",
          .edit = "mirror_weights[-1,0] = mirror_weights[0,0]" }),
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS({ "one weight of gradient descent another in its last bit", NULL,
                            .edit = "gd_weights[-1,-1] *= 1 + 2^-52" },
                          { "normalised gradient descent with steps longer by 1e-7", NULL }),
    .trials = 20,
};
