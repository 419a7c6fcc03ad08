//===- Tasks.cpp - What is to be done with each file ---------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Tasks.h"
#include "Output.h"

using namespace llvm;

namespace catt {

/// The configuration that applies to a file.
static Expected<Config> configOf(const Options &O, StringRef File,
                                 ConfigFinder &Finder) {
  if (O.ConfigFile == "none" || O.Revert)
    return Config();
  if (!O.ConfigFile.empty())
    return readConfig(O.ConfigFile);
  return Finder.find(absolutePath(File));
}

Expected<std::vector<Task>> planTasks(const Options &O) {
  ConfigFinder Finder;
  std::map<std::string, ChosenGpu> Gpus; ///< by name; asking takes time
  std::vector<Task> Tasks;
  for (const std::string &File : O.Files) {
    Expected<Config> C = configOf(O, File, Finder);
    if (!C)
      return C.takeError();
    Task T{File, withConfig(O, *C), {}};
    if (!O.Revert) {
      std::string Name = T.O.GpuName.value_or("");
      auto Known = Gpus.find(Name);
      if (Known == Gpus.end()) {
        Expected<ChosenGpu> Gpu = chooseGpu(T.O.GpuName);
        if (!Gpu)
          return Gpu.takeError();
        Known = Gpus.emplace(Name, *Gpu).first;
      }
      T.Gpu = Known->second;
      if (T.O.GpuName && !O.GpuName)
        T.Gpu.Origin = ".catt";
    }
    Tasks.push_back(std::move(T));
  }
  return Tasks;
}

Expected<std::string> describeConfig(const Options &O) {
  std::string File = O.Files.empty() ? "any.cu" : O.Files.front();
  ConfigFinder Finder;
  Expected<Config> C = configOf(O, File, Finder);
  if (!C)
    return C.takeError();
  Options All = withConfig(O, *C);
  std::string Text =
      "# " + (C->Path.empty() ? "no .catt file applies" : "from " + C->Path);
  if (!O.Said.empty())
    Text += " and the command line";
  Text += "\n";
  return All.Said.empty() && All.Measured.empty()
             ? Text
             : Text + dumpConfig(Stated{All, All.Said});
}

} // namespace catt
