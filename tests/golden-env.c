#include "golden-env.h"

void
golden_env_load (Golden *golden, const char *name)
{
  const GymnasiumCase *source = &golden->source;
  gint64 rows, width;

  gymnasium_case_load (&golden->source, ".", name);
  golden->reset_at = gymnasium_case_array (source, "reset_at", &golden->n_resets, &width);
  golden->action = gymnasium_case_array (source, "action", &golden->n_steps, &width);
  golden->reset_obs = gymnasium_case_array (source, "reset_obs", &rows, &width);
  golden->next_obs = gymnasium_case_array (source, "next_obs", &rows, &width);
  golden->reward = gymnasium_case_array (source, "reward", &rows, &width);
  golden->terminated = gymnasium_case_array (source, "terminated", &rows, &width);
  golden->truncated = gymnasium_case_array (source, "truncated", &rows, &width);
  golden->state = gymnasium_case_array (source, "state", &rows, &width);
  golden->reset_state = gymnasium_case_array (source, "reset_state", &rows, &width);
}

void
golden_env_clear (Golden *golden)
{
  gymnasium_case_clear (&golden->source);
}
