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

/// A tile has a row for each thread; the lanes are those of one warp that are
/// there. Barriers keep what is loaded apart from what the lanes read before.
static const char LoadRows[] = R"cu(template <int CattColumns, class CattType>
static __device__ void cattLoadRows(unsigned lanes, CattType (*rows)[CattColumns + 1],
                                    unsigned thread, const CattType *row,
                                    long long count) {
  const int lane = thread % 32;
  const int wanted = count < CattColumns ? (int)count : CattColumns;
  CattType(*const tile)[CattColumns + 1] = rows + (thread - lane);
  __syncwarp(lanes);
  if (lanes == 0xffffffff) {
    CattType loaded[CattColumns];
#pragma unroll
    for (int i = 0; i < CattColumns; ++i) {
      const int from = (i * 32 + lane) / CattColumns, column = lane % CattColumns;
      const CattType *const source =
          (const CattType *)__shfl_sync(lanes, (unsigned long long)row, from);
      const bool there = column < __shfl_sync(lanes, wanted, from);
      loaded[i] = there ? source[column] : CattType();
    }
#pragma unroll
    for (int i = 0; i < CattColumns; ++i)
      tile[(i * 32 + lane) / CattColumns][lane % CattColumns] = loaded[i];
  } else {
    for (unsigned rest = lanes; rest; rest &= rest - 1) {
      const int from = __ffs(rest) - 1;
      const CattType *const source =
          (const CattType *)__shfl_sync(lanes, (unsigned long long)row, from);
      const int end = __shfl_sync(lanes, wanted, from);
      for (int column = __popc(lanes & ((1u << lane) - 1)); column < end;
           column += __popc(lanes))
        tile[from][column] = source[column];
    }
  }
  __syncwarp(lanes);
})cu";

/// Whether what is stored lies outside of a row.
static const char Apart[] = R"cu(template <class CattType, class CattStored>
static __device__ bool cattApart(const CattType *row, long long count,
                                 const CattStored *stored, long long stores) {
  return (const char *)(stored + stores) <= (const char *)row ||
         (const char *)stored >= (const char *)(row + count);
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
      {"cattLoadRows",
       "CATT_LOAD_ROWS",
       "a warp loads elements of the row of each lane together",
       "",
       {LoadRows},
       /*ForLaunches=*/false},
      {"cattApart",
       "CATT_APART",
       "whether a loop stores nothing into a row that it reads",
       "",
       {Apart},
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
  // As it stands: in the body that layOut() puts it into it would be indented.
  std::string Code = "// catt: " + Use.By->name().str() + "(" +
                     (F.ForLaunches ? "launch" : "rows") +
                     "): " + F.Reason.str() + "\n" +
                     llvm::join(guarded(F), "\n") + " // catt: done\n";
  llvm::SmallVector<StringRef> Rows;
  StringRef(Code).split(Rows, '\n');
  return llvm::join(Rows, LineEnding);
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
