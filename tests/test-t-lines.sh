#!/bin/sh
# tests/data/t-lines.txt lists every numbered line of the peer's behaviour as "NUMBER held",
# "NUMBER later" or "NUMBER differs". A held line is cited by a test, and a line that a test cites is held.
# Deliberate differences are cited, with the reason, by docs/differences-from-torchrl.md. Prints TAP.
cd "${srcdir:-.}" || exit 99
list=tests/data/t-lines.txt
differences=docs/differences-from-torchrl.md
. tests/tap.sh

scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
LC_ALL=C
export LC_ALL

sed -n 's/ held$//p' $list | sort >"$scratch/held"
sed -n 's/ differs$//p' $list | sort >"$scratch/differing"
grep -ohE 'T[0-9]+(\.[0-9]+)*-[0-9]+' tests/*.c | sort -u >"$scratch/cited"
grep -ohE 'T[0-9]+(\.[0-9]+)*-[0-9]+' $differences | sort -u >"$scratch/told"

report 'every line is a number and a word' \
  "$(grep -vE '^T[0-9]+(\.[0-9]+)*-[0-9]+ (held|later|differs)$' $list)"
report 'every number stands once' "$(sed 's/ .*//' $list | sort | uniq -d)"
report 'what is held is cited by a test' "$(comm -23 "$scratch/held" "$scratch/cited")"
report 'what is cited is listed as held' "$(comm -13 "$scratch/held" "$scratch/cited")"
report 'what differs is told in the list of differences' \
  "$(comm -23 "$scratch/differing" "$scratch/told")"
report 'what the list of differences tells of differs' \
  "$(comm -13 "$scratch/differing" "$scratch/told")"
plan
