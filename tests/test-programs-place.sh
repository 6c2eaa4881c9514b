#!/bin/sh
# The output place of programs: nothing half made, nothing of others removed. Prints TAP.
# ROUNDS=2000 makes the race longer.
. "${srcdir:-.}/tests/programs.sh"
rounds=${ROUNDS:-10}
collect --env CartPole --frames 20000 --out ring --quiet > log

# ---- files that are larger than the limit
limited () { # LIMIT STATUS COMMAND…
  limit=$1 status=$2
  shift 2
  (
    ulimit -f "$limit"
    "$@" > limited.out 2> limited.err
    same $? "$status"
  ) && grep -q -e 'File too large' -e 'disk is full' limited.err && ! ls -d .[a-z]* 2> log
}
check 'collect ends at the limit of files' limited 100 4 collect --env CartPole --frames 20000 --out over --quiet
check 'and where rows are in memory' limited 100 4 collect --env CartPole --frames 20000 --storage tensor --out over --quiet
check 'so does convert' limited 100 4 replay convert ring over
check 'and merge' limited 100 4 replay merge ring ring --out over
check 'and sample' limited 100 4 replay sample ring --batch-size 100000 --out over
check 'and what is printed' limited 10 4 replay rows ring
gif () { ! render --help | grep -q -e --gif || limited 2 4 render ring --gif over.gif; }
check 'and a film' gif
png () { limited 2 4 render ring --png over; }
check 'and pictures' png
check 'nothing is left of all that' same "$(ls -A | grep over)" ''

# ---- names that steer terminals
escape=$(printf '\033]0;gone\007')
steer () { # COMMAND…: neither stream has a control character.
  "$@" > steer.out 2> steer.err
  ! LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" steer.out steer.err && grep -q 'x1b' steer.out steer.err
}
cp -r ring "ring$escape"
check 'a path that is printed' steer replay fsck "ring$escape"
check 'one that is not there' steer replay info "no$escape"
check 'one that is taken' steer replay convert ring "ring$escape"
check 'one of an option' steer collect --env CartPole --frames 8 --out "ring$escape"
check 'a word that is no command' steer replay "no$escape" ring
check 'a path for programs is as it is' sh -c "replay convert ring 'copy$escape' > path && [ -d \"\$(cat path)\" ]"
keys () {
  cp -r ring keys &&
    mv keys/storage/observation.memmap "keys/storage/ob$escape.memmap" &&
    sed 's/"observation"/"ob\\u001b]0;gone\\u0007"/' ring/storage/meta.json > keys/storage/meta.json &&
    rm keys/reel.json && for command in info rows; do steer replay $command keys --read-only || return 1; done
}
check 'a key' keys
# In a table it is one cell of one line.
breaks () {
  cp -r ring breaks &&
    mv breaks/storage/observation.memmap 'breaks/storage/ob%0A%09.memmap' &&
    sed 's/"observation"/"ob\\n\\t"/' ring/storage/meta.json > breaks/storage/meta.json &&
    rm breaks/reel.json && replay info breaks --read-only > out && grep -q '^ob\\x0a\\x09  *float32' out || { cat out; return 1; }
  replay rows breaks 0:1 --read-only > out && head -1 out | grep -q 'ob\\x0a\\x09' || { cat out; return 1; }
}
check 'a key with a newline and a tab' breaks

# ---- several processes at one place
# At most one without --force, and what is there is whole.
race () {
  round=0
  while [ $round -lt "$rounds" ]; do
    round=$((round + 1))
    rm -rf race
    collect --env CartPole --frames 800 --out race --quiet > log 2> err1 &
    first=$!
    collect --env CartPole --frames 800 --seed 1 --out race --quiet > log 2> err2 &
    second=$!
    replay convert ring race > log 2> err3
    third=$?
    wait $first; first=$?
    wait $second; second=$?
    same "$(printf '%s\n' $first $second $third | sort | tr -d '\n')" 011 && replay fsck race || return 1
  done
  ! ls -d .race* 2> log
}
check 'one of three without --force' race

# Each may replace what another has finished, and no more; somebody else renames and removes runs meanwhile.
storm () {
  round=0
  while [ $round -lt "$rounds" ]; do
    round=$((round + 1))
    rm -rf race moved
    collect --env CartPole --frames 800 --out race --force --quiet > log 2> err1 &
    first=$!
    collect --env CartPole --frames 800 --seed 1 --out race --force --quiet > log 2> err2 &
    second=$!
    [ $((round % 3)) = 0 ] || { [ $((round % 3)) = 1 ] && mv race moved || rm -rf race; } 2> log
    replay convert ring race --force > log 2> err3
    third=$?
    wait $first; first=$?
    wait $second; second=$?
    for status in $first $second $third; do
      [ "$status" -le 1 ] || { echo "status $status in round $round" && cat err1 err2 err3; return 1; }
    done
    if [ -e race ] && ! replay fsck race; then
      echo "round $round: $first $second $third" && cat err1 err2 err3
      return 1
    fi
  done
  rm -rf race && collect --env CartPole --frames 8 --out race --quiet > log && ! ls -d .race* 2> log
}
check 'three with --force, while it is renamed and removed' storm

# Somebody else's directory at any moment of a conversion.
appears () {
  round=0
  while [ $round -lt "$rounds" ]; do
    round=$((round + 1))
    rm -rf made
    replay convert ring made > log 2>&1 &
    sleep "0.0$((round % 7))"
    if mkdir made 2> log; then
      echo precious > made/keep
      wait $!
      [ "$(cat made/keep)" = precious ] || return 1
    else
      wait $! && replay fsck made || return 1
    fi
  done
}
check 'a directory that appears meanwhile' appears

# Killed writers leave drafts, which the next one removes; it removes none that is being written.
killed () {
  round=0
  while [ $round -lt "$rounds" ]; do
    round=$((round + 1))
    rm -rf dead
    replay convert ring dead > log 2>&1 &
    sleep "0.00$((round % 10))"
    kill -KILL $! 2> log
    wait $! 2> log
    [ ! -e dead ] || replay fsck dead || return 1
    collect --env CartPole --frames 8 --out dead --force --quiet > log || return 1
    ! ls -d .dead* 2> log || return 1
  done
}
check 'drafts of the killed' killed

# ---- links that lead out of a run
linked () { # FILE of a run that is gone on with
  rm -rf linked outside before && cp -r ring linked && mv "linked/$1" outside && ln -s "$PWD/outside" "linked/$1" && cp -r outside before || return 1
  gives 1 "linked/$1: leads to .*outside, outside of linked" collect --resume linked --frames 20800 --capacity 20008 --quiet || return 1
  diff -r before outside && [ -L "linked/$1" ] && rm -rf before
}
for file in storage/observation.memmap storage/next/reward.memmap storage writer storage/storage_metadata.json reel.json reel.ring; do
  check "$file is not written through a link" linked $file
done

# ---- JSON files that cannot be written for a while
behind () {
  collect --env CartPole --capacity 8000 --out behind --quiet > log 2> err &
  await $! test -e behind/reel.json
  mv behind/writer away
  await $! grep 'cannot renew the JSON files of behind' err
  mv away behind/writer
  kill -INT $!
  wait $!
  same $? 130 && grep -q 'cannot renew' err && replay fsck behind | grep -q 'all checksums agree'
}
check 'is said at once, and mended' behind

notes () {
  collect --env CartPole --frames 8 --out noted --quiet > log && echo mine > noted/notes.txt &&
    gives 1 'noted/notes.txt: is not part of the checkpoint' collect --env CartPole --frames 8 --out noted --force &&
    gives 1 'noted/notes.txt: is not part of the checkpoint' replay convert ring noted --force && [ "$(cat noted/notes.txt)" = mine ]
}
check 'notes in a run are not removed by --force' notes
plan
