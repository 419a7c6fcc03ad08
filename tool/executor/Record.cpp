//===- Record.cpp - What launches leave, for comparison --------------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two programs that make the same calls have the same allocations, so that
// their records can be compared line by line (tool/verify):
//
//   CATT_SIMT_RECORD=f      writes to f, after each launch,
//                             launch <kernel>, or launch refused <kernel>
//                             memory <which> <bytes> <hash>    for each object
//                           and, at the end of the program,
//                             line <0|1> <line> <file>    whether it ever ran
//   CATT_SIMT_KEEP=n,which  writes what that memory holds behind launch n,
//                           from 0, to f.bytes
//
// <which> is the number of an allocation, from 1, or the name of a variable.
// Lines are those of device code that touch memory or begin a loop.
//
//===----------------------------------------------------------------------===//

#include "tool/executor/Internal.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

namespace catt::simt {
namespace {

struct Recorder {
  FILE *Out = nullptr;
  std::string Path, Kept; ///< "3,2": what is written to a file of its own
  unsigned Launches = 0;
  std::vector<std::pair<Site *, Site *>> Sites; ///< ranges

  Recorder() {
    const char *Name = std::getenv("CATT_SIMT_RECORD");
    if (!Name || !(Out = std::fopen(Name, "w")))
      return;
    Path = Name;
    if (const char *What = std::getenv("CATT_SIMT_KEEP"))
      Kept = What;
    std::atexit(finishRecord);
  }
};

Recorder &recorder() {
  static Recorder *R = new Recorder; // outlives every destructor
  return *R;
}

/// FNV-1a over words of eight bytes: fast, and nobody attacks it.
uint64_t hashOf(const void *P, uint64_t Size) {
  uint64_t Hash = 0xcbf29ce484222325;
  auto Add = [&Hash](uint64_t Word) {
    Hash = (Hash ^ Word) * 0x100000001b3;
    Hash ^= Hash >> 32;
  };
  const char *At = static_cast<const char *>(P);
  for (; Size >= 8; Size -= 8, At += 8) {
    uint64_t Word;
    std::memcpy(&Word, At, 8);
    Add(Word);
  }
  for (; Size > 0; --Size, ++At)
    Add(static_cast<unsigned char>(*At));
  return Hash;
}

} // namespace

void recordLaunch(const std::string &Kernel) {
  Recorder &R = recorder();
  if (!R.Out)
    return;
  std::fprintf(R.Out, "launch %s\n", Kernel.c_str());
  auto Tell = [&R](const std::string &Which, const void *P, uint64_t Size) {
    std::fprintf(R.Out, "memory %s %llu %016llx\n", Which.c_str(),
                 (unsigned long long)Size, (unsigned long long)hashOf(P, Size));
    if (R.Kept != std::to_string(R.Launches) + "," + Which)
      return;
    if (FILE *Bytes = std::fopen((R.Path + ".bytes").c_str(), "w")) {
      std::fwrite(P, 1, Size, Bytes);
      std::fclose(Bytes);
    }
  };
  forEachAllocation(Tell);
  forEachVariable(Tell);
  ++R.Launches;
}

bool endsItsGrid(const std::string &Kernel, const LaunchShape &L,
                 void *const *Args) {
  if (Kernel.find("cattPart_") == std::string::npos)
    return true;
  unsigned First[3], Whole[3]; // uint3 cattFirst, dim3 cattGrid
  std::memcpy(First, Args[0], sizeof First);
  std::memcpy(Whole, Args[1], sizeof Whole);
  return First[0] + L.Grid.X >= Whole[0] && First[1] + L.Grid.Y >= Whole[1] &&
         First[2] + L.Grid.Z >= Whole[2];
}

void finishRecord() {
  Recorder &R = recorder();
  if (!R.Out)
    return;
  std::map<std::pair<std::string, uint32_t>, bool> Lines;
  for (auto [First, Last] : std::exchange(R.Sites, {}))
    for (Site *S = First; S != Last; ++S)
      Lines[{S->File, S->Line}] |= S->Ran != 0;
  for (const auto &[At, Ran] : Lines)
    std::fprintf(R.Out, "line %d %u %s\n", Ran, At.second, At.first.c_str());
  std::fclose(std::exchange(R.Out, nullptr));
}

} // namespace catt::simt

using namespace catt::simt;

void catt_simt_sites(Site *First, Site *Last) {
  Recorder &R = recorder();
  // Objects of one program share the range.
  if (R.Out && First &&
      (R.Sites.empty() || R.Sites.back() != std::pair(First, Last)))
    R.Sites.emplace_back(First, Last);
}
