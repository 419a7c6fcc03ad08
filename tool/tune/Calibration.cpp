//===- Calibration.cpp - Measures the card that is here -------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/tune/Calibration.h"
#include "analysis/registers/Nvcc.h"
#include "analysis/registers/Ptxas.h"
#include "tool/catt-rewrite/Output.h"
#include "tool/config/Card.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace llvm;

namespace catt {
namespace {

struct CalibrationSource {
  StringLiteral Name, Text;
};
constexpr CalibrationSource CalibrationSources[] = {
#include "CalibrationSources.inc"
};

/// The build and the measurement each take less than a minute.
constexpr unsigned LimitSeconds = 600;

std::string findNvcc() {
  std::string Nvcc = nvccBeside(findPtxas(""));
  if (!Nvcc.empty())
    return Nvcc;
  ErrorOr<std::string> OnPath = sys::findProgramByName("nvcc");
  return OnPath ? *OnPath : "";
}

/// Both of its outputs go to the standard error. Error: how it ended.
Error runLoudly(ArrayRef<StringRef> Command, bool Quiet) {
  std::vector<StringRef> Words = {"sh", "-c",
                                  Quiet ? "exec \"$0\" \"$@\" >/dev/null"
                                        : "exec \"$0\" \"$@\" >&2"};
  append_range(Words, Command);
  std::string Message;
  const int Code = sys::ExecuteAndWait("/bin/sh", Words, std::nullopt, {},
                                       LimitSeconds, 0, &Message);
  if (Code == 0)
    return Error::success();
  return createStringError(Code > 0 ? "exit code " + std::to_string(Code)
                                    : Message);
}

/// Before minutes are spent on it.
Error checkPlace(StringRef Card) {
  const StringRef Folder = sys::path::parent_path(Card);
  if (!Folder.empty() && !sys::fs::is_directory(Folder))
    return createStringError("--calibrate: there is no folder '" + Folder +
                             "' for the card's file");
  if (sys::fs::is_directory(Card))
    return createStringError("--calibrate: '" + Card + "' is a folder");
  return Error::success();
}

Error writeSources(StringRef Folder) {
  if (std::error_code EC = sys::fs::create_directories(Folder))
    return createStringError("--calibrate: the folder '" + Folder +
                             "' cannot be made: " + EC.message());
  for (const CalibrationSource &S : CalibrationSources)
    if (Error E = writeFile((Folder + "/" + S.Name).str(), S.Text))
      return E;
  return Error::success();
}

/// What the program wrote, if it is a card.
Expected<std::string> readMeasured(const std::string &Path,
                                   std::string &CardName) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer = MemoryBuffer::getFile(Path);
  if (!Buffer)
    return createStringError("--calibrate: the measurement left no '" + Path +
                             "'");
  Expected<Device> Card = parseCard((*Buffer)->getBuffer(), Path);
  if (!Card)
    return createStringError("--calibrate: what was measured is of no use: " +
                             toString(Card.takeError()));
  CardName = Card->Name;
  return (*Buffer)->getBuffer().str();
}

} // namespace

Expected<std::string> calibrate(const CalibrationOptions &O,
                                function_ref<void(const std::string &)> Say) {
  if (Error E = checkPlace(O.Card))
    return std::move(E);
  const std::string Nvcc = findNvcc();
  if (Nvcc.empty())
    return createStringError("--calibrate: there is no nvcc; set CUDA_PATH to "
                             "a CUDA toolkit, or put its nvcc on PATH");
  const std::string Folder = O.Directory + "/calibrate";
  const std::string Program = Folder + "/calibrate",
                    Measured = Folder + "/card.json";
  if (Error E = writeSources(Folder))
    return std::move(E);
  (void)sys::fs::remove(Measured);
  Say("builds the measurement with " + Nvcc);
  if (Error E = runLoudly({Nvcc, "-O2", "-std=c++17", "-arch=native", "-o",
                           Program, Folder + "/Calibrate.cu"},
                          false))
    return createStringError("--calibrate: nvcc could not build '" + Folder +
                             "/Calibrate.cu' (" + toString(std::move(E)) +
                             "); its messages say why");
  Say("measures the first GPU");
  if (Error E = runLoudly({Program, Measured}, O.Quiet))
    return createStringError("--calibrate: the measurement ended with " +
                             toString(std::move(E)));
  std::string CardName;
  Expected<std::string> Text = readMeasured(Measured, CardName);
  if (!Text)
    return Text.takeError();
  if (Error E = writeFile(O.Card, *Text))
    return std::move(E);
  (void)sys::fs::remove_directories(Folder);
  (void)sys::fs::remove(O.Directory); // only if nothing else is there
  return CardName;
}

} // namespace catt
