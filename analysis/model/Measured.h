//===- Measured.h - What was measured of a kernel ---------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_MODEL_MEASURED_H
#define CATT_ANALYSIS_MODEL_MEASURED_H

#include <cstdint>
#include <optional>
#include <string>

namespace catt {

/// The variant of a kernel that was measured to be the fastest, and where.
struct MeasuredVariant {
  std::string Kernel;  ///< Kernel::UnqualifiedName
  std::string File;    ///< absolute path of the file that defines it
  std::string Variant; ///< "tiles-64", as catt-tune lists it
  std::string Gpu;     ///< Device::Name
  std::string Toolkit; ///< "13.0"; empty: not known
  std::string Text;    ///< hash of the kernel's tokens, 16 hexadecimal digits
  double Gain = 1;     ///< time as written / time of the variant
  /// Of the kernel, that were timed; absent: whole runs of the program were.
  std::optional<int64_t> Launches;
  std::string Date; ///< "2026-11-29"
  bool operator==(const MeasuredVariant &) const = default;
};

/// What became of a measured variant where its kernel was found.
struct MeasuredChoice {
  MeasuredVariant Of;
  std::string WhyNot; ///< a clause; empty: the kernel is planned by it
};

} // namespace catt

#endif
