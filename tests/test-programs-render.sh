#!/bin/sh
# What render makes of episodes. Prints TAP.
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
check 'a sheet has its columns and rows' gives 0 '' render --env CartPole --sheet sheet.png --grid 3x2 --size 30x20
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
check 'what TorchRL collected is drawn, once it is said what it is of' gives 0 'an episode of' \
  render "$golden/rb-collector-cartpole/dump" --env CartPole --sheet theirs.png
check 'the newest by a negative number' gives 0 'seen: an episode of' render seen --episode=-1 --sheet newest.png
check 'nothing in the directory changed' gives 0 '' replay fsck seen

# ---- what cannot be
check 'an episode that is not there' gives 2 'seen has no episode 1000: it holds' render seen --episode 1000 --sheet x.png
check 'nothing to look at' gives 2 'which directory? or which environment, by --env' render --sheet x.png
check 'nowhere to put it' gives 2 '\-\-png DIR or --sheet FILE' render seen
check 'no directory of that name' gives 1 'there is no such directory' render nothing --sheet x.png
check 'a directory that stands there' gives 1 'played: cannot make this directory' render seen --png played
check 'a sheet that cannot be written' gives 1 'no/.*x.png.*could not be created' render seen --sheet no/x.png
check 'a policy for what is stored' gives 2 'for episodes that are played' render seen --policy random --sheet x.png
check 'a size that is none' gives 2 '\-\-size 12: write it as 4x3' render seen --size 12 --sheet x.png
check 'no environment to draw it' gives 2 'does not say its environment; --env ID says it' \
  render "$golden/rb-collector-cartpole/dump" --sheet x.png
check 'another environment' gives 2 'no "observation" of its type and shape' render seen --env Pendulum --sheet x.png
check 'drawing what was not observed' gives 2 'no "observation" of its type and shape' \
  render pixels --size 60x40 --sheet x.png
check 'an option without effect' gives 2 '\-\-grid is for --sheet' render seen --grid 2x2 --png x
check 'leave nothing' same "$(ls -d x x.png 2> log)" ''
check 'its version' gives 0 "^render (Reel) $VERSION\$\|^render $VERSION\$\|render.*$VERSION" render --version
plan
