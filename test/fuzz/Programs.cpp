//===- Programs.cpp - Generated kernels as a program for --verify ----------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   kernels, host0() ...  +  int main() { host0(buffers); k1<<<...>>>(...); ...
//   }
//
// Kernels that no host code launches are launched by main(), which the rewrite
// does not see.
//
//===----------------------------------------------------------------------===//
#include "test/fuzz/Properties.h"
#include "tool/verify/Verify.h"
#include "llvm/ADT/StringExtras.h"

namespace catt::fuzz {

/// Fills buffers as Memory does.
static constexpr const char *Fill = R"(
#include <stdint.h>
#include <string.h>
static void *cattFilled(uint32_t &State, int64_t Bytes, const char *Fill,
                        uint32_t Limit) {
  char *Data = nullptr;
  cudaMallocManaged(&Data, Bytes);
  for (int64_t At = 0; At < Bytes; At += 4) {
    State = State * 1664525u + 1013904223u;
    char Kind = Fill[At / 4 % strlen(Fill)];
    uint32_t Value = Kind == 'x'   ? State % Limit
                     : Kind == '0' ? 0
                                   : State >> 16 & 7;
    float F = float(Value);
    memcpy(Data + At, Kind == 'f' ? (void *)&F : (void *)&Value,
           Bytes - At < 4 ? Bytes - At : 4);
  }
  return Data;
}
)";

static std::string dim3Of(const Extents &E) {
  return "dim3(" + std::to_string(E.X) + ", " + std::to_string(E.Y) + ", " +
         std::to_string(E.Z) + ")";
}

/// The launch of a kernel with the buffers of All.
static std::string launchOf(const GeneratedKernel &K) {
  if (K.hasHostCode())
    return K.hostEntry() + "(All);";
  std::vector<std::string> Pass;
  unsigned Buffers = 0;
  for (const Argument &A : K.Arguments) {
    auto [Left, Right] = llvm::StringRef(A.Type).split('%');
    Pass.push_back(("(" + Left + Right + ")").str() +
                   (A.Value ? "(" + std::to_string(*A.Value) + ")"
                            : "All[" + std::to_string(Buffers++) + "]"));
  }
  return K.entry() + "<<<" + dim3Of(K.Grid) + ", " + dim3Of(K.Block) + ", " +
         std::to_string(K.DynamicBytes) + ">>>(" + llvm::join(Pass, ", ") +
         ");";
}

static std::string mainFor(const std::vector<GeneratedKernel> &Kernels) {
  std::string Text = Fill;
  Text += "int main() {\n";
  for (const GeneratedKernel &K : Kernels) {
    Text +=
        "  {\n    uint32_t State = " + std::to_string(uint32_t(K.Seed) | 1) +
        "u;\n    void *All[] = {";
    for (const Argument &A : K.Arguments)
      if (!A.Value)
        Text += "cattFilled(State, " + std::to_string(A.Bytes) + ", \"" +
                A.Fill + "\", " + std::to_string(uint32_t(A.Limit)) + "u),\n";
    Text += "    nullptr};\n    " + launchOf(K) +
            "\n    cudaDeviceSynchronize();\n"
            "    for (void *P : All)\n      cudaFree(P);\n  }\n";
  }
  return Text + "  return 0;\n}\n";
}

std::vector<std::string> flagsFor(const std::vector<GeneratedKernel> &Kernels,
                                  const std::string &System) {
  // Each kernel runs a few times for a moment: optimizing costs more.
  std::vector<std::string> Flags = {"-O0", "-Xclang", "-disable-O0-optnone"};
  for (const GeneratedKernel &K : Kernels)
    if (K.Contracts)
      Flags = {"-O1", "-mfma", "-ffp-contract=fast"};
  if (Kernels[0].isEnemy())
    Flags.push_back("-isystem" + System);
  return Flags;
}

std::pair<std::string, std::string>
verifyFile(const std::vector<GeneratedKernel> &Kernels, const std::string &Path,
           const std::string &System, const std::string &Old,
           const std::string &New) {
  if (Old == New)
    return {};
  std::string Main = mainFor(Kernels);
  VerifyOptions O;
  O.Sources = {{Path, flagsFor(Kernels, System)}};
  EditedFiles Files;
  Files[Path] = {Old + Main, New + Main, {}};
  auto V = verifyOnExecutor(O, Files);
  if (!V)
    return {"valid-verify", llvm::toString(V.takeError())};
  if (!V->Equal)
    return {"verify", V->Said.front()};
  return {};
}

} // namespace catt::fuzz
