#!/bin/sh
# Modules include what the table of docs/architecture.md allows, never what comes after them. Prints TAP.
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

# The rows of the table: a module, then a pattern for each that it may include.
table=$(sed -nE '/^\| module/,/^$/s/^\| `([^`]*)` \|([^|]*)\|.*/\1 \2/p' docs/architecture.md | tr -d '`,')

# matches MODULE PATTERN…: whether the folder is one of these.
matches () {
  folder=$1
  shift
  for pattern; do
    [ "$folder" = "$pattern" ] && return 0
    case $pattern in */\*) case $folder/ in "${pattern%\*}"*) return 0 ;; esac ;; esac
  done
  return 1
}

modules=
while read -r module allowed; do
  report "$module may include modules above it alone" "$(for pattern in $allowed; do
    printf '%s\n' $modules | grep -qxE "${pattern%/\*}(/.*)?" || echo "$pattern"
  done)"
  report "src/$module includes what it may" "$(
    includes src/$module/*.[ch] | grep -E ' (src|apps|tests|examples|benchmarks)/|<reel/' |
      grep -vE " src/$module/[^/]*\$" | while read -r file header; do
        folder=${header#src/}
        matches "${folder%/*}" $allowed || echo "$file $header"
      done
  )"
  modules="$modules $module"
done <<EOF
$table
EOF

report 'the functions of a step are in their files' \
  "$(sed -nE 's/^\| `([a-z_]*)\(\)` \| `([^`]*)` \|.*/\1 \2/p' docs/architecture.md | while read -r function file; do
    grep -qE "^$function \(" "$file" || echo "$function $file"
  done)"
report 'every folder of src with files is a module' "$(for file in $(find src -mindepth 2 -name '*.[ch]'); do
  folder=${file#src/}
  echo "${folder%/*}"
done | sort -u | grep -vxE "$(echo $modules | tr ' ' '|')")"
report 'apps include reel.h and headers of apps alone' \
  "$(includes $(find apps -name '*.[ch]') | grep -E ' (src|tests|benchmarks)/|<reel/' |
    grep -vE ' src/reel\.h$|<reel/reel\.h>')"
for program in collect replay render; do
  report "apps/$program includes nothing of the other programs" \
    "$(includes apps/$program/*.[ch] | grep -E ' apps/' | grep -vE " apps/($program|common|episodes)/")"
done
report 'apps/common includes nothing of the programs' \
  "$(includes apps/common/*.[ch] | grep -E ' apps/' | grep -vE ' apps/common/')"
report 'apps/episodes includes nothing of the programs' \
  "$(includes apps/episodes/*.[ch] | grep -E ' apps/' | grep -vE ' apps/(common|episodes)/')"
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
seen_by 'hdf5.h is seen by the files of HDF5' 'hdf5\.h' 'src/core/formats/hdf5-'

report 'file names are unique in the tree' "$(echo "$all" | sed 's|.*/||' | sort | uniq -d)"
plan
