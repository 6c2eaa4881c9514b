#!/bin/sh
# Every fuzz target is built, has seeds, and stands in HACKING.md's table. Prints TAP.
cd "${srcdir:-.}" || exit 99
. tests/tap.sh

targets=$(grep -l '^LLVMFuzzerTestOneInput' tests/fuzz/*.c | sed 's|.*/fuzz-||; s|\.c$||' | sort)

# agree WHAT NAMES: whether they are those of the targets
agree () {
  report "$1" "$(printf '%s\n' "$targets" "$2" | sort | uniq -u)"
}

agree 'every target is built' "$(sed -n 's|^\ttests/fuzz/fuzz-\([a-z0-9-]*\) \\$|\1|p' tests/local.mk)"
agree 'every target has seeds' "$(ls tests/fuzz/corpus)"
agree 'every target stands in the table' \
  "$(sed -n '/^## Fuzzing/,/^## Bench/s/^| `\([a-z0-9-]*\)` |.*/\1/p' HACKING.md)"
plan
