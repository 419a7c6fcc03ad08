//===- WorthTiles.cpp - Which rows are worth tiles ------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/stage/WorthTiles.h"
#include "analysis/nest/Nest.h"
#include "analysis/plan/stage/LongRows.h"
#include "analysis/plan/stage/TileLayout.h"
#include "analysis/time/TimeModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cstdlib>
#include <numeric>
#include <set>

namespace catt {

/// Elements of rows that are written: the stores of a warp go to 32 sectors as
/// the loop is. With 10 to 31 of them 42 kernels were 0.95 to 8.9 times as fast
/// on an H200, 2.4 in the mean, with 9 to 39 that are known 49 kernels 1.5 to
/// 11 times; with 8 and 9 that are not, seven 0.76 to 3.6, with fewer 0.85 to
/// 0.98.
static constexpr int64_t LeastWritten = 10;

/// Bytes of rows that begin where data says: with 64 to 136, four kernels were
/// 1.5 to 3.4 times as fast; with 28 to 56, five 0.81 to 1.23 times.
static constexpr int64_t LeastScattered = 64;

/// Elements of rows that others are made of. Of 20 kernels that were drawn for
/// it 19 with 11 to 50 of them were 1.2 to 8.0 times as fast in tiles on an
/// H200, and one with 10 0.76 times.
static constexpr int64_t LeastMade = 12;

/// A loop makes a row of another array of this one, whose length is known, as
/// softmax does: the stores of a warp to that row are slow, and with them in
/// tiles the loads are best there, too, even if the compiler keeps the row in
/// registers for another loop.
static bool isMadeARow(const Kernel &K, const RowLoop &Rows,
                       const RowRead &Read) {
  const std::optional<AffineIndex> &Trips = K.Loops[Rows.Loop].TripCount;
  const unsigned Base = K.Accesses[Read.Access].BaseId;
  auto Has = [&](const RowLoop &L, bool Written) {
    return llvm::any_of(L.Reads, [&](const RowRead &Other) {
      return Written == Other.IsWritten && !Other.Why &&
             Written != (K.Accesses[Other.Access].BaseId == Base);
    });
  };
  return Trips && Trips->constant() &&
         llvm::any_of(K.RowLoops, [&](const RowLoop &L) {
           return Has(L, /*Written=*/true) && Has(L, /*Written=*/false);
         });
}

/// Rows that are read have a line of each: with 16 to 31 doubles eleven kernels
/// were 0.81 to 3.6 times as fast, 1.7 in the mean, with 8 to 16 structs or
/// vectors of four floats five 1.04 to 2.9; floats and integers, 5 to 13 of
/// them, 0.33 to 1.19 times, 16 to 23 0.77 to 1.61.
int64_t leastElements(const Kernel &K, const RowLoop &Rows,
                      const RowRead &Read) {
  if (Read.IsWritten)
    return LeastWritten;
  if (isMadeARow(K, Rows, Read))
    return LeastMade;
  const int64_t Bytes =
      K.Accesses[Read.Access].Offset ? LineBytes : LeastScattered;
  return std::clamp(Bytes / int64_t(narrowBytes(Read)), LeastElements,
                    EnoughElements);
}

double meanWarps(const Setting &S) {
  const double Resident = S.Before.activeWarps();
  const std::optional<int64_t> Blocks = S.Throttle.Block.GridBlocks,
                               SMs = S.Throttle.Gpu.SMs;
  return Blocks && SMs ? std::min(Resident, double(*Blocks) *
                                                S.Before.WarpsPerBlock / *SMs)
                       : Resident;
}

namespace {
/// What the parameters of a kernel are to its loops, by their names.
class ParameterRoles {
public:
  explicit ParameterRoles(const Kernel &K) {
    for (const Loop &L : K.Loops)
      if (L.TripCount)
        add(withoutFloor(*L.TripCount), /*OfTrips=*/true);
    for (const Access &A : K.Accesses)
      if (A.Offset)
        add(*A.Offset, /*OfTrips=*/false);
  }

  /// `r` of `for (j = r; j < m - r; ++j)`, and nothing else: no row is longer,
  /// nor further from the next one, by it.
  bool onlyShortens(const std::string &Name) const {
    return Shortens.count(Name) && !Other.count(Name);
  }

private:
  void add(const AffineIndex &Index, bool OfTrips) {
    for (const auto &[Atoms, Factor] : Index.terms()) {
      const bool IsAlone =
          Atoms.size() == 1 && Atoms.front()->K == Atom::Kind::Parameter;
      if (IsAlone && !OfTrips)
        continue;
      AffineIndex Term = 1;
      for (const AtomRef &A : Atoms)
        Term *= AffineIndex::atom(*A);
      std::set<std::string> &Role = IsAlone && Factor < 0 ? Shortens : Other;
      Term.mentions([&](const Atom &A) {
        if (A.K == Atom::Kind::Parameter)
          Role.insert(A.Name);
        return false;
      });
    }
  }

  std::set<std::string> Shortens, Other;
};
} // namespace

Setting withLongRows(const Setting &S) {
  constexpr int64_t Elements = 1024, Few = 1;
  Setting Out = S;
  const ParameterRoles Roles(S.K);
  // "m", and "A.width" of an object A.
  auto IsOfParameter = [&](llvm::StringRef Name) {
    return llvm::any_of(S.K.Parameters, [&](const Parameter &P) {
      return P.Name == Name.split('.').first &&
             (P.IsInteger || Name.contains('.'));
    });
  };
  auto Assume = [&](const std::optional<AffineIndex> &Index) {
    if (Index)
      Index->mentions([&](const Atom &A) {
        if (A.K == Atom::Kind::Parameter && IsOfParameter(A.Name))
          Out.Footprint.Parameters.insert(
              {A.Name, Roles.onlyShortens(A.Name) ? Few : Elements});
        return false;
      });
  };
  for (const Loop &L : S.K.Loops)
    Assume(L.TripCount);
  for (const Access &A : S.K.Accesses)
    Assume(A.Offset);
  return Out;
}

/// Where the row of a reference begins.
static AffineIndex rowStart(const AffineIndex &Offset) {
  return Offset.substitute([](const Atom &A) -> std::optional<AffineIndex> {
    if (A.K != Atom::Kind::Iterator)
      return std::nullopt;
    return AffineIndex(0);
  });
}

/// Stores of its loop may be to the row: what was loaded is loaded again.
static bool mayChange(const RowRead &Read) {
  return !Read.Apart.empty() || Read.Why;
}

/// The same of the row that an access of some loop walks.
static bool mayChangeAt(const Kernel &K, size_t Access) {
  return llvm::any_of(K.RowLoops, [&](const RowLoop &Rows) {
    return llvm::any_of(Rows.Reads, [&](const RowRead &Read) {
      return mayChange(Read) && llvm::is_contained(Read.Own, Access);
    });
  });
}

/// Another loop of the kernel walks the row, too, and what one of them loads
/// may be in a register for the other: both may be unrolled whole, and store
/// nothing to it.
static bool isKeptForAnother(const Kernel &K, const RowLoop &Rows,
                             const RowRead &Read) {
  const Access &Row = K.Accesses[Read.Access];
  if (staysRolled(K.Loops[Rows.Loop]) || mayChange(Read))
    return false;
  auto Walks = [&](const Access &A) {
    return A.BaseId == Row.BaseId && A.Loop && *A.Loop != Rows.Loop &&
           !staysRolled(K.Loops[*A.Loop]) && A.Offset &&
           A.Offset->mentionsIterator(*A.Loop) &&
           (rowStart(*A.Offset) - rowStart(*Row.Offset)).constant();
  };
  for (const auto &[I, A] : llvm::enumerate(K.Accesses))
    if (Walks(A) && !mayChangeAt(K, I))
      return true;
  return false;
}

/// The bytes of a thread's registers: no more than the largest block that the
/// program launches leaves it.
static int64_t registerBytes(const Setting &S) {
  int64_t Threads = WarpLanes;
  for (const Launch &L : S.K.Launches)
    Threads = std::max(Threads, L.Block.count().value_or(0));
  return S.Throttle.Gpu.RegistersPerBlock / Threads * WordBytes;
}

/// The row is read again: by a loop around, or by another loop. With few warps,
/// each of which waits for the tiles each time; or it may be so short that the
/// compiler keeps it in registers, or that a look at its length is felt.
static bool isReadAgain(const Setting &S, const RowLoop &Rows,
                        const RowRead &Read) {
  constexpr int64_t Bytes = 512;
  const Kernel &K = S.K;
  const Loop &Walk = K.Loops[Rows.Loop];
  const std::optional<int64_t> Count =
      Walk.TripCount ? Walk.TripCount->constant() : std::nullopt;
  const std::optional<AffineIndex> &Offset = K.Accesses[Read.Access].Offset;
  if (!Offset)
    return false;
  const int64_t Length =
      Count ? *Count * Rows.StepSize * Read.Stride * Read.ElementBytes : 0;
  const int64_t Room = registerBytes(S);
  if (Length && Length <= std::min(Bytes, Room) && !Read.IsWritten &&
      isKeptForAnother(K, Rows, Read) && !isMadeARow(K, Rows, Read))
    return true;
  if (Length > std::min(Room, mostInRegisters(Walk, !Read.Apart.empty())) &&
      meanWarps(S) >= EnoughWarps)
    return false;
  for (auto L = Walk.Parent; L; L = K.Loops[*L].Parent)
    if (!Offset->mentionsIterator(*L))
      return true;
  return false;
}

/// A row that begins where another load says, which gives each lane its own,
/// in a loop that runs as often for each and stands in no other.
static bool isScattered(const Setting &S, const Access &A) {
  const Loop &L = S.K.Loops[*A.Loop];
  if (A.Offset || !A.Irregularity || L.Parent || !L.TripCount ||
      !L.TripCount->isBlockUniform())
    return false;
  return llvm::any_of(S.K.Accesses, [&](const Access &Says) {
    return Says.Where == A.Irregularity->Where && Says.Reads &&
           laneStrideBytes(Says, S.Footprint).value_or(0);
  });
}

/// A row that begins where something says that is not known: another load, as
/// of CSR.
static bool beginsAnywhere(const Access &A) {
  return !A.Offset && A.Irregularity;
}

bool isApart(const Setting &S, const Access &A) {
  return std::abs(laneStrideBytes(A, S.Footprint).value_or(0)) >= LineBytes;
}

bool isPadded(const Setting &S, const RowRead &Read) {
  constexpr int64_t EnoughElements = 64, FewWarps = 12;
  const Access &A = S.K.Accesses[Read.Access];
  const Loop &L = S.K.Loops[*A.Loop];
  return !A.GuardsKnown && L.GuardsKnown && !L.TripCount &&
         meanWarps(S) >= FewWarps &&
         std::abs(laneStrideBytes(A, S.Footprint).value_or(0)) >=
             EnoughElements * int64_t(Read.ElementBytes);
}

/// The bytes that a thread loads at a time: of an object's members together.
static int64_t loadedBytes(const Kernel &K, const RowRead &Read) {
  int64_t Touched = 0;
  for (size_t I : Read.Own)
    Touched += K.Accesses[I].SizeBytes;
  return std::min<int64_t>(Touched, Read.Alignment);
}

/// Turns of L1's most crowded bank when a load reads a word of each of so many
/// rows. How far apart they are is not known: all of one bank.
static int64_t bankTurns(const Setting &S, const Access &Row, int64_t Rows) {
  constexpr int64_t Banks = 32;
  const int64_t Apart =
      std::abs(laneStrideBytes(Row, S.Footprint).value_or(0)) / WordBytes;
  return llvm::divideCeil(Rows, Banks / std::gcd(Apart, Banks));
}

bool savesLookUps(const Setting &S, const RowRead &Read) {
  constexpr int64_t EnoughRows = 16, Bytes = 4;
  constexpr double EnoughCycles = 6;
  const MemoryRates Rates;
  const int64_t Width = *S.Footprint.Block.X;
  // Lanes of the next threadIdx.y may walk the same ones.
  const int64_t Rows =
      Width < WarpLanes &&
              strideBytes(S.K.Accesses[Read.Access], Axis::Y, S.Footprint) == 0
          ? Width
          : WarpLanes;
  const double Cycles =
      double(Rows) * Rates.Line +
      double(bankTurns(S, S.K.Accesses[Read.Access], Rows)) * Rates.Bank;
  return Rows * Bytes >= EnoughRows * std::max(Bytes, loadedBytes(S.K, Read)) &&
         Cycles >= EnoughCycles;
}

bool waitsForConstants(const Kernel &K, const RowLoop &Rows) {
  return llvm::any_of(K.Accesses, [&](const Access &A) {
    const bool AreFew =
        A.ArrayBytes && A.ArrayBytes <= WarpLanes * int64_t(A.SizeBytes);
    return A.Space == AddressSpace::Constant && A.Reads && !AreFew &&
           isInside(K, A.Loop, Rows.Loop) &&
           (!A.Offset || !A.Offset->isBlockUniform());
  });
}

bool isMinor(const Kernel &K, const LoopVersion &V,
             llvm::ArrayRef<unsigned> LoopsWithTiles) {
  constexpr int64_t Few = 64, ManyMore = 4;
  // Not of loops that threads share: `for (k = threadIdx.x; k < n; k += 256)`.
  auto Trips = [](const Loop &L, int64_t IfNotKnown) -> int64_t {
    return L.TripCount && L.TripCount->isBlockUniform()
               ? L.TripCount->constant().value_or(IfNotKnown)
               : 0;
  };
  const RowLoop &Rows = K.RowLoops[V.Rows];
  const int64_t Own = Trips(K.Loops[Rows.Loop], 0);
  if (!Own || Own > Few ||
      llvm::any_of(V.Reads, [&](unsigned R) { return Rows.Reads[R].IsRead; }))
    return false;
  auto Touches = [&](const Loop &L) {
    return llvm::any_of(K.Accesses, [&](const Access &A) {
      return A.Loop == L.Id && A.Space == AddressSpace::Global;
    });
  };
  return llvm::any_of(K.Loops, [&](const Loop &L) {
    const bool Apart =
        !isInside(K, L.Id, Rows.Loop) && !isInside(K, Rows.Loop, L.Id);
    return Apart && !llvm::is_contained(LoopsWithTiles, L.Id) && Touches(L) &&
           Trips(L, ManyMore * Few) >= ManyMore * Own;
  });
}

/// Rows of bytes that are 64 bytes apart, and of shorts that are 96: half a
/// line for each of so many elements is enough. On an H200, with 64 warps on an
/// SM, of bytes that are 33, 40, 64, 68, 80, 96, 100, 112 and 127 apart 0.79,
/// 0.83, 3.77, 1.19, 1.44, 2.26, 2.07, 2.27 and 2.86 times as fast; of shorts
/// that are 68, 100 and 120 bytes apart 0.83, 1.37 and 1.79 times.
/// Beside a row that is written, and for it, what LeastWritten elements have.
static bool isNearlyApart(const Setting &S, const RowRead &Read, bool Writes) {
  const int64_t Enough = Writes ? LeastWritten * int64_t(Read.ElementBytes)
                         : Read.ElementBytes == 1 ? 64
                         : Read.ElementBytes == 2 ? 96
                                                  : LineBytes;
  return std::abs(laneStrideBytes(S.K.Accesses[Read.Access], S.Footprint)
                      .value_or(0)) >= Enough;
}

/// Iterations leave out elements between those that they load. Eleven such
/// kernels were 0.81 to 1.25 times as fast in tiles with 8 warps on an SM of an
/// H200, and 1.07 to 1.62 with 64; of those that load all, 1.3 to 3.5 with
/// either.
static bool leavesOut(const RowRead &Read) {
  return int64_t(Read.Halo) + 1 < Read.Stride;
}

/// Whether tiles of 128 bytes are faster with few warps, too, where all lines
/// fit: a warp need not wait for one element after the other. Sixteen kernels
/// took 0.31 to 0.98 of their time on an H200, and seven that write a row, too,
/// with 0.4 to 3 warps on an SM in the mean, 0.09 to 0.73; loops that leave out
/// elements, 1.2 and 2.2 times it. Nobody waits for rows that are only written.
/// Rows of which a tenth is stored, 1.07 times it with 4 warps on an SM.
static bool paysForFew(const Setting &S, const RowLoop &Rows,
                       const RowRead &Read) {
  return int64_t(Read.Halo) + 1 >= Rows.StepSize * Read.Stride &&
         llvm::any_of(Rows.Reads, [&](const RowRead &Each) {
           return Each.IsRead && isApart(S, S.K.Accesses[Each.Access]);
         });
}

/// By what the row of a launch's next thread is further on, if that is all that
/// tells rows apart: the threads of all blocks counted through.
static std::optional<AffineIndex> threadStride(const AffineIndex &Offset,
                                               const Launch &L, unsigned Walk) {
  constexpr const char *Thread = "the thread";
  const std::optional<int64_t> Extents[] = {L.Block.X, L.Block.Y, L.Block.Z};
  auto Known = [&](const AffineIndex &Index) {
    return Index.substitute([&](const Atom &A) -> std::optional<AffineIndex> {
      const std::optional<int64_t> &Extent = Extents[unsigned(A.Dim)];
      if (A.K == Atom::Kind::BlockDim && Extent)
        return AffineIndex(*Extent);
      if (A.K == Atom::Kind::ThreadIdx && Extent == 1)
        return AffineIndex(0);
      return std::nullopt;
    });
  };
  auto T = AffineIndex::threadIdx, D = AffineIndex::blockDim;
  const AffineIndex Others =
      D(Axis::X) * (T(Axis::Y) + D(Axis::Y) * T(Axis::Z)) +
      AffineIndex::blockIdx(Axis::X) * D(Axis::X) * D(Axis::Y) * D(Axis::Z);
  const AffineIndex First = AffineIndex::parameter(Thread) - Known(Others);
  const AffineIndex Through = Known(Offset).substitute(
      [&](const Atom &A) -> std::optional<AffineIndex> {
        if (A.K != Atom::Kind::ThreadIdx || A.Dim != Axis::X)
          return std::nullopt;
        return First;
      });
  if (Through.mentions([&](const Atom &A) {
        return !A.Operands.empty() || A.K == Atom::Kind::ThreadIdx ||
               A.K == Atom::Kind::BlockIdx ||
               (A.K == Atom::Kind::Iterator && A.Id != Walk);
      }))
    return std::nullopt;
  return Through.substitute([&](const Atom &A) -> std::optional<AffineIndex> {
    if (A.K != Atom::Kind::Parameter || A.Name != Thread)
      return std::nullopt;
    return AffineIndex::parameter(Thread) + AffineIndex(1);
  }) - Through;
}

/// No other thread of a launch walks any of the row, so that nothing of it that
/// this one leaves as it was is another one's to change.
static bool isOfOneThread(const Kernel &K, const RowLoop &Rows,
                          const RowRead &Read) {
  const Access &Row = K.Accesses[Read.Access];
  const std::optional<AffineIndex> &Trips = K.Loops[Rows.Loop].TripCount;
  if (!Row.Offset || !Trips)
    return false;
  const AffineIndex Bytes =
      withoutFloor(*Trips) *
      AffineIndex(Rows.StepSize * Read.Stride * Read.ElementBytes);
  return llvm::all_of(K.Launches, [&](const Launch &L) {
    const std::optional<AffineIndex> Stride =
        L.Grid.Y == 1 && L.Grid.Z == 1 ? threadStride(*Row.Offset, L, Rows.Loop)
                                       : std::nullopt;
    return Stride && (*Stride - Bytes).constant().value_or(-1) >= 0;
  });
}

std::vector<unsigned> rowsApart(const Setting &S, const RowLoop &Rows,
                                const RowContext &In,
                                std::vector<Refusal> &Refusals) {
  std::vector<unsigned> Out;
  const bool Writes = llvm::any_of(Rows.Reads, [](const RowRead &Read) {
    return Read.IsWritten && !Read.Why;
  });
  for (const auto &[I, Read] : llvm::enumerate(Rows.Reads)) {
    const Access &A = S.K.Accesses[Read.Access];
    const bool Known =
        In.Counted &&
        (isApart(S, A) ||
         (In.Busy &&
          isNearlyApart(S, Read, Writes || isMadeARow(S.K, Rows, Read)))) &&
        (In.Forced || !leavesOut(Read)) && !isReadAgain(S, Rows, Read) &&
        (In.Contends ||
         (savesLookUps(S, Read) && (In.Busy || (!Read.IsWrittenSometimes &&
                                                paysForFew(S, Rows, Read)))));
    const bool GuardsKnown =
        Read.OnBothSides ? S.K.Loops[Rows.Loop].GuardsKnown : A.GuardsKnown;
    if (Read.Walk || (!GuardsKnown && !In.Forced && !In.HasRoom) ||
        (Read.IsWrittenSometimes && !isOfOneThread(S.K, Rows, Read)) ||
        !(Known || (In.Busy && isScattered(S, A) && !leavesOut(Read)) ||
          (In.Forced && beginsAnywhere(A))))
      continue;
    if (Read.Why)
      Refusals.push_back(*Read.Why);
    else
      Out.push_back(I);
  }
  return Out;
}

} // namespace catt
