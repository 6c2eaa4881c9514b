/* Raw files of datasets on an HTTP server: how they are fetched, and servers that misbehave. */
#include "../src/core/system/directories.h"
#include "golden-datasets.h"
#include "http-server.h"
#include "scratch.h"

#include <string.h>

/* ---- imports ---- */

static char *
make_url (const char *word, const char *below)
{
  return g_strdup_printf ("http://127.0.0.1:%u/%s/%s", http_server_get_port (), word, below);
}

static ReelDataset *
import (const char *text, const char *url, GError **error)
{
  g_autofree char *root = scratch_path ("root");

  return reel_object_new_from_text (REEL_TYPE_DATASET, text, error, "from", url, "root", root,
                                    NULL);
}

static gint64
count_rows (ReelDataset *dataset)
{
  return reel_replay_buffer_get_length (reel_dataset_get_buffer (dataset));
}

static void
unpack (void)
{
  g_autoptr (json_t) npz = golden_dataset_open ("npz");
  g_autoptr (json_t) openx = golden_dataset_open ("openx");
}

/* Nothing is fetched a second time, unless it is forced. */
static void
test_files_are_fetched_once (void)
{
  g_autofree char *url = make_url ("good", "npz/packed");
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelDataset) first = NULL, second = NULL, third = NULL;

  unpack ();
  first = import ("npz:mine", url, &error);
  g_assert_no_error (error);
  g_assert_cmpint (count_rows (first), ==, 7);
  g_assert_true (reel_dataset_delete (first, NULL));
  const gint n = g_atomic_int_get (&http_server_n_requests);
  second = import ("npz:mine", url, &error);
  g_assert_no_error (error);
  g_assert_cmpint (g_atomic_int_get (&http_server_n_requests), ==, n);
  third = import ("npz:mine,download=force", url, &error);
  g_assert_no_error (error);
  g_assert_cmpint (g_atomic_int_get (&http_server_n_requests), >, n);
}

/* All files of a directory, and of those below it. */
static void
test_directories_are_fetched_as_a_whole (void)
{
  g_autofree char *archives = make_url ("good", "openx/cmu_stretch");
  g_autofree char *records = make_url ("good", "openx/tfrecord");
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelDataset) dataset = NULL, other = NULL;

  unpack ();
  dataset = import ("openx:cmu_stretch", archives, &error);
  g_assert_no_error (error);
  g_assert_cmpint (count_rows (dataset), ==, 12);
  other = import ("openx:cmu_stretch,download=force", records, &error);
  g_assert_no_error (error);
  g_assert_cmpint (count_rows (other), ==, 12);
}

/* A connection that breaks is opened again, from where it broke where the server has ranges. */
static void
test_broken_downloads_are_resumed (void)
{
  g_autofree char *once = make_url ("cut-once", "npz/packed");
  g_autofree char *whole = make_url ("no-ranges", "npz/packed");
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelDataset) dataset = NULL, other = NULL;

  unpack ();
  g_atomic_int_set (&http_server_n_ranges, 0);
  dataset = import ("npz:mine", once, &error);
  g_assert_no_error (error);
  g_assert_cmpint (g_atomic_int_get (&http_server_n_ranges), ==, 1);
  g_assert_true (reel_dataset_delete (dataset, NULL));
  other = import ("npz:mine", whole, &error);
  g_assert_no_error (error);
  g_assert_cmpint (count_rows (other), ==, 7);
}

/* A server that fails twice, a connection that is reset, a file that changes in the middle, and one
 * whose bytes are others at first. */
static void
test_failures_of_a_moment_are_repeated (void)
{
  static const struct
  {
    const char *word;
    gint n_failures, n_requests, n_ranges;
  } cases[] = {
    { "busy", 2, 3, 0 },     { "reset", 0, 2, 1 },    { "changed", 0, 2, 1 },
    { "sum-once", 1, 2, 0 }, { "sum-good", 0, 1, 0 },
  };

  unpack ();
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *url = make_url (cases[i].word, "npz/packed");
      g_autoptr (GError) error = NULL;
      g_autoptr (ReelDataset) dataset = NULL;

      g_atomic_int_set (&http_server_n_failures, cases[i].n_failures);
      g_atomic_int_set (&http_server_n_requests, 0);
      g_atomic_int_set (&http_server_n_ranges, 0);
      dataset = import ("npz:mine", url, &error);
      g_test_message ("%s", cases[i].word);
      g_assert_no_error (error);
      g_assert_cmpint (g_atomic_int_get (&http_server_n_requests), ==, cases[i].n_requests);
      g_assert_cmpint (g_atomic_int_get (&http_server_n_ranges), ==, cases[i].n_ranges);
      g_assert_cmpint (count_rows (dataset), ==, 7);
      g_assert_true (reel_dataset_delete (dataset, NULL));
    }
}

/* The part of an earlier call is gone on with; a server without ranges begins again. */
static void
test_later_calls_go_on (void)
{
  g_autofree char *cut = make_url ("cut", "npz/packed"), *name = NULL, *cache = NULL, *part = NULL;
  g_autofree char *tag = NULL, *file = scratch_path ("npz/packed/mine.npz"), *bytes = NULL;
  g_autofree char *all = NULL, *good = make_url ("good", "npz/packed"), *good_name = NULL,
                  *good_part = NULL;
  g_autofree char *good_tag = NULL;
  g_autoptr (GError) failure = NULL, error = NULL;
  g_autoptr (ReelDataset) dataset = NULL;
  gsize length, n;

  unpack ();
  g_assert_null (import ("npz:mine", cut, &failure));
  name = g_uri_escape_string (cut, NULL, TRUE);
  cache = g_build_filename (g_get_user_cache_dir (), "reel", "sources", NULL);
  part = g_build_filename (cache, name, "mine.npz.part", NULL);
  tag = g_build_filename (cache, name, "mine.npz.part.tag", NULL);
  g_assert_true (g_file_get_contents (part, &bytes, &n, NULL));
  g_assert_true (g_file_get_contents (file, &all, &length, NULL));
  g_assert_cmpuint (n, >, length / 2);
  g_assert_cmpuint (n, <, length);
  /* As if the other server had been left in the middle. */
  good_name = g_uri_escape_string (good, NULL, TRUE);
  g_autofree char *good_cache = g_build_filename (cache, good_name, NULL);
  g_assert_true (reel_directory_remove (good_cache, NULL));
  g_assert_cmpint (g_mkdir_with_parents (good_cache, 0777), ==, 0);
  good_part = g_build_filename (good_cache, "mine.npz.part", NULL);
  good_tag = g_build_filename (good_cache, "mine.npz.part.tag", NULL);
  g_assert_cmpint (rename (part, good_part), ==, 0);
  g_assert_cmpint (rename (tag, good_tag), ==, 0);
  g_atomic_int_set (&http_server_n_ranges, 0);
  dataset = import ("npz:mine", good, &error);
  g_assert_no_error (error);
  g_assert_cmpint (g_atomic_int_get (&http_server_n_ranges), ==, 1);
  g_assert_cmpint (count_rows (dataset), ==, 7);
}

/* Every error names the URL, and no dataset is there. */
static void
test_servers_that_misbehave_are_errors (void)
{
  static const struct
  {
    const char *word, *message;
  } cases[] = {
    { "404", "there is no file mine.npz" },
    { "500", "the server answered 500" },
    { "html", "a page of HTML in place of a file" },
    { "loop", "redirects" },
    { "elsewhere", "rotocol" },
    { "stall", "no byte came for 1 seconds" },
    { "silent", "127.0.0.1" },
    { "cut", "the server closed the connection after" },
    { "promises", "the server closed the connection after" },
    { "hides", "mine.npz" },
    { "other-range", "another range" },
    { "sum-other", "the file has the checksum " },
    { "endless", "REEL_HTTP_LIMIT" },
  };
  g_autofree char *root = scratch_path ("root");

  unpack ();
  g_setenv ("REEL_HTTP_LIMIT", "100000", TRUE);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *url = make_url (cases[i].word, "npz/packed");
      g_autoptr (GError) error = NULL;

      if (g_str_equal (cases[i].word, "stall"))
        g_setenv ("REEL_HTTP_TIMEOUT", "1", TRUE);
      g_assert_null (import ("npz:mine", url, &error));
      g_test_message ("%s", error->message);
      g_assert_true (error->domain == REEL_ERROR);
      g_assert_nonnull (strstr (error->message, url));
      g_assert_nonnull (strstr (error->message, cases[i].message));
      if (g_file_test (root, G_FILE_TEST_EXISTS))
        scratch_assert_names (root, "");
      if (i == 0)
        g_assert_null (import ("npz:mine", url, NULL));
      g_unsetenv ("REEL_HTTP_TIMEOUT");
    }
  g_unsetenv ("REEL_HTTP_LIMIT");
}

static void
test_limits_that_cannot_be_read_are_errors (void)
{
  static const char *const cases[][3] = {
    { "REEL_HTTP_TIMEOUT", "abc", "the environment variable REEL_HTTP_TIMEOUT cannot be \"abc\"" },
    { "REEL_HTTP_TIMEOUT", "0", "REEL_HTTP_TIMEOUT cannot be 0: it must be 1 to 86400" },
    { "REEL_HTTP_TIMEOUT", "90000", "REEL_HTTP_TIMEOUT cannot be 90000" },
    { "REEL_HTTP_LIMIT", "-1", "REEL_HTTP_LIMIT cannot be -1" },
    { "REEL_HTTP_LIMIT", "1 GB", "REEL_HTTP_LIMIT cannot be \"1 GB\"" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_setenv (cases[i][0], cases[i][1], TRUE);
      g_assert_null (import ("npz:mine", "http://127.0.0.1:1/limits", &error));
      g_test_message ("%s", error->message);
      g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
      g_assert_nonnull (strstr (error->message, cases[i][2]));
      g_unsetenv (cases[i][0]);
    }
}

/* Bytes with another checksum, or without an end, are removed. */
static void
test_useless_bytes_are_not_kept (void)
{
  static const char *const words[] = { "sum-other", "endless" };

  unpack ();
  g_setenv ("REEL_HTTP_LIMIT", "100000", TRUE);
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    {
      g_autofree char *url = make_url (words[i], "npz/packed"), *part = NULL, *name = NULL;
      g_autofree char *bytes = NULL;
      gsize length;

      g_assert_null (import ("npz:mine", url, NULL));
      name = g_uri_escape_string (url, NULL, TRUE);
      part = g_build_filename (g_get_user_cache_dir (), "reel", "sources", name, "mine.npz.part",
                               NULL);
      g_assert_true (g_file_get_contents (part, &bytes, &length, NULL));
      g_assert_cmpuint (length, ==, 0);
    }
  g_unsetenv ("REEL_HTTP_LIMIT");
}

/* Nobody listens there. */
static void
test_no_server_is_an_error (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (import ("npz:mine", "http://127.0.0.1:1/x", &error));
  g_assert_nonnull (strstr (error->message, "http://127.0.0.1:1/x"));
}

/* The server answers, but does not encrypt. */
static void
test_no_encryption_is_an_error (void)
{
  g_autofree char *url =
      g_strdup_printf ("https://127.0.0.1:%u/good/npz/packed", http_server_get_port ());
  g_autoptr (GError) error = NULL;

  g_assert_null (import ("npz:mine", url, &error));
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, url));
}

/* ---- repositories ---- */

static void
set_hub (const char *word)
{
  g_autofree char *server =
      g_strdup_printf ("http://127.0.0.1:%u/%s", http_server_get_port (), word);

  g_setenv ("HF_ENDPOINT", server, TRUE);
}

/* All files of a directory by a listing of several pages, each with its checksum; a single file by
 * that of the redirect. */
static void
test_repositories_are_sources (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelDataset) archives = NULL, other = NULL, single = NULL;

  unpack ();
  set_hub ("hub");
  archives = import ("openx:cmu_stretch", "hf://openx/cmu_stretch", &error);
  g_assert_no_error (error);
  g_assert_cmpint (count_rows (archives), ==, 12);
  g_assert_true (reel_dataset_delete (archives, NULL));
  other = import ("openx:cmu_stretch", "hf://datasets/openx/tfrecord@main", &error);
  g_assert_no_error (error);
  g_assert_cmpint (count_rows (other), ==, 12);
  single = import ("npz:mine", "hf://npz/packed", &error);
  g_assert_no_error (error);
  g_assert_cmpint (count_rows (single), ==, 7);
}

static void
test_checksums_of_listings_are_compared (void)
{
  g_autoptr (GError) error = NULL;

  unpack ();
  set_hub ("hub-other");
  g_assert_null (import ("openx:cmu_stretch", "hf://openx/cmu_stretch", &error));
  g_test_message ("%s", error->message);
  g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
  g_assert_nonnull (strstr (error->message, "/resolve/main/cmu_stretch/cmu_stretch_0000"));
  g_assert_nonnull (strstr (error->message, "the file has the checksum "));
}

static void
test_listings_in_a_circle_are_errors (void)
{
  g_autoptr (GError) error = NULL;

  unpack ();
  set_hub ("hub-circle");
  g_assert_null (import ("openx:cmu_stretch", "hf://openx/cmu_stretch", &error));
  g_test_message ("%s", error->message);
  g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
  g_assert_nonnull (strstr (error->message, "the pages of the listing lead back to "));
}

static void
test_repositories_that_are_not_there_are_errors (void)
{
  static const struct
  {
    const char *url, *message;
  } cases[] = {
    { "hf://openx/nothing", "there is no file cmu_stretch" },
    { "hf://", "names no repository" },
    { "hf:///x", "names no repository" },
  };

  set_hub ("hub");
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (import ("openx:cmu_stretch", cases[i].url, &error));
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, cases[i].message));
    }
  g_autoptr (GError) error = NULL;
  g_unsetenv ("HF_ENDPOINT");
  g_assert_null (import ("openx:cmu_stretch", "hf://openx/cmu_stretch", &error));
  g_assert_nonnull (strstr (error->message, "HF_ENDPOINT"));
}

/* ---- ids ---- */

static void
assert_ids (const char *name, const char *from, const char *expected)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) ids = reel_dataset_list_available (name, from, &error);
  g_autofree char *joined = ids ? g_strjoinv (" ", ids) : NULL;

  g_assert_no_error (error);
  g_assert_cmpstr (joined, ==, expected);
}

static void
put_file (const char *name, const char *text)
{
  g_autofree char *path = scratch_path (name), *parent = g_path_get_dirname (path);

  g_assert_cmpint (g_mkdir_with_parents (parent, 0777), ==, 0);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

/* Of a directory, of a server's pages and of a repository the same. */
static void
test_known_ids_are_looked_for (void)
{
  g_autofree char *local = scratch_path ("mirror/all"), *url = make_url ("slashes", "mirror/all");

  put_file ("mirror/all/cmu_stretch/x.tar", "");
  put_file ("mirror/all/toto/x.tar", "");
  put_file ("mirror/all/unknown/x.tar", "");
  put_file ("mirror/all/vd4rl/main/walker_walk/expert/64px/x.npz", "");
  put_file ("mirror/all/viola", "a file");
  set_hub ("hub");
  assert_ids ("openx", local, "cmu_stretch toto");
  assert_ids ("openx", url, "cmu_stretch toto");
  assert_ids ("openx", "hf://mirror/all", "cmu_stretch toto");
  assert_ids ("vd4rl", local, "main/walker_walk/expert/64px");
  assert_ids ("vd4rl", url, "main/walker_walk/expert/64px");
  assert_ids ("vd4rl", "hf://mirror/all", "main/walker_walk/expert/64px");
  g_assert_null (reel_dataset_list_available ("openx", "hf://mirror/none", NULL));
}

/* The lists of namespaces, and where there are none the directories. */
static void
test_ids_of_minari_are_listed (void)
{
  g_autofree char *url = make_url ("slashes", "farama");
  g_autoptr (GPtrArray) there = reel_object_list_properties (REEL_TYPE_DATASET, "minari", NULL);

  if (!there)
    {
      g_test_skip ("no HDF5");
      return;
    }
  put_file ("farama/D4RL/namespace_metadata.json",
            "{\"datasets\": [\"D4RL/door/human-v2\", \"D4RL/pen/human-v2\"]}");
  put_file ("farama/D4RL/door/human-v2/data/metadata.json", "{}");
  put_file ("farama/single-v0/data/metadata.json", "{}");
  put_file ("farama/atari/pong/expert-v0/data/metadata.json", "{}");
  put_file ("farama/README.md", "not a repository");
  set_hub ("hub");
  assert_ids ("minari", "hf://farama",
              "D4RL/door/human-v2 D4RL/pen/human-v2 "
              "atari/pong/expert-v0 single-v0");
  assert_ids ("minari", "hf://farama/D4RL", "door/human-v2 pen/human-v2");
  assert_ids ("minari", url, "D4RL/door/human-v2 D4RL/pen/human-v2 atari/pong/expert-v0 single-v0");
}

static void
test_urls_may_come_from_the_environment (void)
{
  g_autofree char *url = make_url ("good", "npz"), *root = scratch_path ("root");
  g_autofree char *from = scratch_path ("npz/packed"), *to = scratch_path ("npz/arrays");
  g_autoptr (GError) error = NULL;

  unpack ();
  g_assert_cmpint (rename (from, to), ==, 0);
  g_setenv ("REEL_DATASETS_URL", url, TRUE);
  g_autoptr (ReelDataset) dataset =
      reel_object_new_from_text (REEL_TYPE_DATASET, "npz:mine", &error, "root", root, NULL);
  g_unsetenv ("REEL_DATASETS_URL");
  g_assert_no_error (error);
  g_assert_cmpint (count_rows (dataset), ==, 7);
}

static gboolean
stop (const char *url, gint64 done, gint64 total, gpointer data)
{
  ++*(gint *) data;
  return FALSE;
}

static void
test_watchers_stop_downloads (void)
{
  g_autofree char *url = make_url ("stall", "npz/watched");
  g_autoptr (GError) error = NULL;
  gint n_calls = 0;

  reel_dataset_watch_downloads (stop, &n_calls);
  g_assert_null (import ("npz:mine", url, &error));
  reel_dataset_watch_downloads (NULL, NULL);
  g_assert_nonnull (strstr (error->message, "interrupted"));
  g_assert_cmpint (n_calls, >, 0);
}

int
main (int argc, char **argv)
{
  g_autofree char *cache = g_dir_make_tmp ("reel-test-XXXXXX", NULL);

  g_setenv ("XDG_CACHE_HOME", cache, TRUE);
  g_setenv ("no_proxy", "*", TRUE);
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();
  http_server_start ();
  scratch_test ("/datasets/http/files-are-fetched-once", test_files_are_fetched_once);
  scratch_test ("/datasets/http/directories-are-fetched-as-a-whole",
                test_directories_are_fetched_as_a_whole);
  scratch_test ("/datasets/http/broken-downloads-are-resumed", test_broken_downloads_are_resumed);
  scratch_test ("/datasets/http/failures-of-a-moment-are-repeated",
                test_failures_of_a_moment_are_repeated);
  scratch_test ("/datasets/http/later-calls-go-on", test_later_calls_go_on);
  scratch_test ("/datasets/http/servers-that-misbehave-are-errors",
                test_servers_that_misbehave_are_errors);
  scratch_test ("/datasets/http/limits-that-cannot-be-read-are-errors",
                test_limits_that_cannot_be_read_are_errors);
  scratch_test ("/datasets/http/useless-bytes-are-not-kept", test_useless_bytes_are_not_kept);
  scratch_test ("/datasets/http/no-server-is-an-error", test_no_server_is_an_error);
  scratch_test ("/datasets/http/no-encryption-is-an-error", test_no_encryption_is_an_error);
  scratch_test ("/datasets/http/repositories-are-sources", test_repositories_are_sources);
  scratch_test ("/datasets/http/listings-in-a-circle-are-errors",
                test_listings_in_a_circle_are_errors);
  scratch_test ("/datasets/http/checksums-of-listings-are-compared",
                test_checksums_of_listings_are_compared);
  scratch_test ("/datasets/http/repositories-that-are-not-there-are-errors",
                test_repositories_that_are_not_there_are_errors);
  scratch_test ("/datasets/http/known-ids-are-looked-for", test_known_ids_are_looked_for);
  scratch_test ("/datasets/http/ids-of-minari-are-listed", test_ids_of_minari_are_listed);
  scratch_test ("/datasets/http/urls-may-come-from-the-environment",
                test_urls_may_come_from_the_environment);
  scratch_test ("/datasets/http/watchers-stop-downloads", test_watchers_stop_downloads);
  int result = g_test_run ();
  http_server_stop ();
  g_assert_true (reel_directory_remove (cache, NULL));
  return result;
}
