/* The base of the checkpointers of flat rows: saving by streams, and loading with checks of the
 * stored form. */
#include "ted-checkpointer.h"

#include "../../core/object/error.h"
#include "../../core/tensordict-files/load-level.h"

typedef struct
{
  ReelFlatTed keys;
} ReelTedCheckpointerPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (ReelTedCheckpointer, reel_ted_checkpointer,
                                     REEL_TYPE_CHECKPOINTER)

static const ReelFlatTed *
get_keys (ReelCheckpointer *self)
{
  ReelTedCheckpointerPrivate *private =
      reel_ted_checkpointer_get_instance_private (REEL_TED_CHECKPOINTER (self));

  return &private->keys;
}

static gboolean
save (ReelCheckpointer *self, const ReelTensordict *data, gint64 length,
      const ReelCheckpointState *state, GPtrArray *warnings, GError **error)
{
  g_autoptr (ReelFlatPack) pack =
      reel_flat_pack_new (get_keys (self), (ReelTensordict *) data, state, error);

  if (!pack
      || !REEL_TED_CHECKPOINTER_GET_CLASS (self)->write (pack, length, state->path, state->sums,
                                                         error))
    return FALSE;
  reel_flat_pack_warn (pack, warnings);
  return TRUE;
}

/* Valid are the steps that were written, of some or all dimensions. */
static gboolean
check_length (const ReelFlatForm *form, gint64 length, GError **error)
{
  gint64 steps = reel_flat_form_count_places (form);

  if (length <= form->rows && (form->shift == 0 || (length >= steps && length % steps == 0)))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
               "the length is %" G_GINT64_FORMAT ", rows of %" G_GINT64_FORMAT " steps expected",
               length, steps);
  return FALSE;
}

/* A file that TorchRL loaded and saved again, without a write between, lacks its end: flat
 * rows lie as ever, but trajectories that were cut are cut in the wrong places. */
static gboolean
check_shift (ReelTedCheckpointerClass *klass, const ReelFlatForm *form, gint64 length,
             GPtrArray *warnings, GError **error)
{
  if (form->shift > 0 || form->is_full || length == 0)
    return TRUE;
  if (!klass->is_cut)
    g_ptr_array_add (
        warnings,
        g_strdup ("TorchRL saved these rows as it had loaded them, and \"next\" of the last step "
                  "of each lane is lost; the row that follows in the files replaces it"));
  else
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                         "TorchRL saved these rows as it had loaded them, and cut their "
                         "trajectories in the wrong places; save them by another checkpointer");
  return !klass->is_cut;
}

static gboolean
check_form (ReelCheckpointer *self, const ReelTensordict *flat, gint64 length, GPtrArray *warnings,
            GError **error)
{
  ReelFlatForm form = { 0 };

  return reel_flat_form_read (&form, flat, error) && check_length (&form, length, error)
         && check_shift (REEL_TED_CHECKPOINTER_GET_CLASS (self), &form, length, warnings, error);
}

ReelFlatUnpack *
reel_ted_checkpointer_open (ReelCheckpointer *self, const char *path, gint64 *length,
                            GPtrArray *warnings, GError **error)
{
  g_autoptr (ReelFlatRows) rows = NULL;
  ReelFlatUnpack *packed = NULL;
  gboolean is_tree;

  if (!REEL_CHECKPOINTER_GET_CLASS (self)->keeps_length
      && !reel_checkpointer_read_length (path, &is_tree, length, error))
    return NULL;
  rows = REEL_TED_CHECKPOINTER_GET_CLASS (self)->read (path, length, warnings, error);
  if (!rows)
    return NULL;
  if (check_form (self, rows->flat, *length, warnings, error))
    packed = reel_flat_unpack_new (get_keys (self), g_steal_pointer (&rows), error);
  if (!packed)
    g_prefix_error (error, "%s: ", path);
  return packed;
}

static ReelTensordict *
load (ReelCheckpointer *self, const char *path, ReelLoadFlags flags, gint64 *length,
      GPtrArray *warnings, GError **error)
{
  g_autoptr (ReelFlatUnpack) packed =
      reel_ted_checkpointer_open (self, path, length, warnings, error);

  return packed ? reel_flat_unpack_all (packed, error) : NULL;
}

static void
reel_ted_checkpointer_class_init (ReelTedCheckpointerClass *klass)
{
  ReelCheckpointerClass *checkpointer_class = REEL_CHECKPOINTER_CLASS (klass);

  reel_flat_ted_add_properties (REEL_OBJECT_CLASS (klass),
                                (gsize) G_PRIVATE_OFFSET (ReelTedCheckpointer, keys));
  checkpointer_class->save = save;
  checkpointer_class->load = load;
}

static void
reel_ted_checkpointer_init (ReelTedCheckpointer *self)
{
}

ReelTensordict *
reel_ted_checkpointer_map (const char *path, gboolean joined, GPtrArray *warnings, GError **error)
{
  ReelLoadFlags flags = REEL_LOAD_READ_ONLY | (joined ? REEL_LOAD_JOINED : 0);
  g_auto (GStrv) left_out = NULL;
  ReelTensordict *data = reel_tensordict_load_partial (path, flags, &left_out, error);

  for (gsize i = 0; left_out && left_out[i]; i++)
    g_ptr_array_add (warnings, g_strconcat (left_out[i], "; it is left out", NULL));
  return data;
}
