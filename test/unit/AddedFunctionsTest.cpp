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

/// A kernel with narrow rows, in the file or in its header.
std::string withNarrowRows(Runtime From) {
  StageBench B(kernel("  const short *C = (const short *)A;\n"
                      "  for (int j = 0; j < m; ++j)\n"
                      "    s += C[i * m + j];\n"));
  B.Rewriting.How.From = From;
  return B.checked();
}

TEST(AddedFunctions, PositiveFunctionsThatOthersCall) {
  const std::string New = withNarrowRows(Runtime::Inline);
  const size_t Row = New.find(Function), Alike = New.find(" *cattAlike("),
               Words = New.find(" *cattLoadWords(");
  EXPECT_LT(Row, Words);
  EXPECT_LT(Alike, Words);
  EXPECT_NE(Words, std::string::npos);
  EXPECT_THAT(New, Not(HasSubstr("cattStore")));
}

TEST(AddedFunctions, PositiveOfTheHeaderOfNarrowRows) {
  EXPECT_THAT(withNarrowRows(Runtime::Header),
              AllOf(HasSubstr("#include <catt/narrow_rows.h>"),
                    Not(HasSubstr("#include <catt/staged_rows.h>")),
                    Not(HasSubstr("CATT_ALIKE"))));
}

TEST(AddedFunctions, headersServeByThemselves) {
  for (const char *Name : {"launches", "staged_rows", "narrow_rows"})
    EXPECT_TRUE(
        parseSnippet(std::string("#include <catt/") + Name + ".h>\n").Unit)
        << Name;
  for (llvm::StringRef Text :
       {launchesHeader(), stagedRowsHeader(), narrowRowsHeader()})
    EXPECT_LE(Text.count('\n'), 150u);
}

} // namespace
} // namespace catt
