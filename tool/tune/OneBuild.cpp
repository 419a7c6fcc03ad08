//===- OneBuild.cpp - Variants of a kernel in one text --------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/tune/OneBuild.h"
#include "transforms/Transform.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using clang::tooling::Replacement;
using clang::tooling::Replacements;

namespace catt {
namespace {

/// What stands at file scope once: a function behind a guard, or an #include.
struct SharedPart {
  std::string Name; ///< the guard, or the directive
  std::string Text; ///< whole lines; the first says who asks for it
  bool isSame(StringRef Other) const {
    return StringRef(Text).split('\n').second == Other.split('\n').second;
  }
};

/// The shared parts that a text begins with; they are taken from it.
std::vector<SharedPart> takeShared(StringRef &Text) {
  constexpr StringLiteral Head = "// catt: ", Done = "// catt: done ";
  std::vector<SharedPart> All;
  for (;;) {
    StringRef Rest = Text;
    auto Next = [&Rest] {
      auto [Line, Behind] = Rest.split('\n');
      Rest = Behind;
      return Line.trim();
    };
    if (!Next().starts_with(Head))
      return All;
    StringRef First = Next();
    bool IsWhole = First.starts_with("#include ") && First.contains(Done);
    StringRef Name = First.substr(0, First.find(Done)).rtrim();
    if (First.consume_front("#ifndef ") && Next() == ("#define " + First).str())
      for (; !IsWhole && !Rest.empty();) {
        StringRef Line = Next();
        if (Line.contains(Done) && !Line.starts_with("#endif"))
          break;
        IsWhole = Line.contains(Done);
      }
    if (!IsWhole)
      return All;
    All.push_back({Name.str(), Text.drop_back(Rest.size()).str()});
    if (!StringRef(All.back().Text).ends_with("\n"))
      All.back().Text += '\n';
    Text = Rest;
  }
}

/// A variant, taken apart.
struct Parts {
  std::vector<std::string> Bodies;   ///< of declarations, and the definition
  std::vector<std::string> Launches; ///< in the order of the places
  std::map<TextPlace, std::vector<SharedPart>> Shared;
};

Error elsewhere() {
  return createStringError("it changes more than the kernel and its launches");
}

/// The text of a place with the edits in it, each of which is crossed out in
/// Left. HasEdges: what is added at an edge belongs to it.
Expected<std::string> editedPlace(const SourceSpan &Place, StringRef Text,
                                  const Replacements &Edits, bool HasEdges,
                                  std::set<unsigned> &Left, Parts &Out) {
  std::string All;
  size_t Done = Place.Begin;
  for (const Replacement &R : Edits) {
    const unsigned From = R.getOffset(), To = From + R.getLength();
    if (To < Place.Begin || From > Place.End ||
        (From == To && From == Place.End && !HasEdges) ||
        (From != To && (To == Place.Begin || From == Place.End)))
      continue;
    if (From < Place.Begin || To > Place.End)
      return createStringError(
          "an edit crosses the edge of a launch or kernel");
    StringRef Added = R.getReplacementText();
    if (From == Place.Begin && From == To && !HasEdges)
      if (std::vector<SharedPart> Shared = takeShared(Added); !Shared.empty())
        Out.Shared[{Place.File, From}] = std::move(Shared);
    All.append(Text.slice(Done, From)).append(Added);
    Done = To;
    Left.erase(From);
  }
  return All + Text.slice(Done, Place.End).str();
}

Expected<Parts> partsOf(const WrittenVariant &V, const KernelPlaces &At,
                        const FileTexts &Plain) {
  Parts Out;
  std::map<std::string, std::set<unsigned>> Left; // edits, by file
  for (const auto &[File, Edits] : V.Edits) {
    auto Was = Plain.find(File), Is = V.Texts.find(File);
    Expected<std::string> Becomes =
        Was == Plain.end()
            ? elsewhere()
            : clang::tooling::applyAllReplacements(Was->second, Edits);
    if (!Becomes)
      return Becomes.takeError();
    if (Is == V.Texts.end() ? *Becomes != Was->second : *Becomes != Is->second)
      return createStringError("its text is more than its edits");
    for (const Replacement &R : Edits)
      Left[File].insert(R.getOffset());
  }
  const Replacements None;
  auto Add = [&](const SourceSpan &Place, bool IsLaunch) -> Error {
    auto Edits = V.Edits.find(Place.File);
    Expected<std::string> Text =
        editedPlace(Place, Plain.at(Place.File),
                    Edits == V.Edits.end() ? None : Edits->second, IsLaunch,
                    Left[Place.File], Out);
    if (!Text)
      return Text.takeError();
    (IsLaunch ? Out.Launches : Out.Bodies).push_back(std::move(*Text));
    return Error::success();
  };
  for (const SourceSpan &D : At.Declarations)
    if (Error E = Add(D, false))
      return std::move(E);
  if (Error E = Add(At.Definition, false))
    return std::move(E);
  for (const SourceSpan &L : At.Launches)
    if (Error E = Add(L, true))
      return std::move(E);
  for (const auto &[File, Edits] : V.Edits)
    for (const Replacement &R : Edits) {
      if (!Left[File].count(R.getOffset()))
        continue;
      StringRef Added = R.getReplacementText();
      std::vector<SharedPart> Shared = takeShared(Added);
      if (R.getLength() != 0 || !Added.empty())
        return elsewhere();
      Out.Shared[{File, R.getOffset()}] = std::move(Shared);
    }
  return Out;
}

/// But for reasons in comments.
bool isSame(ArrayRef<std::string> A, ArrayRef<std::string> B) {
  return std::equal(A.begin(), A.end(), B.begin(), B.end(),
                    [](const std::string &X, const std::string &Y) {
                      return X == Y || withoutReasons(X) == withoutReasons(Y);
                    });
}

/// Writes the text of all variants.
class Joiner {
public:
  Joiner(const KernelPlaces &At, const FileTexts &Plain)
      : At(At), Plain(Plain) {
    Bodies.push_back(cantFail(partsOf({}, At, Plain)).Bodies); // as they are
  }
  Error add(const WrittenVariant &V, unsigned Number);
  Error write(ArrayRef<TimedLaunch> Launches, OneBuild &Out);

private:
  struct Chosen {
    unsigned Number;
    std::vector<std::string> Launches;
  };
  void insertCopies();
  std::string switchAt(size_t Launch) const;

  const KernelPlaces &At;
  const FileTexts &Plain;
  std::vector<std::vector<std::string>> Bodies; ///< that differ
  std::vector<Chosen> Cases;
  std::map<std::string, std::string> Shared;              ///< by name
  std::map<TextPlace, std::vector<std::string>> SharedAt; ///< names
  std::map<TextPlace, std::pair<unsigned, std::string>>
      Changes; ///< length, text
};

Error Joiner::add(const WrittenVariant &V, unsigned Number) {
  Expected<Parts> P = partsOf(V, At, Plain);
  if (!P)
    return P.takeError();
  for (const auto &[Where, All] : P->Shared)
    for (const SharedPart &S : All)
      if (auto Known = Shared.find(S.Name);
          Known != Shared.end() && !S.isSame(Known->second))
        return createStringError("its function behind " + S.Name +
                                 " is another one");
  for (auto &[Where, All] : P->Shared)
    for (SharedPart &S : All) {
      Shared.emplace(S.Name, S.Text);
      if (!is_contained(SharedAt[Where], S.Name))
        SharedAt[Where].push_back(S.Name);
    }
  const size_t Body =
      find_if(Bodies, [&](auto &Other) { return isSame(Other, P->Bodies); }) -
      Bodies.begin();
  if (Body == Bodies.size())
    Bodies.push_back(P->Bodies);
  if (Body != 0)
    for (std::string &Text : P->Launches)
      Text = renamed(Text, At.Kernel, unsigned(Body));
  Cases.push_back({Number, std::move(P->Launches)});
  return Error::success();
}

void Joiner::insertCopies() {
  if (Bodies.size() == 1)
    return;
  for (size_t Place = 0; Place <= At.Declarations.size(); ++Place) {
    const SourceSpan &Of = Place == At.Declarations.size()
                               ? At.Definition
                               : At.Declarations[Place];
    std::string &Text = Changes[{Of.File, Of.End}].second;
    for (size_t I = 1; I < Bodies.size(); ++I)
      Text += "\n" + renamed(Bodies[I][Place], At.Kernel, unsigned(I));
  }
}

std::string Joiner::switchAt(size_t Launch) const {
  const SourceSpan &Of = At.Launches[Launch];
  const StringRef Old = StringRef(Plain.at(Of.File)).slice(Of.Begin, Of.End);
  std::string Text;
  for (const Chosen &C : Cases)
    if (C.Launches[Launch] != Old)
      Text += "case " + std::to_string(C.Number) + ": {\n" +
              C.Launches[Launch] + "\n} break;\n";
  if (Text.empty())
    return Old.str();
  return "switch (catt::variantOf(\"" + At.Kernel + "\")) {\n" + Text +
         "default: {\n" + Old.str() + "\n}\n}";
}

Error Joiner::write(ArrayRef<TimedLaunch> Launches, OneBuild &Out) {
  insertCopies();
  for (const auto &[Where, Names] : SharedAt) {
    std::string &Text = Changes[Where].second;
    if (!Text.empty())
      Text += "\n";
    for (const std::string &Name : Names)
      Text += Shared.at(Name);
  }
  for (size_t I = 0; I != At.Launches.size(); ++I) {
    const SourceSpan &L = At.Launches[I];
    if (!Changes.try_emplace({L.File, L.Begin}, L.End - L.Begin, switchAt(I))
             .second)
      return createStringError("something is added where it is launched");
  }
  std::map<std::string, Replacements> Edits;
  for (const auto &[Where, Change] : Changes)
    if (Error E = Edits[Where.first].add(Replacement(
            Where.first, Where.second, Change.first, Change.second)))
      return E;
  std::map<std::string, std::vector<TimedLaunch>> ByFile;
  for (const TimedLaunch &L : Launches)
    ByFile[L.File].push_back(L);
  for (const auto &[File, Of] : ByFile) {
    auto Moved = shifted(Of, Edits[File]);
    if (!Moved)
      return Moved.takeError();
    append_range(Out.Launches, *Moved);
  }
  for (const auto &[File, Of] : Edits) {
    auto Text = clang::tooling::applyAllReplacements(Plain.at(File), Of);
    if (!Text)
      return Text.takeError();
    Out.Texts[File] = *Text;
  }
  return Error::success();
}

} // namespace

Expected<OneBuild> joined(ArrayRef<const WrittenVariant *> Variants,
                          const KernelPlaces &At, const FileTexts &Plain,
                          ArrayRef<TimedLaunch> Launches) {
  OneBuild Out;
  Joiner All(At, Plain);
  for (size_t I = 0; I != Variants.size(); ++I) {
    const unsigned Number = unsigned(Out.Numbers.size()) + 1;
    if (Error E = All.add(*Variants[I], Number))
      Out.Alone[I] = toString(std::move(E));
    else
      Out.Numbers[I] = Number;
  }
  if (Out.Numbers.size() < 2)
    return createStringError(Out.Alone.empty() ? "there is one alone"
                                               : Out.Alone.begin()->second);
  if (Error E = All.write(Launches, Out))
    return std::move(E);
  return Out;
}

} // namespace catt
