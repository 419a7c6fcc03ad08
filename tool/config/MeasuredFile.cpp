//===- MeasuredFile.cpp - What was measured, in a .catt file --------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/config/MeasuredFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace catt {
namespace {

using Lines = std::vector<std::string>; ///< each with its end

Lines linesOf(StringRef Text) {
  Lines All;
  while (!Text.empty()) {
    size_t End = std::min(Text.find('\n'), Text.size() - 1) + 1;
    All.push_back(Text.take_front(End).str());
    Text = Text.drop_front(End);
  }
  return All;
}

bool isBlank(StringRef Line) {
  return Line.trim().empty() || Line.ltrim().starts_with("#");
}

size_t indentOf(StringRef Line) { return Line.size() - Line.ltrim(" ").size(); }

bool isDash(StringRef Line) {
  StringRef Code = Line.ltrim(" ").rtrim();
  return Code == "-" || Code.starts_with("- ");
}

/// Lines [Begin, End) of a file: those of an entry, or of all of them.
struct Range {
  size_t Begin = 0, End = 0;
};

/// From `measured:` to the last line of its entries; nothing: there is none.
std::optional<Range> blockOf(const Lines &All) {
  auto IsKey = [](StringRef Line) {
    for (StringRef Key : {"measured", "'measured'", "\"measured\""})
      if (Line.consume_front(Key))
        return Line.ltrim().starts_with(":");
    return false;
  };
  auto Key = find_if(All, IsKey);
  if (Key == All.end())
    return std::nullopt;
  Range Block{size_t(Key - All.begin()), size_t(Key - All.begin()) + 1};
  for (size_t I = Block.End; I < All.size(); ++I) {
    if (isBlank(All[I]))
      continue;
    if (indentOf(All[I]) == 0 && !isDash(All[I]))
      break;
    Block.End = I + 1;
  }
  return Block;
}

/// Each entry from its dash to its last line that says something.
std::vector<Range> entriesOf(const Lines &All, const Range &Block) {
  std::vector<Range> Entries;
  for (size_t I = Block.Begin + 1; I < Block.End; ++I) {
    if (isBlank(All[I]))
      continue;
    if (isDash(All[I]) &&
        (Entries.empty() ||
         indentOf(All[I]) == indentOf(All[Entries.front().Begin])))
      Entries.push_back({I, I + 1});
    else if (!Entries.empty())
      Entries.back().End = I + 1;
  }
  return Entries;
}

/// The lines of entries, the first of which is `measured:`.
Lines written(ArrayRef<MeasuredVariant> Entries, StringRef Path) {
  Stated Said;
  Said.Values.Measured = Entries.vec();
  Lines All = linesOf(dumpConfig(Said, sys::path::parent_path(Path)));
  All.erase(All.begin(), find_if(All, [](StringRef Line) {
              return Line.starts_with("measured:");
            }));
  erase_if(All, [](StringRef Line) { return Line.trim() == "..."; });
  return All;
}

/// The file, while it changes. Entries are as parsed, in the order of the text.
class Extension {
public:
  Extension(StringRef Text, StringRef Path) : All(linesOf(Text)), Path(Path) {
    if (Text.contains("\r\n"))
      End = "\r\n";
    if (!All.empty() && !StringRef(All.back()).ends_with("\n"))
      All.back() += End;
  }

  std::string run(ArrayRef<MeasuredVariant> Old, ArrayRef<MeasuredVariant> New,
                  ArrayRef<MeasuredVariant> Wanted) {
    std::optional<Range> Block = blockOf(All);
    std::vector<Range> Entries;
    if (Block)
      Entries = entriesOf(All, *Block);
    if (!Block)
      put({All.size(), All.size()}, written(Wanted, Path));
    else if (Old.empty() || Entries.size() != Old.size())
      put(*Block, written(Wanted, Path));
    else
      each(Old, New, Entries);
    return join(All, "");
  }

private:
  /// From the last one on, so that the places of others stay.
  void each(ArrayRef<MeasuredVariant> Old, ArrayRef<MeasuredVariant> New,
            ArrayRef<Range> Entries) {
    const size_t Indent = indentOf(All[Entries.front().Begin]);
    for (const MeasuredVariant &Each : reverse(New))
      if (none_of(Old,
                  [&](const auto &Known) { return isOfSame(Known, Each); }))
        put({Entries.back().End, Entries.back().End}, entry(Each, Indent));
    for (size_t I = Old.size(); I-- > 0;)
      for (const MeasuredVariant &Each : New)
        if (isOfSame(Old[I], Each))
          put(Entries[I], entry(Each, Indent));
  }

  Lines entry(const MeasuredVariant &M, size_t Indent) const {
    Lines Of = written(M, Path);
    Of.erase(Of.begin());
    const size_t Has = indentOf(Of.front());
    for (std::string &Line : Of)
      Line = std::string(Indent, ' ') + Line.substr(Has);
    return Of;
  }

  void put(Range Where, Lines Text) {
    for (std::string &Line : Text)
      Line = StringRef(Line).rtrim().str() + End;
    All.erase(All.begin() + Where.Begin, All.begin() + Where.End);
    All.insert(All.begin() + Where.Begin, Text.begin(), Text.end());
  }

  Lines All;
  StringRef Path;
  std::string End = "\n";
};

} // namespace

Expected<std::string> withMeasured(StringRef Text, StringRef Path,
                                   ArrayRef<MeasuredVariant> Entries) {
  Expected<Config> Before = parseConfig(Text, Path);
  if (!Before)
    return Before.takeError();
  const std::vector<MeasuredVariant> &Old = Before->Said.Values.Measured;
  std::vector<MeasuredVariant> Wanted = Old;
  for (const MeasuredVariant &Each : Entries) {
    auto Known =
        find_if(Wanted, [&](const auto &W) { return isOfSame(W, Each); });
    if (Known != Wanted.end())
      *Known = Each;
    else
      Wanted.push_back(Each);
  }
  if (Entries.empty())
    return Text.str();
  std::string New = Extension(Text, Path).run(Old, Entries, Wanted);
  // Whatever YAML there was, what is written must be what is meant.
  Stated Meant = Before->Said;
  Meant.Values.Measured = Wanted;
  Expected<Config> After = parseConfig(New, Path);
  if (After && dumpConfig(After->Said) == dumpConfig(Meant))
    return New;
  if (!After)
    consumeError(After.takeError());
  return createStringError("'" + Path +
                           "' cannot be extended; write each of its keys on a "
                           "line of its own, without braces and '...'");
}

} // namespace catt
