//===- Scheduler.cpp - Who runs next ---------------------------------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//            pick a ready warp, then a lane
//   main ------------------------------------> thread (its own stack)
//        <------------------------------------
//          waits | ends | scheduling point | stops the launch
//
//===----------------------------------------------------------------------===//

#include "tool/executor/Internal.h"
#include <algorithm>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <csignal>
#include <cstring>
#include <random>

using namespace catt::simt;
namespace ctx = boost::context;

// What device code sees; the names are those of include/catt_simt/device.h.
extern "C" {
Dim threadIdx, blockIdx, blockDim, gridDim;
char *catt_simt_shared, *catt_simt_dynamic_shared;
}

namespace catt::simt {

Running Run;

namespace {

constexpr uint64_t Turn = 4096; // steps of one thread before it gives way
ctx::detail::fcontext_t Main;
uint32_t LastEpoch = 0;
std::vector<Site *> Sites; // by Id - 1

/// Stacks of threads, kept for the life of the process.
ctx::stack_context &stackOf(unsigned Slot, unsigned Thread) {
  static std::vector<std::vector<ctx::stack_context>> Stacks;
  if (Stacks.size() <= Slot)
    Stacks.resize(Slot + 1);
  while (Stacks[Slot].size() <= Thread)
    Stacks[Slot].push_back(
        ctx::protected_fixedsize_stack(256 * 1024).allocate());
  return Stacks[Slot][Thread];
}

/// xorshift64*, for speed: it decides at every scheduling point.
struct Generator {
  uint64_t State = 1;
  void seed(uint64_t S) { State = (S + 1) * 0x9E3779B97F4A7C15ull | 1; }
  uint32_t operator()() {
    State ^= State >> 12, State ^= State << 25, State ^= State >> 27;
    return State * 0x2545F4914F6CDD1Dull >> 32;
  }
  using result_type = uint32_t;
  static constexpr uint32_t min() { return 0; }
  static constexpr uint32_t max() { return UINT32_MAX; }
} Random;

std::vector<Warp *> ReadyWarps;

//===-- Threads -----------------------------------------------------------===//

void **KernelArgs;

void threadMain(ctx::detail::transfer_t From) {
  Main = From.fctx;
  Run.Kernel->Call(KernelArgs);
  Thread &T = *Run.Current;
  Warp &W = *T.Owner;
  W.Alive &= ~(1u << T.Lane);
  --W.Owner->Alive;
  --Run.GridAlive;
  ++Run.Changes;
  openBarriers(*W.Owner);
  for (unsigned Left = W.AtWarpOp; Left; Left &= Left - 1)
    if (const Thread &O = W.Lanes[__builtin_ctz(Left)];
        W.AtWarpOp >> O.Lane & 1)
      tryToMeet(W, O);
  toMain();
  __builtin_unreachable();
}

void beginTurn() {
  Run.TurnEnds = std::min(Run.Steps + Turn, Run.Opts.Budget + 1);
}

void resume(Thread &T) {
  if (std::exchange(Run.Current, &T) != &T)
    beginTurn();
  const Block &B = *T.Owner->Owner;
  threadIdx = T.Index;
  blockIdx = B.Index;
  catt_simt_shared = reinterpret_cast<char *>(B.SharedLow);
  catt_simt_dynamic_shared =
      catt_simt_shared + (Run.Kernel->Info->StaticShared + 15) / 16 * 16;
  Run.TurnBegan = Run.Steps;
  T.Context = ctx::detail::jump_fcontext(T.Context, nullptr).fctx;
  endTurn(T);
}

/// Runs lanes of W until none is ready or one comes to a scheduling point.
void runWarp(Warp &W) {
  bool Yielded = false;
  while (W.Ready && !Yielded && !Run.Stop) {
    unsigned Turn = Run.Opts.Seed ? Random() % 32 : W.First;
    unsigned Lane =
        (__builtin_ctz(__builtin_rotateright32(W.Ready, Turn)) + Turn) % 32;
    W.Ready &= ~(1u << Lane);
    resume(W.Lanes[Lane]);
    Yielded = W.Ready >> Lane & 1;
    if (Run.GaveWay)
      W.First = Lane + 1;
  }
}

//===-- Crashes -----------------------------------------------------------===//

void onSignal(int Number) {
  report(FindingKind::Crash, Run.Last, nullptr,
         std::string("crash after this access: ") + strsignal(Number));
  stopLaunch();
}

/// While it lives, a thread that crashes ends the launch, not the process.
class CatchCrashes {
public:
  CatchCrashes() {
    static char Stack[64 * 1024]; // a thread's own may have overflowed
    stack_t S{};
    S.ss_sp = Stack;
    S.ss_size = sizeof Stack;
    sigaltstack(&S, nullptr);
    struct sigaction A{};
    A.sa_handler = onSignal;
    A.sa_flags = SA_ONSTACK | SA_NODEFER; // it leaves by a jump
    for (unsigned I = 0; I < std::size(Numbers); ++I)
      sigaction(Numbers[I], &A, &Before[I]);
  }
  ~CatchCrashes() {
    for (unsigned I = 0; I < std::size(Numbers); ++I)
      sigaction(Numbers[I], &Before[I], nullptr);
  }

private:
  static constexpr int Numbers[] = {SIGFPE, SIGSEGV, SIGILL, SIGTRAP, SIGABRT};
  struct sigaction Before[std::size(Numbers)];
};

//===-- Blocks ------------------------------------------------------------===//

class LaunchRun {
public:
  LaunchRun(const LaunchShape &S) : Shape(S) {
    SharedBytes =
        (Run.Kernel->Info->StaticShared + 15) / 16 * 16 + S.DynamicShared;
    Order.resize(S.Grid.count());
    for (uint32_t I = 0; I < Order.size(); ++I)
      Order[I] = I;
    if (Run.Opts.Seed)
      std::shuffle(Order.begin(), Order.end(), Random);
    Run.GridAlive = S.Grid.count() * S.Block.count();
    Run.DynamicShared = S.DynamicShared;
    unsigned Slots = std::min<uint64_t>(residentBlocks(S), Order.size());
    for (unsigned I = 0; I < Slots; ++I) {
      Resident.push_back(std::make_unique<Block>());
      Resident[I]->Slot = I;
      start(*Resident[I]);
    }
  }

  void run() {
    while (!Run.Stop) {
      if (ReadyWarps.empty()) {
        if (std::any_of(Resident.begin(), Resident.end(),
                        [](auto &B) { return B->Alive != 0; }))
          deadlock();
        return;
      }
      size_t I = Run.Opts.Seed ? Random() % ReadyWarps.size() : 0;
      Warp &W = *ReadyWarps[I];
      runWarp(W);
      if (!Run.Stop && isStuck(Resident)) {
        stuck();
        return;
      }
      if (W.Ready || meetActive(W)) {
        if (std::exchange(Run.GaveWay, false))
          std::rotate(ReadyWarps.begin() + I, ReadyWarps.begin() + I + 1,
                      ReadyWarps.end());
        continue;
      }
      W.Queued = false;
      ReadyWarps.erase(ReadyWarps.begin() + I);
      if (W.Owner->Alive == 0 && NextBlock < Order.size())
        start(*W.Owner);
    }
  }

private:
  void start(Block &B) {
    B.Linear = Order[NextBlock++];
    const Dim &G = Shape.Grid, &D = Shape.Block;
    B.Index = {B.Linear % G.X, B.Linear / G.X % G.Y, B.Linear / G.X / G.Y};
    B.Alive = D.count();
    resetBarriers(B);
    ++Run.Changes;
    B.SharedLow = sharedMemory(B.Slot);
    B.SharedHigh = B.SharedLow + SharedBytes;
    std::memset(reinterpret_cast<void *>(B.SharedLow), 0xDB, SharedBytes);
    B.History.resize((SharedBytes + 3) / 4 * 4);
    B.FirstEpoch = B.Epoch = nextEpoch();
    if (B.Threads.empty()) {
      B.Threads.resize(B.Alive);
      B.Warps.resize((B.Alive + 31) / 32);
    }
    for (unsigned I = 0; I < B.Alive; ++I)
      start(B, I);
    for (unsigned I = 0; I < B.Warps.size(); ++I) {
      Warp &W = B.Warps[I];
      W = Warp{&B, &B.Threads[I * 32]};
      unsigned Count = std::min(32u, B.Alive - I * 32);
      W.Alive = Count == 32 ? ~0u : (1u << Count) - 1;
      makeReady(W, W.Alive);
    }
  }

  void start(Block &B, unsigned I) {
    const Dim &D = Shape.Block;
    Thread &T = B.Threads[I];
    T.Linear = I;
    T.Lane = I % 32;
    T.Index = {I % D.X, I / D.X % D.Y, I / D.X / D.Y};
    T.Owner = &B.Warps[I / 32];
    T.At = nullptr;
    T.Fetches.clear();
    T.FetchGroups = 0;
    T.LoopBase = 0;
    T.Watched = T.SinceChange = 0;
    ctx::stack_context &S = stackOf(B.Slot, I);
    // Tops at different distances from a page, or all stacks would share a
    // few sets of this machine's cache.
    char *Top = static_cast<char *>(S.sp) - I % 61 * 192;
    T.StackHigh = reinterpret_cast<uint64_t>(S.sp);
    T.StackLow = T.StackHigh - S.size;
    T.Context = ctx::detail::make_fcontext(Top, S.size - 16384, threadMain);
  }

  /// Nobody can run: names two of those who wait.
  void deadlock() {
    for (auto &B : Resident) {
      const Thread *First = nullptr, *Second = nullptr;
      for (const Thread &T : B->Threads)
        if (T.At && T.Owner->Alive >> T.Lane & 1) {
          First = First ? First : &T;
          Second = !Second && T.At != First->At ? &T : Second;
        }
      if (!First)
        continue;
      std::string Text = "deadlock: this thread waits for others that never "
                         "come";
      if (Second)
        Text += "; thread " + str(Second->Index) + " waits elsewhere";
      report(FindingKind::Deadlock, First->At, Second ? Second->At : nullptr,
             std::move(Text), First);
    }
  }

  /// All that could run wait for a change that nobody is left to make.
  void stuck() {
    report(FindingKind::NoProgress, Run.Last, nullptr,
           "no progress: this thread waits for memory that nobody changes");
    Run.Stop = true;
  }

  LaunchShape Shape;
  size_t SharedBytes = 0;
  std::vector<uint32_t> Order;
  size_t NextBlock = 0;
  std::vector<std::unique_ptr<Block>> Resident;
};

} // namespace

void makeReady(Warp &W, unsigned Lanes) {
  W.Ready |= Lanes;
  if (W.Ready && !W.Queued) {
    W.Queued = true;
    ReadyWarps.push_back(&W);
  }
}

void toMain() { Main = ctx::detail::jump_fcontext(Main, nullptr).fctx; }

void runLaunch(const KernelEntry &K, const LaunchShape &S, void **Args,
               const Options &O, Result &R) {
  Run = Running{&K, O, &R};
  size_t Traced = R.Trace.size(); // by earlier launches of the same program
  Run.UntilSwitch = O.SwitchEvery;
  KernelArgs = Args;
  Random.seed(O.Seed);
  ReadyWarps.clear();
  gridDim = S.Grid;
  blockDim = S.Block;
  {
    CatchCrashes Scope;
    LaunchRun(S).run();
  }
  if (Run.Stop)
    R.Error = 700; // cudaErrorIllegalAddress
  else if (std::any_of(R.Findings.begin(), R.Findings.end(),
                       [](auto &F) { return F.Kind == FindingKind::Deadlock; }))
    R.Error = 702; // cudaErrorLaunchTimeout
  R.Places.resize(Sites.size());
  for (size_t I = 0; I < Sites.size(); ++I)
    R.Places[I] = placeOf(Sites[I]);
  for (size_t I = Traced; I < R.Trace.size(); ++I) { // Ids count from 1
    TraceRecord &T = R.Trace[I];
    --T.Where;
    for (unsigned D = 0; D < T.Depth; ++D)
      --T.Loops[D].Where;
  }
}

void report(FindingKind K, const Site *Where, const Site *Other,
            std::string Message, const Thread *Who) {
  Who = Who ? Who : Run.Current;
  Finding F{K,
            placeOf(Where),
            {},
            Who->Owner->Owner->Index,
            Who->Index,
            Run.Kernel->Name,
            std::move(Message)};
  if (Other)
    F.Other = placeOf(Other);
  auto Key = [](const Finding &F) {
    return std::tuple(F.Kind, F.Where.File, F.Where.Line, F.Where.Column,
                      F.Other ? F.Other->Line : 0,
                      F.Other ? F.Other->Column : 0);
  };
  for (const Finding &Old : Run.Out->Findings)
    if (Key(Old) == Key(F))
      return;
  Run.Out->Findings.push_back(std::move(F));
}

void stopLaunch() {
  Run.Stop = true;
  toMain();
  __builtin_unreachable();
}

static void yield() {
  Thread &T = *Run.Current;
  makeReady(*T.Owner, 1u << T.Lane);
  toMain();
}

void giveWay() {
  Run.GaveWay = true;
  yield();
}

/// Counts one step of the current thread, whose turn may end with it.
static void step(const Site *Where) {
  if (++Run.Steps < Run.TurnEnds)
    return;
  if (Run.Steps > Run.Opts.Budget) {
    report(FindingKind::NoProgress, Where, nullptr,
           "no progress: the launch used up its budget");
    stopLaunch();
  }
  beginTurn();
  giveWay();
}

void schedulingPoint(const Site *Where) {
  step(Where);
  if (Random() % 4 == 0)
    yield();
}

uint32_t nextEpoch() { return ++LastEpoch; }

uint32_t siteId(Site *S) {
  if (S->Id == 0) {
    Sites.push_back(S);
    S->Id = Sites.size();
  }
  return S->Id;
}

Site *siteById(uint32_t Id) { return Sites[Id - 1]; }

void forgetSites() {
  for (Site *S : Sites)
    S->Id = 0;
  Sites.clear();
}

} // namespace catt::simt

//===-- Called by kernels -------------------------------------------------===//

void catt_simt_loop(Site *Where, bool Entry) {
  Run.Last = Where;
  Where->Ran = 1;
  step(Where);
  if (!Run.Opts.Trace)
    return;
  Thread &T = *Run.Current;
  unsigned Level = T.LoopBase + Where->Depth - 1;
  if (Level >= MaxTracedLoops)
    return;
  T.Loops[Level].Where = siteId(Where);
  T.Loops[Level].Iteration = Entry ? 0 : T.Loops[Level].Iteration + 1;
}

void catt_simt_depth(int Delta) { Run.Current->LoopBase += Delta; }
