/* list_mm_figures.c -- figures and tables of the max-margin paper, in its order. */
#include "claim/mm/mm_figures.h"

const struct trop_claim *const trop_list_mm_figures[] = { &trop_mm_fig_1a,
                                                          &trop_mm_fig_1b,
                                                          &trop_mm_fig_1c,
                                                          &trop_mm_fig_2,
                                                          &trop_mm_fig_3a,
                                                          &trop_mm_fig_3b,
                                                          &trop_mm_fig_3c,
                                                          &trop_mm_fig_4,
                                                          &trop_mm_fig_5,
                                                          &trop_mm_tab_loss,
                                                          &trop_mm_fig_6,
                                                          &trop_mm_fig_7,
                                                          &trop_mm_fig_8,
                                                          &trop_mm_fig_9,
                                                          &trop_mm_fig_10,
                                                          &trop_mm_tab_gradient,
                                                          NULL };
