/* Every row once before any comes again. */
#include "../../core/object/error.h"
#include "pass-list.h"
#include "../storages/storage-private.h"

struct _ReelWithoutReplacementSampler
{
  ReelSampler parent_instance;

  ReelPassList pass; /* over row slots */
};

G_DECLARE_FINAL_TYPE (ReelWithoutReplacementSampler, reel_without_replacement_sampler, REEL,
                      WITHOUT_REPLACEMENT_SAMPLER, ReelSampler)
G_DEFINE_FINAL_TYPE (ReelWithoutReplacementSampler, reel_without_replacement_sampler,
                     REEL_TYPE_SAMPLER)

static ReelPassList *
get_pass (gpointer sampler)
{
  return &REEL_WITHOUT_REPLACEMENT_SAMPLER (sampler)->pass;
}

/* ---- rows ---- */

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
take (ReelSampler *sampler, const ReelStorageView *view, gint64 n, gint64 *rows)
{
  ReelPassList *pass = get_pass (sampler);
  gint64 taken = 0;

  while (taken < n && pass->at < pass->length)
    {
      gint64 some = n - taken;
      const gint64 *slots = reel_pass_list_take (pass, reel_sampler_get_seed (sampler), &some);

      for (gint64 i = 0; i < some; i++)
        {
          rows[taken] = find_row (view, slots[i]);
          taken += rows[taken] >= 0;
        }
    }
  return taken;
}

/* At least @least rows; of another pass where this one has not as many that can be read. */
static gboolean
draw_rows (ReelSampler *sampler, const ReelStorageView *view, gint64 least, ReelDraw *draw,
           GError **error)
{
  gint64 n = draw->n;

  draw->n = take (sampler, view, n, draw->rows);
  if (draw->n < least)
    {
      reel_pass_list_begin_again (get_pass (sampler));
      draw->n += take (sampler, view, n - draw->n, draw->rows + draw->n);
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
  ReelPassList *pass = get_pass (sampler);
  gint64 filled = reel_storage_count_filled (storage, view), n = draw->n;

  if (filled != pass->length && !reel_pass_list_begin (pass, filled, error))
    return FALSE;
  if (!reel_pass_list_check (pass, n, filled, error)
      || !draw_rows (sampler, view, pass->drop_last ? n : 1, draw, error))
    return FALSE;
  reel_pass_list_end_batch (pass, n);
  return TRUE;
}

/* Of an overwritten row the one that took its place; others of this pass where there is none yet.
 */
static gboolean
redraw (ReelSampler *sampler, ReelStorage *storage, const ReelStorageView *view, ReelDraw *draw,
        GError **error)
{
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
  if (!draw_rows (sampler, view, 1, &rest, error))
    return FALSE;
  draw->n += rest.n;
  return TRUE;
}

/* ---- passes ---- */

static gboolean
get_ran_out (ReelSampler *sampler)
{
  return get_pass (sampler)->ran_out;
}

static gint64
get_remaining (ReelSampler *sampler, gint64 n)
{
  return reel_pass_list_count_batches (get_pass (sampler), n);
}

static gboolean
needs_batch_size (ReelSampler *sampler)
{
  return get_pass (sampler)->drop_last;
}

static void
empty (ReelSampler *sampler)
{
  reel_pass_list_forget (get_pass (sampler));
}

static gboolean
bind (ReelSampler *sampler, ReelStorage *storage, GError **error)
{
  empty (sampler);
  return TRUE;
}

/* It calls the rest "sampled", as TorchRL prints it. */
static char *
to_string (ReelSampler *sampler)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  return g_strdup_printf (
      "SamplerWithoutReplacement( %s%% sampled)",
      g_ascii_formatd (number, sizeof number, "%.4f", reel_pass_list_percent (get_pass (sampler))));
}

static ReelTensordict *
dup_state (ReelSampler *sampler, ReelStorage *storage, GError **error)
{
  g_auto (ReelPassState) state = { 0 };

  return reel_pass_list_get_state (get_pass (sampler), reel_sampler_get_seed (sampler), &state,
                                   error)
             ? reel_pass_state_write (&state, error)
             : NULL;
}

static gpointer
read_state (ReelSampler *sampler, gint64 capacity, const ReelTensordict *from, GError **error)
{
  ReelPassState *state = reel_pass_state_read (from, capacity, error);

  if (state && reel_pass_state_arrange (state, error))
    return state;
  reel_pass_state_free (state);
  return NULL;
}

static void
take_state (ReelSampler *sampler, ReelStorage *storage, gpointer said)
{
  reel_pass_list_take_state (get_pass (sampler), said);
}

/* ---- the class ---- */

static void
finalize (GObject *object)
{
  reel_pass_list_clear (get_pass (object));
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
  reel_pass_list_add_properties (object_class,
                                 G_STRUCT_OFFSET (ReelWithoutReplacementSampler, pass),
                                 "in random order; else as they are stored");
  sampler_class->peer_name = "SamplerWithoutReplacement";
  sampler_class->bind = bind;
  sampler_class->sample = sample;
  sampler_class->stream = G_STRUCT_OFFSET (ReelWithoutReplacementSampler, pass.n_passes);
  sampler_class->redraw = redraw;
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
reel_without_replacement_sampler_init (ReelWithoutReplacementSampler *self)
{
}
