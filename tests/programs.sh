# For the tests that call programs: an empty directory to work in, what they exit with and say. Prints TAP.
. "${srcdir:-.}/tests/tap.sh"
PATH=$(cd "${builddir:-build}" && pwd):$PATH
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
cd "$scratch" || exit 99

# check CLAIM COMMAND…: the claim holds if the command succeeds.
check () {
  claim=$1
  shift
  if "$@" > "$scratch/check.log" 2>&1; then
    report "$claim" ''
  else
    report "$claim" "$(cat "$scratch/check.log"; echo "failed: $*")"
  fi
}

# gives STATUS PATTERN COMMAND…: it exits with STATUS and says PATTERN on either stream.
gives () {
  status=$1 pattern=$2
  shift 2
  "$@" > "$scratch/gives.out" 2> "$scratch/gives.err"
  got=$?
  [ "$got" = "$status" ] && grep -q -e "$pattern" "$scratch/gives.out" "$scratch/gives.err" && return
  echo "exit status $got, expected $status and: $pattern"
  cat "$scratch/gives.out" "$scratch/gives.err"
  return 1
}

# await PID COMMAND…: waits until the command succeeds, while the process runs, five minutes at most.
await () {
  awaited=$1 tries=0
  shift
  until "$@" > "$scratch/await.log" 2>&1; do
    kill -0 "$awaited" 2> "$scratch/await.log" && [ $tries -lt 3000 ] || return 1
    tries=$((tries + 1))
    sleep 0.1
  done
}

lines_of () { wc -l < "$1" | tr -d ' '; }
same () { [ "$1" = "$2" ] || { echo "\"$1\" is not \"$2\""; return 1; }; }
