//===- BuildOutput.cpp - What a build needs of the results ---------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Output.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace catt {

static std::string directive(unsigned Line, StringRef Path) {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << "#line " << Line << " \"";
  OS.write_escaped(Path) << "\"\n";
  return Text;
}

std::string withLineDirectives(StringRef Path, StringRef Old,
                               const clang::tooling::Replacements &Edits) {
  // A byte-order mark has to stay in front.
  StringRef Mark("\xEF\xBB\xBF");
  size_t Copied = Old.starts_with(Mark) ? Mark.size() : 0;
  std::string New = Old.take_front(Copied).str() + directive(1, Path);
  for (const clang::tooling::Replacement &E : Edits) {
    size_t End = E.getOffset() + E.getLength();
    New += Old.slice(Copied, E.getOffset());
    New += E.getReplacementText();
    Copied = std::max(Copied, End);
    StringRef Before = Old.take_front(Copied);
    if (E.getReplacementText().ends_with("\n") &&
        (Before.empty() || Before.ends_with("\n")))
      New += directive(Before.count('\n') + 1, Path);
  }
  return New + Old.drop_front(Copied).str();
}

std::string makeRule(StringRef Target, ArrayRef<std::string> Prerequisites) {
  auto Escaped = [](StringRef Path) {
    std::string Text;
    for (char C : Path) {
      if (C == ' ' || C == '#' || C == '\\')
        Text += '\\';
      if (C == '$')
        Text += '$';
      Text += C;
    }
    return Text;
  };
  std::string Rule = Escaped(Target) + ":";
  for (const std::string &File : Prerequisites)
    Rule += " \\\n  " + Escaped(File);
  return Rule + "\n";
}

} // namespace catt
