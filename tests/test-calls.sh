#!/bin/sh
# The calls of the library's objects, by their undefined symbols: files only in core/file-ops, threads
# and locks only in core/workers and what it is made of, and nothing that prints, exits or draws
# numbers. Prints TAP.
. "${srcdir:-.}/tests/tap.sh"
cd "${builddir:-.}" || exit 99
scratch=$(mktemp) || exit 99
trap 'rm -f "$scratch"' EXIT

# Lines "src/core/tensor/tensor name"; hardened builds call __name_chk for name, 64-bit ones name64.
find src -path '*/.libs/*.o' | while read -r object; do
  nm -u "$object" |
    sed -E "s|.* ||; s|^__(.*)_chk\$|\1|; s|64\$||; s|^|$object |; s|\.libs/||; s|\.o | |"
done >"$scratch"

# only_in FILES CLAIM NAMES: FILES, a pattern, may call NAMES, a list of patterns.
only_in () {
  report "$2" "$(grep -E " ($(echo $3 | tr ' ' '|'))\$" "$scratch" | grep -vE "^($1) ")"
}

report 'the objects are found' "$(grep -q '^src/core/object/error ' "$scratch" || echo 'none in src/core')"

only_in 'src/core/system/file-ops' 'files only through core/file-ops' '
  open openat creat fopen fdopen freopen opendir fdopendir scandir mkstemp mkdtemp tmpfile
  mkdir mkdirat rename renameat renameat2 unlink unlinkat rmdir remove link linkat symlink symlinkat
  truncate ftruncate fallocate posix_fallocate copy_file_range sendfile
  read readv pread preadv write writev pwrite pwritev
  sync syncfs fsync fdatasync sync_file_range msync
  stat lstat fstat fstatat statx access faccessat statfs fstatfs statvfs fstatvfs flock lockf
  g_open g_creat g_fopen g_freopen g_stat g_lstat g_access g_mkdir g_mkdtemp.* g_mkstemp.*
  g_mkdir_with_parents g_rename g_unlink g_remove g_rmdir g_dir_open g_file_get_contents
  g_file_set_contents.* g_file_test g_file_open_tmp g_mapped_file_new.* g_file_new_.*
  json_load_file json_loadfd json_dump_file json_dumpfd'

only_in 'src/core/system/(workers|thread|gate|lasting-thread)' 'threads and locks only through core/workers' '
  pthread_create pthread_mutex_.* pthread_cond_.* pthread_rwlock_.* pthread_spin_.* pthread_barrier_.*
  thrd_.* mtx_.* cnd_.* sem_.* syscall
  g_thread_.* g_mutex_.* g_rec_mutex_.* g_rw_lock_.* g_cond_.* g_async_queue_.* g_task_.*'

only_in 'none' 'the library neither prints nor exits' '
  printf fprintf vprintf vfprintf dprintf puts fputs putchar putc fputc fwrite perror stdout stderr
  exit _exit _Exit quick_exit abort
  g_print g_printerr'

only_in 'none' 'no number is drawn from a hidden state' '
  rand srand rand_r random srandom drand48 lrand48 mrand48 g_random_.* g_rand_.*'
plan
