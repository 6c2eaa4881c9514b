#!/bin/sh
# Runs on a disk that becomes full: in a small file system of a user namespace. Prints TAP.
if [ -z "$IN_NAMESPACE" ]; then
  unshare -rm mount -t tmpfs tmpfs /mnt 2> /dev/null && IN_NAMESPACE=1 exec unshare -rm sh "$0"
  echo 'ok 1 - a full disk # SKIP no user namespaces here'
  echo 1..1
  exit
fi
. "${srcdir:-.}/tests/programs.sh"
mkdir disk && mount -t tmpfs -o size=2m tmpfs disk || exit 99
trap 'umount disk; rm -rf "$scratch"' EXIT

fill () { dd if=/dev/zero of=disk/fill bs=1k > log 2>&1; [ -s disk/fill ]; }
all_of () { (cd "$1" && find . -type f | sort | xargs sha256sum) | sha256sum; }
# begun OPTION…: a run that has begun, in the background.
begun () {
  collect CartPole --capacity 8000 --out disk/run "$@" > out 2> err &
  pid=$!
  await $pid replay --read-only disk/run
}
ended () { kill -INT $pid; wait $pid; same $? "$1"; }

check 'rows that have no room are refused at the start' gives 4 'needed, .* available' collect CartPole --frames 1M --out disk/run
check 'and leave nothing' same "$(ls -A disk)" ''
mkdir disk/mine
check 'nor do those below new directories' gives 4 'needed, .* available' collect CartPole --frames 1M --out disk/mine/new/run
check 'which are removed, and no other' same "$(cd disk && find . -mindepth 1)" './mine'
rmdir disk/mine
if [ "${MPI:-yes}" = no ] || ! command -v mpirun > which.log; then
  skip 'of ranks apart, too' 'no MPI'
else
  ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 gives 4 'needed, .* available' \
    timeout 120 mpirun --oversubscribe --allow-run-as-root -n 2 collect CartPole --frames 1M --ranks apart --out disk/parts > log 2>&1
  check 'nor do ranks apart' same "$? $(ls -A disk)" '0 '
fi
full () {
  begun && fill && await $pid grep -q 'No space left on device' err && kill -0 $pid && ended 4
}
check 'a run whose disk becomes full says so, and ends with 4' full
check 'its rows are there' gives 0 '8000 rows, nothing wrong' replay fsck disk/run
before=$(all_of disk/run)
check 'without room it does not continue' gives 4 'No space left on device' collect --resume disk/run --max-time 0.2s
check 'and stays what it is' same "$(all_of disk/run)" "$before"
rm disk/fill
check 'with room it does' gives 0 'until the time is over' collect --resume disk/run --max-time 0.2s
check 'and is closed' gives 0 'all checksums agree' replay fsck disk/run
rm -rf disk/*
saved () {
  begun --storage tensor --checkpoint-every 0.1s && fill &&
    await $pid grep -q 'cannot save a checkpoint; the run continues: ' err && kill -0 $pid && ended 4
}
check 'rows in memory that cannot be saved say so, and end with 4' saved
check 'the last checkpoint is whole' gives 0 'all checksums agree' replay fsck disk/run
check 'it is alone' same "$(ls -A disk | tr '\n' ' ')" 'fill run '
recovered () {
  rm -rf disk/*
  begun --storage tensor --checkpoint-every 0.1s && fill &&
    await $pid grep -q 'cannot save a checkpoint; the run continues: ' err && rm disk/fill && ended 130
}
check 'with room at the end they are saved' recovered
check 'all of them' gives 0 'nothing wrong; all checksums agree' replay fsck disk/run
plan
