#!/bin/sh
# The learners, as a user calls them: they learn, say so, and refuse what they cannot. Prints TAP.
. "${srcdir:-.}/tests/programs.sh"
if [ "${BLAS:-yes}" = no ]; then
  skip 'learners' 'built without a CBLAS'
  plan
  exit
fi

short () { learn dqn --frames 2000 --learning-starts 200 --eval-episodes 5 "$@"; }
same_weights () { cmp "$1/last.safetensors" "$2/last.safetensors"; }
other_weights () { ! cmp -s "$1/last.safetensors" "$2/last.safetensors"; }

# ---- runs ----
check 'a run' gives 0 '2,000 frames, .* updates' short --out a
check 'of the same seed' gives 0 . short --out b --threads 1 --quiet
check 'has the same weights' same_weights a b
check 'of another seed' gives 0 . short --seed 1 --out c --quiet
check 'has others' other_weights a c
check 'one environment learns, by priorities' gives 0 . short --num-envs 1 --sampler prioritized --out one --quiet
check 'and without n-step targets, plainly' gives 0 . short --n-step 1 --double false --out plain --quiet
check 'transforms change what is seen' gives 0 . short --env CartPole --transform step-counter --out chain --quiet
check 'the path is all that standard output has' same "$(short --out d --quiet 2>/dev/null)" d
check 'a Pendulum swings by SAC' gives 0 . learn sac --frames 1500 --learning-starts 500 --batch-size 32 --eval-episodes 2 --out sac --quiet
check 'and by TD3' gives 0 . learn td3 --frames 1500 --learning-starts 500 --batch-size 32 --eval-episodes 2 --policy-noise 0.1 --out td3 --quiet
check 'and by PPO' gives 0 . learn ppo Pendulum --frames 1024 --epochs 2 --eval-episodes 2 --out swung --quiet
check 'a memory learns from sequences' gives 0 . learn r2d2 --frames 1200 --hidden 16,8 --eval-episodes 2 --sampler prioritized --out memory --quiet
check 'of any lengths' gives 0 . learn r2d2 CartPole:max-episode-steps=3 --num-envs 1 --frames 1100 --hidden 8 --burn-in 0 --length 1 --n-step 1 --double false --eval-every 0 --out moment --quiet
check 'pixels are learned from' gives 0 '^its weights are in pixels/policy.safetensors' learn dqn --pixels --frames 200 --learning-starts 180 --batch-size 4 --eval-episodes 1 --out pixels
check 'behind another chain' gives 0 . learn dqn --pixels --transform frame-skip:frame-skip=2 --frames 40 --learning-starts 40 --batch-size 2 --eval-every 0 --out piece --quiet
check 'nothing is evaluated where nobody asks' gives 0 . short --eval-every 0 --out blind --quiet
check 'and a policy is there all the same' test -s blind/policy.safetensors

# ---- files ----
files='checkpoint.tdz config.json last.safetensors metrics.csv metrics.ndjson policy.safetensors'
check 'the files of a run' same "$(cd a && ls | grep -v tfevents | tr '\n' ' ')" "$files "
check 'events have the usual name' test -s a/events.out.tfevents.*
check 'every line of the table has all columns' same "$(awk -F, '{ print NF }' a/metrics.csv | sort -u)" 15
check 'and is an object too' same "$(grep -c '^{"step":.*}$' a/metrics.ndjson)" $(($(lines_of a/metrics.csv) - 1))
check 'the configuration has seed and settings' grep -q '"gamma": 0.98' a/config.json
check 'the exported policy is one of collect' gives 0 '1,000 frames' collect CartPole --frames 1000 --out played \
  --policy mlp:weights=a/policy.safetensors,activation=relu,head=deterministic,explore=false

check 'a policy with a memory is, too' gives 0 '500 frames' \
  collect 'CartPole|observation-norm:in-keys=observation,loc=0,scale=[3,0,20,0]' --frames 500 --out remembered \
  --policy mlp:weights=memory/policy.safetensors,activation=relu,activate-memory=true,head=deterministic,explore=false
check 'the configuration of pixels names no policy' sh -c '! grep -q \"policy\" pixels/config.json'

# ---- rewards that are changed ----
returns () { learn dqn CartPole --transform "$1" --frames 100 --eval-episodes 2 --out "$2" 2>&1 | grep -o 'return.*([^)]*)'; }
check 'evaluations count the rewards of the environment' same "$(returns reward-scaling:loc=0,scale=0 zero)" "$(returns reward-scaling:loc=0,scale=0.1 tenth)"
check 'each is 1' same "$(grep -c . zero/metrics.csv)" "$(awk -F, 'NR == 1 || $10 == "" || $10 == $11' zero/metrics.csv | grep -c .)"
check 'a chain that mixes rewards with others is refused' gives 2 'cannot evaluate: vec-norm changes the reward and other keys' \
  learn dqn CartPole --transform vec-norm --frames 100 --out no
check 'unless nothing is evaluated' gives 0 . learn dqn CartPole --transform vec-norm --frames 100 --eval-every 0 --out normed --quiet

# plays ENV RUN OUT: what a run says plays its policy.
plays () {
  command=$(learn dqn "$1" --transform 'step-counter|reward-sum' --frames 200 --eval-every 0 --out "$2" 2>&1 | sed -n 's/^play the policy by: //p')
  echo "$command"
  eval "$command --frames 100 --out $3"
}
check 'a policy is played as printed, by its chain' gives 0 "^collect 'CartPole:max-episode-steps=50|step-counter|reward-sum' --policy " \
  plays CartPole:max-episode-steps=50 "it's a, b" odd
check 'and the run has its keys' gives 0 episode_reward replay info odd

# ---- learning ----
mean () { sed -n 's/.*mean length.*mean return \([0-9]*\).*/\1/p'; }
reaches () { got=$("$@" 2>&1 | mean) && [ "${got:-0}" -ge "$least" ] || { echo "mean return $got, and at least $least was expected"; return 1; }; }
check 'PPO learns CartPole' gives 0 . learn ppo CartPole --stop-at 400 --out ppo --quiet
least=350
policy=mlp:weights=ppo/policy.safetensors,activation=tanh,head=categorical,explore=false
check 'collect reaches what it learned' reaches collect CartPole --policy "$policy" --seed 9 --frames 16k --out expert
check 'random actions do not' gives 0 . collect CartPole --frames 2000 --out chance --quiet
check 'the data of the expert are cloned' gives 0 . learn bc --data expert --max-updates 1500 --out bc --quiet
policy=mlp:weights=bc/policy.safetensors,activation=relu,head=categorical,explore=false
check 'the clone is as good' reaches collect CartPole --policy "$policy" --seed 10 --frames 16k --out cloned
check 'two directories are mixed' gives 0 . learn bc --data expert --data chance --weights 0.7,0.3 --max-updates 50 --out mixed --quiet
check 'by a sampler of choice' gives 0 . learn bc --data expert --sampler without-replacement --max-updates 50 --out passes --quiet
check 'boxes are cloned' sh -c 'collect Pendulum --frames 800 --out swings --quiet && learn bc --data swings --max-updates 50 --out box --quiet'
check 'better actions than those of data are learned, of classes' gives 0 . learn cql --data expert --data chance --max-updates 1500 --eval-every 1500 --out cql --quiet
policy=mlp:weights=cql/policy.safetensors,activation=relu,head=deterministic,explore=false
check 'as good as the best of them' reaches collect CartPole --policy "$policy" --seed 11 --frames 16k --out valued
check 'or without values of other actions' gives 0 . learn iql --data expert --data chance --max-updates 50 --eval-episodes 2 --out advantage --quiet
check 'and of boxes' gives 0 . learn td3-bc --data swings --max-updates 50 --batch-size 32 --eval-episodes 2 --out tried --quiet
check 'which collect plays' gives 0 '400 frames' collect Pendulum --frames 400 --out again \
  --policy mlp:weights=tried/policy.safetensors,activation=relu,head=tanh-normal,scale=exp,explore=false

# ---- masks ----
masks='primer:primers=(composite:action_mask=(binary:dtype=bool,shape=[2]))'
check 'a mask that allows all is kept to' gives 0 . learn ppo CartPole --transform "$masks,default-value=1" --frames 600 --eval-episodes 2 --out masked --quiet
check 'one that allows nothing is an error' gives 2 'lane 0 has no allowed action: all of its "action_mask" is false' \
  learn dqn CartPole --transform "$masks" --frames 600 --out no
check 'a mask of a box is refused' gives 1 '"action_mask" must be a bool for each class of "action"' learn sac --transform "$masks" --out no

# ---- refusals ----
check 'nor are rows of several steps learned from' gives 2 'rows that are [0-9]* steps each' sh -c 'collect CartPole --frames 400 \
  --split-trajs --capacity 100 --out padded --quiet && learn bc CartPole --data padded --max-updates 2 --out no'
check 'what to resume is asked for' gives 2 '^learn: --resume lacks its value' learn --resume
check 'a class is not for SAC' gives 2 'sac cannot choose "action": it takes a box' learn sac CartPole --out no
check 'nor for TD3+BC' gives 2 'it takes a box, and the action is a class; use learn cql' learn td3-bc --data expert --out no
check 'nor a box for CQL' gives 2 'it takes a class, and the action is a box; use learn td3-bc' learn cql --data swings --out no
check 'a box is not for DQN' gives 2 'dqn cannot choose "action": it takes a class' learn dqn Pendulum --out no
check 'an unknown environment' gives 2 'there is no environment "Foo"' learn dqn Foo --out no
check 'an unknown learner' gives 2 'did you mean "dqn"' learn dqm
check 'an unknown option' gives 2 'did you mean --gamma' learn dqn --gama 1
check 'a number out of range' gives 2 '\-\-gamma cannot be 2: it must be 0 to 1' learn dqn --gamma 2 --out no
check 'a word that is no switch' gives 2 '\-\-double cannot be "maybe"' learn dqn --double maybe --out no
check 'layers that are no numbers' gives 2 '\-\-hidden cannot be "wide"' learn dqn --hidden wide --out no
check 'layers beyond the memory' gives 4 'the networks and their batches: .* of memory needed' learn dqn --hidden 65536,65536,65536 --batch-size 1M --out no
check 'an unknown activation' gives 2 'must be relu or tanh' learn dqn --activation gelu --out no
check 'an unknown sampler' gives 2 'did you mean "prioritized"' learn dqn --sampler prioritised --out no
check 'pixels alone' gives 1 'the environment shows no floats' learn dqn CartPole:from-pixels=true,pixels-only=true --out no
check 'pixels are for DQN alone' gives 2 'there is no option --pixels' learn ppo --pixels --out no
check 'slices around which no sequences are' gives 2 'anchors come from random, prioritized' learn r2d2 --sampler slice:slice-len=2 --out no
check 'no data' gives 2 'name a directory by --data' learn bc --out no
check 'data that are not there' gives 1 'nowhere' learn bc --data nowhere --out no
check 'data of another environment' gives 2 '"observation" has 3 numbers a row, and the environment needs 4' learn bc --data swings --env CartPole --out other
check 'which leave no run' test ! -e other
check 'weights without a pair' gives 2 '\-\-weights needs several --data' learn bc --data expert --weights 1 --out no
check 'weights that do not fit' gives 2 'has 3 weights, and there are 2' learn bc --data expert --data chance --weights 1,2,3 --out no
check 'a run that is there' gives 1 'a exists; choose another --out' short --out a
check 'a stop without evaluations' gives 2 '\-\-stop-at needs evaluations' short --stop-at 1 --eval-every 0 --out no
check 'a loss that is not finite ends the run' gives 1 'the loss of update 1 is .*: its batch.* bad/bad-batch' \
  short --transform reward-scaling:loc=0,scale=1e38 --gamma 1 --n-step 9 --out bad
check 'with the batch' gives 0 'Expected\|observation' ls bad/bad-batch
check 'refusals leave nothing' test ! -e no

# ---- interrupts ----
learn dqn --frames 1e9 --eval-every 1000 --eval-episodes 2 --out long --quiet 2> long.err &
check 'a run begins' await $! test -s long/policy.safetensors
kill -INT $!
wait $!
check 'Ctrl-C ends it' same $? 130
check 'with its weights' test -s long/last.safetensors

check 'spellings of CleanRL' gives 0 . learn dqn --env-id CartPole-v1 --total-timesteps 800 --buffer-size 500 --train-frequency 16 --start-e 0.5 --out cleanrl --quiet
check 'and of SB3' gives 0 . learn ppo --n-envs 2 --n-steps 16 --n-epochs 2 --clip-range 0.1 --ent-coef 0.01 --total-timesteps 400 --out sb3 --quiet
plan
