/* The tree around the kernels: its memory, the order in which sums and minima follow a change, and
 * searches in batches. */
#include "priority-tree.h"

#include "../../core/tensor/memory.h"
#include "priority-tree-kernel.h"

#include <math.h>
#include <string.h>

#define BATCH 256 /* slots that are changed at once, on the stack */
#define FAN REEL_TREE_FAN
#define LEAST REEL_TREE_LEAST_LEVEL
#define BLOCK REEL_TREE_BLOCK

struct _ReelPriorityTree
{
  ReelTreeShape shape;
  const ReelTreeKernels *kernels;
  gint64 n_slots;
  ReelMemory *memory;
};

/* ---- memory ---- */

static gint64
round_up (gint64 n, gint64 multiple)
{
  return (n - 1) / multiple + 1;
}

/* The next @n doubles, in whole eights, of what begins at @base, which may be NULL. */
static double *
take (guint8 *base, gsize *at, gint64 n)
{
  double *taken = base ? (double *) (base + *at) : NULL;

  *at += (gsize) (round_up (n, FAN) * FAN) * sizeof (double);
  return taken;
}

/* Lays the parts of the tree out from @base on, which may be NULL, and returns the bytes of all. */
static gsize
lay_out (ReelPriorityTree *self, guint8 *base)
{
  ReelTreeShape *shape = &self->shape;
  /* Whole blocks of weights: kernels read groups and blocks without a test for the end. */
  gint64 n = round_up (self->n_slots, BLOCK) * (BLOCK / FAN);
  gsize at = 0;
  gint level = 0;

  shape->weights = take (base, &at, n * FAN);
  for (; level == 0 || shape->n_sums[level - 1] > 1; level++, n = round_up (n, FAN))
    {
      shape->n_sums[level] = n;
      shape->sums[level] = take (base, &at, n);
      shape->least[level] = level >= LEAST ? take (base, &at, n) : NULL;
    }
  shape->n_levels = level;
  return at;
}

static void
clear (ReelPriorityTree *self)
{
  for (gint level = LEAST; level < self->shape.n_levels; level++)
    /* The padding too, of which minima of eight are taken. */
    for (gint64 i = 0; i < round_up (self->shape.n_sums[level], FAN) * FAN; i++)
      self->shape.least[level][i] = INFINITY;
}

ReelPriorityTree *
reel_priority_tree_new (gint64 n_slots, GError **error)
{
  g_autoptr (ReelPriorityTree) self = g_new0 (ReelPriorityTree, 1);
  ReelIsa isa;

  g_return_val_if_fail (n_slots > 0, NULL);

  if (!reel_isa_choose (&isa, error))
    return NULL;
  self->kernels = REEL_KERNEL_PICK (reel_tree_kernels, isa);
  self->n_slots = n_slots;
  self->memory = reel_memory_new (lay_out (self, NULL), error);
  if (!self->memory)
    return NULL;
  lay_out (self, reel_memory_get_data (self->memory, NULL));
  clear (self);
  return g_steal_pointer (&self);
}

void
reel_priority_tree_free (ReelPriorityTree *self)
{
  if (!self)
    return;
  g_clear_pointer (&self->memory, reel_memory_unref);
  g_free (self);
}

gint64
reel_priority_tree_size (const ReelPriorityTree *self)
{
  return self->n_slots;
}

const double *
reel_priority_tree_weights (const ReelPriorityTree *self)
{
  return self->shape.weights;
}

double
reel_priority_tree_total (const ReelPriorityTree *self)
{
  return self->shape.sums[self->shape.n_levels - 1][0];
}

double
reel_priority_tree_least (const ReelPriorityTree *self)
{
  return self->shape.least[self->shape.n_levels - 1][0];
}

/* ---- sums ---- */

/* Makes all sums above some slots anew: those of a level that has few all, else one a slot. */
static void
update_sums (ReelPriorityTree *self, const gint64 *slots, gint64 n)
{
  const ReelTreeShape *shape = &self->shape;

  for (gint level = 0; level < shape->n_levels; level++)
    if (shape->n_sums[level] > n)
      self->kernels->sum (shape, level, slots, n);
    else
      self->kernels->sum_range (shape, level, 0, shape->n_sums[level]);
}

/* The same above the slots [begin, end). */
static void
update_range_sums (ReelPriorityTree *self, gint64 begin, gint64 end)
{
  gint64 first = begin, last = end - 1;

  for (gint level = 0; level < self->shape.n_levels; level++)
    self->kernels->sum_range (&self->shape, level, first /= FAN, (last /= FAN) + 1);
}

/* ---- minima ---- */

/* A weight less than those that it is among. */
static void
lower_least (ReelPriorityTree *self, gint64 block, double weight)
{
  for (gint level = LEAST; level < self->shape.n_levels; level++, block /= FAN)
    self->shape.least[level][block] = MIN (self->shape.least[level][block], weight);
}

/* Puts a minimum above its eight, and so on as far as that changes any. */
static void
pass_least_on (ReelPriorityTree *self, gint64 block)
{
  for (gint level = LEAST + 1; level < self->shape.n_levels; level++)
    {
      const double *below = self->shape.least[level - 1] + (block /= FAN) * FAN;
      double least = INFINITY;

      for (gint i = 0; i < FAN; i++)
        least = MIN (least, below[i]);
      if (self->shape.least[level][block] == least)
        return;
      self->shape.least[level][block] = least;
    }
}

/* The weights of a block changed; none is less than @bound. */
static void
update_least (ReelPriorityTree *self, gint64 block, double bound)
{
  double least = self->kernels->least (&self->shape, block, bound);

  if (self->shape.least[LEAST][block] == least)
    return;
  self->shape.least[LEAST][block] = least;
  pass_least_on (self, block);
}

/* ---- changes ---- */

/* Few changes touch a minimum: blocks that lost theirs are listed, and looked through later. */
static gint64
set_weights (ReelPriorityTree *self, const gint64 *slots, const double *weights, gint64 n,
             gint64 *lost)
{
  gint64 n_lost = 0;

  for (gint64 i = 0; i < n; i++)
    {
      gint64 block = (gint64) ((guint64) slots[i] / BLOCK);
      double old = self->shape.weights[slots[i]], least = self->shape.least[LEAST][block];

      self->shape.weights[slots[i]] = weights[i];
      if (G_UNLIKELY (weights[i] < least && weights[i] > 0))
        lower_least (self, block, weights[i]);
      else if (G_UNLIKELY (old == least && weights[i] != old))
        lost[n_lost++] = block;
    }
  return n_lost;
}

void
reel_priority_tree_fetch (const ReelPriorityTree *self, const gint64 *slots, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    {
      gsize group = (guint64) slots[i] / FAN;
      const double *weights = self->shape.weights + group * FAN;
      const double *sums = self->shape.sums[0] + group / FAN * FAN;

      __builtin_prefetch (weights, 1);
      __builtin_prefetch (sums, 1);
    }
}

void
reel_priority_tree_set (ReelPriorityTree *self, const gint64 *slots, const double *weights,
                        gint64 n)
{
  gint64 lost[BATCH];

  for (gint64 first = 0, count; first < n; first += count)
    {
      gint64 n_lost;

      count = MIN (BATCH, n - first);
      /* Sums before minima: the search for a minimum skips groups whose sum is 0. */
      n_lost = set_weights (self, slots + first, weights + first, count, lost);
      update_sums (self, slots + first, count);
      for (gint64 i = 0; i < n_lost; i++)
        /* Lower weights were passed on at once, so none of the block is
         * below what is kept of it. */
        update_least (self, lost[i], self->shape.least[LEAST][lost[i]]);
    }
}

/* Makes all above the slots [begin, end) anew. */
static void
update_range (ReelPriorityTree *self, gint64 begin, gint64 end)
{
  if (begin >= end)
    return;
  update_range_sums (self, begin, end);
  for (gint64 block = begin / BLOCK; block <= (end - 1) / BLOCK; block++)
    update_least (self, block, 0);
}

void
reel_priority_tree_fill (ReelPriorityTree *self, gint64 begin, gint64 end, double weight)
{
  for (gint64 slot = begin; slot < end; slot++)
    self->shape.weights[slot] = weight;
  update_range (self, begin, end);
}

void
reel_priority_tree_assign (ReelPriorityTree *self, gint64 begin, gint64 end, const double *weights)
{
  if (end > begin)
    memmove (self->shape.weights + begin, weights, (gsize) (end - begin) * sizeof *weights);
  update_range (self, begin, end);
}

/* ---- search ---- */

void
reel_priority_tree_find (const ReelPriorityTree *self, double *masses, gint64 n, gint64 *slots,
                         double *weights, const ReelRowLines *lines)
{
  static const ReelRowLines none;

  for (gint64 first = 0; first < n; first += REEL_TREE_SEARCHES)
    self->kernels->find (&self->shape, masses + first, MIN (REEL_TREE_SEARCHES, n - first),
                         slots + first, weights + first, lines ? lines : &none);
}
