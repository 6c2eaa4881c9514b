/* Rows that have no columns, of a storage of values: each is shown by itself. */
#pragma once

#include "../../src/reel.h"

#include <jansson.h>

G_BEGIN_DECLS

/* One key of the rows: its type, how many have it, and the shape where all agree. */
typedef struct
{
  char *path;
  const char *type;
  char *shape;
  gint64 n_rows;
} ValueKey;

/* (element-type ValueKey): the keys of all rows, in the order in which they are met; a bare value
 * has the empty one. */
GPtrArray *value_keys_list (ReelReplayBuffer *buffer, GError **error);

/* Prints rows [begin, end) of the numbers from @base on: as Python does, or a JSON object a line.
 */
gboolean value_rows_print (ReelReplayBuffer *buffer, gint64 base, gint64 begin, gint64 end,
                           gboolean json, GError **error);

G_END_DECLS
