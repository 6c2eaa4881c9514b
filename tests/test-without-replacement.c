/* Passes over a ring, against a set of what is left. */
#include "../src/reel.h"
#include "counted-rows.h"

#include <math.h>
#include <string.h>

#define MOST_ROWS 16

/* The expected work of the sampler, by row slots. */
typedef struct
{
  gboolean drop_last;
  gboolean in_order;
  gint64 length; /* when the pass began; 0 before the first */
  gint64 n_left;
  gboolean left[MOST_ROWS];
  gboolean ran_out;
} Model;

static void
model_begin (Model *model, gint64 length)
{
  model->length = model->n_left = length;
  for (gint64 i = 0; i < MOST_ROWS; i++)
    model->left[i] = i < length;
}

/* Takes a batch away, whose rows must be left, and so many. */
static void
model_take (Model *model, gint64 length, gint64 wanted, const gint64 *slots, gint64 n)
{
  if (length != model->length)
    model_begin (model, length);
  g_assert_cmpint (n, ==, MIN (wanted, model->n_left));
  for (gint64 i = 0; i < n; i++)
    {
      g_assert_cmpint (slots[i], <, length);
      g_assert_true (model->left[slots[i]]);
      if (model->in_order)
        g_assert_cmpint (slots[i], ==, model->length - model->n_left);
      model->left[slots[i]] = FALSE;
      model->n_left--;
    }
  model->ran_out = model->n_left == 0 || (model->drop_last && model->n_left < wanted);
  if (model->ran_out)
    model_begin (model, length);
}

static gint64
model_remaining (const Model *model, gint64 n)
{
  if (model->length == 0)
    return G_MAXINT64;
  return model->drop_last ? model->n_left / n : (model->n_left + n - 1) / n;
}

static void
assert_printed (ReelSampler *sampler, const Model *model)
{
  g_autofree char *text = reel_sampler_to_string (sampler);
  g_autofree char *expect = g_strdup_printf (
      "SamplerWithoutReplacement( %.4f%% sampled)",
      model->length > 0 ? 100. * (double) model->n_left / (double) model->length : 0.);

  g_assert_cmpstr (text, ==, expect);
}

/* One ring, one batch size, one moment of writing. */
typedef struct
{
  gint64 lanes;
  gint64 capacity; /* steps */
  gint64 n_steps;  /* written before */
  gint64 n;        /* rows a batch */
  gint write_at;   /* before which call */
  gint64 n_later;  /* steps written then */
  gboolean drop_last;
  gboolean shuffle;
} Case;

static ReelSampler *
new_sampler (gboolean drop_last, gboolean shuffle, gint64 seed)
{
  g_autofree char *text =
      g_strdup_printf ("without-replacement:drop-last=%s,shuffle=%s,seed=%d",
                       drop_last ? "true" : "false", shuffle ? "true" : "false", (int) seed);
  g_autoptr (GError) error = NULL;
  ReelSampler *sampler = reel_object_new_from_text (REEL_TYPE_SAMPLER, text, &error, NULL);

  g_assert_no_error (error);
  return sampler;
}

/* The slots of a batch, whose rows must be the newest there. */
static gint64
find_slots (const ReelTensordict *batch, const Case *the_case, gint64 n_rows, gint64 *slots)
{
  gint ndim;
  gint64 n = reel_tensordict_get_batch_size (batch, &ndim)[0];
  gint64 rows = the_case->capacity * the_case->lanes;

  for (gint64 i = 0; i < n; i++)
    {
      gint64 number = counted_get_number (batch, &i);

      g_assert_true (counted_is_whole (batch, &i));
      g_assert_cmpint (number, <, n_rows);
      g_assert_cmpint (number, >=, n_rows - rows);
      slots[i] = number % rows;
    }
  return n;
}

static void
run_case (const Case *the_case, ReelReplayBuffer *buffer, gint64 seed)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
  g_autoptr (ReelSampler) sampler = new_sampler (the_case->drop_last, the_case->shuffle, seed);
  g_autoptr (ReelTensordict) batch = NULL;
  Model model = { .drop_last = the_case->drop_last, .in_order = !the_case->shuffle };
  gint64 n_steps = the_case->n_steps, slots[MOST_ROWS];

  for (gint call = 0; call < 8; call++)
    {
      g_autoptr (GError) error = NULL;
      gint64 length;

      if (call == the_case->write_at && the_case->n_later > 0)
        {
          counted_extend (buffer, the_case->lanes, the_case->n_later, n_steps);
          n_steps += the_case->n_later;
        }
      length = reel_storage_get_length (storage);
      reel_replay_buffer_sample_with (buffer, sampler, the_case->n, &batch, &error);
      if (the_case->drop_last && the_case->n > length)
        {
          g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
          continue;
        }
      g_assert_no_error (error);
      model_take (&model, length, the_case->n, slots,
                  find_slots (batch, the_case, n_steps * the_case->lanes, slots));
      g_assert_cmpint (reel_sampler_get_ran_out (sampler), ==, model.ran_out);
      g_assert_cmpint (reel_sampler_get_remaining (sampler, the_case->n), ==,
                       model_remaining (&model, the_case->n));
      assert_printed (sampler, &model);
    }
}

static gint64
run_ways (Case the_case)
{
  gint64 rows = the_case.capacity * the_case.lanes, n_cases = 0;

  for (the_case.n = 1; the_case.n <= rows + 1; the_case.n++)
    for (the_case.write_at = 0; the_case.write_at < 4; the_case.write_at++)
      for (the_case.n_later = 0; the_case.n_later <= 2; the_case.n_later++)
        for (gint way = 0; way < 4; way++, n_cases++)
          {
            g_autoptr (ReelReplayBuffer) buffer =
                counted_new_buffer ("tensor", rows, the_case.lanes > 1 ? 2 : 1);

            the_case.drop_last = way & 1;
            the_case.shuffle = !(way & 2);
            counted_extend (buffer, the_case.lanes, the_case.n_steps, 0);
            run_case (&the_case, buffer, n_cases);
          }
  return n_cases;
}

/* Every ring of at most ten steps and 16 rows, filled in
 * part, to the brim and over, with steps written between any two of the first calls. */
static void
test_every_small_ring (void)
{
  gint64 n_cases = 0;

  for (gint64 lanes = 1; lanes <= 3; lanes++)
    for (gint64 capacity = 1; capacity <= (lanes == 1 ? 7 : 12 / lanes); capacity++)
      for (gint64 n_steps = 1; n_steps <= capacity + 2; n_steps++)
        n_cases += run_ways ((Case){ .lanes = lanes, .capacity = capacity, .n_steps = n_steps });
  g_test_message ("%" G_GINT64_FORMAT " cases", n_cases);
  g_assert_cmpint (n_cases, >, 20000);
}

/* A lap of blocks lent and given over leaves nothing in doubt: the length stays that of the ring,
 * even where the block is the last of a lap. */
static void
test_blocks_out_do_not_end_a_pass (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 16, 1);
  g_autoptr (ReelSampler) sampler = new_sampler (FALSE, TRUE, 0);
  g_autoptr (ReelTensordict) batch = NULL;
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
  gint64 n_drawn = 0;
  gint ndim;

  counted_extend (buffer, 1, 16, 0);
  for (gint64 step = 16; step < 80; step += 2)
    {
      ReelReservation block;
      gboolean ran_out;

      g_assert_true (reel_replay_buffer_reserve (buffer, 2, &block, NULL));
      g_assert_true (reel_replay_buffer_sample_with (buffer, sampler, 2, &batch, NULL));
      n_drawn += reel_tensordict_get_batch_size (batch, &ndim)[0];
      for (gint64 i = 0; i < reel_tensordict_get_batch_size (batch, &ndim)[0]; i++)
        g_assert_true (counted_is_whole (batch, &i));
      ran_out = reel_sampler_get_ran_out (sampler);
      g_assert_true (n_drawn <= 16);
      if (ran_out)
        {
          g_assert_cmpint (n_drawn, >=, 12); /* two rows were out at each of the last calls */
          n_drawn = 0;
        }
      counted_fill_block (storage, &block, 0, 1);
      reel_replay_buffer_commit (buffer, &block, 2);
    }
}

/* T7.3-2 */
static void
test_batch_sizes_may_change (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 16, 1);
  g_autoptr (ReelSampler) sampler = new_sampler (FALSE, TRUE, 1);
  static const gint64 sizes[] = { 3, 1, 7, 2, 9 }, expect[] = { 3, 1, 7, 2, 3 };
  gboolean seen[16] = { FALSE };

  counted_extend (buffer, 1, 16, 0);
  for (gsize call = 0; call < G_N_ELEMENTS (sizes); call++)
    {
      g_autoptr (ReelTensordict) batch = NULL;
      gint ndim;

      g_assert_true (reel_replay_buffer_sample_with (buffer, sampler, sizes[call], &batch, NULL));
      g_assert_cmpint (reel_tensordict_get_batch_size (batch, &ndim)[0], ==, expect[call]);
      for (gint64 i = 0; i < expect[call]; i++)
        {
          g_assert_false (seen[counted_get_number (batch, &i)]);
          seen[counted_get_number (batch, &i)] = TRUE;
        }
    }
  g_assert_true (reel_sampler_get_ran_out (sampler));
}

/* All orders of four rows come as often: chi-squared of 23 degrees of freedom, deviation 6.8; also
 * where the pass is drawn in two batches. */
static void
test_orders_are_as_likely (gconstpointer split)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 4, 1);
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
  g_autoptr (ReelSampler) sampler = new_sampler (FALSE, TRUE, 11);
  gint64 counts[256] = { 0 }, n_passes = 240000, n_orders = 0;
  ReelStorageView view;
  double chi = 0;

  counted_extend (buffer, 1, 4, 0);
  reel_storage_get_view (storage, &view);
  for (gint64 pass = 0; pass < n_passes; pass++)
    {
      gint64 rows[4], code = 0;
      gint64 first = GPOINTER_TO_INT (split);
      ReelDraw a = { .n = first, .rows = rows }, b = { .n = 4, .rows = rows + first };

      g_assert_true (reel_sampler_sample (sampler, storage, &view, &a, NULL));
      g_assert_true (first == 4 || reel_sampler_sample (sampler, storage, &view, &b, NULL));
      for (gint i = 0; i < 4; i++)
        code = code * 4 + rows[i];
      counts[code]++;
    }
  for (gint code = 0; code < 256; code++)
    if (counts[code] > 0)
      {
        double expect = (double) n_passes / 24;

        n_orders++;
        chi += pow ((double) counts[code] - expect, 2) / expect;
      }
  g_test_message ("seed 11: chi-squared %g of 23", chi);
  g_assert_cmpint (n_orders, ==, 24);
  g_assert_cmpfloat (chi, <, 23 + 5 * 6.8);
}

/* TorchRL's print after 4 of 10. */
static void
test_prints (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 10, 1);
  g_autoptr (ReelSampler) sampler = new_sampler (FALSE, TRUE, 1);
  g_autoptr (ReelTensordict) batch = NULL;
  g_autofree char *before = reel_sampler_to_string (sampler), *after = NULL;

  g_assert_cmpstr (before, ==, "SamplerWithoutReplacement( 0.0000% sampled)");
  counted_extend (buffer, 1, 10, 0);
  g_assert_true (reel_replay_buffer_sample_with (buffer, sampler, 4, &batch, NULL));
  after = reel_sampler_to_string (sampler);
  g_assert_cmpstr (after, ==, "SamplerWithoutReplacement( 60.0000% sampled)");
}

static void
test_refusals (void)
{
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, "tensor:capacity=10", NULL, NULL);
  g_autoptr (ReelSampler) sampler = new_sampler (TRUE, TRUE, 1);
  g_autoptr (ReelReplayBuffer) buffer = NULL;
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL;

  buffer = reel_replay_buffer_new (storage, sampler, NULL, 0, &error);
  g_assert_null (buffer);
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_true (g_str_has_prefix (error->message, "Samplers with drop_last=True must work with a "
                                                   "predictable batch-size."));
  g_clear_error (&error);
  buffer = reel_replay_buffer_new (storage, sampler, NULL, 6, NULL);
  counted_extend (buffer, 1, 5, 0);
  g_assert_false (reel_replay_buffer_sample (buffer, 0, &batch, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_true (g_str_has_prefix (error->message,
                                   "The batch size (6) is greater than the storage capacity (5)."));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/samplers/without-replacement/every-small-ring", test_every_small_ring);
  g_test_add_func ("/samplers/without-replacement/blocks-out-do-not-end-a-pass",
                   test_blocks_out_do_not_end_a_pass);
  g_test_add_func ("/samplers/without-replacement/batch-sizes-may-change",
                   test_batch_sizes_may_change);
  g_test_add_data_func ("/samplers/without-replacement/orders-are-as-likely/whole",
                        GINT_TO_POINTER (4), test_orders_are_as_likely);
  g_test_add_data_func ("/samplers/without-replacement/orders-are-as-likely/split",
                        GINT_TO_POINTER (1), test_orders_are_as_likely);
  g_test_add_func ("/samplers/without-replacement/prints", test_prints);
  g_test_add_func ("/samplers/without-replacement/refusals", test_refusals);
  return g_test_run ();
}
