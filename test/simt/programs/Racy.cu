// Wrong on purpose: warps add up in shared memory without atomics.
#include <cstdio>
__global__ void sum(int *Out) {
  __shared__ int Sum;
  if (threadIdx.x == 0)
    Sum = 0;
  __syncthreads();
  Sum += 1; // line 8
  __syncthreads();
  Out[0] = Sum;
}
int main() {
  int *D;
  cudaMalloc(&D, 4);
  sum<<<1, 64>>>(D);
  cudaDeviceSynchronize();
  std::printf("done\n");
}
