#include "row-transform.h"

#include "class-words.h"
#include "usage-error.h"

ReelTransform *
row_transform_new (const char *text, GError **error)
{
  GError *failure = NULL;
  ReelTransform *transform = reel_object_new_from_text (REEL_TYPE_TRANSFORM, text, &failure, NULL);

  if (!transform)
    class_words_propagate (error, failure, "transform", REEL_TYPE_TRANSFORM, text);
  return transform;
}

ReelTransform *
row_transform_new_for_reading (const char *text, GError **error)
{
  g_autoptr (ReelTransform) transform = row_transform_new (text, error);

  if (!transform || !reel_transform_changes_writes (transform))
    return g_steal_pointer (&transform);
  set_usage_error (error,
                   "--transform %s changes rows where they are written, and these are only read: "
                   "replay convert writes them",
                   text);
  return NULL;
}

/* Empty, with room for @rows, which have the dimensions of a storage of @ndim. */
static ReelReplayBuffer *
new_buffer_for (ReelTensordict *rows, gint ndim, gint64 batch_size, GError **error)
{
  gint64 capacity = 1;
  gint n_dims;
  const gint64 *shape = reel_tensordict_get_batch_size (rows, &n_dims);

  for (gint dim = 0; dim < MIN (ndim, n_dims); dim++)
    capacity *= shape[dim];

  g_autofree char *text =
      g_strdup_printf ("tensor:capacity=%" G_GINT64_FORMAT ",ndim=%d", capacity, ndim);

  return reel_replay_buffer_new_from_text (text, NULL, batch_size, error);
}

/* The rows of @buffer as it would have stored them with @transform. */
static ReelReplayBuffer *
write_through (ReelTransform *transform, ReelReplayBuffer *buffer, gint ndim, GError **error)
{
  g_autoptr (ReelTensordict) rows = reel_replay_buffer_get_all (buffer, error);
  g_autoptr (ReelReplayBuffer) written =
      rows ? new_buffer_for (rows, ndim, reel_replay_buffer_get_batch_size (buffer), error) : NULL;

  return written && reel_replay_buffer_append_transform (written, transform, FALSE, error)
                 && reel_replay_buffer_extend (written, rows, NULL, error)
             ? g_steal_pointer (&written)
             : NULL;
}

/* A buffer that has @transform, and shows all rows of @buffer. */
static ReelReplayBuffer *
show_through (ReelTransform *transform, ReelReplayBuffer *buffer, ReelOrderedDump *ring,
              GError **error)
{
  g_autoptr (ReelReplayBuffer) ordered = reel_replay_buffer_copy_in_order (buffer, ring, error);

  if (ordered && reel_transform_changes_writes (transform))
    return write_through (transform, ordered, ring->ndim, error);
  return ordered && reel_replay_buffer_append_transform (ordered, transform, FALSE, error)
             ? g_steal_pointer (&ordered)
             : NULL;
}

ReelReplayBuffer *
row_transform_all (ReelTransform *transform, ReelReplayBuffer *buffer, ReelOrderedDump *ring,
                   GError **error)
{
  g_autoptr (ReelReplayBuffer) shown = show_through (transform, buffer, ring, error);
  g_autoptr (ReelTensordict) rows = shown ? reel_replay_buffer_get_all (shown, error) : NULL;
  g_autoptr (ReelReplayBuffer) made = NULL;

  if (rows)
    made = new_buffer_for (rows, ring->ndim, reel_replay_buffer_get_batch_size (shown), error);
  return made && reel_replay_buffer_extend (made, rows, NULL, error) ? g_steal_pointer (&made)
                                                                     : NULL;
}
