//===- AddedFunctions.cpp - Functions that rewritten code calls -----------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transforms/AddedFunctions.h"
#include "transforms/FilePlaces.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using llvm::StringRef;

namespace catt {

/// What cattShared and cattSpill begin with: Most is what the kernel may have
/// of dynamic shared memory on the current device, Bytes what the launch had.
static const char Limit[] = R"cu(  int device = 0, most = 0;
  cudaFuncAttributes now;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                             device) != cudaSuccess ||
      cudaFuncGetAttributes(&now, kernel) != cudaSuccess)
    return FAILED;
  size_t limit = most - now.sharedSizeBytes;
  if (bytes > limit || more > limit - bytes)
    return FAILED;
  if (bytes + more > (size_t)now.maxDynamicSharedSizeBytes &&
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           (int)limit) != cudaSuccess)
    return FAILED;
  return bytes + more;
})cu";

static const char PreferCarveout[] =
    "      kernel, cudaFuncAttributePreferredSharedMemoryCarveout, percent);";

/// Allows a launch more than 48 KiB (CUDA C++ Programming Guide, "Shared
/// Memory", compute capability 7.x and later).
static constexpr StringRef MaxDynamicShared =
    "cudaFuncAttributeMaxDynamicSharedMemorySize";

/// Each thread has a row, CattBytes from that of the thread before; the lanes
/// are those of one warp that are there. The warp has all elements on the way
/// at a time, in no registers (PTX ISA, "cp.async", from sm_80 on). Of rows
/// that end, no wider a part is loaded than the longest of them needs. Barriers
/// keep what is loaded apart from what the lanes read before and read then.
static const char LoadRow[] =
    R"cu(template <int CattColumns, int CattBytes, class CattType>
static __device__ void cattLoadRow(unsigned lanes, unsigned thread, CattType *own,
                                   const CattType *row, long long count) {
  const int lane = thread % 32;
  const int wanted = count < CattColumns ? (int)count : CattColumns;
  char *const tile = (char *)own - lane * CattBytes;
  const auto rowOf = [&](int from) {
    return (const CattType *)__shfl_sync(lanes, (unsigned long long)row, from);
  };
  const auto fetch = [&](int from, int column, const CattType *source) {
    char *const to = tile + from * CattBytes + column * sizeof(CattType);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("{ .reg .u64 to; cvta.to.shared.u64 to, %0;"
                 " cp.async.ca.shared.global [to], [%1], %2; }" ::"l"(to),
                 "l"(source + column), "n"(sizeof(CattType)) : "memory");
#else
    *(CattType *)to = source[column];
#endif
  };
  int width = CattColumns;
  while (width > 1 && __all_sync(lanes, wanted <= width / 2))
    width /= 2;
  __syncwarp(lanes);
  if (lanes == 0xffffffff) {
    const int shift = __ffs(width) - 1, column = lane & (width - 1);
#pragma unroll 4
    for (int i = 0; i < width; ++i) {
      const int from = (lane + 32 * i) >> shift;
      const CattType *const source = rowOf(from);
      if (column < __shfl_sync(lanes, wanted, from))
        fetch(from, column, source);
    }
  } else {
    const int some = __popc(lanes), first = __popc(lanes & ((1u << lane) - 1));
    for (unsigned rest = lanes; rest; rest &= rest - 1) {
      const int from = __ffs(rest) - 1, end = __shfl_sync(lanes, wanted, from);
      const CattType *const source = rowOf(from);
      for (int column = first; column < end; column += some)
        fetch(from, column, source);
    }
  }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
  __syncwarp(lanes);
})cu";

/// The other way: the lanes together store what each has written to its row.
static const char StoreRow[] =
    R"cu(template <int CattColumns, int CattBytes, class CattType>
static __device__ void cattStoreRow(unsigned lanes, unsigned thread, const CattType *own,
                                    CattType *row, long long count) {
  const int lane = thread % 32, mine = (int)count;
  const char *const tile = (const char *)own - lane * CattBytes;
  const auto store = [&](int from, int column, CattType *to) {
    const char *const source = tile + from * CattBytes + column * sizeof(CattType);
    to[column] = *(const CattType *)source;
  };
  const auto rowOf = [&](int from) {
    return (CattType *)__shfl_sync(lanes, (unsigned long long)row, from);
  };
  __syncwarp(lanes);
  if (lanes == 0xffffffff) {
    const int column = lane % CattColumns;
#pragma unroll 4
    for (int i = 0; i < CattColumns; ++i) {
      const int from = (lane + 32 * i) / CattColumns;
      CattType *const to = rowOf(from);
      if (column < __shfl_sync(lanes, mine, from))
        store(from, column, to);
    }
  } else {
    const int some = __popc(lanes), first = __popc(lanes & ((1u << lane) - 1));
    for (unsigned rest = lanes; rest; rest &= rest - 1) {
      const int from = __ffs(rest) - 1, end = __shfl_sync(lanes, mine, from);
      CattType *const to = rowOf(from);
      for (int column = first; column < end; column += some)
        store(from, column, to);
    }
  }
  __syncwarp(lanes);
})cu";

/// What the launch has asked for, in bytes (PTX ISA, "Special Registers").
static const char DynamicShared[] =
    R"cu(static __device__ unsigned cattDynamicShared() {
  unsigned bytes;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  return bytes;
})cu";

/// Whether what lies between two elements is apart from what lies between two
/// others.
static const char Apart[] = R"cu(template <class CattType, class CattOther>
static __device__ bool cattApart(const CattType *a, const CattType *b, const CattOther *c,
                                 const CattOther *d) {
  return (const char *)((a < b ? b : a) + 1) <= (const char *)(c < d ? c : d) ||
         (const char *)((c < d ? d : c) + 1) <= (const char *)(a < b ? a : b);
})cu";

static std::vector<std::string> raising(StringRef Name, StringRef Failed) {
  std::string Body = Limit;
  for (size_t At; (At = Body.find("FAILED")) != std::string::npos;)
    Body.replace(At, 6, Failed.str());
  return {"template <class K>",
          ("static size_t " + Name + "(K *kernel, size_t bytes, size_t more) {")
              .str(),
          Body};
}

static llvm::ArrayRef<AddedFunction> addedFunctions() {
  static const AddedFunction All[] = {
      {"cattThreads",
       "CATT_THREADS",
       "the threads of a launch's block",
       "",
       {"static inline unsigned cattThreads(dim3 block) {",
        "  return block.x * block.y * block.z;", "}"}},
      {"cattShared", "CATT_SHARED", "more shared memory for a launch",
       MaxDynamicShared, raising("cattShared", "bytes")},
      {"cattSpill", "CATT_SPILL", "shared memory for values of the kernel",
       MaxDynamicShared, raising("cattSpill", "bytes + more")},
      {"cattPreferL1",
       "CATT_PREFER_L1",
       "how a launch divides L1 and shared memory",
       "cudaFuncAttributePreferredSharedMemoryCarveout",
       {"template <class K>",
        "static size_t cattPreferL1(K *kernel, size_t bytes, int percent) {",
        "  (void)cudaFuncSetAttribute(", PreferCarveout, "  return bytes;",
        "}"}},
      {"cattLoadRow",
       "CATT_LOAD_ROW",
       "a warp loads elements of the row of each lane together",
       "",
       {LoadRow},
       /*ForLaunches=*/false},
      {"cattStoreRow",
       "CATT_STORE_ROW",
       "a warp stores elements to the row of each lane together",
       "",
       {StoreRow},
       /*ForLaunches=*/false},
      {"cattApart",
       "CATT_APART",
       "whether elements lie outside of others",
       "",
       {Apart},
       /*ForLaunches=*/false},
      {"cattDynamicShared",
       "CATT_DYNAMIC_SHARED",
       "the dynamic shared memory of a block",
       "",
       {DynamicShared},
       /*ForLaunches=*/false}};
  return All;
}

static std::vector<std::string> guarded(const AddedFunction &F) {
  std::vector<std::string> Out = {("#ifndef " + F.Guard).str(),
                                  ("#define " + F.Guard).str()};
  Out.insert(Out.end(), F.Code.begin(), F.Code.end());
  Out.push_back("#endif");
  return Out;
}

const AddedFunction *findFunction(StringRef Name) {
  auto Found = llvm::find_if(
      addedFunctions(), [&](const AddedFunction &F) { return F.Name == Name; });
  return Found == addedFunctions().end() ? nullptr : Found;
}

bool isTaken(const FileContext &File, const AddedFunction &F) {
  if (!File.places().guards(F.Guard).empty())
    return false;
  const std::string &Text = File.Text;
  StringRef Name = F.Name;
  bool Found = false;
  if (StringRef(Text).contains(Name))
    forEachToken(Text, 0, [&](const clang::Token &T, unsigned B, unsigned E) {
      Found = T.is(clang::tok::raw_identifier) &&
              StringRef(Text).slice(B, E) == Name;
      return !Found;
    });
  return Found;
}

//===-- The functions' places ---------------------------------------------===//

static std::string linesOf(const AddedFunction &F, const AddedCall &Use,
                           StringRef LineEnding) {
  return linesAsTheyAre(
      *Use.By,
      {F.ForLaunches ? "launch" : "kernel", F.Reason.str(), guarded(F), {}},
      LineEnding);
}

void addFunctions(const FileContexts &Files, Edits &Out) {
  for (const AddedFunction &F : addedFunctions()) {
    std::map<std::string, std::map<unsigned, const AddedCall *>> Uses;
    for (const AddedCall &Use : Out.Calls)
      if (Use.Function == F.Name)
        Uses[Use.File].insert({Use.At, &Use});
    for (const auto &[File, InFile] : Uses) {
      const FilePlaces &Places = Files.at(File).places();
      std::set<unsigned> Chosen = Places.guards(F.Guard);
      for (const auto &[At, Use] : InFile) {
        if (llvm::any_of(Chosen, [&](unsigned P) {
              return P < At && Places.reaches(P, At);
            }))
          continue;
        unsigned Place = *Places.above(Use->Tops, At);
        Chosen.insert(Place);
        Out.Added[{File, Place, Place}].lead(
            linesOf(F, *Use, Files.at(File).LineEnding));
      }
    }
  }
}

} // namespace catt
