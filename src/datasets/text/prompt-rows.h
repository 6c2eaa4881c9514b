/* Prompts as rows of ids, checked. Private to the library. */
#pragma once

#include "text-model.h"
#include "text-records.h"

G_BEGIN_DECLS

/**
 * ReelPromptRows:
 * @n_rows: B
 * @length: S
 * @ids: (array): `[B, S]`
 * @mask: (array): `[B, S]`
 * @ends: (array length=n_rows): tokens of each prompt, 1 to S
 *
 * Prompts with their labels. Owns its arrays.
 */
typedef struct
{
  gint64 n_rows;
  gint64 length;
  gint64 *ids;
  guint8 *mask;
  gint64 *ends;
} ReelPromptRows;

/**
 * reel_prompt_rows_init:
 * @self: (out caller-allocates): rows, for reel_prompt_rows_clear() in any case
 * @prompts: a record
 * @error: VALUE, TYPE, KEY, RUNTIME for tensors that are no prompts, and where one has no token
 *
 * Returns: whether they were read
 */
gboolean reel_prompt_rows_init (ReelPromptRows *self, const ReelPromptData *prompts,
                                GError **error);

/**
 * reel_prompt_rows_clear:
 * @self: rows
 */
void reel_prompt_rows_clear (ReelPromptRows *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ReelPromptRows, reel_prompt_rows_clear)

/**
 * reel_text_mask_new:
 * @ids: (array length=n): ids
 * @n: how many
 * @eos: the id of padding
 *
 * Returns: (transfer full) (array length=n): 1 where an id is another one; free with g_free()
 */
guint8 *reel_text_mask_new (const gint64 *ids, gint64 n, gint64 eos);

G_END_DECLS
