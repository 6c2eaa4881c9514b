/* Slices of trajectories, one of each before any comes again. */
#include "../../core/tensordict/variant.h"
#include "pass-list.h"
#include "slices.h"

#include <stdlib.h>

struct _ReelSliceWithoutReplacementSampler
{
  ReelSampler parent_instance;

  ReelSlices slices;
  ReelPassList pass;    /* over places in the index */
  ReelSlicesSize size;  /* of the last draw */
  guint64 n_changes;    /* of the index when the pass began */
  ReelPassState loaded; /* in the numbers of the files, until it is known which are long enough */
  gint64 loaded_end;    /* rows written then */
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

/* ---- trajectories as TorchRL counts them: all, lane after lane, in the order of the slots of
 * their last steps ---- */

/* The order of the trajectories, a number of its own for each. */
static gint64
order_of (const ReelTrajectory *one, const ReelStorageView *view)
{
  gint64 last = one->first_row + (one->n_steps - 1) * view->lanes, slot = last % view->capacity;

  return slot % view->lanes * (view->capacity / view->lanes) + slot / view->lanes;
}

static int
compare (const void *a, const void *b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

/* The orders of all, ascending, (transfer full) (element-type gint64). */
static GArray *
list_orders (Self *self, ReelStorage *storage, const ReelStorageView *view, GError **error)
{
  g_autoptr (ReelTrajectoryIndex) all = reel_slices_new_index (&self->slices, storage, error);
  g_autoptr (GArray) orders = g_array_new (FALSE, FALSE, sizeof (gint64));

  if (!all || !reel_trajectory_index_follow (all, view, 1, error))
    return NULL;
  for (gint64 k = 0; k < reel_trajectory_index_get_n (all); k++)
    {
      ReelTrajectory one;
      gint64 order;

      reel_trajectory_index_get (all, k, &one);
      order = order_of (&one, view);
      g_array_append_val (orders, order);
    }
  g_array_sort (orders, compare);
  return g_steal_pointer (&orders);
}

/* The number of the trajectory at a place of the index; −1 for one that came meanwhile. */
static gint64
find_number (const Self *self, gint64 place, const ReelStorageView *view, const GArray *orders)
{
  ReelTrajectory one;
  gint64 order;
  const gint64 *found;

  reel_trajectory_index_get (self->slices.index, place, &one);
  order = order_of (&one, view);
  found = bsearch (&order, orders->data, orders->len, sizeof order, compare);
  return found ? found - (const gint64 *) orders->data : -1;
}

/* ---- passes ---- */

static gboolean
begin_pass (Self *self, GError **error)
{
  self->n_changes = reel_trajectory_index_count_changes (self->slices.index);
  return reel_pass_list_begin (&self->pass, reel_trajectory_index_get_n (self->slices.index),
                               error);
}

/* In the place of each number that is left the place in the index; those that are too short are no
 * part of the pass. */
static gboolean
number_to_places (Self *self, const ReelStorageView *view, const GArray *orders, GError **error)
{
  gint64 n_places = reel_trajectory_index_get_n (self->slices.index), n = 0;
  g_autofree gint64 *place_of = g_new (gint64, orders->len);
  ReelPassState *state = &self->loaded;

  for (guint i = 0; i < orders->len; i++)
    place_of[i] = -1;
  for (gint64 place = 0; place < n_places; place++)
    {
      gint64 number = find_number (self, place, view, orders);

      if (number >= 0)
        place_of[number] = place;
    }
  for (gint64 i = 0; i < state->n; i++)
    {
      state->left[n] = place_of[state->left[i]];
      n += state->left[n] >= 0;
    }
  state->length = n_places;
  state->n = n;
  self->n_changes = reel_trajectory_index_count_changes (self->slices.index);
  if (!reel_pass_state_arrange (state, error))
    return FALSE;
  reel_pass_list_take_state (&self->pass, state);
  return TRUE;
}

/* Where the data are not those of the state a pass begins anew. */
static gboolean
take_up (Self *self, ReelStorage *storage, const ReelStorageView *view, GError **error)
{
  g_autoptr (GArray) orders = NULL;
  gboolean done;

  if (self->loaded.n == 0)
    return TRUE;
  orders = list_orders (self, storage, view, error);
  if (!orders)
    return FALSE;
  done = view->end_row != self->loaded_end || orders->len != self->loaded.length
         || number_to_places (self, view, orders, error);
  reel_pass_state_clear (&self->loaded);
  return done;
}

/* Places are of one state of the index. */
static gboolean
go_on_or_begin (Self *self, GError **error)
{
  if (self->pass.at < self->pass.length
      && self->n_changes == reel_trajectory_index_count_changes (self->slices.index))
    return TRUE;
  return begin_pass (self, error);
}

static gboolean
sample (ReelSampler *sampler, ReelStorage *storage, const ReelStorageView *view, ReelDraw *draw,
        GError **error)
{
  Self *self = get_self (sampler);
  gint64 seed = reel_sampler_get_seed (sampler), filled = 0, at, n;
  ReelSlicesSize size;
  const gint64 *places;
  ReelRandomKey where;

  if (!reel_slices_find_size (&self->slices, draw->n, &size, error)
      || !reel_slices_follow (&self->slices, view, &size, error))
    return FALSE;
  if (reel_trajectory_index_get_n (self->slices.index) == 0)
    return reel_slices_refuse (&self->slices, storage, view, &size, draw, error);
  if (!take_up (self, storage, view, error) || !go_on_or_begin (self, error)
      || !reel_pass_list_check (&self->pass, size.n_slices, self->pass.length, error))
    return FALSE;

  self->size = size;
  /* Another stream than that of the order, which has the key of the seed itself. */
  where = reel_random_key (~(guint64) seed, self->pass.n_passes);
  at = self->pass.at;
  n = size.n_slices;
  places = reel_pass_list_take (&self->pass, seed, &n);
  for (gint64 i = 0; i < n; i++)
    {
      ReelSlice slice;

      reel_trajectory_index_get (self->slices.index, places[i], &slice);
      reel_slices_cut (&self->slices, view->lanes, size.length, where, at + i, &slice);
      filled = reel_slices_put (&self->slices, draw, filled, view->lanes, size.length, &slice);
    }
  draw->n = filled;
  reel_pass_list_end_batch (&self->pass, size.n_slices);
  return TRUE;
}

static gboolean
get_ran_out (ReelSampler *sampler)
{
  return get_self (sampler)->pass.ran_out;
}

static gint64
get_remaining (ReelSampler *sampler, gint64 n)
{
  Self *self = get_self (sampler);
  ReelSlicesSize size;

  return reel_slices_find_size (&self->slices, n, &size, NULL)
             ? reel_pass_list_count_batches (&self->pass, size.n_slices)
             : G_MAXINT64;
}

static gboolean
needs_batch_size (ReelSampler *sampler)
{
  return get_self (sampler)->pass.drop_last;
}

/* ---- state ---- */

/* Of what was written since the last draw the next one begins a pass. */
static gboolean
get_numbers (Self *self, ReelStorage *storage, ReelPassState *state, GError **error)
{
  g_autoptr (GArray) orders = NULL;
  ReelStorageView view;
  gint64 n = 0;

  *state = (ReelPassState){ .drop_last = self->pass.drop_last, .ran_out = self->pass.ran_out };
  if (self->pass.length == 0)
    return TRUE;
  reel_storage_get_view (storage, &view);
  if (!reel_slices_follow (&self->slices, &view, &self->size, error))
    return FALSE;
  if (self->n_changes != reel_trajectory_index_count_changes (self->slices.index))
    return TRUE;
  orders = list_orders (self, storage, &view, error);
  if (!orders
      || !reel_pass_list_get_state (&self->pass, reel_sampler_get_seed (REEL_SAMPLER (self)), state,
                                    error))
    return FALSE;
  for (gint64 i = 0; i < state->n; i++)
    {
      state->left[n] = find_number (self, state->left[i], &view, orders);
      n += state->left[n] >= 0;
    }
  state->length = orders->len;
  state->n = n;
  return TRUE;
}

static ReelTensordict *
dup_state (ReelSampler *sampler, ReelStorage *storage, GError **error)
{
  Self *self = get_self (sampler);
  g_auto (ReelPassState) state = { 0 };

  if (self->loaded.n > 0)
    return reel_pass_state_write (&self->loaded, error);
  return get_numbers (self, storage, &state, error) ? reel_pass_state_write (&state, error) : NULL;
}

static gpointer
read_state (ReelSampler *sampler, gint64 capacity, const ReelTensordict *from, GError **error)
{
  return reel_pass_state_read (from, capacity, error);
}

static void
take_state (ReelSampler *sampler, ReelStorage *storage, gpointer said)
{
  Self *self = get_self (sampler);
  ReelPassState *state = said;
  ReelStorageView view;

  reel_storage_get_view (storage, &view);
  reel_pass_list_forget (&self->pass);
  self->pass.drop_last = state->drop_last;
  self->pass.ran_out = state->ran_out;
  reel_pass_state_clear (&self->loaded);
  self->loaded = *state;
  self->loaded_end = view.end_row;
  *state = (ReelPassState){ 0 };
}

/* ---- the class ---- */

static void
empty (ReelSampler *sampler)
{
  reel_pass_list_forget (&get_self (sampler)->pass);
  reel_pass_state_clear (&get_self (sampler)->loaded);
}

static gboolean
bind (ReelSampler *sampler, ReelStorage *storage, GError **error)
{
  empty (sampler);
  return reel_slices_bind (&get_self (sampler)->slices, storage, error);
}

static gboolean
count_candidates (ReelSampler *sampler, const ReelStorageView *view, gint64 n, gint64 *count,
                  GError **error)
{
  return reel_slices_count (&get_self (sampler)->slices, view, n, 0, count, error);
}

static const ReelInfoColumn *
list_info (ReelSampler *sampler, guint *n)
{
  return reel_slices_list_info (&get_self (sampler)->slices, n);
}

/* It calls the rest "sampled", as TorchRL prints it. */
static char *
to_string (ReelSampler *sampler)
{
  Self *self = get_self (sampler);
  const ReelPassState *loaded = &self->loaded;
  double percent = loaded->n > 0 ? (double) loaded->n / (double) loaded->length * 100
                                 : reel_pass_list_percent (&self->pass);
  g_autoptr (GString) rest = g_string_new (",");
  g_autoptr (GVariant) number = g_variant_ref_sink (g_variant_new_double (percent));

  if (percent > 0)
    reel_variant_append_repr (rest, number);
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
  reel_pass_list_clear (&get_self (object)->pass);
  reel_pass_state_clear (&get_self (object)->loaded);
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
  reel_pass_list_add_properties (object_class, G_STRUCT_OFFSET (Self, pass),
                                 "in random order; else in the order in which they ended");
  sampler_class->peer_name = "SliceSamplerWithoutReplacement";
  sampler_class->bind = bind;
  sampler_class->list_info = list_info;
  sampler_class->sample = sample;
  sampler_class->count_candidates = count_candidates;
  sampler_class->stream = G_STRUCT_OFFSET (ReelSliceWithoutReplacementSampler, pass.n_passes);
  sampler_class->get_ran_out = get_ran_out;
  sampler_class->get_remaining = get_remaining;
  sampler_class->needs_batch_size = needs_batch_size;
  sampler_class->empty = empty;
  sampler_class->to_string = to_string;
  sampler_class->state_form = "without-replacement";
  sampler_class->dup_state = dup_state;
  sampler_class->read_state = read_state;
  sampler_class->take_state = take_state;
  sampler_class->free_state = (GDestroyNotify) reel_pass_state_free;
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
