/* Tensordicts: looking up, views, stacking, files; each beside the least that it could cost. */
#include "bench.h"
#include "limits/memory-limits.h"
#include "scratch-folder.h"

#include "../src/reel.h"

#include <string.h>
#include <sys/mman.h>

#define N_KEYS 12

static const char *const keys[N_KEYS + 1] = {
  "observation", "action",           "done",
  "terminated",  "truncated",        "step_count",
  "traj_ids",    "next/observation", "next/reward",
  "next/done",   "next/terminated",  "next/truncated",
};

/* `[rows]`, twelve float32 leaves. */
static ReelTensordict *
make_tensordict (gint64 rows, gint64 columns)
{
  const gint64 shape[2] = { rows, columns };
  ReelTensordict *td = reel_tensordict_new (1, shape);
  GError *error = NULL;

  for (gsize i = 0; i < N_KEYS; i++)
    {
      ReelTensor *leaf = reel_tensor_new (REEL_DTYPE_FLOAT32, 2, shape, &error);
      bench_demand (leaf != NULL, error);
      memset (leaf->data, (int) i + 1, reel_tensor_nbytes (leaf));
      bench_demand (reel_tensordict_set_tensor (td, keys[i], leaf, &error), error);
      reel_tensor_unref (leaf);
    }
  return td;
}

/* ---- keys: a unit is one leaf -----------------------------------------------------------------
 */

typedef struct
{
  ReelTensordict *td;
  LimitHash *hash;
} Keys;

static double
look_up (gpointer data, gint64 n)
{
  const Keys *work = data;
  volatile guint64 kept = 0;
  double begin = bench_clock ();

  for (gint64 i = 0; i < n; i += N_KEYS)
    for (gsize k = 0; k < N_KEYS; k++)
      kept += (guintptr) limit_hash_get (work->hash, keys[k]);
  return bench_clock () - begin;
}

static double
get (gpointer data, gint64 n)
{
  const Keys *work = data;
  volatile guint64 kept = 0;
  double begin = bench_clock ();

  for (gint64 i = 0; i < n; i += N_KEYS)
    for (gsize k = 0; k < N_KEYS; k++)
      kept += (guintptr) reel_tensordict_get_tensor (work->td, keys[k], NULL);
  return bench_clock () - begin;
}

static double
view (gpointer data, gint64 n)
{
  const Keys *work = data;
  double begin = bench_clock ();

  for (gint64 i = 0; i < n; i += N_KEYS)
    {
      ReelTensordict *part = reel_tensordict_slice (work->td, 0, 1, 3, 1, NULL);
      bench_demand (part != NULL, NULL);
      reel_tensordict_unref (part);
    }
  return bench_clock () - begin;
}

static double
select_keys (gpointer data, gint64 n)
{
  const Keys *work = data;
  double begin = bench_clock ();

  for (gint64 i = 0; i < n; i += N_KEYS)
    {
      ReelTensordict *part = reel_tensordict_select_keys (work->td, keys, TRUE, NULL);
      bench_demand (part != NULL, NULL);
      reel_tensordict_unref (part);
    }
  return bench_clock () - begin;
}

static void
measure_keys (Bench *bench)
{
  static const struct
  {
    const char *name;
    BenchFunc ours;
  } figures[] = {
    { "get by path, 12 keys; a hash look-up", get },
    { "views of 12 leaves, each; a hash look-up", view },
    { "select of 12 keys, each; a hash look-up", select_keys },
  };
  ReelTensordict *td = make_tensordict (8, 4);
  const void *values[N_KEYS];

  for (gsize i = 0; i < N_KEYS; i++)
    values[i] = reel_tensordict_get_tensor (td, keys[i], NULL);
  Keys work = { td, limit_hash_new (keys, values, N_KEYS) };
  for (gsize i = 0; i < G_N_ELEMENTS (figures); i++)
    bench_measure (bench, &(BenchFigure){
                              .name = figures[i].name,
                              .unit = "ns",
                              .scale = 1e9,
                              .is_time = TRUE,
                              .units = bench_is_tiny (bench) ? N_KEYS : 0,
                              .floor = 0.1,
                              .goal = 0.2,
                              .ours = figures[i].ours,
                              .data = &work,
                              .limit = look_up,
                              .limit_data = &work,
                          });
  limit_hash_free (work.hash);
  reel_tensordict_unref (td);
}

/* ---- stack: a unit is a byte ------------------------------------------------------------------
 */

#define N_STACKED 32

typedef struct
{
  ReelTensordict *tds[N_STACKED];
  const ReelTensor *leaves[N_KEYS][N_STACKED];
  gint64 bytes;
  guint8 *to;
} Stack;

static double
stack (gpointer data, gint64 n)
{
  Stack *work = data;
  double begin = bench_clock ();

  for (gint64 done = 0; done < n; done += work->bytes)
    {
      GError *error = NULL;
      ReelTensordict *stacked = reel_tensordict_stack (work->tds, N_STACKED, 0, &error);
      bench_demand (stacked != NULL, error);
      reel_tensordict_unref (stacked);
    }
  return bench_clock () - begin;
}

static double
copy (gpointer data, gint64 n)
{
  const Stack *work = data;
  gsize bytes = (gsize) work->bytes / (N_KEYS * N_STACKED);
  double begin = bench_clock ();

  for (gint64 done = 0; done < n; done += work->bytes)
    for (gsize i = 0; i < N_KEYS * N_STACKED; i++)
      limit_copies ()->stream (work->to + i * bytes,
                               work->leaves[i / N_STACKED][i % N_STACKED]->data, bytes);
  return bench_clock () - begin;
}

static void
measure_stack (Bench *bench)
{
  gint64 columns = bench_is_tiny (bench) ? 2 : 1024, rows = bench_is_tiny (bench) ? 2 : 22;
  Stack work = { .bytes = N_STACKED * N_KEYS * rows * columns * 4 };

  for (gsize i = 0; i < N_STACKED; i++)
    {
      work.tds[i] = make_tensordict (rows, columns);
      for (gsize k = 0; k < N_KEYS; k++)
        work.leaves[k][i] = reel_tensordict_get_tensor (work.tds[i], keys[k], NULL);
    }
  work.to = bench_map_pages ((gsize) work.bytes);
  bench_measure (bench, &(BenchFigure){
                            .name = "stack of 32 of 1 MB, 12 keys; streaming copies of the leaves",
                            .unit = "GB/s",
                            .scale = 1e9,
                            .units = work.bytes * (bench_is_tiny (bench) ? 1 : 4),
                            .floor = 0.7,
                            .goal = 0.9,
                            .ours = stack,
                            .data = &work,
                            .limit = copy,
                            .limit_data = &work,
                        });
  for (gsize i = 0; i < N_STACKED; i++)
    reel_tensordict_unref (work.tds[i]);
  munmap (work.to, (gsize) work.bytes);
}

/* ---- files ------------------------------------------------------------------------------------
 */

typedef struct
{
  ReelTensordict *td;
  const char *folder;
  char *path;
  char **paths;
  gint n;
  gsize leaf_bytes;
  guint8 *bytes;
} Files;

static double
save (gpointer data, gint64 n)
{
  const Files *work = data;
  GError *error = NULL;
  double seconds, begin = bench_clock ();

  bench_demand (reel_tensordict_save (work->td, work->path, REEL_SAVE_DEFAULT, &error), error);
  seconds = bench_clock () - begin;
  scratch_folder_remove (work->path);
  return seconds;
}

static double
write_plain (gpointer data, gint64 n)
{
  const Files *work = data;
  double seconds = limit_write_files (work->folder, work->bytes, work->leaf_bytes, work->n);

  bench_demand (seconds >= 0, NULL);
  for (gint i = 0; i < work->n; i++)
    {
      g_autofree char *name = g_strdup_printf ("%s/plain-%d", work->folder, i);
      scratch_folder_remove (name);
    }
  return seconds;
}

static void
measure_save (Bench *bench, const char *folder)
{
  gint64 rows = bench_is_tiny (bench) ? 16 : 21845;
  Files work = { .folder = folder, .n = N_KEYS };

  work.td = make_tensordict (rows, 1024);
  work.path = g_build_filename (folder, "saved", NULL);
  work.leaf_bytes = (gsize) rows * 4096;
  work.bytes = g_aligned_alloc (work.leaf_bytes, N_KEYS, 4096);
  memset (work.bytes, 1, work.leaf_bytes * N_KEYS);
  bench_measure (bench,
                 &(BenchFigure){
                     .name = "save of 1 GB, 12 leaves; direct writes of as many files, a sync",
                     .unit = "GB/s",
                     .scale = 1e9,
                     .units = (gint64) work.leaf_bytes * N_KEYS,
                     .rounds = 3,
                     .floor = 0.7,
                     .goal = 0.9,
                     .ours = save,
                     .data = &work,
                     .limit = write_plain,
                     .limit_data = &work,
                 });
  reel_tensordict_unref (work.td);
  g_free (work.path);
  g_aligned_free (work.bytes);
}

/* As with the files mapped plainly, what is unmapped afterwards does not count. */
static double
load (gpointer data, gint64 n)
{
  const Files *work = data;
  double seconds = 0;

  for (gint64 done = 0; done < n; done += work->n)
    {
      GError *error = NULL;
      double begin = bench_clock ();
      ReelTensordict *td = reel_tensordict_load (work->path, REEL_LOAD_READ_ONLY, &error);
      seconds += bench_clock () - begin;
      bench_demand (td != NULL, error);
      reel_tensordict_unref (td);
    }
  return seconds;
}

static double
map_plain (gpointer data, gint64 n)
{
  const Files *work = data;
  double seconds = 0;

  for (gint64 done = 0; done < n; done += work->n)
    {
      double once = limit_map_files ((const char *const *) work->paths, work->n);
      bench_demand (once >= 0, NULL);
      seconds += once;
    }
  return seconds;
}

static void
measure_load (Bench *bench, const char *folder)
{
  Files work = { .n = bench_is_tiny (bench) ? 10 : 1000 };
  const gint64 shape[1] = { 16 };
  ReelTensordict *td = reel_tensordict_new (1, shape);
  ReelTensor *leaf = reel_tensor_new (REEL_DTYPE_FLOAT32, 1, shape, NULL);
  GError *error = NULL;

  work.path = g_build_filename (folder, "many", NULL);
  work.paths = g_new0 (char *, work.n + 1);
  for (gint i = 0; i < work.n; i++)
    {
      g_autofree char *key = g_strdup_printf ("leaf%d", i);
      bench_demand (reel_tensordict_set_tensor (td, key, leaf, &error), error);
      work.paths[i] = g_strdup_printf ("%s/%s.memmap", work.path, key);
    }
  bench_demand (reel_tensordict_save (td, work.path, REEL_SAVE_DEFAULT, &error), error);
  bench_measure (bench, &(BenchFigure){
                            .name = "load of 1000 leaves; open, fstat, mmap of the same files",
                            .unit = "kleaves/s",
                            .scale = 1e3,
                            .units = (gint64) work.n * (bench_is_tiny (bench) ? 1 : 5),
                            .floor = 0.5,
                            .goal = 0.8,
                            .ours = load,
                            .data = &work,
                            .limit = map_plain,
                            .limit_data = &work,
                        });
  reel_tensor_unref (leaf);
  reel_tensordict_unref (td);
  g_free (work.path);
  g_strfreev (work.paths);
}

int
main (int argc, char **argv)
{
  Bench *bench = bench_open ("tensordicts", argc, argv);
  g_autofree char *folder = scratch_folder_make ();

  reel_init ();
  measure_keys (bench);
  measure_stack (bench);
  measure_load (bench, folder);
  measure_save (bench, folder);
  scratch_folder_remove (folder);
  return bench_close (bench);
}
