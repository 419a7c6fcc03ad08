# What completion offers: ask.bash <completion> <catt-rewrite> <word>...
# The last word is the one under the cursor.
# shellcheck source=/dev/null
source "$1"
tool=$2
shift 2
compopt() { echo "compopt $*"; }
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_catt_rewrite "$tool"
printf '%s\n' "${COMPREPLY[@]}"
