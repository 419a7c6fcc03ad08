#!/usr/bin/env python3
# ===- builds_test.py - Variants that are built in one -------------------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""usage: builds_test.py <catt-tune> [unittest arguments]

The last group needs nvcc or catt-run, which stands beside catt-tune."""

import os
import pathlib
import re
import shutil
import struct
import subprocess

from tune_testing import ROWS, TUNE, TWO, TuneTest, main

BUILD = "cp a.cu app; echo build >> builds"
# Of the original, and both of the last comparison.
FEW = 3


class Builds(TuneTest):
    def table(self, out):
        return re.findall(r"^  \S.*\d\.\d{3} .*", out, re.M)

    def search(self, *more, build=BUILD, mode="fine", **keys):
        (self.root / "builds").unlink(missing_ok=True)
        shutil.rmtree(self.root / ".catt-tune", ignore_errors=True)
        return self.tune(mode, *more, build=build, **keys)

    def builds(self):
        return len((self.root / "builds").read_text().splitlines())

    def alone(self, why, *more, **keys):
        """All variants are built by themselves, and say so."""
        out = self.search(*more, **keys)
        self.assertIn(why, self.done.stderr)
        self.assertGreater(self.builds(), FEW + 1)
        return out

    def test_one_build_serves_all(self):
        one = self.search()
        self.assertIn("3 variants of rows are built in one", self.done.stderr)
        self.assertEqual(self.builds(), FEW + 1)
        runs = self.runs()
        self.assert_restored()
        (self.root / "runs").unlink()
        each = self.search("--builds=each")
        self.assertEqual(self.builds(), FEW + 3)
        self.assertEqual(self.runs(), runs)
        self.assertEqual(self.table(one), self.table(each))
        self.assertEqual(one.splitlines()[-40:], each.splitlines()[-40:])

    def test_each_kernel_has_its_build(self):
        self.file.write_text(TWO)
        self.search("-i", variants="default,tiles-32,groups-4*")
        self.assertEqual(self.builds(), FEW + 2)
        self.assertNotIn("variantOf", self.file.read_text())
        self.assertNotIn("_catt1", self.file.read_text())

    def test_what_was_tried_is_known_however_it_was_built(self):
        self.search()
        before = self.builds()
        for way in ("--builds=each", "--builds=one"):
            self.assertIn("from an earlier search",
                          self.tune("fine", way, build=BUILD))
            self.assertEqual(self.builds(), before + FEW)
            before += FEW

    def test_what_is_new_is_built_in_one(self):
        self.search(variants="tiles-32,groups-2*")
        before = self.builds()
        self.tune("fine", build=BUILD,
                  variants="tiles-32,tiles-64,groups-[24]*")
        self.assertIn("2 variants of rows are built", self.done.stderr)
        self.assertEqual(self.builds(), before + FEW + 1)

    def test_one_that_is_left_is_built_alone(self):
        self.search(variants="tiles-32,l1")
        self.assertNotIn("in one", self.done.stderr)
        self.assertEqual(self.builds(), FEW + 1)

    def test_runs_end_by_themselves(self):
        for mode, why in (("crash", "signal 11"), ("exit", "exit code 7"),
                          ("wrong", "not that of the original")):
            out = self.search(mode=mode)
            self.assertRegex(out, rf"tiles-32 .*{why}")
            self.assertRegex(out, r"groups-\d.* best")
            self.assertEqual(self.builds(), FEW + 1)

    def test_replays_are_built_in_one(self):
        self.search("--replay")
        self.assertIn("3 variants of rows are built in one", self.done.stderr)
        self.assertEqual(self.builds(), FEW + 1 + 2)  # the original, replayed

    def test_what_is_built_in_one_is_tried_first(self):
        # Those of the loop in the function are built alone.
        self.file.write_text("""\
static __device__ void add(const float *A, float *y, int i) {
  for (int j = 0; j < 4096; ++j)
    y[i] += A[i * 4096 + j];
}
""" + ROWS.replace("x[j];\n}", "x[j];\n  add(A, y, i);\n}", 1))
        out = self.search(mode="never", variants="groups-*,blocks-*", status=1)
        said = re.search(r"(\d) variants of rows are built in one, others alone"
                         r": of groups-2-of-loop-1, it changes more than",
                         self.done.stderr)
        tried = len(re.findall(r" fine$", out, re.M))
        alone = tried - int(said[1])
        self.assertGreater(alone, 1)
        self.assertEqual(self.builds(), 1 + 1 + alone)
        self.assertIn(f"{tried} of {tried}: ", self.done.stderr)

    def test_a_text_that_is_not_built_is_built_in_parts(self):
        out = self.alone(
            "in one the build ended with exit code 1; now with half as many "
            "variants, 1\n",
            build="echo build >> builds; ! grep -q variantOf a.cu && cp a.cu "
                  "app")
        self.assertEqual(self.builds(), FEW + 1 + 3)
        self.assertRegex(out, r"default +2\.000 +5\.00x +best")

    def test_a_build_that_takes_too_long_is_built_in_parts(self):
        self.alone("in one the build took more than 1 s; now with half",
                   "--limit=1",
                   build="echo build >> builds; cp a.cu app; "
                         "if grep -q variantOf a.cu; then sleep 60; fi")

    def test_beside_one_that_cannot_be_built_others_are_in_one(self):
        out = self.search(
            "--bftt", build=BUILD + "; ! grep -q 'cattLoadRow<' app",
            variants="default,groups-[24]-of-loop-0*,blocks-*")
        self.assertRegex(out, r"default .*build ended with exit code 1")
        self.assertEqual(len(re.findall(" (?:fine|best)$", out, re.M)), 23)
        # 24, 12, 6, 3 in one and the first alone, then 2, 4, 8, and 9.
        self.assertEqual(self.builds(), FEW + 5 + 4)

    def refused(self, text, why):
        self.file.write_text(text)
        self.alone("each variant of rows is built alone: " + why)
        self.assert_restored(text)

    def test_attributes(self):
        self.refused(ROWS + "void more() { (void)cudaFuncSetAttribute(rows, "
                     "cudaFuncAttributeMaxDynamicSharedMemorySize, 1); }\n",
                     f"it is named in {self.file}:9, too")

    def test_pointers(self):
        self.refused(ROWS + "auto *Kernel = rows;\n", "it is named in")

    def test_whole_runs(self):
        class Either(int):
            def __eq__(self, other):
                return other in (0, 1)
            __hash__ = int.__hash__
        self.search("--no-diff", mode="untimed", status=Either())
        self.assertNotIn("in one", self.done.stderr)
        self.assertGreater(self.builds(), 4)

    def test_another_file(self):
        (self.root / "b.cu").write_text(
            "__global__ void rows(const float *, const float *, float *);\n")
        self.alone(f"it is named in {self.root}/b.cu:1, too", "b.cu")


# A program that catt-run runs, too.
PROGRAM = """\
#include <cstdio>
static __global__ void rows(const float *A, float *y);
static void launchrows(const float *A, float *y) {
  rows<<<2, 64>>>(A, y);
}
static __global__ void rows(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 256; ++j)
    y[i] += A[i * 256 + j];
}
int main() {
  float *A, *y;
  cudaMallocManaged(&A, 128 * 256 * sizeof(float));
  cudaMallocManaged(&y, 128 * sizeof(float));
  for (int i = 0; i < 128 * 256; ++i)
    A[i] = i % 11;
  for (int i = 0; i < 128; ++i)
    y[i] = i;
  launchrows(A, y);
  cudaDeviceSynchronize();
  float sum = 0;
  for (int i = 0; i < 128; ++i)
    sum += y[i] * (i % 7);
  std::printf("sum %.0f\\n", sum);
}
"""


def kernels_in(cubin):
    """The machine code of each, by the kernel's mangled name."""
    data = cubin.read_bytes()
    at, = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    all_of = [struct.unpack_from("<IIQQQQIIQQ", data, at + i * size)
              for i in range(count)]
    found = {}
    for name, _, _, _, begin, length, *_ in all_of:
        first = all_of[names][4] + name
        text = data[first:data.index(b"\0", first)].decode()
        if text.startswith(".text."):
            found[text[len(".text."):]] = data[begin:begin + length]
    return found


class Compiled(TuneTest):
    """Texts as they are built, with what compiles them."""

    def command(self, mode, *more, **_):
        times = '{"kernels": {"rows": {"total_ms": 1}}, "untimed": 0}'
        return [TUNE, "--build=cp a.cu built.$(ls | wc -l).cu; sleep .1",
                f"--run=echo '{times}' > $CATT_TIMES", "--gpu=sm_80",
                "--no-cuda", "--config=none", "--runs=1", "--restart", "a.cu",
                "--variants={sums,tiles-*,groups-*,blocks-*}", *more]

    def texts(self, way):
        """What is built behind the original."""
        self.file.write_text(PROGRAM)
        for old in self.root.glob("built*"):
            old.unlink()
        self.tune("", f"--builds={way}", status=1)
        return sorted(self.root.glob("built*"),
                      key=lambda path: int(path.suffixes[0][1:]))[1:]

    def test_copies_are_compiled_as_they_are_alone(self):
        nvcc = shutil.which("nvcc")
        if not nvcc:
            self.skipTest("there is no nvcc")

        def code(text):
            subprocess.run([nvcc, "-O3", "-cubin", "-arch=sm_90", text, "-o",
                            self.root / "cubin"], check=True)
            return kernels_in(self.root / "cubin")
        one, = self.texts("one")
        together = list(code(one).values())
        self.assertGreater(len(together), 4)
        each = self.texts("each")
        self.assertGreater(len(each), 6)
        for text in each:
            alone, = code(text).values()
            self.assertIn(alone, together, text.name)

    def test_choices_give_one_result(self):
        runner = pathlib.Path(TUNE).parent / "catt-run"
        if not runner.exists():
            self.skipTest("there is no catt-run")
        one, = self.texts("one")
        numbers = re.findall(r"^case (\d+): ", one.read_text(), re.M)
        self.assertGreater(len(numbers), 6)
        out = set()
        for number in ["0", *numbers]:
            done = subprocess.run(
                [runner, one], text=True, capture_output=True, check=False,
                env={**os.environ, "CATT_VARIANT": f"rows={number}"})
            self.assertEqual(done.returncode, 0, done.stderr)
            out.add(done.stdout)
        self.assertEqual(len(out), 1, out)
        self.assertIn("sum ", out.pop())

    def test_a_whole_search_on_the_executor(self):
        runner = pathlib.Path(TUNE).parent / "catt-run"
        if not runner.exists():
            self.skipTest("there is no catt-run")
        self.file.write_text(PROGRAM)
        done = subprocess.run(
            [*self.command(""), "--build=cp a.cu app.cu",
             f"--run={runner} app.cu", "--variants={tiles-32,groups-*}"],
            cwd=self.root, text=True, capture_output=True, check=False)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertIn(" variants of rows are built in one", done.stderr)
        self.assertNotIn("refused", done.stdout)
        self.assertEqual(len(re.findall(r"(fine|best)$", done.stdout, re.M)),
                         len(re.findall(r"^  (?:tiles|groups).*", done.stdout,
                                        re.M)), done.stdout)


if __name__ == "__main__":
    main()
