/* dataset_named.c -- the papers' data sets by name.
 *
 * P1: Ataee Tarzanagh, Li, Zhang, Oymak, "Max-Margin Token Selection in Attention Mechanism"
 * (2023). P2: Ataee Tarzanagh, Li, Thrampoulidis, Oymak, "Transformers as Support Vector Machines"
 * (2023). MD: Julistiono, Ataee Tarzanagh, Azizan, "Optimizing Attention with Mirror Descent"
 * (2024).
 *
 * A set is one line of the table and one function that fills its arrays. In the figures of P1 a
 * token is (place in the plane : score): W = diag(1, 1, 0) makes the first two coordinates the key,
 * and v = (0, 0, 1) the third one the score.
 */
#include "run/dataset/dataset.h"

#include "base/alloc.h"
#include "base/status.h"

#include <string.h>

#define MOST ((int64_t)1 << 24) /* of each size that may be chosen: draws are named by them */

/* ---- sets that are given by their numbers --------------------------------------------------- */

/* The keys K = X W', of dk coordinates; the decoder reads the score; every label is 1. */
static void plane_and_score(struct trop_dataset_draft *draft)
{
    const struct trop_data *size = &draft->size;

    for (int64_t t = 0; t < size->n * size->T; t++) {
        for (int64_t c = 0; c < size->dk; c++) {
            draft->k[t * size->dk + c] = c < 2 ? draft->x[t * size->d + c] : 0.0;
        }
    }
    for (int64_t i = 0; i < size->n; i++) {
        draft->y[i] = 1.0;
    }
    draft->v[2] = 1.0;
}

static void fig_1a(struct trop_dataset_draft *draft)
{
    static const double x[] = { -0.1, 1, 1, 1, 0, 0.9, 0, 0, 0.9 };

    memcpy(draft->x, x, sizeof x);
    plane_and_score(draft);
}

static void fig_1b(struct trop_dataset_draft *draft)
{
    static const double x[] = { -0.1, 1, 1, 1, 0, 0.9, 0, 0, 0 };

    memcpy(draft->x, x, sizeof x);
    plane_and_score(draft);
}

/* Joint training. v is the direction of the label problem's solution, (0, 1) in both figures. */
static void fig_3(struct trop_dataset_draft *draft, double last)
{
    const double x[] = { 0, 0, 1, 1, 0, 0, 1, -1, 0, 0, 0.5, last };
    static const double y[] = { 1, -1, 1 };

    memcpy(draft->x, x, sizeof x);
    memcpy(draft->y, y, sizeof y);
    draft->v[1] = 1.0;
}

static void fig_3a(struct trop_dataset_draft *draft)
{
    fig_3(draft, 1.0);
}

static void fig_3b(struct trop_dataset_draft *draft)
{
    fig_3(draft, 1.5);
}

/* The paper varies the score C of the first input's second token; this is C = 10. */
static void fig_5(struct trop_dataset_draft *draft)
{
    static const double x[] = { 0, 0, 0, 1, 1, 10, 0, 0, 0, 1, -1, 1 };

    memcpy(draft->x, x, sizeof x);
    plane_and_score(draft);
}

/* Gradient descent from (3, 0) misses the global direction (1, -3) for (1, 0), although all
 * tokens that are not optimal have equal scores. The paper prints no numbers: these are ours. */
static void fig_8(struct trop_dataset_draft *draft)
{
    static const double x[] = { 1, 0, 1, 0, 0, 0, 0, 0, 1, 2, 1, 0 };

    memcpy(draft->x, x, sizeof x);
    plane_and_score(draft);
}

/* MD's joint experiment: its numbers pass through float, and the query is the first token. */
static void md_joint(struct trop_dataset_draft *draft)
{
    static const float x[] = { -2.7f, 1.2f,  1.4f,  2.1f,  1.3f, -0.1f,
                               0.4f,  -2.2f, -1.1f, -0.4f, 0.9f, 0.1f };

    for (int64_t k = 0; k < 12; k++) {
        draft->x[k] = (double)x[k];
    }
    memcpy(draft->z, draft->x, 2 * sizeof *draft->z);
    memcpy(draft->z + 2, draft->x + 6, 2 * sizeof *draft->z);
    draft->y[0] = 1.0;
    draft->y[1] = -1.0;
}

static void fig_1c(struct trop_dataset_draft *draft)
{
    trop_dataset_torch_fig_1c(draft);
    plane_and_score(draft);
}

/* ---- the table ---- */

enum {
    FIG_1A,
    FIG_1B,
    FIG_1C,
    FIG_1C_TOKENS,
    FIG_3A,
    FIG_3B,
    FIG_5,
    FIG_8,
    FIG_9,
    TF_1,
    TF_1B,
    ATTSVM,
    MD_JOINT,
    NTP,
    BENIGN,
    BENIGN2,
    SETS
};

static const char *const names[SETS + 1] = {
    [FIG_1A] = "mm-fig-1a",  [FIG_1B] = "mm-fig-1b",
    [FIG_1C] = "mm-fig-1c",  [FIG_1C_TOKENS] = "mm-fig-1c-tokens",
    [FIG_3A] = "mm-fig-3a",  [FIG_3B] = "mm-fig-3b",
    [FIG_5] = "mm-fig-5",    [FIG_8] = "mm-fig-8",
    [FIG_9] = "mm-fig-9",    [TF_1] = "tf-fig-1",
    [TF_1B] = "tf-fig-1b",   [ATTSVM] = "attsvm",
    [MD_JOINT] = "md-joint", [NTP] = "ntp",
    [BENIGN] = "benign",     [BENIGN2] = "benign2",
};

#define HAS(part) (1u << TROP_DATASET_##part)
#define KEYED (HAS(X) | HAS(Y) | HAS(V) | HAS(K))
#define SCORED (HAS(X) | HAS(Y) | HAS(V))
#define ASKED (HAS(X) | HAS(Y) | HAS(Z) | HAS(V))
#define TEXT (HAS(E) | HAS(IDS) | HAS(NEXT))

static const struct set {
    int64_t n, T, d, dk, words;        /* its own sizes */
    int64_t least_n, least_T, least_d; /* from which on they may be chosen; 0: they may not */
    uint64_t seed;                     /* its own */
    unsigned parts;
    void (*fill)(struct trop_dataset_draft *draft);
    const char *meaning;
} sets[SETS] = {
    [FIG_1A] = { 1, 3, 3, 3, 0, 0, 0, 0, 0, KEYED, fig_1a,
                 "P1 figure 1(a): one input whose best token wins from everywhere" },
    [FIG_1B] = { 1, 3, 3, 3, 0, 0, 0, 0, 0, KEYED, fig_1b,
                 "P1 figure 1(b): one input with two locally optimal tokens" },
    [FIG_1C] = { 3, 7, 3, 3, 0, 0, 0, 0, 0, KEYED, fig_1c,
                 "P1 figures 1(c) and 4: three inputs of seven tokens, drawn by PyTorch" },
    [FIG_1C_TOKENS] = { 3, 7, 3, 0, 0, 0, 0, 0, 0, SCORED, trop_dataset_torch_fig_1c,
                        "mm-fig-1c with the tokens as keys, score and all, as the authors' SVM" },
    [FIG_3A] = { 3, 2, 2, 0, 0, 0, 0, 0, 0, SCORED, fig_3a,
                 "P1 figure 3(a): joint training, every input supports the label problem" },
    [FIG_3B] = { 3, 2, 2, 0, 0, 0, 0, 0, 0, SCORED, fig_3b,
                 "P1 figure 3(b): joint training, the third input does not support it" },
    [FIG_5] = { 2, 2, 3, 3, 0, 0, 0, 0, 0, KEYED, fig_5,
                "P1 figure 5: two inputs with the scores 10 and 1" },
    [FIG_8] = { 2, 2, 3, 2, 0, 0, 0, 0, 0, KEYED, fig_8,
                "P1 figure 8: gradient descent that misses the global direction; our numbers" },
    [FIG_9] = { 4, 6, 10, 0, 0, 0, 0, 1, 1, SCORED, trop_dataset_drawn_fig_9,
                "P1 figures 9 and 10: tokens and decoder uniform on the sphere; our draws" },
    [TF_1] = { 2, 3, 2, 0, 0, 0, 0, 0, 1, ASKED, trop_dataset_torch_tf_1,
               "P2 figure 1: two inputs in the plane, drawn by PyTorch" },
    [TF_1B] = { 2, 5, 2, 0, 0, 0, 0, 0, 3, ASKED, trop_dataset_torch_tf_1b,
                "P2's second picture like figure 1: five tokens, drawn by PyTorch" },
    [ATTSVM] = { 6, 8, 10, 0, 0, 1, 1, 1, 1, ASKED, trop_dataset_torch_attsvm,
                 "P2 figures 4 to 7 and MD: unit tokens and queries, drawn by PyTorch" },
    [MD_JOINT] = { 2, 3, 2, 0, 0, 0, 0, 0, 0, HAS(X) | HAS(Y) | HAS(Z), md_joint,
                   "MD's joint experiment: two inputs in the plane, the query their first token" },
    [NTP] = { 6, 4, 8, 0, 6, 1, 1, 1, 1, TEXT, trop_dataset_drawn_ntp,
              "next tokens of a vocabulary of 6 words (Li et al. 2024); our draws" },
    [BENIGN] = { 20, 8, 2000, 0, 0, 1, 3, 2, 1, SCORED, trop_dataset_drawn_benign,
                 "signal in one token, weak in two, labels with noise (Sakamoto, Sato 2025)" },
    [BENIGN2] = { 20, 2, 2000, 0, 0, 1, 0, 3, 1, SCORED, trop_dataset_drawn_benign2,
                  "a token of signal and one of noise, labels with noise (Magen et al. 2025)" },
};

static const struct set *find(const char *name)
{
    for (int64_t k = 0; k < SETS; k++) {
        if (strcmp(names[k], name) == 0) {
            return sets + k;
        }
    }
    return NULL;
}

const char *const *trop_dataset_names(void)
{
    return names;
}

const char *trop_dataset_meaning(const char *name)
{
    const struct set *set = name ? find(name) : NULL;

    return set ? set->meaning : NULL;
}

int trop_dataset_is_named(const char *name)
{
    return find(name) != NULL;
}

/* ---- making one ---- */

/* A size is the set's own, or another one where the set has a choice. */
static enum trop_status choose(int64_t *out, const char *set, const char *name, int64_t given,
                               int64_t own, int64_t least)
{
    *out = given == 0 ? own : given;
    if (*out == own || (least > 0 && *out >= least && *out <= MOST)) {
        return TROP_OK;
    }
    if (least == 0) {
        return trop_fail(TROP_ERR_ARG, "%s = %lld: but %s has %s = %lld", name, (long long)given,
                         set, name, (long long)own);
    }
    return trop_fail(TROP_ERR_ARG, "%s = %lld: must be from %lld to %lld for %s", name,
                     (long long)given, (long long)least, (long long)MOST, set);
}

uint64_t trop_dataset_own_seed(const char *name, uint64_t otherwise)
{
    const struct set *set = find(name);

    return set ? set->seed : otherwise;
}

enum trop_status trop_dataset_fill(struct trop_dataset_arrays *out, const char *name, int64_t n,
                                   int64_t T, int64_t d, uint64_t seed)
{
    const struct set *set = find(name);
    struct trop_dataset_draft draft = { .size = { .dk = set->dk, .words = set->words } };
    enum trop_status status = choose(&draft.size.n, name, "n", n, set->n, set->least_n);

    if (status == TROP_OK) {
        status = choose(&draft.size.T, name, "T", T, set->T, set->least_T);
    }
    if (status == TROP_OK) {
        status = choose(&draft.size.d, name, "d", d, set->d, set->least_d);
    }
    if (status == TROP_OK) {
        double **const places[TROP_DATASET_PARTS] = {
            [TROP_DATASET_X] = &draft.x,     [TROP_DATASET_Y] = &draft.y,
            [TROP_DATASET_Z] = &draft.z,     [TROP_DATASET_V] = &draft.v,
            [TROP_DATASET_K] = &draft.k,     [TROP_DATASET_E] = &draft.vocabulary,
            [TROP_DATASET_IDS] = &draft.ids, [TROP_DATASET_NEXT] = &draft.next,
        };
        for (int64_t part = 0; part < TROP_DATASET_PARTS && status == TROP_OK; part++) {
            if (set->parts & 1u << part) {
                status = trop_dataset_room(out, part, &draft.size);
                *places[part] = out->part[part].data;
            }
        }
    }
    if (status != TROP_OK) {
        return status;
    }
    draft.seed = seed == TROP_DATASET_SEED ? set->seed : seed;
    /* What torch draws at once is at most X. */
    int64_t tokens = trop_alloc_product(draft.size.n, draft.size.T);
    draft.scratch = trop_alloc(trop_alloc_product(tokens, draft.size.d), sizeof *draft.scratch);
    if (!draft.scratch) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory to draw it", name);
    }
    set->fill(&draft);
    trop_alloc_free(draft.scratch);
    return TROP_OK;
}
