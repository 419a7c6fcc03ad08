# bash completion for catt-rewrite and catt-tune. Options, transforms and reasons are asked of
# the program itself, so that they are those of the version that is installed.

_catt_rewrite() {
  local cur=${COMP_WORDS[COMP_CWORD]} name=
  COMPREPLY=()
  # Behind `--` stand the compiler's flags.
  local word
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [ "$word" = -- ] && {
      compopt -o default
      return
    }
  done
  # readline breaks words at `=`.
  if [ "$cur" = = ]; then
    name=${COMP_WORDS[COMP_CWORD - 1]} cur=
  elif [ "${COMP_WORDS[COMP_CWORD - 1]}" = = ]; then
    name=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  local help values
  help=$("$1" --help 2>/dev/null) || return
  if [ -n "$name" ]; then
    case $name in
    --transforms) values="all $("$1" --list-transforms | awk '{print $1}')" ;;
    --explain) values="all $("$1" --explain=all | awk '{print $1}')" ;;
    *)
      # "--model=<exact|catt>" names its values.
      values=$(sed -n "s/^ *$name=<\\([a-z|-]*|[a-z|-]*\\)>.*/\\1/p" <<<"$help" |
        tr '|' ' ')
      ;;
    esac
    if [ -n "$values" ]; then
      mapfile -t COMPREPLY < <(compgen -W "$values" -- "$cur")
    else
      compopt -o default
    fi
  elif [[ $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(
      sed -n 's/^ *\(--\{0,1\}[a-zA-Z][a-z0-9-]*\)\(=*\).*/\1\2/p' <<<"$help"
    )" -- "$cur")
    [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
  else
    compopt -o default
  fi
}
complete -F _catt_rewrite catt-rewrite catt-tune
