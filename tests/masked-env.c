#include "masked-env.h"

#include <string.h>

#define ACTIONS 4

struct _ReelMaskedEnv
{
  ReelEnv parent_instance;

  gboolean goes_on;
};

G_DEFINE_FINAL_TYPE (ReelMaskedEnv, reel_masked_env, REEL_TYPE_ENV)

static gboolean
is_categorical (ReelEnv *env)
{
  return reel_env_get_action_encoding (env) == REEL_ACTION_CATEGORICAL;
}

static gboolean
setup (ReelEnv *env, GError **error)
{
  const gint64 actions = ACTIONS;
  const char *const observation_keys[] = { "action_mask" }, *const action_keys[] = { "action" };
  g_autoptr (ReelSpec) mask = reel_binary_spec_new (REEL_DTYPE_BOOL, 1, &actions, error);
  g_autoptr (ReelSpec) action =
      is_categorical (env) ? reel_categorical_spec_new (ACTIONS, REEL_DTYPE_INT64, 0, NULL, error)
                           : reel_one_hot_spec_new (ACTIONS, REEL_DTYPE_INT64, 1, &actions, error);

  reel_env_take_specs (env, reel_composite_spec_new (0, NULL, observation_keys, &mask, 1, error),
                       reel_composite_spec_new (0, NULL, action_keys, &action, 1, error));
  return reel_env_make_lanes (env, ACTIONS, error);
}

static void
seed (ReelEnv *env, gint64 lane, const guint32 *words, gsize n_words)
{
}

static void
observe (ReelEnv *env, gint64 lane, guint8 *const *observation)
{
  memcpy (observation[0] + lane * ACTIONS, reel_env_get_lane (env, lane), ACTIONS);
}

static void
reset (ReelEnv *env, const gint64 *lanes, gsize n, guint8 *const *observation)
{
  for (gsize i = 0; i < n; i++)
    {
      memset (reel_env_get_lane (env, lanes[i]), TRUE, ACTIONS);
      observe (env, lanes[i], observation);
    }
}

/* Which one was done in lane @lane of a column. */
static gint64
get_action (ReelEnv *env, const guint8 *column, gint64 lane)
{
  const gint64 *actions = (const gint64 *) (gconstpointer) column;
  gint64 which = 0;

  if (is_categorical (env))
    return actions[lane];
  while (!actions[lane * ACTIONS + which])
    which++;
  return which;
}

static void
step (ReelEnv *env, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  ReelMaskedEnv *self = REEL_MASKED_ENV (env);

  for (gint64 lane = begin; lane < end; lane++)
    {
      guint8 *left = reel_env_get_lane (env, lane);

      left[get_action (env, io->action[0], lane)] = FALSE;
      observe (env, lane, io->observation);
      io->reward[lane] = 1;
      io->terminated[lane] = !self->goes_on && memchr (left, TRUE, ACTIONS) == NULL;
    }
}

static void
reel_masked_env_class_init (ReelMaskedEnvClass *klass)
{
  static const ReelId ids[] = { { "Masked-v0", NULL, "each action once" }, { NULL } };
  ReelEnvClass *env_class = REEL_ENV_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  reel_object_class_add_bool (REEL_OBJECT_CLASS (klass), "goes-on",
                              G_STRUCT_OFFSET (ReelMaskedEnv, goes_on), FALSE,
                              "where nothing is left", REEL_PROPERTY_CONSTRUCT_ONLY);
  env_class->setup = setup;
  env_class->reset = reset;
  env_class->step = step;
  env_class->seed = seed;
}

static void
reel_masked_env_init (ReelMaskedEnv *self)
{
}

void
masked_env_assert_allowed (ReelEnv *env, ReelTensordict *rollout)
{
  g_autoptr (ReelTensordict) by_time = reel_tensordict_transpose (rollout, 0, 1, NULL);
  ReelTensor *mask = reel_tensordict_get_tensor (by_time, "action_mask", NULL);
  ReelTensor *action = reel_tensordict_get_tensor (by_time, "action", NULL);
  gint64 n[ACTIONS] = { 0 }, rows = reel_tensordict_numel (by_time);

  for (gint64 row = 0; row < rows; row++)
    {
      gint64 which = get_action (env, action->data, row);

      g_assert_true (mask->data[row * ACTIONS + which]);
      n[which]++;
    }
  for (gint which = 0; which < ACTIONS; which++)
    g_assert_cmpint (n[which], >, rows / (2 * ACTIONS));
}
