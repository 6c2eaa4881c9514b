#include "env-vector.h"

#include "../core/tensordict/tensordict-keys.h"
#include "../core/tensordict/tensordict-update.h"
#include "env-lane-mask.h"

#include <string.h>

static void
set_done_error (ReelEnv *self, const ReelTensor *done, GError **error)
{
  const guint8 *first = memchr (done->data, TRUE, (gsize) reel_tensor_numel (done));

  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "%s: lane %" G_GINT64_FORMAT " is done, and nothing resets it by itself: reset it "
               "with \"_reset\" before its next step",
               reel_object_get_id (REEL_OBJECT (self)), (gint64) (first - done->data));
}

/* Only lanes that are not done take the step. */
static gboolean
leave_out (ReelTensordict *td, ReelTensor *done, GError **error)
{
  g_autoptr (ReelTensor) taken = reel_tensor_clone (done, error);

  if (taken == NULL)
    return FALSE;
  for (gint64 lane = 0; lane < reel_tensor_numel (taken); lane++)
    taken->data[lane] = !done->data[lane];
  return reel_tensordict_set_tensor (td, "_step", taken, error);
}

/* A step by itself: what it came to at the root, with its rewards and without actions. */
static ReelTensordict *
take_step (ReelEnv *self, ReelTensordict *td, GError **error)
{
  const ReelEnvLeaves *leaves = reel_env_get_leaves (self);

  if (!reel_env_step (self, td, error))
    return NULL;

  g_autoptr (ReelTensordict) next = reel_tensordict_ref_tensordict (td, "next", error);
  g_autoptr (ReelTensordict) read = reel_env_step_mdp (self, td, error);

  if (next == NULL || read == NULL
      || !reel_tensordict_update (read, next, (const char *const *) leaves->rewards.paths, FALSE,
                                  error))
    return NULL;
  return reel_tensordict_exclude_keys (read, (const char *const *) leaves->actions.paths);
}

/* The lanes of @done begin again. The results of the step stay: rewards, and flags unless they
 * began before it. */
static gboolean
begin_again (ReelEnv *self, ReelTensordict *td, ReelTensor *done, gboolean with_flags,
             GError **error)
{
  const ReelEnvLeaves *leaves = reel_env_get_leaves (self);
  g_autoptr (ReelTensordict) given =
      reel_tensordict_select_keys (td, (const char *const *) leaves->rewards.paths, TRUE, error);

  if (given == NULL
      || (with_flags
          && !reel_tensordict_update (given, td, (const char *const *) leaves->flags.paths, FALSE,
                                      error))
      || !reel_tensordict_set_tensor (td, "_reset", done, error))
    return FALSE;

  g_autoptr (ReelTensordict) reset = reel_env_reset (self, td, error);

  return reset != NULL && reel_tensordict_update (td, given, NULL, FALSE, error);
}

static ReelTensordict *
step_next (ReelEnv *self, ReelTensordict *td, ReelTensor *done, GError **error)
{
  if (!leave_out (td, done, error))
    return NULL;

  g_autoptr (ReelTensordict) read = take_step (self, td, error);

  return read != NULL && begin_again (self, read, done, FALSE, error) ? g_steal_pointer (&read)
                                                                      : NULL;
}

static ReelTensordict *
step_same (ReelEnv *self, ReelTensordict *td, GError **error)
{
  const ReelEnvLeaves *leaves = reel_env_get_leaves (self);
  g_autoptr (ReelTensordict) read = take_step (self, td, error), final = NULL;
  g_autoptr (ReelTensor) done = NULL;

  if (read == NULL || !reel_env_done_mask (self, read, &done, error))
    return NULL;
  final = reel_tensordict_select_keys (read, (const char *const *) leaves->observations.paths, TRUE,
                                       error);
  if (final == NULL || (done != NULL && !begin_again (self, read, done, TRUE, error))
      || !reel_tensordict_set_tensordict (read, "final", final, error))
    return NULL;
  return g_steal_pointer (&read);
}

ReelTensordict *
reel_env_vector_step (ReelEnv *self, ReelAutoreset mode, const ReelTensordict *td, GError **error)
{
  g_return_val_if_fail (REEL_IS_ENV (self), NULL);
  g_return_val_if_fail (td != NULL, NULL);

  g_autoptr (ReelTensordict) work =
      reel_tensordict_exclude_keys (td, (const char *const[]){ "final", NULL });
  g_autoptr (ReelTensor) done = NULL;

  if (!reel_env_check_alike (self, error) || !reel_env_check_batch (self, td, error)
      || !reel_env_done_mask (self, td, &done, error))
    return NULL;
  if (mode == REEL_AUTORESET_SAME_STEP)
    return step_same (self, work, error);
  if (done == NULL || !reel_env_lane_mask_any (done))
    return take_step (self, work, error);
  if (mode == REEL_AUTORESET_NEXT_STEP)
    return step_next (self, work, done, error);
  set_done_error (self, done, error);
  return NULL;
}
