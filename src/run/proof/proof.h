/* proof.h -- proof files: what is proved of a result, with what anyone needs to check it
 * (docs/proofs.md, verify/tropism_verify.py).
 *
 * A noun lists its kinds of claims in a table. The frame (proof.c) writes the file; a kind says
 * how many claims of it the result has, and writes one: the sentence, the symbols, the members of
 * "of", then trop_proof_witness and the members of the witness. Sentence and symbols are, letter by
 * letter, those that the checker makes from "of".
 */
#ifndef TROP_RUN_PROOF_H
#define TROP_RUN_PROOF_H

#include "run/job.h"

struct trop_proof; /* a file under construction; the first failure is remembered */

/* One kind of claim. */
struct trop_proof_kind {
    const char *name; /* as in the file */
    /* How many claims of this kind the result has that the checker can check; 0 mostly. */
    int64_t (*count)(const struct trop_job *job);
    /* Writes claim k of them. */
    enum trop_status (*write)(struct trop_proof *proof, const struct trop_job *job, int64_t k);
    /* The words of certificates that rest on such a claim, separated by blanks; NULL: it stands
     * beside the certificate. */
    const char *certifies;
};

/* Kinds by noun, ended by a name NULL: proof_cells.c, ... */
extern const struct trop_proof_kind trop_proof_cells[], trop_proof_flow[], trop_proof_threshold[],
    trop_proof_margin[], trop_proof_path[], trop_proof_inspect[];

/* ---- for jobs ------------------------------------------------------------------------------ */

/* A reader of fields whose handle is the job: "proved" when claims stand for all that certifies the
 * result, "asserted" when they do not, null when nothing does. */
enum trop_status trop_proof_standing(struct trop_value *out, void *job, int64_t row);
/* Writes the file, and a .npy beside it for each large input. *claims 0: it has none, and nothing
 * was written. */
enum trop_status trop_proof_write(int64_t *claims, const struct trop_job *job, const char *path);
/* The same by another function than trop_file_write. */
typedef enum trop_status trop_proof_put(const char *path, const void *bytes, int64_t size);
enum trop_status trop_proof_write_by(int64_t *claims, const struct trop_job *job, const char *path,
                                     trop_proof_put *put);
/* Refuses a noun that proves nothing. */
enum trop_status trop_proof_possible(const struct trop_noun *noun, const char *verb);
/* The same, and a name that cannot be. */
enum trop_status trop_proof_check(const char *path, const struct trop_noun *noun, const char *verb);

/* ---- for kinds: members of the object that is open ------------------------------------------- */

__attribute__((format(printf, 2, 3))) void trop_proof_says(struct trop_proof *proof,
                                                           const char *format, ...);
__attribute__((format(printf, 2, 3))) void trop_proof_symbols(struct trop_proof *proof,
                                                              const char *format, ...);
/* From here on members are those of the witness. */
void trop_proof_witness(struct trop_proof *proof);

void trop_proof_null(struct trop_proof *proof, const char *name);
void trop_proof_text(struct trop_proof *proof, const char *name, const char *text);
void trop_proof_truth(struct trop_proof *proof, const char *name, int value);
void trop_proof_integer(struct trop_proof *proof, const char *name, int64_t value);
/* In hexadecimal, exactly; it must be finite. */
void trop_proof_double(struct trop_proof *proof, const char *name, double value);
/* An object of members, which come next; name NULL ends it. */
void trop_proof_object(struct trop_proof *proof, const char *name);
/* A list of texts, NULL-ended. */
void trop_proof_texts(struct trop_proof *proof, const char *name, const char *const *texts);
/* Arrays of rank 1 (columns -1) or 2, inside the claim. */
void trop_proof_doubles(struct trop_proof *proof, const char *name, const double *values,
                        int64_t rows, int64_t columns);
void trop_proof_integers(struct trop_proof *proof, const char *name, const int64_t *values,
                         int64_t rows, int64_t columns);
/* An array that is an input of the file under this name, which the claim refers to; several claims
 * may share it. What would make them more than TROP_PROOF_INSIDE numbers stands in a file beside
 * the proof. */
void trop_proof_input(struct trop_proof *proof, const char *name, const char *input,
                      const double *values, int64_t rows, int64_t columns);

#define TROP_PROOF_INSIDE 1000000

/* The double as C's %a writes it, with a 1 in front and no zeros at the end, on every machine. */
void trop_proof_hex(char out[32], double value);

#endif
