# ===- straight.py - Much at once, without a loop over it -------------- ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Networks over all values of a thread, dense solves, and a phase of many
values in front of a loop that needs few."""
from draft import each
from registry import REALS, family


def mixed(d, v, stages):
    """Stages after each of which every value hangs on many others; between 0
    and 2 if they were."""
    lines = []
    for _ in range(stages):
        apart = d.rng.randint(v.count // 4, v.count - 1)
        kind = d.among({"turn": 50, "helper": 20, "order": 15, "special": 15})
        other = f"(k + {apart}) % {v.count}"

        def one(k):
            a, b = v[k], v[other.replace("k", k)]
            if kind == "order":
                return [f"{v[k]} = {d.fn('fmax')}({a}, {b}) * {cs[0]} + "
                        f"{cs[2]};"]
            if kind == "helper" and d.helps:
                return [f"{a} = blend({a}, {b});"]
            return [f"{a} = {a} * {cs[0]} + {b} * {cs[1]} + {cs[2]};"]
        cs = d.c(0.4, 0.6), d.c(0.1, 0.3), d.c(0.05, 0.2)
        lines += v.each(one)
        if kind == "helper" and d.helps and not d.heads:
            d.head(f"__device__ static {d.type} blend({d.type} a, {d.type} b) "
                   f"{{ return a * {cs[0]} + b * {cs[1]} + {cs[2]}; }}")
        if kind == "special":
            step = d.rng.choice([4, 8, 16])
            form = d.special("@")
            lines += v.each(lambda k: [f"{v[k]} = {form.replace('@', v[k])};"],
                            step)
    return lines


@family("network", 12, REALS)
def network(d):
    """Loads, a random butterfly, and stores."""
    few, stages = d.chance(0.4), d.rng.randint(3, 7)
    count = d.room(14, 1.2 if few else 1.6)  # addresses to be stored to
    v = d.values("v", count)
    d.plan(once=count * (2.5 + 4 * stages * d.size), reads=count,
           writes=1 if few else count, loops=False)
    return [*v.declared(), *v.each(lambda k: [f"{v[k]} = {d.at(k)};"]),
            *mixed(d, v, stages),
            *(d.total(v) if few else v.each(lambda k: [d.store(k, v[k])]))]


@family("phases", 8, REALS)
def phases(d):
    """A network, and then a long loop of few values over its sums."""
    count, few = d.room(14, 1.2), d.rng.randint(3, 8)
    v, s = d.values("v", count), d.values("s", few)
    d.plan(once=count * 16 * d.size, round=few * 4 * d.size, reads=count,
           round_reads=1, writes=few)
    keep, add = d.c(0.8, 0.95), d.c(0.01, 0.1)
    again = d.at(f"{count} + r")
    return [*v.declared(), *v.each(lambda k: [f"{v[k]} = {d.at(k)};"]),
            *mixed(d, v, 4), *s.declared(),
            *s.each(lambda k: [f"{s[k]} = {v[k]};"]),
            *v.each(lambda k: [f"{s[f'{k} % {few}']} += {v[k]} * {add};"],
                    first=few),
            *d.loop([f"const {d.type} x = {again};",
                     *s.each(lambda k: [f"{s[k]} = {s[k]} * {keep} + x * "
                                        f"{s[f'({k} + 1) % {few}']} * "
                                        f"0.03{'f' * (d.size == 1)} + {add};"])
                     ]),
            *s.each(lambda k: [d.store(k, s[k])])]


# Dense solves. The matrix is made heavy on its diagonal: no pivots.

def factors(d, size, systems):
    """The matrix a and the right side b of each system."""
    t = d.type
    row = f"(m * {size * size + size} + r * {size} + c)"
    last = f"(m * {size * size + size} + {size * size} + r)"
    return [f"{t} a[{systems}][{size}][{size}], b[{systems}][{size}];",
            *each("m", systems, each("r", size, [
                *each("c", size, [f"a[m][r][c] = {d.at(row)};"]),
                f"a[m][r][r] += {size + 2};", f"b[m][r] = {d.at(last)};"]))]


def lu(d, size):
    return [*each("p", size, [
        f"const {d.type} inverse = 1 / a[m][p][p];",
        *each("r", size, [
            f"const {d.type} factor = a[m][r][p] * inverse;",
            *each("c", size, ["a[m][r][c] -= factor * a[m][p][c];"],
                  first="p + 1"),
            "b[m][r] -= factor * b[m][p];"], first="p + 1")]),
            *each("k", size, [
                f"const int r = {size - 1} - k;",
                *each("c", size, ["b[m][r] -= a[m][r][c] * b[m][c];"],
                      first="r + 1"), "b[m][r] /= a[m][r][r];"])]


def cholesky(d, size):
    """Of the lower half."""
    return [*each("p", size, [
        *each("q", "p", ["a[m][p][p] -= a[m][p][q] * a[m][p][q];"]),
        f"a[m][p][p] = {d.fn('sqrt')}(a[m][p][p]);",
        *each("r", size, [
            *each("q", "p", ["a[m][r][p] -= a[m][r][q] * a[m][p][q];"]),
            "a[m][r][p] /= a[m][p][p];"], first="p + 1")]),
            *each("r", size, [
                *each("c", "r", ["b[m][r] -= a[m][r][c] * b[m][c];"]),
                "b[m][r] /= a[m][r][r];"]),
            *each("k", size, [
                f"const int r = {size - 1} - k;",
                *each("c", size, ["b[m][r] -= a[m][c][r] * b[m][c];"],
                      first="r + 1"), "b[m][r] /= a[m][r][r];"])]


def qr(d, size):
    """Gram and Schmidt; what is left in b is the rotated right side."""
    return [*each("p", size, [
        f"{d.type} length = 0, along = 0;",
        *each("r", size, ["length += a[m][r][p] * a[m][r][p];"]),
        f"const {d.type} inverse = 1 / {d.fn('sqrt')}(length);",
        *each("r", size, ["a[m][r][p] *= inverse;",
                          "along += a[m][r][p] * b[m][r];"]),
        *each("c", size, [
            f"{d.type} dot = 0;",
            *each("r", size, ["dot += a[m][r][p] * a[m][r][c];"]),
            *each("r", size, ["a[m][r][c] -= dot * a[m][r][p];"])],
              first="p + 1"),
        *each("r", size, [f"b[m][r] -= along * a[m][r][p] * {d.c(0.3, 0.9)};"])
    ])]


@family("solves", 10, {"float": 55, "double": 45})
def solves(d):
    """One or a few systems of a thread, side by side."""
    room = d.room(24, 1 if d.size == 2 else 1 + d.live / 800)
    fitting = [(size, systems, how) for size in range(4, 10)
               for systems in (1, 2, 3, 4) for how in (lu, cholesky, qr)
               if 0.85 * room < systems * live_of(size, how) < 1.1 * room]
    if not fitting:
        d.size, d.type = 1, "float"
        room = d.room(24, 1 + d.live / 800)
        fitting = min(((size, systems, lu) for size in range(4, 10)
                       for systems in (1, 2, 3, 4)), key=lambda one: abs(
                           room - one[1] * live_of(one[0], lu))),
    size, systems, how = d.rng.choice(fitting)
    d.plan(once=systems * d.size * (size ** 3 + 4 * size * size),
           reads=systems * size * (size + 1), writes=systems * size,
           loops=False)
    return [*factors(d, size, systems), *each("m", systems, how(d, size)),
            *each("m", systems, each("r", size, [
                d.store(f"(m * {size} + r)", "b[m][r]")]))]


def live_of(size, how):
    half = size * (size + 1) // 2 if how is cholesky else size * size
    return half + size
