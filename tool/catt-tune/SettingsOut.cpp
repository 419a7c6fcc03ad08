//===- SettingsOut.cpp - The best as settings -----------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tool/catt-tune/SettingsOut.h"
#include "tool/catt-rewrite/Output.h"
#include "tool/config/MeasuredFile.h"
#include "tool/report/Paths.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace catt {

/// The .catt file that applies to a source, or would.
static std::string configFor(const Options &O, StringRef Source) {
  if (!O.ConfigFile.empty())
    return absolutePath(O.ConfigFile);
  const std::string File = absolutePath(Source);
  std::string Found = findConfig(File);
  if (!Found.empty())
    return Found;
  SmallString<256> Path(sys::path::parent_path(File));
  sys::path::append(Path, ".catt");
  return Path.str().str();
}

/// An entry that no file has.
static MeasuredVariant anyEntry() {
  MeasuredVariant M;
  M.Kernel = M.Variant = M.Gpu = "any";
  M.File = "/any.cu";
  M.Text = "0000000000000000";
  M.Date = "2000-01-01";
  return M;
}

Error checkForSettings(const Options &O) {
  for (const std::string &File : O.Files) {
    Expected<std::string> Text = readSource(File);
    if (!Text)
      return Text.takeError();
    Expected<std::string> Old = revert(File, *Text);
    if (!Old)
      return Old.takeError();
    if (*Old != *Text)
      return createStringError(
          "--settings: '" + Twine(File) +
          "' holds what catt-rewrite has written, and settings are for the "
          "original; take it out with catt-rewrite --revert -i " +
          File);
    const std::string Path = configFor(O, File);
    Expected<std::string> New = withMeasured(textOf(Path), Path, {anyEntry()});
    if (!New)
      return New.takeError();
  }
  return Error::success();
}

static Error writeOne(const std::string &Path,
                      ArrayRef<MeasuredVariant> Entries) {
  const std::string Old = textOf(Path);
  Expected<std::string> New = withMeasured(Old, Path, Entries);
  if (!New)
    return New.takeError();
  return sys::fs::exists(Path) ? replaceFiles({{Path, Old, *New}})
                               : writeFile(Path, *New);
}

Expected<std::string> writeSettings(const TuneResult &R, const Options &O) {
  std::map<std::string, std::vector<MeasuredVariant>> ByFile;
  for (const TunedKernel &K : R.Kernels) {
    if (K.Best.Variant.empty())
      continue;
    std::vector<MeasuredVariant> &Entries = ByFile[configFor(O, K.Source)];
    // Two sources may include one kernel.
    if (none_of(Entries, [&](const auto &E) { return isOfSame(E, K.Best); }))
      Entries.push_back(K.Best);
  }
  std::string Said;
  for (const auto &[Path, Entries] : ByFile) {
    if (Error E = writeOne(Path, Entries))
      return std::move(E);
    Said += "What was measured of ";
    for (const MeasuredVariant &Each : Entries)
      Said += (&Each == &Entries.front() ? "'" : ", '") + Each.Kernel + "'";
    Said += " is in '" + relativeTo(workingDirectory(), Path) + "'.\n";
  }
  return Said;
}

} // namespace catt
