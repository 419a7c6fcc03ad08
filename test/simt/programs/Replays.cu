// Launches that catt/replay.h runs several times; the program checks what they
// leave, and prints how often they ran and what is said of them.
#include "../../../analysis/frontend/builtin/runtime/catt/replay.h"
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>

__device__ int Hidden;

struct Lists {
  int **List;
  int Count;
};

// Adds to where it reads: a second run is right only after its memory is back.
__global__ void grow(Lists L, int *Sum) {
  int I = threadIdx.x;
  if (I >= L.Count)
    return;
  L.List[I][0] += I + 1;
  atomicAdd(Sum, L.List[I][0]);
}
__global__ void hide(int *A) { *A = ++Hidden; }

int main(int, char **Arguments) {
  setenv("CATT_REPLAY", "grow=1,hide=1", 1);
  setenv("CATT_REPLAYS", Arguments[1], 1);
  constexpr int Count = 5;
  int *Each[Count], *Sum, **List, Runs = 0;
  for (int *&One : Each) {
    cudaMalloc((void **)&One, 8);
    cudaMemset(One, 0, 8);
  }
  cudaMalloc((void **)&List, sizeof Each);
  cudaMemcpy(List, Each, sizeof Each, cudaMemcpyHostToDevice);
  cudaMalloc((void **)&Sum, 4);
  cudaMemset(Sum, 0, 4);

  for (catt::Replay Replay("grow", nullptr, Lists{List, Count}, Sum);
       Replay.next(); ++Runs)
    grow<<<1, 32>>>(Lists{List, Count}, Sum);
  int Total = 0, Last = 0;
  cudaMemcpy(&Total, Sum, 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(&Last, Each[Count - 1], 4, cudaMemcpyDeviceToHost);
  std::printf("%d %d, %s\n", Total, Last, Runs > 3 ? "often" : "seldom");

  for (catt::Replay Replay("hide", nullptr, Sum); Replay.next();)
    hide<<<1, 1>>>(Sum);
  std::ifstream In(Arguments[1]);
  for (std::string Line; std::getline(In, Line);)
    std::cout << Line.substr(Line.find("\"bytes\"")) << '\n';
}
