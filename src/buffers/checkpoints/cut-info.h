/* The rows at which episodes are cut, in a buffer's sidecar. Private. */
#pragma once

#include "../../core/formats/json.h"
#include "../replay-buffer.h"

G_BEGIN_DECLS

#define REEL_CUT_INFO "cut_rows"
#define REEL_CUT_BEGINS "begins"
#define REEL_CUT_ENDS "ends"

/**
 * reel_cut_info_add:
 * @self: a buffer
 * @list: %REEL_CUT_BEGINS for an episode whose steps before @row are lost, or %REEL_CUT_ENDS for
 * one whose steps after @row are
 * @row: a row, as #ReelStorageView numbers rows
 */
void reel_cut_info_add (ReelReplayBuffer *self, const char *list, gint64 row);

/**
 * reel_cut_info_get:
 * @self: a buffer
 * @list: which of the lists
 *
 * Returns: (nullable): an array; elements may be anything that a file contained
 */
const json_t *reel_cut_info_get (ReelReplayBuffer *self, const char *list);

/**
 * reel_cut_info_clear:
 * @self: a buffer whose rows have other numbers from now on
 */
void reel_cut_info_clear (ReelReplayBuffer *self);

G_END_DECLS
