#!/usr/bin/env python3
# ===- fit.py - Fits the time model's constants ---------------------------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Fits the constants of analysis/time/TimeModel to measured sweeps.

  fit.py --predict build/release/bin/catt-predict --list DIR/throttle
         [--sweep docs/results/h200-throttle.json] [--rounds 3] [--start A=1,..]
         [--rows RESULTS.json --seed SEED --tool build/release/bin/catt-rewrite]

Reads the 222 points of test/unit/data/h200-throttle-sweep.csv and the fitted
half of the sweep, and prints constants and error. The half is decided by names
alone: the contended cases in alphabetical order, every second one from the
first on, is fitted; the others are only reported (judge.py --half does the
same). DIR/throttle is the prepared sweep; it lists the sizes of the cases.
RESULTS.json is what `rows/bench --sweep --seed SEED` measured; of its kernels, too,
every second one is fitted.

What is minimised, in the mean over the cases: by how much the points that the
model likes are slower than the best one, and 0.3 times its error in the times
(see regret and error); a weak prior draws the constants to what is known of
them. Points that were cut off after one run do not count. Coordinate search:
each constant in turn is moved by a factor as long as that helps.
"""
import argparse
import csv
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE / "rows"), str(HERE / "registers")]
import points
from tool import Tool

ROOT = HERE.parent.parent
L1_KIB = {"max": 256, "28": 28}
# kernel in h200-throttle-sweep.cu, grid, block
CSV_KERNELS = {
    ("atax", "float"): ("atax<float, 4096>", 1056, (256, 1)),
    ("atax1", "float"): ("atax<float, 8192>", 1056, (256, 1)),
    ("atax", "double"): ("atax<double, 4096>", 1056, (256, 1)),
    ("gesummv", "float"): ("gesummv", 1056, (256, 1)),
    ("syr2k", "float"): ("syr2k", (64, 256), (32, 8)),
    ("kmeans", "float"): ("kmeans", 12800, (256, 1)),
    ("atax2_40k", "float"): ("atax2", 160, (256, 1)),
}
SOURCES = {"gesummv": "Rows", "atax": "Rows", "mvt": "Rows", "bicg": "Rows",
           "mv": "Rows", "syr2k": "Rows", "syrk": "Rows"}
# Where the search starts, and what it is drawn to. Line, Bank and Dram follow
# from the H200 (32 banks of 4 bytes a cycle; 4.8 TB/s in pieces of two
# sectors), Unroll from the PTX; the others are guesses from the same sweep.
CONSTANTS = {"Line": 0.25, "Bank": 0.85, "Hit": 40, "Miss": 800, "Sector": 1.6,
             "Far": 0.3, "Dram": 3, "Unroll": 4, "Near": 0.12, "Slope": 3,
             "UnusedKiB": 8, "L2Share": 0.6, "Flight": 2, "Power": 3}


# Where its rows begin is loaded, so the model knows nothing of its lines. Left
# out after a first fit had shown it as the worst case: docs/model.md.
NOT_MODELLED = {"spmv-csr/k"}


def fitted(case, cases):
    """The rule that decides the half; see above."""
    names = sorted(c["case"] for c in cases if c["group"] == "contended")
    return case["case"] in names[::2]


def shape(value):
    value = list(value) if isinstance(value, (tuple, list)) else [value]
    return value + [1] * (3 - len(value))


def from_csv():
    cases = {}
    path = ROOT / "test/unit/data/h200-throttle-sweep.csv"
    for row in csv.DictReader(path.open()):
        size, kernel = row["size"], (row["kernel"], row["dtype"])
        if kernel not in CSV_KERNELS or row["carveout_percent"] == "-1" or \
                (row["kernel"] == "gesummv" and "8192" in size) or \
                (row["kernel"] == "kmeans" and "6553600" in size):
            continue
        name, grid, block = CSV_KERNELS[kernel]
        for_l1d = "28" if row["carveout_percent"] == "100" else "max"
        groups = int(row["warp_groups"])
        case = cases.setdefault((kernel, for_l1d), {
            "id": f"csv {'-'.join(kernel)}", "l1d": for_l1d, "kernel": name,
            "source": str(ROOT / "test/unit/data/h200-throttle-sweep.cu"),
            "grid": shape(grid), "block": shape(block), "points": [],
            "ms": []})
        case["points"].append([-(-8 // groups),
                               int(row["resident_blocks_per_sm"]),
                               L1_KIB[for_l1d] * 1024])
        case["ms"].append(float(row["median_ms"]))
    return list(cases.values())


def from_sweep(path, program):
    listed = subprocess.run([program, "--list"], capture_output=True, text=True,
                            check=True).stdout
    about = {c["case"]: c for c in map(json.loads, listed.splitlines())}
    sweep = json.loads(Path(path).read_text())["cases"]
    for case in sweep:
        if case["group"] != "contended" or case["case"] not in about or \
                case["case"] in NOT_MODELLED:
            continue
        for l1d in ("max", "28"):
            points = {}
            for p in case["points"]:
                if p["l1d"] == l1d and (p["original"] or not p["cut"]):
                    key = (p["warps"], p["blocks_seen"])
                    if p["original"] or key not in points:
                        points[key] = p["median_ms"]
            yield {
                "id": case["case"], "l1d": l1d, "kernel": case["kernel"],
                "fitted": fitted(case, sweep),
                "source": str(HERE / "kernels" / (SOURCES.get(
                    case["case"].split("/")[0].split("-")[0],
                    "Contended") + ".cu")),
                "grid": case["grid"], "block": case["block"],
                "arguments": about[case["case"]]["arguments"],
                "points": [[w, b, L1_KIB[l1d] * 1024] for w, b in points],
                "ms": list(points.values())}


class Model:
    """catt-predict, asked again and again."""

    def __init__(self, program, cases):
        self.cases = cases
        self.file = tempfile.NamedTemporaryFile("w", suffix=".json")
        json.dump([{k: v for k, v in c.items() if k != "ms"} for c in cases],
                  self.file)
        self.file.flush()
        self.process = subprocess.Popen([program, self.file.name], text=True,
                                        stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)

    def predict(self, constants):
        """Milliseconds of all points, by case."""
        self.process.stdin.write(
            " ".join(f"{k}={v:.6g}" for k, v in constants.items()) + "\n")
        self.process.stdin.flush()
        values = list(map(float, self.process.stdout.readline().split()))
        result = []
        for case in self.cases:
            result.append(values[:len(case["points"])])
            values = values[len(case["points"]):]
        return result

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.file.close()


def residuals(case, predicted):
    return [math.log(p / m) for p, m in zip(predicted, case["ms"])]


def error(case, predicted):
    """Root of the mean square of log(predicted / measured), two thirds of the
    case's own mean taken out. Fast points weigh more: a slow one only has to be
    seen as slow."""
    r = residuals(case, predicted)
    mean = sum(r) / len(r)
    best = min(case["ms"])
    weights = [best / m for m in case["ms"]]
    return math.sqrt(sum(w * (x - 0.67 * mean) ** 2
                         for w, x in zip(weights, r)) / sum(weights))


def regret(case, predicted, sharpness=25):
    """log(time of the points that the model likes / best time); how much it
    likes one falls with a high power of its predicted time."""
    least, best = min(predicted), min(case["ms"])
    likes = [(p / least) ** -sharpness for p in predicted]
    return sum(x * math.log(m / best)
               for x, m in zip(likes, case["ms"])) / sum(likes)


def gain_error(case, predicted):
    """log(predicted / measured gain) of the point that the model likes best
    over the original, which is the first."""
    at = min(range(len(predicted)), key=predicted.__getitem__)
    return math.log(predicted[0] / predicted[at]) - \
        math.log(case["ms"][0] / case["ms"][at])


def prior(constants):
    return sum(math.log(constants[k] / CONSTANTS[k]) ** 2 for k in constants)


def total(model, constants, wanted):
    """What is minimised."""
    losses = [regret(c, p) + 0.3 * error(c, p)
              for c, p in zip(model.cases, model.predict(constants))
              if wanted(c)]
    return sum(losses) / len(losses) + 0.006 * prior(constants)


def mean(values):
    return sum(values) / len(values)


def descend(model, constants, rounds, wanted):
    best = total(model, constants, wanted)
    for step in [1.5, 1.2, 1.08][:rounds]:
        moved = True
        while moved:
            moved = False
            for name in constants:
                for factor in (step, 1 / step):
                    tried = dict(constants, **{name: constants[name] * factor})
                    now = total(model, tried, wanted)
                    if now < best - 1e-4:
                        best, constants, moved = now, tried, True
                        break
    return constants


def is_fitted(case):
    return case.get("fitted", True)


def kind(case):
    return ("drawn, " if case.get("drawn") else "") + \
        ("fitted" if is_fitted(case) else "other")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--predict", required=True)
    parser.add_argument("--list", required=True)
    parser.add_argument("--sweep", default=str(
        ROOT / "docs/results/h200-throttle.json"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--start", default="")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--rows", help="a sweep over drawn kernels")
    parser.add_argument("--seed", type=int, help="that they were drawn from")
    parser.add_argument("--tool", default=str(ROOT / "build/release/bin/"
                                              "catt-rewrite"))
    arguments = parser.parse_args()
    folder = tempfile.TemporaryDirectory()
    cases = from_csv() + list(from_sweep(arguments.sweep, arguments.list))
    if arguments.rows:
        cases += points.cases(arguments.rows, arguments.seed,
                              Tool(arguments.tool, "h200"), folder.name)
    model = Model(arguments.predict, cases)
    constants = dict(CONSTANTS)
    for word in filter(None, arguments.start.split(",")):
        name, value = word.split("=")
        constants[name] = float(value)
    if arguments.rounds:
        constants = descend(model, constants, arguments.rounds, is_fitted)
    predicted = model.predict(constants)
    for case, times in zip(cases, predicted):
        if arguments.verbose:
            at = min(range(len(times)), key=times.__getitem__)
            best = case["ms"].index(min(case["ms"]))
            print(f"{case['id']:26s} {case['l1d']:4s}"
                  f"{kind(case):14s}"
                  f"error {error(case, times):.2f} likes "
                  f"{case['points'][at][:2]}, {case['ms'][at]:.3f} ms; best "
                  f"{case['points'][best][:2]} {case['ms'][best]:.3f}; as it "
                  f"is {case['ms'][0]:.3f}, predicted {times[0]:.3f}")
    for what in ("fitted", "other", "drawn, fitted", "drawn, other"):
        some = [(c, p) for c, p in zip(cases, predicted)
                if kind(c) == what]
        if not some:
            continue
        far = mean([regret(c, p, 1e4) for c, p in some])
        print(f"{what}: {len(some)} cases, {sum(len(p) for _, p in some)} "
              f"points, error of log time {mean([error(*x) for x in some]):.3f}"
              f", liked best / best {math.exp(far):.3f}, error of its gain "
              f"{math.sqrt(mean([gain_error(*x) ** 2 for x in some])):.2f}")
    print(" ".join(f"{k}={v:.4g}" for k, v in constants.items()))
    model.close()


if __name__ == "__main__":
    main()
