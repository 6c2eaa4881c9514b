#include "ngram-tree.h"

/* ---- building: the places of all sequences are sorted by what begins there ---- */

typedef struct
{
  const gint32 *tokens;
  gint order;
} Text;

static gint
compare_places (gconstpointer a, gconstpointer b, gpointer data)
{
  const Text *text = data;
  const gint32 *left = text->tokens + *(const guint32 *) a,
               *right = text->tokens + *(const guint32 *) b;

  for (gint i = 0; i < text->order; i++)
    {
      if (left[i] != right[i])
        return left[i] < right[i] ? -1 : 1;
      if (left[i] < 0)
        return 0;
    }
  return 0;
}

static guint32 *
sort_places (const Text *text, gsize n, gsize *n_places)
{
  guint32 *places = g_new (guint32, n + 1);

  *n_places = 0;
  for (gsize i = 0; i < n; i++)
    if (text->tokens[i] >= 0)
      places[(*n_places)++] = (guint32) i;
  g_qsort_with_data (places, (gint) *n_places, sizeof *places, compare_places, (gpointer) text);
  return places;
}

static ReelNgramNode *
last_node (const ReelNgramTree *self, gint level)
{
  return &g_array_index (self->levels[level], ReelNgramNode, self->levels[level]->len - 1);
}

static void
add_node (ReelNgramTree *self, gint level, gint32 token)
{
  ReelNgramNode node = { token, level < self->order ? self->levels[level + 1]->len : 0, 0, 0 };

  g_array_append_val (self->levels[level], node);
}

/* The sequence at a place, whose beginning the one before it shares up to @shared tokens. */
static void
add_sequence (ReelNgramTree *self, const gint32 *tokens, gint shared)
{
  last_node (self, 0)->count++;
  for (gint level = 1; level <= self->order && tokens[level - 1] >= 0; level++)
    {
      if (level > shared)
        add_node (self, level, tokens[level - 1]);
      last_node (self, level)->count++;
      last_node (self, level - 1)->followed++;
    }
}

static gint
count_shared (const Text *text, const gint32 *a, const gint32 *b)
{
  gint n = 0;

  while (n < text->order && a[n] >= 0 && a[n] == b[n])
    n++;
  return n;
}

ReelNgramTree *
reel_ngram_tree_new (gint order, const gint32 *tokens, gsize n)
{
  const Text text = { tokens, order };
  gsize n_places;
  g_autofree guint32 *places = sort_places (&text, n, &n_places);
  ReelNgramTree *self = g_new0 (ReelNgramTree, 1);

  self->order = order;
  for (gint level = 0; level <= order; level++)
    self->levels[level] = g_array_new (FALSE, FALSE, sizeof (ReelNgramNode));
  add_node (self, 0, -1);
  for (gsize i = 0; i < n_places; i++)
    add_sequence (self, tokens + places[i],
                  i == 0 ? 0 : count_shared (&text, tokens + places[i - 1], tokens + places[i]));
  for (gint level = 0; level < order; level++)
    add_node (self, level, -1);
  return self;
}

void
reel_ngram_tree_free (ReelNgramTree *self)
{
  for (gint level = 0; level <= self->order; level++)
    g_array_unref (self->levels[level]);
  g_free (self);
}

/* ---- looking up ---- */

const ReelNgramNode *
reel_ngram_tree_children (const ReelNgramTree *self, const ReelNgramNode *node, gint level,
                          gsize *n)
{
  *n = node[1].first - node->first;
  return (const ReelNgramNode *) (gpointer) self->levels[level + 1]->data + node->first;
}

static const ReelNgramNode *
find_child (const ReelNgramTree *self, const ReelNgramNode *node, gint level, gint64 token)
{
  gsize n;
  const ReelNgramNode *children = reel_ngram_tree_children (self, node, level, &n);

  while (n > 0)
    {
      gsize half = n / 2;
      if (children[half].token == token)
        return &children[half];
      if (children[half].token < token)
        {
          children += half + 1;
          n -= half + 1;
        }
      else
        n = half;
    }
  return NULL;
}

const ReelNgramNode *
reel_ngram_tree_find (const ReelNgramTree *self, const gint64 *tokens, gint n)
{
  const ReelNgramNode *node = &g_array_index (self->levels[0], ReelNgramNode, 0);

  for (gint level = 0; node && level < n; level++)
    node = find_child (self, node, level, tokens[level]);
  return node && node->followed > 0 ? node : NULL;
}

gint64
reel_ngram_tree_count (const ReelNgramTree *self, const ReelNgramNode *node, gint level,
                       gint64 token)
{
  const ReelNgramNode *child = find_child (self, node, level, token);

  return child ? child->count : 0;
}
