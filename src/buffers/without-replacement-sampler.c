/* Every row once before any comes again. The list of row slots is shuffled as far as it is drawn
 * (Fisher and Yates), so that beginning anew costs what was drawn and not what there is. */
#include "../core/random.h"
#include "sampler.h"
#include "storage-private.h"

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

/* Swaps the entries [at, at + n) for ones that are drawn from all that are left. */
static void
shuffle (Self *self, gint64 n)
{
  ReelRandomKey key =
      reel_random_key ((guint64) reel_sampler_get_seed (REEL_SAMPLER (self)), self->n_passes);

  for (gint64 done = 0, chunk; done < n; done += chunk)
    {
      gint64 first = self->at + done, others[AHEAD];

      chunk = MIN (AHEAD, n - done);
      for (gint64 i = 0; i < chunk; i++)
        {
          gint64 at = first + i;

          others[i] = at + reel_random_below (key, at, self->length - at);
          __builtin_prefetch (&self->list[others[i]], 1);
        }
      for (gint64 i = 0; i < chunk; i++)
        {
          gint64 slot = self->list[others[i]];

          self->list[others[i]] = self->list[first + i];
          self->list[first + i] = slot;
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
        shuffle (self, some);
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
}

static void
reel_without_replacement_sampler_init (ReelWithoutReplacementSampler *self)
{
}
