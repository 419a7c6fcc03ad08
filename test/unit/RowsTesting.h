//===- RowsTesting.h - What tests of values/RowLoops share ------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TEST_UNIT_ROWSTESTING_H
#define CATT_TEST_UNIT_ROWSTESTING_H

#include "SourceTesting.h"
#include "analysis/model/Reasons.h"
#include "llvm/ADT/StringExtras.h"
#include <gtest/gtest.h>

namespace catt::testing {

/// "int j = 0; 0 to m by ++j reads A[i * m + j]", one text for each loop.
inline std::string shown(const Parsed &P, const RowLoop &R) {
  std::string Out = R.Init + " " + R.Start + " to " + R.Limit + " by " + R.Step;
  for (const Refusal &Why : R.Refusals)
    return Out + " refused: " + info(Why.Kind).Id.str();
  for (const RowRead &Read : R.Reads) {
    Out +=
        (Read.IsWritten ? " writes " : " reads ") + Read.Type + " " + Read.Text;
    if (Read.Places.size() != 1)
      Out += " " + std::to_string(Read.Places.size()) + "x";
    for (auto [Place, Offset] : llvm::zip_equal(Read.Places, Read.Offsets)) {
      EXPECT_LE(Offset, Read.Halo);
      if (P.text(Place) != Read.Text)
        Out += " +" + std::to_string(Offset);
    }
    for (unsigned I : Read.Apart)
      Out += " apart from " + std::string(R.Places[I].Moves ? "row " : "") +
             R.Places[I].Text;
    if (Read.Why)
      Out += " refused: " + info(Read.Why->Kind).Id.str();
  }
  return Out;
}

inline Parsed parseRows(const std::string &Body,
                        const std::string &Before = "") {
  return parseSnippet(
      Before +
      "__global__ void k(const float *A, const float *__restrict__ B, float *y,"
      " const int *rp, float *__restrict__ z, int m) {\n"
      "int i = blockIdx.x * blockDim.x + threadIdx.x;\nfloat s = 0;\n" +
      Body + "\ny[i] = s;\n}\n");
}

inline std::vector<std::string> rows(const std::string &Body,
                                     const std::string &Before = "") {
  Parsed P = parseRows(Body, Before);
  std::vector<std::string> Out;
  for (const RowLoop &R : P.kernel("k").RowLoops)
    Out.push_back(shown(P, R));
  return Out;
}

inline const std::string Usual = "for (int j = 0; j < m; ++j)\n";

/// Why the loop with this body cannot run in tiles; "": it can.
inline std::string refusal(const std::string &Body,
                           const std::string &Before = "") {
  Parsed P = parseRows(Body, Before);
  const std::vector<RowLoop> &Found = P.kernel("k").RowLoops;
  if (Found.empty())
    return "nothing found";
  return Found[0].Refusals.empty() ? ""
                                   : info(Found[0].Refusals[0].Kind).Id.str();
}

} // namespace catt::testing

#endif
