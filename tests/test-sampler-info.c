/* Info of a sampler is in the batch beside its rows, and a batch may be short. */
#include "../src/reel.h"
#include "counted-rows.h"

#include <string.h>

/* Draws the oldest rows, at most @most, and says of each row what its number tells. */
typedef struct
{
  ReelSampler parent_instance;
  gint64 most;
  gint64 n_bound;
} TellingSampler;

typedef struct
{
  ReelSamplerClass parent_class;
} TellingSamplerClass;

static GType telling_sampler_get_type (void);
G_DEFINE_TYPE (TellingSampler, telling_sampler, REEL_TYPE_SAMPLER)

enum
{
  WEIGHT,
  REPLACED,
  MARKED,
  NEW_MARK,
  NO_MARK,
  WIDE_MARK,
  N_INFO
};

static const ReelInfoColumn columns[N_INFO] = {
  [WEIGHT] = { "weight", REEL_DTYPE_FLOAT32, 0, { 0 }, REEL_INFO_SET },
  [REPLACED] = { "observation", REEL_DTYPE_INT64, 1, { 1 }, REEL_INFO_SET },
  [MARKED] = { "next/flag", REEL_DTYPE_BOOL, 1, { 1 }, REEL_INFO_OR },
  [NEW_MARK] = { "next/mark", REEL_DTYPE_BOOL, 1, { 1 }, REEL_INFO_OR },
  [NO_MARK] = { "next/other", REEL_DTYPE_BOOL, 1, { 1 }, REEL_INFO_OR_STORED },
  [WIDE_MARK] = { "all", REEL_DTYPE_BOOL, 0, { 0 }, REEL_INFO_OR_STORED },
};

static gboolean
bind (ReelSampler *sampler, ReelStorage *storage, GError **error)
{
  ((TellingSampler *) sampler)->n_bound++;
  return TRUE;
}

static const ReelInfoColumn *
list_info (ReelSampler *sampler, guint *n)
{
  *n = N_INFO;
  return columns;
}

static gboolean
sample (ReelSampler *sampler, ReelStorage *storage, const ReelStorageView *view, ReelDraw *draw,
        GError **error)
{
  gint64 most = ((TellingSampler *) sampler)->most;

  draw->n = MIN (draw->n, most);
  for (gint64 i = 0; i < draw->n; i++)
    {
      gint64 row = view->first_row + i;

      draw->rows[i] = row;
      ((float *) draw->info[WEIGHT])[i] = (float) row / 2;
      ((gint64 *) draw->info[REPLACED])[i] = -row;
      draw->info[MARKED][i] = row % 5 == 0;
      draw->info[NEW_MARK][i] = row % 3 == 0;
      draw->info[NO_MARK][i] = TRUE;
      draw->info[WIDE_MARK][i] = row % 2 == 0;
    }
  return TRUE;
}

static void
telling_sampler_class_init (TellingSamplerClass *klass)
{
  REEL_SAMPLER_CLASS (klass)->bind = bind;
  REEL_SAMPLER_CLASS (klass)->list_info = list_info;
  REEL_SAMPLER_CLASS (klass)->sample = sample;
}

static void
telling_sampler_init (TellingSampler *self)
{
  self->most = G_MAXINT64;
}

static ReelReplayBuffer *
new_buffer (gint64 n)
{
  ReelReplayBuffer *buffer = counted_new_buffer ("tensor", 16, 1);
  g_autoptr (ReelTensordict) data = counted_new_batch (1, 1, n, 0);
  g_autoptr (ReelTensor) all = reel_tensor_new (REEL_DTYPE_BOOL, 2, (gint64[]){ n, 3 }, NULL);

  g_assert_true (reel_tensordict_set_tensor (data, "all", all, NULL));
  g_assert_true (reel_replay_buffer_extend (buffer, data, NULL, NULL));
  return buffer;
}

static guint8 *
get_data (const ReelTensordict *batch, const char *path, ReelDtype dtype, gint ndim)
{
  const ReelTensor *tensor = reel_tensordict_get_tensor (batch, path, NULL);

  g_assert_nonnull (tensor);
  g_assert_cmpint (tensor->dtype, ==, dtype);
  g_assert_cmpint (tensor->ndim, ==, ndim);
  return tensor->data;
}

static void
assert_told (const ReelTensordict *batch, gint64 n)
{
  const float *weight = (gpointer) get_data (batch, "weight", REEL_DTYPE_FLOAT32, 1);
  const gint64 *replaced = (gpointer) get_data (batch, "observation", REEL_DTYPE_INT64, 2);
  const guint8 *flag = get_data (batch, "next/flag", REEL_DTYPE_BOOL, 2);
  const guint8 *mark = get_data (batch, "next/mark", REEL_DTYPE_BOOL, 2);
  const guint8 *all = get_data (batch, "all", REEL_DTYPE_BOOL, 2);
  g_autoptr (ReelTensordict) stored = counted_new_batch (1, 1, n, 0);
  const guint8 *was = get_data (stored, "next/flag", REEL_DTYPE_BOOL, 2);
  gint ndim;

  g_assert_cmpint (reel_tensordict_get_batch_size (batch, &ndim)[0], ==, n);
  g_assert_null (reel_tensordict_get_tensor (batch, "next/other", NULL));
  for (gint64 i = 0; i < n; i++)
    {
      g_assert_cmpint (counted_get_number (batch, &i), ==, i);
      g_assert_cmpfloat (weight[i], ==, (float) i / 2);
      g_assert_cmpint (replaced[i], ==, -i);
      g_assert_cmpint (flag[i], ==, was[i] || i % 5 == 0);
      g_assert_cmpint (mark[i], ==, i % 3 == 0);
      for (gint k = 0; k < 3; k++)
        g_assert_cmpint (all[3 * i + k], ==, i % 2 == 0);
    }
}

/* Also when the batch is filled again, and when another length makes it a new one. */
static void
test_info_is_merged (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (16);
  TellingSampler *sampler = g_object_new (telling_sampler_get_type (), NULL);
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL;
  const ReelTensordict *before;

  for (gint round = 0; round < 3; round++)
    {
      before = batch;
      reel_replay_buffer_sample_with (buffer, REEL_SAMPLER (sampler), 12, &batch, &error);
      g_assert_no_error (error);
      g_assert_true (round == 0 || batch == before);
      assert_told (batch, 12);
    }
  sampler->most = 7;
  reel_replay_buffer_sample_with (buffer, REEL_SAMPLER (sampler), 12, &batch, &error);
  g_assert_no_error (error);
  assert_told (batch, 7);
  g_assert_cmpint (sampler->n_bound, ==, 1);
  g_object_unref (sampler);
}

/* A batch that somebody changed is not filled again. */
static void
test_changed_batch_is_dropped (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (16);
  TellingSampler *sampler = g_object_new (telling_sampler_get_type (), NULL);
  g_autoptr (ReelTensordict) batch = NULL, kept = NULL;

  g_assert_true (reel_replay_buffer_sample_with (buffer, REEL_SAMPLER (sampler), 4, &batch, NULL));
  kept = reel_tensordict_ref (batch);
  g_assert_true (reel_tensordict_remove (batch, "weight", NULL));
  g_assert_true (reel_replay_buffer_sample_with (buffer, REEL_SAMPLER (sampler), 4, &batch, NULL));
  g_assert_true (batch != kept);
  assert_told (batch, 4);
  g_object_unref (sampler);
}

static void
test_marks_need_a_bool (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 16, 1);
  TellingSampler *sampler = g_object_new (telling_sampler_get_type (), NULL);
  g_autoptr (ReelTensordict) data = counted_new_batch (1, 1, 8, 0);
  g_autoptr (ReelTensor) all = reel_tensor_new (REEL_DTYPE_INT32, 1, (gint64[]){ 8 }, NULL);
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_tensordict_set_tensor (data, "all", all, NULL));
  g_assert_true (reel_replay_buffer_extend (buffer, data, NULL, NULL));
  g_assert_false (
      reel_replay_buffer_sample_with (buffer, REEL_SAMPLER (sampler), 4, &batch, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
  g_assert_cmpstr (
      error->message, ==,
      "the sampler marks rows in \"all\", which takes a bool: the storage holds int32");
  g_object_unref (sampler);
}

/* Bound when the buffer takes it, when there is memory, and for another storage. */
static void
test_binds_to_what_it_draws_from (void)
{
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, "tensor:capacity=16", NULL, NULL);
  TellingSampler *sampler = g_object_new (telling_sampler_get_type (), NULL);
  g_autoptr (ReelReplayBuffer) buffer =
      reel_replay_buffer_new (storage, REEL_SAMPLER (sampler), NULL, 4, NULL);
  g_autoptr (ReelReplayBuffer) other = new_buffer (16);
  g_autoptr (ReelTensordict) batch = NULL;

  g_assert_cmpint (sampler->n_bound, ==, 1);
  counted_extend (buffer, 1, 8, 0);
  g_assert_cmpint (sampler->n_bound, ==, 1);
  for (gint round = 0; round < 2; round++)
    g_assert_true (reel_replay_buffer_sample (buffer, 0, &batch, NULL));
  g_assert_cmpint (sampler->n_bound, ==, 2);
  g_assert_true (reel_replay_buffer_sample_with (other, REEL_SAMPLER (sampler), 4, &batch, NULL));
  g_assert_cmpint (sampler->n_bound, ==, 3);
  g_object_unref (sampler);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/buffers/sampler-info/is-merged", test_info_is_merged);
  g_test_add_func ("/buffers/sampler-info/changed-batch-is-dropped", test_changed_batch_is_dropped);
  g_test_add_func ("/buffers/sampler-info/marks-need-a-bool", test_marks_need_a_bool);
  g_test_add_func ("/buffers/sampler-info/binds-to-what-it-draws-from",
                   test_binds_to_what_it_draws_from);
  return g_test_run ();
}
