//===- Kernels.h - Kernels, their loops and their accesses -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   TranslationUnit --(SymbolicWalk of each kernel)--> Kernel
//
// A template gives one Kernel for each instantiation in the file; one that is
// never instantiated gives a Kernel with a refusal and no loops. Kernels of
// headers are found like those of the main file; those of system headers are
// not the user's and are left out.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_SOURCE_KERNELS_H
#define CATT_ANALYSIS_SOURCE_KERNELS_H

#include "analysis/frontend/CudaFrontEnd.h"
#include "analysis/model/Kernel.h"
#include <functional>
#include <vector>

namespace catt {

/// Every kernel for which `Wanted(qualified name, name)` is true, in the order
/// of the source, with its launches. `Problems` gets directives that make no
/// sense. Without `WithRows`, Kernel::RowLoops is empty.
std::vector<Kernel> findKernels(
    const TranslationUnit &Unit,
    const std::function<bool(const std::string &, const std::string &)> &Wanted,
    bool WithRows, std::vector<Diagnostic> &Problems);

/// The text of a file as it was parsed, by absolute path.
std::optional<std::string> textOf(const TranslationUnit &Unit,
                                  const std::string &Path);

} // namespace catt

#endif
