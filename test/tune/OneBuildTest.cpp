//===- OneBuildTest.cpp - Variants of a kernel in one text ----------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/tune/OneBuild.h"
#include "VariantsTesting.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/Regex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace catt;
using testing::HasSubstr;
using testing::Not;

namespace {

/// What is joined, and what came of it.
struct Joining {
  std::vector<WrittenVariant> Written;
  std::string Why;
  OneBuild One;
  std::string text() const { return One.Texts.at(SnippetPath); }
};

/// Also of texts whose variants have gone through Change.
Joining join(const std::string &Text,
             const std::function<void(WrittenVariant &)> &Change = nullptr,
             const char *Names = "{sums,tiles-64,groups-[24]*,blocks-1*}",
             const FileTexts &More = {}) {
  Joining J;
  AnalysedFile F{
      SnippetPath,
      FoundCommand{{"/snippet", SnippetPath, {"nvcc", SnippetPath}, ""},
                   "the test"},
      {llvm::cantFail(findDevice("sm_80")), "--gpu"},
      builtIn(),
      job(Text, builtIn()),
      {}};
  EXPECT_EQ(F.Job.Outcome.Error, "");
  const Report &R = *F.Job.Outcome.Analysed;
  std::map<std::string, std::string> Untimed;
  F.Launches = timedLaunches(R, Untimed);
  const Kernel &K = R.Kernels.at(0).Source;
  FileTexts Plain = More;
  Plain[SnippetPath] = Text;
  const auto Which = llvm::cantFail(llvm::GlobPattern::create(Names, 8));
  auto At = placesOf(K.UnqualifiedName, R, F.Launches, Plain);
  if (!At) {
    J.Why = toString(At.takeError());
    return J;
  }
  for (const Recipe &P : recipesFor(K)) {
    if (!Which.match(P.Name))
      continue;
    std::vector<TimedLaunch> Launches = F.Launches;
    WrittenVariant V = writeVariant(F, P, {{SnippetPath, Text}}, Launches);
    if (!V.Refused.empty())
      continue;
    if (Change)
      Change(V);
    J.Written.push_back(std::move(V));
  }
  std::vector<const WrittenVariant *> All;
  for (const WrittenVariant &V : J.Written)
    All.push_back(&V);
  auto One = joined(All, *At, Plain, F.Launches);
  if (One)
    J.One = std::move(*One);
  else
    J.Why = toString(One.takeError());
  return J;
}

/// Whether it is CUDA still, and holds so many kernels.
void expectKernels(const Joining &J, size_t Count) {
  ASSERT_EQ(J.Why, "");
  EXPECT_GE(J.One.Numbers.size(), 2u);
  const JobResult Again =
      job("namespace catt { int variantOf(const char *); }\n" + J.text(),
          builtIn());
  ASSERT_EQ(Again.Outcome.Error, "") << J.text();
  std::set<std::string> Names;
  for (const KernelReport &K : Again.Outcome.Analysed->Kernels) {
    Names.insert(K.Source.UnqualifiedName);
    EXPECT_FALSE(K.Source.Launches.empty()) << K.Source.Name;
  }
  EXPECT_EQ(Names.size(), Count) << J.text();
}

constexpr char Body[] = " {\n"
                        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                        "  for (int j = 0; j < 4096; ++j)\n"
                        "    y[i] += A[i * 4096 + j];\n"
                        "}\n";
const std::string Head = "__global__ void rows(const float *A, float *y)";
const std::string Rows = Head + Body;
const std::string Host =
    "void host(float *A, float *y) { rows<<<320, 256>>>(A, y); }\n";

TEST(OneBuild, PositiveCopiesStandBehindTheKernel) {
  const Joining J = join(Rows + Host);
  expectKernels(J, 5); // sums, tiles, two and four groups
  const std::string Text = J.text();
  EXPECT_EQ(Text.find(Rows), Text.find("__global__"));
  EXPECT_THAT(Text, HasSubstr("default: {\nrows<<<320, 256>>>(A, y);\n}\n}"));
  EXPECT_THAT(Text, HasSubstr("switch (catt::variantOf(\"rows\")) {\ncase 1:"));
  EXPECT_THAT(Text, HasSubstr("(rows_catt2, "));
  ASSERT_EQ(J.One.Launches.size(), 1u);
  const TimedLaunch &L = J.One.Launches.front();
  const llvm::StringRef All = llvm::StringRef(Text).slice(L.Begin, L.End);
  EXPECT_TRUE(All.starts_with("switch (")) << All.str();
  EXPECT_TRUE(All.ends_with("\n}\n}")) << All.str();
}

TEST(OneBuild, PositiveEachChoiceIsTheVariant) {
  const Joining J = join(Rows + Host);
  const std::string Text = J.text();
  ASSERT_EQ(J.One.Numbers.size(), J.Written.size());
  for (const auto &[Index, Number] : J.One.Numbers) {
    const std::string Alone = J.Written[Index].Texts.at(SnippetPath);
    SCOPED_TRACE(J.Written[Index].How.Name);
    // The launch, and the body that it names, are those of the variant.
    llvm::Regex Case("case " + std::to_string(Number) +
                     ": \\{\n(rows[_a-z0-9]*)(<<<[^\n]*)\n");
    llvm::SmallVector<llvm::StringRef> Found;
    ASSERT_TRUE(Case.match(Text, &Found)) << Text;
    auto AsAlone = [&](std::string Part) {
      for (size_t At; Found[1] != "rows" &&
                      (At = Part.find(Found[1].str())) != std::string::npos;)
        Part.replace(At, Found[1].size(), "rows");
      return Part;
    };
    EXPECT_THAT(Alone, HasSubstr(AsAlone(Found[1].str() + Found[2].str())));
    const size_t Begin = Text.find("void " + Found[1].str() + "(");
    ASSERT_NE(Begin, std::string::npos);
    const size_t End = Text.find("\n}\n", Begin);
    EXPECT_THAT(Alone, HasSubstr(AsAlone(Text.substr(Begin, End - Begin))));
  }
}

TEST(OneBuild, PositiveWhatDiffersAtLaunchesAloneNeedsNoCopy) {
  const Joining J = join(Rows + Host, nullptr, "blocks-*");
  expectKernels(J, 1);
  EXPECT_THAT(J.text(), Not(HasSubstr("rows_catt")));
  EXPECT_THAT(J.text(), HasSubstr("case 2: {\nrows<<<320, 256"));
}

TEST(OneBuild, PositiveAddedFunctionsStandOnce) {
  const std::string Text = join(Rows + Host).text();
  for (const char *Guard : {"#define CATT_APART", "#define CATT_SHARED"}) {
    EXPECT_NE(Text.find(Guard), std::string::npos) << Guard;
    EXPECT_EQ(Text.find(Guard), Text.rfind(Guard)) << Guard;
  }
}

TEST(OneBuild, PositiveOtherKernelsStayAsTheyAre) {
  std::string Other = "__global__ void more(const float *A, float *y)";
  Other += Body;
  const Joining J = join(Rows + Other + Host +
                         "void also(float *A) { more<<<9, 32>>>(A, A); }\n");
  expectKernels(J, 6);
  EXPECT_THAT(J.text(), HasSubstr(Other));
  EXPECT_THAT(J.text(), HasSubstr("void also(float *A) { more<<<"));
  ASSERT_EQ(J.One.Launches.size(), 2u);
  const TimedLaunch &L = J.One.Launches.back();
  EXPECT_EQ(J.text().substr(L.Begin, L.End - L.Begin),
            "more<<<9, 32>>>(A, A);");
}

TEST(OneBuild, PositiveTwoLaunchesHaveTwoChoices) {
  const Joining J = join(
      Rows + "void host(float *A, float *y, bool go) {\n  if (go) rows<<<320, "
             "256>>>(A, y);\n  else rows<<<9, 256>>>(A, y);\n}\n");
  expectKernels(J, 5);
  EXPECT_THAT(J.text(), HasSubstr("default: {\nrows<<<320, 256>>>(A, y);\n}"));
  EXPECT_THAT(J.text(), HasSubstr("default: {\nrows<<<9, 256>>>(A, y);\n}"));
}

TEST(OneBuild, PositiveDeclarationsAreCopied) {
  const Joining J =
      join("extern " + Head + ";\n" + Host + "namespace {\n}\n" + Rows);
  expectKernels(J, 5);
  EXPECT_THAT(J.text(), HasSubstr("extern __global__ void rows_catt4(const "
                                  "float *A, float *y);\n"));
}

class Forms : public testing::TestWithParam<std::string> {};

TEST_P(Forms, PositiveCopiesAreWhatTheKernelIs) {
  expectKernels(join(GetParam(), nullptr, "{sums,groups-2*}"), 3);
}

INSTANTIATE_TEST_SUITE_P(
    All, Forms,
    testing::Values(
        "static " + Rows + Host, "extern \"C\" " + Rows + Host,
        "extern \"C\" {\n" + Rows + "}\n" + Host,
        "namespace {\n" + Rows + "}\n" + Host,
        "namespace a {\n  " + Rows +
            "}\nvoid host(float *A) { a::rows<<<320, 256>>>(A, A); }\n",
        "__global__ void __launch_bounds__(256, 2)\nrows(const float *A, "
        "float *y)" +
            std::string(Body) + Host,
        "#define N 4096\n#if N > 2\n" + Rows + "#endif\n" + Host,
        Head + " {\n#ifdef NEVER\n  return;\n#endif\n" + (Body + 3) + Host,
        "template <class T, int N = (3 > 2)>\n__global__ void rows(const T *A, "
        "T *y)" +
            std::string(Body) +
            "void host(float *A, double *B) {\n  rows<<<320, 256>>>(A, A);\n"
            "  rows<double, 2><<<320, 256>>>(B, B);\n}\n"));

TEST(OneBuild, PositiveCarriageReturnsStay) {
  std::string Text;
  for (char C : Rows + Host)
    Text += C == '\n' ? std::string("\r\n") : std::string(1, C);
  expectKernels(join(Text, nullptr, "{sums,groups-2*}"), 3);
}

//===-- What has no copies ------------------------------------------------===//

struct Refused {
  std::string Text, Why;
};

class NoCopies : public testing::TestWithParam<Refused> {};

TEST_P(NoCopies, EachIsBuiltAlone) {
  EXPECT_THAT(join(GetParam().Text).Why, HasSubstr(GetParam().Why));
}

const std::string Named = "it is named in /snippet/a.cu:";

INSTANTIATE_TEST_SUITE_P(
    Named, NoCopies,
    testing::Values(
        Refused{Rows + Host +
                    "void set() { cudaFuncSetAttribute(rows, "
                    "cudaFuncAttributeMaxDynamicSharedMemorySize, 9); }\n",
                Named + "7, too"},
        Refused{Rows + Host + "auto *Pointer = &rows;\n", Named},
        Refused{"#define KERNEL rows\n" + Rows + Host, Named + "1, too"},
        Refused{Rows + Host + "#if 0\n" + Rows + "#endif\n", Named + "8, too"},
        Refused{Rows + Host + "int f(int rows) { return 1; }\n", Named},
        Refused{Rows + Host + "namespace b { using ::rows; }\n", Named},
        Refused{Rows + Host + "struct S { friend " + Head + "; };\n", Named},
        Refused{Head + ", other();\n" + Rows + Host, Named + "1, too"},
        Refused{Rows + Host + "__global__ void rows(int *A) {}\n",
                "several kernels of this name"},
        Refused{"template <class T> __global__ void rows(const T *A, T *y)" +
                    std::string(Body) + Host +
                    "template __global__ void rows(const int *, int *);\n",
                Named},
        Refused{"template <class T> __global__ void rows(const T *A, T *y)" +
                    std::string(Body) + Host +
                    "template <> __global__ void rows(const int *, int *) {}\n",
                "it is a specialization"},
        Refused{"template <class T> __global__ void rows(const T *A, T *y)" +
                    std::string(Body) + Host +
                    "template <> __global__ void rows<int>(const int *, int *);"
                    "\n",
                Named}));

INSTANTIATE_TEST_SUITE_P(
    Written, NoCopies,
    testing::Values(
        Refused{"#define KERNEL __global__ void\nKERNEL rows(const float *A, "
                "float *y)" +
                    std::string(Body) + Host,
                "does not begin with plain words"},
        Refused{"namespace a { " + Head +
                    "; }\n__global__ void a::rows(const float *A, float *y)" +
                    Body + "void host(float *A) { a::rows<<<9, 256>>>(A, A); }",
                "does not begin with plain words"},
        Refused{"#pragma nv_exec_check_disable\n" + Rows + Host,
                "a #pragma before"},
        Refused{Head + " {\n#define TWO 2\n" + (Body + 3) + Host,
                "a #define in its definition"},
        Refused{"#if 1\n" + Head + " {\n#else\n" + Head + "; void g() {\n" +
                    "#endif\n" + (Body + 3) + Host,
                ""},
        Refused{Head + " {\n  if (!A) printf(\"%s\", __func__);\n" +
                    (Body + 3) + Host,
                "asks for its own name"},
        Refused{Head + " {\n  static int Count; ++Count;\n" + (Body + 3) + Host,
                "static variable"},
        Refused{"struct S { static " + Rows + "};\n" +
                    "void host(float *A) { S::rows<<<9, 256>>>(A, A); }\n",
                "a class holds it"},
        Refused{Rows + Host + "int rows_catt1;\n", "'rows_catt1' is taken"},
        Refused{Rows + "int f(float *);\n"
                       "void host(float *A, float *y) {\n"
                       "  rows<<<320, 256>>>(\n#ifdef A\n    A,\n#else\n    y,"
                       "\n#endif\n    y);\n}\n",
                "a directive in a launch"},
        Refused{"__global__ void rows(const float *A, float *y)\n" +
                    std::string(Body).insert(2, "  int rows = 0; (void)rows;") +
                    Host,
                "does not begin with plain words"}));

TEST(OneBuild, AnotherFileThatNamesIt) {
  const Joining J =
      join(Rows + Host, nullptr, "{sums,groups-*}",
           {{"/snippet/b.cu", "\nextern int x; " + Head + ";\n"}});
  EXPECT_EQ(J.Why, "it is named in /snippet/b.cu:2, too");
  // In a comment it is no name.
  EXPECT_EQ(join(Rows + Host, nullptr, "{sums,groups-*}",
                 {{"/snippet/b.cu", "// rows\n"}})
                .Why,
            "");
}

TEST(OneBuild, KernelsWithOneName) {
  const std::string More = "namespace a { " + Rows + "}\nnamespace b { " +
                           Rows +
                           "}\nvoid host(float *A) { a::rows<<<320, 256>>>(A, "
                           "A); b::rows<<<320, 256>>>(A, A); }\n";
  EXPECT_EQ(join(More).Why, "there are several kernels of this name");
}

TEST(OneBuild, LaunchesThatCannotBeTimed) {
  EXPECT_EQ(join(Rows + "#define GO rows<<<320, 256>>>(A, y)\n"
                        "void host(float *A, float *y) { GO; }\n")
                .Why,
            "none of its launches is timed");
  EXPECT_EQ(join(Rows).Why, "none of its launches is timed");
}

//===-- Variants that stand alone -----------------------------------------===//

TEST(OneBuild, OneIsNoJointBuild) {
  EXPECT_EQ(join(Rows + Host, nullptr, "sums").Why, "there is one alone");
}

/// A replacement more in one of the variants.
Joining withEdit(const std::string &Text, unsigned At, unsigned Length,
                 const std::string &New) {
  return join(Text, [&](WrittenVariant &V) {
    if (V.How.Name != "groups-2-of-loop-0")
      return;
    auto &Edits = V.Edits[SnippetPath];
    llvm::cantFail(
        Edits.add(clang::tooling::Replacement(SnippetPath, At, Length, New)));
    V.Texts[SnippetPath] =
        llvm::cantFail(clang::tooling::applyAllReplacements(Text, Edits));
  });
}

std::string whyAlone(const Joining &J) {
  EXPECT_EQ(J.Why, "");
  EXPECT_EQ(J.One.Alone.size(), 1u);
  return J.One.Alone.empty() ? "" : J.One.Alone.begin()->second;
}

TEST(OneBuild, EditsElsewhereStandAlone) {
  const std::string Text = "int f();\n" + Rows + Host + "int g();\n";
  const std::string Why = "it changes more than the kernel and its launches";
  EXPECT_EQ(whyAlone(withEdit(Text, 4, 1, "h")), Why);
  EXPECT_EQ(whyAlone(withEdit(Text, 0, 0, "int Added;\n")), Why);
  EXPECT_EQ(whyAlone(withEdit(Text, unsigned(Text.size()), 0, "int A;\n")),
            Why);
  EXPECT_EQ(whyAlone(withEdit(Text, 0, 0,
                              "// catt: stage-rows(kernel): why\nint A; "
                              "// catt: done 123456\n")),
            Why);
  // What stands there once for all is an #include or a guarded function.
  const Joining J = withEdit(Text, 0, 0,
                             "// catt: stage-rows(header): why\n"
                             "#include <cstdio> // catt: done 123456\n");
  EXPECT_THAT(J.One.Alone, testing::IsEmpty());
  EXPECT_THAT(J.text(), HasSubstr("#include <cstdio>"));
}

TEST(OneBuild, FunctionsThatDifferStandAlone) {
  const std::string Text = "int f();\n" + Rows + Host;
  const Joining J =
      withEdit(Text, 0, 0,
               "// catt: stage-rows(kernel): why\n#ifndef CATT_SHARED\n#define "
               "CATT_SHARED\nint other;\n#endif // catt: done 123456\n");
  // What comes behind it and has the usual one stands alone.
  EXPECT_THAT(whyAlone(J), HasSubstr("CATT_SHARED"));
}

TEST(OneBuild, EditsThatCrossAnEdgeStandAlone) {
  const std::string Text = "int f();" + Rows + Host;
  EXPECT_THAT(whyAlone(withEdit(Text, 4, 8, "")),
              HasSubstr("crosses the edge"));
}

TEST(OneBuild, TextsThatAreMoreThanTheirEditsStandAlone) {
  const Joining J = join(Rows + Host, [](WrittenVariant &V) {
    if (V.How.Name == "sums")
      V.Texts[SnippetPath] += "// more\n";
  });
  EXPECT_EQ(whyAlone(J), "its text is more than its edits");
}

TEST(OneBuild, ChangesOfAFunctionThatIsCalledStandAlone) {
  const Joining J = join(
      "static __device__ void sum(const float *A, float *y, int i) {\n"
      "  for (int j = 0; j < 4096; ++j)\n    y[i] += A[i * 4096 + j];\n}\n" +
          Head +
          " {\n  sum(A, y, blockIdx.x * blockDim.x + threadIdx.x);\n}\n" + Host,
      nullptr, "*");
  for (const auto &[Index, Number] : J.One.Numbers)
    for (const auto &Edit : J.Written[Index].Edits.at(SnippetPath))
      EXPECT_TRUE(Edit.getOffset() == 0 || Edit.getOffset() > 100);
}

TEST(Renamed, NamesOfTheKernelFollow) {
  EXPECT_EQ(renamed("k<<<1, 2>>>(kk, \"k\" /* k */, s.k);", "k", 3),
            "k_catt3<<<1, 2>>>(kk, \"k\" /* k */, s.k_catt3);");
  EXPECT_EQ(renamed("(m > 3 ? cattRows_k : k)<<<1, 2>>>();", "k", 1),
            "(m > 3 ? cattRows_k_catt1 : k_catt1)<<<1, 2>>>();");
  EXPECT_EQ(renamed("cattApart(my_k, catt_kk, cattTiles)", "k", 1),
            "cattApart(my_k, catt_kk, cattTiles)");
}

} // namespace
