//===- WarpTimeline.cpp - One warp through machine code -------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/WarpTimeline.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

using llvm::StringRef;

namespace catt {
namespace {

/// The lowest nine bits of an instruction.
enum TimedOpcode : unsigned {
  LoadGlobal = 0x181,
  StoreGlobal = 0x186,
  LoadLocal = 0x183,
  StoreLocal = 0x187,
  LoadShared = 0x184,
  StoreShared = 0x188,
  Branch = 0x147,
  Call = 0x144,
  Exit = 0x14d,
};

/// Cycles until what an instruction gives is there. Those of global memory were
/// chosen on kernels of an H200 (docs/registers.md), beside other warps.
constexpr double GlobalLatency = 700, L1Latency = 40, LocalLatency = 35,
                 SharedLatency = 30, StoreLatency = 20, OtherLatency = 25;
/// Cycles until the operands of an instruction have been read.
constexpr double ReadLatency = 20;

constexpr unsigned Barriers = 6, NoBarrier = 7;

struct TimedInstruction {
  uint64_t Low = 0, High = 0;
  unsigned opcode() const { return Low & 0x1ff; }
  unsigned bits(unsigned First, unsigned Count) const {
    return unsigned(High >> (First - 64)) & ((1U << Count) - 1);
  }
  double stall() const { return std::max(1U, bits(105, 4)); }
  unsigned barrierOfResult() const { return bits(110, 3); }
  unsigned barrierOfOperands() const { return bits(113, 3); }
  unsigned waitsFor() const { return bits(116, 6); }
  bool isPredicated() const { return ((Low >> 12) & 0xf) != NoBarrier; }
};

/// When a warp is where, and what the barriers wait for.
struct Clock {
  double WarpCost::*Cycles;
  double GlobalLatency;
  std::array<double, Barriers> Ready{};
  void step(const TimedInstruction &I, double Latency, WarpCost &At);
};

/// Instructions First to Last are a loop.
struct Loop {
  size_t First, Last;
};

class Timeline {
public:
  Timeline(StringRef Code, unsigned Version,
           llvm::ArrayRef<CodeRange> Functions);
  /// Empty: it takes too long to follow.
  std::optional<WarpCost> run() {
    round(0, End);
    if (Left == 0)
      return std::nullopt;
    return At;
  }

private:
  int64_t targetOf(size_t I) const;
  std::optional<Loop> loopAt(size_t I, size_t First, size_t End) const;
  void round(size_t First, size_t End);
  void loop(const Loop &L);
  void call(size_t I);
  void step(const TimedInstruction &I);

  std::vector<TimedInstruction> Code;
  unsigned Version;
  llvm::ArrayRef<CodeRange> Functions;
  size_t End = 0;                 ///< behind the last way out: subroutines
  std::map<size_t, size_t> Loops; ///< first to last instruction
  WarpCost At;
  std::array<Clock, 2> Clocks = {Clock{&WarpCost::Cycles, GlobalLatency},
                                 Clock{&WarpCost::CyclesInL1, L1Latency}};
  unsigned Depth = 0;    ///< of calls
  int64_t Left = 400000; ///< instructions that are still looked at
};

constexpr size_t InstructionBytes = 16;

Timeline::Timeline(StringRef Text, unsigned Version,
                   llvm::ArrayRef<CodeRange> Functions)
    : Version(Version), Functions(Functions) {
  for (; Text.size() >= InstructionBytes;
       Text = Text.drop_front(InstructionBytes))
    Code.push_back({llvm::support::endian::read64le(Text.data()),
                    llvm::support::endian::read64le(Text.data() + 8)});
  End = Code.size();
  for (size_t I = 0; I < Code.size(); ++I)
    if (Code[I].opcode() == Exit && !Code[I].isPredicated())
      End = I + 1;
  // Branches back to one place are of one loop, which the last of them ends.
  for (size_t I = 0; I < Code.size(); ++I) {
    if (Code[I].opcode() != Branch)
      continue;
    int64_t Target = targetOf(I);
    if (Target >= 0 && Target < int64_t(I))
      Loops[size_t(Target)] = I;
  }
}

/// Index of the instruction that a branch goes to.
int64_t Timeline::targetOf(size_t I) const {
  const TimedInstruction &B = Code[I];
  constexpr unsigned FirstBit = 34, Width = 48, Words = 4;
  uint64_t Field = (B.Low >> FirstBit) | (B.High << (64 - FirstBit));
  int64_t Offset = llvm::SignExtend64<Width>(Field);
  if (Version >= 90)
    Offset = Offset * 256 + int64_t((B.Low >> 16) & 0xff);
  return int64_t(I) + 1 + Offset / Words;
}

/// The loop that begins here, within First to End but not all of it.
std::optional<Loop> Timeline::loopAt(size_t I, size_t First, size_t End) const {
  auto Found = Loops.find(I);
  if (Found == Loops.end() || Found->second >= End ||
      (I == First && Found->second + 1 == End))
    return std::nullopt;
  return Loop{I, Found->second};
}

/// A function of the program; not a slow path of ptxas' own.
void Timeline::call(size_t I) {
  constexpr unsigned MostDepth = 16;
  const int64_t Target = targetOf(I) * int64_t(InstructionBytes);
  for (const CodeRange &F : Functions)
    if (Depth < MostDepth && Target >= int64_t(F.Begin) &&
        Target < int64_t(F.End)) {
      ++Depth;
      round(F.Begin / InstructionBytes,
            std::min<size_t>(F.End / InstructionBytes, Code.size()));
      --Depth;
    }
}

void Clock::step(const TimedInstruction &I, double Latency, WarpCost &At) {
  double Now = At.*Cycles;
  for (unsigned B = 0; B < Barriers; ++B)
    if ((I.waitsFor() >> B) & 1)
      Now = std::max(Now, Ready[B]);
  auto Sets = [&](unsigned Barrier, double After) {
    if (Barrier < Barriers)
      Ready[Barrier] = std::max(Ready[Barrier], Now + After);
  };
  Sets(I.barrierOfResult(), Latency);
  Sets(I.barrierOfOperands(), ReadLatency);
  At.*Cycles = Now + I.stall();
}

void Timeline::step(const TimedInstruction &I) {
  double Latency = OtherLatency;
  switch (I.opcode()) {
  case LoadGlobal:
  case StoreGlobal:
    ++At.Global;
    Latency = StoreLatency;
    break;
  case LoadLocal:
  case StoreLocal:
    ++At.Local;
    Latency = LocalLatency;
    break;
  case LoadShared:
  case StoreShared:
    ++At.Shared;
    Latency = SharedLatency;
    break;
  default:
    break;
  }
  for (Clock &C : Clocks)
    C.step(I, I.opcode() == LoadGlobal ? C.GlobalLatency : Latency, At);
  ++At.Issued;
}

/// The first round, and the second one for all that follow.
void Timeline::loop(const Loop &L) {
  round(L.First, L.Last + 1);
  const WarpCost First = At;
  round(L.First, L.Last + 1);
  constexpr double Others = LoopWeight - 2;
  const WarpCost Second = At;
  for (double WarpCost::*Each : WarpCostMembers)
    At.*Each += (Second.*Each - First.*Each) * Others;
  for (Clock &C : Clocks)
    for (double &R : C.Ready)
      R += At.*C.Cycles - Second.*C.Cycles;
}

void Timeline::round(size_t First, size_t End) {
  for (size_t I = First; I < End && Left > 0; ++I)
    if (std::optional<Loop> L = loopAt(I, First, End)) {
      loop(*L);
      I = L->Last;
    } else {
      --Left;
      step(Code[I]);
      if (Code[I].opcode() == Call)
        call(I);
    }
}

} // namespace

std::optional<WarpCost> costOfWarp(StringRef Code, StringRef Architecture,
                                   llvm::ArrayRef<CodeRange> Functions) {
  constexpr unsigned FirstKnown = 70;
  unsigned Version = 0;
  if (!Architecture.consume_front("sm_") ||
      Architecture.consumeInteger(10, Version) || Version < FirstKnown)
    return std::nullopt;
  return Timeline(Code, Version, Functions).run();
}

llvm::Expected<std::map<std::string, WarpCost>>
costsOfWarps(StringRef Cubin, StringRef Architecture) {
  auto Kernels = functionsOf(Cubin);
  if (!Kernels)
    return Kernels.takeError();
  auto Called = calledFunctions(Cubin);
  if (!Called)
    return Called.takeError();
  std::map<std::string, WarpCost> Out;
  for (const auto &[Name, Code] : *Kernels)
    if (std::optional<WarpCost> Cost =
            costOfWarp(Code, Architecture, (*Called)[Name]))
      Out[Name] = *Cost;
  return Out;
}

} // namespace catt
