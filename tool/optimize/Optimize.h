//===- Optimize.h - The library that every program calls --------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   compile command, files
//     | parse                        a TranslationUnit
//     | analyze                      a Report: kernels, footprints, plans
//     | search   <---> Measure       the plans that were measured to be best
//     | rewrite                      Edits; a part that is refused is replanned
//     v check                        the new texts have no error the old had
//     not
//   Outcome: report, edits, new texts, or the obstacle that stands against them
//
// One source file, as one compile command has it. Nothing is printed and no
// file is written; all that is read is read through the file system given. A
// Measure may start processes (ptxas), and so does VerifyCode (nvcc).
//
//   OptimizeOptions Options;
//   Options.Gpu = llvm::cantFail(findDevice("h200"));
//   auto Done = optimize(Command, llvm::vfs::getRealFileSystem(), Options);
//   if (!Done)
//     return Done.takeError();
//   for (const auto &[Path, Text] : Done->NewTexts)
//     ...
//
// Limits: expressions that nest deeply take much stack: call it on a thread
// that has OptimizeStackBytes. What is no defect of this library but a crash of
// Clang ends the program, unless the caller recovers (CrashRecoveryContext).
// Two calls share nothing, and may run at the same time, with a file system
// each.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_OPTIMIZE_OPTIMIZE_H
#define CATT_TOOL_OPTIMIZE_OPTIMIZE_H

#include "analysis/Analysis.h"
#include "analysis/plan/Measure.h"
#include "tool/optimize/Measured.h"
#include "transforms/Transform.h"
#include "clang/Tooling/CompilationDatabase.h"

namespace catt {

/// What a thread needs that optimize() runs on.
constexpr unsigned OptimizeStackBytes = 64 << 20;

struct OptimizeOptions {
  /// The file as messages name it. Empty: as the command does.
  std::string Name;
  /// The GPU to optimize for. Empty: the one that the command compiles for,
  /// else sm_80.
  std::optional<Device> Gpu;
  /// Who says so, for reports: "--gpu", "nvidia-smi". Without a GPU, it is
  /// told.
  std::string GpuOrigin;
  /// Names of transforms, or "all". Empty: those that are default.
  std::vector<std::string> Transforms;
  Decider By = Decider::Model;
  /// Where functions stand that rewritten code calls.
  Runtime From = Runtime::Inline;
  /// How to parse. The architecture is that of the GPU.
  FrontEndOptions FrontEnd;
  /// What to plan by. Gpu and May follow from the above. Registers are looked
  /// at if Registers.Ask is given (RegisterSources.h).
  AnalysisOptions Plan;
  /// Kernels whose best variant is known are planned by it, and the others as
  /// if nothing had been measured.
  MeasuredOptions Measured;
  /// Also compile both texts with nvcc, and change nothing if floating-point
  /// operations are fused differently.
  bool VerifyCode = false;
  /// Also plan kernels with rows in tiles as if there were none.
  bool AndWithoutTiles = false;
  unsigned Jobs = 1; ///< processes that VerifyCode may start at a time
};

/// Why nothing is changed, in one sentence.
struct Obstacle {
  enum class Kind : uint8_t {
    Choice, ///< of Plan.Forced: there is no such loop, or it cannot be done
    Input,  ///< the file has errors
    Defect, ///< of this library, not of the file
  };
  Kind What = Kind::Input;
  std::string Message;
};

/// An obstacle before there is a report.
class ObstacleError : public llvm::ErrorInfo<ObstacleError> {
public:
  static char ID;
  explicit ObstacleError(Obstacle Why) : Why(std::move(Why)) {}
  void log(llvm::raw_ostream &OS) const override { OS << Why.Message; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }
  Obstacle Why;
};

struct Outcome {
  Report Analysed;
  std::optional<Obstacle> Against; ///< there are then no edits and no texts
  Edits Changes;
  RewriteOptions Rewriting; ///< how they were made
  /// With AndWithoutTiles: kernels of the report whose rows are to be loaded in
  /// tiles, with the plan of warps and blocks that they would have otherwise.
  /// What throttlings() write of it was checked, too.
  std::vector<KernelReport> WithoutTiles;
  /// By absolute path, of files that change. The old ones: Analysed.Texts.
  std::map<std::string, std::string> NewTexts;
  std::vector<std::string> Read; ///< files that parsing opened, sorted
  /// What FrontEndOptions::Earlier of the next call on this file may be.
  std::shared_ptr<const Preamble> Kept;
};

/// Those of the transforms that limit how many warps or blocks are active.
std::vector<const Transform *>
throttlings(llvm::ArrayRef<const Transform *> Transforms);

/// Parses, analyses, searches, rewrites and checks one file. By: who is asked
/// about the registers of what could be written, if anybody; without, estimates
/// decide. Error: an ObstacleError.
llvm::Expected<Outcome>
optimize(const clang::tooling::CompileCommand &Command,
         llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files,
         const OptimizeOptions &Options, const Measure *By = nullptr);

/// What one file launches, for Plan.Elsewhere of the files that define it.
struct UnitLaunches {
  UnitKernels Kernels;
  std::string Problem;           ///< why it may launch more than that; or empty
  std::vector<std::string> Read; ///< as Outcome::Read
  std::shared_ptr<const Preamble> Kept; ///< as Outcome::Kept
  size_t KeptBytes = 0;                 ///< that it takes in memory
};

/// Parses one file. Of the options, those of the front end and the GPU count.
/// Error: an ObstacleError.
llvm::Expected<UnitLaunches>
readLaunches(const clang::tooling::CompileCommand &Command,
             llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files,
             const OptimizeOptions &Options);

} // namespace catt

#endif
