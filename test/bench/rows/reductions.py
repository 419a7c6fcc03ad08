# ===- reductions.py - A row gives one number -------------------------- ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Dot products, statistics, distances, searches; as loops of the kernel, of a
function, and beside barriers."""
from registry import BY_ONE, REALS, UP, form


@form("dot", 12, "reduction", arrays={1: 58, 2: 28, 3: 8, 4: 6})
def dot(d):
    rows = [d.rows(name) for name in "ABCD"[:d.arrays]]
    x = d.vector("x")
    before, sums, after = d.sums(["y", "z", "p", "q"][:d.arrays])
    return [*before, *d.loop(lambda j: [
        f"{s} += {a(j)} * {x(j)};" for s, a in zip(sums, rows)]), *after]


@form("row-product", 6, "reduction", arrays={2: 70, 3: 22, 4: 8})
def row_product(d):
    """Two rows of the same thread with each other."""
    rows = [d.rows(name) for name in "ABCD"[:d.arrays]]
    before, sums, after = d.sums(["y"])
    return [*before, *d.loop(lambda j: [
        f"{sums[0]} += " + " * ".join(a(j) for a in rows) + ";"]), *after]


@form("statistic", 9, "reduction")
def statistic(d):
    a, kind = d.rows("data"), d.rng.randrange(5)
    before, (s,), after = d.sums(["out"], d.lowest if kind == 0 else "0")
    line = {0: d.extreme("fmax", s, "{0}"),
            1: f"{s} += {{0}};", 2: f"{s} += {{0}} * {{0}};",
            3: f"{s} += {d.function('fabs')}({{0}});",
            4: f"{s} += {{0}} > {d.number(0.25)} ? 1 : 0;"}[kind]
    return [*before, *d.loop(lambda j: [line.format(a(j))]), *after]


@form("extremes", 3, "reduction")
def extremes(d):
    a = d.rows("data")
    before, (low, high), after = d.sums(["lowest", "highest"], a("0"))
    return [*before, *d.loop(lambda j: [
        d.extreme("fmin", low, a(j)), d.extreme("fmax", high, a(j))]), *after]


@form("arg-max", 3, "reduction", headers=BY_ONE)
def arg_max(d):
    a = d.rows("scores")
    best, at = "best", d.out("label", "int")
    return [f"{d.acc} {best} = {d.lowest};", "int where = 0;",
            *d.loop(lambda j: [f"if ({a(j)} > {best}) {{",
                               f"{best} = {a(j)};", f"where = {j};", "}"]),
            f"{at} = where;"]


@form("distance", 6, "reduction")
def distance(d):
    a, q = d.rows("points"), d.vector("query")
    before, (s,), after = d.sums(["dist"])
    return [*before, *d.loop(lambda j: [
        f"const {d.acc} diff = {a(j)} - {q(j)};", f"{s} += diff * diff;"]),
            *after]


@form("similarity", 4, "reduction", types=REALS, arrays={2: 1})
def similarity(d):
    a, b, out = d.rows("A"), d.rows("B"), d.out("cosine")
    return [f"{d.acc} ab = 0, aa = 0, bb = 0;", *d.loop(lambda j: [
        f"{d.acc} p = {a(j)}, q = {b(j)};", "ab += p * q;", "aa += p * p;",
        "bb += q * q;"]),
            f"{out} = ab / ({d.function('sqrt')}(aa * bb) + "
            f"{d.number(0.125)});"]


@form("conditional", 3, "reduction", arrays={1: 1, 2: 1}, headers=BY_ONE)
def conditional(d):
    """Reads under a condition that all threads share, or each has its own."""
    a = d.rows("A")
    before, (s,), after = d.sums(["y"])
    if d.arrays == 1:
        d.pointer("mask", "int", d.m, "mask")
        return [*before, *d.loop(lambda j: [
            f"if (mask[{j}])", f"{s} += {a(j)};"]), *after]
    b = d.rows("B")
    return [*before, *d.loop(lambda j: [
        f"if ({a(j)} > {d.number(0.5)})", f"{s} += {b(j)};"]), *after]


@form("search", 2, "reduction", headers=UP)
def search(d):
    """Left early: `break` at the first large element."""
    a, out = d.rows("A"), d.out("first", "int")
    limit = d.rng.choice([2.0, 2.45, 4.0])  # of the values 2.5 is the largest
    return ["int found = -1;", *d.loop(lambda j: [
        f"if ({a(j)} > {d.number(limit)}) {{", f"found = {j};", "break;", "}"]),
            f"{out} = found;"]


@form("skip", 2, "reduction", headers=("up", "outside"))
def skip(d):
    a = d.rows("A")
    before, (s,), after = d.sums(["y"])
    return [*before, *d.loop(lambda j: [
        f"if ({a(j)} == 0)", "continue;",
        f"{s} += {d.number(1.5)} / {a(j)};" if d.acc != "int"
        else f"{s} += {a(j)} * 3;"]), *after]


@form("helper", 6, "function", headers=BY_ONE, addresses=("pointer",),
      may_be_generic=False)
def helper(d):
    """The loop stands in a device function."""
    d.const = True
    d.pointer("A", d.type, d.shape.rows * d.ld, "values")
    d.vector("x")
    count = "len" if d.length != "len" else "count"
    d.head("\n".join([
        f"__device__ {d.acc} {d.name}_dot(const {d.type} *a, "
        f"const {d.vector_type()} *b, int {count}) {{",
        f"  {d.acc} s = 0;", f"  for (int {d.j} = 0; {d.j} < {count}; "
        f"{d.plus.format(d.j)})", f"    s += a[{d.j}] * b[{d.j}];",
        "  return s;", "}", ""]))
    return [f"{d.out('y')} = {d.name}_dot(A + {d.row} * {d.pitch()}, x, "
            f"{d.length});"]


@form("moving-pointer", 2, "reduction", headers=UP, addresses=("index",))
def moving_pointer(d):
    d.rows("A")
    before, (s,), after = d.sums(["y"])
    const = "const " if d.const else ""
    return [f"{const}{d.text_type} *p = A + {d.row} * {d.length};", *before,
            *d.loop(lambda j: [f"{s} += *p++;"]), *after]


@form("block-sum", 3, "reduction", guards=("none",), may_be_wide=False)
def block_sum(d):
    """The rows of a block give one number: a barrier behind the loop."""
    a, threads = d.rows("A"), d.shape.block[0]
    d.in_memory = False
    d.pointer("total", d.host(d.acc), d.shape.grid[0], "zero", True)
    return [f"{d.acc} s = 0;", *d.loop(lambda j: [f"s += {a(j)};"]),
            f"__shared__ {d.acc} part[{threads}];", "part[threadIdx.x] = s;",
            "__syncthreads();", "if (threadIdx.x == 0) {",
            f"for (int t = 1; t < {threads}; ++t)", "s += part[t];",
            "total[blockIdx.x] = s;", "}"]


@form("shared-vector", 3, "reduction", most=1024, guards=("none",),
      may_be_wide=False)
def shared_vector(d):
    """What all threads read is in shared memory."""
    a, x = d.rows("A"), d.vector("x")
    before, (s,), after = d.sums(["y"])
    kind = d.text_type if d.vector_type() == d.type else d.vector_type()
    if d.known in ("parameter", "literal"):
        # One name and type for the whole program, so that it is made of bytes.
        d.dynamic_bytes = d.m * (8 if d.vector_type() == "double" else 4)
        own = ["extern __shared__ double cache[];", f"{kind} *own = "
               f"reinterpret_cast<{kind} *>(cache);"]
    else:
        own = [f"__shared__ {kind} own[{d.length}];"]
    return [*own, f"for (int t = threadIdx.x; t < {d.length}; "
            "t += blockDim.x)", f"own[t] = {x('t')};", "__syncthreads();",
            *before, *d.loop(lambda j: [f"{s} += {a(j)} * own[{j}];"]), *after]
