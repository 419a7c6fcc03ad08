//===- BlockShapes.cpp - Blocks whose size is known only at run time ------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/plan/runtime/BlockShapes.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

namespace catt {

/// True if an index, a guard or a trip count reads threadIdx or blockDim there.
static bool dependsOn(const Kernel &K, Axis Dim) {
  auto Reads = [&](const AffineIndex &Index) {
    return Index.mentions([&](const Atom &A) {
      return (A.K == Atom::Kind::ThreadIdx || A.K == Atom::Kind::BlockDim) &&
             A.Dim == Dim;
    });
  };
  auto OfAccess = [&](const Access &A) {
    return (A.Offset && Reads(*A.Offset)) ||
           llvm::any_of(A.Guards,
                        [&](const Guard &G) { return Reads(G.Condition); });
  };
  return llvm::any_of(K.Accesses, OfAccess) ||
         llvm::any_of(K.Loops, [&](const Loop &L) {
           return L.TripCount && Reads(*L.TripCount);
         });
}

std::optional<BlockShapes> BlockShapes::of(const Kernel &K,
                                           const Launch &Known) {
  if (dependsOn(K, Axis::Z))
    return std::nullopt;
  BlockShapes Result;
  auto HasRows = [](const Launch &L) { return L.Block.Y.value_or(1) != 1; };
  if (!dependsOn(K, Axis::Y) && llvm::none_of(K.Launches, HasRows))
    return Result;
  std::set<int64_t> Seen;
  for (const Launch &L : K.Launches)
    if (L.Block.X)
      Seen.insert(*L.Block.X);
  if (Seen.empty())
    Seen = {8, 16, 32, 64};
  Result.Widths.assign(Seen.begin(), Seen.end());
  Result.Height = Known.Block.Y;
  return Result;
}

std::string BlockShapes::input() const {
  return isAlongX() ? "blockDim.x" : "blockDim.x * blockDim.y";
}

std::vector<Shape> BlockShapes::withThreads(int64_t Threads) const {
  if (isAlongX())
    return {{Threads, 1, 1}};
  std::vector<Shape> Result;
  for (int64_t Width : Widths)
    if (Threads % Width == 0 &&
        Threads / Width == Height.value_or(Threads / Width))
      Result.push_back({Width, Threads / Width, 1});
  return Result;
}

bool isBlockSize(llvm::StringRef Input) {
  return Input.starts_with("blockDim.x");
}

} // namespace catt
