# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Applies the fixes of a SARIF log, as a viewer would.
usage: apply_sarif.py <log> [<rule>]"""
import collections
import json
import sys
import urllib.parse

log = json.load(open(sys.argv[1], encoding="utf-8"))
wanted = sys.argv[2] if len(sys.argv) > 2 else None
edits = collections.defaultdict(list)
for run in log["runs"]:
    assert run["columnKind"] == "unicodeCodePoints"
    for result in run["results"]:
        if wanted and result["ruleId"] != wanted:
            continue
        for fix in result.get("fixes", []):
            for change in fix["artifactChanges"]:
                path = urllib.parse.unquote(change["artifactLocation"]["uri"])
                edits[path.removeprefix("file://")] += change["replacements"]
for path, replacements in edits.items():
    with open(path, encoding="utf-8", newline="") as file:
        lines = file.read().split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    text = "\n".join(lines)
    for r in sorted(replacements, reverse=True,
                    key=lambda r: (r["deletedRegion"]["startLine"],
                                   r["deletedRegion"]["startColumn"])):
        region = r["deletedRegion"]
        begin = starts[region["startLine"] - 1] + region["startColumn"] - 1
        end = starts[region["endLine"] - 1] + region["endColumn"] - 1
        text = text[:begin] + r["insertedContent"]["text"] + text[end:]
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)
print(sum(map(len, edits.values())))
