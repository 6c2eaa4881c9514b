/* The ways to draw MuJoCo's scenes: each is tried, in a process of its own. */
#include "render.h"

#include "../common/text-table.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS 60 /* after which a way is given up */
#define MEASURE (G_USEC_PER_SEC / 4)
#define SIDE 64

static const char *const qualities[] = { "fast", "full" };

/* The output of a child: lines, of which the last ones are missing where it ended early. */
enum
{
  PROBLEM, /* or an empty line */
  RENDERER,
  VERSION,
  FAST,
  FULL,
  N_LINES
};

/* ---- the child ---- */

/* Whether there are scenes to draw. */
static gboolean
has_scenes (GError **error)
{
  g_autofree char *description = reel_object_describe (REEL_TYPE_ENV, "Hopper", error);

  return description != NULL;
}

/* Pictures a second of an env that has been drawn once. */
static gboolean
measure (const char *quality, double *rate, GError **error)
{
  g_autofree char *text = g_strdup_printf ("Hopper:quality=%s", quality);
  g_autoptr (ReelEnv) env = reel_object_new_from_text (REEL_TYPE_ENV, text, error, NULL);
  double observation[64];
  guint8 *const observations[] = { (guint8 *) observation };
  guint8 pixels[SIDE * SIDE * 3];
  gint64 n = 0;

  if (!env || !reel_env_prepare_frames (env, SIDE, SIDE, error))
    return FALSE;
  reel_env_reset_lanes (env, 0, 1, NULL, observations);
  reel_env_render_lane (env, 0, SIDE, SIDE, pixels);

  gint64 begin = g_get_monotonic_time (), spent = 0;

  for (; spent < MEASURE; n++, spent = g_get_monotonic_time () - begin)
    reel_env_render_lane (env, 0, SIDE, SIDE, pixels);
  *rate = (double) n * G_USEC_PER_SEC / (double) spent;
  return reel_env_check_faults (env, error);
}

static void
examine (ReelGlBackend backend, FILE *out)
{
  g_autoptr (GError) error = NULL;
  ReelGlInfo info;

  g_setenv ("MUJOCO_GL", reel_gl_get_name (backend), TRUE);
  if (!reel_gl_probe (backend, &info, &error))
    {
      fprintf (out, "%s\n", error->message);
      return;
    }
  fprintf (out, "\n%s\n%s\n", info.renderer, info.version);
  for (gsize i = 0; i < G_N_ELEMENTS (qualities) && has_scenes (NULL); i++)
    {
      double rate;

      fflush (out);
      if (!measure (qualities[i], &rate, &error))
        {
          fprintf (out, "%s\n", error->message);
          return;
        }
      fprintf (out, "%.0f\n", rate);
    }
}

static void __attribute__ ((noreturn)) live (ReelGlBackend backend, int fd)
{
  const struct rlimit no_core = { 0, 0 };
  FILE *out = fdopen (fd, "w");

  setrlimit (RLIMIT_CORE, &no_core);
  signal (SIGALRM, SIG_DFL);
  signal (SIGBUS, SIG_DFL); /* a driver's, not that of a file */
  alarm (SECONDS);
  if (out)
    {
      examine (backend, out);
      fflush (out);
    }
  _exit (0);
}

/* ---- the parent ---- */

static char *
read_all (int fd)
{
  GString *text = g_string_new (NULL);
  char part[512];
  ssize_t n;

  while ((n = read (fd, part, sizeof part)) > 0 || (n < 0 && errno == EINTR))
    g_string_append_len (text, part, MAX (n, 0));
  return g_string_free (text, FALSE);
}

/* The end of a child that did not end by itself; NULL for one that did. */
static char *
describe_end (pid_t child)
{
  int status = 0;

  while (waitpid (child, &status, 0) < 0 && errno == EINTR)
    ;
  if (!WIFSIGNALED (status))
    return NULL;
  if (WTERMSIG (status) == SIGALRM)
    return g_strdup_printf ("it did not answer within %d seconds", SECONDS);
  return g_strdup_printf ("its driver ended the process: %s", strsignal (WTERMSIG (status)));
}

/* Lines of a child, padded with NULL; *end becomes how it ended, if badly. */
static char **
ask (ReelGlBackend backend, char **end, GError **error)
{
  int fds[2];

  if (pipe (fds) == 0)
    {
      pid_t child = fork ();

      if (child == 0)
        {
          close (fds[0]);
          live (backend, fds[1]);
        }
      close (fds[1]);

      g_autofree char *text = child > 0 ? read_all (fds[0]) : NULL;

      close (fds[0]);
      if (child > 0)
        {
          g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
          char **padded = g_new0 (char *, N_LINES + 1);

          for (gsize i = 0, n = g_strv_length (lines); i < N_LINES; i++)
            padded[i] = g_strdup (i < n ? lines[i] : "");
          *end = describe_end (child);
          return padded;
        }
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_IO, "no process to try %s in: %s",
               reel_gl_get_name (backend), g_strerror (errno));
  return NULL;
}

/* A line without a number holds the reason. */
static char *
rate_text (const char *line)
{
  return g_strdup (g_ascii_isdigit (*line) ? line : "-");
}

static char *
verdict (char **lines, const char *end)
{
  if (end)
    return g_strdup (end);
  if (*lines[PROBLEM])
    return g_strdup (lines[PROBLEM]);
  for (gsize i = FAST; i <= FULL; i++)
    if (*lines[i] && !g_ascii_isdigit (*lines[i]))
      return g_strdup (lines[i]);
  return g_strdup_printf ("%s, OpenGL %s", lines[RENDERER], lines[VERSION]);
}

int
render_doctor (GError **error)
{
  gboolean wanted[REEL_GL_N_BACKENDS], any = FALSE;
  g_autoptr (TextTable) table = text_table_new ("llrrl");
  g_autoptr (GError) problem = NULL;
  GString *packages = g_string_new (NULL);

  if (!reel_gl_get_wanted (wanted, &problem))
    printf ("%s\n\n", problem->message);
  text_table_add (table, g_strdup ("MUJOCO_GL"), g_strdup ("works"), g_strdup ("64x64 fast"),
                  g_strdup ("full"), g_strdup ("libraries that draw, and the reasons of others"));
  for (gint i = 0; i < REEL_GL_N_BACKENDS; i++)
    {
      g_autofree char *end = NULL;
      g_auto (GStrv) lines = ask (i, &end, error);

      if (!lines)
        {
          g_string_free (packages, TRUE);
          return EXIT_FAILED;
        }

      gboolean works = !end && !*lines[PROBLEM] && *lines[RENDERER];

      text_table_add (table, g_strdup (reel_gl_get_name (i)),
                      g_strdup (!works                  ? "no"
                                : problem || !wanted[i] ? "yes, not chosen"
                                : any                   ? "yes"
                                                        : "yes, used"),
                      rate_text (lines[FAST]), rate_text (lines[FULL]), verdict (lines, end));
      any = any || (works && !problem && wanted[i]);
      if (!works)
        g_string_append_printf (packages, "%s  apt-get install %s   # %s\n",
                                packages->len ? "" : "\nDebian has packages of the others:\n",
                                reel_gl_get_packages (i), reel_gl_get_name (i));
    }

  g_autofree char *text = text_table_render (table, 0);
  g_autofree char *hint = g_string_free (packages, FALSE);

  g_autoptr (GError) none = NULL;

  if (has_scenes (&none))
    printf ("%s\nPictures a second of Hopper, one thread; full is Gymnasium's quality.\n%s", text,
            hint);
  else
    printf ("%s\nThere is nothing to draw with it: %s\n%s", text, none->message, hint);
  return any ? EXIT_OK : EXIT_FAILED;
}
