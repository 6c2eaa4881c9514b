/* Lists of finished episodes, joined in the order of time. */
#include "finished-episodes.h"

#include "../core/system/mapping.h"

#include <string.h>

#define CACHE_LINE 64

/* Each in cache lines of its own. */
typedef struct
{
  _Alignas(CACHE_LINE) ReelCollectorEpisode *episodes;
  gsize n;
  gsize room;
} List;

struct _ReelFinishedEpisodes
{
  List *lists;
  gint n_lists;
  GArray *all;
  ReelMapping shared; /* the memory of all lists, where processes add to them */
};

ReelFinishedEpisodes *
reel_finished_episodes_new (gint n_lists)
{
  ReelFinishedEpisodes *self = g_new0 (ReelFinishedEpisodes, 1);

  self->lists = g_aligned_alloc0 ((gsize) n_lists, sizeof *self->lists, CACHE_LINE);
  self->n_lists = n_lists;
  self->all = g_array_new (FALSE, FALSE, sizeof (ReelCollectorEpisode));
  return self;
}

/* The pages of what is never listed are never there. */
ReelFinishedEpisodes *
reel_finished_episodes_new_shared (gint n_lists, gint64 most, GError **error)
{
  ReelFinishedEpisodes *self = g_new0 (ReelFinishedEpisodes, 1);
  gsize heads = (gsize) n_lists * sizeof *self->lists, room, bytes;

  self->all = g_array_new (FALSE, FALSE, sizeof (ReelCollectorEpisode));
  if (!g_size_checked_mul (&room, (gsize) most, sizeof (ReelCollectorEpisode))
      || !g_size_checked_mul (&bytes, room, (gsize) n_lists)
      || !g_size_checked_add (&bytes, bytes, heads)
      || !reel_mapping_new_shared (bytes, &self->shared))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE,
                   "cannot share lists of %" G_GINT64_FORMAT " episodes with worker processes",
                   most);
      reel_finished_episodes_free (self);
      return NULL;
    }
  self->lists = (List *) (gpointer) self->shared.data;
  self->n_lists = n_lists;
  for (gint list = 0; list < n_lists; list++)
    {
      self->lists[list].room = (gsize) most;
      self->lists[list].episodes =
          (ReelCollectorEpisode *) (gpointer) (self->shared.data + heads + (gsize) list * room);
    }
  return self;
}

void
reel_finished_episodes_free (ReelFinishedEpisodes *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->all);
  for (gint list = 0; self->shared.data == NULL && list < self->n_lists; list++)
    g_free (self->lists[list].episodes);
  if (self->shared.data == NULL)
    g_aligned_free (self->lists);
  reel_mapping_unmap (&self->shared);
  g_free (self);
}

static void
make_room (List *list, gsize n)
{
  if (list->n + n <= list->room)
    return;
  list->room = MAX (2 * list->room, list->n + n);
  list->episodes = g_renew (ReelCollectorEpisode, list->episodes, list->room);
}

void
reel_finished_episodes_add (ReelFinishedEpisodes *self, gint list, const ReelLaneEpisodes *episodes,
                            const gint64 *lanes, gsize n, gint64 n_steps)
{
  List *own = &self->lists[list];

  make_room (own, n);
  for (gsize i = 0; i < n; i++)
    own->episodes[own->n++] = (ReelCollectorEpisode){
      .lane = lanes[i],
      .n_steps = n_steps,
      .length = n_steps - episodes->records[lanes[i]].begun,
      .reward_sum = episodes->returns[lanes[i]],
    };
}

int
reel_finished_episodes_compare (gconstpointer one, gconstpointer other)
{
  const ReelCollectorEpisode *a = one, *b = other;

  if (a->n_steps != b->n_steps)
    return a->n_steps < b->n_steps ? -1 : 1;
  return a->lane < b->lane ? -1 : a->lane > b->lane;
}

static gboolean
is_sorted (const ReelCollectorEpisode *episodes, gsize n)
{
  for (gsize i = 1; i < n; i++)
    if (reel_finished_episodes_compare (&episodes[i - 1], &episodes[i]) > 0)
      return FALSE;
  return TRUE;
}

static void
take (ReelFinishedEpisodes *self, gint list)
{
  g_array_append_vals (self->all, self->lists[list].episodes, (guint) self->lists[list].n);
  self->lists[list].n = 0;
}

/* put_in_order: what was taken, without what ended later than @n_steps, numbered from @first on. By
 * step, then lane: numbers do not depend on the cut of lanes into threads. */
static const GArray *
put_in_order (ReelFinishedEpisodes *self, gint64 first, gint64 n_steps)
{
  ReelCollectorEpisode *episodes = (ReelCollectorEpisode *) self->all->data;
  gsize n = self->all->len;

  if (!is_sorted (episodes, n))
    qsort (episodes, n, sizeof *episodes, reel_finished_episodes_compare);
  while (n > 0 && episodes[n - 1].n_steps > n_steps)
    n--;
  for (gsize i = 0; i < n; i++)
    episodes[i].number = first + (gint64) i;
  g_array_set_size (self->all, (guint) n);
  return self->all;
}

const GArray *
reel_finished_episodes_gather (ReelFinishedEpisodes *self, gint64 first, gint64 n_steps)
{
  g_array_set_size (self->all, 0);
  for (gint list = 0; list < self->n_lists; list++)
    take (self, list);
  return put_in_order (self, first, n_steps);
}

const GArray *
reel_finished_episodes_gather_list (ReelFinishedEpisodes *self, gint list, gint64 first)
{
  g_array_set_size (self->all, 0);
  take (self, list);
  return put_in_order (self, first, G_MAXINT64);
}

const GArray *
reel_finished_episodes_gather_none (ReelFinishedEpisodes *self)
{
  g_array_set_size (self->all, 0);
  return self->all;
}
