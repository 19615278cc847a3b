/* report.h -- the result of any verb as one page.
 *
 * The page is made from the tables alone: the fields of the result with their meanings, the options
 * with theirs, the pictures that the verb lists. A verb has nothing of its own here but the
 * sentences of its answer (struct trop_noun).
 */
#ifndef TROP_RUN_REPORT_H
#define TROP_RUN_REPORT_H

#include "io/html.h"
#include "run/job.h"

/* The page, where the noun has none of its own. */
enum trop_status trop_report_write(const struct trop_job *job, const char *path);

extern const char trop_report_style[]; /* CSS, beside what all pages share */

/* report_study.c: the study of a folder. call: how to come to the same numbers, HTML; question:
 * what its table is asked. */
enum trop_status trop_report_study(const char *path, const char *dir, const char *call,
                                   const struct trop_study_table_options *question);

/* report_call.c: the command line and the Python that give the same numbers, as HTML; while the
 * setup is there. */
enum trop_status trop_report_call(struct trop_html *out, const struct trop_setup *setup);

/* A word of the shell, a text of Python. */
void trop_report_shell(struct trop_html *out, const char *text);
void trop_report_quoted(struct trop_html *out, const char *text);

/* report_value.c */

/* One value in few words: of an array its shape and its first entries. digits: of its numbers. */
void trop_report_value(struct trop_html *page, const struct trop_value *value, int digits);
/* A sentence with the values of fields in the place of their names in braces, "{clusters}
 * clusters"; 0, and nothing is written, when there is no value of one of them, or one of "{!time}".
 * "{--p}" is an option that applies. */
int trop_report_sentence(struct trop_html *page, const struct trop_job *job, const char *sentence);
/* The fields of the result that have a value, with their meanings; certificate: those of the
 * certificate alone, or all others. */
void trop_report_fields(struct trop_html *page, const struct trop_job *job, int certificate);
/* Every list, as a table with the meanings of its columns. */
void trop_report_lists(struct trop_html *page, const struct trop_job *job);

#endif
