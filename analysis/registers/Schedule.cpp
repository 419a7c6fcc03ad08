//===- Schedule.cpp - How many registers a scheduler would take -----------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/Schedule.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace catt {

namespace {

/// One definition of a value in the block.
struct Version {
  unsigned Words = 0;
  unsigned Readers = 0; ///< operations that have not run yet
  bool LiveOut = false;
};

struct Node {
  const Operation *Op = nullptr;
  llvm::SmallVector<unsigned, 2> Defines; ///< versions
  llvm::SmallVector<unsigned, 4> Uses;
  llvm::SmallVector<unsigned, 4> Successors;
  unsigned Waits = 0;    ///< predecessors that have not run yet
  unsigned Height = 0;   ///< clocks to the end of the block
  unsigned Earliest = 0; ///< clock at which its operands are there
  bool Load = false;     ///< goes first as soon as it can
};

/// One block, in single assignment, with its loop unrolled.
class BlockScheduler {
public:
  /// KeepNames: no value may be written while an earlier one of its name is
  /// still to be read, so that the order can be that of a Code.
  BlockScheduler(const Code &C, const Liveness &L, unsigned B, unsigned Copies,
                 bool KeepNames = false)
      : C(C), L(L), B(B), Copies(Copies), KeepNames(KeepNames) {
    build();
  }
  /// Loads go first from now on: addresses of later ones would take registers.
  void preferLoads(llvm::function_ref<bool(const Operation &)> IsLoad) {
    for (Node &N : Nodes)
      N.Load = IsLoad(*N.Op);
  }
  /// Returns the largest pressure. Once for each object.
  unsigned run(unsigned Limit);
  /// The operations in the order of the run.
  const std::vector<const Operation *> &order() const { return Order; }
  /// The times that the run waits for loads, the end of the block included.
  unsigned waits() const;

private:
  void build();
  void addCopy(unsigned Copy);
  void addNode(unsigned Index);
  void depend(unsigned Before, unsigned After);
  void dependOnMemory(unsigned Number);
  void dependOnNames(unsigned Number);
  void findHeights();
  unsigned versionOf(unsigned Value);
  unsigned define(unsigned Value);
  int freedBy(const Node &N) const;
  size_t choose(llvm::ArrayRef<unsigned> Ready, bool Tight, unsigned Clock);
  void start(unsigned Number, unsigned &Clock);

  const Code &C;
  const Liveness &L;
  unsigned B, Copies;
  bool KeepNames;
  std::vector<const Operation *> Order;
  std::vector<unsigned> Started; ///< the same, as nodes
  llvm::DenseMap<unsigned, std::vector<unsigned>> Touched; ///< value -> nodes
  std::vector<Node> Nodes;
  std::vector<Version> Versions;
  llvm::DenseMap<unsigned, unsigned> Current; ///< value -> version
  llvm::DenseMap<unsigned, unsigned> Maker;   ///< version -> node
  llvm::DenseMap<unsigned, unsigned> Root;    ///< version -> its first copy's
  llvm::DenseMap<unsigned, std::vector<unsigned>> FirstRoots; ///< by operation
  llvm::DenseMap<unsigned, unsigned> FirstResult;             ///< by operation
  std::vector<unsigned> Memory; ///< nodes that keep an order
  unsigned Words = 0;
};

} // namespace

unsigned BlockScheduler::versionOf(unsigned Value) {
  auto [At, New] = Current.try_emplace(Value, Versions.size());
  if (New) {
    Root[At->second] = At->second;
    Versions.push_back({C.Values[Value].Words});
    Words += C.Values[Value].Words; // live before the block
  }
  return At->second;
}

unsigned BlockScheduler::define(unsigned Value) {
  unsigned V = Versions.size();
  Versions.push_back({C.Values[Value].Words});
  Current[Value] = V;
  Root[V] = V;
  return V;
}

void BlockScheduler::depend(unsigned Before, unsigned After) {
  Nodes[Before].Successors.push_back(After);
  ++Nodes[After].Waits;
}

void BlockScheduler::dependOnMemory(unsigned Number) {
  const Operation &O = *Nodes[Number].Op;
  if (O.Reads == 0 && O.Writes == 0)
    return;
  for (unsigned Before : llvm::reverse(Memory)) {
    const Operation &P = *Nodes[Before].Op;
    if ((P.Writes & (O.Reads | O.Writes)) != 0 || (P.Reads & O.Writes) != 0)
      depend(Before, Number);
    // What came before a barrier is ordered by it.
    if (P.Reads == Space::Anywhere && P.Writes == Space::Anywhere)
      break;
  }
  Memory.push_back(Number);
}

/// Behind all that read or write the names that Number writes.
void BlockScheduler::dependOnNames(unsigned Number) {
  const Operation &O = *Nodes[Number].Op;
  for (unsigned Value : O.Defines)
    for (unsigned Before : Touched[Value])
      depend(Before, Number);
  for (unsigned Value : O.Defines)
    Touched[Value] = {Number};
  for (unsigned Value : O.Uses)
    Touched[Value].push_back(Number);
}

void BlockScheduler::addNode(unsigned Index) {
  const Operation &O = C.Operations[Index];
  unsigned Number = Nodes.size();
  Nodes.emplace_back();
  Nodes[Number].Op = &O;
  for (unsigned Value : O.Uses) {
    unsigned V = versionOf(Value);
    Nodes[Number].Uses.push_back(V);
    ++Versions[V].Readers;
    if (auto From = Maker.find(V); From != Maker.end())
      depend(From->second, Number);
  }
  dependOnMemory(Number);
  if (KeepNames)
    dependOnNames(Number);
  for (unsigned Value : O.Defines) {
    unsigned V = define(Value);
    Nodes[Number].Defines.push_back(V);
    Maker[V] = Number;
  }
}

/// The body once more. A step of an induction, and an address that follows
/// one, is that of the first copy with an offset: no operation, no register.
void BlockScheduler::addCopy(unsigned Copy) {
  for (unsigned I = C.Blocks[B].First; I != C.Blocks[B].End; ++I) {
    const Operation &O = C.Operations[I];
    if (O.EndsBlock && Copy + 1 != Copies)
      continue;
    std::vector<unsigned> Roots;
    for (unsigned Value : O.Uses)
      Roots.push_back(Root[versionOf(Value)]);
    if (Copy != 0 && O.IsLinear && FirstRoots[I] == Roots) {
      Current[O.Defines.front()] = FirstResult[I];
      continue;
    }
    addNode(I);
    if (Copy != 0 || !O.IsLinear)
      continue;
    unsigned Result = Current[O.Defines.front()];
    FirstResult[I] = Result;
    FirstRoots[I] = Roots;
    // j = j + 1: the next copy's j is this one's with an offset.
    if (O.IsStep && Roots.size() == 1)
      Root[Result] = Roots.front();
  }
}

void BlockScheduler::findHeights() {
  for (Node &N : llvm::reverse(Nodes)) {
    for (unsigned S : N.Successors)
      N.Height = std::max(N.Height, Nodes[S].Height);
    N.Height += N.Op->Latency;
  }
}

void BlockScheduler::build() {
  for (unsigned V : L.In[B].set_bits())
    versionOf(V);
  for (unsigned Copy = 0; Copy != Copies; ++Copy)
    addCopy(Copy);
  for (unsigned V : L.Out[B].set_bits())
    Versions[versionOf(V)].LiveOut = true;
  // The jump comes last.
  if (!Nodes.empty() && Nodes.back().Op->EndsBlock)
    for (unsigned N = 0; N + 1 < Nodes.size(); ++N)
      if (Nodes[N].Successors.empty())
        depend(N, Nodes.size() - 1);
  findHeights();
}

/// Words that running N frees, less those that it takes.
int BlockScheduler::freedBy(const Node &N) const {
  int Freed = 0;
  for (unsigned V : N.Uses)
    if (Versions[V].Readers == 1 && !Versions[V].LiveOut)
      Freed += Versions[V].Words;
  for (unsigned V : N.Defines)
    Freed -= Versions[V].Words;
  return Freed;
}

/// What an address that is not loaded itself takes at most, in clocks.
static constexpr unsigned AddressLatency = 16;

/// Index into Ready.
size_t BlockScheduler::choose(llvm::ArrayRef<unsigned> Ready, bool Tight,
                              unsigned Clock) {
  size_t Best = 0;
  for (size_t I = 1; I < Ready.size(); ++I) {
    const Node &N = Nodes[Ready[I]], &M = Nodes[Ready[Best]];
    if (Tight) {
      int A = freedBy(N), Z = freedBy(M);
      if (A > Z || (A == Z && Ready[I] < Ready[Best]))
        Best = I;
      continue;
    }
    unsigned A = std::max(N.Earliest, Clock), Z = std::max(M.Earliest, Clock);
    bool First = N.Load && A < Clock + AddressLatency;
    if (bool Second = M.Load && Z < Clock + AddressLatency; First != Second) {
      if (First)
        Best = I;
      continue;
    }
    if (A < Z || (A == Z && (N.Height > M.Height ||
                             (N.Height == M.Height && Ready[I] < Ready[Best]))))
      Best = I;
  }
  return Best;
}

void BlockScheduler::start(unsigned Number, unsigned &Clock) {
  Node &N = Nodes[Number];
  Order.push_back(N.Op);
  Started.push_back(Number);
  Clock = std::max(Clock, N.Earliest) + 1;
  for (unsigned V : N.Uses)
    if (--Versions[V].Readers == 0 && !Versions[V].LiveOut)
      Words -= Versions[V].Words;
  for (unsigned V : N.Defines)
    Words += Versions[V].Words;
}

unsigned BlockScheduler::run(unsigned Limit) {
  llvm::SmallVector<unsigned> Ready;
  for (unsigned N = 0; N != Nodes.size(); ++N)
    if (Nodes[N].Waits == 0)
      Ready.push_back(N);
  unsigned Clock = 0, Most = Words;
  while (!Ready.empty()) {
    size_t At = choose(Ready, Words >= Limit, Clock);
    unsigned Number = Ready[At];
    Ready[At] = Ready.back();
    Ready.pop_back();
    start(Number, Clock);
    Node &N = Nodes[Number];
    Most = std::max(Most, Words + N.Op->Temporaries);
    for (unsigned V : N.Defines) // a result that nothing reads
      if (Versions[V].Readers == 0 && !Versions[V].LiveOut)
        Words -= Versions[V].Words;
    for (unsigned S : N.Successors) {
      Nodes[S].Earliest =
          std::max(Nodes[S].Earliest, Clock - 1 + N.Op->Latency);
      if (--Nodes[S].Waits == 0)
        Ready.push_back(S);
    }
  }
  return Most;
}

unsigned BlockScheduler::waits() const {
  llvm::DenseSet<unsigned> UnderWay; // versions
  unsigned Count = 0;
  for (unsigned Number : Started) {
    const Node &N = Nodes[Number];
    if (llvm::any_of(N.Uses,
                     [&](unsigned V) { return UnderWay.contains(V); })) {
      ++Count;
      UnderWay.clear();
    }
    if (N.Load)
      UnderWay.insert(N.Defines.begin(), N.Defines.end());
  }
  return Count + (UnderWay.empty() ? 0 : 1);
}

/// How often the body of a block is run side by side.
static unsigned copiesOf(const CodeBlock &B, const ScheduleOptions &Options) {
  bool Unrolled = B.Loops && !B.NoUnroll && B.End - B.First <= Options.MaxBody;
  return Unrolled ? Options.Copies : 1;
}

std::vector<double>
scheduledWaits(const Code &C, const Liveness &L, const ScheduleOptions &Options,
               llvm::function_ref<bool(const Operation &)> IsLoad) {
  std::vector<double> Result;
  for (auto [B, Block] : llvm::enumerate(C.Blocks)) {
    unsigned Copies = copiesOf(Block, Options);
    BlockScheduler S(C, L, B, Copies);
    S.preferLoads(IsLoad);
    S.run(Options.Limit);
    Result.push_back(double(S.waits()) / Copies);
  }
  return Result;
}

std::vector<unsigned> scheduledPressure(const Code &C, const Liveness &L,
                                        const ScheduleOptions &Options) {
  std::vector<unsigned> Result;
  for (auto [B, Block] : llvm::enumerate(C.Blocks)) {
    BlockScheduler S(C, L, B, copiesOf(Block, Options));
    Result.push_back(S.run(Options.Limit));
  }
  return Result;
}

Code reordered(const Code &C, const Liveness &L, unsigned Limit) {
  Code Result{C.Values, {}, C.Blocks, C.Notes};
  std::vector<unsigned> Before = pressure(C, L);
  for (auto [B, Block] : llvm::enumerate(C.Blocks)) {
    BlockScheduler S(C, L, B, 1, /*KeepNames=*/true);
    auto First = Before.begin() + Block.First, End = Before.begin() + Block.End;
    unsigned Now = First == End ? 0 : *std::max_element(First, End);
    if (S.run(Limit) < Now)
      for (const Operation *O : S.order())
        Result.Operations.push_back(*O);
    else
      Result.Operations.insert(Result.Operations.end(),
                               C.Operations.begin() + Block.First,
                               C.Operations.begin() + Block.End);
  }
  return Result;
}

} // namespace catt
