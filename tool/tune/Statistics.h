//===- Statistics.h - Which times are better --------------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_TUNE_STATISTICS_H
#define CATT_TOOL_TUNE_STATISTICS_H

#include "llvm/ADT/ArrayRef.h"

namespace catt {

/// The middle value, or the mean of both; of none: 0.
double median(llvm::ArrayRef<double> Values);

/// Whether every one of the new times is shorter than every old one. Of three
/// runs each that differ by chance alone, one in twenty are so.
bool isClearlyLess(llvm::ArrayRef<double> New, llvm::ArrayRef<double> Old);

} // namespace catt

#endif
