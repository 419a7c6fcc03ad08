//===- Properties.cpp - What holds for every kernel ------------------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Batch::rewriteAll    everything that text and analysis can show
//   Batch::runAll        everything that running shows
//
//===----------------------------------------------------------------------===//

#include "test/fuzz/Properties.h"
#include "analysis/model/Reasons.h"
#include "tool/executor/Compile.h"
#include "transforms/Replan.h"
#include "clang/Tooling/CompilationDatabase.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>
#include <set>

namespace catt::fuzz {

namespace {

//===-- A batch -----------------------------------------------------------===//

/// A file: its text, what the tool says of it, and what it was compiled to.
struct Version {
  std::string Path, Text;
  simt::Module Code;
};

class Batch {
public:
  Batch(const std::vector<GeneratedKernel> &Kernels,
        const BatchOptions &Options, Counts &Seen)
      : Kernels(Kernels), Options(Options), Seen(Seen) {}

  std::vector<Failure> check() {
    Original.Path = Options.Directory + "/original/fuzz.cu";
    New.Path = Options.Directory + "/rewritten/fuzz.cu";
    Original.Text = print(Kernels);
    if (!writeHeader() ||
        !(Options.OnlyOriginals ? write(Original, "valid-write")
                                : rewriteAll()))
      return std::move(Failures);
    if (Options.Verify) {
      auto [Property, Detail] =
          verifyFile(Kernels, Original.Path, system(), Original.Text, New.Text);
      if (!Property.empty())
        failFile(Property.c_str(), Detail);
      return std::move(Failures);
    }
    if (compile(Original, "valid-compiles") &&
        (Options.OnlyOriginals || compile(New, "rewrite-compiles")))
      for (unsigned I = 0; I < Kernels.size(); ++I)
        runOne(I);
    return std::move(Failures);
  }

private:
  const std::vector<GeneratedKernel> &Kernels;
  const BatchOptions &Options;
  Counts &Seen;
  Version Original, New;
  std::vector<Failure> Failures;
  AnalysisOptions Analysis;
  Report First;    ///< of kernels that the model decides about,
  Edits FirstDone; ///< and what was written
  std::map<unsigned, Kernel> Analysed; ///< by index in the batch

  void fail(unsigned Kernel, const char *Property, const std::string &Detail) {
    Failures.push_back({Kernel, Property, Detail.substr(0, 3000)});
  }
  bool failFile(const char *Property, const std::string &Detail) {
    fail(Failure::WholeFile, Property, Detail);
    return false;
  }

  bool write(const Version &V, const char *Property) {
    llvm::StringRef Parent = llvm::StringRef(V.Path).rsplit('/').first;
    std::error_code EC = llvm::sys::fs::create_directories(Parent);
    llvm::raw_fd_ostream Out(V.Path, EC);
    if (EC)
      return failFile(Property, V.Path + ": " + EC.message());
    Out << V.Text;
    return true;
  }

  bool isEnemy() const { return Kernels[0].isEnemy(); }
  bool isDecided() const { return Kernels[0].Decided; }
  std::string system() const { return Options.Directory + "/system"; }

  /// What kernels with a danger find among the system's headers.
  bool writeHeader() {
    Version Header;
    Header.Path = system() + "/enemy.h";
    Header.Text = "#pragma once\n";
    for (const GeneratedKernel &K : Kernels)
      for (const std::string &Line : K.Header)
        Header.Text += Line + "\n";
    return !isEnemy() || write(Header, "valid-write");
  }

  std::unique_ptr<TranslationUnit> parsed(const Version &V,
                                          const char *Property) {
    clang::tooling::CompileCommand Command;
    Command.Directory = Options.Directory;
    Command.Filename = V.Path;
    Command.CommandLine = {"clang++", "-std=c++17", V.Path};
    if (isEnemy())
      for (const std::string &Folder :
           {system(), std::string(CATT_SIMT_LIBRARY)})
        Command.CommandLine.insert(Command.CommandLine.begin() + 2,
                                   {"-isystem", Folder});
    FrontEndOptions FrontEnd;
    FrontEnd.BuiltInOnly = true;
    auto Unit = parse(Command, FrontEnd);
    if (!Unit) {
      failFile(Property, llvm::toString(Unit.takeError()));
      return nullptr;
    }
    if (!isClean((*Unit)->diagnostics(), Property))
      return nullptr;
    return std::move(*Unit);
  }

  bool isClean(const std::vector<Diagnostic> &All, const char *Property) {
    for (const Diagnostic &D : All)
      if (D.Severity >= Diagnostic::Level::Error)
        return failFile(Property, D.Where.File + ":" +
                                      std::to_string(D.Where.Line) + ": " +
                                      D.Message);
    return true;
  }

  /// The kernel of the batch that a report is about.
  std::optional<unsigned> indexOf(const KernelReport &R) const {
    for (unsigned I = 0; I < Kernels.size(); ++I)
      if (Kernels[I].name() == R.Source.UnqualifiedName)
        return I;
    return std::nullopt;
  }

  std::optional<Report> analysed(const TranslationUnit &Unit) {
    auto How = analysisFor(Kernels[0]);
    if (!How) {
      failFile("valid-device", llvm::toString(How.takeError()));
      return std::nullopt;
    }
    Analysis = std::move(*How);
    auto Result = analyze(Unit, Analysis);
    if (!Result) {
      failFile("analysis-succeeds", llvm::toString(Result.takeError()));
      return std::nullopt;
    }
    return std::move(*Result);
  }

  void plan(Report &R) {
    if (isDecided())
      return;
    for (KernelReport &K : R.Kernels)
      if (auto I = indexOf(K); I && Kernels[*I].Forced)
        forcePlan(K, Kernels[*I]);
    for (KernelReport &K : R.Kernels)
      if (auto I = indexOf(K);
          I && (Kernels[*I].Rows || Kernels[*I].Seed % 5 != 0))
        forceStages(K, Kernels[*I]);
    for (KernelReport &K : R.Kernels)
      // Slots leave no room for tiles that only some launches have.
      if (auto I = indexOf(K); I && Kernels[*I].Seed % 3 != 0 &&
                               !(K.Plan.Tiles.IfLong && Kernels[*I].Seed % 4))
        forceSpill(K, Kernels[*I], R.Gpu);
    for (KernelReport &K : R.Kernels)
      if (auto I = indexOf(K); I && Kernels[*I].Seed % 4 < 2)
        forceRemat(K, Kernels[*I]);
    for (KernelReport &K : R.Kernels)
      if (auto I = indexOf(K); I && Kernels[*I].Seed / 4 % 2 == 0)
        forceBounds(K, Kernels[*I], R.Gpu);
  }

  /// The new text of V under the plan; its own text if nothing changes.
  std::optional<std::string> rewritten(const Version &V, Report &R,
                                       Edits *Done = nullptr) {
    RewriteOptions Rewrite; // what is decided is what is written by default
    if (!isDecided())
      Rewrite.Transforms = {"all"};
    auto E =
        isDecided() ? rewriteWhole(R, Analysis, Rewrite) : rewrite(R, Rewrite);
    if (!E) {
      failFile("rewrite-succeeds", llvm::toString(E.takeError()));
      return std::nullopt;
    }
    auto Texts = catt::apply(*E, R.Texts);
    if (!Texts) {
      failFile("rewrite-succeeds", llvm::toString(Texts.takeError()));
      return std::nullopt;
    }
    if (Done)
      *Done = std::move(*E);
    auto It = Texts->find(V.Path);
    return It == Texts->end() ? V.Text : It->second;
  }

  void count(const Report &R, const Edits &E) {
    Seen["kernels"] += Kernels.size();
    for (const KernelReport &K : R.Kernels) {
      Seen["loops"] += K.Source.Loops.size();
      for (const Access &A : K.Source.Accesses)
        ++Seen[A.Offset ? "accesses with an offset"
                        : "accesses without an offset"];
      for (const Loop &L : K.Source.Loops) {
        Seen["loops with a site"] += L.Site && L.Refusals.empty();
        for (const Refusal &Why : L.Refusals)
          ++Seen[("refused: " + info(Why.Kind).Id).str()];
      }
    }
    countEnemies(E);
    for (const AddedCall &C : E.Calls)
      ++Seen["calls of " + C.Function];
    for (const auto &[At, Text] : E.Added)
      if (llvm::StringRef(Text.text()).contains("? cattRows_"))
        ++Seen["launches that choose a kernel"];
    for (const Applied &A : E.Done) {
      bool Dynamic = llvm::StringRef(A.Summary).contains("dynamic shared");
      ++Seen["applied: " + A.By->name().str() + (Dynamic ? " (dynamic)" : "")];
    }
  }

  /// Twins that are rewritten show what the refusal of a danger costs.
  void countEnemies(const Edits &E) {
    std::vector<unsigned> Lines; // on which each begins
    print(Kernels, &Lines);
    std::set<unsigned> Rewritten;
    for (const Applied &A : E.Done)
      Rewritten.insert(llvm::upper_bound(Lines, A.Where.Line) - Lines.begin() -
                       1);
    for (unsigned I = 0; isEnemy() && I < Kernels.size(); ++I) {
      std::string Whose =
          Kernels[I].kind() + (Kernels[I].Twin ? ": twins" : ": dangers");
      ++Seen[Whose];
      if (Rewritten.count(I))
        ++Seen[Whose + " rewritten"];
    }
  }

  /// Parses, analyses, rewrites and checks what can be seen in texts.
  bool rewriteAll() {
    if (!write(Original, "valid-write"))
      return false;
    auto Unit = parsed(Original, "valid-parses");
    if (!Unit)
      return false;
    std::string Texts[2];
    for (std::string &Text : Texts) {
      if ((isEnemy() || isDecided()) && &Text != Texts)
        break; // ordinary kernels show that it is deterministic
      std::optional<Report> R = analysed(*Unit);
      if (!R)
        return false;
      plan(*R);
      Edits Done;
      auto NewText = rewritten(Original, *R, &Done);
      if (!NewText)
        return false;
      Text = *NewText;
      if (&Text == Texts) {
        count(*R, Done);
        if (isDecided()) {
          std::string Two = differentResidencies(*R, Seen);
          if (!Two.empty())
            return failFile("one-residency", Two);
          std::string Long = longRule(*R, Seen);
          if (!Long.empty())
            return failFile("three-arms", Long);
          First = *R, FirstDone = Done;
        }
        for (const KernelReport &K : R->Kernels)
          if (auto I = indexOf(K); I && (!Analysed.count(*I) ||
                                         K.Source.Name == Kernels[*I].entry()))
            Analysed[*I] = K.Source;
      }
    }
    if (!isEnemy() && !isDecided() && Texts[0] != Texts[1])
      return failFile("deterministic", "two runs give different texts");
    New.Text = Texts[0];
    auto Diagnostics = Unit->check(
        std::map<std::string, std::string>{{Original.Path, New.Text}});
    if (!Diagnostics)
      return failFile("check-starts", llvm::toString(Diagnostics.takeError()));
    return isClean(*Diagnostics, "rewrite-parses") &&
           write(New, "valid-write") &&
           (Options.Verify || (reverts() && (isEnemy() || isIdempotent())));
  }

  bool reverts() {
    auto Back = revert(Original.Path, New.Text);
    if (!Back)
      return failFile("revert", llvm::toString(Back.takeError()));
    ++Seen["files reverted"];
    return *Back == Original.Text || failFile("revert", difference(*Back));
  }

  std::string difference(const std::string &Back) const {
    size_t At = 0;
    while (At < Back.size() && At < Original.Text.size() &&
           Back[At] == Original.Text[At])
      ++At;
    size_t From = At < 120 ? 0 : At - 120;
    return "original:\n" + Original.Text.substr(From, 300) +
           "\n--- after revert:\n" + Back.substr(From, 300);
  }

  /// The tool run on its own output. Where every loop was forced, every loop is
  /// forced again; where only some were, numbers of loops have moved, and the
  /// kernel is left out.
  bool isIdempotent() {
    if (!write(New, "valid-write"))
      return false;
    auto Unit = parsed(New, "rewrite-parses");
    if (!Unit)
      return false;
    std::optional<Report> R = analysed(*Unit);
    if (!R)
      return false;
    for (KernelReport &K : R->Kernels) {
      auto I = indexOf(K);
      const llvm::StringRef Now = llvm::StringRef(New.Text).slice(
          K.Source.Span.Begin, K.Source.Span.End);
      // Where nothing was moved, another statement may be the peak now.
      if (I && Now.contains("catt: spill-shared("))
        forceSpill(K, Kernels[*I], R->Gpu);
      // Where no loop got another version, one may do without what is planned.
      if (I && !isDecided())
        forceStages(K, Kernels[*I]);
      if (!Now.contains("catt: stage-") && !Now.contains("catt: promote-"))
        K.Plan.Versions.clear();
      if (I && !Kernels[*I].Forced)
        continue;
      if (I && Kernels[*I].ForcedLoops == ~0ull && !Kernels[*I].InnermostOnly)
        forcePlan(K, Kernels[*I]);
      else // or a second kernel that the first run has made
        K.Plan.Loops.clear();
    }
    auto Again = rewritten(New, *R);
    if (!Again)
      return false;
    if (isDecided())
      if (std::string More = saidAgain(First, FirstDone, *R, Seen);
          !More.empty())
        return failFile("quiet", More);
    return *Again == New.Text ||
           failFile("idempotent", "a second run changes its own output:\n" +
                                      firstDifferentLine(*Again));
  }

  std::string firstDifferentLine(const std::string &Again) const {
    auto [It, Other] = std::mismatch(New.Text.begin(), New.Text.end(),
                                     Again.begin(), Again.end());
    size_t At = It - New.Text.begin();
    return Again.substr(At < 200 ? 0 : At - 200, 600);
  }

  //===-- Running ---------------------------------------------------------===//

  bool compile(Version &V, const char *Property) {
    simt::CompileOptions O;
    O.Directory = Options.Directory + "/objects";
    O.Arguments = flagsFor(Kernels, system());
    auto Path = simt::compile({{V.Path, {}}}, simt::Output::SharedObject, O);
    if (!Path)
      return failFile(Property, llvm::toString(Path.takeError()));
    std::string Error;
    V.Code = simt::Module::load(*Path, Error);
    return bool(V.Code) || failFile(Property, Error);
  }

  static simt::Options schedule(const GeneratedKernel &K, unsigned N) {
    simt::Options O;
    const unsigned Switch[] = {0, 1, 0, 5};
    O.Seed = N == 0 ? 0 : (K.Seed + N) | 1;
    O.ResidentBlocks = 1 + N % 3;
    O.SwitchEvery = Switch[N % 4];
    O.Budget = 50'000'000;
    if (K.AllResident) {
      O.ResidentBlocks = 0;
      O.SMs = 1;
    }
    return O;
  }

  struct Outcome {
    std::string Memory, Findings;
  };

  static simt::Result runAlone(const Version &V, const GeneratedKernel &K,
                               Memory &M, const simt::Options &O) {
    return V.Code.run(K.entry(), {K.Grid.X, K.Grid.Y, K.Grid.Z},
                      {K.Block.X, K.Block.Y, K.Block.Z}, K.DynamicBytes,
                      M.arguments(), O);
  }

  Outcome runKernel(const Version &V, const GeneratedKernel &K,
                    const simt::Options &O) {
    Memory M(K);
    // By the host code where there is some: what was edited there runs too.
    simt::Result R = K.hasHostCode()
                         ? V.Code.call(K.hostEntry(), M.buffers(), O)
                         : runAlone(V, K, M, O);
    Seen["launched by host code"] += K.hasHostCode();
    Outcome Out;
    if (R.Error)
      Out.Findings = "error " + std::to_string(R.Error) + "\n";
    for (const simt::Finding &F : R.Findings)
      Out.Findings += F.str() + "\n";
    Out.Memory = M.contents();
    ++Seen["launches"];
    return Out;
  }

  /// A kernel whose text stands in both files runs the same in both: two
  /// schedules of one show that it is valid.
  bool isLeftAlone(const GeneratedKernel &K) const {
    return isEnemy() && !Options.OnlyOriginals &&
           llvm::StringRef(New.Text).contains(printAlone(K));
  }

  void runOne(unsigned I) {
    const GeneratedKernel &K = Kernels[I];
    bool LeftAlone = isLeftAlone(K);
    unsigned Schedules = LeftAlone ? 2 : Options.Schedules;
    Seen["kernels with a danger left alone"] += LeftAlone;
    std::optional<std::string> Expected;
    for (const Version *V : {&Original, &New}) {
      bool IsNew = V == &New;
      if (IsNew && (LeftAlone || Options.OnlyOriginals))
        return;
      for (unsigned N = 0; N < Schedules; ++N) {
        Outcome Out = runKernel(*V, K, schedule(K, N));
        std::string Which = "schedule " + std::to_string(N) + ": ";
        if (!Out.Findings.empty())
          return fail(I, IsNew ? "no-new-finding" : "valid-runs",
                      Which + Out.Findings);
        if (!Expected)
          Expected = Out.Memory;
        if (*Expected != Out.Memory)
          return fail(I, IsNew ? "same-output" : "valid-same-output",
                      Which + "the buffers differ");
      }
    }
    if (!K.isEnemy() && !K.Decided)
      trace(I);
  }

  void trace(unsigned I) {
    auto Source = Analysed.find(I);
    if (Source == Analysed.end())
      return fail(I, "kernel-reported", "the analysis does not report it");
    const GeneratedKernel &K = Kernels[I];
    Memory M(K);
    simt::Options O = schedule(K, 0);
    O.ResidentBlocks = 1;
    O.Trace = true;
    simt::Result R = runAlone(Original, K, M, O);
    std::string All;
    TracedLaunch Launch = {{K.Grid.X, K.Grid.Y, K.Grid.Z},
                           {K.Block.X, K.Block.Y, K.Block.Z},
                           {},
                           M.addresses()};
    for (const Argument &A : K.Arguments)
      if (A.Value)
        Launch.Integers[A.Name] = *A.Value;
    for (const std::string &D :
         compareWithTrace(Source->second, Launch, R, Seen))
      All += D + "\n";
    // Apart, because one cause can hide the other.
    std::string Text = print({K});
    bool Leaves = false;
    for (const char *How : {"return;", "break;", "goto ", "flags["})
      Leaves |= Text.find(How) != std::string::npos;
    if (!All.empty())
      fail(I, Leaves ? "prediction-with-exits" : "prediction-equals-trace",
           All);
  }
};

} // namespace

std::vector<Failure> checkBatch(const std::vector<GeneratedKernel> &Kernels,
                                const BatchOptions &Options, Counts &Seen) {
  return Batch(Kernels, Options, Seen).check();
}

} // namespace catt::fuzz
