//===- Trials.cpp - Plans as texts to ask about ---------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Trials.h"
#include "llvm/ADT/STLExtras.h"

namespace catt {

llvm::Expected<Trial> trialOf(const Report &R,
                              const RewriteOptions &Rewriting) {
  llvm::Expected<Edits> Changes = rewrite(R, Rewriting);
  if (!Changes)
    return Changes.takeError();
  auto Texts = catt::apply(*Changes, R.Texts);
  if (!Texts)
    return Texts.takeError();
  return Trial{std::move(*Changes), {std::move(*Texts), {}}};
}

bool isChanged(const KernelReport &K, llvm::StringRef Transform,
               const Edits &Changes) {
  return llvm::any_of(Changes.Done, [&](const Applied &A) {
    return A.Transform == Transform && A.Where == K.Source.Where;
  });
}

} // namespace catt
