/* replay rows: rows in order of time. */
#include "../episodes/episode-list.h"
#include "../common/json-values.h"
#include "replay-values.h"
#include "replay-directories.h"
#include "replay.h"
#include "../common/text-table.h"

#include <stdio.h>
#include <string.h>

/* Rows are fetched and printed this many at a time. */
#define CHUNK 4096

static struct
{
  char *keys;
  char *episode;
  gboolean json;
  gboolean read_only;
} options;

static const GOptionEntry entries[] = {
  { "keys", 0, 0, G_OPTION_ARG_STRING, &options.keys,
    "only these keys, such as observation,next/reward", "K,..." },
  { "episode", 0, 0, G_OPTION_ARG_STRING, &options.episode,
    "only the rows of an episode: its number in replay episodes, negative from the end, or best, "
    "worst, longest or shortest",
    "N" },
  { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "print a JSON object on each line", NULL },
  { "read-only", 0, 0, G_OPTION_ARG_NONE, &options.read_only, "change nothing in DIR", NULL },
  { NULL },
};

/* Which member of an ensemble the rows are of. */
static const char *member_place;

/* The end of a range that stands in `text`, if any does. */
static gboolean
parse_end (const char *text, gint64 initial, gint64 *value, GError **error)
{
  *value = initial;
  if (!*text || reel_parse_int64 (text, -G_MAXINT64, G_MAXINT64, value, error))
    return TRUE;
  g_prefix_error (error, "an end of the range ");
  return FALSE;
}

/* As Python reads it: negative counts from the end. */
static gint64
from_start (gint64 end, gint64 n)
{
  return end < 0 ? MAX (end + n, 0) : end;
}

/* Python would give nothing where there are no such rows; somebody who typed them learns of it. The
   members of an ensemble need not have all of them. */
static gboolean
check_range (const char *text, gint64 n, gint64 begin, gint64 end, GError **error)
{
  gboolean reversed = (begin < 0) == (end < 0) && begin > end;

  if (!reversed && (member_place || from_start (begin, n) <= MIN (from_start (end, n), n)))
    return TRUE;
  if (!reversed && from_start (begin, n) > n)
    set_usage_error (error, "the range %s begins after the last row: there are %" G_GINT64_FORMAT,
                     text, n);
  else
    set_usage_error (error,
                     "the range %s ends before it begins: there are %" G_GINT64_FORMAT
                     " rows; write it as FIRST:END",
                     text, n);
  return FALSE;
}

static gboolean
parse_row (const char *text, gint64 n, gint64 *begin, gint64 *end, GError **error)
{
  if (!parse_end (text, 0, begin, error))
    return FALSE;
  if (*begin >= -n && *begin < n)
    *end = (*begin = from_start (*begin, n)) + 1;
  else if (member_place)
    *begin = *end = 0;
  else
    {
      set_usage_error (error, "there is no row %s: there are %" G_GINT64_FORMAT, text, n);
      return FALSE;
    }
  return TRUE;
}

/* `10:20`, `10:`, `:20`, `-5:`, `10` or nothing. */
static gboolean
parse_range (const char *text, gint64 n, gint64 *begin, gint64 *end, GError **error)
{
  *begin = 0;
  *end = n;
  if (!text)
    return TRUE;
  g_auto (GStrv) ends = g_strsplit (text, ":", 3);
  if (g_strv_length (ends) == 1)
    return parse_row (text, n, begin, end, error);
  if (g_strv_length (ends) != 2)
    {
      set_usage_error (error, "\"%s\" is not a range; write it as 10:20", text);
      return FALSE;
    }
  if (!parse_end (ends[0], 0, begin, error) || !parse_end (ends[1], G_MAXINT64, end, error)
      || !check_range (text, n, *begin, *end, error))
    return FALSE;
  *begin = from_start (*begin, n);
  *end = MIN (from_start (*end, n), n);
  return TRUE;
}

/* The columns to show, in the order asked for. */
static GArray *
choose_columns (ReelStorage *storage, GError **error)
{
  g_autoptr (GArray) chosen = g_array_new (FALSE, FALSE, sizeof (gint));
  guint n;

  reel_storage_get_columns (storage, &n);
  if (!options.keys)
    for (gint i = 0; i < (gint) n; i++)
      g_array_append_val (chosen, i);

  g_auto (GStrv) keys = g_strsplit (options.keys ? options.keys : "", ",", -1);
  for (char **key = keys; *key; key++)
    {
      gint i = reel_storage_find_column (storage, g_strstrip (*key), error);
      if (i < 0)
        return NULL;
      g_array_append_val (chosen, i);
    }
  return g_steal_pointer (&chosen);
}

static char *
format_element (ReelDtype dtype, gconstpointer element)
{
  if (dtype == REEL_DTYPE_BOOL)
    return g_strdup (*(const guint8 *) element ? "True" : "False");
  if (reel_dtype_is_float (dtype))
    return g_strdup_printf ("%.6g", reel_dtype_load_double (dtype, element));
  json_t *value = json_from_element (dtype, element);
  char *text = json_dumps (value, JSON_ENCODE_ANY | JSON_COMPACT);
  char *copy = g_strdup (text);
  free (text);
  json_decref (value);
  return copy;
}

/* Some rows, and the place of the first among those that stood there when the program began. The
   next is `stride` further: 1, or the lanes where they are an episode. */
typedef struct
{
  gint64 first;
  gint64 n;
  gint64 stride;
  gint64 row; /* that they are steps of, or -1 */
  ReelTensordict *rows;
} Piece;

static void
piece_clear (Piece *piece)
{
  g_clear_pointer (&piece->rows, reel_tensordict_unref);
}

/* A few elements stand in a cell whole, more as their first and their number. */
static char *
format_cell (const ReelTensor *column, gint64 row)
{
  const guint8 *data = column->data + row * column->strides[0];
  gint64 n = reel_tensor_numel (column) / MAX (column->shape[0], 1);
  gint64 shown = MIN (n, 8);
  gsize size = reel_dtype_size (column->dtype);
  g_autoptr (GString) text = g_string_new (NULL);

  for (gint64 i = 0; i < shown; i++)
    {
      g_autofree char *element = format_element (column->dtype, data + (gsize) i * size);
      g_string_append_printf (text, "%s%s", i ? " " : "", element);
    }
  if (shown < n)
    g_string_append_printf (text, " ... (%" G_GINT64_FORMAT ")", n);
  return g_strdup (text->str);
}

static char **
row_cells (const ReelTensordict *rows, const ReelColumn *columns, const GArray *chosen, gint64 row,
           gint64 number)
{
  GPtrArray *cells = g_ptr_array_new ();

  g_ptr_array_add (cells, g_strdup_printf ("%" G_GINT64_FORMAT, number));
  for (guint i = 0; i < chosen->len; i++)
    {
      const char *path = columns[g_array_index (chosen, gint, i)].path;
      g_ptr_array_add (cells, format_cell (reel_tensordict_get_tensor (rows, path, NULL), row));
    }
  g_ptr_array_add (cells, NULL);
  return (char **) g_ptr_array_free (cells, FALSE);
}

static char **
header_cells (const ReelColumn *columns, const GArray *chosen, gboolean of_row)
{
  GPtrArray *cells = g_ptr_array_new ();

  g_ptr_array_add (cells, g_strdup (of_row ? "step" : "row"));
  for (guint i = 0; i < chosen->len; i++)
    g_ptr_array_add (cells, g_strdup (columns[g_array_index (chosen, gint, i)].path));
  g_ptr_array_add (cells, NULL);
  return (char **) g_ptr_array_free (cells, FALSE);
}

static void
print_table (const Piece *piece, const ReelColumn *columns, const GArray *chosen)
{
  g_autofree char *alignment = g_strnfill (chosen->len + 1, 'l');
  alignment[0] = 'r';
  g_autoptr (TextTable) table = text_table_new (alignment);
  g_autofree char **header = header_cells (columns, chosen, piece->row >= 0);

  text_table_add_row (table, header);
  for (gint64 row = 0; row < piece->n; row++)
    {
      g_autofree char **cells =
          row_cells (piece->rows, columns, chosen, row, piece->first + row * piece->stride);
      text_table_add_row (table, cells);
    }
  g_autofree char *text = text_table_render (table, 0);
  g_print ("%s", text);
}

static void
print_json (const Piece *piece, const ReelColumn *columns, const GArray *chosen)
{
  for (gint64 row = 0; row < piece->n; row++)
    {
      gint64 number = piece->first + row * piece->stride;
      json_t *object =
          json_pack ("{s:I}", "row", (json_int_t) (piece->row < 0 ? number : piece->row));
      if (piece->row >= 0)
        json_object_set_new (object, "step", json_integer (number));
      if (member_place)
        json_object_set_new (object, "buffer", json_string (member_place));
      for (guint i = 0; i < chosen->len; i++)
        {
          const char *path = columns[g_array_index (chosen, gint, i)].path;
          g_autoptr (ReelTensor) cell = reel_tensor_select (
              reel_tensordict_get_tensor (piece->rows, path, NULL), 0, row, NULL);
          json_object_set_new (object, path, json_from_tensor (cell));
        }
      json_print (object);
    }
}

/* n rows from that number on, each `stride` after the one before. */
static ReelTensordict *
read_rows (ReelReplayBuffer *buffer, gint64 number, gint64 n, gint64 stride, GError **error)
{
  g_autoptr (GPtrArray) rows =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensordict_unref);

  if (stride == 1)
    return reel_replay_buffer_get_numbered_rows (buffer, number, n, error);
  for (gint64 i = 0; i < n; i++)
    {
      ReelTensordict *row =
          reel_replay_buffer_get_numbered_rows (buffer, number + i * stride, 1, error);
      if (!row)
        return NULL;
      g_ptr_array_add (rows, row);
    }
  return reel_tensordict_cat ((ReelTensordict *const *) rows->pdata, rows->len, 0, error);
}

/* Which rows of a buffer: [begin, end), where row 0 has the number `base`. */
typedef struct
{
  gint64 base;
  gint64 begin;
  gint64 end;
  gint64 stride;
} Range;

static gint64
count_rows (const Range *range)
{
  return (range->end - range->begin + range->stride - 1) / range->stride;
}

/* Rows that a writer overwrites before they were copied are left out, and counted. */
static gboolean
copy_pieces (ReelReplayBuffer *buffer, Range range, GArray *pieces, gint64 *n_lost, GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);

  while (range.begin < range.end)
    {
      g_autoptr (GError) local = NULL;
      Piece piece = { .first = range.begin,
                      .n = MIN (count_rows (&range), CHUNK),
                      .stride = range.stride,
                      .row = -1 };
      piece.rows = read_rows (buffer, range.base + range.begin, piece.n, range.stride, &local);
      gint64 intact = reel_storage_first_intact_row (storage) - range.base;
      if (piece.rows)
        {
          g_array_append_val (pieces, piece);
          range.begin += piece.n * range.stride;
        }
      else if (intact > range.begin)
        {
          const Range lost = { range.base, range.begin, MIN (intact, range.end), range.stride };
          *n_lost += count_rows (&lost);
          range.begin += count_rows (&lost) * range.stride;
        }
      else
        {
          g_propagate_error (error, g_steal_pointer (&local));
          return FALSE;
        }
    }
  return TRUE;
}

/* While a writer goes on all is copied before the first row is printed, for printing is slower. */
static gboolean
print_range (ReelReplayBuffer *buffer, Range range, const GArray *chosen, GError **error)
{
  g_autoptr (GArray) pieces = g_array_new (FALSE, FALSE, sizeof (Piece));
  ReelRingInfo ring;
  guint n_columns;
  gint64 n_lost = 0;

  if (!reel_replay_buffer_get_ring (buffer, &ring, error))
    return FALSE;
  g_array_set_clear_func (pieces, (GDestroyNotify) piece_clear);
  const ReelColumn *columns =
      reel_storage_get_columns (reel_replay_buffer_get_storage (buffer), &n_columns);
  gint64 step = ring.written ? MAX (range.end - range.begin, 1) : CHUNK * range.stride;
  for (gint64 first = range.begin; first < range.end; first += step)
    {
      const Range part = { range.base, first, MIN (first + step, range.end), range.stride };
      g_array_set_size (pieces, 0);
      if (!copy_pieces (buffer, part, pieces, &n_lost, error))
        return FALSE;
      for (guint i = 0; i < pieces->len; i++)
        (options.json ? print_json : print_table) (&g_array_index (pieces, Piece, i), columns,
                                                   chosen);
    }
  if (n_lost > 0)
    g_printerr ("replay: %" G_GINT64_FORMAT " rows were overwritten before they could be read\n",
                n_lost);
  return TRUE;
}

static int
print_rows (ReelReplayBuffer *buffer, const char *range, GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
  gint64 begin, end;
  ReelStorageView view;

  reel_storage_get_view (storage, &view);
  if (!parse_range (range, view.end_row - view.first_row, &begin, &end, error))
    return EXIT_USAGE;
  if (!reel_storage_get_data (storage) && !options.keys)
    return value_rows_print (buffer, view.first_row, begin, end, options.json, error) ? EXIT_OK
                                                                                      : EXIT_FAILED;
  g_autoptr (GArray) chosen = choose_columns (storage, error);
  if (!chosen)
    return EXIT_USAGE;
  return print_range (buffer, (Range){ view.first_row, begin, end, 1 }, chosen, error)
             ? EXIT_OK
             : EXIT_FAILED;
}

/* ---- one episode ---- */

/* Steps of a row: those of the episode, without the padding. */
static gboolean
print_steps (const BufferEpisodes *of, const Episode *episode, const GArray *chosen, GError **error)
{
  const ReelTrajectory steps = { of->view.first_row + episode->first_row, episode->n_steps };
  gint64 of_row = buffer_episodes_count_steps (of);
  guint n_columns;
  const ReelColumn *columns =
      reel_storage_get_columns (reel_replay_buffer_get_storage (of->buffer), &n_columns);
  Piece piece = { .first = episode->first_row % of_row,
                  .n = episode->n_steps,
                  .stride = 1,
                  .row = episode->first_row / of_row,
                  .rows = buffer_episodes_read (of, &steps, 0, episode->n_steps, error) };

  if (!piece.rows)
    return FALSE;
  if (!options.json)
    g_print ("row %" G_GINT64_FORMAT "\n", piece.row);
  (options.json ? print_json : print_table) (&piece, columns, chosen);
  piece_clear (&piece);
  return TRUE;
}

static int
print_episode (gpointer opened, GError **error)
{
  g_autoptr (GPtrArray) buffers = buffer_episodes_list (opened, error);
  g_autoptr (GArray) list = buffers ? episode_list_new (buffers) : NULL;
  const Episode *episode = list ? episode_list_find (list, options.episode, error) : NULL;

  if (!episode)
    return EXIT_FAILED;
  const BufferEpisodes *of = g_ptr_array_index (buffers, episode->member);
  gint64 stride = of->view.lanes;
  const Range range = { of->view.first_row, episode->first_row,
                        episode->first_row + (episode->n_steps - 1) * stride + 1, stride };
  if (!reel_storage_get_data (reel_replay_buffer_get_storage (of->buffer)))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                   "cannot find episodes: these rows have no columns; use a range of rows");
      return EXIT_FAILED;
    }
  g_autoptr (GArray) chosen = choose_columns (reel_replay_buffer_get_storage (of->buffer), error);
  if (!chosen)
    return EXIT_USAGE;
  member_place = *of->place ? of->place : NULL;
  if (member_place && !options.json)
    g_print ("buffer %s\n", member_place);
  return (of->step_rows ? print_steps (of, episode, chosen, error)
                        : print_range (of->buffer, range, chosen, error))
             ? EXIT_OK
             : EXIT_FAILED;
}

/* The members of an ensemble one after the other, each after its place below `storage`. */
static int
print_any (gpointer opened, const char *place, const char *range, GError **error)
{
  int status = EXIT_OK;

  member_place = *place ? place : NULL;
  if (REEL_IS_REPLAY_BUFFER (opened) && *place && reel_replay_buffer_get_length (opened) == 0)
    return EXIT_OK;
  if (REEL_IS_REPLAY_BUFFER (opened))
    {
      if (*place && !options.json)
        g_print ("buffer %s\n", place);
      return print_rows (opened, range, error);
    }
  for (gint64 i = 0; status == EXIT_OK && i < reel_replay_buffer_ensemble_get_length (opened); i++)
    {
      g_autofree char *below =
          g_strdup_printf ("%s%s%" G_GINT64_FORMAT, place, *place ? "/" : "", i);
      status = print_any (reel_replay_buffer_ensemble_get (opened, i, NULL), below, range, error);
    }
  return status;
}

/* GOption would take `-5:` for options; `--` before it says that it is none. */
int
replay_rows (char ***argv, GError **error)
{
  g_autoptr (GOptionContext) context =
      g_option_context_new ("DIR [FIRST:END] - print rows in order of time");

  g_option_context_set_summary (context, "Row 0 is the oldest, END is not printed. Negative "
                                         "numbers count from the end, and follow a --.");
  if (!options_parse (context, entries, argv, error) || !options_check_words (*argv + 1, 2, error))
    return EXIT_USAGE;
  char **arguments = *argv + 1;
  if (options.keys && !*options.keys)
    {
      set_usage_error (error, "--keys is empty: it must be keys such as observation,next/reward");
      return EXIT_USAGE;
    }
  if (options.episode && arguments[0] && arguments[1])
    {
      set_usage_error (error, "cannot use both --episode and the range %s: choose one",
                       arguments[1]);
      return EXIT_USAGE;
    }
  g_autoptr (GObject) opened = replay_open_any (arguments[0], options.read_only, error);
  if (!opened)
    return EXIT_FAILED;
  return options.episode ? print_episode (opened, error)
                         : print_any (opened, "", arguments[1], error);
}
