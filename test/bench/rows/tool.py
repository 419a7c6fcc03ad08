# ===- tool.py - What catt-rewrite is asked for, and what it says ------ ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""catt-rewrite on many kernels at a time.

  Tool.rewrite()   edits files in place; what it remarked on each
  Tool.remarks()   the same without an edit
  Tool.report()    the loops of each file
"""
import hashlib
import json
import re
import subprocess
from collections import namedtuple
from pathlib import Path

import sweep

DEFAULT = Path(__file__).resolve().parents[3] / "build" / "release" / "bin" / \
    "catt-rewrite"
THROTTLES = ["reserve-shared", "prefer-l1", "split-warp-groups"]
STAGES = ["stage-rows", "promote-accumulators"]
TILES = [32, 64, 128]

REMARK = re.compile(
    r"^(?:\S*/)?(k\d+)\.cu:(\d+):\d+: remark: (.*) \[([\w-]+)\]$", re.M)
Remark = namedtuple("Remark", "line reason text")


class Tool:
    def __init__(self, path, gpu, arch="sm_90"):
        if not Path(path).is_file():
            raise sweep.Failure(f"there is no {path}: build it, or name another "
                                "with --tool")
        self.path, self.gpu, self.arch = str(path), gpu, arch
        self.digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()
        said = self.call("--help").stdout
        self.known = [t for t in THROTTLES + STAGES
                      if re.search(rf"^\s+{t}\s", said, re.M)]
        self.stages = "--transforms=" + ",".join(
            t for t in STAGES if t in self.known)
        self.has_tile = "--tile-bytes=" in said
        self.has_trials = "--decide=" in said

    def variants(self):
        """{variant: options}"""
        out = {"chosen": ["--transforms=" + ",".join(self.known)],
               "throttled": ["--transforms=" + ",".join(THROTTLES)]}
        if self.has_tile:
            out |= {f"tile-{n}": [f"--tile-bytes={n}", self.stages]
                    for n in TILES}
        if self.has_trials:
            out["tried"] = ["--decide=run"]
        return out

    def points(self, function, report):
        """{variant: options}: a sweep over groups of warps and blocks on an SM,
        for a kernel that has a loop beyond L1."""
        before, loops = report["before"], report["loops"]
        if not before or not any(loop["contended"] for loop in loops):
            return {}
        warps, blocks = before["warpsPerBlock"], before["blocksPerSM"]
        wanted = {"groups-2": (2, 0), "groups-4": (4, 0),
                  "groups-all": (warps, 0), "blocks-half": (1, blocks // 2),
                  "blocks-1": (1, blocks - 1)}
        outer = [loop["id"] for loop in loops if loop["parent"] is None]
        return {name: ["--transforms=" + ",".join(THROTTLES),
                       *(f"--force={function}:{loop}={groups},{removed}"
                         for loop in outer)]
                for name, (groups, removed) in wanted.items()
                if groups <= warps and (groups > 1 or removed > 0)}

    def call(self, *words):
        return subprocess.run([self.path, *map(str, words)],
                              capture_output=True, text=True, timeout=600)

    def on(self, files, *words):
        """Called on files, in the way of all calls. The built-in declarations
        are read in half the time that the toolkit's headers take."""
        return self.call("--no-cuda", "--config=none", f"--gpu={self.gpu}",
                         *words, *files, "--", "-std=c++17", "-O3",
                         f"-arch={self.arch}")

    def rewrite(self, files, words):
        """(remarks, error or None)"""
        try:
            done = self.on(files, "-i", "--keep-going", *words)
        except subprocess.TimeoutExpired:
            return {}, "it took 10 minutes"
        error = None
        if done.returncode not in (0, 1):
            error = f"exit code {done.returncode}: {done.stderr.strip()[-300:]}"
        return remarks_of(done.stderr), error

    def remarks(self, files, words):
        """{kernel: remarks}"""
        return remarks_of(self.on(files, "--diff", *words).stderr)

    def report(self, files, words):
        """{kernel: {"before": residency, "after": that, "loops": [...],
        "predicted": as predicted()}}"""
        done = self.on(files, "--quiet", "--report=json", *words)
        try:
            report = json.loads(done.stdout)
        except ValueError:
            raise sweep.Failure(f"no report, exit code {done.returncode}: "
                                f"{done.stderr.strip()[-300:]}")
        out = {}
        for each in report["files"]:
            kernels = (each["report"] or {"kernels": []})["kernels"]
            out[Path(each["file"]).stem] = {
                "before": kernels[0]["before"] if kernels else None,
                "after": kernels[0]["after"] if kernels else None,
                "loops": [x for kernel in kernels for x in kernel["loops"]],
                "predicted": predicted(kernels[0]) if kernels else None}
        return out


def predicted(kernel):
    """{"gain": times as fast, "least": ..., "most": ...} of a kernel with rows in
    tiles, if all its sizes are known; of one that is throttled, where one loop
    is. None: nothing is predicted."""
    tiles = kernel["predictedByTiles"]
    if tiles:
        return None if tiles["ofLongRows"] else {
            k: tiles[k] for k in ("gain", "least", "most")}
    split = [x["predictedGain"] for x in kernel["loops"]
             if x["split"] and x["predictedGain"]]
    if len(split) != 1:
        return None
    return {"gain": split[0], "least": split[0] / 1.4, "most": split[0] * 1.4}


def remarks_of(said):
    """{kernel: remarks}"""
    out = {}
    for name, line, text, reason in REMARK.findall(said):
        out.setdefault(name, []).append(Remark(int(line), reason, text))
    return out


def add_options(parser):
    parser.add_argument("--tool", default=str(DEFAULT))
    parser.add_argument("--gpu", default="h200", help="what the tool is told")
