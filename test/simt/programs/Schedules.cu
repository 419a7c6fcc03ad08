// Its result depends on which block comes first.
#include <cstdio>
__global__ void winner(int *Out) {
  if (threadIdx.x == 0)
    atomicCAS(Out, -1, int(blockIdx.x));
}
int main() {
  int *D, H = -1;
  cudaMalloc(&D, 4);
  cudaMemcpy(D, &H, 4, cudaMemcpyHostToDevice);
  winner<<<32, 32>>>(D);
  cudaMemcpy(&H, D, 4, cudaMemcpyDeviceToHost);
  std::printf("%d\n", H);
  return 0;
}
