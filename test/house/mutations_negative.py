#!/usr/bin/env python3
# ===- mutations_negative.py - Every rule of mutations.py can fail ---------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Builds a small tree that is in order, then breaks it one way at a time."""

import pathlib
import tempfile
import unittest

import mutations

SOURCE = "analysis/A.cpp"
PATCH = "test/fuzz/mutations/a-b.patch"
TREE = {
    SOURCE: "int a() {\n  return 1;\n}\n\nint b() {\n  return 2;\n}\n",
    PATCH: "It is three.\nDanger: guard\n\n--- a/analysis/A.cpp\n"
           "+++ b/analysis/A.cpp\n@@ -5,3 +5,3 @@\n int b() {\n-  return 2;\n"
           "+  return 3;\n }\n",
    mutations.PAGE: "`test/fuzz/mutations/` holds 1 patches\n\n"
                    "| mutation | what |\n|---|---|\n| a-b | It is three. |\n"
                    "\n| another-table | x |\n",
}
# (file, old, new, words of the problem)
BAD = [
    (SOURCE, "return 2", "return 4", "stands 0 times"),
    (SOURCE, "int b() {", "int b(int) {", "stands 0 times"),
    (SOURCE, "  return 2;", "    return 2;", "stands 0 times"),
    (SOURCE, "}\n\nint b", "}\nint b() {\n  return 2;\n}\n\nint b",
     "stands 2 times"),
    (PATCH, "analysis/A.cpp", "analysis/B.cpp", "stands 0 times"),
    (PATCH, "It is three.", "It is three", "no sentence"),
    (PATCH, "guard\n\n", "guard\n", "no sentence"),
    (PATCH, "@@ -5,3 +5,3 @@\n", "", "changes nothing"),
    (PATCH, "It is three.", "It is four.", "no row says of a-b"),
    (mutations.PAGE, "| a-b | It is three. |\n", "", "no row says of a-b"),
    (mutations.PAGE, "| a-b |", "| c | Gone. |\n| a-b |", "no mutation c"),
    (mutations.PAGE, "holds 1", "holds 2", "there are 1 patches"),
    (mutations.PAGE, "holds 1", "has 1", "there are 1 patches"),
]


def check(changed=None, old="", new=""):
    """The problems of the tree with one change."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in TREE.items():
            if name == changed:
                assert old in text, (name, old)
                text = text.replace(old, new)
            file = pathlib.Path(folder, name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        return mutations.check(pathlib.Path(folder))


class Mutations(unittest.TestCase):
    def test_a_tree_in_order_passes(self):
        self.assertEqual(check(), [])

    def test_a_patch_may_have_moved(self):
        self.assertEqual(check(SOURCE, "int a", "\n\n\nint a"), [])

    def test_each_planted_fault_is_found(self):
        for path, old, new, words in BAD:
            with self.subTest(path=path, old=old):
                problems = check(path, old, new)
                self.assertTrue(any(words in p for p in problems), problems)


if __name__ == "__main__":
    unittest.main()
