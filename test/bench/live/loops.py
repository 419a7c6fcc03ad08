# ===- loops.py - Values that live through a loop over the input ------- ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Blocked products, values that wait for the end of a loop, polynomials whose
coefficients stay, and the best of all that passes by."""
from draft import each
from registry import REALS, family
from straight import mixed


@family("outer", 12, {"float": 85, "double": 15})
def outer(d):
    """A block of a product of matrices: a x b sums of a + b values a round."""
    room = d.room(22)
    a = d.rng.randint(4, max(5, min(12, int(room ** 0.5) + 2)))
    b = max(3, (room - a) // (a + 1))
    shared = d.chance(0.5)  # of one side, all lanes have the same
    d.plan(once=a * b, round=a * b * d.size + 2 * (a + b), reads=0,
           round_reads=a if shared else a + b, writes=a * b if d.chance(0.5)
           else a)
    every = d.work.writes > a
    y = f"in[r * {b} + c]" if shared else d.at(f"r * {a + b} + {a} + c")
    x = d.at(f"r * {a if shared else a + b} + k")
    return [f"{d.type} sum[{a}][{b}];",
            *each("k", a, each("c", b, ["sum[k][c] = 0;"])),
            *d.loop([f"{d.type} x[{a}], y[{b}];",
                     *each("k", a, [f"x[k] = {x};"]),
                     *each("c", b, [f"y[c] = {y};"]),
                     *each("k", a, each("c", b, ["sum[k][c] += x[k] * y[c];"]))
                     ]),
            *each("k", a, each("c", b, [d.store(f"k * {b} + c", "sum[k][c]")])
                  if every else [
                      f"{d.type} row = 0;",
                      *each("c", b, [f"row += sum[k][c] * {d.c(0.1, 0.9)};"]),
                      d.store("k", "row")])]


def small_loop(d, sums, first_row):
    """Few sums of loaded values; nothing else is touched."""
    keep = d.c(0.7, 0.95)
    return d.loop([
        f"const {d.type} x = {d.at(f'{first_row} + r')};",
        *sums.each(lambda k: [
            f"{sums[k]} = {sums[k]} * {keep} + x * "
            f"{sums[f'({k} + 1) % {sums.count}']} * {d.c(0.02, 0.05)};"])])


@family("carried", 10, REALS)
def carried(d):
    """Loaded before a loop, not touched in it, used after it: what TLP-RM
    spills."""
    room = d.room(14, 1.12)
    few = d.rng.randint(4, max(5, min(40, room // 3)))
    held = d.values("held", room - few)
    s = d.values("s", few)
    d.plan(once=held.count * 12 * d.size, round=few * 3 * d.size,
           reads=held.count, round_reads=1, writes=few)
    stages = d.rng.choice([0, 1, 2])
    return [*held.declared(), *held.each(lambda k: [f"{held[k]} = {d.at(k)};"]),
            *mixed(d, held, stages), *s.declared(),
            *s.each(lambda k: [f"{s[k]} = {held[k]} * {d.c(0.2, 0.8)};"]),
            *small_loop(d, s, held.count),
            *held.each(lambda k: [
                f"{s[f'{k} % {few}']} = {s[f'{k} % {few}']} * {d.c(0.5, 0.9)} +"
                f" {held[k]} * {d.c(0.05, 0.2)};"]),
            *s.each(lambda k: [d.store(k, s[k])])]


CHEAP = ["float((threadIdx.x * {a} + {k} * {b}) & 63) * 0.015f",
         "float((blockIdx.x + {k} * {b}) % {a}) * 0.01f",
         "float({i} % ({k} + {a})) * 0.02f",
         "0.5f + float(int({i}) - {k} * {a}) / float(n + {b} * {a})",
         "float((({i} + {k}) ^ {b}) & 31) * 0.03f"]


@family("cheap", 8)
def cheap(d):
    """Weights that threadIdx, blockIdx and n say, known before a loop and used
    behind it (some in it, too), beside values that were loaded."""
    room = d.room(18)
    few = d.rng.randint(4, max(5, min(16, room // 4)))
    share = d.rng.uniform(0.3, 0.8)
    w = d.values("w", max(few, round((room - few) * share)))
    held = d.values("held", max(4, room - few - w.count))
    s = d.values("s", few)
    d.plan(once=w.count * 16 + held.count * 4, round=few * 5,
           reads=held.count, round_reads=1, writes=few)
    form, a = d.rng.choice(CHEAP), d.rng.choice([3, 5, 7, 11, 13, 17])
    b = d.rng.choice([1, 3, 9])
    inside = d.rng.choice([0, 1, 2])  # of the weights, for each sum
    keep, apart = d.c(0.7, 0.9), d.rng.randint(1, 9)
    return [*w.declared(), *w.each(lambda k: [
        f"{w[k]} = {form.format(a=a, b=b, k=k, i=d.i)};"]),
            *held.declared(), *held.each(lambda k: [f"{held[k]} = {d.at(k)};"]),
            *s.declared(), *s.each(lambda k: [f"{s[k]} = {held[f'{k} % 4']};"]),
            *d.loop([
                f"const float x = {d.at(f'{held.count} + r')};",
                *s.each(lambda k: [
                    f"{s[k]} = {s[k]} * {keep} + x * 0.05f;",
                    *(f"{s[k]} += {w[f'{k} * {m + 1} % {w.count}']} * 0.02f;"
                      for m in range(inside))])]),
            *w.each(lambda k: [
                f"{s[f'{k} % {few}']} += {w[k]} * "
                f"{w[f'({k} + {apart}) % {w.count}']} * 0.05f;"]),
            *held.each(lambda k: [
                f"{s[f'{k} % {few}']} += {held[k]} * "
                f"{w[f'{k} % {w.count}']} * 0.1f;"]),
            *s.each(lambda k: [d.store(k, s[k])])]


@family("polynomials", 10, REALS)
def polynomials(d):
    """Horner's scheme for some polynomials, at points that come one by one."""
    room = d.room(16)
    degree = d.rng.randint(3, 12)
    count = max(2, room // (degree + 2))
    d.plan(once=count * degree * 2, round=count * (degree + 2) * d.size,
           reads=count * (degree + 1), round_reads=1, writes=count)
    row = f"p * {degree + 1} + k"
    point = d.at(f"{count * (degree + 1)} + r")
    if d.helps:
        d.helper([f"__device__ static {d.type} horner(const {d.type} (&c)"
                  f"[{degree + 1}], {d.type} x) {{", f"{d.type} y = 0;",
                  *each("k", degree + 1, ["y = y * x + c[k];"]),
                  "return y;", "}", ""])
    value = ["const {0} y = horner(c[p], x);".format(d.type)] if d.helps else [
        f"{d.type} y = 0;", *each("k", degree + 1, ["y = y * x + c[p][k];"])]
    fold = f"s[p] = s[p] * {d.c(0.8, 0.95)} + y;" if d.chance(0.6) else \
        f"s[p] = {d.fn('fmin')}(s[p], y);"
    return [f"{d.type} c[{count}][{degree + 1}], s[{count}];",
            *each("p", count, ["s[p] = 4;", *each(
                "k", degree + 1, [f"c[p][k] = {d.at(row)};"])]),
            *d.loop([f"const {d.type} x = {point} * {d.c(0.3, 0.6)};",
                     *each("p", count, value + [fold])]),
            *each("p", count, [d.store("p", "s[p]")])]


@family("nearest", 7)
def nearest(d):
    """The best of all that pass by, in order, and where each was."""
    labelled = d.chance(0.5)
    best = d.values("best", d.room(16, 3.4 if labelled else 1.3))
    d.plan(once=best.count, round=best.count * (4 if labelled else 2),
           round_reads=1, reads=0, writes=best.count)
    b, labels = best, d.values("label", best.count, "int")
    swap = (lambda k: [
        f"if (x < {b[k]}) {{", f"const float other = {b[k]};",
        f"const int last = {labels[k]};", f"{b[k]} = x;",
        f"{labels[k]} = which;", "x = other;", "which = last;", "}"]
    ) if labelled else (lambda k: [
        f"const float top{k} = fmaxf({b[k]}, x);",
        f"{b[k]} = fminf({b[k]}, x);", f"x = top{k};"])
    return [*b.declared(), *(labels.declared() if labelled else []),
            *b.each(lambda k: [f"{b[k]} = 8.0f + {k};",
                               *([f"{labels[k]} = -1;"] if labelled else [])]),
            *d.loop([f"float x = fabsf({d.at('r')} - {d.c(0.8, 1.1)});",
                     *(["int which = r;"] if labelled else []),
                     *b.each(swap)]),
            *b.each(lambda k: [d.store(k, f"{b[k]} + 0.5f * {labels[k]}"
                                       if labelled else b[k])])]
