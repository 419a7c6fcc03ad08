// A function that keeps 40 values in registers through its loop: called twice
// in one expression, by some threads once more, and by a function in a loop.
#include <cstdio>
#include <cuda_runtime.h>

static __device__ __forceinline__ unsigned mix(const unsigned *in, unsigned x,
                                               int n) {
  unsigned v[40];
#pragma unroll
  for (int k = 0; k < 40; ++k)
    v[k] = in[k] + x;
  for (int s = 0; s < n; ++s)
#pragma unroll
    for (int k = 0; k < 40; ++k)
      v[k] = v[k] * v[(k + 1) % 40] + v[(k + 7) % 40];
  unsigned sum = 0;
#pragma unroll
  for (int k = 0; k < 40; ++k)
    sum ^= v[k];
  return sum;
}

static __device__ unsigned rounds(const unsigned *in, unsigned x, int n) {
  unsigned last = in[n];
  for (int r = 0; r < n; ++r)
    x += mix(in, x ^ r, r);
  return x ^ last;
}

static __global__ void functions(const unsigned *in, unsigned *out, int n) {
  const unsigned i = blockIdx.x * 99 + threadIdx.y * 33 + threadIdx.x;
  unsigned at = mix(in, mix(in, i, n), n);
  if (i % 3 == 1)
    at += mix(in, i, 2);
  out[i] = at + rounds(in, i, n);
}

int main() {
  unsigned *in, *out, sum = 0;
  cudaMallocManaged(&in, 64 * sizeof(unsigned));
  cudaMallocManaged(&out, 198 * sizeof(unsigned));
  for (unsigned k = 0; k < 64; ++k)
    in[k] = 77 * k + 5;
  functions<<<2, dim3(33, 3)>>>(in, out, 3);
  cudaDeviceSynchronize();
  for (unsigned k = 0; k < 198; ++k)
    sum += out[k] * k;
  printf("%u\n", sum);
}
