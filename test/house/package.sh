#!/usr/bin/env bash
# Packs a Debian package, unpacks it into an empty folder and runs what is there:
# the tool, its man page, its completion, its CMake package.
# usage: package.sh <source directory> <build directory> <cpack>
. "$(dirname "$0")/common.sh"
cpack=$3

command -v dpkg-shlibdeps >/dev/null || {
  echo 'package: skipped, there is no dpkg-shlibdeps (Debian: dpkg-dev)'
  exit 77
}
(cd "$work" && "$cpack" -G DEB --config "$build/CPackConfig.cmake" \
  -B "$work/out" >"$work/log" 2>&1) || {
  cat "$work/log" >&2
  fail 'cpack failed'
}
package=$(find "$work/out" -maxdepth 1 -name '*.deb')
[ -f "$package" ] || fail 'there is not one package'

# What it needs is said: the libraries that the programs are linked to, Clang's
# headers and the host's.
dpkg-deb -f "$package" Depends >"$work/depends"
for needed in libllvm22 libclang-cpp22 libisl23 libclang-common-22-dev \
  libstdc++-12-dev; do
  grep -q "$needed" "$work/depends" ||
    fail "$needed is not among: $(cat "$work/depends")"
done

root=$work/root
dpkg-deb -x "$package" "$root"
for file in bin/catt-rewrite bin/catt-launch bin/catt-run share/man/man1/catt-rewrite.1 \
  share/bash-completion/completions/catt-rewrite lib/cmake/Catt/CattConfig.cmake; do
  [ -s "$root/usr/$file" ] || fail "there is no $file"
done
status=0
(cd / && env -i PATH=/usr/bin:/bin "$root/usr/bin/catt-rewrite" --no-cuda \
  --gpu=sm_80 --diff "$source/samples/gesummv/gesummv.cu") \
  >"$work/diff" 2>"$work/err" || status=$?
[ $status = 1 ] || {
  cat "$work/err" >&2
  fail "exit code $status instead of 1"
}
grep -q '^+.*cattLoadRow<' "$work/diff" || fail 'no tiles in the diff'
grep -q 'catt\\-rewrite' "$root/usr/share/man/man1/catt-rewrite.1" ||
  fail 'the man page is not one'
echo "package: $(basename "$package") stands on its own"
