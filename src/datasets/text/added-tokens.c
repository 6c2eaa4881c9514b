#include "added-tokens.h"

#include <string.h>

static void
clear_token (gpointer token)
{
  g_free (((ReelAddedToken *) token)->content);
}

void
reel_added_tokens_init (ReelAddedTokens *self)
{
  *self = (ReelAddedTokens){ .tokens = g_array_new (FALSE, FALSE, sizeof (ReelAddedToken)) };
  g_array_set_clear_func (self->tokens, clear_token);
}

void
reel_added_tokens_clear (ReelAddedTokens *self)
{
  g_clear_pointer (&self->tokens, g_array_unref);
}

void
reel_added_tokens_add (ReelAddedTokens *self, const char *content, guint32 id, gboolean special)
{
  ReelAddedToken token = { g_strdup (content), strlen (content), id, special };
  guint at = 0;

  while (at < self->tokens->len
         && g_array_index (self->tokens, ReelAddedToken, at).length >= token.length)
    at++;
  g_array_insert_val (self->tokens, at, token);
  self->begins[(guint8) *content] = TRUE;
  self->longest = MAX (self->longest, token.length);
}

static const ReelAddedToken *
token_at (const ReelAddedTokens *self, const guint8 *at, gsize room)
{
  for (guint i = 0; i < self->tokens->len; i++)
    {
      const ReelAddedToken *token = &g_array_index (self->tokens, ReelAddedToken, i);
      if (token->length <= room && memcmp (at, token->content, token->length) == 0)
        return token;
    }
  return NULL;
}

const guint8 *
reel_added_tokens_find (const ReelAddedTokens *self, const guint8 *at, const guint8 *end,
                        const ReelAddedToken **found)
{
  *found = NULL;
  if (self->longest == 0)
    return end;
  for (; at < end; at++)
    if (self->begins[*at] && (*found = token_at (self, at, (gsize) (end - at))))
      return at;
  return end;
}

const ReelAddedToken *
reel_added_tokens_by_id (const ReelAddedTokens *self, guint32 id)
{
  for (guint i = 0; i < self->tokens->len; i++)
    if (g_array_index (self->tokens, ReelAddedToken, i).id == id)
      return &g_array_index (self->tokens, ReelAddedToken, i);
  return NULL;
}
