// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What most unit tests include, compiled once for all of them.
#include "analysis/frontend/Pch.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
