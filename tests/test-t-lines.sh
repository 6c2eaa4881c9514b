#!/bin/sh
# tests/data/t-lines.txt lists every numbered line of the peer's behaviour as "NUMBER held" or
# "NUMBER later". What is held is cited by a test, and what a test cites is held. Prints TAP.
cd "${srcdir:-.}" || exit 99
list=tests/data/t-lines.txt
. tests/tap.sh

scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
LC_ALL=C
export LC_ALL

sed -n 's/ held$//p' $list | sort >"$scratch/held"
grep -ohE 'T[0-9]+(\.[0-9]+)*-[0-9]+' tests/*.c | sort -u >"$scratch/cited"

report 'every line is a number and a word' \
  "$(grep -vE '^T[0-9]+(\.[0-9]+)*-[0-9]+ (held|later)$' $list)"
report 'every number stands once' "$(sed 's/ .*//' $list | sort | uniq -d)"
report 'what is held is cited by a test' "$(comm -23 "$scratch/held" "$scratch/cited")"
report 'what is cited is listed as held' "$(comm -13 "$scratch/held" "$scratch/cited")"
plan
