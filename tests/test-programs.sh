#!/bin/sh
# collect and replay as users call them. Prints TAP.
. "${srcdir:-.}/tests/programs.sh"
# No run outlives the script, however it ends; pid is the one that was begun.
pid=
trap '[ -z "$pid" ] || kill -KILL "$pid"; rm -rf "$scratch"' EXIT

digests () { replay info --digest --json "$1" | grep -o '"sha256":"[0-9a-f]*"'; }

# ---- collect
collect_default () {
  collect --env CartPole --frames 1000 > out 2> err || { cat err; return 1; }
  same "$(lines_of out)" 1 && [ -f "$(cat out)/buffer_metadata.json" ] &&
  grep -q 'CartPole-v1' err && grep -q 'frames/s' err && grep -q 'replay' err && grep -q 'python' err
}
check 'collect writes a run and prints its path alone' collect_default
check 'collect names a run by env, policy and seed' grep -q '^runs/CartPole-v1__random__0__' out
look_again () {
  programs=$(dirname "$(command -v collect)")
  (cd "$programs" && ./collect --env CartPole --frames 8 --out "$scratch/look here, it's one" 2> "$scratch/err" &&
    PATH=/usr/bin:/bin sh -c "$(sed -n 's/^look at it: *//p' "$scratch/err")")
}
check 'collect says a line that shows the run, where it was called' look_again
check 'collect --json prints one object' gives 0 '^{"path":"j",.*"frames":1000,' \
  collect --env CartPole --frames 1000 --json --quiet --out j
check 'collect takes the environment as a word' gives 0 '"env":"CartPole-v1:num-envs=8","policy"' \
  collect CartPole --frames 8 --json --out as-a-word
check 'but one alone' gives 2 '"Acrobot": it belongs to no option' collect CartPole Acrobot
check 'and not twice' gives 2 'both --env and "Acrobot"' collect --env CartPole Acrobot
check 'collect says what else may act' gives 2 'no policy "ppo"; .*examples/dqn.c' collect CartPole --policy ppo
check 'and what else may be stepped' gives 2 'no environment "Zork"; .*MuJoCo:xml-file=.*--plugin FILE.so, docs/your-own-env.md' collect Zork
check 'and that a version is another' gives 2 'did you mean "CartPole-v[01]"?$' collect CartPole-v7 --frames 8
endless () {
  collect CartPole --out unstated > out 2> err &
  pid=$!
  await $pid test -e unstated/reel.json
  kill -INT $pid
  wait $pid
  same $? 130 && grep -q '^frames   until Ctrl-C; the newest 1,000,000 rows are kept$' err && replay fsck unstated > log
}
check 'collect without --frames runs until Ctrl-C, in a ring that it states' endless
check 'whose rows take 1 GiB at most' gives 0 '"capacity":148[0-9][0-9],"bytes":1073[0-9]*,' \
  collect CartPole:from-pixels=true,width=100,height=120 --dry-run --json
# Each line is wiped before the next; one of 40 columns that is full would wrap.
narrow () {
  script -qec "stty cols 40; timeout -s INT 2 collect CartPole --capacity 80 --out narrow" typescript > log 2>&1
  tr '\r' '\n' < typescript | grep 'frames/s' | grep -v ' in ' | sed 's/^.*\[K//' > shown
  [ -s shown ] && awk 'length > 39 { print "too wide: " $0; bad = 1 } END { exit bad }' shown
}
if command -v script > log; then
  check 'collect shows progress in the width of the terminal' narrow
else
  skip 'collect shows progress in the width of the terminal' 'no script here'
fi
check 'the capacity is said once, by any of its names' gives 2 'say --capacity' \
  collect CartPole --frames 100 --storage tensor:max_size=10
check 'collect says that it rounds up' gives 0 '10 frames become 16' \
  collect --env CartPole --frames 10 --out rounded
check 'collect takes the spellings of others' gives 0 '"frames":64,"capacity":80' \
  collect --env_id CartPole --total-frames 60 --n_envs 16 --json --out spelled
collect --env CartPole --frames 1000 --capacity 200 --out cut --quiet > log
check 'an episode that the ring cut is none that info counts' gives 0 '^episodes  3 whole, 15 cut or not ended' replay info cut
check 'collect reads numbers as people write them' gives 0 '"frames":2000' \
  collect --env CartPole --frames 2k --num-envs 1e1 --json --out numbers
check 'collect --dry-run writes nothing' gives 0 'dry/storage/next/observation.memmap' \
  collect --env CartPole --frames 1000 --dry-run --out dry
check 'as one JSON object, too' gives 0 '^{"path":"dry","capacity":1008,"bytes":[0-9]*,"files":\[{"file":"storage/action.memmap","dtype":"int64","shape":\[126,8,2\],"bytes":16128},.*"metadata":\["buffer_metadata.json",.*\],"estimate":{"seconds":[0-9.e-]*,"frames_per_second":[0-9.e+]*}}$' \
  collect --env CartPole --frames 1000 --dry-run --json --out dry
check 'that stands alone on its line' sh -c \
  'collect --env CartPole --frames 1000 --dry-run --json --out dry > out && [ "$(wc -l < out)" -eq 1 ]'
check 'and it did not' test ! -e dry
check 'a closed pipe ends it quietly' sh -c \
  '{ collect --env CartPole --frames 8 --dry-run 2> err; } | head -1 > /dev/null; [ ! -s err ]'
check 'collect --list-envs lists' gives 0 '^Pendulum-v1  *float32 \[3\]  *float32 \[1\]  *200' collect --list-envs
check 'as JSON too' gives 0 '"id":"Acrobot-v1","observation":"float32 \[6\]","action":"3 discrete","time_limit":500,' \
  collect --list-envs --json
check 'collect --describe shows arguments' gives 0 '^  reset-high=-0.4  *upper end of the first position (-1.2 to 0.6)' \
  collect --env MountainCar --describe
check 'and where the numbers come from' gives 0 'pendulum.py' collect --env Pendulum:g=3 --describe
check 'as JSON too' gives 0 '"name":"g","kind":"double","range":"any number of m/s^2","unit":"m/s^2","default":"10"' \
  collect --env Pendulum --describe --json
check 'transforms follow the environment' gives 0 '^env      CartPole-v1:num-envs=2|step-counter|reward-sum:in-keys=\[reward\],out-keys=\[episode_reward\], 2 at once' \
  collect CartPole --num-envs 2 --transform 'step-counter|reward-sum' --frames 10 --out seen-through
check 'their values are stored' gives 0 '^next/episode_reward ' replay info seen-through
check 'an unknown one has a proposal' gives 2 'there is no transform "step-countr"; did you mean "step-counter"?' \
  collect CartPole --transform step-countr --frames 10
check 'and a run keeps its own' gives 2 'cannot use --transform with --resume' \
  collect --resume seen-through --transform sign
if [ "$MUJOCO" != no ]; then
  check 'of a model of MuJoCo nothing is known before it is named' gives 0 '^MuJoCo  *-  *-  *-  *-  *any' collect --list-envs
  check 'as JSON too' gives 0 '"id":"MuJoCo","observation":"-","action":"-","time_limit":null,' collect --list-envs --json
  check 'collect asks for it' gives 2 'as in MuJoCo:xml-file=robot.xml' collect --env MuJoCo --frames 8
  model="MuJoCo:xml-file='$srcdir/tests/data/all-kinds.xml',keyframe=lying,include-sensors-in-observation=true"
  check 'collect steps any model' gives 0 '"frames":1000,' collect --env "$model" --frames 1000 --json --out any-model
  check 'its rows are in its spec' gives 0 '' replay check any-model
  check 'and --describe shows its ranges' gives 0 'low=\[-1,-0.5,-2,0\],high=\[1,0.5,3,1\]' collect --env "$model" --describe
else
  check 'what is left out of the build is named' gives 1 '"Ant-v5" needs MuJoCo, .* --without-mujoco' \
    collect --env Ant-v5:num-envs=2 --frames 8
  check 'by the list, too' gives 0 'without MuJoCo, and so without Ant, HalfCheetah,' collect --list-envs
  check 'and by render --doctor' sh -c 'render --doctor | grep "nothing to draw.* needs MuJoCo"'
fi
check 'of one environment' gives 2 'needs --env' collect --describe
check 'collect --check-env plays an environment' gives 0 '^Acrobot-v1 keeps its promises: 8 lanes' collect --env Acrobot --check-env
check 'as JSON too' gives 0 '"id":"CartPole-v1","lanes":3,"ok":true' collect --env CartPole --num-envs 3 --check-env --json
for env in Pendulum Acrobot MountainCar MountainCarContinuous; do
  check "collect steps $env" gives 0 "\"frames\":1000," collect --env $env --frames 1000 --json --out "at-$env"
  check "rows of $env are in its spec" gives 0 '' replay check "at-$env"
done
check 'collect never overwrites' gives 1 'j exists; choose another --out, replace it by --force, or continue it by --resume' collect --env CartPole --frames 8 --out j
: >plain
check 'collect replaces no file' gives 1 'plain exists, and is not a directory; choose another --out$' collect --env CartPole --frames 8 --out plain --force
mkdir -p mine && : >mine/letter
check 'and goes on with no directory that is none of its own' gives 1 'mine exists; choose another --out, or replace it by --force if a checkpoint is all it has$' collect --env CartPole --frames 8 --out mine
check 'collect --force replaces a run' gives 0 '^j$' collect --env CartPole --frames 8 --out j --force
not_a_run () {
  mkdir -p mine && echo precious > mine/file
  gives 1 'mine' collect --env CartPole --frames 8 --out mine --force && grep -q precious mine/file
}
check 'collect --force never replaces anything else' not_a_run
check 'collect --storage tensor saves at the end' gives 0 '^ram$' \
  collect --env CartPole --frames 1000 --storage tensor --out ram
collect --env CartPole --frames 1000 --out files > log 2>&1
check 'both storages hold the same' same "$(digests ram)" "$(digests files)"
# Somebody takes the place while rows are in memory.
collect --env CartPole --frames 1e12 --capacity 800 --storage tensor --out taken > taken.log 2>&1 &
collecting=$!
await $collecting test -s taken.log
mkdir taken && echo mine > taken/keep
kill -INT $collecting
wait $collecting
check 'rows whose place was taken are saved beside it' same "$?$(grep -o 'the rows are saved in taken-1: ' taken.log)" \
  '1the rows are saved in taken-1: '
check 'all of them' gives 0 '"length":800,' replay info --json taken-1
check 'and nothing is replaced' same "$(cat taken/keep)" mine
check 'collect --storage tensor:layout=records does as well' gives 0 '^records$' \
  collect --env CartPole --frames 1000 --storage tensor:layout=records --out records
check 'records hold the same' same "$(digests records)" "$(digests files)"
check 'an unknown layout is named' gives 2 'layout' \
  collect --env CartPole --frames 8 --storage tensor:layout=heap
check 'what --storage does not decide is refused' gives 2 'say --capacity' \
  collect --env CartPole --frames 8 --storage tensor:capacity=5 --out refused
check 'dimensions are named in memory too' gives 0 'names \["time", null\]' replay info ram
collect --env CartPole --frames 1000 --frames-per-batch 37 --out batches > log 2>&1
check 'the size of batches changes no byte' same "$(digests batches)" "$(digests files)"
collect --env CartPole --num-envs 449 --frames 100k --threads 1 --out one > log 2>&1
collect --env CartPole --num-envs 449 --frames 100k --threads 2 --out two > log 2>&1
check 'the number of threads changes no byte' same "$(digests one)" "$(digests two)"
collect --env CartPole --num-envs 449 --frames 100k --seed 1 --out other > log 2>&1
check 'the seed changes them' test "$(digests one)" != "$(digests other)"
check 'an unknown environment gets the closest' gives 2 'CartPole' collect --env CartPoel --frames 8
check 'an unknown property gets the closest' gives 2 'gravity' collect --env CartPole:graviti=1 --frames 8
check 'an unknown option gets the closest' gives 2 'did you mean --frames' collect --env CartPole --frame 8
check 'a value out of range gets the range' gives 2 'num-envs' collect --env CartPole --num-envs 0 --frames 8
check 'a bad number is named' gives 2 'many' collect --env CartPole --frames many
check 'a stray word is named' gives 2 'stray' collect --env CartPole --frames 8 stray
check 'an unknown storage is named' gives 2 'memmap' collect --env CartPole --frames 8 --storage memap
check 'no environment is said' gives 2 'env' collect --frames 8
check 'what a text sets is not set again' gives 0 '"env":"CartPole-v1:num-envs=4,seed=9".*"num_envs":4,' \
  collect --env CartPole:num_envs=4,seed=9 --frames 8 --json --out set
check 'a seed in it is that of the run' gives 0 '"policy":"random:seed=9".*"seed":9,' \
  collect --env CartPole:num_envs=4,seed=9 --frames 8 --json --out seeded
check 'an option replaces it' gives 0 '"num_envs":2,' \
  collect --env CartPole:num-envs=4 --num-envs 2 --frames 8 --json --out replaced
check 'a batch that is too large is refused' gives 2 'frames-per-batch cannot be' \
  collect --env CartPole --frames 8 --frames-per-batch 1e15 --out unmade
check 'before anything is made' test ! -e unmade
check 'so are rows beyond all files' gives 2 'more than any file holds' \
  collect --env CartPole --frames 1e18 --out unmade
linked () {
  mkdir -p elsewhere && ln -s elsewhere link &&
  collect --env CartPole --frames 8 --out link --force > out && [ -L link ] && replay elsewhere > log
}
check 'a link stays, the run goes where it points' linked
early () {
  ASAN_OPTIONS=detect_leaks=0 strace -f -qq -o log -e trace=mkdir,mkdirat -e inject=mkdirat:signal=INT:when=1 \
    collect --env CartPole --frames 1e6 --out early > out 2> err
  same $? 130 && grep -q interrupted err && replay early > log
}
if strace -o log true 2> log; then
  check 'an interrupt before the first row leaves a whole run' early
else
  skip 'an interrupt before the first row leaves a whole run' 'no strace here'
fi
check 'a run that is too large for the disk says so before it begins' gives 4 '^collect: huge: .* bytes) needed, .* available' \
  collect --env CartPole --frames 1e15 --out huge
check 'and leaves nothing' test ! -e huge
check 'and so does one that is too large for the memory' gives 4 \
  '^collect: --storage tensor, capacity 100000000008: .* bytes) of memory needed, .* available$' \
  collect --env CartPole --frames 1e11 --storage tensor --out huge
check 'records are counted with their padding: 72 bytes for 66' gives 4 '(7200000000576 bytes) of memory needed' \
  collect --env CartPole --frames 1e11 --storage tensor:layout=records --out huge
check 'one in memory asks for the disk before it begins, too' gives 1 'not a checkpoint' \
  timeout 20 collect --env CartPole --num-envs 1024 --capacity 10k --storage tensor --out mine --force
# On a bare machine no locale is set; what is beyond ASCII would come out as question marks.
plain () {
  LC_ALL=C collect --env CartPole --frames 1e15 --out huge 2> err
  collect --help | sed 1,2d > out
  replay --help > log
  ! grep -n '?' err out log
}
check 'help and sizes are plain text' plain

# begin DIRECTORY OPTION…: starts an endless run and waits for its ring; pid is its process.
begin () {
  collect --env CartPole --num-envs 1024 --out "$@" &
  pid=$!
  await $pid test -e "$1/reel.ring"
  sleep 0.3
}
# end SIGNAL: sends it to that run and gives the run's exit status.
end () {
  kill -"$1" "$pid"
  wait "$pid"
  set -- $?
  pid=
  return "$1"
}
interrupted () {
  begin endless --capacity 1M > out 2> err
  end INT
  same $? 130 && grep -q 'replay endless' err && same "$(cat out)" endless && replay endless > log
}
check 'the first interrupt keeps what was collected' interrupted
killed () {
  begin killed --capacity 1M > out 2> err
  replay --read-only killed > log
  live=$?
  end KILL
  same $live 0 && grep -q 'being written' log || { cat log; return 1; }
  replay killed > log && grep -q 'was killed' log
}
check 'a killed run can be read, while it runs and after' killed

# A file opened in the place of a closed stream would get what is said to that stream.
closed_streams () {
  collect --env CartPole --frames 1000 --out closed <&- >&- 2>&- &&
  same "$(digests closed)" "$(digests files)" || return 1
  begin silent --capacity 100k > out 2>&-
  replay silent > log
  live=$?
  end INT
  same $? 130 && same $live 0 && replay silent > log
}
check 'closed streams spoil no file' closed_streams
# A pipe that nobody reads: its one reader was opened for its writer to open, and closed.
unread () {
  rm -rf unheard
  mkfifo unread.pipe
  exec 6<>unread.pipe 7>unread.pipe 6>&-
  collect --env CartPole --frames 1000 --out unheard >&7 2> err
  set -- $?
  exec 7>&-
  same "$1" 0 && same "$(grep -c 'could not' err)" 0 && same "$(digests unheard)" "$(digests files)"
}
check 'nobody who reads is no failure' unread
if [ -w /dev/full ]; then
  full () { "$@" > /dev/full 2> err; same $? 4 && grep -q 'standard output' err; }
  check 'output that cannot be written is a failure' full collect --list-envs
  check 'and for replay' full replay rows files --json
  for helped in collect replay 'replay info' render; do
    check "and for $helped --help" full $helped --help
  done
fi

odd=$(printf 'latin\351')
check 'a name that is not UTF-8 prints as JSON all the same' gives 0 '^{"path":"latin' \
  collect --env CartPole --frames 8 --json --out "$odd"
check 'and for replay' gives 0 '^{"path":"latin' replay --json "$odd"

# ---- both
versions () {
  collect --version > out 2> err && replay --version >> out 2>> err || return 1
  same "$(grep -cE '^(collect|replay) \(Reel\) [0-9]+\.[0-9]+\.[0-9]+$' out)" "$(lines_of out)" &&
  same "$(lines_of out)" 2 && [ ! -s err ]
}
check 'each program says its version, and nothing else' versions
check 'help says how to ask for it' sh -c \
  'collect --help | grep -q -e --version && replay --help | grep -q -e --version'

letters () {
  for helped in collect render 'replay info' 'replay rows' 'replay sample' 'replay convert' 'replay merge' 'replay audit' 'replay check'; do
    $helped --help | sed -n 's/^  -\(.\), --\([a-z-]*\).*/\1 \2/p'
  done | sort -u > out
  grep -q '^f frames$' out && same "$(cut -d ' ' -f 1 out | uniq -d)" ''
}
check 'a letter is the same option in every program' letters
check 'no letter stands for another option' gives 2 'there is no option -n; --help lists them' replay sample files -n 3
check 'a range that looks like an option is told where to be' gives 2 'a word that begins with - follows a --' replay rows files -5:
check 'an option without its value is named' gives 2 '^collect: --resume lacks its value' collect --resume
check 'a property of the collector by its option' gives 2 '^collect: --worker-kind cannot be .fork.: it must be threads or processes' \
  collect CartPole --worker-kind fork --frames 8 --out no
check 'a chain without a link' gives 2 'the name of the transform is empty' collect CartPole --transform 'reward-sum|' --frames 8 --out no
check '-V is --version' sh -c 'collect -V && render -V && replay -V && replay help convert | grep -e --ndim'
check 'replay help COMMAND prints the options of it' sh -c 'replay help rows > a; replay rows --help | cmp a -'
check 'an unknown command gets the closest' gives 2 'did you mean "sample"' replay help sampel
check 'collect help is collect --help' sh -c 'collect help > a; collect --help | cmp a -'
check 'help lists the spellings of others' gives 0 '--frames  *--total-frames --total-timesteps' collect --help
check 'which are the same in every program' gives 0 '^spelled-out$' replay sample files --output spelled-out
check 'and in render' gives 0 '^CartPole-v1$' render --env_id CartPole --describe
check 'replay help --help is replay --help' sh -c 'replay help --help > a; replay --help | cmp a -'
narrow () {
  for helped in 'collect' render replay 'replay info' 'replay rows' 'replay sample' 'replay convert' 'replay merge' 'replay audit' 'replay spec' 'replay check' 'replay fsck'; do
    $helped --help | awk -v of="$helped" 'length > 80 { print of ": " $0; wide = 1 } END { exit wide }' || return 1
  done
}
check 'help is 80 columns wide' narrow

# ---- replay
check 'replay shows every key' gives 0 'next/observation  *float32  *\[125, 8, 4\]' replay files
check 'replay info is the same' sh -c 'replay files > a; replay info files > b; cmp a b'
check 'replay --json names what scripts need' gives 0 \
  '"class":"memmap","length":1000,"capacity":1008,"cursor":125,.*"shape":\[126,8\],"names":\["time",null\],"keys":' \
  replay --json files
check 'replay --python loads by TorchRL' gives 0 'LazyMemmapStorage' replay info --python files
check 'what it prints is not JSON' gives 2 '--python and --json cannot be used together' \
  replay info --json --python files
check 'and has no digests' gives 2 '--python and --digest cannot be used together' \
  replay --python --digest files
check 'replay sample prints a TensorDict' gives 0 'index: Tensor(shape=torch.Size(\[256, 2\]), device=cpu, dtype=torch.int64' \
  replay sample files --batch-size 256 --seed 1
check 'a batch that is larger than the memory is refused before it is drawn' \
  gives 4 '^replay: --batch-size 1000000000000: .* bytes) of memory needed, .* available$' \
  timeout 20 replay sample files --batch-size 1e12
one_object () {
  replay sample files --json --batch-size 3 > out || return 1
  same "$(tr -cd '{}' < out)" '{{}{}}' &&
  same "$(lines_of out)" 1 && grep -q '"next":{"observation":\[\[.*\]},"collector":{"traj_ids":\[[0-9]*,[0-9]*,[0-9]*\]},"index":\[\[' out
}
check 'replay sample --json prints one object' one_object
check 'replay sample repeats itself' sh -c \
  'replay sample files --json --seed 1 > a; replay sample files --json --seed 1 > b; cmp a b && replay sample files --json --seed 2 > b && ! cmp -s a b'
rows_of () { replay rows files "$@" > out || return 1; same "$(lines_of out)" "$(($expected_rows + 1))"; }
expected_rows=10
check 'replay rows prints a range' rows_of 10:20
check 'replay rows --json prints a line a row' gives 0 '^{"row":10,"observation":\[' \
  replay rows files 10:11 --json --keys observation,action
check 'what is not a value of an option is not passed over' gives 2 'json takes no value, and was given "3"' replay files --json=3
check 'an empty word names no directory' gives 2 'directory is missing' replay ''
check 'for fsck as well' gives 2 'directory is missing' replay fsck ''
check 'an unknown key gets those there are' gives 2 'observation' replay rows files 0:1 --keys observatoin
check 'and one that holds others, these' gives 2 '"next" is not a tensor of the storage, but contains "next/observation"' \
  replay rows files 0:1 --keys next
check 'a range that ends before it begins is named' gives 2 'the range 5:2 ends before it begins: there are 1000 rows' \
  replay rows files 5:2
check 'and one behind the last row' gives 2 'the range 1001:1010 begins after the last row: there are 1000' replay rows files 1001:1010
check 'whatever its end' gives 2 'the range 1001: begins after the last row' replay rows files 1001:
check 'and a row that is not there' gives 2 'there is no row 1000: there are 1000' replay rows files 1000
check 'or not that far from the end' gives 2 'there is no row -1001' replay rows files -- -1001
check 'a range may be empty' same "$(replay rows files 1000: 2>&1)" ''
expected_rows=1
check 'or of one row' rows_of -- -1
check 'a bad range is named' gives 2 'range' replay rows files 1:2:3
check 'and its end' gives 2 'an end of the range cannot be "a"' replay rows files a:2
expected_rows=2
check 'rows may be counted from the end' rows_of -- -2:
check 'a word too many is named' gives 2 '"extra"' replay files extra
check 'for rows as well' gives 2 '"extra"' replay rows files 0:1 extra
check 'and for samples' gives 2 '"extra"' replay sample files extra
check 'a seed may be as large as a seed of collect' gives 0 'batch_size' replay sample files --seed 1e15
check 'a directory that is no checkpoint' gives 3 'mine' replay mine
check 'a path that does not exist' gives 1 'nowhere' replay nowhere
golden=$srcdir/tests/data/torchrl
check 'rows that the peer compressed are shown by their keys' gives 0 'a    float32  \[4\] *3' \
  replay --read-only "$golden/rb-compressed/dump"
check 'and printed' gives 0 '"a":\[4.0,5.0,6.0,7.0\],"b":1' replay rows --json "$golden/rb-compressed/dump" 1:2
check 'and sampled' gives 0 'LazyStackedTensorDict' replay sample "$golden/rb-compressed/dump" --batch-size 2
compressed () {
  rm -rf packed && gives 0 '^packed$' replay convert "$golden/rb-compressed/dump" packed --capacity 2 &&
  gives 0 '"a":\[8.0,9.0,10.0,11.0\],"b":2' replay rows --json packed 1 &&
  gives 0 'CompressedListStorage(2)' replay info --python packed
}
check 'and converted' compressed
check 'trees that the peer wrote are read' gives 0 'b/0  bool' replay --read-only "$golden/rb-pytree/dump"
check 'keys that are not tensors are left out, and named' gives 0 'NonTensorStack, which cannot be read' \
  replay --read-only "$golden/rb-strings/dump"
check 'a mistyped command' gives 2 'did you mean "sample"' replay smaple
damaged () {
  cp -r files damaged && truncate -s 100 damaged/storage/next/observation.memmap &&
  gives 3 'next/observation.memmap.*100' replay damaged &&
  same "$(wc -c < damaged/storage/next/observation.memmap | tr -d ' ')" 100
}
check 'a short leaf is named, with found and expected, and not touched' damaged
check 'replay fsck finds nothing wrong with a run' gives 0 '^files: 1000 rows, nothing wrong; all checksums agree$' \
  replay fsck files
check 'nor with what the peer wrote' gives 0 '"sound":true,"rows":64,"checksums":false,"faults":\[\]' \
  replay fsck --json "$golden/rb-collector-cartpole/dump"
changed () {
  cp -r files changed && printf x | dd of=changed/storage/next/reward.memmap bs=1 seek=9 conv=notrunc 2> log &&
  gives 3 '^next/reward: has changed since it was written: the checksum of its bytes from 0 on differs' replay fsck changed &&
  gives 3 '"sound":false.*"where":"next/reward","step":null,"lane":null,"count":1' replay fsck --json changed
}
check 'a changed byte has its leaf named' changed
check 'replay fsck says what a short leaf lacks' gives 3 'next/observation.memmap.*100' replay fsck damaged
without_writer () {
  cp -r files unwritten && rm -r unwritten/writer &&
  gives 3 '^unwritten/writer: is missing; reel.json says that the writer "round-robin"' replay fsck unwritten &&
  gives 3 'unwritten/writer: is missing' replay unwritten
}
check 'a run that has lost its writer is damaged' without_writer
check 'and finds nothing wrong with compressed rows' gives 0 'nothing wrong' replay fsck "$golden/rb-compressed/dump"
check 'and wants a directory' gives 2 'directory is missing' replay fsck
not_a_file () {
  rm -rf odd && cp -r files odd && rm "odd/$1" && mkdir "odd/$1" && gives 3 "odd/$1: expected" replay odd
}
for file in $(cd files && find . -type f | sed 's|^./||' | sort); do
  check "a directory in the place of $file is damage" not_a_file "$file"
done
check 'so is a link to nowhere in the place of the ring' sh -c \
  'rm -rf odd; cp -r files odd; ln -sf nowhere odd/reel.ring; replay odd 2> err; [ $? = 3 ] && grep -q reel.ring err'
check 'metadata that is not JSON' sh -c 'cp -r files nojson; echo "{" > nojson/storage/meta.json; replay nojson 2> err; [ $? = 3 ] && grep -q meta.json err'
check 'a closed pipe ends quietly' sh -c '{ replay rows files 2> err; } | head -1 > /dev/null; [ ! -s err ]'

# ---- specs
check 'replay spec prints an environment as Python does' gives 0 \
  '^            observation: BoundedContinuous($' replay spec CartPole-v1
check 'to the byte' sh -c 'replay spec CartPole-v1 | cmp - "$0"' "$srcdir/tests/data/cartpole-specs.txt"
check 'of all its lanes' gives 0 'shape=torch.Size(\[4, 2\])' replay spec CartPole-v1:num-envs=4
check 'and those of a run' sh -c \
  'replay spec files > a && replay spec CartPole-v1:num-envs=8 > b && cmp a b'
check 'in text, one a line' gives 0 \
  '^action       composite:action=(one-hot:n=2,dtype=int64,shape=\[2\])$' replay spec CartPole-v1 --text
check 'in JSON' gives 0 \
  '^{"observation":{"kind":"composite","specs":{"observation":{"kind":"bounded","low":\[-4' \
  replay spec CartPole-v1 --json
check 'not in both' gives 2 'cannot be used together' replay spec CartPole-v1 --json --text
check 'of something' gives 2 'name an environment or a directory' replay spec
check 'an unknown environment gets the closest' gives 2 'did you mean "CartPole' replay spec CartPol-v1
check 'and that there is no such directory' gives 2 \
  'no directory "nowhere", and there is no environment "nowhere"; there is .*CartPole' replay spec nowhere
check 'a property of it too' gives 2 'num-envs' replay spec CartPole-v1:num-env=4
check 'replay check names the shape of a row' gives 3 '^observation: shape \[4\] does not end in \[2\]$' \
  replay check files --spec 'composite:observation=(bounded:low=-1,high=1,shape=[2])'
check 'a path that does not exist has no specs' gives 1 'no/where' replay spec no/where
check 'and a directory that is no checkpoint' gives 3 'mine' replay spec mine
check 'replay check says that a run is inside' gives 0 \
  '^1000 rows of 10 keys are inside their specs$' replay check files
check 'and what it did not look at' gives 0 '^not in the specs: collector/traj_ids$' replay check files
check 'as one JSON object' gives 0 \
  '^{"inside":true,"rows":1000,"keys":\[.*\],"unchecked":\["collector/traj_ids"\],"first":null}$' \
  replay check --json files
check 'by the spec of rows that replay spec prints' sh -c \
  'replay check files --spec "$(replay spec CartPole-v1 --rows --text)"'
outside () {
  rm -rf outside && cp -r files outside &&
  printf '\000\000\240\100' | dd of=outside/storage/next/observation.memmap bs=4 seek="$1" conv=notrunc 2> err
}
first_outside () {
  outside 64 && gives 3 "^row 16 (step 2, lane 0): next/observation element \[0\] is 5, not at most 4.8$" \
    replay check outside &&
  gives 3 '^{"inside":false,"rows":16,.*"first":{"row":16,"step":2,"lane":0,"key":"next/observation","element":"\[0\]","value":"5","bound":"at most 4.8","message":"is 5, not at most 4.8"}}$' \
    replay check --json outside
}
check 'the first row outside is named' first_outside
check 'what TorchRL wrote has no specs' gives 1 'no specs are stored.*--env ID or --spec TEXT' \
  replay check --read-only "$golden/rb-collector-cartpole/dump"
check 'but may be given them' gives 0 'rows of .* keys are inside' \
  replay check --read-only "$golden/rb-collector-cartpole/dump" --env CartPole-v1
check 'a key that is not stored' gives 3 '^obs: is in the spec and not stored$' \
  replay check files --spec 'composite:obs=(unbounded)'
check 'specs of another env do not fit' gives 3 '^next/reward: dtype float32 is not float64$' \
  replay check files --spec 'composite:next=(composite:reward=(unbounded:dtype=float64,shape=[1]))'
check 'a bad --spec is named with its place' gives 2 \
  '^replay: --spec: character 14, at "bnary)": ' replay check files --spec 'composite:a=(bnary)'
check 'one that is no composite too' gives 2 'must be a composite' replay check files --spec binary
check 'a bad --env' gives 2 'did you mean' replay check files --env CartPol
check 'both are too many' gives 2 'cannot be used together' \
  replay check files --env CartPole --spec composite
damaged_specs () {
  rm -rf odd && cp -r files odd && sed -i 's/"kind":"one-hot"/"kind":"one-hit"/' odd/reel.json &&
  gives 3 'odd/reel.json: info: specs: action: "action": there is no kind of spec "one-hit"; did you mean "one-hot"' \
    replay check odd && gives 3 'reel.json' replay spec odd
}
check 'damaged specs are named' damaged_specs
texts () {
  rm -rf odd && cp -r files odd && obs=$(replay spec CartPole-v1 --text | sed -n 's/^observation  *//p') &&
  sed -i 's/"specs":{"observation":.*/"specs":{"observation":"'"$obs"'","action":"composite:action=(one-hot:n=2,dtype=int64,shape=[2])","reward":"composite:reward=(unbounded:shape=[1])","done":"composite"}}}/' odd/reel.json &&
  gives 0 '^1000 rows of 4 keys are inside' replay check odd
}
check 'specs that were kept as text are read' texts

# ---- words ----
check 'a storage by its name in TorchRL' gives 0 '"storage":"memmap"' \
  sh -c 'collect CartPole --frames 8 --storage LazyMemmapStorage --out theirs --quiet && cat theirs/reel.json'
check 'another is refused with those that can be' gives 2 'cannot be "list": rows are collected into memmap, tensor or records' \
  collect CartPole --frames 8 --storage list
listed () { # each storage that is listed is taken
  for id in $(collect --list-storages --json | grep -o '"id":"[^"]*"' | cut -d '"' -f 4); do
    collect CartPole --frames 8 --storage "$id" --out "listed-$id" --quiet || return 1
  done
}
check 'all that are listed are taken' listed
# at_once OPTION…: runs that begin together have names of their own.
at_once () {
  rm -rf together
  mkdir together
  for _ in 1 2 3 4 5 6; do
    (cd together && exec collect CartPole --frames 8 --quiet "$@") &
  done > paths 2> errors
  wait
  cat errors
  same "$(sort -u paths | wc -l) $(ls together/runs | wc -l)" '6 6' && [ ! -s errors ]
}
check 'runs that begin at once have names of their own' at_once
check 'and those that are saved at the end' at_once --storage tensor
check 'what is refused has no heading' same "$(collect CartPole --frames 8 --out '' 2>&1 | head -1)" \
  'collect: --out is empty: it must be the name of a directory'
check 'nor where the place is taken' same "$(collect CartPole --frames 8 --out theirs --log /dev/null/x.csv 2>&1 | grep -c '^env')" 0
check 'a wrong order is named' gives 2 'sort cannot be "foo": it must be end, lane, length or return' replay episodes theirs --sort foo
check 'with the help of the command' gives 2 "^Try 'replay episodes --help'" replay episodes theirs --sort foo
check 'T is a suffix' gives 0 ' TiB in all' collect CartPole --frames 1T --dry-run
check 'an ensemble is not resumed' gives 2 'cannot resume both: it is an ensemble' \
  sh -c 'replay merge theirs files --out both > out 2>&1; collect --resume both'
check 'a directory that cannot be listed' gives 1 '^replay: cannot open the directory nowhere: No such file' replay ls nowhere
check 'an output without a name' gives 2 'the path is empty' replay sample theirs --out ''
check 'and of a conversion' gives 2 'the path is empty' replay convert theirs ''
check 'no keys at all' gives 2 'keys is empty' replay rows theirs --keys ''
if [ "$(id -u)" != 0 ]; then
  mkdir closed && chmod 0 closed
  check 'a directory without rights' gives 1 'cannot open the directory closed: Permission denied' replay ls closed
  chmod 700 closed
fi
check 'another program is no command' gives 2 'no directory "render"; render is another program' replay render theirs
check 'a word that is neither' gives 1 '^replay: there is no command and no directory "qqqq"$' replay qqqq
# as_wide COLUMNS: the longest line of the help is nearly as wide.
as_wide () {
  COLUMNS=$1 collect --help | awk -v w="$1" 'length > most { most = length } END { exit !(most < w && most > w - 20) }'
}
for width in 80 100 132; do
  check "COLUMNS=$width is the width of help" as_wide $width
done
check 'help breaks no sentence' same "$(for c in info ls episodes rows sample convert diff merge audit spec check fsck; do
    replay help $c | awk -v c=$c 'NF && length < 40 && !/[.:]$/ && !/^ / && !/^Usage|^Options/ { print c ": " $0 }'; done)" ''

plan
