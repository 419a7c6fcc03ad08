//===- RewrittenTesting.h - Texts as version 0.1 rewrote them ----*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TEST_UNIT_REWRITTENTESTING_H
#define CATT_TEST_UNIT_REWRITTENTESTING_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <string>
#include <utility>
#include <vector>

namespace catt::testing {

/// Texts that every transform has rewritten before there were hashes, and what
/// they were before.
inline std::vector<std::pair<std::string, std::string>>
rewrittenWithoutHashes() {
  auto File = llvm::MemoryBuffer::getFile(
      CATT_SOURCE_DIR "/test/unit/data/rewritten-without-hashes.txt");
  if (!File) {
    ADD_FAILURE() << File.getError().message();
    return {};
  }
  std::vector<std::pair<std::string, std::string>> Out;
  llvm::StringRef Rest = (*File)->getBuffer();
  while (Rest.consume_front("#### rewritten\n")) {
    auto [New, Behind] = Rest.split("#### original\n");
    size_t End = std::min(Behind.find("#### rewritten\n"), Behind.size());
    Out.push_back({New.str(), Behind.take_front(End).str()});
    Rest = Behind.drop_front(End);
  }
  return Out;
}

} // namespace catt::testing

#endif
