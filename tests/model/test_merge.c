/* test_merge.c -- the loop with a heap against the loop without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "alloc_failing.c"
#include "model/text/merge.h"

/* Words are intervals of letters: word = 8 size + letter of its first; any two neighbours merge if
 * the rule likes it. Growing words are other words, as in a vocabulary. */
static int32_t by_sum(double *rank, const void *context, int32_t left, int32_t right)
{
    const int32_t salt = *(const int32_t *)context;
    const int32_t word = left / 8 * 8 + right / 8 * 8 + (left + 3 * right) % 8;

    *rank = (left * 7 + right * 5 + salt) % 11;
    return (left * 3 + right + salt) % 4 == 0 || word > 80 ? -1 : word;
}

/* The best pair by looking at all, again and again. */
static int64_t plainly(int32_t *word, int64_t count, const int32_t *salt)
{
    for (;;) {
        double least = 0;
        int64_t best = -1;
        int32_t becomes = -1;
        for (int64_t k = 0; k + 1 < count; k++) {
            double rank;
            const int32_t found = by_sum(&rank, salt, word[k], word[k + 1]);
            if (found >= 0 && (best < 0 || rank < least)) {
                least = rank;
                best = k;
                becomes = found;
            }
        }
        if (best < 0) {
            return count;
        }
        word[best] = becomes;
        memmove(word + best + 1, word + best + 2, (size_t)(count - best - 2) * sizeof *word);
        count--;
    }
}

static void the_heap_merges_as_the_plain_loop(void **state)
{
    (void)state;
    struct trop_merge row = { 0 };
    uint64_t seed = 1; /* of Knuth's congruences */

    for (uint64_t trial = 0; trial < 2000; trial++) {
        int32_t word[60];
        const int32_t salt = (int32_t)(trial % 13);
        const int64_t n = (int64_t)(trial % 60);
        row.count = 0;
        for (int64_t k = 0; k < n; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            word[k] = 8 + (int32_t)(seed >> 61);
            assert_int_equal(trop_merge_push(&row, word[k], k, k + 1), TROP_OK);
        }
        const int64_t count = plainly(word, n, &salt);
        assert_int_equal(trop_merge_run(&row, by_sum, &salt), TROP_OK);
        int64_t at = 0, place = 0;
        for (int32_t k = n > 0 ? 0 : -1; k >= 0; k = row.symbol[k].after) {
            assert_true(at < count);
            assert_int_equal(row.symbol[k].word, word[at++]);
            assert_int_equal(row.symbol[k].first, place);
            place = row.symbol[k].last;
        }
        assert_int_equal(at, count);
        assert_int_equal(place, n);
    }
    trop_merge_release(&row);
    assert_int_equal(alloc_live, 0);
}

static void a_table_finds_its_pairs_and_no_others(void **state)
{
    (void)state;
    struct trop_merge_table table;
    double rank;

    assert_int_equal(trop_merge_table_create(&table, 1000), TROP_OK);
    for (int32_t k = 0; k < 1000; k++) {
        const struct trop_merge_pair pair = { k % 40, k / 40, k + 100, k };
        trop_merge_table_add(&table, &pair);
    }
    assert_int_equal(table.count, 1000);
    for (int32_t k = 0; k < 1000; k++) {
        assert_int_equal(trop_merge_table_rule(&rank, &table, k % 40, k / 40), k + 100);
        assert_true(rank == k);
        assert_int_equal(trop_merge_table_rule(&rank, &table, k % 40, 25 + k / 40), -1);
    }
    /* A pair that comes again has its last rank. */
    trop_merge_table_add(&table, &(struct trop_merge_pair){ 1, 0, 101, 5000 });
    assert_int_equal(table.count, 1000);
    assert_int_equal(trop_merge_table_rule(&rank, &table, 1, 0), 101);
    assert_true(rank == 5000);
    trop_merge_table_free(&table);
    assert_int_equal(trop_merge_table_rule(&rank, &table, 1, 0), -1);
    assert_int_equal(alloc_live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_heap_merges_as_the_plain_loop),
        cmocka_unit_test(a_table_finds_its_pairs_and_no_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
