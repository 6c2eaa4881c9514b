#include "http-fetch.h"

#include "config.h"

#include "../core/object/error.h"
#include "../core/object/object.h"
#include "../core/system/files.h"
#include "../core/tensor/mapped-memory.h"

#include <curl/curl.h>
#include <errno.h>
#include <string.h>

#define PART ".part"
#define NEXT "rel=\"next\""
#define TAG ".part.tag" /* what the server called the version of the part */
#define MOST_INDEX ((gsize) 4 << 20)
#define MOST_REDIRECTS 10L
#define MOST_ATTEMPTS 3
#define CONNECT_SECONDS 30L
#define STALL_SECONDS 60 /* unless REEL_HTTP_TIMEOUT says it */
#define MOST_SECONDS 86400
#define MOST_BYTES ((gint64) 1 << 40) /* unless REEL_HTTP_LIMIT says it */
#define PAUSE (G_USEC_PER_SEC / 2)    /* before a server that failed is asked again */
#define MOST_MISMATCHES 2
#define BLOCK ((gsize) 1 << 20)

typedef struct
{
  const char *url, *path;
  const char *expected; /* SHA-256 of the file; NULL */
  char *part, *tag_path;
  CURL *curl;
  gint64 limit;    /* of the bytes of the file */
  gint64 seconds;  /* without a byte */
  int fd;          /* of the part */
  gint64 begin;    /* where the bytes of this answer begin in the file */
  gint64 n_bytes;  /* of the part */
  gint64 n_taken;  /* of this answer */
  char *tag;       /* of this answer */
  char *old_tag;   /* of the part */
  char *sum;       /* SHA-256 of the file, as the server says it; NULL */
  char *next;      /* what follows this answer; NULL */
  gint64 range_at; /* the first byte that the answer says it has; −1 */
  gboolean is_html;
  GString *index;
  GError *fault; /* ours, for which libcurl was told to stop */
} Fetch;

static ReelHttpFunc watcher;
static gpointer watcher_data;

void
reel_http_watch (ReelHttpFunc func, gpointer data)
{
  watcher = func;
  watcher_data = data;
}

static void
clear_fetch (Fetch *self)
{
  if (self->fd >= 0)
    reel_file_close (self->fd, self->part, NULL);
  g_clear_pointer (&self->curl, curl_easy_cleanup);
  g_free (self->part);
  g_free (self->tag_path);
  g_free (self->tag);
  g_free (self->old_tag);
  g_free (self->sum);
  g_free (self->next);
  if (self->index)
    g_string_free (self->index, TRUE);
  g_clear_error (&self->fault);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Fetch, clear_fetch)

static gboolean
fail (Fetch *self, gint code, const char *what)
{
  if (!self->fault)
    g_set_error (&self->fault, REEL_ERROR, code, "%s: %s", self->url, what);
  return FALSE;
}

static long
get_status (const Fetch *self)
{
  long status = 0;

  curl_easy_getinfo (self->curl, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

/* ---- what libcurl calls ---- */

static gboolean
is_header (const char *line, gsize length, const char *name, char **value)
{
  const gsize n = strlen (name);

  if (length <= n || g_ascii_strncasecmp (line, name, n) != 0)
    return FALSE;
  g_free (*value);
  *value = g_strstrip (g_strndup (line + n, length - n));
  return TRUE;
}

/* Files of Git LFS are named by their SHA-256, in quotation marks; others are not. */
static char *
find_sum (const char *tag)
{
  g_autofree char *sum = g_ascii_strdown (*tag == '"' ? tag + 1 : tag, -1);
  const gsize n = strspn (sum, "0123456789abcdef");

  if (n != 64 || (sum[n] && sum[n] != '"'))
    return NULL;
  sum[n] = '\0';
  return g_steal_pointer (&sum);
}

/* The target of `<URL>; rel="next"`, among others or alone. */
static char *
find_next (const char *links, const char *url)
{
  const char *rel = strstr (links, NEXT);
  const char *begin = rel ? g_strrstr_len (links, rel - links, "<") : NULL;
  const char *end = begin ? strchr (begin, '>') : NULL;
  g_autofree char *target =
      end && end < rel ? g_strndup (begin + 1, (gsize) (end - begin - 1)) : NULL;

  return target ? g_uri_resolve_relative (url, target, G_URI_FLAGS_ENCODED, NULL) : NULL;
}

static void
begin_answer (Fetch *self)
{
  g_clear_pointer (&self->tag, g_free);
  g_clear_pointer (&self->next, g_free);
  self->is_html = FALSE;
  self->range_at = -1;
}

static void
replace (char **text, char *by)
{
  g_free (*text);
  *text = by;
}

/* Each answer of a chain of redirects begins with its status; the first may say the checksum. */
static size_t
take_header (char *line, size_t size, size_t n, void *data)
{
  Fetch *self = data;
  const gsize length = size * n;
  g_autofree char *value = NULL;

  if (length > 5 && strncmp (line, "HTTP/", 5) == 0)
    begin_answer (self);
  else if (is_header (line, length, "x-linked-etag:", &value))
    replace (&self->sum, find_sum (value));
  else if (is_header (line, length, "link:", &value) && strstr (value, NEXT))
    replace (&self->next, find_next (value, self->url));
  else if (is_header (line, length, "content-type:", &value))
    self->is_html = g_ascii_strncasecmp (value, "text/html", 9) == 0;
  else if (is_header (line, length, "content-range:", &value))
    self->range_at =
        g_str_has_prefix (value, "bytes ") ? g_ascii_strtoll (value + 6, NULL, 10) : -1;
  else if (is_header (line, length, "etag:", &value) && !g_str_has_prefix (value, "W/"))
    replace (&self->tag, g_steal_pointer (&value));
  else if (!self->tag)
    is_header (line, length, "last-modified:", &self->tag);
  return length;
}

static gboolean
is_directory (const Fetch *self)
{
  const char *url = NULL;

  curl_easy_getinfo (self->curl, CURLINFO_EFFECTIVE_URL, &url);
  return url && g_str_has_suffix (url, "/");
}

/* The first bytes of a file: where they belong, and the version that they are of. */
static gboolean
begin_file (Fetch *self)
{
  const gboolean is_part = get_status (self) == 206;

  if (self->is_html && !is_directory (self))
    return fail (self, REEL_ERROR_RUNTIME,
                 "the server sent a page of HTML in place of a file; is the address right?");
  if (is_part && self->range_at != self->begin)
    return fail (self, REEL_ERROR_RUNTIME, "the server sent another range than was asked for");
  if (!is_part)
    self->begin = self->n_bytes = 0;
  if (self->is_html)
    {
      self->index = g_string_new (NULL);
      return TRUE;
    }
  const char *tag = self->tag ? self->tag : "";
  return reel_file_write_atomic (self->tag_path, tag, strlen (tag), FALSE, &self->fault)
         && (is_part || reel_file_cut (self->fd, self->part, 0, &self->fault));
}

static gboolean
take_index (Fetch *self, const char *bytes, gsize length)
{
  if (self->index->len + length > MOST_INDEX)
    return fail (self, REEL_ERROR_RUNTIME, "the page that lists the directory is too large");
  g_string_append_len (self->index, bytes, (gssize) length);
  return TRUE;
}

/* A body without an end would fill the disk; what came of it is of no use. */
static gboolean
refuse_length (Fetch *self)
{
  g_autofree char *what = g_strdup_printf ("the file has more than %" G_GINT64_FORMAT
                                           " bytes; REEL_HTTP_LIMIT is the most that is fetched",
                                           self->limit);

  self->n_bytes = 0;
  reel_file_cut (self->fd, self->part, 0, NULL);
  return fail (self, REEL_ERROR_RUNTIME, what);
}

static gboolean
take_bytes (Fetch *self, const char *bytes, gsize length)
{
  if (self->n_taken == 0 && !begin_file (self))
    return FALSE;
  self->n_taken += (gint64) length;
  if (self->index)
    return take_index (self, bytes, length);
  if ((gint64) length > self->limit - self->n_bytes)
    return refuse_length (self);
  if (!reel_file_write_at (self->fd, self->part, bytes, length, self->n_bytes, &self->fault))
    return FALSE;
  self->n_bytes += (gint64) length;
  return TRUE;
}

/* The page of an error is of no use. */
static size_t
take_body (char *bytes, size_t size, size_t n, void *data)
{
  Fetch *self = data;
  const long status = get_status (self);

  if (status != 200 && status != 206)
    return size * n;
  return take_bytes (self, bytes, size * n) ? size * n : 0;
}

static int
tell (void *data, curl_off_t total, curl_off_t done, curl_off_t up_total, curl_off_t up)
{
  const Fetch *self = data;

  return watcher
         && !watcher (self->url, self->begin + done, total > 0 ? self->begin + total : 0,
                      watcher_data);
}

/* ---- one request ---- */

static void
set_options (Fetch *self, struct curl_slist **headers)
{
  CURL *curl = self->curl;
  g_autofree char *range = g_strdup_printf ("%" G_GINT64_FORMAT "-", self->begin);
  g_autofree char *condition = g_strconcat ("If-Range: ", self->old_tag, NULL);

  curl_easy_reset (curl);
  curl_easy_setopt (curl, CURLOPT_URL, self->url);
  curl_easy_setopt (curl, CURLOPT_USERAGENT, "reel/" VERSION);
  curl_easy_setopt (curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt (curl, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt (curl, CURLOPT_MAXREDIRS, MOST_REDIRECTS);
  curl_easy_setopt (curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt (curl, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  curl_easy_setopt (curl, CURLOPT_CONNECTTIMEOUT, CONNECT_SECONDS);
  curl_easy_setopt (curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt (curl, CURLOPT_LOW_SPEED_TIME, (long) self->seconds);
  curl_easy_setopt (curl, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt (curl, CURLOPT_HEADERDATA, self);
  curl_easy_setopt (curl, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt (curl, CURLOPT_WRITEDATA, self);
  curl_easy_setopt (curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt (curl, CURLOPT_XFERINFOFUNCTION, tell);
  curl_easy_setopt (curl, CURLOPT_XFERINFODATA, self);
  if (self->begin == 0)
    return;
  *headers = curl_slist_append (NULL, condition);
  curl_easy_setopt (curl, CURLOPT_HTTPHEADER, *headers);
  curl_easy_setopt (curl, CURLOPT_RANGE, range);
}

/* A part whose version is not known is fetched again. */
static CURLcode
request (Fetch *self)
{
  struct curl_slist *headers = NULL;
  CURLcode result;

  self->begin = self->old_tag && *self->old_tag ? self->n_bytes : 0;
  self->n_taken = 0;
  g_clear_pointer (&self->sum, g_free);
  set_options (self, &headers);
  result = curl_easy_perform (self->curl);
  curl_slist_free_all (headers);
  if (self->tag && self->n_taken > 0)
    {
      g_free (self->old_tag);
      self->old_tag = g_strdup (self->tag);
    }
  return result;
}

static void
report (Fetch *self, CURLcode result)
{
  curl_off_t expected = -1;
  g_autofree char *what = NULL;

  curl_easy_getinfo (self->curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &expected);
  if (result == CURLE_OPERATION_TIMEDOUT)
    what = g_strdup_printf ("no byte came for %" G_GINT64_FORMAT " seconds, after %" G_GINT64_FORMAT
                            "; the next call continues",
                            self->seconds, self->n_bytes);
  else if (result == CURLE_PARTIAL_FILE && expected >= 0)
    what = g_strdup_printf ("the server closed the connection after %" G_GINT64_FORMAT
                            " of %" G_GINT64_FORMAT " bytes",
                            self->n_taken, (gint64) expected);
  else if (result == CURLE_TOO_MANY_REDIRECTS)
    what = g_strdup_printf ("more than %ld redirects follow each other", MOST_REDIRECTS);
  else if (result == CURLE_ABORTED_BY_CALLBACK)
    what = g_strdup ("the download was interrupted; the next call continues it");
  else
    what = g_strdup (curl_easy_strerror (result));
  fail (self, result == CURLE_OPERATION_TIMEDOUT ? REEL_ERROR_TIMEOUT : REEL_ERROR_RUNTIME, what);
}

static gboolean
is_cut (CURLcode result)
{
  return result == CURLE_PARTIAL_FILE || result == CURLE_RECV_ERROR || result == CURLE_GOT_NOTHING;
}

static gboolean
is_busy (const Fetch *self, CURLcode result)
{
  const long status = get_status (self);

  return result == CURLE_OK && (status == 429 || (status >= 500 && status != 501));
}

/* Whether it may go well the next time: a connection that broke is opened again, and the rest of
 * the file is asked for; a server that fails gets a moment. */
static gboolean
can_repeat (Fetch *self, CURLcode result, gint attempt)
{
  if (self->fault)
    return FALSE;
  if (result == CURLE_OK && get_status (self) == 416 && self->begin > 0)
    {
      g_clear_pointer (&self->old_tag, g_free);
      return TRUE;
    }
  if (is_busy (self, result) && attempt + 1 < MOST_ATTEMPTS)
    g_usleep (PAUSE << attempt);
  return is_busy (self, result) || is_cut (result);
}

static gboolean
request_all (Fetch *self)
{
  CURLcode result = request (self);

  for (gint i = 0; i + 1 < MOST_ATTEMPTS && can_repeat (self, result, i); i++)
    result = request (self);
  if (self->fault)
    return FALSE;
  if (result != CURLE_OK)
    report (self, result);
  return !self->fault;
}

/* ---- the file ---- */

static gboolean
open_part (Fetch *self, GError **error)
{
  ReelPathKind kind;
  gboolean taken = FALSE;

  if (!reel_path_query (self->part, &kind, &self->n_bytes, error))
    return FALSE;
  self->fd = kind == REEL_PATH_MISSING ? reel_file_create (self->part, 0, error)
                                       : reel_file_open (self->part, TRUE, error);
  if (self->fd < 0 || !reel_file_lock (self->fd, self->part, &taken, error))
    return FALSE;
  if (!taken)
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "%s: another process fetches it to %s",
                 self->url, self->part);
  if (taken && self->n_bytes > 0)
    self->old_tag = reel_file_read (self->tag_path, 4096, NULL, NULL);
  return taken;
}

static gboolean
remove_part (const Fetch *self, GError **error)
{
  return reel_file_remove (self->tag_path, error) && reel_file_remove (self->part, error);
}

/* ---- the checksum ---- */

static char *
compute_sum (const Fetch *self, GError **error)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autoptr (ReelMemory) file = NULL;

  if (self->n_bytes == 0)
    return g_strdup (g_checksum_get_string (sum));
  file = reel_memory_new_mapped (REEL_MEMORY_FILE, self->part, self->fd, REEL_MAP_READ,
                                 self->n_bytes, error);
  if (!file)
    return NULL;
  const guint8 *bytes = reel_memory_get_data (file, NULL);
  for (gsize at = 0, n; at < (gsize) self->n_bytes; at += n)
    {
      n = MIN ((gsize) self->n_bytes - at, BLOCK);
      g_checksum_update (sum, bytes + at, (gssize) n);
      reel_memory_forget (file, bytes + at, n);
    }
  return g_strdup (g_checksum_get_string (sum));
}

/* Whether the part is what its source says; @is_other is set where it is not. */
static gboolean
check_sum (const Fetch *self, gboolean *is_other, GError **error)
{
  const char *expected = self->expected ? self->expected : self->sum;
  g_autofree char *found = expected ? compute_sum (self, error) : NULL;

  *is_other = found && !g_str_equal (found, expected);
  if (*is_other)
    g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                 "%s: the file has the checksum %s; its source says %s (SHA-256)", self->url, found,
                 expected);
  return !expected || (found && !*is_other);
}

/* ---- the whole file ---- */

static gboolean
put_in_place (Fetch *self, GError **error)
{
  const ReelFileHandle handle = { self->part, self->fd };

  return reel_file_cut (self->fd, self->part, self->n_bytes, error)
         && reel_files_sync (&handle, 1, NULL, 0, error)
         && reel_file_rename (self->part, self->path, error)
         && reel_file_remove (self->tag_path, error);
}

/* An empty file had no first bytes. */
static gboolean
end_file (Fetch *self, gboolean *is_other, GError **error)
{
  if (self->n_taken == 0)
    self->n_bytes = 0;
  if (check_sum (self, is_other, error))
    return put_in_place (self, error);
  if (*is_other)
    {
      g_clear_pointer (&self->old_tag, g_free);
      self->n_bytes = 0;
      reel_file_cut (self->fd, self->part, 0, NULL);
    }
  return FALSE;
}

static gboolean
end_fetch (Fetch *self, ReelHttpAnswer *answer, gboolean *is_other, GError **error)
{
  const long status = get_status (self);

  answer->kind = status == 404 || status == 410 ? REEL_HTTP_MISSING
                 : self->index                  ? REEL_HTTP_INDEX
                                                : REEL_HTTP_FILE;
  answer->next = g_steal_pointer (&self->next);
  if (answer->kind == REEL_HTTP_INDEX)
    answer->index = g_string_free (g_steal_pointer (&self->index), FALSE);
  if (answer->kind != REEL_HTTP_FILE)
    return remove_part (self, error);
  if ((status == 200 && !self->is_html) || (status == 206 && self->n_taken > 0))
    return end_file (self, is_other, error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "%s: the server answered %ld", self->url,
               status);
  return FALSE;
}

/* A file with another checksum than its source says is fetched once more. */
static gboolean
fetch (Fetch *self, ReelHttpAnswer *answer, GError **error)
{
  for (gint i = 1;; i++)
    {
      g_autoptr (GError) failure = NULL;
      gboolean is_other = FALSE;

      if (!request_all (self))
        {
          g_propagate_error (error, g_steal_pointer (&self->fault));
          return FALSE;
        }
      if (end_fetch (self, answer, &is_other, &failure))
        return TRUE;
      if (is_other && i < MOST_MISMATCHES)
        continue;
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
}

static void
start_curl (void)
{
  static gsize is_ready;

  if (g_once_init_enter (&is_ready))
    {
      curl_global_init (CURL_GLOBAL_DEFAULT);
      g_once_init_leave (&is_ready, 1);
    }
}

void
reel_http_answer_clear (ReelHttpAnswer *self)
{
  g_clear_pointer (&self->index, g_free);
  g_clear_pointer (&self->next, g_free);
}

/* A variable that is empty is not set. */
static gboolean
read_variable (const char *name, gint64 most, gint64 *value, GError **error)
{
  const char *text = g_getenv (name);

  if (!text || !*text || reel_parse_int64 (text, 1, most, value, error))
    return TRUE;
  g_prefix_error (error, "the environment variable %s ", name);
  return FALSE;
}

gboolean
reel_http_fetch (const char *url, const char *path, const char *sha256, ReelHttpAnswer *answer,
                 GError **error)
{
  g_auto (Fetch) self = { .url = url,
                          .path = path,
                          .expected = sha256,
                          .fd = -1,
                          .limit = MOST_BYTES,
                          .seconds = STALL_SECONDS };

  *answer = (ReelHttpAnswer){ 0 };
  if (!read_variable ("REEL_HTTP_LIMIT", G_MAXINT64, &self.limit, error)
      || !read_variable ("REEL_HTTP_TIMEOUT", MOST_SECONDS, &self.seconds, error))
    return FALSE;
  start_curl ();
  self.part = g_strconcat (path, PART, NULL);
  self.tag_path = g_strconcat (path, TAG, NULL);
  self.curl = curl_easy_init ();
  if (self.curl)
    return open_part (&self, error) && fetch (&self, answer, error);
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME, "libcurl cannot be started");
  return FALSE;
}
