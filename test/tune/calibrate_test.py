#!/usr/bin/env python3
# ===- calibrate_test.py - A card, measured without nvcc and GPU ----------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""usage: calibrate_test.py <catt-tune> [unittest arguments]

The toolkit is a script that writes another one, which writes a stored card."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TUNE = sys.argv[1]
SOURCE = pathlib.Path(__file__).resolve().parents[2]
CARD = (SOURCE / "docs/results/h200-card.json").read_text()

# Copies the sources that it is given, and builds what stands beside it.
NVCC = """\
#!{python} -IS
import os, shutil, sys
here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
open(here + '/called', 'w').write('\\n'.join(sys.argv[1:]))
if os.path.exists(here + '/broken'):
    sys.exit('nvcc fatal: unsupported host compiler')
shutil.copytree(os.path.dirname(sys.argv[-1]), here + '/given')
shutil.copy(here + '/program', sys.argv[sys.argv.index('-o') + 1])
"""
PROGRAM = """\
#!{python} -IS
import os, signal, sys
print('calibrate: the clock', flush=True)
{act}
"""


class Calibrate(unittest.TestCase):
    def setUp(self):
        # pylint: disable=consider-using-with
        self.home = tempfile.TemporaryDirectory()
        self.addCleanup(self.home.cleanup)
        self.root = pathlib.Path(self.home.name)
        self.toolkit = self.root / "toolkit"
        (self.toolkit / "bin").mkdir(parents=True)
        self.work = self.root / "work"
        self.work.mkdir()
        self.script(self.toolkit / "bin/nvcc", NVCC)
        self.script(self.toolkit / "bin/ptxas", "#!/bin/sh\n")
        self.program(f"open(sys.argv[1], 'w').write({CARD!r})")
        self.environment = {"CUDA_PATH": str(self.toolkit),
                            "PATH": str(self.root)}

    @staticmethod
    def script(path, text, **more):
        path.write_text(text.format(python=sys.executable, **more))
        path.chmod(0o755)

    def program(self, act):
        self.script(self.toolkit / "program", PROGRAM, act=act)

    def calibrate(self, *arguments, status=0):
        done = subprocess.run(
            [TUNE, *(arguments or ["--calibrate"])], cwd=self.work, text=True,
            env=self.environment, capture_output=True, check=False, timeout=60)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.said = done.stderr
        return done.stdout

    def refused(self, sentence, *arguments, status=3):
        self.assertEqual(self.calibrate(*arguments, status=status), "")
        self.assertEqual(self.said.splitlines()[-1],
                         "catt-tune: error: " + sentence)

    def card(self, name="card.json"):
        return (self.work / name).read_text()

    def test_the_card_is_measured_and_written(self):
        self.assertEqual(self.calibrate(), "Wrote card.json: NVIDIA H200.\n")
        self.assertEqual(self.card(), CARD)
        self.assertEqual(
            self.said.splitlines(),
            [f"catt-tune: builds the measurement with {self.toolkit}/bin/nvcc",
             "catt-tune: measures the first GPU",
             "calibrate: the clock"])
        # Nothing else is left, and nvcc had what stands in the repository.
        self.assertEqual(os.listdir(self.work), ["card.json"])
        sources = SOURCE / "tool/calibrate"
        self.assertEqual(sorted(os.listdir(self.toolkit / "given")),
                         sorted(os.listdir(sources)))
        for one in sources.iterdir():
            self.assertEqual((self.toolkit / "given" / one.name).read_text(),
                             one.read_text())
        self.assertIn("-arch=native", (self.toolkit / "called").read_text())

    def test_a_name_and_a_state_directory_and_an_older_card(self):
        (self.work / "cards").mkdir()
        (self.work / "cards/a.json").write_text("old")
        (self.work / "kept").mkdir()
        (self.work / "kept/results.json").write_text("{}")
        self.calibrate("--calibrate=cards/a.json", "--state=kept", "--quiet")
        self.assertEqual(self.card("cards/a.json"), CARD)
        self.assertEqual(self.said, "")
        self.assertEqual(os.listdir(self.work / "kept"), ["results.json"])

    def test_an_nvcc_on_the_path_alone(self):
        del self.environment["CUDA_PATH"]
        self.environment["PATH"] = str(self.toolkit / "bin")
        (self.toolkit / "bin/ptxas").unlink()
        self.calibrate()
        self.assertEqual(self.card(), CARD)

    def test_no_nvcc(self):
        (self.toolkit / "bin/nvcc").unlink()
        self.refused("--calibrate: there is no nvcc; set CUDA_PATH to a CUDA "
                     "toolkit, or put its nvcc on PATH")
        self.assertEqual(os.listdir(self.work), [])

    def test_nvcc_fails(self):
        (self.toolkit / "broken").touch()
        self.refused("--calibrate: nvcc could not build "
                     "'.catt-tune/calibrate/Calibrate.cu' (exit code 1); its "
                     "messages say why", "--calibrate", "--quiet")
        self.assertIn("unsupported host compiler", self.said)
        self.assertEqual(os.listdir(self.work), [".catt-tune"])
        # What it was given is there to be looked at.
        self.assertTrue(
            (self.work / ".catt-tune/calibrate/Calibrate.cu").exists())
        (self.toolkit / "broken").unlink()
        self.calibrate()
        self.assertEqual(os.listdir(self.work), ["card.json"])

    def test_the_program_fails(self):
        (self.work / "card.json").write_text("old")
        self.program("sys.stderr.write('calibrate: no GPU\\n'); sys.exit(2)")
        self.refused("--calibrate: the measurement ended with exit code 2",
                     "--calibrate", "--quiet")
        self.assertEqual(self.said.splitlines()[0], "calibrate: no GPU")
        self.assertEqual(self.card(), "old")

    def test_the_program_is_killed(self):
        self.program("os.kill(os.getpid(), signal.SIGKILL)")
        self.calibrate(status=3)
        self.assertIn("--calibrate: the measurement ended with", self.said)
        self.assertFalse((self.work / "card.json").exists())

    def test_what_is_measured_is_no_card(self):
        (self.work / "card.json").write_text("old")
        for text, why in [
                (CARD.replace('"hit"', '"hot"'), "it has no rate 'hit'"),
                (CARD.replace('"spread": 0', '"spread": 99'), "varied by more"),
                ("", "is no JSON")]:
            self.program(f"open(sys.argv[1], 'w').write({text!r})")
            self.calibrate(status=3)
            self.assertIn("--calibrate: what was measured is of no use: "
                          "'.catt-tune/calibrate/card.json' ", self.said)
            self.assertIn(why, self.said)
            (self.toolkit / "given").rename(self.root / f"given{len(text)}")
        self.program("pass")
        self.refused("--calibrate: the measurement left no "
                     "'.catt-tune/calibrate/card.json'")
        self.assertEqual(self.card(), "old")

    def test_the_file_cannot_be_written(self):
        self.refused("--calibrate: there is no folder 'absent' for the card's "
                     "file", "--calibrate=absent/card.json")
        (self.work / "card.json").mkdir()
        self.refused("--calibrate: 'card.json' is a folder")
        self.assertFalse((self.toolkit / "called").exists())

    def test_the_state_directory_cannot_be_made(self):
        (self.work / "file").touch()
        self.calibrate("--calibrate", "--state=file", status=3)
        self.assertIn("--calibrate: the folder 'file/calibrate' cannot be made",
                      self.said)

    def test_usage(self):
        for arguments, sentence in [
                (["--calibrate", "other.json"],
                 "--calibrate takes no files and no flags; another name for "
                 "the card's file is --calibrate=<file>"),
                (["--calibrate", "--", "-DN=1"],
                 "--calibrate takes no files and no flags; another name for "
                 "the card's file is --calibrate=<file>"),
                (["--calibrate", "--run=./app"],
                 "--calibrate measures the GPU and tunes nothing; --run has "
                 "no meaning with it"),
                (["--calibrate", "--gpu=h200"],
                 "--calibrate measures the GPU and tunes nothing; --gpu has "
                 "no meaning with it"),
                (["--calibrate=card"],
                 "--calibrate=card: the name ends in .json, by which --gpu "
                 "knows a measured card"),
                (["--calibrate="],
                 "'--calibrate=' is given without a value")]:
            self.refused(sentence, *arguments, status=2)
        self.assertEqual(os.listdir(self.work), [])


if __name__ == "__main__":
    assert os.path.exists(TUNE)
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
