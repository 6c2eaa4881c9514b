/* The base of samplers by priority: it passes the calls of a sampler on to its priorities. */
#include "priority-sampler.h"
#include "priorities-private.h"

typedef struct
{
  ReelPriorities priorities;
} ReelPrioritySamplerPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (ReelPrioritySampler, reel_priority_sampler, REEL_TYPE_SAMPLER)

ReelPriorities *
reel_priority_sampler_get (gpointer self)
{
  ReelPrioritySamplerPrivate *private = reel_priority_sampler_get_instance_private (self);

  return &private->priorities;
}

ReelInfoColumn
reel_priority_sampler_weight_column (gpointer self)
{
  gboolean is_single = reel_priority_sampler_get (self)->dtype == REEL_PRIORITY_FLOAT32;

  return (ReelInfoColumn){ .path = "priority_weight",
                           .dtype = is_single ? REEL_DTYPE_FLOAT32 : REEL_DTYPE_FLOAT64 };
}

static gboolean
bind (ReelSampler *sampler, ReelStorage *storage, GError **error)
{
  return reel_priorities_bind (reel_priority_sampler_get (sampler), storage,
                               reel_sampler_get_priority_key (sampler), error);
}

static gboolean
bind_key (ReelSampler *sampler, ReelStorage *storage, GError **error)
{
  ReelPriorities *priorities = reel_priority_sampler_get (sampler);

  return !priorities->tree
         || reel_priorities_find_key (priorities, storage, reel_sampler_get_priority_key (sampler),
                                      error);
}

static gboolean
follow (ReelSampler *sampler, ReelStorage *storage, const ReelStorageView *view, GError **error)
{
  return reel_priorities_follow (reel_priority_sampler_get (sampler), storage, view, error);
}

static gboolean
update_priority (ReelSampler *sampler, ReelStorage *storage, const gint64 *slots, gint64 n,
                 const double *priorities, GError **error)
{
  return reel_priorities_update (reel_priority_sampler_get (sampler), slots, n, priorities, error);
}

static gboolean
mark_update (ReelSampler *sampler, ReelStorage *storage, const gint64 *slots, gint64 n,
             GError **error)
{
  return reel_priorities_update (reel_priority_sampler_get (sampler), slots, n, NULL, error);
}

static double
get_default_priority (ReelSampler *sampler)
{
  return reel_priorities_default (reel_priority_sampler_get (sampler));
}

static const char *
get_reduction (ReelSampler *sampler)
{
  return reel_priorities_reduction (reel_priority_sampler_get (sampler));
}

static void
empty (ReelSampler *sampler)
{
  reel_priorities_empty (reel_priority_sampler_get (sampler));
}

static ReelTensordict *
dup_state (ReelSampler *sampler, ReelStorage *storage, GError **error)
{
  ReelStorageView view;

  reel_storage_get_view (storage, &view);
  /* A class on top may lack keys, and not follow. */
  return view.first_row >= view.end_row || follow (sampler, storage, &view, error)
             ? reel_priorities_dup_state (reel_priority_sampler_get (sampler), error)
             : NULL;
}

static gpointer
read_state (ReelSampler *sampler, gint64 capacity, const ReelTensordict *state, GError **error)
{
  return reel_priorities_read_state (reel_priority_sampler_get (sampler), state, error);
}

static void
take_state (ReelSampler *sampler, ReelStorage *storage, gpointer said)
{
  reel_priorities_take_state (reel_priority_sampler_get (sampler), storage, said);
}

static void
finalize (GObject *object)
{
  reel_priorities_clear (reel_priority_sampler_get (object));
  G_OBJECT_CLASS (reel_priority_sampler_parent_class)->finalize (object);
}

static void
reel_priority_sampler_class_init (ReelPrioritySamplerClass *klass)
{
  ReelSamplerClass *sampler_class = REEL_SAMPLER_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  reel_priorities_add_properties (REEL_OBJECT_CLASS (klass),
                                  (gsize) G_PRIVATE_OFFSET (ReelPrioritySampler, priorities));
  sampler_class->bind = bind;
  sampler_class->bind_key = bind_key;
  sampler_class->follow = follow;
  sampler_class->update_priority = update_priority;
  sampler_class->mark_update = mark_update;
  sampler_class->get_default_priority = get_default_priority;
  sampler_class->get_reduction = get_reduction;
  sampler_class->empty = empty;
  sampler_class->state_form = "prioritized";
  sampler_class->dup_state = dup_state;
  sampler_class->read_state = read_state;
  sampler_class->take_state = take_state;
  sampler_class->free_state = g_free;
}

static void
reel_priority_sampler_init (ReelPrioritySampler *self)
{
}
