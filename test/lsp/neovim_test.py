#!/usr/bin/env python3
# ===- neovim_test.py - The language server in Neovim ----------------------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Opens a sample in a headless Neovim, applies the action for the whole file
and compares the buffer with what the command line writes.

usage: neovim_test.py <catt-lsp> <catt-rewrite> <sample.cu>
Exit code 77 (skipped) where there is no Neovim.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

# Neovim's own client sends the requests, and its own code applies the edit.
SCRIPT = """
vim.opt.swapfile = false
vim.cmd('edit ' .. vim.env.CATT_SAMPLE)
local client = vim.lsp.start_client({
  name = 'catt',
  cmd = { vim.env.CATT_SERVER },
  init_options = { gpu = 'h200', model = 'catt', noCuda = true },
})
vim.lsp.buf_attach_client(0, client)
local here = { line = 0, character = 0 }
local params = {
  textDocument = vim.lsp.util.make_text_document_params(),
  range = { start = here, ['end'] = here },
  context = { diagnostics = {}, only = { 'refactor.rewrite.catt.file' } },
}
vim.wait(60000, function()
  return vim.lsp.get_client_by_id(client).initialized
end)
local answers = vim.lsp.buf_request_sync(0, 'textDocument/codeAction', params,
                                         60000)
local actions = answers[client].result
assert(#actions == 1, vim.inspect(answers))
vim.wait(60000, function() return #vim.diagnostic.get(0) > 0 end)
print('diagnostics: ' .. #vim.diagnostic.get(0))
vim.lsp.util.apply_workspace_edit(actions[1].edit, 'utf-16')
vim.cmd('write!')
vim.cmd('qall!')
"""


def main():
    server, rewrite, sample = sys.argv[1:]
    editor = shutil.which("nvim")
    if not editor:
        print("skipped: Neovim is not installed")
        return 77
    expected = subprocess.run(
        [rewrite, "--gpu=h200", "--model=catt", "--no-cuda", sample],
        capture_output=True, check=True).stdout
    original = pathlib.Path(sample).read_bytes()
    assert expected != original, "nothing is rewritten in the sample"
    with tempfile.TemporaryDirectory() as scratch:
        copy = pathlib.Path(scratch) / "k.cu"
        copy.write_bytes(original)
        script = pathlib.Path(scratch) / "script.lua"
        script.write_text(SCRIPT)
        done = subprocess.run(
            [editor, "--headless", "--clean", "-c", f"luafile {script}",
             "-c", "qall!"], capture_output=True, timeout=300, text=True,
            env={"PATH": "/usr/bin:/bin", "HOME": scratch,
                 "CATT_SERVER": server, "CATT_SAMPLE": str(copy)})
        assert "diagnostics: " in done.stderr + done.stdout, done
        assert copy.read_bytes() == expected, (done, copy.read_text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
