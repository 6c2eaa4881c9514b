/* Every row once before any comes again. The list of row slots is shuffled as far as it is drawn
 * (Fisher and Yates), so that beginning anew costs what was drawn and not what there is. */
#include "../core/error.h"
#include "../core/random.h"
#include "sampler.h"
#include "state.h"
#include "storage-private.h"

#include <string.h>

#define AHEAD 16 /* entries of the list that are fetched before they are needed */

struct _ReelWithoutReplacementSampler
{
  ReelSampler parent_instance;

  gboolean drop_last;
  gboolean shuffle;

  gint64 *list;    /* a permutation of the row slots */
  gint64 room;     /* its entries */
  gint64 length;   /* row slots that were filled when the pass began, 0 before the first */
  gint64 at;       /* entries that this pass has drawn */
  gint64 settled;  /* entries of this pass that stay where a loaded state has them */
  gint64 n_passes; /* begun so far */
  gboolean ran_out;
};

G_DECLARE_FINAL_TYPE (ReelWithoutReplacementSampler, reel_without_replacement_sampler, REEL,
                      WITHOUT_REPLACEMENT_SAMPLER, ReelSampler)
G_DEFINE_FINAL_TYPE (ReelWithoutReplacementSampler, reel_without_replacement_sampler,
                     REEL_TYPE_SAMPLER)

typedef ReelWithoutReplacementSampler Self;

/* ---- the list
 * ------------------------------------------------------------------------------------ */

/* Puts the list in order. An entry beyond those drawn is out of its place only where its number was
 * drawn. */
static void
sort_list (Self *self)
{
  if (self->settled > 0)
    for (gint64 i = 0; i < self->room; i++)
      self->list[i] = i;
  self->settled = 0;
  for (gint64 i = 0; i < self->at; i++)
    if (self->list[i] >= self->at)
      self->list[self->list[i]] = self->list[i];
  for (gint64 i = 0; i < self->at; i++)
    self->list[i] = i;
}

static void
begin_pass (Self *self)
{
  sort_list (self);
  self->at = 0;
  self->n_passes++;
}

static gboolean
set_length (Self *self, gint64 length, GError **error)
{
  if (length > self->room)
    {
      gint64 *list = g_try_realloc_n (self->list, (gsize) length, sizeof *list);

      if (!list)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE,
                       "no memory for the order of %" G_GINT64_FORMAT " rows", length);
          return FALSE;
        }
      for (gint64 i = self->room; i < length; i++)
        list[i] = i;
      self->list = list;
      self->room = length;
    }
  begin_pass (self);
  self->length = length;
  return TRUE;
}

/* Swaps the entries [begin, end) of a list for ones that are drawn from all that are left. */
static void
shuffle (Self *self, gint64 *list, gint64 begin, gint64 end)
{
  ReelRandomKey key =
      reel_random_key ((guint64) reel_sampler_get_seed (REEL_SAMPLER (self)), self->n_passes);

  for (gint64 first = begin, chunk; first < end; first += chunk)
    {
      gint64 others[AHEAD];

      chunk = MIN (AHEAD, end - first);
      for (gint64 i = 0; i < chunk; i++)
        {
          gint64 at = first + i;

          others[i] = at + reel_random_below (key, at, self->length - at);
          __builtin_prefetch (&list[others[i]], 1);
        }
      for (gint64 i = 0; i < chunk; i++)
        {
          gint64 slot = list[others[i]];

          list[others[i]] = list[first + i];
          list[first + i] = slot;
        }
    }
}

/* ---- rows
 * ---------------------------------------------------------------------------------------- */

/* The number of the row in a slot; −1 where the writer is just filling it. */
static gint64
find_row (const ReelStorageView *view, gint64 slot)
{
  gint64 row = view->first_row - view->first_row % view->capacity + slot;

  if (row < view->first_row)
    row += view->capacity;
  return row < view->end_row ? row : -1;
}

/* The next @n rows of this pass, fewer at its end. Those that are being overwritten as their turn
 * comes are passed over. */
static gint64
take (Self *self, const ReelStorageView *view, gint64 n, gint64 *rows)
{
  gint64 taken = 0;

  while (taken < n && self->at < self->length)
    {
      gint64 some = MIN (n - taken, self->length - self->at);

      if (self->shuffle)
        shuffle (self, self->list, MAX (self->at, self->settled), self->at + some);
      for (gint64 end = self->at + some; self->at < end; self->at++)
        {
          rows[taken] = find_row (view, self->list[self->at]);
          taken += rows[taken] >= 0;
        }
    }
  return taken;
}

/* At least @least rows; of another pass where this one has not as many that can be read. */
static gboolean
draw_rows (Self *self, const ReelStorageView *view, gint64 least, ReelDraw *draw, GError **error)
{
  gint64 n = draw->n;

  draw->n = take (self, view, n, draw->rows);
  if (draw->n < least)
    {
      begin_pass (self);
      draw->n += take (self, view, n - draw->n, draw->rows + draw->n);
    }
  if (draw->n > 0)
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                       "every row is just being overwritten: raise the capacity");
  return FALSE;
}

static gboolean
sample (ReelSampler *sampler, ReelStorage *storage, const ReelStorageView *view, ReelDraw *draw,
        GError **error)
{
  Self *self = REEL_WITHOUT_REPLACEMENT_SAMPLER (sampler);
  gint64 filled = reel_storage_count_filled (storage, view), n = draw->n, left;

  if (filled != self->length && !set_length (self, filled, error))
    return FALSE;
  if (self->drop_last && filled < n)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "The batch size (%" G_GINT64_FORMAT
                   ") is greater than the storage capacity (%" G_GINT64_FORMAT
                   "). This makes it impossible to return a sample without repeating indices. "
                   "Consider changing the sampler class or turn the 'drop_last' argument to False.",
                   n, filled);
      return FALSE;
    }
  if (!draw_rows (self, view, self->drop_last ? n : 1, draw, error))
    return FALSE;
  left = self->length - self->at;
  self->ran_out = left == 0 || (self->drop_last && left < n);
  if (self->ran_out)
    begin_pass (self);
  return TRUE;
}

/* Of an overwritten row the one that took its place; others of this pass where there is none yet.
 */
static gboolean
redraw (ReelSampler *sampler, ReelStorage *storage, const ReelStorageView *view, ReelDraw *draw,
        GError **error)
{
  Self *self = REEL_WITHOUT_REPLACEMENT_SAMPLER (sampler);
  ReelDraw rest = { .n = draw->n };

  draw->n = 0;
  for (gint64 i = 0; i < rest.n; i++)
    {
      gint64 row = find_row (view, draw->rows[i] % view->capacity);

      if (row >= 0)
        draw->rows[draw->n++] = row;
    }
  rest.n -= draw->n;
  rest.rows = draw->rows + draw->n;
  if (rest.n == 0)
    return TRUE;
  if (!draw_rows (self, view, 1, &rest, error))
    return FALSE;
  draw->n += rest.n;
  return TRUE;
}

/* ---- passes
 * -------------------------------------------------------------------------------------- */

static gboolean
get_ran_out (ReelSampler *sampler)
{
  return REEL_WITHOUT_REPLACEMENT_SAMPLER (sampler)->ran_out;
}

static gint64
get_remaining (ReelSampler *sampler, gint64 n)
{
  Self *self = REEL_WITHOUT_REPLACEMENT_SAMPLER (sampler);
  gint64 left = self->length - self->at;

  if (self->length == 0)
    return G_MAXINT64;
  return left / n + (!self->drop_last && left % n != 0);
}

static gboolean
needs_batch_size (ReelSampler *sampler)
{
  return REEL_WITHOUT_REPLACEMENT_SAMPLER (sampler)->drop_last;
}

static void
empty (ReelSampler *sampler)
{
  Self *self = REEL_WITHOUT_REPLACEMENT_SAMPLER (sampler);

  begin_pass (self);
  self->length = 0;
  self->ran_out = FALSE;
}

static gboolean
bind (ReelSampler *sampler, ReelStorage *storage, GError **error)
{
  empty (sampler);
  return TRUE;
}

/* What it calls sampled is what is left, as TorchRL prints it. */
static char *
to_string (ReelSampler *sampler)
{
  Self *self = REEL_WITHOUT_REPLACEMENT_SAMPLER (sampler);
  gint64 left = self->length - self->at;
  double percent = self->length > 0 ? (double) left / (double) self->length * 100 : 0;
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  return g_strdup_printf ("SamplerWithoutReplacement( %s%% sampled)",
                          g_ascii_formatd (number, sizeof number, "%.4f", percent));
}

/* ---- state
 * --------------------------------------------------------------------------------------- */

/* What is left, in the order in which it is going to be drawn. */
static gboolean
get_list (Self *self, ReelTensordict *state, GError **error)
{
  gsize bytes = (gsize) self->length * sizeof *self->list;
  g_autofree gint64 *list = g_try_malloc (bytes);

  if (!list)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE,
                   "no memory for the order of %" G_GINT64_FORMAT " rows", self->length);
      return FALSE;
    }
  memcpy (list, self->list, bytes);
  if (self->shuffle)
    shuffle (self, list, MAX (self->at, self->settled), self->length);
  return reel_state_set (state, "_sample_list", REEL_DTYPE_INT64, 1, self->length - self->at,
                         list + self->at, error);
}

static ReelTensordict *
get_state (ReelSampler *sampler, ReelStorage *storage, GError **error)
{
  Self *self = REEL_WITHOUT_REPLACEMENT_SAMPLER (sampler);
  g_autoptr (ReelTensordict) state = reel_tensordict_new (0, NULL);
  guint8 drop_last = (guint8) self->drop_last, ran_out = (guint8) self->ran_out;

  if (reel_state_set (state, "len_storage", REEL_DTYPE_INT64, 0, 1, &self->length, error)
      && (self->length > 0 ? get_list (self, state, error)
                           : reel_tensordict_set_value (state, "_sample_list", NULL, error))
      && reel_state_set (state, "drop_last", REEL_DTYPE_BOOL, 0, 1, &drop_last, error)
      && reel_state_set (state, "_ran_out", REEL_DTYPE_BOOL, 0, 1, &ran_out, error))
    return g_steal_pointer (&state);
  return NULL;
}

/* The rows that are left, once each. */
static gboolean
check_list (const gint64 *list, gint64 n, gint64 length, guint8 *is_left, GError **error)
{
  for (gint64 i = 0; i < n; i++)
    {
      if (list[i] < 0 || list[i] >= length || is_left[list[i]])
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "\"_sample_list\" has %" G_GINT64_FORMAT " at %" G_GINT64_FORMAT
                       ", another row below %" G_GINT64_FORMAT " expected",
                       list[i], i, length);
          return FALSE;
        }
      is_left[list[i]] = TRUE;
    }
  return TRUE;
}

/* Those that were drawn come first, in any order. */
static gboolean
set_list (Self *self, const gint64 *list, gint64 n, gint64 length, GError **error)
{
  g_autofree guint8 *is_left = g_try_malloc0 ((gsize) length);
  gint64 at = 0;

  if (!is_left)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE,
                   "no memory for the order of %" G_GINT64_FORMAT " rows", length);
      return FALSE;
    }
  if (!check_list (list, n, length, is_left, error) || !set_length (self, length, error))
    return FALSE;
  for (gint64 slot = 0; slot < length; slot++)
    if (!is_left[slot])
      self->list[at++] = slot;
  memcpy (self->list + at, list, (gsize) n * sizeof *list);
  self->at = at;
  self->settled = length;
  return TRUE;
}

/* What a state says, checked but for the list. */
typedef struct
{
  gint64 length;
  gboolean drop_last;
  gboolean ran_out;
  const ReelTensor *list; /* NULL before the first draw */
} State;

static gboolean
read_state (State *to, const ReelTensordict *from, gint64 capacity, GError **error)
{
  g_autoptr (GVariant) none = reel_tensordict_get_value (from, "_sample_list", NULL);
  const ReelTensor *length = reel_state_get (from, "len_storage", REEL_DTYPE_INT64, 0, error);
  const ReelTensor *drop_last =
      length ? reel_state_get (from, "drop_last", REEL_DTYPE_BOOL, 0, error) : NULL;
  const ReelTensor *ran_out =
      drop_last ? reel_state_get (from, "_ran_out", REEL_DTYPE_BOOL, 0, error) : NULL;

  if (!ran_out)
    return FALSE;
  to->length = *(const gint64 *) length->data;
  to->drop_last = *drop_last->data != 0;
  to->ran_out = *ran_out->data != 0;
  to->list = none ? NULL : reel_state_get (from, "_sample_list", REEL_DTYPE_INT64, 1, error);
  if (!none && !to->list)
    return FALSE;
  if (to->length >= 0 && to->length <= capacity)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "\"len_storage\" is %" G_GINT64_FORMAT ", 0 to %" G_GINT64_FORMAT " expected",
               to->length, capacity);
  return FALSE;
}

static gboolean
set_state (ReelSampler *sampler, ReelStorage *storage, const ReelTensordict *state, GError **error)
{
  Self *self = REEL_WITHOUT_REPLACEMENT_SAMPLER (sampler);
  State to;
  gint64 n;

  if (!read_state (&to, state, reel_storage_get_capacity (storage), error))
    return FALSE;
  n = to.list && to.length > 0 ? reel_tensor_numel (to.list) : 0;
  if (n == 0)
    empty (sampler);
  else if (!set_list (self, (const gint64 *) to.list->data, n, to.length, error))
    return FALSE;
  self->drop_last = to.drop_last;
  self->ran_out = to.ran_out;
  return TRUE;
}

/* ---- the class
 * ----------------------------------------------------------------------------------- */

static void
finalize (GObject *object)
{
  g_free (REEL_WITHOUT_REPLACEMENT_SAMPLER (object)->list);
  G_OBJECT_CLASS (reel_without_replacement_sampler_parent_class)->finalize (object);
}

static void
reel_without_replacement_sampler_class_init (ReelWithoutReplacementSamplerClass *klass)
{
  static const ReelId ids[] = {
    { "without-replacement", NULL, "every row once before any comes again" },
    { "SamplerWithoutReplacement", NULL, "every row once, by TorchRL's name" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelSamplerClass *sampler_class = REEL_SAMPLER_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  object_class->ids = ids;
  reel_object_class_add_bool (object_class, "drop-last", G_STRUCT_OFFSET (Self, drop_last), FALSE,
                              "end a pass before a batch that would be short",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_bool (object_class, "shuffle", G_STRUCT_OFFSET (Self, shuffle), TRUE,
                              "in random order; else as they are stored",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
  sampler_class->peer_name = "SamplerWithoutReplacement";
  sampler_class->bind = bind;
  sampler_class->sample = sample;
  sampler_class->redraw = redraw;
  sampler_class->get_ran_out = get_ran_out;
  sampler_class->get_remaining = get_remaining;
  sampler_class->needs_batch_size = needs_batch_size;
  sampler_class->empty = empty;
  sampler_class->to_string = to_string;
  sampler_class->state_form = "without-replacement";
  sampler_class->get_state = get_state;
  sampler_class->set_state = set_state;
}

static void
reel_without_replacement_sampler_init (ReelWithoutReplacementSampler *self)
{
}
