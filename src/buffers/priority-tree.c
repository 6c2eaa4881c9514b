#include "priority-tree.h"

#include "../core/memory.h"
#include "priority-tree-kernel.h"

#include <math.h>
#include <string.h>

#define BATCH 256    /* slots that are changed at once, on the stack */
#define SEARCHES 256 /* whose lines fit the nearest cache */
#define FAN REEL_TREE_FAN

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

/* Lays the parts of the tree out from @base on, which may be NULL, and returns the bytes of all. */
static gsize
lay_out (ReelPriorityTree *self, guint8 *base)
{
  gint64 n = round_up (self->n_slots, FAN);
  gsize at = (gsize) n * FAN * sizeof (double);
  gint level = 0;

  self->shape.weights = (double *) base;
  do
    {
      n = round_up (n, FAN);
      self->shape.n_nodes[level] = n;
      self->shape.levels[level++] = base ? (ReelTreeNode *) (base + at) : NULL;
      at += (gsize) n * sizeof (ReelTreeNode);
    }
  while (n > 1);
  self->shape.n_levels = level;
  return at;
}

static void
clear (ReelPriorityTree *self)
{
  for (gint level = 0; level < self->shape.n_levels; level++)
    for (gint64 node = 0; node < self->shape.n_nodes[level]; node++)
      for (gint i = 0; i < FAN; i++)
        self->shape.levels[level][node].least[i] = INFINITY;
  self->shape.least = INFINITY;
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

gsize
reel_priority_tree_bytes (const ReelPriorityTree *self)
{
  gsize bytes;

  reel_memory_get_data (self->memory, &bytes);
  return bytes + sizeof *self;
}

const double *
reel_priority_tree_weights (const ReelPriorityTree *self)
{
  return self->shape.weights;
}

double
reel_priority_tree_total (const ReelPriorityTree *self)
{
  return self->shape.total;
}

double
reel_priority_tree_least (const ReelPriorityTree *self)
{
  return self->shape.least;
}

/* ---- changes ---- */

/* Puts what @ids are in, by sixteen, in their place; of equal ones in a row one. */
static gint64
list_parents (gint64 *ids, gint64 n)
{
  gint64 found = 0, last = -1;

  for (gint64 i = 0; i < n; i++)
    {
      gint64 parent = (gint64) ((guint64) ids[i] / FAN);

      found += parent != last;
      ids[found - 1] = last = parent;
    }
  return found;
}

/* Makes all above some slots anew, which are overwritten: low levels, where few nodes are listed
 * twice, by lists, high ones as a whole. */
static void
update_sums (ReelPriorityTree *self, gint64 *slots, gint64 n)
{
  n = list_parents (slots, n);
  self->kernels->sum_groups (&self->shape, slots, n);
  for (gint level = 0; level < self->shape.n_levels; level++)
    {
      n = list_parents (slots, n);
      if (n > self->shape.n_nodes[level])
        {
          n = self->shape.n_nodes[level];
          for (gint64 node = 0; node < n; node++)
            slots[node] = node;
        }
      self->kernels->sum_nodes (&self->shape, level, slots, n);
    }
}

void
reel_priority_tree_set (ReelPriorityTree *self, const gint64 *slots, const double *weights,
                        gint64 n)
{
  gint64 changed[BATCH];

  for (gint64 first = 0, count; first < n; first += count)
    {
      count = MIN (BATCH, n - first);
      for (gint64 i = 0; i < count; i++)
        {
          changed[i] = slots[first + i];
          __builtin_prefetch (self->shape.weights + changed[i], 1);
        }
      for (gint64 i = 0; i < count; i++)
        self->shape.weights[changed[i]] = weights[first + i];
      update_sums (self, changed, count);
    }
}

/* Makes all above the slots [begin, end) anew. */
static void
update_range (ReelPriorityTree *self, gint64 begin, gint64 end)
{
  gint64 ids[BATCH], first = begin, last = end - 1, count;

  if (begin >= end)
    return;
  for (gint level = -1; level < self->shape.n_levels; level++)
    {
      first /= FAN;
      last /= FAN;
      for (gint64 at = first; at <= last; at += count)
        {
          count = MIN (BATCH, last + 1 - at);
          for (gint64 i = 0; i < count; i++)
            ids[i] = at + i;
          if (level < 0)
            self->kernels->sum_groups (&self->shape, ids, count);
          else
            self->kernels->sum_nodes (&self->shape, level, ids, count);
        }
    }
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
                         double *weights)
{
  for (gint64 first = 0; first < n; first += SEARCHES)
    self->kernels->find (&self->shape, masses + first, MIN (SEARCHES, n - first), slots + first,
                         weights + first);
}
