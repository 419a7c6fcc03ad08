# ===- tune_testing.py - Searches without compiler and GPU ----------------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""A search in a directory of its own, for tests that begin with
<catt-tune> [unittest arguments].

The build copies the source to `app`; the run is a script that reads it, and
writes times and outputs by what the text holds."""

import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

TUNE = sys.argv[1]

KERNEL = """\
__global__ void {name}(const float *A, const float *x, float *y) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 4096; ++j)
    y[i] += A[i * 4096 + j] * x[j];
}}
void launch{name}(const float *A, const float *x, float *y) {{
  {name}<<<320, 256>>>(A, x, y);
}}
"""
ROWS = KERNEL.format(name="rows")
TWO = ROWS + KERNEL.format(name="more")
MACRO = ROWS.replace("  rows<<<320, 256>>>(A, x, y);",
                     "#define GO rows<<<320, 256>>>(A, x, y)\n  GO;")

# `text` is what was built; `ms` the time of each kernel; `mode` what happens
# where rows are loaded in tiles.
RUN = """\
import json, os, re, signal, sys, time
def chosen(text):
    # Of a text with several variants, the one that is to be run.
    kernel, _, number = os.environ.get('CATT_VARIANT', '').rpartition('=')
    def case(m):
        cases = dict(re.findall(r'case (\\d+): \\{\\n(.*?)\\n\\} break;\\n', m[0], re.S))
        return cases.get(number, m[2]) if m[1] == kernel else m[2]
    text = re.sub(r'switch \\(catt::variantOf\\("(\\w+)"\\)\\) \\{\\n.*?'
                  r'default: \\{\\n(.*?)\\n\\}\\n\\}', case, text, flags=re.S)
    for name in set(re.findall(r'void (\\w+)_catt1\\(', text)):
        launched = re.search(r'\\b(%s(_catt\\d+)?)<<<' % name, text)[1]
        before, *each = re.split(r'void (?=%s(?:_catt\\d+)?\\()' % name, text)
        each[-1], launch, behind = each[-1].partition('void launch')
        used, = (e for e in each if e.startswith(launched + '('))
        text = (before + 'void ' + used + launch + behind).replace(launched, name)
    return text
text = chosen(open('app').read())
only = 'CATT_REPLAY_ONLY' in os.environ
runs = open('runs', 'a'); runs.write('replay\\n' if only else 'run\\n'); runs.close()
tiles = 'cattLoadRow<' in text
mode = sys.argv[1]
if tiles and mode == 'crash': os.kill(os.getpid(), signal.SIGSEGV)
if tiles and mode == 'exit': sys.exit(7)
if tiles and mode == 'hang': time.sleep(60)
if mode == 'slow': time.sleep(60)
print('sum', 41 if tiles and mode in ('wrong', 'later') else 42, time.time_ns(),
      'ns')
ms = {}
for name in set(re.findall(r'catt::(?:Timed cattTimed|Replay cattReplay)\\("(\\w+)"', text)):
    body = text[text.index('void %s(' % name):text.index('void launch%s(' % name)]
    ms[name] = (2.0 if 'cattLoadRow<32' in body else 3.0 if 'cattLoadRow<' in body
                else 8.0 if 'cattGroup' in body else 10.0)
    if mode == 'never': ms[name] = 10.0
    if mode == 'blocks': # three are best
        held = re.search(r'catt: reserve-shared\\((\\d+)\\)', text)
        ms[name] = 5.0 + abs(int(held[1]) - 1664) / 1e4 if held else 10.0
replayed = dict(re.findall(r'(\\w+)=(\\d+)', os.environ.get('CATT_REPLAY', '')))
if replayed and mode != 'nothing':
    left = (time.time_ns() if mode == 'varies' else
            1 if tiles and mode == 'wrong' else 0)
    why = ('so it is' if mode == 'refused' or tiles and mode == 'tiles-refused'
           else '')
    json.dump({'launches': [
        {'kernel': k, 'ms': [] if why else [v] * 7, 'bytes': 0,
         'left': '%016x' % left, 'why': why}
        for k, v in ms.items() if k in replayed
        for _ in range(int(replayed[k]))]}, open(os.environ['CATT_REPLAYS'], 'w'))
if only:
    sys.exit(3 if mode == 'ends' else 0)
times = {k: v for k, v in ms.items() if k not in replayed}
launches = 7 if mode == 'many' else 1
if 'CATT_TIMES' in os.environ and ms and mode != 'untimed':
    json.dump({'kernels': {k: {'launches': launches, 'total_ms': v * launches,
                               'median_ms': v} for k, v in times.items()},
               'untimed': 0}, open(os.environ['CATT_TIMES'], 'w'))
"""


class TuneTest(unittest.TestCase):
    def setUp(self):
        # pylint: disable=consider-using-with
        self.home = tempfile.TemporaryDirectory()
        self.addCleanup(self.home.cleanup)
        self.root = pathlib.Path(self.home.name)
        self.file = self.root / "a.cu"
        self.file.write_text(ROWS)
        (self.root / "run.py").write_text(RUN)

    def command(self, mode, *more, build="cp a.cu app", runs=1,
                variants="default,l1,tiles-32,groups-4*", config="none"):
        return [TUNE, f"--build={build}",
                f"--run={sys.executable} -IS run.py {mode}", "--gpu=sm_80",
                "--no-cuda", *([f"--config={config}"] if config else []),
                f"--runs={runs}", "a.cu",
                *([f"--variants={{{variants}}}"] if variants else []), *more]

    def tune(self, mode="fine", *more, status=0, **keys):
        self.done = subprocess.run(
            self.command(mode, *more, **keys), cwd=self.root, text=True,
            capture_output=True, check=False, timeout=300)
        self.assertEqual(self.done.returncode, status,
                         self.done.stdout + self.done.stderr)
        return self.done.stdout

    def runs(self):
        return len((self.root / "runs").read_text().splitlines())

    def until(self, condition):
        for _ in range(6000):
            if condition():
                return
            time.sleep(0.01)
        self.fail("it did not happen in a minute")

    def assert_restored(self, text=ROWS):
        self.assertEqual(self.file.read_text(), text)
        self.assertFalse((self.root / ".catt-tune/kept.json").exists())


def main():
    assert os.path.exists(TUNE)
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
