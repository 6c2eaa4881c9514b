/* Tests that each get an empty directory of their own, removed when they pass. */
#pragma once

#include <glib.h>

/* The directory, while a test runs. */
extern char *scratch_directory;

/* Add a test to be run with a directory. */
void scratch_test (const char *path, void (*run) (void));
void scratch_test_with_data (const char *path, void (*run) (gconstpointer), gconstpointer data);

/* Puts the directories into memory, where the system has such a place: a test that makes thousands
 * of small files would wait for the disk. Before the first test. */
void scratch_in_memory (void);

/* The path of a name in the directory, to be freed with g_free(). */
char *scratch_path (const char *name);

/* Makes a file with this text. */
void scratch_put (const char *path, const char *text);

/* Names and contents of all files below a directory. */
GBytes *scratch_read_all (const char *path);

/* Asserts that a file holds this text, and that a directory has these names, sorted and joined by
 * blanks. */
void scratch_assert_holds (const char *path, const char *text);
void scratch_assert_names (const char *path, const char *expected);
