# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The suite's conventions:
#
#   %exact    catt-rewrite with the built-in CUDA declarations and a fixed GPU,
#             so that every machine gives the same answers
#   %eager    the same, for gains from 15 % on: for tests of what is written and
#             not of whether it pays
#   %catt     %exact by the paper's rule, whose decision follows from the
#             footprint alone: for tests of everything but the decision
#   %bare     catt-rewrite with nothing added
#   %launch   catt-launch
#   %nvcc     nvcc, in tests that require it
#   %schema   checks a JSON report against docs/schema/report.schema.json
#
# No test needs a GPU or a CUDA toolkit. A test of a program that may be missing
# REQUIRES it: clang-apply-replacements, opt-viewer, pre-commit, nvcc and others.
import importlib.util
import os
import shutil
import lit.formats

config.name = "catt-rewrite"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".cu", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)

tool = os.path.join(config.catt_bin_dir, "catt-rewrite")
checker = os.path.join(config.test_source_root, "Inputs", "check_schema.py")
schema = os.path.join(config.source_root, "docs", "schema", "report.schema.json")
viewer = os.path.join(config.llvm_bin_dir, "..", "share", "opt-viewer",
                      "opt-viewer.py")
config.substitutions += [
    ("%exact", f"{tool} --no-cuda --gpu=h200"),
    ("%eager", f"{tool} --no-cuda --gpu=h200 --min-gain=15"),
    ("%catt", f"{tool} --no-cuda --gpu=h200 --model=catt"),
    ("%bare", tool),
    ("%throttles", "--transforms=split-warp-groups,reserve-shared,prefer-l1"),
    ("%launch", os.path.join(config.catt_bin_dir, "catt-launch")),
    ("%source", config.source_root),
    ("%bin", config.catt_bin_dir),
    ("%opt-viewer", f"{config.python} {viewer}"),
    ("%schema", f"{config.python} {checker} {schema}"),
    ("%python", config.python),
    ("%inputs", os.path.join(config.test_source_root, "Inputs")),
]

config.environment["PATH"] = os.pathsep.join(
    [config.llvm_bin_dir, "/usr/local/bin", "/usr/bin", "/bin"])
for name in ("CUDA_PATH", "CUDA_HOME", "CPATH"):
    config.environment.pop(name, None)

if os.path.exists(os.path.join(config.llvm_bin_dir, "clang-apply-replacements")):
    config.available_features.add("apply-replacements")
if os.geteuid() == 0:
    config.available_features.add("root")

# What the tests of other people's programs need.
config.environment["PATH"] += os.pathsep + "/usr/local/cuda/bin"
for program in ("ccache", "cmake", "ninja", "nvcc", "pre-commit", "script"):
    if shutil.which(program, path=config.environment["PATH"]):
        config.available_features.add(program)
if "nvcc" in config.available_features:
    config.substitutions.append(
        ("%nvcc", shutil.which("nvcc", path=config.environment["PATH"])))
if os.path.exists(viewer) and all(
        importlib.util.find_spec(name) for name in ("pygments", "yaml")):
    config.available_features.add("opt-viewer")
