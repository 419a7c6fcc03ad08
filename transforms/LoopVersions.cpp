//===- LoopVersions.cpp - Another version of a loop -----------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transforms/LoopVersions.h"
#include "analysis/nest/Nest.h"
#include "analysis/plan/stage/LongRows.h"
#include "analysis/plan/stage/TileLayout.h"
#include "transforms/AddedFunctions.h"
#include "transforms/FilePlaces.h"
#include "transforms/RowText.h"
#include "clang/Basic/CharInfo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <set>

using llvm::StringRef;

namespace catt {

static std::string str(int64_t N) { return std::to_string(N); }

//===-- Names -------------------------------------------------------------===//

/// Whether the blocks that there are tiles for extend along x alone.
static bool isFlat(const Kernel &K) {
  return llvm::all_of(K.Launches, [](const Launch &L) {
    return L.Block.Y == 1 && L.Block.Z == 1;
  });
}

/// The linear number of a thread of its block, as CUDA text.
static std::string threadOf(const Kernel &K) {
  return isFlat(K) ? "threadIdx.x"
                   : "threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * "
                     "threadIdx.z)";
}

VersionedLoop versionOf(const Kernel &K, const LoopVersion &Version,
                        const TileMemory &Tiles, const FileContext &File) {
  VersionedLoop Out{K, K.RowLoops[Version.Rows], Version, Tiles};
  std::map<std::string, unsigned> Used;
  auto Name = [&](StringRef Prefix, StringRef Reference) {
    auto IsOfName = [](char C) { return llvm::isAlnum(C) || C == '_'; };
    StringRef Base = Reference.drop_until(IsOfName).take_while(IsOfName);
    std::string Out = (Prefix + Base).str();
    if (unsigned Number = ++Used[Out]; Number > 1)
      Out += "_" + str(Number);
    return freshName(File, Out);
  };
  for (unsigned R : Version.Reads)
    Out.RowNames.push_back(Name("cattRow_", Out.Rows.Reads[R].Text));
  for (unsigned R : Version.Sums)
    Out.SumNames.push_back(Name("cattSum_", Out.Rows.Sums[R].Text));
  Out.Lanes = freshName(File, "cattLanes");
  Out.From = freshName(File, "cattFrom");
  Out.Count = freshName(File, "cattCount");
  Out.Thread = isFlat(K) ? threadOf(K) : freshName(File, "cattThread");
  // Functions of one file may differ in their linkage, and then cannot declare
  // the same external array.
  const std::string &Function = K.Loops[Out.Rows.Loop].Function;
  const std::string &Own =
      clang::isValidAsciiIdentifier(Function) ? Function : K.UnqualifiedName;
  Out.Array = freshName(File, "cattTiles" + (Tiles.IsDynamic ? "_" + Own : ""));
  return Out;
}

//===-- The condition -----------------------------------------------------===//

/// The loop that walks the rows of a version: the loop itself, or one inside.
static const RowWalk &walkOf(const VersionedLoop &V) {
  const std::optional<RowWalk> &Inside = walkInside(V.Rows, V.Version);
  return Inside ? *Inside : V.Rows;
}

/// `cattApart(...)` for each pair of places that may not touch each other.
static std::vector<std::string> comparisonsOf(const VersionedLoop &V) {
  const RowLoop &L = V.Rows;
  std::vector<std::string> Out;
  std::set<std::pair<std::string, std::string>> Seen;
  auto Compare = [&](const std::string &Text, const std::string &Ends,
                     llvm::ArrayRef<unsigned> Apart) {
    for (unsigned I : Apart) {
      const RowPlace &P = L.Places[I];
      if (Seen.insert(std::minmax(Text, P.Text)).second)
        Out.push_back("cattApart(" + Ends + ", " + endsOf(L, P) + ")");
    }
  };
  for (unsigned R : V.Version.Reads) {
    const RowRead &Read = L.Reads[R];
    Compare(Read.Text,
            endsOf(walkOf(V),
                   {Read.Text, /*Moves=*/true, /*IsMover=*/!Read.Mover.empty()},
                   Read.Halo),
            Read.Apart);
  }
  for (unsigned R : V.Version.Sums)
    Compare(L.Sums[R].Text, endsOf(L, {L.Sums[R].Text}), L.Sums[R].Apart);
  return Out;
}

/// "1024 + ", if the tiles do not begin with the dynamic shared memory.
static std::string behindOffset(const TileMemory &Tiles) {
  return Tiles.DynamicOffset ? str(Tiles.DynamicOffset) + " + " : "";
}

static std::string conditionOf(const VersionedLoop &V) {
  std::vector<std::string> All;
  if (!V.OnlyIf.empty())
    All.push_back(V.OnlyIf);
  if (!V.Version.Reads.empty()) {
    const std::string Threads =
        isFlat(V.K) ? "blockDim.x" : "blockDim.x * blockDim.y * blockDim.z";
    if (!V.Tiles.AnyBlock)
      All.push_back(Threads + " <= " + str(V.Tiles.Threads));
    if (isFlat(V.K) && !V.K.AllLaunchesVisible)
      All.push_back("blockDim.y * blockDim.z == 1");
    if (V.Tiles.AnyBlock)
      All.push_back("cattDynamicShared() >= " + behindOffset(V.Tiles) +
                    str(V.Tiles.ThreadBytes) + " * " + Threads);
    else if (V.Tiles.IsDynamic)
      All.push_back("cattDynamicShared() >= " +
                    str(V.Tiles.DynamicOffset + V.Tiles.bytes()));
  }
  if (V.Version.MinTrips) {
    const std::string Trips = tripsFrom(walkOf(V), walkOf(V).Start);
    const std::string Long = Trips + " >= " + str(V.Version.MinTrips);
    const std::optional<AffineIndex> &Count = V.K.Loops[V.Rows.Loop].TripCount;
    All.push_back(Count && Count->isBlockUniform()
                      ? Long
                      : "__any_sync(__activemask(), " + Long + ")");
    if (std::optional<int64_t> Most = mostTrips(V.Rows, V.Version))
      All.push_back(Trips + " <= " + str(*Most));
  }
  // Of unsigned numbers the difference is large, too, if the loop never runs:
  // then nothing may be stored. Of `do ... while` one iteration would be
  // missing in lanes for which the condition does not hold before the first
  // one.
  const bool BeginsWithNone = V.Rows.Start == "0" && !V.Rows.Ahead;
  if (V.Rows.AtLeastOnce || (V.Version.MinTrips && !V.Version.Sums.empty() &&
                             !BeginsWithNone && !V.Rows.IsDown))
    All.push_back(runsAt(V.Rows, termOf(V.Rows.Start)));
  llvm::append_range(All, comparisonsOf(V));
  return All.empty() ? "true" : llvm::join(All, " && ");
}

//===-- The loop ----------------------------------------------------------===//

/// Where the tile of a row that stays begins.
static std::string firstOf(const RowWalk &L) {
  return L.IsDown ? lastOf(L) : L.Start;
}

/// The loop counts down while a pointer or an index goes up its rows.
static bool isCountdown(const VersionedLoop &V) {
  return V.Rows.IsDown && !V.Version.Reads.empty() &&
         !V.Rows.Reads[V.Version.Reads.front()].Mover.empty();
}

/// The iterations since a tile began.
static std::string sinceFrom(const VersionedLoop &V) {
  return isCountdown(V) ? V.From + " - " + V.Rows.Iterator
                        : V.Rows.Iterator + " - " + V.From;
}

/// The element of a tile that an iteration reads first.
static std::string indexInTile(const VersionedLoop &V, const RowRead &R) {
  const std::string Iteration = sinceFrom(V);
  if (!R.Walk)
    return R.Stride == 1 ? Iteration : "(" + Iteration + ") * " + str(R.Stride);
  const std::string First = firstOf(*R.Walk);
  return R.Walk->Iterator + (First == "0" ? "" : " - " + termOf(First));
}

/// The body with its references replaced, without its comments.
static std::string bodyOf(const VersionedLoop &V, const std::string &Text) {
  const RowLoop &L = V.Rows;
  std::map<unsigned, std::pair<unsigned, std::string>> Changes; // begin, end
  for (auto [R, Name] : llvm::zip_equal(V.Version.Reads, V.RowNames))
    for (auto [Place, Offset] :
         llvm::zip_equal(L.Reads[R].Places, L.Reads[R].Offsets))
      Changes[Place.Begin] = {Place.End,
                              Name + "[" + indexInTile(V, L.Reads[R]) +
                                  (Offset ? " + " + str(Offset) : "") + "]"};
  for (auto [R, Name] : llvm::zip_equal(V.Version.Sums, V.SumNames))
    for (const SourceSpan &Place : L.Sums[R].Places)
      Changes[Place.Begin] = {Place.End, Name};
  forEachToken(Text, L.Body.Begin,
               [&](const clang::Token &T, unsigned Begin, unsigned End) {
                 if (Begin >= L.Body.End)
                   return false;
                 if (T.is(clang::tok::comment))
                   Changes[Begin] = {End, ""};
                 return true;
               });
  std::string Out;
  unsigned At = L.Body.Begin;
  for (const auto &[Begin, Change] : Changes) {
    if (Begin < At) // a comment in what is replaced
      continue;
    Out += Text.substr(At, Begin - At) + Change.second;
    At = Change.first;
  }
  return Out + Text.substr(At, L.Body.End - At);
}

static void addBody(const VersionedLoop &V, const std::string &Text,
                    std::vector<std::string> &Out) {
  std::string Body = bodyOf(V, Text);
  llvm::SmallVector<StringRef> Lines;
  StringRef(Body).split(Lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef Line : Lines)
    if (!Line.trim().empty())
      Out.push_back(Line.trim().str());
}

std::string tileDeclaration(const VersionedLoop &V) {
  return (V.Tiles.IsDynamic ? "extern " : "") +
         ("__shared__ __align__(16) unsigned char " + V.Array) + "[" +
         (V.Tiles.IsDynamic ? "" : str(V.Tiles.bytes())) + "];";
}

/// The rows of the thread itself: pointers into the tiles.
static void addRows(const VersionedLoop &V, std::vector<std::string> &Out) {
  if (!V.SharesTiles)
    Out.push_back(tileDeclaration(V));
  if (!isFlat(V.K))
    Out.push_back("const unsigned " + V.Thread + " = " + threadOf(V.K) + ";");
  int64_t Offset = V.Tiles.DynamicOffset;
  for (auto [R, Name] : llvm::zip_equal(V.Version.Reads, V.RowNames)) {
    const RowRead &Read = V.Rows.Reads[R];
    const bool InWords = isInWords(Read);
    const int64_t First = Offset + (InWords ? WordBytes : 0);
    Out.push_back(llvm::formatv("{0} *{1}{2} = ({0} *)({3} + {4}{5} * {6});",
                                Read.Type, InWords ? "" : "const ", Name,
                                V.Array, First ? str(First) + " + " : "",
                                V.Tiles.ThreadBytes, V.Thread));
    Offset += rowBytes(V.Rows, V.Version, R);
  }
  Out.push_back("const unsigned " + V.Lanes + " = __activemask();");
}

/// The first element of the tile, behind its iterations.
static std::string beginOf(const VersionedLoop &V, const RowRead &R) {
  return R.Mover.empty() ? addressOf(at(V.Rows, R.Text, V.From))
                         : addressOf(R.Text) + " - (" + sinceFrom(V) + ")";
}

/// A call that stores what the lane has written to its part of a tile.
static std::string storeOf(const VersionedLoop &V, const RowRead &R,
                           StringRef Name) {
  return llvm::formatv(
      "{0}<{1}, {2}>({3}, {4}, {5}, {6}, {7});",
      isInWords(R) ? "cattStoreWords" : "cattStoreRow", V.Version.Columns,
      V.Tiles.ThreadBytes, V.Lanes, V.Thread, Name, beginOf(V, R),
      V.Rows.IsDown && !isCountdown(V) ? V.Count : sinceFrom(V));
}

/// A call that loads what a tile holds of a row, from this element on.
static std::string loadOf(const VersionedLoop &V, const RowRead &R,
                          StringRef Name, StringRef First, StringRef Count) {
  const std::string Load =
      isInWords(R) ? (Name + " = cattLoadWords").str() : "cattLoadRow";
  return llvm::formatv("{0}<{1}, {2}>({3}, {4}, {5}, {6}, {7} ? {8} : 0);",
                       Load, V.Version.Columns, V.Tiles.ThreadBytes, V.Lanes,
                       V.Thread, Name, addressOf(First), runsOn(V.Rows), Count);
}

static bool writesRows(const VersionedLoop &V) {
  return llvm::any_of(V.Version.Reads,
                      [&](unsigned R) { return V.Rows.Reads[R].IsWritten; });
}

/// A row that is only written lies in its tile as it does in memory.
static std::string alike(StringRef Name, StringRef First) {
  return llvm::formatv("{0} = cattAlike({0}, {1});", Name, addressOf(First));
}

/// A tile of a loop that counts down begins with its last iteration.
static void addTilesDown(const VersionedLoop &V,
                         std::vector<std::string> &Out) {
  const RowLoop &L = V.Rows;
  const int64_t Window = windowOf(V.Rows, V.Version);
  Out.push_back("const auto " + V.From + " = " + runsOn(L) + " && " +
                tripsFrom(L, L.Iterator) + " > " + str(Window) + " ? " +
                L.Iterator + " - " + str(Window - 1) + " : " + lastOf(L) + ";");
  if (writesRows(V))
    Out.push_back("const auto " + V.Count + " = " + runsOn(L) + " ? " +
                  L.Iterator + " - " + V.From + " + 1 : 0;");
  for (auto [R, Name] : llvm::zip_equal(V.Version.Reads, V.RowNames)) {
    const RowRead &Read = L.Reads[R];
    const std::string First = at(L, Read.Text, V.From);
    if (Read.IsRead)
      Out.push_back(
          loadOf(V, Read, Name, First,
                 L.Iterator + " - " + V.From + " + " + str(Read.Halo + 1)));
    else if (isInWords(Read))
      Out.push_back(alike(Name, First));
  }
  Out.push_back("for (; " + runsOn(L) + " && " + L.Iterator + " >= " + V.From +
                "; " + L.Step + ")");
}

/// "++j", and "++p" where the tile's element takes the place of "*p++".
static std::string stepOf(const VersionedLoop &V) {
  std::string Out = V.Rows.Step;
  for (unsigned R : V.Version.Reads) {
    const RowRead &Read = V.Rows.Reads[R];
    if (Read.MovesInPlaces)
      Out += (Out.empty() ? "++" : ", ++") + Read.Mover;
  }
  return Out;
}

/// The head of the loop over tiles, and of the loop over a tile.
static void addTileLoops(const VersionedLoop &V,
                         std::vector<std::string> &Out) {
  const RowLoop &L = V.Rows;
  Out.push_back("for (" + L.Init + " __any_sync(" + V.Lanes + ", " + runsOn(L) +
                ");) {");
  if (L.IsDown && !isCountdown(V))
    return addTilesDown(V, Out);
  const std::string First = "const auto " + V.From + " = " + L.Iterator + ";";
  const bool Writes = writesRows(V);
  if (Writes)
    Out.push_back(First);
  for (auto [R, Name] : llvm::zip_equal(V.Version.Reads, V.RowNames))
    if (L.Reads[R].IsRead)
      Out.push_back(loadOf(V, L.Reads[R], Name, L.Reads[R].Text,
                           elementsFrom(L, L.Reads[R], L.Iterator)));
    else if (isInWords(L.Reads[R]))
      Out.push_back(alike(Name, L.Reads[R].Text));
  Out.push_back("for (" + (Writes ? ";" : First) + " " + runsOn(L) + " && " +
                sinceFrom(V) + " < " + str(windowOf(V.Rows, V.Version)) + "; " +
                stepOf(V) + ")");
}

/// Loads whole rows, 32 elements of each at a time.
static void addRowsThatStay(const VersionedLoop &V,
                            std::vector<std::string> &Out) {
  for (auto [R, Name] : llvm::zip_equal(V.Version.Reads, V.RowNames)) {
    const RowRead &Read = V.Rows.Reads[R];
    const RowWalk &L = *Read.Walk;
    const std::string First = firstOf(L), From = V.From,
                      Count = elementsFrom(L, Read, L.Start),
                      Element = First == "0"
                                    ? From
                                    : llvm::formatv("{0} + {1}", First, From);
    Out.push_back(llvm::formatv(
        "for (int {0} = 0; __any_sync({1}, {0} < {2}); {0} += {3})", From,
        V.Lanes, Count, WarpLanes));
    Out.push_back(llvm::formatv(
        "cattLoadRow<{0}, {1}>({2}, {3}, {4} + {5}, {6}, {7} ? {8} - {5} : "
        "0);",
        WarpLanes, V.Tiles.ThreadBytes, V.Lanes, V.Thread, Name, From,
        addressOf(at(L, Read.Text, Element)), runsAt(V.Rows, V.Rows.Start),
        Count));
  }
}

static std::vector<std::string> codeOf(const VersionedLoop &V,
                                       const std::string &Text) {
  const RowLoop &L = V.Rows;
  const bool Stays = walkInside(L, V.Version).has_value(),
             InTiles = !V.Version.Reads.empty() && !Stays;
  std::vector<std::string> Out = {"if (" + conditionOf(V) + ") {"};
  if (InTiles || Stays)
    addRows(V, Out);
  if (Stays)
    addRowsThatStay(V, Out);
  for (auto [R, Name] : llvm::zip_equal(V.Version.Sums, V.SumNames))
    Out.push_back(L.Sums[R].Type + " " + Name + " = " + L.Sums[R].Text + ";");
  if (InTiles)
    addTileLoops(V, Out);
  else
    Out.push_back("for (" + L.Init + " " + runsOn(L) + "; " + L.Step + ")");
  addBody(V, Text, Out);
  for (auto [R, Name] : llvm::zip_equal(V.Version.Reads, V.RowNames))
    if (L.Reads[R].IsWritten)
      Out.push_back(storeOf(V, L.Reads[R], Name));
  if (InTiles)
    Out.push_back("}");
  for (auto [R, Name] : llvm::zip_equal(V.Version.Sums, V.SumNames))
    Out.push_back(L.Sums[R].Text + " = " + Name + ";");
  // What follows loads the sums as before, so that its products are fused with
  // the same sums.
  if (!V.Version.Sums.empty())
    Out.push_back("__syncwarp(" + (InTiles ? V.Lanes : "__activemask()") +
                  ");");
  Out.push_back("} else {");
  return Out;
}

//===-- Edits -------------------------------------------------------------===//

/// What the versions call (AddedFunctions.h).
static constexpr const char *Functions[] = {
    "cattLoadRow",    "cattLoadWords", "cattAlike",        "cattStoreRow",
    "cattStoreWords", "cattApart",     "cattDynamicShared"};

std::optional<Refusal> cannotVersion(const Context &C, const RowLoop &Rows) {
  const Kernel &K = C.Kernel.Source;
  const Location &Where = K.Loops[Rows.Loop].Where;
  if (std::vector<Refusal> Against = againstEdits(K); !Against.empty())
    return Against.front();
  for (const Refusal &R : K.Loops[Rows.Loop].Refusals)
    if (R.Kind == Reason::Suppressed)
      return R;
  // One that is split inside waits for the whole block, of which a part may run
  // the version.
  if (llvm::any_of(C.Kernel.Plan.Loops, [&](const LoopPlan &P) {
        return !P.Why && P.Groups > 1 && P.Loop != Rows.Loop &&
               isInside(K, P.Loop, Rows.Loop);
      }))
    return Refusal{Reason::EditsOverlap, Where, ""};
  // A value that waits in shared memory is stored there in the loop, and would
  // not be in its copy.
  auto Inside = [&](const SpillPoint &P) {
    const SourceSpan &At = K.Statements[P.Statement].Span;
    return At.File == Rows.Span.File && At.Begin > Rows.Span.Begin &&
           At.Begin < Rows.Span.End;
  };
  if (C.Kernel.Spill &&
      llvm::any_of(C.Kernel.Spill->Moved, [&](const MovedValue &M) {
        return llvm::any_of(M.Of.Points, Inside);
      }))
    return Refusal{Reason::EditsOverlap, Where, ""};
  if (std::optional<Refusal> R = cannotEdit(C.Files, Rows.Span, Where))
    return R;
  if (Rows.InCallee && hasRewrittenLoop(K, C.Files))
    return Refusal{Reason::AlreadyRewritten, Where, ""};
  // A loop that one of them has another version of is left to it.
  for (Part Written : {Part::Stage, Part::Sums})
    if (isMarked(K, transformFor(Written).name(), C.Files))
      return Refusal{Reason::AlreadyRewritten, Where, ""};
  auto InMacro = [&](const std::string &What) {
    return Refusal{Reason::InMacro, Where, What};
  };
  const FileContext &File = C.Files.at(Rows.Span.File);
  if (!File.MacroOnBuiltin.empty())
    return InMacro("the macro " + File.MacroOnBuiltin);
  if (!Rows.OwnLines)
    return InMacro("other code on its lines");
  for (const char *Function : Functions)
    if (isTaken(File, *findFunction(Function)))
      return InMacro(std::string("the name ") + Function + " in the file");
  if (!File.places().above({Rows.Top}, Rows.Span.Begin))
    return InMacro("what stands before its function: no other can be added");
  return std::nullopt;
}

void writeVersion(const VersionedLoop &V, StringRef Reason, EditBuilder &Out) {
  const RowLoop &L = V.Rows;
  const bool InTiles = !V.Version.Reads.empty();
  const FileContext &File = Out.files().at(L.Span.File);
  std::vector<std::string> Code = codeOf(V, File.Text);
  for (const char *Function : Functions)
    if (llvm::any_of(Code, [&](StringRef Line) {
          return Line.contains(std::string(Function) + "(") ||
                 Line.contains(std::string(Function) + "<");
        }))
      Out.edits().Calls.push_back(
          {Function, &Out.transform(), L.Span.File, L.Span.Begin, {L.Top}});
  Out.wrapStatements(L.Span, L.OwnLines,
                     {str(InTiles ? V.Version.Columns : V.Version.Sums.size()),
                      Reason.str(),
                      std::move(Code),
                      {"}"}});
}

} // namespace catt
