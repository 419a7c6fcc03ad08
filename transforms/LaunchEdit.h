//===- LaunchEdit.h - What a launch does in its own arguments ---*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before:
//   rows<<<grid, 256, bytes>>>(A, y);
//
// After:
//   rows<<<grid, 256, cattShared(rows, bytes, 65536)>>>(A, y);
//
// A launch is asked for more shared memory, or for a carve-out, by a call in
// its third argument: evaluated when and where the argument was, once for each
// launch, for the device that is current then. Where the launch has no such
// argument, `, cattShared(rows, 0, 65536)` is one. The functions that are
// called stand in the file, above the first launch that needs them:
//
//   cattShared     bytes and more, with the attribute that allows them, or
//                  bytes alone if the device has no more
//   cattSpill      the same, but bytes and more in any case: the kernel uses
//                  them
//   cattPreferL1   bytes, after asking for a carve-out
//   cattThreads    the threads of a block
//
// Where the rows of some launches are too short for it, the number of
// cattShared is conditional, and with it the kernel (KernelVersions.h):
//
//   (m >= 32 ? cattRows_rows : rows)
//       <<<grid, 256, cattShared(cattRows_rows, bytes, m >= 32 ? 65536 : 0)>>>
//
// They keep nothing between calls: a program may set the same attributes, and
// reset its devices. cattShared raises the limit as far as it goes, so that
// two threads that launch the kernel never lower it for each other.
//
// A setting stays with its kernel, so that all launches are changed or none.
//
// Limits. Refused: what LaunchText::Obstacle says; arguments that directives
// divide otherwise than as whole arguments; files where no function can be
// added above the launch, or whose own code has one of these names.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TRANSFORMS_LAUNCHEDIT_H
#define CATT_TRANSFORMS_LAUNCHEDIT_H

#include "transforms/KernelVersions.h"

namespace catt {

/// A call that each launch of a kernel is to make.
struct LaunchCall {
  /// Number, or where there is none one for each of the cases, is the last
  /// argument; the marker names it, or how many cases there are.
  LaunchCall(llvm::StringRef Function, std::optional<int64_t> Number,
             llvm::ArrayRef<LaunchCase> Cases,
             llvm::function_ref<int64_t(const LaunchCase &)> NumberOf);

  llvm::StringRef Function; ///< "cattShared"
  std::string Argument;     ///< of its marker
  std::optional<int64_t> Number;
  int64_t Otherwise = 0; ///< the number where a condition is not met
  int64_t PerThread = 0; ///< as much more for each thread of the block
  bool LessOwn = false;  ///< what the launch asks for itself is part of it
  /// The number from so many threads per block on, ascending.
  std::vector<std::pair<int64_t, int64_t>> ByThreads;
  std::string Summary; ///< of what is done to a launch; empty: not told
  /// The call is for another kernel, which is launched under the condition if
  /// there is one.
  std::optional<SecondKernel> Second;
};

/// In the words of a launch, the condition without which the number of a call
/// is its Otherwise; std::nullopt if the launch has no words for it.
using LaunchCondition =
    llvm::function_ref<std::optional<std::string>(const Launch &)>;

/// The same call in the third argument of every launch of a kernel that does
/// not make it yet.
class LaunchEdit final : public Prepared {
public:
  /// When: of a call with one number; none: in any case.
  LaunchEdit(const Context &C, llvm::StringRef Transform, LaunchCall Call,
             LaunchCondition When = nullptr);
  void edit(EditBuilder &Out) const override;

  /// Why one launch cannot make the call, or that all make it already: then
  /// nothing may be written.
  std::optional<Refusal> Why;

private:
  struct Site {
    const Launch *At;
    SourceSpan Argument;   ///< empty where there is none
    std::string Condition; ///< of the number; empty: there is none
    std::string Number;
  };
  std::optional<Refusal> add(const FileContexts &Files, const Launch &L,
                             llvm::StringRef Transform);

  LaunchCall Call;
  std::vector<Site> Sites;
};

/// A LaunchEdit, or why there is none.
Preparation prepareLaunches(const Context &C, llvm::StringRef Transform,
                            LaunchCall Call, LaunchCondition When = nullptr);

/// The launches that stand in source text, each once; those that the user tells
/// do not. If one cannot be edited, or names its kernel in no exact way, a
/// refusal LaunchNotEditable is added and nothing returned.
std::vector<const Launch *> launchSites(const Kernel &Kernel,
                                        std::vector<Refusal> &Refusals);

/// Where the third argument of a launch stands, or an empty span where it is to
/// be. std::nullopt if the text does not show it.
std::optional<SourceSpan> sharedArgument(const std::string &Text,
                                         const Launch &L);

/// Adds what stands against fewer resident blocks: who waits, or is launched
/// together, or may be. A block that waits for one that is not resident waits
/// for ever. Nothing if there is a refusal already.
void refuseFewerBlocks(const Kernel &Kernel, std::vector<Refusal> &Refusals);

} // namespace catt

#endif
