//===- Gate.cpp - Did a kernel get worse? ---------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/gate/Gate.h"
#include "analysis/device/Occupancy.h"
#include "analysis/registers/KernelNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace catt {
namespace {

constexpr int64_t LikelyBlocks[] = {128, 256, 512, 1024};

/// A size of block with which fewer blocks share an SM than before.
struct Loss {
  int64_t Threads, Then, Now;
};

std::string number(int64_t N, StringRef One) {
  return std::to_string(N) + " " + One.str() + (N == 1 ? "" : "s");
}

/// The first size that loses blocks; the one that is known, if one is.
std::optional<Loss> findLoss(const KernelKey &Key, const KernelRecord &Then,
                             const KernelRecord &Now) {
  std::optional<int64_t> Known = Now.Block ? Now.Block : Then.Block;
  ArrayRef<int64_t> Sizes =
      Known ? ArrayRef<int64_t>(*Known) : ArrayRef<int64_t>(LikelyBlocks);
  for (int64_t Threads : Sizes) {
    auto Before = blocksPerSM(Then, Threads, Key.Architecture);
    auto After = blocksPerSM(Now, Threads, Key.Architecture);
    if (Before && After && *After < *Before)
      return Loss{Threads, *Before, *After};
  }
  return std::nullopt;
}

std::string lossText(const Loss &L, bool Known) {
  std::string With = " with " + std::to_string(L.Threads) + " threads" +
                     (Known ? "" : ", if it is launched so");
  if (L.Now == 0)
    return "a block cannot run any more" + With;
  return number(L.Now, "block") + " per SM instead of " +
         std::to_string(L.Then) + With;
}

/// What one kernel has become.
class Comparison {
public:
  Comparison(const KernelKey &Key, const KernelRecord &Then,
             const KernelRecord &Now, std::vector<GateFinding> &Findings)
      : Key(Key), Then(Then), Now(Now), Findings(Findings) {}

  /// True if it got worse.
  bool run() {
    size_t First = Findings.size();
    compareSpills();
    compareRegisters();
    compareShared();
    return any_of(drop_begin(Findings, First), [](const GateFinding &F) {
      return F.Kind == GateKind::Worse;
    });
  }

private:
  void say(GateKind Kind, const Twine &Message, const Twine &Remedy = "") {
    Findings.push_back({Kind, Key, Message.str(), Remedy.str()});
  }
  bool blockKnown() const { return Now.Block || Then.Block; }

  void compareSpills() {
    int64_t Before = Then.spilledBytes(), After = Now.spilledBytes();
    if (Before == After)
      return;
    std::string Text = "spills " + number(After, "byte") + " instead of " +
                       std::to_string(Before) + ", with " +
                       number(Now.Registers, "register");
    if (After < Before)
      return say(GateKind::Better, Text);
    say(GateKind::Worse, Text,
        "allow more registers (a smaller second number in __launch_bounds__, a "
        "larger -maxrregcount), or make fewer values live at once: "
        "catt-rewrite --ptxas --report=text names them");
  }

  void compareRegisters() {
    if (Now.Registers == Then.Registers)
      return;
    std::string Text = number(Now.Registers, "register") + " instead of " +
                       std::to_string(Then.Registers);
    if (Now.Registers < Then.Registers)
      return say(GateKind::Better, Text);
    KernelRecord Mixed = sizedAs(Then);
    Mixed.Registers = Now.Registers;
    if (auto L = findLoss(Key, sizedAs(Then), Mixed))
      return say(GateKind::Worse, Text + ": " + lossText(*L, blockKnown()),
                 registerRemedy(*L));
    if (!blocksPerSM(Now, LikelyBlocks[0], Key.Architecture))
      return say(GateKind::Same, Text + "; what that costs is not known of " +
                                     Key.Architecture);
    say(GateKind::Same, Text + ", which costs no block");
  }

  void compareShared() {
    int64_t Before = Then.SharedBytes + Then.DynamicBytes.value_or(0);
    int64_t After = Now.SharedBytes + Now.DynamicBytes.value_or(0);
    if (Before == After)
      return;
    std::string Text = number(After, "byte") + " of shared memory instead of " +
                       std::to_string(Before);
    if (After < Before)
      return say(GateKind::Better, Text);
    KernelRecord Mixed = sizedAs(Then);
    Mixed.SharedBytes = Now.SharedBytes;
    Mixed.DynamicBytes = Now.DynamicBytes;
    if (auto L = findLoss(Key, sizedAs(Then), Mixed))
      return say(GateKind::Worse, Text + ": " + lossText(*L, blockKnown()),
                 "give back " + number(After - Before, "byte") +
                     " of shared memory per block");
    say(GateKind::Same, Text + ", which costs no block that is known");
  }

  /// A record for blocks as large as they are now.
  KernelRecord sizedAs(KernelRecord K) const {
    K.Block = Now.Block ? Now.Block : Then.Block;
    return K;
  }

  std::string registerRemedy(const Loss &L) const {
    Expected<Device> Gpu = findDevice(Key.Architecture);
    if (!Gpu) {
      consumeError(Gpu.takeError());
      return "";
    }
    int64_t Cap = registersForBlocks(*Gpu, L.Threads, L.Then);
    return "__launch_bounds__(" + std::to_string(L.Threads) + ", " +
           std::to_string(L.Then) + ") keeps it at " + std::to_string(Cap) +
           " registers or fewer; catt-rewrite --ptxas says what that spills";
  }

  const KernelKey &Key;
  const KernelRecord &Then, &Now;
  std::vector<GateFinding> &Findings;
};

StringRef word(GateKind Kind) {
  switch (Kind) {
  case GateKind::Worse:
    return "worse";
  case GateKind::Better:
    return "better";
  case GateKind::Same:
    return "note";
  case GateKind::New:
    return "new";
  case GateKind::Gone:
    return "gone";
  }
  return "";
}

} // namespace

GateResult compare(const Baseline &Then, const Baseline &Now) {
  GateResult Result;
  auto &Findings = Result.Findings;
  for (const auto &[Key, K] : Now) {
    auto Old = Then.find(Key);
    if (Old == Then.end()) {
      Findings.push_back({GateKind::New, Key,
                          number(K.Registers, "register") + ", spills " +
                              number(K.spilledBytes(), "byte"),
                          ""});
      continue;
    }
    ++Result.Compared;
    Result.Worse += Comparison(Key, Old->second, K, Findings).run();
  }
  for (const auto &[Key, K] : Then)
    if (!Now.count(Key))
      Findings.push_back({GateKind::Gone, Key, "was not compiled", ""});
  stable_sort(Findings, [](const GateFinding &A, const GateFinding &B) {
    return A.Kernel < B.Kernel;
  });
  return Result;
}

std::vector<std::string> impossibleLaunches(const Baseline &Now) {
  std::vector<std::string> Found;
  for (const auto &[Key, K] : Now) {
    Expected<Device> Gpu = findDevice(Key.Architecture);
    if (!Gpu || !K.Block || K.BlocksPerSM != 0) {
      consumeError(Gpu.takeError());
      continue;
    }
    int64_t Most = registersForBlocks(*Gpu, *K.Block, 1);
    if (Most != 0 && K.Registers > Most)
      Found.push_back(readableName(Key.Symbol) + " (" + Key.Architecture +
                      ") takes " + number(K.Registers, "register") +
                      ", with which a block of " + std::to_string(*K.Block) +
                      " threads cannot run: its launch fails; "
                      "__launch_bounds__(" +
                      std::to_string(*K.Block) + ") keeps it at " +
                      std::to_string(Most) + " or fewer");
  }
  return Found;
}

std::string renderGate(const GateResult &Result, StringRef BaselineName) {
  std::string Text;
  raw_string_ostream OS(Text);
  bool Record = false;
  for (const GateFinding &F : Result.Findings) {
    Record |= F.Kind == GateKind::Better || F.Kind == GateKind::New ||
              F.Kind == GateKind::Gone;
    OS << word(F.Kind) << ": " << readableName(F.Kernel.Symbol) << " ("
       << F.Kernel.Architecture << "): " << F.Message << "\n";
    if (!F.Remedy.empty())
      OS << "  remedy: " << F.Remedy << "\n";
  }
  OS << "gate: " << number(Result.Compared, "kernel") << " compared with '"
     << BaselineName << "', "
     << (Result.failed() ? std::to_string(Result.Worse) : "none")
     << " got worse";
  if (Record && !Result.failed())
    OS << "; run with --baseline and without --gate to record what is new";
  OS << "\n";
  return Text;
}

} // namespace catt
