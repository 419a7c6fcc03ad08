#!/usr/bin/env python3
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Breaks programs on purpose: whatever the input, no crash, no hang.

    samples, kernels of the tests
      | one to six times: a token deleted, doubled, swapped with its neighbour
      | or replaced; the text cut off; an #include taken away; a type made
      | incomplete, or auto; a declaration taken away
      v
    catt-rewrite --report=json: exit code 0, 1 or 3, within the time

Usage: robust.py TOOL [--count=N] [--seed=N] [--seconds=N] [--keep=DIR] FILE...

What fails is written to --keep (default: the working directory) as
robust-SEED-NUMBER.cu, with the command. Seeds repeat exactly. Limits: what is
written is mostly not C++; that what is rewritten is right is catt-fuzz's part.
"""
import os
import random
import re
import subprocess
import sys
import tempfile

TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|"
                   r"[A-Za-z_]\w*|\d[\w.]*|<<<|>>>|\s+|.", re.S)
WORDS = ["auto", "0", "(", ")", "{", "}", ";", "*", "&", "<", ">", "<<<", ">>>",
         "template", "typename", "struct", "missing", "return", "for", "switch",
         "case", "goto", "const", "__shared__", "__device__", "[]", "sizeof",
         "decltype", "operator", "this", "...", "::", "?", ":", "n", "[&]"]
TYPES = ["int", "float", "double", "unsigned", "dim3", "float4", "size_t"]


def change(tokens, chance):
    """One thing that goes wrong while a program is being edited."""
    places = [i for i, t in enumerate(tokens) if not t.isspace()]
    if not places:
        return
    at = chance.choice(places)
    kind = chance.randrange(9)
    if kind == 0:
        del tokens[at]
    elif kind == 1:
        tokens.insert(at, tokens[at] + " ")
    elif kind == 2:
        other = places[(places.index(at) + 1) % len(places)]
        tokens[at], tokens[other] = tokens[other], tokens[at]
    elif kind == 3:
        tokens[at] = " " + chance.choice(WORDS) + " "
    elif kind == 4:
        tokens.insert(at, " " + chance.choice(WORDS) + " ")
    elif kind == 5 and chance.random() < 0.3:
        del tokens[at:]
    elif kind == 6:
        types = [i for i in places if tokens[i] in TYPES]
        if types:
            tokens[chance.choice(types)] = chance.choice(
                ["auto", "struct Incomplete", "Unknown", "decltype(missing())",
                 "void", "decltype(auto)", "struct Incomplete &"])
    elif kind == 7:
        begin = "".join(tokens[:at]).rfind("\n") + 1
        text = "".join(tokens)
        end = text.find("\n", begin)
        tokens[:] = TOKEN.findall(text[:begin] + text[end:])
    else:
        names = [i for i in places if re.fullmatch(r"[A-Za-z_]\w*", tokens[i])]
        if names:
            old, new = (tokens[chance.choice(names)] for _ in range(2))
            tokens[:] = [new if t == old else t for t in tokens]


def broken(text, chance):
    lines = text.split("\n")
    includes = [i for i, l in enumerate(lines)
                if re.match(r"\s*#\s*include\b", l)]
    for i in includes:
        if chance.random() < 0.2:
            lines[i] = ""
    tokens = TOKEN.findall("\n".join(lines))
    for _ in range(chance.randint(1, 6)):
        change(tokens, chance)
    return "".join(tokens)


def problem(tool, path, include, seconds):
    """What is wrong with how the tool takes the file; None if nothing is."""
    command = [tool, "--config=none", "--no-cuda", "--gpu=h200", "--quiet",
               "--report=json", path, "--", "-I" + include]
    try:
        done = subprocess.run(command, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, timeout=seconds,
                              check=False)
    except subprocess.TimeoutExpired:
        return f"more than {seconds} s", command
    if done.returncode in (0, 1, 3):
        return None, command
    last = done.stderr.decode(errors="replace")[-400:]
    return f"exit code {done.returncode}: {last}", command


def main():
    files = [a for a in sys.argv[1:] if not a.startswith("--")]
    options = dict(a[2:].split("=", 1) for a in sys.argv[1:]
                   if a.startswith("--"))
    tool, *sources = files
    seed = int(options.get("seed", 1))
    count = int(options.get("count", 100))
    seconds = float(options.get("seconds", 60))
    keep = options.get("keep", ".")
    failures = 0
    with tempfile.TemporaryDirectory() as directory:
        for number in range(count):
            chance = random.Random(seed * 1000003 + number)
            source = chance.choice(sorted(sources))
            with open(source, encoding="utf-8", errors="replace") as file:
                text = broken(file.read(), chance)
            path = os.path.join(directory, "kernel.cu")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            what, command = problem(tool, path,
                                    os.path.dirname(os.path.abspath(source)),
                                    seconds)
            if what is None:
                continue
            failures += 1
            kept = os.path.join(keep, f"robust-{seed}-{number}.cu")
            with open(kept, "w", encoding="utf-8") as file:
                file.write(text)
            print(f"{kept} (from {source}): {what}\n  "
                  + " ".join(command).replace(path, kept), flush=True)
    print(f"{count} files from seed {seed}: {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
