// Device code prints; in order under seed 0.
#include <cstdio>
__global__ void speak(const char *Unused, float X) {
  if (threadIdx.x % 2)
    printf("thread %d of %s: %.2f\n", int(threadIdx.x), "speak",
           X * threadIdx.x);
}
int main() {
  speak<<<1, 6>>>(nullptr, 0.25f);
  cudaDeviceSynchronize();
  std::printf("done\n");
}
