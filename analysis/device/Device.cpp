//===- Device.cpp - Limits of GPUs, per capability and per card -*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sources, by the letter that the tables below use:
//
//  [P] CUDA C++ Programming Guide, "Compute Capabilities": table "Technical
//      Specifications per Compute Capability" (blocks, warps, threads and
//      registers per SM, registers per block and thread, shared memory per SM
//      and block) and the sections per capability (size of L1, legal
//      carve-outs)
//  [O] cuda_occupancy.h of CUDA 13.0: allocation units, sub-partitions, legal
//      carve-outs, the launch check of registers
//  [T] the Volta, Turing, Ampere, Ada, Hopper and Blackwell tuning guides,
//      sections "Occupancy" and "Unified Shared Memory/L1/Texture Cache"
//  [C] cards: number of SMs from NVIDIA's architecture white papers and data
//      sheets, or from the runtime's cudaDeviceProp, as each row says
//
//===----------------------------------------------------------------------===//
#include "analysis/device/Device.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace catt {
namespace {

constexpr int64_t KiB = 1024;

/// What varies between capabilities; the rest follows in `makeDevice`.
struct Row {
  unsigned Capability;
  int64_t Warps, Blocks;     // per SM [P]
  int64_t KiRegsPerBlock;    // [P]; every SM has 64 Ki registers
  int64_t SharedKiB, OptKiB; // per SM, per block with opt-in [P]
  int64_t UnifiedKiB;        // L1 + shared; before 7.0 L1 alone [P, T]
};

// The order of allDevices.
constexpr Row Rows[] = {
    // Maxwell: L1/texture 24 KiB [P, 5.x]. 5.3 gives a block half the
    // registers.
    {50, 64, 32, 64, 64, 48, 24},
    {52, 64, 32, 64, 96, 48, 24},
    {53, 64, 32, 32, 64, 48, 24},
    // Pascal: L1/texture 24 KiB (6.0, 6.2) or 48 KiB (6.1) [P, 6.x].
    {60, 64, 32, 64, 64, 48, 24},
    {61, 64, 32, 64, 96, 48, 48},
    {62, 64, 32, 32, 64, 48, 24},
    // Volta: one memory of 128 KiB [T]; also CATT table 1.
    {70, 64, 32, 64, 96, 96, 128},
    {72, 64, 32, 64, 96, 96, 128},
    // Turing: 96 KiB, of which 32 or 64 are shared [T].
    {75, 32, 16, 64, 64, 64, 96},
    // Ampere and Orin: 192 KiB (8.0, 8.7), 128 KiB (8.6); Ada: 128 KiB [P, T].
    {80, 64, 32, 64, 164, 163, 192},
    {86, 48, 16, 64, 100, 99, 128},
    {87, 48, 16, 64, 164, 163, 192},
    {89, 48, 24, 64, 100, 99, 128},
    // Hopper: 256 KiB [P, T].
    {90, 64, 32, 64, 228, 227, 256},
    // Blackwell: 256 KiB (10.x, 11.0), 128 KiB (12.x) [P, T]. CUDA 13 calls
    // 11.0 what CUDA 12.8 called 10.1.
    {100, 64, 32, 64, 228, 227, 256},
    {101, 48, 24, 64, 228, 227, 256},
    {103, 64, 32, 64, 228, 227, 256},
    {110, 48, 24, 64, 228, 227, 256},
    {120, 48, 24, 64, 100, 99, 128},
    {121, 48, 24, 64, 100, 99, 128},
};

struct Card {
  const char *Name;
  unsigned Capability;
  int64_t SMs;
  const char *Source; ///< of the number of SMs [C]
};

// From 8.6 on an SM has 128 cores; data sheets give their number.
constexpr Card Cards[] = {
    {"titan-v", 70, 80, "CATT paper, table 1"},
    {"v100", 70, 80, "Tesla V100 GPU Architecture"},
    {"t4", 75, 40, "Turing GPU Architecture: 2,560 cores, 64 an SM"},
    {"a30", 80, 56, "A30 data sheet: 3,584 cores, 64 an SM"},
    {"a100", 80, 108, "A100 Tensor Core GPU Architecture"},
    {"a10", 86, 72, "A10 data sheet: 9,216 cores"},
    {"a40", 86, 84, "A40 data sheet: 10,752 cores"},
    {"rtx-3090", 86, 82, "Ampere GA102 GPU Architecture"},
    {"jetson-agx-orin", 87, 16, "Jetson AGX Orin data sheet: 2,048 cores"},
    {"l4", 89, 58, "L4 data sheet: 7,424 cores"},
    {"l40s", 89, 142, "L40S data sheet: 18,176 cores"},
    {"rtx-4070", 89, 46, "GeForce RTX 4070 specifications: 5,888 cores"},
    {"rtx-4070-ti", 89, 60, "GeForce RTX 4070 Ti specifications: 7,680 cores"},
    {"rtx-4080", 89, 76, "GeForce RTX 4080 specifications: 9,728 cores"},
    {"rtx-4090", 89, 128, "Ada GPU Architecture"},
    {"h100-pcie", 90, 114, "H100 GPU Architecture, PCIe board"},
    {"h100", 90, 132, "H100 GPU Architecture, SXM5 board"},
    {"gh200", 90, 132, "GH200 Grace Hopper data sheet: the GPU of the H100"},
    {"h200", 90, 132, "multiProcessorCount of an H200"},
    {"b200", 100, 148, "multiProcessorCount in published profiles"},
    {"rtx-5070", 120, 48, "GeForce RTX 5070 specifications: 6,144 cores"},
    {"rtx-5070-ti", 120, 70, "GeForce RTX 5070 Ti specifications: 8,960 cores"},
    {"rtx-5080", 120, 84, "GeForce RTX 5080 specifications: 10,752 cores"},
    {"rtx-5090", 120, 170, "GeForce RTX 5090 specifications: 21,760 cores"},
};

/// Names under which drivers report boards that are one of the cards above
/// with another memory or connector, but with the same SMs.
constexpr struct {
  const char *Board, *Name;
} Boards[] = {
    {"v100-sxm2-16gb", "v100"}, {"v100-sxm2-32gb", "v100"},
    {"v100-pcie-16gb", "v100"}, {"v100-pcie-32gb", "v100"},
    {"a100-sxm4-40gb", "a100"}, {"a100-sxm4-80gb", "a100"},
    {"a100-pcie-40gb", "a100"}, {"a100-80gb-pcie", "a100"},
    {"h100-80gb-hbm3", "h100"}, {"gh200-480gb", "gh200"},
    {"gh200-120gb", "gh200"},
};

/// Legal shared-memory sizes, KiB [O, cudaOccAlignUpShmemSizeVoltaPlus; P].
std::vector<int64_t> carveouts(const Row &R) {
  if (R.Capability < 70)
    return {R.SharedKiB * KiB};
  if (R.Capability == 75)
    return {32 * KiB, 64 * KiB};
  std::vector<int64_t> Sizes;
  bool Volta = R.Capability < 80;
  for (int64_t Size : {0, 8, 16, 32, 64, Volta ? 96 : 100, 132, 164, 196, 228})
    if (Size <= R.SharedKiB)
      Sizes.push_back(Size * KiB);
  return Sizes;
}

Device makeDevice(const Row &R) {
  Device D;
  D.Capability = R.Capability;
  D.Name = D.architecture();
  D.RegistersPerSM = 64 * KiB;                                // [P]
  D.RegistersPerBlock = R.KiRegsPerBlock * KiB;               // [P]
  D.MaxRegistersPerThread = 255;                              // [P]
  D.LaunchRegistersPerThread = R.Capability < 70 ? 255 : 256; // [O]
  D.RegisterAllocationUnit = 256;                             // [O]
  D.SubPartitions = R.Capability == 60 ? 2 : 4;               // [O]
  D.MaxWarpsPerSM = R.Warps;
  D.MaxBlocksPerSM = R.Blocks;
  D.MaxThreadsPerSM = R.Warps * 32;
  D.SharedBytesPerSM = R.SharedKiB * KiB;
  D.SharedBytesPerBlockOptIn = R.OptKiB * KiB;
  D.SharedBytesReserved = R.Capability < 80 ? 0 : KiB;    // [P, T]
  D.SharedAllocationUnit = R.Capability < 80 ? 256 : 128; // [O]
  D.UnifiedL1 = R.Capability >= 70;
  D.UnifiedBytes = R.UnifiedKiB * KiB;
  D.CarveoutBytes = carveouts(R);
  D.SharedBytesForTwice = R.Capability == 90 ? 132 * KiB : 0; // measured
  return D;
}

std::vector<Device> makeDevices() {
  std::vector<Device> All;
  for (const Row &R : Rows)
    All.push_back(makeDevice(R));
  for (const Card &C : Cards) {
    const Row *R = find_if(
        Rows, [&](const Row &R) { return R.Capability == C.Capability; });
    Device D = makeDevice(*R);
    D.Name = C.Name;
    D.SMs = C.SMs;
    D.SMsFrom = C.Source;
    All.push_back(std::move(D));
  }
  return All;
}

/// Fermi allocates registers to pairs of warps in units of 64; Kepler as today
/// [P of CUDA 8.0, table "Technical Specifications";
/// CUDA_Occupancy_Calculator]. Cards: Orion section 5, Unified section 5.
std::vector<Device> makeHistoricDevices() {
  Device Fermi = makeDevice({20, 48, 8, 32, 48, 48, 64});
  Fermi.Name = "c2075";
  Fermi.SMs = 14;
  Fermi.RegistersPerSM = 32 * KiB;
  Fermi.RegisterAllocationUnit = 64;
  Fermi.SubPartitions = 2;
  Fermi.SharedAllocationUnit = 128;
  Fermi.CarveoutBytes = {16 * KiB, 48 * KiB};
  Device Kepler = makeDevice({30, 64, 16, 64, 48, 48, 64});
  Kepler.Name = "gtx-680";
  Kepler.SMs = 8;
  Kepler.CarveoutBytes = {16 * KiB, 32 * KiB, 48 * KiB};
  for (Device *D : {&Fermi, &Kepler}) {
    D->MaxRegistersPerThread = D->LaunchRegistersPerThread = 63;
    D->UnifiedL1 = true;
  }
  return {Fermi, Kepler};
}

/// "NVIDIA GeForce RTX 4090" -> "rtx4090", "sm_90" -> "sm90".
std::string normalized(StringRef Name) {
  std::string Text;
  for (char C : Name.trim())
    if (C != ' ' && C != '-' && C != '_')
      Text += toLower(C);
  StringRef Rest = Text;
  for (StringRef Brand : {"nvidia", "geforce", "tesla"})
    Rest.consume_front(Brand);
  return Rest.str();
}

/// "sm90a", "compute90", "90", "9.0" -> 90.
std::optional<unsigned> capabilityOf(StringRef Text) {
  if (!Text.consume_front("sm"))
    Text.consume_front("compute");
  auto [Major, Minor] = Text.split('.');
  unsigned A, B;
  if (Text.contains('.')) {
    if (Major.getAsInteger(10, A) || Minor.getAsInteger(10, B) || A > 99 ||
        Minor.size() != 1)
      return std::nullopt;
    return A * 10 + B;
  }
  // sm_90a and sm_100f are sm_90 and sm_100 with more instructions.
  if (Text.ends_with("a") || Text.ends_with("f"))
    Text = Text.drop_back();
  if (Text.getAsInteger(10, A) || A > 999)
    return std::nullopt;
  return A;
}

std::string capabilityName(unsigned Capability) {
  return std::to_string(Capability / 10) + "." +
         std::to_string(Capability % 10);
}

Error unknownDevice(StringRef Name, StringRef Wanted) {
  // Spelling distance, then the order of the table.
  std::vector<std::pair<unsigned, size_t>> Known;
  for (const auto &[I, D] : enumerate(allDevices()))
    Known.push_back({StringRef(normalized(D.Name)).edit_distance(Wanted), I});
  sort(Known);
  std::string List;
  for (const auto &[Distance, I] : Known)
    List += (List.empty() ? "" : ", ") + allDevices()[I].Name;
  return createStringError("unknown GPU '" + Name.str() +
                           "'; known are, nearest first: " + List);
}

} // namespace

std::string Device::capabilityText() const {
  return capabilityName(Capability);
}

ArrayRef<Device> allDevices() {
  static const std::vector<Device> All = makeDevices();
  return All;
}

ArrayRef<Device> historicDevices() {
  static const std::vector<Device> All = makeHistoricDevices();
  return All;
}

Expected<Device> findDevice(StringRef Name) {
  std::string Wanted = normalized(Name);
  for (const auto &Board : Boards)
    if (Wanted == normalized(Board.Board))
      return findDevice(Board.Name);
  std::optional<unsigned> Capability = capabilityOf(Wanted);
  for (const Device &D : allDevices())
    if (Wanted == normalized(D.Name) || (!D.SMs && Capability == D.Capability))
      return D;
  std::optional<unsigned> TooOld;
  if (Capability && *Capability >= 10 && *Capability < Rows[0].Capability)
    TooOld = Capability;
  for (const Device &D : historicDevices())
    if (Wanted == normalized(D.Name))
      TooOld = D.Capability;
  if (TooOld)
    return createStringError(
        "GPU '" + Name.str() + "' has compute capability " +
        capabilityName(*TooOld) + "; the oldest that is supported is " +
        capabilityName(Rows[0].Capability));
  return unknownDevice(Name, Wanted);
}

} // namespace catt
