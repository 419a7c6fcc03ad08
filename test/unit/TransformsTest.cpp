//===- TransformsTest.cpp - Tests of transforms/Transforms.def -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TransformTesting.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace catt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAreArray;

std::vector<std::string> chosen(const std::vector<std::string> &Names) {
  std::vector<std::string> Out;
  for (const Transform *T : chosenTransforms(Names))
    Out.push_back(T->name().str());
  return Out;
}

TEST(Transforms, PositiveChosen) {
  EXPECT_THAT(chosen({}), ElementsAre("reserve-shared", "prefer-l1",
                                      "split-warp-groups", "stage-rows",
                                      "promote-accumulators", "try-launches"));
  EXPECT_EQ(chosen({"all"}).size(), allTransforms().size());
  EXPECT_EQ(chosen({"prefer-l1", "all"}), chosen({"all"}));
  EXPECT_THAT(chosen({"launch-bounds", "prefer-l1"}),
              ElementsAre("prefer-l1", "try-launches",
                          "launch-bounds")); // in their order
}

TEST(Transforms, PositiveEachIsChosenByItsName) {
  for (const Transform *T : allTransforms()) {
    EXPECT_EQ(findTransform(T->name()), T);
    EXPECT_EQ(&transformFor(T->traits().Writes), T); // each writes another part
    EXPECT_EQ(isChosen(T->traits().Writes, {}), T->traits().IsDefault);
    EXPECT_TRUE(isChosen(T->traits().Writes, {"all"}));
    EXPECT_THAT(chosen({T->name().str()}),
                UnorderedElementsAreArray(
                    std::set<llvm::StringRef>{T->name(), "try-launches"}));
  }
}

TEST(Transforms, NegativeUnknownNames) {
  EXPECT_EQ(findTransform("all"), nullptr);
  EXPECT_THAT(chosen({"no-such"}), ElementsAre("try-launches"));
  EXPECT_EQ(llvm::toString(checkNames({"all", "prefer-l1"})), "");
  EXPECT_THAT(llvm::toString(checkNames({"prefer-l1", "no-such"})),
              HasSubstr("unknown transform 'no-such'; the transforms are "
                        "reserve-shared, "));
}

} // namespace
} // namespace catt
