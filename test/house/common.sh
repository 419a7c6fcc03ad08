# What install.sh, package.sh and readme.sh begin with: their arguments, `fail`,
# and a folder $work that is gone at the end.
set -euo pipefail
source=$1 build=$2 cmake=$3

fail() {
  echo "$(basename "$0" .sh): $*" >&2
  exit 1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Puts what is built into $work/prefix.
install_here() {
  "$cmake" --install "$build" --prefix "$work/prefix" >/dev/null
}
