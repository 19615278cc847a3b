/* proof_head.c -- what is proved of attention heads on one text: kinds of claims of the verb
 * inspect.
 *
 * Queries and keys are inputs of the file as the head had them; claims are about these numbers.
 * The radius of a row is the program's lower bound, within 2 (d + 16) 2^-53 of the least change
 * that flips (head_flip.c); its upper end adds twice that. The checker finds the least itself.
 */
#include "run/proof/proof.h"

#include "base/alloc.h"
#include "base/status.h"
#include "run/inspect/inspect.h"

#include <math.h>
#include <stdio.h>

/* ---- heads ----------------------------------------------------------------------------------- */

/* A head whose rows, queries and keys are kept. */
struct shown {
    const struct trop_inspect_head *head;
    const struct trop_head_input *input;
    const struct trop_head_result *rows;
};

/* How many claims of a kind a head has. */
typedef int64_t count_of(const struct shown *shown);

static int show(struct shown *out, const struct trop_inspect_head *head)
{
    *out = (struct shown){ head, &head->given, head->rows };
    return head->rows && head->given.q && head->given.k;
}

static int64_t count(const struct trop_job *job, count_of *of)
{
    const struct trop_inspect *i = job->numbers;
    struct shown shown;
    int64_t found = 0;

    for (int64_t h = 0; i->done == i->texts && h < i->heads; h++) {
        found += show(&shown, i->head + h) ? of(&shown) : 0;
    }
    return found;
}

/* The head of claim k, and which of its claims that is. */
static int64_t find(struct shown *out, const struct trop_job *job, int64_t k, count_of *of)
{
    const struct trop_inspect *i = job->numbers;

    *out = (struct shown){ 0 };
    for (int64_t h = 0; h < i->heads; h++) {
        const int64_t claims = show(out, i->head + h) ? of(out) : 0;
        if (k < claims) {
            break;
        }
        k -= claims;
    }
    return k;
}

/* An array of the head, an input of the file. */
static void put_input(struct trop_proof *proof, const struct shown *shown, const char *name,
                      const char *what, const double *x, int64_t rows)
{
    char input[64];

    snprintf(input, sizeof input, "layer%lld.head%lld.%s", (long long)shown->head->layer,
             (long long)shown->head->head, what);
    trop_proof_input(proof, name, input, x, rows, shown->input->d);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Those that a claim is about, in one piece of memory. */
struct list {
    int64_t *row, *selected, count;
    double *radius, *upper;
};

static enum trop_status list_open(struct list *out, const struct shown *shown)
{
    const int64_t n = shown->input->n;

    *out = (struct list){ 0 };
    return TROP_ALLOC(TROP_PART(out->row, n), TROP_PART(out->selected, n),
                      TROP_PART(out->radius, n), TROP_PART(out->upper, n))
               ? TROP_OK
               : trop_fail(TROP_ERR_MEMORY, "no memory for the proofs of %lld rows", (long long)n);
}

static void list_close(struct list *list)
{
    TROP_FREE(list->row, list->selected, list->radius, list->upper);
}

static void put_rows(struct trop_proof *proof, const struct shown *shown, const struct list *list)
{
    const struct trop_head_input *input = shown->input;

    put_input(proof, shown, "queries", "queries", input->q, input->n);
    put_input(proof, shown, "keys", "keys", input->k, input->n);
    trop_proof_text(proof, "mask", input->causal ? "causal" : "none");
    trop_proof_integer(proof, "window", input->window < input->n ? input->window : 0);
    trop_proof_integers(proof, "rows", list->row, list->count, -1);
    trop_proof_integers(proof, "selected", list->selected, list->count, -1);
}

static void say(struct trop_proof *proof, const struct shown *shown, const struct list *list,
                const char *words)
{
    trop_proof_says(
        proof, "In this head of %lld tokens in dimension %lld each of these %lld rows %s",
        (long long)shown->input->n, (long long)shown->input->d, (long long)list->count, words);
}

/* ---- head-flip ------------------------------------------------------------------------------- */

/* Rows that see one distinct key keep it whatever happens: nothing is claimed of them. */
static int64_t flip_of(const struct shown *shown)
{
    int found = 0;

    for (int64_t i = 0; shown->rows->flip && i < shown->input->n; i++) {
        found |= isfinite(shown->rows->flip[i]) != 0;
    }
    return found;
}

static int64_t flip_count(const struct trop_job *job)
{
    return count(job, flip_of);
}

static enum trop_status flip_write(struct trop_proof *proof, const struct trop_job *job, int64_t k)
{
    struct shown shown;
    struct list list;

    find(&shown, job, k, flip_of);
    const enum trop_status status = list_open(&list, &shown);
    const double wider = 1 + 0x1p-51 * (double)(shown.input->d + 16);
    for (int64_t i = 0; status == TROP_OK && i < shown.input->n; i++) {
        const double radius = shown.rows->flip[i];
        if (isfinite(radius)) {
            list.row[list.count] = i;
            list.selected[list.count] = shown.rows->argmax[i];
            list.radius[list.count] = radius;
            list.upper[list.count++] = radius > 0 ? radius * wider : 0x1p-899;
        }
    }
    if (status == TROP_OK) {
        say(proof, &shown, &list,
            "keeps the token that it selects while its query moves by less than its radius, keys "
            "held; a move by at most its upper end makes another as good.");
        trop_proof_symbols(proof, "radius_i <= min_t <q_i, k_a - k_t> / |k_a - k_t| <= upper_i, a "
                                  "= selected_i, k_t seen, k_t != k_a");
        put_rows(proof, &shown, &list);
        trop_proof_doubles(proof, "radius", list.radius, list.count, -1);
        trop_proof_doubles(proof, "upper", list.upper, list.count, -1);
        trop_proof_witness(proof);
    }
    list_close(&list);
    return status;
}

/* ---- head-rounding --------------------------------------------------------------------------- */

static const struct {
    const char *name;
    unsigned char bit;
} formats[] = { { "bfloat16", TROP_HEAD_BFLOAT16 }, { "float16", TROP_HEAD_FLOAT16 } };

static int64_t rounding_of(const struct shown *shown)
{
    unsigned char safe = 0;

    for (int64_t i = 0; shown->rows->safe && i < shown->input->n; i++) {
        safe |= shown->rows->safe[i];
    }
    return ((safe & TROP_HEAD_BFLOAT16) != 0) + ((safe & TROP_HEAD_FLOAT16) != 0);
}

static int64_t rounding_count(const struct trop_job *job)
{
    return count(job, rounding_of);
}

static void take_safe(struct list *list, const struct shown *shown, int format)
{
    list->count = 0;
    for (int64_t i = 0; i < shown->input->n; i++) {
        if (shown->rows->safe[i] & formats[format].bit) {
            list->row[list->count] = i;
            list->selected[list->count++] = shown->rows->argmax[i];
        }
    }
}

static enum trop_status rounding_write(struct trop_proof *proof, const struct trop_job *job,
                                       int64_t k)
{
    struct shown shown;
    struct list list;
    char words[96];
    int format = (int)find(&shown, job, k, rounding_of);
    const enum trop_status status = list_open(&list, &shown);

    if (status == TROP_OK) {
        take_safe(&list, &shown, format);
        if (list.count == 0) { /* the first claim is then of the other format */
            take_safe(&list, &shown, ++format);
        }
        snprintf(words, sizeof words,
                 "keeps the token that it selects when queries and keys are rounded to %s.",
                 formats[format].name);
        say(proof, &shown, &list, words);
        trop_proof_symbols(proof,
                           "<q, k_a - k_t> > u A + u (1 + u) (P_a + P_t) + h ((1 + u) (K_a + "
                           "K_t + 2 Q) + 2 d h)");
        put_rows(proof, &shown, &list);
        trop_proof_text(proof, "format", formats[format].name);
        trop_proof_witness(proof);
    }
    list_close(&list);
    return status;
}

/* ---- head-reach ------------------------------------------------------------------------------ */

static int is_bounded(const struct trop_head_result *r, int64_t token)
{
    return isfinite(r->rho_low[token]) && isfinite(r->rho_high[token]);
}

static int64_t reach_of(const struct shown *shown)
{
    const struct trop_head_result *r = shown->rows;
    int found = 0;

    for (int64_t t = 0; r->rho && r->reach_there && t < shown->input->n; t++) {
        found |= is_bounded(r, t);
    }
    return found;
}

static int64_t reach_count(const struct trop_job *job)
{
    return count(job, reach_of);
}

/* Tokens, and of each the mixtures with `queries` and `keys` members at most, of room `most`. */
struct mixtures {
    int64_t *token, count;
    double *low, *high;
    int64_t *query, *key, queries, keys;
    double *query_weight, *key_weight;
};

static int64_t used(const double *weight, int64_t most)
{
    while (most > 0 && !(weight[most - 1] > 0)) {
        most--;
    }
    return most;
}

/* The row that selects a token whose low is 0, which proves that; -1: its mixture does. */
static int64_t row_of(const struct trop_head_result *r, int64_t token)
{
    for (int64_t i = 0; r->rho_low[token] == 0 && !r->reach_queries && i < r->n; i++) {
        if (r->argmax[i] == token) {
            return i;
        }
    }
    return -1;
}

static void measure(struct mixtures *m, const struct trop_head_result *r)
{
    const int64_t most = r->reach_most;

    m->queries = m->keys = 1;
    for (int64_t t = 0; t < r->n; t++) {
        if (is_bounded(r, t)) {
            const int64_t queries = used(r->reach_query_mix + t * most, most);
            const int64_t keys = used(r->reach_key_mix + t * most, most);
            m->queries = queries > m->queries ? queries : m->queries;
            m->keys = keys > m->keys ? keys : m->keys;
        }
    }
}

static void fill(struct mixtures *m, const struct trop_head_result *r)
{
    const int64_t most = r->reach_most;

    for (int64_t t = 0; t < r->n; t++) {
        if (!is_bounded(r, t)) {
            continue;
        }
        const int64_t k = m->count++, row = row_of(r, t);
        m->token[k] = t - r->reach_first;
        m->low[k] = r->rho_low[t];
        m->high[k] = r->rho_high[t];
        for (int64_t b = 0; b < m->queries; b++) {
            const int is_row = row >= 0;
            m->query[k * m->queries + b] = is_row ? row : r->reach_query[t * most + b];
            m->query_weight[k * m->queries + b] =
                is_row ? b == 0 : r->reach_query_mix[t * most + b];
        }
        for (int64_t b = 0; b < m->keys; b++) {
            const double weight = r->reach_key_mix[t * most + b];
            m->key[k * m->keys + b] = weight > 0 ? r->reach_key[t * most + b] - r->reach_first : 0;
            m->key_weight[k * m->keys + b] = weight;
        }
    }
}

static void put_reach(struct trop_proof *proof, const struct shown *shown, const struct mixtures *m)
{
    const struct trop_head_input *input = shown->input;
    const struct trop_head_result *r = shown->rows;
    const int is_whole = r->reach_keys == input->n;

    trop_proof_says(proof,
                    "For each of %lld of these %lld keys some mixture of these %lld queries has a "
                    "lead of at least its low over the others, in logits, and none has one above "
                    "its high.",
                    (long long)m->count, (long long)r->reach_keys, (long long)r->reach_rows);
    trop_proof_symbols(proof, "low_j <= max_c min_t scale sum_i c_i <q_i, k_j - k_t> <= high_j, c "
                              ">= 0, sum_i c_i = 1, k_t != k_j");
    put_input(proof, shown, "queries", r->reach_queries ? "turned" : "queries",
              r->reach_queries ? r->reach_queries : input->q, r->reach_rows);
    put_input(proof, shown, "keys", is_whole ? "keys" : "seen",
              input->k + r->reach_first * input->d, r->reach_keys);
    trop_proof_double(proof, "scale", input->scale);
    trop_proof_integers(proof, "tokens", m->token, m->count, -1);
    trop_proof_doubles(proof, "low", m->low, m->count, -1);
    trop_proof_doubles(proof, "high", m->high, m->count, -1);
    trop_proof_witness(proof);
    trop_proof_integers(proof, "query", m->query, m->count, m->queries);
    trop_proof_doubles(proof, "query_weight", m->query_weight, m->count, m->queries);
    trop_proof_integers(proof, "key", m->key, m->count, m->keys);
    trop_proof_doubles(proof, "key_weight", m->key_weight, m->count, m->keys);
}

static enum trop_status reach_write(struct trop_proof *proof, const struct trop_job *job, int64_t k)
{
    struct shown shown;
    struct mixtures m = { 0 };
    enum trop_status status = TROP_OK;

    find(&shown, job, k, reach_of);
    const int64_t n = shown.input->n;
    measure(&m, shown.rows);
    if (TROP_ALLOC(TROP_PART(m.token, n), TROP_PART(m.low, n), TROP_PART(m.high, n),
                   TROP_PART(m.query, n * m.queries), TROP_PART(m.query_weight, n * m.queries),
                   TROP_PART(m.key, n * m.keys), TROP_PART(m.key_weight, n * m.keys))) {
        fill(&m, shown.rows);
        put_reach(proof, &shown, &m);
    } else {
        status =
            trop_fail(TROP_ERR_MEMORY, "no memory for the mixtures of %lld tokens", (long long)n);
    }
    TROP_FREE(m.token, m.low, m.high, m.query, m.query_weight, m.key, m.key_weight);
    return status;
}

const struct trop_proof_kind trop_proof_inspect[] = {
    { "head-flip", flip_count, flip_write, NULL },
    { "head-rounding", rounding_count, rounding_write, NULL },
    { "head-reach", reach_count, reach_write, NULL },
    { 0 },
};
