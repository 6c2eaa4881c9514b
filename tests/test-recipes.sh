#!/bin/sh
# Every recipe that `replay info --python` prints runs in the real TorchRL. Takes the Python that has
# it where there is one (PEERS, see HACKING.md). Prints TAP.
skip_all () {
  echo "1..0 # SKIP $1"
  exit 0
}

python=${PEERS:-$HOME/.cache/reel-peers}/bin/python
[ -x "$python" ] || skip_all 'no Python with TorchRL'
OMP_NUM_THREADS=1 "$python" -c 'import torchrl.data' 2>/dev/null || skip_all 'no TorchRL'
golden=$(cd "${srcdir:-.}/tests/data/torchrl" && pwd)
script=$(cd "${srcdir:-.}/tests" && pwd)/recipes.py
. "${srcdir:-.}/tests/programs.sh"

run () { collect --quiet --capacity "$2" --frames "$3" --env "$4" --out "$1" > log; }
run lanes 404 400 CartPole:num-envs=4
run full 400 900 CartPole:num-envs=4
run single 110 100 CartPole:num-envs=1
for form in flat nested $([ "$HDF5" = no ] || ! "$python" -c 'import h5py' 2> log || echo h5); do
  for source in lanes full single; do
    replay convert "$source" "$form-$source" --checkpointer $form > log
  done
done
replay convert lanes one --ndim 1 > log 2>&1
replay convert lanes three --ndim 3 > log
replay merge lanes full --out lanes-merged > log 2>&1
replay merge lanes full --ndim 1 --out merged > log 2>&1
replay merge lanes single --ndim 1 --out mixed > log 2>&1
OMP_NUM_THREADS=1 "$python" -W ignore "$script" "$golden" "$PWD" > result 2> log || cat log
cat result
