#!/bin/sh
# Plants the faults of tests/data/faults.txt one at a time: compiles the changed file beside the build, links the
# programs that are to notice with it, and runs them. HACKING.md describes the list. Arguments: words; a fault whose
# file or description contains one of them is planted, all without words.
list=$srcdir/tests/data/faults.txt
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
cd "$builddir" || exit 99
up=$(sed -n 's/^top_srcdir = //p' Makefile)
mkdir "$scratch/bin" "$scratch/objects"
listed= n_caught=0 n_explained=0 n_missed=0

is_wanted () {
  [ $# -eq 0 ] && return 0
  for word; do
    case "$file: $what" in *"$word"*) return 0 ;; esac
  done
  return 1
}

# The commands of make after a change of the file, for the programs given.
list_commands () {
  [ "$listed" = "$file $*" ] && return
  listed="$file $*"
  $MAKE -n V=1 -W "$up/$file" "$@" 2>/dev/null | sed -e 's/[ &]*\\$//' > "$scratch/commands"
}

# Compiles the planted file once for each object that is made of it, into NUMBER.o.
compile () {
  rm -f "$scratch"/objects/*
  old=$old new=$new awk -f "$srcdir/tests/plant-fault.awk" "$srcdir/$file" > "$scratch/$(basename "$file")" || return
  n=0
  grep -e ' -MT ' "$scratch/commands" | grep -F "$file" > "$scratch/compile"
  [ -s "$scratch/compile" ] || return
  while read -r command; do
    n=$((n + 1))
    object=$(echo "$command" | sed 's/.* -c -o \([^ ]*\) .*/\1/')
    command=$(echo "$command" | sed -e 's/ -MT .*//' -e 's/.* --mode=compile //')
    sh -c "$command -O1 -g0 -fPIC -iquote '$srcdir/$(dirname "$file")' -c -o '$scratch/objects/$n.o' '$scratch/$(basename "$file")'" \
      < /dev/null >> "$scratch/log" 2>&1 || return
    echo "$object $scratch/objects/$n.o" >> "$scratch/objects/names"
  done < "$scratch/compile"
}

# Links a program with the planted objects: before the library, or in the place of those that it lists.
link () {
  command=$(grep -e ' --mode=link ' "$scratch/commands" | grep -e " -o $1 " | sed 's/.*\(libtool .*\)/.\/\1/')
  [ -n "$command" ] || return
  added=
  while read -r object planted; do
    case $command in
    *" $object "*) command=$(echo "$command" | sed "s| $object | $planted |") ;;
    *) added="$added $planted" ;;
    esac
  done < "$scratch/objects/names"
  command=$(echo "$command" | sed "s| -o $1 | -o $scratch/bin/$(basename "$1") $added |")
  # A program that exports the whole library has the planted object before its own.
  whole=$(echo "$command" | grep -o ' -Wl,--whole-archive,[^ ]*')
  [ -z "$whole" ] || command=$(echo "$command" | sed -e "s|$whole||" -e "s|\( -o [^ ]* $added \)|\1 -Wl,-z,muldefs $whole |")
  sh -c "$command" < /dev/null >> "$scratch/log" 2>&1
}

# NAME or NAME:PATH of a GLib test program, or NAME of a script. Returns 1 where the fault is noticed, 3 where no test
# has the path.
run () {
  name=${1%%:*} path=${1#"$name"}
  path=${path#:}
  if [ -f "$srcdir/tests/$name.sh" ]; then
    for program in collect replay render learn; do
      rm -f "$scratch/bin/$program"
      link "$program" || ln -s "$PWD/$program" "$scratch/bin/$program"
    done
    builddir=$scratch/bin timeout 600 sh "$srcdir/tests/$name.sh" > "$scratch/out" 2>&1 < /dev/null || return 1
    ! grep -q '^not ok' "$scratch/out"
    return
  fi
  link "tests/$name" || return 2
  # shellcheck disable=SC2086
  timeout 300 $TEST_WRAPPER "$scratch/bin/${name##*/}" ${path:+-p "$path"} > "$scratch/out" 2>&1 < /dev/null || return 1
  grep -q '^ok' "$scratch/out" || return 3
}

# Sets the verdict: which test notices the fault. Fails where none does.
judge () {
  targets=
  for test in $tests; do
    name=${test%%:*}
    if [ -f "$srcdir/tests/$name.sh" ]; then
      targets="$targets collect replay render learn"
    else
      targets="$targets tests/$name"
    fi
  done
  # shellcheck disable=SC2086
  list_commands $targets
  : > "$scratch/log"
  compile || { verdict="cannot compile: $(cat "$scratch/log")"; return 1; }
  for test in $tests; do
    run "$test"
    case $? in
    1) verdict="caught by $test"; return 0 ;;
    2) verdict="cannot link $test: $(cat "$scratch/log")"; return 1 ;;
    3) verdict="there is no test $test"; return 1 ;;
    esac
  done
  verdict=MISSED
  return 1
}

plant () {
  is_wanted "$@" || return 0
  if [ -n "$why" ]; then
    n_explained=$((n_explained + 1))
    echo "$file: $what: explained: $why"
    return
  fi
  if judge; then n_caught=$((n_caught + 1)); else n_missed=$((n_missed + 1)); fi
  echo "$file: $what: $verdict"
}

while IFS= read -r line || [ -n "$line" ]; do
  text=${line#* }
  case $line in
  'in '*) file=$text ;;
  '! '*) what=$text old='' new='' why='' tests='' ;;
  '- '*) old=$text ;;
  '+' | '+ '*) new=${line#+} new=${new# } ;;
  'by '*) tests=$text; plant "$@" ;;
  '= '*) why=$text; plant "$@" ;;
  esac
done < "$list"
echo "$n_caught caught, $n_explained explained, $n_missed missed"
[ "$n_missed" -eq 0 ]
