/* inspect_html_numbers.c -- the numbers of heads and layers: what each is, and what is proved of
 * it. s_ij are scores, a_ij weights, sigma their scale; row i selects a = argmax_j s_ij. */
#include "run/inspect/inspect_html.h"

#define COMPUTED "Computed in double from the stored weights; no bound of its error is claimed."
#define COUNTED "A count of selections, which are decided without error on the doubles given."
#define PROVED_ROUNDING \
    "Proved: s_a - s_t moves by at most sigma sum_c |q_c| (u |k_ac - k_tc| + u (1 + u) (|k_ac| + " \
    "|k_tc|)), u the format's unit."
#define ROUNDED "Counted on q and k rounded to the nearest."

const struct trop_inspect_told trop_inspect_numbers[TROP_INSPECT_NUMBERS] = {
    [TROP_INSPECT_SELECTED] = { "selected", "tokens selected",
                                "How many tokens some row selects. A row selects the key with the "
                                "largest score; of several the first.",
                                COUNTED, TROP_INSPECT_FROM_ZERO },
    [TROP_INSPECT_REACHABLE] = { "reachable", "tokens reachable",
                                 "How many tokens some mixture of this text's queries selects: "
                                 "rho_j = max over mixtures c of min over t != j of sum_i c_i "
                                 "(s_ij - s_it) is at least 0. It says nothing about other "
                                 "queries. Of a causal head without rotation: tokens selected.",
                                 "Proved: each counted token has a mixture of queries whose lead "
                                 "is bounded with all rounding.",
                                 TROP_INSPECT_FROM_ZERO },
    [TROP_INSPECT_FLIP_MEAN] = { "flip", "flip radius",
                                 "The least change of a row's query that changes the token it "
                                 "selects, keys held: min over t of (s_a - s_t) / (sigma |k_a - "
                                 "k_t|). Mean over rows with a finite one; a row that sees one "
                                 "distinct key has none.",
                                 "Proved lower bound of every row's radius, within 2 (d + 16) "
                                 "2^-53 of it.",
                                 TROP_INSPECT_FROM_ZERO },
    [TROP_INSPECT_FLIP_RELATIVE] = { "flip_relative", "flip radius, relative",
                                     "The same in the residual stream behind its norm, before the "
                                     "gain, relative to its length |x|: .03 says that a change by "
                                     "3% can change what a row selects, and none below can. Mean "
                                     "over rows with a finite one.",
                                     "Proved lower bound of every row's radius.",
                                     TROP_INSPECT_FROM_ZERO },
    [TROP_INSPECT_GAP] = { "gap", "gap, in logits",
                           "Largest score less the mean score by weight, max_j s_j - sum_j a_j "
                           "s_j. It is the entropy of the weights less their min-entropy; 0: the "
                           "row is even among its best tokens. Mean over rows.",
                           COMPUTED, TROP_INSPECT_FROM_ZERO },
    [TROP_INSPECT_TOP_WEIGHT] = { "top_weight", "largest weight",
                                  "Largest weight of a row. Mean over rows.", COMPUTED,
                                  TROP_INSPECT_SHARE },
    [TROP_INSPECT_PERPLEXITY] = { "perplexity", "perplexity",
                                  "e to the entropy of a row's weights: among how many tokens it "
                                  "is spread. Mean over rows.",
                                  COMPUTED, TROP_INSPECT_FROM_ONE },
    [TROP_INSPECT_SCORE_DEVIATION] = { "score_deviation", "deviation of scores",
                                       "Standard deviation of a row's scores: the temperature at "
                                       "which it works. Mean over rows.",
                                       COMPUTED, TROP_INSPECT_FROM_ZERO },
    [TROP_INSPECT_MAX_LOGIT] = { "max_logit", "the largest score of the head", "Of all rows.",
                                 COMPUTED, TROP_INSPECT_SIGNED },
    [TROP_INSPECT_KEY_ONLY] = { "key_only", "share of keys alone",
                                "Share of the scores' variation that does not depend on the "
                                "query: sum_t n_t c_t^2 / sum_it r_it^2, r the scores less their "
                                "row's mean, c_t the mean of r over the n_t rows that see t.",
                                COMPUTED, TROP_INSPECT_SHARE },
    [TROP_INSPECT_KEY_ONLY_ROWS] = { "key_only_rows", "rows that keys alone decide",
                                     "Share of rows that select the key with the largest c_t "
                                     "(see share of keys alone) among those they see.",
                                     COMPUTED, TROP_INSPECT_SHARE },
    [TROP_INSPECT_KAPPA] = { "kappa", "kappa, factor to hardmax",
                             "The factor of the scores with which the selected token has 99% of "
                             "the weight: sum_{j != a} e^(-kappa (s_a - s_j)) = 1/99. Below 1: it "
                             "has more now. Infinite where another key ties. Median over rows.",
                             "The number lies between proved bounds of every row's factor.",
                             TROP_INSPECT_FROM_ZERO },
    [TROP_INSPECT_HARD_ROWS] = { "hard_rows", "rows at 99%",
                                 "Share of rows that give one token 99% of the weight.",
                                 "Proved: rows count whose upper bound of kappa is at most 1.",
                                 TROP_INSPECT_SHARE },
    [TROP_INSPECT_HARDMAX_DISTANCE] = { "hardmax_distance", "distance from hardmax",
                                        "Distance of a row's output from the value it selects, "
                                        "relative to the farthest value: |o - v_a| / max_j |v_j - "
                                        "v_a|, behind the output matrix where there is a model. "
                                        "Mean over rows.",
                                        "It is at most 1 - a_ia, for which a bound is proved.",
                                        TROP_INSPECT_SHARE },
    [TROP_INSPECT_BFLOAT16_SAFE] = { "bfloat16.safe", "bfloat16: rows safe",
                                     "Rows that keep their token when q and k are rounded to "
                                     "bfloat16, in whatever way.",
                                     PROVED_ROUNDING, TROP_INSPECT_FROM_ZERO },
    [TROP_INSPECT_BFLOAT16_FLIPPED] = { "bfloat16.flipped", "bfloat16: rows flipped",
                                        "Rows that select another token when q and k are rounded.",
                                        ROUNDED, TROP_INSPECT_FROM_ZERO },
    [TROP_INSPECT_BFLOAT16_OPEN] = { "bfloat16.open", "bfloat16: rows open",
                                     "Rows that keep their token, without a proof for other "
                                     "roundings.",
                                     ROUNDED, TROP_INSPECT_FROM_ZERO },
    [TROP_INSPECT_FLOAT16_SAFE] = { "float16.safe", "float16: rows safe",
                                    "Rows that keep their token when q and k are rounded to "
                                    "float16, in whatever way.",
                                    PROVED_ROUNDING, TROP_INSPECT_FROM_ZERO },
    [TROP_INSPECT_FLOAT16_FLIPPED] = { "float16.flipped", "float16: rows flipped",
                                       "Rows that select another token when q and k are rounded.",
                                       ROUNDED, TROP_INSPECT_FROM_ZERO },
    [TROP_INSPECT_FLOAT16_OPEN] = { "float16.open", "float16: rows open",
                                    "Rows that keep their token, without a proof for other "
                                    "roundings.",
                                    ROUNDED, TROP_INSPECT_FROM_ZERO },
    [TROP_INSPECT_SINK_SHARE] = { "sinks.share", "rows on one token",
                                  "Share of rows that select the token that most select.", COUNTED,
                                  TROP_INSPECT_SHARE },
    [TROP_INSPECT_SINK_FIRST] = { "sinks.first", "rows on the first token",
                                  "Share of rows that select the first token.", COUNTED,
                                  TROP_INSPECT_SHARE },
    [TROP_INSPECT_SINK_SEPARATOR] = { "sinks.separator", "rows on separators",
                                      "Share of rows that select a separator, full stop or comma "
                                      "behind the first token.",
                                      COUNTED, TROP_INSPECT_SHARE },
    [TROP_INSPECT_PATCH_COSINE] = { "patch.cosine", "hardmax patch, cosine",
                                    "Every row of this head replaced by the value it selects, the "
                                    "rest of the model run: cosine of the last hidden states with "
                                    "those of the model as it is. 1: its softness is worth "
                                    "nothing here. Mean over tokens.",
                                    COMPUTED, TROP_INSPECT_BELOW_ONE },
    [TROP_INSPECT_PATCH_KL] = { "patch.kl", "hardmax patch, divergence",
                                "The same: Kullback-Leibler divergence, in nats, of the "
                                "distribution of the next token from that of the model as it is. "
                                "Mean over positions.",
                                COMPUTED, TROP_INSPECT_FROM_ZERO },
    [TROP_INSPECT_QUIET_SETS] = { "hypothetical.sets", "hypothetical: sets kept apart",
                                  "The model never iterates a head. If rows followed the tokens of "
                                  "their largest scores, tokens would gather in so many sets that "
                                  "follow one another and nobody else.",
                                  COUNTED, TROP_INSPECT_FROM_ZERO },
    [TROP_INSPECT_QUIET_EPSILON] = { "hypothetical.epsilon", "hypothetical: epsilon of one set",
                                     "The least tolerance, in logits, at which one such set is "
                                     "left when rows follow all tokens within it of their best.",
                                     COMPUTED, TROP_INSPECT_FROM_ZERO },
    [TROP_INSPECT_FROZEN_CLUSTERS] = { "hypothetical.clusters", "hypothetical: clusters at the end",
                                       "Tokens that move towards the mean that this head makes of "
                                       "them, a tenth of the way at a time, become one in the end. "
                                       "More than 1: the flow is metastable, and was not followed "
                                       "to its end.",
                                       COMPUTED, TROP_INSPECT_FROM_ZERO },
    [TROP_INSPECT_FROZEN_STEPS] = { "hypothetical.log10_steps", "hypothetical: steps to one",
                                    "log10 of the steps of that flow. 2.5 is what it takes from "
                                    "anywhere; more: clusters stood apart for so long.",
                                    COMPUTED, TROP_INSPECT_FROM_ZERO },
    [TROP_INSPECT_MARGIN_SHARE] = { "margin.share", "share of the margin",
                                    "The least over rows of the margin by which the head's matrix "
                                    "W selects what it selects, over the largest that a matrix of "
                                    "its norm, as the constraints see it, can have. Without the "
                                    "random heads beside it the number says nothing.",
                                    "Proved lower bound: the max-margin solution has bounds.",
                                    TROP_INSPECT_FROM_ZERO },
    [TROP_INSPECT_MARGIN_COSINE] = { "margin.cosine", "cosine with max-margin",
                                     "Of W, projected on the span of the constraints, with the "
                                     "max-margin solution for what the head selects.",
                                     COMPUTED, TROP_INSPECT_SIGNED },
    [TROP_INSPECT_MARGIN_NULL] = { "margin.null_mean", "share of random heads",
                                   "The share of the margin of random heads with the singular "
                                   "values of W, each with its own selections: mean.",
                                   "Proved lower bounds, likewise.", TROP_INSPECT_FROM_ZERO },
    [TROP_INSPECT_MARGIN_NULL_COSINE] = { "margin.null_cosine", "cosine of random heads",
                                          "Of the same random heads: mean.", COMPUTED,
                                          TROP_INSPECT_SIGNED },
};

const struct trop_inspect_told trop_inspect_layer_numbers[TROP_INSPECT_LAYER_NUMBERS] = {
    [TROP_INSPECT_COSINE] = { "cosine", "cosine",
                              "Mean over pairs of tokens of the cosine of their residual streams.",
                              COMPUTED, TROP_INSPECT_FROM_ZERO },
    [TROP_INSPECT_COSINE_CENTRED] = { "cosine_centred", "less the mean token",
                                      "The same after the mean token is taken away.", COMPUTED,
                                      TROP_INSPECT_FROM_ZERO },
    [TROP_INSPECT_COSINE_ORDINARY] = { "cosine_ordinary", "without massive tokens",
                                       "The same without tokens ten times as long as the median.",
                                       COMPUTED, TROP_INSPECT_FROM_ZERO },
    [TROP_INSPECT_EFFECTIVE_RANK] = { "effective_rank", "effective rank",
                                      "e to the entropy of the squared singular values of the "
                                      "stream, tokens by width.",
                                      COMPUTED, TROP_INSPECT_FROM_ZERO },
    [TROP_INSPECT_CLUSTERS] = { "clusters", "clusters",
                                "Sets of tokens that chains of near neighbours join, at the "
                                "option tolerance.",
                                COMPUTED, TROP_INSPECT_FROM_ZERO },
    [TROP_INSPECT_MASSIVE] = { "massive", "massive tokens",
                               "Tokens ten times as long as the median.", COMPUTED,
                               TROP_INSPECT_FROM_ZERO },
};
