// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies by a group into shared memory, declared only.
#pragma once
#include "../cooperative_groups.h"

namespace cooperative_groups {
template <class G, class T, class Size>
__device__ void memcpy_async(const G &Group, T *To, const T *From, Size Bytes);
template <class G, class T, class N, class M>
__device__ void memcpy_async(const G &Group, T *To, const N &ToSize,
                             const T *From, const M &FromSize);
template <class G> __device__ void wait(const G &Group);
template <unsigned Stages, class G> __device__ void wait_prior(const G &Group);
} // namespace cooperative_groups
