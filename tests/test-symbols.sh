#!/bin/sh
# The shared library exports the names in tests/data/symbols.txt and nothing else. After a
# change that is meant: make update-symbols. Prints TAP.
. "${srcdir:-.}/tests/tap.sh"
library=${builddir:-.}/.libs/libreel.so
list=${srcdir:-.}/tests/data/symbols.txt
LC_ALL=C
export LC_ALL

scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
# Names that begin with "__" are the sanitizers', mangle_path is gcov's, _edata and _end the linker's.
nm -D --defined-only "$library" | sed 's/.* //' | grep -vE '^(__|_edata$|_end$|mangle_path$)' | sort >"$scratch/exported"
sort -u "$list" >"$scratch/listed"
# A build without MuJoCo exports less.
[ "${MUJOCO:-yes}" = yes ] || {
  grep -v _mujoco_ "$scratch/listed" >"$scratch/less"
  mv "$scratch/less" "$scratch/listed"
}

report 'the library exports what is listed (if a change is meant: make update-symbols)' \
  "$(diff "$scratch/listed" "$scratch/exported" | sed -n 's/^</not exported:/p; s/^>/not listed:/p')"
plan
