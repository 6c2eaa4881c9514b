/* A policy with a memory: it writes the memory in a rollout, and finds it again in stored steps. */
#include <reel/reel.h>

#include <stdio.h>

#define LANES 2

static float *
get_floats (const ReelTensordict *td, const char *path)
{
  return (float *) (gpointer) reel_tensordict_get_tensor (td, path, NULL)->data;
}

/* Half of what it remembers, and the position of the mass now. */
static float
remember (float memory, float position)
{
  return memory / 2 + position;
}

/* The policy: it goes by its memory, and leaves the next one below next. */
static ReelTensordict *
act (ReelTensordict *td, gpointer env, GError **error)
{
  g_autoptr (ReelTensor) next =
      reel_tensor_clone (reel_tensordict_get_tensor (td, "memory", NULL), error);
  g_autoptr (ReelTensordict) acted = reel_env_rand_action (env, td, error);
  const float *observation = get_floats (td, "observation");

  if (!next || !acted)
    return NULL;
  for (gint64 lane = 0; lane < LANES; lane++)
    {
      float *memory = (float *) (gpointer) next->data + lane;

      *memory = remember (*memory, observation[3 * lane]);
      get_floats (td, "action")[lane] = -*memory;
    }
  return reel_tensordict_set_tensor (td, "next/memory", next, error) ? g_steal_pointer (&acted)
                                                                     : NULL;
}

/* The same over steps `[lanes, steps]`, from the memory of the first. */
static ReelTensordict *
run_policy (ReelTensordict *td, gpointer user_data G_GNUC_UNUSED, GError **error)
{
  g_autoptr (ReelTensor) memory =
      reel_tensor_clone (reel_tensordict_get_tensor (td, "memory", NULL), error);
  g_autoptr (ReelTensor) seen =
      reel_tensor_clone (reel_tensordict_get_tensor (td, "observation", NULL), error);

  if (!memory || !seen)
    return NULL;
  for (gint64 lane = 0; lane < memory->shape[0]; lane++)
    {
      float *at = (float *) (gpointer) memory->data + lane * memory->shape[1];
      const float *position = (float *) (gpointer) seen->data + 3 * lane * memory->shape[1];

      for (gint64 t = 0; t < memory->shape[1]; t++)
        at[t] = remember (at[MAX (t - 1, 0)], position[3 * t]);
    }
  return reel_tensordict_set_tensor (td, "next/memory", memory, error) ? reel_tensordict_ref (td)
                                                                       : NULL;
}

/* Five steps of each lane; `memory` is 0 at a reset. */
static ReelTensordict *
roll_out (GError **error)
{
  g_autoptr (ReelEnv) env = reel_object_new_from_text (
      REEL_TYPE_ENV, "Pendulum:num-envs=2|primer:primers=(composite:memory=(unbounded:shape=[1]))",
      error, NULL);
  const ReelRolloutOptions options = { .end = REEL_ROLLOUT_MAX_STEPS, .act = act, .act_data = env };

  return env ? reel_env_rollout (env, 5, &options, error) : NULL;
}

/* A buffer whose batches begin at the fourth step, with a new memory of the first three. */
static ReelReplayBuffer *
store (ReelTensordict *steps, GError **error)
{
  const char *const keys[] = { "memory", NULL };
  g_autoptr (ReelReplayBuffer) buffer =
      reel_replay_buffer_new_from_text ("tensor:capacity=10,ndim=2", "random", 0, error);
  g_autoptr (ReelTransform) burn_in =
      reel_burn_in_transform_new (run_policy, NULL, NULL, 3, keys, error);

  if (!buffer || !burn_in || !reel_replay_buffer_append_transform (buffer, burn_in, FALSE, error)
      || !reel_replay_buffer_extend (buffer, steps, NULL, error))
    return NULL;
  return g_steal_pointer (&buffer);
}

static gboolean
print_memory (const char *what, const ReelTensordict *td, gint64 steps, GError **error)
{
  g_autoptr (ReelTensor) memory =
      reel_tensor_clone (reel_tensordict_get_tensor (td, "memory", NULL), error);

  for (gint64 i = 0; memory && i < LANES * steps; i++)
    printf ("%s% .4f%s", i % steps == 0 ? what : "", ((float *) (gpointer) memory->data)[i],
            i % steps == steps - 1 ? "\n" : " ");
  return memory != NULL;
}

int
main (void)
{
  g_autoptr (ReelTensordict) steps = NULL, learned = NULL;
  g_autoptr (ReelReplayBuffer) buffer = NULL;
  g_autoptr (GError) error = NULL;

  reel_init ();
  steps = roll_out (&error);
  buffer = steps ? store (steps, &error) : NULL;
  learned = buffer ? reel_replay_buffer_get_all (buffer, &error) : NULL;
  if (learned && print_memory ("acted:   ", steps, 5, &error)
      && print_memory ("learned: ", learned, 2, &error))
    return 0;
  fprintf (stderr, "%s\n", error->message);
  return 1;
}
