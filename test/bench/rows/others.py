# ===- others.py - Kernels beside the row walks ------------------------ ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""What else programs do: columns, stencils, matrix products, convolutions,
sparse formats by columns, neighbour lists, tables, histograms, shared memory.
With the row walks they are the corpus (generate.py --kinds all)."""
from registry import BY_ONE, REALS, UP, form
from shapes import wave

FLAT = ("index",)
PLAIN = ("if", "return", "none")


def plane(d, loads, least=64, most=4096):
    """A thread for each element of a square, in blocks of two dimensions."""
    d.wide, d.batched = True, False
    side = int(min(most, max(least, (4e8 / loads) ** 0.5)))
    x, y = d.rng.choice([(16, 16), (32, 8), (32, 4), (32, 32), (64, 4)])
    if d.guard == "none":
        side = -(-side // 64) * 64
    d.shape.block, d.shape.grid = (x, y), (-(-side // x), -(-side // y))
    d.shape.width, d.n, d.shape.rows = side, side * side, side * side
    d.shape.waves = side * side / wave(x * y)
    return side


def listed(d, by_rows):
    """Element -> its index in a list of d.length for each thread, which lies by
    rows or by columns."""
    count = d.count  # named whether it is used or not, as in all of these
    if by_rows:
        length = d.length
        return lambda j: f"{d.i} * {length} + {j}"
    return lambda j: f"{j} * {count} + {d.i}"


@form("matrix-product", 5, "matrix", types=REALS, least=16, most=1024,
      headers=BY_ONE, guards=PLAIN, addresses=FLAT)
def matrix_product(d):
    """A lane has a column of B; a row of A is all lanes'."""
    side = plane(d, d.m, most=2048)
    width = d.integer("w", side, d.count_literal())
    d.pointer("A", d.type, side * d.m, "values")
    d.pointer("B", d.type, side * d.m, "values")
    before, (s,), after = d.sums(["C"])
    return [*before, *d.loop(lambda j: [
        f"{s} += A[py * {d.length} + {j}] * B[{j} * {width} + px];"]), *after]


@form("tiled-product", 3, "matrix", types=REALS, least=32, most=1024,
      headers=UP, guards=("none",), addresses=FLAT)
def tiled_product(d):
    """The same through shared memory, 16 by 16."""
    d.m = max(32, d.m // 16 * 16)
    d.unroll = None
    side = plane(d, d.m, most=2048)
    d.shape.block, d.shape.grid = (16, 16), (side // 16, side // 16)
    width = d.integer("w", side, d.count_literal())
    d.pointer("A", d.type, side * d.m, "values")
    d.pointer("B", d.type, side * d.m, "values")
    d.pointer("C", d.type, side * side, "zero", True)
    kind = d.text_type
    return [f"__shared__ {kind} As[16][16];", f"__shared__ {kind} Bs[16][16];",
            f"{d.acc} s = 0;",
            f"for (int t = 0; t < {d.length}; t += 16) {{",
            f"As[threadIdx.y][threadIdx.x] = A[py * {d.length} + t + threadIdx.x];",
            f"Bs[threadIdx.y][threadIdx.x] = B[(t + threadIdx.y) * {width} + px];",
            "__syncthreads();", "for (int k = 0; k < 16; ++k)",
            "s += As[threadIdx.y][k] * Bs[k][threadIdx.x];",
            "__syncthreads();", "}", f"C[py * {width} + px] = s;"]


@form("stencil", 6, "stencil", types=REALS, most=1, headers=UP, guards=PLAIN,
      addresses=FLAT)
def stencil(d):
    """Five or nine points of a plane; some rounds of it for each thread."""
    side = plane(d, 40)
    width = d.integer("w", side, d.count_literal())
    d.pointer("in", d.type, (side + 2) * (side + 2), "values")
    out = d.out("out")
    far = d.rng.random() < 0.4
    points = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (2, 0), (2, 1),
              (2, 2)] if far else [(0, 1), (1, 0), (1, 1), (1, 2), (2, 1)]
    text = " + ".join(f"in[(py + {y}) * ({width} + 2) + px + {x}]"
                      for y, x in points)
    return [f"{out} = {d.number(0.125)} * ({text});"]


@form("planes", 5, "stencil", types=REALS, least=8, most=128, headers=UP,
      guards=PLAIN, addresses=FLAT)
def planes(d):
    """Seven points of a volume: a thread walks through the planes."""
    side = plane(d, 8 * d.m, most=512)
    width = d.integer("w", side, d.count_literal())
    rows = (side + 2) * (side + 2)
    d.pointer("in", d.type, rows * (d.m + 2), "values")
    d.pointer("out", d.type, side * side * d.m, "zero", True)
    own = f"(py + 1) * ({width} + 2) + px + 1"
    step = f"({width} + 2) * ({width} + 2)"
    d.prologue += [f"const int step = {step};", f"const int own = {own};"]
    return d.loop(lambda j: [
        f"out[{j} * {width} * {width} + py * {width} + px] = "
        f"{d.number(0.5)} * in[({j} + 1) * step + own] - "
        f"in[{j} * step + own] + in[({j} + 2) * step + own] + "
        f"in[({j} + 1) * step + own - 1] + in[({j} + 1) * step + own + 1];"])


@form("convolution", 4, "stencil", types=REALS, least=3, most=64,
      headers=BY_ONE, guards=PLAIN, addresses=FLAT, may_be_wide=False)
def convolution(d):
    d.pointer("signal", d.type, d.shape.rows + d.m, "values")
    w = d.vector("taps")
    before, (s,), after = d.sums(["y"])
    return [*before, *d.loop(
        lambda j: [f"{s} += signal[{d.own} + {j}] * {w(j)};"]), *after]


@form("column-sums", 8, "columns", arrays={1: 50, 2: 30, 3: 20},
      headers=BY_ONE, addresses=FLAT, may_be_wide=False)
def column_sums(d):
    """Neighbouring lanes read neighbouring elements, of one to three arrays."""
    n, names = d.count, "ABC"[:d.arrays]
    for name in names:
        d.pointer(name, d.type, d.shape.rows * d.m, "values")
    before, (s,), after = d.sums(["y"])
    text = " * ".join(f"{name}[{{0}} * {n} + {d.i}]" for name in names)
    return [*before, *d.loop(lambda j: [f"{s} += {text.format(j)};"]), *after]


@form("column-update", 4, "columns", types=REALS, writes=1, headers=BY_ONE,
      addresses=FLAT, may_be_wide=False)
def column_update(d):
    n = d.count
    d.pointer("A", d.type, d.shape.rows * d.m, "values")
    d.pointer("out", d.host(d.acc), d.shape.rows * d.m, "zero", True)
    return d.loop(lambda j: [f"out[{j} * {n} + {d.i}] = A[{j} * {n} + {d.i}] * "
                             f"{d.number(1.5)} + {d.number(0.5)};"])


@form("to-columns", 3, "columns", types=REALS, writes=1, headers=BY_ONE,
      most=2048, guards=PLAIN, addresses=("index", "pointer"), may_be_wide=False)
def to_columns(d):
    """Rows are read, columns written."""
    a, n = d.rows("A"), d.count
    d.pointer("out", d.host(d.acc), d.shape.rows * d.m, "zero", True)
    return d.loop(lambda j: [f"out[{j} * {n} + {d.i}] = {a(j)};"])


@form("ell", 4, "sparse", types=REALS, arrays={2: 1}, most=128,
      headers=BY_ONE, addresses=FLAT, may_be_wide=False)
def ell(d):
    """Sparse rows, stored by columns."""
    n = d.count
    columns = max(64, round(d.shape.rows * d.rng.choice([0.01, 0.1, 1])))
    d.pointer("val", d.type, d.shape.rows * d.m, "values")
    d.pointer("ci", "int", d.shape.rows * d.m, f"index:{columns}")
    d.vector("x", count=columns)
    before, (s,), after = d.sums(["y"])
    return [*before, *d.loop(lambda j: [
        f"{s} += val[{j} * {n} + {d.i}] * x[ci[{j} * {n} + {d.i}]];"]), *after]


@form("neighbours", 5, "gathered", types={"float": 1}, least=4, most=256,
      headers=BY_ONE, addresses=FLAT, may_be_wide=False)
def neighbours(d):
    """A list of others for each particle, by rows or by columns."""
    rows = d.shape.rows
    d.count  # is drawn before the list's order, as in the seeds measured
    at = listed(d, by_rows=d.chance(0.4))
    d.pointer("list", "int", rows * d.m, f"index:{rows}")
    d.pointer("at", "float4", rows, "values")
    before, (s,), after = d.sums(["force"])
    return [f"const float4 own = at[{d.i}];", *before, *d.loop(lambda j: [
        f"const float4 other = at[list[{at(j)}]];",
        "const float dx = other.x - own.x;",
        "const float dy = other.y - own.y;",
        f"{s} += other.w * (dx * dx + dy * dy);"]), *after]


@form("table", 3, "gathered", types={"float": 1}, least=2, most=512,
      headers=BY_ONE, addresses=FLAT, may_be_wide=False)
def table(d):
    """Keys of a row, looked up in a table."""
    entries = d.rng.choice([64, 1024, 65536])
    d.pointer("keys", "int", d.shape.rows * d.m, f"index:{entries}")
    d.vector("table", count=entries)
    before, (s,), after = d.sums(["y"])
    return [*before, *d.loop(lambda j: [
        f"{s} += table[keys[{d.i} * {d.length} + {j}]];"]), *after]


@form("histogram", 3, "scatter", types={"int": 1}, least=2, most=512,
      headers=BY_ONE, addresses=FLAT, may_be_wide=False)
def histogram(d):
    bins = d.rng.choice([64, 256, 4096])
    at = listed(d, by_rows=d.chance(0.5))
    d.pointer("keys", "int", d.shape.rows * d.m, f"index:{bins}")
    d.pointer("bins", "int", bins, "zero", True)
    return d.loop(lambda j: [f"atomicAdd(&bins[keys[{at(j)}]], 1);"])


@form("polynomial", 5, "arithmetic", types=REALS, least=4, most=64,
      headers=UP, addresses=FLAT, may_be_wide=False)
def polynomial(d):
    """Arithmetic of one element for each thread."""
    d.pointer("x", d.type, d.shape.rows, "values")
    c = d.vector("coefficients")
    y = d.out("y")
    return [f"const {d.text_type} at = x[{d.own}];", f"{d.acc} s = 0;",
            *d.loop(lambda j: [f"s = s * at + {c(j)};"]), f"{y} = s;"]


@form("block-tree", 4, "shared", types=REALS, most=1, headers=UP,
      guards=("none",), addresses=FLAT, may_be_wide=False)
def block_tree(d):
    """A sum of each block, as a tree in shared memory."""
    threads = d.shape.block[0]
    d.pointer("x", d.type, d.shape.rows, "values")
    d.pointer("sums", d.host(d.acc), d.shape.grid[0], "zero", True)
    return [f"__shared__ {d.acc} part[{threads}];",
            f"part[threadIdx.x] = x[{d.i}];", "__syncthreads();",
            "for (int s = blockDim.x / 2; s > 0; s /= 2) {",
            "if (threadIdx.x < s)", "part[threadIdx.x] += part[threadIdx.x + s];",
            "__syncthreads();", "}", "if (threadIdx.x == 0)",
            "sums[blockIdx.x] = part[0];"]
