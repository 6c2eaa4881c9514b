#include "hand-rows.h"

#include "bench.h"

#include <string.h>

void
hand_rows_open (HandRows *rows, gint64 num_envs, gint64 ring_steps)
{
  GError *error = NULL;

  *rows = (HandRows){ .ring_steps = ring_steps };
  cartpole_run_open (&rows->run, num_envs);
  bench_demand (reel_env_bind_policy (rows->run.env, rows->run.policy, &error), error);
  rows->memory = limit_columns_open (&rows->columns, num_envs * ring_steps);
  rows->ids = g_new (gint64, num_envs);
  for (gint64 lane = 0; lane < num_envs; lane++)
    rows->ids[lane] = lane;

  guint8 *observation[] = { (guint8 *) rows->columns.observation };
  reel_env_reset_lanes (rows->run.env, 0, num_envs, NULL, observation);
}

void
hand_rows_close (HandRows *rows)
{
  cartpole_run_close (&rows->run);
  g_free (rows->ids);
  g_aligned_free (rows->memory);
}

static void
count_episodes (gint64 *ids, const guint8 *done, gint64 num_envs)
{
  for (gint64 lane = 0; lane < num_envs; lane += 8)
    {
      guint64 word;

      memcpy (&word, done + lane, sizeof word);
      for (; word; word &= word - 1)
        ids[lane + __builtin_ctzll (word) / 8] += num_envs;
    }
}

static void
run_step (HandRows *rows, gint64 num_envs)
{
  const LimitColumns *columns = &rows->columns;
  gint64 row = rows->step % rows->ring_steps * num_envs;
  gint64 after = (rows->step + 1) % rows->ring_steps * num_envs;
  guint8 *root[] = { (guint8 *) (columns->observation + 4 * row) };
  guint8 *root_after[] = { (guint8 *) (columns->observation + 4 * after) };
  guint8 *next[] = { (guint8 *) (columns->next_observation + 4 * row) };
  guint8 *action[] = { (guint8 *) (columns->action + 2 * row) };
  const ReelEnvIO io = {
    .action = (const guint8 *const *) action,
    .observation = next,
    .carry = root_after,
    .reward = columns->next_reward + row,
    .terminated = columns->next_terminated + row,
    .truncated = columns->next_truncated + row,
    .done = columns->next_done + row,
  };
  const ReelPolicyIO acting = { .observation = (const guint8 *const *) root, .action = action };
  GError *error = NULL;

  bench_demand (reel_policy_act (rows->run.policy, rows->step, 0, num_envs, &acting, &error),
                error);
  memset (columns->done + row, 0, (gsize) num_envs);
  memset (columns->terminated + row, 0, (gsize) num_envs);
  memset (columns->truncated + row, 0, (gsize) num_envs);
  memcpy (columns->traj_ids + row, rows->ids, (gsize) num_envs * sizeof *rows->ids);
  if (reel_env_step_lanes (rows->run.env, 0, num_envs, &io) > 0)
    {
      count_episodes (rows->ids, io.done, num_envs);
      reel_env_reset_lanes (rows->run.env, 0, num_envs, io.done, root_after);
    }
  rows->step++;
}

double
hand_rows_run (gpointer data, gint64 n)
{
  HandRows *rows = data;
  gint64 num_envs = reel_env_get_num_envs (rows->run.env);
  double begin = bench_clock ();

  for (gint64 i = 0; i < n; i++)
    run_step (rows, num_envs);
  return bench_clock () - begin;
}
