#!/bin/sh
# TorchRL opens the trajectories that collect wrote, and makes the same of plain steps. Takes the
# Python that has TorchRL where there is one (PEERS, see HACKING.md). Prints TAP.
skip_all () {
  echo "1..0 # SKIP $1"
  exit 0
}

python=${PEERS:-$HOME/.cache/reel-peers}/bin/python
[ -x "$python" ] || skip_all 'no Python with TorchRL'
OMP_NUM_THREADS=1 "$python" -c 'import torchrl.data' 2>/dev/null || skip_all 'no TorchRL'
OMP_NUM_THREADS=1 exec "$python" -W ignore "${srcdir:-.}/tests/collected.py" "${builddir:-.}/collect"
