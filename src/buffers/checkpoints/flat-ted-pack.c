/* Makes flat rows of TED data, leaf by leaf as streams, and counts the rows of which something is
 * lost. */
#include "flat-ted.h"

#include "../../core/object/error.h"
#include "../storages/strided-copy.h"

#include <string.h>

#define PART_ROWS 4096

/* Of how many rows something is not kept. */
typedef struct
{
  char *path;
  gint64 n;
  const char *what;
} Loss;

/* A column of the data, each row of which is one piece. */
typedef struct
{
  ReelTensor *tensor;
  gsize size;
} Column;

/* One key of the flat rows, and how far it was read. */
typedef struct
{
  const ReelFlatPack *pack;
  ReelTensor *outline;
  Column root;
  Column next; /* nothing where there is one row a step */
  guint loss;
  gint64 part;
  gint64 first; /* row of the part, counted by steps */
  gint64 at;    /* rows of it that were read */
  ReelRowStream stream;
} Leaf;

struct _ReelFlatPack
{
  const ReelFlatTed *keys;
  ReelTensordict *data;
  ReelFlatForm form;
  gint64 n_valid; /* places of each lane */
  ReelTensordict *outline;
  ReelFlatCut *cut;
  GHashTable *leaves; /* of the outline's tensors */
  GArray *losses;
  gint64 *loss_counts;
};

static void
clear_loss (gpointer data)
{
  Loss *loss = data;

  g_free (loss->path);
}

static void
free_leaf (gpointer data)
{
  Leaf *leaf = data;

  g_clear_pointer (&leaf->outline, reel_tensor_unref);
  g_clear_pointer (&leaf->root.tensor, reel_tensor_unref);
  g_clear_pointer (&leaf->next.tensor, reel_tensor_unref);
  g_free (leaf);
}

void
reel_flat_pack_free (ReelFlatPack *self)
{
  if (!self)
    return;
  g_clear_pointer (&self->data, reel_tensordict_unref);
  g_clear_pointer (&self->outline, reel_tensordict_unref);
  reel_flat_cut_free (self->cut);
  g_hash_table_unref (self->leaves);
  g_array_unref (self->losses);
  g_free (self->loss_counts);
  g_free (self);
}

static guint
add_loss (ReelFlatPack *self, const char *path, gint64 n, const char *what)
{
  const Loss loss = { g_strdup (path), n, what };

  g_array_append_val (self->losses, loss);
  return self->losses->len - 1;
}

/* ---- columns ---- */

static gboolean
has_whole_rows (const ReelTensor *tensor, gint n_batch)
{
  gint64 stride = (gint64) reel_dtype_size (tensor->dtype);

  for (gint d = tensor->ndim; d-- > n_batch; stride *= tensor->shape[d])
    if (tensor->shape[d] > 1 && tensor->strides[d] != stride)
      return FALSE;
  return TRUE;
}

static gboolean
open_column (const ReelFlatPack *self, const char *path, Column *column, GError **error)
{
  ReelTensor *tensor = reel_tensordict_get_tensor (self->data, path, error);

  if (!tensor)
    return FALSE;
  column->size = reel_flat_row_bytes (tensor, self->form.ndim);
  column->tensor = has_whole_rows (tensor, self->form.ndim)
                       ? reel_tensor_ref (tensor)
                       : reel_tensor_contiguous (tensor, error);
  return column->tensor != NULL;
}

/* The first of the rows of a lane, by their slots. */
static const guint8 *
lane_of (const ReelFlatForm *form, const Column *column, gint64 lane)
{
  const guint8 *at = column->tensor->data;

  /* Lanes count in row-major order: the last dimension is the fastest. */
  for (gint d = form->ndim; d-- > 1; lane /= form->shape[d])
    at += lane % form->shape[d] * column->tensor->strides[d];
  return at;
}

static const guint8 *
row_of (const ReelFlatForm *form, const Column *column, gint64 lane, gint64 place)
{
  return lane_of (form, column, lane)
         + reel_flat_form_slot_of (form, place) * column->tensor->strides[0];
}

/* Rows of a lane from @place on; those that are not valid are zero. */
static void
copy_places (const ReelFlatPack *self, const Column *column, gint64 lane, gint64 place, gint64 n,
             guint8 *to)
{
  const ReelFlatForm *form = &self->form;
  const guint8 *rows = lane_of (form, column, lane);
  gint64 stride = column->tensor->strides[0], valid = CLAMP (self->n_valid - place, 0, n);
  gsize size = column->size;

  if (size == 0)
    return;
  for (gint64 i = 0, some; i < valid; i += some)
    {
      gint64 slot = reel_flat_form_slot_of (form, place + i);

      some = MIN (valid - i, form->steps - slot);
      if (stride == (gint64) size)
        memcpy (to + (gsize) i * size, rows + slot * stride, (gsize) some * size);
      else
        strided_copy (to + (gsize) i * size, (gint64) size, rows + slot * stride, stride, size,
                      some);
    }
  if (valid < n)
    memset (to + (gsize) valid * size, 0, (gsize) (n - valid) * size);
}

/* ---- reading ---- */

/* Of places that end nothing: how many say another `next` than the row that follows. */
static gint64
count_lost (const Leaf *leaf, gint64 lane, gint64 place, gint64 n)
{
  const ReelFlatForm *form = &leaf->pack->form;
  gint64 n_lost = 0;

  for (gint64 i = place; leaf->next.size > 0 && i < MIN (place + n, leaf->pack->n_valid); i++)
    n_lost += memcmp (row_of (form, &leaf->next, lane, i), row_of (form, &leaf->root, lane, i + 1),
                      leaf->next.size)
              != 0;
  return n_lost;
}

/* At most @n rows of the part that is being read: its steps, or the row behind them. */
static gint64
read_some (Leaf *leaf, guint8 *to, gint64 n)
{
  const ReelFlatPack *self = leaf->pack;
  gint64 steps = self->cut->lengths[leaf->part], lane = leaf->first / self->form.steps;
  gint64 place = leaf->first % self->form.steps + leaf->at;

  if (leaf->at == steps)
    {
      copy_places (self, &leaf->next, lane, place - 1, 1, to);
      return 1;
    }
  n = MIN (n, steps - leaf->at);
  copy_places (self, &leaf->root, lane, place, n, to);
  if (leaf->next.tensor)
    self->loss_counts[leaf->loss] +=
        /* The last step of a part that ends keeps its `next`. Such a part has grown = steps + 1
         * rows, so steps − 1 are compared. */
        count_lost (leaf, lane, place, MIN (n, self->cut->grown[leaf->part] - 2 - leaf->at));
  return n;
}

static void
read_rows (gpointer data, guint8 *to, gint64 n)
{
  Leaf *leaf = data;
  const ReelFlatCut *cut = leaf->pack->cut;

  for (gint64 i = 0, some; i < n; i += some)
    {
      some = read_some (leaf, to + (gsize) i * leaf->root.size, n - i);
      leaf->at += some;
      /* One more row than steps where the part ends and the key has a `next`. */
      if (leaf->at < (leaf->next.tensor ? cut->grown : cut->lengths)[leaf->part])
        continue;
      leaf->first += cut->lengths[leaf->part++];
      leaf->at = 0;
    }
}

/* ---- what is kept of a key ---- */

/* @next: path of the second column, or %NULL. */
static Leaf *
add_leaf (ReelFlatPack *self, const char *path, const char *next, const char *key, GError **error)
{
  Leaf *leaf = g_new0 (Leaf, 1);
  gint64 shape[REEL_MAX_NDIM] = { next ? self->cut->n_grown : self->form.rows };
  gint n = self->form.ndim;

  leaf->pack = self;
  if (open_column (self, path, &leaf->root, error)
      && (!next || open_column (self, next, &leaf->next, error)))
    {
      const ReelTensor *like = leaf->root.tensor;

      memcpy (shape + 1, like->shape + n, (gsize) (like->ndim - n) * sizeof *shape);
      leaf->outline = reel_flat_new_outline (like->dtype, like->ndim - n + 1, shape, error);
    }
  if (!leaf->outline || !reel_tensordict_set_tensor (self->outline, key, leaf->outline, error))
    {
      free_leaf (leaf);
      return NULL;
    }
  leaf->stream = (ReelRowStream){ shape[0], leaf->root.size, read_rows, leaf };
  g_hash_table_insert (self->leaves, reel_tensordict_get_tensor (self->outline, key, NULL), leaf);
  return leaf;
}

static gboolean
check_alike (const char *key, const ReelTensor *root, const ReelTensor *next, GError **error)
{
  if (root->dtype == next->dtype && root->ndim == next->ndim
      && memcmp (root->shape, next->shape, (gsize) root->ndim * sizeof *root->shape) == 0)
    return TRUE;
  g_set_error (
      error, REEL_ERROR, REEL_ERROR_TYPE,
      "\"%s\" and \"next/%s\" differ in dtype or shape; a checkpoint of trajectories "
      "keeps one of the two: name it among reward-keys, or use the checkpointer \"tensor\"",
      key, key);
  return FALSE;
}

static gboolean
pack_grown (ReelFlatPack *self, const char *key, const char *next, GError **error)
{
  Leaf *leaf = add_leaf (self, key, next, key, error);

  if (!leaf || !check_alike (key, leaf->root.tensor, leaf->next.tensor, error))
    return FALSE;
  leaf->loss = add_loss (self, next, 0,
                         "of the row that follows in its trajectory the root is, and they differ");
  return TRUE;
}

/* The root's own, where `next` is what is kept: zeros come back, and of `reward` nothing. */
static gboolean
drop_root (ReelFlatPack *self, const char *key, GError **error)
{
  const ReelFlatForm *form = &self->form;
  Column column = { NULL, 0 };
  gint64 n_lost = 0;

  if (!open_column (self, key, &column, error))
    return FALSE;
  for (gint64 lane = 0; column.size > 0 && lane < form->lanes; lane++)
    for (gint64 place = 0; place < self->n_valid; place++)
      {
        const guint8 *row = row_of (form, &column, lane, place);

        n_lost +=
            /* All bytes are 0 where the first is and each equals the one behind it. */
            g_str_equal (key, "reward") || *row != 0 || memcmp (row, row + 1, column.size - 1) != 0;
      }
  reel_tensor_unref (column.tensor);
  add_loss (self, key, n_lost, "that of next is, and zeros come back at the root");
  return TRUE;
}

static gboolean
refuse_alone (const char *path, const char *missing, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
               "\"%s\" is stored without \"%s\", and a checkpoint of trajectories cannot keep it; "
               "%s, or use the checkpointer \"tensor\"",
               path, missing,
               g_str_has_prefix (path, "next/") ? "name it among done-keys or reward-keys"
                                                : "leave it out of done-keys and reward-keys");
  return FALSE;
}

static gboolean
pack_leaf (ReelFlatPack *self, const char *path, GError **error)
{
  gboolean inside = g_str_has_prefix (path, "next/");
  const char *key = inside ? path + strlen ("next/") : path;
  g_autofree char *other = inside ? g_strdup (key) : g_strconcat ("next/", key, NULL);
  gboolean paired = reel_tensordict_contains (self->data, other);

  if (reel_flat_ted_is_of_next (self->keys, key))
    {
      if (inside)
        return g_str_equal (key, REEL_FLAT_DONE) || add_leaf (self, path, NULL, key, error);
      return paired ? drop_root (self, key, error) : refuse_alone (path, other, error);
    }
  if (inside)
    return paired || refuse_alone (path, other, error);
  return paired ? pack_grown (self, key, other, error)
                : add_leaf (self, path, NULL, key, error) != NULL;
}

/* ---- all of it ---- */

static gboolean
check_data (const ReelTensordict *data, GError **error)
{
  const ReelTensor *done = NULL;
  gint ndim;

  reel_tensordict_get_batch_size (data, &ndim);
  for (gsize i = 0; i < REEL_FLAT_N_VALUES; i++)
    if (reel_tensordict_contains (data, reel_flat_values[i]))
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                     "a checkpoint of trajectories has a use of its own for the key \"%s\"; rename "
                     "it, or use the checkpointer \"tensor\"",
                     reel_flat_values[i]);
        return FALSE;
      }
  if (reel_tensordict_contains (data, "next/" REEL_FLAT_DONE))
    done = reel_tensordict_get_tensor (data, "next/" REEL_FLAT_DONE, error);
  if (done && done->dtype == REEL_DTYPE_BOOL && reel_flat_row_bytes (done, ndim) == 1)
    return TRUE;
  g_clear_error (error);
  g_set_error (error, REEL_ERROR, done ? REEL_ERROR_TYPE : REEL_ERROR_KEY,
               "a checkpoint of trajectories needs \"next/done\", one bool a row, and there is %s; "
               "use the checkpointer \"tensor\"",
               done ? "another" : "none");
  return FALSE;
}

static gboolean
find_trajectories (ReelFlatPack *self, GError **error)
{
  const ReelFlatForm *form = &self->form;
  guint8 done[PART_ROWS];
  Column column = { NULL, 0 };

  if (!open_column (self, "next/" REEL_FLAT_DONE, &column, error))
    return FALSE;
  for (gint64 lane = 0; lane < form->lanes; lane++)
    for (gint64 place = 0, n; place < form->steps; place += n)
      {
        n = MIN (PART_ROWS, form->steps - place);
        copy_places (self, &column, lane, place, n, done);
        reel_flat_cut_add (self->cut, form, done, n);
      }
  reel_tensor_unref (column.tensor);
  return TRUE;
}

static gboolean
set_form (ReelFlatPack *self, const ReelCheckpointState *state, GError **error)
{
  ReelFlatForm *form = &self->form;
  const gint64 *shape = reel_tensordict_get_batch_size (self->data, &form->ndim);

  memcpy (form->shape, shape, (gsize) form->ndim * sizeof *shape);
  form->shift = state->shift;
  form->is_full = state->is_full;
  if (!reel_flat_form_set_shape (form, error))
    return FALSE;
  self->n_valid = form->is_full ? form->steps : form->shift;
  return reel_flat_form_set_values (form, self->outline, error);
}

static gboolean
list_leaves (ReelFlatPack *self, GError **error)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (self->data);

  if (!add_leaf (self, "next/" REEL_FLAT_DONE, NULL, REEL_FLAT_DONE, error))
    return FALSE;
  for (gsize i = 0; leaves[i]; i++)
    if (!pack_leaf (self, leaves[i], error))
      return FALSE;
  self->loss_counts = g_new (gint64, self->losses->len);
  for (guint i = 0; i < self->losses->len; i++)
    self->loss_counts[i] = g_array_index (self->losses, Loss, i).n;
  return TRUE;
}

ReelFlatPack *
reel_flat_pack_new (const ReelFlatTed *keys, ReelTensordict *data, const ReelCheckpointState *state,
                    GError **error)
{
  g_autoptr (ReelFlatPack) self = g_new0 (ReelFlatPack, 1);

  self->keys = keys;
  self->data = reel_tensordict_ref (data);
  self->outline = reel_tensordict_new (0, NULL);
  self->cut = reel_flat_cut_new ();
  self->leaves = g_hash_table_new_full (NULL, NULL, NULL, free_leaf);
  self->losses = g_array_new (FALSE, FALSE, sizeof (Loss));
  g_array_set_clear_func (self->losses, clear_loss);
  if (!set_form (self, state, error) || !check_data (data, error)
      || !find_trajectories (self, error) || !list_leaves (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

ReelTensordict *
reel_flat_pack_get_outline (const ReelFlatPack *self)
{
  return self->outline;
}

const ReelFlatCut *
reel_flat_pack_get_cut (const ReelFlatPack *self)
{
  return self->cut;
}

static Leaf *
find_leaf (const ReelFlatPack *self, const ReelTensor *outline)
{
  return g_hash_table_lookup (self->leaves, outline);
}

const gint64 *
reel_flat_pack_choose (const ReelFlatPack *self, const ReelTensor *leaf)
{
  return find_leaf (self, leaf)->next.tensor ? self->cut->grown : self->cut->lengths;
}

const ReelRowStream *
reel_flat_pack_get_stream (ReelFlatPack *self, const ReelTensor *leaf)
{
  return &find_leaf (self, leaf)->stream;
}

void
reel_flat_pack_warn (const ReelFlatPack *self, GPtrArray *warnings)
{
  for (guint i = 0; i < self->losses->len; i++)
    if (self->loss_counts[i] > 0)
      g_ptr_array_add (warnings,
                       g_strdup_printf ("\"%s\" of %" G_GINT64_FORMAT " rows is not kept: %s",
                                        g_array_index (self->losses, Loss, i).path,
                                        self->loss_counts[i],
                                        g_array_index (self->losses, Loss, i).what));
}
