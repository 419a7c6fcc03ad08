# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes catt-rewrite.1 from what `catt-rewrite --help` says, so that the page
cannot say anything else. usage: man.py <catt-rewrite> <version> <page>"""
import re
import subprocess
import sys


def roff(text):
    """Text as roff takes it literally."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.M)


def options(text):
    """"  --name=<value>   - What it does" and its further lines, as paragraphs."""
    out = []
    for line in text.splitlines():
        new = re.match(r"  (-.*?)\s+- (.*)", line)
        if new:
            out += [".TP", ".B " + roff(new.group(1)), roff(new.group(2))]
        elif line.startswith("   ") and out:
            out.append(roff(line.strip().removeprefix("- ")))
    return "\n".join(out)


def page(text, version):
    overview, rest = text.split("OPTIONS:", 1)
    listed, rest = rest.split("\nTransforms:", 1)
    transforms, codes = rest.split("\nExit codes:", 1)
    overview = re.sub(r"^OVERVIEW: |^USAGE:.*\n", "", overview, flags=re.M)
    return f""".TH CATT\\-REWRITE 1 "" "catt\\-rewrite {version}"
.SH NAME
catt\\-rewrite \\- rewrites CUDA sources so that their loops fit the L1 cache
.SH SYNOPSIS
.B catt\\-rewrite
[options] <file>... [\\-\\- <compile flags>]
.SH DESCRIPTION
.nf
{roff(overview.strip())}
.fi
.SH OPTIONS
{options(listed)}
.SH TRANSFORMS
.nf
{roff(transforms.strip())}
.fi
.SH EXIT STATUS
{roff(codes.strip())}
.SH FILES
.TP
.I .catt
settings of the sources below its directory; \\-\\-dump\\-config shows what applies
.TP
.I compile_commands.json
how sources are compiled
"""


def main():
    tool, version, target = sys.argv[1:]
    text = subprocess.run([tool, "--help"], check=True, text=True,
                          capture_output=True).stdout
    with open(target, "w", encoding="utf-8") as file:
        file.write(page(text, version))


main()
