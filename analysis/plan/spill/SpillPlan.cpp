//===- SpillPlan.cpp - Which values wait in shared memory -----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/spill/SpillPlan.h"
#include "analysis/plan/spill/SharedSlots.h"
#include "analysis/plan/spill/SlotRanges.h"
#include "analysis/plan/throttle/Setting.h"
#include "analysis/time/GridTime.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Alignment.h"
#include <algorithm>

namespace catt {

/// Registers that the address of a thread's slots takes.
static constexpr int64_t AddressRegisters = 1;

/// What an access of local memory costs, in those of shared memory. On an H200
/// 3 to 6 where all of them are in loops (test/bench/spill, particles, wide,
/// waves); less, as some of those that ptxas counts are not.
static constexpr double LocalWeight = 1.5;

//===-- The frame ---------------------------------------------------------===//

/// Numbers that differ for the threads of every block that is launched.
static ThreadNumbering numberingOf(const Kernel &K, bool AllKnown) {
  ThreadNumbering N;
  if (!AllKnown) {
    N.Threads = K.MaxThreads.value_or(0);
    return N;
  }
  int64_t Depth = 1;
  N.Width = N.Height = 1;
  for (const Launch &L : K.Launches)
    if (L.Block.count()) {
      N.Width = std::max(N.Width, *L.Block.X);
      N.Height = std::max(N.Height, *L.Block.Y);
      Depth = std::max(Depth, *L.Block.Z);
    }
  N.Threads = N.Width * N.Height * Depth;
  N.OnlyX = N.Height == 1 && Depth == 1;
  return N;
}

/// The most dynamic shared memory that a launch asks for.
static int64_t dynamicBytes(const Kernel &K) {
  int64_t Most = 0;
  for (const Launch &L : K.Launches)
    Most = std::max(Most, L.DynamicSharedBytes.value_or(0));
  return Most;
}

/// Whether each launch can be made to ask for more shared memory: all are in
/// sight and in the text, and ask for the same now.
static bool mayRaise(const Kernel &K, const RegisterOptions &Options) {
  return Options.MayRaiseShared && !unseenLaunch(K, Options) &&
         llvm::all_of(K.Launches, [&](const Launch &L) {
           return L.From != Origin::Told && L.Statement && L.SharedArgument &&
                  L.DynamicSharedBytes == dynamicBytes(K);
         });
}

/// Bytes of a thread's frame, a multiple of 4, with which so many blocks stay
/// resident and a block takes at most so much shared memory.
static int64_t spareFrame(BlockResources Block, int64_t Threads, int64_t Blocks,
                          int64_t MostBytes, const Device &Gpu) {
  const int64_t Own = Block.DynamicSharedBytes;
  int64_t Frame = (MostBytes - Block.StaticSharedBytes - Own) / Threads;
  for (Frame -= Frame % 4; Frame > 0; Frame -= 4) {
    Block.DynamicSharedBytes = Own + Frame * Threads;
    llvm::Expected<Residency> R = residency(Gpu, Block);
    if (R && R->BlocksPerSM >= Blocks)
      return Frame;
    if (!R)
      llvm::consumeError(R.takeError());
  }
  return 0;
}

//===-- The plan ----------------------------------------------------------===//

bool SharedSpill::mayBeTried() const {
  return llvm::all_of(Refusals, [&](const Refusal &R) {
    return R.Kind == Reason::CannotReachTarget && HasPragma;
  });
}

double SharedSpill::accesses() const {
  double Sum = 0;
  for (const MovedValue &M : Moved)
    Sum += M.Of.Accesses * double(M.Elements);
  return Sum;
}

std::optional<int64_t> spillTarget(const RegisterPlan &Plan,
                                   std::optional<int64_t> Asked) {
  const DesignPoint &Chosen = Plan.chosen();
  if (Chosen.spills() && Chosen.Compiled.CapRegisters != 0)
    return Chosen.Compiled.CapRegisters;
  if (!Asked && Plan.Forced)
    return Plan.Forced->Under.CapRegisters;
  return std::nullopt;
}

SharedSpill planSpill(const Kernel &K, const RegisterUse &Use, int64_t Cap,
                      const RegisterOptions &Options) {
  SharedSpill S;
  S.Gpu = Options.Gpu;
  S.MinGain = Options.MinGain;
  S.HasPragma = Options.HasSpillPragma;
  S.CapRegisters = Cap;
  S.Needed = Use.Default.Registers;
  std::optional<Refusal> Unseen = unseenLaunch(K, Options);
  bool AllKnown = !Unseen || Options.Force;
  if (!AllKnown && !K.MaxThreads)
    S.Refusals.push_back(*Unseen);
  S.Numbering = numberingOf(K, AllKnown);
  for (const Launch &L : K.Launches)
    if (!L.DynamicSharedBytes)
      S.Refusals.push_back({Reason::NotEnoughShared, L.Where,
                            "how much " + L.Text + " takes is not known"});
  const Launch *Deciding = decidingLaunch(K);
  if (!Deciding || S.Numbering.Threads <= 0)
    return S;
  BlockResources Block = blockOf(K, *Deciding);
  Block.RegistersPerThread = Cap;
  Block.CarveoutPercent = Options.CarveoutPercent;
  llvm::Expected<Residency> R = residency(Options.Gpu, Block);
  if (!R) {
    llvm::consumeError(R.takeError());
    return S;
  }
  S.Blocks = R->BlocksPerSM;
  S.DynamicBytes = dynamicBytes(K);
  Block.DynamicSharedBytes = S.dynamicBase();
  auto Spare = [&](int64_t MostBytes) {
    return spareFrame(Block, S.Numbering.Threads, S.Blocks, MostBytes,
                      Options.Gpu);
  };
  S.StaticBytes = S.LimitBytes = Spare(Options.Gpu.SharedBytesPerBlock);
  if (mayRaise(K, Options))
    S.LimitBytes =
        std::max(S.StaticBytes, Spare(Options.Gpu.SharedBytesPerBlockOptIn));
  S.Movable = movableValues(K, Use);
  S.SpillTimes = timesSpilled(K, Use, S.Needed - Cap);
  if (S.Movable.empty())
    S.Refusals.push_back({Reason::CannotReachTarget, K.Where, ""});
  else if (S.LimitBytes == 0)
    S.Refusals.push_back({Reason::NotEnoughShared, K.Where,
                          "more of it would cost a block per SM"});
  moveRegisters(K, S.Needed - Cap + AddressRegisters, S);
  return S;
}

/// The values of one function.
using PartOfMoved = llvm::MutableArrayRef<MovedValue>;

/// What of a thread's frame the values share, by when their slots are in use.
static std::vector<SlotValue> slotsOf(const Kernel &K, PartOfMoved Moved) {
  std::vector<SlotValue> Out;
  for (const MovedValue &M : Moved)
    Out.push_back(
        {M.WidthBytes, unsigned(M.Elements * M.Of.Fields), slotRange(K, M.Of)});
  return Out;
}

/// Functions follow the kernel in Kernel::Values.
static std::vector<PartOfMoved> partsOf(const Kernel &K, SharedSpill &Plan) {
  auto Of = [&](const MovedValue &M) {
    return K.functionOf(K.Values[M.Of.Value]);
  };
  std::vector<PartOfMoved> Out;
  for (PartOfMoved Left = Plan.Moved; !Left.empty();) {
    Out.push_back(Left.take_while(
        [&](const MovedValue &M) { return Of(M) == Of(Left.front()); }));
    Left = Left.drop_front(Out.back().size());
  }
  return Out;
}

/// Bytes of a thread's frame after which an array of 8-byte alignment can
/// begin.
static llvm::Align alignmentOfParts(int64_t Threads) {
  return llvm::Align(Threads % 2 ? 8 : 4);
}

/// Places the frame, with one slot for values that are never there together.
/// Each thread finds its own bytes at the same places for all that share.
static void place(const Kernel &K, SharedSpill &Plan) {
  llvm::stable_sort(Plan.Moved, [](const MovedValue &A, const MovedValue &B) {
    return A.Of.Value < B.Of.Value;
  });
  Plan.Parts.clear();
  Plan.FrameBytes = 0;
  for (PartOfMoved Moved : partsOf(K, Plan)) {
    Slots Frame = colourSlots(slotsOf(K, Moved));
    for (auto [M, Offset] : llvm::zip(Moved, Frame.Offsets))
      M.OffsetBytes = Offset;
    const int64_t Begin = llvm::alignTo(
        Plan.FrameBytes, alignmentOfParts(Plan.Numbering.Threads));
    Plan.Parts.push_back({K.functionOf(K.Values[Moved.front().Of.Value]), Begin,
                          Frame.FrameBytes, 0});
    Plan.FrameBytes = Begin + Frame.FrameBytes;
  }
}

namespace {
/// What waits in memory at each statement of a kernel.
class Waiting {
public:
  explicit Waiting(const Kernel &K)
      : Registers(K.Statements.size()), Bytes(K.Statements.size()) {}
  void add(const llvm::BitVector &Range, int64_t MoreRegisters,
           int64_t MoreBytes) {
    for (unsigned S : Range.set_bits()) {
      Registers[S] += MoreRegisters;
      Bytes[S] += MoreBytes;
    }
  }
  static int64_t most(llvm::ArrayRef<int64_t> At,
                      const llvm::BitVector &Range) {
    int64_t Most = 0;
    for (unsigned S : Range.set_bits())
      Most = std::max(Most, At[S]);
    return Most;
  }
  std::vector<int64_t> Registers, Bytes; ///< of a thread
};
} // namespace

void moveRegisters(const Kernel &K, int64_t Registers, SharedSpill &Plan) {
  Plan.Moved.clear();
  Waiting At(K);
  for (const MovableValue &M : Plan.Movable) {
    const ThreadValue &V = K.Values[M.Value];
    llvm::BitVector Range = slotRange(K, M);
    int64_t Lacking = Registers - Waiting::most(At.Registers, Range);
    int64_t Left = Plan.LimitBytes - Waiting::most(At.Bytes, Range);
    int64_t Elements =
        std::min({M.Elements, (Lacking + M.Registers - 1) / M.Registers,
                  Left / std::max<int64_t>(V.ElementBytes, 1)});
    if (Lacking <= 0 || Elements <= 0)
      continue;
    Plan.Moved.push_back({M, Elements, 0, unsigned(V.ElementBytes / M.Fields)});
    At.add(Range, Elements * M.Registers, Elements * V.ElementBytes);
  }
  place(K, Plan);
  // Widths do not share with others, so that a frame may have holes.
  while (Plan.FrameBytes > Plan.LimitBytes) {
    Plan.Moved.pop_back();
    place(K, Plan);
  }
  auto MostOf = [&](PartOfMoved Moved) {
    Waiting All(K);
    for (const MovedValue &M : Moved)
      All.add(slotRange(K, M.Of), M.Elements * M.Of.Registers, 0);
    return All.Registers.empty() ? 0 : *llvm::max_element(All.Registers);
  };
  Plan.MovedRegisters = MostOf(Plan.Moved);
  for (auto [Part, Moved] : llvm::zip(Plan.Parts, partsOf(K, Plan)))
    Part.MovedRegisters = MostOf(Moved);
}

//===-- Trying ------------------------------------------------------------===//

static int64_t lacking(const SharedSpill &Plan) {
  return std::max<int64_t>(1, Plan.Needed - Plan.CapRegisters);
}

static void addAmount(std::vector<SpillStep> &Out, int64_t Amount) {
  if (llvm::none_of(Out, [&](const SpillStep &S) {
        return S.MovedRegisters == Amount && !S.Pragma;
      }))
    Out.push_back({Amount, false, 0, {}, 0});
}

std::vector<SpillStep> stepsToTry(const SharedSpill &Plan) {
  std::vector<SpillStep> Out;
  // In eighths of what the kernel takes too much: the compiler needs some
  // itself, and a part may be left to local memory.
  for (int64_t Eighths : {0, 8, 6, 4, 10, 12})
    addAmount(Out, (lacking(Plan) * Eighths + 7) / 8);
  if (Plan.HasPragma)
    Out.push_back({0, true, 0, {}, 0});
  return Out;
}

std::vector<SpillStep> stepsAround(const SharedSpill &Plan) {
  if (Plan.Steps.empty())
    return {};
  const SpillStep &Best = Plan.Steps[bestStep(Plan)];
  if (Best.Pragma)
    return {};
  std::optional<int64_t> Below, Above; // tried, next to the best
  for (const SpillStep &S : Plan.Steps) {
    if (!S.Pragma && S.MovedRegisters < Best.MovedRegisters)
      Below = std::max(S.MovedRegisters, Below.value_or(0));
    if (!S.Pragma && S.MovedRegisters > Best.MovedRegisters)
      Above = std::min(S.MovedRegisters, Above.value_or(S.MovedRegisters));
  }
  std::vector<SpillStep> Out;
  if (Below && (Best.MovedRegisters + *Below) / 2 > *Below)
    addAmount(Out, (Best.MovedRegisters + *Below) / 2);
  if (Above && (Best.MovedRegisters + *Above + 1) / 2 < *Above)
    addAmount(Out, (Best.MovedRegisters + *Above + 1) / 2);
  return Out;
}

bool take(const Kernel &K, SpillStep &Step, SharedSpill &Plan) {
  Plan.Pragma = Step.Pragma;
  moveRegisters(K, Step.Pragma ? 0 : Step.MovedRegisters, Plan);
  Step.MovedRegisters = Plan.MovedRegisters;
  Step.Accesses = Plan.accesses();
  return llvm::none_of(Plan.Steps, [&](const SpillStep &S) {
    return S.MovedRegisters == Step.MovedRegisters && S.Pragma == Step.Pragma;
  });
}

void addStep(const Kernel &K, SpillStep Step, SharedSpill &Plan) {
  const RegisterPoint &P = Step.Compiled;
  double Words = LocalWeight * double(P.spilledBytes()) / 4;
  if (Step.Pragma && Plan.Numbering.Threads > 0) {
    int64_t Shared = std::max<int64_t>(P.SharedBytes - K.StaticSharedBytes, 0);
    if (Shared > Plan.LimitBytes * Plan.Numbering.Threads)
      return; // it would cost a block
    Step.Accesses += 2 * double(Shared) * Plan.SpillTimes /
                     double(4 * Plan.Numbering.Threads);
  }
  Step.Cost = Step.Accesses + Words * Plan.SpillTimes;
  if (P.Warp)
    Step.Cycles =
        cyclesOfBlock({*P.Warp, Plan.Numbering.Threads, Plan.Blocks,
                       P.StackBytes, P.SharedBytes + Step.DynamicBytes},
                      Plan.Gpu);
  Plan.Steps.push_back(Step);
}

size_t bestStep(const SharedSpill &Plan) {
  const bool ByCode =
      llvm::all_of(Plan.Steps, [](const SpillStep &S) { return S.Cycles; });
  auto Price = [&](const SpillStep &S) {
    return ByCode ? *S.Cycles * (1 + worthOf(S, Plan.MinGain)) : S.Cost;
  };
  auto Least = llvm::min_element(Plan.Steps,
                                 [&](const SpillStep &A, const SpillStep &B) {
                                   return Price(A) < Price(B);
                                 });
  return size_t(Least - Plan.Steps.begin());
}

} // namespace catt
