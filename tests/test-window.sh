#!/bin/sh
# The window of render on a screen of its own, its keys and what is seen. Prints TAP.
. "${srcdir:-.}/tests/programs.sh"

# Leaks of drivers and D-Bus are theirs; tests/test-player.c looks for what is lost here.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS

missing=
render --version | grep -q 'window: SDL' || missing="SDL in this build"
for tool in Xvfb xdotool import convert xwininfo timeout; do
  command -v $tool > log 2>&1 || missing=$tool
done
if [ -n "$missing" ]; then
  skip 'a window on a screen' "no $missing"
  plan
  exit
fi

# A screen on the first number that is free.
Xvfb -displayfd 3 -screen 0 1000x800x24 -nolisten tcp -noreset 3> display 2> xvfb.log &
screen=$!
window=
trap 'kill $window $screen 2> /dev/null; rm -rf "$scratch"' EXIT

# until SECONDS COMMAND…: tries ten times a second until it succeeds.
until_is () {
  tries=$(($1 * 10))
  shift
  while [ $tries -gt 0 ]; do
    "$@" > until.log 2>&1 && return
    tries=$((tries - 1))
    sleep 0.1
  done
  cat until.log
  return 1
}

until_is 20 grep -q . display || { skip 'a window on a screen' 'Xvfb does not start'; plan; exit; }
DISPLAY=:$(cat display)
export DISPLAY
unset WAYLAND_DISPLAY
SDL_VIDEODRIVER=x11
export SDL_VIDEODRIVER

is_open () { xwininfo -root -tree | grep -q "\"$1"; }
is_gone () { ! kill -0 "$1" 2> /dev/null; }
key () { timeout 10 xdotool key "$@"; }
shot () { timeout 10 import -window root "$1"; }
# shows FILE CONDITION…: a picture of the screen in FILE, of which the condition holds within ten seconds.
shows () {
  file=$1
  shift
  until_is 10 shot_is "$@"
}
shot_is () { shot "$file" && "$@"; }
# colours FILE X Y W H: how many different ones a part of the window has, whose corner is at x0, y0.
colours () { convert "$1" -crop "$4x$5+$(($2 + x0))+$(($3 + y0))" -unique-colors -format %w info:; }
# place: where the window stands, once it does.
place () {
  at=$(xwininfo -root -tree | sed -n '/"CartPole/s/.* +\([0-9]*+[0-9]*\) *$/\1/p')
  x0=${at%+*} y0=${at#*+}
}
# open ARGUMENTS…: a window, its number in $window.
open () {
  render "$@" > window.log 2>&1 &
  window=$!
  until_is 30 is_open CartPole && return
  cat window.log
  return 1
}
# ends_with STATUS: the window is gone, and this was its status.
ends_with () {
  until_is 20 is_gone "$window" || return
  wait "$window"
  same "$?" "$1" && same "$(cat window.log)" '' || { cat window.log; return 1; }
}

check 'a window opens' open --env CartPole --seed 3 --steps 400
moves () { shot a.png && sleep 0.5 && shot b.png && ! cmp -s a.png b.png; }
says () { [ "$(colours b.png 0 360 200 40)" -gt 1 ]; }
check 'and plays' until_is 30 moves
place
check 'space pauses it' key space
check 'and says so' shows b.png says
check 'for a while' shows b.png eval '! says'
sleep 0.5
check 'nothing moves' shows a.png cmp -s a.png b.png
check 'the pole and the cart are there' [ "$(colours b.png 0 0 600 400)" -gt 20 ]
check 'nothing is written upon them' same "$(colours b.png 0 0 100 80)" 1
has_words () { [ "$(colours c.png 0 0 100 80)" -gt 1 ]; }
has_keys () { [ "$(colours d.png 400 0 190 100)" -gt "$(colours c.png 400 0 190 100)" ]; }
key o
check 'o writes the step and more' shows c.png has_words
key h
check 'h the keys' shows d.png has_keys
key h
check 'again takes them away' shows e.png cmp -s c.png e.png
# The step that is written differs where the pictures might not.
key Left
check 'an arrow goes a step back' shows f.png eval '! cmp -s e.png f.png'
key Right
check 'and the other on again' shows g.png cmp -s e.png g.png
key o
check 'o takes away what it wrote' shows g.png cmp -s b.png g.png
key s
is_saved () { ls CartPole-*.png; }
check 's saves it' until_is 10 is_saved
saved=$(ls CartPole-*.png)
convert g.png -crop "600x400+$x0+$y0" +repage shown.png
check 'as it is seen' same "$(convert shown.png "$saved" -metric AE -compare -format '%[distortion]' info:)" 0
# size WIDTHxHEIGHT: gives the window a size; it stays where it is.
size () {
  id=$(xwininfo -root -tree | sed -n 's/^ *\(0x[0-9a-f]*\) "CartPole.*/\1/p')
  timeout 10 xdotool windowsize --sync "$id" "${1%x*}" "${1#*x}"
  place
}
# is_at X Y FILE: whether a part of the screen's picture equals a picture.
is_at () {
  convert h.png -crop "600x400+$((x0 + $1))+$((y0 + $2))" +repage part.png &&
    same "$(convert part.png "$3" -metric AE -compare -format '%[distortion]' info:)" 0
}
size 700x500
check 'a larger window enlarges by no part of a pixel' shows h.png is_at 50 50 "$saved"
size 300x200
seen_whole () { [ "$(colours i.png 0 0 1 1)" = 1 ] && [ "$(colours i.png 0 0 300 200)" -gt 20 ]; }
check 'a smaller one shows all' shows i.png seen_whole
size 600x400
check 'and the first size all as it was' shows h.png is_at 0 0 "$saved"
key bracketright
check 'a bracket goes to the next episode' until_is 10 is_open 'CartPole, episode [1-9]'
key q
check 'q ends it' ends_with 0
check 'a grid opens' open --env CartPole --grid 3x3
check 'and plays' until_is 30 moves
key plus
key Escape
check 'escape ends it' ends_with 0
# A window that prepares so many episodes is stopped meanwhile, unless it is faster; then the next one is.
is_preparing () {
  kill -STOP "$window"
  is_open 'CartPole, preparing' && shot f.png && x0=200 y0=200 && [ "$(colours f.png 100 180 400 40)" -gt 1 ]
  seen=$?
  kill -CONT "$window"
  return $seen
}
prepares () {
  for attempt in 1 2 3 4 5 6 7 8 9 10; do
    render --env CartPole --grid 64x64 --size 2x2 > window.log 2>&1 &
    window=$!
    until is_preparing || is_open 'CartPole, episode' || is_gone "$window"; do :; done
    kill "$window"
    wait "$window"
    [ $seen = 0 ] && return
  done
  return 1
}
check 'a window that prepares says so in its title and its middle' prepares
# MuJoCo draws by an OpenGL of its own on the thread that shows the window.
if [ "$MUJOCO" != no ] && render --env Hopper --steps 1 --sheet drawn.png > log 2>&1; then
  opens_mujoco () {
    render --env Hopper:quality=fast --size 64x64 --fps 1000 > window.log 2>&1 &
    window=$!
    until_is 30 is_open Hopper || { cat window.log; return 1; }
  }
  check 'one of MuJoCo opens' opens_mujoco
  check 'and goes on to other episodes' until_is 60 is_open 'Hopper.*, episode [1-9]'
  key q
  check 'until it ends' ends_with 0
fi
check 'a window opens' open --env CartPole
check 'and plays' until_is 30 moves
kill "$screen"
check 'which ends with its screen' until_is 20 is_gone "$window"
plan
