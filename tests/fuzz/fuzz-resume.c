/* A run that goes on where it ended, given any bytes in the place of one of its files. The first
 * byte says which, in the order of `files`: a small letter of a run that was closed, a capital one
 * of a run that was killed. Where its highest bit is set the run is opened before, which repairs
 * what a kill left. Where nothing follows, the file is missing. A continued run can be closed, and
 * opens then. */
#include "../../src/core/system/directories.h"
#include "../collecting.h"
#include "../golden-buffer.h"
#include "fuzz-files.h"
#include "fuzz.h"

#include <stdlib.h>

typedef struct
{
  const char *name;
  const char *env;
} Run;

/* Actions as places in a table, and as vectors. Episodes end, and the ring has wrapped. */
static const Run runs[] = {
  { "closed", "Acrobot-v1:num-envs=2,seed=3,max-episode-steps=5,action-encoding=categorical" },
  { "killed", "CartPole-v1:num-envs=2,seed=3,max-episode-steps=5" },
};

static const char *const files[] = { "reel.json",
                                     "reel.ring",
                                     "buffer_metadata.json",
                                     "storage/storage_metadata.json",
                                     "storage/meta.json",
                                     "storage/next/meta.json",
                                     "writer/metadata.json",
                                     "storage/action.memmap",
                                     "storage/observation.memmap",
                                     "storage/collector/traj_ids.memmap",
                                     "storage/next/observation.memmap",
                                     "storage/next/reward.memmap",
                                     "storage/next/done.memmap",
                                     "storage/next/terminated.memmap" };

static const char *directory;

static char *
find (const char *name)
{
  return g_build_filename (directory, name, NULL);
}

/* Eleven steps in a ring of eight. */
static void
record (const Run *run)
{
  g_autofree char *path = find (run->name), *live = find ("live");
  g_autoptr (ReelReplayBuffer) buffer = collecting_make_buffer ("memmap", 16, 2);
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, run->env);
  g_autoptr (ReelPolicy) policy = collecting_make (REEL_TYPE_POLICY, "random:seed=5");
  g_autoptr (ReelTensordict) layout = reel_collector_make_layout (env, NULL, NULL);
  g_autoptr (ReelCollector) collector = NULL;

  if (!reel_collector_record_run (buffer, env, policy, NULL)
      || !reel_replay_buffer_make_live (buffer, live, layout, 0, NULL))
    abort ();
  collector = reel_collector_new ("sync:frames-per-batch=2,total-frames=22,threads=1", env, policy,
                                  buffer, NULL);
  while (collecting_next (collector, NULL) > 0)
    ;
  if (run == &runs[1])
    tree_copy (live, path);
  if (!reel_replay_buffer_close (buffer, NULL))
    abort ();
  if (run == &runs[0])
    tree_copy (live, path);
  reel_directory_remove (live, NULL);
}

static void
set_up (void)
{
  reel_init ();
  directory = fuzz_make_directory ();
  for (gsize i = 0; i < G_N_ELEMENTS (runs); i++)
    record (&runs[i]);
}

static ReelReplayBuffer *
load (const char *path)
{
  g_autofree char *place = g_build_filename (path, "storage", NULL);
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, "memmap:existsok=true,capacity=16,ndim=2", NULL,
                                 "scratch-dir", place, NULL);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);
  g_autoptr (GError) error = NULL;

  if (reel_replay_buffer_loads (buffer, path, &error) != (error == NULL))
    abort ();
  if (error && reel_replay_buffer_loads (buffer, path, NULL))
    abort ();
  return error ? NULL : g_steal_pointer (&buffer);
}

/* Whether three steps more were taken. */
static gboolean
collect (ReelReplayBuffer *buffer, const char *env_text)
{
  g_autoptr (ReelEnv) env = collecting_make (REEL_TYPE_ENV, env_text);
  g_autoptr (ReelPolicy) policy = collecting_make (REEL_TYPE_POLICY, "random:seed=5");
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelCollector) collector = reel_collector_new (
      "sync:frames-per-batch=2,total-frames=6,threads=1,resume=true", env, policy, buffer, &error);

  if (!collector != (error != NULL))
    abort ();
  if (!collector)
    return FALSE;
  for (gint i = 0; i < 3; i++)
    if (reel_collector_next (collector, NULL, NULL) != 2)
      abort ();
  return TRUE;
}

static ReelReplayBuffer *
open_run (ReelOpenFlags flags)
{
  g_autofree char *path = find ("work");
  g_autoptr (GError) error = NULL;
  ReelReplayBuffer *buffer = reel_replay_buffer_open (path, flags, &error);

  if (!buffer != (error != NULL))
    abort ();
  if (!buffer && reel_replay_buffer_open (path, flags, NULL))
    abort ();
  return buffer;
}

static void
go_on (gpointer data)
{
  const Run *run = data;
  g_autofree char *path = find ("work");
  g_autoptr (ReelReplayBuffer) buffer = load (path), opened = NULL;
  g_autoptr (GError) error = NULL;
  gboolean collected;

  if (!buffer)
    return;
  collected = collect (buffer, run->env);
  if (reel_replay_buffer_close (buffer, &error) != (error == NULL))
    abort ();
  if (!collected || error)
    return;
  opened = open_run (REEL_OPEN_READ_ONLY);
  if (!opened)
    abort ();
  fuzz_verify (path);
}

static void
repair_and_go_on (gpointer data)
{
  g_autoptr (ReelReplayBuffer) buffer = open_run (REEL_OPEN_DEFAULT);

  go_on (data);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree char *good = NULL, *work = NULL, *file = NULL;
  const Run *run;

  if (size == 0)
    return 0;
  if (!directory)
    set_up ();
  run = &runs[data[0] & 0x20 ? 0 : 1];
  good = find (run->name);
  work = find ("work");
  tree_copy (good, work);
  file = g_build_filename (work, files[fuzz_choose (data[0], G_N_ELEMENTS (files))], NULL);
  fuzz_with_file (file, data, size, data[0] & 0x80 ? repair_and_go_on : go_on, (gpointer) run);
  reel_directory_remove (work, NULL);
  return 0;
}
