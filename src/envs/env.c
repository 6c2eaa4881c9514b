#include "env.h"

#include <stdatomic.h>
#include <string.h>

#include "../core/memory.h"
#include "env-autoreset.h"
#include "env-groups.h"
#include "env-leaves.h"
#include "env-pixels.h"
#include "lane-kernel.h"

/* Lanes that a reset works on at a time; the list of them is on the stack. */
#define RESET_CHUNK 256

/* What went wrong in a lane; threads add to the list, and who checks takes it as a whole. */
typedef struct Fault
{
  struct Fault *next;
  gint64 lane;
  gint64 step;
  char *what;
} Fault;

typedef struct
{
  gint64 num_envs;
  gint64 seed;
  gint64 max_episode_steps;
  int action_encoding;
  gboolean from_pixels, pixels_only;
  gint64 width, height; /* 0 where the class decides */
  gint frame_rate;      /* likewise */

  ReelSpec *observation_spec;
  ReelSpec *action_spec;
  ReelSpec *reward_spec;
  ReelSpec *done_spec;
  gsize *observation_row; /* bytes of a row of each leaf that the class writes */
  gsize n_observations;
  ReelEnvPixels *pixels; /* NULL unless they are observed */
  ReelEnvGroups groups;
  ReelEnvAutoreset *autoreset; /* NULL unless the class resets itself */
  ReelEnvLeaves *leaves;       /* NULL until tensordicts are stepped */

  ReelMemory *lane_memory; /* NULL where the class keeps lanes elsewhere */
  guint8 *lanes;           /* there */
  gsize lane_bytes;
  ReelMemory *memory;
  gint64 *elapsed; /* steps of the episode, one a lane; −1 before the first reset */
  guint8 *faulty;  /* whether the lane is among the faults */
  Fault *_Atomic faults;
  gint64 limit;
  const ReelLaneKernels *kernels;
} ReelEnvPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (ReelEnv, reel_env, REEL_TYPE_OBJECT)

#define PRIVATE(self) ((ReelEnvPrivate *) reel_env_get_instance_private (self))

static const char *const encodings[] = { "one-hot", "categorical", NULL };

/* ---- construction ---- */

static gboolean
make_reward_and_done_specs (ReelEnvPrivate *priv, GError **error)
{
  static const char *const flags[] = { "done", "terminated", "truncated" };
  static const char *const rewards[] = { "reward" };
  const gint64 shape[] = { 1 };
  g_autoptr (ReelSpec) reward = reel_unbounded_spec_new (REEL_DTYPE_FLOAT32, 1, shape, error);

  if (reward == NULL)
    return FALSE;

  g_autoptr (ReelSpec) flag = reel_categorical_spec_new (2, REEL_DTYPE_BOOL, 1, shape, error);

  if (flag == NULL)
    return FALSE;

  ReelSpec *const all_flags[] = { flag, flag, flag };

  priv->reward_spec = reel_composite_spec_new (0, NULL, rewards, &reward, 1, error);
  priv->done_spec = reel_composite_spec_new (0, NULL, flags, all_flags, 3, error);
  return priv->reward_spec != NULL && priv->done_spec != NULL
         && reel_env_groups_extend_specs (&priv->groups, &priv->reward_spec, &priv->done_spec,
                                          error);
}

static gboolean
measure_observation (ReelEnvPrivate *priv, GError **error)
{
  g_auto (GStrv) leaves = reel_spec_list_leaves (priv->observation_spec);

  priv->n_observations = g_strv_length (leaves);
  priv->observation_row = g_new (gsize, priv->n_observations);
  for (gsize i = 0; i < priv->n_observations; i++)
    {
      const ReelSpec *leaf = reel_spec_get (priv->observation_spec, leaves[i], error);
      gint ndim;

      if (leaf == NULL)
        return FALSE;

      const gint64 *shape = reel_spec_get_shape (leaf, &ndim);
      gsize size = reel_dtype_size (reel_spec_get_dtype (leaf));

      for (gint d = 0; d < ndim; d++)
        size *= (gsize) shape[d];
      priv->observation_row[i] = size;
    }
  return TRUE;
}

/* Puts pictures among the observations, where they are asked for. */
static gboolean
add_pixels (ReelEnv *self, GError **error)
{
  ReelEnvPrivate *priv = PRIVATE (self);
  gint64 width, height;

  if (!priv->from_pixels && (priv->pixels_only || priv->width > 0 || priv->height > 0))
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "%s: pixels-only, width and height speak of pixels; add from-pixels=true",
                 reel_object_get_id (REEL_OBJECT (self)));
  else if (priv->from_pixels && !reel_env_get_frame (self, &width, &height, NULL))
    g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                 "%s has no pictures; leave from-pixels out",
                 reel_object_get_id (REEL_OBJECT (self)));
  else if (priv->from_pixels && priv->autoreset != NULL)
    g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                 "%s resets itself, so its last pictures are lost; leave from-pixels out",
                 reel_object_get_id (REEL_OBJECT (self)));
  else if (!priv->from_pixels)
    return TRUE;
  else
    {
      if (!reel_env_prepare_frames (self, width, height, error))
        return FALSE;
      priv->pixels = reel_env_pixels_new (width, height);
      if (priv->pixels_only
          && !reel_env_pixels_hide (priv->pixels, priv->observation_row, priv->n_observations,
                                    priv->num_envs, error))
        return FALSE;

      g_autoptr (ReelSpec) own = priv->observation_spec;

      priv->observation_spec = reel_env_pixels_extend_spec (priv->pixels, own, error);
      return priv->observation_spec != NULL;
    }
  return FALSE;
}

static gboolean
prepare_autoreset (ReelEnv *self, GError **error)
{
  ReelEnvPrivate *priv = PRIVATE (self);

  if (REEL_ENV_GET_CLASS (self)->autoreset == REEL_AUTORESET_DISABLED)
    return TRUE;
  priv->autoreset = reel_env_autoreset_new (self, error);
  return priv->autoreset != NULL;
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelEnv *self = REEL_ENV (object);
  ReelEnvPrivate *priv = PRIVATE (self);
  ReelIsa isa;

  if (!REEL_OBJECT_CLASS (reel_env_parent_class)->build (object, error))
    return FALSE;
  if (!reel_isa_choose (&isa, error))
    return FALSE;

  priv->kernels = REEL_KERNEL_PICK (reel_lane_kernels, isa);
  priv->limit = priv->max_episode_steps > 0 ? priv->max_episode_steps : G_MAXINT64;
  priv->memory = reel_memory_new ((gsize) priv->num_envs * (sizeof *priv->elapsed + 1), error);
  if (priv->memory == NULL)
    return FALSE;
  priv->elapsed = reel_memory_get_data (priv->memory, NULL);
  priv->faulty = (guint8 *) (priv->elapsed + priv->num_envs);

  if (!REEL_ENV_GET_CLASS (self)->setup (self, error) || !make_reward_and_done_specs (priv, error)
      || !measure_observation (priv, error) || !prepare_autoreset (self, error)
      || !add_pixels (self, error))
    return FALSE;

  const guint32 words[] = { (guint32) priv->seed, (guint32) (priv->seed >> 32) };

  reel_env_seed (self, words, G_N_ELEMENTS (words));
  return TRUE;
}

/* ---- lanes ---- */

gboolean
reel_env_make_lanes (ReelEnv *self, gsize bytes, GError **error)
{
  g_return_val_if_fail (REEL_IS_ENV (self), FALSE);

  ReelEnvPrivate *priv = PRIVATE (self);
  gsize all;

  g_return_val_if_fail (priv->lanes == NULL, FALSE);

  if (!g_size_checked_mul (&all, (gsize) priv->num_envs, bytes))
    all = G_MAXSIZE;
  priv->lane_bytes = bytes;
  priv->lane_memory = reel_memory_new (all, error);
  if (priv->lane_memory == NULL)
    return FALSE;
  priv->lanes = reel_memory_get_data (priv->lane_memory, NULL);
  return TRUE;
}

gpointer
reel_env_get_lane (ReelEnv *self, gint64 lane)
{
  ReelEnvPrivate *priv = PRIVATE (self);

  return priv->lanes + (gsize) lane * priv->lane_bytes;
}

static gsize
lane_size (ReelEnv *self)
{
  return PRIVATE (self)->lane_bytes;
}

static void
get_lane_state (ReelEnv *self, gint64 lane, gpointer state)
{
  memcpy (state, reel_env_get_lane (self, lane), PRIVATE (self)->lane_bytes);
}

static void
set_lane_state (ReelEnv *self, gint64 lane, gconstpointer state)
{
  memcpy (reel_env_get_lane (self, lane), state, PRIVATE (self)->lane_bytes);
}

/* ---- the object ---- */

static void
free_faults (Fault *faults)
{
  while (faults != NULL)
    {
      Fault *next = faults->next;

      g_free (faults->what);
      g_free (faults);
      faults = next;
    }
}

static void
finalize (GObject *object)
{
  ReelEnvPrivate *priv = PRIVATE (REEL_ENV (object));

  free_faults (atomic_load (&priv->faults));
  g_clear_pointer (&priv->observation_spec, reel_spec_unref);
  g_clear_pointer (&priv->action_spec, reel_spec_unref);
  g_clear_pointer (&priv->reward_spec, reel_spec_unref);
  g_clear_pointer (&priv->done_spec, reel_spec_unref);
  g_clear_pointer (&priv->lane_memory, reel_memory_unref);
  g_clear_pointer (&priv->memory, reel_memory_unref);
  g_clear_pointer (&priv->pixels, reel_env_pixels_free);
  g_clear_pointer (&priv->autoreset, reel_env_autoreset_free);
  g_clear_pointer (&priv->leaves, reel_env_leaves_free);
  reel_env_groups_clear (&priv->groups);
  g_free (priv->observation_row);
  G_OBJECT_CLASS (reel_env_parent_class)->finalize (object);
}

static void
add_pixel_properties (ReelObjectClass *klass)
{
  reel_object_class_add_bool (klass, "from-pixels", (gsize) G_PRIVATE_OFFSET (ReelEnv, from_pixels),
                              FALSE, "pictures beside the observation",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_bool (klass, "pixels-only", (gsize) G_PRIVATE_OFFSET (ReelEnv, pixels_only),
                              FALSE, "pictures instead of it", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (
      klass, "width", (gsize) G_PRIVATE_OFFSET (ReelEnv, width), 0, REEL_ENV_FRAME_MOST, 0,
      "pixels", "of a picture, 0 for the width that Gymnasium draws", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (klass, "height", (gsize) G_PRIVATE_OFFSET (ReelEnv, height), 0,
                               REEL_ENV_FRAME_MOST, 0, "pixels",
                               "of a picture, 0 for the height that Gymnasium draws",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
reel_env_class_init (ReelEnvClass *klass)
{
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  object_class->kind = "environment";
  object_class->build = build;
  klass->lane_multiple = 1;
  klass->state_size = lane_size;
  klass->get_state = get_lane_state;
  klass->set_state = set_lane_state;

  reel_object_class_add_int64 (
      object_class, "num-envs", (gsize) G_PRIVATE_OFFSET (ReelEnv, num_envs), 1, 1ll << 40, 1,
      "lanes", "environments simulated at once", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (object_class, "seed", (gsize) G_PRIVATE_OFFSET (ReelEnv, seed), 0,
                               G_MAXINT64, 0, NULL, "lane l is seeded with seed + l",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (object_class, "max-episode-steps",
                               (gsize) G_PRIVATE_OFFSET (ReelEnv, max_episode_steps), 0, G_MAXINT64,
                               0, "steps", "length at which an episode is truncated, 0 for never",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_enum (object_class, "action-encoding",
                              (gsize) G_PRIVATE_OFFSET (ReelEnv, action_encoding), encodings,
                              REEL_ACTION_ONE_HOT, "how discrete actions stand in data",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
  add_pixel_properties (object_class);
}

static void
reel_env_init (ReelEnv *self)
{
}

/* ---- what it is ---- */

void
reel_env_take_specs (ReelEnv *self, ReelSpec *observation, ReelSpec *action)
{
  ReelEnvPrivate *priv = PRIVATE (self);

  priv->observation_spec = observation;
  priv->action_spec = action;
}

void
reel_env_add_group (ReelEnv *self, const char *key, gint64 n_agents)
{
  g_return_if_fail (REEL_IS_ENV (self));
  g_return_if_fail (key != NULL && n_agents > 0);
  reel_env_groups_add (&PRIVATE (self)->groups, key, n_agents);
}

gsize
reel_env_get_n_groups (ReelEnv *self)
{
  g_return_val_if_fail (REEL_IS_ENV (self), 0);
  return PRIVATE (self)->groups.n;
}

const char *
reel_env_get_group (ReelEnv *self, gsize i, gint64 *n_agents)
{
  g_return_val_if_fail (REEL_IS_ENV (self), NULL);
  g_return_val_if_fail (i < PRIVATE (self)->groups.n, NULL);

  const ReelEnvGroup *group = &PRIVATE (self)->groups.list[i];

  *n_agents = group->n_agents;
  return group->key;
}

ReelEnvLeaves *
reel_env_get_leaves (ReelEnv *self)
{
  ReelEnvPrivate *priv = PRIVATE (self);

  if (priv->leaves == NULL)
    priv->leaves = reel_env_leaves_new (self);
  return priv->leaves;
}

void
reel_env_take_frame_rate (ReelEnv *self, gint rate)
{
  PRIVATE (self)->frame_rate = rate;
}

ReelActionEncoding
reel_env_get_action_encoding (ReelEnv *self)
{
  g_return_val_if_fail (REEL_IS_ENV (self), REEL_ACTION_ONE_HOT);
  return PRIVATE (self)->action_encoding;
}

gint64
reel_env_get_elapsed (ReelEnv *self, gint64 lane)
{
  g_return_val_if_fail (REEL_IS_ENV (self), 0);
  g_return_val_if_fail (0 <= lane && lane < PRIVATE (self)->num_envs, 0);
  return PRIVATE (self)->elapsed[lane];
}

const char *
reel_env_get_source (ReelEnv *self)
{
  g_return_val_if_fail (REEL_IS_ENV (self), NULL);
  return REEL_ENV_GET_CLASS (self)->source;
}

gint64
reel_env_get_num_envs (ReelEnv *self)
{
  g_return_val_if_fail (REEL_IS_ENV (self), 0);
  return PRIVATE (self)->num_envs;
}

gint64
reel_env_get_lane_multiple (ReelEnv *self)
{
  g_return_val_if_fail (REEL_IS_ENV (self), 1);
  return REEL_ENV_GET_CLASS (self)->lane_multiple;
}

const ReelSpec *
reel_env_get_observation_spec (ReelEnv *self)
{
  g_return_val_if_fail (REEL_IS_ENV (self), NULL);
  return PRIVATE (self)->observation_spec;
}

const ReelSpec *
reel_env_get_action_spec (ReelEnv *self)
{
  g_return_val_if_fail (REEL_IS_ENV (self), NULL);
  return PRIVATE (self)->action_spec;
}

const ReelSpec *
reel_env_get_reward_spec (ReelEnv *self)
{
  g_return_val_if_fail (REEL_IS_ENV (self), NULL);
  return PRIVATE (self)->reward_spec;
}

const ReelSpec *
reel_env_get_done_spec (ReelEnv *self)
{
  g_return_val_if_fail (REEL_IS_ENV (self), NULL);
  return PRIVATE (self)->done_spec;
}

/* ---- seeds ---- */

/* Adds 1 to a number in base 2^32; there is room for one more word. */
static void
increment (guint32 *words, gsize *n_words)
{
  gsize i = 0;

  while (i < *n_words && ++words[i] == 0)
    i++;
  if (i == *n_words)
    words[(*n_words)++] = 1;
}

void
reel_env_seed (ReelEnv *self, const guint32 *seed, gsize n_words)
{
  g_return_if_fail (REEL_IS_ENV (self));
  g_return_if_fail (seed != NULL && n_words > 0);

  ReelEnvPrivate *priv = PRIVATE (self);
  g_autofree guint32 *words = g_new (guint32, n_words + 1);

  memcpy (words, seed, n_words * sizeof *words);
  for (gint64 lane = 0; lane < priv->num_envs; lane++)
    {
      reel_env_seed_lane (self, lane, words, n_words);
      increment (words, &n_words);
    }
}

void
reel_env_seed_lane (ReelEnv *self, gint64 lane, const guint32 *seed, gsize n_words)
{
  g_return_if_fail (REEL_IS_ENV (self));
  g_return_if_fail (seed != NULL && n_words > 0);

  ReelEnvPrivate *priv = PRIVATE (self);

  g_return_if_fail (0 <= lane && lane < priv->num_envs);

  while (n_words > 1 && seed[n_words - 1] == 0)
    n_words--;
  priv->elapsed[lane] = -1;
  if (priv->autoreset != NULL)
    reel_env_autoreset_forget (priv->autoreset, lane, lane + 1);
  REEL_ENV_GET_CLASS (self)->seed (self, lane, seed, n_words);
}

/* ---- steps ---- */

static gsize
list_lanes (const ReelEnvPrivate *priv, gint64 begin, gint64 end, const guint8 *mask, gint64 *lanes)
{
  if (mask != NULL)
    return priv->kernels->list (begin, end, mask, lanes);
  for (gint64 lane = begin; lane < end; lane++)
    lanes[lane - begin] = lane;
  return (gsize) (end - begin);
}

void
reel_env_reset_lanes (ReelEnv *self, gint64 begin, gint64 end, const guint8 *mask,
                      guint8 *const *observation)
{
  g_return_if_fail (REEL_IS_ENV (self));

  ReelEnvPrivate *priv = PRIVATE (self);
  ReelEnvClass *klass = REEL_ENV_GET_CLASS (self);
  gint64 lanes[RESET_CHUNK + REEL_LANE_LIST_SLACK];
  guint8 *const *rest =
      priv->pixels != NULL ? reel_env_pixels_rest (priv->pixels, observation) : observation;

  g_return_if_fail (0 <= begin && begin <= end && end <= priv->num_envs);

  for (gint64 chunk = begin; chunk < end; chunk += RESET_CHUNK)
    {
      gsize n = list_lanes (priv, chunk, MIN (chunk + RESET_CHUNK, end), mask, lanes);

      for (gsize i = 0; i < n; i++)
        priv->elapsed[lanes[i]] = 0;
      if (priv->autoreset != NULL)
        n = reel_env_autoreset_reset (priv->autoreset, self, lanes, n, rest);
      if (n > 0)
        klass->reset (self, lanes, n, rest);
      for (gsize i = 0; priv->pixels != NULL && i < n; i++)
        reel_env_pixels_draw (priv->pixels, self, lanes[i], observation[0]);
    }
}

/* The step as the class sees it: without pictures, and without what nobody asked for. */
static ReelEnvStep
without_pixels (const ReelEnvPixels *pixels, const ReelEnvStep *io)
{
  ReelEnvStep inner = *io;

  inner.observation = reel_env_pixels_rest (pixels, io->observation);
  inner.carry = pixels->hidden != NULL || io->carry == NULL ? NULL : io->carry + 1;
  return inner;
}

static void
draw_step (const ReelEnvPixels *pixels, ReelEnv *self, gint64 begin, gint64 end,
           const ReelEnvStep *io)
{
  for (gint64 lane = begin; lane < end; lane++)
    {
      gsize at = (gsize) lane * pixels->frame_bytes;

      reel_env_pixels_draw (pixels, self, lane, io->observation[0]);
      if (io->carry != NULL)
        memcpy (io->carry[0] + at, io->observation[0] + at, pixels->frame_bytes);
    }
}

gint64
reel_env_step_lanes (ReelEnv *self, gint64 begin, gint64 end, const ReelEnvStep *io)
{
  g_return_val_if_fail (REEL_IS_ENV (self), 0);

  ReelEnvPrivate *priv = PRIVATE (self);
  ReelEnvClass *klass = REEL_ENV_GET_CLASS (self);

  g_return_val_if_fail (0 <= begin && begin <= end && end <= priv->num_envs, 0);
  g_return_val_if_fail (io->groups != NULL || priv->groups.n == 0, 0);

  const ReelEnvStep inner = priv->pixels != NULL ? without_pixels (priv->pixels, io) : *io;

  if (priv->autoreset != NULL)
    reel_env_autoreset_begin (priv->autoreset, begin, end, &inner);
  klass->step (self, begin, end, &inner);
  if (inner.carry != NULL && !klass->writes_carry)
    for (gsize i = 0; i < priv->n_observations; i++)
      {
        gsize row = priv->observation_row[i], at = (gsize) begin * row;

        memcpy (inner.carry[i] + at, inner.observation[i] + at, (gsize) (end - begin) * row);
      }

  if (priv->autoreset != NULL)
    reel_env_autoreset_look (priv->autoreset, begin, end, &inner);

  gint64 n_done = priv->kernels->finish (begin, end, priv->limit, priv->elapsed, io->terminated,
                                         io->truncated, io->done);

  if (priv->autoreset != NULL)
    n_done = reel_env_autoreset_end (priv->autoreset, begin, end, &inner);
  if (priv->groups.n > 0)
    reel_env_groups_finish (&priv->groups, begin, end, io);
  if (priv->pixels != NULL)
    draw_step (priv->pixels, self, begin, end, io);
  return n_done;
}

/* ---- lanes that could not be simulated ---- */

void
reel_env_report_fault (ReelEnv *self, gint64 lane, const char *what)
{
  ReelEnvPrivate *priv = PRIVATE (self);

  if (priv->faulty[lane])
    return;
  priv->faulty[lane] = TRUE;

  Fault *fault = g_new (Fault, 1);

  fault->lane = lane;
  fault->step = priv->elapsed[lane] + 1;
  fault->what = g_strdup (what);
  fault->next = atomic_load (&priv->faults);
  while (!atomic_compare_exchange_weak (&priv->faults, &fault->next, fault))
    ;
}

gboolean
reel_env_check_faults (ReelEnv *self, GError **error)
{
  g_return_val_if_fail (REEL_IS_ENV (self), FALSE);

  ReelEnvPrivate *priv = PRIVATE (self);
  Fault *faults = atomic_exchange (&priv->faults, NULL), *lowest = faults;

  if (faults == NULL)
    return TRUE;
  for (Fault *fault = faults; fault != NULL; fault = fault->next)
    {
      priv->faulty[fault->lane] = FALSE;
      if (fault->lane < lowest->lane)
        lowest = fault;
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "%s: lane %" G_GINT64_FORMAT " could not be simulated in step %" G_GINT64_FORMAT
               " of its episode: %s",
               reel_object_get_id (REEL_OBJECT (self)), lowest->lane, lowest->step, lowest->what);
  free_faults (faults);
  return FALSE;
}

/* ---- state: the steps of the episode, what waits of the next one, then what the class keeps ----
 */

gsize
reel_env_get_state_size (ReelEnv *self)
{
  g_return_val_if_fail (REEL_IS_ENV (self), 0);

  const ReelEnvPrivate *priv = PRIVATE (self);
  gsize waiting = priv->autoreset != NULL ? reel_env_autoreset_state_size (priv->autoreset) : 0;

  return sizeof (gint64) + waiting + REEL_ENV_GET_CLASS (self)->state_size (self);
}

void
reel_env_get_state (ReelEnv *self, gint64 lane, gpointer state)
{
  g_return_if_fail (REEL_IS_ENV (self));

  ReelEnvPrivate *priv = PRIVATE (self);

  g_return_if_fail (0 <= lane && lane < priv->num_envs && state != NULL);

  guint8 *at = state;

  memcpy (at, &priv->elapsed[lane], sizeof (gint64));
  at += sizeof (gint64);
  if (priv->autoreset != NULL)
    at += reel_env_autoreset_get_state (priv->autoreset, lane, at);
  REEL_ENV_GET_CLASS (self)->get_state (self, lane, at);
}

void
reel_env_set_state (ReelEnv *self, gint64 lane, gconstpointer state)
{
  g_return_if_fail (REEL_IS_ENV (self));

  ReelEnvPrivate *priv = PRIVATE (self);

  g_return_if_fail (0 <= lane && lane < priv->num_envs && state != NULL);

  const guint8 *at = state;

  memcpy (&priv->elapsed[lane], at, sizeof (gint64));
  at += sizeof (gint64);
  if (priv->autoreset != NULL)
    at += reel_env_autoreset_set_state (priv->autoreset, lane, at);
  REEL_ENV_GET_CLASS (self)->set_state (self, lane, at);
}

/* ---- pictures ---- */

gboolean
reel_env_get_frame (ReelEnv *self, gint64 *width, gint64 *height, gint *rate)
{
  g_return_val_if_fail (REEL_IS_ENV (self), FALSE);

  const ReelEnvPrivate *priv = PRIVATE (self);
  const ReelEnvClass *klass = REEL_ENV_GET_CLASS (self);

  if (klass->frame_width == 0)
    return FALSE;
  *width = priv->width > 0 ? priv->width : klass->frame_width;
  *height = priv->height > 0 ? priv->height : klass->frame_height;
  if (rate != NULL)
    *rate = priv->frame_rate > 0 ? priv->frame_rate : klass->frame_rate;
  return TRUE;
}

gboolean
reel_env_prepare_frames (ReelEnv *self, gint64 width, gint64 height, GError **error)
{
  g_return_val_if_fail (REEL_IS_ENV (self), FALSE);

  const ReelEnvClass *klass = REEL_ENV_GET_CLASS (self);

  g_return_val_if_fail (klass->frame_width > 0, FALSE);
  return klass->prepare_frames == NULL || klass->prepare_frames (self, width, height, error);
}

void
reel_env_render_lane (ReelEnv *self, gint64 lane, gint64 width, gint64 height, guint8 *pixels)
{
  g_return_if_fail (REEL_IS_ENV (self));

  const ReelEnvClass *klass = REEL_ENV_GET_CLASS (self);

  g_return_if_fail (klass->frame_width > 0 && pixels != NULL);
  g_return_if_fail (0 <= lane && lane < PRIVATE (self)->num_envs);
  g_return_if_fail (0 < width && width <= REEL_ENV_FRAME_MOST);
  g_return_if_fail (0 < height && height <= REEL_ENV_FRAME_MOST);
  klass->render (self, lane, width, height, pixels);
}

gboolean
reel_env_show_observation (ReelEnv *self, gint64 lane, const guint8 *const *observation,
                           GError **error)
{
  g_return_val_if_fail (REEL_IS_ENV (self), FALSE);
  g_return_val_if_fail (0 <= lane && lane < PRIVATE (self)->num_envs, FALSE);

  const ReelEnvClass *klass = REEL_ENV_GET_CLASS (self);

  if (klass->show == NULL)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                   "an observation of %s does not tell what it looks like",
                   reel_object_get_id (REEL_OBJECT (self)));
      return FALSE;
    }
  klass->show (self, lane, observation);
  return TRUE;
}
