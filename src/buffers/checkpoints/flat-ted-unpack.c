/* Makes TED data of flat rows: finds the trajectories by their ends, then sends each row to the
 * columns of the root, of `next`, or of both. */
#include "flat-ted.h"

#include "../../core/object/error.h"
#include "../../core/tensor/mapped-memory.h"
#include "../storages/strided-copy.h"

#include <string.h>

#define PART_BYTES ((gsize) 1 << 18)   /* read at once */
#define AROUND_BYTES ((gsize) 1 << 16) /* mapped around what is read */
#define MOST_BYTES ((gsize) 1 << 21)   /* mapped before all of it is let go */

/* One key of the flat rows. */
typedef struct
{
  char *key;
  const ReelTensor *rows;
  const ReelFlatPieces *pieces;
  gboolean grown;   /* whether there is one row more a trajectory */
  gboolean of_next; /* whether these are the rows of next */
} Leaf;

struct _ReelFlatUnpack
{
  ReelFlatRows *rows;
  ReelFlatForm form;
  ReelFlatCut *cut;
  GArray *leaves;
  ReelTensordict *outline;
};

ReelFlatRows *
reel_flat_rows_new (ReelTensordict *flat)
{
  ReelFlatRows *self = g_new0 (ReelFlatRows, 1);

  self->flat = flat;
  return self;
}

void
reel_flat_rows_free (ReelFlatRows *self)
{
  if (!self)
    return;
  g_clear_pointer (&self->flat, reel_tensordict_unref);
  g_clear_pointer (&self->pieces, g_hash_table_unref);
  g_free (self->lengths);
  g_free (self);
}

static void
clear_leaf (gpointer data)
{
  Leaf *leaf = data;

  g_free (leaf->key);
}

void
reel_flat_unpack_free (ReelFlatUnpack *self)
{
  if (!self)
    return;
  reel_flat_rows_free (self->rows);
  reel_flat_cut_free (self->cut);
  g_array_unref (self->leaves);
  g_clear_pointer (&self->outline, reel_tensordict_unref);
  g_free (self);
}

/* ---- rows where they lie ---- */

gint64
reel_flat_pieces_offset (const ReelFlatPieces *self, gint64 part)
{
  /* The process of HDF5 gives twice the offset, plus 1 where the part has a row more than steps. */
  return ((const gint64 *) self->where->data)[part] >> 1;
}

gint64
reel_flat_pieces_more (const ReelFlatPieces *self, gint64 part)
{
  return ((const gint64 *) self->where->data)[part] & 1;
}

/* A walk over the rows of a leaf, part by part. */
typedef struct
{
  const Leaf *leaf;
  gsize size;
  gint64 part;
  const guint8 *at;
  const guint8 *low, *high; /* what was looked at since it was let go last */
  gsize taken;
} Walk;

static Walk
walk_begin (const Leaf *leaf)
{
  return (
      Walk){ .leaf = leaf, .size = reel_flat_row_bytes (leaf->rows, 1), .at = leaf->rows->data };
}

/* With what was mapped around it, or it would stay. */
static void
walk_let_go (Walk *walk)
{
  ReelMemory *memory = walk->leaf->pieces ? walk->leaf->pieces->memory : walk->leaf->rows->memory;
  const guint8 *begin = reel_memory_get_data (memory, NULL);

  if (walk->high > walk->low)
    {
      walk->low -= MIN ((gsize) (walk->low - begin), AROUND_BYTES);
      reel_memory_forget (memory, walk->low, (gsize) (walk->high - walk->low) + AROUND_BYTES);
    }
  walk->low = walk->high = NULL;
  walk->taken = 0;
}

/* The bytes at @rows are read next. Some pages around each place come with it. */
static void
walk_look_at (Walk *walk, const guint8 *rows, gsize n)
{
  gsize taken = n + (walk->leaf->pieces ? AROUND_BYTES : 0);

  if (walk->taken + taken > MOST_BYTES)
    walk_let_go (walk);
  walk->taken += taken;
  walk->low = walk->low ? MIN (walk->low, rows) : rows;
  walk->high = MAX (walk->high, rows + n);
}

/* The rows of the next part, of which there are @n. */
static const guint8 *
walk_next (Walk *walk, gint64 n)
{
  const ReelFlatPieces *pieces = walk->leaf->pieces;
  const guint8 *rows = walk->at;

  if (pieces)
    rows = (const guint8 *) reel_memory_get_data (pieces->memory, NULL)
           + reel_flat_pieces_offset (pieces, walk->part);
  else
    walk->at += (gsize) n * walk->size;
  walk->part++;
  return rows;
}

/* ---- where they go ---- */

/* A column of a storage, or of memory that is laid out as the data. */
typedef struct
{
  guint8 *data;
  gsize row_stride;
  gint64 lanes;   /* rows a step */
  gint64 inside;  /* lanes of the form that a row holds */
  gint64 n_slots; /* steps */
  gint64 first, n_steps, to_step;
} Target;

static guint8 *
target_row (const Target *target, gint64 slot, gint64 lane, gsize size)
{
  return target->data + (gsize) (slot * target->lanes + lane / target->inside) * target->row_stride
         + (gsize) (lane % target->inside) * size;
}

/* @n rows of a lane from @place on; %NULL for zeros. Steps that are not wanted are left out. */
static void
put_places (const Target *target, const ReelFlatForm *form, gint64 lane, gint64 place,
            const guint8 *rows, gsize size, gint64 n)
{
  gint64 stride = target->lanes * (gint64) target->row_stride;

  for (gint64 i = 0, some; target->data && i < n; i += some)
    {
      gint64 slot = reel_flat_form_slot_of (form, place + i);
      /* Steps from the first wanted one to this slot, round the ring of the form. */
      gint64 since = (slot - target->first % form->steps + form->steps) % form->steps;
      gint64 to_slot = (target->to_step + since) % target->n_slots;
      gboolean wanted = since < target->n_steps;

      /* Pieces end at the seam of either ring, and where wanted steps begin or end. */
      some = MIN (MIN (n - i, form->steps - slot), form->steps - since);
      if (!wanted)
        continue;
      some = MIN (MIN (some, target->n_steps - since), target->n_slots - to_slot);
      guint8 *to = target_row (target, to_slot, lane, size);
      if (!rows)
        for (gint64 k = 0; k < some; k++)
          memset (to + k * stride, 0, size);
      else if (stride == (gint64) size)
        memcpy (to, rows + (gsize) i * size, (gsize) some * size);
      else
        strided_copy (to, stride, rows + (gsize) i * size, (gint64) size, size, some);
    }
}

/* Steps of a part in pieces that are not too large. */
static void
put_part (const Target *root, const Target *next, const ReelFlatForm *form, Walk *walk,
          const guint8 *rows, gint64 lane, gint64 place, gint64 n)
{
  gint64 part = reel_row_stream_part (walk->size);

  for (gint64 i = 0, some; i < n; i += some)
    {
      /* `next` of a step is the row behind it, which for the last one is the row more. */
      const guint8 *at = rows + (gsize) i * walk->size;

      some = MIN (part, n - i);
      walk_look_at (walk, at, (gsize) (some + (next != NULL)) * walk->size);
      put_places (root, form, lane, place + i, at, walk->size, some);
      if (next)
        put_places (next, form, lane, place + i, at + walk->size, walk->size, some);
    }
}

static void
unpack_leaf (const ReelFlatUnpack *self, const Leaf *leaf, const Target *root, const Target *next)
{
  const ReelFlatForm *form = &self->form;
  const gint64 *lengths = self->cut->lengths;
  Walk walk = walk_begin (leaf);

  for (gint64 part = 0, first = 0; part < self->cut->n; first += lengths[part++])
    {
      const guint8 *rows = walk_next (&walk, (leaf->grown ? self->cut->grown : lengths)[part]);
      gint64 lane = first / form->steps, place = first % form->steps;
      gint64 n = CLAMP (reel_flat_form_count_places (form) - place, 0, lengths[part]);

      put_part (root, leaf->grown ? next : NULL, form, &walk, rows, lane, place, n);
    }
  walk_let_go (&walk);
}

static void
put_zeros (const ReelFlatUnpack *self, const Leaf *leaf, const Target *target)
{
  const ReelFlatForm *form = &self->form;

  for (gint64 lane = 0; lane < form->lanes; lane++)
    put_places (target, form, lane, 0, NULL, reel_flat_row_bytes (leaf->rows, 1),
                reel_flat_form_count_places (form));
}

/* Where the rows of @path go, nowhere at all included. */
typedef Target (*FindTarget) (const ReelFlatUnpack *self, gconstpointer data, const char *path);

static void
unpack_leaves (const ReelFlatUnpack *self, FindTarget find, gconstpointer data)
{
  for (guint i = 0; i < self->leaves->len; i++)
    {
      const Leaf *leaf = &g_array_index (self->leaves, Leaf, i);
      g_autofree char *path = g_strconcat ("next/", leaf->key, NULL);
      const Target root = find (self, data, leaf->key), next = find (self, data, path);

      if (reel_flat_row_bytes (leaf->rows, 1) == 0)
        continue;
      if (leaf->of_next)
        {
          unpack_leaf (self, leaf, &next, NULL);
          put_zeros (self, leaf, &root);
        }
      else
        unpack_leaf (self, leaf, &root, &next);
    }
}

static Target
find_column (const ReelFlatUnpack *self, gconstpointer data, const char *path)
{
  const ReelRowCopy *copy = data;
  gint64 lanes = reel_storage_get_lanes (copy->to);
  guint n;
  const ReelColumn *columns = reel_storage_get_columns (copy->to, &n);
  gint i = reel_storage_find_column (copy->to, path, NULL);

  if (i < 0)
    return (Target){ NULL };
  return (Target){ .data = columns[i].data,
                   .row_stride = columns[i].row_stride,
                   .lanes = lanes,
                   .inside = self->form.lanes / lanes,
                   .n_slots = reel_storage_get_capacity (copy->to) / lanes,
                   .first = copy->first_step,
                   .n_steps = copy->n_steps,
                   .to_step = copy->to_step };
}

void
reel_flat_unpack_copy (ReelFlatUnpack *self, const ReelRowCopy *copy)
{
  unpack_leaves (self, find_column, copy);
  reel_row_copy_renumber (copy, self->form.steps);
}

static Target
find_tensor (const ReelFlatUnpack *self, gconstpointer data, const char *path)
{
  const ReelFlatForm *form = &self->form;
  const ReelTensor *tensor =
      reel_tensordict_contains (data, path) ? reel_tensordict_get_tensor (data, path, NULL) : NULL;

  if (!tensor)
    return (Target){ NULL };
  return (Target){ .data = tensor->data,
                   .row_stride = reel_flat_row_bytes (tensor, form->ndim),
                   .lanes = form->lanes,
                   .inside = 1,
                   .n_slots = form->steps,
                   .n_steps = form->steps };
}

ReelTensordict *
reel_flat_unpack_all (ReelFlatUnpack *self, GError **error)
{
  g_autoptr (ReelTensordict) data = reel_tensordict_new (self->form.ndim, self->form.shape);
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (self->outline);

  for (gsize i = 0; leaves[i]; i++)
    {
      const ReelTensor *like = reel_tensordict_get_tensor (self->outline, leaves[i], NULL);
      g_autoptr (ReelTensor) tensor = reel_tensor_new (like->dtype, like->ndim, like->shape, error);

      if (!tensor || !reel_tensordict_set_tensor (data, leaves[i], tensor, error))
        return NULL;
    }
  unpack_leaves (self, find_tensor, data);
  return g_steal_pointer (&data);
}

/* ---- what was found ---- */

static gboolean
check_done (const ReelFlatUnpack *self, GError **error)
{
  const ReelTensordict *flat = self->rows->flat;
  const ReelTensor *done = reel_tensordict_contains (flat, REEL_FLAT_DONE)
                               ? reel_tensordict_get_tensor (flat, REEL_FLAT_DONE, NULL)
                               : NULL;

  if (done && done->dtype == REEL_DTYPE_BOOL && done->ndim > 0 && done->shape[0] == self->form.rows
      && reel_flat_row_bytes (done, 1) == 1
      && (self->rows->pieces || reel_tensor_is_contiguous (done)))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
               "\"" REEL_FLAT_DONE "\" is not one bool for each of %" G_GINT64_FORMAT " rows",
               self->form.rows);
  return FALSE;
}

static Leaf
find_leaf (const ReelFlatUnpack *self, const char *key)
{
  return (Leaf){ .rows = reel_tensordict_get_tensor (self->rows->flat, key, NULL),
                 .pieces =
                     self->rows->pieces ? g_hash_table_lookup (self->rows->pieces, key) : NULL };
}

static void
find_trajectories (ReelFlatUnpack *self)
{
  const Leaf done = find_leaf (self, REEL_FLAT_DONE);
  gint64 n_parts = done.pieces ? self->rows->n_parts : 1;
  Walk walk = walk_begin (&done);

  for (gint64 part = 0; part < n_parts; part++)
    {
      gint64 n = done.pieces ? self->rows->lengths[part] : self->form.rows;
      const guint8 *rows = walk_next (&walk, n);

      for (gint64 i = 0, some; i < n; i += some)
        {
          some = MIN ((gint64) PART_BYTES, n - i);
          walk_look_at (&walk, rows + i, (gsize) some);
          reel_flat_cut_add (self->cut, &self->form, rows + i, some);
        }
    }
  walk_let_go (&walk);
}

/* Rows that lie apart are cut where trajectories end. */
static gboolean
check_parts (const ReelFlatUnpack *self, GError **error)
{
  const ReelFlatRows *rows = self->rows;

  if (!rows->lengths
      || (rows->n_parts == self->cut->n
          && memcmp (rows->lengths, self->cut->lengths, (gsize) rows->n_parts * sizeof (gint64))
                 == 0))
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                       "its parts do not end where \"" REEL_FLAT_DONE "\" says that they do");
  return FALSE;
}

static gboolean
check_pieces (const ReelFlatUnpack *self, const Leaf *leaf, const char *key, GError **error)
{
  const ReelFlatCut *cut = self->cut;

  for (gint64 i = 0; i < cut->n; i++)
    if (reel_flat_pieces_more (leaf->pieces, i)
        != (leaf->grown ? cut->grown[i] - cut->lengths[i] : 0))
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                     "\"%s\" of trajectory %" G_GINT64_FORMAT " has %" G_GINT64_FORMAT
                     " rows, as many as of other keys expected",
                     key, i, cut->lengths[i] + reel_flat_pieces_more (leaf->pieces, i));
        return FALSE;
      }
  return TRUE;
}

static gboolean
set_outline (ReelFlatUnpack *self, const ReelTensor *rows, const char *prefix, const char *key,
             GError **error)
{
  const ReelFlatForm *form = &self->form;
  g_autofree char *path = g_strconcat (prefix, key, NULL);
  g_autoptr (ReelTensor) outline = NULL;
  gint64 shape[REEL_MAX_NDIM];

  if (rows->ndim - 1 + form->ndim > REEL_MAX_NDIM)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "has more than %d dimensions",
                   REEL_MAX_NDIM);
      return FALSE;
    }
  memcpy (shape, form->shape, (gsize) form->ndim * sizeof *shape);
  memcpy (shape + form->ndim, rows->shape + 1, (gsize) (rows->ndim - 1) * sizeof *shape);
  outline = reel_flat_new_outline (rows->dtype, rows->ndim - 1 + form->ndim, shape, error);
  return outline && reel_tensordict_set_tensor (self->outline, path, outline, error);
}

static gboolean
outline_leaf (ReelFlatUnpack *self, const Leaf *leaf, GError **error)
{
  if (leaf->of_next)
    return (g_str_equal (leaf->key, "reward")
            || set_outline (self, leaf->rows, "", leaf->key, error))
           && set_outline (self, leaf->rows, "next/", leaf->key, error);
  return set_outline (self, leaf->rows, "", leaf->key, error)
         && (!leaf->grown || set_outline (self, leaf->rows, "next/", leaf->key, error));
}

static gboolean
add_leaf (ReelFlatUnpack *self, const ReelFlatTed *keys, const char *key, GError **error)
{
  Leaf leaf = find_leaf (self, key);
  gint64 n = leaf.rows->ndim > 0 ? leaf.rows->shape[0] : -1;

  leaf.grown = n != self->form.rows;
  leaf.of_next = !leaf.grown && reel_flat_ted_is_of_next (keys, key);
  if ((n != self->form.rows && n != self->cut->n_grown)
      || !(leaf.pieces || reel_tensor_is_contiguous (leaf.rows)))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                   "\"%s\" has %" G_GINT64_FORMAT " rows, %" G_GINT64_FORMAT " or %" G_GINT64_FORMAT
                   " expected",
                   key, n, self->form.rows, self->cut->n_grown);
      return FALSE;
    }
  if (leaf.pieces && !check_pieces (self, &leaf, key, error))
    return FALSE;
  leaf.key = g_strdup (key);
  g_array_append_val (self->leaves, leaf);
  return outline_leaf (self, &leaf, error);
}

ReelFlatUnpack *
reel_flat_unpack_new (const ReelFlatTed *keys, ReelFlatRows *rows, GError **error)
{
  g_autoptr (ReelFlatUnpack) self = g_new0 (ReelFlatUnpack, 1);
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (rows->flat);

  self->rows = rows;
  self->cut = reel_flat_cut_new ();
  self->leaves = g_array_new (FALSE, FALSE, sizeof (Leaf));
  g_array_set_clear_func (self->leaves, clear_leaf);
  if (!reel_flat_form_read (&self->form, rows->flat, error) || !check_done (self, error))
    return NULL;
  find_trajectories (self);
  if (!check_parts (self, error))
    return NULL;
  self->outline = reel_tensordict_new (self->form.ndim, self->form.shape);
  for (gsize i = 0; leaves[i]; i++)
    if (!add_leaf (self, keys, leaves[i], error))
      return NULL;
  return g_steal_pointer (&self);
}

ReelTensordict *
reel_flat_unpack_get_outline (const ReelFlatUnpack *self)
{
  return self->outline;
}
