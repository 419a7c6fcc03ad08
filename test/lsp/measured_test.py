#!/usr/bin/env python3
# ===- measured_test.py - What was measured of a kernel, in an editor ----===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""usage: measured_test.py <catt-lsp> <catt-rewrite> [unittest arguments]"""

import subprocess

from client import apply
from scene import FOR, REWRITE, ROWS, ServerTest, main

OPTIONS = {"gpu": "sm_80", "noCuda": True, "delay": 10}
ENTRY = """\
measured:
  - kernel: rows
    file: k.cu
    variant: {}
    gpu: {}
    text: c6a50b1354b61752
    gain: 2.5
    launches: 40
    date: 2026-11-29
"""


class Measured(ServerTest):
    def says(self, variant, gpu="sm_80"):
        self.path(".catt").write_text(ENTRY.format(variant, gpu))

    def test_it_is_shown_and_obeyed(self):
        self.says("groups-4-of-loop-0")
        with self.client(options=OPTIONS) as c:
            uri = c.open(self.path(), ROWS)
            self.assertIn("measured on sm_80, 2026-11-29: 2.50 times as fast, "
                          "40 launches (groups-4-of-loop-0)", c.hover(uri, 0))
            self.path().write_text(ROWS, newline="")
            expected = subprocess.run(
                [REWRITE, "--gpu=sm_80", "--no-cuda", str(self.path())],
                capture_output=True, check=True, text=True).stdout
            self.assertIn("catt: split-warp-groups(4)", expected)
            for kind in ("kernel", "file"):
                edit = self.one(c.actions(uri, FOR),
                                "refactor.rewrite.catt." + kind)["edit"]
                self.assertEqual(apply(ROWS, c.edits(edit, uri)), expected)

    def test_what_is_old_is_shown(self):
        self.says("sums", "h100")
        with self.client(options=OPTIONS) as c:
            uri = c.open(self.path(), ROWS)
            self.assertIn("measured on h100, 2026-11-29, and not used: this is "
                          "planned for sm_80", c.hover(uri, 0))

    def test_what_is_best_as_written_is_no_warning(self):
        with self.client(options=OPTIONS) as c:
            uri = c.open(self.path(), ROWS)
            self.assertNotIn("measured", c.hover(uri, 0))
            self.says("as written")
            c.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
            self.assertIn("nothing was faster", c.hover(uri, 0))
            self.assertEqual([d for d in c.diagnostics(uri)
                              if d["severity"] == 2], [])

    def test_the_editors_settings_go_before(self):
        self.says("sums")
        with self.client(options={**OPTIONS, "tileBytes": 64}) as c:
            uri = c.open(self.path(), ROWS)
            self.assertNotIn("measured", c.hover(uri, 0))


if __name__ == "__main__":
    main()
