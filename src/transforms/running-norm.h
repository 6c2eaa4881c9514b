/* The base of transforms that normalise values by statistics of those that passed. Private. */
#pragma once

#include "../core/math/isa.h"
#include "lane-plan.h"
#include "transform-private.h"

G_BEGIN_DECLS

/**
 * ReelRunningStats:
 * @key: whose values
 * @ndim: dimensions of a value
 * @shape: (array length=ndim): their extents
 * @n: elements of a value
 * @n_groups: 1, or the lanes, where each has statistics of its own
 * @numbers: (array): of each group a count, then a number for each element, then another
 *
 * Statistics of the values of a key. Their meaning is the class's own.
 */
typedef struct
{
  char *key;
  gint ndim;
  gint64 shape[REEL_MAX_NDIM];
  gsize n;
  gint64 n_groups;
  double *numbers;
} ReelRunningStats;

/**
 * ReelRunning:
 * @decay: the factor of earlier values at each update
 * @eps: the least width
 * @frozen: whether statistics stay as they are
 * @isa: the instruction set of the kernels
 * @stats: (element-type ReelRunningStats): of each key that was seen
 *
 * The fields of a #ReelRunningNorm that its classes use.
 */
typedef struct
{
  double decay, eps;
  gboolean frozen;
  ReelIsa isa;
  GPtrArray *stats;
} ReelRunning;

/**
 * ReelRunningParts:
 * @REEL_RUNNING_FIRST: the first number of each element
 * @REEL_RUNNING_SECOND: the second
 * @REEL_RUNNING_COUNT: the count
 *
 * Numbers of a group.
 */
typedef enum
{
  REEL_RUNNING_FIRST,
  REEL_RUNNING_SECOND,
  REEL_RUNNING_COUNT,
} ReelRunningPart;

#define REEL_N_RUNNING_PARTS (REEL_RUNNING_COUNT + 1)

#define REEL_TYPE_RUNNING_NORM (reel_running_norm_get_type ())
G_DECLARE_DERIVABLE_TYPE (ReelRunningNorm, reel_running_norm, REEL, RUNNING_NORM, ReelTransform)

/**
 * ReelRunningNormClass:
 * @name: (transfer full): the key of a part of the statistics of @key
 * @count_ndim: dimensions of a count, all 1, behind those of groups
 * @count_dtype: its element type
 * @update: has @rows rows change the statistics of a group of @n elements: @sums are their sums,
 * and behind them those of their squares
 * @conclude: writes the middle and the width of each of @n elements of a group that has a count
 *
 * A class of transforms that normalise by statistics.
 */
struct _ReelRunningNormClass
{
  ReelTransformClass parent_class;

  char *(*name) (const char *key, ReelRunningPart part);
  gint count_ndim;
  ReelDtype count_dtype;
  void (*update) (const ReelRunning *self, double *group, gsize n, const double *sums, gsize rows);
  void (*conclude) (const ReelRunning *self, const double *group, gsize n, double *loc,
                    double *scale);
};

/**
 * reel_running_norm_get:
 * @self: a transform
 *
 * Returns: (transfer none): its fields
 */
ReelRunning *reel_running_norm_get (ReelRunningNorm *self);

/**
 * reel_running_norm_take_stats:
 * @self: a transform
 * @key: a key
 * @ndim: dimensions of a value of it
 * @shape: (array length=ndim): their extents
 * @n_groups: how many statistics of it there are to be
 * @error: VALUE where it has been told statistics of another shape; NO_SPACE
 *
 * Returns: (transfer none) (nullable): the statistics of @key, of nothing where there were none;
 * they live as long as @self
 */
ReelRunningStats *reel_running_norm_take_stats (ReelRunningNorm *self, const char *key, gint ndim,
                                                const gint64 *shape, gint64 n_groups,
                                                GError **error);

/**
 * reel_running_norm_require:
 * @self: a transform
 * @plan: the plan of an env
 * @key: a key
 * @error: KEY; TYPE for values that are neither float32 nor float64
 *
 * Returns: the leaf that @key has, −1 on failure
 */
gint reel_running_norm_require (ReelRunningNorm *self, const ReelLanePlan *plan, const char *key,
                                GError **error);

/**
 * reel_running_norm_bind:
 * @self: a transform
 * @plan: the plan of an env
 * @in: a key
 * @out: the key of the normalised values
 * @error: as reel_running_norm_require() and reel_running_norm_take_stats()
 *
 * Adds a work whose statistics all lanes share: a step, and a reset, first updates them by the rows
 * that it wrote, and then normalises these.
 *
 * Returns: whether it could
 */
gboolean reel_running_norm_bind (ReelRunningNorm *self, ReelLanePlan *plan, const char *in,
                                 const char *out, GError **error);

/**
 * reel_running_norm_pass:
 * @self: a transform
 * @stats: statistics of one group
 * @values: rows, contiguous, of float32 or float64
 * @error: NO_SPACE
 *
 * Updates @stats by all rows at once, and normalises these by them.
 *
 * Returns: (transfer full): the normalised rows
 */
ReelTensor *reel_running_norm_pass (ReelRunningNorm *self, ReelRunningStats *stats,
                                    ReelTensor *values, GError **error);

G_END_DECLS
