#include "child-columns.h"

#include <string.h>

#include "../../core/tensor/mapped-memory.h"
#include "../../specs/spec-kind.h"
#include "../../specs/spec-text.h"

#define ALIGNMENT 64 /* of a column */

/* ---- specs ---- */

static ReelSpec *
parse_spec (const json_t *hello, const char *name, GError **error)
{
  json_t *member = json_object_get (hello, name);
  g_autofree char *text = NULL;
  g_autoptr (ReelSpec) spec = NULL;

  if (!json_is_object (member))
    {
      reel_json_bad_member (hello, "the answer of its process", name, "a spec", error);
      return NULL;
    }
  text = reel_json_to_string (member, REEL_JSON_COMPACT);
  spec = reel_spec_new_from_json (text, error);
  if (spec == NULL)
    {
      g_prefix_error (error, "the %s of its process: ", name);
      return NULL;
    }
  if (reel_spec_is_composite (spec))
    return g_steal_pointer (&spec);
  return reel_composite_spec_new (0, NULL, (const char *const[]){ name, NULL },
                                  (ReelSpec *const[]){ spec }, 1, error);
}

gboolean
reel_child_specs_parse (const char *text, ReelSpec **observation, ReelSpec **action, GError **error)
{
  g_autoptr (json_t) hello =
      reel_json_parse ("the answer of its process", text, strlen (text), error);

  if (hello == NULL)
    return FALSE;
  *observation = parse_spec (hello, "observation", error);
  *action = *observation != NULL ? parse_spec (hello, "action", error) : NULL;
  if (*action != NULL)
    return TRUE;
  g_clear_pointer (observation, reel_spec_unref);
  return FALSE;
}

/* ---- places ---- */

static gboolean
add_column (ReelChildColumns *self, ReelChildColumn *column, gsize row_bytes, GError **error)
{
  gsize bytes, end;

  column->at = self->bytes;
  column->row_bytes = row_bytes;
  if (g_size_checked_mul (&bytes, row_bytes, (gsize) self->n_lanes)
      && g_size_checked_add (&end, self->bytes, bytes) && end <= G_MAXSSIZE - ALIGNMENT)
    {
      self->bytes = (end + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
      return TRUE;
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "%" G_GINT64_FORMAT " lanes of its process have more bytes than there are",
               self->n_lanes);
  return FALSE;
}

/* check_name: the other keys of a step are those of the base. */
static gboolean
check_name (const char *path, const ReelSpec *others, GError **error)
{
  static const char *const taken[] = { "next",       "reward",    "done",
                                       "terminated", "truncated", "collector" };
  g_auto (GStrv) parts = g_strsplit (path, "/", 2);
  gboolean is_free = others == NULL || reel_spec_get (others, parts[0], NULL) == NULL;

  for (guint i = 0; i < G_N_ELEMENTS (taken); i++)
    is_free &= !g_str_equal (parts[0], taken[i]);
  if (!is_free)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "the observation of its process has \"%s\", which is taken: rename the leaf",
                 parts[0]);
  return is_free;
}

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

static ReelChildColumn *
add_leaves (ReelChildColumns *self, const ReelSpec *specs, gsize *n, GError **error)
{
  g_autoptr (ReelTensordict) zeros = reel_spec_zero_tensordict (specs, 0, NULL, error);
  g_auto (GStrv) paths = reel_spec_list_leaves (specs);
  ReelChildColumn *columns = g_new0 (ReelChildColumn, g_strv_length (paths) + 1);

  *n = 0;
  for (char **path = paths; zeros != NULL && *path != NULL; path++)
    {
      const ReelTensor *row = reel_tensordict_get_tensor (zeros, *path, error);
      ReelChildColumn *column = &columns[*n];

      column->path = g_strdup (*path);
      column->spec = reel_spec_get (specs, *path, NULL);
      *n += 1;
      if (row == NULL || !check_extents (*path, column->spec, error)
          || !add_column (self, column, reel_tensor_nbytes (row), error))
        return columns;
    }
  return columns;
}

gboolean
reel_child_columns_init (ReelChildColumns *self, gint64 n_lanes, const ReelSpec *observation,
                         const ReelSpec *action, GError **error)
{
  GError *failure = NULL;

  *self = (ReelChildColumns){ .n_lanes = n_lanes };
  self->observation = add_leaves (self, observation, &self->n_observations, &failure);
  if (failure == NULL)
    self->action = add_leaves (self, action, &self->n_actions, &failure);
  for (gsize i = 0; i < self->n_observations && failure == NULL; i++)
    check_name (self->observation[i].path, action, &failure);
  for (gsize i = 0; i < self->n_actions && failure == NULL; i++)
    check_name (self->action[i].path, NULL, &failure);
  if (failure != NULL)
    {
      g_propagate_error (error, failure);
      return FALSE;
    }
  return add_column (self, &self->reward, sizeof (float), error)
         && add_column (self, &self->terminated, 1, error)
         && add_column (self, &self->truncated, 1, error)
         && add_column (self, &self->lanes, 1, error)
         && add_column (self, &self->seeds, sizeof (gint64), error);
}

static json_t *
places_to_json (const ReelChildColumn *columns, gsize n)
{
  json_t *places = json_object ();

  for (gsize i = 0; i < n; i++)
    json_object_set_new (places, columns[i].path, json_integer ((json_int_t) columns[i].at));
  return places;
}

json_t *
reel_child_columns_to_json (const ReelChildColumns *self)
{
  return json_pack ("{s:I, s:o, s:o, s:I, s:I, s:I, s:I, s:I}", "bytes", (json_int_t) self->bytes,
                    "observation", places_to_json (self->observation, self->n_observations),
                    "action", places_to_json (self->action, self->n_actions), "reward",
                    (json_int_t) self->reward.at, "terminated", (json_int_t) self->terminated.at,
                    "truncated", (json_int_t) self->truncated.at, "lanes",
                    (json_int_t) self->lanes.at, "seeds", (json_int_t) self->seeds.at);
}

/* ---- rows ---- */

static gboolean
map_leaves (ReelChildColumns *self, ReelMemory *memory, ReelChildColumn *columns, gsize n,
            GError **error)
{
  for (gsize i = 0; i < n; i++)
    {
      const ReelSpec *spec = columns[i].spec;
      gint ndim;
      const gint64 *shape = reel_spec_get_shape (spec, &ndim);
      gint64 rows[REEL_MAX_NDIM + 1] = { self->n_lanes };

      memcpy (rows + 1, shape, (gsize) ndim * sizeof *shape);
      columns[i].rows = reel_tensor_new_from_memory (
          memory, columns[i].at, reel_spec_get_dtype (spec), ndim + 1, rows, NULL, error);
      if (columns[i].rows == NULL)
        return FALSE;
    }
  return TRUE;
}

static gboolean
map (ReelMemory *memory, ReelChildColumn *column, ReelDtype dtype, gint64 n_lanes, GError **error)
{
  column->rows = reel_tensor_new_from_memory (memory, column->at, dtype, 1, &n_lanes, NULL, error);
  return column->rows != NULL;
}

gboolean
reel_child_columns_map (ReelChildColumns *self, int fd, GError **error)
{
  g_autoptr (ReelMemory) memory = reel_memory_new_mapped (
      REEL_MEMORY_SHARED, "shared memory", fd, REEL_MAP_WRITE, (gint64) self->bytes, error);
  gint64 n = self->n_lanes;

  return memory != NULL && map_leaves (self, memory, self->observation, self->n_observations, error)
         && map_leaves (self, memory, self->action, self->n_actions, error)
         && map (memory, &self->reward, REEL_DTYPE_FLOAT32, n, error)
         && map (memory, &self->terminated, REEL_DTYPE_BOOL, n, error)
         && map (memory, &self->truncated, REEL_DTYPE_BOOL, n, error)
         && map (memory, &self->lanes, REEL_DTYPE_BOOL, n, error)
         && map (memory, &self->seeds, REEL_DTYPE_INT64, n, error);
}

static gboolean
check_flags (const ReelChildColumn *column, const char *name, gint64 begin, gint64 end,
             GError **error)
{
  for (gint64 lane = begin; lane < end; lane++)
    if (column->rows->data[lane] > 1)
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_ASSERTION,
                     "its process wrote %u as the flag \"%s\" of lane %" G_GINT64_FORMAT
                     ", which is 0 or 1",
                     column->rows->data[lane], name, lane);
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
reel_child_columns_check (const ReelChildColumns *self, gint64 begin, gint64 end, gboolean outcome,
                          GError **error)
{
  for (gsize i = 0; i < self->n_observations; i++)
    if (!check_rows (&self->observation[i], begin, end, error))
      return FALSE;
  return !outcome
         || (check_flags (&self->terminated, "terminated", begin, end, error)
             && check_flags (&self->truncated, "truncated", begin, end, error));
}

static void
clear_column (ReelChildColumn *column)
{
  g_free (column->path);
  g_clear_pointer (&column->rows, reel_tensor_unref);
}

static void
clear_leaves (ReelChildColumn *columns, gsize n)
{
  for (gsize i = 0; i < n; i++)
    clear_column (&columns[i]);
  g_free (columns);
}

void
reel_child_columns_clear (ReelChildColumns *self)
{
  clear_leaves (self->observation, self->n_observations);
  clear_leaves (self->action, self->n_actions);
  clear_column (&self->reward);
  clear_column (&self->terminated);
  clear_column (&self->truncated);
  clear_column (&self->lanes);
  clear_column (&self->seeds);
  *self = (ReelChildColumns){ 0 };
}
