/* Episodes that are played here and now, in one lane. */
#include "episodes.h"

#include <string.h>

#include "stored-pixels.h"

/* Where an episode begins, to come back to. */
typedef struct
{
  guint8 *state;
  ReelTensordict *observation;
} Start;

typedef struct
{
  Episodes base;
  ReelEnv *env;
  ReelSingleLane *lane;
  char *name;
  gint64 most;
  GPtrArray *starts;
  gint64 width, height; /* 0 where it has no pictures */
  gint rate;
  gboolean plot;       /* asked for */
  gboolean observed;   /* pictures are those of the observation, not the env's own */
  StoredPixels pixels; /* these */
  gpointer going;      /* the frames that can go on */
} PlayedEpisodes;

typedef struct
{
  Frames base;
  PlayedEpisodes *owner;
  gint64 number;
  GByteArray *states;  /* of the env, one a picture */
  GByteArray *actions; /* between two pictures */
  gint64 at;           /* the picture whose state the env is in */
  StepRecord *record;
} PlayedFrames;

/* ---- pictures ---- */

static gsize
state_size (PlayedFrames *self)
{
  return reel_env_get_state_size (self->owner->env);
}

static void
keep_picture (PlayedFrames *self)
{
  const ReelSingleLane *lane = self->owner->lane;
  gsize size = state_size (self), at = self->states->len;

  g_byte_array_set_size (self->states, (guint) (at + size));
  reel_env_get_state (self->owner->env, 0, self->states->data + at);
  for (gsize i = 0; lane->observation_paths[i]; i++)
    {
      const char *name = lane->observation_paths[i];
      if (g_strcmp0 (name, self->owner->pixels.path) == 0)
        continue;
      step_record_say (self->record, name,
                       reel_tensordict_get_tensor (lane->observation, name, NULL));
    }
  step_record_next (self->record);
  self->at = self->base.n++;
  self->base.whole = lane->done || self->base.n > self->owner->most;
}

/* Puts the env where picture i was. */
static void
go_to (PlayedFrames *self, gint64 i)
{
  if (self->owner->going != self || self->at != i)
    reel_env_set_state (self->owner->env, 0, self->states->data + (gsize) i * state_size (self));
  self->at = i;
}

static void
go_to_start (PlayedEpisodes *self, gint64 number)
{
  const Start *start = g_ptr_array_index (self->starts, (guint) number);
  ReelSingleLane *lane = self->lane;

  reel_env_set_state (self->env, 0, start->state);
  lane->reward = 0;
  lane->terminated = lane->truncated = lane->done = FALSE;
  reel_single_lane_begin_policy (lane);
  for (gsize i = 0; lane->observation_paths[i]; i++)
    {
      const ReelTensor *value =
          reel_tensordict_get_tensor (start->observation, lane->observation_paths[i], NULL);
      memcpy (lane->observation_data[i], value->data, reel_tensor_nbytes (value));
    }
}

/* ---- steps that are done again ---- */

static void
keep_action (PlayedFrames *self)
{
  const ReelSingleLane *lane = self->owner->lane;

  for (gsize i = 0; lane->action_paths[i]; i++)
    g_byte_array_append (self->actions, lane->action_data[i],
                         (guint) reel_tensor_nbytes (reel_tensordict_get_tensor (
                             lane->action, lane->action_paths[i], NULL)));
}

/* put_action: that of a step into the lane. */
static void
put_action (PlayedFrames *self, gint64 step)
{
  const ReelSingleLane *lane = self->owner->lane;
  gsize size = self->actions->len / (gsize) (self->base.n - 1);
  const guint8 *from = self->actions->data + (gsize) step * size;

  for (gsize i = 0; lane->action_paths[i]; i++)
    {
      const ReelTensor *action =
          reel_tensordict_get_tensor (lane->action, lane->action_paths[i], NULL);

      memcpy (lane->action_data[i], from, reel_tensor_nbytes (action));
      from += reel_tensor_nbytes (action);
    }
}

/* observe: puts env and lane where picture i was: the lane observes it again. */
static gboolean
observe (PlayedFrames *self, gint64 i, GError **error)
{
  if (self->owner->going == self && self->at == i)
    return TRUE;
  if (i == 0)
    go_to_start (self->owner, self->number);
  else
    {
      go_to (self, i - 1);
      put_action (self, i - 1);
      if (!reel_single_lane_step (self->owner->lane, error))
        return FALSE;
    }
  self->at = i;
  return TRUE;
}

/* ---- steps ---- */

static void
say_flag (StepRecord *record, const char *name, guint8 *flag)
{
  g_autoptr (ReelTensor) value = reel_tensor_new (REEL_DTYPE_BOOL, 0, NULL, NULL);

  if (!value)
    return;
  *value->data = *flag;
  step_record_say (record, name, value);
}

/* The step that led to the next picture. */
static void
say_step (PlayedFrames *self)
{
  ReelSingleLane *lane = self->owner->lane;
  g_autoptr (ReelTensor) reward = reel_tensor_new (REEL_DTYPE_FLOAT32, 0, NULL, NULL);

  for (gsize i = 0; lane->action_paths[i]; i++)
    step_record_say (self->record, lane->action_paths[i],
                     reel_tensordict_get_tensor (lane->action, lane->action_paths[i], NULL));
  if (reward)
    {
      memcpy (reward->data, &lane->reward, sizeof lane->reward);
      step_record_say (self->record, "reward", reward);
    }
  say_flag (self->record, "terminated", &lane->terminated);
  say_flag (self->record, "truncated", &lane->truncated);
}

static gboolean
advance (Frames *frames, GError **error)
{
  PlayedFrames *self = (PlayedFrames *) frames;
  PlayedEpisodes *owner = self->owner;
  gint64 step = self->number * owner->most + frames->n - 1;

  g_return_val_if_fail (owner->going == self, FALSE);

  if (owner->observed && !observe (self, frames->n - 1, error))
    return FALSE;
  go_to (self, frames->n - 1);
  if (!reel_single_lane_act (owner->lane, step, error)
      || !reel_single_lane_step (owner->lane, error))
    return FALSE;
  keep_action (self);
  say_step (self);
  keep_picture (self);
  return TRUE;
}

static gboolean
draw_observed (const PlayedEpisodes *self, ReelTensor *picture, GError **error)
{
  g_autoptr (ReelTensordict) row = reel_tensordict_unsqueeze (self->lane->observation, 0, error);

  return row != NULL
         && stored_pixels_draw (&self->pixels,
                                reel_tensordict_get_tensor (row, self->pixels.path, NULL), picture,
                                error);
}

static gboolean
draw (Frames *frames, gint64 i, ReelTensor *picture, GError **error)
{
  PlayedFrames *self = (PlayedFrames *) frames;

  if (self->owner->width == 0)
    {
      step_record_plot (self->record, i, picture);
      return TRUE;
    }
  if (self->owner->observed)
    return observe (self, i, error) && draw_observed (self->owner, picture, error);
  go_to (self, i);
  reel_env_render_lane (self->owner->env, 0, picture->shape[1], picture->shape[0], picture->data);
  return reel_env_check_faults (self->owner->env, error);
}

static gboolean
note (Frames *frames, gint64 i, StepNote *note, GError **error)
{
  step_record_note (((PlayedFrames *) frames)->record, i, note);
  return TRUE;
}

static void
free_frames (Frames *frames)
{
  PlayedFrames *self = (PlayedFrames *) frames;

  if (self->owner->going == self)
    self->owner->going = NULL;
  g_byte_array_unref (self->states);
  g_byte_array_unref (self->actions);
  step_record_free (self->record);
  g_free (self);
}

static const FramesClass frames_class = { advance, draw, note, free_frames };

/* ---- episodes ---- */

static void
start_free (Start *start)
{
  g_free (start->state);
  reel_tensordict_unref (start->observation);
  g_free (start);
}

/* An env draws from its stream when an episode begins and never in between: the next one is the
 * same wherever this one was left. */
static gboolean
add_start (PlayedEpisodes *self, GError **error)
{
  if (self->starts->len > 0)
    go_to_start (self, self->starts->len - 1);
  if (!reel_single_lane_reset (self->lane, error))
    return FALSE;

  g_autoptr (ReelTensordict) observation =
      reel_tensordict_clone (self->lane->observation, TRUE, error);

  if (!observation)
    return FALSE;

  Start *start = g_new0 (Start, 1);

  start->state = g_malloc (reel_env_get_state_size (self->env));
  start->observation = g_steal_pointer (&observation);
  reel_env_get_state (self->env, 0, start->state);
  g_ptr_array_add (self->starts, start);
  return TRUE;
}

static char *
explain_plot (const PlayedEpisodes *self)
{
  if (self->observed)
    return g_strdup ("a plot, for the observations have no pictures");
  return g_strdup_printf ("a plot, for %s has no pictures",
                          reel_object_get_id (REEL_OBJECT (self->env)));
}

static Frames *
open_episode (Episodes *episodes, gint64 number, GError **error)
{
  PlayedEpisodes *self = (PlayedEpisodes *) episodes;

  while (number >= self->starts->len)
    if (!add_start (self, error))
      return NULL;
  go_to_start (self, number);

  PlayedFrames *frames = g_new0 (PlayedFrames, 1);

  frames->base.klass = &frames_class;
  frames->base.width = self->width > 0 ? self->width : 640;
  frames->base.height = self->height > 0 ? self->height : 480;
  frames->base.is_plot = self->width == 0;
  frames->base.stored_width = self->observed ? self->width : 0;
  frames->base.stored_height = self->observed ? self->height : 0;
  frames->base.rate = self->rate;
  frames->base.name = g_strdup (self->name);
  if (self->width == 0 && !self->plot)
    frames->base.remark = explain_plot (self);
  frames->owner = self;
  frames->number = number;
  frames->states = g_byte_array_new ();
  frames->actions = g_byte_array_new ();
  frames->record = step_record_new ();
  self->going = frames;
  keep_picture (frames);
  step_record_name_elements (frames->record, "observation",
                             reel_env_get_observation_names (self->env));
  return &frames->base;
}

static void
free_episodes (Episodes *episodes)
{
  PlayedEpisodes *self = (PlayedEpisodes *) episodes;

  g_clear_pointer (&self->starts, g_ptr_array_unref);
  g_clear_pointer (&self->lane, reel_single_lane_free);
  g_clear_object (&self->env);
  stored_pixels_clear (&self->pixels);
  g_free (self->name);
  g_free (self);
}

static const EpisodesClass episodes_class = { open_episode, NULL, NULL, free_episodes };

/* As reel_object_new_from_text(), with other ways to look at a policy where the name is unknown. */
static ReelPolicy *
make_policy (const char *text, const char *seed, GError **error)
{
  g_autoptr (GError) failure = NULL;
  ReelPolicy *policy = reel_object_new_from_text (REEL_TYPE_POLICY, text, &failure,
                                                  seed ? "seed" : NULL, seed, NULL);

  if (policy)
    return policy;
  if (g_error_matches (failure, REEL_ERROR, REEL_ERROR_KEY)
      && !g_str_has_suffix (failure->message, "?"))
    g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                 "%s; one that learns calls the library (examples/dqn.c), and render DIR shows the "
                 "episodes that it stored",
                 failure->message);
  else
    g_propagate_error (error, g_steal_pointer (&failure));
  return NULL;
}

/* open_env: with a chain the env behind it, which observes pictures where there are any. */
static ReelEnv *
open_env (const EpisodesLook *look, const char *seed, GError **error)
{
  g_autofree char *chain = NULL, *with_pixels = NULL;
  g_autoptr (GError) failure = NULL;
  ReelEnv *env;

  if (!look->chain)
    return episodes_open_env (look, look->env, seed, error);
  chain = g_strconcat (look->env, "|", look->chain, NULL);
  with_pixels = reel_object_text_with_default (chain, "from-pixels", "true");
  env = episodes_open_env (look, with_pixels, seed, &failure);
  if (env || !g_error_matches (failure, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED))
    {
      if (!env)
        g_propagate_error (error, g_steal_pointer (&failure));
      return env;
    }
  return episodes_open_env (look, chain, seed, error);
}

/* choose_pictures: those that are observed, those of the env, or none. */
static gboolean
choose_pictures (PlayedEpisodes *self, GError **error)
{
  gboolean any = reel_env_get_frame (self->env, &self->width, &self->height, &self->rate);

  if (self->plot || !any)
    self->width = self->height = 0;
  if (self->width > 0 && !self->observed)
    return reel_env_prepare_frames (self->env, self->width, self->height, error);

  g_autoptr (ReelTensordict) row =
      self->width > 0 ? reel_tensordict_unsqueeze (self->lane->observation, 0, error) : NULL;

  self->width = self->height = 0;
  if (row && stored_pixels_find (&self->pixels, row))
    {
      self->width = self->pixels.width;
      self->height = self->pixels.height;
    }
  return TRUE;
}

Episodes *
episodes_new_acted (const EpisodesLook *look, ReelPolicy *policy, gint64 seed, gint64 most,
                    GError **error)
{
  g_autofree char *number = g_strdup_printf ("%" G_GINT64_FORMAT, seed);
  PlayedEpisodes *self = g_new0 (PlayedEpisodes, 1);
  g_autoptr (Episodes) owned = &self->base;

  self->base.klass = &episodes_class;
  self->base.n = -1;
  self->name = g_strdup (look->env);
  self->starts = g_ptr_array_new_with_free_func ((GDestroyNotify) start_free);
  self->env = open_env (look, number, error);
  if (!self->env)
    return NULL;
  self->plot = look->plot;
  self->observed = look->chain != NULL;
  self->lane = reel_single_lane_new (self->env, error);
  if (!self->lane || !choose_pictures (self, error)
      || !reel_single_lane_take_policy (self->lane, policy, error))
    return NULL;
  self->most = MIN (most, (gint64) (G_MAXUINT / 2 / reel_env_get_state_size (self->env)));
  return g_steal_pointer (&owned);
}

Episodes *
episodes_new_played (const EpisodesLook *look, const char *policy, gint64 seed, gint64 most,
                     GError **error)
{
  g_autofree char *number = g_strdup_printf ("%" G_GINT64_FORMAT, seed);
  gboolean draws = g_str_has_prefix (policy, "random") || g_str_has_prefix (policy, "mlp");
  gboolean seeded = draws && !strstr (policy, "seed=");
  g_autoptr (ReelPolicy) acting = make_policy (policy, seeded ? number : NULL, error);

  return acting ? episodes_new_acted (look, acting, seed, most, error) : NULL;
}
