// Writes outside of its buffer; the error stays, as on a device.
#include <cstdio>
__global__ void store(int *A, int I) { A[I] = 1; }
int main() {
  int *D;
  cudaMalloc(&D, 4);
  store<<<1, 1>>>(D, 1);
  cudaError_t First = cudaDeviceSynchronize();
  store<<<1, 1>>>(D, 0);
  std::printf("%s, %d\n", cudaGetErrorName(First),
              int(cudaDeviceSynchronize() == First));
  return 5; // the findings decide the status
}
