/* The first row in which two buffers differ. */
#pragma once

#include "../../src/reel.h"

#include <jansson.h>

G_BEGIN_DECLS

typedef struct
{
  char *what;      /* in words, or NULL where an element differs */
  gint64 row;      /* in order of time; −1 where no row is meant */
  char *key;       /* or NULL */
  json_t *element; /* its index within the row, or NULL */
  json_t *a, *b;   /* both values, or NULL */
} RowDiff;

/* Compares all rows to the byte, in order of time. Of storages with other lanes, the lanes of both
 * are compared one after the other. FALSE and no error where they are the same. */
gboolean row_diff_find (RowDiff *self, ReelReplayBuffer *a, ReelReplayBuffer *b, GError **error);

void row_diff_clear (RowDiff *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (RowDiff, row_diff_clear)

G_END_DECLS
