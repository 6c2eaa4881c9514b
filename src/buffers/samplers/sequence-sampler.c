/* Windows of rows around those that another sampler draws. */
#include "consuming-sampler.h"
#include "sampler-private.h"
#include "trajectory-index.h"
#include "../storages/index-shape.h"

#include <string.h>

#define MOST ((gint64) 1 << 30) /* of each length, so that no offset overflows */

typedef enum
{
  PAD,
  STOP,
  INCLUDE_RESET,
} Boundary;

enum
{
  SEQUENCE_ID,
  STEP_IN_SEQUENCE,
  LEARNING_MASK,
  VALIDITY_MASK,
  ANCHOR_INDEX,
  N_OWN
};

struct _ReelSequenceSampler
{
  ReelSampler parent_instance;

  ReelSampler *anchors;
  gint64 length;
  gint64 burn_in;
  gint64 bootstrap;
  gint64 dilation;
  int boundary;
  char *done_key; /* NULL for none */

  ReelTrajectoryIndex *index; /* NULL where only the ring has ends */
  GArray *columns;            /* of the anchors' sampler, then its own */
  guint n_repeated;
  ReelDraw drawn; /* anchors */
  guint8 **info;
  gint64 room;
};

/* Steps that a window may reach, counted from its anchor. */
typedef struct
{
  gint64 before;
  gint64 behind;
} Reach;

G_DECLARE_FINAL_TYPE (ReelSequenceSampler, reel_sequence_sampler, REEL, SEQUENCE_SAMPLER,
                      ReelSampler)
G_DEFINE_FINAL_TYPE (ReelSequenceSampler, reel_sequence_sampler, REEL_TYPE_SAMPLER)

typedef ReelSequenceSampler Self;

static gint64
get_total (const Self *self)
{
  return self->burn_in + self->length + self->bootstrap;
}

/* ---- anchors ---- */

static void
free_room (Self *self)
{
  for (guint i = 0; self->info && i < self->n_repeated; i++)
    g_free (self->info[i]);
  g_clear_pointer (&self->info, g_free);
  g_clear_pointer (&self->drawn.rows, g_free);
  self->room = 0;
}

static gboolean
make_room (Self *self, gint64 n, GError **error)
{
  const ReelInfoColumn *columns = (const ReelInfoColumn *) (gpointer) self->columns->data;
  gboolean all;

  if (n <= self->room)
    return TRUE;
  free_room (self);
  self->drawn.rows = g_try_new (gint64, n);
  self->info = g_new0 (guint8 *, self->n_repeated + 1);
  all = self->drawn.rows != NULL;
  for (guint i = 0; all && i < self->n_repeated; i++)
    {
      self->info[i] = g_try_malloc_n ((gsize) n, reel_info_row_bytes (&columns[i]));
      all = self->info[i] != NULL;
    }
  self->drawn.info = self->info;
  if (all)
    self->room = n;
  else
    g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE,
                 "no memory for %" G_GINT64_FORMAT " anchors", n);
  return all;
}

static gboolean
check_anchors (const ReelInfoColumn *columns, guint n, ReelSampler *anchors, GError **error)
{
  for (guint i = 0; i < n; i++)
    if (columns[i].merge != REEL_INFO_SET)
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                     "%s marks \"%s\" of the rows that it draws, which is not true of the windows "
                     "around them: anchors come from random, prioritized or without-replacement",
                     reel_object_get_id (REEL_OBJECT (anchors)), columns[i].path);
        return FALSE;
      }
  return TRUE;
}

static void
list_columns (Self *self, const ReelInfoColumn *repeated, guint n, gint ndim)
{
  const ReelInfoColumn own[N_OWN] = {
    [SEQUENCE_ID] = { "sequence_id", REEL_DTYPE_INT64, 0, { 0 }, REEL_INFO_SET },
    [STEP_IN_SEQUENCE] = { "step_in_sequence", REEL_DTYPE_INT64, 0, { 0 }, REEL_INFO_SET },
    [LEARNING_MASK] = { "learning_mask", REEL_DTYPE_BOOL, 0, { 0 }, REEL_INFO_SET },
    [VALIDITY_MASK] = { "validity_mask", REEL_DTYPE_BOOL, 0, { 0 }, REEL_INFO_SET },
    [ANCHOR_INDEX] = { "anchor_index", REEL_DTYPE_INT64, ndim > 1, { ndim }, REEL_INFO_SET },
  };

  g_array_set_size (self->columns, 0);
  if (n > 0)
    g_array_append_vals (self->columns, repeated, n);
  g_array_append_vals (self->columns, own, N_OWN);
  self->n_repeated = n;
}

static gboolean
bind (ReelSampler *sampler, ReelStorage *storage, GError **error)
{
  Self *self = REEL_SEQUENCE_SAMPLER (sampler);
  const char *const ends[] = { self->done_key, NULL };
  const ReelTrajectoryKeys keys = { .ends = ends };
  const ReelInfoColumn *repeated;
  guint n;

  free_room (self);
  g_clear_pointer (&self->index, reel_trajectory_index_free);
  if (!reel_sampler_bind (self->anchors, storage, error))
    return FALSE;
  repeated = reel_sampler_list_info (self->anchors, &n);
  if (!check_anchors (repeated, n, self->anchors, error))
    return FALSE;
  list_columns (self, repeated, n, reel_storage_get_ndim (storage));
  if (!reel_storage_is_allocated (storage) || self->boundary == INCLUDE_RESET || !self->done_key)
    return TRUE;
  self->index = reel_trajectory_index_new (storage, &keys, error);
  return self->index != NULL;
}

static const ReelInfoColumn *
list_info (ReelSampler *sampler, guint *n)
{
  Self *self = REEL_SEQUENCE_SAMPLER (sampler);

  *n = self->columns->len;
  return (const ReelInfoColumn *) (gpointer) self->columns->data;
}

static gboolean
follow (ReelSampler *sampler, ReelStorage *storage, const ReelStorageView *view, GError **error)
{
  Self *self = REEL_SEQUENCE_SAMPLER (sampler);

  return !self->index || reel_trajectory_index_follow (self->index, view, 1, error);
}

/* ---- windows ---- */

/* To the ends of the trajectory, or of the lane. A row that is in no trajectory any more was
 * overwritten, and will be drawn again. */
static Reach
find_reach (const Self *self, const ReelStorageView *view, gint64 row)
{
  ReelTrajectory trajectory;

  if (!self->index)
    return (Reach){ (row - view->first_row) / view->lanes,
                    (view->end_row - 1 - row) / view->lanes };
  if (!reel_trajectory_index_find (self->index, row, &trajectory))
    return (Reach){ 0, 0 };
  gint64 before = (row - trajectory.first_row) / view->lanes;
  return (Reach){ before, trajectory.n_steps - 1 - before };
}

/* Steps by which a window goes back so that it does not pass the end. */
static gint64
find_shift (const Self *self, const Reach *reach)
{
  gint64 missing = self->dilation * (self->length + self->bootstrap - 1) - reach->behind;

  return self->boundary == STOP ? CLAMP (missing, 0, reach->before) : 0;
}

static void
put_window (const Self *self, const ReelStorageView *view, gint64 anchor, ReelDraw *draw, gint64 at)
{
  guint8 *validity = draw->info[self->n_repeated + VALIDITY_MASK];
  Reach reach = find_reach (self, view, anchor);
  gint64 shift = find_shift (self, &reach);

  for (gint64 k = 0; k < get_total (self); k++)
    {
      /* The anchor is the first step to learn from, so burn-in steps have negative offsets. */
      gint64 offset = (k - self->burn_in) * self->dilation - shift;
      gint64 inside = CLAMP (offset, -reach.before, reach.behind);

      draw->rows[at + k] = anchor + inside * view->lanes;
      validity[at + k] = inside == offset;
    }
}

/* Info of a window that its rows do not change. */
static void
put_labels (const Self *self, gint64 i, gint64 slot, ReelDraw *draw)
{
  guint8 *const *own = draw->info + self->n_repeated;
  gint64 *id = (gint64 *) (gpointer) own[SEQUENCE_ID];
  gint64 *step = (gint64 *) (gpointer) own[STEP_IN_SEQUENCE];
  gint64 *anchor = (gint64 *) (gpointer) own[ANCHOR_INDEX];
  gint64 total = get_total (self);

  for (gint64 k = 0, at = i * total; k < total; k++, at++)
    {
      id[at] = i;
      step[at] = k;
      anchor[at] = slot;
      own[LEARNING_MASK][at] = k >= self->burn_in && k < self->burn_in + self->length;
    }
}

static void
repeat_info (const Self *self, ReelDraw *draw)
{
  const ReelInfoColumn *columns = (const ReelInfoColumn *) (gpointer) self->columns->data;

  for (guint c = 0; c < self->n_repeated; c++)
    {
      gsize bytes = reel_info_row_bytes (&columns[c]);
      guint8 *to = draw->info[c];
      for (gint64 i = 0; i < self->drawn.n; i++)
        for (gint64 k = 0; k < get_total (self); k++, to += bytes)
          memcpy (to, self->info[c] + (gsize) i * bytes, bytes);
    }
}

static void
expand (const Self *self, ReelStorage *storage, const ReelStorageView *view, ReelDraw *draw)
{
  gint64 *anchor_index = (gint64 *) (gpointer) draw->info[self->n_repeated + ANCHOR_INDEX];

  draw->n = self->drawn.n * get_total (self);
  repeat_info (self, draw);
  for (gint64 i = 0; i < self->drawn.n; i++)
    {
      put_window (self, view, self->drawn.rows[i], draw, i * get_total (self));
      put_labels (self, i, self->drawn.rows[i] % view->capacity, draw);
    }
  reel_slots_to_index (storage, anchor_index, draw->n);
}

/* ---- drawing ---- */

static gboolean
check_size (const Self *self, gint64 n, GError **error)
{
  if (n % get_total (self) == 0)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "The batch-size must be divisible by the rows of a sequence, burn-in + length + "
               "bootstrap: got batch_size=%" G_GINT64_FORMAT " and %" G_GINT64_FORMAT
               " + %" G_GINT64_FORMAT " + %" G_GINT64_FORMAT,
               n, self->burn_in, self->length, self->bootstrap);
  return FALSE;
}

static gboolean
sample (ReelSampler *sampler, ReelStorage *storage, const ReelStorageView *view, ReelDraw *draw,
        GError **error)
{
  Self *self = REEL_SEQUENCE_SAMPLER (sampler);
  gint64 n = draw->n / get_total (self);

  if (!check_size (self, draw->n, error) || !make_room (self, n, error))
    return FALSE;
  self->drawn.n = n;
  if (!reel_sampler_sample (self->anchors, storage, view, &self->drawn, error))
    return FALSE;
  expand (self, storage, view, draw);
  return TRUE;
}

static gboolean
redraw (ReelSampler *sampler, ReelStorage *storage, const ReelStorageView *view, ReelDraw *draw,
        GError **error)
{
  Self *self = REEL_SEQUENCE_SAMPLER (sampler);

  if (!reel_sampler_redraw (self->anchors, storage, view, draw->n / get_total (self), &self->drawn,
                            error))
    return FALSE;
  expand (self, storage, view, draw);
  return TRUE;
}

static void
delivered (ReelSampler *sampler, const ReelDraw *draw)
{
  Self *self = REEL_SEQUENCE_SAMPLER (sampler);

  reel_sampler_delivered (self->anchors, &self->drawn);
}

static ReelSampler *
get_anchors (ReelSampler *sampler)
{
  return REEL_SEQUENCE_SAMPLER (sampler)->anchors;
}

static gint64
get_remaining (ReelSampler *sampler, gint64 n)
{
  Self *self = REEL_SEQUENCE_SAMPLER (sampler);

  return reel_sampler_get_remaining (self->anchors, MAX (n / get_total (self), 1));
}

/* ---- the class ---- */

static gboolean
check_given_anchors (Self *self, GError **error)
{
  const char *id = reel_object_get_id (REEL_OBJECT (self->anchors));

  if (reel_sampler_get_seed (REEL_SAMPLER (self)) != 0)
    g_set_error (
        error, REEL_ERROR, REEL_ERROR_VALUE,
        "the seed of sequences is that of their sampler: sampler=(%s:seed=%" G_GINT64_FORMAT ")",
        id, reel_sampler_get_seed (REEL_SAMPLER (self)));
  else if (REEL_IS_SEQUENCE_SAMPLER (self->anchors)
           || reel_consuming_sampler_get_freed (self->anchors))
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "%s does not draw anchors of sequences: random, prioritized and "
                 "without-replacement do",
                 id);
  else
    return TRUE;
  return FALSE;
}

static gboolean
build (ReelObject *object, GError **error)
{
  Self *self = REEL_SEQUENCE_SAMPLER (object);
  g_autofree char *seed =
      g_strdup_printf ("%" G_GINT64_FORMAT, reel_sampler_get_seed (REEL_SAMPLER (self)));

  if (!REEL_OBJECT_CLASS (reel_sequence_sampler_parent_class)->build (object, error))
    return FALSE;
  if (self->length < 1)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "length must be strictly positive, got %" G_GINT64_FORMAT
                   ": sequence:length=N, the steps to learn from",
                   self->length);
      return FALSE;
    }
  if (self->anchors)
    return check_given_anchors (self, error);
  self->anchors =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, "random", error, "seed", seed, NULL);
  return self->anchors != NULL;
}

static void
finalize (GObject *object)
{
  Self *self = REEL_SEQUENCE_SAMPLER (object);

  free_room (self);
  g_array_unref (self->columns);
  g_clear_pointer (&self->index, reel_trajectory_index_free);
  G_OBJECT_CLASS (reel_sequence_sampler_parent_class)->finalize (object);
}

static void
add_properties (ReelObjectClass *klass)
{
  static const char *const boundaries[] = { "pad", "stop", "include-reset", NULL };

#define FIELD(field) G_STRUCT_OFFSET (ReelSequenceSampler, field)
  reel_object_class_add_object (klass, "sampler", FIELD (anchors), REEL_TYPE_SAMPLER,
                                "sampler of the row that a window is around (random)",
                                REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (klass, "length", FIELD (length), 0, MOST, 0, "steps",
                               "to learn from, from the anchor on; at least 1",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (klass, "burn-in", FIELD (burn_in), 0, MOST, 0, "steps",
                               "before them", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (klass, "bootstrap", FIELD (bootstrap), 0, MOST, 0, "steps",
                               "behind them", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (klass, "dilation", FIELD (dilation), 1, MOST, 1, "steps",
                               "from one row of a window to the next",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_enum (klass, "episode-boundary", FIELD (boundary), boundaries, PAD,
                              "where a window passes an end of its trajectory: the row there is "
                              "repeated, and invalid; it goes back, as far as there is room; or "
                              "only the ring has ends",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_string (klass, "done-key", FIELD (done_key), "next/done",
                                "flag of the last step of a trajectory; empty: only the ring has "
                                "ends",
                                REEL_PROPERTY_CONSTRUCT_ONLY);
#undef FIELD
}

static void
reel_sequence_sampler_class_init (ReelSequenceSamplerClass *klass)
{
  static const ReelId ids[] = {
    { "sequence", NULL, "windows of rows around those that another sampler draws" },
    { "Sequence", NULL, "windows of rows, by the name of TorchRL's sample unit" },
    { NULL },
  };
  ReelSamplerClass *sampler_class = REEL_SAMPLER_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_OBJECT_CLASS (klass)->build = build;
  sampler_class->peer_name = "Sequence";
  sampler_class->bind = bind;
  sampler_class->list_info = list_info;
  sampler_class->follow = follow;
  sampler_class->sample = sample;
  sampler_class->redraw = redraw;
  sampler_class->delivered = delivered;
  sampler_class->get_anchors = get_anchors;
  sampler_class->get_remaining = get_remaining;
  add_properties (REEL_OBJECT_CLASS (klass));
}

static void
reel_sequence_sampler_init (ReelSequenceSampler *self)
{
  self->columns = g_array_new (FALSE, FALSE, sizeof (ReelInfoColumn));
}
