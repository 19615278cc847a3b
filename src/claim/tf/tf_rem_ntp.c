/* tf_rem_ntp.c -- max-margin weights of next-token data in closed form (Huang, Liang, Yang 2024),
 * and Graph-SVM solutions orthogonal to the cyclic subspace (Li, Huang, Ildiz, Rawat, Oymak 2024).
 *
 * With an orthonormal vocabulary and for each query word q a set O of optimal words and a set N of
 * others, every o to lead every n by 1, the least W in the Frobenius norm has
 *
 *   x' W x_q = |N|/(|O| + |N|) on O,   -|O|/(|O| + |N|) on N,   0 on words that are not compared:
 *
 * coordinates of different queries do not meet, and of one query the two levels are 1 apart with
 * mean 0. The solver's W has a proved norm between lower and upper and is within
 * sqrt(upper^2 - lower^2) of the least, by strong convexity; that is the allowance.
 *
 * The graph of a last word k has an edge y -> x for every x of an input that ends with k and is
 * followed by y; i ~ j when each is reachable from the other. S_fin = span{(e_i - e_j) e_k' : i ~
 * j}, and W_svm is orthogonal to it, up to the same allowance times |e_i - e_j| |e_k|. Reachability
 * is found here by the transitive closure.
 */
#include "claim/tf/tf.h"

#include "claim/tokens.h"
#include "tropism_lab.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define WORDS 6
#define PAIRS (WORDS * WORDS * WORDS)

/* ---- what both share ---- */

/* "W" (d, d), and the bounds of its norm. */
static void solve(struct trop_case *c, const struct trop_margin_options *o)
{
    const struct trop_margin *margin = trop_case_margin(c, o);
    const int64_t d = trop_case_size(c, "E", 1);

    trop_case_copy_in(c, "W", trop_margin_weights(margin), d, d, 0);
    trop_case_take(c, "lower", trop_margin_field_table(), margin, "lower");
    trop_case_take(c, "upper", trop_margin_field_table(), margin, "upper");
}

static double allowance(const struct trop_case *c)
{
    const double lower = trop_case_number(c, "lower"), upper = trop_case_number(c, "upper");

    return sqrt(fmax(0, upper * upper - lower * lower)) + 64 * WORDS * DBL_EPSILON * upper;
}

/* x' W x_q of word a for the query word q. */
static double logit(const struct trop_case *c, int64_t a, int64_t q)
{
    const struct trop_view e = trop_case_view(c, "E"), w = trop_case_view(c, "W");
    double sum = 0;

    for (int64_t k = 0; k < e.columns; k++) {
        sum += trop_case_view_row(e, a)[k] *
               trop_tokens_dot(trop_case_view_row(w, k), trop_case_view_row(e, q), e.columns);
    }
    return sum;
}

/* ---- the closed form ---- */

/* "kind" (WORDS, WORDS): row q says of each word 1 optimal, -1 other, 0 not compared; "E" (WORDS,
 * WORDS), orthonormal. */
static void draw(struct trop_case *c)
{
    if (!trop_case_has(c, "kind") && !trop_case_has(c, "E")) {
        double *kind = trop_case_zeros(c, "kind", WORDS, WORDS, 0);
        double *e = trop_case_zeros(c, "E", WORDS, WORDS, 0);
        for (int64_t k = 0; k < WORDS * WORDS; k++) {
            const int64_t place = k % WORDS;
            /* Each query has an optimal word and another one, so that it has a constraint. */
            kind[k] = place == 0 ? 1 : place == 1 ? -1 : (double)(trop_case_pick(c, 140, k, 3) - 1);
            e[k] = trop_case_normal(c, 141, k);
        }
        trop_tf_basis(e, WORDS, WORDS);
    }
    if (trop_case_size(c, "kind", 0) != WORDS || trop_case_size(c, "kind", 1) != WORDS ||
        trop_case_size(c, "E", 0) != WORDS || trop_case_size(c, "E", 1) != WORDS) {
        trop_case_refuse(c, "E and kind: must be (%d, %d)", WORDS, WORDS);
    }
}

static void work(struct trop_case *c)
{
    const double *kind = trop_case_array(c, "kind"), *e = trop_case_array(c, "E");
    int64_t plus[PAIRS], minus[PAIRS], asked[PAIRS], zero[PAIRS] = { 0 }, count = 0;
    double right[PAIRS];

    for (int64_t k = 0; k < PAIRS; k++) {
        const int64_t q = k / WORDS / WORDS, a = k / WORDS % WORDS, b = k % WORDS;
        if (kind[q * WORDS + a] == 1 && kind[q * WORDS + b] == -1) {
            plus[count] = a;
            minus[count] = b;
            asked[count] = q;
            right[count++] = 1;
        }
    }
    const struct trop_problem problem = { .rows = WORDS,
                                          .columns = WORDS,
                                          .points = WORDS,
                                          .queries = WORDS,
                                          .count = count,
                                          .point = e,
                                          .query = e,
                                          .plus = plus,
                                          .minus = minus,
                                          .asked = asked,
                                          .equal = zero,
                                          .right = right,
                                          .input = asked,
                                          .token = minus };
    struct trop_margin_options o = trop_margin_options_default();
    o.problem = &problem;
    solve(c, &o);
}

static void orthonormal(struct trop_judge *judge, const struct trop_case *c)
{
    trop_tf_is_orthonormal(judge, "the vocabulary is orthonormal", trop_case_array(c, "E"), WORDS,
                           WORDS);
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *kind = trop_case_array(c, "kind");

    for (int64_t k = 0; k < WORDS * WORDS; k++) {
        const int64_t q = k / WORDS;
        double best = 0, others = 0;
        for (int64_t a = 0; a < WORDS; a++) {
            best += kind[q * WORDS + a] == 1;
            others += kind[q * WORDS + a] == -1;
        }
        trop_judge_near(judge, "logit of a word and its closed form", k, logit(c, k % WORDS, q),
                        (kind[k] == 1    ? others
                         : kind[k] == -1 ? -best
                                         : 0) /
                            (best + others),
                        allowance(c));
    }
}

const struct trop_claim trop_tf_rem_ntp = {
    .id = "tf-rem-ntp",
    .title = "max-margin weights of next tokens in closed form",
    .statement =
        "With an orthonormal vocabulary, the least W in the Frobenius norm for which every "
        "optimal word of a query leads every other one by 1 has the logits |N|/(|O| + |N|) on "
        "optimal, -|O|/(|O| + |N|) on other and 0 on uncompared words.",
    .status = TROP_CLAIM_PROVED,
    .remark = "From the follow-up by Huang, Liang and Yang (2024).",
    .inputs = "E kind",
    .hypotheses = TROP_HYPOTHESES(
        { "orthonormal", "the vocabulary is orthonormal", .judge = orthonormal,
          .broken = "a coordinate of a word moved by 1e-3", .edit = "E[0,0] += 1e-3" }),
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS({ "a weight moved by 1e-4", NULL, .edit = "W[0,1] += 1e-4" }),
    .trials = 50,
};

/* ---- Graph-SVM ---- */

static void free_dataset(void *set)
{
    trop_dataset_free(set);
}

/* "E" (words, d), "ids" (n, T), "next" (n) of a drawn data set, large enough for graphs with cycles
 * and with words that precede others. */
static void draw_graph(struct trop_case *c)
{
    struct trop_dataset *set = NULL;

    if (trop_case_has(c, "ids") || trop_case_has(c, "E")) {
        return;
    }
    trop_case_try(c,
                  trop_dataset_create(&set, "ntp", 30, 4, 8, c->seed * 1000 + (uint64_t)c->trial));
    trop_case_keep(c, set, free_dataset);
    const struct trop_data *data = trop_dataset_data(set);
    trop_case_copy_in(c, "E", data->vocabulary, data->words, data->d, 0);
    double *ids = trop_case_zeros(c, "ids", data->n, data->T, 0);
    double *next = trop_case_zeros(c, "next", data->n, 0, 0);
    for (int64_t k = 0; k < data->n * data->T; k++) {
        ids[k] = (double)data->ids[k];
        next[k / data->T] = (double)data->next[k / data->T];
    }
}

/* The words of an entry, each below the number of embeddings. */
static int64_t *words_of(const struct trop_case *c, const char *entry)
{
    const struct trop_view v = trop_case_view(c, entry);
    int64_t *out = trop_case_scratch_integers(c, v.rows * v.columns);

    for (int64_t k = 0; k < v.rows * v.columns; k++) {
        out[k] = v.at[k] >= 0 && v.at[k] < 1e9 ? (int64_t)v.at[k] : -1;
        if (out[k] < 0 || out[k] >= trop_case_size(c, "E", 0)) {
            trop_case_refuse(c, "%s: %g has no embedding", entry, v.at[k]);
        }
    }
    return out;
}

static void work_graph(struct trop_case *c)
{
    const struct trop_view ids = trop_case_view(c, "ids"), e = trop_case_view(c, "E");
    const struct trop_data data = { .n = ids.rows,
                                    .T = ids.columns,
                                    .d = e.columns,
                                    .vocabulary = e.at,
                                    .words = e.rows,
                                    .ids = words_of(c, "ids"),
                                    .next = words_of(c, "next") };
    struct trop_margin_options o = trop_margin_options_default();

    if (trop_case_size(c, "next", 0) != ids.rows || trop_case_size(c, "E", 1) == 0) {
        trop_case_refuse(c, "E, ids and next: must be (words, d), (n, T) and (n)");
    }
    o.data = &data;
    o.model = TROP_MODEL_GRAPH;
    solve(c, &o);
}

/* Which words reach which in the graph of last word k: reach (words, words). */
static void close_graph(int64_t *reach, const struct trop_case *c, int64_t words, int64_t k)
{
    const int64_t *ids = words_of(c, "ids"), *next = words_of(c, "next");
    const int64_t n = trop_case_size(c, "ids", 0), T = trop_case_size(c, "ids", 1);

    memset(reach, 0, (size_t)(words * words) * sizeof *reach);
    for (int64_t at = 0; at < n * T; at++) {
        if (ids[at / T * T + T - 1] == k) {
            reach[next[at / T] * words + ids[at]] = 1;
        }
    }
    for (int64_t via = 0; via < words; via++) {
        for (int64_t at = 0; at < words * words; at++) {
            reach[at] |= reach[at / words * words + via] & reach[via * words + at % words];
        }
    }
}

/* Embeddings are independent: then every graph has a solution. */
static void independent(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view e = trop_case_view(c, "E");

    trop_judge_at_least(judge, "independence of the embeddings", -1,
                        trop_tf_independence(c, e.at, e.rows, e.columns), 1e-3, 0);
}

static void conclude_graph(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t words = trop_case_size(c, "E", 0);
    int64_t *reach = trop_case_scratch_integers(c, words * words);

    for (int64_t at = 0; at < words * words * words; at++) {
        const int64_t k = at / words / words, i = at / words % words, j = at % words;
        if (i == 0 && j == 0) {
            close_graph(reach, c, words, k);
        }
        const int is_before = reach[i * words + j] != 0, is_after = reach[j * words + i] != 0;
        const double lead = logit(c, i, k) - logit(c, j, k);
        if (i < j && is_before && is_after) {
            trop_judge_near(judge, "words of one component: difference of logits", at, lead, 0,
                            2 * allowance(c));
        }
        if (i != j && is_before && !is_after) {
            trop_judge_at_least(judge, "a word that precedes another: its lead", at, lead, 1,
                                2 * allowance(c));
        }
    }
}

const struct trop_claim trop_tf_rem_graph = {
    .id = "tf-rem-graph",
    .title = "Graph-SVM is orthogonal to the cyclic subspace",
    .statement =
        "The Graph-SVM solution of next-token data gives words of one strongly connected "
        "component of a token-priority graph equal logits, so that it is orthogonal to the "
        "cyclic subspace, and a word that precedes another leads it by at least 1.",
    .status = TROP_CLAIM_PROVED,
    .remark = "From the follow-up by Li, Huang, Ildiz, Rawat and Oymak (2024).",
    .inputs = "E ids next",
    .hypotheses = TROP_HYPOTHESES({ "independent", "the embeddings are linearly independent",
                                    .judge = independent, .broken = "two words have one embedding",
                                    .edit = "E[1] = E[0]" }),
    .run = { draw_graph, work_graph, conclude_graph },
    .spoils = TROP_SPOILS({ "every weight moved by 1e-3", NULL },
                          /* Leads stay above 1, so that only the components show the change. */
                          { "the same, with W longer by a tenth", NULL }),
    .trials = 50,
};
