# Completion of collect, learn, replay and render in bash. Options, commands and classes are those that
# the programs print themselves.

# The options that the help of a command lists, and after `replay` and `learn` their commands.
_reel_options () {
  "$@" --help 2>/dev/null | sed -n '/^Other spellings/q; s/^ \{2,6\}\(-[A-Za-z], \)\{0,1\}\(--[a-z0-9-]*\).*/\2/p'
}

_reel_commands () {
  "$1" help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z0-9-]*\) .*/\1/p'
}

# The names of a kind of class, by the option that lists them.
_reel_classes () {
  "$@" 2>/dev/null | sed -n '/^$/q; s/^\([A-Za-z][A-Za-z0-9-]*\)  .*/\1/p' | grep -vx id
}

_reel () {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
  local -a program=("${COMP_WORDS[0]}")
  local words=
  COMPREPLY=()
  case ${program[0]##*/} in
    learn | replay)
      if [ "$COMP_CWORD" -eq 1 ] || [ "$before" = help ]; then
        words=$(_reel_commands "${program[0]}")
      else
        program+=("${COMP_WORDS[1]}")
      fi ;;
  esac
  case $before in
    --env|-e) words=$(_reel_classes "${program[@]}" --list-envs) ;;
    --collector) words=$(_reel_classes "${program[@]}" --list-collectors) ;;
    --policy|-p) words=$(_reel_classes "${COMP_WORDS[0]}" --list-policies) ;;
    --sampler) words=$(_reel_classes "${program[@]}" --list-samplers) ;;
    --storage) words=$(_reel_classes "${COMP_WORDS[0]}" --list-storages) ;;
    --transform|--postproc) words=$(_reel_classes "${program[@]}" --list-transforms) ;;
    --checkpointer) words=$(_reel_classes "${COMP_WORDS[0]}" --list-checkpointers) ;;
    --episode) words='best worst longest shortest' ;;
    --activation) words='relu tanh' ;;
    --video-format) words='mp4 gif png' ;;
    --double|--anneal) words='true false' ;;
    --format) words='csv npz hdf5 minari' ;;
    --sort) words='end lane length return' ;;
    *) case $word in -*) words=$(_reel_options "${program[@]}") ;; esac ;;
  esac
  [ -z "$words" ] || mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -o default -F _reel collect learn replay render
