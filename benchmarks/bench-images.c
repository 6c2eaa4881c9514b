/* Images on their way to a network, and frames that are stacked, beside reading and writing the
 * bytes. */
#include "bench.h"
#include "limits/memory-limits.h"

#include "../src/reel.h"
#include "../src/transforms/lane-plan.h"
#include "../src/transforms/transform-private.h"

#include <string.h>

#define SMALL_BYTES ((gsize) 4 * 84 * 84)

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

/* ---- floats ---- */

static double
stream_result (gpointer data, gint64 n)
{
  LimitStreamingStores *stores = data;
  gsize bytes = (gsize) n * SMALL_BYTES * sizeof (float);
  double begin = bench_clock ();
  gsize written = limit_stores ()->run (stores, bytes);

  return (bench_clock () - begin) * (double) bytes / (double) written;
}

static void
measure_floats (Bench *bench, gint64 n)
{
  const char *name = "84×84×4 u8 to f32 / 255; streaming stores";
  const gint64 shape[4] = { n, 84, 84, 4 };
  LimitStreamingStores *stores;
  Work work;

  if (!bench_wants (bench, name))
    return;
  work = make_work ("to-tensor-image", n, 4, shape, SMALL_BYTES * sizeof (float));
  stores = limit_stores ()->open ((gsize) n * SMALL_BYTES * sizeof (float), 1);
  bench_measure (bench, &(BenchFigure){ .name = name,
                                        .unit = "us",
                                        .scale = 1e6,
                                        .is_time = TRUE,
                                        .units = n * 8,
                                        .floor = 0.6,
                                        .goal = 0.9,
                                        .ours = transform,
                                        .data = &work,
                                        .limit = stream_result,
                                        .limit_data = stores });
  limit_stores ()->close (stores);
  clear_work (&work);
}

/* ---- stacks of the lanes of an env ---- */

/* Lanes whose frames are there, and the same stacks to copy. */
typedef struct
{
  ReelLanePlan *plan;
  guint8 *columns[2]; /* frames, stacks */
  guint8 *copied;
  gint64 n_lanes;
} Lanes;

static void
ignore_fault (gpointer data, gint64 lane, const char *what)
{
}

static double
step_lanes (gpointer data, gint64 n)
{
  const Lanes *lanes = data;
  double begin = bench_clock ();

  for (gint64 done = 0; done < n; done += lanes->n_lanes)
    reel_lane_plan_step (lanes->plan, lanes->columns, 0, lanes->n_lanes);
  return bench_clock () - begin;
}

static double
copy_stacks (gpointer data, gint64 n)
{
  const Lanes *lanes = data;
  double begin = bench_clock ();

  for (gint64 done = 0; done < n; done++)
    {
      gsize at = (gsize) (done % lanes->n_lanes) * SMALL_BYTES;

      limit_copies ()->bytes (lanes->copied + at, lanes->columns[1] + at, SMALL_BYTES);
    }
  return bench_clock () - begin;
}

static void
measure_lanes (Bench *bench, gint64 n)
{
  const char *name = "stacks of 4 frames of 84×84 u8, live; a copy of them";
  const gint64 shape[3] = { 1, 84, 84 };
  GError *error = NULL;
  g_autoptr (ReelTransform) stack = NULL;
  Lanes lanes = { .n_lanes = n };

  if (!bench_wants (bench, name))
    return;
  stack = reel_object_new_from_text (REEL_TYPE_TRANSFORM, "cat-frames:n=4", &error, NULL);
  bench_demand (stack != NULL, error);
  lanes.plan = reel_lane_plan_new (n, ignore_fault, NULL);
  reel_lane_plan_define (lanes.plan, "pixels", REEL_LANE_OBSERVATION, REEL_DTYPE_UINT8, 3, shape);
  bench_demand (reel_transform_bind (stack, lanes.plan, &error), error);
  lanes.columns[0] = g_malloc0 ((gsize) n * SMALL_BYTES / 4);
  lanes.columns[1] = g_malloc0 ((gsize) n * SMALL_BYTES);
  lanes.copied = g_malloc0 ((gsize) n * SMALL_BYTES);
  bench_measure (bench, &(BenchFigure){ .name = name,
                                        .unit = "us",
                                        .scale = 1e6,
                                        .is_time = TRUE,
                                        .units = n * 8,
                                        .floor = 0.6,
                                        .goal = 0.9,
                                        .ours = step_lanes,
                                        .data = &lanes,
                                        .limit = copy_stacks,
                                        .limit_data = &lanes });
  reel_lane_plan_free (lanes.plan);
  g_free (lanes.columns[0]);
  g_free (lanes.columns[1]);
  g_free (lanes.copied);
}

int
main (int argc, char **argv)
{
  Bench *bench =
      bench_open ("images and stacks of frames; their bytes read or written", argc, argv);
  gint64 n = bench_is_tiny (bench) ? 8 : 1024;
  const gint64 first[4] = { n, 1, 84, 84 };

  reel_init ();
  measure_small (bench, "400×600×3 u8 to 64×64 gray f32, no antialias",
                 "to-tensor-image:w=64,antialias=false,gray=true", 0.3, 0.8);
  measure_small (bench, "400×600×3 u8 to 64×64 gray f32, antialias",
                 "to-tensor-image:w=64,gray=true", 0.08, 0.2);
  measure_small (bench, "a chain: unit, gray, 64×64, no antialias",
                 "to-tensor-image|gray-scale|resize:w=64,antialias=false", 0.3, 0.8);
  measure_small (bench, "a chain: unit, gray, 64×64, antialias",
                 "to-tensor-image|gray-scale|resize:w=64", 0.08, 0.2);
  measure_floats (bench, n);
  measure_written (bench, "stacks of 4 frames of 84×84 u8", "cat-frames:n=4", n, 4, first,
                   SMALL_BYTES, 0.3, 0.6);
  measure_lanes (bench, n);
  return bench_close (bench);
}
