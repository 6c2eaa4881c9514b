#!/bin/sh
# Every benchmark's bodies run, once and tiny, so that they do not rot; no figure is judged. Prints TAP.
. "${srcdir:-.}/tests/tap.sh"
cd "${builddir:-.}" || exit 99
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
keys='[{]"group": "[^"]+", "name": "[^"]+", "isa": "(generic|avx2|avx512)", "unit": "[^"]+"'
for key in median min max limit ratio; do
  keys="$keys, \"$key\": -?[0-9.e+-]+"
done
keys="$keys, \"floor\": ([0-9.e+-]+|null), \"goal\": ([0-9.e+-]+|null), \"noisy\": false}"

# run BENCHMARK: what is wrong with it. MPI keeps memory until the end.
run () {
  case $1 in *ranks) export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" ;; esac
  $TEST_WRAPPER "./$1" --tiny "$scratch/figures" >"$scratch/log" 2>&1 ||
    tail -n 40 "$scratch/log"
  [ -s "$scratch/figures" ] || echo 'no figure'
  grep -vE "^$keys\$" "$scratch/figures"
  rm -f "$scratch/figures"
}

for benchmark in $benchmarks; do
  report "$benchmark runs" "$(run "$benchmark")"
done
plan
