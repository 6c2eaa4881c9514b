/* Rows are given so many times and are gone then: their slots are the first to be written again.
 *
 * Which rows live only the sampler's thread knows: a tree with a weight of 1 for each. Rows that
 * are gone go to the writer's thread by a queue; what it writes in their place is seen in the
 * storage, as every row that is. */
#include "consuming-sampler.h"

#include "../core/error.h"
#include "../core/random.h"
#include "priority-tree.h"
#include "storage-private.h"

#define CHUNK 256            /* rows on the stack */
#define IN_BATCH 0x80000000u /* beside how often a row was given */

struct _ReelConsumingSampler
{
  ReelSampler parent_instance;

  gint64 max_sample_count;

  ReelPriorityTree *live; /* by slot */
  guint32 *given;         /* by slot: how often its row was */
  ReelStorageView seen;
  gint64 n_replaced; /* rows that took the place of others and are known */
  gint64 n_calls;
  gboolean ran_out;
  ReelRowQueue freed; /* to the writer */
};

G_DECLARE_FINAL_TYPE (ReelConsumingSampler, reel_consuming_sampler, REEL, CONSUMING_SAMPLER,
                      ReelSampler)
G_DEFINE_FINAL_TYPE (ReelConsumingSampler, reel_consuming_sampler, REEL_TYPE_SAMPLER)

typedef ReelConsumingSampler Self;

ReelRowQueue *
reel_consuming_sampler_get_freed (ReelSampler *sampler)
{
  return REEL_IS_CONSUMING_SAMPLER (sampler) ? &((Self *) sampler)->freed : NULL;
}

/* ---- the live rows ---- */

static gint64
count_live (const Self *self)
{
  return self->live ? (gint64) reel_priority_tree_total (self->live) : 0;
}

static gboolean
is_live (const Self *self, gint64 slot)
{
  return reel_priority_tree_weights (self->live)[slot] > 0;
}

/* In slots that follow one another round the ring; what begins to live was never given. */
static void
fill_rows (Self *self, gint64 first_row, gint64 end_row, gboolean live)
{
  gint64 capacity = self->seen.capacity, n;

  for (gint64 row = first_row; row < end_row; row += n)
    {
      gint64 slot = row % capacity;

      n = MIN (end_row - row, capacity - slot);
      reel_priority_tree_fill (self->live, slot, slot + n, live);
      for (gint64 i = 0; i < n && live; i++)
        self->given[slot + i] = 0;
    }
}

static void
set_live (Self *self, const gint64 *slots, gint64 n, gboolean live)
{
  double weights[CHUNK];

  for (gint64 i = 0; i < MIN (n, CHUNK); i++)
    weights[i] = live;
  for (gint64 first = 0; first < n; first += CHUNK)
    reel_priority_tree_set (self->live, slots + first, weights, MIN (CHUNK, n - first));
}

static gint64
find_row (const ReelStorageView *view, gint64 slot)
{
  gint64 row = view->first_row - view->first_row % view->capacity + slot;

  return row < view->first_row ? row + view->capacity : row;
}

static void
follow_replaced (Self *self, ReelStorage *storage)
{
  gint64 slots[CHUNK], n;

  while ((n = reel_storage_list_replaced (storage, &self->n_replaced, slots, CHUNK)) != 0)
    {
      gint64 n_live = 0;

      if (n < 0)
        fill_rows (self, self->seen.first_row, self->seen.end_row, TRUE);
      for (gint64 i = 0; i < n; i++)
        {
          self->given[slots[i]] = 0;
          slots[n_live] = slots[i];
          n_live += find_row (&self->seen, slots[i]) < self->seen.end_row;
        }
      set_live (self, slots, n_live, TRUE);
    }
}

static gboolean
follow (ReelSampler *sampler, ReelStorage *storage, const ReelStorageView *view, GError **error)
{
  Self *self = REEL_CONSUMING_SAMPLER (sampler);
  ReelStorageView last = self->seen;

  if (!self->live)
    return TRUE;
  self->seen = *view;
  fill_rows (self, last.first_row, MIN (last.end_row, view->first_row), FALSE);
  fill_rows (self, MAX (last.end_row, view->first_row), view->end_row, TRUE);
  follow_replaced (self, storage);
  return TRUE;
}

static void
forget (Self *self)
{
  if (!self->live)
    return;
  reel_priority_tree_fill (self->live, 0, reel_priority_tree_size (self->live), 0);
  reel_row_queue_reset (&self->freed, reel_priority_tree_size (self->live));
  self->seen.first_row = self->seen.end_row;
  self->ran_out = FALSE;
}

static gboolean
bind (ReelSampler *sampler, ReelStorage *storage, GError **error)
{
  Self *self = REEL_CONSUMING_SAMPLER (sampler);
  gint64 capacity;

  if (!reel_storage_is_allocated (storage))
    return TRUE;
  capacity = reel_storage_get_capacity (storage);
  g_clear_pointer (&self->live, reel_priority_tree_free);
  self->live = reel_priority_tree_new (capacity, error);
  if (!self->live)
    return FALSE;
  g_free (self->given);
  self->given = g_new0 (guint32, capacity);
  self->seen = (ReelStorageView){ 0 };
  self->n_replaced = -1;
  reel_storage_list_replaced (storage, &self->n_replaced, NULL, 0);
  forget (self);
  return TRUE;
}

/* ---- drawing ---- */

/* Of random live rows, some more than once, each once. They live no more; returns how many. */
static gint64
draw_some (Self *self, gint64 n, gint64 *rows)
{
  ReelRandomKey key =
      reel_random_key ((guint64) reel_sampler_get_seed (REEL_SAMPLER (self)), self->n_calls++);
  double total = reel_priority_tree_total (self->live), masses[CHUNK], weights[CHUNK];
  gint64 slots[CHUNK], n_new = 0;

  reel_random_fill_doubles (key, 0, n, masses);
  for (gint64 i = 0; i < n; i++)
    masses[i] = (1 - masses[i]) * total;
  reel_priority_tree_find (self->live, masses, n, slots, weights);
  for (gint64 i = 0; i < n; i++)
    {
      guint32 *given = &self->given[slots[i]];

      if (*given & IN_BATCH)
        continue;
      *given = (*given + 1) | IN_BATCH;
      rows[n_new] = find_row (&self->seen, slots[i]);
      slots[n_new++] = slots[i];
    }
  set_live (self, slots, n_new, FALSE);
  return n_new;
}

/* Adds rows to those of a batch that are there, none twice. */
static gboolean
fill_batch (Self *self, ReelDraw *draw, gint64 wanted, GError **error)
{
  while (draw->n < wanted && count_live (self) > 0)
    draw->n += draw_some (self, MIN (wanted - draw->n, CHUNK), draw->rows + draw->n);
  for (gint64 i = 0; i < draw->n; i++)
    {
      gint64 slot = draw->rows[i] % self->seen.capacity;

      self->given[slot] &= ~IN_BATCH;
      if (self->given[slot] < self->max_sample_count)
        set_live (self, &slot, 1, TRUE);
    }
  self->ran_out = count_live (self) == 0;
  if (draw->n > 0)
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                       "Cannot sample from an empty storage.");
  return FALSE;
}

static gboolean
sample (ReelSampler *sampler, ReelStorage *storage, const ReelStorageView *view, ReelDraw *draw,
        GError **error)
{
  gint64 wanted = draw->n;

  draw->n = 0;
  return fill_batch (REEL_CONSUMING_SAMPLER (sampler), draw, wanted, error);
}

/* Rows that are still whole stay; others come for those that were overwritten, which are new and
 * live again. */
static gboolean
redraw (ReelSampler *sampler, ReelStorage *storage, const ReelStorageView *view, ReelDraw *draw,
        GError **error)
{
  Self *self = REEL_CONSUMING_SAMPLER (sampler);
  gint64 wanted = draw->n;

  draw->n = 0;
  for (gint64 i = 0; i < wanted; i++)
    if (draw->rows[i] >= view->first_row)
      {
        gint64 slot = draw->rows[i] % view->capacity;

        draw->rows[draw->n++] = draw->rows[i];
        self->given[slot] |= IN_BATCH;
        set_live (self, &slot, 1, FALSE);
      }
  return fill_batch (self, draw, wanted, error);
}

/* Only now may their slots be written. */
static void
delivered (ReelSampler *sampler, const ReelDraw *draw)
{
  Self *self = REEL_CONSUMING_SAMPLER (sampler);

  for (gint64 i = 0; i < draw->n; i++)
    if (!is_live (self, draw->rows[i] % self->seen.capacity))
      reel_row_queue_put (&self->freed, draw->rows[i]);
}

static gboolean
get_ran_out (ReelSampler *sampler)
{
  return REEL_CONSUMING_SAMPLER (sampler)->ran_out;
}

static gint64
get_remaining (ReelSampler *sampler, gint64 n)
{
  return (count_live (REEL_CONSUMING_SAMPLER (sampler)) + n - 1) / n;
}

static gint64
count_rows (ReelSampler *sampler)
{
  return count_live (REEL_CONSUMING_SAMPLER (sampler));
}

static void
empty (ReelSampler *sampler)
{
  forget (REEL_CONSUMING_SAMPLER (sampler));
}

/* ---- the class ---- */

static void
finalize (GObject *object)
{
  Self *self = REEL_CONSUMING_SAMPLER (object);

  reel_priority_tree_free (self->live);
  g_free (self->given);
  reel_row_queue_reset (&self->freed, 0);
  G_OBJECT_CLASS (reel_consuming_sampler_parent_class)->finalize (object);
}

static void
reel_consuming_sampler_class_init (ReelConsumingSamplerClass *klass)
{
  static const ReelId ids[] = {
    { "consuming", NULL, "every row so many times, then its place is free" },
    { "ConsumingSampler", NULL, "every row so many times, by TorchRL's name" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelSamplerClass *sampler_class = REEL_SAMPLER_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  object_class->ids = ids;
  reel_object_class_add_int64 (object_class, "max-sample-count",
                               G_STRUCT_OFFSET (Self, max_sample_count), 1, G_MAXINT32, 1, NULL,
                               "how often a row is given", REEL_PROPERTY_CONSTRUCT_ONLY);
  sampler_class->peer_name = "ConsumingSampler";
  sampler_class->bind = bind;
  sampler_class->follow = follow;
  sampler_class->sample = sample;
  sampler_class->stream = G_STRUCT_OFFSET (ReelConsumingSampler, n_calls);
  sampler_class->redraw = redraw;
  sampler_class->delivered = delivered;
  sampler_class->get_ran_out = get_ran_out;
  sampler_class->get_remaining = get_remaining;
  sampler_class->count_rows = count_rows;
  sampler_class->empty = empty;
}

static void
reel_consuming_sampler_init (ReelConsumingSampler *self)
{
}
