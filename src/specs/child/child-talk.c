#include "child-talk.h"

#include <string.h>

#include "../spec-kind.h"
#include "../spec-text.h"

#define FAILED '!' /* instead of the echo; the reason follows, as a line */

/* ---- commands ---- */

static _Thread_local gboolean forbidden;

void
reel_child_forbid (gboolean forbid)
{
  forbidden = forbid;
}

gboolean
reel_child_check_command (const char *command, const char *example, GError **error)
{
  if (forbidden)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "the files of a run may not start a program: \"%s\"", command ? command : "");
  else if (command == NULL || *command == '\0')
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "exec needs a command, as in %s", example);
  else
    return TRUE;
  return FALSE;
}

/* ---- messages ---- */

gboolean
reel_child_send_json (ReelChildProcess *child, json_t *message, GError **error)
{
  g_autofree char *text = reel_json_to_string (message, REEL_JSON_COMPACT);
  g_autofree char *line = g_strconcat (text, "\n", NULL);

  json_decref (message);
  return reel_child_process_send (child, line, strlen (line), error);
}

/* read_answer: the echo of @message, or the reason of the process. */
static gboolean
read_answer (ReelChildProcess *child, guint8 message, GError **error)
{
  g_autofree char *reason = NULL;
  int answer = reel_child_process_read_byte (child, error);

  if (answer == message)
    return TRUE;
  if (answer < 0)
    return FALSE;
  if (answer != FAILED)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "its process answered with the byte 0x%02x, where '%c' or '!' and a reason are "
                   "expected",
                   answer, message);
      return FALSE;
    }
  reason = reel_child_process_read_line (child, error);
  if (reason != NULL)
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME, "its process says: %s", reason);
  return FALSE;
}

gboolean
reel_child_exchange (ReelChildProcess *child, guint8 message, GError **error)
{
  return reel_child_process_send (child, &message, 1, error) && read_answer (child, message, error);
}

/* ---- specs ---- */

json_t *
reel_child_answer_parse (const char *text, GError **error)
{
  return reel_json_parse ("the answer of its process", text, strlen (text), error);
}

ReelSpec *
reel_child_spec_parse (const json_t *answer, const char *name, GError **error)
{
  json_t *member = json_object_get (answer, name);
  g_autofree char *text = NULL;
  g_autoptr (ReelSpec) spec = NULL;

  if (!json_is_object (member))
    {
      reel_json_bad_member (answer, "the answer of its process", name, "a spec", error);
      return NULL;
    }
  text = reel_json_to_string (member, REEL_JSON_COMPACT);
  spec = reel_spec_new_from_json (text, error);
  if (spec == NULL)
    {
      g_prefix_error (error, "the %s of its process: ", name);
      return NULL;
    }
  if (reel_spec_is_composite (spec))
    return g_steal_pointer (&spec);
  return reel_composite_spec_new (0, NULL, (const char *const[]){ name, NULL },
                                  (ReelSpec *const[]){ spec }, 1, error);
}
