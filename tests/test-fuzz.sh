#!/bin/sh
# Every fuzz target is built, has seeds, and has a line in the table of tests/fuzz/README.md. Prints TAP.
cd "${srcdir:-.}" || exit 99
. tests/tap.sh

targets=$(grep -l '^LLVMFuzzerTestOneInput' tests/fuzz/*.c | sed 's|.*/fuzz-||; s|\.c$||' | sort)

# agree WHAT NAMES: whether they are those of the targets
agree () {
  report "$1" "$(printf '%s\n' "$targets" "$2" | sort | uniq -u)"
}

agree 'every target is built' "$(sed -n 's|^\ttests/fuzz/fuzz-\([a-z0-9-]*\) \\$|\1|p' tests/local.mk)"
agree 'every target has seeds' "$(ls tests/fuzz/corpus)"
agree 'every target has a line in the table' "$(sed -n 's/^| `\([a-z0-9-]*\)` |.*/\1/p' tests/fuzz/README.md)"
plan
