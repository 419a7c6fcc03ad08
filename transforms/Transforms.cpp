//===- Transforms.cpp - Every transform, and which are chosen ----*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Transforms.def --> one object of each class --names--> those that run
//
//===----------------------------------------------------------------------===//
#include "transforms/Transform.h"
#include "llvm/ADT/STLExtras.h"

using llvm::StringRef;

namespace catt {

llvm::ArrayRef<const Transform *> allTransforms() {
  using enum TransformTraits::Scope;
  static const Transform *const All[] = {
#define TRANSFORM(Class, ...) &the##Class({__VA_ARGS__}),
#include "transforms/Transforms.def"
  };
  return All;
}

const Transform *findTransform(StringRef Name) {
  auto Found = llvm::find_if(
      allTransforms(), [&](const Transform *T) { return T->name() == Name; });
  return Found == allTransforms().end() ? nullptr : *Found;
}

const Transform &transformFor(Part P) {
  auto Found = llvm::find_if(allTransforms(),
                             [&](const Transform *T) { return T->writes(P); });
  assert(Found != allTransforms().end() && "a part that nothing writes");
  return **Found;
}

bool isChosen(const Transform &T, llvm::ArrayRef<std::string> Names) {
  // What is written by others is tried wherever a plan says so.
  return Names.empty()
             ? T.traits().IsDefault
             : T.writes(Part::Trials) || llvm::is_contained(Names, T.name()) ||
                   llvm::is_contained(Names, "all");
}

bool isChosen(Part Written, llvm::ArrayRef<std::string> Names) {
  return isChosen(transformFor(Written), Names);
}

std::vector<const Transform *>
chosenTransforms(llvm::ArrayRef<std::string> Names) {
  std::vector<const Transform *> Chosen;
  llvm::copy_if(allTransforms(), std::back_inserter(Chosen),
                [&](const Transform *T) { return isChosen(*T, Names); });
  return Chosen;
}

std::vector<const Transform *>
chosenTransforms(const Report &R, llvm::ArrayRef<std::string> Names) {
  std::vector<const Transform *> Chosen;
  llvm::copy_if(
      allTransforms(), std::back_inserter(Chosen), [&](const Transform *T) {
        return isChosen(*T, Names) ||
               llvm::any_of(R.Kernels, [&](const KernelReport &K) {
                 return K.Own && has(K.Own->Written, T->traits().Writes);
               });
      });
  return Chosen;
}

llvm::Error checkNames(llvm::ArrayRef<std::string> Names) {
  std::string Known;
  for (const Transform *T : allTransforms())
    Known += T->name().str() + ", ";
  for (const std::string &Name : Names)
    if (Name != "all" && !findTransform(Name))
      return llvm::createStringError("unknown transform '" + llvm::Twine(Name) +
                                     "'; the transforms are " + Known +
                                     "or all");
  return llvm::Error::success();
}

} // namespace catt
