#!/bin/sh
# Runs of learn that are killed, continued, repeated and listed, as a user does it. Prints TAP.
. "${srcdir:-.}/tests/programs.sh"
if [ "${BLAS:-yes}" = no ]; then
  skip 'runs of learn' 'built without a CBLAS'
  plan
  exit
fi

short () { learn dqn --frames 3000 --learning-starts 200 --eval-episodes 2 --quiet "$@"; }
same_weights () { cmp "$1/last.safetensors" "$2/last.safetensors" && cmp "$1/policy.safetensors" "$2/policy.safetensors"; }
figures () { cut -d, -f1,8- "$1/metrics.csv"; } # without times, and the rate
same_figures () { figures "$1" > one; figures "$2" > other; cmp one other; }
files_of () { find "$1" -type f | LC_ALL=C sort | xargs cksum; }
unchanged () { files_of "$1" > after; cmp before after; }

# ---- killed at any moment ----
check 'a run' gives 0 . short --out whole
learn dqn --frames 3000 --learning-starts 200 --eval-episodes 2 --checkpoint-every 8 --out killed > out 2>&1 &
check 'one that saves a checkpoint after every round' await $! test -s killed/checkpoint.tdz
kill -9 $!
wait $! 2> wait.err
for i in 1 2 3; do
  cp killed/checkpoint.tdz before.tdz
  learn --resume killed > out 2>&1 &
  check "is killed again, $i" await $! sh -c '! cmp -s killed/checkpoint.tdz before.tdz'
  kill -9 $! 2> kill.err
  wait $! 2> wait.err
done
check 'it is resumed' gives 0 killed learn --resume killed
check 'its weights are those of one that nobody killed' same_weights whole killed
check 'and its figures' same_figures whole killed
check 'no other files are left' same "$(cd killed && ls -A | grep -v tfevents | tr '\n' ' ')" "$(cd whole && ls -A | grep -v tfevents | tr '\n' ' ')"
files_of killed > before
check 'a run that is complete' gives 0 'killed is complete: 3,000 frames' learn --resume killed
check 'stays as it is' unchanged killed

# ---- interrupted ----
learn sac --frames 1e6 --learning-starts 100 --eval-every 0 --log-every 50 --out long > long.out 2> long.err &
check 'a run begins' await $! sh -c '[ $(wc -l < long/metrics.csv) -gt 3 ]'
kill -INT $!
wait $!
check 'Ctrl-C ends it' same $? 130
check 'it says how to continue' grep -q "^continue it by: learn --resume 'long'" long.err
check 'it is listed as interrupted' gives 0 'long *sac *Pendulum-v1 *0 .* interrupted' learn list .
files_of long > before
check 'other settings are refused' gives 2 'cannot resume long with --gamma 0.5: the run has 0.99' learn sac --resume long --gamma 0.5
check 'and more frames' gives 2 'with --frames 2000000: the run has 1000000' learn --resume long --frames 2M
check 'another environment' gives 2 'the environment Pendulum-v1:.*: the run has Pendulum-v1' learn sac Pendulum:max-episode-steps=9 --resume long
check 'another learner' gives 2 'those of learn sac, not of learn dqn' learn dqn --resume long
check 'another place' gives 2 'cannot use --out with --resume' learn --resume long --out other
check 'other options' gives 2 'cannot use --config with --resume' learn sac --resume long --config long
check 'a directory that is not there' gives 1 'nowhere: there is no such' learn --resume nowhere
check 'a run of collect' sh -c 'collect CartPole --frames 100 --out rows --quiet'
check 'which collect continues' gives 2 'rows: it contains none; a run of learn has a config.json' learn dqn --resume rows
check 'nothing changed' unchanged long
learn --resume long --threads 1 > again.out 2> again.err &
check 'it goes on' await $! sh -c 'grep -q running list.out; learn list . > list.out; grep -q running list.out'
check 'nobody else writes it meanwhile' gives 1 'another process writes long' learn --resume long
kill -TERM $!
wait $!
check 'and ends again' same $? 143

# ---- the same again ----
check 'a run of the options of another' gives 0 . learn --config whole --out again --quiet
check 'is that run again' same_weights whole again
check 'by its file' gives 0 . learn dqn --config whole/config.json --out again2 --quiet
check 'too' same_weights whole again2
check 'the options are printed' sh -c 'learn --config whole --print-config > whole.conf && grep -q "^learning-starts=200$" whole.conf'
check 'and read' gives 0 . learn --config whole.conf --out again3 --quiet
check 'by any name' same_weights whole again3
check 'the command line wins' gives 0 . learn --config whole --seed 1 --out seed1 --quiet
check 'over a file' sh -c '! cmp -s whole/last.safetensors seed1/last.safetensors'
check 'options of another learner' gives 2 'there is no group \[learn dqn\]; did you mean \[learn ppo\]' learn ppo --config whole.conf
check 'a file of none' gives 2 'names no learner' learn --config whole/metrics.csv
check 'one that is not there' gives 1 'nowhere: there is no such file' learn --config nowhere
check 'nor for its learner' gives 1 'cannot read nowhere.json: .*No such file' learn dqn --config nowhere.json
check 'a damaged one' gives 3 'cannot read cut.json: line [0-9]*: ' sh -c 'head -c 99 whole/config.json > cut.json; learn dqn --config cut.json'
check 'a file of collect' gives 2 'those of learn dqn, not of collect' collect --config whole
check 'data and weights are options too' sh -c 'collect CartPole --frames 300 --seed 5 --out more --quiet && \
  learn bc --data rows --data more --weights 0.7,0.3 --max-updates 20 --eval-episodes 2 --out bc --quiet'
check 'from wherever they are used' sh -c 'mkdir -p deep && cd deep && learn --config ../bc --out bc --quiet'
check 'with the same weights' same_weights bc deep/bc
check 'no file starts a program' gives 2 'the files of a run may not start a program: "ls"' sh -c "sed 's/\"env\": \"CartPole-v1\"/\"env\": \"exec:ls\"/' whole/config.json > evil.json && learn --config evil.json --out evil"

# ---- lists ----
check 'a run that was killed before its first checkpoint' sh -c 'cp -r killed lost && rm lost/checkpoint.tdz && head -n 5 killed/metrics.csv > lost/metrics.csv'
check 'is lost' gives 0 '^lost .* lost$' learn list .
check 'and said to be' gives 1 'cannot resume lost: it has no checkpoint' learn --resume lost
check 'updates are counted as such' gives 0 '^bc .* 20 of 20 updates .* complete$' learn list .
check 'below a name' gives 0 'progress  best return  state' learn list .
check 'as JSON' gives 0 '"learner":"bc".*"progress":{"done":20,"total":20,"unit":"updates"}.*"state":"complete","fault":null' learn list . --json
check 'runs is the usual place' gives 1 'runs: there is no such directory' learn list
check 'a place without runs' gives 0 'rows contains no runs of learn' learn list rows
check 'one is shown' gives 0 '^progress *3,000 of 3,000 frames' learn show whole
check 'with its options' gives 0 '^  learning-starts *200$' learn show whole
check 'as JSON too' gives 0 '"progress":{"done":3000,"total":3000,"unit":"frames"}.*"state":"complete".*"options":' learn show whole --json
check 'updates are shown as such' gives 0 '^progress *20 of 20 updates in ' learn show bc
check 'what is no run' gives 2 'rows contains no run of learn' learn show rows
check 'what is not there' gives 1 'nowhere: there is no such directory' learn show nowhere
check 'a damaged run' sh -c 'cp -r killed hurt && sed -i 3s/[0-9]*,/x,/ hurt/metrics.csv'
check 'is listed' gives 0 '^hurt *dqn .* damaged$' learn list .
check 'with its fault' gives 0 'hurt/metrics.csv: line 3 has "x", which is not a number' learn list .
check 'which is shown' gives 3 '^fault *hurt/metrics.csv: line 3 has "x", which is not a number' learn show hurt
check 'as JSON too' gives 3 '"state":"damaged","fault":"hurt/metrics.csv: line 3 ' learn show hurt --json
check 'a damaged configuration' sh -c 'cp -r killed cut && head -c 99 killed/config.json > cut/config.json'
check 'is listed' gives 0 '^cut *- *- *- *- *- *damaged$' learn list .
check 'and shown' gives 3 '^fault *cut/config.json: line [0-9]*: ' learn show cut
check 'and not continued' gives 3 '^learn: cut/config.json: line [0-9]*: ' learn --resume cut
check 'a total that is none' gives 3 '^fault *cut/config.json: "total" must be a whole number above 0' sh -c \
  'sed "s/\"total\": *[0-9]*/\"total\": -5/" killed/config.json > cut/config.json; learn show cut'
check 'a run of another program' sh -c 'mkdir peer && echo "{\"learner\":\"it\"}" > peer/config.json && printf "step,a\n5,2\n" > peer/metrics.csv'
check 'is listed' gives 0 '^peer *it *- *- *- *- *complete$' learn list .
check 'and shown' gives 0 '^version *-$' learn show peer
plan
