/* The leaves of a dataset that is being imported, and the way of raw rows into them. Private to the
 * library. */
#pragma once

#include "../core/tensordict/tensordict.h"

G_BEGIN_DECLS

/**
 * reel_leaves_add:
 * @outline: what the dataset is going to be, of one batch dimension
 * @path: the path of a leaf in it
 * @dtype: type of its elements
 * @ndim: dimensions of a row
 * @shape: (array length=ndim): extents of a row
 * @error: VALUE where @outline has the leaf already, or one in its way
 *
 * Announces a leaf; no memory is taken for its rows.
 *
 * Returns: whether it was added
 */
gboolean reel_leaves_add (ReelTensordict *outline, const char *path, ReelDtype dtype, gint ndim,
                          const gint64 *shape, GError **error);

/**
 * reel_leaves_make:
 * @outline: leaves without memory, such as those that were announced
 * @directory: where their files are made
 * @error: as reel_tensordict_save_like()
 *
 * reel_tensordict_save_like(), with memory that is filled from its beginning to its end: it comes
 * by huge pages, which takes a fifth of the time, and samplers of the files find them there, also
 * where flags stay false. Of large leaves the disk gets what is filled while the rest is.
 *
 * Returns: (transfer full): mapped leaves, all zeros
 */
ReelTensordict *reel_leaves_make (const ReelTensordict *outline, const char *directory,
                                  GError **error);

/**
 * reel_leaf_let_go:
 * @leaf: one of these leaves
 * @rows: where rows were written
 * @n: their bytes
 *
 * Lets the pages of rows go that were written, as reel_memory_let_go() does. Of a large leaf the
 * disk gets pieces that were filled, so that a sync at the end has less to wait for.
 */
void reel_leaf_let_go (const ReelTensor *leaf, const guint8 *rows, gsize n);

/* The most leaves that the rows of one array go to. */
#define REEL_MOST_ROUTES 6

/**
 * ReelRowRoute:
 * @to: a mapped leaf whose rows have as many elements as those of the source
 * @first: the first row of the source that is used
 * @n: how many
 * @at: the row of @to that the first of them becomes
 * @ends: (nullable): a leaf of bools, one a row; rows of @to where it is true stay zeros
 *
 * Where rows go. Of the same type they are copied, else converted; bools become true where an
 * element differs from zero, and stay true where they were.
 */
typedef struct
{
  ReelTensor *to;
  gint64 first;
  gint64 n;
  gint64 at;
  const ReelTensor *ends;
} ReelRowRoute;

/**
 * ReelRowSource:
 * @dtype: type of the elements, not complex unless all leaves have it too
 * @n_elements: elements of a row
 * @routes: (array length=n_routes): where the rows go
 * @n_routes: how many
 *
 * An array of rows in a raw file.
 */
typedef struct
{
  ReelDtype dtype;
  gsize n_elements;
  ReelRowRoute routes[REEL_MOST_ROUTES];
  guint n_routes;
} ReelRowSource;

/**
 * reel_row_source_add:
 * @self: a source
 * @data: mapped leaves
 * @path: the one that gets rows
 * @first: see #ReelRowRoute
 * @n: see #ReelRowRoute
 * @at: see #ReelRowRoute
 */
void reel_row_source_add (ReelRowSource *self, const ReelTensordict *data, const char *path,
                          gint64 first, gint64 n, gint64 at);

/**
 * reel_row_source_leave_out:
 * @self: a source
 * @data: mapped leaves
 * @where: the leaf of bools that says which rows of the last route stay zeros; it must be there
 *   before the first of these rows is taken
 */
void reel_row_source_leave_out (ReelRowSource *self, const ReelTensordict *data, const char *where);

/**
 * reel_row_source_take:
 * @self: a source
 * @first: the first row of a block
 * @n: rows of the block
 * @rows: their elements
 *
 * Writes the rows of a block to the leaves, and lets the pages go that were written. Any process
 * that shares the mapping; several threads at once, of other rows or other sources.
 */
void reel_row_source_take (const ReelRowSource *self, gint64 first, gint64 n, const guint8 *rows);

G_END_DECLS
