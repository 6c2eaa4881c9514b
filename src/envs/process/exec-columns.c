#include "exec-columns.h"

#include "../../specs/child/child-talk.h"

/* ---- specs ---- */

gboolean
reel_exec_specs_parse (const char *text, ReelSpec **observation, ReelSpec **action, GError **error)
{
  g_autoptr (json_t) hello = reel_child_answer_parse (text, error);

  if (hello == NULL)
    return FALSE;
  *observation = reel_child_spec_parse (hello, "observation", error);
  *action = *observation != NULL ? reel_child_spec_parse (hello, "action", error) : NULL;
  if (*action != NULL)
    return TRUE;
  g_clear_pointer (observation, reel_spec_unref);
  return FALSE;
}

/* ---- places ---- */

/* check_names: the other keys of a step are those of the base. */
static gboolean
check_names (const ReelChildLeaves *leaves, const ReelSpec *others, GError **error)
{
  static const char *const taken[] = { "next",      "reward",    "done", "terminated",
                                       "truncated", "collector", NULL };

  for (gsize i = 0; i < leaves->n; i++)
    {
      g_auto (GStrv) parts = g_strsplit (leaves->columns[i].path, "/", 2);

      if (!g_strv_contains (taken, parts[0])
          && (others == NULL || reel_spec_get (others, parts[0], NULL) == NULL))
        continue;
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "the observation of its process has \"%s\", which is taken: rename the leaf",
                   parts[0]);
      return FALSE;
    }
  return TRUE;
}

gboolean
reel_exec_columns_init (ReelExecColumns *self, gint64 n_lanes, const ReelSpec *observation,
                        const ReelSpec *action, GError **error)
{
  *self = (ReelExecColumns){ .places = { .n_lanes = n_lanes } };

  ReelChildPlaces *places = &self->places;

  return reel_child_leaves_place (&self->observation, places, observation, error)
         && reel_child_leaves_place (&self->action, places, action, error)
         && check_names (&self->observation, action, error)
         && check_names (&self->action, NULL, error)
         && reel_child_column_place (&self->reward, places, sizeof (float), error)
         && reel_child_column_place (&self->terminated, places, 1, error)
         && reel_child_column_place (&self->truncated, places, 1, error)
         && reel_child_column_place (&self->lanes, places, 1, error)
         && reel_child_column_place (&self->seeds, places, sizeof (gint64), error);
}

json_t *
reel_exec_columns_to_json (const ReelExecColumns *self)
{
  return json_pack (
      "{s:I, s:o, s:o, s:I, s:I, s:I, s:I, s:I}", "bytes", (json_int_t) self->places.bytes,
      "observation", reel_child_leaves_to_json (&self->observation), "action",
      reel_child_leaves_to_json (&self->action), "reward", (json_int_t) self->reward.at,
      "terminated", (json_int_t) self->terminated.at, "truncated", (json_int_t) self->truncated.at,
      "lanes", (json_int_t) self->lanes.at, "seeds", (json_int_t) self->seeds.at);
}

/* ---- rows ---- */

gboolean
reel_exec_columns_map (ReelExecColumns *self, int fd, GError **error)
{
  g_autoptr (ReelMemory) memory = reel_child_memory_map (&self->places, fd, error);
  gint64 n = self->places.n_lanes;

  return memory != NULL && reel_child_leaves_map (&self->observation, memory, n, error)
         && reel_child_leaves_map (&self->action, memory, n, error)
         && reel_child_column_map (&self->reward, memory, REEL_DTYPE_FLOAT32, n, error)
         && reel_child_column_map (&self->terminated, memory, REEL_DTYPE_BOOL, n, error)
         && reel_child_column_map (&self->truncated, memory, REEL_DTYPE_BOOL, n, error)
         && reel_child_column_map (&self->lanes, memory, REEL_DTYPE_BOOL, n, error)
         && reel_child_column_map (&self->seeds, memory, REEL_DTYPE_INT64, n, error);
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

gboolean
reel_exec_columns_check (const ReelExecColumns *self, gint64 begin, gint64 end, gboolean outcome,
                         GError **error)
{
  return reel_child_leaves_check (&self->observation, begin, end, error)
         && (!outcome
             || (check_flags (&self->terminated, "terminated", begin, end, error)
                 && check_flags (&self->truncated, "truncated", begin, end, error)));
}

void
reel_exec_columns_clear (ReelExecColumns *self)
{
  reel_child_leaves_clear (&self->observation);
  reel_child_leaves_clear (&self->action);
  reel_child_column_clear (&self->reward);
  reel_child_column_clear (&self->terminated);
  reel_child_column_clear (&self->truncated);
  reel_child_column_clear (&self->lanes);
  reel_child_column_clear (&self->seeds);
}
