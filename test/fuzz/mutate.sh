#!/usr/bin/env bash
# Breaks the tool on purpose, one patch of mutations/ at a time, in a scratch
# copy, and shows which tests notice.
#
#   mutate.sh [-o table.md] [-k kernels] [-a kernels] [-s] [-v] [mutation]...
#
# The first line of a patch says what it breaks. Unit tests come first, those of
# the broken module before the others, then lit, until one fails; generated
# kernels (200, or as many as -k says) are asked in any case, until one fails.
# Mutations called unsound-* take out one rule of safety each: only kernels with
# a danger (catt-fuzz --adversarial; 3000, or as many as -a says) are asked, which
# must notice alone; where a patch has a line "Danger: guard", those of this kind.
# Mutations called register-* break what moves values, computes them again or bounds
# them: ordinary kernels must notice alone. So must kernels whose lanes walk rows
# (catt-fuzz --rows), of those called rows-*.
# Only what a patch touches is built again. -s skips the run without any mutation.
# How many kernels it took is said on standard error.
# With -v nobody is asked but catt-rewrite --verify, of programs that are made of
# generated kernels.
# Exit status: 0 if each is caught, 1 if some survive or do not apply, 2 if the
# copy fails without any.
set -uo pipefail

root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
scratch=${CATT_MUTATE_DIR:-${TMPDIR:-/tmp}/catt-mutate}
jobs=${CATT_JOBS:-$(nproc)}
tree=$scratch/tree
build=$tree/build/edit
units=(source memory device transforms table3 plan frontend)
table=/dev/null
kernels=200
enemies=3000
sound=false
verify=()
while getopts o:k:a:sv option; do
  case $option in
  o) table=$OPTARG ;;
  k) kernels=$OPTARG ;;
  a) enemies=$OPTARG ;;
  s) sound=true ;;
  v) verify=(--verify) units=() ;;
  *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))

say() { printf 'mutate: %s\n' "$*" >&2; }

compile() {
  ninja -C "$build" -j "$jobs" "$@" >"$scratch/build.log" 2>&1
}

# The copy, built: what is compiled elsewhere already comes from ccache, because
# all paths in the copy are like those of any other checkout.
prepare() {
  rm -rf "$scratch/new"
  mkdir -p "$scratch/new" "$tree"
  tar -C "$root" -cf - --exclude=./build --exclude=./.git . |
    tar -C "$scratch/new" -xf -
  # Only what differs, and with the time of now: ninja compares times.
  local file
  while read -r file; do
    [ -e "$scratch/new/$file" ] || rm "$tree/$file"
  done < <(cd "$tree" && find . -type f -not -path './build/*')
  while read -r file; do
    cmp -s "$scratch/new/$file" "$tree/$file" && continue
    mkdir -p "$(dirname "$tree/$file")"
    cp --no-preserve=timestamps "$scratch/new/$file" "$tree/$file"
  done < <(cd "$scratch/new" && find . -type f)
  export CCACHE_DIR=${CCACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/ccache}
  export CCACHE_BASEDIR=$tree CCACHE_NOHASHDIR=1
  export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
  local arguments=(--preset edit)
  command -v ccache >/dev/null &&
    arguments+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  [ "${CI:-}" = true ] && arguments+=(-DCATT_WERROR=ON)
  (cd "$tree" && cmake "${arguments[@]}") >"$scratch/cmake.log" 2>&1 &&
    compile "${units[@]/#/catt-unit-}" catt-rewrite catt-fuzz
}

# unit_tests <module>: prints the first test that fails.
unit_tests() {
  timeout 900 "$build/bin/catt-unit-$1" --gtest_brief=1 --gtest_fail_fast \
    >"$scratch/test.log" 2>&1 && return
  sed -n 's/^\[  FAILED  \] \([^ ,]*\).*/\1/p' "$scratch/test.log" |
    grep -m 1 . || echo "catt-unit-$1"
}

# lit_tests: prints the first test that fails.
lit_tests() {
  timeout 900 ctest --test-dir "$build" -L lit -LE thorough --stop-on-failure \
    >"$scratch/test.log" 2>&1 && return
  sed -n 's/^[[:space:]]*[0-9]* - \(lit[^ ]*\) (.*/\1/p' "$scratch/test.log" |
    grep -m 1 . || echo lit
}

# own_module <patch>: the unit tests of what it breaks.
own_module() {
  case $(sed -n 's,^+++ b/,,p' "$1" | head -n 1) in
  transforms/*) echo transforms ;;
  analysis/source/*) echo source ;;
  analysis/memory/*) echo memory ;;
  *) echo device ;;
  esac
}

# first_failure <module>...: the first test that fails.
first_failure() {
  local module failure
  for module; do
    if [ "$module" = lit ]; then
      compile catt-rewrite || return 1
      failure=$(lit_tests)
    else
      compile "catt-unit-$module" || return 1
      failure=$(unit_tests "$module")
    fi
    [ -z "$failure" ] || break
  done
  printf '%s' "$failure"
}

# failed_properties <kernels> [option]: of generated kernels.
failed_properties() {
  local count=$1
  shift
  [ "$count" != 0 ] || return 0
  compile catt-fuzz || return 1
  rm -rf "$scratch/failures"
  : >"$scratch/fuzz.log"
  timeout 1800 "$build/bin/catt-fuzz" "$@" "${verify[@]}" --kernels "$count" --seed 1 \
    --shrink 0 --batch 25 --max-failures 1 --jobs "$jobs" --no-progress \
    --out "$scratch/failures" >"$scratch/fuzz.log" 2>&1 && return
  find "$scratch/failures" -name '*.cu' -printf '%f\n' 2>/dev/null |
    sed 's/-[0-9]*\.cu$//' | sort -u | paste -sd ' ' - | sed 's/ /, /g' |
    grep . || echo crash
}

# find_out <patch>: what notices, in tests and generated.
find_out() {
  local danger
  tests='' generated=''
  case $1 in
  */unsound-*)
    danger=$(sed -n 's/^Danger: //p' "$1")
    generated=$(failed_properties "$enemies" --adversarial \
      ${danger:+--danger "$danger"})
    ;;
  */register-*) generated=$(failed_properties "$kernels") ;;
  */rows-*) generated=$(failed_properties "$kernels" --rows) ;;
  *)
    [ -n "${verify[*]}" ] ||
      tests=$(first_failure "$(own_module "$1")" "${units[@]}" lit) || return
    generated=$(failed_properties "$kernels")
    ;;
  esac
}

# Prints one row of the table; fails if the mutation survives.
mutate() {
  local patch=$1 name what tests generated status=0
  name=$(basename "$patch" .patch)
  what=$(head -n 1 "$patch")
  # Only where it stands as the patch has it: what breaks something else would
  # be caught as well.
  if ! patch -s -F0 --dry-run -p1 -d "$tree" <"$patch" >&2; then
    printf '| %s | %s | does not apply | |\n' "$name" "$what"
    return 1
  fi
  patch -s -F0 -p1 -d "$tree" <"$patch"
  if ! find_out "$patch"; then
    tests='does not compile'
    status=1
  elif [ -z "$tests$generated" ]; then
    tests='**survives**'
    status=1
  fi
  patch -s -R -p1 -d "$tree" <"$patch"
  say "$name: $(grep ' kernels from seed ' "$scratch/fuzz.log")"
  printf '| %s | %s | %s | %s |\n' "$name" "$what" "${tests:--}" "${generated:--}"
  return $status
}

say "copying and building in $scratch"
prepare || {
  tail -n 20 "$scratch/cmake.log" "$scratch/build.log" >&2
  exit 2
}
if ! $sound && {
  ! before=$(first_failure ${units[@]:+"${units[@]}" lit} && failed_properties "$kernels" &&
    failed_properties "$enemies" --adversarial) || [ -n "$before" ]
}; then
  say "this fails without any mutation: $before"
  exit 2
fi

status=0
printf '| mutation | what is broken | first failing test | generated kernels |\n|---|---|---|---|\n' |
  tee "$table"
if [ $# = 0 ]; then
  set -- "$root"/test/fuzz/mutations/*.patch
fi
for one in "$@"; do
  [ -f "$one" ] || one=$root/test/fuzz/mutations/$one.patch
  mutate "$one" | tee -a "$table"
  [ "${PIPESTATUS[0]}" = 0 ] || status=1
done
exit $status
