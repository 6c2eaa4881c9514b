#include "cartpole-run.h"

#include "bench.h"
#include "machine.h"

#include <string.h>

static gsize
count_row_bytes (ReelTensordict *layout, gint64 num_envs)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (layout);
  gsize bytes = 0;

  for (gsize i = 0; leaves[i]; i++)
    bytes += reel_tensor_nbytes (reel_tensordict_get_tensor (layout, leaves[i], NULL));
  return bytes / (gsize) num_envs;
}

void
cartpole_run_open (CartpoleRun *run, gint64 num_envs)
{
  cartpole_run_open_env (run, "CartPole-v1", num_envs);
}

void
cartpole_run_open_env (CartpoleRun *run, const char *id, gint64 num_envs)
{
  g_autofree char *lanes = g_strdup_printf ("%" G_GINT64_FORMAT, num_envs);
  g_autoptr (ReelTensordict) layout = NULL;
  GError *error = NULL;

  *run = (CartpoleRun){ 0 };
  run->env = reel_object_new_from_text (REEL_TYPE_ENV, id, &error, "num-envs", lanes, NULL);
  bench_demand (run->env != NULL, error);
  run->policy = reel_object_new_from_text (REEL_TYPE_POLICY, "random", &error, NULL);
  bench_demand (run->policy != NULL, error);
  layout = reel_collector_make_layout (run->env, NULL, &error);
  bench_demand (layout != NULL, error);
  run->row_bytes = count_row_bytes (layout, num_envs);
}

void
cartpole_run_store (CartpoleRun *run, const char *storage, gint64 capacity)
{
  gint64 num_envs = reel_env_get_num_envs (run->env);
  g_autofree char *rows = g_strdup_printf ("%" G_GINT64_FORMAT, capacity);
  g_autoptr (ReelTensordict) layout = NULL;
  g_autoptr (ReelStorage) made = NULL;
  GError *error = NULL;

  made = reel_object_new_from_text (REEL_TYPE_STORAGE, storage, &error, "capacity", rows, "ndim",
                                    num_envs > 1 ? "2" : "1", NULL);
  bench_demand (made != NULL, error);
  layout = reel_collector_make_layout (run->env, NULL, &error);
  bench_demand (layout && reel_storage_allocate (made, layout, &error), error);
  run->buffer = reel_replay_buffer_new (made, NULL, NULL, 0, &error);
  bench_demand (run->buffer != NULL, error);
}

void
cartpole_run_collect (CartpoleRun *run, gint threads, gint64 frames_per_batch)
{
  g_autofree char *text = g_strdup_printf ("sync:threads=%d,frames-per-batch=%" G_GINT64_FORMAT,
                                           threads, frames_per_batch);
  GError *error = NULL;

  run->collector = reel_collector_new (text, run->env, run->policy, run->buffer, &error);
  bench_demand (run->collector != NULL, error);
}

void
cartpole_run_close (CartpoleRun *run)
{
  g_clear_object (&run->collector);
  g_clear_object (&run->buffer);
  g_clear_object (&run->policy);
  g_clear_object (&run->env);
}

double
cartpole_run_rows (gpointer data, gint64 n)
{
  CartpoleRun *run = data;
  GError *error = NULL;
  gint64 done = 0;
  double begin = bench_clock ();

  while (done < n)
    {
      gint64 rows = reel_collector_next (run->collector, NULL, &error);
      bench_demand (rows > 0, error);
      done += rows;
    }
  return (bench_clock () - begin) * (double) n / (double) done;
}

gint64
cartpole_run_hot_rows (const CartpoleRun *run)
{
  gint64 num_envs = reel_env_get_num_envs (run->env);
  gsize step_bytes = run->row_bytes * (gsize) num_envs;

  return MAX ((gint64) (machine_l2 () / 2 / step_bytes), 1) * num_envs;
}
