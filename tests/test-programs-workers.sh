#!/bin/sh
# Runs of collect with several workers. Prints TAP.
. "${srcdir:-.}/tests/programs.sh"

collect CartPole --seed 3 --frames 4000 --out alone --quiet > log
for kind in threads processes; do
  check "workers of kind $kind make the rows of sync" gives 0 . \
    collect CartPole --seed 3 --frames 4000 --workers 3 --worker-kind $kind --out sync-$kind --quiet
  check 'to the byte' gives 0 'the same 4,000 rows' replay diff alone sync-$kind
  check 'and begin the same run' gives 0 . \
    collect CartPole --seed 3 --frames 2000 --capacity 4008 --workers 2 --worker-kind $kind --out half-$kind --quiet
  check 'which goes on' gives 0 . collect --resume half-$kind --frames 4000 --quiet
  check 'to the byte, too' gives 0 'the same 4,000 rows' replay diff alone half-$kind

  check "multi-async of $kind needs no capacity" gives 0 . \
    collect CartPole --seed 3 --frames 8000 --collector multi-async --workers 2 --worker-kind $kind --out async-$kind --quiet
  check 'and stores steps of one worker each' gives 0 '\[[0-9]*, 4\]' replay info async-$kind
  check 'such a run goes on' sh -c "collect CartPole --seed 3 --frames 4000 --capacity 12000 --collector multi-async --workers 2 \
    --worker-kind $kind --out part-$kind --quiet && collect --resume part-$kind --frames 8000 --quiet"
done
# counted: replay counts as many whole episodes, with as many steps, as the run had.
counted () {
  collect CartPole --seed 3 --frames 4000 --frames-per-batch 40 --collector multi-async --workers 2 --log pieces.ndjson --out pieces --quiet
  whole=$(grep -c '^{"episode":' pieces.ndjson)
  steps=$(sed -n 's/^{"episode":.*"length":\([0-9]*\).*/\1/p' pieces.ndjson | awk '{ sum += $1 } END { print sum }')
  mean=$(replay info --json pieces | sed -n 's/.*"length":{[^}]*"mean":\([0-9.]*\).*/\1/p')
  gives 0 "^episodes  $whole whole" replay info pieces && gives 0 "  $whole  " replay ls . &&
    [ "$(echo "$mean $whole $steps" | awk '{ d = $1 * $2 - $3; print (d < 0.01 && d > -0.01) }')" = 1 ]
}
check 'episodes in pieces count once' counted
check 'each piece is listed' gives 0 'a piece, more follows' replay episodes pieces
check 'the last one with its end' gives 0 'terminated, the last piece' replay episodes pieces
check 'a run that is stopped while workers write around its ring is sound' sh -c "collect CartPole --num-envs 4 \
  --collector multi-async --workers 2 --capacity 2k --frames-per-batch 100 --max-time 1s --out over --quiet && replay fsck over | grep '2000 rows'"
check 'a run with workers is made again by its record' gives 0 . collect --config sync-processes --out again --quiet
check 'to the byte' gives 0 'the same 4,000 rows' replay diff sync-processes again
check 'rows of trajectories come from workers' gives 0 . \
  collect CartPole --seed 3 --frames 500 --workers 2 --trajs-per-batch 2 --capacity 600 --out whole --quiet
check 'rows in memory need shared memory' gives 2 'give its storage shared=true' \
  collect CartPole --frames 100 --workers 2 --worker-kind processes --storage tensor --out memory
check 'nothing is left of a refusal' test ! -e memory
check 'and have it where it is asked for' gives 0 . \
  collect CartPole --frames 100 --workers 2 --worker-kind processes --storage tensor:shared=true --out memory --quiet
check 'unlike shares are refused' gives 2 'set num-envs to a multiple of workers' \
  collect CartPole --frames 100 --collector multi-async --workers 3 --out unlike
check 'episodes end a run with workers' gives 0 . sh -c "collect CartPole --episodes 20 --out few --quiet &&
  collect CartPole --episodes 20 --workers 3 --worker-kind processes --out few-workers --quiet"
check 'after the same step' gives 0 'the same [0-9,]* rows' replay diff few few-workers
check 'multi-async has no such step' gives 2 'cannot use --episodes with the collector multi-async' \
  collect CartPole --episodes 20 --collector multi-async --workers 2 --out none
check 'sync has no workers' gives 2 '\-\-workers: collector sync has no property "workers"' \
  collect CartPole --frames 100 --collector sync --workers 3 --out none
check 'another kind is no kind' gives 2 'it must be threads or processes; did you mean "processes"' \
  collect CartPole --frames 100 --worker-kind process --out none
plan
