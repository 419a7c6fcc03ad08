//===- SharedText.cpp - Files that are read more than once ----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/source/safety/SharedText.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace catt {

std::set<std::string> filesReadTwice(const ASTContext &Context) {
  const SourceManager &SM = Context.getSourceManager();
  std::set<const FileEntry *> Seen;
  std::set<std::string> Twice;
  auto Add = [&](const SrcMgr::SLocEntry &Entry) {
    if (!Entry.isFile())
      return;
    const SrcMgr::FileInfo &File = Entry.getFile();
    if (SrcMgr::isSystem(File.getFileCharacteristic()) ||
        !File.getContentCache().OrigEntry)
      return;
    const FileEntry &Known = File.getContentCache().OrigEntry->getFileEntry();
    if (!Seen.insert(&Known).second)
      Twice.insert(Known.tryGetRealPathName().str());
  };
  for (unsigned I = 1; I < SM.local_sloc_entry_size(); ++I)
    Add(SM.getLocalSLocEntry(I));
  return Twice;
}

} // namespace catt
