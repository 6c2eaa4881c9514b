/* Columns of text, and numbers as people read them. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _TextTable TextTable;

/* `alignment` has a letter a column: 'l' or 'r'. */
TextTable *text_table_new (const char *alignment);
void text_table_free (TextTable *table);

/* Takes one string a column; each is freed with the table. Newlines and tabs in it are printed as
 * other control characters are. */
void text_table_add (TextTable *table, char *first, ...);

/* Takes the strings of `cells`, one a column. */
void text_table_add_row (TextTable *table, char **cells);

/* The rows, two spaces between columns, each line after `indent` spaces. */
char *text_table_render (TextTable *table, guint indent);

#define TEXT_ITEM_COLUMN 30

/* Appends a line that is wrapped before terminal_get_text_width() columns, each line after the
 * first behind `indent` spaces. One that begins with a space stays as it is. */
void text_append_wrapped (GString *text, const char *line, guint indent);

/* Appends a name, and from TEXT_ITEM_COLUMN on what it is, wrapped. */
void text_append_item (GString *text, const char *name, const char *about);

/* 1536 becomes "1.5 KiB". */
char *format_bytes (gint64 n);

/* 1234567 becomes "1,234,567". */
char *format_count (gint64 n);

/* 1234567 becomes "1.23M": three digits and k, M, G. */
char *format_rate (double rate);

/* 3725 becomes "1 h 2 min", 42 "42 s". */
char *format_duration (double seconds);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TextTable, text_table_free)

G_END_DECLS
