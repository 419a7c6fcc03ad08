# ===- written.py - Rows are written ----------------------------------- ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Softmax and normalisations, which walk a row several times; maps, filters,
prefix sums; rows written in place."""
from registry import BY_ONE, REALS, UP, form


@form("softmax", 7, "several passes", types=REALS, least=2, passes=3, writes=1)
def softmax(d):
    a, y = d.rows("in"), d.rows("out", written=True)
    keeps, e = d.chance(0.5), d.function("exp")
    largest = d.loop(lambda j: [d.extreme("fmax", "largest", a(j))])
    if keeps:
        total = d.loop(lambda j: [
            f"const {d.acc} e = {e}({a(j)} - largest);", f"{y(j)} = e;",
            "total += e;"])
        last = d.loop(lambda j: [f"{y(j)} /= total;"])
    else:
        total = d.loop(lambda j: [f"total += {e}({a(j)} - largest);"])
        last = d.loop(lambda j: [f"{y(j)} = {e}({a(j)} - largest) / total;"])
    return [f"{d.acc} largest = {d.lowest};", *largest,
            f"{d.acc} total = 0;", *total, *last]


@form("log-softmax", 2, "several passes", types=REALS, least=2, passes=2)
def cross_entropy(d):
    a = d.rows("logits")
    d.pointer("target", "int", d.shape.rows, f"index:{d.m}")
    out, e = d.out("loss"), d.function("exp")
    return [f"{d.acc} top = {a('0')};",
            *d.loop(lambda j: [d.extreme("fmax", "top", a(j))]),
            f"{d.acc} sum = 0;",
            *d.loop(lambda j: [f"sum += {e}({a(j)} - top);"]),
            f"{out} = {d.function('log')}(sum) + top - "
            f"{a(f'target[{d.own}]')};"]


@form("layer-norm", 6, "several passes", types=REALS, passes=3, writes=1)
def layer_norm(d):
    a, y = d.rows("x"), d.rows("y", written=True)
    g, b = d.vector("gamma"), d.vector("beta")
    mean = d.loop(lambda j: [f"mean += {a(j)};"])
    spread = d.loop(lambda j: [f"var += ({a(j)} - mean) * ({a(j)} - mean);"])
    last = d.loop(lambda j: [
        f"{y(j)} = ({a(j)} - mean) * scale * {g(j)} + {b(j)};"])
    return [f"{d.acc} mean = 0;", *mean, f"mean /= {d.length};",
            f"{d.acc} var = 0;", *spread,
            f"{d.acc} scale = 1 / {d.function('sqrt')}(var / {d.length} + "
            f"{d.number(0.0001)});", *last]


@form("rms-norm", 3, "several passes", types=REALS, passes=2, writes=1)
def rms_norm(d):
    a, y, g = d.rows("x"), d.rows("y", written=True), d.vector("weight")
    return [f"{d.acc} ss = 0;",
            *d.loop(lambda j: [f"ss += {a(j)} * {a(j)};"]),
            f"ss = {d.function('rsqrt')}(ss / {d.length} + "
            f"{d.number(0.0001)});",
            *d.loop(lambda j: [f"{y(j)} = {g(j)} * ({a(j)} * ss);"])]


@form("map", 6, "row written", arrays={1: 60, 2: 30, 3: 10}, writes=1)
def map_rows(d):
    rows = [d.rows(name) for name in "ABC"[:d.arrays]]
    y, x = d.rows("y", written=True), d.vector("x")
    return d.loop(lambda j: [
        f"{y(j)} = " + " + ".join(a(j) for a in rows) + f" * {x(j)};"])


@form("in-place", 5, "row written in place", passes=2)
def in_place(d):
    y, x = d.rows("y", written=True), d.vector("x")
    kind = d.rng.randrange(3)
    if kind == 0:
        return d.loop(lambda j: [f"{y(j)} *= {d.number(0.5)};"])
    if kind == 1 or d.acc == "int":
        return d.loop(lambda j: [
            f"{y(j)} = {y(j)} * {d.number(0.25)} + {x(j)};"])
    return [f"{d.acc} s = 0;", *d.loop(lambda j: [f"s += {y(j)} * {y(j)};"]),
            f"s = 1 / ({d.function('sqrt')}(s) + {d.number(0.125)});",
            *d.loop(lambda j: [f"{y(j)} *= s;"])]


@form("prefix-sum", 3, "row written", writes=1,
      headers=("up", "outside", "up-to-last", "while"))
def prefix_sum(d):
    a, y = d.rows("in"), d.rows("out", written=True)
    return [f"{d.acc} run = 0;", *d.loop(lambda j: [
        f"run += {a(j)};", f"{y(j)} = run;"])]


@form("recurrence", 3, "row written", types=REALS, writes=1, headers=BY_ONE)
def recurrence(d):
    a, y = d.rows("signal"), d.rows("filtered", written=True)
    return [f"{d.acc} state = 0;", *d.loop(lambda j: [
        f"state = {d.number(0.75)} * state + {d.number(0.25)} * {a(j)};",
        f"{y(j)} = state;"])]


@form("window", 3, "row written", types=REALS, least=4, writes=1, passes=2,
      headers=UP)
def window(d):
    """Neighbours in the row: three elements of it each time."""
    a, y = d.rows("in"), d.rows("out", written=True)
    return d.loop(lambda j: [
        f"{y(j)} = {d.number(0.25)} * {a(j + ' - 1')} + "
        f"{d.number(0.5)} * {a(j)} + {d.number(0.25)} * {a(j + ' + 1')};"],
        first="1", limit=f"{d.length} - 1")


@form("transpose", 2, "row written", writes=1, headers=BY_ONE)
def transpose(d):
    a = d.rows("in")
    d.pointer("out", d.type, d.shape.rows * d.m, "zero", written=True)
    total = d.size("total", d.shape.rows)
    return d.loop(lambda j: [f"out[{j} * {total} + {d.own}] = {a(j)};"])
