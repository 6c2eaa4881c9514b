/* The common part of samplers of slices: their properties, where a slice
 * is cut, and its marks in a batch. */
#include "slices.h"

#include "../../core/tensordict/tensordict-private.h"

#include <string.h>

/* ---- properties ---- */

void
reel_slices_add_properties (ReelObjectClass *klass, gsize offset)
{
  const ReelPropertyFlags fixed = REEL_PROPERTY_CONSTRUCT_ONLY;

#define AT(field) (offset + G_STRUCT_OFFSET (ReelSlices, field))
  reel_object_class_add_int64 (klass, "num-slices", AT (num_slices), 0, G_MAXINT64, 0, "slices",
                               "slices of a batch; instead of slice-len", fixed);
  reel_object_class_add_int64 (klass, "slice-len", AT (slice_len), 0, G_MAXINT64, 0, "steps",
                               "steps of a slice; instead of num-slices", fixed);
  reel_object_class_add_string (klass, "end-key", AT (end_key), NULL,
                                "flag of the last step of a trajectory", fixed);
  reel_object_class_add_words (klass, "end-keys", AT (end_keys),
                               "several flags, any of which ends a trajectory; those not stored "
                               "are passed over",
                               fixed);
  reel_object_class_add_string (klass, "traj-key", AT (traj_key), NULL,
                                "number of the trajectory; without keys: collector/traj_ids, else "
                                "episode, else the flag next/done",
                                fixed);
  reel_object_class_add_string (
      klass, "truncated-key", AT (truncated_key), "next/truncated",
      "key that marks the last step of each slice, next to done and terminated; empty for none",
      fixed);
  reel_object_class_add_string (klass, "init-key", AT (init_key), "is_init",
                                "where the first step of each slice is marked, if that is stored; "
                                "empty for nowhere",
                                fixed);
  reel_object_class_add_bool (klass, "strict-length", AT (strict_length), TRUE,
                              "leave out trajectories that are shorter than a slice", fixed);
#undef AT
}

void
reel_slices_add_span_right (ReelObjectClass *klass, gsize offset)
{
  reel_object_class_add_int64 (klass, "span-right",
                               offset + G_STRUCT_OFFSET (ReelSlices, span_right), -1, G_MAXINT64, 0,
                               "steps",
                               "by how much a slice may end behind its trajectory, which cuts it; "
                               "-1: all but one step",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
}

static gboolean
is_given (const char *text)
{
  return text && *text;
}

/* The paths of the flags, NULL where none are given. */
static const char *const *
find_ends (const ReelSlices *self)
{
  if (self->end_keys)
    return (const char *const *) self->end_keys;
  return is_given (self->end_key) ? self->only_end : NULL;
}

static char *
print_count (gint64 n)
{
  return n > 0 ? g_strdup_printf ("%" G_GINT64_FORMAT, n) : g_strdup ("None");
}

static gboolean
check_properties (const ReelSlices *self, GError **error)
{
  g_autofree char *num_slices = print_count (self->num_slices);
  g_autofree char *slice_len = print_count (self->slice_len);

  if (is_given (self->end_key) && self->end_keys)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                         "`end_key` and `end_keys` are exclusive arguments: pass the single "
                         "boundary key through `end_key`, or the sequence of keys to be OR-ed "
                         "together through `end_keys`.");
  else if (self->pad_output && self->strict_length)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                         "pad_output=True is incompatible with strict_length=True: padding only "
                         "happens when short trajectories are kept, which requires "
                         "strict_length=False.");
  else if ((self->num_slices > 0) == (self->slice_len > 0))
    g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                 "Either num_slices or slice_len must be not None, and not both. Got num_slices=%s "
                 "and slice_len=%s.",
                 num_slices, slice_len);
  else
    return TRUE;
  return FALSE;
}

static gint
add_column (ReelSlices *self, const char *path, gint ndim, ReelInfoMerge merge)
{
  self->columns[self->n_columns] = (ReelInfoColumn){
    .path = path, .dtype = REEL_DTYPE_BOOL, .ndim = ndim, .shape = { 1 }, .merge = merge
  };
  return (gint) self->n_columns++;
}

/* The key @name beside @path. */
static char *
replace_last (const char *path, const char *name)
{
  const char *slash = strrchr (path, '/');

  return slash ? g_strdup_printf ("%.*s/%s", (int) (slash - path), path, name) : g_strdup (name);
}

gboolean
reel_slices_build (ReelSlices *self, GError **error)
{
  if (!check_properties (self, error))
    return FALSE;
  self->only_end[0] = self->end_key;
  self->truncated = self->done = self->terminated = self->init = self->mask = -1;
  if (is_given (self->truncated_key))
    {
      self->done_key = replace_last (self->truncated_key, "done");
      self->terminated_key = replace_last (self->truncated_key, "terminated");
      self->truncated = add_column (self, self->truncated_key, 1, REEL_INFO_SET);
      self->done = add_column (self, self->done_key, 1, REEL_INFO_OR);
      self->terminated = add_column (self, self->terminated_key, 1, REEL_INFO_OR);
    }
  if (is_given (self->init_key))
    self->init = add_column (self, self->init_key, 1, REEL_INFO_OR_STORED);
  if (self->pad_output)
    self->mask = add_column (self, "collector/mask", 0, REEL_INFO_SET);
  return TRUE;
}

void
reel_slices_clear (ReelSlices *self)
{
  g_clear_pointer (&self->trajectories, reel_tensor_unref);
  g_clear_pointer (&self->ends, reel_tensor_unref);
  g_clear_pointer (&self->done_key, g_free);
  g_clear_pointer (&self->terminated_key, g_free);
  g_clear_pointer (&self->index, reel_trajectory_index_free);
}

const ReelInfoColumn *
reel_slices_list_info (const ReelSlices *self, guint *n)
{
  *n = self->n_columns;
  return self->columns;
}

gboolean
reel_slices_set_marks (ReelSlices *self, ReelTensor *trajectories, ReelTensor *ends, GError **error)
{
  const char *what = trajectories ? "trajectories" : "ends";

  if (trajectories && ends)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                         "trajectories and ends are exclusive arguments.");
  else if (is_given (self->traj_key) || find_ends (self))
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "`%s` and `end_key`, `end_keys` or `traj_key` are exclusive arguments.", what);
  else if (!self->cache_values)
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "To be used, %s requires `cache_values` to be set to `True`.", what);
  else
    {
      g_clear_pointer (&self->trajectories, reel_tensor_unref);
      g_clear_pointer (&self->ends, reel_tensor_unref);
      self->trajectories = trajectories ? reel_tensor_ref (trajectories) : NULL;
      self->ends = ends ? reel_tensor_ref (ends) : NULL;
      return TRUE;
    }
  return FALSE;
}

ReelTrajectoryIndex *
reel_slices_new_index (const ReelSlices *self, ReelStorage *storage, GError **error)
{
  ReelTrajectoryKeys keys = { .trajectory = is_given (self->traj_key) ? self->traj_key : NULL,
                              .ends = find_ends (self),
                              .trajectories = self->trajectories,
                              .end_flags = self->ends };

  return reel_trajectory_index_new (storage, &keys, error);
}

gboolean
reel_slices_bind (ReelSlices *self, ReelStorage *storage, GError **error)
{
  g_clear_pointer (&self->index, reel_trajectory_index_free);
  self->n_looked = 0;
  if (!reel_storage_is_allocated (storage))
    return TRUE;
  self->index = reel_slices_new_index (self, storage, error);
  return self->index != NULL;
}

/* ---- sizes ---- */

gboolean
reel_slices_find_size (const ReelSlices *self, gint64 n, ReelSlicesSize *size, GError **error)
{
  gboolean by_number = self->num_slices > 0;
  gint64 divisor = by_number ? self->num_slices : self->slice_len;

  if (n % divisor != 0)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "The batch-size must be divisible by the %s, got batch_size=%" G_GINT64_FORMAT
                   " and %s=%" G_GINT64_FORMAT ".",
                   by_number ? "number of slices" : "slice length", n,
                   by_number ? "num_slices" : "slice_len", divisor);
      return FALSE;
    }
  size->n_slices = by_number ? divisor : n / divisor;
  size->length = n / size->n_slices;
  if (MAX (self->span_left, self->span_right) < size->length)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "The right and left span must be strictly lower than the sequence length: they are "
               "%" G_GINT64_FORMAT " and %" G_GINT64_FORMAT ", that is %" G_GINT64_FORMAT,
               self->span_right, self->span_left, size->length);
  return FALSE;
}

gboolean
reel_slices_follow (ReelSlices *self, const ReelStorageView *view, const ReelSlicesSize *size,
                    GError **error)
{
  return reel_trajectory_index_follow (self->index, view, self->strict_length ? size->length : 1,
                                       error);
}

static gint64
count_begins (const ReelSlices *self, gint64 length)
{
  gint64 n = 0;

  for (gint64 k = 0; k < reel_trajectory_index_get_n (self->index); k++)
    {
      ReelTrajectory one;

      reel_trajectory_index_get (self->index, k, &one);
      n += MAX (one.n_steps - length + 1, self->strict_length ? 0 : 1);
    }
  return n;
}

gboolean
reel_slices_count (ReelSlices *self, const ReelStorageView *view, gint64 n, gint64 least,
                   gint64 *count, GError **error)
{
  ReelSlicesSize size;
  guint64 looked;

  if (!reel_slices_find_size (self, n, &size, error)
      || !(least > 0 ? reel_trajectory_index_follow (self->index, view, least, error)
                     : reel_slices_follow (self, view, &size, error)))
    return FALSE;
  /* The index counts its changes, so that all trajectories are only
   * walked over where something changed. */
  looked = reel_trajectory_index_count_changes (self->index) + 1;
  if (self->n_looked != looked || self->counted_length != size.length)
    {
      self->n_counted = count_begins (self, size.length);
      self->counted_length = size.length;
      self->n_looked = looked;
    }
  *count = self->n_counted;
  return TRUE;
}

gboolean
reel_slices_refuse (ReelSlices *self, ReelStorage *storage, const ReelStorageView *view,
                    const ReelSlicesSize *size, ReelDraw *draw, GError **error)
{
  gint64 shortest = G_MAXINT64, longest = 0;

  if (!reel_trajectory_index_follow (self->index, view, 1, error))
    return FALSE;
  for (gint64 k = 0; k < reel_trajectory_index_get_n (self->index); k++)
    {
      ReelTrajectory one;

      reel_trajectory_index_get (self->index, k, &one);
      shortest = MIN (shortest, one.n_steps);
      longest = MAX (longest, one.n_steps);
    }
  /* The writer overwrote rows during the look. A row that counts as torn
   * makes the reader draw again. */
  if (reel_storage_first_intact_row (storage) > view->first_row)
    {
      draw->rows[0] = view->first_row;
      draw->n = 1;
      for (guint i = 0; i < self->n_columns; i++)
        draw->info[i][0] = FALSE;
      return TRUE;
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "Did not find a single trajectory with sufficient length (length range: "
               "%" G_GINT64_FORMAT " - %" G_GINT64_FORMAT " / required=%" G_GINT64_FORMAT ")).",
               shortest, longest, size->length);
  return FALSE;
}

/* ---- slices ---- */

void
reel_slices_cut (const ReelSlices *self, gint64 lanes, gint64 length, ReelRandomKey key,
                 gint64 lane, ReelSlice *slice)
{
  gint64 steps = slice->n_steps, n = MIN (steps, length);
  gint64 left = self->span_left < 0 ? n - 1 : MIN (self->span_left, n - 1);
  gint64 right = self->span_right < 0 ? n - 1 : MIN (self->span_right, n - 1);
  /* A slice may begin up to `left` steps before its trajectory and end up to `right` behind it;
   * both ends are cut off below. */
  gint64 start = reel_random_below (key, lane, steps - n + 1 + left + right) - left;
  gint64 end = MIN (start + n, steps);

  start = MAX (start, 0);
  slice->first_row += start * lanes;
  slice->n_steps = end - start;
}

static void
put_marks (const ReelSlices *self, guint8 *const *info, gint64 at, gint64 n, gint64 real)
{
  for (guint i = 0; i < self->n_columns; i++)
    memset (info[i] + at, 0, (gsize) n);
  if (self->truncated >= 0)
    {
      info[self->truncated][at + real - 1] = TRUE;
      info[self->done][at + real - 1] = TRUE;
    }
  if (self->init >= 0)
    info[self->init][at] = TRUE;
  if (self->mask >= 0)
    memset (info[self->mask] + at, TRUE, (gsize) real);
}

gint64
reel_slices_put (const ReelSlices *self, ReelDraw *draw, gint64 at, gint64 lanes, gint64 length,
                 const ReelSlice *slice)
{
  gint64 n = self->pad_output ? length : slice->n_steps;
  gint64 *rows = draw->rows + at, last = slice->first_row + (slice->n_steps - 1) * lanes;

  for (gint64 i = 0; i < slice->n_steps; i++)
    rows[i] = slice->first_row + i * lanes;
  for (gint64 i = slice->n_steps; i < n; i++)
    rows[i] = last;
  put_marks (self, draw->info, at, n, slice->n_steps);
  return at + n;
}

/* ---- printing ---- */

/* A path as Python has it, (nullable): a word, or a tuple of words. */
static void
append_key (GString *text, const char *path, gboolean quoted)
{
  g_auto (GStrv) keys = is_given (path) ? reel_path_split (path, NULL) : NULL;

  if (!keys)
    g_string_append (text, "None");
  else if (!keys[1])
    g_string_append_printf (text, quoted ? "'%s'" : "%s", keys[0]);
  else
    {
      g_autofree char *words = g_strjoinv ("', '", keys);
      g_string_append_printf (text, "('%s')", words);
    }
}

static void
append_keys (GString *text, char *const *paths)
{
  g_string_append_c (text, '(');
  for (gsize i = 0; paths[i]; i++)
    {
      g_string_append (text, i > 0 ? ", " : "");
      append_key (text, paths[i], TRUE);
    }
  g_string_append (text, paths[0] && !paths[1] ? ",)" : ")");
}

char *
reel_slices_to_string (const ReelSlices *self, const char *name, gboolean all, const char *rest)
{
  g_autofree char *num_slices = print_count (self->num_slices);
  g_autofree char *slice_len = print_count (self->slice_len);
  GString *text = g_string_new (name);

  g_string_append_printf (text, "(num_slices=%s, slice_len=%s, end_key=", num_slices, slice_len);
  append_key (text,
              self->end_keys             ? NULL
              : is_given (self->end_key) ? self->end_key
                                         : "next/done",
              FALSE);
  if (all)
    g_string_append (text, ", end_keys=");
  if (all && self->end_keys)
    append_keys (text, self->end_keys);
  else if (all)
    g_string_append (text, "None");
  g_string_append (text, ", traj_key=");
  append_key (text, self->traj_key, FALSE);
  if (all)
    g_string_append (text, ", step_key=step_count, fragmented=False");
  g_string_append (text, ", truncated_key=");
  append_key (text, self->truncated_key, FALSE);
  g_string_append_printf (text, ", strict_length=%s", self->strict_length ? "True" : "False");
  g_string_append (text, rest);
  return g_string_free (text, FALSE);
}
