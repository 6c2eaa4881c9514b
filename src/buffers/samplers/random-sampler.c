/* Every row with the same chance, each draw on its own. */
#include "../../core/math/random.h"
#include "sampler.h"

struct _ReelRandomSampler
{
  ReelSampler parent_instance;

  gint64 n_calls;
};

G_DECLARE_FINAL_TYPE (ReelRandomSampler, reel_random_sampler, REEL, RANDOM_SAMPLER, ReelSampler)
G_DEFINE_FINAL_TYPE (ReelRandomSampler, reel_random_sampler, REEL_TYPE_SAMPLER)

static gboolean
sample (ReelSampler *sampler, ReelStorage *storage, const ReelStorageView *view, ReelDraw *draw,
        GError **error)
{
  ReelRandomSampler *self = REEL_RANDOM_SAMPLER (sampler);
  guint64 seed = (guint64) reel_sampler_get_seed (sampler);

  reel_random_fill_below (reel_random_key (seed, self->n_calls++), 0, draw->n,
                          view->end_row - view->first_row, draw->rows);
  for (gint64 i = 0; i < draw->n; i++)
    draw->rows[i] += view->first_row;
  return TRUE;
}

static void
reel_random_sampler_class_init (ReelRandomSamplerClass *klass)
{
  static const ReelId ids[] = {
    { "random", NULL, "uniform, with replacement" },
    { "RandomSampler", NULL, "uniform, with replacement, by TorchRL's name" },
    { NULL },
  };

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_SAMPLER_CLASS (klass)->peer_name = "RandomSampler";
  REEL_SAMPLER_CLASS (klass)->sample = sample;
  REEL_SAMPLER_CLASS (klass)->stream = G_STRUCT_OFFSET (ReelRandomSampler, n_calls);
}

static void
reel_random_sampler_init (ReelRandomSampler *self)
{
}
