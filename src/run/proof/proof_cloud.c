/* proof_cloud.c -- members that claims about clouds and flows have in common. */
#include "run/proof/proof_cloud.h"

#include "attend/decide.h"
#include "flow/dynamics/dynamics.h"

#include <math.h>
#include <stdio.h>

#define UNIT 0x1p-53

void trop_proof_cloud(struct trop_proof *proof, const struct trop_cloud_options *cloud,
                      const char *input, const double *x, int64_t n)
{
    const struct trop_matrix *b = &cloud->key_query;

    trop_proof_input(proof, "tokens", input, x, n, cloud->d);
    if (b->values) {
        trop_proof_input(proof, "key_query", "key_query", b->values, cloud->d, cloud->d);
        trop_proof_null(proof, "scale");
    } else {
        trop_proof_null(proof, "key_query");
        trop_proof_double(proof, "scale", b->scale);
    }
}

void trop_proof_masses(struct trop_proof *proof, const struct trop_flow *f)
{
    if (f->options.cloud.masses || f->state.live < f->n) {
        trop_proof_input(proof, "masses", "masses", f->state.mass, f->state.live, -1);
    } else {
        trop_proof_null(proof, "masses");
    }
}

static void say(struct trop_proof *proof, const struct trop_flow_witness *w,
                const struct trop_flow *f, const char *words)
{
    const struct trop_quiescence_future *later = &w->later;
    char pace[320] = "under dx/dt = average - x", fading[96] = "";

    if (later->decays_slowly && f->state.proof.decays) {
        snprintf(fading, sizeof fading, ", falling no faster than 1 - gamma from %.17g",
                 later->epsilon_now);
    }
    if (!f->dynamics->continuous) {
        snprintf(pace, sizeof pace,
                 "by steps x + gamma (average - x) with gamma from %.17g to %.17g and epsilon from "
                 "%.17g to %.17g%s",
                 later->gamma_low, later->gamma_high, later->epsilon_low, later->epsilon_high,
                 fading);
    }
    trop_proof_says(proof,
                    "From step %lld on these %lld tokens in dimension %lld move %s: %s; closed "
                    "groups: %lld.",
                    (long long)w->step, (long long)w->live, (long long)f->d, pace, words,
                    (long long)w->groups);
}

void trop_proof_sets(struct trop_proof *proof, const struct trop_flow_witness *w,
                     const struct trop_flow *f, const char *input)
{
    const struct trop_quiescence_future *later = &w->later;
    const int ode = f->dynamics->continuous;

    trop_proof_cloud(proof, &f->options.cloud, input, w->x, w->live);
    trop_proof_masses(proof, f);
    trop_proof_text(proof, "ties", w->points ? "points" : "indices");
    trop_proof_text(proof, "pace", ode ? "ode" : "steps");
    trop_proof_integer(proof, "step", w->step);
    trop_proof_double(proof, "gamma_low", ode ? 0 : later->gamma_low);
    trop_proof_double(proof, "gamma_high", ode ? 1 : later->gamma_high);
    trop_proof_double(proof, "epsilon_low", later->epsilon_low);
    trop_proof_double(proof, "epsilon_high", later->epsilon_high);
    if (later->decays_slowly && f->state.proof.decays) {
        trop_proof_double(proof, "epsilon_now", later->epsilon_now);
    } else {
        trop_proof_null(proof, "epsilon_now");
    }
    trop_proof_integer(proof, "groups", w->groups);
}

void trop_proof_groups(struct trop_proof *proof, const struct trop_flow_witness *w)
{
    trop_proof_integers(proof, "classes", w->class, w->live, -1);
    trop_proof_integers(proof, "inside", w->inside, w->live, -1);
    trop_proof_integers(proof, "listens", w->hears, w->pairs, 2);
}

int trop_proof_lasts(const struct trop_flow *f, int64_t kind)
{
    return f && f->state.has_limits && f->state.proof.kind == kind && trop_flow_witness_exists(f);
}

void trop_proof_known(struct trop_proof *proof, const struct trop_flow_witness *w,
                      const struct trop_flow *f, int64_t kind, const char *input)
{
    static const char *const words[][2] = {
        [TROP_QUIESCENCE_THEOREM_4_2] = { "each always follows one point that never moves",
                                          "a_i(t) = x_l(i), x_l(i)(t) = x_l(i) for all t" },
        [TROP_QUIESCENCE_T5] = { "each always listens to its own group and nobody else, whose mean "
                                 "never moves",
                                 "C_i(t) = G(i), a_i(t) = mean of G(i) for all t" },
        [TROP_QUIESCENCE_FIXED] = { "each always listens to the same others, closed groups beside "
                                    "its "
                                    "own perhaps",
                                    "C_i(t) = C_i for all t" },
    };

    say(proof, w, f, words[kind][0]);
    trop_proof_symbols(proof, "%s", words[kind][1]);
    trop_proof_sets(proof, w, f, input);
    trop_proof_witness(proof);
    trop_proof_groups(proof, w);
}

enum trop_status trop_proof_lasting(struct trop_proof *proof, const struct trop_flow *f,
                                    const char *input)
{
    struct trop_flow_witness *w = NULL;
    const enum trop_status status = trop_flow_witness_create(&w, f);

    if (status == TROP_OK) {
        trop_proof_known(proof, w, f, f->state.proof.kind, input);
    }
    trop_flow_witness_free(w);
    return status;
}

enum trop_status trop_proof_consensus(struct trop_proof *proof, const struct trop_flow *f,
                                      const char *input)
{
    const double slack = f->dynamics->sphere ? 8 * UNIT : 0x1p-1070;
    int differ = 0;

    for (int64_t i = 1; i < f->state.live; i++) {
        differ |= !trop_decide_equal(f->state.x, f->state.x + i * f->d, f->d);
    }
    /* As computed it is off by a few d u of itself and by what subnormal numbers lose, on the
     * sphere by u, since unit vectors are rounded. */
    const double most =
        f->seen.diameter * (1 + 16 * (double)(f->d + 4) * UNIT) + (differ ? slack : 0);

    trop_proof_says(proof,
                    "No two of these %lld tokens%s are farther apart than %.17g, nor will be while "
                    "tokens move towards averages of tokens.",
                    (long long)f->state.live, f->dynamics->sphere ? ", as directions," : "", most);
    trop_proof_symbols(proof, "|x_i - x_j| <= diameter, and hulls do not grow");
    trop_proof_input(proof, "tokens", input, f->state.x, f->state.live, f->d);
    trop_proof_double(proof, "diameter", most);
    trop_proof_text(proof, "space", f->dynamics->sphere ? "sphere" : "flat");
    trop_proof_witness(proof);
    return TROP_OK;
}
