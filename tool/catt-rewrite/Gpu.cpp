//===- Gpu.cpp - Which GPU to optimize for --------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Gpu.h"
#include "tool/config/Card.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace llvm;

namespace catt {

/// Long enough for a driver that has to wake a GPU, short enough for a shell.
constexpr unsigned SmiSeconds = 3;

std::optional<Device> deviceOfSmiLine(StringRef Line) {
  auto [Name, Capability] = Line.trim().rsplit(',');
  StringRef Digits = Capability.trim();
  auto [Major, Minor] = Digits.split('.');
  unsigned Number = 0;
  if (Major.getAsInteger(10, Number) || Minor.size() != 1)
    return std::nullopt;
  std::string Architecture = ("sm_" + Major + Minor).str();
  Expected<Device> Generic = findDevice(Architecture);
  if (!Generic) {
    consumeError(Generic.takeError());
    return std::nullopt;
  }
  // "NVIDIA GeForce RTX 4090" holds the words of "rtx-4090".
  std::string Words = "-";
  for (char C : Name)
    Words += isAlnum(C) ? toLower(C) : '-';
  Words += '-';
  // A laptop's chip is a smaller one under the same name.
  if (StringRef(Words).contains("-laptop-"))
    return *Generic;
  const Device *Best = nullptr;
  for (const Device &D : allDevices())
    if (D.Capability == Generic->Capability && D.SMs &&
        StringRef(Words).contains("-" + D.Name + "-") &&
        (!Best || D.Name.size() > Best->Name.size()))
      Best = &D;
  return Best ? *Best : *Generic;
}

/// The first line that nvidia-smi prints, if it succeeds in time.
static std::optional<std::string> askSmi() {
  ErrorOr<std::string> Program = sys::findProgramByName("nvidia-smi");
  if (!Program)
    return std::nullopt;
  SmallString<128> Out;
  if (sys::fs::createTemporaryFile("catt-smi", "txt", Out))
    return std::nullopt;
  FileRemover Remover(Out);
  StringRef Args[] = {*Program, "--query-gpu=name,compute_cap",
                      "--format=csv,noheader"};
  std::optional<StringRef> Redirects[] = {StringRef(), Out.str(), StringRef()};
  if (sys::ExecuteAndWait(*Program, Args, std::nullopt, Redirects, SmiSeconds))
    return std::nullopt;
  auto Buffer = MemoryBuffer::getFile(Out, /*IsText=*/true);
  if (!Buffer)
    return std::nullopt;
  return (*Buffer)->getBuffer().split('\n').first.str();
}

Expected<ChosenGpu> chooseGpu(const std::optional<std::string> &Name) {
  if (Name) {
    Expected<Device> D = findCard(*Name);
    if (!D)
      return D.takeError();
    return ChosenGpu{*D, "--gpu"};
  }
  if (std::optional<std::string> Line = askSmi())
    if (std::optional<Device> D = deviceOfSmiLine(*Line))
      return ChosenGpu{*D, "nvidia-smi"};
  return ChosenGpu{cantFail(findDevice("sm_80")), "default"};
}

} // namespace catt
