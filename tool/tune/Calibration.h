//===- Calibration.h - Measures the card that is here -----------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   tool/calibrate/* --(Embed.cmake)--> this program --> state directory
//     --(nvcc)--> a program for the first GPU --> card.json
//
// The card's file is written only if it can be read: where another program was
// on the GPU, its rates vary too much. What nvcc and the program say goes to
// the standard error. Files in the state directory stay after a failure.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_TUNE_CALIBRATION_H
#define CATT_TOOL_TUNE_CALIBRATION_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <string>

namespace catt {

struct CalibrationOptions {
  std::string Card;      ///< the file to write, *.json
  std::string Directory; ///< the state directory
  bool Quiet = false;    ///< no progress of the program's
};

/// The card's name. Error: one sentence.
llvm::Expected<std::string>
calibrate(const CalibrationOptions &O,
          llvm::function_ref<void(const std::string &)> Say);

} // namespace catt

#endif
