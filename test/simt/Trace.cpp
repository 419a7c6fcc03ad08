//===- Trace.cpp - The oracle for footprints and for the L1 cache ----------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/simt/Trace.h"
#include <algorithm>
#include <deque>
#include <set>
#include <unordered_map>

namespace catt::simt {

namespace {
constexpr uint64_t LineBytes = 128, SectorBytes = 32;
}

//===-- Lines and sectors -------------------------------------------------===//

static bool inWindow(const Window &W, const TraceRecord &T,
                     const std::vector<Place> &Places) {
  for (unsigned I = 0; I < T.Depth; ++I)
    if (Places[T.Loops[I].Where].Line == W.LoopLine)
      return T.Loops[I].Iteration >= W.First && T.Loops[I].Iteration <= W.Last;
  return false;
}

bool selects(const Filter &F, const TraceRecord &T,
             const std::vector<Place> &Places) {
  const Place &P = Places[T.Where];
  bool Kind = (F.Loads && T.Kind != Store) || (F.Stores && T.Kind != Load);
  return Kind && T.In == F.In && T.Address >= F.From && T.Address < F.To &&
         (!F.Warp || T.Thread / 32 == *F.Warp) &&
         (!F.Thread || T.Thread == *F.Thread) &&
         (!F.Line || P.Line == *F.Line) &&
         (!F.Column || P.Column == *F.Column) &&
         (F.Blocks.empty() || std::find(F.Blocks.begin(), F.Blocks.end(),
                                        T.Block) != F.Blocks.end()) &&
         std::all_of(
             F.Windows.begin(), F.Windows.end(),
             [&](const Window &W) { return inWindow(W, T, Places); });
}

Touched touched(const Result &R, const Filter &F) {
  std::set<uint64_t> Sectors;
  for (const TraceRecord &T : R.Trace)
    if (selects(F, T, R.Places))
      for (uint64_t S = T.Address / SectorBytes;
           S <= (T.Address + T.Size - 1) / SectorBytes; ++S)
        Sectors.insert(S);
  Touched Result;
  for (uint64_t S : Sectors) {
    Result.Sectors.push_back(S);
    uint64_t Line = S / (LineBytes / SectorBytes);
    if (Result.Lines.empty() || Result.Lines.back() != Line)
      Result.Lines.push_back(Line);
  }
  return Result;
}

std::vector<uint32_t> blocksOfSM(uint32_t Blocks, unsigned SMs, unsigned SM) {
  std::vector<uint32_t> Result;
  for (uint32_t B = SM; B < Blocks; B += SMs)
    Result.push_back(B);
  return Result;
}

//===-- Requests of warps -------------------------------------------------===//

namespace {

/// Where a thread is in the program: (loop, iteration) pairs from outside in,
/// the access, and how often it was exactly there before.
using Position = std::vector<uint32_t>;

/// Numbers places in the order in which threads first come to them.
class PlaceOrder {
public:
  uint32_t operator[](uint32_t Where) {
    return Known.try_emplace(Where, Known.size()).first->second;
  }

private:
  std::unordered_map<uint32_t, uint32_t> Known;
};

Position positionOf(const TraceRecord &T, PlaceOrder &Order) {
  Position P;
  for (unsigned I = 0; I < T.Depth; ++I) {
    P.push_back(Order[T.Loops[I].Where]);
    P.push_back(T.Loops[I].Iteration);
  }
  P.push_back(Order[T.Where]);
  return P;
}

void addTo(WarpRequest &Q, const TraceRecord &T) {
  Q.Write = T.Kind != Load;
  Q.Where = T.Where;
  for (uint64_t S = T.Address / SectorBytes;
       S <= (T.Address + T.Size - 1) / SectorBytes; ++S)
    Q.Lines[S / 4] |= 1u << S % 4;
}

} // namespace

WarpRequests warpRequests(const Result &R, const Filter &F) {
  std::vector<const TraceRecord *> ByThread;
  for (const TraceRecord &T : R.Trace)
    if (selects(F, T, R.Places))
      ByThread.push_back(&T);
  std::stable_sort(ByThread.begin(), ByThread.end(), [](auto *A, auto *B) {
    return std::pair(A->Block, A->Thread) < std::pair(B->Block, B->Thread);
  });
  PlaceOrder Order;
  std::map<std::pair<uint32_t, unsigned>, std::map<Position, WarpRequest>> All;
  std::map<Position, uint32_t> Before; // of one thread
  const TraceRecord *Last = nullptr;
  for (const TraceRecord *T : ByThread) {
    if (!Last || Last->Block != T->Block || Last->Thread != T->Thread)
      Before.clear();
    Last = T;
    Position P = positionOf(*T, Order);
    uint32_t Occurrence = Before[P]++;
    P.push_back(Occurrence);
    addTo(All[{T->Block, T->Thread / 32u}][P], *T);
  }
  WarpRequests Result;
  for (auto &[Warp, Requests] : All)
    for (auto &[P, Q] : Requests)
      Result[Warp].push_back(std::move(Q));
  return Result;
}

//===-- The cache ---------------------------------------------------------===//

namespace {

class SectoredCache {
public:
  explicit SectoredCache(const CacheShape &C)
      : Ways(C.Ways ? C.Ways : std::max<uint64_t>(1, C.Bytes / LineBytes)),
        Sets(std::max<uint64_t>(1, C.Bytes / LineBytes / Ways)),
        Policy(C.Policy), State(C.Seed * 2 + 1) {}

  /// Reads sectors of a line; returns the mask of those that were there.
  uint8_t read(uint64_t Line, uint8_t Sectors) {
    std::vector<Entry> &Set = Content[Line % Sets];
    auto It = std::find_if(Set.begin(), Set.end(),
                           [&](const Entry &E) { return E.Line == Line; });
    if (It == Set.end()) {
      if (Set.size() < Ways)
        It = Set.insert(Set.end(), Entry{});
      else
        It = Set.begin() + victim(Set);
      *It = {Line, 0, 0};
    }
    uint8_t Hits = It->Sectors & Sectors;
    It->Sectors |= Sectors;
    It->LastUse = ++Time;
    return Hits;
  }

private:
  struct Entry {
    uint64_t Line = 0;
    uint64_t LastUse = 0;
    uint8_t Sectors = 0;
  };

  size_t victim(const std::vector<Entry> &Set) {
    if (Policy == Replacement::Random) {
      State ^= State << 13, State ^= State >> 7, State ^= State << 17;
      return State % Set.size();
    }
    return std::min_element(Set.begin(), Set.end(),
                            [](const Entry &A, const Entry &B) {
                              return A.LastUse < B.LastUse;
                            }) -
           Set.begin();
  }

  uint64_t Ways, Sets;
  Replacement Policy;
  uint64_t State, Time = 0;
  std::unordered_map<uint64_t, std::vector<Entry>> Content;
};

/// One SM: resident blocks' warps, oldest first.
class SM {
public:
  SM(const WarpRequests &W, const std::vector<uint32_t> &Blocks,
     const CacheShape &C, const SMShape &S)
      : All(W), Waiting(Blocks.begin(), Blocks.end()), Cache(C), Shape(S) {}

  CacheStats run() {
    refill();
    while (!Warps.empty()) {
      size_t I = pick();
      Running &W = Warps[I];
      ++Now;
      Last = W.Number;
      if (!issue((*W.Requests)[W.Next++]))
        W.ReadyAt = Now + Shape.MissSlots;
      if (W.Next == W.Requests->size())
        finish(I);
    }
    return Stats;
  }

private:
  struct Running {
    uint32_t Block;
    const std::vector<WarpRequest> *Requests;
    uint64_t Number; ///< in the order of arrival
    size_t Next = 0;
    uint64_t ReadyAt = 0;
  };

  /// The warp that issues next; time passes if none can.
  size_t pick() {
    size_t Active = Shape.ActiveWarps
                        ? std::min<size_t>(Shape.ActiveWarps, Warps.size())
                        : Warps.size();
    auto Begin = Warps.begin(), End = Begin + Active;
    auto Oldest = std::min_element(
        Begin, End, [](auto &A, auto &B) { return A.ReadyAt < B.ReadyAt; });
    Now = std::max(Now, Oldest->ReadyAt);
    bool Greedy = Shape.Order == WarpOrder::GreedyThenOldest;
    auto CanFollow = [&](const Running &W) {
      return W.ReadyAt <= Now &&
             (Greedy ? W.Number == Last : W.Number > Last || Last == NoWarp);
    };
    auto It = std::find_if(Begin, End, CanFollow);
    if (It == End)
      It = std::find_if(Begin, End,
                        [&](const Running &W) { return W.ReadyAt <= Now; });
    return It - Begin;
  }

  /// Brings blocks in until ResidentBlocks of them have warps.
  void refill() {
    while (!Waiting.empty() &&
           Live.size() < std::max(1u, Shape.ResidentBlocks)) {
      uint32_t B = Waiting.front();
      Waiting.pop_front();
      for (auto It = All.lower_bound({B, 0});
           It != All.end() && It->first.first == B; ++It) {
        Warps.push_back({B, &It->second, Started++});
        ++Live[B];
      }
    }
  }

  void finish(size_t I) {
    uint32_t B = Warps[I].Block;
    Warps.erase(Warps.begin() + I);
    if (--Live[B] == 0)
      Live.erase(B);
    refill();
  }

  bool issue(const WarpRequest &Q) {
    bool AllHit = true;
    if (!Q.Write)
      ++Stats.Requests;
    for (auto [Line, Sectors] : Q.Lines) {
      unsigned Count = __builtin_popcount(Sectors);
      if (Q.Write) {
        Stats.WrittenSectors += Count;
        continue;
      }
      uint8_t Hits = Cache.read(Line, Sectors);
      ++Stats.LookUps;
      Stats.Sectors += Count;
      Stats.SectorHits += __builtin_popcount(Hits);
      AllHit &= Hits == Sectors;
    }
    return AllHit;
  }

  const WarpRequests &All;
  std::deque<uint32_t> Waiting;
  SectoredCache Cache;
  SMShape Shape;
  static constexpr uint64_t NoWarp = UINT64_MAX;
  std::vector<Running> Warps; ///< oldest first
  uint64_t Started = 0, Last = NoWarp, Now = 0;
  std::map<uint32_t, unsigned> Live;
  CacheStats Stats;
};

} // namespace

CacheStats simulateL1(const WarpRequests &W,
                      const std::vector<uint32_t> &Blocks, const CacheShape &C,
                      const SMShape &S) {
  return SM(W, Blocks, C, S).run();
}

} // namespace catt::simt
