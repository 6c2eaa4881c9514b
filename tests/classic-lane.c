#include "classic-lane.h"

#include <string.h>

/* The end of a state, after the physics: the stream, and whether the episode has terminated. */
#define REST (5 * sizeof (guint64))

static gint
spec_length (const ReelSpec *spec, const char *leaf)
{
  gint ndim;
  const gint64 *shape = reel_spec_get_shape (reel_spec_get (spec, leaf, NULL), &ndim);

  g_assert_cmpint (ndim, ==, 1);
  return (gint) shape[0];
}

void
lane_open (Lane *lane, const char *text, const char *math)
{
  g_autoptr (GError) error = NULL;

  *lane = (Lane){ 0 };
  lane->env = reel_object_new_from_text (REEL_TYPE_ENV, text, &error, "math", math, NULL);
  g_assert_no_error (error);
  lane->n_observed = spec_length (reel_env_get_observation_spec (lane->env), "observation");
  lane->n_actions = spec_length (reel_env_get_action_spec (lane->env), "action");
  if (lane->n_actions == 1)
    lane->n_actions = 0;
  lane->n_state =
      (gint) ((reel_env_get_state_size (lane->env) - sizeof (gint64) - REST) / sizeof (double));
  /* Its torque is kept for pictures alone; Gymnasium has it apart. */
  if (g_str_has_prefix (text, "Pendulum"))
    lane->n_state--;
  g_assert_cmpint (lane->n_state, <=, 6);
}

void
lane_close (Lane *lane)
{
  g_clear_object (&lane->env);
}

void
lane_reset (Lane *lane)
{
  guint8 *const observation[] = { (guint8 *) lane->observation };

  reel_env_reset_lanes (lane->env, 0, 1, NULL, observation);
}

void
lane_step (Lane *lane, double action)
{
  const guint8 *const actions[] = { lane->n_actions > 0 ? (const guint8 *) lane->one_hot
                                                        : (const guint8 *) &lane->force };
  guint8 *const observation[] = { (guint8 *) lane->observation };
  const ReelEnvIO io = {
    .action = actions,
    .observation = observation,
    .reward = &lane->reward,
    .terminated = &lane->terminated,
    .truncated = &lane->truncated,
    .done = &lane->done,
  };

  lane->force = (float) action;
  for (gint i = 0; i < lane->n_actions; i++)
    lane->one_hot[i] = action == i;
  g_assert_cmpint (reel_env_step_lanes (lane->env, 0, 1, &io), ==, lane->done);
  g_assert_cmpint (lane->done, ==, lane->terminated | lane->truncated);
}

void
lane_get_head (Lane *lane, StateHead *head)
{
  g_autofree guint8 *state = g_malloc (reel_env_get_state_size (lane->env));

  reel_env_get_state (lane->env, 0, state);
  memcpy (head, state, sizeof (gint64) + (gsize) lane->n_state * sizeof (double));
}

void
lane_set_physics (Lane *lane, const double *physics)
{
  g_autofree guint8 *state = g_malloc (reel_env_get_state_size (lane->env));

  reel_env_get_state (lane->env, 0, state);
  memcpy (state + offsetof (StateHead, physics), physics, (gsize) lane->n_state * sizeof *physics);
  reel_env_set_state (lane->env, 0, state);
}
