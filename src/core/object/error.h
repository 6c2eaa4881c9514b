/* The one error domain. */
#pragma once

#include "macros.h"

G_BEGIN_DECLS

/**
 * REEL_ERROR:
 *
 * The domain of every #GError that the library makes.
 */
#define REEL_ERROR (reel_error_quark ())

/**
 * ReelError:
 * @REEL_ERROR_VALUE: a value that the thing cannot have: out of range, unknown word, bad shape
 * @REEL_ERROR_TYPE: a value of the wrong kind or element type
 * @REEL_ERROR_KEY: a name that is not there: a key, a property, a class
 * @REEL_ERROR_INDEX: an index outside of what is stored
 * @REEL_ERROR_RUNTIME: a thing that cannot be done in the present state
 * @REEL_ERROR_NOT_IMPLEMENTED: a thing that the peer refuses, or this build leaves out
 * @REEL_ERROR_ASSERTION: a promise between two parts that does not hold
 * @REEL_ERROR_DAMAGED: a file that does not hold what it says
 * @REEL_ERROR_NO_SPACE: a full disk or quota, or a file beyond its limit
 * @REEL_ERROR_TIMEOUT: a wait that passed its deadline
 * @REEL_ERROR_IO: any other fault of the operating system
 *
 * Why a call failed, as far as a caller would act on the difference. The first seven stand for
 * what the peer raises: ValueError, TypeError, KeyError, IndexError, RuntimeError,
 * NotImplementedError and AssertionError.
 */
typedef enum
{
  REEL_ERROR_VALUE,
  REEL_ERROR_TYPE,
  REEL_ERROR_KEY,
  REEL_ERROR_INDEX,
  REEL_ERROR_RUNTIME,
  REEL_ERROR_NOT_IMPLEMENTED,
  REEL_ERROR_ASSERTION,
  REEL_ERROR_DAMAGED,
  REEL_ERROR_NO_SPACE,
  REEL_ERROR_TIMEOUT,
  REEL_ERROR_IO
} ReelError;

/**
 * reel_error_quark:
 *
 * Returns: the quark of %REEL_ERROR. Any thread.
 */
REEL_API
GQuark reel_error_quark (void);

/**
 * reel_set_error_errno:
 * @error: (out) (optional): where to put the error, or %NULL to drop it
 * @saved_errno: the `errno` of the call that failed, saved before anything could change it
 * @format: printf-like: what could not be done, to which thing
 * @...: what @format asks for
 *
 * Sets @error to %REEL_ERROR_NO_SPACE where @saved_errno is `ENOSPC`, `EDQUOT` or `EFBIG` and to
 * %REEL_ERROR_IO otherwise; the message is @format, a colon and the system's word for
 * @saved_errno. Any thread; leaves `errno` as it was.
 */
REEL_API
void reel_set_error_errno (GError **error, int saved_errno, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

G_END_DECLS
