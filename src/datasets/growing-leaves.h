/* The leaves of a dataset whose number of rows is not known before the last is read. Private to the
 * library. */
#pragma once

#include "../core/tensordict/tensordict.h"

G_BEGIN_DECLS

/**
 * ReelGrowingLeaves:
 *
 * Files that rows are appended to. One thread uses it.
 */
typedef struct _ReelGrowingLeaves ReelGrowingLeaves;

/**
 * reel_growing_leaves_new:
 * @outline: the leaves, of one batch dimension of one row
 * @directory: an empty directory
 * @error: as reel_tensordict_save()
 *
 * Makes files without rows.
 *
 * Returns: (transfer full): the leaves
 */
ReelGrowingLeaves *reel_growing_leaves_new (const ReelTensordict *outline, const char *directory,
                                            GError **error);

/**
 * reel_growing_leaves_free:
 * @self: (nullable) (transfer full): leaves
 */
void reel_growing_leaves_free (ReelGrowingLeaves *self);

/**
 * reel_growing_leaves_get:
 * @self: leaves
 * @path: a path
 *
 * Returns: (transfer none) (nullable): a row of the leaf there, as the outline has it
 */
const ReelTensor *reel_growing_leaves_get (const ReelGrowingLeaves *self, const char *path);

/**
 * reel_growing_leaves_append:
 * @self: leaves
 * @path: one of them
 * @dtype: type of the elements, not complex unless the leaf has it too
 * @n: rows
 * @rows: their elements, wherever they begin
 * @error: NO_SPACE, IO
 *
 * Appends rows, converted to the type of the leaf.
 *
 * Returns: whether they were written
 */
gboolean reel_growing_leaves_append (ReelGrowingLeaves *self, const char *path, ReelDtype dtype,
                                     gint64 n, const guint8 *rows, GError **error);

/**
 * reel_growing_leaves_append_zeros:
 * @self: leaves
 * @path: one of them
 * @n: rows
 * @error: NO_SPACE, IO
 *
 * Appends rows of zeros.
 *
 * Returns: whether they are there
 */
gboolean reel_growing_leaves_append_zeros (ReelGrowingLeaves *self, const char *path, gint64 n,
                                           GError **error);

/**
 * reel_growing_leaves_append_text:
 * @self: leaves
 * @path: a path where no leaf is
 * @text: UTF-8
 *
 * Appends a row of a non-tensor. Equal texts are kept once.
 */
void reel_growing_leaves_append_text (ReelGrowingLeaves *self, const char *path, const char *text);

/**
 * reel_growing_leaves_end:
 * @self: leaves, each with as many rows
 * @n: how many
 * @error: as reel_tensordict_save()
 *
 * Closes the files and writes what describes them, after which a tensordict is in the directory.
 *
 * Returns: whether it is
 */
gboolean reel_growing_leaves_end (ReelGrowingLeaves *self, gint64 n, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelGrowingLeaves, reel_growing_leaves_free)

G_END_DECLS
