/* Fuzzing of readers of directories: any bytes in the place of one of their files. */
#pragma once

#include <glib.h>

/**
 * fuzz_make_directory:
 *
 * Returns: a new directory, which is removed with all that is in it when the program ends; one a
 *   program
 */
const char *fuzz_make_directory (void);

/**
 * fuzz_choose:
 * @byte: of an input
 *
 * Returns: which of @n the byte names: `a` the first, whatever its case and its highest bit
 */
gsize fuzz_choose (guint8 byte, gsize n);

/**
 * fuzz_put:
 * @path: a file; folders that are not there are made
 * @bytes: (nullable): what it holds from now on; without, it is missing
 */
void fuzz_put (const char *path, gconstpointer bytes, gsize length);

/**
 * fuzz_with_file:
 * @path: a file, which need not be there
 * @data: its bytes behind a first one that is not for it; without any it is missing
 * @run: what reads it
 * @argument: for @run
 *
 * Puts the bytes into the place of the file while @run is called, and then back what was there.
 */
void fuzz_with_file (const char *path, const guint8 *data, gsize size, void (*run) (gpointer),
                     gpointer argument);

/**
 * fuzz_verify:
 *
 * Every fault of a checkpoint is reported, or an error.
 */
void fuzz_verify (const char *path);
