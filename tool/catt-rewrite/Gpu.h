//===- Gpu.h - Which GPU to optimize for --------------------- -*- C++ -*--===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_CATTREWRITE_GPU_H
#define CATT_TOOL_CATTREWRITE_GPU_H

#include "analysis/device/Device.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace catt {

struct ChosenGpu {
  Device Gpu;
  std::string Origin; ///< "--gpu", ".catt", "nvidia-smi", "the
                      ///< compile command" or "default"
};

/// The named GPU; without a name that of this machine if nvidia-smi answers
/// within three seconds, else sm_80. Error: the name is unknown.
llvm::Expected<ChosenGpu> chooseGpu(const std::optional<std::string> &Name);

/// The device behind a line of `nvidia-smi --query-gpu=name,compute_cap
/// --format=csv,noheader`, as "NVIDIA A100-SXM4-80GB, 8.0": the named card if
/// it is a known one, else its compute capability.
std::optional<Device> deviceOfSmiLine(llvm::StringRef Line);

} // namespace catt

#endif
