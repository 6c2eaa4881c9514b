#include "child-columns.h"

#include <string.h>

#include "../../core/tensor/mapped-memory.h"
#include "../spec-kind.h"

#define ALIGNMENT 64 /* of a column */

/* ---- one column ---- */

gboolean
reel_child_column_place (ReelChildColumn *self, ReelChildPlaces *places, gsize row_bytes,
                         GError **error)
{
  gsize bytes, end;

  self->at = places->bytes;
  self->row_bytes = row_bytes;
  if (g_size_checked_mul (&bytes, row_bytes, (gsize) places->n_lanes)
      && g_size_checked_add (&end, places->bytes, bytes) && end <= G_MAXSSIZE - ALIGNMENT)
    {
      places->bytes = (end + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
      return TRUE;
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "%" G_GINT64_FORMAT " lanes of its process have more bytes than there are",
               places->n_lanes);
  return FALSE;
}

gboolean
reel_child_column_map (ReelChildColumn *self, ReelMemory *memory, ReelDtype dtype, gint64 n_lanes,
                       GError **error)
{
  self->rows = reel_tensor_new_from_memory (memory, self->at, dtype, 1, &n_lanes, NULL, error);
  return self->rows != NULL;
}

void
reel_child_column_clear (ReelChildColumn *self)
{
  g_clear_pointer (&self->path, g_free);
  g_clear_pointer (&self->rows, reel_tensor_unref);
}

/* ---- those of a composite ---- */

static gboolean
check_extents (const char *path, const ReelSpec *spec, GError **error)
{
  gint ndim;
  const gint64 *shape = reel_spec_get_shape (spec, &ndim);

  for (gint dim = 0; dim < ndim; dim++)
    if (shape[dim] < 0)
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                     "\"%s\" of its process has a dimension without an extent", path);
        return FALSE;
      }
  return TRUE;
}

gboolean
reel_child_leaves_place (ReelChildLeaves *self, ReelChildPlaces *places, const ReelSpec *specs,
                         GError **error)
{
  g_autoptr (ReelTensordict) zeros = reel_spec_zero_tensordict (specs, 0, NULL, error);
  g_auto (GStrv) paths = reel_spec_list_leaves (specs);

  *self = (ReelChildLeaves){ g_new0 (ReelChildColumn, g_strv_length (paths) + 1), 0 };
  for (char **path = paths; zeros != NULL && *path != NULL; path++)
    {
      const ReelTensor *row = reel_tensordict_get_tensor (zeros, *path, error);
      ReelChildColumn *column = &self->columns[self->n++];

      column->path = g_strdup (*path);
      column->spec = reel_spec_get (specs, *path, NULL);
      if (row == NULL || !check_extents (*path, column->spec, error)
          || !reel_child_column_place (column, places, reel_tensor_nbytes (row), error))
        return FALSE;
    }
  return zeros != NULL;
}

json_t *
reel_child_leaves_to_json (const ReelChildLeaves *self)
{
  json_t *places = json_object ();

  for (gsize i = 0; i < self->n; i++)
    json_object_set_new (places, self->columns[i].path,
                         json_integer ((json_int_t) self->columns[i].at));
  return places;
}

gboolean
reel_child_leaves_map (ReelChildLeaves *self, ReelMemory *memory, gint64 n_lanes, GError **error)
{
  for (gsize i = 0; i < self->n; i++)
    {
      ReelChildColumn *column = &self->columns[i];
      gint ndim;
      const gint64 *shape = reel_spec_get_shape (column->spec, &ndim);
      gint64 rows[REEL_MAX_NDIM + 1] = { n_lanes };

      memcpy (rows + 1, shape, (gsize) ndim * sizeof *shape);
      column->rows = reel_tensor_new_from_memory (
          memory, column->at, reel_spec_get_dtype (column->spec), ndim + 1, rows, NULL, error);
      if (column->rows == NULL)
        return FALSE;
    }
  return TRUE;
}

static gboolean
check_rows (const ReelChildColumn *column, gint64 begin, gint64 end, GError **error)
{
  g_autoptr (ReelTensor) rows = reel_tensor_slice (column->rows, 0, begin, end, 1, error);

  if (rows != NULL && reel_spec_is_in (column->spec, rows, error))
    return TRUE;
  g_prefix_error (error, "its process wrote \"%s\" outside of its spec: ", column->path);
  return FALSE;
}

gboolean
reel_child_leaves_check (const ReelChildLeaves *self, gint64 begin, gint64 end, GError **error)
{
  for (gsize i = 0; i < self->n; i++)
    if (!check_rows (&self->columns[i], begin, end, error))
      return FALSE;
  return TRUE;
}

void
reel_child_leaves_clear (ReelChildLeaves *self)
{
  for (gsize i = 0; i < self->n; i++)
    reel_child_column_clear (&self->columns[i]);
  g_free (self->columns);
  *self = (ReelChildLeaves){ 0 };
}

ReelMemory *
reel_child_memory_map (const ReelChildPlaces *places, int fd, GError **error)
{
  return reel_memory_new_mapped (REEL_MEMORY_SHARED, "shared memory", fd, REEL_MAP_WRITE,
                                 (gint64) places->bytes, error);
}
