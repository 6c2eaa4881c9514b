#!/bin/sh
# Environments and policies in programs: exec, and the examples for Gymnasium and PyTorch, where a Python has them
# (PEERS, see HACKING.md). Prints TAP.
case $builddir in /*) ;; *) builddir=$(cd "${builddir:-build}" && pwd) ;; esac
. "${srcdir:-.}/tests/programs.sh"
child=$builddir/tests/exec-child

# ---- a program that keeps to the protocol ----
check 'its env keeps its promises' gives 0 '^exec keeps its promises: 8 lanes, .*; it has no states to save$' \
  collect --env "exec:'$child'" --check-env
check 'a command without a name or quotes' gives 0 '^run$' collect --env "exec:$child good" --frames 400 --out run
check 'its rows are inside their specs' gives 0 '^400 rows of 12 keys are inside' replay check run
check 'its specs are printed' gives 0 '^action  *composite:action=(one-hot' replay spec "exec:$child" --text
check 'it is listed' gives 0 '^exec  *.*a program' collect --list-envs
check 'and described' gives 0 'command' collect --env "exec:$child" --describe
rows () { (cd "$1/storage" && find . -name '*.memmap' | LC_ALL=C sort | xargs cat) | cksum; }
threads () {
  collect --env "serial:num-envs=12,envs=['exec:$child','exec:$child','exec:$child']" --frames 600 --threads "$1" \
    --out "threads$1" --quiet > log && rows "threads$1"
}
check 'any number of threads steps several processes' same "$(threads 1)" "$(threads 3)"

# ---- one that does not ----
check 'an end at the start' gives 1 "exec:'.*': its process exited with status 7" collect --env "exec:$child exit" --frames 100
check 'an end on the way' gives 1 'exec: lane 0 could not be simulated in step [0-9]* of its episode: signal 9 (Killed)' \
  collect --env "exec:$child kill 300" --frames 4000 --out killed
check 'the rows before it are kept' gives 0 '^1000 rows of 12 keys are inside' replay check killed
check 'no program' gives 1 'cannot run "no-such-program"' collect --env "exec:no-such-program" --frames 100
check 'no command' gives 2 "exec needs a command, as in exec:'python3 my_env.py'" collect --env exec --frames 100

check 'the lane, its step and its seed' gives 1 \
  'exec: lane 0 could not be simulated in step [0-9]* of its episode: .*; the seed of the lane was 7$' \
  collect --env "exec:$child kill 300" --seed 7 --frames 4000

# ---- Ctrl-C ----
# interrupted ENV: stopped once it has rows; the commands that it names afterwards.
interrupted () {
  rm -rf stopped
  collect --env $1 --frames 100M --capacity 1000 --out stopped > log 2>&1 &
  await $! sh -c 'replay info stopped 2> info | grep -q "^rows"'
  kill -INT $!
  wait $! && echo 'it ended by itself'
  sed -n 's/^\([a-z ]*\):  .*/\1/p' log | grep '^look\|^continue'
}
check 'a run of states may go on' same "$(interrupted CartPole | xargs)" 'look at it continue it'
for env in "exec:$child" "parallel:'exec:$child'" "serial:envs=['exec:$child','exec:$child']" "exec:$child|step-counter"; do
  check "one without may not: ${env%%[\$ /\']*}" same "$(interrupted "$env" | xargs)" 'look at it'
done

# ---- a program that acts ----
acting () { collect Pendulum --policy "exec:$child" --frames 400 --threads "$1" --out "acting$1" --quiet > log && rows "acting$1"; }
check 'a program acts, for any number of threads' same "$(acting 1)" "$(acting 3)"
check 'what it writes beside is stored' gives 0 '^400 rows of 13 keys are inside' replay check acting1
check 'its score is that of the program' gives 0 score replay rows acting1 --keys score
check 'its run is not resumed' gives 2 'the files of a run may not start a program' collect --resume acting1 --frames 800
check 'which is not proposed' same "$(interrupted "Pendulum --policy exec:$child" | xargs)" 'look at it'
check 'a lane that it leaves out' gives 1 'in step 29: its process wrote nothing to "action" of lane 3$' \
  collect Pendulum --policy "exec:$child one-nothing 30" --frames 4000 --out left
check 'the rows before it are kept' gives 0 '^232 rows of 13 keys' replay check left
check 'no command for it' gives 2 "exec needs a command, as in exec:'python3 my_policy.py'" collect Pendulum --policy exec

# ---- files start no program ----
check 'a run is not resumed' gives 2 'cannot resume run: the files of a run may not start a program' \
  collect --resume run --frames 800
drawn () { gives 0 'a plot, for there are no pictures: the files of a run may not start a program' render run --sheet a.png; }
if render --help | grep -q -e --sheet; then check 'render plots it' drawn; fi

# ---- Gymnasium ----
python=${PEERS:-$HOME/.cache/reel-peers}/bin/python
[ -x "$python" ] || python=$(command -v python3)
example="$python $srcdir/examples/gymnasium_env.py"
gymnasium () {
  collect --env "exec:$example CartPole-v1 $1" --num-envs 4 --frames 600 --out "gymnasium$1" --quiet > log && rows "gymnasium$1"
}
if "$python" -c 'import gymnasium' 2> log; then
  collect --env CartPole --num-envs 4 --frames 600 --out own --quiet > log
  check 'one environment of Gymnasium a lane writes the bytes of CartPole' same "$(gymnasium)" "$(rows own)"
  check 'so does a vector environment' same "$(gymnasium sync)" "$(rows own)"
  check 'and one of several processes' same "$(gymnasium async)" "$(rows own)"
  check 'a space that is not supported is named' gives 1 'Tuple(.*is not supported: wrap the environment' \
    collect --env "exec:$example Blackjack-v1" --frames 100
else
  skip 'environments of Gymnasium' 'no Gymnasium here'
fi

# ---- PyTorch ----
torch () { collect "$1" --policy "exec:$python $srcdir/examples/torch_policy.py" --frames 400 --out "torch$1" --quiet > log && replay check "torch$1"; }
if "$python" -c 'import torch, numpy' 2> log; then
  check 'a network of PyTorch acts by a box' gives 0 '^400 rows' torch Pendulum
  check 'and by classes' gives 0 '^400 rows' torch CartPole
  cp "$srcdir"/tests/data/text/tokenizer.json "$srcdir"/tests/data/text/tldr-train.csv .
  replay tokenize tldr-train.csv prompts --kind prompt --rows 4 --max-length 160 --tokenizer tokenizer.json > log &&
    replay tokenize tldr-train.csv texts --key label --max-length 64 --tokenizer tokenizer.json > log || exit 99
  answers () {
    replay rollout prompts answers --model "exec:'$python $srcdir/examples/torch_text_model.py'" --max-new-tokens 3 \
      --ref-model ngram:rows=texts,vocabulary=50257 --reward-model ngram:rows=texts,vocabulary=50257
  }
  check 'and one writes answers to prompts' gives 0 '^answers$' answers
  check 'of three tokens each' gives 0 'length 3 to 3, mean 3.0$' replay info answers
else
  skip 'networks of PyTorch' 'no PyTorch here'
fi

lines () { [ "$(lines_of "$srcdir/examples/gymnasium_env.py")" = "$(sed -n 's/.*in \([0-9]*\) lines of Python.*/\1/p' "$srcdir/docs/your-own-env.md")" ]; }
check 'docs/your-own-env.md counts the lines of the example' lines
torch_lines () { [ "$(lines_of "$srcdir/examples/torch_policy.py")" = "$(sed -n 's/.*PyTorch in \([0-9]*\) lines.*/\1/p' "$srcdir/docs/policies.md")" ]; }
check 'docs/policies.md counts those of the policy' torch_lines
text_lines () { [ "$(lines_of "$srcdir/examples/torch_text_model.py")" = "$(sed -n 's/.*PyTorch in \([0-9]*\) lines.*/\1/p' "$srcdir/docs/text-data.md")" ]; }
check 'docs/text-data.md those of the model' text_lines
plan
