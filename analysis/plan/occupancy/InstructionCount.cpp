//===- InstructionCount.cpp - What a warp executes -------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/plan/occupancy/InstructionCount.h"
#include "analysis/registers/Schedule.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <set>

namespace catt {
namespace {

/// Memory outside the chip: neither shared, nor the constant bank.
bool isOffChip(const ptx::Instruction &I) {
  static constexpr llvm::StringRef Accesses[] = {"ld", "ldu", "st", "atom",
                                                 "red"};
  return llvm::is_contained(Accesses, I.base()) && !I.has("shared") &&
         !I.has("param") && !I.has("const");
}

double weightOf(const CodeBlock &B) {
  return std::pow(10, std::min(B.Depth, 4u));
}

/// Of a thread's registers, those that hold no value of the schedule: about
/// what the estimate (Pressure.cpp) adds to a schedule that takes 32.
constexpr unsigned OtherRegisters = 8;

double waitsUnder(const ptx::Function &F, const Code &C, const Liveness &L,
                  unsigned Registers) {
  ScheduleOptions Options;
  Options.Limit = Registers > OtherRegisters ? Registers - OtherRegisters : 1;
  auto Waits = scheduledWaits(C, L, Options, [&](const Operation &O) {
    return !O.Defines.empty() && isOffChip(F.Instructions[O.From]);
  });
  double Sum = 0;
  for (auto [B, Each] : llvm::zip_equal(C.Blocks, Waits))
    Sum += weightOf(B) * Each;
  return Sum;
}

class Counter {
public:
  Counter(const ptx::Function &F, const Code &C) : F(F), C(C) {}

  InstructionMix run() {
    findLoaded();
    for (const CodeBlock &B : C.Blocks)
      block(B);
    if (double All = Mix.instructions(); All > 0)
      Mix.DispatchInterval = Cycles / All;
    return Mix;
  }

private:
  /// Marks what follows from loaded values, whatever the order.
  void findLoaded() {
    Loaded.assign(C.Values.size(), false);
    auto Depends = [&](const Operation &O) {
      return isOffChip(F.Instructions[O.From]) ||
             llvm::any_of(O.Uses, [&](unsigned V) { return Loaded[V]; });
    };
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (const Operation &O : C.Operations)
        for (unsigned V : O.Defines)
          if (!Loaded[V] && Depends(O))
            Changed = Loaded[V] = true;
    }
  }

  void block(const CodeBlock &B) {
    double Weight = weightOf(B);
    std::set<unsigned> Pending; // values of loads that nobody waited for yet
    const Operation *Previous = nullptr;
    for (unsigned I = B.First; I < B.End; ++I) {
      const Operation &O = C.Operations[I];
      auto Uses = [&](unsigned Value) { return Pending.count(Value) != 0; };
      if (llvm::any_of(O.Uses, Uses)) {
        Mix.Waits += Weight;
        Pending.clear();
      }
      bool Access = isOffChip(F.Instructions[O.From]);
      (Access ? Mix.OffChip : Mix.Compute) += Weight;
      Cycles += Weight * interval(Previous, O);
      if (Access && B.Depth > 0)
        inLoop(O, Weight);
      if (Access)
        Pending.insert(O.Defines.begin(), O.Defines.end());
      Previous = Access ? nullptr : &O;
    }
    if (!Pending.empty())
      Mix.Waits += Weight;
  }

  void inLoop(const Operation &O, double Weight) {
    Mix.LoopAccesses += Weight;
    // What a store writes is not told from its address, so only loads count.
    if (!O.Defines.empty() &&
        llvm::any_of(O.Uses, [&](unsigned V) { return Loaded[V]; }))
      Mix.DependentAccesses += Weight;
  }

  /// Cycles that an operation has to start behind the one before it.
  static double interval(const Operation *Previous, const Operation &O) {
    bool Depends = Previous && llvm::any_of(Previous->Defines, [&](unsigned V) {
                     return llvm::is_contained(O.Uses, V);
                   });
    return Depends ? std::max(1u, Previous->Latency) : 1;
  }

  const ptx::Function &F;
  const Code &C;
  std::vector<bool> Loaded; ///< by value
  InstructionMix Mix;
  double Cycles = 0;
};

} // namespace

InstructionMix countInstructions(const ptx::Function &F,
                                 llvm::ArrayRef<unsigned> Registers) {
  Code C = lower(F);
  InstructionMix Mix = Counter(F, C).run();
  Liveness L = computeLiveness(C);
  for (unsigned Each : Registers)
    if (Mix.WaitsUnder.count(Each) == 0)
      Mix.WaitsUnder[Each] = waitsUnder(F, C, L, Each);
  return Mix;
}

} // namespace catt
