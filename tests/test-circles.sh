#!/bin/sh
# Files that need each other, by the symbols of their objects: none but those of tests/data/circles.txt.
# Prints TAP.
. "${srcdir:-.}/tests/tap.sh"
list=$(cd "${srcdir:-.}" && pwd)/tests/data/circles.txt
cd "${builddir:-.}" || exit 99
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT

command -v nm > /dev/null || { echo '1..0 # SKIP nm is missing'; exit 0; }

# objects: those of the library are in .libs, those of programs and of what they share in either.
objects () {
  find src -path '*/.libs/*.o'
  find apps -name '*.o'
}

# Lines "file kind symbol"; a file has one object for each instruction set.
objects | xargs nm -A | sed -E 's|^([^:]*)\.o:|\1 |; s|\.libs/||; s|[^/ ]*_la-||' |
  awk 'NF > 2 { print $1, $(NF - 1), $NF }' > "$scratch/symbols"

# Lines "user used".
awk '
  $2 ~ /^[TDBRVWC]$/ && !($3 in home) { home[$3] = $1 }
  $2 == "U" { uses[$1 " " $3] }
  END {
    for (use in uses) {
      split(use, part, " ")
      if (part[2] in home && home[part[2]] != part[1]) print part[1], home[part[2]]
    }
  }' "$scratch/symbols" | sort -u > "$scratch/edges"

report 'the objects are found' "$(grep -q '^src/buffers/replay-buffer ' "$scratch/edges" || echo 'none of replay-buffer')"

# Each circle of the list is one node.
awk '
  NR == FNR { if ($1 != "" && $1 !~ /^#/) for (i = 2; i <= NF; i++) group[$i] = $1; next }
  {
    a = ($1 in group) ? group[$1] : $1; b = ($2 in group) ? group[$2] : $2
    if (a != b) print a, b
  }' "$list" "$scratch/edges" | tsort 2>&1 > /dev/null | sed 's|^tsort: ||' > "$scratch/circles"
report 'no files need each other but those of circles.txt' "$(cat "$scratch/circles")"

# left_over: the circles of the list that are none any more.
left_over () {
  grep -vE '^(#|$)' "$list" | while read -r name files; do
    grep -q "^${files%% *} " "$scratch/symbols" || continue # a part that is not built
    awk -v files=" $files " 'index(files, " " $1 " ") && index(files, " " $2 " ")' "$scratch/edges" |
      tsort > /dev/null 2>&1 && echo "$name"
  done
}
report 'each of these is still a circle' "$(left_over)"
plan
