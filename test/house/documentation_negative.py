#!/usr/bin/env python3
# ===- documentation_negative.py - Every rule of documentation.py can fail -===#
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
from unittest import mock

import documentation

SENTENCE = "Keeps one thing near, so that another is not far."
LICENSE = "// " + documentation.LICENSE_LINE + "\n"
HEADER = (LICENSE + """//
// Keeps one thing near, so that
// another is not far.
//
// Before:
//   a
// After:
//   b
#include "x.h"
class KeepNearL1 final : public Transform {
  llvm::StringRef summary() const override {
    return "Keeps one thing near, "
           "so that another is not far.";
  }
};
""")
HELP = f"""USAGE: catt-rewrite [options]
  --gpu=<card>   - The GPU
  -i             - In place

Transforms:

  keep-near-l1   {SENTENCE}
"""
TREE = {
    "CMakeLists.txt": "", "CMakePresets.json": "", "LICENSE": "",
    "CONTRIBUTING.md": "", "dev": "", "tool/Main.cpp": "", "samples/a.cu": "",
    "README.md": "See [the index](docs/README.md) and [x](https://x.org/y).\n",
    "CHANGELOG.md": "- `keep-near-l1` keeps near.\n",
    "analysis/Long.cpp": LICENSE + "\n" * 600,
    "transforms/Transforms.def": 'TRANSFORM(KeepNearL1, "keep-near-l1", x)\n',
    "transforms/KeepNearL1.cpp": HEADER,
    "test/unit/KeepNearL1Test.cpp": "TEST(KeepNear, Refuses) {}\n",
    "docs/README.md": "[one](transforms/keep-near-l1.md#two-words-a) "
                      "[c](command-line.md) [d](design.md)\n",
    "docs/command-line.md": "`--gpu` and `-i`\n",
    "docs/design.md": "The list of all in Transform.\n",
    "docs/transforms/keep-near-l1.md":
        f"# Near\n{SENTENCE}\n## Two words, `a`\n```\n[no](link.md)\n```\n",
}

# (rule, file, text or (old, new) or None for removed, more of the help)
BAD = [
    ("transforms", "transforms/KeepNearL1.cpp", None),
    ("listed", "transforms/Transforms.def", 'TRANSFORM(KeepFar, "keep-far")\n'),
    ("file-name", "transforms/Transforms.def", ("keep-near-l1", "keep-near")),
    ("file-name", "transforms/Near.cpp", HEADER),
    ("header-sentence", "transforms/KeepNearL1.cpp", ("// Keeps one", "// Puts")),
    ("sketch", "transforms/KeepNearL1.cpp", ("// Before", "// Then")),
    ("page", "docs/transforms/keep-near-l1.md", None),
    ("page-sentence", "docs/transforms/keep-near-l1.md", ("Keeps", "Takes")),
    ("unit-test", "test/unit/KeepNearL1Test.cpp", None),
    ("unit-test", "test/unit/KeepNearL1Test.cpp", "// none\n"),
    ("changelog", "CHANGELOG.md", "- `keep-near-l10` is another.\n"),
    ("help", "--help", ("  keep-near-l1 ", "  keep-near-l1-x ")),
    ("help-sentence", "--help", ("Keeps", "Takes")),
    ("option", "--help", ("  -i  ", "  --interactive ")),
    ("option", "docs/command-line.md", "`--gpus` and `-i`\n"),
    ("option", "docs/command-line.md", None),
    ("option", "--help", ("  -", "  ")),
    ("reachable", "docs/alone.md", "Nobody links here.\n"),
    ("reachable", "docs/README.md", None),
    ("link", "README.md", "[gone](docs/gone.md)\n"),
    ("link", "README.md", "![gone](docs/gone.svg)\n"),
    ("link", "docs/command-line.md", "[out](../../outside.md)\n"),
    ("link", "CONTRIBUTING.md", "[a]\n\n[a]: docs/gone.md\n"),
    ("link", "README.md", '<img src="docs/gone.svg">\n'),
    ("anchor", "README.md", "[x](docs/README.md#gone)\n"),
    ("license", "tool/Main.cpp", "int X;\n" * 20),
    ("license", "test/house/x.py", "X = 1\n" * 20),
    ("length", "tool/Main.cpp", LICENSE + "\n" * 501),
    ("stale-length", "analysis/Long.cpp", LICENSE),
    ("unfinished", "tool/Main.cpp", "// TO" + "DO: all\n"),
    ("unfinished", "test/lit/x.cu", "// under " + "construction\n"),
    ("design", "analysis/plan/NewPlan.h", LICENSE),
    ("top-level", "scripts/x.sh", ""),
    ("top-level", "LICENSE", None),
]


def check(path=None, change=None):
    """The problems of the tree with one change."""
    tree, help_text = dict(TREE), HELP
    if path == "--help":
        help_text = help_text.replace(*change)
    elif isinstance(change, tuple):
        tree[path] = tree[path].replace(*change)
    elif path and change is None:
        del tree[path]
    elif path:
        tree[path] = change
    with tempfile.TemporaryDirectory() as root:
        for name, text in tree.items():
            file = pathlib.Path(root, name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        with mock.patch.object(documentation, "LONG", {
                "analysis/Long.cpp": "it holds nothing, at length"}):
            return documentation.Checker(root, help_text).run()


class Documentation(unittest.TestCase):
    def test_a_tree_in_order_passes(self):
        self.assertEqual(check(), [])

    def test_a_link_to_a_folder_reaches_its_pages(self):
        self.assertEqual(
            check("docs/README.md",
                  "[all](transforms/) [c](command-line.md) [d](design.md)\n"),
            [])

    def test_each_planted_fault_is_found(self):
        for rule, path, change in BAD:
            with self.subTest(rule=rule, path=path):
                problems = check(path, change)
                self.assertTrue(any(p.endswith(f"[{rule}]") for p in problems),
                                problems)

    def test_every_rule_has_a_planted_fault(self):
        self.assertEqual({rule for rule, _, _ in BAD}, documentation.RULES)

    def test_every_long_file_has_a_reason(self):
        for path, reason in documentation.LONG.items():
            self.assertGreater(len(reason.split()), 4, path)


if __name__ == "__main__":
    unittest.main()
