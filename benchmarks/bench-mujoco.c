/* MuJoCo's tasks through the collector, beside a loop of nothing but mj_step that does the same
 * steps from the same states, with the same list of pairs that can touch: observations, rewards,
 * resets, actions and rows are what it costs more. With a network that acts, its matrix products
 * join the limit: activations and the order of sums are what it costs more. */
#include "bench.h"
#include "limits/gemm-loop.h"
#include "limits/mujoco-loop.h"
#include "scratch-folder.h"

#include "../src/envs/mujoco/mujoco-contacts.h"
#include "../src/envs/mujoco/mujoco-model.h"
#include "../src/reel.h"

#include <string.h>

#define LANES 64

/* The head of a lane's state: steps of the episode, random stream, marks, time. */
#define STATE_HEAD (sizeof (gint64) + sizeof (ReelPcg64) + 5 * sizeof (double))

static const struct
{
  const char *id;
  const char *model;
  gint64 steps; /* of a round */
} tasks[] = {
  { "InvertedPendulum-v5", "inverted-pendulum", 100 },
  { "InvertedDoublePendulum-v5", "inverted-double-pendulum", 100 },
  { "Reacher-v5", "reacher", 150 },
  { "Pusher-v5", "pusher", 60 },
  { "Swimmer-v5", "swimmer", 60 },
  { "Hopper-v5", "hopper", 40 },
  { "Walker2d-v5", "walker2d", 30 },
  { "HalfCheetah-v5", "half-cheetah", 60 },
  { "Ant-v5", "ant", 12 },
  { "Humanoid-v5", "humanoid", 10 },
  { "HumanoidStandup-v5", "humanoid-standup", 8 },
};

/* Inputs and outputs of the network that acts: a box is of the last. */
static const struct
{
  const char *id;
  gint64 sizes[5];
} networks[] = {
  { "HalfCheetah-v5", { 17, 256, 256, 6, 0 } },
  { "Ant-v5", { 105, 256, 256, 8, 0 } },
};

/* A collector, and the steps that it took last for the limit to take too. A twin of its env takes
 * them once more to learn what states episodes began from. */
typedef struct
{
  gint threads;
  gint64 steps, frame_skip;
  const gint64 *sizes; /* of the network; NULL for random actions */
  LimitLayers *layers;
  mjModel *model;
  gpointer contacts;
  ReelEnv *env, *twin;
  ReelCollector *collector;
  ReelTensordict *batch;

  gsize state_bytes, n_numbers, observation_bytes;
  guint8 *state;       /* of a lane */
  guint8 *observation; /* of all lanes of the twin */
  float *action;
  guint8 *begins;
  double *states;
  guint8 done[LANES];

  LimitMujoco *limit;
} Run;

static ReelEnv *
open_env (const char *id)
{
  g_autofree char *text = g_strdup_printf ("%s:num-envs=%d", id, LANES);
  GError *error = NULL;
  ReelEnv *env = reel_object_new_from_text (REEL_TYPE_ENV, text, &error, NULL);

  bench_demand (env != NULL, error);
  return env;
}

static void
set_layer (ReelTensordict *weights, gint64 layer, gint64 n_in, gint64 n_out)
{
  g_autofree char *name = g_strdup_printf ("%d/weight", (int) layer);
  g_autoptr (ReelTensor) weight =
      reel_tensor_new (REEL_DTYPE_FLOAT32, 2, (const gint64[]){ n_out, n_in }, NULL);

  for (gint64 i = 0; i < n_in * n_out; i++)
    ((float *) (gpointer) weight->data)[i] = (float) (i * 37 % 19 - 9) / 64;
  bench_demand (reel_tensordict_set_tensor (weights, name, weight, NULL), NULL);
}

/* A policy of linear layers, of weights in a file. */
static ReelPolicy *
open_network (const gint64 *sizes, GError **error)
{
  g_autofree char *folder = scratch_folder_make ();
  g_autofree char *text = g_strdup_printf ("mlp:weights=%s", folder);
  g_autoptr (ReelTensordict) weights = reel_tensordict_new (0, NULL);
  ReelPolicy *policy = NULL;

  for (gint64 i = 0; sizes[i + 1] > 0; i++)
    set_layer (weights, i, sizes[i], sizes[i + 1]);
  if (reel_tensordict_save (weights, folder, 0, error))
    policy = reel_object_new_from_text (REEL_TYPE_POLICY, text, error, NULL);
  scratch_folder_remove (folder);
  return policy;
}

static void
open_collector (Run *run)
{
  g_autofree char *text = g_strdup_printf ("sync:threads=%d,frames-per-batch=%" G_GINT64_FORMAT,
                                           run->threads, run->steps * LANES);
  GError *error = NULL;
  g_autoptr (ReelPolicy) policy =
      run->sizes ? open_network (run->sizes, &error)
                 : reel_object_new_from_text (REEL_TYPE_POLICY, "random", &error, NULL);

  bench_demand (policy != NULL, error);
  run->collector = reel_collector_new (text, run->env, policy, NULL, &error);
  bench_demand (run->collector != NULL, error);
}

static const guint8 *
column (Run *run, const char *leaf, gint64 t)
{
  const ReelTensor *tensor = reel_tensordict_get_tensor (run->batch, leaf, NULL);

  return tensor->data + t * tensor->strides[1];
}

static double
collect (Run *run)
{
  GError *error = NULL;
  double begin = bench_clock ();

  bench_demand (reel_collector_next (run->collector, &run->batch, &error) > 0, error);
  return bench_clock () - begin;
}

/* ---- the same steps for the limit ---- */

/* begin_row: what the twin's lane is in is where the limit begins. */
static void
begin_row (Run *run, gint64 t, gint64 lane)
{
  gint64 row = t * LANES + lane;

  reel_env_get_state (run->twin, lane, run->state);
  run->begins[row] = TRUE;
  memcpy (run->states + (gsize) row * run->n_numbers, run->state + STATE_HEAD,
          run->n_numbers * sizeof (double));
}

static void
step_twin (Run *run, gint64 t)
{
  guint8 *const observation[] = { run->observation };
  const guint8 *const action[] = { column (run, "action", t) };
  float reward[LANES];
  guint8 terminated[LANES], truncated[LANES];
  const ReelEnvIO io = {
    action, observation, NULL, reward, terminated, truncated, run->done, NULL,
  };

  if (t > 0)
    reel_env_reset_lanes (run->twin, 0, LANES, run->done, observation);
  for (gint64 lane = 0; lane < LANES; lane++)
    if (t == 0 || run->done[lane])
      begin_row (run, t, lane);
  memcpy (run->action + (gsize) t * LANES * (gsize) run->model->nu, action[0],
          LANES * (gsize) run->model->nu * sizeof (float));
  reel_env_step_lanes (run->twin, 0, LANES, &io);
}

/* The twin begins where the env is, which is reset where the last batch ended episodes. */
static void
copy_lanes (Run *run)
{
  guint8 *const observation[] = { run->observation };
  guint8 mask[LANES];

  for (gint64 lane = 0; lane < LANES; lane++)
    {
      reel_env_get_state (run->env, lane, run->state);
      reel_env_set_state (run->twin, lane, run->state);
      mask[lane] = run->done[lane] && reel_env_get_elapsed (run->env, lane) > 0;
    }
  reel_env_reset_lanes (run->twin, 0, LANES, mask, observation);
}

static void
prepare_limit (Run *run)
{
  memset (run->begins, 0, (gsize) (run->steps * LANES));
  for (gint64 t = 0; t < run->steps; t++)
    step_twin (run, t);
  bench_demand (memcmp (run->observation, column (run, "next/observation", run->steps - 1),
                        LANES * run->observation_bytes)
                    == 0,
                NULL);
}

static double
run_collector (gpointer data, gint64 n)
{
  Run *run = data;
  double seconds = 0;

  for (gint64 i = 0; i < n; i++)
    {
      copy_lanes (run);
      seconds += collect (run);
      prepare_limit (run);
    }
  return seconds;
}

/* ---- the limit ---- */

static double
run_limit (gpointer data, gint64 n)
{
  Run *run = data;
  const LimitMujocoWork work = { LANES,       run->steps,  run->frame_skip,
                                 run->action, run->begins, run->states };
  double seconds = 0;

  for (gint64 i = 0; i < n; i++)
    {
      seconds += limit_mujoco_run (run->limit, &work);
      if (run->layers)
        seconds += limit_layers_run (run->layers, run->steps);
    }
  return seconds;
}

/* The limit ends where the twin does: it did the same work. */
static void
check_limit (Run *run)
{
  gsize n = (gsize) (run->model->nq + run->model->nv) * sizeof (double);

  run_limit (run, 1);
  for (gint64 lane = 0; lane < LANES; lane++)
    {
      reel_env_get_state (run->twin, lane, run->state);
      bench_demand (memcmp (limit_mujoco_end (run->limit, lane), run->state + STATE_HEAD, n) == 0,
                    NULL);
    }
}

/* ---- a task ---- */

static void
run_open (Run *run, gsize task, const gint64 *sizes, gint threads, gboolean tiny)
{
  GError *error = NULL;
  gint ndim;

  *run = (Run){ .threads = threads, .sizes = sizes, .steps = tiny ? 3 : tasks[task].steps };
  run->model = reel_mujoco_model_load (tasks[task].model, NULL, &error);
  bench_demand (run->model != NULL, error);
  run->contacts = reel_mujoco_contacts_list (run->model);
  run->env = open_env (tasks[task].id);
  run->twin = open_env (tasks[task].id);
  g_object_get (run->env, "frame-skip", &run->frame_skip, NULL);
  open_collector (run);

  const ReelSpec *spec =
      reel_spec_get (reel_env_get_observation_spec (run->env), "observation", NULL);
  gsize rows = (gsize) (run->steps * LANES);

  run->observation_bytes = (gsize) reel_spec_get_shape (spec, &ndim)[0] * sizeof (double);
  run->observation = g_malloc (LANES * run->observation_bytes);
  run->state = g_malloc (reel_env_get_state_size (run->env));
  run->n_numbers = (gsize) (run->model->nq + 2 * run->model->nv);
  run->action = g_new (float, rows *(gsize) run->model->nu);
  run->begins = g_new (guint8, rows);
  run->states = g_new (double, rows * run->n_numbers);
  run->limit = limit_mujoco_new (run->model, LANES, threads);
  if (sizes)
    {
      run->layers = limit_layers_new (sizes, LANES, threads);
      bench_demand (limit_layers_check (run->layers), NULL);
    }
  collect (run);
  memcpy (run->done, column (run, "next/done", run->steps - 1), LANES);
  run_collector (run, 1);
  check_limit (run);
}

static void
run_close (Run *run)
{
  limit_mujoco_free (run->limit);
  g_clear_pointer (&run->layers, limit_layers_free);
  g_object_unref (run->collector);
  g_object_unref (run->env);
  g_object_unref (run->twin);
  mj_deleteModel (run->model);
  g_free (run->contacts);
  g_free (run->state);
  g_free (run->observation);
  g_free (run->action);
  g_free (run->begins);
  g_free (run->states);
}

static void
measure (Bench *bench, gsize task, const gint64 *sizes, gint threads)
{
  g_autofree char *name = g_strdup_printf ("%s%s, %d thread%s, collector; mj_step%s",
                                           tasks[task].id, sizes ? ", MLP 2x256" : "", threads,
                                           threads > 1 ? "s" : "", sizes ? ", gemm" : "");
  Run run;

  if (!bench_wants (bench, name))
    return;
  run_open (&run, task, sizes, threads, bench_is_tiny (bench));
  bench_measure (bench, &(BenchFigure){
                            .name = name,
                            .unit = "ksteps/s",
                            .scale = 1e3 / (double) (run.steps * LANES),
                            .units = 1,
                            .floor = sizes ? 0.8 : 0.7,
                            .goal = sizes ? 0.92 : 0.9,
                            .ours = run_collector,
                            .data = &run,
                            .limit = run_limit,
                            .limit_data = &run,
                        });
  run_close (&run);
}

static void
measure_network (Bench *bench, gsize network)
{
  for (gsize task = 0; task < G_N_ELEMENTS (tasks); task++)
    if (g_str_equal (tasks[task].id, networks[network].id))
      measure (bench, task, networks[network].sizes, 2);
}

int
main (int argc, char **argv)
{
  g_autofree char *title =
      g_strdup_printf ("MuJoCo %s, %d envs", (reel_init (), mj_versionString ()), LANES);
  Bench *bench = bench_open (title, argc, argv);

  for (gsize task = 0; task < G_N_ELEMENTS (tasks); task++)
    for (gint threads = 1; threads <= 2; threads++)
      measure (bench, task, NULL, threads);
  for (gsize network = 0; network < G_N_ELEMENTS (networks); network++)
    measure_network (bench, network);
  return bench_close (bench);
}
