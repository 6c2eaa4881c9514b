#include "priority-tree.h"

#include "../core/memory.h"
#include "priority-tree-kernel.h"

#include <math.h>
#include <string.h>

#define BATCH 256    /* slots that are changed at once, on the stack */
#define SEARCHES 128 /* whose lines fit the nearest cache */
#define FAN REEL_TREE_FAN
#define LINE 64
#define WORD 64

struct _ReelPriorityTree
{
  ReelTreeShape shape;
  const ReelTreeKernels *kernels;
  gint64 n_slots;
  ReelMemory *memory;
  /* Of each group, and of each node of a level: whether it stands in the list of what is to be
   * made anew. */
  guint64 *listed[REEL_TREE_MOST_LEVELS + 1];
};

/* ---- memory
 * -------------------------------------------------------------------------------------- */

static gint64
round_up (gint64 n, gint64 multiple)
{
  return (n - 1) / multiple + 1;
}

/* Lays the parts of the tree out from @base on, which may be NULL, and returns the bytes of all. */
static gsize
lay_out (ReelPriorityTree *self, guint8 *base)
{
  gint64 n_groups = round_up (self->n_slots, FAN), n = n_groups;
  gsize at = 0;
  gint level = 0;

  self->shape.weights = (double *) base;
  at += (gsize) n_groups * FAN * sizeof (double);
  do
    {
      n = round_up (n, FAN);
      self->shape.levels[level++] = base ? (ReelTreeNode *) (base + at) : NULL;
      at += (gsize) n * sizeof (ReelTreeNode);
    }
  while (n > 1);
  self->shape.n_levels = level;
  n = n_groups;
  for (gint list = 0; list <= level; list++, n = round_up (n, FAN))
    {
      self->listed[list] = base ? (guint64 *) (base + at) : NULL;
      at += (gsize) round_up (n, WORD) * sizeof (guint64);
    }
  return at;
}

static void
clear (ReelPriorityTree *self)
{
  gint64 n = round_up (self->n_slots, FAN);

  for (gint level = 0; level < self->shape.n_levels; level++)
    {
      n = round_up (n, FAN);
      for (gint64 node = 0; node < n; node++)
        for (gint i = 0; i < FAN; i++)
          self->shape.levels[level][node].least[i] = INFINITY;
    }
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

/* ---- changes
 * ------------------------------------------------------------------------------------- */

/* Puts what @ids are in, by sixteen, into @parents, each once, and takes the marks of @ids away. */
static gint64
list_parents (ReelPriorityTree *self, gint list, const gint64 *ids, gint64 n, gint64 *parents)
{
  guint64 *marks = self->listed[list];
  gint64 found = 0;

  for (gint64 i = 0; i < n; i++)
    {
      gint64 parent = ids[i] / FAN;
      guint64 bit = 1ull << (parent % WORD);

      parents[found] = parent;
      found += !(marks[parent / WORD] & bit);
      marks[parent / WORD] |= bit;
    }
  for (gint64 i = 0; i < found; i++)
    marks[parents[i] / WORD] = 0;
  return found;
}

/* Makes all above some slots anew, each sum once. */
static void
update_sums (ReelPriorityTree *self, const gint64 *slots, gint64 n)
{
  gint64 lists[2][BATCH];

  n = list_parents (self, 0, slots, n, lists[0]);
  self->kernels->sum_groups (&self->shape, lists[0], n);
  for (gint level = 0; level < self->shape.n_levels; level++)
    {
      const gint64 *below = lists[level % 2];
      gint64 *nodes = lists[(level + 1) % 2];

      n = list_parents (self, level + 1, below, n, nodes);
      self->kernels->sum_nodes (&self->shape, level, nodes, n);
    }
}

void
reel_priority_tree_set (ReelPriorityTree *self, const gint64 *slots, const double *weights,
                        gint64 n)
{
  for (gint64 first = 0, count; first < n; first += count)
    {
      count = MIN (BATCH, n - first);
      for (gint64 i = first; i < first + count; i++)
        __builtin_prefetch (self->shape.weights + slots[i], 1);
      for (gint64 i = first; i < first + count; i++)
        self->shape.weights[slots[i]] = weights[i];
      update_sums (self, slots + first, count);
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

/* ---- search
 * -------------------------------------------------------------------------------------- */

void
reel_priority_tree_find (const ReelPriorityTree *self, double *masses, gint64 n, gint64 *slots,
                         double *weights)
{
  for (gint64 first = 0; first < n; first += SEARCHES)
    self->kernels->find (&self->shape, masses + first, MIN (SEARCHES, n - first), slots + first,
                         weights + first);
}
