/* Slices of trajectories, one of each before any comes again. */
#include "../core/variant.h"
#include "slices.h"

struct _ReelSliceWithoutReplacementSampler
{
  ReelSampler parent_instance;

  ReelSlices slices;
  gboolean drop_last;
  gboolean shuffle;

  gint64 *list; /* places in the index; those before at are drawn */
  gint64 room;
  gint64 length; /* trajectories of this pass, 0 before the first */
  gint64 at;
  guint64 n_changes; /* of the index when the pass began */
  gint64 n_passes;
  gboolean ran_out;
};

G_DECLARE_FINAL_TYPE (ReelSliceWithoutReplacementSampler, reel_slice_without_replacement_sampler,
                      REEL, SLICE_WITHOUT_REPLACEMENT_SAMPLER, ReelSampler)
G_DEFINE_FINAL_TYPE (ReelSliceWithoutReplacementSampler, reel_slice_without_replacement_sampler,
                     REEL_TYPE_SAMPLER)

typedef ReelSliceWithoutReplacementSampler Self;

static Self *
get_self (gpointer sampler)
{
  return REEL_SLICE_WITHOUT_REPLACEMENT_SAMPLER (sampler);
}

/* ---- passes
 * -------------------------------------------------------------------------------------- */

static gboolean
begin_pass (Self *self, GError **error)
{
  gint64 n = reel_trajectory_index_get_n (self->slices.index);

  if (n > self->room)
    {
      gint64 *list = g_try_realloc_n (self->list, (gsize) n, sizeof *list);

      if (!list)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE,
                       "no memory for the order of %" G_GINT64_FORMAT " trajectories", n);
          return FALSE;
        }
      self->list = list;
      self->room = n;
    }
  for (gint64 i = 0; i < n; i++)
    self->list[i] = i;
  self->length = n;
  self->at = 0;
  self->n_changes = reel_trajectory_index_count_changes (self->slices.index);
  self->n_passes++;
  return TRUE;
}

/* Places are of one state of the index. */
static gboolean
go_on_or_begin (Self *self, GError **error)
{
  if (self->length > 0 && self->at < self->length
      && self->n_changes == reel_trajectory_index_count_changes (self->slices.index))
    return TRUE;
  return begin_pass (self, error);
}

static gboolean
check_enough (const Self *self, const ReelSlicesSize *size, GError **error)
{
  if (!self->drop_last || self->length >= size->n_slices)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "The batch size (%" G_GINT64_FORMAT
               ") is greater than the storage capacity (%" G_GINT64_FORMAT
               "). This makes it impossible to return a sample without repeating indices. Consider "
               "changing the sampler class or turn the 'drop_last' argument to False.",
               size->n_slices, self->length);
  return FALSE;
}

static gint64
take_one (Self *self, ReelRandomKey key)
{
  gint64 left = self->length - self->at;
  gint64 other = self->at + (self->shuffle ? reel_random_below (key, self->at, left) : 0);
  gint64 place = self->list[other];

  self->list[other] = self->list[self->at];
  self->list[self->at++] = place;
  return place;
}

static gboolean
sample (ReelSampler *sampler, ReelStorage *storage, const ReelStorageView *view, ReelDraw *draw,
        GError **error)
{
  Self *self = get_self (sampler);
  guint64 seed = (guint64) reel_sampler_get_seed (sampler);
  ReelSlicesSize size;
  gint64 filled = 0, left;

  if (!reel_slices_find_size (&self->slices, draw->n, &size, error)
      || !reel_slices_follow (&self->slices, view, &size, error))
    return FALSE;
  if (reel_trajectory_index_get_n (self->slices.index) == 0)
    return reel_slices_refuse (&self->slices, storage, view, &size, draw, error);
  if (!go_on_or_begin (self, error) || !check_enough (self, &size, error))
    return FALSE;

  ReelRandomKey which = reel_random_key (seed, 2 * self->n_passes);
  ReelRandomKey where = reel_random_key (seed, 2 * self->n_passes + 1);
  for (gint64 i = MIN (size.n_slices, self->length - self->at); i > 0; i--)
    {
      ReelSlice slice;

      reel_trajectory_index_get (self->slices.index, take_one (self, which), &slice);
      reel_slices_cut (&self->slices, view->lanes, size.length, where, self->at, &slice);
      filled = reel_slices_put (&self->slices, draw, filled, view->lanes, size.length, &slice);
    }
  draw->n = filled;
  left = self->length - self->at;
  self->ran_out = left == 0 || (self->drop_last && left < size.n_slices);
  return !self->ran_out || begin_pass (self, error);
}

static gboolean
get_ran_out (ReelSampler *sampler)
{
  return get_self (sampler)->ran_out;
}

static gint64
get_remaining (ReelSampler *sampler, gint64 n)
{
  Self *self = get_self (sampler);
  gint64 left = self->length - self->at;
  ReelSlicesSize size;

  if (self->length == 0 || !reel_slices_find_size (&self->slices, n, &size, NULL))
    return G_MAXINT64;
  return left / size.n_slices + (!self->drop_last && left % size.n_slices != 0);
}

static gboolean
needs_batch_size (ReelSampler *sampler)
{
  return get_self (sampler)->drop_last;
}

/* ---- the class
 * ----------------------------------------------------------------------------------- */

static void
empty (ReelSampler *sampler)
{
  get_self (sampler)->length = get_self (sampler)->at = 0;
  get_self (sampler)->ran_out = FALSE;
}

static gboolean
bind (ReelSampler *sampler, ReelStorage *storage, GError **error)
{
  empty (sampler);
  return reel_slices_bind (&get_self (sampler)->slices, storage, error);
}

static const ReelInfoColumn *
list_info (ReelSampler *sampler, guint *n)
{
  return reel_slices_list_info (&get_self (sampler)->slices, n);
}

/* What it calls sampled is what is left, as TorchRL prints it. */
static char *
to_string (ReelSampler *sampler)
{
  Self *self = get_self (sampler);
  gint64 left = self->length - self->at;
  g_autoptr (GString) rest = g_string_new (",");
  g_autoptr (GVariant) percent = g_variant_ref_sink (
      g_variant_new_double ((double) left / (double) MAX (self->length, 1) * 100));

  if (self->length > 0)
    reel_variant_append_repr (rest, percent);
  else
    g_string_append_c (rest, '0');
  g_string_append (rest, "% sampled)");
  return reel_slices_to_string (&self->slices, "SliceSamplerWithoutReplacement", FALSE, rest->str);
}

static gboolean
build (ReelObject *object, GError **error)
{
  return REEL_OBJECT_CLASS (reel_slice_without_replacement_sampler_parent_class)
             ->build (object, error)
         && reel_slices_build (&get_self (object)->slices, error);
}

static void
finalize (GObject *object)
{
  reel_slices_clear (&get_self (object)->slices);
  g_free (get_self (object)->list);
  G_OBJECT_CLASS (reel_slice_without_replacement_sampler_parent_class)->finalize (object);
}

static void
reel_slice_without_replacement_sampler_class_init (ReelSliceWithoutReplacementSamplerClass *klass)
{
  static const ReelId ids[] = {
    { "slice-without-replacement", NULL, "a slice of every trajectory before any comes again" },
    { "SliceSamplerWithoutReplacement", NULL, "a slice of every trajectory, by TorchRL's name" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelSamplerClass *sampler_class = REEL_SAMPLER_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  object_class->ids = ids;
  object_class->build = build;
  reel_slices_add_properties (object_class, G_STRUCT_OFFSET (Self, slices));
  reel_object_class_add_bool (object_class, "drop-last", G_STRUCT_OFFSET (Self, drop_last), FALSE,
                              "end a pass before a batch that would be short",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_bool (object_class, "shuffle", G_STRUCT_OFFSET (Self, shuffle), TRUE,
                              "in random order; else in the order in which they ended",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
  sampler_class->peer_name = "SliceSamplerWithoutReplacement";
  sampler_class->bind = bind;
  sampler_class->list_info = list_info;
  sampler_class->sample = sample;
  sampler_class->get_ran_out = get_ran_out;
  sampler_class->get_remaining = get_remaining;
  sampler_class->needs_batch_size = needs_batch_size;
  sampler_class->empty = empty;
  sampler_class->to_string = to_string;
}

static void
reel_slice_without_replacement_sampler_init (ReelSliceWithoutReplacementSampler *self)
{
  self->slices.cache_values = TRUE;
}

ReelSlices *
reel_slice_without_replacement_sampler_get_slices (ReelSampler *self)
{
  return REEL_IS_SLICE_WITHOUT_REPLACEMENT_SAMPLER (self) ? &get_self (self)->slices : NULL;
}
