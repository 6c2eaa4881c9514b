/* Buffers of values, and rows for them whose shape depends on their number. */
#pragma once

#include "../src/buffers/storages/item-storage.h"
#include "../src/reel.h"

/**
 * value_make:
 * @format: of the text, as for printf()
 *
 * Returns: (transfer full): an object of that text, which must be right
 */
gpointer value_make (GType base, const char *format, ...) G_GNUC_PRINTF (2, 3);

/**
 * value_new_buffer:
 * @sampler_text: (nullable): text of a sampler
 * @writer_text: (nullable): text of a writer
 *
 * Returns: (transfer full): an empty buffer
 */
ReelReplayBuffer *value_new_buffer (const char *storage_text, const char *sampler_text,
                                    const char *writer_text);

/**
 * value_new_plain:
 * @id: of its storage
 *
 * Returns: (transfer full): an empty buffer that samples and writes as by default
 */
ReelReplayBuffer *value_new_plain (gconstpointer id, gint64 capacity);

/**
 * value_new_tensor:
 *
 * Returns: (transfer full): float32 `[n]`, each @value
 */
ReelTensor *value_new_tensor (gint64 n, double value);

/**
 * value_new_scalar:
 *
 * Returns: (transfer full): int64 `[]`
 */
ReelTensor *value_new_scalar (gint64 value);

/**
 * value_set:
 * @tensor: (transfer full): what is set
 */
void value_set (ReelTensordict *td, const char *path, ReelTensor *tensor);

/**
 * value_new_row:
 *
 * Returns: (transfer full): `id` int64 [], `next/ragged` float32 [1 + number % 3] and `text`, which
 *   all tell @number
 */
ReelTensordict *value_new_row (gint64 number);

/**
 * value_row_number:
 *
 * Returns: the number of such a row, of which all leaves tell it
 */
gint64 value_row_number (const ReelTensordict *row);

/**
 * value_new_rows:
 *
 * Returns: (transfer full): a list of @n such rows
 */
ReelTensordict *value_new_rows (gint64 n, gint64 first);

/**
 * value_extend:
 * @data: (transfer full): rows
 * @index: (out) (optional): as of reel_replay_buffer_extend()
 */
void value_extend (ReelReplayBuffer *buffer, ReelTensordict *data, ReelTensor **index);

/**
 * value_nth:
 *
 * Returns: row @i of a list or a lazy stack
 */
ReelTensordict *value_nth (const ReelTensordict *rows, gsize i);

/**
 * value_nth_number:
 *
 * Returns: the number of row @i, also of a dense tensordict
 */
gint64 value_nth_number (const ReelTensordict *rows, gsize i);

/**
 * value_parse:
 * @index: set to what stands between the brackets in Python
 */
void value_parse (ReelIndex *index, const char *python);

/**
 * value_get_slice:
 *
 * Returns: (transfer full): rows by the places that they have now
 */
ReelTensordict *value_get_slice (ReelReplayBuffer *buffer, gint64 begin, gint64 end);

/**
 * value_get_id:
 *
 * Returns: the `id` of the row at place @i
 */
gint64 value_get_id (ReelReplayBuffer *buffer, gint64 i);
