# ===- steps.py - State that a loop carries from step to step ---------- ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Chains of loads, stencils with a queue of planes, explicit steps of
differential equations, bodies that attract each other."""
from draft import each
from registry import REALS, family


@family("gathers", 9)
def gathers(d):
    """Chains side by side: where a load looks, an earlier load says."""
    room = d.room(16)
    count = max(4, round(room / 3.2))
    place, sum_, last = (d.values("place", count, "unsigned"),
                         d.values("sum", count), d.values("last", count))
    bits = d.rng.randint(14, 25)
    d.plan(once=count * 4, round=count * 9, reads=0, round_reads=0,
           writes=count)
    keep, weight = d.c(0.6, 0.9), d.c(0.05, 0.3)
    factor = d.rng.choice([5, 13, 1021])
    return [*place.declared(), *sum_.declared(), *last.declared(),
            *place.each(lambda k: [
                f"{place[k]} = ({d.i} * {factor}u + {k} * 40503u) & "
                f"{(1 << bits) - 1}u;", f"{sum_[k]} = 0;", f"{last[k]} = 1;"]),
            *d.loop(place.each(lambda k: [
                f"{sum_[k]} = {sum_[k]} * {keep} + {last[k]} * {weight};",
                f"{last[k]} = in[{place[k]}];",
                f"{place[k]} = ({place[k]} * {factor}u + unsigned({last[k]} * "
                f"1048576.0f)) & {(1 << bits) - 1}u;"])),
            *sum_.each(lambda k: [d.store(k, f"{sum_[k]} + {last[k]}")])]


@family("planes", 10)
def planes(d):
    """A stencil over a volume, plane by plane: the planes around the present
    one are a queue in registers."""
    room = d.room(28)
    radius = d.rng.choice([1, 2, 3, 4, 4])
    deep = 2 * radius + 1
    width = max(2, round(room / (deep + 1)))  # points of a thread in a plane
    each_plane = d.chance(0.6)
    d.plan(once=deep * width * 2, round=width * (3 * radius + 8),
           reads=deep * width, round_reads=width,
           writes=0 if each_plane else width,
           round_writes=width if each_plane else 0)
    beside = d.chance(0.5)  # neighbours in x, out of memory
    c = [d.c(0.02, 0.1) for _ in range(radius)]
    first = d.at(f"q * {width} + p")
    new = d.at(f"(r + {deep - 1}) * {width} + p")
    at = f"((r + {radius}) * {width} + p) * n"
    value = [f"float value = q[{radius}][p] * {d.c(0.2, 0.4)};",
             *(f"value += (q[{radius - k - 1}][p] + q[{radius + k + 1}][p]) * "
               f"{c[k]};" for k in range(radius)),
             f"value += (q[{radius}][p ? p - 1 : 0] + q[{radius}][p < "
             f"{width - 1} ? p + 1 : p]) * {d.c(0.02, 0.1)};"]
    if beside:
        value.append(f"value += (in[{at} + left] + in[{at} + right]) * "
                     f"{d.c(0.02, 0.1)};")
    value.append(d.store(f"r * {width} + p", "value") if each_plane else
                 f"sum[p] = sum[p] * {d.c(0.3, 0.8)} + value;")
    return [f"const int left = {d.i} > 0 ? {d.i} - 1 : 0, right = int({d.i}) < "
            f"n - 1 ? {d.i} + 1 : n - 1;" if beside else "",
            f"float q[{deep}][{width}]"
            f"{'' if each_plane else f', sum[{width}]'};",
            *each("p", width, [] if each_plane else ["sum[p] = 0;"]),
            *each("k", deep - 1, each("p", width, [
                f"q[k][p] = {first.replace('q *', 'k *')};"])),
            *d.loop([*each("p", width, [f"q[{deep - 1}][p] = {new};"]),
                     *each("p", width, value),
                     *each("k", deep - 1, each("p", width, [
                         "q[k][p] = q[k + 1][p];"]))]),
            *([] if each_plane else each("p", width, [d.store("p", "sum[p]")]))]


def rates(d, count):
    """Each is made from two others and decays faster than it is made."""
    step = [d.rng.randint(1, count - 1) for _ in range(2)]
    form = d.rng.choice(["{a} * {c0} + {b} * {c1} - {y} * {c2}",
                         "{a} * {b} / (1 + {b}) * {c0} - {y} * {c2}",
                         "{a} / (1 + {b}) * {c0} - {y} * {c2}"])
    return form.format(
        a=f"y[(k + {step[0]}) % {count}]", b=f"y[(k + {step[1]}) % {count}]",
        y="y[k]", c0=d.c(0.1, 0.4), c1=d.c(0.1, 0.4), c2=d.c(0.9, 1.2))


@family("species", 12, {"float": 75, "double": 25})
def species(d):
    """Explicit steps in time of what reacts with each other."""
    room = d.room(18)
    method = d.rng.choice(["euler", "midpoint", "rk4"])
    count = max(4, round(room / {"euler": 2, "midpoint": 3, "rk4": 4}[method]))
    d.known = "literal" if d.known == "loaded" else d.known
    stages = {"euler": 1, "midpoint": 2, "rk4": 4}[method]
    d.plan(once=count * 3, round=count * stages * 9 * d.size, reads=count,
           writes=count)
    t, one = d.type, "f" * (d.size == 1)
    made = d.c(0.01, 0.05)
    d.helper([f"__device__ static void rates(const {t} (&y)[{count}], {t} "
              f"(&k1)[{count}]) {{", *each("k", count, [
                  f"k1[k] = {rates(d, count)} + {made};"]), "}", ""])
    loop = {"euler": ["rates(y, f);", *each("k", count, [
        f"y[k] += f[k] * 0.02{one};"])],
            "midpoint": ["rates(y, f);", *each("k", count, [
                f"z[k] = y[k] + f[k] * 0.01{one};"]), "rates(z, f);",
                         *each("k", count, [f"y[k] += f[k] * 0.02{one};"])],
            "rk4": ["rates(y, f);",
                    *each("k", count, ["sum[k] = f[k];",
                                       f"z[k] = y[k] + f[k] * 0.01{one};"]),
                    "rates(z, f);",
                    *each("k", count, ["sum[k] += 2 * f[k];",
                                       f"z[k] = y[k] + f[k] * 0.01{one};"]),
                    "rates(z, f);",
                    *each("k", count, ["sum[k] += 2 * f[k];",
                                       f"z[k] = y[k] + f[k] * 0.02{one};"]),
                    "rates(z, f);",
                    *each("k", count, [
                        f"y[k] += (sum[k] + f[k]) * 0.003333{one};"])]}[method]
    names = {"euler": ["f"], "midpoint": ["f", "z"],
             "rk4": ["f", "z", "sum"]}[method]
    return [f"{t} y[{count}], " + ", ".join(f"{n}[{count}]" for n in names)
            + ";", *each("k", count, [f"y[k] = {d.at('k')};"]),
            *d.loop(loop), *each("k", count, [d.store("k", "y[k]")])]


@family("bodies", 8, REALS)
def bodies(d):
    """A few bodies of a thread, and the forces that all others have on them."""
    room = d.room(18)
    heavy = d.chance(0.5)
    count = max(2, round(room / (7 if heavy else 6)))
    d.plan(once=count * 20, round=count * 16 * d.size + 8, reads=7 * count,
           writes=3 * count)
    t = d.type
    d.helper(["struct Body {", f"{t} x, y, z{', m' if heavy else ''};", "};",
              "struct Force {", f"{t} x, y, z;", "};", ""])
    root = "rsqrt(far)" if d.size == 2 else d.rng.choice(
        ["rsqrtf(far)", "1.0f / sqrtf(far)"])
    fields = ["x", "y", "z", *(["m"] if heavy else [])]
    return [f"Body body[{count}];", f"Force force[{count}];",
            *each("k", count, [
                *(f"body[k].{f} = {d.at(f'k * 7 + {o}')};"
                  for o, f in enumerate(fields)),
                "force[k].x = force[k].y = force[k].z = 0;"]),
            *d.loop([f"const {t} x = in[r * 4], y = in[r * 4 + 1], "
                     "z = in[r * 4 + 2], m = in[r * 4 + 3];",
                     *each("k", count, [
                         f"const {t} a = x - body[k].x, b = y - body[k].y;",
                         f"const {t} c = z - body[k].z;",
                         f"const {t} far = a * a + b * b + c * c + "
                         f"{d.c(0.05, 0.5)};", f"const {t} over = {root};",
                         f"const {t} pull = m * over * over * over"
                         + (" * body[k].m;" if heavy else ";"),
                         "force[k].x += a * pull;", "force[k].y += b * pull;",
                         "force[k].z += c * pull;"])]),
            *each("k", count, [d.store(f"k * 3 + {o}", f"force[k].{f}")
                               for o, f in enumerate("xyz")])]
