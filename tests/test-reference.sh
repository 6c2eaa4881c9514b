#!/bin/sh
# Public functions have doc comments, and docs/first-functions.md names sixty of them. `make docs` checks the comments in
# detail. Prints TAP.
cd "${srcdir:-.}" || exit 99
. tests/tap.sh

# absent NAMES OTHERS: the names that are not among the others
absent () {
  printf '%s\n' "$1" | grep -vxF "$2"
}

exported=$(grep '^reel_' tests/data/symbols.txt)
described=$(find src -name '*.h' -exec sed -n 's|^ \* \(reel_[a-z0-9_]*\):$|\1|p' {} +)
# The comment of a type has the name of its struct.
report 'every public function has a comment' "$(absent "$(printf '%s\n' "$exported" | grep -v '_get_type$')" "$described")"

first=$(sed -n 's/^| `\(reel_[a-z0-9_]*\)()` | [^|]* |$/\1/p' docs/first-functions.md)
report 'the first functions are public' "$(absent "$first" "$exported")"
report 'each is named once' "$(printf '%s\n' "$first" | sort | uniq -d)"
report 'and they are sixty' "$(printf '%s\n' "$first" | wc -l | grep -vx ' *60')"
plan
