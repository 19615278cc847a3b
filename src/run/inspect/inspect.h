/* inspect.h -- what the heads of a trained transformer select, on one text or on many.
 *
 * A text goes through the model once (model/net/transformer.h); of every layer and head that is
 * asked for, the queries, keys and values it was given are measured (model/head/head.h,
 * head_margin.h), and so is the residual stream between the layers (depth.h). Heads are shared
 * among workers, each measured by one, so that threads change nothing. From arrays alone there is
 * one text, without words, and no model behind it.
 */
#ifndef TROP_RUN_INSPECT_H
#define TROP_RUN_INSPECT_H

#include "io/array.h"
#include "model/head/depth.h"
#include "model/head/head.h"
#include "model/head/head_frozen.h"
#include "model/head/head_margin.h"
#include "model/text/tokenizer.h"
#include "model/net/transformer.h"
#include "tropism_lab.h"

/* What is measured, in the order of trop_inspect_measures: those of model/head/head.h, and more. */
enum trop_inspect_measure {
    TROP_INSPECT_REACH = 1,
    TROP_INSPECT_MARGIN = 2,
    TROP_INSPECT_FLIP = 4,
    TROP_INSPECT_HARDMAX = 8,
    TROP_INSPECT_LEADERS = 16,
    TROP_INSPECT_TEMPERATURE = 32,
    TROP_INSPECT_KEYS = 64,
    TROP_INSPECT_PATCH = 128,
    TROP_INSPECT_DEPTH = 256,
    TROP_INSPECT_HYPOTHETICAL = 512,
    TROP_INSPECT_ALL = 1023
};

/* One number of a head and a text. */
enum trop_inspect_number {
    TROP_INSPECT_SELECTED,
    TROP_INSPECT_REACHABLE,
    TROP_INSPECT_FLIP_MEAN,
    TROP_INSPECT_FLIP_RELATIVE,
    TROP_INSPECT_GAP,
    TROP_INSPECT_TOP_WEIGHT,
    TROP_INSPECT_PERPLEXITY,
    TROP_INSPECT_SCORE_DEVIATION,
    TROP_INSPECT_MAX_LOGIT,
    TROP_INSPECT_KEY_ONLY,
    TROP_INSPECT_KEY_ONLY_ROWS,
    TROP_INSPECT_KAPPA,
    TROP_INSPECT_HARD_ROWS,
    TROP_INSPECT_HARDMAX_DISTANCE,
    TROP_INSPECT_BFLOAT16_SAFE,
    TROP_INSPECT_BFLOAT16_FLIPPED,
    TROP_INSPECT_BFLOAT16_OPEN,
    TROP_INSPECT_FLOAT16_SAFE,
    TROP_INSPECT_FLOAT16_FLIPPED,
    TROP_INSPECT_FLOAT16_OPEN,
    TROP_INSPECT_SINK_SHARE,
    TROP_INSPECT_SINK_FIRST,
    TROP_INSPECT_SINK_SEPARATOR,
    TROP_INSPECT_PATCH_COSINE,
    TROP_INSPECT_PATCH_KL,
    TROP_INSPECT_MARGIN_SHARE,
    TROP_INSPECT_MARGIN_COSINE,
    TROP_INSPECT_MARGIN_NULL,
    TROP_INSPECT_MARGIN_NULL_COSINE,
    TROP_INSPECT_QUIET_SETS,
    TROP_INSPECT_QUIET_EPSILON,
    TROP_INSPECT_FROZEN_CLUSTERS,
    TROP_INSPECT_FROZEN_STEPS,
    TROP_INSPECT_NUMBERS
};

/* And of a layer. */
enum trop_inspect_layer_number {
    TROP_INSPECT_COSINE,
    TROP_INSPECT_COSINE_CENTRED,
    TROP_INSPECT_COSINE_ORDINARY,
    TROP_INSPECT_EFFECTIVE_RANK,
    TROP_INSPECT_CLUSTERS,
    TROP_INSPECT_MASSIVE,
    TROP_INSPECT_LAYER_NUMBERS
};

#define TROP_INSPECT_SINKS 5 /* that are listed of a head */

/* Over texts; NaN: there is none. */
struct trop_inspect_mean {
    double mean, deviation;
};

/* A head: its numbers, and of one text what its rows have. */
struct trop_inspect_head {
    int64_t layer, head;
    double *value; /* (TROP_INSPECT_NUMBERS, texts) */
    struct trop_inspect_mean number[TROP_INSPECT_NUMBERS];
    struct trop_head_result *rows; /* of the last text; NULL: not kept */
    double *input;                 /* (3, n, head) q, k and v of one text; NULL: not kept */
    struct trop_head_input given;  /* of the last text; its q and k NULL: not kept */
    struct trop_head_margin margin;
    struct trop_head_frozen frozen; /* of the last text */
    double share_bounds[2];
    double held_out; /* of several texts: agreement of W_mm, NaN: none */
    int64_t sinks;
    int64_t sink_token[TROP_INSPECT_SINKS], sink_rows[TROP_INSPECT_SINKS];
    const char *sink_kind[TROP_INSPECT_SINKS];
};

struct trop_inspect_layer {
    int64_t layer;
    double *value;  /* (TROP_INSPECT_LAYER_NUMBERS, texts) */
    double *stream; /* (n, width) of one text; NULL: not kept */
    struct trop_inspect_mean number[TROP_INSPECT_LAYER_NUMBERS];
};

struct trop_inspect_text {
    int64_t n;
    int64_t *ids;        /* (n); NULL: arrays alone */
    const char **tokens; /* (n) in words; NULL: they have none */
    char *words;
};

struct trop_inspect {
    struct trop_inspect_options options; /* its texts are not kept */
    int64_t measures;                    /* enum trop_inspect_measure */
    struct trop_transformer *model;      /* NULL: arrays alone */
    char *path;                          /* of the model */
    struct trop_array q, k, v;           /* of arrays alone: (layers, heads, n, d) */
    int64_t layer_total, head_total;     /* that there are */
    char *wanted_layer, *wanted_head;    /* (total) 1: is looked at */
    struct trop_inspect_text *text;      /* (texts) */
    int64_t texts;
    struct trop_inspect_head *head; /* (heads) layers in turn, the heads of each in turn */
    int64_t heads;
    struct trop_inspect_layer
        *layer; /* (layers) streams entering each wanted layer, and the last */
    int64_t layers;
    int64_t done;              /* texts */
    double *hidden;            /* (n, width) the last states of one text; NULL: not kept */
    int keeps_rows;            /* 1: of the heads on the last text, for rows, a page or a proof */
    int proves;                /* 1: and their queries and keys, for a proof */
    struct trop_field *fields; /* those that this result has, with the columns of lists behind */
};

extern const char *const trop_inspect_measures[]; /* NULL-ended */

/* inspect_options.c: marks what a list such as 0,3:5 names; NULL: all. */
enum trop_status trop_inspect_list(char *wanted, int64_t total, const char *list,
                                   const char *option);
enum trop_status trop_inspect_which(int64_t *out, const struct trop_inspect_options *options);

/* inspect_text.c: the texts of the options in the tokens of the model. */
enum trop_status trop_inspect_read(struct trop_inspect *inspect, const struct trop_setup *setup,
                                   const char *folder);
void trop_inspect_text_free(struct trop_inspect_text *text);
/* first, separator or ordinary. */
const char *trop_inspect_kind(const struct trop_inspect_text *text, int64_t token);

/* inspect_head.c: what head h (of inspect->head) is on text t. */
enum trop_status trop_inspect_head(struct trop_inspect *inspect, int64_t h, int64_t t,
                                   const struct trop_head_input *input);

/* inspect_inputs.c: room for what the heads and layers of one text are given, when that is asked
 * for, and its numbers. */
enum trop_status trop_inspect_open_inputs(struct trop_inspect *inspect);
/* Of the heads alone. */
enum trop_status trop_inspect_open_heads(struct trop_inspect *inspect);
void trop_inspect_free_inputs(struct trop_inspect *inspect);
void trop_inspect_keep_streams(struct trop_inspect *inspect,
                               const struct trop_transformer_pass *pass);
void trop_inspect_keep_input(struct trop_inspect_head *head, const struct trop_head_input *input,
                             int is_array);

/* inspect.c: how many heads from this one on are of its layer. */
int64_t trop_inspect_heads_of_layer(const struct trop_inspect *inspect, int64_t first);

/* inspect_patch.c: room for a text, and head h of a layer with hardmax. */
struct trop_inspect_patches {
    const struct trop_transformer_pass *pass;
    double *hidden;           /* (n, width) patched */
    double *logits, *patched; /* (n, vocab) of decoders */
};
enum trop_status trop_inspect_open_patches(struct trop_inspect_patches *p,
                                           const struct trop_inspect *inspect, int64_t text);
enum trop_status trop_inspect_patch_head(struct trop_inspect *inspect,
                                         struct trop_inspect_patches *p, int64_t h, int64_t text,
                                         const struct trop_transformer_layer *layer);

/* inspect_margin.c: held_out of every head. */
enum trop_status trop_inspect_held_out(struct trop_inspect *inspect, trop_progress *progress,
                                       void *context);

/* inspect_report.c: the table of what this result has. */
enum trop_status trop_inspect_tell(struct trop_inspect *inspect);

/* inspect_html.c: the result as a page. */
enum trop_status trop_inspect_html(const struct trop_job *job, const char *path);

#endif
