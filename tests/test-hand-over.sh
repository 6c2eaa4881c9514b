#!/bin/sh
# Our tensors in other libraries of a Python process, and theirs in ours. Takes the Python that
# has NumPy, PyTorch and pyarrow where there is one (PEERS, see HACKING.md). Prints TAP.
skip_all () {
  echo "1..0 # SKIP $1"
  exit 0
}

python=${PEERS:-$HOME/.cache/reel-peers}/bin/python
[ -x "$python" ] || python=$(command -v python3) || skip_all 'no Python'
[ -z "$SANITIZER_CFLAGS" ] || skip_all 'Python does not load a library with sanitizers'
exec "$python" -W ignore "${srcdir:-.}/tests/hand-over.py" "${builddir:-.}/.libs/libreel.so"
