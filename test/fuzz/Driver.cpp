//===- Driver.cpp - Batches in processes of their own ----------------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   parent            child
//   start() --fork--> checkBatch, result.json --exit--> finish()
//
//===----------------------------------------------------------------------===//

#include "test/fuzz/Driver.h"
#include "test/fuzz/Enemy.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <map>
#include <sys/wait.h>
#include <unistd.h>

namespace catt::fuzz {
namespace {

/// What a child found.
struct Answer {
  std::vector<Failure> Failures;
  Counts Seen;
};

void writeAnswer(const std::string &Path, const Answer &A) {
  llvm::json::Array Failures;
  for (const Failure &F : A.Failures)
    Failures.push_back(llvm::json::Array{int64_t(F.Kernel), F.Property,
                                         llvm::json::fixUTF8(F.Detail)});
  llvm::json::Object Seen;
  for (const auto &[Name, Count] : A.Seen)
    Seen[Name] = int64_t(Count);
  std::error_code EC;
  llvm::raw_fd_ostream Out(Path, EC);
  if (!EC)
    Out << llvm::json::Value(llvm::json::Object{
        {"failures", std::move(Failures)}, {"seen", std::move(Seen)}});
}

std::optional<Answer> readAnswer(const std::string &Path) {
  auto Buffer = llvm::MemoryBuffer::getFile(Path);
  if (!Buffer)
    return std::nullopt;
  auto Json = llvm::json::parse((*Buffer)->getBuffer());
  if (!Json) {
    llvm::consumeError(Json.takeError());
    return std::nullopt;
  }
  Answer A;
  const llvm::json::Object &O = *Json->getAsObject();
  for (const llvm::json::Value &V : *O.getArray("failures")) {
    const llvm::json::Array &F = *V.getAsArray();
    A.Failures.push_back({unsigned(*F[0].getAsInteger()),
                          F[1].getAsString()->str(),
                          F[2].getAsString()->str()});
  }
  for (const auto &[Name, Count] : *O.getObject("seen"))
    A.Seen[Name.str()] = uint64_t(*Count.getAsInteger());
  return A;
}

/// A batch in a child process.
struct Job {
  std::vector<GeneratedKernel> Kernels;
  std::string Directory;
  pid_t Child = 0;

  void start(const DriverOptions &Options, unsigned Seconds) {
    static unsigned Number = 0;
    Directory = Options.Directory + "/batch" + std::to_string(Number++);
    if (auto Error = llvm::sys::fs::create_directories(Directory)) {
      llvm::errs() << Directory << ": " << Error.message() << "\n";
      exit(2);
    }
    Child = fork();
    if (Child != 0)
      return;
    alarm(Seconds);
    // What a crash handler prints goes beside the sources.
    int Log =
        open((Directory + "/log").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    dup2(Log, 1);
    dup2(Log, 2);
    Answer A;
    A.Failures = checkBatch(
        Kernels,
        {Directory, Options.Schedules, Options.OnlyOriginals, Options.Verify},
        A.Seen);
    writeAnswer(Directory + "/result.json", A);
    _exit(0);
  }

  /// After the child has ended with Status.
  Answer finish(int Status) const {
    std::optional<Answer> A;
    if (WIFEXITED(Status) && WEXITSTATUS(Status) == 0)
      A = readAnswer(Directory + "/result.json");
    if (!A) {
      std::string How =
          "the process ended with status " + std::to_string(Status);
      if (WIFSIGNALED(Status))
        How = WTERMSIG(Status) == SIGALRM
                  ? "the time ran out"
                  : "signal " + std::to_string(WTERMSIG(Status));
      std::string Text;
      if (auto Log = llvm::MemoryBuffer::getFile(Directory + "/log"))
        Text = (*Log)->getBuffer().substr(0, 3000).str();
      A = Answer{{{Failure::WholeFile, "no-crash", How + "\n" + Text}}, {}};
    }
    (void)llvm::sys::fs::remove_directories(Directory);
    return *A;
  }
};

/// Runs jobs, a few at a time, and hands each answer over.
class Pool {
public:
  Pool(const DriverOptions &Options, unsigned Seconds)
      : Options(Options), Seconds(Seconds) {}

  using Take = std::function<void(const Job &, const Answer &)>;

  void add(std::vector<GeneratedKernel> Kernels, const Take &Done) {
    while (Running.size() >= std::max(1u, Options.Jobs))
      wait(Done);
    Job J;
    J.Kernels = std::move(Kernels);
    J.start(Options, Seconds);
    Running.emplace(J.Child, std::move(J));
  }

  void drain(const Take &Done) {
    while (!Running.empty())
      wait(Done);
  }

private:
  const DriverOptions &Options;
  unsigned Seconds;
  std::map<pid_t, Job> Running;

  void wait(const Take &Done) {
    int Status = 0;
    // Of these only: another pool may have children of its own.
    auto It = Running.begin();
    waitpid(It->first, &Status, 0);
    Job J = std::move(It->second);
    Running.erase(It);
    Done(J, J.finish(Status));
  }
};

/// Checks kernels that share a file, in a process of their own.
Answer check(const std::vector<GeneratedKernel> &Kernels,
             const DriverOptions &Options) {
  Answer Found;
  Pool P(Options,
         Kernels.size() == 1 ? Options.KernelSeconds : Options.BatchSeconds);
  auto Done = [&](const Job &, const Answer &A) { Found = A; };
  P.add(Kernels, Done);
  P.drain(Done);
  return Found;
}

} // namespace

uint64_t kernelSeed(uint64_t Seed, uint64_t I) {
  // splitmix64, so that neighbours have nothing in common.
  uint64_t Z = Seed * 0x9E3779B97F4A7C15ull + (I + 1) * 0xBF58476D1CE4E5B9ull;
  Z = (Z ^ Z >> 30) * 0xBF58476D1CE4E5B9ull;
  Z = (Z ^ Z >> 27) * 0x94D049BB133111EBull;
  return Z ^ Z >> 31;
}

GeneratedKernel make(uint64_t Seed, unsigned Id, const DriverOptions &Options) {
  if (Options.Contended)
    return generateContended(Seed, Id);
  if (Options.Rows)
    return generateRowWalks(Seed, Id);
  if (!Options.Adversarial)
    return generate(Seed, Id);
  for (;; Seed = kernelSeed(Seed, 0)) {
    GeneratedKernel K = generateEnemy(Seed, Id);
    // A CPU's compiler fuses by other rules than nvcc, so that twins differ,
    // too: these are only made on request.
    if (Options.Danger.empty() ? K.kind() != "rounding"
                               : K.kind() == Options.Danger)
      return K;
  }
}

Failure checkAlone(const GeneratedKernel &K, const DriverOptions &Options) {
  Answer A = check({K}, Options);
  return A.Failures.empty() ? Failure() : A.Failures[0];
}

Summary checkAll(uint64_t Seed, uint64_t First, uint64_t Count,
                 const DriverOptions &Options,
                 const std::function<void(const Summary &)> &Progress) {
  Summary All;
  auto Add = [&](const GeneratedKernel &K, const Failure &F) {
    All.Defects.push_back({K, F});
  };
  // Finds who is at fault for a failure of a whole file, half by half.
  std::function<bool(std::vector<GeneratedKernel>)> Blame =
      [&](std::vector<GeneratedKernel> Kernels) {
        bool Found = false;
        if (All.Defects.size() >= Options.MaxDefects)
          return Found;
        Answer A = check(Kernels, Options);
        for (const Failure &F : A.Failures) {
          if (F.Kernel != Failure::WholeFile || Kernels.size() == 1) {
            Add(Kernels[F.Kernel == Failure::WholeFile ? 0 : F.Kernel], F);
            Found = true;
            continue;
          }
          auto Half = Kernels.begin() + Kernels.size() / 2;
          Found |= Blame({Kernels.begin(), Half});
          Found |= Blame({Half, Kernels.end()});
          break;
        }
        return Found;
      };
  auto Done = [&](const Job &J, const Answer &A) {
    All.Kernels += J.Kernels.size();
    for (const auto &[Name, N] : A.Seen)
      All.Seen[Name] += N;
    for (const Failure &F : A.Failures) {
      if (F.Kernel != Failure::WholeFile) {
        Add(J.Kernels[F.Kernel], F);
        continue;
      }
      auto Half = J.Kernels.begin() + (J.Kernels.size() + 1) / 2;
      bool Found = Blame({J.Kernels.begin(), Half});
      if (J.Kernels.size() > 1)
        Found |= Blame({Half, J.Kernels.end()});
      if (!Found && All.Defects.size() < Options.MaxDefects) // only together
        Add(J.Kernels[0], {0, "together-" + F.Property, F.Detail});
      break;
    }
    Progress(All);
  };
  Pool P(Options, Options.BatchSeconds);
  for (uint64_t I = First; I < First + Count; I += Options.Batch) {
    if (All.Defects.size() >= Options.MaxDefects)
      break;
    std::vector<GeneratedKernel> Kernels;
    for (uint64_t J = I; J < std::min(I + Options.Batch, First + Count); ++J)
      Kernels.push_back(make(kernelSeed(Seed, J), unsigned(J - I), Options));
    for (GeneratedKernel &K : Kernels)
      K.Crlf = Kernels[0].Crlf;
    P.add(std::move(Kernels), Done);
  }
  P.drain(Done);
  llvm::sort(All.Defects, [](const Defect &A, const Defect &B) {
    return std::tie(A.Kernel.Seed, A.What.Property) <
           std::tie(B.Kernel.Seed, B.What.Property);
  });
  return All;
}

Defect shrunk(Defect D, const DriverOptions &Options) {
  using Clock = std::chrono::steady_clock;
  auto End = Clock::now() + std::chrono::seconds(Options.ShrinkSeconds);
  Failure Again = checkAlone(D.Kernel, Options);
  if (Again.Property != D.What.Property)
    return D; // it fails in company only
  bool Smaller = true;
  while (Smaller) {
    Smaller = false;
    for (const GeneratedKernel &Candidate : shrinkings(D.Kernel)) {
      if (Clock::now() > End)
        return D;
      Failure F = checkAlone(Candidate, Options);
      if (F.Property != D.What.Property)
        continue;
      D = {Candidate, F};
      Smaller = true;
      break;
    }
  }
  return D;
}

} // namespace catt::fuzz
