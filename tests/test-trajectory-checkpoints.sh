#!/bin/sh
# Rings that TorchRL writes are written anew in its compact forms, byte for byte as it does, and it
# loads them. Takes the Python that has TorchRL where there is one (PEERS, see HACKING.md). Prints TAP.
skip_all () {
  echo "1..0 # SKIP $1"
  exit 0
}

python=${PEERS:-$HOME/.cache/reel-peers}/bin/python
[ -x "$python" ] || skip_all 'no Python with TorchRL'
OMP_NUM_THREADS=1 "$python" -c 'import torchrl.data' 2>/dev/null || skip_all 'no TorchRL'
forms='flat nested'
[ "$HDF5" = no ] || ! "$python" -c 'import h5py' 2>/dev/null || forms="$forms h5"
OMP_NUM_THREADS=1 exec "$python" -W ignore "${srcdir:-.}/tests/trajectory-checkpoints.py" \
  "${builddir:-.}/replay" $forms
