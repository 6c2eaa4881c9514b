/* Batches of rows copied into a ring: of CartPole's keys, and of frames. */
#include "bare-columns.h"
#include "bench.h"
#include "cartpole-run.h"

/* A ring, what is written to it again and again, and memory of the same sizes for the limit. */
typedef struct
{
  ReelReplayBuffer *buffer;
  ReelTensordict *batch;
  gint64 rows; /* of the batch */
  gint64 capacity;
  BareColumns bare;
  GMutex lock; /* of the limit: other threads may read a ring and write it, as those of a buffer */
} Extend;

static double
extend (gpointer data, gint64 n)
{
  Extend *self = data;
  GError *error = NULL;
  double begin = bench_clock ();
  gint64 done;

  for (done = 0; done < n; done += self->rows)
    bench_demand (reel_replay_buffer_extend (self->buffer, self->batch, NULL, &error), error);
  return (bench_clock () - begin) * (double) n / (double) done;
}

static double
copy (gpointer data, gint64 n)
{
  Extend *self = data;
  double begin = bench_clock ();
  gint64 done;

  for (done = 0; done < n; done += self->rows)
    {
      g_mutex_lock (&self->lock);
      bare_columns_put (&self->bare, self->rows);
      g_mutex_unlock (&self->lock);
    }
  return (bench_clock () - begin) * (double) n / (double) done;
}

/* `[rows]` of one step's keys, and a ring of them that was full once. */
static void
open_ring (Extend *self, const char *storage, ReelTensordict *step)
{
  g_autofree char *text =
      g_strdup_printf ("%s:capacity=%" G_GINT64_FORMAT, storage, self->capacity);
  g_autoptr (ReelTensordict) rows = NULL;
  g_autoptr (ReelStorage) made = NULL;
  GError *error = NULL;

  rows = reel_tensordict_expand (step, 1, &self->rows, &error);
  self->batch = rows ? reel_tensordict_clone (rows, TRUE, &error) : NULL;
  bench_demand (self->batch != NULL, error);
  made = reel_object_new_from_text (REEL_TYPE_STORAGE, text, &error, NULL);
  self->buffer = made ? reel_replay_buffer_new (made, NULL, NULL, 0, &error) : NULL;
  bench_demand (self->buffer != NULL, error);
  extend (self, self->capacity);
}

static void
measure (Bench *bench, const char *name, const char *storage, ReelTensordict *step, gint64 rows,
         gint64 batches)
{
  gboolean records = g_str_equal (storage, "records");
  Extend self = { .rows = rows, .capacity = rows * (bench_is_tiny (bench) ? 2 : batches) };

  if (!bench_wants (bench, name))
    return;
  open_ring (&self, storage, step);
  bare_columns_open (&self.bare, reel_replay_buffer_get_storage (self.buffer), rows);
  bench_measure (bench, &(BenchFigure){
                            .name = name,
                            .unit = "Mrows/s",
                            .scale = 1e6,
                            .units = bench_is_tiny (bench) ? rows : 0,
                            .floor = records ? 0.5 : 0.7,
                            .goal = records ? 0.8 : 0.9,
                            .ours = extend,
                            .data = &self,
                            .limit = copy,
                            .limit_data = &self,
                        });
  bare_columns_close (&self.bare);
  reel_tensordict_unref (self.batch);
  g_object_unref (self.buffer);
}

static ReelTensordict *
frame_step (void)
{
  ReelTensordict *step = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensor) frame =
      reel_tensor_new (REEL_DTYPE_UINT8, 3, (gint64[]){ 84, 84, 4 }, NULL);

  bench_demand (reel_tensordict_set_tensor (step, "pixels", frame, NULL), NULL);
  return step;
}

int
main (int argc, char **argv)
{
  Bench *bench = bench_open ("Extending rings", argc, argv);
  g_autoptr (ReelTensordict) small = NULL, frame = frame_step ();
  CartpoleRun run;
  GError *error = NULL;

  reel_init ();
  cartpole_run_open (&run, 1);
  small = reel_collector_make_layout (run.env, NULL, &error);
  bench_demand (small != NULL, error);
  measure (bench, "extend by 256 rows of 66 bytes, 11 keys; streaming copies", "tensor", small, 256,
           1 << 12);
  measure (bench, "extend by 8192 rows of 66 bytes, 11 keys; streaming copies", "tensor", small,
           8192, 1 << 7);
  measure (bench, "extend records by 8192 rows of 66 bytes; streaming of as many", "records", small,
           8192, 1 << 7);
  measure (bench, "extend by 256 frames, 28 kB a row; streaming copy", "tensor", frame, 256,
           1 << 7);
  cartpole_run_close (&run);
  return bench_close (bench);
}
