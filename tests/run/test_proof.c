/* test_proof.c -- the file of --proof: how its numbers are written, what is refused, and what a
 * result says of itself. That proofs are verified, and changed ones are not, is tests/proof.
 * TROP_BUILD is the folder of the program. */
#include "support.h"

#include "io/sha256.h"
#include "program.h"
#include "run/proof/proof.h"

#include <float.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static void hashes_are_those_of_the_standard(void **state)
{
    char out[TROP_SHA256_TEXT];

    (void)state;
    trop_sha256_text(out, "", 0);
    assert_string_equal(out, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    trop_sha256_text(out, "abc", 3);
    assert_string_equal(out, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    /* 56 letters: the length stands in a block of its own. */
    trop_sha256_text(out, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56);
    assert_string_equal(out, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void numbers_read_back_to_the_same_bits(void **state)
{
    static const struct {
        double value;
        const char *text;
    } rows[] = {
        { 0, "0x0p+0" },
        { -0.0, "-0x0p+0" },
        { 1, "0x1p+0" },
        { -1.5, "-0x1.8p+0" },
        { 0.1, "0x1.999999999999ap-4" },
        { DBL_MAX, "0x1.fffffffffffffp+1023" },
        { DBL_MIN, "0x1p-1022" },
        { 0x1p-1074, "0x1p-1074" },
        { -0x1.8p-1073, "-0x1.8p-1073" },
    };

    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        char text[32];
        trop_proof_hex(text, rows[k].value);
        assert_string_equal(text, rows[k].text);
        const double back = strtod(text, NULL);
        assert_memory_equal(&back, &rows[k].value, sizeof back);
    }
}

static void wrong_proofs_are_refused_before_anything_is_computed(void **state)
{
    static const struct wrong wrong[] = {
        { "cells --n 4 --proof x.txt", 2, "proof = x.txt: must end in .json" },
        { "cells --n 4 --proof none/x.json", 1, "none" },
        { "cells --n 4 --out y.json --proof y.json", 2, "out and proof: y.json is one file" },
        { "flow --n 4 --copies 2 --proof x.json", 2, "nothing is proved of a result of this flow" },
        { "escape --n 4 --proof x.json", 2, "unknown option" },
        { "margin --data attsvm --proof", 2, "proof" },
    };

    (void)state;
    assert_refused(wrong, sizeof wrong / sizeof wrong[0]);
}

/* JSON of a line, to be released. */
static json_t *told(const char *line)
{
    if (tropism(line) != 0) {
        fail_msg("%s: %s", line, answer.err);
    }
    json_t *object = json_loads(answer.out, 0, NULL);
    assert_non_null(object);
    return object;
}

static void results_say_whether_they_can_be_checked(void **state)
{
    static const struct {
        const char *line, *standing; /* NULL: null */
    } rows[] = {
        { "flow --n 16 --rule hardmax --until converged --json", "proved" },
        { "flow --init polygon --n 5 --rule uniform --gamma 0.5 --steps 100 --json", "proved" },
        { "flow --n 16 --rule softmax --beta 1 --gamma 0.1 --steps 3 --json", NULL },
        { "threshold --n 8 --json", "proved" },
        { "margin --data attsvm --json", "proved" },
        { "escape --n 4 --runs 2 --json", NULL },
        { "inspect --q q.csv --k q.csv --v q.csv --json", "proved" },
        { "inspect --q q.csv --k q.csv --v q.csv --measure hypothetical --json", "asserted" },
        { "inspect --q q.csv --k q.csv --v q.csv --measure keys --json", NULL },
        { "check fw-rem-own-cell --trials 1 --counterexample none --json", "proved" },
        { "check fw-thm-5.4 --trials 1 --counterexample none --json", "asserted" },
        { "check fw-lem-hull-repaired --trials 1 --json", NULL },
    };

    (void)state;
    put("q.csv", "1,2\n0,1\n3,1\n");
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        json_t *object = told(rows[k].line);
        const char *standing = json_string_value(json_object_get(object, "standing"));
        if (rows[k].standing ? !standing || strcmp(standing, rows[k].standing) != 0
                             : standing != NULL) {
            fail_msg("%s: standing is %s", rows[k].line, standing ? standing : "null");
        }
        json_decref(object);
    }
    unlink(scratch("q.csv"));
}

static void a_check_says_why_there_is_no_file(void **state)
{
    static const struct {
        const char *line, *why;
    } rows[] = {
        { "check fw-lem-hull-repaired --trials 1", "proves counterexamples alone, and found none" },
        { "check fw-thm-5.4 --trials 1 --counterexample none",
          "random runs, or limits of training" },
    };
    char line[1200];

    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        snprintf(line, sizeof line, "%s --proof %s", rows[k].line, scratch("none.json"));
        assert_int_equal(tropism(line), 0);
        if (!strstr(answer.err, rows[k].why) || !strstr(answer.err, "was not written")) {
            fail_msg("%s: %s", line, answer.err);
        }
        assert_int_equal(access(scratch("none.json"), F_OK), -1);
    }
}

static void without_a_claim_there_is_no_file(void **state)
{
    char line[1200];

    (void)state;
    snprintf(line, sizeof line,
             "flow --n 16 --rule softmax --beta 1 --gamma 0.1 --steps 3 --proof %s",
             scratch("none.json"));
    assert_int_equal(tropism(line), 0);
    assert_non_null(strstr(answer.err, "nothing is proved of this result"));
    assert_null(strstr(answer.out, "proof in"));
    assert_int_equal(access(scratch("none.json"), F_OK), -1);

    snprintf(line, sizeof line, "cells --n 16 --proof %s", scratch("some.json"));
    assert_int_equal(tropism(line), 0);
    assert_non_null(strstr(answer.out, "proof in"));
    assert_int_equal(access(scratch("some.json"), F_OK), 0);
    unlink(scratch("some.json"));
}

static void a_proof_of_heads_is_of_one_text_and_what_is_measured(void **state)
{
    char line[1600];

    (void)state;
    snprintf(line, sizeof line,
             "inspect %s/tests/data/stories260K.bin --file mr --texts 2 --proof x.json",
             getenv("TROP_SOURCE"));
    const struct wrong wrong[] = { { line, 2, "proof: is of one text, and there are 2" } };
    assert_refused(wrong, 1);
    snprintf(line, sizeof line,
             "inspect %s/tests/data/stories260K.bin --ids 1,5,9 --measure depth --proof %s",
             getenv("TROP_SOURCE"), scratch("none.json"));
    assert_int_equal(tropism(line), 0);
    assert_non_null(strstr(answer.err, "nothing is proved of this result"));
    assert_int_equal(access(scratch("none.json"), F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_are_those_of_the_standard),
        cmocka_unit_test(numbers_read_back_to_the_same_bits),
        cmocka_unit_test(wrong_proofs_are_refused_before_anything_is_computed),
        cmocka_unit_test(results_say_whether_they_can_be_checked),
        cmocka_unit_test(without_a_claim_there_is_no_file),
        cmocka_unit_test(a_check_says_why_there_is_no_file),
        cmocka_unit_test(a_proof_of_heads_is_of_one_text_and_what_is_measured),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
