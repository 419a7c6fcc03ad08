# ===- nests.py - Rows in loops, rows of other kinds ------------------- ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Nests (k-means, products of small matrices), rows that begin or end where
memory says (compressed sparse rows, embeddings), elements that are no numbers
of 4 or 8 bytes, and for comparison loops that walk no rows."""
from draft import SQUARE
from registry import BY_ONE, NUMBERS, REALS, UP, form
from shapes import wave


# Nests.

@form("k-means", 7, "nest", types=REALS, most=512, outer=40, headers=BY_ONE,
      guards=("if", "return", "none", "grid-stride"))
def k_means(d):
    """A point against each centre; the row is walked again and again."""
    a = d.rows("points")
    c = d.vector("centres", count=d.rounds * d.m)
    label = d.out("label", "int")
    k = "c" if d.j != "c" else "k"
    return ["int nearest = -1;", f"{d.acc} least = {d.lowest[1:]};"
            if not d.generic else f"{d.acc} least = {d.acc}(3.0e38);",
            f"for (int {k} = 0; {k} < {d.size('ncentres', d.rounds)}; "
            f"{k}++) {{", f"{d.acc} dist = 0;",
            *d.loop(lambda j: [
                f"{d.acc} diff = {a(j)} - {c(f'{k} * {d.length} + {j}')};",
                "dist += diff * diff;"]),
            "if (dist < least) {", "least = dist;", f"nearest = {k};", "}",
            "}", f"{label} = nearest;"]


@form("scores", 4, "nest", types=NUMBERS, most=1024, outer=24, headers=BY_ONE)
def scores(d):
    """Each row times each of a few vectors: a narrow matrix product."""
    a, w = d.rows("A"), d.vector("W", count=d.rounds * d.m)
    d.pointer("out", d.host(d.acc), d.shape.rows * d.rounds, "zero", True)
    k, outs = "o", d.size("nout", d.rounds)
    return [f"for (int {k} = 0; {k} < {outs}; ++{k}) {{", f"{d.acc} s = 0;",
            *d.loop(lambda j: [
                f"s += {a(j)} * {w(f'{k} * {d.length} + {j}')};"]),
            f"out[{d.row} * {outs} + {k}] = s;", "}"]


@form("small-matrix", 4, "nest", types=REALS, arrays={2: 1}, least=2, most=24,
      outer=SQUARE, headers=BY_ONE,
      addresses=("index", "pointer", "wide-index"))
def small_matrix(d):
    """A small matrix of each thread times its vector."""
    size, rows = d.length, d.shape.rows
    d.pointer("mats", d.type, rows * d.m * d.m, "values")
    d.pointer("v", d.type, rows * d.m, "values")
    d.pointer("out", d.host(d.acc), rows * d.m, "zero", True)
    row = f"(size_t){d.row}" if d.address == "wide-index" else d.row
    return [f"for (int a = 0; a < {size}; ++a) {{", f"{d.acc} s = 0;",
            *d.loop(lambda j: [f"s += mats[({row} * {size} + a) * {size} + {j}] * "
                               f"v[{row} * {size} + {j}];"]),
            f"out[{d.row} * {size} + a] = s;", "}"]


@form("rank-k", 4, "nest", types=REALS, most=1024, arrays={2: 1},
      headers=BY_ONE, guards=("if", "return", "none"), addresses=("index",))
def rank_k(d):
    """C = A times B transposed, or SYR2K: a lane has a row of B, a block a few
    of A. Blocks of two dimensions."""
    d.wide, d.batched = True, False
    side = int(min(2048, max(64, (4e8 / d.m) ** 0.5)))
    x, y = d.rng.choice([(16, 16), (32, 8), (32, 4), (32, 32), (8, 8)])
    d.shape.block, d.shape.grid = (x, y), (-(-side // x), -(-side // y))
    if d.guard == "none":
        side = side // 32 * 32
        d.shape.grid = (side // x, side // y)
    d.shape.width, d.n, d.shape.rows = side, side * side, side * side
    d.shape.waves = side * side / wave(x * y)
    d.pointer("A", d.type, side * d.m, "values")
    d.pointer("B", d.type, side * d.m, "values")
    before, (s,), after = d.sums(["C"])
    both = d.chance(0.4)
    m = d.length
    second = f" + B[py * {m} + {{0}}] * A[px * {m} + {{0}}]" if both else ""
    return [*before, *d.loop(lambda j: [
        f"{s} += A[py * {m} + {j}] * B[px * {m} + {j}]{second.format(j)};"]),
            *after]


# Rows that begin or end where memory says.

@form("csr", 9, "sparse", types=REALS, arrays={2: 1}, most=512,
      headers=("up", "outside", "while"), addresses=("index",),
      may_be_wide=False)
def csr(d):
    """Compressed sparse rows: of one length, of many, of very unequal ones."""
    n, mean = d.shape.rows, d.m
    kind = d.rng.choice(["even", "jitter", "jitter", "skewed"])
    d.pointer("rp", "int", n + 1, f"starts-{kind}:{mean}")
    d.pointer("val", d.type, n * mean, "values")
    other = d.rng.random()
    if other < 0.6:
        columns = max(64, round(n * d.rng.choice([0.01, 0.1, 1])))
        d.pointer("ci", "int", n * mean, f"index:{columns}")
        d.vector("x", count=columns)
        line = "{s} += val[{j}] * x[ci[{j}]];"
    else:
        line = "{s} += val[{j}];" if other < 0.8 else \
            d.extreme("fmax", "{s}", "val[{j}]")
    before, (s,), after = d.sums(["y"])
    first, limit = f"rp[{d.i}]", f"rp[{d.i} + 1]"
    names = []
    if d.chance(0.5):
        names = [f"const int begin = {first};", f"const int end = {limit};"]
        first, limit = "begin", "end"
    return [*names, *before, *d.loop(
        lambda j: [line.format(s=s, j=j)], first, limit), *after]


@form("ragged", 4, "sparse", headers=("up", "outside", "while"))
def ragged(d):
    """Padded rows of which each thread knows how many elements count."""
    a = d.rows("A")
    d.pointer("lengths", "int", d.shape.rows, f"lengths:{d.m}")
    before, (s,), after = d.sums(["y"])
    limit = f"lengths[{d.own}]"
    if d.chance(0.6):
        before = [f"const int count = {limit};", *before]
        limit = "count"
    return [*before, *d.loop(lambda j: [f"{s} += {a(j)};"], limit=limit),
            *after]


@form("gather", 6, "gathered", addresses=("index", "pointer", "wide-index"))
def gather(d):
    """Rows of a table, by an index that is loaded."""
    entries = max(1, round(d.shape.rows * d.rng.choice([0.02, 0.25, 1])))
    index = d.pointer("idx" if d.i != "idx" else "indices", "int",
                      d.shape.rows, f"index:{entries}")
    row = f"{index}[{d.own}]"
    if d.chance(0.5):
        d.prologue.append(f"const int e = {row};")
        row = "e"
    a = d.rows("table", row=row, count=entries)
    x = d.vector("x") if d.chance(0.7) else None
    before, (s,), after = d.sums(["y"])
    return [*before, *d.loop(lambda j: [
        f"{s} += {a(j)}" + (f" * {x(j)};" if x else ";")]), *after]


@form("triangle", 2, "sparse", types=REALS, most=2048, headers=UP)
def triangle(d):
    """As many elements as the row's number says."""
    a, x = d.rows("L"), d.vector("x")
    before, (s,), after = d.sums(["y"])
    return [*before, *d.loop(
        lambda j: [f"{s} += {a(j)} * {x(j)};"],
        limit=f"{d.i} % {d.length} + 1"), *after]


# Elements of other sizes.

@form("bytes", 3, "other elements", types={"unsigned char": 60, "short": 40},
      least=8)
def bytes_(d):
    a, x = d.rows("pixels"), d.vector("reference", kind=d.type)
    before, (s,), after = d.sums(["diff"])
    return [*before, *d.loop(lambda j: [
        f"{s} += ({a(j)} - {x(j)}) * ({a(j)} - {x(j)});"]), *after]


@form("vectors", 4, "other elements", types={"float2": 50, "float4": 50},
      most=2048)
def vectors(d):
    a = d.rows("A")
    before, (s,), after = d.sums(["y"])
    more = " + {0}.z * {0}.w" if d.type == "float4" else ""
    text = f"{s} += {{0}}.x * {{0}}.y{more};"
    if d.chance(0.5):
        return [*before, *d.loop(lambda j: [
            f"const {d.type} v = {a(j)};", text.format("v")]), *after]
    return [*before, *d.loop(lambda j: [text.format(a(j))]), *after]


@form("structs", 3, "other elements", types={"Body": 1}, most=2048)
def structs(d):
    d.head("struct Body {\n  float x, y, z, mass;\n};")
    a = d.rows("bodies")
    before, (s,), after = d.sums(["energy"])
    return [*before, *d.loop(lambda j: [
        f"{s} += {a(j)}.mass * ({a(j)}.x * {a(j)}.x + {a(j)}.y * {a(j)}.y);"
    ]), *after]


# No row walks.

@form("columns", 5, "control", headers=BY_ONE, addresses=("index",),
      may_be_wide=False)
def columns(d):
    """Neighbouring lanes read neighbouring elements."""
    d.pointer("A", d.type, d.shape.rows * d.m, "values")
    x, n = d.vector("x"), d.count
    before, (s,), after = d.sums(["y"])
    return [*before, *d.loop(lambda j: [
        f"{s} += A[{j} * {n} + {d.i}] * {x(j)};"]), *after]


@form("shared-row", 2, "control", headers=BY_ONE, addresses=("index",),
      guards=("if", "return", "none"), may_be_wide=False)
def shared_row(d):
    """All lanes of a block read one row."""
    blocks = d.shape.grid[0]
    d.pointer("A", d.type, blocks * d.m, "values")
    w = d.integer("scale", 3, False)
    before, (s,), after = d.sums(["y"])
    return [*before, *d.loop(lambda j: [
        f"{s} += A[blockIdx.x * {d.length} + {j}] * {w};"]), *after]


@form("near-rows", 2, "control", types={"float": 1}, most=24,
      addresses=("index",), headers=BY_ONE)
def near_rows(d):
    """Rows that overlap: a moving sum over a signal."""
    d.pointer("A", d.type, d.shape.rows + d.m, "values")
    before, (s,), after = d.sums(["y"])
    return [*before, *d.loop(lambda j: [f"{s} += A[{d.own} + {j}];"]), *after]
