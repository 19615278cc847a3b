/* mm_fig_6.c -- figures of the max-margin paper that need images and a vision transformer. */
#include "claim/mm/mm_figures.h"

static const struct trop_published published[] = {
    { "patches T of an image", 256 },
    { "side of a patch in pixels", 16 },
    { "epochs", 400 },
    { "learning rate", 3e-3 },
    { "attention heads that are averaged", 12 },
    { 0 },
};

const struct trop_claim trop_mm_fig_6 = {
    .id = "mm-fig-6",
    .title = "attention maps of a vision transformer",
    .statement = "The attention map of the class token of a vision transformer that is trained on "
                 "CIFAR-10 becomes sparser from epoch to epoch.",
    .status = TROP_CLAIM_NEEDS_DATA,
    .remark = "Pictures only; neither weights nor code are public.",
    .published = published,
    .trials = 1,
};

const struct trop_claim trop_mm_fig_7 = {
    .id = "mm-fig-7",
    .title = "sparsity against the norm of the weights",
    .statement =
        "While a vision transformer is trained on CIFAR-10 the soft sparsity |s|_1/|s|_2^2 "
        "of its class attention falls as the norm of its last key-query weights grows.",
    .status = TROP_CLAIM_NEEDS_DATA,
    .remark = "Curves only; no number is printed, and no code is public.",
    .published = published,
    .trials = 1,
};
