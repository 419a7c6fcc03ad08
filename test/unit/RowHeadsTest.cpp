//===- RowHeadsTest.cpp - Heads of loops that walk rows -------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RowsTesting.h"
#include <gmock/gmock.h>

namespace catt {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

//===-- do ... while ------------------------------------------------------===//

TEST(RowHeads, PositiveDo) {
  const std::string Row = "s += A[i * m + j];";
  for (const std::string &Do :
       {"do {\n  " + Row + "\n} while (++j < m);",
        "do {\n  " + Row + "\n} while (m > ++j);",
        "do {\n  " + Row + "\n  if (s > 3)\n    continue;\n} while (++j < m);",
        "do\n  " + Row + "\nwhile (++j < m);"})
    EXPECT_THAT(rows("int j = 0;\n" + Do),
                ElementsAre("; j to m by ++j reads float A[i * m + j]"))
        << Do;
  EXPECT_THAT(rows("int j = 0;\ndo {\n  " + Row + "\n  j++;\n} while (j < m);"),
              ElementsAre("; j to m by  reads float A[i * m + j]"));
  EXPECT_THAT(rows("int j = 0;\ndo {\n  " + Row + "\n} while (++j <= m);"),
              ElementsAre(HasSubstr("; j to m by ++j")));
  EXPECT_THAT(rows("int j = 0;\ndo {\n  " + Row + "\n} while (++j != m);"),
              ElementsAre(HasSubstr("; j to m by ++j")));
  EXPECT_THAT(rows("int j = m - 1;\ndo {\n  " + Row + "\n} while (--j >= 0);"),
              ElementsAre(HasSubstr("; j to 0 by --j")));
}

TEST(RowHeads, PositiveDoOverPointers) {
  const std::string Ends = "const float *p = A + i * m, *e = p + m;\n";
  for (const char *Do :
       {"do {\n  s += *p++;\n} while (p != e);", "do s += *p++; while (p < e);",
        "do {\n  s += *p;\n  ++p;\n} while (p != e);",
        "do {\n  s += *p;\n} while (++p != e);"})
    EXPECT_THAT(rows(Ends + Do), ElementsAre(HasSubstr("reads float *p")))
        << Do;
  EXPECT_THAT(rows(Ends + "int n = m;\ndo {\n  s += *p++;\n} while (--n > 0);"),
              ElementsAre(HasSubstr("; n to 0 by --n reads float *p")));
}

TEST(RowHeads, PositiveDoRunsOnce) {
  Parsed P = parseRows("int j = 0;\ndo {\n  s += A[i * m + j];\n"
                       "} while (++j < m);");
  const RowLoop &R = P.kernel("k").RowLoops.at(0);
  EXPECT_TRUE(R.AtLeastOnce);
  EXPECT_EQ(P.text(R.Body), "{\n  s += A[i * m + j];\n} ");
  ASSERT_TRUE(P.kernel("k").Loops.at(R.Loop).TripCount);
  EXPECT_EQ(P.kernel("k").Loops.at(R.Loop).TripCount->str(),
            "max(0, m - 1) + 1");
  Parsed While = parseRows("int j = 0;\nwhile (j < m) {\n"
                           "  s += A[i * m + j];\n  ++j;\n}");
  EXPECT_FALSE(While.kernel("k").RowLoops.at(0).AtLeastOnce);
}

TEST(RowHeads, NegativeDo) {
  auto Of = [](llvm::StringRef Loop, const std::string &Before = "") {
    auto [Head, Tail] = Loop.split('@');
    return refusal(("int j = 0;\n" + Head + "s += A[i * m + j];" + Tail).str(),
                   Before);
  };
  for (const char *Loop :
       {"do { @ } while (j++ < m);",      // asks for the one before
        "do { ++j; @ } while (j < m);",   // counts first
        "do { @ ++j; } while (++j < m);", // twice
        "do { @ } while (j < m);",        // not at all
        "do { @ if (s > 3) ++j; } while (j < m);",
        "do { @ if (s > 3) continue; ++j; } while (j < m);",
        "do { @ } while (++j < m && s < 9);", "do { @ } while (s < 9);",
        "do { @ } while (++j < --m);", "do { @ } while (++j);",
        "do { @ j += 2; } while (j != m);",
        "do { @ m -= j > 3; } while (++j < m);"})
    EXPECT_EQ(Of(Loop), "not-counted") << Loop;
  EXPECT_EQ(Of("do { @ if (s > 9) break; } while (++j < m);"), "ends-early");
  EXPECT_EQ(Of("DO { @ } while (++j < m);", "#define DO do\n"), "in-macro");
  EXPECT_EQ(Of("do { @ } UNTIL (++j < m);", "#define UNTIL while\n"),
            "in-macro");
  EXPECT_EQ(refusal("unsigned j = i;\ndo {\n  s += A[i * m + j];\n"
                    "} while (++j != m);"),
            "not-counted");
  // What is behind the one that counts is of another iteration.
  for (const char *Loop : {"do {\n  s += *p++;\n  s += *p;\n} while (p != e);",
                           "do {\n  s += *p++ + *p++;\n} while (p != e);",
                           "do {\n  s += *++p;\n} while (p != e);",
                           "do {\n  s += *p++;\n} while (p != e && s < 9);"})
    EXPECT_EQ(refusal("const float *p = A + i * m, *e = p + m;\n" +
                      std::string(Loop)),
              "not-counted")
        << Loop;
}

//===-- Two declarators ---------------------------------------------------===//

TEST(RowHeads, PositiveALimitFromTheFirst) {
  EXPECT_THAT(rows("for (const float *p = A + i * m, *e = p + m; p < e; ++p)\n"
                   "  s += *p;"),
              ElementsAre("const float * p = A + i * m; A + i * m to "
                          "(A + i * m) + m by ++p reads float *p"));
  EXPECT_THAT(rows("for (const float *p = A + i * m, *e = p + m; p != e; ++p)\n"
                   "  s += *p;"),
              ElementsAre(HasSubstr("to (A + i * m) + m by ++p")));
  EXPECT_THAT(rows("for (const float *p = y + i * m, *e = m + p; p != e; ++p)\n"
                   "  s += *p;"),
              ElementsAre(HasSubstr("to m + (y + i * m) by ++p")));
  EXPECT_THAT(
      rows("for (int j = i * m, e = j + m; j < e; ++j)\n  s += A[j];"),
      ElementsAre("int j = i * m; i * m to (i * m) + m by ++j reads float "
                  "A[j]"));
  EXPECT_THAT(rows("for (int j = i, e = j + m; j < e; ++j)\n  s += A[j];"),
              ElementsAre(HasSubstr("i to i + m by ++j")));
}

TEST(RowHeads, NegativeALimitFromTheFirst) {
  for (const char *Loop :
       {"for (int j = i * m, e = j + m; j < e; ++j) s += A[j] + e;",
        "for (int j = i * m, e = j + m; j < e; ++j) s += A[j], --e;",
        "for (int j = i * m, e = j * j; j < e; ++j) s += A[j];",
        "for (int j = i * m, e = j + rp[i]; j < e; ++j) s += A[j];",
        "for (int j = i * m, e = j + m, q = 0; j < e; ++j) s += A[j];",
        "for (int j = i * 3u, e = j + m; j < e; ++j) s += A[j];",
        "for (short j = i, e = j + m; j < e; ++j) s += A[j];",
        "for (int j = i * m, e = j /* */ + m; j < e; ++j) s += A[j];",
        "for (const float *p = A + i, *e = p + m; p < e; ++p) s += *p, ++e;",
        "int j = i; for (int e = j + m, j = 0; j < e; ++j) s += A[j];"})
    EXPECT_EQ(refusal(Loop), "not-counted") << Loop;
  EXPECT_EQ(refusal("for (int j = i * m, e = END; j < e; ++j)\n  s += A[j];",
                    "#define END j + m\n"),
            "not-counted");
}

//===-- Ahead by a variable -----------------------------------------------===//

TEST(RowHeads, PositiveAheadByAVariable) {
  EXPECT_THAT(rows("for (int j = 0; j + i < m; ++j)\n  s += A[i * m + j];"),
              ElementsAre(HasSubstr("0 to m - i by ++j")));
  EXPECT_THAT(rows("for (int j = 0; j + 2 * i <= m; ++j)\n"
                   "  s += A[i * m + j] + A[i * m + j + i];"),
              ElementsAre("int j = 0; 0 to m - (2 * i) by ++j reads float "
                          "A[i * m + j] reads float A[i * m + j + i]"));
  EXPECT_THAT(rows("for (int j = 0; m >> 1 > j + i; ++j)\n"
                   "  s += A[i * m + j];"),
              ElementsAre(HasSubstr("0 to (m >> 1) - i by ++j")));
}

TEST(RowHeads, NegativeAheadByWhatChanges) {
  for (const char *Loop :
       {"for (int j = 0; j + i < m; ++j) s += A[i * m + j], ++i;",
        "for (int j = 0; j + i < (m > 3 ? m : 3); ++j) s += A[i * m + j];",
        "for (int j = 0; i + j < m; ++j) s += A[i * m + j];",
        "for (int j = 0; j + rp[j] < m; ++j) s += A[i * m + j];",
        "for (size_t j = 0; j + i < m; ++j) s += A[i * m + j];",
        "for (int j = 0, e = j + m; j + i < e; ++j) s += A[j];",
        "do { s += A[i * m]; } while (m + i < m);"})
    EXPECT_EQ(refusal(Loop), "not-counted") << Loop;
}

} // namespace
} // namespace catt
