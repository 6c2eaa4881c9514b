/* Rows with chances that follow their priorities. Schaul et al., "Prioritized experience replay"
 * (2015). */
#include "priority-sampler.h"

#include "../../core/tensordict/variant.h"

struct _ReelPrioritizedSampler
{
  ReelPrioritySampler parent_instance;

  ReelInfoColumn column;
  gint64 n_calls;
  double *weights; /* room for a draw */
  gint64 room;
};

G_DECLARE_FINAL_TYPE (ReelPrioritizedSampler, reel_prioritized_sampler, REEL, PRIORITIZED_SAMPLER,
                      ReelPrioritySampler)
G_DEFINE_FINAL_TYPE (ReelPrioritizedSampler, reel_prioritized_sampler, REEL_TYPE_PRIORITY_SAMPLER)

static gboolean
build (ReelObject *object, GError **error)
{
  REEL_PRIORITIZED_SAMPLER (object)->column = reel_priority_sampler_weight_column (object);
  return REEL_OBJECT_CLASS (reel_prioritized_sampler_parent_class)->build (object, error);
}

static const ReelInfoColumn *
list_info (ReelSampler *sampler, guint *n)
{
  *n = 1;
  return &REEL_PRIORITIZED_SAMPLER (sampler)->column;
}

static gboolean
sample (ReelSampler *sampler, ReelStorage *storage, const ReelStorageView *view, ReelDraw *draw,
        GError **error)
{
  ReelPrioritizedSampler *self = REEL_PRIORITIZED_SAMPLER (sampler);
  const ReelPriorities *priorities = reel_priority_sampler_get (sampler);
  guint64 seed = (guint64) reel_sampler_get_seed (sampler);

  if (draw->n > self->room)
    {
      self->room = draw->n;
      self->weights = g_renew (double, self->weights, self->room);
    }
  if (!reel_priorities_draw (priorities, reel_random_key (seed, self->n_calls++), draw->n,
                             draw->rows, self->weights, draw->lines, error))
    return FALSE;
  reel_priorities_correct (priorities, self->weights, draw->n, draw->info[0]);
  return TRUE;
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
  const ReelPriorities *priorities = reel_priority_sampler_get (sampler);
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
  g_free (REEL_PRIORITIZED_SAMPLER (object)->weights);
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
  REEL_OBJECT_CLASS (klass)->build = build;
  sampler_class->peer_name = "PrioritizedSampler";
  sampler_class->list_info = list_info;
  sampler_class->sample = sample;
  sampler_class->stream = G_STRUCT_OFFSET (ReelPrioritizedSampler, n_calls);
  sampler_class->to_string = to_string;
}

static void
reel_prioritized_sampler_init (ReelPrioritizedSampler *self)
{
}
