/* inspect_report.c -- an inspection by name.
 *
 * Which fields a result has depends on what was measured, whether there is a model, whether rows
 * are told and whether there are several texts: its table is made of those that apply, and what
 * does not apply is absent. The static table, all that there can be of one text, is for manuals.
 */
#include "run/inspect/inspect.h"

#include "base/alloc.h"
#include "base/field.h"
#include "base/status.h"

#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#define AT(member) TROP_FIELD_AT(struct trop_inspect, member)
#define HEAD(member) TROP_FIELD_THROUGH(struct trop_inspect, head, struct trop_inspect_head, member)
#define LAYER(member) \
    TROP_FIELD_THROUGH(struct trop_inspect, layer, struct trop_inspect_layer, member)
#define KNOWN .form = trop_field_known
#define INTEGER .kind = TROP_KIND_INTEGER

/* Where a field applies. */
enum {
    ONE = 1,      /* one text */
    SEVERAL = 2,  /* more */
    ROWS = 4,     /* rows are told */
    NO_ROWS = 8,  /* they are not */
    MODEL = 16,   /* there is one */
    WORDS = 32,   /* and its tokens have words */
    DECODER = 64, /* it tells what comes next */
    INPUTS = 128, /* q, k, v and streams are told */
};

struct told {
    int64_t measure; /* enum trop_inspect_measure; 0: always */
    int64_t where;
    struct trop_field field;
};

/* ---- heads: arrays of rows ------------------------------------------------------------------- */

#define ROW_NUMBERS(name, member) \
    TROP_FIELD_READ(name) \
    { \
        const struct trop_head_result *r = ((const struct trop_inspect *)handle)->head[row].rows; \
        if (r && r->member) { \
            trop_field_numbers(out, r->member, r->n, "token"); \
        } \
        return TROP_OK; \
    }
#define ROW_INTEGERS(name, member) \
    TROP_FIELD_READ(name) \
    { \
        const struct trop_head_result *r = ((const struct trop_inspect *)handle)->head[row].rows; \
        if (r && r->member) { \
            trop_field_integers(out, r->member, r->n, "token"); \
        } \
        return TROP_OK; \
    }

ROW_INTEGERS(read_argmax, argmax)
ROW_INTEGERS(read_degree, degree)
ROW_NUMBERS(read_flip, flip)
ROW_NUMBERS(read_flip_relative, flip_relative)
ROW_NUMBERS(read_gap, gap)
ROW_NUMBERS(read_rho, rho)
ROW_NUMBERS(read_rho_low, rho_low)
ROW_NUMBERS(read_rho_high, rho_high)
ROW_NUMBERS(read_kappa, kappa)
ROW_NUMBERS(read_top_weight, top_weight)
ROW_NUMBERS(read_perplexity, perplexity)
ROW_NUMBERS(read_score_deviation, score_deviation)

/* Mixtures: of each token the members, and their weights. */
#define ROW_MEMBERS(name, member) \
    TROP_FIELD_READ(name) \
    { \
        const struct trop_head_result *r = ((const struct trop_inspect *)handle)->head[row].rows; \
        if (r && r->reach_there) { \
            trop_field_integers(out, r->member, r->n, "token"); \
            out->rank = 2; \
            out->shape[1] = r->reach_most; \
            out->axes[1] = "member"; \
        } \
        return TROP_OK; \
    }
#define ROW_WEIGHTS(name, member) \
    TROP_FIELD_READ(name) \
    { \
        const struct trop_head_result *r = ((const struct trop_inspect *)handle)->head[row].rows; \
        if (r && r->reach_there) { \
            trop_field_table_of(out, r->member, r->n, r->reach_most, "token", "member"); \
        } \
        return TROP_OK; \
    }

ROW_MEMBERS(read_query, reach_query)
ROW_MEMBERS(read_key, reach_key)
ROW_WEIGHTS(read_query_weight, reach_query_mix)
ROW_WEIGHTS(read_key_weight, reach_key_mix)

/* Part 0, 1 and 2 of what the head was given: q, k and v. */
static void tell_input(struct trop_value *out, const struct trop_inspect *i, int64_t row,
                       int64_t part)
{
    const int64_t n = i->text->n, d = trop_transformer_config(i->model)->head;

    trop_field_table_of(out, i->head[row].input + part * n * d, n, d, "token", "coordinate");
}

TROP_FIELD_READ(read_q)
{
    tell_input(out, handle, row, 0);
    return TROP_OK;
}

TROP_FIELD_READ(read_k)
{
    tell_input(out, handle, row, 1);
    return TROP_OK;
}

TROP_FIELD_READ(read_v)
{
    tell_input(out, handle, row, 2);
    return TROP_OK;
}

TROP_FIELD_READ(read_sink_token)
{
    const struct trop_inspect_head *head = ((const struct trop_inspect *)handle)->head + row;

    trop_field_integers(out, head->sink_token, head->sinks, "sink");
    return TROP_OK;
}

TROP_FIELD_READ(read_sink_rows)
{
    const struct trop_inspect_head *head = ((const struct trop_inspect *)handle)->head + row;

    trop_field_integers(out, head->sink_rows, head->sinks, "sink");
    return TROP_OK;
}

static int has_margin(const void *handle, int64_t row)
{
    return ((const struct trop_inspect *)handle)->head[row].margin.constraints > 0;
}

TROP_FIELD_READ(read_share_bounds)
{
    const struct trop_inspect_head *head = ((const struct trop_inspect *)handle)->head + row;

    if (has_margin(handle, row)) {
        trop_field_numbers(out, head->share_bounds, 2, "bound");
    }
    return TROP_OK;
}

TROP_FIELD_READ(read_quantiles)
{
    if (has_margin(handle, row)) {
        trop_field_numbers(out, ((const struct trop_inspect *)handle)->head[row].margin.quantiles,
                           TROP_HEAD_MARGIN_QUANTILES, "quantile");
    }
    return TROP_OK;
}

TROP_FIELD_READ(read_null)
{
    const struct trop_inspect_head *head = ((const struct trop_inspect *)handle)->head + row;

    if (has_margin(handle, row)) {
        trop_field_numbers(out, head->margin.null_share, head->margin.nulls, "random head");
    }
    return TROP_OK;
}

static const struct trop_head_frozen *frozen_of(const void *handle, int64_t row)
{
    return &((const struct trop_inspect *)handle)->head[row].frozen;
}

TROP_FIELD_READ(read_frozen)
{
    const struct trop_head_frozen *frozen = frozen_of(handle, row);

    if (frozen->there) {
        trop_field_text(out, frozen->clusters == 1 ? "consensus" : "metastable");
    }
    return TROP_OK;
}

TROP_FIELD_READ(read_merge_time)
{
    const struct trop_head_frozen *frozen = frozen_of(handle, row);

    if (frozen->there) {
        trop_field_numbers(out, frozen->merge_log10_steps, frozen->merges, "merge");
    }
    return TROP_OK;
}

TROP_FIELD_READ(read_merge_clusters)
{
    const struct trop_head_frozen *frozen = frozen_of(handle, row);

    if (frozen->there) {
        trop_field_integers(out, frozen->merge_clusters, frozen->merges, "merge");
    }
    return TROP_OK;
}

/* ---- heads: numbers -------------------------------------------------------------------------- */

/* A number of a head: itself of one text, of several its mean and deviation. */
#define NUMBER(measure_, where_, label, number_, meaning_) \
    { measure_, ONE | (where_), { label, meaning_, HEAD(number[number_].mean), KNOWN } }, \
        { measure_, \
          SEVERAL | ((where_) & ~(ROWS | NO_ROWS)), \
          { label ".mean", meaning_, HEAD(number[number_].mean), KNOWN } }, \
    { \
        measure_, SEVERAL | ((where_) & ~(ROWS | NO_ROWS)), \
        { \
            label ".deviation", meaning_, HEAD(number[number_].deviation), KNOWN \
        } \
    }

static const struct told head_told[] = {
    { 0, 0, { "layer", "index of the layer, from 0", INTEGER, HEAD(layer) } },
    { 0, 0, { "head", "index of the head in its layer, from 0", INTEGER, HEAD(head) } },
    NUMBER(0, 0, "selected", TROP_INSPECT_SELECTED, "tokens that some row selects"),
    NUMBER(TROP_INSPECT_REACH, 0, "reachable", TROP_INSPECT_REACHABLE,
           "tokens proved to be selected by some mixture of this text's queries; of causal heads "
           "without rotation: selected"),
    { TROP_INSPECT_REACH,
      ONE | ROWS,
      { "rho",
        "of each token: logits by which some mixture of this text's queries selects it; "
        "below 0: none does",
        .read = read_rho } },
    { TROP_INSPECT_REACH, ONE | ROWS, { "rho_low", "proved bound", .read = read_rho_low } },
    { TROP_INSPECT_REACH, ONE | ROWS, { "rho_high", "proved bound", .read = read_rho_high } },
    { TROP_INSPECT_REACH,
      ONE | ROWS,
      { "certificate.query", "of each token: the queries of the mixture that proves rho_low",
        .read = read_query } },
    { TROP_INSPECT_REACH,
      ONE | ROWS,
      { "certificate.query_weight", "and their weights; unused places have 0",
        .read = read_query_weight } },
    { TROP_INSPECT_REACH,
      ONE | ROWS,
      { "certificate.key", "of each token: the other keys of the mixture that proves rho_high",
        .read = read_key } },
    { TROP_INSPECT_REACH,
      ONE | ROWS,
      { "certificate.key_weight", "and their weights", .read = read_key_weight } },
    { 0, ONE | ROWS, { "argmax", "of each row: the token that it selects", .read = read_argmax } },
    { TROP_INSPECT_FLIP,
      ONE | ROWS,
      { "flip", "of each row: proved least change of the query that changes the token it selects",
        .read = read_flip } },
    NUMBER(TROP_INSPECT_FLIP, NO_ROWS, "flip", TROP_INSPECT_FLIP_MEAN,
           "proved least change of the query that changes the selected token: mean over rows"),
    { TROP_INSPECT_FLIP,
      ONE | ROWS | MODEL,
      { "flip_relative", "the same of the residual stream, relative to its length",
        .read = read_flip_relative } },
    NUMBER(TROP_INSPECT_FLIP, NO_ROWS | MODEL, "flip_relative", TROP_INSPECT_FLIP_RELATIVE,
           "least change of the residual stream behind its norm that changes the selected token, "
           "relative to its length: mean over rows"),
    { TROP_INSPECT_TEMPERATURE,
      ONE | ROWS,
      { "gap", "of each row: largest score less the mean score by weight", .read = read_gap } },
    NUMBER(TROP_INSPECT_TEMPERATURE, NO_ROWS, "gap", TROP_INSPECT_GAP,
           "largest score less the mean score by weight, in logits: mean over rows"),
    { TROP_INSPECT_TEMPERATURE,
      ONE | ROWS,
      { "top_weight", "of each row: its largest weight", .read = read_top_weight } },
    NUMBER(TROP_INSPECT_TEMPERATURE, NO_ROWS, "top_weight", TROP_INSPECT_TOP_WEIGHT,
           "largest weight: mean over rows"),
    { TROP_INSPECT_TEMPERATURE,
      ONE | ROWS,
      { "perplexity", "of each row: e to the entropy of its weights", .read = read_perplexity } },
    NUMBER(TROP_INSPECT_TEMPERATURE, NO_ROWS, "perplexity", TROP_INSPECT_PERPLEXITY,
           "e to the entropy of the weights: mean over rows"),
    { TROP_INSPECT_TEMPERATURE,
      ONE | ROWS,
      { "score_deviation", "of each row: standard deviation of its scores",
        .read = read_score_deviation } },
    NUMBER(TROP_INSPECT_TEMPERATURE, NO_ROWS, "score_deviation", TROP_INSPECT_SCORE_DEVIATION,
           "standard deviation of a row's scores: mean over rows"),
    NUMBER(TROP_INSPECT_TEMPERATURE, 0, "max_logit", TROP_INSPECT_MAX_LOGIT,
           "the largest score of the head"),
    NUMBER(TROP_INSPECT_KEYS, 0, "key_only", TROP_INSPECT_KEY_ONLY,
           "share of the scores' variation that does not depend on the query"),
    NUMBER(TROP_INSPECT_KEYS, 0, "key_only_rows", TROP_INSPECT_KEY_ONLY_ROWS,
           "share of rows that select what the keys alone would"),
    { TROP_INSPECT_HARDMAX,
      ONE | ROWS,
      { "kappa", "of each row: factor of the scores with which its token has 99% of the weight",
        .read = read_kappa } },
    NUMBER(TROP_INSPECT_HARDMAX, NO_ROWS, "kappa", TROP_INSPECT_KAPPA,
           "factor of the scores with which the selected token has 99% of the weight: median"),
    NUMBER(TROP_INSPECT_HARDMAX, 0, "hard_rows", TROP_INSPECT_HARD_ROWS,
           "share of rows that give 99% to one token"),
    NUMBER(TROP_INSPECT_HARDMAX, 0, "hardmax_distance", TROP_INSPECT_HARDMAX_DISTANCE,
           "distance of a row's output from the value it selects, relative to the farthest value"),
    NUMBER(TROP_INSPECT_FLIP, 0, "bfloat16.safe", TROP_INSPECT_BFLOAT16_SAFE,
           "rows proved to keep their token when q and k are rounded to bfloat16"),
    NUMBER(TROP_INSPECT_FLIP, 0, "bfloat16.flipped", TROP_INSPECT_BFLOAT16_FLIPPED,
           "rows that lose it"),
    NUMBER(TROP_INSPECT_FLIP, 0, "bfloat16.open", TROP_INSPECT_BFLOAT16_OPEN,
           "rows that keep it, without a proof for other roundings"),
    NUMBER(TROP_INSPECT_FLIP, 0, "float16.safe", TROP_INSPECT_FLOAT16_SAFE,
           "rows that provably keep their token when q and k are rounded to float16"),
    NUMBER(TROP_INSPECT_FLIP, 0, "float16.flipped", TROP_INSPECT_FLOAT16_FLIPPED,
           "rows that lose their token in float16"),
    NUMBER(TROP_INSPECT_FLIP, 0, "float16.open", TROP_INSPECT_FLOAT16_OPEN,
           "rows that keep it in float16 without a proof"),
    NUMBER(TROP_INSPECT_HYPOTHETICAL, 0, "hypothetical.sets", TROP_INSPECT_QUIET_SETS,
           "sets of tokens that the head, if it were iterated as hardmax, would keep apart"),
    NUMBER(TROP_INSPECT_HYPOTHETICAL, 0, "hypothetical.epsilon", TROP_INSPECT_QUIET_EPSILON,
           "logits within which rows must follow others for one set to be left"),
    NUMBER(TROP_INSPECT_HYPOTHETICAL, 0, "hypothetical.clusters", TROP_INSPECT_FROZEN_CLUSTERS,
           "tokens that the head as a flow was followed to: 1 unless it is metastable"),
    NUMBER(TROP_INSPECT_HYPOTHETICAL, 0, "hypothetical.log10_steps", TROP_INSPECT_FROZEN_STEPS,
           "log10 of the steps of a tenth that this took"),
    { TROP_INSPECT_HYPOTHETICAL,
      ONE,
      { "hypothetical.certificate",
        "consensus, which every such flow reaches, was followed to the end; or metastable",
        .read = read_frozen } },
    { TROP_INSPECT_HYPOTHETICAL,
      ONE | ROWS,
      { "hypothetical.merges.log10_steps", "log10 of the steps at which tokens became one",
        .read = read_merge_time } },
    { TROP_INSPECT_HYPOTHETICAL,
      ONE | ROWS,
      { "hypothetical.merges.clusters", "and how many are left then",
        .read = read_merge_clusters } },
    { 0, ONE | INPUTS, { "q", "queries, after position and rotation", .read = read_q } },
    { 0, ONE | INPUTS, { "k", "keys of the head, after position and rotation", .read = read_k } },
    { 0, ONE | INPUTS, { "v", "values of the head", .read = read_v } },
    { TROP_INSPECT_LEADERS,
      ONE,
      { "sinks.token", "the tokens that most rows select", .read = read_sink_token } },
    { TROP_INSPECT_LEADERS,
      ONE,
      { "sinks.rows", "number of rows that select each of these tokens", .read = read_sink_rows } },
    { TROP_INSPECT_LEADERS,
      ONE | WORDS,
      { "sinks.kind",
        "what the first of these tokens is: the first token of the text, a separator or ordinary",
        .kind = TROP_KIND_TEXT, HEAD(sink_kind[0]) } },
    { TROP_INSPECT_LEADERS,
      ONE | ROWS,
      { "sinks.degree", "of each token: rows that select it", .read = read_degree } },
    NUMBER(TROP_INSPECT_LEADERS, 0, "sinks.share", TROP_INSPECT_SINK_SHARE,
           "share of rows that select the most selected token"),
    NUMBER(TROP_INSPECT_LEADERS, 0, "sinks.first", TROP_INSPECT_SINK_FIRST,
           "share of rows that select the first token"),
    NUMBER(TROP_INSPECT_LEADERS, WORDS, "sinks.separator", TROP_INSPECT_SINK_SEPARATOR,
           "share of rows that select a separator behind the first token"),
    NUMBER(TROP_INSPECT_PATCH, MODEL, "patch.cosine", TROP_INSPECT_PATCH_COSINE,
           "cosine of the last hidden states with those of the model in which this head takes "
           "hardmax: mean over tokens"),
    NUMBER(TROP_INSPECT_PATCH, MODEL | DECODER, "patch.kl", TROP_INSPECT_PATCH_KL,
           "decoders: divergence of the distributions of the next token, mean over positions"),
    NUMBER(TROP_INSPECT_MARGIN, MODEL, "margin.share", TROP_INSPECT_MARGIN_SHARE,
           "share of the attainable margin that the head's matrix has"),
    NUMBER(TROP_INSPECT_MARGIN, MODEL, "margin.cosine", TROP_INSPECT_MARGIN_COSINE,
           "cosine of the head's matrix, as the constraints see it, with the max-margin one"),
    { TROP_INSPECT_MARGIN,
      ONE | MODEL,
      { "margin.share_bounds", "proved: not less and not more", .read = read_share_bounds } },
    { TROP_INSPECT_MARGIN,
      ONE | MODEL,
      { "margin.quantiles", "0, 1/4, 1/2, 3/4 and 1 of the share over rows",
        .read = read_quantiles } },
    { TROP_INSPECT_MARGIN,
      ONE | MODEL,
      { "margin.null", "the share of random heads with the same singular values",
        .read = read_null } },
    NUMBER(TROP_INSPECT_MARGIN, MODEL, "margin.null_mean", TROP_INSPECT_MARGIN_NULL,
           "the mean of these"),
    NUMBER(TROP_INSPECT_MARGIN, MODEL, "margin.null_cosine", TROP_INSPECT_MARGIN_NULL_COSINE,
           "mean of the same cosine over the random heads"),
    { TROP_INSPECT_MARGIN,
      SEVERAL | MODEL,
      { "margin.held_out",
        "share of rows on every second text that the max-margin matrix of the others selects as "
        "the head does",
        HEAD(held_out), KNOWN } },
};

/* ---- layers ---------------------------------------------------------------------------------- */

#define STREAM(label, number_, meaning_) \
    { TROP_INSPECT_DEPTH, ONE, { label, meaning_, LAYER(number[number_].mean), KNOWN } }, \
        { TROP_INSPECT_DEPTH, \
          SEVERAL, \
          { label ".mean", meaning_, LAYER(number[number_].mean), KNOWN } }, \
    { \
        TROP_INSPECT_DEPTH, SEVERAL, \
        { \
            label ".deviation", meaning_, LAYER(number[number_].deviation), KNOWN \
        } \
    }

static void tell_stream(struct trop_value *out, const struct trop_inspect *i, const double *x)
{
    trop_field_table_of(out, x, i->text->n, trop_transformer_config(i->model)->width, "token",
                        "channel");
}

TROP_FIELD_READ(read_stream)
{
    tell_stream(out, handle, ((const struct trop_inspect *)handle)->layer[row].stream);
    return TROP_OK;
}

static const struct told layer_told[] = {
    { 0,
      0,
      { "layer",
        "layer whose input is described; one more than the last: the output of the last layer",
        INTEGER, LAYER(layer) } },
    { 0, ONE | INPUTS, { "stream", "the residual stream itself", .read = read_stream } },
    STREAM("cosine", TROP_INSPECT_COSINE, "mean over pairs of tokens of the residual stream"),
    STREAM("cosine_centred", TROP_INSPECT_COSINE_CENTRED,
           "mean cosine of pairs of tokens after the mean token is subtracted"),
    STREAM("cosine_ordinary", TROP_INSPECT_COSINE_ORDINARY,
           "mean cosine of pairs without the tokens that are ten times as long as the median"),
    STREAM("massive", TROP_INSPECT_MASSIVE, "number of such long tokens"),
    STREAM("effective_rank", TROP_INSPECT_EFFECTIVE_RANK,
           "e to the entropy of the squared singular values"),
    STREAM("clusters", TROP_INSPECT_CLUSTERS,
           "number of clusters of tokens, at the tolerance of the options"),
};

/* ---- the whole ------------------------------------------------------------------------------- */

TROP_FIELD_READ(read_tokens)
{
    const struct trop_inspect *i = handle;

    (void)row;
    *out = (struct trop_value){ .kind = TROP_KIND_TEXTS,
                                .texts = (const char *const *)i->text->tokens,
                                .rank = 1,
                                .shape = { i->text->n },
                                .axes = { "token" } };
    return TROP_OK;
}

TROP_FIELD_READ(read_ids)
{
    const struct trop_inspect *i = handle;

    (void)row;
    trop_field_integers(out, i->text->ids, i->text->n, "token");
    return TROP_OK;
}

TROP_FIELD_READ(read_family)
{
    (void)row;
    trop_field_text(out,
                    trop_transformer_config(((const struct trop_inspect *)handle)->model)->family);
    return TROP_OK;
}

TROP_FIELD_READ(read_hidden)
{
    (void)row;
    tell_stream(out, handle, ((const struct trop_inspect *)handle)->hidden);
    return TROP_OK;
}

static const struct told whole_told[] = {
    { 0, MODEL, { "model.path", "folder or file", .kind = TROP_KIND_TEXT, AT(path) } },
    { 0, MODEL, { "model.family", "bert, gpt2 or llama", .read = read_family } },
    { 0, 0, { "model.layers", "number of layers of the model", INTEGER, AT(layer_total) } },
    { 0, 0, { "model.heads", "number of heads of a layer", INTEGER, AT(head_total) } },
    { 0, 0, { "texts", "number of texts that were read", INTEGER, AT(done) } },
    { 0, ONE | WORDS, { "tokens", "tokens of the text, as words", .read = read_tokens } },
    { 0, ONE | MODEL, { "ids", "numbers of these tokens in the vocabulary", .read = read_ids } },
    { 0,
      ONE | INPUTS,
      { "hidden", "the last hidden states, behind the last norm", .read = read_hidden } },
};

/* The lists, behind the others; their columns are set where the table is made. */
static const struct trop_field lists[] = {
    { "heads", "the heads that were looked at, an object for each", .kind = TROP_KIND_LIST,
      AT(heads) },
    { "layers", "streams between layers", .kind = TROP_KIND_LIST, AT(layers) },
};

#define COUNT(list) ((int64_t)(sizeof(list) / sizeof(list)[0]))
#define FIELDS (COUNT(whole_told) + 3 + COUNT(head_told) + 1 + COUNT(layer_told) + 1)

/* Those of the list that apply, with an empty one behind; where the next may stand. */
static struct trop_field *take(struct trop_field *out, const struct told *list, int64_t count,
                               int64_t measures, int64_t where)
{
    for (int64_t k = 0; k < count; k++) {
        if ((list[k].measure == 0 || list[k].measure & measures) &&
            (list[k].where & where) == list[k].where) {
            *out++ = list[k].field;
        }
    }
    *out = (struct trop_field){ 0 };
    return out + 1;
}

static void make(struct trop_field *fields, int64_t measures, int64_t where)
{
    struct trop_field *at = take(fields, whole_told, COUNT(whole_told), measures, where) - 1;
    struct trop_field *heads = fields + COUNT(whole_told) + 3;
    struct trop_field *layers = take(heads, head_told, COUNT(head_told), measures, where);

    take(layers, layer_told, COUNT(layer_told), measures, where);
    *at = lists[0];
    at++->columns = heads;
    if (measures & TROP_INSPECT_DEPTH || where & INPUTS) {
        *at = lists[1];
        at++->columns = layers;
    }
    *at = (struct trop_field){ 0 };
}

enum trop_status trop_inspect_tell(struct trop_inspect *i)
{
    const int decodes = i->model && trop_transformer_config(i->model)->logits;
    const int64_t where = (i->texts > 1 ? SEVERAL : ONE) | (i->options.rows ? ROWS : NO_ROWS) |
                          (i->model ? MODEL : 0) | (i->text->tokens ? WORDS : 0) |
                          (decodes ? DECODER : 0) | (i->options.inputs ? INPUTS : 0);

    i->fields = trop_alloc(FIELDS, sizeof *i->fields);
    if (!i->fields) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a table of fields");
    }
    make(i->fields, i->measures, where);
    return TROP_OK;
}

static struct trop_field every_field[FIELDS];
static pthread_once_t every_field_once = PTHREAD_ONCE_INIT;

static void make_every_field(void)
{
    make(every_field, TROP_INSPECT_ALL, ONE | NO_ROWS | MODEL | WORDS | DECODER | INPUTS);
}

const struct trop_field *trop_inspect_field_table(void)
{
    pthread_once(&every_field_once, make_every_field);
    return every_field;
}
