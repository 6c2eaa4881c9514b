#!/bin/sh
# Every fault of tests/data/faults.txt still fits its file, and names tests or a reason. Prints TAP.
cd "${srcdir:-.}" || exit 99
list=tests/data/faults.txt
. tests/tap.sh

broken=$(awk '
  function fail(why) { print file ": " what ": " why }
  # How often the text occurs in the file.
  function count(text,   n, i, at, rest) {
    n = 0
    for (i = 1; i <= n_lines; i++)
      for (rest = lines[i]; (at = index(rest, text)); n++)
        rest = substr(rest, at + length(text))
    return n
  }
  function exists(path,   line, found) { found = (getline line < path) >= 0; close(path); return found }
  /^in / {
    file = substr($0, 4); n_lines = 0
    while ((getline line < file) > 0) lines[++n_lines] = line
    close(file)
    if (!n_lines) fail("no such file")
    next
  }
  /^! / { what = substr($0, 3); stage = 1; if (seen[file, what]++) fail("is repeated"); next }
  /^- / && stage == 1 { old = substr($0, 3); n = count(old); if (n != 1) fail("occurs " n " times: " old); stage = 2; next }
  /^\+( |$)/ && stage == 2 { if (substr($0, 3) == old) fail("changes nothing"); stage = 3; next }
  /^by / && stage == 3 {
    for (i = 2; i <= NF; i++) {
      test = $i; sub(/:.*/, "", test)
      if (!exists("tests/" test ".c") && !exists("tests/" test ".sh")) fail("no such test: " test)
    }
    stage = 0; next
  }
  /^= ./ && stage == 3 { stage = 0; next }
  /^$/ && !stage { next }
  /^#/ { next }
  { fail("line " NR " is out of place: " $0) }
  END { if (stage) fail("is not ended") }' "$list")
report 'every fault fits its file once, and has tests or a reason' "$broken"
plan
