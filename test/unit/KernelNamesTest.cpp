//===- KernelNamesTest.cpp - Symbols without hashes, for people -----------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/registers/KernelNames.h"
#include "gtest/gtest.h"

using namespace catt;

namespace {

// As nvcc 13.0 names them.
constexpr llvm::StringRef Hidden =
    "_ZN35_GLOBAL__N__3eb51ca4_4_a_cu__Z1ffPf6hiddenEPf";
constexpr llvm::StringRef HiddenRdc =
    "__nv_static_24__3eb51ca4_4_a_cu__Z1ffPf__ZN35_GLOBAL__N__3eb51ca4_4_a_cu__"
    "Z1ffPf6hiddenEPf";

TEST(KernelNames, AHashIsNoPartOfTheName) {
  EXPECT_EQ(stableSymbol(Hidden),
            "_ZN35_GLOBAL__N__00000000_4_a_cu__Z1ffPf6hiddenEPf");
  EXPECT_EQ(stableSymbol("_ZN35_GLOBAL__N__01234567_4_a_cu__Z1ffPf6hiddenEPf"),
            stableSymbol(Hidden));
  EXPECT_EQ(stableSymbol(HiddenRdc),
            "__nv_static_24__00000000_4_a_cu__Z1ffPf__ZN35_GLOBAL__N__00000000_"
            "4_a_cu__Z1ffPf6hiddenEPf");
}

TEST(KernelNames, NegativeOtherNamesStay) {
  for (llvm::StringRef Name :
       {"_Z4wideILi64EEvPfPKf", "k", "", "_Z9_deadbeef_v", "_GLOBAL__N_",
        "_GLOBAL__N__3eb51ca", "_GLOBAL__N__3eb51caX_4", "__nv_static_24",
        "_GLOBAL__N__3eb51ca41_4"})
    EXPECT_EQ(stableSymbol(Name), Name);
}

TEST(KernelNames, IsReadable) {
  EXPECT_EQ(readableName("_Z4wideILi64EEvPfPKf"),
            "void wide<64>(float*, float const*)");
  EXPECT_EQ(readableName(Hidden), "(anonymous namespace)::hidden(float*)");
  EXPECT_EQ(readableName(HiddenRdc), "(anonymous namespace)::hidden(float*)");
  EXPECT_EQ(readableName(stableSymbol(HiddenRdc)), readableName(Hidden));
  EXPECT_EQ(bareName("_Z4wideILi64EEvPfPKf"), "wide");
  EXPECT_EQ(functionName("_ZN1n4wideILi64EEEvPf"), "n::wide<64>");
  EXPECT_EQ(bareName("_ZN1n4wideILi64EEEvPf"), "n::wide");
  EXPECT_EQ(bareName("_ZN1tIiE4wideILi64EEEvPf"), "t<int>::wide");
}

TEST(KernelNames, NegativeWhatIsNotMangledStays) {
  for (llvm::StringRef Name : {"k", "__nv_static_", "__nv_static_99_x",
                               "_Zjunk", "__nv_static_1_xy"}) {
    EXPECT_EQ(readableName(Name), Name);
    EXPECT_EQ(functionName(Name), Name);
    EXPECT_EQ(bareName(Name), Name);
  }
}

} // namespace
