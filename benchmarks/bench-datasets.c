/* Datasets of others: their raw files to leaves, batches of them, and rows to their format. */
#include "bench.h"
#include "limits/memory-limits.h"
#include "sample-time.h"
#include "scratch-folder.h"

#include <gio/gio.h>
#include <hdf5.h>
#include <string.h>
#include <zlib.h>

#define CHUNK 1024 /* rows of HDF5's */
#define LEVEL 4    /* of gzip in files of h5py */
#define BATCH 256
#define FRAME (84 * 84)
#define TINY 4096 /* rows, where nothing is measured */

#define SAMPLES "sample(256) of an imported set; of a collected one"
#define PLAIN "import of 1 GB of D4RL; read, write and a sync"
#define PACKED "import of 1 GB of D4RL in gzip; zlib's inflate alone"
#define PACKED_WHOLE "import of 1 GB of D4RL in gzip; libdeflate's inflate alone"
#define ATARI "import of 350 MB of Atari DQN; zlib's inflate alone"
#define ATARI_WRITTEN "import of 350 MB of Atari DQN; inflate, write and a sync of 700 MB"
#define EXPORT "export of 1 M rows to Minari; a write of the bytes and a sync"

/* ---- raw data ---- */

/* Rows that deflate to about a half: noise in the upper bytes of every other float. */
static guint8 *
make_rows (gsize n_bytes)
{
  guint8 *rows = g_malloc (n_bytes);
  guint64 state = 1;

  for (gsize i = 0; i < n_bytes; i++)
    {
      state = state * 6364136223846793005u + 1442695040888963407u;
      rows[i] = i % 8 < 4 ? (guint8) (state >> 56) : (guint8) (i % 4 == 3 ? 0x3f : i >> 12);
    }
  return rows;
}

/* Streams as they are in the files, for the limit. */
static void
keep_stream (GArray *streams, gconstpointer data, gsize size)
{
  LimitDeflated stream = { g_memdup2 (data, size), size };

  g_array_append_val (streams, stream);
}

static void
clear_stream (gpointer stream)
{
  g_free (((LimitDeflated *) stream)->data);
}

static GArray *
new_streams (void)
{
  GArray *streams = g_array_new (FALSE, FALSE, sizeof (LimitDeflated));

  g_array_set_clear_func (streams, clear_stream);
  return streams;
}

/* ---- D4RL ---- */

typedef struct
{
  const char *name;
  hsize_t width; /* 0 of a column */
  gsize element;
} Array;

static const Array arrays[] = {
  { "observations", 17, 4 }, { "actions", 6, 4 },  { "rewards", 0, 4 },
  { "terminals", 0, 1 },     { "timeouts", 0, 1 },
};

/* An import, and its limits. */
typedef struct
{
  const char *folder;
  const char *id;
  char *raw;  /* the mirror */
  char *file; /* in it */
  GArray *streams;
  gsize out_bytes;
} Import;

static void
write_chunks (hid_t set, const Array *array, const guint8 *rows, gint64 n, GArray *streams)
{
  gsize row = MAX (array->width, 1) * array->element, whole = CHUNK * row;
  uLongf room = compressBound (whole);
  g_autofree Bytef *deflated = g_malloc (room);

  for (gint64 first = 0; first < n; first += CHUNK)
    {
      const hsize_t at[] = { (hsize_t) first, 0 };
      uLongf size = room;
      bench_demand (compress2 (deflated, &size, rows + (gsize) first * row, whole, LEVEL) == Z_OK
                        && H5Dwrite_chunk (set, H5P_DEFAULT, 0, at, size, deflated) >= 0,
                    NULL);
      keep_stream (streams, deflated, size);
    }
}

/* @n is a multiple of CHUNK. Bools are those of h5py. */
static void
write_array (hid_t file, const Array *array, gint64 n, GArray *streams)
{
  const hsize_t shape[] = { (hsize_t) n, array->width }, chunk[] = { CHUNK, array->width };
  gint ndim = array->width > 0 ? 2 : 1;
  gsize bytes = (gsize) n * MAX (array->width, 1) * array->element;
  g_autofree guint8 *rows = array->element == 1 ? g_malloc0 (bytes) : make_rows (bytes);
  hid_t space = H5Screate_simple (ndim, shape, NULL), how = H5Pcreate (H5P_DATASET_CREATE);
  hid_t type = array->element == 1 ? H5Tenum_create (H5T_NATIVE_INT8) : H5Tcopy (H5T_NATIVE_FLOAT);
  hid_t set;

  if (array->element == 1)
    {
      H5Tenum_insert (type, "FALSE", &(gint8){ 0 });
      H5Tenum_insert (type, "TRUE", &(gint8){ 1 });
    }
  if (streams)
    {
      H5Pset_chunk (how, ndim, chunk);
      H5Pset_deflate (how, LEVEL);
    }
  set = H5Dcreate2 (file, array->name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
  if (streams)
    write_chunks (set, array, rows, n, streams);
  else
    bench_demand (H5Dwrite (set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) >= 0, NULL);
  H5Dclose (set);
  H5Tclose (type);
  H5Pclose (how);
  H5Sclose (space);
}

static void
write_d4rl (Import *self, const char *name, gint64 n, gboolean packed)
{
  self->id = "d4rl:halfcheetah-medium-v2";
  self->raw = g_build_filename (self->folder, name, NULL);
  self->file = g_build_filename (self->raw, "halfcheetah_medium-v2.hdf5", NULL);
  self->streams = packed ? new_streams () : NULL;
  g_mkdir_with_parents (self->raw, 0777);
  hid_t file = H5Fcreate (self->file, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  for (gsize i = 0; i < G_N_ELEMENTS (arrays); i++)
    write_array (file, &arrays[i], n, self->streams);
  bench_demand (H5Fclose (file) >= 0, NULL);
}

/* ---- Atari ---- */

static void
write_gzip (Import *self, const char *name, const char *dtype, const char *shape,
            const guint8 *data, gsize n_bytes)
{
  g_autofree char *file_name = g_strdup_printf ("$store$_%s_ckpt.0.gz", name),
                  *path = g_build_filename (self->raw, "atari-replay-datasets", "dqn", "Pong", "1",
                                            "replay_logs", file_name, NULL),
                  *parent = g_path_get_dirname (path),
                  *form = g_strdup_printf (
                      "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", dtype, shape),
                  *header = g_strdup_printf ("%-117s\n", form);
  guint8 magic[10] = { 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 118, 0 };
  char *packed;
  gsize size;
  GError *error = NULL;

  g_mkdir_with_parents (parent, 0777);
  gzFile file = gzopen (path, "wb6");
  bench_demand (file && gzwrite (file, magic, sizeof magic) > 0 && gzputs (file, header) > 0, NULL);
  for (gsize at = 0; at < n_bytes; at += FRAME)
    bench_demand (gzwrite (file, data + at, (unsigned) MIN (FRAME, n_bytes - at)) > 0, NULL);
  bench_demand (gzclose (file) == Z_OK && g_file_get_contents (path, &packed, &size, &error),
                error);
  keep_stream (self->streams, packed, size);
  g_free (packed);
}

/* A game: a still picture in which a little moves. */
static void
write_atari (Import *self, gint64 n)
{
  g_autofree guint8 *frames = g_malloc ((gsize) n * FRAME), *zeros = g_malloc0 ((gsize) n * 4);
  g_autofree char *pictures = g_strdup_printf ("%" G_GINT64_FORMAT ", 84, 84", n),
                  *column = g_strdup_printf ("%" G_GINT64_FORMAT ",", n);

  for (gsize i = 0; i < (gsize) n * FRAME; i++)
    frames[i] = (guint8) (i % FRAME / 84 * (i % 84) / 16 + (i % 97 == i / FRAME % 97) * 40);
  self->id = "atari:Pong/1";
  self->raw = g_build_filename (self->folder, "atari", NULL);
  self->streams = new_streams ();
  write_gzip (self, "observation", "|u1", pictures, frames, (gsize) n * FRAME);
  write_gzip (self, "action", "<i4", column, zeros, (gsize) n * 4);
  write_gzip (self, "reward", "<f4", column, zeros, (gsize) n * 4);
  write_gzip (self, "terminal", "|u1", column, zeros, (gsize) n);
}

/* ---- imports ---- */

static ReelDataset *
import (const Import *self, const char *to)
{
  GError *error = NULL;
  ReelDataset *dataset = reel_object_new_from_text (REEL_TYPE_DATASET, self->id, &error, "from",
                                                    self->raw, "path", to, NULL);

  bench_demand (dataset != NULL, error);
  return dataset;
}

static double
import_once (gpointer data, gint64 n)
{
  const Import *self = data;
  g_autofree char *to = g_build_filename (self->folder, "imported", NULL);
  double begin = bench_clock (), seconds;

  g_object_unref (import (self, to));
  seconds = bench_clock () - begin;
  scratch_folder_remove (to);
  return seconds;
}

static double
read_write (gpointer data, gint64 n)
{
  const Import *self = data;
  g_autofree char *to = g_build_filename (self->folder, "written", NULL);
  double seconds = limit_read_write (self->file, to, self->out_bytes);

  bench_demand (seconds >= 0, NULL);
  return seconds;
}

static double
inflate_alone (gpointer data, gint64 n)
{
  const GArray *streams = ((Import *) data)->streams;
  double seconds = limit_inflate ((const LimitDeflated *) (gpointer) streams->data, streams->len);

  bench_demand (seconds >= 0, NULL);
  return seconds;
}

#ifdef HAVE_LIBDEFLATE

static double
inflate_whole (gpointer data, gint64 n)
{
  const GArray *streams = ((Import *) data)->streams;
  double seconds = limit_inflate_whole ((const LimitDeflated *) (gpointer) streams->data,
                                        streams->len, (gsize) CHUNK * 17 * sizeof (float));

  bench_demand (seconds >= 0, NULL);
  return seconds;
}

#endif

/* A frame is in two leaves. */
static double
inflate_write (gpointer data, gint64 n)
{
  const Import *self = data;
  const GArray *streams = self->streams;
  g_autofree char *to = g_build_filename (self->folder, "written", NULL);
  double seconds = limit_inflate_write ((const LimitDeflated *) (gpointer) streams->data,
                                        streams->len, to, self->out_bytes, 2);

  bench_demand (seconds >= 0, NULL);
  return seconds;
}

static void
import_clear (Import *self)
{
  scratch_folder_remove (self->raw);
  g_clear_pointer (&self->raw, g_free);
  g_clear_pointer (&self->file, g_free);
  g_clear_pointer (&self->streams, g_array_unref);
}

static gint64
count_bytes (ReelReplayBuffer *buffer)
{
  guint n;
  const ReelColumn *columns =
      reel_storage_get_columns (reel_replay_buffer_get_storage (buffer), &n);
  gint64 bytes = 0;

  for (guint i = 0; i < n; i++)
    bytes += (gint64) columns[i].row_bytes;
  return bytes * reel_replay_buffer_get_length (buffer);
}

static void
measure_import (Bench *bench, const char *name, Import *self, BenchFunc limit, double floor,
                double goal)
{
  bench_measure (bench, &(BenchFigure){
                            .name = name,
                            .unit = "s",
                            .scale = 1,
                            .is_time = TRUE,
                            .units = 1,
                            .rounds = 5,
                            .floor = floor,
                            .goal = goal,
                            .ours = import_once,
                            .data = self,
                            .limit = limit,
                            .limit_data = self,
                        });
}

/* ---- batches ---- */

typedef struct
{
  ReelReplayBuffer *buffer;
  ReelTensordict *batch;
} Draw;

static double
sample (gpointer data, gint64 n)
{
  Draw *self = data;

  return sample_time (self->buffer, BATCH, &self->batch, n);
}

/* The same rows, as a collector leaves them in files. */
static ReelReplayBuffer *
copy_rows (ReelReplayBuffer *from)
{
  gint64 n = reel_replay_buffer_get_length (from);
  g_autofree char *storage = g_strdup_printf ("memmap:capacity=%" G_GINT64_FORMAT, n);
  GError *error = NULL;
  ReelReplayBuffer *to = reel_replay_buffer_new_from_text (storage, "random", 0, &error);

  bench_demand (to != NULL, error);
  for (gint64 first = 0; first < n; first += 1 << 16)
    {
      g_autoptr (ReelTensordict) rows =
          reel_replay_buffer_get_rows (from, first, MIN (1 << 16, n - first), &error);
      bench_demand (rows && reel_replay_buffer_extend (to, rows, NULL, &error), error);
    }
  return to;
}

static void
measure_batches (Bench *bench, ReelReplayBuffer *imported)
{
  g_autoptr (ReelReplayBuffer) collected = copy_rows (imported);
  Draw ours = { imported, NULL }, limit = { collected, NULL };

  bench_measure_us (bench, SAMPLES, 1, 1, sample, &ours, sample, &limit);
  g_clear_pointer (&ours.batch, reel_tensordict_unref);
  g_clear_pointer (&limit.batch, reel_tensordict_unref);
}

static void
measure_plain (Bench *bench, const char *folder, gint64 n)
{
  Import plain = { .folder = folder };
  g_autofree char *to = g_build_filename (folder, "kept", NULL);

  if (!bench_wants (bench, SAMPLES) && !bench_wants (bench, PLAIN))
    return;
  write_d4rl (&plain, "plain", n, FALSE);
  g_autoptr (ReelDataset) kept = import (&plain, to);
  plain.out_bytes = (gsize) count_bytes (reel_dataset_get_buffer (kept));
  measure_batches (bench, reel_dataset_get_buffer (kept));
  scratch_folder_remove (to);
  measure_import (bench, PLAIN, &plain, read_write, 0.5, 0.8);
  import_clear (&plain);
}

static void
measure_packed (Bench *bench, const char *folder, gint64 n)
{
  Import packed = { .folder = folder };

  if (!bench_wants (bench, PACKED) && !bench_wants (bench, PACKED_WHOLE))
    return;
  write_d4rl (&packed, "packed", n, TRUE);
  measure_import (bench, PACKED, &packed, inflate_alone, 0.7, 0.9);
#ifdef HAVE_LIBDEFLATE
  measure_import (bench, PACKED_WHOLE, &packed, inflate_whole, 0.7, 0.9);
#endif
  import_clear (&packed);
}

static void
measure_atari (Bench *bench, const char *folder)
{
  Import game = { .folder = folder };

  const gint64 n = bench_is_tiny (bench) ? 64 : 50000;

  if (!bench_wants (bench, ATARI) && !bench_wants (bench, ATARI_WRITTEN))
    return;
  write_atari (&game, n);
  game.out_bytes = (gsize) (n * (2 * FRAME + 14));
  measure_import (bench, ATARI, &game, inflate_alone, 0.8, 0.95);
  measure_import (bench, ATARI_WRITTEN, &game, inflate_write, 0.8, 0.95);
  import_clear (&game);
}

/* ---- an export ---- */

typedef struct
{
  const char *folder;
  ReelReplayBuffer *buffer;
  char *empty; /* a file, which the limit reads */
  gsize out_bytes;
} Export;

static void
add_leaf (ReelTensordict *rows, const char *path, ReelDtype dtype, gint64 width)
{
  gint ndim;
  const gint64 shape[] = { reel_tensordict_get_batch_size (rows, &ndim)[0], width };
  GError *error = NULL;
  g_autoptr (ReelTensor) leaf = reel_tensor_new (dtype, 2, shape, &error);

  bench_demand (leaf && reel_tensordict_set_tensor (rows, path, leaf, &error), error);
}

/* An episode of zeros, whose last step is truncated. */
static ReelTensordict *
make_episode (gint64 n)
{
  static const char *const flags[] = { "done",      "terminated",     "truncated",
                                       "next/done", "next/truncated", "next/terminated" };
  ReelTensordict *rows = reel_tensordict_new (1, &n);

  add_leaf (rows, "observation", REEL_DTYPE_FLOAT32, 17);
  add_leaf (rows, "next/observation", REEL_DTYPE_FLOAT32, 17);
  add_leaf (rows, "action", REEL_DTYPE_FLOAT32, 6);
  add_leaf (rows, "next/reward", REEL_DTYPE_FLOAT32, 1);
  for (gsize i = 0; i < G_N_ELEMENTS (flags); i++)
    add_leaf (rows, flags[i], REEL_DTYPE_BOOL, 1);
  reel_tensordict_get_tensor (rows, "next/done", NULL)->data[n - 1] = 1;
  reel_tensordict_get_tensor (rows, "next/truncated", NULL)->data[n - 1] = 1;
  return rows;
}

static ReelReplayBuffer *
store_episodes (gint64 n, gint64 length)
{
  g_autofree char *storage = g_strdup_printf ("memmap:capacity=%" G_GINT64_FORMAT, n * length);
  g_autoptr (ReelTensordict) episode = make_episode (length);
  GError *error = NULL;
  ReelReplayBuffer *buffer = reel_replay_buffer_new_from_text (storage, "random", 0, &error);

  for (gint64 i = 0; buffer && i < n; i++)
    bench_demand (reel_replay_buffer_extend (buffer, episode, NULL, &error), error);
  bench_demand (buffer != NULL, error);
  return buffer;
}

static double
export_once (gpointer data, gint64 n)
{
  Export *self = data;
  g_autofree char *to = g_build_filename (self->folder, "exported-v0", NULL);
  GError *error = NULL;
  double begin = bench_clock (), seconds;

  bench_demand (reel_replay_buffer_export (self->buffer, "minari", to, NULL,
                                           REEL_CHECKPOINT_DEFAULT, NULL, &error),
                error);
  seconds = bench_clock () - begin;
  scratch_folder_remove (to);
  return seconds;
}

static double
write_bytes (gpointer data, gint64 n)
{
  const Export *self = data;
  g_autofree char *to = g_build_filename (self->folder, "written", NULL);
  double seconds = limit_read_write (self->empty, to, self->out_bytes);

  bench_demand (seconds >= 0, NULL);
  return seconds;
}

static void
measure_export (Bench *bench, const char *folder)
{
  const gint64 episodes = bench_is_tiny (bench) ? 4 : 1000, length = 1000;
  g_autofree char *empty = g_build_filename (folder, "empty", NULL);
  Export self = { folder, NULL, empty, (gsize) (episodes * (length * 98 + 68)) };
  GError *error = NULL;

  if (!bench_wants (bench, EXPORT))
    return;
  self.buffer = store_episodes (episodes, length);
  bench_demand (g_file_set_contents (empty, "", 0, &error), error);
  bench_measure (bench, &(BenchFigure){
                            .name = EXPORT,
                            .unit = "s",
                            .scale = 1,
                            .is_time = TRUE,
                            .units = 1,
                            .rounds = 5,
                            .floor = 0.4,
                            .goal = 0.7,
                            .ours = export_once,
                            .data = &self,
                            .limit = write_bytes,
                            .limit_data = &self,
                        });
  g_object_unref (self.buffer);
}

int
main (int argc, char **argv)
{
  Bench *bench = bench_open ("Datasets of others", argc, argv);
  g_autofree char *folder = scratch_folder_make ();
  const gint64 n = bench_is_tiny (bench) ? TINY : (1 << 30) / 98 / CHUNK * CHUNK;

  reel_init ();
  measure_plain (bench, folder, n);
  measure_packed (bench, folder, n);
  measure_atari (bench, folder);
  measure_export (bench, folder);
  scratch_folder_remove (folder);
  return bench_close (bench);
}
