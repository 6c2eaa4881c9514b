#!/bin/sh
# Classes in shared objects: --plugin in all programs, runs that were collected with one, and files that are none. The
# mistakes are those of docs/your-own-env.md. Prints TAP.
. "${srcdir:-.}/tests/programs.sh"
ln -s "$srcdir/src" reel
cp "$srcdir/examples/my-env.c" .
flags="-std=gnu11 -shared -fPIC -I. $(pkg-config --cflags gio-2.0)"

# make_plugin [SCRIPT]: my-env.so of the example, as sed changes it.
make_plugin () {
  sed "${1:-}" my-env.c > changed.c || return
  [ -z "$1" ] || ! cmp -s changed.c my-env.c || { echo "nothing to change: $1"; return 1; }
  $CC $flags changed.c -o my-env.so
}

# ---- a plugin that is right ----
check 'the example is compiled' make_plugin
check 'its env keeps its promises' gives 0 '^MyEnv-v0 keeps its promises' collect --plugin ./my-env.so --env MyEnv --check-env
check 'a name without a slash is a file as well' gives 0 '^MyEnv-v0 keeps' collect --plugin my-env.so --env MyEnv --check-env
check 'the env is collected' gives 0 '^run$' collect --plugin my-env.so --env MyEnv --frames 400 --capacity 2000 --out run
check 'and replayed' gives 0 '400 rows of 10 keys are inside' replay check run
check 'it is listed' gives 0 '^MyEnv-v0  *float32 \[2\]  *float32 \[1\]  *50 .*a ball on a line' replay --list-envs --plugin my-env.so
check 'and described' gives 0 '^  push=0.1 ' render --env MyEnv --plugin my-env.so --describe
check 'its argument is one' gives 2 'push' collect --plugin my-env.so --env MyEnv:push=2 --dry-run
check 'replay prints its specs' gives 0 '^action  *composite:action=(bounded' replay spec MyEnv --text --plugin my-env.so
check 'transforms stand behind it' gives 0 'keeps its promises' \
  collect --plugin my-env.so --env 'MyEnv|step-counter' --check-env
threads () {
  collect --plugin my-env.so --env MyEnv:num-envs=12 --frames 600 --threads "$1" --out threads$1 --quiet > log &&
    (cd threads$1 && find storage -name '*.memmap' | sort | xargs cat) | cksum
}
check 'any number of threads writes the same bytes' same "$(threads 1)" "$(threads 3)"
lists () { same "$(replay --plugin my-env.so --list-envs)" "$(replay --list-envs --plugin=my-env.so)"; }
check 'replay lists behind the option, too' lists
check 'and says where else it belongs' gives 2 'follows the command' replay --plugin my-env.so info run
twice () { collect --plugin my-env.so --plugin ./my-env.so --env MyEnv --check-env; }
check 'the same plugin twice is one' gives 0 'keeps its promises' twice
every_command () {
  for command in $(replay --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | grep -vx help); do
    if replay $command --help | grep -q -e --describe; then
      replay $command --help | grep -q -e --plugin= || { echo "replay $command"; return 1; }
    fi
  done
}
check 'whatever names classes has --plugin' every_command
exported () {
  for program in collect replay render; do
    nm -D --defined-only "${builddir:-build}/$program" | sed 's/.* //' | LC_ALL=C sort > exported
    grep -v _mujoco_ "$srcdir/tests/data/symbols.txt" | LC_ALL=C sort | LC_ALL=C comm -23 - exported
  done | sort -u > lacking
  [ ! -s lacking ] || { cat lacking; return 1; }
}
check 'programs export the whole library' exported

# ---- pictures ----
cat > render.c <<'END'
static void
render (ReelEnv *env, gint64 lane, gint64 width, gint64 height, guint8 *pixels)
{
  const Lane *at = reel_env_get_lane (env, lane);

  for (gint64 i = 0; i < 3 * width * height; i++)
    pixels[i] = (guint8) CLAMP (128 + 60 * at->position, 0, 255);
}

END
make_drawing () {
  awk '/^\/\* The base counts/ { while ((getline line < "render.c") > 0) print line } { print }' my-env.c |
    sed 's/  env_class->step = step;/&\n  env_class->frame_width = 32;\n  env_class->frame_height = 16;\n  env_class->frame_rate = 10;\n  env_class->render = render;/' > drawing.c &&
    $CC $flags drawing.c -o drawing.so
}
check 'an env that draws is compiled' make_drawing
check 'it keeps its promises with pixels' gives 0 'keeps its promises' collect --plugin drawing.so --env MyEnv:from-pixels=true --check-env
check 'render plays it' gives 0 '^played.png$' render --plugin drawing.so --env MyEnv --sheet played.png
redrawn () { render --plugin drawing.so run --sheet redrawn.png 2> redrawn.err && [ -s redrawn.png ] && ! grep 'a plot' redrawn.err; }
check 'and draws stored episodes by their states' redrawn

# ---- other classes ----
cat > others.c <<'END'
#include <reel/reel.h>

typedef ReelPolicy MyPolicy;
typedef ReelPolicyClass MyPolicyClass;
GType my_policy_get_type (void);
G_DEFINE_TYPE (MyPolicy, my_policy, REEL_TYPE_POLICY)

static gboolean
act (ReelPolicy *policy, gint64 step, gint64 begin, gint64 end, const ReelPolicyIO *io,
     GError **error)
{
  for (gint64 i = begin; i < end; i++)
    ((float *) io->action[0])[i] = 0.25f;
  return TRUE;
}

static void
my_policy_class_init (MyPolicyClass *klass)
{
  static const ReelId ids[] = { { "quarter", NULL, "a quarter of all power" }, { 0 } };

  REEL_OBJECT_CLASS (klass)->ids = ids;
  klass->lanewise = TRUE;
  klass->act = act;
}

static void
my_policy_init (MyPolicy *self)
{
}

typedef ReelTransform MyTransform;
typedef ReelTransformClass MyTransformClass;
GType my_transform_get_type (void);
G_DEFINE_TYPE (MyTransform, my_transform, REEL_TYPE_TRANSFORM)

static ReelTensor *
apply (ReelTransform *transform, ReelTensor *value, GError **error)
{
  ReelTensor *negative = reel_tensor_clone (value, error);

  for (gint64 i = 0; negative && i < reel_tensor_numel (negative); i++)
    ((float *) negative->data)[i] *= -1;
  return negative;
}

static void
my_transform_class_init (MyTransformClass *klass)
{
  static const ReelId ids[] = { { "negate", NULL, "changes the sign" }, { 0 } };

  REEL_OBJECT_CLASS (klass)->ids = ids;
  reel_transform_class_add_keys (klass, REEL_TRANSFORM_IN_KEYS | REEL_TRANSFORM_OUT_KEYS);
  klass->apply = apply;
}

static void
my_transform_init (MyTransform *self)
{
}

REEL_PLUGIN (REEL_PLUGIN_CLASS (MyPolicy, my_policy), REEL_PLUGIN_CLASS (MyTransform, my_transform));
END
check 'a policy and a transform are compiled' $CC $flags others.c -o others.so
check 'they are listed' gives 0 '^negate  *changes the sign' replay --list-transforms --plugin others.so
check 'both act' gives 0 '^both$' collect --plugin my-env.so --plugin others.so --policy quarter \
  --env 'MyEnv|negate:in-keys=observation,out-keys=opposite' --frames 80 --out both
check 'on every row' gives 0 '"action":\[0.25\].*"opposite":\[' replay rows both 0:3 --json
check 'and on stored rows' gives 0 '"reverse":\[*-0.25' replay sample both --batch-size 3 --json --plugin others.so --transform negate:in-keys=action,out-keys=reverse
check 'the run names both' grep -q '"plugins":\["my-env.so","others.so"\]' both/reel.json
check 'and misses the one that is not there' gives 2 'without the plugin others.so of this run' collect --plugin my-env.so --resume both --frames 160

# ---- a run without its plugin ----
check 'a run contains the name of its plugin' grep -q '"plugins":\["my-env.so"\]' run/reel.json
check 'a run without plugins has no such entry' sh -c 'collect CartPole --frames 8 --out plain --quiet && ! grep plugins plain/reel.json'
missing='there is no environment "MyEnv-v0" without the plugin my-env.so of this run: add --plugin FILE.so'
check 'resumed without it, a run says which it needs' gives 2 "^collect: cannot resume run: $missing" collect --resume run --frames 800
drawn () { gives 0 "run: a plot, for there are no pictures: $missing" render run --sheet drawn.png; }
check 'drawn without it, too' drawn
resumed () {
  collect --plugin my-env.so --resume run --frames 800 --quiet && collect --plugin my-env.so --env MyEnv --frames 800 --capacity 2000 --out whole --quiet &&
    replay diff run whole && replay fsck run
}
check 'with it, it becomes the run that never stopped' resumed

# ---- mistakes: every message of the page is said here ----
: > said
# says PATTERN COMMAND…: fails with a message and never with a signal.
says () {
  pattern=$1
  shift
  "$@" > said.out 2> said.err
  status=$?
  cat said.err >> said
  [ $status -gt 0 ] && [ $status -lt 5 ] && grep -q -e "$pattern" said.err && return
  echo "exit status $status, expected a failure and: $pattern"
  cat said.err
  return 1
}
# mistaken SCRIPT PATTERN: the example as sed changes it fails so.
mistaken () { make_plugin "$1" && says "$2" collect --plugin my-env.so --env MyEnv --check-env; }

check 'no such file' says 'cannot load the plugin nowhere.so: .*No such file' collect --plugin nowhere.so --env MyEnv --check-env
check 'a source' says 'invalid ELF header; a plugin is a shared object' collect --plugin my-env.c --env MyEnv --check-env
: > empty.so
check 'an empty file' says 'file too short; a plugin is a shared object' collect --plugin empty.so --env MyEnv --check-env
check 'a directory' says 'cannot load the plugin run: ' collect --plugin run --env MyEnv --check-env
check 'an empty name' says 'the name of its file is empty' collect --plugin '' --env MyEnv --check-env
check 'no entry' mistaken '/^REEL_PLUGIN/d' 'does not export reel_plugin; its source needs'
check 'another ABI' mistaken 's/^REEL_PLUGIN (.*/#undef REEL_PLUGIN_ABI\n#define REEL_PLUGIN_ABI 7\n&/' 'was compiled for ABI 0x7, and this Reel has ABI'
check 'another copy of the library' mistaken \
  's/^REEL_PLUGIN (.*/static const ReelPluginClass all[] = { REEL_PLUGIN_CLASS (MyEnv, my_env), { 0 } };\nconst ReelPlugin reel_plugin = { REEL_PLUGIN_ABI, g_object_get_type, all };/' \
  'uses another copy of the library than this program'
check 'an unknown function' mistaken 's/^#include.*/&\nvoid reel_no_such (void);/; s/observe (lane, i, /reel_no_such (); &/' 'undefined symbol: reel_no_such'
check 'an id that exists' mistaken 's/MyEnv-v0/CartPole-v1/' 'the id "CartPole-v1" of MyEnv exists already: another environment has it'
check 'an id that no text can contain' mistaken 's/MyEnv-v0/My Env/' 'the id "My Env" of MyEnv cannot be typed'
check 'no ids' mistaken '/->ids = ids/d' 'MyEnv has no ids'
check 'a class of something else' mistaken 's/REEL_PLUGIN_CLASS (MyEnv, my_env)/{ "Object", g_object_get_type }/' 'Object is not below a class of Reel'
check 'no step' mistaken '/->step = step/d' 'MyEnv-v0 has no step: its class_init sets'
check 'no specs' mistaken '/reel_env_take_specs/d' 'setup of MyEnv-v0 gave no specs'
check 'a value that is not written' mistaken '/io->reward\[i\] =/d' 'it is not written, or depends on something else'
check 'a hidden state' mistaken 's/^typedef struct/static double wind;\n&/; s/->position += lane->velocity/->position += lane->velocity + (wind += 1e-3)/' 'differs between two runs of the same seed'
check 'a neighbour' mistaken 's/lane->position += lane->velocity/&; if (i > begin) lane->position += 0.01/' 'depends on which lanes are stepped in the same call'
check 'a state outside of the lane' mistaken \
  's/^typedef struct/static double wind[64];\n&/; s/lane->velocity = 0;/& wind[lanes[i]] = 0;/; s/->position += lane->velocity/&; wind[i] += 0.01; lane->position += wind[i]/' \
  'get_state and set_state leave something out'
check 'a value outside of its spec' mistaken 's/(unbounded:dtype=float32,shape=\[2\])/(bounded:low=-1,high=1,dtype=float32,shape=[2])/' 'observation" is outside of its spec: element'
make_plugin && cp my-env.so copy.so
check 'two plugins with one class' says 'cannot load the plugin copy.so: a type MyEnv exists already; rename the class' \
  collect --plugin my-env.so --plugin copy.so --env MyEnv --check-env
check 'a plugin that is not loaded' says 'there is no environment "MyEnv"' collect --env MyEnv --check-env

page_says () {
  sed -n '/^## Mistakes/,/^## /s/^| `\([^`]*\)` |.*/\1/p' "$srcdir/docs/your-own-env.md" > listed
  [ "$(lines_of listed)" -ge 10 ] || { echo 'the page lists too few'; return 1; }
  while read -r message; do grep -qF -e "$message" said || { echo "nobody says: $message"; return 1; }; done < listed
}
check 'every message of docs/your-own-env.md is real' page_says
plan
