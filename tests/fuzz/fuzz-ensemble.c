/* The reader of ensembles, given any bytes in the place of one of their small files. The first byte
 * says which, a to e in the order of `files`. Where nothing follows it, the file is missing. */
#include "../../src/reel.h"
#include "../counted-rows.h"
#include "fuzz-files.h"
#include "fuzz.h"

#include <stdlib.h>

#define CAPACITY 8

static const char *const files[] = { "reel.json", "storage/metadata.json", "buffer_metadata.json",
                                     "storage/1/reel.json", "storage/1/metadata.json" };

static const char *directory;
static ReelReplayBufferEnsemble *target; /* of the same composition */

static void
clean_up (void)
{
  g_clear_object (&target);
}

static ReelReplayBufferEnsemble *
join (gpointer one, gpointer other, const double *p)
{
  const ReelEnsembleOptions options = { .p = p, .batch_size = 4 };
  GObject *members[] = { one, other };
  ReelReplayBufferEnsemble *self =
      reel_replay_buffer_ensemble_new_mixed (members, 2, &options, NULL);

  if (!self)
    abort ();
  g_object_unref (one);
  g_object_unref (other);
  return self;
}

/* One buffer beside an ensemble of another and one without rows, whose sampler remembers none. */
static ReelReplayBufferEnsemble *
new_ensemble (gint64 n_rows)
{
  static const double p[] = { 0.25, 0.75 };
  g_autoptr (ReelSampler) sampler =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, "without-replacement", NULL, NULL);
  ReelReplayBuffer *buffers[3];

  for (gint i = 0; i < 3; i++)
    {
      buffers[i] = counted_new_buffer ("tensor", CAPACITY, 1);
      if (i < 2 && n_rows > 0)
        counted_extend (buffers[i], 1, n_rows, 0);
    }
  if (!reel_replay_buffer_set_sampler (buffers[2], sampler, NULL, NULL))
    abort ();
  return join (buffers[0], join (buffers[1], buffers[2], NULL), p);
}

static void
set_up (void)
{
  g_autoptr (ReelReplayBufferEnsemble) written = NULL;
  g_autofree char *path = NULL;

  reel_init ();
  directory = fuzz_make_directory ();
  atexit (clean_up);
  path = g_build_filename (directory, "e", NULL);
  written = new_ensemble (5);
  target = new_ensemble (0);
  if (!reel_replay_buffer_ensemble_dumps (written, path, 0, NULL))
    abort ();
}

static void
use (ReelReplayBufferEnsemble *self)
{
  g_autofree char *text = reel_replay_buffer_ensemble_to_string (self);
  g_auto (GStrv) warnings = reel_replay_buffer_ensemble_dup_warnings (self);
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL;
  ReelEnsembleOptions options;

  reel_replay_buffer_ensemble_get_options (self, &options);
  if (reel_replay_buffer_ensemble_get_length (self) < 1 || options.batch_size < 0)
    abort ();
  if (reel_replay_buffer_ensemble_sample (self, 6, &batch, &error) != (error == NULL))
    abort ();
}

static void
open_and_load (gpointer path)
{
  g_autoptr (GError) failure = NULL, error = NULL;
  g_autoptr (ReelReplayBufferEnsemble) opened =
      reel_replay_buffer_ensemble_open (path, REEL_OPEN_READ_ONLY, &failure);

  if (!opened != (failure != NULL))
    abort ();
  if (opened)
    use (opened);
  if (reel_replay_buffer_ensemble_loads (target, path, &error) != (error == NULL))
    abort ();
  if (error && reel_replay_buffer_ensemble_loads (target, path, NULL))
    abort ();
  if (!error)
    use (target);
  fuzz_verify (path);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree char *root = NULL, *path = NULL;

  if (size == 0)
    return 0;
  if (!directory)
    set_up ();
  root = g_build_filename (directory, "e", NULL);
  path = g_build_filename (root, files[fuzz_choose (data[0], G_N_ELEMENTS (files))], NULL);
  fuzz_with_file (path, data, size, open_and_load, root);
  return 0;
}
