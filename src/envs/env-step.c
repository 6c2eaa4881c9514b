#include "env-step.h"

#include "../core/trajectory/ted.h"
#include "../core/tensordict/tensordict-keys.h"
#include "../core/tensordict/tensordict-update.h"
#include "env-lane-mask.h"
#include "mixed-env.h"

#include <string.h>

/* ---- what a step comes to ---- */

/* A leaf below next; of lanes that stay as they are, the value at the root. */
static ReelTensor *
make_leaf (const ReelEnvLeaf *leaf, const ReelTensordict *td, gboolean stays, GError **error)
{
  if (!stays)
    return reel_env_new_leaf (leaf, error);

  g_autoptr (ReelTensor) root = reel_env_ref_leaf (td, leaf, error);

  if (root == NULL)
    {
      g_prefix_error (error, "lanes that do not step keep their values: ");
      return NULL;
    }
  return reel_tensor_clone (root, error);
}

static gboolean
make_leaves (const ReelEnvLeafList *list, const ReelTensordict *td, gboolean stays,
             ReelTensordict *next, guint8 **pointers, GError **error)
{
  for (gsize i = 0; i < list->n; i++)
    {
      g_autoptr (ReelTensor) made = make_leaf (&list->list[i], td, stays, error);

      if (made == NULL || !reel_tensordict_set_tensor (next, list->paths[i], made, error))
        return FALSE;
      pointers[i] = made->data;
    }
  return TRUE;
}

/* Where the lanes of a step read and write. */
typedef struct
{
  GPtrArray *inputs; /* of ReelTensor: actions, then states */
  const guint8 **action;
  const guint8 **state;
  guint8 **observation;
  guint8 **rewards;
  guint8 **flags;
  ReelEnvGroupStep *groups;
  guint8 **results;
  ReelEnvIO io;
} Places;

static void
places_clear (Places *places)
{
  g_ptr_array_unref (places->inputs);
  g_free (places->action);
  g_free (places->state);
  g_free (places->observation);
  g_free (places->rewards);
  g_free (places->flags);
  g_free (places->groups);
  g_free (places->results);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Places, places_clear)

static void
places_init (Places *places, const ReelEnvLeaves *leaves)
{
  places->inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensor_unref);
  places->action = g_new (const guint8 *, leaves->actions.n + 1);
  places->state = g_new (const guint8 *, leaves->states->n + 1);
  places->observation = g_new (guint8 *, leaves->observations.n + 1);
  places->rewards = g_new (guint8 *, leaves->rewards.n + 1);
  places->flags = g_new (guint8 *, leaves->flags.n + 1);
  places->groups = g_new (ReelEnvGroupStep, leaves->n_groups + 1);
  places->results = g_new (guint8 *, leaves->rewards.n + leaves->flags.n + 1);
}

static void
point (Places *places, const ReelEnvLeaves *leaves)
{
  places->io = reel_env_leaves_point (leaves, places->rewards, places->flags, places->groups,
                                      places->results);
  places->io.action = places->action;
  places->io.observation = places->observation;
  places->io.state = places->state;
}

static gboolean
take_input (const ReelEnvLeaf *leaf, const ReelTensordict *td, Places *places, const guint8 **data,
            GError **error)
{
  ReelTensor *input = reel_env_ref_leaf (td, leaf, error);

  if (input == NULL)
    return FALSE;
  g_ptr_array_add (places->inputs, input);
  *data = input->data;
  return TRUE;
}

static gboolean
take_inputs (const ReelEnvLeaves *leaves, const ReelTensordict *td, Places *places, GError **error)
{
  const ReelEnvStates *states = leaves->states;

  for (gsize i = 0; i < leaves->actions.n; i++)
    if (!take_input (&leaves->actions.list[i], td, places, &places->action[i], error))
      return FALSE;
  for (gsize i = 0; i < states->n; i++)
    if (!take_input (&leaves->observations.list[states->leaves[i]], td, places, &places->state[i],
                     error))
      return FALSE;
  return TRUE;
}

/* ---- what is carried along ---- */

/* The value that a step takes over: that of the policy below next, else that at the root; %NULL
 * where there is neither. */
static gboolean
find_carried (const ReelEnvLeaf *leaf, const ReelTensordict *td, ReelTensor **value, GError **error)
{
  ReelEnvLeaf below = *leaf;
  g_autofree char *path = leaf->carried ? g_strconcat ("next/", leaf->path, NULL) : NULL;

  *value = NULL;
  if (path == NULL)
    return TRUE;
  if (reel_tensordict_contains (td, path))
    below.path = path;
  else if (!reel_tensordict_contains (td, leaf->path))
    return TRUE;
  *value = reel_env_ref_leaf (td, &below, error);
  return *value != NULL;
}

/* By observation. */
static gboolean
take_carried (const ReelEnvLeaves *leaves, const ReelTensordict *td, GPtrArray *carried,
              GError **error)
{
  for (gsize i = 0; i < leaves->observations.n; i++)
    {
      ReelTensor *value;

      if (!find_carried (&leaves->observations.list[i], td, &value, error))
        return FALSE;
      g_ptr_array_add (carried, value);
    }
  return TRUE;
}

/* Into the lanes that stepped. */
static void
carry (const ReelEnvLeaves *leaves, const GPtrArray *carried, const ReelTensor *mask,
       guint8 *const *observation)
{
  for (gsize i = 0; i < leaves->observations.n; i++)
    {
      const ReelTensor *value = carried->pdata[i];
      gsize bytes = leaves->observations.list[i].row_bytes;

      for (gint64 lane = 0; value != NULL && lane < leaves->n_lanes; lane++)
        if (mask == NULL || mask->data[lane])
          memcpy (observation[i] + (gsize) lane * bytes, value->data + (gsize) lane * bytes, bytes);
    }
}

static void
free_carried (gpointer value)
{
  if (value != NULL)
    reel_tensor_unref (value);
}

/* ---- steps ---- */

static gboolean
check_begun (ReelEnv *self, gint64 n_lanes, GError **error)
{
  if (reel_env_count_sent (self) > 0)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "%s: %" G_GINT64_FORMAT
                   " lanes were sent: receive them by reel_env_recv() first",
                   reel_object_get_id (REEL_OBJECT (self)), reel_env_count_sent (self));
      return FALSE;
    }
  for (gint64 lane = 0; lane < n_lanes; lane++)
    if (reel_env_get_elapsed (self, lane) < 0)
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                     "%s: lane %" G_GINT64_FORMAT " was not reset since it was seeded; reset "
                     "the env before its first step",
                     reel_object_get_id (REEL_OBJECT (self)), lane);
        return FALSE;
      }
  return TRUE;
}

/* Runs of lanes that step. */
static void
run (ReelEnv *self, gint64 n_lanes, const ReelTensor *mask, const ReelEnvIO *io)
{
  if (mask == NULL)
    {
      reel_env_step_lanes (self, 0, n_lanes, io);
      return;
    }
  for (gint64 begin = 0, end; begin < n_lanes; begin = end)
    {
      for (end = begin + 1; end < n_lanes && !mask->data[end] == !mask->data[begin];)
        end++;
      if (mask->data[begin])
        reel_env_step_lanes (self, begin, end, io);
    }
}

/* Keys below next that are not the env's own are kept. */
static gboolean
keep_preset (const ReelTensordict *td, ReelTensordict *next, GError **error)
{
  if (!reel_tensordict_contains (td, "next"))
    return TRUE;

  g_autoptr (ReelTensordict) preset = reel_tensordict_ref_tensordict (td, "next", error);
  g_auto (GStrv) own = reel_tensordict_list_leaves (next);

  if (preset == NULL)
    return FALSE;

  g_autoptr (ReelTensordict) rest =
      reel_tensordict_exclude_keys (preset, (const char *const *) own);

  return reel_tensordict_update (next, rest, NULL, FALSE, error);
}

gboolean
reel_env_step (ReelEnv *self, ReelTensordict *td, GError **error)
{
  g_return_val_if_fail (REEL_IS_ENV (self), FALSE);
  g_return_val_if_fail (td != NULL, FALSE);

  if (reel_env_is_mixed (self))
    return reel_env_mixed_step (self, td, error);

  const ReelEnvLeaves *leaves = reel_env_get_leaves (self);
  g_autoptr (ReelTensordict) next = reel_tensordict_new (leaves->ndim, &leaves->n_lanes);
  g_autoptr (GPtrArray) carried = g_ptr_array_new_with_free_func (free_carried);
  g_autoptr (ReelTensor) mask = NULL;
  g_auto (Places) places;

  places_init (&places, leaves);
  if (!reel_env_check_batch (self, td, error)
      || !reel_env_lane_mask (self, td, "_step", &mask, error)
      || !check_begun (self, leaves->n_lanes, error) || !take_inputs (leaves, td, &places, error)
      || !make_leaves (&leaves->observations, td, mask != NULL, next, places.observation, error)
      || !make_leaves (&leaves->rewards, td, FALSE, next, places.rewards, error)
      || !make_leaves (&leaves->flags, td, mask != NULL, next, places.flags, error)
      || !take_carried (leaves, td, carried, error) || !keep_preset (td, next, error))
    return FALSE;
  point (&places, leaves);
  run (self, leaves->n_lanes, mask, &places.io);
  carry (leaves, carried, mask, places.observation);
  if (!reel_env_check_faults (self, error)
      || !reel_tensordict_set_tensordict (td, "next", next, error))
    return FALSE;
  if (mask != NULL)
    reel_tensordict_remove (td, "_step", NULL);
  return TRUE;
}

ReelTensordict *
reel_env_step_mdp (ReelEnv *self, const ReelTensordict *td, GError **error)
{
  g_return_val_if_fail (REEL_IS_ENV (self), NULL);
  g_return_val_if_fail (td != NULL, NULL);

  if (reel_env_is_mixed (self))
    return reel_env_mixed_step_mdp (self, td, error);

  const ReelEnvLeaves *leaves = reel_env_get_leaves (self);
  const ReelStepMdpKeys keys = {
    .reward = (const char *const *) leaves->rewards.paths,
    .done = (const char *const *) leaves->flags.paths,
    .action = (const char *const *) leaves->actions.paths,
  };
  ReelTensordict *result = reel_step_mdp (td, &keys, REEL_STEP_MDP_KEEP_ACTION, NULL, error);

  if (result != NULL)
    reel_tensordict_remove (result, "_reset", NULL);
  return result;
}

ReelTensordict *
reel_env_step_and_maybe_reset (ReelEnv *self, ReelTensordict *td, GError **error)
{
  if (!reel_env_step (self, td, error))
    return NULL;

  g_autoptr (ReelTensordict) next = reel_env_step_mdp (self, td, error);

  if (next == NULL || !reel_env_maybe_reset (self, next, error))
    return NULL;
  return g_steal_pointer (&next);
}
