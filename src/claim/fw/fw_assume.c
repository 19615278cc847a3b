/* fw_assume.c -- hypotheses for claims that return a status; they go with the last of these. */
#include "claim/fw/fw.h"

enum trop_status trop_fw_assume_symmetric(struct trop_judge *judge, const struct trop_case *c)
{
    trop_fw_judge_symmetric(judge, c);
    return TROP_OK;
}

enum trop_status trop_fw_assume_positive(struct trop_judge *judge, const struct trop_case *c)
{
    trop_fw_judge_positive(judge, c);
    return TROP_OK;
}

enum trop_status trop_fw_assume_steps(struct trop_judge *judge, const struct trop_case *c)
{
    trop_fw_judge_steps(judge, c);
    return TROP_OK;
}

enum trop_status trop_fw_assume_classic(struct trop_judge *judge, const struct trop_case *c)
{
    trop_fw_judge_classic(judge, c);
    return TROP_OK;
}

enum trop_status trop_fw_assume_own_cells(struct trop_judge *judge, const struct trop_case *c)
{
    trop_fw_judge_own_cells(judge, c);
    return TROP_OK;
}

enum trop_status trop_fw_assume_one_cell(struct trop_judge *judge, const struct trop_case *c)
{
    trop_fw_judge_one_cell(judge, c);
    return TROP_OK;
}

enum trop_status trop_fw_assume_points(struct trop_judge *judge, const struct trop_case *c)
{
    trop_fw_judge_points(judge, c);
    return TROP_OK;
}

static enum trop_status put_plane(struct trop_case *c, const double *tokens, int64_t n)
{
    enum trop_status status = trop_fw_draw_given(c, "tokens", tokens, n, 2);

    return status == TROP_OK ? trop_fw_draw_identity(c, 2, 1) : status;
}

enum trop_status trop_fw_assume_not_own(struct trop_case *c)
{
    static const double tokens[] = { 3, 0, .5, 1, -1, -1 };

    return put_plane(c, tokens, 3);
}

enum trop_status trop_fw_assume_not_one(struct trop_case *c)
{
    static const double tokens[] = { 1, 0, 0, 1, -1, 0, 0, -1, .25, .25 };

    return put_plane(c, tokens, 5);
}

enum trop_status trop_fw_assume_not_steps(struct trop_case *c)
{
    trop_case_array(c, "gamma")[2] = 1;
    return TROP_OK;
}

enum trop_status trop_fw_assume_not_positive(struct trop_case *c)
{
    trop_case_array(c, "B")[0] = -1;
    return TROP_OK;
}

enum trop_status trop_fw_assume_not_symmetric(struct trop_case *c)
{
    trop_case_array(c, "B")[1] += 1;
    return TROP_OK;
}

enum trop_status trop_fw_assume_not_points(struct trop_case *c)
{
    trop_case_array(c, "points")[0] += 100;
    return TROP_OK;
}

enum trop_status trop_fw_assume_nudge(struct trop_case *c)
{
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);

    trop_case_array(c, "path")[steps * n * d] += 1e-6;
    return TROP_OK;
}
