/* The keys of render's window. */
#include "../apps/render/overlay.h"
#include "../apps/render/player.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "collecting.h"
#include "scratch.h"

/* A show of what is played, `columns` side by side. */
static void
play (Show *show, const char *env, gint64 columns, gboolean plot)
{
  const EpisodesLook look = { .env = env, .plot = plot };
  g_autoptr (GError) error = NULL;

  *show = (Show){ .columns = columns, .rows = 1, .n_sources = (gsize) columns };
  show->sources = g_new0 (Episodes *, columns);
  for (gint64 i = 0; i < columns; i++)
    {
      show->sources[i] = episodes_new_played (&look, "random", 3 + i, 1000, &error);
      g_assert_no_error (error);
    }
}

/* A show of a run of this env in the scratch directory. */
static void
record (Show *show, const char *env, gint64 rows, gint64 columns)
{
  const EpisodesLook look = { 0 };
  g_autofree char *path = scratch_path ("run");
  g_autofree char *how = collecting_text ("sync", rows, rows, 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) buffer = collecting_make_buffer ("tensor", rows, 1);
  g_autoptr (ReelCollector) collector = collecting_make_collector (how, env, "random", buffer);

  while (collecting_next (collector, NULL) > 0)
    ;
  g_assert_true (reel_replay_buffer_dumps (buffer, path, REEL_CHECKPOINT_DEFAULT, &error));
  *show = (Show){ .columns = columns, .rows = 1, .n_sources = 1 };
  show->sources = g_new0 (Episodes *, 1);
  show->sources[0] = episodes_new_stored (&look, path, &error);
  g_assert_no_error (error);
}

static Player *
new_player (const Show *show, gint64 number)
{
  g_autoptr (GError) error = NULL;
  Player *player = player_new (show, number, &error);

  g_assert_no_error (error);
  return player;
}

static char *
look (Player *player)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensor) picture = picture_new (120, 80, NULL);

  player_draw (player, picture, &error);
  g_assert_no_error (error);
  return g_compute_checksum_for_data (G_CHECKSUM_SHA256, picture->data,
                                      reel_tensor_nbytes (picture));
}

/* Lets messages go. */
static void
settle (Player *player)
{
  gboolean playing = player->playing;

  player->playing = FALSE;
  player_tick (player, 1000);
  player->playing = playing;
}

/* Another episode, which is opened once the window says that it is prepared. */
static void
change_episode (Player *player, PlayerKey key)
{
  player_press (player, key);
  g_free (look (player));
  player_tick (player, 0);
  player_tick (player, 0);
}

static void
test_time (void)
{
  g_auto (Show) show = { 0 };
  play (&show, "CartPole", 1, FALSE);
  g_autoptr (Player) player = new_player (&show, 0);

  g_assert_cmpint (player->i, ==, 0);
  player_tick (player, 0.021);
  g_assert_cmpint (player->i, ==, 1);
  player_tick (player, 0.01);
  g_assert_cmpint (player->i, ==, 1);
  player_tick (player, 0.01);
  g_assert_cmpint (player->i, ==, 2);
  player_press (player, PLAYER_FASTER);
  player_tick (player, 0.0201);
  g_assert_cmpint (player->i, ==, 4);
  for (gint k = 0; k < 20; k++)
    player_press (player, PLAYER_SLOWER);
  g_assert_cmpfloat (player->speed, ==, 1 / 16.0);
  player_tick (player, 0.0201);
  g_assert_cmpint (player->i, ==, 4);
  for (gint k = 0; k < 20; k++)
    player_press (player, PLAYER_FASTER);
  g_assert_cmpfloat (player->speed, ==, 16);
  player_press (player, PLAYER_PAUSE);
  player_tick (player, 100);
  g_assert_cmpint (player->i, ==, 4);
  g_assert_false (player->message != NULL);
  g_assert_cmpfloat (player_next (player), <, 0);
  player_press (player, PLAYER_PAUSE);
  g_assert_true (player->playing);
}

/* Each picture is the same whichever way one came to it. */
static void
test_steps (void)
{
  g_auto (Show) show = { 0 };
  play (&show, "Pendulum", 1, FALSE);
  g_autoptr (Player) player = new_player (&show, 0);
  char *seen[12];

  for (gint i = 0; i < 12; i++)
    {
      seen[i] = look (player);
      for (gint k = 0; k < i; k++)
        g_assert_cmpstr (seen[i], !=, seen[k]);
      player_press (player, PLAYER_FORWARD);
      g_assert_false (player->playing);
    }
  for (gint i = 11; i >= 0; i--)
    {
      player_press (player, PLAYER_BACK);
      g_autofree char *again = look (player);
      g_assert_cmpstr (again, ==, seen[i]);
    }
  player_press (player, PLAYER_BACK);
  g_assert_cmpint (player->i, ==, 0);

  /* On to where nobody was yet, after looking back. */
  for (gint i = 0; i < 30; i++)
    player_press (player, PLAYER_FORWARD);
  g_autofree char *far = look (player);
  g_autoptr (Player) other = new_player (&show, 0);
  for (gint i = 0; i < 30; i++)
    player_press (other, PLAYER_FORWARD);
  g_autofree char *same = look (other);
  g_assert_cmpstr (far, ==, same);
  for (gint i = 0; i < 12; i++)
    g_free (seen[i]);
}

static void
test_episodes_played (void)
{
  g_auto (Show) show = { 0 };
  play (&show, "CartPole", 1, FALSE);
  g_autoptr (Player) player = new_player (&show, 0);
  g_autofree char *first = look (player);

  change_episode (player, PLAYER_EPISODE_BEFORE);
  g_assert_cmpint (player->number, ==, 0);
  change_episode (player, PLAYER_EPISODE_AFTER);
  change_episode (player, PLAYER_EPISODE_AFTER);
  g_assert_cmpint (player->number, ==, 2);
  settle (player);
  g_autofree char *third = look (player);
  g_assert_cmpstr (first, !=, third);
  change_episode (player, PLAYER_EPISODE_BEFORE);
  change_episode (player, PLAYER_EPISODE_BEFORE);
  settle (player);
  g_autofree char *again = look (player);
  g_assert_cmpstr (first, ==, again);
  change_episode (player, PLAYER_EPISODE_AFTER);
  for (gint i = 0; i < 3; i++)
    player_press (player, PLAYER_FORWARD);
  change_episode (player, PLAYER_EPISODE_AFTER);
  settle (player);
  g_autofree char *third_again = look (player);
  g_assert_cmpstr (third, ==, third_again);

  /* It goes on by itself. */
  player->playing = TRUE;
  for (gint k = 0; k < 2000 && player->number == 2; k++)
    {
      player_tick (player, 0.05);
      g_free (look (player));
    }
  g_assert_cmpint (player->number, ==, 3);
}

/* Nothing is opened before it is said, and the time that it takes is not the episode's. */
static void
test_opening_is_announced (void)
{
  g_auto (Show) show = { 0 };
  play (&show, "CartPole", 1, FALSE);
  g_autoptr (Player) player = new_player (&show, 0);

  player_press (player, PLAYER_EPISODE_AFTER);
  player_tick (player, 1);
  g_assert_cmpint (player->number, ==, 0);
  g_assert_cmpstr (player->message, ==, "episode 1, preparing");
  g_assert_cmpfloat (player_next (player), ==, 0);
  player_press (player, PLAYER_EPISODE_AFTER);
  g_free (look (player));
  player_tick (player, 1);
  g_assert_cmpint (player->number, ==, 2);
  g_assert_cmpstr (player->message, ==, "episode 2");
  player_tick (player, 1);
  g_assert_cmpint (player->i, ==, 0);
  player_tick (player, 0.021);
  g_assert_cmpint (player->i, ==, 1);
}

static void
test_episodes_stored (void)
{
  g_auto (Show) show = { 0 };
  record (&show, "CartPole", 200, 1);
  g_autoptr (Player) player = new_player (&show, -1);
  gint64 n = show_count (&show);

  g_assert_cmpint (n, >, 3);
  g_assert_cmpint (player->number, ==, n - 1);
  change_episode (player, PLAYER_EPISODE_AFTER);
  g_assert_cmpint (player->number, ==, n - 1);
  for (gint64 k = n - 2; k >= 0; k--)
    {
      change_episode (player, PLAYER_EPISODE_BEFORE);
      g_assert_cmpint (player->number, ==, k);
    }

  /* It stops at its end; from there space begins anew. */
  for (gint k = 0; k < 2000 && player->playing; k++)
    player_tick (player, 0.05);
  g_assert_false (player->playing);
  g_assert_cmpint (player->i, ==, player->frames->n - 1);
  player_press (player, PLAYER_FORWARD);
  g_assert_cmpint (player->i, ==, player->frames->n - 1);
  player_press (player, PLAYER_PAUSE);
  g_assert_true (player->playing);
  g_assert_cmpint (player->i, ==, 0);
}

/* A page of a grid after the other; the last may have free places. */
static void
test_pages (void)
{
  g_auto (Show) show = { 0 };
  record (&show, "CartPole", 120, 3);
  g_autoptr (Player) player = new_player (&show, 0);
  gint64 n = show_count (&show);

  for (gint64 number = 0; number < n; number += 3)
    {
      g_assert_cmpint (player->number, ==, number);
      g_assert_cmpint (player->frames->n_parts, ==, MIN (3, n - number));
      g_free (look (player));
      change_episode (player, PLAYER_EPISODE_AFTER);
    }
}

static void
test_grid (void)
{
  g_auto (Show) show = { 0 };
  play (&show, "CartPole", 4, FALSE);
  g_autoptr (Player) player = new_player (&show, 0);

  for (gint i = 0; i < 300 && !player->frames->whole; i++)
    player_press (player, PLAYER_FORWARD);
  g_assert_true (player->frames->whole);
  for (gsize k = 0; k < 4; k++)
    g_assert_cmpint (player->frames->parts[k]->n, <=, player->frames->n);
  g_autofree char *title = player_title (player);
  g_assert_cmpstr (title, ==, "CartPole, episode 0");
}

/* Overlay, help and messages are seen, and go. */
static void
test_overlay (void)
{
  g_auto (Show) show = { 0 };
  play (&show, "CartPole", 1, FALSE);
  g_autoptr (Player) player = new_player (&show, 0);
  g_autofree char *plain = look (player);

  player_press (player, PLAYER_OVERLAY);
  g_autofree char *over = look (player);
  player_press (player, PLAYER_OVERLAY);
  player_press (player, PLAYER_HELP);
  g_autofree char *help = look (player);
  player_press (player, PLAYER_HELP);
  g_autofree char *again = look (player);
  player_press (player, PLAYER_PAUSE);
  g_autofree char *paused = look (player);
  settle (player);
  g_autofree char *silent = look (player);

  g_assert_cmpstr (plain, !=, over);
  g_assert_cmpstr (plain, !=, help);
  g_assert_cmpstr (over, !=, help);
  g_assert_cmpstr (plain, ==, again);
  g_assert_cmpstr (plain, !=, paused);
  g_assert_cmpstr (plain, ==, silent);
}

/* Lines that are wider than the picture are broken, not cut: what does not fit one line is seen
 * below it. */
static void
test_broken_lines (void)
{
  static const char *const texts[][2] = {
    { "action 0.25 -0.50", "action 0.25\n-0.50" }, /* at the last space that fits */
    { "0123456789abcdef", "0123456789abc\ndef" },  /* within a word */
    { "one two\nthree four five", "one two\nthree four\nfive" },
    { "0123456789abc", "0123456789abc" }, /* just fits */
    { "0123456789abc d", "0123456789abc\nd" },
    { "", "" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (ReelTensor) one = picture_new (84, 60, NULL), other = picture_new (84, 60, NULL);

      overlay_write (one, 0, 0, texts[i][0]);
      overlay_write (other, 0, 0, texts[i][1]);
      g_assert_cmpmem (one->data, reel_tensor_nbytes (one), other->data,
                       reel_tensor_nbytes (other));
    }
}

static void
test_save (void)
{
  g_autofree char *before = g_get_current_dir ();
  g_auto (Show) show = { 0 };
  play (&show, "CartPole:length=0.7", 1, FALSE);
  g_autoptr (Player) player = new_player (&show, 0);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_chdir (scratch_directory), ==, 0);
  player_press (player, PLAYER_SAVE);
  player_press (player, PLAYER_SAVE);
  player_press (player, PLAYER_FORWARD);
  player_press (player, PLAYER_SAVE);
  scratch_assert_names (scratch_directory,
                        "CartPole-0-0000-1.png CartPole-0-0000.png CartPole-0-0001.png");
  g_autoptr (ReelTensor) saved = reel_image_read_png ("CartPole-0-0001.png", &error);
  g_assert_no_error (error);
  g_autoptr (ReelTensor) shown = picture_new (600, 400, NULL);
  g_assert_true (frames_draw (player->frames, 1, FALSE, shown, NULL));
  g_assert_cmpmem (saved->data, 720000, shown->data, 720000);

  /* Where it cannot be written it is told, and goes on. */
  g_autofree char *gone = scratch_path ("gone");
  g_assert_cmpint (g_mkdir (gone, 0777), ==, 0);
  g_assert_cmpint (g_chdir (gone), ==, 0);
  g_assert_cmpint (g_rmdir (gone), ==, 0);
  player_press (player, PLAYER_SAVE);
  g_assert_nonnull (strstr (player->message, "CartPole-0-0001.png"));
  g_free (look (player));
  g_assert_cmpint (g_chdir (before), ==, 0);
}

/* An action of integers is steps, in whatever form; elements have the names that they are given, if
 * these are as many. */
static void
test_plotted_kinds (void)
{
  const char *const names[] = { "cart", "pole", NULL }, *const few[] = { "cart", NULL };
  const gint64 two[] = { 2 };
  const float actions[] = { 1, 0, 1 }, seen[] = { 0, 5, 1, 6, 2, 7 };
  const ReelPlotSeries series[] = {
    { .name = "action", .width = 1, .values = actions, .steps = TRUE },
    { .name = "observation", .width = 2, .values = seen, .element_names = names },
  };
  g_autoptr (StepRecord) record = step_record_new ();
  g_autoptr (ReelTensor) drawn = picture_new (400, 300, NULL),
                         expected = picture_new (400, 300, NULL);

  for (gint i = 0; i < 3; i++)
    {
      g_autoptr (ReelTensor) action = reel_tensor_new (REEL_DTYPE_INT64, 1, two, NULL);
      g_autoptr (ReelTensor) observation = reel_tensor_new (REEL_DTYPE_FLOAT32, 1, two, NULL);

      memset (action->data, 0, reel_tensor_nbytes (action));
      ((gint64 *) (gpointer) action->data)[(gint) actions[i]] = 1;
      memcpy (observation->data, &seen[2 * i], 2 * sizeof *seen);
      step_record_say (record, "action", action);
      step_record_say (record, "observation", observation);
      step_record_next (record);
    }
  step_record_name_elements (record, "observation", names);
  step_record_name_elements (record, "observation", few);
  step_record_name_elements (record, "nothing", names);
  step_record_plot (record, 1, drawn);
  reel_plot_draw (expected, series, 2, 3, 1);
  g_assert_cmpmem (drawn->data, reel_tensor_nbytes (drawn), expected->data,
                   reel_tensor_nbytes (expected));
}

/* Whether this is written somewhere at the left edge of a plot's boxes. */
static gboolean
has_name (Show *show, const char *name)
{
  g_autoptr (Frames) frames = show_open (show, 0, NULL);
  g_autoptr (ReelTensor) plot = picture_new (640, 480, NULL),
                         written = picture_new (640, 480, NULL);
  gboolean found = FALSE;

  g_assert_true (frames_draw (frames, 0, FALSE, plot, NULL));
  for (gint64 y = 0; !found && y < 470; y++)
    {
      memcpy (written->data, plot->data, reel_tensor_nbytes (plot));
      reel_image_draw_text (written, 60, y, 1, 0x1f6fb4, name);
      found = memcmp (written->data, plot->data, reel_tensor_nbytes (plot)) == 0;
    }
  return found;
}

/* Names of an environment reach the plots of what is played. */
static void
test_plotted_names (void)
{
  g_auto (Show) played = { 0 };

  play (&played, "Pendulum", 1, TRUE);
  g_assert_true (has_name (&played, "cos angle"));
  g_assert_false (has_name (&played, "observation[0]"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_test ("/apps/player/time-and-speed", test_time);
  scratch_test ("/apps/player/steps-back-and-on-are-the-same", test_steps);
  scratch_test ("/apps/player/episodes-that-are-played", test_episodes_played);
  scratch_test ("/apps/player/opening-is-announced", test_opening_is_announced);
  scratch_test ("/apps/player/episodes-that-are-stored", test_episodes_stored);
  scratch_test ("/apps/player/pages-of-a-grid", test_pages);
  scratch_test ("/apps/player/a-grid-ends-with-the-last", test_grid);
  scratch_test ("/apps/player/what-is-written-upon-it", test_overlay);
  scratch_test ("/apps/player/wide-lines-are-broken", test_broken_lines);
  scratch_test ("/apps/player/saved-as-it-is-seen", test_save);
  g_test_add_func ("/apps/player/kinds-of-plots", test_plotted_kinds);
  g_test_add_func ("/apps/player/names-in-plots", test_plotted_names);
  return g_test_run ();
}
