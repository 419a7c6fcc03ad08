//===- Page.h - A search as a page with pictures ----------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_CATTTUNE_PAGE_H
#define CATT_TOOL_CATTTUNE_PAGE_H

#include "tool/catt-tune/Table.h"

namespace catt {

/// HTML that needs no other file: for each kernel a bar for each variant that
/// was timed, and below it what became of the others.
std::string pageHtml(const TuneResult &R, Checking By);

} // namespace catt

#endif
