#!/bin/sh
# The steps of a user: installs Reel, and builds programs against it through pkg-config. Prints TAP.
. "${srcdir:-.}/tests/tap.sh"
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES DESTDIR
prefix=/opt/reel
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
root=$scratch/root$prefix

# quietly COMMAND…: prints what it says only where it fails.
quietly () {
  "$@" >"$scratch/log" 2>&1 </dev/null || {
    echo "failed ($?): $*"
    tail -n 40 "$scratch/log"
  }
}

install_reel () {
  quietly "${MAKE:-make}" -C "$builddir" install prefix=$prefix DESTDIR="$scratch/root"
  # The root is not the system's: pkg-config must look below it.
  sed -i "s|=$configured_prefix|=$root|" "$root/lib/pkgconfig/reel.pc" 2>&1
}

libraries=
# build COMPILER SOURCE FLAG…
build () {
  compiler=$1 source=$2
  shift 2
  # Word splitting is meant: these are lists of flags.
  quietly $compiler -Wall -Wextra -Werror $SANITIZER_CFLAGS "$@" "$source" -o "$scratch/program" \
    $(pkg-config --cflags --libs reel) $libraries
}

run_program () {
  (cd "$scratch" && quietly env LD_LIBRARY_PATH="$root/lib" $TEST_WRAPPER timeout 120 ./program "$@")
}

export PKG_CONFIG_PATH="$root/lib/pkgconfig:$PKG_CONFIG_PATH"
report 'make install' "$(install_reel)"
for completion in bash-completion/completions/replay bash-completion/completions/collect zsh/site-functions/_reel; do
  report "completion is installed: $completion" "$([ -s "$root/share/$completion" ] || echo missing)"
done
report 'examples and docs are installed' "$(for name in examples/collect.c buffers.md file-format.md; do
  [ -s "$root/share/doc/reel/$name" ] || echo "no $name"
done)"
report 'pkg-config knows the version' \
  "$(pkg-config --modversion reel 2>&1 | grep -vxF "$VERSION")"

for example in "$srcdir"/examples/*.c; do
  case $example in */dqn.c | */my-env.c) continue ;; esac
  report "examples/${example##*/} builds and runs" \
    "$(build "$CC" "$example" -std=gnu11 && run_program)"
  cat "$example" >>"$scratch/sources"
  cat "$scratch/log" >>"$scratch/outputs"
done

# A short run: long enough that it learns from some batches.
if [ -n "$CBLAS_LIBS" ]; then
  report 'examples/dqn.c builds and learns' \
    "$(libraries="$CBLAS_LIBS -lm"; build "$CC" "$srcdir/examples/dqn.c" -std=gnu11 && run_program 2000 </dev/null)"
else
  skip 'examples/dqn.c builds and learns' 'no CBLAS here'
fi

# missing PAGE LANGUAGE FILE: the blocks of the page in LANGUAGE that do not stand in FILE as they are.
missing () {
  awk -v language="$2" -v where="$3" '
    BEGIN { while ((getline line < where) > 0) whole = whole line "\n" }
    $0 == "```" && inside { inside = 0; n++; if (!index (whole, block)) printf "%s", block }
    inside { block = block $0 "\n" }
    $0 == "```" language { inside = 1; block = "" }
    END { if (n < 1) print "no blocks" }' "$srcdir/docs/$1"
}
cat "$srcdir/examples/my-env.c" >>"$scratch/sources"
for page in tensordict.md buffers.md collectors.md environments.md getting-started.md your-own-env.md; do
  report "docs/$page shows the examples as they are" "$(missing $page c "$scratch/sources")"
  case $page in getting-started.md | your-own-env.md | collectors.md) continue ;; esac
  report 'and prints what they print' "$(missing $page text "$scratch/outputs")"
done

# blocks PAGE LANGUAGE: the lines of its blocks in LANGUAGE.
blocks () {
  awk -v language="$2" '$0 == "```" { inside = 0 } inside; $0 == "```" language { inside = 1 }' "$srcdir/$1"
}

# walk FILE: runs its lines, each a command of a user who has installed Reel; a window needs a display, Hopper MuJoCo.
walk () {
  mkdir -p "$scratch/walk"
  cp "$root/share/doc/reel/examples/value.c" "$root/share/doc/reel/examples/my-env.c" "$scratch/walk"
  (
    cd "$scratch/walk" || exit
    cc () { $CC $SANITIZER_CFLAGS "$@"; }
    PATH=$root/bin:$PATH LD_LIBRARY_PATH=$root/lib
    export PATH LD_LIBRARY_PATH
    while read -r line; do
      eval "$line" >>"$scratch/walked" 2>&1 </dev/null || echo "failed ($?): $line"
    done <"$1"
  )
}
: >"$scratch/walked"
blocks docs/getting-started.md sh >"$scratch/commands"
report 'the commands of docs/getting-started.md run' "$(walk "$scratch/commands" || tail -n 20 "$scratch/walked")"
report 'and print what the page shows' "$(blocks docs/getting-started.md text | grep -vxF -f "$scratch/walked")"
blocks docs/your-own-env.md sh >"$scratch/commands"
report 'the commands of docs/your-own-env.md run' "$(walk "$scratch/commands" || tail -n 20 "$scratch/walked")"
report 'and print what the page shows' "$(blocks docs/your-own-env.md text | grep -vxF -f "$scratch/walked")"
blocks docs/collectors.md sh >"$scratch/commands"
report 'the commands of docs/collectors.md run' "$(walk "$scratch/commands" || tail -n 20 "$scratch/walked")"
cat "$scratch/walked" "$scratch/outputs" >"$scratch/said"
report 'and print what the page shows' "$(blocks docs/collectors.md text | grep -vxF -f "$scratch/said")"
blocks docs/transforms.md sh >"$scratch/commands"
report 'the commands of docs/transforms.md run' "$(walk "$scratch/commands" || tail -n 20 "$scratch/walked")"
report 'and print what the page shows' "$(blocks docs/transforms.md text | grep -vxF -f "$scratch/walked")"
# listed_transforms: by their own names, which are in small letters.
listed_transforms () {
  PATH=$root/bin:$PATH LD_LIBRARY_PATH=$root/lib collect --list-transforms | grep -o '^[a-z][a-z0-9-]*'
}
report 'and has a line for each transform' "$(for id in $(listed_transforms); do
  grep -q "^| .*\`$id\`" "$srcdir/docs/transforms.md" || echo "no $id"
done)"

# The plugin in a program of a user's own, and one that is linked with the library, which is one copy all the same.
cat >"$scratch/host.c" <<'END'
#include <reel/reel.h>

#include <string.h>

int
main (void)
{
  g_autoptr (GError) error = NULL;

  reel_init ();
  /* A class that is refused leaves its id to the one that has it. */
  if (reel_plugin_load ("walk/taken.so", &error) || !strstr (error->message, "CartPole-v1"))
    return 2;
  g_clear_error (&error);
  g_autoptr (ReelEnv) pole = reel_object_new_from_text (REEL_TYPE_ENV, "CartPole", NULL, NULL);
  if (strcmp (G_OBJECT_TYPE_NAME (pole), "ReelCartpoleEnv") != 0)
    g_error ("CartPole is %s", G_OBJECT_TYPE_NAME (pole));
  if (!reel_plugin_load ("walk/my-env.so", &error) || !reel_plugin_load ("walk/my-env.so", &error))
    g_error ("%s", error->message);
  g_autoptr (ReelEnv) env = reel_object_new_from_text (REEL_TYPE_ENV, "MyEnv:num-envs=3", &error, NULL);
  return env && reel_env_check (env, &error) ? 0 : 1;
}
END
echo 'cc -shared -fPIC taken.c $(pkg-config --cflags reel) -o taken.so' >"$scratch/commands"
sed 's/MyEnv-v0/CartPole-v1/; s/MyEnv/Taken/g; s/my_env/taken/g' "$srcdir/examples/my-env.c" >"$scratch/walk/taken.c"
report 'a plugin with an id that exists is compiled' "$(walk "$scratch/commands")"
report 'a program of its own loads the plugin' "$(build "$CC" "$scratch/host.c" -std=gnu11 && run_program)"
echo 'cc -shared -fPIC my-env.c $(pkg-config --cflags --libs reel) -Wl,--no-as-needed -lreel -o linked.so
collect --plugin ./linked.so --env MyEnv --check-env' >"$scratch/commands"
report 'a plugin may be linked with the library' "$(walk "$scratch/commands" || tail -n 20 "$scratch/walked")"
blocks README.md '' | sed -n 's|^\$ build/||p' | grep -ve HalfCheetah -e 'render ' |
  if [ "${BLAS:-yes}" = no ]; then grep -v learned; else cat; fi >"$scratch/commands"
report 'the commands of README.md run' "$(rm -rf "$scratch/walk"; walk "$scratch/commands" || tail -n 20 "$scratch/walked")"
blocks README.md c >"$scratch/readme.c"
report 'and so does its program' "$(build "$CC" "$scratch/readme.c" -std=gnu11 && mv "$scratch/walk/cartpole" "$scratch" && run_program)"

cat >"$scratch/hello.cc" <<'END'
#include <reel/reel.h>

int
main ()
{
  reel_init ();
  return reel_error_quark () == 0;
}
END

# each_header: what a C++ compiler says of each header alone.
each_header () {
  cd "$root/include/reel-0" || return
  find reel -name '*.h' | while read -r header; do
    echo "#include <$header>" >"$scratch/alone.cc"
    quietly $CXX -Wall -Wextra -Werror -Wpedantic -Wno-variadic-macros -fsyntax-only \
      "$scratch/alone.cc" $(pkg-config --cflags reel)
  done
}

if [ -n "$CXX" ]; then
  report 'a C++ program builds and runs' \
    "$(build "$CXX" "$scratch/hello.cc" && run_program)"
  report 'each header stands alone in C++' "$(each_header)"
else
  skip 'a C++ program builds and runs' 'no C++ compiler'
fi
plan
