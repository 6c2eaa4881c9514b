/* The contract of samplers, run over all that are listed. */
#include "../src/reel.h"
#include "contract.h"
#include "count-allocations.h"
#include "counted-rows.h"

#include <math.h>
#include <string.h>

#define MOST 4096
#define CANARY (-77)

/* ---- what they draw from ---- */

typedef struct
{
  gint ndim;
  gint64 lanes;
  gint64 capacity; /* rows */
  gint64 n_steps;  /* written */
} Ring;

static const Ring rings[] = {
  { 1, 1, 64, 1 },  { 1, 1, 64, 40 }, { 1, 1, 64, 64 }, { 1, 1, 64, 150 },
  { 2, 3, 48, 10 }, { 2, 3, 48, 16 }, { 2, 3, 48, 45 }, { 2, 2, 1000, 450 },
};

/* The properties that samplers of a kind need, for counted rows. */
static const char *
necessary_properties (const char *id)
{
  if (strstr (id, "lice"))
    return ",slice-len=1,end-key=next/flag";
  if (strstr (id, "equence"))
    return ",length=1,done-key=next/flag";
  if (strstr (id, "tale"))
    return ",version-key=id,consumer-version=10";
  return strstr (id, "onsuming") ? ",max-sample-count=1000000" : "";
}

static ReelSampler *
new_sampler_with (const char *id, gint64 seed, const char *more)
{
  g_autofree char *text = g_strdup_printf ("%s:seed=%" G_GINT64_FORMAT "%s%s", id, seed,
                                           necessary_properties (id), more);
  g_autoptr (GError) error = NULL;
  ReelSampler *sampler = reel_object_new_from_text (REEL_TYPE_SAMPLER, text, &error, NULL);

  g_assert_no_error (error);
  return sampler;
}

static ReelSampler *
new_sampler (const char *id, gint64 seed)
{
  return new_sampler_with (id, seed, "");
}

static ReelReplayBuffer *
new_buffer (const Ring *ring)
{
  ReelReplayBuffer *buffer = counted_new_buffer ("tensor", ring->capacity, ring->ndim);

  for (gint64 step = 0, n; step < ring->n_steps; step += n)
    {
      n = MIN (7, ring->n_steps - step);
      counted_extend (buffer, ring->lanes, n, step);
    }
  return buffer;
}

/* ---- drawing without copying ---- */

typedef struct
{
  ReelDraw draw;
  gint64 rows[MOST + 1];
  guint n_info;
  guint8 *info[8];
} Drawn;

static void
drawn_open (Drawn *drawn, ReelSampler *sampler, ReelStorage *storage)
{
  g_autoptr (GError) error = NULL;

  *drawn = (Drawn){ 0 };
  reel_sampler_bind (sampler, storage, &error);
  g_assert_no_error (error);
  const ReelInfoColumn *info = reel_sampler_list_info (sampler, &drawn->n_info);
  g_assert_cmpuint (drawn->n_info, <=, G_N_ELEMENTS (drawn->info));
  for (guint i = 0; i < drawn->n_info; i++)
    drawn->info[i] = g_malloc ((MOST + 1) * 8 * (info[i].ndim > 0 ? info[i].shape[0] : 1));
  drawn->draw.rows = drawn->rows;
  drawn->draw.info = drawn->info;
}

static void
drawn_close (Drawn *drawn)
{
  for (guint i = 0; i < drawn->n_info; i++)
    g_free (drawn->info[i]);
}

/* Every draw is checked: at most as many as wanted, rows of the view, nothing past the last. */
static gint64
draw (Drawn *drawn, ReelSampler *sampler, ReelStorage *storage, gint64 n)
{
  g_autoptr (GError) error = NULL;
  ReelStorageView view;

  reel_storage_get_view (storage, &view);
  drawn->draw.n = n;
  for (gint64 i = 0; i <= n; i++)
    drawn->rows[i] = CANARY;
  reel_sampler_sample (sampler, storage, &view, &drawn->draw, &error);
  g_assert_no_error (error);
  g_assert_cmpint (drawn->draw.n, >=, 1);
  g_assert_cmpint (drawn->draw.n, <=, n);
  g_assert_cmpint (drawn->rows[n], ==, CANARY);
  for (gint64 i = 0; i < drawn->draw.n; i++)
    {
      g_assert_cmpint (drawn->rows[i], >=, view.first_row);
      g_assert_cmpint (drawn->rows[i], <, view.end_row);
    }
  return drawn->draw.n;
}

/* ---- the contract ---- */

static void
assert_is_empty (ReelReplayBuffer *buffer, ReelSampler *sampler)
{
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_false (reel_replay_buffer_sample_with (buffer, sampler, 4, &batch, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_cmpstr (error->message, ==, "Cannot sample from an empty storage.");
  g_assert_null (batch);
}

static void
test_empty_storage_is_an_error (gconstpointer id)
{
  g_autoptr (ReelSampler) sampler = new_sampler (id, 0);
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 20, 1);

  assert_is_empty (buffer, sampler);
  counted_extend (buffer, 1, 20, 0);
  g_assert_true (reel_replay_buffer_empty (buffer, TRUE, NULL));
  assert_is_empty (buffer, sampler);
}

static void
test_draws_rows_of_the_view (gconstpointer id)
{
  for (gsize i = 0; i < G_N_ELEMENTS (rings); i++)
    for (gint64 n = 1; n <= MOST; n *= 4)
      {
        g_autoptr (ReelReplayBuffer) buffer = new_buffer (&rings[i]);
        ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
        g_autoptr (ReelSampler) sampler = new_sampler (id, 3);
        Drawn drawn;

        drawn_open (&drawn, sampler, storage);
        for (gint round = 0; round < 3; round++)
          draw (&drawn, sampler, storage, n);
        drawn_close (&drawn);
      }
}

/* T7.2-1 */
static void
test_equal_seeds_draw_equal_rows (gconstpointer id)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (&(Ring){ 2, 2, 1000, 600 });
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
  g_autoptr (ReelSampler) a = new_sampler (id, 5), b = new_sampler (id, 5), c = new_sampler (id, 6);
  Drawn drawn[3];
  gboolean differs = FALSE;

  drawn_open (&drawn[0], a, storage);
  drawn_open (&drawn[1], b, storage);
  drawn_open (&drawn[2], c, storage);
  for (gint round = 0; round < 3; round++)
    {
      gsize bytes = sizeof (gint64) * (gsize) draw (&drawn[0], a, storage, 200);

      g_assert_cmpint (draw (&drawn[1], b, storage, 200), ==, drawn[0].draw.n);
      g_assert_cmpmem (drawn[0].rows, bytes, drawn[1].rows, bytes);
      draw (&drawn[2], c, storage, 200);
      differs = differs || memcmp (drawn[0].rows, drawn[2].rows, bytes) != 0;
    }
  g_assert_true (differs);
  for (gsize i = 0; i < G_N_ELEMENTS (drawn); i++)
    drawn_close (&drawn[i]);
}

static void
test_every_row_is_reached (gconstpointer id)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (&(Ring){ 2, 3, 48, 45 });
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
  g_autoptr (ReelSampler) sampler = new_sampler (id, 1);
  gboolean seen[48] = { FALSE };
  ReelStorageView view;
  Drawn drawn;

  reel_storage_get_view (storage, &view);
  drawn_open (&drawn, sampler, storage);
  for (gint64 n = 0; n < MOST; n += draw (&drawn, sampler, storage, 16))
    for (gint64 i = 0; i < drawn.draw.n; i++)
      seen[drawn.rows[i] - view.first_row] = TRUE;
  for (gint i = 0; i < 48; i++)
    g_assert_true (seen[i]);
  drawn_close (&drawn);
}

/* Draws and writes in turn, over several laps: the rows that a batch holds are those that its index
 * says. */
static void
test_follows_the_writer (gconstpointer id)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 48, 2);
  g_autoptr (ReelSampler) sampler = new_sampler (id, 1);
  g_autoptr (ReelTensordict) batch = NULL;

  for (gint64 step = 0, n; step < 200; step += n)
    {
      g_autoptr (GError) error = NULL;
      const gint64 *index;
      gint ndim;

      n = 1 + step % 5;
      counted_extend (buffer, 3, n, step);
      reel_replay_buffer_sample_with (buffer, sampler, 12, &batch, &error);
      g_assert_no_error (error);
      index = (gpointer) reel_tensordict_get_tensor (batch, "index", NULL)->data;
      for (gint64 i = 0; i < reel_tensordict_get_batch_size (batch, &ndim)[0]; i++)
        {
          g_assert_true (counted_is_whole (batch, &i));
          g_assert_cmpint (counted_get_number (batch, &i) % 48, ==,
                           index[2 * i] * 3 + index[2 * i + 1]);
        }
    }
}

static void
test_forgets_what_was_emptied (gconstpointer id)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (&rings[2]);
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
  g_autoptr (ReelSampler) sampler = new_sampler (id, 1);
  Drawn drawn;

  drawn_open (&drawn, sampler, storage);
  draw (&drawn, sampler, storage, 16);
  g_assert_true (reel_replay_buffer_empty (buffer, TRUE, NULL));
  reel_sampler_empty (sampler);
  assert_is_empty (buffer, sampler);
  counted_extend (buffer, 1, 20, 0);
  for (gint round = 0; round < 10; round++)
    draw (&drawn, sampler, storage, 16);
  drawn_close (&drawn);
}

/* A sampler may be asked for another storage, which begins anew. */
static void
test_goes_to_another_storage (gconstpointer id)
{
  g_autoptr (ReelSampler) sampler = new_sampler (id, 1);

  for (gsize i = 0; i < G_N_ELEMENTS (rings); i++)
    {
      g_autoptr (ReelReplayBuffer) buffer = new_buffer (&rings[i]);
      ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
      Drawn drawn;

      drawn_open (&drawn, sampler, storage);
      draw (&drawn, sampler, storage, 16);
      drawn_close (&drawn);
    }
}

/* Once it is warm, that is: the first batch and the first passes make room. A batch of another size
 * is another batch: passes drop their last. */
static void
test_allocates_nothing (gconstpointer id)
{
  static const char *const storages[] = { "tensor", "tensor:layout=records", "memmap" };

  if (!allocations_are_counted ())
    {
      g_test_skip ("sanitizers have an allocator of their own");
      return;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (storages); i++)
    {
      g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer (storages[i], 800, 2);
      g_autoptr (ReelSampler) sampler =
          new_sampler_with (id, 1, strstr (id, "ithout") ? ",drop-last=true" : "");
      g_autoptr (ReelTensordict) batch = NULL;
      gint64 before = 0;

      counted_extend (buffer, 2, 450, 0);
      for (gint n = 0; n < 260; n++)
        {
          g_autoptr (GError) error = NULL;

          if (n == 60)
            before = allocations_get_count ();
          reel_replay_buffer_sample_with (buffer, sampler, 32, &batch, &error);
          g_assert_no_error (error);
        }
      g_assert_cmpint (allocations_get_count (), ==, before);
    }
}

static const ContractTest contract[] = {
  { "empty-storage-is-an-error", test_empty_storage_is_an_error },
  { "draws-rows-of-the-view", test_draws_rows_of_the_view },
  { "equal-seeds-draw-equal-rows", test_equal_seeds_draw_equal_rows },
  { "every-row-is-reached", test_every_row_is_reached },
  { "follows-the-writer", test_follows_the_writer },
  { "forgets-what-was-emptied", test_forgets_what_was_emptied },
  { "goes-to-another-storage", test_goes_to_another_storage },
  { "allocates-nothing", test_allocates_nothing },
};

/* ---- the uniform one ---- */

static void
draw_random (ReelSampler *sampler, const ReelStorageView *view, gint64 n, gint64 *rows)
{
  ReelDraw draw = { .n = n, .rows = rows };
  g_autoptr (GError) error = NULL;

  REEL_SAMPLER_GET_CLASS (sampler)->sample (sampler, NULL, view, &draw, &error);
  g_assert_no_error (error);
  g_assert_cmpint (draw.n, ==, n);
}

/* Every small ring, and some beyond 2^32 rows: inside, and one past the last is not written. */
static void
test_random_stays_in_the_view (void)
{
  static const gint64 firsts[] = { 0, 1, 41, 3ll << 40 };
  static const gint64 sizes[] = { 1, 2, 3, 5, 64, 65, (1ll << 33) + 1 };
  gint64 rows[MOST + 1];

  for (gsize i = 0; i < G_N_ELEMENTS (firsts); i++)
    for (gsize j = 0; j < G_N_ELEMENTS (sizes); j++)
      for (gint64 n = 1; n <= MOST; n = 4 * n + 1)
        {
          g_autoptr (ReelSampler) sampler = new_sampler ("random", 3);
          ReelStorageView view = { firsts[i], firsts[i] + sizes[j], sizes[j], 1 };

          rows[n] = CANARY;
          draw_random (sampler, &view, n, rows);
          g_assert_cmpint (rows[n], ==, CANARY);
          for (gint64 k = 0; k < n; k++)
            {
              g_assert_cmpint (rows[k], >=, view.first_row);
              g_assert_cmpint (rows[k], <, view.end_row);
            }
        }
}

/* Chi-squared of the uniform sampler: 999 degrees of freedom, mean 999, deviation 45. */
static void
test_random_is_uniform (void)
{
  ReelStorageView view = { 0, 1000, 1000, 1 };
  g_autoptr (ReelSampler) sampler = new_sampler ("random", 2);
  gint64 counts[1000] = { 0 }, rows[MOST], n = 0;
  double chi = 0;

  for (gint round = 0; round < 250; round++, n += MOST)
    {
      draw_random (sampler, &view, MOST, rows);
      for (gint i = 0; i < MOST; i++)
        counts[rows[i]]++;
    }
  for (gint i = 0; i < 1000; i++)
    chi += pow ((double) counts[i] - (double) n / 1000, 2) / ((double) n / 1000);
  g_assert_cmpfloat (chi, >, 999 - 5 * 45);
  g_assert_cmpfloat (chi, <, 999 + 5 * 45);
}

static void
test_random_prints (void)
{
  g_autoptr (ReelSampler) sampler = new_sampler ("RandomSampler", 0);
  g_autofree char *text = reel_sampler_to_string (sampler);

  g_assert_cmpstr (text, ==, "RandomSampler()");
}

/* Has neither priorities nor an end. */
static void
test_random_has_no_state (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (&rings[2]);
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
  g_autoptr (ReelSampler) sampler = new_sampler ("random", 0);
  double priority = NAN;
  gint64 slot = 3;

  g_assert_false (reel_sampler_has_priorities (sampler));
  g_assert_cmpfloat (reel_sampler_get_default_priority (sampler), ==, 1);
  g_assert_true (reel_sampler_update_priority (sampler, storage, &slot, 1, &priority, NULL));
  g_assert_true (reel_sampler_mark_update (sampler, storage, &slot, 1, NULL));
  g_assert_false (reel_sampler_get_ran_out (sampler));
  g_assert_cmpint (reel_sampler_get_remaining (sampler, 7), ==, G_MAXINT64);
  g_assert_false (reel_sampler_needs_batch_size (sampler));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  contract_add ("samplers", REEL_TYPE_SAMPLER, contract, G_N_ELEMENTS (contract));
  g_test_add_func ("/samplers/random/stays-in-the-view", test_random_stays_in_the_view);
  g_test_add_func ("/samplers/random/is-uniform", test_random_is_uniform);
  g_test_add_func ("/samplers/random/prints", test_random_prints);
  g_test_add_func ("/samplers/random/has-no-state", test_random_has_no_state);

  return g_test_run ();
}
