/* The reader of checkpoints in HDF5. Behind a `w` stands the whole file; else what follows the
 * first byte are changes to a good one: two bytes that say where, the lower first, and the byte
 * that stands there. */
#include "../../src/core/system/files.h"
#include "../../src/reel.h"
#include "../ted-rows.h"
#include "fuzz-files.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FILE_NAME "storage/checkpoint.h5"

/* The files among the seeds speak of these. */
static const TedRows rows = { 1, 4, 3, 0x2, FALSE };

static const char *directory;
static char *path, *good;
static gsize good_length;

/* Where libFuzzer counts what was reached, from and to; nowhere without it. In C clang would take
 * these names for others than its own. */
extern guint8 *const fuzz_counters[2];
__asm__(".pushsection .data\n"
        ".weak __start___sancov_cntrs, __stop___sancov_cntrs\n"
        ".balign 8\n"
        "fuzz_counters: .quad __start___sancov_cntrs, __stop___sancov_cntrs\n"
        ".popsection");

/* HDF5 works in a process of its own: what that reaches is counted here too, but for the counters
 * on the first page and the last one, which hold other things. */
static void
share_counters (void)
{
  guintptr page = (guintptr) sysconf (_SC_PAGESIZE);
  guintptr begin = ((guintptr) fuzz_counters[0] + page - 1) / page * page;
  guintptr end = (guintptr) fuzz_counters[1] / page * page;
  g_autofree guint8 *counts = NULL;

  if (begin >= end)
    return;
  counts = g_memdup2 ((gconstpointer) begin, end - begin);
  if (mmap ((gpointer) begin, end - begin, PROT_READ | PROT_WRITE,
            MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0)
      == MAP_FAILED)
    abort ();
  memcpy ((gpointer) begin, counts, end - begin);
}

static void
set_up (void)
{
  g_autoptr (ReelReplayBuffer) buffer = NULL;
  g_autofree char *sidecar = NULL;

  reel_init ();
  share_counters ();
  directory = fuzz_make_directory ();
  path = g_build_filename (directory, FILE_NAME, NULL);
  sidecar = g_build_filename (directory, "reel.json", NULL);
  buffer = ted_rows_buffer ("tensor", &rows);
  ted_rows_set_checkpointer (buffer, "h5");
  if (!reel_replay_buffer_dumps (buffer, directory, REEL_CHECKPOINT_FORCE, NULL)
      || !reel_file_remove (sidecar, NULL)
      || !g_file_get_contents (path, &good, &good_length, NULL))
    abort ();
}

static void
write_changed (const guint8 *changes, gsize size)
{
  g_autofree char *bytes = g_memdup2 (good, good_length);

  for (gsize i = 0; i + 3 <= size; i += 3)
    bytes[(changes[i] | changes[i + 1] << 8) % good_length] = (char) changes[i + 2];
  fuzz_put (path, bytes, good_length);
}

static void
open_and_draw (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelReplayBuffer) buffer =
      reel_replay_buffer_open (directory, REEL_OPEN_READ_ONLY, &error);
  g_autoptr (ReelTensordict) batch = NULL;
  gint64 length;

  if (!buffer != (error != NULL))
    abort ();
  if (!buffer && reel_replay_buffer_open (directory, REEL_OPEN_READ_ONLY, NULL))
    abort ();
  if (!buffer)
    return;
  length = reel_replay_buffer_get_length (buffer);
  if (length < 0 || length > reel_replay_buffer_get_capacity (buffer)
      || reel_replay_buffer_sample (buffer, 3, &batch, NULL) != (length > 0))
    abort ();
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  if (size == 0)
    return 0;
  if (!directory)
    set_up ();
  if (*data != 'w')
    write_changed (data + 1, size - 1);
  else
    fuzz_put (path, data + 1, size - 1);
  open_and_draw ();
  return 0;
}
