/* Rows are given so many times and are gone then: their slots are the first to be written again.
 *
 * Which rows live only the sampler's thread knows: a tree with a weight of 1 for each. Rows that
 * are gone go to the writer's thread by a queue; what it writes in their place is seen in the
 * storage, as every row that is. */
#include "consuming-sampler.h"

#include "../../core/object/error.h"
#include "../../core/math/random.h"
#include "priority-tree.h"
#include "../../core/tensordict/state-values.h"
#include "../storages/storage-private.h"

#include <string.h>

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

gint64
reel_consuming_sampler_get_max_count (ReelSampler *sampler)
{
  return REEL_IS_CONSUMING_SAMPLER (sampler) ? ((Self *) sampler)->max_sample_count : 0;
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
          /* Where the cursor has claimed the slot since, the row that is written there lives once
           * it is seen. */
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
  reel_priority_tree_find (self->live, masses, n, slots, weights, NULL);
  for (gint64 i = 0; i < n; i++)
    {
      guint32 *given = &self->given[slots[i]];

      /* Masses are drawn independently, so one row may be met twice within a call. */
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

/* ---- state, as TorchRL has it ---- */

/* Slots that TorchRL counts rows in: those from 0 on, or all. */
static gint64
count_slots (const ReelStorageView *view)
{
  return view->capacity > 0 && view->first_row % view->capacity != 0
             ? view->capacity
             : view->end_row - view->first_row;
}

/* Slots that wait for the writer; @slots has room for all. */
static gint64
list_free (Self *self, gint64 *slots)
{
  gint64 n = reel_row_queue_copy (&self->freed, slots), n_free = 0;

  for (gint64 i = 0; i < n; i++)
    {
      gint64 row = slots[i], slot = row % self->seen.capacity;

      /* The cursor may have reached a slot that waits in the queue: it holds another row then. */
      if (row >= self->seen.first_row && find_row (&self->seen, slot) == row
          && !is_live (self, slot))
        slots[n_free++] = slot;
    }
  return n_free;
}

static gboolean
add_rows (Self *self, ReelTensordict *state, gint64 n, GError **error)
{
  g_autoptr (ReelTensor) given = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, error);
  g_autoptr (ReelTensor) live = given ? reel_tensor_new (REEL_DTYPE_BOOL, 1, &n, error) : NULL;

  if (!live)
    return FALSE;
  for (gint64 slot = 0; slot < n; slot++)
    {
      ((gint64 *) given->data)[slot] = self->given[slot];
      live->data[slot] = (guint8) is_live (self, slot);
    }
  return reel_tensordict_set_tensor (state, "_sample_count", given, error)
         && reel_tensordict_set_tensor (state, "_live_mask", live, error);
}

static gboolean
add_free (Self *self, ReelTensordict *state, GError **error)
{
  g_autofree gint64 *slots = self->live ? g_try_new (gint64, self->seen.capacity + 1) : NULL;
  gint64 n = slots ? list_free (self, slots) : 0;

  return n > 0 ? reel_state_set (state, "_free_indices", REEL_DTYPE_INT64, 1, n, slots, error)
               : reel_tensordict_set_value (state, "_free_indices", NULL, error);
}

static ReelTensordict *
dup_state (ReelSampler *sampler, ReelStorage *storage, GError **error)
{
  Self *self = REEL_CONSUMING_SAMPLER (sampler);
  g_autoptr (ReelTensordict) state = reel_tensordict_new (0, NULL);
  const gint64 n = self->live ? count_slots (&self->seen) : 0, head = 0;
  const guint8 ran_out = (guint8) self->ran_out;

  if (reel_state_set (state, "max_sample_count", REEL_DTYPE_INT64, 0, 1, &self->max_sample_count,
                      error)
      && (n > 0 ? add_rows (self, state, n, error)
                : reel_tensordict_set_value (state, "_sample_count", NULL, error)
                      && reel_tensordict_set_value (state, "_live_mask", NULL, error))
      && reel_state_set (state, "_known_storage_len", REEL_DTYPE_INT64, 0, 1, &n, error)
      && add_free (self, state, error)
      && reel_state_set (state, "_free_head", REEL_DTYPE_INT64, 0, 1, &head, error)
      && reel_state_set (state, "_ran_out", REEL_DTYPE_BOOL, 0, 1, &ran_out, error))
    return g_steal_pointer (&state);
  return NULL;
}

/* A state, checked; @n slots are told of, @known of which have rows. */
typedef struct
{
  gint64 max_count, known, n, n_free;
  const gint64 *given, *free;
  const guint8 *live;
  gboolean ran_out;
  ReelTensordict *whole; /* where these lie */
} State;

static gboolean
read_count (const ReelTensordict *state, const char *key, gint64 least, gint64 most, gint64 *count,
            GError **error)
{
  const ReelTensor *tensor = reel_state_get (state, key, REEL_DTYPE_INT64, 0, error);

  if (!tensor)
    return FALSE;
  *count = *(const gint64 *) tensor->data;
  if (*count >= least && *count <= most)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "\"%s\" is %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
               " expected",
               key, *count, least, most);
  return FALSE;
}

/* One number a slot below @limit; or None, which is none. */
static gboolean
read_list (const ReelTensordict *state, const char *key, ReelDtype dtype, gint64 limit,
           const guint8 **list, gint64 *n, GError **error)
{
  g_autoptr (GVariant) none = reel_tensordict_dup_value (state, key, NULL);
  const ReelTensor *tensor = none ? NULL : reel_state_get (state, key, dtype, 1, error);

  *list = tensor ? tensor->data : NULL;
  *n = tensor ? reel_tensor_numel (tensor) : 0;
  for (gint64 i = 0; i < *n && dtype == REEL_DTYPE_INT64; i++)
    {
      gint64 number = ((const gint64 *) tensor->data)[i];

      if (number < 0 || number >= limit)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "\"%s\" has %" G_GINT64_FORMAT " at %" G_GINT64_FORMAT
                       ", 0 or more, and less than %" G_GINT64_FORMAT ", expected",
                       key, number, i, limit);
          return FALSE;
        }
    }
  return tensor || none;
}

static gboolean
read_rows (State *to, const ReelTensordict *state, gint64 capacity, GError **error)
{
  const guint8 *given, *free;
  gint64 n_live;

  if (!read_list (state, "_sample_count", REEL_DTYPE_INT64, G_MAXINT64, &given, &to->n, error)
      || !read_list (state, "_live_mask", REEL_DTYPE_BOOL, 0, &to->live, &n_live, error))
    return FALSE;
  if (n_live != to->n || to->n > capacity)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "\"_sample_count\" has %" G_GINT64_FORMAT
                   " rows, \"_live_mask\" of %" G_GINT64_FORMAT
                   "; as many expected, at most %" G_GINT64_FORMAT,
                   to->n, n_live, capacity);
      return FALSE;
    }
  if (!read_list (state, "_free_indices", REEL_DTYPE_INT64, to->n, &free, &to->n_free, error))
    return FALSE;
  to->given = (const gint64 *) given;
  to->free = (const gint64 *) free;
  return TRUE;
}

static void
free_state (gpointer said)
{
  State *state = said;

  g_clear_pointer (&state->whole, reel_tensordict_unref);
  g_free (state);
}

static gboolean
read_all (State *to, const ReelTensordict *state, gint64 capacity, GError **error)
{
  const ReelTensor *ran_out = reel_state_get (state, "_ran_out", REEL_DTYPE_BOOL, 0, error);
  gint64 head;

  if (!ran_out || !read_count (state, "max_sample_count", 1, G_MAXINT32, &to->max_count, error)
      || !read_rows (to, state, capacity, error)
      || !read_count (state, "_known_storage_len", 0, to->n, &to->known, error)
      || !read_count (state, "_free_head", 0, to->n_free, &head, error))
    return FALSE;
  to->ran_out = *ran_out->data != 0;
  to->n_free -= head;
  to->free += to->n_free > 0 ? head : 0;
  return TRUE;
}

/* Rows that the state does not know are new. */
static void
set_rows (Self *self, const State *from)
{
  double one = 1;

  for (gint64 row = self->seen.first_row; row < self->seen.end_row; row++)
    {
      gint64 slot = row % self->seen.capacity;
      gboolean is_known = slot < from->known;

      self->given[slot] = is_known ? (guint32) MIN (from->given[slot], from->max_count) : 0;
      if (!is_known || (from->live[slot] && from->given[slot] < from->max_count))
        reel_priority_tree_set (self->live, &slot, &one, 1);
    }
}

/* TorchRL leaves slots in its list that the ring has written since. */
static void
set_free (Self *self, const State *from)
{
  for (gint64 i = 0; i < from->n_free; i++)
    {
      gint64 slot = from->free[i], row = find_row (&self->seen, slot);

      if (row >= self->seen.end_row || is_live (self, slot)
          || self->given[slot] < self->max_sample_count || self->given[slot] & IN_BATCH)
        continue;
      self->given[slot] |= IN_BATCH; /* that none stands twice */
      reel_row_queue_put (&self->freed, row);
    }
  for (gint64 i = 0; i < from->n_free; i++)
    self->given[from->free[i]] &= ~IN_BATCH;
}

static gpointer
read_state (ReelSampler *sampler, gint64 capacity, const ReelTensordict *state, GError **error)
{
  State *to = g_new0 (State, 1);

  to->whole = reel_tensordict_clone (state, TRUE, error);
  if (to->whole && read_all (to, to->whole, capacity, error))
    return to;
  free_state (to);
  return NULL;
}

static void
take_state (ReelSampler *sampler, ReelStorage *storage, gpointer said)
{
  Self *self = REEL_CONSUMING_SAMPLER (sampler);
  const State *from = said;

  self->max_sample_count = from->max_count;
  if (!self->live)
    return;
  forget (self);
  reel_storage_get_view (storage, &self->seen);
  self->n_replaced = -1;
  reel_storage_list_replaced (storage, &self->n_replaced, NULL, 0);
  set_rows (self, from);
  set_free (self, from);
  self->ran_out = from->ran_out;
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
  sampler_class->state_form = "consuming";
  sampler_class->dup_state = dup_state;
  sampler_class->read_state = read_state;
  sampler_class->take_state = take_state;
  sampler_class->free_state = free_state;
}

static void
reel_consuming_sampler_init (ReelConsumingSampler *self)
{
}
