/* Rows are given so many times and are gone then: their slots are the first to be written again.
 *
 * Which rows are live only the sampler's thread knows. Slots that became free go to the writer's
 * thread by one queue, and come back by another when they were written; rows that are written at
 * the cursor are seen in the ring's counters, as by every sampler. */
#include "consuming-sampler.h"

#include "../core/random.h"

#define NOWHERE (-1)

struct _ReelConsumingSampler
{
  ReelSampler parent_instance;

  gint64 max_sample_count;

  gint64 capacity;
  gint64 *live; /* row slots that can be drawn, in no order */
  gint64 n_live;
  gint64 *where;  /* of each slot its place among them, or NOWHERE */
  gint64 *counts; /* of each slot, how often its row was given */
  gint64 seen;    /* rows before this number were looked at */
  gint64 n_calls;
  gboolean ran_out;
  ReelSlotQueue freed;     /* to the writer */
  ReelSlotQueue rewritten; /* from the writer */
};

G_DECLARE_FINAL_TYPE (ReelConsumingSampler, reel_consuming_sampler, REEL, CONSUMING_SAMPLER,
                      ReelSampler)
G_DEFINE_FINAL_TYPE (ReelConsumingSampler, reel_consuming_sampler, REEL_TYPE_SAMPLER)

typedef ReelConsumingSampler Self;

/* ---- the live rows
 * ------------------------------------------------------------------------------- */

static void
set_live (Self *self, gint64 place, gint64 slot)
{
  self->live[place] = slot;
  self->where[slot] = place;
}

static void
swap (Self *self, gint64 a, gint64 b)
{
  gint64 slot = self->live[a];

  set_live (self, a, self->live[b]);
  set_live (self, b, slot);
}

/* A new row lies in a slot. */
static void
revive (Self *self, gint64 slot)
{
  self->counts[slot] = 0;
  if (self->where[slot] == NOWHERE)
    set_live (self, self->n_live++, slot);
}

static void
bury (Self *self, gint64 slot)
{
  swap (self, self->where[slot], --self->n_live);
  self->where[slot] = NOWHERE;
}

static gint64
find_row (const ReelStorageView *view, gint64 slot)
{
  gint64 row = view->first_row - view->first_row % view->capacity + slot;

  if (row < view->first_row)
    row += view->capacity;
  return row < view->end_row ? row : NOWHERE;
}

static void
forget (Self *self)
{
  for (gint64 slot = 0; slot < self->capacity; slot++)
    self->where[slot] = NOWHERE;
  self->n_live = 0;
  self->seen = 0;
  self->ran_out = FALSE;
  reel_slot_queue_reset (&self->freed, self->capacity);
  reel_slot_queue_reset (&self->rewritten, self->capacity);
}

static gboolean
bind (ReelSampler *sampler, ReelStorage *storage, GError **error)
{
  Self *self = REEL_CONSUMING_SAMPLER (sampler);
  gint64 capacity;

  if (!reel_storage_is_allocated (storage))
    return TRUE;
  capacity = reel_storage_get_capacity (storage);
  self->capacity = capacity;
  self->live = g_renew (gint64, self->live, capacity);
  self->where = g_renew (gint64, self->where, capacity);
  self->counts = g_renew (gint64, self->counts, capacity);
  forget (self);
  return TRUE;
}

/* Slots first: what was written at the cursor after them is newer, and is in the view or comes
 * later. */
static gboolean
follow (ReelSampler *sampler, ReelStorage *storage, const ReelStorageView *view, GError **error)
{
  Self *self = REEL_CONSUMING_SAMPLER (sampler);
  gint64 n = 0;
  ReelSlot slot;

  for (; reel_slot_queue_peek (&self->rewritten, n, &slot); n++)
    revive (self, slot.slot);
  reel_slot_queue_drop (&self->rewritten, n);
  for (gint64 row = MAX (self->seen, view->first_row); row < view->end_row; row++)
    revive (self, row % self->capacity);
  self->seen = view->end_row;
  return TRUE;
}

/* ---- drawing
 * ------------------------------------------------------------------------------------- */

/* Draws up to @n rows from the places of @begin on, which come to lie there. */
static gint64
draw_rows (Self *self, const ReelStorageView *view, gint64 begin, gint64 n, gint64 *rows)
{
  gint64 seed = reel_sampler_get_seed (REEL_SAMPLER (self)), end = self->n_live, drawn = 0;
  ReelRandomKey key = reel_random_key ((guint64) seed, self->n_calls++);

  for (gint64 tries = 0; drawn < n && begin + drawn < end; tries++)
    {
      gint64 at = begin + drawn;
      gint64 row;

      swap (self, at, at + reel_random_below (key, tries, end - at));
      row = find_row (view, self->live[at]);
      if (row == NOWHERE) /* is just being overwritten */
        swap (self, at, --end);
      else
        rows[drawn++] = row;
    }
  return drawn;
}

/* From the end, for the last live slot takes the place of one that is gone. */
static void
count (Self *self, gint64 begin, gint64 n)
{
  for (gint64 at = begin + n - 1; at >= begin; at--)
    if (++self->counts[self->live[at]] >= self->max_sample_count)
      bury (self, self->live[at]);
  self->ran_out = self->n_live == 0;
}

static gboolean
sample (ReelSampler *sampler, ReelStorage *storage, const ReelStorageView *view, ReelDraw *draw,
        GError **error)
{
  Self *self = REEL_CONSUMING_SAMPLER (sampler);

  draw->n = draw_rows (self, view, 0, draw->n, draw->rows);
  count (self, 0, draw->n);
  if (draw->n > 0)
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                       "Cannot sample from an empty storage.");
  return FALSE;
}

/* Rows that are still whole stay; others come for those that were overwritten, which are new and
 * live again. */
static gboolean
redraw (ReelSampler *sampler, ReelStorage *storage, const ReelStorageView *view, ReelDraw *draw,
        GError **error)
{
  Self *self = REEL_CONSUMING_SAMPLER (sampler);
  gint64 wanted = draw->n, n_kept_live = 0, n;

  draw->n = 0;
  for (gint64 i = 0; i < wanted; i++)
    if (draw->rows[i] >= view->first_row)
      {
        gint64 slot = draw->rows[i] % self->capacity;

        draw->rows[draw->n++] = draw->rows[i];
        if (self->where[slot] != NOWHERE)
          swap (self, n_kept_live++, self->where[slot]);
      }
  n = draw_rows (self, view, n_kept_live, wanted - draw->n, draw->rows + draw->n);
  count (self, n_kept_live, n);
  draw->n += n;
  if (draw->n > 0)
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                       "Cannot sample from an empty storage.");
  return FALSE;
}

/* Only now may their slots be written. */
static void
delivered (ReelSampler *sampler, const ReelDraw *draw)
{
  Self *self = REEL_CONSUMING_SAMPLER (sampler);

  for (gint64 i = 0; i < draw->n; i++)
    {
      gint64 slot = draw->rows[i] % self->capacity;

      if (self->where[slot] == NOWHERE)
        reel_slot_queue_put (&self->freed, (ReelSlot){ slot, draw->rows[i] });
    }
}

static gboolean
get_ran_out (ReelSampler *sampler)
{
  return REEL_CONSUMING_SAMPLER (sampler)->ran_out;
}

static gint64
get_remaining (ReelSampler *sampler, gint64 n)
{
  return (REEL_CONSUMING_SAMPLER (sampler)->n_live + n - 1) / n;
}

static gint64
count_rows (ReelSampler *sampler)
{
  return REEL_CONSUMING_SAMPLER (sampler)->n_live;
}

static void
empty (ReelSampler *sampler)
{
  forget (REEL_CONSUMING_SAMPLER (sampler));
}

gboolean
reel_consuming_sampler_get_queues (ReelSampler *sampler, ReelSlotQueue **freed,
                                   ReelSlotQueue **rewritten)
{
  Self *self = (Self *) sampler;

  if (!G_TYPE_CHECK_INSTANCE_TYPE (sampler, reel_consuming_sampler_get_type ()))
    return FALSE;
  *freed = &self->freed;
  *rewritten = &self->rewritten;
  return TRUE;
}

/* ---- the class
 * ----------------------------------------------------------------------------------- */

static void
finalize (GObject *object)
{
  Self *self = REEL_CONSUMING_SAMPLER (object);

  g_free (self->live);
  g_free (self->where);
  g_free (self->counts);
  reel_slot_queue_reset (&self->freed, 0);
  reel_slot_queue_reset (&self->rewritten, 0);
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
                               G_STRUCT_OFFSET (Self, max_sample_count), 1, G_MAXINT64, 1, NULL,
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
