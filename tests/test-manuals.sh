#!/bin/sh
# The manual pages have the options of --help and the usual sections. Prints TAP.
manuals=$(cd "${srcdir:-.}/docs/man" && pwd) || exit 99
. "${srcdir:-.}/tests/programs.sh"

# The long options that a command explains, and those that a manual does. A build without giflib hides --gif.
in_help () { "$@" --help | sed -n '/^Other spellings/q; s/^ \{2,6\}\(-[A-Za-z], \)\{0,1\}\(--[a-z0-9-]*\).*/\2/p' | grep -vx -e --gif | sort; }
in_manual () { sed -n 's/\\-/-/g; /^\.TP/{ n; s/\\-/-/g; p; }' | grep -oE -e '--[a-z0-9-]+' | grep -vx -e --gif | sort; }
same_options () { same "$(echo $1)" "$(echo $2)"; }

for program in collect render; do
  check "the manual of $program has the options of its help" \
    same_options "$(in_manual < "$manuals/$program.1")" "$(in_help $program)"
done

# Lists of classes, --plugin, --read-only and --help have the same meaning in each command, and are explained once.
own () { grep -vE -e '^--(list-.*|describe|plugin|read-only|help)$'; }
section () { awk -v of="$1" '/^\.S[HS]/ { inside = $0 == of } inside' "$manuals/replay.1"; }
for command in $(replay --help | sed -n '/^Commands:/,/^$/s/^  \([a-z0-9-]*\) .*/\1/p' | grep -vxE 'classes|help'); do
  check "the manual of replay $command has the options of its help" \
    same_options "$(section ".SS replay $command" | in_manual | own)" "$(in_help replay $command | own)"
done
common () { for option in --plugin --read-only --version --help; do section '.SH OPTIONS' | in_manual | grep -qx -e $option || return 1; done; }
check 'and the common ones' common

# Options that several learners have are explained once.
of_learn () { awk -v of=".SS $1" '/^\.S[HS]/ { inside = $0 == of } inside' "$manuals/learn.1"; }
learn_manual () {
  case $1 in list | plot | show) of_learn "learn $1"; return ;; esac
  of_learn 'Every learner'
  case $1 in
    bc | cql | iql | td3-bc) of_learn 'Learners from saved data' ;;
    *) of_learn 'Learners that collect' ;;
  esac
  of_learn "learn $1"
}
of_own () { case $1 in list | show) own ;; *) cat ;; esac; }
learners=
[ "${BLAS:-yes}" = no ] || learners=$(learn --help | sed -n '/^Commands:/,/^$/s/^  \([a-z0-9-]*\) .*/\1/p' | grep -vx help)
for learner in $learners; do
  check "the manual of learn $learner has the options of its help" \
    same_options "$(learn_manual $learner | in_manual | of_own $learner)" "$(in_help learn $learner | of_own $learner)"
done

usual='NAME|SYNOPSIS|DESCRIPTION|OPTIONS|EXIT STATUS|ENVIRONMENT|FILES|EXAMPLES|SEE ALSO'
ordered () {
  sed -n 's/^\.SH //p' "$1" | grep -xE "$usual" > found
  echo "$usual" | tr '|' '\n' | grep -vx "$2" | cmp - found
}
for program in collect learn render replay; do
  check "the sections of $program have the usual order" ordered "$manuals/$program.1" \
    "$([ $program = render ] && echo FILES)"
  if groff --version > log 2>&1; then
    lint () { groff -man -ww -z -t -Tutf8 -k "$1" 2>&1 | grep . && return 1 || return 0; }
    check "groff finds no fault in $program" lint "$manuals/$program.1"
  else
    skip "groff finds no fault in $program" 'no groff here'
  fi
done
plan
