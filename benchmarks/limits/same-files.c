/* A program that makes the files that `collect --env CartPole --frames 1000` makes, with as many
 * bytes and syncs, and knows nothing else: what starting a process, creating, mapping, syncing and
 * renaming cost.
 *
 *   same-files DIR
 *
 * Frozen: the calls of the first version of collect, each file once instead of under a temporary
 * name where nobody could have seen it yet. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define N_OF(array) (sizeof (array) / sizeof *(array))

typedef struct
{
  const char *path;
  size_t bytes;
} File;

static const char *const folders[] = { "storage/collector", "storage/next", "storage", "writer",
                                       "" };
static const File leaves[] = {
  { "storage/action.memmap", 16128 },
  { "storage/observation.memmap", 16128 },
  { "storage/done.memmap", 1008 },
  { "storage/terminated.memmap", 1008 },
  { "storage/truncated.memmap", 1008 },
  { "storage/collector/traj_ids.memmap", 8064 },
  { "storage/next/observation.memmap", 16128 },
  { "storage/next/reward.memmap", 4032 },
  { "storage/next/done.memmap", 1008 },
  { "storage/next/terminated.memmap", 1008 },
  { "storage/next/truncated.memmap", 1008 },
};
static const File metadata[] = {
  { "storage/meta.json", 570 },
  { "storage/next/meta.json", 509 },
  { "storage/collector/meta.json", 162 },
  { "buffer_metadata.json", 53 },
  { "reel.ring", 64 },
};
/* The files renewed after the first commit and at the end. */
static const File renewed[] = {
  { "storage/storage_metadata.json", 49 },
  { "writer/metadata.json", 35 },
  { "reel.json", 1174 },
};
static const char *const new_names[] = { "storage/storage.tmp", "writer/metadata.tmp", "reel.tmp" };
static const char *const renewed_folders[] = { "storage", "writer", "" };

static void
demand (int done, const char *what)
{
  if (done)
    return;
  perror (what);
  exit (1);
}

static const char *
join (char path[4096], const char *dir, const char *name)
{
  int length = snprintf (path, 4096, "%s/%s", dir, name);

  demand (length < 4096, "the path is too long");
  return path;
}

static void
sync_path (const char *dir, const char *name, int is_folder)
{
  char path[4096];
  int file = open (join (path, dir, name), O_RDONLY | O_CLOEXEC);

  demand (file >= 0 && (is_folder ? fsync (file) : fdatasync (file)) == 0, path);
  close (file);
}

static void *
make_leaf (const char *dir, const File *leaf)
{
  char path[4096];
  int file = open (join (path, dir, leaf->path), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  void *data;

  demand (file >= 0 && fallocate (file, 0, 0, (off_t) leaf->bytes) == 0, path);
  data = mmap (NULL, leaf->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  demand (data != MAP_FAILED, path);
  close (file);
  return data;
}

/* Returns the open file. */
static int
write_file (const char *path, size_t bytes)
{
  static char text[4096];
  int file = open (path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

  memset (text, ' ', sizeof text);
  demand (file >= 0 && pwrite (file, text, bytes, 0) == (ssize_t) bytes, path);
  return file;
}

static void
write_files (const char *dir, const File *files, size_t n)
{
  char path[4096];

  for (size_t i = 0; i < n; i++)
    close (write_file (join (path, dir, files[i].path), files[i].bytes));
}

static void
sync_files (const char *dir, const File *files, size_t n)
{
  for (size_t i = 0; i < n; i++)
    sync_path (dir, files[i].path, 0);
}

/* Everything, synced, under another name, then renamed. */
static void
make (const char *temporary, const char *dir, void **mapped)
{
  char path[4096];

  demand (mkdir (temporary, 0777) == 0, temporary);
  for (size_t i = N_OF (folders) - 1; i-- > 0;)
    demand (mkdir (join (path, temporary, folders[i]), 0777) == 0, path);
  for (size_t i = 0; i < N_OF (leaves); i++)
    mapped[i] = make_leaf (temporary, &leaves[i]);
  write_files (temporary, metadata, N_OF (metadata));
  write_files (temporary, renewed, N_OF (renewed));
  sync_files (temporary, leaves, N_OF (leaves));
  sync_files (temporary, metadata, N_OF (metadata));
  sync_files (temporary, renewed, N_OF (renewed));
  for (size_t i = 0; i < N_OF (folders); i++)
    sync_path (temporary, folders[i], 1);
  demand (rename (temporary, dir) == 0, dir);
  sync_path (dir, "..", 1);
}

static void
renew (const char *dir)
{
  int files[N_OF (renewed)];
  char temporary[N_OF (renewed)][4096], path[4096];

  sync_files (dir, leaves, N_OF (leaves));
  for (size_t i = 0; i < N_OF (renewed); i++)
    {
      join (temporary[i], dir, new_names[i]);
      files[i] = write_file (temporary[i], renewed[i].bytes);
    }
  for (size_t i = 0; i < N_OF (renewed); i++)
    demand (fdatasync (files[i]) == 0, temporary[i]);
  for (size_t i = 0; i < N_OF (renewed); i++)
    {
      close (files[i]);
      demand (rename (temporary[i], join (path, dir, renewed[i].path)) == 0, path);
    }
  for (size_t i = 0; i < N_OF (renewed_folders); i++)
    sync_path (dir, renewed_folders[i], 1);
}

int
main (int argc, char **argv)
{
  char temporary[4096];
  void *mapped[N_OF (leaves)];

  if (argc != 2 || strlen (argv[1]) > 4000)
    {
      fprintf (stderr, "usage: same-files DIR\n");
      return 2;
    }
  snprintf (temporary, sizeof temporary, "%s.tmp", argv[1]);
  make (temporary, argv[1], mapped);
  for (size_t i = 0; i < N_OF (leaves); i++)
    memset (mapped[i], 1, leaves[i].bytes);
  renew (argv[1]);
  renew (argv[1]);
  return 0;
}
