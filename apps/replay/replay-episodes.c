/* replay episodes: the episodes of a directory, one a line. */
#include "../episodes/episode-list.h"
#include "../common/json-values.h"
#include "replay-directories.h"
#include "replay.h"
#include "../common/text-table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct
{
  char *sort;
  char *best;
  char *worst;
  gboolean reverse;
  gboolean json;
  gboolean read_only;
} options;

static const GOptionEntry entries[] = {
  { "sort", 0, 0, G_OPTION_ARG_STRING, &options.sort,
    "sort by end, lane, length or return, the least first (end)", "KEY" },
  { "reverse", 0, 0, G_OPTION_ARG_NONE, &options.reverse, "reverse the order", NULL },
  { "best", 0, 0, G_OPTION_ARG_STRING, &options.best,
    "only the N whole episodes with the highest return, the best first", "N" },
  { "worst", 0, 0, G_OPTION_ARG_STRING, &options.worst,
    "only the N whole episodes with the lowest return, the worst first", "N" },
  { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "print a JSON object on each line", NULL },
  { "read-only", 0, 0, G_OPTION_ARG_NONE, &options.read_only, "change nothing in DIR", NULL },
  { NULL },
};

/* ---- order ---- */

static double
get_end (const Episode *episode)
{
  return (double) episode->number;
}

static double
get_lane (const Episode *episode)
{
  return (double) episode->lane;
}

static double
get_length (const Episode *episode)
{
  return (double) episode->n_steps;
}

static double
get_return (const Episode *episode)
{
  return episode->reward_sum;
}

typedef struct
{
  const char *name;
  double (*get) (const Episode *episode);
} Key;

static const Key keys[] = {
  { "end", get_end }, { "lane", get_lane }, { "length", get_length }, { "return", get_return }
};

static const Key *
find_key (const char *name, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    if (strcmp (keys[i].name, name) == 0)
      return &keys[i];
  set_usage_error (error, "--sort cannot be \"%s\": it must be end, lane, length or return", name);
  return NULL;
}

typedef struct
{
  const Key *key;
  int sign;
} Order;

/* Unknown values come last either way, and equal ones in the order of their ends. */
static int
compare (gconstpointer a, gconstpointer b, gpointer data)
{
  const Order *order = data;
  double x = order->key->get (a), y = order->key->get (b);

  if (isnan (x) || isnan (y))
    return isnan (x) - isnan (y);
  if (x != y)
    return x < y ? -order->sign : order->sign;
  return ((const Episode *) a)->number < ((const Episode *) b)->number ? -1 : 1;
}

/* Leaves the whole episodes with a known return. */
static void
keep_whole (GArray *list)
{
  guint n = 0;

  for (guint i = 0; i < list->len; i++)
    {
      Episode *episode = &g_array_index (list, Episode, i);
      if (episode->whole && !isnan (episode->reward_sum))
        g_array_index (list, Episode, n++) = *episode;
    }
  g_array_set_size (list, n);
}

/* The options. */
typedef struct
{
  Order order;
  gint64 most; /* whole episodes; 0 for all of any kind */
} Request;

static gboolean
parse_request (Request *request, GError **error)
{
  gint64 best, worst;

  if (!!options.sort + !!options.best + !!options.worst > 1)
    {
      set_usage_error (error, "cannot combine --sort, --best and --worst: choose one");
      return FALSE;
    }
  if (options.reverse && (options.best || options.worst))
    {
      set_usage_error (error, "--reverse is for --sort; use --%s", options.best ? "worst" : "best");
      return FALSE;
    }
  request->order.key = find_key (options.best || options.worst ? "return"
                                 : options.sort                ? options.sort
                                                               : "end",
                                 error);
  request->order.sign = options.reverse || options.best ? -1 : 1;
  if (!request->order.key
      || !options_parse_number ("best", options.best, 1, G_MAXINT64, 0, &best, error)
      || !options_parse_number ("worst", options.worst, 1, G_MAXINT64, 0, &worst, error))
    return FALSE;
  request->most = MAX (best, worst);
  return TRUE;
}

static void
put_in_order (GArray *list, const Request *request)
{
  Order order = request->order;

  if (request->most > 0)
    keep_whole (list);
  g_array_sort_with_data (list, compare, &order);
  if (request->most > 0 && request->most < list->len)
    g_array_set_size (list, (guint) request->most);
}

/* ---- output ---- */

static const char *
place_of (const GPtrArray *buffers, const Episode *episode)
{
  return ((const BufferEpisodes *) g_ptr_array_index (buffers, episode->member))->place;
}

/* Of a row. */
static gint64
count_steps (const GPtrArray *buffers, const Episode *episode)
{
  return buffer_episodes_count_steps (g_ptr_array_index (buffers, episode->member));
}

/* Where it begins: in rows of several steps maybe in their midst. */
static char *
begin_text (const GPtrArray *buffers, const Episode *episode)
{
  gint64 n = count_steps (buffers, episode), row = episode->first_row / n;

  if (episode->first_row % n == 0)
    return g_strdup_printf ("%" G_GINT64_FORMAT, row);
  return g_strdup_printf ("%" G_GINT64_FORMAT " step %" G_GINT64_FORMAT, row,
                          episode->first_row % n);
}

static void
print_json (const GPtrArray *buffers, const GArray *list)
{
  for (guint i = 0; i < list->len && !ferror (stdout); i++)
    {
      const Episode *episode = &g_array_index (list, Episode, i);
      const char *place = place_of (buffers, episode);
      gint64 n = count_steps (buffers, episode);
      json_t *object = json_pack ("{s:I}", "episode", (json_int_t) episode->number);

      if (*place)
        json_object_set_new (object, "buffer", json_string (place));
      json_object_set_new (object, "lane", json_integer (episode->lane));
      json_object_set_new (object, "first_row", json_integer (episode->first_row / n));
      if (n > 1)
        json_object_set_new (object, "first_step", json_integer (episode->first_row % n));
      json_object_set_new (object, "length", json_integer (episode->n_steps));
      json_object_set_new (object, "return",
                           isnan (episode->reward_sum) ? json_null ()
                                                       : json_from_double (episode->reward_sum));
      json_object_set_new (object, "end", json_string_or_null (episode->end));
      json_object_set_new (object, "whole", json_boolean (episode->whole));
      if (episode->is_piece)
        json_object_set_new (object, "piece", json_true ());
      json_print (object);
    }
}

static char *
end_text (const Episode *episode)
{
  if (episode->goes_on)
    return g_strdup ("a piece, more follows");
  if (!episode->end)
    return g_strdup (episode->is_piece ? "a piece, not ended" : "not ended");
  return g_strconcat (episode->end, episode->joined.starts ? "" : ", start lost",
                      episode->is_piece ? ", the last piece" : "", NULL);
}

static void
print_table (const GPtrArray *buffers, const GArray *list)
{
  gboolean several = buffers->len > 1;
  g_autoptr (TextTable) table = text_table_new ("rlrrrrl");

  text_table_add (table, g_strdup ("episode"), g_strdup (several ? "buffer" : ""),
                  g_strdup ("lane"), g_strdup ("first row"), g_strdup ("length"),
                  g_strdup ("return"), g_strdup ("end"));
  for (guint i = 0; i < list->len; i++)
    {
      const Episode *episode = &g_array_index (list, Episode, i);
      text_table_add (table, g_strdup_printf ("%" G_GINT64_FORMAT, episode->number),
                      g_strdup (place_of (buffers, episode)),
                      g_strdup_printf ("%" G_GINT64_FORMAT, episode->lane),
                      begin_text (buffers, episode),
                      g_strdup_printf ("%" G_GINT64_FORMAT, episode->n_steps),
                      isnan (episode->reward_sum) ? g_strdup ("-")
                                                  : g_strdup_printf ("%.6g", episode->reward_sum),
                      end_text (episode));
    }
  g_autofree char *text = text_table_render (table, 0);
  g_print ("%s", text);
}

int
replay_episodes (char ***argv, GError **error)
{
  g_autoptr (GOptionContext) context = g_option_context_new ("DIR - list the episodes");
  Request request;

  g_option_context_set_summary (
      context, "Episodes are numbered in the order of their ends, unfinished ones last. "
               "--episode of replay rows and of render takes these numbers.");
  if (!options_parse (context, entries, argv, error) || !options_check_words (*argv + 1, 1, error)
      || !parse_request (&request, error))
    return EXIT_USAGE;
  g_autoptr (GObject) opened = replay_open_any ((*argv)[1], options.read_only, error);
  g_autoptr (GPtrArray) buffers = opened ? buffer_episodes_list (opened, error) : NULL;
  if (!buffers)
    return EXIT_FAILED;
  g_autoptr (GArray) list = episode_list_new (buffers);
  put_in_order (list, &request);
  (options.json ? print_json : print_table) (buffers, list);
  return EXIT_OK;
}
