/* Reads the columns that mark trajectories piece by piece, and finds the
 * ends in a piece by a kernel. */
#include "episode-marks.h"

#include "../../core/trajectory/episode-bounds-kernel.h"
#include "../storages/racy-copy.h"

#include <string.h>

/* One column, or a tensor in its place. */
typedef struct
{
  const guint8 *data;
  gint64 stride; /* bytes from row to row */
  ReelDtype dtype;
} Source;

struct _ReelEpisodeMarks
{
  ReelTensor *tensor; /* nullable: given outright */
  const ReelEpisodeBoundsKernels *kernels;
  gint64 lanes;
  gint64 capacity; /* rows */
  gboolean are_ids;
  gsize n_sources;
  Source *sources;

  guint8 *raw;  /* rows as they are stored */
  guint8 *read; /* flags of all sources, or ids of 8 bytes */
  gint64 *found;
};

/* ---- which columns ---- */

static gboolean
check_dtype (ReelDtype dtype, gboolean are_ids, const char *name, GError **error)
{
  gboolean fits = are_ids ? !reel_dtype_is_complex (dtype)
                          : dtype == REEL_DTYPE_BOOL || dtype == REEL_DTYPE_UINT8;

  if (!fits)
    g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                 "%s cannot find trajectories: %s are expected, not %s", name,
                 are_ids ? "real numbers" : "flags of dtype bool", reel_dtype_name (dtype));
  return fits;
}

/* The dimensions behind those of the storage but for those of 1, which say nothing. */
static gint
count_dims (ReelStorage *storage, const char *path)
{
  const ReelTensor *leaf = reel_tensordict_get_tensor (reel_storage_get_data (storage), path, NULL);
  gint ndim = reel_storage_get_ndim (storage), n = ndim;

  for (gint i = ndim; leaf && i < leaf->ndim; i++)
    n += leaf->shape[i] != 1;
  return n;
}

static gboolean
add_column (ReelEpisodeMarks *self, ReelStorage *storage, const ReelColumn *column, GError **error)
{
  gint ndim = reel_storage_get_ndim (storage);

  if (!check_dtype (column->dtype, self->are_ids, column->path, error))
    return FALSE;
  if (column->row_bytes != reel_dtype_size (column->dtype))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "Expected the end-of-trajectory signal to be %d-dimensional. Got a tensor with "
                   "shape[1]=%d instead: \"%s\" has more than one element a row.",
                   ndim, count_dims (storage, column->path), column->path);
      return FALSE;
    }
  self->sources[self->n_sources++] = (Source){
    .data = column->data,
    .stride = (gint64) column->row_stride,
    .dtype = column->dtype,
  };
  return TRUE;
}

/* Those of @paths that are stored; FALSE on failure, and where none is. */
static gboolean
add_stored (ReelEpisodeMarks *self, ReelStorage *storage, const char *const *paths,
            gboolean are_ids, GError **error)
{
  guint n_columns;
  const ReelColumn *columns = reel_storage_get_columns (storage, &n_columns);

  self->are_ids = are_ids;
  self->sources = g_renew (Source, self->sources, g_strv_length ((char **) paths) + 1);
  for (; *paths && !(are_ids && self->n_sources > 0); paths++)
    for (guint i = 0; i < n_columns; i++)
      if (g_str_equal (columns[i].path, *paths) && !add_column (self, storage, &columns[i], error))
        return FALSE;
  return self->n_sources > 0;
}

static void
set_no_key (const char *const *ids, const char *const *ends, ReelStorage *storage, GError **error)
{
  g_autofree char *id_names = g_strjoinv ("\", \"", (char **) ids);
  g_autofree char *end_names = g_strjoinv ("\", \"", (char **) ends);
  g_autoptr (GString) stored = g_string_new (NULL);
  guint n;
  const ReelColumn *columns = reel_storage_get_columns (storage, &n);

  for (guint i = 0; i < n; i++)
    g_string_append_printf (stored, "%s\"%s\"", i > 0 ? ", " : "", columns[i].path);
  g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
               "cannot find trajectories: none of \"%s\", \"%s\" is in the storage, which "
               "has %s",
               id_names, end_names, stored->str);
}

/* The kind asked for, else once the other. */
static gboolean
find_columns (ReelEpisodeMarks *self, ReelStorage *storage, const ReelTrajectoryKeys *keys,
              GError **error)
{
  static const char *const usual_ids[] = { "collector/traj_ids", "episode", NULL };
  static const char *const usual_ends[] = { "next/done", NULL };
  const char *const asked[] = { keys->trajectory, NULL };
  const char *const *ids = keys->trajectory ? asked : usual_ids;
  const char *const *ends = keys->ends ? keys->ends : usual_ends;
  gboolean ids_first = keys->trajectory || !keys->ends;
  g_autoptr (GError) fault = NULL;

  if (add_stored (self, storage, ids_first ? ids : ends, ids_first, &fault)
      || (!fault && add_stored (self, storage, ids_first ? ends : ids, !ids_first, &fault)))
    return TRUE;
  if (!fault)
    set_no_key (ids, ends, storage, &fault);
  g_propagate_error (error, g_steal_pointer (&fault));
  return FALSE;
}

static gboolean
take_tensor (ReelEpisodeMarks *self, ReelStorage *storage, ReelTensor *tensor, gboolean are_ids,
             GError **error)
{
  self->are_ids = are_ids;
  if (!check_dtype (tensor->dtype, are_ids, are_ids ? "trajectories" : "ends", error))
    return FALSE;
  if (reel_tensor_numel (tensor) != self->capacity
      || tensor->shape[0] != self->capacity / self->lanes)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "%s must have one element for each of the %" G_GINT64_FORMAT
                   " rows of the storage, %" G_GINT64_FORMAT " steps of %" G_GINT64_FORMAT
                   ", not %" G_GINT64_FORMAT,
                   are_ids ? "trajectories" : "ends", self->capacity, self->capacity / self->lanes,
                   self->lanes, reel_tensor_numel (tensor));
      return FALSE;
    }
  self->tensor = reel_tensor_contiguous (tensor, error);
  if (!self->tensor)
    return FALSE;
  self->sources = g_new (Source, 1);
  self->sources[self->n_sources++] = (Source){
    .data = self->tensor->data,
    .stride = (gint64) reel_dtype_size (tensor->dtype),
    .dtype = tensor->dtype,
  };
  return TRUE;
}

static gboolean
resolve (ReelEpisodeMarks *self, ReelStorage *storage, const ReelTrajectoryKeys *keys,
         GError **error)
{
  static const ReelTrajectoryKeys usual = { 0 };
  guint n;

  if (!keys)
    keys = &usual;
  if (keys->trajectories)
    return take_tensor (self, storage, keys->trajectories, TRUE, error);
  if (keys->end_flags)
    return take_tensor (self, storage, keys->end_flags, FALSE, error);
  if (reel_storage_get_columns (storage, &n))
    return find_columns (self, storage, keys, error);
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                       "Could not get a tensordict out of the storage, which is required for "
                       "SliceSampler to compute the trajectories.");
  return FALSE;
}

ReelEpisodeMarks *
reel_episode_marks_new (ReelStorage *storage, const ReelTrajectoryKeys *keys, GError **error)
{
  g_autoptr (ReelEpisodeMarks) self = g_new0 (ReelEpisodeMarks, 1);
  ReelIsa isa;

  self->lanes = reel_storage_get_lanes (storage);
  self->capacity = reel_storage_get_capacity (storage);
  if (!reel_isa_choose (&isa, error) || !resolve (self, storage, keys, error))
    return NULL;
  self->kernels = REEL_KERNEL_PICK (reel_episode_bounds_kernels, isa);

  /* An id ends a trajectory where that of the next step differs: one step more is read. */
  gsize room = REEL_MARKS_AT_ONCE + (self->are_ids ? (gsize) self->lanes : 0);
  self->raw = g_try_malloc_n (room, sizeof (gint64));
  self->read = g_try_malloc_n (room, self->are_ids ? sizeof (gint64) : 1);
  self->found = g_try_new (gint64, REEL_MARKS_AT_ONCE);
  if (self->raw && self->read && self->found)
    return g_steal_pointer (&self);
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_NO_SPACE,
                       "there is no memory to read where trajectories end");
  return NULL;
}

void
reel_episode_marks_free (ReelEpisodeMarks *self)
{
  if (!self)
    return;
  if (self->tensor)
    reel_tensor_unref (self->tensor);
  g_free (self->sources);
  g_free (self->raw);
  g_free (self->read);
  g_free (self->found);
  g_free (self);
}

gboolean
reel_episode_marks_are_ids (const ReelEpisodeMarks *self)
{
  return self->are_ids;
}

/* ---- their rows ---- */

static void
copy_rows (const Source *source, gint64 slot, gint64 n, guint8 *to)
{
  gsize size = reel_dtype_size (source->dtype);
  const guint8 *from = source->data + slot * source->stride;

  if (source->stride == (gint64) size)
    racy_copy (to, from, (gsize) n * size);
  else
    for (gint64 i = 0; i < n; i++)
      racy_copy (to + (gsize) i * size, from + i * source->stride, size);
}

/* @n rows from number @row on, over the end of the ring. */
static void
read_rows (const ReelEpisodeMarks *self, const Source *source, gint64 row, gint64 n, guint8 *to)
{
  while (n > 0)
    {
      gint64 slot = row % self->capacity, count = MIN (n, self->capacity - slot);

      copy_rows (source, slot, count, to);
      to += (gsize) count * reel_dtype_size (source->dtype);
      row += count;
      n -= count;
    }
}

/* Numbers that are equal become equal words: of reals both zeros, and all that is no number. */
static void
widen (ReelDtype dtype, const guint8 *from, gint64 n, gint64 *to)
{
  if (reel_dtype_is_float (dtype))
    for (gint64 i = 0; i < n; i++)
      {
        double value = reel_dtype_load_double (dtype, from + (gsize) i * reel_dtype_size (dtype));

        value = value == 0 ? 0 : value != value ? G_MAXDOUBLE : value;
        memcpy (&to[i], &value, sizeof value);
      }
  else
    for (gint64 i = 0; i < n; i++)
      switch (reel_dtype_size (dtype))
        {
        case 1: to[i] = from[i]; break;
        case 2: to[i] = ((const guint16 *) from)[i]; break;
        case 4: to[i] = ((const guint32 *) from)[i]; break;
        default: to[i] = ((const gint64 *) from)[i]; break;
        }
}

static gint64
find_changes (ReelEpisodeMarks *self, gint64 row, gint64 n, ReelRowEnds *none)
{
  const Source *source = &self->sources[0];
  gboolean as_it_is =
      !reel_dtype_is_float (source->dtype) && reel_dtype_size (source->dtype) == sizeof (gint64);
  gint64 *ids = (gint64 *) self->read;

  read_rows (self, source, row, n + self->lanes, as_it_is ? self->read : self->raw);
  if (!as_it_is)
    widen (source->dtype, self->raw, n + self->lanes, ids);
  return self->kernels->changes (ids, ids + self->lanes, n, row, none, self->found);
}

static gint64
find_flags (ReelEpisodeMarks *self, gint64 row, gint64 n, ReelRowEnds *none)
{
  read_rows (self, &self->sources[0], row, n, self->read);
  for (gsize i = 1; i < self->n_sources; i++)
    {
      read_rows (self, &self->sources[i], row, n, self->raw);
      for (gint64 k = 0; k < n; k++)
        self->read[k] |= self->raw[k];
    }
  return self->kernels->flags (self->read, n, row, none, self->found);
}

const gint64 *
reel_episode_marks_find (ReelEpisodeMarks *self, gint64 row, gint64 n, gint64 *n_found)
{
  ReelRowEnds none = { .last = G_MAXINT64 };

  *n_found = self->are_ids ? find_changes (self, row, n, &none) : find_flags (self, row, n, &none);
  return self->found;
}
