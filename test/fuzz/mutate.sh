#!/usr/bin/env bash
# Breaks the tool on purpose, one patch of mutations/ at a time, in a scratch
# copy, and shows which tests notice.
#
#   mutate.sh [-o table.md] [mutation]...
#
# The first line of a patch says what it breaks. Exit status: 0 if each is
# caught, 1 if some survive or do not apply, 2 if the copy fails without any.
set -uo pipefail

root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
scratch=${CATT_MUTATE_DIR:-${TMPDIR:-/tmp}/catt-mutate}
jobs=${CATT_JOBS:-$(nproc)}
table=/dev/null
if [ "${1:-}" = -o ]; then
  table=$2
  shift 2
fi

say() { printf 'mutate: %s\n' "$*" >&2; }

# The layering and documentation tests look at texts that no mutation touches.
run_tests() {
  ctest --test-dir "$scratch/build" -j "$jobs" -LE house --timeout 600 \
    >"$scratch/ctest.log" 2>&1
}

# The names of the tests that failed, the first few, from ctest's summary.
failed_tests() {
  sed -n '/^The following tests FAILED/,$p' "$scratch/ctest.log" |
    sed -n 's/^[[:space:]]*[0-9]* - \(.*\) (.*$/\1/p'
}

compile() {
  ninja -C "$scratch/build" -j "$jobs" >"$scratch/build.log" 2>&1
}

prepare() {
  mkdir -p "$scratch/tree"
  rm -rf "$scratch/tree"
  mkdir -p "$scratch/tree"
  tar -C "$root" -cf - --exclude=./build --exclude=./.git . |
    tar -C "$scratch/tree" -xf -
  cmake -S "$scratch/tree" -B "$scratch/build" -G Ninja \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=clang-22 \
    -DCMAKE_CXX_COMPILER=clang++-22 \
    "-DCMAKE_CXX_COMPILER_LAUNCHER=$(command -v ccache || true)" \
    >"$scratch/cmake.log" 2>&1 || return 1
  compile
}

# Prints one row of the table; fails if the mutation survives.
mutate() {
  local patch=$1 name what by count
  name=$(basename "$patch" .patch)
  what=$(head -n 1 "$patch")
  if ! patch -s -p1 -d "$scratch/tree" <"$patch"; then
    printf '| %s | %s | does not apply |\n' "$name" "$what"
    return 1
  fi
  if ! compile; then
    by='does not compile'
  elif run_tests; then
    by='**survives**'
  else
    count=$(failed_tests | wc -l)
    by=$(failed_tests | grep '^fuzz' | paste -sd ' ' -)
    by="${by:+$by, }$(failed_tests | grep -v '^fuzz' | head -n 3 |
      paste -sd ' ' -) ($count tests)"
  fi
  patch -s -R -p1 -d "$scratch/tree" <"$patch"
  printf '| %s | %s | %s |\n' "$name" "$what" "$by"
  [[ $by != *survives* && $by != *compile* ]]
}

say "copying and building in $scratch"
prepare || {
  tail -n 20 "$scratch/cmake.log" "$scratch/build.log" >&2
  exit 2
}
if ! run_tests; then
  say "these fail without any mutation: $(failed_tests | paste -sd ' ' -)"
  exit 2
fi

status=0
printf '| mutation | what is broken | caught by |\n|---|---|---|\n' | tee "$table"
if [ $# = 0 ]; then
  set -- "$root"/test/fuzz/mutations/*.patch
fi
for one in "$@"; do
  [ -f "$one" ] || one=$root/test/fuzz/mutations/$one.patch
  mutate "$one" | tee -a "$table"
  [ "${PIPESTATUS[0]}" = 0 ] || status=1
done
exit $status
