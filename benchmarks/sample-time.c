#include "sample-time.h"

#include "bench.h"

double
sample_time (ReelReplayBuffer *buffer, gint64 batch_size, ReelTensordict **batch, gint64 n)
{
  GError *error = NULL;
  double begin = bench_clock ();

  for (gint64 i = 0; i < n; i++)
    bench_demand (reel_replay_buffer_sample (buffer, batch_size, batch, &error), error);
  return bench_clock () - begin;
}
