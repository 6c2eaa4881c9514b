#!/bin/sh
# The pictures of learn: charts and films; and its policy in PyTorch and Gymnasium. Prints TAP.
example=$(cd "${srcdir:-.}" && pwd)/examples/evaluate_policy.py
. "${srcdir:-.}/tests/programs.sh"
if [ "${BLAS:-yes}" = no ]; then
  skip 'charts and films of learn' 'built without a CBLAS'
  plan
  exit
fi

short () { learn dqn --frames 1200 --learning-starts 200 --eval-every 600 --eval-episodes 2 --quiet "$@"; }
check 'a run' gives 0 . short --out a
check 'another seed, with films' gives 0 . short --seed 1 --out b --videos --video-format png
check 'other settings' gives 0 . short --n-step 1 --eval-every 0 --out c

# ---- a terminal ----
# shown OPTION…: the last line with bars, of a run that takes longer than the third of a second before the first one.
shown () {
  script -qec "stty cols 120; LC_ALL=C.UTF-8 learn dqn --frames 10k --learning-starts 200 --log-every 500 --eval-episodes 2 --out $*" typescript > log 2>&1
  tr '\r' '\n' < typescript | sed 's/^.*\[K//' | grep '[▁▂▃▄▅▆▇█]' | tail -1 > shown
}
if command -v script > log; then
  bars () { shown "$@" && grep -qE '^[0-9,]+ frames, .*/s, return [0-9.]+ [▁▂▃▄▅▆▇█]+, loss [0-9.e-]+, buffer .* left$' shown || { cat shown; return 1; }; }
  check 'a line has rate, returns, loss, buffer and time' bars seen --eval-every 500
  check 'without evaluations too' bars blind --eval-every 0
else
  skip 'a line has rate, returns, loss, buffer and time' 'no script here'
fi

# ---- charts ----
check 'a chart of runs' gives 0 '^plot.svg$' learn plot a b c
shows () { grep -q ">$1<" plot.svg; }
check 'has their environment' shows CartPole-v1
check 'and a line of two seeds' shows 'dqn, n-step 5 (2 runs)'
check 'and of other settings' shows 'dqn, n-step 1'
check 'the return and the loss' sh -c 'grep -q ">eval/mean_reward<" plot.svg && grep -q ">train/loss<" plot.svg'
check 'over frames' shows frames
check 'where nothing was evaluated, returns of episodes' gives 0 'c.svg' learn plot c --out c.svg
check 'are shown' grep -q '>rollout/ep_rew_mean<' c.svg
check 'figures of choice' gives 0 'q.svg' learn plot a --figures train/q_values,time/fps --title 'of choice' --out q.svg
check 'in their order' same "$(sed -n 's/.*>\([a-z_]*\/[a-z_]*\)<.*/\1/p' q.svg | tr '\n' ' ')" 'train/q_values time/fps '
check 'below a title' grep -q '>of choice<' q.svg
check 'a PNG' gives 0 'a.png' learn plot a b --out a.png
check 'is one' same "$(head -c 4 a.png | tail -c 3)" PNG
check 'of the same runs twice' gives 0 'again.png' learn plot a b --out again.png
check 'has the same bytes' cmp a.png again.png
check 'while a run is written' sh -c 'mkdir half && cp a/config.json half && head -c 900 a/metrics.csv > half/metrics.csv && learn plot half --out half.svg'

check 'a file that is there stays' gives 1 'a.png exists; choose another --out, or replace it by --force' learn plot a --out a.png
check 'unless it may be replaced' gives 0 'a.png' learn plot a --out a.png --force
check 'another kind of file is refused' gives 2 'choose a name that ends in .png or .svg' learn plot a --out a.pdf
check 'an unknown figure' gives 2 'cannot plot "train/los": no run has it; did you mean "train/loss"' learn plot a --figures train/los --out no.svg
check 'no run' gives 2 'name the directories of runs' learn plot
check 'a directory that is no run' gives 2 'videos contains no run of learn' learn plot a b/videos --out no.svg
check 'damaged figures' gives 3 'half/metrics.csv: line 2 has "x", which is not a number' sh -c 'sed -i 2s/[0-9]*,/x,/ half/metrics.csv; learn plot half --out no.svg'
# full COMMAND…: where no file has more than 2 KiB, as on a full disk.
full () { (ulimit -f 4; exec "$@"); }
for kind in png svg; do
  check "a full disk, $kind" gives 4 "^learn: no.$kind: cannot be written: File too large" full learn plot a b --out no.$kind
done
check 'refusals leave nothing' same "$(ls -A | grep '^[.]*no[.]')" ''

# ---- films ----
films () { (cd b/videos && echo *); }
check 'a film for each evaluation' same "$(films)" 'rl-video-step-1200 rl-video-step-600'
check 'is the episode from its first picture' test -s b/videos/rl-video-step-600/frame-0000.png
check 'which is the same in all' cmp b/videos/rl-video-step-600/frame-0000.png b/videos/rl-video-step-1200/frame-0000.png
check 'films change nothing that is learned' sh -c 'learn dqn --frames 1200 --learning-starts 200 --eval-every 600 --eval-episodes 2 --seed 1 --out d --quiet && cmp b/last.safetensors d/last.safetensors'
check 'by the spelling of CleanRL' gives 0 . short --capture-video --video-format png --out e
check 'too' same "$(ls e/videos | head -1)" rl-video-step-1200
check 'an unknown format' gives 2 'it must be mp4, gif or png' short --videos --video-format avi --out no
check 'a format without films' gives 2 '\-\-video-format is for --videos' short --video-format png --out no
check 'films without evaluations' gives 2 '\-\-videos needs evaluations' short --videos --eval-every 0 --out no
check 'leave no run' test ! -e no

# ---- PyTorch ----
python=${PEERS:-$HOME/.cache/reel-peers}/bin/python
[ -x "$python" ] || python=$(command -v python3)
if [ -n "$python" ] && "$python" -c 'import gymnasium, torch' 2> /dev/null; then
  check 'PyTorch and Gymnasium play the policy' gives 0 '^3 episodes of CartPole-v1: mean return [0-9.]*$' "$python" -W ignore "$example" a 3
  check 'of a box' gives 0 . learn sac --frames 300 --learning-starts 100 --batch-size 16 --eval-episodes 1 --out swing --quiet
  check 'too' gives 0 '^1 episodes of Pendulum-v1: mean return -[0-9.]*$' "$python" -W ignore "$example" swing 1
else
  skip 'PyTorch and Gymnasium play the policy' 'no Python with torch and gymnasium'
fi
check 'the example has less than 30 lines' test "$(lines_of "$example")" -lt 30
plan
