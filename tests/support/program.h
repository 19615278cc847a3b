/* program.h -- runs the program in the scratch folder of a test. TROP_BUILD is the folder
 * of the program. */
#ifndef TROP_TESTS_PROGRAM_H
#define TROP_TESTS_PROGRAM_H

#include <fcntl.h>
#include <jansson.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "scratch.h"

/* ---- running the program -------------------------------------------------------------- */

struct answer {
    int code; /* exit code, or -signal */
    char out[1000000], err[4000];
};

static struct answer answer;

static inline void read_text(char *out, size_t size, const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t got = file ? fread(out, 1, size - 1, file) : 0;

    out[got] = '\0';
    if (file) {
        fclose(file);
    }
}

/* Starts tropism with the words of line, in the scratch folder. limit: bytes that a
 * file may have, 0: as many as there is room for. */
static inline pid_t start(const char *line, rlim_t limit)
{
    char program[512], words[2000], *argv[100] = { program };
    int count = 1;

    scratch("");
    snprintf(program, sizeof program, "%s/tropism", getenv("TROP_BUILD"));
    snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok(words, " "); word && count < 99; word = strtok(NULL, " ")) {
        argv[count++] = word;
    }
    pid_t child = fork();
    if (child != 0) {
        return child;
    }
    int out = open("/dev/null", O_RDONLY);
    dup2(out, 0);
    if (chdir(scratch_folder) != 0 ||
        dup2(open(".out", O_WRONLY | O_CREAT | O_TRUNC, 0666), 1) < 0 ||
        dup2(open(".err", O_WRONLY | O_CREAT | O_TRUNC, 0666), 2) < 0) {
        _exit(99);
    }
    if (limit > 0) {
        struct rlimit bytes = { limit, limit };
        setrlimit(RLIMIT_FSIZE, &bytes);
    }
    execv(program, argv);
    _exit(98);
}

static inline void finish(pid_t child)
{
    int status = 0;

    waitpid(child, &status, 0);
    answer.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    read_text(answer.out, sizeof answer.out, scratch(".out"));
    read_text(answer.err, sizeof answer.err, scratch(".err"));
    unlink(scratch(".out"));
    unlink(scratch(".err"));
}

static inline int tropism(const char *line)
{
    finish(start(line, 0));
    return answer.code;
}

static inline void fail_with_answer(const char *line, const char *what)
{
    fail_msg("tropism %s\n%s; exit %d\nstdout: %.300s\nstderr: %s", line, what, answer.code,
             answer.out, answer.err);
}

/* A wrong command line, its exit code, and a part of its sentence. */
struct wrong {
    const char *line;
    int code;
    const char *sentence;
};

/* Each of them is refused, with nothing on stdout. */
static inline void assert_refused(const struct wrong *wrong, size_t count)
{
    for (; count > 0; count--, wrong++) {
        if (tropism(wrong->line) != wrong->code || answer.out[0] ||
            !strstr(answer.err, wrong->sentence)) {
            fail_with_answer(wrong->line, wrong->sentence);
        }
    }
}

/* The object that a run prints. */
static inline json_t *object_of(const char *line, int code)
{
    json_error_t error;

    if (tropism(line) != code) {
        fail_with_answer(line, "another exit code was expected");
    }
    json_t *object = json_loads(answer.out, 0, &error); /* refuses what follows the object */
    if (!json_is_object(object)) {
        fail_with_answer(line, "stdout is not one JSON object");
    }
    return object;
}

static inline double number_at(const json_t *object, const char *name, size_t i, size_t c)
{
    return json_number_value(json_array_get(json_array_get(json_object_get(object, name), i), c));
}

/* ---- files that the tests read --------------------------------------------------------- */

static inline void put(const char *name, const char *text)
{
    scratch_fill(scratch(name), text, strlen(text));
}

static inline void put_npy(const char *name, const char *header, const void *bytes, size_t size)
{
    unsigned char file[1000] = "\x93NUMPY\x01\x00";
    size_t length = strlen(header);

    file[8] = (unsigned char)length;
    memcpy(file + 10, header, length);
    memcpy(file + 10 + length, bytes, size);
    scratch_fill(scratch(name), file, 10 + length + size);
}

static inline int remove_files(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", scratch_folder);
    return system(command);
}

#endif
