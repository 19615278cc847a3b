/* fit_report.c -- training on sequences by name. */
#include "learn/fit/fit.h"

#include "base/field.h"

#include <math.h>

#define AT(member) TROP_FIELD_AT(struct trop_fit, member)
#define IN(of, type, member) TROP_FIELD_THROUGH(struct trop_fit, of, struct type, member)
#define KNOWN .form = trop_field_known
#define INTEGER .kind = TROP_KIND_INTEGER
#define LIST(count, rows) .kind = TROP_KIND_LIST, AT(count), .columns = rows

static int ended(const void *handle, int64_t row)
{
    (void)row;
    return ((const struct trop_fit *)handle)->ended;
}

static int has_layers(const void *handle, int64_t row)
{
    return ended(handle, row) && ((const struct trop_fit *)handle)->shape.layers > 0;
}

static int has_lexicon(const void *handle, int64_t row)
{
    return ended(handle, row) && ((const struct trop_fit *)handle)->sequences->lexicon;
}

static int has_folds(const void *handle, int64_t row)
{
    const struct trop_fit *fit = handle;

    (void)row;
    return fit->options.folds > 0 && fit->fold_count > 0;
}

/* ---- lists ----------------------------------------------------------------------------------- */

#define SPLIT(member) IN(split, trop_fit_split, member)
#define OVER_EPOCHS \
    .kind = TROP_KIND_NUMBERS, .axes = { { "epoch", 0, offsetof(struct trop_fit, recorded) } }
static const struct trop_field split_table[] = {
    { "split", "train, validation or test", .kind = TROP_KIND_TEXT, SPLIT(name) },
    { "items", "number of these items", INTEGER, SPLIT(items) },
    { "chosen_loss", "mean loss at the chosen epoch", SPLIT(chosen_loss), KNOWN },
    { "chosen_accuracy", "share of the items that are classified rightly, there",
      SPLIT(chosen_accuracy), KNOWN },
    { "hardmax_loss",
      "attention layers: mean loss of this split, with hardmax in the place of their softmax",
      SPLIT(hard_loss), KNOWN, .when = has_layers },
    { "hardmax_accuracy",
      "attention layers: accuracy of this split, with hardmax in the place of their softmax",
      SPLIT(hard_accuracy), KNOWN, .when = has_layers },
    { "loss", "over epochs, from the start on", SPLIT(loss), OVER_EPOCHS },
    { "accuracy", "over epochs, from the start on", SPLIT(accuracy), OVER_EPOCHS },
    { 0 },
};

#define CLASS(member) IN(classes, trop_fit_class, member)
static const struct trop_field class_table[] = {
    { "name", "null: the data have no names", CLASS(name), .form = trop_field_said },
    { "items", "number of these items", INTEGER, CLASS(items) },
    { 0 },
};

#define FOLD(member) IN(folds, trop_fit_fold, member)
static const struct trop_field fold_table[] = {
    { "fold", "the fold that the run was tested on", INTEGER, FOLD(fold) },
    { "epochs", "number of epochs of this run", INTEGER, FOLD(epochs) },
    { "chosen_epoch", "epoch that its validation chose", INTEGER, FOLD(chosen) },
    { "validation", "accuracy on its validation split", FOLD(validation), KNOWN },
    { "test", "accuracy on its test split", FOLD(test), KNOWN },
    { "test_loss", "loss on its test split", FOLD(loss), KNOWN },
    { 0 },
};

#define SPARSITY(member) IN(sparsity, trop_fit_sparsity, member)
static const struct trop_field sparsity_table[] = {
    { "tensor", "name of the tensor", .kind = TROP_KIND_TEXT, SPARSITY(name) },
    { "hoyer", "(sqrt(n) - l1/l2) / (sqrt(n) - 1): 0 when all entries are alike, 1 when one is all",
      SPARSITY(hoyer), KNOWN },
    { "hoyer_start", "Hoyer's measure of the weights at the start", SPARSITY(hoyer_start), KNOWN },
    { "share", "smallest share of the entries that carries nine tenths of the l1 norm",
      SPARSITY(share), KNOWN },
    { "share_start", "the same share for the weights at the start", SPARSITY(share_start), KNOWN },
    { 0 },
};

#define PRUNED(member) IN(pruned, trop_fit_pruned, member)
static const struct trop_field pruned_table[] = {
    { "share", "share of the entries of W, or of K and Q each, that are kept: the largest ones",
      PRUNED(share), KNOWN },
    { "accuracy", "then, of the items that are looked at", PRUNED(accuracy), KNOWN },
    { 0 },
};

#define THEORY(member) IN(theory, trop_fit_theory, member)
static const struct trop_field theory_table[] = {
    { "p", "exponent of the problem", THEORY(p), KNOWN },
    { "constraints", "number of constraints of this problem", INTEGER, THEORY(constraints) },
    { "norm", "norm of its solution W_mm; null: it was not solved", THEORY(norm), KNOWN },
    { "divergence", "D(W_mm, W) of the exponent, at unit norms", THEORY(divergence), KNOWN },
    { "cosine", "cosine of grad psi(W) - grad psi(W_0) and grad psi(W_mm)", THEORY(cosine), KNOWN },
    { 0 },
};

#define WORD(member) IN(words, trop_fit_word, member)
static const struct trop_field word_table[] = {
    { "word", "null: the data have no names", WORD(text), .form = trop_field_said },
    { "id", "index of the word in the vocabulary", INTEGER, WORD(id) },
    { "count", "number of tokens that are this word", INTEGER, WORD(count) },
    { "attention", "mean weight of its tokens times the length of their items: 1 is uniform",
      WORD(attention), KNOWN },
    { "value", "<v, e_w>, above 0 for class 1; of several heads the mean; null: several classes",
      WORD(value), KNOWN },
    { 0 },
};

TROP_FIELD_READ(shown_attention)
{
    const struct trop_fit_shown *shown = ((const struct trop_fit *)handle)->shown + row;

    trop_field_numbers(out, shown->attention, shown->tokens, "token");
    return TROP_OK;
}

#define SHOWN(member) IN(shown, trop_fit_shown, member)
static const struct trop_field shown_table[] = {
    { "item", "index of the item", INTEGER, SHOWN(item) },
    { "label", "class of the item", INTEGER, SHOWN(label) },
    { "predicted", "class that the model predicts", INTEGER, SHOWN(predicted) },
    { "text", "words of the item, separated by blanks; null: they have no names", SHOWN(text),
      .form = trop_field_said },
    { "attention", "the weight of each token, the mean over heads and queries",
      .read = shown_attention },
    { 0 },
};

/* ---- numbers --------------------------------------------------------------------------------- */

static void counted_from_zero(struct trop_value *out, const void *member)
{
    const int64_t value = *(const int64_t *)member;

    trop_field_integer(out, value > 0 ? value : 0);
}

#define LEXICON(member) AT(lexicon.member), KNOWN, .when = has_lexicon
#define TENSOR(letter) \
    .kind = TROP_KIND_NUMBERS, AT(tensor[letter].values), \
    .axes = { { "row", 0, offsetof(struct trop_fit, tensor[letter].rows) }, \
              { "column", 0, offsetof(struct trop_fit, tensor[letter].columns) } }

static const struct trop_field table[] = {
    { "epochs", "number of epochs that were done", AT(epoch), .form = counted_from_zero },
    { "steps", "number of steps of the optimiser", INTEGER, AT(k) },
    { "chosen_epoch", "epoch with the best validation; without a validation split the last one",
      INTEGER, AT(chosen) },
    { "dimension", "dimension of the tokens", INTEGER, AT(shape.d) },
    { "classes", "the classes of the items, from class 0 on", LIST(class_count, class_table) },
    { "splits", "the parts of the items, and how they went", LIST(split_count, split_table) },
    { "folds", "the runs of a cross-validation, an object for each fold",
      LIST(fold_count, fold_table), .when = has_folds },
    { "test_mean", "cross-validation: mean test accuracy of the folds", AT(test_mean), KNOWN,
      .when = has_folds },
    { "test_deviation", "cross-validation: standard deviation of these accuracies",
      AT(test_deviation), KNOWN, .when = has_folds },
    { "saturation", "mean of the largest weights, of the items that are looked at (test, else all)",
      AT(saturation), KNOWN, .when = ended },
    { "decided", "number of these items in which one token has more than half of the attention",
      INTEGER, AT(decided), .when = ended },
    { "looked", "number of items whose attention was looked at", INTEGER, AT(looked),
      .when = ended },
    { "sparsity", "sparsity of each trained tensor, without the rows of E that train does not have",
      LIST(sparsity_count, sparsity_table) },
    { "pruned", "accuracy when only the largest entries of the attention are kept",
      LIST(pruned_count, pruned_table) },
    { "theory", "W against max-margin solutions for the tokens that train selects",
      LIST(theory_count, theory_table) },
    { "words", "the words that get the most attention, among those of at least 10 tokens",
      LIST(word_count, word_table) },
    { "lexicon.items",
      "number of items that are looked at and have words inside and outside of the lexicon",
      INTEGER, AT(lexicon.items), .when = has_lexicon },
    { "lexicon.auc",
      "mean over them of the chance that a word of the lexicon has more attention than another",
      LEXICON(auc) },
    { "lexicon.fake", "the same for unmarked words of the same counts: 1/2 if only marks matter",
      LEXICON(fake) },
    { "lexicon.value", "the same with |<v, e_w>| in the place of attention", LEXICON(value) },
    { "lexicon.mass", "mean share of the attention on words of the lexicon", LEXICON(mass) },
    { "lexicon.uniform", "the share that these words would get if attention were uniform",
      LEXICON(uniform) },
    { "shown", "single items and the weights of their tokens", LIST(shown_count, shown_table) },
    { "weights.E", "embeddings of the chosen epoch: vectors of words, or the map of vectors",
      TENSOR(TROP_FIT_LETTER_E) },
    { "weights.P", "vectors of the places (positions)", TENSOR(TROP_FIT_LETTER_P) },
    { "weights.z", "the prompt, a trained query", TENSOR(TROP_FIT_LETTER_Z) },
    { "weights.W", "attention matrices of the heads, below each other", TENSOR(TROP_FIT_LETTER_W) },
    { "weights.K", "kq: the matrices K of the heads, below each other", TENSOR(TROP_FIT_LETTER_K) },
    { "weights.Q", "kq: the matrices Q of the heads, below each other", TENSOR(TROP_FIT_LETTER_Q) },
    { "weights.v", "decoders of the classes, heads beside each other", TENSOR(TROP_FIT_LETTER_V) },
    { "weights.a", "trained numbers of the attention layers", TENSOR(TROP_FIT_LETTER_A) },
    { "weights.b", "biases of the classes", TENSOR(TROP_FIT_LETTER_B) },
    { 0 },
};

const struct trop_field *trop_fit_field_table(void)
{
    return table;
}
