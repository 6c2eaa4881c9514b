/* Figures, each measured beside its limit in the same run. */
#pragma once

#include <glib.h>
#include <math.h>

G_BEGIN_DECLS

/**
 * Bench:
 *
 * One run of one benchmark program: where its figures go, and how thorough it is.
 */
typedef struct _Bench Bench;

/**
 * BenchFunc:
 * @data: as the figure gives it
 * @n: units of work to do
 *
 * Does the work and takes the time of it, not of what it has to prepare.
 *
 * Returns: seconds
 */
typedef double (*BenchFunc) (gpointer data, gint64 n);

/**
 * BenchFigure:
 * @name: the row's
 * @unit: of what is printed, such as `Mrows/s`
 * @scale: units of work a second are divided by this; of a figure that is a time, seconds a unit
 *   are multiplied by it
 * @is_time: less is better
 * @units: units of work a round; 0 for as many as take about 30 ms
 * @rounds: rounds; 0 for 11
 * @floor: what the ratio to the limit must reach; NAN where nothing is asked
 * @goal: what it should reach
 * @ours: the work
 * @data: its argument
 * @limit: what it is compared with
 * @limit_data: its argument
 *
 * A measurement. The ratio is of speeds: 1 is as fast as the limit, more is faster.
 */
typedef struct
{
  const char *name;
  const char *unit;
  double scale;
  gboolean is_time;
  gint64 units;
  gint rounds;
  double floor;
  double goal;
  BenchFunc ours;
  gpointer data;
  BenchFunc limit;
  gpointer limit_data;
} BenchFigure;

/**
 * bench_open:
 * @title: what the program's figures are about
 * @argc: of main()
 * @argv: of main(): `[--tiny | PART OF A NAME] FILE`
 *
 * Begins a table. Figures are appended to FILE, one JSON object a line. With `--tiny` each body
 * runs once, for the least work there is, and nothing waits for an idle machine: for tests.
 * With a part of names only the figures are measured that have it in theirs.
 *
 * Returns: (transfer full): the run; bench_close() ends it
 */
Bench *bench_open (const char *title, int argc, char **argv);

/**
 * bench_close:
 * @self: (transfer full): a run
 *
 * Returns: the exit status of the program: 0, whatever the figures were
 */
int bench_close (Bench *self);

/**
 * bench_is_tiny:
 * @self: a run
 *
 * Returns: whether bodies only have to show that they work
 */
gboolean bench_is_tiny (const Bench *self);

/**
 * bench_wants:
 * @self: a run
 * @name: of a figure
 *
 * Returns: whether the figure is to be measured: what takes long to prepare asks before
 */
gboolean bench_wants (const Bench *self, const char *name);

/**
 * bench_measure:
 * @self: a run
 * @figure: what to measure
 *
 * Waits until others leave the machine alone, runs limit and work in turn, round after round,
 * repeats the set where others took more than a tenth of the machine, keeps the calmest, and
 * prints.
 */
void bench_measure (Bench *self, const BenchFigure *figure);

/**
 * bench_measure_us:
 *
 * bench_measure() of a time in microseconds a unit of work; the rest is as in #BenchFigure.
 */
void bench_measure_us (Bench *self, const char *name, double floor, double goal, BenchFunc ours,
                       gpointer data, BenchFunc limit, gpointer limit_data);

/**
 * bench_report:
 * @self: a run
 * @figure: name, unit, floor and goal; a figure that is a time is one of which less is better
 * @values: what was found, at least one
 * @n: how many
 * @limit: what it is compared with
 *
 * Prints a figure that was found otherwise.
 */
void bench_report (Bench *self, const BenchFigure *figure, double *values, gint n, double limit);

/**
 * bench_clock:
 *
 * Returns: seconds since some moment
 */
double bench_clock (void);

/**
 * bench_demand:
 * @done: whether something was done
 * @error: (transfer full) (nullable): why not
 *
 * Ends the program where not.
 */
void bench_demand (gboolean done, GError *error);

/**
 * bench_map_pages:
 * @size: bytes
 *
 * Memory for a limit, as a storage has it.
 *
 * Returns: (transfer full): zeros that were touched, on huge pages where there are such; munmap()
 *   gives them back
 */
gpointer bench_map_pages (gsize size);

G_END_DECLS
