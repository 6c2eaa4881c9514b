#!/bin/sh
# Collectors and buffers on the ranks that mpirun starts: on this machine, and in two network namespaces where
# the kernel lends them. Prints TAP.
. "${srcdir:-.}/tests/programs.sh"
tests=$(cd "$(dirname "$(command -v collect)")/tests" && pwd)

check 'alone, no program needs MPI' sh -c '! ldd "$(command -v collect)" | grep -q libmpi'
check '--ranks needs mpirun' gives 2 'needs several ranks: mpirun' collect CartPole --ranks async
check '--on-rank-error needs it too' gives 2 'needs several ranks: mpirun' collect CartPole --on-rank-error drop
if [ "${MPI:-yes}" = no ]; then
  launched () { OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 collect CartPole --frames 16 --out run; }
  check 'a build without MPI says so' gives 1 'this build leaves MPI out' launched
  skip 'collectors on ranks' 'built without MPI'
  plan
  exit
fi
if ! command -v mpirun > which.log; then
  skip 'collectors on ranks' 'mpirun is missing (openmpi-bin)'
  plan
  exit
fi

# Libraries of MPI leave memory behind.
ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
export ASAN_OPTIONS

# ranks N COMMAND…
ranks () {
  n_ranks=$1
  shift
  timeout 120 mpirun --oversubscribe --allow-run-as-root $recovery -n "$n_ranks" "$@"
}
# surviving N COMMAND…: the rest of the ranks goes on where one ends; the exit status is none of theirs.
surviving () (recovery=--enable-recovery; ranks "$@")
recovery=

# ---- the library ----
check 'batches, buffers and resumed runs are those of one process' ranks 4 "$tests/rank-tests" collect
check 'other ranks take over the lanes of two that are killed' gives 0 "^ok 1 " surviving 3 "$tests/rank-tests" drop
check 'async goes on without a rank that is killed' gives 0 "^ok 1 " surviving 3 "$tests/rank-tests" async-drop
check 'a rank that is killed is named' gives 0 "^ok 1 " surviving 3 "$tests/rank-tests" fail
check 'ranks apart agree, and find who fails' ranks 3 "$tests/rank-tests" apart
check 'a buffer serves other ranks' ranks 4 "$tests/rank-tests" buffer

# ---- collect ----
alone='CartPole --frames 2000 --capacity 4000 --seed 3'
collect $alone --out alone --quiet > log
shared () { ranks 3 collect $alone --out shared > shared.out 2> shared.err && replay diff alone shared; }
check 'the rows of three ranks are those of one process' gives 0 'the same 2,000 rows' shared
check 'one rank prints' same "$(cat shared.out)" shared
check 'and reports once' same "$(grep -c 'frames in' shared.err)" 1
resumed () {
  collect CartPole --frames 1000 --capacity 4000 --seed 3 --out resumed --quiet > log &&
    ranks 3 collect --resume resumed --frames 2000 --quiet && replay diff alone resumed
}
check 'a run resumes on ranks' gives 0 'the same 2,000 rows' resumed
logged () {
  collect $alone --out log-a --log a.csv --quiet > log &&
    ranks 2 collect $alone --out log-b --log b.csv --quiet > log && grep -v '^rate' a.csv | cut -d, -f1-4,6 > a &&
    grep -v '^rate' b.csv | cut -d, -f1-4,6 > b && cmp a b
}
check 'episodes are logged as by one process' logged
check 'an unknown option is one message' gives 2 'no option --frmes' ranks 3 collect CartPole --frmes 10
once () { same "$(grep -c 'no option --frmes' gives.err)" 1; }
check 'not three' once
check 'ranks that cannot share are refused' gives 2 'num-envs 3 is the least' \
  ranks 3 collect CartPole --num-envs 2 --frames 10 --out none
check 'before anything is made' test ! -e none
check 'a policy for all lanes at once is refused' gives 2 'collect without mpirun' \
  ranks 2 collect CartPole --actions alone --out none
check 'async fills a run' gives 0 '2,000 frames in' ranks 3 collect $alone --ranks async --out async
check 'which cannot be resumed' gives 1 'contain no order' collect --resume async --frames 3000
# ---- each rank a run of its own ----
each='CartPole --num-envs 8 --capacity 4000 --seed 3'
collect $each --frames 2000 --out whole --quiet > log
collect $each --frames 1000 --out half --quiet > log
lanes () { gives 0 'the lanes are the same' "$tests/rank-tests" same "$@"; }
divided () { ranks 3 collect $each --frames 1000 --ranks apart --out parts --quiet --log parts.csv > parts.out; }
check 'apart: each rank writes its environments' divided
check 'which are those of one process' lanes half parts/rank-0 parts/rank-1 parts/rank-2
check 'one rank prints the directory' same "$(cat parts.out)" parts
check 'each rank has a log' test -s parts.rank-0.csv -a -s parts.rank-2.csv
check 'the runs continue on as many ranks' ranks 3 collect --resume parts --ranks apart --frames 2000 --quiet
check 'as one that never stopped' lanes whole parts/rank-0 parts/rank-1 parts/rank-2
check 'not on others' gives 1 'one of 3 ranks, and there are 2 now' ranks 2 collect --resume parts --ranks apart
check 'nor as one run' gives 2 'mpirun -n 3 collect --resume parts --ranks apart' collect --resume parts
check 'one of them alone' gives 0 'continue after 750 frames' collect --resume parts/rank-1 --frames 900
saved () {
  ranks 2 collect $each --frames 2000 --ranks apart --out saved --storage tensor --checkpoint-every 500 --quiet > log &&
    lanes whole saved/rank-0 saved/rank-1
}
check 'rows in memory are saved apart' saved
again () {
  collect --config saved/rank-1 --out again --quiet > log && replay diff saved/rank-1 again
}
check 'the options of a rank make its run again' gives 0 'the same 1,000 rows' again
merged () { replay merge saved/rank-0 saved/rank-1 --out merged > log && replay info merged; }
check 'the runs are an ensemble' gives 0 'rows  *2,000' merged
check 'a directory that is taken stops all ranks' gives 1 'rank 1 on .*taken/rank-1 exists' \
  sh -c 'mkdir -p taken/rank-1 && echo > taken/rank-1/x && exec "$@"' sh \
  timeout 120 mpirun --oversubscribe --allow-run-as-root -n 2 collect $each --frames 100 --ranks apart --out taken
check 'before one begins' test ! -e taken/rank-0
# single COMMAND…: a rank that refuses before it loads MPI needs no other.
single () { OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 "$@"; }
check 'apart needs a directory' gives 2 'needs --out DIR' single collect CartPole --ranks apart
check 'episodes of all ranks are not counted' gives 2 'each other.s episodes' \
  single collect CartPole --ranks apart --out none --episodes 3
check 'the number of environments is that of all' gives 2 'name their number there' \
  single collect CartPole:num-envs=4 --ranks apart --out none
check 'a plan of a rank' gives 0 'none/rank-0/storage/action.memmap' \
  single collect $each --frames 100 --ranks apart --out none --dry-run
check 'makes nothing' test ! -e none
has_rows () { replay info "$1" | grep -Eq '^rows  *[1-9][0-9,]{4,} '; }
interrupted () {
  mpirun --oversubscribe --allow-run-as-root -n 2 collect CartPole --capacity 80000 --out endless > endless.log 2>&1 &
  pid=$!
  await $pid has_rows endless && kill -TERM $pid
  wait $pid
  grep 'interrupted; all collected rows are kept' endless.log && replay check endless
}
check 'a signal ends a run in order' interrupted

# ---- two machines, as far as MPI can tell ----
near=reel-a-$$ far=reel-b-$$
lent () {
  ip netns add $near && ip netns add $far && ip -n $near link add reel0 type veth peer name reel0 netns $far &&
    ip -n $near addr add 10.213.7.1/24 dev reel0 && ip -n $far addr add 10.213.7.2/24 dev reel0 &&
    for name in $near $far; do ip -n $name link set lo up && ip -n $name link set reel0 up || return; done &&
    ip netns exec $near unshare --uts hostname reel-a
}
returned () { ip netns del $near; ip netns del $far; }
# apart N COMMAND…: one rank here, the others there.
apart () (
  n_ranks=$1
  shift
  exec ip netns exec $near unshare --uts sh -c 'hostname reel-a && echo $$ > started && exec "$@"' sh \
    timeout -k 2 120 mpirun --oversubscribe --allow-run-as-root --enable-recovery --mca plm_rsh_agent "$PWD/agent" \
    --mca btl_tcp_if_include 10.213.7.0/24 --mca oob_tcp_if_include 10.213.7.0/24 \
    -H 10.213.7.1:1,10.213.7.2:$((n_ranks - 1)) -n "$n_ranks" "$@"
)
if lent > lent.log 2>&1; then
  printf '%s\n' '#!/bin/sh' shift "exec ip netns exec $far unshare --uts sh -c \"hostname reel-b && \$*\"" > agent
  chmod +x agent
  distant () { apart 3 "$(command -v collect)" $alone --out "$PWD/distant" --quiet && replay diff alone distant; }
  check 'two networks: the rows are those of one process' gives 0 'the same 2,000 rows' distant
  # mpirun may wait for ever where all ranks of a machine were killed.
  far_killed () {
    apart 3 "$tests/rank-tests" drop > killed.log 2>&1 &
    pid=$!
    await $pid grep -q 'End of ranks tests' killed.log
    kill -TERM "$(cat started)"
    wait $pid
    grep '^ok 1 ' killed.log || { cat killed.log; return 1; }
  }
  check 'two networks: other ranks take the lanes over' far_killed
else
  skip 'two networks' "the kernel lends no network namespaces: $(tail -n 1 lent.log)"
fi
returned > lent.log 2>&1
plan
