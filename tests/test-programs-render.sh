#!/bin/sh
# The outputs of render. Prints TAP.
. "${srcdir:-.}/tests/programs.sh"
golden=$srcdir/tests/data/torchrl
pictures () { ls "$1" | wc -l | tr -d ' '; }
# size FILE: width and height, as the file has them
size () { od -An -tu1 -j16 -N8 "$1" | awk '{ print $3 * 256 + $4 "x" $7 * 256 + $8 }'; }

collect --env CartPole --frames 400 --num-envs 4 --out seen --quiet > log
collect --env CartPole:from-pixels=true,pixels-only=true,width=30,height=20 --frames 400 --num-envs 4 \
  --out pixels --quiet > log
collect --env CartPole:from-pixels=true,width=30,height=20 --frames 400 --num-envs 4 --out both --quiet > log

# ---- episodes that are played
check 'an episode is played' gives 0 'CartPole: an episode of [1-9][0-9]* steps' \
  render --env CartPole --seed 3 --png played --size 60x40
steps=$(sed 's/.*of //; s/ steps//' gives.err)
check 'and has a picture before each step and after the last' same "$(pictures played)" "$((steps + 1))"
check 'whose names sort' same "$(ls played | head -n 1)" frame-0000.png
check 'of the size asked for' same "$(size played/frame-0000.png)" 60x40
render --env CartPole --seed 3 --png again --size 60x40 2> log
check 'the same seed is the same episode' diff -r played again
render --env CartPole --seed 4 --png other --size 60x40 2> log
check 'another is another' same "$(cmp -s played/frame-0000.png other/frame-0000.png || echo differs)" differs
check 'no longer than asked for' gives 0 'an episode of 5 steps' render --env CartPole --steps 5 --png short
check 'at the size of Gymnasium' same "$(pictures short) $(size short/frame-0005.png)" '6 600x400'
for env in Pendulum Acrobot MountainCar MountainCarContinuous; do
  check "$env fits on a sheet" gives 0 "$env: an episode of [1-9]" render --env $env --sheet $env.png
done
check 'a sheet has its columns and rows' gives 0 '' render --env CartPole --sheet sheet.png --tiles 3x2 --size 30x20
check 'with a gap around each' same "$(size sheet.png)" 106x52
check 'and no more rows than pictures' gives 0 '' render --env CartPole --steps 2 --sheet few.png --size 30x20
check 'which is one here' same "$(size few.png)" 106x28

# ---- episodes that are stored
check 'one is drawn from what was observed' gives 0 'seen: an episode of' render seen --episode 2 --size 30x20 --png a
check 'one is taken from pixels' gives 0 'pixels: an episode of' render pixels --episode 2 --png b
check 'which are those of the run' diff -r a b
check 'and those beside an observation' gives 0 '' render both --episode 2 --png c
check 'are the same' diff -r a c
check 'a size has it drawn anew' gives 0 '' render both --episode 2 --size 60x40 --png d
check 'at that size' same "$(size d/frame-0000.png)" 60x40
check 'also where pixels are all there is, for the run is played again' gives 0 '' \
  render pixels --episode 2 --size 60x40 --png e
check 'with the same pictures' diff -r d e
check 'what TorchRL collected is drawn, once it is said what it is of' gives 0 'an episode of' \
  render "$golden/rb-collector-cartpole/dump" --env CartPole --sheet theirs.png
touch linked.png && ln -s linked.png link.png
check 'a link leads to the sheet' gives 0 '' render --env CartPole --steps 2 --force --sheet link.png --size 30x20
check 'and stays' test -L link.png -a -s linked.png
# full COMMAND…: where no file has more than 512 bytes, as on a full disk.
full () { (ulimit -f 1; exec "$@"); }
check 'a full disk names the sheet' gives 4 '^render: full.png: cannot be written: File too large' full render CartPole --steps 9 --sheet full.png
check 'and the picture' gives 4 '^render: full/frame-0000.png: cannot be written: File too large' full render CartPole --steps 9 --png full
check 'and leaves nothing' same "$(ls -A | grep full)" ''
chain='to-tensor-image:in-keys=[pixels,next/pixels]|gray-scale:in-keys=[pixels,next/pixels]|resize:w=12,h=16,in-keys=[pixels,next/pixels]'
chain="$chain|cat-frames:n=3,dim=-3,in-keys=[pixels,next/pixels]"
check 'transforms show what a learner sees' gives 0 'pixels: an episode of' render pixels --transform "$chain" --episode 2 --png learner
check 'at the size that they make' same "$(size learner/frame-0000.png)" 16x12
replay convert pixels converted --transform "$chain" > log
check 'which is what convert writes' gives 0 '' render converted --episode 2 --png written
check 'to the byte' diff -r learner written
one_key='to-tensor-image|unsqueeze:dim=-4,in-keys=pixels|cat-frames:n=2,dim=-4'
check 'frames in a dimension of their own, and no last picture' gives 0 'pixels: an episode of' \
  render pixels --transform "$one_key" --episode 2 --png stacked
check 'are those of the observations' same "$(rm b/"$(ls b | tail -n 1)" && diff -r b stacked)" ''
check 'rows without pictures are a plot' gives 0 'a plot, for the transformed rows have no pictures' \
  render seen --transform exclude:keys=action --sheet numbers.png
# ---- an episode is played as a learner sees it
live='to-tensor-image|gray-scale|resize:w=12,h=16|cat-frames:n=3,dim=-3'
collect --env CartPole:from-pixels=true,width=30,height=20 --num-envs 1 --seed 3 --frames 100 --out small --quiet > log
check 'an episode is played behind transforms' gives 0 'an episode of [0-9]* steps' \
  render CartPole:width=30,height=20 --seed 3 --transform "$live" --png played-learner
check 'with the pictures that a run of it shows' gives 0 '' render small --episode 0 --transform "$chain" --png small-learner
check 'to the byte' diff -r small-learner played-learner
check 'in several episodes, too' gives 0 '4 episodes' \
  render CartPole:width=30,height=20 --grid 2x2 --steps 9 --transform "$live" --sheet grids.png
check 'transforms that step the environment do' gives 0 'an episode of 3 steps' \
  render CartPole --seed 3 --steps 3 --transform frame-skip:frame-skip=2 --sheet skipped.png
check 'and what has no pictures is a plot' gives 0 'a plot, for the observations have no pictures' \
  render CartPole --transform 'select:keys=[observation]' --sheet selected.png
check 'as where one is wanted' gives 0 '^CartPole: an episode of' \
  render CartPole --transform to-tensor-image --plot --sheet wanted.png
check 'a transform that is not there is named' gives 2 'did you mean "gray-scale"' \
  render CartPole --transform gray-scal --sheet none.png
check 'and one that does not fit' gives 2 'transform 0, gray-scale' render CartPole --transform gray-scale --sheet none.png
check 'and are not drawn again' gives 2 'size draws the environment again' \
  render pixels --transform gray-scale --size 60x40 --sheet none.png
check 'none of them steps an environment' gives 1 'frame-skip repeats the actions' \
  render pixels --transform frame-skip:frame-skip=2 --sheet none.png
check 'the newest by a negative number' gives 0 'seen: an episode of' render seen --episode=-1 --sheet newest.png
check 'nothing in the directory changed' gives 0 '' replay fsck seen

check 'what says no environment is a plot' gives 0 'a plot, for there are no pictures: .* name it by --env ID' \
  render "$golden/rb-collector-cartpole/dump" --sheet plot.png
check 'and so is what is asked to be' gives 0 'seen: an episode of' render seen --plot --png plots --size 300x200
check 'at the size asked for' same "$(size plots/frame-0000.png)" 300x200
check 'what is played as well, for no other reason' same \
  "$(render --env CartPole --plot --sheet plot.png --force 2>&1 > log | grep -v 'an episode of')" ''
check 'an ensemble is its members one after the other' gives 0 'dump/storage/0: an episode of' \
  render "$golden/rb-ensemble2/dump" --sheet first.png
check 'and says which it shows' gives 0 'dump/storage/1: an episode of' \
  render "$golden/rb-ensemble2/dump" --episode -1 --sheet last.png
check 'pixels of other forms are pictures too' gives 0 '^[^:]*: an episode of' \
  render "$golden/rb-pixels-agents/dump" --sheet forms.png
check 'of a size that no environment draws, by a whole factor' gives 0 '' \
  render "$golden/rb-pixels-agents/dump" --sheet forms-large.png --tiles 1x1 --size 101x90
check 'with grey around them' same "$(size forms-large.png)" 109x98
collect --env Pendulum --frames 400 --num-envs 2 --out swings --quiet > log
check 'the torque that no observation tells is drawn' gives 0 '' render swings --episode 1 --size 60x60 --png swung
cp -r swings other-run
sed 's/"seed": *0/"seed": 7/; s/seed=0/seed=7/' swings/reel.json > other-run/reel.json
check 'a run that cannot be played again is drawn from what it observed' gives 0 '' \
  render other-run --episode 1 --size 60x60 --png observed
check 'which is without it' same "$(cmp -s swung/frame-0003.png observed/frame-0003.png || echo differs)" differs
check 'and alike where there is none' cmp swung/frame-0000.png observed/frame-0000.png

# ---- several at once, and what is written upon them
check 'several play at once' gives 0 'CartPole: 6 episodes of up to' render --env CartPole --grid 3x2 --size 30x20 --png grid
check 'side by side' same "$(size grid/frame-0000.png)" 106x52
check 'the first is the one that plays alone' gives 0 '' render --env CartPole --size 30x20 --png alone
check 'as long as the longest' same "$([ "$(pictures grid)" -ge "$(pictures alone)" ] && echo longer)" longer
check 'so are stored ones' gives 0 'seen: 4 episodes of up to' render seen --grid 2x2 --size 30x20 --sheet stored.png --tiles 2x1
check 'on a sheet of grids' same "$(size stored.png)" "$((2 * 76 + 4))x60"
check 'an overlay changes pictures' gives 0 '' render --env CartPole --size 60x40 --seed 3 --overlay --png over
check 'each of them' same "$(cmp -s over/frame-0000.png played/frame-0000.png || echo differs)" differs

# ---- cameras of MuJoCo; what the drivers and the threads of OpenGL keep is theirs
leaks=${ASAN_OPTIONS:-}
export ASAN_OPTIONS="${leaks:+$leaks:}detect_leaks=0"
if [ "$MUJOCO" != no ] && render HalfCheetah --steps 1 --sheet drawn.png > log 2>&1; then
  # looks FILE ENV OPTION…: four steps of an environment, in one picture.
  looks () { file=$1 && shift && render --env "$@" --steps 4 --size 48x48 --sheet "$file" -q > log; }
  looks by-default.png HalfCheetah
  looks track.png HalfCheetah --camera track
  looks fixed.png HalfCheetah --camera fixed
  looks free.png HalfCheetah --camera=-1
  looks named.png "HalfCheetah:camera='-1'"
  check 'the camera follows the body' cmp by-default.png track.png
  check 'unless it is told to stay' same "$(cmp -s by-default.png fixed.png || echo differs)" differs
  check 'by the number of the free camera too' cmp fixed.png free.png
  check 'or by the argument of the environment' cmp fixed.png named.png
  check 'what has no such camera is seen by the free one' looks reacher.png Reacher
  check 'as if it were asked for' looks reacher-fixed.png Reacher --camera fixed
  check 'with the same picture' cmp reacher.png reacher-fixed.png
  away="MuJoCo:xml-file=$srcdir/tests/data/away.xml,frame-skip=50"
  looks away.png "$away"
  looks away-follow.png "$away" --camera follow
  looks away-fixed.png "$away" --camera fixed
  check 'a model without a camera is followed too' cmp away.png away-follow.png
  check 'unless it is told otherwise' same "$(cmp -s away.png away-fixed.png || echo differs)" differs
  check 'into the picture' gives 0 '' render --env "$away" --steps 12 --size 48x48 --png away
  check 'however far it moves' cmp away/frame-0000.png away/frame-0012.png
  check 'an arm is not followed' gives 2 'camera=follow: the model has no such camera, but -1 (free)' \
    render Reacher --camera follow --sheet x.png
  check 'a camera that is not there is named' gives 2 'camera=side: the model has no such camera' \
    render HalfCheetah --camera side --sheet x.png
  collect --env HalfCheetah --frames 8 --num-envs 1 --out runs-away --quiet > log
  check 'a run is seen alike' gives 0 '' render runs-away --episode 0 --size 48x48 --sheet run-default.png
  check 'by the camera that follows' gives 0 '' \
    render runs-away --episode 0 --size 48x48 --sheet run-track.png --camera track
  check 'not by one that is not there' gives 2 'camera=side: the model has no such camera' \
    render runs-away --episode 0 --sheet x.png --camera side
  check 'to the byte' cmp run-default.png run-track.png
else
  skip 'cameras of MuJoCo' 'nothing draws them here'
fi
ASAN_OPTIONS=$leaks

# ---- what is printed, and what is replaced
printed () {
  render --env CartPole --steps 3 --size 30x20 --png shown --sheet shown.png > out 2> err &&
    same "$(cat out)" "$(printf 'shown\nshown.png')" && grep -q 'an episode of 3 steps' err
}
check 'the paths alone go to standard output' printed
cp shown.png before.png
check 'a file that exists is not replaced' gives 1 'shown.png exists; choose another --sheet, or replace it by --force' \
  render --env CartPole --seed 5 --sheet shown.png
check 'and stays as it was' cmp shown.png before.png
check 'with --force it is' gives 0 '^shown.png$' render --env CartPole --seed 5 --sheet shown.png --force
check 'and differs' same "$(cmp -s shown.png before.png || echo differs)" differs
check 'a directory is not replaced, even so' gives 1 'shown is a directory that is not empty; .*force replaces files alone' \
  render --env CartPole --steps 3 --png shown --force
quiet () {
  render --env CartPole --steps 3 --sheet quiet.png -q > out 2> err && same "$(cat out)" quiet.png && same "$(cat err)" ''
}
check 'quiet says nothing but the path' quiet
check 'as JSON' same "$(render --env CartPole --steps 3 --sheet json.png --json -q)" \
  '{"sheet":"json.png","name":"CartPole","episodes":1,"steps":3,"left_out":0}'
check 'a directory is not named as a picture' gives 2 '\-\-png makes a directory.*--sheet FILE.png' \
  render --env CartPole --png one.png
check 'nor a PNG as a JPEG' gives 2 'the file is written as PNG; choose a name that ends in .png' \
  render --env CartPole --sheet s.JPG
check 'nor a film as a GIF' gives 2 'the file is written as MP4; choose a name that ends in .mp4' \
  render --env CartPole --mp4 film.gif
check 'and none is made' same "$(ls -dA one.png s.JPG film.gif 2> log)" ''
check 'a sheet of a plot is one large plot' gives 0 '' render seen --plot --sheet one-plot.png
check 'at its own size' same "$(size one-plot.png)" 648x488
check 'of a played episode too' gives 0 '' render --env CartPole --plot --sheet played-plot.png
check 'at the same size' same "$(size played-plot.png)" 648x488
check 'unless tiles are asked for' gives 0 '' render seen --plot --sheet tiled.png --tiles 2x1 --size 100x80
check 'side by side' same "$(size tiled.png)" 212x88

# ---- films
magic () { dd if="$1" bs=1 skip="$2" count="$3" 2> log; }
if render --version | grep -q 'gif: giflib'; then
late () {
  render Pendulum:max-episode-steps=0 --steps 3000 --size 600x400 --gif late.gif > log 2>&1 &
  pid=$!
  await $pid sh -c 'ls .late.gif.*.tmp'
  echo mine > late.gif
  wait $pid
  same $? 1 && grep -q 'late.gif: cannot be put in its place: File exists' log && same "$(cat late.gif)" mine && rm late.gif
}
check 'a file that appears meanwhile stays' late
  check 'a GIF' gives 0 'an episode of' render --env CartPole --seed 3 --size 60x40 --gif film.gif
  check 'is one' same "$(magic film.gif 0 6)" GIF89a
  check 'of its size' same "$(od -An -tu2 -j6 -N4 film.gif | tr -s ' ')" ' 60 40'
  check 'what a GIF has no time for is counted' gives 0 'fast.gif: leaves out 5 of 11 pictures' \
    render --env CartPole --seed 3 --steps 10 --size 30x20 --fps 100 --gif fast.gif
  check 'the last picture is never left out' gives 0 'even.gif: leaves out 5 of 12 pictures' \
    render --env CartPole --seed 3 --steps 11 --size 30x20 --fps 100 --gif even.gif
  check 'nothing is said where all are there' same \
    "$(render --env CartPole --seed 3 --steps 10 --size 30x20 --gif slow.gif 2>&1 | grep -c 'leaves out')" 0
  check 'that repeats' grep -q NETSCAPE2.0 film.gif
  check 'over a directory' gives 1 'cannot create this file' render seen --gif played
  check 'where nothing is' gives 1 'this file could not be created' render seen --gif no/film.gif
else
  check 'no GIF without giflib' gives 2 'built without giflib' render seen --gif x.gif
  check 'which the help does not list' test -z "$(render --help | grep -e '--gif[= ]')"
fi
# The ffmpeg in use is the first in PATH.
mkdir tools
stand_in () { printf '#!/bin/sh\n%s\n' "$1" > tools/ffmpeg; chmod +x tools/ffmpeg; }
with_tools () { PATH=$scratch/tools:$PATH "$@"; }
stand_in 'for last; do :; done; cat > "${last#file:}"'
check 'a film by ffmpeg' gives 0 'an episode of 5 steps' with_tools render --env CartPole --steps 5 --size 30x20 --mp4 film.mp4
check 'which gets all pixels' same "$(wc -c < film.mp4 | tr -d ' ')" "$((6 * 30 * 20 * 3))"
stand_in 'echo "cannot do that" >&2; cat > log; exit 3'
check 'it says why it fails' gives 1 'failed with status 3: cannot do that' with_tools render --env CartPole --mp4 x.mp4
stand_in 'echo "no more" >&2; exit 4'
check 'also where it does not listen' gives 1 'status 4: no more' with_tools render --env CartPole --mp4 x.mp4
check 'a film that was there stays' gives 1 'no more' with_tools render --env CartPole --force --mp4 film.mp4
check 'as it was' same "$(wc -c < film.mp4 | tr -d ' ')" "$((6 * 30 * 20 * 3))"
mkdir nothing-there
ln -s "$(command -v render)" nothing-there/render
check 'no ffmpeg' gives 1 'ffmpeg, which is not installed' env PATH="$scratch/nothing-there" render --env CartPole --mp4 x.mp4
if command -v ffmpeg > log && command -v ffprobe > log; then
  check 'a film by the true one' gives 0 '' render --env CartPole --steps 10 --size 61x41 --fps 25 --mp4 true.mp4
  check 'has its pictures, its speed and even sides' same "$(ffprobe -v error -count_frames -select_streams v \
    -show_entries stream=width,height,avg_frame_rate,nb_read_frames -of csv=p=0 true.mp4)" 62,42,25/1,11
fi
# Interrupted while it draws: nothing is left.
# ends COMMAND…: two seconds later a signal ends it with the status that shells give.
ends () {
  timeout --foreground --preserve-status -s "${signal:-INT}" 2 "$@" > log 2>&1
  status=$?
  [ $status = ${ended:-130} ] || { echo "exit status $status"; cat log; return 1; }
}
stand_in 'exec cat > log'
check 'an interrupt ends it' with_tools ends render --env CartPole --grid 8x8 --size 500x400 --png late --sheet late.png \
  --mp4 late.mp4
check 'and leaves nothing' same "$(ls -dA late* .late* 2> log)" ''
# It waits for a program that does not read, which the first signal changes nothing about.
stand_in 'echo $$ > reader; exec sleep 600'
PATH=$scratch/tools:$PATH render --env CartPole --size 500x400 --png late --mp4 late.mp4 2> log &
drawing=$!
await $drawing sh -c '[ -s reader ] && ls .late.*.tmp/frame-0000.png'
check 'what is drawn has another name until it is whole' test ! -e late -a ! -e late.mp4
kill -INT $drawing
kill -TERM $drawing
wait $drawing
status=$?
check 'a second signal ends it at once' test $status = 130 -o $status = 143
check 'and what writes the film, which could make it anew' same "$(kill -0 "$(cat reader)" 2> log || echo gone)" gone
check 'and leaves nothing either' same "$(ls -dA late* .late* 2> log)" ''
# The next at its path removes the leftovers of a killed one, and nothing of one that lives.
rm -f reader
stand_in 'echo $$ >> reader; exec sleep 600'
begin () { PATH=$scratch/tools:$PATH render --env CartPole --size 500x400 --png late --mp4 late.mp4 > log 2>&1 & }
draws () {
  await "$1" sh -c '[ -e .late.$0-0.tmp/frame-0000.png ] && [ "$(grep -c . reader)" = "$1" ]' "$1" "$2"
}
# One after the other: a draft that is not locked yet may be swept, and its writer takes the next number.
begin; killed=$!; draws $killed 1
begin; alive=$!; draws $alive 2
kill -KILL $killed
wait $killed 2> log
check 'a killed one leaves its drafts' test -d .late.$killed-0.tmp -a -f .late.mp4.$killed-0.tmp
stand_in 'exec cat > log'
check 'which the next removes' with_tools render --env CartPole --steps 2 --png late --mp4 late.mp4
check 'and not those of one that lives' same "$(echo .late.*)" ".late.$alive-0.tmp .late.mp4.$alive-0.tmp"
kill -INT $alive
kill -TERM $alive
wait $alive
kill $(cat reader) 2> log
rm -r late late.mp4
# Its input is cut while it writes: a picture is more than a pipe takes before somebody reads.
collect --env CartPole:from-pixels=true,pixels-only=true,width=200,height=200 --frames 50 --num-envs 1 --out shrinks \
  --quiet > log
rm -f reader
stand_in 'echo $$ > reader; until [ -e cut ]; do sleep 0.1; done; exec cat > log'
PATH=$scratch/tools:$PATH render shrinks --png late --mp4 late.mp4 2> err &
drawing=$!
await $drawing sh -c '[ -s reader ] && ls .late.*.tmp/frame-0000.png'
: > shrinks/storage/pixels.memmap
: > cut
wait $drawing
status=$?
check 'input that is cut meanwhile ends it' same $status 3
check 'and is named' grep -q '^render: /.*shrinks/storage/.*pixels.memmap: .* was cut after it was opened' err
check 'and nothing half made is left' same "$(ls -dA late* .late* 2> log)" ''

# ---- windows; what drivers and D-Bus keep is theirs
ASAN_OPTIONS="${leaks:+$leaks:}detect_leaks=0"
if render --version | grep -q 'window: SDL'; then
  check 'no display is said' gives 1 'no window can be opened here' env -u DISPLAY -u WAYLAND_DISPLAY SDL_VIDEODRIVER=x11 \
    render --env CartPole
  check 'whatever SDL ends with' gives 1 'no window can be opened here' env -u DISPLAY -u WAYLAND_DISPLAY \
    -u SDL_VIDEODRIVER render seen
  check 'and what goes without' gives 1 '--sheet.* and --mp4 need no display' env -u DISPLAY -u WAYLAND_DISPLAY \
    SDL_VIDEODRIVER=x11 render seen
  alone () {
    env -u DISPLAY -u WAYLAND_DISPLAY -u XDG_RUNTIME_DIR -u SDL_VIDEODRIVER render seen 2> err
    same $? 1 && same "$(lines_of err)" 1 && grep -q 'there is no display' err
  }
  check 'and nothing else is said' alone
  check 'no driver of that name' gives 1 'no window can be opened here' env SDL_VIDEODRIVER=none-such render seen
  check 'a window plays until it is interrupted' ends env SDL_VIDEODRIVER=dummy render --env CartPole --grid 2x2
  signal=TERM ended=143
check 'or asked to end' ends env SDL_VIDEODRIVER=dummy render seen --overlay --fps 100
  check 'nothing to open' gives 1 'there is no directory "nothing", and there is no environment' env SDL_VIDEODRIVER=dummy render nothing
else
  check 'no window without SDL' gives 2 'built without SDL' render seen
  check 'which the help says' gives 0 'Built without SDL\|built without SDL' render --help
fi
ASAN_OPTIONS=$leaks

# ---- what cannot be
check 'an episode that is not there' gives 2 'seen has no episode 1000: it holds' render seen --episode 1000 --sheet x.png
check 'nor one so far from the newest' gives 2 'seen has no episode -1000: it holds' render seen --episode=-1000 --sheet x.png
check 'nothing to look at' gives 2 'name a directory, or an environment by --env' render --sheet x.png
check 'an environment is a word, too' gives 0 'CartPole: an episode of' render CartPole --seed 1 --sheet word.png
check 'no directory of that name' gives 1 'there is no directory "nothing", and there is no environment' render nothing --sheet x.png
mkfifo pipe
check 'nor is what is no plain file replaced' gives 1 'pipe: .*is not a regular file' render seen --sheet pipe
check 'it stays what it is' test -p pipe
check 'a directory that stands there' gives 1 'played is a directory that is not empty; choose another --png' render seen --png played
check 'a sheet that cannot be written' gives 1 'no/.*x.png.*could not be created' render seen --sheet no/x.png
check 'a policy for what is stored' gives 2 'for episodes that are played' render seen --policy random --sheet x.png
check 'a size that is none' gives 2 '\-\-size cannot be "12": write it as 4x3' render seen --size 12 --sheet x.png
check 'a policy that is not there, with what there is' gives 2 'no policy "ppo".*calls the library.*render DIR shows' \
  render CartPole --policy ppo --sheet x.png
check 'another environment' gives 2 'no "observation" of its type and shape' render seen --env Pendulum --sheet x.png
check 'a camera of what has none' gives 2 'camera track: CartPole-v1 has no cameras' render --env CartPole --camera track --sheet x.png
for wrong in '--tiles 2x2 --png x:tiles is for --sheet' '--fps 5 --png x:fps is for --gif' \
  '--plot --camera a --png x:camera has no meaning' '--fps 0 --gif x.gif:0.01 to 1000' '--fps fast --gif x.gif:must be a number' \
  '--grid 3 --png x:write it as 4x3' '--overlays --png x:did you mean --overlay' '--giff x.gif:did you mean --gif' \
  '--size 0x5 --png x:size cannot be "0x5": write it as 4x3, with numbers from 1 to' \
  '--grid 100x100 --png x:grid cannot be "100x100": .* from 1 to 64' '--tiles 1x --sheet x.png:tiles cannot be "1x": write it' \
  '--episode abc --png x:episode cannot be "abc": it must be a number, best' '--episode 1x --png x:episode cannot be "1x": it must be a number, best' \
  '--fps 0 --gif x.gif:fps cannot be 0: it must be 0.01' 'more --png x:belongs to no option'; do
  check "${wrong%%:*}" gives 2 "${wrong#*:}" render seen ${wrong%%:*}
done
check 'leave nothing' same "$(ls -dA x x.png x.gif x.mp4 .x* 2> log)" ''
check 'its version' gives 0 "^render (Reel) $VERSION\$\|^render $VERSION\$\|render.*$VERSION" render --version
plan
