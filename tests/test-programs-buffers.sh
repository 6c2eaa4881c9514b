#!/bin/sh
# What replay does with buffers: writes them anew, draws from them. Prints TAP.
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
check 'in its place' gives 0 '"length":800,' replay convert ring ring --chronological --force --json
check 'what stands there is not replaced' gives 1 'same: a checkpoint stands there' replay convert ring same
check 'but by --force' gives 0 '^same$' replay convert ring same --force
not_a_checkpoint () { mkdir -p mine && echo precious > mine/file && gives 1 'mine' replay convert ring mine --force && grep -q precious mine/file; }
check 'and never anything else' not_a_checkpoint
check 'a source is needed' gives 2 'which directory' replay convert
check 'and a place' gives 2 'convert ring into which directory' replay convert ring
check 'no third word' gives 2 '"c"' replay convert a b c
check 'a source that is not there' gives 1 'nowhere' replay convert nowhere other
check 'a source that is no buffer' gives 3 'mine' replay convert mine other
check 'a place without a parent' gives 1 'no/where' replay convert ring no/where --ndim 1
check 'a number of dimensions that cannot be' gives 2 '--ndim cannot be 4: it must be 1 to 3' replay convert ring other --ndim 4
check 'a capacity that is no number' gives 2 'capacity' replay convert ring other --capacity many
check 'one below a step of the lanes' gives 2 'no room for a step of 8 lanes' replay convert ring other --ndim 1 --capacity 7
check 'one beyond the disk' gives 4 'needed, .* available' replay convert ring other --capacity 1e13
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
plan
