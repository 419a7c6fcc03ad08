//===- StageRows.cpp - Rows that the warp loads together ------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads the rows that the lanes of a warp walk together, through shared memory.
//
// Before:
//   for (int j = 0; j < m; ++j)
//     s += A[i * m + j] * x[j];
//
// After:
//   // catt: stage-rows(16): the warp loads the rows of its lanes together
//   if (blockDim.x <= 256 && blockDim.y * blockDim.z == 1 && m >= 32) {
//     __shared__ float cattRows_A[256][17];
//     const unsigned cattLanes = __activemask();
//     for (int j = 0; __any_sync(cattLanes, j < m);) {
//       cattLoadRows<16>(cattLanes, cattRows_A, threadIdx.x, &A[i * m + j],
//                        j < m ? m - j : 0);
//       for (const auto cattFrom = j; j < m && j - cattFrom < 16; ++j)
//         s += cattRows_A[threadIdx.x][j - cattFrom] * x[j];
//     }
//   } else { // catt: begin 3f2a1c
//   for (int j = 0; j < m; ++j)
//     s += A[i * m + j] * x[j];
//   } // catt: end
//   // catt: done 90be47
//
// Each lane runs its own iterations in their order, so that every sum keeps its
// bits. Whichever lanes come to the loop together are one group: they stay
// together until none of them has iterations left, and each has a row of the
// tile of its own, so that the lanes of another group do not disturb them. No
// barrier of the block is needed, so that the loop may stand in divergent code.
// Reading ahead is safe where analysis/source/values/RowLoops.h says so.
//
// Limits: those of analysis/plan/stage/StagePlan.h; loops that share a line
// with other code, or with comments or directives that a copy cannot keep.
// Refused are kernels whose blocks wait for each other, as the tiles may leave
// fewer of them on an SM, and those that use dynamic shared memory where a
// launch does not say how much.
//
//===----------------------------------------------------------------------===//
#include "transforms/AddedFunctions.h"
#include "transforms/FilePlaces.h"
#include "transforms/KernelUses.h"
#include "transforms/LaunchEdit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using llvm::StringRef;

namespace catt {
namespace {

/// Names that the added code declares.
struct Names {
  std::vector<std::string> Rows; ///< the tile of each staged read
  std::string Lanes, Thread, From;
};

/// One loop and the code for it.
struct Staging {
  const Kernel &K;
  const RowLoop &Rows;
  const StagedLoop &Plan;
  Names Called;
};

} // namespace

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

static Names namesFor(const Kernel &K, const RowLoop &Rows,
                      const StagedLoop &Plan, const FileContext &File) {
  Names Out;
  std::map<std::string, unsigned> Used;
  for (unsigned R : Plan.Reads) {
    StringRef Base = StringRef(Rows.Reads[R].Text).take_while([](char C) {
      return llvm::isAlnum(C) || C == '_';
    });
    std::string Name = ("cattRows_" + Base).str();
    if (unsigned Number = ++Used[Name]; Number > 1)
      Name += "_" + std::to_string(Number);
    Out.Rows.push_back(freshName(File, Name));
  }
  Out.Lanes = freshName(File, "cattLanes");
  Out.From = freshName(File, "cattFrom");
  Out.Thread = isFlat(K) ? threadOf(K) : freshName(File, "cattThread");
  return Out;
}

/// What can stand before a minus.
static std::string minuend(const std::string &Text) {
  bool Binds = Text.find_first_of("<>&|^?=") == std::string::npos;
  return Binds ? Text : "(" + Text + ")";
}

/// A term that can stand behind a minus.
static std::string term(const std::string &Text) {
  bool Simple =
      llvm::all_of(Text, [](char C) { return llvm::isAlnum(C) || C == '_'; });
  return Simple ? Text : "(" + Text + ")";
}

/// A reference with another first index: "A[i * m + 0]".
static std::string firstOf(const RowLoop &L, const std::string &Reference) {
  std::string Out;
  unsigned At = 0;
  forEachToken(Reference, 0,
               [&](const clang::Token &T, unsigned Begin, unsigned End) {
                 bool Is = T.is(clang::tok::raw_identifier) &&
                           StringRef(Reference).slice(Begin, End) == L.Iterator;
                 if (Is) {
                   Out += Reference.substr(At, Begin - At) + term(L.Start);
                   At = End;
                 }
                 return true;
               });
  return Out + Reference.substr(At);
}

/// The iterations of the loop; at most none where the limit is below.
static std::string tripsOf(const RowLoop &L) {
  return L.Start == "0" ? L.Limit : minuend(L.Limit) + " - " + term(L.Start);
}

/// `cattApart(...)` for each store that a row is to be compared with.
static std::vector<std::string> comparisonsOf(const Staging &S) {
  std::vector<std::string> Out;
  for (unsigned R : S.Plan.Reads)
    for (unsigned I : S.Rows.Reads[R].Apart) {
      const RowStore &Store = S.Rows.Stores[I];
      std::string Trips = tripsOf(S.Rows);
      Out.push_back("cattApart(&" + firstOf(S.Rows, S.Rows.Reads[R].Text) +
                    ", " + Trips + ", &" +
                    (Store.Walks ? firstOf(S.Rows, Store.Text) : Store.Text) +
                    ", " + (Store.Walks ? Trips : "1") + ")");
    }
  return Out;
}

static std::string guardOf(const Staging &S) {
  std::string Out =
      isFlat(S.K) ? "blockDim.x" : "blockDim.x * blockDim.y * blockDim.z";
  Out += " <= " + std::to_string(S.Plan.Threads);
  if (isFlat(S.K) && !S.K.AllLaunchesVisible)
    Out += " && blockDim.y * blockDim.z == 1";
  if (S.Plan.MinTrips)
    Out += " && " + tripsOf(S.Rows) + " >= " + std::to_string(S.Plan.MinTrips);
  for (const std::string &Each : comparisonsOf(S))
    Out += " && " + Each;
  return Out;
}

/// The body with its staged reads replaced, without its comments.
static std::string bodyOf(const Staging &S, const std::string &Text) {
  std::map<unsigned, std::pair<unsigned, std::string>> Changes; // begin, end
  for (auto [R, Tile] : llvm::zip_equal(S.Plan.Reads, S.Called.Rows))
    for (const SourceSpan &Place : S.Rows.Reads[R].Places)
      Changes[Place.Begin] = {Place.End, Tile + "[" + S.Called.Thread + "][" +
                                             S.Rows.Iterator + " - " +
                                             S.Called.From + "]"};
  forEachToken(Text, S.Rows.Body.Begin,
               [&](const clang::Token &T, unsigned Begin, unsigned End) {
                 if (Begin >= S.Rows.Body.End)
                   return false;
                 if (T.is(clang::tok::comment))
                   Changes[Begin] = {End, ""};
                 return true;
               });
  std::string Out;
  unsigned At = S.Rows.Body.Begin;
  for (const auto &[Begin, Change] : Changes) {
    if (Begin < At) // a comment in what is replaced
      continue;
    Out += Text.substr(At, Begin - At) + Change.second;
    At = Change.first;
  }
  return Out + Text.substr(At, S.Rows.Body.End - At);
}

static std::vector<std::string> codeOf(const Staging &S,
                                       const std::string &Text) {
  const RowLoop &L = S.Rows;
  const std::string Columns = std::to_string(S.Plan.Columns),
                    Runs = L.Iterator + " < " + L.Limit;
  std::vector<std::string> Out = {"if (" + guardOf(S) + ") {"};
  for (auto [R, Tile] : llvm::zip_equal(S.Plan.Reads, S.Called.Rows))
    Out.push_back(llvm::formatv("__shared__ {0} {1}[{2}][{3}];",
                                L.Reads[R].Type, Tile, S.Plan.Threads,
                                S.Plan.Columns + 1));
  if (!isFlat(S.K))
    Out.push_back("const unsigned " + S.Called.Thread + " = " + threadOf(S.K) +
                  ";");
  Out.push_back("const unsigned " + S.Called.Lanes + " = __activemask();");
  Out.push_back("for (" + L.Init + " __any_sync(" + S.Called.Lanes + ", " +
                Runs + ");) {");
  for (auto [R, Tile] : llvm::zip_equal(S.Plan.Reads, S.Called.Rows))
    Out.push_back(llvm::formatv(
        "cattLoadRows<{0}>({1}, {2}, {3}, &{4}, {5} ? {6} - {7} : 0);", Columns,
        S.Called.Lanes, Tile, S.Called.Thread, L.Reads[R].Text, Runs,
        minuend(L.Limit), L.Iterator));
  Out.push_back("for (const auto " + S.Called.From + " = " + L.Iterator + "; " +
                Runs + " && " + L.Iterator + " - " + S.Called.From + " < " +
                Columns + "; " + L.Step + ")");
  std::string Body = bodyOf(S, Text);
  llvm::SmallVector<StringRef> Lines;
  StringRef(Body).split(Lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef Line : Lines)
    if (!Line.trim().empty())
      Out.push_back(Line.trim().str());
  Out.push_back("}");
  Out.push_back("} else {");
  return Out;
}

//===-- The transform -----------------------------------------------------===//

/// A value that waits in shared memory is stored there in the loop, and would
/// not be in its copy.
static bool spillsInside(const KernelReport &Kernel, const RowLoop &Rows) {
  auto Inside = [&](const SpillPoint &P) {
    const SourceSpan &At = Kernel.Source.Statements[P.Statement].Span;
    return At.File == Rows.Span.File && At.Begin > Rows.Span.Begin &&
           At.Begin < Rows.Span.End;
  };
  return Kernel.Spill &&
         llvm::any_of(Kernel.Spill->Moved, [&](const MovedValue &M) {
           return llvm::any_of(M.Of.Points, Inside);
         });
}

/// What stands against more shared memory for each block: it may leave fewer
/// of them on an SM, or be more than a launch in sight or elsewhere can have.
static std::optional<Refusal> cannotTakeShared(const Context &C) {
  const Kernel &K = C.Kernel.Source;
  std::vector<Refusal> Waiting;
  refuseFewerBlocks(K, Waiting);
  if (!Waiting.empty())
    return Waiting.front();
  int64_t Bytes = K.StaticSharedBytes;
  for (const StagedLoop &Each : C.Kernel.Plan.Staged)
    Bytes += Each.SharedBytes;
  const bool Spills = C.Kernel.Spill && !C.Kernel.Spill->Moved.empty();
  if (Spills)
    Bytes += C.Kernel.Spill->sharedBytes();
  if (Bytes > C.Gpu.SharedBytesPerBlock ||
      (Spills && C.Kernel.Spill->isDynamic()))
    return Refusal{Reason::NotEnoughShared, K.Where,
                   std::to_string(Bytes) + " bytes with its slots and tiles"};
  if (!K.UsesDynamicShared)
    return std::nullopt;
  for (const Launch &L : K.Launches)
    if (!L.DynamicSharedBytes)
      return Refusal{Reason::NotEnoughShared, L.Where,
                     "dynamic shared memory that only the run knows"};
  if (std::optional<std::string> Foreign = foreignUse(K, C.Files))
    return Refusal{Reason::LaunchedElsewhere, K.Where, *Foreign};
  return std::nullopt;
}

/// Why the text of the loop cannot be edited, if so.
static std::optional<Refusal> obstacle(const Context &C, const RowLoop &Rows,
                                       StringRef Name) {
  const Kernel &K = C.Kernel.Source;
  const Location &Where = K.Loops[Rows.Loop].Where;
  if (std::vector<Refusal> Against = againstEdits(K); !Against.empty())
    return Against.front();
  for (const Refusal &R : K.Loops[Rows.Loop].Refusals)
    if (R.Kind == Reason::Suppressed)
      return R;
  if (spillsInside(C.Kernel, Rows))
    return Refusal{Reason::EditsOverlap, Where, ""};
  if (std::optional<Refusal> R = cannotEdit(C.Files, Rows.Span, Where))
    return R;
  if (isMarked(K, Name, C.Files))
    return Refusal{Reason::AlreadyRewritten, Where, ""};
  auto InMacro = [&](const std::string &What) {
    return Refusal{Reason::InMacro, Where, What};
  };
  const FileContext &File = C.Files.at(Rows.Span.File);
  if (!File.MacroOnBuiltin.empty())
    return InMacro("the macro " + File.MacroOnBuiltin);
  if (!Rows.OwnLines)
    return InMacro("other code on its lines");
  for (const char *Function : {"cattLoadRows", "cattApart"})
    if (isTaken(File, *findFunction(Function)))
      return InMacro(std::string("the name ") + Function + " in the file");
  if (!File.places().above({K.Top}, Rows.Span.Begin))
    return InMacro("what stands before the kernel: no function can be added");
  return std::nullopt;
}

namespace {
struct PreparedStages final : Prepared {
  void edit(EditBuilder &Out) const override;
  std::vector<Staging> Stages;
};

class StageRows final : public Transform {
public:
  using Transform::Transform;
  StringRef summary() const override {
    return "Loads the rows that the lanes of a warp walk together, through "
           "shared memory.";
  }
  Preparation prepare(const Context &C) const override;
  bool giveUp(KernelReport &Kernel, const Shortfall &Refused) const override;
  bool hasThrottled(const Kernel &Kernel,
                    const FileContexts &Files) const override {
    return isMarked(Kernel, name(), Files);
  }
};
} // namespace

void PreparedStages::edit(EditBuilder &Out) const {
  for (const Staging &S : Stages) {
    const FileContext &File = Out.files().at(S.Rows.Span.File);
    const std::string Columns = std::to_string(S.Plan.Columns);
    Out.wrapStatements(S.Rows.Span, S.Rows.OwnLines,
                       {Columns,
                        "the warp loads the rows of its lanes together",
                        codeOf(S, File.Text),
                        {"}"}});
    for (const char *Function : {"cattLoadRows", "cattApart"})
      if (Function == StringRef("cattLoadRows") || !comparisonsOf(S).empty())
        Out.edits().Calls.push_back({Function,
                                     &Out.transform(),
                                     S.Rows.Span.File,
                                     S.Rows.Span.Begin,
                                     {S.K.Top}});
    const size_t Count = S.Plan.Reads.size();
    Out.done(S.K.Loops[S.Rows.Loop].Where, "loads " + std::to_string(Count) +
                                               (Count == 1 ? " row" : " rows") +
                                               " of each lane in tiles of " +
                                               Columns + " elements");
  }
}

Preparation StageRows::prepare(const Context &C) const {
  Preparation Out;
  Out.Refusals = C.Kernel.Plan.NotStaged;
  auto Found = std::make_unique<PreparedStages>();
  const Kernel &K = C.Kernel.Source;
  if (C.Kernel.Plan.Staged.empty())
    return Out;
  if (std::optional<Refusal> R = cannotTakeShared(C)) {
    Out.Refusals.push_back(std::move(*R));
    return Out;
  }
  for (const StagedLoop &Plan : C.Kernel.Plan.Staged) {
    const RowLoop &Rows = K.RowLoops[Plan.Rows];
    if (std::optional<Refusal> R = obstacle(C, Rows, name()))
      Out.Refusals.push_back(std::move(*R));
    else
      Found->Stages.push_back(
          {K, Rows, Plan, namesFor(K, Rows, Plan, C.Files.at(Rows.Span.File))});
  }
  if (!Found->Stages.empty())
    Out.Found = std::move(Found);
  return Out;
}

/// Loops whose rows are planned in tiles and were not written so.
bool StageRows::giveUp(KernelReport &Kernel, const Shortfall &Refused) const {
  bool Any = false;
  for (const StagedLoop &Plan : Kernel.Plan.Staged) {
    RowLoop &Rows = Kernel.Source.RowLoops[Plan.Rows];
    std::optional<Refusal> Why =
        Refused.refusedAt(Kernel.Source.Loops[Rows.Loop].Where);
    if (!Why)
      continue;
    Rows.Refusals.push_back(std::move(*Why));
    Any = true;
  }
  return Any;
}

const Transform &theStageRows(const TransformTraits &Traits) {
  static const StageRows Only(Traits);
  return Only;
}

} // namespace catt
