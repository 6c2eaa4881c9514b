/* The readers of what samplers and writers remember, given any bytes in the place of one file of a
 * checkpoint. The first byte says which, in the order of `files`: a small letter opens the
 * checkpoint, a capital one loads it into a buffer of its kind, or of the next one where the
 * highest bit is set, which is then written to. Where nothing follows, the file is missing. */
#include "../../src/reel.h"
#include "fuzz-files.h"
#include "fuzz.h"

#include <stdlib.h>

typedef struct
{
  const char *name;
  const char *sampler;
  const char *writer;
  gint64 capacity;
  gint64 n_rows;
  gint64 n_drawn; /* before it is written */
  gint64 n_ahead; /* batches that are drawn ahead */
} Run;

/* Of the sizes of the checkpoints of TorchRL's that the seeds are from. */
static const Run runs[] = {
  { "prioritized", "prioritized", "round-robin", 6, 4, 4, 0 },
  { "pass", "without-replacement", "round-robin", 10, 8, 3, 0 },
  { "slices", "slice-without-replacement:slice-len=2", "round-robin", 20, 18, 4, 0 },
  { "wrapped", "without-replacement", "round-robin", 4, 7, 3, 0 },
  { "fresh", "without-replacement", "round-robin", 10, 8, 0, 0 },
  { "stale", "staleness-aware", "round-robin", 5, 4, 4, 0 },
  { "ranks", "random", "max-value:rank-key=next/reward", 4, 3, 0, 0 },
  { "generations", "random", "round-robin:track-generations=true", 4, 7, 0, 0 },
  { "consumed", "consuming:max-sample-count=1", "round-robin", 4, 4, 2, 0 },
  { "ahead", "random", "round-robin", 6, 6, 4, 2 },
};

typedef struct
{
  const char *run;
  const char *file;
} File;

static const File files[] = {
  { "prioritized", "sampler/sampler_metadata.json" },
  { "prioritized", "sampler/sumtree.memmap" },
  { "prioritized", "sampler/mintree.memmap" },
  { "pass", "sampler/meta.json" },
  { "pass", "sampler/_sample_list.memmap" },
  { "pass", "sampler/len_storage.memmap" },
  { "pass", "sampler/drop_last.memmap" },
  { "pass", "sampler/_ran_out.memmap" },
  { "slices", "sampler/meta.json" },
  { "slices", "sampler/_sample_list.memmap" },
  { "slices", "sampler/len_storage.memmap" },
  { "fresh", "sampler/meta.json" },
  { "fresh", "sampler/_sample_list/meta.json" },
  { "stale", "sampler/meta.json" },
  { "stale", "sampler/consumer_version.memmap" },
  { "stale", "sampler/max_staleness.memmap" },
  { "ranks", "writer/metadata.json" },
  { "ranks", "writer/current_top_values.memmap" },
  { "generations", "writer/metadata.json" },
  { "generations", "writer/generation.memmap" },
  { "consumed", "sampler/consuming_sampler.pt" },
  { "ahead", "prefetch/meta.json" },
  { "ahead", "prefetch/capacity.memmap" },
  { "ahead", "prefetch/1/meta.json" },
  { "ahead", "prefetch/1/ended.memmap" },
  { "ahead", "prefetch/1/batch/meta.json" },
  { "ranks", "reel.json" },
  { "generations", "reel.json" },
  { "wrapped", "sampler/meta.json" },
};

static const char *directory;

/* Trajectories of three rows. */
static void
extend (ReelReplayBuffer *buffer, gint64 n)
{
  g_autoptr (ReelTensor) trajectories = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, NULL);
  g_autoptr (ReelTensor) rewards = reel_tensor_new (REEL_DTYPE_FLOAT32, 1, &n, NULL);
  g_autoptr (ReelTensordict) rows = reel_tensordict_new (1, &n);

  for (gint64 i = 0; i < n; i++)
    {
      ((gint64 *) trajectories->data)[i] = i / 3;
      ((float *) rewards->data)[i] = (float) (i * 5 % 7);
    }
  if (!reel_tensordict_set_tensor (rows, "collector/traj_ids", trajectories, NULL)
      || !reel_tensordict_set_tensor (rows, "policy_version", trajectories, NULL)
      || !reel_tensordict_set_tensor (rows, "next/reward", rewards, NULL)
      || !reel_replay_buffer_extend (buffer, rows, NULL, NULL))
    abort ();
}

static ReelReplayBuffer *
new_buffer (const Run *run)
{
  g_autofree char *text = g_strdup_printf ("tensor:capacity=%" G_GINT64_FORMAT, run->capacity);
  g_autoptr (ReelStorage) storage = reel_object_new_from_text (REEL_TYPE_STORAGE, text, NULL, NULL);
  g_autoptr (ReelSampler) sampler =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, run->sampler, NULL, NULL);
  g_autoptr (ReelWriter) writer =
      reel_object_new_from_text (REEL_TYPE_WRITER, run->writer, NULL, NULL);
  ReelReplayBuffer *buffer = reel_replay_buffer_new (storage, sampler, writer, 4, NULL);

  if (!buffer || !reel_replay_buffer_set_prefetch (buffer, run->n_ahead, NULL))
    abort ();
  return buffer;
}

/* A draw that the state does not permit is an error. */
static void
draw (ReelReplayBuffer *buffer, gint64 n)
{
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL;

  if (reel_replay_buffer_sample (buffer, n, &batch, &error) != (error == NULL))
    abort ();
}

static char *
find_path (const Run *run)
{
  return g_build_filename (directory, run->name, NULL);
}

static void
write_run (const Run *run)
{
  g_autofree char *path = find_path (run);
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (run);

  extend (buffer, run->n_rows);
  if (run->n_drawn > 0)
    draw (buffer, run->n_drawn);
  if (!reel_replay_buffer_dumps (buffer, path, 0, NULL))
    abort ();
}

static void
set_up (void)
{
  reel_init ();
  directory = fuzz_make_directory ();
  for (gsize i = 0; i < G_N_ELEMENTS (runs); i++)
    write_run (&runs[i]);
}

static void
describe (ReelReplayBuffer *buffer)
{
  g_free (reel_replay_buffer_to_string (buffer));
  g_strfreev (reel_replay_buffer_dup_warnings (buffer));
}

/* A buffer accepts its own state again. */
static void
set_own_state (ReelReplayBuffer *buffer)
{
  g_autoptr (ReelTensordict) state = reel_replay_buffer_dup_state (buffer, NULL);

  if (!state || !reel_replay_buffer_set_state (buffer, state, NULL))
    abort ();
}

static void
open_run (gpointer run)
{
  g_autofree char *path = find_path (run);
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, &error);

  if (!buffer != (error != NULL))
    abort ();
  if (!buffer && reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, NULL))
    abort ();
  if (!buffer)
    return;
  describe (buffer);
  draw (buffer, 4);
  draw (buffer, 4);
}

/* A failed load leaves the buffer as it was; either can be written to and drawn from. */
static void
load_into (const Run *run, const Run *other)
{
  g_autofree char *path = find_path (run);
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (other);
  gboolean loaded = reel_replay_buffer_loads (buffer, path, &error);

  if (loaded != (error == NULL) || (!loaded && reel_replay_buffer_get_length (buffer) > 0))
    abort ();
  describe (buffer);
  if (loaded)
    draw (buffer, 4);
  extend (buffer, 3);
  draw (buffer, 4);
  if (loaded)
    set_own_state (buffer);
}

static void
load_run (gpointer run)
{
  load_into (run, run);
}

static void
load_into_next (gpointer run)
{
  load_into (run, &runs[((const Run *) run - runs + 1) % G_N_ELEMENTS (runs)]);
}

static const Run *
find_run (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (runs); i++)
    if (g_str_equal (runs[i].name, name))
      return &runs[i];
  abort ();
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree char *file = NULL;
  const File *chosen;

  if (size == 0)
    return 0;
  if (!directory)
    set_up ();
  chosen = &files[fuzz_choose (data[0], G_N_ELEMENTS (files))];
  file = g_build_filename (directory, chosen->run, chosen->file, NULL);
  fuzz_with_file (file, data, size,
                  data[0] & 0x20   ? open_run
                  : data[0] & 0x80 ? load_into_next
                                   : load_run,
                  (gpointer) find_run (chosen->run));
  return 0;
}
