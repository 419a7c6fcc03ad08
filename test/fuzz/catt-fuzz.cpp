//===- catt-fuzz.cpp - Generated kernels against every property ------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   catt-fuzz --kernels N --seed S [--out DIR] [--jobs J]
//   catt-fuzz --only <kernel's seed> --print      the text of one kernel
//
// Exit status: 0 all properties hold; 1 some do not; 2 usage.
//
//===----------------------------------------------------------------------===//

#include "test/fuzz/Driver.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <set>
#include <unistd.h>

using namespace llvm;
using namespace catt::fuzz;

static cl::OptionCategory Category("Options of catt-fuzz");
static cl::opt<uint64_t> NumKernels("kernels", cl::init(300),
                                    cl::desc("How many"), cl::cat(Category));
static cl::opt<uint64_t> Seed("seed", cl::init(1), cl::cat(Category),
                              cl::desc("Of the whole run"));
static cl::opt<uint64_t> First("first", cl::init(0), cl::cat(Category),
                               cl::desc("Number of the first kernel"));
static cl::opt<std::string> Out("out", cl::cat(Category),
                                cl::desc("Where failures are written as .cu"));
static cl::opt<unsigned> Jobs("jobs", cl::init(1), cl::cat(Category),
                              cl::desc("Batches at the same time"));
static cl::opt<unsigned> Batch("batch", cl::init(50), cl::cat(Category),
                               cl::desc("Kernels per file"));
static cl::opt<unsigned> Shrink("shrink", cl::init(90), cl::cat(Category),
                                cl::desc("Seconds to shrink each failure"));
static cl::opt<unsigned> MaxShrunk("max-shrunk", cl::init(3), cl::cat(Category),
                                   cl::desc("Shrink so many per property"));
static cl::opt<unsigned> MaxFailures("max-failures", cl::init(30),
                                     cl::cat(Category),
                                     cl::desc("Failures that end the run"));
static cl::opt<uint64_t> Only("only", cl::cat(Category),
                              cl::desc("One kernel, by its own seed"));
static cl::opt<bool>
    Adversarial("adversarial", cl::cat(Category),
                cl::desc("Kernels that a careless rewrite breaks"));
static cl::opt<bool>
    Contended("contended", cl::cat(Category),
              cl::desc("Kernels that the model decides about"));
static cl::opt<bool> Rows("rows", cl::cat(Category),
                          cl::desc("Kernels whose lanes walk rows"));
static cl::opt<std::string>
    Danger("danger", cl::cat(Category),
           cl::desc("Of --adversarial, this kind only: guard, polling ..."));
static cl::opt<bool>
    Originals("originals", cl::cat(Category),
              cl::desc("Run the generated kernels alone, as they are"));
static cl::opt<bool> Verify("verify", cl::cat(Category),
                            cl::desc("Have catt-rewrite --verify compare"));
static cl::opt<unsigned> Schedules("schedules", cl::cat(Category),
                                   cl::desc("Of each kernel (default 4, "
                                            "adversarial: 10, contended: 2)"));
static cl::opt<bool> Print("print", cl::cat(Category),
                           cl::desc("Print the kernels, check nothing"));
static cl::opt<bool> Quiet("no-progress", cl::cat(Category),
                           cl::desc("No progress line"));

static std::string header(const Defect &D) {
  std::string Text = "// catt-fuzz " +
                     std::string(D.Kernel.isEnemy() ? "--adversarial "
                                 : D.Kernel.Decided ? "--contended "
                                 : D.Kernel.Rows    ? "--rows "
                                                    : "") +
                     "--only " + std::to_string(D.Kernel.Seed) + "\n// " +
                     D.What.Property + "\n";
  if (D.Kernel.isEnemy())
    Text += "// " + D.Kernel.Danger + (D.Kernel.Twin ? " (twin)\n" : "\n");
  StringRef Rest = D.What.Detail;
  while (!Rest.empty()) {
    auto [Line, More] = Rest.split('\n');
    Text += ("//   " + Line.rtrim("\r\\") + "\n").str();
    Rest = More;
  }
  Text += "// grid " + std::to_string(D.Kernel.Grid.X) + "x" +
          std::to_string(D.Kernel.Grid.Y) + "x" +
          std::to_string(D.Kernel.Grid.Z) + ", block " +
          std::to_string(D.Kernel.Block.X) + "x" +
          std::to_string(D.Kernel.Block.Y) + "x" +
          std::to_string(D.Kernel.Block.Z) + "; forced " +
          (D.Kernel.Forced
               ? "to " + std::to_string(D.Kernel.Groups) + " groups, loops " +
                     std::to_string(D.Kernel.ForcedLoops)
               : "by nothing") +
          (D.Kernel.InnermostOnly ? ", innermost only" : "") +
          (D.Kernel.ByParameter ? ", at run time" : "") + ";";
  for (const Argument &A : D.Kernel.Arguments)
    if (A.Value)
      Text += " " + A.Name + "=" + std::to_string(*A.Value);
  return Text + "\n";
}

static void save(const Defect &D) {
  std::string Name = D.What.Property + "-" + std::to_string(D.Kernel.Seed);
  if (Out.empty()) {
    errs() << header(D) << print({D.Kernel}) << '\n';
    return;
  }
  std::error_code EC = sys::fs::create_directories(Out);
  raw_fd_ostream File(Out + "/" + Name + ".cu", EC);
  if (EC)
    errs() << "catt-fuzz: " << Out << ": " << EC.message() << '\n';
  else
    File << header(D) << print({D.Kernel});
  errs() << D.What.Property << ": " << Out << "/" << Name << ".cu\n";
}

static void progress(const Summary &S, double Seconds) {
  // Written at once, so that nothing is lost if the run is ended; those that
  // are shrunk later take the place of these.
  static size_t Saved = 0;
  for (; !Out.empty() && Saved < S.Defects.size(); ++Saved)
    save(S.Defects[Saved]);
  if (Quiet)
    return;
  outs() << '\r' << S.Kernels << " kernels, " << S.Defects.size()
         << " failures, " << format("%.1f", double(S.Kernels) / Seconds)
         << " a second";
  outs().flush();
}

/// What a run of some kernels must have met, or it shows nothing.
static bool isVacuous(const Summary &S) {
  std::vector<const char *> All = {"applied: split-warp-groups",
                                   "proved counts compared",
                                   "reuse compared",
                                   "traced addresses compared",
                                   "files reverted",
                                   "refused: barrier-inside",
                                   "refused: warps-communicate"};
  if (!Danger.empty())
    All = {};
  else if (Rows)
    All = {"applied: stage-rows",     "launches that choose a kernel",
           "calls of cattStoreRow",   "calls of cattLoadWords",
           "calls of cattStoreWords", "files reverted"};
  else if (Contended)
    All = {"applied: split-warp-groups", "decided again in silence",
           "launches that differ", "blocks limited by registers"};
  else if (Adversarial)
    All = {"guard: twins rewritten", "guard: dangers", "polling: dangers"};
  const size_t Some = Rows ? 60 : 300;
  bool Missing = false;
  for (const char *Needed : All)
    if (!Originals && !Verify && S.Kernels >= Some && !S.Seen.count(Needed)) {
      errs() << "catt-fuzz: no case of \"" << Needed << "\" in " << S.Kernels
             << " kernels\n";
      Missing = true;
    }
  return Missing;
}

static int reportAll(const Summary &S, double Seconds,
                     const DriverOptions &Options) {
  if (!Quiet)
    outs() << '\n';
  for (const auto &[Name, Count] : S.Seen)
    outs() << format("%12llu  ", static_cast<unsigned long long>(Count)) << Name
           << '\n';
  outs() << S.Kernels << " kernels from seed " << Seed << " in "
         << format("%.0f", Seconds) << " s: " << S.Defects.size()
         << " failures\n";
  std::map<std::string, unsigned> Shrunk, ByDanger;
  for (const Defect &D : S.Defects)
    if (D.Kernel.isEnemy())
      ++ByDanger[D.Kernel.kind() + (D.Kernel.Twin ? " (twin): " : ": ") +
                 D.What.Property];
  for (const auto &[Name, Count] : ByDanger)
    outs() << format("%12u  failed: ", Count) << Name << '\n';
  for (const Defect &D : S.Defects)
    save(Options.ShrinkSeconds && Shrunk[D.What.Property]++ < MaxShrunk
             ? shrunk(D, Options)
             : D);
  return S.Defects.empty() && !isVacuous(S) ? 0 : 1;
}

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(Category);
  cl::ParseCommandLineOptions(argc, argv,
                              "Random kernels, rewritten and run\n");
  DriverOptions Options;
  Options.Adversarial = Adversarial || !Danger.empty();
  Options.Danger = Danger;
  Options.Contended = Contended;
  Options.Rows = Rows;
  if (Print) {
    uint64_t Own = Only;
    for (uint64_t I = First; I < First + (Own ? 1 : NumKernels); ++I) {
      GeneratedKernel K = make(Own ? Own : kernelSeed(Seed, I), 0, Options);
      if (K.isEnemy())
        outs() << "// " << I << ": " << K.Danger
               << (K.Twin ? " (twin)\n" : "\n");
      outs() << print({std::move(K)});
    }
    return 0;
  }
  SmallString<128> Directory;
  if (sys::fs::createUniqueDirectory("catt-fuzz", Directory)) {
    errs() << "catt-fuzz: cannot create a temporary directory\n";
    return 2;
  }
  Options.Directory = Directory.str().str();
  Options.Jobs = Jobs;
  Options.OnlyOriginals = Originals;
  Options.Verify = Verify;
  Options.Schedules = Schedules             ? unsigned(Schedules)
                      : Options.Adversarial ? 10
                      : Contended           ? 2
                                            : 4;
  Options.Batch = std::max(1u, unsigned(Batch));
  Options.ShrinkSeconds = Shrink;
  Options.MaxDefects = MaxFailures;
  int Status = 0;
  if (Only) {
    Defect D{make(Only, 0, Options), {}};
    D.What = checkAlone(D.Kernel, Options);
    if (!D.What.Property.empty()) {
      save(Shrink ? shrunk(D, Options) : D);
      Status = 1;
    }
  } else {
    auto Begin = std::chrono::steady_clock::now();
    auto Seconds = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                           Begin)
          .count();
    };
    Summary S = checkAll(Seed, First, NumKernels, Options,
                         [&](const Summary &S) { progress(S, Seconds()); });
    Status = reportAll(S, Seconds(), Options);
  }
  (void)sys::fs::remove_directories(Directory);
  return Status;
}
