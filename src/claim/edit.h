/* edit.h -- a case changed by a line of text, to make it wrong on purpose.
 *
 * Statements are separated by ';' and are taken in order:
 *
 *   p = 2.5                        a number, or every element of an array that is there already
 *   gd_weights[-1,-1] *= 1+2^-52   elements: of an axis k, -1 from the end, 2:5 (2, 3 and 4) or *;
 *                                  axes that are not named are whole; = += -= *= /=
 *   tokens[-1] = tokens[-2]        entries on the right are taken element by element, a single one
 *                                  for all; or NAME: ... * gamma
 *   tokens = {3 0; .5 1; -1 -1}    another array, row by row; {} with single numbers is a vector
 *   X = zeros(2, 2, 2)
 *   drop swing
 *   swap a[0] b[0]                 elements, or whole arrays of one shape
 *   work                           the work of the claim, again
 *   work with alpha += 1e-6, n=3   the same with these changes, which are taken back after it
 *   work image with beta *= 1.01   of that work this entry alone is taken, or several
 *
 * On the right: numbers, entries, + - * / ^ and parentheses, abs(), floor(), and norm(), least()
 * and largest() of the elements of an array; the last two leave out NaN.
 *
 * A hypothesis about a few numbers is a line of text too (claim.h), comparisons of right sides:
 *
 *   runs >= 100                        at least, or at most: a line "runs" with its slack
 *   eps/r: radius / norm(tokens[0]) <= .11       the same with another name
 *   0 < p <= 1 and beta > 0: p > 0 and p <= 1 and beta > 0   a truth, as > < == are
 *   eta >= 0; delta >= 0               two lines
 */
#ifndef TROP_CLAIM_EDIT_H
#define TROP_CLAIM_EDIT_H

#include "claim/claim.h"

/* A text that cannot be read, or does not fit the case, is refused. */
enum trop_status trop_edit(struct trop_case *c, const struct trop_claim *claim, const char *edit);

/* Judges the lines of a text in a part of the case; those about an entry that is not there are
 * open. */
void trop_edit_judge(struct trop_judge *judge, const struct trop_case *c, const char *text);

/* edit_text.c: the inputs of a claim that a case has, as a text that makes them in an empty case.
 * The caller frees it by trop_alloc_free. */
enum trop_status trop_edit_text(char **out, const struct trop_claim *claim,
                                const struct trop_case *c);

#endif
