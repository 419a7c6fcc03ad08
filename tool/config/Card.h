//===- Card.h - A card that was measured ------------------------*- C++ -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   catt-tune --calibrate              on the machine with the GPU
//   catt-rewrite --gpu=card.json       anywhere
//
//   {"version": 1, "card": "NVIDIA A10", "capability": 86, "sms": 72,
//    "l2_bytes": 6291456, "rates": [{"name": "hit", "value": 33.1, "spread":
//    0.02, ...}, ...], "curves": {"port_cycles_by_lines": [[1, 4.1], ...]}}
//
//===----------------------------------------------------------------------===//
#ifndef CATT_TOOL_CONFIG_CARD_H
#define CATT_TOOL_CONFIG_CARD_H

#include "analysis/device/Device.h"

namespace catt {

/// Whether what is named is a file that `catt-tune --calibrate` writes: *.json.
bool isCardFile(llvm::StringRef Name);

/// A card by its name, as findDevice does, or by such a file. Error: one
/// sentence that says which file lacks what, and how to make one.
llvm::Expected<Device> findCard(llvm::StringRef NameOrFile);

/// What such a file holds. Path is what messages call it.
llvm::Expected<Device> parseCard(llvm::StringRef Text, llvm::StringRef Path);

} // namespace catt

#endif
