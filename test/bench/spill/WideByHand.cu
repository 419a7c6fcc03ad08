//===- WideByHand.cu - Some of many values in shared memory -*- CUDA -*-===//
//
// Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first kernel of Wide.cu with the first SLOTS of its 96 values moved to
// shared memory by hand: slot-major, so that the threads of a warp touch 32
// banks. Takes SLOTS * 256 * 4 bytes of dynamic shared memory.
//
//===----------------------------------------------------------------------===//

extern "C" __global__ void wide(const float *in, float *out, int n) {
  constexpr int Values = 96, Steps = 64, Threads = 256;
  extern __shared__ volatile float shared[];
  volatile float *slots = shared + threadIdx.x;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float v[Values];
  const auto read = [&](int k) { return k < SLOTS ? slots[k * Threads] : v[k]; };
  const auto write = [&](int k, float value) {
    if (k < SLOTS)
      slots[k * Threads] = value;
    else
      v[k] = value;
  };
#pragma unroll
  for (int k = 0; k < Values; ++k)
    write(k, in[k * n + i]);
  for (int step = 0; step < Steps; ++step) {
    const float x = 0.5f * in[step];
#pragma unroll
    for (int k = 0; k < Values; ++k)
      write(k, read(k) * x + read((k + 7) % Values));
  }
#pragma unroll
  for (int k = 0; k < Values; ++k)
    out[k * n + i] = read(k);
}
