/* The ranks as this process sees them: who is there, and what was noted. */
#include "ranks-private.h"

#include <signal.h>

static ReelRanks ranks;
static volatile sig_atomic_t stop;

ReelRanks *
reel_ranks_state (void)
{
  return &ranks;
}

void
reel_ranks_look (gint wait_ms)
{
  if (ranks.watch != NULL)
    reel_rank_watch_look (ranks.watch, wait_ms);
  else
    g_usleep ((gulong) wait_ms * 1000);
}

gboolean
reel_ranks_has_lost (gint rank)
{
  reel_ranks_look (0);

  gboolean ended = ranks.watch != NULL && reel_rank_watch_has_ended (ranks.watch, rank);

  ranks.lost = ranks.lost || ended;
  return ended;
}

void
reel_ranks_ask_to_stop (void)
{
  stop = TRUE;
}

gboolean
reel_ranks_is_asked_to_stop (void)
{
  return stop;
}

void
reel_ranks_warn (char *text)
{
  g_ptr_array_add (ranks.warnings, text);
}

char **
reel_ranks_dup_warnings (void)
{
  GStrvBuilder *list = g_strv_builder_new ();

  for (guint i = 0; ranks.warnings != NULL && i < ranks.warnings->len; i++)
    g_strv_builder_add (list, ranks.warnings->pdata[i]);

  char **all = g_strv_builder_end (list);

  g_strv_builder_unref (list);
  return all;
}
