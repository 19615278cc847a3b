/* outside_api.c -- what a file of claims is handed: our functions, a row each.
 *
 * The compiler compares each with its type in tropism_claim.h. Of pictures it is a part, without
 * the structs of pens.
 */
#include "claim/case_work.h"
#include "claim/outside/outside.h"
#include "claim/tokens.h"

static void logs(struct trop_panel *panel, int x, int y)
{
    trop_panel_scale_x(panel, x ? TROP_SCALE_LOG : TROP_SCALE_LINEAR);
    trop_panel_scale_y(panel, y ? TROP_SCALE_LOG : TROP_SCALE_LINEAR);
}

static void curve(struct trop_panel *panel, const double *x, const double *y, int64_t count,
                  int64_t k, const char *legend)
{
    trop_panel_line(panel, x, y, count, trop_figure_pen(k), legend);
}

static void dots(struct trop_panel *panel, const double *x, const double *y, int64_t count,
                 int64_t k, const char *legend)
{
    trop_panel_dots(panel, x, y, count, trop_figure_dot(k), legend);
}

static void level(struct trop_panel *panel, double y, int64_t k, const char *legend)
{
    trop_panel_level(panel, y, trop_figure_pen(k), legend);
}

static void text(struct trop_panel *panel, double x, double y, const char *words)
{
    trop_panel_text(panel, x, y, words, 1, 1, TROP_COLOUR_BLACK);
}

const struct trop_claim_api trop_outside_api = {
    .abi = TROP_CLAIM_ABI,
    .size = sizeof(struct trop_claim_api),
    .case_has = trop_case_has,
    .case_array = trop_case_array,
    .case_number = trop_case_number,
    .case_integer = trop_case_integer,
    .case_size = trop_case_size,
    .case_view = trop_case_view,
    .case_view_row = trop_case_view_row,
    .case_view_part = trop_case_view_part,
    .case_put = trop_case_put,
    .case_default = trop_case_default,
    .case_zeros = trop_case_zeros,
    .case_absent = trop_case_absent,
    .case_copy_in = trop_case_copy_in,
    .case_drop = trop_case_drop,
    .case_scratch = trop_case_scratch,
    .case_scratch_integers = trop_case_scratch_integers,
    .case_mark = trop_case_mark,
    .case_release = trop_case_release,
    .case_aside = trop_case_aside,
    .case_apart = trop_case_apart,
    .case_keep = trop_case_keep,
    .case_refuse = trop_case_refuse,
    .case_side_by_side = trop_case_side_by_side,
    .case_uniform = trop_case_uniform,
    .case_normal = trop_case_normal,
    .case_pick = trop_case_pick,
    .judge_at_most = trop_judge_at_most,
    .judge_at_least = trop_judge_at_least,
    .judge_near = trop_judge_near,
    .judge_truth = trop_judge_truth,
    .judge_above = trop_judge_above,
    .judge_beside = trop_judge_beside,
    .judge_name = trop_judge_name,
    .tokens_gaussian = trop_tokens_gaussian,
    .tokens_uniform = trop_tokens_uniform,
    .tokens_sphere = trop_tokens_sphere,
    .tokens_symmetric = trop_tokens_symmetric,
    .tokens_own_cells = trop_tokens_own_cells,
    .tokens_check = trop_tokens_check,
    .tokens_count = trop_tokens_count,
    .tokens_dot = trop_tokens_dot,
    .tokens_norm = trop_tokens_norm,
    .tokens_distance = trop_tokens_distance,
    .tokens_diameter = trop_tokens_diameter,
    .tokens_radius = trop_tokens_radius,
    .case_path = trop_case_path,
    .case_flow = trop_case_flow,
    .case_escape = trop_case_escape,
    .case_cells = trop_case_cells,
    .case_hull = trop_case_hull,
    .case_place = trop_case_place,
    .case_solve = trop_case_solve,
    .case_train = trop_case_train,
    .case_records = trop_case_records,
    .case_row = trop_case_row,
    .case_radii = trop_case_radii,
    .case_take = trop_case_take,
    .case_told = trop_case_told,
    .case_take_list = trop_case_take_list,
    .case_reshape = trop_case_reshape,
    .flow_field_table = trop_flow_field_table,
    .escape_field_table = trop_escape_field_table,
    .cells_field_table = trop_cells_field_table,
    .margin_field_table = trop_margin_field_table,
    .train_field_table = trop_train_field_table,
    .path_field_table = trop_path_field_table,
    .picture_grid = trop_figure_grid,
    .picture_axes = trop_figure_axes,
    .picture_logs = logs,
    .picture_curve = curve,
    .picture_dots = dots,
    .picture_level = level,
    .picture_text = text,
};
