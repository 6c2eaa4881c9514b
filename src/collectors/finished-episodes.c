/* Lists of finished episodes, one a worker, joined in the order of time. */
#include "finished-episodes.h"

#include <string.h>

#define CACHE_LINE 64

/* Each in cache lines of its own. */
typedef struct
{
  _Alignas(CACHE_LINE) ReelCollectorEpisode *episodes;
  gsize n;
  gsize room;
} WorkerList;

struct _ReelFinishedEpisodes
{
  WorkerList *lists;
  gint n_workers;
  GArray *all;
};

ReelFinishedEpisodes *
reel_finished_episodes_new (gint n_workers)
{
  ReelFinishedEpisodes *self = g_new0 (ReelFinishedEpisodes, 1);

  self->lists = g_aligned_alloc0 ((gsize) n_workers, sizeof *self->lists, CACHE_LINE);
  self->n_workers = n_workers;
  self->all = g_array_new (FALSE, FALSE, sizeof (ReelCollectorEpisode));
  return self;
}

void
reel_finished_episodes_free (ReelFinishedEpisodes *self)
{
  if (self == NULL)
    return;
  for (gint worker = 0; worker < self->n_workers; worker++)
    g_free (self->lists[worker].episodes);
  g_aligned_free (self->lists);
  g_array_unref (self->all);
  g_free (self);
}

static void
make_room (WorkerList *list, gsize n)
{
  if (list->n + n <= list->room)
    return;
  list->room = MAX (2 * list->room, list->n + n);
  list->episodes = g_renew (ReelCollectorEpisode, list->episodes, list->room);
}

void
reel_finished_episodes_add (ReelFinishedEpisodes *self, gint worker,
                            const ReelLaneEpisodes *episodes, const gint64 *lanes, gsize n,
                            gint64 n_steps)
{
  WorkerList *list = &self->lists[worker];

  make_room (list, n);
  for (gsize i = 0; i < n; i++)
    list->episodes[list->n++] = (ReelCollectorEpisode){
      .lane = lanes[i],
      .n_steps = n_steps,
      .length = n_steps - episodes->records[lanes[i]].begun,
      .reward_sum = episodes->returns[lanes[i]],
    };
}

static int
compare (const ReelCollectorEpisode *a, const ReelCollectorEpisode *b)
{
  if (a->n_steps != b->n_steps)
    return a->n_steps < b->n_steps ? -1 : 1;
  return a->lane < b->lane ? -1 : a->lane > b->lane;
}

static int
compare_items (gconstpointer a, gconstpointer b)
{
  return compare (a, b);
}

static gboolean
is_sorted (const ReelCollectorEpisode *episodes, gsize n)
{
  for (gsize i = 1; i < n; i++)
    if (compare (&episodes[i - 1], &episodes[i]) > 0)
      return FALSE;
  return TRUE;
}

const GArray *
reel_finished_episodes_gather (ReelFinishedEpisodes *self, gint64 first, gint64 n_steps)
{
  g_array_set_size (self->all, 0);
  for (gint worker = 0; worker < self->n_workers; worker++)
    {
      WorkerList *list = &self->lists[worker];
      g_array_append_vals (self->all, list->episodes, (guint) list->n);
      list->n = 0;
    }

  ReelCollectorEpisode *episodes = (ReelCollectorEpisode *) self->all->data;
  gsize n = self->all->len;

  /* By step, then lane: numbers do not depend on the cut of lanes into threads. */
  if (!is_sorted (episodes, n))
    qsort (episodes, n, sizeof *episodes, compare_items);
  /* Workers may have listed episodes of steps that were given back. */
  while (n > 0 && episodes[n - 1].n_steps > n_steps)
    n--;
  for (gsize i = 0; i < n; i++)
    episodes[i].number = first + (gint64) i;
  g_array_set_size (self->all, (guint) n);
  return self->all;
}
