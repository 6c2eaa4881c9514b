#!/bin/sh
# Runs whose directory is moved or removed while they write, and other runs that begin at the same path. Prints TAP.
# ROUNDS=2000 makes it longer.
. "${srcdir:-.}/tests/programs.sh"
rounds=${ROUNDS:-12}

# all_of DIRECTORY: what is in all of its files.
all_of () { (cd "$1" && find . -type f | sort | xargs sha256sum) | sha256sum; }

# begin_first ROUND: a run without an end, new or resumed. Sets first.
begin_first () {
  if [ $(($1 % 2)) = 0 ]; then
    cp -r begun race
    collect --resume race --frames 1e12 --capacity 8000 --quiet > log 2> first.err &
  else
    collect --env CartPole --frames 1e12 --capacity 8000 --out race --quiet > log 2> first.err &
  fi
  first=$!
}
# displace ROUND: the directory goes elsewhere, or away; its writer may add a file while it is emptied.
displace () {
  mv race moved 2> log || return 0
  [ $(($1 % 3)) = 0 ] || return 0
  for _ in $(seq 100); do
    rm -rf moved 2> log && return
    sleep 0.05
  done
}
# end_first: by a signal, unless it stopped by itself. Sets status.
end_first () {
  kill -INT "$first" 2> log
  wait "$first"
  status=$?
}
# A moved run is whole where it is, and says why it stopped; what began at its path is its own. A resume that
# starts late finds the other run there and refuses its capacity.
moved () {
  round=0
  while [ $round -lt "$rounds" ]; do
    round=$((round + 1))
    rm -rf race moved
    begin_first $round
    sleep "0.$(printf '%02d' $((round * 7 % 30)))"
    displace $round
    collect --env CartPole --frames 800 --seed 1 --out race --quiet > log 2> second.err
    second=$?
    [ $second != 0 ] || before=$(all_of race)
    [ ! -e moved ] || replay info moved > log 2>&1 # a third process, which repairs what a killed writer left
    end_first
    case $second$status in
      01 | 02) same "$(all_of race)" "$before" && grep -q '"seed":1' race/reel.json && replay fsck race ;;
      1130) replay fsck race ;;
      *) false ;;
    esac || { echo "round $round: $second $status"; cat first.err second.err; return 1; }
    [ ! -e moved ] || replay fsck moved || return 1
    ! ls -d .race* 2> log || return 1
  done
}
collect --env CartPole --frames 1e12 --capacity 8000 --out begun --quiet > log 2>&1 &
await $! test -e begun/reel.json
kill -INT $!
wait $!
check 'a run that is moved or removed leaves the next one alone' moved

ends () {
  rm -rf race moved
  begin_first 1
  await "$first" test -e race
  mv race moved
  wait "$first"
  same $? 1 && grep -q 'race: was moved or removed while this process wrote it' first.err && replay fsck moved
}
check 'it stops by itself and says so' ends
plan
