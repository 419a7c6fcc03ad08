//===- LaunchSites.h - The launches of a kernel in the text ------*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the transforms share that change launches: which launches of a kernel
// are in the text, and whether each of them can make a call.
//
//   k<<<grid, 256>>>(A);        a site
//   GO(k);                      written by a macro: no launch is changed
//
// A setting stays with its kernel, so that all launches are changed or none.
// And which kernels must keep the blocks that share an SM: a block that waits
// for one that is not resident waits for ever.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TRANSFORMS_LAUNCHSITES_H
#define CATT_TRANSFORMS_LAUNCHSITES_H

#include "transforms/LaunchCalls.h"

namespace catt {

/// The launches that stand in source text, each once; those that the user tells
/// do not. If one cannot be edited, or names its kernel in no exact way, a
/// refusal LaunchNotEditable is added and nothing returned.
std::vector<const Launch *> launchSites(const Kernel &Kernel,
                                        std::vector<Refusal> &Refusals);

/// Adds what stands against fewer resident blocks: who waits, or is launched
/// together, or may be. Nothing if there is a refusal already.
void refuseFewerBlocks(const Kernel &Kernel, std::vector<Refusal> &Refusals);

/// Where a call is to be added; or why it is nowhere.
struct CallSites {
  std::vector<const Launch *> At;
  std::optional<Refusal> Why;
};

/// The launches that do not make the call yet, if all of them can make it.
/// Attribute: what earlier versions set in a statement before the launch.
CallSites callSites(const Kernel &Kernel, const LaunchCall &Call,
                    llvm::StringRef Attribute, const TextMap &Texts,
                    Edits &Out);

/// The attribute that allows a launch more than 48 KiB (CUDA C++ Programming
/// Guide, "Shared Memory", compute capability 7.x and later).
constexpr llvm::StringRef MaxDynamicShared =
    "cudaFuncAttributeMaxDynamicSharedMemorySize";

} // namespace catt

#endif
