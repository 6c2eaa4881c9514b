/* Slices of trajectories, each trajectory with the same chance, each draw on its own. */
#include "slice-sampler.h"

#include "slices.h"

#define AT_ONCE 64 /* trajectories looked up before the first is cut */

struct _ReelSliceSampler
{
  ReelSampler parent_instance;

  ReelSlices slices;
  gint64 n_calls;
};

G_DECLARE_FINAL_TYPE (ReelSliceSampler, reel_slice_sampler, REEL, SLICE_SAMPLER, ReelSampler)
G_DEFINE_FINAL_TYPE (ReelSliceSampler, reel_slice_sampler, REEL_TYPE_SAMPLER)

static gboolean
build (ReelObject *object, GError **error)
{
  return REEL_OBJECT_CLASS (reel_slice_sampler_parent_class)->build (object, error)
         && reel_slices_build (&REEL_SLICE_SAMPLER (object)->slices, error);
}

static void
finalize (GObject *object)
{
  reel_slices_clear (&REEL_SLICE_SAMPLER (object)->slices);
  G_OBJECT_CLASS (reel_slice_sampler_parent_class)->finalize (object);
}

static gboolean
bind (ReelSampler *sampler, ReelStorage *storage, GError **error)
{
  return reel_slices_bind (&REEL_SLICE_SAMPLER (sampler)->slices, storage, error);
}

static const ReelInfoColumn *
list_info (ReelSampler *sampler, guint *n)
{
  return reel_slices_list_info (&REEL_SLICE_SAMPLER (sampler)->slices, n);
}

/* Some at once, so that the index is read ahead of the draws. */
static gint64
draw_some (ReelSliceSampler *self, const ReelRandomKey *keys, gint64 first, gint64 n,
           const ReelSlicesSize *size, gint64 lanes, ReelDraw *draw, gint64 at)
{
  gint64 chosen[AT_ONCE];
  ReelSlice slices[AT_ONCE];

  reel_random_fill_below (keys[0], first, n, reel_trajectory_index_get_n (self->slices.index),
                          chosen);
  for (gint64 i = 0; i < n; i++)
    reel_trajectory_index_get (self->slices.index, chosen[i], &slices[i]);
  for (gint64 i = 0; i < n; i++)
    {
      reel_slices_cut (&self->slices, lanes, size->length, keys[1], first + i, &slices[i]);
      at = reel_slices_put (&self->slices, draw, at, lanes, size->length, &slices[i]);
    }
  return at;
}

static gboolean
sample (ReelSampler *sampler, ReelStorage *storage, const ReelStorageView *view, ReelDraw *draw,
        GError **error)
{
  ReelSliceSampler *self = REEL_SLICE_SAMPLER (sampler);
  guint64 seed = (guint64) reel_sampler_get_seed (sampler);
  ReelSlicesSize size;
  gint64 at = 0;

  if (!reel_slices_find_size (&self->slices, draw->n, &size, error)
      || !reel_slices_follow (&self->slices, view, &size, error))
    return FALSE;
  if (reel_trajectory_index_get_n (self->slices.index) == 0)
    return reel_slices_refuse (&self->slices, storage, view, &size, draw, error);

  /* One for the trajectories and one for the slices of them: their words must not be related. */
  ReelRandomKey keys[2] = { reel_random_key (seed, self->n_calls),
                            reel_random_key (seed, self->n_calls + 1) };
  self->n_calls += 2;
  for (gint64 i = 0; i < size.n_slices; i += AT_ONCE)
    at = draw_some (self, keys, i, MIN (AT_ONCE, size.n_slices - i), &size, view->lanes, draw, at);
  draw->n = at;
  return TRUE;
}

static gboolean
count_candidates (ReelSampler *sampler, const ReelStorageView *view, gint64 n, gint64 *count,
                  GError **error)
{
  return reel_slices_count (&REEL_SLICE_SAMPLER (sampler)->slices, view, n, 0, count, error);
}

static char *
to_string (ReelSampler *sampler)
{
  const ReelSlices *slices = &REEL_SLICE_SAMPLER (sampler)->slices;
  g_autofree char *rest =
      g_strdup_printf (", pad_output=%s)", slices->pad_output ? "True" : "False");

  return reel_slices_to_string (slices, "SliceSampler", TRUE, rest);
}

static void
add_properties (ReelObjectClass *klass)
{
  const gsize offset = G_STRUCT_OFFSET (ReelSliceSampler, slices);

  reel_slices_add_properties (klass, offset);
  reel_object_class_add_bool (
      klass, "cache-values", offset + G_STRUCT_OFFSET (ReelSlices, cache_values), FALSE,
      "bounds are always kept from draw to draw; needed for reel_slice_sampler_set_marks()",
      REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_bool (klass, "pad-output",
                              offset + G_STRUCT_OFFSET (ReelSlices, pad_output), FALSE,
                              "repeat the last step of slices that are too short, and mark it in "
                              "collector/mask; not with strict-length",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (klass, "span-left", offset + G_STRUCT_OFFSET (ReelSlices, span_left),
                               -1, G_MAXINT64, 0, "steps",
                               "by how much a slice may begin before its trajectory, which cuts "
                               "it; -1: all but one step",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_slices_add_span_right (klass, offset);
}

static void
reel_slice_sampler_class_init (ReelSliceSamplerClass *klass)
{
  static const ReelId ids[] = {
    { "slice", NULL, "slices of trajectories, with replacement" },
    { "SliceSampler", NULL, "slices of trajectories, with replacement, by TorchRL's name" },
    { NULL },
  };
  ReelSamplerClass *sampler_class = REEL_SAMPLER_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_OBJECT_CLASS (klass)->build = build;
  sampler_class->peer_name = "SliceSampler";
  sampler_class->bind = bind;
  sampler_class->list_info = list_info;
  sampler_class->sample = sample;
  sampler_class->count_candidates = count_candidates;
  sampler_class->stream = G_STRUCT_OFFSET (ReelSliceSampler, n_calls);
  sampler_class->to_string = to_string;
  add_properties (REEL_OBJECT_CLASS (klass));
}

static void
reel_slice_sampler_init (ReelSliceSampler *self)
{
}

gboolean
reel_slice_sampler_set_marks (ReelSampler *sampler, ReelTensor *trajectories, ReelTensor *ends,
                              GError **error)
{
  ReelSlices *slices = reel_slice_without_replacement_sampler_get_slices (sampler);

  if (!slices)
    slices = reel_prioritized_slice_sampler_get_slices (sampler);
  if (REEL_IS_SLICE_SAMPLER (sampler))
    slices = &REEL_SLICE_SAMPLER (sampler)->slices;
  if (slices)
    return reel_slices_set_marks (slices, trajectories, ends, error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "%s draws no slices of trajectories",
               reel_object_get_id (REEL_OBJECT (sampler)));
  return FALSE;
}
