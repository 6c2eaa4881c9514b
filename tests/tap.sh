# For the tests that are scripts: one line of TAP a claim.
n=0

# report CLAIM FAULTS: the claim holds if there are no faults.
report () {
  n=$((n + 1))
  if [ -z "$2" ]; then
    echo "ok $n - $1"
  else
    echo "not ok $n - $1"
    echo "$2" | sed 's/^/# /'
  fi
}

# skip CLAIM WHY
skip () {
  n=$((n + 1))
  echo "ok $n - $1 # SKIP $2"
}

# plan: ends the script's report.
plan () {
  echo "1..$n"
}
