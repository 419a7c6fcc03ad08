//===- Diagnostic.h - What the compiler says --------------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_MODEL_DIAGNOSTIC_H
#define CATT_ANALYSIS_MODEL_DIAGNOSTIC_H

#include "analysis/model/Location.h"

namespace catt {

/// A compiler message. Notes follow the message that they belong to.
struct Diagnostic {
  enum class Level : uint8_t { Note, Warning, Error, Fatal };
  Level Severity = Level::Error;
  Location Where;
  std::string Message;
};

inline bool isError(const Diagnostic &D) {
  return D.Severity >= Diagnostic::Level::Error;
}

} // namespace catt

#endif
