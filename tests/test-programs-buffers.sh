#!/bin/sh
# replay with buffers: writes them anew, draws from them. Prints TAP.
. "${srcdir:-.}/tests/programs.sh"
golden=$srcdir/tests/data/torchrl
rows () { replay rows --json "$@" | sed 's/^{"row":[0-9]*,//'; }
collect --env CartPole --frames 2000 --capacity 800 --out ring --quiet > log

# ---- replay convert
check 'convert prints the path alone' gives 0 '^same$' replay convert ring same
check 'without options the rows keep their slots' sh -c \
  'replay info --digest --json ring | grep -o "\"sha256\":\"[0-9a-f]*\"" > a
   replay info --digest --json same | grep -o "\"sha256\":\"[0-9a-f]*\"" | cmp - a &&
   cmp ring/storage/observation.memmap same/storage/observation.memmap'
check 'in order of time the ring begins in slot 0, and a step is spare' gives 0 \
  '^{"path":"ordered","length":800,"capacity":808,"ndim":2,"dropped":0,"truncated":0}$' \
  replay convert ring ordered --chronological --json
first_row () { dd if="$1/storage/collector/traj_ids.memmap" bs=64 count=1 skip="$2" 2> log | od -An -td8; }
check 'really' same "$(first_row ordered 0)" "$(first_row ring "$(replay --json ring | sed 's/.*"cursor":\([0-9]*\).*/\1/')")"
check 'all rows are there' same "$(rows ordered | cksum)" "$(rows ring | cksum)"
check 'with what collect said of them' gives 0 '^800 rows of 10 keys are inside' replay check ordered
check 'the newest fit a smaller one' gives 0 '"length":104,"capacity":104,"ndim":2,"dropped":696' \
  replay convert ring small --capacity 100 --json
check 'which is said' gives 0 'the oldest 696 rows have no room in 104' \
  replay convert ring small --capacity 100 --force
check 'they are the newest' same "$(rows small | cksum)" "$(rows ring -- -104: | cksum)"
check 'one lane after the other, cut where they meet' gives 0 \
  'the last rows of [1-8] lanes are marked as truncated' replay convert ring flat --ndim 1
check 'in one dimension' gives 0 '"capacity":801,.*"shape":\[801\]' replay --json flat
check 'more dimensions of lanes' gives 0 '"shape":\[100,8,1\]' sh -c \
  'replay convert ring three --ndim 3 --capacity 800 > log && replay --json three'
check 'and back' sh -c 'replay convert three back --ndim 2 --capacity 800 > log && replay --json back | grep "\[100,8\]"'
check 'what TorchRL wrote is converted' gives 0 '"ndim":1,' \
  replay convert --read-only "$golden/rb-collector-cartpole/dump" theirs --ndim 1 --json
itself () { cp -r ring own && gives 1 'own: a checkpoint is there' replay convert own own && diff -r own ring; }
check 'a run is not written upon itself' itself
check 'not into itself' gives 2 'ring/inner/copy is inside ring; choose another' replay convert ring ring/inner/copy
check 'nor in the place of what holds it' gives 2 '\. would replace the parent of ring;' replay convert ring . --force
check 'a run is not replaced by rows that cannot be resumed' gives 2 'ring is a run, .* choose another' \
  replay convert ring ring --chronological --force
check 'by no other name' sh -c 'ln -s ring link && ! replay convert ring link --force 2> log && rm link && [ -e ring/reel.ring ]'
check 'a dump in its place' gives 0 '"length":800,' replay convert same same --chronological --force --json
check 'what stands there is not replaced' gives 1 'same: a checkpoint is there; choose another path, or replace it by --force ' replay convert ring same
check 'but by --force' gives 0 '^same$' replay convert ring same --force
not_a_checkpoint () { mkdir -p mine && echo precious > mine/file && gives 1 'mine' replay convert ring mine --force && grep -q precious mine/file; }
check 'and never anything else' not_a_checkpoint
check 'each observation once' gives 0 '^once$' replay convert ring once --checkpointer flat
check 'or a trajectory a piece' gives 0 '^cut$' replay convert once cut --checkpointer nested
digests () { replay --json --digest "$1" | grep -o '"sha256":"[0-9a-f]*"' | LC_ALL=C sort; }
same_rows () { digests "$1" > one && digests "$2" > two && cmp one two; }
check 'and back to rows as in memory' sh -c 'replay convert cut again > log && ls again/storage/next > log'
check 'of the same rows' same_rows ring again
check 'every command reads them' sh -c 'replay fsck once > log && replay rows cut 0:3 > log && replay sample once > log && replay check once > log'
frames='cat-frames:n=3,dim=-1,in-keys=[observation,next/observation],out-keys=[stack,next/stack]'
online () {
  collect --env 'CartPole|cat-frames:n=3,dim=-1,in-keys=observation,out-keys=stack' --num-envs 8 --frames 800 \
    --out online --quiet && collect --env CartPole --num-envs 8 --frames 800 --out plain --quiet
}
online > log
check 'transforms are applied to all rows' sh -c 'replay convert plain offline --transform "$1"' sh "$frames"
check 'as in an environment' gives 0 '^the same 800 rows$' replay diff online offline
check 'lane after lane too' gives 0 '"length":800,.*"ndim":1,.*"truncated":8' \
  replay convert plain lanes --transform "$frames" --ndim 1 --json
check 'transforms of what is written, too' gives 0 '^returns$' \
  replay convert plain returns --transform 'reward-to-go:out-keys=returns' --checkpointer flat
check 'which are in every layout' gives 0 '^returns ' replay info returns
check 'in the place of a dump' gives 0 '^offline$' replay convert offline offline --transform 'exclude:keys=stack' --force
check 'a transform that needs an environment is named' gives 1 'frame-skip repeats the actions of an environment' \
  replay convert plain never --transform 'frame-skip:frame-skip=2'
check 'one that is not there as well' gives 2 'did you mean "reward-sum"' replay convert plain never --transform rewad-sum
check 'nothing is left of it' [ ! -e never ]
if [ "$HDF5" != no ]; then
  check 'in one HDF5 file' gives 0 '^one-file$' replay convert cut one-file --checkpointer h5
  check 'of the same rows too' same_rows ring one-file
else
  check 'what is left out of the build is named' gives 1 '"h5" needs HDF5, .* --without-hdf5' \
    replay convert cut one-file --checkpointer h5
fi
# Nothing but what it says is read: rows that are all gone are not missed.
without_rows () {
  for kept in ring once cut one-file; do
    [ -d $kept ] || continue
    rm -rf bare && cp -r $kept bare || return
    find bare \( -name '*.memmap' -o -name '*.h5' \) -exec sh -c ': > "$0"' {} \;
    replay info bare > log 2>&1 && echo "$kept has rows" && return 1
    replay spec $kept > one && replay spec bare > two && cmp one two || return
  done
}
check 'specs are told without a look at rows' without_rows
check 'in order, of a dimension less' gives 0 '"ndim":1,' replay convert cut ordered-once --ndim 1 --checkpointer flat --json
check 'a checkpointer that there is not' gives 2 '"flat"' replay convert ring other --checkpointer flap
check 'data without trajectories are told' gives 2 'next/done' replay convert "$golden/rb-pytree/dump" other --checkpointer flat
check 'a source is needed' gives 2 'directory is missing' replay convert
check 'and a place' gives 2 'cannot convert ring: name the directory' replay convert ring
check 'no third word' gives 2 '"c"' replay convert a b c
check 'a source that is not there' gives 1 'nowhere' replay convert nowhere other
check 'a source that is no buffer' gives 3 'mine' replay convert mine other
check 'a place without a parent' gives 1 'no/where' replay convert ring no/where --ndim 1
check 'a number of dimensions that cannot be' gives 2 '--ndim cannot be 4: it must be 1 to 3' replay convert ring other --ndim 4
check 'a capacity that is not a number' gives 2 'capacity' replay convert ring other --capacity many
check 'one below a step of the lanes' gives 2 'no room for a step of 8 lanes' replay convert ring other --ndim 1 --capacity 7
check 'one beyond the disk' gives 4 'needed, .* available' replay convert ring other --capacity 1e13
check 'a command that is like none' gives 2 'no command and no directory "turn"' replay turn ring
check 'an option that is not there' gives 2 'did you mean --capacity' replay convert ring other --capacty 7
check 'and nothing is left of it' sh -c '! ls -d other .*.tmp 2> log'
killed () {
  for call in fsync renameat2 fallocate; do
    ASAN_OPTIONS=detect_leaks=0 strace -f -qq -o log -e trace=$call -e inject=$call:signal=KILL:when=1 \
      replay convert ring killed --ndim 1 > out 2>&1
    { [ ! -e killed ] || replay --read-only killed > log; } || return 1
  done
  replay convert ring killed --ndim 1 --force > out 2>&1 && ! ls -d .killed* 2> log
}
if strace -o log true 2> log; then
  check 'a kill leaves nothing half written, and the next call clears up' killed
else
  skip 'a kill leaves nothing half written, and the next call clears up' 'no strace here'
fi
# calls_of CALL COMMAND…: how often it makes this call
calls_of () { call=$1; shift; strace -f -qq -o calls -e trace="$call" "$@" > out 2>&1; grep -c "$call(" calls; }
# leaves_nothing SIGNAL STATUS COMMAND…: from its first new directory on, whatever it makes or writes when a signal
# comes; what was done by then may stand.
leaves_nothing () {
  signal=$1 status=$2
  shift 2
  for call in mkdirat fallocate pwrite64 fsync renameat2; do
    rm -rf made
    nth=$(calls_of $call "$@")
    while [ "$nth" -gt 0 ]; do
      rm -rf made
      ASAN_OPTIONS=detect_leaks=0 strace -f -qq -o log -e trace=$call -e inject=$call:signal="$signal":when="$nth" "$@" > out 2> err
      ended=$?
      { [ $ended = "$status" ] && [ ! -e made ]; } || { [ $ended = 0 ] && [ -e made ]; } || return 1
      ! ls -d .made* 2> log || return 1
      nth=$((nth - 1))
    done
  done
}
if strace -o log true 2> log; then
  check 'an interrupt leaves nothing of a copy' leaves_nothing INT 130 replay convert ring made --ndim 1
  check 'nor do other ways to end it' leaves_nothing TERM 143 replay convert ring made --checkpointer flat
  check 'nor of an ensemble' leaves_nothing HUP 129 replay merge ring same --out made
else
  skip 'an interrupt leaves nothing of a copy' 'no strace here'
fi

# ---- replay sample
check 'more batches than fit are refused before the first is written' gives 4 '^replay: many: .* needed' \
  replay sample ring --batches 1e15 --out many
check 'what transforms draw beside a batch counts' gives 4 '^replay: --batch-size 1000000: .* of memory needed' replay sample \
  ring --batch-size 1e6 --transform 'cat-frames:n=1000000,dim=-1,in-keys=[observation],keep-last=true' --out many
check 'sample --out prints the path alone' gives 0 '^drawn$' replay sample ring --batches 3 --batch-size 32 --out drawn
check 'which holds a tensordict a batch' same "$(ls drawn | tr '\n' ' ')" '0 1 2 '
check 'of the rows that were asked for' same "$(wc -c < drawn/2/observation.memmap | tr -d ' ')" 512
check 'with what is stored and where it was' test -f drawn/0/index.memmap -a -f drawn/0/next/observation.memmap
check 'the same that is printed without it' same \
  "$(replay sample ring --batches 3 --batch-size 32 --json --transform 'select:keys=[index]' | tail -1 | grep -o '"index":.*' | tr -c '0-9' '\n' | grep . | tr '\n' ' ')" \
  "$(od -An -td8 -v drawn/2/index.memmap | tr -s ' \n' '  ' | sed 's/^ //')"
check 'as one JSON object' gives 0 '^{"path":"other2","sampler":"without-replacement","batches":4,"rows":800}$' \
  replay sample ring --sampler without-replacement --batches 4 --out other2 --json
check 'by any sampler' gives 0 '"sampler":"slice:seed=7,num-slices=4","batches":1,"rows":64' \
  replay sample ring --sampler slice:num-slices=4 --seed 7 --batch-size 64 --out slices --json
check 'a seed in its text is one' sh -c 'replay sample ring --json --seed 3 > a; replay sample ring --json --sampler random:seed=3 | cmp - a'
check 'what only changes rows that are written is refused' gives 2 'changes rows where they are written' \
  replay sample ring --transform multi-step:n-steps=3
check 'a fraction wants another directory' gives 2 'without --offline: name the directory' \
  replay sample ring --offline-fraction 0.5
check 'which is a number' gives 2 'offline-fraction cannot be "nan": it must be a number' \
  replay sample ring --offline same --offline-fraction nan
check 'a line a batch' sh -c '[ $(replay sample ring --json --batches 5 | sort -u | wc -l) = 5 ]'
check 'through transforms' gives 0 '^{"action":\[\[.*\]\],"done":\[[^"]*"index":\[[^"]*$' \
  replay sample ring --json --batch-size 2 --transform 'exclude:keys=[collector,next]|select:keys=[action]'
check 'batches drawn ahead are the same' sh -c \
  'replay sample ring --json --batches 9 > a; replay sample ring --json --batches 9 --prefetch 3 | cmp - a'
check 'kept, too' sh -c 'replay sample ring --batches 3 --batch-size 32 --prefetch 2 --out ahead && diff -r drawn ahead'
check 'a prefetch that cannot be' gives 2 '--prefetch cannot be -1: it must be 0 to 1024' replay sample ring --prefetch=-1
check 'what stands at --out stays' gives 1 'cannot write drawn: it exists; choose another path' replay sample ring --out drawn
check 'an unknown sampler gets the closest' gives 2 '^replay: --sampler: .*did you mean "slice"' replay sample ring --sampler slcie
check 'an unknown property of one, too' gives 2 'num-slices' replay sample ring --sampler slice:num-slcies=2
check 'and a transform' gives 2 '^replay: --transform: .*did you mean "select"' replay sample ring --transform selct
check 'what the sampler says is said' gives 1 'divisible by the number of slices' replay sample ring --sampler slice:num-slices=3
check 'with the batch' gives 1 '^replay: undrawn: batch 0: The batch-size' replay sample ring --sampler slice:num-slices=3 --out undrawn
check 'batches that are no number' gives 2 '--batches cannot be' replay sample ring --batches many
check 'or none' gives 2 '--batches cannot be 0' replay sample ring --batches 0
indices () {
  from=$1
  shift
  replay sample --read-only "$golden/$from/dump" --json --batch-size 12 "$@" 2> said | sed 's/.*"index":\(\[[^]]*\]\).*/\1/'
}
weights () {
  from=$1
  shift
  replay sample --read-only "$golden/$from/dump" --json --batch-size 12 "$@" 2> said | sed 's/.*"priority_weight":\(\[[^]]*\]\).*/\1/'
}
check 'the saved sampler goes on: the rest of its pass' same "$(indices rb-swr-mid)" '[5,4,7,3,6]'
check 'and its priorities' sh -c "echo '$(weights rb-per-updated)' | grep -q '0.00107896549'"
check 'a sampler of the same kind keeps them' same "$(weights rb-per-updated --sampler prioritized)" "$(weights rb-per-updated)"
check 'with the properties that its text sets' same "$(weights rb-per-updated --sampler prioritized:beta=0)" \
  '[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0]'
check 'so does another class of that kind' sh -c \
  "echo '$(weights rb-per-updated --sampler prioritized-slice:slice-len=2)' | grep -q '0.00107896549'"
check 'another seed draws otherwise, by the same priorities' sh -c \
  "echo '$(weights rb-per-updated --seed 5)' | grep '0.00107896549' && [ '$(indices rb-per-updated --seed 5)' != '$(indices rb-per-updated)' ]"
check 'another kind says that it does not' gives 0 \
  '^replay: --sampler random does not use the state of the prioritized sampler in .*rb-per-updated/dump$' \
  replay sample --read-only "$golden/rb-per-updated/dump" --sampler random
check 'the batch size is the saved one' gives 0 'batch_size=torch.Size(\[3\])' \
  replay sample --read-only "$golden/rb-swr-mid/dump"
check 'an --out without a parent' gives 1 'no/where' replay sample ring --out no/where
drawn_and_killed () {
  for call in fsync renameat2; do
    ASAN_OPTIONS=detect_leaks=0 strace -f -qq -o log -e trace=$call -e inject=$call:signal=KILL:when=1 \
      replay sample ring --batches 3 --out undrawn > out 2>&1
    [ ! -e undrawn ] || return 1
  done
  replay sample ring --batches 3 --out undrawn > out 2>&1 && ! ls -d .undrawn* 2> log
}
interrupted () {
  ASAN_OPTIONS=detect_leaks=0 strace -f -qq -o log -e trace=mkdirat -e inject=mkdirat:signal=INT:when="$1" \
    replay sample ring --batches 9 --batch-size 32 --out interrupted > out 2> err
  same $? 130 && grep -q "interrupted after $2 of 9 batches" err && ! ls -d .interrupted* 2> log
}
if strace -o log true 2> log; then
  check 'a kill leaves all batches or none' drawn_and_killed
  check 'an interrupt leaves those that are whole' interrupted 6 2
  check 'the same as without it' sh -c 'cat out && same () { diff -r drawn/$1 interrupted/$1; }; same 0 && same 1 && [ ! -e interrupted/2 ]'
  rm -rf interrupted
  check 'and nothing where there is none yet' interrupted 1 0
  check 'really' test ! -e interrupted
else
  skip 'a kill leaves all batches or none' 'no strace here'
fi

# ---- replay audit
check 'audit says what it drew and that it is as defined' gives 0 '^as defined$' replay audit ring
for sampler in random without-replacement without-replacement:drop-last=true slice:num-slices=32 \
  slice:num-slices=32,strict-length=false slice:slice-len=8,span-left=3 slice-without-replacement:num-slices=32 \
  prioritized:max-capacity=1000,alpha=0.7,beta=0.5 prioritized-slice:num-slices=32,alpha=0.7 \
  prioritized-slice:slice-len=8,span-right=3,strict-length=false consuming consuming:max-sample-count=3 \
  staleness-aware:version-key=collector/traj_ids,consumer-version=70 \
  staleness-aware:version-key=collector/traj_ids,consumer-version=70,max-staleness=9 \
  sequence:length=4,burn-in=2,bootstrap=2 sequence:length=4,burn-in=2,bootstrap=2,episode-boundary=stop \
  sequence:length=5,burn-in=2,bootstrap=1,dilation=3,episode-boundary=include-reset \
  'sequence:length=8,sampler=(prioritized:max-capacity=1000,alpha=0.7,beta=0.5)' \
  'sequence:length=8,done-key=,sampler=(without-replacement)' \
  'sequence:length=8,sampler=(staleness-aware:version-key=collector/traj_ids,consumer-version=70)'; do
  check "$sampler is" gives 0 '"as_defined":true' replay audit ring --sampler "$sampler" --batches 4000 --json
done
check 'one object has the counts' gives 0 \
  '^{"sampler":"random","as_defined":true,"batches":10,"batch_size":256,"drawn":2560,"passes":0,"twice":0,"missed":0,"tests":\[{"of":"rows","categories":800,"bins":[0-9]*,"chi_square":[0-9.]*,"degrees":[0-9]*,"p":0[.][0-9]*,"table":\[{"first":0,"last":99,"expected":3[12][0-9.]*,"seen":' \
  replay audit ring --batches 10 --json
check 'passes that consume all rows are counted' gives 0 '^passes   2, in which 0 came too often and 0 too seldom$' \
  replay audit ring --sampler consuming --batches 8
check 'windows that do not divide a batch' gives 1 'divisible by the rows of a sequence' replay audit ring --sampler sequence:length=3
check 'versions that are not there' gives 2 "Could not find key 'policy_version'" replay audit ring --sampler staleness-aware
check 'slices that do not divide a batch' gives 1 'divisible by' replay audit ring --sampler slice:num-slices=3
check 'slices that cannot be told apart' gives 1 'several lengths without a truncated-key' \
  replay audit ring --sampler "slice:num-slices=4,strict-length=false,truncated-key=''"
check 'audit of an unknown sampler' gives 2 'did you mean "random"' replay audit ring --sampler randm
check 'of nothing' gives 2 'directory is missing' replay audit
check 'of no buffer' gives 3 'mine' replay audit mine
check 'with draws that are none' gives 2 '--batches cannot be 0' replay audit ring --batches 0

# ---- readers that leave
collect --env CartPole --frames 50000 --out large --quiet > log
# leaves COMMAND…: whose first line is read, and no more. It says nothing, whether SIGPIPE ends it or nothing does.
leaves () {
  rm -f left.pipe
  mkfifo left.pipe
  "$@" > left.pipe 2> err &
  writer=$!
  exec 6< left.pipe
  read -r first <&6
  exec 6<&-
  wait $writer
  status=$?
  [ $status = 141 ] || [ $status = 0 ] || { echo "exit status $status"; cat err; return 1; }
  same "$(cat err)" ''
}
unsignalled () { (trap '' PIPE; leaves "$@"); }
for whose in leaves unsignalled; do
  check "$whose: rows" $whose replay rows large --json
  check "$whose: samples" $whose replay sample large --batch-size 20000 --json
  check "$whose: a table" $whose replay info large
  check "$whose: lists" $whose collect --list-envs
done
check 'and the directory is as it was' gives 0 '' replay fsck large

# ---- files that are cut while they are read
cut_file () {
  mkfifo cut.pipe || return
  replay rows large --json > cut.pipe 2> err &
  reader=$!
  exec 6< cut.pipe
  read -r first <&6
  : > large/storage/observation.memmap
  cat <&6 > log
  exec 6<&-
  wait $reader
  same $? 3 && grep -q '^replay: /.*large/storage/observation.memmap: .* was cut after it was opened' err
}
check 'a file that is cut is named' cut_file
plan
