//===- Memory.cpp - Which addresses a kernel may touch ---------------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   0x2000_0000_0000  device memory: [allocation][gap][allocation][gap]...
//   0x3000_0000_0000  shared memory: 256 KiB for each resident block
//
// Address sanitizer leaves both alone. Addresses are fixed, so that traces are
// the same in every run, and are never used twice between resets, so that a
// freed allocation stays outside.
//
//===----------------------------------------------------------------------===//

#include "tool/executor/Internal.h"
#include <cstring>
#include <map>
#include <sys/mman.h>

namespace catt::simt {
namespace {

constexpr uint64_t DeviceBase = 0x200000000000, DeviceSize = 1ull << 38;
constexpr uint64_t SharedBase = 0x300000000000, SharedSlot = 256 * 1024;
constexpr unsigned MaxSlots = 4096;
constexpr uint64_t SharedEnd = SharedBase + MaxSlots * SharedSlot;
constexpr uint64_t Alignment = 512; // cudaMalloc's

struct Allocation {
  uint64_t High;
  bool Constant, Ours;
  unsigned Number = 0; ///< of those that are ours, from 1
};

struct Table {
  std::map<uint64_t, Allocation> Allocations; // by first address
  std::vector<Site *> Cached; // sites that remember an allocation
  uint64_t Next = DeviceBase;
  unsigned Allocated = 0; ///< how many are or were ours

  Table() {
    reserve(DeviceBase, DeviceSize);
    reserve(SharedBase, MaxSlots * SharedSlot);
  }
  static void reserve(uint64_t At, uint64_t Size) {
    void *P =
        mmap(reinterpret_cast<void *>(At), Size, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
             -1, 0);
    if (P != reinterpret_cast<void *>(At)) {
      std::perror("catt-run: cannot reserve address space");
      std::abort();
    }
  }
  /// The last allocation that begins at or before Address.
  std::map<uint64_t, Allocation>::iterator before(uint64_t Address) {
    auto It = Allocations.upper_bound(Address);
    return It == Allocations.begin() ? Allocations.end() : std::prev(It);
  }
  void forgetCached() {
    for (Site *S : Cached)
      S->Low = S->High = S->Constant = 0;
    Cached.clear();
  }
};

Table &table() {
  static Table *T = new Table; // outlives every destructor
  return *T;
}

std::string bytes(uint64_t N) {
  return std::to_string(N) + (N == 1 ? " byte" : " bytes");
}

[[noreturn]] void outOfBounds(uint64_t Address, uint64_t Size, Site *S,
                              bool Writes) {
  Table &T = table();
  std::string Text = std::string(Writes ? "write" : "read") + " of " +
                     bytes(Size) + " outside of any allocation";
  const Block &B = *Run.Current->Owner->Owner;
  auto It = T.before(Address);
  if (Address >= SharedBase && Address < SharedEnd)
    Text += ": at byte " + std::to_string(int64_t(Address - B.SharedLow)) +
            " of " + bytes(B.SharedHigh - B.SharedLow) + " of shared memory";
  else if (Address < 4096)
    Text += ": a null pointer plus " + bytes(Address);
  else if (It != T.Allocations.end() && Address < It->second.High + (1 << 30))
    Text += ": at byte " + std::to_string(Address - It->first) +
            " of an allocation of " + bytes(It->second.High - It->first);
  report(FindingKind::OutOfBounds, S, nullptr, std::move(Text));
  stopLaunch();
}

//===-- Shared memory -----------------------------------------------------===//

/// What one access does to the history of the bytes it touches.
class SharedAccess {
public:
  SharedAccess(Block &B, Site *S, AccessKind Kind)
      : B(B), S(S), Seen(Run.Current->Owner->Seen[Run.Current->Lane]),
        Me(Run.Current->Linear), Kind(Kind) {}

  void run(uint64_t Address, uint64_t Size) {
    uint64_t Fresh = 0, Last = Address + Size;
    for (uint64_t A = Address; A < Last;) {
      SharedByte *Word = &B.History[(A - B.SharedLow) & ~3ull];
      if (A % 4 == 0 && Last - A >= 4 && !Word->Split) {
        Fresh += 4 * touch(*Word);
        A += 4;
        continue;
      }
      split(Word);
      Fresh += touch(Word[A % 4]);
      ++A;
    }
    // A copy of a struct may read its padding.
    bool Bad = S->Kind == Copy ? Fresh == Size : Fresh != 0;
    if (Kind != Store && Bad && Size)
      report(FindingKind::UninitializedShared, S, nullptr,
             "read of shared memory that no thread of this block has written");
  }

private:
  static void split(SharedByte *Word) {
    if (Word->Split)
      return;
    Word->Split = true;
    Word[1] = Word[2] = Word[3] = Word[0];
  }

  /// True if nobody has written it.
  bool touch(SharedByte &H) {
    bool Fresh = H.Write.Epoch < B.FirstEpoch && H.Atomic.Epoch < B.FirstEpoch;
    meet(H.Write, Kind == Load ? "read after a write" : "write after a write");
    if (Kind != Load)
      meet(H.Read, "write after a read");
    if (Kind != Atomic)
      meet(H.Atomic, "plain access after an atomic one");
    note(Kind == Load ? H.Read : Kind == Store ? H.Write : H.Atomic);
    return Fresh;
  }

  bool isOtherWarp(const SharedByte::Use &U) const {
    return U.Thread / 32 != Me / 32;
  }

  /// Reports a race with an earlier use of another warp, or of another lane.
  void meet(const SharedByte::Use &U, const char *What) {
    if (U.Epoch != B.Epoch)
      return;
    if (isOtherWarp(U) || U.OtherWarps)
      race(U.Where, What,
           str(B.Threads[U.Thread].Index) +
               (isOtherWarp(U) ? "" : " and others") +
               " of another warp without a barrier between");
    else if (U.LastThread != Me && U.LastTime >= Seen[U.LastThread % 32] &&
             !isOneStore(U))
      race(U.LastWhere, What,
           str(B.Threads[U.LastThread].Index) +
               " of the same warp without a __syncwarp between");
  }

  /// One instruction by which several lanes store to one place: one of them
  /// does.
  bool isOneStore(const SharedByte::Use &U) const {
    return Kind == Store && U.LastWhere == siteId(S);
  }

  void race(uint32_t With, const char *What, const std::string &Whose) {
    report(FindingKind::Race, S, siteById(With),
           std::string("race on shared memory: ") + What + " by thread " +
               Whose);
  }

  void note(SharedByte::Use &U) {
    if (U.Epoch != B.Epoch)
      U = {B.Epoch, siteId(S), Me};
    else if (isOtherWarp(U))
      U.OtherWarps = true;
    U.LastThread = Me;
    U.LastWhere = siteId(S);
    U.LastTime = Seen[Me % 32];
  }

  Block &B;
  Site *S;
  const std::array<uint32_t, 32> &Seen; ///< of this lane: Warp::Seen
  uint16_t Me;
  AccessKind Kind;
};

//===-- All accesses ------------------------------------------------------===//

void trace(uint64_t Address, uint32_t Size, AccessKind Kind, Space In,
           Site *S) {
  const Thread &T = *Run.Current;
  TraceRecord R{};
  R.Address = Address;
  R.Size = Size;
  R.Where = siteId(S);
  R.Block = T.Owner->Owner->Linear;
  R.Thread = T.Linear;
  R.Kind = Kind;
  R.In = In;
  R.Depth = std::min(T.LoopBase + S->Depth, MaxTracedLoops);
  for (unsigned I = 0; I < R.Depth; ++I)
    R.Loops[I] = {T.Loops[I].Where, T.Loops[I].Iteration};
  Run.Out->Trace.push_back(R);
}

/// Checks an access; false if it is to the thread's own stack.
bool check(uint64_t Address, uint64_t Size, AccessKind Kind, Site *S,
           Space &In) {
  const Thread &T = *Run.Current;
  In = Space::Global;
  if (Address >= T.StackLow && Address < T.StackHigh)
    return false;
  if (Address & (S->Align - 1)) {
    report(FindingKind::Misaligned, S, nullptr,
           "address is not a multiple of " + bytes(S->Align));
    stopLaunch();
  }
  if (Address >= SharedBase && Address < SharedEnd) {
    Block &B = *T.Owner->Owner;
    if (Address < B.SharedLow || Address + Size > B.SharedHigh)
      outOfBounds(Address, Size, S, Kind != Load);
    In = Space::Shared;
    SharedAccess(B, S, Kind).run(Address, Size);
    return true;
  }
  Table &Tab = table();
  auto It = Tab.before(Address);
  if (It == Tab.Allocations.end() || Address + Size > It->second.High)
    outOfBounds(Address, Size, S, Kind != Load);
  if (It->second.Constant && Kind != Load) {
    report(FindingKind::ConstantWrite, S, nullptr, "write to constant memory");
    stopLaunch();
  }
  In = It->second.Constant ? Space::Constant : Space::Global;
  if (S->Kind != Copy) {
    S->Constant = It->second.Constant;
    S->Low = It->first;
    S->High = It->second.High;
    Tab.Cached.push_back(S);
  }
  return true;
}

void access(uint64_t Address, uint64_t Size, AccessKind Kind, Site *S) {
  Run.Last = S;
  S->Ran = 1;
  Space In = S->Constant ? Space::Constant : Space::Global;
  bool Known = Address >= S->Low && Address + Size <= S->High &&
               !(Address & (S->Align - 1));
  if (!Known && !check(Address, Size, Kind, S, In))
    return;
  if (Run.Opts.Trace)
    trace(Address, Size, Kind, In, S);
  if (Run.UntilSwitch == 1) {
    Run.UntilSwitch = Run.Opts.SwitchEvery;
    schedulingPoint(S);
  } else if (Run.UntilSwitch != 0) {
    --Run.UntilSwitch;
  }
  if (Kind == Store)
    ++Run.Changes;
  else if (Kind == Atomic)
    expectChange(reinterpret_cast<const void *>(Address), Size);
  else if (S->Watches)
    Run.Current->Watches = true;
}

} // namespace

void registerMemory(void *P, uint64_t Size, bool Constant) {
  auto At = reinterpret_cast<uint64_t>(P);
  table().Allocations[At] = {At + Size, Constant, false};
}

void unregisterMemory(void *P) {
  table().forgetCached();
  table().Allocations.erase(reinterpret_cast<uint64_t>(P));
}

void forgetCachedAllocations() { table().forgetCached(); }

bool isCopyable(const void *P, uint64_t Size) {
  auto At = reinterpret_cast<uint64_t>(P);
  auto It = table().before(At);
  if (It != table().Allocations.end() && At < It->second.High)
    return At + Size <= It->second.High;
  return At < DeviceBase || At >= DeviceBase + DeviceSize;
}

std::pair<uint64_t, uint64_t> allocationAt(const void *P) {
  auto At = reinterpret_cast<uint64_t>(P);
  auto It = table().before(At);
  if (It == table().Allocations.end() || At >= It->second.High ||
      !It->second.Ours)
    return {0, 0};
  return {It->first, It->second.High};
}

uint64_t sharedMemory(unsigned Slot) {
  table(); // reserves it
  return SharedBase + (Slot % MaxSlots) * SharedSlot;
}

void *deviceAllocZeros(size_t Size) {
  Table &T = table();
  if (Size > DeviceBase + DeviceSize - T.Next - 2 * Alignment)
    return nullptr;
  uint64_t At = T.Next;
  T.Next = (At + Size + 2 * Alignment - 1) / Alignment * Alignment;
  T.Allocations[At] = {At + Size, false, true, ++T.Allocated};
  return reinterpret_cast<void *>(At);
}

void *deviceAlloc(size_t Size) {
  void *P = deviceAllocZeros(Size);
  if (P)
    std::memset(P, 0xCB, Size);
  return P;
}

bool deviceFree(void *P) {
  Table &T = table();
  auto It = T.Allocations.find(reinterpret_cast<uint64_t>(P));
  if (It == T.Allocations.end() || !It->second.Ours)
    return false;
  uint64_t First = (It->first + 4095) & ~4095ull,
           Last = It->second.High & ~4095ull;
  if (First < Last)
    madvise(reinterpret_cast<void *>(First), Last - First, MADV_DONTNEED);
  T.forgetCached();
  T.Allocations.erase(It);
  return true;
}

void deviceReset() {
  Table &T = table();
  std::erase_if(T.Allocations, [](auto &A) { return A.second.Ours; });
  T.forgetCached();
  madvise(reinterpret_cast<void *>(DeviceBase), T.Next - DeviceBase,
          MADV_DONTNEED);
  T.Next = DeviceBase;
  T.Allocated = 0;
}

void forEachAllocation(const VisitObject &Do) {
  for (const auto &[At, A] : table().Allocations)
    if (A.Ours)
      Do(std::to_string(A.Number), reinterpret_cast<const void *>(At),
         A.High - At);
}

} // namespace catt::simt

using namespace catt::simt;

void catt_simt_access(const void *Address, Site *Where) {
  access(reinterpret_cast<uint64_t>(Address), Where->Size, Where->Kind, Where);
}

void catt_simt_range(const void *Address, uint64_t Size, uint32_t Kind,
                     Site *Where) {
  if (Size)
    access(reinterpret_cast<uint64_t>(Address), Size, AccessKind(Kind), Where);
}

void catt_simt_fetch(void *To, const void *From, uint32_t Size, uint32_t Loaded,
                     Site *Where) {
  Run.Current->Fetches.push_back(
      {To, From, Size, std::min(Size, Loaded), Where});
}

void catt_simt_fetch_group(Site *) {
  Thread &T = *Run.Current;
  ++T.FetchGroups;
  for (Fetch &F : T.Fetches)
    if (F.Group == 0)
      F.Group = T.FetchGroups;
}

void catt_simt_fetched(uint32_t Groups, Site *) {
  Thread &T = *Run.Current;
  std::vector<Fetch> Left;
  for (const Fetch &F : std::exchange(T.Fetches, {})) {
    if (Groups != ~0u && (F.Group == 0 || F.Group + Groups > T.FetchGroups)) {
      Left.push_back(F);
      continue;
    }
    F.At->Align = F.Size;
    if (F.Loaded)
      access(reinterpret_cast<uint64_t>(F.From), F.Loaded, Load, F.At);
    access(reinterpret_cast<uint64_t>(F.To), F.Size, Store, F.At);
    std::memset(F.To, 0, F.Size);
    std::memcpy(F.To, F.From, F.Loaded);
  }
  T.Fetches = std::move(Left);
}

void *catt_simt_atomic(void *Address, uint32_t Size, Site *Where) {
  schedulingPoint(Where);
  if (Size == 0) { // __nanosleep, which takes its time
    Run.Steps += 64;
    giveWay();
    return Address;
  }
  Where->Size = Where->Align = Size;
  access(reinterpret_cast<uint64_t>(Address), Size, Atomic, Where);
  return Address;
}

void catt_simt_variable(void *Address, uint64_t Size, bool Constant) {
  registerMemory(Address, Size, Constant);
  registry().Variables.push_back(Address);
}
