/* test_archive.c -- packed files: whole, cut at every byte, damaged, and bombs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "alloc_failing.c"
#include "base/status.h"
#include "io/archive.h"
#include "packed.h"
#include "scratch.h"

static const char poem[] = "the tiger\nwalks alone\n";
static unsigned char packed[1 << 20];

static enum trop_status parse(struct trop_archive **out, size_t size)
{
    return trop_archive_parse(out, packed, (int64_t)size, "dir/poem.txt.gz");
}

static size_t pack_poem(char kind)
{
    const struct packed_member member[] = { { "a/poem.txt", poem, sizeof poem - 1 },
                                            { "b.txt", "b", 1 } };

    return pack(packed, sizeof packed, kind, member, kind == 'z' ? 2 : 1);
}

static void each_kind_unpacks_to_what_was_packed(void **state)
{
    (void)state;
    for (const char *kind = "gxz"; *kind; kind++) {
        struct trop_archive *archive;
        assert_int_equal(parse(&archive, pack_poem(*kind)), TROP_OK);
        assert_int_equal(archive->count, *kind == 'z' ? 2 : 1);
        assert_int_equal(archive->member[0].size, sizeof poem - 1);
        assert_memory_equal(archive->member[0].bytes, poem, sizeof poem); /* with its zero */
        assert_string_equal(archive->member[0].name, *kind == 'z'   ? "a/poem.txt"
                                                     : *kind == 'g' ? "poem.txt"
                                                                    : "poem.txt.gz");
        trop_archive_free(archive);
    }
    assert_int_equal(alloc_live, 0);
}

static void a_plain_file_is_its_own_member(void **state)
{
    (void)state;
    struct trop_archive *archive;

    scratch_fill(scratch("plain.tsv"), poem, sizeof poem - 1);
    assert_int_equal(trop_archive_read(&archive, scratch("plain.tsv")), TROP_OK);
    assert_int_equal(archive->count, 1);
    assert_string_equal(archive->member[0].name, "plain.tsv");
    assert_string_equal((char *)archive->member[0].bytes, poem);
    trop_archive_free(archive);
    assert_int_equal(trop_archive_read(&archive, "/nowhere/x.zip"), TROP_ERR_IO);
    assert_string_equal(trop_error(), "/nowhere/x.zip: No such file or directory");
    scratch_empty();
}

/* What is left of the magic is a plain file, everything longer is refused. */
static void a_file_cut_at_any_byte_is_refused(void **state)
{
    (void)state;
    for (const char *kind = "gxz"; *kind; kind++) {
        const size_t size = pack_poem(*kind);
        const size_t magic = *kind == 'g' ? 2 : *kind == 'x' ? 6 : 4;
        for (size_t cut = magic; cut < size; cut++) {
            struct trop_archive *archive = NULL;
            /* A copy of its own size: what reads behind it is seen by the sanitizer. */
            unsigned char *part = malloc(cut);
            memcpy(part, packed, cut);
            const enum trop_status status =
                trop_archive_parse(&archive, part, (int64_t)cut, "cut.bin");
            free(part);
            assert_int_equal(status, TROP_ERR_IO);
            assert_ptr_equal(strstr(trop_error(), "cut.bin"), trop_error());
            assert_null(archive);
            assert_int_equal(alloc_live, 0);
        }
    }
}

/* Every flipped bit of what is packed is found by a check sum; headers have bits that say nothing,
 * such as times. */
static void damage_never_changes_the_contents_unseen(void **state)
{
    (void)state;
    for (const char *kind = "gxz"; *kind; kind++) {
        const size_t size = pack_poem(*kind);
        const size_t magic = *kind == 'g' ? 2 : *kind == 'x' ? 6 : 4;
        int64_t refused = 0;
        for (size_t bit = 8 * magic; bit < 8 * size; bit++) {
            struct trop_archive *archive = NULL;
            packed[bit / 8] = (unsigned char)(packed[bit / 8] ^ 1 << bit % 8);
            if (parse(&archive, size) != TROP_OK) {
                refused++;
            } else if (archive->count == (*kind == 'z' ? 2 : 1)) {
                assert_memory_equal(archive->member[0].bytes, poem, sizeof poem - 1);
            }
            trop_archive_free(archive);
            packed[bit / 8] = (unsigned char)(packed[bit / 8] ^ 1 << bit % 8);
        }
        assert_true(refused > (int64_t)size);
    }
    assert_int_equal(alloc_live, 0);
}

/* A byte of deflated data in the middle of a member. */
static void the_sentence_names_the_member(void **state)
{
    (void)state;
    struct trop_archive *archive;
    char text[4000];
    for (int k = 0; k < 4000; k++) {
        text[k] = (char)('a' + k * k % 23);
    }
    const struct packed_member member = { "deep/x.neg", text, sizeof text };
    const size_t size = pack(packed, sizeof packed, 'z', &member, 1);

    packed[60] ^= 0x55;
    assert_int_equal(trop_archive_parse(&archive, packed, (int64_t)size, "mr.zip"), TROP_ERR_IO);
    assert_non_null(strstr(trop_error(), "mr.zip: deep/x.neg: is damaged or cut"));
}

static void bombs_are_refused(void **state)
{
    (void)state;
    const size_t size = (size_t)40 << 20;
    char *zeros = calloc(size, 1);
    const struct packed_member member = { "zeros", zeros, size };
    struct trop_archive *archive;

    for (const char *kind = "gxz"; *kind; kind++) {
        const size_t small = pack(packed, sizeof packed, *kind, &member, 1);
        assert_int_equal(parse(&archive, small), TROP_ERR_IO);
        assert_non_null(strstr(trop_error(), "dir/poem.txt.gz: its "));
        assert_non_null(strstr(trop_error(), "unpack to more than"));
        assert_int_equal(alloc_live, 0);
    }
    free(zeros);
}

static void an_empty_zip_holds_no_file(void **state)
{
    (void)state;
    struct trop_archive *archive;
    const size_t size = pack(packed, sizeof packed, 'z', NULL, 0);

    assert_int_equal(trop_archive_parse(&archive, packed, (int64_t)size, "e.zip"), TROP_ERR_IO);
    assert_string_equal(trop_error(), "e.zip: holds no file");
}

static enum trop_status unpack_all(void)
{
    struct trop_archive *archive = NULL;
    const enum trop_status status = parse(&archive, pack_poem('z'));

    trop_archive_free(archive);
    return status;
}

static void every_refused_allocation_is_survived(void **state)
{
    (void)state;
    alloc_refuse_each(unpack_all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_unpacks_to_what_was_packed),
        cmocka_unit_test(a_plain_file_is_its_own_member),
        cmocka_unit_test(a_file_cut_at_any_byte_is_refused),
        cmocka_unit_test(damage_never_changes_the_contents_unseen),
        cmocka_unit_test(the_sentence_names_the_member),
        cmocka_unit_test(bombs_are_refused),
        cmocka_unit_test(an_empty_zip_holds_no_file),
        cmocka_unit_test(every_refused_allocation_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
