#include "preprocess.h"

#include "../core/object/error.h"
#include "../core/system/files.h"
#include "../core/tensordict-files/tensordict-files.h"
#include "../core/trajectory/ted.h"
#include "dataset-place.h"
#include "row-mapper.h"

#define DONE "next/done"
#define CHUNK ((gint64) 1 << 20) /* bytes of rows, where no number is given */

typedef struct
{
  ReelPreprocessFunc fn;
  gpointer data;
  ReelPreprocessOptions options;
  gboolean by_episodes;
  gboolean is_serial; /* one thread at a time may write through a transform */
  ReelTensordict *rows;
  gint64 n; /* of them that are kept */
} Work;

/* ---- chunks ---- */

static gint64
choose_chunk (const Work *self)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (self->rows);
  gint64 bytes = 0, n = reel_tensordict_get_batch_size (self->rows, &(gint){ 0 })[0];

  if (self->options.chunk_size > 0)
    return self->options.chunk_size;
  for (gsize i = 0; leaves[i]; i++)
    bytes += (gint64) reel_tensor_nbytes (reel_tensordict_get_tensor (self->rows, leaves[i], NULL));
  return MAX (CHUNK / MAX (bytes / n, 1), 1);
}

static GArray *
cut_evenly (gint64 n, gint64 chunk)
{
  GArray *bounds = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (gint64 at = 0; at < n; at += MIN (chunk, n - at))
    g_array_append_val (bounds, at);
  g_array_append_val (bounds, n);
  return bounds;
}

/* Whole episodes, of so many rows at least; each chunk has the end of one. */
static GArray *
cut_between (const ReelTensor *done, const ReelTensor *episodes, gint64 n, gint64 chunk)
{
  GArray *bounds = g_array_new (FALSE, FALSE, sizeof (gint64));
  const gint64 *at = (const gint64 *) episodes->data;
  gint64 last = 0;

  g_array_append_val (bounds, last);
  for (gint64 i = 1; i + 1 < episodes->shape[0] && at[i + 1] <= n; i++)
    if (at[i] - last >= chunk && done->data[at[i + 1] - 1])
      {
        last = at[i];
        g_array_append_val (bounds, last);
      }
  g_array_append_val (bounds, n);
  return bounds;
}

/* Split rows are episodes; without ends all rows may be one. */
static GArray *
cut (const Work *self, GError **error)
{
  ReelTensor *done = reel_tensordict_get_tensor (self->rows, DONE, NULL);
  g_autoptr (ReelTensor) episodes = NULL;
  gint ndim;

  reel_tensordict_get_batch_size (self->rows, &ndim);
  if (!self->by_episodes || ndim > 1)
    return cut_evenly (self->n, choose_chunk (self));
  if (!done || reel_tensor_numel (done) != done->shape[0])
    return cut_evenly (self->n, self->n);
  episodes = reel_episode_bounds_from_flags (done, 0, error);
  return episodes ? cut_between (done, episodes, self->n, choose_chunk (self)) : NULL;
}

/* ---- rows ---- */

static gboolean
check_text (char **left_out, const char *path, const Work *self, GError **error)
{
  if (!left_out[0] || self->options.dest)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "%s has more than tensors, which would be lost: %s; name a directory of its own for "
               "the result",
               path, left_out[0]);
  return FALSE;
}

static gboolean
count_rows (Work *self, GError **error)
{
  const gint64 n = reel_tensordict_get_batch_size (self->rows, &(gint){ 0 })[0];

  self->n = self->options.num_frames > 0 ? self->options.num_frames : n;
  if (n > 0 && self->n <= n && self->options.num_frames >= 0)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "%" G_GINT64_FORMAT " rows are wanted of %" G_GINT64_FORMAT,
               self->options.num_frames, n);
  return FALSE;
}

/* The part of a path that exists. */
static char *
find_there (const char *path, GError **error)
{
  char *there = g_strdup (path);
  ReelPathKind kind;

  while (reel_path_query (there, &kind, NULL, error))
    {
      char *above = kind == REEL_PATH_MISSING ? g_path_get_dirname (there) : NULL;

      if (!above)
        return there;
      g_free (there);
      there = above;
    }
  g_free (there);
  return NULL;
}

/* A dataset has no files of anybody else's. */
static gboolean
check_dest (const char *dest, const char *path, GError **error)
{
  g_autofree char *there = dest ? find_there (dest, error) : NULL;

  if (!dest)
    return TRUE;
  if (there && reel_path_check_inside (there, path, NULL))
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "%s is inside it; choose another directory",
                 dest);
  return there && !reel_path_check_inside (there, path, NULL);
}

static gboolean
open_rows (Work *self, const char *path, GError **error)
{
  g_auto (GStrv) left_out = NULL;

  self->rows = reel_tensordict_load_partial (path, REEL_LOAD_READ_ONLY | REEL_LOAD_TENSORS,
                                             &left_out, error);
  return self->rows && check_text (left_out, path, self, error) && count_rows (self, error);
}

static gboolean
fill (ReelDataset *dataset, const char *directory, gpointer data, GError **error)
{
  Work *self = data;
  g_autoptr (GArray) bounds = cut (self, error);

  return bounds
         && reel_rows_map (self->rows, (const gint64 *) bounds->data, (gint64) bounds->len - 1,
                           self->fn, self->data, &self->options, directory, error);
}

static gboolean
preprocess (ReelDataset *dataset, Work *self, const ReelPreprocessOptions *options, GError **error)
{
  const char *path = reel_dataset_get_data_path (dataset);
  gboolean done;

  if (options)
    self->options = *options;
  if (self->is_serial)
    self->options.num_workers = 1;
  done =
      check_dest (self->options.dest, path, error) && open_rows (self, path, error)
      && reel_dataset_place (dataset, self->options.dest ? self->options.dest : path,
                             self->options.dest ? REEL_CHECKPOINT_DEFAULT : REEL_CHECKPOINT_FORCE,
                             fill, self, error);
  g_clear_pointer (&self->rows, reel_tensordict_unref);
  if (!done)
    g_prefix_error (error, "cannot preprocess %s: ", path);
  return done;
}

gboolean
reel_dataset_preprocess (ReelDataset *self, ReelPreprocessFunc fn, gpointer data,
                         const ReelPreprocessOptions *options, GError **error)
{
  Work work = { .fn = fn, .data = data };

  g_return_val_if_fail (REEL_IS_DATASET (self) && fn, FALSE);
  return preprocess (self, &work, options, error);
}

/* ---- by a transform ---- */

/* As rows that are written to an empty buffer with the transform, and read from it. */
static ReelTensordict *
pass (ReelTensordict *rows, gint64 first, gpointer data, GError **error)
{
  ReelTransform *transform = data;
  g_autoptr (ReelTensordict) written = NULL;

  if (!reel_transform_changes_writes (transform))
    return reel_transform_forward (transform, rows, error);
  reel_transform_empty (transform);
  if (!reel_transform_inverse (transform, rows, &written, error))
    return NULL;
  if (written)
    return reel_transform_forward (transform, written, error);
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "the transform holds rows back; a row must become one row");
  return NULL;
}

gboolean
reel_dataset_preprocess_by_transform (ReelDataset *self, ReelTransform *transform,
                                      const ReelPreprocessOptions *options, GError **error)
{
  Work work = { .fn = pass, .data = transform, .by_episodes = TRUE };

  g_return_val_if_fail (REEL_IS_DATASET (self) && REEL_IS_TRANSFORM (transform), FALSE);
  work.is_serial = reel_transform_changes_writes (transform);
  return preprocess (self, &work, options, error);
}
