#!/bin/sh
# Prose names its subject: no sentence of a comment or document begins with a clause. Headers begin with a title.
# Prints TAP.
cd "${srcdir:-.}" || exit 99
. tests/tap.sh

# The files that are done; tests, benchmarks and docs/decisions.md follow.
done=$(find src apps examples docs -name '*.[ch]' -o -name local.mk -o -name '*.[1-7]' -o -name '*.md' ! -name decisions.md)
done="$done README.md HACKING.md NEWS Makefile.am"

report 'no sentence begins with What or Who' \
  "$(grep -nE '(^|[.:;] |\* |# |/\* |\| )(What|Who|Whoever|Whatever) ' $done)"
report 'every header of the library begins with a title' "$(for header in $(find src -name '*.h'); do
  head -n 1 "$header" | grep -q '^/\* ' || echo "$header"
done)"
plan
