/* The connections by which rank 0 notices ranks that end, and those of strangers at its port. */
#include "../src/ranks/rank-watch.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* call: a connection to the port of an address that says so many bytes. */
static int
call (const char *address, gconstpointer bytes, gsize n)
{
  int end = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in place = { .sin_family = AF_INET,
                               .sin_port = htons ((guint16) g_ascii_strtoull (address, NULL, 10)),
                               .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };

  g_assert_cmpint (connect (end, (struct sockaddr *) &place, sizeof place), ==, 0);
  g_assert_cmpint (send (end, bytes, n, MSG_NOSIGNAL), ==, n);
  return end;
}

/* The ranks come in beside strangers that send anything, and stay for any time. */
static void
test_strangers_do_not_hold_it_up (void)
{
  static const char scan[] = "GET / HTTP/1.0\r\n\r\n and more";
  static const gint64 wrong[] = { 0, 3, -1 };
  g_autofree char *address = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelRankWatch) watch = reel_rank_watch_new (3, &address, &error);
  int ends[4 + G_N_ELEMENTS (wrong)];
  guint n = 0;

  ends[n++] = call (address, "", 0);         /* silent */
  ends[n++] = call (address, "r", 1);        /* begins as a rank does, and no more */
  ends[n++] = call (address, "reel-rnk", 8); /* likewise */
  ends[n++] = call (address, scan, sizeof scan);
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++) /* no rank that there is */
    {
      guint8 greeting[16] = "reel-rnk";

      memcpy (greeting + 8, &wrong[i], sizeof wrong[i]);
      ends[n++] = call (address, greeting, sizeof greeting);
    }

  g_autoptr (ReelRankWatch) one = reel_rank_watch_join (address, 1, &error);
  g_autoptr (ReelRankWatch) other = reel_rank_watch_join (address, 2, &error);

  g_assert_no_error (error);
  g_assert_true (reel_rank_watch_accept (watch, &error));
  g_assert_no_error (error);
  for (guint i = 0; i < n; i++)
    close (ends[i]);
  reel_rank_watch_look (watch, 0);
  g_assert_false (reel_rank_watch_has_ended (watch, 1));
  g_clear_pointer (&one, reel_rank_watch_free);
  while (!reel_rank_watch_has_ended (watch, 1))
    reel_rank_watch_look (watch, 100);
  g_assert_false (reel_rank_watch_has_ended (watch, 2));
  g_assert_false (reel_rank_watch_has_ended (other, 0));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ranks/watch/strangers-do-not-hold-it-up", test_strangers_do_not_hold_it_up);
  return g_test_run ();
}
