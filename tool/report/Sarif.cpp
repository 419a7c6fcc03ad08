//===- Sarif.cpp - The report for code scanners --------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Sarif.h"
#include "Paths.h"
#include "analysis/model/Reasons.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <set>

using namespace llvm;

namespace catt {
namespace {

/// Position of each rule in the list of rules.
unsigned ruleIndex(StringRef Id) {
  unsigned Index = 0;
  for (const Transform *T : allTransforms()) {
    if (T->name() == Id)
      return Index;
    ++Index;
  }
  std::optional<Reason> Why = findReason(Id);
  return Index + (Why ? unsigned(*Why) : 0);
}

class SarifWriter {
public:
  SarifWriter(raw_ostream &OS, ArrayRef<FileOutcome> Files, StringRef Root)
      : J(OS, /*IndentSize=*/2), Files(Files), Root(Root) {}

  void log() {
    J.object([&] {
      J.attribute("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
      J.attribute("version", "2.1.0");
      J.attributeArray("runs", [&] { J.object([&] { run(); }); });
    });
  }

private:
  void run() {
    J.attributeObject("tool",
                      [&] { J.attributeObject("driver", [&] { driver(); }); });
    J.attributeArray("invocations", [&] { J.object([&] { invocation(); }); });
    // Columns count code points: positionAt.
    J.attribute("columnKind", "unicodeCodePoints");
    J.attributeArray("results", [&] {
      for (const FileOutcome &F : Files)
        for (const Finding &One : findings(F))
          result(F, One);
    });
  }

  void text(StringRef Key, StringRef Value) {
    J.attributeObject(Key, [&] { J.attribute("text", json::fixUTF8(Value)); });
  }

  void driver() {
    J.attribute("name", "catt-rewrite");
    J.attribute("version", CATT_VERSION);
    J.attribute("semanticVersion", CATT_VERSION);
    J.attributeArray("rules", [&] {
      for (const Transform *T : allTransforms())
        rule(T->name(), T->summary(),
             "The page of the transform in docs/ says when it applies.",
             "warning", "transform");
      for (const ReasonInfo &R : allReasons())
        rule(R.Id, whatText({R.Why, {}, ""}), R.Remedy,
             R.Kind == ReasonKind::Warning ? "warning" : "note", name(R.Kind));
    });
  }

  void rule(StringRef Id, StringRef What, StringRef Help, StringRef Level,
            StringRef Tag) {
    J.object([&] {
      J.attribute("id", Id);
      text("shortDescription", What);
      text("help", Help);
      J.attributeObject("defaultConfiguration",
                        [&] { J.attribute("level", Level); });
      J.attributeObject("properties", [&] {
        J.attributeArray("tags", [&] { J.value(Tag); });
      });
    });
  }

  /// Files that could not be analysed are no results, but notifications.
  void invocation() {
    bool Fine =
        all_of(Files, [](const FileOutcome &F) { return F.Error.empty(); });
    J.attribute("executionSuccessful", Fine);
    J.attributeArray("toolExecutionNotifications", [&] {
      for (const FileOutcome &F : Files)
        if (!F.Error.empty())
          J.object([&] {
            text("message", F.Error);
            J.attribute("level", "error");
            J.attributeArray("locations", [&] {
              J.object([&] {
                J.attributeObject("physicalLocation",
                                  [&] { artifact(F.Name); });
              });
            });
          });
    });
  }

  void artifact(StringRef Path) {
    J.attributeObject("artifactLocation", [&] {
      J.attribute("uri", uriOf(relativeTo(Root, Path)));
    });
  }

  void physical(const FileOutcome &F, const Location &Where) {
    J.attributeObject("physicalLocation", [&] {
      artifact(Where.File);
      J.attributeObject("region", [&] {
        J.attribute("startLine", int64_t(Where.Line));
        // Where the text is not known, the column's unit cannot be either.
        auto Text = F.Analysed->Texts.find(Where.File);
        if (Text != F.Analysed->Texts.end())
          J.attribute(
              "startColumn",
              int64_t(
                  positionOf(Text->second, Where.Line, Where.Column).Column));
      });
    });
  }

  void result(const FileOutcome &F, const Finding &One) {
    if (!One.Where.valid() || !isNew(One))
      return;
    J.object([&] {
      J.attribute("ruleId", One.Id);
      J.attribute("ruleIndex", int64_t(ruleIndex(One.Id)));
      J.attribute("level", One.Contended || One.Warns ? "warning" : "note");
      text("message", One.Message);
      J.attributeArray("locations", [&] {
        J.object([&] {
          physical(F, One.Where);
          if (!One.Function.empty())
            J.attributeArray("logicalLocations", [&] {
              J.object([&] {
                J.attribute("fullyQualifiedName", json::fixUTF8(One.Function));
                J.attribute("kind", "function");
              });
            });
        });
      });
      related(F, One);
      J.attributeObject("partialFingerprints", [&] {
        J.attribute("findingInFunction/v1", fingerprint(One));
      });
      fixes(F, One);
    });
  }

  void related(const FileOutcome &F, const Finding &One) {
    if (One.Notes.empty())
      return;
    J.attributeArray("relatedLocations", [&] {
      int64_t Id = 0;
      for (const auto &[Where, Note] : One.Notes)
        J.object([&] {
          J.attribute("id", Id++);
          physical(F, Where.valid() ? Where : One.Where);
          text("message", Note);
        });
    });
  }

  void fixes(const FileOutcome &F, const Finding &One) {
    const Applied *Done = appliedFor(F, One);
    for (const Fix &X : F.Fixes)
      if (Done && X.By == Done->By && X.Where == Done->Where) {
        J.attributeArray("fixes", [&] { J.object([&] { fix(F, X, *Done); }); });
        return;
      }
  }

  void fix(const FileOutcome &F, const Fix &X, const Applied &Done) {
    text("description", Done.Summary);
    J.attributeArray("artifactChanges", [&] {
      for (const auto &[Path, Edits] : X.Files)
        J.object([&] {
          artifact(Path);
          J.attributeArray("replacements", [&] {
            for (const clang::tooling::Replacement &E : Edits)
              J.object([&] { replacement(F.Analysed->Texts.at(Path), E); });
          });
        });
    });
  }

  void replacement(StringRef Text, const clang::tooling::Replacement &E) {
    TextPosition Begin = positionAt(Text, E.getOffset());
    TextPosition End = positionAt(Text, E.getOffset() + E.getLength());
    J.attributeObject("deletedRegion", [&] {
      J.attribute("startLine", int64_t(Begin.Line));
      J.attribute("startColumn", int64_t(Begin.Column));
      J.attribute("endLine", int64_t(End.Line));
      J.attribute("endColumn", int64_t(End.Column));
    });
    text("insertedContent", E.getReplacementText());
  }

  /// Whether no other source has reported the same.
  bool isNew(const Finding &One) {
    return Seen
        .insert(One.Id + "\n" + One.Where.File + "\n" +
                std::to_string(One.Where.Line) + "\n" +
                std::to_string(One.Where.Column) + "\n" + One.Message)
        .second;
  }

  /// Stays the same when lines are added above: of the rule, the kernel and
  /// how many such findings came before.
  std::string fingerprint(const Finding &One) {
    std::string Key =
        One.Id + "\n" + relativeTo(Root, One.Where.File) + "\n" + One.Function;
    Key += "\n" + std::to_string(Count[Key]++);
    return utohexstr(xxh3_64bits(Key), /*LowerCase=*/true, 16);
  }

  json::OStream J;
  ArrayRef<FileOutcome> Files;
  StringRef Root;
  std::set<std::string> Seen;
  std::map<std::string, unsigned> Count;
};

} // namespace

std::string renderSarif(ArrayRef<FileOutcome> Files, StringRef Root) {
  std::string Text;
  raw_string_ostream OS(Text);
  SarifWriter(OS, Files, Root).log();
  OS << "\n";
  return Text;
}

} // namespace catt
