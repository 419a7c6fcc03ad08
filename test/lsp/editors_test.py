#!/usr/bin/env python3
# ===- editors_test.py - The language server in real editors ---------------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Opens a sample in an editor that is set up word by word as docs/editors.md
says, lists the actions, applies the one for the whole file and compares what
the editor saves with what the command line writes.

usage: editors_test.py <neovim|emacs> <bin directory> <editors.md> <sample.cu>
Exit code 77 (skipped) where the editor is not installed.
"""

import difflib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# What the person at the keyboard does, after the page's own lines. The editor's
# own client sends the requests, and its own code applies the edit.
NEOVIM = """
vim.opt.swapfile = false
vim.filetype.add({ extension = { cu = 'cuda' } })
vim.cmd('filetype on')
vim.cmd('edit k.cu')
local client
vim.wait(240000, function()
  client = vim.lsp.get_active_clients()[1]
  return client and client.initialized
end)
local here = { line = 0, character = 0 }
local params = {
  textDocument = vim.lsp.util.make_text_document_params(),
  range = { start = here, ['end'] = here },
  context = { diagnostics = {}, only = { 'refactor.rewrite.catt.file' } },
}
local answers = vim.lsp.buf_request_sync(0, 'textDocument/codeAction', params,
                                         240000)
local actions = answers[client.id].result
assert(#actions == 1, vim.inspect(answers))
vim.wait(240000, function() return #vim.diagnostic.get(0) > 0 end)
print('diagnostics: ' .. #vim.diagnostic.get(0))
vim.lsp.util.apply_workspace_edit(actions[1].edit, 'utf-16')
vim.cmd('write!')
vim.cmd('qall!')
"""
EMACS = """
(require 'eglot)
(setq eglot-sync-connect 240 eglot-connect-timeout 240
      eglot-confirm-server-initiated-edits nil make-backup-files nil)
(find-file "k.cu")
(apply #'eglot (eglot--guess-contact))
(let ((wait 2400))
  (while (and (null (flymake-diagnostics)) (> (cl-decf wait) 0))
    (flymake-start)
    (accept-process-output nil 0.1)))
(message "diagnostics: %d" (length (flymake-diagnostics)))
(let* ((found (eglot-code-actions (point-min) (point-max)
                                  "refactor.rewrite.catt.file"))
       (action (if (vectorp found) (aref found 0) (car found))))
  (message "action: %s" (plist-get action :title))
  (eglot--apply-workspace-edit (plist-get action :edit)))
(let ((require-final-newline nil)) (save-some-buffers t))
(eglot-shutdown (eglot-current-server))
"""
EDITORS = {  # program, the page's block, ours, how it is called
    "neovim": ("nvim", r"With 0\.7 to 0\.10:\n\n```lua\n(.*?)```", NEOVIM,
               ["--headless", "--clean", "-c", "luafile setup", "-c", "qall!"]),
    "emacs": ("emacs", r"With eglot .*?```elisp\n(.*?)```", EMACS,
              ["--batch", "-l", "/dev/stdin"]),
}


def main():
    editor, programs, page, sample = sys.argv[1:]
    name, block, ours, arguments = EDITORS[editor]
    program = shutil.which(name)
    if not program:
        print(f"skipped: {name} is not installed")
        return 77
    if editor == "emacs" and subprocess.run(
            [program, "--batch", "--eval", "(require 'eglot)"],
            capture_output=True).returncode != 0:
        print("skipped: this Emacs has no eglot")
        return 77
    found = re.search(block, pathlib.Path(page).read_text(), re.DOTALL)
    assert found, "the page has no such block"
    original = pathlib.Path(sample).read_bytes()
    with tempfile.TemporaryDirectory() as scratch:
        work = pathlib.Path(scratch)
        copy = work / "k.cu"
        copy.write_bytes(original)
        (work / ".catt").write_text("model: catt\nno-cuda: true\n")
        expected = subprocess.run(
            [f"{programs}/catt-rewrite", "--gpu=h200", "k.cu"],
            capture_output=True, check=True, cwd=work).stdout
        assert expected != original, "nothing is rewritten in the sample"
        (work / "setup").write_text(found[1] + ours)
        with open(work / "setup") as setup:
            done = subprocess.run(
                [program, *arguments], stdin=setup, capture_output=True,
                timeout=900, text=True, cwd=work,
                env={"PATH": f"{programs}:/usr/bin:/bin", "HOME": scratch})
        shown = re.search(r"diagnostics: (\d+)", done.stderr + done.stdout)
        assert shown and int(shown[1]) > 0, done
        assert copy.read_bytes() == expected, "".join(difflib.unified_diff(
            expected.decode().splitlines(True),
            copy.read_text().splitlines(True), "catt-rewrite", editor))
    return 0


if __name__ == "__main__":
    sys.exit(main())
