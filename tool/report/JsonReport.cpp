//===- JsonReport.cpp - The report for machines ---------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keys come in the order in which they are written here, so two runs give the
// same bytes. docs/schema/report.schema.json describes the document; a key is
// added there first. What is not known is null, never zero.
//
//===----------------------------------------------------------------------===//
#include "Rendering.h"
#include "analysis/model/Reasons.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace catt {
namespace {

/// Raises when a key changes its meaning or goes away.
constexpr int64_t SchemaVersion = 1;

class JsonWriter {
public:
  explicit JsonWriter(raw_ostream &OS) : J(OS, /*IndentSize=*/2) {}

  void document(ArrayRef<FileOutcome> Files) {
    J.object([&] {
      J.attribute("schemaVersion", SchemaVersion);
      J.attributeObject("tool", [&] {
        J.attribute("name", "catt-rewrite");
        J.attribute("version", CATT_VERSION);
      });
      J.attributeArray("files", [&] {
        for (const FileOutcome &F : Files)
          file(F);
      });
    });
  }

private:
  /// JSON is UTF-8; source text need not be.
  void text(StringRef Key, StringRef Value) {
    J.attribute(Key, json::fixUTF8(Value));
  }

  void location(StringRef Key, const Location &L) {
    if (!L.valid())
      return J.attribute(Key, nullptr);
    J.attributeObject(Key, [&] {
      text("file", L.File);
      J.attribute("line", int64_t(L.Line));
      J.attribute("column", int64_t(L.Column));
    });
  }

  void refusalBody(const Refusal &R) {
    J.attribute("reason", info(R.Kind).Id);
    J.attribute("kind", name(info(R.Kind).Kind));
    location("location", R.Where);
    text("detail", R.Detail);
    text("message", userText(R));
  }
  void refusal(StringRef Key, const std::optional<Refusal> &R) {
    if (!R)
      return J.attribute(Key, nullptr);
    J.attributeObject(Key, [&] { refusalBody(*R); });
  }
  void refusals(StringRef Key, ArrayRef<Refusal> All) {
    J.attributeArray(Key, [&] {
      for (const Refusal &R : All)
        J.object([&] { refusalBody(R); });
    });
  }

  void shape(StringRef Key, const Shape &S) {
    J.attributeArray(Key, [&] {
      for (const std::optional<int64_t> &N : {S.X, S.Y, S.Z})
        J.value(N);
    });
  }

  void residency(StringRef Key, const std::optional<Residency> &R) {
    if (!R)
      return J.attribute(Key, nullptr);
    J.attributeObject(Key, [&] {
      J.attribute("warpsPerBlock", R->WarpsPerBlock);
      J.attribute("blocksPerSM", R->BlocksPerSM);
      J.attribute("limitedBy", toString(R->LimitedBy));
      J.attribute("carveoutBytes", R->CarveoutBytes);
      J.attribute("l1Bytes", R->L1Bytes);
      J.attribute("origin", toString(R->From));
    });
  }

  void registersPerThread(const std::optional<RegisterRange> &R) {
    if (!R)
      return J.attribute("registersPerThread", nullptr);
    J.attributeObject("registersPerThread", [&] {
      J.attribute("likely", R->Likely);
      J.attribute("least", R->Least);
      J.attribute("most", R->Most);
      J.attribute("origin", toString(R->From));
    });
  }

  void level(const LevelFootprint &L) {
    J.object([&] {
      J.attribute("loop", int64_t(L.Loop));
      J.attribute("linesPerWarp", L.LinesPerWarp);
      J.attribute("linesPerBlock", L.LinesPerBlock);
      J.attributeArray("linesByWarps", [&] {
        for (const auto &[Warps, Lines] : L.LinesByWarps)
          J.object([&, Warps = Warps, Lines = Lines] {
            J.attribute("warps", Warps);
            J.attribute("lines", Lines);
          });
      });
      J.attribute("linesShared", L.LinesShared);
      J.attribute("sectorsPerBlock", L.SectorsPerBlock);
      J.attribute("reuse", L.Reuse);
      J.attribute("origin", toString(L.From));
    });
  }

  void measured(const std::optional<MeasuredChoice> &M) {
    if (!M)
      return J.attribute("measured", nullptr);
    J.attributeObject("measured", [&] {
      text("variant", M->Of.Variant);
      text("gpu", M->Of.Gpu);
      text("toolkit", M->Of.Toolkit);
      text("text", M->Of.Text);
      text("date", M->Of.Date);
      J.attribute("gain", M->Of.Gain);
      J.attribute("launches", M->Of.Launches);
      J.attribute("used", M->WhyNot.empty());
      text("message", measuredText(*M));
    });
  }

  void loop(const KernelReport &K, const LoopPlan &P, const FileOutcome &F);
  void predictedByTiles(const KernelPlan &Plan);
  void launch(const KernelReport &K, size_t Index);
  void registerPoint(const RegisterPoint &P);
  void registers(const KernelReport &K);
  void spill(const KernelReport &K);
  void remat(const KernelReport &K);
  void kernel(const KernelReport &K, const FileOutcome &F);
  void edits(const Edits &E);
  void file(const FileOutcome &F);
  void report(const Report &R, const FileOutcome &F);

  json::OStream J;
};

void JsonWriter::loop(const KernelReport &K, const LoopPlan &P,
                      const FileOutcome &F) {
  const Loop &L = K.Source.Loops[P.Loop];
  J.object([&] {
    J.attribute("id", int64_t(L.Id));
    J.attribute("parent", L.Parent);
    location("location", L.Where);
    text("header", L.Header);
    text("iterator", L.Iterator);
    text("function", L.Function);
    J.attribute("contended", isContended(K.Plan, P));
    J.attribute("footprintBytes", P.FootprintBytes);
    J.attribute("footprintBytesAfter", P.FootprintBytesAfter);
    J.attribute("linesPerWarp", P.LinesPerWarp);
    J.attribute("groups", P.Groups);
    J.attribute("warpsPerGroup", P.WarpsPerGroup);
    J.attribute("predictedGain", P.PredictedGain);
    J.attributeArray("runtimeCases", [&] {
      for (const RuntimeCase &C : P.Cases)
        J.object([&] {
          text("parameter", C.Parameter);
          J.attribute("from", C.From);
          J.attributeArray("and", [&] {
            for (const RuntimeBound &B : C.And)
              J.object([&] {
                text("parameter", B.Parameter);
                J.attribute("from", B.From);
              });
          });
          J.attribute("warpsPerGroup", C.WarpsPerGroup);
          J.attribute("groups", C.Groups);
        });
    });
    text("reference", P.Reference);
    J.attribute("laneStrideBytes", P.LaneStrideBytes);
    refusal("leftAlone", P.Why);
    J.attribute("split", findApplied(F.Changes, L, Part::Groups) != nullptr);
    J.attributeArray("levels", [&] {
      for (const LoopProfile &Profile : K.Profiles)
        if (Profile.Loop == P.Loop)
          for (const LevelFootprint &Level : Profile.Levels)
            level(Level);
    });
  });
}

void JsonWriter::predictedByTiles(const KernelPlan &Plan) {
  if (!Plan.ByTiles)
    return J.attribute("predictedByTiles", nullptr);
  J.attributeObject("predictedByTiles", [&] {
    J.attribute("gain", Plan.ByTiles->Gain);
    J.attribute("least", Plan.ByTiles->Least);
    J.attribute("most", Plan.ByTiles->Most);
    J.attribute("ofLongRows", Plan.ByTiles->OfLongRows);
    J.attribute("ratesOfAnother", Plan.ByTiles->RatesOfAnother);
  });
}

void JsonWriter::launch(const KernelReport &K, size_t Index) {
  const Launch &L = K.Source.Launches[Index];
  J.object([&] {
    location("location", L.Where);
    text("text", L.Text);
    J.attribute("origin", toString(L.From));
    shape("grid", L.Grid);
    shape("block", L.Block);
    J.attribute("dynamicSharedBytes", L.DynamicSharedBytes);
    J.attribute("cooperative", L.Cooperative);
    J.attribute("deciding", K.Plan.LaunchIndex == unsigned(Index));
  });
}

void JsonWriter::registerPoint(const RegisterPoint &P) {
  J.attribute("cap", int64_t(P.CapRegisters));
  J.attribute("registers", int64_t(P.Registers));
  J.attribute("spillStoreBytes", int64_t(P.SpillStoreBytes));
  J.attribute("spillLoadBytes", int64_t(P.SpillLoadBytes));
  J.attribute("origin", toString(P.From));
}

void JsonWriter::registers(const KernelReport &K) {
  if (!K.Registers)
    return J.attribute("registers", nullptr);
  const RegisterPlan &P = *K.Registers;
  auto Point = [&](const DesignPoint &D) {
    J.object([&] {
      registerPoint(D.Compiled);
      J.attribute("blocksPerSM", D.Blocks);
    });
  };
  J.attributeObject("registers", [&] {
    J.attributeBegin("current");
    Point(P.Current);
    J.attributeEnd();
    J.attribute("limitedBy", toString(P.Before.LimitedBy));
    J.attribute("maxLive", K.Pressure->MaxLive);
    J.attribute("optimalBlocks", P.In.OptBlocks);
    J.attributeArray("points", [&] {
      for (const DesignPoint &D : P.Points)
        Point(D);
    });
    J.attributeArray("relieved", [&] {
      for (const auto &[Index, D] : P.Relieved)
        J.object([&, &Index = Index, &D = D] {
          J.attribute("point", int64_t(Index));
          J.attributeBegin("became");
          Point(D);
          J.attributeEnd();
          J.attribute("registers", D.By.Registers);
          J.attribute("sharedAccesses", D.By.SharedAccesses);
          J.attribute("recomputed", D.By.Recomputed);
        });
    });
    J.attributeArray("selections", [&] {
      for (auto [By, S] : zip_equal(allSelectors(), P.Selections))
        J.object([&, &By = By, &S = S] {
          J.attribute("selector", By.Name);
          J.attribute("point", int64_t(S.Point));
          text("why", S.Why);
        });
    });
    J.attribute("selector", P.By.Name);
    J.attribute("chosen", int64_t(P.Chosen));
    J.attribute("bounds", P.Bounds ? json::Value(spelling(*P.Bounds))
                                   : json::Value(nullptr));
    J.attribute("cap", P.Bounds ? json::Value(P.Bounds->Registers)
                                : json::Value(nullptr));
    J.attribute("metOnlyBySpilling",
                P.Forced
                    ? json::Value(json::fixUTF8(forcedSpillText(*P.Forced)))
                    : json::Value(nullptr));
    refusals("refusals", P.Refusals);
  });
}

void JsonWriter::spill(const KernelReport &K) {
  if (!K.Spill)
    return J.attribute("spill", nullptr);
  const SharedSpill &S = *K.Spill;
  J.attributeObject("spill", [&] {
    J.attribute("cap", S.CapRegisters);
    J.attribute("registersWithoutCap", S.Needed);
    J.attribute("movedRegisters", S.MovedRegisters);
    J.attribute("sharedBytes", S.sharedBytes());
    J.attribute("dynamic", S.isDynamic());
    J.attribute("pragma", S.Pragma);
    J.attribute("origin", toString(S.From));
    J.attributeArray("values", [&] {
      for (const MovedValue &M : S.Moved)
        J.object([&] {
          const ThreadValue &V = K.Source.Values[M.Of.Value];
          text("name", V.Name);
          location("location", V.Where);
          J.attribute("elements", M.Elements);
          J.attribute("aroundPeak", M.Of.Around);
        });
    });
    J.attributeArray("steps", [&] {
      for (const SpillStep &Step : S.Steps)
        J.object([&] {
          J.attribute("movedRegisters", Step.MovedRegisters);
          J.attribute("pragma", Step.Pragma);
          J.attribute("cost", Step.Cost);
          J.attribute("cycles", Step.Cycles);
          registerPoint(Step.Compiled);
        });
    });
    refusals("refusals", S.Refusals);
  });
}

void JsonWriter::remat(const KernelReport &K) {
  if (!K.Remat)
    return J.attribute("rematerialize", nullptr);
  const RematPlan &P = *K.Remat;
  J.attributeObject("rematerialize", [&] {
    J.attribute("target", int64_t(P.TargetRegisters));
    J.attribute("registersWanted", int64_t(P.Wanted));
    J.attribute("registersFreed", int64_t(P.Freed));
    J.attributeArray("values", [&] {
      for (const Recomputation &V : P.Values)
        J.object([&] {
          text("name", K.Source.Values[V.Value].Name);
          location("location", K.Source.Values[V.Value].Where);
          text("hides", V.Hidden.Name);
          J.attributeArray("before", [&] {
            for (unsigned S : V.Before)
              J.value(int64_t(K.Source.Statements[S].Where.Line));
          });
        });
    });
    J.attributeArray("steps", [&] {
      for (const RematStep &S : P.Steps)
        J.object([&] {
          J.attribute("values", int64_t(S.Values));
          registerPoint(S.Compiled);
        });
    });
    refusals("refusals", P.Refusals);
  });
}

void JsonWriter::kernel(const KernelReport &K, const FileOutcome &F) {
  J.object([&] {
    text("name", K.Source.Name);
    location("location", K.Source.Where);
    J.attribute("staticSharedBytes", K.Source.StaticSharedBytes);
    J.attributeArray("launches", [&] {
      for (size_t I = 0; I != K.Source.Launches.size(); ++I)
        launch(K, I);
    });
    residency("before", K.Plan.Before);
    residency("after", K.Plan.After);
    J.attribute("blocksRemoved", K.Plan.BlocksRemoved);
    J.attribute("reserveSharedBytes", K.Plan.ReserveSharedBytes);
    J.attribute("carveoutPercent", K.Plan.CarveoutPercent);
    predictedByTiles(K.Plan);
    measured(K.Measured);
    registersPerThread(K.Source.Registers);
    registers(K);
    spill(K);
    remat(K);
    J.attributeArray("loops", [&] {
      for (const LoopPlan &P : K.Plan.Loops)
        loop(K, P, F);
    });
    refusals("warnings", K.Source.Warnings);
    std::vector<Refusal> All = K.Source.Refusals;
    All.insert(All.end(), K.Plan.Refusals.begin(), K.Plan.Refusals.end());
    refusals("refusals", All);
  });
}

void JsonWriter::edits(const Edits &E) {
  J.attributeArray("applied", [&] {
    for (const Applied &A : E.Done)
      J.object([&] {
        text("transform", A.By->name().str());
        location("location", A.Where);
        text("summary", A.Summary);
      });
  });
  refusals("refused", E.Refused);
  J.attributeArray("edits", [&] {
    for (const auto &[Path, Replacements] : E.Files)
      for (const clang::tooling::Replacement &R : Replacements)
        J.object([&] {
          text("file", Path);
          J.attribute("offset", int64_t(R.getOffset()));
          J.attribute("length", int64_t(R.getLength()));
          text("text", R.getReplacementText());
        });
  });
}

void JsonWriter::report(const Report &R, const FileOutcome &F) {
  J.attributeObject("gpu", [&] {
    text("name", R.Gpu.Name);
    J.attribute("architecture", R.Gpu.architecture());
    J.attribute("sms", R.Gpu.SMs);
    text("origin", R.GpuOrigin);
  });
  J.attribute("model", R.Counting == Model::Catt ? "catt" : "exact");
  J.attributeObject("cuda", [&] {
    J.attribute("builtIn", R.Cuda.Path.empty());
    text("path", R.Cuda.Path);
    text("version", R.Cuda.Version);
  });
  J.attributeArray("notes", [&] {
    for (const std::string &Note : R.Notes)
      J.value(json::fixUTF8(Note));
  });
  J.attributeArray("diagnostics", [&] {
    for (const Diagnostic &D : R.Diagnostics)
      J.object([&] {
        J.attribute("severity", toString(D.Severity));
        location("location", D.Where);
        text("message", D.Message);
      });
  });
  J.attributeArray("kernels", [&] {
    for (const KernelReport &K : R.Kernels)
      kernel(K, F);
  });
  edits(F.Changes);
}

void JsonWriter::file(const FileOutcome &F) {
  J.object([&] {
    text("file", F.Name);
    text("commandFrom", F.CommandFrom);
    J.attribute("error", F.Error.empty() ? json::Value(nullptr)
                                         : json::Value(json::fixUTF8(F.Error)));
    if (!F.Analysed)
      return J.attribute("report", nullptr);
    J.attributeObject("report", [&] { report(*F.Analysed, F); });
  });
}

} // namespace

std::string renderJson(ArrayRef<FileOutcome> Files) {
  std::string Text;
  raw_string_ostream OS(Text);
  JsonWriter(OS).document(Files);
  OS << "\n";
  return Text;
}

} // namespace catt
