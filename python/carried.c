/* carried.c -- what static libraries of others need to become part of a shared one
 * (cmake/carry.cmake).
 *
 * Debian compiles static libraries for programs. Such code may call any function of a shared
 * library, but the linker refuses it where it reads a variable of one: stdin, stdout, stderr. It
 * reads copies that are hidden here instead; the linker's --wrap gives them these names.
 */
#include <stddef.h>
#include <stdio.h>
#include <sys/random.h>

#undef stdin
#undef stdout
#undef stderr
extern FILE *__real_stdin;
extern FILE *__real_stdout;
extern FILE *__real_stderr;
FILE *__wrap_stdin;
FILE *__wrap_stdout;
FILE *__wrap_stderr;
void arc4random_buf(void *bytes, size_t count);

__attribute__((constructor(101))) static void carried_streams(void)
{
    __wrap_stdin = __real_stdin;
    __wrap_stdout = __real_stdout;
    __wrap_stderr = __real_stderr;
}

/* glibc has it since 2.36, and expat, which hashes with it, would ask for that; all else runs
 * with 2.35. */
void arc4random_buf(void *bytes, size_t count)
{
    unsigned char *to = bytes;

    while (count > 0) {
        const ssize_t got = getrandom(to, count < 256 ? count : 256, 0);

        if (got > 0) {
            to += got;
            count -= (size_t)got;
        }
    }
}
