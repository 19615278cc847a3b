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

#include "base/alloc.h"
#include "base/status.h"
#include "tropism_lab.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define WORDS 6
#define MOST 128

/* ---- the closed form ---- */

/* "kind" (WORDS, WORDS): row q says of each word 1 optimal, -1 other, 0 not compared; "E" (WORDS,
 * WORDS), orthonormal. */
static enum trop_status draw(struct trop_case *c)
{
    double *kind = NULL, *e = NULL;

    if (trop_case_has(c, "kind")) {
        return TROP_OK;
    }
    enum trop_status status = trop_case_make(&kind, c, "kind", WORDS, WORDS, 0);
    if (status == TROP_OK) {
        status = trop_case_make(&e, c, "E", WORDS, WORDS, 0);
    }
    for (int64_t k = 0; status == TROP_OK && k < WORDS * WORDS; k++) {
        const int64_t place = k % WORDS;
        /* Each query has an optimal word and another one, so that it has a constraint. */
        kind[k] = place == 0 ? 1 : place == 1 ? -1 : (double)(trop_case_pick(c, 140, k, 3) - 1);
        e[k] = trop_case_normal(c, 141, k);
    }
    if (status == TROP_OK) {
        trop_tf_basis(e, WORDS, WORDS);
    }
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    const double *kind = trop_case_array(c, "kind"), *e = trop_case_array(c, "E");
    int64_t plus[MOST * 2], minus[MOST * 2], asked[MOST * 2], zero[MOST * 2] = { 0 }, count = 0;
    double right[MOST * 2], *w = NULL;
    struct trop_margin *margin = NULL;
    struct trop_margin_options o = trop_margin_options_default();

    for (int64_t k = 0; k < WORDS * WORDS * WORDS; k++) {
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
    o.problem = &problem;
    o.threads = c->threads;
    enum trop_status status = trop_margin_create(&margin, &o);
    if (status == TROP_OK) {
        status = trop_margin_run(margin, NULL, NULL);
    }
    if (status == TROP_OK) {
        status = trop_case_make(&w, c, "W", WORDS, WORDS, 0);
    }
    if (status == TROP_OK) {
        double bounds[2] = { 0 };
        memcpy(w, trop_margin_weights(margin), WORDS * WORDS * sizeof *w);
        status = trop_margin_number(bounds, margin, "lower");
        status = status == TROP_OK ? trop_margin_number(bounds + 1, margin, "upper") : status;
        status = status == TROP_OK ? trop_case_put(c, "lower", bounds[0]) : status;
        status = status == TROP_OK ? trop_case_put(c, "upper", bounds[1]) : status;
    }
    trop_margin_free(margin);
    return status;
}

static enum trop_status orthonormal(struct trop_judge *judge, const struct trop_case *c)
{
    const double *e = trop_case_array(c, "E");

    for (int64_t k = 0; k < WORDS * WORDS; k++) {
        trop_judge_truth(judge, "the vocabulary is orthonormal", k,
                         fabs(trop_tokens_dot(e + k / WORDS * WORDS, e + k % WORDS * WORDS, WORDS) -
                              (k / WORDS == k % WORDS)) <= 1e-12);
    }
    return TROP_OK;
}

static double allowance(const struct trop_case *c)
{
    const double lower = trop_case_number(c, "lower"), upper = trop_case_number(c, "upper");

    return sqrt(fmax(0, upper * upper - lower * lower)) + 64 * WORDS * DBL_EPSILON * upper;
}

/* x' W x_q. */
static double logit(const double *w, const double *x, const double *query, int64_t d)
{
    double sum = 0;

    for (int64_t a = 0; a < d; a++) {
        sum += x[a] * trop_tokens_dot(w + a * d, query, d);
    }
    return sum;
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *kind = trop_case_array(c, "kind"), *e = trop_case_array(c, "E");

    for (int64_t q = 0; q < WORDS; q++) {
        double best = 0, others = 0;
        for (int64_t a = 0; a < WORDS; a++) {
            best += kind[q * WORDS + a] == 1;
            others += kind[q * WORDS + a] == -1;
        }
        for (int64_t a = 0; a < WORDS; a++) {
            const double is = kind[q * WORDS + a];
            trop_judge_near(judge, "logit of a word and its closed form", q * WORDS + a,
                            logit(trop_case_array(c, "W"), e + a * WORDS, e + q * WORDS, WORDS),
                            (is == 1    ? others
                             : is == -1 ? -best
                                        : 0) /
                                (best + others),
                            allowance(c));
        }
    }
    return TROP_OK;
}

static enum trop_status move_weight(struct trop_case *c)
{
    trop_case_array(c, "W")[1] += 1e-4;
    return TROP_OK;
}

static enum trop_status skew(struct trop_case *c)
{
    trop_case_array(c, "E")[0] += 1e-3;
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "orthonormal", "the vocabulary is orthonormal", orthonormal, 0 },
    { 0 },
};

static const struct trop_spoil spoils[] = {
    { "a weight moved by 1e-4", NULL, move_weight },
    { "a coordinate of a word moved by 1e-3", "orthonormal", skew },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "E", "(6, 6)", "embeddings of six words" },
    { "kind", "(6, 6)", "of every query word: 1 for optimal words, -1 for others, 0 not compared" },
    { 0 },
};

const struct trop_claim trop_tf_rem_ntp = {
    .id = "tf-rem-ntp",
    .title = "max-margin weights of next tokens in closed form",
    .statement =
        "With an orthonormal vocabulary, the least W in the Frobenius norm for which every "
        "optimal word of a query leads every other one by 1 has the logits |N|/(|O| + |N|) on "
        "optimal, -|O|/(|O| + |N|) on other and 0 on uncompared words.",
    .status = TROP_CLAIM_PROVED,
    .remark = "From the follow-up by Huang, Liang and Yang (2024).",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 50,
};

/* ---- Graph-SVM ---- */

/* "E" (words, d), "ids" (n, T), "next" (n) of a drawn data set, large enough for graphs with cycles
 * and with words that precede others. */
static enum trop_status draw_graph(struct trop_case *c)
{
    struct trop_dataset *set = NULL;
    double *e = NULL, *ids = NULL, *next = NULL;

    if (trop_case_has(c, "ids")) {
        return TROP_OK;
    }
    enum trop_status status =
        trop_dataset_create(&set, "ntp", 30, 4, 8, c->seed * 1000 + (uint64_t)c->trial);
    const struct trop_data *data = status == TROP_OK ? trop_dataset_data(set) : NULL;
    if (status == TROP_OK) {
        status = trop_case_make(&e, c, "E", data->words, data->d, 0);
    }
    if (status == TROP_OK) {
        status = trop_case_make(&ids, c, "ids", data->n, data->T, 0);
    }
    if (status == TROP_OK) {
        status = trop_case_make(&next, c, "next", data->n, 0, 0);
    }
    if (status == TROP_OK) {
        memcpy(e, data->vocabulary, (size_t)(data->words * data->d) * sizeof *e);
    }
    for (int64_t k = 0; status == TROP_OK && k < data->n * data->T; k++) {
        ids[k] = (double)data->ids[k];
        next[k / data->T] = (double)data->next[k / data->T];
    }
    trop_dataset_free(set);
    return status;
}

static enum trop_status work_graph(struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "ids", 0), T = trop_case_size(c, "ids", 1);
    const int64_t d = trop_case_size(c, "E", 1);
    int64_t *whole = trop_alloc(n * T + n, sizeof *whole);
    struct trop_margin_options o = trop_margin_options_default();
    struct trop_margin *margin = NULL;
    double *w = NULL, bounds[2] = { 0 };

    if (!whole) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld words", (long long)(n * T));
    }
    for (int64_t k = 0; k < n * T + n; k++) {
        whole[k] = (int64_t)(k < n * T ? trop_case_array(c, "ids")[k]
                                       : trop_case_array(c, "next")[k - n * T]);
    }
    const struct trop_data data = { .n = n,
                                    .T = T,
                                    .d = d,
                                    .vocabulary = trop_case_array(c, "E"),
                                    .words = trop_case_size(c, "E", 0),
                                    .ids = whole,
                                    .next = whole + n * T };
    o.data = &data;
    o.model = TROP_MODEL_GRAPH;
    o.threads = c->threads;
    enum trop_status status = trop_margin_create(&margin, &o);
    if (status == TROP_OK) {
        status = trop_margin_run(margin, NULL, NULL);
    }
    if (status == TROP_OK) {
        status = trop_case_make(&w, c, "W", d, d, 0);
    }
    if (status == TROP_OK) {
        memcpy(w, trop_margin_weights(margin), (size_t)(d * d) * sizeof *w);
        status = trop_margin_number(bounds, margin, "lower");
        status = status == TROP_OK ? trop_margin_number(bounds + 1, margin, "upper") : status;
    }
    status = status == TROP_OK ? trop_case_put(c, "lower", bounds[0]) : status;
    status = status == TROP_OK ? trop_case_put(c, "upper", bounds[1]) : status;
    trop_margin_free(margin);
    trop_alloc_free(whole);
    return status;
}

/* Which words reach which in the graph of last word k: reach (words, words). */
static void close_graph(int64_t *reach, const struct trop_case *c, int64_t k)
{
    const int64_t n = trop_case_size(c, "ids", 0), T = trop_case_size(c, "ids", 1);
    const int64_t words = trop_case_size(c, "E", 0);
    const double *ids = trop_case_array(c, "ids"), *next = trop_case_array(c, "next");

    memset(reach, 0, (size_t)(words * words) * sizeof *reach);
    for (int64_t at = 0; at < n * T; at++) {
        if (ids[at / T * T + T - 1] == (double)k) {
            reach[(int64_t)next[at / T] * words + (int64_t)ids[at]] = 1;
        }
    }
    for (int64_t via = 0; via < words; via++) {
        for (int64_t at = 0; at < words * words; at++) {
            reach[at] |= reach[at / words * words + via] & reach[via * words + at % words];
        }
    }
}

/* Embeddings are independent: then every graph has a solution. */
static enum trop_status independent(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t words = trop_case_size(c, "E", 0), d = trop_case_size(c, "E", 1);
    double *copy = trop_alloc(words * d, sizeof *copy);

    if (!copy) {
        return TROP_ERR_MEMORY;
    }
    memcpy(copy, trop_case_array(c, "E"), (size_t)(words * d) * sizeof *copy);
    trop_judge_at_least(judge, "independence of the embeddings", -1, trop_tf_basis(copy, words, d),
                        1e-3, 0);
    trop_alloc_free(copy);
    return TROP_OK;
}

static enum trop_status conclude_graph(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t words = trop_case_size(c, "E", 0), d = trop_case_size(c, "E", 1);
    const double *e = trop_case_array(c, "E"), *w = trop_case_array(c, "W");
    int64_t reach[MOST];

    for (int64_t at = 0; words * words <= MOST && at < words * words * words; at++) {
        const int64_t k = at / words / words, i = at / words % words, j = at % words;
        close_graph(reach, c, k);
        const double lead = logit(w, e + i * d, e + k * d, d) - logit(w, e + j * d, e + k * d, d);
        if (i < j && reach[i * words + j] && reach[j * words + i]) {
            trop_judge_near(judge, "words of one component: difference of logits", at, lead, 0,
                            2 * allowance(c));
        }
        if (i != j && reach[i * words + j] && !reach[j * words + i]) {
            trop_judge_at_least(judge, "a word that precedes another: its lead", at, lead, 1,
                                2 * allowance(c));
        }
    }
    return TROP_OK;
}

static enum trop_status equal_words(struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "E", 1);
    double *e = trop_case_array(c, "E");

    memcpy(e + d, e, (size_t)d * sizeof *e);
    return TROP_OK;
}

static enum trop_status move_graph(struct trop_case *c)
{
    for (int64_t k = 0; k < trop_case_size(c, "W", 0) * trop_case_size(c, "W", 1); k++) {
        trop_case_array(c, "W")[k] += 1e-3 * trop_case_normal(c, 142, k);
    }
    return TROP_OK;
}

/* Leads stay above 1, so that only the components show the change. */
static enum trop_status longer_and_moved(struct trop_case *c)
{
    for (int64_t k = 0; k < trop_case_size(c, "W", 0) * trop_case_size(c, "W", 1); k++) {
        trop_case_array(c, "W")[k] *= 1.1;
    }
    return move_graph(c);
}

static const struct trop_hypothesis graph_hypotheses[] = {
    { "independent", "the embeddings are linearly independent", independent, 0 },
    { 0 },
};

static const struct trop_spoil graph_spoils[] = {
    { "every weight moved by 1e-3", NULL, move_graph },
    { "the same, with W longer by a tenth", NULL, longer_and_moved },
    { "two words have one embedding", "independent", equal_words },
    { 0 },
};

static const struct trop_input graph_inputs[] = {
    { "E", "(words, d)", "embeddings" },
    { "ids", "(n, T)", "words of every input" },
    { "next", "(n)", "the word that follows" },
    { 0 },
};

const struct trop_claim trop_tf_rem_graph = {
    .id = "tf-rem-graph",
    .title = "Graph-SVM is orthogonal to the cyclic subspace",
    .statement =
        "The Graph-SVM solution of next-token data gives words of one strongly connected "
        "component of a token-priority graph equal logits, so that it is orthogonal to the "
        "cyclic subspace, and a word that precedes another leads it by at least 1.",
    .status = TROP_CLAIM_PROVED,
    .remark = "From the follow-up by Li, Huang, Ildiz, Rawat and Oymak (2024).",
    .old_inputs = graph_inputs,
    .hypotheses = graph_hypotheses,
    .old_draw = draw_graph,
    .old_work = work_graph,
    .old_conclude = conclude_graph,
    .spoils = graph_spoils,
    .trials = 50,
};
