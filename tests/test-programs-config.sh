#!/bin/sh
# The options of collect in files, the ends of runs, and what its collector makes of the rows. Prints TAP.
. "${srcdir:-.}/tests/programs.sh"

all_of () { (cd "$1" && find . -type f | sort | xargs sha256sum) | sha256sum; }
lines () { printf '%s\n' '[collect]' "$@" > file.conf; }

# ---- --config
lines '# a comment' 'env = CartPole' 'num_envs=3' 'seed=7' 'total-frames=300' '' 'policy=random' 'quiet=true'
check 'a file gives the options' gives 0 '^from-file$' collect --config file.conf --out from-file
collect CartPole --num-envs 3 --seed 7 --frames 300 --out from-words --quiet > log
check 'they are as good as those of the command line' same "$(all_of from-file)" "$(all_of from-words)"
check 'a run has its own, which make it again' gives 0 '^again$' collect --config from-words --out again --quiet
check 'to the byte' same "$(all_of again)" "$(all_of from-words)"
check 'they can be printed as a file' gives 0 '^env=CartPole-v1:num-envs=3,seed=7$' collect --config from-words --print-config
collect --config from-words --print-config > printed.conf
check 'whose run is the same' sh -c 'collect --config printed.conf --out printed --quiet'
check 'to the byte, too' same "$(all_of printed)" "$(all_of from-words)"
check 'what is printed is what is read' same "$(collect --config printed.conf --print-config)" "$(cat printed.conf)"
check 'the command line wins' gives 0 '"num_envs":5,"seed":8,' collect --config from-words --seed 8 --num-envs 5 --out other --json
collect CartPole --num-envs 5 --seed 8 --frames 300 --capacity 305 --out direct --quiet > log
check 'also over the seed of the policy' gives 0 'the same 300 rows' replay diff other direct
check 'and a word is an environment' gives 0 '"env":"Pendulum-v1' collect Pendulum --config from-words --out pendulum --json
lines 'env=CartPole' 'policy=random' 'frames=30'
check '--actions takes the place of a policy in the file' gives 0 '.' collect --config file.conf --actions from-words --seed 7 --out acted --quiet
lines 'env=CartPole' 'seeed=7'
check 'an unknown option is named by line' gives 2 'file.conf, line 3: there is no option seeed; did you mean seed?' collect --config file.conf
printf '[colect]\nenv=CartPole\n' > file.conf
check 'so is an unknown group' gives 2 'file.conf, line 1: there is no group \[colect\]; did you mean \[collect\]?' collect --config file.conf
echo 'env=CartPole' > file.conf
check 'and an option without one' gives 2 'file.conf, line 1: \[collect\] must come first' collect --config file.conf
lines 'env=CartPole' 'nonsense'
check 'a line of another form' gives 2 'file.conf, line 3: "nonsense" is not of the form OPTION=VALUE' collect --config file.conf
lines 'seed=1' 'env=CartPole' 'seed=2'
check 'one option twice' gives 2 'file.conf, line 4: seed is given a second time' collect --config file.conf
lines 'env=CartPole' 'quiet=yes'
check 'a flag that is neither' gives 2 'line 3: quiet cannot be "yes": it must be true or false' collect --config file.conf
for option in resume=x version=true list-envs=true config=x dry-run=true; do
  lines $option
  check "$option is for the command line" gives 2 "line 2: ${option%%=*} is for the command line alone" collect --config file.conf
done
lines 'env=CartPole' 'frames=many'
check 'a bad value names file and option' gives 2 'file.conf, line 3: --frames cannot be "many"' collect --config file.conf
check 'a file that is missing' gives 1 'cannot read --config nowhere' collect --config nowhere
printf 'a\0b' > binary.conf
check 'or no text' gives 2 'not a text in UTF-8' collect --config binary.conf
check 'a directory without options' gives 3 'empty' sh -c 'mkdir empty && collect --config empty'
check 'what another program wrote has none' gives 2 'cannot take the options of .*: it contains none' \
  collect --config "$srcdir/tests/data/torchrl/rb-collector-cartpole/dump"
check 'a run that resumes has its own' gives 2 'cannot use --config with --resume' collect --config from-words --resume from-words
cp -r from-words exec
sed -i "s/\"env\":\"CartPole[^\"]*\"/\"env\":\"exec:'touch started'\"/g" exec/reel.json
check 'a directory starts no program' gives 2 'may not start a program' collect --config exec --out no
check 'really' test ! -e started
cp -r from-words acts
sed -i "s/\"policy\":\"random\"/\"policy\":\"exec:'touch started'\"/" acts/reel.json
check 'nor for its policy' gives 2 'may not start a program' collect --config acts --print-config
check 'really not' test ! -e started
for option in plugin=x.so force=true out=elsewhere log=x.csv; do
  cp -r from-words extra
  sed -i "s/\"seed\":\"7\"/\"seed\":\"7\",\"${option%%=*}\":\"${option#*=}\"/" extra/reel.json
  check "${option%%=*} of a record is refused" gives 2 "${option%%=*} is for the command line alone" collect --config extra --print-config
  rm -r extra
done

# ---- --episodes, --max-time
# The rows until the Nth end are those of a longer run.
collect CartPole --num-envs 5 --frames 5000 --log long.ndjson --out long --quiet > log
ended () {
  for ends in 1 7 50; do
    frames=$(sed -n "s/^{\"episode\":$((ends - 1)),.*\"frames\":\([0-9]*\)}$/\1/p" long.ndjson)
    for how in '--threads 1 --frames-per-batch 7' '--threads 2'; do
      collect CartPole --num-envs 5 --episodes $ends $how --json --quiet --force --out few > out || return 1
      grep -q "\"frames\":$frames,.*\"end\":\"complete\"" out || { echo "$ends: $frames frames expected"; cat out; return 1; }
    done
    collect CartPole --num-envs 5 --frames $frames --force --quiet --out part > log
    replay diff few part || return 1
  done
}
check '--episodes ends after the step of the last one' ended
goes_on () {
  collect CartPole --num-envs 5 --episodes 20 --capacity 10k --out on --quiet > log &&
    collect --resume on --episodes 50 --quiet > log && replay diff on few &&
    gives 0 'nothing was left to collect' collect --resume on && before=$(all_of on) &&
    collect --resume on --quiet > log && same "$(all_of on)" "$before" &&
    gives 0 'nothing was left to collect: 2 episodes have ended already' collect --resume on --episodes 2 &&
    same "$(all_of on)" "$before"
}
check 'and continues to more of them' goes_on
check 'frames may come first' gives 0 '"frames":100,.*"end":"complete"' collect CartPole --num-envs 5 --frames 100 --episodes 1000 --json --out first
check 'no number of episodes' gives 2 'episodes cannot be' collect CartPole --episodes 0
check 'those that would overwrite rows are refused' gives 2 'may overwrite the oldest' sh -c 'collect CartPole --episodes 3 --out enough --quiet &&
  collect --resume enough --episodes 1000'
check '--max-time ends a run' gives 0 '"end":"time"' collect CartPole --max-time 0.2s --capacity 10k --out timed --json
check 'which continues' gives 0 'until the time is over' collect --resume timed --max-time 0.1s
check 'and is sound' gives 0 'nothing wrong' replay fsck timed
for time in 10 10x m -1s 0s nan 1e30h; do
  check "$time is no time" gives 2 "max-time cannot be \"$time\": it must be a time such as 90s, 10m or 1.5h" collect CartPole --max-time=$time
done

# ---- --checkpoint-every
killed () {
  rm -rf saved
  collect CartPole --storage tensor --capacity 5000 --frames-per-batch 1000 --checkpoint-every "$1" --out saved > out 2> err &
  pid=$!
  await $pid test -e saved/reel.json
  for _ in 1 2 3; do replay fsck --json saved > log || grep -q 'No such file' log || break; done
  kill -KILL $pid
  wait $pid
  gives 0 'nothing wrong' replay fsck saved && gives 0 '^rows  *[0-9],000 of 5,000' replay info saved
}
check 'rows in memory are saved every so many' killed 1000
check 'or every so often' killed 0.05s
taken () {
  rm -rf saved
  collect CartPole --storage tensor --capacity 5000 --checkpoint-every 1000 --out saved > out 2> err &
  pid=$!
  await $pid test -e saved/reel.json
  until mv saved moved 2> log; do :; done
  mkdir saved && echo mine > saved/keep || { rm -rf moved; kill -INT $pid; wait $pid; return 0; }
  await $pid grep -q 'cannot save a checkpoint; the run continues' err
  kill -INT $pid
  wait $pid
  same "$(cat saved/keep)" mine && replay fsck saved-1
}
check 'what is no checkpoint of the run is not replaced' taken
check 'files need none' gives 2 'checkpoint-every is for --storage tensor' collect CartPole --checkpoint-every 1k

for every in abc 5x 0 -1; do
  check "$every is no interval" gives 2 "checkpoint-every cannot be \"$every\": it must be a number of rows" \
    collect CartPole --storage tensor --checkpoint-every=$every
done

# ---- values of a file
bad () {
  printf '[collect]\n# of the file\nenv=CartPole\n%s\n' "$1" > bad.conf
  gives 2 "bad.conf, line 4: $2" collect --config bad.conf --out no
}
check 'a bad value of a file is named with its line' bad frames=abc '--frames cannot be "abc"'
check 'of the env as well' bad num-envs=abc 'num-envs cannot be "abc"'
check 'of a property' bad workers=abc '--workers cannot be "abc"'
check 'of a class' bad policy=randm 'there is no policy "randm"'
check 'one of the command line is not of the file' gives 2 'with --config bad.conf: --frames' collect --config bad.conf --policy random --frames abc

# ---- weights
# A network of one layer: FILE with a last byte BYTE.
network () {
  header='{"0.weight":{"dtype":"F32","shape":[2,4],"data_offsets":[0,32]},"0.bias":{"dtype":"F32","shape":[2],"data_offsets":[32,40]}}'
  { printf "\\$(printf %o ${#header})\\0\\0\\0\\0\\0\\0\\0%s" "$header"; head -c 39 /dev/zero; printf "\\$1"; } > net.safetensors
}
network 100
check 'a run has weights' gives 0 . collect CartPole --policy mlp:weights=net.safetensors,head=categorical --frames 80 --out netted --quiet
check 'it is made again with them' gives 0 . collect --config netted --out netted2 --quiet
check 'to the same rows' gives 0 'the same 80 rows' replay diff netted netted2
network 101
check 'other weights are refused' gives 2 'the options of the run netted: the weights in net.safetensors are others than those of checksum [0-9]*' \
  collect --config netted --out no
check 'unless they are asked for' gives 0 . collect --config netted --policy mlp:weights=net.safetensors,head=categorical --out netted3 --quiet
check 'a file names the line' sh -c 'collect --config netted3 --print-config > netted.conf && grep -q checksum= netted.conf'
network 100
check 'where it can be edited' gives 2 'netted.conf, line [0-9]*: the weights in net.safetensors' collect --config netted.conf --out no
check 'to do without a checksum' sh -c 'sed "s/,checksum=[0-9]*//" netted.conf > free.conf && collect --config free.conf --out netted4 --quiet'

# ---- --collector
check 'a collector has properties' gives 0 '"env":"CartPole-v1:num-envs=8|' collect CartPole --collector sync:max-frames-per-traj=9 --frames 800 --out short --json
check 'which are options by the same name' gives 0 '.' collect CartPole --max-frames-per-traj 9 --frames 800 --out short2 --quiet
check 'that do the same' same "$(all_of short)" "$(all_of short2)"
check 'no episode is longer' sh -c '[ "$(replay rows short --keys next/step_count --json | tr -dc "0-9,\n" | cut -d, -f2 | sort -n | tail -1)" = 9 ]'
check 'they are kept' gives 0 '^collector=sync:max-frames-per-traj=9$' collect --config short --print-config
check 'and continue' gives 0 '.' collect --resume short --frames 800 --quiet
check 'a new one wins' gives 0 '^collector=sync:max-frames-per-traj=3$' collect --config short --max-frames-per-traj 3 --print-config
check 'an unknown property is named' gives 2 'collector: .*max-frames' collect CartPole --collector sync:max-frame=3
check 'an unknown collector too' gives 2 'did you mean "sync"' collect CartPole --collector synk
check 'what another option says is refused' gives 2 'say --frames in the place of total-frames' collect CartPole --collector sync:total-frames=3
check 'a value out of range names the option' gives 2 'max-frames-per-traj' collect CartPole --max-frames-per-traj x
check 'it is what the run was made with' gives 2 'cannot use --max-frames-per-traj with --resume' collect --resume short --max-frames-per-traj 3
check 'collectors are listed' gives 0 '^sync  *steps env and policy' collect --list-collectors
check 'a batch is processed' gives 0 '.' collect CartPole --postproc multi-step:n-steps=3 --frames 800 --out multi --quiet
check 'and stored as it is then' gives 0 'next/original_reward' replay info multi
check 'again by its options' gives 0 '.' collect --config multi --out multi2 --quiet
check 'as the same files' same "$(all_of multi)" "$(all_of multi2)"
check 'or split' gives 0 '.' collect CartPole --split-trajs --capacity 100 --frames 800 --out split --quiet
check 'which does not continue' gives 1 'its rows were in memory (--storage tensor)' collect --resume split --frames 900
check 'rows are not frames' gives 0 '^99 rows stored, each a trajectory of a batch; the newest 30 are kept$' \
  collect CartPole --split-trajs --capacity 30 --frames 2000 --out unlike
rm -rf unlike
multi_step () { collect CartPole --postproc multi-step:n-steps=3 --frames 2000 --out stepped --force "$@"; }
check 'nor behind a postproc' gives 0 '^1,976 rows stored: the postproc left 24 out$' multi_step
check 'so many are there' gives 0 '"frames":2000,"capacity":2008,"rows":1976,' multi_step --json
check 'a row a trajectory' gives 0 '^collector/mask  *bool' replay info split
check 'not into files' gives 2 'need one in memory, such as tensor' collect CartPole --postproc sign --storage memmap
check 'nor without a number of them' gives 2 'split-trajs needs --capacity' collect CartPole --split-trajs --frames 80
check 'of one length' gives 1 'storage holds \[.*\]: a row is as long as the longest of its batch' \
  collect CartPole --split-trajs --capacity 100 --frames 3000 --frames-per-batch 500 --out unlike
check 'or put together, one of the two' gives 2 'cannot use both --split-trajs and --trajs-per-batch' \
  collect CartPole --split-trajs --trajs-per-batch 3 --capacity 100 --frames 80 --out no
check 'no option of them has no effect' gives 2 'trajs-per-write .* needs --trajs-per-batch' \
  collect CartPole --trajs-per-write 3 --frames 80 --out no
check 'what cannot process a batch is named' gives 2 'cannot process a batch by reward-sum: key "reward" not found' \
  collect CartPole --postproc reward-sum --frames 80 --out unsummed
check 'trajectories are put together' gives 0 '.' collect CartPole --trajs-per-batch 4 --trajs-per-write 3 --frames 800 --out whole --quiet
check 'as steps, whole ones alone' gives 0 '^episodes  [0-9]* whole, 0 cut or not ended' replay info whole
check 'also at the last of some episodes' gives 0 '.' collect CartPole --trajs-per-batch 4 --trajs-per-write 7 --episodes 20 --out twenty --quiet
check 'all of them' gives 0 '^episodes  20 whole, 0 cut' replay info twenty
check 'one dimension has a row for each environment of a batch' gives 0 '.' collect CartPole --ndim 1 --storage tensor --capacity 100 --frames 2000 --out rows --quiet
check 'of its length' gives 0 '^observation  *float32  \[8, 250, 4\]' replay info rows
collect CartPole --num-envs 5 --policy constant:1 --init-random-frames 250 --frames-per-batch 100 --frames 1000 --out random --quiet > log
collect CartPole --num-envs 5 --policy constant:1 --init-random-frames 250 --frames-per-batch 100 --frames 150 --capacity 1005 --out random2 --quiet > log
check 'actions are random at first' gives 0 '.' collect --resume random2 --frames 1000 --quiet
check 'also when that continues' same "$(all_of random)" "$(all_of random2)"
check 'and its batches stay as they were' gives 2 'batches of random2 are of 100 frames' collect --resume random2 --frames 1000 --frames-per-batch 50
check 'what ends episodes does not count them' gives 2 'reset-at-each-iter=true ends others' collect CartPole --reset-at-each-iter --episodes 3 --out no
check 'no batch is handed out' gives 2 'return-same-td' collect CartPole --collector sync:return-same-td=true --out no
check 'refusals leave nothing' test ! -e no
check 'a switch may be off' gives 0 '^collector=sync$' collect --config split --split-trajs=false --print-config
check 'but not something else' gives 2 'split-trajs' collect CartPole --split-trajs=maybe
check 'one that did is not resumed' gives 1 'cannot resume multi' collect --resume multi
check '--dry-run has no shapes of it' gives 2 'dry-run cannot know' collect CartPole --postproc sign --dry-run
check '--dry-run estimates the time' gives 0 '^estimate: .* s.*, at [0-9.]*[kM]* frames/s measured now$' collect CartPole --frames 1M --dry-run
check 'of repeated actions, too' gives 0 '^estimate: ' collect CartPole --seed 7 --actions from-words --dry-run
check 'help begins with examples' sh -c '[ "$(collect --help | sed -n 4,7p | grep -c "^  collect ")" = 3 ]'
plan
