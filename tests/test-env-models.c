/* Every small course of an env: all placements of ends over lanes and steps, and all masks of
 * lanes that are reset or stepped, against a walk spelled out. */
#include "env-steps.h"
#include "scripted-env.h"

#include <string.h>

#define MOST_LANES 3
#define MOST_STEPS 5

/* ---- the walk: what a lane observes, and where it stands ---- */

typedef struct
{
  gint64 episode, step; /* what is observed */
  gint64 n_steps;
  gboolean terminated, truncated;
} Walk;

static void
walk_reset (Walk *walk)
{
  walk->episode++;
  walk->step = 0;
  walk->terminated = walk->truncated = FALSE;
}

static void
walk_step (Walk *walk, guint32 terminated, guint32 truncated, gint64 limit)
{
  gint64 k = walk->n_steps++;

  walk->step++;
  walk->terminated = terminated >> k & 1;
  walk->truncated = (truncated >> k & 1) || (limit > 0 && walk->step >= limit);
}

/* ---- comparing ---- */

/* @at is the element of this lane and step in columns of one number each. */
static void
assert_known (const ReelTensordict *td, const char *prefix, gint64 at, const Walk *walk,
              gboolean lost)
{
  g_autofree char *observation = g_strconcat (prefix, "observation", NULL);
  g_autofree char *done = g_strconcat (prefix, "done", NULL);
  g_autofree char *terminated = g_strconcat (prefix, "terminated", NULL);
  g_autofree char *truncated = g_strconcat (prefix, "truncated", NULL);

  g_assert_cmpint (env_steps_number (td, observation, 2 * at), ==, lost ? -1 : walk->episode);
  g_assert_cmpint (env_steps_number (td, observation, 2 * at + 1), ==, lost ? -1 : walk->step);
  g_assert_cmpint (env_steps_number (td, terminated, at), ==, walk->terminated);
  g_assert_cmpint (env_steps_number (td, truncated, at), ==, walk->truncated);
  g_assert_cmpint (env_steps_number (td, done, at), ==, walk->terminated || walk->truncated);
}

/* ---- rollouts ---- */

typedef struct
{
  const char *id;
  gboolean truncates, loses; /* whether it can truncate by itself; whether the last is lost */
  ReelEnv *env;
  ReelPolicy *policy;
  gint64 lanes, n_steps, limit;
  ReelRolloutEnd end;
  guint32 terminated[MOST_LANES], truncated[MOST_LANES];
} Model;

/* How the real thing says it should go: step by step, lane by lane. */
static void
check_rollout (const Model *model, const ReelTensordict *td)
{
  g_autoptr (ReelTensordict) by_time =
      model->lanes > 1 ? reel_tensordict_transpose ((ReelTensordict *) td, 0, 1, NULL)
                       : reel_tensordict_ref ((ReelTensordict *) td);
  Walk walks[MOST_LANES] = { { .episode = -1 }, { .episode = -1 }, { .episode = -1 } };
  Walk before[MOST_LANES];
  gint64 t = 0, n_done, n_ever = 0;
  gboolean over[MOST_LANES] = { FALSE };
  gint ndim;

  for (gint64 lane = 0; lane < model->lanes; lane++)
    walk_reset (&walks[lane]);
  do
    {
      n_done = 0;
      for (gint64 lane = 0; lane < model->lanes; lane++)
        {
          Walk *walk = &walks[lane];
          gint64 at = t * model->lanes + lane;

          if (!over[lane])
            {
              before[lane] = *walk;
              walk_step (walk, model->terminated[lane], model->truncated[lane], model->limit);
            }

          gboolean done = walk->terminated || walk->truncated;
          gboolean by_limit = !(model->terminated[lane] >> (walk->n_steps - 1) & 1)
                              && !(model->truncated[lane] >> (walk->n_steps - 1) & 1);

          assert_known (by_time, "", at, &before[lane], FALSE);
          assert_known (by_time, "next/", at, walk, model->loses && done && !by_limit);
          g_assert_cmpint (env_steps_number (by_time, "next/reward", at), ==, walk->n_steps);
          n_done += done;
          if (done && model->end == REEL_ROLLOUT_ALL_DONE && !over[lane])
            {
              over[lane] = TRUE;
              n_ever++;
            }
          else if (done && model->end == REEL_ROLLOUT_MAX_STEPS)
            walk_reset (walk);
        }
      t++;
    }
  while (t < model->n_steps && !(model->end == REEL_ROLLOUT_ANY_DONE && n_done > 0)
         && n_ever < model->lanes);
  g_assert_cmpint (reel_tensordict_get_batch_size (by_time, &ndim)[0], ==, t);
}

static void
run_rollout (Model *model)
{
  const ReelRolloutOptions options = { .end = model->end, .policy = model->policy };
  g_autoptr (ReelTensordict) td = NULL;
  g_autoptr (GError) error = NULL;

  for (gint64 lane = 0; lane < model->lanes; lane++)
    scripted_env_tell (model->env, lane, model->terminated[lane], model->truncated[lane]);
  reel_env_set_seed (model->env, 0, REEL_SEEDING_LANES);
  td = reel_env_rollout (model->env, model->n_steps, &options, &error);
  g_assert_no_error (error);
  check_rollout (model, td);
}

/* Every placement of ends: of each step of each lane one of `kinds`: none, terminated, truncated,
 * both. */
static gint64
run_placements (Model *model, gint64 kinds)
{
  gint64 n = 1, places = model->lanes * model->n_steps;

  for (gint64 i = 0; i < places; i++)
    n *= kinds;
  for (gint64 which = 0; which < n; which++)
    {
      gint64 rest = which;

      memset (model->terminated, 0, sizeof model->terminated);
      memset (model->truncated, 0, sizeof model->truncated);
      for (gint64 i = 0; i < places; i++, rest /= kinds)
        {
          model->terminated[i / model->n_steps] |= (guint32) (rest % kinds & 1)
                                                   << i % model->n_steps;
          model->truncated[i / model->n_steps] |= (guint32) (rest % kinds >> 1)
                                                  << i % model->n_steps;
        }
      run_rollout (model);
    }
  return n;
}

/* All lanes and steps whose placements are not too many. */
static gint64
run_sizes (Model *model, gint64 kinds, gint64 most_bits)
{
  gint64 bits = kinds == 2 ? 1 : 2, n = 0;

  for (model->lanes = 1; model->lanes <= MOST_LANES; model->lanes++)
    for (model->n_steps = 1; model->n_steps <= MOST_STEPS; model->n_steps++)
      for (model->limit = 0; model->limit <= model->n_steps; model->limit++)
        {
          if (model->lanes * model->n_steps * bits > most_bits)
            continue;

          g_autofree char *text = g_strdup_printf ("%s:num-envs=%d,max-episode-steps=%d", model->id,
                                                   (int) model->lanes, (int) model->limit);
          g_autoptr (ReelEnv) env = env_steps_open (text);

          model->env = env;
          n += run_placements (model, kinds);
        }
  return n;
}

static void
test_rollouts (gconstpointer data)
{
  Model model = *(const Model *) data;
  g_autoptr (ReelPolicy) policy =
      reel_object_new_from_text (REEL_TYPE_POLICY, "random", NULL, NULL);
  gint64 n = 0;

  model.policy = policy;
  for (model.end = REEL_ROLLOUT_ANY_DONE; model.end <= REEL_ROLLOUT_MAX_STEPS; model.end++)
    n += run_sizes (&model, model.truncates ? 4 : 2, g_test_slow () ? 15 : 10);
  g_test_message ("%" G_GINT64_FORMAT " rollouts", n);
}

/* ---- steps and resets of some lanes ---- */

/* The observations, as columns of all lanes. */
static void
assert_all (const ReelTensordict *td, const char *prefix, gint64 lanes, const Walk *walks)
{
  for (gint64 lane = 0; lane < lanes; lane++)
    assert_known (td, prefix, lane, &walks[lane], FALSE);
}

static void
set_mask (ReelTensordict *td, const char *key, gint64 lanes, guint mask)
{
  guint8 flags[MOST_LANES];

  for (gint64 lane = 0; lane < lanes; lane++)
    flags[lane] = mask >> lane & 1;
  env_steps_set_flags (td, key, (gsize) lanes, flags);
}

/* One sequence of masks: which lanes step, and then which are reset. */
static void
run_masks (ReelEnv *env, gint64 lanes, gint64 n_steps, guint64 masks)
{
  guint all = (1u << lanes) - 1;
  Walk walks[MOST_LANES] = { { .episode = -1 }, { .episode = -1 }, { .episode = -1 } };
  g_autoptr (ReelTensordict) td = NULL;

  reel_env_set_seed (env, 0, REEL_SEEDING_LANES);
  td = env_steps_reset (env);
  env_steps_set_action (env, td, 0);
  for (gint64 lane = 0; lane < lanes; lane++)
    walk_reset (&walks[lane]);
  for (gint64 t = 0; t < n_steps; t++)
    {
      guint steps = (guint) masks & all, resets = (guint) (masks >> lanes) & all;
      g_autoptr (ReelTensordict) next = NULL, reset = NULL;

      masks >>= 2 * lanes;
      assert_all (td, "", lanes, walks);
      set_mask (td, "_step", lanes, steps);
      env_steps_step (env, td);
      for (gint64 lane = 0; lane < lanes; lane++)
        if (steps >> lane & 1)
          walk_step (&walks[lane], 0x15555555u >> lane, 0, 4);
      assert_all (td, "next/", lanes, walks);
      next = reel_env_step_mdp (env, td, NULL);
      set_mask (next, "_reset", lanes, resets);
      reset = reel_env_reset (env, next, NULL);
      g_assert_true (reset == next);
      /* A step that was seen does not change. */
      assert_all (td, "next/", lanes, walks);
      for (gint64 lane = 0; lane < lanes; lane++)
        if (resets >> lane & 1)
          walk_reset (&walks[lane]);
      reel_tensordict_unref (td);
      td = g_steal_pointer (&next);
    }
  assert_all (td, "", lanes, walks);
}

static void
test_masks (void)
{
  gint64 most_bits = g_test_slow () ? 18 : 12, n = 0;

  for (gint64 lanes = 1; lanes <= MOST_LANES; lanes++)
    {
      g_autofree char *text =
          g_strdup_printf ("Scripted:num-envs=%d,max-episode-steps=4", (int) lanes);
      g_autoptr (ReelEnv) env = env_steps_open (text);

      for (gint64 lane = 0; lane < lanes; lane++)
        scripted_env_tell (env, lane, 0x15555555u >> lane, 0);
      for (gint64 n_steps = 1; n_steps <= MOST_STEPS; n_steps++)
        if (2 * lanes * n_steps <= most_bits)
          for (guint64 masks = 0; masks < 1u << 2 * lanes * n_steps; masks++, n++)
            run_masks (env, lanes, n_steps, masks);
    }
  g_test_message ("%" G_GINT64_FORMAT " sequences of masks", n);
}

int
main (int argc, char **argv)
{
  static const Model plain = { .id = "Scripted" };
  static const Model next = { .id = "ScriptedNext", .truncates = TRUE };
  static const Model same = { .id = "ScriptedSame", .truncates = TRUE, .loses = TRUE };

  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scripted_envs_init ();

  g_test_add_data_func ("/envs/models/rollouts", &plain, test_rollouts);
  g_test_add_data_func ("/envs/models/rollouts-of-what-resets-itself-in-the-next-step", &next,
                        test_rollouts);
  g_test_add_data_func ("/envs/models/rollouts-of-what-resets-itself-in-the-same-step", &same,
                        test_rollouts);
  g_test_add_func ("/envs/models/any-lanes-step-and-are-reset", test_masks);
  return g_test_run ();
}
