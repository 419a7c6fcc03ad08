// A library's header, found by -isystem: its functions meet the whole block.
#pragma once
namespace library {
__device__ inline float total(float *Box, float V) {
  if (threadIdx.x == 0)
    *Box = 0;
  __syncthreads();
  atomicAdd(Box, V);
  __syncthreads();
  return *Box;
}
} // namespace library
