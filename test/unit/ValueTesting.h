//===- ValueTesting.h - What becomes of variables -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TEST_UNIT_VALUETESTING_H
#define CATT_TEST_UNIT_VALUETESTING_H

#include "SourceTesting.h"

namespace catt::testing {

/// A kernel with this body and parameters A, B (not written), y, n.
inline Parsed parseBody(const std::string &Body,
                        const std::string &Before = "") {
  return parseSnippet(Before +
                      "__global__ void k(float *A, const float *__restrict__ "
                      "B, float *y, int n) {\n" +
                      Body + "\n}\n");
}

inline const ThreadValue &value(const Parsed &P, llvm::StringRef Name) {
  for (const ThreadValue &V : P.kernel("k").Values)
    if (V.Name == Name)
      return V;
  ADD_FAILURE() << "no value " << Name.str();
  static const ThreadValue None;
  return None;
}

/// "def s = 1; use y[0] = s;": each event with its statement.
inline std::string events(const Parsed &P, llvm::StringRef Name) {
  std::string Out;
  for (const ValueEvent &E : value(P, Name).Events)
    Out += std::string(Out.empty() ? "" : " | ") + (E.InHead ? "head " : "") +
           (E.Defines ? E.Uses ? "change " : "def " : "use ") +
           (E.Index.empty() ? "" : "[" + E.Index + "] ") +
           P.text(P.kernel("k").Statements[E.Statement].Span);
  return Out;
}

inline std::vector<Reason> reasons(const Parsed &P, llvm::StringRef Name) {
  std::vector<Reason> Out;
  for (const Refusal &R : value(P, Name).Refusals)
    Out.push_back(R.Kind);
  return Out;
}

} // namespace catt::testing

#endif
