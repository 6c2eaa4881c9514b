/* Rows that the frozen loop of CartPole writes: memory for a hot ring of them. */
#pragma once

#include "limits/limits.h"

#include <glib.h>

G_BEGIN_DECLS

/**
 * LIMIT_ROW_BYTES:
 *
 * Bytes of one row of #LimitColumns.
 */
#define LIMIT_ROW_BYTES 66

/**
 * limit_columns_open:
 * @columns: (out): columns of @rows rows
 * @rows: how many
 *
 * Allocates them side by side, each aligned to a line.
 *
 * Returns: (transfer full): the memory; free with g_aligned_free()
 */
gpointer limit_columns_open (LimitColumns *columns, gint64 rows);

G_END_DECLS
