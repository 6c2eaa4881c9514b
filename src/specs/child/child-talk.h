/* The messages of Reel and a child process: lines of JSON, then bytes that the child echoes.
 * Private.
 */
#pragma once

#include "../../core/formats/json.h"
#include "../../core/system/child-process.h"
#include "../spec.h"

G_BEGIN_DECLS

/**
 * reel_child_forbid:
 * @forbid: whether to
 *
 * Says whether reel_child_check_command() refuses all commands in this thread; at first it does
 * not.
 */
void reel_child_forbid (gboolean forbid);

/**
 * reel_child_check_command:
 * @command: (nullable): a command
 * @example: one, as in `exec:'python3 my_env.py'`
 * @error: VALUE for none, and where programs are forbidden
 *
 * Returns: whether it may be run
 */
gboolean reel_child_check_command (const char *command, const char *example, GError **error);

/**
 * reel_child_send_json:
 * @child: a process
 * @message: (transfer full): what to send as a line
 * @error: as reel_child_process_send()
 *
 * Returns: whether it was sent
 */
gboolean reel_child_send_json (ReelChildProcess *child, json_t *message, GError **error);

/**
 * reel_child_exchange:
 * @child: a process
 * @message: a byte
 * @error: as reel_child_process_send() and reel_child_process_read_byte(); RUNTIME with the reason
 *   of the process, or the byte that it answered in the place of @message
 *
 * Sends a message and waits for its echo. The process answers `!`, a reason and a newline in the
 * place of the echo where it fails.
 *
 * Returns: whether the echo came
 */
gboolean reel_child_exchange (ReelChildProcess *child, guint8 message, GError **error);

/**
 * reel_child_answer_parse:
 * @text: a line that a process sent
 * @error: DAMAGED
 *
 * Returns: (transfer full): its object
 */
json_t *reel_child_answer_parse (const char *text, GError **error);

/**
 * reel_child_spec_parse:
 * @answer: what a process sent
 * @name: a member of it: a spec as of reel_spec_new_from_json()
 * @error: DAMAGED, KEY, TYPE or VALUE with the place in @answer
 *
 * Returns: (transfer full): the spec, a composite; one of another kind is that of the one leaf
 * @name
 */
ReelSpec *reel_child_spec_parse (const json_t *answer, const char *name, GError **error);

G_END_DECLS
