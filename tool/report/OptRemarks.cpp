//===- OptRemarks.cpp - Remarks as compilers write them ------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "OptRemarks.h"
#include "Paths.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Remarks/Remark.h"
#include "llvm/Remarks/RemarkFormat.h"
#include "llvm/Remarks/RemarkSerializer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace catt {
namespace {

/// split-warp-groups -> SplitWarpGroups: remarks have camel case names.
std::string camelCase(std::string Id) {
  llvm::replace(Id, '-', '_');
  return convertToCamelFromSnakeCase(Id, /*capitalizeFirst=*/true);
}

class RemarkWriter {
public:
  RemarkWriter(remarks::RemarkSerializer &Out, StringRef Root)
      : Out(Out), Root(Root) {}

  void finding(const FileOutcome &File, const Finding &F) {
    using remarks::Type;
    std::string Name = camelCase(F.Id);
    remark(appliedFor(File, F) ? Type::Passed
           : F.Contended       ? Type::Missed
                               : Type::Analysis,
           Name, F, F.Where, F.Message);
    for (const auto &[Where, Note] : F.Notes)
      remark(Type::Analysis, Name + "Note", F, Where.valid() ? Where : F.Where,
             Note);
  }

private:
  void remark(remarks::Type Kind, StringRef Name, const Finding &F,
              const Location &Where, StringRef Message) {
    std::string Path = relativeTo(Root, Where.File);
    remarks::Remark R;
    R.RemarkType = Kind;
    R.PassName = "catt-rewrite";
    R.RemarkName = Name;
    // A change at a launch belongs to no kernel, and viewers need a name.
    R.FunctionName = F.Function.empty() ? StringRef("host") : F.Function;
    R.Loc = remarks::RemarkLocation{Path, Where.Line, Where.Column};
    R.Args.emplace_back("String", Message);
    Out.emit(R);
  }

  remarks::RemarkSerializer &Out;
  StringRef Root;
};

} // namespace

std::string renderOptRemarks(ArrayRef<FileOutcome> Files, StringRef Root) {
  std::string Text;
  raw_string_ostream OS(Text);
  auto Out = remarks::createRemarkSerializer(remarks::Format::YAML, OS);
  if (!Out) {
    // YAML is one of the formats that every LLVM has.
    consumeError(Out.takeError());
    return Text;
  }
  RemarkWriter W(**Out, Root);
  for (const FileOutcome &File : Files)
    for (const Finding &F : findings(File))
      if (F.Where.valid())
        W.finding(File, F);
  (*Out)->finalize();
  return Text;
}

} // namespace catt
