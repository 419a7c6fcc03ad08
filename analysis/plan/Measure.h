//===- Measure.h - What texts cost -----------------------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   TranslationUnit --(start)--> TextMeasure: questions --> answers
//                                              texts, kernels   registers,
//                                              spills
//
// Who is asked is a class of its own: ptxas (RegisterSources.h) today. Without
// one there is no search, and the plans stay as they were estimated.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_PLAN_MEASURE_H
#define CATT_ANALYSIS_PLAN_MEASURE_H

#include "analysis/model/RegisterUse.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace catt {

class TranslationUnit;

/// A file with other texts (by absolute path), and the kernels of it (by
/// Kernel::Name) that are asked about, each under its cap. Their own bounds
/// stay.
struct TextQuestion {
  std::map<std::string, std::string> Texts;
  std::map<std::string, unsigned> Caps;
};

/// What is made of the kernels; one that nothing is known of is left out.
using TextAnswer = std::map<std::string, RegisterPoint>;

/// Answers in the order of the questions. Error: a text could not be measured.
using TextMeasure = std::function<llvm::Expected<std::vector<TextAnswer>>(
    llvm::ArrayRef<TextQuestion>)>;

class Measure {
public:
  virtual ~Measure();
  /// Measures texts in place of those of Unit, which must outlive what is
  /// returned. May be called for several units at a time.
  virtual TextMeasure start(const TranslationUnit &Unit) const = 0;
};

} // namespace catt

#endif
