#!/bin/sh
# replay ls, episodes and diff, the episodes of rows and render, and the lists of classes. Prints TAP.
. "${srcdir:-.}/tests/programs.sh"
pid=
trap '[ -z "$pid" ] || kill -KILL "$pid"; rm -rf "$scratch"' EXIT
quiet () { "$@" >log 2>&1 || cat log; }

quiet collect --env CartPole --frames 4000 --seed 1 --out runs/whole
quiet collect --env CartPole --frames 20k --capacity 2000 --out runs/ring
quiet collect --env Pendulum --frames 800 --out runs/open
quiet replay convert runs/ring dump
quiet replay merge runs/whole runs/ring --out both

# ---- episodes
# The naive answer from the rows alone: lane, first row, length, return, whole.
naive () {
  replay rows "$1" --json --keys next/reward,next/done | tr -c '0-9a-z.\n-' ' ' | awk -v wrapped="$2" '
    { row = $2; reward = $5; done = $8; lane = row % 8
      if (!(lane in length_of)) { first[lane] = row; length_of[lane] = 0; sum[lane] = 0 }
      length_of[lane]++; sum[lane] += reward
      if (done == "true") { say(lane, !(wrapped && first[lane] < 8)); delete length_of[lane] } }
    END { for (lane in length_of) say(lane, 0) }
    function say (lane, whole) { print lane, first[lane], length_of[lane], sum[lane], whole ? "true" : "false" }' | sort
}
listed () {
  replay episodes "$1" --json | sed 's/"first_step":[0-9]*,//; s/.*"lane":\([0-9]*\),"first_row":\([0-9]*\),"length":\([0-9]*\),"return":\([0-9.-]*\),.*"whole":\([a-z]*\)}/\1 \2 \3 \4 \5/; s/\.0 / /' | sort
}
check 'replay episodes lists what the rows say' same "$(listed runs/whole)" "$(naive runs/whole)"
check 'also of a ring that went round, whose oldest episodes are cut' same "$(listed runs/ring)" "$(naive runs/ring 1)"
check 'both have whole episodes and others' sh -c \
  'for run in whole ring; do for whole in true false; do replay episodes runs/$run --json | grep -q "whole\":$whole" || exit 1; done; done'
check 'info counts the same' sh -c \
  'replay --json runs/ring | grep "\"whole\":$(replay episodes runs/ring --json | grep -c "whole\":true"),"'
returns () { replay episodes "$@" --json | sed 's/.*"return":\([0-9.-]*\),.*/\1/'; }
check '--best are the highest returns' same "$(returns runs/ring --best 5)" \
  "$(replay episodes runs/ring --json | grep 'whole":true' | sed 's/.*"return":\([0-9.-]*\),.*/\1/' | sort -rn | head -5)"
check '--worst are the lowest' same "$(returns runs/ring --worst 5)" \
  "$(replay episodes runs/ring --json | grep 'whole":true' | sed 's/.*"return":\([0-9.-]*\),.*/\1/' | sort -n | head -5)"
check '--sort orders' same "$(returns runs/ring --sort return --reverse)" "$(returns runs/ring | sort -rn)"
check 'the table has a line an episode' same "$(replay episodes runs/ring | sed 1d | wc -l)" "$(replay episodes runs/ring --json | wc -l)"
check 'what has not ended is shown so' gives 0 '^ *0  *0  *0  *100  *-[0-9.]*  not ended$' replay episodes runs/open
check 'members of an ensemble are listed one after the other' same \
  "$(replay episodes both --json | wc -l)" "$(($(listed runs/whole | wc -l) + $(listed runs/ring | wc -l)))"
# Lengths, returns and whether they are whole; a cut end is marked as truncated in the rows alone.
described () { listed "$1" | cut -d' ' -f3- | sort; }
for run in runs/ring both; do
  for form in --chronological '--ndim 1'; do
    quiet replay convert $run again $form --force
    check "$run $form cuts no other episodes" same "$(described again)" "$(described $run)"
  done
done
quiet replay convert both one --flatten
check 'nor do members in one buffer' same "$(described one)" "$(described both)"
quiet replay convert one again --force --ndim 1 --checkpointer flat
check 'nor a copy of it' same "$(described again)" "$(described both)"
check 'a cut end is shown so' gives 0 ' not ended$' replay episodes one
check 'and a lost start' gives 0 ', start lost$' replay episodes one
rm -rf again one
check 'an unknown order is refused' gives 2 'end, lane, length or return' replay episodes runs/ring --sort size
check 'two choices exclude each other' gives 2 'cannot combine' replay episodes runs/ring --best 1 --worst 1
check 'no directory is said' gives 2 'directory is missing' replay episodes

# ---- rows that are several steps: of the same run as steps, the episodes are the same
quiet collect --env CartPole --frames 2000 --num-envs 4 --out steps
quiet collect --env CartPole --frames 800 --num-envs 4 --postproc multi-step:n-steps=3 --out summed
check 'returns are sums of the rewards of one step, where those of n steps are stored' same \
  "$(replay episodes summed --json | sed 's/.*"length":\([0-9]*\),"return":\([0-9]*\).*/\1 \2/' | awk '$1 != $2' | wc -l | tr -d ' ')" 0
rm -r summed
quiet collect --env CartPole --frames 2000 --num-envs 4 --split-trajs --capacity 200 --out split
quiet collect --env CartPole --frames 2000 --num-envs 4 --split-trajs --capacity 30 --out last
quiet collect --env CartPole --frames 2000 --num-envs 4 --ndim 1 --storage tensor --capacity 50 --frames-per-batch 400 --out lanes
check 'padded trajectories are the episodes of the run' same "$(described split)" "$(described steps)"
check 'the newest stay in a ring' same "$(listed last | cut -d' ' -f3- | sort)" \
  "$(replay episodes split --json | tail -n 30 | sed 's/.*"length":\([0-9]*\),"return":\([0-9.-]*\),.*"whole":\([a-z]*\)}/\1 \2 \3/; s/\.0 / /' | sort)"
counted () { replay "$1" --json | grep -o '"episodes":{[^}]*'; }
check 'pieces of lanes are joined to as many' same "$(counted lanes)" "$(counted steps)"
check 'episodes begin in the midst of their rows' gives 0 '^ *1 *0   0 step 12 *16 *16  terminated$' replay episodes lanes
check 'their steps are printed without padding' same "$(replay rows split --episode 3 --json --keys collector/mask | grep -c true)" \
  "$(replay episodes split --json | sed -n '4s/.*"length":\([0-9]*\),.*/\1/p')"
check 'and drawn' gives 0 'an episode of 16 steps' render split --episode 1 --sheet padded.png
rm -rf steps split last lanes

# ---- rows and pictures of an episode
rows_of () { replay rows "$1" --episode "$2" --json --keys next/reward | sed 's/.*"row":\([0-9]*\),.*/\1/'; }
expected_rows () {
  replay episodes "$1" "$2" 1 --json | sed 's/.*"first_row":\([0-9]*\),"length":\([0-9]*\),.*/\1 \2/' |
    { read -r first length; seq "$first" 8 $((first + 8 * (length - 1))); }
}
check 'rows --episode best are the rows of the best' same "$(rows_of runs/ring best)" "$(expected_rows runs/ring --best)"
check 'and of the worst' same "$(rows_of runs/ring worst)" "$(expected_rows runs/ring --worst)"
check 'a number is that of replay episodes' same "$(rows_of runs/ring 12 | wc -l)" \
  "$(replay episodes runs/ring --json | sed -n '13s/.*"length":\([0-9]*\),.*/\1/p')"
check 'the longest of an ensemble names its member' gives 0 '"buffer":"[01]"' replay rows both --episode longest --json
check 'an episode that is not there is refused' gives 2 'there is no episode 9999' replay rows runs/ring --episode 9999
check 'a word that is none is refused' gives 2 'best, worst, longest or shortest' replay rows runs/ring --episode middle
check 'a range and an episode exclude each other' gives 2 'both --episode and the range' replay rows runs/ring 1:2 --episode 1
check 'render takes the same words' gives 0 \
  "an episode of $(replay episodes runs/ring --best 1 --json | sed 's/.*"length":\([0-9]*\),.*/\1/') steps" \
  render runs/ring --episode best --sheet best.png
check 'and refuses others' gives 2 'best, worst, longest or shortest' render runs/ring --episode middle --sheet no.png

# ---- diff
quiet replay convert runs/whole flat --checkpointer flat
quiet replay convert runs/open nested --checkpointer nested
[ "$HDF5" = no ] || quiet replay convert runs/open h5 --checkpointer h5
check 'a dump holds the rows of its run' gives 0 '^the same 2,000 rows$' replay diff runs/ring dump
check 'so does a flat checkpoint' gives 0 '^the same 4,000 rows$' replay diff runs/whole flat
check 'and a nested one' gives 0 '^the same 800 rows$' replay diff runs/open nested
[ "$HDF5" = no ] || check 'and one in HDF5' gives 0 '^the same 800 rows$' replay diff h5 runs/open
check 'and a member of an ensemble' gives 0 '^the same 2,000 rows$' replay diff both/storage/1 dump
check 'two ensembles are compared by members' gives 0 '^the same 6,000 rows$' replay diff both both
check 'as JSON' same "$(replay diff runs/ring dump --json)" '{"same":true,"rows":2000}'
# One byte: element 2 of row 200 of float32 [4], in file order as in order of time.
cp -r runs/whole changed
printf '\001\002\003\004' | dd of=changed/storage/next/observation.memmap bs=1 seek=$((200 * 16 + 8)) conv=notrunc 2>log
check 'the first row that differs is named' gives 1 '^row 200, next/observation\[2\]: .* in A, 1.53998961443[0-9e-]* in B$' replay diff runs/whole changed
check 'as JSON too' gives 1 '^{"same":false,"buffer":null,"row":200,"key":"next/observation","element":\[2\],"a":' replay diff runs/whole changed --json
every_row () {
  for row in 0 7 8 1999 3999; do
    rm -rf other && cp -r runs/whole other &&
    printf '\377' | dd of=other/storage/next/reward.memmap bs=1 seek=$((row * 4 + 1)) conv=notrunc 2>log
    gives 1 "^row $row, next/reward\[0\]: " replay diff other runs/whole || return 1
  done
}
check 'wherever it is' every_row
quiet replay convert runs/whole fewer --capacity 800
check 'fewer rows differ' gives 1 '^row 0, ' replay diff runs/whole fewer
quiet collect --env CartPole --frames 4800 --seed 1 --out runs/longer
check 'rows of one alone are counted' gives 1 '^row 4000: only in B: A has 4000 rows, B 4800$' replay diff runs/whole runs/longer
quiet replay convert runs/whole lanes --ndim 1
check 'other lanes are compared lane by lane' gives 1 "^row $(replay episodes runs/whole --json | grep '"lane":0' | sed 's/.*"length":\([0-9]*\),.*/\1/' | awk '{ n += $1 } END { print n - 1 }'), next/" replay diff runs/whole lanes
check 'keys and types are compared' gives 1 '^action: int64 \[2\] in A, float32 \[1\] in B$' replay diff runs/whole runs/open
check 'an ensemble is no buffer' gives 1 'A is an ensemble of 2, B one buffer' replay diff both dump
check 'a diff of one is refused' gives 2 'second directory is missing' replay diff dump
cp -r runs/open bad && truncate -s 100 bad/storage/action.memmap
check 'and of one that is damaged' gives 3 'bad/storage/action.memmap' replay diff runs/open bad

# ---- ls
mkdir -p empty deep/a/b && cp -r runs/open deep/a/b/c && ln -s ../runs runs/link && mkdir .hidden && cp -r runs/open .hidden/run
replay ls >out 2>err
check 'replay ls lists what is below' same "$(sed '1d; s/ .*//' out | tr '\n' ' ')" \
  "$(for dir in bad both changed deep/a/b/c dump fewer flat $([ "$HDF5" = no ] || echo h5) lanes nested other runs/longer runs/open runs/ring runs/whole; do printf '%s ' $dir; done)"
check 'with env, policy, seed, rows, episodes and return' grep -q \
  "^runs/whole  *CartPole-v1  random  *1  4,000  *$(listed runs/whole | grep -c true)  *[0-9.]*  *[0-9.]* KiB  *[0-9]* s$" out
check 'one that is damaged among the others' grep -q '^bad .*  damaged$' out
check 'and why' grep -q '^replay: bad/storage/action.memmap: ' err
check 'which is no failure' gives 0 '' replay ls
check 'as JSON, a line each' same "$(replay ls --json | grep -c '^{"path":".*"fault":.*}$')" "$(($(lines_of out) - 1))"
check 'the mean return is that of info' same "$(replay ls runs/ring --json | sed 's/.*mean_return":\([^,]*\),.*/\1/')" \
  "$(replay --json runs/ring | sed 's/.*"return":{"min":[^,]*,"mean":\([^,]*\),.*/\1/')"
check 'a run itself is listed alone' same "$(replay ls runs/ring | wc -l)" 2
check '--depth ends the search' same "$(replay ls deep --depth 2 2>&1)" 'replay: deep contains no runs and no saved buffers'
check 'an empty directory is said' gives 0 'empty contains no runs and no saved buffers' replay ls empty
check 'one that is missing is a failure' gives 1 'nosuch' replay ls nosuch
check 'a file is not a directory' gives 1 'out' replay ls out
collect --env Acrobot --capacity 10k --quiet --out live >log 2>&1 &
pid=$!
until [ -f live/reel.ring ] && replay ls live 2>log | grep -q ' live$'; do kill -0 $pid || break; done
check 'one that is being written is live' gives 0 '  live$' replay ls live
check 'and is no subject of diff' gives 1 'still being written' replay diff live live
check 'its episodes are listed' gives 0 '^episode' replay episodes live
kill -KILL $pid && wait $pid 2>log
pid=
check 'one whose writer was killed is said' gives 0 '  killed$' replay ls live
if script -qec true log >log2 2>&1; then
  script -qec 'stty cols 80; replay ls' typescript >log 2>&1
  check 'on a terminal no line is wider' sh -c 'grep -q "^runs/ring" log && ! tr -d "\r" <log | grep -v "^replay:" | grep "^.\{81\}"'
else
  skip 'on a terminal no line is wider' 'no script here'
fi

# ---- names and batches
for name in out.csv out.NDJSON out.npz; do
  check "convert refuses to make a directory of the name $name" gives 2 "cannot write $name: .*'replay " replay convert runs/whole $name
  check 'and makes none' test ! -e $name
done
check 'a name of HDF5 gets the option' gives 2 'replay export DIR OUT.h5' replay convert runs/whole out.h5
check 'sample refuses such a name too' gives 2 'cannot write out.csv' replay sample runs/whole --out out.csv
check 'and merge' gives 2 'cannot write out.csv' replay merge runs/whole runs/whole --out out.csv
quiet replay sample runs/whole --batch-size 8 --batches 3 --out drawn
same_rows () {
  replay sample runs/whole --batch-size 8 --batches 3 --json | grep -o '"index":\[\(\[[0-9,]*\],*\)*' | grep -o '\[[0-9]*,[0-9]*\]' >a
  replay rows drawn --json --keys index | grep -o '\[[0-9]*,[0-9]*\]' >b
  [ "$(wc -l <a)" = 24 ] && cmp a b
}
check 'replay rows reads the batches that sample saved' same_rows
check 'and info' gives 0 '^rows  *24 of 24$' replay info drawn
check 'and sample' gives 0 'torch.Size(\[5, 4\])' replay sample drawn --batch-size 5
check 'and diff' gives 0 '^the same 24 rows$' replay diff drawn drawn
check 'a single batch too' gives 0 '^rows  *8 of 8$' replay info drawn/1
check 'whose lines for Python load a TensorDict' gives 0 'TensorDict.load_memmap(".*/drawn/1")' replay info drawn/1 --python
check 'a storage without its buffer is no batch' gives 3 'buffer_metadata.json' replay info runs/whole/storage

# ---- classes
check 'samplers are listed where a sampler is taken' gives 0 '^slice  *slices of trajectories, with replacement$' replay sample --list-samplers
check 'wherever that is' same "$(replay sample --list-samplers)" "$(replay audit --list-samplers)"
check 'by the program as well' same "$(replay sample --list-samplers)" "$(replay --list-samplers)"
check 'with the names of TorchRL' gives 0 "^TorchRL's names  *ConsumingSampler " replay --list-samplers
check 'so are transforms' gives 0 '^cat-frames  *each step' replay sample --list-transforms
# transforms_of OPTION…: how many different answers the programs have that take --transform.
programs='collect
replay sample
replay convert
render'
transforms_of () {
  command -v render > log || programs=$(echo "$programs" | grep -v render)
  echo "$programs" | while read -r program; do $program "$@" 2>&1 | cksum; done | sort -u | wc -l | tr -d ' '
}
check 'of every program that takes one' same "$(transforms_of --list-transforms)" 1
check 'which describes one, also of a chain' same "$(transforms_of --transform 'resize|gray-scale' --describe)" 1
check 'by its arguments' gives 0 '^  w' replay convert --transform resize --describe
check 'checkpointers' gives 0 '^nested  *' replay convert --list-checkpointers
check 'writers' gives 0 '^max-value  *' replay --list-writers
check 'policies' gives 0 '^random  *uniform' collect --list-policies
check 'of render too' same "$(render --list-policies)" "$(collect --list-policies)"
check 'storages' gives 0 '^memmap  *in memory-mapped files$' collect --list-storages
check 'environments' same "$(render --list-envs)" "$(collect --list-envs)"
check 'as JSON' gives 0 '^\[{"id":"consuming","about":\|{"id":"slice","about":"slices of trajectories, with replacement"}' replay --list-samplers --json
check '--describe prints the arguments of what is named' gives 0 '^  num-slices=0  *slices of a batch' replay sample --sampler slice:num-slices=3 --describe
check 'and of what is listed' gives 0 '^  rank-key=next/reward  *the key' replay --list-writers --describe
every_argument () { replay sample --list-samplers --describe | sed -n 's/^  \([a-z-]*\)=.*/\1/p' | sort -u >a; replay sample --list-samplers --describe --json | grep -o '"name":"[a-z-]*"' | sed 's/.*:"//; s/"//' | sort -u | cmp - a; }
check 'all of them as JSON too' every_argument
check 'of a policy' gives 0 '^  seed=0  *which stream' collect --policy random --describe
check 'of a storage' gives 0 '^  capacity=' collect --storage memmap --describe
check 'of an environment and a policy at once' sh -c 'collect --env CartPole --policy random --describe | grep -A99 gravity=9.8 | grep "^random: "'
check '--describe of nothing says what it needs' gives 2 'needs --sampler or --list-samplers' replay audit --describe
check 'an unknown class gets the closest' gives 2 'did you mean "slice"' replay sample --sampler slicee --describe
wide () { for list in 'replay --list-samplers' 'replay --list-transforms' 'replay --list-storages' 'replay --list-writers' 'replay --list-checkpointers' 'replay --list-policies'; do
  $list --describe | awk -v of="$list" 'length > 80 { print of ": " $0; wide = 1 } END { exit wide }' || return 1; done; }
check 'lists are 80 columns wide' wide
check 'a wrong configuration is answered in the words of the command line' gives 2 '^replay: --sampler: slice: needs num-slices or slice-len$' replay sample runs/whole --sampler slice
check 'where both are given' gives 2 'slice: takes num-slices or slice-len, not both$' replay sample runs/whole --sampler slice:num-slices=2,slice-len=2
check 'of audit too' gives 2 'slice: needs num-slices or slice-len$' replay audit runs/whole --sampler slice
check 'of arguments that exclude each other' gives 2 'pad-output=true is incompatible with strict-length=true' replay sample runs/whole --sampler slice:slice-len=2,pad-output=true

# ---- completion
# complete_to WORDS… : what bash offers for the last of them.
complete_to () {
  bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _reel; echo "${COMPREPLY[*]}"' "$srcdir/docs/completion/reel.bash" "$@"
}
if command -v bash >log; then
  check 'bash completes commands' same "$(complete_to replay ep)" episodes
  check 'and those of help' same "$(complete_to replay help dif)" diff
  check 'options, once each' same "$(complete_to collect --frames)" '--frames --frames-per-batch'
  check 'those of a command' same "$(complete_to replay convert --chr)" --chronological
  check 'samplers' same "$(complete_to replay sample --sampler sl)" 'slice slice-without-replacement'
  check 'collectors' same "$(complete_to collect --collector sy)" sync
  check 'environments' same "$(complete_to collect --env CartP)" 'CartPole-v0 CartPole-v1'
  check 'words of an option' same "$(complete_to render --episode w)" worst
  check 'and leaves paths to the shell' same "$(complete_to replay info ru)" ''
else
  skip 'bash completes' 'no bash here'
fi
plan
