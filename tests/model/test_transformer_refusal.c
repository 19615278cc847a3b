/* test_transformer_refusal.c -- models and texts that are refused, each with its sentence, and
 * models without memory. */
#include "small_models.h"

#include "alloc_failing.c"
#include "model/net/transformer.h"

/* Opening and running refuse, with these words. */
static void expect_refused(const char *path, const char *words)
{
    static const int64_t ids[3] = { 1, 2, 3 };
    struct trop_transformer *model = NULL;
    struct trop_transformer_pass *pass = NULL;
    enum trop_status status = trop_transformer_open(&model, path, 2);

    if (status == TROP_OK) {
        status = trop_transformer_run(&pass, model, ids, NULL, 3);
    }
    trop_transformer_free(pass);
    trop_transformer_close(model);
    assert_true(status != TROP_OK);
    if (!strstr(trop_error(), words)) {
        fail_msg("\"%s\" is not in: %s", words, trop_error());
    }
    assert_int_equal(alloc_live, 0);
}

/* The config of a small model with one text replaced by another. */
static const char *changed(int model, const char *old, const char *new)
{
    static char text[2000];
    const char *config = small_config[model], *at = strstr(config, old);

    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - config), config, new, at + strlen(old));
    return text;
}

/* Names that give the keys to the queries and back, and a family for an unknown type. */
static void names_of_a_persons_own_are_taken(void **state)
{
#define PART "encoder.layer.{l}.attention.self."
    static const char swap[] =
        "{\"model_type\":\"bert\",\"query\":\"" PART "key.weight\",\"query_bias\":\"" PART
        "key.bias\",\"key\":\"" PART "query.weight\",\"key_bias\":\"" PART "query.bias\"}";
#undef PART
    static const int64_t ids[4] = { 1, 2, 3, 7 };
    struct trop_transformer *model[2] = { NULL, NULL };
    struct trop_transformer_pass *pass[2];
    struct trop_transformer_layer *layer[2];
    struct trop_head_input head[2];
    char names[256], path[256];

    (void)state;
    snprintf(names, sizeof names, "%s", scratch("names.json"));
    scratch_fill(names, swap, strlen(swap));
    for (int k = 0; k < 2; k++) {
        snprintf(path, sizeof path, "%s",
                 small_model(0, k ? changed(0, "\"bert\"", "\"mine\"") : NULL, NULL, NULL));
        if (k) {
            assert_int_not_equal(trop_transformer_open(model + k, path, 1), TROP_OK);
        }
        assert_ok(trop_transformer_open_named(model + k, path, k ? names : NULL, 1));
        assert_ok(trop_transformer_run(pass + k, model[k], ids, NULL, 4));
        assert_ok(trop_transformer_layer(layer + k, pass[k], 0));
        trop_transformer_head(head + k, layer[k], 1);
    }
    assert_memory_equal(head[1].q, head[0].k, (size_t)(4 * head[0].d) * sizeof(double));
    assert_memory_equal(head[1].k, head[0].q, (size_t)(4 * head[0].d) * sizeof(double));
    for (int k = 0; k < 2; k++) {
        trop_transformer_layer_free(layer[k]);
        trop_transformer_free(pass[k]);
        trop_transformer_close(model[k]);
        model[k] = NULL;
    }
    scratch_fill(names, "{\"qeury\":\"x\"}", 13);
    assert_int_not_equal(trop_transformer_open_named(model, path, names, 1), TROP_OK);
    assert_non_null(strstr(trop_error(), "query"));
    scratch_fill(names, "{\"query\":\"x\"}", 13);
    small_model(0, NULL, NULL, NULL);
    assert_int_not_equal(trop_transformer_open_named(model, path, names, 1), TROP_OK);
    assert_non_null(strstr(trop_error(), "tensor x: is missing"));
    assert_int_equal(alloc_live, 0);
    small_clear();
}

static void configs_that_do_not_fit_are_refused(void **state)
{
    static const struct {
        int model;
        const char *old, *new, *words;
    } refused[] = {
        { 3, "\"llama\"", "\"gemma2\"", "model_type \"gemma2\": its scores have a soft cap" },
        { 3, "\"llama\"", "\"bloom\"", "ALiBi" },
        { 3, "\"llama\"", "\"mixtral\"", "a mixture of experts" },
        { 3, "\"llama\"", "\"gpt_neox\"", "side by side" },
        { 3, "\"llama\"", "\"t5\"", "relative position" },
        { 3, "\"llama\"", "\"mamba\"", "model_type \"mamba\": is not known: must be one of bert" },
        { 3, "\"llama\"", "7", "model_type: must be a text" },
        { 3, "\"model_type\":\"llama\",", "", "model_type: is missing" },
        { 3, "\"mlp_bias\":true", "\"attn_logit_softcapping\":50.0", "attn_logit_softcapping" },
        { 3, "\"mlp_bias\":true", "\"num_local_experts\":8", "num_local_experts" },
        { 3, "\"mlp_bias\":true", "\"partial_rotary_factor\":0.5", "partial_rotary_factor" },
        { 3, "\"mlp_bias\":true", "\"mlp_bias\":1", "mlp_bias: must be true or false" },
        { 3, "\"llama3\"", "\"yarn\"", "rope scaling \"yarn\"" },
        { 3, "\"factor\":4.0", "\"factor\":0.5", "factor must be 1 or more" },
        { 3, "\"low_freq_factor\":1.0", "\"low_freq_factor\":5.0", "low_freq_factor" },
        { 3, "\"head_dim\":6", "\"head_dim\":5", "heads of 5: must be above 0, and even" },
        { 3, "\"num_key_value_heads\":2", "\"num_key_value_heads\":3", "must be a multiple" },
        { 3, "\"hidden_size\":12", "\"hidden_size\":1.5", "hidden_size = 1.5: must be a whole" },
        { 3, "\"hidden_size\":12", "\"hidden_size\":-12", "hidden_size = -12" },
        { 3, "\"hidden_size\":12", "\"hidden_size\":1e300", "hidden_size = 1e+300" },
        { 3, "\"hidden_size\":12", "\"hidden_size\":[12]", "must be one finite number" },
        { 3, "\"hidden_size\":12,", "", "hidden_size: is missing" },
        { 3, "\"hidden_size\":12", "\"hidden_size\":16", "has shape 11 x 12: must have 11 x 16" },
        { 3, "\"num_hidden_layers\":2", "\"num_hidden_layers\":3",
          "tensor layers.2.self_attn.q_proj.weight: is missing" },
        { 3, "\"num_hidden_layers\":2", "\"num_hidden_layers\":2000", "must be at most 1024" },
        { 3, "\"silu\"", "\"tanh\"", "hidden_act = \"tanh\"" },
        { 3, "\"rms_norm_eps\":1e-5", "\"rms_norm_eps\":-1", "eps of the norms = -1" },
        { 3, "\"rope_theta\":100.0", "\"rope_theta\":-1", "rope_theta = -1" },
        { 4, "\"sliding_window\":3", "\"layer_types\":[\"full_attention\"]",
          "layer_types: must be" },
        { 4, "\"sliding_window\":3",
          "\"layer_types\":[\"sliding_attention\",\"sliding_attention\"]", "layer_types: must be" },
        { 4, "\"sliding_window\":3", "\"layer_types\":3", "layer_types: must be a list of texts" },
        { 0, "\"hidden_act\"", "\"position_embedding_type\":\"relative_key\",\"hidden_act\"",
          "position_embedding_type" },
        { 0, "\"hidden_act\"", "\"is_decoder\":true,\"hidden_act\"", "is_decoder" },
        { 0, "\"num_attention_heads\":3", "\"num_attention_heads\":5", "must be a multiple of 5" },
        { 1, "\"pad_token_id\":1", "\"pad_token_id\":9", "pad_token_id = 9" },
        { 2, "\"n_head\":2", "\"n_head\":5", "must be a multiple of 5 heads" },
        { 2, "\"n_inner\":20", "\"add_cross_attention\":true", "add_cross_attention" },
        { 2, "\"n_embd\":12", "\"n_embd\":null", "n_embd: is missing" },
        { 2, "{", "[", "line 1" },
    };

    (void)state;
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        const char *config = changed(refused[k].model, refused[k].old, refused[k].new);
        expect_refused(small_model(refused[k].model, config, NULL, NULL), refused[k].words);
        small_clear();
    }
}

static void tensors_that_are_missing_or_not_finite_are_named(void **state)
{
    static const struct {
        int model;
        const char *name;
    } cases_of[] = {
        { 0, "embeddings.LayerNorm.bias" },
        { 0, "encoder.layer.1.output.dense.weight" },
        { 0, "embeddings.token_type_embeddings.weight" },
        { 2, "transformer.h.1.attn.c_attn.bias" },
        { 2, "transformer.wpe.weight" },
        { 3, "model.layers.0.mlp.gate_proj.bias" },
        { 3, "model.norm.weight" },
        { 3, "lm_head.weight" },
    };

    (void)state;
    for (size_t k = 0; k < sizeof cases_of / sizeof *cases_of; k++) {
        const char *dot = strchr(cases_of[k].name, '.');
        expect_refused(small_model(cases_of[k].model, NULL, cases_of[k].name, NULL),
                       cases_of[k].model ? dot + 1 : cases_of[k].name);
        assert_non_null(strstr(trop_error(), "is missing"));
        small_clear();
    }
    expect_refused(small_model(0, NULL, NULL, "encoder.layer.1.output.dense.weight"),
                   "tensor encoder.layer.1.output.dense.weight: element 239 is not finite");
    small_clear();
    expect_refused(small_model(2, NULL, NULL, "transformer.h.0.mlp.c_fc.bias"),
                   "tensor transformer.h.0.mlp.c_fc.bias: element 19 is not finite");
    small_clear();
}

/* Saved without a prefix and without its table of words, a decoder has no logits; all else is as
 * with the table. */
static void a_decoder_without_words_has_no_logits(void **state)
{
    static const int64_t ids[4] = { 1, 2, 3, 7 };
    double hidden[2][4 * WIDTH], logits[4 * VOCAB];

    (void)state;
    for (int k = 0; k < 2; k++) {
        struct trop_transformer *model = NULL;
        struct trop_transformer_pass *pass = NULL;
        const char *config =
            k ? NULL : changed(4, "\"tie_word_embeddings\":true", "\"tie_word_embeddings\":false");
        assert_ok(trop_transformer_open(&model, small_model(4, config, NULL, NULL), 1));
        assert_ok(trop_transformer_run(&pass, model, ids, NULL, 4));
        memcpy(hidden[k], trop_transformer_hidden(pass), sizeof hidden[k]);
        assert_int_equal(trop_transformer_config(model)->logits, k);
        assert_int_equal(trop_transformer_logits(logits, model, hidden[k], 4),
                         k ? TROP_OK : TROP_ERR_UNSUPPORTED);
        trop_transformer_free(pass);
        trop_transformer_close(model);
        small_clear();
    }
    assert_memory_equal(hidden[0], hidden[1], sizeof hidden[0]);
    assert_int_equal(alloc_live, 0);
}

static void paths_without_a_model_are_refused(void **state)
{
    (void)state;
    expect_refused("/nowhere/model.safetensors", "/nowhere/model.safetensors: No such file");
    expect_refused("/nowhere/model.bin", "/nowhere/model.bin: No such file");
    expect_refused("/nowhere", "must be a folder, a file .safetensors or a file .bin");
    mkdir(scratch("small"), 0700);
    expect_refused(scratch("small"), "a folder without model.safetensors");
    scratch_fill(scratch("small/model.safetensors"), "\2\0\0\0\0\0\0\0{}", 10);
    expect_refused(scratch("small"), "config.json: No such file");
    small_clear();
}

static void texts_that_the_model_cannot_take_are_refused(void **state)
{
    static const int64_t good[10] = { 0 }, high[2] = { 0, VOCAB }, low[2] = { -1, 0 };
    static const int64_t types[2] = { 0, 2 };
    static const struct {
        const int64_t *ids, *types;
        int64_t n;
        const char *words;
    } refused[] = {
        { good, NULL, 0, "has no tokens" },
        { good, NULL, 10, "has 10 tokens: the model has positions for 9" },
        { high, NULL, 2, "token 1: id 11: must be from 0 to 10" },
        { low, NULL, 2, "token 0: id -1" },
        { good, types, 2, "token 1: type 2: must be from 0 to 1" },
    };
    struct trop_transformer *model = NULL;
    struct trop_transformer_pass *pass = NULL;
    struct trop_transformer_layer *layer = NULL;
    double hidden[9 * WIDTH];

    (void)state;
    assert_int_equal(trop_transformer_open(&model, "x", 0), TROP_ERR_ARG);
    assert_ok(trop_transformer_open(&model, small_model(0, NULL, NULL, NULL), 1));
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        assert_int_equal(
            trop_transformer_run(&pass, model, refused[k].ids, refused[k].types, refused[k].n),
            TROP_ERR_ARG);
        assert_non_null(strstr(trop_error(), refused[k].words));
    }
    assert_ok(trop_transformer_run(&pass, model, good, NULL, 9));
    assert_int_equal(trop_transformer_layer(&layer, pass, 2), TROP_ERR_ARG);
    assert_int_equal(trop_transformer_layer(&layer, pass, -1), TROP_ERR_ARG);
    assert_ok(trop_transformer_layer(&layer, pass, 1));
    assert_int_equal(trop_transformer_patch(hidden, layer, 3), TROP_ERR_ARG);
    trop_transformer_layer_free(layer);
    trop_transformer_free(pass);
    trop_transformer_close(model);
    small_clear();
    /* Positions of RoBERTa begin behind that of its padding. */
    assert_ok(trop_transformer_open(&model, small_model(1, NULL, NULL, NULL), 1));
    assert_int_equal(trop_transformer_limit(model), 7);
    trop_transformer_close(model);
    small_clear();
}

static void a_llama2_file_of_another_size_is_refused(void **state)
{
    static unsigned char bytes[40000];
    const int64_t size = small_llama2(bytes);

    (void)state;
    for (int64_t cut = 0; cut <= size + 1; cut += cut < 40 || cut > size - 98 ? 1 : 97) {
        if (cut != size) {
            scratch_fill(scratch("small.bin"), bytes, (size_t)cut);
            expect_refused(scratch("small.bin"), cut ? "not a file of llama2.c" : "is empty");
        }
    }
    for (int at = 0; at < 7; at++) { /* each size 0, and as large as it can be */
        unsigned char kept[4];
        memcpy(kept, bytes + 4 * at, 4);
        memset(bytes + 4 * at, 0, 4);
        scratch_fill(scratch("small.bin"), bytes, (size_t)size);
        expect_refused(scratch("small.bin"), "not a file of llama2.c");
        bytes[4 * at + 3] = 1;
        scratch_fill(scratch("small.bin"), bytes, (size_t)size);
        expect_refused(scratch("small.bin"), "not a file of llama2.c");
        memcpy(bytes + 4 * at, kept, 4);
    }
    scratch_empty();
}

/* ---- memory --------------------------------------------------------------------------------- */

static const char *subject; /* path of the model */

static enum trop_status whole_run(void)
{
    static const int64_t ids[4] = { 1, 2, 3, 0 };
    struct trop_transformer *model = NULL;
    struct trop_transformer_pass *pass = NULL;
    struct trop_transformer_layer *layer = NULL;
    double hidden[4 * WIDTH], logits[4 * VOCAB];
    enum trop_status status = trop_transformer_open(&model, subject, 2);

    if (status == TROP_OK) {
        status = trop_transformer_run(&pass, model, ids, NULL, 4);
    }
    if (status == TROP_OK && trop_transformer_config(model)->causal) {
        status = trop_transformer_logits(logits, model, trop_transformer_hidden(pass), 4);
    }
    if (status == TROP_OK) {
        status = trop_transformer_layer(&layer, pass, 0);
    }
    if (status == TROP_OK) {
        status = trop_transformer_patch(hidden, layer, 1);
    }
    trop_transformer_layer_free(layer);
    trop_transformer_free(pass);
    trop_transformer_close(model);
    return status;
}

static void every_refusal_of_memory_is_survived(void **state)
{
    (void)state;
    for (int k = 0; k < SMALL_MODELS; k++) {
        char path[256];
        snprintf(path, sizeof path, "%s", small_model(k, NULL, NULL, NULL));
        subject = path;
        alloc_refuse_each(whole_run);
        small_clear();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_a_persons_own_are_taken),
        cmocka_unit_test(configs_that_do_not_fit_are_refused),
        cmocka_unit_test(tensors_that_are_missing_or_not_finite_are_named),
        cmocka_unit_test(a_decoder_without_words_has_no_logits),
        cmocka_unit_test(paths_without_a_model_are_refused),
        cmocka_unit_test(texts_that_the_model_cannot_take_are_refused),
        cmocka_unit_test(a_llama2_file_of_another_size_is_refused),
        cmocka_unit_test(every_refusal_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
