#include "sampler.h"

typedef struct
{
  gint64 seed;
} ReelSamplerPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (ReelSampler, reel_sampler, REEL_TYPE_OBJECT)

static void
reel_sampler_class_init (ReelSamplerClass *klass)
{
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);

  object_class->kind = "sampler";
  reel_object_class_add_int64 (object_class, "seed", (gsize) G_PRIVATE_OFFSET (ReelSampler, seed),
                               0, G_MAXINT64, 0, NULL, "what the draws follow from",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
reel_sampler_init (ReelSampler *self)
{
}

gint64
reel_sampler_get_seed (ReelSampler *self)
{
  return ((ReelSamplerPrivate *) reel_sampler_get_instance_private (self))->seed;
}

gboolean
reel_sampler_sample (ReelSampler *self, const ReelStorageView *view, gint64 n, gint64 *rows,
                     GError **error)
{
  if (view->first_row >= view->end_row)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "Cannot sample from an empty storage.");
      return FALSE;
    }
  return REEL_SAMPLER_GET_CLASS (self)->sample (self, view, n, rows, error);
}

void
reel_sampler_empty (ReelSampler *self)
{
  ReelSamplerClass *klass = REEL_SAMPLER_GET_CLASS (self);

  if (klass->empty)
    klass->empty (self);
}

char *
reel_sampler_to_string (ReelSampler *self)
{
  return g_strdup_printf ("%s()", REEL_SAMPLER_GET_CLASS (self)->peer_name);
}
