/* The ranks that a `max-value` writer keeps, for files and tests. Private. */
#pragma once

#include "writer.h"

G_BEGIN_DECLS

#define REEL_TYPE_MAX_VALUE_WRITER (reel_max_value_writer_get_type ())
G_DECLARE_FINAL_TYPE (ReelMaxValueWriter, reel_max_value_writer, REEL, MAX_VALUE_WRITER, ReelWriter)

/**
 * reel_max_value_writer_dup_heap:
 * @self: a writer
 * @storage: what it writes to
 * @error: KEY, TYPE, VALUE where stored rows have no rank
 *
 * Returns: (transfer full): `[n, 2]`, int64 where ranks are integers, else float64: rank and slot
 *   of each step, in the order of the heap: the least first, children of i at 2i + 1 and 2i + 2
 */
ReelTensor *reel_max_value_writer_dup_heap (ReelMaxValueWriter *self, ReelStorage *storage,
                                            GError **error);

G_END_DECLS
