//===- LoopVersions.h - Another version of a loop ---------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   if (the version is right, and pays) {
//     ... the loop, with rows in tiles (StageRows.cpp)
//         or sums in registers (PromoteAccumulators.cpp) ...
//   } else { // catt: begin 3f2a1c
//   the loop, as it was
//   } // catt: end
//
// The version holds a copy of the body in which references are replaced by
// others; its comments stay in the loop as it was.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TRANSFORMS_LOOPVERSIONS_H
#define CATT_TRANSFORMS_LOOPVERSIONS_H

#include "transforms/SourceEdit.h"

namespace catt {

/// One loop, its other version, and the names that it declares.
struct VersionedLoop {
  const Kernel &K;
  const RowLoop &Rows;
  const LoopVersion &Version;
  const TileMemory &Tiles;
  std::string OnlyIf = "";  ///< what else its condition asks first
  bool SharesTiles = false; ///< they are declared at the top of the kernel
  std::vector<std::string> RowNames = {}; ///< of each read in tiles
  std::vector<std::string> SumNames = {}; ///< of each sum in a register
  std::string Lanes = "", Thread = "", From = "", Count = "", Array = "";
};

/// With names that the file does not use.
VersionedLoop versionOf(const Kernel &K, const LoopVersion &Version,
                        const TileMemory &Tiles, const FileContext &File);

/// Why a loop's text cannot get another version, if so.
std::optional<Refusal> cannotVersion(const Context &C, const RowLoop &Rows);

/// Writes the version of a loop; Reason: of its marker.
void writeVersion(const VersionedLoop &V, llvm::StringRef Reason,
                  EditBuilder &Out);

/// "extern __shared__ __align__(8) unsigned char cattTiles_k[];"
std::string tileDeclaration(const VersionedLoop &V);

} // namespace catt

#endif
