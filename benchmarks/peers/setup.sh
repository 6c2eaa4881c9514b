#!/bin/sh
# Makes the virtual environment of the peers with pinned versions, where it does not stand already.
#
#   setup.sh DIR
set -eu
requirements=$(dirname "$0")/requirements.txt
dir=$1

# Whether every pinned package is there, in its version.
complete () {
  [ -x "$dir/bin/python" ] && "$dir/bin/python" - "$requirements" <<'END' 2>/dev/null
import sys
from importlib.metadata import version
for line in open(sys.argv[1]):
    name, pinned, number = line.split("#")[0].strip().partition("==")
    if pinned and version(name) != number:
        sys.exit(1)
END
}

if complete; then
  exit 0
fi
[ -x "$dir/bin/python" ] || "${PYTHON:-python3}" -m venv "$dir"
"$dir/bin/pip" install -q -r "$requirements"
