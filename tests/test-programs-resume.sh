#!/bin/sh
# A run that was stopped, or killed at any moment, goes on by collect --resume. Prints TAP.
. "${srcdir:-.}/tests/programs.sh"

# all_of DIRECTORY: what is in all of its files.
all_of () { (cd "$1" && find . -type f | sort | xargs sha256sum) | sha256sum; }
# killed_at CALL:NUMBER OPTION…: collect, killed by that call of the system.
killed_at () {
  when=$1
  shift
  ASAN_OPTIONS=detect_leaks=0 strace -f -qq -o log -e trace="${when%%:*}" -e inject="${when%%:*}:signal=KILL:when=${when#*:}" \
    collect "$@" > out 2>&1
}
# A machine may kill a run whenever it calls the system; between the calls a run only writes memory.
calls='mkdirat renameat renameat2 openat ftruncate fallocate fsync fdatasync msync write pwrite64 unlinkat close'
# kill_everywhere NAME OPTION…: whatever is left by a kill goes on, or there is nothing.
kill_everywhere () {
  name=$1
  left=0
  shift
  for call in $calls; do
    for when in 1 3 8; do
      rm -rf torn
      killed_at "$call:$when" "$@" --out torn
      [ -e torn ] || continue
      collect --resume torn --quiet > out 2> err || { echo "killed at $call $when"; cat err; return 1; }
      left=$((left + 1))
      same "$(all_of torn)" "$(all_of "$name")" || { echo "killed at $call $when"; return 1; }
    done
  done
  [ "$left" -ge 5 ] || { echo "only $left kills left a run"; return 1; }
}
# resume_killed NAME: kills what goes on, and goes on after that.
resume_killed () {
  rm -rf again
  cp -r half again
  for call in $calls; do
    killed_at "$call:1" --resume again --frames 4000
    killed_at "$call:4" --resume again --frames 4000
  done
  collect --resume again --frames 4000 > out 2>&1 && same "$(all_of again)" "$(all_of "$1")"
}

collect --env CartPole --frames 4000 --capacity 4008 --seed 3 --out whole --quiet > log
collect --env CartPole --frames 1000 --capacity 4008 --seed 3 --out half --quiet > log
cp -r half on
check 'a run goes on' gives 0 '^continue after 1,000 frames, up to 4,000$' collect --resume on --frames 4000
check 'and has the files of one that never stopped' same "$(all_of on)" "$(all_of whole)"
check 'one that has all its frames stays as it is' gives 0 '^4,000 frames are there already' collect --resume on --frames 8
check 'to the byte' same "$(all_of on)" "$(all_of whole)"
check 'JSON says where it began' gives 0 '"frames":8,.*"begun_at":4000,' collect --resume on --frames 4008 --json --quiet
if strace -o log true 2> log; then
  collect --env CartPole --frames 2000 --frames-per-batch 200 --capacity 800 --out ring --quiet > log
  check 'killed at any call it goes on' kill_everywhere whole --env CartPole --frames 4000 --capacity 4008 --seed 3
  check 'a ring that wrapped, too' kill_everywhere ring --env CartPole --frames 2000 --frames-per-batch 200 --capacity 800
  check 'and one that is killed where it goes on' resume_killed whole
else
  for claim in 'killed at any call it goes on' 'a ring that wrapped, too' 'and one that is killed where it goes on'; do
    skip "$claim" 'no strace here'
  done
fi

# stopped SIGNAL STATUS: an endless run is stopped by it, goes on, and is what another one is.
stopped () {
  rm -rf cut straight
  collect --env Acrobot --num-envs 64 --capacity 100k --out cut > out 2> err &
  pid=$!
  await $pid replay --read-only cut
  kill -"$1" $pid
  wait $pid
  same $? "$2" || return 1
  cp err "$1.err"
  steps=$(replay info --json cut | sed 's/.*"write_count":\([0-9]*\).*/\1/')
  total=$(((steps + 2000) * 64))
  collect --resume cut --frames $total > out 2> err || { cat err; return 1; }
  collect --env Acrobot --num-envs 64 --capacity 100k --frames $total --out straight > out 2> err
  same "$(all_of cut)" "$(all_of straight)"
}
check 'a run without an end goes on after a kill' stopped KILL 137
check 'and after an interrupt' stopped INT 130
check 'which says how' grep -q 'collect --resume cut$' INT.err

# nohup does not let a hangup end a run.
ignored () {
  rm -rf kept
  (trap '' HUP; exec collect --env Acrobot --num-envs 64 --capacity 100k --out kept > out 2> err) &
  pid=$!
  await $pid replay --read-only kept
  kill -HUP $pid
  for _ in $(seq 20); do
    kill -0 $pid 2> log || break
    sleep 0.1
  done
  kill -TERM $pid 2> log
  wait $pid
  same $? 143
}
check 'a hangup that is ignored does not end one' ignored

for env in Pendulum MountainCarContinuous CartPole:from-pixels=true,width=8,height=8 \
  'CartPole|observation-norm:in-keys=observation,init-frames=300|reward-sum'; do
  goes_on () {
    rm -rf a b
    collect --env "$env" --num-envs 5 --frames 1500 --out a --quiet > log &&
      collect --env "$env" --num-envs 5 --frames 700 --capacity 1505 --out b --quiet > log &&
      collect --resume b --frames 1500 --quiet > log && same "$(all_of a)" "$(all_of b)"
  }
  check "$env goes on" goes_on
done

check 'what the run is cannot be said again' gives 2 'cannot use --env with --resume' collect --resume on --env CartPole
check 'nothing there' gives 1 'nowhere' collect --resume nowhere
mkdir empty
check 'nothing in it' gives 3 'empty' collect --resume empty
# torn NAME: a ring that wrapped, whose writer was killed in the middle of a block.
torn () {
  for _ in 1 2 3 4 5 6 7 8; do
    rm -rf "$1"
    collect --env CartPole --num-envs 64 --capacity 64k --frames 1e12 --out "$1" > log 2>&1 &
    pid=$!
    sleep 0.4
    kill -9 $pid
    wait $pid
    replay fsck "$1" > log && continue
    grep -q 'being written when the writer ended' log && return
  done
  return 1
}
if torn killed 2> /dev/null; then
  check 'a resume that stops at once seals nothing' gives 0 'are there already' collect --resume killed --frames 1
  check 'and the run resumes again' gives 0 'are there already' collect --resume killed --frames 1
  check 'with its torn steps named' gives 3 'slots* [0-9].* being written when the writer ended: the rows of th.* lost$' replay fsck killed
else
  skip 'a resume that stops at once seals nothing' 'no kill fell into a block'
fi
collect --env CartPole --frames 1000 --storage tensor --out saved --quiet > log
check 'rows of memory do not go on, which is said with the way out' gives 1 \
  'cannot resume saved: its rows were in memory (--storage tensor), .* by another --seed' collect --resume saved --frames 2000
collect --env CartPole --frames 400 --out filed --quiet > log && replay convert filed copied > log
check 'nor do copies of a run' gives 1 'cannot resume copied: it has no reel.ring, for a dump or a conversion' collect --resume copied --frames 2000
collect --env Pendulum --num-envs 2 --frames 600 --capacity 100 --out short --quiet > log
before=$(all_of short)
check 'nor a ring without the beginning of an episode' gives 1 'holds no more than the end of its episode' \
  collect --resume short --frames 1000
check 'which is left as it was' same "$(all_of short)" "$before"
collect --env CartPole --frames 1000 --seed 3 --out exact --quiet > log
before=$(all_of exact)
check 'a run with room for its frames alone loses none of them' gives 2 'has files for 1008 rows.*--capacity 1008 permits it' \
  collect --resume exact --frames 4000
check 'and is left as it was' same "$(all_of exact)" "$before"
check 'another capacity is refused' gives 2 'cannot change that' collect --resume exact --frames 4000 --capacity 4008
check 'its own capacity makes a ring of it' gives 0 'up to 4,000' collect --resume exact --frames 4000 --capacity 1008
collect --env CartPole --frames 4000 --seed 3 --capacity 1008 --out ring1008 --quiet > log
check 'of the same rows' same "$(all_of exact)" "$(all_of ring1008)"
check 'which goes on as a ring' gives 0 'up to 5,000' collect --resume exact --frames 5000
check 'a ring shorter than an episode says so at the start' gives 0 'an episode can have 200: --resume may be refused. --capacity 456 is enough' \
  collect --env Pendulum --num-envs 2 --frames 600 --capacity 100 --out warned
check 'and not one that is long enough' sh -c '! collect --env Pendulum --num-envs 2 --frames 600 --capacity 456 --out enough 2>&1 | grep note'
cp -r half spoiled
printf x | dd of=spoiled/storage/observation.memmap bs=1 seek=100 conv=notrunc 2> log
before=$(all_of spoiled)
check 'nor what is damaged' gives 3 'cannot resume spoiled, which is damaged' collect --resume spoiled --frames 2000
check 'which is left as it was, too' same "$(all_of spoiled)" "$before"
cp -r half changed
sed -i 's/"shape":\[4\]}/"shape":[5]}/' changed/reel.json
before=$(all_of changed)
check 'nor one whose environment has other specs' gives 1 'cannot resume changed: .*: observation/observation/shape was \[5\], and is \[4\] now' \
  collect --resume changed --frames 2000
check 'of which the first is named, and nothing changes' same "$(all_of changed)" "$before"
busy () {
  collect --env CartPole --capacity 100k --out busy > out 2> err &
  pid=$!
  await $pid replay --read-only busy
  gives 1 'another process writes it' collect --resume busy
  set -- $?
  kill -INT $pid
  wait $pid
  return "$1"
}
check 'nor what is still written' busy
plan
