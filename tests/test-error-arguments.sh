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
plan
