# ===- draft.py - A kernel while it is written ------------------------- ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""What all families share: how a programmer writes it down.

  Draft.plan()     draws the launch; to be called before text is made
  Draft.values()   values of a thread: an array, or scalars with names
  Draft.at()       an element of the input: a row of n floats, this thread's
  Draft.store()    the same of the output
  Draft.loop()     the loop over the rounds
  Draft.text()     the file

How rows are addressed, loops counted and the end of the grid guarded is drawn
once for each kernel.
"""
from dataclasses import replace

import launch
from launch import MOST_ROUNDS, most_threads, pick
from text import indented


def each(name, count, lines, step=1, first=0):
    """A loop that disappears: what it indexes can be registers."""
    by = f"++{name}" if step == 1 else f"{name} += {step}"
    return ["#pragma unroll",
            f"for (int {name} = {first}; {name} < {count}; {by}) {{", *lines,
            "}"]


class Values:
    """Values of a thread; element k is [k]. As scalars they have no loops:
    each() writes a statement for each of them."""

    def __init__(self, name, type, count, are_scalars):
        self.name, self.type, self.count = name, type, count
        self.are_scalars = are_scalars

    def declared(self):
        if not self.are_scalars:
            return [f"{self.type} {self.name}[{self.count}];"]
        names = [f"{self.name}{k}" for k in range(self.count)]
        return [f"{self.type} " + ", ".join(names[k:k + 8]) + ";"
                for k in range(0, self.count, 8)]

    def __getitem__(self, index):
        """index: C of "k" or of numbers; of numbers only, for scalars."""
        if self.are_scalars:
            return f"{self.name}{eval(str(index).replace('/', '//'))}"
        return f"{self.name}[{index}]"

    def each(self, lines, step=1, first=0, count=None):
        """lines: index -> statements."""
        count = self.count if count is None else count
        if not self.are_scalars:
            return each("k", count, lines("k"), step, first)
        return [line for k in range(first, count, step)
                for line in lines(str(k))]


class Draft:
    def __init__(self, rng, number, family):
        self.rng, self.family = rng, family
        self.name = f"k{number:04}"
        self.live = rng.randint(family.least, family.most)
        self.type = pick(rng, family.types)
        self.size = 2 if self.type == "double" else 1  # in registers
        self.heads, self.launch = [], None
        self.index = pick(rng, {"int": 75, "unsigned": 25})
        self.i = pick(rng, {"i": 5, "t": 1, "id": 2, "thread": 1})
        self.guarded = rng.random() < 0.75
        self.walks = rng.random() < 0.3  # pointers to this thread's column
        self.restrict = "__restrict__ " if rng.random() < 0.35 else ""
        self.helps = rng.random() < 0.4  # has device functions
        self.are_scalars = rng.random() < 0.3 and self.live < 150
        self.known = pick(rng, {"literal": 35, "constexpr": 40, "loaded": 25})
        self.unroll = pick(rng, {"": 60, "#pragma unroll 1": 25,
                                 "#pragma unroll 2": 15})
        self.headed = set()

    def room(self, reserved, each=1.0):
        """Values of the kernel's type beside so many other registers, where
        nvcc takes `each` times as many as there are values."""
        return max(8, round((self.live - reserved) / self.size / each))

    def chance(self, probability):
        return self.rng.random() < probability

    def among(self, weights):
        return pick(self.rng, weights)

    # The launch.

    def plan(self, **work):
        """Draws it; for rounds that n says, they are what n makes them."""
        self.work = launch.Work(**work)
        self.launch = launch.plan(self.rng, self.work, min(255, self.live),
                                  not self.guarded)
        self.divisor = max(1, self.n // self.launch.rounds)
        rounds = self.n // self.divisor
        if self.known == "loaded" and rounds <= MOST_ROUNDS and \
                self.n <= most_threads(self.work, rounds):
            self.launch = replace(self.launch, rounds=rounds)
        elif self.known == "loaded":
            self.known = "literal"

    @property
    def n(self):
        return self.launch.n

    @property
    def rounds(self):
        """The text of how many there are."""
        if self.known == "constexpr":
            self.head(f"constexpr int Rounds = {self.launch.rounds};")
            return "Rounds"
        if self.known == "loaded":
            return f"n / {self.divisor}"
        return str(self.launch.rounds)

    def loop(self, body, unroll=None):
        unroll = self.unroll if unroll is None else unroll
        return [*([unroll] if unroll else []),
                f"for (int r = 0; r < {self.rounds}; ++r) {{", *body, "}"]

    # Text.

    def head(self, line):
        """What stands above the kernel, once."""
        if line not in self.headed:
            self.headed.add(line)
            self.heads.append(line)

    def helper(self, lines):
        self.heads += ["", *lines]

    def values(self, name, count, type=None):
        return Values(name, type or self.type, count, self.are_scalars)

    def at(self, row):
        """The input as rows of n floats."""
        row = row if str(row).isalnum() else f"({row})"
        return f"column[{row} * n]" if self.walks else \
            f"in[{row} * n + {self.i}]"

    def store(self, row, value):
        row = row if str(row).isalnum() else f"({row})"
        cast = "float(" if self.type == "double" else ""
        return f"out[{row} * n + {self.i}] = {cast}{value}" + \
            (");" if cast else ";")

    def total(self, v, row="0"):
        """One float of all values."""
        return [f"{self.type} total = 0;",
                *v.each(lambda k: [f"total += {v[k]};"]),
                self.store(row, "total")]

    def c(self, low, high):
        """A constant of the kernel's type."""
        value = f"{self.rng.uniform(low, high):.4f}"
        return value if self.type == "double" else value + "f"

    def fn(self, name):
        return name if self.type == "double" else name + "f"

    def special(self, x):
        """Between 0 and 2 for x between 0 and 2, by the special functions."""
        if self.type == "double":
            return self.rng.choice([f"1.0 / (1.0 + {x})",
                                    f"sqrt({x} + 0.25)"])
        return self.rng.choice([
            f"__expf(-{x})", f"rsqrtf({x} + 0.5f)", f"1.0f / (1.0f + {x})",
            f"__fdividef({x}, 1.0f + {x})", f"sqrtf({x})",
            f"1.0f + 0.5f * __sinf({x})"])

    def text(self):
        body = self.family.write(self)
        opening = [f"const {self.index} {self.i} = blockIdx.x * blockDim.x + "
                   "threadIdx.x;"]
        if self.guarded:
            opening += [f"if ({self.i} >= n)", "return;"]
        if self.walks:
            opening.append(f"const float *column = in + {self.i};")
        lines = [f'extern "C" __global__ void {self.name}(const float '
                 f"*{self.restrict}in,", f"    float *{self.restrict}out, "
                 "int n) {", *indented(opening + body), "}", ""]
        above, inside = [], 0
        for line in self.heads:  # each function or struct by its braces
            line = line.strip()
            inside -= line.startswith("}")
            above.append(line if line.startswith("#")
                         else "  " * inside + line)
            inside += line.count("{") - line.count("}") + line.startswith("}")
        return "\n".join([*above, *([""] if above else []), *lines])
