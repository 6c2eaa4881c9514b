#include "stored-frames.h"

#include <jansson.h>
#include <string.h>

#include "../common/run-plugins.h"
#include "stored-pixels.h"

#define PLOT_WIDTH 640
#define PLOT_HEIGHT 480

/* Where nothing says how fast a task goes. */
#define RATE 30

typedef struct
{
  Frames base;
  const BufferEpisodes *of;
  ReelTrajectory episode;
  ReelTensordict *transformed; /* the rows of the episode; NULL where they are shown as stored */
  StoredPixels pixels;         /* with a path where they are shown */
  ReelEnv *env;                /* what draws, if anything does */
  GBytes *states;              /* that it draws; NULL where it is shown what was observed */
  StepRecord *record;          /* once it is asked for */
  const char *const *observation_names;
} StoredFrames;

/* ---- rows ---- */

/* Pictures are read in one piece, and a result of transforms need not be. */
static ReelTensordict *
read_row (const StoredFrames *self, gint64 step, GError **error)
{
  g_autoptr (ReelTensordict) row = NULL;

  if (!self->transformed)
    return buffer_episodes_read (self->of, &self->episode, step, 1, error);
  row = reel_tensordict_slice (self->transformed, 0, step, step + 1, 1, error);
  return row ? reel_tensordict_clone (row, TRUE, error) : NULL;
}

/* The rows as a learner that draws whole episodes sees them. */
static gboolean
transform_episode (StoredFrames *self, ReelTransform *transform, GError **error)
{
  g_autoptr (ReelTensordict) rows =
      buffer_episodes_read (self->of, &self->episode, 0, self->episode.n_steps, error);
  gint ndim;

  self->transformed = rows ? reel_transform_forward (transform, rows, error) : NULL;
  if (!self->transformed)
    return FALSE;
  if (reel_tensordict_get_batch_size (self->transformed, &ndim)[0] == self->episode.n_steps)
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "--transform changes the number of steps of an episode");
  return FALSE;
}

static ReelTensor *
find_leaf (const ReelTensordict *row, const char *prefix, const char *name, GError **error)
{
  g_autofree char *path = g_strconcat (prefix, name, NULL);

  return reel_tensordict_get_tensor (row, path, error);
}

/* The row that tells of picture i, and whether by what is below `next`. */
static ReelTensordict *
read_picture_row (const StoredFrames *self, gint64 i, const char **prefix, GError **error)
{
  gint64 step = MIN (i, self->episode.n_steps - 1);

  *prefix = step < i ? "next/" : "";
  return read_row (self, step, error);
}

/* ---- pictures ---- */

static gboolean
draw_pixels (StoredFrames *self, gint64 i, ReelTensor *picture, GError **error)
{
  const char *prefix;
  g_autoptr (ReelTensordict) row = read_picture_row (self, i, &prefix, error);

  return row
         && stored_pixels_draw (&self->pixels, find_leaf (row, prefix, self->pixels.path, NULL),
                                picture, error);
}

static gboolean
show (StoredFrames *self, gint64 i, GError **error)
{
  g_auto (GStrv) names = reel_spec_list_leaves (reel_env_get_observation_spec (self->env));
  g_autofree const guint8 **leaves = g_new (const guint8 *, g_strv_length (names) + 1);
  const char *prefix;
  g_autoptr (ReelTensordict) row = read_picture_row (self, i, &prefix, error);

  if (!row)
    return FALSE;
  for (gsize k = 0; names[k]; k++)
    {
      const ReelTensor *leaf = find_leaf (row, prefix, names[k], error);
      if (!leaf)
        return FALSE;
      leaves[k] = leaf->data;
    }
  return reel_env_show_observation (self->env, 0, leaves, error);
}

static gboolean
draw_env (StoredFrames *self, gint64 i, ReelTensor *picture, GError **error)
{
  if (self->states)
    {
      const guint8 *states = g_bytes_get_data (self->states, NULL);
      reel_env_set_state (self->env, 0, states + (gsize) i * reel_env_get_state_size (self->env));
    }
  else if (!show (self, i, error))
    return FALSE;
  reel_env_render_lane (self->env, 0, picture->shape[1], picture->shape[0], picture->data);
  return reel_env_check_faults (self->env, error);
}

/* ---- numbers ---- */

/* Whether a leaf of the root is something that was observed. */
static gboolean
is_observed (const ReelTensordict *row, const char *path)
{
  static const char *const others[] = { "action",    "reward",  "done",       "terminated",
                                        "truncated", "is_init", "index",      "_weight",
                                        "priority",  "episode", "step_count", NULL };
  const ReelTensor *value = reel_tensordict_get_tensor (row, path, NULL);

  return value && value->dtype != REEL_DTYPE_BOOL && !g_strv_contains (others, path)
         && !g_str_has_prefix (path, "next/") && !g_str_has_prefix (path, "collector/")
         && !(value->dtype == REEL_DTYPE_UINT8 && value->ndim > 2);
}

static void
say (StepRecord *record, const char *name, const ReelTensordict *row, const char *prefix,
     const char *path)
{
  const ReelTensor *value = row ? find_leaf (row, prefix, path, NULL) : NULL;

  if (value)
    step_record_say (record, name, value);
}

static void
say_observed (StepRecord *record, char **paths, const ReelTensordict *row, const char *prefix)
{
  for (char **path = paths; *path; path++)
    say (record, *path, row, prefix, *path);
}

/* The paths of a row's observations. */
static char **
list_observed (const ReelTensordict *row)
{
  g_auto (GStrv) paths = reel_tensordict_list_leaves (row);
  GPtrArray *observed = g_ptr_array_new ();

  for (char **path = paths; *path; path++)
    if (is_observed (row, *path))
      g_ptr_array_add (observed, g_strdup (*path));
  g_ptr_array_add (observed, NULL);
  return (char **) g_ptr_array_free (observed, FALSE);
}

static gboolean
load_record (StoredFrames *self, GError **error)
{
  g_autoptr (StepRecord) record = step_record_new ();
  g_autoptr (ReelTensordict) before = NULL;
  g_auto (GStrv) paths = NULL;

  if (self->record)
    return TRUE;
  for (gint64 i = 0; i < self->base.n; i++)
    {
      const char *prefix = "";
      gboolean last = i == self->episode.n_steps;
      g_autoptr (ReelTensordict) row = last ? NULL : read_row (self, i, error);

      if (!row && !last)
        return FALSE;
      if (!paths)
        paths = list_observed (row);
      if (last)
        prefix = "next/";
      say (record, "action", before, "", "action");
      say (record, "reward", before, "next/", "reward");
      say (record, "terminated", before, "next/", "terminated");
      say (record, "truncated", before, "next/", "truncated");
      say_observed (record, paths, last ? before : row, prefix);
      step_record_next (record);
      if (row)
        {
          g_clear_pointer (&before, reel_tensordict_unref);
          before = g_steal_pointer (&row);
        }
    }
  step_record_name_elements (record, "observation", self->observation_names);
  self->record = g_steal_pointer (&record);
  return TRUE;
}

static gboolean
draw (Frames *frames, gint64 i, ReelTensor *picture, GError **error)
{
  StoredFrames *self = (StoredFrames *) frames;

  if (self->pixels.path)
    return draw_pixels (self, i, picture, error);
  if (self->env)
    return draw_env (self, i, picture, error);
  if (!load_record (self, error))
    return FALSE;
  step_record_plot (self->record, i, picture);
  return TRUE;
}

static gboolean
note (Frames *frames, gint64 i, StepNote *note, GError **error)
{
  StoredFrames *self = (StoredFrames *) frames;

  if (!load_record (self, error))
    return FALSE;
  step_record_note (self->record, i, note);
  return TRUE;
}

static void
free_frames (Frames *frames)
{
  StoredFrames *self = (StoredFrames *) frames;

  stored_pixels_clear (&self->pixels);
  g_clear_pointer (&self->states, g_bytes_unref);
  g_clear_pointer (&self->record, step_record_free);
  g_clear_pointer (&self->transformed, reel_tensordict_unref);
  g_clear_object (&self->env);
  g_free (self);
}

static const FramesClass frames_class = { NULL, draw, note, free_frames };

/* ---- what there is to show ---- */

/* Whether the last observation has a picture like those before. */
static gboolean
has_last_picture (const StoredFrames *self, const ReelTensordict *row)
{
  const ReelTensor *first = find_leaf (row, "", self->pixels.path, NULL);
  const ReelTensor *next = find_leaf (row, "next/", self->pixels.path, NULL);

  return next && next->dtype == first->dtype && next->ndim == first->ndim
         && memcmp (next->shape, first->shape, (gsize) next->ndim * sizeof *next->shape) == 0;
}

static gboolean
take_pixels (StoredFrames *self, const ReelTensordict *row)
{
  if (!stored_pixels_find (&self->pixels, row))
    return FALSE;
  self->base.width = self->base.stored_width = self->pixels.width;
  self->base.height = self->base.stored_height = self->pixels.height;
  self->base.lacks_last = !has_last_picture (self, row);
  self->base.n = self->episode.n_steps + !self->base.lacks_last;
  return TRUE;
}

/* The text of the env that a directory says it is of. */
static char *
find_env (const StoredFrames *self)
{
  g_autofree char *info = reel_replay_buffer_dup_info (self->of->buffer, "env");
  json_t *record = info ? json_loads (info, 0, NULL) : NULL;
  char *text = g_strdup (json_string_value (json_object_get (record, "text")));

  json_decref (record);
  return text;
}

/* The env that @named says, else the directory, which may not start a program. */
static ReelEnv *
open_env (const StoredFrames *self, const char *named, const EpisodesLook *look, GError **error)
{
  g_autofree char *found = find_env (self);
  const char *text = named ? named : found;
  ReelEnv *env;

  if (!text)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                           "the directory does not contain its environment; name it by --env ID");
      return NULL;
    }
  reel_env_forbid_programs (named == NULL);
  env = episodes_open_env (look, text, NULL, error);
  reel_env_forbid_programs (FALSE);
  return env;
}

/* The same without pictures; NULL where it cannot be made. */
static ReelEnv *
open_plain_env (const StoredFrames *self, const EpisodesLook *look)
{
  const EpisodesLook plain = { 0 };

  return open_env (self, look->env, &plain, NULL);
}

static void
take_plot (StoredFrames *self, const EpisodesLook *look, char *remark)
{
  g_autoptr (ReelEnv) env = open_plain_env (self, look);

  g_clear_object (&self->env);
  self->observation_names = env ? reel_env_get_observation_names (env) : NULL;
  self->base.width = PLOT_WIDTH;
  self->base.height = PLOT_HEIGHT;
  self->base.is_plot = TRUE;
  self->base.remark = remark;
}

/* Whether what is stored of a leaf is what the env observes. */
static gboolean
check_leaf (const StoredFrames *self, const ReelTensordict *row, const char *name, GError **error)
{
  const ReelSpec *leaf = reel_spec_get (reel_env_get_observation_spec (self->env), name, error);
  const ReelTensor *stored = reel_tensordict_get_tensor (row, name, NULL);
  gint ndim;

  if (!leaf)
    return FALSE;

  const gint64 *shape = reel_spec_get_shape (leaf, &ndim);

  if (stored && stored->dtype == reel_spec_get_dtype (leaf) && stored->ndim > ndim
      && memcmp (stored->shape + stored->ndim - ndim, shape, (gsize) ndim * sizeof *shape) == 0)
    return TRUE;
  g_set_error (
      error, REEL_ERROR, REEL_ERROR_KEY,
      "neither pixels nor the observations of %s are stored: no \"%s\" of its type and shape",
      reel_object_get_id (REEL_OBJECT (self->env)), name);
  return FALSE;
}

/* Whether the env can draw what it observed. */
static gboolean
can_show (StoredFrames *self, const ReelTensordict *row, GError **error)
{
  g_auto (GStrv) names = reel_spec_list_leaves (reel_env_get_observation_spec (self->env));

  for (char **name = names; *name; name++)
    {
      if (!check_leaf (self, row, *name, error))
        return FALSE;
      if (!find_leaf (row, "next/", *name, NULL))
        self->base.n = self->episode.n_steps;
    }
  return show (self, 0, error);
}

/* Puts the env to work, by its states or by what it observed. */
static gboolean
take_env (StoredFrames *self, const ReelTensordict *row, GError **error)
{
  gint rate;

  if (!reel_env_get_frame (self->env, &self->base.width, &self->base.height, &rate))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED, "%s has no pictures",
                   reel_object_get_id (REEL_OBJECT (self->env)));
      return FALSE;
    }
  if (!reel_env_prepare_frames (self->env, self->base.width, self->base.height, error))
    return FALSE;
  self->base.rate = rate;
  if (!self->of->step_rows)
    self->states = reel_recorded_states_new (self->of->buffer, &self->episode, self->env, NULL);
  return self->states || can_show (self, row, error);
}

/* Draws, if that can be; else an error that is no failure where something else can be shown. */
static gboolean
try_env (StoredFrames *self, const ReelTensordict *row, const EpisodesLook *look, GError **error)
{
  GError *failure = NULL;

  self->env = open_env (self, look->env, look, &failure);
  if (self->env)
    return take_env (self, row, error);
  run_plugins_propagate (self->of->buffer, failure, error);
  return FALSE;
}

/* How fast to show pixels: as the env does, where it can be asked. */
static double
find_rate (const StoredFrames *self, const EpisodesLook *look)
{
  g_autoptr (ReelEnv) env = open_plain_env (self, look);
  gint64 width, height;
  gint rate;

  return env && reel_env_get_frame (env, &width, &height, &rate) ? rate : RATE;
}

/* An env or a camera that somebody named and that does not fit is an error. */
static gboolean
is_failure (const GError *error, const EpisodesLook *look)
{
  return error->domain == USAGE_ERROR
         || ((look->env || look->camera)
             && !g_error_matches (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED));
}

static gboolean
choose (StoredFrames *self, const ReelTensordict *row, const EpisodesLook *look, GError **error)
{
  g_autoptr (GError) why = NULL;

  if (look->plot)
    take_plot (self, look, NULL);
  else if (!look->draw && take_pixels (self, row))
    self->base.rate = find_rate (self, look);
  else if (look->transform)
    take_plot (self, look, g_strdup ("a plot, for the transformed rows have no pictures"));
  else if (!try_env (self, row, look, &why))
    {
      if (is_failure (why, look))
        {
          g_propagate_error (error, g_steal_pointer (&why));
          return FALSE;
        }
      self->base.n = self->episode.n_steps + 1;
      g_clear_object (&self->env);
      if (!take_pixels (self, row))
        take_plot (self, look,
                   g_strdup_printf ("a plot, for there are no pictures: %s", why->message));
    }
  return TRUE;
}

Frames *
stored_frames_new (const BufferEpisodes *of, const ReelTrajectory *episode, const char *name,
                   const EpisodesLook *look, GError **error)
{
  StoredFrames *self = g_new0 (StoredFrames, 1);
  g_autoptr (Frames) owned = &self->base;

  self->base.klass = &frames_class;
  self->base.n = episode->n_steps + 1;
  self->base.whole = TRUE;
  self->base.rate = RATE;
  self->base.name = g_strdup (name);
  self->of = of;
  self->episode = *episode;

  if (look->transform && !transform_episode (self, look->transform, error))
    return NULL;

  g_autoptr (ReelTensordict) row = read_row (self, 0, error);

  return row && choose (self, row, look, error) ? g_steal_pointer (&owned) : NULL;
}
