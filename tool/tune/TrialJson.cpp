//===- TrialJson.cpp - Trials as JSON -------------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/tune/TrialJson.h"
#include "tool/tune/Statistics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <set>

using namespace llvm;

namespace catt {
namespace {

constexpr Verdict Verdicts[] = {
    Verdict::Fine,        Verdict::NotBuilt, Verdict::Failed, Verdict::Hung,
    Verdict::OtherOutput, Verdict::NotTimed, Verdict::Stopped};

json::Array numbers(ArrayRef<double> Values) {
  json::Array Out;
  for (double V : Values)
    Out.push_back(V);
  return Out;
}

std::vector<double> numbersOf(const json::Array *Values) {
  std::vector<double> Out;
  if (Values)
    for (const json::Value &V : *Values)
      Out.push_back(V.getAsNumber().value_or(0));
  return Out;
}

/// The numbers that name a variant, in the order of Keys.
constexpr StringLiteral Keys[] = {"variant", "groups", "blocks_removed",
                                  "tile_bytes", "registers"};
std::vector<int64_t> numbersOf(const Recipe &P, size_t Index) {
  return {int64_t(Index), P.Groups, P.BlocksRemoved, P.TileBytes.value_or(0),
          P.Registers.value_or(0)};
}

json::Value timeOf(const Trial &T, ArrayRef<double> Ms) {
  if (T.End == Verdict::NotBuilt)
    return "CompilationFailedConfig";
  if (!T.fine() || Ms.empty())
    return "RuntimeFailedConfig";
  return median(Ms);
}

json::Object entry(const TriedVariant &V, StringRef Kernel, size_t Index) {
  const Trial &T = V.Result;
  auto Found = T.KernelMs.find(Kernel.str());
  const std::vector<double> &Ms =
      Found == T.KernelMs.end() ? T.WallMs : Found->second;
  json::Object E{{"name", V.How.Name},
                 {"time", timeOf(T, Ms)},
                 {"times", numbers(Ms)},
                 {"compile_time", T.BuildSeconds * 1000},
                 {"verification_time", T.CheckSeconds * 1000},
                 {"benchmark_time", T.RunSeconds * 1000},
                 {"strategy_time", 0},
                 {"framework_time", 0},
                 {"timestamp", T.When}};
  if (V.PredictedGain)
    E["predicted_gain"] = *V.PredictedGain;
  std::vector<int64_t> Values = numbersOf(V.How, Index);
  for (auto [Key, Value] : zip(Keys, Values))
    E[Key] = Value;
  return E;
}

} // namespace

StringRef name(Verdict V) {
  switch (V) {
  case Verdict::Fine:
    return "fine";
  case Verdict::NotBuilt:
    return "not built";
  case Verdict::Failed:
    return "failed";
  case Verdict::Hung:
    return "hung";
  case Verdict::OtherOutput:
    return "other output";
  case Verdict::NotTimed:
    return "not timed";
  case Verdict::Stopped:
    return "stopped";
  }
  return "";
}

json::Value trialToJson(const Trial &T) {
  json::Object Kernels;
  for (const auto &[Kernel, Ms] : T.KernelMs)
    Kernels[Kernel] = numbers(Ms);
  return json::Object{{"verdict", name(T.End)},
                      {"why", json::fixUTF8(T.Why)},
                      {"kernel_ms", std::move(Kernels)},
                      {"wall_ms", numbers(T.WallMs)},
                      {"launches", T.Launches},
                      {"build_seconds", T.BuildSeconds},
                      {"run_seconds", T.RunSeconds},
                      {"check_seconds", T.CheckSeconds},
                      {"when", T.When}};
}

std::optional<Trial> trialFromJson(const json::Value &V) {
  const json::Object *O = V.getAsObject();
  if (!O)
    return std::nullopt;
  StringRef Said = O->getString("verdict").value_or("");
  const Verdict *End =
      find_if(Verdicts, [&](Verdict E) { return name(E) == Said; });
  const json::Object *Kernels = O->getObject("kernel_ms");
  if (End == std::end(Verdicts) || !Kernels)
    return std::nullopt;
  Trial T;
  T.End = *End;
  T.Why = O->getString("why").value_or("").str();
  for (const auto &[Kernel, Ms] : *Kernels)
    T.KernelMs[Kernel.str()] = numbersOf(Ms.getAsArray());
  T.WallMs = numbersOf(O->getArray("wall_ms"));
  T.Launches = O->getInteger("launches").value_or(0);
  T.BuildSeconds = O->getNumber("build_seconds").value_or(0);
  T.RunSeconds = O->getNumber("run_seconds").value_or(0);
  T.CheckSeconds = O->getNumber("check_seconds").value_or(0);
  T.When = O->getString("when").value_or("").str();
  return T;
}

std::string kernelTunerCache(StringRef Device, StringRef Kernel,
                             ArrayRef<TriedVariant> Variants) {
  json::Object Cache, Params;
  json::Array Names;
  std::map<std::string, std::set<int64_t>> Seen;
  for (const auto &[Index, V] : enumerate(Variants)) {
    std::vector<int64_t> Values = numbersOf(V.How, Index);
    for (auto [Key, Value] : zip(Keys, Values))
      Seen[Key.str()].insert(Value);
    std::string Id = join(
        map_range(Values, [](int64_t N) { return std::to_string(N); }), ",");
    Cache[Id] = entry(V, Kernel, Index);
  }
  for (StringRef Key : Keys) {
    Names.push_back(Key);
    json::Array All;
    for (int64_t N : Seen[Key.str()])
      All.push_back(N);
    Params[Key] = std::move(All);
  }
  json::Object File{{"schema_version", "1.0.0"},
                    {"device_name", Device},
                    {"kernel_name", Kernel},
                    {"problem_size", json::Array{}},
                    {"tune_params_keys", std::move(Names)},
                    {"tune_params", std::move(Params)},
                    {"objective", "time"},
                    {"cache", std::move(Cache)}};
  return formatv("{0:2}\n", json::Value(std::move(File))).str();
}

} // namespace catt
