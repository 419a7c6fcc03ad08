#!/usr/bin/env bash
# Installs to an empty prefix and runs what is there, from another directory and
# with nothing of the build around: the tool must find its own headers.
# usage: install.sh <source directory> <build directory> <cmake>
. "$(dirname "$0")/common.sh"

install_here
prefix=$work/prefix
tool=$prefix/bin/catt-rewrite
[ -x "$tool" ] || fail 'there is no bin/catt-rewrite'

# run <expected exit code> <argument>...: output goes to $work/{out,err}.
run() {
  local expected=$1 status=0
  shift
  (cd / && env -i PATH=/usr/bin:/bin "$tool" --gpu=sm_80 "$@") \
    >"$work/out" 2>"$work/err" </dev/null || status=$?
  [ $status = "$expected" ] || {
    cat "$work/out" "$work/err" >&2
    fail "exit code $status instead of $expected: catt-rewrite $*"
  }
}

run 1 --no-cuda --diff "$source/samples/gesummv/gesummv.cu"
grep -q '^+.*cattLoadRow<' "$work/out" || fail 'no tiles in the diff'

# Clang's own headers (stddef.h, limits.h), the host's and the built-in CUDA.
cat >"$work/headers.cu" <<'END'
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cuda_runtime.h>
#include <vector>
__global__ void scale(float *X, size_t N) {
  size_t I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    X[I] = fminf(X[I], FLT_MAX);
}
END
run 0 --no-cuda --diff "$work/headers.cu"
if grep -E 'error|not found' "$work/err"; then
  fail 'an installed tool must find its headers'
fi
# The same question, asked so that the answer is no.
echo '#include <no_such_header_anywhere.h>' >"$work/missing.cu"
run 3 --no-cuda --diff "$work/missing.cu"

# The executor finds its plugin, its library and its headers.
run 0 --no-cuda --verify --arguments=512 -o "$work/new.cu" \
  "$source/samples/gesummv/gesummv.cu" -- -DM=96
grep -q 'verified: 2 launches leave the same memory' "$work/err" ||
  fail '--verify does not work where it is installed'
(cd / && env -i PATH=/usr/bin:/bin "$prefix/bin/catt-run" -Xcompiler=-DM=96 \
  "$work/new.cu" 300) | grep -q ', OK$' || fail 'catt-run does not run'

# No header is there but those of the library, and what rewritten code includes.
others=$(find "$prefix/include" -path "$prefix/include/catt-optimize" -prune \
  -o -name '*.h' -not -path "$prefix/include/catt/*" -print)
for header in launches narrow_rows staged_rows timing trials; do
  [ -f "$prefix/include/catt/$header.h" ] || fail "no catt/$header.h is installed"
done
[ -z "$others" ] || fail "headers that nobody includes: $others"

# A program that calls the library, built of what is installed alone.
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
sanitize=$(cached CATT_SANITIZE)
cp -r "$source/samples/embed" "$work/embed"
{
  "$cmake" -S "$work/embed" -B "$work/embed/build" \
    -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$(cached CMAKE_CXX_COMPILER)" \
    -DCMAKE_CXX_FLAGS="${sanitize:+-fsanitize=$sanitize}" &&
    "$cmake" --build "$work/embed/build"
} >"$work/log" 2>&1 || {
  cat "$work/log" >&2
  fail 'samples/embed cannot be built'
}
# Where the library is not there, as in the Debian package, CMake says so.
mv "$prefix/lib/cmake/Catt/CattLibraries.cmake" "$work/aside"
if "$cmake" -S "$work/embed" -B "$work/embed/none" -DCMAKE_PREFIX_PATH="$prefix" \
  >"$work/log" 2>&1; then
  fail 'a library that is not installed is found'
fi
grep -q 'the library is not installed' "$work/log" || {
  cat "$work/log" >&2
  fail 'CMake does not say that the library is missing'
}
mv "$work/aside" "$prefix/lib/cmake/Catt/CattLibraries.cmake"

embed() { (cd / && "$work/embed/build/embed" "$@") >"$work/out" 2>"$work/err"; }
embed sm_80 "$source/samples/gesummv/gesummv.cu" || {
  cat "$work/err" >&2
  fail 'embed failed'
}
grep -q 'cattLoadRow<' "$work/out" || fail 'no tiles in what embed wrote'
if embed no_such_card "$source/samples/gesummv/gesummv.cu"; then
  fail 'embed does not report an error'
fi
echo 'install: the installed tool and the library stand on their own'
