#!/bin/sh
# A caller may pass NULL for an error: no function looks into its GError **. Prints TAP.
cd "${srcdir:-.}" || exit 99
. tests/tap.sh

sources=$(find src apps -name '*.[ch]')

# lines PATTERN: "file:line: text" of code, without comments, that matches.
lines () {
  grep -nE "$1" $sources /dev/null | grep -vE ':[0-9]+:( \*|[[:space:]]*/\*)'
}

report 'no function reads *error: keep a GError of your own, then g_propagate_error()' \
  "$(lines '(^|[^*[:alnum:]_])\(?\*error\b' | grep -vE 'GError \*error|\*error = ')"
report 'a GError ** is called error, out of callbacks' \
  "$(lines 'GError \*\*[a-z_]+[,)]' | grep -vE 'GError \*\*error[,)]')"
report 'no function sets *error without a look at the pointer' \
  "$(lines '\*error = ' | grep -vE 'GError \*error = ' | cut -d: -f1,2 | while IFS=: read -r file line; do
    sed -n "$((line - 1))p" "$file" | grep -qE 'if \(error\)|else if \(error\)' || echo "$file:$line"
  done)"

# Public functions with a GError **, those that the test calls, and those that it leaves out for a reason.
declared=$(awk '
  /^REEL_API/ { reading = 1; text = ""; next }
  reading { text = text " " $0 }
  reading && /;/ {
    reading = 0
    if (text ~ /GError \*\*error/ && match (text, /reel_[a-z0-9_]+ \(/))
      print substr (text, RSTART, RLENGTH - 2)
  }' $(find src -name '*.h') | sort -u)
called=$(tr '\n' ' ' < tests/test-null-errors.c | grep -oE 'g_assert_(null|false|cmpint) \( *reel_[a-z0-9_]+' | sed 's/.*[( ]//')
left_out=$(sed -n 's/^\(reel_[a-z0-9_]*\): .*/\1/p' tests/data/null-errors.txt)

# only_in LIST OTHERS: the words of LIST that OTHERS lack.
only_in () {
  printf '%s\n' "$1" | sort -u | while read -r word; do
    printf '%s\n' "$2" | grep -qx "$word" || echo "$word"
  done
}

report 'test-null-errors calls each public function with a GError **, or null-errors.txt has the reason' \
  "$(only_in "$declared" "$called
$left_out")"
report 'null-errors.txt names functions that exist and are not called' \
  "$(only_in "$left_out" "$declared")$(only_in "$left_out" "$(only_in "$left_out" "$called")")"
plan
