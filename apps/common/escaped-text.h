/* Text for people: names of keys and paths cannot control the terminal. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* From now on g_print() and g_printerr() write control characters, but for ends of lines and tabs,
 * and bytes that are no UTF-8, as `\x1b`. */
void escaped_text_begin (void);

/* Prints a path and the end of a line. A program that reads it gets its bytes, a person as by
 * g_print(). */
void escaped_text_print_path (const char *path);

/* The text as g_print() writes it. */
char *escaped_text (const char *text);

G_END_DECLS
