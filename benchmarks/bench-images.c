/* Images on their way to a network, and frames that are stacked, beside reading and writing the
 * bytes. */
#include "bench.h"
#include "limits/memory-limits.h"

#include "../src/reel.h"

#include <string.h>

typedef struct
{
  ReelTransform *transform;
  ReelTensordict *td;
  gint64 n;      /* images of a call */
  guint8 *bytes; /* what the limit reads or writes */
  gsize n_bytes; /* an image */
} Work;

static void
set_pixels (ReelTensordict *td, const char *key, gint ndim, const gint64 *shape)
{
  GError *error = NULL;
  ReelTensor *tensor = reel_tensor_new (REEL_DTYPE_UINT8, ndim, shape, &error);
  gsize n;

  bench_demand (tensor != NULL, error);
  n = reel_tensor_nbytes (tensor);
  for (gsize i = 0; i < n; i++)
    tensor->data[i] = (guint8) (i * 37 + i * i % 101);
  reel_tensordict_set_tensor (td, key, tensor, NULL);
  reel_tensor_unref (tensor);
}

static Work
make_work (const char *chain, gint64 n, gint ndim, const gint64 *shape, gsize n_bytes)
{
  GError *error = NULL;
  const gint64 one[2] = { n, 1 };
  Work work = { reel_object_new_from_text (REEL_TYPE_TRANSFORM, chain, &error, NULL),
                reel_tensordict_new (1, &n), n, g_malloc0 (n_bytes * (gsize) n), n_bytes };
  ReelTensor *done = reel_tensor_new (REEL_DTYPE_BOOL, 2, one, NULL);

  bench_demand (work.transform != NULL, error);
  set_pixels (work.td, "pixels", ndim, shape);
  for (gint64 i = 0; i < n; i++)
    done->data[i] = i % 200 == 199;
  reel_tensordict_set_tensor (work.td, "next/done", done, NULL);
  reel_tensor_unref (done);
  return work;
}

static void
clear_work (Work *work)
{
  g_object_unref (work->transform);
  reel_tensordict_unref (work->td);
  g_free (work->bytes);
}

static double
transform (gpointer data, gint64 n)
{
  const Work *work = data;
  double begin = bench_clock ();

  for (gint64 done = 0; done < n; done += work->n)
    {
      GError *error = NULL;
      ReelTensordict *shared = reel_tensordict_clone (work->td, FALSE, NULL);
      ReelTensordict *result = reel_transform_forward (work->transform, shared, &error);

      bench_demand (result != NULL, error);
      reel_tensordict_unref (result);
      reel_tensordict_unref (shared);
    }
  return bench_clock () - begin;
}

static double
read_pixels (gpointer data, gint64 n)
{
  const Work *work = data;
  const guint8 *pixels = reel_tensordict_get_tensor (work->td, "pixels", NULL)->data;
  volatile guint64 kept = 0;
  double begin = bench_clock ();

  for (gint64 done = 0; done < n; done++)
    kept |= limit_reads ()->bytes (
        (const guint64 *) (pixels + (gsize) (done % work->n) * work->n_bytes), work->n_bytes / 8);
  return bench_clock () - begin;
}

static double
write_result (gpointer data, gint64 n)
{
  const Work *work = data;
  double begin = bench_clock ();

  for (gint64 done = 0; done < n; done++)
    limit_copies ()->write (work->bytes + (gsize) (done % work->n) * work->n_bytes, (guint8) done,
                            work->n_bytes);
  return bench_clock () - begin;
}

/* An image is a unit, of calls that take many. */
static void
measure (Bench *bench, const char *name, double floor, double goal, BenchFunc limit, Work *work)
{
  bench_measure (bench, &(BenchFigure){ .name = name,
                                        .unit = "us",
                                        .scale = 1e6,
                                        .is_time = TRUE,
                                        .units = work->n * 8,
                                        .floor = floor,
                                        .goal = goal,
                                        .ours = transform,
                                        .data = work,
                                        .limit = limit,
                                        .limit_data = work });
}

static void
measure_small (Bench *bench, const char *name, const char *chain, double floor, double goal)
{
  const gint64 shape[4] = { bench_is_tiny (bench) ? 1 : 32, 400, 600, 3 };
  Work work;

  if (!bench_wants (bench, name))
    return;
  work = make_work (chain, shape[0], 4, shape, 400 * 600 * 3);
  measure (bench, name, floor, goal, read_pixels, &work);
  clear_work (&work);
}

static void
measure_written (Bench *bench, const char *name, const char *chain, gint64 n, gint ndim,
                 const gint64 *shape, gsize n_bytes, double floor, double goal)
{
  Work work;

  if (!bench_wants (bench, name))
    return;
  work = make_work (chain, n, ndim, shape, n_bytes);
  measure (bench, name, floor, goal, write_result, &work);
  clear_work (&work);
}

int
main (int argc, char **argv)
{
  Bench *bench =
      bench_open ("images and stacks of frames; their bytes read or written", argc, argv);
  gint64 n = bench_is_tiny (bench) ? 8 : 1024;
  const gint64 last[4] = { n, 84, 84, 4 }, first[4] = { n, 1, 84, 84 };

  reel_init ();
  measure_small (bench, "400×600×3 u8 to 64×64 gray f32, no antialias",
                 "to-tensor-image:w=64,antialias=false,gray=true", 0.3, 0.8);
  measure_small (bench, "400×600×3 u8 to 64×64 gray f32, antialias",
                 "to-tensor-image:w=64,gray=true", 0.08, 0.2);
  measure_written (bench, "84×84×4 u8 to f32 / 255", "to-tensor-image", n, 4, last,
                   84 * 84 * 4 * sizeof (float), 0.6, 0.9);
  measure_written (bench, "stacks of 4 frames of 84×84 u8", "cat-frames:n=4", n, 4, first,
                   4 * 84 * 84, 0.3, 0.6);
  return bench_close (bench);
}
