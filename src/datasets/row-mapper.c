#include "row-mapper.h"

#include "../core/object/error.h"
#include "../core/system/workers.h"
#include "../core/tensor/mapped-memory.h"
#include "../core/tensordict-files/tensordict-files.h"
#include "dataset-leaves.h"

#include <string.h>

/* The work, which all workers share; each has an error of its own. */
typedef struct
{
  ReelTensordict *rows;
  const gint64 *bounds;
  ReelPreprocessFunc fn;
  gpointer data;
  const ReelPreprocessOptions *options;
  ReelTensordict *made; /* mapped */
  char **leaves;        /* of it */
  ReelWorkersClaim claim;
  gint64 total;
  _Atomic gint64 n_done;
  _Atomic gboolean stop;
  GError **errors;
  gint64 *failed; /* the chunk of the error */
} Mapper;

/* ---- a chunk ---- */

static gboolean
blame (const Mapper *self, gint64 chunk, GError **error)
{
  g_prefix_error (error, "rows %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT ": ", self->bounds[chunk],
                  self->bounds[chunk + 1] - 1);
  return FALSE;
}

static ReelTensordict *
copy_rows (const Mapper *self, gint64 begin, gint64 end, GError **error)
{
  g_autoptr (ReelTensordict) part = reel_tensordict_slice (self->rows, 0, begin, end, 1, error);
  ReelTensordict *copy = part ? reel_tensordict_clone (part, TRUE, error) : NULL;
  g_auto (GStrv) leaves = copy ? reel_tensordict_list_leaves (part) : NULL;

  for (gsize i = 0; leaves && leaves[i]; i++)
    {
      const ReelTensor *leaf = reel_tensordict_get_tensor (part, leaves[i], NULL);

      reel_memory_forget (leaf->memory, leaf->data, reel_tensor_nbytes (leaf));
    }
  return copy;
}

static gboolean
check_rows (const ReelTensordict *made, gint64 n, GError **error)
{
  g_auto (GStrv) others = reel_tensordict_list_non_tensors (made);
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (made, &ndim);

  if (others[0])
    g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                 "the result has \"%s\", which has no elements of a tensor; remove it", others[0]);
  else if (ndim < 1 || size[0] != n)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "%" G_GINT64_FORMAT " rows became %" G_GINT64_FORMAT "; a row must become one row",
                 n, ndim < 1 ? 0 : size[0]);
  else
    return TRUE;
  return FALSE;
}

/* The rows of a chunk as the function makes them. */
static ReelTensordict *
change (const Mapper *self, gint64 chunk, GError **error)
{
  const gint64 begin = self->bounds[chunk], end = self->bounds[chunk + 1];
  g_autoptr (GError) failure = NULL;
  g_autoptr (ReelTensordict) rows = copy_rows (self, begin, end, &failure);
  g_autoptr (ReelTensordict) made = rows ? self->fn (rows, begin, self->data, &failure) : NULL;

  if (made && check_rows (made, end - begin, &failure))
    return g_steal_pointer (&made);
  if (!failure)
    g_set_error_literal (&failure, REEL_ERROR, REEL_ERROR_RUNTIME, "the function failed");
  blame (self, chunk, &failure);
  g_propagate_error (error, g_steal_pointer (&failure));
  return NULL;
}

/* ---- the result ---- */

static gboolean
add_leaf (ReelTensordict *outline, const ReelTensordict *like, const char *path, gint64 n,
          GError **error)
{
  const ReelTensor *leaf = reel_tensordict_get_tensor (like, path, NULL);
  gint64 shape[REEL_MAX_NDIM] = { n };
  g_autoptr (ReelTensor) element = reel_tensor_new (leaf->dtype, 0, NULL, error), rows = NULL;

  for (gint d = 1; d < leaf->ndim; d++)
    shape[d] = leaf->shape[d];
  return element && (rows = reel_tensor_expand (element, leaf->ndim, shape, error))
         && reel_tensordict_set_tensor (outline, path, rows, error);
}

static gboolean
make_leaves (Mapper *self, const ReelTensordict *first, const char *directory, GError **error)
{
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (first, &ndim);
  gint64 whole[REEL_MAX_NDIM] = { self->total };
  g_autoptr (ReelTensordict) outline = NULL;

  for (gint d = 1; d < ndim; d++)
    whole[d] = size[d];
  outline = reel_tensordict_new (ndim, whole);
  self->leaves = reel_tensordict_list_leaves (first);
  for (gsize i = 0; self->leaves[i]; i++)
    if (!add_leaf (outline, first, self->leaves[i], self->total, error))
      return FALSE;
  self->made = reel_leaves_make (outline, directory, error);
  return self->made != NULL;
}

static gboolean
check_leaf (const ReelTensor *leaf, const ReelTensor *to, const char *path, GError **error)
{
  if (leaf && leaf->dtype == to->dtype && leaf->ndim == to->ndim
      && memcmp (leaf->shape + 1, to->shape + 1, (gsize) (to->ndim - 1) * sizeof *to->shape) == 0)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "\"%s\" %s", path,
               leaf ? "has another type or shape than in the first rows"
                    : "is missing, which the first rows have");
  return FALSE;
}

static gboolean
write_leaf (const Mapper *self, const ReelTensordict *made, const char *path, gint64 begin,
            GError **error)
{
  const ReelTensor *to = reel_tensordict_get_tensor (self->made, path, NULL);
  ReelTensor *leaf = reel_tensordict_get_tensor (made, path, NULL);
  g_autoptr (ReelTensor) dense = NULL;

  if (!check_leaf (leaf, to, path, error) || !(dense = reel_tensor_contiguous (leaf, error)))
    return FALSE;
  const gsize bytes = reel_tensor_nbytes (dense);
  guint8 *at = to->data + (gsize) begin * (bytes / (gsize) dense->shape[0]);

  if (bytes > 0)
    memcpy (at, dense->data, bytes);
  reel_leaf_let_go (to, at, bytes);
  return TRUE;
}

static gboolean
write_rows (const Mapper *self, const ReelTensordict *made, gint64 chunk, GError **error)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (made);

  for (gsize i = 0; leaves[i]; i++)
    if (!reel_tensordict_contains (self->made, leaves[i]))
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                     "\"%s\" is not in the result of the first rows", leaves[i]);
        return FALSE;
      }
  for (gsize i = 0; self->leaves[i]; i++)
    if (!write_leaf (self, made, self->leaves[i], self->bounds[chunk], error))
      return FALSE;
  return TRUE;
}

/* ---- all chunks ---- */

static gboolean
tell (Mapper *self, GError **error)
{
  const ReelPreprocessOptions *options = self->options;

  if (!options->progress
      || options->progress (atomic_load (&self->n_done), self->total, options->progress_data))
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                       "it was interrupted; all is as it was");
  return FALSE;
}

static gboolean
do_chunk (Mapper *self, gint64 chunk, GError **error)
{
  g_autoptr (ReelTensordict) made = change (self, chunk, error);

  if (!made)
    return FALSE;
  if (!write_rows (self, made, chunk, error))
    return blame (self, chunk, error);
  atomic_fetch_add (&self->n_done, self->bounds[chunk + 1] - self->bounds[chunk]);
  return TRUE;
}

/* Chunk 0 was done first. */
static void
work (gpointer data, gint worker, gint n_workers)
{
  Mapper *self = data;
  gint64 begin, end;

  while (!atomic_load (&self->stop) && reel_workers_claim (&self->claim, &begin, &end))
    if (!do_chunk (self, begin + 1, &self->errors[worker])
        || (worker == 0 && !tell (self, &self->errors[0])))
      {
        self->failed[worker] = begin;
        atomic_store (&self->stop, TRUE);
      }
}

/* The error of the first rows of all that failed. */
static gboolean
take_error (Mapper *self, gint n_workers, GError **error)
{
  gint first = -1;

  for (gint i = 0; i < n_workers; i++)
    if (self->errors[i] && (first < 0 || self->failed[i] < self->failed[first]))
      first = i;
  if (first >= 0)
    g_propagate_error (error, g_steal_pointer (&self->errors[first]));
  for (gint i = 0; i < n_workers; i++)
    g_clear_error (&self->errors[i]);
  return first < 0;
}

static gboolean
do_others (Mapper *self, gint64 n_chunks, GError **error)
{
  g_autoptr (ReelWorkers) workers =
      reel_workers_new (n_chunks > 1 ? self->options->num_workers : 1, error);
  gint n = workers ? reel_workers_count (workers) : 0;
  g_autofree GError **errors = g_new0 (GError *, (gsize) n);
  g_autofree gint64 *failed = g_new0 (gint64, (gsize) n);

  if (!workers)
    return FALSE;
  self->errors = errors;
  self->failed = failed;
  reel_workers_claim_init (&self->claim, n_chunks - 1, 1);
  reel_workers_run (workers, work, self);
  return take_error (self, n, error) && tell (self, error);
}

static gboolean
do_first (Mapper *self, const char *directory, GError **error)
{
  g_autoptr (ReelTensordict) first = change (self, 0, error);

  if (!first || !make_leaves (self, first, directory, error) || !write_rows (self, first, 0, error))
    return FALSE;
  atomic_fetch_add (&self->n_done, self->bounds[1] - self->bounds[0]);
  return tell (self, error);
}

gboolean
reel_rows_map (ReelTensordict *rows, const gint64 *bounds, gint64 n_chunks, ReelPreprocessFunc fn,
               gpointer data, const ReelPreprocessOptions *options, const char *directory,
               GError **error)
{
  Mapper self = { .rows = rows,
                  .bounds = bounds,
                  .fn = fn,
                  .data = data,
                  .options = options,
                  .total = bounds[n_chunks] };
  gboolean done = do_first (&self, directory, error) && do_others (&self, n_chunks, error);

  g_clear_pointer (&self.made, reel_tensordict_unref);
  g_strfreev (self.leaves);
  return done;
}
