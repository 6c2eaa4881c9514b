/* Counts of short sequences of tokens: a tree of those that follow one another. Private to the
 * library. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * REEL_NGRAM_MAX_ORDER:
 *
 * The most tokens of a sequence.
 */
#define REEL_NGRAM_MAX_ORDER 8

/**
 * ReelNgramNode:
 * @token: the last token of a sequence
 * @count: how often the sequence came
 * @first: place of its first child, in the next level; that of the next node is behind its last
 * @followed: how often any token came behind the sequence: the sum of its children's counts
 */
typedef struct
{
  gint32 token;
  guint32 first;
  gint64 count;
  gint64 followed;
} ReelNgramNode;

/**
 * ReelNgramTree:
 * @order: tokens of the longest sequences
 * @levels: (array): #ReelNgramNode: level 0 is the root alone, level k sequences of k tokens,
 * sorted; each but the last level ends with a node that has no meaning but @first
 */
typedef struct
{
  gint order;
  GArray *levels[REEL_NGRAM_MAX_ORDER + 1];
} ReelNgramTree;

/**
 * reel_ngram_tree_new:
 * @order: tokens of the longest sequences, 1 to %REEL_NGRAM_MAX_ORDER
 * @tokens: (array length=n): rows, each with a −1 behind it
 * @n: how many, below 2^32
 *
 * Counts all sequences within a row.
 *
 * Returns: (transfer full): the tree
 */
ReelNgramTree *reel_ngram_tree_new (gint order, const gint32 *tokens, gsize n);

/**
 * reel_ngram_tree_free:
 * @self: (transfer full): a tree
 */
void reel_ngram_tree_free (ReelNgramTree *self);

/**
 * reel_ngram_tree_find:
 * @self: a tree
 * @tokens: (array length=n): a sequence
 * @n: how many, below the order
 *
 * Returns: (nullable): its node where something follows it
 */
const ReelNgramNode *reel_ngram_tree_find (const ReelNgramTree *self, const gint64 *tokens, gint n);

/**
 * reel_ngram_tree_children:
 * @self: a tree
 * @node: what reel_ngram_tree_find() found
 * @level: tokens of its sequence
 * @n: (out): how many
 *
 * Returns: (transfer none) (array length=n): what follows the sequence, by token
 */
const ReelNgramNode *reel_ngram_tree_children (const ReelNgramTree *self, const ReelNgramNode *node,
                                               gint level, gsize *n);

/**
 * reel_ngram_tree_count:
 * @self: a tree
 * @node: what reel_ngram_tree_find() found
 * @level: tokens of its sequence
 * @token: any number
 *
 * Returns: how often @token came behind the sequence
 */
gint64 reel_ngram_tree_count (const ReelNgramTree *self, const ReelNgramNode *node, gint level,
                              gint64 token);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelNgramTree, reel_ngram_tree_free)

G_END_DECLS
