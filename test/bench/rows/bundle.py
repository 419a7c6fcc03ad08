# ===- bundle.py - Many kernels in one program ------------------------ ===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Texts of kernels -> translation units, and the table that Runner.cu reads.

  unit()    several variants, each in a namespace, without the macros of the
            others
  table()   what Rows.h declares
"""
import json
import re

HEAD = "#include \"Rows.h\"\n"


def symbol(kernel, variant):
    return f"{kernel.name}_{variant}".replace("-", "_")


def namespaced(kernel, variant, text):
    """(what is included, the text in its namespace, with its Variant)."""
    name = symbol(kernel, variant)
    lines = text.splitlines()
    includes = [x for x in lines if re.match(r"\s*#\s*include\b", x)]
    macros = re.findall(r"^\s*#\s*define\s+(\w+)", text, re.M)
    given = [f"({a.type} *)p[{k}]" for k, a in enumerate(kernel.arrays)]
    given += map(str, kernel.sizes)
    # Inside, as a size of the kernel may be a constant or a macro of the text.
    return includes, "\n".join([
        f"namespace {name} {{",
        *(x for x in lines if x not in includes),
        f"static void launchAll(void *const *p) {{ run_{kernel.function}("
        f"{', '.join(given)}); }}",
        f"static const void *entry() {{ return (const void *)&{kernel.call}; }}",
        "}", *(f"#undef {macro}" for macro in macros),
        f"extern const rows::Variant {name}_variant;",
        f"const rows::Variant {name}_variant = {{{name}::launchAll, "
        f"{name}::entry}};", ""])


def unit(members):
    """members: (kernel, variant, text)."""
    includes, parts = [], []
    for member in members:
        needed, part = namespaced(*member)
        includes += [x for x in needed if x not in includes]
        parts.append(part)
    return HEAD + "".join(x + "\n" for x in includes) + "\n".join(parts)


def literal(text):
    """As a C++ string."""
    return json.dumps(text)


def table(planned, built_with):
    """planned: (kernel, [(variant, same as or None, has code)])."""
    out = [HEAD, "namespace rows {", "namespace {"]
    declared = [f"extern const rows::Variant {symbol(kernel, v)}_variant;"
                for kernel, variants in planned
                for v, _, has_code in variants if has_code]
    out[1:1] = declared
    for kernel, variants in planned:
        arrays = ",\n  ".join(
            f"{{{literal(a.type)}, {literal(a.fill)}, {a.count}ull}}"
            for a in kernel.arrays)
        named = ",\n  ".join(
            f"{{{literal(v)}, {literal(same) if same else 'nullptr'}, "
            f"{f'&{symbol(kernel, v)}_variant' if has_code else 'nullptr'}}}"
            for v, same, has_code in variants)
        out += [f"const Array {kernel.name}_arrays[] = {{\n  {arrays}}};",
                f"const Named {kernel.name}_variants[] = {{\n  {named}}};"]
    out += ["}", "extern const Case Cases[] = {"]
    for kernel, variants in planned:
        x, y = kernel.facts["block"]
        facts = json.dumps({"function": kernel.function} | kernel.facts)[1:-1]
        out.append(f"  {{{literal(kernel.name)}, {literal(facts)}, {x * y}, "
                   f"{kernel.name}_arrays, {len(kernel.arrays)}, "
                   f"{kernel.name}_variants, {len(variants)}}},")
    return "\n".join([*out, "};",
                      f"extern const int CaseCount = {len(planned)};",
                      f"extern const char *const BuiltWith = "
                      f"{literal(built_with)};", "}", ""])
