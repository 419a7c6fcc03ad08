#!/usr/bin/env python3
# ===- layering_negative.py - Every rule of layering.py can fail -----------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Plants files that break each rule, and files that look as if they did."""

import pathlib
import tempfile
import unittest

import layering

# (rule, file, content): each must be reported, under this rule.
BAD = [
    ("arrow", "analysis/model/Kernel.h", '#include "analysis/device/Device.h"'),
    ("circle", "analysis/model/Kernel.h", '#include "analysis/model/Kernel.h"'),
    ("arrow", "analysis/model/Reasons.h", '#include "analysis/device/Device.h"'),
    ("arrow", "analysis/device/Device.cpp",
     '#include "analysis/plan/throttle/ThrottlePlan.h"'),
    ("arrow", "analysis/device/Device.cpp", '#include "../Analysis.h"'),
    ("arrow", "analysis/source/Kernels.cpp",
     '#include "analysis/plan/throttle/ThrottlePlan.h"'),
    ("arrow", "analysis/source/Kernels.cpp",
     '#include "analysis/device/Device.h"'),
    ("arrow", "analysis/source/Kernels.cpp",
     '#include "analysis/registers/Ptxas.h"'),
    ("arrow", "analysis/source/Kernels.cpp",
     '#include "analysis/memory/Footprint.h"'),
    ("arrow", "analysis/plan/throttle/ThrottlePlan.cpp",
     '#include "analysis/plan/runtime/RuntimePlan.h"'),
    ("arrow", "analysis/source/walk/Places.cpp",
     '#include "analysis/source/Kernels.h"'),
    ("arrow", "analysis/plan/throttle/ThrottlePlan.cpp",
     '#  include   "analysis/source/Kernels.h"'),
    ("arrow", "analysis/plan/throttle/ThrottlePlan.cpp",
     '#include <analysis/source/Kernels.h>'),
    ("arrow", "analysis/memory/Footprint.cpp", '#include "../plan/throttle/ThrottlePlan.h"'),
    ("arrow", "analysis/registers/Ptxas.cpp",
     '#include "analysis/source/Kernels.h"'),
    ("arrow", "analysis/Analysis.cpp", '#include "transforms/Transform.h"'),
    ("arrow", "transforms/PreferL1.cpp", '#include "tool/catt-rewrite/Run.h"'),
    ("arrow", "transforms/PreferL1.cpp", '#include "tool/optimize/Optimize.h"'),
    ("arrow", "tool/optimize/Search.cpp", '#include "tool/catt-rewrite/Run.h"'),
    ("arrow", "analysis/plan/spill/SpillPlan.cpp",
     '#include "analysis/plan/variant/Variant.h"'),
    ("arrow", "tool/catt-rewrite/Run.cpp", '#include "test/unit/Helper.h"'),
    ("unresolved", "tool/catt-rewrite/Run.cpp",
     '#include "analysis/device/Gone.h"'),
    ("unknown-module", "analysis/Helper.cpp", "int X;"),
    ("unknown-module", "analysis/misc/Helper.h", "int X;"),
    ("clang", "analysis/plan/throttle/ThrottlePlan.h",
     '#include "clang/Basic/LangOptions.h"'),
    ("clang", "analysis/device/Device.h", "#include <clang-c/Index.h>"),
    ("clang", "analysis/model/AffineIndex.cpp",
     '#include "clang/AST/Expr.h"'),
    ("clang", "analysis/memory/Footprint.cpp",
     '#include "clang/Basic/SourceLocation.h"'),
    ("clang", "analysis/model/Kernel.h", '#include "clang/Basic/SourceLocation.h"'),
    ("clang-ast", "transforms/PreferL1.cpp", '#include "clang/AST/Stmt.h"'),
    ("clang-ast", "tool/catt-rewrite/Run.cpp",
     '#include "clang/ASTMatchers/ASTMatchers.h"'),
    ("clang-ast", "analysis/Analysis.cpp", '#include "clang/Sema/Sema.h"'),
    ("edits", "analysis/source/Kernels.cpp",
     '#include "clang/Tooling/Core/Replacement.h"'),
    ("edits", "analysis/Analysis.h",
     '#include "clang/Rewrite/Core/Rewriter.h"'),
    ("isl", "analysis/plan/throttle/ThrottlePlan.cpp", "#include <isl/cpp.h>"),
    ("isl", "analysis/source/Kernels.cpp", "#include <isl/set.h>"),
    ("isl", "analysis/model/AffineIndex.h", "#include <isl/aff.h>"),
    ("isl", "tool/catt-rewrite/Run.cpp", "#include <isl/ctx.h>"),
    ("own-headers", "analysis/frontend/builtin/include/cuda.h",
     '#include "clang/Basic/LangOptions.h"'),
    ("processes", "analysis/registers/Liveness.cpp",
     '#include "llvm/Support/Program.h"'),
    ("processes", "analysis/frontend/CudaFrontEnd.cpp",
     'void f() { FILE *P = popen("nvcc", "r"); }'),
    ("processes", "transforms/PreferL1.cpp", 'int f() { return system("x"); }'),
    ("processes", "analysis/Analysis.cpp", "int f() { return ::fork(); }"),
    ("processes", "analysis/device/Device.cpp",
     'void f() { sys::ExecuteAndWait("nvidia-smi", {}); }'),
    ("writes", "transforms/SourceEdit.cpp",
     "void f() { llvm::raw_fd_ostream Out(1, false); }"),
    ("writes", "analysis/Analysis.cpp", 'std::ofstream Out("x");'),
    ("writes", "analysis/memory/Footprint.cpp", 'FILE *F = fopen("x", "w");'),
    ("writes", "transforms/Transform.cpp",
     "void f() { llvm::writeToOutput(Path, Write); }"),
    ("writes", "analysis/frontend/CudaFrontEnd.cpp",
     "void f() { sys::fs::rename(A, B); }"),
]

# (file, content): none may be reported.
GOOD = [
    ("analysis/model/Kernel.h", '#include "analysis/model/AffineIndex.h"'),
    ("analysis/source/Kernels.cpp",
     '#include "analysis/model/Reasons.h"\n#include "clang/AST/Stmt.h"\n'
     '#include "analysis/model/AffineIndex.h"'),
    ("analysis/device/Device.cpp", '#include "analysis/model/Reasons.h"'),
    ("analysis/plan/throttle/ThrottlePlan.cpp",
     '#include "analysis/memory/Footprint.h"'),
    ("analysis/plan/throttle/ThrottlePlan.cpp",
     '// #include "clang/AST/Stmt.h"\n/*\n#include <isl/cpp.h>\n*/\n'
     '#include "analysis/device/Device.h"'),
    ("analysis/memory/Footprint.cpp",
     '#include <isl/cpp.h>\n#include "Footprint.h"'),
    ("analysis/registers/Ptxas.cpp",
     '#include "llvm/Support/Program.h"\nvoid f() { createTemporaryFile(); }'),
    ("analysis/device/Device.cpp",
     'const char *S = "run system(1) or fork()"; // popen("x")\n'
     'auto T = R"(std::ofstream Out;)";'),
    ("analysis/frontend/CudaFrontEnd.cpp",
     "bool f() { return Names.system(1) || filesystem(2) || isSystem(3); }"),
    ("transforms/PreferL1.cpp",
     '#include "analysis/device/Occupancy.h"\n'
     '#include "clang/Tooling/Core/Replacement.h"'),
    ("tool/catt-rewrite/Run.cpp",
     '#include "Run.h"\n#include "llvm/Support/Program.h"\n'
     '#include "transforms/Transform.h"\nvoid f() { std::ofstream Out; }'),
]

# Empty headers that the planted lines name.
TREE = """analysis/model/Kernel.h analysis/Analysis.h analysis/model/AffineIndex.h
analysis/memory/Footprint.h analysis/model/Reasons.h analysis/plan/throttle/ThrottlePlan.h
analysis/device/Device.h analysis/device/Occupancy.h analysis/source/Kernels.h
analysis/registers/Ptxas.h transforms/Transform.h tool/catt-rewrite/Run.h
analysis/plan/runtime/RuntimePlan.h
test/unit/Helper.h""".split()


def check(path, content):
    """The problems of a tree in which one file has this content."""
    with tempfile.TemporaryDirectory() as root:
        for name in [*TREE, path]:
            file = pathlib.Path(root, name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content + "\n" if name == path else "")
        return layering.Checker(root).run()


class Layering(unittest.TestCase):
    def test_each_planted_file_is_found(self):
        for rule, path, content in BAD:
            with self.subTest(path=path, content=content):
                problems = check(path, content)
                self.assertTrue(
                    any(p.endswith(f"[{rule}]") and p.startswith(f"{path}:1:")
                        for p in problems), problems)

    def test_what_only_looks_bad_passes(self):
        for path, content in GOOD:
            with self.subTest(path=path, content=content):
                self.assertEqual(check(path, content), [])

    def test_every_rule_has_a_planted_file(self):
        self.assertEqual({rule for rule, _, _ in BAD}, layering.RULES)

    def test_an_empty_tree_fails(self):
        with tempfile.TemporaryDirectory() as root:
            self.assertEqual(layering.main(["layering.py", root]), 1)


if __name__ == "__main__":
    unittest.main()
