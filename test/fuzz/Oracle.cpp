//===- Oracle.cpp - Predicted lines are the lines that were touched --------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Access::Offset(thread, block, iterations) == traced address - base
//   LevelFootprint, proved    == distinct traced lines of that iteration
//   LevelFootprint, estimated >= them, unless an index depends on data
//   Level.Reuse, proved       == some line is touched in two iterations
//
// Loops and accesses are told apart by their place in the source. Kernels in
// which two loops share a line are left out, and counted as such.
//
//===----------------------------------------------------------------------===//

#include "test/fuzz/Oracle.h"
#include "analysis/memory/Footprint.h"
#include "analysis/memory/LineWalk.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using catt::simt::TraceRecord;

namespace catt::fuzz {
namespace {

class Oracle {
public:
  Oracle(const Kernel &Source, const TracedLaunch &K, const simt::Result &Run,
         Counts &Seen)
      : Source(Source), K(K), Run(Run), Seen(Seen) {
    Options.Block = {K.Block.X, K.Block.Y, K.Block.Z};
    Options.Grid = {K.Grid.X, K.Grid.Y, K.Grid.Z};
    Options.ThroughL1Only = false; // the trace does not tell
    Options.Parameters = K.Integers;
  }

  std::vector<std::string> compare() {
    if (!loopsAreApart()) {
      ++Seen["kernels whose loops share a line"];
      return {};
    }
    offsets();
    for (const Loop &L : Source.Loops)
      footprints(L.Id);
    return std::move(Differences);
  }

private:
  const Kernel &Source;
  const TracedLaunch &K;
  const simt::Result &Run;
  Counts &Seen;
  FootprintOptions Options;
  std::map<unsigned, unsigned> LoopOfLine;
  std::vector<std::string> Differences;

  void differs(const Location &At, const std::string &Text) {
    if (Differences.size() < 4)
      Differences.push_back("line " + std::to_string(At.Line) + ": " + Text);
  }

  bool loopsAreApart() {
    for (const Loop &L : Source.Loops)
      if (!LoopOfLine.emplace(L.Where.Line, L.Id).second)
        return false;
    for (const TraceRecord &T : Run.Trace)
      for (unsigned D = 0; D < T.Depth && D < simt::MaxTracedLoops; ++D)
        if (!LoopOfLine.count(Run.Places[T.Loops[D].Where].Line))
          return false;
    return true;
  }

  //===-- Offsets ---------------------------------------------------------===//

  std::optional<int64_t> valueOf(const Atom &A, const TraceRecord &T) const {
    unsigned Dim = unsigned(A.Dim);
    const unsigned Block[] = {K.Block.X, K.Block.Y, K.Block.Z};
    const unsigned Grid[] = {K.Grid.X, K.Grid.Y, K.Grid.Z};
    auto Split = [Dim](uint64_t Linear, const unsigned *Extents) {
      for (unsigned D = 0; D < Dim; ++D)
        Linear /= Extents[D];
      return int64_t(Linear % Extents[Dim]);
    };
    switch (A.K) {
    case Atom::Kind::ThreadIdx:
      return Split(T.Thread, Block);
    case Atom::Kind::BlockIdx:
      return Split(T.Block, Grid);
    case Atom::Kind::BlockDim:
      return Block[Dim];
    case Atom::Kind::GridDim:
      return Grid[Dim];
    case Atom::Kind::Iterator:
      for (unsigned D = 0; D < T.Depth && D < simt::MaxTracedLoops; ++D)
        if (LoopOfLine.at(Run.Places[T.Loops[D].Where].Line) == A.Id)
          return T.Loops[D].Iteration;
      return std::nullopt;
    case Atom::Kind::Parameter: {
      auto It = Options.Parameters.find(A.Name);
      if (It != Options.Parameters.end())
        return It->second;
      return std::nullopt;
    }
    default:
      return std::nullopt;
    }
  }

  /// True if the access can have made the record; std::nullopt if that cannot
  /// be said.
  std::optional<bool> explains(const Access &A, const TraceRecord &T) const {
    auto Base = K.Buffers.find(A.Base);
    if (!A.Offset || Base == K.Buffers.end())
      return std::nullopt;
    auto Value = [&](const Atom &Leaf) { return valueOf(Leaf, T); };
    std::optional<int64_t> Offset = A.Offset->evaluate(Value);
    if (!Offset)
      return std::nullopt;
    for (const Guard &G : A.Guards)
      if (std::optional<int64_t> C = G.Condition.evaluate(Value); C && *C < 0)
        return false;
    int64_t Into = int64_t(T.Address - Base->second) - *Offset;
    // A struct is copied member by member.
    return Into >= 0 && Into + T.Size <= A.SizeBytes &&
           (Into == 0 || T.Size < A.SizeBytes);
  }

  void offsets() {
    // A store is traced at its operator: those go by line, as column 0.
    std::map<std::pair<unsigned, unsigned>, std::vector<const Access *>> At;
    for (const Access &A : Source.Accesses) {
      if (A.Space != AddressSpace::Global)
        continue;
      At[{A.Where.Line, A.Where.Column}].push_back(&A);
      // A field is traced at its name.
      size_t Field = A.Text.find_last_of(".>") + 1;
      if (Field && A.Text.find_first_of("[])", Field) == std::string::npos)
        At[{A.Where.Line, A.Where.Column + unsigned(Field)}].push_back(&A);
      if (A.Writes)
        At[{A.Where.Line, 0}].push_back(&A);
    }
    size_t Step = std::max<size_t>(Run.Trace.size() / 3000, 1);
    for (size_t I = 0; I < Run.Trace.size(); I += Step) {
      const TraceRecord &T = Run.Trace[I];
      const simt::Place &P = Run.Places[T.Where];
      auto Found = At.find({P.Line, P.Column});
      if (Found == At.end() && T.Kind != simt::Load)
        Found = At.find({P.Line, 0});
      if (T.In != simt::Space::Global)
        continue;
      if (Found == At.end()) {
        ++Seen["traced accesses that no reported one stands for by place"];
        continue;
      }
      bool Known = true, Explained = false;
      for (const Access *A : Found->second) {
        std::optional<bool> E = explains(*A, T);
        Known &= E.has_value();
        Explained |= E.value_or(false);
      }
      if (!Known)
        continue;
      ++Seen["traced addresses compared"];
      if (!Explained)
        differs(Found->second[0]->Where, addressText(*Found->second[0], T));
    }
  }

  std::string addressText(const Access &A, const TraceRecord &T) const {
    auto Value = [&](const Atom &Leaf) { return valueOf(Leaf, T); };
    auto Offset = A.Offset->evaluate(Value);
    std::string Text =
        A.Text + " is said to be at " + A.Offset->str() + " = " +
        (Offset ? std::to_string(*Offset) : "unknown") + " and was at " +
        std::to_string(T.Address - K.Buffers.at(A.Base)) + " (thread " +
        std::to_string(T.Thread) + ", block " + std::to_string(T.Block);
    for (unsigned D = 0; D < T.Depth; ++D)
      Text += ", iteration " + std::to_string(T.Loops[D].Iteration);
    Text += "), size " + std::to_string(A.SizeBytes) + " and " +
            std::to_string(T.Size) + "; guards:";
    for (const Guard &G : A.Guards)
      Text += " " + G.Condition.str() + " >= 0;";
    return Text;
  }

  //===-- Footprints ------------------------------------------------------===//

  /// The records of the representative block inside the level, and the
  /// iteration of the level that each belongs to.
  std::vector<std::pair<const TraceRecord *, uint32_t>>
  inside(unsigned Level, const Representative &Rep) const {
    std::vector<unsigned> Chain; // outermost first
    for (std::optional<unsigned> L = Level; L; L = Source.Loops[*L].Parent)
      Chain.insert(Chain.begin(), *L);
    uint64_t Block =
        Rep.Block[0] + K.Grid.X * (Rep.Block[1] + K.Grid.Y * Rep.Block[2]);
    std::vector<std::pair<const TraceRecord *, uint32_t>> Out;
    for (const TraceRecord &T : Run.Trace) {
      if (T.In != simt::Space::Global || T.Block != Block ||
          T.Depth < Chain.size())
        continue;
      bool Fits = true;
      for (unsigned D = 0; D < Chain.size(); ++D)
        Fits &= LoopOfLine.at(Run.Places[T.Loops[D].Where].Line) == Chain[D] &&
                (D + 1 == Chain.size() ||
                 T.Loops[D].Iteration == Rep.Iteration.at(Chain[D]));
      if (Fits)
        Out.push_back({&T, T.Loops[Chain.size() - 1].Iteration});
    }
    return Out;
  }

  static void addUnits(std::set<uint64_t> &To, const TraceRecord &T,
                       int64_t Unit) {
    for (uint64_t U = T.Address / Unit; U <= (T.Address + T.Size - 1) / Unit;
         ++U)
      To.insert(U);
  }

  bool isIrregular(unsigned Level) const {
    return llvm::any_of(Source.Accesses, [&](const Access &A) {
      return isCounted(Source, A, Level, Options) && !A.Offset;
    });
  }

  void check(const LevelFootprint &L, const char *What, int64_t Predicted,
             int64_t Traced) {
    bool Proved = L.From == Origin::Proved;
    ++Seen[Proved ? "proved counts compared" : "estimated counts compared"];
    if (Proved ? Predicted == Traced : Predicted >= Traced)
      return;
    const Loop &At = Source.Loops[L.Loop];
    differs(At.Where, At.Header + ": " + What + " are " +
                          (Proved ? "proved" : "estimated") + " to be " +
                          std::to_string(Predicted) + " and were " +
                          std::to_string(Traced));
  }

  void footprints(unsigned LoopId) {
    llvm::Expected<LoopProfile> Profile = profileLoop(Source, LoopId, Options);
    if (!Profile) {
      differs(Source.Loops[LoopId].Where, llvm::toString(Profile.takeError()));
      return;
    }
    if (Profile->Unknown)
      ++Seen["loops whose footprint is unknown"];
    Representative Rep = representative(Source, LoopId, Options);
    for (const LevelFootprint &L : Profile->Levels) {
      if (L.From != Origin::Proved && isIrregular(L.Loop)) {
        ++Seen["levels with an index that depends on data"];
        continue;
      }
      level(L, Rep);
    }
  }

  void level(const LevelFootprint &L, const Representative &Rep) {
    unsigned Warps = (K.Block.count() + 31) / 32;
    uint32_t At = Rep.Iteration.at(L.Loop);
    std::vector<std::set<uint64_t>> Lines(Warps);
    std::set<uint64_t> Sectors;
    std::map<uint32_t, std::set<uint64_t>> ByIteration;
    for (auto [T, Iteration] : inside(L.Loop, Rep)) {
      addUnits(ByIteration[Iteration], *T, LineBytes);
      if (Iteration != At)
        continue;
      addUnits(Lines[T->Thread / 32], *T, LineBytes);
      addUnits(Sectors, *T, SectorBytes);
    }
    check(L, "sectors of the block", L.SectorsPerBlock, Sectors.size());
    check(L, "lines of a warp", L.LinesPerWarp, largest(Lines, 1));
    check(L, "lines of the block", L.LinesPerBlock, largest(Lines, Warps));
    for (auto [Size, Count] : L.LinesByWarps)
      check(L, "lines of a group of warps", Count, largest(Lines, Size));
    reuse(L, Rep, ByIteration);
  }

  static int64_t largest(const std::vector<std::set<uint64_t>> &Lines,
                         unsigned Size) {
    size_t Most = 0;
    for (size_t First = 0; First < Lines.size(); First += Size) {
      std::set<uint64_t> Group;
      for (size_t W = First; W < std::min(First + Size, Lines.size()); ++W)
        Group.insert(Lines[W].begin(), Lines[W].end());
      Most = std::max(Most, Group.size());
    }
    return int64_t(Most);
  }

  void reuse(const LevelFootprint &L, const Representative &Rep,
             const std::map<uint32_t, std::set<uint64_t>> &ByIteration) {
    auto Trip = Rep.TripCount.find(L.Loop);
    if (L.From != Origin::Proved || Trip == Rep.TripCount.end())
      return;
    auto [First, Count] = reuseWindow(1, L.Loop, Rep, Options);
    std::set<uint64_t> All;
    size_t Sum = 0;
    for (const auto &[Iteration, Lines] : ByIteration) {
      if (Iteration < First || Iteration >= First + Count)
        continue;
      All.insert(Lines.begin(), Lines.end());
      Sum += Lines.size();
    }
    ++Seen["reuse compared"];
    if (L.Reuse != (All.size() < Sum))
      differs(Source.Loops[L.Loop].Where,
              Source.Loops[L.Loop].Header +
                  (L.Reuse ? ": reuse is proved and there is none"
                           : ": no reuse is proved and there is some"));
  }
};

} // namespace

std::vector<std::string> compareWithTrace(const Kernel &Source,
                                          const TracedLaunch &Launch,
                                          const simt::Result &Run,
                                          Counts &Seen) {
  return Oracle(Source, Launch, Run, Seen).compare();
}

} // namespace catt::fuzz
