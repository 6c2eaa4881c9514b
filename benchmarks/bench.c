#include "bench.h"

#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define ROUND_SECONDS 0.03
#define ROUNDS 11
#define TRIES 3
#define FOREIGN_MAX 0.10
#define WAIT_SECONDS 20

struct _Bench
{
  FILE *file;
  gboolean tiny;
  const char *only; /* part of the names of figures to measure */
  const char *isa;
  const char *title;
  gint n_below;
};

/* A set of rounds: what each gave, in the figure's unit, and how much of the machine others had. */
typedef struct
{
  GArray *ours;
  GArray *limit;
  double foreign;
  double stolen;
} Rounds;

double
bench_clock (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (double) now.tv_sec + (double) now.tv_nsec * 1e-9;
}

void
bench_demand (gboolean done, GError *error)
{
  if (done)
    return;
  fprintf (stderr, "%s: %s\n", g_get_prgname (), error ? error->message : "failed");
  exit (1);
}

gpointer
bench_map_pages (gsize size)
{
  gpointer data = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  bench_demand (data != MAP_FAILED, NULL);
  madvise (data, size, MADV_HUGEPAGE);
  memset (data, 0, size);
  return data;
}

Bench *
bench_open (const char *title, int argc, char **argv)
{
  Bench *self = g_new0 (Bench, 1);
  g_autofree char *machine = machine_name ();

  g_set_prgname (argv[0]);
  self->tiny = argc > 1 && strcmp (argv[1], "--tiny") == 0;
  self->only = argc == 3 && !self->tiny ? argv[1] : "";
  if (argc < 2 || argc > 3)
    {
      fprintf (stderr, "usage: %s [--tiny | PART OF A NAME] FILE\n", argv[0]);
      exit (2);
    }
  self->file = fopen (argv[argc - 1], "a");
  if (self->file == NULL)
    {
      perror (argv[argc - 1]);
      exit (1);
    }
  self->isa = machine_isa ();
  self->title = title;
  printf ("\n%s (%s)\n%-68s  %9s %17s %9s %7s %6s %6s\n", title, machine, "", "median", "min-max",
          "limit", "ratio", "floor", "goal");
  return self;
}

int
bench_close (Bench *self)
{
  if (self->n_below > 0)
    printf ("%d below the floor\n", self->n_below);
  if (fclose (self->file) != 0)
    {
      perror ("writing the figures");
      exit (1);
    }
  g_free (self);
  return 0;
}

gboolean
bench_is_tiny (const Bench *self)
{
  return self->tiny;
}

/* ---- what is printed ---- */

/* A number or null, as JSON has it; as a table has it, with @width. */
static void
format_value (char text[32], double value, int width)
{
  double size = fabs (value);

  if (width == 0)
    g_snprintf (text, 32, isnan (value) ? "null" : "%.6g", value);
  else if (isnan (value))
    g_snprintf (text, 32, "%*s", width, "");
  else
    g_snprintf (text, 32, "%*.*f", width, size < 10 ? 2 : size < 1000 ? 1 : 0, value);
}

static void
write_json (Bench *self, const BenchFigure *figure, const double values[7], gboolean noisy)
{
  static const char *const keys[] = { "median", "min", "max", "limit", "ratio", "floor", "goal" };
  char text[32];

  fprintf (self->file, "{\"group\": \"%s\", \"name\": \"%s\", \"isa\": \"%s\", \"unit\": \"%s\"",
           self->title, figure->name, self->isa, figure->unit);
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      format_value (text, values[i], 0);
      fprintf (self->file, ", \"%s\": %s", keys[i], text);
    }
  fprintf (self->file, ", \"noisy\": %s}\n", noisy ? "true" : "false");
  fflush (self->file);
}

static const char *
judge (Bench *self, const BenchFigure *figure, double ratio)
{
  if (isnan (figure->floor))
    return "";
  if (ratio >= figure->goal)
    return "goal";
  if (ratio >= figure->floor)
    return "ok";
  self->n_below++;
  return "below floor";
}

static void
print_row (Bench *self, const BenchFigure *figure, const double values[7], gboolean noisy)
{
  static const int widths[] = { 9, 1, 1, 9, 7, 6, 6 };
  char text[7][32], label[80], range[64];

  for (guint i = 0; i < G_N_ELEMENTS (widths); i++)
    format_value (text[i], values[i], widths[i]);
  g_snprintf (label, sizeof label, "%s, %s", figure->name, figure->unit);
  g_snprintf (range, sizeof range, "%s-%s", text[1], text[2]);
  printf ("%-68s %s%s %17s %s %s %s %s  %s\n", label, noisy ? "~" : " ", text[0], range, text[3],
          text[4], text[5], text[6], judge (self, figure, values[4]));
  fflush (stdout);
}

static int
compare (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static double
sort_median (double *values, guint n)
{
  qsort (values, n, sizeof *values, compare);
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static void
put (Bench *self, const BenchFigure *figure, double *values, guint n, double limit, gboolean noisy)
{
  double median = sort_median (values, n);
  double ratio = figure->is_time ? limit / median : median / limit;
  const double all[] = {
    median, values[0], values[n - 1], limit, ratio, figure->floor, figure->goal
  };

  print_row (self, figure, all, noisy);
  write_json (self, figure, all, noisy);
}

void
bench_report (Bench *self, const BenchFigure *figure, double *values, gint n, double limit)
{
  put (self, figure, values, (guint) n, limit, FALSE);
}

/* ---- measuring ---- */

static double
faster (double a, double b)
{
  return MIN (a, b);
}

/* Units that take about as long as a round should, found by doubling. The faster of two tries
 * counts: the first ever may be slow. */
static gint64
calibrate (const Bench *self, const BenchFigure *figure, BenchFunc func, gpointer data)
{
  gint64 n = MAX (figure->units, 1);
  double seconds;

  if (figure->units > 0 || self->tiny)
    return n;
  while ((seconds = faster (func (data, n), func (data, n))) < ROUND_SECONDS / 4)
    n *= 2;
  return MAX ((gint64) ((double) n * ROUND_SECONDS / seconds), 1);
}

static double
value_of (const BenchFigure *figure, double seconds, gint64 n)
{
  return figure->is_time ? seconds / (double) n * figure->scale
                         : (double) n / seconds / figure->scale;
}

static void
run_rounds (const BenchFigure *figure, gint n_rounds, gint64 n_ours, gint64 n_limit, Rounds *rounds)
{
  MachineUse from, to;

  g_array_set_size (rounds->ours, 0);
  g_array_set_size (rounds->limit, 0);
  machine_use (&from);
  for (gint i = 0; i < n_rounds; i++)
    {
      double limit = value_of (figure, figure->limit (figure->limit_data, n_limit), n_limit);
      double ours = value_of (figure, figure->ours (figure->data, n_ours), n_ours);
      g_array_append_val (rounds->limit, limit);
      g_array_append_val (rounds->ours, ours);
    }
  machine_use (&to);
  rounds->foreign = machine_foreign (&from, &to);
  rounds->stolen = machine_stolen (&from, &to);
}

static Rounds
rounds_new (void)
{
  return (Rounds){ g_array_new (FALSE, FALSE, sizeof (double)),
                   g_array_new (FALSE, FALSE, sizeof (double)), 2, 0 };
}

static void
rounds_clear (Rounds *rounds)
{
  g_array_unref (rounds->ours);
  g_array_unref (rounds->limit);
}

static gboolean
is_noisy (const Rounds *rounds)
{
  return rounds->foreign + rounds->stolen > FOREIGN_MAX;
}

static void
run_sets (Bench *self, const BenchFigure *figure, Rounds *best)
{
  gint n_rounds = self->tiny ? 1 : figure->rounds > 0 ? figure->rounds : ROUNDS;
  Rounds rounds = rounds_new ();

  if (!self->tiny)
    machine_wait (WAIT_SECONDS);
  gint64 n_limit = calibrate (self, figure, figure->limit, figure->limit_data);
  gint64 n_ours = calibrate (self, figure, figure->ours, figure->data);
  for (gint i = 0; i < TRIES && is_noisy (best); i++)
    {
      if (i > 0)
        machine_wait (WAIT_SECONDS);
      run_rounds (figure, n_rounds, n_ours, n_limit, &rounds);
      if (self->tiny)
        rounds.foreign = rounds.stolen = 0;
      if (rounds.foreign + rounds.stolen >= best->foreign + best->stolen)
        continue;
      Rounds worse = *best;
      *best = rounds;
      rounds = worse;
    }
  rounds_clear (&rounds);
}

gboolean
bench_wants (const Bench *self, const char *name)
{
  return strstr (name, self->only) != NULL;
}

void
bench_measure (Bench *self, const BenchFigure *figure)
{
  Rounds best;

  if (!bench_wants (self, figure->name))
    return;
  best = rounds_new ();
  run_sets (self, figure, &best);
  double limit = sort_median ((double *) best.limit->data, best.limit->len);
  put (self, figure, (double *) best.ours->data, best.ours->len, limit, is_noisy (&best));
  if (is_noisy (&best))
    printf ("  ~ others used %.0f %% of the machine, the host took %.0f %%\n", best.foreign * 100,
            best.stolen * 100);
  rounds_clear (&best);
}

void
bench_measure_us (Bench *self, const char *name, double floor, double goal, BenchFunc ours,
                  gpointer data, BenchFunc limit, gpointer limit_data)
{
  bench_measure (self, &(BenchFigure){
                           .name = name,
                           .unit = "us",
                           .scale = 1e6,
                           .is_time = TRUE,
                           .floor = floor,
                           .goal = goal,
                           .ours = ours,
                           .data = data,
                           .limit = limit,
                           .limit_data = limit_data,
                       });
}
