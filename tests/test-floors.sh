#!/bin/sh
# A file includes its own floor and the floors below, never above, and prints TAP.
cd "${srcdir:-.}" || exit 99
. tests/tap.sh

# includes FILE…: lines "file header", with the header's path from the top for "quoted" ones
# and <as it stands> for the others.
includes () {
  for file; do
    [ -f "$file" ] || continue
    sed -nE 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*(["<][^">]*[">]).*/\1/p' "$file" |
      while read -r header; do
        case $header in
          '<'*) ;;
          *)
            header=${header#\"} header=${file%/*}/${header%\"}
            while case $header in */../*) true ;; *) false ;; esac; do
              header=$(echo "$header" | sed -E 's|[^/]+/\.\./||')
            done
            ;;
        esac
        echo "$file $header"
      done
  done
}

# Files that configure and make write are found by the include path.
generated='config\.h|reel-classes\.inc|mujoco-models\.inc'

# floor FOLDER ALLOWED: which folders of src a folder may include.
floor () {
  report "src/$1 includes ($2) alone" \
    "$(includes $(find src/$1 -name '*.[ch]' 2>/dev/null) | grep -E ' (src|apps|tests|examples|benchmarks)/|<reel/' |
      grep -vE " src/($2)/| src/$1/($generated)\$")"
}

below='core|specs|transforms|policies'
floor core 'core'
floor specs 'core|specs'
floor transforms 'core|specs|transforms'
floor policies 'core|specs|policies'
floor envs "$below|envs"
floor buffers "$below|buffers"
floor collectors "$below|envs|buffers|collectors"

report 'every folder of src has a floor' \
  "$(ls -d src/*/ | grep -vE 'src/(core|specs|transforms|policies|envs|buffers|collectors)/')"
report 'apps include reel.h and their own headers alone' \
  "$(includes apps/*.[ch] apps/*/*.[ch] | grep -E ' (src|tests|benchmarks)/|<reel/' |
    grep -vE ' src/reel\.h$|<reel/reel\.h>')"
report 'examples include the installed reel.h alone' \
  "$(includes examples/*.c | grep -E ' [^<]|<reel/' | grep -v '<reel/reel\.h>')"

all=$(find src apps -name '*.[ch]' 2>/dev/null)

# seen_by WHAT HEADER FILES: who may include a library's header.
seen_by () {
  report "$1" "$(includes $all | grep -E " [<].*$2[>]\$" | grep -vE "^($3)")"
}
# seen_once WHAT HEADER: one file may.
seen_once () {
  seen=$(includes $all | grep -E " [<].*$2[>]\$")
  report "$1" "$(echo "$seen" | sed 1d)"
}
seen_by 'mujoco.h is seen by the MuJoCo family' 'mujoco\.h' 'src/envs/mujoco'
seen_by 'SDL.h is seen by render' 'SDL[a-z_]*\.h' 'apps/render'
seen_once 'png.h is seen by one file' 'png\.h'
seen_by 'hdf5.h is seen by the files of HDF5' 'hdf5\.h' 'src/core/hdf5-'

report 'file names are unique in the tree' "$(echo "$all" | sed 's|.*/||' | sort | uniq -d)"
plan
