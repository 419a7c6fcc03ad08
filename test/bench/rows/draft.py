# ===- draft.py - A kernel while it is written ------------------------ ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""What all forms of row walks share: how a programmer writes it down.

  Draft.rows("A")      declares an array of rows; called with "j", gives the text
                       of element j of this thread's row
  Draft.vector("x")    an array that all threads read alike
  Draft.out("y")       one element for each thread
  Draft.loop(body)     the loop over the row
  Draft.text()         the file

How rows are addressed, loops counted, sizes named and ends of the grid guarded
is drawn once for each kernel.
"""
from dataclasses import dataclass

from shapes import Row, draw, length, log_uniform, pick
from text import indented, wrapped

SIZES = {"float": 4, "double": 8, "int": 4, "short": 2, "unsigned char": 1,
         "float2": 8, "float4": 16}  # structs: 16
HEADERS = {"up": 78, "outside": 5, "up-to-last": 5, "unrolled": 4,
           "strided": 2, "down": 3, "while": 3}
ADDRESSES = {"index": 55, "pointer": 22, "wide-index": 9, "base": 8,
             "padded": 6}
KNOWN = {"parameter": 40, "literal": 16, "macro": 18, "constexpr": 11,
         "template": 15}
SQUARE = -1  # Form.outer: as many rounds as elements, over other elements
GUARDS = {"if": 46, "return": 26, "none": 12, "grid-stride": 12, "masked": 4}


@dataclass
class Buffer:
    """An array that the kernel is given."""
    name: str
    type: str
    count: int
    fill: str  # see Runner.cu
    written: bool = False


@dataclass
class Form:
    """A kind of kernel."""
    name: str
    weight: int
    write: object  # Draft -> lines
    group: str
    types: dict
    arrays: dict   # of rows that are read
    least: int     # elements of a row
    most: int
    writes: int    # arrays of rows that are written
    passes: int    # over each row
    outer: int     # most rounds of a loop outside; 0: there is none
    headers: tuple  # those that it can be written with
    guards: tuple
    addresses: tuple
    may_be_wide: bool     # blocks of two dimensions, or a batch
    may_be_generic: bool  # template <typename T>


class Draft:
    def __init__(self, rng, number, form):
        self.rng, self.form = rng, form
        self.name = f"{form.name.replace('-', '_')}_{number}"
        self.type = pick(rng, form.types)
        self.pointers, self.integers = [], []
        self.heads, self.prologue, self.templates = [], [], []
        self.arrays = pick(rng, form.arrays)
        self.style()
        self.sizes()

    # How it is written.

    def style(self):
        rng, form = self.rng, self.form
        self.header = self.among(HEADERS, form.headers)
        self.address = self.among(ADDRESSES, form.addresses)
        self.guard = self.among(GUARDS, form.guards)
        self.known = pick(rng, KNOWN)
        self.restrict = pick(rng, {"none": 55, "all": 30, "read": 15})
        self.const = rng.random() < 0.85
        self.index_type = pick(rng, {"int": 76, "unsigned": 8, "size_t": 8,
                                     "long long": 4, "unsigned int": 4})
        signed = self.header == "down" or self.index_type in ("int",
                                                              "long long")
        self.column_type = "int" if signed or rng.random() < 0.3 \
            else self.index_type
        self.i = pick(rng, {"i": 5, "row": 2, "tid": 2, "idx": 1, "r": 1})
        self.j = pick(rng, {"j": 6, "k": 2, "c": 1, "d": 1, "col": 1})
        self.step = rng.choice([2, 4]) if self.header in (
            "unrolled", "strided") else 1
        self.plus = rng.choice(["++{}", "{}++"])
        self.unroll = rng.choice(["#pragma unroll", "#pragma unroll 4",
                                  "#pragma unroll 8"]) \
            if rng.random() < 0.07 else None
        self.braces, self.one_line = rng.random() < 0.5, rng.random() < 0.08
        self.commented = rng.random() < 0.08
        self.dynamic_bytes = 0  # of shared memory, at the launch
        self.in_memory = rng.random() < 0.22
        self.wide = form.may_be_wide and self.guard in (
            "if", "return", "none") and rng.random() < 0.12
        self.batched = form.may_be_wide and not self.wide and \
            self.guard in ("if", "return") and rng.random() < 0.08
        self.types(rng.random() < 0.1 and form.may_be_generic and
                   self.type in ("float", "double"))

    def types(self, generic):
        """Of elements and of sums, as the kernel has them."""
        self.generic, self.text_type = generic, self.type
        if generic:
            self.text_type = self.rng.choice(["T", "scalar_t"])
            self.templates.append((f"typename {self.text_type}", self.type))
        self.acc = {"short": "int", "unsigned char": "int", "float2": "float",
                    "float4": "float", "Body": "float"}.get(self.type,
                                                            self.text_type)
        if self.type == "float" and not generic and self.chance(0.06):
            self.acc = "double"

    def among(self, weights, allowed):
        return pick(self.rng, {k: w for k, w in weights.items()
                               if not allowed or k in allowed})

    def sizes(self):
        form, size = self.form, self.element_bytes()
        self.m = length(self.rng, form.least, form.most, self.step)
        self.ld = self.m + self.rng.choice([1, 4, 8, 32]) \
            if self.address == "padded" else self.m
        self.rounds, matrix = 1, 0
        if form.outer == SQUARE:
            self.rounds, matrix = self.m, self.m * self.m
        elif form.outer:
            self.rounds = round(log_uniform(self.rng, 2, form.outer))
        arrays = self.arrays + form.writes
        steps = self.m * form.passes * self.rounds
        row = Row((self.ld * arrays + matrix) * size + 8 * self.rounds,
                  max(self.ld, matrix), steps * arrays, steps * arrays * size,
                  steps)
        self.shape = draw(self.rng, row, self.m, self.wide,
                          self.guard == "none", self.guard == "grid-stride")
        self.n = self.shape.rows
        self.batches = 1
        if self.batched:
            self.batches = min(self.rng.choice([2, 4, 8, 16]),
                               self.shape.grid[0])
            x = self.shape.grid[0] // self.batches
            self.shape.grid = (x, self.batches)
            self.n = x * self.shape.block[0] - self.rng.randrange(
                self.shape.block[0])
            self.shape.rows = self.n * self.batches

    def element_bytes(self):
        return SIZES.get(self.type, 16)

    def chance(self, probability):
        return self.rng.random() < probability

    # Sizes.

    def size(self, name, value):
        """The text of a size, declared as this program declares sizes."""
        upper = name.upper()
        if self.known == "macro":
            self.head(f"#define {upper} {value}")
            return upper
        if self.known == "constexpr":
            self.head(f"constexpr int {upper} = {value};")
            return upper
        if self.known == "template":
            if (f"int {upper}", value) not in self.templates:
                self.templates.append((f"int {upper}", value))
            return upper
        return self.integer(name, value, self.known == "literal")

    def integer(self, name, value, literal):
        """A parameter of the kernel; the host has a literal for it or not."""
        if (name, value, literal) not in self.integers:
            self.integers.append((name, value, literal))
        return name

    def head(self, line):
        if line not in self.heads:
            self.heads.append(line)

    @property
    def length(self):
        if not hasattr(self, "length_name"):
            self.length_name = pick(self.rng, {
                "m": 5, "cols": 2, "dim": 2, "len": 1, "width": 1,
                "num_features": 1})
        return self.size(self.length_name, self.m)

    @property
    def count(self):
        """The number of rows (of a batch)."""
        if not hasattr(self, "count_name"):
            self.count_name = pick(self.rng, {"n": 5, "rows": 2,
                                              "num_rows": 1})
            self.count_is_literal = self.chance(0.4)
        if self.known == "macro":
            return self.size(self.count_name, self.n)
        return self.integer(self.count_name, self.n, self.count_is_literal)

    # Arrays.

    def pointer(self, name, kind, count, fill, written=False):
        if all(b.name != name for b in self.pointers):
            self.pointers.append(Buffer(name, kind, max(1, count), fill,
                                        written))
        return name

    @property
    def row(self):
        """This thread's row, as a factor."""
        if self.batched:
            return f"(b * {self.count} + {self.i})"
        return self.i

    @property
    def own(self):
        """The index of this thread's element."""
        return self.row[1:-1] if self.batched else self.row

    def rows(self, name, written=False, kind=None, row=None, count=None,
             fill="values"):
        """Element -> text. A row of each thread, or those that `row` says."""
        kind, row = kind or self.type, row or self.row
        shown = self.text_type if kind == self.type else kind
        pitch = self.pitch()
        self.pointer(name, kind, (count or self.shape.rows) * self.ld, fill,
                     written)
        product = f"{row} * {pitch}"
        if self.address == "pointer":
            const = "const " if self.const and not written else ""
            local = name.lower() + self.rng.choice(["r", "_row", "i"])
            start = self.rng.choice([f"{name} + (size_t){product}",
                                     f"{name} + {product}",
                                     f"&{name}[{product}]"])
            self.prologue.append(f"{const}{shown} *{local} = {start};")
            return lambda j: f"{local}[{j}]"
        if self.address == "base" and row == self.row:
            line = f"const {self.index_type} base = {product};"
            if line not in self.prologue:
                self.prologue.append(line)
            return lambda j: f"{name}[base + {j}]"
        if self.address == "wide-index":
            product = "(size_t)" + product
        return lambda j: f"{name}[{product} + {j}]"

    def pitch(self):
        """From one row to the next, in elements."""
        if self.address != "padded":
            return self.length
        if not hasattr(self, "pitch_name"):
            self.pitch_name = self.rng.choice(["ld", "stride", "pitch"])
        return self.size(self.pitch_name, self.ld)

    def vector(self, name, kind=None, count=None):
        """Element -> text of an array that all threads read alike."""
        self.pointer(name, kind or self.vector_type(), count or self.m,
                     "values")
        return lambda j: f"{name}[{j}]"

    def vector_type(self):
        return self.type if self.acc == "double" else self.host(self.acc)

    def out(self, name, kind=None, fill="values", count=None):
        """The text of this thread's element."""
        self.pointer(name, kind or self.host(self.acc),
                     count or self.shape.rows, fill, written=True)
        return f"{name}[{self.own}]"

    def host(self, kind):
        return self.type if kind == self.text_type else kind

    # Arithmetic.

    def number(self, value):
        """A constant of the accumulator's type."""
        if self.acc == "int":
            return str(int(value * 4))
        return f"{value}f" if self.acc == "float" and self.chance(0.9) \
            else f"{self.acc}({value})" if self.generic else f"{value}"

    def function(self, name):
        if self.acc == "int":
            return {"fabs": "abs", "fmax": "max", "fmin": "min"}[name]
        if name == "exp" and self.acc == "float" and self.chance(0.3):
            return "__expf"
        return name + "f" if self.acc == "float" else name

    def extreme(self, name, sum, element):
        """\"top = fmaxf(top, A[j]);\": of two operands of one type."""
        if self.acc != "int" and self.acc != self.text_type:
            element = f"({self.acc}){element}"
        return f"{sum} = {self.function(name)}({sum}, {element});"

    @property
    def lowest(self):
        return {"float": "-3.0e38f", "int": "-2147483647"}.get(self.acc,
                                                              "-1e300")\
            if not self.generic else f"{self.acc}(-3.0e38)"

    def sums(self, names, starts="0"):
        """(lines before the loop, targets, lines behind it): accumulators in
        local variables, or in memory."""
        if self.in_memory:
            targets = [self.out(n) for n in names]
            clear = self.chance(0.6)
            return [f"{t} = {starts};" for t in targets] if clear else [], \
                targets, []
        local = self.rng.choice([["s", "t", "u", "v"],
                                 ["sum", "sum2", "sum3", "sum4"],
                                 ["acc", "acc1", "acc2", "acc3"]])[:len(names)]
        before = [f"{self.acc} {s} = {starts};" for s in local]
        return before, local, [f"{self.out(n)} = {s};"
                               for n, s in zip(names, local)]

    # Loops.

    def loop(self, body, first="0", limit=None, plain=False):
        """body: element -> lines. plain: counted up, whatever the style."""
        j, limit, lines = self.j, limit or self.length, []
        inside = body(j)
        if self.header == "unrolled" and len(inside) > 1:
            self.header = "up"
        header = "up" if plain else self.header
        kind, plus = self.column_type, self.plus.format(j)
        if header == "unrolled":
            inside += [line for k in range(1, self.step)
                       for line in body(f"{j} + {k}")]
        if header in ("unrolled", "strided"):
            plus = f"{j} += {self.step}"
        condition = f"{j} < {limit}"
        if header == "up-to-last":
            condition = f"{j} <= {limit} - 1"
        if header == "while":
            known = f"{kind} {j}" in " ".join(self.declared)
            self.declared.append(f"{kind} {j}")
            return [f"{'' if known else kind + ' '}{j} = {first};",
                    f"while ({condition}) {{", *inside, f"{plus};", "}"]
        if self.commented and inside[0].endswith(";"):
            inside[0] += self.rng.choice([" // own row", " /* row */"])
        start = f"{kind} {j} = {first}"
        if header == "outside":
            if not self.declared:
                self.declared.append(f"{kind} {j};")
            start = f"{j} = {first}"
        if header == "down":
            start, condition = f"int {j} = {limit} - 1", f"{j} >= {first}"
            plus = plus.replace("++", "--")
        head = f"for ({start}; {condition}; {plus})"
        if self.unroll:
            lines.append(self.unroll)
        if len(inside) == 1 and self.one_line and len(inside[0]) < 40:
            return [*lines, f"{head} {inside[0]}"]
        if len(inside) == 1 and not self.braces:
            return [*lines, head, *inside]
        return [*lines, head + " {", *inside, "}"]

    # The file.

    def text(self):
        self.declared = []
        body = self.form.write(self)
        if self.header == "outside":
            self.prologue = self.declared + self.prologue
        where, around, end = self.place()
        lines = [*where, *around, *self.prologue, *body, *end]
        template = ("template <" + ", ".join(t for t, _ in self.templates)
                    + ">\n") if self.templates else ""
        static = "static " if self.chance(0.1) else ""
        threads = self.shape.block[0] * self.shape.block[1]
        bounds = f"__launch_bounds__({threads}) " if self.chance(0.04) else ""
        heads = "".join(line + "\n" for line in self.heads)
        comment = f"// {self.form.name}: one row per thread.\n" \
            if self.chance(0.2) else ""
        return (f"{heads}{comment}{template}"
                + wrapped(f"{static}__global__ void {bounds}{self.name}(",
                          self.parameters(), ") {") + "\n"
                + "\n".join(indented(lines)) + "\n}\n\n" + self.launch())

    def place(self):
        """Which row this thread has; what guards it; how that ends."""
        i, kind = self.i, self.index_type
        const = "const " if self.chance(0.4) else ""
        thread = self.rng.choice(
            ["blockIdx.x * blockDim.x + threadIdx.x",
             "threadIdx.x + blockIdx.x * blockDim.x"])
        if self.guard == "grid-stride":
            return [], [f"for ({kind} {i} = {thread}; {i} < {self.count}; "
                        f"{i} += blockDim.x * gridDim.x) {{"], ["}"]
        where, own = [f"{const}{kind} {i} = {thread};"], []
        if self.wide:
            width = self.integer("w", self.shape.width, self.count_literal())
            height = self.integer("h", self.n // self.shape.width,
                                  self.count_literal())
            where = ["int px = blockIdx.x * blockDim.x + threadIdx.x;",
                     "int py = blockIdx.y * blockDim.y + threadIdx.y;"]
            guard = f"px < {width} && py < {height}"
            own = [f"{const}{kind} {i} = py * {width} + px;"]
        elif self.batched:
            where.append(f"{const}{kind} b = blockIdx.y;")
        if self.guard == "none":
            return where + own, [], []
        if not self.wide:
            guard = f"{i} < {self.count}"
        self.prologue[:0] = own
        if self.guard == "return":
            leave = guard.replace("<", ">=").replace("&&", "||")
            return where, [f"if ({leave})", "return;"], []
        if self.guard == "masked":
            mask = self.pointer("active", "int", self.n, "mask")
            guard += f" && {mask}[{i}]"
        return where, [f"if ({guard}) {{"], ["}"]

    def count_literal(self):
        self.count_is_literal = getattr(self, "count_is_literal",
                                        self.chance(0.4))
        return self.count_is_literal

    def parameters(self):
        out = []
        for p in self.pointers:
            const = "const " if self.const and not p.written else ""
            restrict = self.restrict == "all" or (
                self.restrict == "read" and not p.written)
            out.append(const + (self.text_type if p.type == self.type
                                else p.type)
                       + (" *__restrict__ " if restrict else " *") + p.name)
        return out + [f"int {name}" for name, _, _ in self.integers]

    def launch(self):
        take = [("const " if self.const and not p.written else "")
                + f"{p.type} *{p.name}" for p in self.pointers]
        take += [f"int {name}" for name, _, literal in self.integers
                 if not literal]
        give = [p.name for p in self.pointers] + [
            str(value) if literal else name
            for name, value, literal in self.integers]
        called = self.name
        if self.templates:
            called += "<" + ", ".join(str(v) for _, v in self.templates) + ">"
        lines, shapes = [], []
        for what, (x, y) in (("grid", self.shape.grid),
                             ("block", self.shape.block)):
            text = str(x) if y == 1 else f"dim3({x}, {y})"
            if y != 1 and self.chance(0.5):
                lines.append(f"dim3 {what}({x}, {y});")
                text = what
            elif y == 1 and what == "block" and self.chance(0.15):
                lines.append(f"const int threads = {x};")
                text = "threads"
            shapes.append(text)
        if self.dynamic_bytes:
            shapes.append(str(self.dynamic_bytes))
        call = wrapped(f"{called}<<<{', '.join(shapes)}>>>(", give, ");")
        return (wrapped(f"void run_{self.name}(", take, ") {") + "\n"
                + "\n".join(indented(lines + call.split("\n"))) + "\n}\n")

    def facts(self):
        """What is said of it in results."""
        shape = self.shape
        return {"form": self.form.name, "group": self.form.group,
                "type": self.type, "arrays": self.arrays, "length": self.m,
                "rounds": self.rounds, "rows": shape.rows,
                "block": list(shape.block), "grid": list(shape.grid),
                "waves": round(shape.waves, 2), "header": self.header,
                "address": self.address, "guard": self.guard,
                "sizes": self.known, "restrict": self.restrict,
                "in_memory": self.in_memory}
