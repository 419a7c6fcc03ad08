//===- Predict.cpp - The time model asked for a whole sweep -----*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   catt-predict CASES.json < RATES > TIMES
//
// CASES is what fit.py writes: kernels, their launches and sizes, the points of
// their sweeps. Each line of RATES sets constants of the time model ("Hit=40
// Miss=700"), and is answered by one line: the predicted milliseconds of all
// points in order. "inputs" answers with what the model is given. "simulate",
// which may have constants behind it ("simulate Draws=1"), answers with what
// the simulation of L1 makes of each point: milliseconds, hits and what comes
// from DRAM in percent of the sectors loaded, sectors that L2 is asked for, and
// how many loops and parts of the kernel it cannot run, or guesses.
//
//===----------------------------------------------------------------------===//
#include "analysis/frontend/CudaFrontEnd.h"
#include "analysis/memory/LoopWork.h"
#include "analysis/plan/throttle/NestTrace.h"
#include "analysis/plan/throttle/Prediction.h"
#include "analysis/source/Kernels.h"
#include "clang/Tooling/CompilationDatabase.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <iostream>
#include <sstream>

using namespace catt;
namespace json = llvm::json;

namespace {

template <typename Rates> struct Constant {
  const char *Name;
  double Rates::*Field;
};
constexpr Constant<MemoryRates> Constants[] = {
    {"Line", &MemoryRates::Line},       {"Bank", &MemoryRates::Bank},
    {"Hit", &MemoryRates::Hit},         {"Miss", &MemoryRates::Miss},
    {"Sector", &MemoryRates::Sector},   {"Far", &MemoryRates::Far},
    {"Dram", &MemoryRates::Dram},       {"Barrier", &MemoryRates::Barrier},
    {"Unroll", &MemoryRates::Unroll},   {"Near", &MemoryRates::Near},
    {"Slope", &MemoryRates::Slope},     {"UnusedKiB", &MemoryRates::UnusedKiB},
    {"L2Share", &MemoryRates::L2Share}, {"Flight", &MemoryRates::Flight},
    {"Power", &MemoryRates::Power},
};

constexpr Constant<SimulationRates> SimulationConstants[] = {
    {"Issue", &SimulationRates::Issue},
    {"Line", &SimulationRates::Line},
    {"Bank", &SimulationRates::Bank},
    {"Hit", &SimulationRates::Hit},
    {"L2", &SimulationRates::L2},
    {"Dram", &SimulationRates::Dram},
    {"L2Sector", &SimulationRates::L2Sector},
    {"StoredSector", &SimulationRates::StoredSector},
    {"StoredAgain", &SimulationRates::StoredAgain},
    {"DramSector", &SimulationRates::DramSector},
    {"DramAgain", &SimulationRates::DramAgain},
    {"Barrier", &SimulationRates::Barrier},
    {"Operation", &SimulationRates::Operation},
    {"InFlight", &SimulationRates::InFlight},
    {"Flight", &SimulationRates::Flight},
    {"Usable", &SimulationRates::Usable},
    {"L2Share", &SimulationRates::L2Share},
    {"Unroll", &SimulationRates::Unroll},
    {"Draws", &SimulationRates::Draws},
    {"InARow", &SimulationRates::InARow},
};

/// A kernel under one launch, its loops measured.
struct Case {
  Kernel K;
  std::vector<LoopProfile> Profiles;
  ThrottleOptions Options;
  FootprintOptions Launch;
  std::vector<Candidate> Points;
};

[[noreturn]] void fail(const llvm::Twine &Why) {
  llvm::errs() << "catt-predict: " << Why << '\n';
  exit(2);
}

/// The kernels of each source, parsed once.
class Sources {
public:
  const Kernel &find(const std::string &File, llvm::StringRef Name) {
    auto [At, New] = Known.try_emplace(File);
    if (New)
      At->second = read(File);
    for (const Kernel &K : At->second)
      if (llvm::StringRef(K.Name).ends_with(Name))
        return K;
    fail(File + ": no kernel " + Name);
  }

private:
  std::map<std::string, std::vector<Kernel>> Known;

  static std::vector<Kernel> read(const std::string &File) {
    clang::tooling::CompileCommand Command;
    Command.Directory = ".";
    Command.Filename = File;
    Command.CommandLine = {"nvcc", "-std=c++20", "-DBENCH_PLAIN", File};
    FrontEndOptions Options;
    Options.Architecture = "sm_90";
    Options.BuiltInOnly = true;
    auto Unit = parse(Command, Options);
    if (!Unit)
      fail(llvm::toString(Unit.takeError()));
    std::vector<Diagnostic> Problems;
    auto Every = [](const std::string &, const std::string &) { return true; };
    return findKernels(**Unit, Every, /*WithRows=*/true, Problems);
  }
};

Shape shape(const json::Object &O, llvm::StringRef Key) {
  const json::Array *A = O.getArray(Key);
  if (!A || A->size() != 3)
    fail("a case lacks " + Key);
  return {(*A)[0].getAsInteger(), (*A)[1].getAsInteger(),
          (*A)[2].getAsInteger()};
}

FootprintOptions footprintOptions(const Kernel &K, const json::Object &O) {
  FootprintOptions F;
  F.Grid = shape(O, "grid");
  F.Block = shape(O, "block");
  if (const json::Array *A = O.getArray("arguments"))
    for (const auto &[P, Value] : llvm::zip(K.Parameters, *A))
      if (auto Number = Value.getAsInteger(); Number && P.IsInteger)
        F.Parameters[P.Name] = *Number;
  return F;
}

Case readCase(Sources &Files, const json::Object &O) {
  Case C;
  C.K = Files.find(O.getString("source").value_or("").str(),
                   O.getString("kernel").value_or(""));
  FootprintOptions F = footprintOptions(C.K, O);
  C.Launch = F;
  C.Options.Gpu = llvm::cantFail(findDevice("h200"));
  C.Options.Block.Threads = *F.Block.count();
  C.Options.Block.GridBlocks = F.Grid.count();
  for (const Loop &L : C.K.Loops) {
    LoopProfile P = llvm::cantFail(profileLoop(C.K, L.Id, F));
    P.Work = llvm::cantFail(loopWork(C.K, L.Id, F));
    C.Profiles.push_back(std::move(P));
  }
  Residency Before = llvm::cantFail(residency(C.Options.Gpu, C.Options.Block));
  for (const json::Value &V : *O.getArray("points")) {
    const json::Array &P = *V.getAsArray();
    Candidate X;
    X.WarpsPerGroup = *P[0].getAsInteger();
    X.BlocksPerSM = *P[1].getAsInteger();
    X.L1Bytes = *P[2].getAsInteger();
    X.BlocksRemoved = Before.BlocksPerSM - X.BlocksPerSM;
    C.Points.push_back(X);
  }
  return C;
}

double warpsOfGrid(const Case &C) {
  int64_t WarpsPerBlock = (C.Options.Block.Threads + WarpLanes - 1) / WarpLanes;
  return double(*C.Options.Block.GridBlocks) * double(WarpsPerBlock);
}

double inMilliseconds(const Case &C, double CyclesPerWarp) {
  constexpr double CyclesPerMs = 1.755e6; // H200 under load
  return CyclesPerWarp * warpsOfGrid(C) / double(*C.Options.Gpu.SMs) /
         CyclesPerMs;
}

/// Of the whole kernel: its outermost loops one after the other.
double milliseconds(const Case &C, const Candidate &At,
                    const MemoryRates &Rates) {
  double Cycles = 0;
  for (const Loop &L : C.K.Loops)
    if (!L.Parent && !C.Profiles[L.Id].Levels.empty())
      Cycles += predictedCycles(C.K, C.Profiles, L.Id, At, C.Options, Rates);
  return inMilliseconds(C, Cycles);
}

/// Of one point; see the top of this file.
void printSimulated(const Case &C, const Candidate &At,
                    const SimulationRates &Rates) {
  SimulatedRun Run;
  Run.WarpsPerBlock = (C.Options.Block.Threads + WarpLanes - 1) / WarpLanes;
  Run.WarpsPerGroup = At.WarpsPerGroup;
  Run.BlocksPerSM = At.BlocksPerSM;
  Run.L1Bytes = At.L1Bytes;
  Run.SMs = *C.Options.Gpu.SMs;
  Run.GridBlocks = C.Options.Block.GridBlocks;
  SimulatedCost Sum;
  double ToL2 = 0;
  int NotRun = 0;
  for (const Loop &L : C.K.Loops)
    NotRun += !C.Profiles[L.Id].Work->Iterations;
  const std::unique_ptr<SimulatedNest> All =
      traceOf(C.K, std::nullopt, C.Launch);
  for (const std::optional<unsigned> &Part :
       partsToSimulate(C.K, All.get(), Run)) {
    const std::unique_ptr<SimulatedNest> Nest = traceOf(C.K, Part, C.Launch);
    NotRun += !Nest || dataDecides(C.K, *Nest);
    if (!Nest)
      continue;
    SimulatedCost Own = simulate(*Nest, Run, Rates);
    ToL2 += (Own.SectorsLoaded - Own.SectorsHit + Own.SectorsStored) *
            Own.AccessesPerWarp / std::max(1.0, Own.Accesses);
    Sum.CyclesPerWarp += Own.CyclesPerWarp;
    Sum.SectorsLoaded += Own.SectorsLoaded;
    Sum.SectorsHit += Own.SectorsHit;
    Sum.SectorsFromDram += Own.SectorsFromDram;
  }
  double Loaded = std::max(1.0, Sum.SectorsLoaded);
  // A few blocks keep as few SMs busy.
  const int64_t Blocks = *C.Options.Block.GridBlocks;
  const double Idle =
      double(llvm::divideCeil(Blocks, Run.SMs) * Run.SMs) / double(Blocks);
  llvm::outs() << llvm::format(
      "%.5f:%.2f:%.2f:%.0f:%d ", inMilliseconds(C, Sum.CyclesPerWarp) * Idle,
      100 * Sum.SectorsHit / Loaded, 100 * Sum.SectorsFromDram / Loaded,
      ToL2 * warpsOfGrid(C), NotRun);
}

json::Value levelOf(const LoopProfile &P) {
  if (P.Levels.empty())
    return nullptr;
  const LevelFootprint &L = P.Levels.front();
  json::Object Lines;
  for (auto [Warps, Count] : L.LinesByWarps)
    Lines[std::to_string(Warps)] = Count;
  return json::Object{
      {"perWarp", L.LinesPerWarp}, {"perBlock", L.LinesPerBlock},
      {"shared", L.LinesShared},   {"sectorsPerBlock", L.SectorsPerBlock},
      {"reuse", L.Reuse},          {"byWarps", std::move(Lines)}};
}

/// One line of JSON: for each case its loops, as the model is told of them.
void printInputs(const std::vector<Case> &Cases) {
  json::Array All;
  for (const Case &C : Cases) {
    json::Array Loops;
    for (const LoopProfile &P : C.Profiles) {
      const LoopWork &W = *P.Work;
      const Loop &L = C.K.Loops[P.Loop];
      Loops.push_back(json::Object{
          {"line", L.Where.Line},
          {"parent", L.Parent ? json::Value(*L.Parent) : nullptr},
          {"lookups", W.Lookups},
          {"bankTurns", W.BankTurns},
          {"loads", W.Loads},
          {"loadsNew", W.LoadsNew},
          {"loadsAgain", W.LoadsAgain},
          {"loadsTwice", W.LoadsTwice},
          {"sectorsNew", W.SectorsNew},
          {"sectorsAgain", W.SectorsAgain},
          {"sectorsTwice", W.SectorsTwice},
          {"sectorsStored", W.SectorsStored},
          {"holdsBack", W.HoldsBack},
          {"iterations", W.Iterations ? json::Value(*W.Iterations) : nullptr},
          {"unknown", P.Unknown ? P.Unknown->Detail : ""},
          {"level", levelOf(P)}});
    }
    All.push_back(
        json::Object{{"kernel", C.K.Name}, {"loops", std::move(Loops)}});
  }
  llvm::outs() << json::Value(std::move(All)) << '\n';
  llvm::outs().flush();
}

/// "Hit=40 Miss=700" into the fields of those names.
template <typename Rates, size_t Count>
void readInto(Rates &To, const Constant<Rates> (&Known)[Count],
              const std::string &Line) {
  std::istringstream Words(Line);
  for (std::string Word; Words >> Word;) {
    auto [Name, Value] = llvm::StringRef(Word).split('=');
    auto C = llvm::find_if(Known, [&, N = Name](const Constant<Rates> &Each) {
      return N == Each.Name;
    });
    if (C == std::end(Known) || Value.getAsDouble(To.*(C->Field)))
      fail("what is '" + Word + "'?");
  }
}

} // namespace

int main(int Argc, char **Argv) {
  if (Argc != 2)
    fail("CASES.json on the command line, constants on standard input");
  auto Text = llvm::MemoryBuffer::getFile(Argv[1]);
  if (!Text)
    fail(llvm::Twine(Argv[1]) + ": " + Text.getError().message());
  json::Value All = llvm::cantFail(json::parse((*Text)->getBuffer()));
  Sources Files;
  std::vector<Case> Cases;
  for (const json::Value &V : *All.getAsArray())
    Cases.push_back(readCase(Files, *V.getAsObject()));
  for (std::string Line; std::getline(std::cin, Line);) {
    if (Line == "inputs") {
      printInputs(Cases);
      continue;
    }
    if (llvm::StringRef Words = Line; Words.consume_front("simulate")) {
      SimulationRates Rates;
      readInto(Rates, SimulationConstants, Words.str());
      for (const Case &C : Cases)
        for (const Candidate &P : C.Points)
          printSimulated(C, P, Rates);
      llvm::outs() << '\n';
      llvm::outs().flush();
      continue;
    }
    MemoryRates Rates = memoryRates(llvm::cantFail(findDevice("h200")));
    readInto(Rates, Constants, Line);
    for (const Case &C : Cases)
      for (const Candidate &P : C.Points)
        llvm::outs() << llvm::format("%.5f ", milliseconds(C, P, Rates));
    llvm::outs() << '\n';
    llvm::outs().flush();
  }
  return 0;
}
