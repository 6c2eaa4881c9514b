/* Specs: drawing and checking values at the speed of memory. */
#include "bench.h"
#include "limits/memory-limits.h"

#include "../src/reel.h"

#define BYTES ((gsize) 64 << 20)

/* A batch of values of one spec. A unit is a byte. */
typedef struct
{
  ReelSpec *spec;
  ReelTensor *values;
  gint64 rows;
} Work;

static double
draw (gpointer data, gint64 n)
{
  const Work *work = data;
  gsize bytes = reel_tensor_nbytes (work->values);
  double begin = bench_clock ();

  for (gint64 done = 0; done < n; done += (gint64) bytes)
    reel_spec_rand_rows (work->spec, 1, done, 0, work->rows, work->values->data);
  return bench_clock () - begin;
}

/* The same numbers but for the bounds, which are those of all. */
static double
draw_bare (gpointer data, gint64 n)
{
  const Work *work = data;
  gsize bytes = reel_tensor_nbytes (work->values);
  uint64_t random = 1;
  double begin = bench_clock ();

  for (gint64 done = 0; done < n; done += (gint64) bytes)
    limit_copies ()->draw (&random, -1, 1, (float *) work->values->data, bytes / sizeof (float));
  return bench_clock () - begin;
}

static double
check (gpointer data, gint64 n)
{
  const Work *work = data;
  gsize bytes = reel_tensor_nbytes (work->values);
  double begin = bench_clock ();

  for (gint64 done = 0; done < n; done += (gint64) bytes)
    {
      GError *error = NULL;
      bench_demand (reel_spec_is_in (work->spec, work->values, &error), error);
    }
  return bench_clock () - begin;
}

static double
project (gpointer data, gint64 n)
{
  const Work *work = data;
  gsize bytes = reel_tensor_nbytes (work->values);
  double begin = bench_clock ();

  for (gint64 done = 0; done < n; done += (gint64) bytes)
    {
      GError *error = NULL;
      ReelTensor *projected = reel_spec_project (work->spec, work->values, &error);
      bench_demand (projected != NULL, error);
      reel_tensor_unref (projected);
    }
  return bench_clock () - begin;
}

static double
read_bytes (gpointer data, gint64 n)
{
  const Work *work = data;
  gsize bytes = reel_tensor_nbytes (work->values);
  volatile guint64 kept = 0;
  double begin = bench_clock ();

  for (gint64 done = 0; done < n; done += (gint64) bytes)
    kept |= limit_reads ()->bytes ((const uint64_t *) work->values->data, bytes / 8);
  return bench_clock () - begin;
}

static void
work_open (Bench *bench, Work *work, const char *text)
{
  GError *error = NULL;
  gint ndim;
  gint64 numel = 1;

  work->spec = reel_spec_new_from_text (text, &error);
  bench_demand (work->spec != NULL, error);
  const gint64 *shape = reel_spec_get_shape (work->spec, &ndim);
  for (gint i = 0; i < ndim; i++)
    numel *= shape[i];
  gsize row = (gsize) numel * reel_dtype_size (reel_spec_get_dtype (work->spec));
  work->rows = (gint64) ((bench_is_tiny (bench) ? 1 << 16 : BYTES) / row);
  work->values = reel_spec_rand (work->spec, 1, 0, 1, &work->rows, &error);
  bench_demand (work->values != NULL, error);
}

static void
work_close (Work *work)
{
  reel_spec_unref (work->spec);
  reel_tensor_unref (work->values);
}

static void
measure_draw (Bench *bench, const char *name, const char *text)
{
  Work work;

  work_open (bench, &work, text);
  bench_measure (bench, &(BenchFigure){
                            .name = name,
                            .unit = "GB/s",
                            .scale = 1e9,
                            .units = (gint64) reel_tensor_nbytes (work.values),
                            .floor = 0.7,
                            .goal = 0.9,
                            .ours = draw,
                            .data = &work,
                            .limit = draw_bare,
                            .limit_data = &work,
                        });
  work_close (&work);
}

static void
measure_read (Bench *bench, const char *name, const char *text, BenchFunc ours)
{
  Work work;

  work_open (bench, &work, text);
  bench_measure (bench, &(BenchFigure){
                            .name = name,
                            .unit = "GB/s",
                            .scale = 1e9,
                            .units = (gint64) reel_tensor_nbytes (work.values) * 4,
                            .floor = 0.6,
                            .goal = 0.85,
                            .ours = ours,
                            .data = &work,
                            .limit = read_bytes,
                            .limit_data = &work,
                        });
  work_close (&work);
}

int
main (int argc, char **argv)
{
  Bench *bench = bench_open ("specs, 64 MB, one thread", argc, argv);

  reel_init ();
  measure_draw (bench, "random fill, bounded f32; a loop", "bounded:low=-1,high=1,shape=[4]");
  measure_draw (bench, "random fill, each element its bounds; a loop of one for all",
                "bounded:low=[-1,-2,-3,-4],high=[1,2,3,4]");
  measure_read (bench, "is_in, bounded f32; a read", "bounded:low=-1,high=1,shape=[4]", check);
  measure_read (bench, "is_in, each element its bounds; a read",
                "bounded:low=[-1,-2,-3,-4],high=[1,2,3,4]", check);
  measure_read (bench, "is_in, bounded u8; a read", "bounded:low=0,high=250,dtype=uint8,shape=[64]",
                check);
  measure_read (bench, "is_in, categorical i64; a read", "categorical:n=10,shape=[4]", check);
  measure_read (bench, "is_in, one-hot i64 of 4; a read", "one-hot:n=4,dtype=int64", check);
  measure_read (bench, "is_in, one-hot flags of 6; a read", "one-hot:n=6", check);
  measure_read (bench, "project of what is inside, bounded f32; a read",
                "bounded:low=-1,high=1,shape=[4]", project);
  return bench_close (bench);
}
