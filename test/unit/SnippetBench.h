//===- SnippetBench.h - Reports of parsed snippets ---------------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Workbench is told where its loops are; here the analysis finds them, and a
// test says what is planned for kernel k.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TEST_UNIT_SNIPPETBENCH_H
#define CATT_TEST_UNIT_SNIPPETBENCH_H

#include "SourceTesting.h"
#include "TransformTesting.h"

namespace catt::testing {

/// A report of a snippet's kernel k, to be rewritten by one transform.
struct SnippetBench : ReportBench {
  SnippetBench(const std::string &Code, const char *Transform)
      : P(parseSnippet(Code)) {
    R.MainFile = "/snippet/kernel.cu";
    R.Texts[R.MainFile] = Code;
    R.Gpu = llvm::cantFail(findDevice("h200"));
    R.Kernels.emplace_back().Source = P.kernel("k");
    Rewriting.Transforms = {Transform};
  }

  /// The rewritten text from the kernel on: without what is added above it.
  std::string below() const {
    std::string New = checked();
    return New.substr(New.find("__global__"));
  }

  Parsed P;

protected:
  bool parsesLike(const std::string &New) const override {
    parseSnippet(New); // expects no error
    return true;
  }
};

} // namespace catt::testing

#endif
