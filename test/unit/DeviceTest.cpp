//===- DeviceTest.cpp - The table of GPUs ---------------------------------===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "analysis/device/Device.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <set>

using namespace catt;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

Device known(llvm::StringRef Name) {
  llvm::Expected<Device> D = findDevice(Name);
  EXPECT_TRUE(bool(D)) << Name.str();
  if (D)
    return *D;
  ADD_FAILURE() << llvm::toString(D.takeError());
  return {};
}

std::string errorOf(llvm::StringRef Name) {
  llvm::Expected<Device> D = findDevice(Name);
  EXPECT_FALSE(bool(D)) << Name.str();
  return D ? "" : llvm::toString(D.takeError());
}

TEST(Device, positiveSpellings) {
  for (const char *Name : {"h200", "H200", "NVIDIA H200", " h200 "})
    EXPECT_EQ(known(Name).Name, "h200") << Name;
  for (const char *Name :
       {"sm_90", "SM_90", "sm_90a", "90", "90a", "9.0", "compute_90", "sm90"})
    EXPECT_EQ(known(Name).Name, "sm_90") << Name;
  for (const char *Name : {"titan-v", "TITAN V", "titanv", "NVIDIA TITAN V"})
    EXPECT_EQ(known(Name).Name, "titan-v") << Name;
  EXPECT_EQ(known("NVIDIA GeForce RTX 4090").Name, "rtx-4090");
  EXPECT_EQ(known("NVIDIA GeForce RTX 4070 Ti").Name, "rtx-4070-ti");
  EXPECT_EQ(known("NVIDIA H100 PCIe").Name, "h100-pcie");
  EXPECT_EQ(known("NVIDIA GH200 480GB").Name, "gh200");
  EXPECT_EQ(known("Tesla T4").Name, "t4");
  EXPECT_EQ(known("NVIDIA A100-SXM4-80GB").Name, "a100");
  EXPECT_EQ(known("Tesla V100-SXM2-16GB").Name, "v100");
  EXPECT_EQ(known("sm_100f").Capability, 100u);
  EXPECT_EQ(known("12.1").Capability, 121u);
}

TEST(Device, positiveNumbersOfTheProgrammingGuide) {
  Device V = known("titan-v");
  EXPECT_EQ(V.SMs, 80);
  EXPECT_EQ(V.UnifiedBytes, 128 * 1024); // CATT table 1
  EXPECT_EQ(V.SharedBytesPerSM, 96 * 1024);
  EXPECT_EQ(V.RegistersPerSM * 4, 256 * 1024);
  EXPECT_THAT(V.CarveoutBytes,
              ElementsAre(0, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 96 << 10));
  Device H = known("h200");
  EXPECT_EQ(H.SMs, 132);
  EXPECT_EQ(H.UnifiedBytes, 256 * 1024);
  EXPECT_EQ(H.SharedBytesPerBlockOptIn, 227 * 1024);
  EXPECT_EQ(H.architecture(), "sm_90");
  EXPECT_EQ(H.capabilityText(), "9.0");
  EXPECT_THAT(known("7.5").CarveoutBytes, ElementsAre(32 << 10, 64 << 10));
  EXPECT_EQ(known("sm_120").capabilityText(), "12.0");
}

TEST(Device, positiveThorHasTwoNumbers) {
  Device Old = known("sm_101"), New = known("sm_110");
  EXPECT_EQ(Old.MaxWarpsPerSM, New.MaxWarpsPerSM);
  EXPECT_EQ(Old.MaxBlocksPerSM, New.MaxBlocksPerSM);
  EXPECT_EQ(Old.UnifiedBytes, New.UnifiedBytes);
}

TEST(Device, everyRowIsConsistent) {
  std::set<std::string> Names;
  for (const Device &D : allDevices()) {
    SCOPED_TRACE(D.Name);
    EXPECT_TRUE(Names.insert(D.Name).second);
    EXPECT_GE(D.Capability, 50u);
    EXPECT_EQ(D.MaxThreadsPerSM, D.MaxWarpsPerSM * 32);
    EXPECT_EQ(D.MaxRegistersPerThread, 255);
    EXPECT_EQ(D.RegistersPerSM % D.SubPartitions, 0);
    EXPECT_LE(D.RegistersPerBlock, D.RegistersPerSM);
    EXPECT_TRUE(llvm::is_sorted(D.CarveoutBytes));
    EXPECT_EQ(D.CarveoutBytes.back(), D.SharedBytesPerSM);
    EXPECT_LE(D.SharedBytesPerBlockOptIn + D.SharedBytesReserved,
              D.SharedBytesPerSM);
    EXPECT_LE(D.SharedBytesPerBlock, D.SharedBytesPerBlockOptIn);
    if (D.UnifiedL1)
      EXPECT_GT(D.UnifiedBytes, D.SharedBytesPerSM); // some L1 always remains
    EXPECT_EQ(known(D.Name).Name, D.Name);
    EXPECT_EQ(D.barrierCountsLiveThreads(), D.Capability >= 70);
  }
}

TEST(Device, everyCardIsItsCapabilityWithSMs) {
  unsigned Cards = 0;
  for (const Device &Card : allDevices()) {
    if (!Card.SMs)
      continue;
    ++Cards;
    Device Base = known(Card.architecture());
    EXPECT_FALSE(Base.SMs);
    EXPECT_NE(Card.SMsFrom, "") << Card.Name;
    EXPECT_EQ(Base.CarveoutBytes, Card.CarveoutBytes) << Card.Name;
    EXPECT_EQ(Base.MaxBlocksPerSM, Card.MaxBlocksPerSM) << Card.Name;
  }
  EXPECT_EQ(Cards, 24u);
}

TEST(Device, negativeUnknownNamesListTheNearestFirst) {
  EXPECT_THAT(errorOf("h201"),
              StartsWith("unknown GPU 'h201'; known are, nearest first: h"));
  EXPECT_THAT(errorOf("rtx-4091"), HasSubstr("nearest first: rtx-4090, "));
  EXPECT_THAT(errorOf("sm_91"), HasSubstr("nearest first: sm_"));
  EXPECT_THAT(errorOf("titan"), HasSubstr("nearest first: titan-v, "));
  EXPECT_THAT(errorOf("h201"), HasSubstr("titan-v"));
}

TEST(Device, negativeNamesThatOnlyLookRight) {
  for (const char *Name :
       {"", " ", "sm_", "sm_9", "sm_90b", "sm_900", "9.", ".0", "9.00", "9.0.0",
        "0x5a", "90 0 0", "h200h200", "nvidia", "99999999999999999999"})
    EXPECT_THAT(errorOf(Name), StartsWith("unknown GPU")) << Name;
}

TEST(Device, negativeOtherBoardsAreNotTakenForAKnownOne) {
  // A prefix is not enough: 56 SMs, not 46.
  errorOf("NVIDIA GeForce RTX 4070 SUPER");
  errorOf("NVIDIA H100 NVL");
  errorOf("rtx 4090 laptop gpu");
}

TEST(Device, negativeTooOldSaysSo) {
  EXPECT_THAT(errorOf("sm_35"), HasSubstr("has compute capability 3.5; the "
                                          "oldest that is supported is 5.0"));
  EXPECT_THAT(errorOf("GTX 680"), HasSubstr("capability 3.0"));
  EXPECT_THAT(errorOf("Tesla C2075"), HasSubstr("capability 2.0"));
}

TEST(Device, historicDevicesAreThoseOfThePapers) {
  ASSERT_EQ(historicDevices().size(), 2u);
  const Device &Fermi = historicDevices()[0], &Kepler = historicDevices()[1];
  EXPECT_EQ(*Fermi.SMs, 14); // Orion section 5
  EXPECT_EQ(Fermi.RegistersPerSM, 32768);
  EXPECT_EQ(Fermi.MaxThreadsPerSM, 1536);
  EXPECT_EQ(*Kepler.SMs, 8);
  EXPECT_EQ(Kepler.RegistersPerSM, 65536);
  EXPECT_EQ(Kepler.MaxThreadsPerSM, 2048);
  EXPECT_EQ(Kepler.MaxRegistersPerThread, 63);
  for (const Device &D : historicDevices())
    EXPECT_EQ(D.UnifiedBytes, 64 * 1024);
}

/// A row of docs/devices.md.
std::string pageRow(const Device &D) {
  std::vector<std::string> Carveouts;
  for (int64_t Bytes : D.CarveoutBytes)
    Carveouts.push_back(std::to_string(Bytes >> 10));
  return llvm::formatv(
      "| `{0}` | {1} | {2} | {3} | {4} | {5} | {6} | {7} | {8} | {9} | {10} |",
      D.Name, D.capabilityText(), D.SMs ? std::to_string(*D.SMs) : "",
      D.MaxWarpsPerSM, D.MaxBlocksPerSM, D.RegistersPerBlock >> 10,
      D.SharedBytesPerSM >> 10, D.SharedBytesPerBlockOptIn >> 10,
      D.SharedBytesReserved >> 10, D.UnifiedBytes >> 10,
      D.UnifiedL1 ? llvm::join(Carveouts, " ") : "");
}

TEST(Device, pageAndTableAgree) {
  auto Page = llvm::MemoryBuffer::getFile(CATT_SOURCE_DIR "/docs/devices.md");
  ASSERT_TRUE(bool(Page));
  std::vector<std::string> Rows, Expected;
  for (llvm::StringRef Line : llvm::split((*Page)->getBuffer(), '\n'))
    if (Line.starts_with("| `"))
      Rows.push_back(Line.str());
  for (const Device &D : allDevices())
    Expected.push_back(pageRow(D));
  EXPECT_EQ(Rows, Expected) << "the table of docs/devices.md should read:\n"
                            << llvm::join(Expected, "\n");
}

} // namespace
