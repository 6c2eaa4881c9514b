/* Calls of the system that several limits make. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Seconds of a clock that never goes back. */
double limit_now (void);

/* Writes all bytes in pieces of at most @piece; returns whether they are written. */
int limit_write_pieces (int file, const uint8_t *data, size_t size, size_t piece);

/* Maps the whole of a file for reading; returns its bytes, NULL on failure. */
uint8_t *limit_map_file (const char *path, size_t *size);
