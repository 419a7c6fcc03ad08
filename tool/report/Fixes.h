//===- Fixes.h - Each change by itself --------------------- -*- C++ -*--===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Report, everything that was done --> the edits of each thing done, alone
//
// A viewer that offers one change at a time needs the edits of that change and
// no others. They come from the same transforms, run over a report whose other
// decisions are taken back.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_REPORT_FIXES_H
#define CATT_TOOL_REPORT_FIXES_H

#include "Rendering.h"

namespace catt {

/// One Fix for each of Changes.Done that can be made alone.
std::vector<Fix> fixesOf(const Report &R, const Edits &Changes,
                         const Writing &How);

} // namespace catt

#endif
