//===- LaunchSites.h - Launches where host code can be added -----*- C++ -*-==//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the transforms share that change launches: which launches of a kernel
// are in the text, whether a call can stand before each of them, how the kernel
// is spelled there, and how a launch asks for more shared memory:
//
//   k<<<grid, 256>>>(A);
//
//   (void)cudaFuncSetAttribute(k, ...MaxDynamicSharedMemorySize, 65536);
//   k<<<grid, 256, 65536>>>(A);
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TRANSFORMS_LAUNCHSITES_H
#define CATT_TRANSFORMS_LAUNCHSITES_H

#include "transforms/SourceEdit.h"

namespace catt {

/// The launches that stand in source text; those that the user tells do not. If
/// one has no statement, or the kernel cannot be named there, a refusal
/// LaunchNotEditable is added and nothing returned.
std::vector<const Launch *> launchSites(const Kernel &Kernel,
                                        std::vector<Refusal> &Refusals);

/// Why nothing can be added at a launch, if the text shows it.
std::optional<Refusal> cannotEditLaunch(const TextMap &Texts,
                                        const Launch &Launch);

/// The kernel as an argument at this launch: "ns::gesummv<float>". Empty if it
/// cannot be spelled.
std::string kernelArgument(const Kernel &Kernel, const Launch &Launch);

/// `(void)cudaFuncSetAttribute(kernel, attribute, value);`
std::string setAttribute(llvm::StringRef Kernel, llvm::StringRef Attribute,
                         llvm::StringRef Value);

/// Whether that call, with some value, stands before the launch's statement as
/// an addition of the transform.
bool hasAttribute(const TextMap &Texts, const Kernel &Kernel,
                  const Launch &Launch, llvm::StringRef Transform,
                  llvm::StringRef Attribute);

//===-- More dynamic shared memory ----------------------------------------===//

/// The attribute that allows a launch more than 48 KiB (CUDA C++ Programming
/// Guide, "Shared Memory", compute capability 7.x and later).
constexpr llvm::StringRef MaxDynamicShared =
    "cudaFuncAttributeMaxDynamicSharedMemorySize";

/// More dynamic shared memory at every launch of a kernel.
struct SharedRaise {
  llvm::StringRef Transform;
  std::string Argument, Reason; ///< of the markers
  int64_t Bytes = 0;            ///< that each launch asks for beside its own
};

/// Why the launches cannot ask for more, if so.
std::optional<Refusal> cannotRaise(const Kernel &Kernel,
                                   const SharedRaise &More,
                                   const TextMap &Texts);

/// Raises what cannotRaise does not object to. Returns the launches.
std::vector<const Launch *> raiseShared(const Kernel &Kernel,
                                        const SharedRaise &More,
                                        const TextMap &Texts, Edits &Out);

} // namespace catt

#endif
