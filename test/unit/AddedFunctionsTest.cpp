//===- AddedFunctionsTest.cpp - Tests of transforms/AddedFunctions --------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "StageTesting.h"
#include "analysis/frontend/builtin/Builtin.h"

namespace catt {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const char Include[] =
    "// catt: stage-rows(header): what its loops and launches call\n"
    "#include <catt/staged_rows.h> // catt: done\n";
const char Function[] = "static __device__ void cattLoadRow(";

/// The usual kernel behind these lines, rewritten with functions of the header.
std::string withHeader(const std::string &Above) {
  StageBench B(Above + kernel(Usual));
  B.Rewriting.How.From = Runtime::Header;
  return B.checked();
}

TEST(AddedFunctions, PositiveInTheFile) {
  StageBench B(kernel(Usual));
  EXPECT_REWRITE(B, AllOf(HasSubstr(Function), Not(HasSubstr(Include))));
}

TEST(AddedFunctions, PositiveOfTheHeader) {
  const std::string New = withHeader("#include <cstdio>\n\n");
  EXPECT_THAT(New, AllOf(StartsWith(Include), HasSubstr("cattLoadRow<16, 68>"),
                         Not(HasSubstr(Function))));
}

TEST(AddedFunctions, PositiveTheHeaderAboveEveryBranch) {
  EXPECT_THAT(withHeader("#ifdef OTHER\n#include <cstdio>\n#endif\n"),
              StartsWith(Include));
}

TEST(AddedFunctions, NegativeTheHeaderIsThere) {
  for (const char *Above :
       {"#include <catt/staged_rows.h>\n", "# include  <catt/staged_rows.h>\n"})
    EXPECT_THAT(withHeader(Above),
                AllOf(StartsWith(Above), Not(HasSubstr("rows(header)")),
                      Not(HasSubstr(Function))));
  StageBench B("#include <catt/staged_rows.h>\n" + kernel(Usual));
  EXPECT_REWRITE(B, Not(HasSubstr(Function))); // nor is it written again
}

TEST(AddedFunctions, PositiveTheHeaderIsThereInAnotherBranch) {
  EXPECT_THAT(
      withHeader("#ifdef OTHER\n#include <catt/staged_rows.h>\n#endif\n"),
      HasSubstr(Include));
}

TEST(AddedFunctions, theHeaderServesByItself) {
  EXPECT_TRUE(parseSnippet("#include <catt/staged_rows.h>\n").Unit);
  EXPECT_LE(stagedRowsHeader().count('\n'), 150u);
}

} // namespace
} // namespace catt
