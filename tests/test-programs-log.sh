#!/bin/sh
# collect --log: a line for each episode that ends, and the frames per second. Prints TAP.
. "${srcdir:-.}/tests/programs.sh"

# episodes_of FILE: number, lane, length, return and frames of each line of an episode.
episodes_of () {
  case $1 in
    *.csv) awk -F, '$1 ~ /^[0-9]/ { print $1, $2, $3, $4, $6 }' "$1" ;;
    *) sed -n 's/^{"episode":\(.*\),"lane":\(.*\),"length":\(.*\),"return":\(.*\),"time":.*,"frames":\(.*\)}$/\1 \2 \3 \4 \5/p' "$1" ;;
  esac
}
# expected DIRECTORY LANES: the same, of the rows that are stored, one by one.
expected () {
  replay rows "$1" --keys next/reward,next/done --json | tr -d '[]}' |
    awk -F '[:,]' -v lanes="$2" '{
      lane = (NR - 1) % lanes
      length_of[lane]++
      sum[lane] += $4
      if ($6 == "true") {
        printf "%d %d %d %.1f %d\n", n++, lane, length_of[lane], sum[lane], int((NR + lanes - 1) / lanes) * lanes
        length_of[lane] = sum[lane] = 0
      }
    }'
}
# logs LANES FORMAT OPTION…: the log is what the rows say.
logs () {
  lanes=$1 file=log.$2
  shift 2
  rm -rf run "$file"
  collect CartPole --num-envs "$lanes" --out run --log "$file" --quiet "$@" > out || return 1
  episodes_of "$file" > got
  expected run "$lanes" > wanted
  [ "$(lines_of wanted)" -gt 20 ] || { echo "only $(lines_of wanted) episodes"; return 1; }
  cmp got wanted
}
# whole_lines FILE: it ends with a line, and each line is one.
whole_lines () {
  [ ! -s "$1" ] || [ "$(tail -c 1 "$1" | wc -l)" -eq 1 ] || { echo 'torn'; return 1; }
  ! grep -v -e '^{"episode":[0-9]*,"lane":.*,"frames":[0-9]*}$' -e '^{"time":.*,"frames_per_second":.*}$' "$1"
}

for format in csv ndjson; do
  check "$format is what the rows say" logs 3 $format --frames 3000
  check "$format of one lane" logs 1 $format --frames 2000 --frames-per-batch 7
  check "$format of many lanes and threads" logs 600 $format --frames 60000 --threads 2 --frames-per-batch 600 --max-episode-steps 10
done
collect CartPole -n 3 --frames 99 --out first --log first.csv --quiet > out
check 'a line of CSV' gives 0 '^0,0,12,12.0,0\.[0-9]*,36,$' grep '^0,' first.csv
check 'CSV has a header' same "$(head -1 first.csv)" 'episode,lane,length,return,time,frames,frames_per_second'
check 'and the rate at the end' gives 0 '^,,,,[0-9.]*,99,[0-9.]*$' tail -1 first.csv
check 'a dash is NDJSON on standard output, without the path' gives 0 '^{"time":.*"frames":99,"frames_per_second":' \
  collect CartPole -n 3 --frames 99 --out dash --log -
check 'nothing else' whole_lines gives.out
check 'a reader that goes does not end the run' gives 0 '^{"episode":0' \
  sh -c 'collect CartPole:max-episode-steps=1 --frames 4000 --out gone --log - --quiet | head -1; replay fsck gone'

# ---- what is refused ----
check 'a name that says nothing' gives 2 'format of --log "log.txt": name it FILE.ndjson or FILE.csv' \
  collect CartPole --frames 8 --out refused --log log.txt
check 'an empty name' gives 2 'format of --log ""' collect CartPole --frames 8 --out refused --log ''
check 'a log in the directory of the run' gives 2 'inside the run refused: choose a path outside it' \
  collect CartPole --frames 8 --out refused --log ./refused/log.csv
check 'a log that exists' gives 1 'first.csv exists; choose another --log, or replace it by --force' \
  collect CartPole --frames 8 --out refused --log first.csv
echo notes > notes.csv
check 'a file of another kind' gives 2 'cannot replace notes.csv: it does not begin as a log' \
  collect CartPole --frames 8 --out refused --log notes.csv --force
mkdir directory.csv
check 'a directory' gives 1 'cannot open the log directory.csv: Is a directory' \
  collect CartPole --frames 8 --out refused --log directory.csv
check 'and nothing is made' same "$(ls -d refused* 2>&1 | grep -v 'No such'; cat notes.csv)" notes
check '--force replaces a log' gives 0 '' collect CartPole -n 3 --frames 30 --out first --log first.csv --force --quiet
check 'as a whole' gives 0 '^,,,,[0-9.]*,30,' tail -1 first.csv
check 'parents are made' gives 0 '' collect CartPole --frames 8 --out parents --log logs/of/it.ndjson --quiet
check 'a run that cannot begin leaves no log' gives 1 'exists' collect CartPole --frames 8 --out parents --log none.csv
check 'none at all' same "$(ls none.csv 2>/dev/null)" ''

# ---- a disk that is full ----
ln -s /dev/full full.csv
check 'a full disk ends with 4' gives 4 '^collect: cannot write the log full.csv: No space left on device; the run continues without it$' \
  collect CartPole --frames 100k --out kept --log full.csv
check 'is named once' same "$(grep -c 'cannot write' gives.err)" 1
check 'and loses no row' gives 0 '"length":100000,' replay info --json kept
check 'of a run that is sound' gives 0 '' replay fsck kept
limited () { (ulimit -f 100; exec collect CartPole:max-episode-steps=1 --frames 2000 --out limited --log limited.ndjson --quiet); }
check 'a limit on files likewise' gives 4 'cannot write the log limited.ndjson: File too large' limited
check 'with whole lines' whole_lines limited.ndjson
check 'and all rows' gives 0 '"length":2000,' replay info --json limited

# ---- runs that go on ----
collect CartPole -n 3 --frames 3000 --capacity 3003 --out straight --log straight.ndjson --quiet > out
collect CartPole -n 3 --frames 1002 --capacity 3003 --out parts --log parts.ndjson --quiet > out
printf '{"episode":99999,"lane":0,"len' >> parts.ndjson
collect --resume parts --frames 2001 --log parts.ndjson --quiet > out
collect --resume parts --frames 3000 --log parts.ndjson --quiet > out
check 'a run that goes on appends to whole lines' same "$(episodes_of parts.ndjson)" "$(episodes_of straight.ndjson)"
check 'a header only once' gives 0 '^1$' sh -c '
  collect CartPole -n 3 --frames 300 --capacity 900 --out twice --log twice.csv --quiet
  collect --resume twice --frames 900 --log twice.csv --quiet
  grep -c episode twice.csv'
check 'and a file of another kind is kept' gives 2 'cannot append to notes.csv' collect --resume twice --log notes.csv
# killed_while_writing: whatever is written before a kill is whole lines, which a run that goes on keeps.
killed_while_writing () {
  collect CartPole:max-episode-steps=2 --frames 9000 --out one --log one.ndjson --quiet > out
  episodes_of one.ndjson > wanted
  for when in 1 2 3; do
    rm -rf cut cut.ndjson
    ASAN_OPTIONS=detect_leaks=0 strace -f -qq -o log -P cut.ndjson -e trace=write -e inject=write:signal=KILL:when=$when \
      collect CartPole:max-episode-steps=2 --frames 9000 --out cut --log cut.ndjson --quiet > out 2>&1
    [ -e cut.ndjson ] || { cat out; return 1; }
    whole_lines cut.ndjson || return 1
    episodes_of cut.ndjson > before
    collect --resume cut --log cut.ndjson --quiet > out 2>&1 || { cat out; return 1; }
    whole_lines cut.ndjson || return 1
    episodes_of cut.ndjson > got
    head -n "$(lines_of before)" got | cmp - before || return 1
    sort -n -c -u got && sort got > sorted && sort wanted | comm -13 - sorted > unknown
    [ ! -s unknown ] || { cat unknown; return 1; }
  done
}
if strace -o log true 2> log; then
  check 'a kill leaves whole lines' killed_while_writing
else
  skip 'a kill leaves whole lines' 'no strace here'
fi

plan
