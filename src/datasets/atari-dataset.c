/* Atari DQN: what DQN agents saw of 50 Atari games, five runs a game, 50 checkpoints of a million
 * rows a run. Each array of a checkpoint is a `.npy` file under gzip. The result is what TorchRL's
 * AtariDQNExperienceReplay gives of all rows; where that is wrong,
 * docs/differences-from-torchrl.md says so. */
#include "dataset.h"
#include "raw-arrays.h"
#include "source-files.h"

#include "../core/formats/npy.h"
#include "../core/object/error.h"
#include "../core/system/directories.h"
#include "../core/system/parallel.h"

#include <string.h>

#define PREFIX "$store$_"
#define MIDDLE "_ckpt."
#define SUFFIX ".gz"
#define RUNS 5
#define MOST_DIGITS 9
#define MOST_THREADS 16 /* each has some megabytes of rows */

struct _ReelAtariDataset
{
  ReelDataset parent_instance;
  gint64 max_runs;
};

G_DECLARE_FINAL_TYPE (ReelAtariDataset, reel_atari_dataset, REEL, ATARI_DATASET, ReelDataset)
G_DEFINE_FINAL_TYPE (ReelAtariDataset, reel_atari_dataset, REEL_TYPE_DATASET)

static const char *const games[] = {
  "AirRaid",        "Alien",          "Amidar",       "Assault",      "Asterix",
  "Asteroids",      "Atlantis",       "BankHeist",    "BattleZone",   "BeamRider",
  "Berzerk",        "Bowling",        "Boxing",       "Breakout",     "Carnival",
  "Centipede",      "ChopperCommand", "CrazyClimber", "DemonAttack",  "DoubleDunk",
  "ElevatorAction", "Enduro",         "FishingDerby", "Freeway",      "Frostbite",
  "Gopher",         "Gravitar",       "Hero",         "IceHockey",    "Jamesbond",
  "JourneyEscape",  "Kangaroo",       "Krull",        "KungFuMaster", "MontezumaRevenge",
  "MsPacman",       "NameThisGame",   "Phoenix",      "Pitfall",      "Pong",
  "Pooyan",         "PrivateEye",     "Qbert",        "Riverraid",    "RoadRunner",
  "Robotank",       "Seaquest",       "Skiing",       "Solaris",      "SpaceInvaders",
};

/* ---- the files of a checkpoint ---- */

enum
{
  OBSERVATION,
  ACTION,
  REWARD,
  TERMINAL,
  N_ARRAYS,
};

static const char *const array_names[N_ARRAYS] = { "observation", "action", "reward", "terminal" };

/* Files that are open behind their headers. */
typedef struct
{
  gint64 number;
  ReelArrayInfo arrays[N_ARRAYS];
  ReelByteStream *streams[N_ARRAYS];
  gint64 at; /* the row of the dataset that its first row becomes */
} Checkpoint;

static void
clear_checkpoint (gpointer data)
{
  Checkpoint *self = data;

  for (gsize i = 0; i < N_ARRAYS; i++)
    {
      g_free (self->arrays[i].name);
      reel_byte_stream_free (self->streams[i]);
    }
}

/* −1 where the name is of another file. */
static gint64
read_number (const char *name)
{
  const char *at = g_str_has_prefix (name, PREFIX) ? strstr (name, MIDDLE) : NULL;
  const char *digits = at ? at + strlen (MIDDLE) : "";
  gsize n = strspn (digits, "0123456789");

  if (n == 0 || n > MOST_DIGITS || !g_str_equal (digits + n, SUFFIX))
    return -1;
  return (gint64) g_ascii_strtoull (digits, NULL, 10);
}

static gboolean
open_array (Checkpoint *self, const char *directory, guint i, GError **error)
{
  g_autofree char *name =
      g_strdup_printf (PREFIX "%s" MIDDLE "%" G_GINT64_FORMAT SUFFIX, array_names[i], self->number);
  g_autofree char *path = g_build_filename (directory, name, NULL);
  g_autoptr (ReelMemory) file = reel_source_map (path, error);

  if (!file)
    return FALSE;
  self->streams[i] = reel_byte_stream_new_gzip (file);
  if (reel_npy_read_header (self->streams[i], &self->arrays[i], NULL, error))
    {
      self->arrays[i].name = g_steal_pointer (&name);
      return TRUE;
    }
  g_prefix_error (error, "%s: ", path);
  return FALSE;
}

static gboolean
check_checkpoint (const Checkpoint *self, const Checkpoint *first, GError **error)
{
  const ReelArrayInfo *frames = &self->arrays[OBSERVATION];

  for (guint i = 0; i < N_ARRAYS; i++)
    {
      const ReelArrayInfo *array = &self->arrays[i];

      if (!reel_raw_check_rows (array, frames->ndim ? frames->shape[0] : 0, frames, error)
          || (i >= REWARD && !reel_raw_check_column (array, error))
          || !reel_raw_check_alike (array, &first->arrays[i], error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
add_checkpoint (GArray *checkpoints, const char *directory, gint64 number, GError **error)
{
  const Checkpoint none = { .number = number };
  Checkpoint *self;

  g_array_append_val (checkpoints, none);
  self = &g_array_index (checkpoints, Checkpoint, checkpoints->len - 1);
  for (guint i = 0; i < N_ARRAYS; i++)
    if (!open_array (self, directory, i, error))
      return FALSE;
  if (check_checkpoint (self, &g_array_index (checkpoints, Checkpoint, 0), error))
    return TRUE;
  g_prefix_error (error, "%s: ", directory);
  return FALSE;
}

/* ---- which checkpoints there are ---- */

static int
compare (gconstpointer a, gconstpointer b)
{
  const gint64 *one = a, *other = b;

  return *one < *other ? -1 : *one > *other;
}

/* Ascending, each once. */
static GArray *
find_numbers (const char *directory, gint64 below, GError **error)
{
  g_auto (GStrv) names = reel_directory_list (directory, error);
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (gsize i = 0; names && names[i]; i++)
    {
      gint64 number = read_number (names[i]);

      if (number >= 0 && (below == 0 || number < below))
        g_array_append_val (numbers, number);
    }
  g_array_sort (numbers, compare);
  for (guint i = numbers->len; i-- > 1;)
    if (g_array_index (numbers, gint64, i) == g_array_index (numbers, gint64, i - 1))
      g_array_remove_index (numbers, i);
  if (names && numbers->len > 0)
    return g_steal_pointer (&numbers);
  if (names)
    g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                 "%s: there is no file such as " PREFIX "observation" MIDDLE "0" SUFFIX, directory);
  return NULL;
}

static GArray *
open_checkpoints (const char *directory, gint64 below, GError **error)
{
  g_autoptr (GArray) numbers = find_numbers (directory, below, error);
  g_autoptr (GArray) checkpoints = g_array_new (FALSE, FALSE, sizeof (Checkpoint));

  g_array_set_clear_func (checkpoints, clear_checkpoint);
  for (guint i = 0; numbers && i < numbers->len; i++)
    if (!add_checkpoint (checkpoints, directory, g_array_index (numbers, gint64, i), error))
      return NULL;
  return numbers ? g_steal_pointer (&checkpoints) : NULL;
}

/* Gives each its rows, and the number of all, −1 where there are none. */
static gint64
place_checkpoints (GArray *checkpoints, const char *directory, GError **error)
{
  gint64 n = 0;

  for (guint i = 0; i < checkpoints->len; i++)
    {
      Checkpoint *checkpoint = &g_array_index (checkpoints, Checkpoint, i);

      checkpoint->at = n;
      n += checkpoint->arrays[OBSERVATION].shape[0];
    }
  if (n > 0)
    return n;
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "%s: its checkpoints have no rows",
               directory);
  return -1;
}

/* ---- leaves ---- */

static gboolean
add_leaf (ReelTensordict *outline, const char *path, gint dtype, const ReelArrayInfo *array,
          GError **error)
{
  return reel_leaves_add (outline, path, (ReelDtype) dtype, array->ndim - 1, array->shape + 1,
                          error);
}

static ReelTensordict *
make_leaves (const Checkpoint *first, gint64 n, const char *directory, GError **error)
{
  static const char *const flags[] = { "next/terminated", "next/truncated", "next/done",
                                       "terminated",      "truncated",      "done" };
  g_autoptr (ReelTensordict) outline = reel_tensordict_new (1, &n);
  const ReelArrayInfo *arrays = first->arrays, *frames = &arrays[OBSERVATION];

  if (!add_leaf (outline, "observation", frames->dtype, frames, error)
      || !add_leaf (outline, "next/observation", frames->dtype, frames, error)
      || !add_leaf (outline, "action", arrays[ACTION].dtype, &arrays[ACTION], error)
      || !add_leaf (outline, "next/reward", arrays[REWARD].dtype, &arrays[REWARD], error))
    return NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (flags); i++)
    if (!add_leaf (outline, flags[i], REEL_DTYPE_BOOL, &arrays[TERMINAL], error))
      return NULL;
  return reel_leaves_make (outline, directory, error);
}

/* ---- rows ---- */

/* The row after the last of a checkpoint is in none: it stays 0. */
static ReelRowSource
route (const Checkpoint *self, guint i, const ReelTensordict *data)
{
  ReelRowSource source = reel_raw_source (&self->arrays[i]);
  const gint64 n = self->arrays[i].shape[0];

  if (i == OBSERVATION)
    {
      reel_row_source_add (&source, data, "observation", 0, n, self->at);
      if (n > 0)
        {
          reel_row_source_add (&source, data, "next/observation", 1, n - 1, self->at);
          /* The frame after an end belongs to the next episode. */
          reel_row_source_leave_out (&source, data, "next/terminated");
        }
    }
  else if (i == TERMINAL)
    {
      reel_row_source_add (&source, data, "next/terminated", 0, n, self->at);
      reel_row_source_add (&source, data, "next/done", 0, n, self->at);
    }
  else
    reel_row_source_add (&source, data, i == ACTION ? "action" : "next/reward", 0, n, self->at);
  return source;
}

static void
take_rows (gpointer data, gint64 first, gint64 n, const guint8 *rows)
{
  reel_row_source_take (data, first, n, rows);
}

/* The arrays first to last - 1 of each checkpoint. */
typedef struct
{
  const GArray *checkpoints;
  const char *directory;
  const ReelTensordict *data;
  gint64 first;
  gint64 last;
} Reading;

static gboolean
read_array (gpointer data, gint64 item, GError **error)
{
  const Reading *reading = data;
  const gint64 n = reading->last - reading->first;
  const Checkpoint *checkpoint = &g_array_index (reading->checkpoints, Checkpoint, item / n);
  const guint i = (guint) (reading->first + item % n);
  ReelRowSource source = route (checkpoint, i, reading->data);

  if (reel_npy_read_rows (checkpoint->streams[i], &checkpoint->arrays[i], take_rows, &source,
                          error))
    return TRUE;
  g_prefix_error (error, "%s/%s: ", reading->directory, checkpoint->arrays[i].name);
  return FALSE;
}

static gboolean
read_arrays (Reading *reading, gint64 first, gint64 last, GError **error)
{
  reading->first = first;
  reading->last = last;
  return reel_parallel_run (MOST_THREADS, (gint64) reading->checkpoints->len * (last - first),
                            read_array, reading, error);
}

/* The ends first: frames are copied by them. */
static gboolean
read_all (const GArray *checkpoints, const char *directory, const ReelTensordict *data,
          GError **error)
{
  Reading reading = { checkpoints, directory, data, 0, 0 };

  return read_arrays (&reading, ACTION, N_ARRAYS, error)
         && read_arrays (&reading, OBSERVATION, ACTION, error);
}

/* ---- the class ---- */

/* A mirror may begin at any directory of the publisher's. */
static char *
find_directory (const char *from, const char *id, GError **error)
{
  g_autofree char *whole = g_strconcat ("atari-replay-datasets/dqn/", id, "/replay_logs", NULL);
  const char *bucket = strchr (whole, '/') + 1, *set = strchr (bucket, '/') + 1;

  return reel_source_find (from, (const char *[]){ whole, bucket, set, id, NULL }, error);
}

static gboolean
import (ReelDataset *dataset, const char *from, const char *directory, GError **error)
{
  gint64 below = REEL_ATARI_DATASET (dataset)->max_runs;
  g_autofree char *raw = find_directory (from, reel_dataset_get_dataset_id (dataset), error);
  g_autoptr (GArray) checkpoints = raw ? open_checkpoints (raw, below, error) : NULL;
  gint64 n = checkpoints ? place_checkpoints (checkpoints, raw, error) : -1;
  g_autoptr (ReelTensordict) data =
      n < 0 ? NULL : make_leaves (&g_array_index (checkpoints, Checkpoint, 0), n, directory, error);

  return data && read_all (checkpoints, raw, data, error);
}

static char **
list (const char *from, GError **error)
{
  g_autoptr (GStrvBuilder) ids = g_strv_builder_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (games); i++)
    for (gint run = 1; run <= RUNS; run++)
      {
        g_autofree char *id = g_strdup_printf ("%s/%d", games[i], run);

        g_strv_builder_add (ids, id);
      }
  return g_strv_builder_end (ids);
}

static void
reel_atari_dataset_class_init (ReelAtariDatasetClass *klass)
{
  static const ReelId ids[] = {
    { "atari", NULL, "Atari DQN: 50 games as five DQN agents each saw them (NumPy, gzip)" },
    { "atari_dqn", NULL, "Atari DQN, by TorchRL's other prefix" },
    { "AtariDQNExperienceReplay", NULL, "Atari DQN, by TorchRL's name" },
    { NULL },
  };
  ReelDatasetClass *dataset_class = REEL_DATASET_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  dataset_class->folder = "atari";
  dataset_class->list = list;
  dataset_class->import = import;
  reel_object_class_add_int64 (REEL_OBJECT_CLASS (klass), "max-runs",
                               G_STRUCT_OFFSET (ReelAtariDataset, max_runs), 0, G_MAXINT64, 0,
                               "checkpoints", "only checkpoints of numbers below it, 0 for all",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
reel_atari_dataset_init (ReelAtariDataset *self)
{
}
