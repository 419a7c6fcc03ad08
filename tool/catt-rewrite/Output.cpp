//===- Output.cpp - How results reach the user's files --------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Output.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/YAMLParser.h"
#include "llvm/Support/raw_ostream.h"
#include <unistd.h>

using namespace llvm;

namespace catt {

static Error failure(const Twine &Message) {
  return createStringError(Message);
}

void complain(const Twine &Message) {
  errs() << "catt-rewrite: error: " << Message << "\n";
}

std::string workingDirectory() {
  SmallString<256> Result;
  (void)sys::fs::current_path(Result);
  return Result.str().str();
}

std::string absolutePath(StringRef Path) {
  SmallString<256> Result(Path);
  (void)sys::fs::make_absolute(Result);
  sys::path::remove_dots(Result, /*remove_dot_dot=*/true);
  return Result.str().str();
}

Expected<std::string> readSource(StringRef Path) {
  sys::fs::file_status Status;
  if (std::error_code EC = sys::fs::status(Path, Status))
    return failure(EC == std::errc::no_such_file_or_directory
                       ? "there is no file '" + Path + "'"
                       : "'" + Path + "' cannot be read: " + EC.message());
  if (Status.type() == sys::fs::file_type::directory_file)
    return failure("'" + Path + "' is a directory; name the files in it");
  auto Buffer = MemoryBuffer::getFile(Path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return failure("'" + Path +
                   "' cannot be read: " + Buffer.getError().message());
  StringRef Text = (*Buffer)->getBuffer();
  if (Text.trim().empty())
    return failure("'" + Path + "' is empty");
  if (size_t Zero = Text.find('\0'); Zero != StringRef::npos)
    return failure("'" + Path + "' is not UTF-8 text: byte " + Twine(Zero) +
                   " is zero");
  return Text.str();
}

/// Writes and syncs a temporary file beside Path, with its mode and owner.
static Expected<sys::fs::TempFile> stage(StringRef Path, StringRef Text) {
  unsigned Mode = sys::fs::all_read | sys::fs::owner_write;
  sys::fs::file_status Status;
  bool Exists = !sys::fs::status(Path, Status);
  if (Exists)
    Mode = Status.permissions();
  auto Temp = sys::fs::TempFile::create(Path + ".catt-%%%%%%%%", Mode);
  if (!Temp)
    return failure("'" + Path +
                   "' cannot be written: " + toString(Temp.takeError()));
  raw_fd_ostream OS(Temp->FD, /*shouldClose=*/false);
  OS << Text;
  OS.flush();
  std::error_code EC = OS.error();
  OS.clear_error();
  if (!EC && ::fsync(Temp->FD))
    EC = std::error_code(errno, std::generic_category());
  // The umask and another owner must not change who may do what.
  if (!EC && Exists) {
    EC = sys::fs::setPermissions(Temp->FD, Status.permissions());
    // Only root may give files away; for others the file stays their own.
    (void)!::fchown(Temp->FD, Status.getUser(), Status.getGroup());
  }
  if (!EC)
    return Temp;
  consumeError(Temp->discard());
  return failure("'" + Path + "' cannot be written: " + EC.message());
}

Error replaceFiles(ArrayRef<Replaced> Files) {
  struct Staged {
    sys::fs::TempFile Temp;
    std::string Target;
  };
  std::vector<Staged> All;
  Error Failed = Error::success();
  for (const Replaced &R : Files) {
    SmallString<256> Target;
    if (sys::fs::real_path(R.Path, Target))
      Target = R.Path;
    auto Now = MemoryBuffer::getFile(Target, false, false);
    if (!Now || (*Now)->getBuffer() != R.Old) {
      Failed = failure("'" + R.Path +
                       "' was changed by somebody else in the meantime; run "
                       "again");
      break;
    }
    // A rename would replace even what its owner protected.
    if (!sys::fs::can_write(Target)) {
      Failed = failure("'" + R.Path + "' cannot be written: permission denied");
      break;
    }
    auto Temp = stage(Target, R.New);
    if (!Temp) {
      Failed = Temp.takeError();
      break;
    }
    All.push_back({std::move(*Temp), Target.str().str()});
  }
  for (Staged &S : All) {
    if (Failed)
      consumeError(S.Temp.discard());
    else if (Error E = S.Temp.keep(S.Target))
      Failed = failure("'" + S.Target +
                       "' cannot be written: " + toString(std::move(E)));
  }
  return Failed;
}

Error writeFile(StringRef Path, StringRef Text) {
  // A pipe or a device is written to, not replaced.
  sys::fs::file_status Status;
  if (Path == "-" || (!sys::fs::status(Path, Status) &&
                      Status.type() != sys::fs::file_type::regular_file)) {
    std::error_code EC;
    raw_fd_ostream OS(Path, EC);
    if (EC)
      return failure("'" + Path + "' cannot be written: " + EC.message());
    OS << Text;
    return Error::success();
  }
  SmallString<256> Target;
  if (sys::fs::real_path(Path, Target))
    Target = Path;
  auto Temp = stage(Target, Text);
  if (!Temp)
    return Temp.takeError();
  if (Error E = Temp->keep(Target))
    return failure("'" + Path +
                   "' cannot be written: " + toString(std::move(E)));
  return Error::success();
}

std::string
fixesYaml(const std::map<std::string, clang::tooling::Replacements> &Files) {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << "---\nMainSourceFile:  ''\nReplacements:\n";
  for (const auto &[Path, Replacements] : Files)
    for (const clang::tooling::Replacement &R : Replacements)
      OS << "  - FilePath:        \"" << yaml::escape(Path) << "\"\n"
         << "    Offset:          " << R.getOffset() << "\n"
         << "    Length:          " << R.getLength() << "\n"
         << "    ReplacementText: \""
         << yaml::escape(R.getReplacementText(), /*EscapePrintable=*/false)
         << "\"\n";
  OS << "...\n";
  return Text;
}

} // namespace catt
