/* diameter.c -- two claims of one's own: a small lemma, and what it is not.
 *
 *   cc -shared -fPIC -I include examples/claims/diameter.c -o diameter.so
 *   tropism check ./diameter.so:my-lem-diameter
 *   tropism check ./diameter.so:my-lem-contraction
 *
 * A hardmax layer moves each token towards a mean of tokens, x' = (1 - gamma) x + gamma m. With
 * gamma in [0, 1] every x' is in the convex hull of the tokens before, so that the diameter does
 * not grow. It need not shrink: two vertices that follow themselves stay where they are.
 *
 * Rounding. With u = DBL_EPSILON and R the largest norm, a mean of up to n tokens and the step move
 * a token by (n + 4) u R/2, hence a distance by (n + 4) u R; the two distances that are compared
 * round by less than 4 u R together.
 */
#include <tropism_claim.h>

#include <float.h>
#include <stddef.h>

/* Only what the case does not have: tokens and gamma may be given. */
static void draw(struct trop_case *c)
{
    trop_tokens_gaussian(c, 3 + trop_case_pick(c, 16, 0, 6), 1 + trop_case_pick(c, 16, 1, 3));
    trop_case_default(c, "gamma", trop_case_uniform(c, 17, 0));
    trop_tokens_count(c, "steps", 5, 1, 1000);
}

/* Entry path, (steps + 1, n, d), the tokens themselves first. */
static void work(struct trop_case *c)
{
    trop_case_path(c, "path", trop_case_integer(c, "steps"), "rule=hardmax gamma=@gamma");
}

/* The diameter of each step against so many times that of the step before. */
static void compare(struct trop_judge *judge, const struct trop_case *c, double factor)
{
    const struct trop_view path = trop_case_view(c, "path");
    const int64_t n = path.columns, d = path.depth;
    const double allowance =
        ((double)n + 8) * DBL_EPSILON * trop_tokens_radius(trop_case_array(c, "tokens"), n, d);

    for (int64_t t = 1; t < path.rows; t++) {
        const double before = trop_tokens_diameter(trop_case_view_row(path, t - 1), n, d);
        trop_judge_at_most(judge, "diameter after a layer", t,
                           trop_tokens_diameter(trop_case_view_row(path, t), n, d), factor * before,
                           allowance);
    }
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    compare(judge, c, 1);
}

static void conclude_contraction(struct trop_judge *judge, const struct trop_case *c)
{
    compare(judge, c, 1 - trop_case_number(c, "gamma"));
}

/* What is assumed, and how each hypothesis is broken on purpose. */
static const struct trop_hypothesis hypotheses[] = {
    { .name = "gamma-in-range",
      .meaning = "gamma is from 0 to 1",
      .holds = "gamma >= 0; gamma <= 1",
      .broken = "gamma = 2",
      .edit = "gamma = 2" },
    { .name = NULL },
};

/* Ways to make a computed instance wrong, which the check must see. */
static const struct trop_spoil spoils[] = {
    { "the last cloud is the one before it, larger by 1e-9", NULL,
      "path[-1] = path[-2]; path[-1] *= 1+1e-9" },
    { NULL, NULL, NULL },
};

static const struct trop_claim diameter = {
    .id = "my-lem-diameter",
    .title = "hardmax does not spread tokens",
    .statement = "With gamma in [0, 1] the diameter of the tokens never grows under hardmax.",
    .status = TROP_CLAIM_PROVED,
    .source = TROP_CLAIM_DERIVED,
    .inputs = "tokens gamma steps",
    .hypotheses = hypotheses,
    .run = { .draw = draw, .work = work, .conclude = conclude },
    .spoils = spoils,
    .trials = 200,
};

/* What suggests itself, and is wrong. */
static const struct trop_claim contraction = {
    .id = "my-lem-contraction",
    .title = "hardmax contracts",
    .statement = "With gamma in [0, 1] a hardmax layer multiplies the diameter of the tokens by "
                 "1 - gamma at most.",
    .status = TROP_CLAIM_CONJECTURED,
    .source = TROP_CLAIM_DERIVED,
    .inputs = "tokens gamma steps",
    .hypotheses = hypotheses,
    .run = { .draw = draw, .work = work, .conclude = conclude_contraction },
    .spoils = spoils,
    .trials = 200,
};

TROP_CLAIMS(&diameter, &contraction);
