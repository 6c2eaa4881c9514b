#!/bin/sh
# Prose names its subject: no sentence of a comment or document begins with a clause. Headers begin with a title.
# Prints TAP.
cd "${srcdir:-.}" || exit 99
. tests/tap.sh

prose=$(find src apps examples docs tests benchmarks ! -path 'tests/data/*' ! -path tests/test-language.sh -type f \
  \( -name '*.[ch]' -o -name '*.sh' -o -name local.mk -o -name '*.[1-7]' -o -name '*.md' \))
prose="$prose README.md HACKING.md NEWS Makefile.am bootstrap"

report 'no sentence begins with What or Who' \
  "$(grep -nE '(^|[.:;] |\* |# |/\* |\| )(What|Who|Whoever|Whatever) ' $prose)"
# A source beside a header of its name is introduced there.
introduced () {
  case $1 in *.c) [ -e "${1%.c}.h" ] && return ;; esac
  head -n 1 "$1" | grep -q '^/\* '
}
report 'every file begins with a title' "$(for file in $(find src apps -name '*.[ch]'); do
  introduced "$file" || echo "$file"
done)"

# Tables, code and pictures may be wider.
report 'documents wrap at 100 columns' \
  "$(for file in docs/*.md README.md HACKING.md NEWS tests/fuzz/README.md; do
    awk '/^```/ { code = !code } !code && !/^(\||    |!\[)/' "$file" |
      LC_ALL=C.UTF-8 grep -E '^.{101,}' | sed "s|^|$file: |"
  done)"

# Messages and help: the subject is a noun, the verb says what happens in the field's terms. "There is no X" is plain.
phrases='\<([Ww]hat|[Ww]ho|[Ww]hoever|[Ww]hatever)\>|[^e] (is|are) no [a-z]|\<(stands|lies|tells|beside)\>|\<go(es)? on\>|is of a type|is not read'
report 'no message has a clause as its subject' \
  "$(grep -rnE "\"[^\"]*($phrases)[^\"]*\"" src apps --include='*.c' | grep -vE ':[0-9]+: *(/?\*)|is no longer|"what",|\*what =')"
plan
