//===- Device.h - Limits of GPUs, per capability and per card -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   "NVIDIA H200" --findDevice--> Device --Occupancy--> Residency
//
// One table row per compute capability, and one per card that differs from it
// only in its name and its number of SMs. Where each number comes from is said
// in Device.cpp and in docs/devices.md.
//
// Limits: below 5.0 only the two cards that the papers measure are known
// (historicDevices), for arithmetic; findDevice refuses them, because no
// supported compiler targets them. On 5.x and 6.x some GPUs keep global loads
// out of L1 unless told otherwise (-Xptxas -dlcm=ca); the table gives the size
// of the cache, not whether a program uses it.
//
//===----------------------------------------------------------------------===//
#ifndef CATT_ANALYSIS_DEVICE_DEVICE_H
#define CATT_ANALYSIS_DEVICE_DEVICE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace catt {

/// What ./dev calibrate measures of a card, in cycles of an SM.
struct CardRates {
  double Hit = 0, L2 = 0,
         Dram = 0; ///< until a load that is found there is back
  double L2Sector = 0, DramSector = 0; ///< of scattered loads of all SMs
  double Port = 0;                     ///< a load that touches 32 lines of L1
  double Barrier = 0;                  ///< __syncthreads()
  int64_t L2Bytes = 0;
};

/// What one SM has, and how much of it one block or thread may have.
/// Sources: CUDA C++ Programming Guide, "Compute Capabilities" (technical
/// specifications per compute capability); cuda_occupancy.h of the CUDA
/// toolkit.
struct Device {
  std::string Name;               ///< "h200", or "sm_90" where no card is named
  unsigned Capability = 80;       ///< major * 10 + minor
  std::optional<int64_t> SMs;     ///< known for named cards only
  std::string SMsFrom;            ///< where NVIDIA says so
  std::optional<CardRates> Rates; ///< where the card was measured

  int64_t RegistersPerSM = 0;        ///< 32-bit
  int64_t RegistersPerBlock = 0;     ///< 32-bit
  int64_t MaxRegistersPerThread = 0; ///< 32-bit, what a compiler may give
  /// What the launch check accepts: one more than that from 7.0 on
  /// (cuda_occupancy.h, cudaOccRegAllocationMaxPerThread).
  int64_t LaunchRegistersPerThread = 0;
  int64_t RegisterAllocationUnit = 0; ///< registers, allocated per warp
  int64_t SubPartitions = 0;          ///< warp schedulers with own registers
  int64_t MaxWarpsPerSM = 0;
  int64_t MaxBlocksPerSM = 0;
  int64_t MaxThreadsPerSM = 0;
  int64_t MaxThreadsPerBlock = 1024;

  int64_t SharedBytesPerSM = 0; ///< at the largest carve-out
  int64_t SharedBytesPerBlock =
      int64_t(48) * 1024;               ///< static, or without opt-in
  int64_t SharedBytesPerBlockOptIn = 0; ///< dynamic, with the attribute
  int64_t SharedBytesReserved = 0;      ///< per block, for the system
  int64_t SharedAllocationUnit = 0;
  bool UnifiedL1 = true;              ///< L1 and shared are one memory
  int64_t UnifiedBytes = 0;           ///< L1 + shared; L1 alone if not unified
  std::vector<int64_t> CarveoutBytes; ///< legal shared sizes, ascending
  /// Without a preference the driver leaves room for twice the blocks that fit,
  /// up to so many bytes; 0: was not measured, and is not assumed.
  int64_t SharedBytesForTwice = 0;

  /// Barriers count threads that have not exited (from sm_70 on).
  bool barrierCountsLiveThreads() const { return Capability >= 70; }
  std::string architecture() const {
    return "sm_" + std::to_string(Capability);
  }
  /// "9.0"
  std::string capabilityText() const;
};

/// "h200", "NVIDIA H200", "titan-v", "sm_90", "sm_90a", "90", "9.0"; case,
/// spaces, '-' and '_' do not matter. Error: one sentence that lists what is
/// known, with the nearest spelling first, or says that the GPU is too old.
llvm::Expected<Device> findDevice(llvm::StringRef Name);

/// Every capability, ascending, then every card, by capability.
llvm::ArrayRef<Device> allDevices();

/// GTX 680 and Tesla C2075, which CRAT, Orion and Unified measure: for their
/// arithmetic only, findDevice refuses them.
llvm::ArrayRef<Device> historicDevices();

} // namespace catt

#endif
