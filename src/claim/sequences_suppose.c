/* sequences_suppose.c -- what claims about real sequences suppose. */
#include "claim/sequences.h"

void trop_sequences_two_classes(struct trop_judge *judge, const struct trop_case *c)
{
    const double *labels = trop_case_array(c, "labels");
    const int64_t n = trop_case_size(c, "labels", 0);
    int64_t count[2] = { 0, 0 };

    for (int64_t k = 0; k < n; k++) {
        if (labels[k] == 0 || labels[k] == 1) {
            count[labels[k] == 1]++;
        }
    }
    trop_judge_at_least(judge, "items of class 0 and 1, of all", -1,
                        (double)(count[0] + count[1]) / (double)n, 1, 0);
    for (int k = 0; k < 2; k++) {
        trop_judge_at_least(judge, "share of a class", -1, (double)count[k] / (double)n, .25, 0);
    }
}

void trop_sequences_has_marks(struct trop_judge *judge, const struct trop_case *c)
{
    const double *lexicon = trop_case_array(c, "lexicon"), *ids = trop_case_array(c, "ids");
    const int64_t tokens = trop_case_size(c, "ids", 0);
    int64_t marked = 0;

    for (int64_t t = 0; t < tokens; t++) {
        marked += lexicon[(int64_t)ids[t]] != 0;
    }
    trop_judge_at_least(judge, "share of the tokens that are marked", -1,
                        (double)marked / (double)tokens, .01, 0);
    trop_judge_at_most(judge, "share of the tokens that are marked", -1,
                       (double)marked / (double)tokens, .99, 0);
}
