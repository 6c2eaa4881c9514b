#!/bin/sh
# The picture of docs/performance.md has the ratios of the page. Prints TAP.
cd "${srcdir:-.}" || exit 99
. tests/tap.sh

page=docs/performance.md
data=docs/pictures/speed.ndjson
peers='"group": "Reel and other programs"'

# ratios: those of lines of the data, as benchmarks/tables.py rounds them
ratios () {
  sed 's/.*"ratio": \([0-9.]*\).*/\1/' | awk '{ printf "%.*f\n", $1 < 10 ? 2 : $1 < 100, $1 }' | sort
}

report 'the ratios to limits are those of the tables' \
  "$(drawn=$(grep -v "$peers" $data | ratios)
    sed -nE '/^## Beside a limit/,/^## Beside other/p' $page | grep -oE '/ [0-9.,]+ = \**[0-9.]+' | sed 's/.*[ *]//' | sort |
      diff - /dev/fd/3 3<<END
$drawn
END
  )"
report 'the ratios to other programs are in the tables' "$(sed -n "s/.*$peers.*\"ratio\": \([0-9.]*\).*/\1/p" $data |
  while read -r ratio; do
    tr -d , <$page | grep -qE "×(${ratio%.0}|$ratio)([^0-9.]|$)" || echo "$ratio"
  done)"

claim='and the picture is drawn from them'
if command -v python3 >/dev/null; then
  report "$claim" "$({ python3 -B benchmarks/chart.py $data || echo failed; } 2>&1 | cmp - docs/pictures/speed.svg 2>&1)"
else
  skip "$claim" 'no python3 here'
fi
plan
