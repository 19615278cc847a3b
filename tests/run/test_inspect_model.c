/* test_inspect_model.c -- the verb inspect on small models of every family, and what it makes of
 * margins over texts. */
#include "small_models.h"

#include "model/head/head_margin.h"
#include "model/net/transformer.h"
#include "tropism_lab.h"

static struct trop_job *inspect(const char *const *pairs)
{
    struct trop_job *job = NULL;

    assert_ok(trop_job_create_from(&job, "inspect", pairs));
    assert_ok(trop_job_run(job, NULL, NULL));
    return job;
}

/* Every family: as many heads as it has, all measured. */
static void heads_of_every_family_are_measured(void **state)
{
    (void)state;
    for (int k = 0; k < SMALL_MODELS; k++) {
        char path[256];
        snprintf(path, sizeof path, "%s", small_model(k, NULL, NULL, NULL));
        struct trop_job *job =
            inspect((const char *[]){ "model", path, "ids", "3,7,1,0,10", "measure", "all", "nulls",
                                      "2", "rows", "yes", NULL });
        struct trop_value heads = { 0 }, layers = { 0 }, rho = { 0 };
        assert_ok(trop_job_value(&heads, job, "heads"));
        double per_layer = 0;
        assert_ok(trop_job_number(&per_layer, job, "model.heads"));
        assert_true(heads.shape[0] == 2 * (int64_t)per_layer);
        for (int64_t h = 0; h < heads.shape[0]; h++) {
            struct trop_value share = { 0 };
            assert_ok(trop_job_cell(&share, job, "heads", "margin.share", h));
            assert_ok(trop_job_cell(&rho, job, "heads", "rho", h));
            if (share.kind == TROP_KIND_NUMBER) {
                assert_true(share.number > 0 && share.number <= 1 + 1e-9 && k < 3);
            }
        }
        assert_ok(trop_job_value(&layers, job, "layers"));
        assert_true(layers.shape[0] == 3);
        trop_job_free(job);
        small_clear();
    }
}

/* Two texts: what inspect says is what the two functions of head_margin.h give. */
static void held_out_agreement_is_that_of_the_other_text(void **state)
{
    static const char words[] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\nb\nc\nd\ne\nf\ng\n";
    static const char texts[] = "label\ttext\nx\ta b c d\ny\tc g e a f b\n";
    static const int64_t ids[2][8] = { { 2, 4, 5, 6, 7, 3 }, { 2, 6, 10, 8, 4, 9, 5, 3 } };
    static const int64_t sizes[2] = { 6, 8 };
    char path[256], vocabulary[256], file[256];
    struct trop_transformer *model = NULL;
    struct trop_transformer_pass *pass[2];
    struct trop_transformer_layer *layer[2];
    struct trop_head_input input[2];
    struct trop_head_margin_bounds bounds;
    double w[WIDTH * (WIDTH + 1)], agreement = 0;

    (void)state;
    snprintf(path, sizeof path, "%s", small_model(0, NULL, NULL, NULL));
    snprintf(vocabulary, sizeof vocabulary, "%s", scratch("vocab.txt"));
    snprintf(file, sizeof file, "%s", scratch("texts.tsv"));
    scratch_fill(vocabulary, words, strlen(words));
    scratch_fill(file, texts, strlen(texts));
    struct trop_job *job =
        inspect((const char *[]){ "model", path, "tokenizer", vocabulary, "file", file, "measure",
                                  "margin", "nulls", "0", "layers", "1", "heads", "2", NULL });
    struct trop_value told = { 0 };
    assert_ok(trop_job_cell(&told, job, "heads", "margin.held_out", 0));
    assert_ok(trop_transformer_open(&model, path, 1));
    for (int t = 0; t < 2; t++) {
        assert_ok(trop_transformer_run(pass + t, model, ids[t], NULL, sizes[t]));
        assert_ok(trop_transformer_layer(layer + t, pass[t], 1));
        trop_transformer_head(input + t, layer[t], 2);
    }
    assert_ok(trop_head_margin_fit(w, &bounds, input, 1));
    assert_ok(trop_head_margin_agreement(&agreement, input + 1, w));
    assert_true(told.kind == TROP_KIND_NUMBER && told.number == agreement);
    for (int t = 0; t < 2; t++) {
        trop_transformer_layer_free(layer[t]);
        trop_transformer_free(pass[t]);
    }
    trop_transformer_close(model);
    trop_job_free(job);
    small_clear();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads_of_every_family_are_measured),
        cmocka_unit_test(held_out_agreement_is_that_of_the_other_text),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
