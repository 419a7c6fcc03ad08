//===- RevertOld.h - What was added before there were hashes -----*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   } // catt: done           version 0.1: told by the form of the code
//   } // catt: done 90be47    since: told by the hash (Markers.h)
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TRANSFORMS_REVERTOLD_H
#define CATT_TRANSFORMS_REVERTOLD_H

#include "transforms/Markers.h"

namespace catt {

/// Whether the code between two markers without a hash is what the transform
/// wrote there.
bool wasWrittenWithoutHash(llvm::StringRef Transform, const Marker &First,
                           const Marker &Last, const std::string &Text);

} // namespace catt

#endif
