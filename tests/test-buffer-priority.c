/* Which rows and priorities a sampler is told, whatever form they are given in. */
#include "../src/reel.h"
#include "counted-rows.h"

#include <math.h>

#define MOST 64

/* Remembers what it is told. */
typedef struct
{
  ReelSampler parent_instance;
  const char *reduction;
  gint64 n;
  gint64 slots[MOST];
  double priorities[MOST];
  gint64 n_marked;
  gint64 n_bound;
} RecordSampler;

typedef struct
{
  ReelSamplerClass parent_class;
} RecordSamplerClass;

static GType record_sampler_get_type (void);
G_DEFINE_TYPE (RecordSampler, record_sampler, REEL_TYPE_SAMPLER)

static gboolean
bind (ReelSampler *sampler, ReelStorage *storage, GError **error)
{
  ((RecordSampler *) sampler)->n_bound++;
  return TRUE;
}

static gboolean
sample (ReelSampler *sampler, ReelStorage *storage, const ReelStorageView *view, ReelDraw *draw,
        GError **error)
{
  for (gint64 i = 0; i < draw->n; i++)
    draw->rows[i] = view->first_row + i;
  return TRUE;
}

static gboolean
update_priority (ReelSampler *sampler, ReelStorage *storage, const gint64 *slots, gint64 n,
                 const double *priorities, GError **error)
{
  RecordSampler *self = (RecordSampler *) sampler;

  g_assert_cmpint (n, <=, MOST);
  self->n = n;
  for (gint64 i = 0; i < n; i++)
    {
      self->slots[i] = slots[i];
      self->priorities[i] = priorities[i];
    }
  return TRUE;
}

static gboolean
mark_update (ReelSampler *sampler, ReelStorage *storage, const gint64 *slots, gint64 n,
             GError **error)
{
  ((RecordSampler *) sampler)->n_marked += n;
  return TRUE;
}

static double
get_default_priority (ReelSampler *sampler)
{
  return 2.5;
}

static const char *
get_reduction (ReelSampler *sampler)
{
  return ((RecordSampler *) sampler)->reduction;
}

static void
record_sampler_class_init (RecordSamplerClass *klass)
{
  REEL_SAMPLER_CLASS (klass)->bind = bind;
  REEL_SAMPLER_CLASS (klass)->sample = sample;
  REEL_SAMPLER_CLASS (klass)->update_priority = update_priority;
  REEL_SAMPLER_CLASS (klass)->mark_update = mark_update;
  REEL_SAMPLER_CLASS (klass)->get_default_priority = get_default_priority;
  REEL_SAMPLER_CLASS (klass)->get_reduction = get_reduction;
}

static void
record_sampler_init (RecordSampler *self)
{
  self->reduction = "max";
}

typedef struct
{
  ReelReplayBuffer *buffer;
  RecordSampler *sampler;
} Fixture;

/* Four rows, or four steps of three lanes. */
static Fixture
open_buffer (gint ndim)
{
  g_autofree char *text = g_strdup_printf ("tensor:capacity=%d,ndim=%d", ndim > 1 ? 24 : 8, ndim);
  g_autoptr (ReelStorage) storage = reel_object_new_from_text (REEL_TYPE_STORAGE, text, NULL, NULL);
  Fixture fixture = { .sampler = g_object_new (record_sampler_get_type (), NULL) };

  fixture.buffer = reel_replay_buffer_new (storage, REEL_SAMPLER (fixture.sampler), NULL, 4, NULL);
  counted_extend (fixture.buffer, ndim > 1 ? 3 : 1, 4, 0);
  return fixture;
}

static void
close_buffer (Fixture *fixture)
{
  g_object_unref (fixture->buffer);
  g_object_unref (fixture->sampler);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Fixture, close_buffer)

static ReelTensor *
new_index (gint ndim, const gint64 *shape, const gint64 *values)
{
  ReelTensor *tensor = reel_tensor_new (REEL_DTYPE_INT64, ndim, shape, NULL);

  for (gint64 i = 0; i < reel_tensor_numel (tensor); i++)
    ((gint64 *) tensor->data)[i] = values[i];
  return tensor;
}

static ReelTensor *
new_reals (gint ndim, const gint64 *shape, const float *values)
{
  ReelTensor *tensor = reel_tensor_new (REEL_DTYPE_FLOAT32, ndim, shape, NULL);

  for (gint64 i = 0; i < reel_tensor_numel (tensor); i++)
    ((float *) tensor->data)[i] = values[i];
  return tensor;
}

static void
assert_told (const RecordSampler *sampler, gint64 n, const gint64 *slots, const double *priorities)
{
  g_assert_cmpint (sampler->n, ==, n);
  for (gint64 i = 0; i < n; i++)
    {
      g_assert_cmpint (sampler->slots[i], ==, slots[i]);
      g_assert_cmpfloat (sampler->priorities[i], ==, priorities[i]);
    }
}

/* One for each, one for all, and none for what a writer rejected. */
static void
test_rows_of_one_dimension (void)
{
  g_auto (Fixture) fixture = open_buffer (1);
  g_autoptr (ReelTensor) index = new_index (1, (gint64[]){ 3 }, (gint64[]){ 2, -1, 0 });
  g_autoptr (ReelTensor) column = new_index (2, (gint64[]){ 3, 1 }, (gint64[]){ 2, -1, 0 });
  g_autoptr (ReelTensor) each = new_reals (2, (gint64[]){ 3, 1 }, (float[]){ 1, 2, 3 });
  g_autoptr (ReelTensor) all = new_reals (0, NULL, (float[]){ 7 });
  g_autoptr (ReelTensor) whole = new_index (1, (gint64[]){ 3 }, (gint64[]){ 4, 5, 6 });
  gint64 slots[] = { 2, 0 };

  g_assert_true (reel_replay_buffer_update_priority (fixture.buffer, index, each, NULL));
  assert_told (fixture.sampler, 2, slots, (double[]){ 1, 3 });
  g_assert_true (reel_replay_buffer_update_priority (fixture.buffer, column, all, NULL));
  assert_told (fixture.sampler, 2, slots, (double[]){ 7, 7 });
  g_assert_true (reel_replay_buffer_update_priority (fixture.buffer, index, whole, NULL));
  assert_told (fixture.sampler, 2, slots, (double[]){ 4, 6 });
  g_assert_true (reel_replay_buffer_mark_update (fixture.buffer, index, NULL));
  g_assert_cmpint (fixture.sampler->n_marked, ==, 2);
}

/* Priorities [B, T] go with the index of what was extended, whose steps are outermost. */
static void
test_rows_of_two_dimensions (void)
{
  g_auto (Fixture) fixture = open_buffer (2);
  g_autoptr (ReelTensordict) data = counted_new_batch (2, 3, 2, 4);
  g_autoptr (ReelTensor) index = NULL;
  g_autoptr (ReelTensor) lanes_first =
      new_reals (2, (gint64[]){ 3, 2 }, (float[]){ 1, 2, 3, 4, 5, 6 });
  gint64 slots[] = { 12, 13, 14, 15, 16, 17 };

  g_assert_true (reel_replay_buffer_extend (fixture.buffer, data, &index, NULL));
  g_assert_true (reel_replay_buffer_update_priority (fixture.buffer, index, lanes_first, NULL));
  assert_told (fixture.sampler, 6, slots, (double[]){ 1, 3, 5, 2, 4, 6 });
}

static void
test_priorities_of_a_batch (void)
{
  static const struct
  {
    const char *reduction;
    double expect[2];
  } cases[] = {
    { "max", { 4, 9 } },     { "min", { 1, -1 } },           { "sum", { 8, 8 } },
    { "median", { 1, -1 } }, { "mean", { 8. / 4, 8. / 4 } },
  };
  g_auto (Fixture) fixture = open_buffer (1);
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (ReelTensor) errors =
      new_reals (2, (gint64[]){ 2, 4 }, (float[]){ 4, 1, 2, 1, 9, -1, 1, -1 });
  gint64 slots[] = { 0, 1 };

  g_assert_true (reel_replay_buffer_sample (fixture.buffer, 2, &batch, NULL));
  g_assert_true (reel_replay_buffer_update_tensordict_priority (fixture.buffer, batch, NULL));
  assert_told (fixture.sampler, 2, slots, (double[]){ 2.5, 2.5 });
  g_assert_true (reel_tensordict_set_tensor (batch, "td_error", errors, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      fixture.sampler->reduction = cases[i].reduction;
      g_assert_true (reel_replay_buffer_update_tensordict_priority (fixture.buffer, batch, NULL));
      assert_told (fixture.sampler, 2, slots, cases[i].expect);
    }
  reel_replay_buffer_set_priority_key (fixture.buffer, "p");
  g_assert_true (reel_replay_buffer_update_tensordict_priority (fixture.buffer, batch, NULL));
  assert_told (fixture.sampler, 2, slots, (double[]){ 2.5, 2.5 });
}

/* A batch of a ring with lanes: index [n, 2], priorities [n]; and data as they were extended, index
 * [B, T, 2], priorities [B, T]. */
static void
test_priorities_of_lanes (void)
{
  g_auto (Fixture) fixture = open_buffer (2);
  g_autoptr (ReelTensordict) batch = NULL, extended = counted_new_batch (2, 2, 2, 0);
  g_autoptr (ReelTensor) errors = new_reals (1, (gint64[]){ 4 }, (float[]){ 1, 2, 3, 4 });
  g_autoptr (ReelTensor) lanes = new_reals (2, (gint64[]){ 2, 2 }, (float[]){ 1, 2, 3, 4 });
  g_autoptr (ReelTensor) index =
      new_index (3, (gint64[]){ 2, 2, 2 }, (gint64[]){ 0, 0, 1, 0, 0, 1, 1, 1 });

  g_assert_true (reel_replay_buffer_sample (fixture.buffer, 4, &batch, NULL));
  g_assert_true (reel_tensordict_set_tensor (batch, "td_error", errors, NULL));
  g_assert_true (reel_replay_buffer_update_tensordict_priority (fixture.buffer, batch, NULL));
  assert_told (fixture.sampler, 4, (gint64[]){ 0, 1, 2, 3 }, (double[]){ 1, 2, 3, 4 });
  g_assert_true (reel_tensordict_set_tensor (extended, "td_error", lanes, NULL));
  g_assert_true (reel_tensordict_set_tensor (extended, "index", index, NULL));
  g_assert_true (reel_replay_buffer_update_tensordict_priority (fixture.buffer, extended, NULL));
  assert_told (fixture.sampler, 4, (gint64[]){ 0, 3, 1, 4 }, (double[]){ 1, 2, 3, 4 });
}

/* Every refusal, and nothing is told. */
static void
test_refusals (void)
{
  g_auto (Fixture) fixture = open_buffer (2);
  g_autoptr (ReelTensor) good = new_index (2, (gint64[]){ 1, 2 }, (gint64[]){ 0, 0 });
  g_autoptr (ReelTensor) flat = new_index (1, (gint64[]){ 1 }, (gint64[]){ 0 });
  g_autoptr (ReelTensor) beyond = new_index (2, (gint64[]){ 1, 2 }, (gint64[]){ 0, 3 });
  g_autoptr (ReelTensor) one = new_reals (1, (gint64[]){ 1 }, (float[]){ 1 });
  g_autoptr (ReelTensor) two = new_reals (1, (gint64[]){ 2 }, (float[]){ 1, 2 });
  g_autoptr (ReelTensor) complex = reel_tensor_new (REEL_DTYPE_COMPLEX64, 1, (gint64[]){ 1 }, NULL);
  const struct
  {
    ReelTensor *index, *priority;
    gint code;
  } cases[] = {
    { one, one, REEL_ERROR_TYPE },      { flat, one, REEL_ERROR_VALUE },
    { beyond, one, REEL_ERROR_INDEX },  { good, two, REEL_ERROR_RUNTIME },
    { good, complex, REEL_ERROR_TYPE },
  };
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) refusal = NULL;

      g_assert_false (reel_replay_buffer_update_priority (fixture.buffer, cases[i].index,
                                                          cases[i].priority, &refusal));
      g_assert_error (refusal, REEL_ERROR, cases[i].code);
    }
  g_assert_true (reel_replay_buffer_sample (fixture.buffer, 2, &batch, NULL));
  fixture.sampler->reduction = "mode";
  g_assert_true (reel_tensordict_set_tensor (batch, "td_error", two, NULL));
  g_assert_false (reel_replay_buffer_update_tensordict_priority (fixture.buffer, batch, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED);
  g_clear_error (&error);
  g_assert_true (reel_tensordict_remove (batch, "index", NULL));
  g_assert_false (reel_replay_buffer_update_tensordict_priority (fixture.buffer, batch, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
  g_assert_cmpint (fixture.sampler->n, ==, 0);
}

/* A sampler gets the key of priorities from the buffer, and keeps what it knows where it changes.
 */
static void
test_key_reaches_the_sampler (void)
{
  g_auto (Fixture) fixture = open_buffer (1);
  ReelSampler *sampler = REEL_SAMPLER (fixture.sampler);
  g_autoptr (ReelTensordict) batch = NULL;
  gint64 n_bound;

  g_assert_cmpstr (reel_sampler_get_priority_key (sampler), ==, "td_error");
  g_assert_true (reel_replay_buffer_sample (fixture.buffer, 2, &batch, NULL));
  n_bound = fixture.sampler->n_bound;
  reel_replay_buffer_set_priority_key (fixture.buffer, "td_error");
  g_assert_true (reel_replay_buffer_sample (fixture.buffer, 2, &batch, NULL));
  g_assert_cmpint (fixture.sampler->n_bound, ==, n_bound);
  reel_replay_buffer_set_priority_key (fixture.buffer, NULL);
  g_assert_null (reel_sampler_get_priority_key (sampler));
  g_assert_true (reel_replay_buffer_sample (fixture.buffer, 2, &batch, NULL));
  g_assert_cmpint (fixture.sampler->n_bound, ==, n_bound);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/buffers/priority/rows-of-one-dimension", test_rows_of_one_dimension);
  g_test_add_func ("/buffers/priority/rows-of-two-dimensions", test_rows_of_two_dimensions);
  g_test_add_func ("/buffers/priority/priorities-of-a-batch", test_priorities_of_a_batch);
  g_test_add_func ("/buffers/priority/priorities-of-lanes", test_priorities_of_lanes);
  g_test_add_func ("/buffers/priority/refusals", test_refusals);
  g_test_add_func ("/buffers/priority/key-reaches-the-sampler", test_key_reaches_the_sampler);
  return g_test_run ();
}
