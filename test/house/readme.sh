#!/usr/bin/env bash
# The README's ways to use the tool, word by word, on an installed copy: the
# commands for the shell, and the hook where git and pre-commit are installed.
# (lsp.neovim and lsp.emacs do the same for the page on editors.)
# usage: readme.sh <source directory> <build directory> <cmake>
. "$(dirname "$0")/common.sh"

install_here
export PATH=$work/prefix/bin:/usr/bin:/bin HOME=$work
sample=$source/samples/gesummv/gesummv.cu
mkdir "$work/shell" "$work/hook"

# block <start>: the indented lines below the README's line that begins so.
block() {
  sed -n "/^$1/,/^[^ ]/s/^    //p" "$source/README.md"
}

# without_functions: a diff without the functions that are added above kernels and
# launches, and without line numbers, which count them.
without_functions() {
  sed -e '/^+\/\/ catt: stage-rows(\(kernel\|launch\))/,/\/\/ catt: done/d' \
    -e 's/^@@ .*/@@/'
}

# What `./dev rewrite` shows.
(cd "$source" && catt-rewrite --no-cuda --gpu=sm_80 --diff \
  samples/gesummv/gesummv.cu >"$work/diff" 2>"$work/remarks") || [ $? = 1 ]
sed -n '/^You see the change/,/^Each lane runs/s/^    //p' "$source/README.md" \
  >"$work/shown"
diff "$work/shown" <(without_functions <"$work/diff" && grep -v '^catt-rewrite: ' "$work/remarks") ||
  fail 'the change is another one than the README shows'

# In a shell: each line runs, and shows, writes and takes back what it says.
cd "$work/shell"
cp "$sample" kernel.cu
echo 'gpu: h200' >.catt
mapfile -t commands < <(block 'In a shell:')
[ ${#commands[@]} = 4 ] || fail "not four commands: ${commands[*]}"
n=0
for command in "${commands[@]}"; do
  n=$((n + 1)) status=0
  bash -c "$command" >"out$n" 2>"err$n" || status=$?
  cp kernel.cu "kernel$n"
  # A diff that is not empty is 1.
  [ $status = $((n == 1)) ] || { cat "err$n"; fail "exit code $status: $command"; }
done
grep -q '^+.*cattLoadRow<' out1 || fail 'the diff shows no change'
for n in 1 2; do cmp "kernel$n" "$sample" || fail 'a look changed the file'; done
cmp kernel3 out2 || fail '-i writes something else than is printed'
cmp kernel4 "$sample" || fail '--revert does not give the original back'

# The hook: fails the first commit and rewrites, lets the second one pass.
if ! command -v pre-commit git >/dev/null; then
  echo 'readme: pre-commit is not installed; the hook was left out'
  exit 0
fi
cd "$work/hook"
export GIT_AUTHOR_NAME=n GIT_AUTHOR_EMAIL=e GIT_COMMITTER_NAME=n GIT_COMMITTER_EMAIL=e
git init -q .
sed -n '/^```yaml/,/^```$/{/^```/!p}' "$source/README.md" >.pre-commit-config.yaml
cp "$sample" kernel.cu
git add .
pre-commit install >/dev/null
if git commit -q -m first >out 2>&1; then
  fail 'the hook let a contended kernel pass'
fi
cmp kernel.cu ../shell/kernel3 || { cat out; fail 'the hook wrote something else'; }
git add .
git commit -q -m second || fail 'the second commit did not pass'
echo 'readme: every way works'
