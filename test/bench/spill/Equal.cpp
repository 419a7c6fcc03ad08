//===- Equal.cpp - The suite's kernels beside their rewrites ---------------==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   catt-spill-equal --list                              the cases
//   catt-spill-equal [--blocks K] ORIGINAL.cu REWRITTEN.cu [CASE...]
//
//   both texts --compile--> executor: the first blocks of each case's launch
//                             |  original in order, rewritten in order and in
//                             v  a random one with blocks that interleave
//                           outputs, compared bit by bit
//
// Without CASEs, all of the file that ORIGINAL is named after (Cases.h). Block
// and n are those of the GPU's launch, so are the addresses. A finding of the
// executor (race, divergent barrier, out of bounds, shared memory that nobody
// wrote) is a failure, and so is a rewritten text that is the original's.
//
// Where this machine can, products are fused with sums within one expression
// (-ffp-contract=on), so that a rewrite which takes such an expression apart is
// seen. Fusing across statements, as nvcc does, is left off: which of two
// products clang then fuses depends on what its optimizer made of both texts
// for this machine. -Xcompiler -ffp-contract=fast tries it.
//
// Exit status: 0 all equal; 1 something differs, or there was a finding;
// 2 usage, or a text does not compile.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"
#include "tool/executor/Compile.h"
#include "tool/executor/Executor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"
#include <cstring>

using namespace llvm;
using namespace catt;

static cl::OptionCategory Category("Options of catt-spill-equal");
static cl::opt<bool> List("list", cl::cat(Category),
                          cl::desc("Print the cases, one JSON object a line"));
static cl::opt<unsigned> Blocks("blocks", cl::init(3), cl::cat(Category),
                                cl::desc("Blocks in each dimension"));
static cl::opt<std::string> Original(cl::Positional, cl::desc("original.cu"),
                                     cl::cat(Category));
static cl::opt<std::string> Rewritten(cl::Positional, cl::desc("rewritten.cu"),
                                      cl::cat(Category));
static cl::list<std::string> Names(cl::Positional, cl::desc("[case...]"),
                                   cl::cat(Category));
static cl::list<std::string>
    CompilerArguments("Xcompiler", cl::desc("Hand an argument to clang"),
                      cl::cat(Category));

namespace {

/// What both texts of a case read.
const float *inputs() {
  auto *In = static_cast<float *>(simt::deviceAllocZeros(sweep::InFloats * 4));
  for (size_t K = 0; K < sweep::InFloats; ++K)
    In[K] = sweep::inputAt(K);
  return In;
}

/// Runs a case. Null if there were findings, which are printed.
uint32_t *outputOf(const simt::Module &Code, const sweep::Case &C,
                   const float *In, const simt::Options &O) {
  void *Out = simt::deviceAllocZeros(C.Outputs * 4);
  int N = C.N;
  const sweep::Extent Grid = sweep::firstBlocks(C.Grid, Blocks);
  simt::Result R = Code.run(
      C.Kernel, {Grid.X, Grid.Y, Grid.Z}, {C.Block.X, C.Block.Y, C.Block.Z}, 0,
      {static_cast<void *>(&In), static_cast<void *>(&Out), &N}, O);
  for (const simt::Finding &F : R.Findings)
    outs() << F.str() << '\n';
  if (R.Error)
    outs() << "error " << R.Error << '\n';
  return R.Findings.empty() && !R.Error ? static_cast<uint32_t *>(Out)
                                        : nullptr;
}

float asFloat(uint32_t Word) {
  float Value;
  std::memcpy(&Value, &Word, 4);
  return Value;
}

/// True if the words are the same; otherwise says where they are not.
bool compare(const uint32_t *Was, const uint32_t *Is, size_t Count) {
  if (std::memcmp(Was, Is, Count * 4) == 0)
    return true;
  size_t Different = 0, First = Count;
  for (size_t K = 0; K < Count; ++K)
    if (Was[K] != Is[K]) {
      First = std::min(First, K);
      ++Different;
    }
  outs() << Different << " words differ, the first is out[" << First
         << format("]: %.9g (%08x), was %.9g (%08x)\n", asFloat(Is[First]),
                   Is[First], asFloat(Was[First]), Was[First]);
  return false;
}

bool isEqual(const simt::Module &Old, const simt::Module &New,
             const sweep::Case &C, const float *In) {
  simt::Options InOrder, Mixed;
  Mixed.Seed = 1;
  Mixed.ResidentBlocks = 3;
  Mixed.SwitchEvery = 61;
  const uint32_t *Reference = outputOf(Old, C, In, InOrder);
  if (!Reference)
    return false;
  const size_t Written =
      C.Outputs - std::count(Reference, Reference + C.Outputs, 0u);
  if (!Written) {
    outs() << "nothing was written\n";
    return false;
  }
  for (const simt::Options &O : {InOrder, Mixed}) {
    uint32_t *Output = outputOf(New, C, In, O);
    if (!Output || !compare(Reference, Output, C.Outputs))
      return false;
    simt::deviceFree(Output);
  }
  outs() << C.Kernel << ": equal, " << Written << " words written\n";
  return true;
}

int usage(const Twine &Message) {
  errs() << "catt-spill-equal: " << Message << '\n';
  return 2;
}

/// The cases that were asked for; empty if one of them does not exist.
std::vector<sweep::Case> cases() {
  std::vector<sweep::Case> Of;
  for (const sweep::Case &C : sweep::spillCases())
    if (Names.empty() ? sys::path::stem(Original) == C.File
                      : is_contained(Names, C.Kernel))
      Of.push_back(C);
  return Names.empty() || Of.size() == Names.size()
             ? Of
             : std::vector<sweep::Case>();
}

Expected<simt::Module> load(const std::string &File) {
  simt::CompileOptions O;
  O.Directory = CATT_SIMT_CACHE;
  O.Arguments = {"-ffp-contract=on"};
  if (sys::getHostCPUFeatures().lookup("fma"))
    O.Arguments.push_back("-mfma");
  append_range(O.Arguments, CompilerArguments);
  auto Path = simt::compile({{File, {}}}, simt::Output::SharedObject, O);
  if (!Path)
    return Path.takeError();
  std::string Message;
  simt::Module Code = simt::Module::load(*Path, Message);
  if (!Code)
    return createStringError(Message);
  return Code;
}

/// Whether both have one text; what cannot be read is left to the compiler.
bool isSame(const std::string &A, const std::string &B) {
  auto One = MemoryBuffer::getFile(A), Other = MemoryBuffer::getFile(B);
  return One && Other && (*One)->getBuffer() == (*Other)->getBuffer();
}

} // namespace

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(Category);
  cl::ParseCommandLineOptions(argc, argv, "Kernels beside their rewrites\n");
  if (List) {
    sweep::list(sweep::spillCases());
    return 0;
  }
  const std::vector<sweep::Case> Cases = cases();
  if (Cases.empty())
    return usage("no such case");
  if (isSame(Original, Rewritten)) {
    outs() << Rewritten << " is as the original: nothing was rewritten\n";
    return 1;
  }
  auto Old = load(Original), New = load(Rewritten);
  if (!Old)
    return usage(toString(joinErrors(Old.takeError(), New.takeError())));
  if (!New)
    return usage(toString(New.takeError()));
  const float *In = inputs();
  bool Equal = true;
  for (const sweep::Case &C : Cases)
    if (!isEqual(*Old, *New, C, In)) {
      outs() << C.Kernel << ": not equal\n";
      Equal = false;
    }
  return Equal ? 0 : 1;
}
