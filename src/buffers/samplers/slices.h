/* The common part of samplers of slices: properties, sizes, and the copy of a slice into a batch.
 * Private. */
#pragma once

#include "../../core/math/random.h"
#include "sampler.h"
#include "trajectory-index.h"

G_BEGIN_DECLS

/**
 * ReelSlices:
 *
 * Part of a sampler: its properties, what they come to for the storage that it is bound to, and its
 * index of trajectories.
 */
typedef struct
{
  /* Properties; numbers are 0 and texts %NULL or empty where not given. */
  gint64 num_slices;
  gint64 slice_len;
  char *end_key;
  char **end_keys;
  char *traj_key;
  char *truncated_key;
  char *init_key;
  gboolean cache_values;
  gboolean strict_length;
  gboolean pad_output;
  gint64 span_left; /* −1: any */
  gint64 span_right;

  ReelTensor *trajectories; /* given outright */
  ReelTensor *ends;

  const char *only_end[2]; /* end_key as a list */
  char *done_key;          /* beside the truncated key */
  char *terminated_key;
  ReelInfoColumn columns[5];
  guint n_columns;
  gint truncated, done, terminated, init, mask; /* columns, −1 for none */
  ReelTrajectoryIndex *index;
  guint64 n_looked; /* changes of the index, and one more, when slices were counted; 0 for never */
  gint64 counted_length;
  gint64 n_counted; /* slices of that length */
} ReelSlices;

/**
 * ReelSlice:
 * @first_row: number of the first row
 * @n_steps: its steps, at least 1
 */
typedef ReelTrajectory ReelSlice;

/**
 * ReelSlicesSize:
 * @n_slices: how many are wanted
 * @length: steps of each
 */
typedef struct
{
  gint64 n_slices;
  gint64 length;
} ReelSlicesSize;

/**
 * reel_slices_add_properties:
 * @klass: a class of samplers, in its class_init
 * @offset: of the #ReelSlices in the instance
 *
 * Those that all samplers of slices have.
 */
void reel_slices_add_properties (ReelObjectClass *klass, gsize offset);

/**
 * reel_slices_add_span_right:
 * @klass: a class of samplers, in its class_init
 * @offset: of the #ReelSlices in the instance
 *
 * Adds `span-right`.
 */
void reel_slices_add_span_right (ReelObjectClass *klass, gsize offset);

/**
 * reel_slices_build:
 * @self: slices, whose properties are set
 * @error: as TorchRL: TYPE unless one of num-slices and slice-len is given, RUNTIME for end-key
 *   beside end-keys, VALUE for pad-output with strict-length
 *
 * Returns: whether the properties go together
 */
gboolean reel_slices_build (ReelSlices *self, GError **error);

/**
 * reel_slices_clear:
 * @self: slices of an object that goes away; the properties are freed by the class
 */
void reel_slices_clear (ReelSlices *self);

/**
 * reel_slices_new_index:
 * @self: slices
 * @storage: an allocated storage
 * @error: as reel_trajectory_index_new()
 *
 * Returns: (transfer full): another index of its trajectories, which has not looked yet
 */
ReelTrajectoryIndex *reel_slices_new_index (const ReelSlices *self, ReelStorage *storage,
                                            GError **error);

/**
 * reel_slices_bind:
 * @self: slices
 * @storage: where the rows will be
 * @error: as reel_trajectory_index_new()
 *
 * Returns: whether trajectories can be told apart there, or there is no memory yet
 */
gboolean reel_slices_bind (ReelSlices *self, ReelStorage *storage, GError **error);

/**
 * reel_slices_list_info:
 * @self: slices
 * @n: (out): how many
 *
 * Returns: (transfer none) (array length=n): the columns that mark slices
 */
const ReelInfoColumn *reel_slices_list_info (const ReelSlices *self, guint *n);

/**
 * reel_slices_set_marks:
 * @self: slices
 * @trajectories: (nullable): see reel_slice_sampler_set_marks()
 * @ends: (nullable): likewise
 * @error: as there
 *
 * Returns: whether they are used from the next bind on
 */
gboolean reel_slices_set_marks (ReelSlices *self, ReelTensor *trajectories, ReelTensor *ends,
                                GError **error);

/**
 * reel_slices_find_size:
 * @self: slices
 * @n: rows wanted
 * @size: (out): slices
 * @error: RUNTIME when @n does not divide; VALUE for a span that is no shorter than the slices
 *
 * Returns: whether @n rows can be cut into slices
 */
gboolean reel_slices_find_size (const ReelSlices *self, gint64 n, ReelSlicesSize *size,
                                GError **error);

/**
 * reel_slices_follow:
 * @self: slices that are bound to an allocated storage
 * @view: what can be read
 * @size: slices that are wanted
 * @error: NO_SPACE
 *
 * Brings the index up to date. With strict-length it has trajectories of the wanted length alone.
 *
 * Returns: whether it is
 */
gboolean reel_slices_follow (ReelSlices *self, const ReelStorageView *view,
                             const ReelSlicesSize *size, GError **error);

/**
 * reel_slices_cut:
 * @self: slices
 * @lanes: of the storage
 * @length: steps wanted
 * @key: random
 * @lane: of @key
 * @slice: (inout): a trajectory; then a slice of it, drawn as the properties say
 */
void reel_slices_cut (const ReelSlices *self, gint64 lanes, gint64 length, ReelRandomKey key,
                      gint64 lane, ReelSlice *slice);

/**
 * reel_slices_put:
 * @self: slices
 * @draw: where to
 * @at: rows of @draw that are filled
 * @lanes: of the storage
 * @length: steps wanted
 * @slice: a slice
 *
 * Puts its rows and marks behind those that are there.
 *
 * Returns: rows of @draw that are filled now
 */
gint64 reel_slices_put (const ReelSlices *self, ReelDraw *draw, gint64 at, gint64 lanes,
                        gint64 length, const ReelSlice *slice);

/**
 * reel_slices_count:
 * @self: slices that are bound to a storage
 * @view: what can be read of it
 * @n: rows of a batch
 * @least: trajectories of fewer steps are not wanted in the index; 0 for its own rule
 * @count: (out): places where a slice for such a batch can begin: in each trajectory those that
 *   leave all its steps, or one where it may be shorter than a slice
 * @error: as reel_slices_find_size(); NO_SPACE
 *
 * Costs a look at each trajectory, where something was written since the last time.
 *
 * Returns: whether @count was set
 */
gboolean reel_slices_count (ReelSlices *self, const ReelStorageView *view, gint64 n, gint64 least,
                            gint64 *count, GError **error);

/**
 * reel_slices_refuse:
 * @self: slices of a storage without any trajectory that will do
 * @storage: the storage
 * @view: what the index follows
 * @size: slices that were wanted
 * @draw: (inout): where to draw
 * @error: RUNTIME "Did not find a single trajectory with sufficient length", with the shortest and
 *   the longest
 *
 * Returns: FALSE, unless rows of @view were overwritten meanwhile, so that nothing can be said:
 *   then @draw is such a row, which will have to be drawn again
 */
gboolean reel_slices_refuse (ReelSlices *self, ReelStorage *storage, const ReelStorageView *view,
                             const ReelSlicesSize *size, ReelDraw *draw, GError **error);

/**
 * reel_slice_without_replacement_sampler_get_slices:
 * @self: any sampler
 *
 * Returns: (transfer none) (nullable): its slices; %NULL where it is of another class
 */
ReelSlices *reel_slice_without_replacement_sampler_get_slices (ReelSampler *self);

/**
 * reel_prioritized_slice_sampler_get_slices:
 *
 * As reel_slice_without_replacement_sampler_get_slices().
 */
ReelSlices *reel_prioritized_slice_sampler_get_slices (ReelSampler *self);

/**
 * reel_slices_to_string:
 * @self: slices
 * @name: of the class
 * @all: whether the class prints all of its properties
 * @rest: what follows those that all classes have
 *
 * Returns: (transfer full): what TorchRL prints of such a sampler before it draws
 */
char *reel_slices_to_string (const ReelSlices *self, const char *name, gboolean all,
                             const char *rest);

G_END_DECLS
