/* vocabulary.c -- words that claims of several papers take as inputs.
 *
 * A paper describes a word in its own list (list_*.c) where it means something else there.
 */
#include "claim/claim.h"

const struct trop_input trop_vocabulary[] = {
    { "X", "(n, T, d)", "tokens" },
    { "y", "(n)", "labels, -1 or 1" },
    { "v", "(d)", "decoder" },
    { "z", "(n, d)", "queries" },
    { "K", "(n, T, dk)", "keys; the tokens when absent" },
    { "alpha", "(n)", "the token that each input selects" },
    { "W0", "(d, d)", "weights at the start" },
    { "tokens", "(n, d)", "the cloud at step 0" },
    { "gamma", "", "step size" },
    { "beta", "", "inverse temperature" },
    { "steps", "", "of the run" },
    { "runs", "", "of each row" },
    { "n", "", "tokens" },
    { "d", "", "dimension" },
    { "eta", "", "step size" },
    { "settings", "(rows, columns)", "what each row is run with" },
    { "ids", "(tokens)", "words of the items, one after the other" },
    { "offsets", "(n + 1)", "where each item begins" },
    { "labels", "(n)", "classes, 0 and 1" },
    { "lexicon", "(words)", "1: a word that should matter" },
    { "items", "", "at most so many of them" },
    { "folds", "", "of the items" },
    { "seeds", "", "of each fold" },
    { "epochs", "", "of a run" },
    { 0 },
};
