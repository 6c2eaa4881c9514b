/* Rows with chances that follow their priorities. Schaul et al., "Prioritized experience replay"
 * (2015). */
#include "priorities.h"

#include "../core/variant.h"

struct _ReelPrioritizedSampler
{
  ReelSampler parent_instance;

  ReelPriorities priorities;
  gint64 n_calls;
  double *weights; /* room for a draw */
  gint64 room;
};

G_DECLARE_FINAL_TYPE (ReelPrioritizedSampler, reel_prioritized_sampler, REEL, PRIORITIZED_SAMPLER,
                      ReelSampler)
G_DEFINE_FINAL_TYPE (ReelPrioritizedSampler, reel_prioritized_sampler, REEL_TYPE_SAMPLER)

static ReelPriorities *
get_priorities (ReelSampler *sampler)
{
  return &REEL_PRIORITIZED_SAMPLER (sampler)->priorities;
}

ReelPriorities *
reel_prioritized_sampler_get_priorities (ReelSampler *self)
{
  return get_priorities (self);
}

static gboolean
bind (ReelSampler *sampler, ReelStorage *storage, GError **error)
{
  return reel_priorities_bind (get_priorities (sampler), storage,
                               reel_sampler_get_priority_key (sampler), error);
}

static const ReelInfoColumn *
list_info (ReelSampler *sampler, guint *n)
{
  static const ReelInfoColumn columns[] = {
    [REEL_PRIORITY_FLOAT32] = { .path = "priority_weight", .dtype = REEL_DTYPE_FLOAT32 },
    [REEL_PRIORITY_FLOAT64] = { .path = "priority_weight", .dtype = REEL_DTYPE_FLOAT64 },
  };

  *n = 1;
  return &columns[get_priorities (sampler)->dtype];
}

static gboolean
follow (ReelSampler *sampler, ReelStorage *storage, const ReelStorageView *view, GError **error)
{
  return reel_priorities_follow (get_priorities (sampler), storage, view, error);
}

static gboolean
sample (ReelSampler *sampler, ReelStorage *storage, const ReelStorageView *view, ReelDraw *draw,
        GError **error)
{
  ReelPrioritizedSampler *self = REEL_PRIORITIZED_SAMPLER (sampler);
  guint64 seed = (guint64) reel_sampler_get_seed (sampler);

  if (draw->n > self->room)
    {
      self->room = draw->n;
      self->weights = g_renew (double, self->weights, self->room);
    }
  if (!reel_priorities_draw (&self->priorities, reel_random_key (seed, self->n_calls++), draw->n,
                             draw->rows, self->weights, error))
    return FALSE;
  reel_priorities_correct (&self->priorities, self->weights, draw->n, draw->info[0]);
  return TRUE;
}

static gboolean
update_priority (ReelSampler *sampler, ReelStorage *storage, const gint64 *slots, gint64 n,
                 const double *priorities, GError **error)
{
  return reel_priorities_update (get_priorities (sampler), slots, n, priorities, error);
}

static gboolean
mark_update (ReelSampler *sampler, ReelStorage *storage, const gint64 *slots, gint64 n,
             GError **error)
{
  return reel_priorities_update (get_priorities (sampler), slots, n, NULL, error);
}

static double
get_default_priority (ReelSampler *sampler)
{
  return reel_priorities_default (get_priorities (sampler));
}

static const char *
get_reduction (ReelSampler *sampler)
{
  return reel_priorities_reduction (get_priorities (sampler));
}

static void
empty (ReelSampler *sampler)
{
  reel_priorities_empty (get_priorities (sampler));
}

static ReelTensordict *
get_state (ReelSampler *sampler, ReelStorage *storage, GError **error)
{
  return reel_priorities_get_state (get_priorities (sampler), error);
}

static gboolean
set_state (ReelSampler *sampler, ReelStorage *storage, const ReelTensordict *state, GError **error)
{
  return reel_priorities_set_state (get_priorities (sampler), storage, state, error);
}

static void
append_real (GString *text, const char *name, double value)
{
  g_autoptr (GVariant) variant = g_variant_ref_sink (g_variant_new_double (value));

  g_string_append_printf (text, "%s=", name);
  reel_variant_append_repr (text, variant);
  g_string_append (text, ", ");
}

static char *
to_string (ReelSampler *sampler)
{
  const ReelPriorities *priorities = get_priorities (sampler);
  GString *text = g_string_new ("PrioritizedSampler(");

  append_real (text, "alpha", priorities->alpha);
  append_real (text, "beta", priorities->beta);
  append_real (text, "eps", priorities->eps);
  g_string_append_printf (text, "reduction=%s)", reel_priorities_reduction (priorities));
  return g_string_free (text, FALSE);
}

static void
finalize (GObject *object)
{
  ReelPrioritizedSampler *self = REEL_PRIORITIZED_SAMPLER (object);

  reel_priorities_clear (&self->priorities);
  g_free (self->weights);
  G_OBJECT_CLASS (reel_prioritized_sampler_parent_class)->finalize (object);
}

static void
reel_prioritized_sampler_class_init (ReelPrioritizedSamplerClass *klass)
{
  static const ReelId ids[] = {
    { "prioritized", NULL, "by priority, with replacement" },
    { "PrioritizedSampler", NULL, "by priority, with replacement, by TorchRL's name" },
    { NULL },
  };
  ReelSamplerClass *sampler_class = REEL_SAMPLER_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  REEL_OBJECT_CLASS (klass)->ids = ids;
  reel_priorities_add_properties (REEL_OBJECT_CLASS (klass),
                                  G_STRUCT_OFFSET (ReelPrioritizedSampler, priorities));
  sampler_class->peer_name = "PrioritizedSampler";
  sampler_class->bind = bind;
  sampler_class->list_info = list_info;
  sampler_class->follow = follow;
  sampler_class->sample = sample;
  sampler_class->update_priority = update_priority;
  sampler_class->mark_update = mark_update;
  sampler_class->get_default_priority = get_default_priority;
  sampler_class->get_reduction = get_reduction;
  sampler_class->empty = empty;
  sampler_class->to_string = to_string;
  sampler_class->state_form = "prioritized";
  sampler_class->get_state = get_state;
  sampler_class->set_state = set_state;
}

static void
reel_prioritized_sampler_init (ReelPrioritizedSampler *self)
{
}
